//! Finding a repository and reading its configuration as text, without git.
//!
//! Looks through [`World`] alone. Follows git's own rules: the nearest ancestor with `.git` (a directory, or a file that
//! names one: linked working trees and submodules) or that is itself a repository.

use std::path::{Path, PathBuf};

use super::resolve::{Disk, resolve};
use super::{FileKind, LookError, World};

/// Where the parts of a repository are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitDir {
    /// Top of the working tree; `None` in a bare repository.
    pub work_tree: Option<PathBuf>,
    /// Holds `HEAD` and `index` of this working tree.
    pub git_dir: PathBuf,
    /// Holds `objects`, `refs` and `config`; the same as `git_dir` but in a linked working tree.
    pub common_dir: PathBuf,
}

/// Largest configuration file that is read, in bytes.
const CONFIG_LIMIT: u64 = 16 << 20;
/// Remotes that have a file each, and the largest of those.
const OLD_REMOTES: usize = 200;
const OLD_REMOTE: u64 = 64 << 10;
/// Files that include each other deeper than this make git itself give up.
const INCLUDE_DEPTH: usize = 10;

/// The repository that git would use in `start` (absolute, symbolic links resolved), if there is one.
///
/// # Errors
/// Any [`LookError`] but `NotFound`: a directory on the way could not be looked at, or a `.git` file points nowhere.
pub fn locate(world: &dyn World, start: &Path) -> Result<Option<GitDir>, LookError> {
    for dir in start.ancestors() {
        let dot = dir.join(".git");
        match world.stat(&dot) {
            Ok(meta) if meta.kind == FileKind::Directory => {
                if looks_like_git(world, &dot)? {
                    return open(world, dot, Some(dir.to_owned())).map(Some);
                }
            }
            Ok(meta) if meta.kind == FileKind::File => {
                let text = world.read_file(&dot, 4096)?;
                let text = String::from_utf8_lossy(&text);
                if let Some(target) = text.strip_prefix("gitdir:") {
                    let target = named(world, &dir.join(target.trim()))?;
                    if looks_like_git(world, &target)? {
                        return open(world, target, Some(dir.to_owned())).map(Some);
                    }
                    return Err(LookError::Other(format!(
                        "{} names {}, which is no git directory",
                        dot.display(),
                        target.display()
                    )));
                }
            }
            Ok(_) | Err(LookError::NotFound) => {}
            Err(error) => return Err(error),
        }
        if looks_like_git(world, dir)? {
            return open(world, dir.to_owned(), None).map(Some);
        }
    }
    Ok(None)
}

/// The repository whose git directory is `git_dir`, as `--git-dir` or `GIT_DIR` name it: the directory, or a file that
/// names it. A working tree that is named too counts before the one that the repository's settings name; `otherwise`
/// where neither does.
///
/// # Errors
/// As [`locate`].
pub fn at(
    world: &dyn World,
    git_dir: &Path,
    work_tree: Option<&Path>,
    otherwise: Option<&Path>,
) -> Result<Option<GitDir>, LookError> {
    let git_dir = match world.stat(git_dir) {
        Ok(meta) if meta.kind == FileKind::File => {
            let text = world.read_file(git_dir, 4096)?;
            let text = String::from_utf8_lossy(&text);
            let Some(target) = text.strip_prefix("gitdir:") else { return Ok(None) };
            named(world, &git_dir.parent().unwrap_or(git_dir).join(target.trim()))?
        }
        _ => git_dir.to_owned(),
    };
    if !looks_like_git(world, &git_dir)? {
        return Ok(None);
    }
    let mut found = open(world, git_dir, work_tree.or(otherwise).map(Path::to_owned))?;
    if let Some(top) = work_tree {
        found.work_tree = Some(top.to_owned());
    }
    Ok(Some(found))
}

/// Whether a directory looks like a git directory to git.
///
/// # Errors
/// Any [`LookError`] but `NotFound`: it cannot be told.
pub fn looks_like_git(world: &dyn World, dir: &Path) -> Result<bool, LookError> {
    let there = |result: Result<super::Meta, LookError>| match result {
        Ok(meta) => Ok(Some(meta.kind)),
        Err(LookError::NotFound) => Ok(None),
        Err(error) => Err(error),
    };
    if there(world.lstat(&dir.join("HEAD")))?.is_none() {
        return Ok(false);
    }
    let is_dir = |name: &str| Ok(there(world.stat(&dir.join(name)))? == Some(FileKind::Directory));
    Ok((is_dir("objects")? && is_dir("refs")?) || there(world.lstat(&dir.join("commondir")))?.is_some())
}

