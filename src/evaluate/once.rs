//! The machine during one evaluation: where a path really leads is looked up once, whatever the number of operands in one
//! directory. What is listed or asked once is remembered too, within bounds: what is advised is judged by the same looks.
//! Which files' content the judgement rests on is noted here, the one place that every look of an evaluation passes.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};

use crate::attest::document::hex;
use crate::model::{Material, Mutation, Part, Span, Subject};
use crate::world::{Entry, FileKind, LookError, Meta, Query, Seen, Tree, World};

/// A world that remembers the real places that it found.
pub(super) struct Once<'w> {
    world: &'w dyn World,
    /// By the path as written: `file/` is nothing where `file` is one, and both are the same path.
    places: RefCell<HashMap<OsString, PathBuf>>,
    scans: RefCell<HashMap<PathBuf, Vec<Seen>>>,
    /// Entries that are remembered in all.
    entries: Cell<usize>,
    answers: RefCell<Vec<(Query, Vec<u8>)>>,
    materials: RefCell<BTreeSet<Material>>,
    /// Links that were followed, and where they lead.
    links: RefCell<BTreeMap<PathBuf, PathBuf>>,
    /// Files that words name, of which nobody read what they hold.
    operands: RefCell<BTreeSet<PathBuf>>,
    /// Words of the files that were read for somebody else.
    words: RefCell<HashSet<String>>,
}

/// Entries of directories, answers, and bytes of one answer that are remembered.
const ENTRIES: usize = 20_000;
const ANSWERS: usize = 64;
const ANSWER: usize = 1 << 20;
/// Links that are remembered.
const LINKS: usize = 1_000;
/// Words of read files that are told apart, and the largest file whose words are.
const WORDS: usize = 200_000;
const TEXT: usize = 4 << 20;
/// Largest program of which a digest is made.
const PROGRAM: u64 = 2 << 30;
/// Bytes of files that words name, of all of them together.
const OPERANDS: u64 = 1 << 30;

fn unread(path: PathBuf) -> Material {
    Material { path, part: Part::Data, sha256: None }
}

/// The words of a text: what stands between signs.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    let part = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-'));
    text.split(part).filter(|word| word.len() >= 3)
}

impl<'w> Once<'w> {
    pub(super) fn new(world: &'w dyn World) -> Self {
        Self {
            world,
            places: RefCell::default(),
            scans: RefCell::default(),
            entries: Cell::new(0),
            answers: RefCell::default(),
            materials: RefCell::default(),
            links: RefCell::default(),
            operands: RefCell::default(),
            words: RefCell::default(),
        }
    }

    /// Whether a word stands in a file that was read for somebody else. Of very much text every word is taken to.
    pub(super) fn has_read(&self, word: &str) -> bool {
        let words = self.words.borrow();
        words.len() >= WORDS || words.contains(word)
    }

    /// Whether nothing was read, or nobody else asks.
    pub(super) fn has_read_nothing(&self) -> bool {
        self.words.borrow().is_empty()
    }

    /// Notes the words of what somebody else must not be told.
    fn note(&self, text: &str) {
        if self.world.is_for_others() {
            let mut noted = self.words.borrow_mut();
            let room = WORDS.saturating_sub(noted.len());
            noted.extend(words(text).take(room).map(str::to_owned));
        }
    }

    /// The files that were followed or started so far, sorted. What was started is named by its digest where that is
    /// `digested`, which costs reading it; otherwise only what was read is.
    pub(super) fn materials(&self, digested: bool) -> Vec<Material> {
        let noted = self.materials.borrow();
        let read = |path: &Path| noted.iter().any(|other| other.path == path && other.part != Part::Program);
        let started = |material: &Material| material.part == Part::Program;
        let mut all: Vec<Material> = noted
            .iter()
            .filter(|material| !started(material) || digested && !read(&material.path))
            .map(|material| match started(material) {
                true => {
                    let digest = self.world.digest(&material.path, PROGRAM).ok();
                    Material { sha256: digest.map(|bytes| hex(&bytes)), ..material.clone() }
                }
                false => material.clone(),
            })
            .collect();
        if digested {
            all.extend(self.digested());
            crate::order::sort(&mut all);
        }
        all.dedup_by(|later, first| later.path == first.path && later.sha256 == first.sha256);
        all
    }

