use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

const START: &str = "2026-05-01T00:00:00Z";

/// Serves one answer after another, the last one for ever, and counts.
struct Script(Vec<Result<Value, bool>>, AtomicUsize);

impl Script {
    fn new(answers: Vec<Result<Value, bool>>) -> Self {
        Self(answers, AtomicUsize::new(0))
    }

    fn count(&self) -> usize {
        self.1.load(Ordering::Relaxed)
    }
}

impl Fetch for Script {
    fn get(&self, url: &str, _: usize) -> Result<Vec<u8>, FetchError> {
        assert_eq!(url, "https://recourse.example/.well-known/recourse-keys.json");
        let at = self.1.fetch_add(1, Ordering::Relaxed).min(self.0.len() - 1);
        match &self.0[at] {
            Ok(value) => Ok(serde_json::to_vec(value).unwrap()),
            Err(transient) => Err(FetchError {
                url: url.to_owned(),
                why: "down".to_owned(),
                transient: *transient,
                local: false,
            }),
        }
    }
}

fn keys(version: Option<u64>, keys: &[(&str, &str)]) -> Value {
    let keys: Vec<Value> = keys
        .iter()
        .map(|(id, state)| {
            // `a=p`: the key `p` under the name `a`.
            let (id, public) = id.split_once('=').unwrap_or((id, id));
            json!({"key_id": id, "algorithm": "Ed25519", "public_key": public, "state": state})
        })
        .collect();
    let mut registry = json!({"instance_id": "x", "keys": keys, "updated_at": START});
    if let Some(version) = version {
        registry["registry_version"] = json!(version);
    }
    registry
}

fn origin() -> Origin {
    Origin::of("https://recourse.example").unwrap()
}

fn at(seconds: i64) -> Time {
    START.parse::<Time>().unwrap().plus_seconds(seconds)
}

fn registries<'a>(fetch: &'a Script, store: &'a dyn CacheStore, now: i64) -> Registries<'a> {
    Registries { fetch, store, ttl: 100, revalidate: u64::MAX, retries: 1, now: at(now) }
}

#[test]
fn a_registry_is_fetched_when_it_is_old_or_lacks_the_key() {
    let fetch = Script::new(vec![
        Ok(keys(Some(1), &[("a", "active")])),
        Ok(keys(Some(2), &[("a", "deprecated"), ("b", "active")])),
    ]);
    let store = MemoryStore::default();
    let get = |now, key| registries(&fetch, &store, now).get(&origin(), key).unwrap();
    assert!(get(0, "a").fresh);
    assert!(!get(99, "a").fresh);
    assert_eq!(fetch.count(), 1);
    // A key that is not in it.
    assert_eq!(get(99, "b").registry.version, Some(2));
    assert_eq!(fetch.count(), 2);
    assert!(!get(198, "b").fresh);
    // Its time is over.
    assert!(get(199, "b").fresh);
    // The clock went back: it was kept in the future.
    assert!(get(50, "b").fresh);
    assert_eq!(fetch.count(), 4);
}

#[test]
fn an_older_registry_is_never_accepted() {
    let cached = |version| {
        MemoryStore::having_accepted(Registry::from_value(&keys(version, &[("a", "active")])).unwrap())
    };
    let outcome = |cached_version, fetched: Value| {
        let fetch = Script::new(vec![Ok(fetched)]);
        let result = registries(&fetch, &cached(cached_version), 0).get(&origin(), "a");
        result.map(|found| found.registry.version).map_err(|failure| failure.reason)
    };
    let plain = |version| keys(version, &[("a", "active")]);
    assert_eq!(outcome(Some(7), plain(Some(8))), Ok(Some(8)));
    assert_eq!(outcome(Some(7), plain(Some(7))), Ok(Some(7)));
    assert_eq!(outcome(Some(7), plain(Some(6))), Err(Reason::RegistryRollback));
    assert_eq!(outcome(Some(7), plain(None)), Err(Reason::RegistryRollback));
    assert_eq!(outcome(None, plain(Some(1))), Ok(Some(1)));
    assert_eq!(outcome(None, plain(None)), Ok(None));
    assert_eq!(outcome(Some(7), json!([])), Err(Reason::NetworkError));
}

