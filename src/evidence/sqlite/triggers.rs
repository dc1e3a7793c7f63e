//! What the triggers that stand in a database do when a statement fires them: which rows of other tables go.

use std::collections::BTreeSet;

use crate::code::{SqlEvent, SqlStatement, SqlTrigger, SqlVerb, sql_trigger};
use crate::order;
use crate::text::count;
use crate::world::LookError;

use super::{Statement, matching, quoted, unquote};

/// Chains of triggers longer than this are not followed to the end.
const CHAIN: usize = 32;

/// What triggers take along.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Fired {
    /// Rows that go or change in whatever table.
    pub(super) rows: u64,
    /// The same in words, table by table.
    pub(super) said: Vec<String>,
    /// Why not all of it could be told.
    pub(super) unclear: Option<String>,
}

/// Asks the database one question.
pub(super) type Ask<'a> = &'a mut dyn FnMut(String) -> Result<String, LookError>;

/// The events that a statement is for triggers.
pub(super) fn events(text: &str) -> Vec<SqlEvent> {
    let head = text.trim_start().to_ascii_uppercase();
    let words: Vec<&str> = head.split_whitespace().take(3).collect();
    match words.as_slice() {
        ["UPDATE", ..] => vec![SqlEvent::Update],
        ["DELETE", ..] => vec![SqlEvent::Delete],
        // A conflict may become an update or take the old row away.
        _ if head.contains("CONFLICT") => vec![SqlEvent::Insert, SqlEvent::Update],
        ["REPLACE", ..] | ["INSERT", "OR", "REPLACE"] => vec![SqlEvent::Insert, SqlEvent::Delete],
        [".import", ..] | ["INSERT", ..] => vec![SqlEvent::Insert],
        [first, ..] if first.starts_with(".IMPORT") => vec![SqlEvent::Insert],
        // Behind `WITH` stands any of them.
        ["WITH", ..] => vec![SqlEvent::Insert, SqlEvent::Update, SqlEvent::Delete],
        _ => Vec::new(),
    }
}

/// What the triggers do that these events on a table fire, and those that they fire in turn.
pub(super) fn fired(table: &str, events: &[SqlEvent], ask: Ask<'_>) -> Fired {
    let mut found = Fired::default();
    let all = match all(ask) {
        Ok(all) => all,
        Err(error) => {
            found.unclear = Some(format!("the triggers could not be read: {error}"));
            return found;
        }
    };
    let mut pending: Vec<(String, SqlEvent)> =
        events.iter().map(|event| (table.to_lowercase(), *event)).collect();
    let mut seen: BTreeSet<(String, SqlEvent)> = order::set(pending.iter().cloned());
    let mut told: BTreeSet<(String, String)> = BTreeSet::new();
    while let Some((table, event)) = pending.pop() {
        for trigger in &all {
            let Some(trigger) = trigger else {
                found.unclear = Some("a trigger could not be read".to_owned());
                continue;
            };
            if trigger.table != table || trigger.event != event {
                continue;
            }
            for statement in &trigger.statements {
                let Some(object) = statement.object.as_deref().map(unquote) else {
                    found.unclear = Some("a trigger does something that is not understood".to_owned());
                    continue;
                };
                if told.insert((object.to_lowercase(), statement.text.clone())) {
                    one(trigger, statement, &object, &mut *ask, &mut found);
                }
                for event in self::events(&statement.text) {
                    let next = (object.to_lowercase(), event);
                    if seen.len() < CHAIN && seen.insert(next.clone()) {
                        pending.push(next);
                    }
                }
            }
        }
    }
    found
}

/// Every trigger of the database; `None` for one that could not be read.
fn all(ask: Ask<'_>) -> Result<Vec<Option<SqlTrigger>>, LookError> {
    // As hexadecimal digits, since a text of several lines could not be told from several texts.
    let listed = ask("SELECT hex(sql) FROM sqlite_master WHERE type = 'trigger'".to_owned())?;
    Ok(listed.lines().map(|line| sql_trigger(&text_of(line.trim())?)).collect())
}

fn text_of(digits: &str) -> Option<String> {
    let digits: Option<Vec<u8>> =
        digits.chars().map(|c| c.to_digit(16).and_then(|d| u8::try_from(d).ok())).collect();
    let bytes: Vec<u8> = digits?
        .chunks(2)
        .map(|pair| pair.iter().fold(0_u8, |byte, digit| byte.wrapping_shl(4) | digit))
        .collect();
    String::from_utf8(bytes).ok()
}

