//! Which things a judged command may destroy, how each is set aside, and whose loss that makes good.
//!
//! Pure but for the looks that a repository needs. An assessment is *covered* when everything that it speaks of is set aside
//! whole; whatever cannot be told, is elsewhere, or is meant to be destroyed is not.

use std::path::{Path, PathBuf};

use crate::evaluate::Evaluation;
use crate::evidence::{MADE_HERE, RepositoryAct};
use crate::knowledge::{Keep, Knowledge};
use crate::model::{
    Action, Assessment, Cause, FactValue, Mutation, PathOrigin, PathSubject, Subject, Tier, Value,
};
use crate::order;

use super::Keeping;
use super::around::{folders, is_ours, linked, links_out, names_that_come};
use super::files::Way;
use super::little::{NAMES, eases, is_little, is_of_names_alone, is_quick, is_set, may_stand_there, patched};
use super::packed::{becomes, packed, packed_files};
use super::services::{self, Wanted};

/// Fact of an act that means to leave nothing behind (`shred`).
const FOR_GOOD: &str = "for-good";
/// Kind of a file in which a call replaces text that it holds itself.
const PATCHED: &str = "file.patched";

/// Fact of an act that gives the old content another name.
const BACKUP: &str = "backup-at";

/// Commits of an act of which it is not known how many it makes.
const MANY: u64 = 1_000;

/// Kinds of acts that may check out another branch.
const SWITCHES: [&str; 2] = ["git.head", "git.changes"];
/// Kind of what is on a remote: elsewhere, so that it bears on nothing that is lost here.
const REMOTE: &str = "git.remote-ref";

/// One thing to set aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Want {
    /// The path as the act names it; a link is set aside with what it leads to where that is what changes.
    pub path: PathBuf,
    /// Everything below it too.
    pub below: bool,
    /// How it is about to change.
    pub way: Way,
    /// Where the act follows a link.
    pub follow: bool,
    /// Something is lost by it, or going back from it by oneself would be work.
    pub counts: bool,
}

/// What to set aside of a repository for one act.
#[derive(Clone, Debug)]
pub(super) struct Repository {
    /// The act, and what of the repository it changes.
    pub act: RepositoryAct,
    /// How its files are about to change.
    pub way: Way,
    /// Something is lost by it.
    pub weighs: bool,
    /// Going back from it by oneself would be work.
    pub eases: bool,
}

/// What to set aside for a command.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    /// Files and trees.
    pub wants: Vec<Want>,
    /// Places where nothing stands, and something is moved to.
    pub absent: Vec<PathBuf>,
    /// Those of them to which goes what nobody would miss: without it they are not to be taken away either.
    light: Vec<PathBuf>,
    /// Repositories.
    pub repositories: Vec<Repository>,
    /// SQLite databases.
    pub databases: Vec<PathBuf>,
    /// What services hold.
    pub services: Vec<Wanted>,
    /// For each assessment: setting all of this aside makes its loss good.
    pub covered: Vec<bool>,
    /// A program that nothing is known of takes part: it may write into anything.
    pub unread: bool,
    /// A person wants it: what is a person's to decide is set aside too.
    wanted: bool,
}

impl Plan {
    /// The plan for a judged command.
    pub(super) fn of(assessments: &[Assessment], knowledge: &Knowledge) -> Self {
        Self::made(assessments, knowledge, false)
    }

    /// The plan for all that can be set aside, when a person wants that.
    pub(super) fn wanted(assessments: &[Assessment], knowledge: &Knowledge) -> Self {
        Self::made(assessments, knowledge, true)
    }

