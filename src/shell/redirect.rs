//! Redirections: what is opened for writing, and where standard input comes from.

use std::sync::Arc;

use crate::model::{Span, Value};
use crate::syntax::{Command, Redirection, RedirectionOperator, RedirectionTarget};
use crate::world::FileKind;

use super::descriptors::set_input;
use super::expand::{Abort, Expanded};
use super::files::{FileState, Files};
use super::interp::Shell;
use super::names::{Names, Open, named_input};
use super::simple::Call;
use super::state::{Flow, State, Status};
use super::step::{Arg, Mode, Stdin, Stdout, StepKind};

/// Where standard output goes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Output {
    /// Where it went before.
    Same,
    /// To a file.
    File,
    /// Elsewhere.
    Lost,
}

/// A file that a redirection opens for writing.
#[derive(Clone, Debug)]
struct Opening {
    path: Arg,
    mode: Mode,
    noclobber: bool,
    span: Span,
    stdout: bool,
}

/// The redirections of one command, words expanded.
#[derive(Clone, Debug)]
pub(crate) struct Opened {
    writes: Vec<Opening>,
    pub(super) stdin: Option<Stdin>,
    pub(super) output: Output,
    pub(super) descriptors: Vec<(String, Stdin)>,
    /// Which open inputs of before those are duplicates of.
    pub(super) sources: Vec<(String, Option<u32>)>,
    /// What names of open files mean with them.
    pub(super) names: Arc<Names>,
    /// One of them fails for certain: the command does not run.
    pub(super) refused: bool,
    /// Whether all files can be opened for writing, as far as can be seen.
    opens: Status,
    /// Standard input is open for writing too.
    both_ways: Option<Box<Opening>>,
}

impl Opened {
    /// Whether they open anything that has a name of its own then.
    pub(super) fn opens_any(&self, before: &Arc<Names>) -> bool {
        !Arc::ptr_eq(&self.names, before)
    }

    /// The file that standard output goes to.
    pub(super) fn output_file(&self) -> Stdout {
        match self.writes.iter().rev().find(|opening| opening.stdout) {
            Some(opening) if self.output == Output::File => Stdout::File(opening.path.value.clone()),
            _ => Stdout::Inherited,
        }
    }
}

