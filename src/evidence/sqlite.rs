//! The sqlite probe: how many rows a statement reaches, and whether the database file is kept elsewhere.
//!
//! Only SELECTs run, in a read-only, safe shell. Facts it sets: `in-memory`, `database.exists`, `database.loss`,
//! `database.summary`, `database.file`, `table.exists`, `rows`, `rows.summary`, `fires`, `fires.summary`.

mod kept;
mod triggers;

use std::path::Path;

use crate::model::{Action, Evidence, Fact, FactValue, MissingEffect, Mutation, Source, Value};
use crate::world::{FileKind, LookError, Query, World};

use super::Session;
use crate::text::{count, list};
use kept::kept;

/// What is acted on, as the mutation's subject gives it.
pub(super) struct Statement<'a> {
    pub(super) database: &'a Value,
    pub(super) object: Option<&'a str>,
    pub(super) text: &'a str,
    pub(super) condition: Option<&'a str>,
}

/// Collects evidence for a statement on an sqlite database.
pub(super) fn probe(
    mutation: &Mutation,
    statement: &Statement<'_>,
    world: &dyn World,
    session: &mut Session,
    evidence: &mut Evidence,
) {
    let adds = mutation.action == Action::Create && !triggers::events(statement.text).is_empty();
    if !adds && !matches!(mutation.action, Action::Delete | Action::Replace | Action::Update) {
        return;
    }
    if adds {
        return added(mutation, statement, world, session, evidence);
    }
    let Some(file) = statement.database.as_known().filter(|_| mutation.context.host.is_none()) else {
        return evidence.miss(
            "database",
            "which database it is cannot be told",
            MissingEffect::LowersConfidence,
        );
    };
    let (schema, table) =
        match statement.object.map(|object| object.split_once('.').unwrap_or(("main", object))) {
            Some((schema, table)) => (unquote(schema).to_lowercase(), Some(unquote(table))),
            None => ("main".to_owned(), None),
        };
    // Another file may be attached under any other name.
    if !matches!(schema.as_str(), "main" | "temp") {
        return evidence.miss(
            "database",
            format!("{schema} is an attached database"),
            MissingEffect::LowersConfidence,
        );
    }
    if schema == "temp" || file == ":memory:" || file.is_empty() {
        evidence.fact("in-memory", FactValue::Bool(true), "it is a temporary database");
        return;
    }
    let database = Path::new(file);
    // A server has its database open: where there is none here, it runs elsewhere.
    let away = mutation.source == Source::Mcp;
    match world.stat(database) {
        Err(LookError::NotFound) if away => {
            return evidence.miss(
                "database",
                format!("{file} is not here, but it may be where this runs"),
                MissingEffect::LowersConfidence,
            );
        }
        Err(LookError::NotFound) => return nothing(evidence, format!("{file} does not exist")),
        Ok(meta) if meta.kind == FileKind::File && meta.size == 0 => {
            return nothing(evidence, format!("{file} is empty"));
        }
        Ok(meta) if meta.kind == FileKind::File => {}
        Ok(_) => {
            return evidence.miss(
                "database",
                format!("{file} is no regular file"),
                MissingEffect::LowersConfidence,
            );
        }
        Err(error) => {
            return evidence.miss("database", format!("{file}: {error}"), MissingEffect::LowersConfidence);
        }
    }
    evidence
        .facts
        .insert("database.file".to_owned(), Fact::new(FactValue::Text(file.to_owned()), "the database"));
    let later = matches!(mutation.facts.get("later").map(|fact| &fact.value), Some(FactValue::Bool(true)));
    let fires = mutation.kind == "sql.rows";
    rows(statement, table.as_deref(), (later, fires), database, world, session, evidence);
    kept(mutation, database, world, session, evidence);
}

/// Rows that are put in lose nothing, but they may fire triggers that stand in the database.
fn added(
    mutation: &Mutation,
    statement: &Statement<'_>,
    world: &dyn World,
    session: &mut Session,
    evidence: &mut Evidence,
) {
    let file = statement.database.as_known().filter(|_| mutation.context.host.is_none());
    let (Some(file), Some(object)) = (file, statement.object) else { return };
    let database = Path::new(file);
    if !matches!(world.stat(database), Ok(meta) if meta.kind == FileKind::File && meta.size > 0) {
        return;
    }
    let table = unquote(object.rsplit('.').next().unwrap_or(object));
    let fired = {
        let mut ask = asking(database, world, session);
        triggers::fired(&table, &triggers::events(statement.text), &mut ask)
    };
    if let Some(why) = tell(fired, evidence) {
        // What cannot be read as a database is none that has triggers.
        evidence.miss("triggers", why, MissingEffect::LowersConfidence);
    }
    if evidence.facts.contains_key("fires") {
        kept(mutation, database, world, session, evidence);
    }
}

