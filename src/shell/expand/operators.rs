//! Operators of a parameter expansion (`${x#…}`, `${x/a/b}`, `${x:1:2}`, `${x^^}`, `${x@Q}`), as functions on values.

use crate::model::{Value, first_field, piece_of};
use crate::shell::interp::Shell;
use crate::shell::pattern;
use crate::shell::state::State;
use crate::shell::variables::of_ascii;
use crate::syntax::{ParameterOperator, Word};

use super::{Builder, Expanded, Piece};
use crate::shell::state::Words;

/// Longest text in which something is replaced.
const LONG: usize = 4096;

/// An operator of a parameter expansion, ready to act on values.
pub(super) type Operation = Box<dyn Fn(&Value) -> Value>;

impl Shell<'_> {
    /// The operator as a function on values, its words expanded once.
    pub(super) fn operation(
        &mut self,
        state: &mut State,
        operator: &ParameterOperator,
    ) -> Expanded<Operation> {
        let options = pattern::Options { extglob: state.switches.extglob, ..Default::default() };
        Ok(match operator {
            ParameterOperator::Remove(which, longest, word) => {
                let (which, longest) = (*which, *longest);
                match self.expand_pattern(state, word)? {
                    Some(pattern) => Box::new(move |value| match (value, pattern.as_bytes()) {
                        // Of a line that begins with a number, what stands in front of the sign behind it.
                        (Value::Woven(text), [sign @ (b':' | b' ' | b',' | b'='), b'*'])
                            if which == '%' && longest =>
                        {
                            let field = first_field(text, char::from(*sign));
                            let field = field.map(|field| Value::marked(field.trim_end_matches('\n')));
                            field.unwrap_or(Value::Unknown)
                        }
                        _ => value.map(|text| remove(text, &pattern, which, longest, options)),
                    }),
                    None => Box::new(|_| Value::Unknown),
                }
            }
            ParameterOperator::Replace(which, word, replacement) => {
                self.replacing(state, *which, word, replacement)?
            }
            ParameterOperator::Substring(offset, length) => {
                let from = self.number(state, offset)?;
                let count = match length {
                    Some(word) => Some(self.number(state, word)?),
                    None => None,
                };
                match (from, count) {
                    (Some(from), None) => Box::new(move |value| part(value, from, None)),
                    (Some(from), Some(Some(n))) => Box::new(move |value| part(value, from, Some(n))),
                    _ => Box::new(|_| Value::Unknown),
                }
            }
            ParameterOperator::Case(which, all, word) => {
                let (which, all) = (*which, *all);
                let pattern = match word {
                    Some(word) => self.expand_pattern(state, word)?,
                    None => Some("?".to_owned()),
                };
                match pattern {
                    Some(pattern) => Box::new(move |value| {
                        of_ascii(value, |text| change_case(text, &pattern, which, all, options))
                    }),
                    None => Box::new(|_| Value::Unknown),
                }
            }
            ParameterOperator::Transform(which) => match which {
                'U' => Box::new(|value| of_ascii(value, str::to_ascii_uppercase)),
                'u' => Box::new(|value| {
                    of_ascii(value, |t| change_case(t, "?", '^', false, pattern::Options::default()))
                }),
                'L' => Box::new(|value| of_ascii(value, str::to_ascii_lowercase)),
                'Q' => Box::new(|value| {
                    let plain = |text: &String| text.bytes().all(|b| (b' '..0x7f).contains(&b));
                    match value.choices() {
                        Some(texts) if texts.iter().all(plain) => {
                            value.map(|text| format!("'{}'", text.replace('\'', "'\\''")))
                        }
                        _ => Value::Unknown,
                    }
                }),
                'E' => Box::new(unescaped),
                _ => Box::new(|_| Value::Unknown),
            },
            ParameterOperator::Default(..) | ParameterOperator::Names => Box::new(Clone::clone),
        })
    }
}

impl Shell<'_> {
    /// `${x/pattern/…}` as a function on values.
    fn replacing(
        &mut self,
        state: &mut State,
        which: char,
        word: &Word,
        replacement: &Word,
    ) -> Expanded<Operation> {
        let options = pattern::Options { extglob: state.switches.extglob, ..Default::default() };
        let pattern = self.expand_pattern(state, word)?;
        Ok(match (pattern, self.replacement(state, replacement)?) {
            (Some(pattern), Some((with, meant))) => Box::new(move |value| {
                let long = |texts: &[String]| texts.iter().any(|text| text.len() > LONG);
                if value.choices().is_none_or(long) {
                    return Value::Unknown;
                }
                let plainly = value.map(|text| replace(text, &pattern, |_| with.clone(), which, options));
                match &meant {
                    None => plainly,
                    Some(pieces) => plainly.join(
                        &value.map(|text| replace(text, &pattern, |it| pieces.join(it), which, options)),
                    ),
                }
            }),
            _ => Box::new(|_| Value::Unknown),
        })
    }

    /// What `${x/pattern/…}` puts in: the text as it stands, and where an `&` in it may mean what was found, as newer
    /// shells have it, the pieces between them. `None` when it is not known.
    fn replacement(
        &mut self,
        state: &mut State,
        word: &Word,
    ) -> Expanded<Option<(String, Option<Vec<String>>)>> {
        let mut builder = Builder::new(false, None, Words::Split);
        self.parts_with_tilde(state, &word.parts, false, &mut builder)?;
        let mut fields = builder.done;
        fields.push(builder.current);
        if let [field] = fields.as_slice() {
            let mut whole = String::new();
            let mut pieces = vec![String::new()];
            for piece in &field.pieces {
                let (Piece::Quoted(value) | Piece::Active(value)) = piece;
                let Some(text) = value.as_known() else { return Ok(None) };
                whole.push_str(text);
                let acts = matches!(piece, Piece::Active(_)) && !state.switches.zsh && !state.switches.fish;
                if acts && text.contains('&') && text.contains('\\') {
                    return Ok(None);
                }
                let mut parts = text.split(|c| acts && c == '&');
                if let (Some(last), Some(first)) = (pieces.last_mut(), parts.next()) {
                    last.push_str(first);
                }
                pieces.extend(parts.map(str::to_owned));
            }
            return Ok(Some((whole, (pieces.len() > 1).then_some(pieces))));
        }
        Ok(None)
    }
}

