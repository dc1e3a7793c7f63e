//! What a type's own data says of its attributes, so that their names need not.
//!
//! Owns which signs hold of the type, and what is known of an attribute by its name.

use crate::knowledge::{Class, Sense, Sign, Sounds, TerraformType, terraform_signs};

/// Kinds of removals by which a type says that it guards.
const GUARDS: [&str; 8] = [
    "protection.guard",
    "protection.wall",
    "protection.entrance",
    "protection.cipher",
    "protection.exposure",
    "protection.masking",
    "protection.record",
    "protection.audit",
];

/// What is known of a path by its name.
pub(super) struct Named {
    pub(super) harmless: bool,
    pub(super) computed: bool,
    pub(super) setting: bool,
    pub(super) signs: Vec<&'static Sign>,
    /// Signs of some types alone.
    pub(super) typed: Vec<&'static Sign>,
    /// What a guard does may depend on it.
    pub(super) guards: bool,
    /// A word there decides, whatever the type.
    pub(super) decides: bool,
    /// Any text there does.
    pub(super) says: bool,
    /// What it sounds like.
    pub(super) sounds: Sounds,
}

/// Attributes that a type's own data speaks of, as plain paths: worked out once for all changes of the type.
#[derive(Default)]
pub(super) struct Spoken {
    /// It says what their loss means.
    pub(super) own: Vec<String>,
    /// It speaks of them at all.
    pub(super) any: Vec<String>,
    /// They are facts that the kind judges by.
    pub(super) told: Vec<String>,
    /// Signs that hold of the type alone.
    pub(super) signs: Vec<&'static Sign>,
    /// A type that is declared.
    pub(super) known: bool,
    /// It guards something, and nothing else compares what it lets in.
    pub(super) guards: bool,
    /// Ranges of addresses that it lets in are told that are not everybody.
    pub(super) ranges: bool,
    /// It tells somebody when something gets out of hand.
    pub(super) alarms: bool,
    /// Less of it may well be meant.
    pub(super) lighter: bool,
}

impl Spoken {
    /// `asks`: the attributes and facts whose change the type's kind has a word for.
    pub(super) fn of(name: &str, declared: Option<&TerraformType>, asks: &[String]) -> Self {
        let mut classes = terraform_signs().classes(name);
        if declared.is_some_and(guards) && !classes.contains(&Class::Guards) {
            classes.push(Class::Guards);
        }
        let mut signs = terraform_signs().of_type(name, &classes);
        // What lets in is compared with what it let in before.
        let compared =
            declared.is_some_and(|declared| !declared.grants.is_empty() || !declared.opens.is_empty());
        let of_lists = |sign: &Sign| matches!(sign.sense, Sense::Shrinks | Sense::Grows);
        signs.retain(|sign| !(compared && sign.of == Class::Guards && of_lists(sign)));
        let ranges = terraform_signs().range_types.fit(name);
        let alarms = classes.contains(&Class::Alarms);
        let Some(declared) = declared else { return Self { signs, ranges, alarms, ..Self::default() } };
        Self {
            signs,
            ranges,
            alarms,
            known: true,
            lighter: terraform_signs().sounding.is_lighter(name),
            guards: classes.contains(&Class::Guards) && !compared,
            own: own_paths(declared),
            any: spoken_paths(declared, asks),
            told: declared.facts.values().map(|path| plain(path)).collect(),
        }
    }

    /// Those of some signs that hold of the type.
    pub(super) fn among(&self, signs: &[&'static Sign]) -> Vec<&'static Sign> {
        // They stand in the order of the list that all are of.
        let place = |sign: &&'static Sign| std::ptr::from_ref(*sign) as usize;
        let holds = |sign: &&&'static Sign| self.signs.binary_search_by_key(&place(sign), place).is_ok();
        signs.iter().filter(holds).copied().collect()
    }

    /// Something that is made may open or unbind more than it has to.
    pub(super) fn asks_of_made(&self) -> bool {
        self.signs.iter().any(|sign| sign.made)
    }
}

/// Attributes of which the type's own data says what their loss means.
fn own_paths(declared: &TerraformType) -> Vec<String> {
    let protected = declared.protects.keys().map(|entry| TerraformType::protecting(entry).0);
    let paths = protected.filter_map(|fact| declared.facts.get(fact));
    let lists = declared.parts.keys().chain(&declared.opens).chain(&declared.grants);
    paths.chain(lists).map(|path| plain(path)).collect()
}

/// Attributes that the type's data speaks of at all.
fn spoken_paths(declared: &TerraformType, asks: &[String]) -> Vec<String> {
    let lists = [&declared.id, &declared.source, &declared.grants].into_iter().flatten();
    let opens = declared.opens.iter().map(|entry| TerraformType::opening(entry).attribute);
    let paths = declared.facts.values().chain(declared.parts.keys()).chain(lists).map(String::as_str);
    paths.chain(opens).chain(asks.iter().map(String::as_str)).map(plain).collect()
}

/// `!a[0].b|default` as `a.b`.
fn plain(path: &str) -> String {
    let path = path.split(['|', '=']).next().unwrap_or(path).trim_end().trim_start_matches('!');
    let mut inside = false;
    path.chars()
        .filter(|c| {
            inside = (inside || *c == '[') && *c != ']';
            !inside && *c != ']'
        })
        .collect()
}

/// Whether a type's data says that it guards.
fn guards(declared: &TerraformType) -> bool {
    let removed = declared.removed.as_ref().unwrap_or(&declared.kind);
    GUARDS.contains(&removed.as_str())
}
