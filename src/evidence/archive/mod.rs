//! The archive probe: which existing files unpacking overwrites, and whether their content differs.
//!
//! Tar (plain or gzip) and zip are listed here, within bounds; nothing is unpacked to disk and no program runs. For other
//! forms what is overwritten stays unknown and is told as missing. Heeds the facts `archive`, `members` (one a line),
//! `excluded`, `strip`, `one-top-level`, `flat`, `transform`, `clears`, `no-clobber`, `update-only`, `backup`; sets those of the path probe.

mod added;
mod held;
mod members;
mod packed;
mod tar;
mod zip;

use std::path::{Component, Path, PathBuf};

use crate::model::{Evidence, Fact, FactValue, MissingEffect, Mutation, PathSubject};
use crate::world::{FileKind, LookError, Meta, World};

use super::Session;
use super::path::{Overwritten, flag};

pub(super) use added::replaces;
pub(super) use held::elsewhere;
pub(super) use members::{Packed, is_held};

/// Largest archive that is read, and the most that it may unpack to, in bytes.
const ARCHIVE_LIMIT: u64 = 32 << 20;
const CONTENT_LIMIT: usize = 128 << 20;
/// Most members that are compared with what stands there.
const MEMBER_LIMIT: usize = 20_000;

/// One file of an archive.
#[derive(Debug)]
struct Member<'a> {
    name: String,
    /// Bytes, of a regular file.
    size: Option<u64>,
    /// Content where it is at hand.
    content: Option<&'a [u8]>,
    /// Checksum where there is one.
    crc: Option<u32>,
    /// Git's name of the content where there is one.
    blob: Option<&'a str>,
    /// Last change, seconds since the epoch.
    modified: Option<i64>,
}

/// Collects evidence for unpacking an archive into a directory.
pub(super) fn probe(
    mutation: &Mutation,
    subject: &PathSubject,
    world: &dyn World,
    session: &mut Session,
    evidence: &mut Evidence,
) {
    listed(mutation, subject, world, session, evidence);
    // Whole directories may give way to what nobody could list.
    if flag(mutation, "clears") && !evidence.facts.contains_key("loss") {
        let mut found = Overwritten::new(mutation, world, session);
        found.add_unseen(Path::new(subject.path.as_known().unwrap_or(".")));
        found.finish(evidence, "");
    }
}

fn listed(
    mutation: &Mutation,
    subject: &PathSubject,
    world: &dyn World,
    session: &mut Session,
    evidence: &mut Evidence,
) {
    let unknown = |evidence: &mut Evidence, why: String| {
        evidence.miss(
            "archive",
            format!("which files are overwritten is not known: {why}"),
            MissingEffect::LowersConfidence,
        );
    };
    let Some(target) = subject.path.as_known().map(PathBuf::from).filter(|_| mutation.context.host.is_none())
    else {
        return unknown(evidence, "the directory cannot be told".to_owned());
    };
    let absolute = flag(mutation, "absolute");
    let nothing_there = match world.read_dir(&target, 2) {
        Err(LookError::NotFound) if !absolute => Some("the directory does not exist yet"),
        Ok(entries) if entries.is_empty() && !absolute => Some("the directory is empty"),
        _ => None,
    };
    if let Some(why) = nothing_there {
        return Overwritten::new(mutation, world, session).finish(evidence, why);
    }
    if packed::probe(mutation, &target, world, session, evidence) {
        return;
    }
    if let Some(piped) = text(mutation, "archive.piped") {
        return through_pipe(mutation, subject, piped, world, session, evidence);
    }
    let Some(archive) = text(mutation, "archive").map(PathBuf::from) else {
        return unknown(evidence, "the archive is not at hand".to_owned());
    };
    let found = Overwritten::new(mutation, world, session);
    let data = match world.read_file(&archive, ARCHIVE_LIMIT.min(found.bytes_left())) {
        Ok(data) => data,
        Err(error) => return unknown(evidence, format!("{}: {error}", archive.display())),
    };
    if flag(mutation, "transform") {
        return unknown(evidence, "names are changed on the way".to_owned());
    }
    let Some(plain) = inflated(&data) else {
        return unknown(evidence, unlisted(&archive, &data));
    };
    let listed = if zip::is_zip(&plain) {
        zip::members(&plain)
    } else if tar::is_tar(&plain) {
        tar::entries(&plain)
    } else {
        None
    };
    match listed.filter(|members| members.len() <= MEMBER_LIMIT) {
        None => unknown(evidence, unlisted(&archive, &plain)),
        Some(members) => {
            compare(mutation, &Top::of(mutation, target, &archive), &members, world, found)
                .finish(evidence, "no existing file is overwritten");
        }
    }
}

