//! The examples of `guard.toml`, judged as an agent's on a machine where recourse is installed.

use serde::Deserialize;

use super::*;
use crate::model::ActorKind;
use crate::world::MemoryWorld;

#[derive(Deserialize)]
struct Data {
    example: Vec<Example>,
}

#[derive(Deserialize)]
struct Example {
    run: Vec<String>,
    is: String,
}

fn machine() -> MemoryWorld {
    let hook = "{\"hooks\": {\"PreToolUse\": [{\"command\": \"/home/u/.local/bin/recourse hook x\"}]}}";
    let shim = "#!/bin/sh\n# Written by `recourse shim add`; `recourse shim remove` takes it away.\n\
                RECOURSE_SHIM=terraform\nexport RECOURSE_SHIM\nexec /home/u/.local/bin/recourse exec -- terraform \"$@\"\n";
    MemoryWorld::new()
        .user_home("u", "/home/u")
        .env("HOME", "/home/u")
        .env("PATH", "/home/u/.local/share/recourse/shims:/home/u/.local/bin:/usr/bin:/bin")
        .env("RECOURSE_ATTESTATION_MODE", "verify")
        .file("/home/u/.config/recourse/policy.toml", "[profile.agent]\n")
        .file("/home/u/.config/other/x", "x")
        .file("/home/u/.claude/settings.json", hook)
        .dir("/home/u/.claude/todos")
        .file("/home/u/.codex/hooks.json", hook)
        .file("/home/u/.config/opencode/plugins/recourse.js", hook)
        .file("/home/u/.bashrc", "eval \"$(recourse init bash)\"\n")
        .file("/home/u/.zshrc", "eval \"$(recourse init zsh)\"\n")
        .file("/home/u/.local/bin/recourse", "\u{0}ELF")
        .mode("/home/u/.local/bin/recourse", 0o755)
        .file("/home/u/.local/share/recourse/shims/terraform", shim)
        .mode("/home/u/.local/share/recourse/shims/terraform", 0o700)
        .file("/home/u/.local/share/recourse/kept/lock", "")
        .dir("/home/u/.local/state/recourse/approvals")
        .file("/etc/recourse/policy.toml", "")
        .link("/proc/4711/exe", "/home/u/.local/bin/recourse")
        .link("/proc/12345/exe", "/usr/bin/node")
        .link("/proc/self/exe", "/home/u/.local/bin/recourse")
        .file("/w/.claude/settings.json", hook)
        .file("/w/other/.claude/settings.json", "{\"model\": \"x\"}")
        .file("/w/ids", "0123456789ab\n")
        .dir("/tmp/empty")
}

fn judged(text: &str, profile: Profile) -> Evaluation {
    let context = EvaluationContext {
        cwd: "/w".into(),
        profile: Some(profile),
        actor: (profile == Profile::Agent)
            .then(|| Actor { id: "agent/x".to_owned(), kind: ActorKind::Agent }),
        ..EvaluationContext::default()
    };
    let input = Input::Shell(shell::Input::Text(text.to_owned()));
    evaluate(input, &context, &machine(), &Knowledge::builtin(), &Policy::default())
}

#[test]
fn what_guards_is_guarded_and_its_neighbours_are_free() {
    let data: Data = toml::from_str(include_str!("../knowledge/guard.toml")).unwrap();
    let mut wrong = Vec::new();
    let mut count = 0;
    for example in &data.example {
        assert!(["guarded", "free"].contains(&example.is.as_str()), "{}", example.is);
        for text in &example.run {
            count += 1;
            let evaluation = judged(text, Profile::Agent);
            assert!(!evaluation.internal_error, "{text}");
            let report = &evaluation.report;
            let said = report.mutations.iter().find(|mutation| mutation.intent.target.r#type == "guard");
            let stopped = report
                .enforcement
                .as_ref()
                .is_some_and(|e| e.action >= crate::policy::EnforcementAction::Ask);
            let right = match example.is.as_str() {
                "guarded" => {
                    said.is_some_and(|m| m.recoverability.reasoning.contains("a person has to do it"))
                        && stopped
                }
                _ => said.is_none(),
            };
            if !right {
                wrong.push(format!("{text}: should be {}: {said:?}", example.is));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 150, "{count}");
}

#[test]
fn a_person_configures_what_is_theirs() {
    for text in [
        "recourse init claude-code --uninstall",
        "export RECOURSE_POLICY=/tmp/x",
        "touch ~/.config/recourse/policy.toml",
        "kill 4711",
    ] {
        let evaluation = judged(text, Profile::Human);
        let asked = evaluation.report.enforcement.as_ref().map(|enforcement| enforcement.action);
        assert!(asked < Some(crate::policy::EnforcementAction::Ask), "{text}: {asked:?}");
    }
}
