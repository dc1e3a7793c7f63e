//! A loss as facts and lines of the evidence.

use crate::model::{Evidence, Fact, FactValue, Loss, LossClass, PathSubject};

use super::summary;

/// The loss of what could not be looked at.
pub(super) fn unseen(subject: &PathSubject) -> Loss {
    let mut loss = Loss::default();
    loss.add(LossClass::Unseen, 0, || subject.shown.clone());
    loss
}

/// Turns the loss into facts and lines.
pub(in crate::evidence) fn finish(evidence: &mut Evidence, loss: Loss, notes: &[String], untracked: bool) {
    let summary = match (loss.worst(), notes) {
        (LossClass::Nothing, [note, ..]) => format!("nothing is lost: {note}"),
        _ => summary::sentence(&loss, untracked),
    };
    finish_saying(evidence, loss, notes, summary);
}

/// The same in a sentence of its own.
pub(super) fn finish_saying(evidence: &mut Evidence, mut loss: Loss, notes: &[String], summary: String) {
    let worst = loss.worst();
    if worst < LossClass::Lost {
        loss.precious = None;
    }
    let tally = loss.classes.get(&worst).cloned().unwrap_or_default();
    evidence.fact("loss", FactValue::Text(word(worst).to_owned()), summary.clone());
    let number = |value: u64| FactValue::Number(i64::try_from(value).unwrap_or(i64::MAX));
    for (key, value) in [
        ("loss.summary", FactValue::Text(summary.clone())),
        ("loss.files", number(tally.files)),
        ("loss.bytes", number(tally.bytes)),
        ("truncated", FactValue::Bool(loss.truncated)),
    ] {
        evidence.facts.insert(key.to_owned(), Fact::new(value, summary.clone()));
    }
    if let Some(why) = &loss.precious {
        evidence.fact(
            "precious",
            FactValue::Text(why.clone()),
            format!("it is more than an ordinary file: {why}"),
        );
    }
    for (index, note) in notes.iter().enumerate() {
        evidence.items.push(crate::model::EvidenceItem {
            key: format!("note.{}", index + 1),
            value: None,
            present: true,
            description: note.clone(),
            source: None,
        });
    }
    evidence.loss = Some(loss);
}

/// The class as kinds spell it.
pub(in crate::evidence) fn word(class: LossClass) -> &'static str {
    match class {
        LossClass::Nothing => "nothing",
        LossClass::Temporary => "temporary",
        LossClass::Tracked => "tracked",
        LossClass::Copied => "copied",
        LossClass::Regenerable => "regenerable",
        LossClass::Packaged => "packaged",
        LossClass::Snapshot => "snapshot",
        LossClass::Lost => "lost",
        LossClass::Unseen => "unseen",
    }
}
