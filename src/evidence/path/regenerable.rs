//! What a tool makes again: the table and the signs that it applies.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::OnceLock;

use serde::Deserialize;

use crate::evidence::Session;
use crate::knowledge::{Words, machine};
use crate::wildcard::fits;
use crate::world::{FileKind, World};

use super::vouch::Recipe;

/// The rule that holds for a directory or the nearest one above it, looked up once for all operands in it.
pub(in crate::evidence) type MadeAgain = HashMap<PathBuf, Option<Rc<Regenerable>>>;

/// A directory that is made again, and what the table says of its content.
#[derive(Clone, Debug)]
pub(in crate::evidence) struct Regenerable {
    /// How it is made again.
    pub(super) again: String,
    /// The directory.
    pub(super) root: PathBuf,
    /// How installers lay it out.
    pub(super) layout: Option<Layout>,
    /// Pictures in it, and copies of sources, are a build's.
    pub(super) web: bool,
    /// What stands in a directory directly below that is the tool's own.
    pub(super) marked: Words,
    /// The recipe that makes it, where only a recipe's text says so.
    pub(super) recipe: Option<Recipe>,
    made: Words,
}

impl Regenerable {
    /// Whether the tool makes a directory of this name directly below.
    pub(super) fn makes_directory(&self, name: &str) -> bool {
        self.made.iter().filter_map(|made| made.strip_suffix('/')).any(|made| fits(made, name))
    }

    /// Whether the tool makes a file of this name directly below.
    pub(super) fn makes_file(&self, name: &str) -> bool {
        self.made.iter().filter(|made| !made.ends_with('/')).any(|made| fits(made, name))
    }
}

/// A layout that installers write, with records of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Layout {
    /// `node_modules`.
    Node,
    /// A Python virtual environment.
    Python,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct Table {
    #[serde(default)]
    directory: Vec<DirectoryRule>,
    #[serde(default)]
    file: Vec<FileRule>,
    #[serde(default)]
    persons: Persons,
    #[serde(default)]
    caches: Caches,
    #[serde(default)]
    products: Products,
}

/// What programs write about themselves into what they make.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct Products {
    /// How programs and objects begin, in hexadecimal digits.
    compiled: Words,
    begins: Vec<String>,
    says: Vec<String>,
    closes: Vec<String>,
    /// In the first page of a site that a program made.
    sites: Vec<String>,
    /// Files that say how what stands around them is built.
    #[serde(default)]
    builds: Words,
}

/// Endings of files that people make.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct Persons {
    documents: Words,
    media: Words,
    except: Words,
}

/// Directories of a user's cache that belong to a tool that is known.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct Caches {
    names: Words,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DirectoryRule {
    names: Words,
    #[serde(default)]
    beside: Words,
    #[serde(default)]
    inside: Words,
    #[serde(default)]
    weak: bool,
    #[serde(default)]
    makefile: bool,
    #[serde(default)]
    web: bool,
    #[serde(default)]
    layout: Option<Layout>,
    #[serde(default)]
    made: Words,
    #[serde(default)]
    marked: Words,
    again: &'static str,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileRule {
    #[serde(default)]
    suffix: Option<&'static str>,
    #[serde(default)]
    names: Words,
    #[serde(default)]
    source: Words,
    #[serde(default)]
    weak: bool,
    again: &'static str,
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
    table().directory.iter().any(|rule| rule.is_for(name))
}

/// How a directory of this name is made again, where nothing but its name can be told.
pub(super) fn listed_again(name: &str) -> Option<&'static str> {
    let rule = table().directory.iter().find(|rule| !rule.makefile && rule.is_for(name));
    let file = || table().file.iter().find(|rule| rule.names.iter().any(|known| fits(known, name)));
    rule.map(|rule| rule.again).or_else(|| Some(file()?.again))
}

/// Whether a file's name is one that people give to their own: a document, and a picture where no build makes them (`web`).
pub(super) fn is_a_persons(name: &str, web: bool) -> bool {
    let persons = &table().persons;
    let Some((_, ending)) = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()) else { return false };
    let ending = ending.to_ascii_lowercase();
    (persons.documents.has(&ending) || !web && persons.media.has(&ending))
        && !persons.except.iter().any(|pattern| fits(pattern, name))
}

/// Whether a directory of a user's cache is that of a tool that is known.
pub(super) fn is_a_tools_cache(name: &str) -> bool {
    table().caches.names.iter().any(|pattern| fits(pattern, name))
}

impl DirectoryRule {
    fn is_for(&self, name: &str) -> bool {
        self.names.iter().any(|known| fits(known, name))
    }
}

