//! The transparency log: what this instance signed, which keys it showed and what it wrote into its audit log, as a tree
//! that only grows and that others can hold it to (docs/transparency.md).
//!
//! Owns the log's formats (all of C2SP: tiles, checkpoints, signed notes, cosignatures, proofs), the operator's log and the
//! witness. A leaf is a kind and a digest, nothing else. The first five look at nothing but their arguments.
//!
//! | module | owns |
//! | --- | --- |
//! | [`merkle`] | the tree of RFC 6962: roots, proofs, their verification |
//! | [`tile`] | names and contents of the static files |
//! | [`note`] | signed notes and verifier keys |
//! | [`checkpoint`] | what a log says that it holds |
//! | [`proof`] | that an entry is logged; which logs and witnesses count |
//! | `signer` | signing notes (`signing`, as all below) |
//! | `journal` | the leaves on disk, and the hashes over them |
//! | `book` | the operator's log: what goes in, when a checkpoint is signed |
//! | `error` | why a log does not go on, or has no answer |
//! | `held` | what the log holds already, and whether it vouches for anything |
//! | `index` | what is looked for in the log, and where it stands |
//! | `prove` | proofs that something is in the log |
//! | `ask` | the log's side of witnessing |
//! | `shown` | the log as static files |
//! | `away` | the log in the store that machines share |
//! | `witness` | remembers checkpoints of others' logs, and cosigns those that go on from them |

#[cfg(feature = "signing")]
pub mod ask;
#[cfg(feature = "signing")]
mod away;
#[cfg(feature = "signing")]
pub mod book;
pub mod checkpoint;
#[cfg(feature = "signing")]
mod error;
#[cfg(feature = "signing")]
mod held;
#[cfg(feature = "signing")]
mod index;
#[cfg(feature = "signing")]
pub(super) mod journal;
pub mod merkle;
pub mod note;
pub mod proof;
#[cfg(feature = "signing")]
mod prove;
#[cfg(feature = "signing")]
mod shown;
#[cfg(feature = "signing")]
pub mod signer;
pub mod tile;
#[cfg(feature = "signing")]
pub mod witness;

pub use checkpoint::Checkpoint;
pub use note::{Kind, Note, NoteError, Vkey};
pub use proof::{Entry, LogPolicy, Logged, Proof, ProofError};
