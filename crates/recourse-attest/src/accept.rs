//! What may never go back between two registries of one instance: how far keys have gone, and which key a name means (§4.4).

use super::registry::{KeyEntry, KeyState, Registry};

/// The keys of `known` that a newer registry leaves out: what was known of them stays known.
///
/// # Errors
/// What it takes back, by a name or by another one.
pub(super) fn left_out(
    known: impl Iterator<Item = KeyEntry>,
    newer: &Registry,
) -> Result<Vec<KeyEntry>, String> {
    let mut gone = Vec::new();
    for key in known {
        if let Some(other) = newer.keys.iter().find(|new| is_renewed(&key, new)) {
            let (id, state, other) = (key.key_id, key.state, &other.key_id);
            return Err(format!("the registry takes back that key {id} is {state}: it is {other} now"));
        }
        let mut named = newer.keys.iter().filter(|new| new.key_id == key.key_id).peekable();
        if named.peek().is_none() {
            gone.push(key);
        } else if let Some(why) = named.find_map(|new| taken_back(&key, new)) {
            return Err(format!("the registry takes back that key {} {why}", key.key_id));
        }
    }
    Ok(gone)
}

/// What a newer entry of a key takes back that may never be.
fn taken_back(known: &KeyEntry, new: &KeyEntry) -> Option<&'static str> {
    match known.state {
        // A key goes on through its states and never back.
        KeyState::Compromised if new.state < known.state => Some("is compromised"),
        KeyState::Retired if new.state < known.state => Some("is retired"),
        KeyState::Deprecated if new.state < known.state => Some("is deprecated"),
        KeyState::Active if new.state < known.state => Some("was active"),
        // What is compromised verifies nothing, whatever stands there.
        _ if known.public_key != new.public_key && new.state != KeyState::Compromised => {
            Some("has the public key that was known under this name")
        }
        _ => None,
    }
}

/// Whether a key that signs no more comes back under another name, as if it had not gone as far.
fn is_renewed(known: &KeyEntry, new: &KeyEntry) -> bool {
    known.state >= KeyState::Deprecated
        && new.state < known.state
        && new.key_id != known.key_id
        && new.public_key == known.public_key
}

/// Whether a key is compromised there, whatever it is called.
pub(super) fn is_compromised(registry: &Registry, known: &KeyEntry) -> bool {
    let same = |key: &KeyEntry| key.key_id == known.key_id || key.public_key == known.public_key;
    registry.keys.iter().any(|key| same(key) && key.state == KeyState::Compromised)
}
