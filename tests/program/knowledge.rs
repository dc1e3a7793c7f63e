//! The embedded data: every file loads strictly, says what it means, and is the same in the index.

// A test fails loudly.
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use recourse::knowledge::{CommandSpec, KindFile, Knowledge, Pack, facts};
use recourse::model::Action;
use recourse::vet;

/// Folders of data files.
const FOLDERS: [&str; 6] = ["tools", "kinds", "terraform", "mcp", "looks", "keeping"];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The files of a folder.
pub(super) fn packs(folder: &str) -> Vec<Pack> {
    let folder = root().join("src/knowledge").join(folder);
    let mut paths: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "toml"));
    paths.sort();
    let read = |path: &PathBuf| {
        let name = path.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
        Pack::parse(&name, &fs::read_to_string(path).unwrap()).unwrap_or_else(|error| panic!("{error}"))
    };
    paths.iter().map(read).collect()
}

fn complain(problems: &[String]) {
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}

/// What users' files are checked for holds of every built-in file.
fn checked(folder: &str) {
    let problems = vet::check(&packs(folder), &Knowledge::builtin());
    complain(&problems.iter().map(ToString::to_string).collect::<Vec<_>>());
}

#[test]
fn tools_say_what_they_mean() {
    checked("tools");
}

#[test]
fn kinds_say_what_they_mean() {
    checked("kinds");
}

#[test]
fn terraform_types_say_what_they_mean() {
    checked("terraform");
}

#[test]
fn mcp_servers_say_what_they_mean() {
    checked("mcp");
}

#[test]
fn looks_say_what_they_mean() {
    checked("looks");
}

#[test]
fn services_say_what_they_mean() {
    checked("keeping");
}

#[test]
fn every_folder_holds_its_own_sort() {
    for folder in FOLDERS {
        for pack in packs(folder) {
            let held = [
                ("tools", pack.tools.len()),
                ("kinds", pack.kinds.len()),
                ("terraform", pack.terraform.len()),
                ("mcp", pack.servers.len()),
                ("looks", pack.looks.len()),
                ("keeping", pack.services.len()),
            ];
            for (sort, count) in held {
                assert_eq!(count > 0, sort == folder, "{}: {count} of {sort}", pack.file);
            }
        }
    }
}

fn walk<'a>(
    command: &'a CommandSpec,
    root: &'a CommandSpec,
    path: &str,
    visit: &mut dyn FnMut(&str, &CommandSpec),
) {
    visit(path, command);
    for name in command.commands.names() {
        if let Some(below) = command.commands.get(name, root) {
            walk(&below, root, &format!("{path} {name}"), visit);
        }
    }
}

#[test]
fn the_index_holds_the_same_as_the_files() {
    let mut problems = Vec::new();
    let knowledge = Knowledge::builtin();
    for pack in packs("tools") {
        for tool in pack.tools.iter().map(|part| &part.it) {
            let shape = |command: &CommandSpec, path: &str| {
                format!(
                    "{path}: {} {} {}",
                    command.options.len(),
                    command.operands.len(),
                    command.effects.len()
                )
            };
            let mut whole = BTreeSet::new();
            walk(&tool.root, &tool.root, "", &mut |path, c| {
                whole.insert(shape(c, path));
            });
            for name in &tool.names {
                let Some(embedded) = knowledge.tool(name) else {
                    problems.push(format!("{}: {name} cannot be read from the index", pack.file));
                    continue;
                };
                let mut cut = BTreeSet::new();
                walk(&embedded.root, &embedded.root, "", &mut |path, c| {
                    cut.insert(shape(c, path));
                });
                if cut != whole {
                    let differ = whole.symmetric_difference(&cut);
                    problems.push(format!("{}: {name} differs in the index: {differ:?}", pack.file));
                }
            }
        }
    }
    for pack in packs("kinds") {
        for part in &pack.kinds {
            // What the rules rest on is for whoever reads the files.
            let whole = KindFile { doc: Vec::new(), ..KindFile::clone(&part.it) };
            if knowledge.kind(&part.name).as_deref() != Some(&whole) {
                problems.push(format!("{}: {} differs in the index", pack.file, part.name));
            }
        }
    }
    complain(&problems);
}

#[test]
fn every_fact_on_the_list_is_told_by_its_module() {
    fn sources(folder: &Path, found: &mut String) {
        for entry in fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
            if entry.is_dir() {
                sources(&entry, found);
            } else if entry.extension().is_some_and(|e| e == "rs") {
                found.push_str(&fs::read_to_string(entry).unwrap());
            }
        }
    }
    let mut texts: BTreeMap<&str, String> = BTreeMap::new();
    let mut problems = Vec::new();
    for (module, keys) in facts().tellers().iter().chain(facts().askers()) {
        let text = texts.entry(module).or_insert_with(|| {
            let mut text = String::new();
            sources(&root().join("src").join(module), &mut text);
            text
        });
        for key in keys {
            if !text.contains(&format!("\"{key}\"")) {
                problems.push(format!("src/{module} never names the fact `{key}`"));
            }
        }
    }
    // The other way round: what is told in the usual form stands on the list.
    for (module, text) in &texts {
        for call in ["fact(&mut mutation, \"", "flag(&mut mutation, \"", "evidence.fact(\""] {
            for (at, _) in text.match_indices(call) {
                let key = text[at + call.len()..].split('"').next().unwrap();
                if !facts().is_told(key) {
                    problems.push(format!("src/{module} tells `{key}`, which is not in facts.toml"));
                }
            }
        }
    }
    complain(&problems);
}

