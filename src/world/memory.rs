//! An in-memory machine for tests of judgement.

/// A machine that exists in memory alone.
#[derive(Debug, Default)]
pub struct MemoryWorld {}
