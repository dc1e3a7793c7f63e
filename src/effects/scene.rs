//! What every part of effects works with: the step, the knowledge, the files so far, and a look at the machine.

use std::path::{Path, PathBuf};

use crate::knowledge::{KindFile, Knowledge, SubjectKind};
use crate::model::{
    Action, Cause, Context, Fact, FactValue, Facts, Mutation, PathOrigin, PathSubject, RuleRef, Source,
    Subject, Target, Value,
};
use crate::shell::{FileState, Files, Held, Step};
use crate::world::FileKind;

use super::draft::{Change, Draft};
use super::paths::{absolute, keeps_nothing, text_of};
use super::{Look, Seen, known};

/// Everything at hand for one step.
pub(super) struct Scene<'a> {
    pub(super) step: &'a Step,
    pub(super) knowledge: &'a Knowledge,
    pub(super) files: &'a mut Files,
    look: &'a dyn Look,
    /// Name of the program that runs, where one does.
    pub(super) tool: String,
    /// The rule that mutations rest on.
    pub(super) rule: RuleRef,
}

/// A target that was written as a word.
#[derive(Clone, Debug)]
pub(super) struct Word {
    /// What is known of it, as written.
    pub(super) value: Value,
    /// Written literally.
    pub(super) explicit: bool,
}

impl Word {
    pub(super) fn new(value: Value, explicit: bool) -> Self {
        Self { value, explicit }
    }
}

impl<'a> Scene<'a> {
    pub(super) fn new(
        step: &'a Step,
        knowledge: &'a Knowledge,
        files: &'a mut Files,
        look: &'a dyn Look,
    ) -> Self {
        Self { step, knowledge, files, look, tool: String::new(), rule: RuleRef::default() }
    }

