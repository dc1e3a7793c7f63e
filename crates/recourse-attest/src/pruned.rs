//! Attestations that are not kept any more, and that they were there: their URLs answer 410 and not 404.
//!
//! Owns which may go (§7.1 of the protocol: what a key signed stays until that key is retired or compromised) and one file of
//! ids for each day on which they were signed. An id is written down before its attestation goes.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::disk::{self, Access, DiskError, Lock};
use super::document::is_id;
use super::registry::Registry;
use super::store::{Store, StoreError};
use super::time::Time;

/// Ids of a day take 33 bytes each; so many of them are read.
const LIMIT: u64 = 4 << 30;
/// Bytes of an id and the end of its line.
const LINE: u64 = 33;

/// The folder of what is not there any more, in that of a store.
pub(super) const GONE: &str = "gone";

/// What went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Attestations that are not here any more.
    pub attestations: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Those that stay.
    pub kept: u64,
}

impl Store {
    /// Takes away the attestations that were signed before a time with keys that are retired or compromised.
    ///
    /// # Errors
    /// When a file cannot be read or removed. What went until then is written down.
    pub fn prune(&self, registry: &Registry, before: Time) -> Result<Pruned, StoreError> {
        self.prune_these(self.list()?, registry, before, &|_| true)
    }

    /// The same for some of them, those that `may_go`; the next call goes on behind these.
    ///
    /// # Errors
    /// As there.
    pub(super) fn prune_some(
        &self,
        registry: &Registry,
        before: Time,
        most: usize,
        may_go: &dyn Fn(&str) -> bool,
    ) -> Result<Pruned, StoreError> {
        let mut ids = self.list()?;
        if ids.is_empty() {
            return Ok(Pruned::default());
        }
        disk::private_dir(&self.gone())?;
        let mark = self.gone().join("next");
        // Lost, it is begun again.
        let last = disk::read_private(&mark, 64).ok().flatten().unwrap_or_default();
        let at = ids.partition_point(|id| id.as_bytes() <= last.as_slice());
        ids.rotate_left(at);
        ids.truncate(most);
        let last = ids.last().cloned().unwrap_or_default();
        let pruned = self.prune_these(ids, registry, before, may_go)?;
        disk::write_atomic(&mark, last.as_bytes(), Access::Private)?;
        Ok(pruned)
    }

