//! What was asked and answered: the access log, one line of JSON for each request, and counters for `/metrics`.
//!
//! Owns the counters and the line. Says who asked for what path and how it ended; never a header, a body or a query.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::json;

use crate::attest::Time;
use crate::model::redact;
use crate::text::shorten;

use super::access::AccessLog;

/// Longest path in a line.
const WIDTH: usize = 200;

/// Who a connection is from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Peer(pub(super) SocketAddr);

/// Everything that is counted since the start.
#[derive(Debug, Default)]
pub struct Traffic {
    log: Option<AccessLog>,
    open: AtomicI64,
    turned_away: AtomicU64,
    evaluating: AtomicI64,
    /// By route and status: requests, and their time in microseconds.
    answered: Mutex<Answers>,
}

type Answers = BTreeMap<(&'static str, u16), (u64, u64)>;

/// One request and its answer.
pub(super) struct Answered<'a> {
    pub(super) peer: Option<Peer>,
    /// Whose token it carried.
    pub(super) caller: Option<&'a str>,
    pub(super) method: &'a str,
    pub(super) path: &'a str,
    pub(super) route: &'static str,
    pub(super) status: u16,
    pub(super) bytes: Option<u64>,
    pub(super) took: Duration,
}

impl Traffic {
    /// Counts, and writes to this log where there is one.
    pub fn new(log: Option<AccessLog>) -> Self {
        Self { log, ..Self::default() }
    }

    /// Waits for the last lines.
    pub(super) fn finish(&self) {
        if let Some(log) = &self.log {
            log.finish();
        }
    }

    pub(super) fn opened(&self) {
        self.open.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn closed(&self) {
        self.open.fetch_sub(1, Ordering::Relaxed);
    }

    pub(super) fn turned_away(&self) {
        self.turned_away.fetch_add(1, Ordering::Relaxed);
    }

    /// An evaluation begins, or ends.
    pub(super) fn evaluates(&self, more: i64) {
        self.evaluating.fetch_add(more, Ordering::Relaxed);
    }

    pub(super) fn answered(&self, one: &Answered<'_>) {
        let micros = u64::try_from(one.took.as_micros()).unwrap_or(u64::MAX);
        {
            let mut answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
            let (count, time) = answered.entry((one.route, one.status)).or_default();
            *count += 1;
            *time = time.saturating_add(micros);
        }
        let Some(log) = &self.log else { return };
        let mut line = json!({
            "time": Time::now().to_string(),
            "peer": one.peer.map(|Peer(peer)| peer.ip().to_canonical().to_string()),
            "method": one.method,
            "path": shorten(&redact(one.path), WIDTH),
            "status": one.status,
            "bytes": one.bytes,
            "ms": micros / 1000,
        });
        if let (Some(caller), Some(line)) = (one.caller, line.as_object_mut()) {
            line.insert("caller".to_owned(), json!(caller));
        }
        log.write(line.to_string());
    }

    /// The counters as Prometheus reads them (text format 0.0.4).
    pub(super) fn metrics(&self) -> String {
        let mut out = String::new();
        let mut one = |name: &str, kind: &str, help: &str, value: &str| {
            let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}");
        };
        let read = |counter: &AtomicI64| counter.load(Ordering::Relaxed).to_string();
        one("recourse_connections", "gauge", "Connections that are open.", &read(&self.open));
        one("recourse_evaluations", "gauge", "Evaluations that run or wait.", &read(&self.evaluating));
        let away = self.turned_away.load(Ordering::Relaxed).to_string();
        one(
            "recourse_connections_turned_away_total",
            "counter",
            "Connections beyond an address's share.",
            &away,
        );
        if let Some(log) = &self.log {
            let lost = log.lost().to_string();
            let help = "Lines that the access log lacks.";
            one("recourse_access_log_lines_lost_total", "counter", help, &lost);
        }
        let answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
        out.push_str(
            "# HELP recourse_requests_total Requests answered.\n# TYPE recourse_requests_total counter\n",
        );
        for ((route, status), (count, _)) in answered.iter() {
            let _ = writeln!(out, "recourse_requests_total{{route=\"{route}\",status=\"{status}\"}} {count}");
        }
        out.push_str(
            "# HELP recourse_request_seconds_total Time until the answers began.\n# TYPE recourse_request_seconds_total counter\n",
        );
        for ((route, status), (_, micros)) in answered.iter() {
            let (whole, part) = (micros / 1_000_000, micros % 1_000_000);
            let _ = writeln!(
                out,
                "recourse_request_seconds_total{{route=\"{route}\",status=\"{status}\"}} {whole}.{part:06}"
            );
        }
        out
    }
}
