//! What the functions of languages and well-known libraries do, by full name.
//!
//! `knowledge/code/*.toml` lists them. A module that is listed there does only what its listed functions say; everything
//! else in it changes nothing. A module that is not listed is foreign: its functions are judged by their names.

#[cfg(test)]
mod tests;

use super::interpret::Object;
use super::language::Language;
use crate::model::words;

/// How a file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Truncate,
    Append,
    Change,
}

/// What a known function does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// Nothing; its value does not matter.
    Plain,
    /// Nothing; its value comes from outside (input, a file, the network).
    Outside,
    /// What its arguments say, and nobody reads: what they name may change.
    Handed,
    /// Gives its first argument.
    Same,
    /// Gives its first argument as text.
    Text,
    Delete {
        tree: bool,
    },
    /// Makes a directory anew; what is in it goes where `clear` says so.
    Anew,
    /// Opens the first argument for writing.
    Write(Mode),
    /// Writes a file that this argument names.
    WriteTo(usize),
    /// Writes a table of a database, over one that is there where `if_exists` says so.
    Table,
    /// Unpacks the archive of its first argument into the directory of its second.
    Unpack,
    /// Reads the files of its first argument, and writes over them where `inplace` says so.
    InPlace,
    /// `open(path, mode)`.
    Open,
    PerlOpen,
    /// Other modes or owners.
    Rights(Rights),
    Rename,
    Copy,
    /// The first argument is shell text.
    Shell,
    /// One argument is shell text, several are words.
    System,
    /// All arguments are words.
    Words,
    /// `execvp(file, argv)`.
    Exec,
    /// `subprocess.run`, `spawn`.
    Process,
    /// Does what this command does with the arguments as its words.
    Tool(&'static str),
    /// Makes the second argument a link to the first: another name, or a symbolic one.
    Link {
        symbolic: bool,
    },
    ChangeDirectory,
    Exit,
    /// The first argument is code.
    Code,
    /// Gives the module that the first argument names.
    Load,
    /// Runs the file that the first argument names, beside this one or below the working directory.
    File {
        beside: bool,
    },
    /// Some element of the first argument.
    Element,
    /// Joins paths.
    Join,
    /// Directory of a path.
    Directory,
    /// `~` at the beginning of the first argument is the home directory; without one it is that directory.
    Home,
    /// The variables in the first argument are put in.
    Variables,
    /// The first argument from the directory that the second names, without `..`.
    Expand,
    /// Last component of a path.
    Base,
    /// Names that a pattern matches.
    Glob,
    /// Names in a directory.
    Entries,
    /// Paths in a directory, as objects.
    Paths,
    /// `os.walk`.
    Walk,
    /// Elements with their places (`enumerate`, `ipairs`).
    Pairs,
    /// Perl's `find(sub { … }, dir)`.
    Find,
    /// Numbers, one after the other.
    Numbers,
    /// A path object.
    Path,
    /// A new temporary file or directory.
    Temporary,
    Database(&'static str),
    /// `query(connection, text)`.
    Query,
    /// `getattr(object, name)`.
    Attribute,
    /// Applies a function to each element of a list; places of both.
    Each {
        function: usize,
        list: usize,
    },
    /// Applies the first argument to the others.
    Apply,
    /// `sprintf`.
    Format,
    /// base64 or hexadecimal.
    Decode,
    /// `chr`: characters of numbers.
    Character,
    /// Bytes of numbers, or of a text.
    Bytes,
    Lower,
    Upper,
    /// From its end.
    Backwards,
    /// Without the blanks around it.
    Trim,
    /// The elements of a list in another order.
    Disorder,
    /// `implode(separator, list)`.
    Concatenate,
    Shift,
    /// `globals()`.
    Namespace,
    /// Does harm that is not told further.
    Unknown(&'static str),
}

/// Whose rights a function changes, and where they are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rights {
    /// User and group are given, not a mode.
    pub(super) owner: bool,
    /// The first argument is the file; otherwise what it is given stands first.
    pub(super) first: bool,
    /// With everything below.
    pub(super) recursive: bool,
}

impl Rights {
    const fn new(owner: bool, first: bool, recursive: bool) -> Self {
        Self { owner, first, recursive }
    }
}

impl Act {
    /// Whether it may take something away.
    pub(super) fn changes(self) -> bool {
        matches!(
            self,
            Self::Delete { .. }
                | Self::Write(_)
                | Self::WriteTo(_)
                | Self::Table
                | Self::Unpack
                | Self::Open
                | Self::PerlOpen
                | Self::Rights(_)
                | Self::Rename
                | Self::Copy
                | Self::Shell
                | Self::System
                | Self::Words
                | Self::Exec
                | Self::Process
                | Self::Tool(_)
                | Self::Code
                | Self::Unknown(_)
        )
    }
}

/// Where a name stands in [`NAMES`].
type Place = [u32; 2];

/// What is known of a language's functions: lists of names, sorted.
struct Library {
    /// What they do.
    functions: &'static [(Place, Act)],
    /// Prefixes that say nothing of what a function does.
    harmless: &'static [Place],
    /// Modules that come with the language, and others that everyone uses.
    builtin: &'static [Place],
    common: &'static [Place],
    /// Modules whose functions act.
    acting: &'static [Place],
    /// Modules that speak to other machines.
    remote: &'static [Place],
    /// Modules that are another's under a name of their own.
    renamed: &'static [(Place, Place)],
    /// Names of the language itself, and what such names may end in.
    known: &'static [Place],
    ends: &'static [Place],
    /// Words of an interactive session that are a command by that name, and such that hand the rest to a shell.
    magics: &'static [Place],
    shells: &'static [Place],
    /// Such that only show or measure.
    quiet: &'static [Place],
    /// Decorators that do not run the function behind them.
    registering: &'static [Place],
}

/// The names of all tables, one behind the other: a table of addresses would have to be corrected at every start.
static NAMES: &str = include_str!(concat!(env!("OUT_DIR"), "/code_names.txt"));

// `build.rs` made these tables of `knowledge/code/*.toml`.
include!(concat!(env!("OUT_DIR"), "/code_libraries.rs"));

fn name_at(place: &Place) -> &'static str {
    let [start, end] = place.map(|at| at as usize);
    NAMES.get(start..end).unwrap_or_default()
}

