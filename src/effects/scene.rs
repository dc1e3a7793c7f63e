//! What every part of effects works with: the step, the knowledge, the files so far, and a look at the machine.

use std::path::{Path, PathBuf};

use crate::knowledge::{KindFile, Knowledge, Manner, Match, Room, SubjectKind, against};
use crate::model::{
    AGAINST, Action, Cause, Context, Fact, FactValue, Facts, Mutation, PathSubject, RuleRef, Source, Subject,
    Target, Value,
};
use crate::shell::{FileState, Files, Invocation, Packing, Printed, Step, places};
use crate::world::FileKind;
use crate::world::resolve::{Link, Links, physical, resolve};

use super::draft::Draft;
use super::paths::{absolute, text_of};
use super::{Look, Seen, known};

/// Flag of kinds that are judged anew by the `recourse exec` that the step runs through.
const REJUDGED: &str = "judged-there";

/// What a program packs into one archive.
#[derive(Debug)]
pub struct Packed {
    /// The archive's file; `None`: standard output.
    pub into: Option<PathBuf>,
    /// What is in it; `None` where that cannot be told.
    pub packing: Option<Packing>,
}

/// What effects ask about the programs that steps run. `crate::programs` answers.
pub trait Does: Sync {
    /// What becomes of the declared effects of a command that `refine` names a room for.
    fn does(
        &self,
        room: Room,
        scene: &Scene<'_>,
        invocation: &Invocation,
        declared: Vec<Draft>,
    ) -> Vec<Draft>;

    /// The archive that it makes.
    fn packs(&self, scene: &Scene<'_>, matched: &Match) -> Option<Packed>;

    /// What of the work tree or of a repository's objects its output holds.
    fn shows(&self, invocation: &Invocation) -> Option<Printed>;
}

/// Everything at hand for one step.
pub struct Scene<'a> {
    pub(crate) step: &'a Step,
    pub(super) knowledge: &'a Knowledge,
    pub(super) programs: &'a dyn Does,
    pub(crate) files: &'a mut Files,
    pub(crate) look: &'a dyn Look,
    /// Name of the program that runs, where one does.
    pub(super) tool: String,
    /// The rule that mutations rest on.
    pub(super) rule: RuleRef,
}

/// A target that was written as a word.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    /// What is known of it, as written.
    pub(crate) value: Value,
    /// Written literally.
    pub(crate) explicit: bool,
}

impl Word {
    pub(crate) fn new(value: Value, explicit: bool) -> Self {
        Self { value, explicit }
    }
}

impl<'a> Scene<'a> {
    pub(super) fn new(
        step: &'a Step,
        knowledge: &'a Knowledge,
        programs: &'a dyn Does,
        files: &'a mut Files,
        look: &'a dyn Look,
    ) -> Self {
        Self { step, knowledge, programs, files, look, tool: String::new(), rule: RuleRef::default() }
    }

