//! A statement by its head.

use crate::code::effect::{CodeEffect, SqlStatement, SqlVerb};
use crate::model::Value;

use super::client::Client;
use super::lexer::{Dialect, Kind, Token};
use super::session::Session;
use super::{DEPTH, definition, statement};

/// The tokens of one statement with its text.
pub(super) struct Reader<'a> {
    pub(super) tokens: &'a [Token],
    /// The whole text that the tokens' places refer to.
    pub(super) source: &'a str,
    /// The statement's own text.
    pub(super) own: &'a str,
    pub(super) at: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn word(&self) -> Option<&'a str> {
        self.tokens.get(self.at).and_then(Token::word)
    }

    /// Skips the word when it is the next.
    pub(super) fn skip(&mut self, word: &str) -> bool {
        let hit = self.word() == Some(word);
        self.at += usize::from(hit);
        hit
    }

    pub(super) fn skip_all(&mut self, words: &[&str]) {
        while self.word().is_some_and(|word| words.contains(&word)) {
            self.at += 1;
        }
    }

    pub(super) fn skip_mark(&mut self, mark: char) -> bool {
        let hit = self.tokens.get(self.at).is_some_and(|token| token.mark(mark));
        self.at += usize::from(hit);
        hit
    }

    /// A dotted name.
    pub(super) fn name(&mut self) -> Option<String> {
        let mut name = self.part()?;
        while self.tokens.get(self.at).is_some_and(|token| token.mark('.')) {
            self.at += 1;
            name.push('.');
            match self.part() {
                Some(part) => name.push_str(&part),
                None => self.at += usize::from(self.tokens.get(self.at).is_some_and(|t| t.mark('*'))),
            }
        }
        Some(name)
    }

    fn part(&mut self) -> Option<String> {
        let token = self.tokens.get(self.at)?;
        let name = match &token.kind {
            Kind::Word(_) => self.source[token.start..token.end].to_owned(),
            Kind::Name(name) | Kind::Text(name) => name.clone(),
            _ => return None,
        };
        self.at += 1;
        Some(name)
    }

    /// A list of names separated by commas.
    pub(super) fn names(&mut self) -> Vec<String> {
        let mut names = Vec::new();
        loop {
            self.skip("ONLY");
            let Some(name) = self.name() else { break };
            names.push(name);
            self.skip_mark('*');
            if !self.skip_mark(',') {
                break;
            }
        }
        names
    }

    /// Position of a word at the level of the statement itself, from the current place on.
    pub(super) fn find(&self, words: &[&str]) -> Option<usize> {
        let mut level = 0_i32;
        self.tokens.iter().enumerate().skip(self.at).find_map(|(index, token)| match &token.kind {
            Kind::Mark('(') => {
                level += 1;
                None
            }
            Kind::Mark(')') => {
                level -= 1;
                None
            }
            Kind::Word(word) if level == 0 && words.contains(&word.as_str()) => Some(index),
            _ => None,
        })
    }

    pub(super) fn has(&self, word: &str) -> bool {
        self.tokens.iter().skip(self.at).any(|token| token.is(word))
    }

    pub(super) fn is(&self, verb: SqlVerb, object: Option<String>, kind: &'static str) -> SqlStatement {
        statement(verb, object, kind, self.own)
    }

    fn text(&self) -> Option<String> {
        match &self.tokens.get(self.at)?.kind {
            Kind::Text(text) => Some(text.clone()),
            _ => None,
        }
    }
}

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
        "MERGE" => {
            reader.skip("INTO");
            let object = reader.name();
            let verb = if reader.has("DELETE") { SqlVerb::Delete } else { SqlVerb::Update };
            one(reader.is(verb, object, "table"))
        }
        "TRUNCATE" => {
            reader.skip("TABLE");
            let names = reader.names();
            names.into_iter().map(|name| reader.is(SqlVerb::Truncate, Some(name), "table")).collect()
        }
        "DROP" => definition::drop(&mut reader),
        "ALTER" => definition::alter(&mut reader),
        "CREATE" => definition::create(&mut reader, session),
        "RENAME" | "COMMENT" | "REFRESH" | "SECURITY" | "IMPORT" | "INSTALL" => {
            one(reader.is(SqlVerb::Alter, None, "database"))
        }
        "GRANT" | "REVOKE" | "REASSIGN" => one(reader.is(SqlVerb::Rights, None, "rights")),
        "SET" if matches!(reader.word(), Some("PASSWORD")) => one(reader.is(SqlVerb::Rights, None, "rights")),
        "BEGIN" | "START" => {
            if head == "START" && matches!(reader.word(), Some("SLAVE" | "REPLICA" | "GROUP_REPLICATION")) {
                return one(reader.is(SqlVerb::Alter, None, "server"));
            }
            session.begin();
            one(reader.is(SqlVerb::Control, None, "session"))
        }
        "COMMIT" | "END" => {
            if !reader.skip("PREPARED") {
                session.commit();
            }
            one(reader.is(SqlVerb::Control, None, "session"))
        }
        "ROLLBACK" | "ABORT" => {
            reader.skip_all(&["TRANSACTION", "WORK"]);
            if reader.skip("TO") {
                reader.skip("SAVEPOINT");
                if let Some(name) = reader.name() {
                    session.roll_back_to(&name);
                }
            } else if !reader.skip("PREPARED") {
                session.roll_back();
            }
            one(reader.is(SqlVerb::Control, None, "session"))
        }
        "SAVEPOINT" => {
            if let Some(name) = reader.name() {
                session.savepoint(&name);
            }
            one(reader.is(SqlVerb::Control, None, "session"))
        }
        "RELEASE" => {
            reader.skip("SAVEPOINT");
            if let Some(name) = reader.name() {
                session.release(&name);
            }
            one(reader.is(SqlVerb::Control, None, "session"))
        }
        "USE" => {
            session.database = reader.name();
            one(reader.is(SqlVerb::Control, None, "session"))
        }
        "PREPARE" => prepare(&mut reader, session, depth),
        "EXECUTE" | "EXEC" => execute(&mut reader, session),
        "COPY" => {
            let rest = reader.tokens.get(1).map_or("", |token| {
                let end = reader.tokens.last().map_or(token.end, |last| last.end);
                &source[token.start..end]
            });
            match super::copy::copy(rest, own, session, false) {
                Client::Does(found) => found,
                Client::Quits => Vec::new(),
            }
        }
        "LOAD" => load(&mut reader),
        "DO" if session.dialect != Dialect::Mysql => block(&mut reader, session),
        "ATTACH" => {
            reader.skip("DATABASE");
            let file = reader.name();
            if reader.skip("AS")
                && let (Some(file), Some(name)) = (file, reader.name())
            {
                session.attached.insert(name.to_lowercase(), file);
            }
            one(reader.is(SqlVerb::Control, None, "session"))
        }
        "PRAGMA" => {
            let name = reader.name().unwrap_or_default().to_lowercase();
            let name = name.rsplit('.').next().unwrap_or_default();
            let writes = reader.tokens.iter().any(|t| t.mark('=') || t.mark('('))
                && matches!(name, "user_version" | "application_id" | "schema_version" | "writable_schema");
            one(reader.is(if writes { SqlVerb::Alter } else { SqlVerb::Control }, None, "database"))
        }
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

