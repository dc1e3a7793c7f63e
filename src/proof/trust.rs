//! The organisation's trust bundle that this machine follows: asked for, kept, and put over the configuration.
//!
//! Owns what stands in the state folder of it, and what holds while no newer one can be had: the kept one, until it ends.
//! After that its demands stay and no instance counts.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::attest::beside::Net;
use crate::attest::disk::{self, Access, Lock};
use crate::attest::trust::{BUNDLE_LIMIT, Bundle, TrustError};
use crate::attest::{Failure, Places, Reason, Time, cache};
use crate::config::{AttestationConfig, TrustConfig};
use crate::json as strict;

/// A bundle that was accepted.
#[derive(Clone, Debug)]
pub struct InForce {
    /// The bundle.
    pub bundle: Bundle,
    /// When it was had.
    pub fetched_at: Time,
    /// Why there may be a newer one.
    pub warning: Option<String>,
}

/// The configuration under the bundle that it says to follow, and what the operator should know.
pub fn follow(config: AttestationConfig, places: Option<&Places>) -> (AttestationConfig, Option<String>) {
    let Some(trust) = config.trust.clone() else { return (config, None) };
    let Some(places) = places else {
        let why = Failure::new(Reason::LocalFault, "there is no home directory to keep the trust bundle in");
        return (config.without_bundle(why.clone()), Some(why.to_string()));
    };
    match in_force(&trust, places) {
        Ok(found) => (config.under(&found.bundle), found.warning),
        Err(failure) => {
            // What the last one demanded does not end with it, nor with the keys that count now: it only tightens.
            let config = match load(places) {
                Ok(Some(kept)) => config.under(&kept.bundle),
                _ => config,
            };
            let said = failure.to_string();
            (config.without_bundle(failure), Some(said))
        }
    }
}

/// The bundle in force: the kept one while it is young, else a newer one.
///
/// # Errors
/// Why none is.
pub fn in_force(trust: &TrustConfig, places: &Places) -> Result<InForce, Failure> {
    let now = Time::now();
    let kept = load(places)?.filter(|kept| {
        kept.bundle.signed_by(&trust.keys, trust.threshold).is_ok() && kept.bundle.holds(now).is_ok()
    });
    let Some(kept) = kept else { return refresh(trust, places) };
    let longest = i64::try_from(trust.refresh.as_millis()).unwrap_or(i64::MAX);
    if (0..longest).contains(&now.since(kept.fetched_at)) {
        return Ok(kept);
    }
    refresh(trust, places).or_else(|failure| {
        let warning = Some(format!("the kept trust bundle is used: {failure}"));
        Ok(InForce { warning, ..kept })
    })
}

/// Asks for the bundle, accepts it if it may follow the kept one, and keeps it.
///
/// # Errors
/// [`Reason::NetworkError`] where it could not be had, [`Reason::RegistryRollback`] where it goes back,
/// [`Reason::InstanceNotTrusted`] where it is none that counts, [`Reason::LocalFault`] where it cannot be kept.
pub fn refresh(trust: &TrustConfig, places: &Places) -> Result<InForce, Failure> {
    let now = Time::now();
    let wrong = |error: TrustError| {
        let reason = match error {
            TrustError::Rollback(_) => Reason::RegistryRollback,
            _ => Reason::InstanceNotTrusted,
        };
        Failure::new(reason, format!("{}: {error}", trust.bundle))
    };
    let bundle = Bundle::parse(&had(&trust.bundle)?).map_err(wrong)?;
    bundle.signed_by(&trust.keys, trust.threshold).map_err(wrong)?;
    bundle.holds(now).map_err(wrong)?;
    let local = |error: disk::DiskError| Failure::new(Reason::LocalFault, error.to_string());
    disk::private_dir(&places.state).map_err(local)?;
    let _lock = Lock::acquire(&places.state.join("trust.lock")).map_err(local)?;
    if let Some(kept) = load(places)? {
        bundle.follows(&kept.bundle).map_err(wrong)?;
    }
    let text = json!({ "fetchedAt": now.to_string(), "bundle": bundle.to_value() }).to_string();
    disk::write_atomic(&path(places), text.as_bytes(), Access::Private).map_err(local)?;
    Ok(InForce { bundle, fetched_at: now, warning: None })
}

/// The bundle that was accepted last, whether or not it holds.
///
/// # Errors
/// When it cannot be read: then nothing protects against an older one.
fn load(places: &Places) -> Result<Option<InForce>, Failure> {
    let path = path(places);
    let fault = |why: String| {
        Failure::new(
            Reason::LocalFault,
            format!("{}: {why}; remove it, and make sure of the bundle that comes next", path.display()),
        )
    };
    let limit = 2 * BUNDLE_LIMIT as u64;
    let Some(bytes) = disk::read_private(&path, limit).map_err(|error| fault(error.to_string()))? else {
        return Ok(None);
    };
    let value = strict::parse(&bytes, 2 * BUNDLE_LIMIT).map_err(|error| fault(error.to_string()))?;
    let fetched_at = value.get("fetchedAt").and_then(Value::as_str).and_then(|time| time.parse().ok());
    let bundle = value.get("bundle").map(|bundle| Bundle::parse(bundle.to_string().as_bytes()));
    match (fetched_at, bundle) {
        (Some(fetched_at), Some(Ok(bundle))) => Ok(Some(InForce { bundle, fetched_at, warning: None })),
        (_, Some(Err(error))) => Err(fault(error.to_string())),
        _ => Err(fault("it is damaged".to_owned())),
    }
}

fn path(places: &Places) -> PathBuf {
    places.state.join("trust.json")
}

/// The bundle's bytes, from a file or an instance.
fn had(place: &str) -> Result<Vec<u8>, Failure> {
    if !Path::new(place).is_absolute() {
        return cache::get(&Net::new(), place, BUNDLE_LIMIT, 1);
    }
    let mut bytes = Vec::new();
    let read = File::open(place).and_then(|file| file.take(BUNDLE_LIMIT as u64 + 1).read_to_end(&mut bytes));
    read.map_err(|error| Failure::new(Reason::NetworkError, format!("{place}: {error}")))?;
    Ok(bytes)
}