    /// Directories that the step may run in.
    pub(super) fn cwds(&self) -> &'a [PathBuf] {
        &self.step.context.cwd
    }

    /// The absolute path of a word.
    pub(super) fn path(&self, value: &Value) -> Value {
        absolute(value, self.cwds())
    }

    /// The absolute path of a word when there is only one.
    pub(super) fn only_path(&self, value: &Value) -> Option<PathBuf> {
        self.path(value).as_known().map(PathBuf::from)
    }

    /// What stands at a path by the time of this step, links followed; `None` when nothing does or it is not known.
    pub(super) fn at(&self, path: &Path) -> Option<Seen> {
        if self.step.context.host.is_some() {
            return None;
        }
        let Some((known, state)) = self.files.nearest(path) else { return self.look.at(path) };
        let rest = path.strip_prefix(known).unwrap_or(Path::new(""));
        let inside = !rest.as_os_str().is_empty();
        match state {
            FileState::Gone => None,
            // A directory that was made here may have been there before.
            FileState::Created { directory: true, .. } if inside => self.look.at(path),
            FileState::Created { .. } if inside => None,
            FileState::Created { directory, content } => Some(Seen {
                kind: if *directory { FileKind::Directory } else { FileKind::File },
                size: content.as_ref().map_or(0, |text| text.len() as u64),
            }),
            FileState::MovedFrom(from) | FileState::CopiedFrom(from) if inside => {
                self.look.at(&from.join(rest))
            }
            FileState::MovedFrom(from) | FileState::CopiedFrom(from) => self.look.at(from),
        }
    }

    /// Where the user's trash holds a file of this name, on a desktop that keeps to the common layout.
    pub(super) fn trashed(&self, path: &Path) -> Option<PathBuf> {
        let below = if cfg!(target_os = "macos") { ".Trash" } else { ".local/share/Trash/files" };
        Some(self.look.home()?.join(below).join(path.file_name()?))
    }

    /// Text of the file that stands at a path by the time of this step.
    pub(super) fn text(&self, path: &Path) -> Option<String> {
        if self.step.context.host.is_some() {
            return None;
        }
        let Some((known, state)) = self.files.nearest(path) else { return self.look.text(path) };
        let rest = path.strip_prefix(known).unwrap_or(Path::new(""));
        let inside = !rest.as_os_str().is_empty();
        match state {
            FileState::Gone => None,
            FileState::Created { content, .. } if !inside => content.clone(),
            FileState::Created { directory, .. } => directory.then(|| self.look.text(path))?,
            FileState::MovedFrom(from) | FileState::CopiedFrom(from) if inside => {
                self.look.text(&from.join(rest))
            }
            FileState::MovedFrom(from) | FileState::CopiedFrom(from) => self.look.text(from),
        }
    }

    /// Whether a directory stands there.
    pub(super) fn is_directory(&self, path: &Path) -> bool {
        self.at(path).is_some_and(|seen| seen.kind == FileKind::Directory)
    }

    /// A kind's declaration.
    pub(super) fn kind(&self, name: &str) -> Option<std::sync::Arc<KindFile>> {
        self.knowledge.kind(name)
    }

    /// A mutation of a path; `shown` is what people see.
    pub(super) fn on_path(&self, action: Action, kind: &str, word: &Word) -> Mutation {
        let path = self.path(&word.value);
        self.on_absolute(action, kind, path, word)
    }

    /// A mutation of a path that is absolute already.
    pub(super) fn on_absolute(&self, action: Action, kind: &str, path: Value, word: &Word) -> Mutation {
        let spec = self.kind(kind);
        let mut subject = PathSubject::new(path, word.value.display());
        subject.explicit = word.explicit;
        subject.recursive = spec.as_ref().is_some_and(|k| k.tree);
        subject.follow = action != Action::Delete || follows_on_delete(&word.value);
        let id = match known(&subject.path) {
            Some(path) => path.to_owned(),
            None => subject.shown.clone(),
        };
        let name = (id != subject.shown).then(|| subject.shown.clone());
        self.mutation(action, kind, Subject::Path(subject), id, name)
    }

    /// A mutation of any subject.
    pub(super) fn mutation(
        &self,
        action: Action,
        kind: &str,
        subject: Subject,
        id: String,
        name: Option<String>,
    ) -> Mutation {
        let spec = self.kind(kind);
        Mutation {
            action,
            kind: kind.to_owned(),
            subject,
            target: Target {
                provider: spec.as_ref().and_then(|k| k.provider.clone()),
                service: spec.as_ref().and_then(|k| k.service.clone()),
                r#type: kind.to_owned(),
                id,
                name,
                ..Target::default()
            },
            source: Source::Shell,
            raw: self.step.raw.clone(),
            span: Some(self.step.span),
            rule: self.rule.clone(),
            cause: Cause::Rule,
            context: self.context(),
            facts: Facts::new(),
            dependents: Vec::new(),
        }
    }

    /// A mutation of something that is not a path, by its kind.
    pub(super) fn on_other(&self, action: Action, kind: &str, parts: &[Value], whole: &Value) -> Mutation {
        let subject = match self.kind(kind).map(|k| k.subject) {
            Some(SubjectKind::Git) => self.git_subject(parts),
            Some(SubjectKind::Sql) => Subject::Sql {
                dialect: "",
                database: whole.clone(),
                object: None,
                statement: String::new(),
                condition: None,
            },
            _ => Subject::Named(whole.clone()),
        };
        self.mutation(action, kind, subject, whole.display(), None)
    }

    /// Something in the git repository of the working directory.
    pub(super) fn git_subject(&self, names: &[Value]) -> Subject {
        let cwds = self.cwds();
        let dir = Value::one_of(cwds.iter().map(|dir| text_of(dir)).collect());
        let saved = match cwds {
            [only] => self.files.saved(only),
            _ => std::collections::BTreeSet::new(),
        };
        let names = names.iter().filter(|name| name.as_known() != Some("")).cloned().collect::<Vec<_>>();
        Subject::Git { dir, names, saved }
    }

    /// A mutation of unknown reach.
    pub(super) fn unknown(&self, action: Action, cause: Cause, id: &str, reason: &str) -> Mutation {
        let mut mutation = self.mutation(action, "unknown", Subject::Unknown, id.to_owned(), None);
        mutation.cause = cause;
        fact(&mut mutation, "reason", FactValue::Text(reason.to_owned()), reason);
        mutation
    }

    fn context(&self) -> Context {
        self.step.context.clone()
    }

    // --- finishing: what the command did before, then what this act does ---

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
                self.through_links(subject, in_place);
                self.annotate(subject);
                if in_place && let Some(path) = known(&subject.path).map(PathBuf::from) {
                    // What is written through one name is gone under the others.
                    subject.copies.retain(|copy| !self.files.is_link(copy, &path));
                }
            }
        }
        if !here {
            return mutation;
        }
        if by_action && let Some(mutation) = &mutation {
            self.record_action(mutation);
        }
        for change in changes {
            self.record(change);
        }
        mutation
    }

    /// Links that the same command made lead elsewhere: that is what is touched.
    fn through_links(&self, subject: &mut PathSubject, in_place: bool) {
        let Some(path) = known(&subject.path).map(PathBuf::from) else { return };
        let real = self.files.through(&path, in_place);
        if real != path {
            subject.path = Value::Known(text_of(&real));
        }
    }

    fn annotate(&self, subject: &mut PathSubject) {
        let Some(path) = known(&subject.path).map(PathBuf::from) else { return };
        subject.origin = self.origin(&path);
        let mut copies = self.files.copies(&path);
        if let PathOrigin::MovedFrom(source) = &subject.origin {
            copies.extend(self.files.copies(source));
        }
        subject.copies.extend(copies.into_iter().filter(|copy| !copy.starts_with(&path)));
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
        match self.files.nearest(path) {
            Some((_, FileState::Gone)) => true,
            Some((at, FileState::Created { directory, .. })) => !(*directory && at != path),
            Some((_, FileState::MovedFrom(from) | FileState::CopiedFrom(from))) => from != path,
            None => false,
        }
    }

    fn record_action(&mut self, mutation: &Mutation) {
        let Subject::Path(subject) = &mutation.subject else { return };
        let Some(path) = known(&subject.path).map(PathBuf::from) else { return };
        if mutation.cause != Cause::Rule || mutation.context.asks || keeps_nothing(&text_of(&path)) {
            return;
        }
        let seen = self.at(&path);
        let directory = mutation.kind == "directory";
        match mutation.action {
            Action::Delete => {
                let fails = !subject.recursive && seen.is_some_and(|s| s.kind == FileKind::Directory);
                if !fails && !directory {
                    self.files.set(path, FileState::Gone);
                }
            }
            Action::Create if seen.is_none() => {
                self.files.set(path, FileState::Created { content: subject.content.clone(), directory });
            }
            Action::Replace
                if !subject.recursive
                    && !seen.is_some_and(|s| s.kind == FileKind::Directory)
                    && (!mutation.context.maybe || seen.is_none()) =>
            {
                self.files
                    .set(path, FileState::Created { content: subject.content.clone(), directory: false });
            }
            _ => {}
        }
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
        match change {
            Change::Made { path, content, directory } => {
                self.files.set(path, FileState::Created { content, directory });
            }
            Change::Moved { from, to } => self.moved(&from, to),
            Change::Linked { at, target } => self.files.link(at, target),
            Change::Saved { dir, what } => self.files.save(dir, what),
            Change::Copied { from, to, packed } => {
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
                    self.files.set(to.clone(), state);
                }
                self.files.hold(Held { at: to, source: from, packed });
            }
        }
    }

    fn moved(&mut self, from: &Path, to: PathBuf) {
        if from == to || to.starts_with(from) {
            return;
        }
        let state = match self.origin(from) {
            PathOrigin::Created => match self.files.get(from) {
                Some(state @ (FileState::Created { .. } | FileState::CopiedFrom(_))) => state.clone(),
                _ => FileState::Created { content: None, directory: self.is_directory(from) },
            },
            PathOrigin::MovedFrom(source) => FileState::MovedFrom(source),
            PathOrigin::Existing | PathOrigin::Gone => FileState::MovedFrom(from.to_owned()),
        };
        let below = self
            .files
            .below(from)
            .filter_map(|(path, state)| Some((to.join(path.strip_prefix(from).ok()?), state.clone())))
            .collect::<Vec<_>>();
        // Copies below it move along first.
        self.files.rehold(from, &to);
        self.files.set(to, state);
        for (path, state) in below {
            self.files.set(path, state);
        }
        self.files.set(from, FileState::Gone);
    }
}

/// Adds a fact to a mutation.
pub(super) fn fact(mutation: &mut Mutation, key: &str, value: FactValue, description: &str) {
    mutation.facts.insert(key.to_owned(), Fact::new(value, description));
}

/// Sets a flag of a mutation.
pub(super) fn flag(mutation: &mut Mutation, key: &str, description: &str) {
    fact(mutation, key, FactValue::Bool(true), description);
}

/// BSD's `rm -r link/` removes what the link leads to; GNU's refuses.
fn follows_on_delete(value: &Value) -> bool {
    cfg!(target_os = "macos") && value.suffix().ends_with('/')
}
