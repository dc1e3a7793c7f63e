//! Recovery points: what a command would destroy is set aside before it runs, so that `recourse undo` puts it back.
//!
//! Owns which loss can be made good by that, the store of points (0700, the user's own), and when nothing is set aside. Judges
//! nothing: it takes an evaluation, sets aside what that speaks of, and has the evaluation made again with the fact that
//! a recovery point holds it. A point that fails, is torn or grows too large leaves the verdict as it was.
//!
//! Together with `undo` the only place that writes to what people keep. Front ends that stand directly before the run call
//! [`before_run`], and [`on_request`] where a person wants it; `evaluate` never does, and says what would be kept ([`offer`]).

mod around;
mod attributes;
mod cheap;
mod commands;
mod content;
mod files;
mod git;
mod little;
mod lossy;
mod names;
mod offer;
mod packed;
mod plan;
mod point;
mod progress;
mod running;
mod services;
mod sqlite;
mod store;
mod storing;
mod tidy;
mod unread;

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use sha2::{Digest, Sha256};

use crate::attest::Places;
use crate::attest::document::hex;
use crate::evaluate::{Evaluation, EvaluationContext, with_recovery_point};
use crate::knowledge::Knowledge;
use crate::model::Verdict;
use crate::policy::{EnforcementAction, KeepSettings, KeepWhen, Policy, Profile, UnknownPrograms};
use crate::report::RecoveryPoint;
use crate::text::size;
use crate::world::World;

pub(crate) use attributes::{Led, read as read_attributes, write as write_attributes};
pub use cheap::why_copied;
pub(crate) use content::{copy as copy_content, create, open, share};
pub use files::{Budget, CannotKeep, Capture, Way};
pub(crate) use files::{UNDER_WAY, is_absent, names};
pub use offer::{Offer, offer, on_request};
use plan::Plan;
pub use point::{Content, Head, Held, Item, Made, Name, VERSION, Was};
pub(crate) use progress::Progress;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) use running::{
    Answers, Bound, Listener, NotBound, Running, Side, below_filter, default_action, is_there, let_go,
    listener, split,
};
pub use store::{PointName, Store, StoreError};
pub(crate) use store::{clear, new_id, shown};
use unread::Unread;

/// Who runs it, where, and what is allowed.
pub struct Keeping<'a> {
    /// The machine.
    pub world: &'a dyn World,
    /// What is known of tools and kinds.
    pub knowledge: &'a Knowledge,
    /// The policy in force.
    pub policy: &'a Policy,
    /// Circumstances.
    pub context: &'a EvaluationContext,
    /// Where the store is.
    pub places: &'a Places,
    /// The command or call for people, secrets masked.
    pub command: &'a str,
    /// The terminal or agent's session.
    pub session: Option<String>,
}

/// What came of setting aside.
#[derive(Debug, Default)]
pub struct Kept {
    /// The evaluation with the recovery point in it, where there is one.
    pub evaluation: Option<Evaluation>,
    /// The point.
    pub point: Option<Head>,
    /// Why it could not be kept, where that was tried.
    pub failed: Option<String>,
    /// It is only more than is kept unasked: when a person wants it, it can be.
    pub too_much: bool,
    /// The file of the point.
    pub file: Option<PathBuf>,
}

/// Makes the store where there is none; whether it did. What is to be kept for the first time may be followed, in the same
/// command, by what reaches the store: that has to be judged once more, with the store there.
pub fn make_store(evaluation: &Evaluation, keeping: &Keeping<'_>) -> bool {
    let wanted = evaluation.verdict() > Verdict::Allow && keeping.is_on(&keeping.policy.keep());
    wanted
        && matches!(Store::existing(keeping.places), Ok(None))
        && Store::open(keeping.places).is_ok_and(|store| store.label().is_ok())
}

