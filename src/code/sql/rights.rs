//! `GRANT`, and roles that are made or altered: whether rights are given, and whether anything is kept back.

use crate::code::effect::{SqlStatement, SqlVerb};

use super::lexer::Kind;
use super::reader::Reader;

/// Attributes by which a role may do anything, or make itself one that may.
const FULL: [&str; 6] = ["SUPERUSER", "CREATEROLE", "BYPASSRLS", "SUPER", "CREATEUSER", "SUPERROLE"];

/// Other attributes that let a role do more.
const MORE: [&str; 6] = ["LOGIN", "CREATEDB", "REPLICATION", "ADD", "GRANT", "ACCOUNT"];

/// Roles that servers bring along and that may do anything.
const MASTERS: [&str; 11] = [
    "POSTGRES",
    "RDS_SUPERUSER",
    "CLOUDSQLSUPERUSER",
    "AZURE_PG_ADMIN",
    "PG_EXECUTE_SERVER_PROGRAM",
    "PG_WRITE_SERVER_FILES",
    "SYSADMIN",
    "DB_OWNER",
    "DBA",
    "ACCOUNTADMIN",
    "SECURITYADMIN",
];

/// After GRANT.
pub(super) fn grant(reader: &Reader<'_>) -> SqlStatement {
    let anywhere = reader.tokens.iter().any(|token| matches!(&token.kind, Kind::Text(text) if text == "%"));
    let passed_on = reader.has("OPTION") && reader.has("GRANT");
    let all = reader.has("ALL") && (anywhere || passed_on || reader.has("PUBLIC"));
    given(reader, all || has_any(reader, &FULL) || has_any(reader, &MASTERS))
}

/// After `ALTER ROLE`: a password or a setting gives nothing.
pub(super) fn altered(reader: &Reader<'_>) -> SqlStatement {
    let full = has_any(reader, &FULL) || has_any(reader, &MASTERS);
    if full || has_any(reader, &MORE) {
        return given(reader, full);
    }
    reader.is(SqlVerb::Rights, None, "rights")
}

/// After `CREATE ROLE`.
pub(super) fn made(reader: &Reader<'_>) -> SqlStatement {
    given(reader, has_any(reader, &FULL))
}

fn has_any(reader: &Reader<'_>, words: &[&str]) -> bool {
    words.iter().any(|word| reader.has(word))
}

fn given(reader: &Reader<'_>, full: bool) -> SqlStatement {
    reader.is(SqlVerb::Grant, None, if full { "full control" } else { "rights" })
}
