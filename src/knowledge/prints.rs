//! What programs print of which only the signs are known (`prints.toml`).

use std::sync::OnceLock;

use serde::Deserialize;

use crate::model::{Signs, Value};

/// The list.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prints {
    says: Vec<SaysSpec>,
}

/// Calls that print alike.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SaysSpec {
    signs: String,
    #[serde(default)]
    lines: bool,
    #[serde(default)]
    behind: Option<char>,
    calls: Vec<String>,
    /// Calls that look alike and print something else: for the tests alone.
    #[serde(default)]
    #[cfg_attr(not(test), allow(dead_code))]
    not: Vec<String>,
}

impl SaysSpec {
    fn value(&self) -> Option<Value> {
        let signs = Signs::named(&self.signs)?;
        Some(match self.behind {
            Some(separator) => Value::begun(signs, separator, false),
            None if self.lines => Value::signs(signs, true).concat(&Value::known("\n")),
            None => Value::signs(signs, false).concat(&Value::known("\n")),
        })
    }

    fn is(&self, name: &str, words: &[Value]) -> bool {
        let mut calls = self.calls.iter();
        calls.any(|call| {
            let mut tokens = call.split(' ');
            tokens.next() == Some(name) && fits(&tokens.collect::<Vec<_>>(), words)
        })
    }
}

impl Prints {
    /// What this call prints.
    pub fn of(&self, name: &str, words: &[Value]) -> Option<Value> {
        let mut all = self.says.iter();
        all.find(|spec| spec.is(name, words)).and_then(SaysSpec::value)
    }
}

/// Whether words are those of a call.
fn fits(tokens: &[&str], words: &[Value]) -> bool {
    let Some((token, rest)) = tokens.split_first() else { return words.is_empty() };
    let Some((word, behind)) = words.split_first() else { return *token == "**" && rest.is_empty() };
    let plain = || {
        let start = word.prefix();
        !start.starts_with('-') && (!start.is_empty() || word.as_known().is_some() || word.is_number())
    };
    match *token {
        "**" => fits(rest, words) || plain() && fits(tokens, behind),
        "*" => plain() && fits(rest, behind),
        token => {
            let same = match (token.strip_suffix('*'), word.as_known()) {
                (Some(start), Some(text)) if start.ends_with('=') => text.starts_with(start),
                (_, known) => known == Some(token),
            };
            same && fits(rest, behind)
        }
    }
}

/// The list, read once.
pub fn prints() -> &'static Prints {
    static PRINTS: OnceLock<Prints> = OnceLock::new();
    // An unreadable list knows nothing; a test rules that out.
    PRINTS.get_or_init(|| read().unwrap_or_default())
}

/// `build.rs` made JSON of it, which is read several times faster.
fn read() -> Result<Prints, serde_json::Error> {
    serde_json::from_str(include_str!(concat!(env!("OUT_DIR"), "/prints.json")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(call: &str) -> (String, Vec<Value>) {
        let mut words = call.split(' ');
        let name = words.next().unwrap_or_default().to_owned();
        (name, words.map(Value::known).collect())
    }

    #[test]
    fn the_list_can_be_read_and_tells_calls_apart() {
        let list = read().unwrap();
        for spec in &list.says {
            assert!(spec.value().is_some(), "{}", spec.signs);
            for call in &spec.not {
                let (name, words) = split(call);
                assert!(!spec.is(&name, &words), "{call}");
            }
            for call in &spec.calls {
                let (name, words) = split(call);
                assert!(list.of(&name, &words).is_some(), "{call}");
            }
        }
    }

    #[test]
    fn a_word_that_nobody_knows_may_be_an_option() {
        let of =
            |word: Value| prints().of("git", &[Value::known("rev-parse"), Value::known("--short"), word]);
        assert_eq!(of(Value::Unknown), None);
        assert_eq!(of(Value::known("--abbrev-ref")), None);
        assert!(of(Value::known("HEAD")).is_some());
    }
}