#[test]
fn the_index_holds_the_same_servers_and_looks() {
    let knowledge = Knowledge::builtin();
    let families = knowledge.mcp();
    for pack in packs("mcp") {
        for server in pack.servers.iter().map(|part| &part.it) {
            let file = &pack.file;
            let family = families.iter().find(|family| family.names == server.server);
            let family = family.unwrap_or_else(|| panic!("{file} is not in the index"));
            assert_eq!(family.reads, server.reads, "{file}");
            assert_eq!(family.tools.len(), server.tool.len(), "{file}");
            let head = family.head().unwrap_or_else(|| panic!("{file}: its head cannot be read"));
            assert_eq!((head.alone, head.remote), (server.alone, server.remote), "{file}");
            for (at, names) in family.tools.iter().enumerate() {
                let cut = family.tool(at).unwrap_or_else(|| panic!("{file}: {names:?} cannot be read"));
                let whole = &server.tool[&names[0]];
                assert_eq!(
                    (cut.args.len(), cut.effect.len(), cut.run.len(), cut.reads),
                    (whole.args.len(), whole.effect.len(), whole.run.len(), whole.reads),
                    "{file}: {names:?}"
                );
            }
        }
    }
    for part in packs("looks").iter().flat_map(|pack| &pack.looks) {
        let embedded =
            knowledge.looks(&part.name).unwrap_or_else(|| panic!("{} is not in the index", part.name));
        assert_eq!(embedded.len(), part.it.len(), "{}", part.name);
    }
}

/// Roles of options whose value names what a command acts on.
const NAMING: [&str; 4] = ["name", "id", "ref", "key"];

/// What a destructive effect acts on is named by the words, where there are words that name it. The others are listed, with
/// the reason.
#[test]
fn targets_are_what_the_words_name() {
    let listed: BTreeMap<&str, &str> = include_str!("../data/literal_targets.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once("  "))
        .collect();
    let mut used = BTreeSet::new();
    let mut problems = Vec::new();
    for pack in packs("tools") {
        for tool in pack.tools.iter().map(|part| &part.it) {
            walk(&tool.root, &tool.root, &tool.names[0], &mut |path, command| {
                let forms = command.forms.iter().flat_map(|form| &form.operands);
                let operands = command.operands.iter().chain(forms).map(|operand| operand.name.as_str());
                let naming = |option: &&recourse::knowledge::OptionSpec| {
                    option.role.as_deref().is_some_and(|role| NAMING.contains(&role))
                };
                let options = command.options.iter().filter(naming).map(|option| option.key.as_str());
                let named: Vec<&str> = operands.chain(options).collect();
                for effect in command.effects.iter().filter(|_| !command.taken) {
                    let destroys = !matches!(effect.action, Action::Create | Action::Read | Action::Execute);
                    if !destroys || effect.on.target.names().next().is_some() {
                        continue;
                    }
                    // What is compared says what is done, not to what; where it is not given there is nothing to name.
                    let asked = effect.r#if.iter().chain(&effect.unless).flat_map(|condition| &condition.any);
                    let asked: Vec<&str> = asked.map(|atom| atom.key.as_str()).collect();
                    if named.iter().all(|name| asked.contains(name)) {
                        continue;
                    }
                    match listed.get_key_value(path) {
                        Some((path, _)) => drop(used.insert(*path)),
                        None => problems.push(format!("{path}: {:?} {}", effect.action, effect.on.kind)),
                    }
                }
            });
        }
    }
    let idle: Vec<_> = listed.keys().filter(|path| !used.contains(*path)).collect();
    assert!(idle.is_empty(), "listed, and named by now: {idle:?}");
    complain(&problems);
}

/// Names that one declaration with a grammar of its own may have: those of one program, its forks and its front ends.
const SHARING: usize = 6;

/// A program of its own has a declaration of its own; what it shares with another is taken over with `like`. One sentence that
/// holds for many (they only look, they run what they are told) may be said of all of them at once.
#[test]
fn a_grammar_is_one_programs() {
    let mut problems = Vec::new();
    for pack in packs("tools") {
        for tool in pack.tools.iter().map(|part| &part.it) {
            let grammar = tool.root.verbs.is_some() || !tool.root.commands.is_empty();
            if grammar && tool.names.len() > SHARING {
                let names = tool.names.join(", ");
                problems.push(format!(
                    "{}: {} names share one grammar: {names}",
                    pack.file,
                    tool.names.len()
                ));
            }
        }
    }
    complain(&problems);
}
