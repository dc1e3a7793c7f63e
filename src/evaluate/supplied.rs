//! Evidence that a caller gathered elsewhere.
//!
//! Owns its form and the proof. A claim may lower a tier only when it carries the raw output of a look that the target's
//! kind declares, and we read the fact from it ourselves, about the same target. Any other claim can only raise. The
//! claim's own word never counts. Output can be made up, and we did not see the command run: so what rests on it is never
//! milder than a warning, never quite sure, and in production it lowers nothing.

use serde::Deserialize;
use serde_json::Value;

use crate::knowledge::{Knowledge, RAW_LIMIT};
use crate::model::{
    Assessment, Evidence, EvidenceSource, Fact, FactValue, Facts, MissingEffect, Mutation, Tier,
};
use crate::recoverability;

use super::look::{About, learn, shown};

/// How sure at most, per cent, what rests on a caller's output is.
const SURE: u8 = 70;

/// What keeps supplied evidence from lowering a verdict, whatever it shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bar {
    /// Nothing does.
    None,
    /// It is about production.
    Production,
    /// Other commands run before, and may have changed what the output showed.
    After,
}

impl Bar {
    fn why(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Production => Some("in production a person looks"),
            Self::After => Some("other commands of the same line run beside it; ask about this one alone"),
        }
    }
}

/// A file of supplied evidence, as `docs/evidence.schema.json` has it: `{"evidence": [{"target", "key", "raw", "value"?, "argv"?}]}`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Supplied {
    evidence: Vec<Claim>,
}

/// One claim about one target.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Claim {
    /// Id or name of the target, as the report gives it.
    target: String,
    /// The fact, as `missingEvidence` and `verificationSuggestions` name it.
    key: String,
    /// What it is claimed to be. Where it is of the fact's own type, the output has to say so too.
    #[serde(default)]
    value: Option<Value>,
    /// Output of the command that was run to look.
    raw: String,
    /// The command that was run: it has to be the one that was suggested.
    #[serde(default)]
    argv: Option<Vec<String>>,
    /// Who saw the command run, when it was not somewhere else.
    #[serde(skip)]
    seen: Seen,
}

/// Who saw how an output came about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Seen {
    /// The caller says so.
    #[default]
    No,
    /// The look was taken here.
    Here,
    /// The look was taken here, and a person read what it would be and wanted it.
    ByPerson,
}

impl Supplied {
    /// Reads a file strictly.
    ///
    /// # Errors
    /// Anything that is not exactly in this form, in words.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let supplied: Self =
            serde_json::from_slice(bytes).map_err(|error| format!("not supplied evidence: {error}"))?;
        for claim in &supplied.evidence {
            if claim.value.as_ref().is_some_and(|value| fact_value(value).is_none()) {
                return Err(format!("`{}`: a value is true, false, a whole number or a text", claim.key));
            }
        }
        Ok(supplied)
    }

    /// Adds what a look told that was taken here. `person`: one had it taken.
    pub fn looked(&mut self, target: &str, key: &str, argv: &[String], raw: &str, person: bool) {
        self.evidence.push(Claim {
            target: target.to_owned(),
            key: key.to_owned(),
            value: None,
            raw: raw.to_owned(),
            argv: Some(argv.to_vec()),
            seen: if person { Seen::ByPerson } else { Seen::Here },
        });
    }

    /// Nothing was supplied.
    pub fn is_empty(&self) -> bool {
        self.evidence.is_empty()
    }

    /// Target, key and output of each claim, for what is attested.
    pub fn claims(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        self.evidence.iter().map(|claim| (claim.target.as_str(), claim.key.as_str(), claim.raw.as_str()))
    }

    /// Judges a mutation with what was supplied about it.
    pub(super) fn assess(
        &self,
        mutation: Mutation,
        evidence: Evidence,
        bar: Bar,
        knowledge: &Knowledge,
    ) -> Assessment {
        if self.evidence.is_empty() {
            return recoverability::assess(mutation, evidence, knowledge);
        }
        let without = recoverability::assess(mutation.clone(), evidence.clone(), knowledge);
        let with = self.with_claims(mutation, evidence, bar, knowledge);
        let severity = |judged: &Assessment| judged.recoverability.tier.severity();
        let here = self.evidence.iter().all(|claim| claim.seen != Seen::No);
        if severity(&with) < severity(&without) { floored(with, here) } else { with }
    }

    fn with_claims(
        &self,
        mutation: Mutation,
        mut evidence: Evidence,
        bar: Bar,
        knowledge: &Knowledge,
    ) -> Assessment {
        let mut doubtful = Facts::new();
        // What a look needs to know is what was found here, not what another claim says.
        let found = evidence.facts.clone();
        let about = About::new(&mutation, &found);
        let bar = match found.contains_key("environment.production") {
            true if bar == Bar::None => Bar::Production,
            _ => bar,
        };
        for claim in self.evidence.iter().filter(|claim| claim.is_about(&mutation, &about)) {
            // In production a person looks: this is that person.
            let bar = if claim.seen == Seen::ByPerson && bar == Bar::Production { Bar::None } else { bar };
            let proven = match bar.why() {
                Some(why) => Err(why),
                None => claim.prove(&mutation, &about, &mut evidence, knowledge),
            };
            let Err(why) = proven else { continue };
            let claimed = claim.value.as_ref().and_then(fact_value);
            let said = match &claimed {
                Some(value) => format!("{} is {}", claim.key, shown(value)),
                None => format!("output that tells {}", claim.key),
            };
            let text = format!("supplied: {said}; {why}");
            evidence.miss(&claim.key, text, MissingEffect::LowersConfidence);
            if let Some(value) = claimed {
                doubtful.insert(claim.key.clone(), Fact::new(value, said));
            }
        }
        if doubtful.is_empty() {
            return recoverability::assess(mutation, evidence, knowledge);
        }
        let mut worse = evidence.clone();
        worse.facts.extend(doubtful);
        let without = recoverability::assess(mutation.clone(), evidence, knowledge);
        let with = recoverability::assess(mutation, worse, knowledge);
        let severity = |judged: &Assessment| judged.recoverability.tier.severity();
        if severity(&with) > severity(&without) { with } else { without }
    }
}

