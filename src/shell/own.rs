//! What belongs to the shell that the person types into: functions that its hook handed over, and the hook itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::knowledge::match_words;
use crate::model::{Span, Value};

use super::interp::{Shell, parse};
use super::simple::Call;
use super::state::{Content, State, Variable};
use super::step::{Arg, Invocation, Stdin, Stdout, StepKind};

/// Names of the hooks' functions and variables begin so.
const OURS: [&str; 2] = ["__recourse_", "__rc_"];

/// Variables that hold what the hooks put there.
const HOLDERS: [&str; 4] = ["PROMPT_COMMAND", "PS0", "precmd_functions", "preexec_functions"];

/// Parts that put each other back with the next line or prompt: the hook is out when both of a pair are gone.
const PAIRS: [(&str, &str); 3] =
    [("PROMPT_COMMAND", "PS0"), ("PROMPT_COMMAND", DEBUG), ("precmd_functions", "preexec_functions")];

/// The trap as a part, by a name that no variable has.
const DEBUG: &str = "trap DEBUG";

/// What stands there.
const PART: &str = "__recourse_precmd";

/// Commands that take away what they name.
const REMOVERS: [&str; 5] = ["unset", "unfunction", "add-zsh-hook", "functions", "zle"];

/// How the knowledge calls it when the hook of this shell is taken away.
const UNHOOK: [&str; 2] = ["recourse", "unhook"];

impl Shell<'_> {
    /// Defines a function of the session whose text was handed over, or one that bash exported, before it is first called.
    pub(super) fn learn(&mut self, state: &mut State, name: &str, span: Span) {
        if state.scope.host.is_some()
            || state.functions.contains_key(name)
            || state.no_functions.contains(name)
        {
            return;
        }
        let mut bodies = self.options.session.bodies.iter();
        let told = bodies.find(|(known, _)| state.session && known == name).map(|(_, text)| text.clone());
        let exported = || {
            let value = self.world.env(&format!("BASH_FUNC_{name}%%"))?;
            value.starts_with("() {").then(|| format!("{name} {value}"))
        };
        let is_told = told.is_some();
        let Some(text) = told.or_else(exported) else { return };
        // What cannot be read of it is as if no text had been handed over.
        let (script, _) = parse(&text);
        let mut inner = state.scope.inside(&text, span);
        inner.own = true;
        let status = state.status;
        state.within(&inner, |state| self.script(state, &script));
        state.status = status;
        // Other shells, and whoever starts a program himself, know nothing of what bash exported: the program may be meant.
        if !is_told && let Some(definitions) = state.functions.get_mut(name) {
            definitions.maybe_undefined = true;
        }
    }

    /// A command that may take the hook away. True when that is all it does.
    pub(super) fn mind_call(&mut self, state: &mut State, name: &str, call: &Call) -> bool {
        if !self.is_guarded(state) {
            return false;
        }
        let values = call.values();
        let words: Vec<&str> = values.iter().filter_map(Value::as_known).collect();
        let gone = match name {
            "shopt" if words.contains(&"-u") => words.iter().find(|word| **word == "promptvars"),
            // fish and zsh show functions with the same word.
            "functions" if !words.iter().any(|word| matches!(*word, "-e" | "--erase")) => None,
            "trap" if words.contains(&"DEBUG") && !words.contains(&"-p") => {
                let nothing = Variable::new(Content::Scalar(Value::known("")));
                Arc::make_mut(&mut state.variables).insert(DEBUG.to_owned(), nothing);
                self.is_out(state, DEBUG).then_some(&"DEBUG")
            }
            name if REMOVERS.contains(&name) => words.iter().find(|word| {
                let with = |part: &str| words.contains(&part) || self.is_lost(state, part);
                is_ours(word) || name == "unset" && HOLDERS.contains(word) && partners(word).any(with)
            }),
            _ => None,
        };
        let Some(what) = gone.map(|what| (*what).to_owned()) else { return false };
        self.unhook(state, call.span, &call.raw, &what);
        !super::builtins::is_builtin(name)
    }

    /// The variables of a guarded shell hold what its hook put there, in front of whatever else.
    pub(super) fn with_hook(&self, mut variables: BTreeMap<String, Variable>) -> BTreeMap<String, Variable> {
        if self.options.session.guarded {
            for name in HOLDERS {
                let value = Content::Scalar(Value::known(PART));
                variables.insert(name.to_owned(), Variable::new(value));
            }
        }
        variables
    }

    /// A variable got a value that may lack what the hook put there.
    pub(super) fn mind_assignment(&mut self, state: &mut State, name: &str, span: Span) {
        if !self.is_guarded(state) || !(is_ours(name) || HOLDERS.contains(&name)) {
            return;
        }
        if is_ours(name) || self.is_lost(state, name) && self.is_out(state, name) {
            let raw = state.scope.text(span).to_owned();
            self.unhook(state, state.scope.place(span), &raw, name);
        }
    }

    /// A part of the hook is gone, and so is one that would put it back.
    fn is_out(&self, state: &State, part: &str) -> bool {
        partners(part).any(|partner| self.is_lost(state, partner))
    }

    /// What the hook put there is not there any more.
    fn is_lost(&self, state: &State, part: &str) -> bool {
        if part == DEBUG {
            return state.variables.contains_key(DEBUG);
        }
        let value = self.scalar(state, part).unwrap_or(Value::known(""));
        value.as_known().is_some_and(|text| !names_ours(text))
    }

    /// A function is defined that may stand for one of the hook's.
    pub(super) fn mind_definition(&mut self, state: &mut State, name: &str) {
        // The hooks call every word through `builtin`.
        if self.is_guarded(state) && (is_ours(name) || name == "builtin") && !state.scope.own {
            let span = state.scope.place(Span::new(0, state.scope.source.len()));
            self.unhook(state, span, name, name);
        }
    }

    pub(super) fn is_guarded(&self, state: &State) -> bool {
        self.options.session.guarded && state.session && state.scope.host.is_none()
    }

    /// Hands on that the hook, or a part of it, is taken away.
    fn unhook(&mut self, state: &mut State, span: Span, raw: &str, what: &str) {
        let [tool, command] = UNHOOK;
        let Some(known) = self.knowledge.tool(tool) else { return };
        let words = [tool, command, what];
        let values: Vec<Value> = words[1..].iter().map(|word| Value::known(*word)).collect();
        let invocation = Invocation {
            name: tool.to_owned(),
            args: words.iter().map(|word| Arg::literal(*word, span)).collect(),
            matched: match_words(&known, &values),
            stdin: Stdin::Inherited,
            stdout: Stdout::Inherited,
            environment: Vec::new(),
            for_tests: false,
        };
        self.emit_as(state, span, raw, StepKind::Run(Box::new(invocation)));
    }
}

/// The parts that put a part back.
fn partners(part: &str) -> impl Iterator<Item = &'static str> {
    PAIRS.into_iter().filter_map(
        move |(one, other)| {
            if one == part { Some(other) } else { Some(one).filter(|_| other == part) }
        },
    )
}

/// Whether a text holds a part of the hook.
pub(super) fn names_ours(text: &str) -> bool {
    OURS.iter().any(|ours| text.contains(ours))
}

fn is_ours(name: &str) -> bool {
    OURS.iter().any(|ours| name.starts_with(ours))
}
