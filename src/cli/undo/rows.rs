//! What is kept as rows: aligned for a terminal, one point a line for a pipe, and as JSON.

use serde_json::{Value, json};

use crate::attest::time::Time;
use crate::keep::Head;
use crate::text::{escape, shorten, size, width};

/// Milliseconds of a day.
pub(super) const DAY: i64 = 86_400_000;
/// From so many columns on a point has one row.
const WIDE: usize = 110;

/// A point as the list shows it.
pub(super) struct Row {
    pub(super) head: Head,
    pub(super) pinned: bool,
    pub(super) undone: bool,
    /// When it may be forgotten; `None` when it is pinned.
    pub(super) until: Option<Time>,
}

impl Row {
    fn until(&self, now: Time) -> String {
        match self.until {
            None => "pinned".to_owned(),
            Some(_) if self.undone => "undone".to_owned(),
            Some(until) => left(until.since(now)),
        }
    }

    /// What was set aside, without its size, which has a column.
    fn what(&self) -> &str {
        self.head.what.rsplit_once(" (").map_or(self.head.what.as_str(), |(what, _)| what)
    }

    /// For programs.
    pub(super) fn json(&self) -> Value {
        let head = &self.head;
        json!({
            "id": head.id,
            "time": Time::from_millis(head.time).to_string(),
            "until": self.until.map(|until| until.to_string()),
            "pinned": self.pinned,
            "undone": self.undone,
            "made": super::made(head),
            "who": head.who,
            "session": head.session,
            "cwd": head.cwd.0.to_string_lossy(),
            "command": head.command,
            "what": head.what,
            "files": head.files,
            "bytes": head.bytes,
            "copied": head.copied,
            "without": head.without,
        })
    }
}

/// The rows for people: within so many columns, or as long as they are.
pub(super) fn table(rows: &[Row], columns: Option<usize>, now: Time) -> String {
    let mut cells: Vec<[String; 6]> = vec![["ID", "WHEN", "WHO", "SIZE", "UNTIL", "WHAT"].map(str::to_owned)];
    for row in rows {
        cells.push([
            row.head.id.clone(),
            ago(now.since(Time::from_millis(row.head.time))),
            shorten(&escape(&row.head.who), 20),
            size(row.head.bytes),
            row.until(now),
            shorten(&escape(row.what()), 32),
        ]);
    }
    let commands: Vec<String> = std::iter::once("COMMAND".to_owned())
        .chain(rows.iter().map(|row| escape(&row.head.command)))
        .collect();
    let wide = columns.is_none_or(|columns| columns >= WIDE);
    let most: Vec<usize> =
        (0..6).map(|n| cells.iter().map(|row| width(&row[n])).max().unwrap_or_default()).collect();
    let mut shown: Vec<usize> = (0..if wide { 6 } else { 5 }).collect();
    // A column that is cut says less than none: who goes first, then until when.
    for least in [2, 4, 1] {
        let all: usize = shown.iter().map(|n| most[*n] + 2).sum();
        if columns.is_some_and(|columns| !wide && all > columns + 2) {
            shown.retain(|n| *n != least);
        }
    }
    let mut page = String::new();
    let mut line = |text: &str| {
        let text = columns.map_or_else(|| text.to_owned(), |columns| shorten(text, columns));
        page.push_str(text.trim_end());
        page.push('\n');
    };
    for (number, (row, command)) in cells.iter().zip(&commands).enumerate() {
        let mut text = String::new();
        for (n, cell) in shown.iter().map(|n| (*n, &row[*n])) {
            let gap = " ".repeat(most[n].saturating_sub(width(cell)));
            // Sizes stand below each other at their end.
            if n == 3 {
                text.push_str(&format!("{gap}{cell}  "))
            } else {
                text.push_str(&format!("{cell}{gap}  "))
            }
        }
        if wide {
            line(&format!("{text}{command}"));
        } else {
            line(&text);
            if number > 0 {
                line(&format!("  {}: {command}", row[5]));
            }
        }
    }
    page
}

/// `3 min ago`.
pub(super) fn ago(millis: i64) -> String {
    let seconds = millis / 1000;
    match seconds {
        ..60 => "just now".to_owned(),
        60..3600 => format!("{} min ago", seconds / 60),
        3600..172_800 => format!("{} h ago", seconds / 3600),
        _ => format!("{} days ago", seconds / 86_400),
    }
}

/// `13 days`, of what is left.
fn left(millis: i64) -> String {
    match millis {
        ..=0 => "any time".to_owned(),
        1..3_600_000 => "1 h".to_owned(),
        3_600_000..172_800_000 => format!("{} h", millis / 3_600_000),
        _ => format!("{} days", (millis + DAY - 1) / DAY),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keep::{Made, Name};

    fn row(id: &str, command: &str, what: &str) -> Row {
        let head = Head {
            version: 1,
            id: id.to_owned(),
            time: 0,
            made: Made::ForLoss,
            command: command.to_owned(),
            cwd: Name("/home/me".into()),
            who: "agent/claude-code".to_owned(),
            session: None,
            what: what.to_owned(),
            files: 1,
            bytes: 1_234_567,
            copied: 0,
            folders: Vec::new(),
            commits: 0,
            without: Vec::new(),
            missing: false,
        };
        Row { head, pinned: false, undone: false, until: Some(Time::from_millis(14 * DAY)) }
    }

    #[test]
    fn rows_stay_within_their_columns_and_are_whole_in_a_pipe() {
        let long = "rm -rf ".to_owned() + &"a-long-name ".repeat(30);
        let rows =
            [row("0a1b2c3d", "rm notes.md", "notes.md (6 bytes)"), row("ffffffff", &long, "30 files (1 MB)")];
        let now = Time::from_millis(120_000);
        for columns in [60, 80, 120] {
            let page = table(&rows, Some(columns), now);
            assert!(page.lines().all(|line| width(line) <= columns), "{page}");
            assert!(
                page.contains("2 min ago") && page.contains("14 days") && page.contains("rm notes.md"),
                "{page}"
            );
        }
        let page = table(&rows, None, now);
        assert_eq!(page.lines().count(), 3, "{page}");
        assert!(page.contains(long.trim_end()), "{page}");
    }

    #[test]
    fn a_narrow_terminal_has_whole_columns() {
        let page =
            table(&[row("0a1b2c3d", "rm notes.md", "notes.md (6 bytes)")], Some(40), Time::from_millis(0));
        let mut lines = page.lines();
        assert_eq!(lines.next(), Some("ID        WHEN        SIZE  UNTIL"), "{page}");
        assert!(!page.contains('…') && page.contains("notes.md: rm notes.md"), "{page}");
    }

    #[test]
    fn times_are_relative() {
        for (seconds, want) in [
            (-5, "just now"),
            (59, "just now"),
            (60, "1 min ago"),
            (3600, "1 h ago"),
            (90_000, "25 h ago"),
            (200_000, "2 days ago"),
        ] {
            assert_eq!(ago(seconds * 1000), want);
        }
        for (millis, want) in [(-1, "any time"), (5, "1 h"), (7_200_000, "2 h"), (14 * DAY, "14 days")] {
            assert_eq!(left(millis), want);
        }
    }
}
