//! From a git mutation to its evidence: which question is asked for which kind, and what the answer is called.

use std::path::{Path, PathBuf};

use crate::evidence::Session;
use crate::model::{Action, Evidence, FactValue, Loss, LossClass, MissingEffect, Mutation, Source, Subject};
use crate::text::{count, list, size};
use crate::world::World;

use super::changes::{self, Outcome};
use super::incoming::{self, difference};
use super::look::{Found, Look, find, has_fact, text_fact};
use super::{advice, clean, made_here, objects, push, refs, saved, worktree};

/// Directories that a command may run in that are looked at.
const DIRECTORIES: usize = 4;

/// Adds what is known of a mutation whose subject is in a git repository. Sets the fact `loss` (`nothing`, `tracked`,
/// `lost`) with `loss.summary`, or records what is missing.
pub fn collect(mutation: &Mutation, world: &dyn World, session: &mut Session, evidence: &mut Evidence) {
    let Subject::Git { dir, .. } = &mutation.subject else { return };
    if let Some(host) = &mutation.context.host {
        missing(evidence, &format!("the repository is on {host} and was not looked at"));
        return;
    }
    let Some(dirs) = dir.choices() else {
        missing(evidence, "the directory that git runs in is not known");
        return;
    };
    let mut worst: Option<(u8, Evidence)> = None;
    if dirs.len() > DIRECTORIES {
        missing(evidence, "git may run in more directories than are looked at");
    }
    for dir in dirs.iter().take(DIRECTORIES) {
        let mut found = Evidence { facts: evidence.facts.clone(), ..Evidence::default() };
        one(mutation, Path::new(dir), world, session, &mut found);
        let rank = rank(&found);
        if worst.as_ref().is_none_or(|(known, _)| rank > *known) {
            worst = Some((rank, found));
        }
    }
    if let Some((_, found)) = worst {
        evidence.facts.extend(found.facts);
        evidence.items.extend(found.items);
        evidence.missing.extend(found.missing);
        evidence.loss = found.loss;
    }
}

/// How bad: what is lost, what could not be seen, what is recoverable, nothing.
fn rank(evidence: &Evidence) -> u8 {
    match evidence.facts.get("loss").map(|fact| &fact.value) {
        Some(FactValue::Text(class)) if class == "lost" => 3,
        Some(FactValue::Text(class)) if class == "tracked" => 1,
        Some(FactValue::Text(class)) if class == "nothing" => 0,
        _ => 2,
    }
}

fn one(mutation: &Mutation, dir: &Path, world: &dyn World, session: &mut Session, evidence: &mut Evidence) {
    if has_fact(mutation, "made") {
        nothing(evidence, "this command makes the repository itself".to_owned());
        return;
    }
    if mutation.kind == "git.repository" {
        // Made by this command: nothing of before is in it, but what stood there becomes untracked files.
        session.git().note(dir, |done| done.made = true);
        // One that is made by name stands there, under whatever name that place has.
        if let Subject::Git { names, .. } = &mutation.subject {
            for name in names.iter().filter_map(|name| name.as_known()) {
                let place = dir.join(name);
                let place = world.canonicalize(&place).unwrap_or(place);
                session.git().note(&place, |done| done.made = true);
            }
        }
        nothing(evidence, "an existing repository keeps everything".to_owned());
        return;
    }
    // A directory that is not here is another machine's, such as a server's container.
    let away = mutation.source == Source::Mcp && world.stat(dir).is_err();
    let unknown = away && takes(mutation) && !has_made(session, dir);
    let own = made_above(session, dir, world);
    match find(mutation, dir, world, session) {
        // It lies in another one, and is made by the same command: that is the one that counts.
        Found::Here(look) if own.as_ref().is_some_and(|own| is_outer(&look, own)) => {
            let dir = look.dir.clone();
            drop(look);
            nowhere(mutation, Some(dir), world, session, evidence);
        }
        Found::Here(mut look) => {
            if let Some(file) = look.repo.config(world).unread() {
                let why = format!("{} could not be read, and may say what git does", file.display());
                missing(evidence, &why);
            }
            here(&mut look, evidence);
        }
        // Where it will run is not known: that there is no repository here says nothing there.
        Found::Nowhere(_) if unknown => {
            missing(evidence, "it is not known in which repository this will run");
        }
        Found::Nowhere(dir) => nowhere(mutation, dir, world, session, evidence),
        Found::Unseen(reason) => missing(evidence, &reason),
    }
}

