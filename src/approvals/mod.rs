//! Approvals: one person's yes to one exact command, for a short while.
//!
//! Owns the store in `state/recourse/approvals` (0600 in 0700, atomic, safe between processes) and the test whether it is
//! a person who answers. Judges nothing and asks nothing: front ends show what was found and hand the answer in.
//!
//! An approval holds for one asker (`agent/claude-code`, `human`), user, directory, exact text and the consequences that
//! the person saw. When any of them is another one, it is another request. Commands are kept masked, beside a digest of
//! the exact text, so that no secret comes to rest here.

mod entry;
mod person;
mod store;
#[cfg(test)]
mod tests;

pub use entry::{Asked, Entry, Exact, State, Uses};
pub use person::{Doubt, Here, Process, Surroundings, doubt};
pub use store::{ApprovalError, Approvals, Taken, WINDOW};
