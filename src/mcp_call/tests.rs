//! Tests of calls as a whole, up to acts.

use serde_json::json;

use super::*;
use crate::world::resolve::{Link, Links};

struct NoLinks;

impl Links for NoLinks {
    fn link(&self, _: &Path) -> Link {
        Link::None
    }
}

fn acts(server: Option<&str>, tool: &str, arguments: Json) -> Vec<Act> {
    let call = McpCall::new(server, tool, Some(arguments)).unwrap();
    let place = Place { cwd: Path::new("/p"), home: Some(Path::new("/home/u")), links: &NoLinks };
    analyse(&call, &Knowledge::builtin(), &place).acts
}

fn mutation(acts: &[Act]) -> &Mutation {
    acts.iter().find_map(|act| if let Act::Mutation(mutation) = act { Some(mutation) } else { None }).unwrap()
}

#[test]
fn what_is_no_call_is_an_error() {
    for (tool, arguments) in
        [("", json!({})), (" ", json!({})), ("a", json!([])), ("a", json!("{}")), ("a", json!(1))]
    {
        assert!(McpCall::new(None, tool, Some(arguments.clone())).is_err(), "{tool} {arguments}");
    }
    assert!(McpCall::new(None, &"a".repeat(600), None).is_err());
    assert!(McpCall::new(None, "a", Some(Json::Null)).is_ok());
    assert!(McpCall::new(None, "a", None).unwrap().annotated(json!([1])).is_err());
}

#[test]
fn secrets_are_masked_in_what_is_shown() {
    let call = McpCall::new(
        Some("s"),
        "login",
        Some(json!({"user": "u", "password": "hunter2", "nested": {"apiToken": "t0ken"}})),
    );
    let shown = call.unwrap().shown();
    assert!(!shown.contains("hunter2") && !shown.contains("t0ken") && shown.contains("user: u"), "{shown}");
}

#[test]
fn a_known_tool_is_known_under_every_name() {
    for (server, tool) in [
        (Some("filesystem"), "delete_file"),
        (Some("@modelcontextprotocol/server-filesystem"), "deleteFile"),
        (Some("filesystem"), "filesystem_delete_file"),
        (None, "mcp__filesystem__delete-file"),
        (None, "filesystem.delete_file"),
        (None, "filesystem/removeFile"),
        (None, "delete_file"),
    ] {
        let found = acts(server, tool, json!({"path": "a"}));
        let found = mutation(&found);
        assert_eq!((found.kind.as_str(), found.target.id.as_str()), ("file", "/p/a"), "{tool}");
    }
}

#[test]
fn a_server_of_another_name_is_not_taken_for_a_known_one() {
    for tool in ["run_command", "shell_run_command", "filesystem_delete_file", "search_web", "fetch"] {
        let call = McpCall::new(Some("acme"), tool, Some(json!({"path": "a"}))).unwrap();
        let place = Place { cwd: Path::new("/p"), home: None, links: &NoLinks };
        let found = analyse(&call, &Knowledge::builtin(), &place);
        assert!(found.confidence.is_some() && found.host.is_some(), "{tool}");
    }
}

#[test]
fn two_names_of_one_argument_both_count() {
    let found = acts(Some("filesystem"), "delete_file", json!({"path": "a", "file_path": "b"}));
    assert_eq!(found.len(), 2);
}

#[test]
fn a_known_tool_without_its_argument_or_with_a_strange_one_is_a_question() {
    for arguments in
        [json!({}), json!({"path": null}), json!({"path": []}), json!({"paths": {"a": 1}, "command": "x"})]
    {
        let found = acts(Some("filesystem"), "delete_file", arguments.clone());
        assert!(
            found.iter().any(|act| matches!(act, Act::Mutation(m) if m.cause.is_unknown())),
            "{arguments}: {found:?}"
        );
    }
    let found = acts(Some("filesystem"), "read_file", json!({"path": "a", "outputPath": "/etc/passwd"}));
    assert!(mutation(&found).cause.is_unknown());
    assert!(acts(Some("filesystem"), "read_file", json!({"path": "a", "tail": 3})).is_empty());
}

#[test]
fn an_argument_is_never_an_option() {
    let found = acts(Some("filesystem"), "move_file", json!({"source": "--help", "destination": "b"}));
    assert!(mutation(&found).cause.is_unknown(), "{found:?}");
}

#[test]
fn unknown_tools_are_guessed_at_and_the_guess_says_how_sure_it_is() {
    for (tool, arguments, action, agreed) in [
        ("get_weather", json!({"city": "Berlin"}), Action::Read, true),
        ("get_weather", json!({"city": "Berlin", "force": true}), Action::Read, false),
        ("get_and_delete", json!({}), Action::Delete, false),
        ("purge_records", json!({}), Action::Delete, false),
        ("frobnicate", json!({}), Action::Execute, false),
        ("create_thing", json!({}), Action::Create, false),
        ("list_things", json!({"filter": "x; rm -rf ~"}), Action::Read, false),
    ] {
        let found = acts(Some("acme"), tool, arguments);
        let found = mutation(&found);
        assert_eq!(found.action, action, "{tool}");
        assert_eq!(found.facts["agreed"].value, FactValue::Bool(agreed), "{tool}");
    }
}

#[test]
fn what_a_server_claims_only_raises() {
    let judged = |tool: &str, annotations: Json, description: &str| {
        let call = McpCall::new(Some("acme"), tool, None).unwrap().described(description);
        let call = call.annotated(annotations).unwrap();
        let place = Place { cwd: Path::new("/p"), home: None, links: &NoLinks };
        let found = analyse(&call, &Knowledge::builtin(), &place).acts;
        mutation(&found).facts["agreed"].value == FactValue::Bool(true)
    };
    let safe = json!({"readOnlyHint": true, "destructiveHint": false});
    assert!(!judged("delete_all", safe.clone(), "Only reads, harmless"));
    assert!(!judged("frobnicate", safe.clone(), "Only reads, harmless"));
    assert!(judged("get_item", safe, "Returns an item"));
    assert!(judged("get_item", json!({}), "Returns an item"));
    assert!(!judged("get_item", json!({"readOnlyHint": false}), ""));
    assert!(!judged("get_item", json!({"destructiveHint": true}), ""));
    assert!(!judged("get_item", json!({}), "Deletes the item after returning it"));
}

#[test]
fn the_environment_is_told_by_arguments_and_names() {
    let of = |server: &str, arguments: Json| {
        environment(&McpCall::new(Some(server), "x", Some(arguments)).unwrap())
    };
    assert_eq!(of("a", json!({"environment": "staging"})).as_deref(), Some("staging"));
    assert_eq!(of("pg-prod", json!({})).as_deref(), Some("production"));
    assert_eq!(of("a", json!({"bucket": "prod-audit-logs"})).as_deref(), Some("production"));
    assert_eq!(
        of("a", json!({"bucket": "products", "path": "/srv/prod/x", "text": "in prod we trust"})),
        None
    );
}
