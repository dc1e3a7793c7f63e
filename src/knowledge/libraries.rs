//! The form of `code/*.toml`: what the functions of languages and of their libraries do, by full name.
//!
//! Read by `build.rs`, so that a file that is wrong is no program at all, and by tests; a process finds the names sorted and
//! reads nothing. `code::library` holds what comes of it.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::nearest::did_you_mean;

/// Every act by its key in the files, with how `code::library` writes it.
const ACTS: &[(&str, &str)] = &[
    ("harmless", "Act::Plain"),
    ("outside", "Act::Outside"),
    ("handed", "Act::Handed"),
    ("same", "Act::Same"),
    ("text", "Act::Text"),
    ("delete", "Act::Delete { tree: false }"),
    ("delete-tree", "Act::Delete { tree: true }"),
    ("make-anew", "Act::Anew"),
    ("write", "Act::Write(Mode::Truncate)"),
    ("append", "Act::Write(Mode::Append)"),
    ("write-to-first", "Act::WriteTo(0)"),
    ("write-to-second", "Act::WriteTo(1)"),
    ("write-table", "Act::Table"),
    ("unpack", "Act::Unpack"),
    ("edit-in-place", "Act::InPlace"),
    ("open", "Act::Open"),
    ("perl-open", "Act::PerlOpen"),
    ("mode", "Act::Rights(Rights::new(false, true, false))"),
    ("mode-of-others", "Act::Rights(Rights::new(false, false, false))"),
    ("mode-of-trees", "Act::Rights(Rights::new(false, false, true))"),
    ("owner", "Act::Rights(Rights::new(true, true, false))"),
    ("owner-of-others", "Act::Rights(Rights::new(true, false, false))"),
    ("owner-of-trees", "Act::Rights(Rights::new(true, false, true))"),
    ("rename", "Act::Rename"),
    ("copy", "Act::Copy"),
    ("shell", "Act::Shell"),
    ("shell-or-words", "Act::System"),
    ("words", "Act::Words"),
    ("exec", "Act::Exec"),
    ("process", "Act::Process"),
    ("link", "Act::Link { symbolic: false }"),
    ("symbolic-link", "Act::Link { symbolic: true }"),
    ("change-directory", "Act::ChangeDirectory"),
    ("exit", "Act::Exit"),
    ("code", "Act::Code"),
    ("load", "Act::Load"),
    ("run-file", "Act::File { beside: false }"),
    ("run-file-beside", "Act::File { beside: true }"),
    ("element", "Act::Element"),
    ("join-paths", "Act::Join"),
    ("directory", "Act::Directory"),
    ("home", "Act::Home"),
    ("variables", "Act::Variables"),
    ("expand", "Act::Expand"),
    ("base-name", "Act::Base"),
    ("glob", "Act::Glob"),
    ("names-in-directory", "Act::Entries"),
    ("paths-in-directory", "Act::Paths"),
    ("walk", "Act::Walk"),
    ("pairs", "Act::Pairs"),
    ("perl-find", "Act::Find"),
    ("numbers", "Act::Numbers"),
    ("path", "Act::Path"),
    ("temporary", "Act::Temporary"),
    ("query", "Act::Query"),
    ("attribute", "Act::Attribute"),
    ("for-each", "Act::Each { function: 0, list: 1 }"),
    ("for-each-second", "Act::Each { function: 1, list: 0 }"),
    ("apply", "Act::Apply"),
    ("format", "Act::Format"),
    ("decode", "Act::Decode"),
    ("character", "Act::Character"),
    ("bytes", "Act::Bytes"),
    ("lower", "Act::Lower"),
    ("upper", "Act::Upper"),
    ("backwards", "Act::Backwards"),
    ("trim", "Act::Trim"),
    ("other-order", "Act::Disorder"),
    ("concatenate", "Act::Concatenate"),
    ("shift", "Act::Shift"),
    ("namespace", "Act::Namespace"),
];

/// Acts that say something more: a program, a dialect of SQL, a reason.
const TOLD: &[(&str, &str)] = &[("run", "Tool"), ("database", "Database"), ("unknown", "Unknown")];

/// Lists of names, by the table that they stand in.
const LISTS: &[(&str, &str)] = &[
    ("prefixes", "harmless"),
    ("modules", "builtin"),
    ("modules", "common"),
    ("modules", "acting"),
    ("modules", "remote"),
    ("names", "known"),
    ("names", "ends"),
    ("names", "magics"),
    ("names", "shells"),
    ("names", "quiet"),
    ("decorators", "registering"),
];

