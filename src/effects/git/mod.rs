//! Git subcommands as mutations: what data cannot say, since it hangs on the shape of refs, paths and option pairs.
//!
//! Pure: says what a command means to do; the git probe finds out what that costs. Facts that it leaves for the probe are
//! named in [`Draft`]'s users. Knows nothing of the repository.

mod refs;
mod repository;
mod worktree;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::knowledge::Match;
use crate::model::{Action, FactValue, Saved, Subject, Value};
use crate::shell::{FileState, Invocation, Stdin};

use super::draft::{Change, Draft as Planned};
use super::paths::absolute;
use super::scene::{Scene, Word, fact};

/// One mutation in the making.
struct Draft {
    action: Action,
    kind: &'static str,
    names: Vec<Value>,
    facts: Vec<(&'static str, FactValue)>,
    /// A path of the file system instead of something in the repository.
    path: bool,
    /// What is saved in git once this is done.
    saves: Vec<Saved>,
}

impl Draft {
    fn new(action: Action, kind: &'static str) -> Self {
        Self { action, kind, names: Vec::new(), facts: Vec::new(), path: false, saves: Vec::new() }
    }

    fn names(mut self, names: impl IntoIterator<Item = Value>) -> Self {
        self.names.extend(names);
        self
    }

    fn flag(self, key: &'static str, holds: bool) -> Self {
        if holds { self.fact(key, FactValue::Bool(true)) } else { self }
    }

    fn text(self, key: &'static str, text: Option<&str>) -> Self {
        match text {
            Some(text) => self.fact(key, FactValue::Text(text.to_owned())),
            None => self,
        }
    }

    fn fact(mut self, key: &'static str, value: FactValue) -> Self {
        self.facts.push((key, value));
        self
    }

    /// A file or tree named by a path.
    fn path(action: Action, kind: &'static str, path: Value) -> Self {
        Self { path: true, ..Self::new(action, kind).names([path]) }
    }

    fn saves(mut self, what: &[Saved]) -> Self {
        self.saves.extend_from_slice(what);
        self
    }
}

/// The words of one invocation, as the functions here read them.
struct Words<'a> {
    matched: &'a Match,
    stdin: &'a Stdin,
    /// Subcommand as typed (`pull`, though `merge` declares it), and a second one (`stash drop`) where there is one.
    name: String,
    second: String,
    /// Index of `--`.
    separator: Option<usize>,
}

impl Words<'_> {
    fn has(&self, key: &str) -> bool {
        self.matched.has(key)
    }

    fn any(&self, keys: &[&str]) -> bool {
        keys.iter().any(|key| self.has(key))
    }

    /// A value that is known.
    fn value(&self, key: &str) -> Option<&str> {
        self.matched.value(key).and_then(Value::as_known)
    }

    fn operands(&self) -> Vec<Value> {
        self.matched.operands.iter().map(|binding| binding.value.clone()).collect()
    }

    /// Operands before and behind `--`.
    fn divided(&self) -> (Vec<Value>, Vec<Value>) {
        let end = self.separator.unwrap_or(usize::MAX);
        let (before, behind): (Vec<_>, Vec<_>) =
            self.matched.operands.iter().partition(|binding| binding.index < end);
        let values =
            |list: Vec<&crate::knowledge::Binding>| list.into_iter().map(|b| b.value.clone()).collect();
        (values(before), values(behind))
    }

    /// Nobody is asked: input is empty, or an answer is piped in.
    fn asks(&self) -> bool {
        matches!(self.stdin, Stdin::Inherited)
    }
}