/// Sets aside what a judged command would destroy, where that lets it run. Complete and on the disk when it returns.
pub fn before_run(evaluation: &Evaluation, keeping: &Keeping<'_>) -> Kept {
    let settings = keeping.policy.keep();
    if evaluation.assessments.is_empty() || !keeping.is_on(&settings) {
        return Kept::default();
    }
    let mut plan = keeping.plan(evaluation);
    let helps = plan.helps(&evaluation.assessments);
    let eases = !helps && plan.eases(&evaluation.assessments, keeping.knowledge);
    let known = (helps || eases) && keeping.lets_run(evaluation, &plan.covered);
    if eases {
        plan.only_eases();
    }
    // What is known and kept lets it run: then what nobody can read runs as well, and is kept from beside it.
    let runs = known || action(evaluation) <= EnforcementAction::Note;
    let unread = plan.unread && keeping.wants_unread(&settings) && runs;
    if !known && !unread {
        return Kept::default();
    }
    let made = match (known, helps) {
        (true, true) => Made::ForLoss,
        (true, false) => Made::ForEase,
        (false, _) => Made::ForUnread,
    };
    let budget = Budget { items: settings.files, copied: settings.bytes, free: settings.free };
    let touched = if unread { unread::places(evaluation, keeping) } else { evaluation.touched.clone() };
    let task = Task { plan: &plan, touched: &touched, known, unread, made, budget, partly: false };
    let mut done = keeping.capture(&task);
    if done.is_err() && unread && !helps {
        // What is nowhere else is worth more than ease.
        done = keeping.capture(&Task { known: false, made: Made::ForUnread, ..task });
    }
    match done {
        Ok(None) => Kept::default(),
        Ok(Some(Point { head, file, .. })) => {
            let covered: Vec<bool> = if known { plan.covered } else { Vec::new() };
            let mut again = keeping.again(evaluation, &covered, &head.id);
            again.report.recovery_point = recovery_point(&head, &file);
            Kept { evaluation: Some(again), point: Some(head), file: Some(file), ..Kept::default() }
        }
        Err(error) => {
            let too_much = matches!(&error, Failure::Cannot(CannotKeep::TooMuch(_)));
            // A store that cannot be used is said whatever it costs: nobody expects it.
            let told = known && helps || matches!(&error, Failure::Store(_));
            Kept { failed: told.then(|| error.to_string()), too_much, ..Kept::default() }
        }
    }
}

/// A path that leads nowhere yet, by the real name of what is there of it: the command itself may make the folders between.
fn named(path: &Path) -> Option<PathBuf> {
    let above = path.ancestors().skip(1).find_map(|folder| Some((folder, folder.canonicalize().ok()?)));
    let (folder, real) = above?;
    let rest = path.strip_prefix(folder).ok()?;
    // Of `..` in what is not there nobody can tell where it leads.
    rest.components().all(|part| matches!(part, std::path::Component::Normal(_))).then(|| real.join(rest))
}

/// How a point is named in reports and in the audit log; `None` when its file cannot be read.
pub fn recovery_point(head: &Head, file: &Path) -> Option<RecoveryPoint> {
    let digest = hex(&Sha256::digest(std::fs::read(file).ok()?));
    Some(RecoveryPoint { id: head.id.clone(), digest: format!("sha256:{digest}") })
}

/// What is set aside, and how far.
struct Task<'a> {
    plan: &'a Plan,
    /// Places that the command names.
    touched: &'a [PathBuf],
    /// What is known to be lost.
    known: bool,
    /// What is not committed here.
    unread: bool,
    made: Made,
    budget: Budget,
    /// What cannot be kept is left out and named; otherwise it is all or nothing.
    partly: bool,
}

/// A point that was made.
struct Point {
    head: Head,
    file: PathBuf,
    /// What is known to be lost and could not be kept, in words.
    missed: Vec<String>,
}

/// What was left out, in words.
#[derive(Default)]
struct LeftOut {
    /// Of what is known to be lost.
    missed: Vec<String>,
    /// Of what a program that nobody can read may reach.
    beside: Vec<String>,
}

/// Why a point was not made.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Cannot(#[from] CannotKeep),
    #[error("{0}")]
    Left(String),
}

