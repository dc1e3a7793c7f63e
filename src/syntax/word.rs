//! Words: quoting, and where an unquoted word ends.

use super::reader::{Reader, is_meta, is_name, is_name_start};
use super::{GapReason, Part, Word};

/// Parts under construction: neighbouring text of one kind is one part.
#[derive(Default)]
pub(super) struct Parts(Vec<Part>);

impl Parts {
    pub(super) fn literal(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        match self.0.last_mut() {
            Some(Part::Literal(last)) => last.push_str(text),
            _ => self.0.push(Part::Literal(text.to_owned())),
        }
    }

    pub(super) fn quoted(&mut self, text: &str) {
        match self.0.last_mut() {
            Some(Part::Quoted(last)) => last.push_str(text),
            _ => self.0.push(Part::Quoted(text.to_owned())),
        }
    }

    pub(super) fn push(&mut self, part: Part) {
        self.0.push(part);
    }

    pub(super) fn done(self) -> Vec<Part> {
        self.0
    }
}

/// What surrounds text in which expansions are looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Quoting {
    /// Nothing.
    None,
    /// Double quotes.
    Double,
    /// The body of a here-document.
    HereDocument,
    /// `(( … ))` and its kin: like double quotes, but `"` is plain.
    Arithmetic,
}

/// Where an unquoted word stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// The command word may be here: `name()` is a function.
    Command,
    /// Argument, redirection target, pattern of `case`, operand in `[[`.
    Argument,
    /// Behind `=~`.
    Regex,
}

/// Bytes that a run of plain text must stop at, whatever the place.
fn is_special(byte: u8) -> bool {
    is_meta(byte)
        || matches!(
            byte,
            b'\\' | b'\'' | b'"' | b'$' | b'`' | b'?' | b'*' | b'+' | b'@' | b'!' | b'}' | b'[' | b']' | b'/'
        )
}

impl Reader<'_, '_> {
    /// An unquoted word up to the next blank or operator; empty when none starts here.
    pub(super) fn word(&mut self, place: Place) -> Word {
        self.peek();
        let start = self.position;
        self.count();
        let mut parts = Parts::default();
        while let Some(byte) = self.peek() {
            match byte {
                b'(' if place == Place::Regex => self.parenthesised(&mut parts),
                b'|' if place == Place::Regex && self.peek_at(1) != Some(b'|') => {
                    self.position += 1;
                    parts.literal("|");
                }
                b'<' | b'>' if self.peek_at(1) == Some(b'(') => self.process(&mut parts),
                _ if is_meta(byte) => break,
                b'?' | b'*' | b'+' | b'@' | b'!' if self.peek_at(1) == Some(b'(') => {
                    if place == Place::Command && self.peek_at(2) == Some(b')') {
                        // `name?()` defines a function; an empty pattern is no use.
                        self.plain_run(&mut parts);
                        break;
                    }
                    self.plain_byte(&mut parts);
                    self.parenthesised(&mut parts);
                }
                _ => self.unit(&mut parts, byte),
            }
        }
        Word { parts: parts.done(), span: self.span(start) }
    }

    /// One quoting, expansion or run of plain text, unquoted.
    pub(super) fn unit(&mut self, parts: &mut Parts, byte: u8) {
        match byte {
            b'\\' => {
                self.position += 1;
                let start = self.position;
                let Some(next) = self.text[start..].chars().next() else {
                    parts.literal("\\");
                    return;
                };
                self.position += next.len_utf8();
                parts.quoted(&self.text[start..self.position]);
            }
            b'\'' => {
                let start = self.position;
                self.position += 1;
                match self.text[self.position..].find('\'') {
                    Some(length) => {
                        parts.quoted(&self.text[self.position..self.position + length]);
                        self.position += length + 1;
                    }
                    None => self.unclosed(parts, start),
                }
                let span = self.span(start);
                self.context.inert.push(span);
            }
            b'"' => {
                let inside = self.double_quoted();
                parts.push(Part::DoubleQuoted(inside));
            }
            b'$' => self.dollar(parts, Quoting::None),
            b'`' => self.backquotes(parts, Quoting::None),
            _ => self.plain_run(parts),
        }
    }

    /// The rest of the text is inside a quote that does not end.
    pub(super) fn unclosed(&mut self, parts: &mut Parts, start: usize) {
        self.position = self.bytes.len();
        self.gap(start, GapReason::Syntax);
        parts.push(Part::Gap(self.span(start)));
    }