/// Sets what triggers lose; gives back why it is not all known.
fn tell(fired: triggers::Fired, evidence: &mut Evidence) -> Option<String> {
    if fired.rows > 0 {
        let summary = list(&fired.said);
        let text = Fact::new(FactValue::Text(summary.clone()), "what triggers change");
        evidence.facts.insert("fires.summary".to_owned(), text);
        evidence.fact("fires", FactValue::Bool(true), format!("triggers change {summary}"));
    }
    fired.unclear
}

/// Asks a database, as long as there is time.
fn asking<'a>(
    database: &'a Path,
    world: &'a dyn World,
    session: &'a mut Session,
) -> impl FnMut(String) -> Result<String, LookError> + 'a {
    move |sql| {
        let query = Query::Sqlite { database: database.to_owned(), sql };
        let timeout = session.time_left(world);
        Ok(String::from_utf8_lossy(&world.ask(&query, timeout)?).trim().to_owned())
    }
}

fn nothing(evidence: &mut Evidence, why: String) {
    evidence.facts.insert("rows.summary".to_owned(), Fact::new(FactValue::Text(why.clone()), "why"));
    evidence.fact("rows", FactValue::Number(0), why);
}

fn rows(
    statement: &Statement<'_>,
    table: Option<&str>,
    (later, fires): (bool, bool),
    database: &Path,
    world: &dyn World,
    session: &mut Session,
    evidence: &mut Evidence,
) {
    let mut ask = asking(database, world, session);
    let Some(table) = table else {
        return evidence.miss("rows", "which table it is cannot be told", MissingEffect::LowersConfidence);
    };
    let name = table.to_lowercase().replace('\'', "''");
    let about = format!(
        "SELECT (SELECT count(*) FROM sqlite_master WHERE type IN ('table', 'view') AND lower(name) = '{name}') \
           + ('{name}' IN ('sqlite_master', 'sqlite_schema')), \
         (SELECT count(*) FROM sqlite_master WHERE type = 'trigger' AND lower(tbl_name) = '{name}')"
    );
    let about = match ask(about) {
        Ok(about) => about,
        Err(error) => {
            return evidence.miss(
                "rows",
                format!("the rows could not be counted: {error}"),
                MissingEffect::LowersConfidence,
            );
        }
    };
    let (tables, triggers) = about.split_once('|').unwrap_or((about.as_str(), "0"));
    if tables == "0" && later {
        return evidence.miss(
            "rows",
            format!("there is no table {table} now, but what this text does first may make or name one"),
            MissingEffect::LowersConfidence,
        );
    }
    if tables == "0" {
        evidence.fact("table.exists", FactValue::Bool(false), format!("there is no table {table}"));
        return nothing(evidence, format!("there is no table {table}"));
    }
    let triggers = triggers.parse::<u64>().unwrap_or(1);
    let mut unclear = None;
    // They fire row by row: where none is met, also not by a value that stays as it is, nothing happens.
    let met = statement.condition.filter(|text| !later && !text.contains(';') && !depends(text));
    let met = met
        .filter(|_| fires && triggers > 0)
        .and_then(|text| ask(format!("SELECT count(*) FROM {} WHERE ({text}\n)", quoted(table))).ok());
    if fires && triggers > 0 && met.as_deref() != Some("0") {
        unclear = tell(triggers::fired(table, &triggers::events(statement.text), &mut ask), evidence);
    }
    let from = format!("SELECT count(*) FROM {}", quoted(table));
    // What matches then need not match now.
    let counted = matching(statement)
        .filter(|_| !later)
        .and_then(|condition| ask(format!("{from} WHERE ({condition}\n)")).ok())
        .or_else(|| ask(from.clone()).ok())
        .and_then(|answer| answer.parse::<i64>().ok());
    match counted {
        Some(0) if unclear.is_some() => {
            let why = unclear.unwrap_or_default();
            evidence.miss("rows", why, MissingEffect::LowersConfidence);
        }
        Some(number) => {
            let said = format!("{} of {table}", count(number.unsigned_abs(), "row"));
            evidence
                .facts
                .insert("rows.summary".to_owned(), Fact::new(FactValue::Text(said.clone()), "rows"));
            evidence.fact("rows", FactValue::Number(number), said);
        }
        None => evidence.miss("rows", "the rows could not be counted", MissingEffect::LowersConfidence),
    }
}

