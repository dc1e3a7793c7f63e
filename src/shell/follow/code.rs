//! Code in other languages: its effects come as steps, what it runs is followed.

use std::path::Path;

use crate::code::{CodeEffect, Program, Reading, Source, Sources, analyse_with, matched, plain_language};
use crate::knowledge::{Match, places};
use crate::model::{Span, Value};
use crate::shell::expand::Expansion;
use crate::shell::interp::Shell;
use crate::shell::simple::Call;
use crate::shell::state::State;
use crate::shell::step::{Arg, StepKind};
use crate::world::FileKind;

use super::shells::FileText;

/// Names for each of which an effect is told on its own.
const EACH: usize = 64;

/// The language that an interpreter's name stands for.
pub(crate) fn language_of(interpreter: &str) -> Option<&'static str> {
    places().language(interpreter)
}

pub(super) fn fixed(name: &str) -> &'static str {
    match name {
        "javascript" | "js" => "node",
        "mongosh" => "mongosh",
        "ftp" => "ftp",
        "vim" => "vim",
        "less" => "less",
        "m4" => "m4",
        "dc" => "dc",
        "ed" => "ed",
        "gdb" => "gdb",
        "lldb" => "lldb",
        "r" => "r",
        "julia" => "julia",
        "elixir" => "elixir",
        "applescript" => "applescript",
        "powershell" => "powershell",
        other => language_of(other).or_else(|| plain_language(other)).unwrap_or("code"),
    }
}

/// Whether it is known what an effect takes away, or which command it is.
pub(super) fn is_plain(effect: &CodeEffect) -> bool {
    match effect {
        CodeEffect::Delete { path, .. } | CodeEffect::Overwrite { path } | CodeEffect::Update { path } => {
            path.as_known().is_some()
        }
        CodeEffect::Rename { from, to } | CodeEffect::Copy { from, to } => {
            from.as_known().is_some() && to.as_known().is_some()
        }
        CodeEffect::Shell { text } => text.as_known().is_some(),
        CodeEffect::Run { argv } => argv.iter().all(|word| word.as_known().is_some()),
        CodeEffect::ChangeDirectory { .. } => true,
        _ => false,
    }
}

/// A program text on its way to be read.
pub struct Code<'a> {
    pub(crate) language: &'a str,
    pub(crate) text: &'a Value,
    pub(crate) arguments: &'a [Value],
    /// The file that it stands in.
    pub(crate) file: Option<&'a str>,
    /// Directories of modules that the command line names.
    pub(crate) roots: Vec<String>,
    pub(crate) reading: Reading,
    pub(crate) span: Span,
    pub(crate) raw: &'a str,
}

impl<'a> Code<'a> {
    /// A text of its own, without arguments, that a call brings in.
    pub(crate) fn of(language: &'a str, text: &'a Value, roots: Vec<String>, call: &'a Call) -> Self {
        let (span, raw) = (call.span, call.raw.as_str());
        Self { language, text, arguments: &[], file: None, roots, reading: Reading::default(), span, raw }
    }
}

/// What `-n`, `-p` and `-i` of Perl and Ruby do with the files that are named.
pub(in crate::shell) fn reading(matched: &Match) -> Reading {
    let filters = ["perl", "ruby"].iter().any(|name| matched.tool.names.iter().any(|tool| tool == name));
    Reading {
        lines: filters && (matched.has("-n") || matched.has("-p")),
        in_place: filters && matched.has("-i"),
        tests: false,
    }
}

/// Files of the machine, as the command sees them.
pub struct Beside<'a, 'b> {
    pub(crate) interp: &'a Shell<'b>,
    pub(crate) state: &'a State,
}

impl Sources for Beside<'_, '_> {
    fn first(&self, paths: &[String]) -> Source {
        if self.state.scope.host.is_some() || self.state.only_cwd().is_none() {
            return Source::Untold;
        }
        for path in paths {
            let Some(at) = self.interp.absolute(self.state, &Value::known(path.as_str())) else {
                return Source::Untold;
            };
            match self.interp.is_kind(self.state, &at, FileKind::File) {
                Some(false) => {}
                Some(true) => {
                    let limit = self.interp.options.limits.script_bytes;
                    return match self.interp.read_text(self.state, &at, limit) {
                        Some(text) => Source::Text { path: path.clone(), text },
                        None => Source::Unreadable,
                    };
                }
                None => return Source::Unreadable,
            }
        }
        Source::Absent
    }