/// Whether something may go by it.
fn takes(mutation: &Mutation) -> bool {
    matches!(mutation.action, Action::Delete | Action::Replace)
        || matches!(
            mutation.kind.as_str(),
            "git.changes" | "git.untracked" | "git.remote-ref" | "git.history"
        )
}

/// Whether it takes files of the working tree, or writes over them.
fn takes_files(mutation: &Mutation) -> bool {
    matches!(mutation.kind.as_str(), "git.changes" | "git.untracked")
}

/// The directory here or above in which the same command makes a repository.
fn made_above(session: &mut Session, dir: &Path, world: &dyn World) -> Option<PathBuf> {
    let dir = world.canonicalize(dir).ok()?;
    dir.ancestors().find(|above| session.git().done(above).made).map(Path::to_owned)
}

/// Whether a repository stands above a place.
fn is_outer(look: &Look<'_>, place: &Path) -> bool {
    look.repo.work_tree().is_some_and(|top| top != place && place.starts_with(top))
        && look.world.lstat(&place.join(".git")).is_err()
}

/// Whether the same command made the repository.
fn has_made(session: &mut Session, dir: &Path) -> bool {
    dir.ancestors().any(|above| session.git().done(above).made)
}

/// Outside of any repository git refuses, unless the same command made one.
fn nowhere(
    mutation: &Mutation,
    dir: Option<PathBuf>,
    world: &dyn World,
    session: &mut Session,
    evidence: &mut Evidence,
) {
    let Some(dir) = dir else {
        nothing(evidence, "the directory is not there".to_owned());
        return;
    };
    let made = dir.ancestors().find(|above| session.git().done(above).made).map(Path::to_owned);
    match made {
        Some(top) if takes_files(mutation) => {
            taken_of_made(mutation, (&top, &dir), world, session, evidence);
        }
        Some(top) if mutation.kind == "git.stash" || has_fact(mutation, "brings") => {
            // Git has it from then on, as long as the repository stays.
            made_here::note(&top, evidence);
            nothing(evidence, "git keeps what was there".to_owned());
        }
        _ => nothing(evidence, "there is no git repository here, so git refuses".to_owned()),
    }
}

/// Adds what an act takes of a directory whose top is made a repository by an earlier step.
fn taken_of_made(
    mutation: &Mutation,
    (top, dir): (&Path, &Path),
    world: &dyn World,
    session: &mut Session,
    evidence: &mut Evidence,
) {
    let mut loss = Loss::default();
    for place in made_here::reached(mutation, (top, dir)) {
        if world.lstat(&place).is_err() {
            continue;
        }
        match crate::evidence::collect(&made_here::tree(mutation, &place), world, session).loss {
            Some(found) => clean::merge(&mut loss, found),
            None => {
                return missing(evidence, "what lies in the new repository's directory was not looked at");
            }
        }
    }
    made_here::note(top, evidence);
    say_loss(evidence, loss, "removed");
}

