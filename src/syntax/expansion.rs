//! Expansions: `$x`, `$( … )`, backquotes, `<( … )`, arithmetic, `$'…'`.

use super::commands::End;
use super::reader::{Origin, Reader, is_name, is_name_start};
use super::word::{Parts, Quoting};
use super::{Gap, GapReason, Parameter, Part, Script, Word};

impl Reader<'_, '_> {
    /// Whatever `$` at the cursor starts.
    pub(super) fn dollar(&mut self, parts: &mut Parts, quoting: Quoting) {
        self.nested(parts, |reader, parts| reader.dollar_inside(parts, quoting));
    }

    /// `<( … )`, `>( … )`.
    pub(super) fn process(&mut self, parts: &mut Parts) {
        self.nested(parts, Self::process_inside);
    }

    /// `` `…` ``.
    pub(super) fn backquotes(&mut self, parts: &mut Parts, quoting: Quoting) {
        self.nested(parts, |reader, parts| reader.backquotes_inside(parts, quoting));
    }

    /// Reads something one level deeper; a gap in its place when that is too deep.
    fn nested(&mut self, parts: &mut Parts, read: impl FnOnce(&mut Self, &mut Parts)) {
        self.count();
        if self.enter() {
            read(self, parts);
            self.leave();
        } else {
            parts.push(Part::Gap(self.span_of(self.position, self.bytes.len())));
        }
    }

    fn dollar_inside(&mut self, parts: &mut Parts, quoting: Quoting) {
        let start = self.position;
        let quotes = matches!(quoting, Quoting::None);
        match self.peek_at(1) {
            Some(b'(') => {
                if self.peek_at(2) == Some(b'(')
                    && let Some(inside) = self.double_parenthesised(3)
                {
                    parts.push(Part::Arithmetic(inside));
                    return;
                }
                self.skip(2);
                let script = self.script(End::Parenthesis);
                self.close(b')', start);
                parts.push(Part::Command(script, self.span(start)));
            }
            Some(b'{') => self.braced_parameter(parts, quoting),
            Some(b'[') => {
                self.skip(2);
                let mut inside = Parts::default();
                self.arithmetic_text(&mut inside, b'[', b']');
                self.close(b']', start);
                parts.push(Part::Arithmetic(inside.done()));
            }
            Some(b'\'') if quotes => {
                self.skip(2);
                self.ansi_c(parts, start);
            }
            Some(b'"') if quotes => {
                self.skip(1);
                let inside = self.double_quoted();
                parts.push(Part::DoubleQuoted(inside));
            }
            Some(byte) if is_name_start(byte) => {
                self.skip(1);
                let name = self.name().unwrap_or_default();
                self.simple_parameter(parts, name, start);
            }
            Some(byte @ (b'0'..=b'9' | b'@' | b'*' | b'#' | b'?' | b'$' | b'!' | b'-')) => {
                self.skip(2);
                self.simple_parameter(parts, char::from(byte).to_string(), start);
            }
            _ => {
                self.skip(1);
                parts.literal("$");
            }
        }
    }

    fn simple_parameter(&mut self, parts: &mut Parts, name: String, start: usize) {
        let span = self.span(start);
        parts.push(Part::Parameter(Box::new(Parameter {
            name,
            index: None,
            indirect: false,
            length: false,
            operator: None,
            span,
        })));
    }

    /// Steps over the closing byte, or notes that it is missing.
    pub(super) fn close(&mut self, byte: u8, start: usize) {
        if !self.accept(byte) && !self.context.stopped() {
            self.gap(start, GapReason::Syntax);
        }
    }

