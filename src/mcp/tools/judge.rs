//! The evaluating tools: arguments become an input and its circumstances, the one function judges.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::config;
use crate::evaluate::{Evaluation, EvaluationContext, Input, Supplied, evaluate};
use crate::mcp_call::McpCall;
use crate::model::Actor;
use crate::policy::Policy;
use crate::proof::{InputError, Subject};
use crate::shell as words;
use crate::terraform as plans;

use super::Tools;
use super::fields::Arguments;
use super::result;

/// What is attested of an input.
type Attested = Result<Subject, InputError>;

pub(super) fn shell(tools: &Tools, arguments: &Arguments<'_>) -> Result<String, String> {
    let (input, subject) = command(tools, arguments)?;
    tools.report(input, subject, tools.circumstances(arguments, Supplied::default())?)
}

pub(super) fn terraform(tools: &Tools, arguments: &Arguments<'_>) -> Result<String, String> {
    let (input, subject) = plan(tools, arguments)?;
    tools.report(input, subject, tools.circumstances(arguments, Supplied::default())?)
}

pub(super) fn call(tools: &Tools, arguments: &Arguments<'_>) -> Result<String, String> {
    let (input, subject) = tool_call(tools, arguments)?;
    tools.report(input, subject, tools.circumstances(arguments, Supplied::default())?)
}

pub(super) fn with_evidence(tools: &Tools, arguments: &Arguments<'_>) -> Result<String, String> {
    let given: Vec<&str> =
        ["command", "plan", "tool"].into_iter().filter(|name| arguments.value(name).is_some()).collect();
    let belongs = |source: &str| -> &[&str] {
        match source {
            "plan" => &["state", "classifier"],
            "tool" => &["server", "arguments", "description", "annotations"],
            _ => &[],
        }
    };
    let [source] = given.as_slice() else {
        return Err("give exactly one of `command`, `plan` and `tool`, as it was evaluated before".to_owned());
    };
    for other in ["plan", "tool"].iter().filter(|other| *other != source) {
        if let Some(stray) = belongs(other).iter().find(|name| arguments.value(name).is_some()) {
            return Err(format!("`{stray}` belongs to `{other}`, not to `{source}`"));
        }
    }
    let (input, subject) = match *source {
        "command" => command(tools, arguments)?,
        "plan" => plan(tools, arguments)?,
        _ => tool_call(tools, arguments)?,
    };
    let claims = json!({ "evidence": arguments.value("evidence").cloned().unwrap_or_default() });
    let supplied =
        Supplied::parse(claims.to_string().as_bytes()).map_err(|error| format!("`evidence`: {error}"))?;
    tools.report(input, subject, tools.circumstances(arguments, supplied)?)
}

fn command(tools: &Tools, arguments: &Arguments<'_>) -> Result<(Input, Option<Attested>), String> {
    let text = arguments.text("command").unwrap_or_default().to_owned();
    let input = words::Input::Text(text);
    let subject = tools.proof.as_ref().map(|_| Subject::shell(&input));
    Ok((Input::Shell(input), subject))
}

fn plan(tools: &Tools, arguments: &Arguments<'_>) -> Result<(Input, Option<Attested>), String> {
    let text = arguments.document("plan").unwrap_or_default();
    let plan = plans::read(text.as_bytes())
        .map_err(|error| format!("`plan`: {error}; give the output of `terraform show -json PLANFILE`"))?;
    let state = match arguments.document("state") {
        None => None,
        Some(text) => {
            let state: Value = serde_json::from_str(&text).map_err(|error| {
                format!("`state` is not JSON (line {}, column {})", error.line(), error.column())
            })?;
            if state.get("format_version").is_none() {
                return Err("`state` is no state; give the output of `terraform show -json`".to_owned());
            }
            Some(Arc::new(state))
        }
    };
    let subject = tools.proof.as_ref().map(|_| Subject::terraform(text.as_bytes()));
    Ok((Input::Terraform { plan: Arc::new(plan), state }, subject))
}

fn tool_call(tools: &Tools, arguments: &Arguments<'_>) -> Result<(Input, Option<Attested>), String> {
    let (server, tool) = (arguments.text("server"), arguments.text("tool").unwrap_or_default());
    let given = arguments.value("arguments").cloned();
    let mut call = McpCall::new(server, tool, given).map_err(|error| error.to_string())?;
    if let Some(description) = arguments.text("description") {
        call = call.described(description);
    }
    if let Some(annotations) = arguments.value("annotations") {
        call = call.annotated(annotations.clone()).map_err(|error| error.to_string())?;
    }
    let subject = tools.proof.as_ref().map(|_| Ok(Subject::mcp(&call)));
    Ok((Input::Mcp(call), subject))
}

/// Circumstances and the policy that holds in them.
pub(super) struct Circumstances {
    pub(super) context: EvaluationContext,
    pub(super) policy: Policy,
}

impl Tools {
    /// The circumstances that the arguments tell of, and the policy in force there, read anew.
    pub(super) fn circumstances(
        &self,
        arguments: &Arguments<'_>,
        supplied: Supplied,
    ) -> Result<Circumstances, String> {
        let cwd = arguments.text("cwd").map(PathBuf::from);
        if cwd.as_ref().is_some_and(|cwd| !cwd.is_absolute()) {
            return Err("`cwd` is an absolute path, such as /home/me/project".to_owned());
        }
        // A directory that exists here is taken to be where it will run.
        let here = cwd.as_deref().is_some_and(std::path::Path::is_dir);
        let cwd = cwd.unwrap_or_default();
        let policy = config::policy(&cwd).map_err(|error| error.to_string())?;
        let asked = arguments.text("environment");
        let environment = match (asked, self.environment.as_deref()) {
            (Some(asked), Some(set)) if !policy.is_production(asked) => Some(set),
            (asked, set) => asked.or(set),
        };
        let actor = self.actor.as_deref().or(arguments.text("actor"));
        let context = EvaluationContext {
            cwd,
            environment: environment.map(str::to_owned),
            actor: actor.map(Actor::parse),
            anywhere: !here,
            supplied,
            rules_only: arguments.value("classifier") == Some(&Value::Bool(false)),
            ..EvaluationContext::default()
        };
        Ok(Circumstances { context, policy })
    }

    /// Judges.
    pub(super) fn judge(&self, input: Input, at: &Circumstances) -> Result<Evaluation, String> {
        let world = (self.world)();
        let done = evaluate(input, &at.context, world.as_ref(), &self.knowledge, &at.policy);
        if done.internal_error {
            return Err("recourse itself failed while judging this; that is a bug worth reporting".to_owned());
        }
        Ok(done)
    }

    /// Judges, signs where that is on, and writes the report.
    fn report(&self, input: Input, subject: Option<Attested>, at: Circumstances) -> Result<String, String> {
        let report = self.judge(input, &at)?.report;
        let unsigned = |error: &dyn std::fmt::Display| format!("the report could not be signed: {error}");
        let (Some(proof), Some(subject)) = (&self.proof, subject) else {
            let json = serde_json::to_string(&report).map_err(|error| error.to_string())?;
            return Ok(result::report(&json, &report, None));
        };
        let subject = subject.map_err(|error| unsigned(&error))?;
        let attested = proof.attest(&subject, &at.context, &report).map_err(|error| unsigned(&error))?;
        let json = serde_json::to_string(&attested.beside(&report)).map_err(|error| error.to_string())?;
        Ok(result::report(&json, &report, Some(attested.attestation.uri())))
    }
}
