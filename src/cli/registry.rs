//! `recourse registry`: registries of other instances.
//!
//! Owns the operator's refresh, forced or not, and its record in the audit log.

use clap::{Subcommand, ValueHint};
use serde_json::json;

use crate::attest::audit::AuditLog;
use crate::attest::beside::Net;
use crate::attest::cache::{ForcedRefresh, Registries};
use crate::attest::keys::KeyStore;
use crate::attest::pruned::Pruned;
use crate::attest::sign::SignError;
use crate::attest::store::{Store, StoreError};
use crate::attest::{Origin, Reason, Time};
use crate::config::Config;
use crate::proof::{Proof, ProofError, go_on, keep_log, open_log, shared};
use crate::text::{count, size};

use super::common::Format;
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
    /// Take away attestations of keys that are retired or compromised; their URLs answer 410
    Prune(PruneArgs),
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
pub(super) struct PruneArgs {
    /// Only what is older
    #[arg(long, value_name = "N", default_value_t = 0)]
    days: u64,
    /// Form of the output
    #[arg(long, value_enum, default_value_t)]
    format: Format,
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
        RegistryCommand::Prune(args) => prune(args),
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
    match proof.bundle(&attestation) {
        Ok(bundle) => output::print_json(&bundle)?,
        Err(ProofError::Sign(SignError::NotOurs(failure))) => {
            output::error(&format!("it is not signed again: {failure}"));
            return Ok(status::INVALID);
        }
        Err(error) => return Err(own(error)),
    }
    Ok(0)
}

fn prune(args: &PruneArgs) -> Result<u8, Failure> {
    let (places, config) = (places()?, Config::load()?.attestation);
    let own = |error: &dyn std::fmt::Display| Failure::internal(error.to_string());
    let registry = KeyStore::open(&places).registry().map_err(|error| own(&error))?;
    let registry =
        registry.ok_or_else(|| Failure::usage("there are no keys here, and nothing that they signed"))?;
    // What the transparency log has to hold goes in before it goes.
    let log = open_log(&config, &places).map_err(|error| own(&error))?;
    if keep_log(&config, &log, false).map_err(|error| own(&error))? {
        super::transparency::warn(&go_on(&config, &log).map_err(|error| own(&error))?);
    }
    let days = i64::try_from(args.days).unwrap_or(i64::MAX / 86_400_000);
    let before = Time::now().plus_seconds(-days.saturating_mul(86_400));
    let mut all = Pruned::default();
    for store in [Store::open(&places), Store::unpublished(&places)] {
        let pruned = store.prune(&registry, before).map_err(|error| own(&error))?;
        all.attestations += pruned.attestations;
        all.bytes += pruned.bytes;
        all.kept += pruned.kept;
    }
    if args.format == Format::Json {
        output::print_json(
            &json!({ "attestations": all.attestations, "bytes": all.bytes, "kept": all.kept }),
        )?;
    } else {
        output::print(&format!(
            "took {} of {} away; {} stay\n",
            count(all.attestations, "attestation"),
            size(all.bytes),
            all.kept
        ));
    }
    Ok(0)
}

fn refresh(args: &RefreshArgs) -> Result<u8, Failure> {
    let origin = Origin::base(&args.url).map_err(|error| Failure::usage(error.to_string()))?;
    let (fetch, store) = (Net::new(), cache_store()?);
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
