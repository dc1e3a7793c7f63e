//! Keeping first: what a command would destroy is set aside before it is asked about, where that lets it run; and at the
//! question, when the person wants it.

use std::cell::RefCell;
use std::io;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use crate::attest::{Mode, Places};
use crate::evaluate::Evaluation;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
use crate::keep::{Answers, Bound, NotBound, Running};
use crate::keep::{Head, Keeping, Kept, Offer, before_run, make_store, offer, on_request, recovery_point};
use crate::knowledge::agents;
use crate::model::Verdict;
use crate::text::escape;

use super::{Surroundings, say};
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
use super::{
    shim::Behind,
    watched::{self, Outcome},
};

/// An evaluation, and what was set aside for it.
pub(super) struct First {
    /// The evaluation, with the recovery point in it where there is one.
    pub(super) evaluation: Evaluation,
    /// The command for people, secrets masked.
    command: String,
    done: RefCell<Point>,
}

/// What came of it so far.
#[derive(Debug, Default)]
struct Point {
    head: Option<Head>,
    failed: Option<String>,
    too_much: bool,
    file: Option<PathBuf>,
}

impl Point {
    fn of(kept: Kept) -> Self {
        Self { head: kept.point, failed: kept.failed, too_much: kept.too_much, file: kept.file }
    }
}

impl First {
    /// Sets aside what this would destroy, where that lets it run.
    pub(super) fn keep(evaluation: Evaluation, text: &str, around: &Surroundings<'_>) -> Self {
        let command = evaluation.report.secrets.mask(text).into_owned();
        let mut first = Self { evaluation, command, done: RefCell::default() };
        if let Some(places) = may_keep(around) {
            let mut kept = before_run(&first.evaluation, &first.keeping(around, places));
            if let Some(again) = kept.evaluation.take() {
                first.evaluation = again;
            }
            first.done = RefCell::new(Point::of(kept));
        }
        first
    }

    /// Makes the store where there is none and something may have to go there: whether it has to be judged once more, with
    /// the store there.
    pub(super) fn makes_store(evaluation: &Evaluation, around: &Surroundings<'_>) -> bool {
        let wanted = evaluation.verdict() > Verdict::Allow;
        may_keep(around).filter(|_| wanted).is_some_and(|places| {
            let first = Self::nothing(evaluation.clone());
            make_store(evaluation, &first.keeping(around, places))
        })
    }

    /// Nothing of this is on this machine's files.
    pub(super) fn nothing(evaluation: Evaluation) -> Self {
        Self { evaluation, command: String::new(), done: RefCell::default() }
    }

    fn keeping<'a>(&'a self, around: &'a Surroundings<'_>, places: &'a Places) -> Keeping<'a> {
        Keeping {
            world: around.world,
            knowledge: around.knowledge,
            policy: around.policy,
            context: &around.context,
            places,
            command: &self.command,
            session: session(),
        }
    }

    /// What could be set aside now, when the person wants it.
    pub(super) fn offer(&self, around: &Surroundings<'_>) -> Option<Offer> {
        let places = may_keep(around).filter(|_| !self.command.is_empty())?;
        let done = self.done.borrow();
        // What was tried in vain is not promised again.
        if done.head.is_some() || done.failed.is_some() && !done.too_much {
            return None;
        }
        drop(done);
        offer(&self.evaluation, &self.keeping(around, places))
    }

    /// Sets aside all that can be, because the person wants it. What was tried and could not be kept is the error.
    pub(super) fn keep_now(&self, around: &Surroundings<'_>) -> Result<(), String> {
        self.request(around, true);
        match &self.done.borrow().failed {
            Some(why) => Err(why.clone()),
            None => Ok(()),
        }
    }

    /// Sets aside what can be before something that a person allowed: within the bounds, and as far as it goes.
    pub(super) fn keep_some(&self, around: &Surroundings<'_>) {
        if self.done.borrow().head.is_none() {
            self.request(around, false);
        }
    }

    fn request(&self, around: &Surroundings<'_>, freely: bool) {
        if let Some(places) = may_keep(around).filter(|_| !self.command.is_empty()) {
            let kept = on_request(&self.evaluation, &self.keeping(around, places), freely);
            self.done.replace(Point::of(kept));
        }
    }

    /// Why it could not be kept, in a sentence.
    pub(super) fn failed(&self) -> Option<String> {
        self.done.borrow().failed.as_ref().map(|why| format!("it could not be kept first: {why}"))
    }

    /// The recovery point that was made, for the audit log: its id, and the digest of what it says.
    pub(super) fn recovery(&self) -> Option<Value> {
        let done = self.done.borrow();
        Some(json!(recovery_point(done.head.as_ref()?, done.file.as_ref()?)?))
    }

