//! Abstract interpretation of shell: from the tree to what really runs, in order, with what is known of each word.
//!
//! Owns expansion, abstract shell state (cwd set, variables, functions, aliases, options, positional parameters),
//! control flow, wrappers, nested shells and readable scripts. Sees the machine through [`crate::world::World`] alone
//! (globs, cwd, scripts). Knows tools only through `knowledge`, and what data cannot say of one by asking it through
//! [`program`]. Never decides what an act costs.
//!
//! Each step is handed to a [`Sink`] in program order; the sink (effects) records in [`Files`] what the step makes, moves
//! or removes, so that later steps of the same command see it.

mod and_or;
mod aside;
mod brought;
mod builtins;
mod control;
mod descriptors;
#[cfg(test)]
mod differential;
mod discreet;
mod expand;
mod files;
mod follow;
mod initial;
mod inputs;
mod interp;
mod kept;
mod later;
mod located;
mod loops;
mod mounts;
mod names;
mod nested;
mod options;
mod output;
mod own;
mod packing;
pub mod program;
mod redirect;
mod references;
mod rewritten;
mod run;
mod scope;
mod shadow;
mod simple;
mod special;
mod state;
mod step;
mod suspect;
mod switches;
mod test_expr;
mod tested;
#[cfg(test)]
mod tests;
mod variables;
mod view;
mod walk;
mod zsh;

pub use crate::wildcard as pattern;
pub use files::{FileState, Files, Printed};
pub(crate) use interp::{interpret, left};
pub use kept::{Kept, add};
pub use names::Names;
pub(crate) use names::{of_a_process, places};
pub use options::{Left, Limits, Options, Session, Start};
pub use packing::Packing;
pub use rewritten::Now;
pub use step::{Arg, Input, Invocation, Mode, Sink, Stdin, Stdout, Step, StepKind};
