//! Tests of the boundary and of the stages together.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::*;
use crate::world::{Entry, LookError, MemoryWorld, Meta, Query};

/// A machine at which every look ends in a panic.
struct Faulty;

impl World for Faulty {
    fn lstat(&self, _: &Path) -> Result<Meta, LookError> {
        panic!("lstat")
    }
    fn stat(&self, _: &Path) -> Result<Meta, LookError> {
        panic!("stat")
    }
    fn read_link(&self, _: &Path) -> Result<PathBuf, LookError> {
        panic!("read_link")
    }
    fn read_dir(&self, _: &Path, _: usize) -> Result<Vec<Entry>, LookError> {
        panic!("read_dir")
    }
    fn scan(&self, _: &Path, _: usize) -> Result<Vec<(Entry, Result<Meta, LookError>)>, LookError> {
        panic!("scan")
    }
    fn read_file(&self, _: &Path, _: u64) -> Result<Vec<u8>, LookError> {
        panic!("read_file")
    }
    fn canonicalize(&self, _: &Path) -> Result<PathBuf, LookError> {
        panic!("canonicalize")
    }
    fn writable(&self, _: &Path) -> bool {
        panic!("writable")
    }
    fn env(&self, _: &str) -> Option<String> {
        panic!("env")
    }
    fn env_names(&self) -> Vec<String> {
        panic!("env_names")
    }
    fn home(&self, _: Option<&str>) -> Option<PathBuf> {
        None
    }
    fn user(&self) -> String {
        panic!("user")
    }
    fn uid(&self) -> u32 {
        panic!("uid")
    }
    fn mounts(&self) -> Vec<PathBuf> {
        panic!("mounts")
    }
    fn now(&self) -> SystemTime {
        panic!("now")
    }
    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }
    fn ask(&self, _: &Query, _: Duration) -> Result<Vec<u8>, LookError> {
        panic!("ask")
    }
}

fn judged(world: &dyn World, text: &str, profile: Profile) -> Evaluation {
    let context =
        EvaluationContext { cwd: "/home/u".into(), profile: Some(profile), ..EvaluationContext::default() };
    let input = Input::Shell(shell::Input::Text(text.to_owned()));
    evaluate(input, &context, world, &Knowledge::builtin(), &Policy::default())
}

#[test]
fn a_fault_inside_ends_in_a_question_and_never_in_allow() {
    for profile in [Profile::Human, Profile::Agent, Profile::Ci] {
        let done = judged(&Faulty, "rm -rf x", profile);
        assert!(done.internal_error);
        assert_eq!(done.verdict(), Verdict::Escalate);
        let action = done.report.enforcement.unwrap().action;
        assert!(action >= crate::policy::EnforcementAction::Ask, "{profile}");
    }
}

#[test]
fn a_container_of_the_commands_own_loses_nothing_of_ours() {
    let world = MemoryWorld::new().file("/home/u/a", "only here");
    for (text, verdict) in [
        ("docker run --rm alpine rm -rf /srv /home/u/a", Verdict::Allow),
        ("docker run img sh -c 'rm -rf /x; mytool'", Verdict::Allow),
        ("podman run --rm alpine rm a", Verdict::Allow),
        ("docker run --rm -v /home/u:/x alpine rm -rf /x", Verdict::Escalate),
        ("docker run --rm --privileged alpine rm -rf /x", Verdict::Escalate),
        ("docker run --rm --volumes-from=db alpine rm -rf /x", Verdict::Escalate),
        ("docker exec web rm -rf /x", Verdict::Escalate),
        ("docker run --rm alpine ssh box rm -rf /x", Verdict::Escalate),
        ("docker run --rm mysql mysql -h db -e 'drop database d'", Verdict::Block),
    ] {
        assert_eq!(judged(&world, text, Profile::Ci).verdict(), verdict, "{text}");
    }
}

#[test]
fn a_copy_in_the_background_counts_once_it_is_waited_for() {
    let world = MemoryWorld::new().file("/home/u/a", "only here").dir("/home/u/in");
    for (text, verdict) in [
        ("cp a b & wait; rm a", Verdict::Allow),
        ("cp a b & wait $!; rm a", Verdict::Allow),
        ("cp a b & rm a", Verdict::Block),
        ("cp a b & wait -n; rm a", Verdict::Block),
        ("cp a b & kill %1; wait; rm a", Verdict::Block),
        ("cp a b & disown; wait; rm a", Verdict::Block),
        ("(cp a b &); wait; rm a", Verdict::Block),
        ("cp a b & (wait); rm a", Verdict::Block),
        ("cp a b & rm b; wait; rm a", Verdict::Block),
        ("cp a b & (echo > b); wait; rm a", Verdict::Block),
        ("cp a b & sleep 1 & wait %2; rm a", Verdict::Block),
    ] {
        assert_eq!(judged(&world, text, Profile::Ci).verdict(), verdict, "{text}");
    }
}

