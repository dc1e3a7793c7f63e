//! Evidence that a caller gathered elsewhere.
//!
//! Owns its form and the proof. A claim may lower a tier only when it carries the raw output of the look that was taken,
//! and that output says the same about the same target, read by us from a closed list of places. Any other claim can only
//! raise. The claim's own word never counts.

use serde::Deserialize;
use serde_json::Value;

use crate::knowledge::Knowledge;
use crate::model::{Assessment, Evidence, Fact, FactValue, Facts, MissingEffect, Mutation};
use crate::recoverability;

/// A file of supplied evidence: `{"evidence": [{"target", "key", "value", "raw"}]}`.
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
    /// The fact, as `missingEvidence` names it.
    key: String,
    /// What it is claimed to be.
    value: Value,
    /// Output of the command that was run to look.
    #[serde(default)]
    raw: Option<String>,
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
            if fact_value(&claim.value).is_none() {
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
        for claim in self.evidence.iter().filter(|claim| claim.is_about(&mutation)) {
            let Some(value) = fact_value(&claim.value) else { continue };
            let said = format!("{} is {}", claim.key, shown(&value));
            match claim.proof(&mutation) {
                Ok(()) => evidence.fact(&claim.key, value, format!("{said}, as the supplied output shows")),
                Err(why) => {
                    evidence.miss(
                        &claim.key,
                        format!("supplied: {said}; {why}"),
                        MissingEffect::LowersConfidence,
                    );
                    doubtful.insert(claim.key.clone(), Fact::new(value, said));
                }
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
    fn is_about(&self, mutation: &Mutation) -> bool {
        let target = &mutation.target;
        self.target == target.id || target.name.as_deref() == Some(self.target.as_str())
    }

    /// Whether the raw output says what is claimed, or why not.
    fn proof(&self, mutation: &Mutation) -> Result<(), &'static str> {
        let raw = self.raw.as_deref().ok_or("it carries no output that shows it")?;
        let output: Value = serde_json::from_str(raw).map_err(|_| "its output is not JSON")?;
        let names = names(mutation);
        let found = look_up(&self.key, &output, &names).ok_or("its output does not speak of it")?;
        if fact_value(&self.value).as_ref() == Some(&found) {
            Ok(())
        } else {
            Err("its output says otherwise")
        }
    }
}

/// What a target may be called in a provider's output.
fn names(mutation: &Mutation) -> Vec<&str> {
    let mut names = vec![mutation.target.id.as_str()];
    names.extend(mutation.target.name.as_deref());
    for key in ["identifier", "name", "bucket", "id", "cluster_identifier"] {
        if let Some(Fact { value: FactValue::Text(text), .. }) = mutation.facts.get(key) {
            names.push(text);
        }
    }
    names
}

/// A list in a provider's answer, the field that names an entry in it, and the fields that hold facts.
type Entries = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

/// Where facts about single things stand.
const ENTRIES: &[Entries] = &[
    (
        "DBInstances",
        "DBInstanceIdentifier",
        &[
            ("deletion_protection", "DeletionProtection"),
            ("backup_retention_period", "BackupRetentionPeriod"),
        ],
    ),
    (
        "DBClusters",
        "DBClusterIdentifier",
        &[
            ("deletion_protection", "DeletionProtection"),
            ("backup_retention_period", "BackupRetentionPeriod"),
        ],
    ),
];

/// Lists of snapshots and the field that names what they were taken of.
const SNAPSHOTS: &[(&str, &str)] = &[
    ("DBSnapshots", "DBInstanceIdentifier"),
    ("DBClusterSnapshots", "DBClusterIdentifier"),
    ("Snapshots", "VolumeId"),
];

/// What an output says of a fact, where it is about one of these names.
fn look_up(key: &str, output: &Value, names: &[&str]) -> Option<FactValue> {
    let named = |entry: &Value, field: &str| {
        entry.get(field).and_then(Value::as_str).is_some_and(|name| names.contains(&name))
    };
    match key {
        "snapshots" => {
            let (list, field) =
                SNAPSHOTS.iter().find_map(|(list, field)| Some((output.get(list)?.as_array()?, field)))?;
            // Automated ones go with what they were taken of.
            let stays = |entry: &&Value| {
                let kind = entry.get("SnapshotType").and_then(Value::as_str).unwrap_or("manual");
                let state = entry.get("Status").or_else(|| entry.get("State")).and_then(Value::as_str);
                named(entry, field) && kind == "manual" && matches!(state, Some("available" | "completed"))
            };
            i64::try_from(list.iter().filter(stays).count()).ok().map(FactValue::Number)
        }
        "versioning" => output.get("Status").and_then(fact_value),
        "pitr" => output
            .pointer("/ContinuousBackupsDescription/PointInTimeRecoveryDescription/PointInTimeRecoveryStatus")
            .and_then(Value::as_str)
            .map(|status| FactValue::Bool(status == "ENABLED")),
        _ => {
            if let Some(table) = output.get("Table").filter(|table| named(table, "TableName"))
                && key == "deletion_protection"
            {
                return table.get("DeletionProtectionEnabled").and_then(fact_value);
            }
            ENTRIES.iter().find_map(|(list, name, fields)| {
                let entry = output.get(list)?.as_array()?.iter().find(|entry| named(entry, name))?;
                let (_, field) = fields.iter().find(|(fact, _)| *fact == key)?;
                fact_value(entry.get(field)?)
            })
        }
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

fn shown(value: &FactValue) -> String {
    match value {
        FactValue::Bool(yes) => yes.to_string(),
        FactValue::Number(number) => number.to_string(),
        FactValue::Text(text) => text.clone(),
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
