//! The report as a question to a person: what runs, where, what is lost, how it comes back, what to type instead. Short
//! enough to stand above the keys; [`super::render_all`] has the rest. Printed in columns, or as sentences.

use crate::model::MASK;

use super::contract::{ConsequenceReport, MutationReport};
use super::human::{GREEN, Page, RED, Style, YELLOW, action_word, guilty_spans, guilty_words};
use super::human::{headline, outcome, shown_mutations};
use super::review;
use crate::text::{escape, shorten, wrap};

/// Losses that are named; the rest is counted.
const NAMED: usize = 4;
/// Longest sentence about one loss, in columns.
const SENTENCE: usize = 300;
/// Largest number of alternatives that make one safer form.
const JOINED: usize = 4;

/// What a question is about.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The report.
    pub report: &'a ConsequenceReport,
    /// The command line that spans speak of, where there is one.
    pub text: Option<&'a str>,
    /// Where it runs, for people.
    pub place: &'a str,
    /// Who wants it, when it is not the person at the terminal.
    pub actor: Option<&'a str>,
    /// Something more that has to be said.
    pub note: Option<&'a str>,
    /// What runs with the key for the safer form.
    pub safer: Option<&'a str>,
    /// What could be kept before it runs.
    pub keeps: Option<Keeps<'a>>,
}

/// What could be kept before a command runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keeps<'a> {
    /// All that would be lost.
    pub all: bool,
    /// What would be lost all the same, by name.
    pub without: &'a [String],
    /// Nothing more stands against the command then: no name has to be typed.
    pub suffices: bool,
}

/// One thing to say: a label and its lines.
struct Said {
    label: &'static str,
    /// The same as the beginning of a sentence.
    spoken: &'static str,
    code: &'static str,
    lines: Vec<String>,
    /// The first of them is a command to be copied.
    offers: bool,
}

/// The question in columns.
pub fn render_question(asked: &Asked<'_>, style: Style) -> String {
    let style = Style { width: style.width.clamp(40, 120), ..style };
    let (word, color) = outcome(asked.report);
    let mut page = Page { out: String::new(), style };
    headline(&mut page, word, color, &asked.report.assessment_reason);
    if let Some(text) = asked.text {
        page.line("");
        let spans = guilty_spans(&shown_mutations(asked.report));
        guilty_words(&mut page, text, &asked.report.secrets, &spans, color);
    }
    page.line("");
    let plan = review::is_plan(asked.report);
    for said in if plan { circumstances(asked) } else { said(asked) } {
        for (n, line) in said.lines.iter().enumerate() {
            let label = if n == 0 { said.label } else { " " };
            if said.offers && n == 0 {
                page.offered(2, label, line, &[said.code]);
            } else {
                page.labelled(2, label, line, &[said.code]);
            }
        }
    }
    if plan {
        review::page(&mut page, asked.report, false);
        for risk in together(asked.report) {
            page.line("");
            page.labelled(2, "together", &risk, &[]);
        }
    }
    page.out
}

/// The question as sentences: no columns, no colour, one thought a line.
pub fn speak_question(asked: &Asked<'_>, style: Style) -> String {
    let width = style.width.clamp(40, 120);
    let mut out = String::new();
    let mut say = |text: &str| {
        for line in wrap(&escape(text), width) {
            out.push_str(&line);
            out.push('\n');
        }
    };
    let (word, _) = outcome(asked.report);
    say(&format!("recourse: {word}: {}.", asked.report.assessment_reason.trim_end_matches('.')));
    if let Some(text) = asked.text {
        say(&format!("The command is: {}", asked.report.secrets.mask(text)));
    }
    if review::is_plan(asked.report) {
        for said in circumstances(asked) {
            say(&format!("{} {}.", said.spoken, said.lines.join("; ").trim_end_matches('.')));
        }
        for line in review::speak(asked.report).into_iter().chain(together(asked.report)) {
            say(&line);
        }
        return out;
    }
    for said in said(asked) {
        say(&format!("{} {}.", said.spoken, said.lines.join("; ").trim_end_matches('.')));
    }
    out
}

