//! A line on the terminal that says how long a silent program has been at work.
//!
//! Owns when it may stand there: only on a terminal, only where a line begins, and never while the program asks something.

use std::io::{self, IsTerminal, Read, Write};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// So long a silence needs no word.
const PATIENCE: Duration = Duration::from_secs(2);
const TICK: Duration = Duration::from_millis(500);

/// What both sides know.
#[derive(Debug)]
struct State {
    /// The program's last line is complete: nothing is asked.
    at_start: bool,
    /// When it last said something.
    heard: Instant,
    /// Our line stands there.
    shown: bool,
    over: bool,
}

type Shared = Arc<(Mutex<State>, Condvar)>;

/// A program's output; while it is silent, a line says so.
#[derive(Debug)]
pub(super) struct Watched<R> {
    inner: R,
    ended_line: bool,
    watch: Option<(Shared, JoinHandle<()>)>,
}

impl<R: Read> Watched<R> {
    /// Watches where somebody sees it; passes on everywhere else.
    pub(super) fn new(inner: R, what: &'static str) -> Self {
        let dumb = std::env::var_os("TERM").is_none_or(|value| value == "dumb");
        let seen = io::stderr().is_terminal() && io::stdout().is_terminal() && !dumb;
        let watch = seen.then(|| {
            let start = Instant::now();
            let state = State { at_start: true, heard: start, shown: false, over: false };
            let shared: Shared = Arc::new((Mutex::new(state), Condvar::new()));
            let other = Arc::clone(&shared);
            (shared, std::thread::spawn(move || tell(&other, what, start)))
        });
        Self { inner, ended_line: true, watch }
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let Some((shared, _)) = &self.watch else { return };
        let mut state = shared.0.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut state);
        if !state.at_start || state.over {
            clear(&mut state);
        }
        shared.1.notify_all();
    }
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let ended = self.ended_line;
        self.change(|state| (state.at_start, state.heard) = (ended, Instant::now()));
        let read = self.inner.read(buffer);
        // What was read is shown before anything of ours is.
        self.change(|state| state.at_start = false);
        if let Ok(count) = read
            && let Some(last) = buffer.get(..count).and_then(<[u8]>::last)
        {
            self.ended_line = *last == b'\n';
        }
        read
    }
}

impl<R> Drop for Watched<R> {
    fn drop(&mut self) {
        let Some((shared, thread)) = self.watch.take() else { return };
        {
            let mut state = shared.0.lock().unwrap_or_else(PoisonError::into_inner);
            state.over = true;
            clear(&mut state);
        }
        shared.1.notify_all();
        let _ = thread.join();
    }
}

fn clear(state: &mut State) {
    if std::mem::take(&mut state.shown) {
        let _ = write!(io::stderr().lock(), "\r\u{1b}[K");
    }
}

fn tell(shared: &Shared, what: &str, start: Instant) {
    let mut state = shared.0.lock().unwrap_or_else(PoisonError::into_inner);
    while !state.over {
        if state.at_start && state.heard.elapsed() >= PATIENCE {
            let _ = write!(io::stderr().lock(), "\r{what}… {} s\u{1b}[K", start.elapsed().as_secs());
            state.shown = true;
        }
        state = shared.1.wait_timeout(state, TICK).unwrap_or_else(PoisonError::into_inner).0;
    }
}
