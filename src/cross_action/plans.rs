//! Patterns of plans: a key that goes with what it keeps readable, and resources that only get another address.

use std::collections::{HashMap, HashSet};

use super::{destroys, raise, risk, text};
use crate::model::{Action, Alternative, Assessment, CrossActionRisk, ENCRYPTS, STAYS, Source, Tier, WITHIN};
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

/// Kinds of rules that delete after a time.
const EXPIRY: [&str; 2] = ["aws.s3.lifecycle", "expiry.rules"];

/// No older versions are kept any more of what is let expire.
pub(super) fn expiring(assessments: &mut [Assessment], risks: &mut Vec<CrossActionRisk>) {
    let told = |assessment: &Assessment, kinds: &[&str]| {
        let mutation = &assessment.mutation;
        mutation.source == Source::Terraform
            && kinds.contains(&mutation.kind.as_str())
            && assessment.recoverability.tier.severity() >= Tier::RecoverableFromBackup.severity()
            && matches!(mutation.action, Action::Create | Action::Update)
    };
    let about = |assessment: &Assessment| {
        text(assessment, "source_id").or_else(|| text(assessment, "identifier")).map(str::to_owned)
    };
    let off: Vec<(usize, String)> = (0..assessments.len())
        .filter(|at| told(&assessments[*at], &["protection.versions"]))
        .filter_map(|at| Some((at, about(&assessments[at])?)))
        .collect();
    for (off, thing) in off {
        let rules =
            assessments.iter().position(|one| told(one, &EXPIRY) && about(one).as_ref() == Some(&thing));
        let Some(rules) = rules else { continue };
        let why = format!(
            "{thing} keeps no versions any more of what is written from now on, and its rules let objects expire: what expires is gone"
        );
        for at in [off, rules] {
            raise(&mut assessments[at], Tier::NeedsReview, &why);
        }
        let affected = [off, rules].map(|at| assessments[at].mutation.target.id.clone()).to_vec();
        let name = "Versions switched off and objects let expire";
        risks.push(risk("versions_off_and_expiry", name, affected, why, Tier::NeedsReview));
    }
}

/// What lives in a place that goes too is not left in it to restore from.
pub(super) fn inhabitants(assessments: &mut [Assessment]) {
    let lives = |one: &Assessment| destroys(one) && text(one, WITHIN).is_some();
    if !assessments.iter().any(lives) {
        return;
    }
    let places: HashMap<String, Tier> = assessments
        .iter()
        .filter(|one| destroys(one) && one.mutation.source == Source::Terraform)
        .map(|one| (one.mutation.target.id.clone(), one.recoverability.tier))
        .collect();
    for assessment in assessments.iter_mut().filter(|one| lives(one)) {
        let Some(place) = text(assessment, WITHIN).map(str::to_owned) else { continue };
        let Some(tier) = places.get(&place).copied() else { continue };
        let own = assessment.recoverability.tier;
        let why = format!("it lives in {place}, which goes too");
        if own == Tier::RecoverableFromBackup {
            raise(assessment, tier, &why);
        } else if own == Tier::Unrecoverable && tier == own {
            assessment.recoverability.reasoning = why;
            assessment.recovery.clear();
        }
    }
}

/// Copies that stay are where it comes back from.
pub(super) fn staying(assessments: &mut [Assessment]) {
    for assessment in assessments.iter_mut().filter(|one| destroys(one)) {
        let Some(said) = text(assessment, STAYS).map(str::to_owned) else { continue };
        let stays = if said.contains(", ") { "stay" } else { "stays" };
        let step = format!(
            "from what {stays}: {said}; what was written since it was made, or had not come over yet, is lost"
        );
        assessment.recovery.insert(0, step);
    }
}

/// The same thing is deleted at one address and made at another: moving it in the state would keep it.
pub(super) fn shifted(assessments: &mut [Assessment]) {
    let planned = |action| {
        let all = assessments.iter().enumerate();
        all.filter(move |(_, one)| one.mutation.action == action && one.mutation.source == Source::Terraform)
    };
    let mut called: HashMap<(&str, &str), &str> = HashMap::new();
    // Of one resource with several keys: those that come, and how many go.
    let mut keys: HashMap<String, (Vec<&str>, usize)> = HashMap::new();
    for (_, one) in planned(Action::Create) {
        let target = &one.mutation.target;
        if let Some(name) = text(one, "identifier") {
            called.insert((target.r#type.as_str(), name), target.id.as_str());
        }
        if target.id.ends_with(']') {
            keys.entry(without_instances(&target.id)).or_default().0.push(&target.id);
        }
    }
    for (_, one) in planned(Action::Delete) {
        if let Some((_, gone)) = keys.get_mut(&without_instances(&one.mutation.target.id)) {
            *gone += 1;
        }
    }
    let moves: Vec<(usize, Alternative)> = planned(Action::Delete)
        .filter_map(|(at, one)| {
            let target = &one.mutation.target;
            let same = text(one, "identifier").and_then(|name| called.get(&(target.r#type.as_str(), name)));
            if let Some(to) = same {
                let why = "the plan makes the same thing at another address: moved in the state it stays as it is";
                return Some((at, moved(&target.id, to, why)));
            }
            let (made, gone) = keys.get(&without_instances(&target.id))?;
            let [to] = made.as_slice() else { return None };
            let why = "if that is the same thing under another key: moved in the state, it is compared with the new settings instead of made anew";
            (*gone == 1).then(|| (at, moved(&target.id, to, why)))
        })
        .collect();
    for (at, other) in moves {
        assessments[at].alternatives.insert(0, other);
    }
}

fn moved(from: &str, to: &str, why: &str) -> Alternative {
    let command = format!("terraform state mv {} {}", quoted(from), quoted(to));
    Alternative { command, explanation: why.to_owned() }
}

fn quoted(address: &str) -> String {
    format!("'{}'", address.replace('\'', "'\\''"))
}
