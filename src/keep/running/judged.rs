//! One question after the other: what would go, is it worth keeping, and keeping it.

use std::collections::{HashMap, HashSet};
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use nix::unistd::Pid;

use crate::evidence::{self, Budget as Looking, Session};
use crate::knowledge::Knowledge;
use crate::model::{
    Action, Cause, Context, Facts, Mutation, PathSubject, RuleRef, Source, Subject, Target, Value,
};
use crate::recoverability;
use crate::world::World;

use super::super::files::{Budget, Capture, Way};
use super::super::git::with_parents;
use super::super::plan::weighs;
use super::super::point::{Head, Item, Made, Was};
use super::super::store::{PointName, Store, StoreError, new_id};
use super::super::{Keeping, described};
use super::kernel::{Act, Listener, Named, Question};
use super::places;

/// Files that are kept while one command runs, and bytes that are copied, at most.
const MOST: (u64, u64) = (5_000, 128 << 20);
/// Files of one directory whose loss would be none, after which the directory is asked about as a whole.
const CALM: usize = 4;
/// Names that were changed are followed up to so many.
const MOVED: usize = 10_000;
/// What all looks may cost: a command may run for long, and each look is about one file.
const LOOKING: Looking =
    Looking { entries: 5_000_000, bytes: 4 << 30, time: Duration::from_secs(7 * 86_400) };
/// What could not be kept is named up to here.
const NAMED: usize = 3;

/// What is set aside while a command runs.
pub(crate) struct Running<'a> {
    world: &'a dyn World,
    knowledge: &'a Knowledge,
    cwd: PathBuf,
    home: Option<PathBuf>,
    store: Store,
    /// The point that was made before, or the one that this becomes.
    name: PointName,
    before: bool,
    head: Head,
    /// What was set aside already, and what is not to be set aside.
    known: HashSet<PathBuf>,
    begun: SystemTime,
    session: Session,
    /// Directories that were asked about: nothing that stood in them when it began would be a loss.
    calm: HashMap<PathBuf, bool>,
    harmless: HashMap<PathBuf, usize>,
    capture: Capture,
    left: Vec<PathBuf>,
    /// What got another name since it began, the last first: the old one, and the new one.
    moved: Vec<(PathBuf, PathBuf)>,
}