#[test]
fn a_compromise_is_believed_at_once_and_never_taken_back() {
    let state = |cached: Value, fetched: Value| {
        let store = MemoryStore::having_accepted(Registry::from_value(&cached).unwrap());
        let fetch = Script::new(vec![Ok(fetched)]);
        let result = registries(&fetch, &store, 0).get(&origin(), "a");
        result.map(|found| found.registry.keys[0].state).map_err(|failure| failure.reason)
    };
    let one = |version, word| keys(Some(version), &[("a", word)]);
    assert_eq!(state(one(7, "active"), one(7, "compromised")), Ok(KeyState::Compromised));
    assert_eq!(state(one(7, "active"), one(8, "compromised")), Ok(KeyState::Compromised));
    assert_eq!(
        state(one(7, "active"), one(7, "retired")),
        Ok(KeyState::Active),
        "nothing changes at an equal version"
    );
    // That it is another one is said.
    let store = MemoryStore::having_accepted(Registry::from_value(&one(7, "active")).unwrap());
    let fetch = Script::new(vec![Ok(one(7, "retired")), Ok(one(7, "active"))]);
    let warnings = [0, 200].map(|now| registries(&fetch, &store, now).refresh(&origin()).unwrap().warning);
    assert!(warnings[0].as_ref().is_some_and(|said| said.contains("other keys")), "{warnings:?}");
    assert_eq!(warnings[1], None);
    assert_eq!(state(one(7, "compromised"), one(7, "active")), Ok(KeyState::Compromised));
    assert_eq!(state(one(7, "compromised"), one(8, "active")), Err(Reason::RegistryRollback));
}

#[test]
fn a_key_never_goes_back_under_any_name() {
    let step = |before: &[(&str, &str)], after: &[(&str, &str)], key: &str| {
        let store = MemoryStore::having_accepted(Registry::from_value(&keys(Some(1), before)).unwrap());
        let fetch = Script::new(vec![Ok(keys(Some(2), after))]);
        let found = registries(&fetch, &store, 0).get(&origin(), key).map_err(|failure| failure.reason)?;
        found.registry.lookup(key).map(|entry| entry.state).map_err(|_| Reason::KeyNotFound)
    };
    let back = Err(Reason::RegistryRollback);
    assert_eq!(step(&[("a", "deprecated")], &[("a", "active")], "a"), back);
    assert_eq!(step(&[("a", "active")], &[("a", "pending")], "a"), back);
    assert_eq!(step(&[("a", "deprecated")], &[("a", "retired")], "a"), Ok(KeyState::Retired));
    assert_eq!(step(&[("a", "pending")], &[("a", "retired")], "a"), Ok(KeyState::Retired));
    for state in ["deprecated", "retired", "compromised"] {
        assert_eq!(step(&[("a=p", state)], &[("b=p", "active")], "b"), back, "{state} and left out");
        assert_eq!(step(&[("a=p", state)], &[("a=p", state), ("b=p", "active")], "b"), back, "{state}");
    }
    // In the first registry that is seen, too.
    assert_eq!(step(&[], &[("a=p", "compromised"), ("b=p", "active")], "b"), Ok(KeyState::Compromised));
    assert_eq!(step(&[], &[("a=p", "retired"), ("b=p", "active")], "b"), Err(Reason::KeyNotFound));
    assert_eq!(step(&[], &[("a=p", "active"), ("b=q", "active")], "b"), Ok(KeyState::Active));
}

#[test]
fn only_a_network_that_may_come_back_is_asked_again() {
    let good = Ok(keys(Some(1), &[("a", "active")]));
    let fetch = Script::new(vec![Err(true), good.clone()]);
    assert!(registries(&fetch, &MemoryStore::default(), 0).get(&origin(), "a").is_ok());
    let fetch = Script::new(vec![Err(true), Err(true), good.clone()]);
    let failure = registries(&fetch, &MemoryStore::default(), 0).get(&origin(), "a").unwrap_err();
    assert_eq!((failure.reason, fetch.count()), (Reason::NetworkError, 2));
    let fetch = Script::new(vec![Err(false), good]);
    let failure = registries(&fetch, &MemoryStore::default(), 0).get(&origin(), "a").unwrap_err();
    assert_eq!((failure.reason, fetch.count()), (Reason::NetworkError, 1));
    assert!(failure.reason.may_retry());
}

