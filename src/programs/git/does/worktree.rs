//! Subcommands that change files of the working tree or the index.

use std::path::PathBuf;

use super::{Draft, Words};
use crate::effects::program::{Change, Scene};
use crate::model::{Action, FactValue, Saved, Value};
use crate::shell::Stdin;

const EVERYTHING: [&str; 4] = [".", ":/", ":", "*"];

fn covers_everything(names: &[Value]) -> bool {
    names.iter().any(|name| name.as_known().is_some_and(|text| EVERYTHING.contains(&text)))
}

pub(super) fn add(words: &Words<'_>) -> Vec<Draft> {
    let names = words.operands();
    let mut draft = Draft::new(Action::Update, "git.index");
    let whole = names.is_empty() || covers_everything(&names);
    if words.any(&["-p", "-i", "-e", "-N", "--refresh", "--chmod"]) {
        // Nothing of what stands there, or what somebody chooses.
    } else if words.any(&["-u", "--renormalize"]) {
        // Files that git does not know stay outside.
        if whole {
            draft = draft.saves(&[Saved::Tracked]);
        }
    } else if whole && (words.has("-A") || !names.is_empty()) {
        draft = draft.saves(&[Saved::Tracked, Saved::Untracked]);
        if words.has("-f") {
            draft = draft.saves(&[Saved::Ignored]);
        }
    } else {
        draft = draft
            .flag("saves-paths", true)
            .flag("untracked-too", true)
            .flag("forced", words.has("-f"))
            .names(names);
    }
    vec![draft]
}

pub(super) fn remove(words: &Words<'_>) -> Vec<Draft> {
    if words.has("--cached") {
        return unstaged();
    }
    let names = if words.has("--pathspec-from-file") { vec![Value::Unknown] } else { words.operands() };
    vec![
        Draft::new(Action::Delete, "git.changes")
            .names(names)
            .flag("removes", true)
            .flag("safe", !words.has("-f")),
    ]
}

pub(super) fn rename(words: &Words<'_>) -> Vec<Draft> {
    let mut names = words.operands();
    let Some(dest) = names.pop() else { return Vec::new() };
    if !words.has("-f") {
        names.push(dest);
        return vec![Draft::new(Action::Update, "git.index").flag("renames", true).names(names)];
    }
    let folder = names.len() > 1 || dest.as_known().is_some_and(|text| text.ends_with('/'));
    if !folder {
        return std::iter::once(Draft::path(Action::Replace, "file", dest)).chain(unstaged()).collect();
    }
    let replaced = names.iter().map(|name| {
        let base = name.map(|text| text.trim_end_matches('/').rsplit('/').next().unwrap_or(text).to_owned());
        let into = dest.map(|text| format!("{}/", text.trim_end_matches('/')));
        Draft::path(Action::Replace, "file", into.concat(&base))
    });
    replaced.chain(unstaged()).collect()
}

/// Where `git mv` takes the content of files.
pub(super) fn moved(scene: &Scene<'_>, words: &Words<'_>, dirs: &[PathBuf]) -> Vec<Change> {
    let mut names = words.operands();
    let Some(dest) = names.pop() else { return Vec::new() };
    let only = |value: &Value| scene.absolute(value, dirs).as_known().map(PathBuf::from);
    let Some(to) = only(&dest) else { return Vec::new() };
    let folder =
        names.len() > 1 || dest.as_known().is_some_and(|text| text.ends_with('/')) || scene.is_directory(&to);
    names
        .iter()
        .filter_map(only)
        .filter_map(|from| {
            let to = if folder { to.join(from.file_name()?) } else { to.clone() };
            Some(Change::Moved { from, to })
        })
        .collect()
}

pub(super) fn reset(words: &Words<'_>) -> Vec<Draft> {
    let (before, behind) = words.divided();
    let to = before.first();
    let text = to.and_then(Value::as_known);
    let moves = |draft: Draft| draft.names(to.cloned()).text("to", text);
    if words.has("--hard") {
        let mut list = vec![changes_from(to)];
        if to.is_some() && text != Some("HEAD") && text != Some("@") {
            list.push(moves(Draft::new(Action::Update, "git.commits")));
        }
        return list;
    }
    if words.has("-p") || !behind.is_empty() || before.len() > 1 {
        return unstaged();
    }
    if words.any(&["--merge", "--keep"]) {
        // Both refuse where unstaged work is touched; `--merge` discards what was made of conflicts.
        let mut list = vec![switches(to)];
        if words.has("--merge") {
            list.push(Draft::new(Action::Update, "git.changes").flag("whole", true).flag("merge", true));
        }
        if to.is_some() && text != Some("HEAD") && text != Some("@") {
            list.push(moves(Draft::new(Action::Update, "git.commits")));
        }
        return list;
    }
    match text {
        None if to.is_none() => unstaged(),
        Some("HEAD" | "@") => unstaged(),
        _ => {
            let mut list = vec![moves(Draft::new(Action::Update, "git.commits"))];
            if !words.has("--soft") {
                list.extend(unstaged());
            }
            list
        }
    }
}

