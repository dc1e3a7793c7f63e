//! A directory that a tool makes again, read by name alone: what in it is not the tool's, whatever its size.
//!
//! No file of the tool's costs a look at the machine, only the directories' lists do, and several threads read those.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::model::LossClass;
use crate::world::{Entry, FileKind, LookError, Meta};

use super::content;
use super::places::precious_name;
use super::regenerable::{self, Regenerable};
use super::vouch::{self, Stage};
use super::walk::{Around, Walk};

/// Directories that are read together.
const TOGETHER: usize = 256;
/// Files of packages up to which it is looked whether one was changed after it was installed.
const CHANGED_LIMIT: usize = 4000;

/// What the names gave so far.
#[derive(Default)]
struct Names {
    /// Files that are the tool's.
    made: u64,
    /// Files that are not, or may not be.
    strange: Vec<PathBuf>,
    /// Directories that are not.
    own: Vec<PathBuf>,
    /// Files of packages.
    packages: Vec<PathBuf>,
    /// Why not everything was read.
    cut: Option<&'static str>,
}

/// Bytecode in `__pycache__` is made again from the source one level up; the directory's rule covers it.
pub(super) fn is_compiled(path: &Path) -> bool {
    path.parent().is_some_and(|dir| dir.ends_with("__pycache__"))
        && path.extension().is_some_and(|ending| ending == "pyc" || ending == "pyo")
}

