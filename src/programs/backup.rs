//! Backups that `cp`, `mv`, `ln`, `install` and `tar` make of what they overwrite: whether, under which name, and what goes
//! when something stands under that name already.

use std::path::{Path, PathBuf};

use crate::knowledge::Match;
use crate::model::{Action, FactValue, Mutation, Subject, Value};
use crate::shell::Invocation;

use crate::effects::program::{Change, Draft, Scene, Word, fact, flag, text_of};

/// Most numbered backups of one file that are counted.
const NUMBERED: usize = 500;

/// How backups are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Naming {
    /// `f~`, or `f.~N~` where such a one is there already.
    Existing,
    /// `f~`.
    Simple,
    /// `f.~N~`: never meets anything.
    Numbered,
}

/// How backups are named, where they are made. One whose kind is not known is none to count on.
pub(super) fn naming(invocation: &Invocation) -> Option<Naming> {
    let matched = &invocation.matched;
    // A suffix alone asks for backups too. The letters mean other things to tar and scp.
    let keys: &[&str] = match matched.tool.names.first().map(String::as_str) {
        Some("tar") => &["--backup", "--suffix"],
        Some("scp") => &[],
        _ => &["-b", "--backup", "-S"],
    };
    if !keys.iter().any(|key| matched.has(key)) {
        return None;
    }
    let said = matched.options.iter().rev().filter(|option| option.key == "--backup");
    let said = said.filter_map(|option| option.value.as_ref()).find(|value| value.as_known() != Some(""));
    let control = said.or_else(|| set(invocation, "VERSION_CONTROL"));
    control.map_or(Some(Naming::Existing), |value| kind(value.as_known()?))
}

fn is_tar(matched: &Match) -> bool {
    matched.tool.names.iter().any(|name| name == "tar")
}

/// A word for the kind of backups, or the beginning of only one; an empty one says nothing.
fn kind(word: &str) -> Option<Naming> {
    const WORDS: &[(&str, Option<Naming>)] = &[
        ("none", None),
        ("off", None),
        ("simple", Some(Naming::Simple)),
        ("never", Some(Naming::Simple)),
        ("existing", Some(Naming::Existing)),
        ("nil", Some(Naming::Existing)),
        ("numbered", Some(Naming::Numbered)),
        ("t", Some(Naming::Numbered)),
    ];
    if word.is_empty() {
        return Some(Naming::Existing);
    }
    if let Some((_, kind)) = WORDS.iter().find(|(known, _)| *known == word) {
        return *kind;
    }
    let mut fitting = WORDS.iter().filter(|(known, _)| known.starts_with(word)).map(|(_, kind)| *kind);
    let first = fitting.next()?;
    if fitting.all(|other| other == first) { first } else { None }
}

/// A variable that this command sets.
fn set<'a>(invocation: &'a Invocation, name: &str) -> Option<&'a Value> {
    invocation.environment.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value)
}

/// What is put behind a name; `None` where it cannot be told.
fn suffix(invocation: &Invocation) -> Option<String> {
    let matched = &invocation.matched;
    let key = if is_tar(matched) { "--suffix" } else { "-S" };
    let said = matched.value(key).or_else(|| set(invocation, "SIMPLE_BACKUP_SUFFIX"));
    let Some(said) = said else { return Some("~".to_owned()) };
    let text = said.as_known()?;
    Some(if text.is_empty() || text.contains('/') { "~" } else { text }.to_owned())
}

/// What is put behind the names of backups that get no number, and whether they get none even beside numbered ones.
pub(super) fn plain(invocation: &Invocation) -> Option<(String, bool)> {
    match naming(invocation)? {
        Naming::Numbered => None,
        kind => Some((suffix(invocation)?, kind == Naming::Simple)),
    }
}

