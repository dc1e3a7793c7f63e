use std::fs;

use serde_json::json;

use super::super::ask::{Asked, Said};
use super::super::proof::LogPolicy;
use super::super::witness::Witness;
use super::*;
use crate::sign::{DEFAULT_VALIDITY, Evaluation, Profile, Signer, SignerSettings};
use crate::time::Time;

struct Instance {
    folder: tempfile::TempDir,
    places: Places,
    signer: Signer,
    log: Log,
}

impl Instance {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let places = Places::under(folder.path());
        let keys = KeyStore::open(&places).named("test").unwrap();
        keys.ensure_active().unwrap();
        let base = Origin::base("https://recourse.example").unwrap();
        let settings = SignerSettings {
            base: base.clone(),
            evaluator: "recourse:0.1.0".to_owned(),
            profile: Profile::Full,
            validity: DEFAULT_VALIDITY,
        };
        let signer = Signer::new(keys, Store::open(&places), settings);
        let log = Log::open(&places);
        assert!(matches!(log.advance(), Err(LogError::None)));
        log.begin(&base).unwrap();
        Self { folder, places, signer, log }
    }

    fn attest(&self) -> crate::Attestation {
        let (input, output) = (json!({"source": "shell", "input": "ls"}), json!({"riskAssessment": "allow"}));
        self.signer.attest(Evaluation { input, output, chain: None }).unwrap()
    }

    fn policy(&self) -> LogPolicy {
        LogPolicy { logs: vec![self.log.vkey().unwrap().unwrap()], ..LogPolicy::default() }
    }
}

fn policy_of(log: &Log) -> LogPolicy {
    LogPolicy { logs: vec![log.vkey().unwrap().unwrap()], ..LogPolicy::default() }
}

#[test]
fn everything_that_was_signed_and_recorded_is_proven() {
    let instance = Instance::new();
    let first = instance.attest();
    let advanced = instance.log.advance().unwrap();
    // The registry, the attestation, and the two steps of the first key.
    assert_eq!((advanced.size, advanced.added, advanced.notes.len()), (4, 4, 0));
    assert_eq!(instance.log.advance().unwrap().checkpoint, advanced.checkpoint, "nothing is new");
    let second = instance.attest();
    let wanted = |one: &crate::Attestation| Wanted::Attestation(one.id().to_owned());
    assert!(matches!(instance.log.prove(&wanted(&second)), Err(LogError::NotYet(_))));
    instance.signer.keys().rotate(None).unwrap();
    // Two versions of the registry by one rotation, and two lines.
    let advanced = instance.log.advance().unwrap();
    assert_eq!((advanced.size, advanced.added), (10, 6));
    for one in [&first, &second] {
        let (proof, leaf) = instance.log.prove(&wanted(one)).unwrap();
        assert_eq!(leaf, Entry::Attestation.leaf_of(one.canonical()));
        assert_eq!(instance.policy().check(&proof, &leaf).unwrap().size, 10);
    }
    for wanted in [Wanted::Registry, Wanted::Audit(1), Wanted::Audit(5)] {
        let (proof, leaf) = instance.log.prove(&wanted).unwrap();
        instance.policy().check(&proof, &leaf).unwrap();
    }
    let lines = fs::read_to_string(instance.places.audit_log()).unwrap();
    let (_, leaf) = instance.log.prove(&Wanted::Audit(3)).unwrap();
    assert_eq!(leaf, Entry::Audit.leaf_of(lines.lines().nth(2).unwrap().as_bytes()));
}

#[test]
fn a_rewritten_audit_log_does_not_go_on() {
    let instance = Instance::new();
    instance.log.advance().unwrap();
    let path = instance.places.audit_log();
    fs::remove_file(&path).unwrap();
    fs::remove_file(instance.places.audit_head()).unwrap();
    instance.signer.keys().generate().unwrap();
    let audit = AuditLog::open(&instance.places);
    audit.append("one", json!({})).unwrap();
    audit.append("two", json!({})).unwrap();
    assert!(audit.verify().is_ok(), "by itself it holds");
    let advanced = instance.log.advance().unwrap();
    assert!(advanced.notes[0].contains("rewritten"), "{:?}", advanced.notes);
}

