//! What known functions do.

use base64::Engine;

use crate::code::effect::CodeEffect;
use crate::code::language::Language;
use crate::code::library::{self, Act, Mode};
use crate::model::Value;

use super::operate::percent;
use super::{Arguments, Machine, Object};

impl Machine<'_> {
    /// Performs a known function.
    pub(super) fn perform(&mut self, name: &str, act: Act, arguments: Arguments) -> Object {
        let first = arguments.first();
        match act {
            Act::Plain => {
                self.callbacks(&arguments);
                Object::Plain
            }
            Act::Outside => {
                self.callbacks(&arguments);
                self.outside(name, &first)
            }
            Act::Same if name == "Array.from" && arguments.list.len() > 1 => {
                let elements = match &first {
                    Object::Map(_) => Object::Many(Box::new(Object::Unknown)),
                    _ => first,
                };
                let made = self.apply_each(&arguments.list[1], &elements);
                Object::Many(Box::new(Object::element(made.elements().0)))
            }
            // `Object.assign(a, b)`, Perl's functions of lists.
            Act::Same if name == "Object.assign" => {
                let values = arguments.list.iter().flat_map(Object::values_or_self);
                Object::Many(Box::new(Object::element(values.collect())))
            }
            Act::Same if self.language == Language::Perl => match (name, first, arguments.list.len()) {
                ("values", Object::Map(entries), _) => {
                    Object::List(entries.into_iter().map(|(_, value)| value).collect())
                }
                ("keys" | "values", Object::Unknown, _) => Object::Many(Box::new(Object::Unknown)),
                (_, first, 0 | 1) if name != "keys" => first,
                (_, first @ (Object::Map(_) | Object::Many(_)), 1) => {
                    let (elements, _) = first.elements();
                    Object::Many(Box::new(Object::element(elements)))
                }
                _ => Object::Many(Box::new(Object::element(
                    arguments
                        .list
                        .iter()
                        .flat_map(|one| match one {
                            Object::Many(_) | Object::Either(_) => one.elements().0,
                            one => vec![one.clone()],
                        })
                        .collect(),
                ))),
            },
            Act::Same => first,
            Act::Text => match first {
                Object::Text { .. } => first,
                other => {
                    let (value, glob) = other.value();
                    Object::Text { value, glob }
                }
            },
            Act::Delete { tree } => {
                let recursive = tree || arguments.keyword(&["recursive"]).is_some();
                let targets = match arguments.list.as_slice() {
                    [] => vec![self.default_subject()],
                    // A map in the first place is no set of options.
                    [Object::Map(_)] => vec![Object::Unknown],
                    list => list
                        .iter()
                        .filter(|o| !matches!(o, Object::Map(_) | Object::Function(_)))
                        .cloned()
                        .collect(),
                };
                let single = matches!(
                    self.language,
                    Language::Python | Language::Node | Language::Lua | Language::Php
                );
                for target in targets.into_iter().take(if single { 1 } else { usize::MAX }) {
                    self.delete(&target, recursive);
                }
                self.callbacks(&arguments);
                Object::Plain
            }
            Act::Anew => {
                let builder = name.ends_with("EnvBuilder");
                let clears = arguments.get(if builder { 1 } else { 2 }, &["clear"]);
                let clears = clears.is_some_and(|value| value.known().is_none_or(|text| text != "False"));
                match (clears, builder) {
                    (true, true) => {
                        let reason = "an environment is made anew where another may stand".to_owned();
                        self.emit(CodeEffect::Unknown { reason });
                    }
                    (true, false) => self.delete(&first, true),
                    _ => {}
                }
                Object::Plain
            }
            Act::Write(mode) => {
                let target = arguments
                    .get(0, &["path", "filename", "file", "fname", "dst"])
                    .cloned()
                    .unwrap_or(Object::Unknown);
                let appends = arguments
                    .keyword(&["flag", "flags", "mode"])
                    .and_then(Object::known)
                    .is_some_and(|m| m.contains('a'))
                    || arguments.list.iter().any(|o| matches!(o, Object::Native(n) if n == "FILE_APPEND"));
                self.write(&target, if appends { Mode::Append } else { mode });
                self.callbacks(&arguments);
                Object::Handle(target.word())
            }
            Act::WriteTo(place) => {
                if let Some(target) = arguments.get(place, &["filename", "file", "path", "dest"]).cloned() {
                    self.write(&target, Mode::Truncate);
                }
                Object::Plain
            }
            Act::InPlace => {
                let plain =
                    |mode: &Object| mode.known().is_some_and(|text| matches!(text.as_str(), "" | "0"));
                if arguments.keyword(&["inplace"]).is_some_and(|mode| !plain(mode)) {
                    let files = arguments.get(0, &["files"]).cloned().unwrap_or(Object::Unknown);
                    self.write(&files, Mode::Truncate);
                }
                Object::Unknown
            }
            Act::Open if name.starts_with("shelve.") || name.starts_with("dbm.") => {
                self.open_shelf(&arguments)
            }
            Act::Open => self.open(&arguments),
            Act::PerlOpen => self.perl_open(&arguments),
            Act::Rename | Act::Copy => {
                let to = arguments.get(1, &["dst", "target"]).cloned().unwrap_or(Object::Unknown);
                self.transfer(act == Act::Rename, &first, &to);
                to
            }
            Act::Shell => {
                self.environment_given(&arguments);
                let input = arguments.keyword(&["input"]).map(|o| o.word());
                let directory =
                    arguments.keyword(&["cwd"]).filter(|o| !matches!(o, Object::Plain)).map(|o| o.word());
                self.shell(&first, input, directory);
                self.callbacks(&arguments);
                Object::Unknown
            }
            Act::System => self.system(&arguments),
            Act::Words => {
                let words = arguments.list.iter().flat_map(Object::elements_or_self).collect::<Vec<_>>();
                self.run_words(&words);
                Object::Unknown
            }
            Act::Exec => self.exec(name, &arguments),
            Act::Process => self.process(&arguments),
            Act::Tool(tool) => {
                let mut words = vec![Object::text(tool)];
                let paths = arguments.list.iter().flat_map(Object::paths);
                words.extend(paths.map(|(value, glob)| Object::Text { value, glob }));
                self.run_words(&words);
                Object::Unknown
            }
            Act::Link { symbolic } => {
                let at = arguments.get(1, &["dst", "path"]).cloned().unwrap_or(Object::Unknown);
                self.link(first.word(), at.word(), symbolic);
                Object::Plain
            }
            Act::ChangeDirectory => {
                self.emit(CodeEffect::ChangeDirectory { path: first.word() });
                if let Some(block) = &arguments.block {
                    self.apply(block, vec![first]);
                }
                Object::Plain
            }
            Act::Exit => {
                if self.maybe == 0 {
                    self.ended = true;
                }
                Object::Plain
            }
            Act::Code => match name {
                // The parameters stand before the body.
                "Function" => {
                    let body = arguments.list.last().cloned().unwrap_or(Object::text(""));
                    self.code(&body)
                }
                _ => self.code(&first),
            },
            Act::File { beside } => self.load_file(&first, beside),
            Act::Element => Object::any(first.elements().0),
            Act::Load => self.load(&first),
            Act::Join => {
                let joined = arguments.list.iter().cloned().reduce(|path, next| path.slash(&next));
                joined.unwrap_or(Object::Unknown)
            }
            Act::Directory => {
                let (value, glob) = first.value();
                let value = value.map(|path| path.rsplit_once('/').map_or(".", |(dir, _)| dir).to_owned());
                Object::Text { value, glob }
            }
            Act::Home if arguments.list.is_empty() => match self.at_home(Object::text("~")) {
                Object::Text { value, glob } if name.starts_with("path") => Object::Path { value, glob },
                home => home,
            },
            Act::Home => self.at_home(first),
            Act::Variables => self.with_variables(first),
            Act::Expand => self.expanded_path(first, arguments.list.get(1)),
            Act::Base => {
                let (value, glob) = first.value();
                Object::Text {
                    value: value.map(|path| path.rsplit('/').next().unwrap_or_default().to_owned()),
                    glob,
                }
            }
            Act::Glob => {
                let mut patterns = Vec::new();
                for object in &arguments.list {
                    for (value, _) in object.paths().into_iter().flat_map(|path| self.split_patterns(path)) {
                        let value = match arguments.keyword(&["root_dir", "base"]) {
                            Some(root) => root.slash(&Self::some_text(value)).value().0,
                            None => value,
                        };
                        let path = name.starts_with("Pathname");
                        let value = if self.language == Language::Perl { self.home_in(value) } else { value };
                        patterns.push(if path {
                            Object::Path { value, glob: true }
                        } else {
                            Object::pattern(value)
                        });
                    }
                }
                let list = Object::Many(Box::new(Object::any(patterns)));
                self.with_block(list, &arguments)
            }
            Act::Entries => {
                let list = Object::Many(Box::new(Object::pattern(Value::known("*"))));
                for callback in arguments.list.iter().filter(|o| matches!(o, Object::Function(_))) {
                    self.apply(callback, vec![Object::Plain, list.clone()]);
                }
                self.with_block(list, &arguments)
            }
            Act::Paths => {
                let directory = if arguments.list.is_empty() { Object::text(".") } else { first };
                let (value, _) = directory.slash(&Object::text("*")).value();
                let list = Object::Many(Box::new(Object::Path { value, glob: true }));
                self.with_block(list, &arguments)
            }
            Act::Walk => {
                let (value, _) = first.slash(&Object::text("**")).value();
                let name = || Object::Many(Box::new(Object::pattern(Value::known("*"))));
                Object::Many(Box::new(Object::List(vec![Object::pattern(value), name(), name()])))
            }
            Act::Pairs => {
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
            Act::Find => {
                for directory in arguments.list.iter().skip(1) {
                    let (value, _) = directory.slash(&Object::text("**")).value();
                    let found = Object::pattern(value);
                    self.set("$File::Find::name", found.clone());
                    let wanted = match &first {
                        Object::Map(entries) => {
                            entries.iter().find(|(k, _)| k == "wanted").map(|(_, v)| v.clone())
                        }
                        other => Some(other.clone()),
                    };
                    if let Some(wanted) = wanted.or(arguments.block.clone()) {
                        self.apply(&wanted, vec![found]);
                    }
                }
                Object::Plain
            }
            Act::Path => {
                let path = arguments.list.iter().cloned().reduce(|path, next| path.slash(&next));
                let (value, glob) = path.unwrap_or_else(|| Object::text(".")).value();
                Object::Path { value, glob }
            }
            Act::Temporary => {
                let path = Object::Text {
                    value: Value::Affix { prefix: "/tmp/".to_owned(), suffix: String::new() },
                    glob: false,
                };
                self.with_block(path, &arguments)
            }
            Act::Database(dialect) => {
                if arguments.keyword(&["isolation_level", "autocommit"]).is_some()
                    || self.language != Language::Python
                {
                    self.set("\u{0}commits", Object::Plain);
                }
                let database = if dialect == "sqlite" { first.word() } else { Value::Unknown };
                Object::Database { dialect, database }
            }
            Act::Query => {
                let (connection, text) = match arguments.list.as_slice() {
                    [connection, text, ..] => (connection.clone(), text.clone()),
                    _ => (Object::Unknown, first),
                };
                self.query(&connection, &text, "execute");
                Object::Unknown
            }
            Act::Attribute => {
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
            Act::Each { function, list } => {
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
            Act::Apply => {
                let rest = arguments.list.get(1..).unwrap_or_default().to_vec();
                let rest = match rest.as_slice() {
                    [Object::List(list)] if self.language == Language::Php => list.clone(),
                    _ => rest,
                };
                self.apply(&first, rest)
            }
            Act::Format => {
                let rest = arguments.list.get(1..).unwrap_or_default();
                first.known().map_or(Object::Unknown, |format| percent(&format, rest))
            }
            Act::Decode => decode(name, &first),
            Act::Character => {
                let number = first.known().and_then(|text| text.parse().ok()).and_then(char::from_u32);
                number.map_or(Object::Unknown, |c| Object::text(c.to_string()))
            }
            Act::Concatenate => {
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
            Act::Shift => self.shift(&arguments),
            // `vars(os)` holds the names of the module.
            Act::Namespace if matches!(first, Object::Native(_)) => first,
            Act::Namespace => {
                let modules = ["os", "shutil", "subprocess", "__builtins__"].iter();
                let own = self.frames.iter().flatten().map(|(name, object)| (name.clone(), object.clone()));
                let all = own.chain(modules.map(|m| ((*m).to_owned(), Object::Native((*m).to_owned()))));
                Object::Map(all.collect())
            }
            Act::Unknown(reason) => {
                self.unknown(reason);
                Object::Unknown
            }
        }
    }

    pub(super) fn with_block(&mut self, object: Object, arguments: &Arguments) -> Object {
        match &arguments.block {
            Some(block) if matches!(object, Object::Many(_)) => self.apply_each(block, &object),
            Some(block) => self.apply(block, vec![object]),
            None => object,
        }
    }

    /// Perl's `glob` takes several patterns in one text.
    fn split_patterns(&self, (value, glob): (Value, bool)) -> Vec<(Value, bool)> {
        match value.as_known() {
            Some(text) if self.language == Language::Perl => {
                text.split_whitespace().map(|one| (Value::known(one), glob)).collect()
            }
            _ => vec![(value, glob)],
        }
    }

    /// `$_` where Perl takes it.
    fn default_subject(&self) -> Object {
        self.get("$_").cloned().unwrap_or(Object::Unknown)
    }

    /// Perl's `shift`: the first of `@_` or `@ARGV`.
    fn shift(&mut self, arguments: &Arguments) -> Object {
        if let Some(list) = arguments.list.first() {
            return list.clone();
        }
        let name = if self.frames.len() > 1 { "@_" } else { "@ARGV" };
        let known = self.get(name).cloned().unwrap_or_else(|| {
            Object::List(
                self.arguments.iter().map(|v| Object::Text { value: v.clone(), glob: false }).collect(),
            )
        });
        match known {
            Object::List(mut list) if !list.is_empty() => {
                let first = list.remove(0);
                self.set(name, Object::List(list));
                first
            }
            _ => Object::Unknown,
        }
    }
}

impl Object {
    pub(super) fn elements_or_self(&self) -> Vec<Object> {
        if let Self::List(list) = self { list.clone() } else { vec![self.clone()] }
    }
}

/// Text of base64 or hexadecimal digits.
fn decode(name: &str, object: &Object) -> Object {
    let Some(text) = object.known() else { return Object::Unknown };
    let bytes = if name.contains("hex") {
        let digits = text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        (0..digits.len() / 2)
            .map(|at| digits.get(at * 2..at * 2 + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok()))
            .collect::<Option<Vec<_>>>()
    } else {
        let text = text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        base64::engine::general_purpose::STANDARD.decode(text).ok()
    };
    bytes.and_then(|bytes| String::from_utf8(bytes).ok()).map_or(Object::Unknown, Object::text)
}

/// Texts of a list with a separator between them.
pub(super) fn join_texts(separator: &Object, list: &Object) -> Object {
    match list {
        Object::List(list) => {
            let mut joined: Option<Object> = None;
            for element in list {
                joined = Some(match joined {
                    Some(text) => text.then(separator).then(element),
                    None => Object::text("").then(element),
                });
            }
            joined.unwrap_or_else(|| Object::text(""))
        }
        _ => Object::Text { value: Value::Unknown, glob: false },
    }
}
