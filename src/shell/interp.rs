//! The interpreter's own data, and the way in.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::code::CodeEffect;
use crate::knowledge::{Knowledge, lists, places};
use crate::model::{Context, Span, Value, is_mark};
use crate::syntax::{Gap, GapReason, Script, ends_in_redirection};
use crate::world::World;

use super::options::{Left, Options};
use super::program::Programs;
pub use super::scope::Scope;
use super::simple::Call;
use super::state::{Flow, State, Status, Variable};
use super::step::{Arg, Input, Sink, Stdin, Step, StepKind, shown_words};

/// Longest `raw` text of a step, in characters.
const RAW: usize = 240;

/// Walks `input` and hands its steps to `sink` in program order.
///
/// Total: whatever the input, it ends within the limits of `options`; what could not be walked is a step that says so.
/// The names that the typed text itself puts into words though nothing sets them: taken for empty.
pub(crate) fn interpret(
    input: &Input,
    world: &dyn World,
    knowledge: &Knowledge,
    programs: &dyn Programs,
    options: &Options,
    sink: &mut dyn Sink,
) -> BTreeSet<String> {
    walk(input, world, knowledge, programs, options, sink).1
}

/// What `input` leaves a shell with that goes on afterwards.
pub(crate) fn left(
    input: &Input,
    world: &dyn World,
    knowledge: &Knowledge,
    programs: &dyn Programs,
    options: &Options,
) -> Left {
    walk(input, world, knowledge, programs, options, &mut super::kept::Nowhere).0
}

fn walk(
    input: &Input,
    world: &dyn World,
    knowledge: &Knowledge,
    programs: &dyn Programs,
    options: &Options,
    sink: &mut dyn Sink,
) -> (Left, BTreeSet<String>) {
    let mut interp = shell(world, knowledge, programs, options, sink);
    let mut state = interp.initial();
    interp.told(&mut state);
    interp.given = Arc::clone(&state.variables);
    let length = if let Input::Text(text) = input { text.len() } else { 0 };
    interp.recall(&mut state, Span::new(0, length));
    match input {
        Input::Text(text) => {
            state.scope = Arc::new(Scope::top(Arc::from(text.as_str())));
            interp.typed = Arc::clone(&state.scope.source);
            interp.text(&mut state, text);
        }
        Input::Argv(words) => {
            let (shown, spans) = shown_words(words);
            state.scope = Arc::new(Scope::top(Arc::from(shown)));
            interp.typed = Arc::clone(&state.scope.source);
            interp.argument_vector(&mut state, words, &spans);
        }
    }
    let whole = Span::new(0, state.scope.source.len());
    for variable in std::mem::take(&mut interp.guarded) {
        interp.emit(&mut state, whole, StepKind::Guard { variable });
    }
    // Past a limit nothing is known any more.
    (if interp.stopped { Left::default() } else { interp.left }, interp.unset)
}

/// An interpreter that has seen nothing.
pub(super) fn shell<'a>(
    world: &'a dyn World,
    knowledge: &'a Knowledge,
    programs: &'a dyn Programs,
    options: &'a Options,
    sink: &'a mut dyn Sink,
) -> Shell<'a> {
    Shell {
        world,
        knowledge,
        programs,
        options,
        sink,
        work: 0,
        turns: 0,
        stopped: false,
        escapes: Vec::new(),
        calls: Vec::new(),
        substituted: None,
        counter: 0,
        hidden: Vec::new(),
        seen: None,
        rights_changed: false,
        acted: false,
        made_anywhere: false,
        only_built: true,
        given: Arc::default(),
        line: None,
        at: (0, 0),
        data_read: std::cell::Cell::new(false),
        unseen_of_git: std::cell::Cell::new(false),
        built_unread: false,
        typed: Arc::from(""),
        guarded: BTreeSet::new(),
        unset: BTreeSet::new(),
        signalled: false,
        left: Left::default(),
    }
}

