//! Changes of a plan as mutations.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use serde_json::Value;
use serde_json::value::RawValue;

use super::attributes::{Attribute, changed, lookup};
use super::classify;
use super::commands::{self, LocalCommand, LocalFile, Provisioned};
use super::grants;
use super::plan::{Plan, ResourceChange};
use super::protections;
use super::references::References;
use super::select::{first_key, select};
use super::state::Others;
use crate::knowledge::{Knowledge, TerraformType};
use crate::model::{
    Action, Cause, Context, Fact, FactValue, Facts, Mutation, RuleRef, Source, Subject, Target, Value as Text,
};

/// A plan, turned into what the later stages understand.
#[derive(Debug, Default)]
pub struct Analysis {
    /// Intended changes, in the plan's order.
    pub mutations: Vec<Mutation>,
    /// Commands that an apply runs on this machine.
    pub commands: Vec<LocalCommand>,
    /// Files that an apply writes on this machine and that may be there already.
    pub files: Vec<LocalFile>,
    /// Resources in the plan, those without a change included.
    pub resources: usize,
}

/// Turns a plan into mutations.
///
/// `state`: the resources of a separately supplied state document, where a caller has one; the plan's own prior state
/// is used otherwise.
pub fn analyse(plan: &Plan, state: Option<&Value>, knowledge: &Knowledge) -> Analysis {
    let mut analysis = Analysis::default();
    let mut references = References::of(plan.configuration.as_ref());
    let provisioned = Provisioned::of(plan.configuration.as_ref());
    let changes = plan.resource_changes.as_deref().unwrap_or_default();
    let types = types(changes, knowledge);
    let going = changes
        .iter()
        .filter(|change| {
            matches!(Verb::of(&change.change.actions), Verb::Do(Action::Delete | Action::Replace))
        })
        .map(|change| change.address.as_str())
        .collect();
    let declared = types.values().flatten().filter_map(|known| known.declared.as_deref());
    let others = Others::of(plan, state, &going, declared.flat_map(|declared| &declared.related));
    analysis.resources = changes.len();
    if others.unreadable {
        analysis.mutations.push(unclear("prior_state", "a resource of the prior state could not be read"));
    }
    if plan.errored {
        analysis.mutations.push(unclear("plan", "the plan is incomplete: planning ended with an error"));
    }
    for change in changes {
        if change.mode == "data" {
            data(change, &types, &mut analysis);
            continue;
        }
        let verb = Verb::of(&change.change.actions);
        if matches!(verb, Verb::Nothing) {
            continue;
        }
        // What users' files say of a type that is known already counts in addition.
        let said = types.get(change.r#type.as_str()).map_or(&[][..], Vec::as_slice);
        for known in said {
            let made = mutation(change, verb, &mut references, &others, known);
            let taken = known.declared.iter().flat_map(|declared| protections::taken(&made, declared));
            let taken: Vec<Mutation> = taken.collect();
            analysis.mutations.push(made);
            analysis.mutations.extend(taken);
        }
        let Some(known) = said.first() else { continue };
        // What is only left out of the state may still be made anew.
        let creates = change.change.actions.iter().any(|action| action == "create");
        if matches!(verb, Verb::Forget) && creates {
            let anew = Verb::Do(Action::Create);
            analysis.mutations.push(mutation(change, anew, &mut references, &others, known));
        }
        if creates || matches!(verb, Verb::Do(Action::Delete)) {
            provisioned.judge(change, &mut analysis);
        }
        if creates || matches!(verb, Verb::Do(Action::Update)) {
            analysis.files.extend(commands::file(change));
        }
    }
    protections::together(&mut analysis.mutations);
    for deferred in &plan.deferred_changes {
        let what = &deferred.resource_change.address;
        let reason = format!(
            "the change of {what} is deferred ({}): what it will be is not in this plan",
            deferred.reason
        );
        analysis.mutations.push(unclear(what, &reason));
    }
    for action in &plan.action_invocations {
        let kind = action.r#type.as_deref().unwrap_or("an action");
        analysis
            .mutations
            .push(unclear(&action.address, &format!("the apply invokes {kind} ({})", action.address)));
    }
    analysis
}

/// Data that is read during the apply: it may run something.
fn data(change: &ResourceChange, types: &HashMap<&str, Vec<Known>>, analysis: &mut Analysis) {
    analysis.commands.extend(commands::external(change));
    let first = types.get(change.r#type.as_str()).and_then(|said| said.first());
    let declared = first.is_some_and(|known| known.declared.is_some());
    let reads = change.change.actions.iter().any(|action| action == "read");
    if reads && change.r#type != "external" && !declared && classify::guess(&change.r#type).class == "runs" {
        let reason = format!("the apply reads {}, which may run something", printable(&change.address));
        analysis.mutations.push(unclear(&change.address, &reason));
    }
}

#[derive(Clone, Copy)]
enum Verb {
    Nothing,
    Do(Action),
    Forget,
    Unknown,
}

impl Verb {
    fn of(actions: &[String]) -> Self {
        let words: Vec<&str> = actions.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["no-op" | "read"] => Self::Nothing,
            ["create"] => Self::Do(Action::Create),
            ["update"] => Self::Do(Action::Update),
            ["delete"] => Self::Do(Action::Delete),
            ["delete", "create"] | ["create", "delete"] => Self::Do(Action::Replace),
            ["forget"] | ["create", "forget"] | ["forget", "create"] => Self::Forget,
            _ => Self::Unknown,
        }
    }
}

