use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::thread;

use super::*;

fn store() -> (tempfile::TempDir, KeyStore) {
    let folder = tempfile::tempdir().unwrap();
    let keys = KeyStore::open(&Places::under(folder.path())).named("test").unwrap();
    (folder, keys)
}

/// A store whose key `test-1` stands in a state, and which can do every further step.
fn key_in(state: KeyState) -> (tempfile::TempDir, KeyStore) {
    let (folder, keys) = store();
    keys.generate().unwrap();
    let path: &[KeyState] = match state {
        KeyState::Pending => &[],
        KeyState::Active => &[KeyState::Active],
        KeyState::Deprecated => &[KeyState::Active, KeyState::Deprecated],
        KeyState::Retired => &[KeyState::Active, KeyState::Deprecated, KeyState::Retired],
        KeyState::Compromised => &[KeyState::Compromised],
    };
    for to in path {
        go(&keys, *to).unwrap();
    }
    assert_eq!(keys.list().unwrap()[0].entry.state, state);
    (folder, keys)
}

fn go(keys: &KeyStore, to: KeyState) -> Result<Outcome, KeyError> {
    match to {
        KeyState::Pending => keys.move_to("test-1", KeyState::Pending),
        KeyState::Active => keys.activate("test-1"),
        KeyState::Deprecated => keys.deprecate("test-1"),
        KeyState::Retired => keys.retire("test-1"),
        KeyState::Compromised => keys.compromise("test-1", Some("a test")),
    }
}

fn version(keys: &KeyStore) -> u64 {
    keys.registry().unwrap().unwrap().version.unwrap()
}

#[test]
fn every_step_is_legal_or_refused_with_what_is() {
    for from in KeyState::ALL {
        for to in KeyState::ALL {
            let (_folder, keys) = key_in(from);
            let before = version(&keys);
            match go(&keys, to) {
                Ok(outcome) => {
                    assert!(from.may_become(to), "{from} -> {to} was done");
                    assert_eq!(outcome.registry_version, before + 1);
                    assert_eq!(keys.list().unwrap()[0].entry.state, to);
                }
                Err(error) => {
                    assert!(!from.may_become(to), "{from} -> {to}: {error}");
                    assert!(matches!(error, KeyError::Illegal { .. }), "{from} -> {to}: {error}");
                    let text = error.to_string();
                    assert!(from.next().iter().all(|next| text.contains(next.as_str())), "{text}");
                    assert_eq!(version(&keys), before, "a refused step changes nothing");
                }
            }
        }
    }
}

#[test]
fn the_first_run_makes_one_active_key() {
    let (_folder, keys) = store();
    assert!(keys.list().unwrap().is_empty() && keys.registry().unwrap().is_none());
    assert!(matches!(keys.with_active(|_, _| ()), Err(KeyError::NoActive)));
    let outcome = keys.ensure_active().unwrap();
    assert_eq!(outcome.active.as_deref(), Some("test-1"));
    assert_eq!((outcome.registry_version, outcome.changes.len()), (2, 2));
    assert!(keys.ensure_active().unwrap().changes.is_empty(), "once");
    keys.with_active(|entry, _| assert_eq!(entry.key_id, "test-1")).unwrap();
    let compromised = keys.compromise("test-1", None).unwrap();
    assert!(compromised.active.is_none() && compromised.notes[0].contains("no key is active"));
    assert!(matches!(keys.ensure_active(), Err(KeyError::NoActive)), "that is no first run any more");
    assert!(matches!(keys.with_active(|_, _| ()), Err(KeyError::NoActive)));
    keys.generate().unwrap();
    assert_eq!(keys.activate("test-2").unwrap().active.as_deref(), Some("test-2"));
}

