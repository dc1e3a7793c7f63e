//! Names instead of numbers: what stands nowhere else, for whoever sets it aside.

use std::path::Path;

use crate::model::LossClass;
use crate::world::Meta;

use super::{Around, Walk};

impl Walk<'_> {
    /// Names a repository that lies below the root of the walk; whether names are collected at all.
    pub(super) fn names_repository(&mut self, dir: &Path, root: &Path) -> bool {
        let Some(found) = &mut self.collect else { return false };
        if dir.parent() != Some(root) {
            found.nested.push(dir.parent().filter(|_| dir.ends_with(".git")).unwrap_or(dir).to_owned());
        }
        true
    }

    /// Names a directory in which a name stands that is no text; whether names are collected at all.
    pub(super) fn names_foreign(&mut self, dir: &Path) -> bool {
        self.collect.as_mut().map(|found| found.foreign.push(dir.to_owned())).is_some()
    }

    /// Names one thing where names are collected.
    pub(super) fn name(&mut self, path: &Path, meta: &Meta, around: &Around) {
        if path.ends_with(".git")
            && let (Some(found), Some(parent)) = (&mut self.collect, path.parent())
        {
            found.nested.push(parent.to_owned());
        }
        let known = self.known.is_some_and(|known| known(path, meta));
        let class = if known { LossClass::Lost } else { self.class(path, meta, around) };
        let Some(found) = &mut self.collect else { return };
        match class {
            LossClass::Tracked | LossClass::Temporary | LossClass::Packaged => {}
            LossClass::Regenerable => found.made_again.push(path.to_owned()),
            _ => found.files.push(path.to_owned()),
        }
    }
}
