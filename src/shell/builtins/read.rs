//! `read` and `mapfile`.

use crate::model::Value;
use crate::shell::interp::{Interp, Scope};
use crate::shell::simple::Call;
use crate::shell::state::{Content, Flow, State, Status};
use crate::shell::step::Stdin;

impl Interp<'_> {
    pub(super) fn read(&mut self, state: &mut State, call: &Call) -> Flow {
        let mut names: Vec<String> = Vec::new();
        let mut array = None;
        let mut raw = false;
        let mut delimiter = '\n';
        let mut count = None;
        let mut descriptor = None;
        let mut known = true;
        let mut words = call.arguments().iter();
        while let Some(word) = words.next() {
            let Some(text) = word.arg.value.as_known() else {
                known = false;
                continue;
            };
            if text == "--" {
                continue;
            }
            if text.len() > 1 && text.starts_with('-') && names.is_empty() {
                for (at, c) in text.char_indices().skip(1) {
                    let rest = &text[at + 1..];
                    if matches!(c, 'a' | 'd' | 'i' | 'n' | 'N' | 'p' | 't' | 'u') {
                        let value = if rest.is_empty() {
                            words.next().and_then(|word| word.arg.value.as_known()).unwrap_or("").to_owned()
                        } else {
                            rest.to_owned()
                        };
                        match c {
                            'a' => array = Some(value),
                            'd' => delimiter = value.chars().next().unwrap_or('\0'),
                            'n' | 'N' => count = value.parse::<usize>().ok(),
                            'u' => descriptor = Some(value),
                            _ => {}
                        }
                        break;
                    }
                    raw |= c == 'r';
                }
            } else {
                names.push(text.to_owned());
            }
        }
        if names.is_empty() && array.is_none() {
            names.push("REPLY".to_owned());
        }
        let input = match &descriptor {
            Some(number) if number != "0" => {
                state.descriptors.get(&format!("/dev/fd/{number}")).cloned().unwrap_or(Stdin::Unknown)
            }
            _ => state.stdin.clone(),
        };
        let text = self.stdin_text(state, &input);
        let Some(Value::Known(text)) = text.filter(|_| known) else {
            let lines = match self.stdin_text(state, &input) {
                Some(Value::OneOf(list)) if names.len() == 1 && array.is_none() => {
                    Value::one_of(list.iter().flat_map(|text| text.lines().map(str::to_owned)).collect())
                }
                // Any of them comes first.
                Some(Value::Lines(lines)) if names.len() == 1 && array.is_none() => lines.one(),
                _ => Value::Unknown,
            };
            for name in names {
                self.assign_scalar(state, &name, lines.clone());
            }
            if let Some(array) = array {
                self.assign_content(state, &array, Content::UnknownArray);
            }
            state.status = Status::Unknown;
            return Flow::Next;
        };
        let (line, rest, found) = match (count, text.find(delimiter)) {
            (Some(n), at) if text.chars().take(n).count() == n && at.is_none_or(|at| at >= n) => {
                let end = text.char_indices().nth(n).map_or(text.len(), |(at, _)| at);
                (text[..end].to_owned(), text[end..].to_owned(), true)
            }
            (_, Some(at)) => (text[..at].to_owned(), text[at + delimiter.len_utf8()..].to_owned(), true),
            (_, None) => (text.clone(), String::new(), false),
        };
        let left = Stdin::Text(Value::Known(rest));
        match descriptor {
            Some(number) if number != "0" => {
                state.descriptors.insert(format!("/dev/fd/{number}"), left);
            }
            _ => state.stdin = left,
        }
        let line = if raw { line } else { line.replace("\\\n", "").replace('\\', "") };
        let separators = match self.scalar(state, "IFS") {
            Some(value) => value.as_known().map(str::to_owned),
            None => Some(" \t\n".to_owned()),
        };
        let Some(separators) = separators else {
            for name in names {
                self.assign_scalar(state, &name, Value::Unknown);
            }
            state.status = Status::Unknown;
            return Flow::Next;
        };
        if let Some(array) = array {
            let fields = fields(&line, &separators, usize::MAX);
            let map =
                fields.into_iter().enumerate().map(|(i, text)| (i as i64, Value::Known(text))).collect();
            self.assign_content(state, &array, Content::Indexed(map));
        } else if names.len() == 1
            && names[0] == "REPLY"
            && call.texts().is_some_and(|t| !t.contains(&"REPLY"))
        {
            self.assign_scalar(state, "REPLY", Value::Known(line));
        } else {
            let mut fields = fields(&line, &separators, names.len()).into_iter();
            for name in names {
                let value = fields.next().unwrap_or_default();
                self.assign_scalar(state, &name, Value::Known(value));
            }
        }
        state.status = Status::from_bool(found);
        Flow::Next
    }

    pub(super) fn mapfile(&mut self, state: &mut State, scope: &Scope, call: &Call) -> Flow {
        let mut trims = false;
        let mut delimiter = '\n';
        let mut name = "MAPFILE".to_owned();
        let mut callback = None;
        let mut descriptor = None;
        let mut words = call.arguments().iter();
        while let Some(word) = words.next() {
            match word.arg.value.as_known() {
                Some("-t") => trims = true,
                Some("-d") => {
                    let text = words.next().and_then(|word| word.arg.value.as_known()).unwrap_or("");
                    delimiter = text.chars().next().unwrap_or('\0');
                }
                Some("-C") => callback = words.next().map(|word| word.arg.clone()),
                Some("-u") => {
                    descriptor = words.next().and_then(|w| w.arg.value.as_known().map(str::to_owned))
                }
                Some("-n" | "-O" | "-s" | "-c") => {
                    words.next();
                }
                Some("-td" | "-dt") => {
                    trims = true;
                    let text = words.next().and_then(|word| word.arg.value.as_known()).unwrap_or("");
                    delimiter = text.chars().next().unwrap_or('\0');
                }
                Some(option) if option.starts_with('-') => {}
                Some(text) => name = text.to_owned(),
                None => {}
            }
        }
        let input = match descriptor {
            Some(number) => {
                state.descriptors.get(&format!("/dev/fd/{number}")).cloned().unwrap_or(Stdin::Unknown)
            }
            None => state.stdin.clone(),
        };
        let content = match self.stdin_text(state, &input) {
            Some(Value::Known(text)) => {
                let mut items = text.split_inclusive(delimiter).map(str::to_owned).collect::<Vec<_>>();
                if trims {
                    for item in &mut items {
                        if item.ends_with(delimiter) {
                            item.pop();
                        }
                    }
                }
                Content::Indexed(
                    items.into_iter().enumerate().map(|(i, text)| (i as i64, Value::Known(text))).collect(),
                )
            }
            Some(Value::Lines(lines)) if !lines.some && trims && delimiter == lines.end => {
                Content::Indexed((0..).zip(lines.each.iter().map(|_| lines.one())).collect())
            }
            _ => Content::UnknownArray,
        };
        if let Some(callback) = callback {
            let text = callback.value.concat(&Value::known(" 0 ''"));
            let maybe = state.maybe;
            state.maybe = true;
            self.shell_text(state, scope, &text, callback.span);
            state.maybe = maybe;
        }
        self.assign_content(state, &name, content);
        state.status = Status::True;
        Flow::Next
    }
}

/// At most `most` fields; the last holds the rest of the line.
fn fields(line: &str, separators: &str, most: usize) -> Vec<String> {
    let blank = |c: char| separators.contains(c) && c.is_whitespace();
    let mut all = Vec::new();
    let mut rest = line.trim_start_matches(blank);
    while !rest.is_empty() {
        if all.len() + 1 >= most {
            all.push(rest.trim_end_matches(blank).to_owned());
            break;
        }
        match rest.find(|c| separators.contains(c)) {
            Some(at) => {
                all.push(rest[..at].to_owned());
                rest = rest[at..].trim_start_matches(blank);
                if let Some(c) = rest.chars().next()
                    && separators.contains(c)
                    && !blank(c)
                {
                    rest = rest[c.len_utf8()..].trim_start_matches(blank);
                }
            }
            None => {
                all.push(rest.to_owned());
                break;
            }
        }
    }
    all
}
