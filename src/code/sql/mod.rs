//! SQL text: statements, what each does, and to what.
//!
//! Splits by the dialect's own rules (quotes, comments, bodies of triggers, client commands) and classifies by the
//! statement's head, so that a statement that cannot be parsed in full is still judged. What has no known head is
//! [`SqlVerb::Unknown`].

mod block;
mod classify;
mod client;
mod copy;
mod definition;
mod lexer;
mod reader;
mod rights;
mod rows;
mod session;
mod woven;

pub use woven::sql_with_numbers;

use super::effect::{SqlStatement, SqlTrigger, SqlVerb};
use client::Client;
use lexer::{Dialect, Token};
use session::Session;

/// Statements of one text; what follows is not looked at.
const STATEMENTS: usize = 5_000;
/// How deep statements may stand in statements (`DO`, `EXECUTE IMMEDIATE`, `COPY (…)`).
const DEPTH: usize = 6;

/// The statements of a SQL text, client commands (`.output`, `\!`) included, in order.
///
/// `dialect` is `sqlite`, `postgres` or `mysql`; anything else is read generically.
pub fn sql(dialect: &str, text: &str) -> Vec<SqlStatement> {
    read(Dialect::named(dialect), text, 0)
}

/// The trigger that a `CREATE TRIGGER` of SQLite defines; `None` when it cannot be read.
pub fn sql_trigger(text: &str) -> Option<SqlTrigger> {
    let session = Session::new(Dialect::Sqlite, 0);
    block::definition(&lexer::tokens(text, Dialect::Sqlite), text, &session)
}

fn read(dialect: Dialect, text: &str, depth: usize) -> Vec<SqlStatement> {
    let mut session = Session::new(dialect, depth);
    if depth > DEPTH {
        session.take(vec![statement(SqlVerb::Unknown, None, "database", text)]);
        return session.statements;
    }
    let mut at = 0;
    loop {
        at = lexer::skip(text, at, dialect);
        let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) else { break };
        if session.statements.len() >= STATEMENTS {
            session.take(vec![statement(SqlVerb::Unknown, None, "database", "(more statements)")]);
            break;
        }
        if let Some((client, length)) = client_command(rest, &mut session) {
            at += length.max(1);
            match client {
                Client::Quits => break,
                Client::Does(found) => session.take(found),
            }
            continue;
        }
        let (tokens, length) = cut(text, at, &session);
        let own = &text[at..at + length];
        at += length;
        at += delimiter_length(&text[at..], &session);
        if own.is_empty() && tokens.is_empty() && text[at..].len() == rest.len() {
            // A lone backslash is neither a command nor SQL.
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
        if tokens.is_empty() {
            continue;
        }
        let copied_in = tokens[0].is("COPY") && tokens.iter().any(|t| t.is("STDIN"));
        let mut found = classify::classify(&tokens, text, own.trim(), &mut session, 0);
        if found.iter().all(|statement| statement.escape.is_none()) {
            found.extend(rows::written(&tokens, text, own.trim(), &session));
        }
        found.extend(block::after(&tokens, text, own.trim(), &mut session));
        session.take(found);
        session.triggers.extend(block::trigger(&tokens, text, &session));
        // Rows that follow `COPY … FROM STDIN;` in a script are data.
        if copied_in && let Some(end) = text[at..].find("\n\\.") {
            at += end + 3;
        }
    }
    session.statements
}

