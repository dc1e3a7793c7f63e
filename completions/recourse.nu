module completions {

  # Tells people and AI agents what a command would destroy for good, before it runs, and stops what must not run.
  export extern recourse [
    --help(-h)                # Print help
    --version(-V)             # Print version
  ]

  # Judge a command or plan without running it
  export extern "recourse evaluate" [
    --help(-h)                # Print help
  ]

  def "nu-complete recourse evaluate shell profile" [] {
    [ "human" "agent" "ci" ]
  }

  def "nu-complete recourse evaluate shell format" [] {
    [ "human" "json" "markdown" "sarif" "junit" "github" "bundle" ]
  }

  def "nu-complete recourse evaluate shell fail_on" [] {
    [ "warn" "escalate" "block" "never" ]
  }

  # Judge shell text (one word) or an argument vector (several words)
  export extern "recourse evaluate shell" [
    --cwd: directory          # Directory that the command would run in [default: the current one]
    --profile: string@"nu-complete recourse evaluate shell profile" # Whose enforcement to state [env: RECOURSE_PROFILE]
    --environment: string     # Environment that it acts on, for example `production` [env: RECOURSE_ENVIRONMENT]
    --actor: string           # Who asks, as KIND/NAME with the kind human, agent, ci or service [env: RECOURSE_ACTOR]
    --audience: string        # Whom an attestation is for: a host, or the machines of one kind; it counts nowhere else [env: RECOURSE_AUDIENCE]
    --evidence: path          # Evidence gathered elsewhere, with the raw output that proves it
    --format: string@"nu-complete recourse evaluate shell format" # Form of the output
    --fail-on: string@"nu-complete recourse evaluate shell fail_on" # Verdict from which on the exit status is not 0
    --attest                  # Sign the report, also where the configuration does not say so
    --help(-h)                # Print help (see more with '--help')
    ...words: string          # One word is shell text, several are an argument vector; `-` reads shell text from standard input. From the first word on all belongs to the command
  ]

  def "nu-complete recourse evaluate terraform profile" [] {
    [ "human" "agent" "ci" ]
  }

  def "nu-complete recourse evaluate terraform format" [] {
    [ "human" "json" "markdown" "sarif" "junit" "github" "bundle" ]
  }

  def "nu-complete recourse evaluate terraform fail_on" [] {
    [ "warn" "escalate" "block" "never" ]
  }

  # Judge a Terraform plan, binary or in JSON
  export extern "recourse evaluate terraform" [
    --cwd: directory          # Directory that the command would run in [default: the current one]
    --profile: string@"nu-complete recourse evaluate terraform profile" # Whose enforcement to state [env: RECOURSE_PROFILE]
    --environment: string     # Environment that it acts on, for example `production` [env: RECOURSE_ENVIRONMENT]
    --actor: string           # Who asks, as KIND/NAME with the kind human, agent, ci or service [env: RECOURSE_ACTOR]
    --audience: string        # Whom an attestation is for: a host, or the machines of one kind; it counts nowhere else [env: RECOURSE_AUDIENCE]
    --evidence: path          # Evidence gathered elsewhere, with the raw output that proves it
    --format: string@"nu-complete recourse evaluate terraform format" # Form of the output
    --fail-on: string@"nu-complete recourse evaluate terraform fail_on" # Verdict from which on the exit status is not 0
    --attest                  # Sign the report, also where the configuration does not say so
    --state: path             # Current state as JSON (`terraform show -json`), for what the plan does not say
    --help(-h)                # Print help (see more with '--help')
    plan: path                # The plan as `plan -out` wrote it, or in JSON; `-` reads JSON from standard input. A binary plan is read by `terraform show`, which starts the providers of its directory
  ]

  def "nu-complete recourse evaluate mcp profile" [] {
    [ "human" "agent" "ci" ]
  }

  def "nu-complete recourse evaluate mcp format" [] {
    [ "human" "json" "markdown" "sarif" "junit" "github" "bundle" ]
  }

  def "nu-complete recourse evaluate mcp fail_on" [] {
    [ "warn" "escalate" "block" "never" ]
  }

  # Judge a call of another MCP server's tool
  export extern "recourse evaluate mcp" [
    --cwd: directory          # Directory that the command would run in [default: the current one]
    --profile: string@"nu-complete recourse evaluate mcp profile" # Whose enforcement to state [env: RECOURSE_PROFILE]
    --environment: string     # Environment that it acts on, for example `production` [env: RECOURSE_ENVIRONMENT]
    --actor: string           # Who asks, as KIND/NAME with the kind human, agent, ci or service [env: RECOURSE_ACTOR]
    --audience: string        # Whom an attestation is for: a host, or the machines of one kind; it counts nowhere else [env: RECOURSE_AUDIENCE]
    --evidence: path          # Evidence gathered elsewhere, with the raw output that proves it
    --format: string@"nu-complete recourse evaluate mcp format" # Form of the output
    --fail-on: string@"nu-complete recourse evaluate mcp fail_on" # Verdict from which on the exit status is not 0
    --attest                  # Sign the report, also where the configuration does not say so
    --server: string          # The server, as the client names it
    --tool: string            # The tool
    --arguments: string       # The arguments, a JSON object; `-` reads standard input, `@FILE` a file
    --description: string     # The description that the server gives of the tool
    --annotations: string     # The annotations that the server gives, a JSON object
    --help(-h)                # Print help (see more with '--help')
  ]

  def "nu-complete recourse explain profile" [] {
    [ "human" "agent" "ci" ]
  }

  def "nu-complete recourse explain format" [] {
    [ "human" "json" ]
  }

  # Judge a command and show every step, piece of evidence and rule
  export extern "recourse explain" [
    --cwd: directory          # Directory that the command would run in [default: the current one]
    --profile: string@"nu-complete recourse explain profile" # Whose enforcement to state [env: RECOURSE_PROFILE]
    --environment: string     # Environment that it acts on, for example `production` [env: RECOURSE_ENVIRONMENT]
    --actor: string           # Who asks, as KIND/NAME with the kind human, agent, ci or service [env: RECOURSE_ACTOR]
    --audience: string        # Whom an attestation is for: a host, or the machines of one kind; it counts nowhere else [env: RECOURSE_AUDIENCE]
    --evidence: path          # Evidence gathered elsewhere, with the raw output that proves it
    --format: string@"nu-complete recourse explain format" # Form of the output
    --plan: path              # Explain a Terraform plan, binary or in JSON, instead of a command
    --tool: string            # Explain a call of this MCP tool instead of a command
    --server: string          # The tool's server
    --arguments: string       # The tool's arguments, a JSON object; `-` reads standard input, `@FILE` a file
    --help(-h)                # Print help (see more with '--help')
    ...words: string          # One word is shell text, several are an argument vector; `-` reads shell text from standard input. From the first word on all belongs to the command
  ]

  def "nu-complete recourse scan format" [] {
    [ "human" "json" "sarif" ]
  }

  def "nu-complete recourse scan fail_on" [] {
    [ "warn" "escalate" "block" "never" ]
  }

  def "nu-complete recourse scan profile" [] {
    [ "human" "agent" "ci" ]
  }

  # Find what scripts, images, build files and CI jobs would destroy
  export extern "recourse scan" [
    --format: string@"nu-complete recourse scan format" # Form of the output
    --fail-on: string@"nu-complete recourse scan fail_on" # Verdict from which on the exit status is not 0
    --baseline: path          # Findings that are known already: they are counted and decide nothing
    --write-baseline: path    # Write down all that is found as known, for --baseline
    --all                     # List what is only unknown too, which is otherwise counted
    --environment: string     # Environment that it acts on, for example `production` [env: RECOURSE_ENVIRONMENT]
    --profile: string@"nu-complete recourse scan profile" # Whose rules to apply [env: RECOURSE_PROFILE]
    --timeout: string         # Seconds after which the rest is left unread, and said to be
    --help(-h)                # Print help (see more with '--help')
    ...paths: path            # Files and directories; what git ignores in a directory is left out [default: the current directory]
  ]

  def "nu-complete recourse exec profile" [] {
    [ "human" "agent" "ci" ]
  }

  # Judge a command, then become it
  export extern "recourse exec" [
    --profile: string@"nu-complete recourse exec profile" # Whose enforcement to apply [default: human with a terminal, else ci; env: RECOURSE_PROFILE]
    --environment: string     # Environment that it acts on, for example `production` [env: RECOURSE_ENVIRONMENT]
    --actor: string           # Who asks, as KIND/NAME with the kind human, agent, ci or service [env: RECOURSE_ACTOR]
    --attestation: path       # An attestation, or a report with one: of the evaluation, or of a person's approval of it
    --look                    # Run the suggested read-only commands first, wherever somebody would have to decide, and judge with what they tell
    -c: string                # Shell text to run with bash
    --help(-h)                # Print help
    ...words: string          # The program and its arguments, run exactly so, without a shell
  ]

  def "nu-complete recourse undo format" [] {
    [ "human" "json" ]
  }

  # Put back what the last command destroyed, or another one that is kept
  export extern "recourse undo" [
    --yes(-y)                 # Do not ask; what is replaced is kept, so an undo can be undone
    --to: directory           # Write everything below this directory instead, and touch nothing else
    --diff                    # Show what would change, and change nothing
    --dry-run                 # Show what would change, and change nothing
    --redo                    # Take back the last undo instead
    --list(-l)                # List what is kept, as `recourse kept` does
    --format: string@"nu-complete recourse undo format" # Form of the output
    --help(-h)                # Print help (see more with '--help')
    id?: string               # The recovery point, or how its id begins; without it, the last of this terminal, else of this place
  ]

  def "nu-complete recourse kept format" [] {
    [ "human" "json" ]
  }

  # What is kept: when, by whom, what, how large
  export extern "recourse kept" [
    --limit: string           # How many, the newest first [default: all]
    --ids                     # For completion scripts: an id and its command a line
    --format: string@"nu-complete recourse kept format" # Form of the output
    --help(-h)                # Print help (see more with '--help')
  ]

  def "nu-complete recourse kept list format" [] {
    [ "human" "json" ]
  }

  # All that is kept, the newest first (the default)
  export extern "recourse kept list" [
    --limit: string           # How many, the newest first [default: all]
    --ids                     # For completion scripts: an id and its command a line
    --format: string@"nu-complete recourse kept list format" # Form of the output
    --help(-h)                # Print help (see more with '--help')
  ]

  def "nu-complete recourse kept show format" [] {
    [ "human" "json" ]
  }

  # One recovery point in full: what it holds, and what `undo` would do
  export extern "recourse kept show" [
    --format: string@"nu-complete recourse kept show format" # Form of the output
    --help(-h)                # Print help (see more with '--help')
    id: string                # The recovery point
  ]

  # Keep a recovery point until it is forgotten, however old it grows
  export extern "recourse kept pin" [
    --help(-h)                # Print help
    ...ids: string            # The recovery points
  ]

  # Let a pinned one go when its time has come; only a person can
  export extern "recourse kept unpin" [
    --help(-h)                # Print help
    ...ids: string            # The recovery points
  ]

  # Delete recovery points for good; only a person can
  export extern "recourse kept forget" [
    --yes(-y)                 # Do not ask
    --help(-h)                # Print help
    ...ids: string            # The recovery points
  ]

  # Delete what is older than the policy keeps it; only a person can
  export extern "recourse kept prune" [
    --days: string            # Keep those of the last so many days only [default: what the policy says]
    --yes(-y)                 # Do not ask
    --help(-h)                # Print help
  ]

  # Guard the shells, coding agents and MCP clients that are found here, or one of them
  export extern "recourse init" [
    --dry-run                 # Only show what would change
    --yes                     # Do it without a question
    --uninstall               # Take all that is ours out again
    --help(-h)                # Print help
  ]

  # Print the hook of bash
  export extern "recourse init bash" [
    --uninstall               # Say how to remove it again
    --help(-h)                # Print help
  ]

  # Print the hook of zsh
  export extern "recourse init zsh" [
    --uninstall               # Say how to remove it again
    --help(-h)                # Print help
  ]

  # Print the hook of fish
  export extern "recourse init fish" [
    --uninstall               # Say how to remove it again
    --help(-h)                # Print help
  ]

  # Hook of Claude Code
  export extern "recourse init claude-code" [
    --dry-run                 # Only show what would change (the default)
    --write                   # Install it
    --verify                  # Check that it is installed as it should be and answers
    --uninstall               # Remove it, and leave the file as it was before
    --project                 # For the project in this directory instead of all of the user's
    --help(-h)                # Print help
  ]

  # Hook of OpenAI Codex
  export extern "recourse init codex" [
    --dry-run                 # Only show what would change (the default)
    --write                   # Install it
    --verify                  # Check that it is installed as it should be and answers
    --uninstall               # Remove it, and leave the file as it was before
    --project                 # For the project in this directory instead of all of the user's
    --help(-h)                # Print help
  ]

  # Hook of Gemini CLI
  export extern "recourse init gemini" [
    --dry-run                 # Only show what would change (the default)
    --write                   # Install it
    --verify                  # Check that it is installed as it should be and answers
    --uninstall               # Remove it, and leave the file as it was before
    --project                 # For the project in this directory instead of all of the user's
    --help(-h)                # Print help
  ]

  # Hook of Cursor
  export extern "recourse init cursor" [
    --dry-run                 # Only show what would change (the default)
    --write                   # Install it
    --verify                  # Check that it is installed as it should be and answers
    --uninstall               # Remove it, and leave the file as it was before
    --project                 # For the project in this directory instead of all of the user's
    --help(-h)                # Print help
  ]

  # Hook of GitHub Copilot CLI
  export extern "recourse init copilot" [
    --dry-run                 # Only show what would change (the default)
    --write                   # Install it
    --verify                  # Check that it is installed as it should be and answers
    --uninstall               # Remove it, and leave the file as it was before
    --project                 # For the project in this directory instead of all of the user's
    --help(-h)                # Print help
  ]

  # Hook of VS Code's agent
  export extern "recourse init vscode" [
    --dry-run                 # Only show what would change (the default)
    --write                   # Install it
    --verify                  # Check that it is installed as it should be and answers
    --uninstall               # Remove it, and leave the file as it was before
    --project                 # For the project in this directory instead of all of the user's
    --help(-h)                # Print help
  ]

  # Hook of Windsurf
  export extern "recourse init windsurf" [
    --dry-run                 # Only show what would change (the default)
    --write                   # Install it
    --verify                  # Check that it is installed as it should be and answers
    --uninstall               # Remove it, and leave the file as it was before
    --project                 # For the project in this directory instead of all of the user's
    --help(-h)                # Print help
  ]

  # Hook of Cline
  export extern "recourse init cline" [
    --dry-run                 # Only show what would change (the default)
    --write                   # Install it
    --verify                  # Check that it is installed as it should be and answers
    --uninstall               # Remove it, and leave the file as it was before
    --project                 # For the project in this directory instead of all of the user's
    --help(-h)                # Print help
  ]

  # Hook of opencode
  export extern "recourse init opencode" [
    --dry-run                 # Only show what would change (the default)
    --write                   # Install it
    --verify                  # Check that it is installed as it should be and answers
    --uninstall               # Remove it, and leave the file as it was before
    --project                 # For the project in this directory instead of all of the user's
    --help(-h)                # Print help
  ]

  # Hook of Amp
  export extern "recourse init amp" [
    --dry-run                 # Only show what would change (the default)
    --write                   # Install it
    --verify                  # Check that it is installed as it should be and answers
    --uninstall               # Remove it, and leave the file as it was before
    --project                 # For the project in this directory instead of all of the user's
    --help(-h)                # Print help
  ]

  # Hook of Crush
  export extern "recourse init crush" [
    --dry-run                 # Only show what would change (the default)
    --write                   # Install it
    --verify                  # Check that it is installed as it should be and answers
    --uninstall               # Remove it, and leave the file as it was before
    --project                 # For the project in this directory instead of all of the user's
    --help(-h)                # Print help
  ]

  def "nu-complete recourse init mcp client" [] {
    [ "claude-code" "codex" "gemini" "cursor" "vscode" "windsurf" "claude-desktop" ]
  }

  # The MCP server in a client's configuration
  export extern "recourse init mcp" [
    --client: string@"nu-complete recourse init mcp client" # The client
    --dry-run                 # Only show what would change (the default)
    --write                   # Change the client's configuration; what it was is kept for --uninstall
    --uninstall               # Take our entry out again
    --project                 # For the project in this directory instead of all of the user's
    --help(-h)                # Print help (see more with '--help')
  ]

  # What installed hooks call
  export extern "recourse hook" [
    --help(-h)                # Print help
  ]

  def "nu-complete recourse hook shell shell" [] {
    [ "bash" "zsh" "fish" ]
  }

  # Judge a line that was accepted in an interactive shell, from standard input; exit status 126 refuses it
  export extern "recourse hook shell" [
    --shell: string@"nu-complete recourse hook shell shell" # The shell that it was typed in
    --plain                   # The line itself, not bash's last history entry
    --below                   # The cursor stands behind the line: what is said begins on a new one
    --comments                # `#` begins a comment also in zsh
    --functions               # The shell can say what its functions do and its variables hold when it is asked (answer 3)
    --text                    # The shell takes another text onto its line
    --state                   # The shell's options come before its aliases
    --answer                  # The status is printed too, before what else there is; and `?` before a person may be asked
    --shown                   # The line as it was typed comes before the line as it will run
    --watcher: string         # Process started beside this one, which ends it when it does not answer; it is stopped first
    --help(-h)                # Print help
  ]

  # Judge a tool call of Claude Code (standard input) and answer in its own words
  export extern "recourse hook claude-code" [
    --help(-h)                # Print help
  ]

  # Judge a tool call of OpenAI Codex (standard input) and answer in its own words
  export extern "recourse hook codex" [
    --help(-h)                # Print help
  ]

  # Judge a tool call of Gemini CLI (standard input) and answer in its own words
  export extern "recourse hook gemini" [
    --help(-h)                # Print help
  ]

  # Judge a tool call of Cursor (standard input) and answer in its own words
  export extern "recourse hook cursor" [
    --help(-h)                # Print help
  ]

  # Judge a tool call of GitHub Copilot CLI (standard input) and answer in its own words
  export extern "recourse hook copilot" [
    --help(-h)                # Print help
  ]

  # Judge a tool call of VS Code's agent (standard input) and answer in its own words
  export extern "recourse hook vscode" [
    --help(-h)                # Print help
  ]

  # Judge a tool call of Windsurf (standard input) and answer in its own words
  export extern "recourse hook windsurf" [
    --help(-h)                # Print help
  ]

  # Judge a tool call of Cline (standard input) and answer in its own words
  export extern "recourse hook cline" [
    --help(-h)                # Print help
  ]

  # Judge a tool call of opencode (standard input) and answer in its own words
  export extern "recourse hook opencode" [
    --help(-h)                # Print help
  ]

  # Judge a tool call of Amp (standard input) and answer in its own words
  export extern "recourse hook amp" [
    --help(-h)                # Print help
  ]

  # Judge a tool call of Crush (standard input) and answer in its own words
  export extern "recourse hook crush" [
    --help(-h)                # Print help
  ]

  # Allow, once, what an agent was denied; only a person at a terminal can
  export extern "recourse approve" [
    --deny                    # Say no instead: the same command is not asked about again for a while
    --help(-h)                # Print help
    id?: string               # The request, as the denial named it; without it, what waits is listed
  ]

  # Programs that are run through `exec` wherever they are called from
  export extern "recourse shim" [
    --help(-h)                # Print help
  ]

  # Make shims
  export extern "recourse shim add" [
    --help(-h)                # Print help
    ...names: string          # Programs by their names, such as terraform
  ]

  # Take shims away
  export extern "recourse shim remove" [
    --help(-h)                # Print help
    ...names: string          # Their names
  ]

  # Say which there are, and whether PATH leads to them
  export extern "recourse shim list" [
    --help(-h)                # Print help
  ]

  def "nu-complete recourse resources format" [] {
    [ "human" "json" ]
  }

  # List what is known: tools, kinds and Terraform types
  export extern "recourse resources" [
    --format: string@"nu-complete recourse resources format" # Form of the output
    --help(-h)                # Print help (see more with '--help')
    filter?: string           # Only what has this in its name
  ]

  # Show or check policy files
  export extern "recourse policy" [
    --help(-h)                # Print help
  ]

  def "nu-complete recourse policy show format" [] {
    [ "human" "json" ]
  }

  # The rules in force, layer by layer
  export extern "recourse policy show" [
    --cwd: directory          # Directory from which project policies are looked for [default: the current one]
    --format: string@"nu-complete recourse policy show format" # Form of the output
    --help(-h)                # Print help (see more with '--help')
  ]

  def "nu-complete recourse policy check format" [] {
    [ "human" "json" ]
  }

  # Read policy files strictly and say what is wrong with them
  export extern "recourse policy check" [
    --cwd: directory          # Directory from which project policies are looked for [default: the current one]
    --format: string@"nu-complete recourse policy check format" # Form of the output
    --help(-h)                # Print help (see more with '--help')
    ...files: path            # Files to check instead of those in force; `.recourse.toml` is read as a project's
  ]

  # Check what you teach about your own tools
  export extern "recourse knowledge" [
    --help(-h)                # Print help
  ]

  def "nu-complete recourse knowledge check format" [] {
    [ "human" "json" ]
  }

  # Read knowledge files strictly, run their examples and say what is wrong with them
  export extern "recourse knowledge check" [
    --format: string@"nu-complete recourse knowledge check format" # Form of the output
    --help(-h)                # Print help (see more with '--help')
    ...files: path            # Files to check; your own in the configuration directory when none are given
  ]

  # Print a commented file that teaches a tool, to start from
  export extern "recourse knowledge new" [
    --help(-h)                # Print help
    tool: string              # The tool's name, as it is typed
  ]

  # Make, rotate and revoke the keys that sign attestations
  export extern "recourse keys" [
    --help(-h)                # Print help
  ]

  def "nu-complete recourse keys generate format" [] {
    [ "human" "json" ]
  }

  # Make a key; it is pending until it is activated
  export extern "recourse keys generate" [
    --encrypt                 # Encrypt it, asking for a passphrase where none is given
    --instance: string        # Name of the instance, when this is its first key [default: a random one]
    --passphrase-file: path   # File with the passphrase of encrypted keys [env: RECOURSE_KEY_PASSPHRASE holds the passphrase itself]
    --publish: directory      # Web root below which the registry is published before the change takes effect
    --format: string@"nu-complete recourse keys generate format" # Form of the output
    --help(-h)                # Print help (see more with '--help')
  ]

  def "nu-complete recourse keys list format" [] {
    [ "human" "json" ]
  }

  # List the keys and their states
  export extern "recourse keys list" [
    --format: string@"nu-complete recourse keys list format" # Form of the output
    --help(-h)                # Print help (see more with '--help')
  ]

  def "nu-complete recourse keys activate format" [] {
    [ "human" "json" ]
  }

  # Let a pending key sign, where no key is active or a rotation's time has come
  export extern "recourse keys activate" [
    --passphrase-file: path   # File with the passphrase of encrypted keys [env: RECOURSE_KEY_PASSPHRASE holds the passphrase itself]
    --publish: directory      # Web root below which the registry is published before the change takes effect
    --format: string@"nu-complete recourse keys activate format" # Form of the output
    --help(-h)                # Print help (see more with '--help')
    key_id: string            # The key's name, as `recourse keys list` shows it
  ]

  def "nu-complete recourse keys rotate format" [] {
    [ "human" "json" ]
  }

  # Replace the active key, now or at a time
  export extern "recourse keys rotate" [
    --at: string              # Publish the successor now, for a rotation at this time, such as 2026-05-01T14:30:00Z
    --passphrase-file: path   # File with the passphrase of encrypted keys [env: RECOURSE_KEY_PASSPHRASE holds the passphrase itself]
    --publish: directory      # Web root below which the registry is published before the change takes effect
    --format: string@"nu-complete recourse keys rotate format" # Form of the output
    --help(-h)                # Print help (see more with '--help')
  ]

  def "nu-complete recourse keys deprecate format" [] {
    [ "human" "json" ]
  }

  # Take a pending or the active key out of use without a successor
  export extern "recourse keys deprecate" [
    --passphrase-file: path   # File with the passphrase of encrypted keys [env: RECOURSE_KEY_PASSPHRASE holds the passphrase itself]
    --publish: directory      # Web root below which the registry is published before the change takes effect
    --format: string@"nu-complete recourse keys deprecate format" # Form of the output
    --help(-h)                # Print help (see more with '--help')
    key_id: string            # The key's name, as `recourse keys list` shows it
  ]

  def "nu-complete recourse keys retire format" [] {
    [ "human" "json" ]
  }

  # Take a deprecated key out of rotation for good
  export extern "recourse keys retire" [
    --passphrase-file: path   # File with the passphrase of encrypted keys [env: RECOURSE_KEY_PASSPHRASE holds the passphrase itself]
    --publish: directory      # Web root below which the registry is published before the change takes effect
    --format: string@"nu-complete recourse keys retire format" # Form of the output
    --help(-h)                # Print help (see more with '--help')
    key_id: string            # The key's name, as `recourse keys list` shows it
  ]

  def "nu-complete recourse keys compromise format" [] {
    [ "human" "json" ]
  }

  # Say that a key is not to be trusted: nothing that it ever signed verifies any more
  export extern "recourse keys compromise" [
    --reason: string          # Why, for the audit log
    --passphrase-file: path   # File with the passphrase of encrypted keys [env: RECOURSE_KEY_PASSPHRASE holds the passphrase itself]
    --publish: directory      # Web root below which the registry is published before the change takes effect
    --format: string@"nu-complete recourse keys compromise format" # Form of the output
    --help(-h)                # Print help (see more with '--help')
    key_id: string            # The key's name, as `recourse keys list` shows it
  ]

  def "nu-complete recourse keys export format" [] {
    [ "jwk" "pem" "raw" ]
  }

  # Print a public key
  export extern "recourse keys export" [
    --format: string@"nu-complete recourse keys export format" # In which form
    --help(-h)                # Print help (see more with '--help')
    key_id?: string           # The key's name [default: the active key]
  ]

  # Publish this instance's keys and attestations; fetch another's keys
  export extern "recourse registry" [
    --help(-h)                # Print help
  ]

  def "nu-complete recourse registry publish format" [] {
    [ "human" "json" ]
  }

  # Write the registry and attestations as static files for a web server
  export extern "recourse registry publish" [
    --format: string@"nu-complete recourse registry publish format" # Form of the output
    --help(-h)                # Print help (see more with '--help')
    root: directory           # The web root; `.well-known/` is made in it
  ]

  # Print an attestation that was signed here, by itself or as a Sigstore bundle
  export extern "recourse registry export" [
    --bundle                  # As a bundle v0.3 with an in-toto Statement, signed with the key that is active now
    --help(-h)                # Print help
    id: string                # The attestation's id
  ]

  def "nu-complete recourse registry prune format" [] {
    [ "human" "json" ]
  }

  # Take away attestations of keys that are retired or compromised; their URLs answer 410
  export extern "recourse registry prune" [
    --days: string            # Only what is older
    --format: string@"nu-complete recourse registry prune format" # Form of the output
    --help(-h)                # Print help (see more with '--help')
  ]

  # Fetch an instance's registry of keys now
  export extern "recourse registry refresh" [
    --force                   # Accept it even when it is older than the one accepted before; recorded in the audit log
    --justification: string   # Why, for the record
    --help(-h)                # Print help
    url: string               # The instance's base URL
  ]

  def "nu-complete recourse log format" [] {
    [ "human" "json" ]
  }

  # Show or check the audit log; keep, prove and witness the transparency log
  export extern "recourse log" [
    --last: string            # Only the last so many events
    --since: string           # Only what is not older: a time such as 2026-03-01T00:00:00Z, or 90m, 12h, 7d ago
    --refused                 # Only what was refused
    --session: string         # Only what came from this session, as the log names it, or its end
    --follow                  # Go on with what is added, until Ctrl-C; oldest first
    --format: string@"nu-complete recourse log format" # Form of the output; JSON is one event on each line
    --help(-h)                # Print help (see more with '--help')
  ]

  def "nu-complete recourse log verify format" [] {
    [ "human" "json" ]
  }

  # Check that nothing in it was changed, removed, moved or cut off
  export extern "recourse log verify" [
    --format: string@"nu-complete recourse log verify format" # Form of the output
    --help(-h)                # Print help (see more with '--help')
  ]

  def "nu-complete recourse log export format" [] {
    [ "jsonl" "syslog" "otel" ]
  }

  # Write it out for other systems, oldest first
  export extern "recourse log export" [
    --format: string@"nu-complete recourse log export format" # Form of the lines
    --since: string           # Only what is not older: a time such as 2026-03-01T00:00:00Z, or 90m, 12h, 7d ago
    --refused                 # Only what was refused
    --session: string         # Only what came from this session, as the log names it, or its end
    --help(-h)                # Print help (see more with '--help')
  ]

  # Take the oldest files of it away, as `[record]` says or as said here
  export extern "recourse log prune" [
    --days: string            # Keep what is not older
    --segments: string        # Keep so many files of it, the one that is written to included
    --help(-h)                # Print help
  ]

  def "nu-complete recourse log push format" [] {
    [ "human" "json" ]
  }

  # Put its full files into the store that machines share, as `store` says
  export extern "recourse log push" [
    --all                     # The file that is written to as well: a machine is about to go away
    --format: string@"nu-complete recourse log push format" # Form of the output
    --help(-h)                # Print help (see more with '--help')
  ]

  def "nu-complete recourse log checkpoint format" [] {
    [ "human" "json" ]
  }

  # Put everything that was signed or recorded into the transparency log, sign it, and ask its witnesses
  export extern "recourse log checkpoint" [
    --format: string@"nu-complete recourse log checkpoint format" # Form of the output
    --help(-h)                # Print help (see more with '--help')
  ]

  # Print the proof that something is in the transparency log, or that the log only grew
  export extern "recourse log prove" [
    --registry                # The registry of keys that is in force
    --event: string           # An event of the audit log, by its number
    --since: string           # That the log goes on from so many leaves
    --help(-h)                # Print help
    id?: string               # The attestation's id
  ]

  # Print the transparency log's key, for those who verify or witness it
  export extern "recourse log key" [
    --help(-h)                # Print help
  ]

  # Witness transparency logs of others: cosign what only grew since it was seen last
  export extern "recourse log witness" [
    --listen: string          # Where to listen
    --log: string             # The key of a log to witness, as `recourse log key` prints it there; repeated for more
    --name: string            # The witness's name, once and for all: a host and path without a scheme
    --help(-h)                # Print help
  ]

  # Sign an organisation's trust bundle, or follow one
  export extern "recourse trust" [
    --help(-h)                # Print help
  ]

  # Make a key that signs bundles where there is none, and print its public half for `keys` under [trust]
  export extern "recourse trust key" [
    --name: string            # Its name, for example `trust.acme.example/1`
    --help(-h)                # Print help
    file: path                # The file of the private key
  ]

  # Print a bundle of a description in TOML, signed; or a bundle with one more signature
  export extern "recourse trust sign" [
    --key: path               # The file of the private key
    --name: string            # The key's name
    --previous: path          # The bundle before it: the number goes on from there [default: this is the first]
    --days: string            # In how many days it ends
    --help(-h)                # Print help
    file: path                # The description, or a bundle
  ]

  # Ask for the bundle that this machine follows, and accept it
  export extern "recourse trust refresh" [
    --help(-h)                # Print help
  ]

  def "nu-complete recourse trust show format" [] {
    [ "human" "json" ]
  }

  # Print what is in force here
  export extern "recourse trust show" [
    --format: string@"nu-complete recourse trust show format" # Form of the output
    --help(-h)                # Print help (see more with '--help')
  ]

  # Answer AI agents over the Model Context Protocol
  export extern "recourse mcp" [
    --help(-h)                # Print help
  ]

  # Serve on standard input and output, for the client that starts it
  export extern "recourse mcp serve" [
    --help(-h)                # Print help
  ]

  # Serve the key registry, attestations and evaluations over HTTP
  export extern "recourse serve" [
    --listen: string          # Where to listen; the default is the loopback address that attestations name
    --token-file: path        # File with the bearer token that `POST /api/evaluate` demands; without it that route is closed
    --tokens: path            # File in TOML with several tokens: names, scopes, and the actor that each speaks for
    --access-log: path        # File to which a line of JSON is added for each request: who, what path, which status, how long
    --access-log-mib: string  # Mebibytes at which that file becomes FILE.1, of which eight are kept; 0: somebody else moves it on
    --help(-h)                # Print help
  ]

  def "nu-complete recourse doctor format" [] {
    [ "human" "json" ]
  }

  # Say what is and is not covered on this machine
  export extern "recourse doctor" [
    --format: string@"nu-complete recourse doctor format" # Form of the output
    --repair                  # Close to others what is recourse's own, where something opened it, before looking
    --help(-h)                # Print help (see more with '--help')
  ]

  def "nu-complete recourse verify cross_check" [] {
    [ "true" "false" ]
  }

  def "nu-complete recourse verify permit" [] {
    [ "allow" "warn" "escalate" "block" ]
  }

  def "nu-complete recourse verify format" [] {
    [ "human" "json" ]
  }

  # Verify an attestation, or a report with one beside it
  export extern "recourse verify" [
    --trust: string           # Base URLs of the instances to trust, separated by commas [default: any]
    --mode: string            # What to do with it: ignore, log, verify or require [default: require]
    --cross-check: string@"nu-complete recourse verify cross_check" # Whether to fetch the durable copy and compare
    --max-age: string         # How old it may be, in seconds [default: as it says itself]
    --key-validity            # Refuse what was signed while its key was not the active one, give or take five minutes
    --cached-registry: path   # The registry that was accepted last, instead of the cache folder; only read, and a fetch is always made
    --registry: path          # The registry to verify with; nothing is fetched
    --now: string             # The time that it is, such as 2026-05-01T14:30:00Z [default: the clock]
    --report                  # Insist on a report with its attestation beside it
    --input: string           # What was to be evaluated, as JSON; another input is refused
    --plan: path              # The Terraform plan (`terraform show -json`) that was to be evaluated; another plan is refused
    --permit: string@"nu-complete recourse verify permit" # Verdicts that let it go on, separated by commas; a chained approval lets it go on too [default: all]
    --parent: path            # The attestation that it follows; repeated for a longer chain, the first one first
    --require-log             # Refuse what no transparency log is shown to hold, the registry that its key stands in included
    --log-key: string         # The key of a log that is believed [default: as configured, else this instance's own]
    --witness: string         # The key of a witness that is believed [default: as configured]
    --witness-quorum: string  # How many of the witnesses must have seen the log [default: as configured, else most of them]
    --proof: path             # A proof, instead of the one that is published: of the attestation, of the registry, of each link of a chain; repeated
    --format: string@"nu-complete recourse verify format" # Form of the output
    --help(-h)                # Print help (see more with '--help')
    source: path              # A file, a URL, or `-` for standard input
  ]

  def "nu-complete recourse completions shell" [] {
    [ "bash" "zsh" "fish" "powershell" "nushell" "elvish" ]
  }

  # Print a completion script
  export extern "recourse completions" [
    --help(-h)                # Print help (see more with '--help')
    shell: string@"nu-complete recourse completions shell" # The shell to complete in
  ]

  def "nu-complete recourse schema name" [] {
    [ "report" "attestation" "registry" "evidence" "scan" ]
  }

  # Print the JSON Schema of what recourse prints
  export extern "recourse schema" [
    --help(-h)                # Print help (see more with '--help')
    name?: string@"nu-complete recourse schema name" # Which schema
  ]

}

export use completions *
