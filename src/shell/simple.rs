//! Simple commands: assignments, expansion, redirections, and finding what runs.

use std::sync::Arc;

use crate::knowledge::{lists, places};
use crate::model::{Span, Value};
use crate::syntax::{Assignment, Command, CommandKind, Part, Script, Word};

use super::builtins::is_question;
use super::expand::{Expansion, plain_text};
use super::interp::{Scope, Shell, parse};
use super::redirect::{Opened, Output};
use super::state::{Flow, State, Status};
use super::step::{Arg, StepKind};

/// A command about to run: its words, and what stands around them.
#[derive(Clone, Debug)]
pub struct Call {
    /// The command word first.
    pub(crate) words: Vec<Expansion>,
    /// Assignments before it.
    pub(crate) environment: Vec<(String, Value)>,
    /// As the evaluated text has it.
    pub(crate) span: Span,
    /// For people.
    pub(crate) raw: String,
    /// Looked up as a program: functions, aliases and builtins do not take part.
    pub(crate) external: bool,
    /// Its redirections.
    pub(crate) opened: Option<Opened>,
}

impl Call {
    /// The words after the command word.
    pub(crate) fn arguments(&self) -> &[Expansion] {
        self.words.get(1..).unwrap_or(&[])
    }

    /// Values of the words after the command word.
    pub(crate) fn values(&self) -> Vec<Value> {
        self.arguments().iter().map(|word| word.arg.value.clone()).collect()
    }

    /// Texts of the words after the command word, when all are known.
    pub(crate) fn texts(&self) -> Option<Vec<&str>> {
        self.arguments().iter().map(|word| word.arg.value.as_known()).collect()
    }

    /// All words.
    pub(crate) fn args(&self) -> Vec<Arg> {
        self.words.iter().map(|word| word.arg.clone()).collect()
    }

    /// Whether a word may stand for any number of words.
    pub(super) fn open(&self) -> bool {
        self.arguments().iter().any(|word| word.elastic)
    }

    /// The same command without its first `count` words.
    pub(super) fn without(&self, count: usize) -> Self {
        Self { words: self.words.get(count..).unwrap_or(&[]).to_vec(), ..self.clone() }
    }
}