#[test]
fn a_rotation_replaces_the_key() {
    let (_folder, keys) = store();
    assert!(matches!(keys.rotate(None), Err(KeyError::NoActive)));
    keys.ensure_active().unwrap();
    let outcome = keys.rotate(None).unwrap();
    assert_eq!(outcome.active.as_deref(), Some("test-2"));
    assert_eq!(outcome.registry_version, 4, "published as pending first");
    let old = &keys.list().unwrap()[0].entry;
    assert_eq!(old.state, KeyState::Deprecated);
    assert!(old.deprecated_at.is_some() && old.deprecated_at == old.valid_until);
    keys.generate().unwrap();
    assert!(matches!(keys.activate("test-3"), Err(KeyError::AnotherActive { .. })));
    let outcome = keys.rotate(None).unwrap();
    assert_eq!(outcome.active.as_deref(), Some("test-3"), "the pending key is the successor");
    assert!(keys.retire("test-1").unwrap().notes[0].contains("90"));
}

#[test]
fn a_rotation_can_be_scheduled() {
    static NOW: std::sync::atomic::AtomicI64 = std::sync::atomic::AtomicI64::new(1_800_000_000_000);
    let clock = || Time::from_millis(NOW.load(std::sync::atomic::Ordering::SeqCst));
    let (_folder, mut keys) = store();
    keys.clock = clock;
    keys.ensure_active().unwrap();
    assert!(matches!(keys.rotate(Some(clock())), Err(KeyError::NotFuture { .. })));
    let at = clock().plus_seconds(3600);
    let outcome = keys.rotate(Some(at)).unwrap();
    assert_eq!(outcome.active.as_deref(), Some("test-1"));
    assert_eq!(outcome.rotates_at, Some(at.to_string()));
    assert_eq!(keys.list().unwrap()[1].entry.state, KeyState::Pending);
    assert!(matches!(keys.activate("test-2"), Err(KeyError::NotYet { .. })));
    assert!(keys.warnings().unwrap().is_empty());
    let later = clock().plus_seconds(7200);
    assert_eq!(keys.rotate(Some(later)).unwrap().rotates_at, Some(later.to_string()), "moved");
    assert_eq!(keys.list().unwrap().len(), 2, "with the same successor");
    NOW.fetch_add(7_200_001, std::sync::atomic::Ordering::SeqCst);
    assert!(keys.warnings().unwrap()[0].contains("recourse keys rotate"));
    keys.with_active(|entry, _| assert_eq!(entry.key_id, "test-1")).unwrap();
    let outcome = keys.activate("test-2").unwrap();
    assert_eq!(outcome.active.as_deref(), Some("test-2"));
    assert_eq!(outcome.changes.len(), 2);
    assert_eq!(keys.list().unwrap()[0].entry.state, KeyState::Deprecated);
}

#[test]
fn a_name_is_never_used_twice() {
    let (_folder, keys) = store();
    keys.generate().unwrap();
    keys.generate().unwrap();
    let path = |name: &str| keys.places.keys().join(name);
    let made = |keys: &KeyStore| keys.generate().unwrap().changes[0].key_id.clone();
    fs::remove_file(path("test-2.pem")).unwrap();
    assert_eq!(made(&keys), "test-3", "its file is gone");
    fs::remove_file(keys.places.data.join("registry.json")).unwrap();
    fs::remove_file(path("test-3.pem")).unwrap();
    let before = made(&keys);
    assert_eq!(before, "test-4", "the registry is gone");
    assert_eq!(version(&keys), 4, "nor is a version");
    fs::remove_file(path("instance.json")).unwrap();
    assert_eq!(made(&keys), "test-5", "the record is gone");
    fs::write(path("test-9.pem"), "x").unwrap();
    assert_eq!(made(&keys), "test-10", "a file shows a number");
    let (_folder, keys) = store();
    keys.generate().unwrap();
    // Everything: then the name of the instance is another one.
    fs::remove_dir_all(keys.places.keys()).unwrap();
    let unnamed = KeyStore::open(&keys.places);
    let first = made(&unnamed);
    fs::remove_dir_all(keys.places.keys()).unwrap();
    assert_ne!(first, made(&unnamed));
}

#[test]
fn an_instance_keeps_its_name() {
    let (_folder, keys) = store();
    keys.generate().unwrap();
    let other = KeyStore::open(&keys.places).named("other").unwrap();
    assert!(matches!(other.generate(), Err(KeyError::InstanceIs { .. })));
    for bad in ["", "a/b", "..", "-x", "ä", "a b", &"x".repeat(65)] {
        assert!(matches!(KeyStore::open(&keys.places).named(bad), Err(KeyError::InstanceName(_))), "{bad}");
    }
}

