//! What a path is by where it stands and by what it is called (`machine.toml`).

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;

use super::tool_words::Words;

/// The lists.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub struct Machine {
    /// Directories whose direct loss breaks the machine.
    pub roots: Words,
    /// Everything below these belongs to the system.
    pub trees: Words,
    /// Files that the machine cannot do without, in the directories of `holders`.
    pub essential: Words,
    /// Directories of programs and libraries.
    pub holders: Words,
    /// What the machine cannot do without in `/etc`.
    pub settings: Words,
    /// The same in `/boot`.
    pub boot: Words,
    /// Directories that anybody may fill and everybody may empty.
    pub temporary: Words,
    /// Directories that are empty after the next start.
    pub fleeting: Words,
    /// Directories below a home that tools fill again.
    pub caches: Words,
    /// Directories of the system that package managers fill again.
    pub refilled: Words,
    /// Programs that give rights on the machine itself.
    pub grants: Words,
    /// Names of directories that hold what people and running programs put there.
    pub holds_data: Words,
    /// Beginnings of the names of disks.
    pub disks: Words,
    /// Directories that an installer of Python's makes below `lib`.
    pub interpreters: Words,
    /// Programs by which a recipe makes a directory.
    pub makes_directories: Words,
    /// Directories below a home, by why their loss is more than ordinary.
    pub home: BTreeMap<&'static str, Words>,
    endings: BTreeMap<&'static str, Words>,
    names: BTreeMap<&'static str, Words>,
    samples: Samples,
}

/// Files that only look so.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct Samples {
    names: Words,
}

impl Machine {
    /// Why a file's loss is more than ordinary, by its name.
    pub fn precious(&self, name: &str) -> Option<&'static str> {
        let why = |lists: &BTreeMap<&'static str, Words>, holds: &dyn Fn(&Words) -> bool| {
            lists.iter().find(|(_, list)| holds(list)).map(|(why, _)| *why)
        };
        let ending = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, ending)| ending);
        ending
            .map(str::to_ascii_lowercase)
            .and_then(|ending| why(&self.endings, &|list| list.has(&ending)))
            .or_else(|| why(&self.names, &|list| list.fit(name)).filter(|_| !self.samples.names.fit(name)))
    }
}

/// The lists, read once.
pub fn machine() -> &'static Machine {
    static MACHINE: OnceLock<Machine> = OnceLock::new();
    // Unreadable lists know nothing precious; a test rules that out.
    MACHINE.get_or_init(|| read().unwrap_or_default())
}

/// `build.rs` made JSON of it, which is read several times faster.
fn read() -> Result<Machine, serde_json::Error> {
    serde_json::from_str(include_str!(concat!(env!("OUT_DIR"), "/machine.json")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_can_be_read() {
        let machine = read().unwrap();
        assert!(machine.roots.has("/usr") && machine.essential.has("bash") && !machine.temporary.is_empty());
        assert_eq!(machine.precious("a.KDBX"), Some("password database"));
        assert_eq!(machine.precious("x.tfstate.backup"), Some("Terraform state"));
        assert_eq!(machine.precious(".env.local"), Some("secrets"));
        assert_eq!(machine.precious(".env.example"), None);
        assert_eq!(machine.precious("notes.md"), None);
    }
}