#[test]
fn the_stages_meet() {
    let world = MemoryWorld::new().dir("/home/u/photos").file("/home/u/photos/a.jpg", "only here");
    assert_eq!(judged(&world, "ls photos", Profile::Ci).verdict(), Verdict::Allow);
    assert_eq!(judged(&world, "rm -rf absent", Profile::Ci).verdict(), Verdict::Allow);
    let done = judged(&world, "rm -rf photos", Profile::Ci);
    assert_eq!(done.verdict(), Verdict::Block);
    assert_eq!(done.report.summary.total_mutations, 1);
    assert!(done.report.summary.has_unrecoverable);
}

#[test]
fn a_tool_call_is_judged_by_what_is_there() {
    use serde_json::json;
    let world = MemoryWorld::new()
        .dir("/home/u/photos")
        .file("/home/u/photos/a.jpg", "only here")
        .file("/home/u/note.txt", "mine");
    let context = EvaluationContext { cwd: "/home/u".into(), ..EvaluationContext::default() };
    let judged = |server: Option<&str>, tool: &str, arguments: serde_json::Value| {
        let call = McpCall::new(server, tool, Some(arguments)).unwrap();
        let done = evaluate(Input::Mcp(call), &context, &world, &Knowledge::builtin(), &Policy::default());
        assert!(done.assessments.iter().all(|a| a.mutation.source == Source::Mcp));
        done.verdict()
    };
    for (tool, arguments, want) in [
        ("delete_file", json!({"path": "note.txt"}), Verdict::Block),
        ("delete_file", json!({"path": "file:///home/u/note.txt"}), Verdict::Block),
        ("delete_file", json!({"path": "absent.txt"}), Verdict::Allow),
        ("delete_directory", json!({"path": "photos"}), Verdict::Block),
        ("write_file", json!({"path": "new.txt", "content": "x"}), Verdict::Allow),
        ("write_file", json!({"path": "note.txt", "content": "x"}), Verdict::Block),
        ("write_file", json!({"path": "note.txt", "content": "mine"}), Verdict::Allow),
        (
            "edit_file",
            json!({"path": "note.txt", "edits": [{"oldText": "a", "newText": "b"}]}),
            Verdict::Allow,
        ),
        ("move_file", json!({"source": "photos/a.jpg", "destination": "note.txt"}), Verdict::Block),
        ("read_file", json!({"path": "note.txt"}), Verdict::Allow),
    ] {
        assert_eq!(judged(Some("filesystem"), tool, arguments.clone()), want, "{tool} {arguments}");
    }
    let command = json!({"command": "rm -rf photos"});
    assert_eq!(judged(Some("shell"), "run_command", command.clone()), Verdict::Block);
    assert_eq!(judged(None, "bash", command.clone()), Verdict::Block);
    // Where an unknown server runs it is not known: that it is absent here proves nothing.
    let absent = json!({"command": "rm -rf absent"});
    assert_eq!(judged(Some("shell"), "run_command", absent.clone()), Verdict::Allow);
    assert!(judged(Some("acme"), "run_command", absent) >= Verdict::Escalate);
    assert!(judged(Some("acme"), "delete_file", json!({"path": "absent.txt"})) >= Verdict::Escalate);
}

#[test]
fn a_user_file_may_add_a_server_and_only_raise_a_known_tool() {
    use serde_json::json;
    let text = "server = [\"acme\", \"filesystem\"]\nreads = [\"peek_thing\"]\n\
        [tool.read_file]\nargs = [\"path\"]\n[[tool.read_file.effect]]\ndo = \"delete\"\non = \"cloud.resource {path}\"\n\
        [tool.delete_file]\nreads = true\n";
    let knowledge = Knowledge::with_overlay(&[("acme.toml".to_owned(), text.to_owned())]).unwrap();
    let world = MemoryWorld::new().file("/home/u/a", "only here");
    let context = EvaluationContext { cwd: "/home/u".into(), ..EvaluationContext::default() };
    let judged = |server: &str, tool: &str| {
        let call = McpCall::new(Some(server), tool, Some(json!({"path": "a"}))).unwrap();
        evaluate(Input::Mcp(call), &context, &world, &knowledge, &Policy::default()).verdict()
    };
    assert_eq!(judged("acme", "peek_thing"), Verdict::Allow);
    assert_eq!(judged("filesystem", "read_file"), Verdict::Block);
    assert_eq!(judged("filesystem", "delete_file"), Verdict::Block);
}