/// The rule that holds for a directory. `top` is the working tree's top, if it lies in a repository.
pub(super) fn directory(world: &dyn World, dir: &Path, top: Option<&Path>) -> Option<Regenerable> {
    let name = dir.file_name()?.to_str()?;
    let parent = dir.parent()?;
    if !may_be_listed(name) {
        return None;
    }
    let mut best: Option<(&DirectoryRule, Option<Recipe>)> = None;
    for rule in table().directory.iter().filter(|rule| rule.is_for(name)) {
        let beside = rule.beside.is_empty() || rule.beside.iter().any(|marker| stands(world, parent, marker));
        let inside = rule.inside.is_empty() || rule.inside.iter().any(|marker| stands(world, dir, marker));
        if !beside || !inside {
            continue;
        }
        let recipe = if rule.makefile { recipe(world, parent, name) } else { None };
        if rule.makefile && recipe.is_none() {
            continue;
        }
        // A repository that does not ignore a weak name keeps its own things there.
        if rule.weak && recipe.is_none() && top.is_some_and(|top| !is_ignored(world, parent, name, top)) {
            continue;
        }
        // A recipe's text says more of what lies there than a name that is only likely.
        if best.as_ref().is_none_or(|(known, _)| known.weak && (!rule.weak || recipe.is_some())) {
            best = Some((rule, recipe));
        }
    }
    let (rule, recipe) = best?;
    Some(Regenerable {
        again: rule.again.to_owned(),
        root: dir.to_owned(),
        layout: rule.layout,
        web: rule.web,
        marked: rule.marked,
        recipe,
        made: rule.made,
    })
}

/// How a single file is made again. `top` is the working tree's top, if it lies in a repository.
pub(super) fn file(world: &dyn World, path: &Path, top: Option<&Path>) -> Option<&'static str> {
    let name = path.file_name()?.to_str()?;
    let parent = path.parent()?;
    table().file.iter().find_map(|rule| {
        let stem = match rule.suffix {
            Some(suffix) => name.strip_suffix(suffix).filter(|stem| !stem.is_empty())?,
            None => {
                let ignored = || top.is_some_and(|top| is_ignored(world, parent, name, top));
                return (rule.names.has(name) && (!rule.weak || ignored())).then_some(rule.again);
            }
        };
        let made = rule.source.is_empty()
            || rule.source.iter().any(|ending| world.lstat(&parent.join(format!("{stem}{ending}"))).is_ok());
        made.then_some(rule.again)
    })
}

