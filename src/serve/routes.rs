//! Routes, headers and statuses.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Path, Request, State as Shared};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::BODY_LIMIT;
use super::api::{ApiError, Judge};
use super::published::{Found, Published, PublishedError};

/// How long others may keep a registry: a compromised key must not live on in a proxy.
const REGISTRY_AGE: &str = "public, max-age=300, must-revalidate";
/// An attestation never changes, but it may go when its key is retired.
const ATTESTATION_AGE: &str = "public, max-age=3600";

/// What the routes answer from.
pub struct State {
    /// Registry and attestations.
    pub published: Published,
    /// Judges requests of `POST /api/evaluate`.
    pub judge: Arc<dyn Judge>,
    /// What `POST /api/evaluate` demands as bearer token; without one the route is closed.
    pub token: Option<String>,
}

type App = Arc<State>;

pub(super) fn router(state: App, timeout: Duration) -> Router {
    Router::new()
        .route("/.well-known/recourse-keys.json", get(registry))
        .route("/.well-known/attestations/{name}", get(attestation))
        .route("/attestation/public-key", get(public_key))
        .route("/healthz", get(health))
        .route("/api/evaluate", post(evaluate))
        .fallback(|| async { problem(StatusCode::NOT_FOUND, "there is no such resource") })
        .method_not_allowed_fallback(|| async {
            problem(StatusCode::METHOD_NOT_ALLOWED, "this resource does not take that method")
        })
        .layer(middleware::from_fn(move |request: Request, next: Next| async move {
            let answer = tokio::time::timeout(timeout, next.run(request)).await;
            let mut answer = answer
                .unwrap_or_else(|_| problem(StatusCode::SERVICE_UNAVAILABLE, "the request took too long"));
            let headers = answer.headers_mut();
            headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
            headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
            answer
        }))
        .with_state(state)
}

async fn health() -> Response {
    answer(StatusCode::OK, &json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") }))
}

async fn registry(Shared(state): Shared<App>, headers: HeaderMap) -> Response {
    match blocking(move || state.published.registry()).await {
        Ok(Some(bytes)) => document(bytes, REGISTRY_AGE, &headers),
        Ok(None) => problem(StatusCode::NOT_FOUND, "this instance has no keys yet"),
        Err(()) => broken(),
    }
}

async fn attestation(Shared(state): Shared<App>, Path(name): Path<String>, headers: HeaderMap) -> Response {
    // The store takes nothing but 32 hexadecimal digits, so no name leads out of its folder.
    let Some(id) = name.strip_suffix(".json").map(str::to_owned) else {
        return problem(StatusCode::NOT_FOUND, "there is no such attestation");
    };
    let may_ask = is_authorized(&state, &headers);
    let age = if may_ask { "private, no-store" } else { ATTESTATION_AGE };
    match blocking(move || state.published.attestation(&id, may_ask)).await {
        Ok(Found::Here(bytes)) => document(bytes, age, &headers),
        Ok(Found::Gone) => problem(StatusCode::GONE, "the key that signed it is retired or compromised"),
        Ok(Found::None) => problem(StatusCode::NOT_FOUND, "there is no such attestation"),
        Err(()) => broken(),
    }
}

async fn public_key(Shared(state): Shared<App>, headers: HeaderMap) -> Response {
    match blocking(move || state.published.active_key()).await {
        Ok(Some(key)) => match serde_json::to_vec(&key) {
            Ok(bytes) => document(bytes, REGISTRY_AGE, &headers),
            Err(_) => broken(),
        },
        Ok(None) => problem(StatusCode::NOT_FOUND, "this instance has no active key"),
        Err(()) => broken(),
    }
}

async fn evaluate(Shared(state): Shared<App>, request: Request) -> Response {
    if state.token.is_none() {
        return problem(StatusCode::FORBIDDEN, "evaluation is off: start `recourse serve` with --token-file");
    }
    // Before anything of the body is read.
    let headers = request.headers();
    if !is_authorized(&state, headers) {
        let mut refused = problem(StatusCode::UNAUTHORIZED, "a valid bearer token is needed");
        refused.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        return refused;
    }
    let length =
        headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    let too_large = || problem(StatusCode::PAYLOAD_TOO_LARGE, "the body is too large or was cut off");
    if length.is_some_and(|length| length > BODY_LIMIT) {
        return too_large();
    }
    let Ok(body) = to_bytes(request.into_body(), BODY_LIMIT).await else { return too_large() };
    let judge = Arc::clone(&state.judge);
    match tokio::task::spawn_blocking(move || judge.judge(&body)).await {
        Ok(Ok(report)) => written(StatusCode::OK, report),
        Ok(Err(ApiError::Invalid(what))) => problem(StatusCode::BAD_REQUEST, &what),
        Ok(Err(ApiError::Internal(what))) => problem(StatusCode::INTERNAL_SERVER_ERROR, &what),
        Err(_) => problem(StatusCode::INTERNAL_SERVER_ERROR, "the evaluation failed"),
    }
}

/// Whether a request carries the token.
fn is_authorized(state: &State, headers: &HeaderMap) -> bool {
    let given =
        headers.get(header::AUTHORIZATION).and_then(|value| value.as_bytes().strip_prefix(b"Bearer "));
    match (&state.token, given) {
        (Some(token), Some(given)) => same(given, token.as_bytes()),
        _ => false,
    }
}

/// Work that touches files, off the threads that serve connections. The error was logged.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, PublishedError> + Send + 'static,
) -> Result<T, ()> {
    match tokio::task::spawn_blocking(work).await {
        Ok(Ok(found)) => Ok(found),
        Ok(Err(error)) => {
            crate::exec::say(&format!("recourse: serve: {}", crate::text::escape(&error.to_string())));
            Err(())
        }
        Err(_) => Err(()),
    }
}

/// Whether two byte strings are the same, in a time that depends on their digests alone.
fn same(one: &[u8], other: &[u8]) -> bool {
    let (one, other) = (Sha256::digest(one), Sha256::digest(other));
    one.iter().zip(other.iter()).fold(0, |seen, (a, b)| seen | (a ^ b)) == 0
}

/// A document with its entity tag; 304 when the client has it.
fn document(bytes: Vec<u8>, age: &'static str, request: &HeaderMap) -> Response {
    use std::fmt::Write as _;
    let mut tag = String::from("\"");
    for byte in &Sha256::digest(&bytes)[..16] {
        let _ = write!(tag, "{byte:02x}");
    }
    tag.push('"');
    let known = request
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|one| one.trim().trim_start_matches("W/") == tag || one.trim() == "*");
    let mut answer = if known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let mut answer = Body::from(bytes).into_response();
        answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        answer
    };
    let headers = answer.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(age));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(header::ETAG, tag);
    }
    // Public by nature, and a page may want to verify.
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    answer
}

fn answer(status: StatusCode, value: &Value) -> Response {
    written(status, value.to_string())
}

fn written(status: StatusCode, json: String) -> Response {
    let mut answer = (status, json).into_response();
    answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    answer
}

fn problem(status: StatusCode, what: &str) -> Response {
    answer(status, &json!({ "error": what }))
}

fn broken() -> Response {
    problem(StatusCode::INTERNAL_SERVER_ERROR, "the instance's own files could not be read; see its log")
}
