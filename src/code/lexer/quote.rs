//! Quoted texts, here-documents, regular expressions and word lists.

use crate::code::language::Language;

use super::{Lexer, Piece, Tok};

/// How the inside of quotes is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// As written.
    Raw,
    /// Only the delimiter and the backslash are escaped (single quotes of Perl and Ruby).
    Single,
    /// Backslash escapes stand for characters.
    Escapes,
    /// Expressions are interpolated, backslashes stay.
    Fields,
    /// Escapes and expressions.
    Full,
}

impl Reading {
    fn interpolates(self) -> bool {
        matches!(self, Self::Fields | Self::Full)
    }
}

impl Lexer {
    /// Reads a quoted thing that begins here, if one does.
    pub(super) fn quoted(&mut self, c: char) -> bool {
        match self.language {
            Language::Python => self.python(c),
            Language::Node => self.node(c),
            Language::Perl => self.perl(c),
            Language::Ruby => self.ruby(c),
            Language::Php => self.php(c),
            Language::Lua => self.lua(c),
        }
    }

    fn python(&mut self, c: char) -> bool {
        let mut length = 0;
        while length < 3 && self.peek(length).is_some_and(|c| "rRbBuUfFtT".contains(c)) {
            length += 1;
        }
        if !matches!(self.peek(length), Some('\'' | '"')) || (length == 0 && !matches!(c, '\'' | '"')) {
            return false;
        }
        let prefix = self.between(self.at, self.at + length).to_lowercase();
        self.at += length;
        let quote = self.peek(0).unwrap_or('"');
        let triple = self.peek(1) == Some(quote) && self.peek(2) == Some(quote);
        let close = if triple { quote.to_string().repeat(3) } else { quote.to_string() };
        self.at += close.len();
        let reading = match (prefix.contains('r'), prefix.contains(['f', 't'])) {
            (true, true) => Reading::Fields,
            (true, false) => Reading::Raw,
            (false, true) => Reading::Full,
            (false, false) => Reading::Escapes,
        };
        let pieces = self.until(&close, None, reading);
        self.push(Tok::Text(pieces));
        true
    }

    fn node(&mut self, c: char) -> bool {
        match c {
            '\'' | '"' => {
                self.at += 1;
                let pieces = self.until(&c.to_string(), None, Reading::Escapes);
                self.push(Tok::Text(pieces));
            }
            '`' => {
                self.at += 1;
                let pieces = self.until("`", None, Reading::Full);
                self.push(Tok::Text(pieces));
            }
            '/' if !self.after_value() => self.regex('/'),
            _ => return false,
        }
        true
    }

    fn lua(&mut self, c: char) -> bool {
        let plain = Reading::Escapes;
        match c {
            '\'' | '"' => {
                self.at += 1;
                let pieces = self.until(&c.to_string(), None, plain);
                self.push(Tok::Text(pieces));
            }
            '[' if matches!(self.peek(1), Some('[' | '=')) => {
                let level = self
                    .chars
                    .get(self.at + 1..)
                    .unwrap_or_default()
                    .iter()
                    .take_while(|c| **c == '=')
                    .count();
                if self.peek(level + 1) != Some('[') {
                    return false;
                }
                self.at += level + 2;
                let pieces = self.until(&format!("]{}]", "=".repeat(level)), None, Reading::Raw);
                self.push(Tok::Text(pieces));
            }
            _ => return false,
        }
        true
    }

    fn php(&mut self, c: char) -> bool {
        match c {
            '\'' => {
                self.at += 1;
                let pieces = self.until("'", None, Reading::Escapes);
                self.push(Tok::Text(pieces));
            }
            '"' => {
                self.at += 1;
                let pieces = self.until("\"", None, Reading::Full);
                self.push(Tok::Text(pieces));
            }
            '`' => {
                self.at += 1;
                let pieces = self.until("`", None, Reading::Full);
                self.push(Tok::Shell(pieces));
            }
            '<' if self.looking_at("<<<") => {
                self.at += 3;
                return self.here_document(false);
            }
            _ => return false,
        }
        true
    }

