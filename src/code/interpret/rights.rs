//! Acts on modes and owners of files.

use crate::code::effect::CodeEffect;
use crate::code::library::Rights;
use crate::model::Value;

use super::{Arguments, Machine, Object};

impl Machine<'_> {
    /// Gives files other modes or owners.
    pub(super) fn give_rights(&mut self, rights: Rights, arguments: &Arguments) -> Object {
        let Rights { owner, first, recursive } = rights;
        let words = if owner { 2 } else { 1 };
        let files: Vec<Object> = if first {
            vec![arguments.get(0, &["path", "fd"]).cloned().unwrap_or(Object::Unknown)]
        } else {
            arguments.list.get(words..).unwrap_or_default().to_vec()
        };
        let given = if first { arguments.get(1, &["mode"]) } else { arguments.list.first() };
        let mode = given.filter(|_| !owner).and_then(Object::known).and_then(|text| octal(&text));
        // Options in the last place name no file.
        for file in files.iter().filter(|file| !matches!(file, Object::Map(_) | Object::Function(_))) {
            self.rights_of(file, mode.as_deref(), recursive);
        }
        self.callbacks(arguments);
        Object::Plain
    }

    /// One value may stand for many files.
    pub(super) fn rights_of(&mut self, file: &Object, mode: Option<&str>, recursive: bool) {
        let as_owner = mode.is_some_and(|mode| mode.len() == 4 && mode.starts_with(['4', '5', '6', '7']));
        for (path, glob) in file.paths() {
            // What is found below a directory may be found with the directory itself.
            if let Some(path) = path.as_known().filter(|_| glob).and_then(top) {
                self.emit(CodeEffect::Rights { path, recursive: false, as_owner });
            }
            let pattern = path.clone();
            let effect = CodeEffect::Rights { path, recursive, as_owner };
            self.emit(if glob { CodeEffect::Each { pattern, effect: Box::new(effect) } } else { effect });
        }
    }
}

/// A mode as `chmod` takes it.
fn octal(text: &str) -> Option<String> {
    let digits = text.trim_start_matches("0o").trim_start_matches("0O").trim_start_matches('0');
    let valid = !digits.is_empty() && digits.len() <= 4 && digits.bytes().all(|b| matches!(b, b'0'..=b'7'));
    valid.then(|| digits.to_owned())
}

/// The directory of which a pattern means all that is below.
fn top(pattern: &str) -> Option<Value> {
    match pattern {
        "**" => Some(Value::known(".")),
        _ => pattern.strip_suffix("/**").map(Value::known),
    }
}
