//! Who refers to whom: from the configuration's own references and `depends_on`, through modules, never from
//! substrings.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::OnceLock;

use serde_json::Value;

use super::plan::{Configuration, ConfigurationModule};
use crate::model::Dependent;

/// Dependents listed in all; past that, those of one resource are cut at [`LISTED_LATE`]. A chain of thousands of
/// resources that all go would otherwise take the square of its length.
const LISTED: usize = 50_000;
const LISTED_LATE: usize = 64;

/// Edges from a resource (configuration address, without instance keys) to those that refer to it.
#[derive(Debug, Default)]
pub(super) struct References {
    /// referenced → (referring, how)
    edges: BTreeMap<String, BTreeSet<(String, String)>>,
    listed: usize,
    /// (referring, how) → types of what is referred to, once somebody asks.
    reversed: OnceLock<BTreeMap<(String, String), Vec<String>>>,
}

impl References {
    pub(super) fn of(configuration: Option<&Configuration>) -> Self {
        let mut found = Self::default();
        if let Some(configuration) = configuration {
            let scope = Scope { prefix: String::new(), variables: BTreeMap::new() };
            found.module(&configuration.root_module, &scope, 0);
        }
        found
    }

    /// Everything that refers to `address`, directly or through others, up to a limit that the last one's reason tells.
    pub(super) fn dependents(&mut self, address: &str) -> Vec<Dependent> {
        let mut found: Vec<Dependent> = Vec::new();
        if self.edges.is_empty() {
            return found;
        }
        let limit = LISTED.saturating_sub(self.listed).max(LISTED_LATE);
        let start = without_instances(address);
        let mut seen = BTreeSet::from([start.as_str()]);
        let mut queue = VecDeque::from([(start.as_str(), false)]);
        'all: while let Some((referenced, transitive)) = queue.pop_front() {
            for (referring, how) in self.edges.get(referenced).into_iter().flatten() {
                if !seen.insert(referring) {
                    continue;
                }
                if found.len() >= limit {
                    if let Some(last) = found.last_mut() {
                        last.reason.push_str("; more resources depend on it that are not listed");
                    }
                    break 'all;
                }
                found.push(Dependent {
                    id: referring.clone(),
                    r#type: type_of(referring),
                    reason: format!("refers to {referenced} in {how}"),
                    transitive,
                });
                queue.push_back((referring, true));
            }
        }
        self.listed += found.len();
        found
    }

    /// Everything that refers to `address` directly, and how.
    pub(super) fn direct(&self, address: &str) -> impl Iterator<Item = (&str, &str)> {
        let found = self.edges.get(&without_instances(address)).into_iter().flatten();
        found.map(|(referring, how)| (referring.as_str(), how.as_str()))
    }

    /// The types of the resources that an attribute of a resource comes from; none, where it is not known that it comes from
    /// resources alone.
    pub(super) fn types(&self, address: &str, attribute: &str) -> Vec<String> {
        let reversed = self.reversed.get_or_init(|| {
            let mut found: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
            for (to, referring) in &self.edges {
                for (from, how) in referring {
                    found.entry((from.clone(), how.clone())).or_default().extend(sort_of(to));
                }
            }
            found
        });
        reversed.get(&(without_instances(address), attribute.to_owned())).cloned().unwrap_or_default()
    }

    /// What each of `who` (without instance keys) refers to, and in which attribute.
    pub(super) fn referred(&self, who: &BTreeSet<String>) -> BTreeMap<String, Vec<(&str, &str)>> {
        let mut found: BTreeMap<String, Vec<(&str, &str)>> = BTreeMap::new();
        for (to, referring) in &self.edges {
            for (from, how) in referring.iter().filter(|(from, _)| who.contains(from)) {
                found.entry(from.clone()).or_default().push((to, how));
            }
        }
        found
    }

    fn module(&mut self, module: &ConfigurationModule, scope: &Scope, depth: usize) {
        // Modules nest as deep as directories do; the bound only guards against hostile input.
        if depth > 64 {
            return;
        }
        for resource in &module.resources {
            let address = format!("{}{}", scope.prefix, resource.address);
            let mut used = Vec::new();
            collect(&resource.expressions, "", &mut used);
            collect(&resource.count_expression, "count", &mut used);
            collect(&resource.for_each_expression, "for_each", &mut used);
            used.extend(resource.depends_on.iter().map(|to| (to.clone(), "depends_on".to_owned())));
            for (reference, how) in used {
                for target in self.resolve(&reference, module, scope) {
                    if target != address {
                        self.edges.entry(target).or_default().insert((address.clone(), how.clone()));
                    }
                }
            }
        }
        for (name, call) in &module.module_calls {
            let mut variables = BTreeMap::new();
            if let Some(map) = call.expressions.as_object() {
                for (variable, expression) in map {
                    let mut used = Vec::new();
                    collect(expression, variable, &mut used);
                    let targets: BTreeSet<String> = used
                        .iter()
                        .flat_map(|(reference, _)| self.resolve(reference, module, scope))
                        .chain(call.depends_on.iter().flat_map(|to| self.resolve(to, module, scope)))
                        .collect();
                    variables.insert(variable.clone(), targets);
                }
            }
            let inner = Scope { prefix: format!("{}module.{name}.", scope.prefix), variables };
            self.module(&call.module, &inner, depth + 1);
        }
    }

    /// The resources that a reference stands for, seen from inside a module.
    fn resolve(&self, reference: &str, module: &ConfigurationModule, scope: &Scope) -> Vec<String> {
        let plain = without_instances(reference);
        let mut parts = plain.split('.');
        let (Some(first), Some(second)) = (parts.next(), parts.next()) else { return Vec::new() };
        match first {
            "var" => scope.variables.get(second).map(|set| set.iter().cloned().collect()).unwrap_or_default(),
            "local" | "each" | "count" | "path" | "terraform" | "self" => Vec::new(),
            "module" => {
                let Some(call) = module.module_calls.get(second) else { return Vec::new() };
                let prefix = format!("{}module.{second}.", scope.prefix);
                let inner = Scope { prefix: prefix.clone(), variables: BTreeMap::new() };
                let Some(output) = parts.next() else {
                    return call.module.resources.iter().map(|r| format!("{prefix}{}", r.address)).collect();
                };
                let mut used = Vec::new();
                collect(call.module.outputs.get(output).unwrap_or(&Value::Null), output, &mut used);
                used.iter().flat_map(|(inside, _)| self.resolve(inside, &call.module, &inner)).collect()
            }
            "data" => {
                parts.next().map(|name| format!("{}data.{second}.{name}", scope.prefix)).into_iter().collect()
            }
            _ => vec![format!("{}{first}.{second}", scope.prefix)],
        }
    }
}

