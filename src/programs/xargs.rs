//! `xargs`: commands built from words on standard input.

use crate::knowledge::{Match, lists, places};
use crate::model::Value;
use crate::shell::program::{Arg, Call, Expansion, Flow, Run, Shell, State, Status, Stdin};

use super::find::substitute;

/// See [`Room::Xargs`](crate::knowledge::Room::Xargs).
pub(super) struct Xargs;

impl super::Program for Xargs {
    fn runs(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Flow> {
        Some(xargs(shell, state, run.call, run.matched))
    }
}

/// How `xargs` cuts its input and builds its commands.
#[derive(Debug, Default)]
struct Cutting {
    delimiter: Option<char>,
    replace: Option<String>,
    per_command: Option<usize>,
    skip_empty: bool,
    end: Option<String>,
    file: Option<Value>,
    asks: bool,
}

/// Walks the commands that are built, as many as the input and the options say.
fn xargs(shell: &mut Shell<'_>, state: &mut State, call: &Call, matched: &Match) -> Flow {
    let cutting = Cutting::of(matched);
    if matched.informational {
        state.status = Status::True;
        return Flow::Next;
    }
    let mut inner = state.scope.through("xargs");
    inner.asks |= cutting.asks;
    let input = match &cutting.file {
        Some(file) => shell.stdin_text(state, &Stdin::File(file.clone())),
        None => shell.stdin_text(state, &state.stdin.clone()),
    };
    let command = match matched.operands.first() {
        Some(first) => call.words.get(first.index + 1..).unwrap_or_default().to_vec(),
        None => vec![Expansion { arg: Arg::literal("echo", call.span), elastic: false, unordered: false }],
    };
    if never_starts(shell, state, call, &command, &cutting) {
        state.status = Status::False;
        return Flow::Next;
    }
    let maybe = state.maybe;
    let known = match &input {
        Some(Value::Known(text)) => Some(words(text, &cutting)),
        // All of them, in whatever order; of some it is not known which.
        Some(Value::Lines(lines)) => {
            state.maybe |= lines.some;
            Some(words(&lines.text(), &cutting))
        }
        _ => None,
    };
    // With words of a file the commands read what xargs itself would.
    let inner_stdin = if cutting.file.is_some() { state.stdin.clone() } else { Stdin::Empty };
    let before = std::mem::replace(&mut state.stdin, inner_stdin);
    match known {
        Some(items) if items.is_empty() && (cutting.skip_empty || cutting.replace.is_some()) => {}
        Some(items) => {
            let size = match (&cutting.replace, cutting.per_command) {
                (Some(_), _) => 1,
                (None, Some(n)) => n.max(1),
                (None, None) => items.len().max(1),
            };
            let mut groups = items.chunks(size).map(<[String]>::to_vec).collect::<Vec<_>>();
            if groups.is_empty() {
                groups.push(Vec::new());
            }
            let single = shell.turns_of(groups.len());
            for group in groups.iter().take(single) {
                let values = group.iter().map(Value::known).collect::<Vec<_>>();
                state.within(&inner, |state| built(shell, state, call, &command, &cutting, &values));
            }
            if groups.len() > single {
                let rest = groups[single..].concat();
                for chunk in rest.chunks(Value::MAX_CHOICES) {
                    state.within(&inner, |state| {
                        built(shell, state, call, &command, &cutting, &[Value::one_of(chunk.to_vec())])
                    });
                }
            }
        }
        None => {
            // Each word is one of the known texts, or anything.
            let value = match input {
                Some(Value::OneOf(list)) => {
                    let all = list.iter().flat_map(|text| words(text, &cutting)).collect::<Vec<_>>();
                    Value::one_of(all)
                }
                _ => Value::Unknown,
            };
            state.maybe = true;
            state.within(&inner, |state| built(shell, state, call, &command, &cutting, &[value]));
        }
    }
    state.maybe = maybe;
    state.stdin = before;
    state.status = Status::Unknown;
    Flow::Next
}

/// Whether the command's own name is the mark (`xargs -i {} basename {}`): that alone is never replaced, and no program
/// is called so. Only the one that is many programs replaces it all the same.
fn never_starts(
    shell: &Shell<'_>,
    state: &State,
    call: &Call,
    command: &[Expansion],
    cutting: &Cutting,
) -> bool {
    let name = command.first().and_then(|word| word.arg.value.as_known());
    let (Some(mark), Some(name)) = (&cutting.replace, name) else { return false };
    let own = call.words.first().and_then(|word| word.arg.value.as_known());
    let plain = own
        .and_then(|own| shell.in_path(state, own))
        .and_then(|file| shell.world.canonicalize(&file).ok())
        .is_some_and(|real| real.file_name().and_then(|name| name.to_str()) == own);
    mark == name
        && !name.chars().any(char::is_alphanumeric)
        && !name.contains('/')
        && plain
        && !state.scope.via.iter().any(|via| lists(&places().many, via))
        && state.scope.host.is_none()
        && shell.in_path(state, name).is_none()
}

/// Walks one command with these words put in, or behind it.
fn built(
    shell: &mut Shell<'_>,
    state: &mut State,
    call: &Call,
    command: &[Expansion],
    cutting: &Cutting,
    values: &[Value],
) {
    let mut all = Vec::new();
    match (&cutting.replace, values) {
        (Some(mark), [value]) => {
            for expansion in command {
                let arg = &expansion.arg;
                let replaced = arg
                    .value
                    .as_known()
                    .filter(|text| text.contains(mark.as_str()))
                    .and_then(|text| substitute(&Value::Known(text.replace(mark.as_str(), "{}")), value));
                match replaced {
                    Some(value) => all.push(Expansion {
                        arg: Arg { value, span: arg.span, explicit: false },
                        elastic: false,
                        unordered: false,
                    }),
                    None => all.push(expansion.clone()),
                }
            }
        }
        _ => {
            all.extend(command.iter().cloned());
            all.extend(values.iter().map(|value| Expansion {
                arg: Arg { value: value.clone(), span: call.span, explicit: false },
                elastic: *value == Value::Unknown,
                unordered: false,
            }));
        }
    }
    shell.program(state, all, call.span);
}

impl Cutting {
    /// As the options say, of which the last one counts.
    fn of(matched: &Match) -> Self {
        let mut cutting = Self::default();
        for option in &matched.options {
            let text = option.value.as_ref().and_then(Value::as_known);
            let owned = || text.map(str::to_owned);
            let number = || text.and_then(|text| text.parse().ok());
            match option.key.as_str() {
                "-0" => cutting.delimiter = Some('\0'),
                "-d" => cutting.delimiter = text.and_then(delimiter),
                "-i" => cutting.replace = Some(text.unwrap_or("{}").to_owned()),
                "-I" | "-J" => cutting.replace = owned(),
                "-n" | "-L" => cutting.per_command = number(),
                "-l" => cutting.per_command = Some(number().unwrap_or(1)),
                "-E" | "-e" => cutting.end = owned(),
                "-a" => cutting.file = option.value.clone(),
                "-r" => cutting.skip_empty = true,
                "-p" => cutting.asks = true,
                _ => {}
            }
        }
        cutting
    }
}

fn delimiter(text: &str) -> Option<char> {
    match text {
        "\\n" => Some('\n'),
        "\\t" => Some('\t'),
        "\\0" => Some('\0'),
        "\\r" => Some('\r'),
        other => other.chars().next(),
    }
}

/// The items in the input.
fn words(text: &str, cutting: &Cutting) -> Vec<String> {
    if let Some(delimiter) = cutting.delimiter {
        let text = text.strip_suffix(delimiter).unwrap_or(text);
        return if text.is_empty() { Vec::new() } else { text.split(delimiter).map(str::to_owned).collect() };
    }
    let mut items = Vec::new();
    for line in text.lines() {
        if cutting.replace.is_some() {
            let line = line.trim_start();
            if !line.is_empty() {
                items.push(unquote(line).into_iter().collect::<Vec<_>>().join(" "));
            }
            continue;
        }
        for item in unquote(line) {
            if cutting.end.as_deref() == Some(item.as_str()) {
                return items;
            }
            items.push(item);
        }
    }
    items
}

/// Blanks separate; quotes and backslash protect.
fn unquote(line: &str) -> Vec<String> {
    let mut items = Vec::new();
    let mut item = String::new();
    let mut inside = false;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' => {
                if inside {
                    items.push(std::mem::take(&mut item));
                    inside = false;
                }
            }
            '\\' => {
                inside = true;
                item.extend(chars.next());
            }
            '\'' | '"' => {
                inside = true;
                for next in chars.by_ref() {
                    if next == c {
                        break;
                    }
                    item.push(next);
                }
            }
            other => {
                inside = true;
                item.push(other);
            }
        }
    }
    if inside {
        items.push(item);
    }
    items
}
