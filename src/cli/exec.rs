//! `exec`: options to what [`crate::exec`] takes.

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use crate::attest::json::DOCUMENT_LIMIT;
use crate::config::{Config, user_places};
use crate::exec::{Attesting, Surroundings, What, run as run_command};
use crate::proof::Presented;

use super::args::{Common, ExecArgs};
use super::output::{self, Failure};
use super::setup::{self, Setup};

pub(super) fn run(args: ExecArgs) -> Result<u8, Failure> {
    let common = Common {
        profile: args.profile,
        environment: args.environment,
        actor: args.actor,
        ..Common::default()
    };
    let setup = Setup::new(&common)?;
    let what = match args.text {
        Some(text) => What::Text(text),
        None => What::Argv(args.words),
    };
    let attesting = attesting(&args.attestation)?;
    let style = output::style_of(io::stderr().is_terminal());
    let around = Surroundings {
        world: &setup.world,
        knowledge: &setup.knowledge,
        policy: &setup.policy,
        context: setup.context.clone(),
        style,
        attesting: &attesting,
    };
    Ok(run_command(&what, &around))
}

/// Attestation as configured, with the files that were handed over.
pub(super) fn attesting(files: &[PathBuf]) -> Result<Attesting, Failure> {
    let config = Config::load()?.attestation;
    let mut presented = Presented::default();
    for path in files {
        let bytes = setup::read_input(path, DOCUMENT_LIMIT as u64)?;
        presented.add(&bytes).map_err(|failure| Failure::usage(format!("{}: {failure}", path.display())))?;
    }
    let token = match &config.evaluator_token_file {
        Some(path) => Some(setup::read_secret(path)?),
        None => None,
    };
    Ok(Attesting::new(config, user_places(), presented, token))
}
