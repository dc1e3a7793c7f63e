//! Full control that a change gives, of any type: names of roles and privileges, switches, and policies in which everything stands.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::beside::Beside;
use super::said::{PLANNED, printable};
use crate::knowledge::{terraform_signs, tool_words};
use crate::model::{Action, Fact, FactValue, Facts};
use crate::yaml;

/// How deep attributes are looked into.
const DEPTH: usize = 24;

/// A cluster's group of administrators.
const MASTERS: &str = "system:masters";

/// Tells it of the grant that the change is anyway, or as one besides.
pub(super) fn tell(power: Option<String>, action: Action, facts: &mut Facts, found: &mut Vec<Beside>) {
    let Some(power) = power else { return };
    if action == Action::Grant {
        let fact = || Fact::new(FactValue::Text(power), PLANNED);
        facts.entry("full".to_owned()).or_insert_with(fact);
        return;
    }
    // What is opened to everybody is asked about in any case.
    if !found.iter().any(Beside::is_grant) {
        let mut beside = Beside::new(Action::Grant, "access");
        beside.tell("full", FactValue::Text(power));
        found.push(beside);
    }
}

/// What gives full control now and did not before.
pub(super) fn given(before: &Value, after: &Value) -> Option<String> {
    let all = |side: &Value| {
        let mut found = BTreeSet::new();
        value("", side, DEPTH, &mut found);
        found
    };
    let was = all(before);
    all(after).into_iter().find(|word| !was.contains(word)).map(|word| printable(&word))
}

fn value(key: &str, at: &Value, depth: usize, found: &mut BTreeSet<String>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match at {
        Value::Object(map) => {
            everywhere(map, found);
            for (name, inner) in map {
                let lower = name.to_ascii_lowercase();
                if *inner == Value::Bool(true) && terraform_signs().powers.switches.has(&lower) {
                    found.insert(format!("{name} = true"));
                }
                value(&lower, inner, depth, found);
            }
        }
        Value::Array(list) => list.iter().for_each(|inner| value(key, inner, depth, found)),
        Value::String(text) => text_of(key, text, found),
        Value::Number(number) => exactly(key, &number.to_string(), found),
        _ => {}
    }
}

fn text_of(key: &str, text: &str, found: &mut BTreeSet<String>) {
    let powers = &terraform_signs().powers;
    if powers.keys.iter().any(|part| key.contains(part)) {
        let word = text.trim().trim_matches('"').to_ascii_lowercase().replace(' ', "_");
        let last = word.rsplit(['/', ':']).next().unwrap_or_default();
        if [word.as_str(), last]
            .iter()
            .any(|word| powers.words.has(word) || tool_words().grants.full.has(word))
        {
            found.insert(text.trim().to_owned());
        }
    }
    exactly(key, text, found);
    if matches!(key, "rules" | "rules_hcl") {
        let plain: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let plain = plain.to_ascii_lowercase().replace('"', "'");
        found.extend(powers.rules.iter().filter(|rule| plain.contains(rule)).map(str::to_owned));
    }
    if text.contains(MASTERS) {
        masters(text, found);
    }
    if key == "policy" && everything(text) {
        found.insert("path \"*\" with sudo".to_owned());
    }
    if key == "statements" && commands_all(text) {
        found.insert(text.trim().to_owned());
    }
}

/// An attribute that says a word, or a number, which is full control there.
fn exactly(key: &str, text: &str, found: &mut BTreeSet<String>) {
    let said = format!("{key}={}", text.to_ascii_lowercase());
    if terraform_signs().powers.exactly.has(&said) {
        found.insert(said);
    }
}

/// Who is one of a cluster's administrators, in whatever document; the whole text, where nobody can be told apart in it.
fn masters(text: &str, found: &mut BTreeSet<String>) {
    let entries = yaml::read(text).ok().flatten().map(|document| document.to_json());
    match entries {
        Some(Value::Array(list)) => {
            let named = list.iter().map(Value::to_string).filter(|entry| entry.contains(MASTERS));
            found.extend(named.map(|entry| format!("{MASTERS} for {entry}")));
        }
        _ => found.extend([format!("{MASTERS} in {text}")]),
    }
}

