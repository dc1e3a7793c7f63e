//! Which files the attributes of a repository give to a driver or filter, and whether a call of git touches one of them.

use std::path::{Path, PathBuf};

use crate::model::Value;
use crate::programs::git::settings::git_directories;
use crate::shell::program::{Shell, State};
use crate::world::git_dir::{Config, GitDir};
use crate::world::{FileKind, Query};

use super::asked::Asked;

/// Largest file of attributes that is read, in bytes.
const TEXT_LIMIT: u64 = 1 << 20;

/// The lines of attribute files: a directory, relative to the top with a slash behind it, a pattern, and what is set.
#[derive(Debug, Default)]
pub(super) struct Attributes {
    lines: Vec<Line>,
}

#[derive(Debug)]
struct Line {
    pattern: Pattern,
    set: Vec<String>,
}

/// The files of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Pattern {
    /// Those that this pathspec names, from the top.
    Of(String),
    /// Perhaps any.
    Any,
}

impl Attributes {
    /// Adds a file's lines; it stands in `dir` (relative to the top, `""` or with a slash at its end).
    fn read(&mut self, text: &str, dir: &str) {
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let mut words = line.split_whitespace();
            let Some(head) = words.next() else { continue };
            let pattern = if head.starts_with(['[', '"']) || head.contains('\\') {
                Pattern::Any
            } else if let Some((_, last)) = head.rsplit_once('/')
                && !last.is_empty()
            {
                Pattern::Of(format!(":(top,glob){dir}{}", head.trim_start_matches('/')))
            } else {
                Pattern::Of(format!(":(top,glob){dir}**/{head}"))
            };
            self.lines.push(Line { pattern, set: words.map(str::to_owned).collect() });
        }
    }

    /// The patterns that set a driver of this kind.
    pub(super) fn names(&self, kind: &str, driver: &str) -> impl Iterator<Item = &Pattern> {
        let set = format!("{kind}={driver}");
        self.lines.iter().filter(move |line| line.set.contains(&set)).map(|line| &line.pattern)
    }
}

/// The attributes that hold in a repository: the person's, the repository's own, and those of its directories.
pub(super) fn git_attributes(
    shell: &Shell<'_>,
    state: &State,
    config: &Config,
    place: Option<&GitDir>,
) -> Attributes {
    let mut found = Attributes::default();
    let Some(place) = place else { return found };
    let home = shell.world.home(None).unwrap_or_default();
    let general = match config.get("core.attributesFile") {
        Some(file) => file.strip_prefix("~/").map_or_else(|| PathBuf::from(file), |rest| home.join(rest)),
        None => shell
            .world
            .env("XDG_CONFIG_HOME")
            .filter(|dir| !dir.is_empty())
            .map_or_else(|| home.join(".config"), PathBuf::from)
            .join("git/attributes"),
    };
    let top = place.work_tree.as_deref();
    let general = top.map_or_else(|| general.clone(), |top| top.join(&general));
    let mut files = vec![(general, String::new())];
    files.push((place.common_dir.join("info/attributes"), String::new()));
    if let Some(top) = top {
        files.push((top.join(".gitattributes"), String::new()));
        let spec = ":(top,glob)*/**/.gitattributes".to_owned();
        for name in git_lists(shell, top, &["--cached", "--others", "--exclude-standard"], spec) {
            let dir = name.strip_suffix(".gitattributes").unwrap_or_default().to_owned();
            files.push((top.join(&name), dir));
        }
    }
    for (file, dir) in files {
        if let Some(text) = shell.read_data(state, &file, TEXT_LIMIT) {
            found.read(&text, &dir);
        }
    }
    found
}

