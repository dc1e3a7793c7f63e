//! One question to a repository: where it is, what was asked for, and how git is asked.

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use crate::evidence::Session;
use crate::model::{FactValue, Mutation, Subject, Value};
use crate::world::git_dir::{self, Config, is_true};
use crate::world::resolve::logical;
use crate::world::{LookError, Query, World};

use super::GitRepo;
use super::pathspec::Pathspecs;

/// Longest wait for one answer of git.
const WAIT: Duration = Duration::from_secs(2);

/// A mutation of something in a repository, with the machine to look at.
pub(super) struct Look<'a> {
    pub(super) world: &'a dyn World,
    pub(super) session: &'a mut Session,
    pub(super) mutation: &'a Mutation,
    /// The repository.
    pub(super) repo: Rc<GitRepo>,
    /// Directory that git runs in, symbolic links resolved.
    pub(super) dir: PathBuf,
}

/// What was found instead of a repository.
pub(super) enum Found<'a> {
    /// The repository.
    Here(Box<Look<'a>>),
    /// There is none, in this directory (`None`: the directory is not there): git refuses.
    Nowhere(Option<PathBuf>),
    /// It cannot be told; says why.
    Unseen(String),
}

/// Finds the repository that a git mutation acts on when git runs in `dir`.
pub(super) fn find<'a>(
    mutation: &'a Mutation,
    dir: &Path,
    world: &'a dyn World,
    session: &'a mut Session,
) -> Found<'a> {
    let dir = match world.canonicalize(dir) {
        Ok(dir) => dir,
        Err(LookError::NotFound) => return Found::Nowhere(None),
        Err(error) => return Found::Unseen(format!("{} could not be looked at: {error}", dir.display())),
    };
    let named = |key: &str, variable: &str| {
        text_fact(mutation, key)
            .map(str::to_owned)
            .or_else(|| world.env(variable))
            .map(|path| world.canonicalize(&dir.join(&path)).unwrap_or_else(|_| dir.join(path)))
    };
    let work_tree = named("work-tree", "GIT_WORK_TREE");
    let git = session.git();
    if let Some(git_dir) = named("git-dir", "GIT_DIR") {
        // Without a working tree of its own such a repository takes the current directory for one.
        return match git_dir::at(world, &git_dir, work_tree.as_deref(), Some(&dir)) {
            Ok(Some(place)) => {
                // From outside of its working tree git works at its top.
                let dir = place.work_tree.clone().filter(|top| !dir.starts_with(top)).unwrap_or(dir);
                Found::Here(Box::new(Look { world, session, mutation, repo: git.open(place), dir }))
            }
            Ok(None) => Found::Nowhere(Some(dir)),
            Err(error) => Found::Unseen(format!("{} could not be looked at: {error}", git_dir.display())),
        };
    }
    match git.discover(world, &dir) {
        Ok(Some(repo)) => {
            let repo = match work_tree {
                Some(top) => {
                    let mut place = repo.place().clone();
                    place.work_tree = Some(top);
                    git.open(place)
                }
                None => repo,
            };
            let inside = repo.work_tree().is_none_or(|top| dir.starts_with(top)) || repo.is_internal(&dir);
            let dir = if inside { dir } else { repo.work_tree().map_or(dir, Path::to_owned) };
            Found::Here(Box::new(Look { world, session, mutation, repo, dir }))
        }
        Ok(None) => Found::Nowhere(Some(dir)),
        Err(error) => Found::Unseen(format!("the repository could not be looked at: {error}")),
    }
}

/// A fact of the mutation that is text.
pub(super) fn text_fact<'m>(mutation: &'m Mutation, key: &str) -> Option<&'m str> {
    match mutation.facts.get(key).map(|fact| &fact.value) {
        Some(FactValue::Text(text)) => Some(text),
        _ => None,
    }
}

