//! `init mcp`: our server in a client's configuration, shown or written.
//!
//! Owns where each client keeps its servers and what our entry there says. Everything else in the file stays as it is; what
//! it held before the last change is kept beside it.

use std::fmt;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde_json::json;
use toml::{Table, Value};

use crate::attest::disk::{self, Access};
use crate::hook::coding::install::Change;
use crate::hook::coding::{Client, Form};
use crate::settings::{edit, table};
use crate::text::escape;

use super::installing::{folders, not_yet, program, tell};
use super::output::{self, Failure};
use super::setup;

/// A configuration larger than this is none.
const LIMIT: u64 = 16 << 20;
/// What the server is called in a client's list.
const NAME: &str = "recourse";

#[derive(Debug, clap::Args)]
pub(super) struct InitMcpArgs {
    /// The client
    #[arg(long, value_parser = client())]
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

fn client() -> impl TypedValueParser<Value = Client> {
    let values = Client::all().map(|client| PossibleValue::new(client.name).help(client.servers.title));
    PossibleValuesParser::new(values)
        .try_map(|name| Client::named(&name).ok_or("no client of this name is known"))
}

pub(super) fn run(args: &InitMcpArgs) -> Result<u8, Failure> {
    // What stands in a project is read on other machines too.
    let (file, program) = if args.project {
        let root = setup::working_directory(None)?;
        let place = args.client.of_project(&root).ok_or_else(|| {
            Failure::usage("this client has no configuration of a project; leave --project out")
        })?;
        (place, NAME.to_owned())
    } else {
        (args.client.of_user(&folders()?), program()?)
    };
    let before = read(&file)?;
    let text = before.as_deref().unwrap_or_default();
    let after = changed(args.client, text, &program, !args.uninstall)
        .map_err(|why| Failure::usage(format!("{}: {why}", file.display())))?;
    let after = earlier(args, &file, text, &program).unwrap_or(after);
    let after = if before.is_none() && after.is_empty() { None } else { Some(after) };
    let changes = [Change { file, before, after }];
    let [change] = &changes;
    let done = args.write || (args.uninstall && !args.dry_run);
    if let (true, false, Some(after)) = (done, change.is_none(), &change.after) {
        write(&change.file, change.before.as_deref(), after, args.project)?;
    }
    // What others keep in the file is their own: only our entry is shown.
    tell(&changes, true);
    if !done && !changes[0].is_none() {
        for line in entry(args.client, &program).lines() {
            output::print(&format!("  {} {}\n", if args.uninstall { '-' } else { '+' }, escape(line)));
        }
    }
    if let (false, Some(remark)) = (args.uninstall, args.client.remark(args.project)) {
        output::note(remark);
    }
    if !done {
        not_yet(&changes, args.uninstall);
    }
    Ok(0)
}

/// Our entry, as it stands in a configuration that holds nothing else.
fn entry(client: Client, program: &str) -> String {
    changed(client, "", program, true).unwrap_or_default()
}

/// The configuration with our entry, or without it.
fn changed(client: Client, text: &str, program: &str, wanted: bool) -> Result<String, String> {
    let args = ["mcp", "serve"];
    let path = [client.servers.list, NAME];
    let entry = match client.servers.form {
        Form::Toml => {
            let members = Table::from_iter([
                ("command".to_owned(), Value::from(program)),
                ("args".to_owned(), Value::from(args.to_vec())),
            ]);
            let done = if wanted { table::put(text, &path, &members) } else { table::take(text, &path) };
            return done.map_err(|error| error.to_string());
        }
        Form::Typed => json!({ "type": "stdio", "command": program, "args": args }),
        Form::Plain => json!({ "command": program, "args": args }),
    };
    let done = if wanted { edit::put_member(text, &path, &entry) } else { edit::take_member(text, &path) };
    done.map_err(|error| error.to_string())
}

/// What the file held before our entry came, when nobody changed it since: the same bytes, however it was laid out.
fn earlier(args: &InitMcpArgs, file: &Path, now: &str, program: &str) -> Option<String> {
    if !args.uninstall {
        return None;
    }
    let kept = fs::read_to_string(backup(&real(file))).ok()?;
    let with = changed(args.client, &kept, program, true).ok()?;
    (with == now && kept != now).then_some(kept)
}

/// The file behind links: a link into somebody's collection of settings stays a link.
fn real(file: &Path) -> PathBuf {
    fs::canonicalize(file).unwrap_or_else(|_| file.to_owned())
}

/// Where what a file held is kept beside it.
fn backup(file: &Path) -> PathBuf {
    let mut backup = file.to_owned().into_os_string();
    backup.push(".recourse-backup");
    backup.into()
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
    let real = real(file);
    if let Some(folder) = real.parent() {
        fs::create_dir_all(folder).map_err(|error| failed(&error))?;
    }
    let mode = fs::metadata(&real).ok().map(|found| found.permissions().mode() & 0o7777);
    if let Some(before) = before {
        disk::write_atomic(&backup(&real), before.as_bytes(), Access::Private)
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
    use crate::hook::coding::Folders;

    #[test]
    fn every_client_has_its_place_and_form() {
        let folders = Folders {
            home: "/h".into(),
            config: "/h/.config".into(),
            applications: "/h/.config".into(),
            claude: None,
            codex: Some("/c".into()),
        };
        let known = [
            ("claude-code", "/h/.claude.json", "\"mcpServers\""),
            ("claude-desktop", "/h/.config/Claude/claude_desktop_config.json", "\"mcpServers\""),
            ("cursor", "/h/.cursor/mcp.json", "\"mcpServers\""),
            ("vscode", "/h/.config/Code/User/mcp.json", "\"servers\""),
            ("codex", "/c/config.toml", "[mcp_servers.recourse]"),
            ("gemini", "/h/.gemini/settings.json", "\"mcpServers\""),
            ("windsurf", "/h/.codeium/windsurf/mcp_config.json", "\"mcpServers\""),
        ];
        assert_eq!(Client::all().count(), known.len());
        for (name, file, part) in known {
            let client = Client::named(name).unwrap();
            assert_eq!(client.of_user(&folders), Path::new(file));
            let text = changed(client, "", "/bin/recourse", true).unwrap();
            assert!(text.contains(part) && text.contains("/bin/recourse"), "{text}");
            assert_eq!(changed(client, &text, "/bin/recourse", true).unwrap(), text);
            let without = changed(client, &text, "/bin/recourse", false).unwrap();
            assert!(!without.contains("recourse"), "{without}");
        }
    }
}
