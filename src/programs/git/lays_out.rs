//! Files that git checks out: what a branch holds that is switched to is read there, not in what stood here before.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::knowledge::Match;
use crate::model::Value;
use crate::shell::program::{Laid, Now, Shell, State};
use crate::world::Query;

/// How long git is waited for.
const PATIENCE: Duration = Duration::from_millis(800);

/// What a subcommand lays out: where from, and whether changes that nobody committed stay.
struct Checkout {
    from: Option<String>,
    paths: Option<Vec<Value>>,
    carries: bool,
}

impl Checkout {
    fn whole(from: Option<String>, carries: bool) -> Self {
        Self { from, paths: None, carries }
    }

    fn unknown() -> Self {
        Self::whole(None, true)
    }
}

/// Remembers what git lays out in the working tree, and which names of its own it moves.
pub(super) fn lays_out(shell: &mut Shell<'_>, state: &mut State, matched: &Match) {
    if matched.does_nothing() {
        return;
    }
    let Some(name) = matched.typed.get(1) else { return };
    let below = matched.typed.get(2).map(String::as_str);
    if let Some(checkout) = checkout(shell, state, name, below, matched) {
        record_checkout(shell, state, matched, name, checkout);
    }
    let moved = &mut state.files.moved;
    match name.as_str() {
        "fetch" | "remote" => moved.remotes = true,
        "add" | "rm" | "mv" | "update-index" | "apply" | "checkout-index" => moved.index = true,
        "commit" | "pull" | "merge" | "rebase" | "cherry-pick" | "revert" | "am" | "reset" | "read-tree" => {
            moved.head = true;
            moved.index = true;
            moved.remotes |= name == "pull";
        }
        "checkout" | "switch" | "restore" => {
            moved.index = true;
            moved.head |= name != "restore" && matched.separator.is_none();
        }
        "stash" => moved.index = true,
        "branch" | "tag" if matched.operands.is_empty() => {}
        "branch" | "tag" | "update-ref" | "symbolic-ref" | "filter-branch" | "subtree" | "bisect" => {
            moved.all = true;
        }
        _ => {}
    }
}

fn checkout(
    shell: &Shell<'_>,
    state: &State,
    name: &str,
    below: Option<&str>,
    matched: &Match,
) -> Option<Checkout> {
    let values = || matched.operands.iter().map(|bound| bound.value.clone()).collect::<Vec<_>>();
    let text = |value: Option<&Value>| value.and_then(Value::as_known).map(reference);
    let has = |keys: &[&str]| keys.iter().any(|key| matched.options.iter().any(|option| option.key == *key));
    match name {
        "checkout" => {
            if has(&["-p", "-m", "--pathspec-from-file"]) {
                return Some(Checkout::unknown());
            }
            let forced = has(&["-f"]);
            let behind = |index: usize| matched.separator.is_some_and(|at| index > at);
            let (paths, names): (Vec<_>, Vec<_>) =
                matched.operands.iter().partition(|bound| behind(bound.index));
            let names: Vec<&Value> = names.into_iter().map(|bound| &bound.value).collect();
            let mut paths: Vec<Value> = paths.into_iter().map(|bound| bound.value.clone()).collect();
            if has(&["-b", "-B", "--orphan"]) {
                return names.first().map(|from| Checkout::whole(text(Some(from)), !forced));
            }
            let first = names.first().copied();
            let is_path = first.is_some_and(|first| {
                shell.absolute(state, first).is_some_and(|path| shell.exists(state, &path) != Some(false))
            });
            if paths.is_empty() && matched.separator.is_none() && (is_path || names.len() > 1) {
                let rest = names.iter().skip(usize::from(!is_path));
                paths = rest.map(|value| (*value).clone()).collect();
                let from = if is_path { Some(String::new()) } else { text(first) };
                return Some(Checkout { from, paths: Some(paths), carries: false });
            }
            if !paths.is_empty() {
                let from = if first.is_some() { text(first) } else { Some(String::new()) };
                return Some(Checkout { from, paths: Some(paths), carries: false });
            }
            match first {
                Some(_) => Some(Checkout::whole(text(first), !forced)),
                None => forced.then(|| Checkout::whole(Some("HEAD".to_owned()), false)),
            }
        }
        "switch" => {
            let from = values();
            let forced = has(&["-f", "--discard-changes"]);
            from.first().map(|first| Checkout::whole(text(Some(first)), !forced))
        }
        "restore" => {
            if has(&["-S"]) && !has(&["-W"]) {
                return None;
            }
            let source = matched.value("-s");
            let from = if source.is_some() { text(source) } else { Some(String::new()) };
            let from = from.filter(|_| !has(&["-p", "-m", "-2", "-3", "--pathspec-from-file"]));
            Some(Checkout { from, paths: Some(values()), carries: false })
        }
        "reset" if has(&["--hard", "--keep", "--merge"]) => {
            let first = values().into_iter().next();
            let from = if first.is_some() { text(first.as_ref()) } else { Some("HEAD".to_owned()) };
            Some(Checkout::whole(from, !has(&["--hard"])))
        }
        "stash" => match below {
            None | Some("push" | "save") if values().is_empty() && !has(&["-p", "-k", "-S"]) => {
                Some(Checkout::whole(Some("HEAD".to_owned()), false))
            }
            None | Some("push" | "save" | "pop" | "apply" | "branch") => Some(Checkout::unknown()),
            _ => None,
        },
        "pull" | "merge" | "rebase" | "cherry-pick" | "revert" | "bisect" | "submodule"
        | "sparse-checkout" | "read-tree" | "checkout-index" | "filter-branch" | "subtree" => {
            Some(Checkout::unknown())
        }
        _ => None,
    }
}

