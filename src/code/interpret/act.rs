//! What known functions do.

use crate::code::language::Language;
use crate::code::library::Act;
use crate::model::Value;

use super::remote::is_made;
use super::shapes::Order;
use super::{Arguments, Machine, Object};

impl Machine<'_> {
    /// Performs a known function.
    pub(super) fn perform(&mut self, name: &str, act: Act, arguments: Arguments) -> Object {
        let first = arguments.first();
        match act {
            Act::Plain => self.plain(&arguments),
            Act::Handed => {
                self.hand_over(&arguments);
                self.callbacks(&arguments);
                Object::Unknown
            }
            Act::Outside => self.told_outside(name, first, &arguments),
            Act::Same if name.ends_with("realpath") => self.real(first),
            Act::Same => self.same(name, first, &arguments),
            Act::Text => Self::as_text(first),
            Act::Delete { tree } => self.delete_all(tree, &arguments),
            Act::Anew => self.make_anew(name, first, &arguments),
            Act::Write(mode) => self.write_first(mode, &arguments),
            Act::Table => self.write_table(&arguments),
            Act::WriteTo(place) => self.write_to(place, &arguments),
            Act::Unpack => self.unpack(&first.word(), arguments.get(1, &["extract_dir"])),
            Act::InPlace => self.edit_in_place(&arguments),
            Act::Open if name.starts_with("shelve.") || name.starts_with("dbm.") => {
                self.open_shelf(&arguments)
            }
            Act::Open => self.open(&arguments),
            Act::PerlOpen if name.starts_with("POSIX::") => self.open(&arguments),
            Act::PerlOpen => self.perl_open(&arguments),
            Act::Rights(rights) => self.give_rights(rights, &arguments),
            Act::Rename | Act::Copy => self.put(act == Act::Rename, first, &arguments),
            Act::Shell => self.shell_text(first, &arguments),
            Act::System => self.system(&arguments),
            Act::Words => self.run_all(&arguments),
            Act::Exec => self.exec(name, &arguments),
            Act::Process => self.process(&arguments),
            Act::Tool(tool) if is_made(name) => self.run_tool(tool, &arguments.of_somebody()),
            Act::Tool(tool) => self.run_tool(tool, &arguments),
            Act::Link { symbolic } => self.make_link(symbolic, first, &arguments),
            Act::ChangeDirectory => self.change_directory(first, &arguments),
            Act::Exit => self.exit(),
            Act::Code => self.run_code(name, first, &arguments),
            Act::File { beside } => self.load_file(&first, beside),
            Act::Element => Object::any(first.elements().0),
            Act::Load => self.load(&first),
            Act::Join => Self::joined(&arguments),
            Act::Directory => Self::directory_of(first),
            Act::Home => self.home_of(name, first, &arguments),
            Act::Variables => self.with_variables(first),
            Act::Expand => self.expanded_path(first, arguments.list.get(1)),
            Act::Base => Self::base_of(first),
            Act::Glob => self.matching(name, &arguments),
            Act::Entries => self.names_in(&arguments),
            Act::Paths => self.paths_in(first, &arguments),
            Act::Walk => Self::all_below(first),
            Act::Pairs => Self::numbered(first),
            Act::Find => self.find_below(first, &arguments),
            Act::Numbers => Self::range_of(&arguments),
            Act::Path => Self::path_of(&arguments),
            Act::Temporary => self.temporary(&arguments),
            Act::Database(dialect) => self.database_of(dialect, first, &arguments),
            Act::Query => self.query_of(first, &arguments),
            Act::Attribute => self.attribute_of(first, &arguments),
            Act::Each { function, list } => self.for_each(function, list, &arguments),
            Act::Apply => self.applied(first, &arguments),
            Act::Format => Self::formatted(first, &arguments),
            Act::Decode => Self::decoded(name, &first, &arguments),
            Act::Character => self.characters(&arguments),
            Act::Bytes | Act::Lower | Act::Upper | Act::Backwards | Act::Trim => {
                self.shaped(act, first, &arguments)
            }
            Act::Disorder => self.same(name, first, &arguments).ordered(Order::Any),
            Act::Concatenate => self.concatenated(first, &arguments),
            Act::Shift => self.shift(&arguments),
            // `vars(os)` holds the names of the module.
            Act::Namespace if matches!(first, Object::Native(_)) => first,
            Act::Namespace => self.namespace(),
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
    pub(super) fn split_patterns(&self, (value, glob): (Value, bool)) -> Vec<(Value, bool)> {
        match value.as_known() {
            Some(text) if self.language == Language::Perl => {
                text.split_whitespace().map(|one| (Value::known(one), glob)).collect()
            }
            _ => vec![(value, glob)],
        }
    }

    /// `$_` where Perl takes it.
    pub(super) fn default_subject(&self) -> Object {
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
