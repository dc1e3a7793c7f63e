//! Patterns of plans: a key that goes with what it keeps readable, and resources that only get another address.

use std::collections::{HashMap, HashSet};

use super::{destroys, raise, risk, text};
use crate::model::{Action, Alternative, Assessment, CrossActionRisk, ENCRYPTS, Source, Tier};
use crate::terraform::without_instances;

/// Parts of attributes' names by which a resource says what it is encrypted with.
const ENCRYPTED_BY: [&str; 4] = ["kms", "encryption", "cmk", "customer_managed_key"];

/// What could be restored is encrypted with a key that goes too.
pub(super) fn keys(assessments: &mut [Assessment], risks: &mut Vec<CrossActionRisk>) {
    let is_key = |assessment: &Assessment| {
        let kind = &assessment.mutation.target.r#type;
        destroys(assessment)
            && assessment.mutation.source == Source::Terraform
            && ["kms", "crypto_key", "key_vault_key", "disk_encryption_set"]
                .iter()
                .any(|part| kind.contains(part))
    };
    let keys: Vec<usize> = (0..assessments.len()).filter(|at| is_key(&assessments[*at])).collect();
    for key in keys {
        used(&mut assessments[key], risks);
        let encrypted: HashSet<String> = assessments[key]
            .mutation
            .dependents
            .iter()
            .filter(|dependent| !dependent.transitive)
            .filter(|dependent| {
                ENCRYPTED_BY
                    .iter()
                    .any(|part| dependent.reason.rsplit(' ').next().unwrap_or("").contains(part))
            })
            .map(|dependent| dependent.id.clone())
            .collect();
        if encrypted.is_empty() {
            continue;
        }
        let id = assessments[key].mutation.target.id.clone();
        for (at, other) in assessments.iter_mut().enumerate() {
            let restorable = other.recoverability.tier == Tier::RecoverableFromBackup;
            if at == key
                || !destroys(other)
                || !restorable
                || !encrypted.contains(&without_instances(&other.mutation.target.id))
            {
                continue;
            }
            let gone = other.mutation.target.id.clone();
            let why = format!("what {gone} could be restored from is encrypted with {id}, which goes too");
            raise(other, Tier::Unrecoverable, &why);
            let name = "Backup and its key both deleted";
            risks.push(risk(
                "backup_and_key_both_deleted",
                name,
                vec![gone, id.clone()],
                why,
                Tier::Unrecoverable,
            ));
        }
    }
}

/// What stays is encrypted with a key that goes.
fn used(key: &mut Assessment, risks: &mut Vec<CrossActionRisk>) {
    let Some(staying) = text(key, ENCRYPTS).map(str::to_owned) else { return };
    let id = key.mutation.target.id.clone();
    let (stays, it) = if staying.contains(", ") { ("stay and are", "they") } else { ("stays and is", "it") };
    let why =
        format!("{staying} {stays} encrypted with {id}: {it} cannot be read any more once the key is gone");
    let (back, milder) = (key.recovery.clone(), key.recoverability.tier);
    raise(key, Tier::NeedsReview, &why);
    // Until the time runs out the key itself comes back as before.
    key.recovery = back;
    let tier = if milder.severity() > Tier::NeedsReview.severity() { milder } else { Tier::NeedsReview };
    let name = "Key deleted and what it encrypts stays";
    risks.push(risk("key_deleted_and_data_stays", name, vec![id, staying], why, tier));
}

/// The same thing is deleted at one address and made at another: moving it in the state would keep it.
pub(super) fn shifted(assessments: &mut [Assessment]) {
    let named = |assessment| Some((text(assessment, "identifier")?, &assessment.mutation.target));
    let planned = |action| {
        let all = assessments.iter().enumerate().filter(move |(_, assessment)| {
            assessment.mutation.action == action && assessment.mutation.source == Source::Terraform
        });
        all.filter_map(|(at, assessment)| Some((at, named(assessment)?)))
    };
    let made: HashMap<(&str, &str), &str> = planned(Action::Create)
        .map(|(_, (name, target))| ((target.r#type.as_str(), name), target.id.as_str()))
        .collect();
    let moves: Vec<(usize, String)> = planned(Action::Delete)
        .filter_map(|(at, (name, from))| {
            let to = made.get(&(from.r#type.as_str(), name))?;
            Some((at, format!("terraform state mv {} {}", quoted(&from.id), quoted(to))))
        })
        .collect();
    for (at, command) in moves {
        assessments[at].alternatives.push(Alternative {
            command,
            explanation:
                "the plan makes the same thing at another address: moved in the state it stays as it is"
                    .to_owned(),
        });
    }
}

fn quoted(address: &str) -> String {
    format!("'{}'", address.replace('\'', "'\\''"))
}
