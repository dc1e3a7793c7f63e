//! `init mcp`: our server in clients' configurations.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{Scratch, program};

/// Clients, where they keep their servers, and under which name. `~` is the home, `+` the folder of configurations.
const CLIENTS: &[(&str, &str, &str)] = &[
    ("claude-code", "~/.claude.json", "mcpServers"),
    ("cursor", "~/.cursor/mcp.json", "mcpServers"),
    ("gemini", "~/.gemini/settings.json", "mcpServers"),
    ("windsurf", "~/.codeium/windsurf/mcp_config.json", "mcpServers"),
    ("codex", "~/.codex/config.toml", "mcp_servers"),
    #[cfg(target_os = "linux")]
    ("claude-desktop", "+/Claude/claude_desktop_config.json", "mcpServers"),
    #[cfg(target_os = "linux")]
    ("vscode", "+/Code/User/mcp.json", "servers"),
];

fn place(scratch: &Scratch, path: &str) -> PathBuf {
    let (folder, rest) = path.split_at(1);
    scratch.root().join(if folder == "~" { "home" } else { "config" }).join(&rest[1..])
}

fn init(scratch: &Scratch, client: &str, more: &[&str]) -> (Option<i32>, String, String) {
    let words = [&["init", "mcp", "--client", client], more].concat();
    let output =
        scratch.recourse(&words).env_remove("CLAUDE_CONFIG_DIR").env_remove("CODEX_HOME").output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn mode(file: &Path) -> u32 {
    fs::metadata(file).unwrap().permissions().mode() & 0o777
}

/// The entry as the client would read it.
fn entry(text: &str, list: &str, toml: bool) -> Value {
    let whole: Value = if toml { toml::from_str(text).unwrap() } else { serde_json::from_str(text).unwrap() };
    whole[list]["recourse"].clone()
}

#[test]
fn every_client_is_shown_written_and_taken_out_again() {
    for (client, path, list) in CLIENTS {
        let scratch = Scratch::new();
        let file = place(&scratch, path);
        // By default, and with --dry-run, nothing is written.
        for more in [&[][..], &["--dry-run"]] {
            let (code, out, note) = init(&scratch, client, more);
            assert_eq!(code, Some(0), "{client}: {note}");
            assert!(
                out.contains("new: ") && out.contains("mcp") && note.contains("--write"),
                "{client}: {out}{note}"
            );
            assert!(!file.exists(), "{client}");
        }
        let (code, out, note) = init(&scratch, client, &["--write"]);
        assert_eq!(code, Some(0), "{client}: {out}{note}");
        let text = fs::read_to_string(&file).unwrap();
        let found = entry(&text, list, *client == "codex");
        assert_eq!(found["command"], program(), "{client}: {text}");
        assert_eq!(found["args"], serde_json::json!(["mcp", "serve"]), "{client}: {text}");
        assert_eq!(mode(&file), 0o600, "{client}");
        // Again changes nothing.
        let (_, out, _) = init(&scratch, client, &["--write"]);
        assert!(out.starts_with("unchanged: "), "{client}: {out}");
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
        // Only looked at, then taken out.
        let (_, out, note) = init(&scratch, client, &["--uninstall", "--dry-run"]);
        assert!(out.starts_with("removed: ") && note.contains("without --dry-run"), "{client}: {out}{note}");
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
        let (code, out, note) = init(&scratch, client, &["--uninstall"]);
        assert_eq!(code, Some(0), "{client}: {out}{note}");
        assert!(!file.exists(), "{client}: it was not there before");
        let (code, out, _) = init(&scratch, client, &["--uninstall"]);
        assert!(code == Some(0) && out.starts_with("unchanged: "), "{client}: {out}");
    }
}

#[test]
fn what_is_there_stays_and_comes_back_as_it_was() {
    let json = "{\n    // my own\n    \"theme\": \"dark\",\n    \"LIST\": {\n        \"other\": {\"command\": \"x\", \"env\": {\"TOKEN\": \"s3cret\"}}\n    },\n    \"last\": [1, 2.50]\n}\n";
    let toml =
        "# my own\nmodel = \"x\"\n\n[mcp_servers.other]\ncommand = \"x\" # y\nenv = { TOKEN = \"s3cret\" }\n";
    for (client, path, list) in CLIENTS {
        let scratch = Scratch::new();
        let file = place(&scratch, path);
        let before = if *client == "codex" { toml.to_owned() } else { json.replace("LIST", list) };
        // All on one line, as some programs write it.
        let line = format!("{{\"{list}\":{{\"other\":{{\"env\":{{\"TOKEN\":\"s3cret\"}}}}}}}}");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, if *client == "codex" { toml } else { &line }).unwrap();
        let (_, out, _) = init(&scratch, client, &[]);
        assert!(!out.contains("s3cret") && out.contains("+ "), "{client}: {out}");
        fs::write(&file, &before).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        // What others keep there is not shown.
        let (_, out, _) = init(&scratch, client, &[]);
        assert!(!out.contains("s3cret") && out.contains("+ "), "{client}: {out}");
        let (code, out, note) = init(&scratch, client, &["--write"]);
        assert_eq!(code, Some(0), "{client}: {out}{note}");
        let after = fs::read_to_string(&file).unwrap();
        for line in before.lines().filter(|line| !line.contains("s3cret")) {
            assert!(after.contains(line.trim_end_matches(',')), "{client}: {line}\n{after}");
        }
        assert_eq!(mode(&file), 0o640, "{client}");
        assert_eq!(init(&scratch, client, &["--uninstall"]).0, Some(0));
        assert_eq!(fs::read_to_string(&file).unwrap(), before, "{client}");
    }
}

#[test]
fn what_cannot_be_read_is_left_alone() {
    for (client, path, list) in CLIENTS {
        let odd =
            if *client == "codex" { "mcp_servers = 3".to_owned() } else { format!("{{\"{list}\": []}}") };
        for text in ["{\"a\": \n", &odd, "\u{0}\u{1}"] {
            let scratch = Scratch::new();
            let file = place(&scratch, path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, text).unwrap();
            let (code, out, error) = init(&scratch, client, &["--write"]);
            assert_eq!(code, Some(2), "{client} {text:?}: {out}{error}");
            assert!(
                error.contains("nothing was changed") && error.contains(path.rsplit('/').next().unwrap()),
                "{error}"
            );
            assert_eq!(fs::read_to_string(&file).unwrap(), text);
        }
    }
    let scratch = Scratch::new();
    assert_eq!(init(&scratch, "emacs", &[]).0, Some(2));
    assert_eq!(scratch.run(&["init", "mcp"]).status.code(), Some(2));
}

#[test]
fn a_project_has_its_own_and_names_no_path_of_this_machine() {
    for (client, path) in [
        ("claude-code", ".mcp.json"),
        ("cursor", ".cursor/mcp.json"),
        ("vscode", ".vscode/mcp.json"),
        ("gemini", ".gemini/settings.json"),
        ("codex", ".codex/config.toml"),
    ] {
        let scratch = Scratch::new();
        assert_eq!(init(&scratch, client, &["--project", "--write"]).0, Some(0), "{client}");
        let text = fs::read_to_string(scratch.work().join(path)).unwrap();
        assert!(text.contains("\"recourse\"") && !text.contains(program()), "{client}: {text}");
    }
    for client in ["claude-desktop", "windsurf"] {
        let scratch = Scratch::new();
        let (code, _, error) = init(&scratch, client, &["--project"]);
        assert!(code == Some(2) && error.contains("--project"), "{client}: {error}");
    }
}