/// The verdict about a plan of one change, with the expressions of a `local-exec`.
fn planned(change: serde_json::Value, local_exec: serde_json::Value) -> Verdict {
    let plan = serde_json::json!({
        "format_version": "1.2",
        "resource_changes": [change],
        "configuration": { "root_module": { "resources": [{
            "address": "terraform_data.a",
            "provisioners": [{ "type": "local-exec", "expressions": local_exec }],
        }] } },
    });
    let world = MemoryWorld::new()
        .dir("/home/u/docs")
        .file("/home/u/docs/a", "only here")
        .dir("/home/u/infra")
        .file("/home/u/infra/out.txt", "only here");
    let context = EvaluationContext { cwd: "/home/u/infra".into(), ..EvaluationContext::default() };
    let plan = crate::terraform::read(plan.to_string().as_bytes()).unwrap();
    evaluate(Input::terraform(plan), &context, &world, &Knowledge::builtin(), &Policy::default()).verdict()
}

#[test]
fn what_terraform_runs_is_judged_where_and_as_it_runs() {
    use serde_json::json;
    let made = |actions: &[&str]| {
        json!({ "address": "terraform_data.a", "mode": "managed", "type": "terraform_data",
            "change": { "actions": actions, "before": null, "after": { "input": "x" } } })
    };
    let is = |value: &str| json!({ "constant_value": value });
    let elsewhere = || json!({ "references": ["var.x"] });
    for lost in [
        json!({ "command": is("rm -rf $D"), "environment": { "constant_value": { "D": "/home/u/docs" } } }),
        json!({ "command": is("rm -rf docs"), "working_dir": is("..") }),
        json!({ "command": is("rm -rf docs"), "working_dir": is("/home/u") }),
        json!({ "command": is("eval \"$C\""), "environment": { "constant_value": { "C": "rm -rf /home/u/docs" } } }),
        json!({ "command": is("rm -rf /home/u/docs"), "interpreter": { "constant_value": ["bash", "-c"] } }),
        json!({ "command": is("rm -rf docs"), "working_dir": elsewhere() }),
        json!({ "command": is("rm -rf $D"), "environment": elsewhere() }),
        json!({ "command": elsewhere() }),
        json!({ "command": is("ls"), "interpreter": elsewhere() }),
    ] {
        assert!(planned(made(&["create"]), lost.clone()) >= Verdict::Escalate, "{lost}");
        assert!(planned(made(&["create", "forget"]), lost.clone()) >= Verdict::Escalate, "{lost}");
    }
    for fine in [
        json!({ "command": is("rm -rf docs") }),
        json!({ "command": is("echo $D"), "environment": { "constant_value": { "D": "/home/u/docs" } } }),
        json!({ "command": is("echo x"), "working_dir": elsewhere(), "environment": elsewhere() }),
        json!({ "command": is("print(1)"), "interpreter": { "constant_value": ["python3", "-c"] } }),
    ] {
        assert_eq!(planned(made(&["create"]), fine.clone()), Verdict::Allow, "{fine}");
    }
}

#[test]
fn files_and_programs_of_a_plan_are_looked_at() {
    use serde_json::json;
    let change =
        |kind: &str, mode: &str, actions: &[&str], before: serde_json::Value, after: serde_json::Value| {
            json!({ "address": format!("{kind}.a"), "mode": mode, "type": kind,
            "change": { "actions": actions, "before": before, "after": after } })
        };
    let file = |name: &str| {
        change("local_file", "managed", &["create"], json!(null), json!({ "filename": name, "content": "x" }))
    };
    let external =
        |words: &[&str]| change("external", "data", &["read"], json!(null), json!({ "program": words }));
    let runs = |kind: &str| change(kind, "managed", &["create"], json!(null), json!({ "id": "x" }));
    let gone = |kind: &str| change(kind, "managed", &["delete"], json!({ "id": "x" }), json!(null));
    let none = || json!({});
    assert_eq!(planned(file("out.txt"), none()), Verdict::Block);
    assert_eq!(planned(file("/home/u/docs/a"), none()), Verdict::Block);
    assert_eq!(planned(file("new.txt"), none()), Verdict::Allow);
    assert_eq!(planned(external(&["rm", "-rf", "/home/u/docs"]), none()), Verdict::Block);
    assert_eq!(planned(external(&["echo", "{}"]), none()), Verdict::Allow);
    assert!(planned(external(&[]), none()) >= Verdict::Escalate);
    for kind in ["shell_script", "acme_run_command"] {
        assert!(planned(runs(kind), none()) >= Verdict::Escalate, "{kind}");
    }
    for kind in ["acme_policy", "acme_rule", "acme_config", "acme_attachment", "acme_thing"] {
        assert!(planned(gone(kind), none()) >= Verdict::Warn, "{kind}");
        assert_eq!(planned(runs(kind), none()), Verdict::Allow, "{kind}");
    }
}