impl Shell<'_> {
    /// What the shell at hand said of itself holds before the first command. Nothing of that is a step.
    fn told(&self, state: &mut State) {
        let text = &self.options.session.prelude;
        if text.is_empty() {
            return;
        }
        let mut nowhere = super::kept::Nowhere;
        let mut before = shell(self.world, self.knowledge, self.programs, self.options, &mut nowhere);
        state.scope = Arc::new(Scope::top(Arc::from(text.as_str())));
        before.typed = Arc::clone(&state.scope.source);
        let (script, _) = parse(text);
        before.script(state, &script);
        state.status = super::state::Status::True;
    }
}

/// A function or script that is being run, to see recursion.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) name: String,
    pub(super) arguments: Vec<Value>,
    pub(super) cwd: Vec<std::path::PathBuf>,
    pub(super) function: bool,
}

/// The interpreter of shell text.
pub struct Shell<'a> {
    pub(crate) world: &'a dyn World,
    pub(crate) knowledge: &'a Knowledge,
    pub(super) programs: &'a dyn Programs,
    pub(crate) options: &'a Options,
    sink: &'a mut dyn Sink,
    work: usize,
    /// Turns of loops that were walked one by one beyond a few of each.
    pub(super) turns: usize,
    stopped: bool,
    /// Ways that left a loop, function or shell early while others went on.
    pub(super) escapes: Vec<(Flow, State)>,
    pub(super) calls: Vec<Frame>,
    /// Status of the last command substitution of the current command.
    pub(super) substituted: Option<Status>,
    /// For names that are made up (`mktemp`, `<( )`).
    pub(crate) counter: usize,
    /// Text inside values that arithmetic evaluated, with command substitutions of its own: not said yet.
    pub(super) hidden: Vec<String>,
    /// Hashes of steps given in an earlier turn of the same loop: not given again.
    pub(super) seen: Option<std::collections::HashSet<u64>>,
    /// A command so far may have changed what may be looked at.
    pub(crate) rights_changed: bool,
    /// A command so far may have made files that are not there yet.
    pub(super) acted: bool,
    /// A program has run that may have made new things, of which nobody says where.
    pub(crate) made_anywhere: bool,
    /// All that may have made files so far are builds of sources that were there before.
    pub(super) only_built: bool,
    /// The environment's variables, as the shell starts with them.
    pub(super) given: Arc<BTreeMap<String, Variable>>,
    /// Line of the followed file that is being walked.
    pub(super) line: Option<usize>,
    /// The text that holds the command at hand, and where the command ends in it.
    pub(super) at: (usize, usize),
    /// What a file of before this command holds became part of a value.
    pub(super) data_read: std::cell::Cell<bool>,
    /// A text was asked for that git may have laid out anew, and nobody can tell what it says.
    pub(crate) unseen_of_git: std::cell::Cell<bool>,
    /// A build may have made programs of text that this command wrote.
    pub(crate) built_unread: bool,
    /// The evaluated text itself.
    pub(super) typed: Arc<str>,
    /// Variables of the guard that were set to something else.
    pub(super) guarded: BTreeSet<String>,
    /// A signal was sent that may reach this shell or one that it comes from.
    pub(super) signalled: bool,
    /// Names that the typed text put into words and nothing sets.
    pub(super) unset: BTreeSet<String>,
    /// What the text leaves the shell with.
    left: Left,
}

