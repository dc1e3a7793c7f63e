//! The findings for people: the worst first, one paragraph each; what is only unknown, and what was not read, counted.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::model::Verdict;
use crate::order;
use crate::report::Style;
use crate::text::{count, escape, list, shorten, wrap};

use super::Report;
use super::finding::Finding;

/// Things that were not read which are named one by one.
const NAMED: usize = 12;
/// Targets of one finding that are named.
const TARGETS: usize = 4;
/// Things that are only unknown which are named.
const EXAMPLES: usize = 6;

pub(super) fn page(report: &Report, all: bool, style: Style) -> String {
    let style = Style { width: style.width.clamp(40, 120), ..style };
    let mut out = String::new();
    let shown = |finding: &&Finding| !finding.known && (all || !finding.unknown);
    for finding in report.findings.iter().filter(shown) {
        describe(&mut out, finding, style);
        out.push('\n');
    }
    let mut tail = String::new();
    if !all {
        unknown(&mut tail, report, style);
    }
    for unseen in report.not_read.iter().take(if all { usize::MAX } else { NAMED }) {
        let line = unseen.line.map_or(String::new(), |line| format!(":{line}"));
        let _ = writeln!(tail, "not read: {}{line}: {}", escape(&unseen.file), escape(&unseen.why));
    }
    if report.not_read.len() > NAMED && !all {
        let _ = writeln!(tail, "not read: {} more; --all lists them", report.not_read.len() - NAMED);
    }
    if !tail.is_empty() {
        tail.push('\n');
    }
    out.push_str(&tail);
    let _ = writeln!(out, "{}", total(report));
    out
}

/// What is only unknown, counted by what it is, with its commonest.
fn unknown(out: &mut String, report: &Report, style: Style) {
    let mut kinds: BTreeMap<&'static str, BTreeMap<String, usize>> = BTreeMap::new();
    for finding in report.findings.iter().filter(|finding| finding.unknown && !finding.known) {
        let what = match finding.rule.as_str() {
            "unknown/program" => "programs that nothing is known about",
            "unknown/form" => "forms of programs that nothing is known about",
            "unknown/code" => "code that cannot be read from here",
            "unknown/syntax" | "unknown/limit" => "text that was not understood",
            _ => "changes of files whose place is not known",
        };
        let name = match finding.rule.starts_with("unknown/") {
            true => program(&finding.command).to_owned(),
            false => format!("{}:{}", finding.file, finding.line),
        };
        *kinds.entry(what).or_default().entry(name).or_default() += 1;
    }
    for (what, names) in kinds {
        let number: usize = names.values().sum();
        let mut names: Vec<(String, usize)> = names.into_iter().collect();
        order::by(&mut names, |a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let mut shown: Vec<String> =
            names.iter().take(EXAMPLES).map(|(name, _)| shorten(name, 40).to_owned()).collect();
        if names.len() > EXAMPLES {
            shown.push("others".to_owned());
        }
        let said = format!("to decide as well: {number} {what} ({}); --all lists them", list(&shown));
        for line in wrap(&escape(&said), style.width) {
            let _ = writeln!(out, "{line}");
        }
    }
}

/// The first word that sets no variable.
fn program(command: &str) -> &str {
    let mut words = command.split_whitespace();
    words.find(|word| !word.contains('=')).unwrap_or_default()
}

fn total(report: &Report) -> String {
    let summary = &report.summary;
    let number = |count: usize, word: &str| (count > 0).then(|| format!("{count} {word}"));
    let parts: Vec<String> = [
        number(summary.block, "blocked"),
        number(summary.escalate, "to decide"),
        number(summary.warn, "with a warning"),
        number(summary.baseline, "known from the baseline"),
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
