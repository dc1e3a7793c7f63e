//! Routes, headers and statuses.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{HttpBody, to_bytes};
use axum::extract::{Path, Request, State as Shared};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Version, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde_json::json;

use super::BODY_LIMIT;
use super::answers::{
    ATTESTATION_AGE, REGISTRY_AGE, answer, blocking, broken, document, problem, typed, written,
};
use super::api::ApiError;
use super::callers::Scope;
use super::log;
use super::published::Found;
use super::state::{App, allowed};
use super::traffic::{Answered, Peer};
use super::turns::Turn;

pub(super) fn router(state: App, timeout: Duration) -> Router {
    Router::new()
        .route("/.well-known/recourse-keys.json", get(registry))
        .route("/.well-known/attestations/{name}", get(attestation))
        .route("/.well-known/recourse-keys.proof", get(log::registry_proof))
        .route("/.well-known/recourse-log/{*path}", get(log::file))
        .route("/attestation/public-key", get(public_key))
        .route("/healthz", get(health))
        .route("/metrics", get(metrics))
        .route("/api/evaluate", post(evaluate))
        .fallback(|| async { problem(StatusCode::NOT_FOUND, "there is no such resource") })
        .method_not_allowed_fallback(|| async {
            problem(StatusCode::METHOD_NOT_ALLOWED, "this resource does not take that method")
        })
        .layer(middleware::from_fn_with_state(Arc::clone(&state), watched))
        .layer(middleware::from_fn(move |request: Request, next: Next| async move {
            if let Some(turn) = request.extensions().get::<Turn>().cloned() {
                turn.wait().await;
            }
            let asked = async {
                if is_of_no_host(&request) {
                    return problem(StatusCode::BAD_REQUEST, "a request names one host");
                }
                next.run(request).await
            };
            let answer = tokio::time::timeout(timeout, asked).await;
            let mut answer = answer
                .unwrap_or_else(|_| problem(StatusCode::SERVICE_UNAVAILABLE, "the request took too long"));
            let headers = answer.headers_mut();
            headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
            headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
            answer
        }))
        .with_state(state)
}

/// Whether it names no host, or several: then whoever stands between may have understood another request (RFC 9112 §3.2).
fn is_of_no_host(request: &Request) -> bool {
    let hosts = request.headers().get_all(header::HOST).iter().count();
    hosts > 1 || hosts == 0 && request.version() == Version::HTTP_11
}

async fn health() -> Response {
    answer(StatusCode::OK, &json!({ "status": "ok" }))
}

/// Counters; for whom the token is.
async fn metrics(Shared(state): Shared<App>, headers: HeaderMap) -> Response {
    match state.callers.who(&headers) {
        None => return nobody(),
        Some(caller) if !caller.may(Scope::Metrics) => {
            return problem(StatusCode::FORBIDDEN, "this token is not for metrics");
        }
        Some(_) => {}
    }
    let mut answer = (StatusCode::OK, state.traffic.metrics()).into_response();
    let kind = HeaderValue::from_static("text/plain; version=0.0.4");
    answer.headers_mut().insert(header::CONTENT_TYPE, kind);
    answer
}

/// For whom no token says who it is.
fn nobody() -> Response {
    let mut refused = problem(StatusCode::UNAUTHORIZED, "a valid bearer token is needed");
    refused.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    refused
}

/// Counts each request, and writes its line.
async fn watched(Shared(state): Shared<App>, request: Request, next: Next) -> Response {
    let start = Instant::now();
    let peer = request.extensions().get::<Peer>().copied();
    let caller = state.callers.who(request.headers()).and_then(|caller| caller.name.clone());
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    let answer = next.run(request).await;
    state.traffic.answered(&Answered {
        peer,
        caller: caller.as_deref(),
        method: method.as_str(),
        path: &path,
        route: route(&path),
        status: answer.status().as_u16(),
        bytes: answer.body().size_hint().exact(),
        took: start.elapsed(),
    });
    answer
}

/// The route for the counters: as many as there are routes, whatever is asked for.
fn route(path: &str) -> &'static str {
    match path {
        "/.well-known/recourse-keys.json" => "registry",
        "/attestation/public-key" => "key",
        "/healthz" => "health",
        "/metrics" => "metrics",
        "/api/evaluate" => "evaluate",
        _ if path.starts_with("/.well-known/attestations/") => "attestation",
        _ if path.starts_with("/.well-known/recourse-") => "log",
        _ => "other",
    }
}