fn open(world: &dyn World, git_dir: PathBuf, work_tree: Option<PathBuf>) -> Result<GitDir, LookError> {
    let common_dir = match world.read_file(&git_dir.join("commondir"), 4096) {
        Ok(text) => named(world, &git_dir.join(String::from_utf8_lossy(&text).trim()))?,
        Err(LookError::NotFound) => git_dir.clone(),
        Err(error) => return Err(error),
    };
    let mut found = GitDir { work_tree, git_dir, common_dir };
    if let Ok(text) = world.read_file(&found.common_dir.join("config"), CONFIG_LIMIT) {
        let mut config = Config::default();
        config.read(&String::from_utf8_lossy(&text));
        if found.git_dir == found.common_dir
            && let Some(other) = config.get("core.worktree")
        {
            found.work_tree = Some(named(world, &found.git_dir.join(other))?);
        }
        if config.get("core.bare").is_some_and(is_true) && config.get("core.worktree").is_none() {
            // A linked working tree of a bare repository has one all the same.
            if found.git_dir == found.common_dir {
                found.work_tree = None;
            }
        }
    }
    Ok(found)
}

/// Whether a configuration value means yes.
pub fn is_true(value: &str) -> bool {
    let value = value.to_ascii_lowercase();
    let number = value.trim_start_matches(['-', '+']).trim_end_matches(['k', 'm', 'g']);
    // Any number but 0.
    let digits = number.trim_start_matches(['0', 'x']);
    let counts = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    matches!(value.as_str(), "true" | "yes" | "on")
        || number.starts_with(|c: char| c.is_ascii_digit()) && counts
}

/// The lines of a configuration: one that ends within a value goes on behind it, a comment never does.
fn whole_lines(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut goes_on = false;
    for line in text.strip_prefix('\u{FEFF}').unwrap_or(text).lines() {
        match found.last_mut().filter(|_| goes_on) {
            Some(last) => last.push_str(line),
            None => found.push(line.to_owned()),
        }
        goes_on = found.last().is_some_and(|line| ends_within(line));
        if let Some(last) = found.last_mut().filter(|_| goes_on) {
            last.pop();
        }
    }
    found
}

/// Whether the last sign of a line is a backslash that nothing takes the meaning from.
fn ends_within(line: &str) -> bool {
    let (mut quoted, mut escaped) = (false, false);
    for c in line.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => quoted = !quoted,
            '#' | ';' if !quoted => return false,
            _ => {}
        }
    }
    escaped
}

/// The place that a path in a repository's own files names, as git finds it.
///
/// # Errors
/// What stands before a `..` in it cannot be told.
pub fn named(world: &dyn World, path: &Path) -> Result<PathBuf, LookError> {
    let unknown = || LookError::Other(format!("where {} leads cannot be told", path.display()));
    resolve(path, &Disk(world)).ok_or_else(unknown)
}

/// Configuration: keys as `section.name` or `section.Sub.name`, section and name in lower case, in file order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    entries: Vec<(String, String)>,
    /// The files that were read, and the number of the first entry that may be theirs.
    files: Vec<(usize, PathBuf)>,
    unread: Option<PathBuf>,
}

impl Config {
    /// What git would read in a repository (or outside any): system, user, repository and working tree files, with the
    /// files that they include, whatever the condition of the inclusion.
    pub fn load(world: &dyn World, repository: Option<&GitDir>) -> Self {
        let mut config = Self::default();
        let mut files = vec![PathBuf::from("/etc/gitconfig")];
        if let Some(home) = world.env("HOME").map(PathBuf::from).or_else(|| world.home(None)) {
            let xdg = world.env("XDG_CONFIG_HOME").map_or_else(|| home.join(".config"), PathBuf::from);
            files.push(xdg.join("git/config"));
            files.push(home.join(".gitconfig"));
        }
        if let Some(global) = world.env("GIT_CONFIG_GLOBAL") {
            files.truncate(1);
            files.push(PathBuf::from(global));
        }
        if let Some(repository) = repository {
            config.old_remotes(world, &repository.common_dir);
            files.push(repository.common_dir.join("config"));
            files.push(repository.git_dir.join("config.worktree"));
        }
        for file in files {
            config.file(world, &file, 0);
        }
        config
    }

    /// What one file says, with the files that it includes.
    pub fn of_file(world: &dyn World, file: &Path) -> Self {
        let mut config = Self::default();
        config.file(world, file, 0);
        config
    }

