//! Which calls of which machine lose content, names or rights, by their numbers.

use nix::libc::{self, c_long};

/// What a call does, and where its arguments stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `open(path, flags)`
    #[cfg_attr(target_arch = "aarch64", allow(dead_code))]
    Open,
    /// `openat(dir, path, flags)`
    OpenAt,
    /// `openat2(dir, path, how)`
    OpenAt2,
    /// `creat(path)`
    #[cfg_attr(target_arch = "aarch64", allow(dead_code))]
    Creat,
    /// `truncate(path)`
    Truncate,
    /// `ftruncate(fd)`
    FTruncate,
    /// `unlink(path)`, `rmdir(path)`
    #[cfg_attr(target_arch = "aarch64", allow(dead_code))]
    Unlink,
    /// `unlinkat(dir, path)`
    UnlinkAt,
    /// `rename(from, to)`
    #[cfg_attr(target_arch = "aarch64", allow(dead_code))]
    Rename,
    /// `renameat(dir, from, dir, to)`
    RenameAt,
    /// `renameat2(dir, from, dir, to, flags)`
    RenameAt2,
    /// `link(from, to)`
    #[cfg_attr(target_arch = "aarch64", allow(dead_code))]
    Link,
    /// `linkat(dir, from, dir, to, flags)`
    LinkAt,
    /// `chmod(path)`, `chown(path)`
    #[cfg_attr(target_arch = "aarch64", allow(dead_code))]
    Rights,
    /// `fchmodat(dir, path)`, `fchownat(dir, path)`
    RightsAt,
    /// `fchmod(fd)`, `fchown(fd)`
    RightsOf,
    /// `open_by_handle_at(dir, handle, flags)`
    Handle,
    /// `io_uring_setup`
    Rings,
}

/// Each machine whose calls this kernel takes, and those of them that are looked at.
pub(super) const ALL: &[(u32, &[(c_long, Kind)])] = &[
    #[cfg(target_arch = "x86_64")]
    (0xc000_003e, OWN),
    #[cfg(target_arch = "x86_64")]
    (0x4000_0003, I386),
    #[cfg(target_arch = "aarch64")]
    (0xc000_00b7, OWN),
];

/// The calls of a machine.
pub(super) fn of(machine: u32) -> &'static [(c_long, Kind)] {
    ALL.iter().find(|(known, _)| *known == machine).map_or(&[], |(_, calls)| calls)
}

/// Of the machine that this is built for.
const OWN: &[(c_long, Kind)] = &[
    (libc::SYS_openat, Kind::OpenAt),
    (libc::SYS_openat2, Kind::OpenAt2),
    (libc::SYS_truncate, Kind::Truncate),
    (libc::SYS_ftruncate, Kind::FTruncate),
    (libc::SYS_unlinkat, Kind::UnlinkAt),
    (libc::SYS_renameat, Kind::RenameAt),
    (libc::SYS_renameat2, Kind::RenameAt2),
    (libc::SYS_linkat, Kind::LinkAt),
    (libc::SYS_fchmodat, Kind::RightsAt),
    (FCHMODAT2, Kind::RightsAt),
    (libc::SYS_fchownat, Kind::RightsAt),
    (libc::SYS_fchmod, Kind::RightsOf),
    (libc::SYS_fchown, Kind::RightsOf),
    (libc::SYS_open_by_handle_at, Kind::Handle),
    (libc::SYS_io_uring_setup, Kind::Rings),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, Kind::Open),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_creat, Kind::Creat),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_unlink, Kind::Unlink),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_rmdir, Kind::Unlink),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_rename, Kind::Rename),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_link, Kind::Link),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, Kind::Rights),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chown, Kind::Rights),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_lchown, Kind::Rights),
];

/// The same number on all machines, too new for the C library's list.
const FCHMODAT2: c_long = 452;

/// Of programs of 32 bits (`arch/x86/entry/syscalls/syscall_32.tbl` of Linux).
#[cfg(target_arch = "x86_64")]
const I386: &[(c_long, Kind)] = &[
    (5, Kind::Open),
    (8, Kind::Creat),
    (9, Kind::Link),
    (10, Kind::Unlink),
    (15, Kind::Rights),
    (16, Kind::Rights),
    (38, Kind::Rename),
    (40, Kind::Unlink),
    (92, Kind::Truncate),
    (93, Kind::FTruncate),
    (94, Kind::RightsOf),
    (95, Kind::RightsOf),
    (182, Kind::Rights),
    (193, Kind::Truncate),
    (194, Kind::FTruncate),
    (198, Kind::Rights),
    (207, Kind::RightsOf),
    (212, Kind::Rights),
    (295, Kind::OpenAt),
    (298, Kind::RightsAt),
    (301, Kind::UnlinkAt),
    (302, Kind::RenameAt),
    (303, Kind::LinkAt),
    (306, Kind::RightsAt),
    (342, Kind::Handle),
    (353, Kind::RenameAt2),
    (425, Kind::Rings),
    (437, Kind::OpenAt2),
    (FCHMODAT2, Kind::RightsAt),
];