/// The rows that a statement changes, as a condition: its WHERE, and for an UPDATE that a value differs.
fn matching(statement: &Statement<'_>) -> Option<String> {
    let condition = statement.condition.map(str::trim).filter(|text| !text.is_empty());
    if condition.is_some_and(|text| text.contains(';')) || depends(statement.text) {
        return None;
    }
    let differs = assignments(statement.text).map(|list| {
        list.iter()
            .map(|(column, value)| format!("({column}) IS NOT ({value}\n)"))
            .collect::<Vec<_>>()
            .join(" OR ")
    });
    match (condition, differs) {
        (Some(condition), Some(differs)) => Some(format!("({condition}\n) AND ({differs})")),
        (Some(condition), None) => Some(condition.to_owned()),
        (None, differs) => differs,
    }
}

/// Whether values come from outside: parameters, or what the connection did before. Chance counts as such too.
fn depends(text: &str) -> bool {
    let mut found = false;
    let mut before = ' ';
    outside(text, |at, _, c| {
        let next = text[at + c.len_utf8()..].chars().next();
        let name = next.is_some_and(|c| c.is_alphanumeric() || c == '_');
        found |= c == '?' || (matches!(c, ':' | '@' | '$') && name && !before.is_alphanumeric());
        before = c;
    });
    let lower = text.to_ascii_lowercase();
    found || ["last_insert_rowid", "changes(", "random"].iter().any(|word| lower.contains(word))
}

/// Column and new value of each assignment of a plain `UPDATE t SET a = b, …`. `None` for anything else.
fn assignments(statement: &str) -> Option<Vec<(String, String)>> {
    let text = statement.trim().trim_end_matches(';');
    if !text.get(..6)?.eq_ignore_ascii_case("update")
        || text.contains(';')
        || text.contains("--")
        || text.contains("/*")
    {
        return None;
    }
    let set = top_level(text, "set")?;
    let rest = &text[set + 3..];
    let body = match ["where", "from", "returning", "order", "limit"]
        .iter()
        .filter_map(|w| top_level(rest, w))
        .min()
    {
        Some(end) => &rest[..end],
        None => rest,
    };
    split_commas(body)
        .into_iter()
        .map(|part| {
            let (column, value) = part.split_once('=')?;
            let column = column.trim();
            let plain = !column.is_empty()
                && column.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '"' | '`' | '[' | ']'));
            (plain && !value.trim().is_empty()).then(|| (column.to_owned(), value.trim().to_owned()))
        })
        .collect()
}

/// Where a keyword stands outside of quotes and parentheses.
fn top_level(text: &str, word: &str) -> Option<usize> {
    let mut found = None;
    outside(text, |at, depth, _| {
        let before = text[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric() && c != '_');
        let here = text.get(at..at + word.len()).is_some_and(|part| part.eq_ignore_ascii_case(word));
        let after = text
            .get(at + word.len()..)
            .is_some_and(|rest| rest.chars().next().is_none_or(|c| !c.is_alphanumeric() && c != '_'));
        if found.is_none() && depth == 0 && before && here && after {
            found = Some(at);
        }
    });
    found
}

fn split_commas(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    outside(text, |at, depth, c| {
        if depth == 0 && c == ',' {
            parts.push(&text[start..at]);
            start = at + 1;
        }
    });
    parts.push(&text[start..]);
    parts
}

