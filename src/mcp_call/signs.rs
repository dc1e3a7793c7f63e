//! What the arguments of a call suggest.

use serde_json::{Map, Value as Json};

use super::Act;
use super::arguments::{VALUES, is_off, texts};
use super::known::{code, command};
use super::name::snake;
use super::words::{self, Verb};
use crate::knowledge::{changes_by_query, changes_by_sql, is_no_sentence, is_sql, tool_words};
use crate::model::Value;

/// What the arguments of an unknown tool suggest.
#[derive(Debug, Default)]
pub(super) struct Signs {
    /// Commands, SQL and code in them.
    pub(super) acts: Vec<Act>,
    /// Why they look as if they changed something.
    pub(super) mutating: Vec<String>,
    /// A switch that makes it worse is on.
    pub(super) forced: bool,
    /// What an argument says is done (`"method": "GET"`), by its verb.
    pub(super) act: Option<Verb>,
    /// The tool's name says that it reads: what is searched for may be a sentence.
    searching: bool,
}

/// Looks through all arguments.
pub(super) fn of(arguments: &Map<String, Json>, verb: Verb) -> Signs {
    let mut signs = Signs { searching: verb == Verb::Reads, ..Signs::default() };
    let language =
        arguments.iter().find(|(name, _)| snake(name) == "language").and_then(|(_, value)| value.as_str());
    let args: Vec<String> = arguments
        .iter()
        .filter(|(name, _)| matches!(snake(name).as_str(), "args" | "arguments" | "argv"))
        .flat_map(|(_, value)| texts(value))
        .collect();
    let mut left = VALUES;
    for (name, value) in arguments {
        signs.look(&snake(name), value, language, &args, 0, &mut left);
    }
    signs
}

impl Signs {
    fn look(
        &mut self,
        name: &str,
        value: &Json,
        language: Option<&str>,
        args: &[String],
        depth: usize,
        left: &mut usize,
    ) {
        let Some(fewer) = left.checked_sub(1).filter(|_| depth < 16) else {
            self.mutating.push("its arguments are too large to be looked through".to_owned());
            *left = 0;
            return;
        };
        *left = fewer;
        let lists = &tool_words().arguments;
        let said = super::shorten(name, 40);
        let texts = texts(value);
        let is_scalar = !value.is_object() && !value.is_array();
        if lists.shell.has(name) && !value.is_object() {
            self.acts.extend(command(name.ends_with('s'), &texts, args));
            return;
        }
        let is_query = |text: &String| is_sql(text) && (!self.searching || is_no_sentence(text));
        if (lists.sql.has(name) || (matches!(name, "query" | "q") && texts.iter().any(is_query)))
            && !value.is_object()
        {
            self.acts.extend(texts.into_iter().map(|text| Act::Sql {
                dialect: "sql",
                database: Value::known(""),
                text,
            }));
            return;
        }
        if lists.code.has(name)
            && let Some(text) = value.as_str()
            && text.contains([' ', '(', '\n', '='])
        {
            let language = language.unwrap_or(match name {
                "javascript" | "js" => "javascript",
                "python" | "python_code" => "python",
                _ => "",
            });
            match code(language, text) {
                Some(act) => self.acts.push(act),
                None => self.mutating.push(format!("`{said}` holds code")),
            }
            return;
        }
        let on = texts.iter().any(|text| !is_off(text));
        let deletes =
            value == &Json::Bool(true) && name.split('_').any(|word| tool_words().verbs.deletes.has(word));
        if (lists.switches.has(name) && on && is_scalar) || deletes {
            self.forced = true;
            self.mutating.push(format!("`{said}` is on"));
        } else if lists.writes.has(name) && on {
            self.mutating.push(format!("`{said}` names a place that is written"));
        } else if lists.content.has(name) && on {
            self.mutating.push(format!("`{said}` hands something over"));
        } else if lists.acts.has(name)
            && let Some(text) = value.as_str()
            && depth == 0
            && lists.reading_acts.has(&text.to_ascii_lowercase())
        {
            self.act = self.act.or(Some(Verb::Reads));
        } else if lists.acts.has(name)
            && let Some(text) = value.as_str()
        {
            let (act, _) = words::verb(&super::name::words(text));
            self.act = Some(if act == Verb::Reads { Verb::Unknown } else { act });
            self.mutating.push(format!("`{said}` is {}", super::shorten(text, 20)));
        }
        match value {
            Json::Object(map) => {
                for (name, value) in map {
                    self.look(&snake(name), value, language, args, depth + 1, left);
                }
            }
            Json::Array(list) => {
                for value in list {
                    self.look(name, value, language, args, depth + 1, left);
                }
            }
            Json::String(text) => {
                if text.len() > 400 || text.contains('\n') {
                    self.mutating.push(format!("`{said}` holds a long text"));
                } else if looks_run(text) {
                    self.mutating.push(format!("`{said}` looks like a command"));
                } else if changes_by_query(text) {
                    self.mutating.push(format!("`{said}` looks like a query that changes something"));
                } else if changes_by_sql(text) {
                    self.mutating.push(format!("`{said}` looks like SQL that changes something"));
                }
            }
            _ => {}
        }
    }
}

