//! Terraform types as data: which resource kind a type is, and which attributes are facts about it.

use std::collections::BTreeMap;

use serde::Deserialize;

/// One Terraform resource type: a table of `terraform/*.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TerraformType {
    /// Key of the kinds table.
    pub kind: String,
    /// Other types of which every word here holds too, the examples included.
    #[serde(default)]
    pub also: Vec<String>,
    /// Kind of its removal, where that is another one: a setting that is a protection.
    pub removed: Option<String>,
    /// Kind of its making, where that is another one: rules that delete what is there already.
    pub made: Option<String>,
    /// When its removal only makes Terraform forget it: `attribute` (true), `attribute = A | B`.
    #[serde(default)]
    pub forgets: Vec<String>,
    /// Attributes that name the resource, best first.
    #[serde(default)]
    pub id: Vec<String>,
    /// Fact name → attribute path: `a.b[0].c`, `!path` negates, `path|default` says what the provider takes when the
    /// attribute is not set. `list[].b` counts the elements that have it; `@block.attribute` stands in the provider's own
    /// configuration.
    #[serde(default)]
    pub facts: BTreeMap<String, String>,
    /// Facts that other resources of the state tell.
    #[serde(default)]
    pub related: Vec<Related>,
    /// Facts that protect what the resource holds → the kind of mutation that taking them away is: switched off, lowered, or
    /// no longer known. `fact = A | B`: it protects with these values only.
    #[serde(default)]
    pub protects: BTreeMap<String, String>,
    /// Those of them in which 0 stands for a time without end.
    #[serde(default)]
    pub endless: Vec<String>,
    /// Lists, by a path through them (`replica[].region_name`) → the kind of what goes when an update takes an element away.
    #[serde(default)]
    pub parts: BTreeMap<String, String>,
    /// Attributes that may open it to everybody: where they do, a grant besides. `attribute = A | B`: these values do;
    /// `attribute unless other = value`.
    #[serde(default)]
    pub opens: Vec<String>,
    /// Attributes that say to whom it gives access and how much: what makes it is a grant. `attribute = A | B`: with these
    /// values of full control.
    #[serde(default)]
    pub grants: Vec<String>,
    /// When what it grants is little and comes with every new service: lines in the language of ordinary grants.
    #[serde(default)]
    pub ordinary: Vec<String>,
    /// Attributes by which a grant may be one that denies: its removal lets more through.
    #[serde(default)]
    pub denies: Vec<String>,
    /// This is a `backup`, `replica`, `protection`, `member` or `setting` of something else …
    pub relation: Option<String>,
    /// … which these attributes name …
    #[serde(default)]
    pub source: Vec<String>,
    /// … and which is of one of these types; `*` stands for any text.
    #[serde(default)]
    pub of: Vec<String>,
    /// What lives in it and goes with it, whatever the plan says of that: `metadata[0].namespace of kubernetes_*`.
    #[serde(default)]
    pub holds: Vec<String>,
    /// From where to where it has something copied: `bucket to rule[].destination[0].bucket`, both of the types in `of`.
    #[serde(default)]
    pub links: Vec<String>,
    /// What it is stands in one of its attributes: its removal is that of the type which the attribute's value stands for.
    pub kin: Option<Kin>,
    /// Documentation that the rule rests on.
    #[serde(default)]
    pub doc: Vec<String>,
    /// Examples, run as tests; cut out of the embedded text.
    #[serde(default)]
    pub example: Vec<TerraformExample>,
}

/// The types that an attribute's values stand for.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kin {
    /// The attribute; what stands behind an `@` in it is a version.
    pub by: String,
    /// Value, in any case → type.
    pub types: BTreeMap<String, String>,
}

/// A fact that stands in other resources: how many there are, or an attribute of theirs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Related {
    /// The fact's name.
    pub fact: String,
    /// Type of the other resource.
    pub r#type: String,
    /// Its attribute that names this resource.
    pub attribute: String,
    /// Attribute of the other resource that is the fact; the number of such resources without it.
    pub value: Option<String>,
}