/// What a file says.
#[derive(Debug, Default)]
pub(super) struct Library {
    /// Functions by name, with the act as it is written in the program.
    pub(super) functions: BTreeMap<String, String>,
    /// The other lists, by `table.list`; in the order of the file.
    pub(super) lists: BTreeMap<String, Vec<String>>,
    /// Modules that are another's under a name of their own.
    pub(super) renamed: BTreeMap<String, String>,
    /// Code, and in short what it does.
    pub(super) examples: Vec<(String, String)>,
}

/// The names of all lists.
pub(super) fn lists() -> impl Iterator<Item = String> {
    LISTS.iter().map(|(table, list)| format!("{table}.{list}"))
}

/// What is wrong, and at which byte.
type Wrong = (usize, String);

/// Reads a file strictly; an error says the file and the line.
pub(super) fn read(file: &str, text: &str) -> Result<Library, String> {
    let line = |byte: usize| text.bytes().take(byte).filter(|b| *b == b'\n').count() + 1;
    let fault = |(byte, message): Wrong| format!("{file}:{}: {message}", line(byte));
    let root = DeTable::parse(text)
        .map_err(|e| fault((e.span().map_or(0, |span| span.start), e.message().to_owned())))?;
    let mut reader = Reader { library: Library::default(), seen: BTreeMap::new(), line: &line };
    reader.file(root.get_ref()).map_err(fault)?;
    Ok(reader.library)
}

struct Reader<'a> {
    library: Library,
    /// Where each name stands, by the list that it must be the only one in.
    seen: BTreeMap<(String, String), usize>,
    line: &'a dyn Fn(usize) -> usize,
}

