//! `registry publish`: the registry and attestations as static files.

use std::path::PathBuf;

use clap::ValueHint;
use serde_json::json;

use crate::attest::keys::{KeyError, KeyStore};
use crate::attest::publish::{PublishError, publish};
use crate::attest::store::Store;

use super::common::Format;
use super::keys;
use super::output::{self, Failure};
use super::setup;

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
    let published = publish(&KeyStore::open(&places), &Store::open(&places), &args.root).map_err(
        |error| match error {
            PublishError::Key(KeyError::NoActive) => {
                Failure::usage("there is nothing to publish: `recourse keys generate` makes the first key")
            }
            PublishError::Key(error) => keys::failure(error),
            other => Failure::internal(other.to_string()),
        },
    )?;
    if args.format == Format::Json {
        output::print_json(&json!({
            "registry": published.registry.display().to_string(),
            "registryVersion": published.registry_version,
            "attestations": published.attestations,
            "leftOut": published.left_out,
        }))?;
        return Ok(0);
    }
    let left_out = match published.left_out {
        0 => String::new(),
        n => format!("; {n} of retired or compromised keys left out"),
    };
    output::print(&format!(
        "{}: version {}\nattestations: {}{left_out}\n",
        crate::text::escape(&published.registry.display().to_string()),
        published.registry_version,
        published.attestations,
    ));
    Ok(0)
}
