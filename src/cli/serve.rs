//! `serve` and `log witness`: options to what [`crate::serve`] takes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::attest::tlog::Kind;
use crate::attest::tlog::witness::Witness;
use crate::config::{Config, user_places};
use crate::proof::{Proof, ProofError, go_on, keep_log, open_log, shared};
use crate::serve::{AccessLog, Callers, Evaluator, Published, State, Traffic, run as serve};

use super::beside::{Beside, ServeArgs};
use super::output::{self, Failure};
use super::transparency::WitnessArgs;
use super::{generate, knowledge, log, mcp_serve, resources, scan, setup, trust};

impl Beside {
    /// Done by this very program.
    pub const HERE: Self = Self {
        serve: run,
        log: log::run,
        witness,
        mcp: mcp_serve::run,
        scan: scan::run,
        knowledge: knowledge::run,
        resources: resources::run,
        trust: trust::run,
        completions: generate::print,
        generate: generate::run,
    };
}

fn run(args: &ServeArgs) -> Result<u8, Failure> {
    let config = Config::load()?.attestation;
    let places = user_places().ok_or_else(|| Failure::usage(ProofError::NoHome.to_string()))?;
    let proof = if config.enabled {
        Some(Proof::for_others(&config, &places).map_err(|error| Failure::internal(error.to_string()))?)
    } else {
        None
    };
    crate::world::keep_private(args.token_file.iter().chain(&args.tokens).map(PathBuf::as_path));
    let mut callers = args.token_file.as_deref().map(setup::read_secret).transpose()?;
    let mut callers = callers.take().map(|token| Callers::one(&token)).unwrap_or_default();
    if let Some(path) = &args.tokens {
        callers.extend(tokens(path)?);
    }
    let judge = Evaluator { knowledge: setup::knowledge()?, proof, record: config.record.clone() };
    let log = open_log(&config, &places).map_err(|error| Failure::internal(error.to_string()))?;
    keep_log(&config, &log, false).map_err(|error| Failure::internal(error.to_string()))?;
    let logging = config.clone();
    let on = Box::new(move |log: &_| go_on(&logging, log).map(|_| ()));
    let published = Published::new(&places, shared(&config), log, on);
    let traffic = Traffic::new(access_log(args)?);
    let state = State::new(published, Arc::new(judge), callers, Arc::new(traffic));
    let base = config.base_url;
    super::tidy::keep_tidy();
    serve(args.listen, state, |address| {
        output::note(&format!("listening on http://{address}, publishing as {base}; stop with Ctrl-C"));
        if !address.ip().is_loopback() {
            output::note(
                "this address is not loopback: put a TLS proxy in front, verifiers fetch over https only",
            );
        }
    })
    .map_err(|error| Failure::internal(error.to_string()))?;
    Ok(0)
}

fn witness(args: &WitnessArgs) -> Result<u8, Failure> {
    if let Some(wrong) = args.logs.iter().find(|key| key.kind() != Kind::Log) {
        return Err(Failure::usage(format!("{} is a witness's key, not a log's", wrong.name())));
    }
    let places = setup::places()?;
    let witness = Witness::open(&args.name, args.logs.clone(), places.witness(), places.witness_head())
        .map_err(|error| Failure::usage(error.to_string()))?;
    output::print(&format!("{}\n", witness.vkey()));
    crate::serve::witness(args.listen, witness, |address| {
        output::note(&format!("listening on http://{address}; stop with Ctrl-C"));
    })
    .map_err(|error| Failure::internal(error.to_string()))?;
    Ok(0)
}

/// The tokens of a file that nobody else may read.
fn tokens(path: &Path) -> Result<Callers, Failure> {
    let wrong = |what: String| Failure::usage(format!("{}: {what}", path.display()));
    let bytes = crate::attest::disk::read_private(path, 1 << 20).map_err(|error| wrong(error.to_string()))?;
    let bytes = bytes.ok_or_else(|| wrong("there is no such file".to_owned()))?;
    let text = String::from_utf8(bytes).map_err(|_| wrong("not valid text".to_owned()))?;
    Callers::parse(&text).map_err(wrong)
}

fn access_log(args: &ServeArgs) -> Result<Option<AccessLog>, Failure> {
    let Some(path) = &args.access_log else { return Ok(None) };
    let limit = (args.access_log_mib > 0).then(|| args.access_log_mib.saturating_mul(1 << 20));
    let opened = AccessLog::open(path, limit);
    opened.map(Some).map_err(|error| Failure::usage(format!("{}: {error}", path.display())))
}
