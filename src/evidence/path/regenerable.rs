//! What a tool makes again: the table and the signs that it applies.

use std::path::Path;
use std::sync::OnceLock;

use serde::Deserialize;

use crate::world::World;

/// How sure a directory is to be made again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Regenerable {
    /// The name is used by people for their own things too: precious files inside still count.
    pub(super) weak: bool,
    /// How it is made again.
    pub(super) again: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[serde(default)]
    directory: Vec<DirectoryRule>,
    #[serde(default)]
    file: Vec<FileRule>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DirectoryRule {
    names: Vec<String>,
    #[serde(default)]
    beside: Vec<String>,
    #[serde(default)]
    inside: Vec<String>,
    #[serde(default)]
    weak: bool,
    #[serde(default)]
    makefile: bool,
    again: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileRule {
    #[serde(default)]
    suffix: Option<String>,
    #[serde(default)]
    names: Vec<String>,
    #[serde(default)]
    source: Vec<String>,
    again: String,
}

/// Largest ignore file or Makefile that is read, in bytes.
const TEXT_LIMIT: u64 = 1 << 20;

/// `build.rs` made JSON of it, which is read several times faster.
fn parse() -> Result<Table, serde_json::Error> {
    serde_json::from_str(include_str!(concat!(env!("OUT_DIR"), "/regenerable.json")))
}

/// The table, parsed when first needed. The embedded text is checked by a test.
fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| parse().unwrap_or_default())
}

/// Whether a directory with this name may be in the table at all: a cheap test before any look at the machine.
fn may_be_listed(name: &str) -> bool {
    table().directory.iter().any(|rule| rule.names.iter().any(|known| known == name))
}

/// The rule that holds for a directory. `top` is the working tree's top, if it lies in a repository.
pub(super) fn directory(world: &dyn World, dir: &Path, top: Option<&Path>) -> Option<Regenerable> {
    let name = dir.file_name()?.to_str()?;
    let parent = dir.parent()?;
    if !may_be_listed(name) {
        return None;
    }
    let mut best: Option<Regenerable> = None;
    for rule in table().directory.iter().filter(|rule| rule.names.iter().any(|known| known == name)) {
        let beside = rule.beside.is_empty() || rule.beside.iter().any(|marker| stands(world, parent, marker));
        let inside = rule.inside.is_empty() || rule.inside.iter().any(|marker| stands(world, dir, marker));
        if !beside || !inside {
            continue;
        }
        let made = rule.makefile && makefile_makes(world, parent, name);
        if rule.makefile && !made {
            continue;
        }
        // A repository that does not ignore a weak name keeps its own things there.
        if rule.weak && !made && top.is_some_and(|top| !is_ignored(world, parent, name, top)) {
            continue;
        }
        if best.as_ref().is_none_or(|known| known.weak && !rule.weak) {
            best = Some(Regenerable { weak: rule.weak, again: rule.again.clone() });
        }
    }
    best
}

/// How a single file is made again.
pub(super) fn file(world: &dyn World, path: &Path) -> Option<&'static str> {
    let name = path.file_name()?.to_str()?;
    let parent = path.parent()?;
    table().file.iter().find_map(|rule| {
        let stem = match &rule.suffix {
            Some(suffix) => name.strip_suffix(suffix.as_str()).filter(|stem| !stem.is_empty())?,
            None => return rule.names.iter().any(|known| known == name).then_some(rule.again.as_str()),
        };
        let made = rule.source.is_empty()
            || rule.source.iter().any(|ending| world.lstat(&parent.join(format!("{stem}{ending}"))).is_ok());
        made.then_some(rule.again.as_str())
    })
}

/// A marker stands in a directory; `*.x` is any name with that ending.
fn stands(world: &dyn World, dir: &Path, marker: &str) -> bool {
    match marker.strip_prefix('*') {
        None => world.lstat(&dir.join(marker)).is_ok(),
        Some(ending) => world
            .read_dir(dir, 2000)
            .is_ok_and(|entries| entries.iter().any(|entry| entry.name.ends_with(ending))),
    }
}

