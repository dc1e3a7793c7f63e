//! What runs in a container or on a machine that is made for the run and goes with it: what is the machine's own is
//! nobody's loss.
//!
//! Owns which mutations that takes away. What leads out of it (a cloud, a registry, a remote repository, a database) is
//! judged as ever, and so is a place that is not known.

use crate::knowledge::{Knowledge, machine};
use crate::model::{Cause, Mutation, Subject, Value};

/// Leaves out what is of that place alone: nobody would miss it.
pub(super) fn settle(mutations: &mut Vec<Mutation>, knowledge: &Knowledge) {
    mutations.retain(|mutation| {
        // What is on another machine, or is asked of a server that the words name.
        let aimed = mutation.facts.contains_key("aimed") && !matches!(mutation.subject, Subject::Path(_));
        if mutation.context.host.is_some() || aimed {
            return true;
        }
        // One more program of a place that is full of them.
        if matches!(mutation.cause, Cause::UnknownProgram) {
            return false;
        }
        if mutation.cause.is_unknown() || !is_local(mutation, knowledge) {
            return true;
        }
        matches!(&mutation.subject, Subject::Path(subject) if !is_below_something(&subject.path))
    });
}

fn is_local(mutation: &Mutation, knowledge: &Knowledge) -> bool {
    // Rights on the machine itself; those of a cloud are given by other programs.
    let granted = mutation.kind == "access"
        && (machine().grants.has(&mutation.rule.tool) || mutation.target.id.starts_with('/'));
    granted || knowledge.kind(&mutation.kind).is_some_and(|kind| kind.local)
}

/// A place that is known as far as that it is not the whole machine.
fn is_below_something(path: &Value) -> bool {
    // A name that is relative to a directory which is not known is below that directory.
    let below = |text: &str| {
        !text.split('/').any(|part| part == "..") && !text.trim_matches(['/', '.', '*']).is_empty()
    };
    match path {
        Value::Known(text) => below(text),
        Value::OneOf(all) => all.iter().all(|text| below(text)),
        Value::Affix { prefix, suffix } => {
            let stem = prefix.rsplit_once('/').is_some_and(|(_, stem)| !stem.is_empty());
            let dir = prefix.rsplit_once('/').is_some_and(|(dir, _)| below(dir));
            dir || stem && below(prefix) || below(suffix)
        }
        Value::Woven(_) | Value::Lines(_) | Value::Unknown => false,
    }
}
