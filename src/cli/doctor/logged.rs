//! What there is to say about the record: whether its chain holds, also against what went into the transparency log, and
//! whether the clock that dates it goes forward.

use std::time::{Duration, Instant};

use crate::attest::audit::{AuditError, AuditLog, Verified};
use crate::attest::tlog::book::Log;
use crate::attest::{Places, Time, clock};
use crate::text::count;

use super::{Finding, State};

/// How long all of the chain is gone over.
const PATIENCE: Duration = Duration::from_secs(2);

pub(super) fn logged(places: &Places) -> Vec<Finding> {
    let mut found = Vec::new();
    found.extend(chain(places));
    if let Err(error) = clock::look(places, Time::now()) {
        let next =
            "`date` says what the clock shows; where attestations are demanded nothing runs until then";
        found.push(Finding::new("clock", State::Lacking, error.to_string()).then(next));
    }
    found
}

fn chain(places: &Places) -> Vec<Finding> {
    let what = "audit log";
    let log = AuditLog::open(places);
    let until = Instant::now() + PATIENCE;
    let held = match log.verify_until(Some(until)) {
        Ok(held) if held.entries == 0 => return Vec::new(),
        Ok(held) => held,
        Err(error) => {
            return vec![Finding::new(what, State::Lacking, error.to_string()).then(&next(&error, places))];
        }
    };
    let mut found = Vec::new();
    let events = count(held.entries, "event");
    // Against what others were shown only where there was time for the chain itself.
    let shown = (!held.unfinished).then(|| Log::open(places).audit_lines());
    match shown {
        Some(Err(error)) => {
            let next = "recourse log verify; recourse log checkpoint";
            found.push(Finding::new("log", State::Lacking, error.to_string()).then(next));
        }
        Some(Ok(shown)) => {
            if let Err(error) = log.holds(&shown) {
                return vec![
                    Finding::new(what, State::Lacking, error.to_string()).then(&next(&error, places)),
                ];
            }
        }
        None => {}
    }
    found.insert(
        0,
        match held.unfinished {
            true => Finding::new(what, State::Good, format!("{events} looked at, unbroken; there are more"))
                .then("recourse log verify"),
            false => Finding::new(what, State::Good, format!("{events}, unbroken")),
        },
    );
    found.extend(went_back(&held));
    found
}

/// That the clock went back while the record was written.
fn went_back(held: &Verified) -> Option<Finding> {
    let last = held.backwards.last()?;
    let detail = format!(
        "went back {} while the record was written, last before event {last}",
        count(held.backwards.len() as u64, "time")
    );
    let next = "have it set by the network (`timedatectl`), and read what happened there: recourse log";
    Some(Finding::new("clock", State::Lacking, detail).then(next))
}

/// What is to be done about a record that is not as it was written.
fn next(error: &AuditError, places: &Places) -> String {
    let (log, head) = (places.audit_log(), places.audit_head());
    match error {
        AuditError::Head { .. } => format!(
            "keep copies of {} and {}, then remove the second: the next event says that it was missing",
            log.display(),
            head.display()
        ),
        AuditError::Broken { .. } => format!(
            "recourse log verify; keep copies of {} and {} before more is written, and find out who could write there",
            log.display(),
            head.display()
        ),
        _ => "mend that, and look again: what must be recorded does not run until then".to_owned(),
    }
}
