//! Kinds: what losing a resource costs, by action and by what is known of it.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;
use toml::de::DeTable;

use super::conditions::{FactCondition, Truth, holds};
use super::placed::{Fault, read};
use crate::model::{Action, Facts, Tier};

/// How the target's text of an effect is understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SubjectKind {
    /// A file name.
    Path,
    /// Something in the git repository of the working directory; blanks separate names.
    Git,
    /// A database.
    Sql,
    /// A name.
    #[default]
    Name,
}

/// A safer thing to type, with placeholders.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AlternativeSpec {
    /// The command.
    pub command: String,
    /// Why it is safer.
    pub explanation: String,
}

/// One case: the first whose conditions hold decides.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// All must hold; none for the last case.
    #[serde(default)]
    pub r#if: Vec<FactCondition>,
    /// The tier.
    #[serde(deserialize_with = "tier")]
    pub tier: Tier,
    /// Why, with placeholders (`{target}`, `{fact.key}`).
    pub reason: String,
    /// Steps to get it back.
    #[serde(default)]
    pub recovery: Vec<String>,
    /// What to type instead.
    #[serde(default)]
    pub alternative: Vec<AlternativeSpec>,
    /// Nothing is lost.
    #[serde(default)]
    pub harmless: bool,
}

impl Case {
    /// Its texts with placeholders: the reason first, then what is to be typed.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let typed = self.alternative.iter().flat_map(|other| [&other.command, &other.explanation]);
        std::iter::once(&self.reason).chain(&self.recovery).chain(typed).map(String::as_str)
    }
}

fn tier<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Tier, D::Error> {
    let number = u8::deserialize(deserializer)?;
    Tier::from_number(number)
        .ok_or_else(|| serde::de::Error::custom(format!("tier {number} is none of 1 to 5")))
}

/// What of a thing of this machine is set aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Keep {
    /// The paths that the act names, as far as the act reaches.
    Paths,
    /// The path and everything below it, however far the act reaches.
    Tree,
    /// Modes, owners and attributes of the paths that the act names; their content stays.
    Rights,
    /// Modes, owners and attributes of everything below.
    TreeRights,
    /// Files of a repository's working tree that the act overwrites, removes or makes, what is staged, and what is under way.
    Work,
    /// Refs of a repository that the act moves or removes, their logs, and objects that nothing else would reach.
    Refs,
    /// A repository's settings.
    Settings,
    /// A repository's objects.
    Objects,
    /// The file of a database.
    Database,
}

/// An act whose undoing would be work.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ease {
    /// The action.
    pub on: Action,
    /// Only where the act says this of itself.
    #[serde(default, rename = "if")]
    pub flag: Option<String>,
}

/// A kind.
#[derive(Clone, Debug, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct KindFile {
    /// For people: "branch".
    pub title: String,
    /// How targets are understood.
    pub subject: SubjectKind,
    /// Service in reports.
    pub service: Option<String>,
    /// Cloud provider in reports.
    pub provider: Option<String>,
    /// It is part of the machine on which the command runs.
    pub local: bool,
    /// Names of the probes that look.
    pub probes: Vec<String>,
    /// Facts that only the command or the plan states: when absent, they are false and not missing.
    pub flags: Vec<String>,
    /// Everything below a path.
    pub tree: bool,
    /// It holds content that its attributes do not say: what an update by a plan does to an attribute that nobody declared is told.
    pub content: bool,
    /// What an act on it writes is the project's own to say, and not read: what is not committed is kept first, as before a
    /// program that nothing is known of.
    pub open: bool,
    /// What stands for such a thing is a program that nothing is known of, unless it is called like one of these
    /// (`*` stands for any text): they build, test or look wherever they are met.
    pub ordinary: Vec<String>,
    /// What is set aside before one is changed or removed, so that it can be put back. None: it cannot be.
    pub keep: Vec<Keep>,
    /// Acts that are set aside for although nothing is lost for good: where it was, or that it was there, only people know.
    pub ease: Vec<Ease>,
    /// An action that has another's cases.
    pub like: BTreeMap<Action, Action>,
    /// What the rules rest on.
    pub doc: Vec<String>,
    /// Cases for making one.
    pub create: Vec<Case>,
    /// Cases for looking.
    pub read: Vec<Case>,
    /// Cases for a change in part.
    pub update: Vec<Case>,
    /// Cases for removal.
    pub delete: Vec<Case>,
    /// Cases for a change of the whole.
    pub replace: Vec<Case>,
    /// Cases for running.
    pub execute: Vec<Case>,
    /// Cases for giving rights.
    pub grant: Vec<Case>,
    /// Cases for taking rights.
    pub revoke: Vec<Case>,
}

/// The case that decides, and what would have to be known for an earlier one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice<'a> {
    /// The case; `None` when the kind says nothing about the action.
    pub case: Option<&'a Case>,
    /// Facts that an earlier case asked for and that are not known.
    pub missing: Vec<String>,
}

impl KindFile {
    /// Reads a kind strictly.
    pub(super) fn read(table: Spanned<DeTable<'_>>) -> Result<Self, Fault> {
        let kind: Self = read(table)?;
        kind.check()?;
        Ok(kind)
    }

