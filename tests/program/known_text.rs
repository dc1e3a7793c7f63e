//! Names that simple programs make of others: what `sed`, `awk`, `cut`, `tr`, `grep` and `jq` print is known where their input is.

use std::fs;
use std::process::Command;

/// A home that is no temporary place, with a few files of which nothing is kept elsewhere.
fn place() -> tempfile::TempDir {
    let root = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    for name in ["img/p1.JPG", "img/p2.JPG", "img/p2.jpg", "notes.txt"] {
        let path = root.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("words of {name} that stand nowhere else\n")).unwrap();
    }
    fs::write(root.path().join("Cargo.toml"), "[package]\nname = \"x\"\nversion = \"0.3.1\"\n").unwrap();
    fs::write(root.path().join("package.json"), "{\"name\": \"web\", \"version\": \"1.2.0\"}\n").unwrap();
    root
}

fn report(root: &tempfile::TempDir, line: &str) -> serde_json::Value {
    let output = Command::new(env!("CARGO_BIN_EXE_recourse"))
        .args(["evaluate", "shell", "--profile", "agent", "--format", "json", "--", line])
        .current_dir(root.path())
        .env("HOME", root.path())
        .env("XDG_STATE_HOME", root.path().join(".state"))
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{line}: {output:?}"))
}

#[test]
fn a_name_that_programs_make_is_the_one_that_they_make() {
    let root = place();
    let rows = [
        ("echo a.b.c | cut -d. -f2-", "b.c"),
        ("echo a.b.c | cut -d . -f 1,3", "a.c"),
        ("echo x.JPG | sed 's/JPG/jpg/'", "x.jpg"),
        ("echo x.JPG | sed -E 's/\\.(JPG)$/.old.\\1/'", "x.old.JPG"),
        ("sed -n 's/^version = \"\\(.*\\)\"/\\1/p' Cargo.toml", "0.3.1"),
        ("grep -m1 ^version Cargo.toml | cut -d'\"' -f2", "0.3.1"),
        ("grep -oE '[0-9]+\\.[0-9]+' Cargo.toml", "0.3"),
        ("awk -F'\"' '/^version/{print $2}' Cargo.toml", "0.3.1"),
        ("awk 'NR==2 {print $3; exit}' Cargo.toml | tr -d '\"'", "x"),
        ("jq -r .name package.json", "web"),
        ("echo 'A  B' | tr -s ' ' | tr '[:upper:] ' '[:lower:]_'", "a_b"),
        ("basename -s .JPG img/p1.JPG", "p1"),
        ("printf 'a\\nb\\n' | wc -l", "2"),
        ("printf 'a\\na\\nb\\n' | uniq | paste -sd-", "a-b"),
        ("echo abcdef | head -c 3", "abc"),
    ];
    let mut wrong = Vec::new();
    for (text, expected) in rows {
        let report = report(&root, &format!("cp notes.txt \"new/$({text})\""));
        let name = report["mutations"][0]["intent"]["target"]["name"].as_str().unwrap_or_default();
        if name != format!("new/{expected}") {
            wrong.push(format!("{text}: {name}, not new/{expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn renaming_by_such_names_asks_nobody_unless_one_is_taken() {
    let root = place();
    let free = [
        "for f in img/p1.JPG; do n=$(echo \"$f\" | sed 's/JPG$/jpg/'); mv \"$f\" \"$n\"; done",
        "for f in img/*.JPG; do n=$(echo $f | awk -F. '{print $1\".jpeg\"}'); mv $f $n; done",
        "ls img/*.JPG | cut -d. -f1 | xargs -I@ mv @.JPG @.jpeg",
    ];
    for line in free {
        assert_eq!(report(&root, line)["enforcement"]["action"], "run", "{line}");
    }
    // Two of them may get one name.
    let rows = [
        "ls img | cat -n | while read n f; do mv \"img/$f\" \"img/x$((n%2)).jpg\"; done",
        "for f in img/*.JPG; do mv \"$f\" \"new$((RANDOM%2)).jpg\"; done",
    ];
    for line in rows {
        assert_ne!(report(&root, line)["riskAssessment"], "allow", "{line}");
    }
    // `img/p2.jpg` is there already.
    let taken = "for f in img/*.JPG; do n=$(echo \"$f\" | sed 's/JPG$/jpg/'); mv \"$f\" \"$n\"; done";
    let report = report(&root, taken);
    assert_ne!(report["riskAssessment"], "allow", "{report:#}");
    assert!(report.to_string().contains("img/p2.jpg"), "{report:#}");
}
