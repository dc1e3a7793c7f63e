//! What the words of a name and the arguments of a call suggest. Whole words, never substrings.

use serde_json::{Map, Value as Json};

use super::Act;
use super::arguments::{VALUES, is_off, texts};
use super::known::{code, command};
use super::name::snake;
use crate::code::SqlVerb;
use crate::model::Value;

/// What the verb of a name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Reads,
    Deletes,
    Sends,
    Changes,
    Creates,
    Runs,
    Unknown,
}

const READS: &[&str] = &[
    "get",
    "list",
    "read",
    "search",
    "find",
    "show",
    "describe",
    "view",
    "fetch",
    "lookup",
    "query",
    "count",
    "check",
    "browse",
    "inspect",
    "explain",
    "summarize",
    "head",
    "exists",
    "status",
    "stat",
    "stats",
    "info",
    "help",
    "version",
    "ping",
    "validate",
    "verify",
    "diff",
    "compare",
    "preview",
    "tail",
    "peek",
    "analyze",
    "analyse",
    "calculate",
    "compute",
    "convert",
    "estimate",
    "retrieve",
    "scan",
    "select",
    "about",
    "whoami",
    "ls",
    "cat",
    "tree",
    "grep",
];
const DELETES: &[&str] = &[
    "delete",
    "remove",
    "destroy",
    "drop",
    "purge",
    "wipe",
    "erase",
    "truncate",
    "terminate",
    "kill",
    "rm",
    "del",
    "unlink",
    "shred",
    "deprovision",
    "uninstall",
    "prune",
    "flush",
    "clear",
    "reset",
    "revoke",
    "empty",
    "expunge",
    "nuke",
    "discard",
    "clean",
    "cleanup",
    "format",
    "decommission",
    "unpublish",
    "rollback",
    "forget",
    "evict",
];
const SENDS: &[&str] = &[
    "send",
    "post",
    "publish",
    "reply",
    "forward",
    "notify",
    "email",
    "message",
    "tweet",
    "broadcast",
    "share",
    "invite",
    "pay",
    "charge",
    "refund",
    "payout",
    "transfer",
    "withdraw",
    "buy",
    "sell",
    "purchase",
    "checkout",
    "order",
    "trade",
    "submit",
];
const CHANGES: &[&str] = &[
    "update",
    "set",
    "edit",
    "modify",
    "change",
    "patch",
    "put",
    "write",
    "replace",
    "rename",
    "move",
    "merge",
    "push",
    "commit",
    "deploy",
    "apply",
    "restart",
    "reboot",
    "stop",
    "start",
    "enable",
    "disable",
    "scale",
    "approve",
    "reject",
    "close",
    "assign",
    "lock",
    "unlock",
    "rotate",
    "sync",
    "migrate",
    "restore",
    "install",
    "upgrade",
    "configure",
    "grant",
    "toggle",
    "overwrite",
    "cancel",
    "archive",
    "ban",
    "block",
    "mark",
    "resize",
    "detach",
];
const CREATES: &[&str] = &[
    "create",
    "add",
    "new",
    "insert",
    "make",
    "generate",
    "open",
    "upload",
    "register",
    "import",
    "init",
    "provision",
    "schedule",
    "append",
    "attach",
    "clone",
    "copy",
    "save",
    "store",
    "build",
    "launch",
    "request",
];
const RUNS: &[&str] = &[
    "run", "execute", "exec", "eval", "evaluate", "invoke", "call", "spawn", "shell", "bash", "terminal",
    "command",
];

/// Words that are never a noun of their own in a reading tool's name: `get_and_delete`, `read_or_create`.
const NOT_READING: &[&str] = &[
    "delete",
    "remove",
    "destroy",
    "drop",
    "purge",
    "wipe",
    "erase",
    "truncate",
    "terminate",
    "kill",
    "rm",
    "unlink",
    "uninstall",
    "revoke",
    "create",
    "insert",
    "update",
    "write",
    "put",
    "modify",
    "overwrite",
    "replace",
    "send",
    "execute",
    "exec",
    "eval",
    "push",
    "merge",
    "deploy",
    "install",
    "and",
    "or",
    "then",
];

