//! Bash itself as oracle: whatever command it would look up for a snippet is in our tree or under a gap.
//!
//! A snippet runs with an empty PATH, in an empty directory, with a `command_not_found_handle` that writes its arguments
//! down. Words that only exist at run time cannot be compared; they match anything.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use recourse::syntax::{CommandKind, Gap, Part, Script, Visit, Word, parse, walk};

const BASH: &str = "/bin/bash";
const PRELUDE: &str = "command_not_found_handle() { local IFS=$'\\x1f'; printf '%s\\x1e' \"$*\" >>\"$RECOURSE_ORACLE_LOG\"; return 0; }\n";

/// The commands that bash looked up, each with its arguments.
fn looked_up(snippet: &str) -> Vec<Vec<String>> {
    let directory = tempfile::tempdir().unwrap();
    let inside = directory.path().join("cwd");
    let log = directory.path().join("log");
    let script = directory.path().join("script");
    std::fs::create_dir(&inside).unwrap();
    std::fs::write(&script, format!("{PRELUDE}{snippet}\n")).unwrap();
    let mut child = Command::new(BASH)
        .args(["--norc", "--noprofile"])
        .arg(&script)
        .current_dir(&inside)
        .env_clear()
        .env("PATH", "/nonexistent")
        .env("RECOURSE_ORACLE_LOG", &log)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + Duration::from_secs(10);
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > deadline {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("bash does not end for {snippet:?}");
        }
        std::thread::sleep(Duration::from_micros(300));
    }
    // What runs in the background may still write.
    std::thread::sleep(Duration::from_millis(
        u64::from(snippet.contains(['&', '>']) || snippet.contains("coproc")) * 15,
    ));
    read_log(&log)
}

fn read_log(log: &Path) -> Vec<Vec<String>> {
    let Ok(bytes) = std::fs::read(log) else { return Vec::new() };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    text.split('\x1e')
        .filter(|entry| !entry.is_empty())
        .map(|entry| entry.split('\x1f').map(str::to_owned).collect())
        .collect()
}

/// Argument vectors in the tree; `None` for a word that is only known at run time.
fn in_tree(script: &Script) -> Vec<Vec<Option<String>>> {
    let mut found = Vec::new();
    walk(script, &mut |visit| {
        if let Visit::Command(command) = visit
            && let CommandKind::Simple { words, .. } = &command.kind
        {
            found.push(words.iter().map(fixed).collect());
        }
    });
    found
}

/// The text of a word in which nothing is expanded.
fn fixed(word: &Word) -> Option<String> {
    let expands = word.parts.iter().any(
        |part| matches!(part, Part::Literal(text) if text.starts_with('~') || text.contains(['{', '*', '?', '['])),
    );
    if expands { None } else { word.fixed_text() }
}

fn same(logged: &[String], ours: &[Option<String>]) -> bool {
    for (at, word) in ours.iter().enumerate() {
        match word {
            None => return true,
            Some(text) if logged.get(at) != Some(text) => return false,
            Some(_) => {}
        }
    }
    logged.len() == ours.len()
}

/// What bash looked up and we do not have.
fn missed(snippet: &str) -> (Vec<Vec<String>>, Vec<Gap>) {
    let (script, gaps) = parse(snippet);
    let ours = in_tree(&script);
    let missed = looked_up(snippet)
        .into_iter()
        .filter(|logged| !ours.iter().any(|command| same(logged, command)))
        .collect();
    (missed, gaps)
}

/// The table's snippets; true for those marked `%gap`: bash's syntax check lets them through, yet they fail when run.
fn snippets(text: &str) -> Vec<(&str, bool)> {
    text.trim_end_matches('\n')
        .split("\n%%\n")
        .map(|snippet| snippet.strip_prefix("%gap\n").map_or((snippet, false), |rest| (rest, true)))
        .collect()
}

fn have_bash() -> bool {
    let found = Path::new(BASH).exists();
    if !found {
        crate::support::skipped(&format!("{BASH} is missing; the oracle tests did not run"));
    }
    found
}

fn accepted_by_bash(snippet: &str) -> bool {
    Command::new(BASH)
        .args(["--norc", "--noprofile", "-n", "-c", snippet])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap()
        .success()
}

