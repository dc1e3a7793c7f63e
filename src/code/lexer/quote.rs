//! Quoted texts, here-documents, regular expressions and word lists.

use crate::code::language::Language;
use crate::code::library;

use super::{Lexer, Piece, Tok};

/// How the inside of quotes is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
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
    pub(super) fn interpolates(self) -> bool {
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
            Language::Ruby => c == '?' && self.one_character() || self.ruby(c),
            Language::Php => self.php(c),
            Language::Lua => self.lua(c),
        }
    }

    fn python(&mut self, c: char) -> bool {
        if matches!(c, '!' | '%') && self.begins_statement() {
            return self.magic(c);
        }
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

    /// Whether a statement begins here.
    fn begins_statement(&self) -> bool {
        let before = self.tokens.last().map(|token| &token.kind);
        self.nesting == 0
            && matches!(before, None | Some(Tok::Newline | Tok::Indent | Tok::Dedent | Tok::Op(";")))
    }

    /// A line that IPython hands to a shell (`!ls`, `%rm x`), or a cell of such lines (`%%bash`). Of the others those are passed
    /// over that only show or measure: code may stand behind them.
    fn magic(&mut self, c: char) -> bool {
        let start = self.at;
        while self.peek(0) == Some(c) {
            self.at += 1;
        }
        let cell = c == '%' && self.at - start > 1;
        let text = self.at;
        while self.peek(0).is_some_and(char::is_alphanumeric) {
            self.at += 1;
        }
        let word = self.between(text, self.at);
        let from = match (c, word.as_str()) {
            ('!', _) => text,
            (_, word) => match library::magic(self.language, word) {
                Some(true) => text,
                Some(false) => self.at,
                None if library::is_quiet(self.language, word) => return true,
                None => {
                    // A script that is run, a file that is written: nobody knows what.
                    self.pass_line();
                    let unknown = self.unknown_name();
                    self.push(Tok::Shell(vec![Piece::Code(unknown)]));
                    return true;
                }
            },
        };
        if cell {
            self.at = self.chars.len();
        } else {
            self.pass_line();
        }
        let command = self.between(from, self.at);
        self.push(Tok::Shell(vec![Piece::Text(command.trim().to_owned())]));
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

    /// Ruby's `?w` for "w".
    fn one_character(&mut self) -> bool {
        let ends = |c: Option<char>| c.is_none_or(|c| !(c.is_alphanumeric() || c == '_'));
        let Some(one) = self.peek(1).filter(|c| c.is_ascii_alphanumeric()) else { return false };
        let is_one = !self.after_value() && ends(self.peek(2));
        if is_one {
            self.at += 2;
            self.push(Tok::Text(vec![Piece::Text(one.to_string())]));
        }
        is_one
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
                let mut changes = false;
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
                    changes = !flags.contains('r');
                    if name == "s" {
                        let runs = flags.contains('e').then(|| replacement.clone());
                        code = runs.or_else(|| embedded(&replacement)).or(code);
                    }
                } else {
                    self.flags();
                }
                self.push(Tok::Regex { code, changes });
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
                self.push(Tok::Regex { code: None, changes: false });
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
        self.push(Tok::Regex { code, changes: false });
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
