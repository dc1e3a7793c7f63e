//! Tools that agents have in common: their own for files, and other servers'.
//!
//! A tool that changes files is judged as the file server's tool that does the same, so the path's probes decide.

use serde_json::{Value, json};

use crate::knowledge::{harmless_tool, is_ours, tool_key};
use crate::mcp_call::McpCall;

use super::call::{Act, Object, Unreadable, text};
use super::patch::{self, Change};

/// The family of servers whose tools act on files.
const FILES: &str = "filesystem";

const PATH: &[&str] = &[
    "file_path",
    "filePath",
    "path",
    "target_file",
    "targetFile",
    "notebook_path",
    "notebookPath",
    "absolute_path",
    "absolutePath",
    "filename",
    "file",
    "uri",
];
const CONTENT: &[&str] = &["content", "contents", "file_text", "fileText", "text", "code", "new_source"];
const OLD: &[&str] =
    &["old_string", "oldString", "old_str", "oldStr", "old_text", "oldText", "search", "diff", "edits"];
const PATCH: &[&str] = &["patch", "input", "patchText", "patch_text", "command", "diff"];

/// What a tool for files does, by its name in any spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Write,
    Edit,
    Delete,
    Move,
    Patch,
    /// A name in a program is changed: renaming it back undoes that.
    Rename,
    /// An edit, or without the old text the whole file.
    Editor,
    /// One tool whose argument `command` says which.
    Several,
}

fn kind(name: &str) -> Option<Kind> {
    Some(match tool_key(name).as_str() {
        "write" | "writefile" | "createfile" | "create" | "createnewfile" | "writetofile" | "savefile"
        | "download" | "newrule" => Kind::Write,
        "edit"
        | "multiedit"
        | "editfile"
        | "replace"
        | "strreplace"
        | "replaceinfile"
        | "replacestringinfile"
        | "multireplacestringinfile"
        | "inserteditintofile"
        | "searchreplace"
        | "notebookedit"
        | "editnotebook"
        | "editnotebookfile"
        | "applydiff"
        | "editfiles"
        | "undoedit"
        | "lspreplacesymbol" => Kind::Edit,
        "lsprename" => Kind::Rename,
        "delete" | "deletefile" | "removefile" => Kind::Delete,
        "renamefile" | "movefile" | "rename" => Kind::Move,
        "applypatch" | "patch" => Kind::Patch,
        "streplaceeditor" | "strreplaceeditor" | "strreplacebasededittool" => Kind::Several,
        "editor" => Kind::Editor,
        _ => return None,
    })
}

/// What a tool for files would do. `None`: it is no such tool.
pub(super) fn files(name: &str, input: &Object) -> Option<Result<Vec<Act>, Unreadable>> {
    let mut kind = kind(name)?;
    if kind == Kind::Several {
        kind = match text(input, &["command"]) {
            Some("view") => return Some(Ok(Vec::new())),
            Some("create") => Kind::Write,
            _ => Kind::Edit,
        };
    }
    if kind == Kind::Editor {
        let part = OLD.iter().chain(&["insert_line"]).any(|key| input.contains_key(*key));
        kind = if part { Kind::Edit } else { Kind::Write };
    }
    Some(acts(kind, name, input))
}

