//! What attributes of any Terraform type say by their names (`terraform_signs.toml`).

use std::collections::HashSet;
use std::sync::OnceLock;

use serde::Deserialize;

use super::packed;
use super::terraform_names::{Index, ends_so, last_part};
use super::terraform_recall::recalled;
use super::tool_words::Words;

/// When an attribute of a sign does what the sign's kind says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sense {
    /// A switch that is switched off, or no longer there.
    Off,
    /// A switch that is switched on.
    On,
    /// A number or a time that goes down, or is no longer there.
    Lower,
    /// A number that goes down to 0.
    None,
    /// A time after which something is deleted: newly set, or shorter.
    Expiry,
    /// Blocks or entries that come in addition, or in another one's place.
    Added,
    /// A list that had entries and gets more of them.
    More,
    /// The same where nobody listed the name for its own sake.
    Many,
    /// A number that goes up, from 0, too.
    Higher,
    /// A number that is at most half of what it was.
    Halves,
    /// A number that is at least twice what it was.
    Doubles,
    /// A list of who may come in, when its last entry goes.
    Emptied,
    /// Something that is done at times, when it is done less often.
    Rarer,
    /// It lets everybody in, when it is switched on.
    Opens,
    /// The same of something new.
    Open,
    /// A switch, a block or a name that is set to nothing, when the configuration does not say something else.
    Gone,
    /// A list that gets shorter.
    Fewer,
    /// It says one of the sign's words, and did not.
    Becomes,
    /// It said one of the sign's words, and does not any more.
    Ceases,
    /// It said one of the words in front of the `>`, and says one of those behind it.
    Relaxes,
    /// A switch and nothing else, that goes off.
    Dropped,
    /// A switch and nothing else, that goes on.
    Raised,
    /// A date at which something ends: newly set, or an earlier one.
    Sooner,
    /// A date at which something ends, when a later one takes its place, or none.
    Later,
    /// A list of those for whom a rule does not count, that grows.
    Grows,
    /// A list of what is asked for, that gets shorter.
    Shrinks,
    /// A range of addresses with more of them in it than the one before had, and not of private ones alone.
    Widens,
    /// A condition that is another one, or gone.
    Other,
    /// A limit, of which 0 is none: a greater number, or none any more.
    Looser,
    /// A text that calls somebody (`@who`), when it calls fewer.
    Mentions,
    /// A number that is at least ten times as great as before, or a tenth of it.
    Far,
    /// A pattern of what is covered (`logs-*`), when another one takes its place that covers only part of it.
    Narrows,
    /// A pattern of what is let in (`*.a.io`), when it lets in more than the one before.
    Spreads,
    /// An amount, or a size by name (`db.r6g.xlarge`), with less in it than the one before of its family.
    Smaller,
    /// Numbers that are right (`200-299`), when more are.
    Wider,
    /// It says one of the sign's words, and one that stands further behind among them before.
    Falls,
    /// A version, when a newer one takes its place from which the old one does not come back.
    Upgrades,
    /// A condition of what is recorded or watched, when another one takes its place that does not let all of it through.
    Filters,
}

/// A class of types, by parts of their names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// The sign's own `types`.
    #[default]
    Own,
    /// What says who comes in, what is kept out or what is recorded.
    Guards,
    /// What tells somebody that something is wrong.
    Alarms,
    /// What keeps others from telling, recording or asking.
    Silences,
    /// What has copies made.
    Backups,
    /// What does something: switched off, it stops.
    Working,
}

/// Patterns of names of types, and of those that are called so and are something else.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub(super) struct Types {
    are: Words,
    #[serde(default)]
    not: Words,
}

impl Types {
    fn have(&self, name: &str) -> bool {
        self.are.fit(name) && !self.not.fit(name)
    }
}

/// The classes.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub(super) struct Classes {
    guards: Types,
    alarms: Types,
    silences: Types,
    backups: Types,
    working: Types,
}

impl Sense {
    /// Senses that compare numbers are one.
    fn way(self) -> Self {
        if matches!(self, Self::None | Self::Expiry) { Self::Lower } else { self }
    }

    /// It tells when something gets weaker, and nothing of what is as good as before.
    pub fn only_warns(self) -> bool {
        let plain = matches!(
            self,
            Self::Many
                | Self::Halves
                | Self::Doubles
                | Self::Gone
                | Self::Fewer
                | Self::Becomes
                | Self::Ceases
        );
        let more = matches!(self, Self::Widens | Self::Other | Self::Mentions | Self::Far | Self::Upgrades);
        plain || more || self.is_general()
    }

