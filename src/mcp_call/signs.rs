//! What the arguments of a call suggest.

use serde_json::{Map, Value as Json};

use super::Act;
use super::arguments::{VALUES, is_off, texts};
use super::known::{code, command};
use super::name::snake;
use super::words::among;
use crate::code::SqlVerb;
use crate::model::Value;

/// Arguments that hold a command.
const SHELL: &str = "\
    command commands cmd shell shell_command bash bash_command command_line commandline script_content \
    shell_script";
/// Arguments that hold SQL.
const SQL: &str = "sql sql_query sql_statement statement statements sql_text ddl dml";
/// Arguments that hold a program.
const CODE: &str = "code script source_code python_code javascript js python program";
/// Switches that make an act worse.
const SWITCHES: &str = "\
    force recursive cascade overwrite purge permanent permanently hard hard_delete delete destroy remove \
    drop truncate confirm confirmed skip_final_snapshot prune wipe reset clean auto_approve delete_all \
    no_backup skip_backup bypass commit apply execute";
/// Places that something is written to.
const WRITES: &str = "\
    output_path output_file out_file outfile save_path save_to destination dest target_path dest_path \
    destination_path download_path write_to";
/// Something is handed over to be kept or sent.
const CONTENT: &str = "\
    content contents body payload data message text value values new_value patch updates changes edits \
    amount recipient recipients to email subject password";

/// What the arguments of an unknown tool suggest.
#[derive(Debug, Default)]
pub(super) struct Signs {
    /// Commands, SQL and code in them.
    pub(super) acts: Vec<Act>,
    /// Why they look as if they changed something.
    pub(super) mutating: Vec<String>,
    /// A switch that makes it worse is on.
    pub(super) forced: bool,
}

/// Looks through all arguments.
pub(super) fn of(arguments: &Map<String, Json>) -> Signs {
    let mut signs = Signs::default();
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
        let said = super::shorten(name, 40);
        let texts = texts(value);
        let is_scalar = !value.is_object() && !value.is_array();
        if among(SHELL, name) && !value.is_object() {
            self.acts.extend(command(name.ends_with('s'), &texts, args));
            return;
        }
        if (among(SQL, name) || (name == "query" && texts.iter().any(|text| is_sql(text))))
            && !value.is_object()
        {
            self.acts.extend(texts.into_iter().map(|text| Act::Sql {
                dialect: "sql",
                database: Value::known(""),
                text,
            }));
            return;
        }
        if among(CODE, name)
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
        if among(SWITCHES, name) && on && is_scalar {
            self.forced = true;
            self.mutating.push(format!("`{said}` is on"));
        } else if among(WRITES, name) && on {
            self.mutating.push(format!("`{said}` names a place that is written"));
        } else if among(CONTENT, name) && on {
            self.mutating.push(format!("`{said}` hands something over"));
        } else if matches!(name, "method" | "http_method" | "verb" | "action" | "operation" | "op")
            && let Some(text) = value.as_str()
            && !matches!(
                text.to_ascii_lowercase().as_str(),
                "get" | "head" | "options" | "list" | "read" | "search" | "describe" | "query"
            )
        {
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
                } else if changes_by_sql(text) {
                    self.mutating.push(format!("`{said}` looks like SQL that changes something"));
                }
            }
            _ => {}
        }
    }
}

/// An argument that a known tool does not have and that would run, write or delete something.
pub(super) fn suspicious(unlisted: &Map<String, Json>) -> Option<(String, &'static str)> {
    const TELLING: &str = "delete destroy drop truncate purge overwrite wipe delete_all hard_delete permanent permanently prune";
    unlisted.iter().find_map(|(name, value)| {
        let plain = snake(name);
        let plain = plain.as_str();
        let on = texts(value).iter().any(|text| !is_off(text));
        let why = if !on {
            return None;
        } else if among(SHELL, plain) || matches!(plain, "sql" | "script" | "exec" | "eval") {
            "it may be run"
        } else if among(WRITES, plain) {
            "it may be written to"
        } else if among(TELLING, plain) {
            "it may delete something"
        } else {
            return None;
        };
        Some((name.clone(), why))
    })
}

/// Names of arguments that hold secrets.
pub(super) fn is_secret(name: &str) -> bool {
    const LAST: &str = "password passwd secret token credential credentials authorization passphrase apikey";
    LAST.split_whitespace().any(|word| name == word || name.ends_with(&format!("_{word}")))
        || ["api_key", "private_key", "access_key", "secret_key", "secret_value", "secret_string"]
            .iter()
            .any(|word| name.ends_with(word))
}

fn is_sql(text: &str) -> bool {
    let first: String = text.trim_start().chars().take_while(char::is_ascii_alphabetic).collect();
    matches!(
        first.to_ascii_lowercase().as_str(),
        "select"
            | "insert"
            | "update"
            | "delete"
            | "drop"
            | "alter"
            | "create"
            | "truncate"
            | "grant"
            | "revoke"
            | "with"
            | "merge"
            | "replace"
            | "explain"
            | "show"
            | "vacuum"
            | "call"
            | "begin"
            | "copy"
            | "pragma"
            | "attach"
    ) && text.trim().contains(char::is_whitespace)
}

fn changes_by_sql(text: &str) -> bool {
    is_sql(text)
        && crate::code::sql("sql", text).iter().any(|statement| {
            matches!(
                statement.verb,
                SqlVerb::Delete
                    | SqlVerb::Truncate
                    | SqlVerb::Drop
                    | SqlVerb::DropDefinition
                    | SqlVerb::Update
                    | SqlVerb::Alter
            )
        })
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
        let of = |value: Json| of(value.as_object().unwrap());
        assert!(of(json!({"id": 3, "page": {"limit": 10}})).mutating.is_empty());
        for bad in [
            json!({"options": {"force": true}}),
            json!({"x": "DROP TABLE users"}),
            json!({"x": "a; rm -rf /"}),
            json!({"method": "DELETE"}),
            json!({"body": "hi"}),
            json!({"outputPath": "/etc/x"}),
        ] {
            assert!(!of(bad.clone()).mutating.is_empty(), "{bad}");
        }
        assert_eq!(of(json!({"cmd": "ls"})).acts, [Act::Shell("ls".to_owned())]);
        assert_eq!(of(json!({"query": "select 1"})).acts.len(), 1);
        assert!(suspicious(json!({"command": "x"}).as_object().unwrap()).is_some());
        assert!(suspicious(json!({"force": false, "delete": false}).as_object().unwrap()).is_none());
    }
}
