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
    /// Attributes that name the resource, best first.
    #[serde(default)]
    pub id: Vec<String>,
    /// Fact name → attribute path: `a.b[0].c`, `!path` negates, `path|default` says what the provider takes when the
    /// attribute is not set.
    #[serde(default)]
    pub facts: BTreeMap<String, String>,
    /// Facts that other resources of the state tell.
    #[serde(default)]
    pub related: Vec<Related>,
    /// Facts that protect what the resource holds → the kind of mutation that taking them away is: switched off, lowered, or
    /// no longer known.
    #[serde(default)]
    pub protects: BTreeMap<String, String>,
    /// Those of them in which 0 stands for a time without end.
    #[serde(default)]
    pub endless: Vec<String>,
    /// Attributes that say to whom it gives access and how much: what makes it is a grant.
    #[serde(default)]
    pub grants: Vec<String>,
    /// This is a `backup`, `replica` or `protection` of something else …
    pub relation: Option<String>,
    /// … which these attributes name.
    #[serde(default)]
    pub source: Vec<String>,
    /// Documentation that the rule rests on.
    #[serde(default)]
    pub doc: Vec<String>,
    /// Examples, run as tests; cut out of the embedded text.
    #[serde(default)]
    pub example: Vec<TerraformExample>,
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
    /// The tier, 1 to 5.
    pub tier: u8,
}

impl TerraformType {
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
        }
    }

    #[test]
    fn an_unknown_key_is_an_error_with_its_place() {
        let error = Pack::parse("x.toml", "[a]\nkind = \"k\"\ncolour = 1\n").unwrap_err().to_string();
        assert!(error.contains("x.toml") && error.contains("x.toml:3:"), "{error}");
    }
}
