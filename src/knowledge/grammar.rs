//! Words against a tool's declaration.

use std::sync::Arc;

use crate::model::Value;

use super::schema::{CommandSpec, ToolFile};

/// An option that was given.
#[derive(Clone, Debug, PartialEq)]
pub struct OptionUse {
    /// The option's first spelling in the declaration (`-r` for `--recursive`).
    pub key: String,
    /// Its value, when it takes one and one was given.
    pub value: Option<Value>,
    /// Role of the value.
    pub role: Option<String>,
    /// Index of the word that holds the option.
    pub index: usize,
    /// Index of the word that holds the value (the same word when attached).
    pub value_index: usize,
}

/// An operand that was given.
#[derive(Clone, Debug, PartialEq)]
pub struct Binding {
    /// Operand name in the declaration, which is also its role.
    pub role: String,
    /// Value.
    pub value: Value,
    /// Index of its word.
    pub index: usize,
}

/// A word that the declaration does not explain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrammarGap {
    /// Index of the word.
    pub index: usize,
    /// Why, for a person: "unknown option -Z of tar".
    pub reason: String,
}

/// The result of matching. Total: whatever the words, there is one.
#[derive(Clone, Debug)]
pub struct Match {
    /// The tool's file.
    pub tool: Arc<ToolFile>,
    /// The (sub)command that matched.
    pub command: Arc<CommandSpec>,
    /// Its path, tool first: `["git", "push"]`.
    pub path: Vec<String>,
    /// Options in order.
    pub options: Vec<OptionUse>,
    /// Operands in order.
    pub operands: Vec<Binding>,
    /// What is not explained.
    pub gaps: Vec<GrammarGap>,
    /// An informational option was given (`--help`, `--version`): nothing happens.
    pub informational: bool,
    /// Declared dry run.
    pub dry_run: bool,
}
