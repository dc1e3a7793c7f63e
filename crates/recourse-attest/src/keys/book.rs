//! What is on disk about keys: the registry, the instance's own record, the names of key files.
//!
//! Owns how the three are read together and how a change is written: first the instance's record (so that no name
//! and no version is ever used twice), then the published copy, then the registry. That last write is the moment at
//! which the change takes effect. Knows nothing of which changes are legal.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::disk::{self, Access};
use crate::json;
use crate::places::Places;
use crate::registry::{KeyEntry, KeyState, Registry};
use crate::time::Time;

use super::{KeyError, KeyStore};

/// No registry of ours is larger.
pub(super) const LIMIT: u64 = 4 << 20;

/// The registry's place below a web root.
pub(crate) const PUBLISHED: &str = ".well-known/recourse-keys.json";

/// Everything that is known about the instance's keys.
#[derive(Clone, Debug)]
pub(crate) struct Book {
    /// The number of the next key, never one that was used before.
    pub(crate) next_key: u64,
    /// The registry in force. Its version is 0 before the first change.
    pub(crate) registry: Registry,
    /// The highest version that may have been seen by anybody.
    floor: u64,
    /// How far each key that is no longer used has ever gone.
    furthest: Vec<(String, KeyState)>,
    /// A change that was cut off was put in force just now.
    pub(super) went_forward: bool,
    /// What the registry in force is called in the store that machines share.
    pub(super) tag: Option<String>,
}

/// What is different whenever the registry may be, of each of its files: device, number, length, time of the last change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp([Option<FileStamp>; 2]);

type FileStamp = (u64, u64, u64, i64, i64);

impl KeyStore {
    /// Other than before whenever the registry may be.
    pub fn stamp(&self) -> Stamp {
        let stamp = |path: PathBuf| {
            let found = fs::symlink_metadata(path).ok()?;
            Some((found.dev(), found.ino(), found.len(), found.ctime(), found.ctime_nsec()))
        };
        Stamp([stamp(registry_path(&self.places)), stamp(record_path(&self.places))])
    }
}

impl Book {
    /// Reads it. None: there is no instance yet.
    pub(crate) fn read(places: &Places) -> Result<Option<Self>, KeyError> {
        let folder = places.keys();
        if !disk::check_dir(&folder)? {
            return Ok(None);
        }
        let registry = read_registry(&registry_path(places))?;
        let record = Record::read(&record_path(places))?;
        let furthest = record.as_ref().map(|record| record.furthest.clone()).unwrap_or_default();
        let (instance_id, recorded_key, recorded_version) = match (&registry, record) {
            (None, None) => return Ok(None),
            (Some(registry), None) => (registry.instance_id.clone(), 1, 0),
            (None, Some(record)) => (record.instance_id, record.next_key, record.version),
            (Some(registry), Some(record)) => {
                if registry.instance_id != record.instance_id {
                    return Err(corrupt(&record_path(places), "it names another instance than the registry"));
                }
                (record.instance_id, record.next_key, record.version)
            }
        };
        let registry = registry.unwrap_or_else(|| empty(&instance_id));
        not_behind(&registry, &furthest, &registry_path(places))?;
        // A number counts as used when anything on disk shows it, whatever the record says.
        let names = key_files(&folder)?;
        let shown =
            registry.keys.iter().map(|key| key.key_id.as_str()).chain(names.iter().map(String::as_str));
        let used = shown.filter_map(|name| number(&instance_id, name)).max().unwrap_or(0);
        let floor = recorded_version.max(registry.version.unwrap_or(0));
        let next_key = recorded_key.max(used.saturating_add(1));
        Ok(Some(Self { next_key, floor, furthest, ..Self::of(registry) }))
    }

    /// A new instance.
    pub(crate) fn new(instance_id: &str) -> Self {
        Self::of(empty(instance_id))
    }

    fn of(registry: Registry) -> Self {
        Self { next_key: 1, registry, floor: 0, furthest: Vec::new(), went_forward: false, tag: None }
    }

