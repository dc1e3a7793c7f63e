//! `truncate`: growing a file loses nothing, and zero loses all of it.

use std::path::Path;

use crate::model::{Action, Subject, Value};
use crate::shell::Invocation;

use crate::effects::program::{Draft, Scene, flag};

/// See [`Room::Truncate`](crate::knowledge::Room::Truncate).
pub(super) struct Truncate;

impl super::Program for Truncate {
    fn does(&self, scene: &Scene<'_>, invocation: &Invocation, declared: Vec<Draft>) -> Vec<Draft> {
        truncate(scene, invocation, declared)
    }
}

/// Judges `-s` against the size that is there.
fn truncate(scene: &Scene<'_>, invocation: &Invocation, drafts: Vec<Draft>) -> Vec<Draft> {
    let Some(size) = invocation.matched.value("-s").and_then(Value::as_known) else { return drafts };
    drafts
        .into_iter()
        .map(|mut draft| {
            let Some(mutation) = &mut draft.mutation else { return draft };
            let Subject::Path(subject) = &mutation.subject else { return draft };
            let now =
                subject.path.as_known().and_then(|path| scene.at(Path::new(path))).map(|seen| seen.size);
            flag(mutation, "in-place", "written in place");
            if grows(size, now) {
                mutation.action = Action::Update;
                flag(mutation, "no-change", "the file only grows");
            } else if bytes(size) == Some(0) {
                mutation.action = Action::Replace;
                if let Subject::Path(subject) = &mut mutation.subject {
                    subject.content = Some(String::new());
                }
            }
            draft
        })
        .collect()
}

/// Whether the size asked for is surely no smaller than what is there.
fn grows(size: &str, now: Option<u64>) -> bool {
    match size.trim().chars().next() {
        Some('+' | '>' | '%') => true,
        Some('-' | '<' | '/') | None => false,
        Some(_) => matches!((bytes(size), now), (Some(asked), Some(now)) if asked >= now),
    }
}

/// A plain size with its unit.
fn bytes(size: &str) -> Option<u64> {
    let size = size.trim().trim_end_matches("iB");
    let digits = size.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number = digits.parse::<u64>().ok()?;
    let unit = &size[digits.len()..];
    let (letter, base) = match unit.strip_suffix('B') {
        Some(letter) if !letter.is_empty() => (letter, 1000_u64),
        _ => (unit, 1024),
    };
    let power = match letter {
        "" => 0,
        "K" | "k" => 1,
        "M" | "m" => 2,
        "G" | "g" => 3,
        "T" | "t" => 4,
        _ => return None,
    };
    number.checked_mul(base.checked_pow(power)?)
}

#[cfg(test)]
mod tests {
    use super::{bytes, grows};

    #[test]
    fn sizes() {
        assert_eq!(bytes("10K"), Some(10_240));
        assert_eq!(bytes("10KB"), Some(10_000));
        assert_eq!(bytes("2MiB"), Some(2_097_152));
        assert!(grows("+1", Some(5)) && grows("10", Some(10)) && !grows("9", Some(10)) && !grows("9", None));
    }
}
