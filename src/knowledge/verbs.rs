//! Subcommands that are not listed one by one, judged by the verb in their name: the command lines of clouds and
//! clusters have thousands of them, named by rule (`aws ec2 describe-…`, `gcloud compute instances list`).

use serde::Deserialize;

use super::matched::compares;
use super::micro::{Condition, Count, On, OperandSpec, OptionSpec, Piece, Template};
use super::schema::{CommandSpec, EffectSpec, Style, Unlisted};
use crate::model::{Action, Value};

/// `verbs = { reads = ["describe*"], grant = ["keys create"], create = ["create*"], other = ["delete*"], within = 2 }`. A
/// pattern is a word, or several that follow one another; `*` in it stands for any text.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Verbs {
    /// Words that mean reading.
    pub reads: Vec<String>,
    /// Words that hand out access.
    pub grant: Vec<String>,
    /// Words that make something new or switch it on, and take nothing away.
    pub create: Vec<String>,
    /// Words that change or stop what is there.
    pub update: Vec<String>,
    /// Words that take away.
    pub delete: Vec<String>,
    /// Words that mean something else: where one of them comes first, nothing is known.
    pub other: Vec<String>,
    /// How many words from the subcommand on may hold the verb; one when it is not said.
    pub within: Option<usize>,
    /// What is made, changed or taken away: `{thing}` is what the words call it, `{name}` which one.
    pub on: Option<On>,
    /// Options that say which one; operands do where none is given.
    pub names: Vec<String>,
    /// Facts for the things that have a kind of their own.
    pub with: Vec<String>,
    /// What is done to things that have a kind of their own when they are taken away.
    #[serde(skip)]
    pub things: Vec<Thing>,
}

/// One line of `things`.
#[derive(Clone, Debug)]
pub struct Thing {
    /// What the words call them, as it is written: `ec2 volume|snapshot`, `rds *`.
    pub called: String,
    /// What happens when they are taken away.
    pub effects: Vec<EffectSpec>,
}

impl Thing {
    /// Whether a name without wildcards begins with these words.
    fn begins(&self, words: &[String]) -> bool {
        let mut name = self.called.split(' ');
        let same = |part: &str, word: &String| !part.contains('*') && part.split('|').any(|one| one == word);
        words.iter().all(|word| name.next().is_some_and(|part| same(part, word)))
    }

    fn is_called(&self, thing: &str, exactly: bool) -> bool {
        let (front, last) = self.called.rsplit_once(' ').map_or(("", self.called.as_str()), |(f, l)| (f, l));
        last.split('|').any(|last| {
            let called = if front.is_empty() { last.to_owned() } else { format!("{front} {last}") };
            if exactly { called == thing } else { compares(&called, thing) }
        })
    }
}

/// What the verb of a subcommand that is not listed says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// It only reads.
    Reads,
    /// It makes something new.
    Create,
    /// It hands out access.
    Grant,
}

/// What a verb says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deed {
    /// No more than that of which the match itself keeps a note.
    Noted(Verb),
    /// It changes something.
    Update,
    /// It takes something away.
    Delete,
}

/// What the words say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Said {
    /// What is done.
    pub(super) deed: Deed,
    /// How many words that took.
    pub(super) words: usize,
    /// What it is done to: the words without the verb.
    pub(super) thing: String,
}

impl Verbs {
    /// What the words, the unlisted subcommand first, say; `above` are the names of the listed ones in front of it. The first
    /// that fits a list decides. Options end the search: what stands behind them may be their value.
    pub(super) fn said(&self, above: &[String], words: &[Value]) -> Option<Said> {
        let lists = [
            (Some(Deed::Noted(Verb::Grant)), &self.grant),
            (None, &self.other),
            (Some(Deed::Update), &self.update),
            (Some(Deed::Delete), &self.delete),
            (Some(Deed::Noted(Verb::Create)), &self.create),
            (Some(Deed::Noted(Verb::Reads)), &self.reads),
        ];
        let mut read = above.iter().map(String::as_str).collect::<Vec<_>>();
        for (number, word) in words.iter().take(self.within.unwrap_or(1)).enumerate() {
            read.push(word.as_known().filter(|text| !text.starts_with('-'))?);
            let found = lists.iter().rev().filter_map(|(deed, list)| {
                let fitting = list.iter().filter(|pattern| ends(pattern, &read));
                fitting.max_by_key(|pattern| pattern.split(' ').count()).map(|pattern| (deed, pattern))
            });
            // A phrase is an exception from what its last word says; of two the stricter list counts.
            if let Some((deed, pattern)) = found.max_by_key(|(_, pattern)| pattern.split(' ').count()) {
                return deed.map(|deed| Said { deed, words: number + 1, thing: thing(pattern, &read) });
            }
        }
        None
    }

