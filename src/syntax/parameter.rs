//! `${ … }`: names, subscripts and operators.

use super::commands::End;
use super::reader::{Reader, is_name_start};
use super::word::{Parts, Quoting};
use super::{GapReason, Parameter, ParameterOperator, Part, Word};

impl Reader<'_, '_> {
    /// `${…}`, the cursor being at `$`.
    pub(super) fn braced_parameter(&mut self, parts: &mut Parts, quoting: Quoting) {
        let start = self.position;
        self.skip(2);
        match self.peek() {
            Some(b' ' | b'\t' | b'\n' | b'|') => {
                self.accept(b'|');
                let script = self.script(End::Brace);
                self.close(b'}', start);
                parts.push(Part::Command(script, self.span(start)));
            }
            _ => match self.parameter(quoting) {
                Some(mut parameter) if self.peek() == Some(b'}') => {
                    self.position += 1;
                    parameter.span = self.span(start);
                    parts.push(Part::Parameter(Box::new(parameter)));
                }
                _ => self.bad_parameter(parts, start),
            },
        }
    }

    /// What is between the braces cannot be read: its substitutions are kept, with a gap.
    fn bad_parameter(&mut self, parts: &mut Parts, start: usize) {
        let rest = self.inner_word(b"}", Quoting::None);
        self.accept(b'}');
        self.gap(start, GapReason::Syntax);
        parts.push(Part::Gap(self.span(start)));
        parts.push(Part::DoubleQuoted(rest.parts));
    }

    /// Everything up to the closing brace.
    fn parameter(&mut self, quoting: Quoting) -> Option<Parameter> {
        let mut parameter = Parameter {
            name: String::new(),
            index: None,
            indirect: false,
            length: false,
            operator: None,
            span: self.span(self.position),
        };
        match self.peek()? {
            b'#' if self.length_follows() => {
                self.position += 1;
                parameter.length = true;
            }
            b'!' if self.peek_at(1).is_some_and(|byte| {
                is_name_start(byte)
                    || byte.is_ascii_digit()
                    || matches!(byte, b'#' | b'?' | b'@' | b'*' | b'$')
            }) =>
            {
                self.position += 1;
                parameter.indirect = true;
            }
            _ => {}
        }
        parameter.name = self.parameter_name()?;
        if self.peek() == Some(b'[') {
            self.position += 1;
            parameter.index = Some(self.inner_word(b"]", Quoting::None));
            if !self.accept(b']') {
                return None;
            }
        }
        if self.peek()? == b'}' {
            let keys = parameter.indirect
                && parameter
                    .index
                    .as_ref()
                    .and_then(Word::bare)
                    .is_some_and(|text| text == "@" || text == "*");
            if keys {
                parameter.operator = Some(ParameterOperator::Names);
            }
            return Some(parameter);
        }
        if parameter.length {
            return None;
        }
        parameter.operator = Some(self.parameter_operator(parameter.indirect, quoting)?);
        Some(parameter)
    }

    /// `${#x}` as against `${#}`, `${#-x}`, `${#:-x}` …: is the `#` at the cursor the length operator?
    fn length_follows(&mut self) -> bool {
        match self.peek_at(1) {
            Some(byte) if is_name_start(byte) || byte.is_ascii_digit() => true,
            Some(b'@' | b'*' | b'$' | b'!' | b'-' | b'?' | b'#') => self.peek_at(2) == Some(b'}'),
            _ => false,
        }
    }

    fn parameter_name(&mut self) -> Option<String> {
        let first = self.peek()?;
        if is_name_start(first) {
            return self.name();
        }
        if first.is_ascii_digit() {
            let mut name = String::new();
            while let Some(digit) = self.peek().filter(u8::is_ascii_digit) {
                name.push(char::from(digit));
                self.position += 1;
            }
            return Some(name);
        }
        matches!(first, b'@' | b'*' | b'#' | b'?' | b'$' | b'!' | b'-').then(|| {
            self.position += 1;
            char::from(first).to_string()
        })
    }