#[test]
fn a_damaged_log_vouches_for_no_audit_log() {
    let instance = Instance::new();
    instance.attest();
    instance.log.advance().unwrap();
    assert_eq!(instance.log.audit_lines().unwrap().len(), 2);
    let at = |name: &str| instance.places.log().join(name);
    let checkpoint = fs::read(at("checkpoint")).unwrap();
    let mut doctored = checkpoint.clone();
    doctored[40] ^= 1;
    for (name, bad) in [
        ("leaves", Some(Vec::new())),
        ("leaves", None),
        ("checkpoint", Some(b"nonsense".to_vec())),
        ("checkpoint", Some(doctored)),
        ("witnessed", Some(b"nonsense".to_vec())),
        ("vkey", None),
    ] {
        let good = fs::read(at(name)).ok();
        match &bad {
            Some(bytes) => disk::write_atomic(&at(name), bytes, Access::Private).unwrap(),
            None => fs::remove_file(at(name)).unwrap(),
        }
        let said = instance.log.audit_lines();
        assert!(matches!(said, Err(LogError::Damaged(..))), "{name} {bad:?}: {said:?}");
        match good {
            Some(good) => disk::write_atomic(&at(name), &good, Access::Private).unwrap(),
            None => fs::remove_file(at(name)).unwrap(),
        }
    }
    // What is behind the checkpoint may be half-written.
    let mut leaves = fs::read(at("leaves")).unwrap();
    leaves.extend_from_slice(&[1; 20]);
    disk::write_atomic(&at("leaves"), &leaves, Access::Private).unwrap();
    assert_eq!(instance.log.audit_lines().unwrap().len(), 2);
}

#[test]
fn hashes_are_made_again_from_the_leaves_and_vouch_for_nothing_until_then() {
    let instance = Instance::new();
    let ids: Vec<_> = (0..9).map(|_| instance.attest().id().to_owned()).collect();
    instance.log.advance().unwrap();
    assert!(!instance.log.mend().unwrap());
    let hashes = instance.places.log().join("hashes");
    let good = fs::read(&hashes).unwrap();
    let flipped = |at: usize| {
        let mut bytes = good.clone();
        bytes[at] ^= 1;
        Some(bytes)
    };
    // Also one that no root is made of.
    let bad = (0..good.len()).step_by(32).map(flipped);
    let bad = bad.chain([Some(Vec::new()), Some(b"short".to_vec()), Some(vec![0; good.len()]), None]);
    for bytes in bad {
        match &bytes {
            Some(bytes) => disk::write_atomic(&hashes, bytes, Access::Private).unwrap(),
            None => fs::remove_file(&hashes).unwrap(),
        }
        assert!(matches!(instance.log.audit_lines(), Err(LogError::Hashes(_))), "{bytes:?}");
        for id in &ids {
            // Either it is right, or there is none.
            let Ok((proof, leaf)) = instance.log.prove(&Wanted::Attestation(id.clone())) else { continue };
            instance.policy().check(&proof, &leaf).unwrap();
        }
        assert!(instance.log.mend().unwrap());
        assert_eq!(fs::read(&hashes).unwrap(), good);
        assert_eq!(instance.log.audit_lines().unwrap().len(), 2);
    }
    // Never from leaves that are others.
    let leaves = instance.places.log().join("leaves");
    let mut bytes = fs::read(&leaves).unwrap();
    bytes[60] ^= 1;
    fs::write(&leaves, &bytes).unwrap();
    let said = instance.log.mend();
    assert!(matches!(said, Err(LogError::Damaged(..))), "{said:?}");
    assert_eq!(fs::read(&hashes).unwrap(), good);
}

#[test]
fn a_log_without_its_key_or_its_checkpoint_vouches_for_nothing() {
    let instance = Instance::new();
    // A new registry goes in before the first checkpoint.
    instance.signer.keys().rotate(None).unwrap();
    assert!(instance.log.audit_lines().unwrap().is_empty());
    instance.attest();
    instance.log.advance().unwrap();
    let at = |name: &str| instance.places.log().join(name);
    let checkpoint = fs::read(at("checkpoint")).unwrap();
    fs::remove_file(at("checkpoint")).unwrap();
    assert!(matches!(instance.log.audit_lines(), Err(LogError::Damaged(..))), "no checkpoint");
    // An older one that witnesses saw does not stand in for it.
    disk::write_atomic(&at("witnessed"), &checkpoint, Access::Private).unwrap();
    assert!(matches!(instance.log.audit_lines(), Err(LogError::Damaged(..))), "the witnessed one alone");
    fs::remove_file(at("witnessed")).unwrap();
    let vkey = fs::read(at("vkey")).unwrap();
    fs::remove_file(at("vkey")).unwrap();
    assert!(matches!(instance.log.audit_lines(), Err(LogError::Damaged(..))), "neither");
    let base = Origin::base("https://recourse.example").unwrap();
    assert!(matches!(instance.log.begin(&base), Err(LogError::Damaged(..))), "no other key takes them over");
    disk::write_atomic(&at("vkey"), &vkey, Access::Private).unwrap();
    // A process may have died before the first one.
    assert!(instance.log.advance().unwrap().notes[0].contains("no checkpoint"));
    assert!(!instance.log.audit_lines().unwrap().is_empty());
}

