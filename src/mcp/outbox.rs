//! Answers on their way out: one thread writes, others hand over.
//!
//! Owns that a message is written whole, and that whoever answers waits when the reader on the other side does not keep up.

use std::collections::VecDeque;
use std::io::Write;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::framing::{self, Framing};

/// Bytes that may wait to be written; more make those who answer wait.
const WAITING_LIMIT: usize = 64 << 20;

/// What waits to be written.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    state: Mutex<State>,
    /// Something was put in, or nothing more will be.
    filled: Condvar,
    /// Something was taken out, or the other side is gone.
    emptied: Condvar,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<(Framing, String)>,
    bytes: usize,
    writing: bool,
    broken: bool,
}

impl Outbox {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands an answer over. Waits while too much is waiting already.
    pub(super) fn put(&self, framing: Framing, body: String) {
        let mut state = self.lock();
        while state.bytes > WAITING_LIMIT && !state.broken {
            state = self.emptied.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.broken {
            return;
        }
        state.bytes += body.len();
        state.waiting.push_back((framing, body));
        drop(state);
        self.filled.notify_one();
    }

    /// Writes what is put in, until the other side is gone.
    pub(super) fn write_all(&self, output: &mut impl Write) {
        loop {
            let mut state = self.lock();
            let (framing, body) = loop {
                if let Some(next) = state.waiting.pop_front() {
                    break next;
                }
                state = self.filled.wait(state).unwrap_or_else(PoisonError::into_inner);
            };
            state.writing = true;
            drop(state);
            let written = framing::write(output, framing, &body);
            let mut state = self.lock();
            state.bytes -= body.len();
            state.writing = false;
            state.broken |= written.is_err();
            let broken = state.broken;
            drop(state);
            self.emptied.notify_all();
            if broken {
                return;
            }
        }
    }

    /// Waits until everything is written, but no longer than this.
    pub(super) fn flushed(&self, until: Instant) {
        let mut state = self.lock();
        while !state.broken && (state.writing || !state.waiting.is_empty()) {
            let left = until.saturating_duration_since(Instant::now());
            if left == Duration::ZERO {
                return;
            }
            state = self.emptied.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}
