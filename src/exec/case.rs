//! One judged command on its way to running: what is asked about, by whom it may be answered, and the answer.

use std::cell::Cell;

use nix::unistd::{Uid, User};

use crate::prompt::Replaceable;
use crate::proof::Subject;
use crate::report::VerificationSuggestion;

use super::kept::First;

/// What the policy, or the person, says.
pub(super) enum Answer {
    /// Run it.
    Yes,
    /// Do not.
    No,
    /// Run this instead, when it may run.
    Instead(String),
    /// Look first.
    Look(Vec<VerificationSuggestion>),
}

/// What is asked about.
pub(super) struct Case<'a> {
    /// Its evaluation, and what was set aside for it.
    pub(super) first: &'a First,
    /// The text that spans speak of.
    pub(super) text: Option<&'a str>,
    /// What is attested of it; or why nothing can be.
    pub(super) subject: Result<&'a Subject, &'a str>,
    /// Whether another command may run in its place.
    pub(super) replaceable: Replaceable,
    /// What was answered, and by whom, for the record; `None`: nobody had to.
    pub(super) answer: Cell<Option<&'static str>>,
}

impl Case<'_> {
    /// Remembers how it was answered.
    pub(super) fn answered(&self, how: &'static str, answer: Answer) -> Answer {
        self.answer.set(Some(how));
        answer
    }
}

/// Who sits at the terminal.
pub(super) fn user_name() -> String {
    let uid = Uid::current();
    User::from_uid(uid).ok().flatten().map_or_else(|| uid.to_string(), |user| user.name)
}
