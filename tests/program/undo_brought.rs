//! What the same line fetches, unpacks or makes is copied over what is there: names that nobody knows yet, many of them, or
//! made of others. What stood before comes back with `recourse undo`.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::Command;

use crate::undo_files::{Place, Seen, said};

/// What is laid out, and what is run.
type Case = (&'static str, &'static str, &'static str);

/// Runs each in a place of its own and takes it back: all that was there is as it was.
fn come_back(cases: &[Case]) {
    let mut wrong = Vec::new();
    for (program, laid, line) in cases {
        let there = Command::new("sh").args(["-c", &format!("command -v {program}")]).output().unwrap();
        if there.stdout.is_empty() {
            eprintln!("SKIPPED: there is no {program} here");
            continue;
        }
        let place = Place::new();
        let laying = Command::new("bash").args(["-ec", laid]).current_dir(place.work()).output().unwrap();
        assert!(laying.status.success(), "{laid}: {}", said(&laying));
        let was = place.seen();
        let output = place.recourse(&["exec", "--profile", "agent", "-c", line].map(OsStr::new));
        let changed = || {
            let now = place.seen();
            let same = |path: &PathBuf, seen: &Seen| {
                now.get(path).is_some_and(|now| (&now.kind, &now.content) == (&seen.kind, &seen.content))
            };
            let lost = was.iter().filter(|(path, seen)| !same(path, seen));
            lost.map(|(path, _)| path.display().to_string()).collect::<Vec<_>>()
        };
        let lost = changed();
        if !output.status.success() || lost.is_empty() {
            wrong.push(format!("{line} did not run, or changed nothing: {}", said(&output)));
            continue;
        }
        let undone = place.undo(&[]);
        let lost = changed();
        if !lost.is_empty() {
            wrong.push(format!("{line}: {lost:?} {}{}", said(&output), said(&undone)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const ARCHIVE: &str = "mkdir x D; echo packed > x/n.md; echo o > x/o.txt; tar czf p.tgz -C x n.md o.txt; rm -r x; echo mine > D/n.md";
const CLONE: &str = "git init -q r; mkdir r/lib; echo 1 > r/lib/u.py; git -C r add .; \
    git -C r -c user.name=a -c user.email=a@b commit -qm x; mkdir lib; echo mine > lib/u.py";

#[test]
fn names_that_come_with_an_archive_or_a_clone() {
    come_back(&[
        ("tar", ARCHIVE, "mkdir t && tar xzf p.tgz -C t && cp t/*.md D/"),
        ("tar", ARCHIVE, "mkdir t && tar xzf p.tgz -C t && mv t/* D/"),
        ("tar", ARCHIVE, "mkdir t && tar xzf p.tgz -C t && find t -type f -exec cp {} D/ \\;"),
        ("tar", ARCHIVE, "mkdir t && tar xzf p.tgz -C t && ls t | xargs -I{} cp t/{} D/"),
        (
            "python3",
            ARCHIVE,
            "python3 -c \"import shutil; shutil.unpack_archive('p.tgz', 't')\" && cp t/* D/",
        ),
        (
            "python3",
            ARCHIVE,
            "python3 -c \"import shutil; shutil.unpack_archive('p.tgz', 't')\" && cp -r t/. D/",
        ),
        ("tar", ARCHIVE, "mkdir t && tar xzf p.tgz -C t && for f in t/*; do cp \"$f\" D/; done"),
        ("tar", ARCHIVE, "mkdir t && tar xzf p.tgz -C t && cd t && for f in *.md; do mv \"$f\" ../D/; done"),
        ("git", CLONE, "git clone -q r t && cp -f t/lib/*.py lib/"),
        ("git", CLONE, "git clone -q r t && cp -r t/lib ."),
        ("git", CLONE, "git clone -q r t && cp -a t/lib/. lib/"),
        ("git", CLONE, "git clone -q r t && cd t && cp -r lib .."),
        ("git", CLONE, "git clone -q r t && for f in t/lib/*; do mv $f ${f#t/}; done"),
        ("rsync", CLONE, "git clone -q r t && rsync -r t/lib/ lib/"),
    ]);
}

const MANY: &str = "mkdir A B; for i in $(seq 90); do echo a$i > A/f$i; echo b$i > B/f$i; done";

#[test]
fn a_tree_that_is_made_in_the_line_over_a_large_one() {
    let large = "mkdir D; for i in $(seq 300); do echo $i > D/$i; done";
    come_back(&[
        ("cp", large, "mkdir t && echo gen > t/7 && cp -r t/. D/"),
        ("cp", "mkdir D; seq 300000 > D/7", "mkdir t && echo gen > t/7 && cp -rT t D"),
        ("rsync", MANY, "cp -r A t && rsync -aI t/ B/"),
    ]);
}

#[test]
fn loops_over_many_files() {
    come_back(&[
        ("mv", MANY, "for f in A/*; do mv $f B/; done"),
        ("mv", MANY, "for f in A/*; do mv \"$f\" \"B/$(basename \"$f\")\"; done"),
        ("mv", MANY, "i=0; for f in A/*; do i=$((i+1)); mv $f B/f$i; done"),
        ("xargs", MANY, "ls A | xargs -I{} mv A/{} B/{}"),
        ("find", MANY, "find A -type f -exec mv {} B/ \\;"),
    ]);
}

const PAIRS: &str = "for n in a b; do echo text $n > $n.txt; echo code $n > $n.py; done";

#[test]
fn names_that_parallel_makes() {
    come_back(&[
        ("parallel", PAIRS, "parallel mv {} {.}.py ::: *.txt"),
        ("parallel", PAIRS, "ls *.txt | parallel 'cat {} > {.}.py'"),
        ("parallel", PAIRS, "parallel rm {.}.py ::: *.txt"),
        ("parallel", PAIRS, "parallel mv {1} {2} ::: a.txt :::+ b.txt"),
        ("parallel", PAIRS, "parallel -n2 mv {1} {2} ::: a.txt b.txt"),
        ("parallel", PAIRS, "parallel 'echo {#} > {}' ::: a.txt b.txt"),
    ]);
}

/// Archives and compressors that put a file elsewhere than their words say at first sight.
#[test]
fn what_an_archive_puts_in_a_place_of_its_own() {
    let packed =
        "mkdir x; echo packed > x/a.txt; tar czf p.tgz -C x a.txt; rm -r x; mkdir D; echo mine > D/a.txt";
    let named = "echo packed > a.txt; gzip -N a.txt; mv a.txt.gz b.gz; echo mine > a.txt";
    let both = "mkdir -p s/d; echo 1 > s/d/x.txt; echo other | gzip > s/d/x.txt.gz; echo 2 > s/d/y.txt";
    come_back(&[
        ("tar", packed, "tar xzf p.tgz --one-top-level=D"),
        ("tar", packed, "cd D; tar xzf ../p.tgz --one-top-level=../D"),
        (
            "tar",
            "mkdir -p n/a.txt; touch n/a.txt/q; tar cf p.tar -C n a.txt; rm -r n; echo mine > a.txt",
            "tar xf p.tar",
        ),
        ("gzip", named, "gzip -dfN b.gz"),
        ("gunzip", named, "gunzip -fN b.gz"),
        ("gzip", both, "gzip -rf s"),
        ("gunzip", both, "echo z > z; gunzip -rf s"),
        ("unzip", "echo packed > a.txt; zip -q p.zip a.txt; echo mine > a.txt", "unzip -qoC p.zip A.TXT"),
    ]);
}

#[test]
fn names_that_a_shell_finds_in_its_own_way() {
    let tree = "mkdir -p d/e; echo 1 > a.txt; echo 2 > d/b.txt; echo 3 > d/e/c.txt";
    come_back(&[
        ("zsh", tree, "zsh -fc 'rm ***/*.txt'"),
        ("fish", tree, "fish -c 'rm **.txt'"),
        ("fish", tree, "fish -c 'rm d**.txt'"),
        (
            "xargs",
            "echo 1 > a.txt; echo 2 > b.txt; printf 'a.txt\\nb.txt\\n' > l",
            "yes | xargs -n1 -a l rm -i",
        ),
    ]);
}
