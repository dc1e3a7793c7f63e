//! Lists of names that a program reads: on standard input, and in files that its words name (`{@-T}`, `{@stdin}`).
//!
//! Owns what such a list says by the time of the step. A list that cannot be read names anything.

use crate::knowledge::Match;
use crate::model::Value;
use crate::shell::{Invocation, Stdin};

use super::scene::Scene;

/// Most names that one list gives one by one.
const NAMES: usize = 2000;

/// Names from standard input, where the tool reads names there.
pub(super) fn of_stdin(scene: &Scene<'_>, invocation: &Invocation, matched: &Match) -> Vec<Value> {
    match matched.stdin_role() {
        Some("paths") => incoming(scene, invocation),
        _ => Vec::new(),
    }
}

/// The names in the lists that an option names, that operands behind `@` name, or that come in.
pub(super) fn names(scene: &Scene<'_>, invocation: &Invocation, matched: &Match, key: &str) -> Vec<Value> {
    if key == "stdin" {
        return incoming(scene, invocation);
    }
    let mut found = Vec::new();
    for (value, _) in matched.named(key) {
        let operand = !key.starts_with('-');
        let file = match value.as_known() {
            Some(text) => match text.strip_prefix('@') {
                Some(file) => Value::known(file),
                None if operand => continue,
                None => value.clone(),
            },
            None if operand => continue,
            None => value.clone(),
        };
        match file.as_known() {
            Some("-" | "/dev/stdin") => found.extend(incoming(scene, invocation)),
            _ => found.extend(in_file(scene, &file)),
        }
    }
    found
}

fn incoming(scene: &Scene<'_>, invocation: &Invocation) -> Vec<Value> {
    match &invocation.stdin {
        Stdin::Empty => Vec::new(),
        Stdin::File(file) => in_file(scene, file),
        Stdin::Text(Value::Known(text)) => lines(text),
        Stdin::Text(Value::Lines(all)) if !all.some => lines(&all.text()),
        _ => vec![Value::Unknown],
    }
}

fn in_file(scene: &Scene<'_>, file: &Value) -> Vec<Value> {
    let Some(path) = scene.only_path(file) else { return vec![Value::Unknown] };
    match scene.text(&path) {
        Some(text) => lines(&text),
        None => vec![Value::Unknown],
    }
}

/// One name a line, or between zero bytes. Some programs take a line that begins with a dash for an option, which may change
/// what the other lines mean.
fn lines(text: &str) -> Vec<Value> {
    let names = text.split(['\n', '\0']).map(|name| name.strip_suffix('\r').unwrap_or(name));
    let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
    if names.len() > NAMES {
        return vec![Value::Unknown];
    }
    if names.iter().any(|name| name.starts_with('-')) {
        return vec![Value::Unknown];
    }
    names.into_iter().map(Value::known).collect()
}