/// Whether a file is a program that the project around it builds: what compilers make, of which the repository's ignore files
/// say that it stays out, below a file that says how it is built.
pub(super) fn is_built(world: &dyn World, session: &mut Session, path: &Path, size: u64, top: &Path) -> bool {
    let within = || path.ancestors().take_while(|place| place.starts_with(top) && *place != top);
    let ignored = |place: &Path| {
        let name = place.file_name().and_then(|name| name.to_str());
        place.parent().zip(name).is_some_and(|(parent, name)| is_ignored(world, parent, name, top))
    };
    let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    let name = name.strip_prefix("lib").filter(|rest| !rest.is_empty()).unwrap_or(name);
    let built = |dir: &Path| builds(world, dir, name);
    if size > session.bytes_left() || !within().any(ignored) {
        return false;
    }
    if !path.ancestors().skip(1).take_while(|dir| dir.starts_with(top)).any(built) {
        return false;
    }
    session.spend_bytes(size);
    world.read_file(path, size).is_ok_and(|content| content.contains(&0) && is_compiled(&content))
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
/// Whether a directory holds a file that says how something of this name is built, or the project bears the name itself.
fn builds(world: &dyn World, dir: &Path, name: &str) -> bool {
    let files = table().products.builds.iter().map(|file| dir.join(file));
    let mut there = files.filter(|file| world.lstat(file).is_ok()).peekable();
    if name.is_empty() || there.peek().is_none() {
        return false;
    }
    // Go's programs are named after their directories, Cargo's after their sources.
    let sources = [dir.join("cmd").join(name), dir.join(name), dir.join(format!("src/bin/{name}.rs"))];
    dir.file_name().is_some_and(|own| own == name)
        || sources.iter().any(|source| {
            world.lstat(source).is_ok_and(|meta| meta.kind != FileKind::File || source.extension().is_some())
        })
        || there.any(|file| {
            let text = world.read_file(&file, TEXT_LIMIT).unwrap_or_default();
            let text = String::from_utf8_lossy(&text);
            text.split(|c: char| !(c.is_alphanumeric() || "_-".contains(c))).any(|word| word == name)
        })
}

/// A pattern that is for names of some kind, and not for all.
fn is_pattern(line: &str) -> bool {
    line.contains('*') && line.chars().filter(|c| c.is_alphanumeric()).count() > 1
}

fn is_ignored(world: &dyn World, parent: &Path, name: &str, top: &Path) -> bool {
    for dir in parent.ancestors().take_while(|dir| dir.starts_with(top)).take(16) {
        let Ok(text) = world.read_file(&dir.join(".gitignore"), TEXT_LIMIT) else { continue };
        let text = String::from_utf8_lossy(&text);
        let here = parent.strip_prefix(dir).map(|rest| rest.join(name)).unwrap_or_default();
        let listed = |line: &str| {
            let line = line.trim().trim_end_matches('/').trim_end_matches("/*").trim_end_matches("/**");
            let line = line.strip_prefix("**/").unwrap_or(line);
            line == name
                || is_pattern(line) && fits(line, name)
                || Path::new(line.trim_start_matches('/')) == here
        };
        if text.lines().any(listed) {
            return true;
        }
    }
    false
}

/// The Makefile of which a recipe makes the directory or writes into it. Being removed by a `clean` target says nothing.
fn recipe(world: &dyn World, dir: &Path, name: &str) -> Option<Recipe> {
    ["GNUmakefile", "makefile", "Makefile"].iter().find_map(|file| {
        let text = world.read_file(&dir.join(file), TEXT_LIMIT).ok()?;
        let text = String::from_utf8_lossy(&text);
        text.lines().any(|line| makes(line, name)).then(|| Recipe(text.as_ref().into()))
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
        // `-o` lost its dash above.
        ">" | "o" => words.get(index + 1).is_some_and(|word| is_name(word)),
        maker if machine().makes_directories.has(maker) => {
            words[index + 1..].iter().any(|word| is_name(word))
        }
        other => other.strip_prefix('>').is_some_and(|word| !word.is_empty() && is_name(word)),
    })
}

/// Bytes at the beginning of a file that are looked at for what a program writes about itself.
const HEAD: usize = 2048;

/// Whether a content is a program's work and not a person's: no text, or it says so at its beginning.
pub(super) fn is_product(content: &[u8]) -> bool {
    let head = &content[..content.len().min(HEAD)];
    if head.contains(&0) {
        return true;
    }
    let text = String::from_utf8_lossy(head);
    let products = &table().products;
    products.begins.iter().any(|start| text.starts_with(start.as_str()))
        || products.says.iter().any(|part| text.contains(part.as_str()))
        || products.closes.iter().any(|end| content.ends_with(end.as_bytes()))
}

/// Whether the first page of a site says that a program made it.
pub(super) fn is_built_page(content: &[u8]) -> bool {
    let text = String::from_utf8_lossy(content);
    table().products.sites.iter().any(|part| text.contains(part.as_str()))
}

/// Whether a content is what compilers make of sources.
pub(super) fn is_compiled(content: &[u8]) -> bool {
    if !content[..content.len().min(HEAD)].contains(&0) {
        return is_product(content);
    }
    let begin: String = content.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    table().products.compiled.iter().any(|start| begin.starts_with(start))
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
    fn a_product_is_no_text_or_says_what_made_it() {
        for made in [
            "\u{7f}ELF\u{2}\0",
            "; ModuleID = 'a'\n",
            "/* A Bison parser */",
            "# Generated by x. DO NOT EDIT.",
        ] {
            assert!(is_product(made.as_bytes()), "{made}");
        }
        for own in ["my results of the last run\n", "", "msgid \"a\"\nmsgstr \"b\"\n"] {
            assert!(!is_product(own.as_bytes()), "{own}");
        }
        assert!(is_compiled(b"\x7fELF\x02\0") && is_compiled(b"!<arch>\n\0"));
        assert!(!is_compiled(b"\x89PNG\r\n\x1a\n\0") && !is_compiled(b"SQLite format 3\0"));
    }

    #[test]
    fn compiled_files_need_their_source() {
        let world = MemoryWorld::new().file("/p/a.c", "").file("/p/a.o", "x").file("/p/b.o", "x");
        assert!(file(&world, Path::new("/p/a.o"), None).is_some());
        assert!(file(&world, Path::new("/p/b.o"), None).is_none());
    }

    #[test]
    fn a_program_is_built_where_the_repository_keeps_it_out_and_something_says_how() {
        let elf = "\x7fELF\0";
        let world = MemoryWorld::new()
            .file("/p/Makefile", "app: app.c\nbin/x: x.c\na.so: a.c\nown: own.c\nnotes:\n")
            .file("/p/.gitignore", "/app\nbin/\n*.so\nnotes\n")
            .file("/p/app", elf)
            .file("/p/bin/x", elf)
            .file("/p/a.so", elf)
            .file("/p/own", elf)
            .file("/p/bin/bought", elf)
            .file("/g/go.mod", "module example.org/tool\n")
            .file("/g/.gitignore", "bin/\n/g\n")
            .file("/g/cmd/serve/main.go", "")
            .file("/g/bin/serve", elf)
            .file("/g/bin/tool", elf)
            .file("/g/g", elf)
            .file("/p/notes", "nowhere else")
            .file("/q/.gitignore", "app\n")
            .file("/q/app", elf);
        let is = |path: &str, top: &str| {
            is_built(&world, &mut Session::new(), Path::new(path), 100, Path::new(top))
        };
        assert!(is("/p/app", "/p") && is("/p/bin/x", "/p") && is("/p/a.so", "/p"));
        assert!(is("/g/bin/serve", "/g") && is("/g/bin/tool", "/g") && is("/g/g", "/g"));
        assert!(!is("/p/bin/bought", "/p"), "nothing speaks of it");
        assert!(!is("/p/own", "/p"), "the repository does not say that it stays out");
        assert!(!is("/p/notes", "/p"), "a text is no program");
        assert!(!is("/q/app", "/q"), "nothing says how it is built");
    }
}
