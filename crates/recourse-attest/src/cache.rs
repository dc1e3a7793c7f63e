//! Registries of other instances: fetched, kept for a while, and never replaced by older ones (§5.5).
//!
//! Owns when a registry is fetched, which one is accepted, and the forced refresh with its record. The network and the
//! place where registries are kept are traits; [`MemoryStore`] and [`DirectoryStore`] are given here, `fetch` has HTTP.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::accept::{is_compromised, left_out};
use super::disk::{self, Access, DiskError, Lock};
use super::document::hex;
use super::origin::Origin;
use super::reason::{Failure, Reason};
use super::registry::{KeyEntry, KeyState, Registry};
use super::time::Time;
use super::tlog::checkpoint;
use super::tlog::merkle::Hash;
use crate::json as strict;

/// A registry is at most this many bytes.
pub const REGISTRY_LIMIT: usize = 1 << 20;
/// How long a registry is used before it is fetched again, in seconds, unless configured: a day.
pub const DEFAULT_TTL: u64 = 86_400;
/// Pause before a second attempt.
pub(super) const PAUSE: Duration = Duration::from_millis(200);

/// Gets documents from instances.
pub trait Fetch: Send + Sync {
    /// The body of a successful answer, at most `limit` bytes. Redirects are not followed.
    ///
    /// # Errors
    /// Anything else.
    fn get(&self, url: &str, limit: usize) -> Result<Vec<u8>, FetchError>;
}

/// A document that could not be had.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{url} could not be fetched: {why}")]
pub struct FetchError {
    /// What was wanted.
    pub url: String,
    /// What went wrong.
    pub why: String,
    /// Whether trying again may help.
    pub transient: bool,
    /// Whether it is this machine that lacks something to ask with.
    pub local: bool,
}

/// Most signs of an address that are repeated.
const SHOWN: usize = 300;

impl FetchError {
    /// There is no answer, or none that is taken.
    pub fn of(url: &str, why: String, transient: bool) -> Self {
        Self { url: url.chars().take(SHOWN).collect(), why, transient, local: false }
    }

    /// What it is called where a verification fails for it.
    pub fn reason(&self) -> Reason {
        if self.local { Reason::LocalFault } else { Reason::NetworkError }
    }
}

/// Fetches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFetch;

impl Fetch for NoFetch {
    fn get(&self, url: &str, _: usize) -> Result<Vec<u8>, FetchError> {
        Err(FetchError::of(url, "nothing is fetched here".to_owned(), false))
    }
}

/// A registry as it was accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cached {
    /// When it was last fetched.
    pub fetched_at: Time,
    /// The registry.
    pub registry: Registry,
    /// Keys that were in registries before and are no more: what was known of them stays known.
    pub gone: Vec<KeyEntry>,
    /// The digest of the document that it was read from, in canonical form; none where nobody kept it.
    pub digest: Option<Hash>,
}

/// Why the place for registries cannot be used.
#[derive(Debug, Error)]
pub enum CacheError {
    /// A file or folder of it.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// What is there is no registry that was put there.
    #[error("{} is damaged: {why}; `recourse registry refresh URL --force` replaces it", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
}

impl Cached {
    /// A registry that was fetched just now.
    fn fetched((registry, digest): (Registry, Hash), now: Time) -> Self {
        Self { fetched_at: now, registry, gone: Vec::new(), digest: Some(digest) }
    }
}

/// Keeps registries between verifications.
pub trait CacheStore: Send + Sync {
    /// The registry that was last accepted for an instance.
    ///
    /// # Errors
    /// When there is something that cannot be read or trusted: then nothing protects against an older registry.
    fn load(&self, origin: &Origin) -> Result<Option<Cached>, CacheError>;

    /// Keeps a registry, unless one with a higher version is there by now (false) and `force` is not set.
    ///
    /// # Errors
    /// When it cannot be written.
    fn save(&self, origin: &Origin, cached: &Cached, force: bool) -> Result<bool, CacheError>;
}

/// Keeps registries as long as it lives.
#[derive(Debug, Default)]
pub struct MemoryStore {
    kept: Mutex<HashMap<Origin, Cached>>,
    seen: Option<Cached>,
}

impl MemoryStore {
    /// Knows this registry as the one last accepted, whatever the instance, long ago: the next use fetches.
    pub fn having_accepted(registry: Registry) -> Self {
        Self {
            kept: Mutex::default(),
            seen: Some(Cached {
                fetched_at: Time::from_millis(i64::MIN),
                registry,
                gone: Vec::new(),
                digest: None,
            }),
        }
    }
}

