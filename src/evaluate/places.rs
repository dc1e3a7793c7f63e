//! Where the paths that a policy speaks of, and those that are acted on, really lead.

use std::path::Path;

use crate::model::Assessment;
use crate::policy::{Places, Policy};
use crate::world::World;
use crate::world::git_dir;
use crate::world::resolve::{Disk, Remembered, physical};

/// Looks up what the policy's rules need; nothing where none of them names a path.
pub(super) fn places(
    policy: &Policy,
    assessments: &[Assessment],
    home: Option<&Path>,
    world: &dyn World,
) -> Places {
    let mut places = Places::default();
    let asked = policy.asks(assessments, home);
    if asked.paths.is_empty() {
        return places;
    }
    let links = Remembered::new(Disk(world));
    let real = |path: &str, last| {
        physical(Path::new(path), &links, last).map(|real| real.to_string_lossy().into_owned())
    };
    // The tops of working trees first: they are paths like others from then on.
    for dir in &asked.roots {
        let start = real(dir, true);
        let found = start.and_then(|dir| git_dir::locate(world, Path::new(&dir)).ok()?);
        if let Some(top) = found.and_then(|found| found.work_tree) {
            places.root(dir, top.to_string_lossy().into_owned());
        }
    }
    for (path, last) in asked.paths {
        if let Some(real) = real(&path, last) {
            places.lead(&path, real);
        }
    }
    places
}
