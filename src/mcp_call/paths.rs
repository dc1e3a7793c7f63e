//! Paths in arguments: `file:` addresses, `~`, relative to a directory; normalised without looking.

use std::path::PathBuf;

use crate::model::normalise;

use super::Place;

/// The absolute path that an argument names.
pub(super) fn absolute(text: &str, dirs: &[PathBuf], place: &Place<'_>) -> Vec<PathBuf> {
    let text = unaddressed(text);
    let path = match (text.strip_prefix('~'), place.home) {
        (Some(""), Some(home)) => home.to_owned(),
        (Some(rest), Some(home)) if rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
        _ => PathBuf::from(&text),
    };
    if path.is_absolute() {
        return vec![normalise(&path)];
    }
    if dirs.is_empty() {
        return vec![normalise(&place.cwd.join(path))];
    }
    dirs.iter().map(|dir| normalise(&dir.join(&path))).collect()
}

/// `file:///a%20b` as a path; anything else as it is.
fn unaddressed(text: &str) -> String {
    let Some(rest) = text.strip_prefix("file://") else { return text.to_owned() };
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    let mut bytes = Vec::with_capacity(rest.len());
    let mut left = rest.as_bytes();
    while let Some((first, after)) = left.split_first() {
        let hex = |at: usize| after.get(at).and_then(|b| char::from(*b).to_digit(16));
        match (first, hex(0), hex(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push(u8::try_from(high * 16 + low).unwrap_or(b'?'));
                left = &after[2..];
            }
            _ => {
                bytes.push(*first);
                left = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn all_spellings_of_a_place() {
        let place = Place { cwd: Path::new("/p"), home: Some(Path::new("/home/u")) };
        for (text, want) in [
            ("a/../b", "/p/b"),
            ("/x//y/./z", "/x/y/z"),
            ("~/n", "/home/u/n"),
            ("~", "/home/u"),
            ("~other", "/p/~other"),
            ("file:///a%20b", "/a b"),
            ("file://localhost/a%2", "/a%2"),
            ("../../../x", "/x"),
        ] {
            assert_eq!(absolute(text, &[], &place), [PathBuf::from(want)], "{text}");
        }
        let dirs = [PathBuf::from("/a"), PathBuf::from("/b")];
        assert_eq!(absolute("c", &dirs, &place).len(), 2);
    }
}
