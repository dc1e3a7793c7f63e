//! What surrounds a place that a walk comes to: its repository, what makes it again, who may change it.

use std::path::Path;
use std::rc::Rc;

use crate::evidence::git::GitRepo;
use crate::evidence::path::history::{self, Fate};
use crate::evidence::path::regenerable;
use crate::evidence::path::rights;
use crate::evidence::path::vouch::{self, Stage};
use crate::world::Meta;

use super::{Around, Walk};

impl Walk<'_> {
    /// What surrounds a single file.
    pub(super) fn around_file(&mut self, path: &Path) -> Around {
        match path.parent() {
            Some(parent) => self.around_directory(parent),
            None => Around::default(),
        }
    }

    /// What surrounds the entries of a directory that the walk starts in: directories above count too.
    pub(super) fn around_directory(&mut self, dir: &Path) -> Around {
        let (repo, unclear) = self.repository_of(dir, None);
        let top = repo.as_ref().and_then(|repo| repo.work_tree().map(Path::to_owned));
        let stop =
            |at: &Path| at.parent().is_none() || self.places.home() == Some(at) || top.as_deref() == Some(at);
        let regenerable = match self.session.made_again.get(dir) {
            _ if unclear => None,
            Some(known) => known.clone(),
            None => {
                let found = dir
                    .ancestors()
                    .take_while(|at| !stop(at))
                    .find_map(|at| regenerable::directory(self.world, at, top.as_deref()))
                    .map(Rc::new);
                self.session.made_again.insert(dir.to_owned(), found.clone());
                found
            }
        };
        let going = repo.as_ref().is_some_and(|repo| self.goes(repo));
        let stage = match &regenerable {
            Some(rule) => vouch::at(self.world, self.session, rule, dir),
            None => Stage::Own,
        };
        let regenerable = regenerable.filter(|_| stage != Stage::Own);
        Around { repo, regenerable, stage, own: false, going, locked: false, unclear }
    }

    /// What surrounds the entries of a directory, given what surrounds the directory.
    pub(super) fn enter(&mut self, dir: &Path, meta: &Meta, above: &Around) -> Around {
        let (repo, unclear) = self.repository_of(dir, above.repo.clone());
        let top = repo.as_ref().and_then(|repo| repo.work_tree().map(Path::to_owned));
        // A clone is somebody's, wherever it stands.
        let own = above.own || top.as_deref() == Some(dir);
        let inside = self.stage_inside(dir, above).filter(|_| !own);
        let stage = inside.as_ref().map_or(Stage::Root, |(_, stage)| *stage);
        let regenerable = inside.map(|(rule, _)| rule).or_else(|| {
            if unclear || own {
                return None;
            }
            let found = regenerable::directory(self.world, dir, top.as_deref()).map(Rc::new);
            if let Some(found) = &found {
                self.note(format!("{} is made again by {}", self.show(dir), found.again));
                self.again.get_or_insert_with(|| found.again.clone());
            }
            found
        });
        let locked = self.how.rights && !rights::entries_change(self.world, dir, meta);
        if let Some(why) = self.places.catastrophe(dir) {
            self.mark(why, 100);
        }
        let going = repo.as_ref().is_some_and(|repo| self.goes(repo));
        Around { repo, regenerable, stage, own: false, going, locked, unclear }
    }

    /// The repository of a directory, and whether that could not be told (`otherwise` stands for it then).
    pub(super) fn repository_of(
        &mut self,
        dir: &Path,
        otherwise: Option<Rc<GitRepo>>,
    ) -> (Option<Rc<GitRepo>>, bool) {
        match self.git.discover(self.world, dir) {
            Ok(repo) => (repo, false),
            Err(error) => {
                self.note(format!("the repository of {} could not be looked at: {error}", self.show(dir)));
                (otherwise, true)
            }
        }
    }

    /// A git directory as a whole: `.git`, or a bare repository, all of it below what is destroyed.
    pub(super) fn is_repository(&self, dir: &Path, around: &Around) -> bool {
        around.repo.as_ref().is_some_and(|repo| {
            let place = repo.place();
            dir == place.git_dir && place.git_dir == place.common_dir
        })
    }

    /// Whether a repository's object store lies below what is destroyed.
    pub(super) fn goes(&self, repo: &GitRepo) -> bool {
        let store = &repo.place().common_dir;
        self.roots.iter().any(|root| store.starts_with(root)) || self.session.is_destroyed(store)
    }

    /// What becomes of a repository's history, asked once.
    pub(in crate::evidence::path) fn fate(&mut self, repo: &GitRepo) -> Fate {
        if !self.goes(repo) {
            return Fate::Stays;
        }
        let store = &repo.place().common_dir;
        if let Some(known) = self.fates.get(store) {
            return known.clone();
        }
        // A remote that lies below what is destroyed holds nothing any more.
        for root in self.roots.clone() {
            self.session.destroy(&root);
        }
        let found = history::fate(self.world, self.session, repo);
        self.fates.insert(store.clone(), found.clone());
        found
    }
}
