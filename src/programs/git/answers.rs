//! What git says of itself that can be seen from the directories alone.

use std::path::Path;
use std::time::Duration;

use crate::model::Value;
use crate::programs::text::hits::some_of;
use crate::shell::program::{Call, Shell, State};
use crate::world::{Query, git_dir};

/// Options of `ls-files` with which it lists names and reads nothing but directories and its index.
const LISTING: &[&str] = &[
    "-o",
    "--others",
    "-c",
    "--cached",
    "-d",
    "--deleted",
    "-i",
    "--ignored",
    "-z",
    "--exclude-standard",
    "--directory",
    "--full-name",
    "--",
];
/// Variables of git that change nothing of what it lists.
const ELSEWHERE: &[&str] = &[
    "GIT_SSL_",
    "GIT_SSH",
    "GIT_AUTHOR_",
    "GIT_COMMITTER_",
    "GIT_EDITOR",
    "GIT_PAGER",
    "GIT_TERMINAL_PROMPT",
    "GIT_ASKPASS",
    "GIT_PS1_",
    "GIT_MERGE_AUTOEDIT",
];
/// Names that are listed at most.
const MOST: usize = 2_000;
/// How long git may take.
const PATIENCE: Duration = Duration::from_secs(1);

/// `git rev-parse --show-toplevel` and the like: seen from the directories alone.
pub(super) fn git_answer(shell: &Shell<'_>, state: &State, call: &Call) -> Option<Value> {
    let mut texts = call.texts()?;
    let mut cwd = shell.physical(state, state.only_cwd()?)?;
    if let ["-C", dir, ..] = texts.as_slice() {
        cwd = shell.physical(state, &shell.absolute(state, &Value::known(*dir))?)?;
        texts.drain(..2);
    }
    match texts.as_slice() {
        ["rev-parse", "--show-toplevel"] => {
            let root = cwd.ancestors().find(|dir| shell.exists(state, &dir.join(".git")) == Some(true))?;
            Some(Value::Known(format!("{}\n", root.display())))
        }
        ["rev-parse", "--abbrev-ref", "HEAD"] | ["branch", "--show-current"] => {
            let root = cwd.ancestors().find(|dir| shell.exists(state, &dir.join(".git")) == Some(true))?;
            let head = shell.read_data(state, &root.join(".git/HEAD"), 4096)?;
            let branch = head.trim().strip_prefix("ref: refs/heads/")?;
            Some(Value::Known(format!("{branch}\n")))
        }
        ["ls-files", rest @ ..] => listed(shell, state, call, &cwd, rest),
        ["grep", rest @ ..] => searched(shell, state, call, &cwd, rest),
        ["diff", rest @ ..] => differing(shell, state, call, &cwd, rest),
        _ => None,
    }
}

/// `git grep -l`: some of the tracked files, or of those at and below the paths that stand behind `--`.
fn searched(shell: &Shell<'_>, state: &State, call: &Call, cwd: &Path, words: &[&str]) -> Option<Value> {
    let (options, paths) = match words.iter().position(|word| *word == "--") {
        Some(at) => (words.get(..at)?, words.get(at + 1..)?),
        None => (words, &[][..]),
    };
    let (mut names, mut zero, mut patterns, mut others) = (false, false, 0, 0);
    let mut rest = options.iter();
    while let Some(word) = rest.next() {
        match *word {
            "--files-with-matches" | "--name-only" | "--files-without-match" => names = true,
            "--null" => zero = true,
            "--ignore-case" | "--word-regexp" | "--fixed-strings" | "--extended-regexp" | "--perl-regexp" => {
            }
            "-e" => {
                rest.next()?;
                patterns += 1;
            }
            word if word.len() > 1 && word.starts_with('-') && !word.starts_with("--") => {
                let known = word.chars().skip(1).all(|letter| "lLzniwFEPGIahHc".contains(letter));
                (names, zero) = (names || word.contains(['l', 'L']), zero || word.contains('z'));
                known.then_some(())?;
            }
            word if word.starts_with('-') => return None,
            _ => others += 1,
        }
    }
    // Behind the pattern may stand a revision, whose names begin with its own.
    if !names || (patterns == 0 && others != 1) || (patterns > 0 && others > 0) {
        return None;
    }
    tracked(shell, state, call, cwd, zero, paths)
}

