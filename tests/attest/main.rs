//! Attestations from outside: published vectors, the cases of a verifier, the program.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)] // A test may fail loudly.

mod cases;
mod program;
#[path = "../support/mod.rs"]
mod support;
mod vectors;
