//! Commands and code in variables that programs run: editors, pagers, transports, startup files. Git has its own.

use std::collections::BTreeSet;
use std::path::Path;

use crate::knowledge::{Held, Valued, Words, Written, places, variables};
use crate::model::Value;
use crate::shell::expand::Expansion;
use crate::shell::interp::Shell;
use crate::shell::simple::Call;
use crate::shell::state::State;
use crate::shell::step::{Arg, Mode, StepKind};

/// What is looked at also where it was set before: each makes programs load code.
const LOADERS: [&str; 13] = [
    "LD_PRELOAD",
    "LD_AUDIT",
    "DYLD_INSERT_LIBRARIES",
    "NODE_OPTIONS",
    "PERL5OPT",
    "PERL5DB",
    "OPENSSL_CONF",
    "OPENSSL_ENGINES",
    "OPENSSL_MODULES",
    "RUBYOPT",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "JDK_JAVA_OPTIONS",
];

impl Shell<'_> {
    /// Follows the commands in `environment`, the variables that this command itself sets.
    pub(in crate::shell) fn environment_commands(
        &mut self,
        state: &mut State,
        name: &str,
        call: &Call,
        environment: &[(String, Value)],
    ) {
        for (variable, value) in environment {
            if value.as_known() == Some("") {
                continue;
            }
            for held in variables().held(variable, name) {
                let inner = state.scope.through(variable);
                let mut way = state.possible();
                way.within(&inner, |way| self.held_value(way, call, variable, value, held));
                state.files.merge(&way.files);
            }
        }
    }

    /// The same of a program that only informs: libraries are loaded before it reads its words.
    pub(in crate::shell) fn environment_libraries(
        &mut self,
        state: &mut State,
        name: &str,
        call: &Call,
        environment: &[(String, Value)],
    ) {
        let first = |held: Held<'_>| match held {
            Held::Library { .. } | Held::Libraries => true,
            Held::Loads(when, _) => !when.is_empty(),
            _ => false,
        };
        let loads = |variable: &str| variables().held(variable, name).any(first);
        let libraries =
            environment.iter().filter(|(variable, _)| loads(variable)).cloned().collect::<Vec<_>>();
        self.environment_commands(state, name, call, &libraries);
    }

    /// Variables that were there before: where they make programs load files of a place that anybody may write to, or of
    /// this directory. What else a person's own environment holds is theirs.
    pub(in crate::shell) fn inherited(
        &mut self,
        state: &mut State,
        name: &str,
        call: &Call,
        environment: &[(String, Value)],
    ) {
        if state.scope.host.is_some() {
            return;
        }
        for variable in LOADERS {
            let Some(text) = self.world.env(variable).filter(|text| !text.is_empty()) else { continue };
            let unset =
                self.scalar(state, variable).is_none_or(|value| value.as_known() != Some(text.as_str()));
            if unset || environment.iter().any(|(known, _)| known == variable) {
                continue;
            }
            let anybodys = |one: &str| {
                let path = Path::new(one);
                let here = !one.starts_with('/') || state.cwd.iter().any(|dir| path.starts_with(dir));
                one.contains('/') && (here || places().shared.iter().any(|place| path.starts_with(place)))
            };
            if variables().held(variable, name).next().is_some() && text.split([':', ' ', '=']).any(anybodys)
            {
                self.loads_code(state, call, variable);
            }
        }
    }

    /// Whether a value is the path of a script that can be read, elsewhere than where the machine's own programs are.
    fn is_script(&self, state: &State, value: &Value) -> bool {
        let Some(path) = self.absolute(state, value) else { return false };
        let folder = path.parent().and_then(Path::to_str);
        let machines = folder.is_some_and(|folder| places().holds_programs(folder));
        value.as_known().is_some_and(|text| text.contains('/'))
            && !machines
            && self.is_text_here(state, value)
    }

    fn loads_code(&mut self, state: &mut State, call: &Call, variable: &str) {
        let reason = format!("`{variable}` makes the program load code that is not looked at");
        self.emit_as(state, call.span, &call.raw, StepKind::Opaque { reason });
    }

    fn held_value(&mut self, state: &mut State, call: &Call, variable: &str, value: &Value, held: Held<'_>) {
        let file = |value: Value| Arg { value, span: call.span, explicit: false };
        match held {
            Held::Options(_) | Held::Value(_) => {}
            // A script of one's own is read; what a program of the machine does with its words is that program's business.
            Held::Program
                if value.as_known().is_some_and(|text| !runs_more(text)) && !self.is_script(state, value) => {
            }
            Held::Command | Held::Program => {
                // `LESSOPEN` marks a command whose output is read by a bar in front.
                let text = match value.as_known() {
                    Some(text) => Value::known(text.trim_start_matches(['|', '-'])),
                    None => value.clone(),
                };
                let zero = Value::known("sh");
                self.fresh_shell(state, &text, call.span, zero, Default::default());
            }
            Held::Code(language) => match value.as_known().and_then(|text| text.strip_prefix('@')) {
                Some(name) if language == "lua" => {
                    self.code_file(state, language, &file(Value::known(name)), &[]);
                }
                _ => self.code(state, language, value, &[], call.span, &call.raw),
            },
            Held::Script(language) => self.code_file(state, language, &file(value.clone()), &[]),
            Held::Library { here, unless } => {
                // A bare name is looked for where libraries are installed.
                let loaded = value.as_known().is_none_or(|text| {
                    text.split([':', ' ']).any(|one| {
                        let systems = is_library(one) || unless.iter().any(|start| one.starts_with(start));
                        (here && !one.is_empty() || one.contains('/')) && !systems
                    })
                });
                if loaded {
                    self.loads_code(state, call, variable);
                }
            }
            Held::Loads(when, unless) => {
                let has = |text: &str| {
                    (when.is_empty() || when.iter().any(|part| text.contains(*part)))
                        && !unless.iter().any(|start| text.starts_with(*start))
                };
                if value.as_known().is_some_and(has) || value.as_known().is_none() && when.is_empty() {
                    self.loads_code(state, call, variable);
                }
            }
            Held::Folder(files, reads) => self.folder(state, call, value, files, reads),
            Held::Libraries if self.shadows_library(state, value) => self.loads_code(state, call, variable),
            Held::Libraries => {}
            Held::Written(written) => self.written_by_name(state, call, value, written),
        }
    }

    /// The files that a value names are written.
    fn written_by_name(&mut self, state: &mut State, call: &Call, value: &Value, written: Written<'_>) {
        let words = call.arguments().iter().filter_map(|word| word.arg.value.as_known());
        if !written.is_asked(words.map(str::to_owned)) {
            return;
        }
        let names = match value.choices() {
            Some(all) => all.iter().flat_map(|text| written.names(text)).map(Value::known).collect(),
            None if written.is_whole() => vec![value.clone()],
            None => Vec::new(),
        };
        let mode = if written.appends() { Mode::Append } else { Mode::Truncate };
        for name in names {
            let path = Arg { value: name, span: call.span, explicit: false };
            let kind = StepKind::Write { path, mode, noclobber: false, content: None };
            self.emit_as(state, call.span, &call.raw, kind);
        }
    }

    /// Files that are read first where they stand in one of the directories that a value names.
    fn folder(&mut self, state: &mut State, call: &Call, value: &Value, files: Words, reads: &str) {
        let Some(texts) = value.choices() else { return };
        for dir in texts.iter().flat_map(|text| text.split(':')) {
            for name in files.iter() {
                let path = Value::known(format!("{}/{name}", if dir.is_empty() { "." } else { dir }));
                let there = self.absolute(state, &path).map(|path| self.exists(state, &path));
                if there != Some(Some(true)) {
                    continue;
                }
                let file = Arg { value: path, span: call.span, explicit: false };
                match reads {
                    "shell" => self.script_word(state, &file, Vec::new()),
                    "settings" => {
                        let reason = format!("settings that are not looked at are read from `{dir}`");
                        self.emit_as(state, call.span, &call.raw, StepKind::Opaque { reason });
                    }
                    language => self.code_file(state, language, &file, &[]),
                }
            }
        }
    }

    /// The call with the words that variables add to it; `None` where they add nothing.
    pub(in crate::shell) fn with_options_of_variables(
        &self,
        state: &State,
        name: &str,
        call: &Call,
    ) -> Option<Call> {
        // Words are sought only where a variable of this command may hold some.
        let holds = |variable: &str| {
            let asked = |words: Words| {
                let mut given = call.arguments().iter().filter_map(|one| one.arg.value.as_known());
                words.is_empty() || given.any(|word| words.has(word))
            };
            variables().held(variable, name).any(|held| match held {
                Held::Options(words) => asked(words),
                Held::Value(_) => true,
                _ => false,
            })
        };
        let given = call.environment.iter().map(|(variable, _)| variable.clone());
        // Those of a person's own environment are words of every call here, too.
        let here = state.scope.host.is_none();
        let theirs = variables().options(name).filter(|variable| here && holds(variable)).map(str::to_owned);
        let list: BTreeSet<String> = given.filter(|variable| holds(variable)).chain(theirs).collect();
        let mut words = Vec::new();
        for variable in &list {
            let exported = || self.exported_value(state, variable);
            let given = call.environment.iter().rev().find(|(known, _)| known == variable);
            let Some(value) = given.map(|(_, value)| value.clone()).or_else(exported) else { continue };
            let asked = |valued: &Valued<'_>| {
                valued.is_asked(call.arguments().iter().filter_map(|one| one.arg.value.as_known()))
            };
            let valued = variables().held(variable, name).find_map(|held| match held {
                Held::Value(valued) => Some(valued),
                _ => None,
            });
            let texts = value.as_known().map(shell_words::split);
            let values = match (valued, texts) {
                (Some(valued), _) if asked(&valued) => vec![Value::known(valued.option), value],
                (Some(_), _) => Vec::new(),
                (None, Some(Ok(texts))) => texts.into_iter().map(Value::Known).collect(),
                (None, _) => vec![Value::Unknown],
            };
            words.extend(values.into_iter().map(|value| Expansion {
                arg: Arg { value, span: call.span, explicit: false },
                elastic: false,
                unordered: false,
            }));
        }
        if words.is_empty() {
            return None;
        }
        let mut call = call.clone();
        let dashes = call.words.iter().position(|word| word.arg.value.as_known() == Some("--"));
        let at = dashes.unwrap_or(call.words.len());
        call.words.splice(at..at, words);
        Some(call)
    }
}

/// Whether a compiler's or shell's name is more than that: shell text, or a file of this directory.
fn runs_more(text: &str) -> bool {
    text.contains([';', '|', '&', '$', '`', '(', '<', '>']) || text.contains('/') && !text.starts_with('/')
}

pub(super) fn is_library(path: &str) -> bool {
    ["/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/", "/usr/local/lib/", "/opt/homebrew/"]
        .iter()
        .any(|place| path.starts_with(place))
}
