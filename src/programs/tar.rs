//! `tar`: what it packs, and where to.

use crate::effects::program::{Packed, Scene, directories, named};
use crate::knowledge::Match;
use crate::shell::Packing;

/// Options of tar by which not all that is named is packed, or under other names.
const OTHERWISE: [&str; 25] = [
    "--checkpoint-action",
    "--exclude",
    "--exclude-ignore",
    "--exclude-ignore-recursive",
    "--exclude-tag",
    "--exclude-tag-all",
    "--exclude-tag-under",
    "--exclude-vcs",
    "--exclude-vcs-ignores",
    "--exclude-backups",
    "--exclude-caches",
    "--exclude-caches-all",
    "--exclude-caches-under",
    "-T",
    "-X",
    "--no-recursion",
    "-K",
    "--newer-mtime",
    "-N",
    "--one-file-system",
    "-g",
    "-w",
    "--transform",
    "-P",
    "--add-file",
];

/// See [`Room::Tar`](crate::knowledge::Room::Tar).
pub(super) struct Tar;

impl super::Program for Tar {
    fn packs(&self, scene: &Scene<'_>, matched: &Match) -> Option<Packed> {
        if !matched.has("-c") {
            return None;
        }
        let into = match matched.value("-f").filter(|file| file.as_known() != Some("-")) {
            Some(file) => Some(scene.only_path(file)?),
            None => None,
        };
        Some(Packed { into, packing: packed(scene, matched) })
    }
}

/// What is packed, wherever to.
fn packed(scene: &Scene<'_>, matched: &Match) -> Option<Packing> {
    if OTHERWISE.iter().any(|key| matched.has(key)) || matched.cwd().len() > 1 {
        return None;
    }
    let [dir] = <[_; 1]>::try_from(directories(scene, matched)).ok()?;
    Some(Packing { dir, tree: None, names: named(matched, "member")?, prefix: String::new() })
}
