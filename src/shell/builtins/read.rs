//! `read` and `mapfile`.

use crate::model::Value;
use crate::shell::interp::Shell;
use crate::shell::simple::Call;
use crate::shell::state::{Content, Flow, State, Status};
use crate::shell::step::Stdin;

/// What `read` is asked for.
struct Asked {
    names: Vec<String>,
    array: Option<String>,
    /// A backslash is an ordinary character.
    raw: bool,
    delimiter: char,
    /// So many characters, wherever the line ends.
    count: Option<usize>,
    /// … and the ends of lines are characters like others.
    exactly: bool,
    descriptor: Option<String>,
    /// All of its words are known.
    known: bool,
    /// No name was given, so that the line goes to `REPLY` as it is.
    whole: bool,
}

impl Asked {
    fn of(call: &Call) -> Self {
        let mut asked = Self {
            names: Vec::new(),
            array: None,
            raw: false,
            delimiter: '\n',
            count: None,
            exactly: false,
            descriptor: None,
            known: true,
            whole: false,
        };
        let mut words = call.arguments().iter();
        while let Some(word) = words.next() {
            match word.arg.value.as_known() {
                None => asked.known = false,
                Some("--") => {}
                Some(text) if text.len() > 1 && text.starts_with('-') && asked.names.is_empty() => {
                    let mut next = || words.next().and_then(|word| word.arg.value.as_known());
                    asked.option(text, &mut next);
                }
                Some(text) => asked.names.push(text.to_owned()),
            }
        }
        if asked.names.is_empty() && asked.array.is_none() {
            asked.names.push("REPLY".to_owned());
            asked.whole = call.texts().is_some();
        }
        asked
    }

    /// One word of options; the value of the last may be the next word.
    fn option<'a>(&mut self, text: &str, next: &mut dyn FnMut() -> Option<&'a str>) {
        for (at, letter) in text.char_indices().skip(1) {
            if !matches!(letter, 'a' | 'd' | 'i' | 'n' | 'N' | 'p' | 't' | 'u') {
                self.raw |= letter == 'r';
                continue;
            }
            let value = match &text[at + 1..] {
                "" => next().unwrap_or(""),
                rest => rest,
            };
            match letter {
                'a' => self.array = Some(value.to_owned()),
                'd' => self.delimiter = value.chars().next().unwrap_or('\0'),
                'n' | 'N' => {
                    self.count = value.parse().ok();
                    self.exactly = letter == 'N';
                    self.known &= self.count.is_some();
                }
                'u' => self.descriptor = Some(value.to_owned()),
                _ => {}
            }
            break;
        }
    }

    /// Whether what it takes may be more than the line at the beginning, or less.
    fn goes_on(&self, text: &str) -> bool {
        let backslash = |text: &str| !self.raw && text.contains('\\');
        self.exactly
            || self.count.is_some() && backslash(text)
            || backslash(text) && self.cut(text).0.ends_with('\\')
    }

    /// The line at the beginning of the input, what comes behind it, and whether its end was found.
    fn cut(&self, text: &str) -> (String, String, bool) {
        match (self.count, text.find(self.delimiter)) {
            (Some(n), at) if text.chars().take(n).count() == n && at.is_none_or(|at| at >= n) => {
                let end = text.char_indices().nth(n).map_or(text.len(), |(at, _)| at);
                (text[..end].to_owned(), text[end..].to_owned(), true)
            }
            (_, Some(at)) => (text[..at].to_owned(), text[at + self.delimiter.len_utf8()..].to_owned(), true),
            (_, None) => (text.to_owned(), String::new(), false),
        }
    }
}

