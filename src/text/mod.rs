//! Plain text: counts and sizes in English, and what may stand on a terminal.

mod amount;
mod terminal;

pub use amount::{count, grouped, list, plural, size, time};
#[cfg(feature = "cli")]
pub(crate) use terminal::{char_width, escape_into};
pub use terminal::{escape, shorten, width, wrap};
