//! How far an opening reaches: to which ports, which acts and which machines.
//!
//! Owns what an entry says of that, and whether one opening holds all of another.

use serde_json::{Map, Value};

use crate::knowledge::terraform_signs;
use crate::wildcard::fits;

/// All of them.
const ALL: (u32, u32) = (0, 65_535);
/// Lists of machines that an entry is for; for all, where they are empty.
const SCOPES: [&str; 2] = ["target_tags", "target_service_accounts"];

/// The first port and the last, as attributes of their own.
const PAIRS: [(&str, &str); 3] =
    [("from_port", "to_port"), ("port_min", "port_max"), ("port_range_min", "port_range_max")];

/// What an opening reaches. What an entry does not say is what stands around it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Reach {
    /// Ranges of ports; `None`: none were named.
    ports: Option<Vec<(u32, u32)>>,
    /// What a statement allows; `None`: nothing says.
    acts: Option<Vec<String>>,
    /// The machines that it is for; `None`: nothing says.
    scope: Option<Vec<String>>,
}

impl Reach {
    /// The same within an entry.
    pub(super) fn within(&self, map: &Map<String, Value>) -> Self {
        let scoped = SCOPES.iter().any(|name| map.contains_key(*name));
        let scope = || SCOPES.iter().flat_map(|name| words(map.get(*name))).collect();
        Self {
            ports: ports(map).or_else(|| self.ports.clone()),
            acts: acts(map).or_else(|| self.acts.clone()),
            scope: if scoped { Some(scope()) } else { self.scope.clone() },
        }
    }

    /// Only the ports of the web.
    pub(super) fn is_web(&self) -> bool {
        let web = |(first, last): &(u32, u32)| first == last && [80, 443].contains(first);
        self.ports.as_ref().is_some_and(|ports| ports.iter().all(web))
    }

    /// Only ports that programs choose for themselves.
    pub(super) fn is_high(&self) -> bool {
        self.ports.as_ref().is_some_and(|ports| ports.iter().all(|(first, _)| *first >= 1_024))
    }

    /// All ports, or all that programs choose for themselves.
    pub(super) fn is_all(&self) -> bool {
        self.ports
            .as_ref()
            .is_some_and(|ports| ports.iter().any(|(first, last)| *first <= 1_024 && *last >= 65_535))
    }

    /// Whether it reaches all that the other reaches.
    pub(super) fn covers(&self, other: &Self) -> bool {
        let ports = match (&self.ports, &other.ports) {
            (None, _) => true,
            (Some(own), None) => own.contains(&ALL),
            (Some(own), Some(theirs)) => theirs
                .iter()
                .all(|(first, last)| own.iter().any(|range| range.0 <= *first && *last <= range.1)),
        };
        let acts = match (&self.acts, &other.acts) {
            (None, _) => true,
            (Some(own), None) => own.iter().any(|act| act == "*"),
            (Some(own), Some(theirs)) => theirs.iter().all(|act| own.iter().any(|known| fits(known, act))),
        };
        let scope = match (&self.scope, &other.scope) {
            (None, _) => true,
            (Some(own), _) if own.is_empty() => true,
            (Some(_), None) => false,
            (Some(own), Some(theirs)) => !theirs.is_empty() && theirs.iter().all(|name| own.contains(name)),
        };
        ports && acts && scope
    }
}

/// The ports that an entry names; `None` where it names none.
fn ports(map: &Map<String, Value>) -> Option<Vec<(u32, u32)>> {
    let word = |name: &str| map.get(name).and_then(Value::as_str).map(str::to_ascii_lowercase);
    let protocol = word("protocol").or_else(|| word("ip_protocol"));
    if protocol.is_some_and(|name| ["-1", "all"].contains(&name.as_str())) {
        return Some(vec![ALL]);
    }
    if let Some(found) = pair(map) {
        return Some(vec![found]);
    }
    let mut found = Vec::new();
    for value in terraform_signs().ports.iter().filter_map(|key| map.get(key)) {
        ranges(value, &mut found);
    }
    (!found.is_empty()).then_some(found)
}

