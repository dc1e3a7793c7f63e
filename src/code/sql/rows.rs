//! `SELECT`, `INSERT`, `UPDATE`, `DELETE`: statements on rows.

use crate::code::effect::{CodeEffect, SqlStatement, SqlVerb};
use crate::model::Value;

use super::lexer::{Dialect, Kind, Token};
use super::reader::Reader;
use super::session::Session;

/// Functions that act although they stand in a SELECT.
const ACTING: &[&str] = &[
    "PG_TERMINATE_BACKEND",
    "PG_FILE_UNLINK",
    "PG_FILE_WRITE",
    "PG_FILE_RENAME",
    "LO_UNLINK",
    "LO_EXPORT",
    "LO_PUT",
    "LO_TRUNCATE",
    "PG_PROMOTE",
    "PG_DROP_REPLICATION_SLOT",
    "DBLINK_EXEC",
    "DBLINK",
    "LOAD_EXTENSION",
    "SYS_EXEC",
    "SYS_EVAL",
    "EDIT",
    "PG_LOGICAL_SLOT_GET_CHANGES",
    "PG_REPLICATION_ORIGIN_DROP",
    "SETVAL",
    "XP_CMDSHELL",
    "QUERY_TO_XML_AND_XMLSCHEMA",
];
/// Parts of function names that say that the function takes something away.
const TAKING: &[&str] =
    &["DELETE", "DROP", "PURGE", "TRUNCATE", "CLEAN", "WIPE", "ERASE", "DESTROY", "REMOVE", "RESET"];
/// Functions with such a part that only compute.
const COMPUTING: &[&str] = &["JSON_REMOVE", "JSONB_REMOVE", "ARRAY_REMOVE", "JSON_ARRAY_REMOVE"];

/// Files that functions of sqlite3 write, in whatever statement they stand.
pub(super) fn written(tokens: &[Token], source: &str, own: &str, session: &Session) -> Vec<SqlStatement> {
    let reader = Reader { tokens, source, own, at: 0 };
    let mut found = Vec::new();
    for (at, pair) in tokens.windows(2).enumerate() {
        if session.dialect != Dialect::Sqlite || pair[0].word() != Some("WRITEFILE") || !pair[1].mark('(') {
            continue;
        }
        let behind = (tokens.get(at + 2).map(|t| &t.kind), tokens.get(at + 3));
        let path = match behind {
            (Some(Kind::Text(path)), Some(next)) if next.mark(',') => Value::known(path.clone()),
            _ => Value::Unknown,
        };
        let mut escape = reader.is(SqlVerb::Escape, None, "file");
        escape.escape = Some(CodeEffect::Overwrite { path });
        found.push(escape);
    }
    found
}

pub(super) fn select(reader: &mut Reader<'_>, session: &mut Session) -> Vec<SqlStatement> {
    let mut found = written(reader.tokens, reader.source, reader.own, session);
    for pair in reader.tokens.windows(2) {
        let (Some(word), true) = (pair[0].word(), pair[1].mark('(')) else { continue };
        if ACTING.contains(&word)
            || (session.dialect != Dialect::Sqlite
                && !COMPUTING.contains(&word)
                && TAKING.iter().any(|taking| word.contains(taking)))
        {
            found.push(reader.is(SqlVerb::Unknown, Some(word.to_lowercase()), "function"));
        }
    }
    if let Some(into) = reader.find(&["INTO"]) {
        let mut inner = Reader { at: into + 1, ..*reader };
        if inner.skip("OUTFILE") || inner.skip("DUMPFILE") {
            // MySQL refuses to write onto a file that exists.
            let path = inner.text().map_or(Value::Unknown, Value::known);
            let mut escape = reader.is(SqlVerb::Escape, None, "file");
            escape.escape = Some(CodeEffect::Append { path });
            found.push(escape);
        } else {
            let temporary = inner.word().is_some_and(|w| matches!(w, "TEMP" | "TEMPORARY"));
            inner.skip_all(&["TEMP", "TEMPORARY", "UNLOGGED", "TABLE"]);
            if let Some(name) = inner.name() {
                if let Some(from) = whole_table(reader, into) {
                    session.copied(&from, &name);
                }
                session.made(&name, temporary);
                found.push(reader.is(SqlVerb::Create, Some(name), "table"));
            }
        }
    }
    if found.is_empty() {
        found.push(reader.is(SqlVerb::Read, None, "database"));
    }
    found
}