impl Shell<'_> {
    pub(super) fn simple(
        &mut self,
        state: &mut State,
        command: &Command,
        assignments: &[Assignment],
        words: &[Word],
    ) -> Flow {
        if let Some(flow) = self.alias(state, command, words) {
            return flow;
        }
        // Wildcards give other words in each directory: look at one directory at a time.
        if state.cwd.len() > 1 && state.scope.host.is_none() && words.iter().any(has_wildcard) {
            let maybe = state.maybe;
            let ways = state
                .cwd
                .clone()
                .into_iter()
                .map(|dir| {
                    let mut way = state.clone();
                    way.cwd = vec![dir];
                    way.maybe = true;
                    let flow = self.simple_here(&mut way, command, assignments, words);
                    (flow, way)
                })
                .collect::<Vec<_>>();
            return self.come_together(state, maybe, ways);
        }
        self.simple_here(state, command, assignments, words)
    }

    fn simple_here(
        &mut self,
        state: &mut State,
        command: &Command,
        assignments: &[Assignment],
        words: &[Word],
    ) -> Flow {
        self.substituted = None;
        self.behind_wide_alias(state, command);
        let unset = self.unset.clone();
        let Ok(expanded) = self.expand_words(state, words) else {
            return self.aborted(state);
        };
        // Who asks whether a name is set minds both.
        if expanded.first().and_then(|word| word.arg.value.as_known()).is_some_and(is_question) {
            self.unset = unset;
        }
        let before = Arc::clone(&state.variables);
        let Ok(opened) = self.open(state, &command.redirections) else {
            state.status = Status::False;
            return Flow::Next;
        };
        if !Arc::ptr_eq(&before, &state.variables) {
            self.opened_outside(state, before, expanded.first());
        }
        if expanded.is_empty() {
            for assignment in assignments {
                if self.assign(state, assignment).is_err() {
                    return self.aborted(state);
                }
                self.mind_assignment(state, &assignment.name, command.span);
                self.mind_names(state, &assignment.name, command.span);
            }
            state.last_word = Value::Unknown;
            let status =
                if opened.refused { Status::False } else { self.substituted.unwrap_or(Status::True) };
            return self.if_opened(state, &opened, |interp, state| {
                interp.open_writes(state, &opened, Some(&Value::known("")));
                state.status = status;
                Flow::Next
            });
        }
        let mut environment = Vec::new();
        if !assignments.is_empty() {
            // Each sees those before it.
            let mut inner = state.clone();
            for assignment in assignments {
                if self.assign(&mut inner, assignment).is_err() {
                    return self.aborted(state);
                }
                let value = self.scalar(&inner, &assignment.name).unwrap_or(Value::known(""));
                environment.push((assignment.name.clone(), value));
            }
            state.files = inner.files.clone();
            // `A=<(…) command`: the name has to lead somewhere.
            state.descriptors.clone_from(&inner.descriptors);
            state.after_reader(&inner);
            state.names.clone_from(&inner.names);
            Self::left_by_assignments(state, &inner, &environment);
        }
        let line = state.scope.line(command.span);
        if line.is_some() {
            self.line = line;
        }
        let call = Call {
            words: expanded,
            environment,
            span: state.scope.place(command.span),
            raw: state.scope.text(command.span).to_owned(),
            external: false,
            opened: None,
        };
        self.at = (state.scope.source.as_ptr() as usize, command.span.end);
        let doubt = opened.clone();
        let flow =
            self.if_opened(state, &doubt, |interp, state| interp.with_redirections(state, call, opened));
        // What ran within may have walked another file.
        self.line = line.or(self.line);
        flow
    }

    /// An expansion failed: a shell that runs a script ends.
    fn aborted(&mut self, state: &mut State) -> Flow {
        state.status = Status::False;
        Flow::Exit
    }

    fn with_redirections(&mut self, state: &mut State, mut call: Call, mut opened: Opened) -> Flow {
        let scope = &Arc::clone(&state.scope);
        self.mind_own_input(state, &call, &mut opened);
        let lent = state.lend_inputs(&opened);
        let names = std::mem::replace(&mut state.names, Arc::clone(&opened.names));
        let content = match opened.output {
            Output::File if self.empties_others(state, &opened) => None,
            Output::File => {
                let files = self.emptied(state, &opened);
                let files = std::mem::replace(&mut state.files, files);
                let printed = self.printed(state, &call);
                state.files = files;
                printed
            }
            _ => None,
        };
        self.open_writes(state, &opened, content.as_ref());
        if opened.refused {
            state.return_inputs(lent);
            state.names = names;
            state.status = Status::False;
            return Flow::Next;
        }
        let last = call.words.last().map(|word| word.arg.value.clone());
        let output =
            (opened.output != Output::Same).then(|| std::mem::replace(&mut state.output, Value::known("")));
        let opens = opened.opens_any(&names);
        call.opened = Some(opened);
        let mut inner = Scope::clone(scope);
        inner.capture &= output.is_none();
        let flow = state.within(&inner, |state| self.dispatch(state, &call));
        let first = call.words.first().and_then(|word| word.arg.value.as_known());
        let stays = first == Some("exec") && call.words.len() == 1;
        if opens && !stays {
            state.names = names;
        }
        state.return_inputs(lent.filter(|_| !stays));
        if let Some(output) = output {
            state.output = output;
        }
        if let Some(last) = last {
            state.last_word = last;
        }
        flow
    }

    /// Runs a command whose words are there, by what is known of its first word.
    pub(super) fn dispatch(&mut self, state: &mut State, call: &Call) -> Flow {
        let Some(first) = call.words.first() else {
            state.status = Status::True;
            return Flow::Next;
        };
        match &first.arg.value {
            Value::Known(name) => {
                let name = name.clone();
                self.named(state, &name, call)
            }
            Value::OneOf(list) => {
                let maybe = state.maybe;
                let mut ways = Vec::new();
                for name in list {
                    let mut way = state.possible();
                    let mut one = call.clone();
                    let separators = [' ', '\t', '\n'];
                    let texts = if first.elastic && name.contains(separators) {
                        name.split(separators).filter(|t| !t.is_empty()).map(str::to_owned).collect()
                    } else {
                        vec![name.clone()]
                    };
                    let words = texts.into_iter().map(|text| {
                        let mut word = first.clone();
                        word.arg.value = Value::Known(text);
                        word.elastic = false;
                        word
                    });
                    one.words = words.chain(call.arguments().iter().cloned()).collect();
                    let flow = self.dispatch(&mut way, &one);
                    ways.push((flow, way));
                }
                if first.elastic {
                    // It may vanish: the next word is the command then.
                    let mut way = state.possible();
                    let flow = self.dispatch(&mut way, &call.without(1));
                    ways.push((flow, way));
                }
                self.come_together(state, maybe, ways)
            }
            Value::Affix { .. } | Value::Woven(_) | Value::Lines(_) | Value::Unknown => {
                let shown = first.arg.value.display();
                self.emit_as(
                    state,
                    call.span,
                    &call.raw,
                    StepKind::Opaque {
                        reason: format!("the command name `{shown}` is not known before it runs"),
                    },
                );
                self.suspect(state, call, &shown);
                self.unknown_result(state);
                Flow::Next
            }
        }
    }

    fn named(&mut self, state: &mut State, name: &str, call: &Call) -> Flow {
        if name.is_empty() {
            state.status = Status::False;
            return Flow::Next;
        }
        if state.switches.zsh
            && let Some(program) = name.strip_prefix('=').or_else(|| name.strip_prefix("zf_"))
            && !program.is_empty()
        {
            // `=rm` is where the search path finds it; `zf_rm` is the shell's own of the same meaning.
            let program = program.to_owned();
            let mut call = call.clone();
            if let Some(first) = call.words.first_mut() {
                first.arg.value = Value::known(program.as_str());
            }
            return self.external(state, &program, &call);
        }
        if self.mind_call(state, name, call) {
            state.status = Status::Unknown;
            return Flow::Next;
        }
        if !call.external {
            self.mind_kept(state, name, call);
            self.learn(state, name, call.span);
            if let Some(definitions) = state.functions.get(name).cloned() {
                let arguments = call.values();
                let undefined = definitions.maybe_undefined;
                let maybe = state.maybe;
                let saved = self.lend(state, &call.environment);
                let mut other = state.clone();
                let flow = self.call(state, name, &definitions, arguments, call.open(), call.span);
                self.give_back(state, saved);
                if !undefined {
                    return flow;
                }
                other.maybe = true;
                let other_flow = match self.builtin(&mut other, name, call) {
                    Some(flow) => flow,
                    None => self.external(&mut other, name, call),
                };
                let first = state.clone();
                return self.come_together(state, maybe, [(flow, first), (other_flow, other)]);
            }
            if state.switches.fish && name == "functions" {
                self.copy_function(state, call);
            }
            if state.switches.fish && lists(&places().fish, name) {
                self.unknown_result(state);
                return Flow::Next;
            }
            if state.switches.zsh
                && let Some(flow) = self.zsh_builtin(state, name, call)
            {
                return flow;
            }
            if super::builtins::is_builtin(name) {
                if state.switches.common && super::builtins::is_rare(name) {
                    // A shell that has none of this name finds nothing.
                    let run = |interp: &mut Self, way: &mut State| {
                        interp.builtin(way, name, call).unwrap_or(Flow::Next)
                    };
                    return self.fork(state, run, |_, way| {
                        way.fail();
                        Flow::Next
                    });
                }
                let saved = self.lend(state, &call.environment);
                let flow = self.builtin(state, name, call);
                self.give_back(state, saved);
                if let Some(flow) = flow {
                    return flow;
                }
            }
        }
        self.external(state, name, call)
    }

    /// A command whose result is not known.
    pub(crate) fn unknown_result(&mut self, state: &mut State) {
        state.status = Status::Unknown;
        if state.scope.capture {
            state.print(&Value::Unknown);
        }
    }

    fn alias(&mut self, state: &mut State, command: &Command, words: &[Word]) -> Option<Flow> {
        // bash keeps to POSIX, and expands them, where this is set.
        let posix = || state.variables.contains_key("POSIXLY_CORRECT");
        if state.aliases.is_empty() || !state.switches.expand_aliases && !posix() {
            return None;
        }
        let first = words.first()?;
        let [Part::Literal(name)] = first.parts.as_slice() else { return None };
        let alias = state.aliases.get(name)?.clone();
        if state.scope.aliases.contains(name) {
            return None;
        }
        let here = state.scope.source.as_ptr() as usize;
        let elsewhere = alias.defined.is_some_and(|(identity, _)| identity != here);
        if let Some((_, end)) = alias.defined.filter(|_| !elsewhere)
            && !state.scope.source.get(end..command.span.start).is_some_and(|between| between.contains('\n'))
        {
            return None;
        }
        if (elsewhere || state.switches.perhaps_aliases) && self.means_something(state, name) {
            // Whether the shell had read this far when the alias was made is not known: the name may mean itself.
            let maybe = state.maybe;
            let mut plain = Scope::clone(&state.scope);
            plain.aliases.push(name.clone());
            let (mut first, mut other) = (state.possible(), state.possible());
            let flow = self.through_alias(&mut first, command, words, name, &alias.text);
            let CommandKind::Simple { assignments, .. } = &command.kind else { return Some(flow) };
            let without = other.within(&plain, |way| self.simple(way, command, assignments, words));
            return Some(self.come_together(state, maybe, [(flow, first), (without, other)]));
        }
        Some(self.through_alias(state, command, words, name, &alias.text))
    }

    /// Whether a name is known to be something that runs.
    fn means_something(&self, state: &State, name: &str) -> bool {
        super::builtins::is_builtin(name)
            || state.functions.contains_key(name)
            || self.knowledge.tool(name).is_some()
    }

    /// The command with an alias's text in place of its first word.
    fn through_alias(
        &mut self,
        state: &mut State,
        command: &Command,
        words: &[Word],
        name: &str,
        text: &str,
    ) -> Flow {
        let start = words.first().map_or(command.span, |word| word.span);
        // An alias that ends in a blank lets the next word be one too.
        let (mut script, gaps) = parse(text);
        let mut inner = state.scope.inside(text, state.scope.place(start));
        inner.depth = state.scope.depth;
        inner.aliases.push(name.to_owned());
        state.within(&inner, |state| self.gaps(state, &gaps));
        let mut rest = words.get(1..).unwrap_or(&[]).to_vec();
        if text.ends_with([' ', '\t'])
            && let Some(next) = rest.first()
            && let Some(word) = plain_text(next)
            && let Some(second) = state.aliases.get(&word)
        {
            let (more, _) = parse(&second.text);
            if let Some(CommandKind::Simple { words, .. }) = more.items.first().map(|item| &item.command.kind)
            {
                rest.splice(0..1, words.iter().cloned());
            }
        }
        append(&mut script, rest, command);
        state.within(&inner, |state| self.script(state, &script))
    }
}

