//! What is kept, and whether something could be kept now.

use std::env;
use std::fs;
use std::path::Path;

use nix::sys::statvfs::statvfs;
use nix::unistd::{AccessFlags, access};

use crate::attest::Places;
use crate::attest::time::Time;
use crate::keep::{Head, Store, why_copied};
use crate::policy::KeepWhen;
use crate::text::{count, escape, size};

use super::super::setup;
use super::{Finding, State};

const WHAT: &str = "kept";

/// What is kept, what that costs, and whether its store can be used.
pub(super) fn kept() -> Finding {
    let Ok(places) = setup::places() else {
        let detail = "there is no home directory, so nothing is kept first".to_owned();
        return Finding::new(WHAT, State::Lacking, detail);
    };
    let found = stored(&places);
    let why = hindered(&places).filter(|_| found.state == State::Good);
    let Some(why) = why else { return found };
    let any = matches!(Store::existing(&places), Ok(Some(_)));
    let detail = if any { format!("{why}; so far {}", found.detail) } else { why };
    Finding::new(WHAT, State::Lacking, detail)
}

fn stored(places: &Places) -> Finding {
    let what = WHAT;
    let lacking = |detail: String| Finding::new(what, State::Lacking, detail);
    let store = match Store::existing(places) {
        Ok(Some(store)) => store,
        Ok(None) => {
            let detail = "nothing is kept so far; what a command would destroy is set aside first, and `recourse undo` brings it back";
            return Finding::new(what, State::Good, format!("{detail}{}", where_copied(places)));
        }
        Err(error) => return lacking(format!("nothing is kept first: {error}")),
    };
    let names = match store.names() {
        Ok(names) => names,
        Err(error) => return lacking(error.to_string()),
    };
    let heads: Vec<Head> = names.iter().filter_map(|name| store.head(name).ok()).collect();
    let sum = |of: fn(&Head) -> u64| heads.iter().map(of).fold(0_u64, u64::saturating_add);
    let (bytes, copied) = (sum(|head| head.bytes), sum(|head| head.copied));
    let mut detail = format!(
        "{}, {} ({} copied, {} only linked)",
        count(heads.len() as u64, "recovery point"),
        size(bytes),
        size(copied),
        size(bytes.saturating_sub(copied))
    );
    if let Some(oldest) = names.last() {
        let age = Time::now().since(Time::from_millis(oldest.time())) / 86_400_000;
        let age = u64::try_from(age).unwrap_or(0);
        let age = if age == 0 { "today".to_owned() } else { format!("{} ago", count(age, "day")) };
        detail.push_str(&format!(", the oldest made {age}"));
    }
    detail.push_str(&where_copied(places));
    if heads.len() < names.len() {
        let unread = count((names.len() - heads.len()) as u64, "recovery point");
        return lacking(format!("{detail}; {unread} cannot be read, `recourse kept` says why"));
    }
    Finding::new(what, State::Good, detail)
}

/// Where what is kept has to be copied: here, and at home.
fn where_copied(places: &Places) -> String {
    let store = Store::folder_of(places);
    let mut told: Vec<String> = Vec::new();
    for (name, dir) in [("here", env::current_dir().ok()), ("at home", env::home_dir())] {
        if let Some(why) = dir.and_then(|dir| why_copied(&dir, &store)) {
            told.push(format!("; {name} keeping copies ({})", escape(&why)));
        }
    }
    told.concat()
}

/// Why nothing would be kept now, whatever was kept so far.
fn hindered(places: &Places) -> Option<String> {
    let policy = setup::working_directory(None).and_then(|cwd| setup::policy(&cwd));
    let settings = policy.map(|policy| policy.keep()).unwrap_or_default();
    match settings.when {
        KeepWhen::Never => {
            return Some("nothing is kept here: the policy says `when = \"never\"` under [keep]".to_owned());
        }
        KeepWhen::Ask => {
            return Some(
                "kept only with `k` at the question: the policy says `when = \"ask\"` under [keep]"
                    .to_owned(),
            );
        }
        KeepWhen::Loss => {}
    }
    let store = Store::folder_of(places);
    let there = store.ancestors().find(|folder| fs::symlink_metadata(folder).is_ok())?;
    if access(there, AccessFlags::W_OK | AccessFlags::X_OK).is_err() {
        return Some(format!("nothing is kept first: {} may not be written", place(there)));
    }
    let disk = statvfs(there).ok()?;
    let free = u128::from(disk.blocks_available());
    let used = u128::from(disk.blocks()).saturating_sub(u128::from(disk.blocks_free()));
    if free == 0 {
        return Some(format!("nothing is kept first: the disk of {} is full", place(there)));
    }
    (free * 100 < (used + free) * u128::from(settings.free)).then(|| {
        format!(
            "only what is little is kept first: less than {} % of the disk of {} is free (policy [keep])",
            settings.free,
            place(there)
        )
    })
}

fn place(path: &Path) -> String {
    escape(&path.to_string_lossy())
}
