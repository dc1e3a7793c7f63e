//! Paths in arguments: `file:` addresses, `~`, relative to a directory, with `..` in them.

use std::path::{Path, PathBuf};

use crate::model::Value;
use crate::world::resolve::{logical, resolve};

use super::Place;

/// The absolute paths that an argument may name: servers take `..` away by the text or leave it to the kernel, and behind a
/// symbolic link these are two places. Unknown where that cannot be told.
pub(super) fn absolute(text: &str, dirs: &[PathBuf], place: &Place<'_>) -> Vec<Value> {
    let text = unaddressed(text);
    let path = match (text.strip_prefix('~'), place.home) {
        (Some(""), Some(home)) => home.to_owned(),
        (Some(rest), Some(home)) if rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
        _ => PathBuf::from(&text),
    };
    let all = match (path.is_absolute(), dirs) {
        (true, _) => vec![path],
        (false, []) => vec![Path::new("/").join(place.cwd).join(path)],
        (false, dirs) => dirs.iter().map(|dir| dir.join(&path)).collect(),
    };
    let mut found = Vec::new();
    for path in all {
        let named = logical(&path);
        let real = resolve(&path, place.links);
        if real.as_ref() != Some(&named) {
            found.push(real.map_or(Value::Unknown, known));
        }
        found.push(known(named));
    }
    found
}

fn known(path: PathBuf) -> Value {
    Value::Known(path.to_string_lossy().into_owned())
}

/// The same where only one place makes sense: those that are known.
pub(super) fn directories(text: &str, place: &Place<'_>) -> Vec<PathBuf> {
    absolute(text, &[], place).iter().filter_map(Value::as_known).map(PathBuf::from).collect()
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
    use super::*;
    use crate::world::MemoryWorld;
    use crate::world::resolve::Disk;

    #[test]
    fn all_spellings_of_a_place() {
        let world = MemoryWorld::new().dir("/q/deep").link("/p/link", "../q/deep");
        let links = Disk(&world);
        let place = Place { cwd: Path::new("/p"), home: Some(Path::new("/home/u")), links: &links };
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
            assert_eq!(absolute(text, &[], &place), [Value::known(want)], "{text}");
        }
        assert_eq!(absolute("link/../x", &[], &place), [Value::known("/q/x"), Value::known("/p/x")]);
        let dirs = [PathBuf::from("/a"), PathBuf::from("/b")];
        assert_eq!(absolute("c", &dirs, &place).len(), 2);
    }
}