    /// Whether a thing's name begins with these words: then they are no verb (`run services delete`).
    pub(super) fn is_of_a_thing(&self, words: &[String]) -> bool {
        self.things.iter().any(|thing| thing.begins(words))
    }

    /// What is said here, on top of `base`: lists that are given replace the other's.
    pub(super) fn over(mut self, base: Self) -> Self {
        for (own, base) in [
            (&mut self.reads, base.reads),
            (&mut self.grant, base.grant),
            (&mut self.create, base.create),
            (&mut self.update, base.update),
            (&mut self.delete, base.delete),
            (&mut self.other, base.other),
            (&mut self.names, base.names),
            (&mut self.with, base.with),
        ] {
            if own.is_empty() {
                *own = base;
            }
        }
        self.within = self.within.or(base.within);
        self.on = self.on.or(base.on);
        self
    }

    /// Whether what it says can be used.
    pub(super) fn check(&self) -> Result<(), String> {
        let Some(on) = &self.on else {
            let needs = [("update", &self.update), ("delete", &self.delete), ("names", &self.names)];
            if let Some((key, _)) = needs.iter().find(|(_, list)| !list.is_empty()) {
                return Err(format!("`verbs.{key}` needs `verbs.on`, which says what is acted on"));
            }
            if !self.things.is_empty() {
                return Err("`things` needs `verbs.on`, for those that it does not list".to_owned());
            }
            return Ok(());
        };
        let known = |name: &str| matches!(name, "thing" | "name");
        if let Some(wrong) = on.target.names().find(|name| !known(name)) {
            return Err(format!("`verbs.on`: `{{{wrong}}}` is neither `{{thing}}` nor `{{name}}`"));
        }
        for thing in &self.things {
            let mut names = thing.effects.iter().flat_map(|effect| effect.on.target.names());
            if let Some(wrong) = names.find(|name| !known(name) && !name.starts_with('-')) {
                let called = &thing.called;
                return Err(format!(
                    "thing `{called}`: `{{{wrong}}}` is neither `{{thing}}`, `{{name}}` nor an option"
                ));
            }
        }
        Ok(())
    }

