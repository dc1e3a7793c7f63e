//! The store of recovery points: one file for each point, and a folder beside it where content did not fit into the file.
//!
//! Owns names, order, private modes and what of a point is complete. A point counts when its file stands under its own name,
//! which happens last and in one step; what a killed process left without it `tidy` sweeps away.
//!
//! A file's name begins with the time in hexadecimal, so that names sort by age and the newest is found without reading.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use crate::attest::Places;
use crate::attest::disk::{self, Access, DiskError, Lock};

use super::content::create;
use super::point::{Head, Item, VERSION};

/// Longest head that is read.
const HEAD_LIMIT: u64 = 1 << 20;
/// The ending of what was set aside while the command ran.
pub(super) const BESIDE: &str = "running";
/// Largest file of a point.
const POINT_LIMIT: u64 = 1 << 30;

/// Why the store cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A file or folder.
    #[error("{}", said(.0))]
    Disk(#[from] DiskError),
    /// The system refused.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried, for example "read".
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// A point that cannot be read.
    #[error("{} is no recovery point that this version reads: {why}", path.display())]
    Foreign {
        /// Its file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// No such id.
    #[error("there is no such recovery point: {0} (`recourse undo --list` shows them)")]
    Unknown(String),
    /// Several begin like this.
    #[error("several recovery points begin with {0}: write more of the id (`recourse kept` lists them)")]
    Ambiguous(String),
    /// No randomness.
    #[error("the system gives no random numbers: {0}")]
    Random(String),
}

/// Modes are repaired all at once: one by one, each is only named when the one before is right.
fn said(error: &DiskError) -> String {
    match error {
        DiskError::TooOpen { path, mode, .. } => format!(
            "others can get at {} (mode {mode:04o}): `recourse doctor --repair` closes all that is recourse's own",
            path.display()
        ),
        other => other.to_string(),
    }
}

pub(crate) fn io_error<'a>(
    action: &'static str,
    path: &'a Path,
) -> impl FnOnce(io::Error) -> StoreError + use<'a> {
    move |source| StoreError::Io { action, path: path.to_owned(), source }
}

/// The store.
#[derive(Clone, Debug)]
pub struct Store {
    pub(super) folder: PathBuf,
}

/// A point's name in the store: time and id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PointName(String);

impl PointName {
    /// The name of a point made at a time (milliseconds since the epoch).
    pub fn new(time: i64, id: &str) -> Self {
        Self(format!("{:012x}-{id}", time.max(0)))
    }

    pub(super) fn read(file: &str) -> Option<Self> {
        Self::parse(file.strip_suffix(".point")?)
    }

    /// A name as it stands in the store.
    pub fn parse(stem: &str) -> Option<Self> {
        let (time, id) = stem.split_once('-')?;
        let hex = |text: &str| text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        (time.len() == 12 && hex(time) && id.len() == 8 && hex(id)).then(|| Self(stem.to_owned()))
    }

    /// The id.
    pub fn id(&self) -> &str {
        &self.0[13..]
    }

    /// When it was made, in milliseconds since the epoch.
    pub fn time(&self) -> i64 {
        i64::from_str_radix(&self.0[..12], 16).unwrap_or(0)
    }

    /// As it stands in the store.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Store {
    /// The user's store; made where there is none.
    ///
    /// # Errors
    /// When it cannot be made, or others can get at it.
    pub fn open(places: &Places) -> Result<Self, StoreError> {
        let folder = Self::folder_of(places);
        disk::private_dir(&folder)?;
        Ok(Self { folder })
    }

    /// Where the user's store is.
    pub fn folder_of(places: &Places) -> PathBuf {
        places.data.join("kept")
    }

    /// The user's store, if there is one.
    ///
    /// # Errors
    /// When others can get at it.
    pub fn existing(places: &Places) -> Result<Option<Self>, StoreError> {
        let folder = Self::folder_of(places);
        Ok(disk::check_dir(&folder)?.then_some(Self { folder }))
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Puts a file into it that says what it is.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn label(&self) -> Result<(), StoreError> {
        let said = "What commands would have destroyed is kept here until it is too old. See: recourse undo --help\n";
        Ok(disk::write_atomic(&self.folder.join("README"), said.as_bytes(), Access::Private)?)
    }

    /// Keeps others from undoing, forgetting and pruning meanwhile.
    ///
    /// # Errors
    /// When another process holds it too long.
    pub fn lock(&self) -> Result<Lock, StoreError> {
        // Somebody may have taken it away meanwhile.
        disk::private_dir(&self.folder)?;
        Ok(Lock::acquire(&self.folder.join("lock"))?)
    }

    /// The names of all complete points, the newest first.
    ///
    /// # Errors
    /// When the folder cannot be listed.
    pub fn names(&self) -> Result<Vec<PointName>, StoreError> {
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.folder).map_err(io_error("list", &self.folder))? {
            let entry = entry.map_err(io_error("list", &self.folder))?;
            found.extend(entry.file_name().to_str().and_then(PointName::read));
        }
        found.sort_unstable_by(|a, b| b.cmp(a));
        Ok(found)
    }