fn has(list: &[Place], name: &str) -> bool {
    list.binary_search_by(|place| name_at(place).cmp(name)).is_ok()
}

impl Library {
    fn of(language: Language) -> &'static Self {
        match language {
            Language::Python => &PYTHON,
            Language::Node => &NODE,
            Language::Perl => &PERL,
            Language::Ruby => &RUBY,
            Language::Php => &PHP,
            Language::Lua => &LUA,
        }
    }

    fn act(&self, mut name: &str) -> Option<Act> {
        while let Some(rest) = self.harmless.iter().find_map(|prefix| name.strip_prefix(name_at(prefix))) {
            name = rest;
        }
        let at = self.functions.binary_search_by(|(place, _)| name_at(place).cmp(name)).ok()?;
        self.functions.get(at).map(|(_, act)| *act)
    }

    fn has_module(&self, name: &str) -> bool {
        has(self.builtin, name) || has(self.common, name)
    }
}

/// Whether a module of this name comes with the language.
pub(super) fn is_builtin(language: Language, name: &str) -> bool {
    has(Library::of(language).builtin, name)
}

/// What a function does; `None` for one that is not listed.
pub(super) fn act(language: Language, name: &str) -> Option<Act> {
    let library = Library::of(language);
    // PHP's functions have their names in any case.
    let any_case = || (language == Language::Php).then(|| library.act(&name.to_lowercase())).flatten();
    library.act(name).or_else(any_case)
}

/// Whether a function may take something away; a method of paths may be called with the path as its first argument.
pub(super) fn changes(language: Language, name: &str) -> bool {
    let unbound = || unbound(language, name).and_then(|member| method("path", member));
    act(language, name).or_else(unbound).is_some_and(Act::changes)
}

/// The method's name where a function is a method of a class of paths (`Path.unlink`).
pub(super) fn unbound(language: Language, name: &str) -> Option<&str> {
    let (class, member) = name.rsplit_once('.')?;
    (act(language, class) == Some(Act::Path)).then_some(member)
}

/// What a method of such a value does, whatever the language: `path.unlink`.
pub(super) fn method(receiver: &str, name: &str) -> Option<Act> {
    METHODS.act(&format!("{receiver}.{name}"))
}

/// Whether a decorator of this name only wraps a function or makes it known, and does not run it.
pub(super) fn registers(name: &str) -> bool {
    has(PYTHON.registering, name.rsplit('.').next().unwrap_or(name)) || name.starts_with("pytest.")
}

/// The module of this name.
pub(super) fn module(language: Language, name: &str) -> Object {
    let library = Library::of(language);
    let bare = match language {
        Language::Python => name,
        Language::Node => name.strip_prefix("node:").unwrap_or(name),
        // What Ruby requires is there under names of its own.
        Language::Ruby => return Object::Plain,
        Language::Perl | Language::Php | Language::Lua => return Object::Native(name.to_owned()),
    };
    if let Some((_, real)) = library.renamed.iter().find(|(other, _)| name_at(other) == bare) {
        return Object::Native(name_at(real).to_owned());
    }
    if language == Language::Node && bare.ends_with(".json") {
        return Object::Plain;
    }
    let top = bare.split(if language == Language::Node { '/' } else { '.' }).next().unwrap_or(bare);
    if !library.has_module(top) {
        return Object::Foreign(bare.to_owned());
    }
    let used = bare.rsplit_once('.').and_then(|(within, member)| used_by(language, within, member));
    Object::Native(used.unwrap_or(bare).to_owned())
}

