//! Subcommands that change history, the object store, configuration, or make and remove working trees.

use std::path::{Path, PathBuf};

use super::{Draft, Words};
use crate::effects::program::Scene;
use crate::model::{Action, Saved, Value};
use crate::world::git_dir::Config;

pub(super) fn commit(words: &Words<'_>) -> Vec<Draft> {
    let saves: &[Saved] =
        if words.has("-a") && words.operands().is_empty() { &[Saved::Tracked] } else { &[] };
    if words.has("--amend") {
        let previous = Value::known("HEAD~1");
        return vec![
            Draft::new(Action::Update, "git.commits")
                .names([previous])
                .text("to", Some("HEAD~1"))
                .flag("amend", true)
                .saves(saves),
        ];
    }
    let paths = words.operands();
    vec![
        Draft::new(Action::Create, "git.commit")
            .saves(saves)
            .flag("saves-paths", !paths.is_empty())
            .names(paths),
    ]
}

/// Rebase and its kin.
pub(super) fn history(words: &Words<'_>) -> Vec<Draft> {
    if words.any(&["--abort", "--skip"]) {
        // A rebase is given up by a hard reset, the others leave alone what no conflict touched.
        let draft = Draft::new(Action::Update, "git.changes").flag("whole", true).flag("abort", true);
        return vec![draft.flag("merge", words.name != "rebase").flag("any-ref", words.name == "rebase")];
    }
    if words.any(&["--quit", "--continue", "--edit-todo", "--show-current-patch"]) {
        // Where it was goes, what was committed stays.
        let draft = Draft::new(Action::Create, "git.commit").flag("abort", words.has("--quit"));
        let goes_on = words.has("--continue");
        return vec![draft.flag("brings", goes_on).flag("any-ref", goes_on)];
    }
    let mut list = brought(words);
    let fetches = words.name == "pull";
    let onto = |spec: &Value| spec.as_known().is_none_or(|spec| spec.contains(':') || spec.starts_with('+'));
    let any_ref = fetches && (words.any(&["-f", "--refmap"]) || words.operands().iter().skip(1).any(onto));
    // Mail, and ranges of commits: which files those change is not told by the words.
    let range = |name: &Value| name.as_known().is_none_or(|name| name.contains(".."));
    let picks = matches!(words.name.as_str(), "cherry-pick" | "revert");
    let brings = list.is_empty() || picks && words.operands().iter().any(range);
    let rebases = words.name == "rebase" || (fetches && words.has("-r"));
    if !rebases {
        // Merges refuse where uncommitted work is touched, and only add commits.
        let draft = Draft::new(Action::Create, "git.commit").flag("fetches", fetches);
        list.push(draft.flag("any-ref", any_ref).flag("brings", brings));
        return list;
    }
    let to = words.matched.value("--onto").cloned().or_else(|| words.operands().first().cloned());
    let text = to.as_ref().and_then(Value::as_known).map(str::to_owned);
    let to = if fetches { None } else { to };
    let text = if fetches { Some("@{upstream}".to_owned()) } else { text.or(Some("@{upstream}".to_owned())) };
    list.push(
        Draft::new(Action::Update, "git.commits")
            .names(to)
            .text("to", text.as_deref())
            .flag("rebase", true)
            .flag("any-ref", any_ref)
            .flag("fetches", fetches),
    );
    list
}

