//! `init mcp`: our server in a client's configuration, shown or written.
//!
//! Owns where each client keeps its servers, and the change of that one entry: everything else in the file stays byte for
//! byte. A file that holds comments, or is not in the expected form, is never written: the entry is shown instead.

use std::env;
use std::fmt;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde::Deserializer as _;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::attest::disk::{self, Access};

use super::output::{self, Failure};

/// A configuration larger than this is none.
const LIMIT: u64 = 16 << 20;
/// What the server is called in a client's list.
const NAME: &str = "recourse";
/// The same in Codex's TOML.
const TABLE: &str = "[mcp_servers.recourse]";

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
    /// Change the client's configuration, and keep a backup beside it
    #[arg(long)]
    pub(super) write: bool,
    /// Take our entry out instead
    #[arg(long)]
    pub(super) uninstall: bool,
}

pub(super) fn run(args: &InitMcpArgs) -> Result<u8, Failure> {
    let file = place(args.client)?;
    let before = read(&file)?;
    let program = program()?;
    let text = before.as_deref().unwrap_or_default();
    let wanted = !args.uninstall;
    let after = match args.client {
        Client::Codex => toml_with(text, &program, wanted),
        Client::Vscode => json_with(text, "servers", &entry(&program, true), wanted),
        Client::ClaudeCode => json_with(text, "mcpServers", &entry(&program, true), wanted),
        _ => json_with(text, "mcpServers", &entry(&program, false), wanted),
    }
    .map_err(|why| Failure::usage(format!("{}: {why}; nothing was changed", file.display())))?;
    let shown = file.display();
    if after == text {
        output::print(&format!("unchanged: {shown}\n"));
        return Ok(0);
    }
    if !args.write {
        output::print(&format!("{shown} would hold:\n{after}"));
        output::note("nothing was changed yet: --write does it");
        return Ok(0);
    }
    write(&file, before.as_deref(), &after)?;
    output::print(&format!("{}: {shown}\n", if before.is_some() { "changed" } else { "new" }));
    Ok(0)
}

fn place(client: Client) -> Result<PathBuf, Failure> {
    let home = dirs::home_dir().ok_or_else(|| Failure::usage("there is no home directory: set HOME"))?;
    let config = dirs::config_dir().unwrap_or_else(|| home.join(".config"));
    let named = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    Ok(match client {
        Client::ClaudeCode => named("CLAUDE_CONFIG_DIR").unwrap_or(home).join(".claude.json"),
        Client::ClaudeDesktop => config.join("Claude/claude_desktop_config.json"),
        Client::Cursor => home.join(".cursor/mcp.json"),
        Client::Vscode => config.join("Code/User/mcp.json"),
        Client::Codex => named("CODEX_HOME").unwrap_or_else(|| home.join(".codex")).join("config.toml"),
        Client::Gemini => home.join(".gemini/settings.json"),
        Client::Windsurf => home.join(".codeium/windsurf/mcp_config.json"),
    })
}

/// The path by which a client starts us: the name on PATH that leads here where there is one, since it outlives updates.
fn program() -> Result<String, Failure> {
    let own = env::current_exe()
        .map_err(|error| Failure::internal(format!("the program's own path cannot be told: {error}")))?;
    let here = fs::canonicalize(&own).unwrap_or_else(|_| own.clone());
    let path = env::var_os("PATH").unwrap_or_default();
    let named = env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join("recourse"))
        .find(|candidate| fs::canonicalize(candidate).is_ok_and(|real| real == here));
    let program = named.unwrap_or(own);
    program
        .to_str()
        .map(str::to_owned)
        .ok_or_else(|| Failure::usage("the program's own path is not valid UTF-8"))
}

fn entry(program: &str, typed: bool) -> Value {
    let mut entry = json!({ "command": program, "args": ["mcp", "serve"] });
    if let (true, Some(members)) = (typed, entry.as_object_mut()) {
        members.insert("type".to_owned(), json!("stdio"));
    }
    entry
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

fn write(file: &Path, before: Option<&str>, after: &str) -> Result<(), Failure> {
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
    match mode {
        Some(mode) => {
            fs::set_permissions(&real, fs::Permissions::from_mode(mode)).map_err(|error| failed(&error))
        }
        None => Ok(()),
    }
}

/// An object's members in order, each value as it stands in the text.
struct Members<'a>(Vec<(String, &'a RawValue)>);

