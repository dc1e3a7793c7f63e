//! The key registry: key states, the legal steps between them, and the document that publishes them.
//!
//! Owns the shape of `recourse-keys.json` and nothing else: it reads and writes values, never files or the network.
//!
//! Reading is tolerant of fields that it does not know, and strict about what decides: an entry with a state or an
//! algorithm that is not known here, or without usable key material, verifies nothing; a registry that contradicts
//! itself about its version is refused as a whole.

use std::fmt;

use serde_json::{Map, Value, json};
use thiserror::Error;

use super::document::is_key_id;

/// The one algorithm there is.
pub const ALGORITHM: &str = "Ed25519";

/// The largest version that a JSON number carries exactly.
const MAX_VERSION: u64 = (1 << 53) - 1;

/// Most keys that a registry may list.
const MAX_KEYS: usize = 10_000;

/// Where a key stands in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyState {
    /// Made and published, not yet valid.
    Pending,
    /// Signs new attestations. At most one key of an instance.
    Active,
    /// Signs no more; what it signed verifies.
    Deprecated,
    /// Out of rotation for good; what it signed verifies.
    Retired,
    /// Not to be trusted; nothing that it ever signed verifies.
    Compromised,
}

impl KeyState {
    /// All states, in the order of a key's life.
    pub const ALL: [Self; 5] =
        [Self::Pending, Self::Active, Self::Deprecated, Self::Retired, Self::Compromised];

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Active => "active",
            Self::Deprecated => "deprecated",
            Self::Retired => "retired",
            Self::Compromised => "compromised",
        }
    }

    /// The state that a word names; exactly these words, in lower case.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == word)
    }

    /// The states that a key may go to from here.
    pub fn next(self) -> &'static [Self] {
        match self {
            Self::Pending => &[Self::Active, Self::Deprecated, Self::Compromised],
            Self::Active => &[Self::Deprecated, Self::Compromised],
            Self::Deprecated => &[Self::Retired, Self::Compromised],
            Self::Retired => &[Self::Compromised],
            Self::Compromised => &[],
        }
    }

    /// Whether a key may go from here to there.
    pub fn may_become(self, to: Self) -> bool {
        self.next().contains(&to)
    }

    /// Whether what a key in this state signed verifies.
    pub fn verifies(self) -> bool {
        matches!(self, Self::Active | Self::Deprecated | Self::Retired)
    }

    /// Whether a key in this state signs, now or one day.
    pub fn may_sign(self) -> bool {
        matches!(self, Self::Pending | Self::Active)
    }

    /// Whether a key in this state may still have its attestations served. Only the others may be answered "gone".
    pub fn retains(self) -> bool {
        matches!(self, Self::Pending | Self::Active | Self::Deprecated)
    }
}

impl fmt::Display for KeyState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One key of a registry. Times are RFC 3339 texts as they were received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyEntry {
    /// The key's name, printable ASCII without spaces.
    pub key_id: String,
    /// 32 bytes as base64url without padding. Not checked here: the verifier's reader does.
    pub public_key: String,
    /// Where it stands.
    pub state: KeyState,
    /// When it became active.
    pub valid_from: Option<String>,
    /// When it will be, or was to be, deprecated.
    pub valid_until: Option<String>,
    /// When it was deprecated.
    pub deprecated_at: Option<String>,
    /// When it was retired.
    pub retired_at: Option<String>,
    /// When it was found to be compromised.
    pub compromised_at: Option<String>,
}

/// An entry that verifies nothing, kept so that it can be named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unusable {
    /// The name that it gives, where it gives one.
    pub key_id: Option<String>,
    /// What is wrong with it.
    pub why: String,
}

/// A key registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registry {
    /// Whose keys these are; empty where an instance does not say.
    pub instance_id: String,
    /// Its version, which grows with every change. None where an instance publishes none.
    pub version: Option<u64>,
    /// When it was last changed, RFC 3339; empty where an instance does not say.
    pub updated_at: String,
    /// The keys, in the order of the document.
    pub keys: Vec<KeyEntry>,
    /// Entries that cannot be used.
    pub unusable: Vec<Unusable>,
}

