//! Verification: is this attestation genuine, trusted, fresh, and of what is meant?
//!
//! Owns the order of the checks (§7.4, §6.4) and their reasons. Reaches the network and the cache through the traits of
//! `cache`, the clock through `time`, and nothing else.

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::around::check_report;
use super::cache::{self, CacheStore, DEFAULT_TTL, Fetch, MemoryStore, NoFetch, Registries};
use super::chain;
use super::document::Attestation;
use super::logged::{self, Demand, Subject};
use super::origin::Origin;
use super::reason::{Failure, Reason};
use super::registry::{KeyState, Registry};
use super::signature::{PublicKey, SignatureError};
use super::time::Time;
use super::tlog::merkle::Hash;
use super::tlog::{LogPolicy, Logged, Proof};
use super::validity::{self, Pinned};
use crate::json::{self, DOCUMENT_LIMIT};

pub use super::around::{beside, take_from};
pub use super::validity::CLOCK_SKEW;

/// What a verifier insists on.
#[derive(Clone, Debug)]
pub struct Options {
    /// Instances that are trusted. Empty: any instance is accepted, and verified all the same (§7.8).
    pub trusted: Vec<Origin>,
    /// How long a fetched registry is used, in seconds.
    pub ttl: u64,
    /// After how many seconds a newer registry is asked for; where none can be had, the kept one counts until `ttl`.
    pub revalidate: u64,
    /// Whether what was signed outside the time in which its key was active is refused.
    pub key_validity: bool,
    /// Whether to fetch the durable copy and compare.
    pub cross_check: bool,
    /// How old an attestation may be, in seconds.
    pub max_age: Option<u64>,
    /// The time that it is; none: the machine's clock.
    pub now: Option<Time>,
    /// How often to try again after a network error. Nothing else is tried again.
    pub retries: u32,
    /// Whether an attestation without nonce and expiry is refused.
    pub require_freshness: bool,
    /// Instances whose keys are known: no other key of theirs counts.
    pub pins: Vec<Pinned>,
    /// Whether what no log is shown to hold is refused, and which logs and witnesses count.
    pub log: Option<LogPolicy>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            trusted: Vec::new(),
            ttl: DEFAULT_TTL,
            revalidate: u64::MAX,
            key_validity: false,
            cross_check: false,
            max_age: None,
            now: None,
            retries: 1,
            require_freshness: false,
            pins: Vec::new(),
            log: None,
        }
    }
}

/// What an attestation must be of.
#[derive(Clone, Copy, Debug, Default)]
pub struct Expect<'a> {
    /// The report that came with it; its own `attestation` field is left out of the comparison.
    pub report: Option<&'a Value>,
    /// What is about to run.
    pub input: Option<&'a Value>,
}

/// An attestation that is valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// Its id.
    pub id: String,
    /// The key that signed.
    pub key_id: String,
    /// That key's state: active, deprecated or retired.
    pub key_state: KeyState,
    /// The version of the registry that says so, where it has one.
    pub registry_version: Option<u64>,
    /// Where it is logged, where that was asked.
    pub logged: Option<Logged>,
    /// Where that registry is logged, where that was asked.
    pub registry_logged: Option<Logged>,
    /// What went wrong without changing the result, for logs.
    pub warnings: Vec<String>,
}