/// Revisions whose files come into the working tree: ignored files of the same name are overwritten.
fn brought(words: &Words<'_>) -> Vec<Draft> {
    let operands = words.operands();
    let upstream = Value::known("@{upstream}");
    match words.name.as_str() {
        "pull" => {
            let known = |at: usize| operands.get(at).and_then(Value::as_known);
            let draft = super::worktree::switches(Some(&upstream)).flag("fetches", true);
            let branch = known(1).map(|spec| {
                let spec = spec.trim_start_matches('+');
                spec.split_once(':').map_or(spec, |(from, _)| from).to_owned()
            });
            vec![
                draft
                    .flag("merges", !words.has("-r"))
                    .text("remote", known(0))
                    .text("branch", branch.as_deref()),
            ]
        }
        "merge" if operands.is_empty() => {
            vec![super::worktree::switches(Some(&upstream)).flag("merges", true)]
        }
        "merge" => {
            operands.iter().map(|to| super::worktree::switches(Some(to)).flag("merges", true)).collect()
        }
        "rebase" => {
            let to = words.matched.value("--onto").or(operands.first()).unwrap_or(&upstream);
            vec![super::worktree::switches(Some(to)).flag("rebases", true)]
        }
        "cherry-pick" | "revert" => operands
            .iter()
            .filter(|name| name.as_known().is_some())
            .map(|name| {
                let range = name.as_known().and_then(|name| name.split_once(".."));
                let (before, name) = match range {
                    Some((from, to)) => (Value::known(from), Value::known(to.trim_start_matches('.'))),
                    None => (name.map(|name| format!("{name}^")), name.clone()),
                };
                let (from, to) = if words.name == "revert" { (name, before) } else { (before, name) };
                super::worktree::switches(Some(&to)).text("base", from.as_known())
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// What of `--expire` keeps recent objects.
fn keeps_recent(date: &str) -> bool {
    ["week", "month", "year", "never"].iter().any(|unit| date.contains(unit))
}

pub(super) fn objects(words: &Words<'_>) -> Vec<Draft> {
    let draft = Draft::new(Action::Delete, "git.objects");
    match words.name.as_str() {
        "gc" => {
            let date = words.value("--prune");
            vec![
                match date {
                    Some(date) => draft.text("expire", Some(date)).flag("grace", keeps_recent(date)),
                    None => draft.flag("expire-configured", true),
                }
                .flag("expires-reflog", true),
            ]
        }
        "prune" => {
            let date = words.value("--expire").unwrap_or("now");
            vec![draft.text("expire", Some(date)).flag("grace", keeps_recent(date))]
        }
        "repack" if words.has("-d") && words.any(&["-a", "--cruft-expiration", "--unpack-unreachable"]) => {
            vec![draft.flag("packed", words.has("-a")).flag("grace", words.has("-k"))]
        }
        "maintenance" => vec![draft.flag("expire-configured", true)],
        _ => vec![Draft::new(Action::Update, "git.index"), Draft::new(Action::Create, "git.store")],
    }
}

pub(super) fn reflog(words: &Words<'_>) -> Vec<Draft> {
    let mut names = words.operands();
    if words.has("--all") {
        names.push(Value::known("--all"));
    }
    let dates: Vec<&str> =
        ["--expire", "--expire-unreachable"].iter().filter_map(|key| words.value(key)).collect();
    let expires = words.second == "expire";
    let grace = expires && (dates.is_empty() || dates.iter().all(|date| keeps_recent(date)));
    vec![Draft::new(Action::Delete, "git.reflog").names(names).flag("grace", grace)]
}

pub(super) fn config(words: &Words<'_>) -> Vec<Draft> {
    let mut operands = words.operands();
    let known = |value: Option<&Value>| value.and_then(Value::as_known).map(str::to_owned);
    let first = known(operands.first());
    let takes = matches!(first.as_deref(), Some("unset" | "rename-section" | "remove-section"))
        || words.any(&["--unset", "--unset-all", "--remove-section", "--rename-section"]);
    let write = match first.as_deref() {
        Some("get" | "list" | "get-color" | "get-colorbool") => return Vec::new(),
        Some("set" | "unset" | "rename-section" | "remove-section" | "edit") if operands.len() > 1 => {
            operands.remove(0);
            true
        }
        _ => {
            operands.len() > 1
                || words.any(&["--unset", "--unset-all", "--remove-section", "--rename-section", "-e"])
        }
    };
    if !write {
        return Vec::new();
    }
    // Another file than the repository's own: `.gitmodules`, say.
    if let Some(file) = words.matched.value("-f") {
        return vec![Draft::path(Action::Update, "file", file.clone()).flag("in-place", true)];
    }
    let value = known(operands.get(1));
    let name = operands.into_iter().next().unwrap_or(Value::Unknown);
    let action = if takes { Action::Delete } else { Action::Update };
    vec![Draft::new(action, "git.config").names([name]).text("value", value.as_deref())]
}

/// `init` and `clone`.
pub(super) fn made(words: &Words<'_>) -> Vec<Draft> {
    let operands = words.operands();
    if words.name != "clone" {
        return vec![Draft::new(Action::Create, "git.repository").names(operands)];
    }
    let directory = operands.get(1).cloned().or_else(|| {
        operands.first().map(|url| {
            url.map(|url| {
                let path = url.trim_end_matches('/').trim_end_matches("/.git");
                let name = path.rsplit(['/', ':']).next().unwrap_or(path);
                name.trim_end_matches(".git").trim_end_matches(".bundle").to_owned()
            })
        })
    });
    vec![Draft::path(Action::Create, "tree", directory.unwrap_or(Value::Unknown))]
}

/// With force a working tree goes as `rm -r` would take it; without, or by another name than its path, git has a say.
fn removed_trees(scene: &Scene<'_>, words: &Words<'_>, dirs: &[PathBuf]) -> Vec<Draft> {
    let forced = words.matched.options.iter().filter(|option| option.key == "-f").count();
    let stands = |path: &Value| match scene.absolute(path, dirs).as_known() {
        Some(path) => scene.at(Path::new(path)).is_some(),
        None => true,
    };
    let each = |path: Value| {
        if forced > 0 && stands(&path) {
            return Draft::path(Action::Delete, "tree", path).flag("unless-locked", forced == 1);
        }
        let draft = Draft::new(Action::Delete, "git.worktree").names([path]);
        draft.flag("force", forced > 0).flag("locked-too", forced > 1)
    };
    words.operands().into_iter().map(each).collect()
}

pub(super) fn worktree(scene: &Scene<'_>, words: &Words<'_>, dirs: &[PathBuf]) -> Vec<Draft> {
    match words.second.as_str() {
        "remove" => removed_trees(scene, words, dirs),
        "move" => {
            let operands = words.operands();
            let to = operands.get(1).and_then(Value::as_known);
            let draft = Draft::new(Action::Update, "git.worktree").names(operands.first().cloned());
            vec![draft.text("to", to)]
        }
        "prune" => vec![Draft::new(Action::Create, "git.head").flag("trees", true)],
        "unlock" => vec![Draft::new(Action::Create, "git.head").flag("unlocks", true)],
        "add" => words
            .matched
            .value("-B")
            .map(|name| Draft::new(Action::Replace, "git.branch").names([name.clone()]))
            .into_iter()
            .chain(words.operands().first().map(|path| Draft::path(Action::Create, "tree", path.clone())))
            .collect(),
        _ => vec![Draft::new(Action::Create, "git.head")],
    }
}

/// The trees that `deinit -f` empties, or `update -f` sets back: of the submodules at or below what is named, and none where there are none.
fn emptied(scene: &Scene<'_>, words: &Words<'_>, dirs: &[PathBuf], all: bool) -> Vec<Value> {
    let mut paths = words.operands();
    if paths.is_empty() {
        paths.push(Value::Unknown);
    }
    let ([dir], None) = (dirs, &scene.step.context.host) else { return paths };
    let Some(top) = dir.ancestors().find(|dir| scene.at(&dir.join(".git")).is_some()) else { return paths };
    // One that stands further down belongs to another repository, which the environment may name.
    let further = dir.ancestors().take_while(|dir| *dir != top);
    if further.into_iter().any(|dir| scene.at(&dir.join(".gitmodules")).is_some()) {
        return paths;
    }
    let list = top.join(".gitmodules");
    let text = scene.look.text(&list);
    // Another list may stand in git's own store; what was ever laid out has its repository there.
    if text.is_none() && (scene.at(&list).is_some() || scene.at(&top.join(".git/modules")).is_some()) {
        return paths;
    }
    let mut modules = Config::default();
    modules.read(&text.unwrap_or_default());
    let trees: Vec<PathBuf> =
        modules.iter().filter(|(key, _)| key.ends_with(".path")).map(|(_, path)| top.join(path)).collect();
    let mut found = Vec::new();
    if all {
        paths = vec![Value::known(top.to_string_lossy())];
    }
    for path in paths {
        let place = scene.absolute(&path, dirs);
        match place.as_known().filter(|place| !place.contains(['*', '?', '[', ':'])) {
            Some(place) => {
                let below = trees.iter().filter(|tree| tree.starts_with(place));
                found.extend(below.map(|tree| Value::known(tree.to_string_lossy())));
            }
            None if trees.is_empty() => {}
            None => found.push(path),
        }
    }
    found
}

pub(super) fn submodule(scene: &Scene<'_>, words: &Words<'_>, dirs: &[PathBuf]) -> Vec<Draft> {
    match words.second.as_str() {
        "deinit" if words.has("-f") => {
            let paths = emptied(scene, words, dirs, words.has("--all"));
            paths.into_iter().map(|path| Draft::path(Action::Delete, "tree", path)).collect()
        }
        "update" if words.has("-f") => {
            let paths = emptied(scene, words, dirs, words.operands().is_empty());
            paths.into_iter().map(|path| Draft::path(Action::Update, "tree", path)).collect()
        }
        // It refuses where something is changed or new.
        "deinit" if !words.has("--all") => {
            let draft = Draft::new(Action::Delete, "git.changes").names(words.operands());
            vec![draft.flag("removes", true).flag("safe", true)]
        }
        "foreach" => Vec::new(),
        _ => vec![Draft::new(Action::Create, "git.head").flag("settings-too", true)],
    }
}

/// Settings that a remote gets: what later steps push to, and how.
fn added(words: &Words<'_>, operands: &[Value]) -> Option<String> {
    let known = |at: usize| operands.get(at).and_then(Value::as_known);
    let (name, url) = (known(0)?, known(1)?);
    let mut lines = match words.second.as_str() {
        "add" | "set-url" => vec![format!("remote.{name}.url={url}")],
        _ => return None,
    };
    let mirror = words.matched.has("--mirror").then(|| words.value("--mirror"));
    if matches!(mirror, Some(None | Some("push"))) {
        lines.push(format!("remote.{name}.mirror=true"));
    }
    if matches!(mirror, Some(None | Some("fetch"))) {
        lines.push(format!("remote.{name}.fetch=+refs/*:refs/*"));
    }
    Some(lines.join("\n"))
}

pub(super) fn remote(words: &Words<'_>) -> Vec<Draft> {
    match words.second.as_str() {
        "remove" | "rm" => vec![Draft::new(Action::Delete, "git.remote").names(words.operands())],
        "prune" => vec![Draft::new(Action::Update, "git.remote").names(words.operands())],
        "update" => {
            vec![Draft::new(Action::Create, "git.fetch").flag("moves", words.any(&["-p", "--prune"]))]
        }
        second => {
            let refs = matches!(second, "rename" | "set-head");
            let draft = Draft::new(Action::Update, "git.config").names([Value::known("remote")]);
            let operands = words.operands();
            let to = operands.get(1).filter(|_| second == "rename").and_then(Value::as_known);
            let added = added(words, &operands);
            // What it brings at once may take the place of branches here.
            let brings = words.has("-f") && words.has("--mirror");
            vec![draft.flag("all-refs", refs || brings).text("to", to).text("added", added.as_deref())]
        }
    }
}
