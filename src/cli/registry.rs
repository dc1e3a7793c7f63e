//! `recourse registry`: registries of other instances.
//!
//! Owns the operator's refresh, forced or not, and its record in the audit log.

use clap::{Subcommand, ValueHint};

use crate::attest::audit::AuditLog;
use crate::attest::cache::{ForcedRefresh, Registries};
use crate::attest::store::{Store, StoreError};
use crate::attest::{HttpFetch, Origin, Reason, Time};
use crate::config::Config;
use crate::proof::{Proof, ProofError, shared};

use super::output::{self, Failure};
use super::publish::{self, PublishArgs};
use super::setup::places;
use super::status;
use super::verify::cache_store;

#[derive(Debug, Subcommand)]
pub(super) enum RegistryCommand {
    /// Write the registry and attestations as static files for a web server
    Publish(PublishArgs),
    /// Print an attestation that was signed here, by itself or as a Sigstore bundle
    Export(ExportArgs),
    /// Fetch an instance's registry of keys now
    Refresh(RefreshArgs),
}

#[derive(Debug, clap::Args)]
pub(super) struct RefreshArgs {
    /// Accept it even when it is older than the one accepted before; recorded in the audit log
    #[arg(long)]
    pub(super) force: bool,
    /// Why, for the record
    #[arg(long, value_name = "TEXT", requires = "force")]
    pub(super) justification: Option<String>,
    /// The instance's base URL
    #[arg(value_name = "URL", value_hint = ValueHint::Url)]
    pub(super) url: String,
}

#[derive(Debug, clap::Args)]
pub(super) struct ExportArgs {
    /// As a bundle v0.3 with an in-toto Statement, signed with the key that is active now
    #[arg(long)]
    bundle: bool,
    /// The attestation's id
    #[arg(value_name = "ID")]
    id: String,
}

pub(super) fn run(command: &RegistryCommand) -> Result<u8, Failure> {
    match command {
        RegistryCommand::Publish(args) => publish::run(args),
        RegistryCommand::Export(args) => export(args),
        RegistryCommand::Refresh(args) => refresh(args),
    }
}

fn export(args: &ExportArgs) -> Result<u8, Failure> {
    let places = places()?;
    let failed = |error: StoreError| match error {
        StoreError::NotAnId => Failure::usage(error.to_string()),
        error => Failure::internal(error.to_string()),
    };
    let mut found = None;
    let config = Config::load()?.attestation;
    let shared = shared(&config);
    for store in [Store::open(&places), Store::unpublished(&places)] {
        if found.is_none() {
            found = store.sharing(shared.clone()).read(&args.id).map_err(failed)?;
        }
    }
    let attestation = found.ok_or_else(|| {
        Failure::usage(format!("no attestation {} was signed here", crate::text::escape(&args.id)))
    })?;
    if !args.bundle {
        // As it stands at its URI, byte for byte.
        output::print_bytes(attestation.canonical());
        return Ok(0);
    }
    let own = |error: ProofError| Failure::internal(error.to_string());
    let proof = Proof::open(&config, &places).map_err(own)?;
    output::print_json(&proof.bundle(&attestation).map_err(own)?)?;
    Ok(0)
}

fn refresh(args: &RefreshArgs) -> Result<u8, Failure> {
    let origin = Origin::base(&args.url).map_err(|error| Failure::usage(error.to_string()))?;
    let (fetch, store) = (HttpFetch::new(), cache_store()?);
    let registries =
        Registries { fetch: &fetch, store: &store, ttl: 0, revalidate: 0, retries: 1, now: Time::now() };
    let result = if args.force {
        let log = AuditLog::open(&places()?);
        let mut write = |record: &ForcedRefresh| {
            log.append(ForcedRefresh::EVENT, record.to_value()).map(|_| ()).map_err(|error| error.to_string())
        };
        registries
            .force(&origin, operator(), args.justification.clone(), &mut write)
            .map(|record| format!("version {} accepted, {} discarded", record.accepted, record.discarded))
    } else {
        registries.refresh(&origin).map(|found| {
            let version = found.registry.version.map_or("none".to_owned(), |version| version.to_string());
            let warning = found.warning.map_or(String::new(), |warning| format!("; {warning}"));
            format!("version {version} accepted, {} keys{warning}", found.registry.keys.len())
        })
    };
    match result {
        Ok(text) => {
            output::print(&format!("{origin}: {}\n", crate::text::escape(&text)));
            Ok(0)
        }
        Err(failure) => {
            output::error(&failure.to_string());
            Ok(if matches!(failure.reason, Reason::NetworkError | Reason::LocalFault) {
                status::UNCHECKED
            } else {
                status::INVALID
            })
        }
    }
}

/// Who runs this, as the system knows him.
fn operator() -> Option<String> {
    let user = nix::unistd::getuid();
    let name = nix::unistd::User::from_uid(user).ok().flatten().map(|user| user.name);
    Some(name.unwrap_or_else(|| format!("uid {user}")))
}
