//! What could be set aside before a judged command, and setting it aside because a person wants it.
//!
//! Owns what is said of it beforehand. Looking sets nothing aside and reads nothing of the machine: it is the plan for the
//! command, and policy judged again as if it were done.

use crate::evaluate::Evaluation;
use crate::model::Verdict;
use crate::policy::{EnforcementAction, KeepWhen};

use super::plan::{Plan, is_unread, weighs};
use super::store::Store;
use super::{Budget, Keeping, Kept, Made, Point, Task, action};

/// What could be set aside before a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// It is set aside without a question, and then the command runs.
    pub at_once: bool,
    /// The verdict once all that can be is set aside.
    pub verdict: Verdict,
    /// What a profile does then.
    pub action: EnforcementAction,
    /// What would be set aside, by name.
    pub keeps: Vec<String>,
    /// What the command may destroy or change besides, by name.
    pub without: Vec<String>,
}

/// What could be set aside before a command; `None` where that is nothing, or policy forbids it.
pub fn offer(evaluation: &Evaluation, keeping: &Keeping<'_>) -> Option<Offer> {
    let settings = keeping.policy.keep();
    if settings.when == KeepWhen::Never || keeping.context.anywhere {
        return None;
    }
    let first = keeping.plan(evaluation);
    let at_once = keeping.is_on(&settings)
        && first.helps(&evaluation.assessments)
        && keeping.lets_run(evaluation, &first.covered);
    let plan = if at_once {
        first
    } else {
        Plan::wanted(&evaluation.assessments, keeping.knowledge).with_services(evaluation, keeping)
    };
    let store = Store::folder_of(keeping.places);
    // What takes the store away cannot be kept in it.
    if !plan.helps(&evaluation.assessments) || plan.wants.iter().any(|want| store.starts_with(&want.path)) {
        return None;
    }
    let after = keeping.again(evaluation, &plan.covered, "");
    let (mut keeps, mut without) = (Vec::new(), Vec::new());
    let judged = evaluation.assessments.iter().zip(&evaluation.report.mutations).zip(&plan.covered);
    for ((judged, said), covered) in judged {
        let target = &said.intent.target;
        let name = target.name.as_ref().unwrap_or(&target.id).clone();
        let list = match covered {
            true if weighs(judged) => &mut keeps,
            false if weighs(judged) || is_unread(judged) => &mut without,
            _ => continue,
        };
        if !name.is_empty() && !list.contains(&name) {
            list.push(name);
        }
    }
    Some(Offer { at_once, verdict: after.verdict(), action: action(&after), keeps, without })
}

/// Sets aside all that can be, because a person wants it. With `freely` the bounds for one command do not hold: they are
/// there so that nothing large is copied unasked. What was tried and could not be kept stands in [`Kept::failed`].
pub fn on_request(evaluation: &Evaluation, keeping: &Keeping<'_>, freely: bool) -> Kept {
    let settings = keeping.policy.keep();
    if settings.when == KeepWhen::Never || keeping.context.anywhere {
        return Kept::default();
    }
    let plan = Plan::wanted(&evaluation.assessments, keeping.knowledge).with_services(evaluation, keeping);
    let budget = if freely {
        Budget { items: u64::MAX, copied: settings.total_bytes, free: settings.free }
    } else {
        Budget { items: settings.files, copied: settings.bytes, free: settings.free }
    };
    let known = plan.helps(&evaluation.assessments);
    if !known && !plan.unread {
        return Kept::default();
    }
    let task = Task {
        plan: &plan,
        touched: &evaluation.touched,
        known,
        unread: plan.unread,
        made: Made::Asked,
        budget,
        partly: true,
    };
    match keeping.capture(&task) {
        Ok(None) => Kept::default(),
        Ok(Some(Point { head, file, missed })) => {
            // Who asked was told before what cannot be kept: only what was promised and is not kept has failed.
            let failed = if freely { missed } else { head.without.clone() };
            Kept {
                evaluation: None,
                too_much: false,
                failed: (!failed.is_empty()).then(|| failed.join("; ")),
                point: Some(head),
                file: Some(file),
            }
        }
        Err(error) => Kept { failed: Some(error.to_string()), ..Kept::default() },
    }
}
