//! The tools that put back what is kept, and list it.
//!
//! Owns how both are told in few words. What an undo does, and that whatever it replaces is kept first, is [`crate::undo`]'s.
//! Forgetting is no tool: only a person may.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::attest::time::Time;
use crate::config;
use crate::keep::{Budget, Head, Item, PointName, Store, Was};
use crate::text::{escape, shorten};
use crate::undo::{self, Step, Undo, UndoError};

use super::fields::{Arguments, Kind, optional};
use super::result;
use super::{Effect, Tool, Tools};

/// Paths of one sort that are named.
const NAMED: usize = 5;
/// Columns of a path or a command.
const WIDTH: usize = 100;
/// What a page of the list holds, in bytes.
const PAGE: usize = 850;

pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "recourse_undo",
        title: "Put back what was kept",
        description: "Call this to take back a command before which something was kept: what it destroyed comes back. What stands there now is kept first; `redo` takes the undo back.",
        fields: &[
            optional("id", Kind::Text, "Default: the last of this session, else of `cwd`."),
            optional("paths", Kind::Texts, "Only these."),
            optional("dry_run", Kind::Flag, "Only tell what would change."),
            optional("cwd", Kind::Text, "Absolute path."),
        ],
        output: undo_schema,
        effect: Effect::PutsBack,
        run: put_back,
    },
    Tool {
        name: "recourse_kept",
        title: "List what is kept",
        description: "Call this to find what was kept, the newest first, by page.",
        fields: &[
            optional("here", Kind::Text, "Only of commands that ran at or below this path."),
            optional("cursor", Kind::Text, "`nextCursor` of the page before."),
        ],
        output: kept_schema,
        effect: Effect::LooksAtKept,
        run: kept,
    },
];

impl Tools {
    /// Who asks, where no actor is named: the client.
    pub(super) fn who(&self) -> String {
        let client = self.client.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        format!("agent/{}", client.as_deref().unwrap_or("mcp"))
    }

    /// What the recovery points of this run of the server belong to.
    pub(super) fn session(&self) -> String {
        format!("mcp:{}", self.session)
    }

    fn store(&self) -> Result<Store, UndoError> {
        undo::store(self.places.as_ref().ok_or(UndoError::Nothing)?)
    }
}

fn put_back(tools: &Tools, arguments: &Arguments<'_>) -> Result<String, String> {
    let here = std::env::current_dir().ok();
    let cwd = match absolute("cwd", arguments.text("cwd"))? {
        Some(cwd) => cwd,
        None => here.ok_or("`cwd` is needed here: the directory of this server is gone")?,
    };
    let mut found = match find(tools, arguments.text("id"), &cwd) {
        Ok(found) => found,
        Err(error @ UndoError::Nothing) => {
            return answered(&json!({ "result": "nothing", "why": error.to_string() }));
        }
        Err(error) => return Err(error.to_string()),
    };
    if let Some(paths) = arguments.texts("paths") {
        let paths: Vec<PathBuf> = paths.into_iter().map(|path| resolved(&cwd.join(path))).collect();
        found.only(&paths);
    }
    let mut answer = told(&found.head);
    let done = if arguments.value("dry_run") == Some(&Value::Bool(true)) {
        answer.insert("result".to_owned(), json!("dryRun"));
        answer.insert("steps".to_owned(), steps(&found));
        return answered(&Value::Object(answer));
    } else if found.steps.is_empty() || found.is_done() {
        answer.insert("result".to_owned(), json!("nothing"));
        answer.insert("why".to_owned(), json!("all of it is as it was"));
        return answered(&Value::Object(answer));
    } else {
        answer.insert("steps".to_owned(), steps(&found));
        let settings = config::policy(&cwd).map_err(|error| error.to_string())?.keep();
        // What an undo replaces is kept whatever it costs: nobody asked for it to be lost.
        let budget = Budget {
            items: settings.files.saturating_mul(4),
            copied: settings.bytes.saturating_mul(4),
            free: 0,
        };
        found.apply(budget).map_err(|error| error.to_string())?
    };
    let failed = &done.restored.failed;
    answer.insert("result".to_owned(), json!(if failed.is_empty() { "back" } else { "part" }));
    answer.insert("back".to_owned(), json!(done.restored.back));
    if !failed.is_empty() {
        let named =
            failed.iter().take(NAMED).map(|(path, why)| json!({ "path": name(path), "why": part(why) }));
        answer.insert("failed".to_owned(), named.collect());
        answer.insert("failedPaths".to_owned(), json!(failed.len()));
    }
    if let Some(before) = done.before {
        answer.insert("redo".to_owned(), json!(before.id));
    }
    answered(&Value::Object(answer))
}