/// Whether an argument holds a path, a command, code or a switch that is on.
pub(super) fn could_act(arguments: &Map<String, Json>) -> bool {
    arguments.iter().any(|(name, value)| acts(&snake(name), value, 0))
}

fn acts(name: &str, value: &Json, depth: usize) -> bool {
    let lists = &tool_words().arguments;
    let on = || texts(value).iter().any(|text| !is_off(text));
    let named = [&lists.shell, &lists.sql, &lists.code, &lists.switches, &lists.writes, &lists.paths];
    if depth > 16 || (named.iter().any(|list| list.has(name)) && on()) {
        return true;
    }
    match value {
        Json::Object(map) => map.iter().any(|(name, value)| acts(&snake(name), value, depth + 1)),
        Json::Array(list) => list.iter().any(|value| acts(name, value, depth + 1)),
        Json::Bool(true) => name.split('_').any(|word| tool_words().verbs.deletes.has(word)),
        Json::String(_) if lists.prose.has(name) => false,
        Json::String(text) => {
            let path = ["/", "~", "./", "../", "file:"].iter().any(|start| text.starts_with(start))
                || (text.contains('/') && !text.contains("://") && !text.contains(char::is_whitespace));
            path || text.contains('\n') || looks_run(text) || changes_by_query(text) || changes_by_sql(text)
        }
        _ => false,
    }
}

/// An argument beside a command line that may be a part of it: `resourceType` beside `command`.
pub(super) fn part_of_command(unlisted: &Map<String, Json>) -> Option<String> {
    let lists = &tool_words().arguments;
    let mut given = unlisted.iter();
    let found = given.find(|(name, value)| {
        !lists.beside_commands.has(&snake(name)) && texts(value).iter().any(|text| !is_off(text))
    });
    found.map(|(name, _)| name.clone())
}

/// An argument that a known tool does not have and that would run, write or delete something.
pub(super) fn suspicious(unlisted: &Map<String, Json>) -> Option<(String, &'static str)> {
    let lists = &tool_words().arguments;
    unlisted.iter().find_map(|(name, value)| {
        let plain = snake(name);
        let plain = plain.as_str();
        let on = texts(value).iter().any(|text| !is_off(text));
        let why = if !on {
            return None;
        } else if lists.shell.has(plain) || lists.unlisted_runs.has(plain) {
            "it may be run"
        } else if lists.writes.has(plain) {
            "it may be written to"
        } else if lists.unlisted_deletes.has(plain) {
            "it may delete something"
        } else {
            return None;
        };
        Some((name.clone(), why))
    })
}

/// Names of arguments that hold secrets.
pub(super) fn is_secret(name: &str) -> bool {
    let lists = &tool_words().arguments;
    lists.secret_words.iter().any(|word| name == word || name.ends_with(&format!("_{word}")))
        || lists.secret_ends.iter().any(|end| name.ends_with(end))
}

fn looks_run(text: &str) -> bool {
    let signs = ["$(", "`", "&& ", "|| ", "; rm ", "| sh", "| bash", "rm -r", "sudo "];
    signs.iter().any(|sign| text.contains(sign)) || text.starts_with("rm ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_give_themselves_away() {
        let of = |value: Json| of(value.as_object().unwrap(), Verb::Reads);
        assert!(of(json!({"id": 3, "page": {"limit": 10}})).mutating.is_empty());
        for bad in [
            json!({"options": {"force": true}}),
            json!({"x": "DROP TABLE users"}),
            json!({"x": "a; rm -rf /"}),
            json!({"method": "DELETE"}),
            json!({"body": "hi"}),
            json!({"outputPath": "/etc/x"}),
            json!({"clear": true}),
            json!({"q": "mutation($id: ID!) { deleteUser(id: $id) { id } }"}),
            json!({"q": "MATCH (n) DETACH DELETE n"}),
            json!({"q": "g.V().drop()"}),
            json!({"q": "db.users.deleteMany({})"}),
        ] {
            assert!(!of(bad.clone()).mutating.is_empty(), "{bad}");
        }
        for fine in [
            json!({"query": "drop shipping"}),
            json!({"query": "delete a git branch"}),
            json!({"query": "update on war"}),
            json!({"query": "match point"}),
            json!({"q": "MATCH (n) RETURN n"}),
            json!({"q": "{ users { id } }"}),
            json!({"clear": false, "show_deleted": true}),
        ] {
            let found = of(fine.clone());
            assert!(found.mutating.is_empty() && found.acts.is_empty(), "{fine}: {:?}", found.mutating);
        }
        assert_eq!(of(json!({"cmd": "ls"})).acts, [Act::Shell("ls".to_owned())]);
        assert_eq!(of(json!({"query": "select 1"})).acts.len(), 1);
        assert!(suspicious(json!({"command": "x"}).as_object().unwrap()).is_some());
        assert!(suspicious(json!({"force": false, "delete": false}).as_object().unwrap()).is_none());
    }
}