impl Shell<'_> {
    /// Shell text as a shell of its own: what it leaves behind is files.
    fn text(&mut self, state: &mut State, text: &str) {
        let (script, gaps) = parse(text);
        self.gaps(state, &gaps);
        // What the shell at hand was told to run later is run where it learns what that is.
        let mut later = std::mem::take(&mut state.exit_traps);
        let scope = Scope { span: Some(Span::new(0, text.len())), ..state.scope.deeper() };
        later.iter_mut().for_each(|trap| trap.scope = scope.clone());
        self.shell(state, |interp, inner| {
            inner.names = Arc::default();
            inner.exit_traps = later;
            let flow = interp.script(inner, &script);
            interp.leave(inner);
            flow
        });
    }

    /// Notes what the shell is left with at the end of its text.
    fn leave(&mut self, state: &State) {
        self.left.definitions = self.defined(state);
        let failed = state.failed_cwd.iter().flatten();
        self.left.directories = state.cwd.iter().chain(failed).cloned().collect();
        if state.failed_cwd.as_ref().is_some_and(Vec::is_empty) || state.cwd.is_empty() {
            self.left.directories.clear();
        }
        if !Arc::ptr_eq(&state.variables, &self.given) {
            let (now, before) = (&state.variables, &self.given);
            let names = now.keys().chain(before.keys());
            let changed = names.filter(|name| {
                now.get(*name).map(|own| &own.content) != before.get(*name).map(|own| &own.content)
            });
            self.left.variables = changed.cloned().collect();
        }
    }

    fn argument_vector(&mut self, state: &mut State, words: &[Option<String>], spans: &[Span]) {
        let args = words
            .iter()
            .zip(spans)
            .map(|(word, span)| Arg {
                value: word.clone().map_or(Value::Unknown, Value::Known),
                span: *span,
                explicit: word.is_some(),
            })
            .collect::<Vec<_>>();
        if args.is_empty() {
            return;
        }
        let whole = Span::new(0, state.scope.source.len());
        self.argv(state, args, Vec::new(), whole);
    }

    /// Says which parts of a text could not be read.
    pub(super) fn gaps(&mut self, state: &mut State, gaps: &[Gap]) {
        for gap in gaps {
            if self.options.session.translated
                && gap.reason == GapReason::Syntax
                && !self.may_change(&state.scope.source)
            {
                continue;
            }
            if gap.reason == GapReason::Syntax && ends_in_redirection(&state.scope.source) {
                continue;
            }
            self.emit(state, gap.span, StepKind::Gap { reason: gap.reason.describe() });
        }
    }

    /// Whether anything in a text that could not be read might change something: a word that names a program that does,
    /// or a redirection.
    fn may_change(&self, text: &str) -> bool {
        let words = text.split(|c: char| !(c.is_alphanumeric() || "-_.+".contains(c)));
        text.contains(['>', '`'])
            || text.contains("eval")
            || words.filter(|word| !word.is_empty()).any(|word| {
                super::follow::is_shell(word)
                    || self.knowledge.tool(word).is_some_and(|tool| tool.is_dangerous())
            })
    }

    /// One unit of work; false when interpretation is over.
    pub(crate) fn tick(&mut self, state: &mut State, span: Span) -> bool {
        if self.stopped {
            return false;
        }
        self.work += 1;
        if self.work > self.options.limits.steps {
            self.limit("steps", span, state);
        } else if state.scope.depth > self.options.limits.depth {
            self.limit("depth", span, state);
        } else if self.work.is_multiple_of(32)
            && self.options.deadline.is_some_and(|deadline| self.world.elapsed() > deadline)
        {
            self.limit("deadline", span, state);
        }
        !self.stopped
    }

    /// A limit was reached: the last step there is.
    pub(super) fn limit(&mut self, name: &'static str, span: Span, state: &mut State) {
        if !self.stopped {
            self.emit(state, span, StepKind::Limit { name });
        }
        self.stopped = true;
    }

    /// Hands on a step that stands at a local span.
    pub(super) fn emit(&mut self, state: &mut State, span: Span, kind: StepKind) {
        let raw = state.scope.text(span).to_owned();
        if let Some(line) = state.scope.line(span) {
            self.line = Some(line);
        }
        self.emit_as(state, state.scope.place(span), &raw, kind);
    }

    /// Hands on a step at a span of the evaluated text, with its own wording.
    pub(crate) fn emit_as(&mut self, state: &mut State, span: Span, raw: &str, kind: StepKind) {
        if self.stopped || state.scope.own && is_unknown(&kind) {
            return;
        }
        let (acts, built) = match &kind {
            StepKind::Run(run) => (
                !run.matched.command.effects.is_empty() || !run.matched.written().is_empty(),
                lists(&places().builds, &run.name) && matches!(run.stdin, Stdin::Inherited | Stdin::Empty),
            ),
            _ => (true, false),
        };
        self.acted |= acts;
        self.made_anywhere |= match &kind {
            // What only reads as far as the guard minds may lay out a new project all the same.
            StepKind::Run(run) => !run.matched.informational && !super::builtins::is_builtin(&run.name),
            StepKind::Write { .. } | StepKind::Guard { .. } => false,
            _ => true,
        };
        self.only_built &= !acts || built;
        // People read what stands for signs that nobody knows as a gap.
        let raw = &raw.replace(is_mark, "…");
        let (kind, raw) = match &state.scope.followed {
            Some((file, _)) => self.discreet(state, file, kind),
            None if self.is_data(&kind) => self.discreet(state, "a file that is read", kind),
            None => (kind, shorten(raw)),
        };
        let step = Step { kind, span, raw, context: self.context(state), names: Arc::clone(&state.names) };
        if let Some(seen) = &mut self.seen
            && !seen.insert(fingerprint(&step))
        {
            return;
        }
        self.sink.step(step, &mut state.files);
    }

    /// Says of a program that is about to run which words it is given.
    pub(super) fn begun(&mut self, name: &str, call: &Call, stdin: &Stdin) {
        self.sink.starts(name, &call.environment, &call.values(), stdin);
    }

    fn context(&self, state: &State) -> Context {
        Context {
            cwd: if state.scope.host.is_some() { Vec::new() } else { state.cwd.clone() },
            host: state.scope.host.clone(),
            fresh: state.scope.fresh,
            privileged: state.scope.privileged,
            via: state.scope.via.clone(),
            maybe: state.maybe,
            once: state.loops == 0
                && self.calls.is_empty()
                && state.scope.span.is_none()
                && state.scope.via.is_empty(),
            asks: state.scope.asks,
            saves: state.files.saves(),
        }
    }
}

