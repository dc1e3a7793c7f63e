//! `exec`: options to what [`crate::exec`] takes.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use clap::ValueHint;

use crate::attest::{self as verification, Reason};
use crate::config::{Config, user_places};
use crate::exec::{Attesting, Looks, Surroundings, What, run as run_command};
use crate::json::DOCUMENT_LIMIT;
use crate::policy::Profile;
use crate::proof::{Presented, follow};

use super::common::{Common, profile};
use super::output::{self, Failure};
use super::setup::{self, Setup};

#[derive(Debug, clap::Args)]
pub(super) struct ExecArgs {
    /// Whose enforcement to apply [default: human with a terminal, else ci; env: RECOURSE_PROFILE]
    #[arg(long, value_name = "PROFILE", value_parser = profile())]
    pub(super) profile: Option<Profile>,
    /// Environment that it acts on, for example `production` [env: RECOURSE_ENVIRONMENT]
    #[arg(long, value_name = "NAME", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(super) environment: Option<String>,
    /// Who asks, as KIND/NAME with the kind human, agent, ci or service [env: RECOURSE_ACTOR]
    #[arg(long, value_name = "ID", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(super) actor: Option<String>,
    /// An attestation, or a report with one: of the evaluation, or of a person's approval of it
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) attestation: Vec<PathBuf>,
    /// Run the suggested read-only commands first, wherever somebody would have to decide, and judge with what they tell
    #[arg(long)]
    pub(super) look: bool,
    /// Shell text to run with bash
    #[arg(short = 'c', value_name = "TEXT", conflicts_with = "words", value_hint = ValueHint::CommandString)]
    pub(super) text: Option<OsString>,
    /// The program and its arguments, run exactly so, without a shell
    #[arg(
        required_unless_present = "text",
        trailing_var_arg = true,
        allow_hyphen_values = false,
        value_name = "CMD",
        value_hint = ValueHint::CommandWithArguments
    )]
    pub(super) words: Vec<OsString>,
}

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
        looks: Looks::wanted(args.look),
    };
    Ok(run_command(&what, &around))
}

/// Attestation as configured, with the files that were handed over.
pub(super) fn attesting(files: &[PathBuf]) -> Result<Attesting, Failure> {
    let (config, warning) = follow(Config::load()?.attestation, user_places().as_ref());
    if let Some(warning) = warning {
        output::note(&format!("trust: {warning}"));
    }
    let mut presented = Presented::default();
    for path in files {
        presented.add_named(&path.display().to_string(), document(path));
    }
    let token = match &config.evaluator_token_file {
        Some(path) => Some(setup::read_secret(path)?),
        None => None,
    };
    Ok(Attesting::new(config, user_places(), presented, token))
}

/// The bytes of an attestation's file. That they cannot be had is for the mode to weigh, as what is wrong in them.
fn document(path: &Path) -> Result<Vec<u8>, verification::Failure> {
    let unreadable = |reason, what: String| Err(verification::Failure::new(reason, what));
    let opened = match path.as_os_str() == "-" {
        true => Ok(Box::new(io::stdin()) as Box<dyn Read>),
        false => File::open(path).map(|file| Box::new(file) as Box<dyn Read>),
    };
    let file = match opened {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return unreadable(Reason::AttestationAbsent, "there is no such file".to_owned());
        }
        Err(error) => return unreadable(Reason::InvalidAttestation, error.to_string()),
        Ok(file) => file,
    };
    let mut bytes = Vec::new();
    match file.take(DOCUMENT_LIMIT as u64 + 1).read_to_end(&mut bytes) {
        Err(error) => unreadable(Reason::InvalidAttestation, error.to_string()),
        Ok(size) if size > DOCUMENT_LIMIT => {
            unreadable(Reason::InvalidAttestation, "larger than an attestation can be".to_owned())
        }
        Ok(_) => Ok(bytes),
    }
}
