//! What `recourse` costs: `cargo bench` prints one line per budget, beside an empty Rust program and `bash -c :`.
//!
//! Nothing here fails: timings are read by people. `RECOURSE_BENCH_COMMANDS=FILE` (first tab-separated column, one
//! command a line) replaces the built-in list of commands for the in-process figures.

#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use recourse::attest::{Expect, Options, Places, Verifier};
use recourse::config::AttestationConfig;
use recourse::evaluate::{EvaluationContext, Input, evaluate};
use recourse::knowledge::Knowledge;
use recourse::policy::Policy;
use recourse::proof::{Proof, Subject, key_store};
use recourse::world::RealWorld;
use recourse::{shell, terraform};

use support::binary;

mod support;

fn main() {
    // `cargo test --benches` and `cargo nextest` call this with arguments of their own.
    if std::env::args().any(|a| a == "--test" || a == "--list") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    println!("{:<58} {:>9} {:>9} {:>9}", "whole processes", "min", "median", "p99");
    let empty = empty_program(folder.path());
    process("an empty Rust program", &mut Command::new(&empty), 400);
    process("bash -c :", Command::new("bash").args(["-c", ":"]), 200);
    let plain = folder.path().join("plain");
    fs::create_dir(&plain).unwrap();
    process("recourse evaluate shell 'ls -la'", guard("ls -la", &plain).env("HOME", folder.path()), 400);
    attesting_process(folder.path(), &plain);
    let repository = repository(folder.path(), 10_000);
    process(
        "recourse evaluate shell 'rm -rf src', 10,000 files in git",
        &mut guard("rm -rf src", &repository),
        100,
    );
    process(
        "recourse evaluate shell 'git reset --hard', the same",
        &mut guard("git reset --hard", &repository),
        50,
    );

    println!("\n{:<58} {:>9} {:>9} {:>9}", "in process, the whole evaluation", "min", "median", "p99");
    in_process(&plain);

    println!("\n{:<58} {:>9} {:>9} {:>9}", "in process, attestation", "min", "median", "p99");
    attestation(folder.path(), &plain);

    println!("\n{:<58} {:>9} {:>9}", "hostile shell text, 1 MiB", "time", "peak MB");
    for (name, text) in hostile() {
        let start = Instant::now();
        let peak = peak_memory(
            guard("-", &plain).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()),
            &text,
        );
        println!("{name:<58} {:>9} {peak:>9}", show(start.elapsed()));
    }

    println!("\n{:<58} {:>9}", "Terraform plan, 10,000 deletions", "time");
    terraform_plan(&plan(10_000, 7_000), &plain);
    let size = fs::metadata(binary()).unwrap().len();
    println!("\nbinary: {:.1} MB", size as f64 / 1e6);
}

/// What `--attest` adds to a process: by turns with the same process without it. The key is there already.
fn attesting_process(home: &Path, directory: &Path) {
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..200 {
        for (attest, times) in times.iter_mut().enumerate() {
            let mut command = Command::new(binary());
            command.args(["evaluate", "shell", "--fail-on", "never", "--format", "json"]);
            command.args(["--attest"].iter().take(attest)).args(["--", "ls -la"]).current_dir(directory);
            command.env("HOME", home).env_remove("XDG_DATA_HOME").env_remove("XDG_STATE_HOME");
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            let start = Instant::now();
            assert!(command.status().unwrap().success());
            times.push(start.elapsed());
        }
    }
    let [without, with] = times;
    print_line("recourse evaluate shell 'ls -la', without --attest", without);
    print_line("recourse evaluate shell --attest 'ls -la', by turns", with);
}

/// Signing an evaluation, the durable copy included, and verifying what was signed.
fn attestation(folder: &Path, directory: &Path) {
    let places = Places::under(&folder.join("operator"));
    let config = AttestationConfig::default();
    let proof = Proof::open(&config, &places).unwrap();
    let registry = key_store(&config, &places).unwrap().registry().unwrap().unwrap();
    let verifier = Verifier::offline(Options::default(), registry);
    let context = EvaluationContext { cwd: directory.to_owned(), ..EvaluationContext::default() };
    let (world, knowledge, policy) = (RealWorld::new(), Knowledge::builtin(), Policy::default());
    let input = shell::Input::Text("rm -rf build dist".to_owned());
    let subject = Subject::shell(&input).unwrap();
    let done = evaluate(Input::Shell(input), &context, &world, &knowledge, &policy);
    let (mut signing, mut reading, mut verifying) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..300 {
        let start = Instant::now();
        let signed = proof.attest(&subject, &context, &done.report).unwrap();
        signing.push(start.elapsed());
        let bytes = signed.attestation.canonical().to_vec();
        let start = Instant::now();
        verifier.verify(&signed.attestation, Expect::default()).unwrap();
        verifying.push(start.elapsed());
        let start = Instant::now();
        verifier.verify_json(&bytes, Expect::default()).unwrap();
        reading.push(start.elapsed());
    }
    print_line("sign an evaluation and keep the copy (fsync)", signing);
    print_line("verify it", verifying);
    print_line("read it from JSON and verify it", reading);
}

