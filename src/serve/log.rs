//! The transparency log over HTTP: its static files, and the proofs beside what it holds (docs/transparency.md).

use axum::extract::{Path, State as Shared};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;

use crate::attest::tlog::book::Wanted;

use super::answers::{ATTESTATION_AGE, blocking, broken, problem, typed};
use super::published::Found;
use super::state::App;

const TEXT: &str = "text/plain; charset=utf-8";
/// A checkpoint is the newest for a moment only.
const CHECKPOINT_AGE: &str = "public, max-age=5, must-revalidate";
/// What a checkpoint counted never changes.
const TILE_AGE: &str = "public, max-age=604800, immutable";

/// `/.well-known/recourse-log/…`.
pub(super) async fn file(
    Shared(state): Shared<App>,
    Path(path): Path<String>,
    headers: HeaderMap,
) -> Response {
    let (kind, age) = match path.as_str() {
        "checkpoint" | "key" => (TEXT, CHECKPOINT_AGE),
        _ => ("application/octet-stream", TILE_AGE),
    };
    // Only the log's own names are answered, whatever the path.
    match blocking(move || state.published.log_file(&path)).await {
        Ok(Some(bytes)) => typed(bytes, kind, age, &headers),
        Ok(None) => problem(StatusCode::NOT_FOUND, "the transparency log has no such file"),
        Err(()) => broken(),
    }
}

/// The proof of an attestation, for whom the attestation itself is.
pub(super) async fn proof(state: App, id: String, may_ask: bool, headers: &HeaderMap) -> Response {
    let found = blocking(move || {
        Ok(match state.published.attestation(&id, may_ask)? {
            Found::Here(_) => (false, state.published.proof(&Wanted::Attestation(id))?),
            Found::Gone => (true, None),
            Found::None => (false, None),
        })
    });
    match found.await {
        Ok((_, Some(bytes))) => {
            typed(bytes, TEXT, if may_ask { "private, no-store" } else { ATTESTATION_AGE }, headers)
        }
        Ok((true, None)) => problem(StatusCode::GONE, "the key that signed it is retired or compromised"),
        Ok((false, None)) => {
            problem(StatusCode::NOT_FOUND, "there is no such attestation, or no proof of it")
        }
        Err(()) => broken(),
    }
}

/// The proof of the registry in force.
pub(super) async fn registry_proof(Shared(state): Shared<App>, headers: HeaderMap) -> Response {
    match blocking(move || state.published.proof(&Wanted::Registry)).await {
        Ok(Some(bytes)) => typed(bytes, TEXT, CHECKPOINT_AGE, &headers),
        Ok(None) => problem(StatusCode::NOT_FOUND, "this instance keeps no transparency log"),
        Err(()) => broken(),
    }
}
