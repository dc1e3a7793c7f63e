//! Short programs given on a command line: Python, Perl, Ruby, JavaScript, awk, sed, and SQL.
//!
//! Owns reading such code far enough to say what it deletes, writes or runs. Pure: text in, effects out; what is not
//! understood and could do harm is [`CodeEffect::Unknown`]. Uses `model` alone.

mod effect;

pub use effect::{CodeEffect, SqlStatement, SqlVerb};