/// What is fatal only together.
fn together(report: &ConsequenceReport) -> Vec<String> {
    distinct(report.cross_action_risks.iter().map(|risk| risk.explanation.clone()))
}

/// What words with variables in them name, where it is one thing: `$GONE/` may be all there is.
fn meant(asked: &Asked<'_>) -> Vec<String> {
    let Some(text) = asked.text else { return Vec::new() };
    let shown = shown_mutations(asked.report);
    let alone = |span| shown.iter().filter(|other| other.intent.span == Some(span)).count() == 1;
    let of = |m: &&MutationReport| {
        let span = m.intent.span.filter(|span| alone(*span))?;
        let word = text.get(span.start..span.end)?;
        let name = m.intent.target.id.as_str();
        let one = names_a_variable(word) && !word.contains(char::is_whitespace);
        (one && name.starts_with('/') && !name.contains(['\u{2026}', '*']))
            .then(|| asked.report.secrets.mask(&format!("{word} is {name}")).into_owned())
    };
    let mut lines = distinct(shown.iter().filter_map(of));
    lines.truncate(NAMED);
    lines
}

/// `$'…'` names none.
fn names_a_variable(word: &str) -> bool {
    word.split('$')
        .skip(1)
        .any(|rest| rest.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '{'))
}

/// Where it would run, for whom, and what else has to be said first.
fn circumstances(asked: &Asked<'_>) -> Vec<Said> {
    let report = asked.report;
    let mut all = vec![Said {
        label: "in",
        spoken: "It would run in",
        code: "",
        lines: vec![report.secrets.mask(asked.place).into_owned()],
        offers: false,
    }];
    if let Some(actor) = asked.actor {
        all.push(Said {
            label: "for",
            spoken: "It is asked for by",
            code: "",
            lines: vec![actor.to_owned()],
            offers: false,
        });
    }
    if let Some(rule) = report.enforcement.as_ref().and_then(|enforcement| enforcement.rule.clone()) {
        all.push(Said { label: "by", spoken: "What decided:", code: "", lines: vec![rule], offers: false });
    }
    if let Some(note) = asked.note {
        all.push(Said {
            label: "note",
            spoken: "Note:",
            code: YELLOW,
            lines: vec![note.to_owned()],
            offers: false,
        });
    }
    all
}

fn said(asked: &Asked<'_>) -> Vec<Said> {
    let report = asked.report;
    let shown = shown_mutations(report);
    let mut all = circumstances(asked);
    let lines = meant(asked);
    if !lines.is_empty() {
        all.push(Said { label: "where", spoken: "Here", code: YELLOW, lines, offers: false });
    }
    for (label, spoken, code, tiers) in [
        ("lost", "This is lost for good:", RED, &[4][..]),
        ("unclear", "This is not known:", YELLOW, &[5]),
        ("cost", "This can be had again at a cost:", YELLOW, &[2, 3]),
        ("changes", "This changes:", "", &[1]),
    ] {
        let of: Vec<&&MutationReport> =
            shown.iter().filter(|m| tiers.contains(&m.recoverability.tier)).collect();
        let mut lines = distinct(of.iter().map(|m| loss(m)));
        if lines.len() > NAMED {
            let rest = lines.len() - NAMED;
            lines.truncate(NAMED);
            lines.push(format!("and {rest} more"));
        }
        // One that the headline is about is not said twice: what it does stands in the command.
        let only = if shown.len() == 1 { lines.first() } else { None };
        let reason = report.assessment_reason.as_str();
        let said =
            only.is_some_and(|line| line.strip_suffix(reason).is_some_and(|before| before.ends_with(": ")));
        if lines != [reason] && !said && !lines.is_empty() {
            all.push(Said { label, spoken, code, lines, offers: false });
        }
    }
    let mut risks = together(report);
    risks.truncate(2);
    if !risks.is_empty() {
        all.push(Said { label: "together", spoken: "Together:", code: "", lines: risks, offers: false });
    }
    let mut back = distinct(shown.iter().flat_map(|m| m.recovery.iter().take(2).cloned()));
    let kept = asked.keeps.is_some_and(|keeps| keeps.all);
    if back.is_empty() && !kept && shown.iter().any(|m| m.recoverability.tier == 4) {
        back.push("nothing brings it back".to_owned());
    }
    back.truncate(3);
    if !back.is_empty() {
        all.push(Said { label: "back", spoken: "To get it back:", code: "", lines: back, offers: false });
    }
    if let Some(keeps) = &asked.keeps {
        all.push(Said {
            label: "keep",
            spoken: "To be undone later:",
            code: GREEN,
            lines: keepable(keeps),
            offers: false,
        });
    }
    let mut instead = Vec::new();
    // What would run by a key is never shortened; any other is one of the report's.
    if let Some(safer) = asked.safer {
        instead.push(safer.to_owned());
        instead.extend(explanation(&shown));
    } else {
        let first = shown.iter().find_map(|m| m.alternatives.first());
        instead
            .extend(first.into_iter().flat_map(|other| [other.command.clone(), other.explanation.clone()]));
    }
    if !instead.is_empty() {
        all.push(Said {
            label: "instead",
            spoken: "Safer would be:",
            code: GREEN,
            lines: instead,
            offers: true,
        });
    }
    all
}

