//! An archive that the same command packs and hands on through a pipe: its members are a commit's, or files that are here.

use std::path::{Component, Path, PathBuf};

use crate::evidence::path::Overwritten;
use crate::evidence::{Session, git};
use crate::model::{Evidence, MissingEffect, Mutation};
use crate::world::{FileKind, LookError, Query, World};

use super::{Member, Top, compare, flag, text};

/// Collects evidence for unpacking it into `target`; `false` when what it holds cannot be told.
pub(super) fn probe(
    mutation: &Mutation,
    target: &Path,
    world: &dyn World,
    session: &mut Session,
    evidence: &mut Evidence,
) -> bool {
    let Some(dir) = text(mutation, "packed.dir").map(PathBuf::from) else { return false };
    let names: Vec<&str> = text(mutation, "packed.names").unwrap_or_default().lines().collect();
    if flag(mutation, "transform") {
        return false;
    }
    match text(mutation, "packed.tree") {
        Some(tree) => of_git(mutation, target, (&dir, tree, &names), world, session, evidence),
        None => of_files(mutation, target, (&dir, &names), world, session, evidence),
    }
}

fn of_git(
    mutation: &Mutation,
    target: &Path,
    (dir, tree, names): (&Path, &str, &[&str]),
    world: &dyn World,
    session: &mut Session,
    evidence: &mut Evidence,
) -> bool {
    if tree.starts_with('-') {
        return false;
    }
    // Names with patterns may be any: then all of the tree counts.
    let plain = names.iter().all(|name| !name.contains(['*', '?', '[', '\\']) && !name.starts_with(':'));
    let mut arguments: Vec<String> = ["ls-tree", "-r", "-l", "-z", tree].map(str::to_owned).into();
    if plain && !names.is_empty() {
        arguments.push("--".to_owned());
        arguments.extend(names.iter().map(|name| (*name).to_owned()));
    }
    let query = Query::Git { dir: dir.to_owned(), arguments };
    let timeout = session.time_left(world);
    let Ok(answer) = world.ask(&query, timeout) else { return false };
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let prefix = text(mutation, "packed.prefix").unwrap_or_default();
    let members: Option<Vec<Member<'_>>> =
        answer.split('\0').filter(|entry| !entry.is_empty()).map(|entry| member(entry, prefix)).collect();
    let Some(members) = members.filter(|members| members.len() <= super::MEMBER_LIMIT) else { return false };
    // What was fetched or committed on the way is another tree than the one that was listed.
    let moved = match session.git().discover(world, dir) {
        Ok(Some(repo)) => session.git().in_motion(&repo.place().common_dir),
        _ => true,
    };
    let archive = PathBuf::from(text(mutation, "archive").unwrap_or_default());
    let top = Top::of(mutation, target.to_owned(), &archive);
    let found = compare(mutation, &top, &members, world, Overwritten::new(mutation, world, session));
    if moved {
        let why = "which files are overwritten is not known: this command itself may move what is packed";
        evidence.miss("archive", why, MissingEffect::LowersConfidence);
        if !found.loses() {
            return true;
        }
    }
    found.finish(evidence, "no existing file is overwritten by another content");
    true
}

/// `<mode> <type> <id> <size>\t<name>`
fn member<'a>(entry: &'a str, prefix: &str) -> Option<Member<'a>> {
    let (head, name) = entry.split_once('\t')?;
    let mut words = head.split_whitespace();
    let (mode, _, id, size) = (words.next()?, words.next()?, words.next()?, words.next()?);
    Some(Member {
        name: format!("{prefix}{name}"),
        size: size.parse().ok(),
        content: None,
        crc: None,
        // A link takes the place of the file.
        blob: (mode != "120000").then_some(id),
        modified: None,
    })
}

fn of_files(
    mutation: &Mutation,
    target: &Path,
    (dir, names): (&Path, &[&str]),
    world: &dyn World,
    session: &mut Session,
    evidence: &mut Evidence,
) -> bool {
    // Members that are asked for one by one, or cut names, are no whole trees.
    if names.is_empty() || mutation.facts.contains_key("strip") || text(mutation, "members").is_some() {
        return false;
    }
    let mut found = Overwritten::new(mutation, world, session);
    for name in names {
        let mut place = target.to_owned();
        for part in Path::new(name).components() {
            match part {
                Component::Normal(part) => place.push(part),
                Component::CurDir | Component::RootDir => {}
                Component::ParentDir | Component::Prefix(_) => return false,
            }
        }
        // What is there gives way, whatever comes in its place.
        match world.lstat(&place) {
            Err(LookError::NotFound) if flag(mutation, "clears") => continue,
            Ok(meta) if flag(mutation, "clears") && meta.kind == FileKind::Directory => {
                found.add_all(&place, &meta);
                continue;
            }
            _ => {}
        }
        let source = dir.join(name);
        let Ok(theirs) = world.lstat(&source) else { return false };
        match theirs.kind {
            FileKind::Directory => found.add_tree(&place, &source),
            FileKind::File => found.add_copy(&place, &source, &theirs),
            _ => return false,
        }
    }
    found.finish(evidence, "no existing file is overwritten by another content");
    true
}

/// Whether a file has the content that git names so.
pub(super) fn is_blob(id: &str, content: &[u8]) -> bool {
    git::blob_id(content, id.len()).is_some_and(|own| own == id)
}
