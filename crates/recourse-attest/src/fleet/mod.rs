//! One memory for many machines: what was spent on one of them is spent on all (docs/fleet.md).
//!
//! Owns the claim to a nonce in an object store, documents and tiles that are put there (`shared`), the deadlines, and the conversation with the program
//! `recourse-net`, which alone links a client of object stores. Whatever is not a clear "you are the first" is an error
//! here: a store that is away, slow, stale or forgetful never lets two run.
//!
//! A claim writes random bytes of its own under the nonce's name on the condition that nothing is there, and reads them
//! back. So an answer that was lost on its way is told from somebody else's claim. Who got the name of an object store then
//! puts down that it did, under a name that nobody else has, and looks who else did: a store that gives one name to two, however
//! seldom, is found out by the later one before it runs.

mod address;
mod shared;

use std::ops::Not;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::beside::{Credentials, PROGRAM, Session};
use super::disk::{self, Access};
use super::document::{hex, is_nonce};
use super::places::Places;
use super::time::Time;

pub use address::{Address, AddressError, Kind};
pub use shared::{Away, Kept, Shared};

/// How long a claim may take in all.
pub const PATIENCE: Duration = Duration::from_secs(5);
/// How long one request of it may take: a lost answer leaves time to look.
pub const REQUEST_PATIENCE: Duration = Duration::from_millis(1500);
/// Days of nonces that never end: no rule of the bucket may remove these.
const UNENDING: &str = "unending";

/// What the helper is asked: one line of JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase", deny_unknown_fields)]
pub enum Ask {
    /// Make an object where there is none.
    Create {
        /// Its name below the store's prefix.
        at: String,
        /// What it holds.
        body: String,
        /// The body is base64 of what it is to hold.
        #[serde(default, skip_serializing_if = "Not::not")]
        bytes: bool,
    },
    /// Put an object in the place of one that is what it was.
    Replace {
        /// Its name.
        at: String,
        /// What it holds from then on.
        body: String,
        /// The tag of what is there.
        over: String,
    },
    /// Read an object.
    Get {
        /// Its name.
        at: String,
        /// The answer's body is to be base64 of what it holds.
        #[serde(default, skip_serializing_if = "Not::not")]
        bytes: bool,
    },
    /// Name the objects in a folder of the store.
    List {
        /// The folder's name.
        at: String,
    },
}

/// What it answers: one line of JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "lowercase", deny_unknown_fields)]
pub enum Answer {
    /// The object was made, or replaced.
    Made {},
    /// There is one already, or another one by now, and it is as it was.
    There {},
    /// It holds this.
    Found {
        /// The content.
        body: String,
        /// What it is called as this very content.
        tag: String,
    },
    /// There is none.
    Absent {},
    /// These are in the folder.
    Names {
        /// Without the folder's own name.
        names: Vec<String>,
    },
    /// Nothing is known: it may have happened or not.
    Unclear {
        /// What went wrong.
        why: String,
    },
}

/// Why a nonce is not spent for this machine now.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FleetError {
    /// Somebody else spent it.
    #[error("the attestation was used before, on this machine or another")]
    Reused,
    /// The store did not say clearly that this is the first use.
    #[error("{store}: {why}; nothing runs without its answer")]
    Away {
        /// Which store.
        store: String,
        /// What is wrong.
        why: String,
    },
}

/// The memory that machines share.
#[derive(Clone, Debug)]
pub struct Fleet {
    address: Address,
    places: Places,
}

impl Fleet {
    /// The store at an address. Touches nothing yet.
    pub fn new(address: Address, places: &Places) -> Self {
        Self { address, places: places.clone() }
    }

    /// Spends a nonce for all machines. Succeeds once, whoever else tries.
    ///
    /// # Errors
    /// [`FleetError::Reused`] where somebody else was first; [`FleetError::Away`] where that is not known.
    pub fn spend(&self, nonce: &str, expires_at: Option<Time>) -> Result<(), FleetError> {
        let away = |why: String| FleetError::Away { store: self.address.to_string(), why };
        if !is_nonce(nonce) {
            return Err(away("a nonce is 32 lower-case hexadecimal digits".to_owned()));
        }
        let mut own = [0; 16];
        getrandom::fill(&mut own).map_err(|_| away("the system gave no random bytes".to_owned()))?;
        let own = hex(&own);
        let day = expires_at.map_or_else(|| UNENDING.to_owned(), Time::day);
        let deadline = Instant::now() + PATIENCE;
        let mut session = open(&self.address).map_err(away)?;
        let mut ask = |ask: &Ask| asked(&mut session, ask, deadline);
        self.prove(&own, &mut ask).map_err(away)?;
        let at = format!("nonces/{day}/{nonce}");
        let first = claim(&at, &own, &mut ask).and_then(|first| {
            // To make a name in a folder is one step of the system; an object store keeps its word or does not.
            if first && self.address.kind != Kind::File {
                alone(&at, &own, &mut ask)?;
            }
            Ok(first)
        });
        match first {
            Ok(true) => Ok(()),
            Ok(false) => Err(FleetError::Reused),
            Err(why) => Err(away(why)),
        }
    }