    fn made(assessments: &[Assessment], knowledge: &Knowledge, wanted: bool) -> Self {
        let mut plan = Self {
            unread: assessments.iter().any(|judged| is_open(judged, knowledge)),
            wanted,
            ..Self::default()
        };
        plan.covered = assessments.iter().map(|judged| plan.cover(judged, knowledge)).collect();
        let several = !is_one_call(&plan.repositories) || plan.unread || !plan.wants.is_empty();
        // What one act saves the next may drop: of several none may be left out.
        let any = plan.repositories.iter().any(|repository| repository.weighs);
        let switches = |repository: &Repository| SWITCHES.contains(&repository.act.mutation.kind.as_str());
        let switched = several && plan.repositories.iter().any(switches);
        for repository in &mut plan.repositories {
            (repository.act.among_others, repository.act.switched) = (several, switched);
            repository.weighs |= any && repository.act.mutation.kind != REMOTE;
        }
        // Whoever else takes part, a database too, may write into a file before its name goes; and who makes another file of one refuses
        // where that has a second name.
        let minds = |judged: &Assessment| {
            judged.mutation.action == Action::Execute
                || matches!(judged.mutation.subject, Subject::Sql { .. })
                || is_set(&judged.mutation, "transforms")
        };
        if plan.unread || assessments.iter().any(minds) {
            for want in plan.wants.iter_mut().filter(|want| want.way == Way::Name) {
                want.way = Way::Content;
            }
            for repository in &mut plan.repositories {
                repository.way = Way::Content;
            }
        }
        // What is written into anywhere is copied, whatever else happens to it.
        order::by_key(&mut plan.wants, |want| std::cmp::Reverse(want.way));
        plan.wants.dedup();
        order::sort(&mut plan.databases);
        plan.databases.dedup();
        plan
    }

    /// The same with what services hold. Whether those give it is known only when they are asked.
    pub(super) fn with_services(mut self, evaluation: &Evaluation, keeping: &Keeping<'_>) -> Self {
        for (judged, covered) in evaluation.assessments.iter().zip(&mut self.covered) {
            if *covered || !weighs(judged) || !may_be_kept(judged, self.wanted) {
                continue;
            }
            if let Some(wanted) = services::wanted(judged, keeping, self.wanted) {
                *covered = true;
                if !self.services.contains(&wanted) {
                    self.services.push(wanted);
                }
            }
        }
        self
    }

    /// Something whose loss counts would be made good.
    pub(super) fn helps(&self, assessments: &[Assessment]) -> bool {
        self.covered.iter().zip(assessments).any(|(covered, judged)| *covered && weighs(judged))
    }

    /// Nothing is lost for good, but going back by oneself would be work, and what that needs is small: names of refs, what
    /// is staged, modes.
    pub(super) fn eases(&self, assessments: &[Assessment], knowledge: &Knowledge) -> bool {
        let judged = self.covered.iter().zip(assessments).filter(|(covered, _)| **covered);
        judged.map(|(_, judged)| judged).any(|judged| is_work(judged, knowledge))
            || self.wants.iter().any(|want| want.way == Way::Name && is_of_names_alone(&want.path))
    }

    /// Leaves out what nobody would miss: where nothing is lost for good, what a tool makes again is not worth the time.
    pub(super) fn only_eases(&mut self) {
        self.wants.retain(|want| want.counts || want.way == Way::Name && is_of_names_alone(&want.path));
        self.databases.retain(|database| is_quick(database));
        // What stands there afterwards would be taken away, and nothing put back for it.
        let light = std::mem::take(&mut self.light);
        self.absent.retain(|path| !light.contains(path));
    }

    /// Commits that the command itself makes, as far as can be told: later ones are somebody's work.
    pub(super) fn commits(&self) -> u64 {
        let acts = self.repositories.iter().map(|repository| &repository.act.mutation);
        // A branch that is only moved gets no commit.
        let makes = |act: &&Mutation| match act.kind.as_str() {
            "git.commit" => true,
            "git.commits" => ["amend", "rebase", "rewrites"].iter().any(|flag| is_set(act, flag)),
            _ => false,
        };
        let commits = acts.filter(makes);
        commits.fold(0, |all, act| {
            let many = !act.context.once || is_set(act, "brings") || is_set(act, "rebase");
            all + if many { MANY } else { 1 }
        })
    }