fn here(look: &mut Look<'_>, evidence: &mut Evidence) {
    let common = look.repo.place().common_dir.clone();
    saved::note(look);
    match (look.mutation.kind.as_str(), look.mutation.action) {
        ("git.changes", _) => {
            outcome(changes::changes(look), evidence, "overwritten");
            advice::for_changes(look, evidence, |look, specs| {
                let differing = difference(look, "HEAD").ok().flatten();
                differing.is_some_and(|differing| !differing.keys().any(|name| specs.matches(name)))
            });
            let whole = look.has("whole") || look.has("removes");
            look.session.git().note(&common, |done| done.unstage(whole));
        }
        ("git.untracked", _) => outcome(clean::clean(look), evidence, "removed"),
        ("git.worktree", Action::Update) => made(look, evidence),
        ("git.worktree", _) => worktree::goes(look, evidence),
        (
            "git.branch" | "git.tag" | "git.ref" | "git.remote" | "git.note",
            Action::Delete | Action::Replace,
        ) => {
            let left = refs::refs(look);
            say_left(look, evidence, left, false);
        }
        ("git.commits", _) => {
            let left = refs::moves(look);
            say_left(look, evidence, left, true);
            look.session.git().note(&common, |done| done.moved = true);
        }
        ("git.stash", Action::Delete) => stash(look, evidence),
        ("git.remote-ref", _) => match push::push(look).inspect(|_| push::say_here(look, evidence)) {
            Ok(found) => {
                let left = found.left();
                look.session.git().note(&common, |done| done.dropped.extend(left));
                found.tell(evidence);
            }
            Err(reason) => missing(evidence, &reason),
        },
        ("git.objects", Action::Delete) => pruned(look, evidence),
        ("git.reflog", _) if look.has("grace") => {
            nothing(evidence, "entries of the last months stay".to_owned());
        }
        ("git.reflog", _) => {
            look.session.git().note(&common, |done| done.reflog_gone = true);
            say(
                evidence,
                "tracked",
                "the objects stay until git prunes them, only the way to find them goes",
            );
        }
        ("git.index", _) => {
            let unstages = look.has("unstages");
            look.session.git().note(&common, |done| {
                done.unstage(unstages);
                done.staged_here |= !unstages;
                done.restaged |= !unstages && !done.index_kept;
            });
            nothing(evidence, "staged content stays as objects in git".to_owned());
        }
        ("git.config", _) => {
            let value = text_fact(look.mutation, "value").unwrap_or_default().to_owned();
            for key in look.names().into_iter().flatten() {
                look.session.git().note(&common, |done| done.settings.push((key, value.clone())));
            }
            let added = text_fact(look.mutation, "added").unwrap_or_default().lines();
            let added = added.filter_map(|line| line.split_once('='));
            for (key, value) in added.map(|(key, value)| (key.to_owned(), value.to_owned())) {
                look.session.git().note(&common, |done| done.settings.push((key, value)));
            }
            nothing(evidence, "a setting".to_owned());
        }
        ("git.fetch", _) => incoming::fetched_by(look, evidence),
        (_, Action::Create | Action::Update) => made(look, evidence),
        // What these cost does not hang on what is there.
        ("git.lfs" | "git.history" | "git.rerere" | "git.credential" | "git.mail", _) => {}
        _ => missing(evidence, "this part of the repository is not looked at"),
    }
}

fn pruned(look: &mut Look<'_>, evidence: &mut Evidence) {
    match objects::pruned(look) {
        Ok(None) => nothing(evidence, "every object is reachable".to_owned()),
        Ok(Some((what, commits))) => {
            say(evidence, "lost", &format!("{what} go for good"));
            if !commits.is_empty() {
                let names = FactValue::Text(commits.join(" "));
                evidence.fact("dangling.commits", names, "commits that nothing reaches any more");
                advice::for_commits(&commits, evidence);
            }
        }
        Err(reason) => missing(evidence, &reason),
    }
}

/// Something new in the repository: what was there stays, and what is looked at later is no longer what it was.
fn made(look: &mut Look<'_>, evidence: &mut Evidence) {
    let common = look.repo.place().common_dir.clone();
    let fetches = look.has("fetches");
    let keeps = matches!(look.mutation.kind.as_str(), "git.commit" | "git.stash");
    let stashes = usize::from(look.mutation.kind == "git.stash");
    let unlocks = look.has("unlocks");
    let renamed = refs::renamed(look);
    let over = look.has("any-ref").then(|| "what only branches here reached that the pull moves".to_owned());
    let restages =
        look.mutation.kind == "git.commit" && (look.has("saves-tracked") || look.has("saves-paths"));
    look.session.git().note(&common, |done| {
        done.moved = true;
        done.fetched |= fetches;
        done.stashed += stashes;
        done.renamed.extend(renamed);
        done.dropped.extend(over);
        done.unlocked |= unlocks;
        // What a commit before it holds is in no danger.
        done.restaged |= restages && !done.index_kept;
        done.staged_here &= !keeps;
        done.index_kept |= keeps;
    });
    nothing(evidence, "git keeps what was there".to_owned());
}

