//! Grants of access: what a subcommand that is not listed hands out by its verb, and whom a grant reaches and how much it
//! gives, as the words of the command say. Which words say so is data (`grants` in `tool_words.toml`).

use serde_json::Value as Json;

use super::draft::Draft;
use super::scene::{Scene, fact, flag};
use crate::knowledge::{Given, Grants, Match, Verb, is_ordinary, places, tool_words};
use crate::model::{Action, FactValue, Mutation, RuleRef, Subject, Value};
use crate::shell::{Arg, Invocation};

/// How deep a policy's text is looked into.
const DEPTH: usize = 32;

/// How kinds of things begin that other people can reach.
const HOSTED: [&str; 4] = ["cloud.", "aws.", "gcp.", "az."];

/// A subcommand that is not listed, whose verb says that it makes something or hands out access.
pub(super) fn unlisted(scene: &mut Scene<'_>, invocation: &Invocation, matched: &Match) -> Option<Draft> {
    let (verb, from) = matched.unlisted_verb?;
    let words = invocation.args.iter().skip(1 + from).map(|arg| arg.value.display());
    let name = words.take_while(|word| !word.starts_with('-')).collect::<Vec<_>>();
    let above = matched.path.get(1..).unwrap_or_default().iter().cloned();
    let name = Value::known(above.chain(name).collect::<Vec<_>>().join(" "));
    scene.rule = RuleRef { tool: scene.tool.clone(), rule: String::new() };
    let (action, kind) = match verb {
        Verb::Grant => (Action::Grant, "access"),
        Verb::Create => (Action::Create, "cloud.resource"),
        Verb::Reads => return None,
    };
    Some(Draft::of(scene.on_other(action, kind, std::slice::from_ref(&name), &name)))
}

/// A file is written that says who may do what.
pub(super) fn by_file(scene: &Scene<'_>, mutation: &Mutation) -> Option<Mutation> {
    let Subject::Path(subject) = &mutation.subject else { return None };
    let writes = matches!(mutation.action, Action::Create | Action::Update | Action::Replace);
    if !writes || mutation.kind != "file" {
        return None;
    }
    let path = subject.path.choices()?.iter().find(|path| places().grants(path).is_some())?;
    let name = Value::known(subject.shown.clone());
    let mut grant = scene.on_other(Action::Grant, "access", std::slice::from_ref(&name), &name);
    if places().grants(path) == Some(true) {
        let what = "it says who may become root".to_owned();
        fact(&mut grant, "full", FactValue::Text(what), "rights on this machine are kept there");
    }
    Some(grant)
}

/// Tells of every grant whom it reaches and how much it gives. What is made or changed open to everybody is a grant too.
pub(super) fn told(scene: &Scene<'_>, invocation: &Invocation, drafts: &mut Vec<Draft>) {
    let hosted = |mutation: &&Mutation| {
        matches!(mutation.action, Action::Create | Action::Update)
            && HOSTED.iter().any(|kind| mutation.kind.starts_with(kind))
    };
    let made = drafts.iter().filter_map(|draft| draft.mutation.as_ref()).find(hosted);
    if let Some(name) = made.map(|mutation| Value::known(mutation.target.id.clone()))
        && let said = said(scene, invocation)
        && said.everybody.is_some()
        && !said.closed
    {
        drafts.push(Draft::of(scene.on_other(Action::Grant, "access", std::slice::from_ref(&name), &name)));
    }
    denied(invocation, drafts);
    let grants = |mutation: &&mut Mutation| mutation.action == Action::Grant && mutation.kind == "access";
    let mut grants = drafts.iter_mut().filter_map(|draft| draft.mutation.as_mut()).filter(grants).peekable();
    if grants.peek().is_none() {
        return;
    }
    let said = said(scene, invocation);
    let is_open = said.everybody.is_some() || said.full.is_some() || said.unseen || said.closed;
    let little = !is_open && is_little(invocation);
    let beginning = |name: &str| given(invocation, name) == Given::Known(vec!["0.0.0.0".to_owned()]);
    let azure = ["--start-ip-address", "--end-ip-address"].into_iter().all(beginning);
    for mutation in grants {
        if azure {
            flag(mutation, "azure", "the command says so");
        }
        if little {
            flag(mutation, "ordinary", "the command says so");
        }
        for (key, word) in [("everybody", &said.everybody), ("full", &said.full)] {
            if let Some(word) = word {
                fact(mutation, key, FactValue::Text(word.clone()), "the command says so");
            }
        }
        if said.closed {
            flag(mutation, "closed", "the command says that nothing is let in");
        }
        if said.unseen {
            flag(mutation, "unseen", "what is granted is not known before the command runs");
        }
    }
}

