//! Attestations from outside: published vectors, and the cases of a verifier.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // A test may fail loudly.

mod cases;
mod made;
mod vectors;
