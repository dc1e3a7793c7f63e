//! What in a directory that a tool makes again is really the tool's: by the places it writes to, by its own record of what
//! it installed, and else by name.
//!
//! Owns the decision for one name at a time, from a rule of the table; walking is `made_again`'s.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::evidence::Session;
use crate::knowledge::machine;
use crate::world::World;

use super::places::precious_name;
use super::regenerable::{self, Layout, Regenerable};

/// Largest record of an installer that is read, in bytes, and packages whose records are read.
const RECORD_LIMIT: (u64, usize) = (32 << 20, 4000);

/// How far a directory below the rule's own is the tool's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// The directory of the rule.
    Root,
    /// All of it is the tool's.
    Made,
    /// A package that an installer put there: all of it, unless it was changed since.
    Package,
    /// Directories of packages: `node_modules`, and a scope in it.
    Packages,
    /// A virtual environment's `lib`, and the Python's directory in it.
    Library,
    /// Python packages, each listed in some package's record.
    SitePackages,
    /// Names decide.
    Named,
    /// Nothing that a tool put there.
    Own,
}

/// What an installer says that it put into a directory.
#[derive(Debug, Default)]
pub(in crate::evidence) struct Record {
    /// Names of packages or of entries; `None` where there is no record.
    names: Option<BTreeSet<String>>,
    /// When it was written.
    pub(super) written: Option<(i64, u32)>,
}

/// Records read so far, by the directory that they speak of.
pub(in crate::evidence) type Records = HashMap<PathBuf, Rc<Record>>;

/// The stage of a directory named `name` inside `dir`, which has the stage `above`.
pub(super) fn enter(
    world: &dyn World,
    session: &mut Session,
    rule: &Regenerable,
    above: Stage,
    dir: &Path,
    name: &str,
) -> Stage {
    match (above, rule.layout) {
        (Stage::Made | Stage::Package, _) => above,
        (Stage::Own, _) => Stage::Own,
        (Stage::Root, Some(Layout::Node)) | (Stage::Packages, _) => package(world, session, rule, dir, name),
        (Stage::Root, Some(Layout::Python)) if matches!(name, "lib" | "lib64" | "Lib") => Stage::Library,
        (Stage::Library, _) if name == "site-packages" => Stage::SitePackages,
        (Stage::Library, _) if machine().interpreters.fit(name) => Stage::Library,
        (Stage::Library, _) => Stage::Made,
        (Stage::SitePackages, _) if site_entry(name) => Stage::Made,
        (Stage::SitePackages, _) => match session.record(world, dir, site_record).lists(name) {
            Some(true) => Stage::Made,
            Some(false) => Stage::Own,
            None => Stage::Named,
        },
        (Stage::Root, _) if rule.makes_directory(name) => Stage::Made,
        (Stage::Root | Stage::Named, _) => {
            let inside = dir.join(name);
            let marked = above == Stage::Root
                && rule.marked.iter().any(|mark| world.lstat(&inside.join(mark)).is_ok());
            if marked { Stage::Made } else { Stage::Named }
        }
    }
}

/// Whether a file named `name` inside a directory of this stage is the tool's.
pub(super) fn vouches(
    world: &dyn World,
    session: &mut Session,
    rule: &Regenerable,
    stage: Stage,
    dir: &Path,
    name: &str,
) -> bool {
    match stage {
        Stage::Made | Stage::Package => true,
        Stage::Own => false,
        Stage::Root if rule.layout == Some(Layout::Node) => name.starts_with('.'),
        Stage::Packages => name.starts_with('.'),
        Stage::SitePackages => {
            let listed = session.record(world, dir, site_record).lists(name);
            site_entry(name) || listed.unwrap_or_else(|| !regenerable::is_a_persons(name, false))
        }
        Stage::Root if rule.makes_file(name) => true,
        Stage::Root | Stage::Named | Stage::Library => {
            let strange =
                precious_name(Path::new(name)).is_some() || regenerable::is_a_persons(name, rule.web);
            match &rule.recipe {
                Some(recipe) => recipe.makes(name, strange),
                None => !strange || (rule.web && is_a_copy(world, session, rule, &dir.join(name))),
            }
        }
    }
}

