//! Whether an archive holds nothing that does not also stand unpacked beside it.

use std::path::{Component, Path, PathBuf};

use crate::evidence::Session;
use crate::world::{FileKind, World};

use super::{MEMBER_LIMIT, Member, inflated, tar, zip};

/// Largest archive that is compared, and the most that it may unpack to, in bytes.
const PACKED_LIMIT: u64 = 16 << 20;
const PLAIN_LIMIT: usize = 32 << 20;
/// Endings of files that are tried.
const ENDINGS: [&str; 8] = [".tar", ".tgz", ".gz", ".zip", ".whl", ".jar", ".crate", ".gem"];

/// The directory or file in which all that an archive holds stands unchanged, if there is one: beside it, in a directory of its
/// own name, or in one of `dirs`. `keeps` says whether a place stays. `None` also when it cannot be told within bounds.
pub(in crate::evidence) fn elsewhere(
    world: &dyn World,
    session: &mut Session,
    archive: &Path,
    size: u64,
    dirs: &[PathBuf],
    keeps: &dyn Fn(&Path) -> bool,
) -> Option<PathBuf> {
    let name = archive.file_name()?.to_str()?;
    let ending = ENDINGS.iter().find(|ending| name.ends_with(**ending))?;
    if size > PACKED_LIMIT || session.bytes_left() < size || !session.in_time(world) {
        return None;
    }
    session.spend_bytes(size);
    let data = world.read_file(archive, PACKED_LIMIT).ok()?;
    let plain = inflated(&data)?;
    let whole = plain.len() <= PLAIN_LIMIT && (plain.len() == data.len() || ends_with_sums(&data, &plain));
    if !whole {
        return None;
    }
    let beside = archive.parent()?;
    let stem = name.strip_suffix(ending)?;
    let mut look = Look { world, session, keeps };
    if tar::is_tar(&plain) {
        let members = tar::members(&plain).filter(|_| tar::ends_clean(&plain))?;
        return look.all(&members, beside, stem.trim_end_matches(".tar"), dirs);
    }
    if zip::is_zip(&plain) {
        return look.all(&zip::members(&plain)?, beside, stem, dirs);
    }
    // One packed file.
    let file = beside.join(stem);
    let one = Member {
        blob: None,
        name: String::new(),
        size: Some(plain.len() as u64),
        content: Some(&plain),
        crc: None,
        modified: None,
    };
    (*ending == ".gz" && plain.len() != data.len() && look.same(&one, &file)).then_some(file)
}

/// Whether gzip data ends with the checksum and length of its content, so that nothing else is packed behind it.
fn ends_with_sums(data: &[u8], plain: &[u8]) -> bool {
    let Some((_, sums)) = data.split_last_chunk::<8>() else { return false };
    let [a, b, c, d, e, f, g, h] = *sums;
    u32::try_from(plain.len()).is_ok_and(|length| length == u32::from_le_bytes([e, f, g, h]))
        && zip::crc32(plain) == u32::from_le_bytes([a, b, c, d])
}

struct Look<'a> {
    world: &'a dyn World,
    session: &'a mut Session,
    keeps: &'a dyn Fn(&Path) -> bool,
}

impl Look<'_> {
    /// The directory below which every member stands unchanged.
    fn all(
        &mut self,
        members: &[Member<'_>],
        beside: &Path,
        stem: &str,
        dirs: &[PathBuf],
    ) -> Option<PathBuf> {
        if members.is_empty() || members.len() > MEMBER_LIMIT {
            return None;
        }
        let mut places = vec![beside.to_owned(), beside.join(stem)];
        places.extend(dirs.iter().cloned());
        places.dedup();
        places.into_iter().find(|place| {
            members.iter().all(|member| {
                let inside = Path::new(&member.name)
                    .components()
                    .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
                inside && self.same(member, &place.join(&member.name))
            })
        })
    }

    /// Whether a file holds exactly what a member holds, and stays.
    fn same(&mut self, member: &Member<'_>, file: &Path) -> bool {
        let Ok(meta) = self.world.lstat(file) else { return false };
        let Ok(place) = self.world.canonicalize(file) else { return false };
        if meta.kind != FileKind::File
            || member.size != Some(meta.size)
            || self.session.is_destroyed(&place)
            || !(self.keeps)(&place)
            || self.session.bytes_left() < meta.size
            || !self.session.in_time(self.world)
        {
            return false;
        }
        self.session.spend_bytes(meta.size);
        let Ok(old) = self.world.read_file(file, PLAIN_LIMIT as u64) else { return false };
        match (member.content, member.crc) {
            (Some(content), _) => content == old,
            (None, Some(crc)) => zip::crc32(&old) == crc,
            (None, None) => false,
        }
    }
}
