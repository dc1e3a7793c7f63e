//! GNU parallel: commands built from words and from lines of standard input.

use crate::knowledge::Match;
use crate::model::Value;
use crate::shell::program::{Call, Expansion, FileText, Flow, Run, Shell, State, Status, Stdin};

use super::find::substitute;

/// Commands that are walked one by one.
const SINGLE: usize = 64;

/// The variable that stands for an item which is not known.
const ITEM: &str = "__parallel_item";

/// See [`Room::Parallel`](crate::knowledge::Room::Parallel).
pub(super) struct Parallel;

impl super::Program for Parallel {
    fn runs(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Flow> {
        // As a semaphore it runs its one command, as declared.
        if run.name == "sem" || run.matched.has("--semaphore") {
            return None;
        }
        let before = state.cwd.clone();
        for dir in run.matched.cwd() {
            state.go_out();
            state.cwd = shell.directories(state, &dir);
        }
        let flow = parallel(shell, state, run.call, run.matched);
        state.cwd = before;
        Some(flow)
    }
}

/// What the command is built from: texts, and whether there may be none or more of them.
struct Items {
    texts: Vec<Value>,
    open: bool,
}

impl Items {
    /// Those behind `:::`, and the lines of files behind `::::`.
    fn given(shell: &Shell<'_>, state: &State, words: &[Expansion], end: char) -> Self {
        let (mut given, mut files) = (Self { texts: Vec::new(), open: false }, false);
        for word in words {
            match word.arg.value.as_known() {
                Some(":::" | ":::+") => files = false,
                Some("::::" | "::::+") => files = true,
                _ if files => given.read_from(shell, state, &word.arg.value, end),
                _ => {
                    given.open |= word.elastic;
                    given.texts.push(word.arg.value.clone());
                }
            }
        }
        given
    }

    /// The lines of a file.
    fn read_from(&mut self, shell: &Shell<'_>, state: &State, file: &Value, end: char) {
        match shell.file_text(state, file) {
            FileText::Text(text) => {
                self.texts.extend(text.split(end).filter(|line| !line.is_empty()).map(Value::known));
            }
            FileText::Missing => {}
            FileText::Unknown => {
                self.open = true;
                self.texts.push(Value::Unknown);
            }
        }
    }

    /// The lines of standard input.
    fn read(shell: &mut Shell<'_>, state: &mut State, end: char) -> Self {
        match shell.stdin_text(state, &state.stdin.clone()) {
            Some(Value::Known(text)) => Self {
                texts: text.split(end).filter(|line| !line.is_empty()).map(Value::known).collect(),
                open: false,
            },
            Some(Value::Lines(lines)) => {
                Self { texts: lines.each.iter().map(Value::known).collect(), open: lines.some }
            }
            _ => Self { texts: vec![Value::Unknown], open: true },
        }
    }

    /// One by one, and past [`SINGLE`] all that are left at once.
    fn in_turns(self) -> Vec<Value> {
        let mut turns = self.texts;
        let rest = turns.split_off(turns.len().min(SINGLE));
        turns.extend(rest.into_iter().reduce(|a, b| a.join(&b)));
        turns
    }
}

/// GNU parallel: like `xargs -I{}` over lines or over the words behind `:::`; its command is shell text.
fn parallel(shell: &mut Shell<'_>, state: &mut State, call: &Call, matched: &Match) -> Flow {
    state.status = Status::Unknown;
    if matched.dry_run || matched.informational {
        return Flow::Next;
    }
    let behind = matched.operands.first().and_then(|first| call.words.get(first.index + 1..));
    let behind = behind.unwrap_or_default();
    let mark =
        |word: &Expansion| matches!(word.arg.value.as_known(), Some(":::" | ":::+" | "::::" | "::::+"));
    let end = behind.iter().position(mark);
    let command = &behind[..end.unwrap_or(behind.len())];
    if matched.has("--pipe") || matched.has("--pipepart") {
        return piped(shell, state, (call, command), matched.has("--pipepart"));
    }
    let divides = if matched.has("-0") { '\0' } else { '\n' };
    let lists = matched.values("-a");
    let items = match end {
        Some(at) => Items::given(shell, state, &behind[at..], divides),
        None if !lists.is_empty() => {
            let mut items = Items { texts: Vec::new(), open: false };
            lists.iter().for_each(|list| items.read_from(shell, state, list, divides));
            items
        }
        None => Items::read(shell, state, divides),
    };
    let inner = state.scope.through("parallel");
    let maybe = state.maybe;
    state.maybe |= items.open;
    state.stdin = Stdin::Empty;
    let span = command.first().map_or(call.span, |word| word.arg.span);
    for item in items.in_turns() {
        let text = if command.is_empty() { item } else { built(shell, state, command, &item) };
        let (zero, positional) = (Value::known("sh"), Default::default());
        state.within(&inner, |state| shell.fresh_shell(state, &text, span, zero, positional));
    }
    state.maybe = maybe;
    state.status = Status::Unknown;
    if state.scope.capture {
        state.print(&Value::Unknown);
    }
    Flow::Next
}

/// `--pipe`: the command is given no items; blocks of the input are what it reads.
fn piped(
    shell: &mut Shell<'_>,
    state: &mut State,
    (call, command): (&Call, &[Expansion]),
    from_file: bool,
) -> Flow {
    let inner = state.scope.through("parallel");
    let span = command.first().map_or(call.span, |word| word.arg.span);
    if from_file {
        state.stdin = Stdin::Unknown;
    }
    let text = joined(command);
    state.within(&inner, |state| {
        shell.fresh_shell(state, &text, span, Value::known("sh"), Default::default());
    });
    state.status = Status::Unknown;
    if state.scope.capture {
        state.print(&Value::Unknown);
    }
    Flow::Next
}

/// The words of the command as one text.
fn joined(command: &[Expansion]) -> Value {
    command.iter().enumerate().fold(Value::known(""), |text, (index, word)| {
        let text = if index > 0 { text.concat(&Value::known(" ")) } else { text };
        text.concat(&word.arg.value)
    })
}

/// The command with an item put in, or behind it.
fn built(shell: &mut Shell<'_>, state: &mut State, command: &[Expansion], item: &Value) -> Value {
    let joined = joined(command);
    let has_mark = joined.as_known().is_some_and(|text| text.contains("{}"));
    // The item is not known: the command still is.
    if let (Value::Unknown | Value::Affix { .. }, Some(text)) = (item, joined.as_known()) {
        let variable = format!("\"${ITEM}\"");
        let text = if has_mark { text.replace("{}", &variable) } else { format!("{text} {variable}") };
        shell.assign_scalar(state, ITEM, item.clone());
        if let Some(variable) = std::sync::Arc::make_mut(&mut state.variables).get_mut(ITEM) {
            variable.exported = true;
        }
        return Value::Known(text);
    }
    let quoted = item.map(|text| format!("'{}'", text.replace('\'', "'\\''")));
    if has_mark {
        substitute(&joined, &quoted).unwrap_or(Value::Unknown)
    } else {
        joined.concat(&Value::known(" ")).concat(&quoted)
    }
}