fn select(reader: &mut Reader<'_>, session: &mut Session) -> Vec<SqlStatement> {
    let mut found = Vec::new();
    for pair in reader.tokens.windows(2) {
        let (Some(word), true) = (pair[0].word(), pair[1].mark('(')) else { continue };
        if word == "WRITEFILE" && session.dialect == Dialect::Sqlite {
            let after =
                reader.tokens.iter().position(|t| *t == pair[1]).and_then(|at| reader.tokens.get(at + 1));
            let path = match after.map(|t| &t.kind) {
                Some(Kind::Text(path)) => Value::known(path.clone()),
                _ => Value::Unknown,
            };
            let mut escape = reader.is(SqlVerb::Escape, None, "file");
            escape.escape = Some(CodeEffect::Overwrite { path });
            found.push(escape);
        } else if ACTING.contains(&word)
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

fn insert(reader: &mut Reader<'_>, head: &str, session: &mut Session) -> Vec<SqlStatement> {
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

fn update(reader: &mut Reader<'_>) -> SqlStatement {
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

fn delete(reader: &mut Reader<'_>) -> SqlStatement {
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

/// `DO $$ … $$`: the statements of the block, whatever its control flow.
fn block(reader: &mut Reader<'_>, session: &mut Session) -> Vec<SqlStatement> {
    if reader.skip("LANGUAGE") {
        let language = reader.name().unwrap_or_default().to_lowercase();
        if language != "plpgsql" {
            return vec![reader.is(SqlVerb::Unknown, None, "database")];
        }
    }
    let Some(body) = reader.text() else { return vec![reader.is(SqlVerb::Unknown, None, "database")] };
    let mut inner = Session::new(session.dialect, session.depth + 1);
    let mut found = Vec::new();
    let tokens = super::lexer::tokens(&body, session.dialect);
    let parts = tokens.split(|t| {
        t.mark(';') || matches!(t.word(), Some("BEGIN" | "THEN" | "ELSE" | "LOOP" | "DECLARE" | "EXCEPTION"))
    });
    for part in parts {
        let (Some(first), Some(last)) = (part.first(), part.last()) else { continue };
        let own = &body[first.start..last.end];
        let known = first.word().is_some_and(|word| {
            matches!(
                word,
                "SELECT"
                    | "PERFORM"
                    | "WITH"
                    | "INSERT"
                    | "UPDATE"
                    | "DELETE"
                    | "TRUNCATE"
                    | "DROP"
                    | "ALTER"
                    | "CREATE"
                    | "EXECUTE"
                    | "CALL"
                    | "GRANT"
                    | "REVOKE"
                    | "MERGE"
                    | "COPY"
            )
        });
        if known {
            found.extend(classify(part, &body, own, &mut inner, session.depth + 1));
        }
    }
    if found.is_empty() {
        found.push(reader.is(SqlVerb::Read, None, "database"));
    }
    found
}
