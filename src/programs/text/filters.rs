//! Programs that change text on its way through.

use base64::Engine as _;

use crate::model::Value;
use crate::shell::program::{Call, Shell, State, Stdin};

use super::awk;
use super::cut::Cuts;
use super::grep;
use super::lines::{Cut, matching, sorted};
use super::lines_of;
use super::sed::Script;
use super::small;
use super::translate;
use super::words::Words;

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

/// `head -c 8`
fn first_bytes(text: &Value, count: &str) -> Option<Value> {
    let count = count.parse::<usize>().ok()?;
    lines_of::whole(text, |text| {
        let end = count.min(text.len());
        text.is_char_boundary(end).then(|| text[..end].to_owned())
    })
}

const SED: [(&str, char); 5] =
    [("quiet", 'n'), ("silent", 'n'), ("regexp-extended", 'E'), ("unbuffered", 'u'), ("expression", 'e')];
const CUT: [(&str, char); 4] =
    [("delimiter", 'd'), ("fields", 'f'), ("characters", 'c'), ("only-delimited", 's')];

pub(super) fn cat(shell: &Shell<'_>, state: &State, call: &Call) -> Option<Value> {
    let mut files = call.arguments().iter().map(|word| &word.arg.value).collect::<Vec<_>>();
    if files.first().and_then(|first| first.as_known()) == Some("-n") {
        return numbered(&input(shell, state, &files.split_off(1))?, false);
    }
    if files.iter().any(|f| f.as_known().is_some_and(|t| t.len() > 1 && t.starts_with('-'))) {
        return None;
    }
    input(shell, state, &files)
}

/// The lines with their numbers in front; `filled`: only those in which something stands have one.
fn numbered(text: &Value, filled: bool) -> Option<Value> {
    let mut number = 0;
    let mut made = String::new();
    for line in text.as_known()?.lines() {
        if filled && line.is_empty() {
            made.push_str("       \n");
            continue;
        }
        number += 1;
        made.push_str(&format!("{number:6}\t{line}\n"));
    }
    Some(Value::Known(made))
}

/// Programs whose options are read one by one.
fn by_words(shell: &Shell<'_>, state: &State, name: &str, call: &Call) -> Option<Value> {
    let given = call.environment.iter().map(|(name, _)| name).chain(state.variables.keys());
    // They change what options and patterns mean.
    if given.into_iter().any(|name| name.starts_with("GREP_") || name == "POSIXLY_CORRECT") {
        return None;
    }
    let one = |files: &[&str]| match files {
        [] | [_] => input(
            shell,
            state,
            &files.iter().map(|file| Value::known(*file)).collect::<Vec<_>>().iter().collect::<Vec<_>>(),
        ),
        // Where one file ends in the middle of a line, programs differ.
        _ => None,
    };
    match name {
        "sed" | "gsed" => {
            let words = Words::read(call, "nEru", "e", &SED)?;
            let (script, used) = Script::read(&words)?;
            script.of(&one(words.operands.get(used..)?)?)
        }
        "awk" | "gawk" | "mawk" | "nawk" => {
            let words = Words::read(call, "", "Fv", &[])?;
            let program = awk::Program::read(&words)?;
            let files = words.operands.get(1..)?;
            // `x=1` is an assignment.
            program.of(&one(files).filter(|_| !files.iter().any(|file| file.contains('=')))?)
        }
        "cut" => {
            let words = Words::read(call, "s", "dfcb", &CUT)?;
            let cuts = Cuts::read(&words)?;
            lines_of::each(&one(&words.operands)?, |line| cuts.of(line))
        }
        "grep" | "egrep" | "fgrep" => grep::lines(name, call, one),
        "uniq" | "wc" | "paste" | "jq" => small::printed(name, call, one),
        _ => None,
    }
}

pub(super) fn filter(shell: &Shell<'_>, state: &State, name: &str, call: &Call) -> Option<Value> {
    if let Some(printed) = by_words(shell, state, name, call) {
        return Some(printed);
    }
    let texts = call.texts()?;
    let (options, operands): (Vec<&str>, Vec<&str>) =
        texts.iter().partition(|text| text.len() > 1 && text.starts_with('-'));
    let files = |from: usize| operands.iter().skip(from).map(|text| Value::known(*text)).collect::<Vec<_>>();
    let read = |from: usize| {
        let files = files(from);
        input(shell, state, &files.iter().collect::<Vec<_>>())
    };
    match (name, options.as_slice()) {
        ("nl", []) => numbered(&read(0)?, true),
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
            translate::translated(&text, options, &operands)
        }
        ("head", [count]) if count.starts_with("-c") && count.len() > 2 => {
            first_bytes(&read(0)?, &count[2..])
        }
        ("head", ["-c"]) => first_bytes(&read(1)?, operands.first()?),
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