    fn perl(&mut self, c: char) -> bool {
        match c {
            '\'' => {
                self.at += 1;
                let pieces = self.until("'", None, Reading::Single);
                self.push(Tok::Text(pieces));
            }
            '"' | '`' => {
                self.at += 1;
                let pieces = self.until(&c.to_string(), None, Reading::Full);
                self.push(if c == '"' { Tok::Text(pieces) } else { Tok::Shell(pieces) });
            }
            '/' if !self.after_value() => self.regex('/'),
            '<' if self.looking_at("<<") && !self.after_value_strictly() => {
                let quoted = matches!(self.peek(2), Some('"' | '\'' | '~'));
                if !quoted && !self.peek(2).is_some_and(|c| c.is_alphabetic() || c == '_') {
                    return false;
                }
                self.at += 2;
                return self.here_document(false);
            }
            '<' if !self.after_value() => return self.angle(),
            'q' | 'm' | 's' | 't' | 'y' => return self.perl_operator(c),
            _ => return false,
        }
        true
    }

    /// `<STDIN>`, `<$fh>`, `<>`, `<*.txt>`.
    fn angle(&mut self) -> bool {
        let Some(length) = self
            .chars
            .get(self.at..)
            .unwrap_or_default()
            .iter()
            .take(200)
            .position(|c| matches!(c, '>' | '\n'))
        else {
            return false;
        };
        if self.peek(length) != Some('>') {
            return false;
        }
        let inner = self.between(self.at + 1, self.at + length);
        let glob = inner.contains(['*', '?', '/', '.', '{']);
        if !glob && !inner.chars().all(|c| c.is_alphanumeric() || matches!(c, '$' | '_' | '<')) {
            return false;
        }
        if glob {
            self.at += 1;
            let pieces = self.until(">", None, Reading::Full);
            self.push(Tok::Glob(pieces));
        } else {
            self.at += length + 1;
            self.push(Tok::Input);
        }
        true
    }

    /// `q qq qw qx qr m s tr y` with any delimiter.
    fn perl_operator(&mut self, first: char) -> bool {
        if self.tokens.last().is_some_and(|t| matches!(&t.kind, Tok::Op("->" | "{"))) && self.hash_key() {
            return false;
        }
        let mut name = first.to_string();
        if let Some(second) = self.peek(1)
            && matches!((first, second), ('q', 'q' | 'w' | 'x' | 'r') | ('t', 'r'))
        {
            name.push(second);
        }
        if name == "t" {
            return false;
        }
        let mut at = name.len();
        let blank = self.peek(at).is_some_and(char::is_whitespace);
        while self.peek(at).is_some_and(char::is_whitespace) {
            at += 1;
        }
        let Some(open) = self.peek(at) else { return false };
        let delimiter = !open.is_alphanumeric()
            && !matches!(open, '_' | ',' | ';' | ')')
            && !(open == '=' && (blank || matches!(self.peek(at + 1), Some('>' | '=' | '~'))))
            && !(blank && open == '#')
            && !(open == '-' && self.peek(at + 1) == Some('>'));
        if !delimiter {
            return false;
        }
        self.at += at + 1;
        let (close, nests) = closing(open);
        let raw = open == '\'';
        match name.as_str() {
            "q" => {
                let pieces = self.until(&close.to_string(), nests, Reading::Single);
                self.push(Tok::Text(pieces));
            }
            "qq" => {
                let pieces = self.until(&close.to_string(), nests, Reading::Full);
                self.push(Tok::Text(pieces));
            }
            "qx" => {
                let pieces =
                    self.until(&close.to_string(), nests, if raw { Reading::Raw } else { Reading::Full });
                self.push(Tok::Shell(pieces));
            }
            "qw" => {
                let text = self.plain(close, nests);
                self.push(Tok::Words(text.split_whitespace().map(str::to_owned).collect()));
            }
            _ => {
                let pattern = self.plain(close, nests);
                let mut code = embedded(&pattern);
                if matches!(name.as_str(), "s" | "tr" | "y") {
                    let (close, nests) = if nests.is_some() {
                        while self.peek(0).is_some_and(char::is_whitespace) {
                            self.at += 1;
                        }
                        let open = self.peek(0).unwrap_or(close);
                        self.at += 1;
                        closing(open)
                    } else {
                        (close, None)
                    };
                    let replacement = self.plain(close, nests);
                    let flags = self.flags();
                    if name == "s" {
                        code = if flags.contains('e') {
                            Some(replacement)
                        } else {
                            embedded(&replacement).or(code)
                        };
                    }
                } else {
                    self.flags();
                }
                self.push(Tok::Regex { code });
            }
        }
        true
    }