    /// It speaks of names that nobody listed: whatever else is known of an attribute counts instead.
    pub fn is_general(self) -> bool {
        let of_lists = matches!(self, Self::Grows | Self::Shrinks | Self::Narrows | Self::Spreads);
        let of_words = matches!(self, Self::Smaller | Self::Wider | Self::Falls | Self::Filters);
        of_lists || of_words || matches!(self, Self::Relaxes | Self::Dropped | Self::Raised | Self::Looser)
    }
}

/// A list of names and what they say.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub struct Sign {
    /// Kind of the mutation.
    pub kind: String,
    /// When it is one.
    pub sense: Sense,
    names: Words,
    /// Names that it leaves out.
    #[serde(default)]
    except: Words,
    /// The words that the sense is about.
    #[serde(default)]
    pub words: Words,
    /// Types of which it holds; none: of all. `*` stands for any text.
    #[serde(default)]
    types: Words,
    /// The class of types of which it holds.
    #[serde(default)]
    pub of: Class,
    /// It holds of what is made, too.
    #[serde(default)]
    pub made: bool,
}

impl Sign {
    /// Whether its words stand for a change from one text to another, `strict > lax`.
    pub fn relaxes(&self, was: &str, now: &str) -> bool {
        // Most words begin no list, and each word of a long plan is asked.
        if !self.is_of_any_word() && !is_strict(was) {
            return false;
        }
        let mut words = self.words.iter();
        let is = |word: &str, said: &str| crate::wildcard::fits(word, said);
        let strict = words.by_ref().take_while(|word| *word != ">").filter(|word| is(word, was)).count() > 0;
        let lax: Vec<&str> = words.collect();
        let is_lax = |said: &str| lax.iter().any(|word| is(word, said));
        // `* > none`: from none to off is no way down.
        strict && is_lax(now) && (lax == ["*"] && was != now || !is_lax(was))
    }

    /// Any other word may be the lax one, or the strict one.
    pub fn is_of_any_word(&self) -> bool {
        self.words.iter().next() == Some("*")
    }

    /// Whether a path is one of its names as a whole, not by a pattern.
    pub fn lists(&self, path: &str) -> bool {
        self.names.iter().any(|name| !name.contains('*') && ends_so(path, name))
    }

    /// It speaks of attributes of any name.
    pub fn is_of_any_name(&self) -> bool {
        self.names.has("*")
    }

    /// It speaks of any attribute whose name or word sounds like it: what is listed says more.
    pub fn is_loose(&self) -> bool {
        self.sense.is_general() && ["protection.word", "protection.switch"].contains(&self.kind.as_str())
    }

    /// It holds of some types alone.
    fn is_of_types(&self) -> bool {
        !self.types.is_empty() || self.of != Class::Own
    }
}

/// All lists.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub struct TerraformSigns {
    harmless: Words,
    minor: Words,
    settings: Words,
    contents: Words,
    selects: Words,
    computed: Words,
    /// Parts of names below which an address range lets nobody in.
    pub ways: Words,
    /// Parts of names of types of which that holds.
    pub way_types: Words,
    /// Parts of names of types of lists that stand at a network's edge, before the groups that let in.
    pub edge_types: Words,
    /// Parts of names of how long a range's prefix is.
    pub lengths: Words,
    /// Parts of names of the beginning of a range.
    pub beginnings: Words,
    /// Types of rules of which ranges of addresses are told that are not everybody.
    pub range_types: Words,
    /// What says from where a rule lets in.
    pub sources: Words,
    /// Patterns of names of zones that are outside.
    pub outer_zones: Words,
    /// What says which ports a rule is about.
    pub ports: Words,
    /// Names of blocks and switches that stand for everybody.
    pub everybody: Words,
    /// Attributes that decide who may do what.
    pub decides: Words,
    /// Attributes that decide what is deleted.
    pub deletes: Words,
    /// Attributes that name what a setting or a rule is about.
    pub about: Words,
    /// Times and numbers of rules that delete: what is greater keeps more.
    pub times: Words,
    /// Names of rights, each more than the one before; `|` stands between lists.
    pub ladders: Words,
    /// Lists whose entries say a name and a value.
    pub parameters: Words,
    /// Types of one setting each, whose `value` is of what another attribute names.
    pub pairs: Words,
    /// What gives full control.
    pub powers: super::terraform_crossing::Powers,
    /// What documents grant.
    pub policies: super::terraform_crossing::Policies,
    /// What holds entries that others let in or keep out.
    pub sets: super::terraform_crossing::Sets,
    /// What is said of people, and gives them nothing.
    pub personal: Words,
    /// Attributes that say where a thing is reached.
    pub addresses: Words,
    /// Words for sizes, each twice as much as the one before.
    pub sizes: Words,
    /// Words of names of machines that have whole processors.
    pub whole: Words,
    /// How bad something is, from the least on.
    pub severities: Words,
    /// Words of plans and tiers, from the least on.
    pub tiers: Words,
    /// Which way alarms are crossed.
    pub crossing: super::terraform_crossing::Crossing,
    /// Classes of types.
    types: Classes,
    /// What decides where no sign knows it.
    pub deciding: super::terraform_crossing::Deciding,
    /// What says what is looked for.
    pub patterns: super::terraform_crossing::Patterns,
    /// What names sound like where neither says anything.
    pub sounding: super::terraform_sounds::Sounding,
    sign: Vec<Sign>,
    /// The names of all signs.
    #[serde(skip)]
    index: OnceLock<Index>,
}