/// Most modules of Python have those that they use as names of their own: `shutil.os` is `os`.
pub(super) fn used_by<'n>(language: Language, module: &str, member: &'n str) -> Option<&'n str> {
    let full = format!("{module}.{member}");
    let is_one = language == Language::Python
        && is_builtin(language, member)
        && holds_acts(language, member)
        && !holds_acts(language, &full)
        && act(language, &full).is_none();
    is_one.then_some(member)
}

/// What a name that the program did not set stands for.
pub(super) fn global(language: Language, name: &str) -> Object {
    let library = Library::of(language);
    let listed = act(language, name).is_some()
        || has(library.known, name)
        || library.ends.iter().any(|end| name.ends_with(name_at(end)));
    let known = match language {
        // Variables without a value of the program's own.
        Language::Perl if name.starts_with(['$', '@', '%']) => return Object::Unknown,
        Language::Ruby if name.starts_with(['$', '@']) => return Object::Unknown,
        Language::Php if name.starts_with('$') => return Object::Unknown,
        // `node -e` has the modules of the language as variables.
        Language::Node => listed || has(library.builtin, name),
        // File handles and classes.
        Language::Perl => listed || name.chars().all(|c| c.is_uppercase() || c == '_'),
        // PHP has thousands of functions; those that act are listed, the others are judged by their names.
        Language::Php => listed || !destroys(name),
        Language::Python | Language::Ruby | Language::Lua => listed,
    };
    if known { Object::Native(name.to_owned()) } else { Object::Foreign(name.to_owned()) }
}

/// Whether a module holds functions that act.
pub(super) fn holds_acts(language: Language, module: &str) -> bool {
    has(Library::of(language).acting, module)
}

/// What a word of an interactive session hands to a shell: itself with what follows, or what follows alone.
pub(super) fn magic(language: Language, word: &str) -> Option<bool> {
    let library = Library::of(language);
    has(library.magics, word).then_some(true).or_else(|| has(library.shells, word).then_some(false))
}

/// Whether a word of an interactive session only shows or measures.
pub(super) fn is_quiet(language: Language, word: &str) -> bool {
    has(Library::of(language).quiet, word)
}

/// Whether a function is of a module that speaks to other machines.
pub(super) fn is_remote(language: Language, name: &str) -> bool {
    let remote = Library::of(language).remote;
    let ends = name.match_indices(['.', ':', '\\', '/', '(']).map(|(end, _)| end);
    ends.chain([name.len()]).any(|end| has(remote, &name[..end]))
}

/// Whether a name anywhere in a program that was not understood is a reason for care.
pub(super) fn acts(language: Language, name: &str) -> bool {
    let bare = act(language, name).or_else(|| act(language, &format!("os.{name}")));
    let bare = bare
        .or_else(|| act(language, &format!("fs.{name}")))
        .or_else(|| act(language, &format!("shutil.{name}")));
    let common = matches!(name, "open" | "write" | "print" | "exec" | "format");
    (!common && bare.is_some_and(|act| act.changes() && !matches!(act, Act::Rights(_))))
        || matches!(
            name,
            "subprocess"
                | "child_process"
                | "rmtree"
                | "unlink"
                | "system"
                | "rm_rf"
                | "unlinkSync"
                | "rmSync"
        )
}

/// Whether a function of a module that is not known says by its name that it takes something away or runs something.
pub(super) fn takes_away(name: &str) -> bool {
    let words = words(name);
    // `is_empty` asks.
    let asks =
        words.first().is_some_and(|first| matches!(first.as_str(), "is" | "has" | "can" | "should" | "was"));
    let more = ["rmdir", "overwrite", "system", "shell", "exec", "popen", "rimraf", "drop"];
    destroys(name) || !asks && words.iter().any(|word| has(MILD, word) || more.contains(&word.as_str()))
}

/// Whether a function says by its name that it writes the file that it is given by name.
pub(super) fn writes(name: &str) -> bool {
    words(name).iter().any(|word| has(WRITING, word))
}

/// Whether a method of something that is not known says by its name that it destroys.
pub(super) fn destroys(name: &str) -> bool {
    let words = words(name);
    if words.iter().any(|word| has(DESTROYING, word) && word != "drop" || word == "rmtree") {
        // `deleted`, `is_deleted` and such were no words above; `delete_if` of collections changes nothing outside.
        return !matches!(
            name,
            "delete_if" | "truncatechars" | "truncatewords" | "delete_at" | "delete_prefix" | "delete_suffix"
        );
    }
    // `drop` alone removes columns of a table in memory, `drop_database` does not.
    let things = ["database", "collection", "table", "tables", "all", "schema", "db"];
    words.len() > 1
        && words.first().is_some_and(|first| first == "drop")
        && words.iter().any(|word| things.contains(&word.as_str()))
}
