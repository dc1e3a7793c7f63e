//! Files as this command would find them: the machine's, with what the command did so far laid over.

use std::path::{Component, Path, PathBuf};

use crate::model::{Part, Value};
use crate::order;
use crate::world::resolve::{Disk, physical, resolve};
use crate::world::{Entry, FileKind, LookError};

use super::builtins::is_builtin;
use super::files::FileState;
use super::interp::Shell;
use super::names::{of_a_process, places};
use super::rewritten::Now;
use super::state::State;
use super::step::Stdin;

/// What divides the commands of a line.
const SEPARATORS: [char; 4] = [';', '|', '&', '\n'];

/// Words of the shell behind which a command stands.
const KEYWORDS: [&str; 9] = ["if", "then", "else", "elif", "while", "until", "do", "function", "coproc"];

impl Shell<'_> {
    /// The directories that a value names from here, as the kernel finds them; empty when unknown.
    pub(crate) fn directories(&self, state: &State, value: &Value) -> Vec<PathBuf> {
        let all = joined(state, value);
        all.iter().map(|dir| self.resolved(state, dir)).collect::<Option<_>>().unwrap_or_default()
    }

    /// Where the kernel goes with an absolute path; `None` when what stands before a `..` cannot be told.
    pub(crate) fn resolved(&self, state: &State, path: &Path) -> Option<PathBuf> {
        let disk = Disk(self.world);
        if state.scope.host.is_some() {
            return resolve(path, &state.files.over(&disk));
        }
        let mut all = places((&state.names, &state.files), &state.cwd, path, &state.files.over(&disk))?;
        let one = all.pop();
        one.filter(|_| all.is_empty())
    }

    /// The paths that a name of a process means (`/proc/self/cwd`), which mean the same whoever uses them then.
    pub(crate) fn led(&self, state: &State, path: &Path) -> Option<Vec<PathBuf>> {
        if state.scope.host.is_some() {
            return Some(vec![path.to_owned()]);
        }
        let all = state.names.led(path, &state.cwd, &state.files.over(&Disk(self.world)))?;
        // What was opened goes on to be what it was under another name.
        let left = |place: &PathBuf| {
            place != path && matches!(state.files.nearest(place), Some((_, FileState::Gone)))
        };
        (!all.iter().any(left)).then_some(all)
    }

    /// The same with every link followed: where a program finds itself that runs there.
    pub(crate) fn physical(&self, state: &State, path: &Path) -> Option<PathBuf> {
        physical(&self.resolved(state, path)?, &state.files.over(&Disk(self.world)), true)
    }

    /// The name under which a path is recorded, its own links that this command made followed; `None` when they lead
    /// to a place that is not known.
    fn key(&self, state: &State, path: &Path) -> Option<PathBuf> {
        let path = self.resolved(state, path)?;
        if state.files.is_untouched() {
            return Some(path);
        }
        state.files.through(&state.files.key(&path, &Disk(self.world)), true)
    }

    /// Whether something stands at this absolute path; `None` when it cannot be told.
    pub(crate) fn exists(&self, state: &State, path: &Path) -> Option<bool> {
        match self.locate(state, path, 0) {
            Place::Gone => Some(false),
            Place::Made { .. } => Some(true),
            Place::On(path) => found(self.world.stat(&path).map(|_| true)),
            Place::Unknown => None,
        }
    }

    /// What of a command of somebody's own settings is followed: all but programs by a plain name that nothing is known of, which
    /// that person installed and set up.
    pub(crate) fn own_command(&self, command: &str) -> Option<String> {
        let installed = |part: &str| {
            let first = part.split_whitespace().next().unwrap_or_default();
            let name = first.trim_matches(['"', '\'']);
            let name = if name.starts_with('/') { name.rsplit('/').next().unwrap_or(name) } else { name };
            let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '+');
            !name.is_empty()
                && name.chars().all(plain)
                && !name.starts_with('.')
                && !is_builtin(name)
                && !KEYWORDS.contains(&name)
                && self.knowledge.tool(name).is_none()
        };
        // What is quoted or put in may hold a separator that is none.
        if command.contains(['$', '`', '<', '>', '(', '{', '\\'])
            || command.contains(['"', '\'']) && command.contains(SEPARATORS)
        {
            return Some(command.to_owned());
        }
        let parts: Vec<&str> = command.split_inclusive(SEPARATORS).collect();
        let ends = |part: &str| part.trim_end_matches(SEPARATORS).len();
        let followed = parts.iter().map(|part| {
            let (plain, end) = part.split_at(ends(part));
            if installed(plain) { format!(" : {end}") } else { (*part).to_owned() }
        });
        parts.iter().any(|part| !installed(&part[..ends(part)])).then(|| followed.collect())
    }

    /// Whether a directory stands there.
    pub(crate) fn is_directory(&self, state: &State, path: &Path) -> Option<bool> {
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
    pub(crate) fn untouched(&self, state: &State, path: &Path) -> Option<PathBuf> {
        match self.locate(state, path, 0) {
            Place::On(real) if self.key(state, path).is_some_and(|key| key == real) => Some(real),
            _ => None,
        }
    }

    /// Content of a text file that is followed; `None` when it is missing, too large, not text or not known.
    pub(crate) fn read_text(&self, state: &State, path: &Path, limit: u64) -> Option<String> {
        self.text_as(state, path, limit, Part::Script)
    }

    /// The same of a file that holds no commands.
    pub(crate) fn read_data(&self, state: &State, path: &Path, limit: u64) -> Option<String> {
        self.text_as(state, path, limit, Part::Data)
    }

    fn text_as(&self, state: &State, path: &Path, limit: u64, part: Part) -> Option<String> {
        match self.located_text(state, path, 0) {
            Place::Made { content, .. } => content,
            Place::On(path) => match self.world.follow(&path, limit, part) {
                Ok(text) => Some(text),
                Err(why) => {
                    // It runs although nobody read it.
                    if part == Part::Script && why != LookError::NotFound {
                        self.world.starts(&path);
                    }
                    None
                }
            },
            Place::Gone | Place::Unknown => None,
        }
    }

    /// Settings that a program reads first, as they stand there by then; who may read those that lie beside keys reads them.
    ///
    /// # Errors
    /// Why what stands there is not known.
    pub(in crate::shell) fn read_settings(
        &self,
        state: &State,
        path: &Path,
        limit: u64,
    ) -> Result<String, LookError> {
        match self.located_text(state, path, 0) {
            Place::Made { content, .. } => {
                content.ok_or_else(|| LookError::Other("this command writes it".to_owned()))
            }
            Place::On(path) => self
                .world
                .follow(&path, limit, Part::Script)
                .or_else(|_| self.world.read_settings(&path, limit)),
            Place::Gone => Err(LookError::NotFound),
            Place::Unknown => Err(LookError::Other("what stands there is not known".to_owned())),
        }
    }

    /// A file of before this command is run without having been read.
    pub(super) fn runs_unread(&self, state: &State, path: &Path) {
        if let Place::On(path) = self.located_text(state, path, 0) {
            self.world.starts(&path);
        }
    }

    /// Where the text of a file is found that this command may have changed or laid out.
    fn located_text(&self, state: &State, path: &Path, depth: usize) -> Place {
        if let Some(input) = self.descriptor_at(state, path) {
            return self.opened_text(state, &input);
        }
        let Some(key) = self.key(state, path) else { return Place::Unknown };
        for now in state.files.now(&key) {
            match now {
                Now::Recorded | Now::Built(_) => break,
                Now::Text(text) => return Place::Made { content: Some(text.clone()), directory: false },
                Now::Unread => return Place::Unknown,
                Now::Laid(laid) => {
                    if let Some(text) = self.programs.laid_out(self, laid, &key) {
                        return Place::Made { content: Some(text), directory: false };
                    }
                }
            }
        }
        match state.files.nearest(&key) {
            Some((at, FileState::CopiedFrom(origin))) if depth < 8 => {
                let rest = key.strip_prefix(at).unwrap_or(Path::new(""));
                let origin = if rest.as_os_str().is_empty() { origin.clone() } else { origin.join(rest) };
                if origin.starts_with(at) || state.files.get(&origin) == Some(&FileState::Gone) {
                    return self.locate(state, &key, 0);
                }
                self.located_text(state, &origin, depth + 1)
            }
            _ => self.locate(state, &key, 0),
        }
    }

    /// Entries of a directory; `None` when they cannot be listed (too many, or not known).
    pub(crate) fn list(&self, state: &State, path: &Path, limit: usize) -> Option<Vec<Entry>> {
        let path = self.key(state, path)?;
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
        order::by(&mut entries, |a, b| a.name.cmp(&b.name));
        Some(entries)
    }

    /// What reading a path gives that is a name of an open descriptor, or a link of this command's making to one.
    fn descriptor_at(&self, state: &State, path: &Path) -> Option<Stdin> {
        let made =
            || state.files.through(path, true).filter(|to| to != path && of_a_process(&to.to_string_lossy()));
        let named = match of_a_process(path.to_str()?) {
            true => path.to_owned(),
            false => made()?,
        };
        state.reads_descriptor(&self.resolved(state, &named)?)
    }

    /// What stands behind the name of an open descriptor.
    fn opened_text(&self, state: &State, input: &Stdin) -> Place {
        match input {
            Stdin::File(path) if path.as_known().is_none_or(of_a_process) => Place::Unknown,
            Stdin::Inherited | Stdin::Unknown => Place::Unknown,
            Stdin::Empty => Place::Made { content: Some(String::new()), directory: false },
            known => match self.stdin_text(state, known) {
                Some(Value::Known(text)) => Place::Made { content: Some(text), directory: false },
                _ => Place::Made { content: None, directory: false },
            },
        }
    }

    fn locate(&self, state: &State, path: &Path, depth: usize) -> Place {
        if depth > 8 {
            return Place::Unknown;
        }
        if let Some(input) = self.descriptor_at(state, path) {
            return self.opened_text(state, &input);
        }
        let Some(path) = self.key(state, path) else { return Place::Unknown };
        let Some((at, file)) = state.files.nearest(&path) else {
            let stands = |(_, file): (&Path, &FileState)| *file != FileState::Gone;
            // A directory above something that this command made.
            if state.files.below(&path).any(stands) && self.world.stat(&path).is_err() {
                return Place::Made { content: None, directory: true };
            }
            return Place::On(path);
        };
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
                    FileState::MovedFrom(_) => Place::On(origin),
                    _ if state.files.get(&origin) == Some(&FileState::Gone) => Place::On(origin),
                    _ if origin.starts_with(at) => Place::Unknown,
                    _ => self.locate(state, &origin, depth + 1),
                }
            }
        }
    }

    /// The absolute path that a word names, when it and the directory are known.
    pub(crate) fn absolute(&self, state: &State, value: &Value) -> Option<PathBuf> {
        let text = value.as_known()?;
        if text.is_empty() {
            return None;
        }
        if text.starts_with('/') {
            return self.resolved(state, Path::new(text));
        }
        self.resolved(state, &state.only_cwd()?.join(text))
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

/// What a value names from every directory that it may be read in, `..` as written; empty when unknown.
pub(super) fn joined(state: &State, value: &Value) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for text in value.choices().unwrap_or_default() {
        if text.starts_with('/') {
            all.push(PathBuf::from(text));
        } else if state.cwd.is_empty() {
            return Vec::new();
        } else {
            all.extend(state.cwd.iter().map(|dir| dir.join(text)));
        }
    }
    all
}
