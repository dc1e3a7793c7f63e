//! What of a plan goes into sentences, and what is said where nothing can be judged.

use crate::model::{
    Action, Cause, Context, FactValue, Facts, Mutation, RuleRef, Source, Subject, Target, Value as Text,
};

/// Why a fact of a plan is known.
pub(super) const PLANNED: &str = "the plan says so";

/// What cannot be judged.
pub(super) fn unclear(id: &str, reason: &str) -> Mutation {
    Mutation {
        action: Action::Execute,
        kind: "unknown".into(),
        subject: Subject::Named(Text::known(id)),
        target: Target { r#type: "terraform".into(), id: id.to_owned(), ..Target::default() },
        source: Source::Terraform,
        raw: printable(id),
        span: None,
        rule: RuleRef { tool: "terraform".into(), rule: "plan".into() },
        cause: Cause::Gap(reason.to_owned()),
        context: Context::default(),
        facts: Facts::new(),
        dependents: Vec::new(),
    }
}

/// A command that an apply runs and whose text the plan does not hold.
pub fn unread_command(address: &str) -> Mutation {
    unclear(address, &format!("the apply may run a command for {address} whose text is not in the plan"))
}

/// A file that an apply writes and whose name the plan does not hold.
pub fn unread_file(address: &str) -> Mutation {
    unclear(address, &format!("the apply writes a file for {address} whose name is not in the plan"))
}

/// Text of the plan that goes into sentences: one line, no control characters, bounded.
pub(super) fn printable(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(200).collect()
}

/// All of a value as text, to be compared: what it says may stand at its end.
pub(super) fn whole(value: &FactValue) -> String {
    match value {
        FactValue::Text(text) => text.clone(),
        other => show(other),
    }
}

pub(super) fn show(value: &FactValue) -> String {
    match value {
        FactValue::Bool(yes) => yes.to_string(),
        FactValue::Number(number) => number.to_string(),
        FactValue::Text(text) => printable(text),
    }
}
