//! Kinds: every fact that a case asks for is told by somebody, and every probe exists.

use crate::knowledge::{ACTIONS, KindFile, SubjectKind, did_you_mean};
use crate::recoverability::placeholders;

use super::examples::action;
use super::{Vet, below};

/// Probes, and the subjects that they look at.
const PROBES: [(&str, SubjectKind); 4] = [
    ("path", SubjectKind::Path),
    ("archive", SubjectKind::Path),
    ("git", SubjectKind::Git),
    ("sqlite", SubjectKind::Sql),
];

/// Placeholders of advice that are no facts, but of what was typed.
const OF_THE_COMMAND: [&str; 4] = ["name", "words", "tool", "raw"];

pub(super) fn check(vet: &mut Vet<'_>) {
    let pack = vet.pack;
    for part in &pack.kinds {
        let (name, kind) = (&part.name, &part.it);
        let fine = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '-' | '_');
        if !name.chars().all(fine) {
            vet.tell(
                &part.at,
                format!("kind `{name}`: no effect can name it; lower case letters, digits and . - _ only"),
            );
        }
        probes(vet, &part.at, name, kind);
        for flag in &kind.flags {
            if let Some(hint) = vet.facts.untold(name, flag) {
                vet.tell(&below(&part.at, &["flags"]), format!("kind {name}: nobody tells `{flag}`{hint}"));
            }
        }
        for (at, keys) in asked(kind) {
            for key in keys {
                if let Some(hint) = vet.facts.untold(name, &key) {
                    vet.tell(&join(&part.at, &at), format!("kind {name}: nobody tells `{key}`{hint}"));
                }
            }
        }
    }
}

fn join(at: &[String], more: &[String]) -> Vec<String> {
    at.iter().chain(more).cloned().collect()
}

fn probes(vet: &mut Vet<'_>, at: &[String], name: &str, kind: &KindFile) {
    for probe in &kind.probes {
        let at = below(at, &["probes"]);
        match PROBES.iter().find(|(known, _)| known == probe) {
            None => {
                let names = PROBES.map(|(name, _)| name);
                let hint = did_you_mean(probe, names);
                vet.tell(&at, format!("kind {name}: `{probe}` is no probe ({}){hint}", names.join(", ")));
            }
            Some((_, subject)) if *subject != kind.subject => {
                let wanted = action_of(*subject);
                vet.tell(&at, format!("kind {name}: probe `{probe}` needs `subject = \"{wanted}\"`"));
            }
            Some(_) => {}
        }
    }
}

fn action_of(subject: SubjectKind) -> String {
    format!("{subject:?}").to_lowercase()
}

/// The facts that each case's conditions and texts name, with the case's place.
fn asked(kind: &KindFile) -> Vec<(Vec<String>, Vec<String>)> {
    let mut found = Vec::new();
    for done in ACTIONS {
        for (number, case) in kind.own_cases(done).iter().enumerate() {
            let of = |key: &str| vec![action(done), number.to_string(), key.to_owned()];
            let conditions = case.r#if.iter().flat_map(|c| c.keys()).map(str::to_owned).collect();
            found.push((of("if"), conditions));
            found.push((of("reason"), placeholders(&case.reason).map(str::to_owned).collect()));
            for text in case.texts().skip(1) {
                let told = |key: &&str| !OF_THE_COMMAND.contains(key);
                found.push((of("recovery"), placeholders(text).filter(told).map(str::to_owned).collect()));
            }
        }
    }
    found
}
