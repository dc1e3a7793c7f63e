//! GNU parallel: commands built from words and from lines of standard input.

use crate::knowledge::Match;
use crate::model::Value;
use crate::shell::program::{Call, Expansion, FileText, Flow, Run, Shell, State, Status, Stdin};

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

/// What the commands are built from, one row for each, and whether there may be none or more of them.
struct Items {
    rows: Vec<Vec<Value>>,
    open: bool,
}

/// One source of items.
#[derive(Default)]
struct Source {
    texts: Vec<Value>,
    open: bool,
    /// It goes along with the one in front of it (`:::+`).
    linked: bool,
}

impl Source {
    /// Adds the lines of a file.
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
        let (texts, open) = match shell.stdin_text(state, &state.stdin.clone()) {
            Some(Value::Known(text)) => {
                (text.split(end).filter(|line| !line.is_empty()).map(Value::known).collect(), false)
            }
            Some(Value::Lines(lines)) => (lines.each.iter().map(Value::known).collect(), lines.some),
            _ => (vec![Value::Unknown], true),
        };
        Self { texts, open, linked: false }
    }

    /// Those behind `:::`, and the lines of files behind `::::`.
    fn given(shell: &Shell<'_>, state: &State, words: &[Expansion], end: char) -> Vec<Self> {
        let (mut all, mut files) = (Vec::<Self>::new(), false);
        for word in words {
            let mark = word.arg.value.as_known().filter(|text| is_mark(text));
            if let Some(mark) = mark {
                files = mark.starts_with("::::");
                all.push(Self { linked: mark.ends_with('+'), ..Self::default() });
                continue;
            }
            let Some(last) = all.last_mut() else { continue };
            if files {
                last.read_from(shell, state, &word.arg.value, end);
            } else {
                last.open |= word.elastic;
                last.texts.push(word.arg.value.clone());
            }
        }
        all
    }
}

fn is_mark(text: &str) -> bool {
    matches!(text, ":::" | ":::+" | "::::" | "::::+")
}

/// Most rows that several sources are combined to.
const ROWS: usize = 4_096;

impl Items {
    /// Every item of one source with every one of the others, or those along with which they go.
    fn combined(sources: Vec<Source>, all_linked: bool) -> Self {
        let open = sources.iter().any(|source| source.open);
        let mut rows: Vec<Vec<Value>> = vec![Vec::new()];
        for (at, source) in sources.into_iter().enumerate() {
            let linked = at > 0 && (source.linked || all_linked);
            let many = source.texts.len();
            if many == 0 || !linked && rows.len().saturating_mul(many) > ROWS {
                return Self {
                    rows: if many == 0 { Vec::new() } else { vec![vec![Value::Unknown]] },
                    open: open || many > 0,
                };
            }
            rows = if linked {
                // The shorter of the two begins anew.
                let longest = rows.len().max(many);
                let each = (0..longest).map(|n| {
                    let mut row = rows[n % rows.len()].clone();
                    row.push(source.texts[n % many].clone());
                    row
                });
                each.collect()
            } else {
                rows.iter()
                    .flat_map(|row| {
                        source.texts.iter().map(|text| [row.as_slice(), std::slice::from_ref(text)].concat())
                    })
                    .collect()
            };
        }
        Self { rows, open }
    }