/// The stage at a place below the rule's directory.
pub(super) fn at(world: &dyn World, session: &mut Session, rule: &Regenerable, dir: &Path) -> Stage {
    let Ok(rest) = dir.strip_prefix(&rule.root) else { return Stage::Own };
    let mut stage = Stage::Root;
    let mut at = rule.root.clone();
    for part in rest.components() {
        let name = part.as_os_str().to_string_lossy();
        stage = enter(world, session, rule, stage, &at, &name);
        at.push(part);
    }
    stage
}

/// A directory in `node_modules` or in a scope of it.
fn package(world: &dyn World, session: &mut Session, rule: &Regenerable, dir: &Path, name: &str) -> Stage {
    if name.starts_with('.') {
        return Stage::Made;
    }
    if name.starts_with('@') && dir == rule.root {
        return Stage::Packages;
    }
    let whole = match dir.strip_prefix(&rule.root) {
        Ok(scope) if !scope.as_os_str().is_empty() => format!("{}/{name}", scope.display()),
        _ => name.to_owned(),
    };
    let record = session.record(world, &rule.root, node_record);
    let inside = dir.join(name);
    match &record.names {
        Some(names) if names.contains(&whole) => Stage::Package,
        // What an installer leaves of a package whose own dependencies stay.
        Some(_) => match world.read_dir(&inside, 8) {
            Ok(entries) if entries.iter().all(|entry| entry.name == "node_modules") => Stage::Package,
            _ => Stage::Own,
        },
        // Other installers keep no such list: a package shows itself.
        None if world.lstat(&inside.join("package.json")).is_ok() => Stage::Package,
        None => Stage::Named,
    }
}

#[derive(Deserialize)]
struct NodeLock {
    packages: HashMap<String, IgnoredAny>,
}

/// What npm says that it installed: the top names of `.package-lock.json`.
fn node_record(world: &dyn World, dir: &Path) -> Record {
    let path = dir.join(".package-lock.json");
    let Ok(meta) = world.lstat(&path) else { return Record::default() };
    let text = world.read_file(&path, RECORD_LIMIT.0).unwrap_or_default();
    let Ok(lock) = serde_json::from_slice::<NodeLock>(&text) else { return Record::default() };
    let top = |key: &String| {
        let name = key.strip_prefix("node_modules/")?;
        (!name.contains("/node_modules/")).then(|| name.to_owned())
    };
    Record { names: Some(lock.packages.keys().filter_map(top).collect()), written: Some(meta.modified) }
}

/// Entries of `site-packages` that installers make and list nowhere.
fn site_entry(name: &str) -> bool {
    let endings = [".dist-info", ".egg-info", ".egg", ".pth", ".egg-link", ".pyc"];
    endings.iter().any(|ending| name.ends_with(ending))
        || matches!(name, "__pycache__" | "README.txt" | "_virtualenv.py" | "easy_install.py")
        || name.starts_with('~')
}

/// What the installed packages' own records list at the top.
fn site_record(world: &dyn World, dir: &Path) -> Record {
    let Ok(entries) = world.read_dir(dir, 20_000) else { return Record::default() };
    let mut wanted: BTreeSet<&str> =
        entries.iter().map(|entry| entry.name.as_str()).filter(|name| !site_entry(name)).collect();
    let mut names = BTreeSet::new();
    let packages = entries.iter().filter_map(|entry| {
        let stem = entry.name.strip_suffix(".dist-info").or_else(|| entry.name.strip_suffix(".egg-info"))?;
        Some((entry, stem.split('-').next().unwrap_or(stem)))
    });
    // A package mostly installs one entry of its own name.
    for (_, name) in packages.clone() {
        wanted.remove(name);
        wanted.remove(name.to_ascii_lowercase().as_str());
        names.extend([name.to_owned(), name.to_ascii_lowercase()]);
    }
    for (entry, _) in packages.take(RECORD_LIMIT.1) {
        if wanted.is_empty() {
            break;
        }
        for file in ["RECORD", "installed-files.txt", "top_level.txt"] {
            let path = dir.join(&entry.name).join(file);
            let Ok(text) = world.read_file(&path, RECORD_LIMIT.0) else { continue };
            for line in String::from_utf8_lossy(&text).lines() {
                let line = line.trim_start_matches('"').trim_start_matches("../");
                let top = line.split(['/', ',', '"']).next().unwrap_or_default();
                if wanted.remove(top) {
                    names.insert(top.to_owned());
                }
            }
        }
    }
    Record { names: (!names.is_empty()).then_some(names), written: None }
}

