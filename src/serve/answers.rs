//! Answers: bodies, headers, statuses, and work off the threads that serve connections.

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::documents::{Document, UnderWay};
use super::published::PublishedError;
use super::state::State;

/// How long others may keep a registry: a compromised key must not live on in a proxy.
pub(super) const REGISTRY_AGE: &str = "public, max-age=300, must-revalidate";
/// An attestation never changes, but it may go when its key is retired.
pub(super) const ATTESTATION_AGE: &str = "public, max-age=3600";

/// Work that touches files, off the threads that serve connections. The error was logged.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, PublishedError> + Send + 'static,
) -> Result<T, ()> {
    // Said there as well: who reads what is said may be slow.
    let said = move || {
        work().map_err(|error| {
            crate::exec::say(&format!("recourse: serve: {}", crate::text::escape(&error.to_string())));
        })
    };
    tokio::task::spawn_blocking(said).await.unwrap_or(Err(()))
}

/// A document with its entity tag; 304 when the client has it.
pub(super) fn document(
    document: Document,
    age: &'static str,
    request: &HeaderMap,
    state: &State,
) -> Response {
    tagged(document, "application/json", age, request, &state.under_way)
}

/// The same of another type, which is small.
pub(super) fn typed(bytes: Vec<u8>, kind: &'static str, age: &'static str, request: &HeaderMap) -> Response {
    tagged(Document::new(bytes), kind, age, request, &UnderWay::default())
}

fn tagged(
    document: Document,
    kind: &'static str,
    age: &'static str,
    request: &HeaderMap,
    under_way: &UnderWay,
) -> Response {
    let tag = &*document.tag;
    let known = request
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|one| one.trim().trim_start_matches("W/") == tag || one.trim() == "*");
    let mut answer = if known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let Some(body) = under_way.body(document.bytes) else {
            let mut answer = problem(StatusCode::SERVICE_UNAVAILABLE, "too many large answers are under way");
            answer.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("5"));
            return answer;
        };
        let mut answer = body.into_response();
        answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
        answer
    };
    let headers = answer.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(age));
    if let Ok(tag) = HeaderValue::from_str(tag) {
        headers.insert(header::ETAG, tag);
    }
    // Public by nature, and a page may want to verify.
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    answer
}

pub(super) fn answer(status: StatusCode, value: &Value) -> Response {
    written(status, value.to_string())
}

pub(super) fn written(status: StatusCode, json: String) -> Response {
    let mut answer = (status, json).into_response();
    answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    answer
}

pub(super) fn problem(status: StatusCode, what: &str) -> Response {
    answer(status, &json!({ "error": what }))
}

pub(super) fn broken() -> Response {
    problem(StatusCode::INTERNAL_SERVER_ERROR, "the instance's own files could not be read; see its log")
}