/// A policy that denies by its name goes, and one of the provider's own comes.
fn denied(invocation: &Invocation, drafts: &mut [Draft]) {
    let lists = &tool_words().grants;
    let Given::Known(names) = given(invocation, "--policy-arn") else { return };
    for mutation in
        drafts.iter_mut().filter_map(|draft| draft.mutation.as_mut()).filter(|m| m.kind == "access")
    {
        for name in &names {
            let lower = name.to_lowercase();
            let last = lower.rsplit(['/', ':']).next().unwrap_or_default();
            if mutation.action == Action::Delete && lists.denials.fit(last) {
                fact(mutation, "denied", FactValue::Text(name.clone()), "the command says so");
            }
            if mutation.action == Action::Grant && lists.denying.fit(&lower) {
                flag(mutation, "closed", "the command says that nothing is let in");
            }
        }
    }
}

/// Whether the command hands out as little as every new service needs. What stands in front of its first option says what it
/// does; the first line that knows it decides.
fn is_little(invocation: &Invocation) -> bool {
    let words = invocation.args.iter().map(|arg| arg.value.as_known());
    let words: Vec<&str> = words.map_while(|word| word.filter(|word| !word.starts_with('-'))).collect();
    let run = words.join(" ");
    let commands = &tool_words().ordinary.command;
    let Some(command) = commands.iter().find(|command| command.run.is(&run)) else { return false };
    let own = || match command.own.iter().next().map(|own| (own, own.parse::<usize>())) {
        Some((_, Ok(at))) => words.get(at).map(|word| (*word).to_owned()).into_iter().collect(),
        Some((option, Err(_))) => match given(invocation, option) {
            Given::Known(values) => values,
            _ => Vec::new(),
        },
        None => Vec::new(),
    };
    command.when.iter().any(|line| is_ordinary(line, |name| given(invocation, name), own))
}

/// The values of an option.
fn given(invocation: &Invocation, name: &str) -> Given {
    let mut found = Vec::new();
    let mut args = invocation.args.iter().skip(1).peekable();
    while let Some(arg) = args.next() {
        let start = arg.value.prefix();
        let of_it = start.strip_prefix(name).filter(|rest| rest.is_empty() || rest.starts_with('='));
        if of_it.is_none() {
            continue;
        }
        let Some(whole) = arg.value.as_known() else { return Given::Unknown };
        if let Some((_, value)) = whole.split_once('=') {
            found.extend(value.split(',').map(str::to_owned));
            continue;
        }
        // Some options take several words; an operand behind one only makes the grant a greater one.
        let is_value = |next: &&Arg| !next.value.prefix().starts_with('-');
        while let Some(next) = args.next_if(is_value) {
            let Some(value) = next.value.as_known() else { return Given::Unknown };
            found.extend(value.split(',').map(str::to_owned));
        }
    }
    if found.is_empty() { Given::Unset } else { Given::Known(found) }
}

/// What the words say of a grant.
#[derive(Default)]
struct Said {
    everybody: Option<String>,
    full: Option<String>,
    unseen: bool,
    closed: bool,
}

/// Reads the options' values. Operands are names of things, which may be called anything.
fn said(scene: &Scene<'_>, invocation: &Invocation) -> Said {
    let lists = &tool_words().grants;
    let mut said = Said::default();
    let mut option = String::new();
    for arg in invocation.args.iter().skip(1) {
        let start = arg.value.prefix();
        if start.starts_with('-') && start.len() > 1 {
            let whole = arg.value.as_known().unwrap_or(&start);
            let (name, value) = match whole.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (whole, None),
            };
            option = name.to_ascii_lowercase();
            said.word(lists, "", &option);
            match (value, arg.value.as_known()) {
                (Some(value), Some(_)) => said.value(scene, lists, &option, value),
                (Some(""), None) => said.open(lists, &option),
                _ => {}
            }
        } else if !option.is_empty() {
            match arg.value.choices() {
                Some(texts) => texts.iter().for_each(|text| said.value(scene, lists, &option, text)),
                None if start.is_empty() => said.open(lists, &option),
                None => said.value(scene, lists, &option, &start),
            }
        }
    }
    said
}

