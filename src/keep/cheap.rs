//! Whether what stands below a directory can be kept without copying it: for people who want to know what keeping costs.
//!
//! Owns nothing that keeping hangs on: that tries, and counts what it cost. This looks, and writes nothing.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{Access, access};

/// Why content below a directory is copied when it is kept in a store; `None` where names or blocks are shared.
pub fn why_copied(dir: &Path, store: &Path) -> Option<String> {
    if let Some(why) = of_file_system(dir) {
        return Some(why.to_owned());
    }
    // The store may not be there yet.
    let store = store.ancestors().find(|above| above.exists())?;
    if mount(dir)? == mount(store)? {
        return None;
    }
    let mut top = dir;
    while let Some(above) = top.parent()
        && mount(above) == mount(dir)
    {
        top = above;
    }
    let ours = top.join(format!(".recourse-{}", nix::unistd::geteuid()));
    let usable = ours.is_dir() || access(top, Access::WRITE_OK).is_ok();
    let same = device(top) == device(store) && device(top).is_some();
    match (same, usable) {
        // The kernel gives no file a name on another mount, even of the same file system.
        (true, _) => Some("another mount of the store's file system".to_owned()),
        (false, true) => None,
        (false, false) => Some("another file system, at whose top you may not write".to_owned()),
    }
}

fn device(path: &Path) -> Option<u64> {
    fs::metadata(path).ok().map(|meta| meta.dev())
}

/// Which mount a path is on.
#[cfg(target_os = "linux")]
fn mount(path: &Path) -> Option<u64> {
    use rustix::fs::{AtFlags, CWD, StatxFlags, statx};
    match statx(CWD, path, AtFlags::empty(), StatxFlags::MNT_ID) {
        Ok(found) if found.stx_mask & StatxFlags::MNT_ID.bits() != 0 => Some(found.stx_mnt_id),
        _ => device(path),
    }
}

/// Which mount a path is on.
#[cfg(not(target_os = "linux"))]
fn mount(path: &Path) -> Option<u64> {
    device(path)
}

/// File systems on which a file has one name and its own blocks, by the number that they go by.
#[cfg(target_os = "linux")]
const POOR: &[(i128, &str)] = &[
    (0x4d44, "FAT: no links"),
    (0x2011_bab0, "exFAT: no links"),
    (0x517b, "SMB: no links"),
    (0xff53_4d42, "CIFS: no links"),
    (0xfe53_4d42, "SMB: no links"),
    (0x0102_1997, "9p: links that the host may refuse"),
    (0x794c_7630, "overlay: what an image brought is copied whole before it gets a name"),
];

#[cfg(target_os = "linux")]
fn of_file_system(dir: &Path) -> Option<&'static str> {
    let found = rustix::fs::statfs(dir).ok()?;
    let number = i128::from(found.f_type) & 0xffff_ffff;
    POOR.iter().find(|(known, _)| *known == number).map(|(_, why)| *why)
}

#[cfg(not(target_os = "linux"))]
fn of_file_system(_dir: &Path) -> Option<&'static str> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beside_the_store_nothing_is_copied() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(why_copied(folder.path(), &folder.path().join("not/yet/there")), None);
    }
}
