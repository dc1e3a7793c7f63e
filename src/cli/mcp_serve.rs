//! `mcp serve`: standard input and output to what [`crate::mcp`] takes.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::thread;

use clap::Subcommand;
use nix::sys::signal::{SigSet, Signal};

use crate::config::{Config, user_places};
use crate::mcp::{Server, Tools};
use crate::proof::{Proof, ProofError};
use crate::world::RealWorld;

use super::output::Failure;
use super::setup;

#[derive(Debug, Subcommand)]
pub(super) enum McpCommand {
    /// Serve on standard input and output, for the client that starts it
    Serve,
}

pub(super) fn run(command: &McpCommand) -> Result<u8, Failure> {
    match command {
        McpCommand::Serve => start(),
    }
}

fn start() -> Result<u8, Failure> {
    let config = Config::load()?.attestation;
    let proof = if config.enabled {
        let places = user_places().ok_or_else(|| Failure::usage(ProofError::NoHome.to_string()))?;
        let proof = Proof::open(&config, &places).map_err(|error| Failure::internal(error.to_string()))?;
        Some(proof)
    } else {
        None
    };
    let tidies = proof.is_some();
    let tools = Tools::new(setup::knowledge()?, proof, config, || Box::new(RealWorld::for_others()))?;
    serve(tools, tidies)
        .map_err(|error| Failure::internal(format!("the server could not start: {error}")))?;
    Ok(0)
}

fn serve(tools: Tools, tidies: bool) -> io::Result<()> {
    let server = Server::new(Arc::new(tools));
    let stopper = server.stopper();
    // Before any other thread starts: all inherit the mask, and the one that waits gets the signals.
    let signals: SigSet = [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP].into_iter().collect();
    signals.thread_block()?;
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        while signals.wait().is_ok() {
            stopper.stop();
        }
    })?;
    if tidies {
        super::tidy::keep_tidy();
    }
    // The descriptors themselves: nothing may stand in a buffer, and nothing but the server writes to this one.
    let input = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let output = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    server.run(input, output)
}
