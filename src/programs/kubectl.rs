//! `kubectl delete`: its other ways to name objects, `TYPE/NAME …` and `TYPE,TYPE NAME …`, are the plain one, type by type; what
//! holds more than its manifest says is judged by its name where a manifest that is deleted or replaced names it.

mod manifests;

use crate::knowledge::tool_words;
use crate::model::Value;
use crate::shell::program::{Arg, Call, Expansion, Flow, Instead, Run, Shell, State};

use manifests::Object;

/// See [`Room::Kubectl`](crate::knowledge::Room::Kubectl).
pub(super) struct Kubectl;

impl super::Program for Kubectl {
    fn begins(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Instead> {
        if run.matched.does_nothing() {
            return None;
        }
        of_manifests(shell, state, run);
        if run.matched.path.get(1..).unwrap_or_default() != ["delete"] {
            return None;
        }
        // Behind the program's own name.
        let operands: Vec<(usize, &Value)> =
            run.matched.operands.iter().map(|operand| (operand.index + 1, &operand.value)).collect();
        let plain = by_type(&operands).or_else(|| in_small_letters(&operands))?;
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

/// Judges by name what goes with its content when its manifest is deleted, or deleted and made anew. The manifests of what
/// is only applied are read as well: they are what the command rests on.
fn of_manifests(shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) {
    let [_, verb] = run.matched.path.as_slice() else { return };
    if !["delete", "replace", "apply", "create"].contains(&verb.as_str()) {
        return;
    }
    let all = run.matched.options.iter();
    let options: Vec<_> = all.filter(|option| ["-f", "-k"].contains(&option.key.as_str())).collect();
    let files = |key: &str| -> Vec<&Value> {
        options.iter().filter(|one| one.key == key).filter_map(|one| one.value.as_ref()).collect()
    };
    let mut found = manifests::named(shell, state, &files("-f"));
    for place in files("-k") {
        found.extend(manifests::built(shell, state, place));
    }
    let deletes = verb == "delete" || verb == "replace" && run.matched.has("--force");
    if !deletes {
        return;
    }
    // Which object is deleted besides, by its name: as the same command in its plain form says it.
    let given: Vec<Expansion> = ["-n", "--context", "--kubeconfig", "--cluster", "-s"]
        .iter()
        .filter_map(|key| Some((key, run.matched.value(key)?.clone())))
        .flat_map(|(key, value)| [Value::known(*key), value])
        .map(|value| word(value, run.call))
        .collect();
    for object in found.into_iter().filter(holds_more) {
        let Some(program) = run.call.words.first().cloned() else { return };
        let Object { kind, name, namespace } = object;
        let mut words = vec![program];
        words.extend(["delete".to_owned(), kind, name].map(|text| word(Value::Known(text), run.call)));
        if let Some(namespace) = namespace.filter(|_| run.matched.value("-n").is_none()) {
            words.extend(["-n".to_owned(), namespace].map(|text| word(Value::Known(text), run.call)));
        }
        words.extend(given.iter().cloned());
        shell.program(state, words, run.call.span);
    }
}

fn word(value: Value, call: &Call) -> Expansion {
    Expansion { arg: Arg { value, span: call.span, explicit: false }, elastic: false, unordered: false }
}

/// With it goes what no manifest has: what is in a namespace, on a volume, of a type.
fn holds_more(object: &Object) -> bool {
    let objects = &tool_words().objects;
    objects.hold_more.has(&object.kind) || object.kind.contains('.') || objects.hold_more.is_empty()
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
        return Some(kinds.map(|kind| (kind.to_ascii_lowercase(), names.clone())).collect());
    }
    let mut found: Vec<(String, Vec<Value>)> = Vec::new();
    for (_, value) in operands {
        let text = value.prefix();
        let (kind, rest) = text.split_once('/')?;
        let name = if value.as_known().is_some() { Value::known(rest) } else { Value::Unknown };
        match found.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(kind)) {
            Some((_, names)) => names.push(name),
            None => found.push((kind.to_ascii_lowercase(), vec![name])),
        }
    }
    Some(found)
}

/// The plain form with a type in capitals, which counts as any other.
fn in_small_letters(operands: &[(usize, &Value)]) -> Option<Vec<(String, Vec<Value>)>> {
    let (first, others) = operands.split_first()?;
    let kind = first.1.as_known().filter(|text| text.contains(|c: char| c.is_ascii_uppercase()))?;
    Some(vec![(kind.to_ascii_lowercase(), others.iter().map(|(_, name)| (*name).clone()).collect())])
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
