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
                Object::Unknown
            }
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
                Object::Handle(target.value().0)
            }
            Act::WriteTo(place) => {
                if let Some(target) = arguments.get(place, &["filename", "file", "path", "dest"]).cloned() {
                    self.write(&target, Mode::Truncate);
                }
                Object::Plain
            }
            Act::Open => self.open(&arguments),
            Act::PerlOpen => self.perl_open(&arguments),
            Act::Rename | Act::Copy => {
                let to = arguments.get(1, &["dst", "target"]).cloned().unwrap_or(Object::Unknown);
                for (from, glob) in first.paths() {
                    let from = if glob { Value::Unknown } else { from };
                    let to = to.value().0;
                    self.emit(if act == Act::Rename {
                        CodeEffect::Rename { from, to }
                    } else {
                        CodeEffect::Copy { from, to }
                    });
                }
                to
            }
            Act::Shell => {
                self.emit(CodeEffect::Shell { text: first.value().0 });
                self.callbacks(&arguments);
                Object::Unknown
            }
            Act::System => self.system(&arguments),
            Act::Words => {
                let argv =
                    arguments.list.iter().flat_map(|o| o.elements_or_self()).map(|o| o.value().0).collect();
                self.emit(CodeEffect::Run { argv });
                Object::Unknown
            }
            Act::Exec => self.exec(name, &arguments),
            Act::Process => self.process(&arguments),
            Act::Tool(tool) => {
                let mut argv = vec![Value::known(tool)];
                argv.extend(arguments.list.iter().flat_map(Object::paths).map(|(value, _)| value));
                self.emit(CodeEffect::Run { argv });
                Object::Unknown
            }
            Act::ChangeDirectory => {
                self.emit(CodeEffect::ChangeDirectory { path: first.value().0 });
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
            Act::Code => self.code(&first),
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
                    for (value, _) in object.paths() {
                        let value = match arguments.keyword(&["root_dir", "base"]) {
                            Some(root) => root.slash(&Self::some_text(value)).value().0,
                            None => value,
                        };
                        patterns.push(Object::pattern(value));
                    }
                }
                let list = Object::Many(Box::new(Object::any(patterns)));
                self.with_block(list, &arguments)
            }
            Act::Entries => {
                let list = Object::Many(Box::new(Object::pattern(Value::known("*"))));
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
                let database = if dialect == "sqlite" { first.value().0 } else { Value::Unknown };
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
            Act::Namespace => Object::Map(
                ["os", "shutil", "subprocess"]
                    .iter()
                    .map(|m| ((*m).to_owned(), Object::Native((*m).to_owned())))
                    .collect(),
            ),
            Act::Unknown(reason) => {
                self.unknown(reason);
                Object::Unknown
            }
        }
    }

    fn with_block(&mut self, object: Object, arguments: &Arguments) -> Object {
        match &arguments.block {
            Some(block) if matches!(object, Object::Many(_)) => self.apply_each(block, &object),
            Some(block) => self.apply(block, vec![object]),
            None => object,
        }
    }

    /// `$_` where Perl takes it.
    fn default_subject(&self) -> Object {
        self.get("$_").cloned().unwrap_or(Object::Unknown)
    }

    /// Deletes everything that a value stands for.
    pub(super) fn delete(&mut self, target: &Object, recursive: bool) {
        for (path, glob) in target.paths() {
            self.emit(CodeEffect::Delete { path, glob, recursive });
        }
    }

    /// Opens for writing everything that a value stands for.
    pub(super) fn write(&mut self, target: &Object, mode: Mode) {
        for (path, glob) in target.paths() {
            // A pattern stands for some names; which ones get written is not known.
            let path = if glob { Value::Unknown } else { path };
            self.emit(match mode {
                Mode::Truncate => CodeEffect::Overwrite { path },
                Mode::Append => CodeEffect::Append { path },
                Mode::Change => CodeEffect::Update { path },
            });
        }
    }

    /// `open(path, mode)` of most languages.
    pub(super) fn open(&mut self, arguments: &Arguments) -> Object {
        let target =
            arguments.get(0, &["file", "name", "path", "filename"]).cloned().unwrap_or(Object::Unknown);
        if let Some(command) = target
            .known()
            .filter(|_| self.language == Language::Ruby)
            .and_then(|t| t.strip_prefix('|').map(str::to_owned))
        {
            self.emit(CodeEffect::Shell { text: Value::known(command) });
            return Object::Unknown;
        }
        let mode = match arguments.get(1, &["mode"]) {
            None | Some(Object::Function(_) | Object::Map(_)) => None,
            Some(object) => match object.known() {
                Some(text) if text.starts_with(|c: char| c.is_ascii_digit()) => {
                    (text != "0").then_some(Mode::Truncate)
                }
                Some(text) => open_mode(&text),
                None => flags(object),
            },
        };
        if let Some(mode) = mode {
            self.write(&target, mode);
        }
        let handle = Object::Handle(target.value().0);
        if arguments.block.is_some() {
            return self.with_block(handle, arguments);
        }
        self.callbacks(arguments);
        handle
    }

    fn perl_open(&mut self, arguments: &Arguments) -> Object {
        let Some(mode) = arguments.list.get(1) else { return Object::Plain };
        let Some(mode) = mode.known() else {
            // Two arguments with a text that begins in a known way.
            let (value, _) = mode.value();
            let prefix = value.prefix();
            if prefix.trim_start().starts_with('>') {
                self.write(
                    &Object::Unknown,
                    if prefix.contains(">>") { Mode::Append } else { Mode::Truncate },
                );
            } else if prefix.trim_start().starts_with('|') || value.suffix().trim_end().ends_with('|') {
                self.emit(CodeEffect::Shell { text: Value::Unknown });
            }
            return Object::Plain;
        };
        let mode = mode.trim();
        let rest = arguments.list.get(2..).unwrap_or_default();
        if rest.is_empty() {
            if let Some(command) = mode.strip_prefix('|').or_else(|| mode.strip_suffix('|')) {
                self.emit(CodeEffect::Shell { text: Value::known(command.trim()) });
                return Object::Plain;
            }
            let path = mode.trim_start_matches(['+', '<', '>']).trim().to_owned();
            if let Some(how) = open_sign(mode) {
                self.write(&Object::text(path), how);
            }
            return Object::Plain;
        }
        if mode.starts_with("|-") || mode.starts_with("-|") {
            match rest {
                [one] => self.emit(CodeEffect::Shell { text: one.value().0 }),
                list => {
                    let argv = list.iter().map(|o| o.value().0).collect();
                    self.emit(CodeEffect::Run { argv });
                }
            }
        } else if let Some(how) = open_sign(mode) {
            self.write(&rest[0], how);
        }
        Object::Plain
    }

    /// One text is a shell command, several words are an argument vector.
    fn system(&mut self, arguments: &Arguments) -> Object {
        let words = arguments
            .list
            .iter()
            .filter(|o| !matches!(o, Object::Map(_) | Object::Plain))
            .cloned()
            .collect::<Vec<_>>();
        match words.as_slice() {
            [] => {}
            [Object::List(list)] => {
                let argv =
                    list.iter().filter(|o| !matches!(o, Object::Map(_))).map(|o| o.value().0).collect();
                self.emit(CodeEffect::Run { argv });
            }
            [one] => self.emit(CodeEffect::Shell { text: one.value().0 }),
            // `IO.popen("cmd", "r")`, `Open3.capture2("cmd")`, and PHP's result variables.
            [one, Object::Text { value: Value::Known(mode), .. }, ..]
                if mode.len() <= 2 && mode.starts_with(['r', 'w']) =>
            {
                self.emit(CodeEffect::Shell { text: one.value().0 });
            }
            [one, ..] if self.language == Language::Php => {
                self.emit(CodeEffect::Shell { text: one.value().0 })
            }
            list => {
                let argv = list.iter().map(|o| o.value().0).collect();
                self.emit(CodeEffect::Run { argv });
            }
        }
        self.callbacks(arguments);
        Object::Unknown
    }

    /// `os.execvp(file, argv)` and `os.spawnl(mode, file, arg0, …)`: the words after argument zero.
    fn exec(&mut self, name: &str, arguments: &Arguments) -> Object {
        let skip = usize::from(name.contains("spawn") && !name.contains("posix"));
        let list = arguments.list.get(skip..).unwrap_or_default();
        let Some((program, rest)) = list.split_first() else {
            self.unknown("a program that is not known is run");
            return Object::Unknown;
        };
        let words = match rest {
            [Object::List(words), ..] => words.clone(),
            [Object::Text { .. }, ..] => rest.to_vec(),
            _ => vec![Object::Unknown, Object::Unknown],
        };
        let mut argv = vec![program.value().0];
        argv.extend(words.iter().skip(1).map(|o| o.value().0));
        self.emit(CodeEffect::Run { argv });
        if name.contains("exec") && self.maybe == 0 {
            self.ended = true;
        }
        Object::Unknown
    }

    /// `subprocess.run(words, shell=…)`, `spawnSync(program, words, {shell})`.
    fn process(&mut self, arguments: &Arguments) -> Object {
        let program = arguments.get(0, &["args", "cmd"]).cloned().unwrap_or(Object::Unknown);
        let shell = arguments.keyword(&["shell"]).is_some();
        let mut words = match &program {
            Object::List(words) => words.clone(),
            other => vec![other.clone()],
        };
        if self.language == Language::Node {
            match arguments.list.get(1) {
                Some(Object::List(more)) => words.extend(more.iter().cloned()),
                None | Some(Object::Map(_) | Object::Function(_)) => {}
                Some(_) => words.push(Object::Unknown),
            }
        }
        if let Object::Map(_) = program {
            // `Deno.run({ cmd: [...] })`
            words = arguments.keyword(&["cmd"]).map_or(vec![Object::Unknown], |o| o.elements().0);
        }
        let values = words.iter().map(|o| o.value().0).collect::<Vec<_>>();
        if shell {
            let text = values.into_iter().reduce(|text, word| text.concat(&Value::known(" ")).concat(&word));
            self.emit(CodeEffect::Shell { text: text.unwrap_or(Value::Unknown) });
        } else if matches!(program, Object::Unknown | Object::Many(_)) {
            self.emit(CodeEffect::Run { argv: vec![Value::Unknown] });
        } else {
            self.emit(CodeEffect::Run { argv: values });
        }
        self.callbacks(arguments);
        Object::Unknown
    }

    /// Code in a text.
    fn code(&mut self, code: &Object) -> Object {
        match code {
            Object::Text { value, glob: false } if value.choices().is_some() => {
                if self.calls >= super::CALLS {
                    self.unknown("code that makes code");
                    return Object::Unknown;
                }
                self.calls += 1;
                for text in value.choices().unwrap_or_default() {
                    if let Some(name) = self.program(text) {
                        self.unknown(format!("code that mentions {name} could not be read in full"));
                    }
                }
                self.calls -= 1;
                Object::Unknown
            }
            // `eval { … }` and compiled functions were already followed.
            Object::Function(_) | Object::Plain => Object::Unknown,
            _ => {
                self.unknown(format!("{} code that is made at run time", self.language.title()));
                Object::Unknown
            }
        }
    }

    /// A module by name.
    fn load(&mut self, name: &Object) -> Object {
        match name.known() {
            Some(name) => {
                let local = name.starts_with(['.', '/'])
                    || name.ends_with(".rb")
                    || name.ends_with(".pl")
                    || name.ends_with(".php");
                if local && !name.ends_with(".json") {
                    self.unknown(format!("code in {name}"));
                }
                library::module(self.language, &name)
            }
            None => {
                self.unknown("a module that is chosen at run time");
                Object::Unknown
            }
        }
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

    /// SQL on a database.
    pub(super) fn query(&mut self, connection: &Object, text: &Object, method: &str) {
        let text = text.value().0;
        match connection {
            Object::Database { dialect, database } => {
                let effect = CodeEffect::Sql { dialect, database: database.clone(), text: text.clone() };
                let before = self.effects.len();
                if method == "executescript" {
                    self.uncommitted.clear();
                }
                self.emit(effect);
                // sqlite3 of Python opens a transaction before statements that change rows.
                let rows = text.as_known().is_some_and(|text| {
                    let head = text
                        .trim_start()
                        .split(|c: char| !c.is_alphabetic())
                        .next()
                        .unwrap_or_default()
                        .to_uppercase();
                    matches!(head.as_str(), "INSERT" | "UPDATE" | "DELETE" | "REPLACE")
                });
                let holds = *dialect == "sqlite"
                    && rows
                    && method != "executescript"
                    && self.get("\u{0}commits").is_none();
                if holds && self.effects.len() > before {
                    self.uncommitted.push(before);
                }
            }
            _ => {
                let Some(known) = text.as_known() else { return };
                let acts = crate::code::sql::sql("generic", known).iter().any(|statement| {
                    use crate::code::effect::SqlVerb::{Alter, Control, Create, Read, Unknown};
                    !matches!(statement.verb, Read | Control | Create | Alter | Unknown)
                });
                if acts {
                    self.emit(CodeEffect::Sql { dialect: "generic", database: Value::Unknown, text });
                }
            }
        }
    }
}

