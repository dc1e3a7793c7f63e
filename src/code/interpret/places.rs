//! Where the program stands, and where its modules are looked for: names of the own file, edits of the search path,
//! packages of Node.

use crate::code::language::Language;
use crate::code::library;
use crate::code::sources::Source;
use crate::code::tree::{Argument, Expr};
use crate::model::Value;

use super::load::joined;
use super::{Arguments, Machine, Object, written};

/// Bytes of installed packages that are read; larger ones are judged by the names of their functions.
const INSTALLED: usize = 48 << 10;
/// Directories above that may hold packages.
const ABOVE: usize = 12;

/// Perl's own modules, or the first part of their names.
const PERL: [&str; 50] = [
    "AutoLoader",
    "B",
    "Benchmark",
    "CPAN",
    "Carp",
    "Class",
    "Compress",
    "Config",
    "Cwd",
    "DB",
    "Data",
    "Devel",
    "Digest",
    "Dumpvalue",
    "Encode",
    "English",
    "Env",
    "Errno",
    "Exporter",
    "ExtUtils",
    "Fcntl",
    "File",
    "FileHandle",
    "Filter",
    "FindBin",
    "Getopt",
    "HTTP",
    "Hash",
    "I18N",
    "IO",
    "IPC",
    "JSON",
    "List",
    "MIME",
    "Math",
    "Memoize",
    "Module",
    "Net",
    "POSIX",
    "Perl",
    "Pod",
    "Scalar",
    "Socket",
    "Storable",
    "Sys",
    "Term",
    "Test",
    "Text",
    "Time",
    "Unicode",
];

