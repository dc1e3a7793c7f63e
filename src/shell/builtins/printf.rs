//! `printf`, and the escapes that it shares with `echo -e` and `$'…'`.

use crate::model::Value;
use crate::shell::interp::Shell;
use crate::shell::simple::Call;
use crate::shell::state::State;

impl Shell<'_> {
    pub(super) fn printf(&mut self, state: &mut State, call: &Call) {
        let mut values = call.values();
        if values.first().and_then(Value::as_known) == Some("--") {
            values.remove(0);
        }
        if values.first().and_then(Value::as_known) == Some("-v") && values.len() >= 2 {
            let text = format_printf(&values[2..]).unwrap_or(Value::Unknown);
            if let Some(name) = values[1].as_known() {
                let name = name.to_owned();
                self.assign_scalar(state, &name, text);
            }
            return;
        }
        if state.scope.capture {
            let text = format_printf(&values).unwrap_or(Value::Unknown);
            state.print(&text);
        }
    }
}

/// What `printf format arguments` prints; `None` when it cannot be told.
pub(in crate::shell) fn format_printf(values: &[Value]) -> Option<Value> {
    let format = values.first()?.as_known()?;
    let mut arguments = values[1..].iter();
    let mut whole = Value::known("");
    for _ in 0..1024 {
        let before = arguments.len();
        let stop = pass(format, &mut arguments, &mut whole)?;
        if stop || arguments.len() == 0 || arguments.len() == before {
            return Some(whole);
        }
    }
    None
}

fn pass(format: &str, arguments: &mut std::slice::Iter<'_, Value>, whole: &mut Value) -> Option<bool> {
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        *whole = whole.concat(&Value::Known(decode_escapes(&rest[..at])));
        rest = &rest[at + 1..];
        let length = rest
            .find(|c: char| !matches!(c, '-' | '+' | ' ' | '#' | '\'' | '.' | '*') && !c.is_ascii_digit())
            .unwrap_or(rest.len());
        let flags = &rest[..length];
        let conversion = rest[length..].chars().next()?;
        rest = &rest[length + conversion.len_utf8()..];
        if conversion == '%' {
            *whole = whole.concat(&Value::known("%"));
            continue;
        }
        if conversion == '(' {
            let end = rest.find(")T")?;
            rest = &rest[end + 2..];
            arguments.next();
            *whole = whole.concat(&Value::Unknown);
            continue;
        }
        if flags.contains('*') {
            arguments.next();
        }
        let argument = arguments.next().cloned();
        let value = match conversion {
            's' => argument.unwrap_or(Value::known("")),
            'b' => argument.unwrap_or(Value::known("")).map(decode_escapes),
            'q' => argument.unwrap_or(Value::known("")).map(|text| {
                if !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "_-./:=@%+,".contains(c)) {
                    text.to_owned()
                } else {
                    text.chars()
                        .map(|c| {
                            if c.is_alphanumeric() || "_-./:=@%+,".contains(c) {
                                c.to_string()
                            } else {
                                format!("\\{c}")
                            }
                        })
                        .collect()
                }
            }),
            'd' | 'i' | 'u' => argument
                .unwrap_or(Value::known("0"))
                .map(|t| if t.is_empty() { "0".into() } else { t.to_owned() }),
            'c' => argument.unwrap_or(Value::known("")).map(|text| text.chars().take(1).collect()),
            'x' => argument
                .unwrap_or(Value::known("0"))
                .map(|t| t.parse::<i64>().map_or_else(|_| t.to_owned(), |n| format!("{n:x}"))),
            _ => Value::Unknown,
        };
        *whole = whole.concat(&sized(&value, flags));
    }
    if let Some(at) = rest.find("\\c") {
        *whole = whole.concat(&Value::Known(decode_escapes(&rest[..at])));
        return Some(true);
    }
    *whole = whole.concat(&Value::Known(decode_escapes(rest)));
    Some(false)
}

fn sized(value: &Value, flags: &str) -> Value {
    if flags.is_empty() {
        return value.clone();
    }
    if flags.contains('*') {
        return Value::Unknown;
    }
    let left = flags.contains('-');
    let zero = flags.trim_start_matches(['-', '+', ' ', '#']).starts_with('0');
    let (width, precision) = match flags.split_once('.') {
        Some((width, precision)) => (width, precision.parse::<usize>().ok()),
        None => (flags, None),
    };
    let width = width.trim_start_matches(['-', '+', ' ', '#', '\'']).parse::<usize>().unwrap_or(0).min(4096);
    value.map(|text| {
        let text: String = match precision {
            Some(n) => text.chars().take(n).collect(),
            None => text.to_owned(),
        };
        match (left, zero) {
            (true, _) => format!("{text:<width$}"),
            (false, true) => format!("{text:0>width$}"),
            (false, false) => format!("{text:>width$}"),
        }
    })
}

/// `\n`, `\t`, `\x41`, `\101`, `\u0041` and the others.
pub(crate) fn decode_escapes(text: &str) -> String {
    let mut bytes: Vec<u8> = Vec::new();
    let mut chars = text.chars().peekable();
    let push = |bytes: &mut Vec<u8>, c: char| {
        let mut buffer = [0; 4];
        bytes.extend_from_slice(c.encode_utf8(&mut buffer).as_bytes());
    };
    while let Some(c) = chars.next() {
        if c != '\\' {
            push(&mut bytes, c);
            continue;
        }
        let digits = |chars: &mut std::iter::Peekable<std::str::Chars<'_>>, radix: u32, most: usize| {
            let mut number: Option<u32> = None;
            for _ in 0..most {
                let Some(digit) = chars.peek().and_then(|c| c.to_digit(radix)) else { break };
                number = Some(number.unwrap_or(0).wrapping_mul(radix).wrapping_add(digit));
                chars.next();
            }
            number
        };
        match chars.next() {
            None => push(&mut bytes, '\\'),
            Some('n') => bytes.push(b'\n'),
            Some('t') => bytes.push(b'\t'),
            Some('r') => bytes.push(b'\r'),
            Some('a') => bytes.push(7),
            Some('b') => bytes.push(8),
            Some('e' | 'E') => bytes.push(27),
            Some('f') => bytes.push(12),
            Some('v') => bytes.push(11),
            Some('\\') => bytes.push(b'\\'),
            Some(q @ ('"' | '\'' | '?')) => push(&mut bytes, q),
            Some('x') => match digits(&mut chars, 16, 2) {
                Some(n) => bytes.push((n & 0xff) as u8),
                None => bytes.extend_from_slice(b"\\x"),
            },
            Some('u') => match digits(&mut chars, 16, 4).and_then(char::from_u32) {
                Some(c) => push(&mut bytes, c),
                None => bytes.extend_from_slice(b"\\u"),
            },
            Some('U') => match digits(&mut chars, 16, 8).and_then(char::from_u32) {
                Some(c) => push(&mut bytes, c),
                None => bytes.extend_from_slice(b"\\U"),
            },
            Some('c') => return String::from_utf8_lossy(&bytes).into_owned(),
            Some(digit @ '0'..='7') => {
                let most = if digit == '0' { 3 } else { 2 };
                let mut number = digit.to_digit(8).unwrap_or(0);
                for _ in 0..most {
                    let Some(next) = chars.peek().and_then(|c| c.to_digit(8)) else { break };
                    number = number * 8 + next;
                    chars.next();
                }
                bytes.push((number & 0xff) as u8);
            }
            Some(other) => {
                bytes.push(b'\\');
                push(&mut bytes, other);
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