fn members(text: &str) -> Result<Members<'_>, String> {
    struct InOrder;
    impl<'de> Visitor<'de> for InOrder {
        type Value = Members<'de>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
            let mut found = Vec::new();
            while let Some(member) = map.next_entry::<String, &RawValue>()? {
                found.push(member);
            }
            Ok(Members(found))
        }
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    reader.deserialize_map(InOrder).and_then(|found| reader.end().map(|()| found)).map_err(|error| {
        format!(
            "line {} is not plain JSON (comments are not edited here); add `{NAME}` by hand",
            error.line()
        )
    })
}

/// Where a value stands in the text that it was read from.
fn place_of(text: &str, value: &RawValue) -> (usize, usize) {
    let start = (value.get().as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    (start, start + value.get().len())
}

/// The text with our entry in the list of this name, or without it.
fn json_with(text: &str, list: &str, entry: &Value, wanted: bool) -> Result<String, String> {
    if text.trim().is_empty() {
        let whole = json!({ list: { NAME: entry } });
        return Ok(if wanted { format!("{whole:#}\n") } else { text.to_owned() });
    }
    let root = members(text)?;
    let Some((_, servers)) = root.0.iter().rev().find(|(name, _)| name == list) else {
        return if wanted {
            with_member(text, &root, list, &json!({ NAME: entry }), "  ")
        } else {
            Ok(text.to_owned())
        };
    };
    let (start, end) = place_of(text, servers);
    let inside = members(servers.get()).map_err(|_| format!("`{list}` is not an object"))?;
    let ours = inside.0.iter().position(|(name, _)| name == NAME);
    let changed = match (ours, wanted) {
        (None, false) => return Ok(text.to_owned()),
        (None, true) => with_member(servers.get(), &inside, NAME, entry, "    ")?,
        (Some(at), true) => {
            let Some((_, old)) = inside.0.get(at) else { return Ok(text.to_owned()) };
            if serde_json::from_str::<Value>(old.get()).is_ok_and(|old| old == *entry) {
                return Ok(text.to_owned());
            }
            let (from, to) = place_of(servers.get(), old);
            spliced(servers.get(), from, to, &indented(entry, "    "))
        }
        (Some(at), false) => without_member(servers.get(), &inside, at),
    };
    let after = spliced(text, start, end, &changed);
    members(&after)?;
    Ok(after)
}

fn spliced(text: &str, from: usize, to: usize, new: &str) -> String {
    let part = |range: std::ops::Range<usize>| text.get(range).unwrap_or_default();
    format!("{}{new}{}", part(0..from), part(to..text.len()))
}

fn indented(value: &Value, indent: &str) -> String {
    format!("{value:#}").replace('\n', &format!("\n{indent}"))
}

/// An object's text with one member more, at its end.
fn with_member(
    text: &str,
    has: &Members<'_>,
    name: &str,
    value: &Value,
    indent: &str,
) -> Result<String, String> {
    let member = format!("\n{indent}{}: {}", json!(name), indented(value, indent));
    if let Some((_, last)) = has.0.last() {
        let (_, end) = place_of(text, last);
        return Ok(spliced(text, end, end, &format!(",{member}")));
    }
    let (Some(open), Some(close)) = (text.find('{'), text.rfind('}')) else {
        return Err("it is not an object".to_owned());
    };
    let outer = indent.get(2..).unwrap_or_default();
    Ok(spliced(text, open + 1, close, &format!("{member}\n{outer}")))
}

/// An object's text without one of its members, and without the comma that it needed.
fn without_member(text: &str, has: &Members<'_>, at: usize) -> String {
    let Some((_, own)) = has.0.get(at) else { return text.to_owned() };
    let (own_start, own_end) = place_of(text, own);
    let before = at.checked_sub(1).and_then(|at| has.0.get(at)).map(|(_, value)| place_of(text, value).1);
    if let Some(end) = before {
        return spliced(text, end, own_end, "");
    }
    let open = text.find('{').unwrap_or(0) + 1;
    let rest = text.get(own_end..).unwrap_or_default();
    match rest.find(',').filter(|_| has.0.len() > 1) {
        Some(comma) => spliced(text, open, own_end + comma + 1, ""),
        None => {
            debug_assert!(own_start >= open);
            "{}".to_owned()
        }
    }
}

/// Codex's configuration with our table at its end, or without it.
fn toml_with(text: &str, program: &str, wanted: bool) -> Result<String, String> {
    let parsed =
        |text: &str| text.parse::<toml::Table>().map_err(|error| format!("not TOML: {}", error.message()));
    let ours = |table: &toml::Table| table.get("mcp_servers").and_then(|servers| servers.get(NAME)).cloned();
    let now = ours(&parsed(text)?);
    let table = format!("{TABLE}\ncommand = {}\nargs = [\"mcp\", \"serve\"]\n", toml::Value::from(program));
    if wanted && now.is_some() && now == ours(&parsed(&table)?) {
        return Ok(text.to_owned());
    }
    let mut kept: Vec<&str> = Vec::new();
    let mut inside = false;
    for line in text.split_inclusive('\n') {
        let head = line.trim();
        if head.starts_with('[') {
            inside = head == TABLE || head.starts_with("[mcp_servers.recourse.");
        }
        if !inside {
            kept.push(line);
        }
    }
    let mut after: String = kept.concat();
    if ours(&parsed(&after)?).is_some() {
        return Err(format!("`{NAME}` is there in another form than {TABLE}; change it by hand"));
    }
    if wanted {
        if !after.is_empty() {
            let end = after.trim_end().len();
            after.truncate(end);
            after.push_str("\n\n");
        }
        after.push_str(&table);
    } else if now.is_some() {
        let end = after.trim_end().len();
        after.truncate(end);
        if !after.is_empty() {
            after.push('\n');
        }
    }
    parsed(&after).map(|_| after)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(text: &str) -> (String, String) {
        let entry = entry("/bin/recourse", false);
        let with = json_with(text, "mcpServers", &entry, true).unwrap();
        let read: Value = serde_json::from_str(&with).unwrap();
        assert_eq!(read["mcpServers"]["recourse"], entry, "{with}");
        assert_eq!(json_with(&with, "mcpServers", &entry, true).unwrap(), with, "again changes nothing");
        let without = json_with(&with, "mcpServers", &entry, false).unwrap();
        assert!(!without.contains("recourse"), "{without}");
        (with, without)
    }

    #[test]
    fn what_is_there_stays() {
        let text = "{\n  \"z\": 1.0,\n  \"mcpServers\": {\n    \"a\": {\"command\": \"x, y\"}\n  },\n  \"b\": [1]\n}\n";
        assert_eq!(round(text).1, text);
        round("");
        round("{}");
        round("{\"mcpServers\": {}}");
        assert!(round("{ \"a\": 1 }").0.starts_with("{ \"a\": 1,"));
        let first = "{\"mcpServers\": {\"recourse\": {\"command\": \"old\"}, \"a\": {}}}";
        assert!(round(first).1.contains("\"a\": {}"));
        for wrong in ["[]", "{\"a\": 1, // x\n}", "{\"mcpServers\": []}", "{"] {
            assert!(json_with(wrong, "mcpServers", &entry("x", false), true).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_table_of_our_own_in_toml() {
        let text = "# mine\nmodel = \"x\"\n\n[mcp_servers.a]\ncommand = \"a\"\n";
        let with = toml_with(text, "/bin/recourse", true).unwrap();
        assert!(with.starts_with(text) && with.contains(TABLE), "{with}");
        assert_eq!(toml_with(&with, "/bin/recourse", true).unwrap(), with);
        assert!(toml_with(&with, "/other/recourse", true).unwrap().contains("/other/"));
        assert_eq!(toml_with(&with, "", false).unwrap(), text);
        assert_eq!(toml_with(text, "", false).unwrap(), text);
        assert!(toml_with("", "/bin/recourse", true).unwrap().starts_with(TABLE));
        assert!(toml_with("mcp_servers = {recourse = {command = \"x\"}}", "y", true).is_err());
        assert!(toml_with("[", "y", true).is_err());
    }
}
