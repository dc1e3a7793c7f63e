//! What Python's own library does in ways that no list of acts says: names below open directories, archives and pages that
//! are called after something, pickles that run, databases that are attached.

use crate::code::effect::CodeEffect;
use crate::code::library::{self, Act, Mode};
use crate::code::sources::Source;
use crate::model::Value;

use super::{Arguments, Machine, Object};

/// Stands between what was attached and the statement that comes.
pub(super) const ATTACHED: &str = ";\n";

/// Modules whose functions a pickle calls when it means harm.
const ACTING: [&str; 9] =
    ["os", "posix", "nt", "subprocess", "shutil", "pty", "runpy", "commands", "pathlib"];

/// Methods that run the code that they are given.
const RUNNING: [&str; 5] = ["run", "runctx", "runeval", "runsource", "runcode"];

impl Machine<'_> {
    /// Names that count from an open directory (`dir_fd=`), as names below it.
    pub(super) fn below_descriptors(name: &str, arguments: &mut Arguments) {
        if !name.starts_with("os.") && !name.starts_with("shutil.") {
            return;
        }
        for (key, place) in [("dir_fd", 0), ("src_dir_fd", 0), ("dst_dir_fd", 1)] {
            let Some(at) = arguments.named.iter().position(|(name, _)| name == key) else { continue };
            let (_, directory) = arguments.named.remove(at);
            let Some(name) = arguments.list.get_mut(place) else { continue };
            let absolute = name.known().is_some_and(|text| text.starts_with('/'));
            *name = match directory {
                _ if absolute => continue,
                Object::Plain | Object::Nothing => continue,
                Object::Handle(path) => {
                    let value = path.concat(&Value::known("/")).concat(&name.word());
                    Object::Text { value, glob: false }
                }
                _ => Object::Unknown,
            };
        }
    }

    /// What some functions do beyond what their act says; `None` where the list says all.
    pub(super) fn python_call(&mut self, name: &str, arguments: &Arguments) -> Option<Object> {
        let (module, function) = name.rsplit_once('.').unwrap_or(("", name));
        match (module, function) {
            // What stands in texts beside functions is run.
            ("doctest", _) => {
                self.implicit.searched = true;
                self.implicit.documented = true;
                return None;
            }
            ("unittest" | "pytest" | "nose", _) => {
                self.implicit.searched = true;
                return None;
            }
            (_, "make_archive") => self.named_archive(arguments),
            ("py_compile", "compile") => {
                if let Some(target) = arguments.get(1, &["cfile"]).cloned() {
                    self.write(&target, Mode::Truncate);
                }
            }
            ("pydoc", "writedoc") => {
                let page = arguments.first().then(&Object::text(".html"));
                self.write(&page, Mode::Truncate);
            }
            ("pydoc", "pipepager" | "tempfilepager") => {
                let command = arguments.get(1, &["cmd"]).cloned().unwrap_or(Object::Unknown);
                self.shell(&command, None, None);
            }
            ("webbrowser", "get") if arguments.first().known().is_some_and(|text| text.contains(' ')) => {
                self.shell(&arguments.first(), None, None);
            }
            ("cProfile" | "profile", "run" | "runctx") => {
                let place = if function == "run" { 1 } else { 3 };
                if let Some(target) = arguments.get(place, &["filename"]).cloned()
                    && !matches!(target, Object::Nothing)
                {
                    self.write(&target, Mode::Truncate);
                }
                return None;
            }
            (_, "RotatingFileHandler" | "TimedRotatingFileHandler") => self.rotating(function, arguments),
            ("pickle" | "dill" | "cloudpickle", "load" | "loads" | "Unpickler") => {
                self.unpickled(&arguments.first());
                return None;
            }
            ("yaml", load) if load.contains("load") => {
                let text = self.content(&arguments.first());
                if text.is_some_and(|text| text.contains("!!python/object")) {
                    self.unknown("a document that calls functions");
                }
                return None;
            }
            _ => return None,
        }
        Some(Object::Plain)
    }

    /// Methods of what the library gives that run code.
    pub(super) fn python_method(&mut self, name: &str, arguments: &Arguments) {
        let first = arguments.first();
        if RUNNING.contains(&name) && matches!(first, Object::Text { .. }) && first.known().is_some() {
            self.code(&first);
        }
        // A script of Tcl.
        let acts = |text: &String| {
            let mut words = text.split_whitespace();
            words.any(|word| matches!(word.trim_start_matches(['[', '{']), "exec" | "file" | "open"))
        };
        if matches!(name, "eval" | "call") && first.known().as_ref().is_some_and(acts) {
            self.unknown("a script of another language");
        }
    }

    /// A table of a database is written: one that is there goes where it is told to.
    pub(super) fn write_table(&mut self, arguments: &Arguments) -> Object {
        let how = arguments.keyword(&["if_exists", "if_table_exists"]).cloned();
        if how.is_none_or(|how| how.known().is_some_and(|how| how != "replace")) {
            return Object::Unknown;
        }
        let table = arguments.get(0, &["name", "table_name"]).and_then(Object::known);
        let connection = arguments.get(1, &["con", "connection"]).cloned().unwrap_or(Object::Unknown);
        let of_file = match library::act(self.language, "sqlite3.connect") {
            Some(Act::Database(dialect)) => dialect,
            _ => "generic",
        };
        let (dialect, database) = match &connection {
            Object::Database { dialect, database } => (*dialect, database.clone()),
            other => match other.known().as_deref().and_then(|url| url.strip_prefix("sqlite:///")) {
                Some(path) => (of_file, Value::known(path)),
                None => ("generic", Value::Unknown),
            },
        };
        match table {
            Some(table) => {
                let text = Value::Known(format!("DROP TABLE {table}"));
                self.emit(CodeEffect::Sql { dialect, database, text });
            }
            None => self.unknown("a table of a database is written over"),
        }
        Object::Unknown
    }

    /// One member of an archive is unpacked.
    pub(super) fn extracted(&mut self, arguments: &Arguments) {
        let directory = arguments.get(1, &["path"]).cloned();
        match (arguments.first().known(), directory) {
            (Some(member), None | Some(Object::Nothing)) => {
                self.emit(CodeEffect::Overwrite { path: Value::known(member) });
            }
            (Some(member), Some(directory)) => {
                let path = directory.word().concat(&Value::known(format!("/{member}")));
                self.emit(CodeEffect::Overwrite { path });
            }
            (None, _) => self.unknown("an archive is unpacked"),
        }
    }

    /// An archive that is called after its format.
    fn named_archive(&mut self, arguments: &Arguments) {
        let base = arguments.get(0, &["base_name"]).cloned().unwrap_or(Object::Unknown);
        let format = arguments.get(1, &["format"]).and_then(Object::known);
        let Some(format) = format else {
            return self.write(&Object::Unknown, Mode::Truncate);
        };
        let ending = match format.strip_suffix("tar") {
            Some("bz") => ".tar.bz2".to_owned(),
            Some(packed) if !packed.is_empty() => format!(".tar.{packed}"),
            _ => format!(".{format}"),
        };
        self.write(&base.then(&Object::text(ending)), Mode::Truncate);
    }

    /// A log that is begun anew once it is long: what was in it is gone where no older ones are kept.
    fn rotating(&mut self, function: &str, arguments: &Arguments) {
        let place = if function.starts_with("Timed") { 4 } else { 3 };
        let kept = arguments.get(place, &["backupCount"]).map(Object::known);
        let keeps = kept.is_some_and(|count| count.is_none_or(|count| count != "0"));
        let target = arguments.get(0, &["filename"]).cloned().unwrap_or(Object::Unknown);
        self.write(&target, if keeps { Mode::Append } else { Mode::Truncate });
    }

    /// A pickle calls what it names.
    fn unpickled(&mut self, source: &Object) {
        let Some(text) = self.content(source) else { return };
        let calls = |module: &&str| {
            text.contains(&format!("c{module}\n")) || text.contains(&format!("{module}\u{94}"))
        };
        let evaluates = ["eval", "exec", "__import__", "getattr"].iter().any(|name| {
            text.contains(&format!("builtins\n{name}")) || text.contains(&format!("builtin__\n{name}"))
        });
        if evaluates || ACTING.iter().any(calls) {
            self.unknown("a pickle that calls functions");
        }
    }

    /// The text that a value is, or that the file holds which it stands for.
    fn content(&self, source: &Object) -> Option<String> {
        match source {
            Object::Handle(path) => match self.sources.first(&[path.as_known()?.to_owned()]) {
                Source::Text { text, .. } => Some(text),
                _ => None,
            },
            other => other.known(),
        }
    }

    /// A statement with what was attached to its database before it.
    pub(super) fn with_attached(&mut self, database: &Value, text: Value) -> Value {
        let Some(statement) = text.as_known() else { return text };
        let begins = statement.trim_start().get(..6).is_some_and(|head| head.eq_ignore_ascii_case("attach"));
        if begins {
            self.attached.push((database.clone(), statement.trim_end_matches(';').to_owned()));
            return text;
        }
        let attached = self.attached.iter().filter(|(to, _)| to == database).map(|(_, text)| text.as_str());
        let mut whole: Vec<&str> = attached.collect();
        if whole.is_empty() {
            return text;
        }
        whole.push(statement);
        Value::known(whole.join(ATTACHED))
    }
}