#[test]
fn a_forced_refresh_is_logged_first_and_protection_goes_on_from_there() {
    let store = MemoryStore::default();
    let versions =
        |list: &[u64]| Script::new(list.iter().map(|v| Ok(keys(Some(*v), &[("a", "active")]))).collect());
    let fetch = versions(&[9, 3, 3, 2]);
    let here = registries(&fetch, &store, 500);
    assert!(here.refresh(&origin()).is_ok());
    assert_eq!(here.refresh(&origin()).unwrap_err().reason, Reason::RegistryRollback);

    let mut refuse = |_: &ForcedRefresh| Err("disk full".to_owned());
    assert!(here.force(&origin(), None, None, &mut refuse).is_err());
    assert_eq!(
        store.load(&origin()).unwrap().unwrap().registry.version,
        Some(9),
        "nothing happens without a record"
    );

    let fetch = versions(&[3, 2]);
    let here = registries(&fetch, &store, 500);
    let mut logged = Vec::new();
    let mut log = |record: &ForcedRefresh| {
        logged.push(record.to_value());
        Ok(())
    };
    here.force(&origin(), Some("ops".to_owned()), Some("restored".to_owned()), &mut log).unwrap();
    assert_eq!(
        logged,
        [json!({"time": "2026-05-01T00:08:20.000Z", "origin": "https://recourse.example", "operator": "ops",
            "discardedVersion": "9", "acceptedVersion": "3", "justification": "restored"})]
    );
    assert_eq!(here.refresh(&origin()).unwrap_err().reason, Reason::RegistryRollback);

    let empty = MemoryStore::default();
    let fetch = versions(&[1]);
    let record = registries(&fetch, &empty, 0).force(&origin(), None, None, &mut |_| Ok(())).unwrap();
    assert_eq!((record.discarded.as_str(), record.accepted.as_str()), ("none", "1"));
}

#[test]
fn the_folder_is_private_and_survives() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("recourse/registries");
    let store = DirectoryStore::new(&folder);
    assert_eq!(store.load(&origin()).unwrap(), None);
    let registry = |version| Registry::from_value(&keys(Some(version), &[("a", "active")])).unwrap();
    let kept =
        |version| Cached { fetched_at: at(5), registry: registry(version), gone: Vec::new(), digest: None };
    assert!(store.save(&origin(), &kept(4), false).unwrap());
    assert_eq!(store.load(&origin()).unwrap(), Some(kept(4)));
    assert!(!store.save(&origin(), &kept(3), false).unwrap(), "another process was faster");
    assert_eq!(store.load(&origin()).unwrap(), Some(kept(4)));
    assert!(store.save(&origin(), &kept(3), true).unwrap());
    assert_eq!(store.load(&Origin::of("https://other.example").unwrap()).unwrap(), None);

    let file = store.file(&origin());
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(std::fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);

    // One instance's file under another's name, or damaged: not "nothing cached", which would open the door.
    let other = Origin::of("https://other.example").unwrap();
    std::fs::copy(&file, store.file(&other)).unwrap();
    assert!(matches!(store.load(&other), Err(CacheError::Damaged { .. })));
    disk::write_atomic(&file, b"{}", Access::Private).unwrap();
    let fetch = Script::new(vec![Ok(keys(Some(5), &[("a", "active")]))]);
    let failure = registries(&fetch, &store, 0).get(&origin(), "a").unwrap_err();
    assert_eq!(failure.reason, Reason::LocalFault);
    assert!(failure.detail.contains("--force"), "{}", failure.detail);
    let record = registries(&fetch, &store, 0).force(&origin(), None, None, &mut |_| Ok(())).unwrap();
    assert_eq!(record.discarded, "unreadable");
    assert_eq!(registries(&fetch, &store, 0).get(&origin(), "a").unwrap().registry.version, Some(5));
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    assert!(matches!(store.load(&origin()), Err(CacheError::Disk(_))));
}

