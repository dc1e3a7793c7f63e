//! What git says of itself that can be seen from the directories alone.

use std::path::Path;
use std::time::Duration;

use crate::model::Value;
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
        _ => None,
    }
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
