//! The folder of requests and approvals.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::unistd::geteuid;
use serde_json::Value;

use crate::attest::disk::{self, Access, DiskError, Lock};
use crate::attest::time::Time;
use crate::attest::{Attestation, Failure, Places, Reason};
use crate::order;
use crate::proof::{Gate, Judged};

use super::entry::{Asked, Entry, State, Uses, VERSION, is_id};

/// How long a request waits, and how long an approval holds.
pub const WINDOW: Duration = Duration::from_secs(15 * 60);
/// Requests that wait at the same time, at most.
const MOST: usize = 200;
/// A file larger than this is none of ours.
const FILE_LIMIT: u64 = 1 << 20;

/// Why the store cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ApprovalError {
    /// A file or folder.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// The folder cannot be listed.
    #[error("cannot list {}: {source}", path.display())]
    List {
        /// The folder.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// A file that is none of ours.
    #[error("{} is not an approval that recourse wrote: remove it", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// There is no such request.
    #[error("there is no request {0}: it was decided, it expired, or it was made by another user")]
    Unknown(String),
    /// Not an id at all.
    #[error("{0:?} is not the id of a request: it has 12 characters from 0-9 and a-f")]
    Id(String),
    /// It changed between being shown and being decided.
    #[error("request {0} changed while it was shown: look at it again")]
    Changed(String),
    /// What should prove it does not.
    #[error("approval {id} is not proven, so it was removed and has to be given again: {failure}")]
    Unproven {
        /// Its id.
        id: String,
        /// What is wrong with its attestation.
        failure: Failure,
    },
    /// The directory.
    #[error("the directory's name is not valid UTF-8, so no approval can name it")]
    Directory,
    /// Too many.
    #[error("{MOST} requests wait already: decide some, or let them expire")]
    Full,
}

/// What became of what is asked.
#[derive(Clone, Debug, PartialEq)]
pub enum Taken {
    /// Nobody has decided.
    Nothing,
    /// A person said yes; a single use is spent now.
    Approved(Box<Entry>),
    /// A person said yes to the same words with other files: what is not any more what it was, in words.
    Changed(String),
    /// A person said no.
    Denied,
}

/// What an approval has to show before it counts.
#[derive(Clone, Copy)]
pub enum Demand<'a> {
    /// That it stands in the store.
    Stored,
    /// That this user approved it in an attestation of this instance, which follows that of the evaluation.
    Attested {
        /// Verifies it.
        gate: &'a Gate<'a>,
        /// What is about to run.
        judged: Judged<'a>,
    },
}

/// The store.
#[derive(Clone, Debug)]
pub struct Approvals {
    folder: PathBuf,
}

impl Approvals {
    /// The user's store.
    ///
    /// # Errors
    /// When its folder cannot be made, or others can get at it.
    pub fn open(places: &Places) -> Result<Self, ApprovalError> {
        let folder = places.state.join("approvals");
        disk::private_dir(&folder)?;
        Ok(Self { folder })
    }

    /// Takes away what ended, where anybody ever asked.
    ///
    /// # Errors
    /// When the folder or a file cannot be used.
    pub fn tidy(places: &Places) -> Result<(), ApprovalError> {
        if disk::check_dir(&places.state.join("approvals"))? {
            let store = Self::open(places)?;
            let _lock = store.lock()?;
            store.sweep(now())?;
        }
        Ok(())
    }

    /// Writes a request down, or gives the one that waits already. `evaluation` is its attestation, if there is one.
    ///
    /// # Errors
    /// [`ApprovalError`].
    pub fn request(
        &self,
        asked: &Asked<'_>,
        evaluation: Option<&Attestation>,
    ) -> Result<Entry, ApprovalError> {
        let now = now();
        let mut entry = self.entry(asked, now)?;
        entry.evaluation = evaluation.map(Attestation::to_value);
        let _lock = self.lock()?;
        let waiting = self.sweep(now)?;
        if let Some(there) = self.read(&entry.id)?
            && there.same(&entry)
            && !there.is_over(now)
        {
            // Asked again: the same request, with its full time.
            if there.state != State::Requested {
                return Ok(there);
            }
        } else if waiting >= MOST {
            return Err(ApprovalError::Full);
        }
        self.write(&entry)?;
        Ok(entry)
    }