#[test]
fn what_is_damaged_is_not_gone_on_with() {
    let instance = Instance::new();
    instance.attest();
    let size = instance.log.advance().unwrap().size;
    let leaves = instance.places.log().join("leaves");
    let hashes = instance.places.log().join("hashes");
    let good = fs::read(&leaves).unwrap();
    // Hashes can be made again.
    let mut bytes = fs::read(&hashes).unwrap();
    bytes[40] ^= 1;
    fs::write(&hashes, &bytes).unwrap();
    instance.attest();
    assert_eq!(instance.log.advance().unwrap().size, size + 1);
    // Leaves cannot.
    for (at, bad) in [(5, 0u8), (60, 0xff)] {
        let mut bytes = good.clone();
        bytes[at] ^= bad ^ 0x55;
        fs::write(&leaves, &bytes).unwrap();
        assert!(matches!(instance.log.advance(), Err(LogError::Damaged(..))), "{at}");
    }
    fs::write(&leaves, &good[..good.len() - 1]).unwrap();
    assert!(matches!(instance.log.advance(), Err(LogError::Damaged(..))));
}

#[test]
fn witnesses_see_it_grow_and_a_rewritten_one_is_found() {
    let instance = Instance::new();
    let vkey = instance.log.vkey().unwrap().unwrap();
    let at = |name: &str| instance.folder.path().join(name);
    let witness = Witness::open("w.example", vec![vkey], at("w"), at("w-head")).unwrap();
    let asked = [format!("{} https://w.example/", witness.vkey()).parse::<Asked>().unwrap()];
    let post = |url: &str, body: &str| {
        assert_eq!(url, "https://w.example/add-checkpoint");
        Ok(match witness.add(body.as_bytes(), Time::now()) {
            Ok(line) => (200, line.into_bytes()),
            Err(super::super::witness::Refused::Conflict(size)) => (409, format!("{size}\n").into_bytes()),
            Err(super::super::witness::Refused::Contradiction(why)) => (422, why.as_bytes().to_vec()),
            Err(other) => (500, other.to_string().into_bytes()),
        })
    };
    let ask =
        |log: &Log| log.ask(&asked, &post).unwrap().into_iter().map(|(_, said)| said).collect::<Vec<_>>();
    let first = instance.attest();
    instance.log.advance().unwrap();
    let old = at("old");
    let copy = |from: &std::path::Path, to: &std::path::Path| {
        let _ = fs::remove_dir_all(to);
        disk::private_dir(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    };
    copy(&instance.places.log(), &old);
    assert_eq!(ask(&instance.log), [Said::Saw]);
    assert_eq!(ask(&instance.log), [], "it has seen this one");
    instance.attest();
    instance.log.advance().unwrap();
    // What nobody saw yet rests on what was seen.
    let wanted = Wanted::Attestation(first.id().to_owned());
    let mut policy = policy_of(&instance.log);
    policy.witnesses.push(witness.vkey().clone());
    policy.quorum = 1;
    let (proof, leaf) = instance.log.prove(&wanted).unwrap();
    policy.check(&proof, &leaf).unwrap();
    assert_eq!(ask(&instance.log), [Said::Saw]);
    // The folder is put back from an old copy, and the log goes on in another way.
    copy(&old, &instance.places.log());
    fs::remove_dir_all(instance.places.attestations()).unwrap();
    assert!(matches!(ask(&instance.log)[..], [Said::Contradicts(_)]), "it is smaller");
    for _ in 0..3 {
        instance.attest();
    }
    instance.log.advance().unwrap();
    assert!(matches!(ask(&instance.log)[..], [Said::Contradicts(_)]), "it is another one");
    let root = at("web");
    copy(&old, &instance.places.log());
    instance.log.show(&root).unwrap();
    for _ in 0..3 {
        instance.attest();
    }
    instance.log.advance().unwrap();
    instance.log.show(&root).unwrap();
    copy(&old, &instance.places.log());
    assert!(matches!(instance.log.show(&root), Err(LogError::Contradicted(_))));
}

#[test]
fn the_static_files_are_the_tree() {
    let instance = Instance::new();
    let root = instance.folder.path().join("web");
    for round in 1..4 {
        for _ in 0..100 {
            instance.attest();
        }
        let advanced = instance.log.advance().unwrap();
        assert_eq!(instance.log.show(&root).unwrap(), advanced.size);
        let folder = root.join(PREFIX);
        for tile in Tile::grown(0, advanced.size) {
            let bytes = fs::read(folder.join(tile.path())).unwrap();
            assert_eq!(instance.log.file(&tile.path()).unwrap().as_ref(), Some(&bytes), "round {round}");
        }
        let entries = fs::read(folder.join("tile/entries/000.p/103"));
        assert!(entries.is_ok(), "partial tiles stay");
        assert_eq!(
            fs::read(folder.join("checkpoint")).unwrap(),
            advanced.checkpoint.to_string().into_bytes()
        );
    }
    for none in ["tile/0/001.p/255", "tile/1/000.p/2", "key.pem", "../keys/test-1.pem", "leaves", ""] {
        assert!(instance.log.file(none).unwrap().is_none(), "{none}");
    }
}
