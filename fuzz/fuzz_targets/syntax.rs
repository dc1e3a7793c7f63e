//! Any bytes as shell text: `cargo +nightly fuzz run syntax`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use recourse::syntax::{Visit, parse, walk};

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let (script, gaps) = parse(&text);
    assert!(gaps.iter().all(|gap| gap.span.start <= gap.span.end && gap.span.end <= text.len()));
    walk(&script, &mut |visit| {
        if let Visit::Word(word) = visit {
            assert!(word.span.start <= word.span.end && word.span.end <= text.len());
        }
    });
});
