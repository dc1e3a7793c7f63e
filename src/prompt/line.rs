//! A line that is typed: the text, the cursor, and what of it fits into one row of the terminal.

use crate::model::secret_ranges;
use crate::text::{escape, width};

use super::keys::Key;

/// Longest line that is taken, in characters.
pub(super) const LIMIT: usize = 64 * 1024;

/// What a key did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// The line may look different.
    Changed,
    /// It is finished.
    Done,
    /// The person does not want it after all.
    Back,
    /// Nothing.
    Nothing,
}

/// A line and its cursor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Line {
    text: Vec<char>,
    /// Before this character.
    at: usize,
    /// First character that is shown.
    offset: usize,
}

impl Line {
    /// With a text, the cursor behind it.
    pub(super) fn new(text: &str) -> Self {
        let text: Vec<char> = text.chars().collect();
        Self { at: text.len(), text, offset: 0 }
    }

    /// The text.
    pub(super) fn text(&self) -> String {
        self.text.iter().collect()
    }

    /// Takes a key.
    pub(super) fn press(&mut self, key: Key) -> Effect {
        let (at, end) = (self.at, self.text.len());
        match key {
            Key::Enter => return Effect::Done,
            Key::Escape => return Effect::Back,
            Key::Ctrl('d') if end == 0 => return Effect::Back,
            Key::Char(_) if end >= LIMIT => return Effect::Nothing,
            Key::Char(c) => {
                self.text.insert(at, c);
                self.at += 1;
            }
            Key::Backspace if at > 0 => self.remove(at - 1, at),
            Key::Delete | Key::Ctrl('d') if at < end => self.remove(at, at + 1),
            Key::Left | Key::Ctrl('b') => self.at = at.saturating_sub(1),
            Key::Right | Key::Ctrl('f') => self.at = (at + 1).min(end),
            Key::Home | Key::Ctrl('a') => self.at = 0,
            Key::End | Key::Ctrl('e') => self.at = end,
            Key::WordLeft | Key::Alt('b') => self.at = self.word_start(),
            Key::WordRight | Key::Alt('f') => self.at = self.word_end(),
            Key::Ctrl('w') => self.remove(self.word_start(), at),
            Key::Alt('d') => self.remove(at, self.word_end()),
            Key::Ctrl('u') => self.remove(0, at),
            Key::Ctrl('k') => self.remove(at, end),
            _ => return Effect::Nothing,
        }
        Effect::Changed
    }

    fn remove(&mut self, from: usize, to: usize) {
        self.text.drain(from..to);
        self.at = from;
    }

    fn word_start(&self) -> usize {
        let before = &self.text[..self.at];
        let blanks = before.iter().rev().take_while(|c| c.is_whitespace()).count();
        let word = before.iter().rev().skip(blanks).take_while(|c| !c.is_whitespace()).count();
        self.at - blanks - word
    }

    fn word_end(&self) -> usize {
        let behind = &self.text[self.at..];
        let blanks = behind.iter().take_while(|c| c.is_whitespace()).count();
        let word = behind.iter().skip(blanks).take_while(|c| !c.is_whitespace()).count();
        self.at + blanks + word
    }

    /// What fits into so many columns, and the column of the cursor in it. Secrets are dots.
    pub(super) fn view(&mut self, columns: usize) -> (String, usize) {
        let cells = self.cells();
        let wide: Vec<usize> = cells.iter().map(|cell| width(cell)).collect();
        let columns = columns.max(2);
        self.offset = self.offset.min(self.at);
        // One column stays for the cursor behind the last character.
        while wide[self.offset..self.at].iter().sum::<usize>() >= columns {
            self.offset += 1;
        }
        let cursor = wide[self.offset..self.at].iter().sum();
        let mut used = 0;
        let mut shown = String::new();
        for (cell, wide) in cells.iter().zip(&wide).skip(self.offset) {
            if used + wide >= columns {
                break;
            }
            used += wide;
            shown.push_str(cell);
        }
        (shown, cursor)
    }

    fn cells(&self) -> Vec<String> {
        let text = self.text();
        let secrets = secret_ranges(&text);
        text.char_indices()
            .map(|(at, c)| {
                if secrets.iter().any(|secret| secret.contains(&at)) {
                    "•".to_owned()
                } else {
                    escape(c.encode_utf8(&mut [0; 4]))
                }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(start: &str, keys: &[Key]) -> (String, usize) {
        let mut line = Line::new(start);
        for key in keys {
            line.press(*key);
        }
        (line.text(), line.at)
    }

    #[test]
    fn keys_edit() {
        use Key::*;
        for (start, keys, want, at) in [
            ("ab", vec![Char('c')], "abc", 3),
            ("ab", vec![Left, Char('x')], "axb", 2),
            ("ab", vec![Home, Delete], "b", 0),
            ("ab", vec![Backspace, Backspace, Backspace], "", 0),
            ("rm -rf x", vec![Ctrl('w')], "rm -rf ", 7),
            ("rm -rf x", vec![WordLeft, WordLeft, Ctrl('k')], "rm ", 3),
            ("rm -rf x", vec![Ctrl('a'), Alt('d')], " -rf x", 0),
            ("rm -rf x", vec![Ctrl('u')], "", 0),
            ("日本", vec![Left, Backspace], "本", 0),
            ("ab", vec![End, Right, Ctrl('d'), Up, Other], "ab", 2),
        ] {
            assert_eq!(typed(start, &keys), (want.to_owned(), at), "{start} {keys:?}");
        }
    }

    #[test]
    fn the_view_follows_the_cursor_and_shows_nothing_raw() {
        let mut line = Line::new(&"x".repeat(100));
        let (shown, cursor) = line.view(20);
        assert!(width(&shown) < 20 && cursor < 20 && cursor == width(&shown));
        line.press(Key::Home);
        assert_eq!(line.view(20).1, 0);
        let (shown, _) = Line::new("a\u{1b}[2J\nb").view(60);
        assert_eq!(shown, "a\\e[2J\\nb");
    }

    #[test]
    fn secrets_are_dots() {
        let (shown, _) = Line::new("curl -H 'Authorization: Bearer abcdefghijklmnop0123456789' x").view(200);
        assert!(!shown.contains("abcdefghij") && shown.contains("••"), "{shown}");
    }
}
