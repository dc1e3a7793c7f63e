//! Methods of values.

use crate::code::effect::CodeEffect;
use crate::code::language::Language;
use crate::code::library::{self, Mode};
use crate::model::Value;

use super::act::join_texts;
use super::operate::braces;
use super::{Arguments, Machine, Object};

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
            "call" | "apply" | "bind" | "__call__"
                if matches!(receiver, Object::Function(_) | Object::Native(_)) =>
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
            _ => {}
        }
        match &receiver {
            Object::Path { .. } => self.path_method(receiver, name, arguments),
            Object::Text { .. } => self.text_method(receiver, name, arguments),
            Object::List(_) | Object::Many(_) => self.list_method(receiver, name, arguments),
            Object::Map(entries) => match name {
                "items" | "entries" | "each" | "each_pair" | "forEach" => {
                    let pairs = entries
                        .iter()
                        .map(|(k, v)| Object::List(vec![Object::text(k.clone()), v.clone()]))
                        .collect();
                    self.with_callable(Object::List(pairs), &arguments)
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
                    let own = self.by_name(name, &arguments);
                    self.callbacks(&arguments);
                    own.unwrap_or(Object::Plain)
                }
            },
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
            Object::Plain => {
                let own = self.by_name(name, &arguments);
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
                self.callbacks(&arguments);
                self.saved(name, &arguments);
                Object::Plain
            }
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

    /// A method of something that came from outside.
    fn foreign_method(&mut self, name: &str, arguments: Arguments) -> Object {
        if let Some(result) = self.own_methods(name, &arguments) {
            return result;
        }
        match name {
            // A function that was looked up is called.
            "call" | "apply" | "__call__" | "send" | "public_send" | "__send__" => self.implicit.blind = true,
            "unlink" | "rmdir" | "rmtree" | "rm_rf" | "unlinkSync" | "rmSync" | "rmdirSync"
            | "remove_tree" => {
                let target = arguments.list.first().cloned().unwrap_or(Object::Unknown);
                let tree = !matches!(name, "unlink" | "unlinkSync" | "rmdir");
                self.delete(&target, tree);
            }
            "write_text" | "write_bytes" => self.write(&Object::Unknown, Mode::Truncate),
            "writeFileSync" | "writeFile" => self.write(&arguments.first(), Mode::Truncate),
            "execSync" => {
                self.shell(&arguments.first(), None, None);
            }
            "execute" | "executescript" | "executemany" | "query" | "exec" | "raw" | "run" => {
                self.query(&Object::Unknown, &arguments.first(), name);
            }
            "addCleanup" | "addClassCleanup" | "addModuleCleanup" | "addfinalizer"
                if !arguments.list.is_empty() =>
            {
                let first = arguments.first();
                let rest = arguments.list.get(1..).unwrap_or_default().to_vec();
                self.apply(&first, rest);
                return Object::Plain;
            }
            "extractall" => self.unknown("an archive is unpacked"),
            // Removing from a collection, or a key from a map, takes its argument; a record deletes itself.
            _ if library::destroys(name) => {
                self.unknown(format!(".{name}(…) of something that is not known"));
            }
            _ => {}
        }
        self.saved(name, &arguments);
        self.callbacks(&arguments);
        Object::Unknown
    }

    /// Methods that write what they belong to into a file.
    fn saved(&mut self, name: &str, arguments: &Arguments) {
        let writes = matches!(
            name,
            "to_csv"
                | "to_excel"
                | "to_json"
                | "to_parquet"
                | "to_pickle"
                | "to_html"
                | "to_feather"
                | "to_file"
                | "savefig"
                | "save"
                | "savetxt"
                | "imwrite"
                | "write_image"
                | "write_html"
                | "write_csv"
                | "write_parquet"
                | "toFile"
                | "tofile"
        );
        if writes
            && let Some(target) = arguments.get(0, &["path_or_buf", "path", "fname", "excel_writer"])
            && matches!(target, Object::Text { .. } | Object::Path { .. })
        {
            let target = target.clone();
            self.write(&target, Mode::Truncate);
        }
    }

    fn path_method(&mut self, path: Object, name: &str, arguments: Arguments) -> Object {
        match name {
            "unlink" | "rmdir" | "delete" | "remove" => {
                self.delete(&path, false);
                Object::Plain
            }
            "rmtree" | "remove_tree" | "remove_dir" | "removedirs_p" | "rmtree_p" | "remove_p" => {
                self.delete(&path, true);
                Object::Plain
            }
            "write_text" | "write_bytes" | "write" | "binwrite" | "spew" | "spew_utf8" | "spurt" => {
                self.write(&path, Mode::Truncate);
                Object::Plain
            }
            "touch" | "append" => {
                self.write(&path, Mode::Append);
                Object::Plain
            }
            "truncate" => {
                self.write(&path, Mode::Truncate);
                Object::Plain
            }
            "open" => {
                let mut list = vec![path];
                list.extend(arguments.list);
                self.open(&Arguments { list, ..arguments })
            }
            "rename" | "replace" | "move" => {
                let to = arguments.first();
                self.transfer(true, &path, &to);
                let (value, glob) = to.value();
                Object::Path { value, glob }
            }
            "symlink_to" | "link_to" | "hardlink_to" | "make_symlink" | "make_link" => {
                let target = arguments.first().word();
                self.link(target, path.word(), name.contains("sym"));
                Object::Plain
            }
            "copy" | "copy_into" => {
                self.transfer(false, &path, &arguments.first());
                Object::Plain
            }
            "glob" | "rglob" => {
                let pattern = arguments.first();
                let base = if name == "rglob" { path.slash(&Object::text("**")) } else { path };
                let (value, _) = base.slash(&pattern).value();
                let list = Object::Many(Box::new(Object::Path { value, glob: true }));
                self.with_callable(list, &arguments)
            }
            "iterdir" | "children" | "each_child" | "entries" | "each_entry" => {
                let (value, _) = path.slash(&Object::text("*")).value();
                let list = Object::Many(Box::new(Object::Path { value, glob: true }));
                self.with_callable(list, &arguments)
            }
            "walk" | "find" => {
                let (value, _) = path.slash(&Object::text("**")).value();
                let list = Object::Many(Box::new(Object::Path { value, glob: true }));
                self.with_callable(list, &arguments)
            }
            "joinpath" | "join" | "child" => arguments.list.iter().fold(path, |path, next| path.slash(next)),
            "expanduser" | "expand_path" => self.at_home(path),
            "resolve" | "absolute" | "realpath" | "cleanpath" | "as_posix" | "to_s" | "to_path"
            | "to_str" => path,
            "parent" | "dirname" => self.attribute(path, "parent"),
            "with_suffix" | "with_name" | "with_stem" | "sub_ext" | "sub" | "relative_to" => {
                Object::Path { value: Value::Unknown, glob: false }
            }
            "read_text" | "read" | "slurp" => self.sql_text(&path),
            "read_bytes" | "readlines" | "stat" => Object::Unknown,
            _ => Object::Plain,
        }
    }

    fn text_method(&mut self, text: Object, name: &str, arguments: Arguments) -> Object {
        let known = text.known();
        let map = |object: &Object, f: &dyn Fn(&str) -> String| {
            let (value, glob) = object.value();
            Object::Text { value: value.map(f), glob }
        };
        match name {
            "join" => {
                let list = arguments.first();
                join_texts(&text, &list)
            }
            "format" => match &known {
                Some(format) => braces(format, &arguments.list, &arguments.named),
                None => Object::Unknown,
            },
            "concat" => arguments.list.iter().fold(text, |text, next| text.then(next)),
            "strip" | "trim" | "chomp" | "rstrip" | "lstrip" | "chop" if arguments.list.is_empty() => {
                map(&text, &|t| t.trim().to_owned())
            }
            "lower" | "toLowerCase" | "downcase" => map(&text, &str::to_lowercase),
            "upper" | "toUpperCase" | "upcase" => map(&text, &str::to_uppercase),
            "encode" | "decode" | "toString" | "to_s" | "to_str" | "to_sym" | "dup" | "freeze"
            | "valueOf" => text,
            "expanduser" => self.at_home(text),
            "replace" | "gsub" | "sub" | "replaceAll" | "tr" => {
                match (
                    arguments.list.first().and_then(Object::known),
                    arguments.list.get(1).and_then(Object::known),
                ) {
                    (Some(from), Some(to)) if !from.is_empty() && to.len() <= 256 => {
                        map(&text, &|t| t.replace(&from, &to))
                    }
                    _ => Object::Unknown,
                }
            }
            "split" | "splitlines" | "lines" | "words" => {
                match (&known, arguments.list.first().and_then(Object::known)) {
                    (Some(text), Some(separator))
                        if !separator.is_empty() && text.matches(&separator).count() < 200 =>
                    {
                        Object::List(text.split(&separator).map(Object::text).collect())
                    }
                    (Some(text), None)
                        if arguments.list.is_empty() && text.split_whitespace().count() <= 200 =>
                    {
                        Object::List(text.split_whitespace().map(Object::text).collect())
                    }
                    _ => Object::Many(Box::new(Object::Unknown)),
                }
            }
            "reverse" | "rev" => map(&text, &|t| t.chars().rev().collect()),
            // A path in Lua or a file name in zx may be run or opened by its methods; text has none that act.
            "hex" | "pack" | "unpack" => Object::Unknown,
            _ => {
                self.callbacks(&arguments);
                let predicate = name.starts_with("is")
                    || name.ends_with('?')
                    || name.ends_with("with")
                    || name.ends_with("With");
                if predicate { Object::Plain } else { Object::Unknown }
            }
        }
    }

    /// Hands each element of a list to the function among the arguments.
    fn with_callable(&mut self, list: Object, arguments: &Arguments) -> Object {
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
                if matches!(name, "find" | "detect") { Object::any(list.elements().0) } else { list }
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
                    (list, _) => list,
                }
            }
            "length" | "size" | "count" | "includes" | "include?" | "index" | "indexOf" | "empty?" => {
                Object::Plain
            }
            // What these give are elements of the list alone.
            _ if arguments.list.is_empty() || kept(name) => {
                self.callbacks(&arguments);
                list
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
                Object::Many(Box::new(Object::element(list.elements().0.into_iter().chain(more).collect())))
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
            "read" if arguments.list.is_empty() => self.sql_text(&Self::some_text(path.clone())),
            "read" | "readline" | "gets" | "name" => Object::Unknown,
            "readlines" | "lines" | "each_line" | "each" => {
                self.with_callable(Object::Many(Box::new(Object::Unknown)), &arguments)
            }
            "extractall" => {
                self.unknown("an archive is unpacked");
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
            "execute" | "executescript" | "executemany" | "query" | "exec" | "run" | "all" | "get"
            | "each" | "prepare" | "do" | "execute_batch" | "multi_query" | "querySingle"
            | "exec_driver_sql" => {
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

/// Methods of lists whose arguments never become elements.
fn kept(name: &str) -> bool {
    matches!(
        name,
        "take_while"
            | "drop_while"
            | "partition"
            | "group_by"
            | "uniq"
            | "each_cons"
            | "in_groups_of"
            | "rotate"
            | "sample"
            | "max_by"
            | "min_by"
            | "minmax"
            | "first"
            | "last"
            | "difference"
            | "intersection"
            | "intersect"
            | "except"
            | "without"
            | "flat"
            | "flatten"
            | "values_at"
            | "delete_if"
            | "keep_if"
            | "filter_map"
            | "copyWithin"
            | "toSorted"
            | "toSpliced"
            | "lazy"
            | "then"
            | "tap"
            | "chunk_while"
            | "slice_when"
            | "limit"
            | "to_set"
            | "to_a"
            | "sort_by!"
            | "select!"
            | "reject!"
            | "discard"
            | "remove"
            | "delete"
            | "delete_at"
    )
}
