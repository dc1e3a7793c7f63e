//! What is guarded here and what is not: the shell at hand, the files of shells, agents and MCP clients, shims.

use std::time::Duration;

use crate::exec::shim::Shims;
use crate::hook::judged::{Loaded, last};
use crate::text::count;

use super::super::init_here::{Found, everything};
use super::super::installing::{folders, program};
use super::super::setup;
use super::{Finding, State};

/// The line that starts us was judged so short a time ago, where nothing else ran in it before.
const JUST_NOW: Duration = Duration::from_secs(30);

const INIT: &str = "recourse init";

/// All of it, a row each.
pub(super) fn covered() -> Vec<Finding> {
    let mut found = vec![shell()];
    let places = setup::places();
    match (folders(), program(), &places) {
        (Ok(folders), Ok(program), Ok(places)) => {
            let here = everything(&folders, &program, &places.data, false);
            found.extend(here.iter().map(installed));
        }
        (Err(failure), ..) | (_, Err(failure), _) => {
            found.push(Finding::new("agents", State::Lacking, failure.message));
        }
        (_, _, Err(failure)) => {
            found.push(Finding::new("agents", State::Lacking, failure.message.clone()));
        }
    }
    if let Ok(places) = &places {
        found.extend(shims(&Shims::below(&places.data)));
    }
    found
}

/// The shell that this was typed in. Its hook names its process, since programs that are not guarded inherit what it says;
/// that it works is told by the line that was judged last.
fn shell() -> Finding {
    let what = "shell";
    let parent = nix::unistd::getppid().as_raw();
    let Some(loaded) = Loaded::here().filter(|loaded| loaded.process == parent) else {
        let detail = "lines typed in this shell are not judged (never: scripts, and shells without the hook)";
        return Finding::new(what, State::Lacking, detail.to_owned())
            .then("open a new shell after `recourse init`");
    };
    let judged = setup::places().ok().and_then(|places| last(&places.state, loaded.process));
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
            Finding::new(what, State::Lacking, detail).then("type `recourse doctor` by itself to be sure")
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
    match there.verify() {
        Ok(wrong) if wrong.is_empty() => Finding::new(title, State::Good, format!("{how} installed")),
        Ok(wrong) if ours() => {
            let first = wrong.into_iter().next().unwrap_or_default();
            Finding::new(title, State::Broken, format!("{how}: {first}")).then(INIT)
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