impl Reader<'_> {
    fn file(&mut self, root: &DeTable<'_>) -> Result<(), Wrong> {
        for (key, value) in root {
            let at = key.span().start;
            match (key.get_ref().as_ref(), value.get_ref()) {
                ("functions", DeValue::Table(acts)) => self.functions(acts)?,
                ("example", DeValue::Array(list)) => {
                    for example in list.iter() {
                        self.example(example)?;
                    }
                }
                (table, DeValue::Table(lists)) if LISTS.iter().any(|(known, _)| *known == table) => {
                    self.lists(table, lists)?;
                }
                (other, _) => {
                    let known = LISTS.iter().map(|(table, _)| *table).chain(["functions", "example"]);
                    return Err((at, format!("unknown table `{other}`{}", did_you_mean(other, known))));
                }
            }
        }
        Ok(())
    }

    fn functions(&mut self, acts: &DeTable<'_>) -> Result<(), Wrong> {
        for (key, value) in acts {
            let name = key.get_ref().as_ref();
            if let Some((_, act)) = ACTS.iter().find(|(known, _)| *known == name) {
                self.act(act, value)?;
            } else if let Some((_, act)) = TOLD.iter().find(|(known, _)| *known == name) {
                let Some(table) = value.get_ref().as_table() else {
                    return Err((key.span().start, format!("`{name}` is a table of lists")));
                };
                for (what, list) in table {
                    self.act(&format!("Act::{act}({:?})", what.get_ref()), list)?;
                }
            } else {
                let known = ACTS.iter().chain(TOLD).map(|(known, _)| *known);
                return Err((key.span().start, format!("unknown act `{name}`{}", did_you_mean(name, known))));
            }
        }
        Ok(())
    }

    fn act(&mut self, act: &str, names: &Spanned<DeValue<'_>>) -> Result<(), Wrong> {
        for name in self.names("functions", names)? {
            self.library.functions.insert(name, act.to_owned());
        }
        Ok(())
    }

    fn lists(&mut self, table: &str, lists: &DeTable<'_>) -> Result<(), Wrong> {
        for (key, value) in lists {
            let list = key.get_ref().as_ref();
            let full = format!("{table}.{list}");
            if full == "modules.renamed" {
                self.renamed(value)?;
            } else if LISTS.contains(&(table, list)) {
                let unique = if table == "modules" && !matches!(list, "acting" | "remote") {
                    "modules"
                } else {
                    &full
                };
                let names = self.names(unique, value)?;
                self.library.lists.insert(full, names);
            } else {
                let known = LISTS.iter().filter(|(other, _)| *other == table).map(|(_, list)| *list);
                let meant = did_you_mean(list, known.chain(["renamed"]));
                return Err((key.span().start, format!("unknown list `{list}` in `{table}`{meant}")));
            }
        }
        Ok(())
    }

    fn renamed(&mut self, value: &Spanned<DeValue<'_>>) -> Result<(), Wrong> {
        let at = value.span().start;
        let table = value.get_ref().as_table().ok_or((at, "`renamed` is a table of names".to_owned()))?;
        for (name, real) in table {
            let real = real.get_ref().as_str().ok_or((name.span().start, "a name is a text".to_owned()))?;
            self.library.renamed.insert(name.get_ref().to_string(), real.to_owned());
        }
        Ok(())
    }

    /// The texts of a list; `unique` is among which of them each may stand but once.
    fn names(&mut self, unique: &str, value: &Spanned<DeValue<'_>>) -> Result<Vec<String>, Wrong> {
        let at = value.span().start;
        let list = value.get_ref().as_array().ok_or((at, "a list of names is wanted here".to_owned()))?;
        let mut names = Vec::new();
        for entry in list.iter() {
            let at = entry.span().start;
            let name = entry.get_ref().as_str().filter(|name| !name.is_empty());
            let name = name.ok_or((at, "a name is a text, and not an empty one".to_owned()))?;
            if let Some(other) = self.seen.insert((unique.to_owned(), name.to_owned()), at) {
                let line = (self.line)(at.min(other));
                return Err((at.max(other), format!("`{name}` stands twice; the first is in line {line}")));
            }
            names.push(name.to_owned());
        }
        Ok(names)
    }

    fn example(&mut self, value: &Spanned<DeValue<'_>>) -> Result<(), Wrong> {
        let at = value.span().start;
        let table = value.get_ref().as_table().ok_or((at, "an example is a table".to_owned()))?;
        let mut told = BTreeMap::new();
        for (key, text) in table {
            let (at, name) = (key.span().start, key.get_ref().as_ref());
            if !matches!(name, "code" | "does") {
                let meant = did_you_mean(name, ["code", "does"]);
                return Err((at, format!("unknown key `{name}` in an example{meant}")));
            }
            let text = text.get_ref().as_str().ok_or((at, format!("`{name}` is a text")))?;
            told.insert(name.to_owned(), text.to_owned());
        }
        match (told.remove("code"), told.remove("does")) {
            (Some(code), Some(does)) => {
                self.library.examples.push((code, does));
                Ok(())
            }
            _ => Err((at, "an example says its `code` and what that `does`".to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn every_list_has_a_field_of_its_own() {
        let fields: std::collections::BTreeSet<String> =
            super::lists().map(|full| full.rsplit('.').next().unwrap().to_owned()).collect();
        assert_eq!(fields.len(), super::lists().count());
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        for (text, message) in [
            ("[functions]\ndelte = ['a']", "x.toml:2: unknown act `delte`; did you mean `delete`?"),
            ("[function]\ndelete = ['a']", "x.toml:1: unknown table `function`; did you mean `functions`?"),
            (
                "[functions]\ndelete = ['a']\ncopy = ['b',\n 'a']",
                "x.toml:4: `a` stands twice; the first is in line 2",
            ),
            ("[functions]\ndelete = 'a'", "x.toml:2: a list of names is wanted here"),
            ("[functions]\ndelete = [1]", "x.toml:2: a name is a text, and not an empty one"),
            ("[functions]\nunknown = ['a']", "x.toml:2: `unknown` is a table of lists"),
            (
                "[modules]\nbuildin = ['a']",
                "x.toml:2: unknown list `buildin` in `modules`; did you mean `builtin`?",
            ),
            (
                "[modules]\nbuiltin = ['a']\ncommon = ['a']",
                "x.toml:3: `a` stands twice; the first is in line 2",
            ),
            (
                "[[example]]\ncode = 'a'\ndose = 'b'",
                "x.toml:3: unknown key `dose` in an example; did you mean `does`?",
            ),
            ("[[example]]\ncode = 'a'", "x.toml:1: an example says its `code` and what that `does`"),
        ] {
            assert_eq!(read("x.toml", text).unwrap_err(), message);
        }
        assert!(read("x.toml", "[functions").is_err());
    }
}
