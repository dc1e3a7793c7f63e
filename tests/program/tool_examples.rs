//! The examples in the tool files, as far as data alone decides: options and operands are bound as the file says, the
//! effects that it lists come out, and what it runs is found. (What refiners add needs the whole pipeline.)

// A test fails loudly.
use std::sync::Arc;

use recourse::knowledge::{
    CommandSpec, ExampleSpec, Knowledge, Match, OptionSpec, Takes, ToolFile, match_words,
};
use recourse::model::Value;

/// Splits the text of an example into words: quotes and backslashes only.
fn words(text: &str) -> Vec<String> {
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

fn mutations(matched: &Match) -> Vec<String> {
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
    for effect in &matched.command.effects {
        if !matched.holds(&effect.r#if, &effect.unless) {
            continue;
        }
        for filled in matched.fill(&effect.on.target, &[]) {
            let action = format!("{:?}", effect.action).to_lowercase();
            found.push(format!("{action} {} {}", effect.on.kind, filled.value.display()).trim().to_owned());
        }
    }
    found
}

fn check(file: &ToolFile, example: &ExampleSpec, reached: &mut Vec<String>) -> Result<(), String> {
    let all = words(&example.run);
    let Some((name, rest)) = all.split_first() else { return Err("no words".to_owned()) };
    if !file.names.contains(name) {
        return Err(format!("`{name}` is another tool"));
    }
    let values = rest.iter().map(Value::known).collect::<Vec<_>>();
    let knowledge = Knowledge::builtin();
    let tool = knowledge.tool(name).ok_or("not in the index")?;
    let matched = match_words(&tool, &values);
    if let Some(gap) = matched.gaps.first() {
        return Err(gap.reason.clone());
    }
    for (number, effect) in matched.command.effects.iter().enumerate() {
        if !matched.does_nothing()
            && matched.holds(&effect.r#if, &effect.unless)
            && !matched.fill(&effect.on.target, &[]).is_empty()
        {
            reached.push(format!("{}#{number}", matched.path.join(" ")));
        }
    }
    if let Some(expected) = &example.is
        && matched.command.refine.is_none()
    {
        let mut found = mutations(&matched);
        let mut expected = expected.clone();
        found.sort();
        expected.sort();
        if found != expected {
            return Err(format!("gives {found:?}"));
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
            return Err(format!("runs {found:?}"));
        }
    }
    Ok(())
}

fn all_effects(command: &CommandSpec, root: &CommandSpec, path: &str, found: &mut Vec<(String, bool)>) {
    for number in 0..command.effects.len() {
        found.push((format!("{path}#{number}"), command.refine.is_some()));
    }
    for name in command.commands.names() {
        if let Some(below) = command.commands.get(name, root) {
            all_effects(&below, root, &format!("{path} {name}"), found);
        }
    }
}

fn examples(command: &CommandSpec, root: &CommandSpec, found: &mut Vec<ExampleSpec>) {
    found.extend(command.examples.iter().cloned());
    for name in command.commands.names() {
        if let Some(below) = command.commands.get(name, root) {
            let below: Arc<CommandSpec> = below;
            examples(&below, root, found);
        }
    }
}

#[test]
fn examples_hold_and_reach_every_effect() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/knowledge/tools");
    let mut problems = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        for tool in ToolFile::parse(&file, &text).unwrap() {
            let mut reached = Vec::new();
            let mut list = Vec::new();
            examples(&tool.root, &tool.root, &mut list);
            if list.is_empty() {
                problems.push(format!("{file}: {} has no example", tool.names[0]));
            }
            for example in &list {
                if let Err(why) = check(&tool, example, &mut reached) {
                    problems.push(format!("{file}: `{}`: {why}", example.run));
                }
            }
            let mut effects = Vec::new();
            all_effects(&tool.root, &tool.root, &tool.names[0], &mut effects);
            for (effect, _) in effects {
                if !reached.contains(&effect) {
                    problems.push(format!("{file}: no example reaches {effect}"));
                }
            }
        }
    }
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}

/// Words that give an option of the tool itself that changes nothing: a flag on and off, or a value.
fn without_effect(option: &OptionSpec) -> Vec<Vec<String>> {
    if option.informational || option.dry_run || option.last || !option.further.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for spelling in option.on.iter().filter(|s| s.starts_with('-')) {
        found.push(match option.takes {
            Takes::Always
                if option.role.as_deref().is_none_or(|role| !RUNS.iter().any(|r| role.starts_with(r))) =>
            {
                vec![spelling.clone(), "elsewhere".to_owned()]
            }
            Takes::Always => continue,
            Takes::Nothing | Takes::Attached => vec![spelling.clone()],
        });
    }
    found.extend(option.off.iter().map(|spelling| vec![spelling.clone()]));
    found
}

/// Roles whose value itself is run or written to.
const RUNS: [&str; 7] = ["shell", "argv", "script", "code", "sql", "outfile", "appendfile"];

/// In front of a subcommand, an option that no effect asks for leaves the subcommand and its effects as they are.
#[test]
fn options_of_the_tool_itself_never_hide_the_subcommand() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/knowledge/tools");
    let knowledge = Knowledge::builtin();
    let mut problems = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        for tool in ToolFile::parse("tool", &text).unwrap() {
            let mut list = Vec::new();
            examples(&tool.root, &tool.root, &mut list);
            for example in &list {
                let all = words(&example.run);
                let Some(tool) = all.first().and_then(|name| knowledge.tool(name)) else { continue };
                let values = |words: &[String]| words.iter().map(Value::known).collect::<Vec<_>>();
                let plain = match_words(&tool, &values(&all[1..]));
                if plain.path.len() < 2 || plain.does_nothing() {
                    continue;
                }
                let asked = format!("{:?}", plain.command.effects);
                for option in &tool.root.options {
                    let given = plain.options.iter().any(|o| o.key == option.key);
                    if given || asked.contains(&format!("{:?}", option.key)) {
                        continue;
                    }
                    for front in without_effect(option) {
                        let with: Vec<String> = front.iter().chain(&all[1..]).cloned().collect();
                        let matched = match_words(&tool, &values(&with));
                        let same = matched.path == plain.path && matched.typed == plain.typed;
                        if matched.gaps.is_empty() && !(same && mutations(&matched) == mutations(&plain)) {
                            problems.push(format!("{} in front of `{}`", front.join(" "), example.run));
                        }
                    }
                }
            }
        }
    }
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}
