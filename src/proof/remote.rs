//! Another instance's evaluation over HTTP: `POST /api/evaluate`.

use std::io::Read;
use std::time::Duration;

use serde_json::Value;

use crate::attest::Origin;
use crate::json;

/// How long the other instance may take.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    /// The URL is not one that is used.
    #[error("the evaluator {0}")]
    Url(String),
    /// It cannot be reached, or answered with an error.
    #[error("the evaluator {url}: {what}")]
    Failed {
        /// The URL.
        url: String,
        /// What happened.
        what: String,
    },
}

/// Asks an instance for its report with its attestation. `token` goes to that instance alone.
///
/// # Errors
/// [`RemoteError`]; the caller decides what a missing evaluation means.
pub fn evaluate(base: &str, token: Option<&str>, request: &Value) -> Result<Vec<u8>, RemoteError> {
    let origin = Origin::base(base).map_err(|error| RemoteError::Url(error.to_string()))?;
    if !origin.is_secure() && !origin.is_loopback() {
        return Err(RemoteError::Url(format!("{origin} is asked over https only")));
    }
    let url = format!("{origin}/api/evaluate");
    let failed = |what: String| RemoteError::Failed { url: url.clone(), what };
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .max_redirects(0)
        .http_status_as_error(false)
        .timeout_global(Some(TIMEOUT))
        .proxy(None)
        .build()
        .into();
    let mut call = agent.post(&url).header("content-type", "application/json");
    if let Some(token) = token {
        call = call.header("authorization", &format!("Bearer {token}"));
    }
    let mut response = call.send(request.to_string()).map_err(|error| failed(error.to_string()))?;
    if response.status().as_u16() != 200 {
        return Err(failed(format!("it answered with status {}", response.status().as_u16())));
    }
    let mut bytes = Vec::new();
    let limit = json::DOCUMENT_LIMIT as u64;
    response
        .body_mut()
        .as_reader()
        .take(limit + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| failed(error.to_string()))?;
    if bytes.len() as u64 > limit {
        return Err(failed("its answer is too large".to_owned()));
    }
    Ok(bytes)
}
