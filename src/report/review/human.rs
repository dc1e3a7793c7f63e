//! The review for a terminal.

use crate::model::Verdict;
use crate::report::contract::ConsequenceReport;
use crate::report::human::{DIM, GREEN, Page, RED, YELLOW};
use crate::text::{escape, width};

use super::group::Group;
use super::{Said, looked_at, rows, said, title, told};

/// Everything between the headline and what the profile does. `all`: what nothing is lost by is described too.
pub(in crate::report) fn page(page: &mut Page, report: &ConsequenceReport, all: bool) {
    if let Some(text) = looked_at(report) {
        page.line("");
        page.labelled(2, "", &text, &[]);
        numbers(page, report);
    }
    let (groups, rest) = told(report, all);
    for group in &groups {
        page.line("");
        head(page, group);
        for Said { label, lines } in said(group, report) {
            let code = if label == "instead" { GREEN } else { "" };
            for (n, line) in lines.iter().enumerate() {
                page.labelled(4, if n == 0 { label } else { " " }, line, &[code]);
            }
        }
    }
    if let Some(rest) = rest {
        page.line("");
        page.labelled(2, "", &rest, &[DIM]);
    }
}

/// The review as sentences, each a line of its own.
pub(in crate::report) fn speak(report: &ConsequenceReport) -> Vec<String> {
    let mut out: Vec<String> = looked_at(report).into_iter().map(|text| format!("{text}.")).collect();
    let (groups, rest) = told(report, false);
    for group in &groups {
        out.push(format!("{}: {}: {}.", group.verdict.as_str(), title(group), group.label()));
        for Said { label, lines } in said(group, report) {
            out.push(format!("{label}: {}.", lines.join("; ").trim_end_matches('.')));
        }
    }
    out.extend(rest.map(|text| format!("{text}.")));
    out
}

/// A verdict a row, with its types.
fn numbers(page: &mut Page, report: &ConsequenceReport) {
    let rows = rows(report);
    if report.mutations.is_empty() {
        return;
    }
    for row in rows {
        let text = format!("{}: {}", row.changes, row.types());
        page.labelled(4, row.verdict.as_str(), &text, &[]);
    }
}

fn color(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Block => RED,
        Verdict::Escalate | Verdict::Warn => YELLOW,
        Verdict::Allow => GREEN,
    }
}

/// The verdict, what is done to what, and how far that can be undone.
fn head(page: &mut Page, group: &Group<'_>) {
    let (word, title, label) = (group.verdict.as_str(), escape(&title(group)), group.label());
    let code = color(group.verdict);
    let painted = page.bold(code, word);
    let used = 2 + width(word) + 2 + width(&title);
    if used + 2 + width(&label) <= page.style.width {
        let line = format!("  {painted}  {}  {}", page.bold("", &title), page.paint(&[code], &label));
        page.line(&line);
        return;
    }
    let room = page.style.width.saturating_sub(4).max(20);
    let mut lines = crate::text::wrap(&title, room.saturating_sub(width(word))).into_iter();
    let first = format!("  {painted}  {}", page.bold("", &lines.next().unwrap_or_default()));
    page.line(&first);
    for line in lines {
        let line = format!("    {}", page.bold("", &line));
        page.line(&line);
    }
    let line = format!("    {}", page.paint(&[code], &label));
    page.line(&line);
}
