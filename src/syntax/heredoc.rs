//! Here-documents: the delimiter, and the bodies behind the next newline.

use super::reader::{Origin, Pending, Reader};
use super::word::{Parts, Place, Quoting};
use super::{GapReason, Part, Word};

impl Reader<'_, '_> {
    /// The delimiter behind `<<`; its body is read at the next newline. Returns the body's slot.
    pub(super) fn here_delimiter(&mut self, strip_tabs: bool) -> usize {
        let start = self.position;
        let word = self.word(Place::Argument);
        let raw = self.text[start..self.position].replace("\\\n", "");
        let quoted = raw.contains(['\'', '"', '\\']);
        // Nothing is expanded in a delimiter, so `$x` is these two characters.
        let delimiter = word.fixed_text().unwrap_or_else(|| raw.replace(['\'', '"', '\\'], ""));
        let slot = self.bodies.len();
        self.bodies.push(None);
        self.pending.push(Pending { slot, delimiter, quoted, strip_tabs });
        slot
    }

    /// The bodies that start at the cursor, a line's first byte.
    pub(super) fn here_documents(&mut self) {
        for pending in std::mem::take(&mut self.pending) {
            let body = self.here_body(&pending);
            self.bodies[pending.slot] = Some(body);
        }
    }

    fn here_body(&mut self, pending: &Pending) -> Word {
        let start = self.position;
        let mut text = String::new();
        let mut map = Vec::new();
        let mut end = start;
        while self.position < self.bytes.len() {
            let line_start = text.len();
            end = self.position;
            self.here_line(pending, &mut text, &mut map);
            let line = &text[line_start..];
            let delimiter = pending.delimiter.as_str();
            if line.strip_suffix('\n').unwrap_or(line) == delimiter {
                text.truncate(line_start);
                map.truncate(line_start);
                break;
            }
            // `EOF)` ends a here-document inside `$( … )`; so does `EOF x)`, but not for every version of bash.
            if self.in_parentheses > 0
                && let Some(rest) = line.strip_prefix(delimiter)
                && rest.contains(')')
            {
                let sure = rest.starts_with(')');
                self.position = end + self.text[end..].find(delimiter).unwrap_or(0) + delimiter.len();
                text.truncate(line_start);
                map.truncate(line_start);
                if !sure {
                    self.gap(end, GapReason::Syntax);
                }
                break;
            }
            end = self.position;
        }
        map.push(self.origin.of(end));
        let span = self.span_of(start, end);
        if pending.quoted {
            self.context.inert.push(span);
            let parts = if text.is_empty() { Vec::new() } else { vec![Part::Quoted(text)] };
            return Word { parts, span };
        }
        self.context.plain.push(span);
        let mut inner = Reader::new(&text, Origin::Map(map), &mut *self.context);
        let mut parts = Parts::default();
        while let Some(byte) = inner.peek() {
            inner.quoted_unit(&mut parts, byte, Quoting::HereDocument);
        }
        Word { parts: parts.done(), span }
    }

    /// Appends one line, newline included; an unquoted body's continued lines are one.
    fn here_line(&mut self, pending: &Pending, text: &mut String, map: &mut Vec<usize>) {
        if pending.strip_tabs {
            while self.bytes.get(self.position) == Some(&b'\t') {
                self.position += 1;
            }
        }
        loop {
            let start = self.position;
            let end = self.text[start..].find('\n').map_or(self.bytes.len(), |length| start + length + 1);
            let line = &self.text[start..end];
            let content = line.strip_suffix('\n').unwrap_or(line);
            let backslashes = content.len() - content.trim_end_matches('\\').len();
            self.position = end;
            let continued = !pending.quoted && line.len() > content.len() && backslashes % 2 == 1;
            let kept = if continued { &content[..content.len() - 1] } else { line };
            text.push_str(kept);
            map.extend((start..start + kept.len()).map(|at| self.origin.of(at)));
            if !continued {
                return;
            }
        }
    }
}
