//! From bytes to keys. What is no known key is [`Key::Other`] as a whole: no letter of an unknown sequence counts.

use std::io;
use std::time::{Duration, Instant};

use super::signals::{Notice, Signals};
use super::terminal::{Ready, Terminal};

/// The bytes of one key come within this time of each other.
const TOGETHER: Duration = Duration::from_millis(60);
/// Nobody presses two keys within this time.
const BURST: Duration = Duration::from_millis(15);
/// No key's sequence is longer.
const LONGEST: usize = 32;

/// A key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Char(char),
    /// With Ctrl, as the lower-case letter (or `\`).
    Ctrl(char),
    /// With Alt.
    Alt(char),
    Enter,
    Escape,
    Backspace,
    Delete,
    Left,
    Right,
    WordLeft,
    WordRight,
    Up,
    Down,
    Home,
    End,
    PageUp,
    PageDown,
    /// The terminal says that what follows is pasted.
    Paste,
    /// Anything else.
    Other,
}

/// What happened at the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// A key.
    Key(Key),
    /// A signal that ends the question, or a new size.
    Notice(Notice),
    /// Nothing in time.
    TimedOut,
    /// There is no terminal any more.
    Gone,
}

/// Reads keys.
pub(super) struct Keys<'a> {
    pub(super) terminal: &'a mut Terminal,
    pub(super) signals: &'a mut Signals,
}

/// One byte, or why there is none.
enum Got {
    Byte(u8),
    Else(Event),
}

impl Keys<'_> {
    /// The next event. Without `end` it waits as long as it takes.
    pub(super) fn next(&mut self, end: Option<Instant>) -> io::Result<Event> {
        let first = match self.byte(end)? {
            Got::Byte(byte) => byte,
            Got::Else(event) => return Ok(event),
        };
        let key = match first {
            b'\r' | b'\n' => Key::Enter,
            0x7f | 0x08 => Key::Backspace,
            0x1b => self.escape()?,
            0x1c => Key::Ctrl('\\'),
            0x01..=0x1a => Key::Ctrl(char::from(first - 1 + b'a')),
            0x00..=0x1f => Key::Other,
            _ => self.character(first)?.map_or(Key::Other, Key::Char),
        };
        Ok(Event::Key(key))
    }

    /// Drops what is typed until nothing has been for `quiet`. What ends the question is told.
    pub(super) fn settle(&mut self, quiet: Duration, end: Option<Instant>) -> io::Result<Option<Event>> {
        loop {
            let now = Instant::now();
            if end.is_some_and(|end| now >= end) {
                return Ok(Some(Event::TimedOut));
            }
            match self.byte(Some(now + quiet))? {
                // Ctrl-C means what it always means, Escape may be the start of anything.
                Got::Byte(0x03) => return Ok(Some(Event::Key(Key::Ctrl('c')))),
                Got::Byte(_) | Got::Else(Event::Notice(Notice::Resized)) => {}
                Got::Else(Event::TimedOut) => return Ok(None),
                Got::Else(event) => return Ok(Some(event)),
            }
        }
    }

    /// Whether more comes than the key that was read: what arrives in one piece was pasted, or typed by a program.
    pub(super) fn more_follows(&mut self) -> io::Result<bool> {
        Ok(self.terminal.wait(self.signals.fd(), Some(BURST))? == Ready::Terminal)
    }

    fn byte(&mut self, end: Option<Instant>) -> io::Result<Got> {
        let left = end.map(|end| end.saturating_duration_since(Instant::now()));
        Ok(match self.terminal.wait(self.signals.fd(), left)? {
            Ready::Nothing => Got::Else(Event::TimedOut),
            Ready::Other => Got::Else(Event::Notice(self.signals.notice()?)),
            Ready::Terminal => match self.terminal.byte()? {
                Some(byte) => Got::Byte(byte),
                None => Got::Else(Event::Gone),
            },
        })
    }

    /// The next byte of the same key. A signal in the middle of a key is as good as the key's end: it is told again.
    fn more(&mut self) -> io::Result<Option<u8>> {
        let left = Some(TOGETHER);
        Ok(match self.terminal.wait(self.signals.fd(), left)? {
            Ready::Terminal => self.terminal.byte()?,
            Ready::Nothing | Ready::Other => None,
        })
    }

    /// After Escape.
    fn escape(&mut self) -> io::Result<Key> {
        Ok(match self.more()? {
            None | Some(0x1b) => Key::Escape,
            Some(b'[') => {
                let mut sequence = Vec::new();
                while let Some(byte) = self.more()? {
                    sequence.push(byte);
                    if (0x40..=0x7e).contains(&byte) || sequence.len() > LONGEST {
                        break;
                    }
                }
                csi(&sequence)
            }
            Some(b'O') => self.more()?.map_or(Key::Other, |byte| csi(&[byte])),
            Some(byte @ 0x20..=0x7e) => Key::Alt(char::from(byte)),
            Some(_) => Key::Other,
        })
    }

    /// A character of UTF-8; `None` when it is none.
    fn character(&mut self, first: u8) -> io::Result<Option<char>> {
        let rest = match first {
            0x20..=0x7e => 0,
            0xc2..=0xdf => 1,
            0xe0..=0xef => 2,
            0xf0..=0xf4 => 3,
            _ => return Ok(None),
        };
        let mut bytes = vec![first];
        for _ in 0..rest {
            match self.more()? {
                Some(byte) => bytes.push(byte),
                None => return Ok(None),
            }
        }
        Ok(std::str::from_utf8(&bytes).ok().and_then(|text| text.chars().next()))
    }
}

/// What follows `ESC [` or `ESC O`.
fn csi(sequence: &[u8]) -> Key {
    match sequence {
        b"A" => Key::Up,
        b"B" => Key::Down,
        b"C" => Key::Right,
        b"D" => Key::Left,
        b"H" | b"1~" | b"7~" => Key::Home,
        b"F" | b"4~" | b"8~" => Key::End,
        b"3~" => Key::Delete,
        b"5~" => Key::PageUp,
        b"6~" => Key::PageDown,
        b"200~" => Key::Paste,
        b"1;5C" | b"1;3C" => Key::WordRight,
        b"1;5D" | b"1;3D" => Key::WordLeft,
        _ => Key::Other,
    }
}
