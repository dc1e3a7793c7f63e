//! `DROP`, `ALTER` and `CREATE`: which of them take data away.

use crate::code::effect::{SqlStatement, SqlVerb};

use super::lexer::Token;
use super::reader::Reader;
use super::rights;
use super::rows::whole_table;
use super::session::Session;

/// After DROP.
pub(super) fn drop(reader: &mut Reader<'_>) -> Vec<SqlStatement> {
    reader.skip_all(&["OR", "REPLACE", "UNIQUE", "CONCURRENTLY", "PUBLIC"]);
    let temporary = matches!(reader.word(), Some("TEMPORARY" | "TEMP"));
    reader.skip_all(&["TEMPORARY", "TEMP"]);
    let Some(word) = reader.word() else { return vec![reader.is(SqlVerb::Unknown, None, "database")] };
    reader.at += 1;
    let cascade = reader.has("CASCADE");
    let data_if = |condition: bool| if condition { SqlVerb::Drop } else { SqlVerb::DropDefinition };
    let (verb, kind) = match word {
        "TABLE" | "TABLES" => (SqlVerb::Drop, "table"),
        "DATABASE" => (SqlVerb::Drop, "database"),
        "SCHEMA" => (SqlVerb::Drop, "schema"),
        "KEYSPACE" => (SqlVerb::Drop, "keyspace"),
        "TABLESPACE" | "LOGFILE" => (SqlVerb::Drop, "tablespace"),
        "COLUMN" => (SqlVerb::Drop, "column"),
        "MATERIALIZED" => {
            reader.skip("VIEW");
            (SqlVerb::DropDefinition, "materialized view")
        }
        "VIEW" => (SqlVerb::DropDefinition, "view"),
        "INDEX" => {
            reader.skip("CONCURRENTLY");
            (SqlVerb::DropDefinition, "index")
        }
        "OWNED" => {
            reader.skip("BY");
            (SqlVerb::Drop, "everything owned by a role")
        }
        "USER" if reader.word() == Some("MAPPING") => (SqlVerb::DropDefinition, "user mapping"),
        "USER" | "ROLE" | "GROUP" | "LOGIN" => (SqlVerb::Revoke, "role"),
        "PREPARE" => (SqlVerb::Control, "session"),
        "FOREIGN" => {
            reader.skip_all(&["TABLE", "DATA", "WRAPPER"]);
            (SqlVerb::DropDefinition, "foreign table")
        }
        // Cascading, these take along the columns and tables that use them.
        "TYPE" | "DOMAIN" | "EXTENSION" | "COLLATION" | "ACCESS" => (data_if(cascade), "definition"),
        "FUNCTION" | "PROCEDURE" | "ROUTINE" | "AGGREGATE" | "TRIGGER" | "EVENT" | "RULE" | "POLICY"
        | "SEQUENCE" | "OPERATOR" | "CAST" | "CONVERSION" | "LANGUAGE" | "PUBLICATION" | "SUBSCRIPTION"
        | "SERVER" | "SYNONYM" | "STATISTICS" | "TEXT" | "TRANSFORM" | "PACKAGE" | "MACRO" | "CONSTRAINT"
        | "DEFAULT" | "ASSEMBLY" => (SqlVerb::DropDefinition, "definition"),
        _ => (SqlVerb::Drop, "object"),
    };
    if reader.skip("IF") {
        reader.skip("EXISTS");
    }
    if temporary && kind == "table" {
        return vec![reader.is(SqlVerb::Control, None, "session")];
    }
    let names = reader.names();
    if names.is_empty() {
        return vec![reader.is(verb, None, kind)];
    }
    names.into_iter().map(|name| reader.is(verb, Some(name), kind)).collect()
}

