//! Programs that change text on its way through.

use base64::Engine as _;

use crate::model::Value;
use crate::shell::program::{Call, Shell, State, Stdin, decode_escapes};

use super::lines::{Cut, matching, sorted};

/// Text of the files that a filter is given, or of standard input.
fn input(shell: &Shell<'_>, state: &State, files: &[&Value]) -> Option<Value> {
    if files.is_empty() {
        return shell.stdin_text(state, &state.stdin);
    }
    let mut whole = Value::known("");
    for file in files {
        let text = match file.as_known()? {
            "-" => shell.stdin_text(state, &state.stdin)?,
            name => match state.descriptors.get(name) {
                Some(input) => shell.stdin_text(state, input)?,
                None => shell.stdin_text(state, &Stdin::File((*file).clone()))?,
            },
        };
        whole = whole.concat(&text);
    }
    Some(whole)
}

pub(super) fn cat(shell: &Shell<'_>, state: &State, call: &Call) -> Option<Value> {
    let files = call.arguments().iter().map(|word| &word.arg.value).collect::<Vec<_>>();
    if files.iter().any(|f| f.as_known().is_some_and(|t| t.len() > 1 && t.starts_with('-'))) {
        return None;
    }
    input(shell, state, &files)
}

pub(super) fn filter(shell: &Shell<'_>, state: &State, name: &str, call: &Call) -> Option<Value> {
    let texts = call.texts()?;
    let (options, operands): (Vec<&str>, Vec<&str>) =
        texts.iter().partition(|text| text.len() > 1 && text.starts_with('-'));
    let files = |from: usize| operands.iter().skip(from).map(|text| Value::known(*text)).collect::<Vec<_>>();
    let read = |from: usize| {
        let files = files(from);
        input(shell, state, &files.iter().collect::<Vec<_>>())
    };
    match (name, options.as_slice()) {
        ("rev", []) => Some(read(0)?.map_lines(|line| line.chars().rev().collect())),
        ("tac", []) => match read(0)? {
            lines @ Value::Lines(_) => Some(lines),
            text => Some(text.map(|text| text.lines().rev().map(|line| format!("{line}\n")).collect())),
        },
        ("sort", options) => sorted(shell, state, options, read(0)?),
        ("base64", ["-d" | "-D" | "--decode"] | ["-di"]) => {
            let text = read(0)?;
            let clean = text.as_known()?.split_whitespace().collect::<String>();
            let clean = clean.trim_end_matches('=');
            let bytes = base64::engine::general_purpose::STANDARD_NO_PAD.decode(clean).ok()?;
            String::from_utf8(bytes).ok().map(Value::Known)
        }
        ("xxd", ["-r", "-p"] | ["-p", "-r"]) | ("xxd", ["-rp" | "-pr"]) => {
            let text = read(0)?;
            let clean = text.as_known()?.split_whitespace().collect::<String>();
            let bytes = (0..clean.len() / 2)
                .map(|at| u8::from_str_radix(clean.get(at * 2..at * 2 + 2)?, 16).ok())
                .collect::<Option<Vec<_>>>()?;
            String::from_utf8(bytes).ok().map(Value::Known)
        }
        ("tr", options) => {
            let text = shell.stdin_text(state, &state.stdin)?;
            translate(&text, options, &operands)
        }
        ("sed", []) => {
            let (script, _) = operands.split_first()?;
            let substitution = Substitution::read(script)?;
            Some(read(1)?.map_lines(|line| substitution.apply(line)))
        }
        ("cut", [one]) if one.starts_with("-c") && one.ends_with('-') => {
            let from = one.get(2..one.len() - 1)?.parse::<usize>().ok()?.checked_sub(1)?;
            let text = read(0)?;
            let ascii = match &text {
                Value::Lines(lines) => lines.each.iter().all(|line| line.is_ascii()),
                other => other.choices().is_some_and(|all| all.iter().all(|text| text.is_ascii())),
            };
            ascii.then(|| text.map_lines(|line| line.get(from..).unwrap_or_default().to_owned()))
        }
        ("head" | "tail", options) => {
            let (cut, used) = Cut::read(name, options, operands.first().copied())?;
            cut.of(&read(used)?)
        }
        ("grep" | "egrep" | "fgrep", options) => {
            let (pattern, files) = operands.split_first()?;
            let text = match files {
                [] => shell.stdin_text(state, &state.stdin)?,
                // Of several files, each line begins with a name.
                [_] => read(1)?,
                _ => return None,
            };
            matching(&text, pattern, options)
        }
        _ => None,
    }
}

fn translate(text: &Value, options: &[&str], operands: &[&str]) -> Option<Value> {
    let set = |text: &str| -> Option<Vec<char>> {
        let named = match text {
            "[:upper:]" => "A-Z",
            "[:lower:]" => "a-z",
            "[:digit:]" => "0-9",
            "[:space:]" => " \t\n\r",
            other if other.contains("[:") => return None,
            other => other,
        };
        let chars = decode_escapes(named).chars().collect::<Vec<_>>();
        let mut all = Vec::new();
        let mut at = 0;
        while let Some(&c) = chars.get(at) {
            match (chars.get(at + 1), chars.get(at + 2)) {
                (Some('-'), Some(&end)) if c <= end => {
                    all.extend(c..=end);
                    at += 3;
                }
                _ => {
                    all.push(c);
                    at += 1;
                }
            }
        }
        Some(all)
    };
    match (options, operands) {
        (["-d"], [from]) => {
            let from = set(from)?;
            Some(text.map(|text| text.chars().filter(|c| !from.contains(c)).collect()))
        }
        ([], [from, to]) => {
            let (from, to) = (set(from)?, set(to)?);
            let last = *to.last()?;
            Some(text.map(|text| {
                text.chars()
                    .map(|c| match from.iter().rposition(|f| *f == c) {
                        Some(at) => to.get(at).copied().unwrap_or(last),
                        None => c,
                    })
                    .collect()
            }))
        }
        _ => None,
    }
}

/// `s/plain text/replacement/g`.
struct Substitution {
    from: String,
    to: String,
    all: bool,
}

impl Substitution {
    fn read(script: &str) -> Option<Self> {
        let rest = script.strip_prefix('s')?;
        let separator = rest.chars().next()?;
        let mut parts = rest.strip_prefix(separator)?.split(separator);
        let (from, to, flags) = (parts.next()?, parts.next()?, parts.next()?);
        if parts.next().is_some() || from.is_empty() || !matches!(flags, "" | "g") {
            return None;
        }
        if from.contains(['.', '*', '[', ']', '^', '$', '\\']) || to.contains(['&', '\\']) {
            return None;
        }
        Some(Self { from: from.to_owned(), to: to.to_owned(), all: flags == "g" })
    }

    fn apply(&self, line: &str) -> String {
        if self.all { line.replace(&self.from, &self.to) } else { line.replacen(&self.from, &self.to, 1) }
    }
}
