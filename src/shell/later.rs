//! What the shell at hand runs later by itself, without a line that could be judged: functions that it calls at prompts and
//! signals, the arrays that name such functions, widgets of keys. It is judged where it is set, as something that may happen.

use crate::model::{Span, Value};

use super::interp::{Shell, parse};
use super::simple::Call;
use super::state::{Content, Flow, State, Status, Trap};
use super::step::StepKind;

/// Functions that bash and zsh call by themselves; those of signals (`TRAPINT`) besides.
const CALLED: [&str; 9] = [
    "chpwd",
    "command_not_found_handle",
    "command_not_found_handler",
    "periodic",
    "precmd",
    "preexec",
    "zshaddhistory",
    "zshexit",
    "zsh_directory_name",
];

/// Whether the shell calls a function of this name.
fn is_called(name: &str) -> bool {
    CALLED.contains(&name)
        || name.strip_prefix("TRAP").is_some_and(|signal| {
            !signal.is_empty() && signal.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
        })
}

/// Whether an array names functions that are called.
fn names_functions(variable: &str) -> bool {
    variable.strip_suffix("_functions").is_some_and(|name| CALLED.contains(&name))
}

impl Shell<'_> {
    /// A function was defined.
    pub(super) fn mind_called(&mut self, state: &mut State, name: &str) {
        // The functions that zsh calls it calls in scripts too.
        let calls = self.is_guarded(state) || state.switches.zsh;
        if calls && is_called(name) && !state.scope.own {
            let span = state.scope.place(Span::new(0, state.scope.source.len()));
            self.later(state, Value::known(name), span);
        }
    }

    /// A variable was set that may name what is called: an array of functions, or the prompt's commands.
    pub(super) fn mind_names(&mut self, state: &mut State, name: &str, span: Span) {
        let calls = self.is_guarded(state) || state.switches.zsh;
        if !calls || !(names_functions(name) || name == "PROMPT_COMMAND") {
            return;
        }
        let span = state.scope.place(span);
        let values: Vec<Value> = match state.variables.get(name).map(|variable| &variable.content) {
            Some(Content::Indexed(map)) => map.values().cloned().collect(),
            // The prompt's command in one text was read where it was set.
            Some(Content::Scalar(value)) if name != "PROMPT_COMMAND" => vec![value.clone()],
            Some(Content::Scalar(_) | Content::Unset) | None => Vec::new(),
            Some(_) => vec![Value::Unknown],
        };
        for value in values
            .into_iter()
            .filter(|value| value.as_known().is_none_or(|text| !super::own::names_ours(text)))
        {
            self.later(state, value, span);
        }
    }

    /// A text that runs at a time that nobody can tell.
    pub(super) fn later(&self, state: &mut State, text: Value, span: Span) {
        let mut scope = state.scope.deeper();
        scope.span = Some(span);
        if !state.exit_traps.iter().any(|trap| trap.text == text) {
            state.exit_traps.push(Trap { text, scope, exit: false, comes: false, waits: false });
        }
    }

    /// What only zsh has of its own. `None` for any other command.
    pub(super) fn zsh_builtin(&mut self, state: &mut State, name: &str, call: &Call) -> Option<Flow> {
        let texts = call.texts();
        match name {
            "r" => {
                state.status = self.run_again(state, call);
                return Some(Flow::Next);
            }
            "print" => {
                let options = call.values();
                let options = options.iter().take_while(|word| word.prefix().starts_with('-'));
                if options.into_iter().any(|word| word.prefix().contains('P')) {
                    // Expanded as a prompt is: with PROMPT_SUBST what it substitutes runs.
                    // A value with blanks is one word there.
                    if let Some(words) = &texts {
                        let text = format!(": \"{}\"", words.join(" ").replace('"', "\\\""));
                        let (script, _) = parse(&text);
                        let inner = state.scope.inside(&text, call.span);
                        state.within(&inner, |state| self.script(state, &script));
                    }
                }
                self.print(state, call);
                state.status = Status::True;
                return Some(Flow::Next);
            }
            "hash" if texts.as_ref().is_none_or(|texts| texts.iter().any(|text| text.contains('='))) => {
                let directories = texts.is_some_and(|texts| texts.contains(&"-d"));
                if !directories {
                    state.status = self.rebind(state, call);
                    return Some(Flow::Next);
                }
            }
            "zle" if texts.as_ref().is_none_or(|texts| texts.first() == Some(&"-N")) => {
                let function = call.values().into_iter().skip(1).last().unwrap_or(Value::Unknown);
                self.later(state, function, call.span);
            }
            "zstyle" => {
                let mut words = call.values().into_iter();
                if words.next().as_ref().and_then(Value::as_known) == Some("-e") {
                    let text =
                        words.skip(2).reduce(|text, word| text.concat(&Value::known(" ")).concat(&word));
                    self.later(state, text.unwrap_or(Value::Unknown), call.span);
                }
            }
            "sched" => {
                let mut words = call.values().into_iter().filter(|word| word.as_known() != Some("-o"));
                let when = words.next();
                if when.is_some_and(|word| !word.as_known().is_some_and(|text| text.starts_with('-'))) {
                    let text = words.reduce(|text, word| text.concat(&Value::known(" ")).concat(&word));
                    if let Some(text) = text {
                        self.later(state, text, call.span);
                    }
                }
                state.status = Status::True;
                return Some(Flow::Next);
            }
            "add-zsh-hook" => {
                let function =
                    call.values().into_iter().filter(|word| !word.prefix().starts_with('-')).nth(1);
                let adds =
                    !call.values().iter().any(|word| matches!(word.prefix().chars().nth(1), Some('d' | 'D')));
                if let Some(function) = function.filter(|_| adds) {
                    self.later(state, function, call.span);
                }
                state.status = Status::True;
                return Some(Flow::Next);
            }
            "zargs" => return Some(self.zargs(state, call)),
            "emulate" => return Some(self.zsh_emulate(state, call)),
            "setopt" | "unsetopt" => return self.zsh_options(state, call, name == "setopt"),
            "functions" if texts.as_ref().is_some_and(|texts| texts.first() == Some(&"-c")) => {
                self.copy_function(state, call);
            }
            _ => {}
        }
        None
    }

    /// `unset "mapfile[file]"` takes a file away.
    pub(super) fn unmapped(&mut self, state: &mut State, element: &Value, call: &Call) {
        let file = element.as_known().and_then(|text| text.strip_prefix("mapfile[")?.strip_suffix(']'));
        let Some(file) = file else {
            let reason = "a file that nobody can tell is taken away".to_owned();
            return self.emit_as(state, call.span, &call.raw, StepKind::Opaque { reason });
        };
        let text = format!("rm -f -- '{}'", file.replace('\'', "'\\''"));
        self.shell_text(state, &Value::known(text), call.span);
    }

    /// `zargs -- words -- command`: the command with all these words behind it.
    fn zargs(&mut self, state: &mut State, call: &Call) -> Flow {
        let words = call.raw.split_once(char::is_whitespace).map_or("", |(_, words)| words.trim_start());
        let told = match words.split_once("-- ") {
            Some((options, rest)) if options.is_empty() || options.starts_with('-') => {
                // What stands in the place of each word is not followed.
                let plain = !options.split_whitespace().any(|word| {
                    word.starts_with("-i") || word.starts_with("-I") || word.starts_with("--replace")
                });
                rest.split_once(" -- ").filter(|_| plain)
            }
            _ => words.split_once(" -- "),
        };
        match told {
            Some((words, command)) => {
                let text = format!("{command} {words}");
                self.shell_text(state, &Value::known(text), call.span)
            }
            None if words.contains(" -- ") => {
                let reason = "the commands that zargs builds were not followed".to_owned();
                self.emit_as(state, call.span, &call.raw, StepKind::Opaque { reason });
                Flow::Next
            }
            None => Flow::Next,
        }
    }

    /// `functions -c old new`
    pub(super) fn copy_function(&mut self, state: &mut State, call: &Call) {
        let values = call.values();
        let [option, old, new] = values.as_slice() else { return };
        if !matches!(option.as_known(), Some("-c" | "--copy")) {
            return;
        }
        let (Some(old), Some(new)) = (old.as_known(), new.as_known()) else {
            let reason = "a function gets a name that nobody can tell".to_owned();
            return self.emit_as(state, call.span, &call.raw, StepKind::Opaque { reason });
        };
        self.learn(state, old, call.span);
        if let Some(definitions) = state.functions.get(old).cloned() {
            state.functions.insert(new.to_owned(), definitions);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_called_by_the_shell() {
        for name in ["precmd", "TRAPINT", "TRAPUSR1", "command_not_found_handle"] {
            assert!(is_called(name), "{name}");
        }
        for name in ["f", "TRAP", "TRAPper", "precmds"] {
            assert!(!is_called(name), "{name}");
        }
        assert!(names_functions("chpwd_functions") && !names_functions("my_functions"));
    }
}
