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

    /// Which option a word is, and the value in it: a long one may be shortened as long as it is the only one that begins so,
    /// and behind a short one its value may follow at once.
    fn spoken<'w>(&self, word: &'w str) -> Option<(&str, Option<&'w str>)> {
        let (name, value) = match word.split_once('=').filter(|_| word.starts_with("--")) {
            Some((name, value)) => (name, Some(value)),
            None => (word, None),
        };
        let all = || self.asked.iter().flat_map(|one| one.names.iter().map(move |known| (one, known)));
        if let Some((one, _)) = all().find(|(_, known)| *known == name) {
            return Some((&one.key, value));
        }
        if name.starts_with("--") {
            let mut fit = all().filter(|(_, known)| known.starts_with(name)).map(|(one, _)| one.key.as_str());
            let first = fit.next()?;
            return fit.all(|other| other == first).then_some((first, value));
        }
        let attached = |(one, known): (&'_ Asked, &String)| {
            let short = known.len() == 2 && known.starts_with('-') && !one.flag;
            let rest = word.strip_prefix(known.as_str()).filter(|rest| short && !rest.is_empty())?;
            Some((one.key.clone(), rest))
        };
        let (key, rest) = all().find_map(attached)?;
        let one = self.asked.iter().find(|one| one.key == key)?;
        Some((&one.key, Some(rest)))
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
                match self.spoken(word)? {
                    (meant, value) if meant == asked.key => value.or_else(|| all.get(at + 1).copied()),
                    _ => None,
                }
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
    let default = named("default").cloned().unwrap_or(Object::Nothing);
    Some(Asked { names, key, default, flag, many, path })
}
