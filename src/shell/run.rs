//! Finding what a command word names outside the shell, and running what programs run.

use std::sync::Arc;

use crate::knowledge::{ToolFile, lists, match_words, places};
use crate::model::{Span, Value};

use super::expand::Expansion;
use super::interp::Shell;
use super::program::{Instead, Run};
use super::simple::Call;
use super::state::{Flow, State, Status};
use super::step::{Arg, Invocation, Stdout, StepKind};

impl Shell<'_> {
    /// Runs a program. One that reads as code what git may have brought is a program that nobody knows.
    pub(crate) fn external(&mut self, state: &mut State, name: &str, call: &Call) -> Flow {
        self.begun(name, call, &state.stdin);
        let before = self.unseen_of_git.replace(false);
        let flow = self.external_program(state, name, call);
        self.read_by(state, name, call);
        if self.signalled {
            self.wake_traps(state);
        }
        if self.unseen_of_git.replace(before) {
            let base = name.rsplit('/').next().unwrap_or(name);
            let name = format!("{base} with what git brings");
            let kind = StepKind::UnknownProgram { name, args: call.args().into_iter().take(1).collect() };
            self.emit_as(state, call.span, &call.raw, kind);
        }
        flow
    }

    fn external_program(&mut self, state: &mut State, name: &str, call: &Call) -> Flow {
        if !self.tick(state, call.span) {
            return Flow::Exit;
        }
        if state.scope.host.is_none()
            && let Some(flow) = self.located(state, name, call)
        {
            return flow;
        }
        self.as_named(state, name, call)
    }

    /// What a program does as its name says.
    pub(super) fn as_named(&mut self, state: &mut State, name: &str, call: &Call) -> Flow {
        let base = name.rsplit('/').next().unwrap_or(name);
        if super::follow::is_shell(base) {
            return self.shell_program(state, base, call);
        }
        let base = self.knowledge.plain_name(base).unwrap_or(base);
        if let Some(tool) = self.knowledge.tool(base) {
            return self.known(state, base, &tool, call);
        }
        if let Some((program, tool, longer)) = self.dashed(base, call) {
            return self.known(state, program, &tool, &longer);
        }
        self.unknown_program(state, name, call)
    }

    /// `git-lfs` is `git lfs`: the program, and the call in two words. Of subcommands that are declared alone: another may
    /// be anybody's program.
    fn dashed<'n>(&self, base: &'n str, call: &Call) -> Option<(&'n str, Arc<ToolFile>, Call)> {
        let (program, subcommand) = base.split_once('-')?;
        let tool =
            places().dashed.iter().any(|name| name == program).then(|| self.knowledge.tool(program))??;
        tool.root.commands.get(subcommand, &tool.root)?;
        let mut longer = call.clone();
        let word = Expansion { arg: Arg::literal(subcommand, call.span), elastic: false, unordered: false };
        longer.words.insert(1.min(longer.words.len()), word);
        Some((program, tool, longer))
    }

    /// A program that nothing is known of.
    pub(crate) fn unknown_program(&mut self, state: &mut State, name: &str, call: &Call) -> Flow {
        let base = name.rsplit('/').next().unwrap_or(name);
        // An alias of the same line is none yet: the shell finds nothing, or what it would stand for.
        if call.arguments().is_empty()
            && !state.scope.aliases.iter().any(|known| known == name)
            && let Some(alias) = state.aliases.get(name).cloned()
        {
            let (script, gaps) = super::interp::parse(&alias.text);
            let mut inner = state.scope.inside(&alias.text, call.span);
            inner.depth = state.scope.depth;
            inner.aliases.push(name.to_owned());
            state.within(&inner, |state| self.gaps(state, &gaps));
            return state.within(&inner, |state| self.script(state, &script));
        }
        let handler = "command_not_found_handle";
        if !name.contains('/')
            && let Some(definitions) = state.functions.get(handler).cloned()
        {
            // What the shell calls for a name that it does not find.
            let arguments = call.words.iter().map(|word| word.arg.value.clone()).collect();
            state.perhaps(|state| {
                self.call(state, handler, &definitions, arguments, call.open(), call.span);
            });
        }
        // In a container of its own it is one more program of an image that is run anyway.
        let own =
            state.scope.host.is_none() && self.options.session.functions.iter().any(|known| known == name);
        if !state.scope.fresh && !own {
            // In a container it is a word for the program of its image.
            let (name, args) = match state.scope.host.as_deref().filter(|_| name.starts_with('-')) {
                Some(image) => {
                    (image, std::iter::once(Arg::literal(image, call.span)).chain(call.args()).collect())
                }
                None => (name, call.args()),
            };
            let kind = StepKind::UnknownProgram { name: name.to_owned(), args };
            self.emit_as(state, call.span, &call.raw, kind);
        }
        self.suspect(state, call, base);
        state.status = Status::Unknown;
        if state.scope.capture {
            let text = self.printed(state, call).unwrap_or(Value::Unknown);
            state.print(&text);
        }
        Flow::Next
    }

    /// A launcher lies in the project: where that is not here, what it runs is not seen.
    fn unseen_launcher(&mut self, state: &mut State, base: &str, call: &Call) {
        if self.world.is_elsewhere() && state.scope.host.is_none() {
            let kind = StepKind::UnknownProgram { name: base.to_owned(), args: call.args() };
            self.emit_as(state, call.span, &call.raw, kind);
        }
    }

    /// A known program.
    pub(crate) fn known(&mut self, state: &mut State, name: &str, tool: &Arc<ToolFile>, call: &Call) -> Flow {
        if let Some((base, at)) = self.launched(name, call)
            && let Some(launcher) = self.knowledge.tool(&base)
        {
            self.unseen_launcher(state, &base, call);
            return self.known(state, &base, &launcher, &call.without(at));
        }
        let more = self.with_options_of_files(state, name, call);
        let call = more.as_ref().unwrap_or(call);
        let more = self.with_options_of_variables(state, name, call);
        let call = more.as_ref().unwrap_or(call);
        let mut matched = match_words(tool, &call.values());
        let more = self.with_variables_of_files(state, call, &matched);
        let call = more.as_ref().unwrap_or(call);
        let programs = self.programs;
        let (mut words, mut stdin) = (None, None);
        match self.as_it_begins(state, &Run { name, call, matched: &matched }) {
            Some(Instead::Done(flow)) => return flow,
            Some(Instead::Words(other)) => {
                matched = match_words(tool, &other.values());
                words = Some(other);
            }
            Some(Instead::Input(other)) => stdin = Some(other),
            None => {}
        }
        let call = words.as_ref().unwrap_or(call);
        if state.scope.guessed {
            // A word that is a program's name by chance makes no form of that program: only what destroys counts.
            matched.gaps.iter_mut().for_each(|gap| gap.by_words = true);
        }
        let run = Run { name, call, matched: &matched };
        let printed = if state.scope.capture { Some(self.printed(state, call)) } else { None };
        let mut environment = self.exported(state);
        environment.extend(call.environment.iter().cloned());
        let invocation = Invocation {
            name: name.to_owned(),
            args: call.args(),
            matched: matched.clone(),
            stdin: stdin.unwrap_or_else(|| state.stdin.clone()),
            stdout: match &call.opened {
                Some(opened) if opened.output != super::redirect::Output::Same => opened.output_file(),
                _ if state.scope.capture => Stdout::Pipe,
                _ => Stdout::Inherited,
            },
            environment: environment.clone(),
            for_tests: self.is_for_tests(state, call, &environment),
        };
        let status = self.status_of(state, name, call);
        let done = invocation.clone();
        self.emit_as(state, call.span, &call.raw, StepKind::Run(Box::new(invocation)));
        programs.leaves(self, state, &done);
        if state.scope.host.is_none() {
            self.brings(state, name, &matched);
        }
        if !matched.gaps.is_empty() && matched.is_judged_by_words() {
            self.suspect(state, call, name);
        }
        let mut followed = None;
        if matched.informational {
            self.environment_libraries(state, name, call, &environment);
        } else {
            self.environment_commands(state, name, call, &environment);
            self.first_files(state, name, call);
            self.inherited(state, name, call, &environment);
            self.rights_changed |= lists(&places().rights, name);
            let told = printed.as_ref().and_then(Option::as_ref);
            followed = self.starts_others(state, &run, told);
            if followed.is_none() {
                self.unexplained(state, name, call, &matched);
            }
        }
        followed.unwrap_or_else(|| {
            state.status = status;
            if let Some(text) = printed {
                state.print(&text.unwrap_or(Value::Unknown));
            }
            Flow::Next
        })
    }

    /// What a program does before its words are read, with the variables that this command gives it.
    fn as_it_begins(&mut self, state: &mut State, run: &Run<'_>) -> Option<Instead> {
        let saved = self.hand_on(state, &run.call.environment);
        let programs = self.programs;
        let begun = programs.begins(self, state, run);
        self.give_back(state, saved);
        begun
    }

    /// What a known program runs, with the variables that this command gives it. Where it is known what it prints (`told`), that is what
    /// the code that it runs prints.
    fn starts_others(&mut self, state: &mut State, run: &Run<'_>, told: Option<&Value>) -> Option<Flow> {
        let saved = self.hand_on(state, &run.call.environment);
        let before = told.map(|text| (state.output.clone(), text));
        let programs = self.programs;
        let mut followed = programs.runs(self, state, run);
        if followed.is_none() && !run.matched.dry_run {
            followed = self.nested(state, run.name, run.call, run.matched);
        }
        if let (Some((before, text)), Some(_)) = (before, &followed) {
            state.output = before;
            state.print(text);
        }
        self.give_back(state, saved);
        followed
    }

    /// Words that are run as a program, never looked up among functions and builtins.
    pub(crate) fn program(&mut self, state: &mut State, words: Vec<Expansion>, span: Span) -> Flow {
        if let [option, text, ..] = words.as_slice()
            && option.arg.value.as_known() == Some("-c")
        {
            // `flock file -c text`, `su user -c text`: shell text after all.
            let (text, zero) = (text.arg.value.clone(), state.zero.clone());
            self.fresh_shell(state, &text, span, zero, Default::default());
            return Flow::Next;
        }
        if let [text] = words.as_slice()
            && let Some(command) = text.arg.value.as_known()
            && command.trim().contains([' ', '\t', '\n'])
            && self
                .absolute(state, &text.arg.value)
                .is_none_or(|path| self.exists(state, &path) != Some(true))
        {
            // No program is called so: `xterm -e text` and its like hand one word to a shell.
            let (text, zero) = (text.arg.value.clone(), state.zero.clone());
            self.fresh_shell(state, &text, span, zero, Default::default());
            return Flow::Next;
        }
        let raw = words.iter().map(|word| word.arg.value.display()).collect::<Vec<_>>().join(" ");
        let call = Call { words, environment: Vec::new(), span, raw, external: true, opened: None };
        self.shell(state, |interp, inner| interp.dispatch(inner, &call));
        Flow::Next
    }

    /// An argument vector.
    pub(super) fn argv(
        &mut self,
        state: &mut State,
        args: Vec<Arg>,
        environment: Vec<(String, Value)>,
        span: Span,
    ) {
        let words = args
            .into_iter()
            .map(|arg| Expansion { arg, elastic: false, unordered: false })
            .collect::<Vec<_>>();
        let raw = words.iter().map(|word| word.arg.value.display()).collect::<Vec<_>>().join(" ");
        let call = Call { words, environment, span, raw, external: true, opened: None };
        self.shell(state, |interp, inner| interp.dispatch(inner, &call));
    }
}