    fn parameter_operator(&mut self, indirect: bool, quoting: Quoting) -> Option<ParameterOperator> {
        let byte = self.peek()?;
        if !b"-=?+:#%/^,~@*".contains(&byte) {
            return None;
        }
        let which = char::from(byte);
        self.position += 1;
        Some(match byte {
            b'-' | b'=' | b'?' | b'+' => {
                ParameterOperator::Default(which, false, self.inner_word(b"}", quoting))
            }
            b':' => match self.peek()? {
                which @ (b'-' | b'=' | b'?' | b'+') => {
                    self.position += 1;
                    ParameterOperator::Default(char::from(which), true, self.inner_word(b"}", quoting))
                }
                _ => {
                    let offset = self.arithmetic_word(b":}");
                    let length = self.accept(b':').then(|| self.arithmetic_word(b"}"));
                    ParameterOperator::Substring(offset, length)
                }
            },
            b'#' | b'%' => {
                let doubled = self.accept(byte);
                ParameterOperator::Remove(which, doubled, self.inner_word(b"}", Quoting::None))
            }
            b'/' => {
                let kind = match self.peek()? {
                    kind @ (b'/' | b'#' | b'%') => {
                        self.position += 1;
                        char::from(kind)
                    }
                    _ => ' ',
                };
                // Behind `//` a further slash is the pattern's first character.
                let slash = kind == '/' && self.peek() == Some(b'/');
                let mut pattern = Word { parts: Vec::new(), span: self.span(self.position) };
                if slash {
                    self.position += 1;
                    pattern = self.inner_word(b"/}", Quoting::None);
                    pattern.parts.insert(0, Part::Literal("/".to_owned()));
                } else {
                    pattern.parts = self.inner_word(b"/}", Quoting::None).parts;
                    pattern.span = pattern.span.to(self.span(self.position));
                }
                let replacement =
                    if self.accept(b'/') { self.inner_word(b"}", Quoting::None) } else { Word::default() };
                ParameterOperator::Replace(kind, pattern, replacement)
            }
            b'^' | b',' | b'~' => {
                let doubled = self.accept(byte);
                let pattern = (self.peek()? != b'}').then(|| self.inner_word(b"}", Quoting::None));
                ParameterOperator::Case(which, doubled, pattern)
            }
            b'@' if indirect && self.peek()? == b'}' => ParameterOperator::Names,
            b'*' if indirect && self.peek()? == b'}' => ParameterOperator::Names,
            b'@' => {
                let operator = self.peek()?;
                if !operator.is_ascii_alphabetic() {
                    return None;
                }
                self.position += 1;
                ParameterOperator::Transform(char::from(operator))
            }
            _ => return None,
        })
    }

    /// A quote inside `"${ … }"` or arithmetic. Single quotes are plain text there, and yet nothing up to the second of
    /// them closes anything. (Not so in POSIX mode: where that makes a difference, it is a gap.)
    pub(super) fn shield(&mut self, parts: &mut Parts, quoting: Quoting) {
        if self.peek() == Some(b'"') {
            let inside = self.double_quoted();
            parts.push(Part::DoubleQuoted(inside));
            return;
        }
        let start = self.position;
        let Some(length) = self.text[start + 1..].find('\'') else {
            self.plain_byte(parts);
            self.gap(start, GapReason::Syntax);
            return;
        };
        let end = start + 1 + length;
        self.plain_byte(parts);
        let mut sure = true;
        while self.position < end
            && let Some(byte) = self.peek()
        {
            match byte {
                b'\\' | b'$' | b'`' => self.quoted_unit(parts, byte, quoting),
                // A run of plain text might reach over the end.
                _ => self.plain_byte(parts),
            }
            sure &= match byte {
                b'}' | b'"' => false,
                b'(' | b')' | b'[' | b']' | b':' => quoting != Quoting::Arithmetic,
                _ => true,
            };
        }
        if self.position == end {
            self.plain_byte(parts);
        }
        if self.position != end + 1 || !sure {
            self.gap(start, GapReason::Syntax);
        }
    }

    /// A word inside `${ … }` or a subscript: ends at an unquoted byte of `stops` (which stays), not at blanks.
    pub(super) fn inner_word(&mut self, stops: &[u8], quoting: Quoting) -> Word {
        self.peek();
        let start = self.position;
        self.count();
        let mut parts = Parts::default();
        let mut open = 0_usize;
        while let Some(byte) = self.peek() {
            if open == 0 && stops.contains(&byte) {
                break;
            }
            match byte {
                b'[' if stops == b"]" => open += 1,
                b']' if stops == b"]" => open -= 1,
                _ => {}
            }
            match (quoting, byte) {
                (Quoting::None, b'<' | b'>') if self.peek_at(1) == Some(b'(') => self.process(&mut parts),
                (
                    Quoting::None,
                    b'[' | b']' | b'(' | b')' | b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>',
                ) => {
                    self.plain_byte(&mut parts);
                }
                (Quoting::None, _) => self.unit(&mut parts, byte),
                (_, b'\\') if self.peek_at(1).is_some_and(|next| stops.contains(&next)) => {
                    self.unit(&mut parts, byte);
                }
                (_, b'"' | b'\'') => self.shield(&mut parts, quoting),
                _ => self.quoted_unit(&mut parts, byte, quoting),
            }
        }
        Word { parts: parts.done(), span: self.span(start) }
    }
}
