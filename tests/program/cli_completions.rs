//! The completion scripts in `completions/` and the manual pages in `man/` are what the program makes.

use std::collections::BTreeMap;
use std::path::Path;

use crate::support::Scratch;

/// Files of a folder, by name.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), std::fs::read(entry.path()).unwrap()))
        .collect()
}

#[test]
fn completions_and_manual_are_current() {
    let scratch = Scratch::new();
    assert!(scratch.run(&["generate", "made"]).status.success());
    for folder in ["completions", "man"] {
        let made = files(&scratch.work().join("made").join(folder));
        let stored = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder));
        assert!(made.len() > 4, "{folder}");
        let names = made.keys().chain(stored.keys());
        for name in names {
            assert!(
                made.get(name) == stored.get(name),
                "{folder}/{name} is out of date: run `cargo run -- generate` in the repository"
            );
        }
    }
}

#[test]
fn a_script_is_printed_for_each_shell() {
    let scratch = Scratch::new();
    for (shell, word) in [
        ("bash", "complete -F"),
        ("zsh", "#compdef recourse"),
        ("fish", "complete -c recourse"),
        ("powershell", "Register-ArgumentCompleter"),
        ("nushell", "export extern"),
        ("elvish", "edit:completion"),
    ] {
        let output = scratch.run(&["completions", shell]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && text.contains(word), "{shell}");
        let hidden = text.contains("recourse,generate)") || text.contains("Write completion scripts");
        assert!(!hidden, "{shell}: what is for building only is not completed");
    }
}

#[test]
fn what_is_written_for_commands_that_are_gone_goes_too() {
    let scratch = Scratch::new();
    let old = scratch.file("made/man/recourse-was.1", "old");
    let foreign = scratch.file("made/man/other.1", "not ours");
    assert!(scratch.run(&["generate", "made"]).status.success());
    assert!(!crate::support::exists(&old) && crate::support::exists(&foreign));
}
