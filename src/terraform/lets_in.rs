//! Ranges of addresses that a rule lets in and that are not everybody: those of others, and all ports for one's own.
//!
//! Owns which of them an inline rule of a group of rules newly lets in, so that it is told as a rule of its own is.

use std::collections::BTreeSet;

use serde_json::Value;

use super::beside::Beside;
use super::openings::is_closed;
use super::reach::Reach;
use crate::knowledge::{Range, is_private, terraform_signs, tool_words};
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

fn gather(key: &str, value: &Value, reach: &Reach, depth: usize, found: &mut BTreeSet<(String, Reach)>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match value {
        Value::Object(map) if is_closed(map) => {}
        Value::Object(map) => {
            let inside = reach.within(map);
            for (name, inner) in map {
                let lower = name.to_ascii_lowercase();
                if !terraform_signs().ways.iter().any(|part| lower.contains(part)) {
                    gather(&lower, inner, &inside, depth, found);
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
