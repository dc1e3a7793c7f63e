//! No tool of the data, and none of its subcommands, lets a word pass that destroys: every one is tried with such words
//! where the declaration gives the words no meaning of their own. `tests/data/harmless_verbs.txt` says which are
//! harmless after all, and why.

use std::collections::BTreeSet;
use std::path::PathBuf;

use recourse::evaluate::{EvaluationContext, Input, evaluate};
use recourse::knowledge::{CommandSpec, Knowledge, Match, Style, ToolFile, match_words};
use recourse::model::{Value, Verdict};
use recourse::policy::{EnforcementAction, Policy, Profile};
use recourse::shell;
use recourse::world::MemoryWorld;

/// What is tried behind every command.
const FORMS: [&str; 6] =
    ["delete x", "sub destroy x", "purge x y", "drop database", "--delete-all x", "remove --all"];

fn judge(knowledge: &Knowledge, world: &MemoryWorld, text: &str) -> (Verdict, EnforcementAction) {
    let context = EvaluationContext {
        cwd: PathBuf::from("/home/me"),
        profile: Some(Profile::Agent),
        ..EvaluationContext::default()
    };
    let input = Input::Shell(shell::Input::Text(text.to_owned()));
    let done = evaluate(input, &context, world, knowledge, &Policy::default());
    let action = done.report.enforcement.as_ref().map_or(EnforcementAction::Refuse, |said| said.action);
    (done.verdict(), action)
}

/// Paths of a tool and of all its subcommands.
fn paths(command: &CommandSpec, root: &CommandSpec, path: &str, all: &mut Vec<String>) {
    all.push(path.to_owned());
    for name in command.commands.names() {
        if let Some(below) = command.commands.get(name, root) {
            paths(&below, root, &format!("{path} {name}"), all);
        }
    }
}

/// The tool's name, and those of the tools that it takes its declaration over from.
fn origins(knowledge: &Knowledge, tool: &ToolFile) -> Vec<String> {
    let mut names: Vec<String> = tool.names.first().cloned().into_iter().collect();
    let mut next = tool.like.clone();
    while let Some(base) = next.and_then(|name| knowledge.tool(&name)) {
        names.extend(base.names.first().cloned());
        next = base.like.clone();
    }
    names
}

/// The declaration says what the words are: the name of a thing, a file, text, a command that is run.
fn has_meaning(matched: &Match) -> bool {
    let generic = ["arg", "args", "verb", "task"];
    matched.command.style == Style::Raw
        || matched
            .operands
            .iter()
            .any(|bound| !generic.contains(&bound.name.as_str()) || bound.role != bound.name)
}

#[test]
fn words_that_destroy_are_never_harmless_words() {
    let knowledge = Knowledge::builtin();
    let world = MemoryWorld::new();
    let listed: BTreeSet<&str> = include_str!("../data/harmless_verbs.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once("  ").map(|(command, _)| command))
        .collect();
    let mut seen = BTreeSet::new();
    let (mut wrong, mut used) = (Vec::new(), BTreeSet::new());
    for name in knowledge.tool_names() {
        let Some(tool) = knowledge.tool(name) else { continue };
        let Some(first) = tool.names.first() else { continue };
        if !seen.insert(first.clone()) {
            continue;
        }
        let mut all = Vec::new();
        paths(&tool.root, &tool.root, first, &mut all);
        for path in all {
            for form in FORMS {
                let text = format!("{path} {form}");
                let words: Vec<Value> = text.split(' ').skip(1).map(Value::known).collect();
                let matched = match_words(&tool, &words);
                // A listed subcommand says itself what it does.
                let listed_below = matched.path.len() > path.split(' ').count();
                if !matched.gaps.is_empty() || listed_below || has_meaning(&matched) {
                    continue;
                }
                if judge(&knowledge, &world, &text).0 != Verdict::Allow {
                    continue;
                }
                // What it takes over is listed for the tool that it takes it over from.
                let is_listed = |entry: &&&str| {
                    origins(&knowledge, &tool).iter().any(|origin| {
                        let path = path.replacen(first, origin, 1);
                        path.strip_prefix(**entry)
                            .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
                    })
                };
                match listed.iter().find(is_listed) {
                    Some(entry) => drop(used.insert(*entry)),
                    None => wrong.push(text),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "allowed:\n{}", wrong.join("\n"));
    let idle: Vec<_> = listed.difference(&used).collect();
    assert!(idle.is_empty(), "listed, and not allowed any more: {idle:?}");
}

#[test]
fn programs_and_forms_that_nothing_is_known_of_run_only_without_such_words() {
    let knowledge = Knowledge::builtin();
    let world = MemoryWorld::new();
    let mut section = "";
    let mut wrong = Vec::new();
    for line in include_str!("../data/unknown_programs.txt").lines().filter(|line| !line.is_empty()) {
        if let Some(name) = line.strip_prefix("## ") {
            section = name;
            continue;
        }
        let (verdict, action) = judge(&knowledge, &world, line);
        let stopped = action >= EnforcementAction::Ask;
        if stopped != (section == "asks") || verdict == Verdict::Allow && stopped {
            wrong.push(format!("{section}: {line}: {verdict:?} {action:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
