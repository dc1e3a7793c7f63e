//! Methods of path objects.

use crate::code::library::{self, Act};
use crate::model::Value;

use super::{Arguments, Machine, Object};

impl Machine<'_> {
    pub(super) fn path_method(&mut self, path: Object, name: &str, arguments: Arguments) -> Object {
        let Some(act) = library::method("path", name) else {
            return match name {
                "read_text" | "read" | "slurp" => self.file_text(&path),
                _ => Object::Plain,
            };
        };
        let found = |path: Object| {
            let (value, _) = path.value();
            Object::Many(Box::new(Object::Path { value, glob: true }))
        };
        match act {
            Act::Delete { tree } => {
                self.delete(&path, tree);
                Object::Plain
            }
            Act::Write(mode) => {
                self.write(&path, mode);
                if name == "write_text" && arguments.list.len() == 1 && arguments.named.is_empty() {
                    self.holds(&path.word(), &arguments.first());
                }
                Object::Plain
            }
            Act::Open => {
                let mut list = vec![path];
                list.extend(arguments.list);
                self.open(&Arguments { list, ..arguments })
            }
            Act::Rights(rights) => {
                let mut list = arguments.list;
                // The path stands where the file's name would.
                list.insert(if rights.first { 0 } else { list.len() }, path);
                self.give_rights(rights, &Arguments { list, ..arguments })
            }
            Act::Rename => {
                let to = arguments.first();
                self.transfer(true, &path, &to);
                let (value, glob) = to.value();
                Object::Path { value, glob }
            }
            Act::Copy => {
                self.transfer(false, &path, &arguments.first());
                Object::Plain
            }
            Act::Link { symbolic } => {
                let target = arguments.first().word();
                self.link(target, path.word(), symbolic);
                Object::Plain
            }
            Act::Glob => {
                let base = if name == "rglob" { path.slash(&Object::text("**")) } else { path };
                self.with_callable(found(base.slash(&arguments.first())), &arguments)
            }
            Act::Paths => self.with_callable(found(path.slash(&Object::text("*"))), &arguments),
            Act::Walk => self.with_callable(found(path.slash(&Object::text("**"))), &arguments),
            Act::Join => arguments.list.iter().fold(path, |path, next| path.slash(next)),
            Act::Home => self.at_home(path),
            Act::Same if matches!(name, "resolve" | "realpath") => self.real(path),
            Act::Same => path,
            Act::Directory => self.attribute(path, "parent"),
            Act::Path => Object::Path { value: Value::Unknown, glob: false },
            Act::Outside => Object::Unknown,
            _ => {
                self.unknown(format!(".{name}(…) of a path"));
                Object::Unknown
            }
        }
    }
}