/// Says that something cannot be told.
fn is_unknown(kind: &StepKind) -> bool {
    match kind {
        StepKind::UnknownProgram { .. } | StepKind::Gap { .. } | StepKind::Opaque { .. } => true,
        StepKind::Code { effect, .. } => match effect {
            CodeEffect::Unknown { .. } => true,
            CodeEffect::Delete { path, .. }
            | CodeEffect::Overwrite { path }
            | CodeEffect::Update { path }
            | CodeEffect::Rename { to: path, .. }
            | CodeEffect::Copy { to: path, .. } => path.choices().is_none(),
            _ => false,
        },
        _ => false,
    }
}

/// Text to tree.
pub(super) fn parse(text: &str) -> (Script, Vec<Gap>) {
    crate::syntax::parse(text)
}

pub(super) fn shorten(raw: &str) -> String {
    let trimmed = raw.trim();
    match trimmed.char_indices().nth(RAW) {
        Some((end, _)) => format!("{}…", &trimmed[..end]),
        None => trimmed.to_owned(),
    }
}

fn fingerprint(step: &Step) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    step.span.hash(&mut hasher);
    step.context.cwd.hash(&mut hasher);
    step.names.hash(&mut hasher);
    match &step.kind {
        StepKind::Run(invocation) => {
            for arg in &invocation.args {
                arg.value.hash(&mut hasher);
            }
            format!("{:?}", invocation.stdin).hash(&mut hasher);
        }
        other => format!("{other:?}").hash(&mut hasher),
    }
    hasher.finish()
}
