//! The form of `config.toml`, read strictly, and how its layers go together.

use std::fs;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use crate::attest::fleet::Address;
use crate::attest::{Mode, Origin};

use super::layers::{metadata, open_to_others};
use super::log::{LogConfig, LogSection};
use super::record::{RecordConfig, RecordSection};
use super::trust::TrustSection;
use super::variables::{Variables, value};
use super::{AttestationConfig, DEFAULT_BASE_URL, DEFAULT_KEY_CACHE_TTL, DEFAULT_MAX_AGE, DEFAULT_VALIDITY};

/// A configuration larger than this is not one.
const LIMIT: u64 = 1 << 20;
/// Attestations that are good for longer prove nothing about now.
const LONGEST_VALIDITY: u64 = 7 * 24 * 60 * 60;

/// Why a configuration is not used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// A file that cannot be read.
    #[error("{path}: {what}; nothing is judged with a broken configuration")]
    File {
        /// The file.
        path: String,
        /// What is wrong.
        what: String,
    },
    /// A policy or knowledge file; the text says which, what, and that nothing is judged with it.
    #[error("{0}")]
    Judging(String),
    /// A value that is none.
    #[error("{place} {what}")]
    Value {
        /// Variable or key.
        place: String,
        /// What is wrong.
        what: String,
    },
}

/// `config.toml`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ConfigFile {
    #[serde(default)]
    pub(super) attestation: AttestationSection,
    #[serde(default)]
    pub(super) log: LogSection,
    #[serde(default)]
    pub(super) record: RecordSection,
    #[serde(default)]
    pub(super) trust: TrustSection,
    #[serde(default)]
    pub(super) places: PlacesSection,
}

/// `[places]` of the system's file: where recourse keeps its own files, whatever the environment says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PlacesSection {
    pub(super) data_dir: Option<PathBuf>,
    pub(super) state_dir: Option<PathBuf>,
    pub(super) cache_dir: Option<PathBuf>,
}

impl PlacesSection {
    /// Checks what is set: folders with an absolute path.
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        let all =
            [("data_dir", &self.data_dir), ("state_dir", &self.state_dir), ("cache_dir", &self.cache_dir)];
        for (name, path) in all {
            let plain = |path: &Path| path.components().all(|part| !matches!(part, Component::ParentDir));
            if path.as_deref().is_some_and(|path| !path.is_absolute() || !plain(path)) {
                return Err(value(&format!("places.{name}"), "is an absolute path without `..`"));
            }
        }
        Ok(())
    }
}

impl ConfigFile {
    /// Whether the system's file takes the places of state, log and nonces out of the environment's hands.
    pub(super) fn binds_places(&self) -> bool {
        let section = &self.attestation;
        self.places != PlacesSection::default()
            || self.trust.bundle.is_some()
            || section.trusted_instances.is_some()
            || section.mode.as_deref().is_some_and(|mode| mode != Mode::Ignore.as_str())
    }
}

/// `[attestation]` as written: absent means not said.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AttestationSection {
    enabled: Option<bool>,
    profile: Option<String>,
    instance_id: Option<String>,
    base_url: Option<String>,
    validity: Option<u64>,
    publish_dir: Option<PathBuf>,
    passphrase_file: Option<PathBuf>,
    mode: Option<String>,
    trusted_instances: Option<Vec<String>>,
    key_cache_ttl: Option<u64>,
    cross_check: Option<bool>,
    publish_evaluations: Option<bool>,
    max_age: Option<u64>,
    allow_unfresh: Option<bool>,
    audience: Option<String>,
    evaluator_url: Option<String>,
    evaluator_token_file: Option<PathBuf>,
    store: Option<String>,
    keep_days: Option<u64>,
}

/// Reads a file; `None` when there is none and none is required.
pub(super) fn read(path: &Path, required: bool) -> Result<Option<ConfigFile>, ConfigError> {
    let wrong = |what: String| ConfigError::File { path: path.display().to_string(), what };
    match metadata(path) {
        Ok(None) if !required => return Ok(None),
        Ok(None) => return Err(wrong("there is no such file".to_owned())),
        Ok(Some(meta)) if !meta.is_file() => return Err(wrong("not a regular file".to_owned())),
        Ok(Some(meta)) if meta.len() > LIMIT => {
            return Err(wrong("larger than a configuration can be".to_owned()));
        }
        Ok(Some(meta)) => {
            if let Some(what) = open_to_others(&meta).filter(|_| path == Path::new(super::SYSTEM_CONFIG)) {
                return Err(wrong(what.to_owned()));
            }
        }
        Err(error) => return Err(wrong(error.to_string())),
    }
    let text = fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    parse(&text).map(Some).map_err(wrong)
}

