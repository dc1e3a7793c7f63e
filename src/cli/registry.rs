//! `recourse registry`: registries of other instances.
//!
//! Owns the operator's refresh, forced or not, and its record in the audit log.

use crate::attest::audit::AuditLog;
use crate::attest::cache::{ForcedRefresh, Registries};
use crate::attest::{HttpFetch, Origin, Reason, Time};

use super::args::RefreshArgs;
use super::output::{self, Failure};
use super::setup::places;
use super::status;
use super::verify::cache_store;

pub(super) fn refresh(args: &RefreshArgs) -> Result<u8, Failure> {
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
            output::print(&format!("{origin}: {}\n", crate::report::escape(&text)));
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
