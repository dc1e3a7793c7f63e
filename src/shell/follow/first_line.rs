//! What a script's first line runs: an interpreter with its options, or a program that makes something else of the file.

use crate::knowledge::Match;
use crate::model::Value;
use crate::shell::interp::Shell;
use crate::shell::simple::Call;
use crate::shell::state::{Flow, State, Switches};
use crate::shell::step::Arg;

use super::is_shell;
use super::shells::new_shell;
use super::startup::{Starting, TAKES_FUNCTIONS};

impl Shell<'_> {
    /// A file that is run by its path. `None` when it is no text that could be followed.
    pub(crate) fn program_file(&mut self, state: &mut State, name: &str, call: &Call) -> Option<Flow> {
        let path = self.absolute(state, &Value::known(name))?;
        let text = self.read_text(state, &path, self.options.limits.script_bytes)?;
        if text.contains('\0') {
            return None;
        }
        let file = call.words.first()?.arg.clone();
        let file = Arg { value: Value::known(name), ..file };
        let arguments = call.values();
        let inner_scope = state.scope.through(name);
        let words = first_line(&text);
        let Some((program, options)) = words.split_first() else {
            // No first line of its own: the calling shell reads it itself.
            state.within(&inner_scope, |state| self.script_word(state, &file, arguments));
            return Some(Flow::Next);
        };
        let interpreter = program.rsplit('/').next().unwrap_or(program);
        // What bears an interpreter's name where the search path leads may be anything.
        let sought = !program.contains('/') && !self.leads_to_system(state, program, call);
        if options.is_empty() && !sought && is_shell(interpreter) {
            state.within(&inner_scope, |state| self.in_shell(state, interpreter, &file, call));
            return Some(Flow::Next);
        }
        let base = name.rsplit('/').next().unwrap_or(name);
        // What is installed under a name that is known starts code that stands elsewhere.
        let named = self.knowledge.tool(base).is_some();
        if named
            && !is_shell(interpreter)
            && (self.knowledge_of_project(base) || self.is_persons(path.parent()?))
        {
            return None;
        }
        let language = super::code::language_of(interpreter).filter(|_| options.is_empty() && !sought);
        let Some(language) = language else {
            let env = interpreter == "env";
            if !env && !is_shell(interpreter) && self.knowledge.tool(interpreter).is_none() {
                return None;
            }
            // The program gets its words, then the script's name, then the operands.
            let words = words.iter().map(|word| Arg::literal(word, call.span));
            let operands = call.arguments().iter().map(|word| word.arg.clone());
            let argv = words.chain([file]).chain(operands).collect();
            self.line = None;
            state.within(&inner_scope, |state| self.argv(state, argv, call.environment.clone(), call.span));
            if !is_shell(interpreter) {
                self.unknown_result(state);
            }
            return Some(Flow::Next);
        };
        let mut inner = state.clone();
        let text = Value::Known(text);
        let code = super::code::Code {
            language,
            text: &text,
            arguments: &arguments,
            file: Some(name),
            roots: Vec::new(),
            reading: crate::code::Reading::default(),
            span: call.span,
            raw: &call.raw,
        };
        self.line = None;
        inner.within(&inner_scope.following(&file.value), |inner| self.run_code(inner, code));
        state.files = inner.files;
        self.unknown_result(state);
        Some(Flow::Next)
    }

    /// A script in a shell of its own, with what the command's variables bring.
    fn in_shell(&mut self, state: &mut State, shell: &str, file: &Arg, call: &Call) {
        let mut inner = state.clone();
        let switches = Switches::of_shell(shell);
        for (name, value) in &call.environment {
            self.assign_scalar(&mut inner, name, value.clone());
            self.export(&mut inner, name);
        }
        let functions = self.exported_functions(&inner);
        new_shell(&mut inner, switches.clone());
        self.start_up(&mut inner, shell, &Starting::default(), call.span);
        for definition in functions.into_iter().filter(|_| shell == TAKES_FUNCTIONS) {
            self.shell_text(&mut inner, &Value::Known(definition), call.span);
        }
        self.script_file_in(&mut inner, file, call.values(), switches);
        state.files = inner.files;
        state.output = inner.output;
        state.status = inner.status;
    }

    /// Perl and Ruby take switches from the first line of a script that they are given: those that edit in place change
    /// what is done with the operands. `at` is the script's place among the words.
    pub(in crate::shell) fn with_switches(
        &mut self,
        state: &mut State,
        call: &Call,
        matched: &Match,
        language: &str,
        at: usize,
    ) -> bool {
        if !matches!(language, "perl" | "ruby") || state.scope.host.is_some() || matched.has("-i") {
            return false;
        }
        let Some(script) = call.words.get(at) else { return false };
        let path = self.absolute(state, &script.arg.value);
        let text = path.and_then(|path| self.read_text(state, &path, self.options.limits.script_bytes));
        let words = text.map(|text| first_line(&text)).unwrap_or_default();
        let behind = words.iter().position(|word| word.contains(language)).map_or(words.len(), |at| at + 1);
        let switches = &words[behind..];
        if !switches.iter().any(|word| word.contains('i')) {
            return false;
        }
        // As if they stood on the command line, in front of the script.
        let program = matched.path.first().map_or(language, String::as_str);
        let mut argv = vec![Arg::literal(program, call.span)];
        argv.extend(call.words.get(1..at).into_iter().flatten().map(|word| word.arg.clone()));
        argv.extend(switches.iter().map(|word| Arg::literal(word, call.span)));
        argv.extend(call.words.get(at..).into_iter().flatten().map(|word| word.arg.clone()));
        self.argv(state, argv, call.environment.clone(), call.span);
        true
    }
}

/// The words that a script's first line runs: a program, and all that follows it. `env` is left out where it only looks
/// the program up; what its `-S` splits is split. Nothing where there is no such line.
fn first_line(text: &str) -> Vec<String> {
    let line = text.strip_prefix("#!").and_then(|text| text.lines().next()).unwrap_or_default().trim();
    let (program, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
    let rest = rest.trim();
    if program.is_empty() {
        return Vec::new();
    }
    if program.rsplit('/').next() != Some("env") {
        // Most systems hand the rest on as one word, some divide it; programs that read the line themselves divide it too.
        return std::iter::once(program).chain(rest.split_whitespace()).map(str::to_owned).collect();
    }
    let split = rest.strip_prefix("-S").or_else(|| rest.strip_prefix("--split-string="));
    let clustered = || rest.strip_prefix("-vS").or_else(|| rest.strip_prefix("-iS"));
    let given = split.or_else(clustered).map_or(rest, |command| command.trim_start_matches('='));
    let words = shell_words::split(given)
        .unwrap_or_else(|_| given.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
    // Only what changes what is run has to go through it.
    let plain = words.first().is_none_or(|word| !word.starts_with('-') && !word.contains('='));
    if plain && !words.is_empty() {
        return words;
    }
    std::iter::once("env".to_owned()).chain(words).collect()
}
