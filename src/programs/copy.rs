//! `cp`, `install` and `ln`: where copies and links land and what they take the place of.

use std::path::{Path, PathBuf};

use crate::knowledge::Match;
use crate::model::{Action, Subject, Value};
use crate::shell::{Invocation, of_a_process};
use crate::world::FileKind;

use super::backup;
use super::place::{Placed, overwrite_facts, placed, with_displaced};
use crate::effects::program::{Change, Draft, Scene, flag, is_remote, keeps_nothing, text_of};

/// See [`Room::Copy`](crate::knowledge::Room::Copy).
pub(super) struct Copy;

impl super::Program for Copy {
    fn does(&self, scene: &Scene<'_>, invocation: &Invocation, declared: Vec<Draft>) -> Vec<Draft> {
        copy(scene, invocation, declared)
    }
}

/// One draft per source. Forms without sources (`install -d`) are what the data says.
fn copy(scene: &Scene<'_>, invocation: &Invocation, drafts: Vec<Draft>) -> Vec<Draft> {
    let matched = &invocation.matched;
    if matched.operand("src").is_none() {
        return drafts;
    }
    let (into, drafts): (Vec<Draft>, Vec<Draft>) = drafts.into_iter().partition(is_into);
    if is_scp(matched)
        && let Some(dest) = matched.operand("dest").filter(|dest| is_remote(&dest.value))
    {
        let parts = std::slice::from_ref(&dest.value);
        return vec![Draft::of(scene.on_other(Action::Update, "remote.tree", parts, &dest.value))];
    }
    // Between this machine and a store elsewhere: what is here is written like any copy.
    let stores = |draft: &Draft| draft.mutation.as_ref().is_some_and(|mutation| mutation.kind == STORE);
    if drafts.iter().any(stores)
        && matched.operand("dest").is_none_or(|dest| is_remote(&dest.value) || dest.value.prefix().is_empty())
    {
        return drafts;
    }
    let several = matched.operands("src").iter().any(|source| is_several(matched, &source.value));
    let links = matched.tool.names.iter().any(|name| name == "ln" || name == "link");
    let places = placed(scene, invocation, matched.has("--parents"));
    let drafts = places.into_iter();
    let drafts = drafts
        .map(|place| if links { link(scene, invocation, &place) } else { one(scene, invocation, &place) });
    let mut drafts = with_displaced(scene, drafts.collect());
    drafts.extend(into.into_iter().filter(|_| several));
    drafts
}

/// Whether it says that something comes from elsewhere under names that are not known here.
fn is_into(draft: &Draft) -> bool {
    draft.mutation.as_ref().is_some_and(|mutation| mutation.kind == INTO)
}

/// Whether a source elsewhere may be more than the one file that it is called.
fn is_several(matched: &Match, source: &Value) -> bool {
    let whole = ["-r", "-R", "--recursive"].iter().any(|key| matched.has(key));
    let name = source.as_known().map(|text| text.rsplit(['/', ':']).next().unwrap_or(text));
    whole || name.is_none_or(|name| matches!(name, "" | "." | "..") || name.contains(['*', '?', '[', '{']))
}

/// Kind of a directory that a download is put into.
const INTO: &str = "download.into";

/// Kind of what lies in a store elsewhere.
const STORE: &str = "cloud.objects";

/// Its operands may be on other machines.
fn is_scp(matched: &Match) -> bool {
    matched.tool.names.iter().any(|name| name == "scp")
}