/// Nouns for what holds data, or much of it.
const DATA: &[&str] = &[
    "database",
    "db",
    "table",
    "bucket",
    "volume",
    "disk",
    "drive",
    "snapshot",
    "backup",
    "account",
    "repository",
    "repo",
    "project",
    "namespace",
    "cluster",
    "instance",
    "vault",
    "index",
    "collection",
    "stack",
    "environment",
    "record",
    "row",
    "data",
    "all",
    "everything",
    "history",
    "secret",
    "certificate",
    "tenant",
    "organization",
    "workspace",
    "site",
    "server",
    "vm",
    "machine",
    "customer",
    "user",
    "dataset",
    "archive",
    "store",
    "storage",
];

/// The verb that decides: a destructive one wherever it stands, else the first one.
pub(super) fn verb(words: &[String]) -> (Verb, Option<&str>) {
    let of = |word: &str| {
        let lists = [
            (READS, Verb::Reads),
            (DELETES, Verb::Deletes),
            (SENDS, Verb::Sends),
            (CHANGES, Verb::Changes),
            (CREATES, Verb::Creates),
            (RUNS, Verb::Runs),
        ];
        lists.into_iter().find(|(list, _)| list.contains(&word)).map(|(_, verb)| verb)
    };
    let strong = words.iter().find(|word| DELETES.contains(&word.as_str()));
    let first = words.iter().find_map(|word| Some((of(word)?, word.as_str())));
    match (first, strong) {
        // `get_reset_token`: a word that is also a noun does not outweigh the first one, a plain verb does.
        (Some((Verb::Reads, word)), Some(other)) if !NOT_READING.contains(&other.as_str()) => {
            (Verb::Reads, Some(word))
        }
        (_, Some(word)) => (Verb::Deletes, Some(word)),
        (Some((verb, word)), None) => (verb, Some(word)),
        (None, None) => (Verb::Unknown, None),
    }
}

/// A word in a name that speaks against reading.
pub(super) fn not_reading(words: &[String]) -> Option<&str> {
    words.iter().map(String::as_str).find(|word| NOT_READING.contains(word))
}

/// Whether a name speaks of what holds data.
pub(super) fn holds_data(words: &[String]) -> bool {
    words.iter().any(|word| {
        DATA.contains(&word.as_str()) || word.strip_suffix('s').is_some_and(|single| DATA.contains(&single))
    })
}

/// A word of a description that speaks against reading. `does not modify` does not.
pub(super) fn said_to_change(description: &str) -> Option<String> {
    const TELLING: &[&str] = &[
        "write",
        "writes",
        "modify",
        "modifies",
        "execute",
        "executes",
        "send",
        "sends",
        "overwrite",
        "overwrites",
        "irreversible",
        "irreversibly",
        "permanently",
        "destructive",
        "deletes",
        "removes",
        "destroys",
        "drops",
        "purges",
        "erases",
        "terminates",
        "revokes",
        "charges",
        "deploys",
    ];
    let lower = description.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.iter().enumerate().find_map(|(at, word)| {
        let told = TELLING.contains(word) || NOT_READING[..14].contains(word);
        let denied = words[at.saturating_sub(4)..at]
            .iter()
            .any(|before| matches!(*before, "not" | "never" | "without" | "no" | "cannot" | "t" | "non"));
        (told && !denied).then(|| (*word).to_owned())
    })
}

/// Arguments that hold a command.
const SHELL: &[&str] = &[
    "command",
    "commands",
    "cmd",
    "shell",
    "shell_command",
    "bash",
    "bash_command",
    "command_line",
    "commandline",
    "script_content",
    "shell_script",
];
/// Arguments that hold SQL.
const SQL: &[&str] =
    &["sql", "sql_query", "sql_statement", "statement", "statements", "sql_text", "ddl", "dml"];
/// Arguments that hold a program.
const CODE: &[&str] =
    &["code", "script", "source_code", "python_code", "javascript", "js", "python", "program"];
