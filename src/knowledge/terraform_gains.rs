//! Which way round a change of an attribute loses nothing (`terraform_gains.toml`).

use std::sync::OnceLock;

use serde::Deserialize;

use super::terraform_names::ends_so;
use super::terraform_recall::recalled;
use super::tool_words::Words;
use crate::wildcard::fits;

/// Names of attributes, by what loses nothing of them.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub struct TerraformGains {
    negations: Words,
    plain: Words,
    deletes: Words,
    doubts: Words,
    forces: Words,
    lets_be: Words,
    keeps: Words,
    openings: Words,
    greater: Words,
    kept: Words,
    on: Words,
    strengthens: Words,
    forbids: Words,
    off: Words,
    filled: Words,
    first: Words,
    part: Words,
    words: Words,
    labels: Words,
}

impl TerraformGains {
    /// A greater number is no loss.
    pub fn is_greater(&self, path: &str) -> bool {
        named(self.greater, path) && self.is_sure(path)
    }

    /// The same of what is kept, where a number below 0 is no end.
    pub fn is_kept(&self, path: &str) -> bool {
        named(self.kept, path) && self.is_sure(path)
    }

    /// A switch that goes on is none.
    pub fn is_on(&self, path: &str) -> bool {
        let strengthens = || words(path).any(|word| self.strengthens.has(word));
        (named(self.on, path) || strengthens()) && self.is_sure(path)
    }

    /// A switch that goes off is none: it let in or let go on, and nothing of what it let be guards or keeps.
    pub fn is_off(&self, path: &str) -> bool {
        let lets_go = self.forces.iter().any(|word| path.contains(word));
        // What is skipped or suppressed may be what lets in.
        let lets_in = words(path).any(|word| self.openings.has(word));
        let turns = |word: &str| self.negations.has(word) && (lets_in || !self.lets_be.has(word));
        let unclear = |word: &str| self.keeps.has(word) || turns(word) || !lets_go && self.doubts(word);
        named(self.off, path) && !words(path).any(unclear)
    }

    /// One more is none.
    pub fn is_filled(&self, path: &str) -> bool {
        self.is_sure(path)
            && path
                .match_indices('.')
                .map(|(at, _)| &path[..at])
                .chain([path])
                .any(|upper| named(self.filled, upper))
    }

    /// The first one is none.
    pub fn is_first(&self, path: &str) -> bool {
        named(self.first, path) && !self.is_negated(path.trim_end_matches("restriction_ranges"))
    }

    /// A part of what was allowed is none.
    pub fn is_part(&self, name: &str) -> bool {
        named(self.part, name) && !self.is_negated(name)
    }

    /// What people read.
    pub fn is_label(&self, path: &str) -> bool {
        named(self.labels, path)
    }

    /// Nothing in the name turns it round or speaks of what goes.
    pub fn is_sure(&self, path: &str) -> bool {
        !self.is_negated(path) && !words(path).any(|word| self.doubts(word))
    }

    /// A word in the name turns it round.
    pub fn is_negated(&self, path: &str) -> bool {
        self.negating(path).next().is_some()
    }

    /// A name that negates once, and what it negates lets in or makes weak: on, it guards.
    pub fn keeps_out(&self, path: &str) -> bool {
        // `insecure` is both.
        let opens = |word: &str| self.openings.has(word) && !self.negations.has(word);
        self.negating(path).count() == 1 && words(path).any(opens)
    }

    /// Whether it is clear that a switch that lets go or in when it is turned the other way loses nothing this way.
    pub fn is_clear(&self, path: &str, goes_on: bool) -> bool {
        let has = |list: Words| words(path).any(|word| list.has(word));
        let doubted = words(path).any(|word| self.doubts(word));
        match (self.negating(path).count(), goes_on) {
            (0, true) => !doubted && !has(self.openings),
            (0, false) => !doubted && !has(self.keeps),
            // What prevents something and goes on prevents more.
            (1, true) => has(self.openings) || has(self.forbids) && !has(self.keeps),
            (1, false) => !has(self.openings) && !doubted,
            _ => false,
        }
    }

    /// A name speaks of what deletes.
    pub fn is_of_deletion(&self, name: &str) -> bool {
        words(name).any(|word| self.deletes.has(word))
    }

    fn doubts(&self, word: &str) -> bool {
        self.deletes.has(word) || self.doubts.has(word)
    }

    fn negating<'t>(&self, path: &'t str) -> impl Iterator<Item = &'t str> {
        let plain = self.plain.iter().any(|phrase| path.contains(phrase));
        let harmless = move |word: &str| plain && ["block", "blocks", "opt"].contains(&word);
        words(path).filter(move |word| self.negations.has(word) && !harmless(word))
    }

    /// Whether a word is stricter than the one before.
    pub fn is_stricter(&self, was: &str, now: &str) -> bool {
        // Most words stand in no rule.
        if !self.words.iter().any(|word| fits(word, now)) {
            return false;
        }
        let all: Vec<&str> = self.words.iter().collect();
        all.split(|word| *word == "|").any(|rule| {
            let mut words = rule.iter();
            let lax =
                words.by_ref().take_while(|word| **word != ">").filter(|word| fits(word, was)).count() > 0;
            lax && words.any(|word| fits(word, now))
        })
    }
}

/// The words of a name.
fn words(path: &str) -> impl Iterator<Item = &str> {
    path.split(['_', '.', '-']).filter(|word| !word.is_empty())
}

fn named(names: Words, path: &str) -> bool {
    recalled(names, path, || names.iter().any(|name| ends_so(path, name)))
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
        assert!(gains.is_kept("raw_retention_hours") && !gains.is_kept("token_retention"));
        assert!(gains.is_stricter("audit", "deny") && !gains.is_stricter("deny", "audit"));
        assert!(gains.is_label("display_name") && !gains.is_label("name"));
        assert!(gains.is_filled("alert_contacts.id") && !gains.is_filled("rule.id"));
    }

    /// A word that turns a name round makes it say nothing, wherever it stands.
    #[test]
    fn no_negated_name_is_sure() {
        let gains = read().unwrap();
        let names = [
            "backup",
            "encryption",
            "audit_logging",
            "versioning",
            "size_gb",
            "node_count",
            "retention_days",
        ];
        for word in gains.negations.iter().chain(gains.doubts.iter()).chain(gains.deletes.iter()) {
            for name in names {
                for path in [format!("{word}_{name}"), format!("{name}_{word}"), format!("{word}.{name}")] {
                    let known = gains.is_on(&path) || gains.is_greater(&path) || gains.is_kept(&path);
                    assert!(!known || gains.plain.iter().any(|phrase| path.contains(phrase)), "{path}");
                }
            }
        }
        for path in [
            "allow_backup",
            "skip_destroy",
            "allow_encryption",
            "skip_disabled",
            "allow_blocked",
            "skip_public_access",
            "suppress_anonymous",
            "guard_anonymous",
            "anonymous_filter",
            "privileged_mode_check",
            "allow_time_travel",
            "allow_list_enabled",
            "allow_saml",
        ] {
            assert!(!gains.is_off(path), "{path}");
        }
        assert!(gains.is_off("allow_public") && gains.is_off("force_destroy"));
        assert!(gains.keeps_out("disable_public_network_access") && !gains.keeps_out("disable_backup"));
    }
}
