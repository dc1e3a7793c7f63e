//! Every piece of every file through the one judgement; what comes out as findings.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::cli::setup::Setup;
use crate::evaluate::{Evaluation, EvaluationContext, Input, evaluate};
use crate::model::{AGAINST, Action, Assessment, Cause, Span, Subject, Value, Verdict};
use crate::order;
use crate::report::MutationReport;
use crate::scan::{Dialect, GIVEN, Piece, Runs, Source, TREE, UNKNOWN, Walked, read};
use crate::shell;
use crate::syntax::{fish, zsh};
use crate::world::{SOMEBODYS_HOME, Tree, World as _};

use super::below;
use super::finding::{Finding, Unseen, mark, once};

/// What judging gave.
#[derive(Default)]
pub(super) struct Judged {
    pub(super) findings: Vec<Finding>,
    pub(super) unseen: Vec<Unseen>,
    pub(super) pieces: usize,
    /// A stage of the judgement broke.
    pub(super) fault: bool,
}

/// What every machine sets, to nobody knows what.
const SET: [&str; 8] = ["USER", "LOGNAME", "HOSTNAME", "SHELL", "LANG", "TERM", "EDITOR", GIVEN];
/// Where temporary files go.
const TEMPORARY: &str = "/tmp/scratch";

struct Judge<'a> {
    setup: &'a Setup,
    tree: &'a Arc<Tree>,
    files: BTreeMap<&'a str, &'a Source>,
    judged: Judged,
}

/// Judges everything, within this time.
pub(super) fn all(walked: &Walked, tree: &Arc<Tree>, setup: &Setup, time: Duration) -> Judged {
    let unread = walked.unread.iter();
    let unseen = unread.map(|(file, why)| Unseen { file: file.clone(), line: None, why: why.clone() });
    let files = walked.sources.iter().map(|source| (source.name.as_str(), source)).collect();
    let judged = Judged { unseen: unseen.collect(), ..Judged::default() };
    let mut judge = Judge { setup, tree, files, judged };
    let end = setup.world.elapsed() + time;
    for source in &walked.sources {
        if setup.world.elapsed() > end {
            let why = "the scan ran out of time (--timeout)".to_owned();
            judge.judged.unseen.push(Unseen { file: source.name.clone(), line: None, why });
            continue;
        }
        judge.file(source);
    }
    let mut judged = judge.judged;
    once(&mut judged.findings);
    order::sort(&mut judged.unseen);
    judged.unseen.dedup();
    judged
}

impl Judge<'_> {
    fn file(&mut self, source: &Source) {
        let other = |name: &str| self.files.get(name).map(|source| source.text.clone());
        let found = read(source.format, &source.name, &source.text, &other);
        let name = &source.name;
        let unread = found.unread.into_iter();
        self.judged.unseen.extend(unread.map(|part| Unseen {
            file: name.clone(),
            line: part.line,
            why: part.why,
        }));
        let mut own = Vec::new();
        for piece in &found.pieces {
            self.judged.pieces += 1;
            self.piece(&mut own, name, piece);
        }
        mark(&mut own);
        self.judged.findings.append(&mut own);
    }

    fn piece(&mut self, own: &mut Vec<Finding>, name: &str, piece: &Piece) {
        let done = self.evaluated(piece, false);
        let first = own.len();
        let of_place = done.assessments.iter().any(place_unknown);
        add(own, name, piece, &done);
        if !of_place {
            return;
        }
        // The place hangs on a variable. What if somebody forgot to set it?
        let forgotten = self.evaluated(piece, true);
        for (judged, said) in forgotten.assessments.iter().zip(&forgotten.report.mutations) {
            let worst = judged.verdict == Verdict::Block && judged.mutation.action == Action::Delete;
            if !worst || !matches!(judged.mutation.subject, Subject::Path(_)) {
                continue;
            }
            let mut one = finding(name, piece, judged, said);
            let same = |other: &Finding| (other.line, other.column) == (one.line, one.column);
            let mut others = own.iter().skip(first);
            if others.any(|other| same(other) && other.verdict == Verdict::Block) {
                continue;
            }
            one.reason = format!("where a variable in it is empty: {}", one.reason);
            let mut at = 0;
            own.retain(|other| {
                at += 1;
                at <= first || !(same(other) && other.rule == one.rule)
            });
            own.push(one);
        }
    }

    fn evaluated(&mut self, piece: &Piece, forgotten: bool) -> Evaluation {
        let (input, context) = self.asked(piece, forgotten);
        let setup = self.setup;
        let done = evaluate(input, &context, &setup.world, &setup.knowledge, &setup.policy);
        self.judged.fault |= done.internal_error;
        done
    }

    /// The input and the circumstances of a piece.
    fn asked(&self, piece: &Piece, forgotten: bool) -> (Input, EvaluationContext) {
        let mut context = self.setup.context.clone();
        context.anywhere = true;
        context.tree = Some(Arc::clone(self.tree));
        context.made_for_it = piece.place.made_for_it();
        let start = &mut context.start;
        start.unset = forgotten;
        start.script = piece.script.as_deref().map(|name| format!("{TREE}/{}", below(name)));
        start.variables = SET.map(|name| (name.to_owned(), None)).to_vec();
        start.variables.push(("HOME".to_owned(), Some(SOMEBODYS_HOME.to_owned())));
        start.variables.push(("TMPDIR".to_owned(), Some(TEMPORARY.to_owned())));
        if !forgotten {
            start.variables.push((UNKNOWN.to_owned(), None));
        }
        start.variables.extend(piece.variables.iter().cloned());
        match &piece.directory {
            Some(dir) => {
                context.cwd = PathBuf::from(TREE).join(dir);
                // A script is called from the top of the tree, or from where it stands.
                let own = start.script.as_deref().and_then(|name| Path::new(name).parent());
                if let Some(own) = own.filter(|own| **own != context.cwd) {
                    start.directories = Some(vec![context.cwd.clone(), own.to_path_buf()]);
                }
            }
            None => {
                context.cwd = PathBuf::new();
                start.directories = Some(Vec::new());
            }
        }
        let input = match &piece.runs {
            Runs::Words(words) => shell::Input::Argv(words.clone()),
            Runs::Shell(dialect, text) => {
                if *dialect != Dialect::Bash {
                    let session = shell::Session { translated: true, ..shell::Session::default() };
                    context.session = Some(Arc::new(session));
                }
                shell::Input::Text(brought(*dialect, text))
            }
        };
        (Input::Shell(input), context)
    }
}