    /// The links that were followed so far, each with what it says. Those of processes are others for each of them.
    pub(super) fn links(&self) -> Vec<(PathBuf, PathBuf)> {
        let noted = self.links.borrow();
        let own = |path: &Path| path.starts_with("/proc") || path.starts_with("/dev");
        noted.iter().filter(|(at, _)| !own(at)).map(|(at, to)| (at.clone(), to.clone())).collect()
    }

    /// Notes the regular files that words of a command name which changes something: what it does may stand in them. What is
    /// itself changed is named by the change.
    pub(super) fn operands(&self, words: &[(Span, PathBuf)], mutations: &[Mutation]) {
        // A change may stand at the word that names it.
        let within = |of: Span, span: &Span| span.start <= of.start && of.end <= span.end;
        let changes = |span: &Span| mutations.iter().any(|one| one.span.is_none_or(|of| within(of, span)));
        let is_target = |path: &Path| {
            mutations.iter().any(|one| {
                matches!(&one.subject, Subject::Path(of) if of.path.as_known().map(Path::new) == Some(path))
                    || Path::new(&one.target.id) == path
            })
        };
        for (_, path) in words.iter().filter(|(span, _)| changes(span)) {
            let file = self.world.stat(path).is_ok_and(|meta| meta.kind == FileKind::File);
            if file && !is_target(path) && !self.canonicalize(path).is_ok_and(|real| is_target(&real)) {
                self.operands.borrow_mut().insert(path.clone());
            }
        }
    }

    /// What is named and was not read, without digests: programs that were started, and files that words name.
    pub(super) fn named(&self) -> Vec<Material> {
        let noted = self.materials.borrow();
        let read = |path: &Path| noted.iter().any(|other| other.path == path && other.part != Part::Program);
        let started = noted.iter().filter(|one| one.part == Part::Program && !read(&one.path)).cloned();
        started.chain(self.unread().into_iter().map(unread)).collect()
    }

    /// Files that words name, and that are no materials yet.
    fn unread(&self) -> Vec<PathBuf> {
        let noted = self.materials.borrow();
        let known = |path: &PathBuf| noted.iter().any(|one| one.path == *path);
        self.operands.borrow().iter().filter(|path| !known(path)).cloned().collect()
    }

    /// The same with digests, as far as there is room: a file without one cannot be told from another.
    fn digested(&self) -> Vec<Material> {
        let mut room = OPERANDS;
        let digested = |path: PathBuf| {
            let size = self.world.stat(&path).map_or(u64::MAX, |meta| meta.size);
            let digest = self.world.digest(&path, room).ok().filter(|_| size <= room);
            room = room.saturating_sub(size.min(room));
            Material { sha256: digest.map(|bytes| hex(&bytes)), ..unread(path) }
        };
        self.unread().into_iter().map(digested).collect()
    }

    fn remember(&self, path: &Path, found: &[Seen]) {
        let all = self.entries.get() + found.len();
        if all <= ENTRIES {
            self.entries.set(all);
            self.scans.borrow_mut().insert(path.to_owned(), found.to_vec());
        }
    }
}

