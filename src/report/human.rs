//! The report for people: what is lost, why, how to get it back, what to type instead, and which words are guilty.
//!
//! Everything printed passes through [`crate::text::escape`]. Colour is the caller's choice.

use std::fmt::Write as _;
use std::ops::Range;

use crate::model::{MASK, Secrets, Verdict};
use crate::order;
use crate::policy::EnforcementAction;

use super::contract::{ConsequenceReport, MutationReport};
use super::review;
use crate::text::{char_width, escape, escape_into, shorten, width, wrap};

/// How to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// With colour.
    pub color: bool,
    /// Columns to keep within.
    pub width: usize,
}

impl Default for Style {
    fn default() -> Self {
        Self { color: false, width: 80 }
    }
}

/// Mutations that are described in full; the rest is counted.
const DESCRIBED: usize = 6;

pub(super) const RED: &str = "31";
pub(super) const YELLOW: &str = "33";
pub(super) const GREEN: &str = "32";
const BOLD: &str = "1";
pub(super) const DIM: &str = "2";

pub(super) struct Page {
    pub(super) out: String,
    pub(super) style: Style,
}

impl Page {
    pub(super) fn paint(&self, codes: &[&str], text: &str) -> String {
        let codes: Vec<&str> = codes.iter().copied().filter(|code| !code.is_empty()).collect();
        if self.style.color && !text.is_empty() && !codes.is_empty() {
            format!("\u{1b}[{}m{text}\u{1b}[0m", codes.join(";"))
        } else {
            text.to_owned()
        }
    }

    pub(super) fn bold(&self, code: &str, text: &str) -> String {
        self.paint(&[BOLD, code], text)
    }

    pub(super) fn line(&mut self, text: &str) {
        self.out.push_str(text.trim_end());
        self.out.push('\n');
    }

    /// `label`, then a command to be copied: it stays in one piece, however wide the terminal is.
    pub(super) fn offered(&mut self, indent: usize, label: &str, command: &str, codes: &[&str]) {
        let head = self.paint(&[DIM], &format!("{label:<10}"));
        let line = format!("{}{head}{}", " ".repeat(indent), self.paint(codes, &escape(command)));
        self.line(&line);
    }

    /// `label` once, then the text wrapped beside it.
    pub(super) fn labelled(&mut self, indent: usize, label: &str, text: &str, codes: &[&str]) {
        let gap = indent + if label.is_empty() { 0 } else { 10 };
        for (n, piece) in wrap(&escape(text), self.style.width.saturating_sub(gap)).iter().enumerate() {
            let head = if n == 0 { label } else { "" };
            let head = if label.is_empty() { String::new() } else { format!("{head:<10}") };
            let line =
                format!("{}{}{}", " ".repeat(indent), self.paint(&[DIM], &head), self.paint(codes, piece));
            self.line(&line);
        }
    }
}

/// What happens, in a word, and its colour: the enforcement where one is stated, else the verdict.
pub(super) fn outcome(report: &ConsequenceReport) -> (&'static str, &'static str) {
    let verdict = report.risk_assessment;
    match (report.enforcement.as_ref().map(|enforcement| enforcement.action), verdict) {
        (_, Verdict::Allow) => ("allow", GREEN),
        (Some(EnforcementAction::Run), _) => ("runs", GREEN),
        (Some(EnforcementAction::Note), _) => ("note", YELLOW),
        (None, Verdict::Warn) => ("warning", YELLOW),
        (Some(EnforcementAction::Ask), _) | (None, Verdict::Escalate) => ("needs a decision", YELLOW),
        (Some(EnforcementAction::Refuse), Verdict::Block) | (None, Verdict::Block) => ("blocked", RED),
        (Some(EnforcementAction::Refuse), _) => ("refused", RED),
    }
}

/// One line: the verdict and its reason, for notes beside a command that runs.
pub fn render_line(report: &ConsequenceReport, style: Style) -> String {
    let page = Page { out: String::new(), style };
    let (word, color) = outcome(report);
    let head = format!("recourse: {word}");
    let room = style.width.saturating_sub(width(&head) + 2).max(20);
    format!("{}: {}", page.paint(&[BOLD, color], &head), shorten(&escape(&report.assessment_reason), room))
}

