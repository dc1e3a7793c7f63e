//! The four tools for short answers: may it run, how severe, what instead, why.
//!
//! Owns their documented fields and how an assessment is told in them. The verdict is the evaluation's.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde::Serialize;
use serde_json::{Value, json};

use crate::evaluate::{Evaluation, Input, Supplied};
use crate::model::{Action, Assessment, Cause, Subject, Tier, Verdict};
use crate::order;
use crate::shell;

use super::fields::{Arguments, Field, Kind, optional};
use super::judge::Circumstances;
use super::result;
use super::{ACTOR, COMMAND, CWD, ENVIRONMENT, Effect, Tool, Tools};

/// Rules and alternatives that an answer with every detail names, at most.
const MOST: usize = 50;
/// The same of an ordinary answer, where what one rule says of many targets is told of one.
const FEW: usize = 3;
/// Alternatives where they are all that is asked for.
const ALTERNATIVES: usize = 10;

const DETAIL: Field = optional(
    "detail",
    Kind::Choice(&["brief", "full"]),
    "\"brief\" (default): each rule once, with a count. \"full\": each target.",
);

pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "check_command",
        title: "Check a command",
        description: "Call this BEFORE running a shell command, for a short answer: may it run (`allowed`), how severe it is, why, and what to type instead. recourse_evaluate_shell tells more.",
        fields: &[COMMAND, CWD, ACTOR, ENVIRONMENT, DETAIL],
        output: check_schema,
        effect: Effect::Looks,
        run: check_command,
    },
    Tool {
        name: "suggest_alternative",
        title: "Suggest a safer command",
        description: "Call this when a command is risky or was refused: gives safer commands that do the same work.",
        fields: &[COMMAND, CWD, ACTOR, ENVIRONMENT],
        output: alternative_schema,
        effect: Effect::Looks,
        run: suggest_alternative,
    },
    Tool {
        name: "get_policy",
        title: "Show the policy",
        description: "Call this to learn what is in force: which groups of commands are known, and from which severity on an agent is refused.",
        fields: &[CWD],
        output: policy_schema,
        effect: Effect::Looks,
        run: get_policy,
    },
    Tool {
        name: "explain_risk",
        title: "Explain a command's risk",
        description: "Call this to tell the user why a command is risky: the rules that apply, in plain words.",
        fields: &[COMMAND, CWD, ACTOR, ENVIRONMENT, DETAIL],
        output: explain_schema,
        effect: Effect::Looks,
        run: explain_risk,
    },
];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
enum Severity {
    Info,
    Low,
    Medium,
    High,
    Critical,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "UPPERCASE")]
enum Scope {
    Resource,
    Project,
    Machine,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
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
    /// How many targets it speaks of; told of the first.
    count: usize,
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
    omitted_rules: usize,
    omitted_alternatives: usize,
}

/// How much an answer names.
#[derive(Clone, Copy, Debug)]
struct Extent {
    rules: usize,
    alternatives: usize,
    /// Each target for itself.
    each: bool,
}

fn extent(arguments: &Arguments<'_>) -> Extent {
    match arguments.text("detail") {
        Some("full") => Extent { rules: MOST, alternatives: MOST, each: true },
        _ => Extent { rules: FEW, alternatives: FEW, each: false },
    }
}

fn check_command(tools: &Tools, arguments: &Arguments<'_>) -> Result<String, String> {
    let (done, at) = judged(tools, arguments)?;
    written(&assessment(&done, &at, extent(arguments)))
}

fn suggest_alternative(tools: &Tools, arguments: &Arguments<'_>) -> Result<String, String> {
    let (done, at) = judged(tools, arguments)?;
    let extent = Extent { rules: 0, alternatives: ALTERNATIVES, each: false };
    let found = assessment(&done, &at, extent);
    written(&json!({
        "command": asked(&done, arguments),
        "alternatives": found.alternatives,
        "omitted_alternatives": found.omitted_alternatives,
    }))
}

fn explain_risk(tools: &Tools, arguments: &Arguments<'_>) -> Result<String, String> {
    let (done, at) = judged(tools, arguments)?;
    let found = assessment(&done, &at, extent(arguments));
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
    let answer = json!({
        "command": asked(&done, arguments),
        "risky": !found.matched_rules.is_empty(),
        "allowed": found.allowed,
        "severity": found.severity,
        "risk_level": found.risk_level,
        "context": found.context,
        "matched_rules": found.matched_rules,
        "alternatives": found.alternatives,
        "omitted_rules": found.omitted_rules,
        "omitted_alternatives": found.omitted_alternatives,
    });
    Ok(result::with_lines(answer, "explanation", &lines))
}

/// The command that was asked about, as it may be told.
fn asked(done: &Evaluation, arguments: &Arguments<'_>) -> Option<String> {
    arguments.text("command").map(|text| done.report.secrets.mask(text).into_owned())
}

fn get_policy(tools: &Tools, arguments: &Arguments<'_>) -> Result<String, String> {
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
    let done = tools.judge(Input::Shell(shell::Input::Text(text.clone())), &at)?;
    tools.noted(&text, &done, &at, None);
    Ok((done, at))
}

fn written(answer: &impl Serialize) -> Result<String, String> {
    result::shown(answer).map_err(|error| error.to_string())
}

