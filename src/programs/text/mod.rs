//! Simple, well-known programs: what they print, and whether they succeed, where that can be told without running them.

mod awk;
mod cut;
mod filters;
mod grep;
pub(in crate::programs) mod hits;
mod lines;
mod lines_of;
mod made;
mod nothing;
#[cfg(test)]
mod oracle_tests;
mod pattern;
mod sed;
pub(in crate::programs) mod signs;
mod small;
mod translate;
mod words;

use std::path::Path;

use crate::model::Value;
use crate::shell::program::{Call, Shell, State, Status};

use filters::{cat, filter};

/// See [`Room::Text`](crate::knowledge::Room::Text).
pub(super) struct Text;

impl super::Program for Text {
    fn prints(&self, shell: &Shell<'_>, state: &State, name: &str, call: &Call) -> Option<Value> {
        let here = state.scope.host.is_none();
        let seen = here && !shell.world.is_elsewhere();
        if here && nothing::comes_of_nothing(shell, state, name, call) {
            return Some(Value::known(""));
        }
        match name {
            "mkdir" | "touch" | "rm" | "sleep" => Some(Value::known("")),
            "cat" if here => cat(shell, state, call),
            "basename" | "dirname" => path_part(name, call),
            "realpath" | "readlink" if seen => real_path(shell, state, name, call),
            "seq" => sequence(call),
            "hostname" if seen && call.arguments().is_empty() => {
                let name = shell.world.read_file(Path::new("/proc/sys/kernel/hostname"), 256).ok()?;
                String::from_utf8(name).ok().map(|name| Value::Known(name.trim_end().to_owned() + "\n"))
            }
            "whoami" if seen => Some(Value::Known(shell.world.user() + "\n")),
            "id" if seen && matches!(call.texts().as_deref(), Some(["-un"])) => {
                Some(Value::Known(shell.world.user() + "\n"))
            }
            "ls" if here => lines::listing(shell, state, call),
            "which" if seen => match call.texts().as_deref() {
                Some([one]) => Some(match shell.in_path(state, one) {
                    Some(path) => Value::Known(format!("{}\n", path.display())),
                    None => Value::known(""),
                }),
                _ => None,
            },
            "grep" | "egrep" | "fgrep" if here => {
                hits::hits(shell, state, call).or_else(|| filter(shell, state, name, call))
            }
            _ if here => filter(shell, state, name, call),
            _ => None,
        }
        .or_else(|| signs_left(shell, state, name, call))
    }

    fn succeeds(&self, shell: &Shell<'_>, state: &State, name: &str, call: &Call) -> Status {
        if state.scope.host.is_some() {
            return Status::Unknown;
        }
        match name {
            "sleep" | "whoami" | "date" | "seq" | "basename" | "dirname" => Status::True,
            "mkdir" => made::made(shell, state, call),
            "cat" | "ls" | "stat" => {
                let Some(texts) = call.texts() else { return Status::Unknown };
                let missing = texts.iter().filter(|t| !t.starts_with('-')).any(|name| {
                    shell.absolute(state, &Value::known(*name)).is_some_and(|path| {
                        !path.starts_with("/dev") && shell.exists(state, &path) == Some(false)
                    })
                });
                if missing { Status::False } else { Status::Unknown }
            }
            "grep" | "egrep" | "fgrep" => grep::grep_status(shell, state, name, call),
            "which" if shell.world.is_elsewhere() => Status::Unknown,
            "which" => match call.texts().as_deref() {
                Some([one]) if !one.starts_with('-') => {
                    Status::from_bool(shell.in_path(state, one).is_some())
                }
                _ => Status::Unknown,
            },
            _ => Status::Unknown,
        }
    }
}

/// What is left of a text of which only the signs are known.
fn signs_left(shell: &Shell<'_>, state: &State, name: &str, call: &Call) -> Option<Value> {
    if state.scope.host.is_some() {
        return None;
    }
    let input = shell.stdin_text(state, &state.stdin);
    let text = match &input {
        Some(Value::Woven(text)) => Some(text.as_str()),
        _ => None,
    };
    signs::filtered(name, &call.texts()?, text)
}

fn real_path(shell: &Shell<'_>, state: &State, name: &str, call: &Call) -> Option<Value> {
    let texts = call.texts()?;
    let operands = texts.iter().filter(|text| !text.starts_with('-')).collect::<Vec<_>>();
    let [path] = operands.as_slice() else { return None };
    if name == "readlink" && !texts.iter().any(|t| matches!(*t, "-f" | "-e" | "-m" | "--canonicalize")) {
        return None;
    }
    let path = shell.absolute(state, &Value::known(**path))?;
    let real = shell.physical(state, &path)?;
    Some(Value::Known(format!("{}\n", real.display())))
}

fn path_part(name: &str, call: &Call) -> Option<Value> {
    let arguments = call.arguments();
    let (path, suffix) = match arguments {
        [path] => (&path.arg.value, None),
        [option, suffix, path] if name == "basename" && matches!(option.arg.value.as_known(), Some("-s")) => {
            (&path.arg.value, Some(suffix.arg.value.as_known()?.to_owned()))
        }
        [path, suffix] if name == "basename" => {
            (&path.arg.value, Some(suffix.arg.value.as_known()?.to_owned()))
        }
        _ => return None,
    };
    if path.as_known().is_some_and(|text| text.starts_with('-')) {
        return None;
    }
    let part = path.map(|text| {
        let trimmed = text.trim_end_matches('/');
        if trimmed.is_empty() {
            return if text.is_empty() && name == "dirname" {
                ".".to_owned()
            } else {
                text.chars().take(1).collect()
            };
        }
        if name == "basename" {
            let base = trimmed.rsplit('/').next().unwrap_or(trimmed);
            match &suffix {
                Some(suffix) if base != suffix => {
                    base.strip_suffix(suffix.as_str()).unwrap_or(base).to_owned()
                }
                _ => base.to_owned(),
            }
        } else {
            match trimmed.rsplit_once('/') {
                Some((dir, _)) if dir.trim_end_matches('/').is_empty() => "/".to_owned(),
                Some((dir, _)) => dir.trim_end_matches('/').to_owned(),
                None => ".".to_owned(),
            }
        }
    });
    Some(part.concat(&Value::known("\n")))
}

fn sequence(call: &Call) -> Option<Value> {
    let numbers = call.texts()?.iter().map(|text| text.parse::<i64>().ok()).collect::<Option<Vec<_>>>()?;
    let (first, step, last) = match numbers.as_slice() {
        [last] => (1, 1, *last),
        [first, last] => (*first, 1, *last),
        [first, step, last] if *step != 0 => (*first, *step, *last),
        _ => return None,
    };
    let mut text = String::new();
    let mut n = first;
    for _ in 0..4096 {
        if (step > 0 && n > last) || (step < 0 && n < last) {
            return Some(Value::Known(text));
        }
        text.push_str(&format!("{n}\n"));
        n = n.checked_add(step)?;
    }
    None
}
