//! Whether a key may verify, and whether it was the one that signed at that time.
//!
//! Owns what a key's state and times mean to a verifier. Looks at nothing but its arguments.

use super::origin::Origin;
use super::reason::{Failure, Reason};
use super::registry::{KeyEntry, KeyState};
use super::time::Time;

pub use super::time::CLOCK_SKEW;

/// An instance that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pinned {
    /// Which.
    pub origin: Origin,
    /// Its keys, as registries write them; none: whatever key its registry has.
    pub keys: Vec<String>,
}

/// Whether a key in its state verifies anything.
pub(super) fn check_state(entry: &KeyEntry) -> Result<(), Failure> {
    match entry.state {
        KeyState::Active | KeyState::Deprecated | KeyState::Retired => Ok(()),
        KeyState::Pending => {
            Err(Failure::new(Reason::KeyPending, format!("key {} is not valid yet", entry.key_id)))
        }
        KeyState::Compromised => {
            Err(Failure::new(Reason::KeyCompromised, format!("key {} is compromised", entry.key_id)))
        }
    }
}

/// Whether a key is one of those that are pinned for its instance.
pub(super) fn check_pins(entry: &KeyEntry, origin: &Origin, pins: &[Pinned]) -> Result<(), Failure> {
    let pinned =
        pins.iter().find(|one| one.origin == *origin).map(|one| one.keys.as_slice()).unwrap_or_default();
    if pinned.is_empty() || pinned.contains(&entry.public_key) {
        return Ok(());
    }
    let detail = format!("key {} of {origin} is none that the trust bundle names for it", entry.key_id);
    Err(Failure::new(Reason::InstanceNotTrusted, detail))
}

/// Whether a key was the active one then, give or take the clocks. A time that cannot be read bounds nothing on its side
/// of an active key, and is none to be within for any other.
pub(super) fn check_time(entry: &KeyEntry, time: Time) -> Result<(), Failure> {
    let outside = |what: &str, at: &dyn std::fmt::Display| {
        let detail = format!("it was signed at {time}, key {} was {what} at {at}", entry.key_id);
        Err(Failure::new(Reason::AttestationExpired, detail))
    };
    let read = |text: &Option<String>| text.as_deref().and_then(|text| text.parse::<Time>().ok());
    if let Some(from) = read(&entry.valid_from)
        && from.since(time) > CLOCK_SKEW
    {
        return outside("not active before it became so", &from);
    }
    if entry.state == KeyState::Active {
        return Ok(());
    }
    let ends = [&entry.deprecated_at, &entry.valid_until, &entry.retired_at];
    match ends.into_iter().find_map(read) {
        Some(end) if time.since(end) > CLOCK_SKEW => outside("replaced", &end),
        Some(_) => Ok(()),
        None => outside("replaced", &"a time that its registry does not say"),
    }
}
