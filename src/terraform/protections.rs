//! Protections: when less is protected than before, and when that is no loss.

use std::collections::BTreeSet;

use crate::model::{Action, Fact, FactValue, Mutation};

/// Whether less is protected than before. What is not known any more protects nothing.
pub(super) fn is_weaker(was: &FactValue, now: Option<&FactValue>, endless: bool) -> bool {
    // Some services write "never" as -1.
    let never = |value: &FactValue| endless && matches!(value, FactValue::Number(number) if *number < 0);
    let was = if never(was) { &FactValue::Number(0) } else { was };
    let now = now.map(|now| if never(now) { &FactValue::Number(0) } else { now });
    match (was, now) {
        (FactValue::Number(0), Some(FactValue::Number(now))) => endless && *now > 0,
        (FactValue::Number(was), Some(FactValue::Number(now))) => now < was && !(endless && *now == 0),
        (FactValue::Number(0), None) => endless,
        (FactValue::Number(_), _) => true,
        (was, now) => is_on(was) && !now.is_some_and(is_on),
    }
}

/// Words by which an attribute says that a protection does not work.
const OFF: [&str; 7] = ["", "disabled", "suspended", "inactive", "off", "none", "basic"];

fn is_on(value: &FactValue) -> bool {
    match value {
        FactValue::Bool(yes) => *yes,
        FactValue::Number(number) => *number != 0,
        FactValue::Text(text) => !OFF.contains(&text.to_ascii_lowercase().as_str()),
    }
}

/// A protection that goes with all that it protects is no loss of its own.
pub(super) fn together(mutations: &mut [Mutation]) {
    let text = |mutation: &Mutation, key: &str| match mutation.facts.get(key).map(|fact| &fact.value) {
        Some(FactValue::Text(text)) => Some(text.clone()),
        _ => None,
    };
    let protects = |mutation: &Mutation| text(mutation, "relation").as_deref() == Some("protection");
    let going: BTreeSet<String> = mutations
        .iter()
        .filter(|mutation| mutation.action == Action::Delete && !protects(mutation))
        .filter_map(|mutation| text(mutation, "identifier"))
        .collect();
    for mutation in mutations {
        if mutation.action != Action::Delete || !protects(mutation) {
            continue;
        }
        if let Some(source) = text(mutation, "source_id").filter(|source| going.contains(source)) {
            let said = format!("{source} goes with it");
            mutation.facts.insert("together".into(), Fact::new(FactValue::Bool(true), said));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_weaker;
    use crate::model::FactValue::{Bool, Number, Text};

    #[test]
    fn less_than_before_is_weaker() {
        assert!(is_weaker(&Bool(true), Some(&Bool(false)), false));
        assert!(is_weaker(&Bool(true), None, false));
        assert!(!is_weaker(&Bool(false), Some(&Bool(true)), false));
        assert!(is_weaker(&Number(35), Some(&Number(1)), false));
        assert!(is_weaker(&Number(7), Some(&Number(0)), false));
        assert!(!is_weaker(&Number(0), Some(&Number(7)), false));
        assert!(is_weaker(&Number(0), Some(&Number(7)), true));
        assert!(is_weaker(&Number(-1), Some(&Number(7)), true));
        assert!(!is_weaker(&Number(7), Some(&Number(-1)), true));
        assert!(!is_weaker(&Number(7), Some(&Number(0)), true));
        assert!(is_weaker(&Text("Enabled".into()), Some(&Text("Suspended".into())), false));
        assert!(!is_weaker(&Text("Suspended".into()), Some(&Text("Enabled".into())), false));
    }
}
