//! From a step and the knowledge to mutations, and to what the step does to files for the steps after it.
//!
//! Owns how declared effects become mutations of absolute targets, the door to what data cannot say ([`program`]), redirections,
//! code and SQL effects, and the record in [`Files`]. Pure: of the machine it sees only what a [`Look`] tells. Never
//! decides what an act costs.

mod called;
mod code;
mod collect;
mod draft;
mod grants;
mod listed;
mod outputs;
mod own_settings;
pub(crate) mod packing;
mod paths;
pub mod program;
mod record;
mod run;
mod scene;
pub(crate) mod sql;
mod tested;
mod unknown;
mod write;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use crate::knowledge::{Knowledge, Manner};
use crate::model::{Action, Cause, Mutation, Subject, Value};
use crate::shell::{Arg, Files, Step, StepKind};
use crate::world::resolve::{Disk, Link, Links, Remembered};
use crate::world::{FileKind, LookError, World};

pub use collect::Collect;
use draft::Draft;
use scene::Scene;

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Kind, links followed.
    pub kind: FileKind,
    /// Size in bytes.
    pub size: u64,
}

/// The looks at the machine that effects need: where a copy lands depends on whether its target is a directory, and where
/// `..` leads on what stands before it.
pub trait Look: Links {
    /// What stands at an absolute path, links followed; `None` when nothing does or when it cannot be told.
    fn at(&self, path: &Path) -> Option<Seen>;

    /// The user's home.
    fn home(&self) -> Option<PathBuf> {
        None
    }

    /// Names in a directory; `None` when they cannot be had, or are very many.
    fn names(&self, path: &Path) -> Option<Vec<String>> {
        let _ = path;
        None
    }

    /// Content of a regular text file of moderate size; `None` when it cannot be had. Only files that are read as programs
    /// (SQL scripts) or edited in place are asked for.
    fn text(&self, path: &Path) -> Option<String> {
        let _ = path;
        None
    }
}

/// Largest file that [`Look::text`] reads, in bytes.
const TEXT_LIMIT: u64 = 256 * 1024;

/// Most names that [`Look::names`] gives.
const NAMES_LIMIT: usize = 1000;

/// Looks through a world.
pub struct WorldLook<'a> {
    world: &'a dyn World,
    links: Remembered<Disk<'a>>,
}

impl<'a> WorldLook<'a> {
    /// Looks through this world.
    pub fn new(world: &'a dyn World) -> Self {
        Self { world, links: Remembered::new(Disk(world)) }
    }
}

impl Links for WorldLook<'_> {
    fn link(&self, path: &Path) -> Link {
        self.links.link(path)
    }
}

impl Look for WorldLook<'_> {
    fn at(&self, path: &Path) -> Option<Seen> {
        match self.world.stat(path) {
            Ok(meta) => Some(Seen { kind: meta.kind, size: meta.size }),
            // A link to nothing is written through: there is no file yet. A name that is no valid text was not looked up.
            Err(LookError::NotFound) if !path.to_string_lossy().contains(char::REPLACEMENT_CHARACTER) => None,
            Err(LookError::Loop) => None,
            // Something may stand there; evidence says that it was not seen.
            Err(_) => Some(Seen { kind: FileKind::File, size: 1 }),
        }
    }

    fn names(&self, path: &Path) -> Option<Vec<String>> {
        let entries = self.world.read_dir(path, NAMES_LIMIT).ok()?;
        entries.into_iter().map(|entry| entry.exact.then_some(entry.name)).collect()
    }

    fn home(&self) -> Option<PathBuf> {
        self.world.home(None)
    }

    fn text(&self, path: &Path) -> Option<String> {
        self.world.read_text(path, TEXT_LIMIT).ok()
    }
}

/// The mutations of one step in order, and the record in `files` of what it does to paths.
pub fn effects(
    step: &Step,
    knowledge: &Knowledge,
    programs: &dyn scene::Does,
    files: &mut Files,
    look: &dyn Look,
) -> Vec<Mutation> {
    let mut scene = Scene::new(step, knowledge, programs, files, look);
    let drafts = match &step.kind {
        StepKind::Run(invocation) => {
            let mut drafts = run::run(&mut scene, invocation);
            if !invocation.matched.does_nothing() {
                drafts.extend(own_settings::rewritten(&scene, &invocation.name, &invocation.args));
            }
            drafts
        }
        StepKind::UnknownProgram { name, args } => {
            // What it hands on is anything.
            scene.files.packings.set_pipe(None);
            let mut drafts = vec![unknown_program(&scene, name, args)];
            drafts.extend(outputs::of_unknown(&scene, args));
            drafts.extend(own_settings::rewritten(&scene, name, args));
            drafts
        }
        StepKind::Write { path, mode, noclobber, content } => {
            write::write(&scene, path, *mode, *noclobber, content.as_ref())
        }
        StepKind::Code { language, effect } => code::code(&scene, language, effect),
        StepKind::Guard { variable } => {
            let name = format!("the variable {variable}");
            let subject = Subject::Named(Value::known(name.clone()));
            vec![Draft::of(scene.mutation(Action::Update, "guard", subject, name, None))]
        }
        StepKind::Gap { reason } => {
            vec![Draft::of(scene.unknown(Action::Execute, Cause::Gap(reason.clone()), &step.raw, reason))]
        }
        StepKind::Opaque { reason } => {
            vec![Draft::of(scene.unknown(Action::Execute, Cause::Opaque(reason.clone()), &step.raw, reason))]
        }
        StepKind::Limit { name } => vec![Draft::of(scene.unknown(
            Action::Execute,
            Cause::Limit((*name).to_owned()),
            &step.raw,
            &format!("the limit `{name}` was reached"),
        ))],
    };
    let mut all = Vec::new();
    for draft in drafts {
        let mut swept = draft.mutation.as_ref().map(|mutation| scene.swept(mutation)).unwrap_or_default();
        swept.extend(draft.mutation.as_ref().and_then(|mutation| grants::by_file(&scene, mutation)));
        all.extend(scene.finish(draft));
        all.extend(swept.into_iter().filter_map(|extra| scene.finish(Draft::of(extra))));
    }
    all
}

fn unknown_program(scene: &Scene<'_>, name: &str, args: &[Arg]) -> Draft {
    let reason = format!("nothing is known about {name}");
    let mut mutation = scene.unknown(Action::Execute, Cause::UnknownProgram, name, &reason);
    let words = args.iter().skip(1).map(|arg| arg.value.clone()).collect::<Vec<_>>();
    let manner = Manner::Program { privileged: scene.is_privileged() };
    scene.against(&mut mutation, &words, manner);
    Draft::of(mutation)
}

/// The text of a value when it is known.
fn known(value: &Value) -> Option<&str> {
    value.as_known()
}
