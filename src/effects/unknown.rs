//! Forms of a known program that its declaration does not explain, or explains as harmless while its words say otherwise.

use super::draft::Draft;
use super::scene::{Scene, fact};
use crate::knowledge::{Manner, Match, Style, Unlisted, against, forces, is_mild};
use crate::model::{AGAINST, Action, BY_WORDS, Cause, FactValue, RuleRef, Value, words as split};
use crate::shell::Invocation;

/// One mutation for all that the declaration does not explain.
pub(super) fn gaps(scene: &mut Scene<'_>, invocation: &Invocation, matched: &Match) -> Vec<Draft> {
    let Some(gap) = matched.gaps.first() else { return Vec::new() };
    scene.rule = RuleRef { tool: scene.tool.clone(), rule: String::new() };
    let below = matched.path.get(1..).unwrap_or_default();
    let name = std::iter::once(&scene.tool).chain(below).map(String::as_str).collect::<Vec<_>>().join(" ");
    let reason = format!("{name}: {}", gap.reason);
    let mut mutation = scene.unknown(Action::Execute, Cause::UnknownForm, &name, &reason);
    if matched.is_judged_by_words() {
        fact(&mut mutation, BY_WORDS, FactValue::Bool(true), "its words say what it may do");
        let words = invocation.args.iter().skip(1 + gap.index).map(|arg| arg.value.clone());
        scene.against(&mut mutation, &words.collect::<Vec<_>>(), Manner::Form);
    }
    vec![Draft::of(mutation)]
}

/// What is declared as changing nothing, while its words say otherwise: `crane delete`, where nobody listed that. Only
/// words of which the declaration does not say what they are: options that it does not list, and operands without a
/// meaning.
pub(super) fn otherwise(scene: &mut Scene<'_>, invocation: &Invocation, tasks: bool) -> Option<Draft> {
    let matched = &invocation.matched;
    let command = &matched.command;
    let loose = matched.unlisted_reads || command.reads || command.unlisted_options == Unlisted::Reads;
    if !loose || command.style == Style::Raw || !matched.gaps.is_empty() {
        return None;
    }
    let words = invocation.args.iter().map(|arg| &arg.value).skip(1).enumerate();
    // Names of listed subcommands come first.
    let mut names = matched.path.len().saturating_sub(1);
    let nothing_wanted = command.operands.is_empty() && command.forms.is_empty();
    let meaningless = |(index, word): (usize, &Value)| {
        let option = matched.options.iter().any(|o| o.index == index || o.value_index == index);
        let operand = matched.operands.iter().find(|bound| bound.index == index);
        let open = match operand {
            Some(bound) => ANYTHING.contains(&bound.name.as_str()) && bound.role == bound.name,
            None if word.prefix().starts_with('-') => true,
            None if !option && names > 0 => {
                names -= 1;
                false
            }
            None => matched.unlisted_reads || nothing_wanted,
        };
        (open && !option).then(|| word.clone())
    };
    let mut words: Vec<Value> = words.filter_map(meaningless).collect();
    // Names of things stand behind a subcommand too (`kubectl logs drop-api`, `docker inspect cleanup`): a verb is one word
    // there, and a mild one has something behind it.
    let named = matched.path.len() > 1 || matched.unlisted_reads;
    let last = words.iter().rposition(|word| !word.prefix().starts_with('-'));
    let forced = invocation.args.iter().any(|arg| forces(&arg.value.prefix()));
    let mut at = 0..;
    words.retain(|word| {
        let (text, last) = (word.prefix(), at.next() == last);
        text.starts_with('-') || ((!named || split(&text).len() == 1) && !(last && !forced && is_mild(&text)))
    });
    // The project's own tasks: `clean` makes what the next build makes again.
    words.retain(|word| !tasks || forced || !is_mild(&word.prefix()));
    if words.is_empty() {
        return None;
    }
    let name = scene.tool.clone();
    let what = against(&name, &words, Manner::Reader)?;
    scene.rule = RuleRef { tool: scene.tool.clone(), rule: String::new() };
    let mut mutation =
        scene.unknown(Action::Execute, Cause::UnknownForm, &name, &format!("{name}: {what} is not listed"));
    fact(&mut mutation, AGAINST, FactValue::Text(what.clone()), &format!("{what} speaks against it"));
    Some(Draft::of(mutation))
}

/// Names of operands that stand for whatever a subcommand may take.
pub(super) const ANYTHING: [&str; 4] = ["arg", "args", "verb", "task"];

/// How the kinds of a project's own tasks begin.
pub(super) const TASKS: &str = "project.";
