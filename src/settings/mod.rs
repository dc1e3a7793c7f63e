//! Settings files of other programs, changed in one place only.
//!
//! Owns how JSON with comments and TOML are edited: the text around our own entry stays byte for byte as it is, and a file
//! that cannot be read is left alone. Knows no program's files and touches none: it turns one text into another.

pub(crate) mod edit;
pub(crate) mod syntax;
pub(crate) mod table;
