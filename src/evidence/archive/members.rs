//! What an archive holds, kept so that files can be asked for one by one.

use std::path::{Path, PathBuf};

use crate::evidence::Session;
use crate::evidence::git::blob_id;
use crate::world::World;

use super::{MEMBER_LIMIT, inflated, tar, zip};

/// Largest archive that is read for this, and the most that it may unpack to, in bytes.
const PACKED_LIMIT: u64 = 16 << 20;
const PLAIN_LIMIT: usize = 32 << 20;

/// How the content of a member is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::evidence) enum Held {
    /// By git's name of it.
    Blob(String),
    /// By its checksum.
    Sum(u32),
}

/// The files of an archive.
#[derive(Debug)]
pub(in crate::evidence) struct Packed {
    files: Vec<(PathBuf, u64, Held)>,
}

impl Packed {
    /// Reads an archive; `None` for what is none, is not whole, or is too large.
    pub(in crate::evidence) fn read(
        world: &dyn World,
        session: &mut Session,
        archive: &Path,
    ) -> Option<Self> {
        let size = world.stat(archive).ok()?.size;
        if size > PACKED_LIMIT || session.bytes_left() < size || !session.in_time(world) {
            return None;
        }
        session.spend_bytes(size);
        let data = world.read_file(archive, PACKED_LIMIT).ok()?;
        let plain = inflated(&data)?;
        if plain.len() > PLAIN_LIMIT {
            return None;
        }
        let members = if tar::is_tar(&plain) {
            tar::members(&plain).filter(|_| tar::ends_clean(&plain))?
        } else if zip::is_zip(&plain) {
            zip::members(&plain)?
        } else {
            return None;
        };
        if members.len() > MEMBER_LIMIT {
            return None;
        }
        let known = members.iter().filter_map(|member| {
            let held = match (member.content, member.crc) {
                (Some(content), _) => Held::Blob(blob_id(content, 64)?),
                (None, Some(sum)) => Held::Sum(sum),
                (None, None) => return None,
            };
            let name = member.name.trim_start_matches("./");
            Some((PathBuf::from(name), member.size?, held))
        });
        Some(Self { files: known.collect() })
    }

    /// How members of this size are known whose names fit.
    pub(in crate::evidence) fn find(&self, size: u64, fits: impl Fn(&Path) -> bool) -> Option<Vec<Held>> {
        let found: Vec<Held> = (self.files.iter())
            .filter(|(name, found, _)| *found == size && fits(name))
            .map(|(.., held)| held.clone())
            .collect();
        (!found.is_empty()).then_some(found)
    }
}

/// Whether this is what a member holds.
pub(in crate::evidence) fn is_held(held: &Held, content: &[u8]) -> bool {
    match held {
        Held::Blob(id) => blob_id(content, 64).as_ref() == Some(id),
        Held::Sum(sum) => zip::crc32(content) == *sum,
    }
}
