//! `init mcp`: our server in a client's configuration, shown or written.
//!
//! Owns where each client keeps its servers and what our entry there says. Everything else in the file stays as it is; what
//! it held before the last change is kept beside it.

use std::fmt;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::json;
use toml::{Table, Value};

use crate::attest::disk::{self, Access};
use crate::hook::coding::install::{Change, Folders};
use crate::report::escape;
use crate::settings::{edit, table};

use super::init;
use super::output::{self, Failure};
use super::setup;

/// A configuration larger than this is none.
const LIMIT: u64 = 16 << 20;
/// What the server is called in a client's list.
const NAME: &str = "recourse";

/// Clients whose configuration is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Client {
    /// Claude Code
    ClaudeCode,
    /// Claude Desktop
    ClaudeDesktop,
    /// Cursor
    Cursor,
    /// VS Code
    Vscode,
    /// OpenAI Codex
    Codex,
    /// Gemini CLI
    Gemini,
    /// Windsurf
    Windsurf,
}

#[derive(Debug, clap::Args)]
pub(super) struct InitMcpArgs {
    /// The client
    #[arg(long, value_enum)]
    pub(super) client: Client,
    /// Only show what would change (the default)
    #[arg(long, conflicts_with = "write")]
    pub(super) dry_run: bool,
    /// Change the client's configuration, and keep what it was beside it
    #[arg(long, conflicts_with = "uninstall")]
    pub(super) write: bool,
    /// Take our entry out again
    #[arg(long)]
    pub(super) uninstall: bool,
    /// For the project in this directory instead of all of the user's
    #[arg(long)]
    pub(super) project: bool,
}

pub(super) fn run(args: &InitMcpArgs) -> Result<u8, Failure> {
    // What stands in a project is read on other machines too.
    let (file, program) = if args.project {
        let root = setup::working_directory(None)?;
        let place = args.client.of_project().ok_or_else(|| {
            Failure::usage("this client has no configuration of a project; leave --project out")
        })?;
        (root.join(place), NAME.to_owned())
    } else {
        (args.client.of_user(&init::folders()?, dirs::config_dir()), init::program()?)
    };
    let before = read(&file)?;
    let text = before.as_deref().unwrap_or_default();
    let after = changed(args.client, text, &program, !args.uninstall)
        .map_err(|why| Failure::usage(format!("{}: {why}", file.display())))?;
    let after = if before.is_none() && after.is_empty() { None } else { Some(after) };
    let changes = [Change { file, before, after }];
    let [change] = &changes;
    let done = args.write || (args.uninstall && !args.dry_run);
    if let (true, false, Some(after)) = (done, change.is_none(), &change.after) {
        write(&change.file, change.before.as_deref(), after, args.project)?;
    }
    // What others keep in the file is their own: only our entry is shown.
    init::tell(&changes, true);
    if !done && !changes[0].is_none() {
        for line in entry(args.client, &program).lines() {
            output::print(&format!("  {} {}\n", if args.uninstall { '-' } else { '+' }, escape(line)));
        }
    }
    if let (false, Some(remark)) = (args.uninstall, args.client.remark(args.project)) {
        output::note(remark);
    }
    if !done {
        init::not_yet(&changes, args.uninstall);
    }
    Ok(0)
}

impl Client {
    /// Its configuration for all of the user's projects. `config` is where the system keeps applications' settings.
    fn of_user(self, folders: &Folders, config: Option<PathBuf>) -> PathBuf {
        let home = |path: &str| folders.home.join(path);
        let applications = || config.unwrap_or_else(|| folders.config.clone());
        match self {
            Self::ClaudeCode => folders.claude.as_ref().unwrap_or(&folders.home).join(".claude.json"),
            Self::ClaudeDesktop => applications().join("Claude/claude_desktop_config.json"),
            Self::Cursor => home(".cursor/mcp.json"),
            Self::Vscode => applications().join("Code/User/mcp.json"),
            Self::Codex => folders.codex.clone().unwrap_or_else(|| home(".codex")).join("config.toml"),
            Self::Gemini => home(".gemini/settings.json"),
            Self::Windsurf => home(".codeium/windsurf/mcp_config.json"),
        }
    }

    /// The same in a project's directory.
    fn of_project(self) -> Option<&'static str> {
        Some(match self {
            Self::ClaudeCode => ".mcp.json",
            Self::Cursor => ".cursor/mcp.json",
            Self::Vscode => ".vscode/mcp.json",
            Self::Codex => ".codex/config.toml",
            Self::Gemini => ".gemini/settings.json",
            Self::ClaudeDesktop | Self::Windsurf => return None,
        })
    }

    /// What a person has to do or know besides.
    fn remark(self, project: bool) -> Option<&'static str> {
        Some(match self {
            Self::ClaudeDesktop => "quit Claude Desktop and start it again: it reads this at its start",
            Self::ClaudeCode if project => "Claude Code asks once whether this project's servers may start",
            Self::Codex if project => "codex reads this in projects that you trust only",
            Self::Vscode => "VS Code asks once whether you trust this server",
            _ => return None,
        })
    }
}

