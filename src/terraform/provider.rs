//! What the providers themselves are told: the constants of their configuration, which say for some types what a removal
//! does.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::attributes::{Attribute, lookup, parse_default};
use super::plan::{Configuration, ConfigurationModule, ResourceChange};
use super::references::without_instances;
use crate::model::FactValue;

/// The providers of a plan and which resource has which.
pub(super) struct Providers {
    /// By the plan's own key: full name, settings, and which of these are computed.
    by_key: HashMap<String, (String, Value, Value)>,
    /// Address without instance keys → key.
    used: HashMap<String, String>,
}

/// What one resource's provider is told; `None`: it cannot be told which provider that is.
pub(super) struct Settings<'p>(Option<(&'p Value, &'p Value)>);

impl Providers {
    pub(super) fn of(configuration: Option<&Configuration>) -> Self {
        let mut found = Self { by_key: HashMap::new(), used: HashMap::new() };
        let Some(configuration) = configuration else { return found };
        for (key, provider) in &configuration.provider_config {
            let (settings, computed) = constants(&provider.expressions, 0);
            let name = provider.full_name.clone().unwrap_or_default();
            found.by_key.insert(key.clone(), (name, settings, computed));
        }
        if found.by_key.len() < 2 {
            return found;
        }
        let mut pending: Vec<(String, &ConfigurationModule)> =
            vec![(String::new(), &configuration.root_module)];
        while let Some((prefix, module)) = pending.pop() {
            for resource in &module.resources {
                if let Some(key) = &resource.provider_config_key {
                    found.used.insert(format!("{prefix}{}", resource.address), key.clone());
                }
            }
            let calls = module.module_calls.iter();
            pending.extend(calls.map(|(name, call)| (format!("{prefix}module.{name}."), &call.module)));
        }
        found
    }

    /// The plan's own key of a resource's provider, where it has several.
    pub(super) fn key(&self, address: &str) -> Option<&str> {
        self.used.get(&without_instances(address)).map(String::as_str)
    }

    /// The provider of a change's resource; of one that stands in no configuration any more, the only one of its name.
    pub(super) fn settings(&self, change: &ResourceChange) -> Settings<'_> {
        let used = self.used.get(&without_instances(&change.address)).and_then(|key| self.by_key.get(key));
        if let Some((_, settings, computed)) = used {
            return Settings(Some((settings, computed)));
        }
        let name = change.provider_name.as_deref().unwrap_or_default();
        let mut of_the_name = self.by_key.values().filter(|(full, ..)| full == name);
        let first = of_the_name.next().map(|(_, settings, computed)| (settings, computed));
        Settings(
            first.filter(|first| of_the_name.all(|(_, settings, computed)| (settings, computed) == *first)),
        )
    }
}

impl Settings<'_> {
    /// What `@path|default` says; `None` for a path that is none of a provider's.
    pub(super) fn fact(&self, declared: &str) -> Option<Option<FactValue>> {
        let path = declared.strip_prefix('@')?;
        let (path, default) =
            path.split_once('|').map_or((path, None), |(path, default)| (path, Some(default)));
        let Some((settings, computed)) = self.0 else { return Some(None) };
        Some(match lookup(settings, &Value::Null, computed, path) {
            Attribute::Known(value) => Some(value),
            Attribute::Absent => default.map(parse_default),
            Attribute::Hidden => None,
        })
    }
}

/// Expressions as values, and beside them which are computed.
fn constants(expression: &Value, depth: usize) -> (Value, Value) {
    let computed = || (Value::Null, Value::Bool(true));
    if depth > 32 {
        return computed();
    }
    match expression {
        Value::Object(map) => {
            if let Some(value) = map.get("constant_value") {
                return (value.clone(), Value::Null);
            }
            if map.contains_key("references") {
                return computed();
            }
            let (mut values, mut marks) = (Map::new(), Map::new());
            for (key, inner) in map {
                let (value, mark) = constants(inner, depth + 1);
                values.insert(key.clone(), value);
                marks.insert(key.clone(), mark);
            }
            (Value::Object(values), Value::Object(marks))
        }
        Value::Array(list) => {
            let (values, marks) = list.iter().map(|inner| constants(inner, depth + 1)).unzip();
            (Value::Array(values), Value::Array(marks))
        }
        other => (other.clone(), Value::Null),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::terraform::plan;

    #[test]
    fn a_resource_has_its_own_providers_settings() {
        let purge = |value: Value| json!({"full_name": "x/azurerm", "expressions": {"features": [{"key_vault": [{"purge": value}]}]}});
        let keep = json!({"constant_value": false});
        let plan = json!({"format_version": "1.2", "resource_changes": [
                {"address": "a.b", "type": "a", "provider_name": "x/azurerm", "change": {"actions": ["delete"]}},
                {"address": "module.m.a.c[0]", "type": "a", "provider_name": "x/azurerm", "change": {"actions": ["delete"]}},
                {"address": "a.d", "type": "a", "provider_name": "x/azurerm", "change": {"actions": ["delete"]}}],
            "configuration": {
                "provider_config": {"azurerm": purge(json!({"references": ["var.x"]})), "azurerm.two": purge(keep)},
                "root_module": {"resources": [{"address": "a.b", "provider_config_key": "azurerm"}],
                    "module_calls": {"m": {"module": {"resources": [{"address": "a.c", "provider_config_key": "azurerm.two"}]}}}}}});
        let plan = plan::read(plan.to_string().as_bytes()).unwrap();
        let providers = Providers::of(plan.configuration.as_ref());
        let says = |at: usize, path| {
            providers.settings(&plan.resource_changes.as_ref().unwrap()[at]).fact(path).unwrap()
        };
        let path = "@features.key_vault.purge|true";
        assert_eq!(says(0, path), None, "a variable says it");
        assert_eq!(says(1, path), Some(FactValue::Bool(false)));
        assert_eq!(says(2, path), None, "one of two, and they differ");
        assert_eq!(says(1, "@features.other.purge|true"), Some(FactValue::Bool(true)));
    }
}
