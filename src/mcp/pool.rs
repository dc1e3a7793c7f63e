//! Threads that do the calls, as many as there is work for.
//!
//! Owns how many there are and how much may wait. A call that takes long holds up nobody while threads are left.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// Threads at most.
const THREADS: usize = 32;
/// Interpreting deeply nested text needs what the main thread has.
const STACK: usize = 8 << 20;
/// How long a thread without work stays.
const PATIENCE: Duration = Duration::from_secs(10);
/// Bytes of input that may wait.
const WAITING_BYTES: usize = 64 << 20;
/// Calls that may wait.
const WAITING_CALLS: usize = 10_000;

/// Something to do.
pub(super) type Work = Box<dyn FnOnce() + Send>;

/// The threads and what waits for them.
#[derive(Default)]
pub(super) struct Pool {
    state: Mutex<State>,
    filled: Condvar,
    emptied: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<(usize, Work)>,
    bytes: usize,
    idle: usize,
    threads: usize,
}

impl Pool {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has it done by a thread. `bytes` is what it keeps in memory until then. Waits while too much is waiting.
    pub(super) fn submit(self: &Arc<Self>, bytes: usize, work: Work) {
        let mut state = self.lock();
        while state.bytes > WAITING_BYTES || state.waiting.len() > WAITING_CALLS {
            state = self.emptied.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.bytes += bytes;
        state.waiting.push_back((bytes, work));
        let more = state.waiting.len() > state.idle && state.threads < THREADS;
        if more {
            state.threads += 1;
        }
        drop(state);
        self.filled.notify_one();
        if !more {
            return;
        }
        let pool = Arc::clone(self);
        let started =
            thread::Builder::new().name("call".to_owned()).stack_size(STACK).spawn(move || pool.work());
        if started.is_err() {
            let mut state = self.lock();
            state.threads -= 1;
            if state.threads > 0 {
                return;
            }
            // No thread at all: whoever asks does it.
            while let Some((bytes, work)) = state.waiting.pop_front() {
                state.bytes -= bytes;
                drop(state);
                work();
                state = self.lock();
            }
        }
    }

    fn work(&self) {
        let mut state = self.lock();
        loop {
            if let Some((bytes, work)) = state.waiting.pop_front() {
                state.bytes -= bytes;
                drop(state);
                self.emptied.notify_one();
                work();
                state = self.lock();
                continue;
            }
            state.idle += 1;
            let (woken, timeout) =
                self.filled.wait_timeout(state, PATIENCE).unwrap_or_else(PoisonError::into_inner);
            state = woken;
            state.idle -= 1;
            if timeout.timed_out() && state.waiting.is_empty() {
                state.threads -= 1;
                return;
            }
        }
    }
}
