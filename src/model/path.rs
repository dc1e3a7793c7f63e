//! Paths as text: put in one spelling without looking at the machine.

use std::path::{Component, Path, PathBuf};

/// Takes `.`, `..` and doubled slashes out of an absolute path without looking at the machine.
pub fn normalise(path: &Path) -> PathBuf {
    let mut result = PathBuf::from("/");
    for component in path.components() {
        match component {
            Component::ParentDir => {
                result.pop();
            }
            Component::Normal(name) => result.push(name),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
    }
    result
}
