//! Patches in the form `*** Begin Patch`: which files they make, change, move and remove.

use std::path::Path;

/// How one begins.
pub(super) const BEGIN: &str = "*** Begin Patch";

/// One file of a patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// Written whole.
    Add {
        /// Its path.
        path: String,
        /// Its content.
        content: String,
    },
    /// Changed in part; the patch holds what it replaces.
    Update {
        /// Its path.
        path: String,
        /// Where it is moved.
        to: Option<String>,
    },
    /// Removed.
    Delete {
        /// Its path.
        path: String,
    },
}

impl Change {
    /// The same in a folder.
    pub(super) fn below(self, folder: Option<&str>) -> Self {
        let Some(folder) = folder else { return self };
        let at = |path: String| Path::new(folder).join(path).to_string_lossy().into_owned();
        match self {
            Self::Add { path, content } => Self::Add { path: at(path), content },
            Self::Update { path, to } => Self::Update { path: at(path), to: to.map(at) },
            Self::Delete { path } => Self::Delete { path: at(path) },
        }
    }
}

/// The files of a patch, in order; none when it is no patch.
pub(super) fn changes(text: &str) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    for line in text.lines() {
        let header = |name: &str| {
            let rest = line.trim_start().strip_prefix("*** ")?.strip_prefix(name)?;
            Some(rest.trim().to_owned()).filter(|path| !path.is_empty())
        };
        if let Some(path) = header("Add File:") {
            changes.push(Change::Add { path, content: String::new() });
        } else if let Some(path) = header("Update File:") {
            changes.push(Change::Update { path, to: None });
        } else if let Some(path) = header("Delete File:") {
            changes.push(Change::Delete { path });
        } else if let Some(target) = header("Move to:") {
            if let Some(Change::Update { to, .. }) = changes.last_mut() {
                *to = Some(target);
            }
        } else if let Some(Change::Add { content, .. }) = changes.last_mut()
            && let Some(added) = line.strip_prefix('+')
        {
            content.push_str(added);
            content.push('\n');
        }
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_a_patch() {
        let text = "*** Begin Patch\n*** Add File: a.txt\n+one\n+two\n*** Update File: b.rs\n*** Move to: c.rs\n@@\n-x\n+y\n\
                    *** Delete File: d\n*** End Patch\n";
        let path = |text: &str| text.to_owned();
        assert_eq!(
            changes(text),
            [
                Change::Add { path: path("a.txt"), content: path("one\ntwo\n") },
                Change::Update { path: path("b.rs"), to: Some(path("c.rs")) },
                Change::Delete { path: path("d") },
            ]
        );
        assert!(changes("nothing of the kind").is_empty());
    }
}