/// Staged content is taken out of the index.
fn unstaged() -> Vec<Draft> {
    vec![Draft::new(Action::Update, "git.index").flag("unstages", true)]
}

/// The whole working tree is set to a revision (`HEAD` when none is given).
fn changes_from(source: Option<&Value>) -> Draft {
    let draft = Draft::new(Action::Update, "git.changes").flag("whole", true);
    match source {
        None => draft,
        Some(Value::Known(text)) => draft.text("source", Some(text)),
        Some(_) => draft.flag("source-unknown", true),
    }
}

pub(super) fn checkout(words: &Words<'_>) -> Vec<Draft> {
    let (before, behind) = words.divided();
    let start = before.first().and_then(Value::as_known);
    for (key, action) in [("-B", Action::Replace), ("-b", Action::Create), ("--orphan", Action::Create)] {
        if let Some(name) = words.matched.value(key) {
            let branch = Draft::new(action, "git.branch")
                .names([name.clone()])
                .flag("checks-out", true)
                .text("to", Some(start.unwrap_or("HEAD")));
            let mut list = vec![branch];
            if words.has("-f") {
                list.insert(0, changes_from(before.first()));
            } else if before.first().is_some_and(|to| to.as_known() != Some("HEAD"))
                && !words.has("--no-overwrite-ignore")
            {
                list.insert(0, switches(before.first()));
            }
            return list;
        }
    }
    let named = words.has("--pathspec-from-file") || words.has("-p");
    if before.is_empty() && behind.is_empty() && !named {
        return if words.has("-f") { vec![changes_from(None)] } else { nothing() };
    }
    if words.has("-d") {
        return if words.has("-f") {
            vec![changes_from(before.first())]
        } else {
            switched(words, before.first())
        };
    }
    let mut draft = Draft::new(Action::Update, "git.changes")
        .flag("no-overlay", words.has("--no-overlay"))
        .flag("asks", words.has("-p") && words.asks())
        .flag("keeps-ignored", words.has("--no-overwrite-ignore"));
    if words.matched.separator.is_some() {
        draft = match before.first() {
            Some(Value::Known(source)) => draft.text("source", Some(source)),
            Some(_) => draft.flag("source-unknown", true),
            None => draft,
        };
        if behind.is_empty() && !named {
            // `git checkout main --`
            return if words.has("-f") {
                vec![changes_from(before.first())]
            } else {
                switched(words, before.first())
            };
        }
    } else {
        // The first word is a revision if there is one of that name, else a path.
        draft = draft.flag("maybe-source", true).flag("force", words.has("-f")).names(before);
    }
    if named && behind.is_empty() {
        draft = draft.names([Value::Unknown]);
    }
    vec![draft.names(behind)]
}

fn nothing() -> Vec<Draft> {
    vec![Draft::new(Action::Create, "git.head")]
}

/// Another revision is checked out, local changes kept: only ignored files stand in no one's way.
pub(super) fn switches(to: Option<&Value>) -> Draft {
    let draft = Draft::new(Action::Update, "git.changes").flag("ignored", true);
    match to {
        None => draft.text("source", Some("HEAD")),
        Some(Value::Known(text)) => draft.text("source", Some(text)),
        Some(_) => draft.flag("source-unknown", true),
    }
}

/// A switch to a revision, with what it does to ignored files.
fn switched(words: &Words<'_>, to: Option<&Value>) -> Vec<Draft> {
    let mut list = nothing();
    if to.is_some() && !words.has("--no-overwrite-ignore") {
        list.insert(0, switches(to));
    }
    list
}