    /// Once a day and machine: that the store does refuse to make what is there. One that does not would let everybody run.
    fn prove(&self, own: &str, ask: &mut dyn FnMut(&Ask) -> Answer) -> Result<(), String> {
        let today = Time::now().day();
        let mark = self.places.state.join("store.proved");
        let proved = format!("{today} {}\n", self.address);
        let known = disk::read_private(&mark, 4096).ok().flatten();
        if known.is_some_and(|known| known == proved.as_bytes()) {
            return Ok(());
        }
        let create = Ask::Create { at: format!("probe/{today}"), body: own.to_owned(), bytes: false };
        for _ in 0..3 {
            match ask(&create) {
                // The next one must be refused.
                Answer::Made {} => {}
                Answer::There {} => {
                    // Failing to keep it costs one request next time.
                    let _ = disk::private_dir(&self.places.state)
                        .and_then(|()| disk::write_atomic(&mark, proved.as_bytes(), Access::Private));
                    return Ok(());
                }
                other => return Err(unexpected(other)),
            }
        }
        Err("it overwrites what is there although it was asked not to: it cannot keep nonces".to_owned())
    }
}

/// Starts a conversation about a store.
fn open(address: &Address) -> Result<Session, String> {
    Session::start(&["store", &address.to_string()], Credentials::OfStores)
}

/// Asks once. No answer in time, and nothing that is one, is unclear.
fn asked(session: &mut Session, ask: &Ask, deadline: Instant) -> Answer {
    session.ask(ask, deadline).unwrap_or_else(|why| Answer::Unclear { why })
}

/// Claims a name with words that nobody else has. True: it is ours. False: it is somebody else's.
fn claim(at: &str, own: &str, ask: &mut dyn FnMut(&Ask) -> Answer) -> Result<bool, String> {
    let create = Ask::Create { at: at.to_owned(), body: own.to_owned(), bytes: false };
    let get = Ask::Get { at: at.to_owned(), bytes: false };
    let mut first = ask(&create);
    if matches!(first, Answer::Unclear { .. }) {
        // It may have come through; to make it twice with the same words is to make it once.
        first = ask(&create);
    }
    if !matches!(first, Answer::Made {} | Answer::There {} | Answer::Unclear { .. }) {
        return Err(unexpected(first));
    }
    match (ask(&get), first) {
        (Answer::Found { body, .. }, _) if body == own => Ok(true),
        (Answer::Found { .. }, Answer::Made {}) => {
            Err("it let somebody else take what it gave to this machine".to_owned())
        }
        (Answer::Found { .. }, _) => Ok(false),
        (Answer::Absent {}, Answer::Unclear { why }) => Err(why),
        (Answer::Absent {}, _) => Err("it does not have what it just said it has".to_owned()),
        (other, _) => Err(unexpected(other)),
    }
}

/// That nobody else was given this name, too: each to whom it was given says so before he looks, so of two at least the one who
/// looks last sees the other, whatever the store does with conditions.
fn alone(at: &str, own: &str, ask: &mut dyn FnMut(&Ask) -> Answer) -> Result<(), String> {
    let claims = format!("{at}.claims");
    let create = Ask::Create { at: format!("{claims}/{own}"), body: own.to_owned(), bytes: false };
    let mut said = ask(&create);
    if matches!(said, Answer::Unclear { .. }) {
        said = ask(&create);
    }
    if !matches!(said, Answer::Made {} | Answer::There {} | Answer::Unclear { .. }) {
        return Err(unexpected(said));
    }
    match (ask(&Ask::List { at: claims }), said) {
        (Answer::Names { names }, _) if names == [own] => Ok(()),
        (Answer::Names { names }, _) if names.iter().any(|name| name != own) => Err(
            "it gave one nonce to more than one, so it overwrites what is there although it was asked not to: \
             it cannot keep nonces"
                .to_owned(),
        ),
        (Answer::Names { .. }, Answer::Unclear { why }) => Err(why),
        (Answer::Names { .. }, _) => Err("it does not list what it just said it has".to_owned()),
        (other, _) => Err(unexpected(other)),
    }
}

pub(in crate::fleet) fn unexpected(answer: Answer) -> String {
    match answer {
        Answer::Unclear { why } => why,
        other => format!("{PROGRAM} answered something else than it was asked ({other:?})"),
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