    /// The entry of a key.
    pub(crate) fn entry(&self, key_id: &str) -> Result<&KeyEntry, KeyError> {
        self.registry.keys.iter().find(|key| key.key_id == key_id).ok_or_else(|| KeyError::UnknownKey {
            key_id: key_id.to_owned(),
            known: self.registry.keys.iter().map(|key| key.key_id.clone()).collect(),
        })
    }

    /// The entry of a key, to be changed.
    pub(crate) fn entry_mut(&mut self, key_id: &str) -> Result<&mut KeyEntry, KeyError> {
        self.entry(key_id)?;
        let found = self.registry.keys.iter_mut().find(|key| key.key_id == key_id);
        found.ok_or(KeyError::UnknownKey { key_id: key_id.to_owned(), known: Vec::new() })
    }

    /// The pending key that comes next: the one that was published first, which verifiers have known longest.
    pub(crate) fn next_pending(&self) -> Option<&KeyEntry> {
        let pending = self.registry.keys.iter().filter(|key| key.state == KeyState::Pending);
        pending.min_by_key(|key| number(&self.registry.instance_id, &key.key_id))
    }

    /// Takes the next key's name, and makes sure on disk that nobody ever takes it again.
    pub(crate) fn take_name(&mut self, places: &Places) -> Result<String, KeyError> {
        let name = format!("{}-{}", self.registry.instance_id, self.next_key);
        self.next_key = self.next_key.saturating_add(1);
        self.write_record(places)?;
        Ok(name)
    }

    /// Puts the registry in force under the next version. `first` has to take it before anybody sees it; `publish` is the web
    /// root that shows it then.
    pub(crate) fn commit(
        &mut self,
        places: &Places,
        publish: Option<&Path>,
        now: Time,
        first: &mut dyn FnMut(&mut Self) -> Result<(), KeyError>,
    ) -> Result<u64, KeyError> {
        let shown = match publish {
            Some(root) => published(&root.join(PUBLISHED))?.and_then(|shown| shown.version).unwrap_or(0),
            None => 0,
        };
        let version = self.floor.max(shown).saturating_add(1);
        self.floor = version;
        self.registry.version = Some(version);
        self.registry.updated_at = now.to_string();
        self.write_record(places)?;
        first(self)?;
        if let Some(root) = publish {
            self.write_next(places)?;
            show(&self.registry, root)?;
        }
        let path = registry_path(places);
        disk::write_atomic(&path, &page(&self.registry), Access::Private)?;
        self.remember(places);
        Ok(version)
    }

    /// Keeps how far the keys have gone, once that is in force. What cannot be kept now is with the next change.
    pub(super) fn remember(&mut self, places: &Places) {
        let before = self.furthest.clone();
        // What is not ended has nothing that could be brought back.
        for key in self.registry.keys.iter().filter(|key| key.state > KeyState::Active) {
            match self.furthest.iter_mut().find(|(key_id, _)| *key_id == key.key_id) {
                Some((_, state)) => *state = key.state,
                None => self.furthest.push((key.key_id.clone(), key.state)),
            }
        }
        if self.furthest != before {
            let _ = self.write_record(places);
        }
    }

    /// The change that was about to be shown when a process died. None: there is none, or it was put in force.
    pub(super) fn unfinished(&self, places: &Places) -> Result<Option<Registry>, KeyError> {
        let next = read_registry(&next_path(places))?;
        let ours = |next: &Registry| {
            next.instance_id == self.registry.instance_id
                && next.version == Some(self.floor)
                && next.version > self.registry.version
        };
        Ok(next.filter(ours))
    }

    /// What it means that others see a newer registry than this one.
    pub(super) fn is_behind(&self, path: PathBuf, shown: &Registry) -> KeyError {
        let (published, own) = (shown.version.unwrap_or(0), self.registry.version.unwrap_or(0));
        match published == self.floor && shown.instance_id == self.registry.instance_id {
            true => KeyError::Unfinished { path, published, own },
            false => KeyError::RolledBack { path, published, own },
        }
    }

