//! Our server in a client's list of servers. Everything else in the file stays as it is.

use serde_json::json;
use toml::{Table, Value};

use crate::settings::{edit, table};

use super::super::clients::Client;
use super::super::servers::Form;

/// What the server is called in a client's list.
pub const NAME: &str = "recourse";

/// The configuration with our entry, or without it.
///
/// # Errors
/// When the text is not of the client's form; says what is wrong.
pub(super) fn changed(client: Client, text: &str, program: &str, wanted: bool) -> Result<String, String> {
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

/// Our entry, as it stands in a configuration that holds nothing else.
pub fn entry(client: Client, program: &str) -> String {
    changed(client, "", program, true).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::changed;
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
            let text = changed(client, "", "/bin/recourse", true).unwrap();
            assert!(text.contains(part) && text.contains("/bin/recourse"), "{text}");
            assert_eq!(changed(client, &text, "/bin/recourse", true).unwrap(), text);
            let without = changed(client, &text, "/bin/recourse", false).unwrap();
            assert!(!without.contains("recourse"), "{without}");
        }
    }
}