/// What `$'…'` would make of each text.
fn unescaped(value: &Value) -> Value {
    let decode = |text: &String| crate::shell::builtins::decode_quoted(text);
    let texts = value.choices().map(|texts| texts.iter().map(decode).collect::<Option<Vec<_>>>());
    texts.flatten().map_or(Value::Unknown, Value::one_of)
}

fn remove(text: &str, pattern: &str, which: char, longest: bool, options: pattern::Options) -> String {
    let starts = boundaries(text);
    if which == '#' {
        let ends = pattern::prefixes_of(pattern, text, options).unwrap_or_default();
        let end = if longest { ends.last() } else { ends.first() };
        return text[end.copied().unwrap_or(0)..].to_owned();
    }
    let mut found = None;
    let matching = |at: usize| pattern::matches(pattern, &text[at..], options);
    if longest {
        found = starts.iter().copied().find(|at| matching(*at)).or(found);
    } else {
        found = starts.iter().rev().copied().find(|at| matching(*at)).or(found);
    }
    text[..found.unwrap_or(text.len())].to_owned()
}

fn replace(
    text: &str,
    pattern: &str,
    with: impl Fn(&str) -> String,
    which: char,
    options: pattern::Options,
) -> String {
    match which {
        '#' if pattern.is_empty() => return format!("{}{text}", with("")),
        '%' if pattern.is_empty() => return format!("{text}{}", with("")),
        _ if pattern.is_empty() => return text.to_owned(),
        // Nothing at all is found by what matches nothing.
        _ if text.is_empty() && pattern::matches(pattern, "", options) => return with(""),
        _ => {}
    }
    if which == '%' {
        let starts = boundaries(text);
        return match starts.into_iter().find(|at| pattern::matches(pattern, &text[*at..], options)) {
            Some(at) => format!("{}{}", &text[..at], with(&text[at..])),
            None => text.to_owned(),
        };
    }
    let mut result = String::new();
    let mut at = 0;
    let mut replaced = false;
    while at <= text.len() {
        let here = if which == '#' && at > 0 || (replaced && which != '/') {
            None
        } else {
            pattern::prefixes_of(pattern, &text[at..], options).and_then(|ends| ends.last().copied())
        };
        match here {
            Some(length) if length > 0 => {
                result.push_str(&with(&text[at..at + length]));
                replaced = true;
                at += length;
            }
            _ => match text[at..].chars().next() {
                Some(c) => {
                    result.push(c);
                    at += c.len_utf8();
                }
                None => break,
            },
        }
    }
    result
}

fn boundaries(text: &str) -> Vec<usize> {
    text.char_indices().map(|(at, _)| at).chain([text.len()]).collect()
}

fn part(value: &Value, from: i64, count: Option<i64>) -> Value {
    match value {
        Value::Woven(text) => {
            piece_of(text).map_or(Value::Unknown, |piece| Value::marked(piece.trim_end_matches('\n')))
        }
        // Where a sign ends goes by the locale.
        _ => of_ascii(value, |text| substring(text, from, count)),
    }
}

fn substring(text: &str, from: i64, count: Option<i64>) -> String {
    let chars = text.chars().collect::<Vec<_>>();
    let length = chars.len() as i64;
    let start = if from < 0 { length + from } else { from };
    if start < 0 || start > length {
        return String::new();
    }
    let end = match count {
        None => length,
        Some(n) if n < 0 => length + n,
        Some(n) => start.saturating_add(n).min(length),
    };
    if end <= start {
        return String::new();
    }
    chars[start as usize..end as usize].iter().collect()
}

fn change_case(text: &str, pattern: &str, which: char, all: bool, options: pattern::Options) -> String {
    let mut result = String::new();
    for (index, c) in text.chars().enumerate() {
        let acts = (all || index == 0) && pattern::matches(pattern, &c.to_string(), options);
        match (acts, which) {
            (true, '^') => result.extend(c.to_uppercase()),
            (true, ',') => result.extend(c.to_lowercase()),
            (true, _) if c.is_lowercase() => result.extend(c.to_uppercase()),
            (true, _) => result.extend(c.to_lowercase()),
            (false, _) => result.push(c),
        }
    }
    result
}
