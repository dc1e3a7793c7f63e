//! A statement by its head.

use crate::code::effect::{CodeEffect, SqlStatement, SqlVerb};
use crate::model::Value;

use super::client::Client;
use super::lexer::{Dialect, Kind, Token};
use super::reader::Reader;
use super::rows::{delete, insert, select, update};
use super::session::Session;
use super::{DEPTH, block, definition, rights};

/// What a statement does. `own` is its text; the tokens' places refer to `source`.
pub(super) fn classify(
    tokens: &[Token],
    source: &str,
    own: &str,
    session: &mut Session,
    depth: usize,
) -> Vec<SqlStatement> {
    let mut reader = Reader { tokens, source, own, at: 0 };
    while reader.skip_mark('(') {}
    let Some(head) = reader.word() else { return vec![reader.is(SqlVerb::Unknown, None, "database")] };
    if depth > DEPTH {
        return vec![reader.is(SqlVerb::Unknown, None, "database")];
    }
    reader.at += 1;
    let one = |statement| vec![statement];
    match head {
        "SELECT" | "VALUES" | "TABLE" | "PERFORM" => select(&mut reader, session),
        "WITH" => with(&mut reader, session, depth),
        "EXPLAIN" | "ANALYZE" | "ANALYSE" | "DESCRIBE" | "DESC" => explain(&mut reader, head, session, depth),
        "SHOW" | "HELP" | "LIST" | "CHECK" | "CHECKSUM" | "FETCH" | "MOVE" | "LISTEN" | "UNLISTEN" => {
            one(reader.is(SqlVerb::Read, None, "database"))
        }
        "INSERT" | "REPLACE" => insert(&mut reader, head, session),
        "UPDATE" => one(update(&mut reader)),
        "DELETE" => one(delete(&mut reader)),
        "MERGE" => merge(&mut reader),
        "TRUNCATE" => truncate(&mut reader),
        "DROP" => definition::drop(&mut reader),
        "ALTER" => definition::alter(&mut reader),
        "CREATE" => definition::create(&mut reader, session),
        "RENAME" | "COMMENT" | "REFRESH" | "SECURITY" | "IMPORT" | "INSTALL" => {
            one(reader.is(SqlVerb::Alter, None, "database"))
        }
        "GRANT" => one(rights::grant(&reader)),
        "REVOKE" => one(reader.is(SqlVerb::Revoke, None, "rights")),
        "REASSIGN" => one(reader.is(SqlVerb::Rights, None, "rights")),
        "SET" if matches!(reader.word(), Some("PASSWORD")) => one(reader.is(SqlVerb::Rights, None, "rights")),
        "BEGIN" | "START" => begin(&mut reader, head, session, depth),
        "IF" | "DECLARE" | "SET" | "PRINT" if block::inside(&reader, session, depth).is_some() => {
            block::inside(&reader, session, depth).unwrap_or_default()
        }
        "COMMIT" | "END" => commit(&mut reader, session),
        "ROLLBACK" | "ABORT" => roll_back(&mut reader, session),
        "SAVEPOINT" => savepoint(&mut reader, session),
        "RELEASE" => release(&mut reader, session),
        "USE" => {
            session.database = reader.name();
            one(reader.is(SqlVerb::Control, None, "session"))
        }
        "PREPARE" => prepare(&mut reader, session, depth),
        "EXECUTE" | "EXEC" => execute(&mut reader, session),
        "COPY" => copied(&reader, source, own, session),
        "LOAD" => load(&mut reader),
        "DO" if session.dialect != Dialect::Mysql => block::text(&mut reader, session),
        "ATTACH" => attach(&mut reader, session),
        "PRAGMA" => pragma(&mut reader),
        "VACUUM" => one(match reader.find(&["INTO"]) {
            Some(place) => {
                reader.at = place + 1;
                let path = reader.name().map_or(Value::Unknown, Value::known);
                let mut escape = reader.is(SqlVerb::Escape, None, "file");
                escape.escape = Some(CodeEffect::Append { path });
                escape
            }
            None => reader.is(SqlVerb::Control, None, "database"),
        }),
        "KILL" | "SHUTDOWN" | "RESTART" => one(reader.is(SqlVerb::Unknown, None, "server")),
        "PURGE" => one(reader.is(SqlVerb::Drop, None, "binary log")),
        "RESET" if matches!(reader.word(), Some("MASTER" | "BINARY")) => {
            one(reader.is(SqlVerb::Drop, None, "binary log"))
        }
        "DETACH" | "SET" | "RESET" | "DEALLOCATE" | "DISCARD" | "DECLARE" | "OPEN" | "CLOSE" | "NOTIFY"
        | "LOCK" | "UNLOCK" | "CHECKPOINT" | "CLUSTER" | "REINDEX" | "OPTIMIZE" | "FLUSH" | "CACHE"
        | "REPAIR" | "CHANGE" | "STOP" | "RAISE" | "NULL" | "RETURN" | "EXIT" | "IF" | "PRINT"
        | "DELIMITER" | "SIGNAL" | "DO" => one(reader.is(SqlVerb::Control, None, "session")),
        _ => one(reader.is(SqlVerb::Unknown, None, "database")),
    }
}

