//! Full files of the audit log in the store that machines share (docs/fleet.md), where a machine's own disk may be gone
//! tomorrow.
//!
//! Owns which files are there already. A file goes there once, under a name of this log alone, is read back, and is only
//! then one that may be taken away here.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::{AuditError, AuditLog, disk};
use crate::disk::{Access, Lock};
use crate::document::hex;
use crate::fleet::Shared;

/// After so long a store that did not take a file is asked again.
const AGAIN: Duration = Duration::from_secs(600);
/// Larger files do not go through the conversation with the store: `record.segment_mib` is 16 unless configured.
const LIMIT: u64 = 24 << 20;

/// What was put there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shipped {
    /// Files.
    pub segments: usize,
    /// Bytes.
    pub bytes: u64,
    /// The number of the last event that is there; 0 where there is none.
    pub last: u64,
}

impl AuditLog {
    /// Puts the full files there that are not yet; with `all`, the file that is written to is closed first.
    ///
    /// # Errors
    /// When the store does not clearly say that it has them, or a file cannot be read. What is there stays.
    pub fn ship(&self, shared: &Shared, all: bool) -> Result<Shipped, AuditError> {
        if !self.log.parent().is_some_and(|folder| folder.is_dir()) {
            return Ok(Shipped::default());
        }
        if all {
            self.close()?;
        }
        let stream = self.stream()?;
        let mut done = Shipped { last: self.stored()?, ..Shipped::default() };
        for closed in self.closed()? {
            if closed.last <= done.last {
                continue;
            }
            let Some(bytes) = disk::read_private(&closed.path, LIMIT)? else { continue };
            let size = bytes.len() as u64;
            // A torn line may end in the middle of a letter.
            let (body, end) = match String::from_utf8(bytes) {
                Ok(text) => (text, "jsonl"),
                Err(error) => (STANDARD.encode(error.as_bytes()), "jsonl.base64"),
            };
            let at = format!("audit/{stream}/audit-{:012}.{end}", closed.last);
            if shared.put(&at, &body)?.is_none() {
                return Err(AuditError::Taken { place: format!("{}: {at}", shared.address()) });
            }
            done = Shipped { segments: done.segments + 1, bytes: done.bytes + size, last: closed.last };
            disk::write_atomic(&self.stored_path(), closed.last.to_string().as_bytes(), Access::Private)?;
        }
        Ok(done)
    }

    /// Puts full files there that are not yet. What the store does not take stays here, and it is not asked again at once.
    pub(super) fn ship_sometimes(&self, shared: &Shared) {
        let waits = || {
            Ok::<_, AuditError>(
                self.closed()?.last().is_some_and(|last| last.last > self.stored().unwrap_or(0)),
            )
        };
        let tried = self.log.with_file_name("audit.tried");
        let since = fs::metadata(&tried).and_then(|found| found.modified()).ok();
        let since = since.and_then(|then| SystemTime::now().duration_since(then).ok());
        if since.is_none_or(|since| since > AGAIN)
            && waits().unwrap_or(false)
            && disk::write_atomic(&tried, b"", Access::Private).is_ok()
            && self.ship(shared, false).is_ok()
        {
            let _ = fs::remove_file(&tried);
        }
    }

    /// Ends the file that is written to, as if it were full.
    pub(super) fn close(&self) -> Result<(), AuditError> {
        let _lock = Lock::acquire(&self.lock_path())?;
        let (mut file, _) = self.current()?;
        let size = self.size(&file)?;
        if size > 0 {
            let mut end = self.end(&mut file, size, true)?;
            self.rotate(&file, size, &mut end.head)?;
        }
        Ok(())
    }

    /// The number of the last event that is in the store.
    pub(super) fn stored(&self) -> Result<u64, AuditError> {
        let Some(bytes) = disk::read_private(&self.stored_path(), 64)? else { return Ok(0) };
        Ok(std::str::from_utf8(&bytes).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0))
    }

    fn stored_path(&self) -> PathBuf {
        self.log.with_file_name("audit.stored")
    }

    /// What this log is called there: random, and the same for as long as it goes on.
    fn stream(&self) -> Result<String, AuditError> {
        let path = self.log.with_file_name("audit.stream");
        let mut own = [0; 16];
        getrandom::fill(&mut own)
            .map_err(|_| disk::io_error("cannot name", &path)(std::io::ErrorKind::Other.into()))?;
        disk::create_exclusive(&path, hex(&own).as_bytes(), Access::Private)?;
        let named = disk::read_private(&path, 64)?.and_then(|bytes| String::from_utf8(bytes).ok());
        let good = named.filter(|name| crate::document::is_nonce(name));
        good.ok_or(AuditError::Head { path })
    }
}
