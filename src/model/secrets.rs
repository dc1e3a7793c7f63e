//! Texts that are known to be secret, and masking them along with those that [`redact`](super::redact()) recognises.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use super::redact::{MASK, mask_ranges, secret_ranges};

/// A shorter text stands everywhere, and masking it would leave nothing to read.
const LEAST: usize = 3;

/// Texts that an input's own words say are secret.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secrets(BTreeSet<String>);

impl Secrets {
    /// Adds a secret, as it is and as shells and people quote it. Of several lines, each is one.
    pub fn add(&mut self, text: &str) {
        for line in text.lines().map(str::trim).filter(|line| line.len() >= LEAST && *line != MASK) {
            self.0.insert(line.to_owned());
            if line.contains('\'') {
                self.0.insert(line.replace('\'', r"'\''"));
            }
            if line.contains(['"', '\\', '$', '`']) {
                let escape = |c: char| matches!(c, '"' | '\\' | '$' | '`').then_some('\\');
                self.0.insert(line.chars().flat_map(|c| escape(c).into_iter().chain([c])).collect());
            }
        }
    }

    /// The text with these secrets and recognisable ones masked.
    pub fn mask<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let known = self
            .0
            .iter()
            .flat_map(|secret| text.match_indices(secret.as_str()).map(|(at, found)| at..at + found.len()));
        let mut ranges: Vec<_> = known.collect();
        ranges.extend(secret_ranges(text));
        mask_ranges(text, ranges)
    }
}

/// Never the secrets themselves.
impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secrets({})", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::Secrets;

    #[test]
    fn known_secrets_are_masked_wherever_they_stand() {
        let mut secrets = Secrets::default();
        secrets.add("hunter2\n");
        secrets.add("it's");
        secrets.add("ab");
        assert_eq!(secrets.mask("redis-cli -a hunter2 ab"), "redis-cli -a *** ab");
        assert_eq!(secrets.mask(r"x 'it'\''s' --password=hunter2x"), "x '***' --password=***");
        assert_eq!(secrets.mask("ls"), "ls");
    }
}