/// Whether a fact of the mutation is there and not false.
pub(super) fn has_fact(mutation: &Mutation, key: &str) -> bool {
    mutation.facts.get(key).is_some_and(|fact| fact.value != FactValue::Bool(false))
}

impl Look<'_> {
    /// A fact that is text.
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        text_fact(self.mutation, key)
    }

    /// Whether a fact is there.
    pub(super) fn has(&self, key: &str) -> bool {
        has_fact(self.mutation, key)
    }

    /// The names: paths, refs, stash entries. `None` for one that is not known.
    pub(super) fn names(&self) -> Vec<Option<String>> {
        let Subject::Git { names, .. } = &self.mutation.subject else { return Vec::new() };
        let mut list = Vec::new();
        // A push names its remote first.
        for name in names.iter().skip(usize::from(self.has("has-remote"))) {
            match name {
                Value::Known(text) => list.push(Some(text.clone())),
                Value::OneOf(texts) => list.extend(texts.iter().cloned().map(Some)),
                _ => list.push(None),
            }
        }
        list
    }

    /// The pathspecs of names that are given in `prefix`. Absolute ones count from the top, as git takes them.
    pub(super) fn specs(&self, names: &[Option<String>], prefix: &str) -> Pathspecs {
        let inside = |name: &Option<String>| name.as_deref().and_then(|name| self.seen_from_top(name));
        Pathspecs::read(&names.iter().map(inside).collect::<Vec<_>>(), prefix)
    }

    /// A pathspec that is no absolute path; `None` where it cannot be told what such a path names.
    fn seen_from_top(&self, word: &str) -> Option<String> {
        let long = word.strip_prefix(":(").and_then(|tail| tail.split_once(')'));
        let (magic, path) = long.unwrap_or(("", word));
        let Some(top) = self.repo.work_tree().filter(|_| path.starts_with('/')) else {
            return Some(word.to_owned());
        };
        let path = logical(Path::new(path));
        let mut inside = path.strip_prefix(top).ok().map(Path::to_owned);
        // Another name of the top may lead there through links.
        for above in path.ancestors() {
            if inside.is_some() {
                break;
            }
            match self.world.canonicalize(above) {
                Ok(real) if real == top => inside = path.strip_prefix(above).ok().map(Path::to_owned),
                Ok(_) | Err(LookError::NotFound) => {}
                Err(_) => return None,
            }
        }
        // Outside of the working tree git refuses it: it stays what matches nothing.
        let Some(inside) = inside else { return Some(word.to_owned()) };
        let comma = if magic.is_empty() { "" } else { "," };
        Some(format!(":({magic}{comma}top){}", inside.to_string_lossy()))
    }

    /// Directory that git runs in, relative to the top of the working tree.
    pub(super) fn prefix(&self) -> String {
        self.repo
            .relative(&self.dir)
            .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
            .unwrap_or_default()
    }

    /// A configuration value as the command sees it: `-c` first, then what the same command set, then the files.
    pub(super) fn config(&self, key: &str) -> Option<String> {
        let mut given = Config::default();
        for (name, value) in self.session.git().settings(&self.repo.place().common_dir) {
            given.set(&name, value);
        }
        for line in self.text("settings").unwrap_or_default().lines() {
            let (name, value) = line.split_once('=').unwrap_or((line, "true"));
            given.set(name, value);
        }
        given.get(key).or_else(|| self.repo.config(self.world).get(key)).map(str::to_owned)
    }

    /// Every value of a key that may hold several: what the command itself says, or else what the files say.
    pub(super) fn configs(&self, key: &str) -> Vec<String> {
        let mut given = Config::default();
        for line in self.text("settings").unwrap_or_default().lines() {
            let (name, value) = line.split_once('=').unwrap_or((line, "true"));
            given.set(name, value);
        }
        for (name, value) in self.session.git().settings(&self.repo.place().common_dir) {
            given.set(&name, value);
        }
        given.all(key).chain(self.repo.config(self.world).all(key)).map(str::to_owned).collect()
    }

    /// What a remote's own setting brings to refs that follow no remote: a refspec whose end is not below `refs/remotes`.
    pub(super) fn fetches_onto(&self) -> Option<String> {
        let onto = |key: &str, value: &str| {
            let end = value.split_once(':').is_some_and(|(_, to)| !to.starts_with("refs/remotes/"));
            end && key.starts_with("remote.") && key.ends_with(".fetch")
        };
        let lines = self.text("settings").unwrap_or_default().lines();
        let given = lines.filter_map(|line| line.split_once('='));
        let earlier = self.session.git().settings(&self.repo.place().common_dir);
        let config = self.repo.config(self.world);
        let all = earlier.iter().map(|(key, value)| (key.as_str(), value.as_str())).chain(given);
        let mut all = all.chain(config.iter());
        all.find(|(key, value)| onto(key, value)).map(|(_, value)| value.to_owned())
    }

    /// Whether refs are kept in another form than files of their own: only git can be asked then.
    pub(super) fn refs_are_foreign(&self) -> bool {
        self.repo.config(self.world).get("extensions.refStorage").is_some_and(|form| form != "files")
    }

    /// Whether a configuration value means yes; `otherwise` when it is not set.
    pub(super) fn config_is(&self, key: &str, otherwise: bool) -> bool {
        self.config(key).map_or(otherwise, |value| is_true(&value))
    }

    /// Asks git in this repository; its output.
    pub(super) fn ask(&mut self, words: &[&str]) -> Result<String, LookError> {
        let dir = self.dir.clone();
        let mut arguments = Vec::new();
        // Only where the command names it: git finds everything else by itself.
        let place = self.repo.place();
        let named = ["git-dir", "work-tree"].iter().any(|key| self.has(key))
            || ["GIT_DIR", "GIT_WORK_TREE"].iter().any(|name| self.world.env(name).is_some())
            // A setting of the repository puts its working tree where nothing leads back to it.
            || place.work_tree.as_ref().is_some_and(|top| {
                place.git_dir == place.common_dir && self.world.lstat(&top.join(".git")).is_err()
            });
        if named {
            arguments.push(format!("--git-dir={}", place.git_dir.display()));
        }
        if let Some(top) = &place.work_tree
            && named
        {
            arguments.push(format!("--work-tree={}", top.display()));
        }
        arguments.extend(words.iter().map(|word| (*word).to_owned()));
        self.ask_in(&dir, arguments)
    }

    /// Asks git in another directory.
    pub(super) fn ask_in(&mut self, dir: &Path, arguments: Vec<String>) -> Result<String, LookError> {
        let timeout = self.session.time_left(self.world).min(WAIT);
        if timeout.is_zero() {
            return Err(LookError::Deadline);
        }
        let query = Query::Git { dir: dir.to_owned(), arguments };
        let answer = self.world.ask(&query, timeout)?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    }

    /// Asks for one number.
    pub(super) fn count(&mut self, words: &[&str]) -> Result<u64, LookError> {
        let answer = self.ask(words)?;
        answer.trim().parse().map_err(|_| LookError::Other("git gave no number".to_owned()))
    }

    /// The object id that a revision names, `None` when it names nothing.
    ///
    /// # Errors
    /// When git cannot be asked at all.
    pub(super) fn resolve(&mut self, revision: &str) -> Result<Option<String>, LookError> {
        if revision.starts_with('-') || revision.contains('\0') {
            return Ok(None);
        }
        let commit = format!("{revision}^{{}}");
        match self.ask(&["rev-parse", "--verify", "--quiet", "--end-of-options", &commit]) {
            // Old versions print the separator too.
            Ok(answer) => {
                Ok(answer.lines().last().map(|line| line.trim().to_owned()).filter(|id| !id.is_empty()))
            }
            Err(LookError::Other(_)) => {
                // Failing is also how git says that there is no such revision; it must be able to say anything at all.
                self.ask(&["rev-parse", "--git-dir"])?;
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}
