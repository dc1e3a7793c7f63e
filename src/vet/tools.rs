//! Tools: every kind exists and says what the action costs, every example holds, every effect is reached by one.

use crate::knowledge::{
    CommandSpec, EffectSpec, ExampleSpec, Knowledge, Match, Part, ToolFile, did_you_mean, match_words,
};
use crate::model::{Action, Value};

use super::examples::{action, agree, of_text, told};
use super::{Vet, below};

pub(super) fn check(vet: &mut Vet<'_>) {
    let pack = vet.pack;
    for part in &pack.tools {
        let tool = &part.it;
        let mut reached = Vec::new();
        let mut effects = Vec::new();
        let mut examples = 0;
        for (at, path, command) in commands(part) {
            if command.says_nothing() {
                let what =
                    format!("{path} says nothing about what it does; `reads = true` when it changes nothing");
                vet.tell(&at, what);
            }
            for (number, effect) in command.effects.iter().enumerate() {
                let (key, place) = match number.checked_sub(command.tables) {
                    None => ("effect", number),
                    Some(place) => ("does", place),
                };
                let at = below(&at, &[key, &place.to_string()]);
                of_effect(vet, &at, &path, effect, false);
                if !command.taken {
                    effects.push((at, format!("{path}#{number}"), format!("{path}, effect {}", number + 1)));
                }
            }
            for (thing, effect) in things(&command) {
                let at = below(&at, &["things", thing]);
                of_effect(vet, &at, thing, effect, false);
                if !command.taken {
                    effects.push((at, format!("thing {thing}"), format!("the thing `{thing}`")));
                }
            }
            for (number, example) in command.examples.iter().enumerate() {
                examples += 1;
                let at = if example.short {
                    below(&at, &["examples", &example.run])
                } else {
                    below(&at, &["example", &number.to_string()])
                };
                if let Err(why) = of_data(tool, example, &mut reached) {
                    vet.tell(&at, format!("`{}`: {why}", example.run));
                } else {
                    in_pipeline(vet, &at, &part.name, example);
                }
            }
        }
        if examples == 0 {
            vet.tell(&part.at, format!("{} has no example", part.name));
            continue;
        }
        for (at, effect, shown) in effects {
            if !reached.contains(&effect) {
                vet.tell(&at, format!("no example reaches {shown}"));
            }
        }
    }
}

/// The things that a tool's verbs take away, with what is done to them.
fn things(command: &CommandSpec) -> impl Iterator<Item = (&str, &EffectSpec)> {
    let things = command.verbs.iter().flat_map(|verbs| &verbs.things);
    things.flat_map(|thing| thing.effects.iter().map(|effect| (thing.called.as_str(), effect)))
}

/// Whether an effect's kind is there, says what the action costs and asks for the facts that are told.
pub(super) fn of_effect(vet: &mut Vet<'_>, at: &[String], of: &str, effect: &EffectSpec, call: bool) {
    use crate::knowledge::SubjectKind::{Name, Path};
    let name = &effect.on.kind;
    let on = below(at, &["on"]);
    let Some(kind) = vet.knowledge.kind(name) else {
        let hint = kind_hint(vet.knowledge, name);
        return vet.tell(&on, format!("{of}: kind `{name}` is not declared{hint}"));
    };
    if call && !matches!(kind.subject, Path | Name) {
        vet.tell(&on, format!("{of}: `{name}` needs a command (`run`)"));
    }
    let mut cases = kind.cases(effect.action).len();
    cases +=
        vet.knowledge.raised_kind(name).iter().map(|more| more.cases(effect.action).len()).sum::<usize>();
    if cases == 0 && !matches!(effect.action, Action::Create | Action::Read) {
        let what = action(effect.action);
        vet.tell(&below(at, &["do"]), format!("{of}: kind `{name}` has no case for {what}"));
    }
    for with in &effect.with {
        let key = with.split_once('=').map_or(with.as_str(), |(key, _)| key);
        if let Some(hint) = vet.facts.unasked(name, key) {
            vet.tell(&below(at, &["with"]), format!("{of}: nobody asks a `{name}` for `{key}`{hint}"));
        }
    }
}

/// Why what was declared for a kind is not used.
pub(super) fn not_taken(knowledge: &Knowledge, kind: &str, what: &str, this: &str) -> String {
    if knowledge.kind(kind).is_some() {
        format!("`{kind}` is built in: {what} of your own are for kinds of your own, and {this} not used")
    } else {
        format!("kind `{kind}` is not declared{}", kind_hint(knowledge, kind))
    }
}

/// The kind that was probably meant, or those of the same family.
pub(super) fn kind_hint(knowledge: &Knowledge, name: &str) -> String {
    let hint = did_you_mean(name, knowledge.kind_names());
    let Some((family, _)) = name.split_once('.').filter(|_| hint.is_empty()) else { return hint };
    let same = |kind: &&str| kind.split('.').next() == Some(family);
    let same: Vec<&str> = knowledge.kind_names().into_iter().filter(same).take(8).collect();
    if same.is_empty() { hint } else { format!("; of `{family}` there are {}", same.join(", ")) }
}

