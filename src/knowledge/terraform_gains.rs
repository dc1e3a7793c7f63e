//! Which way round a change of an attribute loses nothing (`terraform_gains.toml`).

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::OnceLock;

use serde::Deserialize;

use super::terraform_signs::ends_so;
use super::tool_words::Words;
use crate::wildcard::fits;

/// Names of attributes, by what loses nothing of them.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub struct TerraformGains {
    greater: Words,
    not_greater: Words,
    on: Words,
    deletes: Words,
    off: Words,
    filled: Words,
    part: Words,
    words: Words,
    labels: Words,
    names: Words,
}

impl TerraformGains {
    /// A greater number is no loss.
    pub fn is_greater(&self, path: &str) -> bool {
        named(self.greater, path) && !named(self.not_greater, path)
    }

    /// A switch that goes on is none.
    pub fn is_on(&self, path: &str) -> bool {
        named(self.on, path) && !self.deletes(path)
    }

    /// Going on it deletes, whatever else its name says.
    pub fn deletes(&self, path: &str) -> bool {
        named(self.deletes, path)
    }

    /// A switch that goes off is none.
    pub fn is_off(&self, path: &str) -> bool {
        named(self.off, path)
    }

    /// One more is none.
    pub fn is_filled(&self, path: &str) -> bool {
        path.match_indices('.')
            .map(|(at, _)| &path[..at])
            .chain([path])
            .any(|upper| named(self.filled, upper))
    }

    /// A part of what was allowed is none.
    pub fn is_part(&self, name: &str) -> bool {
        named(self.part, name)
    }

    /// What people read; a name, where the thing holds nothing.
    pub fn is_label(&self, path: &str, holds: bool) -> bool {
        named(self.labels, path) || !holds && named(self.names, path)
    }

    /// Whether a word is stricter than the one before.
    pub fn is_stricter(&self, was: &str, now: &str) -> bool {
        let all: Vec<&str> = self.words.iter().collect();
        all.split(|word| *word == "|").any(|rule| {
            let mut words = rule.iter();
            let lax =
                words.by_ref().take_while(|word| **word != ">").filter(|word| fits(word, was)).count() > 0;
            lax && words.any(|word| fits(word, now))
        })
    }
}

/// Paths of one list that are remembered at once: keys of maps are parts of paths, too.
const REMEMBERED: usize = 5_000;

/// What was asked of a list before, by path.
type Asked = HashMap<usize, HashMap<String, bool>>;

fn named(names: Words, path: &str) -> bool {
    // A plan has the same paths thousands of times, and the lists are long.
    thread_local!(static ASKED: RefCell<Asked> = RefCell::default());
    ASKED.with_borrow_mut(|asked| {
        let known = asked.entry(names.place()).or_default();
        if let Some(told) = known.get(path) {
            return *told;
        }
        let told = names.iter().any(|name| ends_so(path, name));
        if known.len() >= REMEMBERED {
            known.clear();
        }
        known.insert(path.to_owned(), told);
        told
    })
}

/// The lists, read once. Empty, so that nothing is silent by them, if they could not be read; a test rules that out.
pub fn terraform_gains() -> &'static TerraformGains {
    static GAINS: OnceLock<TerraformGains> = OnceLock::new();
    GAINS.get_or_init(|| read().unwrap_or_default())
}

fn read() -> Result<TerraformGains, serde_json::Error> {
    serde_json::from_str(include_str!(concat!(env!("OUT_DIR"), "/terraform_gains.json")))
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn the_lists_can_be_read() {
        let gains = read().unwrap();
        assert!(gains.is_greater("disk.size_gb") && !gains.is_greater("max_failed_attempts_size"));
        assert!(gains.is_stricter("public_only", "private_only") && !gains.is_stricter("private", "public"));
        assert!(gains.is_label("name", false) && !gains.is_label("name", true));
        assert!(gains.is_label("dns_name", true) && !gains.is_label("rule.name", false));
        assert!(gains.is_filled("alert_contact.id") && !gains.is_filled("rule.id"));
    }
}
