//! `set`, `shopt`, `shift`, `getopts`, `let`, `unset`.

use crate::model::Value;
use crate::shell::expand::Number;
use crate::shell::interp::Shell;
use crate::shell::simple::Call;
use crate::shell::state::{Flow, Positional, State, Status, Switches};
use crate::shell::variables::any_of_the_unordered;

/// Switches an option by its long name.
pub(in crate::shell) fn switch(switches: &mut Switches, name: &str, on: bool) -> bool {
    let slot = match name {
        "errexit" => &mut switches.errexit,
        "nounset" => &mut switches.nounset,
        "noclobber" => &mut switches.noclobber,
        "noglob" => &mut switches.noglob,
        "noexec" => &mut switches.noexec,
        "allexport" => &mut switches.allexport,
        "pipefail" => &mut switches.pipefail,
        "dotglob" => &mut switches.dotglob,
        "nullglob" => &mut switches.nullglob,
        "failglob" => &mut switches.failglob,
        "globstar" => &mut switches.globstar,
        "extglob" => &mut switches.extglob,
        "nocaseglob" => &mut switches.nocaseglob,
        "nocasematch" => &mut switches.nocasematch,
        // A shell that keeps to POSIX expands aliases, whoever reads along.
        "expand_aliases" | "posix" => &mut switches.expand_aliases,
        "cdable_vars" | "cdablevars" => &mut switches.cdable_vars,
        "execfail" => &mut switches.execfail,
        "localvar_unset" => &mut switches.keeps_locals,
        "lastpipe" => &mut switches.lastpipe,
        // zsh's name for it, in its usual spellings.
        "physical" | "chaselinks" | "chase_links" | "CHASE_LINKS" => &mut switches.physical,
        "braceexpand" => {
            switches.no_braces = !on;
            return true;
        }
        _ => return false,
    };
    *slot = on;
    true
}

pub(in crate::shell) fn letter(switches: &mut Switches, letter: char, on: bool) {
    let name = match letter {
        'e' => "errexit",
        'u' => "nounset",
        'C' => "noclobber",
        'f' => "noglob",
        'n' => "noexec",
        'a' => "allexport",
        'P' => "physical",
        'B' => "braceexpand",
        _ => return,
    };
    switch(switches, name, on);
}

impl Shell<'_> {
    pub(super) fn set(&mut self, state: &mut State, call: &Call) -> Flow {
        let ended = state.switches.errexit;
        let flow = self.set_options(state, call);
        if ended && !state.switches.errexit {
            self.wake_traps(state);
        }
        flow
    }

    fn set_options(&mut self, state: &mut State, call: &Call) -> Flow {
        state.status = Status::True;
        let words = call.arguments();
        let mut at = 0;
        while let Some(word) = words.get(at) {
            let Some(text) = word.arg.value.as_known() else { break };
            match text {
                "--" => {
                    at += 1;
                    return self.positional(state, call, at, true);
                }
                "-" => {
                    at += 1;
                    return self.positional(state, call, at, false);
                }
                "-o" | "+o" => {
                    if let Some(name) = words.get(at + 1).and_then(|word| word.arg.value.as_known()) {
                        let known = switch(&mut state.switches, name, text == "-o");
                        state.status = state.status.and(Status::from_option(known.then_some(true)));
                    }
                    at += 2;
                }
                option if option.len() > 1 && option.starts_with(['-', '+']) => {
                    let on = option.starts_with('-');
                    at += 1;
                    for c in option.chars().skip(1) {
                        if c == 'o' {
                            if let Some(name) = words.get(at).and_then(|word| word.arg.value.as_known()) {
                                let known = switch(&mut state.switches, name, on);
                                state.status = state.status.and(Status::from_option(known.then_some(true)));
                            }
                            at += 1;
                        } else {
                            letter(&mut state.switches, c, on);
                        }
                    }
                }
                _ => break,
            }
        }
        self.positional(state, call, at, false)
    }

    fn positional(&mut self, state: &mut State, call: &Call, from: usize, clear: bool) -> Flow {
        let rest = call.arguments().get(from..).unwrap_or(&[]);
        if !rest.is_empty() || clear {
            let mut rest = rest.to_vec();
            any_of_the_unordered(&mut rest);
            state.positional = Positional {
                values: rest.iter().map(|word| word.arg.value.clone()).collect(),
                open: rest.iter().any(|word| word.elastic),
            };
        }
        Flow::Next
    }

    pub(super) fn shift(&mut self, state: &mut State, call: &Call) -> Flow {
        let count = match call.texts().as_deref() {
            Some([]) => Some(1),
            Some([n, ..]) => n.parse::<usize>().ok(),
            None => None,
        };
        match count {
            Some(_) if state.positional.open => state.status = Status::Unknown,
            Some(n) if n <= state.positional.values.len() => {
                state.positional.values.drain(..n);
                state.status = Status::True;
            }
            Some(_) => state.status = Status::False,
            None => {
                state.positional = Positional { values: vec![Value::Unknown], open: true };
                state.status = Status::Unknown;
            }
        }
        Flow::Next
    }

    pub(super) fn shopt(&mut self, state: &mut State, call: &Call) -> Flow {
        state.status = Status::Unknown;
        let Some(texts) = call.texts() else { return Flow::Next };
        let mut on = None;
        for text in texts {
            match text {
                _ if text.starts_with('-') => {
                    for c in text.chars().skip(1) {
                        match c {
                            's' => on = Some(true),
                            'u' => on = Some(false),
                            _ => {}
                        }
                    }
                }
                name => {
                    if let Some(on) = on {
                        let known = switch(&mut state.switches, name, on);
                        state.status = Status::from_option(known.then_some(true));
                    }
                }
            }
        }
        Flow::Next
    }

    pub(super) fn let_builtin(&mut self, state: &mut State, call: &Call) -> Flow {
        state.status = Status::Unknown;
        for value in call.values() {
            state.status = match value.as_known() {
                Some(text) => match self.evaluate_arithmetic(state, text) {
                    Number::Known(n) => Status::from_bool(n != 0),
                    Number::Unknown => Status::Unknown,
                },
                None => {
                    // `let "x=$y"`: the name may be known all the same.
                    self.forget_in(state, &value.prefix());
                    Status::Unknown
                }
            };
        }
        Flow::Next
    }

    pub(super) fn unset_builtin(&mut self, state: &mut State, call: &Call) -> Flow {
        let mut functions = false;
        let mut variables = false;
        let mut itself = false;
        state.status = Status::True;
        for value in call.values() {
            if state.switches.zsh && value.prefix().starts_with("mapfile[") {
                // To zsh that element is the file.
                self.unmapped(state, &value, call);
                continue;
            }
            let Some(name) = value.as_known() else { continue };
            match name {
                "-f" => functions = true,
                "-v" => variables = true,
                "-n" => itself = true,
                name => {
                    if self.may_refuse(state, name) {
                        state.status = Status::Unknown;
                    }
                    let known = state.variables.contains_key(name.split('[').next().unwrap_or(name));
                    if !functions {
                        self.watch(name, None);
                        match itself && self.is_reference(state, name) {
                            true => self.unset_itself(state, name),
                            false if itself => {}
                            false => self.unset(state, name),
                        }
                    }
                    if functions || (!variables && !known) {
                        state.functions.remove(name);
                        state.no_functions.insert(name.to_owned());
                    }
                }
            }
        }
        Flow::Next
    }
}
