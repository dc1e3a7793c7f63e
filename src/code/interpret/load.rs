//! Modules: what a program loads from files of its own runs in it, and its names are known afterwards.

use std::collections::BTreeMap;

use crate::code::CodeEffect;
use crate::code::language::Language;
use crate::code::library;
use crate::code::sources::Source;
use crate::code::tree::Expr;
use crate::model::Value;

use super::{Machine, Object, written};

/// Files that one program may load.
const MODULES: usize = 200;

/// Longest text of a file that is followed, in bytes.
const TEXT_LIMIT: usize = 64 * 1024;

/// Whether a file's name says that it is SQL or the text of a program.
fn is_a_program(name: &str) -> bool {
    let ending = name.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map(|(_, ending)| ending);
    ending.is_some_and(|ending| {
        ["sql", "py", "js", "mjs", "cjs", "ts", "rb", "sh", "pl", "php"].contains(&ending)
    })
}

impl Machine<'_> {
    /// `require(name)`, `import_module(name)`, `do file`, `include file`.
    pub(super) fn load(&mut self, name: &Object) -> Object {
        let Some(name) = name.known() else {
            self.unknown("a module that is chosen at run time");
            return Object::Unknown;
        };
        if self.language == Language::Python {
            return match self.python_module(&name, 0) {
                Some(object) => object,
                None => {
                    self.not_found(&name);
                    library::module(self.language, &name)
                }
            };
        }
        if name == "rake/clean" {
            self.cleans();
        }
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        let local = name.starts_with(['.', '/']) || matches!(ending, "rb" | "pl" | "php" | "lua");
        if matches!(ending, "json" | "node" | "css") {
            return Object::Plain;
        }
        if self.language == Language::Node
            && !local
            && let Some(object) = self.package(&name)
        {
            return object;
        }
        let paths = self.candidates(&name);
        match self.run_first(&paths) {
            Loaded::Object(object) => object,
            Loaded::Unread if local || !paths.is_empty() && self.looks => {
                self.unknown(format!("code in {name}"));
                library::module(self.language, &name)
            }
            Loaded::Absent if local && !self.effects.is_empty() => {
                self.unknown(format!("code in {name}"));
                Object::Unknown
            }
            _ => {
                self.not_found(&name);
                library::module(self.language, &name)
            }
        }
    }

    /// The text of SQL files that a program reads to run it, and of programs that it may write again; other files are not
    /// read, so that nothing of them is told.
    pub(super) fn file_text(&self, file: &Object) -> Object {
        let names = match file.wildcard() {
            Some(pattern) => self.sources.matching(&pattern),
            None => file.word().choices().map(<[String]>::to_vec),
        };
        let read = |name: &String| {
            if !is_a_program(name) || self.wrote(name) {
                return None;
            }
            match self.sources.first(std::slice::from_ref(name)) {
                Source::Text { text, .. } if text.len() <= TEXT_LIMIT => Some(text),
                _ => None,
            }
        };
        let known = names.filter(|names| (1..=Value::MAX_CHOICES).contains(&names.len()));
        let texts = known.and_then(|names| names.iter().map(read).collect::<Option<Vec<_>>>());
        texts.map_or(Object::Unknown, |texts| Object::Text { value: Value::one_of(texts), glob: false })
    }

    /// A package of Node that nothing is known of, read where it is small.
    fn package(&mut self, name: &str) -> Option<Object> {
        if !matches!(library::module(self.language, name), Object::Foreign(_)) {
            return None;
        }
        let paths = self.packages(name);
        if let Some(known) = paths.iter().find_map(|path| self.loaded.get(path)) {
            return Some(known.clone());
        }
        // What stands among the project's own files is read as they are.
        if name.starts_with('#') {
            return match self.run_first(&paths) {
                Loaded::Object(object) => Some(object),
                _ => None,
            };
        }
        let (path, text) = self.installed(&paths)?;
        let outer = std::mem::replace(&mut self.installed, true);
        let object = self.run_module(&path, &text);
        self.installed = outer;
        Some(object)
    }

    /// `load file`, `require_relative file`: always a file of the program's own.
    pub(super) fn load_file(&mut self, name: &Object, beside: bool) -> Object {
        let listed = name.wildcard().and_then(|pattern| self.sources.matching(&pattern));
        if let Some(names) = listed.filter(|names| names.len() <= super::UNROLL) {
            for name in names {
                self.load_file(&Object::text(name), beside);
            }
            return Object::Unknown;
        }
        let Some(name) = name.known() else {
            match &mut self.tasks {
                // A Rakefile that loads others: what is asked for and not found is not known then.
                Some(tasks) => tasks.more = true,
                None => self.unknown("a file of code that is chosen at run time"),
            }
            return Object::Unknown;
        };
        let mut paths = Vec::new();
        for base in [beside.then(|| self.directory.clone()), Some(String::new())].into_iter().flatten() {
            let path = joined(&base, &name);
            paths.extend([path.clone(), format!("{path}.{}", self.language.ending())]);
        }
        match self.run_first(&paths) {
            Loaded::Object(object) => object,
            // What this program did before may have made it.
            Loaded::Absent if self.effects.is_empty() => Object::Unknown,
            Loaded::Absent | Loaded::Unread => {
                self.unknown(format!("code in {name}"));
                Object::Unknown
            }
        }
    }

    /// `import a.b as c`, `from a import b`, `import {a} from 'b'`, `use A::B`.
    pub(super) fn import(&mut self, name: &str, bound: &str) {
        if self.language == Language::Php {
            return;
        }
        if self.language == Language::Perl {
            let path = format!("{}.pm", name.replace("::", "/"));
            let paths = self.roots.iter().map(|root| joined(root, &path)).collect::<Vec<_>>();
            match self.run_first(&paths) {
                Loaded::Unread if self.looks => {
                    self.unknown(format!("the Perl module {name} could not be read"));
                }
                Loaded::Object(_) => {}
                _ => self.not_found(name),
            }
            return;
        }
        let (module, member) = name.split_once('\u{0}').unwrap_or((name, ""));
        let own = match self.language {
            Language::Python => self.python_import(module),
            Language::Node if module.starts_with(['.', '/']) => Some(self.load(&Object::text(module))),
            Language::Node => self.package(module),
            _ => None,
        };
        if own.is_none() && !module.starts_with('.') {
            self.not_found(module);
        }
        let mut object = own.unwrap_or_else(|| library::module(self.language, module));
        if !member.is_empty() {
            object = self.attribute(object, member);
        }
        if bound == "*" {
            match object {
                Object::Map(entries) => {
                    entries.into_iter().for_each(|(name, object)| self.set(&name, object))
                }
                _ => self.open_modules.push(module.to_owned()),
            }
        } else if !bound.is_empty() {
            self.set(bound, object);
        }
    }

    /// A dotted name of Python as `from` and `import` give it: leading dots and one more stand for the package.
    fn python_import(&mut self, name: &str) -> Option<Object> {
        let dots = name.chars().take_while(|c| *c == '.').count();
        let rest = &name[dots..];
        // `from . import x` and `from .x import y` both come with one dot more than was written.
        let level = if dots > 1 && !rest.contains('.') { dots - 1 } else { dots };
        self.python_module(rest, level)
    }

    /// A module of Python by its dotted name; `level` directories above this file's when it is relative.
    fn python_module(&mut self, name: &str, level: usize) -> Option<Object> {
        let segments = name.split('.').filter(|part| !part.is_empty()).collect::<Vec<_>>();
        let first = *segments.first()?;
        // These are loaded before any directory is looked at.
        if level == 0
            && matches!(first, "sys" | "os" | "builtins" | "io" | "abc" | "site" | "codecs" | "stat")
        {
            return None;
        }
        if level == 0 {
            self.shadows();
        }
        let bases = if level > 0 {
            let mut base = self.directory.clone();
            for _ in 1..level {
                base = joined(&base, "..");
            }
            vec![base]
        } else {
            self.roots.to_vec()
        };
        for base in bases {
            let mut place = base;
            let mut object = None;
            let mut rest = segments.as_slice();
            while let Some((part, further)) = rest.split_first() {
                let stem = joined(&place, part);
                match self.run_first(&[format!("{stem}/__init__.py"), format!("{stem}.py")]) {
                    Loaded::Object(_) if self.sources.is_compiled(&stem) => {
                        self.unknown(format!("the Python module {name} is loaded from what was compiled"));
                        return Some(Object::Unknown);
                    }
                    Loaded::Object(module) => object = Some(module),
                    Loaded::Unread if self.looks => {
                        self.unknown(format!("the Python module {name} could not be read"));
                        return Some(Object::Unknown);
                    }
                    // What is left are names in the module.
                    _ if object.is_some() => break,
                    // A directory without `__init__.py` is a package too.
                    _ => {}
                }
                place = stem;
                rest = further;
            }
            if let Some(object) = object {
                return Some(rest.iter().fold(object, |object, part| self.attribute(object, part)));
            }
        }
        None
    }

    /// Files that stand in the place of modules of the language: what is imported imports those in turn.
    fn shadows(&mut self) {
        const ASKED: &str = "\u{0}shadows";
        if self.get(ASKED).is_some() {
            return;
        }
        self.set(ASKED, Object::Plain);
        for base in self.roots.clone() {
            for path in self.sources.matching(&joined(&base, "*.py")).unwrap_or_default() {
                let name = path.rsplit('/').next().and_then(|name| name.strip_suffix(".py"));
                if name.is_some_and(|name| library::is_builtin(self.language, name))
                    && !matches!(self.run_first(std::slice::from_ref(&path)), Loaded::Object(_))
                {
                    self.emit(CodeEffect::Waits { handed: Vec::new() });
                }
            }
        }
    }

    /// Where a name that is loaded may be.
    fn candidates(&self, name: &str) -> Vec<String> {
        let relative = name.starts_with("./") || name.starts_with("../") || matches!(name, "." | "..");
        match self.language {
            Language::Node if relative || name.starts_with('/') => {
                self.node_paths(&joined(&self.directory, name))
            }
            Language::Ruby => {
                let stems = if relative || name.starts_with('/') {
                    vec![name.to_owned()]
                } else {
                    self.roots.iter().map(|root| joined(root, name)).collect()
                };
                let endings = |stem: String| {
                    if stem.ends_with(".rb") { vec![stem] } else { vec![format!("{stem}.rb"), stem] }
                };
                stems.into_iter().flat_map(endings).collect()
            }
            Language::Perl => {
                let roots =
                    if relative || name.starts_with('/') { vec![String::new()] } else { self.roots.to_vec() };
                roots.iter().map(|root| joined(root, &name.replace("::", "/"))).collect()
            }
            Language::Php => vec![joined(&self.directory, name), name.to_owned()],
            Language::Lua => {
                let stem = name.replace('.', "/");
                vec![format!("{stem}.lua"), format!("{stem}/init.lua"), name.to_owned()]
            }
            _ => Vec::new(),
        }
    }

    /// What Node tries for a path: endings, and what stands in a directory.
    pub(super) fn node_paths(&self, path: &str) -> Vec<String> {
        let mut paths = vec![path.to_owned()];
        for ending in ["js", "mjs", "cjs", "ts", "tsx", "jsx", "mts"] {
            paths.push(format!("{path}.{ending}"));
            // TypeScript is imported by the name that it will have.
            if let Some(stem) = path.strip_suffix(".js").filter(|_| ending.contains('t')) {
                paths.push(format!("{stem}.{ending}"));
            }
        }
        if let Source::Text { text, .. } = self.sources.first(&[format!("{path}/package.json")])
            && let Ok(package) = serde_json::from_str::<serde_json::Value>(&text)
            && let Some(main) = package.get("main").and_then(|main| main.as_str())
        {
            let main = joined(path, main);
            paths.extend([main.clone(), format!("{main}.js"), format!("{main}/index.js")]);
        }
        paths.extend(["js", "mjs", "cjs", "ts", "tsx"].map(|ending| format!("{path}/index.{ending}")));
        paths
    }

    /// Runs the first of these files that is there, once.
    fn run_first(&mut self, paths: &[String]) -> Loaded {
        if paths.is_empty() {
            return Loaded::Absent;
        }
        if let Some(known) = paths.iter().find_map(|path| self.loaded.get(path)) {
            return Loaded::Object(known.clone());
        }
        match self.sources.first(paths) {
            // What stands there now is not what will be read.
            Source::Text { path, .. } if self.wrote(&path) => Loaded::Unread,
            Source::Text { path, text } => Loaded::Object(self.run_module(&path, &text)),
            Source::Absent => Loaded::Absent,
            Source::Unreadable | Source::Untold => Loaded::Unread,
        }
    }

    /// Whether the program has written a file of this name before.
    pub(super) fn wrote(&self, path: &str) -> bool {
        let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
        let file = name(path);
        self.effects.iter().any(|effect| match effect {
            CodeEffect::Overwrite { path }
            | CodeEffect::Update { path }
            | CodeEffect::Append { path }
            | CodeEffect::Rename { to: path, .. }
            | CodeEffect::Copy { to: path, .. } => {
                path.choices().is_some_and(|paths| paths.iter().any(|path| name(path) == file))
            }
            CodeEffect::Unpack { .. } => true,
            _ => false,
        })
    }

    fn run_module(&mut self, path: &str, text: &str) -> Object {
        if self.loaded.len() >= MODULES || self.calls >= super::CALLS {
            self.unknown("more modules than are followed");
            return Object::Unknown;
        }
        self.loaded.insert(path.to_owned(), Object::Unknown);
        let (outer_file, outer_directory) = (self.file.take(), std::mem::take(&mut self.directory));
        self.stand(Some(path));
        // PHP's, Perl's and Ruby's files share the names of the program that loads them.
        let shares = matches!(self.language, Language::Php | Language::Perl | Language::Ruby);
        let outer_frames =
            if shares { Vec::new() } else { std::mem::replace(&mut self.frames, vec![BTreeMap::new()]) };
        let outer_steps = std::mem::take(&mut self.steps);
        let outer_returned = self.returned.take();
        self.calls += 1;
        self.loading += 1;
        if let Some(name) = self.program(text) {
            self.unknown(format!("code that mentions {name} could not be read in full"));
        }
        self.loading -= 1;
        self.calls -= 1;
        self.returned = outer_returned;
        self.steps = outer_steps;
        (self.file, self.directory) = (outer_file, outer_directory);
        if shares {
            return Object::Plain;
        }
        let names = std::mem::replace(&mut self.frames, outer_frames).into_iter().next().unwrap_or_default();
        for (name, object) in &names {
            let both = match self.shared.remove(name) {
                Some(before) => before.or(object.clone()),
                None => object.clone(),
            };
            self.shared.insert(name.clone(), both);
        }
        let object = if self.language == Language::Node {
            exported(names)
        } else {
            Object::Map(names.into_iter().collect())
        };
        self.loaded.insert(path.to_owned(), object.clone());
        object
    }

    /// `if __name__ == "__main__"` and its like: whether this file is the program is known.
    pub(super) fn asks_for_main(&self, condition: &Expr) -> bool {
        let Expr::Plain(sides) = condition else { return false };
        let [left, right] = sides.as_slice() else { return false };
        let says = |side: &Expr, names: &[&str]| match side {
            Expr::Text(parts) => {
                matches!(parts.as_slice(), [crate::code::tree::Part::Text(text)] if names.contains(&text.as_str()))
            }
            other => written(other).is_some_and(|name| names.contains(&name.as_str())),
        };
        let pair = |one: &[&str], other: &[&str]| {
            says(left, one) && says(right, other) || says(left, other) && says(right, one)
        };
        match self.language {
            Language::Python => pair(&["__name__"], &["__main__"]),
            Language::Node => pair(&["require.main"], &["module"]),
            Language::Ruby => pair(&["__FILE__"], &["$0", "$PROGRAM_NAME"]),
            _ => false,
        }
    }
}

enum Loaded {
    Object(Object),
    Absent,
    Unread,
}

/// What `require` of a file gives.
fn exported(names: BTreeMap<String, Object>) -> Object {
    let whole = names
        .get("module.exports")
        .filter(|object| !matches!(object, Object::Nothing | Object::Plain | Object::Unknown));
    if let Some(Object::Function(_) | Object::Class(_) | Object::Map(_)) = whole
        && let Some(whole) = whole
    {
        return whole.clone();
    }
    let mut entries = Vec::new();
    for (name, object) in names {
        let own = name.strip_prefix("module.exports.").or_else(|| name.strip_prefix("exports."));
        entries.push((own.unwrap_or(&name).to_owned(), object));
    }
    Object::Map(entries)
}

/// A path below a directory; `""` is the directory of the process.
pub(super) fn joined(directory: &str, path: &str) -> String {
    let path = path.strip_prefix("./").unwrap_or(path);
    if directory.is_empty() || path.starts_with('/') {
        return path.to_owned();
    }
    format!("{}/{path}", directory.trim_end_matches('/'))
}
