//! `kubectl delete`: its other ways to name objects, `TYPE/NAME …` and `TYPE,TYPE NAME …`, are the plain one, type by type.

use crate::model::Value;
use crate::shell::program::{Call, Flow, Instead, Run, Shell, State};

/// See [`Room::Kubectl`](crate::knowledge::Room::Kubectl).
pub(super) struct Kubectl;

impl super::Program for Kubectl {
    fn begins(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Instead> {
        if run.matched.path.get(1..).unwrap_or_default() != ["delete"] || run.matched.does_nothing() {
            return None;
        }
        // Behind the program's own name.
        let operands: Vec<(usize, &Value)> =
            run.matched.operands.iter().map(|operand| (operand.index + 1, &operand.value)).collect();
        let plain = by_type(&operands)?;
        for (kind, names) in plain {
            let mut call = run.call.clone();
            let (first, others) = operands.split_first()?;
            call.words.get_mut(first.0)?.arg.value = Value::Known(kind);
            let mut names = names.into_iter();
            // From the last to the first, so that the places in front stay.
            let mut unused = Vec::new();
            for (index, _) in others {
                match names.next() {
                    Some(name) => call.words.get_mut(*index)?.arg.value = name,
                    None => unused.push(*index),
                }
            }
            for name in names {
                let mut word = call.words.get(first.0)?.clone();
                word.arg.value = name;
                call.words.insert(first.0 + 1, word);
            }
            unused.sort_unstable();
            for index in unused.into_iter().rev() {
                call.words.remove(index);
            }
            run_again(shell, state, call);
        }
        Some(Instead::Done(Flow::Next))
    }
}

/// One command of the plain form.
fn run_again(shell: &mut Shell<'_>, state: &mut State, call: Call) {
    let span = call.span;
    shell.program(state, call.words, span);
}

/// The names of each type, where they are not told in the plain way.
fn by_type(operands: &[(usize, &Value)]) -> Option<Vec<(String, Vec<Value>)>> {
    let (first, others) = operands.split_first()?;
    if let Some(kinds) = first.1.as_known().filter(|text| text.contains(',')) {
        let names: Vec<Value> = others.iter().map(|(_, name)| (*name).clone()).collect();
        let kinds = kinds.split(',').filter(|kind| !kind.is_empty());
        return Some(kinds.map(|kind| (kind.to_owned(), names.clone())).collect());
    }
    let mut found: Vec<(String, Vec<Value>)> = Vec::new();
    for (_, value) in operands {
        let text = value.prefix();
        let (kind, rest) = text.split_once('/')?;
        let name = if value.as_known().is_some() { Value::known(rest) } else { Value::Unknown };
        match found.iter_mut().find(|(known, _)| known == kind) {
            Some((_, names)) => names.push(name),
            None => found.push((kind.to_owned(), vec![name])),
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::by_type;
    use crate::model::Value;

    #[test]
    fn objects_are_told_type_by_type() {
        let told = |words: &[&str]| {
            let values: Vec<Value> = words.iter().map(|word| Value::known(*word)).collect();
            let operands: Vec<(usize, &Value)> = values.iter().enumerate().collect();
            let names = |names: &Vec<Value>| names.iter().map(Value::display).collect::<Vec<_>>().join(" ");
            by_type(&operands).map(|found| {
                found.iter().map(|(kind, of)| format!("{kind}: {}", names(of))).collect::<Vec<_>>()
            })
        };
        assert_eq!(told(&["pod/a", "ns/old", "pod/b"]).unwrap(), ["pod: a b", "ns: old"]);
        assert_eq!(told(&["pod,svc", "web"]).unwrap(), ["pod: web", "svc: web"]);
        assert_eq!(told(&["pod", "web"]), None);
        assert_eq!(told(&[]), None);
    }
}
