//! The files that a yes speaks of: what was approved is what they held then, and the same words with other files are
//! another request.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::attest::document::hex;
use crate::evaluate::Evaluation;
use crate::model::{Material, Part};
use crate::text::escape;
use crate::world::World;

/// Largest program that is compared.
const PROGRAM: u64 = 2 << 30;
/// Largest file of which only the beginning is compared.
const GROWN: u64 = 64 << 20;

/// One file, and what it held.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Bound {
    /// Where it stands; secrets masked.
    pub path: String,
    /// What it was read as.
    pub part: Part,
    /// SHA-256 of its bytes; `None` when they may not be looked at.
    pub sha256: Option<String>,
    /// How many these were, where it may grow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
}

/// All of them, and the machine that they are on.
pub struct Files<'w> {
    all: Vec<Bound>,
    world: &'w dyn World,
}

impl fmt::Debug for Files<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.all).finish()
    }
}

impl<'w> Files<'w> {
    /// What these evaluations rest on. `grow`: what is only read may become longer, as a log does; nothing is attested then.
    pub fn of<'e>(
        evaluations: impl IntoIterator<Item = &'e Evaluation>,
        grow: bool,
        world: &'w dyn World,
    ) -> Self {
        let mut all = Vec::new();
        for evaluation in evaluations {
            let masked = |material: &Material| {
                evaluation.report.secrets.mask(&material.path.to_string_lossy()).into_owned()
            };
            let digest = |material: &Material| material.sha256.clone().or_else(|| digested(material, world));
            let size = |material: &Material| world.stat(&material.path).ok().map(|meta| meta.size);
            all.extend(evaluation.materials.iter().chain(&evaluation.started).map(|material| Bound {
                path: masked(material),
                part: material.part,
                sha256: digest(material),
                size: size(material).filter(|_| grow && material.part == Part::Data),
            }));
        }
        crate::order::sort(&mut all);
        all.dedup_by(|later, first| later.path == first.path && later.sha256 == first.sha256);
        Self { all, world }
    }

    /// As the entry keeps them.
    pub(super) fn all(&self) -> &[Bound] {
        &self.all
    }

    /// The first that is not what it was, in words.
    pub(super) fn differ(&self, then: &[Bound]) -> Option<String> {
        differ(then, &self.all, self.world)
    }
}

/// A digest over what must be the very same.
pub(super) fn exact(all: &[Bound]) -> String {
    let mut parts = Vec::new();
    for one in all.iter().filter(|one| one.size.is_none()) {
        parts.extend([one.path.as_str(), one.sha256.as_deref().unwrap_or_default()]);
    }
    digest(&parts)
}

/// The first of these files that has changed since, in words: what a person reads now is not what was asked about.
pub fn changed_since(then: &[Bound], world: &dyn World) -> Option<String> {
    let now: Vec<Bound> = then
        .iter()
        .map(|one| {
            let (path, part) = (one.path.as_str().into(), one.part);
            let sha256 = digested(&Material { path, part, sha256: None }, world);
            Bound { sha256, ..one.clone() }
        })
        .collect();
    differ(then, &now, world)
}

fn differ(then: &[Bound], now: &[Bound], world: &dyn World) -> Option<String> {
    let named = |one: &Bound| escape(&one.path);
    let at = |all: &[Bound], path: &str| all.iter().any(|one| one.path == path);
    for one in now {
        let mut there = then.iter().filter(|other| other.path == one.path).peekable();
        if there.peek().is_none() {
            return Some(format!("{} was not part of it", named(one)));
        }
        if !there.any(|other| is_still(other, one, world)) {
            return Some(match one.sha256 {
                Some(_) => format!("{} has changed since", named(one)),
                None => format!("{} may not be looked at, so nobody can tell whether it changed", named(one)),
            });
        }
    }
    then.iter()
        .find(|one| !at(now, &one.path))
        .map(|gone| format!("{} was part of it, and is no more", named(gone)))
}

/// Whether a file is what it was, or begins with that where it may grow.
fn is_still(then: &Bound, now: &Bound, world: &dyn World) -> bool {
    match (&then.sha256, &now.sha256) {
        (Some(then), Some(now)) if then == now => true,
        // Nobody but the system's owner can have replaced it.
        (None, None) => world.stat(now.path.as_ref()).is_ok_and(|meta| meta.owner.0 == 0),
        (Some(digest), Some(_)) => {
            then.size.and_then(|size| usize::try_from(size).ok()).is_some_and(|size| {
                let whole = world.read_file(now.path.as_ref(), GROWN).unwrap_or_default();
                whole.get(..size).is_some_and(|start| sha256(start) == *digest)
            })
        }
        _ => false,
    }
}

fn digested(material: &Material, world: &dyn World) -> Option<String> {
    world.digest(&material.path, PROGRAM).ok().map(|bytes| hex(&bytes))
}

/// SHA-256 of a file's bytes.
fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// SHA-256 over texts, each with its length, so that no two lists look alike.
pub(super) fn digest(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    }
    hex(&hash.finalize())
}
