//! The repository's own rules: module directions, purity, file sizes, doc comments.

// A test fails loudly.
use std::fs;
use std::path::{Path, PathBuf};

/// Modules from the bottom up. A module may use those before it (and itself), never those behind it.
const LAYERS: &[&[&str]] = &[
    &["model"],
    &["attest"],
    &["syntax", "code", "world"],
    &["knowledge"],
    &["shell"],
    &["effects", "terraform", "mcp_call"],
    &["evidence"],
    &["recoverability"],
    &["cross_action"],
    &["policy"],
    &["report"],
    &["evaluate"],
    &["vet"],
    &["config"],
    &["proof"],
    &["approvals"],
    &["prompt"],
    &["exec"],
    &["settings"],
    &["hook"],
    &["mcp", "serve"],
    &["cli"],
];

/// Modules that look at nothing but their arguments.
const PURE: &[&str] = &[
    "model",
    "syntax",
    "code",
    "knowledge",
    "effects",
    "terraform",
    "mcp_call",
    "settings",
    "recoverability",
    "cross_action",
    "policy",
    "report",
    "shell",
    "evidence",
    "evaluate",
    "vet",
];

/// What a pure module must not name. `Instant` is allowed in `syntax` for the parse deadline alone.
const IMPURE: &[&str] = &[
    "std::fs",
    "std::env",
    "std::process",
    "std::net",
    "SystemTime::now",
    "Instant::now",
    "std::io::stdin",
    "std::io::stdout",
    "nix::",
    "File::open",
    "Command::new",
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn files(directory: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, extension, found);
        } else if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
    found.sort();
}

fn sources() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    files(&root().join("src"), "rs", &mut found);
    assert!(found.len() > 20, "the walk over src finds the sources");
    found.into_iter().map(|path| (path.clone(), fs::read_to_string(&path).unwrap())).collect()
}

/// The top-level module that a file belongs to.
fn module_of(path: &Path) -> String {
    let relative = path.strip_prefix(root().join("src")).unwrap();
    let first = relative.components().next().unwrap().as_os_str().to_string_lossy().into_owned();
    first.trim_end_matches(".rs").to_owned()
}

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&module))
}

/// Code without its comments and without its test module.
fn code(text: &str) -> String {
    let body = text.split("#[cfg(test)]\nmod ").next().unwrap_or(text);
    body.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n")
}

fn is_test_file(path: &Path) -> bool {
    path.file_stem().is_some_and(|stem| {
        let stem = stem.to_string_lossy();
        stem == "tests" || stem.ends_with("_tests")
    }) || path.components().any(|c| c.as_os_str() == "tests")
}

#[test]
fn imports_never_point_up() {
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        let module = module_of(&path);
        if is_test_file(&path) || matches!(module.as_str(), "lib" | "main") {
            continue;
        }
        let Some(own) = layer(&module) else {
            wrong
                .push(format!("{}: module `{module}` has no layer in tests/program/tidy.rs", path.display()));
            continue;
        };
        for (number, line) in code(&text).lines().enumerate() {
            for (at, _) in line.match_indices("crate::") {
                let used: String =
                    line[at + 7..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                if used != module && layer(&used).is_some_and(|other| other >= own) {
                    wrong.push(format!("{}:{}: `{module}` uses `{used}`", path.display(), number + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "imports that point up:\n{}", wrong.join("\n"));
}

/// Whether a line names something, not only a longer word that ends so (`unix::`).
fn names(line: &str, name: &str) -> bool {
    line.match_indices(name).any(|(at, _)| !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
}

#[test]
fn pure_modules_do_no_input_or_output() {
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        let module = module_of(&path);
        if is_test_file(&path) || !PURE.contains(&module.as_str()) {
            continue;
        }
        for (number, line) in code(&text).lines().enumerate() {
            for name in IMPURE {
                if names(line, name) && !(module == "syntax" && *name == "Instant::now") {
                    wrong.push(format!("{}:{}: {name}", path.display(), number + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "looks at the machine outside `world`:\n{}", wrong.join("\n"));
}

#[test]
fn every_module_says_what_it_owns() {
    let silent: Vec<_> = sources()
        .into_iter()
        .filter(|(path, text)| !text.starts_with("//!") && !is_test_file(path))
        .map(|(path, _)| path.display().to_string())
        .collect();
    assert!(silent.is_empty(), "no module documentation on the first line:\n{}", silent.join("\n"));
}

#[test]
fn source_files_stay_small_enough_to_hold_in_the_head() {
    let long: Vec<_> = sources()
        .into_iter()
        .filter(|(_, text)| text.lines().count() > 600)
        .map(|(path, text)| format!("{}: {} lines", path.display(), text.lines().count()))
        .collect();
    assert!(long.is_empty(), "split by idea:\n{}", long.join("\n"));
}

#[test]
fn the_project_speaks_of_itself_alone() {
    let mut found = Vec::new();
    for (folder, extension) in
        [("src", "rs"), ("src", "toml"), ("tests", "rs"), ("docs", "md"), ("benches", "rs"), (".ci", "")]
    {
        files(&root().join(folder), extension, &mut found);
    }
    found.push(root().join("README.md"));
    found.push(root().join(".ci/run"));
    // Spelled in two halves so that this file does not name them.
    let foreign =
        [concat!("/wo", "rk/"), concat!("/tmp/", "wt"), concat!("before", "-stop"), concat!("help", "er-1")];
    let wrong: Vec<_> = found
        .into_iter()
        .filter_map(|path| {
            let text = fs::read_to_string(&path).ok()?;
            let hit = foreign.iter().find(|word| text.contains(**word))?;
            Some(format!("{}: {hit}", path.display()))
        })
        .collect();
    assert!(wrong.is_empty(), "names a place outside the project:\n{}", wrong.join("\n"));
}
