//! What is approved, and how it is written down.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use unicode_normalization::UnicodeNormalization as _;

use crate::model::Verdict;
use crate::report::ConsequenceReport;

use super::bound::{self, Bound, Files, digest};

/// Version of the file's form.
pub(super) const VERSION: u32 = 1;
/// Characters of an id.
const ID: usize = 12;
/// What is shown of a command, at most, in bytes.
const SHOWN: usize = 16 * 1024;

/// What follows where the rest is left out.
const CUT: &str = "… (";

/// The exact input that is asked about.
#[derive(Clone, Copy, Debug)]
pub enum Exact<'a> {
    /// Shell text.
    Text(&'a str),
    /// Something else: a form of it without ambiguity, and one line for people without secrets.
    Call {
        /// Equal if and only if the inputs are.
        form: &'a str,
        /// For people.
        shown: &'a str,
    },
}

/// What somebody wants to do.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// Who asks: the actor's id, for example `agent/codex` or `human`.
    pub asker: &'a str,
    /// What.
    pub exact: Exact<'a>,
    /// Where, absolute.
    pub cwd: &'a Path,
    /// What was found.
    pub report: &'a ConsequenceReport,
    /// The files that this rests on.
    pub files: &'a Files<'a>,
}

impl Asked<'_> {
    /// SHA-256 over the exact input.
    fn exact_digest(&self) -> String {
        match self.exact {
            Exact::Text(text) => digest(&["text", text]),
            Exact::Call { form, .. } => digest(&["call", form]),
        }
    }

    /// What people see of it.
    fn shown(&self) -> String {
        let text = match self.exact {
            Exact::Text(text) => self.report.secrets.mask(text),
            Exact::Call { shown, .. } => self.report.secrets.mask(shown),
        };
        match text.char_indices().take_while(|(at, c)| at + c.len_utf8() <= SHOWN).last() {
            Some((at, c)) if at + c.len_utf8() < text.len() => {
                format!("{}{CUT}{} bytes in all)", &text[..at + c.len_utf8()], text.len())
            }
            _ => text.into_owned(),
        }
    }

    /// The entry that a request for it makes. `None` when the directory is not text.
    pub(super) fn entry(&self, user: u32, now: i64, window: i64) -> Option<Entry> {
        let cwd = self.cwd.to_str()?.to_owned();
        let exact = self.exact_digest();
        let consequences = consequences(self.report);
        let files = self.files.all().to_vec();
        let bound = bound::exact(&files);
        let id =
            digest(&[self.asker, &exact, &cwd, &user.to_string(), &consequences, &bound])[..ID].to_owned();
        Some(Entry {
            version: VERSION,
            id,
            asker: self.asker.to_owned(),
            shown: self.shown(),
            exact,
            cwd,
            user,
            verdict: self.report.risk_assessment,
            consequences,
            files,
            reason: self.report.secrets.mask(&self.report.assessment_reason).into_owned(),
            state: State::Requested,
            uses: Uses::Once,
            requested: now,
            expires: now.saturating_add(window),
            by: None,
            evaluation: None,
            approval: None,
        })
    }
}

/// Whether it was decided, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Nobody has decided.
    Requested,
    /// A person said yes.
    Approved,
    /// A person said no.
    Denied,
}

/// How often an approval holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Uses {
    /// One time.
    Once,
    /// Until it expires.
    Often,
}

/// One request and what became of it, as the file holds it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Entry {
    pub(super) version: u32,
    /// Follows from what is asked, so asking again is the same request.
    pub id: String,
    /// Who asks.
    pub asker: String,
    /// The command, secrets masked.
    pub shown: String,
    /// SHA-256 of the exact input.
    pub exact: String,
    /// Where.
    pub cwd: String,
    /// The user's number.
    pub user: u32,
    /// The verdict.
    pub verdict: Verdict,
    /// Digest of what was found.
    pub consequences: String,
    /// The files that it follows, starts and reads, as they were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<Bound>,
    /// The verdict's reason.
    pub reason: String,
    /// Whether it was decided.
    pub state: State,
    /// How often it holds.
    pub uses: Uses,
    /// When it was asked, in milliseconds since 1970.
    pub requested: i64,
    /// When the request, or what was decided, ends.
    pub expires: i64,
    /// Who decided.
    pub by: Option<String>,
    /// The evaluation's attestation, where attestation is on.
    pub evaluation: Option<Value>,
    /// The approval's.
    pub approval: Option<Value>,
}

impl Entry {
    /// Whether an attested `input` is what a person reads here. Calls of tools have no text that could be compared.
    pub fn is_of(&self, input: &Value) -> bool {
        let field = |name: &str| input.get(name).and_then(Value::as_str);
        if field("actor").is_some_and(|actor| actor != self.asker) {
            return false;
        }
        let Some(text) = field("input").filter(|_| field("source") == Some("shell")) else { return true };
        let text: String = text.nfc().collect();
        let shown: String = self.shown.nfc().collect();
        let whole = match shown.rsplit_once(CUT) {
            Some((beginning, _)) => text.starts_with(beginning) || shown.contains(&text),
            None => shown.contains(&text),
        };
        whole && field("cwd") == Some(self.cwd.as_str())
    }

    /// Whether it ended, or the clock was set back so far that nobody can tell.
    pub(super) fn is_over(&self, now: i64) -> bool {
        self.expires <= now || self.requested > now.saturating_add(60_000)
    }

    /// Whether both are the same wish, whatever stands in files.
    pub(super) fn wants(&self, other: &Self) -> bool {
        self.asker == other.asker
            && self.exact == other.exact
            && self.cwd == other.cwd
            && self.user == other.user
    }

    /// Whether both speak of the same thing.
    pub(super) fn same(&self, other: &Self) -> bool {
        self.id == other.id
            && self.wants(other)
            && self.verdict == other.verdict
            && self.consequences == other.consequences
    }
}

/// Whether a text has the form of an id, so that it can name a file.
pub(super) fn is_id(text: &str) -> bool {
    text.len() == ID && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// What a person was told that it costs: when that changes, it is another question.
fn consequences(report: &ConsequenceReport) -> String {
    let tier = |tier: u8| tier.to_string();
    let mut parts = vec![report.risk_assessment.as_str().to_owned(), report.assessment_reason.clone()];
    for mutation in &report.mutations {
        let target = &mutation.intent.target;
        parts.push(target.r#type.clone());
        parts.push(target.id.clone());
        parts.push(tier(mutation.recoverability.tier));
        parts.push(mutation.recoverability.reasoning.clone());
    }
    digest(&parts.iter().map(String::as_str).collect::<Vec<_>>())
}
