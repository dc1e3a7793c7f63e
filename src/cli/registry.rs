//! `recourse registry`: registries of other instances.
//!
//! Owns the operator's refresh, forced or not, and its record in the audit log.

use clap::{Subcommand, ValueHint};

use crate::attest::audit::AuditLog;
use crate::attest::cache::{ForcedRefresh, Registries};
use crate::attest::{HttpFetch, Origin, Reason, Time};

use super::output::{self, Failure};
use super::publish::{self, PublishArgs};
use super::setup::places;
use super::status;
use super::verify::cache_store;

#[derive(Debug, Subcommand)]
pub(super) enum RegistryCommand {
    /// Write the registry and attestations as static files for a web server
    Publish(PublishArgs),
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

pub(super) fn run(command: &RegistryCommand) -> Result<u8, Failure> {
    match command {
        RegistryCommand::Publish(args) => publish::run(args),
        RegistryCommand::Refresh(args) => refresh(args),
    }
}

fn refresh(args: &RefreshArgs) -> Result<u8, Failure> {
    let origin = Origin::base(&args.url).map_err(|error| Failure::usage(error.to_string()))?;
    let (fetch, store) = (HttpFetch::new(), cache_store()?);
    let registries = Registries { fetch: &fetch, store: &store, ttl: 0, retries: 1, now: Time::now() };
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
            Ok(if failure.reason == Reason::NetworkError { status::UNCHECKED } else { status::INVALID })
        }
    }
}

/// Who runs this, as the system knows him.
fn operator() -> Option<String> {
    let user = nix::unistd::getuid();
    let name = nix::unistd::User::from_uid(user).ok().flatten().map(|user| user.name);
    Some(name.unwrap_or_else(|| format!("uid {user}")))
}
