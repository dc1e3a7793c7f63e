//! What a running program calls a file, in our words: its own names of itself, its own root, and another view of the mounted
//! file systems (containers, sandboxes, `unshare`).

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use nix::unistd::Pid;

/// Names by which a program means what is its own, and what they mean below its directory in `/proc`.
const OWN: [(&str, &str); 6] = [
    ("/dev/fd", "fd"),
    ("/dev/stdin", "fd/0"),
    ("/dev/stdout", "fd/1"),
    ("/dev/stderr", "fd/2"),
    ("/proc/self", ""),
    ("/proc/thread-self", ""),
];

/// The path by which we reach what a program means by an absolute path; none: nothing that we can reach.
pub(super) fn ours(thread: Pid, path: PathBuf) -> Option<PathBuf> {
    for (name, means) in OWN {
        if let Ok(rest) = path.strip_prefix(name) {
            let place = Path::new(&format!("/proc/{thread}")).join(means);
            // An empty part would make a directory of it.
            return Some(if rest.as_os_str().is_empty() { place } else { place.join(rest) });
        }
    }
    let own = |what: &str| fs::read_link(format!("/proc/self/{what}")).ok();
    let theirs = |what: &str| fs::read_link(format!("/proc/{thread}/{what}")).ok();
    let root = theirs("root")?;
    if theirs("ns/mnt")? == own("ns/mnt")? {
        return match Some(&root) == own("root").as_ref() {
            true => Some(path),
            // What it reaches through a directory that was open before stands where we see it too.
            false if path.starts_with(&root) => Some(path),
            false => Some(root.join(path.strip_prefix("/").ok()?)),
        };
    }
    // The path may be one within its own root already, or be told from there.
    let seen = path.strip_prefix("/").ok()?;
    let there = Path::new(&format!("/proc/{thread}/root")).join(seen);
    let within = if root == Path::new("/") { path.clone() } else { root.join(seen) };
    let found = translated(
        &within,
        &mounts(&format!("/proc/{thread}/mountinfo"))?,
        &mounts("/proc/self/mountinfo")?,
    )?;
    // What stands around it has to be the same.
    let id = |path: &Path| fs::metadata(path.parent()?).ok().map(|meta| (meta.dev(), meta.ino()));
    (id(&found).is_some() && id(&found) == id(&there)).then_some(found)
}

/// One mounted file system (`proc_pid_mountinfo(5)`).
#[derive(Debug)]
struct Mount {
    device: String,
    /// What of the file system is mounted.
    root: PathBuf,
    at: PathBuf,
}

fn mounts(list: &str) -> Option<Vec<Mount>> {
    Some(fs::read_to_string(list).ok()?.lines().filter_map(mount).collect())
}

fn mount(line: &str) -> Option<Mount> {
    let mut fields = line.split(' ').skip(2);
    let device = fields.next()?.to_owned();
    Some(Mount { device, root: unescaped(fields.next()?), at: unescaped(fields.next()?) })
}

/// Blanks, tabs, line ends and backslashes are written as three octal digits.
fn unescaped(text: &str) -> PathBuf {
    let mut parts = text.split('\\');
    let mut found: Vec<u8> = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        match part.get(..3).and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) => {
                found.push(byte);
                found.extend_from_slice(&part.as_bytes()[3..]);
            }
            None => found.extend_from_slice(part.as_bytes()),
        }
    }
    PathBuf::from(std::ffi::OsStr::from_bytes(&found))
}

/// The path under which the second view shows what the first shows under this one.
fn translated(path: &Path, theirs: &[Mount], ours: &[Mount]) -> Option<PathBuf> {
    let length = |path: &Path| path.as_os_str().len();
    // Of two that are mounted at one place the later one is seen.
    let mount = theirs.iter().filter(|one| path.starts_with(&one.at)).max_by_key(|one| length(&one.at))?;
    let inside = mount.root.join(path.strip_prefix(&mount.at).ok()?);
    let shows = |one: &&Mount| one.device == mount.device && inside.starts_with(&one.root);
    let here = ours.iter().filter(shows).max_by_key(|one| length(&one.root))?;
    Some(here.at.join(inside.strip_prefix(&here.root).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(lines: &[&str]) -> Vec<Mount> {
        lines.iter().filter_map(|line| mount(line)).collect()
    }

    #[test]
    fn a_path_is_told_in_another_view() {
        let ours = all(&["1 0 8:1 / / rw - ext4 /dev/a rw", "2 1 8:2 / /home rw - ext4 /dev/b rw"]);
        let theirs = all(&[
            "9 0 0:40 / / rw - tmpfs tmpfs rw",
            "10 9 8:2 /me/a\\040b /inside rw - ext4 /dev/b rw",
            "11 9 8:1 /usr /usr rw - ext4 /dev/a rw",
        ]);
        let told = |path: &str| translated(Path::new(path), &theirs, &ours);
        assert_eq!(told("/inside/x/y"), Some("/home/me/a b/x/y".into()));
        assert_eq!(told("/usr/bin/z"), Some("/usr/bin/z".into()));
        assert_eq!(told("/tmp/own"), None);
    }
}
