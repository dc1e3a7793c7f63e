//! Text to tree: shell source becomes our own small tree plus a list of gaps. Parsing never fails.
//!
//! Owns the reading of bash through tree-sitter-bash, the rescans of what that grammar misreads, the coverage check and
//! the limits. Pure: no file, no environment, no clock but the parse deadline. Uses `model` alone.
//!
//! Invariant: every command word that bash would look up is in the tree or lies under a [`Gap`].

mod tree;

pub use tree::*;
