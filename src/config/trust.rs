//! `[trust]`: the organisation's bundle that this machine follows, and what its demands make of the configuration.
//!
//! Owns that a bundle only tightens: it takes no instance in that is not in it, and makes nothing milder than this machine
//! has it; and that no variable takes the place of one that a file says to follow.

use std::path::Path;
use std::time::Duration;

use serde::Deserialize;

use crate::attest::tlog::Vkey;
use crate::attest::trust::{Bundle, Demands, Pinned};
use crate::attest::{Failure, Origin};

use super::variables::{Variables, value};
use super::{AttestationConfig, ConfigError};

/// How often a newer bundle is asked for, unless configured.
const REFRESH: Duration = Duration::from_secs(3600);

/// `[trust]`, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustConfig {
    /// Where the bundle is: a URL, or an absolute path.
    pub bundle: String,
    /// Whose signatures count.
    pub keys: Vec<Vkey>,
    /// How many of them there have to be.
    pub threshold: usize,
    /// After how long a newer one is asked for.
    pub refresh: Duration,
}

/// The instances that count where a bundle is followed; or why none does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Followed(pub Result<Vec<Pinned>, Failure>);

/// `[trust]` as written: absent means not said.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TrustSection {
    pub(super) bundle: Option<String>,
    keys: Option<Vec<String>>,
    threshold: Option<usize>,
    refresh: Option<u64>,
}

impl TrustSection {
    /// What the environment says.
    pub(super) fn from_environment(variables: &Variables<'_>) -> Result<Self, ConfigError> {
        Ok(Self {
            bundle: variables.text("RECOURSE_TRUST_BUNDLE")?,
            keys: variables.list("RECOURSE_TRUST_KEYS")?,
            threshold: variables.number("RECOURSE_TRUST_THRESHOLD", "")?,
            refresh: None,
        })
    }

    /// Takes what the variables say where this follows no bundle: whoever could name another one, or other keys, would drop
    /// what this one demands.
    pub(super) fn or_else(&mut self, variables: &Self) {
        if self.bundle.is_some() {
            return;
        }
        self.bundle.clone_from(&variables.bundle);
        // Keys without a bundle are for whichever is named.
        if self.keys.is_none() {
            self.keys.clone_from(&variables.keys);
            self.threshold = variables.threshold.or(self.threshold);
        }
    }

    /// Puts this on top of the system's: where that follows a bundle, it says which and whose. Where it says whom to trust in
    /// another way, nobody's bundle takes others in. Where it says no more than whose signatures count, others' do not.
    pub(super) fn bind_to(&mut self, system: &Self, says_whom: bool) {
        if system.bundle.is_some() || says_whom {
            self.clone_from(system);
            return;
        }
        if system.keys.is_some() {
            self.keys.clone_from(&system.keys);
            self.threshold = system.threshold;
        }
        self.refresh = self.refresh.into_iter().chain(system.refresh).min();
    }

    /// Checks values and fills in what was not said.
    pub(super) fn finish(self) -> Result<Option<TrustConfig>, ConfigError> {
        let Some(bundle) = self.bundle else { return Ok(None) };
        if !Path::new(&bundle).is_absolute() {
            let origin = Origin::of(&bundle).map_err(|error| {
                value("trust.bundle", format!("{bundle:?} is no absolute path, and {error}"))
            })?;
            if !origin.is_secure() && !origin.is_loopback() {
                return Err(value("trust.bundle", "is asked over https only, and http on this machine"));
            }
        }
        let keys = self.keys.unwrap_or_default();
        let keys = keys.iter().map(|text| text.parse::<Vkey>()).collect::<Result<Vec<_>, _>>();
        let keys = keys.map_err(|error| value("trust.keys", error.to_string()))?;
        let threshold = self.threshold.unwrap_or(1);
        if keys.is_empty() || threshold == 0 || threshold > keys.len() {
            return Err(value(
                "trust.keys",
                "are those that sign the bundle, at least as many as `threshold` demands: `recourse trust key` prints one",
            ));
        }
        let refresh = self.refresh.map_or(REFRESH, Duration::from_secs);
        Ok(Some(TrustConfig { bundle, keys, threshold, refresh }))
    }
}

impl AttestationConfig {
    /// This configuration under a bundle: nothing in it is milder than either says.
    #[must_use]
    pub fn under(mut self, bundle: &Bundle) -> Self {
        let demands = &bundle.demands;
        if let Some(mode) = demands.mode {
            // The modes stand in the order of what they demand.
            let place = |mode| crate::attest::Mode::ALL.into_iter().position(|other| other == mode);
            if place(self.mode) < place(mode) {
                self.mode = mode;
                self.enabled = true;
            }
        }
        let least = |own: Option<Duration>, there: Option<u64>| match (own, there.map(Duration::from_secs)) {
            (Some(own), Some(there)) => Some(own.min(there)),
            (own, there) => own.or(there),
        };
        self.max_age = least(self.max_age, demands.max_age);
        if self.mode == crate::attest::Mode::Require {
            self.max_age = self.max_age.or(Some(super::DEFAULT_MAX_AGE));
        }
        self.key_cache_ttl =
            least(Some(self.key_cache_ttl), demands.key_cache_ttl).unwrap_or(self.key_cache_ttl);
        self.cross_check |= demands.cross_check;
        self.believe(demands);
        let own: Vec<Origin> =
            self.trusted_instances.iter().filter_map(|url| Origin::base(url).ok()).collect();
        let counts = |one: &&Pinned| own.is_empty() || own.contains(&one.origin);
        self.followed = Some(Followed(Ok(bundle.instances.iter().filter(counts).cloned().collect())));
        self
    }

    /// The same where there is no bundle that counts: no instance does.
    #[must_use]
    pub fn without_bundle(mut self, why: Failure) -> Self {
        self.followed = Some(Followed(Err(why)));
        self
    }

    /// Logs and witnesses: where both say some, those that both say.
    fn believe(&mut self, demands: &Demands) {
        let log = &mut self.log;
        if !demands.require_log {
            return;
        }
        // One's own log is no log that the organisation believes.
        let own = std::mem::replace(&mut log.keys, demands.log_keys.clone());
        if log.require && !own.is_empty() {
            log.keys.retain(|key| own.contains(key));
        }
        log.believed = true;
        log.require = true;
        if !demands.witnesses.is_empty() {
            let addressed = std::mem::take(&mut log.witnesses);
            let url = |key: &Vkey| addressed.iter().find(|one| one.key == *key).map(|one| one.url.clone());
            log.witnesses = demands
                .witnesses
                .iter()
                .map(|key| crate::attest::tlog::ask::Asked { url: url(key).flatten(), key: key.clone() })
                .collect();
            let quorum = demands.witness_quorum.unwrap_or_else(|| super::most(demands.witnesses.len()));
            log.quorum = log.quorum.max(quorum);
        }
    }
}
