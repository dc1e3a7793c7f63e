//! What is judged, from words of the command line and files.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::attest::document::hex;
use crate::evaluate::Input;
use crate::exec;
use crate::model::{Material, Part};
use crate::shell;
use crate::terraform;
use crate::world::lossy;

use super::output::Failure;
use super::setup::{self, Setup};

/// A plan, with a state where one is named.
pub(super) fn plan_input(plan: &Path, bytes: &[u8], state: Option<&Path>) -> Result<Input, Failure> {
    let named = |path: &Path, error: String| Failure::usage(format!("{}: {error}", path.display()));
    let read = terraform::read(bytes).map_err(|error| named(plan, error.to_string()))?;
    let state = match state {
        None => None,
        Some(path) => {
            let bytes = setup::read_document(path)?;
            let value: serde_json::Value = serde_json::from_slice(&bytes)
                .map_err(|error| named(path, format!("not JSON (line {})", error.line())))?;
            if value.pointer("/format_version").is_none() {
                return Err(named(path, "not a state; make one with `terraform show -json`".to_owned()));
            }
            Some(Arc::new(value))
        }
    };
    Ok(Input::Terraform { plan: Arc::new(read), state })
}

/// The bytes of a plan in JSON; a binary one is shown by the program that made it. And the file that it was read from.
pub(super) fn plan_bytes(plan: &Path, setup: &Setup) -> Result<(Vec<u8>, Option<Material>), Failure> {
    let bytes = setup::read_document(plan)?;
    let path = setup::working_directory(None)?.join(plan);
    let sha256 = Some(hex(&Sha256::digest(&bytes)));
    let file = (plan.as_os_str() != "-").then_some(Material { path, part: Part::Plan, sha256 });
    if !exec::is_binary(&bytes) {
        return Ok((bytes, file));
    }
    if plan.as_os_str() == "-" {
        return Err(Failure::usage("a binary plan cannot be read from standard input; name its file"));
    }
    let here = &setup.context.cwd;
    // The plan's name counts from where we are, as every other file's.
    let name = setup::working_directory(None)?.join(plan);
    let wrong = |what: String| Failure::usage(format!("{}: {what}", plan.display()));
    let shown = exec::show(&name, here, setup::DOCUMENT_LIMIT, &setup.world)
        .map_err(|error| wrong(error.to_string()))?;
    if setup::read_document(plan)? != bytes {
        return Err(wrong("the file changed while it was read".to_owned()));
    }
    Ok((shown, file))
}

/// One word is shell text (`-`: standard input), several are an argument vector.
pub(super) fn shell_input(words: &[OsString]) -> Result<shell::Input, Failure> {
    let [word] = words else {
        return Ok(shell::Input::Argv(words.iter().map(|word| lossy::word(word)).collect()));
    };
    let bytes = if word == "-" { setup::read_text()? } else { word.clone().into_encoded_bytes() };
    match String::from_utf8(bytes) {
        Ok(text) => Ok(shell::Input::Text(text)),
        Err(_) => Err(Failure::usage("the shell text is not valid UTF-8 and cannot be judged")),
    }
}
