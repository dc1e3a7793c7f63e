//! `bwrap` and `unshare`, which give what they run another view of the file tree, and `mount`, which changes it.

use std::path::{Path, PathBuf};

use crate::knowledge::Match;
use crate::model::Value;
use crate::shell::program::{Expansion, Flow, Run, Shell, State, Status};

/// Options that put what stands at one place where another one is seen: both follow as words.
const BINDS: &[&str] =
    &["--bind", "--bind-try", "--dev-bind", "--dev-bind-try", "--ro-bind", "--ro-bind-try"];

/// Options that show at the place behind their first word what cannot be told.
const OTHERS: &[&str] = &["--bind-fd", "--ro-bind-fd", "--symlink"];

/// Places whose content is the kernel's.
const KERNEL: &[&str] = &["/dev", "/proc", "/sys"];

/// See [`Room::Mounts`](crate::knowledge::Room::Mounts).
pub(super) struct Mounts;

impl super::Program for Mounts {
    fn runs(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Flow> {
        if state.scope.host.is_some() || run.matched.informational {
            return None;
        }
        let Some(first) = run.matched.operand("argv") else {
            mounted(shell, state, run.matched);
            return None;
        };
        if run.matched.host().is_some() {
            return None;
        }
        let (before, words) = run.call.arguments().split_at_checked(first.index)?;
        Some(apart(shell, state, run, (before, words)))
    }
}

/// Runs words where something else may be seen; what they mount goes with them.
fn apart(
    shell: &mut Shell<'_>,
    state: &mut State,
    run: &Run<'_>,
    (options, words): (&[Expansion], &[Expansion]),
) -> Flow {
    let scope = state.scope.through(run.name);
    let mounts = state.files.mounts.clone();
    let mut inner = state.clone();
    inner.go_out();
    let binds = Binds::among(shell, state, options);
    let separate = run.matched.has("-m") || !binds.0.is_empty();
    let given = run.matched.cwd();
    for (at, source) in binds.0 {
        inner.files.mounts.put(at, source, true);
    }
    for dir in &given {
        inner.cwd = entered(shell, &inner, dir);
    }
    if given.is_empty() && inner.files.mounts != mounts {
        // Where the directory is not there within, it starts in another one.
        let there = |dir: &PathBuf| inner.files.mounts.covers(dir) && shell.exists(&inner, dir) == Some(true);
        if !inner.cwd.iter().all(there) {
            inner.cwd = Vec::new();
        }
    }
    inner.status = Status::Unknown;
    inner.within(&scope, |inner| shell.program(inner, words.to_vec(), run.call.span));
    state.files = inner.files;
    if separate {
        state.files.mounts = mounts;
    }
    state.output = inner.output;
    state.status = Status::Unknown;
    Flow::Next
}

/// The directory that an option names, by the name that it has within.
fn entered(shell: &Shell<'_>, inner: &State, dir: &Value) -> Vec<PathBuf> {
    match dir.as_known().map(Path::new) {
        Some(dir) if dir.is_absolute() && shell.led(inner, dir).is_some_and(|led| led == [dir]) => {
            vec![dir.to_owned()]
        }
        _ => shell.directories(inner, dir),
    }
}

/// Places and what is seen there.
struct Binds(Vec<(PathBuf, Option<PathBuf>)>);

impl Binds {
    /// Those that options ask for. What they name is what stands outside.
    fn among(shell: &Shell<'_>, state: &State, options: &[Expansion]) -> Self {
        let mut all = Vec::new();
        let mut words = options.iter().map(|word| &word.arg.value);
        while let Some(word) = words.next() {
            let Some(text) = word.as_known() else {
                all.push((PathBuf::from("/"), None));
                continue;
            };
            let bind = BINDS.contains(&text);
            if text == "--args" || text.starts_with("--overlay") {
                all.push((PathBuf::from("/"), None));
            } else if bind || OTHERS.contains(&text) {
                let (Some(source), Some(at)) = (words.next(), words.next()) else { break };
                let source = if bind { shell.absolute(state, source) } else { None };
                match at.as_known().map(PathBuf::from).filter(|at| at.is_absolute()) {
                    Some(at) => all.push((at, source)),
                    None => all.push((PathBuf::from("/"), None)),
                }
            }
        }
        Self(all)
    }
}

/// File systems that are the kernel's, or empty in the beginning.
const OWN: &[&str] = &[
    "tmpfs",
    "ramfs",
    "proc",
    "sysfs",
    "devtmpfs",
    "devpts",
    "cgroup",
    "cgroup2",
    "debugfs",
    "tracefs",
    "securityfs",
    "mqueue",
    "hugetlbfs",
    "efivarfs",
    "bpf",
    "none",
];

/// `mount --bind A B` and its kin: if it succeeds, what is seen at one place is another one. What stands in a device, an image
/// or on another machine cannot be told.
fn mounted(shell: &Shell<'_>, state: &mut State, matched: &Match) {
    let options = matched.values("-o");
    let asked = |names: &[&str]| {
        options.iter().any(|value| match value.as_known() {
            Some(text) => text.split(',').any(|option| names.contains(&option)),
            None => false,
        })
    };
    let binds = ["-B", "-R", "-M"].iter().any(|key| matched.has(key)) || asked(&["bind", "rbind", "move"]);
    let overlay = matched.value("-t").and_then(Value::as_known) == Some("overlay");
    let words = matched.operands("arg");
    let named = |key: &str, index: usize| matched.value(key).or(words.get(index).map(|word| &word.value));
    let (Some(source), Some(at)) = (named("--source", 0), named("--target", 1)) else { return };
    let own = |value: Option<&Value>| value.and_then(Value::as_known).is_some_and(|kind| OWN.contains(&kind));
    if asked(&["remount"]) || !binds && !overlay && (own(matched.value("-t")) || own(Some(source))) {
        return;
    }
    let source = if binds { shell.absolute(state, source) } else { None };
    if source.as_ref().is_some_and(|path| KERNEL.iter().any(|place| path.starts_with(place))) {
        return;
    }
    match shell.absolute(state, at) {
        Some(at) => state.files.mounts.put(at, source, false),
        None => state.files.mounts.put(PathBuf::from("/"), None, false),
    }
}
