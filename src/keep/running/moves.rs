//! What got other names since the command began, so that what is set aside comes back under the name that it had then.

use std::path::{Path, PathBuf};

/// Names that were changed are followed up to so many.
const MOST: usize = 10_000;

/// Renames and further names, the first one first.
#[derive(Debug, Default)]
pub(super) struct Moves(Vec<(PathBuf, PathBuf)>);

impl Moves {
    /// What stood at the first path, and below it, stands at the second too, or only there.
    pub(super) fn note(&mut self, from: PathBuf, to: PathBuf) {
        if self.0.len() < MOST {
            self.0.push((from, to));
        }
    }

    /// Two names change places.
    pub(super) fn exchange(&mut self, one: PathBuf, other: PathBuf) {
        // No path has this name.
        let between = PathBuf::from(format!("\0{}", self.0.len()));
        if self.0.len() + 3 <= MOST {
            let steps = [(one.clone(), between.clone()), (other.clone(), one), (between, other)];
            self.0.extend(steps);
        }
    }

    /// How something was called when the command began: back in time, one name after the other.
    pub(super) fn first_name(&self, path: &Path) -> PathBuf {
        self.0.iter().rev().fold(path.to_owned(), |path, (from, to)| match path.strip_prefix(to) {
            Ok(rest) if rest.as_os_str().is_empty() => from.clone(),
            Ok(rest) => from.join(rest),
            Err(_) => path,
        })
    }

    /// Whether something else stood at a path, or above it, when the command began.
    pub(super) fn was_elses(&self, path: &Path) -> bool {
        self.0.iter().any(|(from, _)| path.starts_with(from))
    }

    /// Whether more names changed than are followed: then nothing is known of what something was called.
    pub(super) fn is_full(&self) -> bool {
        self.0.len() >= MOST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(all: &[(&str, &str)]) -> Moves {
        let mut moves = Moves::default();
        for (from, to) in all {
            moves.note(PathBuf::from(from), PathBuf::from(to));
        }
        moves
    }

    #[test]
    fn names_are_followed_back_in_time() {
        for (all, path, first) in [
            (&[][..], "/a", "/a"),
            (&[("/a", "/b")], "/b", "/a"),
            (&[("/a", "/b"), ("/b", "/c")], "/c", "/a"),
            (&[("/a", "/b"), ("/b", "/c")], "/c/d/e", "/a/d/e"),
            (&[("/a/x", "/b"), ("/a", "/c")], "/c/y", "/a/y"),
            // A name that something else has taken since is that of the last.
            (&[("/a", "/x"), ("/b", "/a")], "/a", "/b"),
            (&[("/a", "/x"), ("/b", "/a")], "/x", "/a"),
            (&[("/a", "/b")], "/bc", "/bc"),
        ] {
            assert_eq!(moves(all).first_name(Path::new(path)), Path::new(first), "{all:?} {path}");
        }
    }

    #[test]
    fn two_names_change_places() {
        let mut moves = Moves::default();
        moves.exchange("/a".into(), "/b".into());
        let first = |moves: &Moves, path: &str| moves.first_name(Path::new(path));
        assert_eq!((first(&moves, "/a/x"), first(&moves, "/b")), ("/b/x".into(), "/a".into()));
        moves.exchange("/a".into(), "/b".into());
        assert_eq!((first(&moves, "/a"), first(&moves, "/b")), ("/a".into(), "/b".into()));
    }

    #[test]
    fn what_stood_at_a_name_is_told() {
        let moves = moves(&[("/a", "/b")]);
        assert!(moves.was_elses(Path::new("/a")) && moves.was_elses(Path::new("/a/x")));
        assert!(!moves.was_elses(Path::new("/b")) && !moves.was_elses(Path::new("/ab")));
    }
}
