#![cfg(feature = "signing")]

use proptest::prelude::*;

use super::super::merkle::tests::Leaves;
use super::super::merkle::{inclusion, root};
use super::super::signer::NoteSigner;
use super::*;

fn signer(name: &str, kind: Kind, seed: u8) -> NoteSigner {
    NoteSigner::new(name, kind, ed25519_dalek::SigningKey::from_bytes(&[seed; 32])).unwrap()
}

struct Example {
    policy: LogPolicy,
    proof: Proof,
    leaf: Vec<u8>,
}

const LOG: &str = "recourse.example/.well-known/recourse-log";

fn text(leaves: &Leaves) -> String {
    let size = leaves.0.len() as u64;
    Checkpoint { origin: LOG.to_owned(), size, root: root(leaves, size).unwrap() }.to_string()
}

fn example() -> Example {
    let entries: Vec<Vec<u8>> = (0..7u8).map(|n| Entry::Attestation.leaf(&[n; 32])).collect();
    let leaves = Leaves::of(&entries.iter().map(Vec::as_slice).collect::<Vec<_>>());
    let text = text(&leaves);
    let log = signer(LOG, Kind::Log, 1);
    let witnesses = [signer("w1", Kind::Witness, 2), signer("w2", Kind::Witness, 3)];
    let mut note = format!("{text}\n{}", log.sign(&text, 0));
    for (witness, time) in witnesses.iter().zip([1_700_000_000, 1_800_000_000]) {
        note.push_str(&witness.sign(&text, time));
    }
    Example {
        policy: LogPolicy {
            logs: vec![log.vkey().clone()],
            witnesses: witnesses.iter().map(|one| one.vkey().clone()).collect(),
            quorum: 2,
        },
        proof: Proof {
            index: 5,
            hashes: inclusion(&leaves, 5, 7).unwrap(),
            checkpoint: Note::parse(note.as_bytes()).unwrap(),
        },
        leaf: entries[5].clone(),
    }
}

#[test]
fn a_proof_proves_one_entry_to_those_who_know_the_keys() {
    let Example { policy, proof, leaf } = example();
    let logged = policy.check(&proof, &leaf).unwrap();
    assert_eq!(
        (logged.index, logged.size, logged.witnesses.as_slice()),
        (5, 7, ["w1".to_owned(), "w2".to_owned()].as_slice())
    );
    assert_eq!(Proof::parse(proof.to_string().as_bytes()), Ok(proof.clone()));
    let extra = proof.to_string().replace("\nindex", "\nextra AAAA\nindex");
    assert_eq!(Proof::parse(extra.as_bytes()), Ok(proof.clone()));
    // The digest alone is not enough: what it is of counts.
    assert_eq!(policy.check(&proof, &Entry::Audit.leaf(&[5; 32])), Err(ProofError::Leaf));
    assert_eq!(policy.check(&proof, &Entry::Attestation.leaf(&[4; 32])), Err(ProofError::Leaf));
    assert_eq!(policy.check(&Proof { index: 4, ..proof.clone() }, &leaf), Err(ProofError::Leaf));
    let mut short = proof.clone();
    short.hashes.pop();
    assert_eq!(policy.check(&short, &leaf), Err(ProofError::Leaf));
}

