//! Where `cp`, `mv`, `ln` and `install` put things.

use std::path::{Path, PathBuf};

use crate::knowledge::Match;
use crate::model::{FactValue, Mutation, Value};
use crate::shell::Invocation;
use crate::wildcard;
use crate::world::FileKind;

use super::backup;
use crate::effects::program::{
    Draft, Scene, Word, base_name, behind_host, below, explicit, fact, flag, is_remote, keeps_nothing,
    text_of,
};

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
    /// The source is this command's own doing, and not there yet.
    pub(super) comes: bool,
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
        .flat_map(|source| {
            let word = Word::new(source.value.clone(), explicit(invocation, &[source.index]));
            // What is called like a file on another machine, and is none here.
            let far = is_remote(&source.value).then(|| source.value.as_known().map(behind_host)).flatten();
            let far =
                far.filter(|_| scene.only_path(&source.value).is_none_or(|from| scene.at(&from).is_none()));
            if let Some(pattern) =
                far.and_then(base_name).filter(|name| wildcard::has_wildcards(name, any_case()))
            {
                return taken(scene, &word, pattern, &absolute, &target.value);
            }
            let from = if far.is_some() { None } else { scene.only_path(&source.value) };
            if let Some(pattern) = from.as_deref().and_then(|from| names_to_come(scene, from)) {
                return taken(scene, &word, &pattern, &absolute, &target.value);
            }
            let comes = from.as_deref().is_some_and(|from| scene.is_to_come(from));
            let name = match &source.value {
                Value::Known(text) if parents => Some(Value::known(text.trim_matches('/'))),
                Value::Known(text) => base_name(far.unwrap_or(text)).map(Value::known),
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
            vec![Placed { shown: Word::new(shown, false), source: word, from, to, comes }]
        })
        .collect()
}

/// Most names that are told one by one.
const NAMES: usize = 500;

/// As the most that a shell's options let a pattern match: what is kept for nothing is little.
fn any_case() -> wildcard::Options {
    wildcard::Options { extglob: true, ignore_case: true, ..wildcard::Options::default() }
}

/// The pattern of names that this command itself brings: it has matched nothing, since they are not there yet.
fn names_to_come(scene: &Scene<'_>, from: &Path) -> Option<String> {
    let pattern = from.file_name()?.to_str()?;
    let open = wildcard::has_wildcards(pattern, any_case());
    let dir = from.parent()?;
    (open && scene.at(from).is_none() && (scene.is_to_come(from) || scene.is_to_come(dir)))
        .then(|| pattern.to_owned())
}

/// What of the things at a target has such a name: each of them may be taken the place of.
fn taken(scene: &Scene<'_>, source: &Word, pattern: &str, target: &Value, shown: &Value) -> Vec<Placed> {
    let placed = |to: Value, shown: Value| Placed {
        source: source.clone(),
        from: None,
        to,
        shown: Word::new(shown, false),
        comes: true,
    };
    let unknown = || vec![placed(below(target, &Value::Unknown), below(&trimmed(shown), &Value::Unknown))];
    let Some(path) = target.as_known().map(Path::new) else { return unknown() };
    // Into a directory under the names that come, or each of them under a name that is made of it.
    let (dir, pattern, shown) = if scene.is_directory(path) {
        (path, pattern, trimmed(shown))
    } else {
        let name = path.file_name().and_then(|name| name.to_str());
        let Some((dir, name)) = path.parent().zip(name) else { return unknown() };
        if !wildcard::has_wildcards(name, any_case()) || !scene.is_directory(dir) {
            return vec![placed(target.clone(), shown.clone())];
        }
        (dir, name, Value::known(text_of(dir)))
    };
    let Some(mut names) = scene.look.names(dir) else { return unknown() };
    names.retain(|name| wildcard::matches(pattern, name, any_case()));
    if names.len() > NAMES {
        return unknown();
    }
    let one =
        |name: String| placed(Value::known(text_of(&dir.join(&name))), below(&shown, &Value::known(name)));
    names.into_iter().map(one).collect()
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

/// What an act does with what stands at the target, as its options say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manner {
    Overwrites,
    Asks,
    Keeps,
    /// Only what is older is overwritten.
    Newer,
}

/// Of the options that say what happens to an existing file, the last one wins; for `cp`, `-f` is none of them but on a Mac.
fn manner(matched: &Match) -> Manner {
    let is = |tool: &str| matched.tool.names.iter().any(|name| name == tool);
    let forces = !is("cp") || cfg!(target_os = "macos");
    let mut manner = Manner::Overwrites;
    let mut update = None;
    // Its letters mean other things.
    if is("scp") {
        return manner;
    }
    for option in &matched.options {
        match option.key.as_str() {
            "-i" => manner = Manner::Asks,
            "-n" if !is("ln") => manner = Manner::Keeps,
            "-f" if forces => {
                manner = Manner::Overwrites;
                // It takes back `--update=none`, and leaves `-u`.
                update = update.filter(|update| *update != Manner::Keeps);
            }
            "-u" => {
                update = match option.value.as_ref().map(|value| value.as_known()) {
                    None => Some(Manner::Newer),
                    Some(Some(word)) if word.len() > 2 && "older".starts_with(word) => Some(Manner::Newer),
                    Some(Some("none" | "none-fail")) => Some(Manner::Keeps),
                    Some(_) => None,
                };
            }
            _ => {}
        }
    }
    match (manner, update) {
        (Manner::Keeps, _) | (_, Some(Manner::Keeps)) => Manner::Keeps,
        (Manner::Asks, _) => Manner::Asks,
        (_, Some(update)) => update,
        _ => manner,
    }
}

/// The facts that options of `cp`, `mv`, `ln` and `install` give about what stands at the target.
pub(super) fn overwrite_facts(invocation: &Invocation, mutation: &mut Mutation) {
    let how = manner(&invocation.matched);
    match how {
        Manner::Keeps => flag(mutation, "no-clobber", "existing files are left alone"),
        Manner::Newer => flag(mutation, "update-only", "newer files are left alone"),
        Manner::Asks => {
            mutation.context.asks = true;
            fact(mutation, "asks", FactValue::Bool(true), "asks before it overwrites");
        }
        Manner::Overwrites => {}
    }
    if backup::naming(invocation).is_some() {
        flag(mutation, "backup", "existing files are kept under another name");
    }
}

/// The drafts of an act with those of what its backups take the place of, each in front of its own.
pub(super) fn with_displaced(scene: &Scene<'_>, drafts: Vec<Draft>) -> Vec<Draft> {
    let told = drafts.into_iter().map(|draft| backup::told(scene, draft));
    let pairs = told.map(|draft| (backup::displaced(scene, &draft), draft));
    pairs.flat_map(|(displaced, draft)| displaced.into_iter().chain([draft])).collect()
}
