//! Texts that some program is to run: SQL, and other languages in which stores are asked.
//!
//! Owns what is told of such a text by itself, when nobody knows which program reads it. SQL is read by `code`.

use super::tool_words::tool_words;
use crate::code::{self, SqlVerb};

/// Longer texts are no queries on a command line.
const LONGEST: usize = 10_000;
/// Commands of stores that take everything away.
const STORES: [&str; 2] = ["flushall", "flushdb"];

/// Whether a text begins like SQL.
pub fn is_sql(text: &str) -> bool {
    let first: String = text.trim_start().chars().take_while(char::is_ascii_alphabetic).collect();
    tool_words().values.sql.has(&first.to_ascii_lowercase()) && text.trim().contains(char::is_whitespace)
}

/// Whether a text that begins like SQL goes on like it: `drop table`, `delete … where`, and not `drop shipping`.
pub fn is_no_sentence(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default();
    let words: Vec<&str> = words.collect();
    let next = &tool_words().values.sql_next;
    let follows = |most: usize| words.iter().take(most).any(|word| next.has(word));
    match first {
        "delete" | "truncate" | "replace" => follows(1) || words.contains(&"where") || words.len() == 1,
        "drop" | "alter" | "create" | "insert" | "vacuum" => follows(3),
        _ => {
            follows(usize::MAX)
                || text.contains(['(', ';', '=', '\'', '*'])
                || text.ends_with(char::is_numeric)
        }
    }
}

/// Whether a query in another language than SQL changes something.
pub fn changes_by_query(text: &str) -> bool {
    let values = &tool_words().values;
    let lower = text.to_ascii_lowercase();
    let mut words = words_of(&lower);
    let Some(first) = words.next() else { return false };
    values.queries.has(first)
        && text.contains(['(', '{', '.', '='])
        && (values.query_changes.has(first) || words.any(|word| values.query_changes.has(word)))
}

/// Whether a text is SQL that changes or takes away what is there.
pub fn changes_by_sql(text: &str) -> bool {
    let changes = |verb: SqlVerb| takes_away(verb) || matches!(verb, SqlVerb::Update | SqlVerb::Alter);
    is_sql(text) && is_no_sentence(text) && code::sql("sql", text).iter().any(|one| changes(one.verb))
}

/// Whether a text says that what a database or a store holds is taken away, in SQL, in another language for queries, or as a
/// store's command: whichever program it is handed to.
pub(super) fn destroys_by_query(text: &str) -> bool {
    let text = text.trim();
    if text.len() > LONGEST {
        return false;
    }
    let sql = || {
        text.contains(char::is_whitespace)
            && is_sql(text)
            && is_no_sentence(text)
            && code::sql("sql", text).iter().any(|one| takes_away(one.verb))
    };
    let first = text.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
    let destroying = |word: &str| tool_words().values.query_destroys.has(word);
    let query = || changes_by_query(text) && words_of(&text.to_ascii_lowercase()).any(destroying);
    STORES.contains(&first.as_str()) || sql() || query()
}

fn takes_away(verb: SqlVerb) -> bool {
    matches!(verb, SqlVerb::Delete | SqlVerb::Truncate | SqlVerb::Drop | SqlVerb::DropDefinition)
}

/// The words of a text; `_drop` is one, and `drop_all` too.
fn words_of(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.map(|word| word.trim_matches('_')).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_takes_away_is_told_whoever_reads_it() {
        for text in [
            "drop database app",
            "delete from t where true",
            "TRUNCATE TABLE users",
            "FLUSHALL",
            "match (n) detach delete n",
            "db.users.deleteMany({})",
            "db._drop('users')",
        ] {
            assert!(destroys_by_query(text), "{text}");
        }
        for text in [
            "drop shipping",
            "delete a git branch",
            "select 1",
            "update t set a = 1",
            "match (n) return n",
            "truncate",
            "delete",
            "fix: drop table headers from the page",
        ] {
            assert!(!destroys_by_query(text), "{text}");
        }
    }
}