    /// The one point whose id begins so.
    ///
    /// # Errors
    /// When there is none, or more than one.
    pub fn find(&self, id: &str) -> Result<PointName, StoreError> {
        let known = self.names()?;
        let mut fit = known.into_iter().filter(|name| !id.is_empty() && name.id().starts_with(id));
        match (fit.next(), fit.next()) {
            (Some(name), None) => Ok(name),
            (Some(_), Some(_)) => Err(StoreError::Ambiguous(id.to_owned())),
            (None, _) => Err(StoreError::Unknown(id.to_owned())),
        }
    }

    /// The file of a point.
    pub fn file(&self, name: &PointName) -> PathBuf {
        self.folder.join(format!("{}.point", name.as_str()))
    }

    /// The folder for content of a point.
    pub fn contents(&self, name: &PointName) -> PathBuf {
        self.folder.join(name.as_str())
    }

    /// What a person did with a point: a mark beside its file ("pinned", "undone").
    pub fn is_marked(&self, name: &PointName, mark: &str) -> bool {
        self.folder.join(format!("{}.{mark}", name.as_str())).exists()
    }

    /// What a mark says, where it is set.
    ///
    /// # Errors
    /// When it cannot be read, or others can get at it.
    pub fn marked(&self, name: &PointName, mark: &str) -> Result<Option<String>, StoreError> {
        let path = self.folder.join(format!("{}.{mark}", name.as_str()));
        let text = disk::read_private(&path, HEAD_LIMIT)?;
        Ok(text.map(|text| String::from_utf8_lossy(&text).into_owned()))
    }

