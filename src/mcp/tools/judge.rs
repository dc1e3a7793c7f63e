//! The evaluating tools: arguments become an input and its circumstances, the one function judges.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError};

use serde_json::{Value, json};

use crate::attest::Attestation;
use crate::config;
use crate::evaluate::{Evaluation, EvaluationContext, Input, Supplied, evaluate};
use crate::mcp_call::McpCall;
use crate::model::Actor;
use crate::policy::Policy;
use crate::proof::{Event, Front, InputError, Record, Subject, is_plain};
use crate::report::{self, BriefProof};
use crate::shell as words;
use crate::terraform as plans;
use crate::world::World;

use super::fields::{Arguments, Field, Kind, optional, required};
use super::result;
use super::{ACTOR, COMMAND, CWD, ENVIRONMENT, Effect, Tool, Tools};

/// How much of the report is told.
const DETAIL: Field = optional(
    "detail",
    Kind::Choice(&["brief", "full"]),
    "\"brief\" (default): one entry for each directory and verdict, with counts. \"full\": every mutation with all evidence; may be large.",
);

pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "recourse_evaluate_shell",
        title: "Evaluate a shell command",
        description: "Call this BEFORE running a shell command that deletes, overwrites, moves, resets, pushes, drops, terminates, formats or deploys anything, or whose effect you are not sure of. Tells what could not be got back. riskAssessment: allow (go on), warn (go on, and tell the user what recovery takes), escalate (ask a person first), block (do not run it). Nothing is executed.",
        fields: &[COMMAND, CWD, ACTOR, ENVIRONMENT, DETAIL],
        output: result::report_schema,
        effect: Effect::Looks,
        run: shell,
    },
    Tool {
        name: "recourse_evaluate_terraform",
        title: "Evaluate a Terraform plan",
        description: "Call this BEFORE `terraform apply` or `tofu apply`. Tells for each resource that is deleted, replaced or changed whether its data could be got back, what depends on it, and which changes are fatal together. riskAssessment: allow, warn, escalate or block. Nothing is applied.",
        fields: &[
            required("plan", Kind::Document, "Output of `terraform show -json PLANFILE`."),
            optional(
                "state",
                Kind::Document,
                "Output of `terraform show -json`, for what the plan does not say.",
            ),
            optional(
                "classifier",
                Kind::Flag,
                "Default true. False: resource types without a rule need a person's review.",
            ),
            ACTOR,
            ENVIRONMENT,
            CWD,
            DETAIL,
        ],
        output: result::report_schema,
        effect: Effect::Looks,
        run: terraform,
    },
    Tool {
        name: "recourse_evaluate_mcp_call",
        title: "Evaluate another MCP tool call",
        description: "Call this BEFORE calling a tool of another MCP server that changes something: files, repositories, databases, clouds, clusters, payments, messages. riskAssessment: allow, warn, escalate or block. The other tool is not called.",
        fields: &[
            required("tool", Kind::Text, "The tool's name, for example \"s3.delete_bucket\"."),
            optional("server", Kind::Text, "The server's name, for example \"aws\"."),
            optional("arguments", Kind::Object, "The arguments that the tool would get."),
            optional(
                "description",
                Kind::Text,
                "The tool's description; can only make the verdict stricter.",
            ),
            optional(
                "annotations",
                Kind::Object,
                "The tool's annotations; can only make the verdict stricter.",
            ),
            ACTOR,
            ENVIRONMENT,
            CWD,
            DETAIL,
        ],
        output: result::report_schema,
        effect: Effect::Looks,
        run: call,
    },
    Tool {
        name: "recourse_evaluate_with_evidence",
        title: "Evaluate again, with evidence",
        description: "Call this AFTER an evaluation with verificationSuggestions or missingEvidence: run the suggested read-only command, and give its raw output with the same command, plan or tool call as before. It can lower the risk only if it proves the claim about that very resource; never below warn, and not in production.",
        fields: &[
            optional("command", Kind::Text, "The shell command, as before."),
            optional("plan", Kind::Document, "The Terraform plan, as before."),
            optional("state", Kind::Document, "With a plan."),
            optional("classifier", Kind::Flag, "With a plan."),
            optional("tool", Kind::Text, "The other server's tool, as before."),
            optional("server", Kind::Text, "With a tool."),
            optional("arguments", Kind::Object, "With a tool."),
            optional("description", Kind::Text, "With a tool."),
            optional("annotations", Kind::Object, "With a tool."),
            required("evidence", Kind::Claims, "What was found, each with the raw output that shows it."),
            CWD,
            ACTOR,
            ENVIRONMENT,
            DETAIL,
        ],
        output: result::report_schema,
        effect: Effect::Looks,
        run: with_evidence,
    },
];

