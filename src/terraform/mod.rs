//! Terraform and OpenTofu: a plan in JSON becomes mutations.
//!
//! Owns reading `terraform show -json PLAN` (formats 0.1 to 1.x), the facts that types name among a resource's attributes,
//! references between resources, and the classifier for types that no data file knows. Pure: bytes in, mutations out.
//! Values that the plan marks sensitive never leave `plan` and `attributes`. Uses `model` and `knowledge`.

mod again;
mod amounts;
mod attributes;
mod beside;
mod changed;
mod classify;
mod commands;
mod configured;
mod copies;
mod crossing;
mod denials;
mod denying;
mod diff;
mod documents;
mod encrypted;
mod facts;
mod filters;
mod gains;
mod grammars;
mod grants;
mod guards;
mod inside;
mod judge;
mod kind;
mod known;
mod later;
mod less;
mod lets_in;
mod longer;
mod narrower;
mod openings;
mod ordinary;
mod own;
mod patterns;
mod place;
mod plan;
mod powers;
mod protections;
mod provider;
mod reach;
mod references;
mod replaced;
mod said;
mod select;
mod senses;
mod signs;
mod sizes;
mod sounds;
mod spoken;
mod state;
mod texts;
mod together;
mod triggers;
mod versions;
mod widened;

pub use commands::{Directory, LocalCommand, LocalFile, Run};
pub use judge::{Analysis, analyse};
pub use place::are_apart;
pub use plan::{Plan, PlanError, read};
pub use references::without_instances;
pub use said::{unread_command, unread_file};
