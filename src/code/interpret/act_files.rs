//! Acts on files, programs and the working directory.

use crate::code::effect::CodeEffect;
use crate::code::language::Language;
use crate::code::library::Mode;
use crate::model::Value;

use super::{Arguments, Machine, Object};

impl Machine<'_> {
    /// Deletes what the arguments name.
    pub(super) fn delete_all(&mut self, tree: bool, arguments: &Arguments) -> Object {
        let recursive = tree || arguments.keyword(&["recursive"]).is_some();
        let targets = match arguments.list.as_slice() {
            [] => vec![self.default_subject()],
            // A map in the first place is no set of options.
            [Object::Map(_)] => vec![Object::Unknown],
            list => {
                list.iter().filter(|o| !matches!(o, Object::Map(_) | Object::Function(_))).cloned().collect()
            }
        };
        let single =
            matches!(self.language, Language::Python | Language::Node | Language::Lua | Language::Php);
        for target in targets.into_iter().take(if single { 1 } else { usize::MAX }) {
            self.delete(&target, recursive);
        }
        self.callbacks(arguments);
        Object::Plain
    }

    /// Makes a directory, over another where the arguments say so.
    pub(super) fn make_anew(&mut self, name: &str, first: Object, arguments: &Arguments) -> Object {
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

    /// Writes the file that the first argument names.
    pub(super) fn write_first(&mut self, mode: Mode, arguments: &Arguments) -> Object {
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
        let plain =
            arguments.named.is_empty() && matches!(arguments.list.get(2), None | Some(Object::Text { .. }));
        if !appends
            && plain
            && let Some(text) = arguments.list.get(1)
        {
            self.holds(&target.word(), text);
        }
        self.callbacks(arguments);
        Object::Handle(target.word())
    }

    /// Writes the file that the argument at this place names, if there is one.
    pub(super) fn write_to(&mut self, place: usize, arguments: &Arguments) -> Object {
        if let Some(target) = arguments.get(place, &["filename", "file", "path", "dest"]).cloned() {
            self.write(&target, Mode::Truncate);
        }
        Object::Plain
    }

    /// Unpacks an archive, into the working directory where no other is named.
    pub(super) fn unpack(&mut self, archive: &Value, into: Option<&Object>) -> Object {
        let into = match into {
            None | Some(Object::Nothing) => Value::known("."),
            Some(directory) => directory.word(),
        };
        // What the program itself packed cannot be listed before it runs.
        match archive.as_known().filter(|path| !self.wrote(path)) {
            Some(_) => self.emit(CodeEffect::Unpack { archive: archive.clone(), into }),
            None => self.unknown("an archive is unpacked"),
        }
        Object::Plain
    }

    /// Reads files, and writes over them where it is told to.
    pub(super) fn edit_in_place(&mut self, arguments: &Arguments) -> Object {
        let plain = |mode: &Object| mode.known().is_some_and(|text| matches!(text.as_str(), "" | "0"));
        if arguments.keyword(&["inplace"]).is_some_and(|mode| !plain(mode)) {
            let files = arguments.get(0, &["files"]).cloned().unwrap_or(Object::Unknown);
            self.write(&files, Mode::Truncate);
        }
        Object::Unknown
    }

    /// Puts the first argument in the place of the second.
    pub(super) fn put(&mut self, moves: bool, first: Object, arguments: &Arguments) -> Object {
        let to = arguments.get(1, &["dst", "target"]).cloned().unwrap_or(Object::Unknown);
        self.transfer(moves, &first, &to);
        to
    }

    /// A shell reads the first argument.
    pub(super) fn shell_text(&mut self, first: Object, arguments: &Arguments) -> Object {
        self.environment_given(arguments);
        let input = arguments.keyword(&["input"]).map(|o| o.word());
        let directory =
            arguments.keyword(&["cwd"]).filter(|o| !matches!(o, Object::Nothing)).map(|o| o.word());
        self.shell(&first, input, directory);
        self.callbacks(arguments);
        Object::Unknown
    }

    /// The arguments are the words of a command.
    pub(super) fn run_all(&mut self, arguments: &Arguments) -> Object {
        let words = arguments.list.iter().flat_map(Object::elements_or_self).collect::<Vec<_>>();
        self.run_words(&words);
        Object::Unknown
    }

    /// Runs a program with the arguments as its words.
    pub(super) fn run_tool(&mut self, tool: &'static str, arguments: &Arguments) -> Object {
        let mut words = vec![Object::text(tool)];
        let paths = arguments.list.iter().flat_map(Object::paths);
        words.extend(paths.map(|(value, glob)| Object::Text { value, glob }));
        self.run_words(&words);
        Object::Unknown
    }

    /// Makes the second argument another name of the first.
    pub(super) fn make_link(&mut self, symbolic: bool, first: Object, arguments: &Arguments) -> Object {
        let at = arguments.get(1, &["dst", "path"]).cloned().unwrap_or(Object::Unknown);
        self.link(first.word(), at.word(), symbolic);
        Object::Plain
    }

    /// Changes the working directory, for the block behind it if there is one.
    pub(super) fn change_directory(&mut self, first: Object, arguments: &Arguments) -> Object {
        let path = match &first {
            // A directory that is open.
            Object::Handle(path) => path.clone(),
            other => other.word(),
        };
        self.emit(CodeEffect::ChangeDirectory { path });
        if let Some(block) = &arguments.block {
            self.apply(block, vec![first]);
        }
        Object::Plain
    }

    /// Ends the program where it is sure to come here.
    pub(super) fn exit(&mut self) -> Object {
        if self.maybe == 0 {
            self.ended = true;
        }
        Object::Plain
    }

    /// Runs code in a text.
    pub(super) fn run_code(&mut self, name: &str, first: Object, arguments: &Arguments) -> Object {
        match name {
            // The parameters stand before the body.
            "Function" => {
                let body = arguments.list.last().cloned().unwrap_or(Object::text(""));
                self.code(&body)
            }
            _ => self.code(&first),
        }
    }
}
