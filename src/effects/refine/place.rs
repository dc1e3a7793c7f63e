//! Where `cp`, `mv`, `ln` and `install` put things.

use std::path::{Path, PathBuf};

use crate::knowledge::Match;
use crate::model::{FactValue, Mutation, Value};
use crate::shell::Invocation;
use crate::world::FileKind;

use super::super::draft::Change;
use super::super::paths::{base_name, below, keeps_nothing, text_of};
use super::super::run::explicit;
use super::super::scene::{Scene, Word, fact, flag};

/// One source and where it lands.
pub(super) struct Placed {
    /// Source as written.
    pub(super) source: Word,
    /// Its absolute path, when there is only one.
    pub(super) from: Option<PathBuf>,
    /// Where it lands, absolute.
    pub(super) to: Value,
    /// The same as people would write it.
    pub(super) shown: Word,
}

impl Placed {
    /// Where it lands, when there is only one place.
    pub(super) fn place(&self) -> Option<PathBuf> {
        self.to.as_known().map(PathBuf::from)
    }
}

/// Sources with their places. `parents`: `cp --parents`.
pub(super) fn placed(scene: &Scene<'_>, invocation: &Invocation, parents: bool) -> Vec<Placed> {
    let matched = &invocation.matched;
    let sources = matched.operands("src");
    let (target, always_directory) = match matched.value("-t") {
        Some(value) => (Word::new(value.clone(), true), true),
        None => match matched.operand("dest") {
            Some(dest) => (Word::new(dest.value.clone(), explicit(invocation, &[dest.index])), false),
            None => return Vec::new(),
        },
    };
    let absolute = scene.path(&target.value);
    let slash = target.value.suffix().ends_with('/');
    // Several sources need a directory: anything else there makes the command fail before it does anything.
    if sources.len() > 1
        && absolute.as_known().is_some_and(|path| {
            keeps_nothing(path)
                || scene.at(Path::new(path)).is_some_and(|seen| seen.kind != FileKind::Directory)
        })
    {
        return Vec::new();
    }
    let directory = always_directory
        || parents
        || slash
        || sources.len() > 1
        || (!matched.has("-T") && absolute.as_known().is_some_and(|path| lands_inside(scene, matched, path)));
    sources
        .into_iter()
        .map(|source| {
            let word = Word::new(source.value.clone(), explicit(invocation, &[source.index]));
            let from = scene.only_path(&source.value);
            let name = match &source.value {
                Value::Known(text) if parents => Some(Value::known(text.trim_matches('/'))),
                Value::Known(text) => base_name(text).map(Value::known),
                other => Some(unknown_name(other)),
            };
            let (to, shown) = match name {
                Some(name) if directory => {
                    let shown = below(&trimmed(&target.value), &name);
                    (scene.absolute(&below(&absolute, &name), &[]), shown)
                }
                // `cp -r src/. dest`, or onto the name itself.
                _ => (absolute.clone(), target.value.clone()),
            };
            // Who says where something goes does not say that what stands there may go.
            Placed { shown: Word::new(shown, false), source: word, from, to }
        })
        .collect()
}

/// Whether a target that exists is a directory to put things into. A link to a directory counts, but not for `ln -n`.
fn lands_inside(scene: &Scene<'_>, matched: &Match, path: &str) -> bool {
    let linking = matched.tool.names.iter().any(|name| name == "ln");
    !(linking && matched.has("-n")) && scene.is_directory(Path::new(path))
}

fn trimmed(value: &Value) -> Value {
    match value {
        Value::Known(text) if text.len() > 1 => Value::known(text.trim_end_matches('/')),
        other => other.clone(),
    }
}

/// The last component of something that is not quite known: its end, where the end holds no slash.
fn unknown_name(value: &Value) -> Value {
    let suffix = value.suffix();
    match value.choices() {
        Some(list) => {
            Value::one_of(list.iter().filter_map(|text| base_name(text)).map(str::to_owned).collect())
        }
        None => {
            let end = suffix.rsplit('/').next().unwrap_or_default().to_owned();
            if suffix.contains('/') && !end.is_empty() {
                Value::Known(end)
            } else {
                Value::Unknown.concat(&Value::Known(end))
            }
        }
    }
}

/// The facts that options of `cp`, `mv`, `ln` and `install` give about what stands at the target.
pub(super) fn overwrite_facts(matched: &Match, mutation: &mut Mutation) {
    let update = matched.value("-u").and_then(Value::as_known).unwrap_or("older").to_owned();
    let updates = matched.has("-u");
    if (matched.has("-n") && !matched.tool.names.iter().any(|name| name == "ln"))
        || (updates && update.starts_with("none"))
    {
        flag(mutation, "no-clobber", "existing files are left alone");
    } else if updates && update == "older" {
        flag(mutation, "update-only", "newer files are left alone");
    }
    if backs_up(matched) {
        flag(mutation, "backup", "existing files are kept under another name");
    }
    if matched.has("-i") && !matched.has("-f") {
        mutation.context.asks = true;
        fact(mutation, "asks", FactValue::Bool(true), "asks before it overwrites");
    }
}

/// Whether a backup of what is overwritten is made.
pub(super) fn backs_up(matched: &Match) -> bool {
    let off = matched
        .value("--backup")
        .and_then(Value::as_known)
        .is_some_and(|control| matches!(control, "none" | "off"));
    (matched.has("--backup") || matched.has("-b")) && !off
}

/// The old content of `to` moves to its backup name (the simple one; numbered ones never meet anything).
pub(super) fn backup_change(scene: &Scene<'_>, matched: &Match, to: &Path) -> Option<Change> {
    if !backs_up(matched) || scene.at(to).is_none() {
        return None;
    }
    let suffix = matched.value("-S").and_then(Value::as_known).unwrap_or("~").to_owned();
    let backup = PathBuf::from(format!("{}{suffix}", text_of(to)));
    Some(Change::Moved { from: to.to_owned(), to: backup })
}
