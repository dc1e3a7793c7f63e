//! What the routes answer from, and who may ask for more.

use std::sync::Arc;

use axum::http::{HeaderMap, header};
use sha2::{Digest, Sha256};

use super::api::Judge;
use super::documents::UnderWay;
use super::evaluations::Evaluations;
use super::published::Published;
use super::traffic::Traffic;

/// What the routes answer from.
pub struct State {
    /// Registry and attestations.
    pub published: Published,
    /// Judges requests of `POST /api/evaluate`.
    pub judge: Arc<dyn Judge>,
    /// What `POST /api/evaluate` demands as bearer token; without one the route is closed.
    pub token: Option<String>,
    /// Counts what is asked.
    pub traffic: Arc<Traffic>,
    /// What of large answers is under way.
    pub(super) under_way: UnderWay,
    /// Room for evaluations.
    pub(super) evaluations: Evaluations,
}

impl State {
    /// Answers from these.
    pub fn new(
        published: Published,
        judge: Arc<dyn Judge>,
        token: Option<String>,
        traffic: Arc<Traffic>,
    ) -> Self {
        let (under_way, evaluations) = (UnderWay::default(), Evaluations::default());
        Self { published, judge, token, traffic, under_way, evaluations }
    }
}

pub(super) type App = Arc<State>;

/// Whether a request carries the token.
pub(super) fn is_authorized(state: &State, headers: &HeaderMap) -> bool {
    // The scheme's case means nothing (RFC 9110 §11.1).
    let given = headers.get(header::AUTHORIZATION).and_then(|value| {
        let (scheme, token) = value.as_bytes().split_at_checked(7)?;
        scheme.eq_ignore_ascii_case(b"bearer ").then_some(token)
    });
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
