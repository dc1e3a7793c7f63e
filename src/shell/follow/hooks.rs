//! Programs with a way to run something that stands in an ordinary word: `vim +cmd`, `less +cmd`, `tar
//! --checkpoint-action`, `fd -x`, `node -r`. What these run is added to what the declaration says.

use crate::knowledge::Match;
use crate::model::Value;
use crate::shell::expand::Expansion;
use crate::shell::interp::{Interp, Scope};
use crate::shell::simple::Call;
use crate::shell::state::State;
use crate::shell::step::{Arg, StepKind};

impl Interp<'_> {
    /// Follows what the words of `name` run beside its declaration.
    pub(super) fn hooks(
        &mut self,
        state: &mut State,
        scope: &Scope,
        name: &str,
        call: &Call,
        matched: &Match,
    ) {
        if matched.informational {
            return;
        }
        let inner = scope.through(name);
        match name {
            "vi" | "vim" | "nvim" | "gvim" | "view" | "vimdiff" | "ex" | "rvim" | "nvi" | "elvis"
            | "vim.basic" | "vim.tiny" => self.plus_words(state, &inner, call, "vim"),
            "less" | "more" | "most" | "zless" | "bzless" | "xzless" | "lv" => {
                self.plus_words(state, &inner, call, "less");
            }
            "m4" => {
                let hidden =
                    |word: &Expansion| word.arg.value.as_known().is_some_and(|w| w.contains("syscmd"));
                if call.arguments().iter().any(hidden) {
                    self.opaque(state, scope, call, "an m4 macro that runs commands is defined");
                }
            }
            "tar" | "gtar" => {
                for action in matched.values("--checkpoint-action") {
                    let text = match action.as_known() {
                        Some(text) => match text.strip_prefix("exec=") {
                            Some(text) => Value::known(text),
                            None => continue,
                        },
                        None => Value::Unknown,
                    };
                    self.fresh_shell(state, &inner, &text, call.span, Value::known("sh"), Default::default());
                }
            }
            "fd" | "fdfind" => self.found_by_fd(state, &inner, call),
            "rg" | "ripgrep" => {
                if let Some(program) = matched.value("--pre") {
                    let words = [program.clone(), Value::Unknown].map(|value| word(value, call));
                    self.program(state, &inner, words.to_vec(), call.span);
                }
            }
            "git" if matched.value("--exec-path").is_some_and(|dir| dir.as_known() != Some("")) => {
                self.opaque(state, scope, call, "git runs programs of a directory that is not looked at");
            }
            "screen" => {
                let sends = |word: &Expansion| {
                    matches!(word.arg.value.as_known(), Some("stuff" | "exec" | "screen" | "eval" | "source"))
                };
                if matched.has("-X") && call.arguments().iter().any(sends) {
                    self.opaque(state, scope, call, "commands are sent to another session");
                }
            }
            "node" | "nodejs" => {
                for option in ["-r", "--import", "--loader"] {
                    for module in matched.values(option) {
                        self.module(state, &inner, call, module);
                    }
                }
            }
            "fzf" | "sk" => self.bindings(state, &inner, call, matched),
            "capsh" => {
                // Behind its own options stand those of a shell.
                let ends = |word: &Expansion| matches!(word.arg.value.as_known(), Some("--" | "=="));
                if let Some(at) = call.arguments().iter().position(ends) {
                    let mut words = vec![word(Value::known("bash"), call)];
                    words.extend(call.arguments().iter().skip(at + 1).cloned());
                    self.program(state, &inner, words, call.span);
                }
            }
            "deno" | "bun" => self.code_words(state, &inner, name, call),
            _ => {}
        }
    }

    fn opaque(&mut self, state: &mut State, scope: &Scope, call: &Call, reason: &str) {
        let kind = StepKind::Opaque { reason: reason.to_owned() };
        self.emit_as(state, scope, call.span, &call.raw, kind);
    }

    /// Words that start with `+` are commands.
    fn plus_words(&mut self, state: &mut State, scope: &Scope, call: &Call, language: &str) {
        for word in call.arguments() {
            match word.arg.value.as_known() {
                Some("--") => return,
                Some(text) => {
                    if let Some(command) = text.strip_prefix('+') {
                        let command = Value::known(command.trim_start_matches('+'));
                        self.code(state, scope, language, &command, &[], word.arg.span, &call.raw);
                    }
                }
                None => {}
            }
        }
    }

    /// `fd -x COMMAND`: the command is given names that are found.
    fn found_by_fd(&mut self, state: &mut State, scope: &Scope, call: &Call) {
        let mut words = call.arguments().iter();
        while let Some(option) = words.next() {
            let text = option.arg.value.as_known().unwrap_or_default();
            let attached = text.strip_prefix("--exec=").or_else(|| text.strip_prefix("--exec-batch="));
            if attached.is_none() && !matches!(text, "-x" | "-X" | "--exec" | "--exec-batch") {
                continue;
            }
            let mut command =
                attached.map(|text| word(Value::known(text), call)).into_iter().collect::<Vec<_>>();
            let mut marked = false;
            for one in words.by_ref() {
                match one.arg.value.as_known() {
                    Some(";") => break,
                    Some(text)
                        if ["{}", "{/}", "{//}", "{.}", "{/.}"].iter().any(|mark| text.contains(mark)) =>
                    {
                        marked = true;
                        command.push(word(Value::Unknown, call));
                    }
                    _ => command.push(one.clone()),
                }
            }
            if !marked {
                command.push(word(Value::Unknown, call));
            }
            let maybe = std::mem::replace(&mut state.maybe, true);
            self.program(state, scope, command, call.span);
            state.maybe = maybe;
        }
    }

    /// A module that is loaded first. A bare name is an installed package.
    fn module(&mut self, state: &mut State, scope: &Scope, call: &Call, module: &Value) {
        match module.as_known() {
            Some(name) if name.starts_with(['.', '/', '~']) => {
                let file = Arg { value: module.clone(), span: call.span, explicit: false };
                self.code_file(state, scope, "node", &file, &[]);
            }
            Some(name) if !name.contains(':') || name.starts_with("node:") => {}
            _ => self.opaque(state, scope, call, "a module is loaded that is not looked at"),
        }
    }

    /// `deno eval CODE`, `bun -e CODE`.
    fn code_words(&mut self, state: &mut State, scope: &Scope, name: &str, call: &Call) {
        let mut words = call.arguments().iter();
        let code = if name == "deno" {
            if words.next().and_then(|word| word.arg.value.as_known()) != Some("eval") {
                return;
            }
            words.find(|word| word.arg.value.as_known().is_none_or(|text| !text.starts_with('-')))
        } else {
            let takes = |word: &&Expansion| {
                matches!(word.arg.value.as_known(), Some("-e" | "--eval" | "-p" | "--print"))
            };
            words.find(takes).and_then(|_| words.next())
        };
        if let Some(code) = code {
            self.code(state, scope, "node", &code.arg.value, &[], code.arg.span, &call.raw);
        }
    }
}

fn word(value: Value, call: &Call) -> Expansion {
    let elastic = value == Value::Unknown;
    Expansion { arg: Arg { value, span: call.span, explicit: false }, elastic, unordered: false }
}
