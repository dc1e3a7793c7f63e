//! `POST /api/evaluate`: a request's body becomes an input, judged by the one function.

use std::path::PathBuf;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::config::{self, RecordConfig};
use crate::evaluate::{EvaluationContext, Input, Supplied, evaluate};
use crate::json as strict;
use crate::knowledge::Knowledge;
use crate::mcp_call::{CallError, McpCall};
use crate::model::Actor;
use crate::proof::{Event, Front, Proof, ProofError, Record, Subject, is_plain};
use crate::report::ConsequenceReport;
use crate::shell;
use crate::terraform;
use crate::world::RealWorld;

use super::callers::Caller;

/// Most bytes of a name that a request gives (an actor, an environment).
const NAME: usize = 200;
/// Longest path that systems know.
const PATH: usize = 4096;

/// Why a request has no report.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ApiError {
    /// The request is at fault; says what was expected.
    #[error("{0}")]
    Invalid(String),
    /// The token is not for this.
    #[error("{0}")]
    Forbidden(String),
    /// The instance is at fault.
    #[error("{0}")]
    Internal(String),
}

fn invalid(what: impl Into<String>) -> ApiError {
    ApiError::Invalid(what.into())
}

/// Judges a request's body.
pub trait Judge: Send + Sync {
    /// The report in JSON, with its attestation when that is on, for who has a token.
    ///
    /// # Errors
    /// [`ApiError`].
    fn judge(&self, body: &[u8], caller: &Caller) -> Result<String, ApiError>;
}

/// The instance's own judge.
pub struct Evaluator {
    /// What is known of tools.
    pub knowledge: Knowledge,
    /// Signs, where attestation is on.
    pub proof: Option<Proof>,
    /// What is recorded.
    pub record: RecordConfig,
}

/// The body. One struct for the three sources; which fields belong together is checked after reading.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request<'a> {
    source: String,
    command: Option<String>,
    argv: Option<Vec<String>>,
    #[serde(borrow)]
    plan: Option<&'a RawValue>,
    state: Option<Value>,
    server: Option<String>,
    tool: Option<String>,
    arguments: Option<Value>,
    description: Option<String>,
    annotations: Option<Value>,
    cwd: Option<PathBuf>,
    actor: Option<String>,
    environment: Option<String>,
    audience: Option<String>,
    evidence: Option<Value>,
}

impl Judge for Evaluator {
    fn judge(&self, body: &[u8], caller: &Caller) -> Result<String, ApiError> {
        // A name that stands twice would be one thing to us and another to whoever runs it.
        let value = strict::parse(body, super::BODY_LIMIT).map_err(|error| invalid(error.to_string()))?;
        // A list of the members' values would be read as them.
        if !value.is_object() {
            return Err(invalid("a request is a JSON object".to_owned()));
        }
        drop(value);
        let request: Request<'_> =
            serde_json::from_slice(body).map_err(|error| invalid(error.to_string()))?;
        let (input, subject) = input(&request)?;
        let shown = input.shown();
        let mut context = context(&request)?;
        speaks_for(caller, &mut context)?;
        context.signed = self.proof.is_some();
        let policy = config::policy(&context.cwd).map_err(|error| ApiError::Internal(error.to_string()))?;
        let world = RealWorld::for_others();
        let done = evaluate(input, &context, &world, &self.knowledge, &policy);
        if done.internal_error {
            return Err(ApiError::Internal("the evaluation failed; nothing is allowed".to_owned()));
        }
        let mut id = None;
        let written = match (&self.proof, subject) {
            (Some(proof), Ok(subject)) => {
                let attested =
                    proof.attest(&subject, &context, &done.report).map_err(|error| match error {
                        ProofError::Input(what) => invalid(what.to_string()),
                        error => ApiError::Internal(error.to_string()),
                    })?;
                id = Some(attested.attestation.id().to_owned());
                serde_json::to_string(&attested.beside(&done.report))
            }
            (Some(_), Err(why)) => return Err(invalid(why)),
            (None, _) => serde_json::to_string(&done.report),
        };
        self.noted(&shown, &done.report, &context, caller, id);
        written.map_err(|error| ApiError::Internal(error.to_string()))
    }
}

impl Evaluator {
    /// Notes what was answered, unless it is plainly allowed.
    fn noted(
        &self,
        shown: &str,
        report: &ConsequenceReport,
        context: &EvaluationContext,
        caller: &Caller,
        signed: Option<String>,
    ) {
        if !self.record.enabled || (is_plain(report) && !self.record.allowed) {
            return;
        }
        Record::from(&Front::Api)
            .command(shown, &context.cwd, &report.secrets)
            .report(report, context)
            .and("caller", caller.name.clone())
            .and("attestationId", signed)
            .note(Event::Evaluated, config::user_places().as_ref(), &self.record);
    }
}

