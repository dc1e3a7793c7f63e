//! The git probe: what of a working tree, a ref or an object store exists nowhere else.
//!
//! Owns everything that is looked up about repositories. The index is read here, without git, once per evaluation, so
//! that judging ten thousand tracked files costs no process; git itself is asked (hardened, [`crate::world::Query::Git`])
//! only about history. Never changes anything and never lets git compare file contents, so that no filter runs.
//!
//! What earlier steps of the same command do to a repository (settings written, refs moved, objects left behind) is kept
//! in [`GitCache`], since mutations are handed in one by one, in program order.

mod advice;
mod changes;
mod clean;
mod cursor;
mod digest;
mod incoming;
mod index;
mod inner;
mod look;
mod made_here;
mod objects;
mod pathspec;
mod probe;
mod push;
mod refs;
mod repository;
mod saved;
mod stake;
mod store;
#[cfg(test)]
mod tests;
mod worktree;

/// The id that git gives a file with this content, in the format whose ids are `length` digits long.
pub(super) fn blob_id(content: &[u8], length: usize) -> Option<String> {
    let format = match length {
        40 => digest::Format::Sha1,
        64 => digest::Format::Sha256,
        _ => return None,
    };
    Some(digest::hex(&digest::blob(format, content)))
}

pub use made_here::MADE_HERE;
pub use probe::collect;
pub use repository::{FileStatus, GitCache, GitRepo};
pub(super) use saved::holds;
pub use stake::{AtStake, RepositoryAct, at_stake};
