//! What a service's command is about, where one rule of the data stands for many subcommands: `delete-function
//! --function-name f` is about "function f".

use crate::knowledge::{EffectSpec, Filled, Match, Piece};
use crate::model::{Action, Value, words as split};
use crate::shell::Invocation;

/// Kind of what a service holds and no rule describes.
const RESOURCE: &str = "cloud.resource";

/// Last words of options that name something.
const NAMING: [&str; 7] = ["name", "names", "id", "ids", "identifier", "arn", "url"];

/// The target of a deletion whose rule names only the service: what the subcommand calls it, and the option that says
/// which.
pub(super) fn named(invocation: &Invocation, matched: &Match, effect: &EffectSpec) -> Option<Filled> {
    let [Piece::Text(literal)] = effect.on.target.pieces.as_slice() else { return None };
    let service =
        matched.path.get(1).is_some_and(|service| literal.split(' ').next() == Some(service.as_str()));
    if effect.on.kind != RESOURCE || effect.action != Action::Delete || !service {
        return None;
    }
    let name = matched.path.last()?;
    let parent = matched.levels.get(matched.levels.len().checked_sub(2)?)?;
    let words = invocation.args.get(1..)?;
    let typed = words
        .iter()
        .filter_map(|arg| arg.value.as_known())
        .find(|word| parent.commands.canonical(word) == Some(name.as_str()))?;
    let noun = split(typed).get(1..)?.to_vec();
    let given = words.iter().enumerate().filter_map(|(at, arg)| {
        let text = arg.value.prefix();
        let (option, value) = match text.strip_prefix("--")?.split_once('=') {
            Some((option, value)) => (option.to_owned(), Value::known(value)),
            None => (text.strip_prefix("--")?.to_owned(), words.get(at + 1)?.value.clone()),
        };
        let pieces = split(&option);
        let (last, stem) = pieces.split_last()?;
        (NAMING.contains(&last.as_str()) && !stem.is_empty() && value.as_known() != Some(""))
            .then(|| (stem.to_vec(), value))
    });
    let given: Vec<(Vec<String>, Value)> = given.collect();
    let fits = |stem: &[String]| {
        let single = |word: &String| word.trim_end_matches('s').to_owned();
        stem.last().map(single) == noun.last().map(single)
    };
    // The option of the noun itself, or what it is a part of: an item of a table.
    let (of, value) = match given.iter().find(|(stem, _)| fits(stem)) {
        Some((_, value)) => (" ", value),
        None => (" of ", &given.first()?.1),
    };
    // One value is one thing: `terminate-instances --instance-ids i-1`.
    let noun = noun.join(" ");
    let noun = noun.strip_suffix('s').filter(|one| !one.ends_with('s')).unwrap_or(&noun);
    let said = Value::known(format!("{noun}{of}")).concat(value);
    Some(Filled {
        parts: vec![said.clone()],
        value: said,
        indices: Vec::new(),
        from_options: false,
        home: false,
    })
}