    /// Whether the word here is only a key: `{s}`, `->y`.
    fn hash_key(&self) -> bool {
        let after = self
            .chars
            .get(self.at..)
            .unwrap_or_default()
            .iter()
            .position(|c| !c.is_alphanumeric())
            .unwrap_or(0);
        matches!(self.tokens.last().map(|t| &t.kind), Some(Tok::Op("->"))) || self.peek(after) == Some('}')
    }

    fn flags(&mut self) -> String {
        let start = self.at;
        while self.peek(0).is_some_and(|c| c.is_ascii_alphabetic()) {
            self.at += 1;
        }
        self.between(start, self.at)
    }

    fn ruby(&mut self, c: char) -> bool {
        match c {
            '\'' => {
                self.at += 1;
                let pieces = self.until("'", None, Reading::Single);
                self.push(Tok::Text(pieces));
            }
            '"' | '`' => {
                self.at += 1;
                let pieces = self.until(&c.to_string(), None, Reading::Full);
                self.push(if c == '"' { Tok::Text(pieces) } else { Tok::Shell(pieces) });
            }
            ':' if self.peek(1) == Some('"') && !self.after_value() => {
                self.at += 2;
                let pieces = self.until("\"", None, Reading::Full);
                self.push(Tok::Text(pieces));
            }
            ':' if self.peek(1).is_some_and(|c| c.is_alphabetic() || c == '_')
                && self.chars.get(self.at.wrapping_sub(1)) != Some(&':')
                && (self.space || !self.after_value()) =>
            {
                self.at += 1;
                let name = self.name();
                self.push(Tok::Text(vec![Piece::Text(name)]));
            }
            '/' if !self.after_value()
                || (self.space
                    && matches!(self.tokens.last().map(|t| &t.kind), Some(Tok::Name(_)))
                    && self.peek(1).is_some_and(|c| !c.is_whitespace())) =>
            {
                self.regex('/');
            }
            '<' if self.looking_at("<<") => {
                let mark = if matches!(self.peek(2), Some('~' | '-')) { 3 } else { 2 };
                let quoted = matches!(self.peek(mark), Some('"' | '\'' | '`'));
                if !quoted && !self.peek(mark).is_some_and(char::is_uppercase) {
                    return false;
                }
                self.at += mark;
                return self.here_document(self.peek(0) == Some('`'));
            }
            '%' => return self.percent(),
            _ => return false,
        }
        true
    }

    /// Ruby's `%w[] %i[] %q() %Q() %x() %r{} %()`.
    fn percent(&mut self) -> bool {
        let letter = self.peek(1).filter(char::is_ascii_alphabetic);
        let open = self.peek(if letter.is_some() { 2 } else { 1 });
        let Some(open) = open.filter(|c| matches!(c, '(' | '[' | '{' | '<' | '|' | '!' | '/')) else {
            return false;
        };
        let spaced = self.space && matches!(self.tokens.last().map(|t| &t.kind), Some(Tok::Name(_)));
        if self.after_value() && !spaced {
            return false;
        }
        if letter.is_some_and(|c| !"wWiIqQxrs".contains(c)) {
            return false;
        }
        self.at += if letter.is_some() { 3 } else { 2 };
        let (close, nests) = closing(open);
        match letter {
            Some('w' | 'W' | 'i' | 'I') => {
                let text = self.plain(close, nests);
                self.push(Tok::Words(text.split_whitespace().map(str::to_owned).collect()));
            }
            Some('q' | 's') => {
                let pieces = self.until(&close.to_string(), nests, Reading::Single);
                self.push(Tok::Text(pieces));
            }
            Some('r') => {
                self.plain(close, nests);
                self.flags();
                self.push(Tok::Regex { code: None });
            }
            other => {
                let pieces = self.until(&close.to_string(), nests, Reading::Full);
                self.push(if other == Some('x') { Tok::Shell(pieces) } else { Tok::Text(pieces) });
            }
        }
        true
    }

