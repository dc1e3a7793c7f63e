//! The tools: what they are called, when to call them, what they take and give.
//!
//! Owns what a tool is and the list of them. A tool is declared beside the function that does its work: arguments in, the
//! result's JSON out, or why it could not be done. To add one, write it into a `TOOLS` below, and its name with what it takes
//! into `[ours]` of `src/knowledge/agents.toml`, so that hooks know it. None judges: [`evaluate`](crate::evaluate::evaluate)
//! does.

mod about;
mod check;
mod coverage;
mod fields;
mod judge;
mod keep;
mod result;
mod undo;

use std::sync::{Mutex, PoisonError};

use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::attest::Places;
use crate::config::{self, AttestationConfig};
use crate::knowledge::Knowledge;
use crate::proof::Proof;
use crate::world::World;

use super::protocol::{Era, Fault, shorten};
use super::server::{Service, failed};
use super::texts;
use fields::{Arguments, Field, Kind, optional, required};

/// All tools, in the order in which clients see them.
const TOOLS: &[&[Tool]] =
    &[judge::TOOLS, coverage::TOOLS, about::TOOLS, check::TOOLS, keep::TOOLS, undo::TOOLS];

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
    /// Where recovery points are; none where this server was started with nothing to be kept.
    places: Option<Places>,
    /// The client's name, once it has said it.
    client: Mutex<Option<String>>,
    instructions: String,
    listed: String,
    resources: String,
    prompts: String,
}

/// One tool.
struct Tool {
    name: &'static str,
    title: &'static str,
    /// When to call it, for the model: every word is paid for in every session.
    description: &'static str,
    fields: &'static [Field],
    /// What its structured content holds to.
    output: fn() -> Value,
    effect: Effect,
    run: fn(&Tools, &Arguments<'_>) -> Result<String, String>,
}

/// What a tool does to the world, as its annotations tell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// Looks at this machine alone.
    Looks,
    /// Looks, and may ask another instance for its keys.
    Fetches,
    /// Looks at what is kept. Only where something may be kept.
    LooksAtKept,
    /// Adds to what is kept, and touches nothing else.
    Keeps,
    /// Changes files; whatever it replaces is kept first, so nothing is destroyed. Without an id each call takes back another
    /// command, so that a second call is not the first again.
    PutsBack,
}

impl Effect {
    /// Of what only reads the protocol asks for no other hints.
    fn annotations(self) -> Value {
        match self {
            Self::Looks | Self::Fetches | Self::LooksAtKept => {
                json!({ "readOnlyHint": true, "openWorldHint": self == Self::Fetches })
            }
            Self::Keeps | Self::PutsBack => json!({
                "readOnlyHint": false, "destructiveHint": false, "idempotentHint": false, "openWorldHint": false,
            }),
        }
    }

    /// Whether it has to do with recovery points.
    fn is_about_kept(self) -> bool {
        matches!(self, Self::LooksAtKept | Self::Keeps | Self::PutsBack)
    }
}

const CWD: Field = optional(
    "cwd",
    Kind::Text,
    "Absolute path of the directory that it would run in. Without it nothing on this machine is looked at.",
);
const ACTOR: Field =
    optional("actor", Kind::Text, "Who asks: human, agent, ci or service, and a name: \"agent/deploy\".");
const ENVIRONMENT: Field = optional(
    "environment",
    Kind::Text,
    "What it acts on, for example \"production\", which is judged more strictly.",
);
const COMMAND: Field = required("command", Kind::Text, "The shell command, exactly as it would be run.");

fn tools() -> impl Iterator<Item = &'static Tool> {
    TOOLS.iter().copied().flatten()
}

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
        let places = keep::places(&attestation);
        Ok(Self {
            knowledge,
            proof,
            attestation,
            environment: config::variable("RECOURSE_ENVIRONMENT")?,
            actor: config::variable("RECOURSE_ACTOR")?,
            world,
            session: session(),
            instructions: if places.is_some() {
                format!("{}{}", texts::INSTRUCTIONS, texts::KEEPING)
            } else {
                texts::INSTRUCTIONS.to_owned()
            },
            listed: list(places.is_some()),
            places,
            client: Mutex::default(),
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

fn list(keeps: bool) -> String {
    let tools: Vec<Value> = tools()
        .filter(|tool| keeps || !tool.effect.is_about_kept())
        .map(|tool| {
            json!({
                "name": tool.name,
                "title": tool.title,
                "description": tool.description,
                "inputSchema": fields::schema(tool.fields),
                "outputSchema": (tool.output)(),
                "annotations": tool.effect.annotations(),
            })
        })
        .collect();
    json!({ "tools": tools }).to_string()
}

impl Service for Tools {
    fn instructions(&self) -> &str {
        &self.instructions
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

    fn met(&self, client: &str) {
        let name: String =
            client.chars().filter(|c| c.is_ascii_alphanumeric() || "-_.".contains(*c)).collect();
        if !name.is_empty() {
            *self.client.lock().unwrap_or_else(PoisonError::into_inner) = Some(shorten(&name));
        }
    }

    fn call(&self, name: &str, arguments: Option<&RawValue>) -> Result<String, Fault> {
        let offered = |tool: &&Tool| self.places.is_some() || !tool.effect.is_about_kept();
        let Some(tool) = tools().filter(offered).find(|tool| tool.name == name) else {
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
        Ok(done.unwrap_or_else(|why| match tool.effect {
            Effect::PutsBack | Effect::LooksAtKept => failed(&format!("Error: {why}.")),
            Effect::Keeps => failed(&format!("Error: {why}. Nothing was kept, so nothing is permitted.")),
            Effect::Looks | Effect::Fetches => {
                failed(&format!("Error: {why}. Nothing was evaluated, so nothing is permitted."))
            }
        }))
    }

    fn resource(&self, uri: &str, era: Era) -> Result<String, Fault> {
        let (kind, text) = match uri {
            texts::INSTRUCTIONS_URI => ("text/markdown", texts::CONTRACT.to_owned()),
            texts::POLICY_URI => {
                let policy = about::policy().map_err(Fault::internal)?;
                ("application/json", policy.to_string())
            }
            texts::SCHEMA_URI => ("application/schema+json", result::schemas()),
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
        for tool in tools() {
            let fields = || tool.fields.iter().map(|field| field.name);
            assert!(crate::knowledge::is_ours(tool.name, fields()), "{}", tool.name);
            assert!(!crate::knowledge::is_ours(tool.name, fields().chain(["run"])), "{}", tool.name);
        }
        assert!(!crate::knowledge::is_ours("exec", std::iter::empty()));
    }
}