/// The rows that one statement of a trigger takes.
fn one(trigger: &SqlTrigger, statement: &SqlStatement, object: &str, ask: Ask<'_>, found: &mut Fired) {
    match statement.verb {
        SqlVerb::Delete | SqlVerb::Update | SqlVerb::Truncate => {}
        SqlVerb::Read | SqlVerb::Control | SqlVerb::Create => return,
        _ => {
            found.unclear = Some("a trigger does something that is not understood".to_owned());
            return;
        }
    }
    let condition = statement.condition.as_deref();
    // What is set in the very row that was just put in or is being changed.
    let own = object.eq_ignore_ascii_case(&trigger.table)
        && statement.verb == SqlVerb::Update
        && trigger.event != SqlEvent::Delete
        && condition.is_some_and(of_the_row);
    if own {
        return;
    }
    let from = format!("SELECT count(*) FROM {}", quoted(object));
    let asked = Statement {
        database: &crate::model::Value::Unknown,
        object: Some(object),
        text: &statement.text,
        condition,
    };
    // `new` and `old` are known only while it runs: then all rows may be meant.
    let counted = matching(&asked)
        .and_then(|condition| ask(format!("{from} WHERE ({condition}\n)")).ok())
        .or_else(|| ask(from).ok())
        .and_then(|answer| answer.parse::<u64>().ok());
    match counted {
        Some(0) => {}
        Some(rows) => {
            found.rows = found.rows.saturating_add(rows);
            found.said.push(format!("{} of {object}", count(rows, "row")));
        }
        None => found.unclear = Some(format!("the rows of {object} could not be counted")),
    }
}

/// Whether a condition names the row that fired the trigger by one column alone: `id = new.id`.
fn of_the_row(condition: &str) -> bool {
    let plain = |side: &str| side.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '"' | '`' | '.'));
    let key =
        |side: &str| side.rsplit('.').next().unwrap_or_default().trim_matches(['"', '`']).to_lowercase();
    let Some((left, right)) = condition.split_once('=') else { return false };
    let (left, right) = (left.trim(), right.trim().trim_start_matches('=').trim());
    let named = |side: &str| {
        let side = side.to_ascii_lowercase();
        side.starts_with("new.") || side.starts_with("old.")
    };
    plain(left) && plain(right) && (named(left) != named(right)) && key(left) == key(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_told_by_the_head() {
        assert_eq!(events("insert into t values(1)"), [SqlEvent::Insert]);
        assert_eq!(events("replace into t values(1)"), [SqlEvent::Insert, SqlEvent::Delete]);
        assert_eq!(events("UPDATE t SET a = 1"), [SqlEvent::Update]);
        assert_eq!(events(".import a.csv t"), [SqlEvent::Insert]);
        assert_eq!(events("create table t(a)"), []);
    }

    #[test]
    fn triggers_are_followed_through_what_they_fire() {
        let hex = |text: &str| text.bytes().map(|byte| format!("{byte:02X}")).collect::<String>();
        let made = [
            "create trigger a after insert on ping begin delete from hist; end",
            "create trigger b before delete on \"hist\"\nbegin\n update stock set n = 0 where n > 5;\nend",
            "create trigger c after insert on ping begin update ping set at = 1 where id = new.id; end",
            "create trigger d after update on ping begin delete from never; end",
        ];
        let mut ask = |sql: String| {
            Ok(if sql.contains("sqlite_master") {
                made.map(hex).join("\n")
            } else if sql.contains("hist") {
                "2".to_owned()
            } else if sql.contains("stock") {
                assert!(sql.contains("n > 5"), "{sql}");
                "3".to_owned()
            } else {
                "9".to_owned()
            })
        };
        let found = fired("ping", &[SqlEvent::Insert], &mut ask);
        assert_eq!(found.unclear, None);
        // The trigger's own update of ping fires the last one as well.
        assert_eq!(found.rows, 2 + 3 + 9);
        assert_eq!(fired("other", &[SqlEvent::Insert], &mut ask), Fired::default());
        assert_eq!(fired("ping", &[SqlEvent::Delete], &mut ask), Fired::default());
    }
}
