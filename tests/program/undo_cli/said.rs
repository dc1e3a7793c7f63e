//! Without a terminal: agents, pipes and programs.

use super::*;
use crate::support::json;

#[test]
fn an_agent_undoes_and_never_forgets() {
    let place = Place::new();
    let output = place.agent(&["exec", "-c", "rm notes.md"]);
    assert_eq!(output.status.code(), Some(0), "{}", both(&output));
    assert_eq!(both(&output), "recourse: kept notes.md (20 bytes): recourse undo\n");
    let id = newest(&place);
    for words in [
        &["kept", "forget", &id, "--yes"][..],
        &["kept", "prune", "--days", "0", "--yes"],
        &["kept", "unpin", &id],
    ] {
        let output = place.agent(words);
        assert_eq!(output.status.code(), Some(1), "{words:?}");
        assert!(
            both(&output).contains("refused: ") && both(&output).contains("only a person may"),
            "{words:?}"
        );
    }
    assert_eq!(place.agent(&["kept", "pin", &id]).status.code(), Some(0));
    assert_eq!(newest(&place), id);
    place.write("notes.md", "meanwhile\n");
    let output = place.agent(&["undo", &id]);
    assert_eq!(output.status.code(), Some(1), "{}", both(&output));
    assert!(both(&output).contains("`--yes` replaces it (it is kept)"), "{}", both(&output));
    assert_eq!(place.read("notes.md").unwrap(), "meanwhile\n");
    assert_eq!(place.agent(&["undo", &id, "--yes"]).status.code(), Some(0));
    assert_eq!(place.read("notes.md").unwrap(), "hello, nowhere else\n");
    assert_eq!(place.agent(&["undo", &id]).status.code(), Some(3));
    assert_eq!(place.agent(&["undo", "ffffffff"]).status.code(), Some(2));
}

#[test]
fn an_agent_that_reaches_for_the_store_reaches_for_the_guard() {
    let place = Place::new();
    place.kept("rm notes.md");
    let id = newest(&place);
    let store = place.scratch.root().join("home/.local/share/recourse/kept");
    let store = store.to_str().unwrap();
    for line in [
        format!("rm -rf {store}"),
        "rm -rf ~/.local/share/recourse/kept".to_owned(),
        "rm -rf ~/.local/share/recourse".to_owned(),
        format!("find {store} -type f -delete"),
        format!("chmod -R 777 {store}"),
        format!("mv {store} /tmp/x"),
        format!("recourse kept forget {id}"),
        "recourse kept prune --days 0".to_owned(),
        format!("recourse kept unpin {id}"),
        "printf '[keep]\\nwhen = \"never\"\\n' > .recourse.toml".to_owned(),
    ] {
        let words = ["evaluate", "shell", "--profile", "agent", "--format", "json", "--", &line];
        let report = json(&place.agent(&words));
        let stopped = matches!(report["enforcement"]["action"].as_str(), Some("ask" | "refuse"));
        let new = line.contains(".recourse.toml");
        assert!(stopped || new, "{line}: {report:#}");
        assert!(report["keepFirst"].is_null(), "{line}: {report:#}");
    }
    for line in
        [format!("recourse undo {id}"), "recourse kept".to_owned(), format!("recourse kept show {id}")]
    {
        let words = ["evaluate", "shell", "--profile", "agent", "--format", "json", "--", &line];
        let report = json(&place.agent(&words));
        assert_eq!(report["enforcement"]["action"], "run", "{line}: {report:#}");
    }
}

#[test]
fn evaluate_says_what_exec_would_do_and_keeps_nothing() {
    let place = Place::new();
    let words = |profile: &'static str| {
        ["evaluate", "shell", "--profile", profile, "--format", "json", "--", "rm notes.md"]
    };
    for profile in ["human", "agent"] {
        let output = place.run(&words(profile));
        assert_eq!(output.status.code(), Some(30));
        let report = json(&output);
        assert_eq!(report["riskAssessment"], "block");
        assert_eq!(report["enforcement"]["action"], "refuse");
        let kept = serde_json::json!({ "riskAssessment": "allow", "action": "run", "keeps": ["notes.md"] });
        assert_eq!(report["keepFirst"], kept, "{report:#}");
    }
    assert!(json(&place.run(&words("ci")))["keepFirst"].is_null());
    for command in ["evaluate", "explain"] {
        let asked: &[&str] = if command == "evaluate" { &["evaluate", "shell"] } else { &["explain"] };
        // Nobody could be asked here, so `exec` would refuse.
        let proj = place.proj().display().to_string();
        let there = [asked, &["--cwd", proj.as_str(), "rm notes.md"]].concat();
        let text = both(&place.scratch.run_detached(&there, ""));
        assert!(text.contains("recourse: blocked:"), "{text}");
        assert!(!text.contains("would keep it first"), "{text}");
        let words = [asked, &["--profile", "human", "rm notes.md"]].concat();
        let text = both(&place.run(&words)).replace("\n  ", " ");
        assert!(text.contains("recourse: blocked:"), "{text}");
        assert!(
            text.contains("`recourse exec` would keep it first, then run it; `recourse undo` brings it back"),
            "{text}"
        );
    }
    assert!(!exists(&place.scratch.root().join("home/.local/share/recourse/kept")));
    place.scratch.policy("[keep]\nwhen = \"ask\"\n");
    assert!(json(&place.run(&words("human")))["keepFirst"].is_null());
}

