//! Names that mean something else for each process: its directory, its root and its open files below `/proc` and
//! `/dev/fd`; and where a path leads by them and by what the command mounted.
//!
//! Pure: what a link of another process leads to is asked.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Components, Path, PathBuf};

use crate::world::resolve::{Link, Links, resolve};

use super::files::{FileState, Files};
use super::mounts::onto;
use super::variables::OWN_PROCESS;

/// How the directories of open files and of threads are called below a process.
const FD: &str = "/dev/fd".split_at(5).1;
const TASK: &str = "/proc/self/task".split_at(11).1;

/// What standard input is called.
pub(super) const STDIN: &str = "/dev/fd/0";

/// What an open file descriptor is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Open {
    /// A pipe, a terminal, a text, a file that this command emptied: nothing of before is behind its name.
    Stream,
    /// This file or directory.
    At(PathBuf),
    /// Some file.
    Unknown,
}

/// What the names of a process mean, besides its directory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Names {
    open: BTreeMap<u32, Open>,
    /// Directories of the shells further out: `$$` may be one of those.
    outer: BTreeSet<PathBuf>,
    /// One of them is in a directory that is not known.
    outside: bool,
}

/// Where a name leads.
enum Led {
    /// It is no such name, or one behind which nothing is kept.
    Itself,
    /// There.
    To(Vec<PathBuf>),
    /// That is not known.
    Unknown,
}

impl Names {
    /// From now on a descriptor is this.
    pub(super) fn set(&mut self, number: u32, open: Open) {
        self.open.insert(number, open);
    }

    /// What a duplicate of a descriptor is. The first three are what the caller gave.
    pub(super) fn same_as(&self, number: u32) -> Open {
        match self.open.get(&number) {
            Some(open) => open.clone(),
            None if number <= 2 => Open::Stream,
            None => Open::Unknown,
        }
    }

    /// Whether a file is open under a number.
    pub(super) fn holds_file(&self, number: u32) -> bool {
        self.open.get(&number).is_some_and(|open| *open != Open::Stream)
    }

