//! Texts that are known to be secret, and masking them along with those that [`redact`](super::redact()) recognises.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use super::redact::{MASK, mask_ranges, merge, secret_ranges};

/// A shorter text stands everywhere, and masking it would leave nothing to read.
const LEAST: usize = 3;

/// Texts that an input's own words say are secret, and names that its reader is not to be told.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secrets {
    /// Hidden wherever they stand.
    texts: BTreeSet<String>,
    /// Hidden where they stand as whole words: a part of our own words says what the name is.
    names: BTreeSet<String>,
}

impl Secrets {
    /// Adds a secret, as it is and as shells and people quote it. Of several lines, each is one.
    pub fn add(&mut self, text: &str) {
        for line in text.lines().map(str::trim).filter(|line| line.len() >= LEAST && *line != MASK) {
            self.texts.insert(line.to_owned());
            if line.contains('\'') {
                self.texts.insert(line.replace('\'', r"'\''"));
            }
            if line.contains(['"', '\\', '$', '`']) {
                let escape = |c: char| matches!(c, '"' | '\\' | '$' | '`').then_some('\\');
                self.texts.insert(line.chars().flat_map(|c| escape(c).into_iter().chain([c])).collect());
            }
        }
    }

    /// Adds a name, which is masked where it stands alone.
    pub fn add_name(&mut self, name: &str) {
        if name.len() >= LEAST {
            self.names.insert(name.to_owned());
        }
    }

    /// The text with these secrets and recognisable ones masked.
    pub fn mask<'t>(&self, text: &'t str) -> Cow<'t, str> {
        mask_ranges(text, self.ranges(text))
    }

    /// Where these secrets and recognisable ones stand, in order, not overlapping: what every front end hides.
    pub fn ranges(&self, text: &str) -> Vec<Range<usize>> {
        let all = |secret| text.match_indices(secret).map(|(at, found): (usize, &str)| at..at + found.len());
        let mut ranges: Vec<_> = self.texts.iter().flat_map(|secret| all(secret.as_str())).collect();
        let names = self.names.iter().flat_map(|name| all(name.as_str()));
        ranges.extend(names.filter(|range| stands_alone(text, range)));
        ranges.extend(secret_ranges(text));
        merge(ranges)
    }
}

/// Whether neither end of it stands inside a word.
fn stands_alone(text: &str, range: &Range<usize>) -> bool {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let inside = |before: &str, behind: &str| {
        before.chars().next_back().is_some_and(part) && behind.chars().next().is_some_and(part)
    };
    !inside(&text[..range.start], &text[range.start..]) && !inside(&text[..range.end], &text[range.end..])
}

/// Never the secrets themselves.
impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secrets({})", self.texts.len() + self.names.len())
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

    #[test]
    fn names_are_masked_as_whole_words() {
        let mut secrets = Secrets::default();
        secrets.add_name("use");
        secrets.add_name("/srv/key");
        assert_eq!(
            secrets.mask("`use` is used by reuse, user and use-case: /x/use"),
            "`***` is used by reuse, user and use-case: /x/***"
        );
        assert_eq!(secrets.mask("/srv/key /srv/key2 /srv/key.pem"), "*** /srv/key2 ***.pem");
    }
}