#[test]
fn parts_copies_and_differences() {
    let place = Place::new();
    place.write("src/a.txt", "one\ntwo\nthree\n");
    place.write("src/b.txt", "b\n");
    place.kept("rm -r src notes.md");
    let id = newest(&place);
    let output = place.run(&["undo", &id, "--diff"]);
    assert_eq!(output.status.code(), Some(0));
    let text = both(&output);
    assert!(text.contains("+++ b/src/a.txt") && text.contains("+two"), "{text}");
    assert!(!place.has("src"), "a difference changes nothing");
    let output = place.run(&["undo", &id, "--to", "was"]);
    assert_eq!(output.status.code(), Some(0), "{}", both(&output));
    let beside = place.proj().join("was").join(place.proj().strip_prefix("/").unwrap()).join("src/a.txt");
    assert_eq!(fs::read_to_string(beside).unwrap(), "one\ntwo\nthree\n");
    assert!(!place.has("src"));
    let output = place.run(&["undo", &id, "--", "src/a.txt"]);
    assert_eq!(output.status.code(), Some(0), "{}", both(&output));
    assert!(place.has("src/a.txt") && !place.has("src/b.txt") && !place.has("notes.md"));
    assert_eq!(place.run(&["undo", &id, "--", "elsewhere"]).status.code(), Some(3));
    // What is back stays; the rest follows.
    let output = place.run(&["undo", &id, "--yes"]);
    assert_eq!(output.status.code(), Some(0), "{}", both(&output));
    assert!(place.has("src/b.txt") && place.has("notes.md"));
}