/// Our entry, as it stands in a configuration that holds nothing else.
fn entry(client: Client, program: &str) -> String {
    changed(client, "", program, true).unwrap_or_default()
}

/// The configuration with our entry, or without it.
fn changed(client: Client, text: &str, program: &str, wanted: bool) -> Result<String, String> {
    let args = ["mcp", "serve"];
    let (list, entry) = match client {
        Client::Codex => {
            let path = ["mcp_servers", NAME];
            let members = Table::from_iter([
                ("command".to_owned(), Value::from(program)),
                ("args".to_owned(), Value::from(args.to_vec())),
            ]);
            let done = if wanted { table::put(text, &path, &members) } else { table::take(text, &path) };
            return done.map_err(|error| error.to_string());
        }
        Client::Vscode => ("servers", json!({ "type": "stdio", "command": program, "args": args })),
        Client::ClaudeCode => ("mcpServers", json!({ "type": "stdio", "command": program, "args": args })),
        _ => ("mcpServers", json!({ "command": program, "args": args })),
    };
    let path = [list, NAME];
    let done = if wanted { edit::put_member(text, &path, &entry) } else { edit::take_member(text, &path) };
    done.map_err(|error| error.to_string())
}

fn read(file: &Path) -> Result<Option<String>, Failure> {
    let wrong = |what: String| Failure::usage(format!("{}: {what}; nothing was changed", file.display()));
    match fs::metadata(file) {
        Ok(found) if found.len() > LIMIT => {
            return Err(wrong("larger than a configuration can be".to_owned()));
        }
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(wrong(error.to_string())),
    }
    fs::read_to_string(file).map(Some).map_err(|error| wrong(error.to_string()))
}

fn write(file: &Path, before: Option<&str>, after: &str, project: bool) -> Result<(), Failure> {
    let failed = |error: &dyn fmt::Display| Failure::internal(format!("{}: {error}", file.display()));
    // A link into somebody's collection of settings stays a link.
    let real = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    if let Some(folder) = real.parent() {
        fs::create_dir_all(folder).map_err(|error| failed(&error))?;
    }
    let mode = fs::metadata(&real).ok().map(|found| found.permissions().mode() & 0o7777);
    if let Some(before) = before {
        let mut backup = real.clone().into_os_string();
        backup.push(".recourse-backup");
        disk::write_atomic(Path::new(&backup), before.as_bytes(), Access::Private)
            .map_err(|error| failed(&error))?;
    }
    disk::write_atomic(&real, after.as_bytes(), Access::Private).map_err(|error| failed(&error))?;
    // Clients keep tokens there, so a new file is the user's alone; a project's is everybody's.
    let mode = mode.unwrap_or(if project { 0o644 } else { 0o600 });
    fs::set_permissions(&real, fs::Permissions::from_mode(mode)).map_err(|error| failed(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_client_has_its_place_and_form() {
        let folders = Folders {
            home: "/h".into(),
            config: "/h/.config".into(),
            claude: None,
            codex: Some("/c".into()),
        };
        for (client, file, part) in [
            (Client::ClaudeCode, "/h/.claude.json", "\"mcpServers\""),
            (Client::ClaudeDesktop, "/h/.config/Claude/claude_desktop_config.json", "\"mcpServers\""),
            (Client::Cursor, "/h/.cursor/mcp.json", "\"mcpServers\""),
            (Client::Vscode, "/h/.config/Code/User/mcp.json", "\"servers\""),
            (Client::Codex, "/c/config.toml", "[mcp_servers.recourse]"),
            (Client::Gemini, "/h/.gemini/settings.json", "\"mcpServers\""),
            (Client::Windsurf, "/h/.codeium/windsurf/mcp_config.json", "\"mcpServers\""),
        ] {
            assert_eq!(client.of_user(&folders, None), Path::new(file));
            let text = changed(client, "", "/bin/recourse", true).unwrap();
            assert!(text.contains(part) && text.contains("/bin/recourse"), "{text}");
            assert_eq!(changed(client, &text, "/bin/recourse", true).unwrap(), text);
            let without = changed(client, &text, "/bin/recourse", false).unwrap();
            assert!(!without.contains("recourse"), "{without}");
        }
    }
}