/// What makes a registry unreadable.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RegistryError {
    /// It lacks its shape.
    #[error("the key registry is malformed: {0}")]
    Malformed(&'static str),
    /// Its version is not one, or its two spellings of it differ.
    #[error("the key registry's version is unusable: {0}")]
    Version(&'static str),
}

/// Why a key is not to be had from a registry.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LookupError {
    /// No entry has that name.
    #[error("the registry has no key `{0}`")]
    Unknown(String),
    /// Two entries have that name, and neither says that it is compromised or pending.
    #[error("the registry lists key `{0}` more than once")]
    Ambiguous(String),
    /// The same key stands there under another name, and has gone further.
    #[error("the registry lists the key that it calls `{key_id}` as `{other}`, too, which is {state}")]
    Renamed {
        /// The key.
        key_id: String,
        /// Its other name.
        other: String,
        /// How far it has gone.
        state: KeyState,
    },
    /// The only entry of that name cannot be used.
    #[error("the registry's entry for key `{key_id}` is unusable: {why}")]
    Unusable {
        /// The key.
        key_id: String,
        /// What is wrong with it.
        why: String,
    },
}

impl Registry {
    /// Reads a registry from strictly parsed JSON (no duplicate names).
    ///
    /// # Errors
    /// When it is not an object with a list of keys, or its version is not an integer from 0 to 2^53-1, or
    /// `sequence` and `registry_version` differ.
    pub fn from_value(value: &Value) -> Result<Self, RegistryError> {
        let object = value.as_object().ok_or(RegistryError::Malformed("it is not an object"))?;
        let listed = object
            .get("keys")
            .and_then(Value::as_array)
            .ok_or(RegistryError::Malformed("`keys` is not a list"))?;
        if listed.len() > MAX_KEYS {
            return Err(RegistryError::Malformed("it lists more than 10000 keys"));
        }
        let version = match (version(object, "registry_version")?, version(object, "sequence")?) {
            (Some(one), Some(other)) if one != other => {
                return Err(RegistryError::Version("`registry_version` and `sequence` differ"));
            }
            (one, other) => one.or(other),
        };
        let text = |name: &'static str| match object.get(name) {
            None | Some(Value::Null) => Ok(String::new()),
            Some(Value::String(text)) => Ok(text.clone()),
            Some(_) => Err(RegistryError::Malformed("`instance_id` or `updated_at` is not text")),
        };
        let mut registry = Self {
            instance_id: text("instance_id")?,
            version,
            updated_at: text("updated_at")?,
            keys: Vec::with_capacity(listed.len()),
            unusable: Vec::new(),
        };
        for one in listed {
            match entry(one) {
                Ok(entry) => registry.keys.push(entry),
                Err(why) => registry.unusable.push(Unusable {
                    key_id: one.get("key_id").and_then(Value::as_str).map(str::to_owned),
                    why,
                }),
            }
        }
        Ok(registry)
    }

    /// The document that is published: `registry_version` and its older spelling `sequence` are always equal.
    pub fn to_value(&self) -> Value {
        let mut object = Map::new();
        object.insert("instance_id".to_owned(), json!(self.instance_id));
        object.insert("keys".to_owned(), Value::Array(self.keys.iter().map(KeyEntry::to_value).collect()));
        if let Some(version) = self.version {
            object.insert("registry_version".to_owned(), json!(version));
            object.insert("sequence".to_owned(), json!(version));
        }
        object.insert("updated_at".to_owned(), json!(self.updated_at));
        Value::Object(object)
    }

    /// The one entry that speaks for a key. Where a name stands more than once, the entry that refuses wins:
    /// compromised, then pending; anything else is ambiguous, because a name is never used for two keys.
    ///
    /// # Errors
    /// When there is no entry, no usable one, or no single one.
    pub fn lookup(&self, key_id: &str) -> Result<&KeyEntry, LookupError> {
        let named: Vec<&KeyEntry> = self.keys.iter().filter(|key| key.key_id == key_id).collect();
        let broken = self.unusable.iter().find(|key| key.key_id.as_deref() == Some(key_id));
        for refusing in [KeyState::Compromised, KeyState::Pending] {
            if let Some(key) = named.iter().find(|key| key.state == refusing) {
                return Ok(key);
            }
        }
        match (named.as_slice(), broken) {
            ([key], None) => self.by_its_other_names(key),
            ([], None) => Err(LookupError::Unknown(key_id.to_owned())),
            ([], Some(broken)) => {
                Err(LookupError::Unusable { key_id: key_id.to_owned(), why: broken.why.clone() })
            }
            _ => Err(LookupError::Ambiguous(key_id.to_owned())),
        }
    }

    /// The entry, or what the registry says of the same key under another name: a key that signs no more does not sign again
    /// because it is called otherwise.
    fn by_its_other_names<'r>(&'r self, key: &'r KeyEntry) -> Result<&'r KeyEntry, LookupError> {
        let others =
            self.keys.iter().filter(|other| other.key_id != key.key_id && other.public_key == key.public_key);
        let further = others.filter(|other| other.state > key.state && other.state >= KeyState::Deprecated);
        match further.max_by_key(|other| other.state) {
            None => Ok(key),
            Some(other) if other.state == KeyState::Compromised => Ok(other),
            Some(other) => Err(LookupError::Renamed {
                key_id: key.key_id.clone(),
                other: other.key_id.clone(),
                state: other.state,
            }),
        }
    }

    /// The key that signs, if there is one.
    pub fn active(&self) -> Option<&KeyEntry> {
        self.keys.iter().find(|key| key.state == KeyState::Active)
    }
}