/// Whom a token speaks for and of what: that is signed, whatever the request says.
fn speaks_for(caller: &Caller, context: &mut EvaluationContext) -> Result<(), ApiError> {
    if let Some(actor) = &caller.actor {
        let own = Actor::parse(actor);
        if context.actor.as_ref().is_some_and(|asked| *asked != own) {
            return Err(ApiError::Forbidden(format!("this token speaks for {actor} alone")));
        }
        context.actor = Some(own);
    }
    if let Some(known) = &caller.environments
        && !context.environment.as_ref().is_some_and(|asked| known.contains(asked))
    {
        let known = known.join(", ");
        return Err(ApiError::Forbidden(format!("this token is for `environment` {known} alone")));
    }
    Ok(())
}

fn input(request: &Request<'_>) -> Result<(Input, Result<Subject, String>), ApiError> {
    let only = |names: &[(&str, bool)]| match names.iter().find(|(_, given)| *given) {
        Some((name, _)) => Err(invalid(format!("`{name}` does not belong to source {}", request.source))),
        None => Ok(()),
    };
    let shell = ("command", request.command.is_some() || request.argv.is_some());
    let plan = ("plan", request.plan.is_some() || request.state.is_some());
    let call = (
        "tool",
        request.tool.is_some()
            || request.server.is_some()
            || request.arguments.is_some()
            || request.description.is_some()
            || request.annotations.is_some(),
    );
    match request.source.as_str() {
        "shell" => {
            only(&[plan, call])?;
            let input = match (&request.command, &request.argv) {
                (Some(text), None) => shell::Input::Text(text.clone()),
                (None, Some(argv)) if !argv.is_empty() => {
                    shell::Input::Argv(argv.iter().cloned().map(Some).collect())
                }
                _ => return Err(invalid("source shell takes either `command` (text) or `argv` (words)")),
            };
            let subject = Subject::shell(&input).map_err(|error| error.to_string());
            Ok((Input::Shell(input), subject))
        }
        "terraform" => {
            only(&[shell, call])?;
            let plan = request.plan.ok_or_else(|| invalid("source terraform takes `plan`, an object"))?;
            // A plan given as a string is that string's JSON.
            let text = match serde_json::from_str::<String>(plan.get()) {
                Ok(text) => text,
                Err(_) => plan.get().to_owned(),
            };
            let read = terraform::read(text.as_bytes()).map_err(|error| invalid(format!("plan: {error}")))?;
            let subject = Subject::terraform(text.as_bytes()).map_err(|error| error.to_string());
            let state = request.state.clone().map(Arc::new);
            Ok((Input::Terraform { plan: Arc::new(read), state }, subject))
        }
        "mcp" => {
            only(&[shell, plan])?;
            let tool = request.tool.as_deref().ok_or_else(|| invalid("source mcp takes `tool`, a name"))?;
            let wrong = |error: CallError| invalid(error.to_string());
            let mut call =
                McpCall::new(request.server.as_deref(), tool, request.arguments.clone()).map_err(wrong)?;
            if let Some(description) = &request.description {
                call = call.described(description);
            }
            if let Some(annotations) = &request.annotations {
                call = call.annotated(annotations.clone()).map_err(wrong)?;
            }
            let subject = Subject::mcp(&call);
            Ok((Input::Mcp(call), Ok(subject)))
        }
        other => Err(invalid(format!("source is shell, terraform or mcp, not {other:?}"))),
    }
}

fn context(request: &Request<'_>) -> Result<EvaluationContext, ApiError> {
    let supplied = match &request.evidence {
        Some(evidence) => Supplied::parse(evidence.to_string().as_bytes())
            .map_err(|error| invalid(format!("evidence: {error}")))?,
        None => Supplied::default(),
    };
    let named = |name: &Option<String>, what: &str| match name.as_deref() {
        Some("") => Err(invalid(format!("`{what}` is empty"))),
        // It is signed, recorded and shown for as long as there are attestations.
        Some(text) if text.len() > NAME || text.chars().any(char::is_control) => {
            Err(invalid(format!("`{what}` is up to {NAME} bytes without control characters")))
        }
        Some(text) => Ok(Some(text.to_owned())),
        None => Ok(None),
    };
    let here = request.cwd.as_deref().filter(|cwd| cwd.is_absolute() && cwd.is_dir());
    if let Some(cwd) = &request.cwd
        && (!cwd.is_absolute() || cwd.as_os_str().len() > PATH || cwd.to_string_lossy().contains('\0'))
    {
        return Err(invalid("`cwd` is an absolute path"));
    }
    let audience = named(&request.audience, "audience")?;
    if audience.as_deref().is_some_and(|name| !config::is_audience(name)) {
        return Err(invalid("`audience` is up to 200 printable ASCII characters without spaces"));
    }
    Ok(EvaluationContext {
        audience,
        cwd: request.cwd.clone().unwrap_or_default(),
        environment: named(&request.environment, "environment")?,
        actor: named(&request.actor, "actor")?.map(|id| Actor::parse(&id)),
        profile: None,
        // A directory that exists here is taken to be where it will run.
        anywhere: here.is_none(),
        supplied,
        ..EvaluationContext::default()
    })
}