/// `git diff --name-only` of what is not committed, or not staged: some of the tracked files, named from the top.
fn differing(shell: &Shell<'_>, state: &State, call: &Call, cwd: &Path, words: &[&str]) -> Option<Value> {
    let known = |word: &&str| {
        matches!(
            *word,
            "--name-only" | "--cached" | "--staged" | "HEAD" | "-z" | "--no-renames" | "--relative"
        ) || word.starts_with("--diff-filter=")
    };
    let top = shell.exists(state, &cwd.join(".git")) == Some(true) || words.contains(&"--relative");
    if !top || !words.contains(&"--name-only") || !words.iter().all(known) {
        return None;
    }
    tracked(shell, state, call, cwd, words.contains(&"-z"), &[])
}

/// Some of the tracked files, and it is not known which.
fn tracked(
    shell: &Shell<'_>,
    state: &State,
    call: &Call,
    cwd: &Path,
    zero: bool,
    paths: &[&str],
) -> Option<Value> {
    let words: Vec<&str> =
        ["-c"].into_iter().chain(zero.then_some("-z")).chain(["--"]).chain(paths.iter().copied()).collect();
    let Value::Known(text) = listed(shell, state, call, cwd, &words)? else { return None };
    let names = text.split(if zero { '\0' } else { '\n' }).filter(|name| !name.is_empty());
    some_of(names.map(str::to_owned).collect(), zero)
}

/// What programs that heed git's list of what is ignored may find at and below these paths: names of tracked and of
/// untracked files, and no others.
pub(in crate::programs) fn not_ignored(
    shell: &Shell<'_>,
    state: &State,
    call: &Call,
    paths: &[&str],
) -> Option<Vec<String>> {
    let cwd = shell.physical(state, state.only_cwd()?)?;
    // Such files may take back what git ignores.
    let own = [".ignore", ".rgignore", ".fdignore"];
    let inside = git_dir::locate(shell.world, &cwd).ok().flatten().is_some();
    if !inside
        || cwd
            .ancestors()
            .any(|dir| own.iter().any(|name| shell.exists(state, &dir.join(name)) != Some(false)))
    {
        return None;
    }
    let words: Vec<&str> =
        ["-c", "-o", "--exclude-standard", "-z", "--"].into_iter().chain(paths.iter().copied()).collect();
    let Value::Known(text) = listed(shell, state, call, &cwd, &words)? else { return None };
    let mut names: Vec<String> =
        text.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect();
    names.dedup();
    Some(names)
}

/// Names of files that git itself lists: only as long as nothing of this command may have changed what it would say.
fn listed(shell: &Shell<'_>, state: &State, call: &Call, cwd: &Path, words: &[&str]) -> Option<Value> {
    let own =
        |name: &str| name.starts_with("GIT_") && !ELSEWHERE.iter().any(|harmless| name.starts_with(harmless));
    let untouched = !shell.made_anywhere
        && state.files.below(Path::new("/")).next().is_none()
        && !call.environment.iter().any(|(name, _)| own(name))
        && !state.variables.keys().any(|name| own(name));
    let understood = |word: &&str| !word.starts_with('-') || LISTING.contains(word);
    if !untouched || !words.iter().all(understood) {
        return None;
    }
    let mut arguments = vec!["ls-files".to_owned()];
    arguments.extend(words.iter().map(|word| (*word).to_owned()));
    let text = shell.world.ask_text(&Query::Git { dir: cwd.to_owned(), arguments }, PATIENCE).ok()?;
    // How a name is quoted hangs on a setting.
    let quoted = !words.contains(&"-z")
        && text.contains('"')
        && git_dir::locate(shell.world, cwd).ok().flatten().is_none_or(|place| {
            git_dir::Config::load(shell.world, Some(&place)).get("core.quotePath").is_some()
        });
    let many = text.bytes().filter(|byte| matches!(byte, b'\n' | 0)).count() > MOST;
    (!quoted && !many).then_some(Value::Known(text))
}