fn truncate(reader: &mut Reader<'_>) -> Vec<SqlStatement> {
    reader.skip("TABLE");
    let names = reader.names();
    names.into_iter().map(|name| reader.is(SqlVerb::Truncate, Some(name), "table")).collect()
}

/// `MERGE INTO`, which may delete rows.
fn merge(reader: &mut Reader<'_>) -> Vec<SqlStatement> {
    reader.skip("INTO");
    let object = reader.name();
    let verb = if reader.has("DELETE") { SqlVerb::Delete } else { SqlVerb::Update };
    vec![reader.is(verb, object, "table")]
}

/// A place to roll back to.
fn savepoint(reader: &mut Reader<'_>, session: &mut Session) -> Vec<SqlStatement> {
    if let Some(name) = reader.name() {
        session.savepoint(&name);
    }
    vec![reader.is(SqlVerb::Control, None, "session")]
}

/// A savepoint is no longer one.
fn release(reader: &mut Reader<'_>, session: &mut Session) -> Vec<SqlStatement> {
    reader.skip("SAVEPOINT");
    if let Some(name) = reader.name() {
        session.release(&name);
    }
    vec![reader.is(SqlVerb::Control, None, "session")]
}

/// What was done holds from here.
fn commit(reader: &mut Reader<'_>, session: &mut Session) -> Vec<SqlStatement> {
    if !reader.skip("PREPARED") {
        session.commit();
    }
    vec![reader.is(SqlVerb::Control, None, "session")]
}

/// `ROLLBACK`, all or to a savepoint.
fn roll_back(reader: &mut Reader<'_>, session: &mut Session) -> Vec<SqlStatement> {
    reader.skip_all(&["TRANSACTION", "WORK"]);
    if reader.skip("TO") {
        reader.skip("SAVEPOINT");
        if let Some(name) = reader.name() {
            session.roll_back_to(&name);
        }
    } else if !reader.skip("PREPARED") {
        session.roll_back();
    }
    vec![reader.is(SqlVerb::Control, None, "session")]
}

/// `COPY`, from a file or into one.
fn copied(reader: &Reader<'_>, source: &str, own: &str, session: &mut Session) -> Vec<SqlStatement> {
    let rest = reader.tokens.get(1).map_or("", |token| {
        let end = reader.tokens.last().map_or(token.end, |last| last.end);
        &source[token.start..end]
    });
    match super::copy::copy(rest, own, session, false) {
        Client::Does(found) => found,
        Client::Quits => Vec::new(),
    }
}

