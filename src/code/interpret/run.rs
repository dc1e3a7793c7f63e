//! Running programs, code and SQL.

use crate::code::effect::CodeEffect;
use crate::code::language::Language;
use crate::code::library::Mode;
use crate::code::quote::{fed, line, quoted};
use crate::model::Value;

use super::python::ATTACHED;
use super::{Arguments, Machine, Object};

impl Machine<'_> {
    /// Shell text, with the input that it gets and the directory that it runs in.
    pub(super) fn shell(&mut self, text: &Object, input: Option<Value>, directory: Option<Value>) {
        let text = self.shell_object(text);
        let text = match input {
            Some(input) => fed(Some(&input), &text),
            None => text,
        };
        let text = match directory.as_ref().map(Value::as_known) {
            Some(Some(directory)) => Value::known(format!("cd {} && ", quoted(directory))).concat(&text),
            Some(None) => {
                self.emit(CodeEffect::ChangeDirectory { path: Value::Unknown });
                text
            }
            None => text,
        };
        self.emit(CodeEffect::Shell { text });
    }

    /// One text is a shell command, several words are an argument vector.
    pub(super) fn system(&mut self, arguments: &Arguments) -> Object {
        self.environment_given(arguments);
        if self.language == Language::Ruby {
            self.led_elsewhere(arguments);
        }
        let words = arguments
            .list
            .iter()
            .filter(|o| !matches!(o, Object::Map(_) | Object::Plain | Object::Nothing))
            .cloned()
            .collect::<Vec<_>>();
        match words.as_slice() {
            [] => {}
            [Object::List(list)] => {
                let words = list.iter().filter(|o| !matches!(o, Object::Map(_))).cloned().collect::<Vec<_>>();
                self.run_words(&words);
            }
            [one] => self.shell(one, None, None),
            // `IO.popen("cmd", "r")`, `Open3.capture2("cmd")`, and PHP's result variables.
            [one, Object::Text { value: Value::Known(mode), .. }, ..]
                if mode.len() <= 2 && mode.starts_with(['r', 'w']) =>
            {
                self.shell(one, None, None);
            }
            [one, ..] if self.language == Language::Php => self.shell(one, None, None),
            list => {
                self.run_words(list);
            }
        }
        self.callbacks(arguments);
        Object::Unknown
    }

    /// Ruby's `system("cmd", out: "file", [:out, :err] => ["file", "w"])`: what the command's streams are led into.
    fn led_elsewhere(&mut self, arguments: &Arguments) {
        let maps = arguments.list.iter().filter_map(|object| match object {
            Object::Map(entries) => Some(entries),
            _ => None,
        });
        let entries = arguments.named.iter().chain(maps.flatten());
        let reads =
            |key: &str| matches!(key.trim_start_matches(':'), "in" | "0" | "chdir" | "STDIN" | "$stdin");
        let is_stream = |key: &str| {
            let key = key.trim_start_matches(':');
            key.contains("out")
                || key.contains("err")
                || key.contains("OUT")
                || key.contains("ERR")
                || key.parse::<u8>().is_ok()
                || key == super::containers::ANY
        };
        let led: Vec<Object> = entries
            .filter(|(key, _)| is_stream(key) && !reads(key))
            .map(|(_, value)| value.clone())
            .collect();
        for target in led {
            let (file, mode) = match &target {
                Object::List(list) => {
                    (list.first().cloned().unwrap_or(Object::Unknown), list.get(1).and_then(Object::known))
                }
                other => (other.clone(), None),
            };
            let begins = |sign: char| mode.as_deref().is_some_and(|mode| mode.starts_with(sign));
            match file {
                Object::Text { .. } | Object::Path { .. } if begins('r') => {}
                Object::Text { .. } | Object::Path { .. } => {
                    let mode = if begins('a') { Mode::Append } else { Mode::Truncate };
                    self.write(&file, mode);
                }
                _ => {}
            }
        }
    }

    /// `os.execvp(file, argv)` and `os.spawnl(mode, file, arg0, …)`: the words after argument zero.
    pub(super) fn exec(&mut self, name: &str, arguments: &Arguments) -> Object {
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
        let mut argv = vec![program.clone()];
        argv.extend(words.into_iter().skip(1));
        self.run_words(&argv);
        if name.contains("exec") && self.maybe == 0 {
            self.ended = true;
        }
        Object::Unknown
    }

    /// `subprocess.run(words, shell=…)`, `spawnSync(program, words, {shell})`.
    pub(super) fn process(&mut self, arguments: &Arguments) -> Object {
        self.environment_given(arguments);
        let program = arguments.get(0, &["args", "cmd"]).cloned().unwrap_or(Object::Unknown);
        let shell = arguments.keyword(&["shell"]).is_some();
        let mut words = match &program {
            Object::List(words) => words.clone(),
            other => vec![other.clone()],
        };
        if matches!(self.language, Language::Node | Language::Php) {
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
        let values = words.iter().map(|o| o.word()).collect::<Vec<_>>();
        let opaque = matches!(
            program,
            Object::Unknown
                | Object::Process
                | Object::Plain
                | Object::Nothing
                | Object::Many(_)
                | Object::Either(_)
        );
        let input = arguments.keyword(&["input"]).map(|o| o.word());
        let input = input.or_else(|| self.is_fed(words.len(), arguments).then_some(Value::Unknown));
        let directory =
            arguments.keyword(&["cwd"]).filter(|o| !matches!(o, Object::Nothing)).map(|o| o.word());
        if shell {
            let text = words.into_iter().reduce(|text, word| text.then(&Object::text(" ")).then(&word));
            self.shell(&text.unwrap_or(Object::Unknown), input, directory);
        } else if opaque {
            self.emit(CodeEffect::Run { argv: vec![Value::Unknown] });
        } else if (input.is_some() || directory.is_some())
            && let Some(text) = line(&values)
        {
            self.shell(&Object::text(text), input, directory);
        } else {
            if let Some(path) = directory {
                self.emit(CodeEffect::ChangeDirectory { path });
            }
            self.run_words(&words);
        }
        self.callbacks(arguments);
        Object::Process
    }

    /// Whether a process may be given more on its standard input than is said here: it may read commands there.
    fn is_fed(&self, words: usize, arguments: &Arguments) -> bool {
        let none = |object: &Object| match object {
            Object::Nothing => true,
            Object::Native(name) => name.ends_with(".DEVNULL"),
            _ => false,
        };
        match self.language {
            Language::Python => arguments.keyword(&["stdin"]).is_some_and(|given| !none(given)),
            // Its input is a pipe unless something else is said.
            Language::Node => words == 1,
            _ => false,
        }
    }

    /// Code in a text.
    pub(super) fn code(&mut self, code: &Object) -> Object {
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
            Object::Function(_) | Object::Plain | Object::Nothing => Object::Unknown,
            _ => {
                self.unknown(format!("{} code that is made at run time", self.language.title()));
                Object::Unknown
            }
        }
    }

    /// SQL on a database.
    pub(super) fn query(&mut self, connection: &Object, text: &Object, method: &str) {
        let text = text.word();
        match connection {
            Object::Database { dialect, database } => {
                let text = self.with_attached(database, text);
                let effect = CodeEffect::Sql { dialect, database: database.clone(), text: text.clone() };
                let before = self.effects.len();
                if method == "executescript" {
                    self.uncommitted.clear();
                }
                self.emit(effect);
                // sqlite3 of Python opens a transaction before statements that change rows.
                let rows = text.as_known().is_some_and(|text| {
                    let head = text
                        .rsplit(ATTACHED)
                        .next()
                        .unwrap_or(text)
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
