//! A text, and a code that has to be typed below it.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::approvals::Here;

use super::keys::{Event, Key, Keys};
use super::line::{Effect, Line};
use super::signals::{Held, Notice};
use super::terminal::Terminal;

/// Letters that are not mistaken for one another.
const LETTERS: &[u8] = b"abcdefhkmnpqrtuvwxy34789";
/// Letters of a code.
const CODE: usize = 5;

/// A code to be typed: nobody who has not read it can know it.
///
/// # Errors
/// When the system gives no random bytes.
pub fn code() -> io::Result<String> {
    let mut bytes = [0; CODE];
    getrandom::fill(&mut bytes).map_err(|_| io::Error::other("the system gave no random bytes"))?;
    Ok(bytes.iter().map(|byte| char::from(LETTERS[usize::from(*byte) % LETTERS.len()])).collect())
}

/// Shows `text` at the controlling terminal and waits until `code` is typed. Anything else, silence and signals are no;
/// `None`: there is no terminal that this process may ask at.
///
/// # Errors
/// When the terminal fails, or it may be no person who sits there; the caller must take that for a no.
pub fn confirm(text: &str, code: &str) -> io::Result<Option<bool>> {
    if let Some(doubt) = Here::doubt() {
        return Err(io::Error::other(doubt));
    }
    let Some(mut terminal) = Terminal::open() else { return Ok(None) };
    let held = Held::back()?;
    let raw = Arc::new(terminal.raw()?);
    let mut signals = held.watch(Arc::clone(&raw))?;
    terminal.write(&format!("{text}\nType {code} to allow it: ").replace('\n', "\r\n"))?;
    let end = super::timeout().map(|time: Duration| Instant::now() + time);
    let mut line = Line::default();
    let typed = loop {
        let event = Keys { terminal: &mut terminal, signals: &mut signals }.next(end)?;
        let key = match event {
            Event::Notice(Notice::Resized) => continue,
            Event::Key(Key::Ctrl('c' | '\\')) | Event::Notice(_) | Event::TimedOut | Event::Gone => {
                break None;
            }
            Event::Key(key) => key,
        };
        match line.press(key) {
            Effect::Done => break Some(line.text()),
            Effect::Back => break None,
            Effect::Changed => {
                let (shown, _) = line.view(40);
                terminal.write(&format!("\r\u{1b}[KType {code} to allow it: {shown}"))?;
            }
            Effect::Nothing => {}
        }
    };
    raw.restore();
    let yes = typed.is_some_and(|typed| typed.trim() == code);
    let _ = terminal.write(if yes { "\n" } else { "\nrecourse: not allowed\n" });
    Ok(Some(yes))
}