    /// One by one, and past a number of them all that are left at once.
    fn in_turns(self, shell: &mut Shell<'_>) -> Vec<Vec<Value>> {
        let mut turns = self.rows;
        let single = shell.turns_of(turns.len());
        let rest = turns.split_off(single);
        let of_one = rest.iter().all(|row| row.len() == 1);
        let rest = rest.into_iter().flatten().reduce(|a, b| a.join(&b));
        turns.extend(rest.map(|rest| vec![if of_one { rest } else { Value::Unknown }]));
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
    let end = behind.iter().position(|word| word.arg.value.as_known().is_some_and(is_mark));
    let command = &behind[..end.unwrap_or(behind.len())];
    if matched.has("--pipe") || matched.has("--pipepart") {
        return piped(shell, state, (call, command), matched.has("--pipepart"));
    }
    let divides = if matched.has("-0") { '\0' } else { '\n' };
    let lists = matched.values("-a");
    let sources = match end {
        Some(at) => Source::given(shell, state, &behind[at..], divides),
        None if !lists.is_empty() => {
            let each = lists.iter().map(|list| {
                let mut source = Source::default();
                source.read_from(shell, state, list, divides);
                source
            });
            each.collect()
        }
        None => vec![Source::read(shell, state, divides)],
    };
    let mut items = Items::combined(sources, matched.has("--link") || matched.has("-X") && end.is_none());
    if let Some(count) = ["-n", "-N"].iter().find_map(|key| matched.value(key)) {
        let count = count.as_known().and_then(|text| text.parse::<usize>().ok()).filter(|count| *count > 0);
        let all = items.rows.concat();
        items.rows = match count {
            Some(count) if !items.open => all.chunks(count).map(<[Value]>::to_vec).collect(),
            _ => vec![vec![Value::Unknown]],
        };
    }
    // What is put in is cut, gathered or named as nobody here reckons.
    let odd = ["-C", "-I", "-i", "-L", "-X", "-m", "-d", "--rpl", "--header", "--trim", "--shuf"];
    let odd = odd.iter().any(|key| matched.has(key));
    let inner = state.scope.through("parallel");
    let maybe = state.maybe;
    state.maybe |= items.open;
    state.feed(Stdin::Empty);
    let span = command.first().map_or(call.span, |word| word.arg.span);
    for (number, row) in items.in_turns(shell).into_iter().enumerate() {
        let row = if odd { vec![Value::Unknown] } else { row };
        let text = match row.as_slice() {
            [only] if command.is_empty() => only.clone(),
            _ => built(shell, state, (command, matched.has("--header")), &row, number + 1),
        };
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
        state.feed(Stdin::Unknown);
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

/// A piece of the command: text, or what stands for items.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    /// `{}` and `{2}`, `{.}` and `{2.}`, `{/}`, `{//}`, `{/.}`: of all items or of one, and what is left of it.
    Items(Option<usize>, &'static str),
    /// `{#}`: the number of the command.
    Number,
    /// `{%}`, `{= … =}` and whatever else braces may mean.
    Unknown,
}

const PARTS: [&str; 5] = ["//", "/.", "/", ".", ""];

/// The pieces of a command. `named`: columns have names of their own.
fn pieces(text: &str, named: bool) -> Vec<Piece> {
    let (mut all, mut rest) = (Vec::new(), text);
    while let Some(open) = rest.find('{') {
        let piece = rest[open..].find('}').and_then(|length| {
            let (inner, end) = (&rest[open + 1..open + length], open + length + 1);
            let digits = inner.trim_start_matches('-').len()
                - inner.trim_start_matches('-').trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let piece = match inner {
                "#" => Piece::Number,
                "%" => Piece::Unknown,
                _ if inner.starts_with('=') => Piece::Unknown,
                // `--plus`: `{..}`, `{+/}`, `{%.txt}`, `{/a/b}`.
                _ if inner.starts_with(['+', '%', '#', '/', '.', ':']) && !PARTS.contains(&inner) => {
                    Piece::Unknown
                }
                _ if inner.starts_with('-') && digits > 0 => Piece::Unknown,
                _ => {
                    let known = PARTS.iter().find(|part| **part == &inner[digits..]);
                    match known {
                        Some(part) => Piece::Items(inner[..digits].parse().ok(), part),
                        None if named && !inner.is_empty() => Piece::Unknown,
                        None => return None,
                    }
                }
            };
            Some((piece, end))
        });
        match piece {
            Some((piece, end)) => {
                all.push(Piece::Text(rest[..open].to_owned()));
                all.push(piece);
                rest = &rest[end..];
            }
            None => {
                all.push(Piece::Text(rest[..=open].to_owned()));
                rest = &rest[open + 1..];
            }
        }
    }
    all.push(Piece::Text(rest.to_owned()));
    all
}

/// What a part of an item is: without its ending, its last component, the directory that it is in.
fn part(text: &str, part: &str) -> String {
    let base = |text: &str| text.rsplit('/').next().unwrap_or_default().to_owned();
    let stem = |text: &str| match text.rfind('.') {
        Some(at) if !text[at..].contains('/') => text[..at].to_owned(),
        _ => text.to_owned(),
    };
    match part {
        "." => stem(text),
        "/" => base(text),
        "/." => stem(&base(text)),
        "//" => match text.rsplit_once('/') {
            Some(("", _)) => "/".to_owned(),
            Some((dir, _)) => dir.to_owned(),
            None => ".".to_owned(),
        },
        _ => text.to_owned(),
    }
}

/// The command with its items put in, or behind it.
fn built(
    shell: &mut Shell<'_>,
    state: &mut State,
    (command, named): (&[Expansion], bool),
    row: &[Value],
    number: usize,
) -> Value {
    let joined = joined(command);
    let Some(text) = joined.as_known() else {
        // Which of several items would go where is not told.
        let [only] = row else { return Value::Unknown };
        return joined.concat(&Value::known(" ")).concat(&only.map(quoted));
    };
    let mut pieces = pieces(text, named);
    if pieces.iter().all(|piece| matches!(piece, Piece::Text(_) | Piece::Number)) {
        pieces.push(Piece::Text(" ".into()));
        pieces.push(Piece::Items(None, ""));
    }
    let mut whole = Value::known("");
    for piece in pieces {
        let put = match piece {
            Piece::Text(text) => Value::Known(text),
            Piece::Number => Value::Known(number.to_string()),
            Piece::Unknown => unknown_item(shell, state, &Value::Unknown),
            Piece::Items(at, form) => {
                let items = match at {
                    None => row,
                    Some(at) => {
                        let one = at.checked_sub(1).and_then(|at| row.get(at));
                        // Into how many an unknown item is cut nobody knows.
                        let one = one.or_else(|| row.iter().find(|item| **item == Value::Unknown));
                        one.map_or(&[][..], std::slice::from_ref)
                    }
                };
                let each = items.iter().map(|item| match item {
                    Value::Known(_) | Value::OneOf(_) => item.map(|text| quoted(&part(text, form))),
                    _ if form.is_empty() => unknown_item(shell, state, item),
                    _ => unknown_item(shell, state, &Value::Unknown),
                });
                let each: Vec<Value> = each.collect();
                each.into_iter()
                    .reduce(|a, b| a.concat(&Value::known(" ")).concat(&b))
                    .unwrap_or(Value::known(""))
            }
        };
        whole = whole.concat(&put);
    }
    whole
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// The item is not known: the command still is.
fn unknown_item(shell: &mut Shell<'_>, state: &mut State, item: &Value) -> Value {
    shell.assign_scalar(state, ITEM, item.clone());
    if let Some(variable) = std::sync::Arc::make_mut(&mut state.variables).get_mut(ITEM) {
        variable.exported = true;
    }
    Value::Known(format!("\"${ITEM}\""))
}

#[cfg(test)]
mod tests {
    use super::{Piece, part, pieces};

    #[test]
    fn what_stands_for_items_is_told_from_other_braces() {
        let told = |text: &str| {
            pieces(text, false)
                .into_iter()
                .filter(|piece| *piece != Piece::Text(String::new()))
                .collect::<Vec<_>>()
        };
        let text = |text: &str| Piece::Text(text.to_owned());
        assert_eq!(
            told("mv {} {.}.py"),
            [text("mv "), Piece::Items(None, ""), text(" "), Piece::Items(None, "."), text(".py")]
        );
        assert_eq!(told("a {2/.}"), [text("a "), Piece::Items(Some(2), "/.")]);
        assert_eq!(told("x{#}"), [text("x"), Piece::Number]);
        assert_eq!(told("{= s/a/b/ =}"), [Piece::Unknown]);
        assert_eq!(told("{/.txt/.py}"), [Piece::Unknown]);
        assert!(pieces("mv {old} {new}", true).iter().filter(|piece| **piece == Piece::Unknown).count() == 2);
        assert_eq!(told("awk '{print $1}'").len(), 2);
        assert!(told("echo {a,b}").iter().all(|piece| matches!(piece, Piece::Text(_))));
    }

    #[test]
    fn parts_of_names() {
        let rows = [
            ("d/a.b.txt", ["d", "a.b", "a.b.txt", "d/a.b", "d/a.b.txt"]),
            ("a", [".", "a", "a", "a", "a"]),
            ("/a.c", ["/", "a", "a.c", "/a", "/a.c"]),
            ("d.e/a", ["d.e", "a", "a", "d.e/a", "d.e/a"]),
        ];
        for (name, expected) in rows {
            assert_eq!(super::PARTS.map(|form| part(name, form)), expected, "{name}");
        }
    }
}