fn acts(kind: Kind, name: &str, input: &Object) -> Result<Vec<Act>, Unreadable> {
    if kind == Kind::Patch {
        let text = text(input, PATCH).unwrap_or_default();
        let changes = patch::changes(text);
        if changes.is_empty() {
            return Err(Unreadable(format!("the patch of `{name}` cannot be read")));
        }
        return changes.iter().map(change).collect::<Result<Vec<_>, _>>().map(|acts| acts.concat());
    }
    // Several files in one call: each replacement names its own.
    if let Some(Value::Array(replacements)) = input.get("replacements") {
        let each = replacements.iter().map(|one| {
            let one = one.as_object().ok_or_else(|| unnamed(name))?;
            edit(path(one, name)?, one)
        });
        return each.collect();
    }
    if let (Some(Value::Array(names)), None) = (input.get("files"), text(input, PATH)) {
        let each = names.iter().map(|one| edit(one.as_str().ok_or_else(|| unnamed(name))?, input));
        return each.collect();
    }
    let target = if kind == Kind::Move { "" } else { path(input, name)? };
    match kind {
        Kind::Edit => Ok(vec![edit(target, input)?]),
        Kind::Rename => {
            Ok(vec![tool("edit_file", json!({ "path": target, "old_text": "as the call says" }))?])
        }
        Kind::Delete => Ok(vec![tool("delete_file", json!({ "path": target }))?]),
        Kind::Move => {
            let from = text(input, &["old_path", "oldPath", "source", "from", "path"]);
            let to = text(input, &["new_path", "newPath", "destination", "to"]);
            let (Some(from), Some(to)) = (from, to) else { return Err(unnamed(name)) };
            Ok(vec![tool("move_file", json!({ "source": from, "destination": to }))?])
        }
        _ => {
            let mut arguments = json!({ "path": target });
            if let Some(content) = text(input, CONTENT) {
                arguments["content"] = json!(content);
            }
            Ok(vec![tool("write_file", arguments)?])
        }
    }
}

/// What patches inside shell text do. Codex carries out an `apply_patch <<EOF` by itself, without a shell: such a call
/// comes as a command, and no program of that name may be there.
pub(super) fn patches(acts: &[Act]) -> Result<Vec<Act>, Unreadable> {
    let mut found = Vec::new();
    for act in acts {
        let text = match act {
            Act::Shell(text) => text.clone(),
            Act::Argv(words) => words.join(" "),
            Act::Tool(_) => continue,
        };
        let Some(at) =
            text.find(patch::BEGIN).filter(|_| text.contains("apply_patch") || text.contains("applypatch"))
        else {
            continue;
        };
        let below = folder_before(&text[..at]);
        for one in patch::changes(&text[at..]) {
            found.extend(change(&one.below(below.as_deref()))?);
        }
    }
    Ok(found)
}

/// The folder of `cd folder && apply_patch …`.
fn folder_before(text: &str) -> Option<String> {
    let rest = text.rsplit("cd ").next().filter(|rest| rest.len() < text.len())?;
    let (folder, _) = rest.split_once("&&")?;
    shell_words::split(folder).ok()?.into_iter().next()
}

fn change(change: &Change) -> Result<Vec<Act>, Unreadable> {
    Ok(match change {
        Change::Add { path, content } => {
            vec![tool("write_file", json!({ "path": path, "content": content }))?]
        }
        Change::Update { path, to } => {
            let mut acts = vec![tool("edit_file", json!({ "path": path, "old_text": "as the patch says" }))?];
            if let Some(to) = to {
                acts.push(tool("move_file", json!({ "source": path, "destination": to }))?);
            }
            acts
        }
        Change::Delete { path } => vec![tool("delete_file", json!({ "path": path }))?],
    })
}

/// An edit: the call holds what it replaces, or it does not.
fn edit(path: &str, input: &Object) -> Result<Act, Unreadable> {
    if text(input, &["edit_mode", "editMode", "edit_type"]) == Some("insert")
        || text(input, &["command"]) == Some("insert")
        || input.contains_key("insert_line")
    {
        return tool("append_file", json!({ "path": path, "content": "" }));
    }
    if OLD.iter().any(|key| input.contains_key(*key)) {
        return tool("edit_file", json!({ "path": path, "old_text": "as the call says" }));
    }
    let content = text(input, CONTENT).unwrap_or_default();
    tool("edit_file", json!({ "path": path, "content": content }))
}

fn path<'a>(input: &'a Object, name: &str) -> Result<&'a str, Unreadable> {
    let path = text(input, PATH).ok_or_else(|| unnamed(name))?;
    let path = path.strip_prefix("file://").unwrap_or(path);
    if path.is_empty() { Err(unnamed(name)) } else { Ok(path) }
}

fn unnamed(name: &str) -> Unreadable {
    Unreadable(format!("`{name}` names no file"))
}

