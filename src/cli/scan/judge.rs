//! Every piece of every file through the one judgement; what comes out as findings.

use std::path::PathBuf;
use std::time::Duration;

use crate::cli::setup::Setup;
use crate::evaluate::{Evaluation, EvaluationContext, Input, evaluate};
use crate::model::{Assessment, Cause, Span, Verdict};
use crate::report::MutationReport;
use crate::scan::{Dialect, Piece, Runs, Source, TREE, UNKNOWN, Walked, read};
use crate::shell;
use crate::syntax::{fish, zsh};
use crate::world::World as _;

use super::finding::{Finding, Unseen, mark};

/// What judging gave.
#[derive(Default)]
pub(super) struct Judged {
    pub(super) findings: Vec<Finding>,
    pub(super) unseen: Vec<Unseen>,
    pub(super) pieces: usize,
    /// A stage of the judgement broke.
    pub(super) fault: bool,
}

/// Judges everything, within this time.
pub(super) fn all(walked: &Walked, setup: &Setup, time: Duration) -> Judged {
    let mut judged = Judged::default();
    let unread = walked.unread.iter();
    judged.unseen.extend(unread.map(|(file, why)| Unseen {
        file: file.clone(),
        line: None,
        why: why.clone(),
    }));
    let end = setup.world.elapsed() + time;
    for source in &walked.sources {
        if setup.world.elapsed() > end {
            let why = "the scan ran out of time (--timeout)".to_owned();
            judged.unseen.push(Unseen { file: source.name.clone(), line: None, why });
            continue;
        }
        file(&mut judged, source, setup);
    }
    judged.unseen.sort();
    judged
}

fn file(judged: &mut Judged, source: &Source, setup: &Setup) {
    let found = read(source.format, &source.name, &source.text);
    let unread = found.unread.into_iter();
    judged.unseen.extend(unread.map(|part| Unseen {
        file: source.name.clone(),
        line: part.line,
        why: part.why,
    }));
    let mut own = Vec::new();
    for piece in &found.pieces {
        judged.pieces += 1;
        let (input, context) = asked(piece, setup);
        let done = evaluate(input, &context, &setup.world, &setup.knowledge, &setup.policy);
        judged.fault |= done.internal_error;
        add(&mut own, &source.name, piece, &done);
    }
    mark(&mut own);
    judged.findings.append(&mut own);
}

/// The input and the circumstances of a piece.
fn asked(piece: &Piece, setup: &Setup) -> (Input, EvaluationContext) {
    let mut context = setup.context.clone();
    context.anywhere = true;
    context.made_for_it = piece.place.made_for_it().map(str::to_owned);
    context.start.script.clone_from(&piece.script);
    context.start.variables.clone_from(&piece.variables);
    context.start.variables.push((UNKNOWN.to_owned(), None));
    context.cwd = match &piece.directory {
        Some(dir) => PathBuf::from(TREE).join(dir),
        None => PathBuf::new(),
    };
    let input = match &piece.runs {
        Runs::Words(words) => shell::Input::Argv(words.clone()),
        Runs::Shell(dialect, text) => {
            let text = match dialect {
                Dialect::Bash => text.clone(),
                Dialect::Zsh => zsh::to_bash(text, true),
                Dialect::Fish => fish::to_bash(text),
            };
            if *dialect != Dialect::Bash {
                let session = shell::Session { translated: true, ..shell::Session::default() };
                context.session = Some(std::sync::Arc::new(session));
            }
            shell::Input::Text(text)
        }
    };
    (Input::Shell(input), context)
}

/// The findings of one piece: what one command does to several things of a kind is one.
fn add(findings: &mut Vec<Finding>, file: &str, piece: &Piece, done: &Evaluation) {
    let first = findings.len();
    for (judged, said) in done.assessments.iter().zip(&done.report.mutations) {
        if judged.verdict == Verdict::Allow || judged.harmless {
            continue;
        }
        let one = finding(file, piece, judged, said);
        let same = findings.iter_mut().skip(first).find(|other| {
            (other.line, other.column, other.end_line, &other.rule, other.verdict)
                == (one.line, one.column, one.end_line, &one.rule, one.verdict)
        });
        match same {
            Some(other) if !other.targets.contains(&one.targets[0]) => other.targets.extend(one.targets),
            Some(_) => {}
            None => findings.push(one),
        }
    }
}

fn finding(file: &str, piece: &Piece, judged: &Assessment, said: &MutationReport) -> Finding {
    let target = &said.intent.target;
    let mut finding = Finding {
        verdict: judged.verdict,
        rule: rule(judged),
        tier: said.recoverability.tier,
        label: said.recoverability.label,
        file: file.to_owned(),
        line: piece.lines.first(),
        column: 1,
        end_line: piece.lines.first(),
        end_column: 1,
        part: piece.label.clone(),
        command: said.intent.raw.clone(),
        targets: vec![here(target.name.as_ref().unwrap_or(&target.id))],
        reason: here(&said.recoverability.reasoning),
        recovery: said.recovery.clone(),
        alternatives: said.alternatives.clone(),
        fingerprint: String::new(),
    };
    if let (Runs::Shell(dialect, text), Some(span)) = (&piece.runs, said.intent.span) {
        let span = brought(*dialect, text, span);
        finding.stands(piece.lines.position(text, span.start), piece.lines.position(text, span.end));
    } else {
        let at = piece.lines.position("", 0);
        finding.stands(at, at);
    }
    finding
}

/// What stands for the tree is not said.
fn here(text: &str) -> String {
    text.replace(&format!("{TREE}/"), "").replace(TREE, ".")
}

/// Where a span of the text that was brought over from another shell's syntax stands in that shell's text: on the same
/// line, since lines stay lines.
fn brought(dialect: Dialect, text: &str, span: Span) -> Span {
    let judged = match dialect {
        Dialect::Bash => return span,
        Dialect::Zsh => zsh::to_bash(text, true),
        Dialect::Fish => fish::to_bash(text),
    };
    let line = judged.get(..span.start).unwrap_or("").matches('\n').count();
    let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let end = text.get(start..).and_then(|rest| rest.find('\n')).map_or(text.len(), |end| start + end);
    Span::new(start, end)
}

/// The name under which findings of this sort are counted, told to be wrong, or kept quiet.
fn rule(judged: &Assessment) -> String {
    let mutation = &judged.mutation;
    match &mutation.cause {
        Cause::Rule => {
            let action = serde_json::to_value(mutation.action).ok();
            let action = action.as_ref().and_then(|word| word.as_str()).unwrap_or("change");
            format!("{}/{action}", mutation.kind)
        }
        Cause::UnknownProgram => "unknown/program".to_owned(),
        Cause::UnknownForm => "unknown/form".to_owned(),
        Cause::Gap(_) => "unknown/syntax".to_owned(),
        Cause::Opaque(_) => "unknown/code".to_owned(),
        Cause::Limit(_) => "unknown/limit".to_owned(),
    }
}
