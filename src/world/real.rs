//! The machine itself.

/// The machine that the process runs on.
#[derive(Debug)]
pub struct RealWorld {}