/// The table that `… * FROM t` reads whole, when the statement says nothing more.
pub(super) fn whole_table(reader: &Reader<'_>, from: usize) -> Option<String> {
    let mut inner = Reader { at: 0, ..*reader };
    let star = inner.tokens.iter().position(|t| t.mark('*'))?;
    inner.at = from.min(star);
    inner.at = inner.find(&["FROM"])? + 1;
    let name = inner.name()?;
    (inner.at >= inner.tokens.len() && inner.tokens.get(star + 1).is_some_and(|t| t.word().is_some()))
        .then_some(name)
}

pub(super) fn insert(reader: &mut Reader<'_>, head: &str, session: &mut Session) -> Vec<SqlStatement> {
    let mut replaces = head == "REPLACE";
    if reader.skip("OR") {
        replaces |= reader.word() == Some("REPLACE");
        reader.at += 1;
    }
    reader.skip_all(&["LOW_PRIORITY", "DELAYED", "HIGH_PRIORITY", "IGNORE"]);
    let overwrites = reader.skip("OVERWRITE");
    reader.skip_all(&["INTO", "TABLE"]);
    let object = reader.name();
    let after = reader.at;
    replaces |= reader.find(&["DUPLICATE"]).is_some();
    if let Some(conflict) = reader.find(&["CONFLICT"]) {
        let rest = &reader.tokens[conflict..];
        replaces |= rest.windows(2).any(|pair| pair[0].is("DO") && pair[1].is("UPDATE"));
    }
    if let Some(name) = &object
        && reader.tokens.get(after).is_some_and(|t| t.is("SELECT"))
        && let Some(from) = whole_table(reader, after)
    {
        session.copied(&from, name);
    }
    let verb = match (overwrites, replaces) {
        (true, _) => SqlVerb::Truncate,
        (_, true) => SqlVerb::Update,
        _ => SqlVerb::Create,
    };
    vec![reader.is(verb, object, "table")]
}

pub(super) fn update(reader: &mut Reader<'_>) -> SqlStatement {
    if reader.skip("OR") {
        reader.at += 1;
    }
    reader.skip_all(&["ONLY", "LOW_PRIORITY", "IGNORE"]);
    let object = reader.name();
    let set = reader.find(&["SET"]).map_or(reader.tokens.len(), |at| at + 1);
    let end = Reader { at: set, ..*reader }.find(&["WHERE", "FROM", "RETURNING", "ORDER", "LIMIT"]);
    let assignments = reader.tokens.get(set..end.unwrap_or(reader.tokens.len())).unwrap_or_default();
    let same = !assignments.is_empty()
        && assignments.split(|t| t.mark(',')).all(|parts| {
            matches!(parts, [left, equals, right] if equals.mark('=') && left.kind == right.kind
                && matches!(left.kind, Kind::Word(_) | Kind::Name(_)))
        });
    reader.at = set.min(reader.tokens.len());
    finish(reader, if same { SqlVerb::Read } else { SqlVerb::Update }, object)
}

pub(super) fn delete(reader: &mut Reader<'_>) -> SqlStatement {
    reader.skip_all(&["LOW_PRIORITY", "QUICK", "IGNORE", "FROM", "ONLY"]);
    let object = reader.name();
    finish(reader, SqlVerb::Delete, object)
}

/// Adds the condition; one that is always true is none, one that never is makes the statement harmless.
fn finish(reader: &Reader<'_>, verb: SqlVerb, object: Option<String>) -> SqlStatement {
    let mut statement = reader.is(verb, object, "table");
    let Some(place) = reader.find(&["WHERE"]) else { return statement };
    let after = Reader { at: place + 1, ..*reader };
    let end = after.find(&["RETURNING", "ORDER", "LIMIT"]).unwrap_or(reader.tokens.len());
    let tokens = &reader.tokens[(place + 1).min(end)..end];
    match constant(tokens) {
        Some(true) => {}
        Some(false) => statement.verb = SqlVerb::Read,
        None => {
            statement.condition = match (tokens.first(), tokens.last()) {
                (Some(first), Some(last)) => Some(reader.source[first.start..last.end].to_owned()),
                _ => Some(String::new()),
            }
        }
    }
    statement
}

fn constant(tokens: &[Token]) -> Option<bool> {
    match tokens {
        [one] => match &one.kind {
            Kind::Word(word) if word == "TRUE" => Some(true),
            Kind::Word(word) if word == "FALSE" || word == "NULL" => Some(false),
            Kind::Number(number) => number.parse::<f64>().ok().map(|n| n != 0.0),
            _ => None,
        },
        [left, equals, right] if equals.mark('=') => match (&left.kind, &right.kind) {
            (Kind::Number(a), Kind::Number(b)) | (Kind::Text(a), Kind::Text(b)) => Some(a == b),
            _ => None,
        },
        _ => None,
    }
}