impl TerraformSigns {
    /// Changing what stands at this path loses nothing.
    pub fn is_harmless(&self, path: &str) -> bool {
        recalled(self.harmless, path, || self.loses_nothing(path))
    }

    fn loses_nothing(&self, path: &str) -> bool {
        if self.is_content(path) {
            return false;
        }
        let named = |name: &str| name.contains('.') && ends_so(path, name);
        // `policy_description`
        let labels = path.split('.').any(|part| self.harmless.has(part)) || path.ends_with("_description");
        labels && !self.acts(path) && !self.is_selected(path)
            // What stands below a block that says more than its own name does is no label.
            || self.minor.has(last_part(path)) && path.split('.').count() < 4 && !self.sign.iter().any(|sign| sign.names.iter().any(named))
    }

    /// A label or an annotation that another program acts on.
    fn acts(&self, path: &str) -> bool {
        let acts = |name: &str| {
            (name.starts_with("labels.") || name.starts_with("annotations.")) && ends_so(path, name)
        };
        path.contains('/') && self.sign.iter().any(|sign| sign.names.iter().any(acts))
    }

    /// Tags and labels by which a rule says what it is about.
    fn is_selected(&self, path: &str) -> bool {
        let is_mark = |part: &&str| part.contains("tag") || part.contains("label");
        let mut parts = path.split('.');
        parts.by_ref().take_while(|part| !is_mark(part)).any(|part| self.selects.has(part))
            && path.split('.').any(|part| is_mark(&part))
    }

    /// Whether one right is less than another, in a list of both.
    pub fn is_less(&self, less: &str, more: &str) -> bool {
        // `roles/x.dataViewer`: what stands in front of the last part is the same.
        let cut = |word: &'_ str| word.rfind(['/', '.']).map_or(0, |at| at + 1);
        let (front, other) = (cut(less), cut(more));
        if less[..front] != more[..other] {
            return false;
        }
        let (less, more) = (&less[front..], &more[other..]);
        let words: Vec<&str> = self.ladders.iter().collect();
        words.split(|word| *word == "|").any(|ladder| {
            let at = |word: &str| ladder.iter().position(|own| own.eq_ignore_ascii_case(word));
            at(less).zip(at(more)).is_some_and(|(less, more)| less < more)
        })
    }

    /// It says where and how something runs, and nothing of what it holds.
    pub fn is_setting(&self, path: &str) -> bool {
        if self.is_content(path) {
            return false;
        }
        let fits = |name: &str| match name.contains('.') {
            true => ends_so(path, name),
            false => path.split('.').any(|part| part == name || crate::wildcard::fits(name, part)),
        };
        self.settings.iter().any(fits)
    }

    /// Below a name like this a range of addresses is a way and not a door.
    pub fn is_way(&self, name: &str) -> bool {
        recalled(self.ways, name, || {
            let lower = name.to_ascii_lowercase();
            self.ways.iter().any(|part| lower.contains(part))
        })
    }

    /// It stands in a map whose keys people choose.
    pub fn is_content(&self, path: &str) -> bool {
        path.split_once('.').is_some_and(|(top, _)| self.contents.has(top))
    }

    /// The provider tells it, not a person.
    pub fn is_computed(&self, path: &str) -> bool {
        self.computed.has(last_part(path))
    }

