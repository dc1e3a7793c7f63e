//! What a push takes away from the repository it pushes to.
//!
//! A remote that is a directory on this machine is looked into. Of any other only what was fetched before is known; a
//! forced update or deletion there may hit commits that nobody here has ever seen.

mod refspecs;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::model::{Evidence, FactValue, MissingEffect};
use crate::order;
use crate::text::{count, list};
use crate::world::{FileKind, git_dir};

use super::look::Look;
use super::probe::say;
use super::refs::{for_each_ref, head, short};
use refspecs::{Change, changes};

/// What came of looking at a push.
pub(super) enum Push {
    /// Nothing leaves the remote; says why.
    Nothing(String),
    /// What leaves the remote is here; says what.
    Kept(String),
    /// Commits that only the remote has go; says what.
    Lost(String),
    /// The remote cannot be looked at; says what may go, and what was fetched of it.
    Unseen(String, Option<Fetched>),
}

/// The one ref that is pushed to, and where it stood when it was fetched last.
pub(super) struct Fetched {
    remote: String,
    /// Full name on the remote.
    name: String,
    commit: String,
}

impl Push {
    /// What stays here and may be reachable from nothing any more, in words.
    pub(super) fn left(&self) -> Option<String> {
        matches!(self, Self::Kept(_)).then(|| "what this command's push took from a remote".to_owned())
    }

    /// Puts it into the evidence.
    pub(super) fn tell(self, evidence: &mut Evidence) {
        match self {
            Self::Nothing(why) => say(evidence, "nothing", &why),
            Self::Kept(what) => say(evidence, "tracked", &what),
            Self::Lost(what) => say(evidence, "lost", &what),
            Self::Unseen(why, fetched) => {
                for (key, text) in fetched.into_iter().flat_map(|f| {
                    [("remote.name", f.remote), ("remote.ref", f.name), ("remote.fetched", f.commit)]
                }) {
                    let fact = crate::model::Fact::new(FactValue::Text(text.clone()), text);
                    evidence.facts.insert(key.to_owned(), fact);
                }
                evidence.fact(
                    "remote.known",
                    FactValue::Bool(false),
                    "the remote's present state is not known here",
                );
                let text = crate::model::Fact::new(FactValue::Text(why.clone()), "why");
                evidence.facts.insert("loss.summary".to_owned(), text);
                evidence.miss("remote", why, MissingEffect::BlocksSafeVerdict);
            }
        }
    }
}

/// Says that the repository that is pushed to is on this machine, where it is.
pub(super) fn say_here(look: &mut Look<'_>, evidence: &mut Evidence) {
    if matches!(local_remote(look), Ok(Some(_))) {
        evidence.fact("remote.here", FactValue::Bool(true), "the repository is on this machine");
    }
}

/// Looks at what a push would do.
///
/// # Errors
/// In words, when it cannot be told.
pub(super) fn push(look: &mut Look<'_>) -> Result<Push, String> {
    let specs = look.names();
    let forced = ["force", "lease", "mirror", "delete", "prune"].iter().any(|key| look.has(key))
        || specs.iter().any(|spec| spec.as_deref().is_none_or(|s| s.starts_with(['+', ':'])));
    let remote = remote_name(look)?;
    let configured = remote.as_ref().is_some_and(|name| {
        look.configs(&format!("remote.{name}.push")).iter().any(|spec| spec.starts_with(['+', ':']))
            || look.config_is(&format!("remote.{name}.mirror"), false)
    });
    if !forced && !configured {
        return Ok(Push::Nothing("without force a push only adds".to_owned()));
    }
    let Some(remote) = remote else {
        return Ok(Push::Unseen(
            "the remote is not known, and a forced push can drop commits there".to_owned(),
            None,
        ));
    };
    let common = look.repo.place().common_dir.clone();
    let done = look.session.git().done(&common);
    // What another remote has says nothing of this one.
    let of_others = !done.fetched_remotes.is_empty()
        && done
            .fetched_remotes
            .iter()
            .all(|one| one.as_ref().is_some_and(|one| !is_same(look, one, &remote)));
    let fetched = done.fetched && !of_others;
    if look.has("lease")
        && !look.has("force")
        && !configured
        && leases_hold(look)?
        && !specs.iter().any(|s| s.as_deref().is_none_or(|s| s.starts_with('+')))
    {
        return Ok(Push::Kept(
            "the lease lets git replace only commits that were fetched here, and those stay in this repository".to_owned(),
        ));
    }
    let Some(place) = local_place(look, &remote) else {
        let last = last_fetched(look, &remote, &specs);
        return Ok(Push::Unseen(
            format!(
                "what {remote} has now was not looked at (it is on another machine): commits pushed there since the last fetch would be gone for good"
            ),
            last,
        ));
    };
    let Some(place) = place else {
        return Ok(Push::Nothing(format!("there is no repository at {remote}, so the push fails")));
    };
    if fetched {
        return Ok(Push::Kept(format!(
            "what {remote} has was fetched by this same command and stays in this repository"
        )));
    }
    into_local(look, &remote, &specs, &place)
}

