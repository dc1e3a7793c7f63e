//! Wildcards against the real directories, seen through what this command did to them so far.

use std::path::{Path, PathBuf};

use crate::model::Value;
use crate::order;
use crate::shell::interp::Shell;
use crate::shell::pattern;
use crate::shell::state::{State, Switches};
use crate::world::FileKind;

use super::{Field, Piece};

/// What comes of a field with wildcards.
pub(super) enum Globbed {
    /// These names.
    Names(Vec<String>),
    /// Names that cannot be listed.
    Value(Value),
    /// No match: the word stays as it is.
    Literal,
    /// No match and `nullglob`.
    Nothing,
    /// No match and `failglob`.
    Failed,
}

/// Whether any unquoted piece could act as a wildcard.
pub(super) fn may_act(field: &Field, switches: &Switches) -> bool {
    field.pieces.iter().any(|piece| match piece {
        Piece::Quoted(_) => false,
        Piece::Active(Value::Known(text)) => active(text, switches),
        Piece::Active(Value::OneOf(list)) => list.iter().any(|text| active(text, switches)),
        Piece::Active(Value::Affix { prefix, suffix }) => {
            active(prefix, switches) || active(suffix, switches)
        }
        Piece::Active(Value::Woven(text)) => active(text, switches),
        Piece::Active(Value::Lines(_) | Value::Unknown) => false,
    })
}

fn active(text: &str, switches: &Switches) -> bool {
    text.contains(['*', '?', '['])
        || (switches.extglob && text.contains("(") && text.contains(['@', '+', '!']))
}

/// A zsh pattern without the conditions behind it (`*(.om[1])`): all that it may match.
fn unqualified(text: String) -> String {
    match text.strip_suffix(')').and_then(|rest| rest.rfind('(')) {
        Some(at) if at > 0 && text[..at].ends_with(['*', '?', ']', '/']) => text[..at].to_owned(),
        _ => text,
    }
}

struct Walk<'a, 'b> {
    interp: &'a Shell<'b>,
    state: &'a State,
    options: pattern::Options,
    budget: usize,
    overflow: bool,
    found: Vec<String>,
}

impl Shell<'_> {
    pub(super) fn glob(&mut self, state: &State, field: &Field) -> Globbed {
        let switches = &state.switches;
        let unknown = || Globbed::Value(outline(field, switches));
        let Some(mut text) = field.pattern() else { return unknown() };
        if switches.zsh {
            text = unqualified(text);
        }
        let options = pattern::Options {
            extglob: switches.extglob,
            period: !switches.dotglob,
            ignore_case: switches.nocaseglob,
            pathname: false,
            ..pattern::Options::default()
        };
        if !pattern::has_wildcards(&text, options) {
            return Globbed::Literal;
        }
        if state.scope.host.is_some() {
            return unknown();
        }
        let absolute = text.starts_with('/');
        if !absolute && state.cwd.is_empty() {
            return unknown();
        }
        let bases: Vec<PathBuf> = if absolute { vec![PathBuf::from("/")] } else { state.cwd.clone() };
        let components = components(&text);
        let mut walk = Walk {
            interp: self,
            state,
            options,
            budget: self.options.limits.glob_entries,
            overflow: false,
            found: Vec::new(),
        };
        for base in &bases {
            let shown = if absolute { "/".to_owned() } else { String::new() };
            walk.component(base, shown, &components, 0);
        }
        if walk.overflow || walk.found.len() > self.options.limits.words {
            return unknown();
        }
        let mut names = walk.found;
        order::sort(&mut names);
        names.dedup();
        match names.is_empty() {
            false => Globbed::Names(names),
            true if switches.failglob => Globbed::Failed,
            true if switches.nullglob => Globbed::Nothing,
            true => Globbed::Literal,
        }
    }
}

impl Shell<'_> {
    /// Names that a pattern of a program's own stands for: hidden ones too, `**` for any depth. `None` when they cannot
    /// be listed.
    pub(crate) fn pattern_names(&self, state: &State, text: &str) -> Option<Vec<String>> {
        let absolute = text.starts_with('/');
        let host = state.scope.host.is_some();
        if host || (!absolute && state.cwd.is_empty()) {
            return None;
        }
        let mut state = state.clone();
        state.switches.globstar = true;
        let bases = if absolute { vec![PathBuf::from("/")] } else { state.cwd.clone() };
        let components = components(text);
        let mut walk = Walk {
            interp: self,
            state: &state,
            options: pattern::Options::default(),
            budget: self.options.limits.glob_entries,
            overflow: false,
            found: Vec::new(),
        };
        for base in &bases {
            let shown = if absolute { "/".to_owned() } else { String::new() };
            walk.component(base, shown, &components, 0);
        }
        let limit = self.options.limits.words;
        let mut names = (!walk.overflow && walk.found.len() <= limit).then_some(walk.found)?;
        order::sort(&mut names);
        names.dedup();
        Some(names)
    }
}

