//! Options in front of a subcommand, tried with every example of every tool.

// A test fails loudly.
use recourse::knowledge::{Knowledge, OptionSpec, Takes, match_words};
use recourse::model::Value;
use recourse::vet::{bound, examples_of, words};

use crate::knowledge::packs;

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
    let knowledge = Knowledge::builtin();
    let mut problems = Vec::new();
    for pack in packs("tools") {
        for tool in pack.tools.iter().map(|part| &part.it) {
            for example in &examples_of(tool) {
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
                    if given || asked.contains(&option.key) {
                        continue;
                    }
                    for front in without_effect(option) {
                        let with: Vec<String> = front.iter().chain(&all[1..]).cloned().collect();
                        let matched = match_words(&tool, &values(&with));
                        let same = matched.path == plain.path && matched.typed == plain.typed;
                        if matched.gaps.is_empty() && !(same && bound(&matched) == bound(&plain)) {
                            problems.push(format!("{} in front of `{}`", front.join(" "), example.run));
                        }
                    }
                }
            }
        }
    }
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}