fn tool(name: &str, arguments: Value) -> Result<Act, Unreadable> {
    McpCall::new(Some(FILES), name, Some(arguments))
        .map(|call| Act::Tool(call.of_the_agent()))
        .map_err(|error| Unreadable(error.to_string()))
}

/// Whether it is a tool of the agent's own that is known.
pub(super) fn is_own(agent: &str, name: &str) -> bool {
    kind(name).is_some() || harmless_tool(agent, name)
}

/// A tool of the agent's own: for files, known to change nothing, or judged by its name and arguments when anything in
/// the call could act.
pub(super) fn own(agent: &str, name: &str, input: &Object) -> Result<Vec<Act>, Unreadable> {
    if let Some(found) = files(name, input) {
        return found;
    }
    if harmless_tool(agent, name) {
        return Ok(Vec::new());
    }
    let call = McpCall::new(None, name, Some(Value::Object(input.clone())))
        .map_err(|error| Unreadable(error.to_string()))?
        .of_the_agent();
    Ok(if call.could_act() { vec![Act::Tool(call)] } else { Vec::new() })
}

/// Another server's tool. Our own server's tools only judge; that a server is called like us says nothing, so they count
/// as ours by name and arguments.
pub(super) fn server(server: Option<&str>, name: &str, input: &Object) -> Result<Vec<Act>, Unreadable> {
    let (server, name) = match (server, name.strip_prefix("recourse")) {
        // `recourse_recourse_evaluate_shell`, where an agent joins server and tool.
        (None, Some(rest))
            if rest.starts_with(['_', '-', '.']) && !is_ours(name, input.keys().map(String::as_str)) =>
        {
            (Some("recourse"), &rest[1..])
        }
        _ => (server, name),
    };
    let called_ours = server == Some("recourse") || (server.is_none() && name.starts_with("recourse_"));
    if called_ours && is_ours(name, input.keys().map(String::as_str)) {
        return Ok(Vec::new());
    }
    McpCall::new(server, name, Some(Value::Object(input.clone())))
        .map(|call| vec![Act::Tool(call)])
        .map_err(|error| Unreadable(error.to_string()))
}

