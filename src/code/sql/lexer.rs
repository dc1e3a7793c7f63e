//! SQL tokens, with each dialect's quotes and comments.

/// Dialect of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    Sqlite,
    Postgres,
    Mysql,
    Generic,
}

impl Dialect {
    /// The dialect of this name; generic for others.
    pub(super) fn named(name: &str) -> Self {
        match name {
            "sqlite" | "sqlite3" => Self::Sqlite,
            "postgres" | "postgresql" | "psql" => Self::Postgres,
            "mysql" | "mariadb" => Self::Mysql,
            _ => Self::Generic,
        }
    }
}

/// What a token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Keyword or plain name, in capitals.
    Word(String),
    /// Quoted name, quotes removed.
    Name(String),
    /// String, quotes removed.
    Text(String),
    /// Number.
    Number(String),
    /// One character of punctuation.
    Mark(char),
}

/// A token and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Token {
    /// The keyword, in capitals.
    pub(super) fn word(&self) -> Option<&str> {
        if let Kind::Word(word) = &self.kind { Some(word) } else { None }
    }

    /// Whether this is the keyword.
    pub(super) fn is(&self, word: &str) -> bool {
        self.word() == Some(word)
    }

    /// Whether this is the punctuation.
    pub(super) fn mark(&self, mark: char) -> bool {
        self.kind == Kind::Mark(mark)
    }
}

/// The token at or after `at` (blanks and comments skipped); `None` at the end.
pub(super) fn next(text: &str, mut at: usize, dialect: Dialect) -> Option<Token> {
    at = skip(text, at, dialect);
    let rest = text.get(at..)?;
    let first = rest.chars().next()?;
    let second = rest.chars().nth(1);
    let token = |kind, length: usize| Some(Token { kind, start: at, end: (at + length).min(text.len()) });
    match first {
        '\'' => {
            let (value, length) = quoted(rest, '\'', dialect == Dialect::Mysql);
            token(Kind::Text(value), length)
        }
        '"' if dialect == Dialect::Mysql => {
            let (value, length) = quoted(rest, '"', true);
            token(Kind::Text(value), length)
        }
        '"' | '`' => {
            let (value, length) = quoted(rest, first, false);
            token(Kind::Name(value), length)
        }
        '[' if matches!(dialect, Dialect::Sqlite | Dialect::Generic) => {
            match rest.char_indices().take(128).find(|(_, c)| *c == ']') {
                Some((end, _)) => token(Kind::Name(rest[1..end].to_owned()), end + 1),
                None => token(Kind::Mark('['), 1),
            }
        }
        'e' | 'E' if second == Some('\'') && dialect == Dialect::Postgres => {
            let (value, length) = quoted(&rest[1..], '\'', true);
            token(Kind::Text(value), length + 1)
        }
        'x' | 'X' | 'n' | 'N' | 'b' | 'B' if second == Some('\'') => {
            let (value, length) = quoted(&rest[1..], '\'', false);
            token(Kind::Text(value), length + 1)
        }
        '$' if dialect != Dialect::Mysql && dialect != Dialect::Sqlite => match dollar(rest) {
            Some((value, length)) => token(Kind::Text(value), length),
            None => token(Kind::Mark('$'), 1),
        },
        c if c.is_ascii_digit() => {
            let length = rest.find(|c: char| !c.is_alphanumeric() && c != '.').unwrap_or(rest.len());
            token(Kind::Number(rest[..length].to_owned()), length)
        }
        c if c.is_alphabetic() || c == '_' || c == '@' => {
            let length = rest
                .find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '$' | '@' | '#'))
                .unwrap_or(rest.len());
            token(Kind::Word(rest[..length].to_uppercase()), length)
        }
        c => token(Kind::Mark(c), c.len_utf8()),
    }
}

/// All tokens of a text.
pub(super) fn tokens(text: &str, dialect: Dialect) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(token) = next(text, at, dialect) {
        at = token.end;
        tokens.push(token);
    }
    tokens
}

/// The first place at or after `at` that is neither blank nor comment. What MySQL runs inside `/*! … */` is not skipped.
pub(super) fn skip(text: &str, mut at: usize, dialect: Dialect) -> usize {
    loop {
        let Some(rest) = text.get(at..) else { return text.len() };
        let trimmed = rest.trim_start();
        at += rest.len() - trimmed.len();
        let mysql = dialect == Dialect::Mysql;
        let line = (mysql && trimmed.starts_with('#'))
            || (trimmed.starts_with("--")
                && (!mysql
                    || trimmed[2..].chars().next().is_none_or(|c| c.is_whitespace() || c.is_control())));
        if line {
            at += trimmed.find('\n').unwrap_or(trimmed.len());
        } else if mysql && (trimmed.starts_with("/*!") || trimmed.starts_with("/*M!")) {
            let body = if trimmed.starts_with("/*!") { 3 } else { 4 };
            at += body + trimmed[body..].bytes().take_while(u8::is_ascii_digit).count();
        } else if mysql && trimmed.starts_with("*/") {
            at += 2;
        } else if trimmed.starts_with("/*") {
            at += comment(trimmed, dialect == Dialect::Postgres);
        } else {
            return at;
        }
    }
}

fn comment(text: &str, nested: bool) -> usize {
    let bytes = text.as_bytes();
    let (mut at, mut level) = (2, 1);
    while at < bytes.len() {
        if bytes[at..].starts_with(b"*/") {
            level -= 1;
            at += 2;
            if level == 0 {
                return at;
            }
        } else if nested && bytes[at..].starts_with(b"/*") {
            level += 1;
            at += 2;
        } else {
            at += 1;
        }
    }
    bytes.len()
}

/// Value and length of a quoted text whose first character is the quote; doubled quotes stand for one.
fn quoted(text: &str, quote: char, backslash: bool) -> (String, usize) {
    let mut value = String::new();
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        if c == quote {
            if chars.peek().is_some_and(|(_, next)| *next == quote) {
                chars.next();
                value.push(quote);
            } else {
                return (value, at + c.len_utf8());
            }
        } else if c == '\\' && backslash {
            match chars.next() {
                Some((_, 'n')) => value.push('\n'),
                Some((_, 't')) => value.push('\t'),
                Some((_, other)) => value.push(other),
                None => {}
            }
        } else {
            value.push(c);
        }
    }
    (value, text.len())
}

/// Value and length of `$tag$ … $tag$`.
fn dollar(text: &str) -> Option<(String, usize)> {
    let end = text[1..].find('$')? + 1;
    if !text[1..end].chars().all(|c| c.is_alphanumeric() || c == '_')
        || text[1..end].starts_with(|c: char| c.is_ascii_digit())
    {
        return None;
    }
    let tag = &text[..=end];
    let body = &text[tag.len()..];
    match body.find(tag) {
        Some(close) => Some((body[..close].to_owned(), close + 2 * tag.len())),
        None => Some((body.to_owned(), text.len())),
    }
}