/// The mutations of a git invocation.
pub(super) fn git(scene: &Scene<'_>, invocation: &Invocation) -> Vec<Planned> {
    let matched = &invocation.matched;
    let (name, second) = subcommand(invocation);
    let separator = invocation.args.iter().skip(1).position(|arg| arg.value.as_known() == Some("--"));
    let words = Words { matched, stdin: &invocation.stdin, name, second, separator };
    let dirs = directories(scene, matched);
    let mut planned: Vec<_> =
        drafts(&words).into_iter().map(|draft| finish(scene, invocation, draft, &dirs)).collect();
    if words.name == "mv" {
        let changes = worktree::moved(scene, &words, &dirs);
        planned.push(Planned { mutation: None, changes, by_action: false });
    }
    planned
}

fn drafts(words: &Words<'_>) -> Vec<Draft> {
    match words.name.as_str() {
        "add" | "stage" => worktree::add(words),
        "rm" => worktree::remove(words),
        "mv" => worktree::rename(words),
        "reset" => worktree::reset(words),
        "checkout" => worktree::checkout(words),
        "switch" => worktree::switch(words),
        "restore" => worktree::restore(words),
        "clean" => worktree::clean(words),
        "checkout-index" => worktree::checkout_index(words),
        "read-tree" => worktree::read_tree(words),
        "branch" => refs::branch(words),
        "tag" => refs::tag(words),
        "update-ref" => refs::update_ref(words),
        "stash" => refs::stash(words),
        "push" | "send-pack" => refs::push(words),
        "commit" => repository::commit(words),
        "gc" | "prune" | "repack" | "maintenance" => repository::objects(words),
        "reflog" => repository::reflog(words),
        "config" => repository::config(words),
        "init" | "init-db" | "clone" => repository::made(words),
        "worktree" => repository::worktree(words),
        "submodule" => repository::submodule(words),
        "fetch" | "fetch-pack" => vec![Draft::new(Action::Create, "git.fetch")],
        "remote" => repository::remote(words),
        "filter-repo" => vec![Draft::new(Action::Delete, "git.history").flag("force", words.has("-f"))],
        "filter-branch" => {
            vec![Draft::new(Action::Update, "git.commits").names(words.operands()).flag("rewrites", true)]
        }
        "fast-import" if words.has("--force") => {
            vec![Draft::new(Action::Replace, "git.ref").names([Value::Unknown])]
        }
        "merge-file" => words
            .operands()
            .into_iter()
            .next()
            .map(|path| Draft::path(Action::Update, "file", path))
            .into_iter()
            .collect(),
        "merge" | "cherry-pick" | "revert" | "am" | "rebase" | "pull" | "replay" => {
            repository::history(words)
        }
        "notes" if words.second == "remove" || words.second == "prune" => {
            vec![Draft::new(Action::Delete, "git.note").names(words.operands())]
        }
        "lfs" if words.second == "prune" => vec![Draft::new(Action::Delete, "git.lfs")],
        "gui" | "citool" | "instaweb" | "web--browse" | "difftool" | "mergetool" => Vec::new(),
        "apply" | "sparse-checkout" | "update-index" => vec![Draft::new(Action::Update, "git.index")],
        _ => vec![Draft::new(Action::Create, "git.commit")],
    }
}

/// The subcommand as typed and the word behind it.
fn subcommand(invocation: &Invocation) -> (String, String) {
    let taken: Vec<usize> = invocation
        .matched
        .options
        .iter()
        .filter(|option| option.level == 0)
        .flat_map(|option| [option.index, option.value_index])
        .collect();
    let mut plain = invocation
        .args
        .iter()
        .skip(1)
        .enumerate()
        .filter(|(index, _)| !taken.contains(index))
        .filter_map(|(_, arg)| arg.value.as_known().map(str::to_owned));
    let name = plain.next().unwrap_or_default();
    let path = &invocation.matched.path;
    let second = if path.len() > 2 {
        plain
            .find(|word| !word.starts_with('-'))
            .filter(|word| {
                !matches!((name.as_str(), word.as_str()), ("stash", _)) || path[2] != "push" || word == "save"
            })
            .unwrap_or_default()
    } else {
        String::new()
    };
    // Without a word of its own (`git stash -u`) it is the declared one.
    let known = path.get(2).cloned().unwrap_or_default();
    (name, if second.is_empty() { known } else { second })
}