/// A type that occurs in the plan, looked up once.
struct Known {
    declared: Option<Arc<TerraformType>>,
    /// Attributes that somebody asks for.
    wanted: Vec<String>,
}

/// What is known of each type in a plan, and what users say of it besides.
fn types<'p>(changes: &'p [ResourceChange], knowledge: &Knowledge) -> HashMap<&'p str, Vec<Known>> {
    let mut found = HashMap::new();
    for change in changes {
        let name = change.r#type.as_str();
        found.entry(name).or_insert_with(|| {
            let more = knowledge.raised_terraform(name).into_iter().map(Some);
            std::iter::once(knowledge.terraform(name)).chain(more).map(Known::of).collect()
        });
    }
    found
}

impl Known {
    fn of(declared: Option<Arc<TerraformType>>) -> Self {
        let mut wanted: BTreeSet<&str> =
            BTreeSet::from(["name", "id", "region"]).into_iter().chain(PROTECTIONS).collect();
        if let Some(declared) = &declared {
            let paths =
                declared.facts.values().chain(&declared.id).chain(&declared.source).chain(&declared.grants);
            wanted.extend(paths.map(|path| first_key(path)));
        }
        let wanted = wanted.into_iter().map(str::to_owned).collect();
        Self { declared, wanted }
    }
}

/// What of a change's attributes somebody asks for.
struct Attributes {
    before: Value,
    before_sensitive: Value,
    after: Value,
    after_sensitive: Value,
    after_unknown: Value,
}

impl Attributes {
    fn of(change: &ResourceChange, wanted: &[String]) -> Result<Self, serde_json::Error> {
        let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
        let part = |raw: &RawValue| select(raw, &wanted);
        let body = &change.change;
        Ok(Self {
            before: part(&body.before)?,
            before_sensitive: part(&body.before_sensitive)?,
            after: part(&body.after)?,
            after_sensitive: part(&body.after_sensitive)?,
            after_unknown: part(&body.after_unknown)?,
        })
    }

    fn before(&self) -> Side<'_> {
        (&self.before, &self.before_sensitive, &Value::Null)
    }

    fn after(&self) -> Side<'_> {
        (&self.after, &self.after_sensitive, &self.after_unknown)
    }
}