impl Shell<'_> {
    /// Expands the words of redirections, in order.
    pub(super) fn open(&mut self, state: &mut State, list: &[Redirection]) -> Expanded<Opened> {
        let before = Arc::clone(&state.names);
        let mut opened = Opened {
            writes: Vec::new(),
            stdin: None,
            output: Output::Same,
            descriptors: Vec::new(),
            names: Arc::clone(&before),
            refused: false,
            opens: Status::True,
            sources: Vec::new(),
            both_ways: None,
        };
        let mut done = Ok(());
        for redirection in list {
            // Each finds what those before it opened.
            done = self.open_one(state, redirection, &mut opened);
            if done.is_err() || opened.refused {
                break;
            }
        }
        opened.names = std::mem::replace(&mut state.names, before);
        done.map(|()| opened)
    }

    /// Expands one redirection, and notes what it opens.
    fn open_one(
        &mut self,
        state: &mut State,
        redirection: &Redirection,
        opened: &mut Opened,
    ) -> Expanded<()> {
        use RedirectionOperator as Op;
        let mut descriptor = redirection.descriptor.clone();
        if redirection.named
            && let Some(name) = descriptor.take()
        {
            self.assign_scalar(state, &name, Value::known("10"));
            descriptor = Some("10".to_owned());
        }
        let descriptor = descriptor.as_deref();
        let word = match &redirection.target {
            RedirectionTarget::HereDocument(word) => {
                let text = match self.expand_quoted(state, &word.parts)? {
                    Value::Unknown => Stdin::Unknown,
                    text => Stdin::Text(text),
                };
                set_input(opened, descriptor, text);
                state.opens(descriptor, 0, Open::Stream);
                return Ok(());
            }
            RedirectionTarget::Word(word) => word,
        };
        if state.switches.zsh && state.scope.source.get(word.span.start..word.span.end) == Some("!") {
            let reason = "`>!` writes over the file behind it".to_owned();
            self.emit_as(state, word.span, ">!", StepKind::Opaque { reason });
            return Ok(());
        }
        let mode = match redirection.operator {
            Op::HereDocument | Op::HereString => {
                let text = self.expand_one(state, word)?.concat(&Value::known("\n"));
                set_input(opened, descriptor, Stdin::Text(text));
                state.opens(descriptor, 0, Open::Stream);
                return Ok(());
            }
            Op::Read => return self.open_to_read(state, word, descriptor, opened),
            Op::Duplicate => {
                let value = self.expand_one(state, word)?;
                let known = value.as_known().unwrap_or("");
                let plain = known == "-" || known.trim_end_matches('-').chars().all(|c| c.is_ascii_digit());
                let writes = state.scope.text(redirection.span).contains('>');
                if plain || !writes || !matches!(descriptor, None | Some("1")) {
                    self.duplicate(state, redirection, descriptor, known, opened);
                    return Ok(());
                }
                Mode::Truncate
            }
            Op::Write | Op::Clobber | Op::WriteBoth => Mode::Truncate,
            Op::Append | Op::AppendBoth => Mode::Append,
            Op::ReadWrite => Mode::ReadWrite,
        };
        let path = self.target_word(state, word)?;
        let path = self.by_its_own_name(state, path);
        self.open_to_write(state, redirection, descriptor, path, mode, opened);
        Ok(())
    }

    /// `< file`: where the file is missing for certain, the command does not run.
    fn open_to_read(
        &mut self,
        state: &mut State,
        word: &crate::syntax::Word,
        descriptor: Option<&str>,
        opened: &mut Opened,
    ) -> Expanded<()> {
        let path = self.target_word(state, word)?;
        opened.refused = self.absolute(state, &path.value).is_some_and(|path| {
            state.scope.host.is_none()
                && !path.starts_with("/dev")
                && self.exists(state, &path) == Some(false)
        });
        if !opened.refused {
            let open = self.opened_at(state, &path.value);
            state.opens(descriptor, 0, open);
            let name = path.value.as_known().and_then(named_input);
            let source = name.map(|name| opened.source(state, &name));
            let input = self.input_from(state, path.value);
            set_input(opened, descriptor, input);
            if let Some(source) = source {
                opened.sources.push((format!("/dev/fd/{}", descriptor.unwrap_or("0")), source));
            }
        }
        Ok(())
    }

    /// `> file` and its kin. With `noclobber`, a file that stands there for certain refuses the command.
    fn open_to_write(
        &mut self,
        state: &mut State,
        redirection: &Redirection,
        descriptor: Option<&str>,
        path: Arg,
        mode: Mode,
        opened: &mut Opened,
    ) {
        use RedirectionOperator as Op;
        let both = matches!(redirection.operator, Op::WriteBoth | Op::AppendBoth | Op::Duplicate);
        self.note_opened(state, (descriptor, both), &path.value, mode);
        if redirection.operator == Op::ReadWrite && matches!(descriptor, None | Some("0")) {
            let input = self.input_from(state, path.value.clone());
            set_input(opened, Some("0"), input);
            // Programs read their standard input; only a duplicate of it is written to.
            let opening = Opening { path, mode, noclobber: false, span: redirection.span, stdout: false };
            opened.both_ways = Some(Box::new(opening));
            return;
        }
        let stdout = both
            || descriptor == Some("1")
            || (descriptor.is_none() && redirection.operator != Op::ReadWrite);
        if stdout {
            opened.output = Output::File;
        }
        let noclobber = state.switches.noclobber && matches!(redirection.operator, Op::Write | Op::WriteBoth);
        if noclobber
            && self.absolute(state, &path.value).is_some_and(|path| {
                state.scope.host.is_none() && self.is_kind(state, &path, FileKind::File) == Some(true)
            })
        {
            opened.refused = true;
        }
        // What was read there before is not read there any more.
        if let Some(number) = descriptor.filter(|number| !matches!(*number, "0" | "1" | "2")) {
            opened.descriptors.push((format!("/dev/fd/{number}"), Stdin::Unknown));
        }
        opened.opens = opened.opens.and(self.opens(state, &path.value));
        opened.writes.push(Opening { path, mode, noclobber, span: redirection.span, stdout });
    }

    /// Whether a file can be opened for writing: `False` where nothing shows that it can and the place speaks against it.
    fn opens(&self, state: &State, path: &Value) -> Status {
        if path.prefix().starts_with("/dev/") {
            return Status::True;
        }
        let Some(path) = self.absolute(state, path).filter(|_| state.scope.host.is_none()) else {
            return Status::Unknown;
        };
        let Some(above) = path.parent() else { return Status::False };
        match (self.is_directory(state, &path), self.exists(state, &path), self.is_directory(state, above)) {
            (Some(true), ..) | (_, _, Some(false)) => Status::False,
            (_, Some(true), _) if self.is_locked(state, &path) => Status::False,
            (_, Some(true), _) if self.untouched(state, &path).is_none() || self.world.writable(&path) => {
                Status::True
            }
            (_, Some(false), Some(true))
                if self.untouched(state, above).is_none() || self.world.writable(above) =>
            {
                Status::True
            }
            _ => Status::Unknown,
        }
    }

    /// Whether a file of before this command stands there that may not be written.
    fn is_locked(&self, state: &State, path: &std::path::Path) -> bool {
        self.untouched(state, path).is_some() && !self.world.writable(path)
    }

    /// Runs a command whose redirections may fail: where one speaks against it, the command that does not run is a way
    /// of its own, as something that was not seen may have made the place meanwhile.
    pub(super) fn if_opened(
        &mut self,
        state: &mut State,
        opened: &Opened,
        run: impl FnOnce(&mut Self, &mut State) -> Flow,
    ) -> Flow {
        match opened.opens {
            Status::True => run(self, state),
            Status::False => self.fork(state, run, |_, way| {
                way.fail();
                Flow::Next
            }),
            Status::Unknown => {
                let flow = run(self, state);
                if state.status == Status::True {
                    state.status = Status::Unknown;
                }
                flow
            }
        }
    }

    /// A file name after a redirection operator: one word.
    fn target_word(&mut self, state: &mut State, word: &crate::syntax::Word) -> Expanded<Arg> {
        let mut words = self.expand_words(state, std::slice::from_ref(word))?;
        match words.len() {
            1 => {
                let arg = words.remove(0).arg;
                Ok(Arg { value: arg.value.plain(), ..arg })
            }
            0 => Err(Abort),
            _ => {
                let all = words.iter().filter_map(|w| w.arg.value.as_known().map(str::to_owned)).collect();
                Ok(Arg { value: Value::one_of(all), span: state.scope.place(word.span), explicit: false })
            }
        }
    }

    /// `sort f > f`: the file is empty before it is read, which nobody means who writes its name.
    pub(super) fn mind_own_input(&self, state: &State, call: &Call, opened: &mut Opened) {
        if !opened.writes.iter().any(|opening| opening.mode == Mode::Truncate) {
            return;
        }
        let words = call.arguments().iter().map(|word| &word.arg.value);
        let input = match opened.stdin.as_ref().unwrap_or(&state.stdin) {
            Stdin::File(path) => Some(path),
            _ => None,
        };
        let read: Vec<_> = words.chain(input).filter_map(|value| self.absolute(state, value)).collect();
        for opening in opened.writes.iter_mut().filter(|opening| opening.mode == Mode::Truncate) {
            let target = self.absolute(state, &opening.path.value);
            opening.path.explicit &= target.is_none_or(|target| !read.contains(&target));
        }
    }

    /// Whether a file that is emptied has other names: the command may read it by one of them.
    pub(super) fn empties_others(&self, state: &State, opened: &Opened) -> bool {
        let writes = opened.writes.iter().filter(|opening| opening.mode == Mode::Truncate);
        let mut paths = writes.filter_map(|opening| self.absolute(state, &opening.path.value));
        paths.any(|path| {
            self.world.stat(&path).is_ok_and(|meta| meta.kind == FileKind::File && meta.links > 1)
        })
    }

    /// The files that are emptied before the command starts, as the command sees them.
    pub(super) fn emptied(&self, state: &State, opened: &Opened) -> Files {
        let mut files = state.files.clone();
        for opening in opened.writes.iter().filter(|opening| opening.mode == Mode::Truncate) {
            if let Some(path) = self.absolute(state, &opening.path.value) {
                let emptied = || FileState::Created { content: Some(String::new()), directory: false };
                // What a link leads to is emptied, by whatever name the command reads it.
                if let Some(real) = self.physical(state, &path).filter(|real| *real != path) {
                    files.set(real, emptied());
                }
                files.set(path, emptied());
            }
        }
        files
    }

    /// Gives the steps of the files that are opened; `content` is what goes to standard output, where known.
    pub(super) fn open_writes(&mut self, state: &mut State, opened: &Opened, content: Option<&Value>) {
        for (index, opening) in opened.writes.iter().enumerate() {
            let takes = opening.stdout && opened.writes[index + 1..].iter().all(|later| !later.stdout);
            let content = if !opening.stdout && opening.mode != Mode::ReadWrite {
                None
            } else if takes {
                content.cloned()
            } else {
                Some(Value::known(""))
            };
            let path = self.absolute(state, &opening.path.value).filter(|_| state.scope.host.is_none());
            // A stage of a pipeline may read the file before or after it is emptied: what ends up in it is open.
            let raced = state.scope.piped
                && opening.mode == Mode::Truncate
                && path.as_ref().is_none_or(|path| self.exists(state, path) != Some(false));
            let before = match (&path, opening.mode) {
                (Some(path), Mode::Append) => match state.files.get(path) {
                    Some(FileState::Created { content, directory: false }) => content.clone(),
                    None if self.exists(state, path) == Some(false) => Some(String::new()),
                    _ => None,
                },
                _ => Some(String::new()),
            };
            if opening.path.value.as_known().is_some_and(|name| state.descriptors.contains_key(name)) {
                continue;
            }
            let kind = StepKind::Write {
                path: opening.path.clone(),
                mode: opening.mode,
                noclobber: opening.noclobber,
                content: content.clone().filter(|_| !raced),
            };
            self.emit(state, opening.span, kind);
            // `/dev/tcp/host/port`: bash's own name for a connection.
            if let (Some(path), Some(text)) = (opening.path.value.as_known(), content.as_ref())
                && (path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/"))
            {
                self.command_lines(state, super::nested::TEXT_PROTOCOL, text, opening.span);
            }
            // What was appended to a file of this command's own making is known too.
            if let (Some(path), Some(FileState::Created { directory: false, .. })) =
                (&path, path.as_ref().and_then(|path| state.files.get(path)))
            {
                let text = match (before, content.as_ref().and_then(Value::as_known)) {
                    (Some(before), Some(new)) => Some(before + new),
                    _ => None,
                };
                state.files.set(path.clone(), FileState::Created { content: text, directory: false });
            }
        }
    }

    /// `<> file >&0`: what is written to that descriptor goes into the file.
    pub(super) fn writes_to_input(&self, known: &str, stdout: bool, opened: &mut Opened) {
        if known == "0"
            && let Some(opening) = opened.both_ways.as_deref().cloned()
        {
            opened.writes.push(Opening { stdout, ..opening });
        }
    }

    /// A compound command with its redirections around it.
    pub(super) fn redirected(
        &mut self,
        state: &mut State,
        command: &Command,
        run: impl FnOnce(&mut Self, &mut State) -> Flow,
    ) -> Flow {
        if command.redirections.is_empty() {
            return run(self, state);
        }
        let Ok(opened) = self.open(state, &command.redirections) else {
            state.status = Status::False;
            return Flow::Next;
        };
        self.if_opened(state, &opened, |interp, state| interp.run_redirected(state, &opened, run))
    }

    fn run_redirected(
        &mut self,
        state: &mut State,
        opened: &Opened,
        run: impl FnOnce(&mut Self, &mut State) -> Flow,
    ) -> Flow {
        self.open_writes(state, opened, None);
        if opened.refused {
            state.status = Status::False;
            return Flow::Next;
        }
        let lent = state.lend_inputs(opened);
        let names = std::mem::replace(&mut state.names, Arc::clone(&opened.names));
        let output =
            (opened.output != Output::Same).then(|| std::mem::replace(&mut state.output, Value::known("")));
        let flow = run(self, state);
        if opened.opens_any(&names) {
            state.names = names;
        }
        state.return_inputs(lent);
        if let Some(before) = output {
            let written = std::mem::replace(&mut state.output, before);
            self.note_content(state, opened, written);
        }
        flow
    }

    /// Remembers what a compound command wrote into a file that it made.
    fn note_content(&self, state: &mut State, opened: &Opened, written: Value) {
        let Some(last) = opened.writes.iter().rev().find(|o| o.stdout) else { return };
        if last.mode != Mode::Truncate || !state.scope.capture {
            return;
        }
        let (Some(path), Value::Known(text)) = (self.absolute(state, &last.path.value), written) else {
            return;
        };
        if let Some(FileState::Created { directory: false, .. }) = state.files.get(&path) {
            state.files.set(path, FileState::Created { content: Some(text), directory: false });
        }
    }

    /// `exec` with redirections alone: they stay.
    pub(super) fn keep(&mut self, state: &mut State, opened: &Opened) {
        state.open_inputs(opened);
    }

    /// The text that standard input holds, where it is known.
    pub(crate) fn stdin_text(&self, state: &State, stdin: &Stdin) -> Option<Value> {
        match stdin {
            Stdin::Text(value) => Some(value.clone()),
            Stdin::Empty => Some(Value::known("")),
            Stdin::File(path) => {
                let path = self.absolute(state, path)?;
                // What a file holds becomes names in the report.
                if self.world.is_for_others() && state.files.nearest(&path).is_none() {
                    return None;
                }
                self.data_read.set(true);
                let noted = self.unseen_of_git.get();
                let text = self.read_data(state, &path, self.options.limits.data_bytes);
                // Data of another version is no code.
                let unseen = self.unseen_of_git.replace(noted);
                text.filter(|_| !unseen || noted).map(Value::Known)
            }
            Stdin::Inherited | Stdin::Unknown => None,
        }
    }
}
