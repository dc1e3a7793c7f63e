//! Published documents in memory: read and checked once, then the very same bytes for everybody.
//!
//! Owns what is held and how much, and how much of large answers is under way. An attestation never changes, so only the
//! state of its key is looked at anew; a registry is read again when its files are others.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use sha2::{Digest, Sha256};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Bytes of documents that are held, at most.
const HELD: usize = 64 << 20;
/// Documents of more bytes count against what may be under way.
const LARGE: usize = 1 << 20;
/// Mebibytes of large answers that are under way, at most.
const UNDER_WAY: usize = 256;

/// A document and its entity tag.
#[derive(Clone, Debug)]
pub(super) struct Document {
    pub(super) bytes: Bytes,
    pub(super) tag: Arc<str>,
}

impl Document {
    pub(super) fn new(bytes: Vec<u8>) -> Self {
        let mut tag = String::from("\"");
        for byte in &Sha256::digest(&bytes)[..16] {
            let _ = write!(tag, "{byte:02x}");
        }
        tag.push('"');
        Self { bytes: bytes.into(), tag: tag.into() }
    }
}

/// Documents by name.
#[derive(Debug, Default)]
pub(super) struct Held<T>(Mutex<(ByName<T>, usize)>);

type ByName<T> = HashMap<String, (T, Document)>;

impl<T: Clone> Held<T> {
    pub(super) fn get(&self, name: &str) -> Option<(T, Document)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).0.get(name).cloned()
    }

    /// Holds a document; when they are too many, all go, and come again as they are asked for.
    pub(super) fn put(&self, name: &str, of: T, document: &Document) {
        let size = document.bytes.len() + name.len() + 256;
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if held.1 + size > HELD {
            held.0.clear();
            held.1 = 0;
        }
        if size <= HELD && held.0.insert(name.to_owned(), (of, document.clone())).is_none() {
            held.1 += size;
        }
    }
}

/// What of large answers is under way.
#[derive(Clone, Debug)]
pub(super) struct UnderWay(Arc<Semaphore>);

impl Default for UnderWay {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(UNDER_WAY)))
    }
}

impl UnderWay {
    /// The body of an answer; none while too much is under way.
    pub(super) fn body(&self, bytes: Bytes) -> Option<Body> {
        if bytes.len() <= LARGE {
            return Some(Body::from(bytes));
        }
        let parts = u32::try_from(bytes.len().div_ceil(1 << 20)).ok()?;
        let permit = Arc::clone(&self.0).try_acquire_many_owned(parts).ok()?;
        Some(Body::new(Large { body: Body::from(bytes), _permit: permit }))
    }
}

/// A body that counts until it is sent or given up.
struct Large {
    body: Body,
    _permit: OwnedSemaphorePermit,
}

impl HttpBody for Large {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<hyper::body::Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> hyper::body::SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_held_than_there_is_room_for() {
        let held = Held::default();
        for n in 0..200 {
            held.put(&n.to_string(), n, &Document::new(vec![0; 1 << 20]));
            assert_eq!(held.get(&n.to_string()).map(|(n, _)| n), Some(n));
        }
        assert!(held.0.lock().unwrap().1 <= HELD && held.get("0").is_none());
        held.put("huge", 0, &Document::new(vec![0; HELD + 1]));
        assert!(held.get("huge").is_none());
    }

    #[test]
    fn large_answers_wait_for_one_another() {
        let way = UnderWay::default();
        let large = Bytes::from(vec![0; 100 << 20]);
        let first = [way.body(large.clone()), way.body(large.clone())];
        assert!(first.iter().all(Option::is_some) && way.body(large.clone()).is_none());
        assert!(way.body(Bytes::from_static(b"small")).is_some());
        drop(first);
        assert!(way.body(large).is_some());
    }
}