/// What is attested of an input.
pub(super) type Attested = Result<Subject, InputError>;

fn shell(tools: &Tools, arguments: &Arguments<'_>) -> Result<String, String> {
    let (input, subject) = command(tools, arguments)?;
    tools.report(input, subject, tools.circumstances(arguments, Supplied::default())?, detail(arguments))
}

fn terraform(tools: &Tools, arguments: &Arguments<'_>) -> Result<String, String> {
    let (input, subject) = plan(tools, arguments)?;
    tools.report(input, subject, tools.circumstances(arguments, Supplied::default())?, detail(arguments))
}

fn call(tools: &Tools, arguments: &Arguments<'_>) -> Result<String, String> {
    let (input, subject) = tool_call(tools, arguments)?;
    tools.report(input, subject, tools.circumstances(arguments, Supplied::default())?, detail(arguments))
}

fn with_evidence(tools: &Tools, arguments: &Arguments<'_>) -> Result<String, String> {
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
    tools.report(input, subject, tools.circumstances(arguments, supplied)?, detail(arguments))
}

pub(super) fn command(tools: &Tools, arguments: &Arguments<'_>) -> Result<(Input, Option<Attested>), String> {
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

pub(super) fn tool_call(
    tools: &Tools,
    arguments: &Arguments<'_>,
) -> Result<(Input, Option<Attested>), String> {
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
            signed: self.proof.is_some(),
            supplied,
            rules_only: arguments.value("classifier") == Some(&Value::Bool(false)),
            ..EvaluationContext::default()
        };
        Ok(Circumstances { context, policy })
    }

    /// Judges.
    pub(super) fn judge(&self, input: Input, at: &Circumstances) -> Result<Evaluation, String> {
        self.judge_in(input, at, (self.world)().as_ref())
    }

    /// Judges in this world.
    pub(super) fn judge_in(
        &self,
        input: Input,
        at: &Circumstances,
        world: &dyn World,
    ) -> Result<Evaluation, String> {
        let done = evaluate(input, &at.context, world, &self.knowledge, &at.policy);
        if done.internal_error {
            return Err("recourse itself failed while judging this; that is a bug worth reporting".to_owned());
        }
        Ok(done)
    }

    /// Notes what was answered, unless it is plainly allowed.
    pub(super) fn noted(
        &self,
        shown: &str,
        done: &Evaluation,
        at: &Circumstances,
        signed: Option<&Attestation>,
    ) {
        let (config, report) = (&self.attestation.record, &done.report);
        if !config.enabled || (is_plain(report) && !config.allowed) {
            return;
        }
        let client = self.client.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Record::from(&Front::Mcp(client))
            .command(shown, &at.context.cwd, &report.secrets)
            .report(report, &at.context)
            .and("session", Some(format!("mcp:{}", self.session)))
            .and("attestationId", signed.map(|one| one.id().to_owned()))
            .note(Event::Evaluated, config::user_places().as_ref(), config);
    }

    /// Judges, signs where that is on, and writes as much of the report as is wanted.
    fn report(
        &self,
        input: Input,
        subject: Option<Attested>,
        at: Circumstances,
        detail: Detail,
    ) -> Result<String, String> {
        let shown = input.shown();
        let done = self.judge(input, &at)?;
        let report = &done.report;
        let unsigned = |error: &dyn std::fmt::Display| format!("the report could not be signed: {error}");
        let signed = match (&self.proof, subject) {
            (Some(proof), Some(subject)) => {
                let subject = subject.map_err(|error| unsigned(&error))?;
                Some(proof.attest(&subject, &at.context, report).map_err(|error| unsigned(&error))?)
            }
            _ => None,
        };
        self.noted(&shown, &done, &at, signed.as_ref().map(|signed| &signed.attestation));
        let written = |error: serde_json::Error| error.to_string();
        match (detail, signed) {
            (Detail::Brief, signed) => {
                let mut brief = report::brief(report, &done.assessments);
                brief.proof = signed.map(|signed| BriefProof {
                    attestation_uri: signed.attestation.uri().to_owned(),
                    signature: signed.attestation.signature().to_owned(),
                });
                result::shown(&brief).map_err(written)
            }
            (Detail::Full, None) => {
                let json = serde_json::to_string(report).map_err(written)?;
                Ok(result::report(&json, report, None))
            }
            (Detail::Full, Some(signed)) => {
                let json = serde_json::to_string(&signed.beside(report)).map_err(written)?;
                Ok(result::report(&json, report, Some(signed.attestation.uri())))
            }
        }
    }
}

/// How much of the report is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Detail {
    Brief,
    Full,
}

fn detail(arguments: &Arguments<'_>) -> Detail {
    match arguments.text("detail") {
        Some("full") => Detail::Full,
        _ => Detail::Brief,
    }
}
