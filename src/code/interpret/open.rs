//! Opening, writing and deleting files.

use crate::code::effect::CodeEffect;
use crate::code::language::Language;
use crate::code::library::Mode;
use crate::code::quote::fed;
use crate::model::Value;

use super::{Arguments, Machine, Object};

impl Machine<'_> {
    /// Deletes everything that a value stands for.
    pub(super) fn delete(&mut self, target: &Object, recursive: bool) {
        for (path, glob) in target.paths() {
            self.emit(CodeEffect::Delete { path, glob, recursive });
        }
    }

    /// Opens for writing everything that a value stands for.
    pub(super) fn write(&mut self, target: &Object, mode: Mode) {
        for (path, glob) in target.paths() {
            let pattern = path.clone();
            let effect = match mode {
                Mode::Truncate => CodeEffect::Overwrite { path },
                Mode::Append => CodeEffect::Append { path },
                Mode::Change => CodeEffect::Update { path },
            };
            self.emit(if glob { CodeEffect::Each { pattern, effect: Box::new(effect) } } else { effect });
        }
    }

    /// A text is written to a file. What the file holds then is known where it was emptied just now, for certain, and
    /// nothing happened in between but other known texts.
    pub(super) fn holds(&mut self, path: &Value, text: &Object) {
        let sure = self.maybe == 0 && path.as_known().is_some();
        let text = text.known().filter(|_| sure);
        let known = match (self.effects.last_mut(), text) {
            (Some(CodeEffect::Overwrite { path: emptied }), text) if emptied == path => text,
            (Some(CodeEffect::Holds { path: last, text: Some(held) }), Some(text)) if last == path => {
                held.push_str(&text);
                return;
            }
            _ => None,
        };
        if self
            .effects
            .iter()
            .any(|effect| matches!(effect, CodeEffect::Overwrite { path: known } if known == path))
        {
            self.emit(CodeEffect::Holds { path: path.clone(), text: known });
        }
    }

    /// `open(path, mode)` of most languages.
    pub(super) fn open(&mut self, arguments: &Arguments) -> Object {
        let target =
            arguments.get(0, &["file", "name", "path", "filename"]).cloned().unwrap_or(Object::Unknown);
        if self.language == Language::Ruby && self.ruby_command(&target) {
            return Object::Unknown;
        }
        if self.language == Language::Perl
            && arguments.list.len() == 1
            && self.perl_open_name(&target.known().unwrap_or_default())
        {
            return Object::Plain;
        }
        let mode = match arguments.get(1, &["mode", "filemode"]) {
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
        let names = target.wildcard().and_then(|pattern| self.sources.matching(&pattern));
        let handle = Object::Handle(match names {
            Some(names) if (1..=Value::MAX_CHOICES).contains(&names.len()) => Value::one_of(names),
            _ => target.word(),
        });
        if arguments.block.is_some() {
            return self.with_block(handle, arguments);
        }
        self.callbacks(arguments);
        handle
    }

    /// `shelve.open(path, flag)`, `dbm.open(path, flag)`: one file of that name, or several with endings.
    pub(super) fn open_shelf(&mut self, arguments: &Arguments) -> Object {
        let path = arguments.get(0, &["filename", "file"]).cloned().unwrap_or(Object::Unknown);
        let flag = arguments.get(1, &["flag"]).map(Object::known);
        if flag.is_some_and(|flag| flag.is_none_or(|flag| flag.contains('n'))) {
            for ending in ["", ".db", ".dat", ".dir", ".pag", ".bak"] {
                self.write(&path.then(&Object::text(ending)), Mode::Truncate);
            }
        }
        Object::Unknown
    }

    pub(super) fn perl_open(&mut self, arguments: &Arguments) -> Object {
        let Some(mode) = arguments.list.get(1) else { return Object::Plain };
        let Some(mode) = mode.known() else {
            self.perl_open_partly(&mode.word());
            return Object::Plain;
        };
        let mode = mode.trim();
        let rest = arguments.list.get(2..).unwrap_or_default();
        if rest.is_empty() {
            self.perl_open_name(mode);
            return Object::Plain;
        }
        if mode.starts_with("|-") || mode.starts_with("-|") {
            match rest {
                [one] if mode.starts_with('|') => {
                    self.emit(CodeEffect::Shell { text: fed(None, &one.word()) });
                }
                [one] => self.shell(one, None, None),
                list => self.run_words(list),
            }
        } else if let Some(how) = open_sign(mode) {
            self.write(&rest[0], how);
        }
        Object::Plain
    }

    /// Perl's `open` with no more than a name, which says by its signs what is done; tells whether it has any.
    pub(super) fn perl_open_name(&mut self, name: &str) -> bool {
        let name = name.trim();
        if let Some(command) = name.strip_prefix('|') {
            self.emit(CodeEffect::Shell { text: fed(None, &Value::known(command.trim())) });
        } else if let Some(command) = name.strip_suffix('|') {
            self.emit(CodeEffect::Shell { text: Value::known(command.trim()) });
        } else if let Some(how) = open_sign(name) {
            let path = name.trim_start_matches(['+', '<', '>']).trim().to_owned();
            self.write(&Object::text(path), how);
        } else {
            return false;
        }
        true
    }

    /// The same for a name of which only a part is known.
    pub(super) fn perl_open_partly(&mut self, name: &Value) -> bool {
        let prefix = name.prefix();
        let prefix = prefix.trim_start();
        if let Some(how) = open_sign(prefix) {
            self.write(&Object::Unknown, how);
        } else if prefix.starts_with('|') || name.suffix().trim_end().ends_with('|') {
            self.emit(CodeEffect::Shell { text: Value::Unknown });
        } else {
            return false;
        }
        true
    }

    /// Ruby runs a name behind `|`; tells whether this is one.
    pub(super) fn ruby_command(&mut self, name: &Object) -> bool {
        let value = name.word();
        let text = match value.as_known() {
            Some(text) => text.strip_prefix('|').map(Value::known),
            None => value.prefix().starts_with('|').then_some(Value::Unknown),
        };
        let runs = text.is_some();
        if let Some(text) = text {
            self.emit(CodeEffect::Shell { text });
        }
        runs
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
        Object::Native(_) | Object::Plain | Object::Nothing => None,
        _ => Some(Mode::Truncate),
    }
}
