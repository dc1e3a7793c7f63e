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
/// Who answers by the whole word, and Enter, types on this fast.
const TYPES_ON: Duration = Duration::from_millis(500);

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
                Event::Key(Key::Char('y' | 'Y')) => break types_on(&mut keys, "es")?,
                Event::Key(Key::Char('n' | 'N')) => {
                    types_on(&mut keys, "o")?;
                    break false;
                }
                Event::Key(_) | Event::Notice(_) | Event::TimedOut | Event::Gone => break false,
            }
        };
    }
    raw.restore();
    // The answer stands, whether or not it can be confirmed.
    let _ = terminal.write(if said { "yes\n" } else { "no\n" });
    Ok(Some(said))
}

/// Takes what follows of the word, so that nobody else reads it as a command. Whether it stays with the answer.
fn types_on(keys: &mut Keys<'_>, rest: &str) -> io::Result<bool> {
    let mut rest = rest.chars();
    loop {
        match keys.next(Some(Instant::now() + TYPES_ON))? {
            Event::Key(Key::Char(typed)) if rest.next() == Some(typed.to_ascii_lowercase()) => {}
            Event::Key(Key::Enter) | Event::TimedOut => return Ok(true),
            Event::Notice(Notice::Resized) | Event::Key(Key::Other) => {}
            // Neither the word nor its end: that was no answer.
            Event::Key(_) | Event::Notice(_) | Event::Gone => return Ok(false),
        }
    }
}
