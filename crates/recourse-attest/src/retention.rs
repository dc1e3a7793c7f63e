//! What need not be kept goes by itself: a bounded part at a time, hardly ever, and never what a verification or the memory
//! of what was spent still needs.
//!
//! Owns when that happens and how much of it at once; what may go, its owners say: [`Store`], [`Nonces`], [`AuditLog`]. Whoever
//! calls it has given the answer that somebody waited for.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::audit::{AuditLog, Limits};
use super::disk::{self, Access, Lock};
use super::fleet::Shared;
use super::keys::KeyStore;
use super::nonces::Nonces;
use super::places::Places;
use super::pruned::GONE;
use super::store::Store;
use super::time::Time;
use super::tlog::book::Log;

/// So often at most.
const EVERY: Duration = Duration::from_secs(3600);
/// Attestations that are looked at in one go.
const LOOKS: usize = 2_000;
/// Older files that a dead process left half-way are of nobody who still writes.
const LEFT_OVER: Duration = Duration::from_secs(3600);

/// For how long what is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retention {
    /// Attestations of keys that are retired or compromised, since they were signed. None: until somebody takes them away.
    pub attestations: Option<Duration>,
    /// The audit log.
    pub record: Limits,
}

impl Retention {
    /// Takes away what has been kept for long enough, unless that was done within the hour or another process does it. Failing
    /// to is no error: the next one goes on. Whether it was done now.
    pub fn tidy_sometimes(&self, places: &Places, shared: Option<&Arc<Shared>>) -> bool {
        let mark = places.state.join("tidied");
        let since = std::fs::metadata(&mark)
            .and_then(|mark| mark.modified())
            .ok()
            .and_then(|then| SystemTime::now().duration_since(then).ok());
        if since.is_some_and(|since| since < EVERY) || disk::own_dir(&places.state).is_err() {
            return false;
        }
        let Ok(Some(_lock)) = Lock::at_once(&places.state.join("tidy.lock")) else { return false };
        // First: whoever dies in the middle of it is not followed by others who do.
        let marked = disk::write_atomic(&mark, b"", Access::Private).is_ok();
        if marked {
            self.tidy(places, shared);
        }
        marked
    }

    /// [`Retention::tidy_sometimes`], now.
    pub fn tidy(&self, places: &Places, shared: Option<&Arc<Shared>>) {
        Nonces::open(places).prune(Time::now());
        let log = AuditLog::open(places).within(self.record.clone()).sharing(shared.cloned());
        let _ = log.tidy(&self.record);
        let _ = self.attestations(places);
        let stores = [places.attestations(), places.unpublished()];
        let gone = stores.each_ref().map(|store| store.join(GONE));
        let witness = [places.witness(), places.witness_head()];
        let others = [places.registries(), places.nonces(), places.data.clone(), places.state.clone()];
        for folder in stores.iter().chain(&gone).chain(&witness).chain(&others) {
            disk::sweep(folder, LEFT_OVER);
        }
    }

