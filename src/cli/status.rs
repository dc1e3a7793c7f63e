//! Exit statuses that commands share.

/// `verify`, `registry refresh`: what was looked at is not valid.
pub(super) const INVALID: u8 = 1;
/// `verify`, `registry refresh`: it could not be looked at.
pub(super) const UNCHECKED: u8 = 3;
/// Bad usage or unreadable input.
pub(super) const USAGE: u8 = 2;
/// recourse itself failed.
pub(super) const INTERNAL: u8 = 70;
/// `exec`: recourse itself failed.
pub(super) const EXEC_FAILED: u8 = 125;
