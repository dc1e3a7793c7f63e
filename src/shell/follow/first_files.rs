//! Files that a known program reads before its words: code that it runs, and options that count as if they had been given.
//!
//! Owns that they are read as they stand there by then. A person's own file is theirs: what it plainly does counts, and what
//! cannot be told of it only means that what is not committed is kept first.

use std::sync::Arc;

use crate::code::CodeEffect;
use crate::knowledge::{FirstFile, Takes, is_true, variables};
use crate::model::Value;
use crate::shell::expand::Expansion;
use crate::shell::interp::{Scope, Shell};
use crate::shell::simple::Call;
use crate::shell::state::State;
use crate::shell::step::{Arg, StepKind};
use crate::world::FileKind;

impl Shell<'_> {
    /// Follows the code in the files that a program reads first.
    pub(in crate::shell) fn first_files(&mut self, state: &mut State, name: &str, call: &Call) {
        if state.scope.host.is_some() {
            return;
        }
        for first in variables().first_files(name) {
            let Some(language) = first.code().filter(|_| !is_told_not_to(first, call)) else { continue };
            for file in self.files_of(state, call, first) {
                self.first_file(state, call, &file, language);
            }
        }
    }

    fn first_file(&mut self, state: &mut State, call: &Call, file: &str, language: &str) {
        let path = Value::known(file);
        let limit = self.options.limits.script_bytes;
        let Some(text) = self.absolute(state, &path).and_then(|path| self.read_text(state, &path, limit))
        else {
            return;
        };
        let scope = Scope::clone(&Arc::clone(&state.scope).following(&path));
        let effects = crate::code::analyse(language, &text, &[]);
        let shown = call.raw.as_str();
        let mut way = state.possible();
        way.within(&scope, |way| {
            for effect in effects {
                let effect = match effect {
                    CodeEffect::Unknown { .. } => CodeEffect::Waits { handed: Vec::new() },
                    other => other,
                };
                match effect {
                    CodeEffect::Waits { .. } => {
                        let language = super::code::fixed(language);
                        self.emit_as(way, call.span, shown, StepKind::Code { language, effect });
                    }
                    effect => {
                        let language = super::code::fixed(language);
                        self.code_effect(way, language, effect, call.span, shown);
                    }
                }
            }
        });
        state.files.merge(&way.files);
    }

    /// The call with the options in front that files of a program hold; `None` where there are none.
    pub(in crate::shell) fn with_options_of_files(
        &self,
        state: &State,
        name: &str,
        call: &Call,
    ) -> Option<Call> {
        if state.scope.host.is_some() {
            return None;
        }
        let first = variables().first_files(name).find(|first| first.code().is_none())?;
        if is_told_not_to(first, call) {
            return None;
        }
        let tool = self.knowledge.tool(name)?;
        let limit = self.options.limits.script_bytes;
        let mut words = Vec::new();
        for file in self.files_of(state, call, first) {
            let path = self.absolute(state, &Value::known(file))?;
            // Some stand beside keys; only options that are known are taken out of them.
            let text = self.read_text(state, &path, limit);
            let Some(text) = text.or_else(|| self.world.read_settings(&path, limit).ok()) else { continue };
            for (key, value) in text.lines().filter_map(setting) {
                let spelled = if key.starts_with('-') {
                    key.to_owned()
                } else {
                    format!("--{}", key.replace('_', "-"))
                };
                let Some(option) = tool.root.options.iter().find(|option| option.is_on(&spelled)) else {
                    continue;
                };
                match (option.takes, value) {
                    (Takes::Always, "") => {}
                    (Takes::Always, value) => words.extend([spelled, value.to_owned()]),
                    (_, value) if value.is_empty() || is_true(value) => words.push(spelled),
                    _ => {}
                }
            }
        }
        if words.is_empty() {
            return None;
        }
        let mut call = call.clone();
        let words = words.into_iter().map(|word| Expansion {
            arg: Arg { value: Value::Known(word), span: call.span, explicit: false },
            elastic: false,
            unordered: false,
        });
        let words: Vec<Expansion> = words.collect();
        call.words.splice(1..1, words);
        Some(call)
    }

    /// Those of the files that stand there.
    fn files_of(&self, state: &State, call: &Call, first: &FirstFile) -> Vec<String> {
        let text = |value: Value| value.as_known().map(str::to_owned);
        let variable = |name: &str| {
            let given = call.environment.iter().rev().find(|(known, _)| known == name);
            match given {
                Some((_, value)) => text(value.clone()),
                None => self.scalar(state, name).and_then(text),
            }
        };
        let place = |file: &'static str| {
            if let Some(rest) = file.strip_prefix("~/") {
                return variable("HOME").map(|home| format!("{home}/{rest}"));
            }
            let Some(named) = file.strip_prefix('$') else { return Some(file.to_owned()) };
            let (name, rest) = named.split_at(named.find('/').unwrap_or(named.len()));
            variable(name).filter(|dir| !dir.is_empty()).map(|dir| format!("{dir}{rest}"))
        };
        let there = |file: &String| {
            let path = self.absolute(state, &Value::known(file.as_str()));
            path.is_some_and(|path| self.is_kind(state, &path, FileKind::File) == Some(true))
        };
        first.files.iter().filter_map(place).filter(there).collect()
    }
}

/// Whether an option says that they are not read.
fn is_told_not_to(first: &FirstFile, call: &Call) -> bool {
    let words = call.arguments().iter().filter_map(|word| word.arg.value.as_known());
    words.into_iter().any(|word| first.unless.contains(&word))
}

/// `key = value`, `key: value`, `key value`.
fn setting(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return None;
    }
    let end = line.find(|c: char| c.is_whitespace() || matches!(c, '=' | ':')).unwrap_or(line.len());
    let (key, rest) = line.split_at(end);
    let value = rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '=' | ':')).trim();
    Some((key, value.trim_matches('"')))
}