    fn matching(&self, pattern: &str) -> Option<Vec<String>> {
        self.interp.pattern_names(self.state, pattern)
    }

    fn home(&self) -> Option<String> {
        self.interp.home_text(self.state)
    }

    fn variable(&self, name: &str) -> Option<Value> {
        if self.state.scope.host.is_some() {
            return None;
        }
        self.interp.scalar(self.state, name)
    }

    fn is_compiled(&self, stem: &str) -> bool {
        let Some(at) = self.interp.absolute(self.state, &Value::known(stem)) else { return false };
        let (Some(dir), Some(module)) = (at.parent(), at.file_name().and_then(|name| name.to_str())) else {
            return false;
        };
        let extension = self.called(dir, module).iter().any(|name| name.ends_with(".so"));
        let cached = dir.join("__pycache__");
        // Behind the magic number stand the flags: 1 is a hash of the source that is not to be checked.
        // What cannot be read may say so.
        let unchecked = |name: &String| {
            let code = self.interp.world.read_file(&cached.join(name), BYTECODE);
            name.ends_with(".pyc") && code.map_or(true, |code| code.get(4..8) == Some(&[1, 0, 0, 0]))
        };
        extension || self.called(&cached, module).iter().any(unchecked)
    }

    fn place(&self, path: &str, real: bool) -> Option<String> {
        if self.state.scope.host.is_some() || self.state.only_cwd().is_none() {
            return None;
        }
        let at = self.interp.absolute(self.state, &Value::known(path))?;
        let at = if real { self.interp.physical(self.state, &at)? } else { at };
        at.to_str().map(str::to_owned)
    }
}

impl Beside<'_, '_> {
    /// Names in a directory that begin with a module's name and a point.
    fn called(&self, dir: &Path, module: &str) -> Vec<String> {
        let names = self.interp.list(self.state, dir, LYING).unwrap_or_default();
        let own = |name: &String| name.strip_prefix(module).is_some_and(|rest| rest.starts_with('.'));
        names.into_iter().map(|entry| entry.name).filter(own).collect()
    }
}

/// Most names of a directory that are looked through for what is compiled.
const LYING: usize = 4_096;
/// Largest file of bytecode whose flags are read, in bytes.
const BYTECODE: u64 = 4 << 20;

