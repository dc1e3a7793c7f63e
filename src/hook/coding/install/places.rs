//! What each agent's configuration has to say, and where it stands.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::super::agents::Agent;
use super::edit::Entry;

/// Seconds that an agent may wait for us; our own deadline is shorter.
const TIMEOUT: u64 = 5;

/// Whose configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The user's, for all projects.
    User,
    /// That of the project in this directory.
    Project(PathBuf),
}

/// Folders that agents' configurations stand in.
#[derive(Clone, Debug)]
pub struct Folders {
    /// The user's home.
    pub home: PathBuf,
    /// `$XDG_CONFIG_HOME`, or `~/.config`.
    pub config: PathBuf,
    /// `$CLAUDE_CONFIG_DIR`, where it is set.
    pub claude: Option<PathBuf>,
    /// `$CODEX_HOME`, where it is set.
    pub codex: Option<PathBuf>,
}

/// One file and what belongs in it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Piece {
    /// Entries in a settings file that others share.
    Shared {
        /// The file.
        file: PathBuf,
        /// Members that the file needs.
        top: Vec<(&'static str, Value)>,
        /// Ours.
        entries: Vec<Entry>,
    },
    /// A file of our own.
    Own {
        /// The file.
        file: PathBuf,
        /// Its content.
        content: String,
        /// It is a program.
        executable: bool,
    },
}

impl Piece {
    /// The file.
    pub(super) fn file(&self) -> &Path {
        match self {
            Self::Shared { file, .. } | Self::Own { file, .. } => file,
        }
    }
}

