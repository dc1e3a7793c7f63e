//! `xargs` and `parallel`: commands built from words on standard input.

use crate::knowledge::Match;
use crate::model::Value;
use crate::shell::expand::Expansion;
use crate::shell::interp::{Interp, Scope};
use crate::shell::simple::Call;
use crate::shell::state::{Flow, State, Status};
use crate::shell::step::{Arg, Mode, Stdin, StepKind};

use super::find::substitute;

/// Commands that are walked one by one.
const SINGLE: usize = 64;

/// How `xargs` cuts its input and builds its commands.
#[derive(Debug, Default)]
struct Cutting {
    delimiter: Option<char>,
    replace: Option<String>,
    per_command: Option<usize>,
    lines: bool,
    skip_empty: bool,
    end: Option<String>,
    file: Option<Value>,
    asks: bool,
}

impl Interp<'_> {
    /// `socat … EXEC:command`, `SYSTEM:text`: what a connection is joined to is a program.
    pub(in crate::shell) fn socat(&mut self, state: &mut State, scope: &Scope, call: &Call) -> Option<Flow> {
        let mut ran = None;
        for word in call.arguments() {
            let Some(text) = word.arg.value.as_known() else { continue };
            let Some((kind, rest)) = text.split_once(':') else { continue };
            let (kind, parts) = (kind.to_ascii_lowercase(), rest.split(',').collect::<Vec<_>>());
            let command = parts.first().copied().unwrap_or(rest);
            let inner = scope.through("socat");
            let span = word.arg.span;
            match kind.as_str() {
                "exec" | "system" | "shell" => {
                    // Quotes only keep what is in them together for socat.
                    let command = command.trim_matches(['"', '\'']);
                    let text = Value::known(command);
                    self.fresh_shell(state, &inner, &text, span, Value::known("sh"), Default::default());
                }
                "create" | "creat" | "open" | "gopen" | "file" => {
                    let has =
                        |name: &str| parts.iter().any(|part| *part == name || *part == format!("o_{name}"));
                    let mode = match kind.as_str() {
                        "create" | "creat" => Mode::Truncate,
                        _ if has("trunc") => Mode::Truncate,
                        _ if has("append") => Mode::Append,
                        _ if has("rdonly") => continue,
                        _ => Mode::ReadWrite,
                    };
                    let path = Arg { value: Value::known(command), span, explicit: false };
                    let write = StepKind::Write { path, mode, noclobber: false, content: None };
                    self.emit_as(state, &inner, span, &call.raw, write);
                    continue;
                }
                _ => continue,
            }
            ran = Some(Flow::Next);
        }
        ran
    }

    pub(super) fn xargs(&mut self, state: &mut State, scope: &Scope, call: &Call, matched: &Match) -> Flow {
        let (cutting, command) = read_options(call);
        if matched.informational {
            state.status = Status::True;
            return Flow::Next;
        }
        let mut inner = scope.through("xargs");
        inner.asks |= cutting.asks;
        let input = match &cutting.file {
            Some(file) => self.stdin_text(state, &Stdin::File(file.clone())),
            None => self.stdin_text(state, &state.stdin.clone()),
        };
        let command = if command.is_empty() {
            vec![Expansion { arg: Arg::literal("echo", call.span), elastic: false, unordered: false }]
        } else {
            command
        };
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
        let before = std::mem::replace(&mut state.stdin, Stdin::Empty);
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
                let many = groups.len() > SINGLE;
                for group in groups.iter().take(SINGLE) {
                    let values = group.iter().map(Value::known).collect::<Vec<_>>();
                    self.built(state, &inner, call, &command, &cutting, &values);
                }
                if many {
                    let rest = groups[SINGLE..].concat();
                    for chunk in rest.chunks(Value::MAX_CHOICES) {
                        self.built(state, &inner, call, &command, &cutting, &[Value::one_of(chunk.to_vec())]);
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
                self.built(state, &inner, call, &command, &cutting, &[value]);
            }
        }
        state.maybe = maybe;
        state.stdin = before;
        state.status = Status::Unknown;
        Flow::Next
    }

    fn built(
        &mut self,
        state: &mut State,
        scope: &Scope,
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
                    let replaced =
                        arg.value.as_known().filter(|text| text.contains(mark.as_str())).and_then(|text| {
                            substitute(&Value::Known(text.replace(mark.as_str(), "{}")), value)
                        });
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
        self.program(state, scope, all, call.span);
    }

    /// GNU parallel: like `xargs -I{}` over lines or over the words behind `:::`; its command is shell text.
    pub(super) fn parallel(&mut self, state: &mut State, scope: &Scope, call: &Call) -> Flow {
        let mut command: Vec<Arg> = Vec::new();
        let mut items: Option<Vec<Value>> = None;
        let mut open = false;
        let mut arguments = call.arguments().iter().peekable();
        let mut dry = false;
        let mut null = false;
        while let Some(word) = arguments.next() {
            let text = word.arg.value.as_known().unwrap_or("");
            if items.is_some() || text == ":::" || text == ":::+" {
                let list = items.get_or_insert_default();
                if !text.starts_with(":::") {
                    open |= word.elastic;
                    list.push(word.arg.value.clone());
                }
            } else if command.is_empty() && text.starts_with('-') {
                match text {
                    "--dry-run" | "--dryrun" | "--help" | "--version" => dry = true,
                    "-0" | "--null" => null = true,
                    "-j" | "--jobs" | "-n" | "-N" | "-P" | "-I" | "-a" | "--arg-file" | "-d" | "-S"
                    | "--sshlogin" | "--delay" | "--timeout" | "--retries" | "--results" | "--joblog"
                    | "--colsep" | "-C" | "--tmpdir" | "--halt" | "-L" | "--max-args" | "--tagstring" => {
                        arguments.next();
                    }
                    _ => {}
                }
            } else {
                command.push(word.arg.clone());
            }
        }
        state.status = Status::Unknown;
        if dry {
            return Flow::Next;
        }
        let items = match items {
            Some(list) => list,
            None => match self.stdin_text(state, &state.stdin.clone()) {
                Some(Value::Known(text)) => text
                    .split(if null { '\0' } else { '\n' })
                    .filter(|line| !line.is_empty())
                    .map(Value::known)
                    .collect(),
                Some(Value::Lines(lines)) => {
                    open |= lines.some;
                    lines.each.iter().map(Value::known).collect()
                }
                _ => {
                    open = true;
                    vec![Value::Unknown]
                }
            },
        };
        let inner = scope.through("parallel");
        let maybe = state.maybe;
        state.maybe |= open;
        state.stdin = Stdin::Empty;
        let span = command.first().map_or(call.span, |arg| arg.span);
        let mut turns = items.iter().take(SINGLE).cloned().collect::<Vec<_>>();
        if let Some(rest) = items.get(SINGLE..).filter(|rest| !rest.is_empty()) {
            turns.extend(rest.iter().cloned().reduce(|a, b| a.join(&b)));
        }
        for item in turns {
            if command.is_empty() {
                let (zero, positional) = (Value::known("sh"), Default::default());
                self.fresh_shell(state, &inner, &item, span, zero, positional);
                continue;
            }
            let quoted = item.map(|text| format!("'{}'", text.replace('\'', "'\\''")));
            let joined = command.iter().enumerate().fold(Value::known(""), |text, (index, arg)| {
                let text = if index > 0 { text.concat(&Value::known(" ")) } else { text };
                text.concat(&arg.value)
            });
            let has_mark = joined.as_known().is_some_and(|text| text.contains("{}"));
            let text = match (&item, joined.as_known()) {
                // The item is not known: the command still is.
                (Value::Unknown | Value::Affix { .. }, Some(text)) => {
                    let name = "__parallel_item";
                    let text = if has_mark {
                        text.replace("{}", &format!("\"${name}\""))
                    } else {
                        format!("{text} \"${name}\"")
                    };
                    self.assign_scalar(state, name, item.clone());
                    if let Some(variable) = std::sync::Arc::make_mut(&mut state.variables).get_mut(name) {
                        variable.exported = true;
                    }
                    Value::Known(text)
                }
                _ if has_mark => substitute(&joined, &quoted).unwrap_or(Value::Unknown),
                _ => joined.concat(&Value::known(" ")).concat(&quoted),
            };
            let (zero, positional) = (Value::known("sh"), Default::default());
            self.fresh_shell(state, &inner, &text, span, zero, positional);
        }
        state.maybe = maybe;
        state.status = Status::Unknown;
        if scope.capture {
            state.print(&Value::Unknown);
        }
        Flow::Next
    }
}