    /// Sets or takes away a mark.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn mark(&self, name: &PointName, mark: &str, on: bool) -> Result<(), StoreError> {
        self.mark_with(name, mark, on.then_some(""))
    }

    /// Sets a mark that says something, or takes it away.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn mark_with(&self, name: &PointName, mark: &str, says: Option<&str>) -> Result<(), StoreError> {
        let path = self.folder.join(format!("{}.{mark}", name.as_str()));
        if let Some(says) = says {
            disk::write_atomic(&path, says.as_bytes(), Access::Private)?;
        } else if let Err(error) = fs::remove_file(&path)
            && error.kind() != io::ErrorKind::NotFound
        {
            return Err(io_error("remove", &path)(error));
        }
        Ok(())
    }

    /// A point's head.
    ///
    /// # Errors
    /// When it cannot be read, or others can get at it.
    pub fn head(&self, name: &PointName) -> Result<Head, StoreError> {
        let mut head = self.head_of(&self.file(name))?;
        if let Some(more) = self.beside(name) {
            head.take(&self.head_of(&more)?);
        }
        Ok(head)
    }

    /// The head in a file.
    pub(super) fn head_of(&self, path: &Path) -> Result<Head, StoreError> {
        let mut line = String::new();
        let file = self.opened(path)?;
        BufReader::new(file).take(HEAD_LIMIT).read_line(&mut line).map_err(io_error("read", path))?;
        head(&line, path)
    }

    /// A whole point.
    ///
    /// # Errors
    /// When it cannot be read, or others can get at it.
    pub fn read(&self, name: &PointName) -> Result<(Head, Vec<Item>), StoreError> {
        let (mut head, mut items) = self.read_first(name)?;
        if let Some(more) = self.beside(name) {
            let (more, later) = self.read_file(&more)?;
            let known: HashSet<PathBuf> = items.iter().map(|item| item.path.0.clone()).collect();
            let behind = u8::try_from(head.folders.len()).unwrap_or(u8::MAX);
            let later = later.into_iter().filter(|item| !known.contains(&item.path.0));
            items.extend(later.map(|item| item.behind(behind)));
            head.take(&more);
        }
        Ok((head, items))
    }

    /// A point as it was made before the command ran.
    ///
    /// # Errors
    /// When it cannot be read, or others can get at it.
    pub(super) fn read_first(&self, name: &PointName) -> Result<(Head, Vec<Item>), StoreError> {
        self.read_file(&self.file(name))
    }

    fn read_file(&self, path: &Path) -> Result<(Head, Vec<Item>), StoreError> {
        let path = path.to_owned();
        let mut text = String::new();
        let file = self.opened(&path)?;
        file.take(POINT_LIMIT).read_to_string(&mut text).map_err(io_error("read", &path))?;
        let mut lines = text.lines();
        let head = head(lines.next().unwrap_or_default(), &path)?;
        let items = lines.map(|line| {
            serde_json::from_str(line)
                .map_err(|error| StoreError::Foreign { path: path.clone(), why: error.to_string() })
        });
        Ok((head, items.collect::<Result<_, _>>()?))
    }

    fn opened(&self, path: &Path) -> Result<File, StoreError> {
        let mut how = File::options();
        how.read(true);
        disk::open_private(path, &how)?.ok_or_else(|| StoreError::Io {
            action: "read",
            path: path.to_owned(),
            source: io::ErrorKind::NotFound.into(),
        })
    }

    /// The file with what was set aside while the command ran, where there is one.
    fn beside(&self, name: &PointName) -> Option<PathBuf> {
        let path = self.folder.join(format!("{}.{BESIDE}", name.as_str()));
        path.symlink_metadata().is_ok().then_some(path)
    }

    /// Writes a point: from here on it counts.
    ///
    /// # Errors
    /// When the disk refuses; then there is no such point.
    pub fn write(&self, head: &Head, items: &[Item]) -> Result<PointName, StoreError> {
        let name = PointName::new(head.time, &head.id);
        self.write_file(&name, self.file(&name), head, items)?;
        Ok(name)
    }

    /// Writes what was set aside while the command ran beside its point, which stays as it is: whoever named it in a log
    /// named its digest too.
    ///
    /// # Errors
    /// When the disk refuses; then the point stands alone.
    pub(super) fn write_beside(
        &self,
        name: &PointName,
        head: &Head,
        items: &[Item],
    ) -> Result<(), StoreError> {
        self.write_file(name, self.folder.join(format!("{}.{BESIDE}", name.as_str())), head, items)
    }

    fn write_file(
        &self,
        name: &PointName,
        path: PathBuf,
        head: &Head,
        items: &[Item],
    ) -> Result<(), StoreError> {
        let wrong =
            |error: serde_json::Error| StoreError::Foreign { path: path.clone(), why: error.to_string() };
        let mut text = serde_json::to_vec(head).map_err(wrong)?;
        for item in items {
            text.push(b'\n');
            serde_json::to_writer(&mut text, item).map_err(wrong)?;
        }
        text.push(b'\n');
        // Named before it is brought to the disk: one turn of the disk instead of two. Whoever is killed leaves all of it or
        // none; what a power failure tears in that moment was not destroyed yet, because nothing ran, and is swept away.
        let torn = self.folder.join(format!("{}.new", name.as_str()));
        let written = (|| {
            let mut file = create(&torn)?;
            file.write_all(&text)?;
            fs::rename(&torn, &path)?;
            file.sync_all()?;
            File::open(&self.folder)?.sync_all()
        })();
        written.map_err(|source| {
            let _ = fs::remove_file(&torn);
            let _ = fs::remove_file(&path);
            io_error("write", &path)(source)
        })
    }
}

/// Removes a folder of content. Never follows a link.
pub(crate) fn clear(folder: &Path) -> Result<(), StoreError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(io_error("remove", folder)(error)),
        _ => Ok(()),
    }
}

/// A new id.
///
/// # Errors
/// When the system gives no random numbers.
pub(crate) fn new_id() -> Result<String, StoreError> {
    let mut bytes = [0_u8; 4];
    getrandom::fill(&mut bytes).map_err(|error| StoreError::Random(error.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn head(line: &str, path: &Path) -> Result<Head, StoreError> {
    let wrong = |why: String| StoreError::Foreign { path: path.to_owned(), why };
    let head: Head = serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
    if head.version != VERSION {
        return Err(wrong(format!("it has version {}", head.version)));
    }
    Ok(head)
}

/// A name of a file as the system gives it, in words for people.
pub(crate) fn shown(path: &Path) -> String {
    crate::text::escape(&OsString::from(path).to_string_lossy())
}
