//! Whole commands that keep what git would lose, or put it back: only the probe knows the names and ids for them.
//!
//! Each is a fact that the knowledge's advice names; where something is not known for sure, there is none.

use crate::model::{Action, Evidence, Fact, FactValue};

use super::look::Look;
use super::pathspec::Pathspecs;
use super::refs;

/// Commands in one line of advice: nobody types more.
const MOST: usize = 6;

/// How changes are put aside (`keep`), and how removed files come back (`restore`), when the act names paths.
/// `committed` tells whether the last commit has all that such names mean as it is staged.
pub(super) fn for_changes(
    look: &mut Look<'_>,
    evidence: &mut Evidence,
    committed: impl FnOnce(&mut Look<'_>, &Pathspecs) -> bool,
) {
    if look.has("whole") {
        return;
    }
    let all = look.names();
    // A name may be a revision, which nothing can be put aside of.
    let there = |name: &String| look.world.lstat(&look.dir.join(name)).is_ok();
    let names: Vec<String> = all.iter().flatten().filter(|name| there(name)).cloned().collect();
    if names.is_empty() || names.len() > MOST || all.contains(&None) {
        return;
    }
    let words = shell_words::join(&names);
    tell(evidence, "keep", format!("git stash push -u -- {words}"));
    if !look.has("removes") {
        return;
    }
    let names: Vec<_> = names.into_iter().map(Some).collect();
    let specs = look.specs(&names, &look.prefix());
    // What is staged and in no commit does not come back from one.
    if committed(look, &specs) {
        tell(evidence, "restore", format!("git restore --source=HEAD --staged --worktree -- {words}"));
    }
}

/// How commits that nothing reaches are kept.
pub(super) fn for_commits(commits: &[String], evidence: &mut Evidence) {
    if commits.len() <= MOST {
        let keeps = commits.iter().map(|id| format!("git branch kept-{id} {id}")).collect::<Vec<_>>();
        tell(evidence, "dangling.keep", keeps.join(" && "));
    }
}

/// How dropped stashes come back, the newest last, as they stood.
pub(super) fn for_stashes(ids: &[&str], evidence: &mut Evidence) {
    if ids.len() <= MOST {
        let stores = ids.iter().rev().map(|id| format!("git stash store {id}")).collect::<Vec<_>>();
        tell(evidence, "stash.restore", stores.join(" && "));
    }
}

/// How refs come back: under their names where they are deleted, else beside what took their place.
pub(super) fn for_refs(look: &Look<'_>, tips: &[(String, String)], evidence: &mut Evidence) {
    if look.mutation.kind == "git.remote"
        && let [Some(name)] = look.names().as_slice()
        && let Some(url) = look.repo.config(look.world).get(&format!("remote.{name}.url"))
    {
        tell(evidence, "remote.url", url.to_owned());
    }
    if tips.is_empty() || tips.len() > MOST {
        return;
    }
    let goes = look.mutation.action == Action::Delete;
    let each = |(name, id): &(String, String)| {
        let quoted = |name: &str| shell_words::quote(name).into_owned();
        let short = refs::short(name);
        if !goes {
            return format!("git branch {} {id}", quoted(&format!("{short}-before")));
        }
        match name.split('/').nth(1) {
            Some("heads") => format!("git branch {} {id}", quoted(short)),
            Some("tags") => format!("git tag {} {id}", quoted(short)),
            _ => format!("git update-ref {} {id}", quoted(name)),
        }
    };
    let shortened: Vec<(String, String)> =
        tips.iter().map(|(name, id)| (name.clone(), id.get(..12).unwrap_or(id).to_owned())).collect();
    tell(evidence, "ref.restore", shortened.iter().map(each).collect::<Vec<_>>().join(" && "));
}

fn tell(evidence: &mut Evidence, key: &str, command: String) {
    evidence.facts.insert(key.to_owned(), Fact::new(FactValue::Text(command), "for advice"));
}
