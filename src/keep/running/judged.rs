//! One question after the other: what would go, is it worth keeping, and keeping it.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use nix::unistd::Pid;

use crate::evidence::{self, Budget as Looking, Session};
use crate::knowledge::Knowledge;
use crate::model::{
    Action, Cause, Context, FactValue, Facts, Mutation, PathSubject, RuleRef, Source, Subject, Target, Value,
};
use crate::recoverability;
use crate::world::World;

use super::super::files::{Budget, Capture, Way};
use super::super::git::with_parents;
use super::super::plan::weighs;
use super::super::point::{Head, Item, Made, Was};
use super::super::store::{PointName, Store, StoreError, new_id};
use super::super::{Keeping, described};
use super::asked::{linked, name, renamed, touched};
use super::kernel::{Act, Listener, Question};
use super::moves::Moves;
use super::places;
use super::slight::Slight;

/// Files that are kept while one command runs, and bytes that are copied, at most.
const MOST: (u64, u64) = (5_000, 128 << 20);
/// Files of one directory whose loss would be none, after which the directory is asked about as a whole.
const CALM: usize = 4;
/// What all looks at single files may cost: a command may run for long. A tree is looked at with the bounds of any command.
const LOOKING: Looking =
    Looking { entries: 5_000_000, bytes: 4 << 30, time: Duration::from_secs(7 * 86_400) };