/// A tool and its subcommands: the keys that lead there, and the name.
fn commands(part: &Part<ToolFile>) -> Vec<(Vec<String>, String, CommandRef)> {
    let mut found = Vec::new();
    walk(CommandRef::clone(&part.it.root), &part.it.root, part.at.clone(), &part.name, &mut found);
    found
}

type CommandRef = std::sync::Arc<CommandSpec>;

fn walk(
    command: CommandRef,
    root: &CommandSpec,
    at: Vec<String>,
    path: &str,
    found: &mut Vec<(Vec<String>, String, CommandRef)>,
) {
    found.push((at.clone(), path.to_owned(), CommandRef::clone(&command)));
    for name in command.commands.names() {
        if let Some(under) = command.commands.get(name, root) {
            walk(under, root, below(&at, &["cmd", name]), &format!("{path} {name}"), found);
        }
    }
}

/// All examples of a tool.
pub fn examples_of(tool: &std::sync::Arc<ToolFile>) -> Vec<ExampleSpec> {
    let part = Part { name: String::new(), at: Vec::new(), it: tool.clone() };
    commands(&part).into_iter().flat_map(|(_, _, command)| command.examples.clone()).collect()
}

/// The example as far as the data alone decides: words are bound as the file says, the listed effects come out, and what
/// it runs is found. What rooms add needs the whole pipeline.
fn of_data(
    tool: &std::sync::Arc<ToolFile>,
    example: &ExampleSpec,
    reached: &mut Vec<String>,
) -> Result<(), String> {
    let all = words(&example.run);
    let Some((name, rest)) = all.split_first() else { return Err("no words".to_owned()) };
    if !tool.names.contains(name) {
        return Err(format!("`{name}` is another tool"));
    }
    let values = rest.iter().map(Value::known).collect::<Vec<_>>();
    let matched = match_words(tool, &values);
    if let Some(gap) = matched.gaps.first() {
        return Err(gap.reason.clone());
    }
    let path = matched.path.join(" ");
    for (number, effect) in matched.command.effects.iter().enumerate() {
        if !matched.does_nothing()
            && matched.holds(&effect.r#if, &effect.unless)
            && !matched.fill_listed(&effect.on.target, &[], &|key| in_lists(&matched, key)).is_empty()
        {
            reached.push(format!("{path}#{number}"));
            reached.extend(matched.command.thing.iter().map(|thing| format!("thing {thing}")));
        }
    }
    if let Some(expected) = &example.is
        && matched.command.refine.is_none()
    {
        let found = bound(&matched);
        if !agree(&found, expected, false) {
            return Err(format!("gives {}, not {}", told(&found), told(expected)));
        }
    }
    if let Some(expected) = &example.runs {
        let nested = matched.nested();
        let found = nested
            .iter()
            .flat_map(|n| {
                let texts = n.values.iter().map(Value::display).collect::<Vec<_>>();
                if n.role == "shell" && n.name == "shell" { texts } else { vec![texts.join(" ")] }
            })
            .collect::<Vec<_>>();
        if &found != expected {
            return Err(format!("runs {}, not {}", told(&found), told(expected)));
        }
    }
    Ok(())
}

/// What stands in the lists that words name: the data alone cannot tell.
fn in_lists(matched: &Match, key: &str) -> Vec<Value> {
    let operand = !key.starts_with('-');
    let lists =
        matched.named(key).into_iter().filter(|(value, _)| !operand || value.prefix().starts_with('@'));
    let known = lists.map(|_| Value::Unknown).collect();
    if key == "stdin" { vec![Value::Unknown] } else { known }
}

/// The mutations that the data alone declares for these words.
pub fn bound(matched: &Match) -> Vec<String> {
    if matched.informational || matched.dry_run {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (role, value, _) in matched.written() {
        let action = if role == "outfile" { "replace" } else { "create" };
        if value.as_known() != Some("-") {
            found.push(format!("{action} file {}", value.display()));
        }
    }
    for effect in matched.command.effects.iter().filter(|e| matched.holds(&e.r#if, &e.unless)) {
        for filled in matched.fill_listed(&effect.on.target, &[], &|key| in_lists(matched, key)) {
            let target = filled.value.display();
            found.push(format!("{} {} {target}", action(effect.action), effect.on.kind).trim().to_owned());
        }
    }
    found
}

/// The example in the whole pipeline. What it runs gives mutations of its own.
fn in_pipeline(vet: &mut Vet<'_>, at: &[String], tool: &str, example: &ExampleSpec) {
    let (Some(expected), None) = (&example.is, &example.runs) else { return };
    let found = of_text(&example.run, vet.knowledge);
    if !agree(&found, expected, !vet.knowledge.raised(tool).is_empty()) {
        vet.tell(at, format!("`{}` gives {}, not {}", example.run, told(&found), told(expected)));
    }
}

/// Splits the text of an example into words: quotes and backslashes only.
pub fn words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (Some('"') | None, '\\') => word.get_or_insert_default().extend(chars.next()),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => found.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    found.extend(word);
    found
}