impl World for Once<'_> {
    fn canonicalize(&self, path: &Path) -> Result<PathBuf, LookError> {
        if let Some(known) = self.places.borrow().get(path.as_os_str()) {
            return Ok(known.clone());
        }
        let found = self.world.canonicalize(path)?;
        self.places.borrow_mut().insert(path.as_os_str().to_owned(), found.clone());
        Ok(found)
    }
    fn is_elsewhere(&self) -> bool {
        self.world.is_elsewhere()
    }

    fn tree(&self) -> Option<&Tree> {
        self.world.tree()
    }
    fn lstat(&self, path: &Path) -> Result<Meta, LookError> {
        self.world.lstat(path)
    }
    fn stat(&self, path: &Path) -> Result<Meta, LookError> {
        self.world.stat(path)
    }
    fn read_link(&self, path: &Path) -> Result<PathBuf, LookError> {
        let target = self.world.read_link(path)?;
        let mut links = self.links.borrow_mut();
        if links.len() < LINKS {
            links.insert(path.to_owned(), target.clone());
        }
        Ok(target)
    }
    fn read_dir(&self, path: &Path, limit: usize) -> Result<Vec<Entry>, LookError> {
        self.world.read_dir(path, limit)
    }
    fn read_dirs(&self, paths: &[&Path], limit: usize) -> Vec<Result<Vec<Entry>, LookError>> {
        self.world.read_dirs(paths, limit)
    }
    fn scan(&self, path: &Path, limit: usize) -> Result<Vec<Seen>, LookError> {
        if let Some(known) = self.scans.borrow().get(path) {
            return if known.len() > limit { Err(LookError::TooLarge) } else { Ok(known.clone()) };
        }
        let found = self.world.scan(path, limit)?;
        self.remember(path, &found);
        Ok(found)
    }
    fn scan_all(&self, paths: &[&Path], limit: usize) -> Vec<Option<Result<Vec<Seen>, LookError>>> {
        let known = |path: &&Path| self.scans.borrow().contains_key(*path);
        if !paths.iter().any(known) {
            let found = self.world.scan_all(paths, limit);
            for (path, found) in paths.iter().zip(&found) {
                if let Some(Ok(found)) = found {
                    self.remember(path, found);
                }
            }
            return found;
        }
        let mut left = limit;
        let mut scan = |path: &Path| match self.scan(path, left) {
            Err(LookError::TooLarge) => None,
            Ok(entries) => {
                left -= entries.len().min(left);
                Some(Ok(entries))
            }
            error => Some(error),
        };
        paths.iter().map(|path| scan(path)).collect()
    }
    fn read_file(&self, path: &Path, limit: u64) -> Result<Vec<u8>, LookError> {
        let bytes = self.world.read_file(path, limit)?;
        if bytes.len() <= TEXT
            && let Ok(text) = std::str::from_utf8(&bytes)
        {
            self.note(text);
        }
        Ok(bytes)
    }
    fn read_text(&self, path: &Path, limit: u64) -> Result<String, LookError> {
        let text = self.world.read_text(path, limit)?;
        self.note(&text);
        Ok(text)
    }
    fn read_settings(&self, path: &Path, limit: u64) -> Result<String, LookError> {
        let text = self.world.read_settings(path, limit)?;
        self.note(&text);
        Ok(text)
    }
    fn follow(&self, path: &Path, limit: u64, part: Part) -> Result<String, LookError> {
        let text = self.read_text(path, limit)?;
        let sha256 = Some(hex(&Sha256::digest(&text)));
        self.materials.borrow_mut().insert(Material { path: path.to_owned(), part, sha256 });
        Ok(text)
    }
    fn starts(&self, path: &Path) {
        // What is not there does not run, and what cannot be looked at has no digest.
        if self.world.stat(path).is_ok_and(|meta| meta.kind == FileKind::File) {
            let material = Material { path: path.to_owned(), part: Part::Program, sha256: None };
            self.materials.borrow_mut().insert(material);
        }
    }
    fn digest(&self, path: &Path, limit: u64) -> Result<[u8; 32], LookError> {
        self.world.digest(path, limit)
    }
    fn is_for_others(&self) -> bool {
        self.world.is_for_others()
    }
    fn writable(&self, path: &Path) -> bool {
        self.world.writable(path)
    }
    fn env(&self, name: &str) -> Option<String> {
        self.world.env(name)
    }
    fn env_names(&self) -> Vec<String> {
        self.world.env_names()
    }
    fn environment(&self) -> Vec<(String, Option<String>)> {
        self.world.environment()
    }
    fn home(&self, user: Option<&str>) -> Option<PathBuf> {
        self.world.home(user)
    }
    fn user(&self) -> String {
        self.world.user()
    }
    fn uid(&self) -> u32 {
        self.world.uid()
    }
    fn mounts(&self) -> Vec<PathBuf> {
        self.world.mounts()
    }
    fn now(&self) -> SystemTime {
        self.world.now()
    }
    fn elapsed(&self) -> Duration {
        self.world.elapsed()
    }
    fn ask_text(&self, query: &Query, timeout: Duration) -> Result<String, LookError> {
        self.world.ask_text(query, timeout)
    }
    fn ask(&self, query: &Query, timeout: Duration) -> Result<Vec<u8>, LookError> {
        if let Some((_, known)) = self.answers.borrow().iter().find(|(asked, _)| asked == query) {
            return Ok(known.clone());
        }
        let found = self.world.ask(query, timeout)?;
        let mut answers = self.answers.borrow_mut();
        if answers.len() < ANSWERS && found.len() <= ANSWER {
            answers.push((query.clone(), found.clone()));
        }
        Ok(found)
    }
}