    fn attestations(&self, places: &Places) -> Option<()> {
        let seconds = i64::try_from(self.attestations?.as_secs()).ok()?;
        let before = Time::now().plus_seconds(-seconds);
        let registry = KeyStore::open(places).registry().ok()??;
        if registry.keys.iter().all(|key| key.state.retains()) {
            return None;
        }
        // What the transparency log has to hold goes in before it goes.
        let logged = Log::open(places).attestations().ok()?;
        let may_go = |id: &str| logged.as_ref().is_none_or(|logged| logged.contains(id));
        for store in [Store::open(places), Store::unpublished(places)] {
            let _ = store.prune_some(&registry, before, LOOKS, &may_go);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use serde_json::json;

    use super::*;
    use crate::origin::Origin;
    use crate::sign::{DEFAULT_VALIDITY, Evaluation, Profile, Signer, SignerSettings};
    use crate::store::Served;

    const DAY: u64 = 86_400;

    /// Makes a file look as old as that.
    fn aged(path: &Path, days: u64) {
        let file = fs::OpenOptions::new().write(true).open(path).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(days * DAY)).unwrap();
    }

    fn base() -> Origin {
        Origin::base("https://recourse.example").unwrap()
    }

    /// Signs as an instance whose memory lies there.
    fn signer(places: &Places) -> Signer {
        let settings = SignerSettings {
            base: base(),
            evaluator: "recourse:0.1.0".to_owned(),
            profile: Profile::Full,
            validity: DEFAULT_VALIDITY,
        };
        let keys = KeyStore::open(places).named("test").unwrap();
        keys.ensure_active().unwrap();
        Signer::new(keys, Store::open(places), settings)
    }

    #[test]
    fn what_is_over_goes_by_itself_and_what_is_needed_stays() {
        let folder = tempfile::tempdir().unwrap();
        let places = Places::under(folder.path());
        let signer = signer(&places);
        let days_ago = |days: i64| Time::now().plus_seconds(-days * 86_400);
        let sign = |n: u32, days: i64| {
            let evaluation = Evaluation { input: json!({"n": n}), output: json!({}), chain: None };
            signer.attest_at(evaluation, days_ago(days)).unwrap().id().to_owned()
        };
        let (old, young) = (sign(1, 100), sign(2, 10));
        signer.keys().rotate(None).unwrap();
        let living = sign(3, 100);
        // Two nonces: one that nobody would take any more, one that was spent as long ago and holds on.
        let nonces = Nonces::open(&places);
        let nonce = |n: u8| format!("{n:032x}");
        let ends = [days_ago(40), days_ago(1)];
        for (n, end) in (1..).zip(ends) {
            nonces.spend(&nonce(n), end).unwrap();
            aged(&places.nonces().join(nonce(n)), 41);
        }
        let left = places.attestations().join(".recourse-1-1.tmp");
        fs::write(&left, b"half").unwrap();
        aged(&left, 1);
        let record = Limits { segment: u64::MAX, segments: 0, age: Some(Duration::from_secs(80 * DAY)) };
        let keep = Retention { attestations: Some(Duration::from_secs(90 * DAY)), record };
        keep.tidy(&places, None);
        assert!(signer.store().read(&old).unwrap().is_some(), "its key is not retired");
        assert!(!left.exists());
        assert!(!nonces.is_spent(&nonce(1)).unwrap() && nonces.is_spent(&nonce(2)).unwrap());
        assert!(nonces.spend(&nonce(1), ends[0]).is_err(), "what went counts as spent");
        signer.keys().retire("test-1").unwrap();
        // Once within the hour, whoever calls.
        assert!(keep.tidy_sometimes(&places, None));
        assert!(!keep.tidy_sometimes(&places, None));
        let registry = signer.keys().registry().unwrap().unwrap();
        assert_eq!(signer.store().list().unwrap().len(), 2);
        assert_eq!(signer.store().served(&old, &registry).unwrap(), Served::Gone, "410, not 404");
        assert!(signer.store().read(&young).unwrap().is_some());
        assert!(signer.store().read(&living).unwrap().is_some());
        // Not said: all stays.
        sign(4, 1000);
        signer.keys().compromise("test-2", None).unwrap();
        Retention { attestations: None, ..keep.clone() }.tidy(&places, None);
        assert_eq!(signer.store().list().unwrap().len(), 3);
    }

    #[test]
    fn what_the_log_has_to_hold_waits_for_it() {
        let folder = tempfile::tempdir().unwrap();
        let places = Places::under(folder.path());
        let (base, signer) = (base(), signer(&places));
        for n in 0..3 {
            let evaluation = Evaluation { input: json!({"n": n}), output: json!({}), chain: None };
            signer.attest_at(evaluation, Time::now().plus_seconds(-10 * 86_400)).unwrap();
        }
        signer.keys().compromise("test-1", None).unwrap();
        let log = Log::open(&places);
        log.begin(&base).unwrap();
        let record = Limits { segment: u64::MAX, segments: 0, age: None };
        let keep = Retention { attestations: Some(Duration::from_secs(DAY)), record };
        keep.tidy(&places, None);
        assert_eq!(signer.store().list().unwrap().len(), 3);
        log.advance().unwrap();
        keep.tidy(&places, None);
        assert_eq!(signer.store().list().unwrap().len(), 0);
    }

    #[test]
    fn a_part_at_a_time_all_are_come_to() {
        let folder = tempfile::tempdir().unwrap();
        let places = Places::under(folder.path());
        let signer = signer(&places);
        for n in 0..10 {
            // Half of them are signed with a key that lives.
            if n == 5 {
                signer.keys().rotate(None).unwrap();
            }
            let evaluation = Evaluation { input: json!({"n": n}), output: json!({}), chain: None };
            signer.attest_at(evaluation, Time::now().plus_seconds(-10 * 86_400)).unwrap();
        }
        signer.keys().retire("test-1").unwrap();
        let registry = signer.keys().registry().unwrap().unwrap();
        let mut gone = 0;
        for _ in 0..5 {
            let pruned = signer.store().prune_some(&registry, Time::now(), 3, &|_| true).unwrap();
            assert!(pruned.attestations <= 3);
            gone += pruned.attestations;
        }
        assert_eq!(gone, 5);
        assert_eq!(signer.store().list().unwrap().len(), 5);
    }
}