/// An archive that comes through a pipe is most likely what a file on the way in holds. That it overwrites something is
/// believed; that it does not is no more than a guess.
fn through_pipe(
    mutation: &Mutation,
    subject: &PathSubject,
    piped: &str,
    world: &dyn World,
    session: &mut Session,
    evidence: &mut Evidence,
) {
    let mut named = mutation.clone();
    named.facts.remove("archive.piped");
    let file = Fact::new(FactValue::Text(piped.to_owned()), "what comes through the pipe is made of this");
    named.facts.insert("archive".to_owned(), file);
    let mut found = Evidence::default();
    probe(&named, subject, world, session, &mut found);
    let loses = ["lost", "unseen"].map(|word| FactValue::Text(word.to_owned()));
    if found.facts.get("loss").is_some_and(|fact| loses.contains(&fact.value)) {
        // It is most likely those, and may be others.
        *evidence = Evidence { changed: None, ..found };
        return;
    }
    let why = "which files are overwritten is not known: the archive is not at hand";
    evidence.miss("archive", why, MissingEffect::LowersConfidence);
}

fn text<'a>(mutation: &'a Mutation, key: &str) -> Option<&'a str> {
    match &mutation.facts.get(key)?.value {
        FactValue::Text(text) => Some(text),
        _ => None,
    }
}

/// Why an archive's list cannot be had.
fn unlisted(archive: &Path, data: &[u8]) -> String {
    match foreign(data) {
        Some(form) => {
            format!("{} is packed with {form}, which is not unpacked for a look", archive.display())
        }
        None => format!("{} cannot be listed", archive.display()),
    }
}

/// The form of compression that data begins like, of those that are not read here.
fn foreign(data: &[u8]) -> Option<&'static str> {
    const FORMS: [(&[u8], &str); 6] = [
        (b"\xfd7zXZ\0", "xz"),
        (b"\x28\xb5\x2f\xfd", "zstd"),
        (b"BZh", "bzip2"),
        (b"7z\xbc\xaf\x27\x1c", "7-Zip"),
        (b"Rar!", "RAR"),
        (b"\x04\x22\x4d\x18", "LZ4"),
    ];
    FORMS.iter().find(|(start, _)| data.starts_with(start)).map(|(_, form)| *form)
}

/// The data without gzip around it; `None` when it cannot be taken off within bounds.
fn inflated(data: &[u8]) -> Option<std::borrow::Cow<'_, [u8]>> {
    if !data.starts_with(&[0x1f, 0x8b]) {
        return Some(data.into());
    }
    let flags = *data.get(3)?;
    let mut at = 10_usize;
    if flags & 4 != 0 {
        let extra = u16::from_le_bytes([*data.get(at)?, *data.get(at + 1)?]);
        at += 2 + usize::from(extra);
    }
    for bit in [8, 16] {
        if flags & bit != 0 {
            at += data.get(at..)?.iter().position(|byte| *byte == 0)? + 1;
        }
    }
    if flags & 2 != 0 {
        at += 2;
    }
    miniz_oxide::inflate::decompress_to_vec_with_limit(data.get(at..)?, CONTENT_LIMIT).ok().map(Into::into)
}

/// The archive's name without its endings, for `--one-top-level`.
fn stem(archive: &Path) -> String {
    let name = archive.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let short = [".tar.gz", ".tgz", ".tar", ".tar.xz", ".tar.bz2", ".zip"]
        .iter()
        .find_map(|end| name.strip_suffix(end));
    short.map_or(name.clone(), str::to_owned)
}

/// Where an archive's members go.
struct Top {
    target: PathBuf,
    /// The directory below it in which all are put that do not begin with its name.
    dir: Option<PathBuf>,
}

impl Top {
    fn of(mutation: &Mutation, target: PathBuf, archive: &Path) -> Self {
        let own = flag(mutation, "one-top-level").then(|| stem(archive));
        let dir = text(mutation, "one-top-level").map(str::to_owned).or(own).map(PathBuf::from);
        Self { target, dir }
    }

    /// Below which directory a member of this name goes.
    fn under(&self, name: &str) -> PathBuf {
        let name = name.trim_start_matches("./");
        match &self.dir {
            Some(dir) if !Path::new(name).starts_with(dir) => self.target.join(dir),
            _ => self.target.clone(),
        }
    }
}

