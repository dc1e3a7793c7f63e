//! `evaluate mcp`: a tool call from options.

use std::path::Path;

use serde_json::Value;

use crate::evaluate::{Input, evaluate};
use crate::mcp_call::McpCall;
use crate::proof::Subject;

use super::common::{Common, Threshold};
use super::finish::{Form, Signing, finish};
use super::output::Failure;
use super::setup::{self, Setup};
use super::status;

#[derive(Debug, clap::Args)]
pub(super) struct McpArgs {
    #[command(flatten)]
    pub(super) common: Common,
    #[command(flatten)]
    pub(super) threshold: Threshold,
    #[command(flatten)]
    pub(super) call: McpCallArgs,
}

/// A tool call.
#[derive(Debug, clap::Args)]
pub(super) struct McpCallArgs {
    /// The server, as the client names it
    #[arg(long, value_name = "NAME")]
    pub(super) server: Option<String>,
    /// The tool
    #[arg(long, value_name = "NAME", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(super) tool: String,
    /// The arguments, a JSON object; `-` reads standard input, `@FILE` a file
    #[arg(long, value_name = "JSON|-|@FILE")]
    pub(super) arguments: Option<String>,
    /// The description that the server gives of the tool
    #[arg(long, value_name = "TEXT")]
    pub(super) description: Option<String>,
    /// The annotations that the server gives, a JSON object
    #[arg(long, value_name = "JSON")]
    pub(super) annotations: Option<String>,
}

/// Arguments from standard input or a file, at most.
const ARGUMENTS_LIMIT: u64 = 16 << 20;

pub(super) fn evaluate_call(args: &McpArgs) -> Result<u8, Failure> {
    let setup = Setup::new(&args.common)?;
    let given = &args.call;
    let mut call = call(given.server.as_deref(), &given.tool, given.arguments.as_deref())?;
    if let Some(description) = &given.description {
        call = call.described(description);
    }
    if let Some(annotations) = &given.annotations {
        call =
            call.annotated(json("--annotations", annotations.as_bytes())?).map_err(|error| usage(&error))?;
    }
    let signing = Signing::new(args.threshold.attest)?;
    let subject = signing.as_ref().map(|_| Ok(Subject::mcp(&call)));
    let done = evaluate(Input::Mcp(call), &setup.context, &setup.world, &setup.knowledge, &setup.policy);
    let form = Form { text: None, file: None, threshold: args.threshold };
    finish(&done, &form, signing, subject, &setup.context)?;
    Ok(if done.internal_error { status::INTERNAL } else { args.threshold.fail_on.status(done.verdict()) })
}

/// A call with arguments as the command line gives them.
pub(super) fn call(server: Option<&str>, tool: &str, arguments: Option<&str>) -> Result<McpCall, Failure> {
    let arguments = match arguments {
        None => None,
        Some("-") => Some(json("standard input", &setup::read_input(Path::new("-"), ARGUMENTS_LIMIT)?)?),
        Some(text) => match text.strip_prefix('@') {
            Some(file) => Some(json(file, &setup::read_input(Path::new(file), ARGUMENTS_LIMIT)?)?),
            None => Some(json("--arguments", text.as_bytes())?),
        },
    };
    McpCall::new(server, tool, arguments).map_err(|error| usage(&error))
}

fn usage(error: &dyn std::fmt::Display) -> Failure {
    Failure::usage(error.to_string())
}

/// JSON, or an error without the text itself, which may hold secrets.
fn json(place: &str, bytes: &[u8]) -> Result<Value, Failure> {
    serde_json::from_slice(bytes).map_err(|error| {
        Failure::usage(format!("{place}: not JSON at line {}, column {}", error.line(), error.column()))
    })
}