pub(super) fn switch(words: &Words<'_>) -> Vec<Draft> {
    let operands = words.operands();
    let start = operands.first().and_then(Value::as_known);
    let mut list = Vec::new();
    if words.any(&["-f", "--discard-changes"]) {
        let branch = words.has("--force-create")
            || words.matched.options.iter().any(|option| option.key == "-c" && option.level > 0);
        list.push(changes_from(if branch && operands.is_empty() { None } else { operands.first() }));
    } else if operands.first().is_some_and(|to| to.as_known() != Some("HEAD"))
        && !words.has("--no-overwrite-ignore")
    {
        list.push(switches(operands.first()));
    }
    for (key, action) in
        [("--force-create", Action::Replace), ("-c", Action::Create), ("--orphan", Action::Create)]
    {
        // `-c` of git itself is another option.
        let own = words.matched.options.iter().rev().find(|option| option.key == key && option.level > 0);
        if let Some(name) = own.and_then(|option| option.value.clone()) {
            let branch = Draft::new(action, "git.branch").names([name]).flag("checks-out", true);
            list.push(branch.text("to", Some(start.unwrap_or("HEAD"))));
            if key == "--orphan" {
                // What is tracked leaves the working tree.
                list.push(Draft::new(Action::Create, "git.head").flag("brings", true));
            }
        }
    }
    if !list.iter().any(|draft| draft.kind == "git.branch") && !words.any(&["-f", "--discard-changes"]) {
        list.extend(nothing());
    }
    list
}

pub(super) fn restore(words: &Words<'_>) -> Vec<Draft> {
    let staged = words.has("-S");
    if staged && !words.has("-W") {
        return unstaged();
    }
    let mut names = words.operands();
    if words.has("--pathspec-from-file") {
        names.push(Value::Unknown);
    }
    if names.is_empty() && !words.has("-p") {
        // It says that paths have to be named.
        return nothing();
    }
    let source = words.matched.value("-s");
    let draft = Draft::new(Action::Update, "git.changes")
        .names(names)
        .flag("no-overlay", !words.has("--overlay"))
        .flag("asks", words.has("-p") && words.asks());
    vec![match source {
        Some(Value::Known(text)) => draft.text("source", Some(text)),
        Some(_) => draft.flag("source-unknown", true),
        None => draft.text("source", staged.then_some("HEAD")),
    }]
}

pub(super) fn clean(words: &Words<'_>) -> Vec<Draft> {
    let forced = words.matched.options.iter().filter(|option| option.key == "-f").count();
    let exclude: Vec<&str> = words.matched.values("-e").iter().filter_map(|value| value.as_known()).collect();
    let ignored = if words.has("-X") {
        Some("only")
    } else if words.has("-x") {
        Some("also")
    } else {
        None
    };
    let mut draft = Draft::new(Action::Delete, "git.untracked")
        .names(words.operands())
        .flag("force", forced > 0)
        .flag("nested", forced > 1)
        .flag("directories", words.has("-d"))
        .flag("interactive", words.has("-i"))
        .flag("asks", words.has("-i") && words.asks())
        .flag("no-input", matches!(words.stdin, Stdin::Empty))
        .text("ignored", ignored);
    if !exclude.is_empty() {
        draft = draft.fact("exclude", FactValue::Text(exclude.join("\n")));
    }
    vec![draft]
}

pub(super) fn checkout_index(words: &Words<'_>) -> Vec<Draft> {
    if !words.has("-f") || words.has("--temp") {
        return vec![Draft::new(Action::Update, "git.index")];
    }
    let names = if words.has("--stdin") { vec![Value::Unknown] } else { words.operands() };
    if names.is_empty() && !words.has("-a") {
        return Vec::new();
    }
    let draft = Draft::new(Action::Update, "git.changes").names(names);
    vec![match words.matched.value("--prefix") {
        None => draft,
        Some(Value::Known(prefix)) => draft.text("prefix", Some(prefix)),
        Some(_) => draft.flag("source-unknown", true),
    }]
}

pub(super) fn read_tree(words: &Words<'_>) -> Vec<Draft> {
    if words.has("--reset") && words.has("-u") {
        return vec![changes_from(words.operands().last())];
    }
    let mut list = unstaged();
    if !words.has("-u") {
        return list;
    }
    match words.matched.value("--prefix") {
        // The tree is laid out below it, over whatever stands there.
        Some(below) => list.push(Draft::path(Action::Update, "tree", below.clone())),
        None if words.has("-m") => list.extend(words.operands().last().map(|to| switches(Some(to)))),
        None => {}
    }
    list
}