/// Switches that make an act worse.
const SWITCHES: &[&str] = &[
    "force",
    "recursive",
    "cascade",
    "overwrite",
    "purge",
    "permanent",
    "permanently",
    "hard",
    "hard_delete",
    "delete",
    "destroy",
    "remove",
    "drop",
    "truncate",
    "confirm",
    "confirmed",
    "skip_final_snapshot",
    "prune",
    "wipe",
    "reset",
    "clean",
    "auto_approve",
    "delete_all",
    "no_backup",
    "skip_backup",
    "bypass",
    "commit",
    "apply",
    "execute",
];
/// Places that something is written to.
const WRITES: &[&str] = &[
    "output_path",
    "output_file",
    "out_file",
    "outfile",
    "save_path",
    "save_to",
    "destination",
    "dest",
    "target_path",
    "dest_path",
    "destination_path",
    "download_path",
    "write_to",
];
/// Something is handed over to be kept or sent.
const CONTENT: &[&str] = &[
    "content",
    "contents",
    "body",
    "payload",
    "data",
    "message",
    "text",
    "value",
    "values",
    "new_value",
    "patch",
    "updates",
    "changes",
    "edits",
    "amount",
    "recipient",
    "recipients",
    "to",
    "email",
    "subject",
    "password",
];

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
        if SHELL.contains(&name) && !value.is_object() {
            self.acts.extend(command(name.ends_with('s'), &texts, args));
            return;
        }
        if (SQL.contains(&name) || (name == "query" && texts.iter().any(|text| is_sql(text))))
            && !value.is_object()
        {
            self.acts.extend(texts.into_iter().map(|text| Act::Sql {
                dialect: "sql",
                database: Value::known(""),
                text,
            }));
            return;
        }
        if CODE.contains(&name)
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
        if SWITCHES.contains(&name) && on && is_scalar {
            self.forced = true;
            self.mutating.push(format!("`{said}` is on"));
        } else if WRITES.contains(&name) && on {
            self.mutating.push(format!("`{said}` names a place that is written"));
        } else if CONTENT.contains(&name) && on {
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
    const TELLING: &[&str] = &[
        "delete",
        "destroy",
        "drop",
        "truncate",
        "purge",
        "overwrite",
        "wipe",
        "delete_all",
        "hard_delete",
        "permanent",
        "permanently",
        "prune",
    ];
    unlisted.iter().find_map(|(name, value)| {
        let plain = snake(name);
        let plain = plain.as_str();
        let on = texts(value).iter().any(|text| !is_off(text));
        let why = if !on {
            return None;
        } else if SHELL.contains(&plain) || matches!(plain, "sql" | "script" | "exec" | "eval") {
            "it may be run"
        } else if WRITES.contains(&plain) {
            "it may be written to"
        } else if TELLING.contains(&plain) {
            "it may delete something"
        } else {
            return None;
        };
        Some((name.clone(), why))
    })
}

/// Names of arguments that hold secrets.
pub(super) fn is_secret(name: &str) -> bool {
    const LAST: &[&str] = &[
        "password",
        "passwd",
        "secret",
        "token",
        "credential",
        "credentials",
        "authorization",
        "passphrase",
        "apikey",
    ];
    LAST.iter().any(|word| name == *word || name.ends_with(&format!("_{word}")))
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

    use super::super::name::words;
    use super::*;

    #[test]
    fn whole_words_decide() {
        for (name, want) in [
            ("get_file", Verb::Reads),
            ("get_and_delete", Verb::Deletes),
            ("get_reset_token", Verb::Reads),
            ("bucket.purge", Verb::Deletes),
            ("issue_list", Verb::Reads),
            ("sendMail", Verb::Sends),
            ("undeletable", Verb::Unknown),
            ("forgetful_getter", Verb::Unknown),
        ] {
            assert_eq!(verb(&words(name)).0, want, "{name}");
        }
        assert_eq!(not_reading(&words("read_or_create")), Some("or"));
        assert!(
            said_to_change("Deletes it").is_some() && said_to_change("Does not modify anything").is_none()
        );
    }

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
