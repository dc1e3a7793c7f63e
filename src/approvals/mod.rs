//! Approvals: one person's yes to one exact command, for a short while.
//!
//! Owns the store in `state/recourse/approvals` (0600 in 0700, atomic, safe between processes) and the test whether it is
//! a person who answers. Judges nothing and asks nothing: front ends show what was found and hand the answer in.
//!
//! An approval holds for one asker (`agent/claude-code`, `human`), user, directory, exact text, the files that it follows
//! and starts as they were, and the consequences that the person saw. When any of them is another one, it is another request. Commands are kept masked, beside a digest of
//! the exact text, so that no secret comes to rest here.
//!
//! A file counts only when it is this user's and closed to others. Where attestation is on that is not enough: the approval's
//! own attestation has to follow that of the evaluation, speak of what is about to run, and not be spent.

mod bound;
mod entry;
mod person;
mod store;
#[cfg(test)]
mod tests;

pub use bound::{Bound, Files, changed_since};
pub use entry::{Asked, Entry, Exact, State, Uses};
pub use person::{Doubt, Here, Process, Surroundings, doubt};
pub use store::{ApprovalError, Approvals, Demand, Taken, WINDOW};
