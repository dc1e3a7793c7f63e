//! Conditions over facts: `key`, `!key`, `key = v`, `key != v`, `key < n` …, alternatives with `|`.

use serde::Deserialize;

use crate::model::{FactValue, Facts};

/// Whether a condition holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Truth {
    /// It holds.
    Yes,
    /// It does not.
    No,
    /// These facts would decide and are not known.
    Unknown(Vec<String>),
}

/// How a fact is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Test {
    Set,
    Unset,
    Equal,
    Different,
    Less,
    AtMost,
    More,
    AtLeast,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Atom {
    key: String,
    test: Test,
    value: String,
}

/// One string of a case's `if` list, read at load.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct FactCondition {
    any: Vec<Atom>,
}

impl TryFrom<String> for FactCondition {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let any = text
            .split('|')
            .map(|part| atom(part.trim()).map_err(|why| format!("condition `{text}`: {why}")))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Self { any })
    }
}

fn atom(text: &str) -> Result<Atom, String> {
    const OPERATORS: [(&str, Test); 6] = [
        ("!=", Test::Different),
        ("<=", Test::AtMost),
        (">=", Test::AtLeast),
        ("=", Test::Equal),
        ("<", Test::Less),
        (">", Test::More),
    ];
    let split = OPERATORS
        .iter()
        .filter_map(|(sign, test)| text.find(sign).map(|at| (at, *sign, *test)))
        .min_by_key(|(at, sign, _)| (*at, std::cmp::Reverse(sign.len())));
    let (key, test, value) = match split {
        Some((at, sign, test)) => (text[..at].trim(), test, text[at + sign.len()..].trim()),
        None => match text.strip_prefix('!') {
            Some(key) => (key.trim(), Test::Unset, ""),
            None => (text, Test::Set, ""),
        },
    };
    let fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    if key.is_empty() || !key.chars().all(fine) {
        return Err(format!("`{key}` is not a fact's name"));
    }
    if matches!(test, Test::Less | Test::AtMost | Test::More | Test::AtLeast) && value.parse::<i64>().is_err()
    {
        return Err(format!("`{value}` is not a whole number"));
    }
    Ok(Atom { key: key.to_owned(), test, value: value.to_owned() })
}

impl FactCondition {
    /// Names of the facts it asks for.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.any.iter().map(|a| a.key.as_str())
    }

    fn truth(&self, facts: &Facts, flags: &[String]) -> Truth {
        let mut unknown = Vec::new();
        for atom in &self.any {
            let value = match facts.get(&atom.key) {
                Some(fact) => Some(&fact.value),
                None if flags.contains(&atom.key) => Some(&FactValue::Bool(false)),
                None => None,
            };
            match value.map(|v| atom.holds(v)) {
                Some(true) => return Truth::Yes,
                Some(false) => {}
                None => unknown.push(atom.key.clone()),
            }
        }
        if unknown.is_empty() { Truth::No } else { Truth::Unknown(unknown) }
    }
}

impl Atom {
    fn holds(&self, value: &FactValue) -> bool {
        match self.test {
            Test::Set => is_set(value),
            Test::Unset => !is_set(value),
            Test::Equal => text(value) == self.value,
            Test::Different => text(value) != self.value,
            Test::Less => self.compare(value).is_some_and(|o| o.is_lt()),
            Test::AtMost => self.compare(value).is_some_and(|o| o.is_le()),
            Test::More => self.compare(value).is_some_and(|o| o.is_gt()),
            Test::AtLeast => self.compare(value).is_some_and(|o| o.is_ge()),
        }
    }

    fn compare(&self, value: &FactValue) -> Option<std::cmp::Ordering> {
        let number = match value {
            FactValue::Number(n) => *n,
            FactValue::Text(t) => t.parse().ok()?,
            FactValue::Bool(_) => return None,
        };
        Some(number.cmp(&self.value.parse().ok()?))
    }
}

fn is_set(value: &FactValue) -> bool {
    match value {
        FactValue::Bool(b) => *b,
        FactValue::Number(n) => *n != 0,
        FactValue::Text(t) => !t.is_empty() && t != "false",
    }
}

fn text(value: &FactValue) -> String {
    match value {
        FactValue::Bool(b) => b.to_string(),
        FactValue::Number(n) => n.to_string(),
        FactValue::Text(t) => t.clone(),
    }
}

/// Whether all conditions hold. Facts named in `flags` are false when they are absent; the absence of any other leaves
/// its condition open.
pub fn holds(conditions: &[FactCondition], facts: &Facts, flags: &[String]) -> Truth {
    let mut unknown = Vec::new();
    for condition in conditions {
        match condition.truth(facts, flags) {
            Truth::Yes => {}
            Truth::No => return Truth::No,
            Truth::Unknown(mut keys) => unknown.append(&mut keys),
        }
    }
    if unknown.is_empty() { Truth::Yes } else { Truth::Unknown(unknown) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Fact;

    fn truth(conditions: &[&str]) -> Truth {
        let conditions =
            conditions.iter().map(|c| FactCondition::try_from((*c).to_owned()).unwrap()).collect::<Vec<_>>();
        let facts = [
            ("versioned", FactValue::Bool(true)),
            ("days", FactValue::Number(7)),
            ("loss", FactValue::Text("tracked".into())),
        ]
        .map(|(k, v)| (k.to_owned(), Fact::new(v, "")));
        holds(&conditions, &Facts::from(facts), &["force".to_owned()])
    }

    #[test]
    fn three_values() {
        assert_eq!(truth(&["versioned", "days >= 7", "loss = tracked"]), Truth::Yes);
        assert_eq!(truth(&["loss = lost | loss = tracked"]), Truth::Yes);
        assert_eq!(truth(&["!versioned"]), Truth::No);
        assert_eq!(truth(&["days < 7"]), Truth::No);
        assert_eq!(truth(&["loss != tracked"]), Truth::No);
        assert_eq!(truth(&["replicated"]), Truth::Unknown(vec!["replicated".into()]));
        assert_eq!(truth(&["replicated", "!versioned"]), Truth::No, "a condition that fails decides");
        assert_eq!(truth(&["replicated | versioned"]), Truth::Yes);
        assert_eq!(truth(&["force"]), Truth::No, "a flag that is absent was not given");
        assert_eq!(truth(&["!force"]), Truth::Yes);
    }

    #[test]
    fn misspelt() {
        for wrong in ["", "a b", "days < many", "!"] {
            assert!(FactCondition::try_from(wrong.to_owned()).is_err(), "{wrong}");
        }
    }
}