/// Whether two names of remotes lead to the same repository.
fn is_same(look: &Look<'_>, one: &str, other: &str) -> bool {
    one == other || matches!((local_place(look, one), local_place(look, other)), (Some(a), Some(b)) if a == b)
}

/// Whether what the leases expect is here: a value that was only looked up at the remote protects nothing.
fn leases_hold(look: &mut Look<'_>) -> Result<bool, String> {
    let leases: Vec<String> = look.text("leases").unwrap_or_default().lines().map(str::to_owned).collect();
    for expected in leases.iter().filter_map(|lease| lease.split_once(':')).map(|(_, value)| value) {
        // Nothing behind the colon: the ref must not be there at all.
        if !expected.is_empty()
            && look.resolve(expected).map_err(|e| format!("git could not be asked: {e}"))?.is_none()
        {
            return Ok(false);
        }
    }
    Ok(!look.has("lease-unknown"))
}

/// Where the one branch that is pushed to stood at the last fetch; `None` when it is not just one, or never fetched.
fn last_fetched(look: &mut Look<'_>, remote: &str, specs: &[Option<String>]) -> Option<Fetched> {
    if ["mirror", "all", "tags", "prune"].iter().any(|key| look.has(key))
        || look.config_is(&format!("remote.{remote}.mirror"), false)
        || (specs.is_empty() && !look.configs(&format!("remote.{remote}.push")).is_empty())
    {
        return None;
    }
    let named = match specs {
        [] => match look.config("push.default").as_deref() {
            None | Some("simple" | "current") => head(look).ok()??,
            Some(_) => return None,
        },
        [Some(spec)] => {
            let body = spec.strip_prefix('+').unwrap_or(spec);
            body.rsplit_once(':').map_or(body, |(_, target)| target).to_owned()
        }
        _ => return None,
    };
    let branch = short(&named).to_owned();
    if matches!(branch.as_str(), "" | "HEAD" | "@") || branch.contains('*') || named.starts_with("refs/tags/")
    {
        return None;
    }
    let tracking = format!("refs/remotes/{remote}/{branch}");
    let (_, commit) = for_each_ref(look).ok()?.into_iter().find(|(name, _)| *name == tracking)?;
    Some(Fetched { remote: remote.to_owned(), name: format!("refs/heads/{branch}"), commit })
}

/// The remote that is meant: a name, a path or a URL. `None` when it is not known.
fn remote_name(look: &mut Look<'_>) -> Result<Option<String>, String> {
    if look.has("remote-unknown") {
        return Ok(None);
    }
    if let Some(named) = look.text("remote") {
        return Ok(Some(named.to_owned()));
    }
    let branch = head(look)?.map(|name| short(&name).to_owned());
    let configured = branch.and_then(|branch| {
        look.config(&format!("branch.{branch}.pushRemote"))
            .or_else(|| look.config("remote.pushDefault"))
            .or_else(|| look.config(&format!("branch.{branch}.remote")))
    });
    Ok(Some(configured.unwrap_or_else(|| "origin".to_owned())))
}

