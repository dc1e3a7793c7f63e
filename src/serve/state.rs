//! What the routes answer from, and who may ask for more.

use std::sync::Arc;

use axum::http::{HeaderMap, header};
use sha2::{Digest, Sha256};

use super::api::Judge;
use super::published::Published;

/// What the routes answer from.
pub struct State {
    /// Registry and attestations.
    pub published: Published,
    /// Judges requests of `POST /api/evaluate`.
    pub judge: Arc<dyn Judge>,
    /// What `POST /api/evaluate` demands as bearer token; without one the route is closed.
    pub token: Option<String>,
}

pub(super) type App = Arc<State>;

/// Whether a request carries the token.
pub(super) fn is_authorized(state: &State, headers: &HeaderMap) -> bool {
    let given =
        headers.get(header::AUTHORIZATION).and_then(|value| value.as_bytes().strip_prefix(b"Bearer "));
    match (&state.token, given) {
        (Some(token), Some(given)) => same(given, token.as_bytes()),
        _ => false,
    }
}

/// Whether two byte strings are the same, in a time that depends on their digests alone.
fn same(one: &[u8], other: &[u8]) -> bool {
    let (one, other) = (Sha256::digest(one), Sha256::digest(other));
    one.iter().zip(other.iter()).fold(0, |seen, (a, b)| seen | (a ^ b)) == 0
}
