//! Files whose content an evaluation rests on.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// What a file was read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// Commands or code that is followed: a script, a makefile, a package's tasks.
    Script,
    /// What the commands take their operands or their way from.
    Data,
    /// A program that is started and was not read.
    Program,
    /// A plan, as the file that holds it.
    Plan,
}

/// A file, and the digest of the bytes that were judged.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Material {
    /// Where it stands, absolute, links not followed.
    pub path: PathBuf,
    /// What it was read as.
    pub part: Part,
    /// SHA-256 of its bytes, lower-case hexadecimal; `None` when they may not be looked at, so that nobody can tell
    /// whether it is the same file later.
    pub sha256: Option<String>,
}
