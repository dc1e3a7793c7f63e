//! Methods of values.

use crate::code::effect::CodeEffect;
use crate::code::language::Language;
use crate::code::library::{self, Act, Mode};
use crate::model::Value;

use super::act::join_texts;
use super::shapes::{Order, order};
use super::{Arguments, Machine, Object};

/// Whether a method of this name is a promise's.
pub(super) fn is_promised(name: &str) -> bool {
    matches!(name, "then" | "catch" | "finally")
}

/// What streams are given texts with: no name of a file stands there.
const WRITE: &str = "write";
/// Longest text that may be the name of a file, in bytes.
const NAME_LIMIT: usize = 256;

impl Machine<'_> {
    /// Calls a method of a value.
    pub(super) fn method(&mut self, receiver: Object, name: &str, arguments: Arguments) -> Object {
        // `x.send(:name, …)`, `f.call(…)`, `f.apply(this, […])`
        match name {
            "send" | "public_send" | "__send__" if self.language == Language::Ruby => {
                if let Some(member) = arguments.list.first().and_then(Object::known) {
                    let callee = self.attribute(receiver, &member);
                    let rest = Arguments { list: arguments.list[1..].to_vec(), ..arguments };
                    return self.call(callee, rest);
                }
            }
            "method" | "public_method" if self.language == Language::Ruby => {
                let member = arguments.list.first().and_then(Object::known);
                return member.map_or(Object::Unknown, |name| Object::Member(Box::new(receiver), name));
            }
            "call" | "apply" | "bind" | "__call__"
                if matches!(receiver, Object::Function(_) | Object::Native(_) | Object::Member(..)) =>
            {
                let skip = usize::from(self.language == Language::Node);
                let mut list =
                    arguments.list.get(skip.min(arguments.list.len())..).unwrap_or_default().to_vec();
                if name == "apply"
                    && let [Object::List(inner)] = list.as_slice()
                {
                    list = inner.clone();
                }
                return self.call(receiver, Arguments::of(list));
            }
            // A promise stands for what it gives.
            _ if self.language == Language::Node && is_promised(name) => {
                return self.promised(receiver, name, arguments);
            }
            _ => {}
        }
        let extended =
            matches!(receiver, Object::Path { .. } | Object::Text { .. } | Object::List(_) | Object::Many(_));
        if extended && matches!(self.language, Language::Ruby | Language::Node | Language::Perl) {
            // The program may have given such values a method of its own.
            self.by_name(name, &arguments);
        }
        match &receiver {
            Object::Path { .. } => self.path_method(receiver, name, arguments),
            Object::Text { .. } => match self.number_method(&receiver, name, &arguments) {
                Some(result) => result,
                None => self.text_method(receiver, name, arguments),
            },
            Object::List(_) | Object::Many(_) => self.list_method(receiver, name, arguments),
            Object::Map(entries) => self.map_method(entries, name, &arguments),
            Object::Handle(path) => {
                let path = path.clone();
                self.handle_method(&path, name, arguments)
            }
            Object::Database { .. } => self.database_method(receiver, name, arguments),
            Object::Either(list) => {
                let list = list.clone();
                let results = list.into_iter().map(|one| self.method(one, name, arguments.clone())).collect();
                Object::any(results)
            }
            Object::Process if library::method("process", name) == Some(Act::Plain) => Object::Plain,
            Object::Process => self.method(Object::Unknown, name, arguments),
            Object::Plain | Object::Nothing => self.plain_method(name, &arguments),
            _ => {
                let mut given = arguments.clone();
                if self.language == Language::Perl {
                    given.list.insert(0, receiver);
                }
                let own = self.by_name(name, &given);
                let result = self.foreign_method(name, arguments);
                own.unwrap_or(result)
            }
        }
    }

    /// `p.then(f)`, `p.catch(f)`, `p.finally(f)`: what `p` gives is handed to `f`.
    fn promised(&mut self, receiver: Object, name: &str, arguments: Arguments) -> Object {
        let mut given = arguments.list.into_iter();
        let first = if name == "then" { given.next() } else { None };
        let rest: Vec<Object> = given.chain(arguments.named.into_iter().map(|(_, value)| value)).collect();
        let result = match first {
            Some(
                next @ (Object::Function(_) | Object::Native(_) | Object::Member(..) | Object::Either(_)),
            ) => self.call(next, Arguments::of(vec![receiver])),
            Some(other) => {
                self.callbacks(&Arguments::of(vec![other]));
                Object::Unknown
            }
            None => receiver,
        };
        self.callbacks(&Arguments::of(rest));
        result
    }

    fn map_method(&mut self, entries: &[(String, Object)], name: &str, arguments: &Arguments) -> Object {
        match name {
            "items" | "entries" | "each" | "each_pair" | "forEach" => {
                let pairs = entries
                    .iter()
                    .map(|(k, v)| Object::List(vec![Object::text(k.clone()), v.clone()]))
                    .collect();
                self.with_callable(Object::List(pairs), arguments)
            }
            "keys" | "values" => {
                let list = entries
                    .iter()
                    .map(|(k, v)| if name == "keys" { Object::text(k.clone()) } else { v.clone() });
                Object::List(list.collect())
            }
            "get" | "fetch" => {
                let key = arguments.first().known();
                let found =
                    entries.iter().find(|(known, _)| Some(known) == key.as_ref()).map(|(_, v)| v.clone());
                found.unwrap_or_else(|| {
                    let values = entries.iter().map(|(_, value)| value.clone());
                    Object::any(values.chain(arguments.list.get(1).cloned()).collect())
                })
            }
            _ => {
                let own = self.by_name(name, arguments);
                self.callbacks(arguments);
                own.unwrap_or(Object::Plain)
            }
        }
    }

    /// A method of something harmless.
    fn plain_method(&mut self, name: &str, arguments: &Arguments) -> Object {
        let own = self.by_name(name, arguments);
        if let Some(own) = own {
            return own;
        }
        // Nothing but files has these.
        match name {
            "unlink" => self.delete(&Object::Unknown, false),
            "rmtree" | "rm_rf" => self.delete(&Object::Unknown, true),
            "write_text" | "write_bytes" => self.write(&Object::Unknown, Mode::Truncate),
            _ => {}
        }
        self.callbacks(arguments);
        self.saved(name, arguments);
        // Columns of a table are taken apart by a method of the same name.
        if self.language != Language::Python
            && let Some(Act::Unknown(reason)) = library::method("any", name)
        {
            self.unknown(reason);
        }
        if self.language == Language::Python {
            self.written_by_name(name, arguments);
            self.python_method(name, arguments);
        } else if name != WRITE {
            self.written_by_name(name, arguments);
        }
        Object::Plain
    }

    /// A method of something that came from outside.
    pub(super) fn foreign_method(&mut self, name: &str, arguments: Arguments) -> Object {
        if let Some(result) = self.own_methods(name, &arguments) {
            return result;
        }
        self.hand_on(&arguments);
        match name {
            // A function that was looked up is called.
            "call" | "apply" | "__call__" | "send" | "public_send" | "__send__" => self.implicit.blind = true,
            // What it is of is the file.
            "write_text" | "write_bytes" => self.write(&Object::Unknown, Mode::Truncate),
            "addCleanup" | "addClassCleanup" | "addModuleCleanup" | "addfinalizer"
                if !arguments.list.is_empty() =>
            {
                let first = arguments.first();
                let rest = arguments.list.get(1..).unwrap_or_default().to_vec();
                self.apply(&first, rest);
                return Object::Plain;
            }
            _ => self.listed_method(name, &arguments),
        }
        self.saved(name, &arguments);
        if name != WRITE {
            self.written_by_name(name, &arguments);
        }
        self.callbacks(&arguments);
        Object::Unknown
    }

    /// What the list of methods says, and else the name.
    fn listed_method(&mut self, name: &str, arguments: &Arguments) {
        match library::method("any", name) {
            Some(Act::Delete { tree }) => {
                let target = arguments.list.first().cloned().unwrap_or(Object::Unknown);
                self.delete(&target, tree);
            }
            Some(Act::Write(mode)) => self.write(&arguments.first(), mode),
            Some(Act::Open) => {
                self.open(arguments);
            }
            Some(Act::Rights(_)) => self.rights_of(&Object::Unknown, None, false),
            Some(Act::Shell) => self.shell(&arguments.first(), None, None),
            Some(Act::Query) => self.query(&Object::Unknown, &arguments.first(), name),
            Some(Act::Tool(tool)) => {
                self.run_tool(tool, &arguments.of_somebody());
            }
            Some(Act::WriteTo(_) | Act::Table) => {}
            Some(Act::Unknown(reason)) => self.unknown(reason),
            // Removing from a collection, or a key from a map, takes its argument; a record deletes itself.
            None if !library::destroys(name) => {}
            _ => self.unknown(format!(".{name}(…) of something that is not known")),
        }
    }

    /// Methods that write what they belong to into a file.
    pub(super) fn saved(&mut self, name: &str, arguments: &Arguments) {
        if library::method("any", name) == Some(Act::Table) {
            self.write_table(arguments);
        }
        if let Some(Act::WriteTo(place)) = library::method("any", name)
            && let Some(target) =
                arguments.get(place, &["path_or_buf", "path", "fname", "excel_writer", "filename"])
            && matches!(target, Object::Text { .. } | Object::Path { .. })
        {
            let target = target.clone();
            self.write(&target, Mode::Truncate);
        }
    }

    /// Functions of which nothing is said but that their names say that they write: the files that they are given by name.
    pub(super) fn written_by_name(&mut self, name: &str, arguments: &Arguments) {
        if !library::writes(name) || library::method("any", name).is_some() {
            return;
        }
        let given = arguments.list.iter().chain(arguments.named.iter().map(|(_, value)| value));
        let like_a_name = |text: &String| text.len() < NAME_LIMIT && !text.contains(['\n', '\0']);
        let files: Vec<String> = given.filter_map(Object::known).filter(like_a_name).collect();
        for file in files {
            self.write(&Object::text(file), Mode::Truncate);
        }
    }

    /// Hands each element of a list to the function among the arguments.
    pub(super) fn with_callable(&mut self, list: Object, arguments: &Arguments) -> Object {
        let callable = arguments.block.clone().or_else(|| {
            let callable = |o: &&Object| {
                matches!(o, Object::Function(_) | Object::Native(_) | Object::Member(..) | Object::Foreign(_))
            };
            arguments.list.iter().find(callable).cloned()
        });
        match callable {
            Some(callable) => self.apply_each(&callable, &list),
            None => list,
        }
    }

    fn list_method(&mut self, list: Object, name: &str, arguments: Arguments) -> Object {
        match name {
            "join" => {
                let separator =
                    arguments.list.first().cloned().unwrap_or_else(|| {
                        Object::text(if self.language == Language::Node { "," } else { "" })
                    });
                join_texts(&separator, &list)
            }
            "map" | "forEach" | "each" | "collect" | "flat_map" | "flatMap" | "each_with_index"
            | "reverse_each" | "each_slice" | "each_entry" => self.with_callable(list, &arguments),
            "filter" | "select" | "reject" | "grep" | "find_all" | "sort_by" | "sort" | "find" | "detect"
            | "some" | "every" | "all?" | "any?" | "reduce" | "inject" => {
                self.with_callable(list.clone(), &arguments);
                match (name, order(name)) {
                    ("find" | "detect", _) => Object::any(list.elements().0),
                    // What it makes of them is no element.
                    ("reduce" | "inject", _) => Object::Unknown,
                    (_, Some(order)) => list.ordered(order),
                    _ => list,
                }
            }
            "first" | "last" | "pop" | "shift" | "at" | "sample" | "min" | "max" | "next" => {
                if arguments.list.is_empty() && name == "first" {
                    list.elements().0.into_iter().next().unwrap_or(Object::Unknown)
                } else {
                    Object::any(list.elements().0)
                }
            }
            "slice" | "drop" | "take" | "splice" => {
                let from =
                    arguments.list.first().and_then(Object::known).and_then(|n| n.parse::<usize>().ok());
                match (list, from) {
                    (Object::List(list), Some(from)) if name != "take" && name != "splice" => {
                        Object::List(list.into_iter().skip(from).collect())
                    }
                    (list, Some(_)) if name == "take" => list,
                    (list, _) => list.ordered(Order::Any),
                }
            }
            "length" | "size" | "count" | "includes" | "include?" | "index" | "indexOf" | "empty?" => {
                Object::Plain
            }
            // What these give are elements of the list alone.
            _ if arguments.list.is_empty()
                || order(name).is_some()
                || library::method("list", name) == Some(Act::Same) =>
            {
                self.callbacks(&arguments);
                match order(name) {
                    Some(order) => list.ordered(order),
                    None => list,
                }
            }
            "union"
            | "merge"
            | "concat"
            | "push"
            | "append"
            | "add"
            | "extend"
            | "__add__"
            | "__iadd__"
            | "symmetric_difference" => {
                let more = arguments.list.iter().flat_map(|one| match one {
                    Object::List(_) | Object::Many(_) | Object::Either(_) => one.elements().0,
                    one => vec![one.clone()],
                });
                Object::Many(Box::new(Object::any(list.elements().0.into_iter().chain(more).collect())))
            }
            _ => {
                self.callbacks(&arguments);
                Object::Many(Box::new(Object::Unknown))
            }
        }
    }

    fn handle_method(&mut self, path: &Value, name: &str, arguments: Arguments) -> Object {
        match name {
            "truncate" => {
                self.emit(CodeEffect::Overwrite { path: path.clone() });
                Object::Plain
            }
            _ if matches!(library::method("path", name), Some(Act::Rights(_))) => {
                self.rights_of(&Object::Handle(path.clone()), None, false);
                Object::Plain
            }
            "read" if arguments.list.is_empty() => self.file_text(&Self::some_text(path.clone())),
            "read" | "readline" | "gets" | "name" => Object::Unknown,
            "readlines" | "lines" | "each_line" | "each" => {
                self.with_callable(Object::Many(Box::new(Object::Unknown)), &arguments)
            }
            "extractall" => {
                let into = arguments.get(0, &["path"]).cloned();
                self.unpack(path, into.as_ref())
            }
            // Of mailboxes and jars, which are files that are known by their names.
            "clear" | "discard" | "popitem" | "remove" | "save" => {
                self.emit(CodeEffect::Overwrite { path: path.clone() });
                Object::Plain
            }
            "extract" => {
                self.extracted(&arguments);
                Object::Plain
            }
            "write" => {
                self.holds(path, &arguments.first());
                self.callbacks(&arguments);
                Object::Plain
            }
            "__enter__" => Object::Handle(path.clone()),
            _ => {
                self.callbacks(&arguments);
                Object::Plain
            }
        }
    }

    fn database_method(&mut self, database: Object, name: &str, arguments: Arguments) -> Object {
        match name {
            _ if library::method("database", name) == Some(Act::Query) => {
                if !arguments.list.is_empty() {
                    self.query(&database, &arguments.first(), name);
                }
                self.callbacks(&arguments);
                if name == "prepare" { database } else { Object::Unknown }
            }
            "commit" => {
                self.uncommitted.clear();
                Object::Plain
            }
            "cursor" | "connect" | "begin" | "transaction" | "connection" => {
                if name == "begin" {
                    self.set("\u{0}commits", Object::Plain);
                }
                if let Some(block) = &arguments.block {
                    self.apply(block, vec![database.clone()]);
                }
                self.callbacks(&Arguments { block: None, ..arguments });
                database
            }
            "backup" if self.language == Language::Python => {
                match arguments.get(0, &["target"]) {
                    Some(Object::Database { database, .. }) if database.as_known() != Some(":memory:") => {
                        self.emit(CodeEffect::Overwrite { path: database.clone() });
                    }
                    Some(Object::Database { .. }) => {}
                    _ => self.unknown("a database is written over by another"),
                }
                Object::Plain
            }
            "dropDatabase" | "drop_database" => {
                self.unknown("a database is dropped");
                Object::Plain
            }
            _ => {
                self.callbacks(&arguments);
                Object::Unknown
            }
        }
    }
}