    /// Directories that the step may run in.
    pub(crate) fn cwds(&self) -> &'a [PathBuf] {
        &self.step.context.cwd
    }

    /// The absolute path of a word.
    pub(crate) fn path(&self, value: &Value) -> Value {
        self.absolute(value, self.cwds())
    }

    /// The absolute path of a word that counts from these directories.
    pub(crate) fn absolute(&self, value: &Value, dirs: &[PathBuf]) -> Value {
        match self.step.context.host {
            // What is here says nothing there: shown as it is written.
            Some(_) => absolute(value, dirs, &|path| Some(vec![resolve(path, &Elsewhere)?])),
            None if self.hides(value) => Value::Unknown,
            None => absolute(value, dirs, &|path| self.places(path)),
        }
    }

    /// Whether what is not known of a word may be a name of a process, behind which anything may be.
    fn hides(&self, value: &Value) -> bool {
        matches!(value, Value::Affix { prefix, suffix } if self.step.names.may_lead(prefix, suffix))
    }

    /// The places that an absolute path names for the program that runs, without `..`; `None` where one is not known.
    pub(super) fn places(&self, path: &Path) -> Option<Vec<PathBuf>> {
        places((&self.step.names, self.files), self.cwds(), path, &self.files.over(self.look))
    }

    /// The name under which a place is recorded, and the content of a link that this command made behind it.
    fn key(&self, path: &Path, last: bool) -> Option<PathBuf> {
        if self.files.is_untouched() {
            return Some(path.to_owned());
        }
        self.files.through(&self.files.key(path, self.look), last)
    }

    /// The absolute path of a word when there is only one.
    pub(crate) fn only_path(&self, value: &Value) -> Option<PathBuf> {
        self.path(value).as_known().map(PathBuf::from)
    }

    /// What stands at a path by the time of this step, links followed; `None` when nothing does or it is not known.
    pub(crate) fn at(&self, path: &Path) -> Option<Seen> {
        if self.step.context.host.is_some() {
            return None;
        }
        let path = &self.key(path, true)?;
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

    /// Whether what will stand at a path is this command's own doing and not there yet, or not as it will be: nobody knows
    /// what it is, or what is in it.
    pub(crate) fn is_to_come(&self, path: &Path) -> bool {
        if self.step.context.host.is_some() {
            return false;
        }
        let key = self.files.key(path, self.look);
        let made = |at: &Path| !matches!(self.files.get(at), None | Some(FileState::Gone));
        let comes = self.files.is_brought(&key) || key.ancestors().any(made);
        comes && self.look.at(path).is_none() || self.files.below(&key).any(|(at, _)| made(at))
    }

    /// Whether a symbolic link stands at a path by the time of this step, as far as can be told.
    pub(crate) fn is_link(&self, path: &Path) -> bool {
        !matches!(self.files.over(self.look).link(&self.files.key(path, self.look)), Link::None)
    }

    /// Whether what stands at `from` is what this command copied from `to`, and neither was changed since.
    pub(crate) fn is_copy_of(&self, from: &Path, to: &Path) -> bool {
        let (from, to) = (self.files.key(from, self.look), self.files.key(to, self.look));
        matches!(self.files.get(&from), Some(FileState::CopiedFrom(source)) if *source == to)
            && self.files.get(&to).is_none()
            && ![&from, &to]
                .into_iter()
                .any(|path| self.files.is_altered(path) || self.files.rewritten(path).is_some())
    }

    /// What a path leads to through every link, the last one too.
    pub(crate) fn behind(&self, path: &Path) -> Option<PathBuf> {
        physical(path, &self.files.over(self.look), true)
    }

    /// Where the user's trash holds a file of this name, on a desktop that keeps to the common layout.
    pub(super) fn trashed(&self, path: &Path) -> Option<PathBuf> {
        let below = if cfg!(target_os = "macos") { ".Trash" } else { ".local/share/Trash/files" };
        Some(self.look.home()?.join(below).join(path.file_name()?))
    }

    /// The user's home.
    pub(crate) fn home(&self) -> Option<PathBuf> {
        self.look.home()
    }

    /// Text of the file that stands at a path by the time of this step.
    pub(crate) fn text(&self, path: &Path) -> Option<String> {
        if self.step.context.host.is_some() {
            return None;
        }
        let path = &self.key(path, true)?;
        if let Some(text) = self.files.rewritten(path) {
            return text.map(str::to_owned);
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
    pub(crate) fn is_directory(&self, path: &Path) -> bool {
        self.at(path).is_some_and(|seen| seen.kind == FileKind::Directory)
    }

    /// A kind's declaration.
    pub(crate) fn kind(&self, name: &str) -> Option<std::sync::Arc<KindFile>> {
        self.knowledge.kind(name)
    }

    /// A mutation of a path; `shown` is what people see.
    pub(crate) fn on_path(&self, action: Action, kind: &str, word: &Word) -> Mutation {
        let path = self.path(&word.value);
        self.on_absolute(action, kind, path, word)
    }

    /// A mutation of a path that is absolute already.
    pub(crate) fn on_absolute(&self, action: Action, kind: &str, path: Value, word: &Word) -> Mutation {
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
    pub(crate) fn mutation(
        &self,
        action: Action,
        kind: &str,
        subject: Subject,
        id: String,
        name: Option<String>,
    ) -> Mutation {
        let spec = self.kind(kind);
        let cause = match &spec {
            Some(spec) if spec.is_unknown_program(&id) => Cause::UnknownProgram,
            _ => Cause::Rule,
        };
        let mut facts = Facts::new();
        // `recourse exec` judges again, with more at hand than there is now.
        if self.step.context.via == ["recourse"]
            && spec.as_ref().is_some_and(|spec| spec.flags.iter().any(|flag| flag == REJUDGED))
        {
            let why = "recourse judges it again before it runs".to_owned();
            facts.insert(REJUDGED.to_owned(), Fact::new(FactValue::Bool(true), why));
        }
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
            cause,
            context: self.context(),
            facts,
            dependents: Vec::new(),
        }
    }

    /// A mutation of something that is not a path, by its kind.
    pub(crate) fn on_other(&self, action: Action, kind: &str, parts: &[Value], whole: &Value) -> Mutation {
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
        let all = cwds.iter().map(|dir| self.places(dir)).collect::<Option<Vec<_>>>().unwrap_or_default();
        let dir = Value::one_of(all.iter().flatten().map(|dir| text_of(dir)).collect());
        let saved = match cwds {
            [only] => self.files.saved(only),
            _ => std::collections::BTreeSet::new(),
        };
        let names = names.iter().filter(|name| name.as_known() != Some("")).cloned().collect::<Vec<_>>();
        Subject::Git { dir, names, saved, copies: self.files.held_in(Path::new("/")).cloned().collect() }
    }

    /// A mutation of unknown reach.
    pub(crate) fn unknown(&self, action: Action, cause: Cause, id: &str, reason: &str) -> Mutation {
        let mut mutation = self.mutation(action, "unknown", Subject::Unknown, id.to_owned(), None);
        mutation.cause = cause;
        fact(&mut mutation, "reason", FactValue::Text(reason.to_owned()), reason);
        mutation
    }

    /// Notes what speaks against running something that nothing is known of: profiles let it run otherwise.
    pub(super) fn against(&self, mutation: &mut Mutation, words: &[Value], manner: Manner) {
        if let Some(what) = against(&mutation.target.id, words, manner) {
            fact(mutation, AGAINST, FactValue::Text(what.clone()), &format!("{what} speaks against it"));
        }
    }

    /// Whether the step runs with more rights than its caller.
    pub(super) fn is_privileged(&self) -> bool {
        self.step.context.privileged
    }

    fn context(&self) -> Context {
        self.step.context.clone()
    }
}

/// Another machine's links, of which nothing is known here.
struct Elsewhere;

impl Links for Elsewhere {
    fn link(&self, _: &Path) -> Link {
        Link::None
    }
}

/// Adds a fact to a mutation.
pub(crate) fn fact(mutation: &mut Mutation, key: &str, value: FactValue, description: &str) {
    mutation.facts.insert(key.to_owned(), Fact::new(value, description.to_owned()));
}

/// Sets a flag of a mutation.
pub(crate) fn flag(mutation: &mut Mutation, key: &str, description: &str) {
    fact(mutation, key, FactValue::Bool(true), description);
}

/// BSD's `rm -r link/` removes what the link leads to; GNU's refuses.
fn follows_on_delete(value: &Value) -> bool {
    cfg!(target_os = "macos") && value.suffix().ends_with('/')
}