#[test]
fn a_registry_that_cannot_be_kept_is_a_fault_of_this_machine() {
    struct Unwritable;
    impl CacheStore for Unwritable {
        fn load(&self, _: &Origin) -> Result<Option<Cached>, CacheError> {
            Ok(None)
        }
        fn save(&self, _: &Origin, _: &Cached, _: bool) -> Result<bool, CacheError> {
            Err(CacheError::Damaged { path: PathBuf::from("x"), why: "read-only".to_owned() })
        }
    }
    let fetch = Script::new(vec![Ok(keys(Some(1), &[("a", "active")]))]);
    let failure = registries(&fetch, &Unwritable, 0).get(&origin(), "a").unwrap_err();
    assert_eq!(failure.reason, Reason::LocalFault);
    assert!(failure.detail.contains("could not be kept"), "{failure}");
}

#[test]
fn what_was_known_of_a_key_is_not_forgotten_by_leaving_it_out() {
    let other = |version, state: &str| {
        let mut registry = keys(Some(version), &[("k", state)]);
        registry["keys"][0]["public_key"] = json!("BB");
        registry
    };
    let out = |version| keys(Some(version), &[("other", "active")]);
    let table = [
        ("compromised", vec![out(8), keys(Some(9), &[("k", "active")])], false),
        ("compromised", vec![out(8), out(9), keys(Some(10), &[("k", "compromised")])], true),
        ("retired", vec![keys(Some(8), &[("k", "active")])], false),
        ("retired", vec![out(8), keys(Some(9), &[("k", "pending")])], false),
        ("retired", vec![out(8), keys(Some(9), &[("k", "retired")])], true),
        ("active", vec![other(8, "active")], false),
        ("active", vec![out(8), other(9, "active")], false),
        ("active", vec![out(8), keys(Some(9), &[("k", "active")])], true),
        ("active", vec![other(8, "compromised")], true),
    ];
    let folder = tempfile::tempdir().unwrap();
    for (number, (state, then, accepted)) in table.into_iter().enumerate() {
        let stores: [Box<dyn CacheStore>; 2] = [
            Box::<MemoryStore>::default(),
            Box::new(DirectoryStore::new(folder.path().join(number.to_string()))),
        ];
        for store in stores {
            let mut answers = vec![Ok(keys(Some(7), &[("k", state)]))];
            answers.extend(then.iter().cloned().map(Ok));
            let count = answers.len();
            let fetch = Script::new(answers);
            let mut last = None;
            for now in 0..count {
                last = Some(registries(&fetch, store.as_ref(), now as i64).refresh(&origin()));
            }
            match last.unwrap() {
                Ok(_) => assert!(accepted, "{state}, then {then:?}"),
                Err(failure) => {
                    assert!(!accepted, "{state}, then {then:?}: {failure}");
                    assert_eq!(failure.reason, Reason::RegistryRollback);
                }
            }
        }
    }
}

#[test]
fn a_newer_registry_is_asked_for_within_minutes_and_the_kept_one_counts_where_there_is_none() {
    let fetch = Script::new(vec![
        Ok(keys(Some(7), &[("k", "active")])),
        Err(true),
        Ok(keys(Some(8), &[("k", "compromised")])),
    ]);
    let store = MemoryStore::default();
    let get =
        |now| Registries { revalidate: 10, ..registries(&fetch, &store, now) }.get(&origin(), "k").unwrap();
    assert!(get(0).fresh);
    assert!(!get(9).fresh);
    assert_eq!(fetch.count(), 1);
    let kept = get(11);
    assert!(!kept.fresh && kept.warning.unwrap().contains("kept registry"));
    assert_eq!(fetch.count(), 2, "asked for once");
    assert_eq!(get(12).registry.keys[0].state, KeyState::Compromised);
}
