//! What git says of itself that can be seen from the directories alone.

use std::collections::BTreeSet;
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
        ["rev-parse" | "rev-list" | "merge-base" | "log", ..] if naming(&texts).is_some() => {
            let words = naming(&texts)?;
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let text = asked_text(shell, state, call, &cwd, &words)?;
            Some(Value::Known(text)).filter(|text| text.as_known().is_some_and(|text| !text.is_empty()))
        }
        ["ls-files", rest @ ..] if rest.iter().any(|word| matches!(*word, "-m" | "--modified")) => {
            modified(shell, state, call, &cwd, rest)
        }
        ["ls-files", rest @ ..] => listed(shell, state, call, &cwd, rest),
        ["grep", rest @ ..] => searched(shell, state, call, &cwd, rest),
        ["diff", rest @ ..] => {
            differing(shell, state, call, &cwd, rest).or_else(|| between(shell, state, call, &cwd, rest))
        }
        ["log" | "show", rest @ ..] => of_commit(shell, state, call, &cwd, rest),
        ["status", rest @ ..] => changed(shell, state, call, &cwd, rest),
        _ => None,
    }
}

/// Words that ask for the name of one commit, as git is asked for it: `rev-parse REV`, `merge-base A B`, `log -1 --format=%H`.
fn naming(texts: &[&str]) -> Option<Vec<String>> {
    let (name, rest) = texts.split_first()?;
    let (options, commits): (Vec<&str>, Vec<&str>) = rest.iter().partition(|word| word.starts_with('-'));
    if !commits.iter().all(|word| is_commit(word) && !word.contains("..")) {
        return None;
    }
    let all = |known: &[&str]| options.iter().all(|option| known.contains(option));
    let one = ["-1", "-n1", "--max-count=1"];
    let counts = options.iter().filter(|option| one.contains(option)).count() == 1;
    let end = commits.first().copied().unwrap_or("HEAD").to_owned();
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    match (*name, commits.len()) {
        ("rev-parse", 1) if all(&["--verify", "-q", "--quiet", "--short"]) => {
            let short = options.contains(&"--short").then_some("--short");
            let mut asked = words(&["rev-parse", "--verify", "--quiet"]);
            asked.extend(short.map(str::to_owned));
            Some(asked.into_iter().chain([end]).collect())
        }
        ("merge-base", 2) if options.is_empty() => Some(words(texts)),
        ("rev-list", 1) if counts && all(&one) => Some(words(texts)),
        ("log", 0 | 1) => {
            let formats = ["--format=%H", "--pretty=%H", "--pretty=format:%H", "--format=format:%H"];
            let known: Vec<&str> = one.iter().chain(&formats).copied().collect();
            let formatted = options.iter().any(|option| formats.contains(option));
            (counts && formatted && all(&known))
                .then(|| words(&["rev-list", "--max-count=1"]).into_iter().chain([end]).collect())
        }
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

/// `git ls-files -m`: some of the tracked files; with `-o`, of the untracked ones as well.
fn modified(shell: &Shell<'_>, state: &State, call: &Call, cwd: &Path, words: &[&str]) -> Option<Value> {
    let (mut zero, mut others, mut excludes) = (false, false, false);
    let mut paths = Vec::new();
    for word in words {
        match *word {
            "-m" | "--modified" | "--" => {}
            "-z" => zero = true,
            "-o" | "--others" => others = true,
            "--exclude-standard" => excludes = true,
            word if word.starts_with('-') => return None,
            path => paths.push(path),
        }
    }
    match (others, excludes) {
        (false, _) => tracked(shell, state, call, cwd, zero, &paths),
        (true, true) => some_of(not_ignored(shell, state, call, &paths)?, zero),
        (true, false) => None,
    }
}

/// `git status --porcelain`: a letter or two, and a name that is tracked, or untracked and not ignored.
fn changed(shell: &Shell<'_>, state: &State, call: &Call, cwd: &Path, words: &[&str]) -> Option<Value> {
    let known = |word: &&str| {
        matches!(
            *word,
            "--porcelain" | "-s" | "--short" | "--porcelain=v1" | "-uall" | "-uno" | "--untracked-files=no"
        )
    };
    let porcelain = words.iter().any(|word| word.starts_with("--porcelain"));
    let top = shell.exists(state, &cwd.join(".git")) == Some(true);
    if !porcelain || !top || !words.iter().all(known) {
        return None;
    }
    // Directories without any tracked file are named in the place of what they hold.
    let files = not_ignored(shell, state, call, &[])?;
    let above = files.iter().flat_map(|file| Path::new(file).ancestors().skip(1)).filter_map(Path::to_str);
    let folders = above.filter(|dir| !dir.is_empty()).map(|dir| format!("{dir}/")).collect::<BTreeSet<_>>();
    let named = |name: &String| name.chars().all(|c| c.is_ascii_graphic() && c != '"' && c != '\\');
    if !files.iter().all(named) {
        return None;
    }
    some_of(files.iter().chain(&folders).map(|name| format!("?? {name}")).collect(), false)
}

/// A word that names a commit, and is no option.
fn is_commit(word: &str) -> bool {
    !word.starts_with('-') && word.chars().all(|c| c.is_ascii_alphanumeric() || "/._-~^@{}".contains(c))
}

/// What git itself says, where nothing of this command may have changed it.
fn asked_text(shell: &Shell<'_>, state: &State, call: &Call, cwd: &Path, words: &[&str]) -> Option<String> {
    if !is_untouched(shell, state, call) {
        return None;
    }
    let arguments = words.iter().map(|word| (*word).to_owned()).collect();
    shell.world.ask_text(&Query::Git { dir: cwd.to_owned(), arguments }, PATIENCE).ok()
}

/// Names of what differs, as git itself says that it does in its objects and its index.
fn asked(shell: &Shell<'_>, state: &State, call: &Call, cwd: &Path, words: &[&str]) -> Option<Vec<String>> {
    let text = asked_text(shell, state, call, cwd, words)?;
    let names = text.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect::<BTreeSet<_>>();
    (names.len() <= MOST).then(|| names.into_iter().collect())
}

/// `git diff --name-only REV`, `A B`, `A..B`, `A...B`: what differs there, and of the work tree some of the tracked files.
fn between(shell: &Shell<'_>, state: &State, call: &Call, cwd: &Path, words: &[&str]) -> Option<Value> {
    let known = |word: &&&str| {
        matches!(**word, "--name-only" | "-z" | "--no-renames" | "--") || word.starts_with("--diff-filter=")
    };
    let (options, commits): (Vec<&&str>, Vec<&&str>) = words.iter().partition(|word| word.starts_with('-'));
    let top = shell.exists(state, &cwd.join(".git")) == Some(true);
    let named = options.contains(&&"--name-only") && options.iter().all(known) && !options.contains(&&"--");
    if !top || !named || !commits.iter().all(|word| is_commit(word)) {
        return None;
    }
    let zero = options.contains(&&"-z");
    let trees = |a: &str, b: &str| {
        let ends = ["diff-tree", "-r", "--name-only", "-z", "--no-renames", a, b];
        asked(shell, state, call, cwd, &ends)
    };
    let end = |word: &str| if word.is_empty() { "HEAD".to_owned() } else { word.to_owned() };
    let names = match commits.as_slice() {
        [a, b] => trees(a, b)?,
        [one] if one.contains("...") => {
            let (a, b) = one.split_once("...")?;
            let (a, b) = (end(a), end(b));
            let base = asked(shell, state, call, cwd, &["merge-base", &a, &b])?.concat();
            trees(base.trim(), &b)?
        }
        [one] if one.contains("..") => {
            let (a, b) = one.split_once("..")?;
            trees(&end(a), &end(b))?
        }
        // A word that is no commit names a file.
        [one] => {
            asked(
                shell,
                state,
                call,
                cwd,
                &["rev-parse", "--verify", "--quiet", &format!("{one}^{{commit}}")],
            )?;
            let staged = ["diff-index", "--cached", "--name-only", "-z", "--no-renames", one];
            let mut names = asked(shell, state, call, cwd, &staged)?;
            let all = listed(shell, state, call, cwd, &["-c", "-z", "--"])?;
            names.extend(all.as_known()?.split('\0').filter(|name| !name.is_empty()).map(str::to_owned));
            names.sort_unstable();
            names.dedup();
            names
        }
        _ => return None,
    };
    some_of(names, zero)
}

/// `git log -1 --name-only --format=`, `git show --name-only --format= REV`: what one commit changed.
fn of_commit(shell: &Shell<'_>, state: &State, call: &Call, cwd: &Path, words: &[&str]) -> Option<Value> {
    let top = shell.exists(state, &cwd.join(".git")) == Some(true);
    let mut commits = Vec::new();
    let (mut named, mut empty, mut one) = (false, false, call.texts()?.contains(&"show"));
    for word in words {
        match *word {
            "--name-only" => named = true,
            "--format=" | "--pretty=" | "--pretty=format:" | "--format=format:" => empty = true,
            "-1" | "-n1" => one = true,
            "--no-renames" => {}
            word if is_commit(word) && !word.contains("..") => commits.push(word),
            _ => return None,
        }
    }
    let commit = match commits.as_slice() {
        [] => "HEAD",
        [commit] => commit,
        _ => return None,
    };
    if !(top && named && empty && one) {
        return None;
    }
    let tree =
        ["diff-tree", "--root", "-r", "-m", "--no-commit-id", "--name-only", "-z", "--no-renames", commit];
    some_of(asked(shell, state, call, cwd, &tree)?, false)
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

/// Whether nothing of this command may have changed what git would say.
fn is_untouched(shell: &Shell<'_>, state: &State, call: &Call) -> bool {
    let own =
        |name: &str| name.starts_with("GIT_") && !ELSEWHERE.iter().any(|harmless| name.starts_with(harmless));
    !shell.made_anywhere
        && state.files.below(Path::new("/")).next().is_none()
        && !call.environment.iter().any(|(name, _)| own(name))
        && !state.variables.keys().any(|name| own(name))
}

/// Names of files that git itself lists.
fn listed(shell: &Shell<'_>, state: &State, call: &Call, cwd: &Path, words: &[&str]) -> Option<Value> {
    let understood = |word: &&str| !word.starts_with('-') || LISTING.contains(word);
    if !is_untouched(shell, state, call) || !words.iter().all(understood) {
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
