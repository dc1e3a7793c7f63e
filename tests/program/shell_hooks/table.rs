//! The table of the document names tests that exist, and every test of a shell stands in it.

use std::collections::BTreeSet;

const DOCUMENT: &str = include_str!("../../../docs/shell-hooks.md");

fn tests_of(source: &str) -> BTreeSet<String> {
    let mut lines = source.lines();
    let mut found = BTreeSet::new();
    while let Some(line) = lines.next() {
        if line.trim() == "#[test]"
            && let Some(name) = lines.next().and_then(|line| line.trim().strip_prefix("fn "))
        {
            found.insert(name.split('(').next().unwrap_or_default().to_owned());
        }
    }
    found
}

#[test]
fn every_cell_is_a_test_or_says_why_not() {
    let shells = [
        ("bash", include_str!("bash.rs")),
        ("zsh", include_str!("zsh.rs")),
        ("fish", include_str!("fish.rs")),
    ];
    let rows: Vec<Vec<String>> = DOCUMENT
        .lines()
        .skip_while(|line| !line.starts_with("| what happens"))
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .map(|line| {
            line.trim_matches('|')
                .replace("\\|", "\u{2228}")
                .split('|')
                .map(|cell| cell.trim().to_owned())
                .collect()
        })
        .collect();
    assert!(rows.len() > 20, "the table is there");
    for (column, (shell, source)) in shells.iter().enumerate() {
        let tests = tests_of(source);
        let mut named = BTreeSet::new();
        for row in &rows {
            let cell = row.get(column + 1).map(String::as_str).unwrap_or_default();
            let names: Vec<&str> = cell.split('`').skip(1).step_by(2).collect();
            assert!(!names.is_empty() || cell.starts_with("not possible: "), "{shell}: {row:?}");
            named.extend(names.iter().map(|name| (*name).to_owned()));
        }
        let missing: Vec<_> = named.difference(&tests).collect();
        let unnamed: Vec<_> = tests.difference(&named).collect();
        assert!(
            missing.is_empty() && unnamed.is_empty(),
            "{shell}: no such test {missing:?}, not in the table {unnamed:?}"
        );
    }
}
