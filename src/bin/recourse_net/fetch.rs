//! Documents of others, for `recourse`.

use std::process::ExitCode;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use recourse::attest::beside::{Call, Heard};
use recourse::attest::{Fetch as _, HttpFetch};

/// A question may hold a Terraform plan, written as a text in a text.
const LIMIT: u64 = 256 << 20;

/// Has documents, and sends what is to be sent, until nothing is asked any more.
pub(crate) fn answer() -> ExitCode {
    super::converse(LIMIT, |call: Call| {
        let net = HttpFetch::with_timeout(Duration::from_millis(call.patience));
        let heard = match &call.send {
            None => net.get(&call.url, call.limit).map(|bytes| (200, bytes)),
            Some(sent) => net.post(&call.url, &sent.body, &sent.content, sent.token.as_deref(), call.limit),
        };
        match heard {
            Ok((status, bytes)) => Heard::Answer { status, body: STANDARD.encode(bytes) },
            Err(error) => Heard::Nothing { why: error.why, transient: error.transient },
        }
    })
}