impl Shell<'_> {
    /// `read name …`: a line of the input, its fields into variables.
    pub(super) fn read(&mut self, state: &mut State, call: &Call) -> Flow {
        let asked = Asked::of(call);
        let descriptor = asked.descriptor.as_deref().filter(|number| *number != "0");
        let input = Self::input_of(state, descriptor);
        let text = match self.stdin_text(state, &input) {
            Some(Value::Known(text)) if asked.known && !asked.goes_on(&text) => text,
            other => return self.read_unknown(state, &asked, other),
        };
        let (line, rest, found) = asked.cut(&text);
        let left = Stdin::Text(Value::Known(rest));
        state.take(&format!("/dev/fd/{}", descriptor.unwrap_or("0")), left);
        let protects = !asked.raw && line.contains('\\');
        let alone = asked.names.len() == 1 && asked.array.is_none();
        let separators = match self.scalar(state, "IFS") {
            // What a backslash protects is no separator.
            Some(value) if protects && (!alone || parts(&line, &value)) => None,
            _ if protects && line.contains([' ', '\t']) => None,
            Some(value) => value.as_known().map(str::to_owned),
            None => Some(" \t\n".to_owned()),
        };
        let Some(separators) = separators else {
            for name in &asked.names {
                self.assign_scalar(state, name, Value::Unknown);
            }
            if let Some(array) = &asked.array {
                self.assign_content(state, array, Content::UnknownArray);
            }
            state.status = Status::Unknown;
            return Flow::Next;
        };
        let line = if protects { unprotected(&line) } else { line };
        let names = asked.names.iter().chain(&asked.array);
        let refuses = names.into_iter().any(|name| self.may_refuse(state, name));
        self.assign_line(state, &asked, line, &separators);
        state.status = if refuses { Status::Unknown } else { Status::from_bool(found) };
        Flow::Next
    }

    /// What reading a descriptor gives; without one, standard input.
    pub(super) fn input_of(state: &State, descriptor: Option<&str>) -> Stdin {
        match descriptor {
            Some(number) => {
                state.descriptors.get(&format!("/dev/fd/{number}")).cloned().unwrap_or(Stdin::Unknown)
            }
            None => state.stdin.clone(),
        }
    }

    /// A line of an input that is not known as a text: it may be any of the lines.
    fn read_unknown(&mut self, state: &mut State, asked: &Asked, input: Option<Value>) -> Flow {
        // Where it stopped is not known either.
        let number = asked.descriptor.as_deref().unwrap_or("0");
        if number != "0" || matches!(input, Some(Value::Known(_))) {
            state.take(&format!("/dev/fd/{number}"), Stdin::Unknown);
        }
        let alone = asked.names.len() == 1 && asked.array.is_none();
        let line = match input {
            Some(Value::OneOf(list)) if alone => {
                Value::one_of(list.iter().flat_map(|text| text.lines().map(str::to_owned)).collect())
            }
            // Any of them comes first.
            Some(Value::Lines(lines)) if alone => lines.one(),
            _ => Value::Unknown,
        };
        for name in &asked.names {
            self.assign_scalar(state, name, line.clone());
        }
        if let Some(array) = &asked.array {
            self.assign_content(state, array, Content::UnknownArray);
        }
        state.status = Status::Unknown;
        Flow::Next
    }

    /// The fields of a line, into the array or the names that were given.
    fn assign_line(&mut self, state: &mut State, asked: &Asked, line: String, separators: &str) {
        if let Some(array) = &asked.array {
            let fields = fields(&line, separators, usize::MAX).into_iter().map(Value::Known);
            self.assign_content(state, array, Content::Indexed((0..).zip(fields).collect()));
        } else if asked.whole {
            self.assign_scalar(state, "REPLY", Value::Known(line));
        } else {
            let mut fields = fields(&line, separators, asked.names.len()).into_iter();
            for name in &asked.names {
                let value = fields.next().unwrap_or_default();
                self.assign_scalar(state, name, Value::Known(value));
            }
        }
    }
}

/// Whether a line holds a separator that is no blank.
fn parts(line: &str, separators: &Value) -> bool {
    let hard = |c: char| line.contains(c) && !matches!(c, ' ' | '\t' | '\n');
    separators.as_known().is_none_or(|text| text.chars().any(hard))
}

/// A line without its backslashes.
fn unprotected(line: &str) -> String {
    let mut text = String::new();
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        text.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    text
}

/// At most `most` fields; the last holds the rest of the line, without a separator that ends it where it is the only one.
fn fields(line: &str, separators: &str, most: usize) -> Vec<String> {
    let blank = |c: char| separators.contains(c) && matches!(c, ' ' | '\t' | '\n');
    let mut all = Vec::new();
    let mut rest = line.trim_start_matches(blank);
    while !rest.is_empty() {
        let (field, behind) = next_field(rest, separators);
        if all.len() + 1 >= most && !behind.is_empty() {
            all.push(rest.trim_end_matches(blank).to_owned());
            break;
        }
        all.push(field.to_owned());
        rest = behind;
    }
    all
}

/// The first field of a line, and what comes behind the separator that ends it and the blanks around that.
fn next_field<'a>(line: &'a str, separators: &str) -> (&'a str, &'a str) {
    let blank = |c: char| separators.contains(c) && matches!(c, ' ' | '\t' | '\n');
    let Some(at) = line.find(|c| separators.contains(c)) else { return (line, "") };
    let rest = line[at..].trim_start_matches(blank);
    let rest = match rest.chars().next() {
        Some(c) if separators.contains(c) => rest[c.len_utf8()..].trim_start_matches(blank),
        _ => rest,
    };
    (&line[..at], rest)
}
