//! The door between effects and programs: what effects ask of them, and what they are handed to say it with.

pub use super::draft::{Change, Draft};
pub(crate) use super::packing;
pub(crate) use super::packing::named;
pub(crate) use super::paths::{base_name, behind_host, below, is_remote, keeps_nothing, text_of};
pub(crate) use super::run::{directories, explicit};
pub use super::scene::{Does, Packed, Scene};
pub(crate) use super::scene::{Word, fact, flag};
pub(crate) use super::sql;