impl KeyEntry {
    /// The entry as it is published.
    pub fn to_value(&self) -> Value {
        let mut object = Map::new();
        object.insert("key_id".to_owned(), json!(self.key_id));
        object.insert("algorithm".to_owned(), json!(ALGORITHM));
        object.insert("public_key".to_owned(), json!(self.public_key));
        object.insert("state".to_owned(), json!(self.state.as_str()));
        let times = [
            ("valid_from", &self.valid_from),
            ("valid_until", &self.valid_until),
            ("deprecated_at", &self.deprecated_at),
            ("retired_at", &self.retired_at),
            ("compromised_at", &self.compromised_at),
        ];
        for (name, time) in times {
            match time {
                Some(time) => {
                    object.insert(name.to_owned(), json!(time));
                }
                // Said, because readers expect the field of a key in use.
                None if name == "valid_until" && self.state == KeyState::Active => {
                    object.insert(name.to_owned(), Value::Null);
                }
                None => {}
            }
        }
        Value::Object(object)
    }
}

/// A version under one of its names.
fn version(object: &Map<String, Value>, name: &str) -> Result<Option<u64>, RegistryError> {
    let Some(value) = object.get(name) else { return Ok(None) };
    let Value::Number(number) = value else { return Err(RegistryError::Version("it is not a number")) };
    // Strict parsing makes every number a double; our own values are integers.
    let version = match (number.as_u64(), number.as_f64()) {
        (Some(version), _) => version,
        // Exact: an integer below 2^53 that is not negative.
        (None, Some(double)) if double >= 0.0 && double.fract() == 0.0 && double <= MAX_VERSION as f64 => {
            double as u64
        }
        _ => return Err(RegistryError::Version("it is not an integer from 0 to 2^53-1")),
    };
    if version > MAX_VERSION {
        return Err(RegistryError::Version("it is not an integer from 0 to 2^53-1"));
    }
    Ok(Some(version))
}