    /// Something was set aside.
    pub(super) fn has_kept(&self) -> bool {
        self.done.borrow().head.is_some()
    }

    /// There is something to say.
    pub(super) fn speaks(&self) -> bool {
        let done = self.done.borrow();
        done.head.as_ref().is_some_and(Head::is_worth_a_word) || done.failed.is_some()
    }

    /// Says what is kept, when it runs.
    pub(super) fn close(&self) {
        let done = self.done.borrow();
        if let Some(head) = done.head.as_ref().filter(|head| head.is_worth_a_word()) {
            say(&format!("recourse: kept {}: recourse undo", escape(&head.what)));
        }
        if let Some(why) = &done.failed {
            say(&format!("recourse: not kept: {}", escape(why)));
        }
    }
}

/// How it went with a command.
pub(super) enum Ran {
    /// It ran, and what it destroyed was set aside meanwhile: the status that it ended with.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code))]
    ToItsEnd(u8),
    /// It could not be started.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code))]
    Failed(io::Error),
    /// It is not watched here, and has not been started.
    Unwatched(Command),
}

/// What has to be read as it was judged, where evaluations are verified; none where that cannot be seen to.
///
/// # Errors
/// What is not any more what was judged, in words.
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(super) fn bound(first: &First, around: &Surroundings<'_>) -> Result<Option<Bound>, String> {
    if !around.attesting.config.mode.verifies() || !may_watch(first, around) {
        return Ok(None);
    }
    Bound::new(&first.evaluation.materials, &first.evaluation.links).map_err(|NotBound(why)| why)
}

/// Runs a command, sets aside what it is about to destroy, where that is wanted and can be, and has it read what was judged.
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(super) fn watched(
    first: &First,
    mut start: Command,
    bound: Option<Bound>,
    around: &Surroundings<'_>,
) -> Ran {
    let keeping = may_keep(around).map(|places| first.keeping(around, places)).filter(Keeping::watches);
    if keeping.is_none() && bound.is_none() || !may_watch(first, around) {
        return Ran::Unwatched(start);
    }
    let done = first.done.borrow();
    let running = keeping.and_then(|keeping| Running::new(&keeping, done.head.as_ref()).ok());
    if running.is_none() && bound.is_none() {
        return Ran::Unwatched(start);
    }
    let is_bound = bound.is_some();
    match watched::run(&mut start, Answers { running, bound }) {
        Outcome::Ran(status) => Ran::ToItsEnd(status),
        Outcome::Failed(error) => Ran::Failed(error),
        Outcome::Impossible if is_bound => Ran::Failed(io::Error::other(
            "the system gave no second process that sees to it that what was judged is read",
        )),
        Outcome::Impossible => {
            say("recourse: nothing is kept while it runs: the system gave no second process to watch it");
            Ran::Unwatched(start)
        }
    }
}

/// Whether what the command does can be watched.
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
fn may_watch(first: &First, around: &Surroundings<'_>) -> bool {
    let programs = first.evaluation.programs.iter().map(String::as_str);
    // What a shim starts may have to know its own number.
    !Behind::now().is_any() && watched::is_possible(programs, &around.context.cwd)
}

/// What has to be read as it was judged: nobody sees to that on this system.
#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
pub(super) fn bound(_: &First, _: &Surroundings<'_>) -> Result<Option<Nothing>, String> {
    Ok(None)
}

/// There is no such thing on this system.
#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
#[derive(Debug)]
pub(super) enum Nothing {}

/// Runs a command, and sets aside what it is about to destroy: not on this system.
#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
pub(super) fn watched(_: &First, start: Command, _: Option<Nothing>, _: &Surroundings<'_>) -> Ran {
    Ran::Unwatched(start)
}

/// Where it is kept; `None` where nothing is. What is attested with `require` is the judgement of a machine that keeps
/// nothing.
fn may_keep<'a>(around: &'a Surroundings<'_>) -> Option<&'a Places> {
    around.attesting.places.as_ref().filter(|_| around.attesting.config.mode != Mode::Require)
}

/// What this process belongs to: the session of the agent that runs it, else its terminal.
pub fn session() -> Option<String> {
    agents::session(|name| std::env::var(name).ok()).or_else(terminal)
}

/// The terminal that this process belongs to: its name and the session's number, which no other has at the same time.
fn terminal() -> Option<String> {
    let name =
        nix::unistd::ttyname(std::io::stderr()).or_else(|_| nix::unistd::ttyname(std::io::stdin())).ok()?;
    let session = nix::unistd::getsid(None).ok()?;
    Some(format!("tty:{}#{session}", name.display()))
}