async fn registry(Shared(state): Shared<App>, headers: HeaderMap) -> Response {
    // What is held costs no more than a look whether its files are the same.
    if let Some(held) = state.published.held_registry() {
        return document(held, REGISTRY_AGE, &headers, &state);
    }
    let own = Arc::clone(&state);
    match blocking(move || own.published.registry()).await {
        Ok(Some(bytes)) => document(bytes, REGISTRY_AGE, &headers, &state),
        Ok(None) => problem(StatusCode::NOT_FOUND, "this instance has no keys yet"),
        Err(()) => broken(),
    }
}

async fn attestation(Shared(state): Shared<App>, Path(name): Path<String>, headers: HeaderMap) -> Response {
    // The store takes nothing but 32 hexadecimal digits, so no name leads out of its folder.
    if let Some(id) = name.strip_suffix(".proof") {
        let may_ask = allowed(&state, &headers, Scope::Read).is_some();
        return log::proof(state, id.to_owned(), may_ask, &headers).await;
    }
    let Some(id) = name.strip_suffix(".json").map(str::to_owned) else {
        return problem(StatusCode::NOT_FOUND, "there is no such attestation");
    };
    let may_ask = allowed(&state, &headers, Scope::Read).is_some();
    let age = if may_ask { "private, no-store" } else { ATTESTATION_AGE };
    if let Some(held) = state.published.held(&id) {
        return document(held, age, &headers, &state);
    }
    let own = Arc::clone(&state);
    match blocking(move || own.published.attestation(&id, may_ask)).await {
        Ok(Found::Here(found)) => document(found, age, &headers, &state),
        Ok(Found::Gone) => problem(StatusCode::GONE, "the key that signed it is retired or compromised"),
        Ok(Found::None) => problem(StatusCode::NOT_FOUND, "there is no such attestation"),
        Err(()) => broken(),
    }
}

async fn public_key(Shared(state): Shared<App>, headers: HeaderMap) -> Response {
    match blocking(move || state.published.active_key()).await {
        Ok(Some(key)) => match serde_json::to_vec(&key) {
            Ok(bytes) => typed(bytes, "application/json", REGISTRY_AGE, &headers),
            Err(_) => broken(),
        },
        Ok(None) => problem(StatusCode::NOT_FOUND, "this instance has no active key"),
        Err(()) => broken(),
    }
}

async fn evaluate(Shared(state): Shared<App>, request: Request) -> Response {
    if state.callers.is_empty() {
        return problem(
            StatusCode::FORBIDDEN,
            "evaluation is off: start `recourse serve` with --token-file or --tokens",
        );
    }
    // Before anything of the body is read.
    let headers = request.headers();
    let Some(caller) = state.callers.who(headers).cloned() else {
        return nobody();
    };
    if !caller.may(Scope::Evaluate) {
        return problem(StatusCode::FORBIDDEN, "this token is not for evaluations");
    }
    let length =
        headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    let too_large = || problem(StatusCode::PAYLOAD_TOO_LARGE, "the body is too large or was cut off");
    if length.is_some_and(|length| length > BODY_LIMIT) {
        return too_large();
    }
    let _body = state.evaluations.body().await;
    let Ok(body) = to_bytes(request.into_body(), BODY_LIMIT).await else { return too_large() };
    let running = Running::of(&state);
    let judged = state.evaluations.judge(Arc::clone(&state.judge), caller, body).await;
    drop(running);
    match judged {
        Some(Ok(report)) => written(StatusCode::OK, report),
        Some(Err(ApiError::Invalid(what))) => problem(StatusCode::BAD_REQUEST, &what),
        Some(Err(ApiError::Forbidden(what))) => problem(StatusCode::FORBIDDEN, &what),
        Some(Err(ApiError::Internal(what))) => problem(StatusCode::INTERNAL_SERVER_ERROR, &what),
        None => problem(StatusCode::INTERNAL_SERVER_ERROR, "the evaluation failed"),
    }
}

/// An evaluation that counts until it is over, or nobody waits for it any more.
struct Running(App);

impl Running {
    fn of(state: &App) -> Self {
        state.traffic.evaluates(1);
        Self(Arc::clone(state))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.traffic.evaluates(-1);
    }
}