    /// A file that git would read and that could not be read here: what is set is not all known then.
    pub fn unread(&self) -> Option<&Path> {
        self.unread.as_deref()
    }

    /// What was looked for, unless it is there and was not read. What is not there says nothing, and what may not be read git
    /// cannot read either.
    fn seen<T>(&mut self, place: &Path, found: Result<T, LookError>) -> Option<T> {
        let silent = [LookError::NotFound, LookError::Denied, LookError::Elsewhere];
        if found.as_ref().is_err_and(|error| !silent.contains(error)) {
            self.unread.get_or_insert_with(|| place.to_owned());
        }
        found.ok()
    }

    /// Remotes as older versions of git wrote them, a file each, and as it still reads them.
    fn old_remotes(&mut self, world: &dyn World, common_dir: &Path) {
        for folder in ["remotes", "branches"] {
            let dir = common_dir.join(folder);
            let listed = self.seen(&dir, world.read_dir(&dir, OLD_REMOTES));
            for entry in listed.unwrap_or_default() {
                let place = dir.join(&entry.name);
                let Some(text) = self.seen(&place, world.read_file(&place, OLD_REMOTE)) else { continue };
                let text = String::from_utf8_lossy(&text);
                let said =
                    if folder == "remotes" { old_remote(&text) } else { old_branch(&entry.name, &text) };
                let named =
                    said.into_iter().map(|(key, value)| (format!("remote.{}.{key}", entry.name), value));
                self.entries.extend(named);
            }
        }
    }

    fn file(&mut self, world: &dyn World, file: &Path, depth: usize) {
        let Some(text) = self.seen(file, world.read_file(file, CONFIG_LIMIT)) else { return };
        let before = self.entries.len();
        self.files.push((before, file.to_owned()));
        self.read(&String::from_utf8_lossy(&text));
        if depth >= INCLUDE_DEPTH {
            return;
        }
        let included: Vec<String> = self.entries[before..]
            .iter()
            .filter(|(key, _)| {
                key == "include.path" || (key.starts_with("includeif.") && key.ends_with(".path"))
            })
            .map(|(_, value)| value.clone())
            .collect();
        for path in included {
            let path = match path.strip_prefix('~').map(|rest| rest.split_once('/').unwrap_or((rest, ""))) {
                Some((user, rest)) => {
                    world.home(Some(user).filter(|user| !user.is_empty())).unwrap_or_default().join(rest)
                }
                None => file.parent().unwrap_or(Path::new("/")).join(path),
            };
            self.file(world, &path, depth + 1);
        }
    }

    /// Adds one entry; the key is brought into its canonical form.
    pub fn set(&mut self, key: &str, value: impl Into<String>) {
        self.entries.push((canonical(key), value.into()));
    }

    /// The last value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        let key = canonical(key);
        self.entries.iter().rev().find(|(known, _)| *known == key).map(|(_, value)| value.as_str())
    }

    /// The file that says the last value of a key.
    pub fn file_of(&self, key: &str) -> Option<&Path> {
        let key = canonical(key);
        let at = self.entries.iter().rposition(|(known, _)| *known == key)?;
        self.files.iter().rev().find(|(first, _)| *first <= at).map(|(_, file)| file.as_path())
    }

    /// All values of a key, in order.
    pub fn all<'a>(&'a self, key: &str) -> impl Iterator<Item = &'a str> {
        let key = canonical(key);
        self.entries.iter().filter(move |(known, _)| *known == key).map(|(_, value)| value.as_str())
    }

    /// All entries, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entries.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// Adds the entries of a file's text. What cannot be read is skipped.
    pub fn read(&mut self, text: &str) {
        let mut section = String::new();
        for line in whole_lines(text) {
            let mut line = line.trim();
            if let Some(rest) = line.strip_prefix('[') {
                let Some(end) = section_end(rest) else { continue };
                section = section_name(&rest[..end]);
                line = rest[end + 1..].trim();
            }
            if line.is_empty() || line.starts_with(['#', ';']) || section.is_empty() {
                continue;
            }
            let (name, value) = match line.split_once('=') {
                Some((name, value)) => (name.trim(), unquote(value.trim())),
                None => (line, "true".to_owned()),
            };
            self.entries.push((format!("{section}.{}", name.to_ascii_lowercase()), value));
        }
    }
}