impl Said {
    /// The value of an option that decides what is granted, and nothing is known of it.
    fn open(&mut self, lists: &Grants, option: &str) {
        self.unseen |= lists.deciding.iter().any(|part| option.contains(part));
    }

    /// A value: a document, a file of one, or words with marks between them.
    fn value(&mut self, scene: &Scene<'_>, lists: &Grants, option: &str, text: &str) {
        if lists.names.iter().any(|part| option.contains(part)) {
            return;
        }
        if let Some(path) = text.strip_prefix("file://").or_else(|| text.strip_prefix("fileb://")) {
            let read = scene.only_path(&Value::known(path)).and_then(|path| scene.text(&path));
            match read {
                Some(content) => self.text(lists, option, &content),
                None => self.unseen = true,
            }
            return;
        }
        self.text(lists, option, text);
    }

    fn text(&mut self, lists: &Grants, option: &str, text: &str) {
        match serde_json::from_str::<Json>(text) {
            Ok(document @ (Json::Object(_) | Json::Array(_))) => {
                self.document(lists, option, &document, DEPTH);
            }
            _ => {
                // `Key={A=b}` is a shorthand for a document: every word with the key in front of it.
                self.word(lists, option, text);
                let mut key = option;
                for part in text.split([',', ';', '{', '}', '[', ']', '(', ')', '"', '\'', ' ', '\n', '\t']) {
                    let mut pieces = part.split('=').peekable();
                    while let Some(piece) = pieces.next() {
                        if pieces.peek().is_some() {
                            key = piece;
                        } else if !piece.is_empty() {
                            self.word(lists, key, piece);
                        }
                    }
                }
            }
        }
    }

    /// A policy: statements that deny grant nothing, and what is named in them is not whom they are for.
    fn document(&mut self, lists: &Grants, key: &str, document: &Json, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else {
            self.unseen = true;
            return;
        };
        match document {
            Json::Object(entries) => {
                let denies =
                    entries.get("Effect").and_then(Json::as_str).is_some_and(|effect| effect == "Deny");
                // Whoever it names has to come from somewhere besides.
                let bounded = lists.bounded(entries);
                let counts = |key: &str| !(denies || bounded && key == "Principal");
                // Whoever is not named may.
                if !denies && !bounded && entries.contains_key("NotPrincipal") {
                    self.everybody.get_or_insert_with(|| "NotPrincipal".to_owned());
                }
                for (key, value) in entries.iter().filter(|(key, _)| counts(key)) {
                    self.document(lists, key, value, depth);
                }
            }
            Json::Array(items) => items.iter().for_each(|item| self.document(lists, key, item, depth)),
            Json::String(text) => self.word(lists, key, text),
            _ => {}
        }
    }

    /// One word, and what it is given for.
    fn word(&mut self, lists: &Grants, key: &str, word: &str) {
        let key = key.to_ascii_lowercase();
        let word = word.trim().to_ascii_lowercase().replace(' ', "_");
        if lists.what.iter().any(|part| key.contains(part)) {
            return;
        }
        if word == "*" || word == "any" {
            if lists.whom.iter().any(|part| key.contains(part)) {
                self.everybody.get_or_insert(word);
            } else if word == "*" {
                self.full.get_or_insert(word);
            }
            return;
        }
        let last = word.rsplit(['/', ':']).next().unwrap_or_default();
        let pair = format!("{key}={word}");
        // A bare `false` or `all` says nothing to a reader.
        let said = |list: &crate::knowledge::Words| {
            let found = [word.as_str(), last, pair.as_str()].into_iter().find(|text| list.has(text));
            found.map(str::to_owned)
        };
        self.closed |= said(&lists.closed).is_some();
        self.everybody = self.everybody.take().or_else(|| said(&lists.everybody));
        self.full = self.full.take().or_else(|| said(&lists.full));
    }
}
