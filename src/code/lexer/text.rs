//! The inside of quotes: escapes, interpolation, here-documents.

use crate::code::language::Language;

use super::quote::Reading;
use super::{Lexer, Piece, Tok};

impl Lexer {
    /// After the operator of a here-document: reads its mark and takes its body from behind this line.
    pub(super) fn here_document(&mut self, shell: bool) -> bool {
        if self.peek(0) == Some('~') {
            self.at += 1;
        }
        let quote = self.peek(0).filter(|c| matches!(c, '"' | '\'' | '`'));
        self.at += usize::from(quote.is_some());
        let start = self.at;
        while self
            .peek(0)
            .is_some_and(|c| quote.map_or(c.is_alphanumeric() || c == '_', |q| c != q && c != '\n'))
        {
            self.at += 1;
        }
        let mark = self.between(start, self.at);
        self.at += usize::from(quote.is_some());
        let mut line = self.resume.unwrap_or_else(|| {
            let rest = self.chars.get(self.at..).unwrap_or_default();
            self.at + rest.iter().position(|c| *c == '\n').map_or(rest.len(), |p| p + 1)
        });
        let mut body = String::new();
        while line < self.chars.len() {
            let end =
                self.chars[line..].iter().position(|c| *c == '\n').map_or(self.chars.len(), |p| line + p);
            let text = self.between(line, end);
            line = (end + 1).min(self.chars.len());
            if text.trim().trim_end_matches([';', ',']) == mark {
                break;
            }
            body.push_str(&text);
            body.push('\n');
        }
        self.resume = Some(line);
        let reading = if quote == Some('\'') { Reading::Raw } else { Reading::Full };
        let mut inner = Self {
            chars: body.chars().collect(),
            at: 0,
            language: self.language,
            tokens: Vec::new(),
            space: false,
            line: false,
            nesting: 0,
            indents: Vec::new(),
            resume: None,
        };
        let pieces = inner.until("\0end", None, reading);
        self.push(if shell { Tok::Shell(pieces) } else { Tok::Text(pieces) });
        true
    }

    /// Text up to a delimiter that a backslash protects, as written.
    pub(super) fn plain(&mut self, close: char, nests: Option<char>) -> String {
        let mut text = String::new();
        let mut level = 0;
        while let Some(c) = self.peek(0) {
            self.at += 1;
            if c == '\\' {
                if let Some(next) = self.peek(0) {
                    if next != close {
                        text.push(c);
                    }
                    text.push(next);
                    self.at += 1;
                }
                continue;
            }
            if Some(c) == nests {
                level += 1;
            } else if c == close {
                if level == 0 {
                    break;
                }
                level -= 1;
            }
            text.push(c);
        }
        text
    }