#[test]
fn programs_read_it() {
    let place = Place::new();
    place.kept("rm notes.md");
    let list = json(&place.run(&["undo", "--list", "--format", "json"]));
    assert_eq!(list["schemaVersion"], "recourse.kept.v1");
    let point = &list["points"][0];
    assert_eq!(point["command"], "rm notes.md");
    assert_eq!((point["files"].as_u64(), point["bytes"].as_u64()), (Some(1), Some(20)));
    assert_eq!((point["made"].as_str(), point["undone"].as_bool()), (Some("loss"), Some(false)));
    assert!(point["who"].as_str().is_some_and(|who| who.contains('/')), "{point:#}");
    let id = point["id"].as_str().unwrap();
    let shown = json(&place.run(&["kept", "show", id, "--format", "json"]));
    let steps = shown["steps"].as_array().unwrap();
    let notes = steps.iter().find(|step| step["path"].as_str().unwrap().ends_with("/notes.md")).unwrap();
    assert_eq!((notes["step"].as_str(), notes["was"].as_str()), (Some("back"), Some("file")), "{shown:#}");
    place.write("notes.md", "other\n");
    let output = place.run(&["undo", "--format", "json"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(json(&output)["result"], "needs-yes");
    let output = place.run(&["undo", "--format", "json", "--yes"]);
    assert_eq!(output.status.code(), Some(0));
    let done = json(&output);
    assert_eq!((done["result"].as_str(), done["back"].as_u64()), (Some("back"), Some(1)));
    assert!(done["redo"].is_string() && output.stderr.is_empty(), "{done:#}");
    assert_eq!(json(&place.run(&["undo", "--format", "json"]))["result"], "nothing");
    assert!(json(&place.run(&["kept", "--format", "json"]))["points"][1]["undone"].as_bool().unwrap());
}

#[test]
fn pinned_ones_are_not_pruned() {
    let place = Place::new();
    place.kept("rm notes.md");
    let pinned = newest(&place);
    place.write("other.md", "nowhere else too\n");
    place.kept("rm other.md");
    assert_eq!(place.run(&["kept", "pin", &pinned]).status.code(), Some(0));
    let text = both(&place.run(&["kept"]));
    assert!(text.contains("pinned"), "{text}");
    if crate::support::no_person_here() {
        return;
    }
    assert_eq!(place.run(&["kept", "prune"]).status.code(), Some(0));
    let all = json(&place.run(&["kept", "--format", "json"]));
    assert_eq!(all["points"].as_array().unwrap().len(), 2, "none is old");
    assert_eq!(place.run(&["kept", "prune", "--days", "0", "--yes"]).status.code(), Some(0));
    let left = json(&place.run(&["kept", "--format", "json"]));
    assert_eq!(left["points"].as_array().unwrap().len(), 1);
    assert_eq!(left["points"][0]["id"], pinned.as_str());
    let shown = both(&place.run(&["kept", "show", &pinned]));
    assert!(shown.contains("until it is forgotten (pinned)") && shown.contains("gone      "), "{shown}");
}

#[test]
fn the_doctor_looks_at_the_store() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let finding = |place: &Place| {
        let report = json(&place.run(&["doctor", "--format", "json"]));
        let found =
            report["findings"].as_array().unwrap().iter().find(|found| found["what"] == "kept").cloned();
        found.unwrap()
    };
    assert!(finding(&place)["detail"].as_str().unwrap().contains("nothing is kept"));
    place.kept("rm notes.md");
    let found = finding(&place);
    let detail = found["detail"].as_str().unwrap();
    assert!(detail.contains("1 recovery point, 20 bytes") && detail.contains("oldest"), "{detail}");
    assert_eq!(found["state"], "good", "{detail}");
    let store = place.scratch.root().join("home/.local/share/recourse/kept");
    fs::set_permissions(&store, fs::Permissions::from_mode(0o777)).unwrap();
    let found = finding(&place);
    assert_eq!(found["state"], "lacking", "{found:#}");
    assert!(found["detail"].as_str().unwrap().contains("others can get at"), "{found:#}");
    // What others can get at is not used: it is asked about as if nothing could be kept.
    place.write("more.md", "nowhere else either\n");
    let output = place.agent(&["exec", "-c", "rm more.md"]);
    assert_eq!(output.status.code(), Some(126), "{}", both(&output));
    assert!(both(&output).contains("it could not be kept first"), "{}", both(&output));
    assert!(place.has("more.md"));
}

#[test]
fn the_doctor_says_where_nothing_can_be_kept() {
    let place = Place::new();
    place.write(".recourse.toml", "[keep]\nwhen = \"never\"\n");
    let said = both(&place.run(&["doctor"]));
    assert!(said.contains("lacking  kept            nothing is kept here: the policy says"), "{said}");
    place.write(".recourse.toml", "[keep]\nfree = 100\n");
    place.kept("chmod 600 notes.md");
    let said = both(&place.run(&["doctor"]));
    assert!(said.contains("lacking  kept            only what is little is kept first"), "{said}");
}

#[test]
fn a_store_that_was_opened_is_said_and_closed_by_one_command() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    place.kept("rm notes.md");
    place.write("src/a.txt", "a");
    let own = place.scratch.root().join("home/.local");
    let chmod = |mode: &str| {
        let done = std::process::Command::new("chmod").args(["-R", mode]).arg(&own).status().unwrap();
        assert!(done.success());
    };
    chmod("777");
    for words in [&["undo", "--yes"][..], &["kept"]] {
        let said = both(&place.run(words));
        assert!(said.contains("recourse doctor --repair"), "{words:?}: {said}");
    }
    // What would only be kept for ease is not lost in silence.
    let said = both(&place.agent(&["exec", "-c", "chmod -R 000 src"]));
    assert!(said.contains("not kept: others can get at"), "{said}");
    let report = place.run(&["doctor"]);
    assert!(both(&report).contains("BROKEN   modes"), "{}", both(&report));
    let said = both(&place.run(&["doctor", "--repair"]));
    assert!(said.contains("closed to others: ") && !said.contains("BROKEN   modes"), "{said}");
    let said = both(&place.run(&["undo", "--yes"]));
    assert_eq!(place.read("notes.md").as_deref(), Some("hello, nowhere else\n"), "{said}");
    let store = own.join("share/recourse/kept");
    assert_eq!(std::fs::metadata(store).unwrap().permissions().mode() & 0o777, 0o700);
    // The way there is a question for a person, and stops an agent.
    let said = both(&place.run(&["explain", "chmod -R 777 ~"]));
    assert!(said.contains("needs a decision: ") && said.contains("ssh refuses keys"), "{said}");
}
