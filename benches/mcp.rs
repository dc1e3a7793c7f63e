//! What a warm call of `recourse mcp serve` costs, and whether memory stays flat: `cargo bench --bench mcp` prints both.
//!
//! Nothing here fails: figures are read by people. `RECOURSE_BENCH_CALLS=N` sets the number of calls (default 100,000).

#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use support::binary;

mod support;

fn main() {
    // `cargo test --benches` and `cargo nextest` call this with arguments of their own.
    if std::env::args().any(|a| a == "--test" || a == "--list") {
        return;
    }
    let calls: usize =
        std::env::var("RECOURSE_BENCH_CALLS").ok().and_then(|text| text.parse().ok()).unwrap_or(100_000);
    let folder = tempfile::tempdir().unwrap();
    let mut child = Command::new(binary())
        .args(["mcp", "serve"])
        .current_dir(folder.path())
        .env("HOME", folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let memory = || {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap_or("");
        line.split_whitespace().nth(1).and_then(|kb| kb.parse::<u64>().ok()).unwrap_or(0)
    };
    let commands =
        ["ls -la", "git status && git diff | head -50", "rm -rf build dist", "git push --force origin main"];
    let mut times = Vec::with_capacity(calls);
    let mut line = String::new();
    let mut kept = Vec::new();
    for n in 0..calls {
        let command = commands.get(n % commands.len()).unwrap();
        let begun = Instant::now();
        writeln!(
            input,
            "{{\"jsonrpc\":\"2.0\",\"id\":{n},\"method\":\"tools/call\",\"params\":{{\"name\":\"recourse_evaluate_shell\",\"arguments\":{{\"command\":\"{command}\",\"cwd\":\"{}\"}}}}}}",
            folder.path().display()
        )
        .unwrap();
        line.clear();
        output.read_line(&mut line).unwrap();
        times.push(begun.elapsed());
        if (n + 1) % (calls / 10).max(1) == 0 {
            kept.push(memory());
        }
    }
    println!("bytes of an answer, as the client reads it:");
    for command in commands.iter().chain(&["rm notes.txt", "terraform destroy"]) {
        writeln!(
            input,
            "{{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"tools/call\",\"params\":{{\"name\":\"recourse_evaluate_shell\",\"arguments\":{{\"command\":\"{command}\",\"cwd\":\"/\"}}}}}}"
        )
        .unwrap();
        line.clear();
        output.read_line(&mut line).unwrap();
        println!("  {:>6}  {command}", line.len());
    }
    drop(input);
    let _ = child.wait();
    times.sort();
    let at = |share: f64| times.get(((times.len() - 1) as f64 * share) as usize).copied().unwrap_or_default();
    let shown = |time: Duration| format!("{:.3} ms", time.as_secs_f64() * 1e3);
    println!(
        "warm recourse_evaluate_shell, {calls} calls: median {}, p99 {}",
        shown(at(0.5)),
        shown(at(0.99))
    );
    let (median, budget) = (at(0.5), Duration::from_micros(500));
    let sign = if median <= budget { "below" } else { "ABOVE" };
    println!("the median is {sign} its budget of {}", shown(budget));
    println!("resident memory in kB after each tenth of them: {kept:?}");
    if let (Some(first), Some(last)) = (kept.first(), kept.last()) {
        println!(
            "resident memory grew by {} kB from the first tenth to the last",
            last.saturating_sub(*first)
        );
    }
}
