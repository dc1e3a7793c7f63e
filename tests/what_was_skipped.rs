//! The last of the tests: says aloud what the others left out on this machine, and why. A missing counterpart is no failure,
//! and no success either.

#![cfg(feature = "cli")]

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

#[test]
fn what_was_skipped_is_said() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("skipped");
    let own = nix::unistd::getppid().to_string();
    let text = fs::read_to_string(folder.join(own)).unwrap_or_default();
    // Earlier runs are of no interest any more.
    let _ = fs::remove_dir_all(&folder);
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for line in text.lines() {
        *reasons.entry(line).or_default() += 1;
    }
    let mut said = String::new();
    for (reason, count) in &reasons {
        said.push_str(&format!("  {count:>3} x  {reason}\n"));
    }
    let total: usize = reasons.values().sum();
    let head = if total == 0 { "SKIPPED: nothing\n".to_owned() } else { format!("SKIPPED: {total}\n{said}") };
    // Not through a macro: what passing tests print by these is not shown.
    io::stderr().write_all(head.as_bytes()).unwrap();
}