/// A database under another name.
fn attach(reader: &mut Reader<'_>, session: &mut Session) -> Vec<SqlStatement> {
    reader.skip("DATABASE");
    let file = reader.name();
    if reader.skip("AS")
        && let (Some(file), Some(name)) = (file, reader.name())
    {
        session.attached.insert(name.to_lowercase(), file);
    } else if session.dialect == Dialect::Sqlite {
        // Which file it is the expression says, and what is done in it is done there.
        return vec![reader.is(SqlVerb::Unknown, None, "database")];
    }
    vec![reader.is(SqlVerb::Control, None, "session")]
}

/// A setting of sqlite.
fn pragma(reader: &mut Reader<'_>) -> Vec<SqlStatement> {
    let name = reader.name().unwrap_or_default().to_lowercase();
    let name = name.rsplit('.').next().unwrap_or_default();
    let writes = reader.tokens.iter().any(|t| t.mark('=') || t.mark('('))
        && matches!(name, "user_version" | "application_id" | "schema_version" | "writable_schema");
    vec![reader.is(if writes { SqlVerb::Alter } else { SqlVerb::Control }, None, "database")]
}

/// A transaction, or a block of statements.
fn begin(reader: &mut Reader<'_>, head: &str, session: &mut Session, depth: usize) -> Vec<SqlStatement> {
    if head == "START" && matches!(reader.word(), Some("SLAVE" | "REPLICA" | "GROUP_REPLICATION")) {
        return vec![reader.is(SqlVerb::Alter, None, "server")];
    }
    if head == "BEGIN"
        && let Some(found) = block::inside(reader, session, depth)
    {
        return found;
    }
    session.begin();
    vec![reader.is(SqlVerb::Control, None, "session")]
}

/// `WITH x AS (…), … SELECT | INSERT | UPDATE | DELETE …`
fn with(reader: &mut Reader<'_>, session: &mut Session, depth: usize) -> Vec<SqlStatement> {
    let mut found = Vec::new();
    reader.skip("RECURSIVE");
    let mut level = 0_i32;
    let mut at = reader.at;
    while let Some(token) = reader.tokens.get(at) {
        match &token.kind {
            Kind::Mark('(') => {
                level += 1;
                if level == 1 && reader.tokens.get(at + 1).is_some_and(acting_head) {
                    let end = closing(reader.tokens, at);
                    found.extend(classify(
                        &reader.tokens[at + 1..end],
                        reader.source,
                        reader.own,
                        session,
                        depth + 1,
                    ));
                }
            }
            Kind::Mark(')') => level -= 1,
            Kind::Word(word)
                if level == 0
                    && matches!(
                        word.as_str(),
                        "SELECT" | "INSERT" | "UPDATE" | "DELETE" | "REPLACE" | "MERGE" | "VALUES" | "TABLE"
                    ) =>
            {
                found.extend(classify(&reader.tokens[at..], reader.source, reader.own, session, depth + 1));
                break;
            }
            _ => {}
        }
        at += 1;
    }
    let acts = found.iter().any(|s| s.verb != SqlVerb::Read);
    found.retain(|s| !acts || s.verb != SqlVerb::Read);
    if found.is_empty() {
        found.push(reader.is(SqlVerb::Unknown, None, "database"));
    }
    found
}

fn acting_head(token: &Token) -> bool {
    matches!(token.word(), Some("INSERT" | "UPDATE" | "DELETE" | "MERGE"))
}

/// Place of the parenthesis that closes the one at `open`.
fn closing(tokens: &[Token], open: usize) -> usize {
    let mut level = 0_i32;
    for (index, token) in tokens.iter().enumerate().skip(open) {
        if token.mark('(') {
            level += 1;
        } else if token.mark(')') {
            level -= 1;
            if level == 0 {
                return index;
            }
        }
    }
    tokens.len()
}