impl CacheStore for MemoryStore {
    fn load(&self, origin: &Origin) -> Result<Option<Cached>, CacheError> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(kept.get(origin).or(self.seen.as_ref()).cloned())
    }

    fn save(&self, origin: &Origin, cached: &Cached, force: bool) -> Result<bool, CacheError> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if !force && kept.get(origin).is_some_and(|there| there.registry.version > cached.registry.version) {
            return Ok(false);
        }
        kept.insert(origin.clone(), cached.clone());
        Ok(true)
    }
}

/// Keeps registries in a private folder, one file for each instance.
#[derive(Clone, Debug)]
pub struct DirectoryStore {
    folder: PathBuf,
}

impl DirectoryStore {
    /// Uses this folder; it is made when it is first written to.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Named by a digest: an instance's name decides nothing about a path.
    fn file(&self, origin: &Origin) -> PathBuf {
        self.folder.join(format!("{}.json", hex(&Sha256::digest(origin.to_string()))))
    }
}

impl CacheStore for DirectoryStore {
    fn load(&self, origin: &Origin) -> Result<Option<Cached>, CacheError> {
        if !disk::check_dir(&self.folder)? {
            return Ok(None);
        }
        let path = self.file(origin);
        let Some(bytes) = disk::read_private(&path, 2 * REGISTRY_LIMIT as u64)? else { return Ok(None) };
        read_kept(&bytes, origin).map(Some).map_err(|why| CacheError::Damaged { path, why })
    }

    fn save(&self, origin: &Origin, cached: &Cached, force: bool) -> Result<bool, CacheError> {
        disk::private_dir(&self.folder)?;
        let _lock = Lock::acquire(&self.folder.join("lock"))?;
        if !force && self.load(origin)?.is_some_and(|there| there.registry.version > cached.registry.version)
        {
            return Ok(false);
        }
        let path = self.file(origin);
        let kept = json!({
            "fetchedAt": cached.fetched_at.to_string(),
            "digest": cached.digest.map(|digest| STANDARD.encode(digest)),
            "gone": cached.gone.iter().map(KeyEntry::to_value).collect::<Vec<_>>(),
            "origin": origin.to_string(),
            "registry": cached.registry.to_value(),
        });
        let damaged =
            |error: strict::JsonError| CacheError::Damaged { path: path.clone(), why: error.to_string() };
        disk::write_atomic(&path, &strict::canonical(&kept).map_err(damaged)?, Access::Private)?;
        Ok(true)
    }
}

fn read_kept(bytes: &[u8], origin: &Origin) -> Result<Cached, String> {
    let kept = strict::parse(bytes, 2 * REGISTRY_LIMIT).map_err(|error| error.to_string())?;
    if kept.get("origin").and_then(Value::as_str) != Some(origin.to_string().as_str()) {
        return Err("it is another instance's".to_owned());
    }
    let fetched_at = kept.get("fetchedAt").and_then(Value::as_str).unwrap_or_default();
    // A registry of these keys alone is read as strictly.
    let gone = json!({"keys": kept.get("gone").cloned().unwrap_or_else(|| json!([]))});
    let gone = Registry::from_value(&gone).map_err(|error| error.to_string())?;
    if !gone.unusable.is_empty() {
        return Err("a key that was known is unusable".to_owned());
    }
    let digest = kept.get("digest").and_then(Value::as_str).and_then(checkpoint::hash);
    Ok(Cached {
        digest,
        gone: gone.keys,
        fetched_at: fetched_at.parse().map_err(|error: super::time::TimeError| error.to_string())?,
        registry: Registry::from_value(kept.get("registry").unwrap_or(&Value::Null))
            .map_err(|error| error.to_string())?,
    })
}

/// Reads a registry from bytes that were fetched or given, and the digest of its canonical form: what a log holds of it.
///
/// # Errors
/// Too large, not strict JSON, not a registry.
pub fn read_registry(bytes: &[u8]) -> Result<(Registry, Hash), String> {
    let value = strict::parse(bytes, REGISTRY_LIMIT).map_err(|error| error.to_string())?;
    let registry = Registry::from_value(&value).map_err(|error| error.to_string())?;
    let canonical = strict::canonical(&value).map_err(|error| error.to_string())?;
    Ok((registry, Sha256::digest(canonical).into()))
}

