//! Files that a program gets as input without opening them by name: Perl's `<>`, Ruby's `ARGF`, and what `-n`, `-p` and
//! `-i` do with them. Owns names there that are more than names, and editing in place that code switches on.

use crate::code::effect::CodeEffect;
use crate::code::language::Language;
use crate::code::library::Mode;
use crate::code::sources::Reading;
use crate::model::Value;

use super::{Machine, Object};

/// What is known of the input.
#[derive(Debug)]
pub(super) struct Inputs {
    reading: Reading,
    /// Files that were opened already.
    opened: Vec<Value>,
}

impl Inputs {
    pub(super) fn new(reading: Reading) -> Self {
        Self { reading, opened: Vec::new() }
    }

    /// A runner of tests loads the program.
    pub(super) fn tests(&self) -> bool {
        self.reading.tests
    }
}

impl Machine<'_> {
    /// The loop over lines that `-n` and `-p` put around the program.
    pub(super) fn lines(&mut self) {
        if self.inputs.reading.lines || self.language == Language::Ruby {
            self.input();
        }
    }

    /// What a known function reads that is not the program's own.
    pub(super) fn outside(&mut self, name: &str, first: &Object) -> Object {
        if let Some(known) = self.environment_read(name, first) {
            return known;
        }
        match self.language {
            Language::Node if name.ends_with("readFileSync") || name.ends_with("readTextFileSync") => {
                return self.file_text(first);
            }
            Language::Ruby if name == "File.read" => return self.file_text(first),
            Language::Perl if name.ends_with("readline") => return self.input(),
            Language::Ruby if name.starts_with("IO.") => {
                self.ruby_command(first);
            }
            _ => {}
        }
        Object::Unknown
    }

    /// Lines of the files that the operands, or the program in their place, name.
    pub(super) fn input(&mut self) -> Object {
        let (list, switch) = match self.language {
            Language::Perl => ("@ARGV", ["$^I", "$^I"]),
            Language::Ruby => ("ARGV", ["$-i", "ARGF.inplace_mode"]),
            _ => return Object::Unknown,
        };
        let suffix = switch.iter().find_map(|name| self.get(name).cloned());
        let own = self.get(list).is_some();
        let in_place = suffix.is_some() || own && self.inputs.reading.in_place;
        if !in_place && self.language != Language::Perl {
            return Object::Unknown;
        }
        for (name, glob) in self.named(list).elements_or_self().iter().flat_map(Object::paths) {
            if self.inputs.opened.contains(&name) {
                continue;
            }
            let magic = self.language == Language::Perl
                && match name.as_known() {
                    Some(text) => self.perl_open_name(text),
                    None => self.perl_open_partly(&name),
                };
            let declared = self.inputs.reading.in_place && self.arguments.contains(&name);
            if !magic && in_place && !declared {
                self.edited(&name, glob, suffix.as_ref());
            }
            if magic || in_place {
                self.inputs.opened.push(name);
            }
        }
        Object::Unknown
    }

    /// A file that is read and whose place is taken by what is printed meanwhile.
    fn edited(&mut self, name: &Value, glob: bool, suffix: Option<&Object>) {
        let suffix = suffix.and_then(Object::known).filter(|suffix| !suffix.is_empty());
        if let (Some(path), Some(suffix), false) = (name.as_known(), suffix, glob)
            && !suffix.contains(['*', '/'])
        {
            let to = Value::known(format!("{path}{suffix}"));
            self.emit(CodeEffect::Copy { from: name.clone(), to });
        }
        let file =
            if glob { Object::pattern(name.clone()) } else { Object::Text { value: name.clone(), glob } };
        self.write(&file, Mode::Change);
    }
}
