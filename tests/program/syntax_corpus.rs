//! Real scripts: set `RECOURSE_SCRIPTS` to a directory (searched at any depth) and each file is parsed. A file in a directory
//! called `valid` must have no gap, save for expansions that only zsh knows. Without the variable the test says that it was skipped.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use recourse::syntax::{GapReason, parse};

fn files(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

#[test]
fn real_scripts_have_no_gaps() {
    let Some(directory) = std::env::var_os("RECOURSE_SCRIPTS") else {
        crate::support::skipped("RECOURSE_SCRIPTS names no directory with shell scripts");
        return;
    };
    let mut found = Vec::new();
    files(Path::new(&directory), &mut found);
    let (mut valid, mut gapless, mut bytes, mut time) = (0, 0, 0, Duration::ZERO);
    let mut wrong = Vec::new();
    for path in found {
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
        let start = Instant::now();
        let (_, mut gaps) = parse(&text);
        time += start.elapsed();
        bytes += text.len();
        gaps.retain(|gap| !["${(", "${="].iter().any(|zsh| text[gap.span.start..].starts_with(zsh)));
        let late = gaps.iter().any(|gap| gap.reason == GapReason::Limit("deadline"));
        if path.parent().is_some_and(|parent| parent.ends_with("valid")) {
            valid += 1;
            gapless += usize::from(gaps.is_empty());
        }
        if late || (!gaps.is_empty() && path.parent().is_some_and(|parent| parent.ends_with("valid"))) {
            let gap = &gaps[0];
            let mut end = gap.span.end.min(gap.span.start + 120).min(text.len());
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            let line = text[..gap.span.start].matches('\n').count() + 1;
            wrong.push(format!(
                "{}:{line}: {:?} ({} gaps): {:?}",
                path.display(),
                gap.reason,
                gaps.len(),
                &text[gap.span.start..end]
            ));
        }
    }
    eprintln!("{gapless} of {valid} valid scripts without a gap; {bytes} bytes in {time:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