fn read_options(call: &Call) -> (Cutting, Vec<Expansion>) {
    let mut cutting = Cutting::default();
    let mut words = call.arguments().iter();
    while let Some(word) = words.next() {
        let Value::Known(text) = &word.arg.value else {
            return (cutting, std::iter::once(word).chain(words).cloned().collect());
        };
        let long = text.split_once('=').map_or((text.as_str(), None), |(name, value)| (name, Some(value)));
        match long.0 {
            "--" => return (cutting, words.cloned().collect()),
            "--null" => cutting.delimiter = Some('\0'),
            "--no-run-if-empty" => cutting.skip_empty = true,
            "--interactive" => cutting.asks = true,
            "--replace" => cutting.replace = Some(long.1.unwrap_or("{}").to_owned()),
            "--delimiter" | "--max-args" | "--arg-file" | "--max-lines" | "--max-procs" | "--max-chars"
            | "--eof" | "--process-slot-var" => {
                let value = match (long.1, long.0) {
                    (Some(value), _) => Some(Value::known(value)),
                    (None, "--max-lines" | "--eof") => None,
                    _ => words.next().map(|word| word.arg.value.clone()),
                };
                let text = value.as_ref().and_then(Value::as_known);
                match long.0 {
                    "--delimiter" => cutting.delimiter = text.and_then(delimiter),
                    "--max-args" => cutting.per_command = text.and_then(|t| t.parse().ok()),
                    "--max-lines" => {
                        cutting.lines = true;
                        cutting.per_command = Some(text.and_then(|t| t.parse().ok()).unwrap_or(1));
                    }
                    "--arg-file" => cutting.file = value,
                    "--eof" => cutting.end = text.map(str::to_owned),
                    _ => {}
                }
            }
            _ if text.starts_with("--") => {}
            _ if text.len() > 1 && text.starts_with('-') => {
                for (at, letter) in text.char_indices().skip(1) {
                    let rest = &text[at + letter.len_utf8()..];
                    let mut value = || {
                        if rest.is_empty() {
                            words.next().map(|word| word.arg.value.clone())
                        } else {
                            Some(Value::known(rest))
                        }
                    };
                    match letter {
                        '0' => cutting.delimiter = Some('\0'),
                        'r' => cutting.skip_empty = true,
                        'p' => cutting.asks = true,
                        't' | 'x' | 'o' => {}
                        'i' => {
                            cutting.replace =
                                Some(if rest.is_empty() { "{}".to_owned() } else { rest.to_owned() });
                            break;
                        }
                        'I' | 'J' => {
                            cutting.replace = value().and_then(|v| v.as_known().map(str::to_owned));
                            break;
                        }
                        'd' => {
                            cutting.delimiter = value().and_then(|v| v.as_known().and_then(delimiter));
                            break;
                        }
                        'n' => {
                            cutting.per_command = value().and_then(|v| v.as_known()?.parse().ok());
                            break;
                        }
                        'L' => {
                            cutting.lines = true;
                            cutting.per_command = value().and_then(|v| v.as_known()?.parse().ok());
                            break;
                        }
                        'l' => {
                            cutting.lines = true;
                            cutting.per_command = Some(rest.parse().unwrap_or(1));
                            break;
                        }
                        'a' => {
                            cutting.file = value();
                            break;
                        }
                        'E' | 'e' => {
                            if letter == 'E' || !rest.is_empty() {
                                cutting.end = value().and_then(|v| v.as_known().map(str::to_owned));
                            }
                            break;
                        }
                        'P' | 's' | 'S' | 'R' => {
                            value();
                            break;
                        }
                        _ => break,
                    }
                }
            }
            _ => return (cutting, std::iter::once(word).chain(words).cloned().collect()),
        }
    }
    (cutting, Vec::new())
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
