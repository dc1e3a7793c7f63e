//! Files that a known program reads before its words: code that it runs, and options that count as if they had been given.
//!
//! Owns that they are read as they stand there by then. A person's own file is theirs: what it plainly does counts, and what
//! cannot be told of it only means that what is not committed is kept first.

use std::path::PathBuf;
use std::sync::Arc;

use crate::code::CodeEffect;
use crate::knowledge::{FirstFile, Takes, Words, is_true, variables};
use crate::model::Value;
use crate::shell::expand::Expansion;
use crate::shell::interp::{Scope, Shell};
use crate::shell::simple::Call;
use crate::shell::state::State;
use crate::shell::step::{Arg, StepKind};
use crate::world::{FileKind, LookError};

use super::said;

/// Most files of a project's code of one kind that are read.
const FILES: usize = 200;

impl Shell<'_> {
    /// Follows the code in the files that a program reads first.
    pub(in crate::shell) fn first_files(&mut self, state: &mut State, name: &str, call: &Call) {
        if state.scope.host.is_some() {
            return;
        }
        for first in variables().first_files(name) {
            let Some(language) = first.code().filter(|_| !is_told_not_to(first, call)) else { continue };
            if !self.are_asked_for(state, call, first) {
                continue;
            }
            let files = self.files_of(state, call, (&first.files, &first.named));
            // Settings of the person are read whole; code of a project is kept like any, as far as it is not read.
            let most = if first.takes.is_empty() { files.len() } else { FILES };
            let named =
                |file: String| if first.names { self.code_named_in(state, &file) } else { vec![file] };
            let files: Vec<String> = files.into_iter().flat_map(named).collect();
            for file in files.into_iter().take(most) {
                if first.takes.is_empty() {
                    self.first_file(state, call, &file, language);
                } else {
                    self.project_code(state, call, (first, &file, language));
                }
            }
        }
    }

    /// Files with code that settings name, from where those stand.
    fn code_named_in(&self, state: &State, file: &str) -> Vec<String> {
        let text = self.text_of_first(state, file).unwrap_or_default();
        let dir = file.rsplit_once('/').map_or("", |(dir, _)| dir);
        let place = |name: String| match dir {
            "" => name,
            _ if name.starts_with('/') => name,
            dir => format!("{dir}/{name}"),
        };
        said::code_files(&text).into_iter().map(place).collect()
    }

    fn first_file(&mut self, state: &mut State, call: &Call, file: &str, language: &str) {
        let path = Value::known(file);
        let text = match self.text_of_first(state, file) {
            Ok(text) => text,
            Err(LookError::NotFound) => return,
            Err(why) => return self.unread_first(state, call, file, &why),
        };
        let scope = Scope::clone(&Arc::clone(&state.scope).following(&path));
        if language == "shell" {
            return self.first_script(state, call, scope, &text);
        }
        self.first_lines(state, call, &scope, &text, language);
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

    /// A script of the person's that a program starts.
    fn first_script(&mut self, state: &mut State, call: &Call, mut scope: Scope, text: &str) {
        scope.own = self.handed_on(state, "HOME").is_none();
        let mut way = state.possible();
        way.within(&scope, |way| {
            self.fresh_shell(way, &Value::known(text), call.span, Value::known("sh"), Default::default());
        });
        state.files.merge(&way.files);
    }

    /// What lines of it plainly do, whatever the rest is. Programs that nothing is known of are the person's own.
    fn first_lines(&mut self, state: &mut State, call: &Call, scope: &Scope, text: &str, language: &str) {
        let (unread, effects): (Vec<_>, Vec<_>) = crate::code::told(language, text)
            .into_iter()
            .partition(|effect| matches!(effect, CodeEffect::Unknown { .. }));
        // Nobody knows what the program makes of such a file, whosever it is.
        for effect in unread {
            let kind = StepKind::Code { language: super::code::fixed(language), effect };
            self.emit_as(state, call.span, &call.raw, kind);
        }
        if effects.is_empty() {
            return;
        }
        let mut own = scope.clone();
        own.own = self.handed_on(state, "HOME").is_none();
        let mut way = state.possible();
        way.within(&own, |way| {
            for effect in effects {
                self.code_effect(way, super::code::fixed(language), effect, call.span, &call.raw);
            }
        });
        state.files.merge(&way.files);
    }

    /// Shell text of somebody's own choice, in a directory: what cannot be told of it is their business.
    pub(crate) fn run_own(
        &mut self,
        state: &mut State,
        call: &Call,
        text: &str,
        (through, dir): (&str, PathBuf),
    ) {
        let mut scope = Scope::clone(&state.scope.through(through));
        scope.own = true;
        let mut way = state.possible();
        way.cwd = vec![dir];
        way.within(&scope, |way| {
            self.fresh_shell(way, &Value::known(text), call.span, Value::known("sh"), Default::default());
        });
        state.files.merge(&way.files);
    }

    /// One that stands there and is not read may hold anything. What is kept from whoever asks is somebody's own: what is not
    /// committed is kept first.
    fn unread_first(&mut self, state: &mut State, call: &Call, file: &str, why: &LookError) {
        let kind = if matches!(why, LookError::Private | LookError::Denied | LookError::Elsewhere) {
            let effect = CodeEffect::Waits { handed: Vec::new() };
            StepKind::Code { language: "code", effect }
        } else {
            StepKind::Opaque { reason: format!("{file} is read first, and nobody looked into it: {why}") }
        };
        self.emit_as(state, call.span, &call.raw, kind);
    }

    pub(super) fn text_of_first(&self, state: &State, file: &str) -> Result<String, LookError> {
        let path = self.absolute(state, &Value::known(file)).ok_or(LookError::NotFound)?;
        self.read_settings(state, &path, self.options.limits.script_bytes)
    }

    /// Whether the call, and another file of the person, say that they are read.
    fn are_asked_for(&self, state: &State, call: &Call, first: &FirstFile) -> bool {
        let has =
            |word: &&str| call.arguments().iter().any(|given| given.arg.value.as_known() == Some(*word));
        let says = |file: &String| {
            let text = self.text_of_first(state, file).unwrap_or_default();
            let lines = || text.lines().map(str::trim);
            first.says.iter().any(|part| lines().any(|line| line.starts_with(part)))
        };
        (first.when.is_empty() || first.when.iter().any(has))
            && (first.says.is_empty() || self.files_of(state, call, (&first.needs, &[])).iter().any(says))
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
        let mut all = variables().first_files(name).filter(|first| first.code().is_none());
        let first = all.find(|first| !is_told_not_to(first, call))?;
        if !self.are_asked_for(state, call, first) {
            return None;
        }
        let tool = self.knowledge.tool(name)?;
        let mut words = Vec::new();
        for file in self.files_of(state, call, (&first.files, &first.named)) {
            let Ok(text) = self.text_of_first(state, &file) else { continue };
            let said = if said::is_structured(&file) {
                said::settings(&text)
            } else {
                let own = |(key, value): (&str, &str)| (key.to_owned(), value.to_owned());
                text.lines().flat_map(settings_of).map(own).collect()
            };
            for (key, value) in &said {
                let value = value.as_str();
                if first.split.contains(&key.as_str()) {
                    words.extend(words_of(value));
                    continue;
                }
                let spelled =
                    if key.starts_with('-') { key.clone() } else { format!("--{}", key.replace('_', "-")) };
                let Some(option) = tool.root.options.iter().find(|option| option.is_on(&spelled)) else {
                    continue;
                };
                match (option.takes, value) {
                    (Takes::Always, "") => {}
                    (Takes::Always, value) => words.extend([spelled, value.to_owned()]),
                    (_, value) if value.is_empty() || is_true(value) => words.push(spelled),
                    (Takes::Attached, value) => words.push(format!("{spelled}={value}")),
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
    fn files_of(&self, state: &State, call: &Call, (files, named): (&Words, &[&'static str])) -> Vec<String> {
        let text = |value: Value| value.as_known().map(str::to_owned);
        let variable = |name: &str| {
            let given = call.environment.iter().rev().find(|(known, _)| known == name);
            match given {
                Some((_, value)) => text(value.clone()),
                None => self.scalar(state, name).and_then(text),
            }
        };
        let words = || call.arguments().iter().filter_map(|word| word.arg.value.as_known());
        let dir_of = |dir: &'static str| match dir.strip_prefix("~/") {
            Some(rest) => variable("HOME").map(|home| format!("{home}/{rest}")),
            None => Some(dir.to_owned()),
        };
        let place = |file: &'static str| {
            if file.starts_with("~/") {
                return dir_of(file);
            }
            // Beside a program that is called by its path.
            if let Some(rest) = file.strip_prefix("@/") {
                let program = call.words.first().and_then(|word| word.arg.value.as_known())?;
                return program.rsplit_once('/').map(|(dir, _)| format!("{dir}/{rest}"));
            }
            let Some(named) = file.strip_prefix('$') else { return Some(file.to_owned()) };
            let (name, rest) = named.split_at(named.find('/').unwrap_or(named.len()));
            variable(name).filter(|dir| !dir.is_empty()).map(|dir| format!("{dir}{rest}"))
        };
        // In a directory, or as it stands: the file that an option names.
        let place = |file: &'static str| {
            let path = if file == "-" { String::new() } else { place(file)? };
            let optional = path.is_empty() || path.ends_with('/');
            Some(if optional { format!("{path}{}", option_of(call, named)?) } else { path })
        };
        let each = |file: String| match file.contains(':') {
            true => file.split(':').map(str::to_owned).chain([file.clone()]).collect(),
            false => vec![file],
        };
        let there = |file: &String| {
            let path = self.absolute(state, &Value::known(file.as_str()));
            path.is_some_and(|path| self.is_kind(state, &path, FileKind::File) == Some(true))
        };
        let all = |file: String| match file.contains('*') {
            true => self.pattern_names(state, &file).unwrap_or_default(),
            false => vec![file],
        };
        // What the words of the call name, and what lies below.
        let given = |file: &'static str| -> Vec<String> {
            match file.split_once("{}") {
                Some((dir, rest)) if !dir.is_empty() => {
                    let names = words().filter(|word| !word.starts_with('-') && !word.contains('/'));
                    let dirs: Vec<String> = dir_of(dir).into_iter().collect();
                    let named =
                        |name: &str| dirs.iter().map(|dir| format!("{dir}{name}{rest}")).collect::<Vec<_>>();
                    names.flat_map(named).collect()
                }
                Some((_, rest)) => words()
                    .filter(|word| !word.starts_with('-') && (!rest.is_empty() || file_like(word)))
                    .map(|word| {
                        format!("{}{rest}", word.split("::").next().unwrap_or(word).trim_end_matches('/'))
                    })
                    .collect(),
                None => place(file).into_iter().collect(),
            }
        };
        files.iter().flat_map(given).flat_map(each).flat_map(all).filter(there).collect()
    }
}

/// Whether a word may be a file with code, and no more than a word.
fn file_like(word: &str) -> bool {
    word.rsplit('/').next().is_some_and(|name| name.contains('.'))
}

/// The value of one of these options.
fn option_of<'c>(call: &'c Call, options: &[&str]) -> Option<&'c str> {
    let words = call.arguments();
    let known = |at: usize| words.get(at).and_then(|word| word.arg.value.as_known());
    (0..words.len()).find_map(|at| {
        let word = known(at)?;
        let behind = |option: &&str| word.strip_prefix(*option)?.strip_prefix('=');
        if options.contains(&word) { known(at + 1) } else { options.iter().find_map(behind) }
    })
}