impl Machine<'_> {
    /// A path with every link in it followed. Where that cannot be told of a path that is known, nothing is.
    pub(super) fn real(&self, path: Object) -> Object {
        let (value, glob) = path.value();
        if glob || !self.looks {
            return path;
        }
        let Some(names) = value.choices() else { return path };
        let real = names.iter().map(|name| self.sources.place(name, true)).collect::<Option<Vec<_>>>();
        let value = real.map_or(Value::Unknown, Value::one_of);
        match path {
            Object::Path { .. } => Object::Path { value, glob: false },
            Object::Text { .. } => Object::Text { value, glob: false },
            other => other,
        }
    }

    /// The file that is run now and its directory, as the language finds them.
    pub(super) fn stand(&mut self, path: Option<&str>) {
        let linked = matches!(self.language, Language::Perl | Language::Php);
        let file = path.map(|path| self.sources.place(path, !linked).unwrap_or_else(|| path.to_owned()));
        self.directory = match &file {
            Some(file) => match file.rsplit_once('/') {
                Some(("", _)) => "/".to_owned(),
                Some((directory, _)) => directory.to_owned(),
                None => String::new(),
            },
            None => String::new(),
        };
        self.file = file;
    }

    /// A name that stands for the own file, its directory, or that of the program.
    pub(super) fn own_place(&self, name: &str) -> Option<Object> {
        let directory = |of: &str| of.rsplit_once('/').map(|(directory, _)| Object::text(directory));
        let file = self.file.as_deref()?;
        match (self.language, name) {
            (Language::Python, "__file__")
            | (Language::Node, "__filename" | "import.meta.filename" | "import.meta.url")
            | (Language::Ruby | Language::Perl | Language::Php, "__FILE__") => Some(Object::text(file)),
            (Language::Node, "__dirname" | "import.meta.dirname") | (Language::Ruby, "__dir__") => {
                directory(file)
            }
            (Language::Php, "__DIR__") => directory(file),
            (Language::Perl | Language::Ruby, "$0") => self.main.clone().map(Object::text),
            (Language::Perl, "$FindBin::Bin" | "$FindBin::RealBin" | "$Bin" | "$RealBin") => {
                directory(self.main.as_deref()?)
            }
            _ => None,
        }
    }

    /// A call that changes where modules are looked for.
    pub(super) fn search_call(&mut self, name: &str, arguments: &Arguments) -> Option<Object> {
        let places = match (self.language, name) {
            (Language::Python, "sys.path.insert") => arguments.list.get(1..)?,
            (Language::Python, "sys.path.append" | "sys.path.extend" | "site.addsitedir") => {
                &arguments.list[..]
            }
            (Language::Perl, "lib.import") => &arguments.list[..],
            _ => return None,
        };
        for place in places {
            self.search_in(place);
        }
        Some(Object::Plain)
    }

    /// `push @INC, x`, `$LOAD_PATH.unshift(x)`: the list is named where it is changed.
    pub(super) fn search_edit(&mut self, callee: &Expr, arguments: &[Argument]) -> bool {
        let list = |expression: &Expr| matches!(expression, Expr::Name(name) if matches!(name.as_str(), "@INC" | "$LOAD_PATH" | "$:"));
        let places = match (callee, arguments) {
            (Expr::Name(name), [first, rest @ ..])
                if matches!(name.as_str(), "push" | "unshift") && list(&first.value) =>
            {
                rest
            }
            (Expr::Attribute(object, name), all)
                if matches!(name.as_str(), "push" | "unshift" | "append" | "prepend" | "concat")
                    && list(object) =>
            {
                all
            }
            _ => return false,
        };
        for place in places {
            let place = self.value(&place.value);
            self.search_in(&place);
        }
        true
    }

    /// Modules are looked for in these directories first.
    pub(super) fn search_in(&mut self, places: &Object) {
        for (place, glob) in places.paths().into_iter().rev() {
            match place {
                Value::Known(place) if !glob => {
                    if !self.roots.contains(&place) {
                        self.roots.insert(0, place);
                    }
                }
                _ => self.elsewhere = true,
            }
        }
    }

    /// `sys.path = …` and its like.
    pub(super) fn search_set(&mut self, target: &Expr, object: &Object) {
        let list = match target {
            Expr::Index(list, _) => list,
            other => other,
        };
        match (self.language, written(list).as_deref()) {
            (Language::Python, Some("sys.path"))
            | (Language::Perl, Some("@INC"))
            | (Language::Ruby, Some("$LOAD_PATH" | "$:")) => self.search_in(object),
            _ => {}
        }
    }

    /// A module that no file was found for: what it does is not known where the directories are not.
    pub(super) fn not_found(&mut self, name: &str) {
        let own = match self.language {
            Language::Perl => {
                name.starts_with(char::is_lowercase)
                    || PERL.contains(&name.split("::").next().unwrap_or(name))
            }
            _ => !matches!(library::module(self.language, name), Object::Foreign(_)),
        };
        if self.elsewhere && !own {
            self.unknown(format!("the module {name}, in a directory that is not known"));
        }
    }

    /// Files of a package by its name, in `node_modules` here and above, or among the package's own `imports`.
    pub(super) fn packages(&self, name: &str) -> Vec<String> {
        let Some(here) =
            self.sources.place(if self.directory.is_empty() { "." } else { &self.directory }, true)
        else {
            return Vec::new();
        };
        let above = std::path::Path::new(&here).ancestors().take(ABOVE).filter_map(|dir| dir.to_str());
        if name.starts_with('#') {
            return above.flat_map(|dir| self.mapped(dir, "imports", name)).collect();
        }
        let places = above.map(|dir| format!("{}/node_modules", dir.trim_end_matches('/')));
        let places = places.chain(self.roots.iter().cloned()).collect::<Vec<_>>();
        let parts = if name.starts_with('@') { 2 } else { 1 };
        let package = name.splitn(parts + 1, '/').take(parts).collect::<Vec<_>>().join("/");
        let within = name.get(package.len()..).unwrap_or_default();
        let mut paths = Vec::new();
        for place in places {
            paths.extend(self.mapped(&format!("{place}/{package}"), "exports", &format!(".{within}")));
            paths.extend(self.node_paths(&format!("{place}/{name}")));
        }
        paths
    }

    /// What a `package.json` says that a name stands for.
    fn mapped(&self, directory: &str, section: &str, name: &str) -> Vec<String> {
        let Source::Text { text, .. } = self.sources.first(&[format!("{directory}/package.json")]) else {
            return Vec::new();
        };
        let Ok(package) = serde_json::from_str::<serde_json::Value>(&text) else { return Vec::new() };
        let Some(known) = package.get(section) else { return Vec::new() };
        let entry = match known {
            serde_json::Value::Object(map) if map.keys().any(|key| key.starts_with(['.', '#'])) => {
                known.get(name)
            }
            whole => (name == ".").then_some(whole),
        };
        let mut found = Vec::new();
        leaves(entry, &mut found);
        found.into_iter().map(|path| joined(directory, &path)).collect()
    }

    /// The text of an installed package's file, where it is small enough to be followed.
    pub(super) fn installed(&mut self, paths: &[String]) -> Option<(String, String)> {
        match self.sources.first(paths) {
            Source::Text { path, text } if self.read + text.len() <= INSTALLED => {
                self.read += text.len();
                Some((path, text))
            }
            _ => None,
        }
    }
}

/// All texts of an entry, conditions passed over.
fn leaves(entry: Option<&serde_json::Value>, found: &mut Vec<String>) {
    match entry {
        Some(serde_json::Value::String(path)) => found.push(path.clone()),
        Some(serde_json::Value::Object(map)) => map.values().for_each(|value| leaves(Some(value), found)),
        Some(serde_json::Value::Array(list)) => list.iter().for_each(|value| leaves(Some(value), found)),
        _ => {}
    }
}
