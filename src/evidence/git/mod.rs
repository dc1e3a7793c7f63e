//! The git probe: what of a working tree, a ref or an object store exists nowhere else.
//!
//! Owns everything that is looked up about repositories. The index is read here, without git, once per evaluation, so
//! that judging ten thousand tracked files costs no process; git itself is asked (hardened, [`crate::world::Query::Git`])
//! only about history. Never changes anything and never lets git compare file contents, so that no filter runs.

mod digest;
mod index;
mod repository;

pub use repository::{FileStatus, GitCache, GitRepo};