impl Walk<'_, '_> {
    fn component(&mut self, dir: &Path, shown: String, components: &[&str], depth: usize) {
        if self.overflow || depth > 64 {
            return;
        }
        let Some((first, rest)) = components.split_first() else {
            self.found.push(shown);
            return;
        };
        if first.is_empty() {
            // A doubled or trailing slash.
            if rest.is_empty() {
                if self.interp.is_directory(self.state, dir) != Some(false) {
                    self.found.push(shown);
                }
            } else {
                let shown = if shown.ends_with('/') { shown } else { shown + "/" };
                self.component(dir, shown, rest, depth + 1);
            }
            return;
        }
        if let Some(name) = pattern::literal(first, self.options) {
            let Some(path) = self.interp.resolved(self.state, &dir.join(&name)) else {
                self.overflow = true;
                return;
            };
            if self.interp.exists(self.state, &path) == Some(false) {
                return;
            }
            let shown = shown + &name + if rest.is_empty() { "" } else { "/" };
            self.component(&path, shown, rest, depth + 1);
            return;
        }
        let switches = &self.state.switches;
        if switches.globstar && (*first == "**" || switches.zsh && *first == "***") {
            self.any_depth(dir, &shown, rest, depth);
            return;
        }
        if switches.fish
            && let Some((front, end)) = first.split_once("**")
        {
            return self.through(dir, shown, (front, end), rest, depth);
        }
        let Some(entries) = self.interp.list(self.state, dir, self.budget) else {
            self.overflow = true;
            return;
        };
        for entry in entries {
            let Some(left) = self.budget.checked_sub(1) else {
                self.overflow = true;
                return;
            };
            self.budget = left;
            if entry.name.starts_with('.')
                && !self.options.period
                && matches!(entry.name.as_str(), "." | "..")
            {
                continue;
            }
            if !pattern::matches(first, &entry.name, self.options) {
                continue;
            }
            let path = dir.join(&entry.name);
            let shown = format!("{shown}{}", entry.name);
            if rest.is_empty() {
                self.found.push(shown);
            } else if entry.kind == FileKind::Directory
                || (entry.kind == FileKind::Symlink
                    && self.interp.is_directory(self.state, &path) != Some(false))
            {
                self.component(&path, shown + "/", rest, depth + 1);
            }
        }
    }

    /// fish's `a**b`: two stars in a name also stand for directories.
    fn through(
        &mut self,
        dir: &Path,
        shown: String,
        (front, end): (&str, &str),
        rest: &[&str],
        depth: usize,
    ) {
        let (here, into, last) = (format!("{front}*{end}"), format!("{front}*"), format!("*{end}"));
        let flat = [&[here.as_str()][..], rest].concat();
        self.component(dir, shown.clone(), &flat, depth + 1);
        let Some(entries) = self.interp.list(self.state, dir, self.budget) else {
            self.overflow = true;
            return;
        };
        for entry in entries {
            if entry.kind == FileKind::Directory && pattern::matches(&into, &entry.name, self.options) {
                let below = [&[last.as_str()][..], rest].concat();
                self.any_depth(&dir.join(&entry.name), &format!("{shown}{}/", entry.name), &below, depth + 1);
            }
        }
    }

    /// `**`: this directory and all below, links not followed.
    fn any_depth(&mut self, dir: &Path, shown: &str, rest: &[&str], depth: usize) {
        if rest.is_empty() {
            if !shown.is_empty() {
                self.found.push(shown.to_owned());
            }
        } else {
            self.component(dir, shown.to_owned(), rest, depth + 1);
        }
        let Some(entries) = self.interp.list(self.state, dir, self.budget) else {
            self.overflow = true;
            return;
        };
        for entry in entries {
            let Some(left) = self.budget.checked_sub(1) else {
                self.overflow = true;
                return;
            };
            self.budget = left;
            if entry.name.starts_with('.') && self.options.period {
                continue;
            }
            if entry.kind == FileKind::Directory && depth < 64 {
                let shown = format!("{shown}{}/", entry.name);
                self.any_depth(&dir.join(&entry.name), &shown, rest, depth + 1);
            } else if rest.is_empty() {
                self.found.push(format!("{shown}{}", entry.name));
            }
            if self.overflow {
                return;
            }
        }
    }
}

/// The pattern's components; a slash inside a bracket or group does not separate (bash takes neither as a wildcard then).
fn components(text: &str) -> Vec<&str> {
    text.strip_prefix('/').unwrap_or(text).split('/').collect()
}

/// What is known of the names that a pattern which cannot be looked up stands for.
fn outline(field: &Field, switches: &Switches) -> Value {
    let mut prefix = Value::known("");
    let mut cut = false;
    let mut suffix = Value::known("");
    for piece in &field.pieces {
        let (value, acts) = match piece {
            Piece::Quoted(value) => (value, false),
            Piece::Active(value) => (value, true),
        };
        let text = value.as_known();
        let wild = match text {
            Some(text) => acts && active(text, switches),
            None => false,
        };
        match (wild, text) {
            (true, Some(text)) => {
                let first = text.find(['*', '?', '[', '@', '+', '!']).unwrap_or(0);
                let last = text.rfind(['*', '?', ']', ')']).map_or(text.len(), |at| at + 1);
                if !cut {
                    prefix = prefix.concat(&Value::known(&text[..first]));
                }
                cut = true;
                suffix = Value::known(&text[last.max(first)..]);
            }
            _ => {
                if !cut {
                    prefix = prefix.concat(value);
                }
                suffix = suffix.concat(value);
            }
        }
    }
    prefix.concat(&Value::Unknown).concat(&suffix)
}
