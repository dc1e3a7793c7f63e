//! Which attributes a configuration gives: the others are told by the provider.

use std::collections::HashMap;

use serde_json::Value;

use super::plan::{Configuration, ConfigurationModule};
use super::references::without_instances;

/// The resources of a configuration, by address without instance keys.
pub(super) struct Configured<'p>(Option<HashMap<String, &'p Value>>);

impl<'p> Configured<'p> {
    pub(super) fn of(configuration: Option<&'p Configuration>) -> Self {
        let Some(configuration) = configuration else { return Self(None) };
        let mut found = HashMap::new();
        let mut pending: Vec<(String, &ConfigurationModule)> =
            vec![(String::new(), &configuration.root_module)];
        while let Some((prefix, module)) = pending.pop() {
            for resource in &module.resources {
                found.insert(format!("{prefix}{}", resource.address), &resource.expressions);
            }
            let calls = module.module_calls.iter();
            pending.extend(calls.map(|(name, call)| (format!("{prefix}module.{name}."), &call.module)));
        }
        Self(Some(found))
    }

    /// Whether the configuration of a resource gives an attribute; `None` where it does not say.
    pub(super) fn gives(&self, address: &str, attribute: &str) -> Option<bool> {
        let expressions = self.0.as_ref()?.get(&without_instances(address))?.as_object()?;
        Some(expressions.contains_key(attribute))
    }
}