fn compare<'a>(
    mutation: &Mutation,
    top: &Top,
    members: &[Member<'_>],
    world: &dyn World,
    mut found: Overwritten<'a>,
) -> Overwritten<'a> {
    let wanted: Option<Vec<&str>> = text(mutation, "members").map(|list| list.lines().collect());
    let excluded: Vec<&str> =
        text(mutation, "excluded").map(|list| list.lines().collect()).unwrap_or_default();
    for member in members {
        if excluded.contains(&member.name.as_ref()) {
            continue;
        }
        if wanted
            .as_ref()
            .is_some_and(|wanted| !wanted.iter().any(|name| is_wanted(mutation, &member.name, name)))
        {
            continue;
        }
        let Some(place) = place(mutation, &top.under(&member.name), &member.name) else { continue };
        let meta = match world.lstat(&place) {
            Ok(meta) => meta,
            // Bytes that are no valid text became another name.
            Err(LookError::NotFound) if member.name.contains(char::REPLACEMENT_CHARACTER) => {
                found.add_unseen(&place);
                continue;
            }
            Err(LookError::NotFound) => continue,
            Err(_) => {
                found.add_unseen(&place);
                continue;
            }
        };
        if meta.kind == FileKind::Directory && flag(mutation, "clears") {
            found.add_all(&place, &meta);
        }
        if meta.kind != FileKind::Directory {
            found.meets(&place);
        }
        if meta.kind == FileKind::File && meta.size > 0 && overwrites(mutation, member, &place, &meta, world)
        {
            found.add(&place, &meta);
            if let Some((older, meta)) = older_backup(mutation, &place, world) {
                found.displaces(&older, &meta);
            }
        }
    }
    found
}

/// An older backup whose name the new one takes.
fn older_backup(mutation: &Mutation, place: &Path, world: &dyn World) -> Option<(PathBuf, Meta)> {
    let suffix = text(mutation, "backup-suffix")?;
    let beside = |end: &str| PathBuf::from(format!("{}{end}", place.display()));
    if !flag(mutation, "backup-plain") && world.lstat(&beside(".~1~")).is_ok() {
        return None;
    }
    let older = beside(suffix);
    let meta = world.lstat(&older).ok().filter(|meta| meta.kind == FileKind::File && meta.size > 0)?;
    Some((older, meta))
}

/// A member that was asked for by its name, by a directory above it, or perhaps by a pattern.
fn is_wanted(mutation: &Mutation, member: &str, wanted: &str) -> bool {
    if flag(mutation, "any-case") && member.eq_ignore_ascii_case(wanted) {
        return true;
    }
    let wanted = wanted.trim_end_matches('/').trim_start_matches("./");
    let member = member.trim_start_matches("./");
    wanted.contains(['*', '?', '['])
        || member == wanted
        || member.strip_prefix(wanted).is_some_and(|r| r.starts_with('/'))
}

/// Where a member lands; `None` where programs refuse it.
fn place(mutation: &Mutation, target: &Path, name: &str) -> Option<PathBuf> {
    // With `-P` a name is taken as it stands.
    if flag(mutation, "absolute") && (name.starts_with('/') || name.split('/').any(|part| part == "..")) {
        return Some(target.join(name));
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in Path::new(name).components() {
        match part {
            Component::Normal(part) => parts.push(part.to_str()?),
            Component::ParentDir if flag(mutation, "inward") => {}
            Component::ParentDir => return None,
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
    }
    let strip = match mutation.facts.get("strip").map(|fact| &fact.value) {
        Some(FactValue::Number(count)) => usize::try_from(*count).unwrap_or(0),
        _ => 0,
    };
    let parts = parts.get(strip..)?;
    if flag(mutation, "flat") {
        return parts.last().map(|name| target.join(name));
    }
    (!parts.is_empty()).then(|| parts.iter().fold(target.to_owned(), |path, part| path.join(part)))
}

fn overwrites(
    mutation: &Mutation,
    member: &Member<'_>,
    place: &Path,
    meta: &Meta,
    world: &dyn World,
) -> bool {
    if flag(mutation, "no-clobber") {
        return false;
    }
    if flag(mutation, "update-only") && member.modified.is_some_and(|time| time <= meta.modified.0) {
        return false;
    }
    if member.size != Some(meta.size) {
        return true;
    }
    let Ok(old) = world.read_file(place, ARCHIVE_LIMIT) else { return true };
    match (member.content, member.crc, member.blob) {
        (Some(content), _, _) => content != old,
        (None, Some(crc), _) => zip::crc32(&old) != crc,
        (None, None, Some(id)) => !packed::is_blob(id, &old),
        (None, None, None) => true,
    }
}

#[cfg(test)]
mod tests;
