//! Subcommands that create, move or delete refs, here and on a remote.

use super::{Draft, Words};
use crate::model::{Action, Saved, Value};
use crate::shell::Stdin;

/// Options with which `branch` and `tag` only list.
const LISTING: [&str; 12] = [
    "-l",
    "-a",
    "--contains",
    "--no-contains",
    "--merged",
    "--no-merged",
    "--points-at",
    "--sort",
    "--column",
    "--format",
    "-n",
    "-v",
];

pub(super) fn branch(words: &Words<'_>) -> Vec<Draft> {
    let names = words.operands();
    let forced = words.has("-f");
    if words.any(&["-d", "-D"]) {
        return vec![
            Draft::new(Action::Delete, "git.branch")
                .names(names)
                .flag("safe", !words.has("-D") && !forced)
                .flag("remote", words.has("-r")),
        ];
    }
    // `-C` of git itself is another option.
    let own = |key: &str| words.matched.options.iter().any(|option| option.key == key && option.level > 0);
    if own("-m") || own("-M") || own("-c") || own("-C") {
        let hard = own("-M") || own("-C") || forced;
        let (from, to) = match names.as_slice() {
            [to] => (Value::known("HEAD"), to.clone()),
            [from, to] => (from.clone(), to.clone()),
            _ => return Vec::new(),
        };
        let action = if hard { Action::Replace } else { Action::Create };
        return vec![
            Draft::new(action, "git.branch")
                .names([to])
                .text("to", from.as_known())
                .flag("renames", own("-m") || own("-M")),
        ];
    }
    if words.any(&["-u", "--unset-upstream", "--edit-description"]) {
        return vec![Draft::new(Action::Update, "git.config").names([Value::known("branch")])];
    }
    if names.is_empty() || words.any(&LISTING) {
        return Vec::new();
    }
    let action = if forced { Action::Replace } else { Action::Create };
    let to = names.get(1).and_then(Value::as_known).unwrap_or("HEAD");
    vec![Draft::new(action, "git.branch").names(names.first().cloned()).text("to", Some(to))]
}

pub(super) fn tag(words: &Words<'_>) -> Vec<Draft> {
    let names = words.operands();
    if words.has("-d") {
        return vec![Draft::new(Action::Delete, "git.tag").names(names)];
    }
    // `-a` lists branches, and makes a tag.
    let lists = LISTING.iter().any(|option| *option != "-a" && words.has(option));
    if names.is_empty() || lists {
        return Vec::new();
    }
    let action = if words.has("-f") { Action::Replace } else { Action::Create };
    let to = names.get(1).and_then(Value::as_known).unwrap_or("HEAD");
    vec![Draft::new(action, "git.tag").names(names.first().cloned()).text("to", Some(to))]
}

/// A ref that gets to say which other one is meant leaves what it held; `None`: which branch is checked out, as the data says.
pub(super) fn symbolic_ref(words: &Words<'_>) -> Option<Vec<Draft>> {
    let names = words.operands();
    let (name, to) = (names.first()?, names.get(1)?);
    let moves = !words.has("-d") && name.as_known() != Some("HEAD");
    moves
        .then(|| vec![Draft::new(Action::Replace, "git.ref").names([name.clone()]).text("to", to.as_known())])
}

pub(super) fn update_ref(words: &Words<'_>) -> Vec<Draft> {
    if words.has("--stdin") {
        return update_refs_from(words.stdin);
    }
    let names = words.operands();
    let Some(name) = names.first().cloned() else { return Vec::new() };
    if words.has("-d") {
        return vec![Draft::new(Action::Delete, "git.ref").names([name])];
    }
    let to = names.get(1).and_then(Value::as_known);
    vec![Draft::new(Action::Replace, "git.ref").names([name]).text("to", to)]
}

/// `update-ref --stdin`: one command a line.
fn update_refs_from(stdin: &Stdin) -> Vec<Draft> {
    let text = match stdin {
        Stdin::Text(value) => value.as_known(),
        Stdin::Empty => Some(""),
        _ => None,
    };
    let Some(text) = text else {
        return vec![Draft::new(Action::Delete, "git.ref").names([Value::Unknown])];
    };
    let mut list = Vec::new();
    for line in text.split(['\n', '\0']) {
        let mut parts = line.split_whitespace();
        match (parts.next(), parts.next()) {
            (Some("delete" | "symref-delete"), Some(name)) => {
                list.push(Draft::new(Action::Delete, "git.ref").names([Value::known(name)]));
            }
            (Some("update" | "symref-update"), Some(name)) => {
                list.push(
                    Draft::new(Action::Replace, "git.ref")
                        .names([Value::known(name)])
                        .text("to", parts.next()),
                );
            }
            _ => {}
        }
    }
    list
}

