//! Paths that start at a person's home directory, or hold variables of the environment: `expanduser`, `expandvars`,
//! `File.expand_path`, Perl's `glob "~/*"`.
//!
//! Owns what such a path is; a home that nobody can tell, and another user's, is unknown.

use super::{Machine, Object};
use crate::model::Value;

impl Machine<'_> {
    /// `~` at the beginning of a path is the home directory.
    pub(super) fn at_home(&self, object: Object) -> Object {
        match object {
            Object::Text { value, glob } => Object::Text { value: self.home_in(value), glob },
            Object::Path { value, glob } => Object::Path { value: self.home_in(value), glob },
            Object::Either(list) => Object::any(list.into_iter().map(|one| self.at_home(one)).collect()),
            other => other,
        }
    }

    /// The same for a path alone.
    pub(super) fn home_in(&self, value: Value) -> Value {
        let texts = match &value {
            Value::Affix { prefix, suffix } if prefix.starts_with('~') => {
                return match self.below_home(prefix).filter(|_| prefix.contains('/')) {
                    Some(prefix) => Value::Affix { prefix, suffix: suffix.clone() },
                    None => Value::Unknown,
                };
            }
            _ => value.choices(),
        };
        let Some(texts) = texts.filter(|texts| texts.iter().any(|text| text.starts_with('~'))) else {
            return value;
        };
        let whole: Option<Vec<String>> = texts.iter().map(|text| self.below_home(text)).collect();
        whole.map_or(Value::Unknown, Value::one_of)
    }

    fn below_home(&self, text: &str) -> Option<String> {
        let Some(rest) = text.strip_prefix('~') else { return Some(text.to_owned()) };
        if !rest.is_empty() && !rest.starts_with('/') {
            return None;
        }
        Some(format!("{}{rest}", self.sources.home()?))
    }

    /// `expandvars`: the home directory by its variable; what another variable stands for is not known.
    pub(super) fn with_variables(&self, object: Object) -> Object {
        let (value, glob) = object.value();
        let Some(texts) = value.choices().filter(|texts| texts.iter().any(|text| text.contains('$'))) else {
            return object;
        };
        let fill = |text: &String| {
            let home = if text.contains("HOME") { self.sources.home()? } else { String::new() };
            let text = text.replace("${HOME}", &home);
            let text = match text.strip_prefix("$HOME") {
                Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{home}{rest}"),
                _ => text,
            };
            (!text.contains('$')).then_some(text)
        };
        let whole: Option<Vec<String>> = texts.iter().map(fill).collect();
        Object::Text { value: whole.map_or(Value::Unknown, Value::one_of), glob }
    }

    /// `File.expand_path(path, directory)`.
    pub(super) fn expanded_path(&self, path: Object, directory: Option<&Object>) -> Object {
        let absolute = path.known().is_some_and(|text| text.starts_with(['/', '~']));
        match directory.filter(|_| !absolute) {
            Some(directory) => {
                let (value, glob) = self.at_home(directory.clone()).slash(&path).value();
                Object::Text { value: value.map(without_parents), glob }
            }
            None => self.at_home(path),
        }
    }
}

/// A path with `..` taken out as text, as `expand_path` does it.
fn without_parents(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match (part, kept.last()) {
            (".", _) => {}
            ("..", Some(&last)) if !matches!(last, "" | "..") => {
                kept.pop();
            }
            ("..", Some(&"")) if kept.len() == 1 => {}
            _ => kept.push(part),
        }
    }
    match kept.as_slice() {
        [] => ".".to_owned(),
        [""] => "/".to_owned(),
        parts => parts.join("/"),
    }
}

#[cfg(test)]
mod tests {
    use super::without_parents;

    #[test]
    fn parents_are_taken_out_of_the_text() {
        for (path, plain) in [
            ("lib/tool.rb/../../data", "data"),
            ("/a/b/../c/./d", "/a/c/d"),
            ("/..", "/"),
            ("../x", "../x"),
            ("a/..", "."),
        ] {
            assert_eq!(without_parents(path), plain);
        }
    }
}
