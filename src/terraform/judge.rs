//! Changes of a plan as mutations.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde_json::Value;

use super::again;
use super::beside::{self, Beside};
use super::changed::{Asked, Changed};
use super::classify;
use super::commands::{self, LocalCommand, LocalFile, Provisioned};
use super::configured::Configured;
use super::copies;
use super::denials;
use super::encrypted;
use super::facts::{Attributes, collect, text};
use super::grants;
use super::inside;
use super::kind::kind_of;
use super::known::{Known, protection, types};
use super::longer;
use super::narrower;
use super::ordinary::{self, Around};
use super::own::Own;
use super::plan::{Plan, ResourceChange};
use super::powers;
use super::provider::Providers;
use super::references::References;
use super::replaced;
use super::said::{PLANNED, printable, unclear};
use super::signs::{self, Said};
use super::state::Others;
use super::together;
use crate::cores;
use crate::knowledge::{Knowledge, TerraformType};
use crate::model::{
    Action, Cause, Context, Dependent, Fact, FactValue, Facts, Mutation, RuleRef, Source, Subject, Target,
    Value as Text, WITHIN,
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
    let goes = |change: &&ResourceChange| {
        matches!(Verb::of(&change.change.actions), Verb::Do(Action::Delete | Action::Replace))
    };
    let going = || changes.iter().filter(goes).map(|change| change.address.as_str());
    // One after the other: what is told of each depends on how much was told before.
    let mut dependents = going().map(|address| (address, references.dependents(address))).collect();
    let related = types.values().flatten().flat_map(|known| {
        let declared = known.declared.iter().flat_map(|declared| &declared.related);
        declared.chain(&known.siblings)
    });
    let others = Others::of(plan, state, &going().collect(), related);
    analysis.resources = changes.len();
    if others.unreadable {
        analysis.mutations.push(unclear("prior_state", "a resource of the prior state could not be read"));
    }
    if plan.errored {
        analysis.mutations.push(unclear("plan", "the plan is incomplete: planning ended with an error"));
    }
    let providers = Providers::of(plan.configuration.as_ref());
    let within = inside::add(changes, &types, &providers, &mut dependents);
    let again = again::of(changes, &types, &providers);
    let moved = again::moved(changes, &types, &providers);
    let configured = Configured::of(plan.configuration.as_ref());
    let of_all = OfAll {
        dependents,
        within,
        others,
        providers,
        configured,
        provisioned,
        types: &types,
        references: &references,
        alone: alone(changes),
        again,
        moved,
        own: Own::of(plan),
    };
    // Each core reads some of a long plan.
    for part in cores::each(changes.chunks(cores::share(changes.len())), |part| one_by_one(part, &of_all)) {
        analysis.mutations.extend(part.mutations);
        analysis.commands.extend(part.commands);
        analysis.files.extend(part.files);
    }
    encrypted::tell(&mut analysis.mutations, plan);
    copies::tell(&mut analysis.mutations, changes, &types);
    together::gone(&mut analysis.mutations, &references);
    together::fresh(&mut analysis.mutations, &references);
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

/// Types of which one thing alone changes.
fn alone(changes: &[ResourceChange]) -> BTreeSet<&str> {
    let (mut found, mut several) = (BTreeSet::new(), BTreeSet::new());
    let changing = |change: &&ResourceChange| !matches!(Verb::of(&change.change.actions), Verb::Nothing);
    for change in changes.iter().filter(changing) {
        if !found.insert(change.r#type.as_str()) {
            several.insert(change.r#type.as_str());
        }
    }
    found.retain(|name| !several.contains(name));
    found
}

fn one_by_one(changes: &[ResourceChange], all: &OfAll<'_>) -> Analysis {
    let mut analysis = Analysis::default();
    analysis.mutations.reserve(changes.len());
    let mut names = signs::Names::default();
    for change in changes {
        if change.mode == "data" {
            data(change, all.types, &mut analysis);
            continue;
        }
        let verb = Verb::of(&change.change.actions);
        if matches!(verb, Verb::Nothing) {
            continue;
        }
        // What users' files say of a type that is known already counts in addition.
        let said = all.types.get(change.r#type.as_str()).map_or(&[][..], Vec::as_slice);
        for known in said {
            mutations(change, verb, all, &mut names, known, &mut analysis.mutations);
        }
        let Some(known) = said.first() else { continue };
        // What is only left out of the state may still be made anew.
        let creates = change.change.actions.iter().any(|action| action == "create");
        if matches!(verb, Verb::Forget) && creates {
            let anew = Verb::Do(Action::Create);
            mutations(change, anew, all, &mut names, known, &mut analysis.mutations);
        }
        if creates || matches!(verb, Verb::Do(Action::Delete)) {
            all.provisioned.judge(change, &mut analysis);
        }
        if creates || matches!(verb, Verb::Do(Action::Update)) {
            analysis.files.extend(commands::file(change));
        }
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
pub(super) enum Verb {
    Nothing,
    Do(Action),
    Forget,
    Unknown,
}

impl Verb {
    fn action(self) -> Action {
        match self {
            Self::Do(action) => action,
            Self::Forget | Self::Nothing => Action::Update,
            Self::Unknown => Action::Execute,
        }
    }

    fn cause(self, words: &str) -> Cause {
        match self {
            Self::Unknown => Cause::Gap(format!("the plan's action `{}` is not known", printable(words))),
            _ => Cause::Rule,
        }
    }

    pub(super) fn of(actions: &[String]) -> Self {
        let (first, second) = match actions {
            [only] => (only.as_str(), ""),
            [first, second] => (first.as_str(), second.as_str()),
            _ => return Self::Unknown,
        };
        match (first, second) {
            ("no-op" | "read", "") => Self::Nothing,
            ("create", "") => Self::Do(Action::Create),
            ("update", "") => Self::Do(Action::Update),
            ("delete", "") => Self::Do(Action::Delete),
            ("delete", "create") | ("create", "delete") => Self::Do(Action::Replace),
            ("forget", "" | "create") | ("create", "forget") => Self::Forget,
            _ => Self::Unknown,
        }
    }
}

/// What is known of the plan as a whole.
struct OfAll<'p> {
    /// What depends on each resource that goes.
    dependents: HashMap<&'p str, Vec<Dependent>>,
    /// The place that goes too, of each resource that goes and lives in it.
    within: HashMap<&'p str, &'p str>,
    others: Others<'p>,
    providers: Providers,
    configured: Configured<'p>,
    provisioned: Provisioned<'p>,
    types: &'p HashMap<&'p str, Vec<Known>>,
    references: &'p References,
    /// Types of which the plan changes one alone.
    alone: BTreeSet<&'p str>,
    /// What is made where the plan takes the very same away.
    again: HashSet<&'p str>,
    /// What goes where the plan makes one that says the same.
    moved: HashSet<&'p str>,
    own: Own<'p>,
}

impl OfAll<'_> {
    /// What depends on what goes; and where that lives, if the place goes too.
    fn around(&self, change: &ResourceChange, action: Action, facts: &mut Facts) -> Vec<Dependent> {
        if !matches!(action, Action::Delete | Action::Replace) {
            return Vec::new();
        }
        if let Some(place) = self.within.get(change.address.as_str()) {
            let place = FactValue::Text(printable(place));
            facts.insert(WITHIN.to_owned(), Fact::new(place, "where it lives, which goes too"));
        }
        self.dependents.get(change.address.as_str()).cloned().unwrap_or_default()
    }
}

/// The change, and what it does besides: protections that it takes away, parts that go, what it opens.
fn mutations(
    change: &ResourceChange,
    verb: Verb,
    all: &OfAll<'_>,
    names: &mut signs::Names,
    known: &Known,
    out: &mut Vec<Mutation>,
) {
    let asked = Asked::of(change, verb, known);
    let Ok(attributes) = asked.attributes(change, known) else {
        let reason = format!("the attributes of {} could not be read", printable(&change.address));
        out.push(unclear(&change.address, &reason));
        return;
    };
    let gives = |name: &str| all.configured.gives(&change.address, name);
    let read = Changed::read(change, asked, &attributes, known, names, (&gives, &all.own));
    let again = all.again.contains(change.address.as_str());
    let Changed { said, names, opens, more, power, longer } = if again { read.gives_nothing() } else { read };
    let (siblings, content) = (known.siblings.as_ref(), known.content);
    let kin = known.kin(&attributes);
    let known = known.declared.as_deref();
    let mut action = verb.action();
    let mut facts = Facts::new();
    let mut found = Vec::new();
    let kind = match (verb, known) {
        (Verb::Forget, _) => "terraform.forgotten".to_owned(),
        (_, Some(declared)) => {
            let settings = all.providers.settings(change);
            let told = (declared, siblings, change.r#type.as_str());
            collect(told, &attributes, &settings, action, &all.others, &mut facts);
            definition(change, action, &mut facts);
            let alone = all.alone.contains(change.r#type.as_str());
            let less =
                action == Action::Update && narrower::only_less(&declared.grants, &names, &attributes, alone);
            narrower::tell(less, &mut facts);
            let later = action == Action::Update && narrower::denies_later(&names, &attributes);
            if action == Action::Update && said.safe && more.is_empty() && opens.is_none() {
                facts.insert("safe".into(), Fact::new(FactValue::Bool(true), PLANNED));
            }
            names_changes(action, names, &mut facts);
            found = beside::of(declared, &attributes, action, &facts);
            found.extend(beside::anew(declared, action, longer));
            found.extend(later.then(denials::less));
            if action == Action::Update && said.only_labels {
                "terraform.labels".to_owned()
            } else {
                if content {
                    found.extend(beside::untold(&said.untold));
                }
                if granted(declared, change, &attributes, (action, less), all, &mut facts) {
                    action = Action::Grant;
                }
                let made_anew = matches!(action, Action::Delete | Action::Replace);
                if action == Action::Delete && all.moved.contains(change.address.as_str()) {
                    action = Action::Replace;
                }
                kind_of(kin.filter(|_| made_anew).unwrap_or(declared), action, &attributes)
            }
        }
        (_, None) if action == Action::Update && said.only_labels => "terraform.labels".to_owned(),
        (_, None) => {
            guessed(change, &said, &mut facts);
            protection(&attributes, action, &mut facts);
            "terraform.unknown".to_owned()
        }
    };
    found.retain(|beside| !(again && beside.is_grant()));
    powers::tell(power, action, &mut facts, &mut found);
    longer::tell(longer, &mut facts);
    let grants = action == Action::Grant || found.iter().any(Beside::is_grant);
    found.extend(more.into_iter().filter(|more| action != Action::Grant || more.kind() != "access.later"));
    found.extend(said.beside.into_iter().chain(opens).filter(|more| !(grants && more.is_grant())));
    replaced::tell(change, &mut facts);
    let dependents = all.around(change, action, &mut facts);
    let target = target(change, known, &attributes);
    let mut made = made(change, verb, (action, kind), target);
    (made.facts, made.dependents) = (facts, dependents);
    beside::tell(made, found, out);
}

/// A change as a mutation, without what is known of it.
fn made(change: &ResourceChange, verb: Verb, (action, kind): (Action, String), target: Target) -> Mutation {
    let words = change.change.actions.join(", ");
    Mutation {
        action,
        kind,
        subject: Subject::Named(Text::known(&change.address)),
        target,
        source: Source::Terraform,
        raw: format!("{}: {}", change.address, printable(&words)),
        span: None,
        rule: RuleRef { tool: "terraform".into(), rule: change.r#type.clone() },
        cause: verb.cause(&words),
        context: Context::default(),
        facts: Facts::new(),
        dependents: Vec::new(),
    }
}

/// Tells what a change grants, to whom, and what denied; whether it is a grant itself.
fn granted(
    declared: &TerraformType,
    change: &ResourceChange,
    attributes: &Attributes,
    (action, less): (Action, bool),
    all: &OfAll<'_>,
    facts: &mut Facts,
) -> bool {
    grants::denial(&declared.denies, action, attributes, facts);
    let again = all.again.contains(change.address.as_str());
    let grants = !declared.grants.is_empty() && action != Action::Delete && !less && !again;
    if !grants || !grants::gives(&declared.grants, attributes) {
        return false;
    }
    grants::tell(&declared.grants, &attributes.after, facts);
    if action == Action::Replace && grants::is_less(&declared.grants, attributes, facts) {
        facts.insert("lesser".into(), Fact::new(FactValue::Bool(true), PLANNED));
    }
    // What somebody has already may only grow by what is told.
    if action != Action::Update || declared.kind != "access" {
        let gives = |name: &str| all.configured.gives(&change.address, name);
        let (address, references) = (change.address.as_str(), all.references);
        ordinary::tell(
            declared,
            attributes,
            &Around { address, references, own: &all.own, gives: &gives },
            facts,
        );
    }
    true
}

/// Which attributes an update changes.
fn names_changes(action: Action, names: BTreeSet<String>, facts: &mut Facts) {
    if action != Action::Update {
        return;
    }
    facts.insert("planned".into(), Fact::new(FactValue::Bool(true), "a plan changes it in place"));
    for name in names {
        let fact = || Fact::new(FactValue::Bool(true), PLANNED);
        facts.entry(format!("changed.{name}")).or_insert_with(fact);
    }
}

/// What the name of a type that no data file knows suggests, and what its attributes say.
fn guessed(change: &ResourceChange, attributes: &Said, facts: &mut Facts) {
    let guess = classify::guess(&change.r#type);
    facts.insert(
        "class".into(),
        Fact::new(FactValue::Text(guess.class.into()), "what the type's name suggests"),
    );
    let sure = Fact::new(FactValue::Number(guess.confidence), "no rule knows this type; judged by its name");
    facts.insert("classifier.confidence".into(), sure);
    if attributes.safe {
        let said = "what changes is set to what loses less";
        facts.insert("safe".into(), Fact::new(FactValue::Bool(true), said));
    }
    if !attributes.names.is_empty() {
        let names = printable(&attributes.names.join(", "));
        facts.insert("names".into(), Fact::new(FactValue::Text(names), "what changes"));
    }
}

/// What goes can be made again as it was: the plan tells its attributes.
fn definition(change: &ResourceChange, action: Action, facts: &mut Facts) {
    let told = change.change.before.get();
    if matches!(action, Action::Delete | Action::Replace) && told.starts_with('{') && told != "{}" {
        let said = "the plan holds its definition";
        facts.insert("definition".into(), Fact::new(FactValue::Bool(true), said));
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
