//! How a look's raw output becomes a fact: a closed, declarative form. Pure.
//!
//! JSON is read strictly and whole; text line by line. What does not fit, or names another resource, is nothing at all.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::looks::{Literal, Lookup, fill, keys};
use crate::model::FactValue;

/// Longest output that is read, in bytes.
pub const RAW_LIMIT: usize = 1024 * 1024;

/// One text, or several of which one must be it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Expected {
    /// This one.
    One(String),
    /// One of these.
    Any(Vec<String>),
}

impl Expected {
    fn fits(&self, value: Option<&Value>, lookup: Lookup<'_>) -> bool {
        let texts = match self {
            Self::One(text) => std::slice::from_ref(text),
            Self::Any(list) => list,
        };
        let Some(found) = value.and_then(scalar).map(|found| text_of(&found)) else { return false };
        texts.iter().any(|text| fill(text, lookup).as_deref() == Some(found.as_str()))
    }
}

/// How an output is read. JSON unless `line`, `after` or `starts` says that it is text.
#[derive(Clone, Debug, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Reading {
    /// What must stand where (JSON pointers, `/` alone is the whole), so that it speaks of the target.
    pub names: BTreeMap<String, Expected>,
    /// The fact's place, in the output or in the one entry of `list` that fits.
    pub value: Option<String>,
    /// Lists; without `value` the fact is the number of their entries that fit.
    pub list: Vec<String>,
    /// What must stand where in an entry.
    pub r#where: BTreeMap<String, Expected>,
    /// Places that say that the output is not all of it, unless they are absent, false or empty.
    pub whole: Vec<String>,
    /// The fact is whether the value is one of these.
    pub equals: Vec<String>,
    /// The fact where an output that speaks of the target has no value in its place.
    pub absent: Option<Literal>,
    /// Text: whether some line is this.
    pub line: Option<String>,
    /// Text: what stands behind this at the beginning of the only line that begins so.
    pub after: Option<String>,
    /// Text: the number of lines that begin so.
    pub starts: Option<String>,
}

