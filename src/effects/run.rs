//! A known program: its declared effects, roles that write, SQL, and the refiner.

use crate::knowledge::{EffectSpec, Filled, Match, SubjectKind, match_words};
use crate::model::{Action, Cause, FactValue, Mutation, RuleRef, Value};
use crate::shell::{Invocation, Stdin};

use super::draft::{Change, Draft};
use super::scene::{Scene, Word, fact};
use super::{refine, sql, write};

/// The mutations of a run.
pub(super) fn run(scene: &mut Scene<'_>, invocation: &Invocation) -> Vec<Draft> {
    let mut drafts = one(scene, invocation, &invocation.matched);
    // What users say of a built-in tool counts in addition.
    if let Some(tool) = scene.knowledge.raised(&invocation.name) {
        let words = invocation.args.iter().skip(1).map(|arg| arg.value.clone()).collect::<Vec<_>>();
        let matched = match_words(&tool, &words);
        if !matched.does_nothing() {
            drafts.extend(declared(scene, invocation, &matched));
        }
    }
    drafts
}

fn one(scene: &mut Scene<'_>, invocation: &Invocation, matched: &Match) -> Vec<Draft> {
    let first_gap = matched.gaps.iter().map(|gap| gap.index).min();
    if matched.does_nothing() && first_gap.is_none() || matched.unlisted_reads {
        return Vec::new();
    }
    let mut drafts = gaps(scene, matched);
    if matched.does_nothing() {
        return drafts;
    }
    let effects = declared(scene, invocation, matched);
    // What a refiner adds rests on the command as a whole.
    let rule = matched.path.get(1..).unwrap_or_default().join(" ");
    scene.rule = RuleRef { tool: tool_name(matched), rule };
    drafts.extend(match matched.command.refine {
        Some(refiner) => refine::refine(refiner, scene, invocation, effects),
        None => effects,
    });
    drafts.extend(written(scene, invocation, matched));
    drafts.extend(sql::of_invocation(scene, invocation));
    drafts.into_iter().filter_map(|draft| asked(invocation, draft)).collect()
}

/// What becomes of an act that asks first: without anything on standard input the answer is no; where the answer comes
/// from a text or a program, nobody is asked.
fn asked(invocation: &Invocation, mut draft: Draft) -> Option<Draft> {
    let Some(mutation) = draft.mutation.as_mut().filter(|m| m.facts.contains_key("asks")) else {
        return Some(draft);
    };
    match &invocation.stdin {
        Stdin::Empty => return None,
        Stdin::Inherited => {}
        Stdin::Text(Value::Known(text)) if text.trim().is_empty() => return None,
        Stdin::Text(_) | Stdin::File(_) | Stdin::Unknown => {
            mutation.context.asks = false;
            mutation.facts.remove("asks");
        }
    }
    Some(draft)
}

/// One mutation for all that the declaration does not explain.
fn gaps(scene: &mut Scene<'_>, matched: &Match) -> Vec<Draft> {
    let Some(gap) = matched.gaps.first() else { return Vec::new() };
    scene.rule = RuleRef { tool: tool_name(matched), rule: String::new() };
    let name = matched.path.join(" ");
    vec![Draft::of(scene.unknown(Action::Execute, Cause::UnknownForm, &name, &gap.reason))]
}

fn tool_name(matched: &Match) -> String {
    matched.tool.names.first().cloned().unwrap_or_default()
}

/// The effects that the data declares.
fn declared(scene: &mut Scene<'_>, invocation: &Invocation, matched: &Match) -> Vec<Draft> {
    let stdin = stdin_names(invocation, matched);
    let below = matched.path.get(1..).unwrap_or_default().join(" ");
    let mut drafts = Vec::new();
    for (number, effect) in matched.command.effects.iter().enumerate() {
        if !matched.holds(&effect.r#if, &effect.unless) {
            continue;
        }
        scene.rule = RuleRef { tool: tool_name(matched), rule: format!("{below}#{}", number + 1) };
        for filled in matched.fill(&effect.on.target, &stdin) {
            if let Some(draft) = effect_on(scene, invocation, matched, effect, &filled) {
                drafts.push(draft);
            }
        }
    }
    drafts
}

/// Names from standard input, where the tool reads names there.
fn stdin_names(invocation: &Invocation, matched: &Match) -> Vec<Value> {
    if matched.stdin_role() != Some("paths") {
        return Vec::new();
    }
    match &invocation.stdin {
        Stdin::Empty => Vec::new(),
        Stdin::Text(Value::Known(text)) => {
            text.split(['\n', '\0']).filter(|line| !line.is_empty()).map(Value::known).collect()
        }
        _ => vec![Value::Unknown],
    }
}