/// Not milder than a warning, and never quite sure: it rests on the caller's word, or on what one look showed a moment ago.
pub(super) fn floored(mut judged: Assessment, here: bool) -> Assessment {
    let found = &mut judged.recoverability;
    found.confidence = found.confidence.min(SURE);
    if found.tier.severity() < Tier::RecoverableFromBackup.severity() {
        found.tier = Tier::RecoverableFromBackup;
        let whose = if here { "by what a look showed" } else { "by the output that the caller gave" };
        found.reasoning = format!("{whose}: {}", found.reasoning);
    }
    judged.harmless = false;
    judged
}

/// Facts that say which server a command speaks to: a table of the same name on another one is another table.
const ADDRESSES: [&str; 3] = ["sql.host", "sql.port", "sql.socket"];

impl Claim {
    fn is_about(&self, mutation: &Mutation, about: &About<'_>) -> bool {
        let target = &mutation.target;
        self.target == target.id
            || target.name.as_deref() == Some(self.target.as_str())
            || about.name().is_some_and(|name| {
                // A bucket may be named with its scheme or without.
                let bare = name.split_once("://").map_or(name.as_str(), |(_, rest)| rest);
                self.target == name || self.target == bare.trim_end_matches('/')
            })
    }

    /// Reads the fact from the raw output by what the kind declares and adds it, or says why that cannot be done.
    fn prove(
        &self,
        mutation: &Mutation,
        about: &About<'_>,
        evidence: &mut Evidence,
        knowledge: &Knowledge,
    ) -> Result<(), &'static str> {
        let raw = self.raw.as_str();
        if raw.trim().is_empty() {
            return Err("it carries no output that shows it");
        }
        if raw.len() > RAW_LIMIT {
            return Err("its output is longer than 1 MiB");
        }
        if mutation.context.host.is_some() {
            return Err("it happens on another machine");
        }
        let looks = knowledge.looks(&mutation.kind).ok_or("nothing is known that would show it")?;
        let mut why = "nothing is known that would show it";
        for look in looks.iter().filter(|look| look.key == self.key) {
            let words = about.words(look);
            if self.argv.is_some() && self.argv != words {
                why = "its command is not the one that was suggested";
                continue;
            }
            if self.argv.is_none() && ADDRESSES.iter().any(|key| mutation.facts.contains_key(*key)) {
                why = "it does not say by which command, and so not of which server";
                continue;
            }
            let Some(value) = about.read(look, raw) else {
                why = "its output does not speak of it";
                continue;
            };
            // A value of another type (`true` for a count) says nothing against it.
            let same_type =
                |claimed: &FactValue| std::mem::discriminant(claimed) == std::mem::discriminant(&value);
            let claimed = self.value.as_ref().and_then(fact_value).filter(same_type);
            if claimed.is_some_and(|claimed| claimed != value) {
                why = "its output says otherwise";
                continue;
            }
            let trust = if look.parse.names_target() { "" } else { " (it does not name its target)" };
            let whose = if self.seen == Seen::No { "the supplied output" } else { "a look" };
            let said = format!("{} is {}, as {whose} shows{trust}", self.key, shown(&value));
            learn(evidence, look, value, said);
            if let Some(item) = evidence.items.last_mut().filter(|_| self.seen == Seen::No) {
                item.source = Some(EvidenceSource::Caller);
            }
            return Ok(());
        }
        Err(why)
    }
}