    /// The declaration of a subcommand that is not listed, made of its verb. `behind` are the words behind it, `above` the
    /// options that the commands above declare.
    pub(super) fn command(
        &self,
        said: &Said,
        behind: &[Value],
        style: Style,
        above: &[&OptionSpec],
    ) -> Option<CommandSpec> {
        let on = self.on.as_ref()?;
        let action = match said.deed {
            Deed::Noted(Verb::Create) => Action::Create,
            Deed::Update => Action::Update,
            Deed::Delete => Action::Delete,
            Deed::Noted(Verb::Reads | Verb::Grant) => return None,
        };
        let mut spec = CommandSpec { style, unlisted_options: Unlisted::Reads, ..CommandSpec::default() };
        spec.operands =
            vec![OperandSpec { name: "name".to_owned(), role: "name".to_owned(), count: Count::Any }];
        spec.options = above.iter().filter(|option| option.informational).map(|o| (*o).clone()).collect();
        let given = self.given(behind);
        for option in &given {
            declare(&mut spec.options, above, option, true);
        }
        let named = match chosen(&said.thing, &given) {
            Some(chosen) => Named::By(chosen),
            // Words behind options that name nothing are values.
            None if self.names.is_empty() || !behind.iter().any(|word| word.prefix().starts_with('-')) => {
                Named::Operand
            }
            None => Named::Nowhere,
        };
        let mut unless = Vec::new();
        let thing = self.thing(&said.thing).filter(|_| action == Action::Delete);
        for effect in thing.into_iter().flat_map(|thing| &thing.effects) {
            let mut effect = effect.clone();
            for name in effect.on.target.names().filter(|name| name.starts_with('-')) {
                unless.extend(Condition::try_from(name.to_owned()));
            }
            declare_all(&mut spec.options, above, &effect);
            effect.on.target = filled(&effect.on.target, &said.thing, &named);
            effect.with.extend(self.with.iter().cloned());
            spec.effects.push(effect);
        }
        spec.thing = thing.map(|thing| thing.called.clone());
        if spec.effects.is_empty() || !unless.is_empty() {
            let target = filled(&on.target, &said.thing, &named);
            let on = On { kind: on.kind.clone(), target };
            spec.effects.push(EffectSpec { action, on, r#if: Vec::new(), unless, with: Vec::new() });
        }
        Some(spec)
    }

    /// What is said of things that are called so: the line that has just this name, or the first that fits.
    fn thing(&self, called: &str) -> Option<&Thing> {
        let find = |exactly| self.things.iter().find(|thing| thing.is_called(called, exactly));
        let alone = self.things.iter().find(|thing| thing.called == called);
        alone.or_else(|| find(true)).or_else(|| find(false))
    }

    /// Options that name something, as they are spelled in the words.
    fn given(&self, words: &[Value]) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        for word in words {
            let text = word.prefix();
            let name = text.split('=').next().unwrap_or_default();
            let names = name.starts_with('-') && self.names.iter().any(|pattern| compares(pattern, name));
            if names && !found.iter().any(|one| one == name) {
                found.push(name.to_owned());
            }
        }
        found
    }
}

/// Where it stands which one it is.
enum Named {
    /// An option.
    By(Chosen),
    /// Operands.
    Operand,
    /// Nowhere.
    Nowhere,
}

/// Which option says which one it is.
struct Chosen {
    option: String,
    /// It names what the thing belongs to: `delete-item --table-name t`.
    of: bool,
}

/// Options that name whatever the command is about.
const PLAIN: [&str; 9] = ["name", "names", "id", "ids", "identifier", "arn", "url", "n", "resource"];

/// The option that is called like the thing, or one of no name of its own; else the first.
fn chosen(thing: &str, given: &[String]) -> Option<Chosen> {
    let single = |word: &str| word.trim_end_matches('s').to_owned();
    let noun = thing.rsplit([' ', '-']).next().map(single).unwrap_or_default();
    let like = |option: &&String| option.split('-').rev().take(2).any(|piece| single(piece) == noun);
    let plain = |option: &&String| PLAIN.contains(&option.trim_start_matches('-'));
    let own = given.iter().find(like).or_else(|| given.iter().find(plain));
    own.or(given.first()).map(|option| Chosen { option: option.clone(), of: own.is_none() })
}

/// The template with the thing's words and the name's place put in.
fn filled(template: &Template, thing: &str, named: &Named) -> Template {
    let mut pieces = Vec::new();
    let mut text = String::new();
    for piece in &template.pieces {
        let (name, default, part) = match piece {
            Piece::Text(more) => {
                text.push_str(more);
                continue;
            }
            Piece::Value { name, .. } if name == "thing" => {
                text.push_str(thing);
                continue;
            }
            Piece::Value { name, default, part } => (name, default, *part),
        };
        let (name, default) = match named {
            _ if name != "name" => (name.clone(), default.clone()),
            Named::Nowhere => {
                text.push_str(default.as_deref().unwrap_or_default());
                continue;
            }
            // An effect without a name is one all the same.
            Named::Operand => (name.clone(), Some(default.clone().unwrap_or_default())),
            Named::By(chosen) => {
                text.push_str(if chosen.of { "of " } else { "" });
                (chosen.option.clone(), Some(default.clone().unwrap_or_default()))
            }
        };
        pieces.push(Piece::Text(std::mem::take(&mut text)));
        pieces.push(Piece::Value { name, default, part });
    }
    pieces.push(Piece::Text(text));
    pieces.retain(|piece| !matches!(piece, Piece::Text(text) if text.is_empty()));
    if let Some(Piece::Text(first)) = pieces.first_mut() {
        *first = first.trim_start().to_owned();
    }
    if let Some(Piece::Text(last)) = pieces.last_mut() {
        *last = last.trim_end().to_owned();
    }
    Template { pieces }
}

/// Declares an option, unless it is declared already.
fn declare(options: &mut Vec<OptionSpec>, above: &[&OptionSpec], name: &str, value: bool) {
    if options.iter().chain(above.iter().copied()).any(|option| option.is_on(name)) {
        return;
    }
    let text = if value { format!("{name}=name...") } else { name.to_owned() };
    options.extend(OptionSpec::try_from(text));
}

/// Declares the options that an effect names: with a value where it is put in or compared.
fn declare_all(options: &mut Vec<OptionSpec>, above: &[&OptionSpec], effect: &EffectSpec) {
    let mut names: Vec<(&str, bool)> = effect.on.target.names().map(|name| (name, true)).collect();
    let conditions = effect.r#if.iter().chain(&effect.unless).flat_map(|condition| &condition.any);
    names.extend(conditions.map(|atom| (atom.key.as_str(), atom.value.is_some())));
    let facts = effect.with.iter().filter_map(|with| with.split_once("={"));
    names.extend(facts.map(|(_, name)| (name.trim_end_matches('}'), true)));
    for (name, value) in names.into_iter().filter(|(name, _)| name.starts_with('-')) {
        declare(options, above, name, value);
    }
}

/// Whether the words end with the pattern's.
fn ends(pattern: &str, words: &[&str]) -> bool {
    let mut words = words.iter().rev();
    pattern.rsplit(' ').all(|part| words.next().is_some_and(|word| compares(part, word)))
}

/// The words without the verb: of `iam delete-user` it is `iam user`, of `sql instances delete` it is `sql instances`.
fn thing(pattern: &str, words: &[&str]) -> String {
    let Some((verb, above)) = words.split_last() else { return String::new() };
    let last = pattern.rsplit(' ').next().unwrap_or_default();
    let rest = match last.split_once('*') {
        Some((front, back)) => verb.get(front.len()..verb.len().saturating_sub(back.len())),
        // A word of its own: `put-parameter`, `pg:reset`.
        None => verb.split_once('-').map(|(_, noun)| noun).or(verb.rsplit_once(':').map(|(noun, _)| noun)),
    };
    let rest = rest.unwrap_or_default();
    let noun = rest.trim_matches(['-', ':', '_']);
    let noun = above.iter().copied().chain((!noun.is_empty()).then_some(noun));
    noun.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(words: &[&str]) -> Vec<String> {
        words.iter().map(|&word| word.to_owned()).collect()
    }

    fn said(verbs: &Verbs, text: &str) -> Option<Verb> {
        let words = text.split(' ').map(Value::known).collect::<Vec<_>>();
        match verbs.said(&["keys".to_owned()], &words)?.deed {
            Deed::Noted(verb) => Some(verb),
            Deed::Update | Deed::Delete => None,
        }
    }

    #[test]
    fn the_first_verb_decides() {
        let verbs = Verbs {
            reads: list(&["list", "describe*"]),
            grant: list(&["keys create", "put-*-policy"]),
            create: list(&["create"]),
            other: list(&["delete*", "put-*"]),
            within: Some(3),
            ..Verbs::default()
        };
        assert_eq!(said(&verbs, "compute instances list"), Some(Verb::Reads));
        assert_eq!(said(&verbs, "ec2 describe-instances"), Some(Verb::Reads));
        assert_eq!(said(&verbs, "instances delete list"), None);
        assert_eq!(said(&verbs, "instances --zone list"), None);
        assert_eq!(said(&verbs, "a b c list"), None);
        assert_eq!(said(&verbs, "a lister"), None);
        assert_eq!(said(&verbs, "disks create list"), Some(Verb::Create));
        assert_eq!(said(&verbs, "accounts keys create"), Some(Verb::Grant));
        assert_eq!(said(&verbs, "create"), Some(Verb::Grant), "behind a listed `keys`");
        assert_eq!(said(&verbs, "put-role-policy"), Some(Verb::Grant));
        assert_eq!(said(&verbs, "put-rule"), None);
        let verbs =
            Verbs { create: list(&["disks resize"]), other: list(&["resize"]), within: Some(3), ..verbs };
        assert_eq!(said(&verbs, "compute disks resize"), Some(Verb::Create), "the longer phrase");
        assert_eq!(said(&verbs, "compute pools resize"), None);
    }

    #[test]
    fn a_thing_is_what_the_words_call_it() {
        for (pattern, words, called) in [
            ("delete-*", "iam delete-user", "iam user"),
            ("delete", "sql instances delete", "sql instances"),
            ("*:destroy", "apps:destroy", "apps"),
            ("kv delete", "kv delete", "kv"),
            ("put-item", "dynamodb put-item", "dynamodb item"),
            ("destroy", "destroy", ""),
        ] {
            assert_eq!(thing(pattern, &words.split(' ').collect::<Vec<_>>()), called);
        }
    }

    #[test]
    fn the_option_that_is_called_like_the_thing_names_it() {
        for (thing, given, option, of) in [
            ("rds db-instance", "--cluster-id --db-instance-identifier", "--db-instance-identifier", false),
            ("ec2 instances", "--instance-ids", "--instance-ids", false),
            ("ecs service", "--cluster --service", "--service", false),
            ("dynamodb item", "--table-name", "--table-name", true),
            ("storage container", "--account-name --name", "--name", false),
        ] {
            let given = given.split(' ').map(str::to_owned).collect::<Vec<_>>();
            let chosen = chosen(thing, &given).unwrap();
            assert_eq!((chosen.option.as_str(), chosen.of), (option, of));
        }
    }
}