/// A change and the tier it must get.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TerraformExample {
    /// `create`, `update`, `delete`, `replace`.
    pub change: String,
    /// Attributes before.
    #[serde(default)]
    pub before: toml::Table,
    /// Attributes after (update).
    #[serde(default)]
    pub after: toml::Table,
    /// Other resources in the state: type → attributes.
    #[serde(default)]
    pub state: BTreeMap<String, toml::Table>,
    /// The provider's own configuration.
    #[serde(default)]
    pub provider: toml::Table,
    /// The tier, 1 to 5.
    pub tier: u8,
}

/// An attribute that may open a resource to everybody.
#[derive(Debug)]
pub struct Opening<'a> {
    /// Its name.
    pub attribute: &'a str,
    /// Values that open; none: what is a word for everybody anywhere.
    pub values: Vec<&'a str>,
    /// With this value of another attribute nothing is opened.
    pub unless: Option<(&'a str, &'a str)>,
}

impl TerraformType {
    /// Kinds that a change of it may be of besides its own, with the key that names each.
    pub fn more_kinds(&self) -> impl Iterator<Item = (&'static str, &String)> {
        let ends = [("removed", self.removed.as_ref()), ("made", self.made.as_ref())];
        let ends = ends.into_iter().filter_map(|(key, kind)| kind.map(|kind| (key, kind)));
        let parts = self.parts.values().map(|kind| ("parts", kind));
        ends.chain(self.protects.values().map(|kind| ("protects", kind))).chain(parts)
    }

    /// The fact that an entry of `protects` is about, and the values with which it protects, where only some do.
    pub fn protecting(entry: &str) -> (&str, Option<impl Iterator<Item = &str>>) {
        match entry.split_once('=') {
            Some((fact, values)) => (fact.trim(), Some(values.split('|').map(str::trim))),
            None => (entry, None),
        }
    }

    /// An entry of `opens`: the attribute, the values with which it opens, where only some do, and the attribute and value with
    /// which it does not (`cidr_blocks unless type = egress`).
    pub fn opening(entry: &str) -> Opening<'_> {
        let (entry, unless) = match entry.split_once(" unless ") {
            Some((entry, other)) => (entry, other.split_once('=')),
            None => (entry, None),
        };
        let (attribute, values) = match entry.split_once('=') {
            Some((attribute, values)) => (attribute, values.split('|').map(str::trim).collect()),
            None => (entry, Vec::new()),
        };
        let unless = unless.map(|(other, value)| (other.trim(), value.trim()));
        Opening { attribute: attribute.trim(), values, unless }
    }

    /// Entries of `holds`: the attribute that names the place, and the types that have it (`*` stands for any text).
    pub fn places(&self) -> impl Iterator<Item = (&str, &str)> {
        self.holds.iter().filter_map(|entry| entry.split_once(" of "))
    }

    /// Entries of `links`: the attributes that name what is copied and where to.
    pub fn linked(&self) -> impl Iterator<Item = (&str, &str)> {
        self.links.iter().filter_map(|entry| entry.split_once(" to "))
    }

    /// Reads an embedded type.
    pub(super) fn embedded(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }
}

#[cfg(test)]
mod tests {
    use crate::knowledge::{Knowledge, Pack};

    #[test]
    fn every_embedded_type_is_read_and_its_kind_exists() {
        let knowledge = Knowledge::builtin();
        let names = knowledge.terraform_types();
        assert!(names.len() > 100, "{}", names.len());
        for name in names {
            let declared = knowledge.terraform(name);
            let declared = declared.unwrap_or_else(|| panic!("{name} is not read"));
            assert!(knowledge.kind(&declared.kind).is_some(), "{name}: kind {} is not read", declared.kind);
            assert_eq!(
                declared.places().count(),
                declared.holds.len(),
                "{name}: `holds` is `attribute of types`"
            );
            assert_eq!(
                declared.linked().count(),
                declared.links.len(),
                "{name}: `links` is `attribute to attribute`"
            );
            for other in declared.kin.iter().flat_map(|kin| kin.types.values()) {
                assert!(knowledge.terraform(other).is_some(), "{name}: {other} is not declared");
            }
        }
    }

    #[test]
    fn an_unknown_key_is_an_error_with_its_place() {
        let error = Pack::parse("x.toml", "[a]\nkind = \"k\"\ncolour = 1\n").unwrap_err().to_string();
        assert!(error.contains("x.toml") && error.contains("x.toml:3:"), "{error}");
    }
}