/// After ALTER.
pub(super) fn alter(reader: &mut Reader<'_>) -> Vec<SqlStatement> {
    reader.skip_all(&["ONLINE", "OFFLINE", "IGNORE", "FOREIGN", "MATERIALIZED"]);
    let word = reader.word().unwrap_or_default();
    reader.at += 1;
    match word {
        "TABLE" => {
            if reader.skip("IF") {
                reader.skip("EXISTS");
            }
            reader.skip("ONLY");
            let object = reader.name();
            let rest = reader.tokens.get(reader.at..).unwrap_or_default();
            let mut found = Vec::new();
            for (index, token) in rest.iter().enumerate() {
                let next = rest.get(index + 1).and_then(Token::word);
                let partition = next == Some("PARTITION");
                match token.word() {
                    Some("DROP" | "TRUNCATE" | "DISCARD" | "EXCHANGE") if partition => {
                        found.push(reader.is(SqlVerb::Drop, object.clone(), "partition"));
                    }
                    // ClickHouse: `ALTER TABLE t DELETE WHERE …`.
                    Some("DELETE") if index == 0 => {
                        found.push(reader.is(SqlVerb::Delete, object.clone(), "table"));
                    }
                    Some("DISCARD") => found.push(reader.is(SqlVerb::Drop, object.clone(), "tablespace")),
                    Some("DROP") if drops_column(rest, index) => {
                        found.push(reader.is(SqlVerb::Drop, object.clone(), "column"));
                    }
                    _ => {}
                }
            }
            if found.is_empty() {
                found.push(reader.is(SqlVerb::Alter, object, "table"));
            }
            found
        }
        "USER" | "ROLE" | "GROUP" | "DEFAULT" | "LOGIN" => vec![rights::altered(reader)],
        "SERVER" if reader.word() == Some("ROLE") => vec![rights::altered(reader)],
        "SYSTEM" | "INSTANCE" => vec![reader.is(SqlVerb::Alter, None, "server")],
        "DATABASE" => {
            let object = reader.name();
            vec![reader.is(SqlVerb::Alter, object, "database")]
        }
        _ => {
            let object = reader.name();
            vec![reader.is(SqlVerb::Alter, object, "definition")]
        }
    }
}

/// Whether the DROP at `index` of an ALTER TABLE takes a column, rather than a constraint or a default.
fn drops_column(tokens: &[Token], index: usize) -> bool {
    // `ALTER COLUMN c DROP DEFAULT | NOT NULL | IDENTITY | EXPRESSION`
    !matches!(
        tokens.get(index + 1).and_then(Token::word),
        Some(
            "CONSTRAINT"
                | "INDEX"
                | "KEY"
                | "PRIMARY"
                | "FOREIGN"
                | "CHECK"
                | "DEFAULT"
                | "NOT"
                | "IDENTITY"
                | "EXPRESSION"
                | "PERIOD"
                | "SYSTEM"
        )
    )
}

/// After CREATE.
pub(super) fn create(reader: &mut Reader<'_>, session: &mut Session) -> Vec<SqlStatement> {
    let mut replaces = false;
    if reader.skip("OR") {
        replaces = reader.skip("REPLACE");
    }
    let temporary = matches!(reader.word(), Some("TEMP" | "TEMPORARY"))
        || reader.tokens.iter().take(4).any(|t| t.is("TEMP") || t.is("TEMPORARY"));
    reader.skip_all(&[
        "GLOBAL",
        "LOCAL",
        "TEMP",
        "TEMPORARY",
        "UNLOGGED",
        "UNIQUE",
        "VIRTUAL",
        "FOREIGN",
        "EXTERNAL",
        "TRANSIENT",
    ]);
    let word = reader.word().unwrap_or_default();
    reader.at += 1;
    match word {
        "USER" | "ROLE" | "GROUP" | "LOGIN" => vec![rights::made(reader)],
        "POLICY" => vec![reader.is(SqlVerb::Rights, None, "rights")],
        "TABLE" | "VIEW" => {
            let guarded = reader.skip("IF");
            reader.skip_all(&["NOT", "EXISTS"]);
            let object = reader.name();
            if let Some(name) = &object {
                let from = reader.find(&["SELECT"]).and_then(|at| whole_table(reader, at));
                if let Some(from) = from.filter(|_| !guarded && word == "TABLE") {
                    session.copied(&from, name);
                }
                if (!guarded && !replaces) || temporary {
                    session.made(name, temporary);
                }
            }
            let verb = match (replaces, word, temporary) {
                (true, "TABLE", false) => SqlVerb::Drop,
                (true, _, _) => SqlVerb::Alter,
                (_, _, true) => SqlVerb::Control,
                _ => SqlVerb::Create,
            };
            vec![reader.is(verb, object, if word == "TABLE" { "table" } else { "view" })]
        }
        _ => {
            reader.skip_all(&["VIEW", "IF", "NOT", "EXISTS", "CONCURRENTLY"]);
            let object = reader.name();
            vec![reader.is(if replaces { SqlVerb::Alter } else { SqlVerb::Create }, object, "definition")]
        }
    }
}
