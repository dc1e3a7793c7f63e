//! The object store: whether it really has an object, and whether what it has of a file is the file's content.

use std::cell::OnceCell;
use std::path::Path;

use crate::world::{LookError, World};

use super::digest::{content, hex};
use super::index::Index;
use super::repository::GitRepo;

/// Largest list of a pack's objects that is read, in bytes (about 250,000 objects); of a larger one it is taken that it has
/// what the index names.
const PACK_LIMIT: u64 = 8 << 20;
/// Packs that are looked into.
const PACKS: usize = 200;
/// Largest attribute file that is read, in bytes.
const ATTRIBUTES_LIMIT: u64 = 1 << 20;

/// What is known of a store, read once.
#[derive(Debug, Default)]
pub(super) struct Store {
    packs: OnceCell<Packs>,
    filters: OnceCell<bool>,
}

#[derive(Debug, Default)]
struct Packs {
    /// Lists of objects, in git's own form.
    lists: Vec<Vec<u8>>,
    /// Something else may have objects: another store, a list too long to read, a directory that could not be seen.
    unseen: bool,
}

impl Packs {
    fn read(world: &dyn World, objects: &Path) -> Self {
        let unseen = !matches!(world.lstat(&objects.join("info/alternates")), Err(LookError::NotFound));
        let mut found = Self { unseen, ..Self::default() };
        let folder = objects.join("pack");
        let entries = match world.read_dir(&folder, PACKS * 4) {
            Ok(entries) => entries,
            Err(LookError::NotFound) => return found,
            Err(_) => {
                found.unseen = true;
                return found;
            }
        };
        for entry in entries {
            let path = folder.join(&entry.name);
            if path.extension().is_some_and(|end| end == "idx") {
                match world.read_file(&path, PACK_LIMIT) {
                    Ok(list) if list.starts_with(b"\xfftOc\0\0\0\x02") => found.lists.push(list),
                    _ => found.unseen = true,
                }
            }
        }
        found
    }
}

/// Whether a pack's list names an object: 256 counts by first byte, then the ids in order.
fn lists(list: &[u8], id: &[u8]) -> bool {
    let count = |slot: usize| -> Option<usize> {
        let at = 8 + slot * 4;
        let bytes: [u8; 4] = list.get(at..at + 4)?.try_into().ok()?;
        Some(u32::from_be_bytes(bytes) as usize)
    };
    let Some(first) = id.first().map(|byte| usize::from(*byte)) else { return false };
    let from = if first == 0 { Some(0) } else { count(first - 1) };
    let (Some(mut low), Some(mut high)) = (from, count(first)) else { return false };
    while low < high {
        let middle = low + (high - low) / 2;
        let at = 8 + 1024 + middle * id.len();
        let Some(known) = list.get(at..at + id.len()) else { return false };
        match known.cmp(id) {
            std::cmp::Ordering::Equal => return true,
            std::cmp::Ordering::Less => low = middle + 1,
            std::cmp::Ordering::Greater => high = middle,
        }
    }
    false
}

impl GitRepo {
    /// Whether the store has this object: of a damaged or partial one the index may name what is not there.
    pub(super) fn holds(&self, world: &dyn World, id: &[u8]) -> bool {
        let packs =
            self.store().packs.get_or_init(|| Packs::read(world, &self.place().common_dir.join("objects")));
        packs.lists.iter().any(|list| lists(list, id)) || packs.unseen || self.has_loose_object(world, id)
    }

    /// Whether attributes have git keep something else than a file's bytes: filters, `ident`, another encoding.
    pub(super) fn filters(&self, world: &dyn World, index: &Index) -> bool {
        *self.store().filters.get_or_init(|| {
            let mut files = vec![self.place().common_dir.join("info/attributes")];
            files.extend(self.config(world).get("core.attributesFile").map(std::path::PathBuf::from));
            if let Some(top) = self.work_tree() {
                files.push(top.join(".gitattributes"));
                let nested = index.entries().iter().map(|entry| index.path(entry));
                files.extend(
                    nested
                        .filter(|path| path.ends_with(b"/.gitattributes"))
                        .filter_map(|path| std::str::from_utf8(path).ok())
                        .map(|path| top.join(path)),
                );
            }
            files.iter().any(|file| match world.read_file(file, ATTRIBUTES_LIMIT) {
                Ok(text) => String::from_utf8_lossy(&text).split_whitespace().any(|word| {
                    word == "ident"
                        || ["filter=", "working-tree-encoding="].iter().any(|w| word.starts_with(w))
                }),
                Err(error) => error != LookError::NotFound,
            })
        })
    }

    /// Whether git's large file storage here has this content.
    pub(super) fn in_large_files(&self, world: &dyn World, bytes: &[u8]) -> bool {
        let id = hex(&content(bytes));
        let place = self.place().common_dir.join("lfs/objects");
        world.lstat(&place.join(&id[..2]).join(&id[2..4]).join(&id)).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::lists;

    #[test]
    fn a_packs_list_is_searched_by_id() {
        let ids = [[0x00; 20], [0x10; 20], [0x11; 20], [0xff; 20]];
        let mut list = b"\xfftOc\0\0\0\x02".to_vec();
        for byte in 0..=255u8 {
            let count = ids.iter().filter(|id| id[0] <= byte).count() as u32;
            list.extend(count.to_be_bytes());
        }
        ids.iter().for_each(|id| list.extend(id));
        assert!(ids.iter().all(|id| lists(&list, id)));
        assert!(!lists(&list, &[0x12; 20]) && !lists(&list, &[0x01; 20]));
        assert!(!lists(&list[..900], &[0x10; 20]) && !lists(&[], &[0x10; 20]), "a damaged list has nothing");
    }
}
