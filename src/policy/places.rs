//! Where the paths of patterns and targets really lead, so that a rule holds for a place by whatever name it is reached.
//!
//! Owns what has to be looked up for that, and the answers. Looks at nothing itself: `evaluate` fills the answers in.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::model::{Action, Assessment, Mutation, PathSubject, Subject, Value};

use super::decide::Policy;
use super::pattern::literal_prefix;
use super::rule::{Base, absolute};

/// Other names of paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    names: BTreeMap<String, BTreeSet<String>>,
    roots: BTreeMap<String, String>,
}

/// What has to be looked up before rules about paths can be told to hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Absolute paths, and whether their last component is followed when it is a link.
    pub paths: BTreeSet<(String, bool)>,
    /// Directories in which git acts on its whole working tree.
    pub roots: BTreeSet<String>,
}

impl Places {
    pub(super) const fn none() -> Self {
        Self { names: BTreeMap::new(), roots: BTreeMap::new() }
    }

    /// Records that `path` leads to `real`.
    pub fn lead(&mut self, path: &str, real: String) {
        if real != path {
            self.names.entry(path.to_owned()).or_default().insert(real);
        }
    }

    /// Records the top of the working tree that `dir` lies in.
    pub fn root(&mut self, dir: &str, top: String) {
        self.roots.insert(dir.to_owned(), top);
    }

    /// A path under all its names.
    pub(super) fn of<'a>(&'a self, path: &'a str) -> impl Iterator<Item = &'a str> {
        std::iter::once(path).chain(self.names.get(path).into_iter().flatten().map(String::as_str))
    }

    /// An absolute pattern under all names of the place that it begins with.
    pub(super) fn patterns(&self, pattern: String) -> Vec<String> {
        let start = start(&pattern);
        let rest = pattern.get(start.len()..).unwrap_or_default();
        let others = self.names.get(start).into_iter().flatten().map(|real| format!("{real}{rest}"));
        let mut all: Vec<String> = others.collect();
        all.push(pattern);
        all
    }
}

/// The directory, or the whole path, that a pattern begins with.
fn start(pattern: &str) -> &str {
    let literal = literal_prefix(pattern);
    let end = if literal.len() == pattern.len() { literal.len() } else { literal.rfind('/').unwrap_or(0) };
    literal[..end].trim_end_matches('/')
}

impl Policy {
    /// What has to be looked up for the rules of this policy that name paths; nothing where none does.
    pub fn asks(&self, assessments: &[Assessment], home: Option<&Path>) -> Asked {
        let mut asked = Asked::default();
        let home = home.map(|home| home.to_string_lossy().into_owned());
        for layer in self.layers() {
            let base = Base { home: home.as_deref(), directory: layer.directory.as_deref() };
            let rules = layer.spec.rule.iter().filter_map(|rule| rule.get_ref().target.as_ref());
            let patterns = rules.chain(layer.spec.protect.iter().map(|protect| &protect.path));
            for pattern in patterns.flat_map(|list| &list.0) {
                let absolute = absolute(pattern, &base);
                asked.paths.insert((start(&absolute).to_owned(), true));
            }
        }
        if asked.paths.is_empty() {
            return asked;
        }
        asked.paths.retain(|(path, _)| path.starts_with('/'));
        for assessment in assessments {
            for (subject, _) in subjects(&assessment.mutation, &Places::default()) {
                let follow = subject.follow || subject.shown.ends_with('/');
                match &subject.path {
                    Value::Affix { prefix, .. } => {
                        asked.paths.insert((folder(prefix).to_owned(), true));
                    }
                    value => {
                        let all = value.choices().unwrap_or_default().iter();
                        asked.paths.extend(all.map(|path| (path.clone(), follow)));
                    }
                }
            }
            if let Subject::Git { dir, .. } = &assessment.mutation.subject {
                asked.roots.extend(dir.choices().unwrap_or_default().iter().cloned());
            }
        }
        asked
    }
}

/// The directory that the beginning of a path names.
pub(super) fn folder(prefix: &str) -> &str {
    prefix.rfind('/').map_or("", |at| &prefix[..at])
}

/// Kinds of git that are files of the working tree.
const WORK: &[&str] = &["git.changes", "git.untracked", "git.ignored", "git.worktree"];

/// The paths that a mutation changes for whoever wants a place left alone, and whether that holds even where nothing is
/// lost: what is moved away or taken out by git is no longer where it was.
pub(super) fn subjects(mutation: &Mutation, places: &Places) -> Vec<(PathSubject, bool)> {
    match &mutation.subject {
        Subject::Path(subject) => {
            let mut all = vec![(subject.clone(), false)];
            if let Some(from) = subject.from.as_ref().filter(|_| mutation.facts.contains_key("renames")) {
                let mut source =
                    PathSubject::new(Value::known(from.to_string_lossy()), subject.shown.clone());
                source.recursive = true;
                all.push((source, true));
            }
            all
        }
        Subject::Git { dir, names, .. } if WORK.contains(&mutation.kind.as_str()) => {
            let dirs = dir.choices().unwrap_or_default();
            dirs.iter()
                .flat_map(|dir| work(dir, names, places))
                .map(|path| {
                    let mut subject = PathSubject::new(path.clone(), path.display());
                    subject.recursive = true;
                    (subject, mutation.action == Action::Delete && mutation.kind == "git.changes")
                })
                .collect()
        }
        _ => Vec::new(),
    }
}

/// What git's words name in a directory: a word with a wildcard may be anything below it, no word all of the working tree.
fn work(dir: &str, names: &[Value], places: &Places) -> Vec<Value> {
    let top = || Value::known(places.roots.get(dir).map_or(dir, String::as_str));
    if names.is_empty() {
        return vec![top()];
    }
    let named = |name: &Value| match name {
        Value::Known(text) if text.starts_with('/') => Value::known(text.trim_end_matches('/')),
        Value::Known(text) if text.starts_with(':') || text.split('/').any(|part| part == "..") => top(),
        Value::Known(text) => {
            let text = literal_prefix(text).trim_start_matches("./").trim_end_matches('/');
            let text = if name.as_known().is_some_and(|all| all.len() != literal_prefix(all).len()) {
                folder(text)
            } else {
                text
            };
            if text.is_empty() || text == "." {
                Value::known(dir)
            } else {
                Value::Known(format!("{dir}/{text}"))
            }
        }
        _ => top(),
    };
    names.iter().map(named).collect()
}