    /// Pieces up to the closing delimiter, which is taken too.
    pub(super) fn until(&mut self, close: &str, nests: Option<char>, reading: Reading) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut text = String::new();
        let mut level = 0;
        // Letters of another case follow.
        let mut cased = false;
        while let Some(c) = self.peek(0) {
            if Some(c) == nests {
                level += 1;
            } else if self.looking_at(close) {
                if level == 0 {
                    self.at += close.chars().count();
                    break;
                }
                level -= 1;
            }
            if c == '\\' {
                self.at += 1;
                match self.untold(reading) {
                    Some(more) => {
                        cased = more;
                        pieces.push(Piece::Text(std::mem::take(&mut text)));
                        pieces.push(Piece::Code(self.unknown_name()));
                    }
                    None if cased => self.escape(&mut String::new(), close, reading),
                    None => self.escape(&mut text, close, reading),
                }
                continue;
            }
            if self.language == Language::Python
                && reading.interpolates()
                && matches!(c, '{' | '}')
                && self.peek(1) == Some(c)
            {
                text.push(c);
                self.at += 2;
                continue;
            }
            if reading.interpolates()
                && let Some(code) = self.interpolation(c)
            {
                pieces.push(Piece::Text(std::mem::take(&mut text)));
                pieces.push(Piece::Code(code));
                if cased {
                    pieces.push(Piece::Code(self.unknown_name()));
                }
                continue;
            }
            if !cased {
                text.push(c);
            }
            self.at += 1;
        }
        pieces.push(Piece::Text(text));
        pieces
    }

    /// A character that is told by its name or in a way of its own, and Perl's marks behind which letters are of another case;
    /// whether such letters follow.
    fn untold(&mut self, reading: Reading) -> Option<bool> {
        let escapes = matches!(reading, Reading::Escapes | Reading::Full);
        let perl = self.language == Language::Perl;
        let c = self.peek(0).filter(|_| escapes)?;
        let braced = self.peek(1) == Some('{');
        match c {
            'N' if braced && (perl || self.language == Language::Python) => {}
            'o' if braced && perl => {}
            'L' | 'U' | 'Q' | 'F' if perl => {
                self.at += 1;
                return Some(true);
            }
            'E' if perl => {
                self.at += 1;
                return Some(false);
            }
            // The next letter alone.
            'l' | 'u' if perl => {
                self.at += 2;
                return Some(false);
            }
            _ => return None,
        }
        while self.peek(0).is_some_and(|c| c != '}') {
            self.at += 1;
        }
        self.at += 1;
        Some(false)
    }

    /// The name of something that nothing is known of.
    pub(super) fn unknown_name(&self) -> String {
        if self.language == Language::Perl { "$__unknown__".to_owned() } else { "__unknown__".to_owned() }
    }

    /// Source of the expression that is interpolated here.
    pub(super) fn interpolation(&mut self, c: char) -> Option<String> {
        match self.language {
            Language::Python if c == '{' => {
                self.at += 1;
                let source = self.balanced('}');
                Some(python_field(&source))
            }
            Language::Node if c == '$' && self.peek(1) == Some('{') => {
                self.at += 2;
                Some(self.balanced('}'))
            }
            Language::Ruby if c == '#' && self.peek(1) == Some('{') => {
                self.at += 2;
                Some(self.balanced('}'))
            }
            Language::Php if c == '{' && self.peek(1) == Some('$') => {
                self.at += 1;
                Some(self.balanced('}'))
            }
            Language::Perl | Language::Php if c == '$' || (c == '@' && self.language == Language::Perl) => {
                self.sigil_expression()
            }
            _ => None,
        }
    }

    /// `$name`, `${name}`, `@{…}`, with subscripts.
    pub(super) fn sigil_expression(&mut self) -> Option<String> {
        let start = self.at;
        let next = self.peek(1)?;
        if next == '{' {
            self.at += 2;
            self.balanced('}');
        } else if next.is_alphabetic() || next == '_' {
            self.at += 1;
            while self.peek(0).is_some_and(|c| c.is_alphanumeric() || c == '_')
                || (self.looking_at("::") && self.peek(2).is_some_and(char::is_alphabetic))
            {
                self.at += if self.peek(0) == Some(':') { 2 } else { 1 };
            }
        } else if self.chars[start] == '$'
            && (next.is_ascii_digit() || matches!(next, '&' | '!' | '@' | '0' | '.' | ','))
        {
            self.at += 2;
            return Some(self.between(start, self.at));
        } else {
            return None;
        }
        while let (Some(open @ ('[' | '{')), _, _) | (Some('-'), Some('>'), Some(open @ ('[' | '{'))) =
            (self.peek(0), self.peek(1), self.peek(2))
        {
            if open == '[' && self.peek(1).is_some_and(char::is_whitespace) {
                break;
            }
            self.at += if self.peek(0) == Some('-') { 3 } else { 1 };
            self.balanced(if open == '[' { ']' } else { '}' });
        }
        Some(self.between(start, self.at))
    }

    /// Source up to the brace that closes, nested ones and quotes passed.
    pub(super) fn balanced(&mut self, close: char) -> String {
        let open = if close == '}' { '{' } else { '[' };
        let start = self.at;
        let mut level = 0;
        while let Some(c) = self.peek(0) {
            if c == '\\' {
                self.at += 1;
            } else if matches!(c, '\'' | '"' | '`') {
                // A quote without its partner is only a character.
                let rest = self.chars.get(self.at + 1..).unwrap_or_default();
                if let Some(end) = rest.iter().take(500).position(|other| *other == c) {
                    self.at += end + 1;
                }
            } else if c == open {
                level += 1;
            } else if c == close {
                if level == 0 {
                    break;
                }
                level -= 1;
            }
            self.at += 1;
        }
        let end = self.at.min(self.chars.len());
        self.at = (end + 1).min(self.chars.len());
        self.between(start, end)
    }

    pub(super) fn escape(&mut self, text: &mut String, close: &str, reading: Reading) {
        let Some(c) = self.peek(0) else { return };
        self.at += 1;
        if !matches!(reading, Reading::Escapes | Reading::Full) {
            if reading == Reading::Single && (close.starts_with(c) || c == '\\') {
                text.push(c);
            } else {
                text.push('\\');
                text.push(c);
            }
            return;
        }
        match c {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            'e' => text.push('\x1b'),
            'a' | 'b' | 'f' | 'v' => text.push(' '),
            '\n' => {}
            'x' | 'u' | 'U' => {
                let braces = self.peek(0) == Some('{');
                self.at += usize::from(braces);
                let most = match c {
                    _ if braces => 6,
                    'x' => 2,
                    'u' => 4,
                    _ => 8,
                };
                self.code_point(text, 16, most);
                self.at += usize::from(braces && self.peek(0) == Some('}'));
            }
            '0'..='7' => {
                self.at -= 1;
                self.code_point(text, 8, 3);
            }
            other => text.push(other),
        }
    }

    pub(super) fn code_point(&mut self, text: &mut String, radix: u32, most: usize) {
        let mut value = 0_u32;
        for _ in 0..most {
            let Some(digit) = self.peek(0).and_then(|c| c.to_digit(radix)) else { break };
            value = value.saturating_mul(radix).saturating_add(digit);
            self.at += 1;
        }
        text.extend(char::from_u32(value));
    }
}

/// The expression of an f-string's field. A format or a conversion is a call of what they stand for.
fn python_field(source: &str) -> String {
    let expression = python_expression(source);
    let rest = source.get(expression.len()..).unwrap_or_default();
    let plain = |format: &str| format.chars().all(|c| c.is_ascii_alphanumeric());
    match rest.trim_end() {
        "" | "!s" => expression.trim_end_matches('=').to_owned(),
        rest => match rest.strip_prefix(':').filter(|format| plain(format)) {
            Some("") => expression.to_owned(),
            Some(format) => format!("'{{:{format}}}'.format(({expression}))"),
            // In a way that is not told.
            None => format!("'{{:?}}'.format(({}))", expression.trim_end_matches('=')),
        },
    }
}

/// The part of a field in front of its format and conversion.
fn python_expression(source: &str) -> &str {
    let mut level = 0_i32;
    let mut quote = None;
    let chars = source.char_indices().collect::<Vec<_>>();
    for (index, (at, c)) in chars.iter().enumerate() {
        match (quote, *c) {
            (Some(q), c) if c == q => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(*c),
            (None, '(' | '[' | '{') => level += 1,
            (None, ')' | ']' | '}') => level -= 1,
            (None, ':') if level == 0 => return &source[..*at],
            (None, '!') if level == 0 && chars.get(index + 1).is_some_and(|(_, c)| *c != '=') => {
                return &source[..*at];
            }
            _ => {}
        }
    }
    source
}
