//! What the same command did to a target before, and the record of what this act does to it.
//!
//! Owns all that is written into [`crate::shell::Files`] by effects. Places are recorded under one name each, whatever
//! links lead to them.

use std::path::{Path, PathBuf};

use crate::model::{Action, Cause, CopyMade, FactValue, Mutation, PathOrigin, PathSubject, Subject, Value};
use crate::shell::{FileState, Now, of_a_process};
use crate::world::FileKind;
use crate::world::resolve::physical;

use super::draft::{Change, Draft};
use super::known;
use super::paths::{keeps_nothing, text_of};
use super::scene::{Scene, Word, fact, flag};

impl Scene<'_> {
    /// Notes what the same command did to the target before, then records what this act does. `None` where the act
    /// touches nothing that keeps anything.
    pub(super) fn finish(&mut self, draft: Draft) -> Option<Mutation> {
        let Draft { mutation, changes, by_action } = draft;
        let here = self.step.context.host.is_none();
        let mut mutation = mutation;
        if let Some(Mutation { subject: Subject::Path(subject), action, facts, .. }) = &mut mutation {
            let in_place = facts.contains_key("in-place");
            if *action != Action::Delete && known(&subject.path).is_some_and(keeps_nothing) {
                mutation = None;
            } else if here {
                // What is written through one name is gone under the others.
                let follows = in_place || subject.follow || behind(subject);
                self.through_links(subject, follows);
                self.mounted_below(subject);
                self.annotate(subject);
                if follows && let Some(path) = known(&subject.path).map(|path| self.recorded(path)) {
                    subject.copies.retain(|copy| !self.files.is_link(copy, &path));
                }
            }
        }
        if !here {
            return mutation;
        }
        if let Some(mutation) = &mutation {
            if by_action {
                self.record_action(mutation);
            }
            if let (Subject::Git { .. }, Some(span)) = (&mutation.subject, mutation.span) {
                self.files.save_by((span, mutation.target.id.clone()));
            }
        }
        if let Some(mutation) = &mut mutation {
            self.copied_database(mutation);
        }
        let told = changes.iter().any(Change::puts);
        for change in changes {
            self.record(change);
        }
        if !by_action
            && !told
            && let Some(mutation) = mutation.as_ref().filter(|mutation| mutation.action == Action::Replace)
        {
            self.replaced(mutation);
        }
        mutation
    }

    /// Notes the copies that this command made of a database file before.
    fn copied_database(&mut self, mutation: &mut Mutation) {
        let Subject::Sql { database, .. } = &mutation.subject else { return };
        let Some(path) = known(database).map(|path| self.recorded(path)) else { return };
        let copies: Vec<String> = self.files.copies(&path).iter().map(|copy| text_of(copy)).collect();
        if matches!(mutation.action, Action::Delete | Action::Replace | Action::Update) {
            // The last copy of what was there is as good as the thing itself.
            self.files.alter(&path);
        }
        if !copies.is_empty() {
            let told = FactValue::Text(copies.join("\n"));
            fact(mutation, "copies", told, "copies of the database that this command made before");
        }
    }

    /// Something else stands at a path, and nothing more is known of it.
    fn replaced(&mut self, mutation: &Mutation) {
        let Subject::Path(subject) = &mutation.subject else { return };
        let Some(path) = known(&subject.path).filter(|path| !keeps_nothing(path)) else { return };
        if mutation.cause == Cause::Rule
            && !mutation.context.asks
            && !mutation.facts.contains_key("no-clobber")
        {
            self.files.rewrite(self.recorded(path), Now::Unread);
        }
    }

    /// The name under which a known path is recorded.
    fn recorded(&self, path: &str) -> PathBuf {
        self.files.key(Path::new(path), self.look)
    }

    /// Links that the same command made lead elsewhere: that is what is touched.
    fn through_links(&self, subject: &mut PathSubject, last: bool) {
        if self.files.is_untouched() {
            return;
        }
        let Some(path) = known(&subject.path) else { return };
        let now = physical(Path::new(path), self.look, false);
        let real = self.files.through(&self.recorded(path), last);
        // A link may lead to a name that means another file by now.
        let real = real.and_then(|real| self.places(&real)?.pop());
        match real {
            Some(real) if now.as_ref() != Some(&real) => subject.path = Value::Known(text_of(&real)),
            Some(_) => {}
            None => subject.path = Value::Unknown,
        }
    }

    /// A tree in which something else is seen than what stands there: what is in it is not known.
    fn mounted_below(&self, subject: &mut PathSubject) {
        let over = |path: &String| self.files.mounts.lies_below(Path::new(path));
        if subject.recursive && subject.path.choices().is_some_and(|all| all.iter().any(over)) {
            subject.path = Value::Unknown;
        }
    }

    fn annotate(&self, subject: &mut PathSubject) {
        if self.files.is_untouched() {
            return;
        }
        let Some(path) = known(&subject.path).map(|path| self.recorded(path)) else { return };
        subject.origin = self.origin(&path);
        let mut copies = self.files.copies(&path);
        if let PathOrigin::MovedFrom(source) = &subject.origin {
            copies.extend(self.files.copies(source));
        }
        subject.copies.extend(copies.into_iter().filter(|copy| !copy.starts_with(&path)));
        // The last copy of something goes with what holds it.
        subject
            .moved_in
            .extend(self.files.only_held(&path).filter(|from| self.is_gone(from)).map(Path::to_owned));
        if subject.recursive {
            for (below, state) in self.files.below(&path) {
                match state {
                    FileState::MovedFrom(from) => subject.moved_in.push(from.clone()),
                    FileState::CopiedFrom(from) if self.is_gone(from) => subject.moved_in.push(from.clone()),
                    FileState::Gone => subject.moved_out.push(below.to_owned()),
                    _ => {}
                }
            }
        }
    }

    /// What stands at a path now, in terms of what was there before the command.
    fn origin(&self, path: &Path) -> PathOrigin {
        let Some((at, state)) = self.files.nearest(path) else { return PathOrigin::Existing };
        let rest = path.strip_prefix(at).unwrap_or(Path::new(""));
        let from = |source: &Path| {
            PathOrigin::MovedFrom(if rest.as_os_str().is_empty() {
                source.to_owned()
            } else {
                source.join(rest)
            })
        };
        match state {
            FileState::Gone => PathOrigin::Gone,
            // A copy that took the place of what it was made of.
            FileState::MovedFrom(source) | FileState::CopiedFrom(source) if source == at => {
                PathOrigin::Existing
            }
            FileState::MovedFrom(source) => from(source),
            // The last copy of something is as good as the thing itself.
            FileState::CopiedFrom(source) if self.is_gone(source) => from(source),
            FileState::Created { directory: true, .. }
                if !rest.as_os_str().is_empty() && self.look.at(path).is_some() =>
            {
                PathOrigin::Existing
            }
            FileState::Created { .. } | FileState::CopiedFrom(_) => PathOrigin::Created,
        }
    }

    fn is_gone(&self, path: &Path) -> bool {
        if self.files.is_altered(path) {
            return true;
        }
        match self.files.nearest(path) {
            Some((_, FileState::Gone)) => true,
            Some((at, FileState::Created { directory, .. })) => !(*directory && at != path),
            Some((_, FileState::MovedFrom(from) | FileState::CopiedFrom(from))) => from != path,
            None => false,
        }
    }

    fn record_action(&mut self, mutation: &Mutation) {
        let Subject::Path(subject) = &mutation.subject else { return };
        if mutation.context.asks {
            return;
        }
        let Some(path) = known(&subject.path).filter(|path| !keeps_nothing(path)) else {
            return self.record_somewhere(mutation.action, &subject.path);
        };
        let path = self.recorded(path);
        if mutation.cause != Cause::Rule {
            return;
        }
        if !matches!(mutation.action, Action::Create) && !mutation.facts.contains_key("no-change") {
            self.hole(&path);
        }
        let seen = self.at(&path);
        if seen.is_some() && mutation.facts.contains_key("no-clobber") {
            return;
        }
        let directory = mutation.kind == "directory";
        if matches!(mutation.action, Action::Create | Action::Update) && seen.is_some() && !directory {
            self.files.stamp(&path, subject.recursive);
        }
        match mutation.action {
            Action::Delete => {
                let fails = !subject.recursive && seen.is_some_and(|s| s.kind == FileKind::Directory);
                let goes = if directory { self.is_empty(&path) } else { !fails };
                if goes {
                    self.files.set(path, FileState::Gone);
                }
            }
            Action::Create if seen.is_none() => {
                let empty = mutation.facts.contains_key("empty").then(String::new);
                let content = subject.content.clone().or(empty);
                self.files.set(path, FileState::Created { content, directory });
            }
            Action::Replace
                if !subject.recursive
                    && !seen.is_some_and(|s| s.kind == FileKind::Directory)
                    && (!mutation.context.maybe || seen.is_none()) =>
            {
                self.files
                    .set(path, FileState::Created { content: subject.content.clone(), directory: false });
            }
            Action::Replace => {
                self.files.drop_copies(|at| at == path);
                if !mutation.facts.contains_key("no-clobber") {
                    self.files.rewrite(path, Now::Unread);
                }
            }
            Action::Create | Action::Update if mutation.facts.contains_key("append") => {
                self.lengthened(path, subject, mutation.context.maybe);
            }
            Action::Update if !mutation.facts.contains_key("no-change") => {
                self.files.alter(&path);
                let whole = mutation.kind == "archive.extract" && !mutation.facts.contains_key("no-clobber");
                if whole || mutation.kind == "file" && !subject.recursive {
                    self.files.rewrite(path, Now::Unread);
                }
            }
            _ => {}
        }
    }

    /// Whether a directory surely holds nothing by now, so that it can be removed.
    fn is_empty(&self, path: &Path) -> bool {
        let made = |(_, state): (&Path, &FileState)| *state != FileState::Gone;
        if self.files.below(path).any(made) || !self.is_directory(path) {
            return false;
        }
        let gone = |name: &String| self.files.get(&path.join(name)) == Some(&FileState::Gone);
        match self.files.get(path) {
            Some(FileState::Created { .. }) if self.look.at(path).is_none() => true,
            Some(FileState::MovedFrom(_) | FileState::CopiedFrom(_)) => false,
            _ => self.look.names(path).is_some_and(|names| names.iter().all(gone)),
        }
    }

    /// Something is written at the end of a file that was there.
    fn lengthened(&mut self, path: PathBuf, subject: &PathSubject, maybe: bool) {
        if !self.at(&path).is_some_and(|seen| seen.kind == FileKind::File) {
            return;
        }
        let now = match (self.text(&path), &subject.content) {
            (Some(old), Some(added)) if !maybe => Now::Text(old + added),
            _ => Now::Unread,
        };
        self.files.rewrite(path, now);
    }

    /// What changes inside a copied tree leaves it whole no longer, where the source has it too.
    fn hole(&mut self, path: &Path) {
        let spoils = |held: &&CopyMade| {
            let inside = path.strip_prefix(&held.at).ok().filter(|rest| !rest.as_os_str().is_empty());
            inside.is_some_and(|rest| self.look.at(&held.source.join(rest)).is_some())
        };
        let spoilt: Vec<CopyMade> = self.files.held_above(path).filter(spoils).cloned().collect();
        for held in spoilt {
            self.files.release(&held);
        }
    }

    /// An act on a path that is known only in part: copies that it may hit are none to rely on.
    fn record_somewhere(&mut self, action: Action, path: &Value) {
        if !matches!(action, Action::Delete | Action::Replace | Action::Update) {
            return;
        }
        let (start, end) = (path.prefix().to_owned(), path.suffix().to_owned());
        self.files.drop_copies(|at| {
            let text = at.to_string_lossy();
            text.starts_with(&start) && text.ends_with(&end)
        });
    }

    /// Whether something can come to stand at a path: what it would stand in is a directory, as far as can be seen.
    fn can_stand(&self, path: &Path) -> bool {
        if keeps_nothing(&text_of(path)) {
            return false;
        }
        let Some(above) = path.parent() else { return true };
        let made = matches!(
            self.files.nearest(above),
            Some((_, FileState::Created { .. } | FileState::MovedFrom(_) | FileState::CopiedFrom(_)))
        );
        made || self.is_directory(above)
    }

    fn record(&mut self, change: Change) {
        if let Change::Moved { to, .. } | Change::Copied { to, .. } = &change
            && !self.can_stand(to)
        {
            return;
        }
        let key = |path: &Path| self.files.key(path, self.look);
        match change {
            Change::Made { path, content, directory } => {
                let path = key(&path);
                self.files.set(path, FileState::Created { content, directory });
            }
            Change::Moved { from, to } => {
                let (from, to) = (key(&from), key(&to));
                self.moved(&from, to);
            }
            Change::Linked { at, target, symbolic } => {
                let named = |to: PathBuf| if of_a_process(&text_of(&to)) { to } else { key(&to) };
                let (at, target) = (key(&at), target.map(named));
                self.files.link(at, target, symbolic);
            }
            Change::Rewritten { path, text } => {
                let path = key(&path);
                self.files.rewrite(path, text.map_or(Now::Unread, Now::Text));
            }
            Change::Saved { dir, what } => self.files.save(dir, what),
            Change::Patched { dir, to } => {
                self.files.hold(CopyMade { at: to, source: dir, packed: true, patch: true });
            }
            Change::Packs { at, packing } => self.files.packings.set_file(at, packing),
            Change::Copied { from, to, packed } => {
                let (mut from, mut to) = (key(&from), key(&to));
                if packed {
                    // What is read or written through a link is what it leads to.
                    let behind = |path: &Path| physical(path, &self.files.over(self.look), true);
                    let (Some(source), Some(target)) = (behind(&from), behind(&to)) else { return };
                    (from, to) = (source, target);
                }
                if from != to {
                    self.copied(from, to, packed);
                }
            }
        }
    }

    fn copied(&mut self, from: PathBuf, to: PathBuf, packed: bool) {
        // In an archive, files of the same name stand beside each other.
        let merges = self.is_directory(&to) && self.is_directory(&from);
        let beside = if merges { self.beside(&from, &to) } else { Vec::new() };
        if merges {
            self.overlaid(&from, &to);
        }
        if !packed {
            let state = match self.origin(&from) {
                PathOrigin::Created => FileState::Created {
                    content: match self.files.get(&from) {
                        Some(FileState::Created { content, .. }) => content.clone(),
                        _ => None,
                    },
                    directory: self.is_directory(&from),
                },
                PathOrigin::MovedFrom(source) => FileState::CopiedFrom(source),
                PathOrigin::Existing | PathOrigin::Gone => FileState::CopiedFrom(from.clone()),
            };
            let said = self.files.said(&from);
            self.files.set(to.clone(), state);
            self.files.say(&to, said);
        }
        for held in beside {
            self.files.hold(held);
        }
        self.files.hold(CopyMade { at: to, source: from, packed, patch: false });
    }

    /// What git takes off the working tree may be what this command brought there: then that content goes. Whether git
    /// tracks the place, so that the act reaches it, is for the evidence to say.
    pub(super) fn swept(&mut self, mutation: &Mutation) -> Vec<Mutation> {
        let Subject::Git { dir, names, .. } = &mutation.subject else { return Vec::new() };
        let reach = match mutation.kind.as_str() {
            "git.changes" => "if-tracked",
            "git.untracked" => "if-untracked",
            _ => return Vec::new(),
        };
        let off =
            |key: &str| mutation.facts.get(key).is_some_and(|fact| fact.value == FactValue::Bool(false));
        if self.files.is_untouched() || mutation.context.host.is_some() || off("force") {
            return Vec::new();
        }
        let Some(dir) = known(dir).map(|dir| self.files.key(Path::new(dir), self.look)) else {
            return Vec::new();
        };
        let whole = mutation.facts.contains_key("whole");
        let named = |path: &Path| {
            names.is_empty()
                || names.iter().any(|name| match known(name) {
                    Some(text) if !text.contains(['*', '?', '[', ':']) => {
                        let at = self.absolute(&Value::known(text), std::slice::from_ref(&dir));
                        known(&at).is_none_or(|at| path.starts_with(at) || at == text_of(path))
                    }
                    _ => true,
                })
        };
        let mut found = Vec::new();
        for (path, state) in self.files.iter() {
            let brought = match state {
                FileState::MovedFrom(_) => true,
                FileState::CopiedFrom(from) => self.is_gone(from),
                FileState::Created { .. } | FileState::Gone => false,
            };
            if !brought || !(whole || path.starts_with(&dir)) || !named(path) {
                continue;
            }
            let kind = if self.is_directory(path) { "tree" } else { "file" };
            let word = Word::new(Value::Known(text_of(path)), false);
            let mut extra = self.on_absolute(Action::Delete, kind, word.value.clone(), &word);
            flag(&mut extra, reach, "only what git's act reaches");
            found.push(extra);
        }
        // A copy over a file that was there may be taken back with it; one under a new name is not tracked.
        let hit: Vec<PathBuf> = (self.files.held_in(Path::new("/")).map(|held| &held.at))
            .filter(|at| (whole || at.starts_with(&dir)) && named(at))
            .filter(|at| reach == "if-untracked" || self.look.at(at).is_some())
            .cloned()
            .collect();
        self.files.drop_copies(|at| hit.iter().any(|gone| gone == at));
        found
    }

    /// Copies of other trees in the same place, of which nothing has a name that now comes from `from`.
    fn beside(&self, from: &Path, to: &Path) -> Vec<CopyMade> {
        let Some(new) = self.look.names(from) else { return Vec::new() };
        let apart = |held: &&CopyMade| {
            let old = self.look.names(&held.source);
            held.at == to
                && held.source != from
                && old.is_some_and(|old| !new.iter().any(|name| old.contains(name)))
        };
        self.files.held_in(to).filter(apart).cloned().collect()
    }

    /// A tree comes over what is in a place: copies there that it has a file for are gone.
    fn overlaid(&mut self, from: &Path, to: &Path) {
        let covers =
            |at: &Path| at == to || at.strip_prefix(to).is_ok_and(|rest| self.at(&from.join(rest)).is_some());
        let hit: Vec<PathBuf> =
            self.files.held_in(to).map(|held| held.at.clone()).filter(|at| covers(at)).collect();
        self.files.drop_copies(|at| hit.iter().any(|gone| gone == at));
    }

    fn moved(&mut self, from: &Path, to: PathBuf) {
        if from == to || to.starts_with(from) {
            return;
        }
        let state = match self.origin(from) {
            PathOrigin::Created => match self.files.nearest(from) {
                Some((at, state @ (FileState::Created { .. } | FileState::CopiedFrom(_)))) if at == from => {
                    state.clone()
                }
                Some((at, FileState::CopiedFrom(source))) => {
                    FileState::CopiedFrom(source.join(from.strip_prefix(at).unwrap_or(Path::new(""))))
                }
                _ => FileState::Created { content: None, directory: self.is_directory(from) },
            },
            PathOrigin::MovedFrom(source) => FileState::MovedFrom(source),
            PathOrigin::Existing | PathOrigin::Gone => FileState::MovedFrom(from.to_owned()),
        };
        let below = (self.files.below(from))
            .filter_map(|(path, state)| Some((to.join(path.strip_prefix(from).ok()?), state.clone())))
            .collect::<Vec<_>>();
        self.files.carry(from, to, state);
        for (path, state) in below {
            self.files.restore(path, state);
        }
        self.files.set(from, FileState::Gone);
    }
}

/// `rm -r link/` empties the directory behind the link.
fn behind(subject: &PathSubject) -> bool {
    subject.recursive && subject.shown.len() > 1 && subject.shown.ends_with('/')
}
