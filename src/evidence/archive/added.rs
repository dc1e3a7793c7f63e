//! Whether members that an archive has are replaced by what is put into it.

use std::path::{Path, PathBuf};

use crate::evidence::Session;
use crate::world::{LookError, World};

use super::{ARCHIVE_LIMIT, CONTENT_LIMIT, MEMBER_LIMIT, zip};

/// Whether putting `names` (one a line, below one of the directories `from`) into an archive replaces a member by another
/// content. `None` when it cannot be told.
pub(in crate::evidence) fn replaces(
    world: &dyn World,
    session: &mut Session,
    archive: &Path,
    names: &str,
    from: &[PathBuf],
) -> Option<bool> {
    if !session.in_time(world) {
        return None;
    }
    let data = world.read_file(archive, ARCHIVE_LIMIT.min(session.bytes_left())).ok()?;
    session.spend_bytes(data.len() as u64);
    let members = zip::members(&data).filter(|members| members.len() <= MEMBER_LIMIT)?;
    let [from] = from else { return None };
    for member in &members {
        for name in names.lines() {
            let Some(rest) = below(&member.name, name) else { continue };
            let file = if rest.is_empty() { from.join(name) } else { from.join(name).join(rest) };
            match world.stat(&file) {
                Err(LookError::NotFound) => {}
                Ok(meta) if member.size == Some(meta.size) => {
                    session.spend_bytes(meta.size);
                    let new = world.read_file(&file, CONTENT_LIMIT as u64).ok()?;
                    if member.crc != Some(zip::crc32(&new)) {
                        return Some(true);
                    }
                }
                _ => return Some(true),
            }
        }
    }
    Some(false)
}

/// What stands in a member's name behind one that is put in, whole or by its last component alone.
fn below<'a>(member: &'a str, name: &str) -> Option<&'a str> {
    let mut whole = name.trim_end_matches('/').trim_start_matches('/');
    while let Some(rest) = whole.strip_prefix("./") {
        whole = rest;
    }
    if matches!(whole, "" | "." | "*") {
        return Some(member);
    }
    let last = whole.rsplit('/').next().unwrap_or(whole);
    [whole, last].iter().find_map(|own| {
        let rest = member.strip_prefix(own)?;
        if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
    })
}

#[cfg(test)]
mod tests {
    use super::below;

    #[test]
    fn names_and_what_is_below_them_are_members() {
        assert_eq!(below("docs/a.txt", "docs"), Some("a.txt"));
        assert_eq!(below("docs/a.txt", "./docs/"), Some("a.txt"));
        assert_eq!(below("docs/a.txt", "."), Some("docs/a.txt"));
        assert_eq!(below("a.txt", "docs/a.txt"), Some(""));
        assert_eq!(below("docs2/a.txt", "docs"), None);
    }
}
