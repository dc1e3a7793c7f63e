//! Files that decide how commands are judged: policy layers and the user's own knowledge, found and read strictly.

use std::env;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::knowledge::Knowledge;
use crate::order;
use crate::policy::{LayerKind, Policy, PolicyFile};

use super::ConfigError;

/// Where the machine's policy stands.
const SYSTEM_POLICY: &str = "/etc/recourse/policy.toml";
/// A project's policy, in its directory.
const PROJECT_POLICY: &str = ".recourse.toml";
/// A policy file larger than this is not one.
const POLICY_LIMIT: u64 = 1 << 20;

/// A `RECOURSE_*` variable; one that is not text is an error, an empty one is not set.
pub fn variable(name: &str) -> Result<Option<String>, ConfigError> {
    match env::var(name) {
        Ok(value) if value.is_empty() => Ok(None),
        Ok(value) => Ok(Some(value)),
        Err(env::VarError::NotPresent) => Ok(None),
        Err(env::VarError::NotUnicode(_)) => {
            Err(ConfigError::Value { place: name.to_owned(), what: "is not valid text".to_owned() })
        }
    }
}

/// The policy in force for a directory; for none, when it is empty, what holds everywhere.
pub fn policy(cwd: &Path) -> Result<Policy, ConfigError> {
    let mut layers = Vec::new();
    for (kind, path, required) in policy_files(cwd)? {
        if let Some(file) = read_policy(kind, &path, required)? {
            layers.push(file);
        }
    }
    Ok(Policy::new(layers))
}

/// Places of policy files, whether or not something stands there: layer, path, whether it must exist.
pub fn policy_files(cwd: &Path) -> Result<Vec<(LayerKind, PathBuf, bool)>, ConfigError> {
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
    let mut above: Vec<&Path> = cwd.ancestors().filter(|dir| !dir.as_os_str().is_empty()).collect();
    above.reverse();
    places.extend(above.into_iter().map(|dir| (LayerKind::Project, dir.join(PROJECT_POLICY), false)));
    Ok(places)
}

/// What stands at a path, links followed; `None` when nothing does. A link that leads nowhere is an error: somebody meant a
/// file to be there.
pub(super) fn metadata(path: &Path) -> io::Result<Option<fs::Metadata>> {
    match fs::symlink_metadata(path) {
        Ok(found) if !found.is_symlink() => Ok(Some(found)),
        Ok(_) => fs::metadata(path).map(Some),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// What is wrong with a file of the machine's administrator that others may write to: whoever can may let anything run.
pub(super) fn open_to_others(meta: &fs::Metadata) -> Option<&'static str> {
    let mode = meta.mode();
    let by_group = mode & 0o020 != 0 && meta.gid() != 0;
    (mode & 0o002 != 0 || by_group).then_some("others may write to it; `chmod 644` it")
}

/// Reads one policy file; `None` when there is none and none is required.
pub fn read_policy(kind: LayerKind, path: &Path, required: bool) -> Result<Option<PolicyFile>, ConfigError> {
    let name = path.display().to_string();
    let wrong =
        |what: &str| ConfigError::Judging(format!("{name}: {what}; nothing is judged with a broken policy"));
    let meta = match metadata(path) {
        Ok(Some(meta)) => meta,
        Ok(None) if !required => return Ok(None),
        Ok(None) => return Err(wrong("there is no such file")),
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
    if let Some(what) = open_to_others(&meta).filter(|_| kind == LayerKind::System) {
        return Err(wrong(what));
    }
    if meta.len() > POLICY_LIMIT {
        return Err(wrong("larger than a policy can be"));
    }
    let text = fs::read_to_string(path).map_err(|error| wrong(&error.to_string()))?;
    let directory = path.parent().filter(|_| kind == LayerKind::Project).map(|dir| dir.display().to_string());
    PolicyFile::parse(kind, &name, directory.as_deref(), &text)
        .map(Some)
        .map_err(|error| ConfigError::Judging(format!("{error}; nothing is judged with a broken policy")))
}

/// What is known of tools: built in, and the user's own files in `recourse/knowledge/`.
pub fn knowledge() -> Result<Knowledge, ConfigError> {
    let mut texts = Vec::new();
    for path in knowledge_files()? {
        let text = fs::read_to_string(&path).map_err(|error| broken(&path, &error))?;
        texts.push((path.display().to_string(), text));
    }
    if texts.is_empty() {
        return Ok(Knowledge::builtin());
    }
    Knowledge::with_overlay(&texts).map_err(|error| {
        ConfigError::Judging(format!(
            "{error}; nothing is judged with broken knowledge (`recourse knowledge check` shows all of it)"
        ))
    })
}

/// The user's own knowledge files, sorted.
pub fn knowledge_files() -> Result<Vec<PathBuf>, ConfigError> {
    let Some(directory) = dirs::config_dir().map(|dir| dir.join("recourse/knowledge")) else {
        return Ok(Vec::new());
    };
    let entries = match fs::read_dir(&directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(broken(&directory, &error)),
    };
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| broken(&directory, &error))?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            paths.push(path);
        }
    }
    order::sort(&mut paths);
    Ok(paths)
}

fn broken(path: &Path, what: &dyn std::fmt::Display) -> ConfigError {
    ConfigError::Judging(format!("{}: {what}; nothing is judged with broken knowledge", path.display()))
}
