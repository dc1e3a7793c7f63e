//! What the functions of languages and well-known libraries do, by full name.
//!
//! A module that is listed here does only what its listed functions say; everything else in it changes nothing. A module
//! that is not listed is foreign: its functions are judged by their names.

mod decorators;
mod node;
mod perl;
mod python;
mod ruby;
mod small;

pub(super) use decorators::registers;

use super::interpret::Object;
use super::language::Language;

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
    /// Reads the files of its first argument, and writes over them where `inplace` says so.
    InPlace,
    /// `open(path, mode)`.
    Open,
    PerlOpen,
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
    /// `chr`.
    Character,
    /// `implode(separator, list)`.
    Concatenate,
    Shift,
    /// `globals()`.
    Namespace,
    /// Does harm that is not told further.
    Unknown(&'static str),
}

impl Act {
    /// Whether it may take something away.
    pub(super) fn changes(self) -> bool {
        matches!(
            self,
            Self::Delete { .. }
                | Self::Write(_)
                | Self::WriteTo(_)
                | Self::Open
                | Self::PerlOpen
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

/// What a function does; `None` for one that is not listed.
pub(super) fn act(language: Language, name: &str) -> Option<Act> {
    match language {
        Language::Python => python::act(name),
        Language::Node => node::act(name),
        Language::Perl => perl::act(name),
        Language::Ruby => ruby::act(name),
        Language::Php => small::php(name),
        Language::Lua => small::lua(name),
    }
}

/// The module of this name.
pub(super) fn module(language: Language, name: &str) -> Object {
    match language {
        Language::Python => python::module(name),
        Language::Node => node::module(name),
        Language::Ruby => Object::Plain,
        _ => Object::Native(name.to_owned()),
    }
}

/// What a name that the program did not set stands for.
pub(super) fn global(language: Language, name: &str) -> Object {
    let known = match language {
        Language::Python => python::is_builtin(name),
        Language::Node => node::is_global(name),
        Language::Perl => return perl::global(name),
        Language::Ruby => return ruby::global(name),
        Language::Php => return small::php_global(name),
        Language::Lua => {
            matches!(name, "os" | "io" | "string" | "table" | "math" | "lfs") || small::lua(name).is_some()
        }
    };
    if known { Object::Native(name.to_owned()) } else { Object::Foreign(name.to_owned()) }
}

/// Whether a module holds functions that act.
pub(super) fn holds_acts(language: Language, module: &str) -> bool {
    match language {
        Language::Python => {
            matches!(module, "os" | "shutil" | "subprocess" | "pathlib" | "builtins" | "__builtins__")
        }
        Language::Node => matches!(module, "fs" | "child_process" | "process"),
        _ => false,
    }
}

/// Whether a name anywhere in a program that was not understood is a reason for care.
pub(super) fn acts(language: Language, name: &str) -> bool {
    let bare = act(language, name).or_else(|| act(language, &format!("os.{name}")));
    let bare = bare
        .or_else(|| act(language, &format!("fs.{name}")))
        .or_else(|| act(language, &format!("shutil.{name}")));
    let common = matches!(name, "open" | "write" | "print" | "exec" | "format");
    (!common && bare.is_some_and(Act::changes))
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

/// Words of a name in camel, snake or plain case, in lower case.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut lower = false;
    for c in name.chars() {
        if c == '_' || !c.is_alphanumeric() {
            words.push(String::new());
            lower = false;
            continue;
        }
        if c.is_uppercase() && lower {
            words.push(String::new());
        }
        lower = c.is_lowercase();
        if let Some(word) = words.last_mut() {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether a function of a module that is not known says by its name that it takes something away or runs something.
pub(super) fn takes_away(name: &str) -> bool {
    destroys(name)
        || words(name).iter().any(|word| {
            matches!(
                word.as_str(),
                "remove"
                    | "rm"
                    | "rmdir"
                    | "unlink"
                    | "drop"
                    | "clean"
                    | "cleanup"
                    | "clear"
                    | "reset"
                    | "prune"
                    | "flush"
                    | "uninstall"
                    | "overwrite"
                    | "shred"
                    | "system"
                    | "shell"
                    | "exec"
                    | "popen"
                    | "rimraf"
            )
        })
}

/// Whether a method of something that is not known says by its name that it destroys.
pub(super) fn destroys(name: &str) -> bool {
    let words = words(name);
    let word = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_str()));
    if word(&[
        "delete",
        "destroy",
        "purge",
        "wipe",
        "erase",
        "truncate",
        "terminate",
        "rmtree",
        "nuke",
        "obliterate",
    ]) {
        // `deleted`, `is_deleted` and such were no words above; `delete_if` of collections changes nothing outside.
        return !matches!(
            name,
            "delete_if" | "truncatechars" | "truncatewords" | "delete_at" | "delete_prefix" | "delete_suffix"
        );
    }
    // `drop` alone removes columns of a table in memory, `drop_database` does not.
    words.len() > 1
        && words.first().is_some_and(|first| first == "drop")
        && word(&["database", "collection", "table", "tables", "all", "schema", "db"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for name in
            ["delete", "deleteMany", "drop_database", "terminate_instances", "purgeCache", "delete_object"]
        {
            assert!(destroys(name), "{name}");
        }
        for name in ["drop", "dropna", "drop_duplicates", "deleted", "remove", "clear", "truncatechars"] {
            assert!(!destroys(name), "{name}");
        }
        assert!(takes_away("clean_all"));
        assert!(!takes_away("execute_cleanly"));
    }
}
