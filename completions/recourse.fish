# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_recourse_global_optspecs
    string join \n h/help V/version
end

function __fish_recourse_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_recourse_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_recourse_using_subcommand
    set -l cmd (__fish_recourse_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c recourse -n "__fish_recourse_needs_command" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_needs_command" -s V -l version -d 'Print version'
complete -c recourse -n "__fish_recourse_needs_command" -f -a "evaluate" -d 'Judge a command or plan without running it'
complete -c recourse -n "__fish_recourse_needs_command" -f -a "explain" -d 'Judge a command and show every step, piece of evidence and rule'
complete -c recourse -n "__fish_recourse_needs_command" -f -a "scan" -d 'Find what scripts, images, build files and CI jobs would destroy'
complete -c recourse -n "__fish_recourse_needs_command" -f -a "exec" -d 'Judge a command, then become it'
complete -c recourse -n "__fish_recourse_needs_command" -f -a "undo" -d 'Put back what the last command destroyed, or another one that is kept'
complete -c recourse -n "__fish_recourse_needs_command" -f -a "kept" -d 'What is kept: when, by whom, what, how large'
complete -c recourse -n "__fish_recourse_needs_command" -f -a "init" -d 'Guard the shells, coding agents and MCP clients that are found here, or one of them'
complete -c recourse -n "__fish_recourse_needs_command" -f -a "hook" -d 'What installed hooks call'
complete -c recourse -n "__fish_recourse_needs_command" -f -a "approve" -d 'Allow, once, what an agent was denied; only a person at a terminal can'
complete -c recourse -n "__fish_recourse_needs_command" -f -a "shim" -d 'Programs that are run through `exec` wherever they are called from'
complete -c recourse -n "__fish_recourse_needs_command" -f -a "resources" -d 'List what is known: tools, kinds and Terraform types'
complete -c recourse -n "__fish_recourse_needs_command" -f -a "policy" -d 'Show or check policy files'
complete -c recourse -n "__fish_recourse_needs_command" -f -a "knowledge" -d 'Check what you teach about your own tools'
complete -c recourse -n "__fish_recourse_needs_command" -f -a "keys" -d 'Make, rotate and revoke the keys that sign attestations'
complete -c recourse -n "__fish_recourse_needs_command" -f -a "registry" -d 'Publish this instance\'s keys and attestations; fetch another\'s keys'
complete -c recourse -n "__fish_recourse_needs_command" -f -a "log" -d 'Show or check the audit log; keep, prove and witness the transparency log'
complete -c recourse -n "__fish_recourse_needs_command" -f -a "trust" -d 'Sign an organisation\'s trust bundle, or follow one'
complete -c recourse -n "__fish_recourse_needs_command" -f -a "mcp" -d 'Answer AI agents over the Model Context Protocol'
complete -c recourse -n "__fish_recourse_needs_command" -f -a "serve" -d 'Serve the key registry, attestations and evaluations over HTTP'
complete -c recourse -n "__fish_recourse_needs_command" -f -a "doctor" -d 'Say what is and is not covered on this machine'
complete -c recourse -n "__fish_recourse_needs_command" -f -a "verify" -d 'Verify an attestation, or a report with one beside it'
complete -c recourse -n "__fish_recourse_needs_command" -f -a "completions" -d 'Print a completion script'
complete -c recourse -n "__fish_recourse_needs_command" -f -a "schema" -d 'Print the JSON Schema of what recourse prints'
complete -c recourse -n "__fish_recourse_using_subcommand evaluate; and not __fish_seen_subcommand_from shell terraform mcp" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand evaluate; and not __fish_seen_subcommand_from shell terraform mcp" -f -a "shell" -d 'Judge shell text (one word) or an argument vector (several words)'
complete -c recourse -n "__fish_recourse_using_subcommand evaluate; and not __fish_seen_subcommand_from shell terraform mcp" -f -a "terraform" -d 'Judge a Terraform plan, binary or in JSON'
complete -c recourse -n "__fish_recourse_using_subcommand evaluate; and not __fish_seen_subcommand_from shell terraform mcp" -f -a "mcp" -d 'Judge a call of another MCP server\'s tool'
complete -c recourse -n "__fish_recourse_using_subcommand evaluate; and __fish_seen_subcommand_from shell" -l cwd -d 'Directory that the command would run in [default: the current one]' -r -f -a "(__fish_complete_directories)"
complete -c recourse -n "__fish_recourse_using_subcommand evaluate; and __fish_seen_subcommand_from shell" -l profile -d 'Whose enforcement to state [env: RECOURSE_PROFILE]' -r -f -a "human\t''
agent\t''
ci\t''"
complete -c recourse -n "__fish_recourse_using_subcommand evaluate; and __fish_seen_subcommand_from shell" -l environment -d 'Environment that it acts on, for example `production` [env: RECOURSE_ENVIRONMENT]' -r
complete -c recourse -n "__fish_recourse_using_subcommand evaluate; and __fish_seen_subcommand_from shell" -l actor -d 'Who asks, as KIND/NAME with the kind human, agent, ci or service [env: RECOURSE_ACTOR]' -r
complete -c recourse -n "__fish_recourse_using_subcommand evaluate; and __fish_seen_subcommand_from shell" -l audience -d 'Whom an attestation is for: a host, or the machines of one kind; it counts nowhere else [env: RECOURSE_AUDIENCE]' -r
complete -c recourse -n "__fish_recourse_using_subcommand evaluate; and __fish_seen_subcommand_from shell" -l evidence -d 'Evidence gathered elsewhere, with the raw output that proves it' -r -F
complete -c recourse -n "__fish_recourse_using_subcommand evaluate; and __fish_seen_subcommand_from shell" -l format -d 'Form of the output' -r -f -a "human\t'For people'
json\t'For programs'
markdown\t'For a comment on a pull request'
sarif\t'For code scanning: SARIF 2.1.0'
junit\t'For a pipeline\'s table of tests: JUnit\'s XML'
github\t'For GitHub Actions: annotations'
bundle\t'For Sigstore, in-toto and policy engines, with --attest: the attestation in a bundle v0.3'"
complete -c recourse -n "__fish_recourse_using_subcommand evaluate; and __fish_seen_subcommand_from shell" -l fail-on -d 'Verdict from which on the exit status is not 0' -r -f -a "warn\t''
escalate\t''
block\t''
never\t''"
complete -c recourse -n "__fish_recourse_using_subcommand evaluate; and __fish_seen_subcommand_from shell" -l attest -d 'Sign the report, also where the configuration does not say so'
complete -c recourse -n "__fish_recourse_using_subcommand evaluate; and __fish_seen_subcommand_from shell" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c recourse -n "__fish_recourse_using_subcommand evaluate; and __fish_seen_subcommand_from terraform" -l cwd -d 'Directory that the command would run in [default: the current one]' -r -f -a "(__fish_complete_directories)"
complete -c recourse -n "__fish_recourse_using_subcommand evaluate; and __fish_seen_subcommand_from terraform" -l profile -d 'Whose enforcement to state [env: RECOURSE_PROFILE]' -r -f -a "human\t''
agent\t''
ci\t''"
complete -c recourse -n "__fish_recourse_using_subcommand evaluate; and __fish_seen_subcommand_from terraform" -l environment -d 'Environment that it acts on, for example `production` [env: RECOURSE_ENVIRONMENT]' -r
complete -c recourse -n "__fish_recourse_using_subcommand evaluate; and __fish_seen_subcommand_from terraform" -l actor -d 'Who asks, as KIND/NAME with the kind human, agent, ci or service [env: RECOURSE_ACTOR]' -r
complete -c recourse -n "__fish_recourse_using_subcommand evaluate; and __fish_seen_subcommand_from terraform" -l audience -d 'Whom an attestation is for: a host, or the machines of one kind; it counts nowhere else [env: RECOURSE_AUDIENCE]' -r
complete -c recourse -n "__fish_recourse_using_subcommand evaluate; and __fish_seen_subcommand_from terraform" -l evidence -d 'Evidence gathered elsewhere, with the raw output that proves it' -r -F
complete -c recourse -n "__fish_recourse_using_subcommand evaluate; and __fish_seen_subcommand_from terraform" -l format -d 'Form of the output' -r -f -a "human\t'For people'
json\t'For programs'
markdown\t'For a comment on a pull request'
sarif\t'For code scanning: SARIF 2.1.0'
junit\t'For a pipeline\'s table of tests: JUnit\'s XML'
github\t'For GitHub Actions: annotations'
bundle\t'For Sigstore, in-toto and policy engines, with --attest: the attestation in a bundle v0.3'"
complete -c recourse -n "__fish_recourse_using_subcommand evaluate; and __fish_seen_subcommand_from terraform" -l fail-on -d 'Verdict from which on the exit status is not 0' -r -f -a "warn\t''
escalate\t''
block\t''
never\t''"
complete -c recourse -n "__fish_recourse_using_subcommand evaluate; and __fish_seen_subcommand_from terraform" -l state -d 'Current state as JSON (`terraform show -json`), for what the plan does not say' -r -F
complete -c recourse -n "__fish_recourse_using_subcommand evaluate; and __fish_seen_subcommand_from terraform" -l attest -d 'Sign the report, also where the configuration does not say so'
complete -c recourse -n "__fish_recourse_using_subcommand evaluate; and __fish_seen_subcommand_from terraform" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c recourse -n "__fish_recourse_using_subcommand evaluate; and __fish_seen_subcommand_from mcp" -l cwd -d 'Directory that the command would run in [default: the current one]' -r -f -a "(__fish_complete_directories)"
complete -c recourse -n "__fish_recourse_using_subcommand evaluate; and __fish_seen_subcommand_from mcp" -l profile -d 'Whose enforcement to state [env: RECOURSE_PROFILE]' -r -f -a "human\t''
agent\t''
ci\t''"
complete -c recourse -n "__fish_recourse_using_subcommand evaluate; and __fish_seen_subcommand_from mcp" -l environment -d 'Environment that it acts on, for example `production` [env: RECOURSE_ENVIRONMENT]' -r
complete -c recourse -n "__fish_recourse_using_subcommand evaluate; and __fish_seen_subcommand_from mcp" -l actor -d 'Who asks, as KIND/NAME with the kind human, agent, ci or service [env: RECOURSE_ACTOR]' -r
complete -c recourse -n "__fish_recourse_using_subcommand evaluate; and __fish_seen_subcommand_from mcp" -l audience -d 'Whom an attestation is for: a host, or the machines of one kind; it counts nowhere else [env: RECOURSE_AUDIENCE]' -r
complete -c recourse -n "__fish_recourse_using_subcommand evaluate; and __fish_seen_subcommand_from mcp" -l evidence -d 'Evidence gathered elsewhere, with the raw output that proves it' -r -F
complete -c recourse -n "__fish_recourse_using_subcommand evaluate; and __fish_seen_subcommand_from mcp" -l format -d 'Form of the output' -r -f -a "human\t'For people'
json\t'For programs'
markdown\t'For a comment on a pull request'
sarif\t'For code scanning: SARIF 2.1.0'
junit\t'For a pipeline\'s table of tests: JUnit\'s XML'
github\t'For GitHub Actions: annotations'
bundle\t'For Sigstore, in-toto and policy engines, with --attest: the attestation in a bundle v0.3'"
complete -c recourse -n "__fish_recourse_using_subcommand evaluate; and __fish_seen_subcommand_from mcp" -l fail-on -d 'Verdict from which on the exit status is not 0' -r -f -a "warn\t''
escalate\t''
block\t''
never\t''"
complete -c recourse -n "__fish_recourse_using_subcommand evaluate; and __fish_seen_subcommand_from mcp" -l server -d 'The server, as the client names it' -r
complete -c recourse -n "__fish_recourse_using_subcommand evaluate; and __fish_seen_subcommand_from mcp" -l tool -d 'The tool' -r
complete -c recourse -n "__fish_recourse_using_subcommand evaluate; and __fish_seen_subcommand_from mcp" -l arguments -d 'The arguments, a JSON object; `-` reads standard input, `@FILE` a file' -r
complete -c recourse -n "__fish_recourse_using_subcommand evaluate; and __fish_seen_subcommand_from mcp" -l description -d 'The description that the server gives of the tool' -r
complete -c recourse -n "__fish_recourse_using_subcommand evaluate; and __fish_seen_subcommand_from mcp" -l annotations -d 'The annotations that the server gives, a JSON object' -r
complete -c recourse -n "__fish_recourse_using_subcommand evaluate; and __fish_seen_subcommand_from mcp" -l attest -d 'Sign the report, also where the configuration does not say so'
complete -c recourse -n "__fish_recourse_using_subcommand evaluate; and __fish_seen_subcommand_from mcp" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c recourse -n "__fish_recourse_using_subcommand explain" -l cwd -d 'Directory that the command would run in [default: the current one]' -r -f -a "(__fish_complete_directories)"
complete -c recourse -n "__fish_recourse_using_subcommand explain" -l profile -d 'Whose enforcement to state [env: RECOURSE_PROFILE]' -r -f -a "human\t''
agent\t''
ci\t''"
complete -c recourse -n "__fish_recourse_using_subcommand explain" -l environment -d 'Environment that it acts on, for example `production` [env: RECOURSE_ENVIRONMENT]' -r
complete -c recourse -n "__fish_recourse_using_subcommand explain" -l actor -d 'Who asks, as KIND/NAME with the kind human, agent, ci or service [env: RECOURSE_ACTOR]' -r
complete -c recourse -n "__fish_recourse_using_subcommand explain" -l audience -d 'Whom an attestation is for: a host, or the machines of one kind; it counts nowhere else [env: RECOURSE_AUDIENCE]' -r
complete -c recourse -n "__fish_recourse_using_subcommand explain" -l evidence -d 'Evidence gathered elsewhere, with the raw output that proves it' -r -F
complete -c recourse -n "__fish_recourse_using_subcommand explain" -l format -d 'Form of the output' -r -f -a "human\t'For people'
json\t'For programs'"
complete -c recourse -n "__fish_recourse_using_subcommand explain" -l plan -d 'Explain a Terraform plan, binary or in JSON, instead of a command' -r -F
complete -c recourse -n "__fish_recourse_using_subcommand explain" -l tool -d 'Explain a call of this MCP tool instead of a command' -r
complete -c recourse -n "__fish_recourse_using_subcommand explain" -l server -d 'The tool\'s server' -r
complete -c recourse -n "__fish_recourse_using_subcommand explain" -l arguments -d 'The tool\'s arguments, a JSON object; `-` reads standard input, `@FILE` a file' -r
complete -c recourse -n "__fish_recourse_using_subcommand explain" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c recourse -n "__fish_recourse_using_subcommand scan" -l format -d 'Form of the output' -r -f -a "human\t'For people'
json\t'For programs'
sarif\t'SARIF 2.1.0, for code scanning'"
complete -c recourse -n "__fish_recourse_using_subcommand scan" -l fail-on -d 'Verdict from which on the exit status is not 0' -r -f -a "warn\t''
escalate\t''
block\t''
never\t''"
complete -c recourse -n "__fish_recourse_using_subcommand scan" -l baseline -d 'Findings that are known already: they are counted and decide nothing' -r -F
complete -c recourse -n "__fish_recourse_using_subcommand scan" -l write-baseline -d 'Write down all that is found as known, for --baseline' -r -F
complete -c recourse -n "__fish_recourse_using_subcommand scan" -l environment -d 'Environment that it acts on, for example `production` [env: RECOURSE_ENVIRONMENT]' -r
complete -c recourse -n "__fish_recourse_using_subcommand scan" -l profile -d 'Whose rules to apply [env: RECOURSE_PROFILE]' -r -f -a "human\t''
agent\t''
ci\t''"
complete -c recourse -n "__fish_recourse_using_subcommand scan" -l timeout -d 'Seconds after which the rest is left unread, and said to be' -r
complete -c recourse -n "__fish_recourse_using_subcommand scan" -l all -d 'List what is only unknown too, which is otherwise counted'
complete -c recourse -n "__fish_recourse_using_subcommand scan" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c recourse -n "__fish_recourse_using_subcommand exec" -l profile -d 'Whose enforcement to apply [default: human with a terminal, else ci; env: RECOURSE_PROFILE]' -r -f -a "human\t''
agent\t''
ci\t''"
complete -c recourse -n "__fish_recourse_using_subcommand exec" -l environment -d 'Environment that it acts on, for example `production` [env: RECOURSE_ENVIRONMENT]' -r
complete -c recourse -n "__fish_recourse_using_subcommand exec" -l actor -d 'Who asks, as KIND/NAME with the kind human, agent, ci or service [env: RECOURSE_ACTOR]' -r
complete -c recourse -n "__fish_recourse_using_subcommand exec" -l attestation -d 'An attestation, or a report with one: of the evaluation, or of a person\'s approval of it' -r -F
complete -c recourse -n "__fish_recourse_using_subcommand exec" -s c -d 'Shell text to run with bash' -r -f -a "(__fish_complete_command)"
complete -c recourse -n "__fish_recourse_using_subcommand exec" -l look -d 'Run the suggested read-only commands first, wherever somebody would have to decide, and judge with what they tell'
complete -c recourse -n "__fish_recourse_using_subcommand exec" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand undo" -l to -d 'Write everything below this directory instead, and touch nothing else' -r -f -a "(__fish_complete_directories)"
complete -c recourse -n "__fish_recourse_using_subcommand undo" -l format -d 'Form of the output' -r -f -a "human\t'For people'
json\t'For programs'"
complete -c recourse -n "__fish_recourse_using_subcommand undo" -s y -l yes -d 'Do not ask; what is replaced is kept, so an undo can be undone'
complete -c recourse -n "__fish_recourse_using_subcommand undo" -l diff -l dry-run -d 'Show what would change, and change nothing'
complete -c recourse -n "__fish_recourse_using_subcommand undo" -l redo -d 'Take back the last undo instead'
complete -c recourse -n "__fish_recourse_using_subcommand undo" -s l -l list -d 'List what is kept, as `recourse kept` does'
complete -c recourse -n "__fish_recourse_using_subcommand undo" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c recourse -n "__fish_recourse_using_subcommand kept; and not __fish_seen_subcommand_from list show pin unpin forget prune" -l limit -d 'How many, the newest first [default: all]' -r
complete -c recourse -n "__fish_recourse_using_subcommand kept; and not __fish_seen_subcommand_from list show pin unpin forget prune" -l format -d 'Form of the output' -r -f -a "human\t'For people'
json\t'For programs'"
complete -c recourse -n "__fish_recourse_using_subcommand kept; and not __fish_seen_subcommand_from list show pin unpin forget prune" -l ids -d 'For completion scripts: an id and its command a line'
complete -c recourse -n "__fish_recourse_using_subcommand kept; and not __fish_seen_subcommand_from list show pin unpin forget prune" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c recourse -n "__fish_recourse_using_subcommand kept; and not __fish_seen_subcommand_from list show pin unpin forget prune" -f -a "list" -d 'All that is kept, the newest first (the default)'
complete -c recourse -n "__fish_recourse_using_subcommand kept; and not __fish_seen_subcommand_from list show pin unpin forget prune" -f -a "show" -d 'One recovery point in full: what it holds, and what `undo` would do'
complete -c recourse -n "__fish_recourse_using_subcommand kept; and not __fish_seen_subcommand_from list show pin unpin forget prune" -f -a "pin" -d 'Keep a recovery point until it is forgotten, however old it grows'
complete -c recourse -n "__fish_recourse_using_subcommand kept; and not __fish_seen_subcommand_from list show pin unpin forget prune" -f -a "unpin" -d 'Let a pinned one go when its time has come; only a person can'
complete -c recourse -n "__fish_recourse_using_subcommand kept; and not __fish_seen_subcommand_from list show pin unpin forget prune" -f -a "forget" -d 'Delete recovery points for good; only a person can'
complete -c recourse -n "__fish_recourse_using_subcommand kept; and not __fish_seen_subcommand_from list show pin unpin forget prune" -f -a "prune" -d 'Delete what is older than the policy keeps it; only a person can'
complete -c recourse -n "__fish_recourse_using_subcommand kept; and __fish_seen_subcommand_from list" -l limit -d 'How many, the newest first [default: all]' -r
complete -c recourse -n "__fish_recourse_using_subcommand kept; and __fish_seen_subcommand_from list" -l format -d 'Form of the output' -r -f -a "human\t'For people'
json\t'For programs'"
complete -c recourse -n "__fish_recourse_using_subcommand kept; and __fish_seen_subcommand_from list" -l ids -d 'For completion scripts: an id and its command a line'
complete -c recourse -n "__fish_recourse_using_subcommand kept; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c recourse -n "__fish_recourse_using_subcommand kept; and __fish_seen_subcommand_from show" -l format -d 'Form of the output' -r -f -a "human\t'For people'
json\t'For programs'"
complete -c recourse -n "__fish_recourse_using_subcommand kept; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c recourse -n "__fish_recourse_using_subcommand kept; and __fish_seen_subcommand_from pin" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand kept; and __fish_seen_subcommand_from unpin" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand kept; and __fish_seen_subcommand_from forget" -s y -l yes -d 'Do not ask'
complete -c recourse -n "__fish_recourse_using_subcommand kept; and __fish_seen_subcommand_from forget" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand kept; and __fish_seen_subcommand_from prune" -l days -d 'Keep those of the last so many days only [default: what the policy says]' -r -f
complete -c recourse -n "__fish_recourse_using_subcommand kept; and __fish_seen_subcommand_from prune" -s y -l yes -d 'Do not ask'
complete -c recourse -n "__fish_recourse_using_subcommand kept; and __fish_seen_subcommand_from prune" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand init; and not __fish_seen_subcommand_from bash zsh fish claude-code codex gemini cursor copilot vscode windsurf cline opencode amp crush mcp" -l dry-run -d 'Only show what would change'
complete -c recourse -n "__fish_recourse_using_subcommand init; and not __fish_seen_subcommand_from bash zsh fish claude-code codex gemini cursor copilot vscode windsurf cline opencode amp crush mcp" -l yes -d 'Do it without a question'
complete -c recourse -n "__fish_recourse_using_subcommand init; and not __fish_seen_subcommand_from bash zsh fish claude-code codex gemini cursor copilot vscode windsurf cline opencode amp crush mcp" -l uninstall -d 'Take all that is ours out again'
complete -c recourse -n "__fish_recourse_using_subcommand init; and not __fish_seen_subcommand_from bash zsh fish claude-code codex gemini cursor copilot vscode windsurf cline opencode amp crush mcp" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand init; and not __fish_seen_subcommand_from bash zsh fish claude-code codex gemini cursor copilot vscode windsurf cline opencode amp crush mcp" -f -a "bash" -d 'Print the hook of bash'
complete -c recourse -n "__fish_recourse_using_subcommand init; and not __fish_seen_subcommand_from bash zsh fish claude-code codex gemini cursor copilot vscode windsurf cline opencode amp crush mcp" -f -a "zsh" -d 'Print the hook of zsh'
complete -c recourse -n "__fish_recourse_using_subcommand init; and not __fish_seen_subcommand_from bash zsh fish claude-code codex gemini cursor copilot vscode windsurf cline opencode amp crush mcp" -f -a "fish" -d 'Print the hook of fish'
complete -c recourse -n "__fish_recourse_using_subcommand init; and not __fish_seen_subcommand_from bash zsh fish claude-code codex gemini cursor copilot vscode windsurf cline opencode amp crush mcp" -f -a "claude-code" -d 'Hook of Claude Code'
complete -c recourse -n "__fish_recourse_using_subcommand init; and not __fish_seen_subcommand_from bash zsh fish claude-code codex gemini cursor copilot vscode windsurf cline opencode amp crush mcp" -f -a "codex" -d 'Hook of OpenAI Codex'
complete -c recourse -n "__fish_recourse_using_subcommand init; and not __fish_seen_subcommand_from bash zsh fish claude-code codex gemini cursor copilot vscode windsurf cline opencode amp crush mcp" -f -a "gemini" -d 'Hook of Gemini CLI'
complete -c recourse -n "__fish_recourse_using_subcommand init; and not __fish_seen_subcommand_from bash zsh fish claude-code codex gemini cursor copilot vscode windsurf cline opencode amp crush mcp" -f -a "cursor" -d 'Hook of Cursor'
complete -c recourse -n "__fish_recourse_using_subcommand init; and not __fish_seen_subcommand_from bash zsh fish claude-code codex gemini cursor copilot vscode windsurf cline opencode amp crush mcp" -f -a "copilot" -d 'Hook of GitHub Copilot CLI'
complete -c recourse -n "__fish_recourse_using_subcommand init; and not __fish_seen_subcommand_from bash zsh fish claude-code codex gemini cursor copilot vscode windsurf cline opencode amp crush mcp" -f -a "vscode" -d 'Hook of VS Code\'s agent'
complete -c recourse -n "__fish_recourse_using_subcommand init; and not __fish_seen_subcommand_from bash zsh fish claude-code codex gemini cursor copilot vscode windsurf cline opencode amp crush mcp" -f -a "windsurf" -d 'Hook of Windsurf'
complete -c recourse -n "__fish_recourse_using_subcommand init; and not __fish_seen_subcommand_from bash zsh fish claude-code codex gemini cursor copilot vscode windsurf cline opencode amp crush mcp" -f -a "cline" -d 'Hook of Cline'
complete -c recourse -n "__fish_recourse_using_subcommand init; and not __fish_seen_subcommand_from bash zsh fish claude-code codex gemini cursor copilot vscode windsurf cline opencode amp crush mcp" -f -a "opencode" -d 'Hook of opencode'
complete -c recourse -n "__fish_recourse_using_subcommand init; and not __fish_seen_subcommand_from bash zsh fish claude-code codex gemini cursor copilot vscode windsurf cline opencode amp crush mcp" -f -a "amp" -d 'Hook of Amp'
complete -c recourse -n "__fish_recourse_using_subcommand init; and not __fish_seen_subcommand_from bash zsh fish claude-code codex gemini cursor copilot vscode windsurf cline opencode amp crush mcp" -f -a "crush" -d 'Hook of Crush'
complete -c recourse -n "__fish_recourse_using_subcommand init; and not __fish_seen_subcommand_from bash zsh fish claude-code codex gemini cursor copilot vscode windsurf cline opencode amp crush mcp" -f -a "mcp" -d 'The MCP server in a client\'s configuration'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from bash" -l uninstall -d 'Say how to remove it again'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from bash" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from zsh" -l uninstall -d 'Say how to remove it again'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from zsh" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from fish" -l uninstall -d 'Say how to remove it again'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from fish" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from claude-code" -l dry-run -d 'Only show what would change (the default)'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from claude-code" -l write -d 'Install it'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from claude-code" -l verify -d 'Check that it is installed as it should be and answers'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from claude-code" -l uninstall -d 'Remove it, and leave the file as it was before'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from claude-code" -l project -d 'For the project in this directory instead of all of the user\'s'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from claude-code" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from codex" -l dry-run -d 'Only show what would change (the default)'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from codex" -l write -d 'Install it'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from codex" -l verify -d 'Check that it is installed as it should be and answers'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from codex" -l uninstall -d 'Remove it, and leave the file as it was before'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from codex" -l project -d 'For the project in this directory instead of all of the user\'s'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from codex" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from gemini" -l dry-run -d 'Only show what would change (the default)'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from gemini" -l write -d 'Install it'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from gemini" -l verify -d 'Check that it is installed as it should be and answers'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from gemini" -l uninstall -d 'Remove it, and leave the file as it was before'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from gemini" -l project -d 'For the project in this directory instead of all of the user\'s'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from gemini" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from cursor" -l dry-run -d 'Only show what would change (the default)'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from cursor" -l write -d 'Install it'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from cursor" -l verify -d 'Check that it is installed as it should be and answers'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from cursor" -l uninstall -d 'Remove it, and leave the file as it was before'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from cursor" -l project -d 'For the project in this directory instead of all of the user\'s'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from cursor" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from copilot" -l dry-run -d 'Only show what would change (the default)'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from copilot" -l write -d 'Install it'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from copilot" -l verify -d 'Check that it is installed as it should be and answers'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from copilot" -l uninstall -d 'Remove it, and leave the file as it was before'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from copilot" -l project -d 'For the project in this directory instead of all of the user\'s'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from copilot" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from vscode" -l dry-run -d 'Only show what would change (the default)'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from vscode" -l write -d 'Install it'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from vscode" -l verify -d 'Check that it is installed as it should be and answers'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from vscode" -l uninstall -d 'Remove it, and leave the file as it was before'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from vscode" -l project -d 'For the project in this directory instead of all of the user\'s'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from vscode" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from windsurf" -l dry-run -d 'Only show what would change (the default)'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from windsurf" -l write -d 'Install it'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from windsurf" -l verify -d 'Check that it is installed as it should be and answers'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from windsurf" -l uninstall -d 'Remove it, and leave the file as it was before'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from windsurf" -l project -d 'For the project in this directory instead of all of the user\'s'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from windsurf" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from cline" -l dry-run -d 'Only show what would change (the default)'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from cline" -l write -d 'Install it'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from cline" -l verify -d 'Check that it is installed as it should be and answers'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from cline" -l uninstall -d 'Remove it, and leave the file as it was before'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from cline" -l project -d 'For the project in this directory instead of all of the user\'s'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from cline" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from opencode" -l dry-run -d 'Only show what would change (the default)'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from opencode" -l write -d 'Install it'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from opencode" -l verify -d 'Check that it is installed as it should be and answers'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from opencode" -l uninstall -d 'Remove it, and leave the file as it was before'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from opencode" -l project -d 'For the project in this directory instead of all of the user\'s'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from opencode" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from amp" -l dry-run -d 'Only show what would change (the default)'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from amp" -l write -d 'Install it'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from amp" -l verify -d 'Check that it is installed as it should be and answers'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from amp" -l uninstall -d 'Remove it, and leave the file as it was before'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from amp" -l project -d 'For the project in this directory instead of all of the user\'s'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from amp" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from crush" -l dry-run -d 'Only show what would change (the default)'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from crush" -l write -d 'Install it'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from crush" -l verify -d 'Check that it is installed as it should be and answers'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from crush" -l uninstall -d 'Remove it, and leave the file as it was before'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from crush" -l project -d 'For the project in this directory instead of all of the user\'s'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from crush" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from mcp" -l client -d 'The client' -r -f -a "claude-code\t'Claude Code'
codex\t'OpenAI Codex'
gemini\t'Gemini CLI'
cursor\t'Cursor'
vscode\t'VS Code'
windsurf\t'Windsurf'
claude-desktop\t'Claude Desktop'"
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from mcp" -l dry-run -d 'Only show what would change (the default)'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from mcp" -l write -d 'Change the client\'s configuration; what it was is kept for --uninstall'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from mcp" -l uninstall -d 'Take our entry out again'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from mcp" -l project -d 'For the project in this directory instead of all of the user\'s'
complete -c recourse -n "__fish_recourse_using_subcommand init; and __fish_seen_subcommand_from mcp" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c recourse -n "__fish_recourse_using_subcommand hook; and not __fish_seen_subcommand_from shell claude-code codex gemini cursor copilot vscode windsurf cline opencode amp crush" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand hook; and not __fish_seen_subcommand_from shell claude-code codex gemini cursor copilot vscode windsurf cline opencode amp crush" -f -a "shell" -d 'Judge a line that was accepted in an interactive shell, from standard input; exit status 126 refuses it'
complete -c recourse -n "__fish_recourse_using_subcommand hook; and not __fish_seen_subcommand_from shell claude-code codex gemini cursor copilot vscode windsurf cline opencode amp crush" -f -a "claude-code" -d 'Judge a tool call of Claude Code (standard input) and answer in its own words'
complete -c recourse -n "__fish_recourse_using_subcommand hook; and not __fish_seen_subcommand_from shell claude-code codex gemini cursor copilot vscode windsurf cline opencode amp crush" -f -a "codex" -d 'Judge a tool call of OpenAI Codex (standard input) and answer in its own words'
complete -c recourse -n "__fish_recourse_using_subcommand hook; and not __fish_seen_subcommand_from shell claude-code codex gemini cursor copilot vscode windsurf cline opencode amp crush" -f -a "gemini" -d 'Judge a tool call of Gemini CLI (standard input) and answer in its own words'
complete -c recourse -n "__fish_recourse_using_subcommand hook; and not __fish_seen_subcommand_from shell claude-code codex gemini cursor copilot vscode windsurf cline opencode amp crush" -f -a "cursor" -d 'Judge a tool call of Cursor (standard input) and answer in its own words'
complete -c recourse -n "__fish_recourse_using_subcommand hook; and not __fish_seen_subcommand_from shell claude-code codex gemini cursor copilot vscode windsurf cline opencode amp crush" -f -a "copilot" -d 'Judge a tool call of GitHub Copilot CLI (standard input) and answer in its own words'
complete -c recourse -n "__fish_recourse_using_subcommand hook; and not __fish_seen_subcommand_from shell claude-code codex gemini cursor copilot vscode windsurf cline opencode amp crush" -f -a "vscode" -d 'Judge a tool call of VS Code\'s agent (standard input) and answer in its own words'
complete -c recourse -n "__fish_recourse_using_subcommand hook; and not __fish_seen_subcommand_from shell claude-code codex gemini cursor copilot vscode windsurf cline opencode amp crush" -f -a "windsurf" -d 'Judge a tool call of Windsurf (standard input) and answer in its own words'
complete -c recourse -n "__fish_recourse_using_subcommand hook; and not __fish_seen_subcommand_from shell claude-code codex gemini cursor copilot vscode windsurf cline opencode amp crush" -f -a "cline" -d 'Judge a tool call of Cline (standard input) and answer in its own words'
complete -c recourse -n "__fish_recourse_using_subcommand hook; and not __fish_seen_subcommand_from shell claude-code codex gemini cursor copilot vscode windsurf cline opencode amp crush" -f -a "opencode" -d 'Judge a tool call of opencode (standard input) and answer in its own words'
complete -c recourse -n "__fish_recourse_using_subcommand hook; and not __fish_seen_subcommand_from shell claude-code codex gemini cursor copilot vscode windsurf cline opencode amp crush" -f -a "amp" -d 'Judge a tool call of Amp (standard input) and answer in its own words'
complete -c recourse -n "__fish_recourse_using_subcommand hook; and not __fish_seen_subcommand_from shell claude-code codex gemini cursor copilot vscode windsurf cline opencode amp crush" -f -a "crush" -d 'Judge a tool call of Crush (standard input) and answer in its own words'
complete -c recourse -n "__fish_recourse_using_subcommand hook; and __fish_seen_subcommand_from shell" -l shell -d 'The shell that it was typed in' -r -f -a "bash\t''
zsh\t''
fish\t''"
complete -c recourse -n "__fish_recourse_using_subcommand hook; and __fish_seen_subcommand_from shell" -l watcher -d 'Process started beside this one, which ends it when it does not answer; it is stopped first' -r
complete -c recourse -n "__fish_recourse_using_subcommand hook; and __fish_seen_subcommand_from shell" -l plain -d 'The line itself, not bash\'s last history entry'
complete -c recourse -n "__fish_recourse_using_subcommand hook; and __fish_seen_subcommand_from shell" -l below -d 'The cursor stands behind the line: what is said begins on a new one'
complete -c recourse -n "__fish_recourse_using_subcommand hook; and __fish_seen_subcommand_from shell" -l comments -d '`#` begins a comment also in zsh'
complete -c recourse -n "__fish_recourse_using_subcommand hook; and __fish_seen_subcommand_from shell" -l functions -d 'The shell can say what its functions do and its variables hold when it is asked (answer 3)'
complete -c recourse -n "__fish_recourse_using_subcommand hook; and __fish_seen_subcommand_from shell" -l text -d 'The shell takes another text onto its line'
complete -c recourse -n "__fish_recourse_using_subcommand hook; and __fish_seen_subcommand_from shell" -l state -d 'The shell\'s options come before its aliases'
complete -c recourse -n "__fish_recourse_using_subcommand hook; and __fish_seen_subcommand_from shell" -l answer -d 'The status is printed too, before what else there is; and `?` before a person may be asked'
complete -c recourse -n "__fish_recourse_using_subcommand hook; and __fish_seen_subcommand_from shell" -l shown -d 'The line as it was typed comes before the line as it will run'
complete -c recourse -n "__fish_recourse_using_subcommand hook; and __fish_seen_subcommand_from shell" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand hook; and __fish_seen_subcommand_from claude-code" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand hook; and __fish_seen_subcommand_from codex" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand hook; and __fish_seen_subcommand_from gemini" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand hook; and __fish_seen_subcommand_from cursor" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand hook; and __fish_seen_subcommand_from copilot" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand hook; and __fish_seen_subcommand_from vscode" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand hook; and __fish_seen_subcommand_from windsurf" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand hook; and __fish_seen_subcommand_from cline" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand hook; and __fish_seen_subcommand_from opencode" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand hook; and __fish_seen_subcommand_from amp" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand hook; and __fish_seen_subcommand_from crush" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand approve" -l deny -d 'Say no instead: the same command is not asked about again for a while'
complete -c recourse -n "__fish_recourse_using_subcommand approve" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand shim; and not __fish_seen_subcommand_from add remove list" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand shim; and not __fish_seen_subcommand_from add remove list" -f -a "add" -d 'Make shims'
complete -c recourse -n "__fish_recourse_using_subcommand shim; and not __fish_seen_subcommand_from add remove list" -f -a "remove" -d 'Take shims away'
complete -c recourse -n "__fish_recourse_using_subcommand shim; and not __fish_seen_subcommand_from add remove list" -f -a "list" -d 'Say which there are, and whether PATH leads to them'
complete -c recourse -n "__fish_recourse_using_subcommand shim; and __fish_seen_subcommand_from add" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand shim; and __fish_seen_subcommand_from remove" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand shim; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand resources" -l format -d 'Form of the output' -r -f -a "human\t'For people'
json\t'For programs'"
complete -c recourse -n "__fish_recourse_using_subcommand resources" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c recourse -n "__fish_recourse_using_subcommand policy; and not __fish_seen_subcommand_from show check" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand policy; and not __fish_seen_subcommand_from show check" -f -a "show" -d 'The rules in force, layer by layer'
complete -c recourse -n "__fish_recourse_using_subcommand policy; and not __fish_seen_subcommand_from show check" -f -a "check" -d 'Read policy files strictly and say what is wrong with them'
complete -c recourse -n "__fish_recourse_using_subcommand policy; and __fish_seen_subcommand_from show" -l cwd -d 'Directory from which project policies are looked for [default: the current one]' -r -f -a "(__fish_complete_directories)"
complete -c recourse -n "__fish_recourse_using_subcommand policy; and __fish_seen_subcommand_from show" -l format -d 'Form of the output' -r -f -a "human\t'For people'
json\t'For programs'"
complete -c recourse -n "__fish_recourse_using_subcommand policy; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c recourse -n "__fish_recourse_using_subcommand policy; and __fish_seen_subcommand_from check" -l cwd -d 'Directory from which project policies are looked for [default: the current one]' -r -f -a "(__fish_complete_directories)"
complete -c recourse -n "__fish_recourse_using_subcommand policy; and __fish_seen_subcommand_from check" -l format -d 'Form of the output' -r -f -a "human\t'For people'
json\t'For programs'"
complete -c recourse -n "__fish_recourse_using_subcommand policy; and __fish_seen_subcommand_from check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c recourse -n "__fish_recourse_using_subcommand knowledge; and not __fish_seen_subcommand_from check new" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand knowledge; and not __fish_seen_subcommand_from check new" -f -a "check" -d 'Read knowledge files strictly, run their examples and say what is wrong with them'
complete -c recourse -n "__fish_recourse_using_subcommand knowledge; and not __fish_seen_subcommand_from check new" -f -a "new" -d 'Print a commented file that teaches a tool, to start from'
complete -c recourse -n "__fish_recourse_using_subcommand knowledge; and __fish_seen_subcommand_from check" -l format -d 'Form of the output' -r -f -a "human\t'For people'
json\t'For programs'"
complete -c recourse -n "__fish_recourse_using_subcommand knowledge; and __fish_seen_subcommand_from check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c recourse -n "__fish_recourse_using_subcommand knowledge; and __fish_seen_subcommand_from new" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand keys; and not __fish_seen_subcommand_from generate list activate rotate deprecate retire compromise export" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand keys; and not __fish_seen_subcommand_from generate list activate rotate deprecate retire compromise export" -f -a "generate" -d 'Make a key; it is pending until it is activated'
complete -c recourse -n "__fish_recourse_using_subcommand keys; and not __fish_seen_subcommand_from generate list activate rotate deprecate retire compromise export" -f -a "list" -d 'List the keys and their states'
complete -c recourse -n "__fish_recourse_using_subcommand keys; and not __fish_seen_subcommand_from generate list activate rotate deprecate retire compromise export" -f -a "activate" -d 'Let a pending key sign, where no key is active or a rotation\'s time has come'
complete -c recourse -n "__fish_recourse_using_subcommand keys; and not __fish_seen_subcommand_from generate list activate rotate deprecate retire compromise export" -f -a "rotate" -d 'Replace the active key, now or at a time'
complete -c recourse -n "__fish_recourse_using_subcommand keys; and not __fish_seen_subcommand_from generate list activate rotate deprecate retire compromise export" -f -a "deprecate" -d 'Take a pending or the active key out of use without a successor'
complete -c recourse -n "__fish_recourse_using_subcommand keys; and not __fish_seen_subcommand_from generate list activate rotate deprecate retire compromise export" -f -a "retire" -d 'Take a deprecated key out of rotation for good'
complete -c recourse -n "__fish_recourse_using_subcommand keys; and not __fish_seen_subcommand_from generate list activate rotate deprecate retire compromise export" -f -a "compromise" -d 'Say that a key is not to be trusted: nothing that it ever signed verifies any more'
complete -c recourse -n "__fish_recourse_using_subcommand keys; and not __fish_seen_subcommand_from generate list activate rotate deprecate retire compromise export" -f -a "export" -d 'Print a public key'
complete -c recourse -n "__fish_recourse_using_subcommand keys; and __fish_seen_subcommand_from generate" -l instance -d 'Name of the instance, when this is its first key [default: a random one]' -r
complete -c recourse -n "__fish_recourse_using_subcommand keys; and __fish_seen_subcommand_from generate" -l passphrase-file -d 'File with the passphrase of encrypted keys [env: RECOURSE_KEY_PASSPHRASE holds the passphrase itself]' -r -F
complete -c recourse -n "__fish_recourse_using_subcommand keys; and __fish_seen_subcommand_from generate" -l publish -d 'Web root below which the registry is published before the change takes effect' -r -f -a "(__fish_complete_directories)"
complete -c recourse -n "__fish_recourse_using_subcommand keys; and __fish_seen_subcommand_from generate" -l format -d 'Form of the output' -r -f -a "human\t'For people'
json\t'For programs'"
complete -c recourse -n "__fish_recourse_using_subcommand keys; and __fish_seen_subcommand_from generate" -l encrypt -d 'Encrypt it, asking for a passphrase where none is given'
complete -c recourse -n "__fish_recourse_using_subcommand keys; and __fish_seen_subcommand_from generate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c recourse -n "__fish_recourse_using_subcommand keys; and __fish_seen_subcommand_from list" -l format -d 'Form of the output' -r -f -a "human\t'For people'
json\t'For programs'"
complete -c recourse -n "__fish_recourse_using_subcommand keys; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c recourse -n "__fish_recourse_using_subcommand keys; and __fish_seen_subcommand_from activate" -l passphrase-file -d 'File with the passphrase of encrypted keys [env: RECOURSE_KEY_PASSPHRASE holds the passphrase itself]' -r -F
complete -c recourse -n "__fish_recourse_using_subcommand keys; and __fish_seen_subcommand_from activate" -l publish -d 'Web root below which the registry is published before the change takes effect' -r -f -a "(__fish_complete_directories)"
complete -c recourse -n "__fish_recourse_using_subcommand keys; and __fish_seen_subcommand_from activate" -l format -d 'Form of the output' -r -f -a "human\t'For people'
json\t'For programs'"
complete -c recourse -n "__fish_recourse_using_subcommand keys; and __fish_seen_subcommand_from activate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c recourse -n "__fish_recourse_using_subcommand keys; and __fish_seen_subcommand_from rotate" -l at -d 'Publish the successor now, for a rotation at this time, such as 2026-05-01T14:30:00Z' -r
complete -c recourse -n "__fish_recourse_using_subcommand keys; and __fish_seen_subcommand_from rotate" -l passphrase-file -d 'File with the passphrase of encrypted keys [env: RECOURSE_KEY_PASSPHRASE holds the passphrase itself]' -r -F
complete -c recourse -n "__fish_recourse_using_subcommand keys; and __fish_seen_subcommand_from rotate" -l publish -d 'Web root below which the registry is published before the change takes effect' -r -f -a "(__fish_complete_directories)"
complete -c recourse -n "__fish_recourse_using_subcommand keys; and __fish_seen_subcommand_from rotate" -l format -d 'Form of the output' -r -f -a "human\t'For people'
json\t'For programs'"
complete -c recourse -n "__fish_recourse_using_subcommand keys; and __fish_seen_subcommand_from rotate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c recourse -n "__fish_recourse_using_subcommand keys; and __fish_seen_subcommand_from deprecate" -l passphrase-file -d 'File with the passphrase of encrypted keys [env: RECOURSE_KEY_PASSPHRASE holds the passphrase itself]' -r -F
complete -c recourse -n "__fish_recourse_using_subcommand keys; and __fish_seen_subcommand_from deprecate" -l publish -d 'Web root below which the registry is published before the change takes effect' -r -f -a "(__fish_complete_directories)"
complete -c recourse -n "__fish_recourse_using_subcommand keys; and __fish_seen_subcommand_from deprecate" -l format -d 'Form of the output' -r -f -a "human\t'For people'
json\t'For programs'"
complete -c recourse -n "__fish_recourse_using_subcommand keys; and __fish_seen_subcommand_from deprecate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c recourse -n "__fish_recourse_using_subcommand keys; and __fish_seen_subcommand_from retire" -l passphrase-file -d 'File with the passphrase of encrypted keys [env: RECOURSE_KEY_PASSPHRASE holds the passphrase itself]' -r -F
complete -c recourse -n "__fish_recourse_using_subcommand keys; and __fish_seen_subcommand_from retire" -l publish -d 'Web root below which the registry is published before the change takes effect' -r -f -a "(__fish_complete_directories)"
complete -c recourse -n "__fish_recourse_using_subcommand keys; and __fish_seen_subcommand_from retire" -l format -d 'Form of the output' -r -f -a "human\t'For people'
json\t'For programs'"
complete -c recourse -n "__fish_recourse_using_subcommand keys; and __fish_seen_subcommand_from retire" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c recourse -n "__fish_recourse_using_subcommand keys; and __fish_seen_subcommand_from compromise" -l reason -d 'Why, for the audit log' -r
complete -c recourse -n "__fish_recourse_using_subcommand keys; and __fish_seen_subcommand_from compromise" -l passphrase-file -d 'File with the passphrase of encrypted keys [env: RECOURSE_KEY_PASSPHRASE holds the passphrase itself]' -r -F
complete -c recourse -n "__fish_recourse_using_subcommand keys; and __fish_seen_subcommand_from compromise" -l publish -d 'Web root below which the registry is published before the change takes effect' -r -f -a "(__fish_complete_directories)"
complete -c recourse -n "__fish_recourse_using_subcommand keys; and __fish_seen_subcommand_from compromise" -l format -d 'Form of the output' -r -f -a "human\t'For people'
json\t'For programs'"
complete -c recourse -n "__fish_recourse_using_subcommand keys; and __fish_seen_subcommand_from compromise" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c recourse -n "__fish_recourse_using_subcommand keys; and __fish_seen_subcommand_from export" -l format -d 'In which form' -r -f -a "jwk\t'JSON Web Key'
pem\t'PEM, as OpenSSL writes public keys'
raw\t'The 32 bytes'"
complete -c recourse -n "__fish_recourse_using_subcommand keys; and __fish_seen_subcommand_from export" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c recourse -n "__fish_recourse_using_subcommand registry; and not __fish_seen_subcommand_from publish export prune refresh" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand registry; and not __fish_seen_subcommand_from publish export prune refresh" -f -a "publish" -d 'Write the registry and attestations as static files for a web server'
complete -c recourse -n "__fish_recourse_using_subcommand registry; and not __fish_seen_subcommand_from publish export prune refresh" -f -a "export" -d 'Print an attestation that was signed here, by itself or as a Sigstore bundle'
complete -c recourse -n "__fish_recourse_using_subcommand registry; and not __fish_seen_subcommand_from publish export prune refresh" -f -a "prune" -d 'Take away attestations of keys that are retired or compromised; their URLs answer 410'
complete -c recourse -n "__fish_recourse_using_subcommand registry; and not __fish_seen_subcommand_from publish export prune refresh" -f -a "refresh" -d 'Fetch an instance\'s registry of keys now'
complete -c recourse -n "__fish_recourse_using_subcommand registry; and __fish_seen_subcommand_from publish" -l format -d 'Form of the output' -r -f -a "human\t'For people'
json\t'For programs'"
complete -c recourse -n "__fish_recourse_using_subcommand registry; and __fish_seen_subcommand_from publish" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c recourse -n "__fish_recourse_using_subcommand registry; and __fish_seen_subcommand_from export" -l bundle -d 'As a bundle v0.3 with an in-toto Statement, signed with the key that is active now'
complete -c recourse -n "__fish_recourse_using_subcommand registry; and __fish_seen_subcommand_from export" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand registry; and __fish_seen_subcommand_from prune" -l days -d 'Only what is older' -r
complete -c recourse -n "__fish_recourse_using_subcommand registry; and __fish_seen_subcommand_from prune" -l format -d 'Form of the output' -r -f -a "human\t'For people'
json\t'For programs'"
complete -c recourse -n "__fish_recourse_using_subcommand registry; and __fish_seen_subcommand_from prune" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c recourse -n "__fish_recourse_using_subcommand registry; and __fish_seen_subcommand_from refresh" -l justification -d 'Why, for the record' -r
complete -c recourse -n "__fish_recourse_using_subcommand registry; and __fish_seen_subcommand_from refresh" -l force -d 'Accept it even when it is older than the one accepted before; recorded in the audit log'
complete -c recourse -n "__fish_recourse_using_subcommand registry; and __fish_seen_subcommand_from refresh" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand log; and not __fish_seen_subcommand_from verify export prune push checkpoint prove key witness" -l last -d 'Only the last so many events' -r
complete -c recourse -n "__fish_recourse_using_subcommand log; and not __fish_seen_subcommand_from verify export prune push checkpoint prove key witness" -l since -d 'Only what is not older: a time such as 2026-03-01T00:00:00Z, or 90m, 12h, 7d ago' -r
complete -c recourse -n "__fish_recourse_using_subcommand log; and not __fish_seen_subcommand_from verify export prune push checkpoint prove key witness" -l session -d 'Only what came from this session, as the log names it, or its end' -r
complete -c recourse -n "__fish_recourse_using_subcommand log; and not __fish_seen_subcommand_from verify export prune push checkpoint prove key witness" -l format -d 'Form of the output; JSON is one event on each line' -r -f -a "human\t'For people'
json\t'For programs'"
complete -c recourse -n "__fish_recourse_using_subcommand log; and not __fish_seen_subcommand_from verify export prune push checkpoint prove key witness" -l refused -d 'Only what was refused'
complete -c recourse -n "__fish_recourse_using_subcommand log; and not __fish_seen_subcommand_from verify export prune push checkpoint prove key witness" -l follow -d 'Go on with what is added, until Ctrl-C; oldest first'
complete -c recourse -n "__fish_recourse_using_subcommand log; and not __fish_seen_subcommand_from verify export prune push checkpoint prove key witness" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c recourse -n "__fish_recourse_using_subcommand log; and not __fish_seen_subcommand_from verify export prune push checkpoint prove key witness" -f -a "verify" -d 'Check that nothing in it was changed, removed, moved or cut off'
complete -c recourse -n "__fish_recourse_using_subcommand log; and not __fish_seen_subcommand_from verify export prune push checkpoint prove key witness" -f -a "export" -d 'Write it out for other systems, oldest first'
complete -c recourse -n "__fish_recourse_using_subcommand log; and not __fish_seen_subcommand_from verify export prune push checkpoint prove key witness" -f -a "prune" -d 'Take the oldest files of it away, as `[record]` says or as said here'
complete -c recourse -n "__fish_recourse_using_subcommand log; and not __fish_seen_subcommand_from verify export prune push checkpoint prove key witness" -f -a "push" -d 'Put its full files into the store that machines share, as `store` says'
complete -c recourse -n "__fish_recourse_using_subcommand log; and not __fish_seen_subcommand_from verify export prune push checkpoint prove key witness" -f -a "checkpoint" -d 'Put everything that was signed or recorded into the transparency log, sign it, and ask its witnesses'
complete -c recourse -n "__fish_recourse_using_subcommand log; and not __fish_seen_subcommand_from verify export prune push checkpoint prove key witness" -f -a "prove" -d 'Print the proof that something is in the transparency log, or that the log only grew'
complete -c recourse -n "__fish_recourse_using_subcommand log; and not __fish_seen_subcommand_from verify export prune push checkpoint prove key witness" -f -a "key" -d 'Print the transparency log\'s key, for those who verify or witness it'
complete -c recourse -n "__fish_recourse_using_subcommand log; and not __fish_seen_subcommand_from verify export prune push checkpoint prove key witness" -f -a "witness" -d 'Witness transparency logs of others: cosign what only grew since it was seen last'
complete -c recourse -n "__fish_recourse_using_subcommand log; and __fish_seen_subcommand_from verify" -l format -d 'Form of the output' -r -f -a "human\t'For people'
json\t'For programs'"
complete -c recourse -n "__fish_recourse_using_subcommand log; and __fish_seen_subcommand_from verify" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c recourse -n "__fish_recourse_using_subcommand log; and __fish_seen_subcommand_from export" -l format -d 'Form of the lines' -r -f -a "jsonl\t'One JSON object for each event'
syslog\t'RFC 5424, the event as JSON (`@cee:`) in the message'
otel\t'OTLP in JSON, one request with one log record on each line'"
complete -c recourse -n "__fish_recourse_using_subcommand log; and __fish_seen_subcommand_from export" -l since -d 'Only what is not older: a time such as 2026-03-01T00:00:00Z, or 90m, 12h, 7d ago' -r
complete -c recourse -n "__fish_recourse_using_subcommand log; and __fish_seen_subcommand_from export" -l session -d 'Only what came from this session, as the log names it, or its end' -r
complete -c recourse -n "__fish_recourse_using_subcommand log; and __fish_seen_subcommand_from export" -l refused -d 'Only what was refused'
complete -c recourse -n "__fish_recourse_using_subcommand log; and __fish_seen_subcommand_from export" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c recourse -n "__fish_recourse_using_subcommand log; and __fish_seen_subcommand_from prune" -l days -d 'Keep what is not older' -r
complete -c recourse -n "__fish_recourse_using_subcommand log; and __fish_seen_subcommand_from prune" -l segments -d 'Keep so many files of it, the one that is written to included' -r
complete -c recourse -n "__fish_recourse_using_subcommand log; and __fish_seen_subcommand_from prune" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand log; and __fish_seen_subcommand_from push" -l format -d 'Form of the output' -r -f -a "human\t'For people'
json\t'For programs'"
complete -c recourse -n "__fish_recourse_using_subcommand log; and __fish_seen_subcommand_from push" -l all -d 'The file that is written to as well: a machine is about to go away'
complete -c recourse -n "__fish_recourse_using_subcommand log; and __fish_seen_subcommand_from push" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c recourse -n "__fish_recourse_using_subcommand log; and __fish_seen_subcommand_from checkpoint" -l format -d 'Form of the output' -r -f -a "human\t'For people'
json\t'For programs'"
complete -c recourse -n "__fish_recourse_using_subcommand log; and __fish_seen_subcommand_from checkpoint" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c recourse -n "__fish_recourse_using_subcommand log; and __fish_seen_subcommand_from prove" -l event -d 'An event of the audit log, by its number' -r
complete -c recourse -n "__fish_recourse_using_subcommand log; and __fish_seen_subcommand_from prove" -l since -d 'That the log goes on from so many leaves' -r
complete -c recourse -n "__fish_recourse_using_subcommand log; and __fish_seen_subcommand_from prove" -l registry -d 'The registry of keys that is in force'
complete -c recourse -n "__fish_recourse_using_subcommand log; and __fish_seen_subcommand_from prove" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand log; and __fish_seen_subcommand_from key" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand log; and __fish_seen_subcommand_from witness" -l listen -d 'Where to listen' -r
complete -c recourse -n "__fish_recourse_using_subcommand log; and __fish_seen_subcommand_from witness" -l log -d 'The key of a log to witness, as `recourse log key` prints it there; repeated for more' -r
complete -c recourse -n "__fish_recourse_using_subcommand log; and __fish_seen_subcommand_from witness" -l name -d 'The witness\'s name, once and for all: a host and path without a scheme' -r
complete -c recourse -n "__fish_recourse_using_subcommand log; and __fish_seen_subcommand_from witness" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand trust; and not __fish_seen_subcommand_from key sign refresh show" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand trust; and not __fish_seen_subcommand_from key sign refresh show" -f -a "key" -d 'Make a key that signs bundles where there is none, and print its public half for `keys` under [trust]'
complete -c recourse -n "__fish_recourse_using_subcommand trust; and not __fish_seen_subcommand_from key sign refresh show" -f -a "sign" -d 'Print a bundle of a description in TOML, signed; or a bundle with one more signature'
complete -c recourse -n "__fish_recourse_using_subcommand trust; and not __fish_seen_subcommand_from key sign refresh show" -f -a "refresh" -d 'Ask for the bundle that this machine follows, and accept it'
complete -c recourse -n "__fish_recourse_using_subcommand trust; and not __fish_seen_subcommand_from key sign refresh show" -f -a "show" -d 'Print what is in force here'
complete -c recourse -n "__fish_recourse_using_subcommand trust; and __fish_seen_subcommand_from key" -l name -d 'Its name, for example `trust.acme.example/1`' -r
complete -c recourse -n "__fish_recourse_using_subcommand trust; and __fish_seen_subcommand_from key" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand trust; and __fish_seen_subcommand_from sign" -l key -d 'The file of the private key' -r -F
complete -c recourse -n "__fish_recourse_using_subcommand trust; and __fish_seen_subcommand_from sign" -l name -d 'The key\'s name' -r
complete -c recourse -n "__fish_recourse_using_subcommand trust; and __fish_seen_subcommand_from sign" -l previous -d 'The bundle before it: the number goes on from there [default: this is the first]' -r -F
complete -c recourse -n "__fish_recourse_using_subcommand trust; and __fish_seen_subcommand_from sign" -l days -d 'In how many days it ends' -r
complete -c recourse -n "__fish_recourse_using_subcommand trust; and __fish_seen_subcommand_from sign" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand trust; and __fish_seen_subcommand_from refresh" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand trust; and __fish_seen_subcommand_from show" -l format -d 'Form of the output' -r -f -a "human\t'For people'
json\t'For programs'"
complete -c recourse -n "__fish_recourse_using_subcommand trust; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c recourse -n "__fish_recourse_using_subcommand mcp; and not __fish_seen_subcommand_from serve" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand mcp; and not __fish_seen_subcommand_from serve" -f -a "serve" -d 'Serve on standard input and output, for the client that starts it'
complete -c recourse -n "__fish_recourse_using_subcommand mcp; and __fish_seen_subcommand_from serve" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand serve" -l listen -d 'Where to listen; the default is the loopback address that attestations name' -r
complete -c recourse -n "__fish_recourse_using_subcommand serve" -l token-file -d 'File with the bearer token that `POST /api/evaluate` demands; without it that route is closed' -r -F
complete -c recourse -n "__fish_recourse_using_subcommand serve" -l tokens -d 'File in TOML with several tokens: names, scopes, and the actor that each speaks for' -r -F
complete -c recourse -n "__fish_recourse_using_subcommand serve" -l access-log -d 'File to which a line of JSON is added for each request: who, what path, which status, how long' -r -F
complete -c recourse -n "__fish_recourse_using_subcommand serve" -l access-log-mib -d 'Mebibytes at which that file becomes FILE.1, of which eight are kept; 0: somebody else moves it on' -r
complete -c recourse -n "__fish_recourse_using_subcommand serve" -s h -l help -d 'Print help'
complete -c recourse -n "__fish_recourse_using_subcommand doctor" -l format -d 'Form of the output' -r -f -a "human\t'For people'
json\t'For programs'"
complete -c recourse -n "__fish_recourse_using_subcommand doctor" -l repair -d 'Close to others what is recourse\'s own, where something opened it, before looking'
complete -c recourse -n "__fish_recourse_using_subcommand doctor" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c recourse -n "__fish_recourse_using_subcommand verify" -l trust -d 'Base URLs of the instances to trust, separated by commas [default: any]' -r -f
complete -c recourse -n "__fish_recourse_using_subcommand verify" -l mode -d 'What to do with it: ignore, log, verify or require [default: require]' -r
complete -c recourse -n "__fish_recourse_using_subcommand verify" -l cross-check -d 'Whether to fetch the durable copy and compare' -r -f -a "true\t''
false\t''"
complete -c recourse -n "__fish_recourse_using_subcommand verify" -l max-age -d 'How old it may be, in seconds [default: as it says itself]' -r
complete -c recourse -n "__fish_recourse_using_subcommand verify" -l cached-registry -d 'The registry that was accepted last, instead of the cache folder; only read, and a fetch is always made' -r -F
complete -c recourse -n "__fish_recourse_using_subcommand verify" -l registry -d 'The registry to verify with; nothing is fetched' -r -F
complete -c recourse -n "__fish_recourse_using_subcommand verify" -l now -d 'The time that it is, such as 2026-05-01T14:30:00Z [default: the clock]' -r
complete -c recourse -n "__fish_recourse_using_subcommand verify" -l input -d 'What was to be evaluated, as JSON; another input is refused' -r
complete -c recourse -n "__fish_recourse_using_subcommand verify" -l plan -d 'The Terraform plan (`terraform show -json`) that was to be evaluated; another plan is refused' -r -F
complete -c recourse -n "__fish_recourse_using_subcommand verify" -l permit -d 'Verdicts that let it go on, separated by commas; a chained approval lets it go on too [default: all]' -r -f -a "allow\t''
warn\t''
escalate\t''
block\t''"
complete -c recourse -n "__fish_recourse_using_subcommand verify" -l parent -d 'The attestation that it follows; repeated for a longer chain, the first one first' -r -F
complete -c recourse -n "__fish_recourse_using_subcommand verify" -l log-key -d 'The key of a log that is believed [default: as configured, else this instance\'s own]' -r
complete -c recourse -n "__fish_recourse_using_subcommand verify" -l witness -d 'The key of a witness that is believed [default: as configured]' -r
complete -c recourse -n "__fish_recourse_using_subcommand verify" -l witness-quorum -d 'How many of the witnesses must have seen the log [default: as configured, else most of them]' -r
complete -c recourse -n "__fish_recourse_using_subcommand verify" -l proof -d 'A proof, instead of the one that is published: of the attestation, of the registry, of each link of a chain; repeated' -r -F
complete -c recourse -n "__fish_recourse_using_subcommand verify" -l format -d 'Form of the output' -r -f -a "human\t'For people'
json\t'For programs'"
complete -c recourse -n "__fish_recourse_using_subcommand verify" -l key-validity -d 'Refuse what was signed while its key was not the active one, give or take five minutes'
complete -c recourse -n "__fish_recourse_using_subcommand verify" -l report -d 'Insist on a report with its attestation beside it'
complete -c recourse -n "__fish_recourse_using_subcommand verify" -l require-log -d 'Refuse what no transparency log is shown to hold, the registry that its key stands in included'
complete -c recourse -n "__fish_recourse_using_subcommand verify" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c recourse -n "__fish_recourse_using_subcommand completions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c recourse -n "__fish_recourse_using_subcommand schema" -s h -l help -d 'Print help (see more with \'--help\')'

function __fish_recourse_points
    contains -- -- (commandline -opc)
    or command recourse kept list --ids 2>/dev/null
end
complete -c recourse -n "__fish_recourse_using_subcommand undo; and not contains -- -- (commandline -opc)" -f -k -a "(__fish_recourse_points)"
complete -c recourse -n "__fish_recourse_using_subcommand kept; and __fish_seen_subcommand_from show pin unpin forget" -f -k -a "(__fish_recourse_points)"