    /// The signs that name a path.
    fn naming(&self, path: &str) -> Vec<&Sign> {
        let index = self.index.get_or_init(|| {
            let mut index = Index::default();
            for (at, sign) in self.sign.iter().enumerate() {
                sign.names.iter().for_each(|name| index.add(name, 2 * at));
                sign.except.iter().for_each(|name| index.add(name, 2 * at + 1));
            }
            index
        });
        let lists = index.lists(path);
        let named = lists.iter().filter(|list| *list % 2 == 0 && lists.binary_search(&(*list + 1)).is_err());
        named.filter_map(|list| self.sign.get(list / 2)).collect()
    }

    /// The signs that name a path: those of all types, of which the first counts of several that compare in the same way; and
    /// those of some types alone.
    pub fn of<'s>(&'s self, path: &str) -> (Vec<&'s Sign>, Vec<&'s Sign>) {
        let (typed, any): (Vec<&Sign>, Vec<&Sign>) =
            self.naming(path).into_iter().partition(|sign| sign.is_of_types());
        let mut found: Vec<&Sign> = Vec::new();
        for sign in any {
            let new = |known: &&Sign| known.sense.way() != sign.sense.way() || sign.sense.only_warns();
            if found.iter().all(new) {
                found.push(sign);
            }
        }
        (found, typed)
    }

    /// The names of all signs.
    #[cfg(test)]
    pub(super) fn all_names(&self) -> impl Iterator<Item = &'static str> {
        self.sign.iter().flat_map(|sign| sign.names.iter().chain(sign.except.iter()))
    }

    /// The signs that hold of a type alone, whose classes these are.
    pub fn of_type<'s>(&'s self, r#type: &str, classes: &[Class]) -> Vec<&'s Sign> {
        self.sign.iter().filter(|sign| sign.types.fit(r#type) || classes.contains(&sign.of)).collect()
    }

    /// The classes of a type, by its name.
    pub fn classes(&self, r#type: &str) -> Vec<Class> {
        let Classes { guards, alarms, silences, backups, working } = &self.types;
        let all = [
            (guards, Class::Guards),
            (alarms, Class::Alarms),
            (silences, Class::Silences),
            (backups, Class::Backups),
            (working, Class::Working),
        ];
        all.into_iter().filter(|(types, _)| types.have(r#type)).map(|(_, class)| class).collect()
    }

    /// Kinds that signs name.
    pub fn kinds(&self) -> impl Iterator<Item = &str> {
        self.sign.iter().map(|sign| sign.kind.as_str())
    }
}

/// Whether a word can be the strict one of any list.
pub fn is_strict(word: &str) -> bool {
    static STRICT: OnceLock<(HashSet<&str>, Vec<&str>)> = OnceLock::new();
    let (plain, patterns) = STRICT.get_or_init(|| {
        let signs = terraform_signs().sign.iter().filter(|sign| sign.sense == Sense::Relaxes);
        let words = signs.flat_map(|sign| sign.words.iter().take_while(|word| *word != ">"));
        let (patterns, plain): (Vec<&str>, Vec<&str>) = words.partition(|word| word.contains('*'));
        (plain.into_iter().collect(), patterns.into_iter().filter(|word| *word != "*").collect())
    });
    plain.contains(word) || patterns.iter().any(|pattern| crate::wildcard::fits(pattern, word))
}

/// The lists, read once. Empty, so that nothing is harmless by its name, if they could not be read; a test rules that out.
pub fn terraform_signs() -> &'static TerraformSigns {
    static SIGNS: OnceLock<TerraformSigns> = OnceLock::new();
    SIGNS.get_or_init(|| read().unwrap_or_default())
}

fn read() -> Result<TerraformSigns, serde_json::Error> {
    const PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/terraform_signs.deflate"));
    static TEXT: OnceLock<String> = OnceLock::new();
    serde_json::from_str(TEXT.get_or_init(|| packed::text(PACKED)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::Knowledge;

    #[test]
    fn the_lists_can_be_read_and_their_kinds_exist() {
        let signs = read().unwrap();
        assert!(signs.is_harmless("tags.Name") && signs.is_harmless("spec.template.metadata.labels.x"));
        assert!(!signs.is_harmless("rule.days"));
        assert!(signs.is_harmless("records.ttl") && !signs.is_harmless("ttl.enabled"));
        assert!(signs.is_setting("settings.maintenance_window.day") && signs.is_setting("policy"));
        assert!(!signs.is_setting("config.cleanup.policy") && !signs.is_setting("schema"));
        let knowledge = Knowledge::builtin();
        for kind in signs.kinds() {
            assert!(knowledge.kind(kind).is_some(), "{kind}");
        }
    }
}