/// A text as bash would have to be given it.
fn brought(dialect: Dialect, text: &str) -> String {
    match dialect {
        Dialect::Bash => text.to_owned(),
        Dialect::Zsh => zsh::to_bash(text, true),
        Dialect::Fish => fish::to_bash(text),
    }
}

/// It removes files, and which is not known.
fn place_unknown(judged: &Assessment) -> bool {
    let Subject::Path(subject) = &judged.mutation.subject else { return false };
    judged.mutation.action == Action::Delete
        && judged.verdict >= Verdict::Escalate
        && judged.verdict < Verdict::Block
        && !matches!(subject.path, Value::Known(_))
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
            (other.line, &other.command, &other.rule, other.verdict)
                == (one.line, &one.command, &one.rule, one.verdict)
        });
        match same {
            Some(other) => {
                other.unknown &= one.unknown;
                for target in one.targets {
                    if !other.targets.contains(&target) {
                        other.targets.push(target);
                    }
                }
            }
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
        command: shown(&said.intent.raw),
        targets: vec![shown(target.name.as_ref().unwrap_or(&target.id))],
        reason: shown(&said.recoverability.reasoning),
        recovery: said.recovery.clone(),
        alternatives: said.alternatives.clone(),
        unknown: only_unknown(judged),
        known: false,
        fingerprint: String::new(),
        followed: !judged.mutation.context.via.is_empty(),
    };
    if let (Runs::Shell(dialect, text), Some(span)) = (&piece.runs, said.intent.span) {
        let span = own_span(*dialect, text, span);
        finding.stands(piece.lines.position(text, span.start), piece.lines.position(text, span.end));
    } else {
        let at = piece.lines.position("", 0);
        finding.stands(at, at);
    }
    finding
}

/// Nothing is known to be lost: a program that nobody described, code that is not here, a place that a variable holds.
fn only_unknown(judged: &Assessment) -> bool {
    if judged.verdict == Verdict::Block {
        return false;
    }
    if judged.mutation.cause.is_unknown() {
        return !judged.evidence.facts.contains_key(AGAINST) && !speaks_of_destruction(&judged.mutation.raw);
    }
    let kind = judged.mutation.kind.as_str();
    // What runs is written in a file that is read by itself where it is here.
    if judged.mutation.action == Action::Execute
        && matches!(kind, "infra.hosts" | "project.task" | "scripts.all" | "code.unknown")
    {
        return true;
    }
    match &judged.mutation.subject {
        // What git refuses by itself where something would go.
        Subject::Git { .. } => {
            let fact = |name: &str| judged.mutation.facts.contains_key(name);
            let careful = ["safe", "merge", "merges", "rebases", "fetches"].into_iter().any(fact);
            judged.mutation.action == Action::Create
                || judged.mutation.action == Action::Update
                    && match kind {
                        "git.remote-ref" | "git.config" | "git.index" | "git.commits" | "git.head" => true,
                        "git.changes" => careful && !fact("force"),
                        _ => false,
                    }
        }
        Subject::Path(subject) => match &subject.path {
            Value::Known(_) | Value::OneOf(_) => false,
            Value::Affix { prefix, .. } => !prefix.starts_with('/'),
            Value::Woven(_) | Value::Lines(_) | Value::Unknown => true,
        },
        _ => false,
    }
}

/// Words of code that no rule reads: `db.dropDatabase()`, `deleteAll`.
fn speaks_of_destruction(text: &str) -> bool {
    const WORDS: [&str; 8] =
        ["drop", "destroy", "wipe", "purge", "truncate", "flushall", "obliterate", "nuke"];
    let mut word = String::new();
    let mut words = Vec::new();
    for c in text.chars() {
        if (!c.is_alphanumeric() || c.is_uppercase()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
    }
    words.push(word);
    words.iter().any(|word| WORDS.contains(&word.as_str()))
}

/// What stands for the tree, and for values that are not known, is said in the file's own words.
fn shown(text: &str) -> String {
    let text = text.replace(&format!("{TREE}/"), "").replace(TREE, ".");
    let mut text = text.replace(SOMEBODYS_HOME, "~");
    for name in [UNKNOWN, GIVEN, "__make_unknown", "__just_unknown"] {
        text = text.replace(&format!("${{{name}}}"), "…");
    }
    text
}

/// Where a span of the text that was brought over from another shell's syntax stands in that shell's text: on the same
/// line, since lines stay lines.
fn own_span(dialect: Dialect, text: &str, span: Span) -> Span {
    if dialect == Dialect::Bash {
        return span;
    }
    let line = brought(dialect, text).get(..span.start).unwrap_or("").matches('\n').count();
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
