//! `mkdir`: whether it makes what it is told to.

use std::path::{Path, PathBuf};

use crate::model::Value;
use crate::shell::program::{Call, Shell, State, Status};

/// Whether all the directories that are named are there afterwards, and it does not complain.
pub(super) fn made(shell: &Shell<'_>, state: &State, call: &Call) -> Status {
    let Some(texts) = call.texts() else { return Status::Unknown };
    let parents = texts
        .iter()
        .any(|t| *t == "--parents" || (t.starts_with('-') && !t.starts_with("--") && t.contains('p')));
    let mut all = Status::True;
    for name in texts.iter().filter(|t| !t.starts_with('-')) {
        let Some(path) = shell.absolute(state, &Value::known(*name)) else {
            return Status::Unknown;
        };
        let above = path.parent().unwrap_or(&path);
        let one = match (shell.exists(state, &path), parents) {
            (Some(true), true) if shell.is_directory(state, &path) == Some(true) => Status::True,
            (Some(true), _) => Status::False,
            (Some(false), true) if shell.world.writable(nearest(shell, state, &path).as_path()) => {
                Status::True
            }
            (Some(false), false)
                if shell.is_directory(state, above) == Some(true)
                    && (shell.untouched(state, above).is_none() || shell.world.writable(above)) =>
            {
                Status::True
            }
            (Some(false), false) if shell.exists(state, above) == Some(false) => Status::False,
            _ => Status::Unknown,
        };
        if one == Status::False {
            return Status::False;
        }
        all = if one == Status::True { all } else { Status::Unknown };
    }
    all
}

/// The nearest directory above that exists.
fn nearest(interp: &Shell<'_>, state: &State, path: &Path) -> PathBuf {
    path.ancestors()
        .find(|dir| interp.is_directory(state, dir) == Some(true))
        .map_or_else(|| PathBuf::from("/"), Path::to_path_buf)
}