fn entry(value: &Value) -> Result<KeyEntry, String> {
    let object = value.as_object().ok_or("it is not an object")?;
    let text = |name: &str| match object.get(name) {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(_) => Err(format!("`{name}` is not text")),
        None => Err(format!("`{name}` is missing")),
    };
    let time = |name: &str| match object.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(format!("`{name}` is not text")),
    };
    let key_id = text("key_id")?;
    if !is_key_id(&key_id) {
        return Err("`key_id` is not printable ASCII without spaces".to_owned());
    }
    // Before the rest: whatever else is wrong with it, a compromised key is named as such.
    let word = text("state")?;
    let state = KeyState::from_word(&word).ok_or_else(|| format!("`{word}` is not a key state"))?;
    let algorithm = text("algorithm");
    if state != KeyState::Compromised {
        match algorithm?.as_str() {
            ALGORITHM => {}
            other => return Err(format!("its algorithm is `{other}`, not {ALGORITHM}")),
        }
    }
    let public_key = match (text("public_key"), state) {
        (Ok(key), _) => key,
        (Err(_), KeyState::Compromised) => String::new(),
        (Err(why), _) => return Err(why),
    };
    Ok(KeyEntry {
        key_id,
        public_key,
        state,
        valid_from: time("valid_from")?,
        valid_until: time("valid_until")?,
        deprecated_at: time("deprecated_at")?,
        retired_at: time("retired_at")?,
        compromised_at: time("compromised_at")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_the_legal_steps_are_legal() {
        use KeyState::*;
        let legal = [
            (Pending, Active),
            (Pending, Deprecated),
            (Pending, Compromised),
            (Active, Deprecated),
            (Active, Compromised),
            (Deprecated, Retired),
            (Deprecated, Compromised),
            (Retired, Compromised),
        ];
        for from in KeyState::ALL {
            for to in KeyState::ALL {
                assert_eq!(from.may_become(to), legal.contains(&(from, to)), "{from} -> {to}");
            }
        }
        assert!(KeyState::from_word("COMPROMISED").is_none() && KeyState::from_word("rotated").is_none());
    }

    fn key(id: &str, state: &str) -> Value {
        json!({"key_id": id, "algorithm": "Ed25519", "public_key": "AAAA", "state": state,
               "valid_from": "2026-01-01T00:00:00Z", "valid_until": null, "note": "unknown fields are left alone"})
    }

    fn registry(keys: Vec<Value>) -> Registry {
        Registry::from_value(&json!({"instance_id": "x", "keys": keys, "registry_version": 3.0})).unwrap()
    }

    #[test]
    fn what_is_written_is_read_back() {
        let one = registry(vec![key("x-1", "deprecated"), key("x-2", "active"), key("x-3", "pending")]);
        assert_eq!(one.version, Some(3));
        assert_eq!(Registry::from_value(&one.to_value()).unwrap(), one);
        assert_eq!(one.to_value()["sequence"], one.to_value()["registry_version"]);
        assert_eq!(one.active().unwrap().key_id, "x-2");
    }

    #[test]
    fn versions_are_integers_and_agree() {
        let read = |version: Value| Registry::from_value(&json!({"keys": [], "registry_version": version}));
        assert_eq!(read(json!(7)).unwrap().version, Some(7));
        for bad in [json!("10"), json!(-1), json!(1.5), json!(1e16), json!(null), json!([1])] {
            assert!(matches!(read(bad.clone()), Err(RegistryError::Version(_))), "{bad}");
        }
        assert_eq!(Registry::from_value(&json!({"keys": [], "sequence": 8})).unwrap().version, Some(8));
        assert_eq!(Registry::from_value(&json!({"keys": []})).unwrap().version, None);
        assert!(
            Registry::from_value(&json!({"keys": [], "sequence": 8, "registry_version": 9})).is_err(),
            "two versions"
        );
    }

    #[test]
    fn malformed_registries_are_refused() {
        for bad in [json!([]), json!({}), json!({"keys": {}}), json!({"keys": [], "instance_id": 1})] {
            assert!(matches!(Registry::from_value(&bad), Err(RegistryError::Malformed(_))), "{bad}");
        }
    }

    #[test]
    fn the_entry_that_refuses_speaks_for_its_key() {
        let twice = registry(vec![key("x-1", "active"), key("x-1", "compromised")]);
        assert_eq!(twice.lookup("x-1").unwrap().state, KeyState::Compromised);
        let twice = registry(vec![key("x-1", "active"), key("x-1", "retired")]);
        assert!(matches!(twice.lookup("x-1"), Err(LookupError::Ambiguous(_))));
        let half = registry(vec![key("x-1", "revoked"), key("x-1", "active")]);
        assert!(matches!(half.lookup("x-1"), Err(LookupError::Ambiguous(_))), "one entry is unreadable");
        assert!(matches!(half.lookup("x-2"), Err(LookupError::Unknown(_))));
    }

    #[test]
    fn an_entry_that_is_not_understood_verifies_nothing() {
        let mut rsa = key("x-1", "active");
        rsa["algorithm"] = json!("RSA");
        let mut none = key("x-2", "active");
        none["public_key"] = json!(null);
        let mut bare = key("x-3", "active");
        bare.as_object_mut().unwrap().remove("state");
        let all = registry(vec![rsa, none, bare, key("x-4", "revoked"), key("x-5", "active")]);
        for id in ["x-1", "x-2", "x-3", "x-4"] {
            assert!(matches!(all.lookup(id), Err(LookupError::Unusable { .. })), "{id}");
        }
        assert!(all.lookup("x-5").is_ok());
        let mut bad = key("x-6", "compromised");
        bad["algorithm"] = json!(null);
        assert_eq!(registry(vec![bad]).lookup("x-6").unwrap().state, KeyState::Compromised);
    }
}