/// Whether an option says that they are not read.
fn is_told_not_to(first: &FirstFile, call: &Call) -> bool {
    let words = call.arguments().iter().filter_map(|word| word.arg.value.as_known());
    words.into_iter().any(|word| first.unless.contains(&word))
}

/// The words in a setting: one behind the other, or as a list of texts.
fn words_of(value: &str) -> Vec<String> {
    match value.strip_prefix('[') {
        Some(list) => {
            let each = list.trim_end_matches(']').split(',').map(|one| one.trim().trim_matches(['"', '\'']));
            each.filter(|one| !one.is_empty()).map(str::to_owned).collect()
        }
        None => shell_words::split(value).unwrap_or_default(),
    }
}

/// The settings of a line: options as they are given, of which several may stand in it, some for one part of the program
/// (`--memcheck:xml=yes`); or one setting.
fn settings_of(line: &str) -> Vec<(&str, &str)> {
    let line = line.trim();
    // An element of a list of options.
    let quoted = |sign: char| line.strip_prefix(sign).filter(|rest| rest.starts_with("--"));
    let line = quoted('"')
        .or_else(|| quoted('\''))
        .map_or(line, |rest| rest.trim_end_matches([',', ']', ' ']).trim_end_matches(['"', '\'']));
    let options =
        line.starts_with("--") && line.split_whitespace().skip(1).all(|word| word.starts_with("--"));
    if !options {
        return setting(line).into_iter().collect();
    }
    let each = line.split_whitespace().map(|word| {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        let own = name.rsplit_once(':').map_or(name, |(_, own)| own);
        (own, value.trim_matches('"'))
    });
    each.collect()
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