/// What a file of `.git/remotes` says.
fn old_remote(text: &str) -> Vec<(&'static str, String)> {
    let key = |word: &str| match word {
        "URL" => Some("url"),
        "Push" => Some("push"),
        "Pull" => Some("fetch"),
        _ => None,
    };
    let lines = text.lines().filter_map(|line| line.split_once(':'));
    lines.filter_map(|(word, value)| Some((key(word)?, value.trim().to_owned()))).collect()
}

/// What a file of `.git/branches` says: an address, and perhaps a branch there.
fn old_branch(name: &str, text: &str) -> Vec<(&'static str, String)> {
    let (url, branch) = text.trim().split_once('#').unwrap_or((text.trim(), "master"));
    vec![
        ("url", url.to_owned()),
        ("fetch", format!("refs/heads/{branch}:refs/heads/{name}")),
        ("push", format!("HEAD:refs/heads/{branch}")),
    ]
}

/// Index of the `]` that ends a section header, quotes respected.
fn section_end(text: &str) -> Option<usize> {
    let mut quoted = false;
    let mut escaped = false;
    for (index, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => quoted = !quoted,
            ']' if !quoted => return Some(index),
            _ => {}
        }
    }
    None
}

fn section_name(header: &str) -> String {
    match header.split_once('"') {
        Some((section, rest)) => {
            let inner = rest.strip_suffix('"').unwrap_or(rest);
            let mut name = String::new();
            let mut chars = inner.chars();
            while let Some(c) = chars.next() {
                name.push(if c == '\\' { chars.next().unwrap_or('\\') } else { c });
            }
            format!("{}.{name}", section.trim().to_ascii_lowercase())
        }
        None => header.trim().to_ascii_lowercase(),
    }
}

/// A value without its quotes, escapes and trailing comment.
fn unquote(value: &str) -> String {
    let mut out = String::new();
    let mut kept = 0;
    let mut quoted = false;
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => {
                quoted = !quoted;
                kept = out.len();
            }
            '\\' => {
                match chars.next() {
                    Some('n') => out.push('\n'),
                    Some('t') => out.push('\t'),
                    Some('b') => {
                        out.pop();
                    }
                    Some(other) => out.push(other),
                    None => {}
                }
                kept = out.len();
            }
            '#' | ';' if !quoted => break,
            c => {
                out.push(c);
                if quoted || !c.is_whitespace() {
                    kept = out.len();
                }
            }
        }
    }
    out.truncate(kept);
    out
}

/// Section and name in lower case; a subsection keeps its case.
fn canonical(key: &str) -> String {
    match (key.find('.'), key.rfind('.')) {
        (Some(first), Some(last)) => format!(
            "{}{}{}",
            key[..first].to_ascii_lowercase(),
            &key[first..last],
            key[last..].to_ascii_lowercase()
        ),
        _ => key.to_ascii_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::Config;

    #[test]
    fn what_stands_behind_a_comment_or_a_mark_is_read() {
        for text in [
            "[remote \"c\"]\n# see C:\\\n push = +a:b\n",
            "[remote \"c\"]\n url = x ; C:\\\n push = +a:b\n",
            "[remote \"c\"]\n url = C:\\\\\n push = +a:b\n",
            "\u{FEFF}[remote \"c\"]\n push = +a:\\\nb\n",
        ] {
            let mut config = Config::default();
            config.read(text);
            assert_eq!(config.get("remote.c.push"), Some("+a:b"), "{text}");
        }
        for (value, told) in
            [("2", true), ("-1", true), ("1k", true), ("00", false), ("0x0", false), ("no", false)]
        {
            assert_eq!(super::is_true(value), told, "{value}");
        }
    }

    #[test]
    fn configuration_text_is_read_as_git_reads_it() {
        let mut config = Config::default();
        config.read(concat!(
            "[core]\n\tbare = false ; no\n\teditor = \"vim # -n\"\n",
            "[remote \"Ori.gin\"] url = ../x.git\n[alias]\n\tzap = !rm -rf \\\n\t\tscratch\n",
            "\tq = \"!echo \\\"a\\\"\"\n[gc]\n auto\n"
        ));
        assert_eq!(config.get("core.bare"), Some("false"));
        assert_eq!(config.get("Core.Editor"), Some("vim # -n"));
        assert_eq!(config.get("remote.Ori.gin.url"), Some("../x.git"));
        assert_eq!(config.get("alias.zap"), Some("!rm -rf \t\tscratch"));
        assert_eq!(config.get("alias.q"), Some("!echo \"a\""));
        assert_eq!(config.get("gc.auto"), Some("true"));
    }
}