    /// The files and directories that are open, and were not emptied by this command.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Path> {
        self.open.values().filter_map(|open| match open {
            Open::At(place) => Some(place.as_path()),
            Open::Stream | Open::Unknown => None,
        })
    }

    /// Whether the directories of a shell are among those further out.
    pub(super) fn knows_outer(&self, cwd: &[PathBuf]) -> bool {
        if cwd.is_empty() { self.outside } else { cwd.iter().all(|dir| self.outer.contains(dir)) }
    }

    /// A shell that is in one of these starts another process.
    pub(super) fn go_out(&mut self, cwd: &[PathBuf]) {
        self.outside |= cwd.is_empty();
        self.outer.extend(cwd.iter().cloned());
    }

    /// What they mean after either of two ways.
    pub(super) fn join(&self, other: &Self) -> Self {
        let mut joined = self.clone();
        joined.outer.extend(other.outer.iter().cloned());
        joined.outside |= other.outside;
        let numbers = self.open.keys().chain(other.open.keys());
        joined.open = numbers
            .map(|number| match (self.open.get(number), other.open.get(number)) {
                (Some(one), Some(two)) if one != two => (*number, Open::Unknown),
                (Some(Open::At(_)), None) | (None, Some(Open::At(_))) => (*number, Open::Unknown),
                (one, two) => (*number, one.or(two).cloned().unwrap_or(Open::Unknown)),
            })
            .collect();
        joined
    }

    /// The paths that a path means here, links left alone; `None` where one is not known.
    pub(super) fn led(&self, path: &Path, cwds: &[PathBuf], links: &dyn Links) -> Option<Vec<PathBuf>> {
        match self.lead(path, cwds, links) {
            Led::Itself => Some(vec![path.to_owned()]),
            Led::To(all) => (!all.is_empty()).then_some(all),
            Led::Unknown => None,
        }
    }

    fn lead(&self, path: &Path, cwds: &[PathBuf], links: &dyn Links) -> Led {
        let mut parts = path.components();
        if parts.next() != Some(Component::RootDir) {
            return Led::Itself;
        }
        match next(&mut parts) {
            "dev" => match next(&mut parts) {
                FD => {
                    let number = next(&mut parts);
                    self.descriptor(number, parts.as_path())
                }
                "stdin" => self.descriptor("0", parts.as_path()),
                "stdout" => self.descriptor("1", parts.as_path()),
                "stderr" => self.descriptor("2", parts.as_path()),
                _ => Led::Itself,
            },
            "proc" => self.of_process(parts, cwds, links),
            _ => Led::Itself,
        }
    }

    /// `/proc/PID/…`.
    fn of_process(&self, mut parts: Components<'_>, cwds: &[PathBuf], links: &dyn Links) -> Led {
        let process = next(&mut parts);
        if !is_process(process) {
            return Led::Itself;
        }
        let mut link = Path::new("/proc").join(process);
        let mut what = next(&mut parts);
        if what == TASK {
            let thread = next(&mut parts);
            link = link.join(TASK).join(thread);
            what = next(&mut parts);
        }
        let own = !process.chars().all(|c| c.is_ascii_digit());
        if own || process == OWN_PROCESS {
            return match what {
                "cwd" => self.below_cwd(parts.as_path(), cwds, own),
                "root" => Led::To(vec![onto(Path::new("/"), parts.as_path())]),
                FD => {
                    let number = next(&mut parts);
                    self.descriptor(number, parts.as_path())
                }
                _ => Led::Itself,
            };
        }
        link.push(what);
        if what == FD {
            let number = next(&mut parts);
            if number.is_empty() {
                return Led::Itself;
            }
            link.push(number);
        } else if !matches!(what, "cwd" | "root") {
            return Led::Itself;
        }
        match links.link(&link) {
            Link::To(place) if place.is_absolute() => Led::To(vec![onto(&place, parts.as_path())]),
            // `pipe:[…]`, `socket:[…]`.
            Link::To(_) if what == FD => Led::Itself,
            _ => Led::Unknown,
        }
    }

    fn below_cwd(&self, rest: &Path, cwds: &[PathBuf], own: bool) -> Led {
        if cwds.is_empty() || (!own && self.outside) {
            return Led::Unknown;
        }
        let outer = self.outer.iter().filter(|dir| !own && !cwds.contains(*dir));
        Led::To(cwds.iter().chain(outer).map(|dir| onto(dir, rest)).collect())
    }

    fn descriptor(&self, number: &str, rest: &Path) -> Led {
        let Ok(number) = number.parse::<u32>() else { return Led::Itself };
        match self.open.get(&number) {
            Some(Open::At(place)) => Led::To(vec![onto(place, rest)]),
            Some(Open::Unknown) => Led::Unknown,
            None if number > 2 || !rest.as_os_str().is_empty() => Led::Unknown,
            // By the name that says of itself that it keeps nothing.
            Some(Open::Stream) | None => {
                Led::To(vec![onto(&Path::new("/dev/fd").join(number.to_string()), rest)])
            }
        }
    }

    /// Whether a path of which only beginning and end are known may be a name of a process.
    pub(crate) fn may_lead(&self, prefix: &str, suffix: &str) -> bool {
        let Some((directory, _)) = prefix.rsplit_once('/') else { return false };
        let mut parts = Path::new(directory).components();
        if parts.next() != Some(Component::RootDir) {
            return false;
        }
        let ends = || suffix.split('/').any(|part| matches!(part, "cwd" | "root" | FD));
        match (next(&mut parts), next(&mut parts), next(&mut parts), parts.next()) {
            ("proc", "", ..) => ends(),
            ("proc", process, "" | FD | TASK, None) => is_process(process),
            ("dev", FD, "", _) => {
                suffix.contains('/') || self.open.values().any(|open| *open != Open::Stream)
            }
            _ => false,
        }
    }
}

/// The places that an absolute path names for a process that is in one of `cwds`, `..` taken out as the kernel does it;
/// `None` where one is not known.
pub(crate) fn places(
    (names, files): (&Names, &Files),
    cwds: &[PathBuf],
    path: &Path,
    links: &dyn Links,
) -> Option<Vec<PathBuf>> {
    let mut all = Vec::new();
    for led in names.led(path, cwds, links)? {
        let plain = resolve(&led, links)?;
        // What was opened goes on to be what it was under another name.
        for place in names.led(&plain, cwds, links)? {
            let by_name = led != path || place != plain;
            if by_name && matches!(files.nearest(&place), Some((_, FileState::Gone))) {
                return None;
            }
            all.extend(files.mounts.places(&place)?);
        }
    }
    Some(all)
}

