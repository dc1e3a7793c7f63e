//! What comes of nothing: filters of what is not there, commands that their program refuses, names that nothing bears.

use std::fs;
use std::process::Command;

fn wrong(commands: &[&str], stopped: bool) -> Vec<String> {
    let root = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let directory = root.path().join("home/proj");
    fs::create_dir_all(directory.join("kept")).unwrap();
    for file in ["notes.md", "draft.md", "kept/plan.md", "rm"] {
        fs::write(directory.join(file), format!("words of {file} that stand nowhere else\n")).unwrap();
    }
    let verdict = |command: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_recourse"))
            .args(["evaluate", "shell", "--format", "json", "--fail-on", "never", "--", command])
            .current_dir(&directory)
            .env_clear()
            .envs([("PATH", "/usr/local/bin:/usr/bin:/bin"), ("SHELL", "/bin/bash")])
            .env("HOME", root.path().join("home"))
            .output()
            .unwrap();
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        report["riskAssessment"].as_str().unwrap().to_owned()
    };
    let judged = commands.iter().map(|command| (verdict(command), command));
    judged
        .filter(|(verdict, _)| matches!(verdict.as_str(), "escalate" | "block") != stopped)
        .map(|(verdict, command)| format!("{verdict}: {command}"))
        .collect()
}

#[test]
fn nothing_comes_of_nothing() {
    let wrong = wrong(
        &[
            "find nowhere -type f | sort -k1,1nr | head -n 5 | xargs rm -f",
            "find nowhere -type f -printf '%p %s\\n' | sort -n | cut -d' ' -f1 | xargs rm",
            "ls -l nowhere | grep somebody | awk '{print $9}' | xargs rm -rf",
            "ls -lt nowhere | tail -n +4 | sed 's/^/x/' | tr -d ' ' | uniq -c | xargs rm -rf",
            // The command's own name is never replaced.
            "ls | xargs -i {} basename {}",
            "ls | xargs -I {} {} -f notes.md",
            // Refused before anything is done.
            "mkdir -p -f new",
            "cp -r kept copy --exclude=x",
            "tar -czf new.tgz kept --modified-since=2023-02-25",
            "rm -rf nowhere/* --owner nobody",
            "xargs -0 -p4 gzip < /dev/null",
            // A line that waits for a file runs nothing.
            "git clone <url>",
            "cd <directory>",
            "git restore",
            // What is known before it runs.
            "du -h kept/*.md | awk '{print $2}' | sed \"s/^/$(hostname) /\"",
        ],
        false,
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn something_comes_of_something() {
    let wrong = wrong(
        &[
            "find . -name 'n*.md' | sort -k1,1nr | head -n 5 | xargs rm -f",
            "ls -l | grep md | awk '{print $9}' | xargs rm -rf",
            // Printed before the first line, behind the last one, or though there is none.
            "ls nowhere | awk 'BEGIN {print \"notes.md\"} {print}' | xargs rm",
            "ls nowhere | awk 'END {print \"notes.md\"}' | xargs rm",
            "ls nowhere | grep -L x | sed 's/.*/notes.md/' | xargs rm",
            "ls nowhere | grep -c x | sed 's/.*/notes.md/' | xargs rm",
            "ls nowhere | grep -r words | cut -d: -f1 | xargs rm",
            "ls nowhere | sort - notes.md | xargs rm",
            "ls nowhere | cat - rm | sed 's/.*/notes.md/' | xargs rm",
            "ls nowhere notes.md | xargs rm",
            "find nowhere kept -type f | xargs rm",
            // Others replace it all the same, and what stands behind it is replaced anyway.
            "echo rm | busybox xargs -I {} {} notes.md",
            "echo notes.md | xargs -I {} rm {}",
            "echo notes.md | xargs -I rm rm rm",
            // What its program would refuse is judged as if it did not.
            "rm -rf kept --owner nobody",
            "mv draft.md notes.md -Q",
            "rm notes.md # <file>",
            "rm notes.md; echo '<file>'",
            "rm notes.md\necho <file>",
            "zsh -c 'rm <1-5>; rm notes.md'",
        ],
        true,
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