impl Shell<'_> {
    /// Code text.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn code(
        &mut self,
        state: &mut State,
        name: &str,
        text: &Value,
        arguments: &[Value],
        span: Span,
        raw: &str,
    ) {
        let reading = Reading::default();
        let code =
            Code { language: name, text, arguments, file: None, roots: Vec::new(), reading, span, raw };
        self.run_code(state, code);
    }

    /// Code text, with all that is known of it.
    pub(crate) fn run_code(&mut self, state: &mut State, code: Code<'_>) {
        let language = fixed(code.language);
        // Places of which only the signs are known are marked: what reads the text sees that it is no more than text.
        let woven = code.text.woven().map(|text| [text.to_owned()]);
        let Some(texts) = code.text.choices().or(woven.as_ref().map(|text| text.as_slice())) else {
            let reason = format!("{} code that is not known before it runs", code.language);
            let effect = CodeEffect::Unknown { reason };
            self.emit_as(state, code.span, code.raw, StepKind::Code { language, effect });
            return;
        };
        let mut roots = code.roots;
        roots.extend(self.module_roots(state, language));
        for text in texts {
            let Code { arguments, file, reading, .. } = code;
            let program = Program { language, text, arguments, file, roots: &roots, reading };
            let effects = analyse_with(&program, &Beside { interp: self, state });
            self.code_effects(state, language, effects, code.span, code.raw);
        }
    }

    /// What code takes away by names that stand in it, and the commands that it runs; the rest is not told.
    pub(crate) fn run_plainly(&mut self, state: &mut State, code: &Code<'_>) {
        let language = fixed(code.language);
        let Some(text) = code.text.as_known() else { return };
        let Code { arguments, file, reading, .. } = *code;
        let program = Program { language, text, arguments, file, roots: &code.roots, reading };
        let mut effects = analyse_with(&program, &Beside { interp: self, state });
        effects.retain(is_plain);
        self.code_effects(state, language, effects, code.span, code.raw);
    }

    /// Directories in which a language looks for modules, as the environment names them.
    pub(crate) fn module_roots(&self, state: &State, language: &str) -> Vec<String> {
        let variable = match language {
            "python" => "PYTHONPATH",
            "perl" => "PERL5LIB",
            "ruby" => "RUBYLIB",
            "node" => "NODE_PATH",
            _ => return Vec::new(),
        };
        let value = self.scalar(state, variable);
        let text = value.as_ref().and_then(Value::as_known).unwrap_or_default();
        text.split(':').filter(|root| !root.is_empty()).map(str::to_owned).collect()
    }

    /// What code does, as steps; what it runs is followed.
    pub(crate) fn code_effects(
        &mut self,
        state: &mut State,
        language: &'static str,
        effects: Vec<CodeEffect>,
        span: Span,
        raw: &str,
    ) {
        let cwd = state.cwd.clone();
        let sets = effects.iter().any(|effect| matches!(effect, CodeEffect::SetVariable { .. }));
        let variables = sets.then(|| state.variables.clone());
        for effect in effects {
            if !self.code_effect(state, language, effect, span, raw) {
                return;
            }
        }
        state.cwd = cwd;
        if let Some(variables) = variables {
            state.variables = variables;
        }
    }

    /// A variable that code sets for what it runs; any of those that programs are given, where its name is not known.
    fn variable_set(&mut self, state: &mut State, name: &Value, value: &Value) {
        let names = match name.choices() {
            Some(names) => names.to_vec(),
            None => self.exported(state).into_iter().map(|(name, _)| name).collect(),
        };
        let sure = names.len() == 1 && name.as_known().is_some();
        for name in names.iter().filter(|name| name.chars().all(|c| c.is_alphanumeric() || c == '_')) {
            let value = match self.scalar(state, name) {
                Some(before) if !sure => before.join(value),
                _ => value.clone(),
            };
            self.assign_scalar(state, name, value);
            self.export(state, name);
        }
    }

    /// One effect; false when no more is followed.
    pub(super) fn code_effect(
        &mut self,
        state: &mut State,
        language: &'static str,
        effect: CodeEffect,
        span: Span,
        raw: &str,
    ) -> bool {
        if !self.tick(state, span) {
            return false;
        }
        match effect {
            CodeEffect::Shell { text } => {
                let (zero, positional) = (Value::known("sh"), Default::default());
                self.fresh_shell(state, &text, span, zero, positional);
            }
            CodeEffect::Run { argv } => {
                let words = argv
                    .into_iter()
                    .map(|value| Expansion {
                        arg: Arg { value, span, explicit: false },
                        elastic: false,
                        unordered: false,
                    })
                    .collect();
                self.program(state, words, span);
            }
            CodeEffect::ChangeDirectory { path } => state.cwd = self.directories(state, &path),
            CodeEffect::SetVariable { name, value } => self.variable_set(state, &name, &value),
            CodeEffect::Delete { path: Value::Known(pattern), glob: true, recursive } => {
                for effect in self.matching(state, &pattern, recursive) {
                    self.emit_as(state, span, raw, StepKind::Code { language, effect });
                }
            }
            CodeEffect::Each { pattern, effect } => {
                return self
                    .each(state, &pattern, *effect)
                    .into_iter()
                    .all(|effect| self.code_effect(state, language, effect, span, raw));
            }
            effect => {
                let into = match &effect {
                    CodeEffect::Unpack { into, .. } => self.absolute(state, into),
                    _ => None,
                };
                self.emit_as(state, span, raw, StepKind::Code { language, effect });
                if let Some(into) = into.filter(|_| state.scope.host.is_none()) {
                    state.files.bring(into);
                }
            }
        }
        true
    }

    /// An effect on each name that a pattern matches now; on something unknown of them where that cannot be listed.
    fn each(&self, state: &State, pattern: &Value, effect: CodeEffect) -> Vec<CodeEffect> {
        let braces = |text: &str| text.contains('{');
        let names = pattern
            .as_known()
            .filter(|text| !braces(text))
            .and_then(|text| Some((text, self.pattern_names(state, text)?)))
            .filter(|(_, names)| names.len() <= EACH);
        match names {
            Some((text, names)) => {
                let named = |name: &String| {
                    effect.clone().map(&|value| match value.as_known() {
                        Some(known) => Value::known(known.replace(text, name)),
                        None => value,
                    })
                };
                names.iter().map(named).collect()
            }
            None => {
                let some = |value: Value| match (value.as_known(), pattern.as_known()) {
                    (Some(known), Some(text)) if known.contains(text) => matched(&value),
                    _ if value == *pattern => matched(pattern),
                    _ => value,
                };
                vec![effect.map(&some)]
            }
        }
    }

    /// A deletion by pattern as deletions of what it matches now; the pattern itself when that cannot be listed.
    fn matching(&self, state: &State, pattern: &str, recursive: bool) -> Vec<CodeEffect> {
        let whole = || CodeEffect::Delete { path: Value::known(pattern), glob: true, recursive };
        let braces = pattern.contains('{');
        let Some(names) = (!braces).then(|| self.pattern_names(state, pattern)).flatten() else {
            return vec![whole()];
        };
        // Functions that delete a file refuse a directory.
        let deletable = |name: &String| {
            let path = self.absolute(state, &Value::known(name.as_str()));
            recursive || path.is_none_or(|path| self.is_directory(state, &path) != Some(true))
        };
        names
            .into_iter()
            .filter(deletable)
            .map(|name| {
                let special = name.contains(['*', '?', '[', ']', '{', '}']);
                CodeEffect::Delete { path: Value::Known(name), glob: !special, recursive }
            })
            .collect()
    }

    /// A file with code.
    pub(crate) fn code_file(&mut self, state: &mut State, language: &str, file: &Arg, arguments: &[Value]) {
        self.code_file_in(state, language, file, arguments, Vec::new());
    }

    /// A file with code, whose modules may also be in these directories.
    pub(crate) fn code_file_in(
        &mut self,
        state: &mut State,
        language: &str,
        file: &Arg,
        arguments: &[Value],
        roots: Vec<String>,
    ) {
        let found = (language == "node").then(|| self.node_file(state, &file.value)).flatten();
        let value = found.map_or_else(|| file.value.clone(), Value::Known);
        let shown = file.value.display();
        match self.file_text(state, &value) {
            FileText::Text(text) => {
                let text = Value::Known(text);
                let stream = matches!(value.as_known(), None | Some("-" | "/dev/stdin"));
                let code = Code {
                    language,
                    text: &text,
                    arguments,
                    file: value.as_known().filter(|_| !stream),
                    roots,
                    reading: Reading::default(),
                    span: file.span,
                    raw: &shown,
                };
                self.line = None;
                state.within(&state.scope.following(&file.value), |state| self.run_code(state, code));
            }
            // What is compiled, or found by a name of its own, is one more program.
            FileText::Missing | FileText::Unknown if language == "program" => {
                let args = std::iter::once(file.clone()).collect();
                let kind = StepKind::UnknownProgram { name: shown.clone(), args };
                self.emit_as(state, file.span, &shown, kind);
            }
            FileText::Missing => {}
            // Only these run what lies in a directory; the others say that it is one.
            FileText::Unknown
                if !matches!(language, "python" | "node")
                    && self
                        .absolute(state, &value)
                        .is_some_and(|at| self.is_kind(state, &at, FileKind::Directory) == Some(true)) => {}
            FileText::Unknown => {
                let reason = format!("the {language} program `{shown}` could not be read");
                self.emit_as(state, file.span, &shown, StepKind::Opaque { reason });
            }
        }
    }

    /// The file that Node runs for a name: it adds endings, and looks into a directory.
    fn node_file(&self, state: &State, value: &Value) -> Option<String> {
        let name = value.as_known().filter(|_| state.scope.host.is_none())?;
        let file = |path: &str| {
            let at = self.absolute(state, &Value::known(path));
            at.is_some_and(|at| self.is_kind(state, &at, FileKind::File) == Some(true))
        };
        let name = name.trim_end_matches('/');
        if name.is_empty() || file(name) {
            return None;
        }
        let mut names = ["js", "mjs", "cjs", "ts", "tsx"].map(|ending| format!("{name}.{ending}")).to_vec();
        let package = self.absolute(state, &Value::known(format!("{name}/package.json")));
        let text = package.and_then(|at| self.read_text(state, &at, self.options.limits.script_bytes));
        let package = text.and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok());
        if let Some(main) = package.as_ref().and_then(|package| package.get("main")?.as_str()) {
            names.extend([
                format!("{name}/{main}"),
                format!("{name}/{main}.js"),
                format!("{name}/{main}/index.js"),
            ]);
        }
        names.extend(["js", "mjs", "cjs", "ts", "tsx"].map(|ending| format!("{name}/index.{ending}")));
        names.into_iter().find(|name| file(name))
    }
}
