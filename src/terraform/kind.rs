//! Which kind of resource a change concerns, by its type's data and what is done.

use super::attributes::Side;
use super::facts::{Attributes, fact};
use crate::knowledge::TerraformType;
use crate::model::{Action, FactValue};

/// The kind that a change of a type concerns.
pub(super) fn kind_of(declared: &TerraformType, action: Action, attributes: &Attributes) -> String {
    let other = match action {
        Action::Grant => return "access".to_owned(),
        Action::Delete if declared.forgets.iter().any(|when| holds(when, attributes.before())) => {
            return "terraform.forgotten".to_owned();
        }
        Action::Delete | Action::Replace => &declared.removed,
        Action::Create => &declared.made,
        _ => &None,
    };
    other.as_ref().unwrap_or(&declared.kind).clone()
}

/// `attribute`: it is true; `attribute = A | B`: it is one of these.
fn holds(when: &str, side: Side<'_>) -> bool {
    let (path, values) = TerraformType::protecting(when);
    match (fact(side, path), values) {
        (Some(FactValue::Bool(yes)), None) => yes,
        (Some(FactValue::Text(text)), Some(mut values)) => {
            values.any(|value| value.eq_ignore_ascii_case(&text))
        }
        _ => false,
    }
}
