//! Grants of access that a plan makes: whom they reach and how much they give, as the attributes say. Which words say so is
//! data (`grants` in `tool_words.toml`), the same as for commands.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::attributes::marks_any;
use super::facts::Attributes;
use super::narrower;
use super::said::{PLANNED, printable};
use super::texts;
use crate::knowledge::{Grants, TerraformType, Words, terraform_signs, tool_words};
use crate::model::{Action, Fact, FactValue, Facts};

/// How deep a policy's text is looked into.
const DEPTH: usize = 32;

/// Attributes by which a rule says that it lets nothing in.
pub(super) const CLOSING: [&str; 4] = ["access", "action", "direction", "effect"];

/// Whether anybody is let in at all: a rule for another group gives no range of addresses.
pub(super) fn gives(names: &[String], attributes: &Attributes) -> bool {
    let set = |name: &String| {
        let none =
            |value: &Value| value.is_null() || value == "" || value.as_array().is_some_and(Vec::is_empty);
        !attributes.after.get(name).is_none_or(none)
            || attributes.after_unknown.get(name).is_some_and(marks_any)
    };
    let range = |name: &String| name.contains("cidr") || name.contains("address");
    !names.iter().all(range) || names.iter().any(set)
}

/// Tells what the attributes that decide say. What is known only after the apply says nothing.
pub(super) fn tell(names: &[String], after: &Value, facts: &mut Facts) {
    let mut said = Said { lists: &tool_words().grants, everybody: None, full: None, unseen: false };
    if after.as_object().is_some_and(|entries| is_closed(entries, said.lists)) {
        facts.insert("closed".to_owned(), Fact::new(FactValue::Bool(true), PLANNED));
        return;
    }
    if names.iter().any(|name| name == "start_ip_address") && is_azure(after) {
        facts.insert("azure".to_owned(), Fact::new(FactValue::Bool(true), PLANNED));
        return;
    }
    for entry in names {
        let (name, full) = TerraformType::protecting(entry);
        let Some(value) = after.get(name) else { continue };
        let says =
            |value: &Value, word: &str| value.as_str().is_some_and(|text| text.eq_ignore_ascii_case(word));
        let all = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
        let is = |word: &str| all.iter().any(|value| says(value, word));
        if let Some(word) = full.and_then(|mut words| words.find(|word| is(word))) {
            said.full.get_or_insert_with(|| format!("{name} = {word}"));
        }
        said.value(name, value, DEPTH);
    }
    for (key, word) in [("everybody", said.everybody), ("full", said.full)] {
        if let Some(word) = word {
            facts.insert(key.to_owned(), Fact::new(FactValue::Text(word), PLANNED));
        }
    }
    if said.unseen {
        let why = "what is granted is nested too deeply to be read";
        facts.insert("unseen".to_owned(), Fact::new(FactValue::Bool(true), why));
    }
}

/// Whether a grant takes the place of a greater one for the same: full control, or everybody's, and it is neither. `now` is what
/// is told of it.
pub(super) fn is_less(names: &[String], attributes: &Attributes, now: &Facts) -> bool {
    let mut was = Facts::new();
    tell(names, &attributes.before, &mut was);
    let great = |facts: &Facts| ["full", "everybody", "unseen"].iter().any(|key| facts.contains_key(*key));
    let (Value::Object(before), Value::Object(after)) = (&attributes.before, &attributes.after) else {
        return false;
    };
    let told = |name: &&String| !terraform_signs().is_computed(name);
    let later = attributes.after_unknown.as_object().into_iter().flatten();
    // Who it is for, or on what, may be another one then.
    let unknown = later.filter(|(_, mark)| marks_any(mark)).map(|(name, _)| name).filter(told).count() > 0;
    let all: BTreeSet<&String> = before.keys().chain(after.keys()).filter(told).collect();
    let mut differing = all.into_iter().filter(|name| before.get(*name) != after.get(*name));
    let one =
        differing.next().map(|name| names.iter().any(|entry| TerraformType::protecting(entry).0 == name));
    if unknown {
        return false;
    }
    let part = || {
        let differs = |name: &&String| before.get(*name) != after.get(*name) && told(name);
        let side = |values: &serde_json::Map<String, Value>, name: &String| values.get(name).cloned();
        before.keys().filter(differs).all(|name| {
            let both = side(before, name).zip(side(after, name));
            both.is_some_and(|(was, now)| narrower::is_part_of(&was, &now))
        })
    };
    one == Some(true) && differing.next().is_none() && !great(now) && (great(&was) || part())
}

