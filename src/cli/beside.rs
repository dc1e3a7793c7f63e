//! What listens on the network, and what nobody waits for at a prompt, stands in another program, `recourse-net`, that this
//! one becomes: nothing of it is loaded before a command.
//!
//! Owns the options of what serves, and which of the two programs does what.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;

use clap::ValueHint;

use crate::attest::beside;

use super::generate::{CompletionShell, GenerateArgs};
use super::knowledge::KnowledgeCommand;
use super::log::LogArgs;
use super::mcp_serve::McpCommand;
use super::output::Failure;
use super::resources::ResourcesArgs;
use super::scan::ScanArgs;
use super::transparency::Witnessing;
use super::trust::TrustCommand;

#[derive(Debug, clap::Args)]
pub(super) struct ServeArgs {
    /// Where to listen; the default is the loopback address that attestations name
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7471")]
    pub(super) listen: SocketAddr,
    /// File with the bearer token that `POST /api/evaluate` demands; without it that route is closed
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) token_file: Option<PathBuf>,
    /// File in TOML with several tokens: names, scopes, and the actor that each speaks for
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) tokens: Option<PathBuf>,
    /// File to which a line of JSON is added for each request: who, what path, which status, how long
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) access_log: Option<PathBuf>,
    /// Mebibytes at which that file becomes FILE.1, of which eight are kept; 0: somebody else moves it on
    #[arg(long, value_name = "N", default_value_t = 64, requires = "access_log")]
    pub(super) access_log_mib: u64,
}

/// What only `recourse-net` does. It alone names this, so nothing of it is linked into the other program.
#[derive(Debug)]
pub struct Beside {
    pub(super) serve: fn(&ServeArgs) -> Result<u8, Failure>,
    pub(super) log: fn(&LogArgs, Witnessing) -> Result<u8, Failure>,
    pub(super) witness: Witnessing,
    pub(super) mcp: fn(&McpCommand) -> Result<u8, Failure>,
    pub(super) scan: fn(&ScanArgs) -> Result<u8, Failure>,
    pub(super) knowledge: fn(&KnowledgeCommand) -> Result<u8, Failure>,
    pub(super) resources: fn(&ResourcesArgs) -> Result<u8, Failure>,
    pub(super) trust: fn(&TrustCommand) -> Result<u8, Failure>,
    pub(super) completions: fn(CompletionShell) -> Result<u8, Failure>,
    pub(super) generate: fn(&GenerateArgs) -> Result<u8, Failure>,
}

/// The program that runs.
#[derive(Clone, Copy)]
pub(super) struct This<'a> {
    /// What it was called with.
    pub(super) words: &'a [OsString],
    /// What it does as the program beside.
    pub(super) beside: Option<&'a Beside>,
}

impl This<'_> {
    /// Does it as the program beside, or becomes that, with the same words.
    pub(super) fn does(self, what: impl FnOnce(&Beside) -> Result<u8, Failure>) -> Result<u8, Failure> {
        self.beside.map_or_else(|| self.elsewhere(), what)
    }

    fn elsewhere(self) -> Result<u8, Failure> {
        let mut command = beside::command().map_err(Failure::internal)?;
        let error = command.args(self.words.iter().skip(1)).exec();
        Err(Failure::internal(beside::not_started(&error)))
    }
}