#[test]
fn keys_that_others_can_reach_are_refused() {
    let (_folder, keys) = store();
    keys.ensure_active().unwrap();
    let pem = keys.places.keys().join("test-1.pem");
    let again = || KeyStore::open(&keys.places);
    assert_eq!(fs::metadata(&pem).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(keys.places.keys()).unwrap().permissions().mode() & 0o777, 0o700);
    fs::set_permissions(&pem, fs::Permissions::from_mode(0o644)).unwrap();
    let refused = again().with_active(|_, _| ()).unwrap_err();
    assert!(matches!(refused, KeyError::Disk(disk::DiskError::TooOpen { .. })));
    assert_eq!(again().warnings().unwrap().len(), 1);
    fs::set_permissions(&pem, fs::Permissions::from_mode(0o600)).unwrap();
    let away = keys.places.data.join("away.pem");
    fs::rename(&pem, &away).unwrap();
    symlink(&away, &pem).unwrap();
    assert!(matches!(again().with_active(|_, _| ()), Err(KeyError::Disk(disk::DiskError::Kind { .. }))));
    fs::remove_file(&pem).unwrap();
    assert!(matches!(again().with_active(|_, _| ()), Err(KeyError::Missing { .. })));
    fs::rename(&away, &pem).unwrap();
    fs::set_permissions(keys.places.keys(), fs::Permissions::from_mode(0o755)).unwrap();
    assert!(matches!(again().with_active(|_, _| ()), Err(KeyError::Disk(disk::DiskError::TooOpen { .. }))));
    assert!(again().generate().is_err() && again().list().is_err());
    fs::set_permissions(keys.places.keys(), fs::Permissions::from_mode(0o700)).unwrap();
    again().with_active(|_, _| ()).unwrap();
}

#[test]
fn another_key_under_the_name_is_refused() {
    let (_folder, keys) = store();
    keys.ensure_active().unwrap();
    keys.generate().unwrap();
    let pem = |n: u8| keys.places.keys().join(format!("test-{n}.pem"));
    fs::copy(pem(2), pem(1)).unwrap();
    assert!(matches!(KeyStore::open(&keys.places).with_active(|_, _| ()), Err(KeyError::Material { .. })));
    fs::write(pem(2), "-----BEGIN PRIVATE KEY-----\nsecret\n-----END PRIVATE KEY-----\n").unwrap();
    let error = keys.rotate(None).unwrap_err();
    assert!(matches!(error, KeyError::Material { .. }));
    assert!(!format!("{error} {error:?} {keys:?}").contains("secret"));
    assert_eq!(keys.list().unwrap()[0].entry.state, KeyState::Active, "nothing was changed");
}

#[test]
fn encrypted_keys_need_their_passphrase() {
    let (_folder, plain) = store();
    let open =
        |word: &str| KeyStore::open(&plain.places).with_passphrase(Passphrase::new(word.to_owned())).unwrap();
    open("sesame").named("test").unwrap().generate().unwrap();
    assert!(matches!(plain.activate("test-1"), Err(KeyError::PassphraseNeeded { .. })));
    assert!(matches!(open("sesam").activate("test-1"), Err(KeyError::PassphraseWrong { .. })));
    open("sesame").activate("test-1").unwrap();
    assert!(
        matches!(plain.rotate(None), Err(KeyError::PassphraseNeeded { .. })),
        "no successor in the clear"
    );
    open("sesame").rotate(None).unwrap();
    let text = fs::read_to_string(plain.places.keys().join("test-2.pem")).unwrap();
    assert!(text.starts_with("-----BEGIN ENCRYPTED PRIVATE KEY-----"));
    assert!(!format!("{:?}", open("sesame")).contains("sesame"));
    let empty = KeyStore::open(&plain.places).with_passphrase(Passphrase::new(String::new()));
    assert!(matches!(empty, Err(KeyError::PassphraseEmpty)));
}

