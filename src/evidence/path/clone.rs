//! A git directory that goes as a whole: its history, its submodules' and its hooks.

use std::path::{Path, PathBuf};

use crate::model::LossClass;
use crate::world::{FileKind, LookError, Meta, World, git_dir};

use super::history::Fate;
use super::rights;
use super::walk::{Around, Walk};

/// Directories of submodules' repositories that are looked at in one git directory.
const MODULES: usize = 500;

impl Walk<'_> {
    pub(super) fn repository(&mut self, dir: &Path, around: &Around) {
        let Some(repo) = around.repo.clone() else { return };
        if around.locked && !rights_deep(self.world, dir) {
            self.protected += 1;
            return;
        }
        let hooks = self.custom_hooks(dir);
        let modules = self.modules(dir);
        let fate = modules.into_iter().find(|fate| matches!(fate, Fate::Goes(_)));
        match fate.unwrap_or_else(|| self.fate(&repo)) {
            Fate::Goes(what) => {
                self.mark("git repository", 80);
                let shown = format!("{} ({what})", self.show(dir));
                let tally = self.loss.classes.entry(LossClass::Lost).or_default();
                tally.files += 1;
                tally.examples.insert(0, shown);
                tally.examples.truncate(5);
                self.note(format!("{} holds {what}", self.show(dir)));
            }
            Fate::Pushed | Fate::Stays => {
                let shown = self.show(dir);
                self.note(format!("every commit of {shown} is on a remote"));
                self.kept.get_or_insert_with(|| format!("the remote of {shown}"));
                self.add(LossClass::Copied, 0, dir);
            }
        }
        for (hook, meta) in hooks {
            self.mark("git repository", 80);
            self.add(LossClass::Lost, meta.size, &hook);
        }
    }

    /// What becomes of the submodules whose repositories lie in a git directory.
    fn modules(&mut self, dir: &Path) -> Vec<Fate> {
        let mut fates = Vec::new();
        let mut pending = vec![dir.join("modules")];
        while let Some(place) = pending.pop() {
            let found = match git_dir::looks_like_git(self.world, &place) {
                Ok(true) => git_dir::at(self.world, &place, None, None),
                Ok(false) => match self.world.read_dir(&place, MODULES) {
                    Ok(entries) if pending.len() + entries.len() <= MODULES => {
                        let below = entries.iter().filter(|entry| entry.kind == FileKind::Directory);
                        pending.extend(below.map(|entry| place.join(&entry.name)));
                        continue;
                    }
                    Err(LookError::NotFound) => continue,
                    _ => Err(LookError::TooLarge),
                },
                Err(error) => Err(error),
            };
            match found {
                Ok(Some(found)) => {
                    let repo = self.git.open(found);
                    fates.push(self.fate(&repo));
                    pending.push(place.join("modules"));
                }
                Ok(None) => {}
                Err(error) => {
                    self.note(format!("{}: {error}", self.show(&place)));
                    self.add(LossClass::Unseen, 0, &place);
                }
            }
        }
        fates
    }

    /// Hooks that somebody wrote: no remote has them.
    fn custom_hooks(&mut self, dir: &Path) -> Vec<(PathBuf, Meta)> {
        let hooks = dir.join("hooks");
        let entries = match self.world.scan(&hooks, 200) {
            Ok(entries) => entries,
            Err(LookError::NotFound) => return Vec::new(),
            Err(error) => {
                self.unreadable(&hooks, &error);
                return Vec::new();
            }
        };
        entries
            .into_iter()
            .filter(|(entry, _)| !entry.name.ends_with(".sample"))
            .filter_map(|(entry, meta)| Some((hooks.join(entry.name), meta.ok()?)))
            .filter(|(_, meta)| meta.kind == FileKind::File && meta.size > 0)
            .collect()
    }
}

/// Whether something directly inside a directory could be removed although the directory's own entry cannot.
fn rights_deep(world: &dyn World, dir: &Path) -> bool {
    world.stat(dir).is_ok_and(|meta| rights::entries_change(world, dir, &meta))
}
