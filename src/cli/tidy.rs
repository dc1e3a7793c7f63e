//! What need not be kept goes by itself, behind commands that write and that nobody waits for at a prompt.

use std::thread;
use std::time::Duration;

use crate::approvals::Approvals;
use crate::attest::retention::Retention;
use crate::config::{Config, user_places};
use crate::proof::shared;

/// Between two looks of what runs for days.
const PAUSE: Duration = Duration::from_secs(1800);

/// Takes away what has been kept for long enough: hardly ever, and a part at a time. Failing to is no error.
pub(super) fn tidy() {
    let (Ok(config), Some(places)) = (Config::load(), user_places()) else { return };
    let config = config.attestation;
    let keep = Retention { attestations: config.keep, record: config.record.limits.clone() };
    if keep.tidy_sometimes(&places, shared(&config).as_ref()) {
        let _ = Approvals::tidy(&places);
    }
}

/// The same again and again, beside what a server does.
pub(super) fn keep_tidy() {
    let run = || {
        loop {
            tidy();
            thread::sleep(PAUSE);
        }
    };
    // Without it all is kept.
    let _ = thread::Builder::new().name("tidy".to_owned()).spawn(run);
}