    /// Writes a change down before anybody else sees it.
    pub(super) fn write_next(&self, places: &Places) -> Result<(), KeyError> {
        Ok(disk::write_atomic(&next_path(places), &page(&self.registry), Access::Private)?)
    }

    fn write_record(&self, places: &Places) -> Result<(), KeyError> {
        let furthest: serde_json::Map<String, Value> =
            self.furthest.iter().map(|(key_id, state)| (key_id.clone(), json!(state.as_str()))).collect();
        let record = json!({
            "instance_id": self.registry.instance_id,
            "next_key": self.next_key,
            "registry_version": self.floor,
            "keys": furthest,
        });
        disk::write_atomic(&record_path(places), &text(&record), Access::Private)?;
        Ok(())
    }
}

/// What to do where nothing signs.
pub(crate) fn no_active(book: &Book) -> String {
    match book.next_pending() {
        Some(key) => format!(
            "no key is active and nothing can be signed: `recourse keys activate {}` makes the pending key active",
            key.key_id
        ),
        None => "no key is active and nothing can be signed: `recourse keys generate`, then `recourse keys activate`"
            .to_owned(),
    }
}

/// The instance's own record: what must not be forgotten even when the registry is.
struct Record {
    instance_id: String,
    next_key: u64,
    version: u64,
    furthest: Vec<(String, KeyState)>,
}

impl Record {
    fn read(path: &Path) -> Result<Option<Self>, KeyError> {
        let Some(bytes) = disk::read_private(path, LIMIT)? else { return Ok(None) };
        let value = parse(path, &bytes)?;
        let whole = |name: &str| {
            let number = value.get(name).and_then(Value::as_f64);
            // Exact: an integer below 2^53.
            number.filter(|n| *n >= 0.0 && n.fract() == 0.0 && *n < 9e15).map(|n| n as u64)
        };
        match (value.get("instance_id").and_then(Value::as_str), whole("next_key"), whole("registry_version"))
        {
            (Some(instance), Some(next_key), Some(version)) if is_instance(instance) => {
                let furthest = match value.get("keys") {
                    // Written before states were kept.
                    None => Vec::new(),
                    Some(keys) => {
                        states(keys).ok_or_else(|| corrupt(path, "it says of a key what none can be"))?
                    }
                };
                Ok(Some(Self { instance_id: instance.to_owned(), next_key, version, furthest }))
            }
            _ => Err(corrupt(path, "it lacks its fields")),
        }
    }
}

/// The states of keys by their names.
fn states(keys: &Value) -> Option<Vec<(String, KeyState)>> {
    let state = |value: &Value| value.as_str().and_then(KeyState::from_word);
    keys.as_object()?.iter().map(|(key_id, value)| Some((key_id.clone(), state(value)?))).collect()
}

/// No key stands where it stood before it went further: the file was put back from an old copy, and what it says of a key that
/// is compromised would count again. That a key is not in it at all brings nothing back.
fn not_behind(registry: &Registry, furthest: &[(String, KeyState)], path: &Path) -> Result<(), KeyError> {
    for (key_id, was) in furthest {
        let now = registry.keys.iter().find(|key| key.key_id == *key_id).map(|key| key.state);
        if let Some(now) = now.filter(|now| now < was) {
            return Err(KeyError::Behind { path: path.to_owned(), key_id: key_id.clone(), was: *was, now });
        }
    }
    Ok(())
}

/// Puts a registry below a web root, where everybody reads it. Never an older one over a newer.
pub(crate) fn show(registry: &Registry, root: &Path) -> Result<PathBuf, KeyError> {
    let path = root.join(PUBLISHED);
    let own = registry.version.unwrap_or(0);
    let published = published(&path)?.and_then(|shown| shown.version).unwrap_or(0);
    if published > own {
        return Err(KeyError::RolledBack { path, published, own });
    }
    disk::public_dir(&root.join(".well-known"))?;
    disk::write_atomic(&path, &page(registry), Access::Public)?;
    Ok(path)
}

/// A published registry. None: there is none.
pub(super) fn published(path: &Path) -> Result<Option<Registry>, KeyError> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(disk::io_error("cannot read", path)(error).into()),
    };
    let registry = parse(path, &bytes)
        .and_then(|value| Registry::from_value(&value).map_err(|error| corrupt(path, &error.to_string())))?;
    Ok(Some(registry))
}

