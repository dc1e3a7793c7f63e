//! What a judging command needs: the machine, the policy layers, the circumstances.

use std::env;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::attest::Places;
use crate::config::{self, variable};
use crate::evaluate::{EvaluationContext, Supplied};
use crate::knowledge::Knowledge;
use crate::model::Actor;
use crate::policy::{Policy, Profile};
use crate::proof::ProofError;
use crate::world::RealWorld;

use super::common::Common;
use super::output::Failure;

/// Shell text and evidence from standard input or files, at most.
const TEXT_LIMIT: u64 = 16 << 20;
/// A plan of ten thousand resources is some 50 MB.
pub(super) const DOCUMENT_LIMIT: u64 = 1 << 30;

/// Everything that judging needs.
#[derive(Debug)]
pub(super) struct Setup {
    pub(super) world: RealWorld,
    pub(super) knowledge: Knowledge,
    pub(super) policy: Policy,
    pub(super) context: EvaluationContext,
}

impl Setup {
    /// Reads circumstances from options and environment, and the policy files.
    pub(super) fn new(common: &Common) -> Result<Self, Failure> {
        let world = RealWorld::new();
        let cwd = working_directory(common.cwd.as_deref())?;
        let policy = policy(&cwd)?;
        let knowledge = knowledge()?;
        let profile = match &common.profile {
            Some(profile) => Some(*profile),
            None => variable("RECOURSE_PROFILE")?
                .map(|text| text.parse::<Profile>())
                .transpose()
                .map_err(|error| Failure::usage(format!("RECOURSE_PROFILE: {error}")))?,
        };
        let environment = common.environment.clone().or(variable("RECOURSE_ENVIRONMENT")?);
        let actor = common.actor.clone().or(variable("RECOURSE_ACTOR")?);
        let supplied = match &common.evidence {
            Some(path) => Supplied::parse(&read_input(path, TEXT_LIMIT)?)
                .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?,
            None => Supplied::default(),
        };
        let actor = actor.map(|id| Actor::parse(&id));
        let context = EvaluationContext {
            cwd,
            audience: common.audience.clone(),
            environment,
            actor,
            profile,
            anywhere: false,
            supplied,
            session: None,
            rules_only: false,
            ..EvaluationContext::default()
        };
        Ok(Self { world, knowledge, policy, context })
    }
}

/// The working directory. One that was removed is where the system says that it stood: nothing is in it, and `..` leads out. What
/// the environment says of it counts for nothing: anybody can set that.
fn here() -> std::io::Result<PathBuf> {
    env::current_dir().or_else(|error| match error.kind() {
        std::io::ErrorKind::NotFound => stood(&fs::read_link("/proc/self/cwd")?).ok_or(error),
        _ => Err(error),
    })
}

/// The place in what Linux says of a directory that was removed: proc(5), `/proc/PID/cwd`.
fn stood(link: &Path) -> Option<PathBuf> {
    let place = link.to_str()?.strip_suffix(" (deleted)")?;
    Some(PathBuf::from(place)).filter(|place| place.is_absolute())
}

/// The directory that a command would run in, absolute.
pub(super) fn working_directory(given: Option<&Path>) -> Result<PathBuf, Failure> {
    let here = here();
    let directory = match (given, here) {
        (Some(given), Ok(here)) => here.join(given),
        (Some(given), Err(_)) if given.is_absolute() => given.to_path_buf(),
        (None, Ok(here)) => here,
        (_, Err(error)) => {
            return Err(Failure::usage(format!("the current directory cannot be told: {error}")));
        }
    };
    if given.is_some() && !directory.is_dir() {
        return Err(Failure::usage(format!("--cwd {}: not a directory", directory.display())));
    }
    Ok(directory)
}

/// Where the operator's keys, attestations and logs stand.
pub(super) fn places() -> Result<Places, Failure> {
    config::user_places().ok_or_else(|| Failure::usage(ProofError::NoHome.to_string()))
}

/// The policy in force for a directory.
pub(super) fn policy(cwd: &Path) -> Result<Policy, Failure> {
    Ok(config::policy(cwd)?)
}

/// What is known of tools: built in, and the user's own files.
pub(super) fn knowledge() -> Result<Knowledge, Failure> {
    Ok(config::knowledge()?)
}

/// Reads a file, or standard input for `-`, within a limit.
pub(super) fn read_input(path: &Path, limit: u64) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let name = path.display();
    let read = if path.as_os_str() == "-" {
        io::stdin().lock().take(limit + 1).read_to_end(&mut bytes)
    } else {
        fs::File::open(path).and_then(|file| file.take(limit + 1).read_to_end(&mut bytes))
    };
    read.map_err(|error| Failure::usage(format!("{name}: {error}")))?;
    if bytes.len() as u64 > limit {
        return Err(Failure::usage(format!("{name}: larger than {}", crate::text::size(limit))));
    }
    Ok(bytes)
}

/// A Terraform document: a file, or standard input for `-`.
pub(super) fn read_document(path: &Path) -> Result<Vec<u8>, Failure> {
    read_input(path, DOCUMENT_LIMIT)
}

/// Shell text from standard input.
pub(super) fn read_text() -> Result<Vec<u8>, Failure> {
    read_input(Path::new("-"), TEXT_LIMIT)
}

/// A secret in a file of its own that nobody else can read, without its line end.
pub(super) fn read_secret(path: &Path) -> Result<String, Failure> {
    let wrong = |what: String| Failure::usage(format!("{}: {what}", path.display()));
    let bytes = crate::attest::disk::read_private(path, 4096)
        .map_err(|error| wrong(error.to_string()))?
        .ok_or_else(|| wrong("there is no such file".to_owned()))?;
    let text = String::from_utf8(bytes).map_err(|_| wrong("not valid text".to_owned()))?;
    let secret = text.trim_end_matches(['\r', '\n']);
    if secret.is_empty() {
        return Err(wrong("it is empty".to_owned()));
    }
    Ok(secret.to_owned())
}