struct Scope {
    prefix: String,
    variables: BTreeMap<String, BTreeSet<String>>,
}

/// Every `references` list below an expression, with the attribute it stands in.
fn collect(expression: &Value, attribute: &str, found: &mut Vec<(String, String)>) {
    match expression {
        Value::Object(map) => {
            for (key, value) in map {
                if key == "references" {
                    for reference in value.as_array().into_iter().flatten().filter_map(Value::as_str) {
                        found.push((reference.to_owned(), attribute.to_owned()));
                    }
                } else if key != "constant_value" {
                    let name = if attribute.is_empty() { key.as_str() } else { attribute };
                    collect(value, name, found);
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|value| collect(value, attribute, found)),
        _ => {}
    }
}

/// `module.a["x"].aws_b.c[0]` without its instance keys.
pub fn without_instances(address: &str) -> String {
    let mut plain = String::with_capacity(address.len());
    let (mut depth, mut quoted, mut escaped) = (0usize, false, false);
    for c in address.chars() {
        if quoted {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => quoted = false,
                _ => {}
            }
            continue;
        }
        match c {
            '"' if depth > 0 => quoted = true,
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    plain
}

/// The type, and that it is only looked up where it is.
fn sort_of(address: &str) -> Option<String> {
    let found = type_of(address)?;
    let looked_up = address.rsplit('.').nth(2) == Some("data");
    Some(if looked_up { format!("data.{found}") } else { found })
}

fn type_of(address: &str) -> Option<String> {
    let mut parts = address.rsplit('.');
    parts.next()?;
    parts.next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{LISTED, LISTED_LATE, References, without_instances};

    #[test]
    fn instance_keys_are_dropped_whatever_they_hold() {
        assert_eq!(without_instances(r#"module.a["x.y]\"z"].aws_b.c[0]"#), "module.a.aws_b.c");
    }

    #[test]
    fn references_are_followed_through_modules_and_others() {
        let configuration = serde_json::from_value(json!({"root_module": {
            "resources": [
                {"address": "aws_db_instance.a", "type": "aws_db_instance"},
                {"address": "aws_x.b", "type": "aws_x", "expressions": {"block": [{"in": {"references": ["aws_db_instance.a.id", "aws_db_instance.a"]}}]}},
                {"address": "aws_x.metadata", "type": "aws_x", "expressions": {"v": {"constant_value": "aws_db_instance.a"}}},
                {"address": "aws_x.d", "type": "aws_x", "depends_on": ["module.m"]}],
            "module_calls": {"m": {"expressions": {"v": {"references": ["aws_x.b"]}},
                "module": {"outputs": {"o": {"expression": {"references": ["aws_y.c"]}}},
                           "resources": [{"address": "aws_y.c", "type": "aws_y", "expressions": {"i": {"references": ["var.v"]}}}]}}}
        }}))
        .unwrap();
        let found = References::of(Some(&configuration)).dependents("aws_db_instance.a[0]");
        let ids: Vec<_> = found.iter().map(|d| (d.id.as_str(), d.transitive)).collect();
        assert_eq!(ids, [("aws_x.b", false), ("module.m.aws_y.c", true), ("aws_x.d", true)]);
        assert_eq!(found[0].reason, "refers to aws_db_instance.a in block");
    }

    #[test]
    fn a_chain_of_thousands_is_not_told_in_full_for_each_link() {
        let resource =
            |n: usize| json!({"address": format!("a.r{n}"), "depends_on": [format!("a.r{}", n + 1)]});
        let resources: Vec<_> = (0..700).map(resource).collect();
        let configuration = serde_json::from_value(json!({"root_module": {"resources": resources}})).unwrap();
        let mut references = References::of(Some(&configuration));
        let found: Vec<_> = (1..=700).map(|n| references.dependents(&format!("a.r{n}"))).collect();
        assert_eq!(found[199].len(), 200);
        assert_eq!(found[699].len(), LISTED_LATE);
        assert!(found[699][LISTED_LATE - 1].reason.ends_with("not listed"));
        assert!(found.iter().map(Vec::len).sum::<usize>() < LISTED + 700 * LISTED_LATE + 700);
    }
}