/// Reads the text of a file.
pub(super) fn parse(text: &str) -> Result<ConfigFile, String> {
    // One line: it is told in rows and questions.
    toml::from_str(text).map_err(|error: toml::de::Error| {
        let line =
            error.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        format!("line {line}: {}", error.message().lines().collect::<Vec<_>>().join(" "))
    })
}

impl AttestationSection {
    /// What the environment says.
    pub(super) fn from_environment(variables: &Variables<'_>) -> Result<Self, ConfigError> {
        let flag = |name: &str| variables.flag(name);
        let text = |name: &str| variables.text(name);
        let seconds = |name: &str| variables.number(name, " of seconds");
        Ok(Self {
            enabled: flag("RECOURSE_ATTESTATION")?,
            profile: text("RECOURSE_ATTESTATION_PROFILE")?,
            instance_id: text("RECOURSE_INSTANCE_ID")?,
            base_url: text("RECOURSE_BASE_URL")?,
            validity: seconds("RECOURSE_ATTESTATION_VALIDITY")?,
            publish_dir: text("RECOURSE_PUBLISH_DIR")?.map(PathBuf::from),
            passphrase_file: text("RECOURSE_KEY_PASSPHRASE_FILE")?.map(PathBuf::from),
            mode: text("RECOURSE_ATTESTATION_MODE")?,
            trusted_instances: variables.list("RECOURSE_TRUSTED_INSTANCES")?,
            key_cache_ttl: seconds("RECOURSE_KEY_CACHE_TTL")?,
            cross_check: flag("RECOURSE_CROSS_CHECK")?,
            publish_evaluations: flag("RECOURSE_PUBLISH_EVALUATIONS")?,
            max_age: seconds("RECOURSE_ATTESTATION_MAX_AGE")?,
            allow_unfresh: flag("RECOURSE_ALLOW_UNFRESH")?,
            audience: text("RECOURSE_AUDIENCE")?,
            evaluator_url: text("RECOURSE_EVALUATOR_URL")?,
            evaluator_token_file: text("RECOURSE_EVALUATOR_TOKEN_FILE")?.map(PathBuf::from),
            store: text("RECOURSE_ATTESTATION_STORE")?,
            // What is kept is for who administers the machine to say.
            keep_days: None,
        })
    }

    /// Takes what `later` says over what this says.
    pub(super) fn override_with(&mut self, later: &Self) {
        macro_rules! take {
            ($($field:ident),*) => {$(
                if later.$field.is_some() {
                    self.$field.clone_from(&later.$field);
                }
            )*};
        }
        take!(
            enabled,
            profile,
            instance_id,
            base_url,
            validity,
            publish_dir,
            passphrase_file,
            mode,
            trusted_instances,
            key_cache_ttl,
            cross_check,
            publish_evaluations,
            max_age,
            allow_unfresh,
            audience,
            evaluator_url,
            evaluator_token_file,
            store,
            keep_days
        );
    }

    /// Puts this on top of the system's: what is said there about demands may only become stricter.
    pub(super) fn bind_to(&mut self, system: &Self) -> Result<(), ConfigError> {
        let own = std::mem::replace(self, system.clone());
        self.override_with(&own);
        if let (Some(there), Some(here)) = (&system.mode, &own.mode)
            && strictness(mode(here)?) < strictness(mode(there)?)
        {
            self.mode.clone_from(&system.mode);
        }
        let requires = system.mode.as_deref().map(mode).transpose()? == Some(Mode::Require);
        // Where the system requires attestations and names nobody, this instance alone counts: to name others is milder.
        if requires || system.trusted_instances.as_ref().is_some_and(|list| !list.is_empty()) {
            self.trusted_instances.clone_from(&system.trusted_instances);
        }
        if system.binds() {
            self.bind_names(system);
            // Whom it is for and what remembers are the file's to say: where it says nothing, nobody does.
            self.audience.clone_from(&system.audience);
            self.store.clone_from(&system.store);
            // A compromise is not noticed later because the file did not say when.
            let longest = system.key_cache_ttl.unwrap_or(DEFAULT_KEY_CACHE_TTL.as_secs());
            self.key_cache_ttl = self.key_cache_ttl.map(|own| own.min(longest));
        }
        if system.store.is_some() {
            // Who chooses the memory chooses what it remembers.
            self.store.clone_from(&system.store);
        }
        self.keep_days = system.keep_days.or(self.keep_days);
        if system.publish_evaluations == Some(false) {
            self.publish_evaluations = Some(false);
        }
        if system.cross_check == Some(true) {
            self.cross_check = Some(true);
        }
        if system.mode.is_some() && system.allow_unfresh != Some(true) {
            self.allow_unfresh = Some(false);
        }
        if system.enabled == Some(true) {
            self.enabled = Some(true);
        }
        // What the system requires is not made good for longer by leaving out that it did not say how long.
        let longest = system.max_age.or_else(|| requires.then_some(DEFAULT_MAX_AGE.as_secs()));
        if let (Some(there), Some(here)) = (longest, own.max_age) {
            self.max_age = Some(there.min(here));
        }
        if system.audience.is_some() {
            self.audience.clone_from(&system.audience);
        }
        if let (Some(there), Some(here)) = (system.key_cache_ttl, own.key_cache_ttl) {
            self.key_cache_ttl = Some(there.min(here));
        }
        Ok(())
    }