#[test]
fn what_is_published_never_goes_back() {
    let (folder, keys) = store();
    let root = folder.path().join("web");
    let keys = keys.publishing_to(&root);
    keys.ensure_active().unwrap();
    let shown = root.join(book::PUBLISHED);
    let read = || Registry::from_value(&serde_json::from_slice(&fs::read(&shown).unwrap()).unwrap()).unwrap();
    assert_eq!(read(), keys.registry().unwrap().unwrap());
    assert_eq!(fs::metadata(&shown).unwrap().permissions().mode() & 0o777, 0o644);
    // Published, and then the writer died before it took effect: the next version is higher than what was seen.
    let mut ahead = read();
    ahead.version = Some(7);
    fs::write(&shown, ahead.to_value().to_string()).unwrap();
    assert!(matches!(keys.show(&root), Err(KeyError::RolledBack { .. })));
    assert_eq!(keys.generate().unwrap().registry_version, 8);
    assert_eq!(read().version, Some(8));
}

#[test]
fn a_change_that_was_shown_and_cut_off_is_finished() {
    let (folder, keys) = store();
    let root = folder.path().join("web");
    let keys = keys.publishing_to(&root);
    keys.ensure_active().unwrap();
    let own = book::registry_path(&keys.places);
    let record_file = book::record_path(&keys.places);
    let states = || {
        let record: serde_json::Value = serde_json::from_slice(&fs::read(&record_file).unwrap()).unwrap();
        record["keys"].clone()
    };
    // As if the process had died when the compromise was published and before it took effect.
    let cut_off = || {
        let (before, states) = (fs::read(&own).unwrap(), states());
        let active = keys.registry().unwrap().unwrap().active().unwrap().key_id.clone();
        let version = keys.compromise(&active, None).unwrap().registry_version;
        fs::write(&own, before).unwrap();
        // How far keys have gone is written down last.
        let mut record: serde_json::Value = serde_json::from_slice(&fs::read(&record_file).unwrap()).unwrap();
        record["keys"] = states;
        fs::write(&record_file, record.to_string()).unwrap();
        assert!(keys.registry().unwrap().unwrap().active().is_some());
        (active, version)
    };
    let state = |key_id: &str| {
        let registry = keys.registry().unwrap().unwrap();
        registry.keys.iter().find(|key| key.key_id == key_id).unwrap().state
    };
    let plain = KeyStore::open(&keys.places);
    let (first, shown) = cut_off();
    let (_, registry) = plain.show(&root).unwrap();
    assert_eq!((registry.version, state(&first)), (Some(shown), KeyState::Compromised));
    // The same change again, and another one.
    let next = |keys: &KeyStore| {
        let made = keys.generate().unwrap().changes[0].key_id.clone();
        keys.activate(&made).unwrap();
    };
    next(&keys);
    let (second, shown) = cut_off();
    let again = keys.compromise(&second, None).unwrap();
    assert!(again.registry_version > shown && again.changes.is_empty());
    assert_eq!(state(&second), KeyState::Compromised);
    next(&keys);
    let (third, shown) = cut_off();
    assert!(keys.generate().unwrap().registry_version > shown);
    assert_eq!(state(&third), KeyState::Compromised, "what others know is not taken back");
    // Nothing here says what the change was: the diagnosis does, and that change made again heals it.
    let pending = keys.registry().unwrap().unwrap().keys.last().unwrap().key_id.clone();
    keys.activate(&pending).unwrap();
    let (fourth, _) = cut_off();
    fs::remove_file(keys.places.keys().join("next.json")).unwrap();
    let error = plain.show(&root).unwrap_err();
    assert!(matches!(error, KeyError::Unfinished { .. }), "{error}");
    assert!(!error.to_string().contains("another copy"), "{error}");
    keys.compromise(&fourth, None).unwrap();
    plain.show(&root).unwrap();
}

