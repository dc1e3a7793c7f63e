//! What was judged is what is read: files that change between the last look and the reading, or while the command runs.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::support::{Scratch, exists};

const ALLOW: &str = "[[rule]]\nverdict = \"allow\"\n";

/// A scratch where nothing runs without its attestation; it signs by itself.
fn requiring(mode: &str) -> Scratch {
    let scratch = Scratch::with_policy(ALLOW);
    scratch.config(&format!("[attestation]\nmode = \"{mode}\"\n"));
    scratch
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Puts another file in the place of one, at once.
fn swap(scratch: &Scratch, name: &str, text: &str) {
    let aside = scratch.root().join("aside");
    fs::write(&aside, text).unwrap();
    fs::set_permissions(&aside, fs::Permissions::from_mode(0o755)).unwrap();
    fs::rename(&aside, scratch.work().join(name)).unwrap();
}

/// Runs a command that says when it runs (`begun`), and changes something then.
fn changed_while(scratch: &Scratch, words: &[&str], change: impl FnOnce()) -> Output {
    let mut all = vec!["exec", "--"];
    all.extend(words);
    let mut command = scratch.recourse(&all);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let child = command.spawn().unwrap();
    for _ in 0..3000 {
        if exists(&scratch.work().join("begun")) {
            break;
        }
        thread::sleep(Duration::from_millis(10));
    }
    change();
    fs::write(scratch.work().join("go"), "").unwrap();
    child.wait_with_output().unwrap()
}

/// Waits until the change was made.
const WAIT: &str = "touch begun; until [ -e go ]; do sleep 0.05; done";

#[test]
fn what_is_swapped_while_the_command_runs_is_read_as_it_was_judged() {
    if !cfg!(target_os = "linux") {
        return crate::support::skipped("nobody answers for the kernel here");
    }
    for mode in ["require", "verify"] {
        let rows: [(&str, &str, &str, &str); 4] = [
            (". ./part.sh", "part.sh", "touch one\n", "touch two\n"),
            ("bash part.sh", "part.sh", "touch one\n", "touch two\n"),
            ("./part.sh", "part.sh", "#!/bin/sh\ntouch one\n", "#!/bin/sh\ntouch two\n"),
            ("make -s deploy", "Makefile", "deploy:\n\ttouch one\n", "deploy:\n\ttouch two\n"),
        ];
        for (then, name, judged, other) in rows {
            let scratch = requiring(mode);
            swap(&scratch, name, judged);
            scratch.file("deploy.sh", format!("{WAIT}\n{then}\n"));
            let output = changed_while(&scratch, &["bash", "deploy.sh"], || swap(&scratch, name, other));
            let text = said(&output);
            assert_eq!(output.status.code(), Some(0), "{mode} {then}: {text}");
            assert!(exists(&scratch.work().join("one")), "{mode} {then}: {text}");
            assert!(!exists(&scratch.work().join("two")), "{mode} {then}: {text}");
            assert!(text.contains("it was read as it was judged"), "{mode} {then}: {text}");
        }
    }
}

/// A link above a script leads to the script that was judged, also when it leads elsewhere by then.
#[test]
fn a_link_that_is_turned_is_no_way_to_another_script() {
    let made = |mode: &str| {
        let scratch = requiring(mode);
        scratch.file("first/part.sh", "touch one\n");
        scratch.file("second/part.sh", "touch two\n");
        symlink("first", scratch.work().join("current")).unwrap();
        scratch
    };
    let turn = |scratch: &Scratch| {
        symlink("second", scratch.work().join("next")).unwrap();
        fs::rename(scratch.work().join("next"), scratch.work().join("current")).unwrap();
    };
    if cfg!(target_os = "linux") {
        let scratch = made("require");
        scratch.file("deploy.sh", format!("{WAIT}\n. current/part.sh\n"));
        let output = changed_while(&scratch, &["bash", "deploy.sh"], || turn(&scratch));
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        assert!(exists(&scratch.work().join("one")) && !exists(&scratch.work().join("two")));
    }
    if crate::support::no_person_here() {
        return;
    }
    let scratch = made("ignore");
    scratch.policy("[[rule]]\nverdict = \"escalate\"\n");
    let words = [crate::support::program(), "exec", "--", "bash", "current/part.sh"];
    let mut terminal = scratch.in_terminal(&words);
    terminal.expect("Your decision");
    turn(&scratch);
    terminal.send("r");
    let (status, text) = terminal.finish();
    assert_eq!(status, 126, "{text}");
    assert!(text.contains("when it was judged") || text.contains("after it was judged"), "{text}");
    assert!(!exists(&scratch.work().join("one")) && !exists(&scratch.work().join("two")));
}

#[test]
fn operands_that_another_program_swaps_are_not_read() {
    if !cfg!(target_os = "linux") {
        return crate::support::skipped("nobody answers for the kernel here");
    }
    let scratch = requiring("require");
    scratch.file("list", "one\n");
    let text = format!("{WAIT}; xargs touch < list");
    let output = changed_while(&scratch, &["bash", "-c", &text], || swap(&scratch, "list", "two\n"));
    assert_ne!(output.status.code(), Some(0), "{}", said(&output));
    assert!(said(&output).contains("reading it was refused"), "{}", said(&output));
    assert!(!exists(&scratch.work().join("two")) && !exists(&scratch.work().join("one")));
}

/// A loop swaps the file the whole time: whatever is judged is what runs, or nothing does.
#[test]
fn a_race_is_never_won_by_what_was_not_judged() {
    if !cfg!(target_os = "linux") {
        return crate::support::skipped("nobody answers for the kernel here");
    }
    for words in [&["bash", "deploy.sh"][..], &["./deploy.sh"]] {
        let scratch = requiring("require");
        let (good, bad) = ("#!/bin/bash\ntouch one\n", "#!/bin/bash -u\ntouch two\n");
        swap(&scratch, "deploy.sh", good);
        let evaluate: Vec<&str> = ["evaluate", "shell", "--fail-on", "never", "--format", "json", "--"]
            .into_iter()
            .chain(words.iter().copied())
            .collect();
        let (ended, mut refused, mut ran) = (AtomicBool::new(false), 0, 0);
        let (ended, scratch) = (&ended, &scratch);
        thread::scope(|scope| {
            for round in 0..24 {
                swap(scratch, "deploy.sh", good);
                let attestation: Value = crate::support::json(&scratch.run(&evaluate));
                let file = scratch.root().join("a.json");
                fs::write(&file, attestation["attestation"].to_string()).unwrap();
                let file = file.display().to_string();
                let mut all = vec!["exec", "--attestation", &file, "--"];
                all.extend(words);
                ended.store(false, Ordering::Relaxed);
                let swaps = scope.spawn(move || {
                    thread::sleep(Duration::from_millis(round * 3));
                    while !ended.load(Ordering::Relaxed) {
                        swap(scratch, "deploy.sh", bad);
                        thread::sleep(Duration::from_micros(300));
                        swap(scratch, "deploy.sh", good);
                        thread::sleep(Duration::from_millis(2));
                    }
                });
                let output = scratch.run(&all);
                ended.store(true, Ordering::Relaxed);
                swaps.join().unwrap();
                let text = said(&output);
                assert!(!exists(&scratch.work().join("two")), "{words:?}: {text}");
                match output.status.code() {
                    Some(0) => ran += 1,
                    Some(126) => refused += 1,
                    other => panic!("{other:?}: {text}"),
                }
            }
        });
        eprintln!("{words:?}: {ran} ran, {refused} were refused");
    }
}

/// What a script can see of itself: its name, its directory, its file by another descriptor, its mode and time, its arguments.
#[test]
fn a_script_sees_itself_as_ever() {
    let text = "#!/bin/bash\n\
        echo \"$0|$BASH_SOURCE|$(cd \"$(dirname \"$0\")\" && pwd)|$*\"\n\
        exec 9< \"$0\"; readlink /proc/self/fd/9; flock -n 9 && echo locked\n\
        stat -c '%a %Y %s' \"$0\"; stat -Lc '%a %Y %s' /proc/$$/fd/255\n\
        . ./part.sh\n\
        printf 'echo its own\\n' > part.sh\n\
        bash part.sh\n\
        exit 3\n";
    let run = |mode: &str| -> (Option<i32>, String, PathBuf) {
        let scratch = requiring(mode);
        swap(&scratch, "deploy.sh", text);
        scratch.file("part.sh", "echo \"part of $0, $BASH_SOURCE\"\n");
        let output = scratch.run(&["exec", "--", "./deploy.sh", "a b", "c"]);
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        let work = scratch.work().canonicalize().unwrap();
        assert!(!said(&output).contains("changed"), "{}", said(&output));
        (output.status.code(), shown, work)
    };
    let lines = |(status, shown, work): (Option<i32>, String, PathBuf)| -> Vec<String> {
        assert_eq!(status, Some(3), "{shown}");
        let here = work.display().to_string();
        let lines: Vec<String> = shown.lines().map(|line| line.replace(&here, "HERE")).collect();
        let (by_name, open) = (&lines[3], &lines[4]);
        assert_eq!(by_name, open, "{shown}");
        // The time is that of each run.
        lines
            .iter()
            .enumerate()
            .filter(|(at, _)| ![3, 4].contains(at))
            .map(|(_, line)| line.clone())
            .collect()
    };
    let bound = lines(run("require"));
    assert_eq!(bound, lines(run("ignore")));
    assert!(bound.iter().any(|line| line == "HERE/deploy.sh") && bound.iter().any(|line| line == "its own"));
}

#[test]
fn a_program_that_is_swapped_while_a_person_is_asked_does_not_run() {
    if crate::support::no_person_here() {
        return;
    }
    let scratch = Scratch::with_policy("[[rule]]\nverdict = \"escalate\"\n");
    let put = |from: &str| {
        let (aside, tool) = (scratch.root().join("aside"), scratch.work().join("tool"));
        fs::copy(from, &aside).unwrap();
        fs::set_permissions(&aside, fs::Permissions::from_mode(0o755)).unwrap();
        fs::rename(&aside, &tool).unwrap();
    };
    put("/bin/true");
    let mut terminal = scratch.in_terminal(&[crate::support::program(), "exec", "--", "./tool", "ran"]);
    terminal.expect("Your decision");
    put("/bin/touch");
    terminal.send("r");
    let (status, text) = terminal.finish();
    assert_eq!(status, 126, "{text}");
    assert!(text.contains("tool changed after it was judged"), "{text}");
    assert!(!exists(&scratch.work().join("ran")));
}

/// What a command reads although no word names it, where it runs or in a directory that a word names.
#[test]
fn files_that_no_word_names_are_compared() {
    let rows: [(&[&str], &str); 14] = [
        (&["docker", "build", "-t", "x", "."], "Dockerfile"),
        (&["docker", "build", "sub"], "sub/Dockerfile"),
        (&["podman", "build", "."], "Containerfile"),
        (&["docker", "compose", "up", "-d"], "compose.yaml"),
        (&["docker", "compose", "down", "-v"], "docker-compose.yml"),
        (&["docker-compose", "run", "x", "rm", "-rf", "/x"], "docker-compose.yml"),
        (&["make", "deploy"], "Makefile"),
        (&["npm", "run", "deploy"], "package.json"),
        (&["just", "deploy"], "justfile"),
        (&["task", "deploy"], "Taskfile.yml"),
        (&["rake", "db:drop"], "Rakefile"),
        (&["vagrant", "destroy", "-f"], "Vagrantfile"),
        (&["kubectl", "apply", "-k", "sub"], "sub/kustomization.yaml"),
        (&["skaffold", "delete"], "skaffold.yaml"),
    ];
    for (words, name) in rows {
        let scratch = requiring("require");
        let text = match name {
            "package.json" => "{\"scripts\": {\"deploy\": \"touch one\"}}\n",
            "Taskfile.yml" => "version: '3'\ntasks:\n  deploy:\n    cmds:\n      - touch one\n",
            "Makefile" | "justfile" => "deploy:\n\ttouch one\n",
            _ => "# what there is\n",
        };
        scratch.file(name, text);
        let mut all = vec!["evaluate", "shell", "--fail-on", "never", "--format", "json", "--"];
        all.extend(words);
        let attestation = crate::support::json(&scratch.run(&all))["attestation"].clone();
        let place = Path::new(name).file_name().unwrap().to_str().unwrap();
        let materials = attestation["output"]["materials"].to_string();
        assert!(materials.contains(&format!("/{place}\"")), "{words:?}: {materials}");
        scratch.file(name, format!("{text}# and more\n"));
        let file = scratch.root().join("a.json");
        fs::write(&file, attestation.to_string()).unwrap();
        let file = file.display().to_string();
        let mut all = vec!["exec", "--attestation", &file, "--"];
        all.extend(words);
        let output = scratch.run(&all);
        // Programs that are not here are not looked for.
        if output.status.code() != Some(127) {
            assert_eq!(output.status.code(), Some(126), "{words:?}: {}", said(&output));
            assert!(said(&output).contains(place), "{words:?}: {}", said(&output));
        }
    }
}
