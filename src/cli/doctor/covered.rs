//! What is guarded here and what is not: the shell at hand, the files of shells, agents and MCP clients, shims.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::exec::shim::Shims;
use crate::hook::judged::{Loaded, last, takes_doctor};
use crate::text::count;

use super::super::init_here::{Found, everything};
use super::super::installing::{folders, program};
use super::super::setup;
use super::{Finding, State};

/// The line that starts us was judged so short a time ago, where nothing else ran in it before.
const JUST_NOW: Duration = Duration::from_secs(30);

const INIT: &str = "recourse init";
const WHOLE_PATH: &str = "write the whole path in that line; `command -v recourse` tells it";

/// All of it, a row each.
pub(super) fn covered() -> Vec<Finding> {
    let places = setup::places();
    let mut found = Vec::new();
    match (folders(), program(), &places) {
        (Ok(folders), Ok(program), Ok(places)) => {
            let here = everything(&folders, &program, &places.data, false);
            found.push(shell(&here));
            found.extend(here.iter().map(installed));
            found.extend(login_bash(&folders.home, &here));
        }
        (folders, program, places) => {
            found.push(shell(&[]));
            let failures = [folders.err(), program.err(), places.as_ref().err().cloned()];
            let failure = failures.into_iter().flatten().next();
            let why = failure.map(|failure| failure.message).unwrap_or_default();
            found.push(Finding::new("agents", State::Lacking, why));
        }
    }
    if let Ok(places) = &places {
        found.extend(shims(&Shims::below(&places.data)));
    }
    found
}

/// bash as a login shell reads one of these, and ~/.bashrc only where that says so.
fn login_bash(home: &Path, here: &[Found]) -> Option<Finding> {
    let hook = here.iter().find(|found| found.title == "bash")?;
    if !hook.installation.verify().is_ok_and(|wrong| wrong.is_empty()) {
        return None;
    }
    let first = [".bash_profile", ".bash_login", ".profile"].iter().find(|name| home.join(name).is_file());
    let text = first.and_then(|name| fs::read_to_string(home.join(name)).ok()).unwrap_or_default();
    let reads = |line: &str| !line.trim_start().starts_with('#') && line.contains("bashrc");
    if text.lines().any(|line| reads(line) || line.contains("recourse init bash")) {
        return None;
    }
    let name = first.unwrap_or(&".bash_profile");
    let detail = if first.is_some() {
        format!("login shells read ~/{name}, which does not name ~/.bashrc: not guarded there")
    } else {
        "login shells do not read ~/.bashrc, and no ~/.bash_profile tells them to: not guarded there"
            .to_owned()
    };
    Some(Finding::new("bash", State::Lacking, detail).then(&format!("echo '. ~/.bashrc' >> ~/{name}")))
}

/// The shell that this was typed in. Its hook names its process, since programs that are not guarded inherit what it says;
/// that it works is told by the line that was judged last, which has to be the one that starts us: what the variable says
/// outlives the hook where the same process becomes another shell.
fn shell(here: &[Found]) -> Finding {
    let what = "shell";
    let parent = nix::unistd::getppid().as_raw();
    let stands = |found: &&Found| found.how == "hook" && ["bash", "zsh", "fish"].contains(&found.title);
    let ready = here
        .iter()
        .filter(stands)
        .all(|found| found.installation.verify().is_ok_and(|wrong| wrong.is_empty()));
    let any = here.iter().any(|found| stands(&found));
    let next = if !any {
        "load the hook in your shell's start-up file: `recourse init bash`, `zsh` or `fish` prints it"
    } else if ready {
        "open a new shell"
    } else {
        "`recourse init`, then open a new shell"
    };
    let Some(loaded) = Loaded::here().filter(|loaded| loaded.process == parent) else {
        let detail = "lines typed in this shell are not judged (never: scripts, and shells without the hook)";
        return Finding::new(what, State::Lacking, detail.to_owned()).then(next);
    };
    let places = setup::places().ok();
    let judged = places.as_ref().and_then(|places| last(&places.state, loaded.process));
    let never = "never: scripts, and shells without the hook";
    let shell = loaded.shell;
    match judged {
        None => {
            let detail = format!("{shell}: the hook was loaded, and no line was judged since");
            Finding::new(what, State::Broken, detail)
                .then("start a new shell; what says there that it was taken apart?")
        }
        Some(age) if age > JUST_NOW => {
            let detail = format!(
                "{shell}: the last line was judged {} ago, and it may not be this one",
                count(age.as_secs(), "second")
            );
            Finding::new(what, State::Lacking, detail).then(&format!("where you typed just this: {next}"))
        }
        Some(_) if !places.is_some_and(|places| takes_doctor(&places.state, loaded.process)) => {
            let detail = format!("{shell}: the line that was judged last is not this one");
            Finding::new(what, State::Lacking, detail).then(&format!("where you typed just this: {next}"))
        }
        Some(_) if shell == "fish" => Finding::new(
            what,
            State::Good,
            format!(
                "fish: what Enter accepts is judged, this line too; other bindings that execute a line are not ({never})"
            ),
        ),
        Some(_) if loaded.extent == "full" => Finding::new(
            what,
            State::Good,
            format!("{shell}: every line typed here is judged before it runs, this one too ({never})"),
        ),
        Some(_) => Finding::new(
            what,
            State::Lacking,
            format!(
                "{shell}: lines are judged, but redirections of {{ }} and loops open before that ({never})"
            ),
        ),
    }
}

/// A shell, an agent or a client that is used here.
fn installed(found: &Found) -> Finding {
    let there = &found.installation;
    let (title, how) = (found.title, found.how);
    let ours = || there.unwanted().is_ok_and(|changes| changes.iter().any(|change| !change.is_none()));
    // A line that somebody wrote by hand stays theirs.
    let next = || if ours() { INIT } else { WHOLE_PATH };
    match there.verify() {
        Ok(wrong) if wrong.is_empty() => match there.doubt() {
            None => Finding::new(title, State::Good, format!("{how} installed")),
            Some(doubt) => {
                Finding::new(title, State::Lacking, format!("{how} installed, but {doubt}")).then(next())
            }
        },
        Ok(wrong) if ours() || there.is_loaded() => {
            let first = wrong.into_iter().next().unwrap_or_default();
            let next = if there.is_unreached() { "move that line to the top of the file" } else { next() };
            Finding::new(title, State::Broken, format!("{how}: {first}")).then(next)
        }
        Ok(_) => Finding::new(title, State::Lacking, format!("no {how}: not guarded")).then(INIT),
        Err(error) => Finding::new(title, State::Broken, error.to_string()),
    }
}

fn shims(shims: &Shims) -> Option<Finding> {
    let what = "shims";
    let names = match shims.list() {
        Ok(names) if names.is_empty() => return None,
        Ok(names) => names,
        Err(error) => return Some(Finding::new(what, State::Broken, error.to_string())),
    };
    let unreached: Vec<&str> =
        names.iter().map(String::as_str).filter(|name| !shims.is_first(name)).collect();
    Some(if unreached.is_empty() {
        Finding::new(what, State::Good, names.join(", "))
    } else {
        let detail = format!("PATH does not lead to the shim of {}", unreached.join(", "));
        let folder = shims.folder().to_string_lossy().into_owned();
        let how = format!("put {} first on PATH", shell_words::quote(&folder));
        Finding::new(what, State::Broken, detail).then(&how)
    })
}
