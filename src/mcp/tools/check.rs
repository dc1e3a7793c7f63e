//! The four tools for short answers: may it run, how severe, what instead, why.
//!
//! Owns their documented fields and how an assessment is told in them. The verdict is the evaluation's.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::{Value, json};

use crate::evaluate::{Evaluation, Input, Supplied};
use crate::model::{Action, Assessment, Cause, Subject, Tier, Verdict};
use crate::shell;

use super::Tools;
use super::fields::Arguments;
use super::judge::Circumstances;
use super::result::{self, object};

/// Rules and alternatives that one answer names, at most.
const MOST: usize = 50;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
enum Severity {
    Info,
    Low,
    Medium,
    High,
    Critical,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "UPPERCASE")]
enum Scope {
    Resource,
    Project,
    Machine,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
enum RiskLevel {
    Normal,
    Elevated,
    Critical,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Matched {
    id: String,
    description: String,
    severity: Severity,
    group: String,
    blast_radius_scope: Scope,
    blast_radius_detail: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Instead {
    command: String,
    explanation: String,
    source: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Surroundings {
    risk_level: RiskLevel,
    labels: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct RiskAssessment {
    allowed: bool,
    risk_level: RiskLevel,
    severity: Option<Severity>,
    matched_rules: Vec<Matched>,
    alternatives: Vec<Instead>,
    context: Surroundings,
    requires_human_approval: bool,
    denial_reason: Option<String>,
    blast_radius_scope: Option<Scope>,
    blast_radius_detail: Option<String>,
}

pub(super) fn check_command(tools: &Tools, arguments: &Arguments<'_>) -> Result<String, String> {
    let (done, at) = judged(tools, arguments)?;
    written(&assessment(&done, &at))
}

pub(super) fn suggest_alternative(tools: &Tools, arguments: &Arguments<'_>) -> Result<String, String> {
    let (done, at) = judged(tools, arguments)?;
    let alternatives = assessment(&done, &at).alternatives;
    written(&json!({ "command": arguments.text("command"), "alternatives": alternatives }))
}

pub(super) fn explain_risk(tools: &Tools, arguments: &Arguments<'_>) -> Result<String, String> {
    let (done, at) = judged(tools, arguments)?;
    let found = assessment(&done, &at);
    let mut lines: Vec<String> = found
        .matched_rules
        .iter()
        .map(|rule| {
            let severity = format!("{:?}", rule.severity).to_uppercase();
            format!("- [{severity}] {}: {}", rule.id, rule.description)
        })
        .collect();
    lines.extend(
        done.report.cross_action_risks.iter().map(|risk| format!("- together: {}", risk.explanation)),
    );
    if lines.is_empty() {
        lines.push(done.report.assessment_reason.clone());
    }
    written(&json!({
        "command": arguments.text("command"),
        "risky": !found.matched_rules.is_empty(),
        "allowed": found.allowed,
        "severity": found.severity,
        "risk_level": found.risk_level,
        "context": found.context,
        "matched_rules": found.matched_rules,
        "alternatives": found.alternatives,
        "explanation": lines.join("\n"),
    }))
}

pub(super) fn get_policy(tools: &Tools, arguments: &Arguments<'_>) -> Result<String, String> {
    // A policy that cannot be read is an error here as everywhere.
    tools.circumstances(arguments, Supplied::default())?;
    let groups: BTreeSet<&str> = tools.knowledge.kind_names().into_iter().map(group_of_kind).collect();
    let covered = tools.knowledge.coverage(None);
    let servers = covered.mcp_servers.iter().map(|server| server.tools.len()).sum::<usize>();
    written(&json!({
        "challenge": "Yes",
        "active_groups": groups,
        "active_checks_count": covered.tools.len() + covered.terraform_types.len() + servers,
        "min_severity": null,
        "audit_enabled": tools.attestation.mode != crate::attest::Mode::Ignore,
        "agent_config": { "auto_deny_severity": Severity::High, "require_human_approval": true },
        "session_id": tools.session,
    }))
}

fn judged(tools: &Tools, arguments: &Arguments<'_>) -> Result<(Evaluation, Circumstances), String> {
    let at = tools.circumstances(arguments, Supplied::default())?;
    let text = arguments.text("command").unwrap_or_default().to_owned();
    let done = tools.judge(Input::Shell(shell::Input::Text(text)), &at)?;
    Ok((done, at))
}

fn written(answer: &impl Serialize) -> Result<String, String> {
    serde_json::to_string(answer).map(|json| result::structured(&json)).map_err(|error| error.to_string())
}

fn assessment(done: &Evaluation, at: &Circumstances) -> RiskAssessment {
    let environment = at.context.environment.as_deref();
    let production = |name: Option<&str>| name.is_some_and(|name| at.policy.is_production(name));
    let risky: Vec<&Assessment> = done.assessments.iter().filter(|found| !found.harmless).collect();
    let mut matched: Vec<Matched> = Vec::new();
    let mut alternatives: Vec<Instead> = Vec::new();
    let mut labels = BTreeSet::new();
    let mut risk_level = RiskLevel::Normal;
    if let Some(name) = environment {
        labels.insert(format!("environment={name}"));
        if production(environment) {
            risk_level = RiskLevel::Critical;
        }
    }
    for found in &done.assessments {
        let circumstances = &found.mutation.context;
        if circumstances.privileged {
            labels.insert("privileged".to_owned());
            risk_level = risk_level.max(RiskLevel::Elevated);
        }
        if let Some(host) = &circumstances.host {
            labels.insert(format!("host={host}"));
            risk_level = risk_level.max(RiskLevel::Elevated);
        }
        let target = found.mutation.target.environment.as_deref();
        if production(target) && target != environment {
            labels.insert(format!("environment={}", target.unwrap_or_default()));
            risk_level = RiskLevel::Critical;
        }
        for other in &found.alternatives {
            let other = Instead {
                command: other.command.clone(),
                explanation: other.explanation.clone(),
                source: "rules",
            };
            if alternatives.len() < MOST && !alternatives.contains(&other) {
                alternatives.push(other);
            }
        }
    }
    for found in &risky {
        let here = production(environment) || production(found.mutation.target.environment.as_deref());
        let rule = rule(found, here);
        if !matched.contains(&rule) {
            matched.push(rule);
        }
    }
    // The worst come first, and stay.
    matched.sort_by_key(|one| std::cmp::Reverse(one.severity));
    matched.truncate(MOST);
    let verdict = done.verdict();
    let allowed = verdict <= Verdict::Warn;
    // What is refused is never told as mild, whoever refused it.
    let floor = (!allowed).then_some(Severity::High);
    let widest = matched.iter().max_by_key(|rule| (rule.blast_radius_scope, rule.severity));
    RiskAssessment {
        allowed,
        risk_level,
        severity: matched.iter().map(|rule| rule.severity).max().max(floor),
        alternatives,
        context: Surroundings { risk_level, labels: labels.into_iter().collect() },
        requires_human_approval: verdict == Verdict::Escalate,
        denial_reason: (!allowed).then(|| format!("{}: {}", verdict.as_str(), done.report.assessment_reason)),
        blast_radius_scope: widest.map(|rule| rule.blast_radius_scope),
        blast_radius_detail: widest.map(|rule| rule.blast_radius_detail.clone()),
        matched_rules: matched,
    }
}

fn rule(found: &Assessment, production: bool) -> Matched {
    let mutation = &found.mutation;
    let scope = scope(found);
    let severity = match found.recoverability.tier {
        Tier::Reversible => Severity::Info,
        Tier::RecoverableWithEffort => Severity::Low,
        Tier::RecoverableFromBackup => Severity::Medium,
        // Not to know is not to be mild.
        Tier::NeedsReview => Severity::High,
        Tier::Unrecoverable if production || scope == Scope::Machine || whole_repository(found) => {
            Severity::Critical
        }
        Tier::Unrecoverable => Severity::High,
    };
    let group = match mutation.cause {
        Cause::Rule => group_of_kind(&mutation.kind).to_owned(),
        _ => "unknown".to_owned(),
    };
    let name = match &mutation.cause {
        Cause::UnknownProgram => "program".to_owned(),
        Cause::UnknownForm => "form".to_owned(),
        Cause::Gap(_) => "unparsed".to_owned(),
        Cause::Opaque(_) => "opaque".to_owned(),
        Cause::Limit(_) => "limit".to_owned(),
        Cause::Rule => {
            let path = mutation.rule.rule.split(['#', '@']).next().unwrap_or_default();
            let tool = if mutation.rule.tool == group { "" } else { &mutation.rule.tool };
            let words: Vec<&str> = [tool, path].into_iter().filter(|word| !word.is_empty()).collect();
            match words.join("_").replace([' ', ':'], "_") {
                name if name.is_empty() => action(mutation.action).to_owned(),
                name => name,
            }
        }
    };
    Matched {
        id: format!("{group}:{name}"),
        description: found.message.clone().unwrap_or_else(|| found.recoverability.reasoning.clone()),
        severity,
        group,
        blast_radius_scope: scope,
        blast_radius_detail: format!("{} {}", action(mutation.action), mutation.target.id),
    }
}

fn action(action: Action) -> &'static str {
    match action {
        Action::Create => "create",
        Action::Read => "read",
        Action::Update => "update",
        Action::Delete => "delete",
        Action::Replace => "replace",
        Action::Execute => "execute",
        Action::Grant => "grant",
        Action::Revoke => "revoke",
    }
}

/// The first part of a kind's name; files by the word that rule names know.
fn group_of_kind(kind: &str) -> &str {
    match kind.split('.').next().unwrap_or(kind) {
        "file" | "tree" | "path" | "directory" => "fs",
        "k8s" => "kubernetes",
        "sql" => "database",
        other => other,
    }
}

fn precious(found: &Assessment) -> Option<&str> {
    found.evidence.loss.as_ref()?.precious.as_deref()
}

fn whole_repository(found: &Assessment) -> bool {
    precious(found) == Some("git repository")
}

fn scope(found: &Assessment) -> Scope {
    let machine = match precious(found) {
        Some(why) => ["system", "home", "root", "mounted", "whole"]
            .iter()
            .any(|word| why.to_lowercase().contains(word)),
        None => found.mutation.kind.starts_with("device") || found.mutation.kind.starts_with("disk"),
    };
    match &found.mutation.subject {
        _ if machine => Scope::Machine,
        Subject::Path(path) if path.recursive || !path.explicit => Scope::Project,
        Subject::Git { .. } | Subject::Unknown => Scope::Project,
        Subject::Path(_) | Subject::Sql { .. } | Subject::Named(_) => Scope::Resource,
    }
}

const SEVERITIES: [&str; 5] = ["Info", "Low", "Medium", "High", "Critical"];
const LEVELS: [&str; 3] = ["Normal", "Elevated", "Critical"];
const SCOPES: [&str; 3] = ["RESOURCE", "PROJECT", "MACHINE"];

fn nullable(words: &[&str]) -> Value {
    let mut all: Vec<Value> = words.iter().map(|word| json!(word)).collect();
    all.push(Value::Null);
    json!({ "enum": all })
}

fn rules_schema() -> Value {
    let rule = object(json!({
        "id": { "type": "string" },
        "description": { "type": "string" },
        "severity": { "enum": SEVERITIES },
        "group": { "type": "string" },
        "blast_radius_scope": { "enum": SCOPES },
        "blast_radius_detail": { "type": "string" },
    }));
    json!({ "type": "array", "items": rule })
}

fn alternatives_schema() -> Value {
    let text = json!({ "type": "string" });
    json!({ "type": "array", "items": object(json!({ "command": text, "explanation": text, "source": text })) })
}

fn context_schema() -> Value {
    object(
        json!({ "risk_level": { "enum": LEVELS }, "labels": { "type": "array", "items": { "type": "string" } } }),
    )
}

pub(super) fn check_schema() -> Value {
    object(json!({
        "allowed": { "type": "boolean", "description": "Whether it may run without asking anybody." },
        "risk_level": { "enum": LEVELS },
        "severity": nullable(&SEVERITIES),
        "matched_rules": rules_schema(),
        "alternatives": alternatives_schema(),
        "context": context_schema(),
        "requires_human_approval": { "type": "boolean", "description": "A person may allow it." },
        "denial_reason": { "type": ["string", "null"] },
        "blast_radius_scope": nullable(&SCOPES),
        "blast_radius_detail": { "type": ["string", "null"] },
    }))
}

pub(super) fn alternative_schema() -> Value {
    object(json!({ "command": { "type": "string" }, "alternatives": alternatives_schema() }))
}

pub(super) fn policy_schema() -> Value {
    object(json!({
        "challenge": { "type": "string", "description": "What a person must do to allow a command." },
        "active_groups": { "type": "array", "items": { "type": "string" } },
        "active_checks_count": { "type": "integer", "minimum": 0 },
        "min_severity": nullable(&SEVERITIES),
        "audit_enabled": { "type": "boolean" },
        "agent_config": object(json!({
            "auto_deny_severity": nullable(&SEVERITIES),
            "require_human_approval": { "type": "boolean" },
        })),
        "session_id": { "type": "string" },
    }))
}

pub(super) fn explain_schema() -> Value {
    object(json!({
        "command": { "type": "string" },
        "risky": { "type": "boolean" },
        "allowed": { "type": "boolean" },
        "severity": nullable(&SEVERITIES),
        "risk_level": { "enum": LEVELS },
        "context": context_schema(),
        "matched_rules": rules_schema(),
        "alternatives": alternatives_schema(),
        "explanation": { "type": "string" },
    }))
}
