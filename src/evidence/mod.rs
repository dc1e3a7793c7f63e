//! What is really there: probes that look at the machine, read-only, through [`crate::world::World`] alone.
//!
//! Owns evidence for a mutation: what would be lost of a file or tree (`path`), of a repository (`git`), of a database
//! (`sqlite`), by unpacking an archive (`archive`), and what the environment says (`surroundings`). Never decides a tier.
//! A probe that runs out of time, size or rights says so as missing evidence; it never guesses.

use crate::model::{Action, Evidence, Mutation, Subject};
use crate::world::World;

mod archive;
pub mod git;
mod path;
mod session;
mod sqlite;
mod surroundings;

pub use git::{AtStake, MADE_HERE, RepositoryAct, at_stake};
pub use path::{Known, Uncommitted, uncommitted};
pub use session::{Budget, Session};

/// Looks for everything that bears on what a mutation costs. Facts of the mutation itself come first.
///
/// Mutations of one evaluation are handed in one by one, in program order, with the same session: what an earlier one
/// destroys no longer counts as a copy for a later one.
pub fn collect(mutation: &Mutation, world: &dyn World, session: &mut Session) -> Evidence {
    let mut evidence = Evidence { facts: mutation.facts.clone(), ..Evidence::default() };
    session.git().tell_saves(&mutation.context.saves);
    match &mutation.subject {
        Subject::Path(subject) if mutation.kind == "archive.extract" => {
            archive::probe(mutation, subject, world, session, &mut evidence);
        }
        Subject::Path(subject) if mutation.kind == "package.tree" => {
            path::installed(mutation, subject, world, session, &mut evidence);
        }
        Subject::Path(subject) => path::probe(mutation, subject, world, session, &mut evidence),
        Subject::Sql { dialect: "sqlite", database, object, statement, condition } => {
            let statement = sqlite::Statement {
                database,
                object: object.as_deref(),
                text: statement,
                condition: condition.as_deref(),
            };
            sqlite::probe(mutation, &statement, world, session, &mut evidence);
        }
        _ => {}
    }
    git::collect(mutation, world, session, &mut evidence);
    surroundings::probe(mutation, world, session, &mut evidence);
    if may_change_rights(mutation) {
        session.change_rights();
    }
    evidence
}

/// Whether the caller may have more rights, or see other files, after this mutation.
fn may_change_rights(mutation: &Mutation) -> bool {
    mutation.cause.is_unknown()
        || matches!(mutation.action, Action::Grant | Action::Revoke | Action::Execute)
        || mutation.kind.contains("mode")
        || mutation.kind.contains("owner")
        || mutation.kind.contains("attribute")
        || mutation.kind.contains("mount")
}
