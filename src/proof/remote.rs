//! Another instance's evaluation over HTTP: `POST /api/evaluate`.

use std::time::Duration;

use serde_json::Value;

use crate::attest::Origin;
use crate::attest::beside::{Net, Sent};
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
    let sent = Sent {
        body: request.to_string(),
        content: "application/json".to_owned(),
        token: token.map(str::to_owned),
    };
    let answer = Net::new().post(&url, sent, json::DOCUMENT_LIMIT, TIMEOUT);
    let (status, bytes) = answer.map_err(|error| failed(error.why))?;
    if status != 200 {
        return Err(failed(format!("it answered with status {status}")));
    }
    Ok(bytes)
}