impl Record {
    /// Whether it lists an entry; `None` where there is no record.
    fn lists(&self, name: &str) -> Option<bool> {
        let stem = name.split('.').next().unwrap_or(name);
        self.names.as_ref().map(|names| names.contains(name) || names.contains(stem))
    }
}

/// A file that a build copies from its sources: the same content stands in one of the places that it copies from.
fn is_a_copy(world: &dyn World, session: &mut Session, rule: &Regenerable, path: &Path) -> bool {
    let (Ok(rest), Some(project)) = (path.strip_prefix(&rule.root), rule.root.parent()) else { return false };
    let Ok(meta) = world.lstat(path) else { return false };
    ["", "public", "static", "src", "docs", "content", "assets", "source", "app"].iter().any(|from| {
        let other = project.join(from).join(rest);
        world.lstat(&other).is_ok_and(|found| found.size == meta.size && found.id != meta.id)
            && super::content::same(world, session, path, &other, meta.size)
    })
}

/// A Makefile that makes the directory: which files it speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Recipe(pub(super) Rc<str>);

impl Recipe {
    /// Whether it makes a file of this name: it names the file or its kind, or the file is one that only programs make.
    fn makes(&self, name: &str, strange: bool) -> bool {
        let ending = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, ending)| ending);
        if let Some(ending) = ending.filter(|_| !strange) {
            return !ending.is_empty();
        }
        let named = |word: &str| {
            let last = word.rsplit('/').next().unwrap_or(word);
            last == name
                || ending.is_some_and(|ending| last == format!("%.{ending}") || last == format!("*.{ending}"))
        };
        self.0.split(|c: char| c.is_whitespace() || "\"'();:=,>".contains(c)).any(named)
    }
}

impl Session {
    /// An installer's record of a directory, read once.
    fn record(
        &mut self,
        world: &dyn World,
        dir: &Path,
        read: impl FnOnce(&dyn World, &Path) -> Record,
    ) -> Rc<Record> {
        if let Some(known) = self.records.get(dir) {
            return Rc::clone(known);
        }
        let found = Rc::new(read(world, dir));
        self.records.insert(dir.to_owned(), Rc::clone(&found));
        found
    }

    /// When npm last finished installing into a `node_modules`.
    pub(super) fn installed(&mut self, world: &dyn World, dir: &Path) -> Option<(i64, u32)> {
        self.record(world, dir, node_record).written
    }
}

