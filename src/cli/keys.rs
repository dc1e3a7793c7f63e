//! `keys`: the operator's keys.
//!
//! Owns the options, where a passphrase comes from, and the output. What is legal is decided in `attest::keys`.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, IsTerminal};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use clap::{Subcommand, ValueEnum, ValueHint};
use serde_json::{Value, json};

use crate::attest::Time;
use crate::attest::keys::{self, KeyError, KeyStore, Listed, Outcome, Passphrase};
use crate::config::Config;
use crate::proof::key_store;
use crate::text::escape;

use super::common::Format;
use super::output::{self, Failure};
use super::setup;

/// No passphrase is longer, in bytes.
const PASSPHRASE_LIMIT: u64 = 4096;

#[derive(Debug, Subcommand)]
pub(super) enum KeysCommand {
    /// Make a key; it is pending until it is activated
    Generate {
        /// Encrypt it, asking for a passphrase where none is given
        #[arg(long)]
        encrypt: bool,
        /// Name of the instance, when this is its first key [default: a random one]
        #[arg(long, value_name = "NAME")]
        instance: Option<String>,
        #[command(flatten)]
        how: How,
    },
    /// List the keys and their states
    List {
        /// Form of the output
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// Let a pending key sign, where no key is active or a rotation's time has come
    Activate {
        #[command(flatten)]
        which: Which,
        #[command(flatten)]
        how: How,
    },
    /// Replace the active key, now or at a time
    Rotate {
        /// Publish the successor now, for a rotation at this time, such as 2026-05-01T14:30:00Z
        #[arg(long, value_name = "TIME")]
        at: Option<String>,
        #[command(flatten)]
        how: How,
    },
    /// Take a pending or the active key out of use without a successor
    Deprecate {
        #[command(flatten)]
        which: Which,
        #[command(flatten)]
        how: How,
    },
    /// Take a deprecated key out of rotation for good
    Retire {
        #[command(flatten)]
        which: Which,
        #[command(flatten)]
        how: How,
    },
    /// Say that a key is not to be trusted: nothing that it ever signed verifies any more
    Compromise {
        /// Why, for the audit log
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
        #[command(flatten)]
        which: Which,
        #[command(flatten)]
        how: How,
    },
    /// Print a public key
    Export {
        /// In which form
        #[arg(long, value_enum, default_value_t = ExportForm::Jwk)]
        format: ExportForm,
        /// The key's name [default: the active key]
        #[arg(value_name = "KEY_ID")]
        key_id: Option<String>,
    },
}

#[derive(Debug, clap::Args)]
pub(super) struct Which {
    /// The key's name, as `recourse keys list` shows it
    #[arg(value_name = "KEY_ID")]
    key_id: String,
}

#[derive(Debug, clap::Args)]
pub(super) struct How {
    /// File with the passphrase of encrypted keys [env: RECOURSE_KEY_PASSPHRASE holds the passphrase itself]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    passphrase_file: Option<PathBuf>,
    /// Web root below which the registry is published before the change takes effect
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    publish: Option<PathBuf>,
    /// Form of the output
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Forms of a public key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ExportForm {
    /// JSON Web Key
    Jwk,
    /// PEM, as OpenSSL writes public keys
    Pem,
    /// The 32 bytes
    Raw,
}

pub(super) fn run(command: KeysCommand) -> Result<u8, Failure> {
    match command {
        KeysCommand::List { format } => list(format),
        KeysCommand::Export { format, key_id } => export(format, key_id.as_deref()),
        KeysCommand::Generate { encrypt, instance, how } => {
            let mut passphrase = given(&how)?;
            if encrypt && passphrase.is_none() {
                passphrase = Some(ask_twice()?);
            }
            let store = open(&how, passphrase)?;
            let store = match instance {
                Some(name) => store.named(&name).map_err(failure)?,
                None => store,
            };
            print(how.format, &store.generate().map_err(failure)?)
        }
        KeysCommand::Activate { which, how } => change(&how, |store| store.activate(&which.key_id)),
        KeysCommand::Rotate { at, how } => {
            let at = at
                .map(|text| text.parse::<Time>())
                .transpose()
                .map_err(|error| Failure::usage(format!("--at: {error}")))?;
            change(&how, |store| store.rotate(at))
        }
        KeysCommand::Deprecate { which, how } => change(&how, |store| store.deprecate(&which.key_id)),
        KeysCommand::Retire { which, how } => change(&how, |store| store.retire(&which.key_id)),
        KeysCommand::Compromise { reason, which, how } => {
            change(&how, |store| store.compromise(&which.key_id, reason.as_deref()))
        }
    }
}

/// Does one change; asks for a passphrase when it turns out that one is needed and somebody is there to ask.
fn change(how: &How, work: impl Fn(&KeyStore) -> Result<Outcome, KeyError>) -> Result<u8, Failure> {
    let outcome = match work(&open(how, given(how)?)?) {
        Err(KeyError::PassphraseNeeded { key_id }) if io::stdin().is_terminal() => {
            let passphrase = ask(&format!("Passphrase of {key_id}: "))?;
            work(&open(how, Some(passphrase))?)
        }
        other => other,
    };
    let code = print(how.format, &outcome.map_err(failure)?)?;
    super::tidy::tidy();
    Ok(code)
}

fn open(how: &How, passphrase: Option<Passphrase>) -> Result<KeyStore, Failure> {
    let config = Config::load()?.attestation;
    let mut store =
        key_store(&config, &setup::places()?).map_err(|error| Failure::internal(error.to_string()))?;
    if let Some(root) = &how.publish {
        store = store.publishing_to(root);
    }
    match passphrase {
        Some(passphrase) => store.with_passphrase(passphrase).map_err(failure),
        None => Ok(store),
    }
}

fn given(how: &How) -> Result<Option<Passphrase>, Failure> {
    passphrase(how.passphrase_file.as_deref())
}

/// The passphrase that options or environment give.
pub(super) fn passphrase(file: Option<&std::path::Path>) -> Result<Option<Passphrase>, Failure> {
    let Some(path) = file else {
        return Ok(crate::config::variable("RECOURSE_KEY_PASSPHRASE")?.map(Passphrase::new));
    };
    let wrong = |what: &str| Failure::usage(format!("--passphrase-file {}: {what}", path.display()));
    if let Ok(found) = fs::metadata(path)
        && found.is_file()
        && found.permissions().mode() & 0o077 != 0
    {
        return Err(wrong("others can read it: `chmod 600` it, and choose another passphrase if they did"));
    }
    let bytes = setup::read_input(path, PASSPHRASE_LIMIT)?;
    // Taken over, so that the bytes are overwritten with the passphrase.
    let mut text = String::from_utf8(bytes).map_err(|_| wrong("it is not text"))?;
    text.truncate(text.trim_end_matches(['\n', '\r']).len());
    if text.is_empty() { Err(wrong("it is empty")) } else { Ok(Some(Passphrase::new(text))) }
}

/// Asks on the terminal, without showing what is typed.
pub(super) fn ask(question: &str) -> Result<Passphrase, Failure> {
    rpassword::prompt_password(question)
        .map(Passphrase::new)
        .map_err(|error| Failure::usage(format!("no passphrase could be read from the terminal: {error}")))
}

fn ask_twice() -> Result<Passphrase, Failure> {
    let first = ask("New passphrase: ")?;
    if first != ask("Once more: ")? {
        return Err(Failure::usage("the two passphrases differ"));
    }
    Ok(first)
}

/// How a refusal ends the program.
pub(super) fn failure(error: KeyError) -> Failure {
    let message = error.to_string();
    match error {
        KeyError::Disk(_) | KeyError::Make(_) => Failure::internal(message),
        _ => Failure::usage(message),
    }
}

fn print(format: Format, outcome: &Outcome) -> Result<u8, Failure> {
    if format == Format::Json {
        let changes: Vec<Value> = outcome
            .changes
            .iter()
            .map(|change| {
                let from = change.from.map(|from| from.as_str());
                json!({"keyId": change.key_id, "from": from, "to": change.to.as_str()})
            })
            .collect();
        output::print_json(&json!({
            "changes": changes,
            "registryVersion": outcome.registry_version,
            "active": outcome.active,
            "rotatesAt": outcome.rotates_at,
            "notes": outcome.notes,
        }))?;
        return Ok(0);
    }
    let mut page = String::new();
    for change in &outcome.changes {
        match change.from {
            Some(from) => {
                let _ = writeln!(page, "{}: {from} -> {}", change.key_id, change.to);
            }
            None => {
                let _ = writeln!(page, "{}: new, {}", change.key_id, change.to);
            }
        }
    }
    let _ = write!(page, "registry version {}", outcome.registry_version);
    match (&outcome.active, &outcome.rotates_at) {
        (Some(active), Some(at)) => {
            let _ = writeln!(page, "; {active} signs until it is replaced, which is due at {at}");
        }
        (Some(active), None) => {
            let _ = writeln!(page, "; {active} signs");
        }
        (None, _) => page.push_str("; no key signs\n"),
    }
    for note in &outcome.notes {
        let _ = writeln!(page, "note: {}", escape(note));
    }
    output::print(&page);
    Ok(0)
}

fn list(format: Format) -> Result<u8, Failure> {
    let store = KeyStore::open(&setup::places()?);
    let (listed, registry) = (store.list().map_err(failure)?, store.registry().map_err(failure)?);
    let warnings = store.warnings().map_err(failure)?;
    if format == Format::Json {
        let keys: Vec<Value> = listed
            .iter()
            .map(|key| {
                let mut value = key.entry.to_value();
                if let Some(object) = value.as_object_mut() {
                    object.insert("private_key".to_owned(), json!(key.private_key));
                }
                value
            })
            .collect();
        output::print_json(&json!({
            "instanceId": registry.as_ref().map(|registry| &registry.instance_id),
            "registryVersion": registry.as_ref().and_then(|registry| registry.version),
            "keys": keys,
            "warnings": warnings,
        }))?;
        return Ok(0);
    }
    let mut page = String::new();
    match &registry {
        None => page.push_str("no keys yet: `recourse keys generate` makes one\n"),
        Some(registry) => {
            let version = registry.version.unwrap_or(0);
            let _ = writeln!(page, "{}, registry version {version}", escape(&registry.instance_id));
        }
    }
    let widest = listed.iter().map(|key| key.entry.key_id.len()).max().unwrap_or(0);
    for key in &listed {
        let _ = writeln!(
            page,
            "  {:<widest$}  {:<11}  {}",
            key.entry.key_id,
            key.entry.state.as_str(),
            when(key)
        );
    }
    for warning in warnings {
        let _ = writeln!(page, "note: {}", escape(&warning));
    }
    output::print(&page);
    Ok(0)
}

/// What a key's times say.
fn when(key: &Listed) -> String {
    let entry = &key.entry;
    let mut parts = Vec::new();
    let times = [
        ("from", &entry.valid_from),
        ("until", &entry.valid_until),
        ("retired", &entry.retired_at),
        ("compromised", &entry.compromised_at),
    ];
    for (word, time) in times {
        if let Some(time) = time {
            parts.push(format!("{word} {}", escape(time)));
        }
    }
    if !key.private_key {
        parts.push("private key not here".to_owned());
    }
    parts.join(", ")
}

fn export(format: ExportForm, key_id: Option<&str>) -> Result<u8, Failure> {
    let listed = KeyStore::open(&setup::places()?).list().map_err(failure)?;
    let found = match key_id {
        Some(key_id) => listed.iter().find(|key| key.entry.key_id == key_id).ok_or_else(|| {
            let known = listed.iter().map(|key| key.entry.key_id.clone()).collect();
            failure(KeyError::UnknownKey { key_id: key_id.to_owned(), known })
        })?,
        None => listed
            .iter()
            .find(|key| key.entry.state == crate::attest::KeyState::Active)
            .ok_or_else(|| failure(KeyError::NoActive))?,
    };
    let damaged =
        || Failure::internal(format!("the registry holds no public key for {}", found.entry.key_id));
    match format {
        ExportForm::Jwk => output::print_json(&keys::jwk(&found.entry))?,
        ExportForm::Pem => output::print(&keys::public_pem(&found.entry).ok_or_else(damaged)?),
        ExportForm::Raw => {
            let bytes = crate::attest::signature::decode::<32>(&found.entry.public_key);
            output::print_bytes(&bytes.ok_or_else(damaged)?);
        }
    }
    Ok(0)
}
