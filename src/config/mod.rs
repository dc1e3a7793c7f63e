//! What configures the front ends: `config.toml`, `RECOURSE_*` variables, and where policy and knowledge files are.
//!
//! Owns the form of `config.toml`, its layers (built in, system, user, environment), the places of recourse's own files
//! and the reading of policy and knowledge files from theirs. Never
//! judges. A system file (`/etc/recourse/config.toml`) binds: what comes after it may only make attestation stricter. A
//! file that cannot be read strictly is an error, and nothing is judged or run with it.

mod file;
mod layers;
mod log;
mod places;
mod record;
#[cfg(test)]
mod tests;
mod trust;
mod variables;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::attest::Mode;
use crate::attest::fleet::Address;
use file::{AttestationSection, ConfigFile, PlacesSection};
use log::LogSection;
use record::RecordSection;
use trust::TrustSection;
use variables::Variables;

pub use file::ConfigError;
pub(crate) use file::is_audience;
pub use layers::{knowledge, knowledge_files, policy, policy_files, read_policy, variable};
pub use log::{LogConfig, most};
pub use places::user_places;
pub use record::RecordConfig;
pub use trust::{Followed, TrustConfig};

/// Where the machine's settings stand.
pub const SYSTEM_CONFIG: &str = "/etc/recourse/config.toml";
/// Where `recourse serve` listens by default, and so what attestations name by default.
pub const DEFAULT_BASE_URL: &str = "http://127.0.0.1:7471";
/// How long an attestation is good for unless configured (decisions on freshness: 15 minutes).
pub const DEFAULT_VALIDITY: Duration = Duration::from_secs(15 * 60);
/// How old an attestation may be that `require` accepts, unless configured.
pub const DEFAULT_MAX_AGE: Duration = Duration::from_secs(15 * 60);
/// How long a fetched registry is believed unless configured (§5.5, §7.8).
pub const DEFAULT_KEY_CACHE_TTL: Duration = Duration::from_secs(24 * 60 * 60);

/// Everything configured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// Attestation, for signing and for verifying.
    pub attestation: AttestationConfig,
}

/// `[attestation]` (protocol §7.8, and what an instance needs).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttestationConfig {
    /// Sign every evaluation. Follows from a mode other than `ignore` unless set.
    pub enabled: bool,
    /// Only the seven core fields, for consumers that refuse others.
    pub core_profile: bool,
    /// Name of this instance; made up on the first run when absent.
    pub instance_id: Option<String>,
    /// `instance_base_url`: what attestation URIs start with.
    pub base_url: String,
    /// How long an attestation of ours is good for.
    pub validity: Duration,
    /// Folder of static files that a change of keys is published to before it takes effect.
    pub publish_dir: Option<PathBuf>,
    /// What `POST /api/evaluate` signs is served to everybody.
    pub publish_evaluations: bool,
    /// File with the passphrase of encrypted private keys.
    pub passphrase_file: Option<PathBuf>,
    /// What `exec` demands (§7.3).
    pub mode: Mode,
    /// `instance_base_url`s that are believed; empty: see `exec` and decisions on trust.
    pub trusted_instances: Vec<String>,
    /// How long a fetched registry is believed.
    pub key_cache_ttl: Duration,
    /// Compare with the durable copy (§7.5).
    pub cross_check: bool,
    /// Oldest attestation that is accepted; in `require` mode there is always a bound.
    pub max_age: Option<Duration>,
    /// Whom attestations are for: this host, or the machines of one kind. Written into what is signed here, and demanded of
    /// what is about to run here.
    pub audience: Option<String>,
    /// In `require` mode, accept attestations without nonce and expiry: they can be replayed.
    pub allow_unfresh: bool,
    /// Instance that `exec` asks instead of judging alone.
    pub evaluator_url: Option<String>,
    /// File with the token for it.
    pub evaluator_token_file: Option<PathBuf>,
    /// The memory that machines share: nonces, attestations, the registry, full files of the audit log; none: this machine
    /// has its own.
    pub store: Option<Address>,
    /// How long attestations of keys that are retired or compromised are kept, since they were signed. None: until somebody takes
    /// them away.
    pub keep: Option<Duration>,
    /// The organisation's bundle that is followed (`[trust]`).
    pub trust: Option<TrustConfig>,
    /// What that bundle says of instances, where this configuration stands under one.
    pub followed: Option<Followed>,
    /// The transparency log (`[log]`).
    pub log: LogConfig,
    /// What is recorded also where nothing is attested (`[record]`).
    pub record: RecordConfig,
}

