
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'recourse' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'recourse'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'recourse' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('evaluate', 'evaluate', [CompletionResultType]::ParameterValue, 'Judge a command or plan without running it')
            [CompletionResult]::new('explain', 'explain', [CompletionResultType]::ParameterValue, 'Judge a command and show every step, piece of evidence and rule')
            [CompletionResult]::new('scan', 'scan', [CompletionResultType]::ParameterValue, 'Find what scripts, images, build files and CI jobs would destroy')
            [CompletionResult]::new('exec', 'exec', [CompletionResultType]::ParameterValue, 'Judge a command, then become it')
            [CompletionResult]::new('undo', 'undo', [CompletionResultType]::ParameterValue, 'Put back what the last command destroyed, or another one that is kept')
            [CompletionResult]::new('kept', 'kept', [CompletionResultType]::ParameterValue, 'What is kept: when, by whom, what, how large')
            [CompletionResult]::new('init', 'init', [CompletionResultType]::ParameterValue, 'Guard the shells, coding agents and MCP clients that are found here, or one of them')
            [CompletionResult]::new('hook', 'hook', [CompletionResultType]::ParameterValue, 'What installed hooks call')
            [CompletionResult]::new('approve', 'approve', [CompletionResultType]::ParameterValue, 'Allow, once, what an agent was denied; only a person at a terminal can')
            [CompletionResult]::new('shim', 'shim', [CompletionResultType]::ParameterValue, 'Programs that are run through `exec` wherever they are called from')
            [CompletionResult]::new('resources', 'resources', [CompletionResultType]::ParameterValue, 'List what is known: tools, kinds and Terraform types')
            [CompletionResult]::new('policy', 'policy', [CompletionResultType]::ParameterValue, 'Show or check policy files')
            [CompletionResult]::new('knowledge', 'knowledge', [CompletionResultType]::ParameterValue, 'Check what you teach about your own tools')
            [CompletionResult]::new('keys', 'keys', [CompletionResultType]::ParameterValue, 'Make, rotate and revoke the keys that sign attestations')
            [CompletionResult]::new('registry', 'registry', [CompletionResultType]::ParameterValue, 'Publish this instance''s keys and attestations; fetch another''s keys')
            [CompletionResult]::new('log', 'log', [CompletionResultType]::ParameterValue, 'Show or check the audit log; keep, prove and witness the transparency log')
            [CompletionResult]::new('trust', 'trust', [CompletionResultType]::ParameterValue, 'Sign an organisation''s trust bundle, or follow one')
            [CompletionResult]::new('mcp', 'mcp', [CompletionResultType]::ParameterValue, 'Answer AI agents over the Model Context Protocol')
            [CompletionResult]::new('serve', 'serve', [CompletionResultType]::ParameterValue, 'Serve the key registry, attestations and evaluations over HTTP')
            [CompletionResult]::new('doctor', 'doctor', [CompletionResultType]::ParameterValue, 'Say what is and is not covered on this machine')
            [CompletionResult]::new('verify', 'verify', [CompletionResultType]::ParameterValue, 'Verify an attestation, or a report with one beside it')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print a completion script')
            [CompletionResult]::new('schema', 'schema', [CompletionResultType]::ParameterValue, 'Print the JSON Schema of what recourse prints')
            break
        }
        'recourse;evaluate' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('shell', 'shell', [CompletionResultType]::ParameterValue, 'Judge shell text (one word) or an argument vector (several words)')
            [CompletionResult]::new('terraform', 'terraform', [CompletionResultType]::ParameterValue, 'Judge a Terraform plan, binary or in JSON')
            [CompletionResult]::new('mcp', 'mcp', [CompletionResultType]::ParameterValue, 'Judge a call of another MCP server''s tool')
            break
        }
        'recourse;evaluate;shell' {
            [CompletionResult]::new('--cwd', '--cwd', [CompletionResultType]::ParameterName, 'Directory that the command would run in [default: the current one]')
            [CompletionResult]::new('--profile', '--profile', [CompletionResultType]::ParameterName, 'Whose enforcement to state [env: RECOURSE_PROFILE]')
            [CompletionResult]::new('--environment', '--environment', [CompletionResultType]::ParameterName, 'Environment that it acts on, for example `production` [env: RECOURSE_ENVIRONMENT]')
            [CompletionResult]::new('--actor', '--actor', [CompletionResultType]::ParameterName, 'Who asks, as KIND/NAME with the kind human, agent, ci or service [env: RECOURSE_ACTOR]')
            [CompletionResult]::new('--audience', '--audience', [CompletionResultType]::ParameterName, 'Whom an attestation is for: a host, or the machines of one kind; it counts nowhere else [env: RECOURSE_AUDIENCE]')
            [CompletionResult]::new('--evidence', '--evidence', [CompletionResultType]::ParameterName, 'Evidence gathered elsewhere, with the raw output that proves it')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form of the output')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Verdict from which on the exit status is not 0')
            [CompletionResult]::new('--attest', '--attest', [CompletionResultType]::ParameterName, 'Sign the report, also where the configuration does not say so')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'recourse;evaluate;terraform' {
            [CompletionResult]::new('--cwd', '--cwd', [CompletionResultType]::ParameterName, 'Directory that the command would run in [default: the current one]')
            [CompletionResult]::new('--profile', '--profile', [CompletionResultType]::ParameterName, 'Whose enforcement to state [env: RECOURSE_PROFILE]')
            [CompletionResult]::new('--environment', '--environment', [CompletionResultType]::ParameterName, 'Environment that it acts on, for example `production` [env: RECOURSE_ENVIRONMENT]')
            [CompletionResult]::new('--actor', '--actor', [CompletionResultType]::ParameterName, 'Who asks, as KIND/NAME with the kind human, agent, ci or service [env: RECOURSE_ACTOR]')
            [CompletionResult]::new('--audience', '--audience', [CompletionResultType]::ParameterName, 'Whom an attestation is for: a host, or the machines of one kind; it counts nowhere else [env: RECOURSE_AUDIENCE]')
            [CompletionResult]::new('--evidence', '--evidence', [CompletionResultType]::ParameterName, 'Evidence gathered elsewhere, with the raw output that proves it')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form of the output')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Verdict from which on the exit status is not 0')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'Current state as JSON (`terraform show -json`), for what the plan does not say')
            [CompletionResult]::new('--attest', '--attest', [CompletionResultType]::ParameterName, 'Sign the report, also where the configuration does not say so')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'recourse;evaluate;mcp' {
            [CompletionResult]::new('--cwd', '--cwd', [CompletionResultType]::ParameterName, 'Directory that the command would run in [default: the current one]')
            [CompletionResult]::new('--profile', '--profile', [CompletionResultType]::ParameterName, 'Whose enforcement to state [env: RECOURSE_PROFILE]')
            [CompletionResult]::new('--environment', '--environment', [CompletionResultType]::ParameterName, 'Environment that it acts on, for example `production` [env: RECOURSE_ENVIRONMENT]')
            [CompletionResult]::new('--actor', '--actor', [CompletionResultType]::ParameterName, 'Who asks, as KIND/NAME with the kind human, agent, ci or service [env: RECOURSE_ACTOR]')
            [CompletionResult]::new('--audience', '--audience', [CompletionResultType]::ParameterName, 'Whom an attestation is for: a host, or the machines of one kind; it counts nowhere else [env: RECOURSE_AUDIENCE]')
            [CompletionResult]::new('--evidence', '--evidence', [CompletionResultType]::ParameterName, 'Evidence gathered elsewhere, with the raw output that proves it')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form of the output')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Verdict from which on the exit status is not 0')
            [CompletionResult]::new('--server', '--server', [CompletionResultType]::ParameterName, 'The server, as the client names it')
            [CompletionResult]::new('--tool', '--tool', [CompletionResultType]::ParameterName, 'The tool')
            [CompletionResult]::new('--arguments', '--arguments', [CompletionResultType]::ParameterName, 'The arguments, a JSON object; `-` reads standard input, `@FILE` a file')
            [CompletionResult]::new('--description', '--description', [CompletionResultType]::ParameterName, 'The description that the server gives of the tool')
            [CompletionResult]::new('--annotations', '--annotations', [CompletionResultType]::ParameterName, 'The annotations that the server gives, a JSON object')
            [CompletionResult]::new('--attest', '--attest', [CompletionResultType]::ParameterName, 'Sign the report, also where the configuration does not say so')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'recourse;explain' {
            [CompletionResult]::new('--cwd', '--cwd', [CompletionResultType]::ParameterName, 'Directory that the command would run in [default: the current one]')
            [CompletionResult]::new('--profile', '--profile', [CompletionResultType]::ParameterName, 'Whose enforcement to state [env: RECOURSE_PROFILE]')
            [CompletionResult]::new('--environment', '--environment', [CompletionResultType]::ParameterName, 'Environment that it acts on, for example `production` [env: RECOURSE_ENVIRONMENT]')
            [CompletionResult]::new('--actor', '--actor', [CompletionResultType]::ParameterName, 'Who asks, as KIND/NAME with the kind human, agent, ci or service [env: RECOURSE_ACTOR]')
            [CompletionResult]::new('--audience', '--audience', [CompletionResultType]::ParameterName, 'Whom an attestation is for: a host, or the machines of one kind; it counts nowhere else [env: RECOURSE_AUDIENCE]')
            [CompletionResult]::new('--evidence', '--evidence', [CompletionResultType]::ParameterName, 'Evidence gathered elsewhere, with the raw output that proves it')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form of the output')
            [CompletionResult]::new('--plan', '--plan', [CompletionResultType]::ParameterName, 'Explain a Terraform plan, binary or in JSON, instead of a command')
            [CompletionResult]::new('--tool', '--tool', [CompletionResultType]::ParameterName, 'Explain a call of this MCP tool instead of a command')
            [CompletionResult]::new('--server', '--server', [CompletionResultType]::ParameterName, 'The tool''s server')
            [CompletionResult]::new('--arguments', '--arguments', [CompletionResultType]::ParameterName, 'The tool''s arguments, a JSON object; `-` reads standard input, `@FILE` a file')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'recourse;scan' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form of the output')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Verdict from which on the exit status is not 0')
            [CompletionResult]::new('--baseline', '--baseline', [CompletionResultType]::ParameterName, 'Findings that are known already: they are counted and decide nothing')
            [CompletionResult]::new('--write-baseline', '--write-baseline', [CompletionResultType]::ParameterName, 'Write down all that is found as known, for --baseline')
            [CompletionResult]::new('--environment', '--environment', [CompletionResultType]::ParameterName, 'Environment that it acts on, for example `production` [env: RECOURSE_ENVIRONMENT]')
            [CompletionResult]::new('--profile', '--profile', [CompletionResultType]::ParameterName, 'Whose rules to apply [env: RECOURSE_PROFILE]')
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'Seconds after which the rest is left unread, and said to be')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'List what is only unknown too, which is otherwise counted')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'recourse;exec' {
            [CompletionResult]::new('--profile', '--profile', [CompletionResultType]::ParameterName, 'Whose enforcement to apply [default: human with a terminal, else ci; env: RECOURSE_PROFILE]')
            [CompletionResult]::new('--environment', '--environment', [CompletionResultType]::ParameterName, 'Environment that it acts on, for example `production` [env: RECOURSE_ENVIRONMENT]')
            [CompletionResult]::new('--actor', '--actor', [CompletionResultType]::ParameterName, 'Who asks, as KIND/NAME with the kind human, agent, ci or service [env: RECOURSE_ACTOR]')
            [CompletionResult]::new('--attestation', '--attestation', [CompletionResultType]::ParameterName, 'An attestation, or a report with one: of the evaluation, or of a person''s approval of it')
            [CompletionResult]::new('-c', '-c', [CompletionResultType]::ParameterName, 'Shell text to run with bash')
            [CompletionResult]::new('--look', '--look', [CompletionResultType]::ParameterName, 'Run the suggested read-only commands first, wherever somebody would have to decide, and judge with what they tell')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;undo' {
            [CompletionResult]::new('--to', '--to', [CompletionResultType]::ParameterName, 'Write everything below this directory instead, and touch nothing else')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form of the output')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Do not ask; what is replaced is kept, so an undo can be undone')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Do not ask; what is replaced is kept, so an undo can be undone')
            [CompletionResult]::new('--diff', '--diff', [CompletionResultType]::ParameterName, 'Show what would change, and change nothing')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Show what would change, and change nothing')
            [CompletionResult]::new('--redo', '--redo', [CompletionResultType]::ParameterName, 'Take back the last undo instead')
            [CompletionResult]::new('-l', '-l', [CompletionResultType]::ParameterName, 'List what is kept, as `recourse kept` does')
            [CompletionResult]::new('--list', '--list', [CompletionResultType]::ParameterName, 'List what is kept, as `recourse kept` does')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'recourse;kept' {
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'How many, the newest first [default: all]')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form of the output')
            [CompletionResult]::new('--ids', '--ids', [CompletionResultType]::ParameterName, 'For completion scripts: an id and its command a line')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'All that is kept, the newest first (the default)')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'One recovery point in full: what it holds, and what `undo` would do')
            [CompletionResult]::new('pin', 'pin', [CompletionResultType]::ParameterValue, 'Keep a recovery point until it is forgotten, however old it grows')
            [CompletionResult]::new('unpin', 'unpin', [CompletionResultType]::ParameterValue, 'Let a pinned one go when its time has come; only a person can')
            [CompletionResult]::new('forget', 'forget', [CompletionResultType]::ParameterValue, 'Delete recovery points for good; only a person can')
            [CompletionResult]::new('prune', 'prune', [CompletionResultType]::ParameterValue, 'Delete what is older than the policy keeps it; only a person can')
            break
        }
        'recourse;kept;list' {
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'How many, the newest first [default: all]')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form of the output')
            [CompletionResult]::new('--ids', '--ids', [CompletionResultType]::ParameterName, 'For completion scripts: an id and its command a line')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'recourse;kept;show' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form of the output')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'recourse;kept;pin' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;kept;unpin' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;kept;forget' {
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Do not ask')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Do not ask')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;kept;prune' {
            [CompletionResult]::new('--days', '--days', [CompletionResultType]::ParameterName, 'Keep those of the last so many days only [default: what the policy says]')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Do not ask')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Do not ask')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;init' {
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Only show what would change')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Do it without a question')
            [CompletionResult]::new('--uninstall', '--uninstall', [CompletionResultType]::ParameterName, 'Take all that is ours out again')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('bash', 'bash', [CompletionResultType]::ParameterValue, 'Print the hook of bash')
            [CompletionResult]::new('zsh', 'zsh', [CompletionResultType]::ParameterValue, 'Print the hook of zsh')
            [CompletionResult]::new('fish', 'fish', [CompletionResultType]::ParameterValue, 'Print the hook of fish')
            [CompletionResult]::new('claude-code', 'claude-code', [CompletionResultType]::ParameterValue, 'Hook of Claude Code')
            [CompletionResult]::new('codex', 'codex', [CompletionResultType]::ParameterValue, 'Hook of OpenAI Codex')
            [CompletionResult]::new('gemini', 'gemini', [CompletionResultType]::ParameterValue, 'Hook of Gemini CLI')
            [CompletionResult]::new('cursor', 'cursor', [CompletionResultType]::ParameterValue, 'Hook of Cursor')
            [CompletionResult]::new('copilot', 'copilot', [CompletionResultType]::ParameterValue, 'Hook of GitHub Copilot CLI')
            [CompletionResult]::new('vscode', 'vscode', [CompletionResultType]::ParameterValue, 'Hook of VS Code''s agent')
            [CompletionResult]::new('windsurf', 'windsurf', [CompletionResultType]::ParameterValue, 'Hook of Windsurf')
            [CompletionResult]::new('cline', 'cline', [CompletionResultType]::ParameterValue, 'Hook of Cline')
            [CompletionResult]::new('opencode', 'opencode', [CompletionResultType]::ParameterValue, 'Hook of opencode')
            [CompletionResult]::new('amp', 'amp', [CompletionResultType]::ParameterValue, 'Hook of Amp')
            [CompletionResult]::new('crush', 'crush', [CompletionResultType]::ParameterValue, 'Hook of Crush')
            [CompletionResult]::new('mcp', 'mcp', [CompletionResultType]::ParameterValue, 'The MCP server in a client''s configuration')
            break
        }
        'recourse;init;bash' {
            [CompletionResult]::new('--uninstall', '--uninstall', [CompletionResultType]::ParameterName, 'Say how to remove it again')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;init;zsh' {
            [CompletionResult]::new('--uninstall', '--uninstall', [CompletionResultType]::ParameterName, 'Say how to remove it again')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;init;fish' {
            [CompletionResult]::new('--uninstall', '--uninstall', [CompletionResultType]::ParameterName, 'Say how to remove it again')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;init;claude-code' {
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Only show what would change (the default)')
            [CompletionResult]::new('--write', '--write', [CompletionResultType]::ParameterName, 'Install it')
            [CompletionResult]::new('--verify', '--verify', [CompletionResultType]::ParameterName, 'Check that it is installed as it should be and answers')
            [CompletionResult]::new('--uninstall', '--uninstall', [CompletionResultType]::ParameterName, 'Remove it, and leave the file as it was before')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'For the project in this directory instead of all of the user''s')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;init;codex' {
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Only show what would change (the default)')
            [CompletionResult]::new('--write', '--write', [CompletionResultType]::ParameterName, 'Install it')
            [CompletionResult]::new('--verify', '--verify', [CompletionResultType]::ParameterName, 'Check that it is installed as it should be and answers')
            [CompletionResult]::new('--uninstall', '--uninstall', [CompletionResultType]::ParameterName, 'Remove it, and leave the file as it was before')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'For the project in this directory instead of all of the user''s')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;init;gemini' {
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Only show what would change (the default)')
            [CompletionResult]::new('--write', '--write', [CompletionResultType]::ParameterName, 'Install it')
            [CompletionResult]::new('--verify', '--verify', [CompletionResultType]::ParameterName, 'Check that it is installed as it should be and answers')
            [CompletionResult]::new('--uninstall', '--uninstall', [CompletionResultType]::ParameterName, 'Remove it, and leave the file as it was before')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'For the project in this directory instead of all of the user''s')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;init;cursor' {
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Only show what would change (the default)')
            [CompletionResult]::new('--write', '--write', [CompletionResultType]::ParameterName, 'Install it')
            [CompletionResult]::new('--verify', '--verify', [CompletionResultType]::ParameterName, 'Check that it is installed as it should be and answers')
            [CompletionResult]::new('--uninstall', '--uninstall', [CompletionResultType]::ParameterName, 'Remove it, and leave the file as it was before')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'For the project in this directory instead of all of the user''s')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;init;copilot' {
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Only show what would change (the default)')
            [CompletionResult]::new('--write', '--write', [CompletionResultType]::ParameterName, 'Install it')
            [CompletionResult]::new('--verify', '--verify', [CompletionResultType]::ParameterName, 'Check that it is installed as it should be and answers')
            [CompletionResult]::new('--uninstall', '--uninstall', [CompletionResultType]::ParameterName, 'Remove it, and leave the file as it was before')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'For the project in this directory instead of all of the user''s')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;init;vscode' {
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Only show what would change (the default)')
            [CompletionResult]::new('--write', '--write', [CompletionResultType]::ParameterName, 'Install it')
            [CompletionResult]::new('--verify', '--verify', [CompletionResultType]::ParameterName, 'Check that it is installed as it should be and answers')
            [CompletionResult]::new('--uninstall', '--uninstall', [CompletionResultType]::ParameterName, 'Remove it, and leave the file as it was before')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'For the project in this directory instead of all of the user''s')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;init;windsurf' {
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Only show what would change (the default)')
            [CompletionResult]::new('--write', '--write', [CompletionResultType]::ParameterName, 'Install it')
            [CompletionResult]::new('--verify', '--verify', [CompletionResultType]::ParameterName, 'Check that it is installed as it should be and answers')
            [CompletionResult]::new('--uninstall', '--uninstall', [CompletionResultType]::ParameterName, 'Remove it, and leave the file as it was before')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'For the project in this directory instead of all of the user''s')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;init;cline' {
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Only show what would change (the default)')
            [CompletionResult]::new('--write', '--write', [CompletionResultType]::ParameterName, 'Install it')
            [CompletionResult]::new('--verify', '--verify', [CompletionResultType]::ParameterName, 'Check that it is installed as it should be and answers')
            [CompletionResult]::new('--uninstall', '--uninstall', [CompletionResultType]::ParameterName, 'Remove it, and leave the file as it was before')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'For the project in this directory instead of all of the user''s')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;init;opencode' {
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Only show what would change (the default)')
            [CompletionResult]::new('--write', '--write', [CompletionResultType]::ParameterName, 'Install it')
            [CompletionResult]::new('--verify', '--verify', [CompletionResultType]::ParameterName, 'Check that it is installed as it should be and answers')
            [CompletionResult]::new('--uninstall', '--uninstall', [CompletionResultType]::ParameterName, 'Remove it, and leave the file as it was before')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'For the project in this directory instead of all of the user''s')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;init;amp' {
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Only show what would change (the default)')
            [CompletionResult]::new('--write', '--write', [CompletionResultType]::ParameterName, 'Install it')
            [CompletionResult]::new('--verify', '--verify', [CompletionResultType]::ParameterName, 'Check that it is installed as it should be and answers')
            [CompletionResult]::new('--uninstall', '--uninstall', [CompletionResultType]::ParameterName, 'Remove it, and leave the file as it was before')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'For the project in this directory instead of all of the user''s')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;init;crush' {
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Only show what would change (the default)')
            [CompletionResult]::new('--write', '--write', [CompletionResultType]::ParameterName, 'Install it')
            [CompletionResult]::new('--verify', '--verify', [CompletionResultType]::ParameterName, 'Check that it is installed as it should be and answers')
            [CompletionResult]::new('--uninstall', '--uninstall', [CompletionResultType]::ParameterName, 'Remove it, and leave the file as it was before')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'For the project in this directory instead of all of the user''s')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;init;mcp' {
            [CompletionResult]::new('--client', '--client', [CompletionResultType]::ParameterName, 'The client')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Only show what would change (the default)')
            [CompletionResult]::new('--write', '--write', [CompletionResultType]::ParameterName, 'Change the client''s configuration; what it was is kept for --uninstall')
            [CompletionResult]::new('--uninstall', '--uninstall', [CompletionResultType]::ParameterName, 'Take our entry out again')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'For the project in this directory instead of all of the user''s')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'recourse;hook' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('shell', 'shell', [CompletionResultType]::ParameterValue, 'Judge a line that was accepted in an interactive shell, from standard input; exit status 126 refuses it')
            [CompletionResult]::new('claude-code', 'claude-code', [CompletionResultType]::ParameterValue, 'Judge a tool call of Claude Code (standard input) and answer in its own words')
            [CompletionResult]::new('codex', 'codex', [CompletionResultType]::ParameterValue, 'Judge a tool call of OpenAI Codex (standard input) and answer in its own words')
            [CompletionResult]::new('gemini', 'gemini', [CompletionResultType]::ParameterValue, 'Judge a tool call of Gemini CLI (standard input) and answer in its own words')
            [CompletionResult]::new('cursor', 'cursor', [CompletionResultType]::ParameterValue, 'Judge a tool call of Cursor (standard input) and answer in its own words')
            [CompletionResult]::new('copilot', 'copilot', [CompletionResultType]::ParameterValue, 'Judge a tool call of GitHub Copilot CLI (standard input) and answer in its own words')
            [CompletionResult]::new('vscode', 'vscode', [CompletionResultType]::ParameterValue, 'Judge a tool call of VS Code''s agent (standard input) and answer in its own words')
            [CompletionResult]::new('windsurf', 'windsurf', [CompletionResultType]::ParameterValue, 'Judge a tool call of Windsurf (standard input) and answer in its own words')
            [CompletionResult]::new('cline', 'cline', [CompletionResultType]::ParameterValue, 'Judge a tool call of Cline (standard input) and answer in its own words')
            [CompletionResult]::new('opencode', 'opencode', [CompletionResultType]::ParameterValue, 'Judge a tool call of opencode (standard input) and answer in its own words')
            [CompletionResult]::new('amp', 'amp', [CompletionResultType]::ParameterValue, 'Judge a tool call of Amp (standard input) and answer in its own words')
            [CompletionResult]::new('crush', 'crush', [CompletionResultType]::ParameterValue, 'Judge a tool call of Crush (standard input) and answer in its own words')
            break
        }
        'recourse;hook;shell' {
            [CompletionResult]::new('--shell', '--shell', [CompletionResultType]::ParameterName, 'The shell that it was typed in')
            [CompletionResult]::new('--watcher', '--watcher', [CompletionResultType]::ParameterName, 'Process started beside this one, which ends it when it does not answer; it is stopped first')
            [CompletionResult]::new('--plain', '--plain', [CompletionResultType]::ParameterName, 'The line itself, not bash''s last history entry')
            [CompletionResult]::new('--below', '--below', [CompletionResultType]::ParameterName, 'The cursor stands behind the line: what is said begins on a new one')
            [CompletionResult]::new('--comments', '--comments', [CompletionResultType]::ParameterName, '`#` begins a comment also in zsh')
            [CompletionResult]::new('--functions', '--functions', [CompletionResultType]::ParameterName, 'The shell can say what its functions do and its variables hold when it is asked (answer 3)')
            [CompletionResult]::new('--text', '--text', [CompletionResultType]::ParameterName, 'The shell takes another text onto its line')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The shell''s options come before its aliases')
            [CompletionResult]::new('--answer', '--answer', [CompletionResultType]::ParameterName, 'The status is printed too, before what else there is; and `?` before a person may be asked')
            [CompletionResult]::new('--shown', '--shown', [CompletionResultType]::ParameterName, 'The line as it was typed comes before the line as it will run')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;hook;claude-code' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;hook;codex' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;hook;gemini' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;hook;cursor' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;hook;copilot' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;hook;vscode' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;hook;windsurf' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;hook;cline' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;hook;opencode' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;hook;amp' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;hook;crush' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;approve' {
            [CompletionResult]::new('--deny', '--deny', [CompletionResultType]::ParameterName, 'Say no instead: the same command is not asked about again for a while')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;shim' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('add', 'add', [CompletionResultType]::ParameterValue, 'Make shims')
            [CompletionResult]::new('remove', 'remove', [CompletionResultType]::ParameterValue, 'Take shims away')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'Say which there are, and whether PATH leads to them')
            break
        }
        'recourse;shim;add' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;shim;remove' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;shim;list' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;resources' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form of the output')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'recourse;policy' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'The rules in force, layer by layer')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Read policy files strictly and say what is wrong with them')
            break
        }
        'recourse;policy;show' {
            [CompletionResult]::new('--cwd', '--cwd', [CompletionResultType]::ParameterName, 'Directory from which project policies are looked for [default: the current one]')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form of the output')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'recourse;policy;check' {
            [CompletionResult]::new('--cwd', '--cwd', [CompletionResultType]::ParameterName, 'Directory from which project policies are looked for [default: the current one]')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form of the output')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'recourse;knowledge' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Read knowledge files strictly, run their examples and say what is wrong with them')
            [CompletionResult]::new('new', 'new', [CompletionResultType]::ParameterValue, 'Print a commented file that teaches a tool, to start from')
            break
        }
        'recourse;knowledge;check' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form of the output')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'recourse;knowledge;new' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;keys' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('generate', 'generate', [CompletionResultType]::ParameterValue, 'Make a key; it is pending until it is activated')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the keys and their states')
            [CompletionResult]::new('activate', 'activate', [CompletionResultType]::ParameterValue, 'Let a pending key sign, where no key is active or a rotation''s time has come')
            [CompletionResult]::new('rotate', 'rotate', [CompletionResultType]::ParameterValue, 'Replace the active key, now or at a time')
            [CompletionResult]::new('deprecate', 'deprecate', [CompletionResultType]::ParameterValue, 'Take a pending or the active key out of use without a successor')
            [CompletionResult]::new('retire', 'retire', [CompletionResultType]::ParameterValue, 'Take a deprecated key out of rotation for good')
            [CompletionResult]::new('compromise', 'compromise', [CompletionResultType]::ParameterValue, 'Say that a key is not to be trusted: nothing that it ever signed verifies any more')
            [CompletionResult]::new('export', 'export', [CompletionResultType]::ParameterValue, 'Print a public key')
            break
        }
        'recourse;keys;generate' {
            [CompletionResult]::new('--instance', '--instance', [CompletionResultType]::ParameterName, 'Name of the instance, when this is its first key [default: a random one]')
            [CompletionResult]::new('--passphrase-file', '--passphrase-file', [CompletionResultType]::ParameterName, 'File with the passphrase of encrypted keys [env: RECOURSE_KEY_PASSPHRASE holds the passphrase itself]')
            [CompletionResult]::new('--publish', '--publish', [CompletionResultType]::ParameterName, 'Web root below which the registry is published before the change takes effect')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form of the output')
            [CompletionResult]::new('--encrypt', '--encrypt', [CompletionResultType]::ParameterName, 'Encrypt it, asking for a passphrase where none is given')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'recourse;keys;list' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form of the output')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'recourse;keys;activate' {
            [CompletionResult]::new('--passphrase-file', '--passphrase-file', [CompletionResultType]::ParameterName, 'File with the passphrase of encrypted keys [env: RECOURSE_KEY_PASSPHRASE holds the passphrase itself]')
            [CompletionResult]::new('--publish', '--publish', [CompletionResultType]::ParameterName, 'Web root below which the registry is published before the change takes effect')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form of the output')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'recourse;keys;rotate' {
            [CompletionResult]::new('--at', '--at', [CompletionResultType]::ParameterName, 'Publish the successor now, for a rotation at this time, such as 2026-05-01T14:30:00Z')
            [CompletionResult]::new('--passphrase-file', '--passphrase-file', [CompletionResultType]::ParameterName, 'File with the passphrase of encrypted keys [env: RECOURSE_KEY_PASSPHRASE holds the passphrase itself]')
            [CompletionResult]::new('--publish', '--publish', [CompletionResultType]::ParameterName, 'Web root below which the registry is published before the change takes effect')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form of the output')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'recourse;keys;deprecate' {
            [CompletionResult]::new('--passphrase-file', '--passphrase-file', [CompletionResultType]::ParameterName, 'File with the passphrase of encrypted keys [env: RECOURSE_KEY_PASSPHRASE holds the passphrase itself]')
            [CompletionResult]::new('--publish', '--publish', [CompletionResultType]::ParameterName, 'Web root below which the registry is published before the change takes effect')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form of the output')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'recourse;keys;retire' {
            [CompletionResult]::new('--passphrase-file', '--passphrase-file', [CompletionResultType]::ParameterName, 'File with the passphrase of encrypted keys [env: RECOURSE_KEY_PASSPHRASE holds the passphrase itself]')
            [CompletionResult]::new('--publish', '--publish', [CompletionResultType]::ParameterName, 'Web root below which the registry is published before the change takes effect')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form of the output')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'recourse;keys;compromise' {
            [CompletionResult]::new('--reason', '--reason', [CompletionResultType]::ParameterName, 'Why, for the audit log')
            [CompletionResult]::new('--passphrase-file', '--passphrase-file', [CompletionResultType]::ParameterName, 'File with the passphrase of encrypted keys [env: RECOURSE_KEY_PASSPHRASE holds the passphrase itself]')
            [CompletionResult]::new('--publish', '--publish', [CompletionResultType]::ParameterName, 'Web root below which the registry is published before the change takes effect')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form of the output')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'recourse;keys;export' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'In which form')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'recourse;registry' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('publish', 'publish', [CompletionResultType]::ParameterValue, 'Write the registry and attestations as static files for a web server')
            [CompletionResult]::new('export', 'export', [CompletionResultType]::ParameterValue, 'Print an attestation that was signed here, by itself or as a Sigstore bundle')
            [CompletionResult]::new('prune', 'prune', [CompletionResultType]::ParameterValue, 'Take away attestations of keys that are retired or compromised; their URLs answer 410')
            [CompletionResult]::new('refresh', 'refresh', [CompletionResultType]::ParameterValue, 'Fetch an instance''s registry of keys now')
            break
        }
        'recourse;registry;publish' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form of the output')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'recourse;registry;export' {
            [CompletionResult]::new('--bundle', '--bundle', [CompletionResultType]::ParameterName, 'As a bundle v0.3 with an in-toto Statement, signed with the key that is active now')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;registry;prune' {
            [CompletionResult]::new('--days', '--days', [CompletionResultType]::ParameterName, 'Only what is older')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form of the output')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'recourse;registry;refresh' {
            [CompletionResult]::new('--justification', '--justification', [CompletionResultType]::ParameterName, 'Why, for the record')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Accept it even when it is older than the one accepted before; recorded in the audit log')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;log' {
            [CompletionResult]::new('--last', '--last', [CompletionResultType]::ParameterName, 'Only the last so many events')
            [CompletionResult]::new('--since', '--since', [CompletionResultType]::ParameterName, 'Only what is not older: a time such as 2026-03-01T00:00:00Z, or 90m, 12h, 7d ago')
            [CompletionResult]::new('--session', '--session', [CompletionResultType]::ParameterName, 'Only what came from this session, as the log names it, or its end')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form of the output; JSON is one event on each line')
            [CompletionResult]::new('--refused', '--refused', [CompletionResultType]::ParameterName, 'Only what was refused')
            [CompletionResult]::new('--follow', '--follow', [CompletionResultType]::ParameterName, 'Go on with what is added, until Ctrl-C; oldest first')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('verify', 'verify', [CompletionResultType]::ParameterValue, 'Check that nothing in it was changed, removed, moved or cut off')
            [CompletionResult]::new('export', 'export', [CompletionResultType]::ParameterValue, 'Write it out for other systems, oldest first')
            [CompletionResult]::new('prune', 'prune', [CompletionResultType]::ParameterValue, 'Take the oldest files of it away, as `[record]` says or as said here')
            [CompletionResult]::new('push', 'push', [CompletionResultType]::ParameterValue, 'Put its full files into the store that machines share, as `store` says')
            [CompletionResult]::new('checkpoint', 'checkpoint', [CompletionResultType]::ParameterValue, 'Put everything that was signed or recorded into the transparency log, sign it, and ask its witnesses')
            [CompletionResult]::new('prove', 'prove', [CompletionResultType]::ParameterValue, 'Print the proof that something is in the transparency log, or that the log only grew')
            [CompletionResult]::new('key', 'key', [CompletionResultType]::ParameterValue, 'Print the transparency log''s key, for those who verify or witness it')
            [CompletionResult]::new('witness', 'witness', [CompletionResultType]::ParameterValue, 'Witness transparency logs of others: cosign what only grew since it was seen last')
            break
        }
        'recourse;log;verify' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form of the output')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'recourse;log;export' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form of the lines')
            [CompletionResult]::new('--since', '--since', [CompletionResultType]::ParameterName, 'Only what is not older: a time such as 2026-03-01T00:00:00Z, or 90m, 12h, 7d ago')
            [CompletionResult]::new('--session', '--session', [CompletionResultType]::ParameterName, 'Only what came from this session, as the log names it, or its end')
            [CompletionResult]::new('--refused', '--refused', [CompletionResultType]::ParameterName, 'Only what was refused')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'recourse;log;prune' {
            [CompletionResult]::new('--days', '--days', [CompletionResultType]::ParameterName, 'Keep what is not older')
            [CompletionResult]::new('--segments', '--segments', [CompletionResultType]::ParameterName, 'Keep so many files of it, the one that is written to included')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;log;push' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form of the output')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'The file that is written to as well: a machine is about to go away')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'recourse;log;checkpoint' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form of the output')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'recourse;log;prove' {
            [CompletionResult]::new('--event', '--event', [CompletionResultType]::ParameterName, 'An event of the audit log, by its number')
            [CompletionResult]::new('--since', '--since', [CompletionResultType]::ParameterName, 'That the log goes on from so many leaves')
            [CompletionResult]::new('--registry', '--registry', [CompletionResultType]::ParameterName, 'The registry of keys that is in force')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;log;key' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;log;witness' {
            [CompletionResult]::new('--listen', '--listen', [CompletionResultType]::ParameterName, 'Where to listen')
            [CompletionResult]::new('--log', '--log', [CompletionResultType]::ParameterName, 'The key of a log to witness, as `recourse log key` prints it there; repeated for more')
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'The witness''s name, once and for all: a host and path without a scheme')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;trust' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('key', 'key', [CompletionResultType]::ParameterValue, 'Make a key that signs bundles where there is none, and print its public half for `keys` under [trust]')
            [CompletionResult]::new('sign', 'sign', [CompletionResultType]::ParameterValue, 'Print a bundle of a description in TOML, signed; or a bundle with one more signature')
            [CompletionResult]::new('refresh', 'refresh', [CompletionResultType]::ParameterValue, 'Ask for the bundle that this machine follows, and accept it')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Print what is in force here')
            break
        }
        'recourse;trust;key' {
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'Its name, for example `trust.acme.example/1`')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;trust;sign' {
            [CompletionResult]::new('--key', '--key', [CompletionResultType]::ParameterName, 'The file of the private key')
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'The key''s name')
            [CompletionResult]::new('--previous', '--previous', [CompletionResultType]::ParameterName, 'The bundle before it: the number goes on from there [default: this is the first]')
            [CompletionResult]::new('--days', '--days', [CompletionResultType]::ParameterName, 'In how many days it ends')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;trust;refresh' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;trust;show' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form of the output')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'recourse;mcp' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('serve', 'serve', [CompletionResultType]::ParameterValue, 'Serve on standard input and output, for the client that starts it')
            break
        }
        'recourse;mcp;serve' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;serve' {
            [CompletionResult]::new('--listen', '--listen', [CompletionResultType]::ParameterName, 'Where to listen; the default is the loopback address that attestations name')
            [CompletionResult]::new('--token-file', '--token-file', [CompletionResultType]::ParameterName, 'File with the bearer token that `POST /api/evaluate` demands; without it that route is closed')
            [CompletionResult]::new('--tokens', '--tokens', [CompletionResultType]::ParameterName, 'File in TOML with several tokens: names, scopes, and the actor that each speaks for')
            [CompletionResult]::new('--access-log', '--access-log', [CompletionResultType]::ParameterName, 'File to which a line of JSON is added for each request: who, what path, which status, how long')
            [CompletionResult]::new('--access-log-mib', '--access-log-mib', [CompletionResultType]::ParameterName, 'Mebibytes at which that file becomes FILE.1, of which eight are kept; 0: somebody else moves it on')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'recourse;doctor' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form of the output')
            [CompletionResult]::new('--repair', '--repair', [CompletionResultType]::ParameterName, 'Close to others what is recourse''s own, where something opened it, before looking')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'recourse;verify' {
            [CompletionResult]::new('--trust', '--trust', [CompletionResultType]::ParameterName, 'Base URLs of the instances to trust, separated by commas [default: any]')
            [CompletionResult]::new('--mode', '--mode', [CompletionResultType]::ParameterName, 'What to do with it: ignore, log, verify or require [default: require]')
            [CompletionResult]::new('--cross-check', '--cross-check', [CompletionResultType]::ParameterName, 'Whether to fetch the durable copy and compare')
            [CompletionResult]::new('--max-age', '--max-age', [CompletionResultType]::ParameterName, 'How old it may be, in seconds [default: as it says itself]')
            [CompletionResult]::new('--cached-registry', '--cached-registry', [CompletionResultType]::ParameterName, 'The registry that was accepted last, instead of the cache folder; only read, and a fetch is always made')
            [CompletionResult]::new('--registry', '--registry', [CompletionResultType]::ParameterName, 'The registry to verify with; nothing is fetched')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'The time that it is, such as 2026-05-01T14:30:00Z [default: the clock]')
            [CompletionResult]::new('--input', '--input', [CompletionResultType]::ParameterName, 'What was to be evaluated, as JSON; another input is refused')
            [CompletionResult]::new('--plan', '--plan', [CompletionResultType]::ParameterName, 'The Terraform plan (`terraform show -json`) that was to be evaluated; another plan is refused')
            [CompletionResult]::new('--permit', '--permit', [CompletionResultType]::ParameterName, 'Verdicts that let it go on, separated by commas; a chained approval lets it go on too [default: all]')
            [CompletionResult]::new('--parent', '--parent', [CompletionResultType]::ParameterName, 'The attestation that it follows; repeated for a longer chain, the first one first')
            [CompletionResult]::new('--log-key', '--log-key', [CompletionResultType]::ParameterName, 'The key of a log that is believed [default: as configured, else this instance''s own]')
            [CompletionResult]::new('--witness', '--witness', [CompletionResultType]::ParameterName, 'The key of a witness that is believed [default: as configured]')
            [CompletionResult]::new('--witness-quorum', '--witness-quorum', [CompletionResultType]::ParameterName, 'How many of the witnesses must have seen the log [default: as configured, else most of them]')
            [CompletionResult]::new('--proof', '--proof', [CompletionResultType]::ParameterName, 'A proof, instead of the one that is published: of the attestation, of the registry, of each link of a chain; repeated')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form of the output')
            [CompletionResult]::new('--key-validity', '--key-validity', [CompletionResultType]::ParameterName, 'Refuse what was signed while its key was not the active one, give or take five minutes')
            [CompletionResult]::new('--report', '--report', [CompletionResultType]::ParameterName, 'Insist on a report with its attestation beside it')
            [CompletionResult]::new('--require-log', '--require-log', [CompletionResultType]::ParameterName, 'Refuse what no transparency log is shown to hold, the registry that its key stands in included')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'recourse;completions' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'recourse;schema' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