fn one(scene: &Scene<'_>, invocation: &Invocation, placed: &Placed) -> Draft {
    let matched = &invocation.matched;
    let source = placed.from.as_deref().and_then(|from| scene.at(from));
    let is_tree = source.is_some_and(|seen| seen.kind == FileKind::Directory);
    let whole = ["-r", "-a"].iter().any(|key| matched.has(key));
    let far = placed.from.is_none() && is_remote(&placed.source.value);
    let onto_tree = (is_tree || whole && (placed.comes || far) && source.is_none())
        && placed.place().is_some_and(|to| scene.is_directory(&to));
    let kind = if onto_tree { "tree" } else { "file" };
    let mut mutation = scene.on_absolute(Action::Replace, kind, placed.to.clone(), &placed.shown);
    overwrite_facts(invocation, &mut mutation);
    let installs = matched.tool.names.iter().any(|name| name == "install");
    let attributes = matched.has("--attributes-only");
    if attributes {
        flag(&mut mutation, "no-change", "only attributes are copied");
    }
    let renews = installs || matched.has("--remove-destination");
    if !renews && !matched.has("-f") && !onto_tree {
        flag(&mut mutation, "in-place", "written in place");
    }
    if let (Some(from), Some(to)) = (&placed.from, placed.place())
        && scene.is_copy_of(from, &to)
    {
        flag(&mut mutation, "no-change", "it gets back what it holds");
    }
    let mut changes = Vec::new();
    if let Subject::Path(subject) = &mut mutation.subject {
        // `install` and `--remove-destination` put a new file in the old one's place; `cp` writes through a link.
        subject.follow = !renews;
        match placed.from.as_deref() {
            Some(from) if text_of(from) == "/dev/null" => subject.content = Some(String::new()),
            from => subject.from = as_it_stands(scene, from, onto_tree && placed.comes),
        }
        if let (Some(from), Some(to)) = (&placed.from, placed.place()) {
            // What is in a tree is backed up file by file.
            changes.extend(backup::moved(scene, invocation, &to).filter(|_| !onto_tree));
            let stays = mutation.facts.contains_key("no-clobber") && scene.at(&to).is_some();
            let skips = mutation.facts.contains_key("update-only") && scene.at(&to).is_some();
            // As a link it is no tree, but leads to one.
            let as_link = ["-P", "-d", "-a"].iter().any(|key| matched.has(key)) && scene.is_link(from);
            let partial = is_tree && !whole && !as_link;
            let remote = is_scp(matched) && is_remote(&placed.source.value);
            let special = source.is_some_and(|s| !matches!(s.kind, FileKind::File | FileKind::Directory));
            // An answer of no, or none at all, leaves the old file.
            let asks = mutation.context.asks && scene.at(&to).is_some();
            // Where the disk cannot share blocks there is no copy at all.
            let shares = matched.has("--reflink")
                && !matches!(matched.value("--reflink").and_then(Value::as_known), Some("auto" | "never"));
            let none = attributes || shares || partial || remote || onto_tree;
            if onto_tree && !(attributes || shares || partial || remote || asks || matched.has("-s")) {
                let keeps = mutation.facts.contains_key("no-clobber");
                let skips = keeps || mutation.facts.contains_key("update-only");
                changes.extend(files_of(scene, from).into_iter().filter_map(|file| {
                    let to = to.join(file.strip_prefix(from).ok()?);
                    let stays = skips && scene.at(&to).is_some();
                    (!stays).then_some(Change::Copied { from: file, to, packed: false })
                }));
            }
            let to = if renews || is_tree { Some(to) } else { landing(scene, from, to) };
            if !stays
                && !skips
                && !asks
                && !none
                && let Some(to) = to.filter(|to| to != from)
            {
                let content = subject.content.clone();
                changes.extend(brought(scene, matched, (from, to), as_link, special.then_some(content)));
            }
        }
    }
    Draft::with(mutation, changes)
}

/// What stands at the target afterwards. `special`: the source is no file and no tree, and this is what it gives.
fn brought(
    scene: &Scene<'_>,
    matched: &Match,
    (from, to): (&PathBuf, PathBuf),
    as_link: bool,
    special: Option<Option<String>>,
) -> Vec<Change> {
    let beside = to.parent() == from.parent();
    let (content, target) = match special {
        None if matched.has("-s") => (None, Some(Some(from.clone()))),
        // What a link leads to counts from where it stands.
        _ if as_link && beside => (None, Some(scene.behind(from))),
        Some(content) => (content, None),
        None => {
            let copied = Change::Copied { from: from.clone(), to: to.clone(), packed: false };
            // Another name of the same content, not a second one.
            let named = Change::Linked { at: to, target: Some(from.clone()), symbolic: false };
            return std::iter::once(copied).chain(matched.has("-l").then_some(named)).collect();
        }
    };
    let made = Change::Made { path: to.clone(), content, directory: false };
    std::iter::once(made)
        .chain(target.map(|target| Change::Linked { at: to, target, symbolic: true }))
        .collect()
}