    /// Leaves to a person what would take away the directory that somebody works in, or all that is in a home.
    pub(super) fn leave(&mut self, assessments: &[Assessment], cwd: &Path, home: Option<&Path>) {
        let doomed: Vec<Option<Vec<PathBuf>>> = assessments.iter().map(doomed).collect();
        if doomed.iter().all(Option::is_none) {
            return;
        }
        let goes = |path: &Path| doomed.iter().flatten().flatten().any(|tree| path.starts_with(tree));
        let empties =
            home.is_some_and(|home| folders(home).is_some_and(|all| all.iter().all(|one| goes(one))));
        for (covered, trees) in self.covered.iter_mut().zip(&doomed) {
            let Some(trees) = trees else { continue };
            let of_home = empties && trees.iter().any(|tree| tree.parent() == home);
            if of_home || trees.iter().any(|tree| cwd.starts_with(tree)) {
                *covered = false;
            }
        }
    }

    fn cover(&mut self, judged: &Assessment, knowledge: &Knowledge) -> bool {
        let mutation = &judged.mutation;
        // A login is dear, but where its file is small and nobody has to decide there is nothing to wait for.
        let eased = !weighs(judged)
            && matches!(mutation.subject, Subject::Path(_))
            && knowledge.kind(&mutation.kind).is_some_and(|kind| eases(&kind, mutation));
        if !may_be_kept(judged, self.wanted || eased) {
            return false;
        }
        if let Some(files) = patched(mutation) {
            let (there, none): (Vec<PathBuf>, Vec<PathBuf>) =
                files.into_iter().partition(|path| path.symlink_metadata().is_ok());
            self.wants.extend(there.into_iter().map(|path| Want {
                path,
                below: false,
                way: Way::Content,
                follow: true,
                counts: true,
            }));
            self.absent.extend(none);
            return true;
        }
        let parts = knowledge.kind(&mutation.kind).map(|kind| kind.keep.clone()).unwrap_or_default();
        if parts.is_empty() {
            return false;
        }
        match &mutation.subject {
            Subject::Path(subject) => {
                let counts = weighs(judged) || is_work(judged, knowledge);
                self.path(judged, subject, &parts, counts)
            }
            // By a push to another machine nothing here changes but the names that follow it.
            Subject::Git { .. }
                if mutation.kind == REMOTE
                    && !weighs(judged)
                    && !judged.evidence.facts.contains_key("remote.here") =>
            {
                false
            }
            Subject::Git { dir, .. } if dir.choices().is_some() && !mutation.context.privileged => {
                let made = match judged.evidence.facts.get(MADE_HERE).map(|fact| &fact.value) {
                    Some(FactValue::Text(top)) => Some(PathBuf::from(top)),
                    _ => None,
                };
                let act = RepositoryAct {
                    mutation: mutation.clone(),
                    parts,
                    among_others: false,
                    switched: false,
                    made,
                };
                let (weighs, eases) = (weighs(judged), is_work(judged, knowledge));
                self.repositories.push(Repository { act, way: Way::Name, weighs, eases });
                true
            }
            Subject::Sql { dialect: "sqlite", database: Value::Known(file), .. }
                if Path::new(file).is_absolute() =>
            {
                self.databases.push(PathBuf::from(file));
                true
            }
            _ => false,
        }
    }

    /// Of what is packed each file goes, and what is made of it is to be taken away; whether all can be told.
    fn packs(&mut self, mutation: &Mutation, paths: &mut Vec<PathBuf>) -> bool {
        let Some(end) = packed(mutation) else { return true };
        let Some(all) = packed_files(paths) else { return false };
        let others = all.iter().filter_map(|path| becomes(path, end));
        self.absent.extend(others.filter(|path| path.symlink_metadata().is_err()));
        *paths = all;
        true
    }

