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
                "{folder}/{name} is out of date: run `cargo build && cargo run -- generate` in the repository"
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

/// Runs a program, or says that it is not there.
fn read_by(program: &str, arguments: &[&str]) -> Option<String> {
    let output = match std::process::Command::new(program).args(arguments).output() {
        Ok(output) => output,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            crate::support::skipped(&format!(
                "{program} is not installed, so it did not read its completions"
            ));
            return None;
        }
        Err(error) => panic!("{program}: {error}"),
    };
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && said.is_empty(), "{program}: {said}");
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A program of the folder with tools that come from no Debian package.
fn tool(name: &str) -> String {
    let folder = std::env::var_os("RECOURSE_SHELL_TOOLS").unwrap_or_else(|| "/nowhere".into());
    Path::new(&folder).join(name).display().to_string()
}

#[test]
fn shells_read_their_scripts_and_complete() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/completions");
    let bash = format!(
        "source {folder}/recourse.bash; COMP_WORDS=(recourse ev); COMP_CWORD=1; _recourse recourse ev recourse; echo \"${{COMPREPLY[@]}}\""
    );
    assert_eq!(read_by("bash", &["--norc", "-c", &bash]).as_deref(), Some("evaluate\n"));
    let zsh = format!(
        "autoload -Uz compinit; compinit -D -u; source {folder}/_recourse; print $_comps[recourse]; (( $+functions[_recourse] ))"
    );
    if let Some(text) = read_by("zsh", &["-f", "-c", &zsh]) {
        assert_eq!(text, "_recourse\n");
    }
    let fish = format!("source {folder}/recourse.fish; complete -C 'recourse ev'");
    if let Some(text) = read_by("fish", &["--no-config", "-c", &fish]) {
        assert!(text.starts_with("evaluate\t"), "{text}");
    }
    let nu = format!("use {folder}/recourse.nu *; help recourse evaluate | str contains Usage");
    if let Some(text) = read_by(&tool("nu"), &["--no-config-file", "-c", &nu]) {
        assert_eq!(text, "true\n");
    }
}

/// The id of the only recovery point of a home in which a file was removed, and a folder with the program in it.
fn with_a_point(scratch: &Scratch) -> String {
    scratch.file("notes.md", "nowhere else\n");
    let removed = scratch.run(&["exec", "--profile", "agent", "-c", "rm notes.md"]);
    assert!(removed.status.success(), "{}", String::from_utf8_lossy(&removed.stderr));
    let listed = String::from_utf8(scratch.run(&["kept", "list", "--ids"]).stdout).unwrap();
    let (id, about) = listed.trim_end().split_once('\t').unwrap();
    assert!(about.starts_with("rm notes.md (") && id.len() == 8, "{listed}");
    id.to_owned()
}

#[test]
fn shells_offer_the_ids_of_recovery_points() {
    let scratch = Scratch::lasting();
    let id = with_a_point(&scratch);
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/completions");
    let bin = Path::new(env!("CARGO_BIN_EXE_recourse")).parent().unwrap().display().to_string();
    let home = scratch.root().join("home").display().to_string();
    let within = |program: &str, words: &[&str], script: &str| {
        let set = [format!("HOME={home}"), format!("PATH={bin}:/usr/local/bin:/usr/bin:/bin")];
        let mut all = vec!["-i", set[0].as_str(), set[1].as_str(), program];
        all.extend(words);
        all.push(script);
        let there =
            ["/usr/local/bin", "/usr/bin", "/bin"].iter().any(|dir| Path::new(dir).join(program).exists());
        if !there {
            crate::support::skipped(&format!("{program} is not installed, so it offered no recovery points"));
            return None;
        }
        read_by("env", &all)
    };
    let start = &id[..3];
    for (words, at, offered) in [
        (format!("recourse undo {start}"), 2, true),
        ("recourse undo ''".to_owned(), 2, true),
        (format!("recourse kept pin {start}"), 3, true),
        (format!("recourse kept forget {start}"), 3, true),
        ("recourse undo zz".to_owned(), 2, false),
        (format!("recourse undo -- {start}"), 3, false),
        (format!("recourse undo --to {start}"), 3, false),
    ] {
        let script = format!(
            "source {folder}/recourse.bash; COMP_WORDS=({words}); COMP_CWORD={at}; _recourse_behind recourse \"${{COMP_WORDS[{at}]}}\" x; echo \"${{COMPREPLY[@]}}\""
        );
        if let Some(text) = within("bash", &["--norc", "-c"], &script) {
            assert_eq!(text.contains(&id), offered, "{words}: {text}");
        }
        if words.contains("''") {
            continue;
        }
        let script = format!("source {folder}/recourse.fish; complete -C '{words}'");
        if let Some(text) = within("fish", &["--no-config", "-c"], &script) {
            let line = format!("{id}\trm notes.md (");
            assert_eq!(text.contains(&line), offered, "{words}: {text}");
        }
    }
    // What zsh would show is taken from the function that shows it.
    for words in ["undo", "kept pin", "kept forget"] {
        let script = format!(
            "autoload -Uz compinit; compinit -D -u; source {folder}/_recourse
             _describe() {{ print -r -- ${{(P)@[-1]}} }}; _recourse_points
             grep -q '_recourse_points' {folder}/_recourse && print read {words}"
        );
        if let Some(text) = within("zsh", &["-f", "-c"], &script) {
            assert!(text.contains(&format!("{id}:rm notes.md (")), "{text}");
        }
    }
}

/// There is no PowerShell in a package registry: its grammar for tree-sitter reads the script.
#[test]
fn the_script_for_powershell_is_powershell() {
    let text = include_str!("../../completions/_recourse.ps1");
    let scratch = Scratch::new();
    // The grammar does not know a script block as argument without parentheses, which PowerShell takes.
    let known = text.replace(".Where{ $_.CompletionText -like \"$wordToComplete*\" }", ".Where({ $true })");
    assert_ne!(known, text);
    for (script, wrong) in [(known.as_str(), false), ("if ( {", true)] {
        let file = scratch.file("script.ps1", script);
        let Some(found) = read_by(&tool("py/bin/python"), &["-c", POWERSHELL, &file.display().to_string()])
        else {
            return;
        };
        assert_eq!(found.trim() != "[]", wrong, "{found}");
    }
}

/// Prints where a script cannot be read.
const POWERSHELL: &str = r#"
import sys, tree_sitter_powershell
from tree_sitter import Language, Parser
tree = Parser(Language(tree_sitter_powershell.language())).parse(open(sys.argv[1], 'rb').read())
def wrong(node):
    if node.type == 'ERROR' or node.is_missing:
        yield tuple(node.start_point)
    for child in node.children:
        yield from wrong(child)
print(list(wrong(tree.root_node)))
"#;