/// In firewalls of Azure this range stands for the services of Azure.
fn is_azure(after: &Value) -> bool {
    ["start_ip_address", "end_ip_address"]
        .iter()
        .all(|name| after.get(name).is_some_and(|value| value == "0.0.0.0"))
}

/// Tells of what denies by its name: it grants nothing, and where it goes, more is let through.
pub(super) fn denial(names: &[String], action: Action, attributes: &Attributes, facts: &mut Facts) {
    let lists = &tool_words().grants;
    for name in names {
        let text = |side: &Value| side.get(name).and_then(Value::as_str).map(str::to_owned);
        let (was, now) = (text(&attributes.before), text(&attributes.after));
        let goes = matches!(action, Action::Delete | Action::Replace) && was != now;
        if let Some(was) = was.filter(|was| goes && lists.denials.fit(&last(was))) {
            facts.insert("denied".to_owned(), Fact::new(FactValue::Text(printable(&was)), PLANNED));
        } else if now.is_some_and(|now| lists.denying.fit(&now.to_lowercase())) {
            facts.insert("closed".to_owned(), Fact::new(FactValue::Bool(true), PLANNED));
        }
    }
}

/// The name at the end, in small letters.
fn last(arn: &str) -> String {
    arn.rsplit(['/', ':']).next().unwrap_or(arn).to_lowercase()
}

struct Said<'a> {
    lists: &'a Grants,
    everybody: Option<String>,
    full: Option<String>,
    unseen: bool,
}

/// What denies, or leads out.
fn is_closed(entries: &Map<String, Value>, lists: &Grants) -> bool {
    entries.iter().any(|(key, value)| {
        let key = key.to_ascii_lowercase();
        let Some(text) = value.as_str().filter(|_| CLOSING.contains(&key.as_str())) else { return false };
        lists.closed.has(&format!("--{key}={}", text.to_ascii_lowercase()))
    })
}

impl Said<'_> {
    fn value(&mut self, key: &str, value: &Value, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else {
            self.unseen = true;
            return;
        };
        match value {
            Value::Object(entries) => {
                let closed = is_closed(entries, self.lists);
                // Whoever it names has to come from somewhere besides.
                let bounded = self.lists.bounded(entries);
                let counts = |key: &str| !(closed || bounded && key == "Principal");
                // Whoever is not named may.
                if !closed && !bounded && entries.contains_key("NotPrincipal") {
                    self.everybody.get_or_insert_with(|| "NotPrincipal".to_owned());
                }
                for (key, value) in entries.iter().filter(|(key, _)| counts(key)) {
                    self.value(key, value, depth);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.value(key, item, depth)),
            Value::String(text) => match texts::json(text) {
                Some(document) => self.value(key, &document, depth),
                None => self.word(key, text),
            },
            _ => {}
        }
    }

    fn word(&mut self, key: &str, text: &str) {
        let key = key.to_ascii_lowercase();
        let word = text.trim().to_ascii_lowercase().replace(' ', "_");
        if self.lists.what.iter().any(|part| key.contains(part)) {
            return;
        }
        if word == "*" {
            let whom = self.lists.whom.iter().any(|part| key.contains(part));
            let found = if whom { &mut self.everybody } else { &mut self.full };
            found.get_or_insert(word);
            return;
        }
        let last = word.rsplit(['/', ':']).next().unwrap_or_default();
        // Shown as the plan writes it; small letters are as long as capitals.
        let shown = |found: &str| text.trim().get(word.len() - found.len()..).unwrap_or(found).to_owned();
        let listed = |list: &Words| [word.as_str(), last].into_iter().find(|text| list.has(text)).map(shown);
        self.everybody = self.everybody.take().or_else(|| listed(&self.lists.everybody));
        self.full = self.full.take().or_else(|| listed(&self.lists.full));
    }
}
