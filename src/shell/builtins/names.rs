//! `alias`, `unalias`, `type`, `hash`, `enable`: what names stand for.

use crate::model::Value;
use crate::shell::interp::Shell;
use crate::shell::simple::Call;
use crate::shell::state::{Alias, State, Status};
use crate::shell::step::StepKind;

use super::is_builtin;

/// Whether `enable` or `hash` lets a name mean another program.
pub(super) fn rebinds(builtin: &str, call: &Call) -> bool {
    // What is switched off is looked for among the programs; without a name it is only listed.
    let letters = if builtin == "enable" { ['f', 'n'] } else { ['p', 'p'] };
    let rebinds = |option: &&str| option.starts_with('-') && option.contains(letters);
    let names = |texts: &[&str]| texts.iter().any(|text| !text.starts_with('-'));
    call.texts().is_none_or(|texts| texts.iter().any(rebinds) && names(&texts))
}

impl Shell<'_> {
    /// `enable -f`, `enable -n` and `hash -p`.
    pub(in crate::shell) fn rebind(&mut self, state: &mut State, call: &Call) -> Status {
        let reason = "names come to mean other programs from here on".to_owned();
        self.emit_as(state, call.span, &call.raw, StepKind::Opaque { reason });
        Status::Unknown
    }

    /// `alias name=text`.
    pub(super) fn define_aliases(&self, state: &mut State, call: &Call) -> Status {
        Self::zsh_alias(state, call);
        let mut status = Status::True;
        for word in call.arguments() {
            // A name alone is asked for.
            if !word.arg.value.as_known().is_some_and(|text| text.contains('=') || text.starts_with('-')) {
                status = Status::Unknown;
            }
            if let Some((name, text)) = word.arg.value.as_known().and_then(|t| t.split_once('=')) {
                let alias = Alias { text: text.to_owned(), defined: Some(self.at) };
                state.aliases.insert(name.to_owned(), alias);
            }
        }
        status
    }

    /// `unalias name`, `unalias -a`.
    pub(super) fn unalias(state: &mut State, call: &Call) -> Status {
        match call.texts() {
            Some(texts) if texts.contains(&"-a") => {
                state.aliases.clear();
                return Status::True;
            }
            Some(texts) => state.aliases.retain(|name, _| !texts.contains(&name.as_str())),
            None => {}
        }
        Status::Unknown
    }

    /// `type name` and `hash name`, which say whether the names can be run.
    pub(super) fn type_builtin(&mut self, state: &mut State, call: &Call) -> Status {
        Self::prints_something(state);
        self.found_all(state, &call.values())
    }

    /// Whether every name can be run.
    pub(super) fn found_all(&self, state: &State, names: &[Value]) -> Status {
        let mut all = Status::True;
        for name in names {
            let Some(name) = name.as_known() else { return Status::Unknown };
            if name.starts_with('-') {
                continue;
            }
            let found = state.functions.get(name).is_some_and(|f| !f.maybe_undefined)
                || is_builtin(name)
                || self.in_path(state, name).is_some()
                || (name.contains('/')
                    && self
                        .absolute(state, &Value::known(name))
                        .is_some_and(|path| self.exists(state, &path) == Some(true)));
            if !found {
                all = if state.aliases.contains_key(name)
                    || state.functions.contains_key(name)
                    || !state.unset_is_empty
                {
                    Status::Unknown
                } else {
                    return Status::False;
                };
            }
        }
        all
    }
}

/// How a builtin ends that is asked for something, or told a number: without words it says what there is.
pub(super) fn asked(call: &Call) -> Status {
    let octal = |text: &&str| text.len() <= 4 && text.chars().all(|c| c.is_digit(8));
    Status::from_option(call.texts().is_some_and(|texts| texts.iter().all(octal)).then_some(true))
}