/// What a registry in hand is worth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The registry to look in.
    pub registry: Registry,
    /// Whether it was fetched just now; one from the cache may be out of date.
    pub fresh: bool,
    /// The digest of the document that it was read from; none where nobody kept it.
    pub digest: Option<Hash>,
    /// What went wrong without changing the result, for logs.
    pub warning: Option<String>,
}

/// What a forced refresh did: a security event, to be logged (§5.5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForcedRefresh {
    /// When.
    pub time: Time,
    /// Of which instance.
    pub origin: Origin,
    /// By whom, where that is known.
    pub operator: Option<String>,
    /// The version that was thrown away: a number, `none`, or `unreadable`.
    pub discarded: String,
    /// The version that was accepted: a number, or `none` where the registry has none.
    pub accepted: String,
    /// Why, where somebody said.
    pub justification: Option<String>,
}

impl ForcedRefresh {
    /// The event's name in logs.
    pub const EVENT: &'static str = "registry_force_refresh";

    /// The record's fields.
    pub fn to_value(&self) -> Value {
        json!({
            "time": self.time.to_string(),
            "origin": self.origin.to_string(),
            "operator": self.operator,
            "discardedVersion": self.discarded,
            "acceptedVersion": self.accepted,
            "justification": self.justification,
        })
    }
}

/// Registries of instances, through a cache.
pub struct Registries<'a> {
    /// The network.
    pub fetch: &'a dyn Fetch,
    /// Where accepted registries are kept.
    pub store: &'a dyn CacheStore,
    /// How long a registry is used without fetching, in seconds.
    pub ttl: u64,
    /// After how many seconds a newer one is asked for; where none can be had, the kept one counts until `ttl`.
    pub revalidate: u64,
    /// How often to try again after a network error.
    pub retries: u32,
    /// The time that it is.
    pub now: Time,
}

impl Registries<'_> {
    /// The registry to look for a key in: from the cache while it is young enough and knows the key, else fetched.
    ///
    /// # Errors
    /// [`Reason::NetworkError`], [`Reason::LocalFault`] or [`Reason::RegistryRollback`].
    pub fn get(&self, origin: &Origin, key_id: &str) -> Result<Found, Failure> {
        let cached = self.load(origin)?;
        if let Some(cached) = cached {
            let age = self.now.since(cached.fetched_at);
            let ttl = i64::try_from(self.ttl.saturating_mul(1000)).unwrap_or(i64::MAX);
            // A registry from the future was kept under another clock.
            let young = (0..ttl).contains(&age);
            if young && cached.registry.lookup(key_id).is_ok() {
                let due = age >= i64::try_from(self.revalidate.saturating_mul(1000)).unwrap_or(i64::MAX);
                let kept = |warning| {
                    let (registry, digest) = (cached.registry.clone(), cached.digest);
                    Ok(Found { registry, fresh: false, digest, warning })
                };
                if !due {
                    return kept(None);
                }
                // Once: what is kept still counts.
                return match (Self { retries: 0, ..*self }).refresh(origin) {
                    Err(failure) if failure.reason == Reason::NetworkError => {
                        kept(Some(format!("the kept registry is used: {}", failure.detail)))
                    }
                    other => other,
                };
            }
        }
        self.refresh(origin)
    }

    /// Fetches the registry, accepts it unless it is older than the cached one, and keeps it.
    ///
    /// # Errors
    /// [`Reason::NetworkError`], [`Reason::LocalFault`] or [`Reason::RegistryRollback`].
    pub fn refresh(&self, origin: &Origin) -> Result<Found, Failure> {
        let cached = self.load(origin)?;
        let fetched = self.fetch_registry(origin)?;
        let other = cached.as_ref().and_then(|cached| another_of_its_version(&cached.registry, &fetched.0));
        let cached = match cached {
            Some(cached) => accept(cached, fetched, self.now)?,
            None => Cached::fetched(fetched, self.now),
        };
        let warning = match self.store.save(origin, &cached, false) {
            Ok(true) => other,
            Ok(false) => {
                let detail = "a newer registry was accepted while this one was fetched";
                return Err(Failure::new(Reason::RegistryRollback, detail));
            }
            // What is not kept is not remembered: the next older registry, or one without this key's end, would be believed.
            Err(error) => {
                let detail = format!("the registry could not be kept: {error}");
                return Err(Failure::new(Reason::LocalFault, detail));
            }
        };
        Ok(Found { registry: cached.registry, fresh: true, digest: cached.digest, warning })
    }

    /// Fetches the registry and accepts it whatever was cached. For operators alone, never as an answer to a failed
    /// verification. `log` must keep the record; when it fails, nothing is changed.
    ///
    /// # Errors
    /// [`Reason::NetworkError`]; [`Reason::LocalFault`] when the record or the registry could not be kept.
    pub fn force(
        &self,
        origin: &Origin,
        operator: Option<String>,
        justification: Option<String>,
        log: &mut dyn FnMut(&ForcedRefresh) -> Result<(), String>,
    ) -> Result<ForcedRefresh, Failure> {
        let version = |version: Option<u64>| version.map_or("none".to_owned(), |version| version.to_string());
        let discarded = match self.store.load(origin) {
            Ok(None) => "none".to_owned(),
            Ok(Some(cached)) => version(cached.registry.version),
            Err(_) => "unreadable".to_owned(),
        };
        let fetched = Cached::fetched(self.fetch_registry(origin)?, self.now);
        let accepted = version(fetched.registry.version);
        let record = ForcedRefresh {
            time: self.now,
            origin: origin.clone(),
            operator,
            discarded,
            accepted,
            justification,
        };
        let failed = |error: String| Failure::new(Reason::LocalFault, error);
        log(&record).map_err(|error| {
            failed(format!("the event could not be logged, nothing was changed: {error}"))
        })?;
        self.store.save(origin, &fetched, true).map_err(|error| failed(error.to_string()))?;
        Ok(record)
    }

    fn load(&self, origin: &Origin) -> Result<Option<Cached>, Failure> {
        self.store.load(origin).map_err(|error| Failure::new(Reason::LocalFault, error.to_string()))
    }

    fn fetch_registry(&self, origin: &Origin) -> Result<(Registry, Hash), Failure> {
        let url = origin.registry_url();
        let bytes = get(self.fetch, &url, REGISTRY_LIMIT, self.retries)?;
        read_registry(&bytes).map_err(|why| Failure::new(Reason::NetworkError, format!("{url}: {why}")))
    }
}