#[test]
fn damage_is_named_and_nothing_is_guessed() {
    for bad in [
        "{",
        "[]",
        r#"{"instance_id":"test","keys":[],"registry_version":1,"registry_version":2}"#,
        r#"{"instance_id":"test","keys":[{"key_id":"test-1","algorithm":"Ed25519","public_key":"A","state":"gone"}],"registry_version":1}"#,
        r#"{"instance_id":"test","keys":[{"key_id":"../x","algorithm":"Ed25519","public_key":"A","state":"active"}],"registry_version":1}"#,
        r#"{"instance_id":"test","keys":[{"key_id":"test-1","algorithm":"Ed25519","public_key":"A","state":"active"},{"key_id":"test-2","algorithm":"Ed25519","public_key":"A","state":"active"}],"registry_version":1}"#,
        r#"{"instance_id":"other","keys":[],"registry_version":1}"#,
    ] {
        let (_folder, keys) = key_in(KeyState::Active);
        fs::write(keys.places.data.join("registry.json"), bad).unwrap();
        assert!(matches!(keys.generate(), Err(KeyError::Corrupt { .. })), "{bad}");
        assert!(matches!(keys.ensure_active(), Err(KeyError::Corrupt { .. })), "{bad}");
    }
}

#[test]
fn every_change_is_in_the_audit_log() {
    let (_folder, keys) = store();
    keys.ensure_active().unwrap();
    keys.rotate(None).unwrap();
    keys.compromise("test-1", Some("found in a repository")).unwrap();
    let events = keys.audit.read().unwrap();
    let steps: Vec<_> = events
        .iter()
        .map(|entry| {
            let text = |name: &str| entry.details[name].as_str().unwrap_or("").to_owned();
            format!("{} {}>{}", text("key_id"), text("from"), text("to"))
        })
        .collect();
    assert_eq!(
        steps,
        [
            "test-1 >pending",
            "test-1 pending>active",
            "test-2 >pending",
            "test-1 active>deprecated",
            "test-2 pending>active",
            "test-1 deprecated>compromised"
        ]
    );
    assert_eq!(events[5].details["reason"], "found in a repository");
    keys.audit.verify().unwrap();
}

#[test]
fn many_at_once_leave_one_active_key() {
    let (_folder, keys) = store();
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                keys.ensure_active().unwrap();
                keys.rotate(None).unwrap();
            });
        }
    });
    let listed = keys.list().unwrap();
    assert_eq!(listed.iter().filter(|key| key.entry.state == KeyState::Active).count(), 1);
    assert_eq!(listed.len(), 9);
    assert_eq!(version(&keys), 18);
}

#[test]
fn a_key_that_never_signs_again_is_destroyed() {
    for state in [KeyState::Compromised, KeyState::Retired, KeyState::Deprecated] {
        let (_folder, keys) = key_in(state);
        assert!(!keys.places.keys().join("test-1.pem").exists(), "{state}");
        assert!(!keys.list().unwrap()[0].private_key);
    }
    let (_folder, keys) = key_in(KeyState::Active);
    let pem = keys.places.keys().join("test-1.pem");
    let kept = fs::read(&pem).unwrap();
    keys.rotate(None).unwrap();
    assert!(!pem.exists(), "a rotation leaves no old key behind");
    // A copy that somebody puts back, and one that no key speaks of.
    for name in ["test-1.pem", "test-7.pem"] {
        let path = keys.places.keys().join(name);
        fs::write(&path, &kept).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        assert!(keys.warnings().unwrap().iter().any(|warning| warning.contains(name)), "{name}");
    }
    assert!(keys.activate("test-1").is_err());
    // The next change takes it away again, as what a process left that died before it came to that.
    keys.generate().unwrap();
    assert!(!pem.exists());
    assert!(keys.places.keys().join("test-7.pem").exists(), "that one is for a person");
}

#[test]
fn room_is_kept_for_a_compromise() {
    let (_folder, keys) = key_in(KeyState::Active);
    let reserve = keys.places.keys().join("reserve");
    assert!(fs::metadata(&reserve).unwrap().len() >= 1 << 16);
    assert_eq!(fs::metadata(&reserve).unwrap().permissions().mode() & 0o777, 0o600);
}
