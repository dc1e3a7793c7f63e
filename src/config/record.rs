//! `[record]`: what is recorded of commands that were not plainly allowed, and how much of it is kept.

use std::time::Duration;

use serde::Deserialize;

use crate::attest::audit::Limits;
use crate::attest::fleet::Address;

use super::ConfigError;
use super::variables::{Variables, value};

/// Bytes of a file of the record.
const SEGMENT: u64 = 16 << 20;
/// Files that are kept.
const SEGMENTS: usize = 8;
const MIB: u64 = 1 << 20;
const DAY: u64 = 24 * 60 * 60;

/// `[record]`, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordConfig {
    /// Refusals, questions and whatever else was not plainly allowed are recorded.
    pub enabled: bool,
    /// So is what was plainly allowed.
    pub allowed: bool,
    /// How much is kept.
    pub limits: Limits,
    /// Where full files go as well: the store that machines share.
    pub store: Option<Address>,
}

impl Default for RecordConfig {
    fn default() -> Self {
        let limits = Limits { segment: SEGMENT, segments: SEGMENTS, age: None };
        Self { enabled: true, allowed: false, limits, store: None }
    }
}

/// `[record]` as written: absent means not said.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordSection {
    enabled: Option<bool>,
    allowed: Option<bool>,
    segment_mib: Option<u64>,
    segments: Option<usize>,
    days: Option<u64>,
}

impl RecordSection {
    /// What the environment says.
    pub(super) fn from_environment(variables: &Variables<'_>) -> Result<Self, ConfigError> {
        Ok(Self {
            enabled: variables.flag("RECOURSE_RECORD")?,
            allowed: variables.flag("RECOURSE_RECORD_ALLOWED")?,
            ..Self::default()
        })
    }

    /// Takes what `later` says over what this says.
    pub(super) fn override_with(&mut self, later: &Self) {
        self.enabled = later.enabled.or(self.enabled);
        self.allowed = later.allowed.or(self.allowed);
        self.segment_mib = later.segment_mib.or(self.segment_mib);
        self.segments = later.segments.or(self.segments);
        self.days = later.days.or(self.days);
    }

    /// Puts this on top of the system's: what is recorded there stays recorded, and is kept as long as it says.
    pub(super) fn bind_to(&mut self, system: &Self) {
        let own = std::mem::replace(self, system.clone());
        self.override_with(&own);
        for (ours, theirs) in [(&mut self.enabled, system.enabled), (&mut self.allowed, system.allowed)] {
            if theirs == Some(true) {
                *ours = theirs;
            }
        }
        self.segment_mib = system.segment_mib.or(self.segment_mib);
        self.segments = system.segments.or(self.segments);
        self.days = system.days.or(self.days);
    }

    /// Checks values and fills in what was not said.
    pub(super) fn finish(self) -> Result<RecordConfig, ConfigError> {
        let usual = RecordConfig::default();
        if self.segment_mib.is_some_and(|size| !(1..=1024).contains(&size)) {
            return Err(value("record.segment_mib", "is between 1 and 1024"));
        }
        if self.segments == Some(1) {
            return Err(value("record.segments", "is 2 or more, or 0 to keep all"));
        }
        if self.days.is_some_and(|days| !(1..=36_500).contains(&days)) {
            return Err(value("record.days", "is between 1 and 36500"));
        }
        Ok(RecordConfig {
            enabled: self.enabled.unwrap_or(usual.enabled),
            allowed: self.allowed.unwrap_or(usual.allowed),
            limits: Limits {
                segment: self.segment_mib.map_or(SEGMENT, |size| size * MIB),
                segments: self.segments.unwrap_or(SEGMENTS),
                age: self.days.map(|days| Duration::from_secs(days * DAY)),
            },
            store: None,
        })
    }
}