    fn path(&mut self, judged: &Assessment, subject: &PathSubject, parts: &[Keep], counts: bool) -> bool {
        let mutation = &judged.mutation;
        let way = way(mutation, parts);
        // What an earlier step is thought to have done may have failed: what stands there now is set aside in any case.
        let mut paths: Vec<PathBuf> =
            subject.path.choices().unwrap_or_default().iter().map(PathBuf::from).collect();
        match &subject.origin {
            PathOrigin::Existing if paths.is_empty() => return false,
            PathOrigin::MovedFrom(from) => paths.push(from.clone()),
            PathOrigin::Existing | PathOrigin::Created | PathOrigin::Gone => {}
        }
        let whole = parts.contains(&Keep::Tree) || parts.contains(&Keep::TreeRights);
        let single = judged.evidence.changed.as_ref().filter(|_| parts.contains(&Keep::Tree));
        match single {
            Some(changed) => paths.clone_from(changed),
            // By links that stand in it what is put there may come to stand elsewhere; by names of its own anywhere.
            None if parts.contains(&Keep::Tree) => match links_out(&paths) {
                Some(others) if !is_set(mutation, "absolute") => paths.extend(others),
                _ => return false,
            },
            None => {}
        }
        paths.extend(subject.moved_in.iter().cloned());
        // What takes another's place has to go back to its own.
        let from = subject.from.clone().filter(|_| is_set(mutation, "renames"));
        if let Some(from) = &from {
            let mut comes: Vec<PathBuf> =
                paths.iter().filter(|path| path.symlink_metadata().is_err()).cloned().collect();
            // Where a directory stands that goes before, the other one's names come in place of its own.
            comes.extend(paths.iter().flat_map(|path| names_that_come(from, path)));
            // What came to stand where it goes from by this command counts as what it was before.
            if !counts && (from.symlink_metadata().is_ok() || self.light.contains(from)) {
                self.light.extend(comes.iter().cloned());
            }
            self.absent.extend(comes);
        }
        self.absent.extend(backup(mutation));
        paths.extend(from.clone());
        if paths.iter().any(|path| !path.is_absolute()) || !self.packs(mutation, &mut paths) {
            return false;
        }
        // What is lost stands somewhere now: where nothing stands, the act is about a place that comes to be called so.
        if weighs(judged) && !paths.iter().any(|path| super::lossy::stands(path)) {
            return false;
        }
        // With another's rights goes what this user could not put back.
        if mutation.context.privileged && !paths.iter().all(|path| is_ours(path)) {
            return false;
        }
        let below = subject.recursive && way != Way::Rights || whole && single.is_none();
        // `rm -r link/` empties the directory behind the link.
        let behind = subject.recursive && subject.shown.len() > 1 && subject.shown.ends_with('/');
        let follow = subject.follow || behind || mutation.action == Action::Update;
        for path in paths {
            // A directory takes all that stands in it along.
            let moved = from.as_ref() == Some(&path);
            let below = below || moved;
            // It lives on under another name, and may be written into there.
            let way = if moved && is_quick(&path) {
                // Its name goes all the same, and with it the time of its directory.
                let name = Want { path: path.clone(), below: false, way: Way::Name, follow: false, counts };
                self.wants.push(name);
                Way::Content
            } else {
                way
            };
            if below && way == Way::Name {
                self.wants.extend(linked(&path).into_iter().map(|path| Want {
                    path,
                    below,
                    way: Way::Content,
                    follow: false,
                    counts,
                }));
            }
            self.wants.push(Want { path, below, way, follow, counts });
        }
        true
    }
}

/// Whether all acts on repositories are those of one call, which runs once.
fn is_one_call(repositories: &[Repository]) -> bool {
    let mut calls = repositories.iter().map(|repository| &repository.act.mutation);
    let Some(first) = calls.next() else { return true };
    repositories.len() == 1
        || first.span.is_some()
            && first.context.once
            && calls.all(|other| other.span == first.span && other.context.once)
}

/// Whether going back by oneself would be work, and setting aside what that needs is none.
fn is_work(judged: &Assessment, knowledge: &Knowledge) -> bool {
    let mutation = &judged.mutation;
    let Some(kind) = knowledge.kind(&mutation.kind) else { return false };
    // What is copied within a database may go with the next call.
    if let Subject::Sql { dialect: "sqlite", database: Value::Known(file), .. } = &mutation.subject {
        return changes(mutation) && is_quick(Path::new(file));
    }
    if eases(&kind, mutation) || is_little(judged, &kind.keep) {
        return true;
    }
    let rights = |part: &Keep| matches!(part, Keep::Rights | Keep::TreeRights);
    let small = match mutation.action {
        _ if is_of_a_repository(&mutation.subject) => true,
        Action::Delete => kind.keep.iter().all(|part| rights(part) || *part == Keep::Refs),
        // One file, of which only the call that changes it could tell what stood there.
        _ if mutation.kind == PATCHED => true,
        _ => kind.keep.iter().all(rights),
    };
    small && !judged.harmless && judged.recoverability.tier == Tier::RecoverableWithEffort
}