/// The best of five, reading and judging beside parsing alone; then what the program needs for it in all.
fn terraform_plan(plan: &[u8], directory: &Path) {
    let best = |work: &dyn Fn()| {
        let once = |_| {
            let start = Instant::now();
            work();
            start.elapsed()
        };
        (0..5).map(once).min().unwrap()
    };
    let parse = best(&|| drop(serde_json::from_slice::<serde_json::Value>(plan).unwrap()));
    println!("{:<58} {:>9}", format!("serde_json::Value of {} MB", plan.len() / 1_000_000), show(parse));
    let context = EvaluationContext { cwd: directory.to_owned(), ..EvaluationContext::default() };
    let (world, knowledge, policy) = (RealWorld::new(), Knowledge::builtin(), Policy::default());
    let judge = || {
        let input = Input::terraform(terraform::read(plan).unwrap());
        evaluate(input, &context, &world, &knowledge, &policy)
    };
    assert_eq!(judge().report.summary.total_mutations, 10_000);
    for (name, took) in [
        ("read, judge and report it", best(&|| drop(judge()))),
        (
            "the same with the report as JSON",
            best(&|| drop(serde_json::to_string_pretty(&judge().report).unwrap())),
        ),
    ] {
        let ratio = took.as_secs_f64() / parse.as_secs_f64();
        println!("{name:<58} {:>9}  ({ratio:.2} × parsing)", show(took));
    }
    let file = directory.join("plan.json");
    fs::write(&file, plan).unwrap();
    let mut command = Command::new(binary());
    command.args(["evaluate", "terraform", "--fail-on", "never", "--format", "json"]).arg(&file);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let start = Instant::now();
    let peak = peak_memory(&mut command, "");
    let times = (peak * 1_000_000) as f64 / plan.len() as f64;
    let took = show(start.elapsed());
    println!(
        "{:<58} {took:>9}  (peak {peak} MB, {times:.1} × the file)",
        "recourse evaluate terraform, the program"
    );
}

fn guard(text: &str, directory: &Path) -> Command {
    let mut command = Command::new(binary());
    command
        .args(["evaluate", "shell", "--fail-on", "never", "--format", "json", "--", text])
        .current_dir(directory);
    command
}

fn process(name: &str, command: &mut Command, runs: usize) {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let times = (0..runs)
        .map(|_| {
            let start = Instant::now();
            command.status().unwrap();
            start.elapsed()
        })
        .collect();
    print_line(name, times);
}

fn print_line(name: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |share: f64| show(times[((times.len() - 1) as f64 * share) as usize]);
    println!("{name:<58} {:>9} {:>9} {:>9}", at(0.0), at(0.5), at(0.99));
}

fn show(time: Duration) -> String {
    if time >= Duration::from_secs(1) {
        format!("{:.2} s", time.as_secs_f64())
    } else {
        format!("{:.3} ms", time.as_secs_f64() * 1e3)
    }
}

fn empty_program(folder: &Path) -> PathBuf {
    let source = folder.join("empty.rs");
    fs::write(&source, "fn main() {}\n").unwrap();
    let program = folder.join("empty");
    let status = Command::new("rustc").args(["-O", "-o"]).arg(&program).arg(&source).status().unwrap();
    assert!(status.success());
    program
}

fn repository(folder: &Path, files: usize) -> PathBuf {
    let root = folder.join("repository");
    for n in 0..files {
        let directory = root.join(format!("src/d{}", n % 100));
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join(format!("f{n}.txt")), format!("file {n}\n")).unwrap();
    }
    for arguments in [
        &["init", "-q"][..],
        &["add", "-A"],
        &["-c", "user.name=n", "-c", "user.email=e@e", "commit", "-q", "-m", "all"],
    ] {
        assert!(Command::new("git").args(arguments).current_dir(&root).status().unwrap().success());
    }
    root
}

