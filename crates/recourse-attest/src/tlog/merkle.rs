//! The Merkle tree of RFC 6962 over SHA-256: hashes, proofs, and their verification.
//!
//! Owns the arithmetic. A tree is seen through [`Nodes`], so that proofs need a logarithmic number of hashes. Looks at
//! nothing but its arguments.

use sha2::{Digest, Sha256};

/// A SHA-256.
pub type Hash = [u8; 32];

/// No proof has more hashes: a tree of 2^63 leaves is as high.
pub const PROOF_LIMIT: usize = 63;

/// The hash of a leaf (RFC 6962 §2.1).
pub fn leaf_hash(entry: &[u8]) -> Hash {
    Sha256::new_with_prefix([0]).chain_update(entry).finalize().into()
}

/// The hash of an inner node (RFC 6962 §2.1).
pub fn node_hash(left: &Hash, right: &Hash) -> Hash {
    Sha256::new_with_prefix([1]).chain_update(left).chain_update(right).finalize().into()
}

/// The root of the tree without leaves.
pub fn empty_root() -> Hash {
    Sha256::digest([]).into()
}

/// The complete subtrees of a tree.
pub trait Nodes {
    /// Why a hash could not be had.
    type Error;

    /// The root of the complete subtree over the leaves `index << level` to `(index + 1) << level`.
    ///
    /// # Errors
    /// When it cannot be read.
    fn node(&self, level: u32, index: u64) -> Result<Hash, Self::Error>;
}

/// The root of the first `size` leaves.
///
/// # Errors
/// When a node cannot be read.
pub fn root<N: Nodes>(nodes: &N, size: u64) -> Result<Hash, N::Error> {
    if size == 0 { Ok(empty_root()) } else { range(nodes, 0, size) }
}

/// The inclusion proof of a leaf in the tree of `size` leaves, from its sibling upwards (RFC 6962 §2.1.1). Empty where
/// there is no such leaf.
///
/// # Errors
/// When a node cannot be read.
pub fn inclusion<N: Nodes>(nodes: &N, index: u64, size: u64) -> Result<Vec<Hash>, N::Error> {
    let mut proof = Vec::new();
    let (mut low, mut high) = (0, size);
    while index < high && high - low > 1 {
        let middle = low + split(high - low);
        if index < middle {
            proof.push(range(nodes, middle, high)?);
            high = middle;
        } else {
            proof.push(range(nodes, low, middle)?);
            low = middle;
        }
    }
    proof.reverse();
    Ok(proof)
}

/// The proof that the tree of `size` leaves goes on from its first `old` (RFC 6962 §2.1.2). Empty for none and all of them.
///
/// # Errors
/// When a node cannot be read.
pub fn consistency<N: Nodes>(nodes: &N, old: u64, size: u64) -> Result<Vec<Hash>, N::Error> {
    let mut proof = Vec::new();
    if old == 0 || old >= size {
        return Ok(proof);
    }
    let (mut low, mut high, mut whole) = (0, size, true);
    while old < high {
        let middle = low + split(high - low);
        if old <= middle {
            proof.push(range(nodes, middle, high)?);
            high = middle;
        } else {
            proof.push(range(nodes, low, middle)?);
            low = middle;
            whole = false;
        }
    }
    if !whole {
        proof.push(range(nodes, low, high)?);
    }
    proof.reverse();
    Ok(proof)
}

/// Whether `proof` shows that `leaf` is at `index` in the tree of `size` leaves with this root (RFC 9162 §2.1.3.2).
pub fn includes(leaf: &Hash, index: u64, size: u64, proof: &[Hash], root: &Hash) -> bool {
    if index >= size || proof.len() > PROOF_LIMIT {
        return false;
    }
    let (mut at, mut last) = (index, size - 1);
    let mut hash = *leaf;
    for sibling in proof {
        if last == 0 {
            return false;
        }
        if at & 1 == 1 || at == last {
            hash = node_hash(sibling, &hash);
            while at & 1 == 0 && at != 0 {
                (at, last) = (at >> 1, last >> 1);
            }
        } else {
            hash = node_hash(&hash, sibling);
        }
        (at, last) = (at >> 1, last >> 1);
    }
    last == 0 && hash == *root
}

/// Whether `proof` shows that the tree `new` of `size` leaves begins with the tree `old` of `old_size` leaves
/// (RFC 9162 §2.1.4.2). A tree without leaves is the beginning of every tree, and needs no proof.
pub fn goes_on(old_size: u64, old: &Hash, size: u64, new: &Hash, proof: &[Hash]) -> bool {
    if old_size > size || proof.len() > PROOF_LIMIT {
        return false;
    }
    if old_size == size {
        return proof.is_empty() && old == new;
    }
    if old_size == 0 {
        return proof.is_empty() && *old == empty_root();
    }
    let (mut at, mut last) = (old_size - 1, size - 1);
    while at & 1 == 1 {
        (at, last) = (at >> 1, last >> 1);
    }
    let mut rest = proof.iter();
    // The old tree is one complete subtree: its root is known and not in the proof.
    let first = if old_size.is_power_of_two() { Some(old) } else { rest.next() };
    let Some(first) = first else { return false };
    let (mut before, mut after) = (*first, *first);
    for hash in rest {
        if last == 0 {
            return false;
        }
        if at & 1 == 1 || at == last {
            before = node_hash(hash, &before);
            after = node_hash(hash, &after);
            while at & 1 == 0 && at != 0 {
                (at, last) = (at >> 1, last >> 1);
            }
        } else {
            after = node_hash(&after, hash);
        }
        (at, last) = (at >> 1, last >> 1);
    }
    last == 0 && before == *old && after == *new
}

/// The largest power of two below `count`, which is 2 or more.
fn split(count: u64) -> u64 {
    1 << (u64::BITS - 1 - (count - 1).leading_zeros())
}

/// The root over the leaves `low` to `high`, where `low` begins a complete subtree that is at least as large.
fn range<N: Nodes>(nodes: &N, mut low: u64, high: u64) -> Result<Hash, N::Error> {
    // Complete subtrees from left to right, each smaller than the one before.
    let mut parts = Vec::new();
    while low < high {
        let level = (high - low).ilog2();
        parts.push(nodes.node(level, low >> level)?);
        low += 1 << level;
    }
    let mut root: Option<Hash> = None;
    for part in parts.iter().rev() {
        root = Some(root.map_or(*part, |right| node_hash(part, &right)));
    }
    Ok(root.unwrap_or_else(empty_root))
}

#[cfg(test)]
#[path = "merkle_tests.rs"]
pub(crate) mod tests;
