//! What listens on the network stands in another program, `recourse-net`, that this one becomes: nothing of it is loaded at
//! a prompt.
//!
//! Owns the options of what serves, and which of the two programs does it.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;

use clap::ValueHint;

use crate::attest::beside;
use crate::attest::tlog::Vkey;

use super::output::Failure;

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
}

#[derive(Debug, clap::Args)]
pub(super) struct WitnessArgs {
    /// Where to listen
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7472")]
    pub(super) listen: SocketAddr,
    /// The key of a log to witness, as `recourse log key` prints it there; repeated for more
    #[arg(long = "log", value_name = "KEY", required = true)]
    pub(super) logs: Vec<Vkey>,
    /// The witness's name, once and for all: a host and path without a scheme
    #[arg(long, value_name = "NAME", required = true)]
    pub(super) name: String,
}

/// What serves. Only `recourse-net` names what it does, so nothing of it is linked into the other program.
#[derive(Debug)]
pub struct Servers {
    pub(super) serve: fn(&ServeArgs) -> Result<u8, Failure>,
    pub(super) witness: fn(&WitnessArgs) -> Result<u8, Failure>,
}

/// The program that runs.
#[derive(Clone, Copy)]
pub(super) struct This<'a> {
    /// What it was called with.
    pub(super) words: &'a [OsString],
    /// What it serves itself.
    pub(super) servers: Option<&'a Servers>,
}

impl This<'_> {
    pub(super) fn serve(self, args: &ServeArgs) -> Result<u8, Failure> {
        self.servers.map_or_else(|| self.elsewhere(), |servers| (servers.serve)(args))
    }

    pub(super) fn witness(self, args: &WitnessArgs) -> Result<u8, Failure> {
        self.servers.map_or_else(|| self.elsewhere(), |servers| (servers.witness)(args))
    }

    /// Becomes the other program, with the same words.
    fn elsewhere(self) -> Result<u8, Failure> {
        let mut command = beside::command().map_err(Failure::internal)?;
        let error = command.args(self.words.iter().skip(1)).exec();
        Err(Failure::internal(beside::not_started(&error)))
    }
}