/// The first port and the last that an entry names one by one.
fn pair(map: &Map<String, Value>) -> Option<(u32, u32)> {
    let number = |name: &str| map.get(name).and_then(Value::as_i64).and_then(|port| u32::try_from(port).ok());
    PAIRS.iter().find_map(|(first, last)| number(first).zip(number(last)))
}

fn ranges(value: &Value, found: &mut Vec<(u32, u32)>) {
    match value {
        Value::Number(number) => {
            let port = number.as_u64().and_then(|port| u32::try_from(port).ok());
            found.push(port.map_or(ALL, |port| (port, port)));
        }
        Value::String(text) => {
            for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
                let (first, last) = part.split_once(['-', '/']).unwrap_or((part, part));
                // A name of a service, `*` and `all` may be any.
                let known = first.trim().parse().ok().zip(last.trim().parse().ok());
                found.push(known.unwrap_or(ALL));
            }
        }
        Value::Array(list) => list.iter().for_each(|inner| ranges(inner, found)),
        Value::Object(map) => match map.get("ports") {
            Some(ports) if ports.as_array().is_some_and(|ports| !ports.is_empty()) => ranges(ports, found),
            // A protocol without ports is all of them.
            _ => found.push(pair(map).unwrap_or(ALL)),
        },
        _ => {}
    }
}

/// What a statement of a policy allows.
fn acts(map: &Map<String, Value>) -> Option<Vec<String>> {
    map.get("Effect")?;
    match map.get("Action") {
        Some(action) => Some(words(Some(action))),
        None => map.get("NotAction").map(|_| vec!["*".to_owned()]),
    }
}

/// A word, or a list of them.
fn words(value: Option<&Value>) -> Vec<String> {
    let list = value.and_then(Value::as_array).map(Vec::as_slice);
    let all = list.unwrap_or_else(|| value.map(std::slice::from_ref).unwrap_or_default());
    all.iter().filter_map(Value::as_str).map(str::to_ascii_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn reach(entry: &Value) -> Reach {
        Reach::default().within(entry.as_object().unwrap())
    }

    #[test]
    fn more_ports_acts_or_machines_are_not_covered() {
        let port = |first: i64, last: i64| json!({"from_port": first, "to_port": last, "protocol": "tcp"});
        let all = json!({"from_port": 0, "to_port": 0, "protocol": "-1"});
        let act = |act: Value| json!({"Effect": "Allow", "Action": act});
        for (wide, narrow) in [
            (port(443, 443), port(22, 22)),
            (port(0, 65_535), port(443, 443)),
            (all, port(22, 22)),
            (json!({"port": "any"}), json!({"port": "80"})),
            (json!({"allow": [{"protocol": "all", "ports": []}]}), json!({"allow": [{"ports": ["443"]}]})),
            (act(json!(["s3:GetObject", "s3:PutObject"])), act(json!("s3:GetObject"))),
            (act(json!("s3:*")), act(json!("s3:GetObject"))),
            (json!({"target_tags": []}), json!({"target_tags": ["ssh"]})),
        ] {
            let [wide, narrow] = [reach(&wide), reach(&narrow)];
            assert!(!narrow.covers(&wide), "{narrow:?} {wide:?}");
            assert!(wide.covers(&wide) && narrow.covers(&narrow));
        }
        assert!(reach(&port(0, 65_535)).covers(&reach(&port(443, 443))));
        assert!(reach(&act(json!("s3:*"))).covers(&reach(&act(json!("s3:GetObject")))));
        assert!(reach(&json!({"target_tags": []})).covers(&reach(&json!({"target_tags": ["ssh"]}))));
        assert!(reach(&port(443, 443)).is_web() && !reach(&port(80, 443)).is_web());
    }
}
