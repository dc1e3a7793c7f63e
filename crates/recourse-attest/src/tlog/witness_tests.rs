use proptest::prelude::*;

use super::super::merkle::tests::Leaves;
use super::super::merkle::{consistency, leaf_hash, root};
use super::*;

const LOG: &str = "recourse.example/log";

fn log(seed: u8) -> NoteSigner {
    NoteSigner::new(LOG, Kind::Log, ed25519_dalek::SigningKey::from_bytes(&[seed; 32])).unwrap()
}

fn leaves(count: u8, salt: u8) -> Leaves {
    Leaves((0..count).map(|n| leaf_hash(&[n, if n > 2 { salt } else { 0 }])).collect())
}

fn checkpoint(tree: &Leaves, signer: &NoteSigner) -> String {
    let size = tree.0.len() as u64;
    let text = Checkpoint { origin: LOG.to_owned(), size, root: root(tree, size).unwrap() }.to_string();
    format!("{text}\n{}", signer.sign(&text, 0))
}

fn request(old: u64, tree: &Leaves, signer: &NoteSigner) -> Vec<u8> {
    let mut body = format!("old {old}\n");
    for hash in consistency(tree, old, tree.0.len() as u64).unwrap() {
        body.push_str(&format!("{}\n", STANDARD.encode(hash)));
    }
    format!("{body}\n{}", checkpoint(tree, signer)).into_bytes()
}

fn witness(folder: &tempfile::TempDir) -> Witness {
    let (seen, head) = (folder.path().join("seen"), folder.path().join("head"));
    Witness::open("witness.example", vec![log(1).vkey().clone()], seen, head).unwrap()
}

fn now() -> Time {
    Time::from_millis(1_700_000_000_123)
}

#[test]
fn what_goes_on_is_cosigned() {
    let folder = tempfile::tempdir().unwrap();
    let mut last = 0;
    for size in [0, 1, 3, 3, 4, 8, 9] {
        // Opened anew each time: what was seen is on the disk.
        let witness = witness(&folder);
        let tree = leaves(size, 0);
        let line = witness.add(&request(last, &tree, &log(1)), now()).unwrap();
        let mut note = Note::parse(checkpoint(&tree, &log(1)).as_bytes()).unwrap();
        note.add(&line).unwrap();
        assert_eq!(note.signed_by(witness.vkey()), Ok(Some(1_700_000_000)));
        last = u64::from(size);
    }
}

#[test]
fn another_history_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let witness = witness(&folder);
    let ask = |body: &[u8]| witness.add(body, now());
    ask(&request(0, &leaves(5, 0), &log(1))).unwrap();
    // A leaf that was seen is another now.
    assert!(matches!(ask(&request(5, &leaves(9, 1), &log(1))), Err(Refused::Contradiction(_))));
    // Split view: two trees of one size.
    assert!(matches!(ask(&request(5, &leaves(5, 1), &log(1))), Err(Refused::Contradiction(_))));
    // A smaller log, from the start or from where it was.
    assert!(matches!(ask(&request(0, &leaves(4, 0), &log(1))), Err(Refused::Conflict(5))));
    assert!(matches!(ask(&request(3, &leaves(9, 0), &log(1))), Err(Refused::Conflict(5))));
    let mut back = b"old 5\n".to_vec();
    back.extend_from_slice(&request(0, &leaves(4, 0), &log(1))[6..]);
    assert!(matches!(ask(&back), Err(Refused::Malformed(_))));
    // A proof that is short, and one for the first checkpoint.
    let text = String::from_utf8(request(5, &leaves(9, 0), &log(1))).unwrap();
    let short = text.lines().enumerate().filter(|(at, _)| *at != 1).map(|(_, line)| format!("{line}\n"));
    assert!(matches!(ask(short.collect::<String>().as_bytes()), Err(Refused::Contradiction(_))));
    // Another key, another log, no signature of the log.
    assert!(matches!(ask(&request(5, &leaves(9, 0), &log(2))), Err(Refused::Unsigned)));
    let other = text.replacen(LOG, "other.example/log", 1);
    assert!(matches!(ask(other.as_bytes()), Err(Refused::Unknown)));
    let forged = text.replacen("\n9\n", "\n8\n", 1);
    assert!(matches!(ask(forged.as_bytes()), Err(Refused::Unsigned)));
    // None of it moved it.
    ask(text.as_bytes()).unwrap();
}

#[test]
fn a_witness_that_was_put_back_says_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let name = hex(&Sha256::digest(LOG));
    let seen = folder.path().join("seen").join(name);
    let witness = witness(&folder);
    witness.add(&request(0, &leaves(5, 0), &log(1)), now()).unwrap();
    let old = std::fs::read(&seen).unwrap();
    witness.add(&request(5, &leaves(9, 0), &log(1)), now()).unwrap();
    disk::write_atomic(&seen, &old, Access::Private).unwrap();
    assert!(matches!(witness.add(&request(5, &leaves(9, 1), &log(1)), now()), Err(Refused::Own(_))));
    std::fs::remove_file(&seen).unwrap();
    assert!(matches!(witness.add(&request(0, &leaves(9, 1), &log(1)), now()), Err(Refused::Own(_))));
    disk::write_atomic(&seen, &old[..20], Access::Private).unwrap();
    assert!(matches!(witness.add(&request(0, &leaves(9, 1), &log(1)), now()), Err(Refused::Own(_))));
}

#[test]
fn one_of_many_histories_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    let witness = witness(&folder);
    witness.add(&request(0, &leaves(3, 0), &log(1)), now()).unwrap();
    let seen: usize = std::thread::scope(|scope| {
        let tries: Vec<_> = (1..=8)
            .map(|salt| {
                let witness = &witness;
                scope.spawn(move || witness.add(&request(3, &leaves(5, salt), &log(1)), now()).is_ok())
            })
            .collect();
        tries.into_iter().map(|one| usize::from(one.join().unwrap())).sum()
    });
    assert_eq!(seen, 1);
}

proptest! {
    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300), at in 0usize..400, byte in any::<u8>()) {
        let _ = Request::parse(&bytes);
        let mut near = request(2, &leaves(5, 0), &log(1));
        let at = at % near.len();
        near[at] = byte;
        let _ = Request::parse(&near);
    }
}
