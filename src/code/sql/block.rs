//! Statements inside and behind others: blocks with control flow, and texts that need no semicolons.

use crate::code::effect::{SqlEvent, SqlStatement, SqlTrigger, SqlVerb};

use super::classify::classify;
use super::lexer::{self, Dialect, Kind, Token};
use super::reader::Reader;
use super::session::Session;

/// Words between the statements of a block.
const BETWEEN: &[&str] = &["BEGIN", "THEN", "ELSE", "LOOP", "DECLARE", "EXCEPTION", "END", "TRY", "CATCH"];
/// Words that a statement of a block begins with.
const HEADS: &[&str] = &[
    "SELECT", "PERFORM", "WITH", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "DROP", "ALTER", "CREATE",
    "EXECUTE", "EXEC", "CALL", "GRANT", "REVOKE", "MERGE", "COPY",
];

/// `DO $$ … $$`: the statements of the block, whatever its control flow.
pub(super) fn text(reader: &mut Reader<'_>, session: &mut Session) -> Vec<SqlStatement> {
    if reader.skip("LANGUAGE") {
        let language = reader.name().unwrap_or_default().to_lowercase();
        if language != "plpgsql" {
            return vec![reader.is(SqlVerb::Unknown, None, "database")];
        }
    }
    let Some(body) = reader.text() else { return vec![reader.is(SqlVerb::Unknown, None, "database")] };
    let tokens = lexer::tokens(&body, session.dialect);
    let mut inner = Session::new(session.dialect, session.depth + 1);
    let mut found = parts(&tokens, &body, &mut inner, session.depth + 1);
    if found.is_empty() {
        found.push(reader.is(SqlVerb::Read, None, "database"));
    }
    found
}

/// What stands behind `BEGIN`, `IF …`, `DECLARE …` in the same statement; `None` when nothing does.
pub(super) fn inside(reader: &Reader<'_>, session: &Session, depth: usize) -> Option<Vec<SqlStatement>> {
    let mut inner = Session::new(session.dialect, session.depth + 1);
    let found = parts(reader.tokens.get(reader.at..)?, reader.source, &mut inner, depth + 1);
    (!found.is_empty()).then_some(found)
}

/// What a trigger that a statement makes does to content, and the table whose changes fire it.
pub(super) fn trigger(tokens: &[Token], source: &str, session: &Session) -> Vec<(String, SqlStatement)> {
    let Some(mut made) = definition(tokens, source, session) else { return Vec::new() };
    made.statements.retain(|statement| statement.verb != SqlVerb::Create);
    made.statements.into_iter().map(|statement| (made.table.clone(), statement)).collect()
}

/// A trigger that a statement makes.
pub(super) fn definition(tokens: &[Token], source: &str, session: &Session) -> Option<SqlTrigger> {
    let makes = tokens.first().is_some_and(|first| first.is("CREATE"))
        && tokens.iter().take(8).any(|token| token.is("TRIGGER"));
    let body = tokens.iter().position(|token| token.is("BEGIN")).filter(|_| makes)?;
    let mut inner = Session::new(session.dialect, session.depth + 1);
    let mut statements = parts(tokens.get(body..)?, source, &mut inner, session.depth + 1);
    statements.retain(|statement| !matches!(statement.verb, SqlVerb::Read | SqlVerb::Control));
    let head = tokens.get(..body)?;
    let on = head.iter().position(|token| token.is("ON"))?;
    let event = head.iter().take(on).rev().find_map(|token| match token.word()? {
        "INSERT" => Some(SqlEvent::Insert),
        "UPDATE" => Some(SqlEvent::Update),
        "DELETE" => Some(SqlEvent::Delete),
        _ => None,
    })?;
    let table = head.get(on + 1).and_then(|token| source.get(token.start..token.end))?;
    let table = table.trim_matches(['"', '`', '[', ']', '\'']).to_lowercase();
    Some(SqlTrigger { table, event, statements })
}

fn parts(tokens: &[Token], source: &str, inner: &mut Session, depth: usize) -> Vec<SqlStatement> {
    let between = |t: &Token| t.mark(';') || t.word().is_some_and(|word| BETWEEN.contains(&word));
    let mut found = Vec::new();
    for part in tokens.split(between) {
        // `IF x IS NULL DELETE …`: a condition stands before it.
        let mut level = 0_i32;
        let start = part.iter().position(|token| {
            match token.kind {
                Kind::Mark('(') => level += 1,
                Kind::Mark(')') => level -= 1,
                _ => {}
            }
            level == 0 && token.word().is_some_and(|word| HEADS.contains(&word))
        });
        // As a function it stands in the middle of a part, never at its head.
        let start = if part.first().is_some_and(|token| token.is("REPLACE")) { Some(0) } else { start };
        let Some(part) = start.and_then(|start| part.get(start..)) else { continue };
        let (Some(first), Some(last)) = (part.first(), part.last()) else { continue };
        let own = source.get(first.start..last.end).unwrap_or_default();
        found.extend(classify(part, source, own, inner, depth));
        found.extend(after(part, source, own, inner));
    }
    found
}

/// Statements behind the first one without a semicolon between them, as some servers take them.
pub(super) fn after(tokens: &[Token], source: &str, own: &str, session: &mut Session) -> Vec<SqlStatement> {
    let ordinary = |token: &Token| {
        matches!(
            token.word(),
            Some(
                "SELECT"
                    | "INSERT"
                    | "UPDATE"
                    | "DELETE"
                    | "EXEC"
                    | "EXECUTE"
                    | "PRINT"
                    | "TRUNCATE"
                    | "DROP"
                    | "USE"
            )
        )
    };
    if session.dialect != Dialect::Generic || !tokens.first().is_some_and(ordinary) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut level = 0_i32;
    for (at, pair) in tokens.windows(2).enumerate() {
        let [first, second] = pair else { continue };
        match first.kind {
            Kind::Mark('(') => level += 1,
            Kind::Mark(')') => level -= 1,
            _ => {}
        }
        let begins = match first.word() {
            Some("DROP") => matches!(second.word(), Some("TABLE" | "DATABASE" | "SCHEMA" | "VIEW")),
            Some("TRUNCATE") => second.is("TABLE"),
            Some("DELETE") => second.is("FROM"),
            _ => false,
        };
        if at > 0 && level == 0 && begins {
            let rest = tokens.get(at..).unwrap_or_default();
            found.extend(classify(rest, source, own, session, 1));
        }
    }
    found
}