impl<'a> Running<'a> {
    /// Ready to be asked. `first`: the point that was made before the command runs.
    ///
    /// # Errors
    /// When the store cannot be used.
    pub(crate) fn new(keeping: &Keeping<'a>, first: Option<&Head>) -> Result<Self, StoreError> {
        let store = Store::open(keeping.places)?;
        let begun = places::now();
        let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_millis());
        let (name, known) = match first {
            Some(head) => {
                let name = PointName::new(head.time, &head.id);
                let (_, items) = store.read(&name)?;
                let whole = |item: &Item| matches!(item.was, Was::File { .. } | Was::Link(_) | Was::Absent);
                (name, items.into_iter().filter(whole).map(|item| item.path.0).collect())
            }
            None => (PointName::new(i64::try_from(time).unwrap_or(i64::MAX), &new_id()?), HashSet::new()),
        };
        let settings = keeping.policy.keep();
        let budget = Budget {
            items: settings.files.min(MOST.0),
            copied: settings.bytes.min(MOST.1),
            free: settings.free,
        };
        let capture = Capture::new(store.contents(&name).join("w"), store.folder(), budget);
        let head = Head { id: name.id().to_owned(), time: name.time(), ..keeping.head(Made::WhileRunning) };
        Ok(Self {
            world: keeping.world,
            knowledge: keeping.knowledge,
            cwd: keeping.context.cwd.clone(),
            home: keeping.world.home(None),
            store,
            name,
            before: first.is_some(),
            head,
            known,
            begun,
            session: Session::with_budget(LOOKING),
            calm: HashMap::new(),
            harmless: HashMap::new(),
            capture,
            left: Vec::new(),
            moved: Vec::new(),
        })
    }

    /// Takes a question, sets aside what would be lost by what it is about, and lets it go on.
    pub(crate) fn answer(&mut self, listener: &Listener) {
        // Whoever asked and is gone needs no answer.
        let Ok(question) = listener.next() else { return };
        for (path, way) in touched(&question) {
            if let Some(below) = self.stands(&path, way)
                && !self.known.contains(&self.first_name(&path))
                // What was read is worth something only while the one who asked still waits.
                && listener.waits(&question)
                && places::is_ours(question.thread)
                && self.counts(&path, question.thread)
            {
                self.keep(&path, below, way);
            }
        }
        if let Some((from, to)) = renamed(&question)
            && fs::symlink_metadata(&from).is_ok_and(|meta| !self.is_new(&meta))
            && self.moved.len() < MOVED
        {
            // Where another thing may come back to the name that it gets, it lives on nowhere.
            if self.moved.iter().any(|(old, _)| to.starts_with(old))
                && !self.known.contains(&self.first_name(&from))
                && self.stands(&from, Way::Content).is_some()
                && places::is_ours(question.thread)
                && self.counts(&from, question.thread)
            {
                self.keep(&from, from.is_dir(), Way::Content);
            }
            self.moved.push((from, to));
        }
        listener.go_on(&question);
    }

    /// How something was called when the command began.
    fn first_name(&self, path: &Path) -> PathBuf {
        self.moved.iter().rev().fold(path.to_owned(), |path, (from, to)| match path.strip_prefix(to) {
            Ok(rest) if rest.as_os_str().is_empty() => from.clone(),
            Ok(rest) => from.join(rest),
            Err(_) => path,
        })
    }

    /// Whether something stands there that was there when the command began; with `true`, also below it.
    fn stands(&self, path: &Path, way: Way) -> Option<bool> {
        let meta = fs::symlink_metadata(path).ok()?;
        // A directory goes with all that stands in it only where it gets another name, and nothing lasts there.
        let goes = meta.is_file() && meta.len() > 0 || meta.is_dir() && way == Way::Content;
        (goes && !self.is_new(&meta)).then(|| meta.is_dir())
    }

    /// Made since the command began: nothing of it was there before.
    fn is_new(&self, meta: &Metadata) -> bool {
        match meta.created() {
            Ok(made) => made > self.begun,
            Err(_) => meta.modified().is_ok_and(|changed| changed > self.begun),
        }
    }

    /// Whether anybody would miss it.
    fn counts(&mut self, path: &Path, thread: Pid) -> bool {
        if path.starts_with(self.store.folder()) {
            return false;
        }
        if places::is_of_git(&self.first_name(path)) {
            return !places::is_git(thread);
        }
        if path.ancestors().skip(1).any(|dir| self.calm.get(dir) == Some(&true)) {
            return false;
        }
        if self.weighs(path, if path.is_dir() { "tree" } else { "file" }) {
            return true;
        }
        self.known.insert(self.first_name(path));
        let Some(dir) = path.parent() else { return false };
        let harmless = self.harmless.entry(dir.to_owned()).or_default();
        *harmless += 1;
        // Where many go that nobody would miss, the rest may be of that sort.
        if *harmless == CALM && !self.cwd.starts_with(dir) {
            let calm = !self.weighs(dir, "tree");
            self.calm.insert(dir.to_owned(), calm);
        }
        false
    }

    /// Whether something would be lost if this were removed, by the evidence that any such act is judged by.
    fn weighs(&mut self, path: &Path, kind: &str) -> bool {
        // A name that is no text is unknown to evidence: what is unknown is kept.
        let Some(text) = path.to_str() else { return true };
        let mut subject = PathSubject::new(Value::known(text), text);
        (subject.explicit, subject.recursive) = (true, kind == "tree");
        let mutation = Mutation {
            action: Action::Delete,
            kind: kind.to_owned(),
            subject: Subject::Path(subject),
            target: Target { r#type: kind.to_owned(), id: text.to_owned(), ..Target::default() },
            source: Source::Shell,
            raw: String::new(),
            span: None,
            rule: RuleRef { tool: "recourse".to_owned(), rule: "running".to_owned() },
            cause: Cause::Rule,
            context: Context { cwd: vec![self.cwd.clone()], ..Context::default() },
            facts: Facts::new(),
            dependents: Vec::new(),
        };
        let evidence = evidence::collect(&mutation, self.world, &mut self.session);
        weighs(&recoverability::assess(mutation, evidence, self.knowledge))
    }

    fn keep(&mut self, path: &Path, below: bool, way: Way) {
        let first = self.first_name(path);
        self.known.insert(first.clone());
        // The directories on the way come back with it, but for those that stay in any case.
        let home = self.home.iter().map(PathBuf::as_path).filter(|home| path.starts_with(home));
        let tops = home.chain([self.cwd.as_path()].into_iter().filter(|cwd| path.starts_with(cwd)));
        let top = tops.max_by_key(|top| std::cmp::Reverse(top.as_os_str().len())).map(Path::to_owned);
        let top = top.as_deref().filter(|_| first == path).or(path.parent());
        let done = with_parents(path, top, below, way, &mut self.capture);
        if done.and_then(|()| self.capture.store_all()).is_err() {
            self.capture.items.retain(|kept, _| !kept.starts_with(path));
            self.capture.waiting.clear();
            self.left.push(path.to_owned());
        } else if first != path {
            self.capture.call(path, &first);
            self.way_back(path, &first);
        }
    }

    /// The directories that something stood in come back with it, under the names that they had.
    fn way_back(&mut self, path: &Path, first: &Path) {
        let (mut now, mut then) = (path.parent(), first.parent());
        while let (Some(dir), Some(called)) = (now, then)
            && dir != called
            && called.symlink_metadata().is_err()
            && !self.capture.items.contains_key(called)
            && self.capture.add(dir, false, Way::Content).is_ok()
        {
            self.capture.call(dir, called);
            (now, then) = (dir.parent(), called.parent());
        }
    }

    /// All that was set aside stands on the disk, in the command's recovery point; what it is, in words.
    ///
    /// # Errors
    /// When the disk refuses.
    pub(crate) fn close(mut self) -> Result<Option<String>, String> {
        self.head.without = self.missed().into_iter().collect();
        let kept = self.capture.items.values().any(|item| !item.was.is_about() && item.was != Was::Directory);
        if !kept {
            return self.head.without.pop().map_or(Ok(None), Err);
        }
        self.capture.sync().map_err(|error| error.to_string())?;
        self.capture.items.values_mut().for_each(|item| item.beside = true);
        let what = described(&self.capture);
        let head = self.capture.told_in(self.head.clone(), what.clone());
        let items: Vec<Item> = std::mem::take(&mut self.capture.items).into_values().collect();
        let written = if self.before {
            self.store.write_beside(&self.name, &head, &items)
        } else {
            self.store.write(&head, &items).map(drop)
        };
        written.map_err(|error| error.to_string()).map(|()| Some(what))
    }

    fn missed(&self) -> Option<String> {
        self.left.first()?;
        let named: Vec<String> = self.left.iter().take(NAMED).map(|path| super::super::shown(path)).collect();
        let more = self.left.len().saturating_sub(NAMED);
        let and = if more > 0 { format!(" and {more} more") } else { String::new() };
        Some(format!("{}{and}: it was too much, or could not be read", named.join(", ")))
    }
}

