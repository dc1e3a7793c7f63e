//! Subcommands that are not listed one by one, judged by the verb in their name: the command lines of clouds and
//! clusters have thousands of them, named by rule (`aws ec2 describe-…`, `gcloud compute instances list`).

use serde::Deserialize;

use crate::model::Value;

/// `verbs = { reads = ["describe*"], other = ["delete*"], within = 2 }`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Verbs {
    /// Words that mean reading; `*` at the end or at the start stands for any rest.
    pub reads: Vec<String>,
    /// Words that mean something else: where one of them comes first, nothing is known.
    #[serde(default)]
    pub other: Vec<String>,
    /// How many words from the subcommand on may hold the verb.
    #[serde(default = "one")]
    pub within: usize,
}

fn one() -> usize {
    1
}

impl Verbs {
    /// Whether the words, the unlisted subcommand first, name something that only reads. Options end the search: what
    /// stands behind them may be their value.
    pub fn only_read(&self, words: &[Value]) -> bool {
        for word in words.iter().take(self.within) {
            let Some(text) = word.as_known() else { return false };
            if text.starts_with('-') || self.other.iter().any(|pattern| fits(pattern, text)) {
                return false;
            }
            if self.reads.iter().any(|pattern| fits(pattern, text)) {
                return true;
            }
        }
        false
    }
}

fn fits(pattern: &str, text: &str) -> bool {
    match (pattern.strip_suffix('*'), pattern.strip_prefix('*')) {
        (Some(prefix), _) => text.starts_with(prefix),
        (None, Some(suffix)) => text.ends_with(suffix),
        (None, None) => pattern == text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads(verbs: &Verbs, text: &str) -> bool {
        verbs.only_read(&text.split(' ').map(Value::known).collect::<Vec<_>>())
    }

    #[test]
    fn the_first_verb_decides() {
        let verbs = Verbs {
            reads: vec!["list".into(), "describe*".into()],
            other: vec!["delete*".into()],
            within: 3,
        };
        assert!(reads(&verbs, "compute instances list"));
        assert!(reads(&verbs, "ec2 describe-instances"));
        assert!(!reads(&verbs, "instances delete list"));
        assert!(!reads(&verbs, "instances --zone list"));
        assert!(!reads(&verbs, "a b c list"));
        assert!(!reads(&verbs, "a lister"));
    }
}