fn record_checkout(
    shell: &mut Shell<'_>,
    state: &mut State,
    matched: &Match,
    name: &str,
    checkout: Checkout,
) {
    let mut way = state.cwd.clone();
    for dir in matched.cwd() {
        let mut inner = state.clone();
        inner.cwd = way;
        way = shell.directories(&inner, &dir);
    }
    let [dir] = way.as_slice() else { return };
    let Some(top) = work_tree(shell, state, dir) else { return };
    let moved = state.files.moved;
    let from = checkout.from.filter(|from| {
        let exact = from.len() == 40 && from.chars().all(|c| c.is_ascii_hexdigit());
        let head = from.starts_with("HEAD") || from.starts_with('@') || from.is_empty();
        exact
            || !moved.all
                && !(moved.head && (head || is_branch_here(shell, state, &top, from)))
                && !(moved.index && from.is_empty())
                && !(moved.remotes && from.contains('/'))
    });
    let laid = Laid {
        repository: top.clone(),
        top: top.clone(),
        from,
        carries: checkout.carries,
        remote: !moved.remotes && matches!(name, "checkout" | "switch"),
    };
    let Some(paths) = checkout.paths else {
        state.files.rewrite(top, Now::Laid(laid));
        return;
    };
    for path in paths {
        let plain =
            path.as_known().filter(|text| !text.contains(['*', '?', '[', '{']) && !text.starts_with(':'));
        let at = plain.and_then(|text| shell.resolved(state, &dir.join(text)));
        match at {
            Some(at) => {
                let at = state.files.key(&at, &crate::world::resolve::Disk(shell.world));
                state.files.rewrite(at, Now::Laid(laid.clone()));
            }
            None => state.files.rewrite(top.clone(), Now::Laid(Laid { from: None, ..laid.clone() })),
        }
    }
}

/// The directory above, or this one, in which a repository stands.
fn work_tree(shell: &Shell<'_>, state: &State, dir: &Path) -> Option<PathBuf> {
    let dir = shell.physical(state, dir)?;
    let top = dir.ancestors().find(|above| shell.exists(state, &above.join(".git")) == Some(true))?;
    Some(top.to_path_buf())
}

fn is_branch_here(shell: &Shell<'_>, state: &State, top: &Path, name: &str) -> bool {
    let head = shell.read_data(state, &top.join(".git/HEAD"), 4096).unwrap_or_default();
    head.trim()
        .strip_prefix("ref: refs/heads/")
        .is_none_or(|branch| name.split(['~', '^', '@', ':']).next().is_some_and(|first| first == branch))
}

/// The text that git laid out at a path; `None` where what stood there stays. What cannot be told is noted.
pub(crate) fn laid_text(shell: &Shell<'_>, laid: &Laid, path: &Path) -> Option<String> {
    let rest = path.strip_prefix(&laid.top).ok()?.to_str()?;
    let Some(from) = &laid.from else {
        shell.unseen_of_git.set(true);
        return None;
    };
    let Some(from) = named_by_git(shell, laid, from) else {
        shell.unseen_of_git.set(true);
        return None;
    };
    let text = kept_by_git(shell, laid, &from, rest)?;
    if !laid.carries {
        return Some(text);
    }
    let before = kept_by_git(shell, laid, "HEAD", rest);
    // A file that was changed stays as it is, or git goes nowhere.
    let changed = shell.world.read_text(path, shell.options.limits.script_bytes).ok() != before;
    let stays = before.as_ref() == Some(&text) || changed && before.is_some();
    (!stays).then_some(text)
}

/// The name under which git has what it lays out; one branch that only a server has is taken from there.
fn named_by_git(shell: &Shell<'_>, laid: &Laid, from: &str) -> Option<String> {
    if from.is_empty() {
        return Some(String::new());
    }
    if from.starts_with('-') {
        return None;
    }
    let known = |name: &str| {
        let words = ["rev-parse", "--verify", "--quiet", &format!("{name}^{{tree}}")];
        ask_git(shell, laid, &words).is_some()
    };
    if known(from) {
        return Some(from.to_owned());
    }
    let remote = format!("refs/remotes/origin/{from}");
    (laid.remote && known(&remote)).then_some(remote)
}

fn kept_by_git(shell: &Shell<'_>, laid: &Laid, from: &str, name: &str) -> Option<String> {
    ask_git(shell, laid, &["cat-file", "blob", &format!("{from}:{name}")])
}

fn ask_git(shell: &Shell<'_>, laid: &Laid, words: &[&str]) -> Option<String> {
    let query = Query::Git {
        dir: laid.repository.clone(),
        arguments: words.iter().map(|word| (*word).to_owned()).collect(),
    };
    shell.world.ask_text(&query, PATIENCE).ok()
}

/// A commit as git names it: a dash is the branch of before.
fn reference(text: &str) -> String {
    if text == "-" { "@{-1}".to_owned() } else { text.to_owned() }
}
