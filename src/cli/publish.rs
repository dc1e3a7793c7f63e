//! `registry publish`: the registry, attestations and the transparency log as static files.

use std::path::PathBuf;

use clap::ValueHint;
use serde_json::json;

use crate::attest::keys::{KeyError, KeyStore};
use crate::attest::publish::{PublishError, publish};
use crate::attest::store::Store;
use crate::config::Config;
use crate::proof::{ProofError, go_on, keep_log, open_log};

use super::common::Format;
use super::keys;
use super::output::{self, Failure};
use super::setup;
use super::transparency;

#[derive(Debug, clap::Args)]
pub(super) struct PublishArgs {
    /// Form of the output
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// The web root; `.well-known/` is made in it
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    root: PathBuf,
}

pub(super) fn run(args: &PublishArgs) -> Result<u8, Failure> {
    let places = setup::places()?;
    let config = Config::load()?.attestation;
    let own = |error: ProofError| Failure::internal(error.to_string());
    let log = open_log(&config, &places).map_err(own)?;
    // Before anything goes on from it: what it holds twice stays so.
    log.check().map_err(|error| Failure::internal(error.to_string()))?;
    let logged = if keep_log(&config, &log, false).map_err(own)? {
        let went_on = go_on(&config, &log).map_err(|error| Failure::internal(error.to_string()))?;
        transparency::warn(&went_on);
        Some(&log)
    } else {
        None
    };
    let published =
        publish(&KeyStore::open(&places), &Store::open(&places), logged, &args.root).map_err(|error| {
            match error {
                PublishError::Key(KeyError::NoActive) => Failure::usage(
                    "there is nothing to publish: `recourse keys generate` makes the first key",
                ),
                PublishError::Key(error) => keys::failure(error),
                other => Failure::internal(other.to_string()),
            }
        })?;
    if args.format == Format::Json {
        output::print_json(&json!({
            "registry": published.registry.display().to_string(),
            "registryVersion": published.registry_version,
            "attestations": published.attestations,
            "leftOut": published.left_out,
            "logSize": published.log_size,
        }))?;
        super::tidy::tidy();
        return Ok(0);
    }
    let left_out = match published.left_out {
        0 => String::new(),
        n => format!("; {n} of retired or compromised keys left out"),
    };
    let logged =
        published.log_size.map_or(String::new(), |size| format!("transparency log: {size} leaves\n"));
    output::print(&format!(
        "{}: version {}\nattestations: {}{left_out}\n{logged}",
        crate::text::escape(&published.registry.display().to_string()),
        published.registry_version,
        published.attestations,
    ));
    super::tidy::tidy();
    Ok(0)
}