/// The same of what runs all the same, because a person approved it: it is not refused, and nothing is to be decided.
pub fn render_approved_line(report: &ConsequenceReport, style: Style) -> String {
    let page = Page { out: String::new(), style };
    let (_, color) = outcome(report);
    let head = format!("recourse: approved by a person ({})", report.risk_assessment.as_str());
    let room = style.width.saturating_sub(width(&head) + 2).max(20);
    format!("{}: {}", page.paint(&[BOLD, color], &head), shorten(&escape(&report.assessment_reason), room))
}

/// The report. `text` is the command line that spans speak of; without it the words are not shown.
pub fn render(report: &ConsequenceReport, text: Option<&str>, style: Style) -> String {
    render_up_to(DESCRIBED, report, text, style)
}

/// [`render`] with every mutation described.
pub fn render_all(report: &ConsequenceReport, text: Option<&str>, style: Style) -> String {
    render_up_to(usize::MAX, report, text, style)
}

fn render_up_to(described: usize, report: &ConsequenceReport, text: Option<&str>, style: Style) -> String {
    let style = Style { width: style.width.clamp(40, 120), ..style };
    let (word, color) = outcome(report);
    let mut page = Page { out: String::new(), style };
    let runs = report.enforcement.as_ref().is_some_and(|e| e.action == EnforcementAction::Run);
    let plan = review::is_plan(report);
    if (runs || report.risk_assessment == Verdict::Allow) && plan {
        let seen = review::looked_at(report).map(|seen| format!("; {seen}")).unwrap_or_default();
        headline(&mut page, word, color, &format!("{}{seen}", report.assessment_reason));
        if described == usize::MAX {
            review::page(&mut page, report, true);
        }
        return page.out;
    }
    if runs || report.risk_assessment == Verdict::Allow {
        let line = render_line(report, style);
        page.line(&line);
        return page.out;
    }
    headline(&mut page, word, color, &report.assessment_reason);
    if plan {
        review::page(&mut page, report, described == usize::MAX);
        closing(&mut page, report, false);
        return page.out;
    }
    let shown = shown_mutations(report);
    if let Some(text) = text {
        page.line("");
        guilty_words(&mut page, text, &report.secrets, &guilty_spans(&shown), color);
    }
    for mutation in shown.iter().take(described) {
        page.line("");
        describe(&mut page, mutation, &report.assessment_reason);
    }
    if shown.len() > described {
        page.line("");
        let rest = format!("and {} more; --format json lists them all", shown.len() - described);
        page.labelled(2, "", &rest, &[DIM]);
    }
    closing(&mut page, report, true);
    page.out
}

/// What is said of the whole, below its parts. `look`: the first suggestion too.
fn closing(page: &mut Page, report: &ConsequenceReport, look: bool) {
    for risk in &report.cross_action_risks {
        page.line("");
        page.labelled(2, "together", &risk.explanation, &[]);
    }
    if let Some(first) = report.verification_suggestions.first().filter(|_| look)
        && report.risk_assessment >= Verdict::Escalate
    {
        page.line("");
        let command = shell_words::join(&first.verification.argv);
        page.labelled(2, "", &format!("to be surer: {command}"), &[]);
    }
    if let Some(enforcement) = &report.enforcement
        && report.risk_assessment >= Verdict::Escalate
    {
        page.line("");
        let before = match enforcement.action {
            EnforcementAction::Run | EnforcementAction::Note => "it runs all the same: ",
            EnforcementAction::Ask | EnforcementAction::Refuse => "",
        };
        let by = enforcement.rule.as_ref().map_or(String::new(), |rule| format!(": {rule}"));
        let said = format!("{before}{} ({} profile){by}", enforcement.reason, enforcement.profile);
        page.labelled(2, "", &said, &[DIM]);
    }
    if report.keep_first.is_some() {
        page.line("");
        let said = "`recourse exec` would keep it first, then run it; `recourse undo` brings it back";
        page.labelled(2, "", said, &[GREEN]);
    }
}

