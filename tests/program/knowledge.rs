//! The embedded data: every file loads strictly, every name it uses exists, every example holds.

// A test fails loudly.
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use recourse::knowledge::{CommandSpec, KindFile, Knowledge, ToolFile};

fn files(folder: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/knowledge").join(folder);
    let mut paths: Vec<PathBuf> =
        fs::read_dir(&folder).map(|entries| entries.map(|e| e.unwrap().path()).collect()).unwrap_or_default();
    paths.retain(|p| p.extension().is_some_and(|e| e == "toml"));
    paths.sort();
    paths
        .into_iter()
        .map(|p| (p.file_name().unwrap().to_string_lossy().into_owned(), fs::read_to_string(&p).unwrap()))
        .collect()
}

fn complain(problems: &[String]) {
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}

fn tools(problems: &mut Vec<String>) -> Vec<(String, ToolFile)> {
    let mut found = Vec::new();
    for (name, text) in files("tools") {
        match ToolFile::parse(&name, &text) {
            Ok(tools) => found.extend(tools.into_iter().map(|t| (name.clone(), t))),
            Err(error) => problems.push(error.to_string()),
        }
    }
    found
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
fn tool_files_load() {
    let mut problems = Vec::new();
    tools(&mut problems);
    complain(&problems);
}

#[test]
fn the_index_holds_the_same_as_the_files() {
    let mut problems = Vec::new();
    let knowledge = Knowledge::builtin();
    for (file, tool) in tools(&mut Vec::new()) {
        let mut whole = BTreeSet::new();
        walk(&tool.root, &tool.root, "", &mut |path, c| {
            whole.insert(format!("{path}: {} {} {}", c.options.len(), c.operands.len(), c.effects.len()));
        });
        for name in &tool.names {
            let Some(embedded) = knowledge.tool(name) else {
                problems.push(format!("{file}: {name} cannot be read from the index"));
                continue;
            };
            let mut cut = BTreeSet::new();
            walk(&embedded.root, &embedded.root, "", &mut |path, c| {
                cut.insert(format!("{path}: {} {} {}", c.options.len(), c.operands.len(), c.effects.len()));
            });
            if cut != whole {
                problems.push(format!(
                    "{file}: {name} differs in the index: {:?}",
                    whole.symmetric_difference(&cut)
                ));
            }
        }
    }
    complain(&problems);
}

#[test]
fn kind_files_load() {
    let mut problems = Vec::new();
    let knowledge = Knowledge::builtin();
    for (name, text) in files("kinds") {
        match KindFile::parse(&name, &text) {
            Ok(kinds) => {
                for (kind, parsed) in kinds {
                    if knowledge.kind(&kind).as_deref() != Some(&parsed) {
                        problems.push(format!("{name}: {kind} differs in the index"));
                    }
                }
            }
            Err(error) => problems.push(error.to_string()),
        }
    }
    complain(&problems);
}

#[test]
fn every_kind_that_an_effect_names_says_what_it_costs() {
    let mut problems = BTreeSet::new();
    let knowledge = Knowledge::builtin();
    for (file, tool) in tools(&mut Vec::new()) {
        walk(&tool.root, &tool.root, &tool.names[0], &mut |path, command| {
            for effect in &command.effects {
                use recourse::model::Action::{Create, Read};
                match knowledge.kind(&effect.on.kind) {
                    None => {
                        problems.insert(format!("{file}: {path}: kind {} is not declared", effect.on.kind));
                    }
                    Some(kind)
                        if kind.cases(effect.action).is_empty()
                            && !matches!(effect.action, Create | Read) =>
                    {
                        problems.insert(format!(
                            "{file}: {path}: kind {} has no case for {:?}",
                            effect.on.kind, effect.action
                        ));
                    }
                    Some(_) => {}
                }
            }
        });
    }
    complain(&problems.into_iter().collect::<Vec<_>>());
}

/// What the whole pipeline up to effects makes of a text, in an empty directory: `action kind target`.
fn mutations(text: &str) -> Vec<String> {
    use recourse::effects::{Collect, WorldLook};
    use recourse::model::Subject;
    let world = recourse::world::MemoryWorld::new();
    let look = WorldLook::new(&world);
    let knowledge = Knowledge::builtin();
    let mut collect = Collect::new(&knowledge, &look);
    let input = recourse::shell::Input::Text(text.to_owned());
    recourse::shell::interpret(
        &input,
        &world,
        &knowledge,
        &recourse::shell::Options::fresh("/work"),
        &mut collect,
    );
    collect
        .mutations
        .iter()
        .map(|m| {
            let shown = match &m.subject {
                Subject::Path(path) => path.shown.clone(),
                _ => m.target.name.clone().unwrap_or_else(|| m.target.id.clone()),
            };
            format!("{} {} {shown}", format!("{:?}", m.action).to_lowercase(), m.kind).trim().to_owned()
        })
        .collect()
}

#[test]
fn examples_hold_in_the_whole_pipeline() {
    let mut problems = Vec::new();
    for (file, tool) in tools(&mut Vec::new()) {
        walk(&tool.root, &tool.root, &tool.names[0], &mut |_, command| {
            for example in &command.examples {
                // What it runs gives mutations of its own.
                let (Some(expected), None) = (&example.is, &example.runs) else { continue };
                let (mut found, mut expected) = (mutations(&example.run), expected.clone());
                found.sort();
                expected.sort();
                if found != expected {
                    problems.push(format!("{file}: `{}` gives {found:?}, not {expected:?}", example.run));
                }
            }
        });
    }
    complain(&problems);
}