fn mutation(
    change: &ResourceChange,
    verb: Verb,
    references: &mut References,
    others: &Others<'_>,
    known: &Known,
) -> Mutation {
    let unreadable = || {
        unclear(
            &change.address,
            &format!("the attributes of {} could not be read", printable(&change.address)),
        )
    };
    let Ok(attributes) = Attributes::of(change, &known.wanted) else { return unreadable() };
    let known = known.declared.as_deref();
    let mut action = match verb {
        Verb::Do(action) => action,
        Verb::Forget | Verb::Nothing => Action::Update,
        Verb::Unknown => Action::Execute,
    };
    let mut facts = Facts::new();
    let kind = match (&verb, &known) {
        (Verb::Forget, _) => "terraform.forgotten".to_owned(),
        (_, Some(declared)) => {
            collect(declared, &attributes, action, others, &mut facts);
            definition(change, action, &mut facts);
            if action == Action::Update && names_changes(change, &mut facts).is_err() {
                return unreadable();
            }
            if !declared.grants.is_empty() && action != Action::Delete {
                grants::tell(declared, &attributes.after, &mut facts);
                action = Action::Grant;
            }
            kind_of(declared, action)
        }
        (_, None) => {
            let guess = classify::guess(&change.r#type);
            let said = format!("the type's name suggests: {}", guess.class);
            facts.insert("class".into(), Fact::new(FactValue::Text(guess.class.into()), said));
            facts.insert(
                "classifier.confidence".into(),
                Fact::new(FactValue::Number(guess.confidence), "no rule knows this type; judged by its name"),
            );
            protection(&attributes, action, &mut facts);
            "terraform.unknown".to_owned()
        }
    };
    if let Some(deposed) = &change.deposed {
        let said = format!("an old object ({deposed}) left over from an earlier replacement");
        facts.insert("deposed".into(), Fact::new(FactValue::Bool(true), said));
    }
    let words = change.change.actions.join(", ");
    let cause = match verb {
        Verb::Unknown => Cause::Gap(format!("the plan's action `{}` is not known", printable(&words))),
        _ => Cause::Rule,
    };
    let dependents = match action {
        Action::Delete | Action::Replace => references.dependents(&change.address),
        _ => Vec::new(),
    };
    Mutation {
        action,
        kind,
        subject: Subject::Named(Text::known(&change.address)),
        target: target(change, known, &attributes),
        source: Source::Terraform,
        raw: format!("{}: {}", change.address, printable(&words)),
        span: None,
        rule: RuleRef { tool: "terraform".into(), rule: change.r#type.clone() },
        cause,
        context: Context::default(),
        facts,
        dependents,
    }
}

/// The kind that a change of a type concerns.
fn kind_of(declared: &TerraformType, action: Action) -> String {
    match (action, &declared.removed) {
        (Action::Grant, _) => "access".to_owned(),
        (Action::Delete | Action::Replace, Some(removed)) => removed.clone(),
        _ => declared.kind.clone(),
    }
}

/// Which attributes an update changes.
fn names_changes(change: &ResourceChange, facts: &mut Facts) -> Result<(), serde_json::Error> {
    let body = &change.change;
    for name in changed(&body.before, &body.after, &body.after_unknown)? {
        let said = format!("{name} changes");
        let fact = || Fact::new(FactValue::Bool(true), said);
        facts.entry(format!("changed.{name}")).or_insert_with(fact);
    }
    Ok(())
}

/// What goes can be made again as it was: the plan tells its attributes.
fn definition(change: &ResourceChange, action: Action, facts: &mut Facts) {
    let told = change.change.before.get();
    if matches!(action, Action::Delete | Action::Replace) && told.starts_with('{') && told != "{}" {
        let said = "the plan holds its definition".to_owned();
        facts.insert("definition".into(), Fact::new(FactValue::Bool(true), said));
    }
}

/// What the type's data names among the attributes.
fn collect(
    declared: &TerraformType,
    attributes: &Attributes,
    action: Action,
    others: &Others<'_>,
    facts: &mut Facts,
) {
    let (before, after) = (attributes.before(), attributes.after());
    let now = if matches!(action, Action::Create | Action::Update) { after } else { before };
    for (name, path) in &declared.facts {
        if let Some(value) = fact(now, path) {
            if action == Action::Update {
                let was = fact(before, path);
                if was.as_ref() != Some(&value) {
                    let said = format!("{name} changes");
                    facts.insert(format!("changed.{name}"), Fact::new(FactValue::Bool(true), said));
                }
                if let Some(was) = was {
                    lowered(name, &was, &value, facts);
                    let said = format!("{name} was {}", show(&was));
                    facts.insert(format!("was.{name}"), Fact::new(was, said));
                }
            }
            let said = format!("{name} is {}", show(&value));
            facts.insert(name.clone(), Fact::new(value, said));
        } else if action == Action::Update
            && let Some(was) = fact(before, path)
        {
            let said = format!("{name} was {}", show(&was));
            facts.insert(format!("was.{name}"), Fact::new(was, said));
        }
    }
    let names: Vec<String> =
        declared.id.iter().filter_map(|path| text(before, path).or_else(|| text(after, path))).collect();
    if let Some(first) = names.first() {
        facts.insert(
            "identifier".into(),
            Fact::new(FactValue::Text(first.clone()), format!("it is called {first}")),
        );
    }
    if let Some(relation) = &declared.relation
        && let Some(source) =
            declared.source.iter().find_map(|path| text(before, path).or_else(|| text(after, path)))
    {
        let said = format!("it is a {relation} of {source}");
        facts.insert("relation".into(), Fact::new(FactValue::Text(relation.clone()), said.clone()));
        facts.insert("source_id".into(), Fact::new(FactValue::Text(source), said));
    }
    for related in &declared.related {
        if let Some((value, said)) = others.related(related, &names) {
            facts.insert(related.fact.clone(), Fact::new(value, said));
        }
    }
}

/// A number that goes down; of a time without end, 0, any number.
fn lowered(name: &str, was: &FactValue, now: &FactValue, facts: &mut Facts) {
    if let (FactValue::Number(was), FactValue::Number(now)) = (was, now)
        && (now < was || (*was == 0 && *now > 0))
    {
        let key = if now < was { "lowered" } else { "limited" };
        let said = format!("{name} goes from {was} to {now}");
        facts.insert(format!("{key}.{name}"), Fact::new(FactValue::Bool(true), said));
    }
}

type Side<'a> = (&'a Value, &'a Value, &'a Value);

fn fact((values, sensitive, unknown): Side<'_>, declared: &str) -> Option<FactValue> {
    let (path, default) = declared.split_once('|').map_or((declared, None), |(p, d)| (p, Some(d)));
    match lookup(values, sensitive, unknown, path) {
        Attribute::Known(value) => Some(value),
        // Without any attributes nothing is known, not even that the default holds.
        Attribute::Absent if values.is_object() => default.map(parse_default),
        Attribute::Absent | Attribute::Hidden => None,
    }
}

fn parse_default(text: &str) -> FactValue {
    match text {
        "true" => FactValue::Bool(true),
        "false" => FactValue::Bool(false),
        _ => text.parse().map_or_else(|_| FactValue::Text(text.to_owned()), FactValue::Number),
    }
}

fn text(side: Side<'_>, path: &str) -> Option<String> {
    match fact(side, path)? {
        FactValue::Text(text) if !text.is_empty() => Some(text),
        _ => None,
    }
}

pub(super) fn show(value: &FactValue) -> String {
    match value {
        FactValue::Bool(yes) => yes.to_string(),
        FactValue::Number(number) => number.to_string(),
        FactValue::Text(text) => printable(text),
    }
}

const PROTECTIONS: [&str; 2] = ["deletion_protection", "deletion_protection_enabled"];

/// Provider-neutral signs of protection on a type that no data file knows.
fn protection(attributes: &Attributes, action: Action, facts: &mut Facts) {
    let mut tell = |key: &str, side: Side<'_>, word: &str| {
        for name in PROTECTIONS {
            if let Some(FactValue::Bool(yes)) = fact(side, name) {
                facts.insert(key.to_owned(), Fact::new(FactValue::Bool(yes), format!("{name} {word} {yes}")));
            }
        }
    };
    if action == Action::Update {
        tell("was.deletion_protection", attributes.before(), "was");
        tell("deletion_protection", attributes.after(), "is");
    } else {
        tell("deletion_protection", attributes.before(), "is");
    }
}