/// The registry in force, as a file holds it. None: no file.
fn read_registry(path: &Path) -> Result<Option<Registry>, KeyError> {
    let Some(bytes) = disk::read_private(path, LIMIT)? else { return Ok(None) };
    let value = parse(path, &bytes)?;
    let registry = Registry::from_value(&value).map_err(|error| corrupt(path, &error.to_string()))?;
    if let Some(bad) = registry.unusable.first() {
        return Err(corrupt(path, &format!("an entry is unusable: {}", bad.why)));
    }
    if !is_instance(&registry.instance_id) || registry.version.is_none() {
        return Err(corrupt(path, "it lacks its instance or version"));
    }
    if registry.keys.iter().filter(|key| key.state == KeyState::Active).count() > 1 {
        return Err(corrupt(path, "two keys are active"));
    }
    let mut names: Vec<&str> = registry.keys.iter().map(|key| key.key_id.as_str()).collect();
    names.sort_unstable();
    if names.windows(2).any(|pair| pair.first() == pair.last()) {
        return Err(corrupt(path, "two keys have one name"));
    }
    // Names become file names.
    if registry.keys.iter().any(|key| number(&registry.instance_id, &key.key_id).is_none()) {
        return Err(corrupt(path, "a key is not named after the instance"));
    }
    Ok(Some(registry))
}

/// Names of keys that have a file.
pub(crate) fn key_files(folder: &Path) -> Result<Vec<String>, KeyError> {
    let mut names = Vec::new();
    let entries = fs::read_dir(folder).map_err(disk::io_error("cannot list", folder))?;
    for entry in entries {
        let entry = entry.map_err(disk::io_error("cannot list", folder))?;
        if let Some(name) = entry.file_name().to_str().and_then(|name| name.strip_suffix(".pem")) {
            names.push(name.to_owned());
        }
    }
    names.sort();
    Ok(names)
}

pub(crate) fn registry_path(places: &Places) -> PathBuf {
    places.data.join("registry.json")
}

/// A change that is about to be shown.
fn next_path(places: &Places) -> PathBuf {
    places.keys().join("next.json")
}

pub(super) fn record_path(places: &Places) -> PathBuf {
    places.keys().join("instance.json")
}

/// The lock that guards all of it.
pub(crate) fn lock_path(places: &Places) -> PathBuf {
    places.keys().join("lock")
}

/// Where a private key stands.
pub(crate) fn key_path(places: &Places, key_id: &str) -> PathBuf {
    places.keys().join(format!("{key_id}.pem"))
}

/// Whether a text can name an instance, and with a number behind it a file.
pub(crate) fn is_instance(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    (1..=64).contains(&text.len())
        && text.bytes().all(plain)
        && text.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric())
}

/// The number in a key's name, where it is one of this instance.
fn number(instance_id: &str, key_id: &str) -> Option<u64> {
    let digits = key_id.strip_prefix(instance_id)?.strip_prefix('-')?;
    if digits.is_empty() || digits.starts_with('0') || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}

fn empty(instance_id: &str) -> Registry {
    Registry {
        instance_id: instance_id.to_owned(),
        version: Some(0),
        updated_at: String::new(),
        keys: Vec::new(),
        unusable: Vec::new(),
    }
}

/// A registry as text for people and programs.
pub(super) fn page(registry: &Registry) -> Vec<u8> {
    text(&registry.to_value())
}

fn text(value: &Value) -> Vec<u8> {
    let mut bytes = format!("{value:#}").into_bytes();
    bytes.push(b'\n');
    bytes
}

fn parse(path: &Path, bytes: &[u8]) -> Result<Value, KeyError> {
    json::parse(bytes, LIMIT as usize).map_err(|error| corrupt(path, &error.to_string()))
}

fn corrupt(path: &Path, why: &str) -> KeyError {
    KeyError::Corrupt { path: path.to_owned(), why: why.to_owned() }
}
