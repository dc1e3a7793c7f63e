//! What every installation needs: where things stand, by which path others start us, and what changes.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::hook::coding::Folders;
use crate::hook::coding::install::{Change, InstallError};
use crate::text::escape;

use super::output::{self, Failure};

/// What a look ahead ends with.
pub(super) fn not_yet(changes: &[Change], uninstall: bool) {
    if changes.iter().any(|change| !change.is_none()) {
        let how = if uninstall { "without --dry-run it is removed" } else { "--write installs it" };
        output::note(&format!("nothing was changed yet: {how}"));
    }
}

/// The changes, and for a look ahead what would stand there.
pub(super) fn tell(changes: &[Change], done: bool) {
    for change in changes {
        let file = escape(&change.file.to_string_lossy());
        let word = match (&change.before, &change.after, change.is_none()) {
            (_, _, true) => "unchanged",
            (None, _, _) => "new",
            (_, None, _) => "removed",
            _ => "changed",
        };
        output::print(&format!("{word}: {file}\n"));
        if done || change.is_none() {
            continue;
        }
        if let Some(after) = &change.after {
            let before: Vec<&str> = change.before.as_deref().unwrap_or_default().lines().collect();
            let after: Vec<&str> = after.lines().collect();
            for (sign, line) in difference(&before, &after) {
                output::print(&format!("  {sign} {}\n", escape(line)));
            }
        }
    }
}

/// Lines that go and come, between what both begin and end with.
fn difference<'a>(before: &[&'a str], after: &[&'a str]) -> Vec<(char, &'a str)> {
    let same = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let (before, after) = (&before[same..], &after[same..]);
    let tail = before.iter().rev().zip(after.iter().rev()).take_while(|(a, b)| a == b).count();
    let gone = before[..before.len() - tail].iter().map(|line| ('-', *line));
    gone.chain(after[..after.len() - tail].iter().map(|line| ('+', *line))).collect()
}

/// The path by which others start us: the name on PATH that leads here where there is one, since it outlives updates.
pub(super) fn program() -> Result<String, Failure> {
    let own = env::current_exe().map_err(|error| {
        Failure::internal(format!("the path of the program itself cannot be told: {error}"))
    })?;
    let here = fs::canonicalize(&own).unwrap_or_else(|_| own.clone());
    let path = env::var_os("PATH").unwrap_or_default();
    let named = env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join("recourse"))
        .find(|candidate| fs::canonicalize(candidate).is_ok_and(|real| real == here));
    let program = named.unwrap_or(own);
    let text = program.to_str().map(str::to_owned);
    text.ok_or_else(|| Failure::usage("the path of the program itself is not valid UTF-8"))
}

/// Where agents' configurations stand.
pub(super) fn folders() -> Result<Folders, Failure> {
    let home = dirs::home_dir().ok_or_else(|| Failure::usage("there is no home directory: set HOME"))?;
    let named = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let config = named("XDG_CONFIG_HOME").unwrap_or_else(|| Path::new(&home).join(".config"));
    let applications = dirs::config_dir().unwrap_or_else(|| config.clone());
    Ok(Folders { home, config, applications, claude: named("CLAUDE_CONFIG_DIR"), codex: named("CODEX_HOME") })
}

/// What could not be installed or removed.
#[allow(clippy::needless_pass_by_value)] // As `map_err` hands it over.
pub(super) fn failure(error: InstallError) -> Failure {
    Failure::usage(error.to_string())
}
