//! A witness over HTTP: `POST /add-checkpoint` (c2sp.org/tlog-witness).

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State as Shared};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};

use crate::attest::Time;
use crate::attest::tlog::witness::{REQUEST_LIMIT, Refused, Witness};

use super::ServeError;

/// Witnesses until SIGTERM or SIGINT. `started` hears the address.
///
/// # Errors
/// When it cannot listen.
pub fn witness(
    address: SocketAddr,
    witness: Witness,
    started: impl FnOnce(SocketAddr),
) -> Result<(), ServeError> {
    let router = Router::new()
        .route("/add-checkpoint", post(add))
        .route("/healthz", get(|| async { text(StatusCode::OK, "ok\n".to_owned()) }))
        .fallback(|| async { text(StatusCode::NOT_FOUND, "there is no such resource\n".to_owned()) })
        .with_state(Arc::new(witness));
    super::listen(address, router, Arc::default(), started)
}

async fn add(Shared(witness): Shared<Arc<Witness>>, request: Request) -> Response {
    let Ok(body) = to_bytes(request.into_body(), REQUEST_LIMIT).await else {
        return text(StatusCode::PAYLOAD_TOO_LARGE, "the request is too large or was cut off\n".to_owned());
    };
    // The disk is written before the answer.
    let said = tokio::task::spawn_blocking(move || witness.add(&body, Time::now())).await;
    let Ok(said) = said else {
        return text(StatusCode::INTERNAL_SERVER_ERROR, "the witness failed\n".to_owned());
    };
    match said {
        Ok(line) => text(StatusCode::OK, line),
        Err(Refused::Conflict(size)) => {
            let mut answer = text(StatusCode::CONFLICT, format!("{size}\n"));
            answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/x.tlog.size"));
            answer
        }
        Err(refused) => {
            let status = match refused {
                Refused::Malformed(_) => StatusCode::BAD_REQUEST,
                Refused::Unsigned => StatusCode::FORBIDDEN,
                Refused::Unknown => StatusCode::NOT_FOUND,
                Refused::Contradiction(_) => StatusCode::UNPROCESSABLE_ENTITY,
                Refused::Own(_) | Refused::Conflict(_) => StatusCode::INTERNAL_SERVER_ERROR,
            };
            if !matches!(refused, Refused::Malformed(_) | Refused::Unknown) {
                let what = format!("recourse: log witness: {}", crate::text::escape(&refused.to_string()));
                // Who reads what is said may be slow, and nobody waits for that.
                tokio::task::spawn_blocking(move || crate::exec::say(&what));
            }
            // Places on this machine are not for others.
            let shown = match refused {
                Refused::Own(_) => "this witness cannot say: its operator must look at it\n".to_owned(),
                other => format!("{other}\n"),
            };
            text(status, shown)
        }
    }
}

fn text(status: StatusCode, body: String) -> Response {
    let mut answer = (status, Body::from(body)).into_response();
    let headers = answer.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}
