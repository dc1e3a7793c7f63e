//! Git subcommands as mutations: what data cannot say, since it hangs on the shape of refs, paths and option pairs.
//!
//! Pure: says what a command means to do; the git probe finds out what that costs. Facts that it leaves for the probe are
//! named in [`Draft`]'s users. Knows nothing of the repository.

mod patch;
mod refs;
mod repository;
mod worktree;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::knowledge::{Match, SubjectKind};
use crate::model::{Action, Cause, FactValue, Saved, Subject, Value};
use crate::shell::{FileState, Invocation, Packing, Stdin};

use crate::programs::git::settings::set_by;

use crate::effects::program::{Change, Draft as Planned, Packed, Scene, Word, fact, named};

pub(crate) use patch::{files, patch, printed};

/// One mutation in the making.
struct Draft {
    action: Action,
    kind: String,
    names: Vec<Value>,
    facts: Vec<(String, FactValue)>,
    /// A path of the file system instead of something in the repository.
    path: bool,
    /// What is saved in git once this is done.
    saves: Vec<Saved>,
}

impl Draft {
    fn new(action: Action, kind: impl Into<String>) -> Self {
        Self {
            action,
            kind: kind.into(),
            names: Vec::new(),
            facts: Vec::new(),
            path: false,
            saves: Vec::new(),
        }
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
        self.facts.push((key.to_owned(), value));
        self
    }