    /// Reads an embedded kind.
    pub(super) fn embedded(text: &str) -> Result<Self, String> {
        let kind: Self = serde_json::from_str(text).map_err(|e| e.to_string())?;
        kind.check().map_err(|fault| fault.to_string())?;
        Ok(kind)
    }

    fn check(&self) -> Result<(), Fault> {
        if self.title.is_empty() {
            return Err("`title` is missing".to_owned().into());
        }
        for action in ACTIONS {
            let cases = self.own_cases(action);
            if let Some((last, before)) = cases.split_last() {
                let key = format!("{action:?}").to_lowercase();
                let wrong = |number: usize, what: String| {
                    Err(Fault::from(what).below([key.clone(), number.to_string()]))
                };
                if !last.r#if.is_empty() {
                    return wrong(before.len(), format!("the last case of {key} must have no `if`"));
                }
                if let Some(number) = before.iter().position(|case| case.r#if.is_empty()) {
                    return wrong(number + 1, format!("a case of {key} stands behind one without `if`"));
                }
            }
        }
        for (from, to) in &self.like {
            if self.own_cases(*to).is_empty() || !self.own_cases(*from).is_empty() {
                let what = format!("`like` of {from:?}: {to:?} must have cases and {from:?} none");
                return Err(Fault::from(what).below(["like"]));
            }
        }
        Ok(())
    }

    /// Whether a thing of this kind is a program that nothing is known of.
    pub fn is_unknown_program(&self, name: &str) -> bool {
        !self.ordinary.is_empty() && !self.is_ordinary(name)
    }

    /// Whether a name is one of those that mean the same everywhere.
    pub fn is_ordinary(&self, name: &str) -> bool {
        self.ordinary.iter().any(|known| super::matched::compares(known, name))
    }

    /// The cases of an action as they are written.
    pub fn own_cases(&self, action: Action) -> &[Case] {
        match action {
            Action::Create => &self.create,
            Action::Read => &self.read,
            Action::Update => &self.update,
            Action::Delete => &self.delete,
            Action::Replace => &self.replace,
            Action::Execute => &self.execute,
            Action::Grant => &self.grant,
            Action::Revoke => &self.revoke,
        }
    }

    /// The cases of an action, `like` followed.
    pub fn cases(&self, action: Action) -> &[Case] {
        let action = self.like.get(&action).copied().unwrap_or(action);
        self.own_cases(action)
    }

    /// The facts that the cases of an action ask for.
    pub fn asks(&self, action: Action) -> impl Iterator<Item = &str> {
        self.cases(action).iter().flat_map(|case| &case.r#if).flat_map(FactCondition::keys)
    }

    /// The first case that holds. One that hangs on an unknown fact does not hold.
    pub fn choose(&self, action: Action, facts: &Facts) -> Choice<'_> {
        let mut missing = Vec::new();
        for case in self.cases(action) {
            match holds(&case.r#if, facts, &self.flags) {
                Truth::Yes => return Choice { case: Some(case), missing },
                Truth::No => {}
                Truth::Unknown(mut keys) => missing.append(&mut keys),
            }
        }
        Choice { case: None, missing }
    }
}

/// All actions.
pub const ACTIONS: [Action; 8] = [
    Action::Create,
    Action::Read,
    Action::Update,
    Action::Delete,
    Action::Replace,
    Action::Execute,
    Action::Grant,
    Action::Revoke,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::Pack;
    use crate::model::{Fact, FactValue};

    const BRANCH: &str = r#"
        ["git.branch"]
        title = "branch"
        subject = "git"
        flags = ["force"]
        like = { replace = "delete" }
        [["git.branch".delete]]
        if = ["ref.merged"]
        tier = 1
        reason = "merged"
        [["git.branch".delete]]
        tier = 2
        reason = "in the reflog"
    "#;

    #[test]
    fn the_first_case_that_holds_decides() {
        let pack = Pack::parse("branch", BRANCH).unwrap();
        let kind = &pack.kinds[0].it;
        let open = kind.choose(Action::Delete, &Facts::new());
        assert_eq!(
            (open.case.unwrap().tier, open.missing.as_slice()),
            (Tier::RecoverableWithEffort, &["ref.merged".to_owned()][..])
        );
        let merged = Facts::from([("ref.merged".to_owned(), Fact::new(FactValue::Bool(true), ""))]);
        assert_eq!(kind.choose(Action::Replace, &merged).case.unwrap().tier, Tier::Reversible);
        assert_eq!(kind.choose(Action::Grant, &merged).case, None);
    }

    #[test]
    fn errors_name_the_place() {
        let unknown = Pack::parse("x.toml", "[file]\ntitle = \"f\"\ncolour = 1\n").unwrap_err().to_string();
        assert!(unknown.contains("x.toml") && unknown.contains("x.toml:3:"), "{unknown}");
        assert!(Pack::parse("x", "[file]\ntitle=\"f\"\n[[file.delete]]\ntier = 9\nreason = \"\"\n").is_err());
        let open = "[file]\ntitle=\"f\"\n[[file.delete]]\nif = [\"a\"]\ntier = 2\nreason = \"\"\n";
        assert!(Pack::parse("x", open).is_err(), "the last case needs no condition");
    }
}