/// Directories that git may run in: every `-C` of git itself counts from the one before. Empty when not known.
fn directories(scene: &Scene<'_>, matched: &Match) -> Vec<PathBuf> {
    let mut dirs = scene.cwds().to_vec();
    for option in matched.options.iter().filter(|option| option.key == "-C" && option.level == 0) {
        let Some(given) = &option.value else { continue };
        dirs = absolute(given, &dirs).choices().unwrap_or_default().iter().map(PathBuf::from).collect();
    }
    dirs
}

fn finish(scene: &Scene<'_>, invocation: &Invocation, draft: Draft, dirs: &[PathBuf]) -> Planned {
    let matched = &invocation.matched;
    let shown = draft.names.iter().map(Value::display).collect::<Vec<_>>().join(" ");
    if draft.path {
        return on_path(scene, draft, dirs);
    }
    let dir = Value::one_of(dirs.iter().map(|dir| dir.to_string_lossy().into_owned()).collect());
    let single = dirs.first().filter(|_| dirs.len() == 1);
    let saved = single.map_or_else(BTreeSet::new, |dir| scene.files.saved(dir));
    let subject = Subject::Git { dir, names: draft.names, saved };
    let mut mutation = scene.mutation(draft.action, draft.kind, subject, shown, None);
    for (key, value) in draft.facts {
        fact(&mut mutation, key, value, &format!("the command says {key}"));
    }
    if mutation.facts.contains_key("asks") {
        mutation.context.asks = true;
    }
    for (key, option, variable) in
        [("git-dir", "--git-dir", "GIT_DIR"), ("work-tree", "--work-tree", "GIT_WORK_TREE")]
    {
        let set = invocation.environment.iter().rev().find(|(name, _)| name == variable);
        let given = matched.value(option).or(set.map(|(_, value)| value));
        match given {
            Some(Value::Known(text)) => fact(&mut mutation, key, FactValue::Text(text.clone()), option),
            // Some other repository that cannot be told.
            Some(_) => {
                if let Subject::Git { dir, .. } = &mut mutation.subject {
                    *dir = Value::Unknown;
                }
            }
            None => {}
        }
    }
    let settings: Vec<&str> = matched
        .options
        .iter()
        .filter(|option| option.key == "-c" && option.level == 0)
        .filter_map(|option| option.value.as_ref().and_then(Value::as_known))
        .collect();
    if !settings.is_empty() {
        fact(&mut mutation, "settings", FactValue::Text(settings.join("\n")), "configuration given with -c");
    }
    let mut changes = Vec::new();
    if let Some(dir) = single {
        if made_here(scene, dir) {
            fact(&mut mutation, "made", FactValue::Bool(true), "this command makes the directory itself");
        }
        changes.extend(draft.saves.into_iter().map(|what| Change::Saved { dir: dir.clone(), what }));
    }
    Planned::with(mutation, changes)
}

/// Whether the whole directory comes from this command.
fn made_here(scene: &Scene<'_>, dir: &Path) -> bool {
    matches!(scene.files.nearest(dir), Some((_, FileState::Created { .. })))
}

fn on_path(scene: &Scene<'_>, draft: Draft, dirs: &[PathBuf]) -> Planned {
    let value = draft.names.into_iter().next().unwrap_or(Value::Unknown);
    let path = absolute(&value, dirs);
    let place = path.as_known().map(PathBuf::from);
    let mutation = scene.on_absolute(draft.action, draft.kind, path, &Word::new(value, false));
    let mut planned = Planned::of(mutation);
    // `clone` and `worktree add` refuse a directory that holds anything.
    if draft.action == Action::Create
        && let Some(path) = place
        && scene.at(&path).is_none()
    {
        planned.changes.push(Change::Made { path, content: None, directory: true });
    }
    planned
}
