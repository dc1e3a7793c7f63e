//! Files that git does not track and `git clean` removes.

use std::path::Path;

use crate::model::{Action, Loss, LossClass, Mutation, PathSubject, Saved, Subject, Value};
use crate::world::{FileKind, World};

use super::changes::Outcome;
use super::look::Look;

/// Removed paths that are judged one by one, as `rm` would be; the rest only as files that nothing else holds.
const JUDGED: usize = 300;

/// Collects what `git clean` would remove.
///
/// # Errors
/// In words, when that cannot be told.
pub(super) fn clean(look: &mut Look<'_>) -> Result<Outcome, String> {
    if look.repo.work_tree().is_none() {
        return Ok(Outcome::Refused("a bare repository has no working tree".to_owned()));
    }
    if look.has("sparse") {
        return sparse(look);
    }
    if !look.has("force") && !look.has("interactive") && look.config_is("clean.requireForce", true) {
        return Ok(Outcome::Refused("git clean refuses without -f".to_owned()));
    }
    if look.has("interactive") && look.has("no-input") {
        return Ok(Outcome::Refused("nobody answers what git clean -i asks".to_owned()));
    }
    let ignored = look.text("ignored").map(str::to_owned);
    let whole_directories = look.has("directories") || !look.names().is_empty();
    let collapse = whole_directories && ignored.is_some();
    let listed = list(look, ignored.as_deref(), collapse)?;
    let mut loss = Loss::default();
    let mut judged = 0;
    for name in listed.split('\0').filter(|name| !name.is_empty()) {
        if !look.session.in_time(look.world) {
            loss.truncated = true;
            loss.add(LossClass::Unseen, 0, || "the rest".to_owned());
            break;
        }
        let place = look.dir.join(name.trim_end_matches('/'));
        let directory = name.ends_with('/');
        let nested = directory && place.join(".git").exists_in(look.world);
        if nested && !look.has("nested") {
            continue;
        }
        if !whole_directories && (directory || in_untracked_directory(look, &place)?) {
            continue;
        }
        judged += 1;
        if judged > JUDGED {
            let size = look.world.lstat(&place).map_or(0, |meta| meta.size);
            loss.add(LossClass::Lost, size, || name.to_owned());
        } else {
            add(look, &mut loss, &place, name, directory);
        }
    }
    let saved = matches!(&look.mutation.subject, Subject::Git { saved, .. }
        if saved.contains(&Saved::Ignored) || (ignored.is_none() && saved.contains(&Saved::Untracked)));
    if saved && let Some(lost) = loss.classes.remove(&LossClass::Lost) {
        let common = look.repo.place().common_dir.clone();
        look.session.git().note(&common, |done| done.only_saved = true);
        let tracked = loss.classes.entry(LossClass::Tracked).or_default();
        tracked.files += lost.files;
        tracked.bytes += lost.bytes;
        tracked.examples.extend(lost.examples);
    }
    Ok(Outcome::Loss(loss))
}

/// Directories of tracked files that leave the working tree: git removes them with the ignored files in them.
fn sparse(look: &mut Look<'_>) -> Result<Outcome, String> {
    let listed = look
        .ask(&["ls-files", "-z", "--others", "--ignored", "--exclude-standard"])
        .map_err(|error| format!("ignored files could not be listed: {error}"))?;
    let kept: Vec<_> = look.names().into_iter().flatten().map(|name| look.dir.join(name)).collect();
    let mut kept: Vec<_> = kept;
    if look.has("adds-to") {
        let rules = look.repo.place().git_dir.join("info/sparse-checkout");
        let rules = look.world.read_file(&rules, 1 << 20).unwrap_or_default();
        let top = look.repo.work_tree().unwrap_or(&look.dir).to_owned();
        let rules = String::from_utf8_lossy(&rules).into_owned();
        let dirs = rules.lines().filter(|line| line.starts_with('/') && !line.contains('*'));
        kept.extend(dirs.map(|line| top.join(line.trim_matches('/'))));
    }
    let mut loss = Loss::default();
    for name in listed.split('\0').filter(|name| !name.is_empty()) {
        let place = look.dir.join(name);
        let stays = kept.iter().any(|dir| place.starts_with(dir) || place.parent() == dir.parent());
        let mut holds = false;
        for above in place.ancestors().skip(1).take_while(|above| *above != look.dir) {
            holds |= look.repo.tracked_below(look.world, above)? > 0;
        }
        if !stays && holds {
            add(look, &mut loss, &place, name, false);
        }
    }
    Ok(Outcome::Loss(loss))
}

