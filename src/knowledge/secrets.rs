//! Words that carry secrets: a value with the role `secret`, and what the patterns of a tool's `secrets` find among its
//! words. Says nothing of what a command does: a pattern never makes an option known or a word explained.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::matched::{Match, compares};
use super::parts::after;
use crate::model::Value;

/// The role of an option's value, an operand or a part that is a secret.
pub const SECRET: &str = "secret";

/// `secrets`: by the words that must have been given (in this order), where the secrets of such a command stand.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(try_from = "BTreeMap<String, Vec<String>>")]
pub struct SecretSpecs(Vec<SecretSpec>);

#[derive(Clone, Debug)]
struct SecretSpec {
    /// Options or words that must be there; `*` is any text.
    given: Vec<String>,
    /// The word in front of the secret's; none where its own word tells it.
    before: Option<String>,
    /// What stands in front of the secret in its word; `None`: standard input is the secret.
    head: Option<String>,
}

impl TryFrom<BTreeMap<String, Vec<String>>> for SecretSpecs {
    type Error = String;

    fn try_from(table: BTreeMap<String, Vec<String>>) -> Result<Self, String> {
        let mut specs = Vec::new();
        for (given, places) in table {
            for place in places {
                let given = given.split_whitespace().map(str::to_owned).collect();
                let (before, last) = match place.split_once(' ') {
                    Some((before, last)) => (Some(before.to_owned()), last),
                    None => (None, place.as_str()),
                };
                let head = last.strip_suffix('*').map(str::to_owned);
                if (head.is_none() && last != "<") || last.contains(' ') || place == "*" {
                    return Err(format!("`{place}`: a secret is written `*` at a word's end, or `<`"));
                }
                specs.push(SecretSpec { given, before, head });
            }
        }
        Ok(Self(specs))
    }
}

impl Match {
    /// Known texts of the secrets among `words` (without the command word) and in what comes in on standard input.
    pub fn secrets(&self, words: &[Value], stdin: Option<&Value>) -> Vec<String> {
        let options = self.options.iter().filter(|option| option.role.as_deref() == Some(SECRET));
        // An operand that is merely called so (`vault kv get secret/x`) names where one is kept.
        let operands = self.operands.iter().filter(|bound| bound.role == SECRET && bound.name != SECRET);
        let values = options.filter_map(|option| option.value.as_ref()).chain(operands.map(|o| &o.value));
        let mut found: Vec<String> = values.flat_map(texts).collect();
        found.extend(
            self.parts().iter().filter(|part| part.role == SECRET).flat_map(|part| texts(&part.value)),
        );
        let words: Vec<Vec<String>> = words.iter().map(texts).collect();
        for spec in self.levels.first().into_iter().flat_map(|tool| &tool.secrets.0) {
            if self.were_given(&spec.given, &words) {
                spec.collect(&words, stdin, &mut found);
            }
        }
        found
    }

    /// Whether these options and words are there, the words in this order.
    fn were_given(&self, given: &[String], words: &[Vec<String>]) -> bool {
        let mut rest = words.iter();
        given.iter().all(|wanted| {
            let declared = self.levels.iter().flat_map(|level| &level.options).find(|o| o.is_on(wanted));
            match declared {
                Some(option) => self.has(&option.key),
                None => rest.any(|word| word.iter().any(|text| compares(wanted, text))),
            }
        })
    }
}

impl SecretSpec {
    fn collect(&self, words: &[Vec<String>], stdin: Option<&Value>, found: &mut Vec<String>) {
        let Some(head) = &self.head else {
            found.extend(stdin.into_iter().flat_map(texts));
            return;
        };
        for (at, word) in words.iter().enumerate() {
            let fits = match &self.before {
                None => true,
                Some(before) => at
                    .checked_sub(1)
                    .and_then(|at| words.get(at))
                    .is_some_and(|last| last.iter().any(|text| compares(before, text))),
            };
            if fits {
                found.extend(word.iter().filter_map(|text| after(head, text)).map(str::to_owned));
            }
        }
    }
}

/// What is known of a value as text: all that it may be, or what it begins with.
fn texts(value: &Value) -> Vec<String> {
    match value.choices() {
        Some(list) => list.to_vec(),
        None => vec![value.prefix()],
    }
}
