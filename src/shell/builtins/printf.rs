//! `printf`, and the escapes that it shares with `echo -e` and `$'…'`.

use crate::model::Value;
use crate::shell::interp::Shell;
use crate::shell::simple::Call;
use crate::shell::state::{State, Status};

impl Shell<'_> {
    pub(super) fn printf(&mut self, state: &mut State, call: &Call) -> Status {
        let values = call.values();
        let mut words = values.as_slice();
        let mut into = None;
        while let Some(text) = words.first().and_then(Value::as_known) {
            match text {
                "--" => {
                    words = &words[1..];
                    break;
                }
                "-v" => {
                    into = words.get(1).cloned();
                    words = words.get(2..).unwrap_or_default();
                }
                text if text.starts_with("-v") => {
                    into = Some(Value::known(&text[2..]));
                    words = &words[1..];
                }
                _ => break,
            }
        }
        // Words that nobody counted are any number of them.
        let odd = state.switches.common && !words.first().is_some_and(crate::shell::output::is_plain_format);
        let known = if call.open() || odd { None } else { format_printf(words) };
        let status = if known.is_some() && valid(words) { Status::True } else { Status::Unknown };
        // A variable holds no more than what stands before a zero byte.
        let refuses =
            matches!(&into, Some(name) if name.as_known().is_none_or(|name| self.may_refuse(state, name)));
        let status = if refuses { Status::Unknown } else { status };
        let text = known.filter(|text| !text.as_known().is_some_and(|text| text.contains('\0')));
        // Elsewhere that option is a text like others.
        let text = text.filter(|_| into.is_none() || !state.switches.common);
        let text = text.unwrap_or(Value::Unknown);
        match into {
            Some(Value::Known(name)) => match name.split_once('[') {
                Some((array, index)) => {
                    let index = index.strip_suffix(']').unwrap_or(index);
                    let key = match index.bytes().all(|b| b.is_ascii_digit()) {
                        true => Value::known(index),
                        false => Value::Unknown,
                    };
                    self.assign_element(state, array, &key, text);
                }
                None => self.assign_scalar(state, &name, text),
            },
            Some(_) => {}
            None if state.scope.capture => state.print(&text),
            None => {}
        }
        status
    }
}

/// What `printf format arguments` prints; `None` when it cannot be told.
pub(in crate::shell) fn format_printf(values: &[Value]) -> Option<Value> {
    let format = values.first()?.as_known()?;
    // At the first some stop and others print it; the others go by the locale.
    if ["\\c", "\\u", "\\U"].iter().any(|sign| format.contains(sign)) {
        return None;
    }
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
        *whole = whole.concat(&Value::Known(decode(&rest[..at], Octal::Three)));
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
            'b' => {
                let argument = argument.unwrap_or(Value::known(""));
                let escaped = |text: &String| text.contains("\\c");
                if argument.choices().is_some_and(|texts| texts.iter().any(escaped)) {
                    // Nothing more is printed, whatever comes behind.
                    let cut = sized(&argument.map(decode_escapes), flags);
                    *whole = whole.concat(if argument.as_known().is_some() { &cut } else { &Value::Unknown });
                    return Some(true);
                }
                argument.map(decode_escapes)
            }
            'q' => each(&argument.unwrap_or(Value::known("")), quoted),
            'd' | 'i' | 'u' | 'x' | 'X' | 'o' => {
                let argument = argument.unwrap_or(Value::known("0"));
                *whole = whole.concat(&each(&argument, |text| integer(text, flags, conversion)));
                continue;
            }
            'c' => each(&argument.unwrap_or(Value::known("")), |text| {
                text.is_ascii().then(|| text.chars().take(1).collect())
            }),
            'e' | 'E' | 'f' | 'F' | 'g' | 'G' | 'a' | 'A' | 'Q' => Value::Unknown,
            _ => return None,
        };
        *whole = whole.concat(&sized(&value, flags));
    }
    *whole = whole.concat(&Value::Known(decode(rest, Octal::Three)));
    Some(false)
}

/// A function on every text that a value may be; unknown where it is not for one of them.
fn each(value: &Value, f: impl Fn(&str) -> Option<String>) -> Value {
    let texts = value.choices().map(|texts| texts.iter().map(|text| f(text)).collect::<Option<Vec<_>>>());
    texts.flatten().map_or(Value::Unknown, Value::one_of)
}

/// Whether no argument is read as a number and is none: then all succeeds.
fn valid(values: &[Value]) -> bool {
    let Some(format) = values.first().and_then(Value::as_known) else { return false };
    let number =
        |value: &Value| value.as_known().is_some_and(|text| whole_number(text).is_some_and(|(_, all)| all));
    let numbers =
        format.contains('%') && format.contains(['d', 'i', 'u', 'x', 'X', 'o', 'e', 'f', 'g', 'a', 'T']);
    !numbers || values[1..].iter().all(number)
}

/// `%q`, as bash writes what needs no more than backslashes.
fn quoted(text: &str) -> Option<String> {
    if text.is_empty() {
        return Some("''".to_owned());
    }
    if !text.bytes().all(|b| (b' '..0x7f).contains(&b)) || text.contains(['~', '#']) {
        return None;
    }
    let mut result = String::new();
    for c in text.chars() {
        if !(c.is_ascii_alphanumeric() || "_-./:=@%+".contains(c)) {
            result.push('\\');
        }
        result.push(c);
    }
    Some(result)
}

