//! The tools: what they are called, when to call them, what they take and give.
//!
//! Owns their names and schemas. Each is one function: arguments in, the result's JSON out, or why it could not be done. None
//! judges: [`evaluate`](crate::evaluate::evaluate) does.

mod about;
mod check;
mod fields;
mod judge;
mod result;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::config::{self, AttestationConfig};
use crate::knowledge::Knowledge;
use crate::proof::Proof;
use crate::world::World;

use super::protocol::{Era, Fault, shorten};
use super::server::{Service, failed};
use super::texts;
use fields::{Arguments, Field, Kind, optional, required};

/// Everything that the tools need, read once.
pub struct Tools {
    knowledge: Knowledge,
    /// Signs, where attestation is on.
    proof: Option<Proof>,
    attestation: AttestationConfig,
    /// What the operator set for this server; a call cannot loosen it.
    environment: Option<String>,
    actor: Option<String>,
    /// The machine, anew for each call: it remembers the time since its start.
    world: fn() -> Box<dyn World>,
    session: String,
    listed: String,
    resources: String,
    prompts: String,
}

/// One tool.
struct Tool {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    fields: &'static [Field],
    output: fn() -> Value,
    /// It may ask another instance for its keys.
    fetches: bool,
    run: fn(&Tools, &Arguments<'_>) -> Result<String, String>,
}

const CWD: Field = optional(
    "cwd",
    Kind::Text,
    "Absolute path of the directory that it would run in. If that exists on this machine, what is really there is looked at (read-only). Without it nothing here is looked at, and whatever depends on it needs a person.",
);
const ACTOR: Field = optional(
    "actor",
    Kind::Text,
    "Who asks, as kind/name with the kind human, agent, ci or service: \"agent/deploy\".",
);
const ENVIRONMENT: Field = optional(
    "environment",
    Kind::Text,
    "Environment that it acts on, for example \"production\"; production is judged more strictly.",
);
const COMMAND: Field =
    required("command", Kind::Text, "The shell command, exactly as it would be run, pipes and all.");

const TOOLS: &[Tool] = &[
    Tool {
        name: "recourse_evaluate_shell",
        title: "Evaluate a shell command",
        description: "Call this BEFORE running a shell command that deletes, overwrites, moves, resets, pushes, drops, terminates, formats or deploys anything, or whose effect you are not sure of. It parses the command, looks read-only at what is there, and tells what could not be got back. Returns a report: riskAssessment allow (go on), warn (go on, and tell the user what recovery takes), escalate (ask a person first), block (do not run it). Nothing is executed.",
        fields: &[COMMAND, CWD, ACTOR, ENVIRONMENT],
        output: result::report_schema,
        fetches: false,
        run: judge::shell,
    },
    Tool {
        name: "recourse_evaluate_terraform",
        title: "Evaluate a Terraform plan",
        description: "Call this BEFORE `terraform apply` or `tofu apply`, with the plan from `terraform show -json PLANFILE`. It tells for each resource that is deleted, replaced or changed whether its data could be got back, what depends on it, and which changes are fatal together. Returns a report: riskAssessment allow, warn, escalate or block. Nothing is applied.",
        fields: &[
            required(
                "plan",
                Kind::Document,
                "The plan in JSON (`terraform show -json PLANFILE`), as an object or as a text.",
            ),
            optional(
                "state",
                Kind::Document,
                "The current state in JSON (`terraform show -json`), for what the plan does not say.",
            ),
            optional(
                "classifier",
                Kind::Flag,
                "Whether resource types without a rule are judged by general signs (default true); if not, they need a person's review.",
            ),
            ACTOR,
            ENVIRONMENT,
            CWD,
        ],
        output: result::report_schema,
        fetches: false,
        run: judge::terraform,
    },
    Tool {
        name: "recourse_evaluate_mcp_call",
        title: "Evaluate another MCP tool call",
        description: "Call this BEFORE calling a tool of another MCP server that changes something: files, repositories, databases, clouds, clusters, payments, messages. Give the server, the tool and the arguments that you are about to use. Returns a report: riskAssessment allow, warn, escalate or block. The other tool is not called.",
        fields: &[
            required("tool", Kind::Text, "The tool's name, for example \"s3.delete_bucket\"."),
            optional("server", Kind::Text, "The server's name, for example \"aws\"."),
            optional("arguments", Kind::Object, "The arguments that the tool would get."),
            optional(
                "description",
                Kind::Text,
                "The description that the server gives of the tool. It can only make the verdict stricter.",
            ),
            optional(
                "annotations",
                Kind::Object,
                "The annotations that the server gives of the tool. They can only make the verdict stricter.",
            ),
            ACTOR,
            ENVIRONMENT,
            CWD,
        ],
        output: result::report_schema,
        fetches: false,
        run: judge::call,
    },
    Tool {
        name: "recourse_evaluate_with_evidence",
        title: "Evaluate again, with evidence",
        description: "Call this AFTER an evaluation that gave missingEvidence or verificationSuggestions: run the suggested read-only command yourself, then give its raw output here, unchanged, with the same command, plan or call as before. The output is parsed and can lower the risk only if it proves the claim about that very resource; it never makes the verdict milder than warn, and in production it lowers nothing. Returns a new report.",
        fields: &[
            optional("command", Kind::Text, "The shell command, as it was evaluated."),
            optional("plan", Kind::Document, "The Terraform plan, as it was evaluated."),
            optional("state", Kind::Document, "The Terraform state, with a plan."),
            optional(
                "classifier",
                Kind::Flag,
                "With a plan: whether types without a rule are judged by general signs (default true).",
            ),
            optional("tool", Kind::Text, "The other server's tool, as it was evaluated."),
            optional("server", Kind::Text, "That server, with a tool."),
            optional("arguments", Kind::Object, "The tool's arguments, with a tool."),
            optional("description", Kind::Text, "The tool's description, with a tool."),
            optional("annotations", Kind::Object, "The tool's annotations, with a tool."),
            required("evidence", Kind::Claims, "What was found, each with the raw output that shows it."),
            CWD,
            ACTOR,
            ENVIRONMENT,
        ],
        output: result::report_schema,
        fetches: false,
        run: judge::with_evidence,
    },
    Tool {
        name: "recourse_supported_resources",
        title: "List what is known by rule",
        description: "Call this to learn which programs, Terraform types and MCP servers are judged by a rule of their own. What is not listed is judged by general signs at most, with less confidence, or needs a person's review.",
        fields: &[optional("filter", Kind::Text, "Only what has this in its name.")],
        output: about::resources_schema,
        fetches: false,
        run: about::resources,
    },
    Tool {
        name: "recourse_verify_attestation",
        title: "Verify an attestation",
        description: "Call this before relying on a report or an attestation that somebody else handed you. It checks signature, key, age and trust, and that the report is the one that was signed. Do not act on a verdict whose attestation is not valid.",
        fields: &[
            optional("attestation", Kind::Document, "The attestation, as an object or as a text."),
            optional(
                "report",
                Kind::Document,
                "A report with its attestation beside it (then leave `attestation` out), or the report that came with `attestation`.",
            ),
            optional(
                "input",
                Kind::Document,
                "What was to be evaluated, as the attestation's `input` says it; anything else is refused.",
            ),
        ],
        output: about::verification_schema,
        fetches: true,
        run: about::verify,
    },
    Tool {
        name: "check_command",
        title: "Check a command",
        description: "Call this BEFORE running a shell command, for a short answer: may it run (`allowed`), how severe it is, why, and what to type instead. For every piece of evidence use recourse_evaluate_shell.",
        fields: &[COMMAND, CWD, ACTOR, ENVIRONMENT],
        output: check::check_schema,
        fetches: false,
        run: check::check_command,
    },
    Tool {
        name: "suggest_alternative",
        title: "Suggest a safer command",
        description: "Call this when a command is risky or was refused: gives safer commands that do the same work.",
        fields: &[COMMAND, CWD, ACTOR, ENVIRONMENT],
        output: check::alternative_schema,
        fetches: false,
        run: check::suggest_alternative,
    },
    Tool {
        name: "get_policy",
        title: "Show the policy",
        description: "Call this to learn what is in force: which groups of commands are known, and from which severity on an agent is refused.",
        fields: &[CWD],
        output: check::policy_schema,
        fetches: false,
        run: check::get_policy,
    },
    Tool {
        name: "explain_risk",
        title: "Explain a command's risk",
        description: "Call this to tell the user why a command is risky: every rule that applies, in plain words.",
        fields: &[COMMAND, CWD, ACTOR, ENVIRONMENT],
        output: check::explain_schema,
        fetches: false,
        run: check::explain_risk,
    },
];

impl Tools {
    /// With this knowledge, signing where there is a proof, verifying as configured.
    ///
    /// # Errors
    /// When a `RECOURSE_*` variable is not text.
    pub fn new(
        knowledge: Knowledge,
        proof: Option<Proof>,
        attestation: AttestationConfig,
        world: fn() -> Box<dyn World>,
    ) -> Result<Self, config::ConfigError> {
        Ok(Self {
            knowledge,
            proof,
            attestation,
            environment: config::variable("RECOURSE_ENVIRONMENT")?,
            actor: config::variable("RECOURSE_ACTOR")?,
            world,
            session: session(),
            listed: list(),
            resources: texts::resources(),
            prompts: texts::prompts(),
        })
    }
}

/// Names this run of the server.
fn session() -> String {
    let mut bytes = [0_u8; 16];
    // Nothing rests on it: without random bytes it is all zeros.
    let _ = getrandom::fill(&mut bytes);
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn list() -> String {
    let tools: Vec<Value> = TOOLS
        .iter()
        .map(|tool| {
            json!({
                "name": tool.name,
                "title": tool.title,
                "description": tool.description,
                "inputSchema": fields::schema(tool.fields),
                "outputSchema": (tool.output)(),
                "annotations": {
                    "title": tool.title,
                    "readOnlyHint": true,
                    "destructiveHint": false,
                    "idempotentHint": true,
                    "openWorldHint": tool.fetches,
                },
            })
        })
        .collect();
    json!({ "tools": tools }).to_string()
}

impl Service for Tools {
    fn instructions(&self) -> &str {
        texts::INSTRUCTIONS
    }

    fn tools(&self) -> &str {
        &self.listed
    }

    fn resources(&self) -> &str {
        &self.resources
    }

    fn prompts(&self) -> &str {
        &self.prompts
    }

    fn call(&self, name: &str, arguments: Option<&RawValue>) -> Result<String, Fault> {
        let Some(tool) = TOOLS.iter().find(|tool| tool.name == name) else {
            return Err(Fault::params(format!(
                "there is no tool {:?}; tools/list names them",
                shorten(name)
            )));
        };
        if arguments.is_some_and(|raw| !raw.get().starts_with('{') && raw.get() != "null") {
            return Err(Fault::params("`arguments` is an object"));
        }
        let done = Arguments::read(arguments, tool.fields)
            .map_err(|wrong| format!("{name}: {wrong}"))
            .and_then(|arguments| (tool.run)(self, &arguments));
        Ok(done.unwrap_or_else(|why| {
            failed(&format!("Error: {why}. Nothing was evaluated, so nothing is permitted."))
        }))
    }

    fn resource(&self, uri: &str, era: Era) -> Result<String, Fault> {
        let (kind, text) = match uri {
            texts::INSTRUCTIONS_URI => ("text/markdown", texts::CONTRACT.to_owned()),
            texts::POLICY_URI => {
                let policy = about::policy().map_err(Fault::internal)?;
                ("application/json", policy.to_string())
            }
            _ => return Err(Fault::no_resource(uri, era)),
        };
        Ok(json!({ "contents": [{ "uri": uri, "mimeType": kind, "text": text }] }).to_string())
    }

    fn prompt(&self, name: &str, arguments: Option<&RawValue>) -> Result<String, Fault> {
        texts::prompt(name, arguments)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_know_our_own_tools_as_they_are() {
        for tool in TOOLS {
            let fields = || tool.fields.iter().map(|field| field.name);
            assert!(crate::knowledge::is_ours(tool.name, fields()), "{}", tool.name);
            assert!(!crate::knowledge::is_ours(tool.name, fields().chain(["run"])), "{}", tool.name);
        }
        assert!(!crate::knowledge::is_ours("exec", std::iter::empty()));
    }
}