impl Walk<'_> {
    /// A program that the project around it builds. `top` is the working tree's top, if it lies in a repository.
    pub(super) fn is_built(&mut self, path: &Path, meta: &Meta, top: Option<&Path>) -> bool {
        meta.mode & 0o111 != 0
            && top.is_some_and(|top| regenerable::is_built(self.world, self.session, path, meta.size, top))
    }

    /// Reads a directory that is made again, with all that lies below it, and gives back the directories in it that are
    /// not: clones, and what no record of the tool lists. `None` where each file has to be looked at.
    pub(super) fn made_again(&mut self, dir: &Path, inner: &Around) -> Option<Vec<(PathBuf, Meta, Around)>> {
        let rule = Rc::clone(inner.regenerable.as_ref()?);
        let tracked = inner.repo.as_ref().is_some_and(|repo| repo.tracked_below(self.world, dir) != Ok(0));
        let plain = !inner.locked && !inner.unclear && !self.catastrophe && self.how.excluded.is_empty();
        if !plain || tracked {
            return None;
        }
        let mut names = self.names(dir, &rule, inner.stage);
        self.changed(&rule, &mut names);
        let around = Around { regenerable: None, stage: Stage::Own, own: true, ..inner.clone() };
        for path in std::mem::take(&mut names.strange) {
            match self.world.lstat(&path) {
                Ok(meta) if rule.recipe.is_some() && is_a_program(&path, &meta) => names.made += 1,
                Ok(meta) => self.take(&path, &meta, &around),
                Err(LookError::NotFound) => {}
                Err(error) => self.unreadable(&path, &error),
            }
        }
        if names.made > 0 {
            let shown = self.show(dir);
            let tally = self.loss.classes.entry(LossClass::Regenerable).or_default();
            tally.files += names.made;
            tally.examples.push(shown);
            tally.examples.truncate(5);
        }
        if let Some(why) = names.cut {
            self.loss.truncated = true;
            self.note(format!("not all of {} was looked at: {why}", self.show(dir)));
            // What is known to be lost already is a worse answer than that there may be more.
            if self.lost() == 0 {
                self.add(LossClass::Unseen, 0, dir);
            }
        }
        let mut own = Vec::new();
        for path in names.own {
            match self.world.lstat(&path) {
                Ok(meta) => own.push((path, meta, around.clone())),
                Err(LookError::NotFound) => {}
                Err(error) => self.unreadable(&path, &error),
            }
        }
        Some(own)
    }

    /// The rule and the stage of a directory inside one that is made again; `None` outside, or where it is not the tool's.
    pub(super) fn stage_inside(&mut self, dir: &Path, above: &Around) -> Option<(Rc<Regenerable>, Stage)> {
        let rule = Rc::clone(above.regenerable.as_ref()?);
        let (parent, name) = (dir.parent()?, dir.file_name()?.to_string_lossy());
        let stage = vouch::enter(self.world, self.session, &rule, above.stage, parent, &name);
        (stage != Stage::Own).then_some((rule, stage))
    }

    /// Whether a single file is the tool's.
    pub(super) fn is_vouched(&mut self, path: &Path, around: &Around) -> bool {
        if self.how.anew && self.is_made_anew(path) {
            return true;
        }
        let Some(rule) = around.regenerable.clone() else { return false };
        let (Some(dir), Some(name)) = (path.parent(), path.file_name()) else { return false };
        let name = name.to_string_lossy();
        if !vouch::vouches(self.world, self.session, &rule, around.stage, dir, &name) {
            let meta = self.world.lstat(path);
            return rule.recipe.is_some() && meta.is_ok_and(|meta| is_a_program(path, &meta));
        }
        let mut names = Names { packages: vec![path.to_owned()], ..Names::default() };
        if around.stage == Stage::Package {
            self.changed(&rule, &mut names);
        }
        names.strange.is_empty()
    }

    /// Whether a file in a directory that a program empties is its own work: compilers make such, it says so, or it lies among
    /// the pages of a site whose first page says so, and has no name that people give.
    fn is_made_anew(&mut self, path: &Path) -> bool {
        let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        if precious_name(path).is_some() {
            return false;
        }
        let text = || self.world.read_file(path, content::FILE_LIMIT);
        if !regenerable::is_a_persons(&name, false)
            && text().is_ok_and(|text| regenerable::is_compiled(&text))
        {
            return true;
        }
        !regenerable::is_a_persons(&name, true) && self.is_on_a_built_site()
    }

    /// Whether the first page of what is walked says that a program made it.
    fn is_on_a_built_site(&mut self) -> bool {
        let Some(root) = self.roots.last() else { return false };
        if let Some((known, built)) = &self.site
            && known == root
        {
            return *built;
        }
        let page = self.world.read_file(&root.join("index.html"), content::FILE_LIMIT);
        let built = page.is_ok_and(|page| regenerable::is_built_page(&page));
        self.site = Some((root.clone(), built));
        built
    }

    fn names(&mut self, root: &Path, rule: &Rc<Regenerable>, stage: Stage) -> Names {
        let mut names = Names::default();
        let mut pending = vec![(root.to_owned(), stage)];
        while !pending.is_empty() {
            if !self.session.in_time(self.world) {
                names.cut = Some("the time for looking ran out");
                break;
            }
            let batch = pending.split_off(pending.len().saturating_sub(TOGETHER));
            let paths: Vec<&Path> = batch.iter().map(|(dir, _)| dir.as_path()).collect();
            let room = self.session.names_left();
            let lists = self.world.read_dirs(&paths, room);
            for ((dir, stage), list) in batch.iter().zip(lists) {
                match list {
                    Ok(entries) => {
                        self.session.spend_names(entries.len());
                        self.list(rule, dir, *stage, entries, &mut names, &mut pending);
                    }
                    Err(LookError::NotFound) => {}
                    Err(LookError::TooLarge) => names.cut = Some("it holds too many files"),
                    Err(error) => self.unreadable(dir, &error),
                }
            }
            if names.cut.is_some() {
                break;
            }
        }
        names
    }

    fn list(
        &mut self,
        rule: &Rc<Regenerable>,
        dir: &Path,
        stage: Stage,
        entries: Vec<Entry>,
        names: &mut Names,
        pending: &mut Vec<(PathBuf, Stage)>,
    ) {
        if vouch::is_clone(entries.iter().map(|entry| entry.name.as_str())) {
            names.own.push(dir.to_owned());
            return;
        }
        for entry in entries {
            if entry.kind == FileKind::Directory {
                let path = dir.join(&entry.name);
                if !entry.exact {
                    self.add(LossClass::Unseen, 0, &path);
                    continue;
                }
                match vouch::enter(self.world, self.session, rule, stage, dir, &entry.name) {
                    Stage::Own => names.own.push(path),
                    inside => pending.push((path, inside)),
                }
            } else if entry.kind != FileKind::File
                || vouch::vouches(self.world, self.session, rule, stage, dir, &entry.name)
            {
                names.made += 1;
                if stage == Stage::Package && names.packages.len() <= CHANGED_LIMIT {
                    names.packages.push(dir.join(&entry.name));
                }
            } else if entry.exact {
                names.strange.push(dir.join(&entry.name));
            } else {
                self.add(LossClass::Unseen, 0, &dir.join(&entry.name));
            }
        }
    }

    /// Files of packages that were changed after npm had installed them: patched by hand, and nowhere else.
    fn changed(&mut self, rule: &Regenerable, names: &mut Names) {
        if names.packages.is_empty() || names.packages.len() > CHANGED_LIMIT {
            return;
        }
        // Tools such as patch-package do it from a recipe that stays.
        let project = rule.root.parent();
        if project.is_some_and(|project| self.world.lstat(&project.join("patches")).is_ok()) {
            return;
        }
        let Some(installed) = self.session.installed(self.world, &rule.root) else { return };
        let newer = |path: &PathBuf| {
            let meta = self.world.lstat(path).ok();
            meta.is_some_and(|meta| meta.kind == FileKind::File && meta.modified > installed)
        };
        let all = names.packages.len();
        let found: Vec<PathBuf> =
            names.packages.drain(..).filter(newer).filter(|path| !is_built(path, &rule.root)).collect();
        // Where most files are newer, the whole was copied here after it had been installed.
        if found.len() * 2 > all.max(2) {
            return;
        }
        for path in found {
            self.note(format!("{} was changed after it was installed", self.show(&path)));
            names.made = names.made.saturating_sub(1);
            names.strange.push(path);
        }
    }
}

/// What a package's own build or a run leaves in it.
fn is_built(path: &Path, root: &Path) -> bool {
    let built = ["build", ".cache", "__pycache__", ".vite", "prebuilds"];
    let below = path.strip_prefix(root).unwrap_or(path);
    below.components().any(|part| built.iter().any(|name| part.as_os_str() == *name))
        || path
            .extension()
            .is_some_and(|ending| ["node", "log", "tsbuildinfo", "pyc"].iter().any(|e| ending == *e))
}

/// A file without an ending that may be run: what a compiler makes.
fn is_a_program(path: &Path, meta: &Meta) -> bool {
    meta.kind == FileKind::File && meta.mode & 0o111 != 0 && path.extension().is_none()
}