    /// A file or tree named by a path.
    fn path(action: Action, kind: impl Into<String>, path: Value) -> Self {
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
        let end = self.matched.separator.unwrap_or(usize::MAX);
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
    // The grammar has read the words: they are not read a second time.
    let typed = |level: usize| matched.typed.get(level).cloned().unwrap_or_default();
    let words = Words { matched, stdin: &invocation.stdin, name: typed(1), second: typed(2) };
    // Its gap is told already; what it would mean otherwise is not known.
    if words.name.is_empty() {
        return Vec::new();
    }
    if words.name == "apply" {
        return patch::patch(scene, invocation);
    }
    let dirs = directories(scene, matched);
    let mut planned: Vec<_> = match drafts(scene, &words, &dirs) {
        Some(drafts) => drafts.into_iter().map(|draft| finish(scene, invocation, draft, &dirs)).collect(),
        None => vec![unread(scene, &words)],
    };
    planned.extend(moved_out(scene, &words, &dirs));
    if matches!(words.name.as_str(), "init" | "init-db")
        && let Some(path) = words.operands().first()
        && let Some(path) = scene.absolute(path, &dirs).as_known().map(PathBuf::from)
        && scene.at(&path).is_none()
    {
        let changes = vec![Change::Made { path, content: None, directory: true }];
        planned.push(Planned { mutation: None, changes, by_action: false });
    }
    if words.name == "mv" {
        let changes = worktree::moved(scene, &words, &dirs);
        take_places(&mut planned, &changes);
        planned.push(Planned { mutation: None, changes, by_action: false });
    }
    planned
}

/// A repository that is there already goes where `--separate-git-dir` says.
fn moved_out(scene: &Scene<'_>, words: &Words<'_>, dirs: &[PathBuf]) -> Option<Planned> {
    let value = words.matched.value("--separate-git-dir").filter(|_| words.name.starts_with("init"))?;
    let to = scene.absolute(value, dirs);
    let top = match words.operands().first() {
        Some(top) => scene.absolute(top, dirs).as_known().map(PathBuf::from),
        None => dirs.first().filter(|_| dirs.len() == 1).cloned(),
    };
    let from = top?.join(".git");
    let place = PathBuf::from(to.as_known()?);
    if !scene.is_directory(&from) {
        return None;
    }
    let mut mutation = scene.on_absolute(Action::Replace, "file", to, &Word::new(value.clone(), false));
    fact(&mut mutation, "renames", FactValue::Bool(true), "only the name is taken over");
    if let Subject::Path(subject) = &mut mutation.subject {
        subject.follow = false;
        subject.from = Some(from.clone());
    }
    Some(Planned::with(mutation, vec![Change::Moved { from, to: place }]))
}

/// Only the name is taken over: what stood there goes, and what takes its place comes from somewhere.
fn take_places(planned: &mut [Planned], changes: &[Change]) {
    for mutation in planned.iter_mut().filter_map(|planned| planned.mutation.as_mut()) {
        let Subject::Path(subject) = &mut mutation.subject else { continue };
        let place = subject.path.as_known().map(PathBuf::from);
        let source = changes.iter().find_map(|change| match change {
            Change::Moved { from, to } if Some(to) == place.as_ref() => Some(from),
            _ => None,
        });
        if let Some(from) = source {
            subject.from = Some(from.clone());
            fact(mutation, "renames", FactValue::Bool(true), "only the name is taken over");
        }
    }
}

/// What a subcommand means to do; `None` when neither the functions here nor the data say.
fn drafts(scene: &Scene<'_>, words: &Words<'_>, dirs: &[PathBuf]) -> Option<Vec<Draft>> {
    Some(match words.name.as_str() {
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
        "symbolic-ref" => match refs::symbolic_ref(words) {
            Some(list) => list,
            None => return declared(scene, words),
        },
        "stash" => refs::stash(words),
        "push" | "send-pack" => refs::push(words),
        "commit" => repository::commit(words),
        "gc" | "prune" | "repack" | "maintenance" => repository::objects(words),
        "reflog" => repository::reflog(words),
        "config" => repository::config(words),
        "init" | "init-db" | "clone" => repository::made(words),
        "format-patch" => patch::formatted(scene, words, dirs),
        "worktree" => repository::worktree(scene, words, dirs),
        "submodule" => repository::submodule(scene, words, dirs),
        "remote" => repository::remote(words),
        "merge" | "cherry-pick" | "revert" | "am" | "rebase" | "pull" => repository::history(words),
        _ => return declared(scene, words),
    })
}

/// What the data says of a subcommand whose words need no second look.
fn declared(scene: &Scene<'_>, words: &Words<'_>) -> Option<Vec<Draft>> {
    let command = &words.matched.command;
    if command.effects.is_empty() {
        return None;
    }
    let mut list = Vec::new();
    for effect in command.effects.iter().filter(|e| words.matched.holds(&e.r#if, &e.unless)) {
        let kind = &effect.on.kind;
        let path = scene.kind(kind).is_some_and(|kind| kind.subject == SubjectKind::Path);
        for filled in words.matched.fill(&effect.on.target, &[]) {
            if path {
                list.push(Draft::path(effect.action, kind.as_str(), filled.value));
                continue;
            }
            let names = filled.parts.into_iter().filter(|name| name.as_known() != Some(""));
            let draft = Draft::new(effect.action, kind.as_str()).names(names);
            list.push(effect.with.iter().fold(draft, |mut draft, flag| {
                draft.facts.push((flag.clone(), FactValue::Bool(true)));
                draft
            }));
        }
    }
    Some(list)
}

/// A subcommand of which nothing says what it does.
fn unread(scene: &Scene<'_>, words: &Words<'_>) -> Planned {
    let name = format!("git {} {}", words.name, words.second);
    let name = name.trim_end();
    Planned::of(scene.unknown(
        Action::Execute,
        Cause::UnknownForm,
        name,
        &format!("{name}: what this form does is not known"),
    ))
}

/// Directories that git may run in: every `-C` of git itself counts from the one before. Empty when not known.
pub(in crate::programs) fn directories(scene: &Scene<'_>, matched: &Match) -> Vec<PathBuf> {
    let mut dirs = scene.cwds().to_vec();
    for option in matched.options.iter().filter(|option| option.key == "-C" && option.level == 0) {
        let Some(given) = &option.value else { continue };
        dirs = scene.absolute(given, &dirs).choices().unwrap_or_default().iter().map(PathBuf::from).collect();
    }
    dirs
}

/// Whether the words say that a subcommand goes on in submodules.
fn goes_on(matched: &Match) -> Option<bool> {
    let off = |value: &Value| value.as_known().is_some_and(|value| matches!(value, "no" | "off" | "false"));
    match matched.value("--recurse-submodules") {
        Some(value) => Some(!off(value)),
        None if matched.has("--recurse-submodules") => Some(true),
        None => matched.has("--no-recurse-submodules").then_some(false),
    }
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
    let copies = scene.files.held_in(Path::new("/")).cloned().collect();
    let subject = Subject::Git { dir, names: draft.names, saved, copies };
    let mut mutation = scene.mutation(draft.action, &draft.kind, subject, shown, None);
    for (key, value) in draft.facts {
        fact(&mut mutation, &key, value, &format!("the command says {key}"));
    }
    if mutation.facts.contains_key("asks") {
        mutation.context.asks = true;
    }
    if let Some(says) = goes_on(matched).filter(|_| draft.kind == "git.changes") {
        fact(&mut mutation, "submodules", FactValue::Bool(says), "--recurse-submodules");
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
    let given = matched
        .options
        .iter()
        .filter(|option| option.key == "-c" && option.level == 0)
        .filter_map(|option| option.value.as_ref().and_then(Value::as_known).map(str::to_owned));
    let set = set_by(&invocation.environment).into_iter().map(|(key, value)| format!("{key}={value}"));
    let settings: Vec<String> = set.chain(given).collect();
    if draft.kind == "git.config" {
        let files = named_files(&invocation.environment);
        if !files.is_empty() {
            fact(
                &mut mutation,
                "config-files",
                FactValue::Text(files.join("\n")),
                "files that variables name",
            );
        }
    }
    if !settings.is_empty() {
        fact(&mut mutation, "settings", FactValue::Text(settings.join("\n")), "configuration given with -c");
    }
    let mut changes = Vec::new();
    if let Some(dir) = single {
        if made_here(scene, dir) {
            fact(&mut mutation, "made", FactValue::Bool(true), "this command makes the directory itself");
        }
        for what in &draft.saves {
            let key = match what {
                Saved::Tracked => "saves-tracked",
                Saved::Untracked => "saves-untracked",
                Saved::Ignored => "saves-ignored",
            };
            fact(&mut mutation, key, FactValue::Bool(true), "the command puts it into git");
        }
        changes.extend(draft.saves.into_iter().map(|what| Change::Saved { dir: dir.clone(), what }));
    }
    Planned::with(mutation, changes)
}

/// Files of settings that variables name.
fn named_files(environment: &[(String, Value)]) -> Vec<String> {
    let named = |name: &str, below: &str| {
        let set = environment.iter().rev().find(|(known, _)| known == name);
        set.and_then(|(_, value)| value.as_known()).map(|value| format!("{value}{below}"))
    };
    let files = [
        ("GIT_CONFIG", ""),
        ("GIT_CONFIG_GLOBAL", ""),
        ("GIT_CONFIG_SYSTEM", ""),
        ("XDG_CONFIG_HOME", "/git/config"),
        ("HOME", "/.gitconfig"),
    ];
    files.into_iter().filter_map(|(name, below)| named(name, below)).collect()
}

/// Whether the whole directory comes from this command.
fn made_here(scene: &Scene<'_>, dir: &Path) -> bool {
    matches!(scene.files.nearest(dir), Some((_, FileState::Created { .. })))
}

fn on_path(scene: &Scene<'_>, draft: Draft, dirs: &[PathBuf]) -> Planned {
    let value = draft.names.into_iter().next().unwrap_or(Value::Unknown);
    let path = scene.absolute(&value, dirs);
    let place = path.as_known().map(PathBuf::from);
    let mut mutation = scene.on_absolute(draft.action, &draft.kind, path, &Word::new(value, false));
    for (key, value) in draft.facts {
        fact(&mut mutation, &key, value, &format!("the command says {key}"));
    }
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

/// `git archive`: what it packs, and where to.
pub(in crate::programs) fn archive(scene: &Scene<'_>, matched: &Match) -> Option<Packed> {
    if matched.typed.get(1).is_none_or(|name| name != "archive") {
        return None;
    }
    let into = match matched.value("-o").filter(|file| file.as_known() != Some("-")) {
        Some(file) => Some(scene.absolute(file, &directories(scene, matched)).as_known().map(PathBuf::from)?),
        None => None,
    };
    Some(Packed { into, packing: git_archive(scene, matched) })
}

fn git_archive(scene: &Scene<'_>, matched: &Match) -> Option<Packing> {
    let other = ["--remote", "-l", "--add-file", "--add-virtual-file", "--git-dir", "--work-tree"];
    if other.iter().any(|key| matched.has(key)) {
        return None;
    }
    let [dir] = <[_; 1]>::try_from(directories(scene, matched)).ok()?;
    let prefix = match matched.value("--prefix") {
        Some(prefix) => prefix.as_known()?.to_owned(),
        None => String::new(),
    };
    let tree = matched.operand("tree")?.value.as_known()?.to_owned();
    Some(Packing { dir, tree: Some(tree), names: named(matched, "pathspec")?, prefix })
}