    /// The request with this id.
    ///
    /// # Errors
    /// [`ApprovalError`], also when there is none.
    pub fn get(&self, id: &str) -> Result<Entry, ApprovalError> {
        if !is_id(id) {
            return Err(ApprovalError::Id(id.to_owned()));
        }
        let unknown = || ApprovalError::Unknown(id.to_owned());
        let entry = self.read(id)?.ok_or_else(unknown)?;
        if entry.is_over(now()) || entry.user != user() { Err(unknown()) } else { Ok(entry) }
    }

    /// A person's yes to exactly the request that was shown, for this long.
    ///
    /// # Errors
    /// [`ApprovalError`], also when it changed meanwhile.
    pub fn approve(
        &self,
        seen: &Entry,
        uses: Uses,
        holds: Duration,
        by: &str,
        approval: Option<&Attestation>,
    ) -> Result<Entry, ApprovalError> {
        self.decide(seen, |entry| {
            entry.state = State::Approved;
            entry.uses = uses;
            entry.expires = now().saturating_add(millis(holds));
            entry.by = Some(by.to_owned());
            entry.approval = approval.map(Attestation::to_value);
        })
    }

    /// A person's no, which holds as long as a yes would.
    ///
    /// # Errors
    /// As [`Approvals::approve`].
    pub fn deny(&self, seen: &Entry, by: &str) -> Result<Entry, ApprovalError> {
        self.decide(seen, |entry| {
            entry.state = State::Denied;
            entry.expires = now().saturating_add(millis(WINDOW));
            entry.by = Some(by.to_owned());
        })
    }

    /// Whether this was approved. A single use is gone from the disk before this says so, and so is what does not show what
    /// is demanded of it.
    ///
    /// # Errors
    /// [`ApprovalError`]; the caller must take that for a no.
    pub fn take(&self, asked: &Asked<'_>, demand: Demand<'_>) -> Result<Taken, ApprovalError> {
        let now = now();
        let wanted = self.entry(asked, now)?;
        // Most commands were never asked about: no lock for them.
        if self.read(&wanted.id)?.is_none() {
            return Ok(self.with_other_files(&wanted, asked));
        }
        let _lock = self.lock()?;
        let Some(there) = self.read(&wanted.id)? else { return Ok(Taken::Nothing) };
        if !there.same(&wanted) || there.is_over(now) {
            return Ok(Taken::Nothing);
        }
        match there.state {
            State::Requested => Ok(Taken::Nothing),
            State::Denied => Ok(Taken::Denied),
            State::Approved => {
                if let Some(changed) = asked.files.differ(&there.files) {
                    self.remove(&there.id)?;
                    return Ok(Taken::Changed(changed));
                }
                let proven = prove(&there, demand);
                // An attestation permits one run, whatever the file says.
                if there.uses == Uses::Once || proven.is_err() || matches!(demand, Demand::Attested { .. }) {
                    self.remove(&there.id)?;
                }
                proven
                    .and_then(|approval| spend(approval.as_ref(), demand))
                    .map_err(|failure| ApprovalError::Unproven { id: there.id.clone(), failure })?;
                Ok(Taken::Approved(Box::new(there)))
            }
        }
    }

    /// What waits, was approved or denied, and did not end: oldest first.
    ///
    /// # Errors
    /// [`ApprovalError`].
    pub fn list(&self) -> Result<Vec<Entry>, ApprovalError> {
        let now = now();
        let mut entries = Vec::new();
        for id in self.ids()? {
            if let Some(entry) = self.read(&id)?
                && !entry.is_over(now)
            {
                entries.push(entry);
            }
        }
        order::by(&mut entries, |a, b| (a.requested, &a.id).cmp(&(b.requested, &b.id)));
        Ok(entries)
    }

    /// Whether the same was approved with other files, and which. It is not taken: what was approved may come back.
    fn with_other_files(&self, wanted: &Entry, asked: &Asked<'_>) -> Taken {
        let entries = self.list().unwrap_or_default();
        let other = entries.iter().rev().find(|one| one.state == State::Approved && one.wants(wanted));
        let changed = other.and_then(|other| asked.files.differ(&other.files));
        changed.map_or(Taken::Nothing, Taken::Changed)
    }

