//! Acts that give a value: paths, names in directories, lists, texts, databases.

use crate::code::effect::{CodeEffect, SqlVerb};
use crate::code::language::Language;
use crate::code::library;
use crate::model::Value;

use super::act::join_texts;
use super::operate::percent;
use super::{Arguments, Machine, Object};

impl Machine<'_> {
    /// Nothing, but for the functions that it is given.
    pub(super) fn plain(&mut self, arguments: &Arguments) -> Object {
        self.callbacks(arguments);
        Object::Plain
    }

    /// What comes from outside.
    pub(super) fn told_outside(&mut self, name: &str, first: Object, arguments: &Arguments) -> Object {
        self.callbacks(arguments);
        self.outside(name, &first)
    }

    /// The first argument, as functions give it that only look at it.
    pub(super) fn same(&mut self, name: &str, first: Object, arguments: &Arguments) -> Object {
        match name {
            "Array.from" if arguments.list.len() > 1 => {
                let elements = match &first {
                    Object::Map(_) => Object::Many(Box::new(Object::Unknown)),
                    _ => first,
                };
                let made = self.apply_each(&arguments.list[1], &elements);
                Object::Many(Box::new(Object::any(made.elements().0)))
            }
            // `Object.assign(a, b)`, Perl's functions of lists.
            "Object.assign" => {
                let values = arguments.list.iter().flat_map(Object::values_or_self);
                Object::Many(Box::new(Object::any(values.collect())))
            }
            _ if self.language == Language::Perl => Self::same_list(name, first, arguments),
            _ => first,
        }
    }

    /// The same of Perl, whose lists are flat.
    pub(super) fn same_list(name: &str, first: Object, arguments: &Arguments) -> Object {
        match (name, first, arguments.list.len()) {
            // How many there are, or the last one.
            ("scalar", Object::List(_), _) => Object::Unknown,
            ("values", Object::Map(entries), _) => {
                Object::List(entries.into_iter().map(|(_, value)| value).collect())
            }
            ("keys" | "values", Object::Unknown, _) => Object::Many(Box::new(Object::Unknown)),
            (_, first, 0 | 1) if name != "keys" => first,
            (_, first @ (Object::Map(_) | Object::Many(_)), 1) => {
                let (elements, _) = first.elements();
                Object::Many(Box::new(Object::any(elements)))
            }
            _ => Object::Many(Box::new(Object::any(
                arguments
                    .list
                    .iter()
                    .flat_map(|one| match one {
                        Object::Many(_) | Object::Either(_) => one.elements().0,
                        one => vec![one.clone()],
                    })
                    .collect(),
            ))),
        }
    }

    /// The first argument as text.
    pub(super) fn as_text(first: Object) -> Object {
        match first {
            Object::Text { .. } => first,
            other => {
                let (value, glob) = other.value();
                Object::Text { value, glob }
            }
        }
    }

    /// The arguments as one path.
    pub(super) fn joined(arguments: &Arguments) -> Object {
        let joined = arguments.list.iter().cloned().reduce(|path, next| path.slash(&next));
        joined.unwrap_or(Object::Unknown)
    }

    /// The directory of a path.
    pub(super) fn directory_of(first: Object) -> Object {
        let (value, glob) = first.value();
        let value = value.map(|path| path.rsplit_once('/').map_or(".", |(dir, _)| dir).to_owned());
        Object::Text { value, glob }
    }

    /// The home directory, or a path in it.
    pub(super) fn home_of(&mut self, name: &str, first: Object, arguments: &Arguments) -> Object {
        if !arguments.list.is_empty() {
            return self.at_home(first);
        }
        match self.at_home(Object::text("~")) {
            Object::Text { value, glob } if name.starts_with("path") => Object::Path { value, glob },
            home => home,
        }
    }

    /// The last part of a path.
    pub(super) fn base_of(first: Object) -> Object {
        let (value, glob) = first.value();
        Object::Text { value: value.map(|path| path.rsplit('/').next().unwrap_or_default().to_owned()), glob }
    }

    /// The names that patterns match.
    pub(super) fn matching(&mut self, name: &str, arguments: &Arguments) -> Object {
        let mut patterns = Vec::new();
        for object in &arguments.list {
            for (value, _) in object.paths().into_iter().flat_map(|path| self.split_patterns(path)) {
                let value = match arguments.keyword(&["root_dir", "base"]) {
                    Some(root) => root.slash(&Self::some_text(value)).value().0,
                    None => value,
                };
                let path = name.starts_with("Pathname");
                let value = if self.language == Language::Perl { self.home_in(value) } else { value };
                patterns.push(if path { Object::Path { value, glob: true } } else { Object::pattern(value) });
            }
        }
        let list = Object::Many(Box::new(Object::any(patterns)));
        self.with_block(list, arguments)
    }

    /// The names in a directory.
    pub(super) fn names_in(&mut self, arguments: &Arguments) -> Object {
        let list = Object::Many(Box::new(Object::pattern(Value::known("*"))));
        for callback in arguments.list.iter().filter(|o| matches!(o, Object::Function(_))) {
            self.apply(callback, vec![Object::Plain, list.clone()]);
        }
        self.with_block(list, arguments)
    }

    /// The paths in a directory.
    pub(super) fn paths_in(&mut self, first: Object, arguments: &Arguments) -> Object {
        let directory = if arguments.list.is_empty() { Object::text(".") } else { first };
        let (value, _) = directory.slash(&Object::text("*")).value();
        let list = Object::Many(Box::new(Object::Path { value, glob: true }));
        self.with_block(list, arguments)
    }

    /// All directories below one, with the names in them.
    pub(super) fn all_below(first: Object) -> Object {
        let (value, _) = first.slash(&Object::text("**")).value();
        let name = || Object::Many(Box::new(Object::pattern(Value::known("*"))));
        Object::Many(Box::new(Object::List(vec![Object::pattern(value), name(), name()])))
    }

    /// Elements with their places.
    pub(super) fn numbered(first: Object) -> Object {
        let (elements, exact) = first.elements();
        let mut pairs =
            elements.into_iter().map(|o| Object::List(vec![Object::Plain, o])).collect::<Vec<_>>();
        match pairs.pop() {
            Some(only) if !exact => Object::Many(Box::new(only)),
            last => {
                pairs.extend(last);
                Object::List(pairs)
            }
        }
    }

    /// Calls the first argument for all that is below the others.
    pub(super) fn find_below(&mut self, first: Object, arguments: &Arguments) -> Object {
        for directory in arguments.list.iter().skip(1) {
            let (value, _) = directory.slash(&Object::text("**")).value();
            let found = Object::pattern(value);
            self.set("$File::Find::name", found.clone());
            let wanted = match &first {
                Object::Map(entries) => entries.iter().find(|(k, _)| k == "wanted").map(|(_, v)| v.clone()),
                other => Some(other.clone()),
            };
            if let Some(wanted) = wanted.or(arguments.block.clone()) {
                self.apply(&wanted, vec![found]);
            }
        }
        Object::Plain
    }

    /// A path object.
    pub(super) fn path_of(arguments: &Arguments) -> Object {
        let path = arguments.list.iter().cloned().reduce(|path, next| path.slash(&next));
        let (value, glob) = path.unwrap_or_else(|| Object::text(".")).value();
        Object::Path { value, glob }
    }

    /// A new temporary file or directory.
    pub(super) fn temporary(&mut self, arguments: &Arguments) -> Object {
        let path = Object::Text {
            value: Value::Affix { prefix: "/tmp/".to_owned(), suffix: String::new() },
            glob: false,
        };
        self.with_block(path, arguments)
    }

    /// A connection to a database.
    pub(super) fn database_of(
        &mut self,
        dialect: &'static str,
        first: Object,
        arguments: &Arguments,
    ) -> Object {
        if arguments.keyword(&["isolation_level", "autocommit"]).is_some()
            || self.language != Language::Python
        {
            self.set("\u{0}commits", Object::Plain);
        }
        let database = if dialect == "sqlite" { first.word() } else { Value::Unknown };
        Object::Database { dialect, database }
    }

    /// Hands a text to the database of the first argument.
    pub(super) fn query_of(&mut self, first: Object, arguments: &Arguments) -> Object {
        let (connection, text) = match arguments.list.as_slice() {
            // A text is no database: then it stands first.
            [Object::Text { .. }, ..] => (Object::Unknown, first),
            [connection, text, ..] => (connection.clone(), text.clone()),
            _ => (Object::Unknown, first),
        };
        let untold = |text: &str| {
            crate::code::sql::sql("generic", text).iter().any(|found| found.verb == SqlVerb::Unknown)
        };
        if matches!(connection, Object::Unknown) && text.word().as_known().is_none_or(untold) {
            // A database that runs in the program itself may write files.
            self.emit(CodeEffect::Waits { handed: Vec::new() });
        }
        self.query(&connection, &text, "execute");
        Object::Unknown
    }

    /// The member of the first argument that the second names.
    pub(super) fn attribute_of(&mut self, first: Object, arguments: &Arguments) -> Object {
        let Some(member) = arguments.list.get(1) else { return Object::Unknown };
        match member.known() {
            Some(member) => self.attribute(first, &member),
            None => match first {
                Object::Native(name) if library::holds_acts(self.language, &name) => {
                    Object::Native(format!("{name}.\u{0}"))
                }
                _ => Object::Unknown,
            },
        }
    }

    /// Calls a function for each element of a list.
    pub(super) fn for_each(&mut self, function: usize, list: usize, arguments: &Arguments) -> Object {
        let callable = arguments.block.clone().or_else(|| arguments.list.get(function).cloned());
        // With a block, the elements are all the arguments.
        let elements = match (&arguments.block, arguments.list.get(list)) {
            (Some(_), _) => match arguments.list.as_slice() {
                [one] => one.clone(),
                list => Object::List(list.to_vec()),
            },
            (None, Some(one)) => one.clone(),
            (None, None) => return Object::Unknown,
        };
        // Perl's lists are flat.
        let elements = match arguments.list.get(list + 1..) {
            Some(more @ [_, ..]) if self.language == Language::Perl && arguments.block.is_none() => {
                Object::List([&[elements], more].concat())
            }
            _ => elements,
        };
        match callable {
            Some(callable) => self.apply_each(&callable, &elements),
            None => elements,
        }
    }

    /// Calls the first argument with the others.
    pub(super) fn applied(&mut self, first: Object, arguments: &Arguments) -> Object {
        let rest = arguments.list.get(1..).unwrap_or_default().to_vec();
        let rest = match rest.as_slice() {
            [Object::List(list)] if self.language == Language::Php => list.clone(),
            _ => rest,
        };
        self.apply(&first, rest)
    }

    /// The other arguments put into the first.
    pub(super) fn formatted(first: Object, arguments: &Arguments) -> Object {
        let rest = arguments.list.get(1..).unwrap_or_default();
        first.known().map_or(Object::Unknown, |format| percent(&format, rest))
    }

    /// A list of texts as one.
    pub(super) fn concatenated(&mut self, first: Object, arguments: &Arguments) -> Object {
        let list = arguments.list.get(1).cloned().unwrap_or(Object::Unknown);
        join_texts(
            &first,
            &if self.language == Language::Perl {
                Object::List(arguments.list[1.min(arguments.list.len())..].to_vec())
            } else {
                list
            },
        )
    }

    /// All names of the program.
    pub(super) fn namespace(&mut self) -> Object {
        let modules = ["os", "shutil", "subprocess", "__builtins__"].iter();
        let own = self.frames.iter().flatten().map(|(name, object)| (name.clone(), object.clone()));
        let all = own.chain(modules.map(|m| ((*m).to_owned(), Object::Native((*m).to_owned()))));
        Object::Map(all.collect())
    }
}