/// `mcp__server__tool`, as most agents spell it. `None`: it is no such name.
pub(super) fn mcp(name: &str, input: &Object) -> Option<Result<Vec<Act>, Unreadable>> {
    let rest = name.strip_prefix("mcp__")?;
    Some(match rest.split_once("__") {
        Some((from, tool)) => server(Some(from), tool, input),
        None => server(None, rest, input),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(name: &str, input: Value) -> Vec<String> {
        let Value::Object(input) = input else { panic!("an object") };
        let Some(Ok(acts)) = files(name, &input) else { panic!("{name} is a tool for files") };
        acts.iter()
            .map(|act| match act {
                Act::Tool(call) => {
                    let path = ["path", "source"].iter().find_map(|key| call.arguments().get(*key)).unwrap();
                    format!("{} {}", call.tool(), path.as_str().unwrap())
                }
                other => panic!("{other:?}"),
            })
            .collect()
    }

    #[test]
    fn tools_for_files_in_the_spellings_of_agents() {
        assert_eq!(judged("Write", json!({"file_path": "/a", "content": "x"})), ["write_file /a"]);
        assert_eq!(judged("create", json!({"path": "/a", "file_text": "x"})), ["write_file /a"]);
        let edit = json!({"filePath": "/a", "oldString": "x", "newString": "y"});
        assert_eq!(judged("replace_string_in_file", edit), ["edit_file /a"]);
        let many = json!({"replacements": [{"filePath": "/a", "oldString": "x"}, {"filePath": "/b"}]});
        assert_eq!(judged("multi_replace_string_in_file", many), ["edit_file /a", "edit_file /b"]);
        let insert = json!({"notebook_path": "/n", "edit_mode": "insert", "new_source": "x"});
        assert_eq!(judged("NotebookEdit", insert), ["append_file /n"]);
        let patch = json!({"input": "*** Begin Patch\n*** Delete File: d\n*** End Patch"});
        assert_eq!(judged("apply_patch", patch), ["delete_file d"]);
        assert_eq!(judged("str_replace_editor", json!({"command": "create", "path": "p"})), ["write_file p"]);
        assert!(files("Read", &Object::new()).is_none());
        assert!(matches!(files("Write", &Object::new()), Some(Err(_))));
        assert!(matches!(files("apply_patch", &Object::new()), Some(Err(_))));
    }

    #[test]
    fn tools_of_other_servers() {
        let Some(Ok(acts)) = mcp("mcp__github__delete_repo", &Object::new()) else { panic!() };
        let [Act::Tool(call)] = &acts[..] else { panic!() };
        assert_eq!((call.server(), call.tool()), (Some("github"), "delete_repo"));
        let given = |value: Value| value.as_object().unwrap().clone();
        let acts = |name: &str, value: Value| mcp(name, &given(value)).unwrap().unwrap().len();
        assert_eq!(acts("mcp__recourse__recourse_evaluate_shell", json!({"command": "rm -rf /"})), 0);
        assert_eq!(acts("mcp__recourse__get_policy", json!({})), 0);
        // A server may call itself what it likes.
        assert_eq!(acts("mcp__recourse__exec", json!({"command": "rm -rf /"})), 1);
        assert_eq!(acts("mcp__recourse__check_command", json!({"command": "ls", "run": true})), 1);
        let joined = |name: &str| server(None, name, &given(json!({"command": "ls"}))).unwrap().len();
        assert_eq!((joined("recourse_recourse_evaluate_shell"), joined("recourse-check_command")), (0, 0));
        assert_eq!((joined("recourse-exec"), joined("check_command")), (1, 1));
        assert!(mcp("Bash", &Object::new()).is_none());
    }

    #[test]
    fn own_tools_that_no_adapter_knows() {
        let judged = |name: &str, value: Value| {
            let given = value.as_object().unwrap().clone();
            !own("claude-code", name, &given).unwrap().is_empty()
        };
        for (name, value) in [
            ("Read", json!({"file_path": "/a"})),
            ("TodoWrite", json!({"todos": [{"content": "rm -rf /tmp/x && make"}]})),
            ("Novelty", json!({"title": "a", "count": 3, "url": "https://example.com/a"})),
            ("Novelty", json!({"question": "Delete a/b?\nOr not?"})),
        ] {
            assert!(!judged(name, value.clone()), "{name} {value}");
        }
        for (name, value) in [
            ("Novelty", json!({"file_path": "a"})),
            ("Novelty", json!({"task": {"command": "make"}})),
            ("Novelty", json!({"code": "x"})),
            ("Novelty", json!({"where": "docs/a.md"})),
            ("Novelty", json!({"text": "a\nb"})),
            ("Novelty", json!({"force": true})),
            ("DeleteEverything", json!({})),
        ] {
            assert!(judged(name, value.clone()), "{name} {value}");
        }
    }

    #[test]
    fn patches_inside_shell_text() {
        let found = |text: &str| {
            let acts = patches(&[Act::Shell(text.to_owned())]).unwrap();
            acts.iter()
                .map(|act| match act {
                    Act::Tool(call) => {
                        format!("{} {}", call.tool(), call.arguments()["path"].as_str().unwrap())
                    }
                    other => panic!("{other:?}"),
                })
                .collect::<Vec<_>>()
        };
        let patch = "*** Begin Patch\n*** Delete File: a\n*** Update File: /b\n*** End Patch";
        assert_eq!(found(&format!("apply_patch <<'EOF'\n{patch}\nEOF")), ["delete_file a", "edit_file /b"]);
        assert_eq!(
            found(&format!("cd x/y && apply_patch \"{patch}\"")),
            ["delete_file x/y/a", "edit_file /b"]
        );
        assert!(found(&format!("cat > notes <<'EOF'\n{patch}\nEOF")).is_empty());
        assert!(found("apply_patch < file").is_empty());
    }
}
