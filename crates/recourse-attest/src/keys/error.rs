//! What can go wrong with keys, in words that name the key and the way on. Never holds anything secret.

use std::path::PathBuf;

use thiserror::Error;

use crate::disk::DiskError;
use crate::fleet::Away;
use crate::registry::KeyState;
use crate::time::Time;

/// Why an operation on keys was refused or failed. Unless it says otherwise, nothing has changed.
#[derive(Debug, Error)]
pub enum KeyError {
    /// A file or folder.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// A file of ours does not hold what we wrote.
    #[error("{} is damaged ({why}): restore it from a backup; recourse does not guess about keys", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// It is older than what this machine knows.
    #[error(
        "{} was put back from an old copy: key `{key_id}` is {now} in it and was {was} before. Nothing is signed, verified or changed with it: put the newer one back (a backup, `.well-known/recourse-keys.json` where it is published, the store that machines share)",
        path.display()
    )]
    Behind {
        /// The file.
        path: PathBuf,
        /// A key that it takes back.
        key_id: String,
        /// How far that had gone.
        was: KeyState,
        /// What the file says.
        now: KeyState,
    },
    /// A key was about to be compromised.
    #[error(
        "the compromise of key `{key_id}` was not finished, and its private half is destroyed: `recourse keys compromise {key_id}`"
    )]
    Interrupted {
        /// The key.
        key_id: String,
    },
    /// No such key.
    #[error("there is no key `{key_id}`{}", listed(known))]
    UnknownKey {
        /// What was asked for.
        key_id: String,
        /// What there is.
        known: Vec<String>,
    },
    /// A step that no key may take.
    #[error("key `{key_id}` is {from} and cannot become {to}: {}", legal(*from))]
    Illegal {
        /// The key.
        key_id: String,
        /// Its state.
        from: KeyState,
        /// What was asked for.
        to: KeyState,
    },
    /// There is an active key already.
    #[error("key `{active}` is active and there is never a second: `recourse keys rotate` replaces it")]
    AnotherActive {
        /// The active key.
        active: String,
    },
    /// A rotation has its time, and that has not come.
    #[error(
        "key `{active}` stays active until {at}: activate its successor then, or rotate now with `recourse keys rotate`"
    )]
    NotYet {
        /// The active key.
        active: String,
        /// The rotation's time.
        at: String,
    },
    /// Nothing can sign.
    #[error("no key is active: `recourse keys generate`, then `recourse keys activate`")]
    NoActive,
    /// A rotation cannot lie in the past.
    #[error("{at} is not in the future: leave out the time to rotate now")]
    NotFuture {
        /// The time that was given.
        at: Time,
    },
    /// A key is encrypted and nobody gave the passphrase.
    #[error(
        "key `{key_id}` is encrypted: give its passphrase by --passphrase-file, RECOURSE_KEY_PASSPHRASE or on a terminal"
    )]
    PassphraseNeeded {
        /// The key.
        key_id: String,
    },
    /// The passphrase opens nothing.
    #[error("the passphrase does not open key `{key_id}`")]
    PassphraseWrong {
        /// The key.
        key_id: String,
    },
    /// A passphrase that protects nothing.
    #[error("the passphrase is empty")]
    PassphraseEmpty,
    /// The private key's file is gone.
    #[error("the private key of `{key_id}` is not at {}: restore it, or replace the key", path.display())]
    Missing {
        /// The key.
        key_id: String,
        /// Where it should be.
        path: PathBuf,
    },
    /// A private key's file holds something else.
    #[error("{} does not hold the private key of `{key_id}`: {why}", path.display())]
    Material {
        /// The key.
        key_id: String,
        /// Its file.
        path: PathBuf,
        /// What it holds instead. Never key material.
        why: &'static str,
    },
    /// A name that cannot name an instance.
    #[error(
        "`{0}` cannot name an instance: 1 to 64 letters, digits, `.`, `_` and `-`, beginning with a letter or digit"
    )]
    InstanceName(String),
    /// The instance has another name already.
    #[error("this instance is `{own}`, and its keys are named after it: it cannot become `{asked}`")]
    InstanceIs {
        /// Its name.
        own: String,
        /// What was asked for.
        asked: String,
    },
    /// What is published is newer than what is here.
    #[error(
        "{} is at version {published}, newer than this instance's {own}: it was published by another copy of these keys, and going back would look like an attack to every verifier",
        path.display()
    )]
    RolledBack {
        /// The published registry.
        path: PathBuf,
        /// Its version.
        published: u64,
        /// Ours.
        own: u64,
    },
    /// What is published is a change that was cut off here.
    #[error(
        "{} is at version {published} and this instance at {own}: a change of its keys was published and cut off before it took effect here (a crash, a full disk). Make that change again, `recourse keys compromise` first if it was that: it is published as a newer version",
        path.display()
    )]
    Unfinished {
        /// The published registry.
        path: PathBuf,
        /// Its version.
        published: u64,
        /// Ours.
        own: u64,
    },
    /// Somebody said that a key is compromised while this change asked others.
    #[error("a key was said to be compromised meanwhile, and nothing else was changed: try again")]
    Overtaken,
    /// The store that machines share.
    #[error(transparent)]
    Away(#[from] Away),
    /// It has not what it has to have.
    #[error("the store that machines share cannot be relied on for {place}: {why}")]
    NotInStore {
        /// The registry's name there.
        place: String,
        /// What is wrong.
        why: String,
    },
    /// It has a registry that this instance did not make.
    #[error(
        "{place} is at version {there} and not the one of this instance (version {own}): another copy of these keys changed it, or another instance has this name. One machine is one instance: give this one a name and keys of its own (`instance_id`), or take the other one away"
    )]
    Elsewhere {
        /// The store, and the registry's name there.
        place: String,
        /// Its version there.
        there: u64,
        /// Ours.
        own: u64,
    },
    /// The system gave no random bytes, or the key could not be written in its format.
    #[error("a key could not be made: {0}")]
    Make(&'static str),
}

impl KeyError {
    /// Whether it is a file of this machine that cannot be read or written, or does not hold what it should.
    pub fn is_of_this_machine(&self) -> bool {
        matches!(
            self,
            Self::Disk(_)
                | Self::Corrupt { .. }
                | Self::Behind { .. }
                | Self::Missing { .. }
                | Self::Material { .. }
        )
    }
}

fn listed(known: &[String]) -> String {
    if known.is_empty() {
        ": there are no keys yet, `recourse keys generate` makes one".to_owned()
    } else {
        format!(": there are {}", known.join(", "))
    }
}

fn legal(from: KeyState) -> String {
    let next: Vec<&str> = from.next().iter().map(|state| state.as_str()).collect();
    match next.split_last() {
        None => format!("{from} is final"),
        Some((one, [])) => format!("from {from} it can only become {one}"),
        Some((last, rest)) => format!("from {from} it can become {} or {last}", rest.join(", ")),
    }
}
