//! Scripts of packages that a project depends on: installing or rebuilding them runs what they say.

use std::path::{Path, PathBuf};

use crate::shell::program::{Call, Shell, State};
use crate::world::FileKind;

use super::asked::Asked;

/// Scripts of a package that it brings for its installation, in order.
const SCRIPTS: [&str; 3] = ["preinstall", "install", "postinstall"];
/// Most packages that are looked into.
const MOST: usize = 1_000;

/// Follows the scripts of packages that are there to be read: all that are installed, where they are built again, and those of
/// folders that the project names. Scripts of a language and programs that nothing is known of are the package's own.
pub(super) fn scripts(shell: &mut Shell<'_>, state: &mut State, call: &Call, asked: &Asked<'_>) {
    let (rebuilds, installs) = match asked.words.first() {
        Some(&("rebuild" | "rb")) => (true, false),
        Some(&("ci" | "clean-install" | "ic" | "install" | "i")) if asked.words.len() == 1 => (false, true),
        _ => return,
    };
    if asked.runs_alone() || state.scope.host.is_some() {
        return;
    }
    let Some(cwd) = super::directory_of(shell, state, asked) else { return };
    let root = cwd.ancestors().find(|dir| shell.exists(state, &dir.join("package.json")) == Some(true));
    let root = root.unwrap_or(&cwd).to_path_buf();
    let packages = match rebuilds {
        true => installed(shell, state, &root.join("node_modules")),
        false if installs => named(shell, state, &root),
        false => Vec::new(),
    };
    for dir in packages {
        let Some(package) = package(shell, state, &dir) else { continue };
        for script in SCRIPTS {
            let text = package.pointer(&format!("/scripts/{script}")).and_then(|text| text.as_str());
            let Some(text) = text.filter(|text| is_plain(text)) else { continue };
            shell.run_own(state, call, text, ("npm", dir.clone()));
        }
    }
}

/// Whether a script is no more than shell text: what it starts of its own package is not looked at.
fn is_plain(text: &str) -> bool {
    !text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_' | '.' | '/')).any(|word| {
        matches!(word, "node" | "npx" | "npm" | "yarn" | "pnpm" | "python" | "python3" | "make")
            || word.ends_with("js")
    })
}

fn package(shell: &Shell<'_>, state: &State, dir: &Path) -> Option<serde_json::Value> {
    let text = shell.read_text(state, &dir.join("package.json"), shell.options.limits.script_bytes)?;
    serde_json::from_str(&text).ok()
}

/// All that is installed, those of an owner included.
fn installed(shell: &Shell<'_>, state: &State, modules: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let list = |dir: &Path| shell.list(state, dir, MOST).unwrap_or_default();
    for entry in list(modules) {
        if entry.kind == FileKind::File || entry.name.starts_with('.') {
            continue;
        }
        let dir = modules.join(&entry.name);
        match entry.name.starts_with('@') {
            true => found.extend(list(&dir).into_iter().map(|inner| dir.join(inner.name))),
            false => found.push(dir),
        }
    }
    found.truncate(MOST);
    found
}

/// Folders that the project depends on.
fn named(shell: &Shell<'_>, state: &State, root: &Path) -> Vec<PathBuf> {
    let Some(package) = package(shell, state, root) else { return Vec::new() };
    let lists = ["dependencies", "devDependencies", "optionalDependencies"];
    let all = lists.iter().filter_map(|list| package.get(list)?.as_object()).flatten();
    let folder = |value: &serde_json::Value| Some(root.join(value.as_str()?.strip_prefix("file:")?));
    all.filter_map(|(_, value)| folder(value)).take(MOST).collect()
}
