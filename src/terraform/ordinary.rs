//! Grants that come with every new service: what the type's data (`ordinary`) says of a change's attributes.

use serde_json::Value;

use super::attributes::{each, marks_any};
use super::facts::{Attributes, fact};
use super::own::Own;
use super::references::References;
use super::said::{PLANNED, show};
use super::select::first_key;
use crate::knowledge::{Given, TerraformType, is_ordinary};
use crate::model::{Fact, FactValue, Facts};

/// Whom else one has to ask.
pub(super) struct Around<'a> {
    pub(super) address: &'a str,
    pub(super) references: &'a References,
    pub(super) own: &'a Own<'a>,
    /// Whether the configuration gives an attribute.
    pub(super) gives: &'a dyn Fn(&str) -> Option<bool>,
}

/// Tells that what a change grants is of that sort, where nothing worse is known of it.
pub(super) fn tell(
    declared: &TerraformType,
    attributes: &Attributes,
    around: &Around<'_>,
    facts: &mut Facts,
) {
    let worse = ["everybody", "full", "unseen", "closed"].iter().any(|key| facts.contains_key(*key));
    let given = |path: &str| given(path, attributes, around);
    let own = || around.own.projects().iter().cloned().collect();
    if !worse && declared.ordinary.iter().any(|line| is_ordinary(line, given, own)) {
        facts.insert("ordinary".to_owned(), Fact::new(FactValue::Bool(true), PLANNED));
    }
}

fn given(path: &str, attributes: &Attributes, around: &Around<'_>) -> Given {
    let top = first_key(path);
    let marks = |side: &Value| side.get(top).is_some_and(marks_any);
    if marks(&attributes.after_unknown) {
        // The provider chooses what the configuration does not give.
        if (around.gives)(top) == Some(false) {
            return Given::Unset;
        }
        let types = around.references.types(around.address, top);
        return if types.is_empty() { Given::Unknown } else { Given::Later(types) };
    }
    if marks(&attributes.after_sensitive) {
        return Given::Unknown;
    }
    if path.contains("[]") {
        let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let found = each(attributes.after(), path).map(|all| all.iter().map(plain).collect::<Vec<_>>());
        return match found {
            Some(all) if all.is_empty() => Given::Unset,
            Some(all) => Given::Known(all),
            None => Given::Unknown,
        };
    }
    match fact(attributes.after(), path) {
        Some(FactValue::Text(text)) if text.is_empty() => Given::Unset,
        Some(value) => Given::Known(vec![show(&value)]),
        None => Given::Unset,
    }
}
