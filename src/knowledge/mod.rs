//! Knowledge as data: what tools and Terraform types mutate, and what losing each kind of resource costs.
//!
//! Owns the data files (`tools/*.toml`, `terraform/*.toml`, `mcp/*.toml`, `kinds/*.toml`, `looks/*.toml`), their strict loader, user overlays and the
//! argument grammar that matches words against a tool's declaration. Files are embedded and parsed only when a tool
//! occurs. Pure but for the overlay texts that a caller hands in. Uses `model` and `code`'s languages by name alone.
//!
//! `docs/knowledge.md` is the format's reference.

mod against;
pub mod agents;
mod as_json;
mod brief;
mod compile;
pub mod conditions;
mod coverage;
mod facts;
mod grammar;
#[cfg(test)]
mod grammar_tests;
mod guard;
mod handle;
mod index;
mod kinds;
#[cfg(test)]
mod libraries;
mod looks;
mod machine;
mod matched;
mod mcp;
mod micro;
mod nearest;
mod ordinary;
mod pack;
mod packed;
mod parts;
mod placed;
mod places;
mod prints;
mod queries;
mod ranges;
mod raw;
mod reading;
mod room;
mod schema;
mod secrets;
mod services;
mod strict;
mod taken;
mod terraform;
mod terraform_crossing;
mod terraform_gains;
mod terraform_names;
mod terraform_recall;
mod terraform_signs;
mod terraform_sounds;
mod tool_words;
mod variables;
mod verbs;
mod versioned;
mod words;

pub use against::{Manner, against, forces, is_mild};
pub use agents::{harmless_tool, is_ours, tool_key};
pub use as_json::from_toml;
pub use coverage::{Coverage, CoveredKind, CoveredServer};
pub use facts::{FactList, facts};
pub use grammar::match_words;
pub use guard::{Guard, SHIMS, guard, leads_to_shims};
pub use handle::{Knowledge, McpFamily};
pub use kinds::{ACTIONS, AlternativeSpec, Case, Choice, Ease, Keep, KindFile, SubjectKind};
pub use looks::{Literal, Look, LookExample, LookType, Lookup};
pub use machine::{Machine, machine};
pub use matched::{Binding, Filled, GrammarGap, Match, Nested, OptionUse};
pub use mcp::{McpArg, McpExample, McpRun, McpServer, McpTool, McpWord};
pub use micro::{Condition, Count, On, OperandSpec, OptionSpec, Piece, Takes, Template};
pub use ordinary::{Given, OrdinaryCommand, is_ordinary, is_private};
pub use pack::{Pack, Part};
pub use parts::PartSpec;
pub use placed::{LoadError, did_you_mean, nearest};
pub use places::{Places, lists, places};
pub use prints::{Prints, prints};
pub use queries::{changes_by_query, changes_by_sql, is_no_sentence, is_sql};
pub use ranges::Range;
pub use reading::{Expected, RAW_LIMIT, Reading};
pub use room::Room;
pub use schema::{
    CommandSpec, EffectSpec, ExampleSpec, FormSpec, FreshSpec, HomeSpec, PrintsSpec, StdinSpec, Style,
    Subcommands, ToolFile, Unlisted,
};
pub use secrets::{SECRET, secrets_of};
pub use services::{Learn, Nothing, Service, ServiceCall, ServiceExample, ServiceWord};
pub use terraform::{Related, TerraformExample, TerraformType};
pub use terraform_gains::{TerraformGains, terraform_gains};
pub use terraform_signs::{Class, Sense, Sign, TerraformSigns, is_strict, terraform_signs};
pub use terraform_sounds::{Sounding, Sounds};
pub use tool_words::{Grants, ToolWords, Words, tool_words};
pub use variables::{FirstFile, Held, Valued, Variables, Written, variables};
pub use verbs::{Thing, Verb, Verbs};
pub use words::is_true;