impl Keeping<'_> {
    /// What is set aside without a question.
    fn plan(&self, evaluation: &Evaluation) -> Plan {
        let mut plan = Plan::of(&evaluation.assessments, self.knowledge);
        plan.leave(&evaluation.assessments, &self.context.cwd, self.world.home(None).as_deref());
        plan.with_services(evaluation, self)
    }

    fn is_on(&self, settings: &KeepSettings) -> bool {
        let production =
            self.context.environment.as_deref().is_some_and(|name| self.policy.is_production(name));
        settings.when == KeepWhen::Loss
            && !production
            && !self.context.anywhere
            && matches!(self.context.profile, Some(Profile::Human | Profile::Agent))
    }

    fn wants_unread(&self, settings: &KeepSettings) -> bool {
        match settings.unknown_programs {
            UnknownPrograms::Never => false,
            UnknownPrograms::Agents => self.context.profile == Some(Profile::Agent),
            UnknownPrograms::Always => true,
        }
    }

    fn again(&self, evaluation: &Evaluation, covered: &[bool], id: &str) -> Evaluation {
        with_recovery_point(evaluation, covered, id, self.context, self.world, self.knowledge, self.policy)
    }

    /// Whether it would run once all that can be set aside is.
    fn lets_run(&self, evaluation: &Evaluation, covered: &[bool]) -> bool {
        action(&self.again(evaluation, covered, "")) <= EnforcementAction::Note
    }

    fn capture(&self, task: &Task<'_>) -> Result<Option<Point>, Failure> {
        let store = Store::open(self.places)?;
        let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_millis());
        let time = i64::try_from(time).unwrap_or(i64::MAX);
        let id = new_id()?;
        let name = PointName::new(time, &id);
        let mut capture = Capture::new(store.contents(&name), store.folder(), task.budget);
        capture.progress = Progress::at_terminal("keeping");
        let done = self.fill(&mut capture, &store, task).and_then(|without| capture.sync().map(|()| without));
        let LeftOut { missed, beside } = match done {
            Ok(Some(left)) => left,
            Ok(None) => return Ok(None),
            Err(error) => {
                capture.clear();
                return Err(error.into());
            }
        };
        let mut without = [beside, missed.clone()].concat();
        without.dedup();
        if capture.items.is_empty() {
            return without.into_iter().next().map_or(Ok(None), |why| Err(Failure::Left(why)));
        }
        let head = Head {
            id,
            time,
            commits: if task.known { task.plan.commits() } else { 0 },
            without,
            ..capture.told_in(self.head(task.made.clone()), described(&capture))
        };
        let items: Vec<Item> = capture.items.into_values().collect();
        match store.write(&head, &items) {
            Ok(name) => {
                // That old ones could not be taken out is nothing that this command has to wait for.
                let settings = self.policy.keep();
                let _ = store.tidy(head.time, settings.days, settings.total_bytes);
                Ok(Some(Point { head, file: store.file(&name), missed }))
            }
            Err(error) => {
                for folder in &head.folders {
                    let _ = clear(&folder.0);
                }
                Err(error.into())
            }
        }
    }

    /// What any point of this command says, without what it holds.
    fn head(&self, made: Made) -> Head {
        let actor = self.context.actor.as_ref().map(|actor| actor.id.clone());
        Head {
            version: VERSION,
            id: String::new(),
            time: 0,
            made,
            command: self.command.to_owned(),
            cwd: Name(self.context.cwd.clone()),
            who: actor.unwrap_or_else(|| {
                let agent = self.context.profile == Some(Profile::Agent);
                format!("{}/{}", if agent { "agent" } else { "human" }, self.world.user())
            }),
            session: self.session.clone(),
            what: String::new(),
            files: 0,
            bytes: 0,
            copied: 0,
            folders: Vec::new(),
            commits: 0,
            without: Vec::new(),
            missing: false,
        }
    }

    /// Whether what the command destroys while it runs is set aside too.
    pub(crate) fn watches(&self) -> bool {
        let settings = self.policy.keep();
        self.is_on(&settings)
            && match settings.while_running {
                UnknownPrograms::Never => false,
                UnknownPrograms::Agents => self.context.profile == Some(Profile::Agent),
                UnknownPrograms::Always => true,
            }
    }

    /// Sets aside what the task says; what was left out, in words. None: the newest point holds all of it.
    fn fill(
        &self,
        capture: &mut Capture,
        store: &Store,
        task: &Task<'_>,
    ) -> Result<Option<LeftOut>, CannotKeep> {
        let mut left = LeftOut::default();
        if task.unread {
            match unread::set_aside(self, store, capture, task.touched, !task.known) {
                Ok(Unread::Same) => return Ok(None),
                Ok(Unread::Taken(out)) => left.beside.extend(out),
                // What was found until then is better than nothing.
                Err(error) => left.beside.push(error.to_string()),
            }
            if task.known {
                capture.items.values_mut().for_each(|item| item.beside = true);
            }
        }
        let mut take = |done: Result<(), CannotKeep>| match done {
            Err(error) if task.partly => {
                left.missed.push(error.to_string());
                Ok(())
            }
            done => done,
        };
        if task.known {
            for want in &task.plan.wants {
                take(self.want(want, capture))?;
            }
            let limit = usize::try_from(task.budget.items).unwrap_or(usize::MAX);
            let easing = task.made == Made::ForEase;
            for path in task.plan.absent.iter().filter(|path| path.symlink_metadata().is_err()) {
                if let Some(path) = named(path) {
                    capture.absent(&path);
                }
            }
            for repository in &task.plan.repositories {
                take(git::set_aside(repository, easing, limit, capture, self.world))?;
            }
            for database in &task.plan.databases {
                take(sqlite::set_aside(database, capture))?;
            }
            // Last: what is on this machine is not fetched for nothing.
            take(services::set_aside(&task.plan.services, &self.context.cwd, capture))?;
        }
        Ok(Some(left))
    }

    /// A path, and where its link leads when that is what changes.
    fn want(&self, want: &plan::Want, capture: &mut Capture) -> Result<(), CannotKeep> {
        // What could not be looked at may be a directory, and what is below it was not seen either.
        let below = want.below || lossy::is_unreadable(&want.path);
        let meant = lossy::meant(&want.path)?;
        meant.into_iter().try_for_each(|path| self.one(&plan::Want { path, below, ..want.clone() }, capture))
    }

    fn one(&self, want: &plan::Want, capture: &mut Capture) -> Result<(), CannotKeep> {
        let named = match (want.path.parent().map(std::fs::canonicalize), want.path.file_name()) {
            (Some(Ok(parent)), Some(name)) => parent.join(name),
            (Some(Err(error)), _) if is_absent(&error) => return Ok(()),
            (Some(Err(source)), _) => return Err(CannotKeep::Io { path: want.path.clone(), source }),
            _ => want.path.clone(),
        };
        if want.follow
            && let Ok(real) = std::fs::canonicalize(&named)
            && real != named
        {
            capture.add(&real, want.below, want.way)?;
        }
        capture.add(&named, want.below, want.way)
    }
}

