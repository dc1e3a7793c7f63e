//! A call's arguments, bound to the names that a declaration gives them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value as Json};

use super::name::snake;
use crate::knowledge::{Condition, McpTool, Piece, Template};
use crate::model::Value;

/// How many values one argument may hold; past it the call is not followed.
pub(super) const VALUES: usize = 1000;

/// Arguments of a call as a tool declares them.
#[derive(Debug, Default)]
pub(super) struct Bound {
    /// Key → the values given, in order. An argument that is absent, null or empty has none.
    values: BTreeMap<String, Vec<String>>,
    /// Key → the value as it was given.
    given: BTreeMap<String, Json>,
    /// Keys that were given under the name of several things (`commands`).
    several: BTreeSet<String>,
    /// Key → role.
    roles: BTreeMap<String, String>,
    /// Arguments that the declaration does not know.
    pub(super) unlisted: Map<String, Json>,
    /// An argument holds more values than are followed.
    pub(super) too_many: bool,
}

/// Why a template could not be filled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unfilled {
    /// The argument is not there.
    Missing(String),
    /// Its value would be read as an option.
    Option(String),
}

impl Bound {
    pub(super) fn of(tool: &McpTool, arguments: &Map<String, Json>) -> Self {
        let opened = opened(tool, arguments);
        let arguments = opened.as_ref().unwrap_or(arguments);
        let mut bound = Self { unlisted: arguments.clone(), ..Self::default() };
        for arg in &tool.args {
            for name in &arg.names {
                let found = look_up(arguments, name);
                if found.is_empty() {
                    continue;
                }
                let top = name.split('.').next().unwrap_or(name);
                if name.ends_with('s') {
                    bound.several.insert(arg.key.clone());
                }
                bound.unlisted.retain(|key, _| snake(key) != top);
                if found.iter().all(|value| is_absent(value)) {
                    continue;
                }
                // Given under two names, both count: which one the server takes is not known.
                let values = bound.values.entry(arg.key.clone()).or_default();
                values.extend(found.iter().flat_map(|value| texts(value)));
                bound.too_many |= values.len() > VALUES;
                if let [only] = found.as_slice() {
                    bound.given.insert(arg.key.clone(), (*only).clone());
                }
                if let Some(role) = &arg.role {
                    bound.roles.insert(arg.key.clone(), role.clone());
                }
            }
        }
        bound
    }

    /// Values of an argument.
    pub(super) fn get(&self, key: &str) -> &[String] {
        self.values.get(key).map(Vec::as_slice).unwrap_or_default()
    }

    /// The value as it was given, when there is just one.
    pub(super) fn given(&self, key: &str) -> Option<&Json> {
        self.given.get(key)
    }

    /// It was given under a name in the plural.
    pub(super) fn is_several(&self, key: &str) -> bool {
        self.several.contains(key)
    }

    /// Arguments of a role, with their keys.
    pub(super) fn of_role<'a>(&'a self, role: &'a str) -> impl Iterator<Item = &'a str> {
        self.roles.iter().filter(move |(_, own)| *own == role).map(|(key, _)| key.as_str())
    }

    /// All keys with their roles.
    pub(super) fn roles(&self) -> impl Iterator<Item = (&str, &str)> {
        self.roles.iter().map(|(key, role)| (key.as_str(), role.as_str()))
    }

    /// The only value of the argument with this role.
    pub(super) fn one(&self, role: &str) -> Option<&str> {
        let key = self.of_role(role).next()?;
        self.get(key).first().map(String::as_str)
    }

    /// It is there and not switched off.
    pub(super) fn is_on(&self, key: &str) -> bool {
        let values = self.get(key);
        !values.is_empty() && values.iter().any(|text| !is_off(text))
    }

    /// Whether all conditions hold and none of `unless` does.
    pub(super) fn holds(&self, all: &[Condition], unless: &[Condition]) -> bool {
        let one = |condition: &Condition| {
            condition.any.iter().any(|atom| match &atom.value {
                None => self.is_on(&atom.key),
                Some(wanted) => self.get(&atom.key).iter().any(|text| text.eq_ignore_ascii_case(wanted)),
            })
        };
        all.iter().all(one) && !unless.iter().any(one)
    }

    /// The texts of a template: one per value of the argument that has several.
    pub(super) fn fill(&self, template: &Template) -> Result<Vec<String>, Unfilled> {
        let mut texts = vec![String::new()];
        for piece in &template.pieces {
            match piece {
                Piece::Text(text) => texts.iter_mut().for_each(|own| own.push_str(text)),
                Piece::Value { name, default, part } => {
                    let values = self.get(name);
                    if values.is_empty() {
                        let default = default.as_ref().ok_or_else(|| Unfilled::Missing(name.clone()))?;
                        texts.iter_mut().for_each(|own| own.push_str(default));
                        continue;
                    }
                    // The words of one command line, given one by one.
                    let line = (values.len() > 1 && self.roles.get(name).is_some_and(|role| role == "text"))
                        .then(|| [shell_words::join(values)]);
                    let values = line.as_ref().map_or(values, |line| line.as_slice());
                    texts = texts
                        .iter()
                        .flat_map(|own| values.iter().map(move |value| format!("{own}{}", part.of(value))))
                        .take(VALUES)
                        .collect();
                }
            }
        }
        Ok(texts)
    }

