//! What was found on the machine, or is missing.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

use super::Facts;

/// A fact's value.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum FactValue {
    /// Yes or no.
    Bool(bool),
    /// A count, a size in bytes, a number of days.
    Number(i64),
    /// A word: a mode, a name, a state.
    Text(String),
}

/// One thing that is known, with a sentence for people.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fact {
    /// The value.
    pub value: FactValue,
    /// What it means, in plain words.
    pub description: Cow<'static, str>,
}

impl Fact {
    /// A fact with its sentence.
    pub fn new(value: FactValue, description: impl Into<Cow<'static, str>>) -> Self {
        Self { value, description: description.into() }
    }
}

/// Whose word a line of evidence is, where we did not look ourselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EvidenceSource {
    /// Read from output that the caller handed in.
    Caller,
}

/// One line of evidence in the report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EvidenceItem {
    /// Stable key.
    pub key: String,
    /// Value, where one word says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<FactValue>,
    /// Whether what the key names is there.
    pub present: bool,
    /// In plain words.
    pub description: String,
    /// Whose word it is; none: looked at here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<EvidenceSource>,
}

/// What a missing piece of evidence does to the judgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MissingEffect {
    /// The verdict stands, less sure.
    LowersConfidence,
    /// A human has to look.
    RequiresReview,
    /// Rules out any verdict that lets it run.
    BlocksSafeVerdict,
}

/// A piece of evidence that could not be had.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Missing {
    /// Stable key.
    pub key: String,
    /// What is missing and why.
    pub description: String,
    /// What that does.
    pub effect: MissingEffect,
}

/// What would become of a file's content. Ordered from harmless to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LossClass {
    /// Nothing to lose: absent, empty, identical content, a link's own name, made by this command.
    Nothing,
    /// In a temporary directory.
    Temporary,
    /// Committed in git (or staged) exactly as it is: one git command brings it back.
    Tracked,
    /// Another name or copy of the same content stays.
    Copied,
    /// A tool makes it again: dependencies beside a lockfile, build output, caches.
    Regenerable,
    /// Belongs to an installed package, unchanged.
    Packaged,
    /// Kept in a local snapshot, the trash or a backup file that the command makes itself.
    Snapshot,
    /// Only here.
    Lost,
    /// Could not be looked at (rights, time, size, another machine): may be anything.
    Unseen,
}

/// How much is in a class.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Tally {
    /// Number of files.
    pub files: u64,
    /// Their size in bytes.
    pub bytes: u64,
    /// Up to a handful of names, relative to the directory where that is shorter; hidden ones last.
    pub examples: Vec<String>,
}

/// What a path probe found below a path, by class.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Loss {
    /// Counts per class that occurs.
    pub classes: BTreeMap<LossClass, Tally>,
    /// Why it is more than ordinary: `home directory`, `ssh key`, `.git`, `database`, `system path` …
    pub precious: Option<String>,
    /// Among it is what no copy of ours makes harmless to lose: a whole home, the system's own, keys, mounted disks.
    pub beyond: bool,
    /// Counting stopped at a limit: the numbers are lower bounds. The rest is [`LossClass::Unseen`], unless so much is
    /// lost for certain that it could not be worse.
    pub truncated: bool,
    /// Of the lost files: how many are changed tracked files (the rest is untracked or outside any repository).
    pub modified: u64,
}

impl Loss {
    /// The worst class that holds any file.
    pub fn worst(&self) -> LossClass {
        self.classes.iter().filter(|(_, t)| t.files > 0).map(|(c, _)| *c).max().unwrap_or(LossClass::Nothing)
    }

    /// Adds one file.
    pub fn add(&mut self, class: LossClass, bytes: u64, name: impl FnOnce() -> String) {
        let tally = self.classes.entry(class).or_default();
        tally.files += 1;
        tally.bytes += bytes;
        let full = tally.examples.len() >= EXAMPLES;
        if full && !tally.examples.last().is_some_and(|last| is_minor(last)) {
            return;
        }
        let name = name();
        let minor = is_minor(&name);
        if !(full && minor) {
            let first = tally.examples.iter().position(|known| is_minor(known));
            let at = first.filter(|_| !minor).unwrap_or(tally.examples.len());
            tally.examples.insert(at, name);
            tally.examples.truncate(EXAMPLES);
        }
    }
}

/// Names that are given of a class.
const EXAMPLES: usize = 5;

/// A hidden file is what a person misses last, unless it is said what it holds.
fn is_minor(name: &str) -> bool {
    !name.ends_with(')') && name.rsplit('/').next().is_some_and(|last| last.starts_with('.'))
}

/// All that was found for one mutation.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Evidence {
    /// Facts by key, those of the mutation itself included.
    pub facts: Facts,
    /// Lines for the report.
    pub items: Vec<EvidenceItem>,
    /// What could not be had.
    pub missing: Vec<Missing>,
    /// For files and trees.
    pub loss: Option<Loss>,
    /// Of an act that names a directory and changes single files: every file of those that stand there now, where that is
    /// known.
    pub changed: Option<Vec<PathBuf>>,
}

impl Evidence {
    /// Records a fact and its report line.
    pub fn fact(&mut self, key: &str, value: FactValue, description: impl Into<String>) {
        let description = description.into();
        let present = !matches!(value, FactValue::Bool(false));
        self.items.push(EvidenceItem {
            key: key.to_owned(),
            value: Some(value.clone()),
            present,
            description: description.clone(),
            source: None,
        });
        self.facts.insert(key.to_owned(), Fact::new(value, description));
    }

    /// Records that something could not be had.
    pub fn miss(&mut self, key: &str, description: impl Into<String>, effect: MissingEffect) {
        self.missing.push(Missing { key: key.to_owned(), description: description.into(), effect });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_misses_first_is_named_first() {
        let mut loss = Loss::default();
        for name in [
            "~/.bash_history",
            "~/.cache/x",
            ".git (1 commit that no remote has)",
            "a/.b/c",
            "~/d",
            "e",
            "~/.f",
        ] {
            loss.add(LossClass::Lost, 1, || name.to_owned());
        }
        let tally = &loss.classes[&LossClass::Lost];
        let first = ["~/.cache/x", ".git (1 commit that no remote has)", "a/.b/c", "~/d", "e"];
        assert_eq!((tally.files, &tally.examples[..]), (7, &first.map(str::to_owned)[..]));
    }
}
