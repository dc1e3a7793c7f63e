//! Any bytes as what a shell's hook sends: `cargo +nightly fuzz run hooks`. The first byte chooses the shell.

#![no_main]

use libfuzzer_sys::fuzz_target;
use recourse::hook::shell::{Form, Line, ShellKind};
use recourse::syntax::parse;

fuzz_target!(|data: &[u8]| {
    let Some((first, rest)) = data.split_first() else { return };
    let shell = match first % 3 {
        0 => ShellKind::Bash,
        1 => ShellKind::Zsh,
        _ => ShellKind::Fish,
    };
    let form = Form { shell, history: first & 4 != 0, comments: first & 8 != 0 };
    let Ok(line) = Line::read(rest, form) else { return };
    let (_, gaps) = parse(&line.judged);
    assert!(gaps.iter().all(|gap| gap.span.end <= line.judged.len()));
});
