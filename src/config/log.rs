//! `[log]`: the transparency log that this instance keeps, and the logs and witnesses that it believes.

use serde::Deserialize;

use crate::attest::tlog::Vkey;
use crate::attest::tlog::ask::Asked;

use super::ConfigError;
use super::variables::{Variables, value};

/// `[log]`, checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogConfig {
    /// Keep a transparency log of what is signed here.
    pub keep: bool,
    /// Logs that are believed, by their keys; none: this instance's own alone.
    pub keys: Vec<Vkey>,
    /// Only those are, and one's own is not: an organisation's bundle says which.
    pub believed: bool,
    /// Witnesses that are believed, and where the log asks them.
    pub witnesses: Vec<Asked>,
    /// How many witnesses must have seen a checkpoint; none said: most of them.
    pub quorum: usize,
    /// Whether what is not in a log counts for nothing.
    pub require: bool,
}

/// `[log]` as written: absent means not said.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LogSection {
    keep: Option<bool>,
    keys: Option<Vec<String>>,
    witnesses: Option<Vec<String>>,
    quorum: Option<usize>,
    require: Option<bool>,
}

impl LogSection {
    /// What the environment says.
    pub(super) fn from_environment(variables: &Variables<'_>) -> Result<Self, ConfigError> {
        Ok(Self {
            keep: variables.flag("RECOURSE_LOG")?,
            keys: variables.list("RECOURSE_LOG_KEYS")?,
            witnesses: variables.list("RECOURSE_WITNESSES")?,
            quorum: variables.number("RECOURSE_WITNESS_QUORUM", "")?,
            require: variables.flag("RECOURSE_REQUIRE_LOG")?,
        })
    }

    /// Takes what `later` says over what this says.
    pub(super) fn override_with(&mut self, later: &Self) {
        self.keep = later.keep.or(self.keep);
        self.quorum = later.quorum.or(self.quorum);
        self.require = later.require.or(self.require);
        for (own, other) in [(&mut self.keys, &later.keys), (&mut self.witnesses, &later.witnesses)] {
            if other.is_some() {
                own.clone_from(other);
            }
        }
    }

    /// Puts this on top of the system's: what is demanded there stays demanded, of those who are believed there.
    pub(super) fn bind_to(&mut self, system: &Self) {
        let own = std::mem::replace(self, system.clone());
        self.override_with(&own);
        if system.require != Some(true) {
            return;
        }
        self.require = Some(true);
        self.keys.clone_from(&system.keys);
        self.witnesses.clone_from(&system.witnesses);
        self.quorum = match (system.quorum, own.quorum) {
            (Some(there), Some(here)) => Some(there.max(here)),
            (there, _) => there,
        };
    }

    /// Checks values and fills in what was not said.
    pub(super) fn finish(self) -> Result<LogConfig, ConfigError> {
        let keys = self.keys.unwrap_or_default();
        let keys = keys.iter().map(|text| text.parse::<Vkey>());
        let keys: Vec<Vkey> =
            keys.collect::<Result<_, _>>().map_err(|error| value("log.keys", error.to_string()))?;
        let witnesses = self.witnesses.unwrap_or_default();
        let witnesses = witnesses.iter().map(|text| text.parse::<Asked>());
        let witnesses: Vec<Asked> =
            witnesses.collect::<Result<_, _>>().map_err(|error| value("log.witnesses", error.to_string()))?;
        let quorum = self.quorum.unwrap_or_else(|| most(witnesses.len()));
        Ok(LogConfig {
            keep: self.keep.unwrap_or(false),
            keys,
            believed: false,
            witnesses,
            quorum,
            require: self.require.unwrap_or(false),
        })
    }
}

/// More than half of so many; none of none.
pub fn most(of: usize) -> usize {
    if of == 0 { 0 } else { of / 2 + 1 }
}
