//! Names that are no valid text: everywhere a path is text, with U+FFFD in place of what could not be read. Here it is found
//! out which name on the disk is meant, where only one can be.

use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Names of a directory that are looked at.
const LOOKED: usize = 20_000;

/// The path that is meant; none: it is known byte for byte, stands there as it is written, or could be one of several.
pub(super) fn meant(path: &Path) -> Option<PathBuf> {
    let unreadable = |part: &Path| part.to_string_lossy().contains(char::REPLACEMENT_CHARACTER);
    if !unreadable(path) || fs::symlink_metadata(path).is_ok() {
        return None;
    }
    let mut found = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(name) if unreadable(Path::new(name)) => {
                let mut fits = Vec::new();
                for (number, entry) in fs::read_dir(&found).ok()?.enumerate() {
                    let entry = entry.ok().filter(|_| number < LOOKED)?;
                    if entry.file_name().to_string_lossy() == name.to_string_lossy() {
                        fits.push(entry.file_name());
                    }
                }
                match fits.as_slice() {
                    [one] => found.push(one),
                    _ => return None,
                }
            }
            part => found.push(part),
        }
    }
    Some(found)
}

/// A word of an argument vector as text. One that is no valid text is told apart from all others only where it names
/// something that stands here, and nothing else reads like it; `None` otherwise.
pub fn word(word: &OsStr) -> Option<String> {
    word.to_str().map(str::to_owned).or_else(|| {
        let text = word.to_string_lossy().into_owned();
        let here = std::env::current_dir().ok()?;
        let there = meant(&here.join(&text))?;
        (there == here.join(word) && fs::symlink_metadata(&there).is_ok()).then_some(text)
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn a_word_that_is_no_text_is_the_name_of_the_only_thing_that_reads_like_it() {
        let folder = tempfile::tempdir().unwrap();
        let one = folder.path().join(OsStr::from_bytes(b"one\xff"));
        assert_eq!(word(one.as_os_str()), None, "nothing stands there");
        fs::write(&one, "x").unwrap();
        assert_eq!(word(one.as_os_str()), Some(one.to_string_lossy().into_owned()));
        let other = folder.path().join(OsStr::from_bytes(b"one\xfe"));
        assert_eq!(word(other.as_os_str()), None, "another one does");
        fs::write(&other, "y").unwrap();
        assert_eq!(word(one.as_os_str()), None, "two read alike");
        assert_eq!(word(OsStr::new("plain")), Some("plain".to_owned()));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn one_name_can_be_meant_and_of_several_none() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join(OsStr::from_bytes(b"dir\xff"));
        fs::create_dir(&dir).unwrap();
        fs::write(dir.join("file"), "x").unwrap();
        let written = folder.path().join("dir\u{FFFD}/file");
        assert_eq!(meant(&written), Some(dir.join("file")));
        assert_eq!(meant(&folder.path().join("dir/file")), None);
        fs::create_dir(folder.path().join(OsStr::from_bytes(b"dir\xfe"))).unwrap();
        assert_eq!(meant(&written), None, "two read alike");
        fs::create_dir(folder.path().join("dir\u{FFFD}")).unwrap();
        assert_eq!(meant(&folder.path().join("dir\u{FFFD}")), None, "it stands there as it is written");
    }
}