    /// `((` with `before` bytes up to and including it, when it is arithmetic: the text up to `))`. Otherwise the cursor stays.
    pub(super) fn double_parenthesised(&mut self, before: usize) -> Option<Vec<Part>> {
        let start = self.position;
        if let Some(end) = self.refuted.get(&start).copied() {
            self.refuse_here_document(start, end);
            return None;
        }
        let mark = self.mark();
        self.skip(before);
        let mut inside = Parts::default();
        self.arithmetic_text(&mut inside, b'(', b')');
        if self.peek() == Some(b')') && self.peek_at(1) == Some(b')') {
            self.skip(2);
            let whole = self.span(start);
            let opening = self.span_of(start, start + before);
            self.context.plain.extend([whole, opening]);
            self.context.inert.push(opening);
            let text = &self.text[start..self.position];
            // bash counts parentheses here in the substitutions' text as it would print it, where a pattern of `case`
            // has but one. So it may find that this is no arithmetic after all.
            if text.contains("case") || text.matches('(').count() != text.matches(')').count() {
                self.gap(start, GapReason::Syntax);
            }
            return Some(inside.done());
        }
        let end = self.position;
        self.back_to(&mark);
        self.refuted.insert(start, end);
        self.refuse_here_document(start, end);
        None
    }

    /// bash reads `((` that is no arithmetic a second time, and then takes a here-document's body for commands.
    fn refuse_here_document(&mut self, start: usize, end: usize) {
        if self.text.get(start..end).is_some_and(|text| text.contains("<<")) {
            let span = self.span_of(start, end);
            self.context.gaps.push(Gap { span, reason: GapReason::Syntax });
        }
    }

    /// Text like that between double quotes, up to `close` (which stays); `open` and `close` nest.
    pub(super) fn arithmetic_text(&mut self, parts: &mut Parts, open: u8, close: u8) {
        let mut nested = 0_usize;
        while let Some(byte) = self.peek() {
            self.tick();
            if matches!(byte, b'"' | b'\'') {
                self.shield(parts, Quoting::Arithmetic);
                continue;
            }
            if byte == close {
                if nested == 0 {
                    return;
                }
                nested -= 1;
            } else if byte == open {
                nested += 1;
            }
            self.quoted_unit(parts, byte, Quoting::Arithmetic);
        }
    }

    /// A word made of arithmetic text up to one of `stops`, such as an offset.
    pub(super) fn arithmetic_word(&mut self, stops: &[u8]) -> Word {
        self.peek();
        let start = self.position;
        let mut parts = Parts::default();
        let (mut open, mut questions) = (0_usize, 0_usize);
        while let Some(byte) = self.peek() {
            match byte {
                b'"' | b'\'' => {
                    self.shield(&mut parts, Quoting::Arithmetic);
                    continue;
                }
                b':' if questions > 0 => questions -= 1,
                _ if open == 0 && stops.contains(&byte) => break,
                b'?' => questions += 1,
                b'(' | b'[' => open += 1,
                b')' | b']' => open = open.saturating_sub(1),
                _ => {}
            }
            self.quoted_unit(&mut parts, byte, Quoting::Arithmetic);
        }
        let span = self.span(start);
        self.context.plain.push(span);
        Word { parts: parts.done(), span }
    }

    fn process_inside(&mut self, parts: &mut Parts) {
        let start = self.position;
        let written = self.peek() == Some(b'>');
        self.skip(2);
        let script = self.script(End::Parenthesis);
        self.close(b')', start);
        parts.push(Part::Process(script, written, self.span(start)));
    }

    /// The text between backquotes, its escapes taken out, is a script of its own.
    fn backquotes_inside(&mut self, parts: &mut Parts, quoting: Quoting) {
        let start = self.position;
        let mut text = Vec::new();
        let mut map = Vec::new();
        let mut at = start + 1;
        let closed = loop {
            match self.bytes.get(at) {
                None => break false,
                Some(b'`') => break true,
                Some(b'\\') => {
                    let escaped = match self.bytes.get(at + 1) {
                        Some(b'$' | b'`' | b'\\') => true,
                        Some(b'"') => quoting == Quoting::Double,
                        _ => false,
                    };
                    if escaped {
                        at += 1;
                    } else {
                        text.push(b'\\');
                        map.push(self.origin.of(at));
                        at += 1;
                        if at >= self.bytes.len() {
                            break false;
                        }
                    }
                    text.push(self.bytes[at]);
                    map.push(self.origin.of(at));
                    at += 1;
                }
                Some(byte) => {
                    text.push(*byte);
                    map.push(self.origin.of(at));
                    at += 1;
                }
            }
        };
        map.push(self.origin.of(at));
        self.position = at;
        let script = match String::from_utf8(text) {
            Ok(text) if closed => {
                self.position += 1;
                self.script_of(&text, Origin::Map(map))
            }
            _ => {
                self.position = self.bytes.len();
                self.gap(start, GapReason::Syntax);
                parts.push(Part::Gap(self.span(start)));
                return;
            }
        };
        parts.push(Part::Command(script, self.span(start)));
    }