/// The name under which the old content of `to` is kept.
fn name(scene: &Scene<'_>, invocation: &Invocation, to: &Path) -> Option<PathBuf> {
    let path = text_of(to);
    let numbered = |number: usize| PathBuf::from(format!("{path}.~{number}~"));
    let counts = match naming(invocation)? {
        Naming::Numbered => true,
        Naming::Simple => false,
        Naming::Existing => scene.at(&numbered(1)).is_some(),
    };
    if counts {
        return (1..NUMBERED).map(numbered).find(|path| scene.at(path).is_none());
    }
    suffix(invocation).map(|suffix| PathBuf::from(format!("{path}{suffix}")))
}

/// The old content of `to` moves to its backup name.
pub(super) fn moved(scene: &Scene<'_>, invocation: &Invocation, to: &Path) -> Option<Change> {
    scene.at(to)?;
    let backup = name(scene, invocation, to)?;
    Some(Change::Moved { from: to.to_owned(), to: backup })
}

/// Whether an act gives the old content of this path another name, and which one.
fn moves<'d>(act: &'d Draft, path: &str) -> Option<(&'d Path, &'d Path)> {
    act.changes.iter().find_map(|change| match change {
        Change::Moved { from, to } if text_of(from) == path && from != to => {
            Some((from.as_path(), to.as_path()))
        }
        _ => None,
    })
}

/// The act, with the name that its backup gets where nothing stands yet: going back takes it away again.
pub(super) fn told(scene: &Scene<'_>, mut act: Draft) -> Draft {
    let at = act.mutation.as_ref().and_then(|mutation| {
        let Subject::Path(subject) = &mutation.subject else { return None };
        let (_, to) = moves(&act, subject.path.as_known()?)?;
        (mutation.context.host.is_none() && scene.at(to).is_none()).then(|| text_of(to))
    });
    if let (Some(at), Some(mutation)) = (at, act.mutation.as_mut()) {
        fact(mutation, "backup-at", FactValue::Text(at), "the old content gets this name");
    }
    act
}

/// What a backup that an act makes takes the place of: what stands under its name goes, an older backup too.
pub(super) fn displaced(scene: &Scene<'_>, act: &Draft) -> Option<Draft> {
    let mutation = act.mutation.as_ref()?;
    let kept = ["no-clobber", "no-change"].iter().any(|key| mutation.facts.contains_key(*key));
    if kept || mutation.context.host.is_some() {
        return None;
    }
    let Subject::Path(subject) = &mutation.subject else { return None };
    let path = subject.path.as_known()?;
    let (from, to) = moves(act, path)?;
    overwritten(scene, mutation, from, to)
}

/// The loss of what stands at a backup's name `to`, for the act that backs up `from`.
pub(super) fn overwritten(scene: &Scene<'_>, act: &Mutation, from: &Path, to: &Path) -> Option<Draft> {
    scene.at(to)?;
    let shown = Word::new(Value::known(text_of(to)), false);
    let mut mutation = scene.on_absolute(Action::Replace, "file", Value::known(text_of(to)), &shown);
    mutation.context = act.context.clone();
    for key in ["asks", "update-only"] {
        if let Some(fact) = act.facts.get(key) {
            mutation.facts.insert(key.to_owned(), fact.clone());
        }
    }
    flag(&mut mutation, "renames", "only the name is taken over");
    if let Subject::Path(subject) = &mut mutation.subject {
        subject.follow = false;
        // What the machine holds under that name is what stands there only as long as nothing came before.
        subject.from = scene.files.is_untouched().then(|| from.to_owned());
    }
    Some(Draft::with(mutation, Vec::new()))
}

#[cfg(test)]
mod tests {
    use super::{Naming, kind};

    #[test]
    fn words_for_kinds() {
        assert_eq!(kind("none"), None);
        assert_eq!(kind("off"), None);
        assert_eq!(kind("no"), None);
        assert_eq!(kind("never"), Some(Naming::Simple));
        assert_eq!(kind("n"), None, "of several it is none");
        assert_eq!(kind("num"), Some(Naming::Numbered));
        assert_eq!(kind("t"), Some(Naming::Numbered));
        assert_eq!(kind(""), Some(Naming::Existing));
        assert_eq!(kind("bogus"), None);
    }
}