fn stash(look: &mut Look<'_>, evidence: &mut Evidence) {
    let common = look.repo.place().common_dir.clone();
    let entries = match refs::stashes(look) {
        Ok(entries) => entries,
        Err(reason) => return missing(evidence, &reason),
    };
    let names = look.names();
    // Those that this command made stand in front of the others.
    let made = look.session.git().done(&common).stashed;
    let look_all = look.has("all");
    let mut own = look_all && made > 0;
    let going = if look.has("all") {
        entries.clone()
    } else {
        let wanted = match names.first() {
            None => Some("0"),
            Some(None) => None,
            Some(Some(name)) => {
                let name = name.strip_prefix("refs/").unwrap_or(name);
                let number = name.strip_prefix("stash@{").and_then(|rest| rest.strip_suffix('}'));
                Some(number.unwrap_or(if name == "stash" { "0" } else { name }))
            }
        };
        match wanted.and_then(|number| number.parse::<usize>().ok()) {
            Some(number) if number < made => {
                own = true;
                // There may be nothing to stash: then it is the one that was there.
                entries.get(number).cloned().into_iter().collect()
            }
            Some(number) => entries.get(number - made).cloned().into_iter().collect(),
            // Named by a time, or not known: any of them.
            None => entries.clone(),
        }
    };
    evidence.fact(
        "stash.count",
        FactValue::Number(i64::try_from(entries.len()).unwrap_or(i64::MAX)),
        count(entries.len() as u64, "stash"),
    );
    if own && !look.has("pop") {
        look.session.git().note(&common, |done| {
            done.dropped.push("the stash that this command makes and drops".to_owned());
            done.stashed = if look_all { 0 } else { done.stashed.saturating_sub(1) };
        });
        let summary = "what this command stashes itself is dropped again: it stays as an object without a name until git prunes it, after two weeks or so";
        say(evidence, "tracked", summary);
        evidence.fact("stash.own", FactValue::Bool(true), "the stash is made by this same command");
        return;
    }
    if going.is_empty() {
        // Made by this same command, or nothing there at all.
        look.session.git().note(&common, |done| {
            if done.moved {
                done.dropped.push("the stash that this command makes and drops".to_owned());
            }
        });
        say(evidence, "nothing", "no such stash entry now");
        return;
    }
    let what = count(going.len() as u64, "stash");
    say(evidence, "tracked", &format!("{what} can be found again by id until git prunes it"));
    let ids: Vec<&str> = going.iter().map(|id| id.get(..12).unwrap_or(id)).collect();
    evidence.fact("stash.ids", FactValue::Text(ids.join(" ")), "ids of the stash entries");
    advice::for_stashes(&ids, evidence);
    look.session.git().note(&common, |done| done.dropped.push(what));
}

fn say_left(look: &mut Look<'_>, evidence: &mut Evidence, left: Result<refs::Left, String>, reflog: bool) {
    let left = match left {
        Ok(left) => left,
        Err(reason) => return missing(evidence, &reason),
    };
    let common = look.repo.place().common_dir.clone();
    if look.mutation.action == Action::Delete {
        let names: Vec<String> = left.tips.iter().map(|(name, _)| name.clone()).collect();
        look.session.git().note(&common, |done| done.gone.extend(names));
    }
    if let Some((name, id)) = left.tips.first() {
        let id = id.get(..12).unwrap_or(id).to_owned();
        evidence.fact("ref.commit", FactValue::Text(id), format!("where {} is", refs::short(name)));
        evidence.fact("ref.name", FactValue::Text(refs::short(name).to_owned()), "the ref's name");
    }
    advice::for_refs(look, &left.tips, evidence);
    evidence.fact("ref.exists", FactValue::Bool(!left.tips.is_empty()), "the ref is there");
    let only = i64::try_from(left.commits).unwrap_or(i64::MAX);
    evidence.fact("ref.only", FactValue::Number(only), "commits that no other ref reaches");
    let what = refs::describe(&left);
    if left.commits == 0 && left.tags == 0 {
        let why =
            if left.tips.is_empty() { "there is no such ref" } else { "every commit is on another ref too" };
        say(evidence, "nothing", why);
    } else if look.repo.work_tree().is_none() && !look.config_is("core.logAllRefUpdates", false) {
        // Others only get what a ref of a bare repository reaches, and it keeps no reflog.
        say(evidence, "lost", &format!("{what} are reachable from nowhere in a bare repository"));
        look.session.git().note(&common, |done| done.dropped.push(what));
    } else if reflog {
        say(evidence, "tracked", &format!("{what} stay in the reflog"));
        look.session.git().note(&common, |done| done.in_reflog.push(what));
    } else {
        say(evidence, "tracked", &format!("{what} stay as objects until git prunes them"));
        look.session.git().note(&common, |done| done.dropped.push(what));
    }
    look.session.git().note(&common, |done| done.moved = true);
}