/// Whether it is some of what a repository is made of, and little: objects may hold all content, but which was staged or
/// stashed only its own files tell.
fn is_of_a_repository(subject: &Subject) -> bool {
    let Subject::Path(subject) = subject else { return false };
    let little = |path: &Path| {
        let (mut pending, mut left) = (vec![path.to_owned()], NAMES);
        while let Some(path) = pending.pop() {
            let Some(fewer) = left.checked_sub(1) else { return false };
            left = fewer;
            if path.symlink_metadata().is_ok_and(|meta| meta.is_dir()) {
                let Ok(entries) = std::fs::read_dir(&path) else { return false };
                pending.extend(entries.filter_map(Result::ok).map(|entry| entry.path()));
            }
        }
        true
    };
    let within = |path: &Path| {
        let mut above = path.ancestors().skip(1);
        above.any(|dir| dir.join("HEAD").is_file() && dir.join("objects").is_dir())
    };
    let mut paths = subject.path.choices().unwrap_or_default().iter().map(Path::new);
    paths.any(|path| within(path) && little(path))
}

/// The trees that go, links to them resolved.
fn doomed(judged: &Assessment) -> Option<Vec<PathBuf>> {
    let Subject::Path(subject) = &judged.mutation.subject else { return None };
    let goes = judged.mutation.action == Action::Delete && subject.recursive;
    let paths = subject.path.choices().filter(|_| goes)?.iter();
    Some(paths.map(|path| std::fs::canonicalize(path).unwrap_or_else(|_| PathBuf::from(path))).collect())
}

fn way(mutation: &Mutation, parts: &[Keep]) -> Way {
    if parts.contains(&Keep::Rights) || parts.contains(&Keep::TreeRights) {
        Way::Rights
    } else if mutation.action == Action::Delete && !is_set(mutation, "overwrites")
        || is_set(mutation, "renames")
    {
        Way::Name
    } else {
        Way::Content
    }
}

/// Whether it is worth asking what it destroys: here, by a rule, and not meant to be for good.
fn may_be_kept(judged: &Assessment, wanted: bool) -> bool {
    let mutation = &judged.mutation;
    let context = &mutation.context;
    changes(mutation)
        && mutation.cause == Cause::Rule
        && !is_set(mutation, FOR_GOOD)
        && context.host.is_none()
        && !context.fresh
        && (wanted || !is_beyond(judged))
}

fn changes(mutation: &Mutation) -> bool {
    matches!(mutation.action, Action::Delete | Action::Replace | Action::Update | Action::Create)
}

/// A program that could not be read takes part.
pub(super) fn is_unread(judged: &Assessment) -> bool {
    judged.mutation.cause.is_unknown()
}

/// What it writes is not known to the last file: it is not read, or it is the project's own.
pub(super) fn is_open(judged: &Assessment, knowledge: &Knowledge) -> bool {
    let mutation = &judged.mutation;
    let open = || knowledge.kind(&mutation.kind).is_some_and(|kind| kind.open);
    is_unread(judged) || mutation.context.host.is_none() && open() && may_stand_there(&mutation.subject)
}

/// Whether something is lost that undo should bring back.
pub(super) fn weighs(judged: &Assessment) -> bool {
    judged.recoverability.tier.severity() >= Tier::RecoverableFromBackup.severity()
}

/// So much, or so dear, that a person decides although it could be set aside.
fn is_beyond(judged: &Assessment) -> bool {
    judged.evidence.loss.as_ref().is_some_and(|loss| loss.beyond)
}

/// The name that the old content gets, where nothing stands under it yet.
fn backup(mutation: &Mutation) -> Option<PathBuf> {
    match &mutation.facts.get(BACKUP)?.value {
        FactValue::Text(at) => Some(PathBuf::from(at)).filter(|path| path.symlink_metadata().is_err()),
        _ => None,
    }
}
