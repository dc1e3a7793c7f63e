//! The repository's own rules: walls between modules, purity, sizes, names of tools, doc comments. Source is read as tokens.

mod rooms;
mod sizes;
mod source;
mod words;

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn src() -> PathBuf {
    root().join("src")
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

#[test]
fn every_module_says_what_it_owns() {
    let silent: Vec<_> = source::crate_files(&src())
        .into_iter()
        .filter(|file| !file.text.starts_with("//!") && !file.is_test)
        .map(|file| file.path.display().to_string())
        .collect();
    assert!(silent.is_empty(), "no module documentation on the first line:\n{}", silent.join("\n"));
}

#[test]
fn the_project_speaks_of_itself_alone() {
    let mut found = Vec::new();
    for (folder, extension) in [
        ("src", "rs"),
        ("src", "toml"),
        ("crates", "rs"),
        ("crates", "md"),
        ("tests", "rs"),
        ("docs", "md"),
        ("benches", "rs"),
        (".ci", ""),
    ] {
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
