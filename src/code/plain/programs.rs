//! PowerShell's lines that only call programs: what they call is judged as it is in any other shell.
//!
//! Whatever else stands in the text makes it one that is not read here.

use super::Plain;
use super::commands::segment;
use crate::code::effect::CodeEffect;
use crate::model::Value;

/// What a command does that goes to another directory.
const MOVES: &str = "moves";

/// What a text does that calls programs, beside commands that are listed as harmless. `None`: there is more in it.
pub(super) fn called(plain: &Plain, text: &str) -> Option<Vec<CodeEffect>> {
    if text.chars().any(|c| "`[](){}“”„‘’‚‛".contains(c)) {
        return None;
    }
    let mut effects = Vec::new();
    for (command, fed) in commands(text)? {
        let Some(Value::Known(first)) = command.first() else { return None };
        let name = first.to_lowercase();
        if plain.does.get(&name).is_some_and(|does| does == MOVES) {
            let [_, path] = command.as_slice() else { return None };
            effects.push(CodeEffect::ChangeDirectory { path: path.clone() });
        } else if segment(plain, &shown(&command).to_lowercase()) {
            continue;
        } else {
            // What another command gives to a program is not told.
            let program = program(plain, &name).filter(|_| !fed)?;
            let argv = std::iter::once(Value::known(program)).chain(command.into_iter().skip(1));
            effects.push(CodeEffect::Run { argv: argv.collect() });
        }
    }
    Some(effects)
}

/// The words as the list is asked about them: what a variable holds is some value.
fn shown(command: &[Value]) -> String {
    let words = command.iter().map(|word| word.as_known().unwrap_or("$x"));
    words.collect::<Vec<_>>().join(" ")
}

/// The name of a program, without its directory and ending; none where it is a command of PowerShell's own, or a script.
fn program(plain: &Plain, name: &str) -> Option<String> {
    let bare = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let bare = [".exe", ".cmd", ".bat"].iter().find_map(|end| bare.strip_suffix(end)).unwrap_or(bare);
    let own = plain.own.iter().any(|own| own == bare || own.ends_with('-') && bare.starts_with(own.as_str()));
    let plain_name = |c: char| c.is_ascii_alphanumeric() || "-_.+".contains(c);
    (!bare.is_empty() && !own && !bare.ends_with(".ps1") && bare.chars().all(plain_name))
        .then(|| bare.to_owned())
}

/// The words of each command, and whether another one's output is its input. A variable's value is not known.
fn commands(text: &str) -> Option<Vec<(Vec<Value>, bool)>> {
    let mut all = vec![(Vec::new(), false)];
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            ';' | '\n' => all.push((Vec::new(), false)),
            // Both sides of `||` and `&&` may run.
            '|' | '&' if chars.peek() == Some(&c) => {
                chars.next();
                all.push((Vec::new(), false));
            }
            '|' => all.push((Vec::new(), true)),
            // Calls what follows.
            '&' if all.last().is_some_and(|(words, _)| words.is_empty()) => {}
            '&' | '>' | '<' => return None,
            c if c.is_whitespace() => {}
            '#' => while chars.next_if(|c| *c != '\n').is_some() {},
            c => {
                let mut word = String::from(c);
                let mut quote = if matches!(c, '\'' | '"') { Some(c) } else { None };
                while let Some(next) = chars.peek().copied() {
                    match quote {
                        Some(open) if next == open => quote = None,
                        Some(_) => {}
                        None if matches!(next, '\'' | '"') => quote = Some(next),
                        None if next.is_whitespace() || ";|&<".contains(next) => break,
                        // `2>&1`, `2>$null`: what was said goes nowhere new.
                        None if next == '>' => {
                            chars.next();
                            word = redirected(&word, &mut chars)?;
                            break;
                        }
                        None => {}
                    }
                    word.push(next);
                    chars.next();
                }
                if quote.is_some() {
                    return None;
                }
                if !word.is_empty() {
                    all.last_mut()?.0.push(value(&word)?);
                }
            }
        }
    }
    Some(all.into_iter().filter(|(words, _)| !words.is_empty()).collect())
}

/// Reads where a stream goes: to another one, or to nowhere. Gives no word.
fn redirected(from: &str, chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<String> {
    let mut to = String::new();
    while let Some(c) = chars.next_if(|c| !c.is_whitespace() && !";|".contains(*c)) {
        to.push(c);
    }
    let stream = from == "*" || from.len() == 1 && from.bytes().all(|byte| byte.is_ascii_digit());
    (stream && matches!(to.as_str(), "&1" | "&2" | "$null")).then(String::new)
}

/// A word without its quotes; one that holds a variable or a pattern, or that begins in the home directory, is not known. None:
/// it may be several words.
fn value(word: &str) -> Option<Value> {
    // All that a variable holds.
    if word.starts_with(['@', '~']) {
        return Some(Value::Unknown);
    }
    let mut text = String::new();
    let mut quote = None;
    for c in word.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            None if matches!(c, '\'' | '"') => quote = Some(c),
            None if c == ',' => return None,
            None if matches!(c, '*' | '?') => return Some(Value::Unknown),
            _ if c == '$' && quote != Some('\'') => return Some(Value::Unknown),
            _ => text.push(c),
        }
    }
    quote.is_none().then(|| Value::known(text))
}
