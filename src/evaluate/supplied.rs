//! Evidence that a caller gathered elsewhere.
//!
//! Owns its form and the proof. A claim may lower a tier only when it carries the raw output of a look that the target's
//! kind declares, and we read the fact from it ourselves, about the same target. Any other claim can only raise. The
//! claim's own word never counts.

use serde::Deserialize;
use serde_json::Value;

use crate::knowledge::{Knowledge, RAW_LIMIT};
use crate::model::{Assessment, Evidence, Fact, FactValue, Facts, MissingEffect, Mutation};
use crate::recoverability;

use super::look::{About, learn, shown};

/// A file of supplied evidence: `{"evidence": [{"target", "key", "raw", "value"?, "argv"?}]}`.
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
    /// What it is claimed to be. The output has to say so too.
    #[serde(default)]
    value: Option<Value>,
    /// Output of the command that was run to look.
    #[serde(default)]
    raw: Option<String>,
    /// The command that was run: it has to be the one that was suggested.
    #[serde(default)]
    argv: Option<Vec<String>>,
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
            if claim.value.is_none() && claim.raw.is_none() {
                return Err(format!("`{}`: neither `raw` output nor a `value`", claim.key));
            }
            if claim.value.as_ref().is_some_and(|value| fact_value(value).is_none()) {
                return Err(format!("`{}`: a value is true, false, a whole number or a text", claim.key));
            }
        }
        Ok(supplied)
    }

    /// Judges a mutation with what was supplied about it.
    pub(super) fn assess(
        &self,
        mutation: Mutation,
        mut evidence: Evidence,
        knowledge: &Knowledge,
    ) -> Assessment {
        let mut doubtful = Facts::new();
        // What a look needs to know is what was found here, not what another claim says.
        let found = evidence.facts.clone();
        let about = About::new(&mutation, &found);
        for claim in self.evidence.iter().filter(|claim| claim.is_about(&mutation, &about)) {
            let Err(why) = claim.prove(&mutation, &about, &mut evidence, knowledge) else { continue };
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
        let raw = self.raw.as_deref().ok_or("it carries no output that shows it")?;
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
            let Some(value) = about.read(look, raw) else {
                why = "its output does not speak of it";
                continue;
            };
            if self.value.as_ref().and_then(fact_value).is_some_and(|claimed| claimed != value) {
                why = "its output says otherwise";
                continue;
            }
            let trust = if look.parse.names_target() { "" } else { " (it does not name its target)" };
            let said = format!("{} is {}, as the supplied output shows{trust}", self.key, shown(&value));
            learn(evidence, look, value, said);
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
        supplied.assess(mutation, evidence, &Knowledge::builtin()).recoverability.tier.number()
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
        assert_eq!(tier(&claim("1", "trust me")), 4);
        assert_eq!(tier(&claim("1", &ONE.replace("\"orders\"", "\"others\""))), 4, "another database");
        let bare = claim("1", ONE).replace("\"raw\"", "\"target\"");
        assert!(Supplied::parse(bare.as_bytes()).is_err(), "a key twice");
        assert_eq!(
            tier(
                "{\"evidence\": [{\"target\": \"aws_db_instance.main\", \"key\": \"snapshots\", \"value\": 9}]}"
            ),
            4
        );
    }

    #[test]
    fn mistakes_are_errors() {
        for text in ["", "[]", "{}", "{\"evidence\": [{\"key\": \"a\"}]}", "{\"evidence\": [], \"x\": 1}"] {
            assert!(Supplied::parse(text.as_bytes()).is_err(), "{text}");
        }
    }
}
