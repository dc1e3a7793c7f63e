//! The data files' shape, read strictly: an unknown key is an error with its place.

use serde::Deserialize;

/// A tool file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolFile {}

/// A command: the tool itself, or one of its subcommands.
#[derive(Clone, Debug, Default)]
pub struct CommandSpec {}

/// One option.
#[derive(Clone, Debug, Default)]
pub struct OptionSpec {}

/// One effect.
#[derive(Clone, Debug, Default)]
pub struct EffectSpec {}

/// One example.
#[derive(Clone, Debug, Default)]
pub struct ExampleSpec {}