    fn regex(&mut self, close: char) {
        self.at += 1;
        let start = self.at;
        let mut bracket = false;
        while let Some(c) = self.peek(0) {
            match c {
                '\\' => self.at += 1,
                '[' => bracket = true,
                ']' => bracket = false,
                '\n' if self.language == Language::Node => break,
                _ if c == close && !(bracket && self.language == Language::Node) => break,
                _ => {}
            }
            self.at += 1;
        }
        self.at = self.at.min(self.chars.len());
        let text = self.between(start, self.at);
        self.at = (self.at + 1).min(self.chars.len());
        self.flags();
        let code = if self.language == Language::Perl { embedded(&text) } else { None };
        self.push(Tok::Regex { code });
    }

    /// After the operator of a here-document: reads its mark and takes its body from behind this line.
    fn here_document(&mut self, shell: bool) -> bool {
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
    fn plain(&mut self, close: char, nests: Option<char>) -> String {
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
    fn until(&mut self, close: &str, nests: Option<char>, reading: Reading) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut text = String::new();
        let mut level = 0;
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
                self.escape(&mut text, close, reading);
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
                continue;
            }
            text.push(c);
            self.at += 1;
        }
        pieces.push(Piece::Text(text));
        pieces
    }

    /// Source of the expression that is interpolated here.
    fn interpolation(&mut self, c: char) -> Option<String> {
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
    fn sigil_expression(&mut self) -> Option<String> {
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
                self.at += 1;
            }
        } else if self.chars[start] == '$'
            && (next.is_ascii_digit() || matches!(next, '&' | '!' | '@' | '0' | '.' | ','))
        {
            self.at += 2;
            return Some(self.between(start, self.at));
        } else {
            return None;
        }
        loop {
            match (self.peek(0), self.peek(1), self.peek(2)) {
                (Some(open @ ('[' | '{')), _, _) | (Some('-'), Some('>'), Some(open @ ('[' | '{'))) => {
                    if open == '[' && self.peek(1).is_some_and(char::is_whitespace) {
                        break;
                    }
                    self.at += if self.peek(0) == Some('-') { 3 } else { 1 };
                    self.balanced(if open == '[' { ']' } else { '}' });
                }
                _ => break,
            }
        }
        Some(self.between(start, self.at))
    }

    /// Source up to the brace that closes, nested ones and quotes passed.
    fn balanced(&mut self, close: char) -> String {
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

    fn escape(&mut self, text: &mut String, close: &str, reading: Reading) {
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

    fn code_point(&mut self, text: &mut String, radix: u32, most: usize) {
        let mut value = 0_u32;
        for _ in 0..most {
            let Some(digit) = self.peek(0).and_then(|c| c.to_digit(radix)) else { break };
            value = value.saturating_mul(radix).saturating_add(digit);
            self.at += 1;
        }
        text.extend(char::from_u32(value));
    }

    /// Like [`Lexer::after_value`], but a name with a blank behind it may take an operand (`print <<EOT`).
    fn after_value_strictly(&self) -> bool {
        self.after_value()
            && !(self.space && matches!(self.tokens.last().map(|t| &t.kind), Some(Tok::Name(_))))
    }
}

fn closing(open: char) -> (char, Option<char>) {
    match open {
        '(' => (')', Some('(')),
        '[' => (']', Some('[')),
        '{' => ('}', Some('{')),
        '<' => ('>', Some('<')),
        other => (other, None),
    }
}

/// Code that a regular expression runs: `(?{ … })` and `@{[ … ]}`.
fn embedded(pattern: &str) -> Option<String> {
    for (open, close) in [("(?{", "})"), ("(??{", "})"), ("@{[", "]}")] {
        if let Some((_, rest)) = pattern.split_once(open) {
            return Some(rest.rsplit_once(close).map_or(rest, |(code, _)| code).to_owned());
        }
    }
    None
}

/// The expression of an f-string's field, without its format and conversion.
fn python_field(source: &str) -> String {
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
            (None, ':') if level == 0 => return source[..*at].to_owned(),
            (None, '!') if level == 0 && chars.get(index + 1).is_some_and(|(_, c)| *c != '=') => {
                return source[..*at].to_owned();
            }
            _ => {}
        }
    }
    source.trim_end_matches('=').to_owned()
}
