//! Changes of a plan as mutations.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use serde_json::Value;

use super::attributes::{Side, changed};
use super::beside;
use super::classify;
use super::commands::{self, LocalCommand, LocalFile, Provisioned};
use super::facts::{Attributes, collect, fact, text};
use super::grants;
use super::plan::{Plan, ResourceChange};
use super::protections;
use super::provider::Providers;
use super::references::References;
use super::replaced;
use super::said::{printable, unclear};
use super::select::first_key;
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
    let references = References::of(plan.configuration.as_ref());
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
    let providers = Providers::of(plan.configuration.as_ref());
    let mut of_all = OfAll { references, others, providers };
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
            analysis.mutations.extend(mutations(change, verb, &mut of_all, known));
        }
        let Some(known) = said.first() else { continue };
        // What is only left out of the state may still be made anew.
        let creates = change.change.actions.iter().any(|action| action == "create");
        if matches!(verb, Verb::Forget) && creates {
            let anew = Verb::Do(Action::Create);
            analysis.mutations.extend(mutations(change, anew, &mut of_all, known));
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
            let lists =
                [&declared.id, &declared.source, &declared.grants, &declared.opens, &declared.forgets];
            let paths =
                declared.facts.values().chain(declared.parts.keys()).chain(lists.into_iter().flatten());
            wanted.extend(paths.map(|path| first_key(path)));
            let unless = declared.opens.iter().filter_map(|entry| TerraformType::opening(entry).unless);
            wanted.extend(unless.map(|(other, _)| other));
            if !declared.grants.is_empty() || !declared.opens.is_empty() {
                wanted.extend(grants::CLOSING);
            }
        }
        let wanted = wanted.into_iter().map(str::to_owned).collect();
        Self { declared, wanted }
    }
}

/// What is known of the plan as a whole.
struct OfAll<'p> {
    references: References,
    others: Others<'p>,
    providers: Providers,
}

/// The change, and what it does besides: protections that it takes away, parts that go, what it opens.
fn mutations(change: &ResourceChange, verb: Verb, all: &mut OfAll<'_>, known: &Known) -> Vec<Mutation> {
    let unreadable = || {
        let reason = format!("the attributes of {} could not be read", printable(&change.address));
        vec![unclear(&change.address, &reason)]
    };
    let Ok(attributes) = Attributes::of(change, &known.wanted) else { return unreadable() };
    let known = known.declared.as_deref();
    let mut action = match verb {
        Verb::Do(action) => action,
        Verb::Forget | Verb::Nothing => Action::Update,
        Verb::Unknown => Action::Execute,
    };
    let mut facts = Facts::new();
    let mut found = Vec::new();
    let kind = match (&verb, &known) {
        (Verb::Forget, _) => "terraform.forgotten".to_owned(),
        (_, Some(declared)) => {
            let settings = all.providers.settings(change);
            collect(declared, &attributes, &settings, action, &all.others, &mut facts);
            definition(change, action, &mut facts);
            if action == Action::Update {
                let said = "a plan changes it in place";
                facts.insert("planned".into(), Fact::new(FactValue::Bool(true), said));
                if names_changes(change, &mut facts).is_err() {
                    return unreadable();
                }
            }
            found = beside::of(declared, &attributes, action, &facts);
            if !declared.grants.is_empty() && action != Action::Delete {
                grants::tell(&declared.grants, &attributes.after, &mut facts);
                action = Action::Grant;
            }
            kind_of(declared, action, &attributes)
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
    replaced::tell(change, &mut facts);
    let words = change.change.actions.join(", ");
    let cause = match verb {
        Verb::Unknown => Cause::Gap(format!("the plan's action `{}` is not known", printable(&words))),
        _ => Cause::Rule,
    };
    let dependents = match action {
        Action::Delete | Action::Replace => all.references.dependents(&change.address),
        _ => Vec::new(),
    };
    let made = Mutation {
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
    };
    let more = found.into_iter().map(|beside| beside.mutation(&made)).collect::<Vec<_>>();
    std::iter::once(made).chain(more).collect()
}

/// The kind that a change of a type concerns.
fn kind_of(declared: &TerraformType, action: Action, attributes: &Attributes) -> String {
    let other = match action {
        Action::Grant => return "access".to_owned(),
        Action::Delete if declared.forgets.iter().any(|when| holds(when, attributes.before())) => {
            return "terraform.forgotten".to_owned();
        }
        Action::Delete | Action::Replace => &declared.removed,
        Action::Create => &declared.made,
        _ => &None,
    };
    other.as_ref().unwrap_or(&declared.kind).clone()
}

/// `attribute`: it is true; `attribute = A | B`: it is one of these.
fn holds(when: &str, side: Side<'_>) -> bool {
    let (path, values) = TerraformType::protecting(when);
    match (fact(side, path), values) {
        (Some(FactValue::Bool(yes)), None) => yes,
        (Some(FactValue::Text(text)), Some(mut values)) => {
            values.any(|value| value.eq_ignore_ascii_case(&text))
        }
        _ => false,
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