fn explain(reader: &mut Reader<'_>, head: &str, session: &mut Session, depth: usize) -> Vec<SqlStatement> {
    let mut runs = head.starts_with("ANALY");
    if session.dialect != Dialect::Sqlite {
        if reader.skip_mark('(') {
            let close =
                reader.tokens.iter().skip(reader.at).position(|t| t.mark(')')).unwrap_or(0) + reader.at;
            let options = &reader.tokens[reader.at..close.max(reader.at)];
            runs |= options.iter().enumerate().any(|(index, token)| {
                let off = options.get(index + 1).is_some_and(|next| {
                    matches!(next.word(), Some("FALSE" | "OFF")) || next.kind == Kind::Number("0".to_owned())
                });
                matches!(token.word(), Some("ANALYZE" | "ANALYSE")) && !off
            });
            reader.at = close + 1;
        }
        while let Some(
            word @ ("ANALYZE" | "ANALYSE" | "VERBOSE" | "EXTENDED" | "PARTITIONS" | "FORMAT" | "JSON"),
        ) = reader.word()
        {
            runs |= word.starts_with("ANALY");
            reader.at += 1;
            if reader.skip_mark('=') {
                reader.at += 1;
            }
        }
    } else {
        runs = false;
    }
    let inner = reader.tokens.get(reader.at..).unwrap_or_default();
    let statement_follows = inner.first().is_some_and(|t| {
        acting_head(t)
            || matches!(t.word(), Some("WITH" | "SELECT" | "REPLACE" | "EXECUTE" | "CREATE" | "REFRESH"))
    });
    if runs && statement_follows {
        return classify(inner, reader.source, reader.own, session, depth + 1);
    }
    vec![reader.is(SqlVerb::Read, None, "database")]
}

fn prepare(reader: &mut Reader<'_>, session: &mut Session, depth: usize) -> Vec<SqlStatement> {
    let control = vec![reader.is(SqlVerb::Control, None, "session")];
    if reader.word() == Some("TRANSACTION") {
        return control;
    }
    let Some(name) = reader.name() else { return control };
    let prepared = if reader.skip("FROM") {
        match reader.text() {
            Some(text) => super::read(session.dialect, &text, session.depth + 1),
            None => vec![reader.is(SqlVerb::Unknown, None, "database")],
        }
    } else if let Some(place) = reader.find(&["AS"]) {
        classify(&reader.tokens[place + 1..], reader.source, reader.own, session, depth + 1)
    } else {
        vec![reader.is(SqlVerb::Unknown, None, "database")]
    };
    session.prepared.insert(name.to_lowercase(), prepared);
    control
}

fn execute(reader: &mut Reader<'_>, session: &mut Session) -> Vec<SqlStatement> {
    let unknown = vec![reader.is(SqlVerb::Unknown, None, "database")];
    if reader.skip("IMMEDIATE")
        || reader.tokens.get(reader.at).is_some_and(|t| matches!(t.kind, Kind::Text(_)))
    {
        let alone = reader.tokens.get(reader.at + 1).is_none_or(|t| t.is("USING") || t.is("INTO"));
        return match reader.text() {
            Some(text) if alone => super::read(session.dialect, &text, session.depth + 1),
            _ => unknown,
        };
    }
    let name = reader.name().unwrap_or_default().to_lowercase();
    match session.prepared.get(&name) {
        Some(prepared) => prepared.clone(),
        None if name.starts_with("sp_help") => vec![reader.is(SqlVerb::Read, None, "database")],
        None => unknown,
    }
}

fn load(reader: &mut Reader<'_>) -> Vec<SqlStatement> {
    if !matches!(reader.word(), Some("DATA" | "XML")) {
        return vec![reader.is(SqlVerb::Control, None, "session")];
    }
    let replaces = reader.find(&["REPLACE"]).is_some();
    if let Some(into) = reader.find(&["INTO"]) {
        reader.at = into + 1;
        reader.skip("TABLE");
    }
    let object = reader.name();
    vec![reader.is(if replaces { SqlVerb::Update } else { SqlVerb::Create }, object, "table")]
}