    fn prune_these(
        &self,
        ids: Vec<String>,
        registry: &Registry,
        before: Time,
        may_go: &dyn Fn(&str) -> bool,
    ) -> Result<Pruned, StoreError> {
        let (mut pruned, mut days) = (Pruned::default(), BTreeMap::<String, Vec<String>>::new());
        for id in ids {
            let attestation = match self.read(&id) {
                Ok(Some(attestation)) => attestation,
                Ok(None) => continue,
                // What is damaged is for a person, and no reason to keep everything else.
                Err(_) => {
                    pruned.kept += 1;
                    continue;
                }
            };
            let key = registry.keys.iter().find(|key| key.key_id == attestation.key_id());
            // What no key of ours is known for was signed under a registry that was lost: that is for a person.
            let over = key.is_some_and(|key| !key.state.retains());
            if over && attestation.timestamp() < before && may_go(&id) {
                pruned.bytes += attestation.canonical().len() as u64;
                days.entry(attestation.timestamp().day()).or_default().push(id);
            } else {
                pruned.kept += 1;
            }
        }
        if days.is_empty() {
            return Ok(pruned);
        }
        disk::private_dir(&self.gone())?;
        let _lock = Lock::acquire(&self.gone().join("lock"))?;
        for (day, ids) in days {
            let path = self.gone().join(day);
            let known = disk::read_private(&path, LIMIT)?.unwrap_or_default();
            let known = String::from_utf8_lossy(&known).into_owned();
            let all: BTreeSet<&str> = known.lines().chain(ids.iter().map(String::as_str)).collect();
            let text: String = all.into_iter().map(|id| format!("{id}\n")).collect();
            disk::write_atomic(&path, text.as_bytes(), Access::Private)?;
            for id in ids {
                match fs::remove_file(self.path(&id)) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => {
                        return Err(disk::io_error("cannot remove", &self.path(&id))(error).into());
                    }
                    _ => pruned.attestations += 1,
                }
            }
        }
        Ok(pruned)
    }

    /// Whether an attestation was here and went.
    ///
    /// # Errors
    /// When what was written down cannot be read.
    pub(super) fn is_pruned(&self, id: &str) -> Result<bool, StoreError> {
        if !is_id(id) || !disk::check_dir(&self.gone())? {
            return Ok(false);
        }
        let entries = fs::read_dir(self.gone()).map_err(disk::io_error("cannot list", &self.gone()))?;
        for entry in entries {
            let entry = entry.map_err(disk::io_error("cannot list", &self.gone()))?;
            let is_day = entry.file_name().to_str().is_some_and(|name| name.len() == 10);
            if is_day && holds(&entry.path(), id)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn gone(&self) -> PathBuf {
        self.folder().join(GONE)
    }
}

/// Whether a file of sorted lines of ids has this one.
fn holds(path: &Path, id: &str) -> Result<bool, DiskError> {
    let Some(file) = disk::open_private(path, OpenOptions::new().read(true))? else { return Ok(false) };
    let size = file.metadata().map_err(disk::io_error("cannot look at", path))?.len();
    let (mut low, mut high) = (0, size / LINE);
    while low < high {
        let middle = low + (high - low) / 2;
        let mut line = [0; LINE as usize];
        file.read_exact_at(&mut line, middle * LINE).map_err(disk::io_error("cannot read", path))?;
        match line[..LINE as usize - 1].cmp(id.as_bytes()) {
            Ordering::Equal => return Ok(true),
            Ordering::Less => low = middle + 1,
            Ordering::Greater => high = middle,
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::keys::KeyStore;
    use crate::origin::Origin;
    use crate::places::Places;
    use crate::publish::publish;
    use crate::sign::{DEFAULT_VALIDITY, Evaluation, Profile, Signer, SignerSettings};
    use crate::store::Served;

    #[test]
    fn what_goes_was_there_and_what_a_living_key_signed_stays() {
        let folder = tempfile::tempdir().unwrap();
        let places = Places::under(folder.path());
        let settings = SignerSettings {
            base: Origin::base("https://recourse.example").unwrap(),
            evaluator: "recourse:0.1.0".to_owned(),
            profile: Profile::Full,
            validity: DEFAULT_VALIDITY,
        };
        let keys = KeyStore::open(&places).named("test").unwrap();
        keys.ensure_active().unwrap();
        let signer = Signer::new(keys, Store::open(&places), settings);
        let start: Time = "2026-05-01T10:00:00Z".parse().unwrap();
        let sign = |n: i64| {
            let evaluation = Evaluation { input: json!({"n": n}), output: json!({}), chain: None };
            signer.attest_at(evaluation, start.plus_seconds(n * 3600)).unwrap().id().to_owned()
        };
        let first: Vec<String> = (0..40).map(sign).collect();
        signer.keys().rotate(None).unwrap();
        let second = sign(50);
        let root = folder.path().join("web");
        publish(signer.keys(), signer.store(), None, &root).unwrap();
        let registry = || signer.keys().registry().unwrap().unwrap();
        let (store, late) = (signer.store(), start.plus_seconds(1_000_000));
        assert_eq!(store.prune(&registry(), late).unwrap(), Pruned { kept: 41, ..Pruned::default() });
        signer.keys().retire("test-1").unwrap();
        // Up to a time, over two days; and then all.
        let half = store.prune(&registry(), start.plus_seconds(20 * 3600)).unwrap();
        assert_eq!((half.attestations, half.kept), (20, 21));
        let rest = store.prune(&registry(), late).unwrap();
        assert_eq!((rest.attestations, rest.kept), (20, 1));
        for id in &first {
            assert!(store.read(id).unwrap().is_none());
            assert_eq!(store.served(id, &registry()).unwrap(), Served::Gone, "410");
        }
        assert!(matches!(store.served(&second, &registry()).unwrap(), Served::Found(_)));
        assert_eq!(store.served(&"0".repeat(32), &registry()).unwrap(), Served::Absent, "404");
        assert_eq!(store.list().unwrap(), std::slice::from_ref(&second));
        // Nor are they published any more.
        let published = publish(signer.keys(), store, None, &root).unwrap();
        assert_eq!((published.attestations, published.left_out), (1, 40));
        assert_eq!(fs::read_dir(root.join(".well-known/attestations")).unwrap().count(), 1);
        // What is damaged stays, and keeps nothing else.
        let third = sign(60);
        signer.keys().rotate(None).unwrap();
        signer.keys().retire("test-2").unwrap();
        fs::write(store.path(&second), b"").unwrap();
        let published = publish(signer.keys(), store, None, &root).unwrap();
        assert_eq!((published.attestations, published.damaged.len()), (0, 1), "{published:?}");
        assert!(published.damaged[0].contains(&second));
        assert_eq!(fs::read_dir(root.join(".well-known/attestations")).unwrap().count(), 0, "nor its copy");
        let rest = store.prune(&registry(), late).unwrap();
        assert_eq!((rest.attestations, rest.kept), (1, 1));
        assert!(store.read(&third).unwrap().is_none());
        // What was signed under a registry that was lost is for a person.
        let mut lost = registry();
        lost.keys.clear();
        assert_eq!(store.prune(&lost, late).unwrap(), Pruned { kept: 1, ..Pruned::default() });
    }
}
