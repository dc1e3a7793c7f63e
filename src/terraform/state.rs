//! The other resources of the state, those that the plan removes left out: the snapshots, policies and settings that say
//! what becomes of a resource.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use super::attributes::{Attribute, lookup};
use super::place::{Place, SAID_BY, apart};
use super::plan::{Plan, StateModule};
use super::said::show;
use super::select::{first_key, select};
use crate::knowledge::Related;
use crate::model::FactValue;
use crate::order;

/// Resources of the types that the plan's own types ask about.
pub(super) struct Others<'a> {
    /// There is a state at all.
    known: bool,
    /// A resource that might matter could not be read.
    pub(super) unreadable: bool,
    /// Attributes that are asked for, by type.
    wanted: HashMap<&'a str, BTreeSet<&'a str>>,
    by_type: HashMap<&'a str, Vec<Cow<'a, Value>>>,
    /// Positions in `by_type` by type, naming attribute and what it names.
    by_name: HashMap<(&'a str, &'a str), HashMap<String, Vec<usize>>>,
}

impl<'a> Others<'a> {
    /// Gathers what `related` asks for; `going`: addresses that the plan removes.
    pub(super) fn of(
        plan: &'a Plan,
        state: Option<&'a Value>,
        going: &BTreeSet<&str>,
        related: impl Iterator<Item = &'a Related>,
    ) -> Self {
        let mut found = Self {
            known: false,
            unreadable: false,
            wanted: HashMap::new(),
            by_type: HashMap::new(),
            by_name: HashMap::new(),
        };
        for related in related {
            let keys = found.wanted.entry(related.r#type.as_str()).or_default();
            keys.insert(first_key(&related.attribute));
            keys.extend(SAID_BY);
            keys.extend(related.value.as_deref().map(first_key));
            found.by_name.entry((related.r#type.as_str(), related.attribute.as_str())).or_default();
        }
        if let Some(values) = plan.prior_state.as_ref().and_then(|state| state.values.as_ref()) {
            found.known = true;
            if let Some(root) = &values.root_module {
                found.module(root, going, 0);
            }
        }
        if let Some(root) = state.and_then(|state| state.pointer("/values/root_module")) {
            found.known = true;
            found.loose(root, going, 0);
        }
        for ((kind, attribute), names) in &mut found.by_name {
            let none = Value::Null;
            for (at, values) in found.by_type.get(kind).into_iter().flatten().enumerate() {
                if let Attribute::Known(FactValue::Text(name)) = lookup(values, &none, &none, attribute) {
                    names.entry(name).or_default().push(at);
                }
            }
        }
        found
    }

    fn module(&mut self, module: &'a StateModule, going: &BTreeSet<&str>, depth: usize) {
        if depth > 64 {
            return;
        }
        for resource in &module.resources {
            let Some((kind, keys)) = self.wanted.get_key_value(resource.r#type.as_str()) else { continue };
            if resource.mode == "data" || going.contains(resource.address.as_str()) {
                continue;
            }
            let keys: Vec<&str> = keys.iter().copied().collect();
            match select(&resource.values, &keys) {
                Ok(values) => self.by_type.entry(kind).or_default().push(Cow::Owned(values)),
                Err(_) => self.unreadable = true,
            }
        }
        module.child_modules.iter().for_each(|child| self.module(child, going, depth + 1));
    }

    /// The same for a state document that came as plain JSON.
    fn loose(&mut self, module: &'a Value, going: &BTreeSet<&str>, depth: usize) {
        if depth > 64 {
            return;
        }
        let list = |name: &str| module.get(name).and_then(Value::as_array).into_iter().flatten();
        for resource in list("resources") {
            let address = resource.get("address").and_then(Value::as_str).unwrap_or("");
            if let (Some(kind), Some(values)) =
                (resource.get("type").and_then(Value::as_str), resource.get("values"))
                && self.wanted.contains_key(kind)
                && !going.contains(address)
            {
                self.by_type.entry(kind).or_default().push(Cow::Borrowed(values));
            }
        }
        list("child_modules").for_each(|child| self.loose(child, going, depth + 1));
    }

    /// What they say of a resource in a place that goes by any of `names`; `None` when that is not known.
    pub(super) fn related(
        &self,
        related: &Related,
        names: &[String],
        place: &Place,
    ) -> Option<(FactValue, String)> {
        if !self.known || names.is_empty() {
            return None;
        }
        let by_name = self.by_name.get(&(related.r#type.as_str(), related.attribute.as_str()));
        let names = order::set(names);
        let all = self.by_type.get(related.r#type.as_str());
        let elsewhere = |name: &str, at: usize| {
            all.and_then(|all| all.get(at))
                .is_some_and(|other| apart(name, place, &Place::of_values(&related.r#type, other)))
        };
        let found = || {
            let of_name = |name: &'_ &String| {
                let name = (*name).clone();
                let known = by_name.and_then(|known| known.get(&name)).into_iter().flatten().copied();
                known.filter(move |at| !elsewhere(&name, *at)).collect::<Vec<_>>()
            };
            names.iter().flat_map(of_name)
        };
        match &related.value {
            None => {
                let count = found().count();
                let said = format!("{count} of type {} in the state stay", related.r#type);
                Some((FactValue::Number(i64::try_from(count).unwrap_or(i64::MAX)), said))
            }
            Some(path) => {
                let first = self.by_type.get(related.r#type.as_str())?.get(found().min()?)?;
                let none = Value::Null;
                match lookup(first, &none, &none, path) {
                    Attribute::Known(value) => {
                        let said = format!("{} says {}", related.r#type, show(&value));
                        Some((value, said))
                    }
                    _ => None,
                }
            }
        }
    }
}