    /// A whole text of its own, read by a reader of its own.
    pub(super) fn script_of(&mut self, text: &str, origin: Origin) -> Script {
        let mut inner = Reader::new(text, origin, &mut *self.context);
        inner.script(End::Text)
    }

    /// The rest of `$'…'`.
    fn ansi_c(&mut self, parts: &mut Parts, start: usize) {
        let begin = self.position;
        let mut end = begin;
        loop {
            match self.bytes.get(end) {
                None => return self.unclosed(parts, start),
                Some(b'\'') => break,
                Some(b'\\') => end += 2,
                Some(_) => end += 1,
            }
        }
        self.position = end + 1;
        let span = self.span(start);
        self.context.inert.push(span);
        match String::from_utf8(decode_ansi_c(&self.bytes[begin..end])) {
            Ok(text) => parts.quoted(&text),
            // Bytes that are not text cannot be written down here: any text, but not a gap, for nothing hides in it.
            Err(_) => parts.push(Part::Gap(span)),
        }
    }
}

/// The bytes that `$'…'` stands for.
fn decode_ansi_c(text: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        if text[at] != b'\\' || at + 1 >= text.len() {
            decoded.push(text[at]);
            at += 1;
            continue;
        }
        let escape = text[at + 1];
        at += 2;
        match escape {
            b'n' => decoded.push(b'\n'),
            b't' => decoded.push(b'\t'),
            b'r' => decoded.push(b'\r'),
            b'a' => decoded.push(7),
            b'b' => decoded.push(8),
            b'v' => decoded.push(11),
            b'f' => decoded.push(12),
            b'e' | b'E' => decoded.push(27),
            b'\\' | b'\'' | b'"' | b'?' => decoded.push(escape),
            b'0'..=b'7' => {
                let (value, length) = digits(&text[at - 1..], 8, 3);
                decoded.push(value as u8);
                at += length - 1;
            }
            b'x' if text.get(at) == Some(&b'{') => {
                let (value, length) = digits(&text[at + 1..], 16, 8);
                decoded.push(value as u8);
                at += 1 + length;
                at += usize::from(text.get(at) == Some(&b'}'));
            }
            b'x' | b'u' | b'U' => {
                let most = match escape {
                    b'x' => 2,
                    b'u' => 4,
                    _ => 8,
                };
                let (value, length) = digits(&text[at..], 16, most);
                at += length;
                if length == 0 {
                    decoded.extend([b'\\', escape]);
                } else if escape == b'x' {
                    decoded.push(value as u8);
                } else {
                    let character = char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER);
                    decoded.extend(character.encode_utf8(&mut [0; 4]).as_bytes());
                }
            }
            b'c' if at < text.len() => {
                decoded.push(text[at].to_ascii_uppercase() & 0x1f);
                at += 1;
            }
            _ => decoded.extend([b'\\', escape]),
        }
    }
    // The shell's strings end at a NUL.
    if let Some(end) = decoded.iter().position(|byte| *byte == 0) {
        decoded.truncate(end);
    }
    decoded
}

/// Value and length of at most `most` digits.
fn digits(text: &[u8], base: u32, most: usize) -> (u32, usize) {
    let mut value = 0_u32;
    let mut length = 0;
    while length < most
        && let Some(digit) = text.get(length).and_then(|byte| char::from(*byte).to_digit(base))
    {
        value = value.wrapping_mul(base).wrapping_add(digit);
        length += 1;
    }
    (value, length)
}

/// True for the name of a variable.
pub(super) fn is_variable(text: &str) -> bool {
    text.bytes().next().is_some_and(is_name_start) && text.bytes().all(is_name)
}
