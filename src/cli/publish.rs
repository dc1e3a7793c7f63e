//! `registry publish`: the registry, attestations and the transparency log as static files.

use std::path::PathBuf;

use clap::ValueHint;
use serde_json::json;

use crate::attest::keys::{KeyError, KeyStore};
use crate::attest::publish::{PublishError, publish};
use crate::attest::store::Store;
use crate::config::Config;
use crate::proof::{ProofError, go_on, keep_log, open_log};
use crate::text::escape;

use super::common::Format;
use super::keys;
use super::output::{self, Failure};
use super::setup;
use super::{status, transparency};

/// So many attestations that cannot be read are named.
const SAID: usize = 20;

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
    transparency::mend(&log)?;
    let mut wrong = false;
    let logged = if keep_log(&config, &log, false).map_err(own)? {
        let went_on = go_on(&config, &log).map_err(|error| Failure::internal(error.to_string()))?;
        wrong = transparency::warn(&went_on);
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
    for why in published.damaged.iter().take(SAID) {
        output::note(&escape(&format!("left out: {why}")));
    }
    if published.damaged.len() > SAID {
        output::note(&format!("left out: {} more that cannot be read", published.damaged.len() - SAID));
    }
    let code = if published.damaged.is_empty() && !wrong { 0 } else { status::INVALID };
    if args.format == Format::Json {
        output::print_json(&json!({
            "registry": published.registry.display().to_string(),
            "registryVersion": published.registry_version,
            "attestations": published.attestations,
            "leftOut": published.left_out,
            "logSize": published.log_size,
            "damaged": published.damaged.len(),
        }))?;
        super::tidy::tidy();
        return Ok(code);
    }
    let left_out = match published.left_out {
        0 => String::new(),
        n => format!("; {n} of retired or compromised keys left out"),
    };
    let logged =
        published.log_size.map_or(String::new(), |size| format!("transparency log: {size} leaves\n"));
    output::print(&format!(
        "{}: version {}\nattestations: {}{left_out}\n{logged}",
        escape(&published.registry.display().to_string()),
        published.registry_version,
        published.attestations,
    ));
    super::tidy::tidy();
    Ok(code)
}
