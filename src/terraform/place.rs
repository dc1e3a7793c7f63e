//! Where a resource is: things of the same short name in two accounts, projects or regions are two things.

use serde_json::Value;

use super::attributes::Side;
use super::facts::text;
use crate::model::{FactValue, Facts, PLACE};

/// Attributes by which others name a thing, whatever its type.
pub(super) const NAMED: [&str; 3] = ["arn", "id", "self_link"];
/// Attributes that say where it is.
pub(super) const SAID_BY: [&str; 5] = [NAMED[0], NAMED[1], NAMED[2], "project", "region"];

/// An account, project or subscription, and a region, as far as the attributes tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    account: Option<String>,
    region: Option<String>,
}

impl Place {
    pub(super) fn of(r#type: &str, side: Side<'_>) -> Self {
        let said = |path: &str| text(side, path);
        let mut found = Self::default();
        for name in NAMED.into_iter().filter_map(said) {
            found.read(&name);
        }
        if let Some(project) = said("project") {
            found.account.get_or_insert_with(|| project.trim_start_matches("projects/").to_owned());
        }
        // Elsewhere copies in other regions are named by their short names.
        if r#type.starts_with("aws_")
            && let Some(region) = said("region")
        {
            found.region.get_or_insert(region);
        }
        found
    }

    pub(super) fn of_values(r#type: &str, values: &Value) -> Self {
        Self::of(r#type, (values, &Value::Null, &Value::Null))
    }

    /// `arn:aws:rds:eu-west-1:111122223333:db:x`, `…/projects/p/…`, `/subscriptions/s/…`
    fn read(&mut self, name: &str) {
        let full = |part: &str| (!part.is_empty()).then(|| part.to_owned());
        let mut parts = name.split(':');
        if parts.next() == Some("arn") {
            let mut parts = parts.skip(2);
            let (region, account) = (parts.next().and_then(full), parts.next().and_then(full));
            self.region = self.region.take().or(region);
            self.account = self.account.take().or(account);
            return;
        }
        for word in ["projects/", "/subscriptions/"] {
            let after = name.split_once(word).and_then(|(_, rest)| rest.split('/').next()).and_then(full);
            self.account = self.account.take().or(after);
        }
    }

    /// As a fact's text.
    pub(super) fn said(&self) -> Option<String> {
        let word = |part: &Option<String>| part.clone().unwrap_or_default();
        (*self != Self::default()).then(|| format!("{}\n{}", word(&self.account), word(&self.region)))
    }
}

fn of_text(said: &str) -> Place {
    let full = |part: &str| (!part.is_empty()).then(|| part.to_owned());
    let (account, region) = said.split_once('\n').unwrap_or((said, ""));
    Place { account: full(account), region: full(region) }
}

/// Whether a name says by itself which thing it means, wherever that is.
fn is_full(name: &str) -> bool {
    name.contains([':', '/'])
}

/// Whether a short name cannot mean the same thing in both places.
pub(super) fn apart(name: &str, one: &Place, other: &Place) -> bool {
    let differ = |one: &Option<String>, other: &Option<String>| {
        one.as_ref().zip(other.as_ref()).is_some_and(|(one, other)| one != other)
    };
    !is_full(name) && (differ(&one.account, &other.account) || differ(&one.region, &other.region))
}

/// The same of two mutations, by their facts.
pub fn are_apart(name: &str, one: &Facts, other: &Facts) -> bool {
    let place = |facts: &Facts| match facts.get(PLACE).map(|fact| &fact.value) {
        Some(FactValue::Text(said)) => of_text(said),
        _ => Place::default(),
    };
    apart(name, &place(one), &place(other))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Place, apart, of_text};

    fn of(values: Value) -> Place {
        Place::of_values("x", &values)
    }

    #[test]
    fn a_short_name_means_one_thing_in_each_place() {
        let here = of(json!({"arn": "arn:aws:rds:eu-west-1:111122223333:db:orders", "id": "orders"}));
        let there = of(json!({"arn": "arn:aws:rds:us-east-1:111122223333:snapshot:s"}));
        assert!(apart("orders", &here, &there));
        assert!(!apart("arn:aws:rds:eu-west-1:111122223333:db:orders", &here, &there), "it says where");
        assert!(!apart("orders", &here, &here) && !apart("orders", &here, &of(json!({"id": "x"}))));
        let [one, two] = ["a", "b"].map(|name| of(json!({"id": format!("projects/{name}/instances/x")})));
        assert!(apart("x", &one, &two) && !apart("x", &one, &of(json!({"project": "a", "region": "r"}))));
        assert_eq!(of_text(&here.said().unwrap()), here);
        assert!(of(json!({"name": "x", "region": "r"})).said().is_none(), "replicas stand in other regions");
        let snapshot = Place::of_values("aws_db_snapshot", &json!({"id": "s", "region": "us-east-1"}));
        assert!(apart("orders", &here, &snapshot));
    }
}