impl Default for AttestationConfig {
    fn default() -> Self {
        Self {
            enabled: false,
            core_profile: false,
            instance_id: None,
            base_url: DEFAULT_BASE_URL.to_owned(),
            validity: DEFAULT_VALIDITY,
            publish_dir: None,
            publish_evaluations: false,
            passphrase_file: None,
            mode: Mode::Ignore,
            trusted_instances: Vec::new(),
            key_cache_ttl: DEFAULT_KEY_CACHE_TTL,
            cross_check: false,
            max_age: None,
            audience: None,
            allow_unfresh: false,
            evaluator_url: None,
            evaluator_token_file: None,
            store: None,
            keep: None,
            trust: None,
            followed: None,
            log: LogConfig::default(),
            record: RecordConfig::default(),
        }
    }
}

impl AttestationConfig {
    /// Whether a person's approval is attested, and counts for nothing without. The core profile has no words for it.
    pub fn approvals_are_attested(&self) -> bool {
        self.enabled && !self.core_profile
    }
}

impl Config {
    /// Reads the system's file, the user's file and the environment.
    ///
    /// # Errors
    /// When one of them cannot be read strictly: unknown keys, wrong values, values that loosen what the system set.
    pub fn load() -> Result<Self, ConfigError> {
        let user = match variable("RECOURSE_CONFIG")? {
            Some(path) => Some((PathBuf::from(path), true)),
            None => dirs::config_dir().map(|dir| (dir.join("recourse/config.toml"), false)),
        };
        let system = file::read(Path::new(SYSTEM_CONFIG), false)?;
        let user = match user {
            Some((path, required)) => file::read(&path, required)?,
            None => None,
        };
        if user.as_ref().is_some_and(|user| user.places != PlacesSection::default()) {
            return Err(ConfigError::Value {
                place: "places".to_owned(),
                what: format!(
                    "belongs into {SYSTEM_CONFIG} alone; elsewhere XDG_DATA_HOME and its like say it"
                ),
            });
        }
        system.as_ref().map_or(Ok(()), |system| system.places.check())?;
        let found = Self::layered(system, user, &variable)?;
        let secret = [&found.attestation.passphrase_file, &found.attestation.evaluator_token_file];
        crate::world::keep_private(secret.into_iter().flatten().map(PathBuf::as_path));
        Ok(found)
    }

    /// The layers put together.
    fn layered(
        system: Option<ConfigFile>,
        user: Option<ConfigFile>,
        variable: &dyn Fn(&str) -> Result<Option<String>, ConfigError>,
    ) -> Result<Self, ConfigError> {
        let system = system.unwrap_or_default();
        let ConfigFile { attestation: mut section, mut log, mut record, mut trust, .. } =
            user.unwrap_or_default();
        let variables = Variables(variable);
        log.override_with(&LogSection::from_environment(&variables)?);
        log.bind_to(&system.log);
        trust.or_else(&TrustSection::from_environment(&variables)?);
        trust.bind_to(&system.trust, system.attestation.binds());
        record.override_with(&RecordSection::from_environment(&variables)?);
        record.bind_to(&system.record);
        section.override_with(&AttestationSection::from_environment(&variables)?);
        section.bind_to(&system.attestation)?;
        if system.trust.bundle.is_some() {
            section.bind_names(&system.attestation);
        }
        let mut attestation = section.finish()?;
        attestation.log = log.finish()?;
        attestation.trust = trust.finish()?;
        attestation.record = record.finish()?;
        attestation.record.store.clone_from(&attestation.store);
        Ok(Self { attestation })
    }
}