/// What was set aside is written down again after this time at the latest, when more comes.
const SAVED: Duration = Duration::from_secs(5);
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
    /// What was set aside already, by its first name.
    known: HashSet<(PathBuf, Way)>,
    /// What nobody would miss, by its name and its first one. A file whose name may go because its content has another one is
    /// not of the sort whose content may go, and that other name is not either.
    unmissed: HashSet<(PathBuf, PathBuf, Way)>,
    begun: SystemTime,
    session: Session,
    /// Directories that were asked about: nothing that stood in them when it began would be a loss.
    calm: HashMap<PathBuf, bool>,
    harmless: HashMap<PathBuf, usize>,
    capture: Capture,
    left: Vec<PathBuf>,
    moves: Moves,
    /// Things that nobody would miss where they stood, and that got other names since: by their first ones.
    spared: HashSet<PathBuf>,
    slight: Slight,
    /// Programs into which nobody may look.
    hidden: BTreeSet<String>,
    /// The command has ended: what it left running goes on while others change things too, so that what was looked up is soon
    /// old.
    late: Option<Instant>,
    /// When it was written down last, and how many things stood there.
    saved: Option<(Instant, usize)>,
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
                let known = items.into_iter().filter(whole).map(|item| item.path.0);
                (name, known.flat_map(|path| [(path.clone(), Way::Name), (path, Way::Content)]).collect())
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
            unmissed: HashSet::new(),
            begun,
            session: Session::with_budget(LOOKING),
            calm: HashMap::new(),
            harmless: HashMap::new(),
            capture,
            left: Vec::new(),
            moves: Moves::default(),
            spared: HashSet::new(),
            slight: Slight::default(),
            hidden: BTreeSet::new(),
            late: None,
            saved: None,
        })
    }

    /// Sets aside what would be lost by what a question is about.
    pub(super) fn look(&mut self, listener: &Listener, question: &Question) {
        let touched = touched(question);
        let reads = matches!(question.act, None | Some(Act::Read(..) | Act::Add(_)));
        if touched.is_empty() && !reads {
            self.hidden.extend(places::hidden(question.thread));
        }
        for (path, way) in touched {
            if let Ok(meta) = fs::symlink_metadata(&path)
                && !self.is_new(&meta)
                // What was read is worth something only while the one who asked still waits.
                && listener.waits(question)
            {
                self.note(&path, &meta, way);
                self.consider(&path, way, question.thread);
            }
        }
        self.follow(question);
    }

    /// Notes what goes beside content.
    fn note(&mut self, path: &Path, meta: &Metadata, way: Way) {
        let first = self.moves.first_name(path);
        if path.starts_with(self.store.folder()) || places::is_of_git(&first) || places::is_fleeting(path) {
            return;
        }
        match way {
            Way::Rights => self.slight.changed(path, &first, meta),
            Way::Name if meta.is_file() && meta.len() > 0 => {
                if meta.nlink() > 1 {
                    self.slight.name_gone(path, &first, meta);
                }
            }
            Way::Name | Way::Content => self.slight.gone(path, &first, meta),
        }
    }

    /// Notes which things get other names.
    fn follow(&mut self, question: &Question) {
        let stood = |path: &Path| fs::symlink_metadata(path).is_ok_and(|meta| !self.is_new(&meta));
        match question.act {
            Some(Act::Rename(..)) => self.moves_on(question),
            Some(Act::Link(from, to, through)) => {
                if let Some((from, to)) = linked(question, from, to, through)
                    && stood(&from)
                {
                    self.moves.note(from, to);
                }
            }
            Some(Act::Exchange(one, other)) => {
                if let (Some(one), Some(other)) = (name(question, one), name(question, other)) {
                    self.moves.exchange(one, other);
                }
            }
            _ => {}
        }
    }

    /// Notes that something gets another name.
    fn moves_on(&mut self, question: &Question) {
        let Some((from, to)) = renamed(question) else { return };
        let Ok(meta) = fs::symlink_metadata(&from) else { return };
        if self.is_new(&meta) {
            // What came into a new directory goes on with it.
            if meta.is_dir() {
                self.moves.note(from, to);
            }
            return;
        }
        // Where another thing may come back to the name that it gets, it lives on nowhere; and so it does where names
        // are not followed any more.
        if self.moves.is_full() || self.moves.was_elses(&to) {
            self.consider(&from, Way::Content, question.thread);
        }
        self.spare(&from);
        self.moves.note(from, to);
    }

    /// Before something gets another name: whether anybody would miss it is told by the place where it stood, and not by the
    /// one where it is going to (a cache, what a build makes again).
    fn spare(&mut self, from: &Path) {
        let first = self.moves.first_name(from);
        if first != from || self.known.contains(&(first.clone(), Way::Content)) {
            return;
        }
        let missed = match from.is_dir() {
            true => self.tree_weighs(from),
            false => {
                let act = self.act(Action::Delete, from, "file");
                weighed(act, self.world, &mut self.session, self.knowledge, true)
            }
        };
        if !missed {
            self.spared.insert(first);
        }
    }

    /// Whether something has another name than when the command began, and would be missed where it stood then.
    fn was_missed(&self, path: &Path, first: &Path) -> bool {
        first != path && !first.ancestors().any(|above| self.spared.contains(above))
    }

    /// After the command has ended others change things too: what was looked up a while ago is looked up again.
    fn look_anew(&mut self) {
        if let Some(since) = self.late.filter(|since| since.elapsed() >= SAVED) {
            self.session = Session::with_budget(LOOKING);
            self.unmissed.clear();
            self.calm.clear();
            self.late = Some(since + since.elapsed());
        }
    }

    /// Sets something aside, where it stood there before and would be missed.
    fn consider(&mut self, path: &Path, way: Way, thread: Pid) {
        self.look_anew();
        let first = self.moves.first_name(path);
        let done = |way| self.known.contains(&(first.clone(), way));
        let unmissed = self.unmissed.contains(&(path.to_owned(), first.clone(), way));
        if unmissed || done(way) || done(Way::Content) {
            return;
        }
        if let Some(below) = self.stands(path, way)
            && self.counts(path, &first, way, thread)
        {
            self.keep(path, &first, below, way);
            self.save_in_time();
        }
    }

    /// Whether something stands there that was there when the command began; with `true`, also below it.
    fn stands(&self, path: &Path, way: Way) -> Option<bool> {
        let meta = fs::symlink_metadata(path).ok()?;
        // A directory goes with all that stands in it only where it gets another name, and nothing lasts there.
        let goes =
            meta.is_file() && meta.len() > 0 && way != Way::Rights || meta.is_dir() && way == Way::Content;
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
    fn counts(&mut self, path: &Path, first: &Path, way: Way, thread: Pid) -> bool {
        if path.starts_with(self.store.folder()) {
            return false;
        }
        if places::is_of_git(first) {
            return !places::is_git(thread);
        }
        // Further names are followed, so that the last of them is kept.
        let alone = way == Way::Content || path.symlink_metadata().is_ok_and(|meta| meta.nlink() < 2);
        if alone && self.was_missed(path, first) {
            return true;
        }
        if path.ancestors().skip(1).any(|dir| self.calm.get(dir) == Some(&true)) {
            return false;
        }
        let weighs = match path.is_dir() {
            true => self.tree_weighs(path),
            false => {
                // Other names of a file keep it alive when one of them goes, but not its content.
                let action = if way == Way::Content { Action::Replace } else { Action::Delete };
                let mutation = self.act(action, path, "file");
                weighed(mutation, self.world, &mut self.session, self.knowledge, alone)
            }
        };
        if weighs {
            return true;
        }
        self.unmissed.insert((path.to_owned(), first.to_owned(), way));
        let Some(dir) = path.parent() else { return false };
        let harmless = self.harmless.entry(dir.to_owned()).or_default();
        *harmless += 1;
        // Where many go that nobody would miss, the rest may be of that sort.
        if *harmless == CALM && !self.cwd.starts_with(dir) {
            let calm = !self.tree_weighs(dir);
            self.calm.insert(dir.to_owned(), calm);
        }
        false
    }

    /// Whether something would be lost if all of a tree were removed. What is too large to be looked at in time is unknown,
    /// and that counts.
    fn tree_weighs(&self, dir: &Path) -> bool {
        weighed(
            self.act(Action::Delete, dir, "tree"),
            self.world,
            &mut Session::default(),
            self.knowledge,
            true,
        )
    }

    /// The act that is judged in the place of what a program does. None: a name that no evidence can be about.
    fn act(&self, action: Action, path: &Path, kind: &str) -> Option<Mutation> {
        let text = path.to_str()?;
        let mut subject = PathSubject::new(Value::known(text), text);
        (subject.explicit, subject.recursive) = (true, kind == "tree");
        Some(Mutation {
            action,
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
        })
    }

    fn keep(&mut self, path: &Path, first: &Path, below: bool, way: Way) {
        self.known.insert((first.to_owned(), way));
        // The directories on the way come back with it, but for those that stay in any case.
        let home = self.home.iter().map(PathBuf::as_path).filter(|home| path.starts_with(home));
        let tops = home.chain([self.cwd.as_path()].into_iter().filter(|cwd| path.starts_with(cwd)));
        let top = tops.max_by_key(|top| std::cmp::Reverse(top.as_os_str().len())).map(Path::to_owned);
        let top = top.as_deref().filter(|_| first == path).or(path.parent());
        // Something else may have been kept under this name before, and stays kept.
        let earlier = self.capture.put_by(path);
        let meta = fs::symlink_metadata(path);
        let spent = (self.capture.bytes, self.capture.copied);
        let done = with_parents(path, top, below, way, &mut self.capture);
        if done.and_then(|()| self.capture.store_all()).is_err() {
            drop(self.capture.put_by(path));
            self.capture.waiting.clear();
            // What was not kept takes no room from what comes.
            (self.capture.bytes, self.capture.copied) = spent;
            self.left.push(path.to_owned());
        } else {
            if let Ok(meta) = meta.as_ref() {
                self.slight.kept(first, meta);
            }
            if first != path {
                self.capture.call(path, first);
                self.way_back(path, first);
            }
        }
        for item in earlier {
            self.capture.items.insert(item.path.0.clone(), item);
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

    /// Writes down what was set aside so far, now and then: whoever is killed leaves nearly all of it, and a command that
    /// destroys much does not wait for the disk each time.
    fn save_in_time(&mut self) {
        let due = self.saved.is_none_or(|(when, items)| {
            self.capture.items.len() >= items.saturating_mul(2) || when.elapsed() >= SAVED
        });
        if due {
            self.save_now();
        }
    }

    /// Something was set aside that is not written down yet.
    pub(crate) fn is_unsaved(&self) -> bool {
        let items = self.capture.items.len();
        self.saved.is_none_or(|(_, saved)| saved != items) && items > 0
    }

    /// Writes down what was set aside so far.
    pub(crate) fn save_now(&mut self) {
        // Whether that could be done in the end is told when it ends.
        let _ = self.save();
        self.saved = Some((Instant::now(), self.capture.items.len()));
    }

    /// Brings all of it to the disk, in the command's recovery point; what it is, in words. None: there is nothing to speak of.
    fn save(&mut self) -> Result<Option<String>, String> {
        let kept = self.capture.items.values().any(|item| !item.was.is_about() && item.was != Was::Directory);
        if !kept && !self.slight.has_rights() {
            return Ok(None);
        }
        self.capture.flush().map_err(|error| error.to_string())?;
        let what = if kept { described(&self.capture) } else { "modes and owners".to_owned() };
        let head = Head { without: self.missed().into_iter().collect(), ..self.head.clone() };
        let head = self.capture.told_in(head, what.clone());
        let mut items = self.capture.all();
        self.slight.complete(&mut items, &mut self.capture);
        items.iter_mut().for_each(|item| item.beside = true);
        let written = if self.before {
            self.store.write_beside(&self.name, &head, &items)
        } else {
            self.store.write(&head, &items).map(drop)
        };
        written.map_err(|error| error.to_string()).map(|()| kept.then_some(what))
    }

    /// The command has ended. All that was set aside stands on the disk, in its recovery point: what it is, and what could
    /// not be kept, in words. What it left running may be watched on.
    ///
    /// # Errors
    /// When the disk refuses.
    pub(crate) fn ended(&mut self) -> Result<(Option<String>, Option<String>), String> {
        let what = self.save()?;
        self.late = Some(Instant::now());
        self.saved = Some((Instant::now(), self.capture.items.len()));
        Ok((what, self.missed()))
    }

    /// Nothing of the command runs any more, or is watched any more.
    pub(crate) fn close(mut self) {
        // The disk refused before, or nobody is left to be told.
        let _ = self.save();
    }

    fn missed(&self) -> Option<String> {
        let named: Vec<String> = self.left.iter().take(NAMED).map(|path| super::super::shown(path)).collect();
        let more = self.left.len().saturating_sub(NAMED);
        let and = if more > 0 { format!(" and {more} more") } else { String::new() };
        let left = (!named.is_empty())
            .then(|| format!("{}{and}: it was too much, or could not be read", named.join(", ")));
        let hidden: Vec<&str> = self.hidden.iter().take(NAMED).map(String::as_str).collect();
        let hidden = (!hidden.is_empty())
            .then(|| format!("what {} did: nobody may look into that program", hidden.join(", ")));
        let all: Vec<String> = left.into_iter().chain(hidden).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }
}

/// Whether something would be lost by an act, by the evidence that any such act is judged by. What no evidence can be about
/// is unknown, and that counts. `alone`: what has the same content is no further name of it.
fn weighed(
    act: Option<Mutation>,
    world: &dyn World,
    session: &mut Session,
    knowledge: &Knowledge,
    alone: bool,
) -> bool {
    let Some(act) = act else { return true };
    let evidence = evidence::collect(&act, world, session);
    // A copy elsewhere may go next: of a running program nobody knows what comes.
    let copied = alone
        && evidence.facts.get("loss").is_some_and(|fact| fact.value == FactValue::Text("copied".to_owned()));
    copied || weighs(&recoverability::assess(act, evidence, knowledge))
}
