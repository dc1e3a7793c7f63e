//! Files as this command would find them: the machine's, with what the command did so far laid over.

use std::path::{Component, Path, PathBuf};

use crate::model::Value;
use crate::world::{Entry, FileKind, LookError};

use super::files::FileState;
use super::interp::Interp;
use super::state::State;

impl Interp<'_> {
    /// `.` and `..` taken out without looking.
    pub(super) fn lexical(&self, path: &Path) -> PathBuf {
        lexical(path)
    }

    /// Whether something stands at this absolute path; `None` when it cannot be told.
    pub(super) fn exists(&self, state: &State, path: &Path) -> Option<bool> {
        match self.locate(state, path, 0) {
            Place::Gone => Some(false),
            Place::Made { .. } => Some(true),
            Place::On(path) => found(self.world.stat(&path).map(|_| true)),
            Place::Unknown => None,
        }
    }

    /// Whether a directory stands there.
    pub(super) fn is_directory(&self, state: &State, path: &Path) -> Option<bool> {
        self.is_kind(state, path, FileKind::Directory)
    }

    /// Whether this kind of thing stands there, links followed.
    pub(super) fn is_kind(&self, state: &State, path: &Path, kind: FileKind) -> Option<bool> {
        match self.locate(state, path, 0) {
            Place::Gone => Some(false),
            Place::Made { directory, .. } => {
                Some(if directory { kind == FileKind::Directory } else { kind == FileKind::File })
            }
            Place::On(path) => found(self.world.stat(&path).map(|meta| meta.kind == kind)),
            Place::Unknown => None,
        }
    }

    /// What `stat` says of a path of before this command; `None` when the command changed it.
    pub(super) fn untouched(&self, state: &State, path: &Path) -> Option<PathBuf> {
        match self.locate(state, path, 0) {
            Place::On(real) if real == path => Some(real),
            _ => None,
        }
    }

    /// Content of a text file; `None` when it is missing, too large, not text or not known.
    pub(super) fn read_text(&self, state: &State, path: &Path, limit: u64) -> Option<String> {
        match self.locate(state, path, 0) {
            Place::Made { content, .. } => content,
            Place::On(path) => {
                let bytes = self.world.read_file(&path, limit).ok()?;
                String::from_utf8(bytes).ok()
            }
            Place::Gone | Place::Unknown => None,
        }
    }

    /// Entries of a directory; `None` when they cannot be listed (too many, or not known).
    pub(super) fn list(&self, state: &State, path: &Path, limit: usize) -> Option<Vec<Entry>> {
        let path = state.files.through(&lexical(path), true);
        let mut entries = match self.locate(state, &path, 0) {
            Place::Gone => return Some(Vec::new()),
            Place::Made { .. } => Vec::new(),
            Place::On(real) => match self.world.read_dir(&real, limit) {
                Ok(entries) => entries,
                // What may not be listed now may be by then: after `chmod`, or with another user's rights.
                Err(LookError::NotFound | LookError::Loop) => Vec::new(),
                Err(_) => return None,
            },
            Place::Unknown => return None,
        };
        for (known, file) in state.files.below(&path) {
            let Ok(rest) = known.strip_prefix(&path) else { continue };
            let Some(Component::Normal(name)) = rest.components().next() else { continue };
            let name = name.to_string_lossy().into_owned();
            let direct = rest.components().count() == 1;
            match file {
                FileState::Gone if direct => entries.retain(|entry| entry.name != name),
                FileState::Gone => {}
                _ if entries.iter().any(|entry| entry.name == name) => {}
                _ => {
                    let directory = !direct || self.is_directory(state, known) != Some(false);
                    let kind = if directory { FileKind::Directory } else { FileKind::File };
                    entries.push(Entry { name, exact: true, kind });
                }
            }
        }
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Some(entries)
    }

    fn locate(&self, state: &State, path: &Path, depth: usize) -> Place {
        if depth > 8 {
            return Place::Unknown;
        }
        let path = state.files.through(&lexical(path), true);
        let Some((at, file)) = state.files.nearest(&path) else { return Place::On(path) };
        let rest = path.strip_prefix(at).unwrap_or(Path::new("")).to_path_buf();
        let below = !rest.as_os_str().is_empty();
        match file {
            FileState::Gone => Place::Gone,
            FileState::Created { content, directory } => {
                if !below {
                    return Place::Made { content: content.clone(), directory: *directory };
                }
                // A directory that was made here, or one that was there already.
                if *directory { Place::On(path) } else { Place::Gone }
            }
            FileState::MovedFrom(origin) | FileState::CopiedFrom(origin) => {
                let origin = if below { origin.join(&rest) } else { origin.clone() };
                match file {
                    // What was moved is gone from where it was: look at the machine as it was.
                    FileState::MovedFrom(_) => Place::On(lexical(&origin)),
                    _ if state.files.get(&origin) == Some(&FileState::Gone) => Place::On(lexical(&origin)),
                    _ if origin.starts_with(at) => Place::Unknown,
                    _ => self.locate(state, &origin, depth + 1),
                }
            }
        }
    }

    /// The absolute path that a word names, when it and the directory are known.
    pub(super) fn absolute(&self, state: &State, value: &Value) -> Option<PathBuf> {
        let text = value.as_known()?;
        if text.is_empty() {
            return None;
        }
        if text.starts_with('/') {
            return Some(lexical(Path::new(text)));
        }
        Some(lexical(&state.only_cwd()?.join(text)))
    }
}

enum Place {
    Gone,
    Made { content: Option<String>, directory: bool },
    On(PathBuf),
    Unknown,
}

fn found(result: Result<bool, LookError>) -> Option<bool> {
    match result {
        Ok(answer) => Some(answer),
        Err(LookError::NotFound) => Some(false),
        Err(_) => None,
    }
}

/// `.` and `..` taken out without looking.
pub(super) fn lexical(path: &Path) -> PathBuf {
    let bytes = path.as_os_str().as_encoded_bytes();
    let mut parts = bytes.split(|byte| *byte == b'/');
    if parts.next() == Some(b"") && parts.all(|part| !matches!(part, b"" | b"." | b"..")) {
        return path.to_owned();
    }
    let mut result = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                result.pop();
            }
            other => result.push(other.as_os_str()),
        }
    }
    result
}
