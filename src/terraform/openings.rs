//! Attributes that let everybody in, of any type: address ranges, lists and policies that name all the world. What leads out, is
//! denied, or is a way and not a door says nothing.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::beside::Beside;
use super::denying;
use super::reach::Reach;
use super::said::printable;
use super::texts;
use super::widened::named_in;
use crate::knowledge::{terraform_signs, tool_words};
use crate::model::{Action, FactValue};

/// How deep attributes and policies are looked into.
const DEPTH: usize = 40;

/// What the attributes open that was not open before.
pub(super) fn of(r#type: &str, before: &Value, after: &Value) -> Option<Beside> {
    let edge = is_edge(r#type);
    if !edge && is_way(r#type) {
        return None;
    }
    let open = |side: &Value| {
        let mut found = Open::default();
        found.value("", side, true, DEPTH);
        found.doors
    };
    let mut now = open(after);
    if now.is_empty() {
        return None;
    }
    let was = open(before);
    now.retain(|door| !was.iter().any(|known| known.covers(door)));
    if edge {
        // Behind it stand the groups that let in; answers come back to the high ports.
        now.retain(|door| !door.reach.is_web() && !door.reach.is_high());
    }
    let first = now.first()?;
    if edge {
        let mut beside = Beside::new(Action::Update, "protection.wall");
        beside.tell("attribute", FactValue::Text(printable(&first.at)));
        return Some(beside);
    }
    let mut beside = Beside::new(Action::Grant, "access");
    let said =
        if first.at.is_empty() { first.word.clone() } else { format!("{} = {}", first.at, first.word) };
    beside.tell("everybody", FactValue::Text(printable(&said)));
    if now.iter().all(|door| door.reach.is_web()) {
        beside.tell("web", FactValue::Bool(true));
    }
    Some(beside)
}

/// Ways lead everywhere, and the lists of a network's edge stand before the groups that let in.
pub(super) fn is_way(r#type: &str) -> bool {
    terraform_signs().way_types.iter().any(|part| named(r#type, part)) || is_edge(r#type)
}

/// The lists of a network's edge.
fn is_edge(r#type: &str) -> bool {
    terraform_signs().edge_types.iter().any(|part| named(r#type, part))
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Door {
    at: String,
    word: String,
    reach: Reach,
}

impl Door {
    /// Whether all that comes in through the other comes in through this one.
    fn covers(&self, other: &Self) -> bool {
        self.word == other.word && self.at == other.at && self.reach.covers(&other.reach)
    }
}

#[derive(Default)]
struct Open {
    doors: BTreeSet<Door>,
    reach: Reach,
    /// A rule around it is for those inside alone.
    inside: bool,
}

impl Open {
    fn value(&mut self, key: &str, value: &Value, top: bool, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else { return };
        match value {
            Value::Object(map) if is_closed(map) => {}
            Value::Object(map) => {
                let inside = self.reach.within(map);
                let outer = std::mem::replace(&mut self.reach, inside);
                let around = self.inside;
                self.inside |= is_for_inside(map);
                if let Some(issuer) = anybody_of(map) {
                    self.door(key, issuer);
                }
                if let Some(start) = whole_range(map) {
                    self.door(key, start);
                }
                // Whoever is not named may.
                if map.contains_key("NotPrincipal")
                    && map.get("Effect").is_some_and(|effect| effect == "Allow")
                {
                    self.door(key, "NotPrincipal");
                }
                for (name, inner) in map {
                    let is_way = terraform_signs().is_way(name);
                    let is_there = inner.is_object() || *inner == Value::Bool(true);
                    if !is_way && is_there && terraform_signs().everybody.has(name) {
                        self.door(key, name);
                    }
                    if !is_way && (!top || !terraform_signs().is_harmless(name)) {
                        self.value(name, inner, false, depth);
                    }
                }
                (self.reach, self.inside) = (outer, around);
            }
            Value::Array(list) => list.iter().for_each(|inner| self.value(key, inner, false, depth)),
            Value::String(text) => match texts::json(text) {
                Some(document) => self.value(key, &document, false, depth),
                None => self.word(key, text),
            },
            _ => {}
        }
    }

    fn door(&mut self, at: &str, word: &str) {
        self.doors.insert(Door { at: at.to_owned(), word: word.to_owned(), reach: self.reach.clone() });
    }

    fn word(&mut self, key: &str, text: &str) {
        let lists = &tool_words().grants;
        let (name, word) = (texts::small(key), texts::small(text.trim()));
        let last = word.rsplit(['/', ':']).next().unwrap_or_default();
        let opens = match word.as_ref() {
            "*" => {
                lists.whom.iter().any(|part| name.contains(part))
                    && !lists.what.iter().any(|part| name.contains(part))
            }
            // The beginning of all addresses, or where something listens.
            "0.0.0.0" => terraform_signs().beginnings.iter().any(|part| name.contains(part)),
            "all" => name.contains("account_ids"),
            "any" => !self.inside && terraform_signs().sources.has(&name),
            "public" => false,
            _ => {
                lists.everybody.has(&word)
                    || (word.ends_with(last) && last.starts_with("all") && lists.everybody.has(last))
            }
        };
        if opens {
            self.door(key, text.trim());
        }
    }
}

/// The beginning of all addresses beside a length of 0: `subnet = "0.0.0.0"`, `subnet_size = 0`.
fn whole_range(map: &Map<String, Value>) -> Option<&str> {
    let none = |value: &Value| *value == 0 || *value == "0";
    let length = |(name, value): (&String, &Value)| {
        terraform_signs().lengths.iter().any(|part| name.contains(part)) && none(value)
    };
    let mut starts = map.values().filter_map(Value::as_str);
    starts.find(|text| ["0.0.0.0", "::"].contains(text)).filter(|_| map.iter().any(length))
}

/// A rule of a firewall that names the zones from where it lets in, none of which is outside.
fn is_for_inside(rule: &Map<String, Value>) -> bool {
    let zones = rule.get("source_zones").and_then(Value::as_array);
    let outer = |zone: &Value| {
        zone.as_str().is_none_or(|zone| terraform_signs().outer_zones.fit(&zone.to_ascii_lowercase()))
    };
    zones.is_some_and(|zones| !zones.is_empty() && !zones.iter().any(outer))
}

/// The issuer of a statement that lets in everybody who has a token of a public service: no condition says whose.
fn anybody_of(statement: &Map<String, Value>) -> Option<&'static str> {
    let whom = statement.get("Principal")?.get("Federated")?.to_string();
    let issuer = terraform_signs().policies.issuers.iter().find(|issuer| whom.contains(*issuer))?;
    let tests = statement.get("Condition").and_then(Value::as_object).into_iter().flatten();
    let bound = |(op, keys): (&String, &Value)| {
        let mut keys = keys.as_object().into_iter().flatten();
        let patterns = op.to_ascii_lowercase().contains("like");
        keys.any(|(key, values)| key.ends_with(":sub") && !(patterns && names_all(values)))
    };
    let is_bound = tests.clone().any(bound);
    (!is_bound).then_some(issuer)
}

/// One of the subjects is a pattern for everybody's: `repo:*`.
fn names_all(subjects: &Value) -> bool {
    match subjects {
        Value::Array(list) => list.iter().any(names_all),
        Value::String(text) => named_in(text) == Some(0),
        _ => false,
    }
}

/// Whether a part of a name, between underscores, is this.
fn named(name: &str, part: &str) -> bool {
    name == part || name.split('_').any(|word| word == part) || (part.contains('_') && name.contains(part))
}

/// What is denied, leads out, or holds only for one account or network.
pub(super) fn is_closed(map: &Map<String, Value>) -> bool {
    const WAYS: [&str; 8] =
        ["direction", "type", "access", "effect", "action", "rule_action", "traffic_direction", "decision"];
    // Beside rules of its own this is what is done with the rest.
    const DEFAULTS: [&str; 3] = ["policy", "verdict", "usage"];
    const LETS: [&str; 3] = ["allow", "permit", "accept"];
    const IN: [&str; 6] = ["allow", "permit", "accept", "inbound", "ingress", "trusted"];
    const OUT: [&str; 3] = ["egress", "outbound", "out"];
    const ONLY: [&str; 9] = [
        "sourcearn",
        "sourceaccount",
        "sourceowner",
        "principalorg",
        "sourcevpc",
        "calleraccount",
        "sourceip",
        "principalaccount",
        "principalarn",
    ];
    let rules = |value: &Value| match value {
        Value::Object(map) => !map.is_empty(),
        Value::Array(list) => list.iter().any(Value::is_object),
        Value::String(text) => text.trim_start().starts_with(['{', '[']),
        _ => false,
    };
    let filled = |value: &Value| match value {
        Value::Array(list) => !list.is_empty(),
        value => !value.is_null() && *value != Value::Bool(false),
    };
    let lets = |(key, value): (&String, &Value)| {
        let key = texts::small(key);
        let lets =
            || LETS.iter().any(|word| value.as_str().is_some_and(|text| text.eq_ignore_ascii_case(word)));
        WAYS.contains(&key.as_ref()) && lets()
            || filled(value) && IN.iter().any(|word| key.contains(word))
            || rules(value) && !terraform_signs().is_harmless(&key)
    };
    let alone = || !map.iter().any(lets);
    let shut = map.iter().any(|(key, value)| {
        let key = texts::small(key);
        let word = || value.as_str().map(texts::small);
        let is_way = WAYS.contains(&key.as_ref()) || DEFAULTS.contains(&key.as_ref()) && alone();
        is_way && word().is_some_and(|word| OUT.contains(&word.as_ref()) || denying::is_word(&word))
            || (key == "egress" && *value == Value::Bool(true))
            || (key == "disabled" && *value == Value::Bool(true))
    });
    let filled = |key: &str| map.get(key).and_then(Value::as_array).is_some_and(|list| !list.is_empty());
    let denies = filled("deny") && !filled("allow");
    let limited = map.get("Condition").is_some_and(|condition| {
        let text = condition.to_string().to_ascii_lowercase();
        ONLY.iter().any(|only| text.contains(only))
    });
    shut || denies || limited
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn opened(r#type: &str, after: Value) -> Option<bool> {
        of(r#type, &Value::Null, &after).map(|beside| beside.told("web"))
    }

    #[test]
    fn what_lets_everybody_in_is_told() {
        for (r#type, after) in [
            (
                "aws_security_group",
                json!({"ingress": [{"cidr_blocks": ["0.0.0.0/0"], "from_port": 22, "to_port": 22}]}),
            ),
            (
                "aws_security_group_rule",
                json!({"type": "ingress", "cidr_blocks": ["0.0.0.0/0"], "from_port": 0, "to_port": 0}),
            ),
            (
                "azurerm_network_security_rule",
                json!({"direction": "Inbound", "access": "Allow", "source_address_prefix": "*", "destination_port_range": "22"}),
            ),
            (
                "google_compute_firewall",
                json!({"direction": "INGRESS", "source_ranges": ["0.0.0.0/0"], "allow": [{"protocol": "tcp", "ports": ["22"]}]}),
            ),
            (
                "acme_firewall",
                json!({"policy": "drop", "rule": [{"source_cidr": "0.0.0.0/0", "verdict": "accept"}]}),
            ),
            ("acme_firewall", json!({"policy": "drop", "allowed_cidrs": ["0.0.0.0/0"]})),
            ("acme_firewall", json!({"policy": "drop", "rule": {"source_cidr": "0.0.0.0/0"}})),
            ("acme_firewall", json!({"policy": "drop", "rules": "[{\"source_cidr\":\"0.0.0.0/0\"}]"})),
            ("acme_firewall", json!({"policy": "deny", "action": "allow", "source_cidr": "0.0.0.0/0"})),
            ("google_storage_bucket_iam_member", json!({"member": "allUsers"})),
            (
                "aws_s3_bucket_policy",
                json!({"policy": "{\"Statement\":[{\"Effect\":\"Allow\",\"Principal\":\"*\",\"Action\":\"s3:GetObject\"}]}"}),
            ),
            (
                "aws_kms_key",
                json!({"policy": "{\"Statement\":{\"Effect\":\"Allow\",\"Principal\":{\"AWS\":\"*\"},\"Action\":\"kms:*\"}}"}),
            ),
            (
                "azurerm_mssql_firewall_rule",
                json!({"start_ip_address": "0.0.0.0", "end_ip_address": "255.255.255.255"}),
            ),
            ("aws_s3_bucket", json!({"acl": "public-read"})),
        ] {
            assert_eq!(opened(r#type, after.clone()), Some(false), "{after}");
        }
        let web = json!({"ingress": [{"cidr_blocks": ["0.0.0.0/0"], "from_port": 443, "to_port": 443}]});
        assert_eq!(opened("aws_security_group", web), Some(true));
    }

    #[test]
    fn ways_out_and_what_is_denied_open_nothing() {
        for (r#type, after) in [
            (
                "aws_security_group",
                json!({"egress": [{"cidr_blocks": ["0.0.0.0/0"]}], "tags": {"Name": "public"}}),
            ),
            ("aws_security_group_rule", json!({"type": "egress", "cidr_blocks": ["0.0.0.0/0"]})),
            ("aws_route", json!({"destination_cidr_block": "0.0.0.0/0"})),
            ("aws_route_table", json!({"route": [{"cidr_block": "0.0.0.0/0"}]})),
            (
                "google_compute_firewall",
                json!({"source_ranges": ["0.0.0.0/0"], "deny": [{"protocol": "all"}]}),
            ),
            (
                "azurerm_network_security_rule",
                json!({"direction": "Outbound", "access": "Allow", "source_address_prefix": "*"}),
            ),
            (
                "aws_iam_policy",
                json!({"policy": "{\"Statement\":[{\"Effect\":\"Allow\",\"Action\":\"*\",\"Resource\":\"*\"}]}"}),
            ),
            (
                "aws_sns_topic_policy",
                json!({"policy": "{\"Statement\":[{\"Effect\":\"Allow\",\"Principal\":{\"AWS\":\"*\"},\"Condition\":{\"StringEquals\":{\"aws:SourceOwner\":\"1\"}}}]}"}),
            ),
            (
                "aws_s3_bucket_policy",
                json!({"policy": "{\"Statement\":[{\"Effect\":\"Deny\",\"Principal\":\"*\"}]}"}),
            ),
            ("aws_lb", json!({"internal": false, "name": "public"})),
            (
                "alicloud_security_group_rule",
                json!({"type": "ingress", "policy": "drop", "cidr_ip": "0.0.0.0/0"}),
            ),
        ] {
            assert_eq!(opened(r#type, after.clone()), None, "{after}");
        }
    }

    #[test]
    fn what_was_open_is_not_opened() {
        let side = |cidr: &str| json!({"ingress": [{"cidr_blocks": [cidr]}]});
        assert!(of("aws_security_group", &side("0.0.0.0/0"), &side("0.0.0.0/0")).is_none());
        assert!(of("aws_security_group", &side("10.0.0.0/8"), &side("0.0.0.0/0")).is_some());
    }
}
