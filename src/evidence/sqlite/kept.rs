//! Where a database file is kept besides: in git, in a copy, in a copy that the same command made before.

use std::path::Path;

use crate::evidence::{Session, path};
use crate::model::{Evidence, Fact, FactValue, Mutation};
use crate::world::World;

/// How the database file itself stands: what is in git or copied can be put back.
pub(super) fn kept(
    mutation: &Mutation,
    database: &Path,
    world: &dyn World,
    session: &mut Session,
    evidence: &mut Evidence,
) {
    let Some((class, summary)) = path::standing(mutation, database, world, session) else { return };
    // What stands in its log is in no copy of the file.
    let name = database.file_name().unwrap_or_default().to_string_lossy();
    let log = database.with_file_name(format!("{name}-wal"));
    let logged = world.stat(&log).is_ok_and(|meta| meta.size > 0);
    let (class, summary) = match copied(mutation, world, session) {
        _ if logged && class == "copied" => ("lost", "its log holds what no copy of it has".to_owned()),
        Some(copy) if class == "lost" && !logged => {
            ("copied", format!("this command copies it to {copy} before"))
        }
        _ => (class, summary),
    };
    evidence
        .facts
        .insert("database.summary".to_owned(), Fact::new(FactValue::Text(summary.clone()), "its file"));
    evidence.fact("database.loss", FactValue::Text(class.to_owned()), summary);
}

/// The first copy that this command made of the database, where it lasts.
fn copied(mutation: &Mutation, world: &dyn World, session: &mut Session) -> Option<String> {
    let Some(FactValue::Text(list)) = mutation.facts.get("copies").map(|fact| &fact.value) else {
        return None;
    };
    let places = session.places(world);
    list.lines().find(|copy| path::lasts(world, &places, Path::new(copy))).map(str::to_owned)
}
