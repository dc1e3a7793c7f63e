//! Acts that lose no content, on what everything else depends on: new permissions, another name.

use std::path::Path;

use crate::evidence::Session;
use crate::model::{Evidence, FactValue, Mutation, PathSubject, Value};
use crate::world::World;

use super::places;

/// Whether something is there, and whether it is a place that all depends on.
pub(super) fn exists(
    mutation: &Mutation,
    subject: &PathSubject,
    world: &dyn World,
    session: &mut Session,
    evidence: &mut Evidence,
) {
    let known = session.places(world);
    let moves = matches!(mutation.kind.as_str(), "file.moved" | "file.trashed");
    let paths = subject.path.choices().unwrap_or_default().iter().map(Path::new);
    for path in paths {
        // A name is taken away where it stands; permissions are those of what it leads to.
        let real = if moves { places::resolve_parent(world, path) } else { places::resolve(world, path) };
        let real = real.unwrap_or_else(|_| path.to_owned());
        if world.lstat(&real).is_err() && !subject.recursive {
            continue;
        }
        let place = known
            .catastrophe(&real)
            .filter(|_| moves || subject.recursive || closes(mutation, &real, known.home()));
        let place = place
            .or_else(|| known.essential(&real).filter(|_| moves || closes(mutation, &real, known.home())));
        if let Some(place) = place {
            evidence.fact("place", FactValue::Text(place.to_owned()), format!("{}: {place}", subject.shown));
            break;
        }
        if moves && known.is_system(&real) {
            evidence.fact(
                "system",
                FactValue::Bool(true),
                format!("{} belongs to the system", subject.shown),
            );
        }
    }
    // Anything in a directory that all depends on, of which only the place is known; what may stand at any depth is not.
    if let Value::Affix { prefix, suffix } = &subject.path
        && !suffix.contains('/')
        && let Some((dir, _)) = prefix.rsplit_once('/')
    {
        let dir = Path::new(if dir.is_empty() { "/" } else { dir });
        let place = known.catastrophe(dir).filter(|_| moves || closes(mutation, dir, None));
        if let Some(place) = place {
            evidence.fact("place", FactValue::Text(place.to_owned()), format!("{}: {place}", subject.shown));
        }
    }
    let Some(path) = subject.path.as_known() else { return };
    let there = world.lstat(Path::new(path)).is_ok();
    let text = format!("{} {}", subject.shown, if there { "exists" } else { "does not exist yet" });
    evidence.fact("exists", FactValue::Bool(there), text);
}

/// Whether new permissions keep out who needs to get in: of a home its owner, of the system everybody.
fn closes(mutation: &Mutation, real: &Path, home: Option<&Path>) -> bool {
    let Some(FactValue::Text(mode)) = mutation.facts.get("mode").map(|fact| &fact.value) else {
        return matches!(mutation.facts.get("mode").map(|f| &f.value), Some(FactValue::Number(mode)) if number_closes(*mode, real, home));
    };
    if mode.is_empty() {
        return true;
    }
    if let Ok(mode) = i64::from_str_radix(mode, 8) {
        return octal_closes(mode, real, home);
    }
    let owned = home == Some(real);
    mode.split(',').any(|clause| {
        let Some(at) = clause.find(['+', '-', '=']) else { return true };
        let (who, what) = clause.split_at(at);
        let concerned = who.is_empty() || who.contains('a') || who.contains(if owned { 'u' } else { 'o' });
        let needed = ['r', 'x'];
        concerned
            && match what.chars().next() {
                Some('-') => needed.iter().any(|letter| what.contains(*letter)),
                Some('=') => {
                    !what.contains(['r', 'u', 'g', 'o']) || !what.contains(['x', 'X', 'u', 'g', 'o'])
                }
                _ => false,
            }
    })
}

/// A mode that was read as a number: its digits are octal.
fn number_closes(digits: i64, real: &Path, home: Option<&Path>) -> bool {
    i64::from_str_radix(&digits.to_string(), 8).is_ok_and(|mode| octal_closes(mode, real, home))
}

fn octal_closes(mode: i64, real: &Path, home: Option<&Path>) -> bool {
    let needed = if home == Some(real) { 0o700 } else { 0o005 };
    mode & needed != needed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::collect;
    use crate::model::{Action, Cause, Context, Fact, Facts, RuleRef, Source, Subject, Target};
    use crate::world::MemoryWorld;

    fn place(world: &MemoryWorld, kind: &str, path: &str, mode: &str) -> bool {
        let mut mutation = Mutation {
            action: Action::Update,
            kind: kind.to_owned(),
            target: Target::default(),
            subject: Subject::Path(PathSubject::new(Value::known(path), path)),
            source: Source::Shell,
            raw: String::new(),
            span: None,
            rule: RuleRef::default(),
            cause: Cause::Rule,
            context: Context::default(),
            facts: Facts::default(),
            dependents: Vec::new(),
        };
        if !mode.is_empty() {
            mutation.facts.insert("mode".to_owned(), Fact::new(FactValue::Text(mode.to_owned()), "mode"));
        }
        collect(&mutation, world, &mut Session::new()).facts.contains_key("place")
    }

    #[test]
    fn permissions_that_keep_out_who_needs_to_get_in() {
        let world = MemoryWorld::new().file("/etc/passwd", "x").file("/bin/chmod", "x").dir("/home/me");
        for (path, mode, want) in [
            ("/etc", "000", true),
            ("/etc", "700", true),
            ("/etc", "755", false),
            ("/etc", "o-rx", true),
            ("/bin/chmod", "-x", true),
            ("/bin/chmod", "+x", false),
            ("/bin/chmod", "a=rx", false),
            ("/home/me", "000", true),
            ("/home/me", "700", false),
            ("/home/me", "go-rwx", false),
            ("/home/me", "u-x", true),
            ("/home/me/other", "000", false),
        ] {
            assert_eq!(place(&world, "file.mode", path, mode), want, "chmod {mode} {path}");
        }
    }

    #[test]
    fn moving_what_the_machine_runs_from() {
        let world = MemoryWorld::new().file("/usr/bin/git", "x").file("/bin/sh", "x").file("/home/me/a", "x");
        for (path, want) in [("/usr", true), ("/bin/sh", true), ("/home/me", true), ("/home/me/a", false)] {
            assert_eq!(place(&world, "file.moved", path, ""), want, "{path}");
        }
    }
}
