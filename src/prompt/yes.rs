//! A short question whose answer is a key: yes, or anything else.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::keys::{Event, Key, Keys};
use super::signals::{Held, Notice};
use super::terminal::Terminal;
use super::turn;

/// Keys count only after a pause of this length: whoever was typing has to notice the question.
const QUIET: Duration = Duration::from_millis(300);

/// Asks at the controlling terminal, where `question` ends in what the keys mean. Only `y` is yes; another key, silence and
/// signals are no. `None`: there is no terminal that this process may ask at.
///
/// # Errors
/// When the terminal fails; the caller must take that for a no.
pub fn yes(question: &str) -> io::Result<Option<bool>> {
    let Some(mut terminal) = Terminal::open() else { return Ok(None) };
    let timeout = super::timeout();
    let Some(_turn) = turn::take(&mut terminal, timeout)? else { return Ok(Some(false)) };
    let held = Held::back()?;
    let raw = Arc::new(terminal.raw()?);
    let mut signals = held.watch(Arc::clone(&raw))?;
    let end = timeout.map(|time| Instant::now() + time);
    let mut keys = Keys { terminal: &mut terminal, signals: &mut signals };
    let early = keys.settle(QUIET, end)?;
    let mut said = false;
    if early.is_none() {
        keys.terminal.write(&format!("{} ", question.replace('\n', "\r\n")))?;
        said = loop {
            match keys.next(end)? {
                Event::Notice(Notice::Resized) | Event::Key(Key::Other) => {}
                Event::Key(Key::Char('y' | 'Y')) => break true,
                Event::Key(_) | Event::Notice(_) | Event::TimedOut | Event::Gone => break false,
            }
        };
    }
    raw.restore();
    // The answer stands, whether or not it can be confirmed.
    let _ = terminal.write(if said { "yes\n" } else { "no\n" });
    Ok(Some(said))
}