/// The client command at the beginning of `rest`, and its length.
fn client_command(rest: &str, session: &mut Session) -> Option<(Client, usize)> {
    let end = rest.find('\n').unwrap_or(rest.len());
    let line = &rest[..end];
    match session.dialect {
        Dialect::Sqlite if rest.starts_with('.') => Some((client::dot(line, session), end)),
        Dialect::Postgres if rest.starts_with('\\') => {
            if rest[1..].starts_with(['\\', ';']) {
                return Some((Client::Does(Vec::new()), 2));
            }
            let end = if rest.starts_with("\\!") { end } else { line.find("\\\\").unwrap_or(end) };
            Some((client::backslash(&rest[..end], session), end))
        }
        Dialect::Mysql => {
            if rest.starts_with("\\G") || rest.starts_with("\\g") || rest.starts_with("\\c") {
                return Some((Client::Does(Vec::new()), 2));
            }
            let word = line.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_lowercase();
            let end = match word.as_str() {
                "use" | "source" | "tee" | "quit" | "exit" => line.find(';').map_or(end, |at| at + 1),
                _ => end,
            };
            Some((client::mysql(&rest[..end], session)?, end))
        }
        Dialect::Generic if line.trim().eq_ignore_ascii_case("go") => Some((Client::Does(Vec::new()), end)),
        Dialect::Generic if rest.starts_with("!!") => {
            Some((client::backslash(&format!("\\{}", &line[1..]), session), end))
        }
        _ => None,
    }
}

/// The tokens of the statement that starts at `at`, and the length of its text without the delimiter.
fn cut(text: &str, at: usize, session: &Session) -> (Vec<Token>, usize) {
    let mut tokens: Vec<Token> = Vec::new();
    let mut place = at;
    let mut body = Body::default();
    while let Some(token) = lexer::next(text, place, session.dialect) {
        if delimiter_length(&text[token.start..], session) > 0 && !body.open() {
            return (tokens, token.start - at);
        }
        if token.mark('\\') && matches!(session.dialect, Dialect::Postgres | Dialect::Mysql) {
            return (tokens, token.start - at);
        }
        if session.dialect == Dialect::Generic && token.is("GO") && alone(text, &token) {
            return (tokens, token.start - at);
        }
        place = token.end.max(place + 1);
        body.see(&tokens, &token);
        tokens.push(token);
    }
    (tokens, text.len() - at)
}

/// Whether a token has a line for itself.
fn alone(text: &str, token: &Token) -> bool {
    let before = text[..token.start].trim_end_matches([' ', '\t']);
    let after = text[token.end..].trim_start_matches([' ', '\t', '\r']);
    (before.is_empty() || before.ends_with('\n')) && (after.is_empty() || after.starts_with('\n'))
}

fn delimiter_length(rest: &str, session: &Session) -> usize {
    if !session.delimiter.is_empty() && rest.starts_with(session.delimiter.as_str()) {
        session.delimiter.len()
    } else {
        0
    }
}

/// The body of a trigger or routine, inside which semicolons do not end the statement.
#[derive(Default)]
struct Body {
    routine: bool,
    level: usize,
}

impl Body {
    fn open(&self) -> bool {
        self.level > 0
    }

    fn see(&mut self, before: &[Token], token: &Token) {
        let Some(word) = token.word() else { return };
        if before.len() < 12 && matches!(word, "TRIGGER" | "PROCEDURE" | "FUNCTION" | "EVENT" | "PACKAGE") {
            self.routine |= before.first().is_some_and(|first| first.is("CREATE") || first.is("ALTER"));
        }
        if !self.routine {
            return;
        }
        match word {
            "BEGIN" => self.level += 1,
            "CASE" if self.level > 0 && !before.last().is_some_and(|t| t.is("END")) => self.level += 1,
            "END" => self.level = self.level.saturating_sub(1),
            // `END IF`, `END LOOP` … end what never counted.
            "IF" | "LOOP" | "WHILE" | "REPEAT" if before.last().is_some_and(|t| t.is("END")) => {
                self.level += 1
            }
            _ => {}
        }
    }
}

fn statement(verb: SqlVerb, object: Option<String>, object_kind: &'static str, text: &str) -> SqlStatement {
    SqlStatement {
        verb,
        object,
        object_kind,
        database: None,
        fresh: false,
        later: false,
        copied_to: None,
        condition: None,
        escape: None,
        rolled_back: false,
        text: text.to_owned(),
    }
}

#[cfg(test)]
mod tests;
