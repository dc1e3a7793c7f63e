//! Verdicts: what tiers mean, who may change that, and what each front end does about it.
//!
//! Owns the tier table, the policy file's form, the layers (built in, system, user, project) and the profiles. Pure: the
//! front ends read the files and hand their text in. Never decides what an act costs; that is `recoverability`'s.
//!
//! Invariants: the worst verdict of all mutations wins; a project's layer only tightens; a file that cannot be read
//! strictly is an error, never an absent layer.

mod decide;
mod describe;
mod file;
mod keep;
mod pattern;
mod places;
mod profile;
mod rule;
#[cfg(test)]
mod tests;

pub use decide::{Decision, LayerKind, Policy, PolicyContext, default_verdict};
pub use file::{PolicyError, PolicyFile};
pub use keep::{KeepSettings, KeepWhen, UnknownPrograms};
pub use places::{Asked, Places};
pub use profile::{Enforcement, EnforcementAction, Profile, ProfileSettings};