/// The mutations that matter, the worst first.
pub(super) fn shown_mutations(report: &ConsequenceReport) -> Vec<&MutationReport> {
    let mut shown: Vec<&MutationReport> =
        report.mutations.iter().filter(|m| m.recoverability.tier > 1).collect();
    if shown.is_empty() {
        // A rule of the policy decided, not a loss: then what it speaks of is worth naming.
        shown = report.mutations.iter().collect();
    }
    order::by_key(&mut shown, |m| std::cmp::Reverse(severity(m)));
    shown
}

/// Where the guilty words of these mutations, the worst first, stand.
pub(super) fn guilty_spans(shown: &[&MutationReport]) -> Vec<Range<usize>> {
    let worst = shown.first().map_or(0, |m| severity(m));
    let floor = worst.min(3);
    shown
        .iter()
        .filter(|m| severity(m) >= floor)
        .filter_map(|m| m.intent.span.map(|span| span.start..span.end))
        .collect()
}

/// Rank by harm: a sure loss first, then what cannot be told.
pub(super) fn severity(mutation: &MutationReport) -> u8 {
    match mutation.recoverability.tier {
        4 => 5,
        5 => 4,
        tier => tier,
    }
}

pub(super) fn headline(page: &mut Page, word: &str, color: &str, reason: &str) {
    let head = format!("recourse: {word}");
    let lines = wrap(&format!("{head}: {}", escape(reason)), page.style.width);
    for (n, line) in lines.iter().enumerate() {
        let painted = match (n, line.strip_prefix(head.as_str())) {
            (0, Some(rest)) => format!("{}{}", page.paint(&[BOLD, color], &head), page.paint(&[BOLD], rest)),
            _ => page.paint(&[BOLD], line),
        };
        page.line(&painted);
    }
}