/// Puts the words and redirections after an alias behind the last command of its text.
fn append(script: &mut Script, rest: Vec<Word>, command: &Command) {
    let Some(last) = script.items.last_mut() else { return };
    let mut target = &mut last.command;
    loop {
        match &mut target.kind {
            CommandKind::Pipeline { stages, .. } if !stages.is_empty() => {
                let at = stages.len() - 1;
                let CommandKind::Pipeline { stages, .. } = &mut target.kind else { return };
                target = &mut stages[at].0;
            }
            CommandKind::AndOr { rest, .. } if !rest.is_empty() => {
                let at = rest.len() - 1;
                let CommandKind::AndOr { rest, .. } = &mut target.kind else { return };
                target = &mut rest[at].1;
            }
            _ => break,
        }
    }
    target.redirections.extend(command.redirections.iter().cloned());
    if let CommandKind::Simple { words, assignments } = &mut target.kind {
        words.extend(rest);
        if let CommandKind::Simple { assignments: outer, .. } = &command.kind {
            assignments.splice(0..0, outer.iter().cloned());
        }
    }
}

fn has_wildcard(word: &Word) -> bool {
    word.parts.iter().any(|part| match part {
        Part::Literal(text) => text.contains(['*', '?', '[']),
        Part::Parameter(_) => true,
        _ => false,
    })
}