/// The number that `printf` reads at the beginning of a text, and whether the text is no more than that. `None` where it
/// depends on the machine.
fn whole_number(text: &str) -> Option<(i128, bool)> {
    let text = text.trim_start_matches([' ', '\t', '\n', '\u{b}', '\u{c}', '\r']);
    if let Some(quoted) = text.strip_prefix(['\'', '"']) {
        let first = quoted.chars().next();
        return first
            .is_none_or(|c| c.is_ascii())
            .then(|| (first.map_or(0, |c| i128::from(u32::from(c))), true));
    }
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let hex = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    let hex = hex.filter(|rest| rest.starts_with(|c: char| c.is_ascii_hexdigit()));
    let (base, digits) = match hex {
        Some(rest) => (16, rest),
        None if digits.len() > 1 && digits.starts_with('0') => (8, digits),
        None => (10, digits),
    };
    let end = digits.find(|c: char| !c.is_digit(base)).unwrap_or(digits.len());
    // Newer ones read other bases too, and what is too large is cut.
    if end > 18 || digits[end..].starts_with(['b', 'B', 'x', 'X']) {
        return None;
    }
    let number = if end == 0 { 0 } else { i128::from_str_radix(&digits[..end], base).ok()? };
    Some((if negative { -number } else { number }, end == digits.len()))
}

/// A number as `%d` and its kin write it.
fn integer(text: &str, flags: &str, conversion: char) -> Option<String> {
    let (number, _) = whole_number(text)?;
    let marks: String = flags.chars().take_while(|c| "-+ #0".contains(*c)).collect();
    let rest = &flags[marks.len()..];
    let (width, precision) = match rest.split_once('.') {
        Some((width, precision)) => (width, Some(precision)),
        None => (rest, None),
    };
    let size =
        |text: &str| if text.is_empty() { Some(0) } else { text.parse::<usize>().ok().filter(|n| *n < 4096) };
    let width = size(width)?;
    let precision = match precision {
        Some(text) => Some(size(text)?),
        None => None,
    };
    if marks.contains('#') || number < 0 && !matches!(conversion, 'd' | 'i') {
        return None;
    }
    let digits = match conversion {
        'x' => format!("{number:x}"),
        'X' => format!("{number:X}"),
        'o' => format!("{number:o}"),
        _ => number.abs().to_string(),
    };
    let digits = match precision {
        Some(0) if number == 0 => String::new(),
        Some(least) => format!("{digits:0>least$}"),
        None => digits,
    };
    let signed = matches!(conversion, 'd' | 'i');
    let sign = match number {
        _ if number < 0 => "-",
        _ if signed && marks.contains('+') => "+",
        _ if signed && marks.contains(' ') => " ",
        _ => "",
    };
    let inner = width.saturating_sub(sign.len());
    Some(match (marks.contains('-'), marks.contains('0') && precision.is_none()) {
        (true, _) => format!("{:<width$}", format!("{sign}{digits}")),
        (false, true) => format!("{sign}{digits:0>inner$}"),
        (false, false) => format!("{:>width$}", format!("{sign}{digits}")),
    })
}

/// A text in as much room as the flags say.
fn sized(value: &Value, flags: &str) -> Value {
    if flags.is_empty() {
        return value.clone();
    }
    let rest = flags.trim_start_matches('-');
    let (width, precision) = match rest.split_once('.') {
        Some((width, precision)) => (width, Some(precision)),
        None => (rest, None),
    };
    let size =
        |text: &str| if text.is_empty() { Some(0) } else { text.parse::<usize>().ok().filter(|n| *n < 4096) };
    let (Some(width), Some(precision)) = (size(width), precision.map_or(Some(usize::MAX), size)) else {
        return Value::Unknown;
    };
    // Signs or bytes: programs differ.
    each(value, |text| {
        let text = text.is_ascii().then(|| text.chars().take(precision).collect::<String>())?;
        Some(if flags.starts_with('-') { format!("{text:<width$}") } else { format!("{text:>width$}") })
    })
}

/// `\n`, `\t`, `\x41`, `\101`, `\u0041` and the others.
pub(crate) fn decode_escapes(text: &str) -> String {
    decode(text, Octal::Either)
}

/// The same as `$'…'` and `${x@E}` read them; `None` where it depends on who reads.
pub(in crate::shell) fn decode_quoted(text: &str) -> Option<String> {
    let plain = !text.contains("\\c") && !text.ends_with('\\');
    plain.then(|| decode(text, Octal::Three)).filter(|text| !text.contains('\0'))
}

/// The same as `echo -e` reads them.
pub(in crate::shell) fn decode_echoed(text: &str) -> String {
    decode(text, Octal::Zero)
}

/// How a character is written in octal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Octal {
    /// With three digits at most.
    Three,
    /// With a zero and three digits at most behind it.
    Zero,
    /// Either way.
    Either,
}

fn decode(text: &str, octal: Octal) -> String {
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
            Some(q @ ('"' | '\'' | '?')) if octal == Octal::Three => push(&mut bytes, q),
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
            Some(digit @ '0'..='7') if octal != Octal::Zero || digit == '0' => {
                let most = if digit == '0' && octal != Octal::Three { 3 } else { 2 };
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