fn in_process(directory: &Path) {
    let commands: Vec<String> = match std::env::var("RECOURSE_BENCH_COMMANDS") {
        Ok(file) => fs::read_to_string(file)
            .unwrap()
            .lines()
            .filter_map(|line| line.split('\t').next())
            .filter(|command| !command.starts_with("json:"))
            .map(str::to_owned)
            .collect(),
        Err(_) => BUILT_IN.iter().map(|&text| text.to_owned()).collect(),
    };
    let world = RealWorld::new();
    let knowledge = Knowledge::builtin();
    let policy = Policy::default();
    let context = EvaluationContext { cwd: directory.to_owned(), ..EvaluationContext::default() };
    let once = |text: &str| {
        let start = Instant::now();
        let input = Input::Shell(shell::Input::Text(text.to_owned()));
        std::hint::black_box(evaluate(input, &context, &world, &knowledge, &policy));
        start.elapsed()
    };
    let cold = commands.iter().map(|text| once(text)).collect();
    print_line(&format!("{} commands, cold", commands.len()), cold);
    let mut worst: Vec<(Duration, &str)> = Vec::new();
    let warm = commands
        .iter()
        .map(|text| {
            let best = (0..5).map(|_| once(text)).min().unwrap();
            worst.push((best, text));
            best
        })
        .collect();
    print_line(&format!("{} commands, warm (best of 5)", commands.len()), warm);
    worst.sort();
    let shown = if std::env::var_os("RECOURSE_BENCH_COMMANDS").is_some() { 30 } else { 5 };
    for (time, text) in worst.iter().rev().take(shown) {
        let short: String = text.chars().take(80).collect();
        println!("    slow: {:>9}  {short}", show(*time));
    }
}

const BUILT_IN: &[&str] = &[
    "ls -la",
    "git status && git diff | head -50",
    "rm -rf build dist",
    "for f in *.txt; do sed -i s/a/b/ \"$f\"; done",
    "find . -name '*.pyc' -delete",
    "cat notes.md | grep -n TODO | sort | uniq -c",
    "cd src && make clean && make -j8",
    "sudo env A=1 timeout 5 bash -c 'rm -rf \"$HOME/x\"'",
    "tar czf backup.tgz docs && rm -rf docs",
    "python3 -c \"import os; os.remove('a')\"",
    "git push --force origin main",
    "sqlite3 app.db 'DELETE FROM users WHERE id = 1'",
];

fn hostile() -> Vec<(&'static str, String)> {
    let size = 1 << 20;
    let fill = |unit: &str| unit.repeat(size / unit.len());
    vec![
        ("a|a|a|", fill("a|")),
        ("((((", fill("(")),
        ("$(((($((", fill("$((")),
        ("{a,b}{a,b}", format!("echo {}", fill("{a,b}"))),
        ("<<A <<A <<A", fill("cat <<A\n")),
        ("\"\"\"", fill("\"")),
        ("`\\`\\`", fill("`\\`")),
        ("f(){ f|f& };f", fill("f(){ f|f& };f;")),
        ("rm a; rm a;", fill("rm a; ")),
        ("for loops", fill("for i in 1 2 3; do ")),
        ("bytes", (0..size).map(|n| char::from((n * 7 % 94 + 33) as u8)).collect()),
    ]
}

/// Runs a command with a text on standard input and tells its peak memory in MB.
fn peak_memory(command: &mut Command, text: &str) -> u64 {
    use std::io::Write;
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let status = format!("/proc/{}/status", child.id());
    std::thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(text.as_bytes()));
        let mut peak = 0;
        while child.try_wait().unwrap().is_none() {
            let now = fs::read_to_string(&status).unwrap_or_default();
            let line = now.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or("");
            peak =
                peak.max(line.split_whitespace().nth(1).and_then(|kb| kb.parse().ok()).unwrap_or(0) / 1000);
            std::thread::sleep(Duration::from_millis(2));
        }
        peak
    })
}

/// A plan that deletes `count` databases, each with about `padding` bytes of attributes.
fn plan(count: usize, padding: usize) -> Vec<u8> {
    let changes: Vec<serde_json::Value> = (0..count)
        .map(|n| {
            serde_json::json!({
                "address": format!("aws_db_instance.db[{n}]"), "mode": "managed", "type": "aws_db_instance",
                "name": "db", "index": n, "provider_name": "registry.terraform.io/hashicorp/aws",
                "change": {
                    "actions": ["delete"], "after": null, "after_unknown": {}, "after_sensitive": false,
                    "before_sensitive": {"password": true},
                    "before": {"identifier": format!("db-{n}"), "password": "x", "skip_final_snapshot": true,
                        "tags": (0..padding / 50).map(|i| (format!("key-{i}"), "a value of some length".into())).collect::<serde_json::Map<_, _>>()}
                }
            })
        })
        .collect();
    serde_json::to_vec(&serde_json::json!({"format_version": "1.2", "terraform_version": "1.11.4", "resource_changes": changes})).unwrap()
}