fn effect_on(
    scene: &Scene<'_>,
    invocation: &Invocation,
    matched: &Match,
    effect: &EffectSpec,
    filled: &Filled,
) -> Option<Draft> {
    let is_path = scene.kind(&effect.on.kind).is_some_and(|kind| kind.subject == SubjectKind::Path);
    let mut mutation = if is_path {
        let text = filled.value.as_known();
        if text == Some("") || (text == Some("-") && effect.action != Action::Delete) {
            return None;
        }
        let word = Word::new(filled.value.clone(), explicit(invocation, &filled.indices));
        let path = path_of(scene, matched, filled);
        scene.on_absolute(effect.action, &effect.on.kind, path, &word)
    } else {
        scene.on_other(effect.action, &effect.on.kind, &filled.parts, &filled.value)
    };
    if let Some(span) = span_of(invocation, &filled.indices) {
        mutation.span = Some(span);
    }
    let mut changes = Vec::new();
    for with in &effect.with {
        match with.split_once('=') {
            Some(("holds", name)) => changes.extend(holds(scene, matched, &mutation, name)),
            Some((key, value)) => fact(&mut mutation, key, fact_value(value), with),
            None => fact(&mut mutation, with, FactValue::Bool(true), with),
        }
    }
    if mutation.facts.contains_key("asks") {
        mutation.context.asks = true;
    }
    let mut draft = Draft::of(mutation);
    draft.changes = changes;
    Some(draft)
}

/// The absolute path of a template's value. The directory that an option names holds for operands, not for the values of
/// other options (`tar -f a -C b c`).
fn path_of(scene: &Scene<'_>, matched: &Match, filled: &Filled) -> Value {
    if filled.from_options {
        return scene.path(&filled.value);
    }
    super::paths::absolute(&filled.value, &directories(scene, matched))
}

/// Directories for operands: the step's, or below them the one that an option names.
pub(super) fn directories(scene: &Scene<'_>, matched: &Match) -> Vec<std::path::PathBuf> {
    let mut dirs = scene.cwds().to_vec();
    for given in matched.cwd() {
        let (Value::Known(_) | Value::OneOf(_)) = &given else { return Vec::new() };
        dirs = super::paths::absolute(&given, &dirs)
            .choices()
            .unwrap_or_default()
            .iter()
            .map(std::path::PathBuf::from)
            .collect();
    }
    dirs
}

/// `holds=name`: the target holds copies of what the operand names.
fn holds(scene: &Scene<'_>, matched: &Match, target: &Mutation, name: &str) -> Vec<Change> {
    let crate::model::Subject::Path(subject) = &target.subject else { return Vec::new() };
    let Some(to) = subject.path.as_known().map(std::path::PathBuf::from) else { return Vec::new() };
    let dirs = directories(scene, matched);
    matched
        .operands(name)
        .into_iter()
        .filter_map(|operand| {
            super::paths::absolute(&operand.value, &dirs).as_known().map(std::path::PathBuf::from)
        })
        .map(|from| Change::Copied { from, to: to.clone(), packed: true })
        .collect()
}

fn fact_value(text: &str) -> FactValue {
    match text {
        "true" => FactValue::Bool(true),
        "false" => FactValue::Bool(false),
        _ => text.parse().map_or_else(|_| FactValue::Text(text.to_owned()), FactValue::Number),
    }
}

/// Whether all words of a target were written literally.
pub(super) fn explicit(invocation: &Invocation, indices: &[usize]) -> bool {
    indices.iter().all(|index| invocation.args.get(index + 1).is_some_and(|arg| arg.explicit))
}

fn span_of(invocation: &Invocation, indices: &[usize]) -> Option<crate::model::Span> {
    indices
        .iter()
        .filter_map(|index| invocation.args.get(index + 1).map(|arg| arg.span))
        .reduce(crate::model::Span::to)
}

/// Words whose role says that they are written to.
fn written(scene: &mut Scene<'_>, invocation: &Invocation, matched: &Match) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for (role, value, index) in matched.written() {
        if matches!(value.as_known(), Some("-" | "")) {
            continue;
        }
        scene.rule = RuleRef { tool: tool_name(matched), rule: format!("{role}@{}", index + 1) };
        let word = Word::new(value.clone(), explicit(invocation, &[index]));
        let mut made = match role {
            "appendfile" => write::append(scene, &word),
            _ => vec![write::overwrite(scene, &word, None, false)],
        };
        for mutation in made.iter_mut().filter_map(|draft| draft.mutation.as_mut()) {
            if let Some(span) = span_of(invocation, &[index]) {
                mutation.span = Some(span);
            }
        }
        drafts.extend(made);
    }
    drafts
}