/// Proofs that are at hand; or why those of an own log are not.
type Proofs = Box<dyn Fn(Subject<'_>) -> Result<Vec<Proof>, Failure>>;

/// A registry that needs no fetching, of one instance or of all, with its digest.
type Known = (Option<Origin>, Registry, Option<Hash>);

/// The registry that a key was looked up in.
struct Used {
    digest: Option<Hash>,
    /// Whether there may be a newer one.
    fetched: bool,
}

/// Verifies attestations.
pub struct Verifier {
    options: Options,
    fetch: Box<dyn Fetch>,
    store: Box<dyn CacheStore>,
    known: Vec<Known>,
    proofs: Option<Proofs>,
}

impl Verifier {
    /// Fetches registries and copies through `fetch` and keeps registries in `store`.
    pub fn new(options: Options, fetch: impl Fetch + 'static, store: impl CacheStore + 'static) -> Self {
        Self { options, fetch: Box::new(fetch), store: Box::new(store), known: Vec::new(), proofs: None }
    }

    /// Uses this registry for every instance, and no network.
    pub fn offline(options: Options, registry: Registry) -> Self {
        let mut verifier = Self::new(options, NoFetch, MemoryStore::default());
        let digest = digest(&registry);
        verifier.known.push((None, registry, digest));
        verifier
    }

    /// Says the digest of the document that the registry was read from which is used for every instance: members that
    /// nobody here knows count for it.
    #[must_use]
    pub fn read_from(mut self, document: Hash) -> Self {
        let of_all = self.known.iter_mut().filter(|(of, ..)| of.is_none());
        of_all.for_each(|(.., digest)| *digest = Some(document));
        self
    }

    /// Uses this registry for one instance without fetching: the own one, whose registry is on this machine.
    #[must_use]
    pub fn with_registry(mut self, origin: Origin, registry: Registry) -> Self {
        let digest = digest(&registry);
        self.known.push((Some(origin), registry, digest));
        self
    }

    /// Looks here for proofs that something is logged before it fetches one. Where none can be fetched either, the reason is
    /// why there was none here.
    #[must_use]
    pub fn with_proofs(
        mut self,
        proofs: impl Fn(Subject<'_>) -> Result<Vec<Proof>, Failure> + 'static,
    ) -> Self {
        self.proofs = Some(Box::new(proofs));
        self
    }

    /// What it insists on.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Its way to the network.
    pub fn fetcher(&self) -> &dyn Fetch {
        self.fetch.as_ref()
    }

    /// Whether it has one registry for every instance, and no network.
    pub fn is_offline(&self) -> bool {
        self.known.iter().any(|(of, ..)| of.is_none())
    }

    /// The time that it is.
    pub fn now(&self) -> Time {
        self.options.now.unwrap_or_else(Time::now)
    }

    /// Verifies an attestation in JSON.
    ///
    /// # Errors
    ///
    /// The first check that fails, with its reason.
    pub fn verify_json(&self, bytes: &[u8], expect: Expect<'_>) -> Result<Verified, Failure> {
        self.verify(&read(bytes)?, expect)
    }

    /// Verifies the attestation beside a report, and that it is of this report (§7.1).
    ///
    /// # Errors
    ///
    /// The first check that fails, with its reason; [`Reason::AttestationAbsent`] where there is none.
    pub fn verify_report(&self, report: &Value, input: Option<&Value>) -> Result<Verified, Failure> {
        let attestation = beside(report)?;
        self.verify(&attestation, Expect { report: Some(report), input })
    }

    /// Verifies an attestation.
    ///
    /// # Errors
    ///
    /// The first check that fails, with its reason.
    pub fn verify(&self, attestation: &Attestation, expect: Expect<'_>) -> Result<Verified, Failure> {
        let verified = self.verify_past(attestation, expect)?;
        self.check_time(attestation)?;
        chain::stands_alone(attestation)?;
        Ok(verified)
    }

    /// [`verify`](Self::verify) without the question whether it still holds: for parents and for audits.
    ///
    /// # Errors
    ///
    /// The first check that fails, with its reason.
    pub fn verify_past(&self, attestation: &Attestation, expect: Expect<'_>) -> Result<Verified, Failure> {
        let origin = attestation.origin();
        if !self.options.trusted.is_empty() && !self.options.trusted.contains(origin) {
            return Err(Failure::new(
                Reason::InstanceNotTrusted,
                format!("{origin} is not a trusted instance"),
            ));
        }
        let (mut verified, used) = self.check_signature(attestation)?;
        if !attestation.uri_fits() {
            let detail =
                format!("attestation_uri is not where content with the id {} belongs", attestation.id());
            return Err(mismatch(detail));
        }
        if let Some(report) = expect.report {
            check_report(attestation, report)?;
        }
        if let Some(input) = expect.input
            && canonical(input).map_err(|error| mismatch(format!("the expected input: {error}")))?
                != canonical(attestation.input()).map_err(invalid)?
        {
            return Err(mismatch("what was attested is another input"));
        }
        if self.options.cross_check {
            self.cross_check(attestation)?;
        }
        if let Some(policy) = &self.options.log {
            self.check_logged(policy, attestation, &used, &mut verified)?;
        }
        Ok(verified)
    }

    /// That a log holds the attestation and the registry that says whose key signed it: whoever shows somebody another
    /// registry than everybody else has to log it.
    fn check_logged(
        &self,
        policy: &LogPolicy,
        attestation: &Attestation,
        used: &Used,
        verified: &mut Verified,
    ) -> Result<(), Failure> {
        let fetch = (!self.is_offline()).then_some(self.fetch.as_ref());
        let demand = Demand { policy, fetch, retries: self.options.retries };
        let at_hand = |subject| self.proofs.as_ref().map_or_else(|| Ok(Vec::new()), |proofs| proofs(subject));
        let subject = Subject::Attestation(attestation);
        let leaf = logged::attestation_leaf(attestation);
        verified.logged = Some(demand.check(subject, &leaf, at_hand(subject))?);
        let subject = Subject::Registry(attestation.origin());
        let check = |digest: Option<Hash>| {
            let digest = digest.ok_or_else(|| {
                Failure::new(
                    Reason::NotLogged,
                    "nobody kept the digest of the registry that its key stands in",
                )
            })?;
            demand.check(subject, &logged::registry_leaf(&digest), at_hand(subject))
        };
        verified.registry_logged = Some(match check(used.digest) {
            // The proof that is published is of the newest one, and this may be one that was kept.
            Err(failure) if failure.reason == Reason::NotLogged && used.fetched => {
                let newest = self.registries().refresh(attestation.origin())?;
                if newest.digest == used.digest {
                    return Err(failure);
                }
                let again = signed_by(attestation, &newest.registry, &self.options)?;
                (verified.key_state, verified.registry_version) = (again.key_state, again.registry_version);
                check(newest.digest)?
            }
            found => found?,
        });
        Ok(())
    }

    /// Verifies attestations that follow one another, the first one first. Only the last must still hold.
    ///
    /// # Errors
    ///
    /// The first check that fails; [`Reason::ChainInvalid`] where one does not follow the one before it.
    pub fn verify_chain(
        &self,
        attestations: &[Attestation],
        expect: Expect<'_>,
    ) -> Result<Verified, Failure> {
        let Some((last, before)) = attestations.split_last() else {
            return Err(Failure::new(Reason::ChainInvalid, "the chain is empty"));
        };
        for attestation in before {
            self.verify_past(attestation, Expect::default())?;
        }
        let verified = self.verify_past(last, expect)?;
        chain::check(attestations)?;
        self.check_time(last)?;
        Ok(verified)
    }

    /// Key, state and signature; once more with a fresh registry when they fail with a cached one (§5.5).
    fn check_signature(&self, attestation: &Attestation) -> Result<(Verified, Used), Failure> {
        let origin = attestation.origin();
        let known = self.known.iter().find(|(of, ..)| of.as_ref().is_none_or(|of| of == origin));
        let options = &self.options;
        if let Some((_, registry, digest)) = known {
            let used = Used { digest: *digest, fetched: false };
            return signed_by(attestation, registry, options).map(|verified| (verified, used));
        }
        let registries = self.registries();
        let found = registries.get(origin, attestation.key_id())?;
        let mut used = Used { digest: found.digest, fetched: true };
        let mut warning = found.warning;
        let result = match signed_by(attestation, &found.registry, options) {
            Err(failure) if !found.fresh => match registries.refresh(origin) {
                Ok(fresh) => {
                    (warning, used.digest) = (fresh.warning, fresh.digest);
                    signed_by(attestation, &fresh.registry, options)
                }
                // It failed already; that nothing newer can be had does not change it.
                Err(error) if error.reason == Reason::NetworkError => Err(failure),
                Err(error) => Err(error),
            },
            result => result,
        };
        let mut verified = result?;
        verified.warnings.extend(warning);
        Ok((verified, used))
    }

    fn registries(&self) -> Registries<'_> {
        Registries {
            fetch: self.fetch.as_ref(),
            store: self.store.as_ref(),
            ttl: self.options.ttl,
            revalidate: self.options.revalidate,
            retries: self.options.retries,
            now: self.now(),
        }
    }

    fn cross_check(&self, attestation: &Attestation) -> Result<(), Failure> {
        let bytes = cache::get(self.fetch.as_ref(), attestation.uri(), DOCUMENT_LIMIT, self.options.retries)?;
        // Read as an attestation, so that what others added to the copy later (§1.7) is no difference.
        match Attestation::parse(&bytes) {
            Ok(copy) if copy.canonical() == attestation.canonical() => Ok(()),
            Ok(_) => Err(mismatch("the durable copy differs from this attestation")),
            Err(error) => Err(mismatch(format!("the durable copy: {error}"))),
        }
    }

    /// Whether it holds now.
    ///
    /// # Errors
    ///
    /// [`Reason::AttestationExpired`].
    pub fn check_time(&self, attestation: &Attestation) -> Result<(), Failure> {
        let expired = |detail: String| Err(Failure::new(Reason::AttestationExpired, detail));
        let now = self.now();
        let age = now.since(attestation.timestamp());
        if age < -CLOCK_SKEW {
            return expired(format!("its time {} is ahead of the clock, {now}", attestation.timestamp()));
        }
        if let Some(end) = attestation.expires_at() {
            if end < attestation.timestamp() {
                return expired(format!("it ends at {end}, before it begins"));
            }
            if now > end {
                return expired(format!("it expired at {end}, it is {now}"));
            }
        }
        if let Some(most) = self.options.max_age
            && age > i64::try_from(most.saturating_mul(1000)).unwrap_or(i64::MAX)
        {
            return expired(format!("it is {} seconds old, {most} are allowed", age / 1000));
        }
        if self.options.require_freshness
            && (attestation.nonce().is_none() || attestation.expires_at().is_none())
        {
            return expired(
                "it has no nonce and expires_at, so that nothing shows that it is fresh".to_owned(),
            );
        }
        Ok(())
    }
}

/// Reads an attestation for verification.
///
/// # Errors
///
/// [`Reason::InvalidAttestation`].
pub fn read(bytes: &[u8]) -> Result<Attestation, Failure> {
    Attestation::parse(bytes).map_err(invalid)
}

/// Whether a key of this registry, in a state that verifies, signed; where it is asked, while it was the active one.
fn signed_by(attestation: &Attestation, registry: &Registry, options: &Options) -> Result<Verified, Failure> {
    let entry = registry
        .lookup(attestation.key_id())
        .map_err(|error| Failure::new(Reason::KeyNotFound, error.to_string()))?;
    validity::check_state(entry)?;
    validity::check_pins(entry, attestation.origin(), &options.pins)?;
    if options.key_validity {
        validity::check_time(entry, attestation.timestamp())?;
    }
    let checked = PublicKey::from_base64url(&entry.public_key)
        .and_then(|key| key.verify(attestation.payload(), attestation.signature()));
    match checked {
        Ok(()) => Ok(Verified {
            id: attestation.id().to_owned(),
            key_id: entry.key_id.clone(),
            key_state: entry.state,
            registry_version: registry.version,
            logged: None,
            registry_logged: None,
            warnings: Vec::new(),
        }),
        Err(error @ (SignatureError::Encoding | SignatureError::Mismatch)) => {
            Err(Failure::new(Reason::SignatureInvalid, error.to_string()))
        }
        Err(error) => Err(Failure::new(Reason::SignatureInvalid, format!("key {}: {error}", entry.key_id))),
    }
}

/// The digest of a registry as we publish it.
fn digest(registry: &Registry) -> Option<Hash> {
    json::canonical(&registry.to_value()).ok().map(|bytes| Sha256::digest(bytes).into())
}

fn canonical(value: &Value) -> Result<Vec<u8>, json::JsonError> {
    json::canonical(value)
}

fn invalid(error: impl ToString) -> Failure {
    Failure::new(Reason::InvalidAttestation, error.to_string())
}

fn mismatch(detail: impl Into<String>) -> Failure {
    Failure::new(Reason::CrossCheckMismatch, detail)
}

#[cfg(test)]
#[path = "verify_tests.rs"]
mod tests;
