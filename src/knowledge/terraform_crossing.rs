//! Small lists of `terraform_signs.toml`: which way an alarm's threshold is crossed, what holds entries of others, and what
//! counts in documents.

use serde::Deserialize;

use super::tool_words::Words;

/// Which way alarms are crossed.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub struct Crossing {
    /// Attributes that say it.
    pub operators: Words,
    /// Attributes that are crossed.
    pub thresholds: Words,
    /// Patterns of words for a value that gets too great.
    pub above: Words,
    /// Patterns of words for a value that gets too small.
    pub below: Words,
}

/// What holds entries that others let in or keep out.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub struct Sets {
    /// Patterns of names of types.
    pub are: Words,
    /// Attributes that say which of both.
    pub says: Words,
}

/// What counts in documents that say who may do what.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub struct Policies {
    /// Types whose documents only limit what others grant.
    pub limits: Words,
    /// Acts by which one gets at more rights, whatever they are allowed on.
    pub always: Words,
    /// Those by which one gives oneself all rights, where they are allowed on everything.
    pub escalates: Words,
    /// The same, and acts that read secrets or take away, on all things of a sort.
    pub strong: Words,
    /// Beginnings of keys of conditions that say which things are meant.
    pub bounding: Words,
    /// Accounts of the provider itself.
    pub known_accounts: Words,
    /// Issuers of tokens that everybody can have.
    pub issuers: Words,
}
