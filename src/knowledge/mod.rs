//! Knowledge as data: what tools and Terraform types mutate, and what losing each kind of resource costs.
//!
//! Owns the data files (`tools/*.toml`, `terraform/*.toml`, `kinds/*.toml`), their strict loader, user overlays and the
//! argument grammar that matches words against a tool's declaration. Files are embedded and parsed only when a tool
//! occurs. Pure but for the overlay texts that a caller hands in. Uses `model` and `code`'s languages by name alone.
//!
//! `docs/knowledge.md` is the format's reference.

mod grammar;
mod schema;

pub use grammar::{Binding, GrammarGap, Match, OptionUse};
pub use schema::{CommandSpec, EffectSpec, ExampleSpec, OptionSpec, ToolFile};