fn target(change: &ResourceChange, known: Option<&TerraformType>, attributes: &Attributes) -> Target {
    let (before, after) = (attributes.before(), attributes.after());
    let plain = ["name".to_owned(), "id".to_owned()];
    let paths = known.map_or(&plain[..], |declared| &declared.id[..]);
    let of = |path: &str| text(before, path).or_else(|| text(after, path));
    Target {
        provider: change.provider_name.clone(),
        service: known.map(|declared| {
            declared.kind.rsplit_once('.').map_or(declared.kind.clone(), |(s, _)| s.to_owned())
        }),
        r#type: change.r#type.clone(),
        id: change.address.clone(),
        // An opaque id says less to a person than the address does.
        name: paths.iter().filter(|path| *path != "id").find_map(|path| of(path)),
        environment: None,
        region: of("region"),
        account: None,
    }
}

/// A command that an apply runs and whose text the plan does not hold.
pub fn unread_command(address: &str) -> Mutation {
    unclear(address, &format!("the apply runs a command for {address} whose text is not in the plan"))
}

/// A file that an apply writes and whose name the plan does not hold.
pub fn unread_file(address: &str) -> Mutation {
    unclear(address, &format!("the apply writes a file for {address} whose name is not in the plan"))
}

pub(super) fn unclear(id: &str, reason: &str) -> Mutation {
    Mutation {
        action: Action::Execute,
        kind: "unknown".into(),
        subject: Subject::Named(Text::known(id)),
        target: Target { r#type: "terraform".into(), id: id.to_owned(), ..Target::default() },
        source: Source::Terraform,
        raw: printable(id),
        span: None,
        rule: RuleRef { tool: "terraform".into(), rule: "plan".into() },
        cause: Cause::Gap(reason.to_owned()),
        context: Context::default(),
        facts: Facts::new(),
        dependents: Vec::new(),
    }
}

/// Text of the plan that goes into sentences: one line, no control characters, bounded.
pub(super) fn printable(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(200).collect()
}