/// The git directory of a remote on this machine: `None` when the remote is elsewhere, `Some(None)` when nothing is there.
pub(super) fn local_place(look: &Look<'_>, remote: &str) -> Option<Option<PathBuf>> {
    let url = look
        .config(&format!("remote.{remote}.pushUrl"))
        .or_else(|| look.config(&format!("remote.{remote}.url")))
        .unwrap_or_else(|| remote.to_owned());
    let rewritten = look.repo.config(look.world).iter().any(|(key, prefix)| {
        key.starts_with("url.")
            && (key.ends_with(".insteadof") || key.ends_with(".pushinsteadof"))
            && url.starts_with(prefix)
    });
    if rewritten {
        return None;
    }
    let path = match url.strip_prefix("file://") {
        // Git takes `%20` for a blank.
        Some(path) if path.contains('%') => return None,
        Some(path) => path,
        None if url.contains("://") || scp_like(&url) => return None,
        None => url.as_str(),
    };
    // Relative to the top of the working tree, or the git directory of a bare repository.
    let base = look.repo.work_tree().unwrap_or(&look.repo.place().git_dir);
    let path = git_dir::named(look.world, &base.join(path)).ok()?;
    let places = [path.clone(), path.join(".git"), PathBuf::from(format!("{}.git", path.display()))];
    for place in places {
        match git_dir::looks_like_git(look.world, &place) {
            Ok(true) => return Some(Some(place)),
            // A file that names a repository elsewhere, or something that cannot be looked at.
            Ok(false) if !matches!(look.world.stat(&place), Ok(meta) if meta.kind == FileKind::File) => {}
            Ok(false) | Err(_) => return None,
        }
    }
    Some(None)
}

/// The remote that a push goes to and its git directory, where that is on this machine.
///
/// # Errors
/// In words, when it cannot be told which remote that is.
pub(super) fn local_remote(look: &mut Look<'_>) -> Result<Option<(String, PathBuf)>, String> {
    let Some(remote) = remote_name(look)? else { return Ok(None) };
    Ok(local_place(look, &remote).flatten().map(|place| (remote, place)))
}

/// `host:path` names another machine unless a slash comes first.
fn scp_like(url: &str) -> bool {
    url.split_once(':').is_some_and(|(host, _)| !host.contains('/') && !host.is_empty())
}

/// The refs of a repository on this machine: full names and what they hold.
fn refs_at(look: &mut Look<'_>, place: &Path) -> Result<BTreeMap<String, String>, String> {
    let words = ["for-each-ref", "--format=%(refname) %(objectname)"].map(str::to_owned).to_vec();
    let listed = look.ask_in(place, words);
    let listed = listed.map_err(|error| format!("{} could not be looked at: {error}", place.display()))?;
    let refs = listed.lines().filter_map(|line| line.split_once(' '));
    Ok(refs.map(|(name, id)| (name.to_owned(), id.to_owned())).collect())
}

/// One ref of the repository on this machine that is pushed to, which the push names.
pub(super) struct Moved {
    /// Full name.
    pub(super) name: String,
    /// What it holds now, where it is there.
    pub(super) old: Option<String>,
    /// What it holds then; `None` where it goes.
    pub(super) new: Option<String>,
}

/// What a push names in the repository of this directory.
///
/// # Errors
/// In words, when it cannot be told.
pub(super) fn moves(look: &mut Look<'_>, place: &Path) -> Result<Vec<Moved>, String> {
    let theirs = refs_at(look, place)?;
    let ours = for_each_ref(look)?;
    let specs = look.names();
    let found = changes(look, &specs, &theirs, &ours)?;
    // One that stays as it is may still get a name here under which it is followed.
    let moved = found.into_iter().map(|Change { name, new, .. }| {
        let old = theirs.get(&name).cloned();
        Moved { name, old, new }
    });
    Ok(moved.collect())
}

