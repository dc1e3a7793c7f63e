//! Our server in a client's list of servers. Everything else in the file stays as it is.

use serde_json::json;
use toml::{Table, Value};

use crate::settings::{edit, table};

use super::super::clients::Client;
use super::super::places::Form;

/// What the server is called in a client's list.
pub const NAME: &str = "recourse";

/// A list of servers: its key, how an entry is written there, and the words by which we are started.
#[derive(Clone, Copy)]
pub(super) struct List<'a> {
    pub(super) key: &'static str,
    pub(super) form: Form,
    pub(super) words: &'a [String],
}

/// The configuration with our entry, or without it.
///
/// # Errors
/// When the text is not of that form; says what is wrong.
pub(super) fn changed(list: List<'_>, text: &str, wanted: bool) -> Result<String, String> {
    let (program, args) = list.words.split_first().ok_or("no program was named")?;
    let path = [list.key, NAME];
    let entry = match list.form {
        Form::Toml => {
            let members = Table::from_iter([
                ("command".to_owned(), Value::from(program.as_str())),
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

/// Our entry, as it stands in a configuration that holds nothing else.
pub fn entry(client: Client, words: &[String]) -> String {
    let list = List { key: client.servers.list, form: client.servers.form, words };
    changed(list, "", true).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{List, changed};
    use crate::hook::coding::{Client, Folders};

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
            let words = ["/bin/recourse".to_owned(), "mcp".to_owned()];
            let list = List { key: client.servers.list, form: client.servers.form, words: &words };
            let text = changed(list, "", true).unwrap();
            assert!(text.contains(part) && text.contains("/bin/recourse"), "{text}");
            assert_eq!(changed(list, &text, true).unwrap(), text);
            let without = changed(list, &text, false).unwrap();
            assert!(!without.contains("recourse"), "{without}");
        }
    }
}