pub(super) fn stash(words: &Words<'_>) -> Vec<Draft> {
    match words.second.as_str() {
        "drop" => vec![Draft::new(Action::Delete, "git.stash").names(words.operands())],
        "pop" => vec![Draft::new(Action::Delete, "git.stash").names(words.operands()).flag("pop", true)],
        "clear" => vec![Draft::new(Action::Delete, "git.stash").flag("all", true)],
        "push" | "save" => {
            let partial = words.any(&["-p", "-S", "--pathspec-from-file"])
                || (words.second == "push" && !words.operands().is_empty());
            let mut draft = Draft::new(Action::Create, "git.stash");
            if words.second == "push" && !words.any(&["-p", "-S"]) && !words.operands().is_empty() {
                let untracked = words.any(&["-u", "-a"]);
                draft =
                    draft.flag("saves-paths", true).flag("untracked-too", untracked).names(words.operands());
            }
            if !partial {
                draft = draft.saves(&[Saved::Tracked]);
                if words.any(&["-u", "-a"]) {
                    draft = draft.saves(&[Saved::Untracked]);
                }
                if words.has("-a") {
                    draft = draft.saves(&[Saved::Ignored]);
                }
            }
            vec![draft]
        }
        "apply" => vec![applied(words.operands().first())],
        "branch" => {
            let mut operands = words.operands().into_iter();
            let (name, entry) = (operands.next(), operands.next());
            let branch = Draft::new(Action::Create, "git.branch").names(name).flag("checks-out", true);
            let dropped = Draft::new(Action::Delete, "git.stash").names(entry.clone()).flag("pop", true);
            vec![applied(entry.as_ref()), branch.text("to", Some("HEAD")), dropped]
        }
        _ => vec![Draft::new(Action::Create, "git.commit").flag("any-ref", true)],
    }
}

/// What is stashed is merged into the working tree.
fn applied(entry: Option<&Value>) -> Draft {
    let newest = Value::known("stash@{0}");
    let entry = entry.unwrap_or(&newest).map(|name| match name.parse::<u32>() {
        Ok(number) => format!("stash@{{{number}}}"),
        Err(_) => name.to_owned(),
    });
    let base = entry.as_known().map(|name| format!("{name}^"));
    super::worktree::switches(Some(&entry)).text("base", base.as_deref())
}

pub(super) fn push(words: &Words<'_>) -> Vec<Draft> {
    let remote =
        words.matched.operands.iter().find(|binding| binding.name == "remote").map(|b| b.value.clone());
    let remote = words.matched.value("--repo").cloned().filter(|_| remote.is_none()).or(remote);
    let mut specs: Vec<Value> = words
        .matched
        .operands
        .iter()
        .filter(|binding| binding.name != "remote")
        .map(|binding| binding.value.clone())
        .collect();
    // `tag v1` is `refs/tags/v1:refs/tags/v1`.
    if let Some(at) = specs.iter().position(|spec| spec.as_known() == Some("tag"))
        && at + 1 < specs.len()
    {
        specs.remove(at);
        if let Some(spec) = specs.get_mut(at) {
            *spec = spec.map(|name| format!("refs/tags/{name}:refs/tags/{name}"));
        }
    }
    let starts = |c: char| specs.iter().any(|spec| spec.prefix().starts_with(c));
    let deletes = words.any(&["-d", "--mirror", "--prune"]) || starts(':');
    let forces = words.any(&["-f", "--force", "--force-with-lease"]) || starts('+');
    let action = if deletes {
        Action::Delete
    } else if forces {
        Action::Replace
    } else {
        Action::Update
    };
    let mut shown: Vec<Value> = remote.iter().cloned().collect();
    shown.extend(specs);
    let leases = words.matched.values("--force-with-lease");
    let known: Vec<&str> = leases.iter().filter_map(|lease| lease.as_known()).collect();
    let draft = Draft::new(action, "git.remote-ref")
        .names(shown)
        .flag("has-remote", remote.is_some())
        .flag("remote-unknown", remote.as_ref().is_some_and(|value| value.as_known().is_none()))
        .text("remote", remote.as_ref().and_then(Value::as_known))
        .flag("force", words.any(&["-f", "--force"]))
        .flag("lease", words.has("--force-with-lease"))
        .flag("lease-unknown", leases.iter().any(|lease| lease.as_known().is_none()))
        .text("leases", Some(known.join("\n").as_str()).filter(|text| !text.is_empty()))
        .flag("delete", words.has("-d"))
        .flag("mirror", words.has("--mirror"))
        .flag("prune", words.has("--prune"))
        .flag("all", words.has("--all"))
        .flag("tags", words.has("--tags"));
    vec![draft]
}