fn action(evaluation: &Evaluation) -> EnforcementAction {
    // Without a stated enforcement nothing may run.
    evaluation.report.enforcement.as_ref().map_or(EnforcementAction::Refuse, |enforcement| enforcement.action)
}

/// What was set aside, in a few words: "notes.md (6 bytes)", "214 files (3.1 MB)".
fn described(capture: &Capture) -> String {
    let content =
        capture.items.values().filter(|item| !matches!(item.was, Was::Directory | Was::Around | Was::Absent));
    let (beside, kept): (Vec<&Item>, Vec<&Item>) = content.partition(|item| item.beside);
    let (beside, kept) = if kept.is_empty() { (kept, beside) } else { (beside, kept) };
    let of_beside = beside.iter().map(|item| item.size()).sum();
    let (bytes, kept) = (capture.bytes.saturating_sub(of_beside), kept.into_iter());
    let (own, files): (Vec<&Item>, Vec<&Item>) = kept.partition(|item| is_of_git(&item.path.0));
    let (own, files) = if files.is_empty() && own.len() == 1 { (files, own) } else { (own, files) };
    let what = match files.as_slice() {
        [] if !own.is_empty() => "git's state".to_owned(),
        [Item { was: Was::Service(held), .. }] => crate::text::escape(&held.title),
        [only] => only.path.0.file_name().map_or_else(|| shown(&only.path.0), |name| shown(Path::new(name))),
        several => {
            let served = several.iter().any(|item| matches!(item.was, Was::Service(_)));
            crate::text::count(several.len() as u64, if served { "thing" } else { "file" })
        }
    };
    let and = if own.is_empty() || files.is_empty() { "" } else { " and git's state" };
    let more = if beside.is_empty() { "" } else { ", and what is not committed" };
    format!("{what}{and} ({}){more}", size(bytes))
}

/// What git writes about a working tree, and no person does.
fn is_of_git(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == ".git")
}
