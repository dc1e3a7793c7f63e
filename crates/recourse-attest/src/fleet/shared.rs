//! Documents that machines share: attestations, registries, full files of the audit log.
//!
//! Owns how a document gets there once and for all, how one is replaced by nobody but who saw the newest, and how it is
//! read. Nothing is believed to be there before it was read back; where a store does not clearly say, that is an error.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use thiserror::Error;

use super::{Address, Answer, Ask, PATIENCE, asked, open, unexpected};
use crate::beside::Session;

/// So many may wait for the store at once; whoever comes then is told that it is away.
const WAITING: usize = 32;

/// The store did not say clearly.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the store that machines share does not answer as it should ({store}: {why})")]
pub struct Away {
    /// Which store.
    pub store: String,
    /// What is wrong.
    pub why: String,
}

/// A document as it is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The content.
    pub body: String,
    /// What it is called as this very content, for [`Shared::replace`].
    pub tag: String,
}

/// A store of documents. One question at a time; `recourse-net` is started with the first one.
pub struct Shared {
    address: Address,
    line: Mutex<Option<Session>>,
    waiting: AtomicUsize,
}

impl fmt::Debug for Shared {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Shared").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Shared {
    /// The store at an address. Touches nothing yet.
    pub fn new(address: Address) -> Self {
        Self { address, line: Mutex::default(), waiting: AtomicUsize::new(0) }
    }

    /// Where it is.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Puts a document where there is none. Its tag; none: another one is there, and stays.
    ///
    /// # Errors
    /// When the store does not clearly say.
    pub fn put(&self, at: &str, body: &str) -> Result<Option<String>, Away> {
        self.each(|ask| put(at, body, Form::Text, None, ask))
    }

    /// Puts a document that never changes where there is none. False: there is another one, and it stays.
    ///
    /// # Errors
    /// When the store does not clearly say.
    pub fn put_once(&self, at: &str, body: &str) -> Result<bool, Away> {
        Ok(self.each(|ask| put(at, body, Form::Fixed, None, ask))?.is_some())
    }

    /// That the store says what cannot be.
    pub(crate) fn away(&self, why: &str) -> Away {
        Away { store: self.address.to_string(), why: why.to_owned() }
    }

    /// Puts bytes that never change where there are none. False: there are others, and they stay.
    ///
    /// # Errors
    /// When the store does not clearly say.
    pub fn put_bytes(&self, at: &str, bytes: &[u8]) -> Result<bool, Away> {
        let body = STANDARD.encode(bytes);
        Ok(self.each(|ask| put(at, &body, Form::Bytes, None, ask))?.is_some())
    }

    /// Puts a document in the place of the one that was read with this tag. Its own tag; none: somebody else was faster.
    ///
    /// # Errors
    /// When the store does not clearly say.
    pub fn replace(&self, at: &str, body: &str, over: &str) -> Result<Option<String>, Away> {
        self.each(|ask| put(at, body, Form::Text, Some(over), ask))
    }

    /// The document. None: there is none.
    ///
    /// # Errors
    /// When the store does not clearly say.
    pub fn read(&self, at: &str) -> Result<Option<Kept>, Away> {
        self.each(|ask| read(at, ask))
    }

    /// One conversation after another.
    fn each<T>(
        &self,
        work: impl FnOnce(&mut dyn FnMut(&Ask) -> Answer) -> Result<T, String>,
    ) -> Result<T, Away> {
        let away = |why: String| Away { store: self.address.to_string(), why };
        let place = Place::take(&self.waiting).ok_or_else(|| away("too many wait for it".to_owned()))?;
        let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        let mut session = match line.take() {
            Some(session) => session,
            None => open(&self.address).map_err(away)?,
        };
        let mut ask = |ask: &Ask| asked(&mut session, ask, Instant::now() + patience(ask));
        let done = work(&mut ask);
        // One that did not answer may answer to the wrong question from then on.
        if done.is_ok() {
            *line = Some(session);
        }
        drop(place);
        done.map_err(away)
    }
}

/// A place among those who wait.
struct Place<'a>(&'a AtomicUsize);

impl<'a> Place<'a> {
    fn take(waiting: &'a AtomicUsize) -> Option<Self> {
        let place = Self(waiting);
        (waiting.fetch_add(1, Ordering::Relaxed) < WAITING).then_some(place)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// How long an answer may take: what is large takes longer.
fn patience(ask: &Ask) -> Duration {
    let bytes = match ask {
        Ask::Create { body, .. } | Ask::Replace { body, .. } => body.len(),
        // How large it is, it tells itself; it is no larger than an attestation or a full file of the log.
        Ask::Get { .. } | Ask::List { .. } => 8 << 20,
    };
    PATIENCE + Duration::from_millis(bytes as u64 >> 10)
}

/// What a body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Itself.
    Text,
    /// Itself, and nobody ever puts another in its place.
    Fixed,
    /// Base64 of what the object holds, which never changes either.
    Bytes,
}

pub(super) fn put(
    at: &str,
    body: &str,
    form: Form,
    over: Option<&str>,
    ask: &mut dyn FnMut(&Ask) -> Answer,
) -> Result<Option<String>, String> {
    let (at, body, bytes) = (at.to_owned(), body.to_owned(), form == Form::Bytes);
    let wanted = match over {
        None => Ask::Create { at: at.clone(), body: body.clone(), bytes },
        Some(over) => Ask::Replace { at: at.clone(), body: body.clone(), over: over.to_owned() },
    };
    let said = ask(&wanted);
    if !matches!(said, Answer::Made {} | Answer::There {} | Answer::Unclear { .. }) {
        return Err(unexpected(said));
    }
    match (ask(&Ask::Get { at, bytes }), said) {
        (Answer::Found { body: there, tag }, _) if there == body => Ok(Some(tag)),
        // Nothing of ours came through, and nothing of others.
        (Answer::Found { tag, .. }, Answer::Unclear { why }) if over == Some(tag.as_str()) => Err(why),
        (Answer::Absent {}, Answer::Unclear { why }) => Err(why),
        (Answer::Found { tag, .. }, Answer::Made {}) if over == Some(tag.as_str()) => {
            Err("it does not have what it just said it has".to_owned())
        }
        // What nobody replaces is not another a moment later: it lost or changed some of it.
        (Answer::Found { .. }, Answer::Made {}) if form != Form::Text => {
            Err("it has other bytes than it just said it took".to_owned())
        }
        (Answer::Found { .. }, _) => Ok(None),
        (Answer::Absent {}, _) => Err("it does not have what it just said it has".to_owned()),
        (other, _) => Err(unexpected(other)),
    }
}

fn read(at: &str, ask: &mut dyn FnMut(&Ask) -> Answer) -> Result<Option<Kept>, String> {
    match ask(&Ask::Get { at: at.to_owned(), bytes: false }) {
        Answer::Found { body, tag } => Ok(Some(Kept { body, tag })),
        Answer::Absent {} => Ok(None),
        other => Err(unexpected(other)),
    }
}