/// Fetches, and tries again after a network error only.
///
/// # Errors
/// [`Reason::NetworkError`].
pub fn get(fetch: &dyn Fetch, url: &str, limit: usize, retries: u32) -> Result<Vec<u8>, Failure> {
    let mut attempts = 0;
    loop {
        match fetch.get(url, limit) {
            Ok(bytes) => return Ok(bytes),
            Err(error) if error.transient && attempts < retries => {
                attempts += 1;
                thread::sleep(PAUSE);
            }
            Err(error) => return Err(Failure::new(error.reason(), error.to_string())),
        }
    }
}

/// What is to be said where two registries of one version differ: the one that was accepted first stays.
fn another_of_its_version(kept: &Registry, fetched: &Registry) -> Option<String> {
    let version =
        kept.version.filter(|version| fetched.version == Some(*version) && kept.keys != fetched.keys)?;
    Some(format!(
        "registry version {version} has other keys now than when it was accepted: those that were accepted stay"
    ))
}

/// Which of two registries counts, by their versions (§5.5). How far a key has gone, once seen, is never taken back, not by
/// leaving it out for a while and not by another name; and a name never gets another key.
fn accept(cached: Cached, (fetched, digest): (Registry, Hash), now: Time) -> Result<Cached, Failure> {
    let rollback = |detail: String| Failure::new(Reason::RegistryRollback, detail);
    match (cached.registry.version, fetched.version) {
        (Some(old), None) => {
            Err(rollback(format!("the registry has no version, version {old} was accepted before")))
        }
        (Some(old), Some(new)) if new < old => {
            Err(rollback(format!("the registry has version {new}, version {old} was accepted before")))
        }
        (Some(old), Some(new)) if new == old => {
            // Nothing changes at an equal version, except that a compromise is believed at once.
            let digest = cached.digest.or_else(|| (cached.registry == fetched).then_some(digest));
            let mut kept = Cached { fetched_at: now, digest, ..cached };
            for key in &mut kept.registry.keys {
                if is_compromised(&fetched, key) {
                    key.state = KeyState::Compromised;
                }
            }
            Ok(kept)
        }
        _ => {
            let known = cached.registry.keys.into_iter().chain(cached.gone);
            let gone = left_out(known, &fetched).map_err(rollback)?;
            Ok(Cached { gone, ..Cached::fetched((fetched, digest), now) })
        }
    }
}

#[cfg(test)]
#[path = "cache_tests.rs"]
mod tests;