impl Object {
    fn elements_or_self(&self) -> Vec<Object> {
        if let Self::List(list) = self { list.clone() } else { vec![self.clone()] }
    }
}

/// What an `open` mode does to the file.
fn open_mode(text: &str) -> Option<Mode> {
    if text.contains('w') {
        Some(Mode::Truncate)
    } else if text.contains(['a', 'x', 'c']) {
        // `x` refuses a file that exists.
        Some(Mode::Append)
    } else if text.contains('+') {
        Some(Mode::Change)
    } else {
        None
    }
}

fn open_sign(mode: &str) -> Option<Mode> {
    match mode {
        _ if mode.starts_with(">>") || mode.starts_with("+>>") => Some(Mode::Append),
        _ if mode.starts_with('>') || mode.starts_with("+>") => Some(Mode::Truncate),
        _ if mode.starts_with("+<") => Some(Mode::Change),
        _ => None,
    }
}

/// What flags such as `os.O_WRONLY | os.O_TRUNC` do.
fn flags(object: &Object) -> Option<Mode> {
    match object {
        Object::Either(list) => {
            let modes = list.iter().filter_map(flags).collect::<Vec<_>>();
            let appends = list
                .iter()
                .any(|o| matches!(o, Object::Native(n) if n.contains("APPEND") || n.contains("EXCL")));
            if modes.contains(&Mode::Truncate) {
                Some(Mode::Truncate)
            } else if appends {
                Some(Mode::Append)
            } else {
                modes.first().copied()
            }
        }
        Object::Native(name) if name.contains("TRUNC") => Some(Mode::Truncate),
        Object::Native(name) if name.contains("WRONLY") || name.contains("RDWR") => Some(Mode::Change),
        Object::Native(_) | Object::Plain => None,
        _ => Some(Mode::Truncate),
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