/// Whether something is there, as a small help for reading.
trait ExistsIn {
    fn exists_in(&self, world: &dyn World) -> bool;
}

impl ExistsIn for std::path::PathBuf {
    fn exists_in(&self, world: &dyn World) -> bool {
        world.lstat(self).is_ok()
    }
}

fn list(look: &mut Look<'_>, ignored: Option<&str>, collapse: bool) -> Result<String, String> {
    let mut words: Vec<String> = ["ls-files", "-z", "--others"].map(str::to_owned).to_vec();
    match ignored {
        Some("only") => words.extend(["--ignored", "--exclude-standard"].map(str::to_owned)),
        Some(_) => {}
        None => words.push("--exclude-standard".to_owned()),
    }
    if collapse {
        words.push("--directory".to_owned());
    }
    for pattern in look.text("exclude").unwrap_or_default().lines() {
        words.push(format!("--exclude={pattern}"));
    }
    let names = look.names();
    words.push("--".to_owned());
    // A name that is not known may be any: everything is listed then.
    if names.iter().all(Option::is_some) {
        words.extend(names.into_iter().flatten());
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    look.ask(&words).map_err(|error| format!("untracked files could not be listed: {error}"))
}

/// Whether a file lies in a directory below the current one that holds no tracked file.
fn in_untracked_directory(look: &Look<'_>, place: &Path) -> Result<bool, String> {
    let Some(parent) = place.parent() else { return Ok(false) };
    Ok(parent != look.dir && look.repo.tracked_below(look.world, parent)? == 0)
}

/// Judges one removed path as if `rm -r` removed it.
pub(super) fn add(look: &mut Look<'_>, loss: &mut Loss, place: &Path, name: &str, directory: bool) {
    let Some(text) = place.to_str() else {
        loss.add(LossClass::Unseen, 0, || name.to_owned());
        return;
    };
    let mut subject = PathSubject::new(Value::known(text), name);
    subject.recursive = directory;
    subject.explicit = false;
    let mutation = Mutation {
        action: Action::Delete,
        kind: if directory { "tree" } else { "file" }.to_owned(),
        subject: Subject::Path(subject),
        facts: crate::model::Facts::default(),
        ..look.mutation.clone()
    };
    if let Some(found) = crate::evidence::collect(&mutation, look.world, look.session).loss {
        merge(loss, found);
        return;
    }
    match look.world.lstat(place) {
        Ok(meta) if directory || meta.kind == FileKind::Directory => {
            loss.add(LossClass::Lost, meta.size, || name.to_owned());
        }
        Ok(meta) if meta.size == 0 || meta.kind != FileKind::File => {}
        Ok(meta) if look.repo.stores_content(look.world, place, &meta) => {
            loss.add(LossClass::Tracked, meta.size, || name.to_owned());
        }
        Ok(meta) => loss.add(LossClass::Lost, meta.size, || name.to_owned()),
        Err(_) => loss.add(LossClass::Unseen, 0, || name.to_owned()),
    }
}

/// Adds what another probe found.
pub(super) fn merge(loss: &mut Loss, found: Loss) {
    for (class, tally) in found.classes {
        let into = loss.classes.entry(class).or_default();
        into.files += tally.files;
        into.bytes += tally.bytes;
        into.examples.extend(tally.examples);
        into.examples.truncate(5);
    }
    loss.precious = loss.precious.take().or(found.precious);
    loss.truncated |= found.truncated;
    loss.modified += found.modified;
}
