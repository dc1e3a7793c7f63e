//! Ranges of addresses that a rule lets in and that are not everybody: those of others, and all ports for one's own.
//!
//! Owns which of them an inline rule of a group of rules newly lets in, so that it is told as a rule of its own is.

use std::collections::BTreeSet;

use serde_json::Value;

use super::beside::Beside;
use super::diff::Leaf;
use super::openings::is_closed;
use super::reach::Reach;
use crate::knowledge::{Range, Sense, Sign, is_private, terraform_signs, tool_words};
use crate::model::{Action, FactValue};

/// How deep attributes are looked into.
const DEPTH: usize = 16;

/// Parts of names of what holds addresses.
const ADDRESSES: [&str; 7] = ["cidr", "source", "prefix", "ip_range", "ipv4", "ipv6", "remote"];

/// What the attributes let in that was not let in before.
pub(super) fn of(r#type: &str, before: &Value, after: &Value) -> Option<Beside> {
    if !terraform_signs().range_types.fit(r#type) {
        return None;
    }
    // All came in while it was off.
    let off = before.get("disabled") == Some(&Value::Bool(true));
    if off && before.get("inbound").is_some_and(Value::is_array) {
        return None;
    }
    let doors = |side: &Value| {
        let mut found = BTreeSet::new();
        gather("", side, &Reach::default(), DEPTH, &mut found);
        found
    };
    let was = doors(before);
    let told = |(text, reach): &(String, Reach)| {
        // Everybody is told by what opens.
        let Some(range) = Range::of(text).filter(|_| !tool_words().grants.everybody.has(text)) else {
            return false;
        };
        let known = was.iter().any(|(known, wide)| {
            Range::of(known).is_some_and(|known| known.holds(range)) && wide.covers(reach)
        });
        // One address, and one port, is an everyday rule.
        !known && (!is_private(text) && !range.is_one() || reach.is_all())
    };
    let (text, _) = doors(after).into_iter().find(told)?;
    let mut found = Beside::new(Action::Grant, "access");
    found.tell("range", FactValue::Text(text));
    Some(found)
}

/// So many ranges of a few addresses each are still a few more.
const FEW: usize = 8;

/// Whether all that a longer list of who may come in has in addition are a few addresses: an everyday change.
pub(super) fn is_few_more(sign: &Sign, leaf: &Leaf, all: &[Leaf]) -> bool {
    let of_lists = matches!(sign.sense, Sense::Grows | Sense::Many | Sense::Added | Sense::More);
    if !leaf.is_list || !of_lists || !["protection.entrance", "protection.wall"].contains(&sign.kind.as_str())
    {
        return false;
    }
    let below = |other: &&Leaf| {
        let rest = other.path.strip_prefix(leaf.path.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.')) && !other.is_list
    };
    let mut ranges = 0;
    let few = |other: &Leaf| {
        let Some(FactValue::Text(text)) = other.now.as_ref() else { return other.path != leaf.path };
        match Range::of(text) {
            Some(range) => {
                ranges += 1;
                range.is_few()
            }
            None => other.path != leaf.path && !is_anybody(text),
        }
    };
    let added = |other: &&Leaf| other.whole && other.was.is_none() && !other.unknown;
    all.iter().filter(below).filter(added).all(few) && (1..=FEW).contains(&ranges)
}

fn is_anybody(text: &str) -> bool {
    let word = text.trim().to_ascii_lowercase();
    ["*", "any", "all"].contains(&word.as_str()) || tool_words().grants.everybody.has(&word)
}

fn gather(key: &str, value: &Value, reach: &Reach, depth: usize, found: &mut BTreeSet<(String, Reach)>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match value {
        Value::Object(map) if is_closed(map) => {}
        Value::Object(map) => {
            let inside = reach.within(map);
            for (name, inner) in map {
                if !terraform_signs().is_way(name) {
                    gather(&name.to_ascii_lowercase(), inner, &inside, depth, found);
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|inner| gather(key, inner, reach, depth, found)),
        Value::String(text) if ADDRESSES.iter().any(|word| key.contains(word)) => {
            found.insert((text.clone(), reach.clone()));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_few_more_addresses_are_an_everyday_change() {
        let (none, names) = (serde_json::json!({}), ["master_authorized_networks_config.cidr_blocks"]);
        let few = |was: Value, now: Value| {
            let [was, now] =
                [was, now].map(|list| json!({"master_authorized_networks_config": [{"cidr_blocks": list}]}));
            let leaves = super::super::diff::leaves(&was, &now, &none, [&none, &none]);
            let signs = names.map(|name| terraform_signs().of(name).0).concat();
            let told = |leaf: &Leaf| signs.iter().any(|sign| is_few_more(sign, leaf, &leaves));
            leaves.iter().any(told)
        };
        let entry = |range: &str| json!({"cidr_block": range, "display_name": "x"});
        assert!(few(
            json!([entry("203.0.113.0/24")]),
            json!([entry("203.0.113.0/24"), entry("203.0.114.0/29")])
        ));
        for wide in ["0.0.0.0/0", "203.0.114.0/24", "any"] {
            assert!(
                !few(json!([entry("203.0.113.0/24")]), json!([entry("203.0.113.0/24"), entry(wide)])),
                "{wide}"
            );
        }
        assert!(!few(
            json!([entry("203.0.113.0/24")]),
            json!([entry("203.0.113.0/24"), {"display_name": "x"}])
        ));
    }

    #[test]
    fn others_and_all_ports_are_told() {
        let rule = |range: &str, port: i64| json!({"ingress": [{"cidr_blocks": [range], "from_port": port, "to_port": port, "protocol": "tcp"}]});
        let all = json!({"ingress": [{"cidr_blocks": ["10.0.0.0/8"], "from_port": 0, "to_port": 0, "protocol": "-1"}]});
        let told = |before: &Value, after: &Value| of("aws_security_group", before, after).is_some();
        assert!(told(&Value::Null, &rule("203.0.113.0/24", 22)));
        assert!(told(&rule("10.0.0.0/8", 443), &all));
        assert!(!told(&Value::Null, &rule("10.0.0.0/8", 22)));
        assert!(!told(&rule("203.0.113.0/24", 22), &rule("203.0.113.0/28", 22)));
        assert!(!told(&Value::Null, &json!({"egress": [{"cidr_blocks": ["203.0.113.0/24"]}]})));
        assert!(!told(&Value::Null, &rule("0.0.0.0/0", 22)), "told otherwise");
    }
}