/// One mutation; what the headline said already is not said again.
fn describe(page: &mut Page, mutation: &MutationReport, said: &str) {
    let target = &mutation.intent.target;
    let named = [target.name.as_deref(), Some(target.id.as_str())].into_iter().flatten();
    // Some acts have no target of their own (`git reset --hard`); then the words stand for it.
    let what = named.chain([mutation.intent.raw.as_str()]).find(|name| !name.is_empty()).unwrap_or_default();
    let action = action_word(mutation);
    let label = mutation.recoverability.label.replace('-', " ");
    let room = page.style.width.saturating_sub(width(&action) + 3);
    let name = shorten(&escape(what), room);
    let kind = escape(&target.r#type);
    let code = match mutation.recoverability.tier {
        4 => RED,
        3 | 5 => YELLOW,
        _ => GREEN,
    };
    let first = format!("  {} {}", page.paint(&[BOLD], &action), page.paint(&[BOLD], &name));
    let used = 2 + width(&action) + 1 + width(&name);
    let tail_width = 2 + width(&kind) + 2 + width(&label);
    if used + tail_width <= page.style.width {
        let line = format!("{first}  {}  {}", page.paint(&[DIM], &kind), page.paint(&[code], &label));
        page.line(&line);
    } else {
        page.line(&first);
        let kind = shorten(&kind, page.style.width - 4);
        let fits = 4 + width(&kind) + 2 + width(&label) <= page.style.width;
        let between = if fits { "  " } else { "\n    " };
        let line = format!("    {}{between}{}", page.paint(&[DIM], &kind), page.paint(&[code], &label));
        page.line(&line);
    }
    let reasoning = &mutation.recoverability.reasoning;
    if reasoning != said {
        page.labelled(4, "why", reasoning, &[]);
    }
    for dependent in mutation.dependency_impact.iter().take(3) {
        page.labelled(4, "affects", &format!("{}: {}", dependent.target_id, dependent.reason), &[]);
    }
    let unseen =
        mutation.missing_evidence.iter().filter(|m| &m.description != reasoning && m.description != said);
    for (n, missing) in unseen.take(2).enumerate() {
        page.labelled(4, if n == 0 { "not seen" } else { " " }, &missing.description, &[]);
    }
    if mutation.recovery.is_empty() {
        if mutation.recoverability.tier == 4 {
            page.labelled(4, "back", "nothing brings it back", &[]);
        }
    } else {
        for (n, step) in mutation.recovery.iter().take(4).enumerate() {
            page.labelled(4, if n == 0 { "back" } else { " " }, step, &[]);
        }
    }
    for (n, other) in mutation.alternatives.iter().take(2).enumerate() {
        page.offered(4, if n == 0 { "instead" } else { " " }, &other.command, &[GREEN]);
        page.labelled(4, " ", &other.explanation, &[]);
    }
}

pub(super) fn action_word(mutation: &MutationReport) -> String {
    serde_json::to_value(mutation.intent.action)
        .ok()
        .and_then(|value| value.as_str().map(str::to_owned))
        .unwrap_or_else(|| "change".to_owned())
}

/// One cell of the command line as shown.
struct Cell {
    text: String,
    width: usize,
    guilty: bool,
}

/// The command line, cut to lines, with carets under the guilty words. Lines without any are left out beyond a few.
pub(super) fn guilty_words(
    page: &mut Page,
    text: &str,
    secrets: &Secrets,
    spans: &[Range<usize>],
    code: &'static str,
) {
    let secrets = secrets.ranges(text);
    let guilty = |at: usize| spans.iter().any(|span| span.contains(&at));
    let mut lines: Vec<Vec<Cell>> = vec![Vec::new()];
    let mut masked_until = 0;
    for (at, c) in text.char_indices() {
        if at < masked_until {
            continue;
        }
        if let Some(secret) = secrets.iter().find(|range| range.start == at) {
            masked_until = secret.end;
            push(&mut lines, Cell { text: MASK.to_owned(), width: MASK.len(), guilty: guilty(at) });
            continue;
        }
        if c == '\n' {
            lines.push(Vec::new());
            continue;
        }
        let mut shown = String::new();
        if c == '\t' {
            shown.push(' ');
        } else {
            escape_into(c, &mut shown);
        }
        let wide = if shown.chars().count() == 1 { char_width(c) } else { width(&shown) };
        push(&mut lines, Cell { text: shown, width: wide, guilty: guilty(at) });
    }
    let room = page.style.width.saturating_sub(2);
    let mut left_out = 0;
    let many = lines.len() > 4;
    for line in &lines {
        if many && !line.iter().any(|cell| cell.guilty) {
            left_out += 1;
            continue;
        }
        for piece in cut(line, room) {
            let mut words = String::from("  ");
            let mut marks = String::from("  ");
            for cell in piece {
                words.push_str(&cell.text);
                let _ = write!(marks, "{}", if cell.guilty { "^" } else { " " }.repeat(cell.width));
            }
            page.line(&words);
            if marks.contains('^') {
                let marks = page.paint(&[code], marks.trim_end());
                page.line(&marks);
            }
        }
    }
    if left_out > 0 {
        let said = if left_out == 1 { "1 other line".to_owned() } else { format!("{left_out} other lines") };
        page.labelled(2, "", &format!("({said} not shown)"), &[DIM]);
    }
}

fn push(lines: &mut [Vec<Cell>], cell: Cell) {
    if let Some(line) = lines.last_mut() {
        line.push(cell);
    }
}

/// A line in pieces of at most `room` columns; of very long lines only what is guilty, with its neighbours.
fn cut(line: &[Cell], room: usize) -> Vec<&[Cell]> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut used = 0;
    for (at, cell) in line.iter().enumerate() {
        if used + cell.width > room && at > start {
            pieces.push(&line[start..at]);
            start = at;
            used = 0;
        }
        used += cell.width;
    }
    pieces.push(&line[start..]);
    if pieces.len() > 6 {
        pieces.retain(|piece| piece.iter().any(|cell| cell.guilty));
        pieces.truncate(6);
    }
    pieces
}