pub(super) fn outcome(found: Result<Outcome, String>, evidence: &mut Evidence, verb: &str) {
    match found {
        Ok(Outcome::Refused(why)) => nothing(evidence, why),
        Ok(Outcome::Loss(loss)) => say_loss(evidence, loss, verb),
        Err(reason) => missing(evidence, &reason),
    }
}

/// Puts what was found of files into words.
fn say_loss(evidence: &mut Evidence, loss: Loss, verb: &str) {
    let mut parts = Vec::new();
    let mut class = "nothing";
    for (kind, tally) in loss.classes.iter().rev().filter(|(_, tally)| tally.files > 0) {
        let (label, phrase) = match kind {
            LossClass::Lost => ("lost", "exist nowhere else"),
            LossClass::Unseen => ("unseen", "could not be looked at"),
            LossClass::Tracked => ("tracked", "stay in git's object store"),
            LossClass::Regenerable => ("regenerable", "can be made again"),
            LossClass::Temporary => ("temporary", "are temporary"),
            LossClass::Copied => ("copied", "exist in another place too"),
            LossClass::Packaged => ("packaged", "come from a package"),
            LossClass::Snapshot => ("snapshot", "are kept in a backup"),
            LossClass::Nothing => continue,
        };
        if class == "nothing" {
            class = label;
        }
        let noun = match kind {
            LossClass::Lost if loss.modified == tally.files => "changed file",
            LossClass::Lost if loss.modified == 0 && verb == "removed" => "untracked file",
            _ => "file",
        };
        let names = if tally.examples.is_empty() {
            String::new()
        } else {
            let more = if tally.files as usize > tally.examples.len().min(3) { " …" } else { "" };
            format!(": {}{more}", tally.examples.iter().take(3).cloned().collect::<Vec<_>>().join(", "))
        };
        let phrase = if tally.files == 1 { singular(phrase) } else { phrase.to_owned() };
        parts.push(format!("{}, {}, {phrase}{names}", count(tally.files, noun), size(tally.bytes)));
    }
    let summary = if parts.is_empty() {
        format!("nothing that git does not have is {verb}")
    } else {
        parts.truncate(3);
        list(&parts)
    };
    if loss.classes.contains_key(&LossClass::Copied) {
        let outright = FactValue::Text("lost".to_owned());
        evidence.fact(
            "loss.outright",
            outright,
            "what would be lost if this command had not made a copy before",
        );
    }
    if class == "unseen" {
        missing(evidence, &summary);
    } else {
        say(evidence, class, &summary);
    }
    evidence.loss = Some(loss);
}

fn singular(phrase: &str) -> String {
    for (many, one) in [("exist ", "exists "), ("stay ", "stays "), ("are ", "is "), ("come ", "comes ")] {
        if let Some(rest) = phrase.strip_prefix(many) {
            return format!("{one}{rest}");
        }
    }
    phrase.to_owned()
}

fn nothing(evidence: &mut Evidence, why: String) {
    say(evidence, "nothing", &why);
}

/// Sets the class and its sentence.
pub(super) fn say(evidence: &mut Evidence, class: &str, summary: &str) {
    evidence.fact("loss", FactValue::Text(class.to_owned()), summary);
    let text = crate::model::Fact::new(FactValue::Text(summary.to_owned()), "why");
    evidence.facts.insert("loss.summary".to_owned(), text);
}

fn missing(evidence: &mut Evidence, why: &str) {
    evidence.miss("git", why, MissingEffect::BlocksSafeVerdict);
    let text = crate::model::Fact::new(FactValue::Text(why.to_owned()), "why");
    evidence.facts.insert("loss.summary".to_owned(), text);
}
