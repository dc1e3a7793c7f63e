//! A look at one mutation's target: its words, its output, and what the fact that it gives does to the evidence.
//!
//! Shared by what is suggested and by what is supplied, so that both speak of the same commands.

use crate::knowledge::{Look, Lookup};
use crate::model::{Evidence, Fact, FactValue, Facts, Mutation, Source, Subject};

/// The looks' placeholders for one mutation.
pub(super) struct About<'a> {
    mutation: &'a Mutation,
    facts: &'a Facts,
}

impl<'a> About<'a> {
    pub(super) fn new(mutation: &'a Mutation, facts: &'a Facts) -> Self {
        Self { mutation, facts }
    }

    /// What the provider calls the target. An address in a plan is not that.
    pub(super) fn name(&self) -> Option<String> {
        if let Some(Fact { value: FactValue::Text(text), .. }) = self.facts.get("identifier") {
            return Some(text.clone());
        }
        if self.mutation.source == Source::Terraform {
            return self.mutation.target.name.clone();
        }
        match &self.mutation.subject {
            Subject::Named(value) => value.as_known().map(str::to_owned),
            Subject::Git { names, .. } => match names.as_slice() {
                [only] => only.as_known().map(str::to_owned),
                _ => None,
            },
            Subject::Sql { object, .. } => object.clone(),
            Subject::Path(_) | Subject::Unknown => None,
        }
    }

    /// A placeholder's value.
    pub(super) fn value(&self, key: &str) -> Option<String> {
        match key {
            "name" => return self.name(),
            "tool" => return Some(self.mutation.rule.tool.clone()),
            "region" if self.mutation.target.region.is_some() => return self.mutation.target.region.clone(),
            _ => {}
        }
        if let Subject::Sql { database, dialect, .. } = &self.mutation.subject {
            match key {
                // None named is the usual one; one that is named and not known is an empty text.
                "database" => {
                    let known = database.as_known();
                    return if known == Some("") { None } else { Some(known.unwrap_or_default().to_owned()) };
                }
                "dialect" => return Some((*dialect).to_owned()),
                _ => {}
            }
        }
        match &self.facts.get(key)?.value {
            FactValue::Text(text) => Some(text.clone()),
            FactValue::Number(number) => Some(number.to_string()),
            FactValue::Bool(_) => None,
        }
    }

    /// Whether a look from here speaks to the same account, cluster or server. A database also asks who it is.
    fn is_here(&self) -> bool {
        let context = &self.mutation.context;
        let other_user = context.privileged && matches!(self.mutation.subject, Subject::Sql { .. });
        context.host.is_none() && !other_user && !self.facts.contains_key("aimed")
    }

    /// The exact words of a look; `None` when it cannot be taken safely, or not from here.
    pub(super) fn words(&self, look: &Look) -> Option<Vec<String>> {
        if !self.is_here() {
            return None;
        }
        look.words(&|key| self.value(key))
    }

    /// What an output says.
    pub(super) fn read(&self, look: &Look, raw: &str) -> Option<FactValue> {
        let lookup: Lookup<'_> = &|key| self.value(key);
        if !look.fits(lookup) || self.facts.contains_key("aimed") {
            return None;
        }
        look.parse.read(raw, lookup)
    }
}

/// Adds what a look showed; a probe's complaint that the look makes good goes.
pub(super) fn learn(evidence: &mut Evidence, look: &Look, value: FactValue, said: String) {
    let good = match &value {
        FactValue::Bool(yes) => *yes,
        FactValue::Number(number) => *number > 0,
        FactValue::Text(text) => !text.is_empty(),
    };
    evidence
        .missing
        .retain(|missing| missing.key != look.key && !(good && look.answers.contains(&missing.key)));
    evidence.fact(&look.key, value, said);
}

/// A value in words.
pub(super) fn shown(value: &FactValue) -> String {
    match value {
        FactValue::Bool(yes) => yes.to_string(),
        FactValue::Number(number) => number.to_string(),
        FactValue::Text(text) => text.chars().filter(|c| !c.is_control()).take(200).collect(),
    }
}