    fn decide(&self, seen: &Entry, change: impl FnOnce(&mut Entry)) -> Result<Entry, ApprovalError> {
        let _lock = self.lock()?;
        let id = || seen.id.clone();
        let mut entry = self.read(&seen.id)?.ok_or_else(|| ApprovalError::Unknown(id()))?;
        if entry.is_over(now()) {
            return Err(ApprovalError::Unknown(id()));
        }
        if !entry.same(seen)
            || entry.files != seen.files
            || entry.shown != seen.shown
            || entry.reason != seen.reason
        {
            return Err(ApprovalError::Changed(id()));
        }
        change(&mut entry);
        self.write(&entry)?;
        Ok(entry)
    }

    fn entry(&self, asked: &Asked<'_>, now: i64) -> Result<Entry, ApprovalError> {
        asked.entry(user(), now, millis(WINDOW)).ok_or(ApprovalError::Directory)
    }

    fn lock(&self) -> Result<Lock, ApprovalError> {
        Ok(Lock::acquire(&self.folder.join("lock"))?)
    }

    fn path(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.json"))
    }

    fn read(&self, id: &str) -> Result<Option<Entry>, ApprovalError> {
        let path = self.path(id);
        let Some(bytes) = disk::read_private(&path, FILE_LIMIT)? else { return Ok(None) };
        match serde_json::from_slice::<Entry>(&bytes) {
            Ok(entry) if entry.version == VERSION && entry.id == id => Ok(Some(entry)),
            _ => Err(ApprovalError::Foreign { path }),
        }
    }

    fn write(&self, entry: &Entry) -> Result<(), ApprovalError> {
        let path = self.path(&entry.id);
        let bytes =
            serde_json::to_vec_pretty(entry).map_err(|_| ApprovalError::Foreign { path: path.clone() })?;
        Ok(disk::write_atomic(&path, &bytes, Access::Private)?)
    }

    fn remove(&self, id: &str) -> Result<(), ApprovalError> {
        let path = self.path(id);
        fs::remove_file(&path).map_err(disk::io_error("cannot spend", &path))?;
        Ok(disk::sync_folder(&path)?)
    }

    fn ids(&self) -> Result<Vec<String>, ApprovalError> {
        let wrong = |source| ApprovalError::List { path: self.folder.clone(), source };
        let mut ids = Vec::new();
        for found in fs::read_dir(&self.folder).map_err(wrong)? {
            let name = found.map_err(wrong)?.file_name();
            let id = Path::new(&name).file_stem().and_then(|stem| stem.to_str());
            if let Some(id) = id.filter(|id| is_id(id)) {
                ids.push(id.to_owned());
            }
        }
        Ok(ids)
    }

    /// Removes what ended; gives the number of what is left. Under the lock.
    fn sweep(&self, now: i64) -> Result<usize, ApprovalError> {
        disk::sweep(&self.folder, Duration::from_secs(3600));
        let mut left = 0;
        for id in self.ids()? {
            match self.read(&id)? {
                Some(entry) if entry.is_over(now) => self.remove(&id)?,
                Some(_) => left += 1,
                None => {}
            }
        }
        Ok(left)
    }
}

/// The approval's attestation, verified, where one is demanded.
fn prove(entry: &Entry, demand: Demand<'_>) -> Result<Option<Attestation>, Failure> {
    let Demand::Attested { gate, judged } = demand else { return Ok(None) };
    let read = |value: &Option<Value>, what: &str| {
        let absent =
            || Failure::new(Reason::AttestationAbsent, format!("it holds no attestation of the {what}"));
        Attestation::from_value(value.as_ref().ok_or_else(absent)?)
            .map_err(|error| Failure::new(Reason::InvalidAttestation, error.to_string()))
    };
    let evaluation = read(&entry.evaluation, "evaluation")?;
    let approval = read(&entry.approval, "approval")?;
    gate.approved(&judged, &evaluation, &approval, entry.user)?;
    Ok(Some(approval))
}

/// Spends the approval's nonce: the same attestation permits nothing again, even where its file is put back.
fn spend(approval: Option<&Attestation>, demand: Demand<'_>) -> Result<(), Failure> {
    match (approval, demand) {
        (Some(approval), Demand::Attested { gate, .. }) => gate.spend_approval(approval),
        _ => Ok(()),
    }
}

fn now() -> i64 {
    Time::now().millis()
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

fn user() -> u32 {
    geteuid().as_raw()
}
