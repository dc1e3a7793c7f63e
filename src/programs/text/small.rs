//! Programs of which a call or two is all that people use where its output matters.

use crate::model::Value;
use crate::shell::program::Call;

use super::lines_of;
use super::words::Words;

/// What they print, given what stands in one file or in standard input.
pub(super) fn printed(name: &str, call: &Call, input: impl Fn(&[&str]) -> Option<Value>) -> Option<Value> {
    match name {
        "uniq" => {
            let words = Words::read(call, "", "", &[])?;
            // A second operand is written to.
            let ([] | [_]) = words.operands.as_slice() else { return None };
            lines_of::whole(&input(&words.operands)?, |text| {
                let mut lines: Vec<&str> = text.lines().collect();
                lines.dedup();
                Some(lines.iter().map(|line| format!("{line}\n")).collect())
            })
        }
        // Others put blanks in front of it.
        "wc" if cfg!(target_os = "linux") => {
            let words = Words::read(call, "lc", "", &[("lines", 'l'), ("bytes", 'c')])?;
            let ([(letter, _)], []) = (words.options.as_slice(), words.operands.as_slice()) else {
                return None;
            };
            match input(&[])? {
                Value::Lines(lines) if *letter == 'l' && !lines.some && lines.end == '\n' => {
                    Some(Value::Known(format!("{}\n", lines.each.len())))
                }
                text => lines_of::whole(&text, |text| {
                    let count = if *letter == 'l' { text.matches('\n').count() } else { text.len() };
                    Some(format!("{count}\n"))
                }),
            }
        }
        "paste" => {
            let words = Words::read(call, "s", "d", &[("serial", 's'), ("delimiters", 'd')])?;
            let delimiter = words.value('d').unwrap_or("\t");
            if !words.has('s') || delimiter.len() != 1 || delimiter == "\\" {
                return None;
            }
            lines_of::whole(&input(&words.operands)?, |text| {
                Some(text.lines().collect::<Vec<_>>().join(delimiter) + "\n")
            })
        }
        "jq" => {
            let words = Words::read(call, "r", "", &[("raw-output", 'r')])?;
            let (path, files) = words.operands.split_first()?;
            let steps = path.strip_prefix('.')?.split('.').collect::<Vec<_>>();
            let name = |step: &&str| {
                !step.is_empty()
                    && !step.starts_with(|c: char| c.is_ascii_digit())
                    && step.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            };
            if !steps.iter().all(name) {
                return None;
            }
            lines_of::whole(&input(files)?, |text| field(text, &steps, words.has('r')))
        }
        _ => None,
    }
}

/// A text, or a whole number, at a place in one JSON document.
fn field(text: &str, steps: &[&str], raw: bool) -> Option<String> {
    let document: serde_json::Value = serde_json::from_str(text).ok()?;
    let mut at = &document;
    for step in steps {
        at = at.as_object()?.get(*step)?;
    }
    match at {
        serde_json::Value::String(text) if raw => Some(format!("{text}\n")),
        serde_json::Value::String(text)
            if text.chars().all(|c| c.is_ascii() && !c.is_ascii_control() && c != '"' && c != '\\') =>
        {
            Some(format!("\"{text}\"\n"))
        }
        serde_json::Value::Number(number) if number.is_u64() => Some(format!("{number}\n")),
        serde_json::Value::Bool(value) => Some(format!("{value}\n")),
        _ => None,
    }
}