fn fact_value(value: &Value) -> Option<FactValue> {
    match value {
        Value::Bool(yes) => Some(FactValue::Bool(*yes)),
        Value::Number(number) => number.as_i64().map(FactValue::Number),
        Value::String(text) => Some(FactValue::Text(text.clone())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Action, Cause, Context, RuleRef, Source, Subject, Target};

    fn database() -> Mutation {
        let mut facts = Facts::new();
        facts.insert("identifier".into(), Fact::new(FactValue::Text("orders".into()), "identifier"));
        facts.insert("skip_final_snapshot".into(), Fact::new(FactValue::Bool(true), "skipped"));
        Mutation {
            action: Action::Delete,
            kind: "aws.rds.instance".into(),
            subject: Subject::Named(crate::model::Value::known("orders")),
            target: Target {
                r#type: "aws_db_instance".into(),
                id: "aws_db_instance.main".into(),
                ..Target::default()
            },
            source: Source::Terraform,
            raw: String::new(),
            span: None,
            rule: RuleRef::default(),
            cause: Cause::Rule,
            context: Context::default(),
            facts,
            dependents: Vec::new(),
        }
    }

    fn tier(text: &str) -> u8 {
        let supplied = Supplied::parse(text.as_bytes()).unwrap();
        let mutation = database();
        let evidence = Evidence { facts: mutation.facts.clone(), ..Evidence::default() };
        supplied.assess(mutation, evidence, Bar::None, &Knowledge::builtin()).recoverability.tier.number()
    }

    fn claim(value: &str, raw: &str) -> String {
        let raw = serde_json::to_string(raw).unwrap();
        format!(
            "{{\"evidence\": [{{\"target\": \"aws_db_instance.main\", \"key\": \"snapshots\", \"value\": {value}, \"raw\": {raw}}}]}}"
        )
    }

    const ONE: &str = r#"{"DBSnapshots": [
        {"DBInstanceIdentifier": "orders", "SnapshotType": "manual", "Status": "available"},
        {"DBInstanceIdentifier": "orders", "SnapshotType": "automated", "Status": "available"},
        {"DBInstanceIdentifier": "other", "SnapshotType": "manual", "Status": "available"}]}"#;

    #[test]
    fn only_output_that_says_the_same_lowers_a_tier() {
        assert_eq!(tier("{\"evidence\": []}"), 4);
        assert_eq!(tier(&claim("1", ONE)), 3);
        assert_eq!(tier(&claim("2", ONE)), 4, "it says otherwise");
        assert_eq!(tier(&claim("true", ONE)), 3, "the output tells");
        assert_eq!(tier(&claim("1", " ")), 4, "no output");
        assert_eq!(tier(&claim("1", "trust me")), 4);
        assert_eq!(tier(&claim("1", &ONE.replace("\"orders\"", "\"others\""))), 4, "another database");
        let bare = claim("1", ONE).replace("\"raw\"", "\"target\"");
        assert!(Supplied::parse(bare.as_bytes()).is_err(), "a key twice");
    }

    #[test]
    fn output_of_a_server_says_which_one() {
        let supplied = Supplied::parse(claim("1", ONE).as_bytes()).unwrap();
        let mut mutation = database();
        mutation.facts.insert("sql.host".into(), Fact::new(FactValue::Text("db".into()), "-h"));
        let evidence = Evidence { facts: mutation.facts.clone(), ..Evidence::default() };
        let judged = supplied.assess(mutation, evidence, Bar::None, &Knowledge::builtin());
        assert_eq!(judged.recoverability.tier.number(), 4, "it may be another server's");
    }

    #[test]
    fn what_rests_on_a_callers_word_is_a_warning_at_least() {
        let supplied = Supplied::parse(claim("1", ONE).as_bytes()).unwrap();
        let judged = |bar: Bar, production: bool| {
            let mutation = database();
            let mut evidence = Evidence { facts: mutation.facts.clone(), ..Evidence::default() };
            if production {
                evidence.fact(
                    "environment.production",
                    FactValue::Bool(true),
                    "AWS_PROFILE names production",
                );
            }
            supplied.assess(mutation, evidence, bar, &Knowledge::builtin())
        };
        let with = judged(Bar::None, false);
        assert_eq!((with.recoverability.tier.number(), with.recoverability.confidence), (3, SURE));
        let item = with.evidence.items.iter().find(|item| item.key == "snapshots").unwrap();
        assert_eq!(item.source, Some(EvidenceSource::Caller));
        for (bar, production) in [(Bar::Production, false), (Bar::After, false), (Bar::None, true)] {
            assert_eq!(judged(bar, production).recoverability.tier.number(), 4, "{bar:?}");
        }
        let mut mild = judged(Bar::None, false);
        mild.recoverability.tier = Tier::Reversible;
        assert_eq!(floored(mild, false).recoverability.tier, Tier::RecoverableFromBackup);
    }

    #[test]
    fn mistakes_are_errors() {
        let bare = "{\"evidence\": [{\"target\": \"t\", \"key\": \"snapshots\", \"value\": 9}]}";
        for text in
            ["", "[]", "{}", "{\"evidence\": [{\"key\": \"a\"}]}", "{\"evidence\": [], \"x\": 1}", bare]
        {
            assert!(Supplied::parse(text.as_bytes()).is_err(), "{text}");
        }
    }
}
