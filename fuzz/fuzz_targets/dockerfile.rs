//! Any bytes as a Dockerfile, up to what of it runs and where that stands: `cargo +nightly fuzz run dockerfile`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use recourse::scan::{Format, read};

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let found = read(Format::Docker, "Dockerfile", &text, &|_| None);
    let lines = text.lines().count().max(1);
    for piece in &found.pieces {
        let first = piece.lines.first();
        assert!((1..=lines).contains(&first), "line {first} of {lines}");
    }
    for unread in &found.unread {
        assert!(!unread.why.is_empty() && unread.line.is_none_or(|line| line >= 1));
    }
});