fn find(tools: &Tools, id: Option<&str>, cwd: &Path) -> Result<Undo, UndoError> {
    let store = tools.store()?;
    let name = match id {
        Some(id) => store.find(id)?,
        None => undo::last(&store, Some(&tools.session()), cwd)?,
    };
    Undo::of(store, name)
}

/// What becomes of which paths: numbers, and the first of them by name.
fn steps(found: &Undo) -> Value {
    let mut answer = Map::new();
    let sorts =
        [("back", Step::Back), ("rights", Step::Rights), ("replaced", Step::Replaced), ("gone", Step::Gone)];
    for (word, step) in sorts {
        let of = |(item, is): &&(Item, Step)| *is == step && item.was != Was::Around;
        let all: Vec<_> = found.steps.iter().filter(of).collect();
        if !all.is_empty() {
            let named: Vec<String> = all.iter().take(NAMED).map(|(item, _)| name(&item.path.0)).collect();
            answer.insert(word.to_owned(), json!({ "count": all.len(), "paths": named }));
        }
    }
    Value::Object(answer)
}

fn kept(tools: &Tools, arguments: &Arguments<'_>) -> Result<String, String> {
    let here = absolute("here", arguments.text("here"))?;
    let store = match tools.store() {
        Ok(store) => store,
        Err(UndoError::Nothing) => return answered(&json!({ "points": [] })),
        Err(error) => return Err(error.to_string()),
    };
    let after = arguments.text("cursor").map(|cursor| {
        PointName::parse(cursor).ok_or("`cursor` is none that was given out: leave it out to begin anew")
    });
    let after = after.transpose()?;
    let (mut points, mut room, mut next) = (Vec::new(), PAGE, None);
    let mut last: Option<PointName> = None;
    for point in store.names().map_err(|error| error.to_string())? {
        // The newest come first.
        if after.as_ref().is_some_and(|after| point >= *after) {
            continue;
        }
        // One that cannot be read is told of by `recourse kept`.
        let Ok(head) = store.head(&point) else { continue };
        if here.as_ref().is_some_and(|here| !head.cwd.0.starts_with(here)) {
            continue;
        }
        let mut entry = told(&head);
        entry.insert("bytes".to_owned(), json!(head.bytes));
        if store.is_marked(&point, "undone") {
            entry.insert("undone".to_owned(), json!(true));
        }
        let size = Value::Object(entry.clone()).to_string().len() + 1;
        if size > room && !points.is_empty() {
            next = last;
            break;
        }
        room = room.saturating_sub(size);
        points.push(Value::Object(entry));
        last = Some(point);
    }
    let mut answer = json!({ "points": points });
    if let (Some(next), Some(members)) = (next, answer.as_object_mut()) {
        members.insert("nextCursor".to_owned(), json!(next.as_str()));
    }
    answered(&answer)
}

/// What is said of a point everywhere.
fn told(head: &Head) -> Map<String, Value> {
    let told = json!({
        "id": head.id,
        "time": Time::from_millis(head.time).to_string(),
        "who": part(&head.who),
        "command": part(&head.command),
        "what": part(&head.what),
    });
    match told {
        Value::Object(told) => told,
        _ => Map::new(),
    }
}

/// A path as it is kept: the links of its parents resolved, as far as they are there.
fn resolved(path: &Path) -> PathBuf {
    let mut parents = path.ancestors().skip(1);
    let real = parents.find_map(|above| {
        let real = above.canonicalize().ok()?;
        Some(path.strip_prefix(above).map_or_else(|_| real.clone(), |rest| real.join(rest)))
    });
    real.unwrap_or_else(|| path.to_owned())
}

fn absolute(name: &str, given: Option<&str>) -> Result<Option<PathBuf>, String> {
    let path = given.map(PathBuf::from);
    if path.as_ref().is_some_and(|path| !path.is_absolute()) {
        return Err(format!("`{name}` is an absolute path, such as /home/me/project"));
    }
    Ok(path)
}

fn name(path: &Path) -> String {
    part(&path.to_string_lossy())
}

fn part(text: &str) -> String {
    shorten(&escape(text), WIDTH)
}

fn answered(answer: &Value) -> Result<String, String> {
    Ok(result::structured(&answer.to_string()))
}

fn undo_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "result": { "enum": ["back", "part", "nothing", "dryRun"] },
            "redo": { "type": "string", "description": "The id that takes this undo back." },
        },
        "required": ["result"],
    })
}

fn kept_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "points": { "type": "array", "items": { "type": "object" } },
            "nextCursor": { "type": "string" },
        },
        "required": ["points"],
    })
}
