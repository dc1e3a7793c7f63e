//! Routes, headers and statuses.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::to_bytes;
use axum::extract::{Path, Request, State as Shared};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::{get, post};
use serde_json::json;

use super::BODY_LIMIT;
use super::answers::{ATTESTATION_AGE, REGISTRY_AGE, answer, blocking, broken, document, problem, written};
use super::api::ApiError;
use super::log;
use super::published::Found;
use super::state::{App, is_authorized};

pub(super) fn router(state: App, timeout: Duration) -> Router {
    Router::new()
        .route("/.well-known/recourse-keys.json", get(registry))
        .route("/.well-known/attestations/{name}", get(attestation))
        .route("/.well-known/recourse-keys.proof", get(log::registry_proof))
        .route("/.well-known/recourse-log/{*path}", get(log::file))
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
    if let Some(id) = name.strip_suffix(".proof") {
        let may_ask = is_authorized(&state, &headers);
        return log::proof(state, id.to_owned(), may_ask, &headers).await;
    }
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