/// All privileges on all databases.
fn everywhere(map: &Map<String, Value>, found: &mut BTreeSet<String>) {
    let is_all = |value: &Value| {
        value
            .as_str()
            .is_some_and(|text| ["ALL", "ALL PRIVILEGES"].contains(&text.to_ascii_uppercase().as_str()))
    };
    let everything = map.get("database").and_then(Value::as_str) == Some("*");
    let all = map.get("privileges").and_then(Value::as_array).is_some_and(|list| list.iter().any(is_all));
    let account = map.get("on_account") == Some(&Value::Bool(true))
        && map.get("all_privileges") == Some(&Value::Bool(true));
    if everything && all || account {
        found.insert("all privileges on everything".to_owned());
    }
}

/// `path "*" { capabilities = ["…", "sudo"] }` in the language of Vault's policies.
fn everything(text: &str) -> bool {
    let Some((_, rest)) = text.split_once("path \"*\"") else { return false };
    let body = rest.split_once('{').map_or("", |(_, body)| body);
    let body = body.split_once('}').map_or(body, |(body, _)| body);
    body.split('"').any(|word| word == "sudo")
}

/// `Allow … to manage all-resources in …`.
fn commands_all(text: &str) -> bool {
    let words: Vec<String> = text.split_whitespace().map(str::to_ascii_lowercase).collect();
    words.first().is_some_and(|word| word == "allow")
        && words.windows(2).any(|pair| pair[0] == "manage" && pair[1] == "all-resources")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn one_administrator_more_is_told_and_one_less_is_not() {
        let entry =
            |user: &str| format!("- userarn: arn:aws:iam::1:user/{user}\n  groups: [system:masters]\n");
        let config = |users: &[&str]| {
            let all: String = users.iter().map(|user| entry(user)).collect();
            json!({"data": {"mapUsers": all}})
        };
        assert!(given(&config(&["a"]), &config(&["a", "b"])).is_some());
        assert!(given(&config(&["a"]), &config(&["b"])).is_some(), "another one");
        assert!(given(&config(&["a", "b"]), &config(&["b"])).is_none());
    }

    #[test]
    fn full_control_is_told_in_each_services_words() {
        let none = Value::Null;
        for after in [
            json!({"admin_roles": ["SUPER_ADMIN"]}),
            json!({"roles": [{"role_name": "atlasAdmin", "database_name": "admin"}]}),
            json!({"superuser": true}),
            json!({"roles": ["superuser"]}),
            json!({"role_name": "ACCOUNTADMIN"}),
            json!({"statements": ["Allow any-user to manage all-resources in tenancy"]}),
            json!({"policy": "path \"*\" {\n  capabilities = [\"read\", \"sudo\"]\n}"}),
            json!({"database": "*", "privileges": ["ALL"]}),
            json!({"global_role_id": "admin"}),
            json!({"permissions": [{"role_id": -1}]}),
            json!({"cluster": ["all"]}),
            json!({"rules": "key_prefix \"\" { policy = \"write\" }\nacl = \"write\""}),
            json!({"rules_hcl": "namespace \"*\" {\n  policy = \"write\"\n}"}),
            json!({"permissions": ["resourcemanager.projects.setIamPolicy"]}),
        ] {
            assert!(given(&none, &after).is_some(), "{after}");
            assert!(given(&after, &after).is_none(), "{after} was there before");
        }
        for after in [
            json!({"roles": [{"role_name": "read", "database_name": "admin"}]}),
            json!({"superuser": false, "name": "superuser"}),
            json!({"role_name": "SYSADMIN_READ"}),
            json!({"statements": ["Allow group A to read all-resources in tenancy"]}),
            json!({"policy": "path \"secret/*\" {\n  capabilities = [\"read\", \"sudo\"]\n}"}),
            json!({"database": "shop", "privileges": ["ALL"]}),
            json!({"cluster": ["monitor"]}),
            json!({"rules": "key_prefix \"app/\" { policy = \"write\" }\nacl = \"read\""}),
        ] {
            assert!(given(&none, &after).is_none(), "{after}");
        }
    }
}