/// Whether a path is a name that means something else for each process.
pub(crate) fn of_a_process(path: &str) -> bool {
    let mut parts = Path::new(path).components();
    if parts.next() != Some(Component::RootDir) {
        return false;
    }
    match (next(&mut parts), next(&mut parts)) {
        ("dev", name) => matches!(name, FD | "stdin" | "stdout" | "stderr"),
        ("proc", name) => is_process(name),
        _ => false,
    }
}

/// The next name of a path; empty where there is none.
fn next<'a>(parts: &mut Components<'a>) -> &'a str {
    match parts.next() {
        Some(Component::Normal(name)) => name.to_str().unwrap_or_default(),
        _ => "",
    }
}

fn is_process(name: &str) -> bool {
    matches!(name, "self" | "thread-self") || !name.is_empty() && name.chars().all(|c| c.is_ascii_digit())
}

/// The open input that a path is a name of.
pub(super) fn named_input(path: &str) -> Option<String> {
    if path == "/dev/stdin" {
        return Some(STDIN.to_owned());
    }
    let number = path.strip_prefix("/dev/fd/").or_else(|| {
        let rest = path.strip_prefix("/proc/")?;
        rest.split_once("/fd/").map(|(_, number)| number)
    })?;
    number.parse::<u32>().ok().map(|number| format!("/dev/fd/{number}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Others;

    impl Links for Others {
        fn link(&self, path: &Path) -> Link {
            match path.to_str() {
                Some("/proc/7/cwd") => Link::To("/srv".into()),
                Some("/proc/7/fd/1") => Link::To("pipe:[12]".into()),
                _ => Link::None,
            }
        }
    }

    fn at(names: &Names, path: &str) -> Option<String> {
        let files = Files::default();
        let all = places((names, &files), &["/w".into()], Path::new(path), &Others)?;
        Some(all.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn names_of_processes_and_of_open_files() {
        let mut names = Names::default();
        names.set(3, Open::At("/h/docs".into()));
        names.set(4, Open::Stream);
        names.go_out(&["/out".into()]);
        for (path, place) in [
            ("/proc/self/cwd/x", Some("/w/x")),
            ("/proc/./self//cwd/../x", Some("/x")),
            ("/proc/thread-self/root/etc", Some("/etc")),
            ("/proc/self/task/9/cwd", Some("/w")),
            ("/proc/4194305/cwd/x", Some("/w/x /out/x")),
            ("/proc/7/cwd/x", Some("/srv/x")),
            ("/proc/7/fd/1", Some("/proc/7/fd/1")),
            ("/proc/8/cwd/x", None),
            ("/proc/8/root", None),
            ("/proc/8/status", Some("/proc/8/status")),
            ("/proc/sys/vm/drop_caches", Some("/proc/sys/vm/drop_caches")),
            ("/dev/fd/3/x", Some("/h/docs/x")),
            ("/dev/fd/3/../x", Some("/h/x")),
            ("/proc/self/fd/3", Some("/h/docs")),
            ("/proc/self/fd/4", Some("/dev/fd/4")),
            ("/dev/stdout", Some("/dev/fd/1")),
            ("/dev/fd/9", None),
            ("/dev/null", Some("/dev/null")),
            ("/w/x", Some("/w/x")),
        ] {
            assert_eq!(at(&names, path).as_deref(), place, "{path}");
        }
        for (prefix, suffix, may) in [
            ("/proc/", "/cwd/x", true),
            ("/proc/", "/oom_score_adj", false),
            ("/proc/self/fd/", "", true),
            ("/proc/sys/net/", "/x", false),
            ("/dev/fd/", "", true),
            ("/dev/s", "", false),
        ] {
            assert_eq!(names.may_lead(prefix, suffix), may, "{prefix}…{suffix}");
        }
    }
}