    /// At least one byte of plain text.
    fn plain_run(&mut self, parts: &mut Parts) {
        let start = self.position;
        let rest = &self.bytes[start + 1..];
        let length = rest.iter().position(|byte| is_special(*byte)).unwrap_or(rest.len());
        self.position = start + 1 + length;
        // Every special byte is ASCII, so a run never ends inside a character; it starts at one's first byte.
        parts.literal(&self.text[start..self.position]);
    }

    pub(super) fn plain_byte(&mut self, parts: &mut Parts) {
        let start = self.position;
        let length = self.text[start..].chars().next().map_or(0, char::len_utf8);
        self.position += length;
        parts.literal(&self.text[start..self.position]);
    }

    /// `( … )` of a pattern, blanks and operators being plain text inside.
    fn parenthesised(&mut self, parts: &mut Parts) {
        let start = self.position;
        let mut open = 0_usize;
        while let Some(byte) = self.peek() {
            match byte {
                b'(' => {
                    open += 1;
                    self.plain_byte(parts);
                }
                b')' => {
                    open -= 1;
                    self.plain_byte(parts);
                    if open == 0 {
                        let span = self.span(start);
                        self.context.plain.push(span);
                        return;
                    }
                }
                _ if is_meta(byte) => self.plain_byte(parts),
                _ => self.unit(parts, byte),
            }
        }
        self.gap(start, GapReason::Syntax);
    }

    /// `"…"`, the cursor being at the opening quote.
    pub(super) fn double_quoted(&mut self) -> Vec<Part> {
        let start = self.position;
        self.position += 1;
        let mut parts = Parts::default();
        loop {
            match self.peek() {
                None => {
                    self.unclosed(&mut parts, start);
                    break;
                }
                Some(b'"') => {
                    self.position += 1;
                    break;
                }
                Some(byte) => self.quoted_unit(&mut parts, byte, Quoting::Double),
            }
        }
        let span = self.span(start);
        self.context.plain.push(span);
        parts.done()
    }

    /// One escape, expansion or run of plain text inside double quotes or what is like them.
    pub(super) fn quoted_unit(&mut self, parts: &mut Parts, byte: u8, quoting: Quoting) {
        match byte {
            b'\\' => {
                self.position += 1;
                match self.bytes.get(self.position) {
                    Some(b'"') if quoting == Quoting::HereDocument => parts.literal("\\"),
                    Some(b'$' | b'`' | b'"' | b'\\') => self.plain_byte(parts),
                    Some(b'\'') => {
                        // Both stay, but the quote does not count as one inside `${ … }`.
                        self.position += 1;
                        parts.literal("\\'");
                    }
                    _ => parts.literal("\\"),
                }
            }
            b'$' => self.dollar(parts, quoting),
            b'`' => self.backquotes(parts, quoting),
            _ => {
                let start = self.position;
                let rest = &self.bytes[start + 1..];
                let stop = |byte: &u8| {
                    matches!(
                        byte,
                        b'\\'
                            | b'$'
                            | b'`'
                            | b'"'
                            | b'\''
                            | b'('
                            | b')'
                            | b'}'
                            | b']'
                            | b'['
                            | b':'
                            | b'?'
                            | b';'
                    )
                };
                let length = rest.iter().position(stop).unwrap_or(rest.len());
                self.position = start + 1 + length;
                parts.literal(&self.text[start..self.position]);
            }
        }
    }

    /// A name at the cursor.
    pub(super) fn name(&mut self) -> Option<String> {
        if !self.peek().is_some_and(is_name_start) {
            return None;
        }
        let mut name = String::new();
        while let Some(byte) = self.peek().filter(|byte| is_name(*byte)) {
            name.push(char::from(byte));
            self.position += 1;
        }
        Some(name)
    }
}

impl Word {
    /// The text of a word that is nothing but unquoted plain text.
    pub(super) fn bare(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [Part::Literal(text)] => Some(text),
            _ => None,
        }
    }

    /// The text of a word without any expansion (globs and braces left as written), quotes removed.
    pub fn fixed_text(&self) -> Option<String> {
        fn add(parts: &[Part], text: &mut String) -> bool {
            parts.iter().all(|part| match part {
                Part::Literal(piece) | Part::Quoted(piece) => {
                    text.push_str(piece);
                    true
                }
                Part::DoubleQuoted(inside) => add(inside, text),
                _ => false,
            })
        }
        let mut text = String::new();
        add(&self.parts, &mut text).then_some(text)
    }
}
