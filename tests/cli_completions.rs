//! The completion scripts in `completions/` are what the program prints.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)] // A test may fail loudly.

mod support;

use support::Scratch;

#[test]
fn completions_are_current() {
    let scratch = Scratch::new();
    for (shell, file) in [("bash", "recourse.bash"), ("zsh", "_recourse"), ("fish", "recourse.fish")] {
        let output = scratch.run(&["completions", shell]);
        assert!(output.status.success());
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("completions").join(file);
        let stored = std::fs::read(&path).unwrap_or_default();
        assert!(
            stored == output.stdout,
            "completions/{file} is out of date: cargo run -- completions {shell} > completions/{file}"
        );
    }
}