    /// Whether a system's file with this says whom to trust.
    pub(super) fn binds(&self) -> bool {
        self.mode.is_some() || self.trusted_instances.is_some()
    }

    /// Who this instance is and who is asked decide whose keys count: no variable may take another's name.
    pub(super) fn bind_names(&mut self, system: &Self) {
        self.base_url.clone_from(&system.base_url);
        self.evaluator_url.clone_from(&system.evaluator_url);
    }

    /// Checks values and fills in what was not said.
    pub(super) fn finish(self) -> Result<AttestationConfig, ConfigError> {
        let mode = self.mode.as_deref().map_or(Ok(Mode::Ignore), mode)?;
        let core_profile = match self.profile.as_deref() {
            None | Some("full") => false,
            Some("core") => true,
            Some(other) => {
                return Err(value("attestation.profile", format!("is full or core, not {other:?}")));
            }
        };
        let url = |place: &str, text: &str| {
            Origin::base(text).map_err(|error| value(place, format!("{text:?}: {error}")))
        };
        let base_url = self.base_url.unwrap_or_else(|| DEFAULT_BASE_URL.to_owned());
        let base_url = url("attestation.base_url", &base_url)?.to_string();
        let trusted_instances = self.trusted_instances.unwrap_or_default();
        for instance in &trusted_instances {
            url("attestation.trusted_instances", instance)?;
        }
        if let Some(evaluator) = &self.evaluator_url {
            url("attestation.evaluator_url", evaluator)?;
        }
        let validity = self.validity.map_or(DEFAULT_VALIDITY, Duration::from_secs);
        if validity.is_zero() || validity.as_secs() > LONGEST_VALIDITY {
            return Err(value("attestation.validity", "is between 1 second and 7 days"));
        }
        if self.keep_days.is_some_and(|days| !(1..=36_500).contains(&days)) {
            return Err(value("attestation.keep_days", "is between 1 and 36500"));
        }
        if self.audience.as_ref().is_some_and(|name| !is_audience(name)) {
            return Err(value(
                "attestation.audience",
                "is up to 200 printable ASCII characters without spaces",
            ));
        }
        let audience = self.audience;
        if let Some(id) = &self.instance_id {
            let good = id.len() <= 64
                && id.starts_with(|c: char| c.is_ascii_alphanumeric())
                && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
            if !good {
                let what = "is up to 64 letters, digits, `-`, `_` and `.`, beginning with a letter or digit";
                return Err(value("attestation.instance_id", what));
            }
        }
        let store = |text: &str| {
            Address::parse(text).map_err(|error| value("attestation.store", format!("{text:?}: it {error}")))
        };
        Ok(AttestationConfig {
            store: self.store.as_deref().map(store).transpose()?,
            keep: self.keep_days.map(|days| Duration::from_secs(days * 86_400)),
            enabled: self.enabled.unwrap_or(mode != Mode::Ignore),
            core_profile,
            instance_id: self.instance_id,
            base_url,
            validity,
            publish_dir: self.publish_dir,
            passphrase_file: self.passphrase_file,
            mode,
            trusted_instances,
            key_cache_ttl: self.key_cache_ttl.map_or(DEFAULT_KEY_CACHE_TTL, Duration::from_secs),
            cross_check: self.cross_check.unwrap_or(false),
            publish_evaluations: self.publish_evaluations.unwrap_or(false),
            max_age: self
                .max_age
                .map(Duration::from_secs)
                .or_else(|| (mode == Mode::Require).then_some(DEFAULT_MAX_AGE)),
            audience,
            allow_unfresh: self.allow_unfresh.unwrap_or(false),
            evaluator_url: self.evaluator_url,
            evaluator_token_file: self.evaluator_token_file,
            trust: None,
            followed: None,
            log: LogConfig::default(),
            record: RecordConfig::default(),
        })
    }
}

/// Whether a text may name whom an attestation is for.
pub(crate) fn is_audience(text: &str) -> bool {
    (1..=200).contains(&text.len()) && text.bytes().all(|byte| (0x21..=0x7e).contains(&byte))
}

fn mode(text: &str) -> Result<Mode, ConfigError> {
    text.parse()
        .map_err(|_| value("attestation.mode", format!("is ignore, log, verify or require, not {text:?}")))
}

/// Where a mode stands among all, from the mildest.
fn strictness(mode: Mode) -> Option<usize> {
    Mode::ALL.into_iter().position(|other| other == mode)
}
