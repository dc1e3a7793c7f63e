//! Changes of a plan as mutations.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use super::beside::{self, Beside};
use super::classify;
use super::commands::{self, LocalCommand, LocalFile, Provisioned};
use super::configured::Configured;
use super::copies;
use super::denials;
use super::diff::{Leaf, leaves};
use super::encrypted;
use super::facts::{Attributes, collect, text};
use super::grants;
use super::inside;
use super::kind::kind_of;
use super::known::{Known, protection, types};
use super::later;
use super::longer;
use super::narrower;
use super::openings;
use super::plan::{Plan, ResourceChange};
use super::powers;
use super::provider::Providers;
use super::references::References;
use super::replaced;
use super::said::{PLANNED, printable, unclear};
use super::select::first_key;
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
    let configured = Configured::of(plan.configuration.as_ref());
    let of_all = OfAll { dependents, within, others, providers, configured, provisioned, types: &types };
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
enum Verb {
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

    fn of(actions: &[String]) -> Self {
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
    let read = Changed::read(change, asked, &attributes, known, all, names);
    let Changed { said, names, opens, more, power, longer } = read;
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
            let less = action == Action::Update && narrower::only_less(&declared.grants, &names, &attributes);
            narrower::tell(less, &mut facts);
            names_changes(action, names, &mut facts);
            found = beside::of(declared, &attributes, action, &facts);
            found.extend(beside::anew(declared, action, longer));
            if action == Action::Update && said.only_labels {
                "terraform.labels".to_owned()
            } else {
                if content && !longer {
                    found.extend(beside::untold(&said.untold));
                }
                let grants = !declared.grants.is_empty() && action != Action::Delete && !less;
                if grants && grants::gives(&declared.grants, &attributes) {
                    grants::tell(&declared.grants, &attributes.after, &mut facts);
                    action = Action::Grant;
                }
                let made_anew = matches!(action, Action::Delete | Action::Replace);
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
    powers::tell(power, action, &mut facts, &mut found);
    longer::tell(longer, &mut facts);
    let grants = action == Action::Grant || found.iter().any(Beside::is_grant);
    found.extend(more.into_iter().filter(|more| action != Action::Grant || more.kind() != "access.later"));
    found.extend(said.beside.into_iter().chain(opens).filter(|more| !(grants && more.is_grant())));
    replaced::tell(change, &mut facts);
    let words = change.change.actions.join(", ");
    let dependents = all.around(change, action, &mut facts);
    let made = Mutation {
        action,
        kind,
        subject: Subject::Named(Text::known(&change.address)),
        target: target(change, known, &attributes),
        source: Source::Terraform,
        raw: format!("{}: {}", change.address, printable(&words)),
        span: None,
        rule: RuleRef { tool: "terraform".into(), rule: change.r#type.clone() },
        cause: verb.cause(&words),
        context: Context::default(),
        facts,
        dependents,
    };
    beside::tell(made, found, out);
}

/// What a change's attributes say by themselves, whatever the type.
#[derive(Default)]
struct Changed {
    said: Said,
    /// Top-level attributes that differ.
    names: BTreeSet<String>,
    /// It lets everybody in.
    opens: Option<Beside>,
    /// What goes that denied, and what is known only after the apply.
    more: Vec<Beside>,
    /// It gives full control.
    power: Option<String>,
    /// Its rules keep more than before.
    longer: bool,
}

/// What has to be looked for in all attributes of a change.
#[derive(Clone, Copy)]
struct Asked {
    /// What an update changes.
    updates: bool,
    /// What lets everybody in.
    may_open: bool,
    /// What a setting of an unknown type deletes.
    sets: bool,
    /// What something that is made unbinds.
    makes: bool,
    /// What denies, gives full control, or is known only after the apply.
    more: bool,
}

impl Asked {
    fn of(change: &ResourceChange, verb: Verb, known: &Known) -> Self {
        let Verb::Do(action) = verb else {
            return Self { updates: false, may_open: false, sets: false, makes: false, more: false };
        };
        let body = &change.change;
        let lasts = action != Action::Delete;
        let unknown = known.declared.is_none();
        Self {
            // What holds nothing of its own is only changed by being made anew.
            updates: action == Action::Update || action == Action::Replace && !unknown && !known.content,
            may_open: action != Action::Delete && openings::may_open(&change.change.after),
            sets: action == Action::Create && unknown && classify::is_setting(&change.r#type),
            makes: matches!(action, Action::Create | Action::Replace) && known.spoken.asks_of_made(),
            more: action != Action::Create && denials::may_deny(body.before.get())
                || lasts && (powers::may_give(body.after.get()) || later::may_be(&body.after_unknown)),
        }
    }

    /// All attributes where all are gone through, else those that somebody asks for.
    fn attributes(self, change: &ResourceChange, known: &Known) -> Result<Attributes, serde_json::Error> {
        if self.updates || self.may_open || self.sets || self.makes || self.more {
            Attributes::whole(change)
        } else {
            Attributes::of(change, &known.wanted)
        }
    }
}

impl Changed {
    fn read(
        change: &ResourceChange,
        asked: Asked,
        attributes: &Attributes,
        known: &Known,
        all: &OfAll<'_>,
        names: &mut signs::Names,
    ) -> Self {
        let Asked { updates, may_open, sets, makes, more } = asked;
        let Attributes { before, after, .. } = attributes;
        let opens = if may_open { openings::of(&change.r#type, before, after) } else { None };
        let mut found = Self { opens, ..Self::default() };
        if more {
            found.look(change, attributes, |name| all.configured.gives(&change.address, name));
        }
        if !updates && !sets && !makes {
            return found;
        }
        let marks = [&attributes.before_sensitive, &attributes.after_sensitive];
        let mut differing = leaves(before, after, &attributes.after_unknown, marks);
        signs::pairs(&change.r#type, before, after, &mut differing);
        if !updates && !sets {
            found.said.beside = known.spoken.made(&differing);
            return found;
        }
        let is_set = |name: &str| all.configured.gives(&change.address, name);
        let mut said = signs::read(names, &differing, &known.spoken, is_set);
        if sets {
            // What is made protects nothing less than before, but what it deletes may be there already.
            said.beside.retain(|more| more.kind() == "protection.retention");
        }
        let top = |leaf: &Leaf| first_key(&leaf.path).to_owned();
        let longer = updates && longer::is_longer(before, after, &attributes.after_unknown);
        if longer {
            said.beside.retain(|more| more.kind() != "protection.retention");
        }
        Self { said, names: differing.iter().map(top).collect(), longer, ..found }
    }

    /// What goes that denied, full control, and what is known only after the apply.
    fn look(
        &mut self,
        change: &ResourceChange,
        attributes: &Attributes,
        gives: impl Fn(&str) -> Option<bool>,
    ) {
        let Verb::Do(action) = Verb::of(&change.change.actions) else { return };
        if action != Action::Create {
            self.more.extend(denials::fewer(&change.r#type, action, attributes));
        }
        if action != Action::Delete {
            self.more.extend(later::of(&change.r#type, action, attributes, gives));
            self.power = powers::given(&attributes.before, &attributes.after);
        }
    }
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
