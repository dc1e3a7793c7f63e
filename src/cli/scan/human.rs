//! The findings for people: the worst first, one paragraph each, and in the end what was not read.

use std::fmt::Write as _;

use crate::model::Verdict;
use crate::report::Style;
use crate::text::{count, escape, list, shorten, wrap};

use super::Report;
use super::finding::Finding;

/// Things that were not read which are named one by one.
const NAMED: usize = 20;
/// Targets of one finding that are named.
const TARGETS: usize = 4;

pub(super) fn page(report: &Report, style: Style) -> String {
    let style = Style { width: style.width.clamp(40, 120), ..style };
    let mut out = String::new();
    for finding in &report.findings {
        describe(&mut out, finding, style);
        out.push('\n');
    }
    for unseen in report.not_read.iter().take(NAMED) {
        let line = unseen.line.map_or(String::new(), |line| format!(":{line}"));
        let _ = writeln!(out, "not read: {}{line}: {}", escape(&unseen.file), escape(&unseen.why));
    }
    if report.not_read.len() > NAMED {
        let _ = writeln!(out, "not read: {} more; --format json lists them", report.not_read.len() - NAMED);
    }
    if !report.not_read.is_empty() {
        out.push('\n');
    }
    let _ = writeln!(out, "{}", total(report));
    out
}

fn total(report: &Report) -> String {
    let summary = &report.summary;
    let number = |count: usize, word: &str| (count > 0).then(|| format!("{count} {word}"));
    let parts: Vec<String> = [
        number(summary.block, "blocked"),
        number(summary.escalate, "to decide"),
        number(summary.warn, "with a warning"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let found = if parts.is_empty() { "nothing found".to_owned() } else { list(&parts) };
    let files = count(summary.files as u64, "file");
    let pieces = count(summary.pieces as u64, "part");
    let unread = match summary.not_read {
        0 => String::new(),
        number => format!("; {number} not read"),
    };
    format!("recourse: {found} in {files} ({pieces} that run something{unread})")
}

fn describe(out: &mut String, finding: &Finding, style: Style) {
    let (word, color) = match finding.verdict {
        Verdict::Block => ("blocked", "31"),
        Verdict::Escalate => ("needs a decision", "33"),
        _ => ("warning", "33"),
    };
    let place = format!("{}:{}:{}", escape(&finding.file), finding.line, finding.column);
    let word = if style.color { format!("\u{1b}[1;{color}m{word}\u{1b}[0m") } else { word.to_owned() };
    let _ = writeln!(out, "{place}: {word} [{}]", finding.rule);
    let command: Vec<&str> = finding.command.split_whitespace().collect();
    let _ = writeln!(out, "    {}", shorten(&escape(&command.join(" ")), style.width.saturating_sub(4)));
    let mut said = finding.reason.clone();
    if finding.targets.len() > 1 {
        let more = finding.targets.len().saturating_sub(TARGETS);
        let mut names: Vec<String> = finding.targets.iter().take(TARGETS).cloned().collect();
        if more > 0 {
            names.push(format!("{more} more"));
        }
        said = format!("{said} ({})", list(&names));
    }
    for line in wrap(&escape(&said), style.width.saturating_sub(2)) {
        let _ = writeln!(out, "  {line}");
    }
    if let Some(first) = finding.recovery.first().filter(|_| finding.verdict >= Verdict::Escalate) {
        for line in wrap(&escape(&format!("to get it back: {first}")), style.width.saturating_sub(2)) {
            let _ = writeln!(out, "  {line}");
        }
    }
}
