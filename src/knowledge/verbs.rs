//! Subcommands that are not listed one by one, judged by the verb in their name: the command lines of clouds and
//! clusters have thousands of them, named by rule (`aws ec2 describe-…`, `gcloud compute instances list`).

use serde::Deserialize;

use super::matched::compares;
use crate::model::Value;

/// `verbs = { reads = ["describe*"], grant = ["keys create"], create = ["create*"], other = ["delete*"], within = 2 }`. A
/// pattern is a word, or several that follow one another; `*` in it stands for any text.
#[derive(Clone, Debug, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Verbs {
    /// Words that mean reading.
    pub reads: Vec<String>,
    /// Words that hand out access.
    #[serde(default)]
    pub grant: Vec<String>,
    /// Words that make something new or switch it on, and take nothing away.
    #[serde(default)]
    pub create: Vec<String>,
    /// Words that mean something else: where one of them comes first, nothing is known.
    #[serde(default)]
    pub other: Vec<String>,
    /// How many words from the subcommand on may hold the verb.
    #[serde(default = "one")]
    pub within: usize,
}

/// What the verb of a subcommand that is not listed says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// It only reads.
    Reads,
    /// It makes something new.
    Create,
    /// It hands out access.
    Grant,
}

fn one() -> usize {
    1
}

impl Verbs {
    /// What the words, the unlisted subcommand first, say; `above` are the names of the listed ones in front of it. The first
    /// that fits a list decides. Options end the search: what stands behind them may be their value.
    pub fn said(&self, above: &[String], words: &[Value]) -> Option<Verb> {
        let mut read = above.iter().map(String::as_str).collect::<Vec<_>>();
        for word in words.iter().take(self.within) {
            read.push(word.as_known().filter(|text| !text.starts_with('-'))?);
            let any = |list: &[String]| list.iter().any(|pattern| ends(pattern, &read));
            if any(&self.grant) {
                return Some(Verb::Grant);
            }
            if any(&self.other) {
                return None;
            }
            if any(&self.create) {
                return Some(Verb::Create);
            }
            if any(&self.reads) {
                return Some(Verb::Reads);
            }
        }
        None
    }
}

/// Whether the words end with the pattern's.
fn ends(pattern: &str, words: &[&str]) -> bool {
    let mut words = words.iter().rev();
    pattern.rsplit(' ').all(|part| words.next().is_some_and(|word| compares(part, word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(verbs: &Verbs, text: &str) -> Option<Verb> {
        let words = text.split(' ').map(Value::known).collect::<Vec<_>>();
        verbs.said(&["keys".to_owned()], &words)
    }

    #[test]
    fn the_first_verb_decides() {
        let list = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        let verbs = Verbs {
            reads: list(&["list", "describe*"]),
            grant: list(&["keys create", "put-*-policy"]),
            create: list(&["create"]),
            other: list(&["delete*", "put-*"]),
            within: 3,
        };
        assert_eq!(said(&verbs, "compute instances list"), Some(Verb::Reads));
        assert_eq!(said(&verbs, "ec2 describe-instances"), Some(Verb::Reads));
        assert_eq!(said(&verbs, "instances delete list"), None);
        assert_eq!(said(&verbs, "instances --zone list"), None);
        assert_eq!(said(&verbs, "a b c list"), None);
        assert_eq!(said(&verbs, "a lister"), None);
        assert_eq!(said(&verbs, "disks create list"), Some(Verb::Create));
        assert_eq!(said(&verbs, "accounts keys create"), Some(Verb::Grant));
        assert_eq!(said(&verbs, "create"), Some(Verb::Grant), "behind a listed `keys`");
        assert_eq!(said(&verbs, "put-role-policy"), Some(Verb::Grant));
        assert_eq!(said(&verbs, "put-rule"), None);
    }
}
