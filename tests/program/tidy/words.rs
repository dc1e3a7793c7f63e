//! Names of programs: what is known of a program stands in the knowledge and in its own room, not in the code of others.
//!
//! Counted are string literals that are the name of a tool. A literal that only looks so is on a list with the reason.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use toml::{Table, Value};

use super::source::{self, File};
use super::{files, src};

/// Rooms in which programs are not spoken of, and how many names of tools each still holds. Make them smaller; add nothing.
const LIMITS: &[(&str, usize)] = &[
    ("shell", 0),
    ("effects", 0),
    ("code", 190),
    ("syntax", 6),
    ("model", 31),
    ("world", 18),
    ("terraform", 14),
    ("mcp_call", 33),
    ("evidence", 0),
    ("recoverability", 2),
    ("cross_action", 1),
    ("policy", 0),
    ("report", 0),
    ("evaluate", 16),
    ("hook", 0),
];

/// Words that are names of tools and, here, something else: by the file's path or its beginning.
const OTHER_MEANINGS: &[(&str, &str)] = &[
    // The shell's own commands, keywords and dialects; languages that it hands code on in; roles; names of our own.
    ("shell/builtins/", "R [ echo false getopts noglob printf pwd set test true"),
    ("shell/later.rs", "zstyle"),
    // Methods of a text, and a keyword.
    ("code/compiled/texts.rs", "expect display func join"),
    ("syntax/zsh/", "time"),
    ("shell/output.rs", "[ echo false printf pwd set test true"),
    (
        "shell/",
        "0x [ bash beep code env fish ksh noglob perl python recourse ruby script sh text-protocol zsh",
    ),
    (
        "shell/follow/code.rs",
        "awk dc deno ed elixir ftp gdb julia less lldb lua m4 mongosh node php powershell sed tclsh ts tsx vim",
    ),
    ("shell/follow/settings.rs", "lua"),
    // Parts of options' names.
    ("shell/follow/starts.rs", "invoke pager ssh"),
    ("shell/located.rs", "just-built node php"),
    // What languages load, what Terraform is made of.
    ("code/", "module"),
    ("terraform/", "module"),
    // A template that is taken as it stands.
    ("recoverability/template.rs", "raw"),
    // What sqlite3's own command for sessions writes.
    ("code/sql/client.rs", "changeset"),
    // Parameters of addresses.
    ("model/queries.rs", "code pwd"),
    // Kinds, facts, words of SQL.
    ("effects/", "append column false file host id mysql port recourse script sqlite task tree true vacuum"),
    ("evidence/git/", "delete fsck git prune sparse patch link top pack"),
    ("evidence/", "append info strip true false file tree es sh bzip2 xz zstd node mount sqlite"),
    ("policy/", "file service"),
    (
        "hook/coding/",
        "append_file bash code copilot cursor delete delete_file diff edit_file execute_command file move_file patch powershell recourse rename task timeout view windsurf write write_file",
    ),
    ("hook/kind.rs", "bash fish zsh"),
    ("hook/session.rs", "abbr"),
    // Words of languages, of SQL and of what is reported.
    ("code/", "cmd copy count freeze import lt not print replace scalar slurp sql"),
    ("effects/sql.rs", "sql where"),
    ("evaluate/stages.rs", "sql"),
    ("evidence/", "cmd where"),
    ("mcp_call/", "erase replace sql where"),
    ("model/", "count expiry kvm not replace"),
    ("policy/describe.rs", "profiles"),
    ("recoverability/mod.rs", "gap"),
    ("report/", "replace where"),
    ("shell/follow/starts.rs", "cmd editor"),
    ("shell/later.rs", "print"),
    ("syntax/fish.rs", "not"),
    ("terraform/", "cmd count expiry interpreter not tb"),
    // Agents that hand over what they are about to run, and keys of what they hand over.
    ("hook/coding/", "amp claude cline cmd codex crush cursor-agent edit editor gemini opencode replace"),
    // Our own name, and keys of a report's formats.
    ("report/review/", "id kind recourse"),
];

/// The names of all tools.
fn tools() -> BTreeSet<String> {
    let mut paths = Vec::new();
    files(&src().join("knowledge"), "toml", &mut paths);
    let mut names = BTreeSet::new();
    for path in paths {
        let table: Table = toml::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        collect(&table, &mut names);
    }
    assert!(names.len() > 1000, "the tools of the knowledge are found: {}", names.len());
    names
}

fn collect(table: &Table, names: &mut BTreeSet<String>) {
    match table.get("tool") {
        Some(Value::String(name)) => drop(names.insert(name.clone())),
        Some(Value::Array(list)) => {
            names.extend(list.iter().filter_map(Value::as_str).map(str::to_owned));
        }
        _ => {}
    }
    for below in
        table.get("tools").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_table)
    {
        collect(below, names);
    }
}

fn is_other(file: &File, word: &str) -> bool {
    let path = file.path.to_string_lossy();
    OTHER_MEANINGS
        .iter()
        .any(|(start, words)| path.starts_with(start) && words.split(' ').any(|known| known == word))
}

#[test]
fn programs_are_named_in_the_knowledge_and_in_their_rooms_alone() {
    let tools = tools();
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in source::crate_files(&src()).iter().filter(|file| !file.is_test && !file.module.is_empty()) {
        for (word, line) in &file.said.strings {
            if tools.contains(word) && !is_other(file, word) {
                found.entry(file.room().to_owned()).or_default().push(format!("{} {word}", file.at(*line)));
            }
        }
    }
    let mut wrong = Vec::new();
    for (room, limit) in LIMITS {
        let words = found.remove(*room).unwrap_or_default();
        println!("{room}: {} of at most {limit}", words.len());
        if words.len() > *limit {
            wrong.push(format!(
                "{room}: {} names of tools, at most {limit}:\n{}",
                words.len(),
                words.join("\n")
            ));
        }
    }
    assert!(wrong.is_empty(), "move them to the knowledge or to `programs`:\n{}", wrong.join("\n"));
}
