//! The types that occur in a plan, each looked up once: what is declared of it, and which of its attributes anybody asks for.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::attributes::Side;
use super::facts::{Attributes, fact, text};
use super::grants;
use super::place;
use super::plan::ResourceChange;
use super::said::PLANNED;
use super::select::first_key;
use super::spoken::Spoken;
use crate::knowledge::{Knowledge, Related, TerraformType};
use crate::model::{Action, Fact, FactValue, Facts};

/// What protects a thing of any type.
const PROTECTIONS: [&str; 2] = ["deletion_protection", "deletion_protection_enabled"];

/// A type that occurs in the plan, looked up once.
pub(super) struct Known {
    pub(super) declared: Option<Arc<TerraformType>>,
    /// Attributes that somebody asks for.
    pub(super) wanted: Vec<String>,
    /// The other members of what it is a member of.
    pub(super) siblings: Option<Related>,
    /// It holds content of its own.
    pub(super) content: bool,
    /// What its data speaks of.
    pub(super) spoken: Spoken,
    /// The types that values of one of its attributes stand for, in small letters.
    kin: HashMap<String, Arc<TerraformType>>,
}

/// What is known of each type in a plan, and what users say of it besides.
pub(super) fn types<'p>(
    changes: &'p [ResourceChange],
    knowledge: &Knowledge,
) -> HashMap<&'p str, Vec<Known>> {
    let mut found = HashMap::new();
    for change in changes {
        let name = change.r#type.as_str();
        found.entry(name).or_insert_with(|| {
            let more = knowledge.raised_terraform(name).into_iter().map(Some);
            std::iter::once(knowledge.terraform(name))
                .chain(more)
                .enumerate()
                // What users say of a type that is known already is no list of all its attributes.
                .map(|(at, found)| Known::of(found, name, (at == 0).then_some(knowledge)))
                .collect()
        });
    }
    found
}

impl Known {
    fn of(declared: Option<Arc<TerraformType>>, name: &str, knowledge: Option<&Knowledge>) -> Self {
        let mut wanted: BTreeSet<&str> = BTreeSet::from(["name"])
            .into_iter()
            .chain(place::SAID_BY)
            .collect::<BTreeSet<&str>>()
            .into_iter()
            .chain(PROTECTIONS)
            .collect();
        if let Some(declared) = &declared {
            let lists = [
                &declared.id,
                &declared.source,
                &declared.grants,
                &declared.opens,
                &declared.forgets,
                &declared.denies,
            ];
            let paths =
                declared.facts.values().chain(declared.parts.keys()).chain(lists.into_iter().flatten());
            wanted.extend(paths.map(|path| first_key(path)));
            let lines = declared.ordinary.iter().flat_map(|line| line.split(", "));
            wanted.extend(lines.map(first_key));
            let unless = declared.opens.iter().filter_map(|entry| TerraformType::opening(entry).unless);
            wanted.extend(unless.map(|(other, _)| other));
            wanted.extend(declared.linked().flat_map(|(from, to)| [first_key(from), first_key(to)]));
            wanted.extend(declared.kin.iter().map(|kin| first_key(&kin.by)));
            if !declared.grants.is_empty() || !declared.opens.is_empty() {
                wanted.extend(grants::CLOSING);
            }
        }
        let wanted = wanted.into_iter().map(str::to_owned).collect();
        let member = declared.as_ref().filter(|known| known.relation.as_deref() == Some("member"));
        let siblings = member.and_then(|known| known.source.first()).map(|attribute| Related {
            fact: "last-member".to_owned(),
            r#type: name.to_owned(),
            attribute: attribute.clone(),
            value: None,
        });
        let kind = declared.as_ref().and_then(|known| knowledge?.kind(&known.kind));
        let holding = kind.filter(|kind| kind.content);
        // The attributes and facts whose change its kind has a word for.
        let asks: Vec<String> = holding.as_ref().map_or_else(Vec::new, |kind| {
            let changes = kind.asks(Action::Update).filter_map(|key| key.strip_prefix("changed."));
            changes.map(str::to_owned).collect()
        });
        let spoken = Spoken::of(name, declared.as_deref(), &asks);
        let kin = declared.iter().filter_map(|known| known.kin.as_ref()).flat_map(|kin| &kin.types);
        let kin = kin.filter_map(|(value, other)| Some((value.to_lowercase(), knowledge?.terraform(other)?)));
        let kin = kin.collect();
        Self { declared, wanted, siblings, content: holding.is_some(), spoken, kin }
    }

    /// What it is, where one of its attributes says so.
    pub(super) fn kin(&self, attributes: &Attributes) -> Option<&TerraformType> {
        let by = &self.declared.as_ref()?.kin.as_ref()?.by;
        let value = text(attributes.before(), by).or_else(|| text(attributes.after(), by))?;
        let value = value.split('@').next().unwrap_or_default().to_lowercase();
        self.kin.get(&value).map(Arc::as_ref)
    }
}

/// Provider-neutral signs of protection on a type that no data file knows.
pub(super) fn protection(attributes: &Attributes, action: Action, facts: &mut Facts) {
    let mut tell = |key: &str, side: Side<'_>| {
        for name in PROTECTIONS {
            if let Some(FactValue::Bool(yes)) = fact(side, name) {
                facts.insert(key.to_owned(), Fact::new(FactValue::Bool(yes), PLANNED));
            }
        }
    };
    if action == Action::Update {
        tell("was.deletion_protection", attributes.before());
        tell("deletion_protection", attributes.after());
    } else {
        tell("deletion_protection", attributes.before());
    }
}
