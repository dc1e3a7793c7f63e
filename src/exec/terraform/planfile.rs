//! Where a plan is kept between planning and applying: a file without a name, so that nothing is left behind however
//! the process ends, and nobody can put another plan in its place.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::fd::{AsRawFd, OwnedFd};

use sha2::{Digest, Sha256};

use crate::attest::document::hex;

/// A private, nameless file that child processes inherit.
#[derive(Debug)]
pub(super) struct PlanFile {
    file: File,
}

impl PlanFile {
    /// An empty one.
    ///
    /// # Errors
    /// When the system gives none.
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self { file: File::from(nameless()?) })
    }

    /// A copy of what `source` holds now: a later change of that file changes nothing here.
    ///
    /// # Errors
    /// When the source cannot be read, or is larger than `limit` bytes.
    pub(super) fn copy_of(mut source: File, limit: u64) -> io::Result<Self> {
        let mut plan = Self::new()?;
        let copied = io::copy(&mut (&mut source).take(limit + 1), &mut plan.file)?;
        if copied > limit {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "the plan file is too large"));
        }
        plan.file.flush()?;
        plan.file.rewind()?;
        Ok(plan)
    }

    /// The path by which this process and its children reach the file.
    pub(super) fn path(&self) -> String {
        let root = if cfg!(target_os = "linux") { "/proc/self/fd" } else { "/dev/fd" };
        format!("{root}/{}", self.file.as_raw_fd())
    }

    /// From now on nobody can change it, not even a program that runs as the same user.
    ///
    /// # Errors
    /// When the system refuses. Without seals (not Linux) this does nothing.
    pub(super) fn seal(&self) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        {
            use nix::fcntl::{FcntlArg, SealFlag, fcntl};
            let all = SealFlag::F_SEAL_WRITE
                | SealFlag::F_SEAL_GROW
                | SealFlag::F_SEAL_SHRINK
                | SealFlag::F_SEAL_SEAL;
            fcntl(&self.file, FcntlArg::F_ADD_SEALS(all))?;
        }
        Ok(())
    }

    /// SHA-256 of what it holds, lower-case hexadecimal.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(super) fn sha256(&self) -> io::Result<String> {
        let mut hash = Sha256::new();
        let mut content = File::open(self.path())?;
        let mut buffer = vec![0; 1 << 16];
        loop {
            match content.read(&mut buffer)? {
                0 => return Ok(hex(&hash.finalize())),
                count => hash.update(buffer.get(..count).unwrap_or_default()),
            }
        }
    }

    /// Size in bytes.
    ///
    /// # Errors
    /// When it cannot be told.
    pub(super) fn size(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }
}

#[cfg(target_os = "linux")]
fn nameless() -> io::Result<OwnedFd> {
    use nix::sys::memfd::{MFdFlags, memfd_create};
    // Not close-on-exec: terraform must find it open.
    Ok(memfd_create("recourse-plan", MFdFlags::MFD_ALLOW_SEALING)?)
}

#[cfg(not(target_os = "linux"))]
fn nameless() -> io::Result<OwnedFd> {
    use nix::fcntl::{FcntlArg, FdFlag, fcntl};
    use std::os::unix::fs::OpenOptionsExt;
    let name = format!("recourse-{}-{:?}", std::process::id(), std::time::SystemTime::now());
    let path = std::env::temp_dir().join(name.replace(|c: char| !c.is_ascii_alphanumeric(), "-"));
    let file = File::options().read(true).write(true).create_new(true).mode(0o600).open(&path)?;
    std::fs::remove_file(&path)?;
    fcntl(&file, FcntlArg::F_SETFD(FdFlag::empty()))?;
    Ok(file.into())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::PlanFile;

    #[test]
    fn it_is_reached_by_its_path_and_sealed_against_change() {
        let plan = PlanFile::new().unwrap();
        std::fs::write(plan.path(), b"plan").unwrap();
        assert_eq!(plan.size().unwrap(), 4);
        plan.seal().unwrap();
        assert_eq!(std::fs::read(plan.path()).unwrap(), b"plan");
        assert_eq!(
            plan.sha256().unwrap(),
            "64879f7d6b960a01909762d911a32d4582c20010c5641ee90278b644a9e3b525"
        );
        if cfg!(target_os = "linux") {
            let mut again = std::fs::File::options().write(true).open(plan.path()).unwrap();
            assert!(again.write_all(b"x").is_err());
        }
    }

    #[test]
    fn a_copy_does_not_follow_its_source() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("p");
        std::fs::write(&source, b"one").unwrap();
        let plan = PlanFile::copy_of(std::fs::File::open(&source).unwrap(), 100).unwrap();
        std::fs::write(&source, b"two").unwrap();
        assert_eq!(std::fs::read(plan.path()).unwrap(), b"one");
        assert!(PlanFile::copy_of(std::fs::File::open(&source).unwrap(), 2).is_err());
    }
}
