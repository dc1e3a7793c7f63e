//! What a judging command needs: the machine, the policy layers, the circumstances.

use std::env;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::attest::Places;
use crate::evaluate::{EvaluationContext, Supplied};
use crate::knowledge::Knowledge;
use crate::model::Actor;
use crate::policy::{LayerKind, Policy, PolicyFile, Profile};
use crate::world::RealWorld;

use super::args::Common;
use super::output::Failure;

/// Where the machine's policy stands.
const SYSTEM_POLICY: &str = "/etc/recourse/policy.toml";
/// A project's policy, in its directory.
const PROJECT_POLICY: &str = ".recourse.toml";
/// A policy file larger than this is not one.
const POLICY_LIMIT: u64 = 1 << 20;
/// Shell text and evidence from standard input or files, at most.
const TEXT_LIMIT: u64 = 16 << 20;
/// A plan of ten thousand resources is some 50 MB.
const DOCUMENT_LIMIT: u64 = 1 << 30;

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
        let context = EvaluationContext { cwd, environment, actor, profile, supplied };
        Ok(Self { world, knowledge, policy, context })
    }
}

/// A `RECOURSE_*` variable; one that is not text is an error, an empty one is not set.
pub(super) fn variable(name: &str) -> Result<Option<String>, Failure> {
    match env::var(name) {
        Ok(value) if value.is_empty() => Ok(None),
        Ok(value) => Ok(Some(value)),
        Err(env::VarError::NotPresent) => Ok(None),
        Err(env::VarError::NotUnicode(_)) => Err(Failure::usage(format!("{name} is not valid text"))),
    }
}

/// Where the operator's keys, attestations and logs stand.
pub(super) fn places() -> Result<Places, Failure> {
    let missing = || Failure::usage("there is no home directory to keep keys and attestations in: set HOME");
    // Where a system has no folder for state, it belongs to the data.
    let state = dirs::state_dir().or_else(dirs::data_local_dir);
    Ok(Places {
        data: dirs::data_dir().ok_or_else(missing)?.join("recourse"),
        state: state.ok_or_else(missing)?.join("recourse"),
        cache: dirs::cache_dir().ok_or_else(missing)?.join("recourse"),
    })
}

/// The directory that a command would run in, absolute.
pub(super) fn working_directory(given: Option<&Path>) -> Result<PathBuf, Failure> {
    let here = env::current_dir();
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

/// The policy in force for a directory.
pub(super) fn policy(cwd: &Path) -> Result<Policy, Failure> {
    let mut layers = Vec::new();
    for (kind, path, required) in policy_files(cwd)? {
        if let Some(file) = read_policy(kind, &path, required)? {
            layers.push(file);
        }
    }
    Ok(Policy::new(layers))
}

/// Places of policy files, whether or not something stands there: layer, path, whether it must exist.
pub(super) fn policy_files(cwd: &Path) -> Result<Vec<(LayerKind, PathBuf, bool)>, Failure> {
    let mut places = vec![(LayerKind::System, PathBuf::from(SYSTEM_POLICY), false)];
    match variable("RECOURSE_POLICY")? {
        Some(path) => places.push((LayerKind::User, PathBuf::from(path), true)),
        None => {
            if let Some(directory) = dirs::config_dir() {
                places.push((LayerKind::User, directory.join("recourse/policy.toml"), false));
            }
        }
    }
    // All of them, outermost first: an inner directory must not hide what an outer one forbids.
    let mut above: Vec<&Path> = cwd.ancestors().collect();
    above.reverse();
    places.extend(above.into_iter().map(|dir| (LayerKind::Project, dir.join(PROJECT_POLICY), false)));
    Ok(places)
}

/// Reads one policy file; `None` when there is none and none is required.
pub(super) fn read_policy(
    kind: LayerKind,
    path: &Path,
    required: bool,
) -> Result<Option<PolicyFile>, Failure> {
    let name = path.display().to_string();
    let wrong =
        |what: &str| Failure::usage(format!("{name}: {what}; nothing is judged with a broken policy"));
    let meta = match fs::metadata(path) {
        Ok(meta) => meta,
        Err(error)
            if !required
                && matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
                && fs::symlink_metadata(path).is_err() =>
        {
            return Ok(None);
        }
        // A directory above that may not be entered hides no policy that anybody could have meant for us.
        Err(error)
            if !required && error.kind() == io::ErrorKind::PermissionDenied && kind == LayerKind::User =>
        {
            return Err(wrong("may not be read"));
        }
        Err(error) => return Err(wrong(&error.to_string())),
    };
    if !meta.is_file() {
        return Err(wrong("not a regular file"));
    }
    if meta.len() > POLICY_LIMIT {
        return Err(wrong("larger than a policy can be"));
    }
    let text = fs::read_to_string(path).map_err(|error| wrong(&error.to_string()))?;
    let directory = path.parent().filter(|_| kind == LayerKind::Project).map(|dir| dir.display().to_string());
    PolicyFile::parse(kind, &name, directory.as_deref(), &text)
        .map(Some)
        .map_err(|error| Failure::usage(format!("{error}; nothing is judged with a broken policy")))
}

/// What is known of tools: built in, and the user's own files in `recourse/knowledge/`.
pub(super) fn knowledge() -> Result<Knowledge, Failure> {
    let Some(directory) = dirs::config_dir().map(|dir| dir.join("recourse/knowledge")) else {
        return Ok(Knowledge::builtin());
    };
    let wrong = |path: &Path, what: &dyn std::fmt::Display| {
        Failure::usage(format!("{}: {what}; nothing is judged with broken knowledge", path.display()))
    };
    let entries = match fs::read_dir(&directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Knowledge::builtin()),
        Err(error) => return Err(wrong(&directory, &error)),
    };
    let mut texts = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| wrong(&directory, &error))?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            let text = fs::read_to_string(&path).map_err(|error| wrong(&path, &error))?;
            texts.push((path.display().to_string(), text));
        }
    }
    texts.sort();
    Knowledge::with_overlay(&texts)
        .map_err(|error| Failure::usage(format!("{error}; nothing is judged with broken knowledge")))
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
        return Err(Failure::usage(format!("{name}: larger than {}", crate::report::size(limit))));
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
