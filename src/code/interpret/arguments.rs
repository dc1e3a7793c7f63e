//! `argparse`: what a program calls the words of its command line, and which of them is which.

use crate::code::language::Language;
use crate::model::Value;

use super::{Arguments, Machine, Object};

/// One word or option that a program asks for.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    names: Vec<String>,
    key: String,
    default: Object,
    /// It says yes or no, or counts.
    flag: bool,
    many: bool,
    path: bool,
}

impl Machine<'_> {
    /// A call of a parser of the command line; `None` when it is none.
    pub(super) fn command_line(&mut self, method: &str, arguments: &Arguments) -> Option<Object> {
        if self.language != Language::Python {
            return None;
        }
        match method {
            "add_argument" => {
                self.asked.extend(asked(arguments));
                Some(Object::Plain)
            }
            "parse_args" if !self.asked.is_empty() => Some(self.parsed()),
            "parse_known_args" if !self.asked.is_empty() => {
                Some(Object::List(vec![self.parsed(), Object::Unknown]))
            }
            _ => None,
        }
    }

    fn parsed(&self) -> Object {
        let entries = self.asked.iter().map(|asked| (asked.key.clone(), self.given(asked)));
        Object::Map(entries.collect())
    }

    /// What the command line says for it.
    fn given(&self, asked: &Asked) -> Object {
        if asked.flag {
            return Object::Plain;
        }
        let all: Option<Vec<&str>> = self.arguments.iter().map(Value::as_known).collect();
        let Some(all) = all else { return Object::Unknown };
        let named = asked.names.first().is_some_and(|name| name.starts_with('-'));
        let found: Vec<&str> = if named {
            let at = |at: usize| {
                let word = *all.get(at)?;
                let attached =
                    asked.names.iter().find_map(|name| word.strip_prefix(name.as_str())?.strip_prefix('='));
                let next =
                    || asked.names.iter().any(|name| *name == word).then(|| all.get(at + 1).copied())?;
                attached.or_else(next)
            };
            (0..all.len()).filter_map(at).collect()
        } else {
            all.iter().copied().filter(|word| !word.starts_with('-')).collect()
        };
        let object = |text: &str| match asked.path {
            true => Object::Path { value: Value::known(text), glob: false },
            false => Object::text(text),
        };
        match found.as_slice() {
            [] => asked.default.clone(),
            [.., last] if named && !asked.many => object(last),
            list => {
                let any = Object::any(list.iter().map(|text| object(text)).collect());
                if asked.many { Object::Many(Box::new(any)) } else { any }
            }
        }
    }
}

fn asked(arguments: &Arguments) -> Option<Asked> {
    let names: Vec<String> = arguments.list.iter().filter_map(Object::known).collect();
    let named = |key: &str| arguments.keyword(&[key]);
    let long = names.iter().find(|name| name.starts_with("--")).or_else(|| names.first())?;
    let key = named("dest").and_then(Object::known);
    let key = key.unwrap_or_else(|| long.trim_start_matches('-').replace('-', "_"));
    let action = named("action").and_then(Object::known);
    let flag = action.is_some_and(|action| !matches!(action.as_str(), "store" | "append" | "extend"));
    let path = matches!(named("type"), Some(Object::Native(name)) if name.ends_with("Path"));
    let many = named("nargs").is_some();
    let default = named("default").cloned().unwrap_or(Object::Plain);
    Some(Asked { names, key, default, flag, many, path })
}