fn into_local(
    look: &mut Look<'_>,
    remote: &str,
    specs: &[Option<String>],
    place: &Path,
) -> Result<Push, String> {
    let asked = |look: &mut Look<'_>, words: &[&str]| {
        let arguments = words.iter().map(|word| (*word).to_owned()).collect();
        look.ask_in(place, arguments).map_err(|e| format!("{remote} could not be looked at: {e}"))
    };
    let mut theirs = refs_at(look, place)?;
    // Pushes that this command makes before: what is left on one ref then may go with the next.
    for (name, new) in look.session.git().done(place).pushed {
        match new {
            Some(id) => theirs.insert(name, id),
            None => theirs.remove(&name),
        };
    }
    let ours = for_each_ref(look)?;
    let changes = changes(look, specs, &theirs, &ours)?;
    let moved = changes.iter().filter(|change| change.forced || change.new.is_none());
    let moved: Vec<_> = moved.map(|change| (change.name.clone(), change.new.clone())).collect();
    look.session.git().note(place, |done| done.pushed.extend(moved));
    let (leaving, mut staying) = tips(&theirs, &changes);
    staying.extend(changes.iter().filter_map(|change| change.new.clone()));
    if leaving.is_empty() {
        return Ok(Push::Nothing("no ref of the remote is replaced or deleted".to_owned()));
    }
    let names: Vec<String> = leaving.iter().take(4).map(|(name, _)| short(name).to_owned()).collect();
    // What this repository has of them.
    let mut words = vec!["rev-list", "--no-walk", "--ignore-missing"];
    words.extend(leaving.iter().map(|(_, id)| id.as_str()));
    let here: BTreeSet<String> = look
        .ask(&words)
        .map_err(|e| format!("this repository's objects could not be looked at: {e}"))?
        .lines()
        .map(str::to_owned)
        .collect();
    let only: Vec<&(String, String)> = leaving.iter().filter(|(_, id)| !here.contains(id)).collect();
    if !only.is_empty() {
        let mut words = vec!["rev-list", "--count", "--ignore-missing"];
        words.extend(only.iter().map(|(_, id)| id.as_str()));
        words.push("--not");
        words.extend(staying.iter().map(String::as_str));
        words.extend(here.iter().map(String::as_str));
        let gone: u64 = asked(look, &words)?.trim().parse().map_err(|_| "git gave no number".to_owned())?;
        if gone > 0 {
            let names: Vec<String> = only.iter().take(4).map(|(name, _)| short(name).to_owned()).collect();
            return Ok(Push::Lost(format!(
                "{} of {} on {remote} {} not in this repository and would be reachable from nowhere",
                count(gone, "commit"),
                list(&names),
                if gone == 1 { "is" } else { "are" }
            )));
        }
    }
    if here.is_empty() {
        return Ok(Push::Nothing(format!("every commit of {} stays on another ref", list(&names))));
    }
    let mut words = vec!["rev-list", "--count", "--ignore-missing"];
    words.extend(here.iter().map(String::as_str));
    words.push("--not");
    words.extend(staying.iter().map(String::as_str));
    Ok(match look.count(&words) {
        Ok(0) => Push::Nothing(format!("every commit of {} stays on the remote", list(&names))),
        Ok(number) => Push::Kept(format!(
            "{} of {} leave the remote but stay in this repository",
            count(number, "commit"),
            list(&names)
        )),
        Err(_) => Push::Kept(format!("the commits of {} stay in this repository", list(&names))),
    })
}

/// Old tips that their ref leaves, and what the other refs there hold.
fn tips(theirs: &BTreeMap<String, String>, changes: &[Change]) -> (Vec<(String, String)>, BTreeSet<String>) {
    let changed: BTreeMap<&str, &Change> = order::map(changes.iter().map(|c| (c.name.as_str(), c)));
    let mut leaving = Vec::new();
    let mut staying = BTreeSet::new();
    for (name, old) in theirs {
        // Without force git only moves a ref forward.
        let stays = changed.get(name.as_str()).is_none_or(|change| {
            change.new.as_ref() == Some(old) || (!change.forced && change.new.is_some())
        });
        if stays {
            staying.insert(old.clone());
        } else {
            leaving.push((name.clone(), old.clone()));
        }
    }
    (leaving, staying)
}
