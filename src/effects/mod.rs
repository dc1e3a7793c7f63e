//! From a step and the knowledge to mutations, and to what the step does to files for the steps after it.
//!
//! Owns how declared effects become mutations of absolute targets, the refiners (what data cannot say), redirections,
//! code and SQL effects, and the record in [`Files`]. Pure: of the machine it sees only what a [`Look`] tells. Never
//! decides what an act costs.

mod code;
mod collect;
mod draft;
mod git;
mod paths;
mod refine;
mod run;
mod scene;
mod sql;
mod write;

#[cfg(test)]
mod tests;

use std::path::Path;

use crate::knowledge::Knowledge;
use crate::model::{Action, Cause, Mutation, Subject, Value};
use crate::shell::{Files, Step, StepKind};
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

/// The one look at the machine that effects need: where a copy lands depends on whether its target is a directory.
pub trait Look {
    /// What stands at an absolute path, links followed; `None` when nothing does or when it cannot be told.
    fn at(&self, path: &Path) -> Option<Seen>;

    /// The user's home.
    fn home(&self) -> Option<std::path::PathBuf> {
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

/// Looks through a world.
pub struct WorldLook<'a>(
    /// The world.
    pub &'a dyn World,
);

impl Look for WorldLook<'_> {
    fn at(&self, path: &Path) -> Option<Seen> {
        match self.0.stat(path) {
            Ok(meta) => Some(Seen { kind: meta.kind, size: meta.size }),
            // A link to nothing is written through: there is no file yet. A name that is no valid text was not looked up.
            Err(LookError::NotFound) if !path.to_string_lossy().contains(char::REPLACEMENT_CHARACTER) => None,
            Err(LookError::Loop) => None,
            // Something may stand there; evidence says that it was not seen.
            Err(_) => Some(Seen { kind: FileKind::File, size: 1 }),
        }
    }

    fn home(&self) -> Option<std::path::PathBuf> {
        self.0.home(None)
    }

    fn text(&self, path: &Path) -> Option<String> {
        String::from_utf8(self.0.read_file(path, TEXT_LIMIT).ok()?).ok()
    }
}

/// The mutations of one step in order, and the record in `files` of what it does to paths.
pub fn effects(step: &Step, knowledge: &Knowledge, files: &mut Files, look: &dyn Look) -> Vec<Mutation> {
    let mut scene = Scene::new(step, knowledge, files, look);
    let drafts = match &step.kind {
        StepKind::Run(invocation) => run::run(&mut scene, invocation),
        StepKind::UnknownProgram { name, .. } => vec![Draft::of(scene.unknown(
            Action::Execute,
            Cause::UnknownProgram,
            name,
            &format!("nothing is known about {name}"),
        ))],
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
    drafts.into_iter().filter_map(|draft| scene.finish(draft)).collect()
}

/// The text of a value when it is known.
fn known(value: &Value) -> Option<&str> {
    value.as_known()
}