    /// Words of a command line. A value that would be read as an option is refused, unless it is meant as words.
    pub(super) fn fill_word(&self, template: &Template) -> Result<Vec<String>, Unfilled> {
        let texts = self.fill(template)?;
        if let Some(Piece::Value { name, .. }) = template.pieces.first()
            && !self.roles.get(name).is_some_and(|role| matches!(role.as_str(), "args" | "argv" | "text"))
            && texts.iter().any(|text| text.starts_with('-') && text.len() > 1)
        {
            return Err(Unfilled::Option(name.clone()));
        }
        Ok(texts)
    }
}

/// A value as text, for templates of named targets.
pub(super) fn known(text: &str) -> Value {
    Value::known(text)
}

/// The arguments with those that a declaration looks into read, where they were given as JSON in a text.
fn opened(tool: &McpTool, arguments: &Map<String, Json>) -> Option<Map<String, Json>> {
    let names = || tool.args.iter().flat_map(|arg| &arg.names).filter_map(|name| name.split_once('.'));
    let mut opened = None;
    for (name, value) in arguments {
        let Some(text) = value.as_str().filter(|text| text.trim_start().starts_with(['{', '['])) else {
            continue;
        };
        if names().any(|(first, _)| first == snake(name))
            && let Ok(inner) = serde_json::from_str::<Json>(text)
        {
            opened.get_or_insert_with(|| arguments.clone()).insert(name.clone(), inner);
        }
    }
    opened
}

/// The values at a dotted name; lists on the way are walked.
fn look_up<'a>(arguments: &'a Map<String, Json>, name: &str) -> Vec<&'a Json> {
    let mut steps = name.split('.');
    let first = steps.next().unwrap_or(name);
    let mut found: Vec<&Json> =
        arguments.iter().filter(|(key, _)| snake(key) == first).map(|(_, value)| value).collect();
    for step in steps {
        found = found
            .into_iter()
            .flat_map(|value| match value {
                Json::Array(list) => list.iter().collect(),
                other => vec![other],
            })
            .filter_map(Json::as_object)
            .flat_map(|map| map.iter().filter(|(key, _)| snake(key) == step).map(|(_, value)| value))
            .collect();
    }
    found
}

fn is_absent(value: &Json) -> bool {
    match value {
        Json::Null => true,
        Json::Array(list) => list.is_empty(),
        _ => false,
    }
}

/// A value's texts: each element of a list; an object as its JSON.
pub(super) fn texts(value: &Json) -> Vec<String> {
    match value {
        Json::Null => Vec::new(),
        Json::String(text) => vec![text.clone()],
        Json::Array(list) => list.iter().flat_map(texts).take(VALUES + 1).collect(),
        other => vec![other.to_string()],
    }
}

/// A switch given as off.
pub(super) fn is_off(text: &str) -> bool {
    matches!(text.to_ascii_lowercase().as_str(), "" | "false" | "0" | "no" | "none" | "off" | "null")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn bound(args: &[&str], call: Json) -> Bound {
        let tool = McpTool {
            args: args.iter().map(|text| (*text).to_owned().try_into().unwrap()).collect(),
            ..McpTool::default()
        };
        Bound::of(&tool, call.as_object().unwrap())
    }

    #[test]
    fn names_lists_and_nested_values() {
        let found = bound(
            &["path file_path=path", "force", "files.path", "n"],
            json!({"filePath": "a", "force": false, "files": [{"path": "x"}, {"path": "y"}], "n": null, "other": 1}),
        );
        assert_eq!(found.get("path"), ["a"]);
        assert_eq!(found.get("files.path"), ["x", "y"]);
        assert!(!found.is_on("force") && found.get("n").is_empty());
        assert_eq!(found.unlisted.keys().collect::<Vec<_>>(), ["other"]);
        let template = Template::try_from("s3://{path}/{files.path}".to_owned()).unwrap();
        assert_eq!(found.fill(&template).unwrap(), ["s3://a/x", "s3://a/y"]);
        assert_eq!(
            found.fill(&Template::try_from("{n}".to_owned()).unwrap()),
            Err(Unfilled::Missing("n".to_owned()))
        );
    }

    #[test]
    fn a_value_never_becomes_an_option() {
        let found = bound(&["path=path", "more=args"], json!({"path": "--help", "more": ["-r"]}));
        let word = |text: &str| found.fill_word(&Template::try_from(text.to_owned()).unwrap());
        assert_eq!(word("{path}"), Err(Unfilled::Option("path".to_owned())));
        assert_eq!(word("./{path}").unwrap(), ["./--help"]);
        assert_eq!(word("{more}").unwrap(), ["-r"]);
    }
}
