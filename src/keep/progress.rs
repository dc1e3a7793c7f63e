//! A line at the terminal while keeping or undoing takes long: files and bytes so far.
//!
//! Owns when it shows: on standard error, where that is a terminal that can take a line back, after a moment, and gone when the
//! work is done. It goes back to the start of the line and erases it; nothing else of a terminal is used, so it has no colour.

use std::env;
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::text::{count, shorten, size};

/// Work that is over sooner says nothing.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often the line changes.
const EVERY: Duration = Duration::from_millis(200);
/// To the start of the line, and erase it.
const ERASE: &str = "\r\u{1b}[K";

/// Files and bytes so far.
#[derive(Debug, Default)]
struct Counts {
    files: AtomicU64,
    bytes: AtomicU64,
}

/// Tells how far a long piece of work is; takes the line back when it is dropped.
#[derive(Default)]
pub(crate) struct Progress {
    counts: Arc<Counts>,
    // Work that nobody watches has none.
    line: Option<(Sender<()>, JoinHandle<()>)>,
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Progress").field("counts", &self.counts).finish_non_exhaustive()
    }
}

impl Progress {
    /// For somebody at a terminal; silent elsewhere. `word` is what is done: "keeping".
    pub(crate) fn at_terminal(word: &'static str) -> Self {
        let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0");
        let dumb = env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
        if dumb || is_set("RECOURSE_PLAIN") || !io::stderr().is_terminal() {
            return Self::default();
        }
        Self::on(word, io::stderr(), PATIENCE, EVERY)
    }

    fn on(word: &'static str, out: impl Write + Send + 'static, patience: Duration, every: Duration) -> Self {
        let counts = Arc::new(Counts::default());
        let (end, ended) = channel::<()>();
        let seen = Arc::clone(&counts);
        let line = thread::Builder::new().spawn(move || {
            let (mut out, mut wait, mut drawn) = (out, patience, false);
            // Whoever works drops the other end when it is done.
            while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                // A terminal that has gone away is told nothing.
                let _ = write!(out, "{ERASE}{}", said(word, &seen)).and_then(|()| out.flush());
                (wait, drawn) = (every, true);
            }
            if drawn {
                let _ = write!(out, "{ERASE}").and_then(|()| out.flush());
            }
        });
        Self { counts, line: line.ok().map(|line| (end, line)) }
    }

    /// One more file is done.
    pub(crate) fn file(&self) {
        self.counts.files.fetch_add(1, Ordering::Relaxed);
    }

    /// So many more bytes are done.
    pub(crate) fn bytes(&self, bytes: u64) {
        self.counts.bytes.fetch_add(bytes, Ordering::Relaxed);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((end, line)) = self.line.take() {
            drop(end);
            // It ends at once, and what went wrong in it concerns nobody.
            let _ = line.join();
        }
    }
}

fn said(word: &str, counts: &Counts) -> String {
    let files = count(counts.files.load(Ordering::Relaxed), "file");
    let bytes = size(counts.bytes.load(Ordering::Relaxed));
    let columns = crossterm::terminal::size().map_or(80, |(columns, _)| usize::from(columns));
    // A line that breaks could not be taken back.
    shorten(&format!("recourse: {word}: {files}, {bytes} so far"), columns.saturating_sub(1).max(1))
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[derive(Clone, Default)]
    struct Screen(Arc<Mutex<Vec<u8>>>);

    impl Write for Screen {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Screen {
        fn text(&self) -> String {
            String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
        }
    }

    #[test]
    fn the_line_tells_how_far_it_is_and_goes_again() {
        let screen = Screen::default();
        let progress = Progress::on("keeping", screen.clone(), Duration::ZERO, Duration::from_millis(1));
        progress.file();
        progress.file();
        progress.bytes(3_000_000);
        while !screen.text().contains("2 files, 3.0 MB") {
            thread::yield_now();
        }
        drop(progress);
        let text = screen.text();
        assert!(text.contains("recourse: keeping: 2 files, 3.0 MB so far"), "{text:?}");
        assert!(text.ends_with(ERASE) && !text.contains('\n'), "{text:?}");
        assert!(!text.replace(ERASE, "").contains(['\r', '\u{1b}']), "{text:?}");
    }

    #[test]
    fn what_is_soon_over_says_nothing() {
        let screen = Screen::default();
        drop(Progress::on("keeping", screen.clone(), Duration::from_secs(3600), EVERY));
        assert_eq!(screen.text(), "");
    }
}