/// Files that git lists for a pathspec; what it cannot say is nothing.
fn git_lists(shell: &Shell<'_>, dir: &Path, options: &[&str], spec: String) -> Vec<String> {
    let mut arguments: Vec<String> = vec!["ls-files".to_owned(), "-z".to_owned()];
    arguments.extend(options.iter().map(|option| (*option).to_owned()));
    arguments.extend(["--".to_owned(), spec]);
    let query = Query::Git { dir: dir.to_owned(), arguments };
    let answer = shell.world.ask(&query, std::time::Duration::from_secs(1)).unwrap_or_default();
    let text = String::from_utf8_lossy(&answer).into_owned();
    text.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Whether a call of git may touch a file that a pattern names: one that it is given, or, where it is given none, one
/// that is there to be looked at. What comes from another commit may be any file.
pub(super) fn git_touches(
    shell: &Shell<'_>,
    state: &State,
    asked: &Asked<'_>,
    place: Option<&GitDir>,
    pattern: &Pattern,
) -> bool {
    let (Pattern::Of(spec), Some(top)) = (pattern, place.and_then(|place| place.work_tree.as_deref())) else {
        return true;
    };
    let given = git_given_files(shell, state, asked);
    let other_commits = ["log", "show", "whatchanged", "range-diff", "am", "archive", "cherry-pick"];
    let moves = ["clone", "merge", "pull", "rebase", "reset", "revert", "switch", "worktree", "read-tree"];
    let brings = asked.is(&other_commits) || asked.is(&moves) || asked.name == "checkout";
    if given.is_none() && brings {
        return true;
    }
    let adds = asked.is(&["add", "apply", "hash-object", "stash"]);
    let options: &[&str] = if adds { &["--cached", "--others", "--exclude-standard"] } else { &["--cached"] };
    let found = git_lists(shell, top, options, spec.clone());
    let made = !state.files.is_untouched();
    match given {
        // Files that are ignored, or that this command makes, are in no list.
        Some(given) => {
            made || given.iter().any(|file| {
                let Ok(file) = file.strip_prefix(top) else { return true };
                let listed = found.iter().any(|name| Path::new(name).starts_with(file));
                listed || (adds && fits(spec, file))
            })
        }
        None => made || !found.is_empty(),
    }
}

/// The files or directories that the call is given; `None` where it is given none, or they cannot be told.
fn git_given_files(shell: &Shell<'_>, state: &State, asked: &Asked<'_>) -> Option<Vec<PathBuf>> {
    let [cwd] = git_directories(shell, state, asked.matched).try_into().ok()?;
    let behind = asked.matched.separator;
    let mut files = Vec::new();
    for binding in &asked.matched.operands {
        let Value::Known(word) = &binding.value else { return None };
        if word.starts_with(':') || word.contains(['*', '?', '[']) {
            return None;
        }
        let path: PathBuf = cwd.join(word);
        let named = behind.is_some_and(|end| binding.index > end);
        if named || shell.exists(state, &path) == Some(true) {
            files.push(shell.world.canonicalize(&path).unwrap_or(path));
        }
    }
    (!files.is_empty()).then_some(files)
}

/// What `post-checkout` is told last: `1` where a branch is checked out, `0` where files are.
pub(super) fn git_checks_out(
    shell: &Shell<'_>,
    state: &State,
    asked: &Asked<'_>,
    place: Option<&GitDir>,
) -> Option<Value> {
    let (Some(place), "checkout") = (place, asked.name) else { return Some(Value::known("1")) };
    let matched = asked.matched;
    if ["-b", "-B", "--orphan", "--detach"].iter().any(|key| matched.has(key)) {
        return Some(Value::known("1"));
    }
    let behind = matched.separator.is_some_and(|end| matched.operands.iter().any(|o| o.index > end));
    let files = git_given_files(shell, state, asked);
    let first = matched.operands.first().and_then(|binding| binding.value.as_known());
    let branch = first.is_none_or(|name| {
        // A name that is a branch as well as a file is refused by git.
        let place = place.common_dir.join("refs/heads").join(name);
        !matches!(shell.world.stat(&place), Err(crate::world::LookError::NotFound))
    });
    let is_file = files.is_some_and(|files| {
        files.len() == matched.operands.len()
            && files.iter().any(|file| shell.world.stat(file).is_ok_and(|m| m.kind != FileKind::Other))
    });
    if behind || (is_file && !branch) || matched.operands.len() > 1 {
        return Some(Value::known("0"));
    }
    Some(if matched.operands.is_empty() || branch { Value::known("1") } else { Value::Unknown })
}

/// Whether a pattern names a file by its last component; said of files that are in no list.
fn fits(spec: &str, file: &Path) -> bool {
    let last = spec.rsplit('/').next().unwrap_or_default();
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    match last.split_once('*') {
        None => last == name && !last.contains(['?', '[']),
        Some(("", ending)) if !ending.contains(['*', '?', '[']) => name.ends_with(ending),
        Some(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_pathspecs() {
        let mut read = Attributes::default();
        read.read("# no\n*.csv diff=csvx text\n/docs/*.md diff=csvx\n[attr]m diff=csvx\n*.png -diff\n", "");
        read.read("*.txt diff=csvx\n", "data/");
        let named: Vec<&Pattern> = read.names("diff", "csvx").collect();
        let of = |text: &str| Pattern::Of(text.to_owned());
        let expected = [
            of(":(top,glob)**/*.csv"),
            of(":(top,glob)docs/*.md"),
            Pattern::Any,
            of(":(top,glob)data/**/*.txt"),
        ];
        assert_eq!(named, expected.iter().collect::<Vec<_>>());
        assert_eq!(read.names("filter", "csvx").count(), 0);
    }

    #[test]
    fn files_fit_by_their_last_component() {
        assert!(fits(":(top,glob)**/*.csv", Path::new("a/b.csv")));
        assert!(!fits(":(top,glob)**/*.csv", Path::new("a/b.txt")));
        assert!(fits(":(top,glob)**/notes.md", Path::new("notes.md")));
    }
}