/// Calls back for every character outside of quotes, with the depth of parentheses.
fn outside(text: &str, mut each: impl FnMut(usize, usize, char)) {
    let mut quote = None;
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match quote {
            Some(open) => {
                if c == open {
                    quote = None;
                }
            }
            None => {
                match c {
                    '\'' | '"' | '`' => quote = Some(c),
                    '[' => quote = Some(']'),
                    '(' => depth += 1,
                    ')' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                if quote.is_none() {
                    each(at, depth, c);
                }
            }
        }
    }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn unquote(name: &str) -> String {
    let name = name.trim();
    let inner = match name.chars().next() {
        Some(open @ ('"' | '`' | '\'')) => name.strip_prefix(open).and_then(|rest| rest.strip_suffix(open)),
        Some('[') => name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')),
        _ => None,
    };
    inner.unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statement<'a>(text: &'a str, condition: Option<&'a str>) -> Statement<'a> {
        Statement { database: &Value::Unknown, object: Some("t"), text, condition }
    }

    #[test]
    fn an_update_reaches_only_rows_whose_values_differ() {
        let sql = matching(&statement("UPDATE t SET name=name", None)).unwrap();
        assert_eq!(sql, "(name) IS NOT (name\n)");
        let sql =
            matching(&statement("update t set a = f(1, 'x,y'), b='q' where id = 1", Some("id = 1"))).unwrap();
        assert_eq!(sql, "(id = 1\n) AND ((a) IS NOT (f(1, 'x,y')\n) OR (b) IS NOT ('q'\n))");
        assert_eq!(matching(&statement("DELETE FROM t", None)), None);
        assert_eq!(matching(&statement("DELETE FROM t WHERE a; b", Some("a; b"))), None);
    }

    #[test]
    fn what_comes_from_outside_is_not_counted_with() {
        for text in ["id = ?", "id = ?1", "id=:id", "id = @id", "id = $id", "id > last_insert_rowid()"] {
            assert_eq!(
                matching(&statement(&format!("DELETE FROM t WHERE {text}"), Some(text))),
                None,
                "{text}"
            );
        }
        for text in ["name = 'what?'", "at = '10:30'", "mail = 'a@b'", "a = \"b?\""] {
            let whole = format!("DELETE FROM t WHERE {text}");
            assert_eq!(matching(&statement(&whole, Some(text))).as_deref(), Some(text));
        }
    }

    #[test]
    fn names_lose_their_quotes() {
        assert_eq!(unquote("\"my table\""), "my table");
        assert_eq!(unquote("[t]"), "t");
        assert_eq!(unquote("t"), "t");
    }

    #[test]
    fn rows_are_counted_in_a_real_database() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("app.db");
        let made = std::process::Command::new("sqlite3")
            .arg(&file)
            .arg("create table users(id, name); insert into users values (1,'a'),(2,'b'); create table void(x);")
            .status();
        if !made.is_ok_and(|status| status.success()) {
            println!("SKIPPED: sqlite3 is not installed");
            return;
        }
        let world = crate::world::RealWorld::with_environment(
            [("HOME".to_owned(), home.path().display().to_string())].into(),
        );
        let found =
            |database: &Path, object: &str, text: &str, condition: Option<&str>, source, later: bool| {
                let fact = ("later".to_owned(), Fact::new(FactValue::Bool(later), ""));
                let mutation = Mutation {
                    action: Action::Delete,
                    kind: "sql.rows".to_owned(),
                    subject: crate::model::Subject::Sql {
                        dialect: "sqlite",
                        database: Value::known(database.display().to_string()),
                        object: Some(object.to_owned()),
                        statement: text.to_owned(),
                        condition: condition.map(str::to_owned),
                    },
                    target: crate::model::Target::default(),
                    source,
                    raw: String::new(),
                    span: None,
                    rule: crate::model::RuleRef::default(),
                    cause: crate::model::Cause::Rule,
                    context: crate::model::Context::default(),
                    facts: [fact].into(),
                    dependents: Vec::new(),
                };
                let evidence = super::super::collect(&mutation, &world, &mut Session::new());
                evidence.facts.get("rows").map(|fact| fact.value.clone())
            };
        let rows = |database: &Path, object: &str, text: &str, condition: Option<&str>| {
            found(database, object, text, condition, Source::Shell, false)
        };
        let number = |count| Some(FactValue::Number(count));
        assert_eq!(rows(&file, "users", "DELETE FROM users", None), number(2));
        assert_eq!(rows(&file, "main.\"users\"", "DELETE FROM users WHERE id=1", Some("id=1")), number(1));
        assert_eq!(rows(&file, "users", "", Some("id = 99 -- x")), number(0));
        assert_eq!(rows(&file, "users", "", Some("nonsense(")), number(2), "all rows when it cannot be told");
        assert_eq!(rows(&file, "users", "UPDATE users SET name=name", None), number(0));
        assert_eq!(rows(&file, "void", "", None), number(0));
        assert_eq!(rows(&file, "absent", "", None), number(0));
        assert_eq!(rows(&home.path().join("absent.db"), "users", "", None), number(0));
        assert_eq!(rows(&file, "users", "DELETE FROM users WHERE id=?", Some("id=?")), number(2));
        let absent = home.path().join("absent.db");
        assert_eq!(found(&absent, "users", "", None, Source::Mcp, false), None, "the server is elsewhere");
        assert_eq!(found(&file, "absent", "", None, Source::Shell, true), None, "the text may make it");
        assert_eq!(found(&file, "users", "", Some("id = 99"), Source::Shell, true), number(2));
        assert_eq!(rows(&file, "other.users", "", None), None, "an attached database");
        assert_eq!(rows(Path::new(":memory:"), "users", "", None), None);
        assert!(!home.path().join("app.db-wal").exists() && !home.path().join("app.db-shm").exists());
    }
}
