//! Clients that others wrote.

use super::*;

/// The official clients, where they are: `RECOURSE_MCP_CLIENTS` names the folder that `.ci/run` installs them into.
#[test]
fn official_clients_list_and_call() {
    let Some(folder) = std::env::var_os("RECOURSE_MCP_CLIENTS") else {
        crate::support::skipped(
            "the official MCP clients are not installed here (RECOURSE_MCP_CLIENTS is not set); .ci/run installs them",
        );
        return;
    };
    let folder = std::path::PathBuf::from(folder);
    let own = folder.join("node/node_modules/.bin/node");
    let node = if own.exists() { own } else { "node".into() };
    let scripts = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mcp_clients");
    for (program, script) in [(folder.join("py/bin/python"), "client.py"), (node, "client.mjs")] {
        let scratch = crate::support::Scratch::lasting();
        scratch.file("notes.md", "hello\n");
        let output = Command::new(&program)
            .arg(scripts.join(script))
            .arg(crate::support::program())
            .arg(scratch.work())
            .env("HOME", scratch.root().join("home"))
            .env("MCP_NODE_MODULES", folder.join("node/node_modules"))
            .stdin(Stdio::null())
            .output()
            .unwrap_or_else(|error| panic!("{}: {error}", program.display()));
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && said.contains("called every tool"),
            "{script}: {said}\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}