fn assessment(done: &Evaluation, at: &Circumstances, extent: Extent) -> RiskAssessment {
    let environment = at.context.environment.as_deref();
    let production = |name: Option<&str>| name.is_some_and(|name| at.policy.is_production(name));
    let (rules, omitted_rules) = matched(done, extent, |found| {
        production(environment) || production(found.mutation.target.environment.as_deref())
    });
    let (alternatives, omitted_alternatives) = instead(done, extent);
    let context = surroundings(done, environment, production);
    let verdict = done.verdict();
    let allowed = verdict <= Verdict::Warn;
    // What is refused is never told as mild, whoever refused it.
    let floor = (!allowed).then_some(Severity::High);
    let widest = rules.iter().max_by_key(|rule| (rule.blast_radius_scope, rule.severity));
    RiskAssessment {
        allowed,
        risk_level: context.risk_level,
        severity: rules.iter().map(|rule| rule.severity).max().max(floor),
        blast_radius_scope: widest.map(|rule| rule.blast_radius_scope),
        blast_radius_detail: widest.map(|rule| rule.blast_radius_detail.clone()),
        matched_rules: rules.into_iter().take(extent.rules).collect(),
        alternatives,
        context,
        requires_human_approval: verdict == Verdict::Escalate,
        denial_reason: (!allowed).then(|| format!("{}: {}", verdict.as_str(), done.report.assessment_reason)),
        omitted_rules,
        omitted_alternatives,
    }
}

/// All rules that matched, the worst first, and how many are not named.
fn matched(
    done: &Evaluation,
    extent: Extent,
    production: impl Fn(&Assessment) -> bool,
) -> (Vec<Matched>, usize) {
    let secrets = &done.report.secrets;
    let mut all: Vec<Matched> = Vec::new();
    let mut places = HashMap::new();
    for found in done.assessments.iter().filter(|found| !found.harmless) {
        let mut next = rule(found, production(found));
        next.description = secrets.mask(&next.description).into_owned();
        next.blast_radius_detail = secrets.mask(&next.blast_radius_detail).into_owned();
        let which = extent.each.then(|| (next.description.clone(), next.blast_radius_detail.clone()));
        let place = *places
            .entry((next.id.clone(), next.severity, next.blast_radius_scope, which))
            .or_insert(all.len());
        match all.get_mut(place) {
            Some(same) => same.count += 1,
            None => all.push(next),
        }
    }
    order::by_key(&mut all, |one| std::cmp::Reverse(one.severity));
    let omitted = all.len().saturating_sub(extent.rules);
    (all, omitted)
}

/// What to type instead, and how much of it is not named.
fn instead(done: &Evaluation, extent: Extent) -> (Vec<Instead>, usize) {
    let secrets = &done.report.secrets;
    let mut seen = HashSet::new();
    let all = done.assessments.iter().flat_map(|found| &found.alternatives);
    let all: Vec<_> = all.filter(|other| seen.insert((&other.command, &other.explanation))).collect();
    let named = all.iter().take(extent.alternatives).map(|other| Instead {
        command: secrets.mask(&other.command).into_owned(),
        explanation: secrets.mask(&other.explanation).into_owned(),
        source: "rules",
    });
    (named.collect(), all.len().saturating_sub(extent.alternatives))
}

fn surroundings(
    done: &Evaluation,
    environment: Option<&str>,
    production: impl Fn(Option<&str>) -> bool,
) -> Surroundings {
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
    }
    Surroundings { risk_level, labels: labels.into_iter().collect() }
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
        count: 1,
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

/// An object or a list whose names say what it holds.
fn plain(kind: &str) -> Value {
    json!({ "type": kind })
}

fn objects() -> Value {
    json!({ "type": "array", "items": plain("object") })
}

/// What decides is always there; other members may come.
fn decided(members: Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": members, "required": required })
}

fn check_schema() -> Value {
    let members = json!({
        "allowed": { "type": "boolean", "description": "Whether it may run without asking anybody." },
        "risk_level": { "enum": LEVELS },
        "severity": nullable(&SEVERITIES),
        "matched_rules": objects(),
        "alternatives": objects(),
        "context": plain("object"),
        "requires_human_approval": { "type": "boolean", "description": "A person may allow it." },
        "denial_reason": { "type": ["string", "null"] },
        "blast_radius_scope": nullable(&SCOPES),
        "blast_radius_detail": { "type": ["string", "null"] },
        "omitted_rules": plain("integer"),
        "omitted_alternatives": plain("integer"),
    });
    decided(members, &["allowed", "severity", "matched_rules", "requires_human_approval"])
}

fn alternative_schema() -> Value {
    let members = json!({ "alternatives": objects(), "omitted_alternatives": plain("integer") });
    decided(members, &["alternatives"])
}

fn policy_schema() -> Value {
    let members = json!({
        "challenge": { "type": "string", "description": "What a person must do to allow a command." },
        "active_groups": { "type": "array", "items": { "type": "string" } },
        "min_severity": nullable(&SEVERITIES),
        "agent_config": plain("object"),
    });
    decided(members, &["active_groups", "agent_config"])
}

fn explain_schema() -> Value {
    let members = json!({
        "risky": plain("boolean"),
        "allowed": plain("boolean"),
        "severity": nullable(&SEVERITIES),
        "matched_rules": objects(),
        "alternatives": objects(),
        "explanation": plain("string"),
        "omitted_rules": plain("integer"),
        "omitted_alternatives": plain("integer"),
    });
    decided(members, &["allowed", "explanation"])
}