#[test]
fn what_others_signed_counts_for_nothing() {
    let Example { policy, proof, leaf } = example();
    let with = |change: &dyn Fn(&mut LogPolicy)| {
        let mut other = policy.clone();
        change(&mut other);
        other.check(&proof, &leaf)
    };
    let stranger = signer(LOG, Kind::Log, 9).vkey().clone();
    assert!(matches!(with(&|policy| policy.logs = vec![stranger.clone()]), Err(ProofError::Log(_))));
    assert!(matches!(with(&|policy| policy.logs.clear()), Err(ProofError::Log(_))));
    // The right key under another name is another log.
    let renamed = signer("other.example/log", Kind::Log, 1).vkey().clone();
    assert!(matches!(with(&|policy| policy.logs = vec![renamed.clone()]), Err(ProofError::Log(_))));
    // A log's key does not make a witness, even its own.
    let own = signer(LOG, Kind::Witness, 1).vkey().clone();
    assert_eq!(
        with(&|policy| policy.witnesses[0] = own.clone()),
        Err(ProofError::Witnesses { found: 1, wanted: 2 })
    );
    assert_eq!(with(&|policy| policy.quorum = 3), Err(ProofError::Witnesses { found: 2, wanted: 3 }));
    // A witness that is listed twice is one.
    let twice = policy.witnesses[0].clone();
    assert_eq!(
        with(&|policy| policy.witnesses[1] = twice.clone()),
        Err(ProofError::Witnesses { found: 1, wanted: 2 })
    );
    // One key under two names is one witness.
    let mut note = proof.checkpoint.clone();
    let alias = signer("w1-again", Kind::Witness, 2);
    note.add(&alias.sign(note.text(), 5)).unwrap();
    let mut known = policy.clone();
    known.witnesses[1] = alias.vkey().clone();
    let aliased = Proof { checkpoint: note, ..proof.clone() };
    assert_eq!(known.check(&aliased, &leaf), Err(ProofError::Witnesses { found: 1, wanted: 2 }));
    // A cosignature of another checkpoint, and one whose time was changed.
    for line in [
        signer("w1", Kind::Witness, 2).sign("another\n1\nAAAA\n", 1_700_000_000),
        policy_line(&proof, "w1", 4 + 7),
    ] {
        let mut lines: String =
            proof.checkpoint.to_string().split_inclusive('\n').filter(|one| !one.contains(" w1 ")).collect();
        lines.push_str(&line);
        let forged = Proof { checkpoint: Note::parse(lines.as_bytes()).unwrap(), ..proof.clone() };
        assert!(
            matches!(policy.check(&forged, &leaf), Err(ProofError::Note(NoteError::Forged(_)))),
            "{line}"
        );
    }
}

/// A witness's line with one byte changed.
fn policy_line(proof: &Proof, name: &str, at: usize) -> String {
    let text = proof.checkpoint.to_string();
    let line = text.lines().find(|line| line.contains(&format!(" {name} "))).unwrap();
    let (head, encoded) = line.rsplit_once(' ').unwrap();
    let mut bytes = STANDARD.decode(encoded).unwrap();
    bytes[at] ^= 1;
    format!("{head} {}\n", STANDARD.encode(bytes))
}

#[test]
fn huge_and_malformed_proofs() {
    let Example { proof, .. } = example();
    let text = proof.to_string();
    let line = text.lines().nth(2).unwrap();
    let many = text.replacen(line, &[line; 64].join("\n"), 1);
    for wrong in [
        String::new(),
        "x".repeat(LIMIT + 1),
        many,
        text.replace("@v1", "@v2"),
        text.replace("index 5", "index 05"),
        text.replace("index 5", "index -5"),
        text.replace("index 5", "index 18446744073709551615"),
        text.replace("index 5\n", ""),
        text.replacen(line, &line[1..], 1),
        text.replace("\n\n", "\n"),
        text[..text.len() / 2].to_owned(),
        text.replace("\nindex", "\nextra !\nindex"),
    ] {
        assert!(Proof::parse(wrong.as_bytes()).is_err(), "{wrong:.200}");
    }
}

proptest! {
    #[test]
    fn one_changed_byte_proves_nothing(at in 0usize..1200, byte in any::<u8>()) {
        let Example { policy, proof, leaf } = example();
        let mut bytes = proof.to_string().into_bytes();
        let at = at % bytes.len();
        prop_assume!(bytes[at] != byte);
        bytes[at] = byte;
        if let Ok(near) = Proof::parse(&bytes) {
            prop_assert!(policy.check(&near, &leaf).is_err());
        }
    }

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = Proof::parse(&bytes);
    }
}