/// What belongs where for an agent; `program` is the path by which it starts us.
pub(super) fn pieces(agent: Agent, scope: &Scope, folders: &Folders, program: &str) -> Vec<Piece> {
    let home = |path: &str| folders.home.join(path);
    let place = |user: PathBuf, project: &str| match scope {
        Scope::User => user,
        Scope::Project(root) => root.join(project),
    };
    let command = format!("{} hook {}", shell_words::quote(program), agent.name());
    let entry = |path: &[&'static str], value: Value| Entry { path: path.to_vec(), value };
    let shared = |file: PathBuf, top: Vec<(&'static str, Value)>, entries: Vec<Entry>| {
        vec![Piece::Shared { file, top, entries }]
    };
    match agent {
        Agent::ClaudeCode => {
            let folder = folders.claude.clone().unwrap_or_else(|| home(".claude"));
            let hook =
                json!({ "type": "command", "command": command, "timeout": TIMEOUT, "onFailure": "block" });
            // Also tools of later versions: what is known to be harmless costs a few milliseconds.
            let group = json!({ "matcher": ".*", "hooks": [hook] });
            let file = place(folder.join("settings.json"), ".claude/settings.json");
            shared(file, Vec::new(), vec![entry(&["hooks", "PreToolUse"], group)])
        }
        Agent::Codex => {
            let folder = folders.codex.clone().unwrap_or_else(|| home(".codex"));
            let hook = json!({ "type": "command", "command": command, "timeout": TIMEOUT });
            let group = json!({ "matcher": ".*", "hooks": [hook] });
            let file = place(folder.join("hooks.json"), ".codex/hooks.json");
            shared(file, Vec::new(), vec![entry(&["hooks", "PreToolUse"], group)])
        }
        Agent::Gemini => {
            let hook = json!({
                "type": "command", "name": "recourse", "command": command, "timeout": TIMEOUT * 1000,
            });
            let group = json!({ "matcher": ".*", "hooks": [hook] });
            let file = place(home(".gemini/settings.json"), ".gemini/settings.json");
            shared(file, Vec::new(), vec![entry(&["hooks", "BeforeTool"], group)])
        }
        Agent::Cursor => {
            let hook = json!({ "command": command, "timeout": TIMEOUT, "failClosed": true });
            let mut tools = hook.clone();
            tools["matcher"] = json!(
                "Write|Edit|MultiEdit|StrReplace|ApplyPatch|Delete|EditNotebook|Rename|Move|Create|Remove|GenerateImage"
            );
            let file = place(home(".cursor/hooks.json"), ".cursor/hooks.json");
            let entries = vec![
                entry(&["hooks", "beforeShellExecution"], hook.clone()),
                entry(&["hooks", "beforeMCPExecution"], hook),
                entry(&["hooks", "preToolUse"], tools),
            ];
            shared(file, vec![("version", json!(1))], entries)
        }
        Agent::Copilot => {
            let hook = json!({
                "type": "command", "bash": command, "powershell": command, "timeoutSec": TIMEOUT,
            });
            let file = place(home(".copilot/hooks/recourse.json"), ".github/hooks/recourse.json");
            let entries = vec![entry(&["hooks", "preToolUse"], hook)];
            shared(file, vec![("version", json!(1))], entries)
        }
        Agent::Vscode => {
            let hook = json!({ "type": "command", "command": command, "timeout": TIMEOUT });
            let file =
                place(home(".copilot/hooks/recourse-vscode.json"), ".github/hooks/recourse-vscode.json");
            shared(file, Vec::new(), vec![entry(&["hooks", "PreToolUse"], hook)])
        }
        Agent::Windsurf => {
            let hook = json!({ "command": command, "show_output": true });
            let file = place(home(".codeium/windsurf/hooks.json"), ".windsurf/hooks.json");
            let events = ["pre_run_command", "pre_write_code", "pre_mcp_tool_use"];
            let entries = events.iter().map(|event| entry(&["hooks", event], hook.clone())).collect();
            shared(file, Vec::new(), entries)
        }
        Agent::Crush => {
            let hook = json!({ "name": "recourse", "matcher": ".*", "command": command, "timeout": TIMEOUT });
            let file = match scope {
                Scope::Project(root) if root.join(".crush.json").exists() => root.join(".crush.json"),
                _ => place(folders.config.join("crush/crush.json"), "crush.json"),
            };
            shared(file, Vec::new(), vec![entry(&["hooks", "PreToolUse"], hook)])
        }
        Agent::Cline => {
            let content = include_str!("plugins/cline.sh").replace("@PROGRAM@", &shell_words::quote(program));
            let files = match scope {
                Scope::User => {
                    vec![home("Documents/Cline/Hooks/PreToolUse"), home(".cline/hooks/PreToolUse")]
                }
                Scope::Project(root) => vec![root.join(".clinerules/hooks/PreToolUse")],
            };
            let own = |file| Piece::Own { file, content: content.clone(), executable: true };
            files.into_iter().map(own).collect()
        }
        Agent::Opencode => {
            let content =
                include_str!("plugins/opencode.js").replace("@PROGRAM@", &json!(program).to_string());
            let file =
                place(folders.config.join("opencode/plugins/recourse.js"), ".opencode/plugins/recourse.js");
            vec![Piece::Own { file, content, executable: false }]
        }
        Agent::Amp => {
            let content = include_str!("plugins/amp.ts").replace("@PROGRAM@", &json!(program).to_string());
            let file = place(folders.config.join("amp/plugins/recourse.ts"), ".amp/plugins/recourse.ts");
            vec![Piece::Own { file, content, executable: false }]
        }
    }
}

/// What a person has to do or know besides.
pub(super) fn remark(agent: Agent) -> Option<&'static str> {
    Some(match agent {
        Agent::ClaudeCode => {
            "`onFailure` is known from version 2.1.295 on; older versions run a command when the hook fails"
        }
        Agent::Codex => {
            "codex skips the hook until you trust it: run /hooks in codex, and again after every change of it"
        }
        Agent::Gemini | Agent::Windsurf | Agent::Crush => {
            "a hook that fails or takes too long is ignored by this agent: the command then runs"
        }
        Agent::Copilot => "a hook that takes too long is ignored by this agent: the command then runs",
        Agent::Vscode => {
            "hooks are a preview in VS Code and may be switched off by `chat.useHooks` or an organisation"
        }
        Agent::Cline => "enable hooks in Cline's settings; the file's execute bit switches it on",
        Agent::Amp => {
            "an Amp plugin cannot abstain: what is not rejected is allowed, without Amp's own question"
        }
        Agent::Opencode => "plugins of opencode 1 are not loaded by opencode 2",
        Agent::Cursor => return None,
    })
}
