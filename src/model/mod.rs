//! Plain types that every stage shares: tiers, verdicts, mutations, evidence and what is known of a word's value.
//!
//! Owns no behaviour beyond small, total helpers on its own types. May use nothing but `std` and `serde`: no file, no
//! environment, no clock, no other module of this crate.

mod assessment;
mod device;
mod evidence;
mod facts;
mod headers;
mod material;
mod mutation;
mod names;
mod queries;
mod quoted;
mod redact;
mod secrets;
mod statements;
mod tier;
mod tokens;
mod value;
mod woven;

pub use assessment::{Alternative, Assessment, CrossActionRisk, Recoverability, RecoverySource};
pub use device::{is_storage, keeps_nothing};
pub use evidence::{
    Evidence, EvidenceItem, EvidenceSource, Fact, FactValue, Loss, LossClass, Missing, MissingEffect, Tally,
};
pub use facts::Facts;
pub use material::{Material, Part};
pub use mutation::{
    AGAINST, Action, Actor, ActorKind, BECAUSE, BY_WORDS, Cause, Context, CopyMade, Dependent, ENCRYPTS,
    Mutation, NAMES, PLACE, PathOrigin, PathSubject, RuleRef, STAYS, Save, Saved, Source, Span, Subject,
    Target, WITHIN,
};
pub use names::{says_production, words};
pub use redact::{MASK, is_secret_name, names_a_secret, redact, secret_of_word, secret_ranges};
pub use secrets::Secrets;
pub use tier::{Tier, Verdict};
pub use value::{Lines, Value};
pub use woven::{Mark, Signs, first_field, is_mark, line_of, of_line, piece_of};
