//! Where it is not known that this is the machine, nothing here is a fact: by a list, and by a property over all commands
//! that the other tests know.

use std::path::{Path, PathBuf};

use recourse::evaluate::{Evaluation, EvaluationContext, Input, evaluate};
use recourse::knowledge::Knowledge;
use recourse::model::Verdict;
use recourse::policy::Policy;
use recourse::shell;
use recourse::world::RealWorld;

/// A directory that no machine has that runs this.
const NOT_HERE: &str = "/home/somebody/else/project";

fn judged(command: &str, cwd: &str) -> Evaluation {
    let context =
        EvaluationContext { cwd: PathBuf::from(cwd), anywhere: true, ..EvaluationContext::default() };
    let input = Input::Shell(shell::Input::Text(command.to_owned()));
    evaluate(input, &context, &RealWorld::new(), &Knowledge::builtin(), &Policy::default())
}

/// The same on a machine that is known to be another.
fn over_there(command: &str) -> Evaluation {
    judged(&shell_words::join(["ssh", "host", command]), "")
}

#[test]
fn what_cannot_be_seen_is_never_taken_for_absent() {
    let mut wrong = Vec::new();
    for line in include_str!("../data/elsewhere.txt").lines() {
        let Some((want, command)) = line.split_once(' ').filter(|(want, _)| *want != "#") else { continue };
        for cwd in ["", NOT_HERE] {
            let got = judged(command, cwd).verdict();
            let fine = match want {
                "stop" => got >= Verdict::Escalate,
                "allow" => got == Verdict::Allow,
                other => panic!("{other}: neither stop nor allow"),
            };
            if !fine {
                wrong.push(format!("{got:?} {cwd:?}: {line}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What a shell of our own tells that the shell of another machine does not: its arithmetic, and names that it makes up itself.
fn told_by_the_shell(command: &str) -> bool {
    ["mktemp", "$((", "/.."].iter().any(|part| command.contains(part))
}

#[test]
fn an_unknown_machine_is_never_judged_more_mildly_than_another_one() {
    let evasions = include_str!("../data/evasions.txt").lines().filter(|line| !line.starts_with("##"));
    let oracle = include_str!("../data/oracle.txt").split("\n%%\n");
    let listed = include_str!("../data/elsewhere.txt").lines().filter_map(|line| {
        line.split_once(' ').filter(|(want, _)| matches!(*want, "stop" | "allow")).map(|(_, command)| command)
    });
    let all = evasions.chain(oracle).chain(listed).filter(|command| !command.trim().is_empty());
    let mut wrong = Vec::new();
    let mut count = 0;
    for command in all.filter(|command| !told_by_the_shell(command)) {
        let there = over_there(command).verdict();
        count += 1;
        for cwd in ["", NOT_HERE] {
            let got = judged(command, cwd).verdict();
            if got < there {
                wrong.push(format!("{got:?} {cwd:?}, over ssh {there:?}: {command}"));
            }
        }
    }
    assert!(count > 300, "only {count} commands were compared");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn nothing_of_this_machine_is_said() {
    let scratch = tempfile::tempdir().unwrap();
    std::fs::write(scratch.path().join("telltale.txt"), "x").unwrap();
    std::fs::write(scratch.path().join("telltale.sh"), "telltale_command now\n").unwrap();
    let there = scratch.path().display().to_string();
    let home = std::env::var("HOME").unwrap_or_default();
    for command in [
        format!("rm -rf {there}/*"),
        format!("find {there} -delete"),
        format!("rm {there}/*.txt"),
        format!("bash {there}/*.sh"),
        format!("cd {there} && ls | xargs rm"),
        format!("for f in {there}/*; do rm \"$f\"; done"),
        "rm -rf \"$HOME\" \"$PATH\" ~/x".to_owned(),
    ] {
        let report = serde_json::to_string(&judged(&command, "").report).unwrap();
        assert!(!report.contains("telltale"), "{command}: {report}");
        assert!(
            Path::new(&home) == Path::new("/")
                || home.is_empty()
                || !report.contains(&home)
                || command.contains(&home)
        );
    }
}