impl Reading {
    /// Facts that it compares with.
    pub fn asks(&self) -> Vec<String> {
        let expected = self.names.values().chain(self.r#where.values()).flat_map(|expected| match expected {
            Expected::One(text) => std::slice::from_ref(text),
            Expected::Any(list) => &list[..],
        });
        let text = [&self.line, &self.after, &self.starts].into_iter().flatten();
        expected.chain(text).flat_map(|text| keys(text)).map(str::to_owned).collect()
    }

    /// Whether the form is one of those that mean something.
    pub(super) fn check(&self) -> Result<(), String> {
        let text = [&self.line, &self.after, &self.starts].into_iter().flatten().count();
        let json = usize::from(self.value.is_some() || !self.list.is_empty());
        if text + json != 1 {
            return Err("`parse` needs one of `value`, `list`, `line`, `after` and `starts`".to_owned());
        }
        let pointers = self.names.keys().chain(self.r#where.keys()).chain(&self.list).chain(&self.whole);
        if let Some(wrong) = pointers.chain(&self.value).find(|pointer| !pointer.starts_with('/')) {
            return Err(format!("`{wrong}` is not a JSON pointer"));
        }
        if !self.r#where.is_empty() && self.list.is_empty() {
            return Err("`where` is about the entries of a `list`".to_owned());
        }
        if self.absent.is_some() && self.names.is_empty() && self.r#where.is_empty() {
            return Err("`absent` needs `names` or `where`: nothing else shows whom it speaks of".to_owned());
        }
        Ok(())
    }

    /// Whether the output itself shows which resource it speaks of.
    pub fn names_target(&self) -> bool {
        self.value.is_none() && self.list.is_empty() || !self.names.is_empty() || !self.r#where.is_empty()
    }

    /// What an output says of the fact; `None` when it says nothing, or nothing about this target.
    pub fn read(&self, raw: &str, lookup: Lookup<'_>) -> Option<FactValue> {
        if raw.len() > RAW_LIMIT {
            return None;
        }
        if self.value.is_some() || !self.list.is_empty() {
            let output = crate::json::parse(raw.as_bytes(), RAW_LIMIT).ok()?;
            return self.json(&output, lookup);
        }
        let lines = || raw.lines().map(str::trim_end);
        if let Some(line) = &self.line {
            let wanted = fill(line, lookup)?;
            return lines().any(|found| found == wanted).then_some(FactValue::Bool(true));
        }
        if let Some(start) = &self.after {
            let start = fill(start, lookup)?;
            let mut found = lines().filter_map(|line| line.strip_prefix(start.as_str()));
            let (only, more) = (found.next()?, found.next());
            return more.is_none().then(|| self.told(word(only.trim())));
        }
        let start = fill(self.starts.as_deref()?, lookup)?;
        let count = lines().filter(|line| line.starts_with(start.as_str())).count();
        // No line at all shows nothing: a command that failed prints none either.
        (count > 0).then(|| i64::try_from(count).ok().map(FactValue::Number))?
    }

    fn json(&self, output: &Value, lookup: Lookup<'_>) -> Option<FactValue> {
        let fits = |at: &Value, wanted: &BTreeMap<String, Expected>| {
            wanted.iter().all(|(pointer, text)| text.fits(at.pointer(pointer), lookup))
        };
        let partial = |pointer: &String| {
            !matches!(output.pointer(pointer), None | Some(Value::Null | Value::Bool(false)))
                && output.pointer(pointer).and_then(Value::as_str) != Some("")
        };
        if !output.is_object() && !output.is_array()
            || !fits(output, &self.names)
            || self.whole.iter().any(partial)
        {
            return None;
        }
        if self.list.is_empty() {
            return self.value_in(output);
        }
        let mut entries = Vec::new();
        let mut there = !self.names.is_empty();
        for pointer in &self.list {
            match output.pointer(if pointer == "/" { "" } else { pointer }) {
                Some(Value::Array(list)) => {
                    there = true;
                    entries.extend(list);
                }
                None | Some(Value::Null) => {}
                Some(_) => return None,
            }
        }
        let named: BTreeMap<String, Expected> = self
            .r#where
            .iter()
            .filter(|(_, text)| speaks_of_target(text))
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect();
        let ours: Vec<&&Value> = entries.iter().filter(|entry| fits(entry, &named)).collect();
        // Entries of other resources only: it does not speak of this one.
        if !there || (ours.is_empty() && !entries.is_empty() && !named.is_empty()) {
            return None;
        }
        let fitting: Vec<&Value> =
            ours.into_iter().copied().filter(|entry| fits(entry, &self.r#where)).collect();
        if self.value.is_none() {
            return i64::try_from(fitting.len()).ok().map(FactValue::Number);
        }
        match fitting.as_slice() {
            [only] => self.value_in(only),
            _ => None,
        }
    }

    fn value_in(&self, at: &Value) -> Option<FactValue> {
        match at.pointer(self.value.as_deref()?) {
            None | Some(Value::Null) => self.absent.as_ref().map(Literal::value),
            Some(found) => scalar(found).map(|found| self.told(found)),
        }
    }

    fn told(&self, found: FactValue) -> FactValue {
        if self.equals.is_empty() {
            return found;
        }
        FactValue::Bool(self.equals.contains(&text_of(&found)))
    }
}

fn speaks_of_target(expected: &Expected) -> bool {
    match expected {
        Expected::One(text) => text.contains('{'),
        Expected::Any(list) => list.iter().any(|text| text.contains('{')),
    }
}

fn scalar(value: &Value) -> Option<FactValue> {
    match value {
        Value::Bool(yes) => Some(FactValue::Bool(*yes)),
        Value::Number(number) => number.as_i64().or_else(|| whole(number.as_f64()?)).map(FactValue::Number),
        Value::String(text) => Some(FactValue::Text(text.clone())),
        _ => None,
    }
}

/// The strict reader holds every number as a double.
#[allow(clippy::cast_possible_truncation)]
fn whole(number: f64) -> Option<i64> {
    (number.fract() == 0.0 && number.abs() < 9e15).then_some(number as i64)
}

fn word(text: &str) -> FactValue {
    match text {
        "true" => FactValue::Bool(true),
        "false" => FactValue::Bool(false),
        _ => text.parse().map_or_else(|_| FactValue::Text(text.to_owned()), FactValue::Number),
    }
}

fn text_of(value: &FactValue) -> String {
    match value {
        FactValue::Bool(yes) => yes.to_string(),
        FactValue::Number(number) => number.to_string(),
        FactValue::Text(text) => text.clone(),
    }
}