/// Marks of a version control system's clone, as a directory's entries show them.
pub(super) fn is_clone<'n>(mut names: impl Iterator<Item = &'n str>) -> bool {
    let mut bare = 0;
    names.any(|name| {
        bare += usize::from(matches!(name, "HEAD" | "objects" | "refs"));
        bare == 3
            || name.eq_ignore_ascii_case(".git")
            || matches!(name, ".hg" | ".svn" | ".jj" | ".bzr" | ".fslckout" | "_darcs")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::MemoryWorld;

    fn stage(world: &MemoryWorld, rule: &Regenerable, dir: &str) -> Stage {
        at(world, &mut Session::new(), rule, Path::new(dir))
    }

    fn vouched(world: &MemoryWorld, rule: &Regenerable, path: &str) -> bool {
        let mut session = Session::new();
        let (dir, name) = path.rsplit_once('/').unwrap();
        let stage = at(world, &mut session, rule, Path::new(dir));
        vouches(world, &mut session, rule, stage, Path::new(dir), name)
    }

    fn rule(world: &MemoryWorld, dir: &str) -> Regenerable {
        regenerable::directory(world, Path::new(dir), None).unwrap()
    }

    #[test]
    fn packages_are_those_that_npm_lists() {
        let lock = r#"{"packages":{"":{},"node_modules/a":{},"node_modules/@s/b":{},"node_modules/a/node_modules/c":{}}}"#;
        let world = MemoryWorld::new()
            .file("/p/package.json", "{}")
            .file("/p/node_modules/.package-lock.json", lock)
            .file("/p/node_modules/own/package.json", "{}")
            .file("/q/package.json", "{}")
            .file("/q/node_modules/x/package.json", "{}")
            .file("/q/node_modules/y/notes", "x");
        let npm = rule(&world, "/p/node_modules");
        for (dir, want) in [
            ("a", Stage::Package),
            ("a/node_modules/c", Stage::Package),
            ("@s", Stage::Packages),
            ("@s/b", Stage::Package),
            ("@s/own", Stage::Own),
            ("own", Stage::Own),
            (".cache/x", Stage::Made),
        ] {
            assert_eq!(stage(&world, &npm, &format!("/p/node_modules/{dir}")), want, "{dir}");
        }
        assert!(vouched(&world, &npm, "/p/node_modules/a/README.md"));
        assert!(!vouched(&world, &npm, "/p/node_modules/thesis.md"));
        // Without a record a package shows itself.
        let other = rule(&world, "/q/node_modules");
        assert_eq!(stage(&world, &other, "/q/node_modules/x"), Stage::Package);
        assert_eq!(stage(&world, &other, "/q/node_modules/y"), Stage::Named);
    }

    #[test]
    fn python_packages_are_those_that_a_record_lists() {
        let world = MemoryWorld::new()
            .file("/p/.venv/pyvenv.cfg", "")
            .file(
                "/p/.venv/lib/python3.11/site-packages/PyYAML-6.0.dist-info/RECORD",
                "yaml/__init__.py,,\n_yaml/x,,\n",
            )
            .file("/p/.venv/lib/python3.11/site-packages/yaml/__init__.py", "x")
            .file("/p/.venv/lib/python3.11/site-packages/mine/m.py", "x");
        let venv = rule(&world, "/p/.venv");
        let site = "/p/.venv/lib/python3.11/site-packages";
        assert_eq!(stage(&world, &venv, &format!("{site}/yaml")), Stage::Made);
        assert_eq!(stage(&world, &venv, &format!("{site}/mine")), Stage::Own);
        assert!(vouched(&world, &venv, &format!("{site}/yaml/LICENSE.md")));
        assert!(!vouched(&world, &venv, &format!("{site}/mine.py")));
        assert!(!vouched(&world, &venv, "/p/.venv/thesis.md"));
        assert!(vouched(&world, &venv, "/p/.venv/bin/activate"));
        assert!(!vouched(&world, &venv, "/p/.venv/src/pkg/data.sqlite"));
    }

    #[test]
    fn names_decide_where_a_tool_writes_nothing() {
        let world = MemoryWorld::new()
            .file("/p/Cargo.toml", "")
            .file("/p/target/debug/notes.md", "x")
            .file("/p/target/custom/.fingerprint/x", "x")
            .dir("/p/src/__pycache__");
        let target = rule(&world, "/p/target");
        for (path, want) in [
            ("debug/notes.md", true),
            ("custom/README.md", true),
            ("thesis.md", false),
            ("zz/deep/app.sqlite3", false),
            ("zz/deep/server.key", false),
            (".rustc_info.json", true),
        ] {
            assert_eq!(vouched(&world, &target, &format!("/p/target/{path}")), want, "{path}");
        }
        let cache = rule(&world, "/p/src/__pycache__");
        assert!(vouched(&world, &cache, "/p/src/__pycache__/core.cpython-311.pyc"));
        assert!(!vouched(&world, &cache, "/p/src/__pycache__/thesis.md"));
    }

    #[test]
    fn a_recipe_vouches_for_what_it_names() {
        let text = "all:\n\tmkdir -p build\n\tcat a > build/sum.txt\n\tcp *.csv build/\n";
        let world = MemoryWorld::new().file("/p/Makefile", text).dir("/p/build");
        let build = rule(&world, "/p/build");
        for (name, want) in [
            ("main.o", true),
            ("sum.txt", true),
            ("table.csv", true),
            ("results.txt", false),
            ("thesis.docx", false),
            ("f1", false),
        ] {
            assert_eq!(vouched(&world, &build, &format!("/p/build/{name}")), want, "{name}");
        }
    }

    #[test]
    fn a_copy_of_the_sources_is_a_builds() {
        let world = MemoryWorld::new()
            .file("/p/package.json", "{}")
            .file("/p/public/manual.pdf", "the same")
            .file("/p/dist/manual.pdf", "the same")
            .file("/p/dist/other.pdf", "another")
            .file("/p/dist/assets/photo.jpg", "x");
        let dist = rule(&world, "/p/dist");
        assert!(vouched(&world, &dist, "/p/dist/manual.pdf"));
        assert!(vouched(&world, &dist, "/p/dist/assets/photo.jpg"));
        assert!(!vouched(&world, &dist, "/p/dist/other.pdf"));
    }
}