/// Whether an ignore file between a directory and the repository's top lists the name.
fn is_ignored(world: &dyn World, parent: &Path, name: &str, top: &Path) -> bool {
    for dir in parent.ancestors().take_while(|dir| dir.starts_with(top)).take(16) {
        let Ok(text) = world.read_file(&dir.join(".gitignore"), TEXT_LIMIT) else { continue };
        let text = String::from_utf8_lossy(&text);
        let here = parent.strip_prefix(dir).map(|rest| rest.join(name)).unwrap_or_default();
        let listed = |line: &str| {
            let line = line.trim().trim_end_matches('/').trim_end_matches("/*").trim_end_matches("/**");
            let line = line.strip_prefix("**/").unwrap_or(line);
            line == name || Path::new(line.trim_start_matches('/')) == here
        };
        if text.lines().any(listed) {
            return true;
        }
    }
    false
}

/// Whether a recipe makes the directory or writes into it. Being removed by a `clean` target says nothing.
fn makefile_makes(world: &dyn World, dir: &Path, name: &str) -> bool {
    ["GNUmakefile", "makefile", "Makefile"].iter().any(|file| {
        let Ok(text) = world.read_file(&dir.join(file), TEXT_LIMIT) else { return false };
        let text = String::from_utf8_lossy(&text);
        text.lines().any(|line| makes(line, name))
    })
}

fn makes(line: &str, name: &str) -> bool {
    let within = format!("{name}/");
    if line.starts_with(&within) && line.contains(':') {
        return true;
    }
    let words: Vec<&str> = line.split_whitespace().map(|word| word.trim_start_matches(['@', '-'])).collect();
    let is_name = |word: &str| word.trim_end_matches('/') == name || word.starts_with(&within);
    words.iter().enumerate().any(|(index, word)| match *word {
        "mkdir" => words[index + 1..].iter().any(|word| is_name(word)),
        // `-o` lost its dash above.
        ">" | "o" => words.get(index + 1).is_some_and(|word| is_name(word)),
        other => other.strip_prefix('>').is_some_and(|word| !word.is_empty() && is_name(word)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::MemoryWorld;

    #[test]
    fn the_table_is_well_formed() {
        let table = parse().unwrap();
        assert!(table.directory.len() > 20 && table.file.len() > 3);
        for rule in &table.directory {
            assert!(!rule.names.is_empty() && !rule.again.is_empty(), "{rule:?}");
            assert!(!rule.weak || !rule.beside.is_empty(), "a weak name needs a marker: {rule:?}");
        }
    }

    #[test]
    fn a_marker_decides() {
        let world = MemoryWorld::new()
            .file("/p/package.json", "{}")
            .dir("/p/node_modules")
            .dir("/q/node_modules")
            .dir("/v/.venv")
            .file("/w/.venv/pyvenv.cfg", "");
        let holds = |path: &str| directory(&world, Path::new(path), None).is_some();
        assert!(holds("/p/node_modules"));
        assert!(!holds("/q/node_modules"));
        assert!(!holds("/v/.venv"));
        assert!(holds("/w/.venv"));
    }

    #[test]
    fn a_weak_name_in_a_repository_must_be_ignored_or_made() {
        let world = MemoryWorld::new()
            .file("/r/package.json", "{}")
            .dir("/r/dist")
            .file("/s/package.json", "{}")
            .file("/s/.gitignore", "*.log\n/dist/\n")
            .dir("/s/dist")
            .file("/m/Makefile", "build:\n\t@mkdir -p build\nclean:\n\trm -rf build out\n")
            .dir("/m/build")
            .dir("/m/out");
        let holds =
            |path: &str, top: &str| directory(&world, Path::new(path), Some(Path::new(top))).is_some();
        assert!(!holds("/r/dist", "/r"));
        assert!(holds("/s/dist", "/s"));
        assert!(holds("/m/build", "/m"));
        assert!(!holds("/m/out", "/m"));
    }

    #[test]
    fn compiled_files_need_their_source() {
        let world = MemoryWorld::new().file("/p/a.c", "").file("/p/a.o", "x").file("/p/b.o", "x");
        assert!(file(&world, Path::new("/p/a.o")).is_some());
        assert!(file(&world, Path::new("/p/b.o")).is_none());
    }
}
