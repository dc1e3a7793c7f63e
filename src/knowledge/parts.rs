//! Parts of a value that mean more than the whole: the command in `-o ProxyCommand=…`, the file in `CREATE:…`.

use serde::Deserialize;

use super::matched::Match;
use super::micro::Condition;
use crate::model::Value;

/// `[[part]]`: what stands in a value behind one of several beginnings.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartSpec {
    /// Option or operand whose values are looked at.
    pub of: String,
    /// What stands in front, without regard to case; `*` is any text. An empty one: the whole value.
    pub behind: Vec<String>,
    /// The role of what follows.
    pub r#as: String,
    /// Signs of which the first one ends it.
    #[serde(default)]
    pub until: String,
    /// Texts that name nothing.
    #[serde(default)]
    pub except: Vec<String>,
    /// It is run here, wherever the rest is run.
    #[serde(default)]
    pub here: bool,
    /// All must hold.
    #[serde(default)]
    pub r#if: Vec<Condition>,
    /// None may hold.
    #[serde(default)]
    pub unless: Vec<Condition>,
}

/// A part of a word.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Its role.
    pub role: String,
    /// Key of the option, or name of the operand.
    pub name: String,
    /// What is known of it.
    pub value: Value,
    /// Index of its word.
    pub index: usize,
    /// It is an option's value.
    pub option: bool,
    /// It is run here, wherever the rest is run.
    pub here: bool,
}

impl PartSpec {
    /// The text up to where it ends.
    fn cut(&self, text: &str) -> String {
        text.split(|c| self.until.contains(c)).next().unwrap_or_default().to_owned()
    }
}

impl Match {
    /// Parts of words that the declarations name.
    pub fn parts(&self) -> Vec<Found> {
        let mut found = Vec::new();
        for (level, command) in self.levels.iter().enumerate() {
            for part in command.parts.iter().filter(|part| self.holds(&part.r#if, &part.unless)) {
                let options = self
                    .options
                    .iter()
                    .filter(|option| option.key == part.of && option.level == level)
                    .filter_map(|option| Some((option.value.as_ref()?, option.value_index, true)));
                let operands = self
                    .operands
                    .iter()
                    .filter(|operand| operand.name == part.of)
                    .map(|operand| (&operand.value, operand.index, false));
                for (value, index, option) in options.chain(operands) {
                    let cut = |value: Value| match value.choices() {
                        Some(_) => value.map(|text| part.cut(text)),
                        None => value,
                    };
                    let values = part.behind.iter().filter_map(|head| behind(head, value, option)).map(cut);
                    let means = |value: &Value| {
                        value.as_known().is_none_or(|text| !part.except.iter().any(|known| known == text))
                    };
                    found.extend(values.take(1).filter(means).map(|value| Found {
                        role: part.r#as.clone(),
                        name: part.of.clone(),
                        value,
                        index,
                        option,
                        here: part.here,
                    }));
                }
            }
        }
        found
    }
}

/// What stands behind `head` in a value. Of an option's value that is not known, anything may stand there.
fn behind(head: &str, value: &Value, option: bool) -> Option<Value> {
    match value {
        Value::Known(text) => after(head, text).map(Value::known),
        Value::OneOf(list) => {
            let rests = list.iter().filter_map(|text| after(head, text)).map(str::to_owned);
            let rests = rests.collect::<Vec<_>>();
            (!rests.is_empty()).then(|| Value::one_of(rests))
        }
        Value::Affix { .. } => {
            let text = value.prefix();
            match after(head, &text) {
                Some(rest) => Some(Value::known(rest).concat(&Value::Unknown)),
                None => (text.is_empty() && option).then_some(Value::Unknown),
            }
        }
        Value::Woven(_) => behind(head, &value.clone().plain(), option),
        Value::Lines(_) | Value::Unknown => option.then_some(Value::Unknown),
    }
}

/// The text behind the first place at which `head` ends.
pub(super) fn after<'t>(head: &str, text: &'t str) -> Option<&'t str> {
    match head.split_once('*') {
        None => {
            let start = text.get(..head.len())?;
            start.eq_ignore_ascii_case(head).then(|| &text[head.len()..])
        }
        Some((before, rest)) => {
            let inner = after(before, text)?;
            inner.char_indices().find_map(|(at, _)| after(rest, &inner[at..]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings() {
        assert_eq!(after("ProxyCommand=", "proxycommand=rm x"), Some("rm x"));
        assert_eq!(after("ProxyCommand=", "User=rm"), None);
        assert_eq!(after("*-Invoke*=", "APT::Update::Pre-Invoke::=rm a=b"), Some("rm a=b"));
        assert_eq!(after("", "all"), Some("all"));
        assert_eq!(after("a", "ä"), None);
    }

    #[test]
    fn what_is_not_known_may_be_anything() {
        let head = "A=";
        assert_eq!(behind(head, &Value::Unknown, true), Some(Value::Unknown));
        assert_eq!(behind(head, &Value::Unknown, false), None);
        let partly = Value::known("A=rm ").concat(&Value::Unknown);
        assert_eq!(behind(head, &partly, true).map(|v| v.prefix()), Some("rm ".to_owned()));
        assert_eq!(behind(head, &Value::known("B=").concat(&Value::Unknown), true), None);
    }
}