/// The source, if what it holds can be read: what was changed since is no longer what stands there now, and of a tree that
/// is not there yet nobody knows what is in it.
fn as_it_stands(scene: &Scene<'_>, from: Option<&Path>, comes: bool) -> Option<PathBuf> {
    from.filter(|from| !comes && !scene.files.is_altered(from)).map(Path::to_owned)
}

/// Most files of a tree that are told one by one.
const FILES: usize = 100;

/// The files of a small tree, which are laid over another one by one.
fn files_of(scene: &Scene<'_>, tree: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending = vec![tree.to_owned()];
    while let Some(dir) = pending.pop() {
        for name in scene.look.names(&dir).unwrap_or_default() {
            let path = dir.join(name);
            match scene.at(&path).map(|seen| seen.kind) {
                Some(FileKind::Directory) => pending.push(path),
                Some(FileKind::File) => found.push(path),
                _ => {}
            }
        }
        if found.len() + pending.len() > FILES {
            return Vec::new();
        }
    }
    found
}

/// Where a copy of a file comes to stand: behind a link that is there. Not behind one that leads to nothing, nor to the file
/// itself.
fn landing(scene: &Scene<'_>, from: &Path, to: PathBuf) -> Option<PathBuf> {
    if !scene.is_link(&to) {
        return Some(to);
    }
    scene.behind(&to).filter(|real| scene.at(real).is_some() && scene.behind(from).as_ref() != Some(real))
}

fn link(scene: &Scene<'_>, invocation: &Invocation, placed: &Placed) -> Draft {
    let matched = &invocation.matched;
    let forced = ["-f", "-i", "-b", "--backup", "-S"].iter().any(|key| matched.has(key));
    let action = if forced { Action::Replace } else { Action::Create };
    let mut mutation = scene.on_absolute(action, "file", placed.to.clone(), &placed.shown);
    overwrite_facts(invocation, &mut mutation);
    let mut changes = Vec::new();
    if let Subject::Path(subject) = &mut mutation.subject {
        subject.follow = false;
        if let Some(to) = placed.place() {
            changes.extend(backup::moved(scene, invocation, &to));
            let absent = scene.at(&to).is_none();
            let asks = mutation.context.asks && !absent;
            let forced = forced && !asks;
            if !matched.has("-s")
                && let Some(from) = &placed.from
            {
                subject.from = Some(from.clone());
                // A directory gets no second name.
                if (absent || forced) && !scene.is_directory(from) {
                    changes.push(Change::Copied { from: from.clone(), to: to.clone(), packed: false });
                    changes.push(Change::Linked { at: to, target: Some(from.clone()), symbolic: false });
                }
            } else if absent || forced {
                changes.push(Change::Made { path: to.clone(), content: None, directory: false });
                // What a symbolic link holds counts from where it stands.
                let text = placed.source.value.as_known();
                let from = text.zip(to.parent()).map(|(text, dir)| text_of(&dir.join(text)));
                let target = from.map(|from| scene.absolute(&Value::Known(from), &[]));
                let target = target.as_ref().and_then(Value::as_known);
                // A name of a process leads elsewhere when another one uses it.
                let target = target.filter(|to| keeps_nothing(to) || !text.is_some_and(of_a_process));
                let target = target.map(PathBuf::from);
                changes.push(Change::Linked { at: to, target, symbolic: true });
            }
        }
    }
    Draft::with(mutation, changes)
}