/// What gets another name: the old one, and the new one. None where the system is going to refuse that.
fn renamed(question: &Question) -> Option<(PathBuf, PathBuf)> {
    let Some(Act::Rename(from, to, alone)) = question.act else { return None };
    let name = |named: Named| places::named(question.thread, named).and_then(|path| places::name(&path));
    let (from, to) = (name(from)?, name(to)?);
    let goes = fs::symlink_metadata(&from).ok()?;
    let device = fs::symlink_metadata(to.parent()?).ok()?.dev();
    let fits = match fs::symlink_metadata(&to) {
        Err(_) => true,
        Ok(_) if alone => false,
        Ok(stands) if goes.is_dir() => {
            stands.is_dir() && fs::read_dir(&to).is_ok_and(|mut entries| entries.next().is_none())
        }
        Ok(stands) => !stands.is_dir(),
    };
    (fits && device == goes.dev()).then_some((from, to))
}

/// What a question is about: paths, and how what stands there goes.
fn touched(question: &Question) -> Vec<(PathBuf, Way)> {
    let thread = question.thread;
    let name = |named: Named| places::named(thread, named).and_then(|path| places::name(&path));
    match question.act {
        // A link is followed.
        Some(Act::Write(named)) => places::named(thread, named)
            .and_then(|path| fs::canonicalize(path).ok())
            .map(|path| (path, Way::Content))
            .into_iter()
            .collect(),
        Some(Act::Remove(named)) => name(named).map(|path| (path, Way::Name)).into_iter().collect(),
        Some(Act::Rename(..)) => {
            let Some((from, to)) = renamed(question) else { return Vec::new() };
            // It lives on under its other name, unless nothing lasts there. Where that name comes back to what it was, it
            // lives on nowhere.
            let away = (places::is_fleeting(&to) || to.is_file()).then_some((from, Way::Content));
            std::iter::once((to, Way::Name)).chain(away).collect()
        }
        None => Vec::new(),
    }
}
