//! What somebody else is about to run, handed over by a hook: judged, asked about, and answered in a way that it knows.
//!
//! Owns what passes between recourse and the scripts in `shell-hooks/`. Parses what comes in, calls the one evaluation
//! through [`crate::exec`], and holds no judgement.

pub mod coding;
pub mod incoming;
pub mod judged;
mod kind;
mod script;
mod session;
pub mod shell;

pub use script::{Script, script};
