//! Changes of a plan as mutations.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::attributes::{Attribute, changed, lookup};
use super::classify;
use super::plan::{Plan, ResourceChange, StateModule, StateResource};
use super::references::{References, without_instances};
use crate::knowledge::{Knowledge, TerraformType};
use crate::model::{
    Action, Cause, Context, Fact, FactValue, Facts, Mutation, RuleRef, Source, Subject, Target,
    Value as Known,
};

/// A plan, turned into what the later stages understand.
#[derive(Debug, Default)]
pub struct Analysis {
    /// Intended changes, in the plan's order.
    pub mutations: Vec<Mutation>,
    /// Commands that an apply runs on this machine.
    pub commands: Vec<ProvisionerCommand>,
    /// Resources in the plan, those without a change included.
    pub resources: usize,
}

/// A `local-exec` provisioner of a resource that is created, replaced or destroyed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvisionerCommand {
    /// The resource.
    pub address: String,
    /// Shell text when it is written literally in the configuration.
    pub text: Option<String>,
    /// It is run by another program than the shell.
    pub interpreter: bool,
}

/// Turns a plan into mutations.
///
/// `state`: the resources of a separately supplied state document, where a caller has one; the plan's own prior state
/// is used otherwise.
pub fn analyse(plan: &Plan, state: Option<&Value>, knowledge: &Knowledge) -> Analysis {
    let mut analysis = Analysis::default();
    let references = References::of(plan.configuration.as_ref());
    let changes = plan.resource_changes.as_deref().unwrap_or_default();
    let others = Others::of(plan, state, changes);
    analysis.resources = changes.len();
    if plan.errored {
        analysis.mutations.push(unclear("plan", "the plan is incomplete: planning ended with an error"));
    }
    for change in changes {
        if change.mode == "data" {
            continue;
        }
        let verb = Verb::of(&change.change.actions);
        if matches!(verb, Verb::Nothing) {
            continue;
        }
        analysis.mutations.push(mutation(change, verb, &references, &others, knowledge));
        if matches!(verb, Verb::Do(Action::Create | Action::Delete | Action::Replace)) {
            provisioners(plan, change, &mut analysis);
        }
    }
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

fn mutation(
    change: &ResourceChange,
    verb: Verb,
    references: &References,
    others: &Others<'_>,
    knowledge: &Knowledge,
) -> Mutation {
    let known = knowledge.terraform(&change.r#type);
    let action = match verb {
        Verb::Do(action) => action,
        Verb::Forget | Verb::Nothing => Action::Update,
        Verb::Unknown => Action::Execute,
    };
    let mut facts = Facts::new();
    let kind = match (&verb, &known) {
        (Verb::Forget, _) => "terraform.forgotten".to_owned(),
        (_, Some(declared)) => {
            collect(declared, change, action, others, &mut facts);
            declared.kind.clone()
        }
        (_, None) => {
            let guess = classify::guess(&change.r#type);
            let said = format!("the type's name suggests: {}", guess.class);
            facts.insert("class".into(), Fact::new(FactValue::Text(guess.class.into()), said));
            facts.insert(
                "classifier.confidence".into(),
                Fact::new(FactValue::Number(guess.confidence), "no rule knows this type; judged by its name"),
            );
            protection(change, &mut facts);
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
        subject: Subject::Named(Known::known(&change.address)),
        target: target(change, known.as_deref()),
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

/// What the type's data names among the attributes.
fn collect(
    declared: &TerraformType,
    change: &ResourceChange,
    action: Action,
    others: &Others<'_>,
    facts: &mut Facts,
) {
    let body = &change.change;
    let before = (&body.before, &body.before_sensitive, &Value::Null);
    let after = (&body.after, &body.after_sensitive, &body.after_unknown);
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
                    let said = format!("{name} was {}", show(&was));
                    facts.insert(format!("was.{name}"), Fact::new(was, said));
                }
            }
            let said = format!("{name} is {}", show(&value));
            facts.insert(name.clone(), Fact::new(value, said));
        }
    }
    if action == Action::Update {
        for name in changed(&body.before, &body.after, &body.after_unknown) {
            let said = format!("{name} changes");
            facts.entry(format!("changed.{name}")).or_insert_with(|| Fact::new(FactValue::Bool(true), said));
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

fn show(value: &FactValue) -> String {
    match value {
        FactValue::Bool(yes) => yes.to_string(),
        FactValue::Number(number) => number.to_string(),
        FactValue::Text(text) => printable(text),
    }
}

/// Provider-neutral signs of protection on a type that no data file knows.
fn protection(change: &ResourceChange, facts: &mut Facts) {
    let before = (&change.change.before, &change.change.before_sensitive, &Value::Null);
    for name in ["deletion_protection", "deletion_protection_enabled"] {
        if let Some(FactValue::Bool(yes)) = fact(before, name) {
            facts.insert(
                "deletion_protection".into(),
                Fact::new(FactValue::Bool(yes), format!("{name} is {yes}")),
            );
        }
    }
}

fn target(change: &ResourceChange, known: Option<&TerraformType>) -> Target {
    let before = (&change.change.before, &change.change.before_sensitive, &Value::Null);
    let after = (&change.change.after, &change.change.after_sensitive, &change.change.after_unknown);
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

fn unclear(id: &str, reason: &str) -> Mutation {
    Mutation {
        action: Action::Execute,
        kind: "unknown".into(),
        subject: Subject::Named(Known::known(id)),
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

fn provisioners(plan: &Plan, change: &ResourceChange, analysis: &mut Analysis) {
    let Some(configuration) = &plan.configuration else { return };
    let plain = without_instances(&change.address);
    let mut module = &configuration.root_module;
    let mut rest = plain.as_str();
    while let Some(tail) = rest.strip_prefix("module.") {
        let Some((name, inner)) = tail.split_once('.') else { return };
        let Some(call) = module.module_calls.get(name) else { return };
        (module, rest) = (&call.module, inner);
    }
    let Some(resource) = module.resources.iter().find(|resource| resource.address == rest) else { return };
    for provisioner in &resource.provisioners {
        let constant = |name: &str| provisioner.expressions.get(name).map(|e| e.get("constant_value"));
        match provisioner.r#type.as_str() {
            "local-exec" => analysis.commands.push(ProvisionerCommand {
                address: change.address.clone(),
                text: constant("command").flatten().and_then(Value::as_str).map(str::to_owned),
                interpreter: constant("interpreter").is_some(),
            }),
            other => {
                let reason = format!(
                    "a `{}` provisioner of {} runs on another machine",
                    printable(other),
                    change.address
                );
                analysis.mutations.push(unclear(&change.address, &reason));
            }
        }
    }
}

/// The other resources of the state, those that this plan removes left out.
struct Others<'a> {
    known: bool,
    by_type: BTreeMap<&'a str, Vec<&'a Value>>,
}

impl<'a> Others<'a> {
    fn of(plan: &'a Plan, state: Option<&'a Value>, changes: &'a [ResourceChange]) -> Self {
        let going: BTreeSet<&str> = changes
            .iter()
            .filter(|change| {
                matches!(Verb::of(&change.change.actions), Verb::Do(Action::Delete | Action::Replace))
            })
            .map(|change| change.address.as_str())
            .collect();
        let mut found = Self { known: false, by_type: BTreeMap::new() };
        if let Some(values) = plan.prior_state.as_ref().and_then(|state| state.values.as_ref()) {
            found.known = true;
            if let Some(root) = &values.root_module {
                found.module(root, &going, 0);
            }
        }
        if let Some(root) = state.and_then(|state| state.pointer("/values/root_module")) {
            found.known = true;
            found.loose(root, &going, 0);
        }
        found
    }

    fn module(&mut self, module: &'a StateModule, going: &BTreeSet<&str>, depth: usize) {
        if depth > 64 {
            return;
        }
        for StateResource { address, mode, r#type, values } in &module.resources {
            if mode != "data" && !going.contains(address.as_str()) {
                self.by_type.entry(r#type).or_default().push(values);
            }
        }
        module.child_modules.iter().for_each(|child| self.module(child, going, depth + 1));
    }

    /// The same for a state document that came as plain JSON.
    fn loose(&mut self, module: &'a Value, going: &BTreeSet<&str>, depth: usize) {
        if depth > 64 {
            return;
        }
        let list = |name: &str| module.get(name).and_then(Value::as_array).into_iter().flatten();
        for resource in list("resources") {
            let address = resource.get("address").and_then(Value::as_str).unwrap_or("");
            if let (Some(kind), Some(values)) =
                (resource.get("type").and_then(Value::as_str), resource.get("values"))
                && !going.contains(address)
            {
                self.by_type.entry(kind).or_default().push(values);
            }
        }
        list("child_modules").for_each(|child| self.loose(child, going, depth + 1));
    }

    fn related(&self, related: &crate::knowledge::Related, names: &[String]) -> Option<(FactValue, String)> {
        if !self.known || names.is_empty() {
            return None;
        }
        let none = Value::Null;
        let matching = |values: &&&Value| matches!(lookup(values, &none, &none, &related.attribute), Attribute::Known(FactValue::Text(to)) if names.contains(&to));
        let found: Vec<&&Value> =
            self.by_type.get(related.r#type.as_str()).into_iter().flatten().filter(matching).collect();
        match &related.value {
            None => {
                let said = format!("{} of type {} in the state stay", found.len(), related.r#type);
                Some((FactValue::Number(i64::try_from(found.len()).unwrap_or(i64::MAX)), said))
            }
            Some(path) => match lookup(found.first()?, &none, &none, path) {
                Attribute::Known(value) => {
                    let said = format!("{} says {}", related.r#type, show(&value));
                    Some((value, said))
                }
                _ => None,
            },
        }
    }
}

/// Text of the plan that goes into sentences: one line, no control characters, bounded.
fn printable(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(200).collect()
}
