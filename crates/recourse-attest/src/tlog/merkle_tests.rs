//! Against the definitions of RFC 6962, written down as they stand there, and the vectors of Certificate Transparency.

use std::convert::Infallible;

use proptest::prelude::*;

use super::*;
use crate::document::hex;

/// A tree in memory.
#[derive(Clone)]
pub(crate) struct Leaves(pub(crate) Vec<Hash>);

impl Leaves {
    pub(crate) fn of(entries: &[&[u8]]) -> Self {
        Self(entries.iter().map(|entry| leaf_hash(entry)).collect())
    }

    fn numbered(count: usize) -> Self {
        Self((0..count).map(|n| leaf_hash(&n.to_be_bytes())).collect())
    }
}

/// MTH of the RFC over leaf hashes.
fn mth(leaves: &[Hash]) -> Hash {
    match leaves {
        [] => empty_root(),
        [one] => *one,
        many => {
            let (left, right) = many.split_at(split(many.len() as u64) as usize);
            node_hash(&mth(left), &mth(right))
        }
    }
}

impl Nodes for Leaves {
    type Error = Infallible;

    fn node(&self, level: u32, index: u64) -> Result<Hash, Infallible> {
        let from = (index << level) as usize;
        Ok(mth(&self.0[from..from + (1 << level)]))
    }
}

/// PATH of the RFC.
fn path(index: usize, leaves: &[Hash]) -> Vec<Hash> {
    if leaves.len() < 2 {
        return Vec::new();
    }
    let (left, right) = leaves.split_at(split(leaves.len() as u64) as usize);
    let (mut proof, last) = if index < left.len() {
        (path(index, left), mth(right))
    } else {
        (path(index - left.len(), right), mth(left))
    };
    proof.push(last);
    proof
}

/// SUBPROOF of the RFC.
fn subproof(old: usize, leaves: &[Hash], whole: bool) -> Vec<Hash> {
    if old == leaves.len() {
        return if whole { Vec::new() } else { vec![mth(leaves)] };
    }
    let (left, right) = leaves.split_at(split(leaves.len() as u64) as usize);
    let (mut proof, last) = if old <= left.len() {
        (subproof(old, left, whole), mth(right))
    } else {
        (subproof(old - left.len(), right, false), mth(left))
    };
    proof.push(last);
    proof
}

fn the<T>(result: Result<T, Infallible>) -> T {
    result.unwrap()
}

/// The roots that the implementations of Certificate Transparency test themselves with.
#[test]
fn published_vectors() {
    let hexed: [&[u8]; 8] = [
        b"",
        b"\x00",
        b"\x10",
        b"\x20\x21",
        b"\x30\x31",
        b"\x40\x41\x42\x43",
        b"\x50\x51\x52\x53\x54\x55\x56\x57",
        b"\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f",
    ];
    let roots = [
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
        "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
        "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
        "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    ];
    let tree = Leaves::of(&hexed);
    for (size, expected) in roots.iter().enumerate() {
        assert_eq!(hex(&the(root(&tree, size as u64))), *expected, "{size}");
    }
}

#[test]
fn proofs_are_those_of_the_definition_and_prove_nothing_else() {
    for size in 1..=20usize {
        let tree = Leaves::numbered(size);
        let top = the(root(&tree, size as u64));
        assert_eq!(top, mth(&tree.0));
        for index in 0..size {
            let proof = the(inclusion(&tree, index as u64, size as u64));
            assert_eq!(proof, path(index, &tree.0));
            for other in 0..size + 2 {
                let found = includes(&tree.0[index], other as u64, size as u64, &proof, &top);
                assert_eq!(found, other == index, "{index} as {other} of {size}");
            }
            for wrong in [size - 1, size + 1] {
                let small = includes(&tree.0[index], index as u64, wrong as u64, &proof, &top);
                // Where both trees have the same shape above the leaf, the size decides nothing: the checkpoint signs it.
                assert!(!small || proof.len() == path(index, &Leaves::numbered(wrong).0).len());
            }
        }
        for old in 0..=size {
            let before = mth(&tree.0[..old]);
            let proof = the(consistency(&tree, old as u64, size as u64));
            assert_eq!(proof, if old == 0 { Vec::new() } else { subproof(old, &tree.0, true) });
            assert!(goes_on(old as u64, &before, size as u64, &top, &proof), "{old} {size}");
            let mut other = before;
            other[7] ^= 1;
            assert!(!goes_on(old as u64, &other, size as u64, &top, &proof), "{old} {size}");
        }
    }
}

proptest! {
    #[test]
    fn a_changed_leaf_is_found(size in 1usize..300, old in 1usize..300, changed in 0usize..300) {
        let old = old.min(size);
        let changed = changed % old;
        let first = Leaves::numbered(size);
        let mut second = first.clone();
        second.0[changed][0] ^= 0x80;
        let (before, after) = (the(root(&first, old as u64)), the(root(&second, size as u64)));
        let proof = the(consistency(&second, old as u64, size as u64));
        prop_assert!(!goes_on(old as u64, &before, size as u64, &after, &proof));
    }

    #[test]
    fn no_proof_breaks_the_verifier(
        index in any::<u64>(), size in any::<u64>(), old in any::<u64>(),
        proof in prop::collection::vec(any::<[u8; 32]>(), 0..70), hash in any::<[u8; 32]>(),
    ) {
        prop_assert!(!includes(&hash, index, size, &proof, &[7; 32]));
        prop_assert!(!goes_on(old, &hash, size, &[7; 32], &proof) || old == size);
    }
}