/// What can be kept, and what cannot.
fn keepable(keeps: &Keeps<'_>) -> Vec<String> {
    let can = if keeps.suffices { "can be" } else { "is" };
    if keeps.all {
        return vec![format!("what is lost {can} kept first; `recourse undo` brings it back")];
    }
    let mut names: Vec<&str> = keeps.without.iter().map(String::as_str).collect();
    let more = names.len().saturating_sub(NAMED);
    names.truncate(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    vec![
        format!("part of it {can} kept first; `recourse undo` brings that back"),
        shorten(&format!("this cannot: {}{more}", names.join(", ")), SENTENCE),
    ]
}

/// What becomes of one mutation's target, by name.
fn loss(mutation: &MutationReport) -> String {
    let reasoning = &mutation.recoverability.reasoning;
    let target = &mutation.intent.target;
    let name = target.name.as_deref().unwrap_or(&target.id);
    let text = if name.is_empty() || reasoning.contains(name) {
        reasoning.clone()
    } else {
        format!("{} {name}: {reasoning}", action_word(mutation))
    };
    shorten(&text, SENTENCE)
}

fn explanation(shown: &[&MutationReport]) -> Option<String> {
    shown.iter().find_map(|m| m.alternatives.first()).map(|other| other.explanation.clone())
}

fn distinct(lines: impl Iterator<Item = String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for line in lines {
        if !all.contains(&line) {
            all.push(line);
        }
    }
    all
}

/// The safer form of a whole command line: the first alternative of everything that it would cost, where that is all that
/// the line does and each is a complete command. `None` where the line does more, or something has no alternative.
pub fn safer_form(report: &ConsequenceReport, text: &str) -> Option<String> {
    let whole = report.secrets.mask(text.trim());
    // An argument vector's words are told without their quotes.
    let words = shell_words::split(&whole).ok().map(|words| words.join(" "));
    let costly = shown_mutations(report);
    let mut commands = Vec::new();
    for mutation in &costly {
        let raw = mutation.intent.raw.trim();
        if raw != whole && words.as_deref() != Some(raw) {
            return None;
        }
        let command = &mutation.alternatives.first()?.command;
        // What is cut, masked, or cannot be read plainly is not complete.
        let plain = !command.contains(MASK) && !command.contains('…') && escape(command) == *command;
        if !plain || command.is_empty() {
            return None;
        }
        if !commands.contains(command) {
            commands.push(command.clone());
        }
    }
    (1..=JOINED).contains(&commands.len()).then(|| commands.join(" && "))
}