#[test]
fn every_command_that_bash_looks_up_is_ours() {
    if !have_bash() {
        return;
    }
    let table = include_str!("../data/oracle.txt");
    let mut wrong = Vec::new();
    for (snippet, _) in snippets(table) {
        let (missed, gaps) = missed(snippet);
        if !missed.is_empty() && gaps.is_empty() {
            wrong.push(format!("missed {missed:?} in\n{snippet}"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n---\n"));
}

#[test]
fn what_bash_accepts_has_no_gap() {
    if !have_bash() {
        return;
    }
    let table = include_str!("../data/oracle.txt");
    let mut wrong = Vec::new();
    for (snippet, broken) in snippets(table) {
        let (_, gaps) = parse(snippet);
        // What bash refuses should be a gap too, but need not: to read it anyway only adds commands.
        if (broken && gaps.is_empty()) || (!broken && !gaps.is_empty() && accepted_by_bash(snippet)) {
            wrong.push(format!("{gaps:?} in\n{snippet}"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n---\n"));
}

/// Places for a command, written `@`. What follows it stands on a new line, for it may end in a here-document.
const PLACES: &[&str] = &[
    "(@\n)",
    "{ @\n}",
    "if @\nthen :; fi",
    "if true; then @\nfi",
    "if false; then :; else @\nfi",
    "if false; then :; elif @\nthen :; fi",
    "while @\ndo break; done",
    "until @\ndo break; done",
    "for i in 1; do @\ndone",
    "for i in 1; { @\n}",
    "for i in $(@\n); do :; done",
    "for ((i=0; i<1; i++)); do @\ndone",
    "case x in x) @\n;; esac",
    "case x in (y) ;; (x) @\nesac",
    "case x in x) @\n;& y) ;;& *) : ;; esac",
    "case $(@\n) in *) ;; esac",
    "f() { @\n}; f",
    "f() ( @\n) >/dev/null; f",
    "function f {\n@\n}\nf",
    "f() if @\nthen :; fi; f",
    "! @",
    "! { @\n}",
    "time { @\n}",
    "time -p @",
    "true && @",
    "false ||\n@",
    ": | @",
    "{ @\n} | :",
    "{ @\n} &\nwait",
    ": $(@\n)",
    ": \"$(@\n)\"",
    ": \"a $(: \"b $(@\n)\")\"",
    ": ${x:-$(@\n)}",
    ": \"${x:-\"$(@\n)\"}\"",
    "x=$(@\n)",
    "x=$(@\n) :",
    "x=(1 [2]=$(@\n) 3)",
    "x[$(@\n)0]=1",
    "declare x=$(@\n) y",
    "export x=\"$(@\n)\"",
    ": >/dev/null$(@\n)",
    ": <<E\n$(@\n)\nE",
    ": <<-E\n\ta $(@\n)\n\tE",
    ": <<E; @\n$(:)\nE",
    ": <<<$(@\n)",
    "[[ -n $(@\n) ]]",
    "[[ x == y || a =~ (b) || -z $(@\n) ]]",
    ": $((1 + $(@\n)1))",
    "((1 + $(@\n)1))",
    "((@\n); :)",
    ": $((@\n); :)",
    ": \"$( (@\n) )\"",
    ": a # b\n@",
    ": 'a' \\\n\"b\"; @",
    "select i in 1; do :; done </dev/null; @",
    "if [ a \\> b ]; then @\nfi",
    ": {a,b}#c; @",
    "exec {fd}</dev/null; @",
    "coproc { @\n}\nwait",
];

/// Every place in every other, a part of them at a time.
fn compositions(every: usize) -> impl Iterator<Item = String> {
    let inside = |command: &'static str| PLACES.iter().map(move |place| place.replace('@', command));
    let commands = ["rm 1", ": $(rm \"1 2\")", ": `rm 1`", ": <<E | rm 1\n`rm 2`\nE"];
    let single = commands.into_iter().flat_map(inside).collect::<Vec<_>>();
    PLACES
        .iter()
        .flat_map(move |outer| single.clone().into_iter().map(move |inner| outer.replace('@', &inner)))
        .step_by(every)
}

#[test]
fn every_command_is_found_wherever_it_stands() {
    if !have_bash() {
        return;
    }
    // `RECOURSE_ALL=1` takes all fourteen thousand; a prime step meets every pair of places in time.
    let every = if std::env::var_os("RECOURSE_ALL").is_some() { 1 } else { 67 };
    let mut wrong = Vec::new();
    for snippet in compositions(every) {
        let (missed, gaps) = missed(&snippet);
        // bash itself misreads a here-document or `case` inside `((`; a here-document ends at the first `E`, so one in
        // another of that name is broken.
        let misread = (snippet.contains("((") && snippet.contains("case"))
            || snippet.matches("<<").count() > usize::from(!snippet.contains("(("));
        let missed_here = !missed.is_empty() && gaps.is_empty();
        if missed_here || (!misread && !gaps.is_empty() && accepted_by_bash(&snippet)) {
            wrong.push(format!("missed {missed:?}, {gaps:?} in\n{snippet}"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n---\n"));
}
