//! Tests of effects: small command lines, cut by words, against the built-in knowledge.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::*;
use crate::knowledge::match_words;
use crate::model::{Context, Mutation, PathOrigin, PathSubject, Span, Subject};
use crate::shell::{Arg, Invocation, Mode, Stdin};

#[derive(Default)]
struct Disk(BTreeMap<PathBuf, FileKind>);

impl Links for Disk {
    fn link(&self, _: &Path) -> Link {
        Link::None
    }
}

impl Look for Disk {
    fn at(&self, path: &Path) -> Option<Seen> {
        self.0.get(path).map(|kind| Seen { kind: *kind, size: 100 })
    }
}

fn disk() -> Disk {
    let mut disk = Disk::default();
    for path in ["/w/a", "/w/b", "/w/dir/a", "/w/src/x"] {
        disk.0.insert(path.into(), FileKind::File);
    }
    for path in ["/w", "/w/dir", "/w/src"] {
        disk.0.insert(path.into(), FileKind::Directory);
    }
    disk
}

/// Runs commands divided by `;`, words divided by blanks, `> f` as a redirection. `…` in a word is unknown text.
fn run(line: &str) -> Vec<Mutation> {
    let knowledge = Knowledge::builtin();
    let mut files = Files::default();
    let mut all = Vec::new();
    for command in line.split(';') {
        let words = command.split_whitespace().map(value).collect::<Vec<_>>();
        let context = Context { cwd: vec!["/w".into()], ..Context::default() };
        let step = |kind| Step {
            kind,
            span: Span::default(),
            raw: command.to_owned(),
            context: context.clone(),
            names: std::sync::Arc::default(),
        };
        let arg = |value: &Value| Arg { value: value.clone(), span: Span::default(), explicit: true };
        let kind = match words.first().and_then(Value::as_known) {
            Some(">") => StepKind::Write {
                path: arg(&words[1]),
                mode: Mode::Truncate,
                noclobber: false,
                content: None,
            },
            Some(">>") => {
                StepKind::Write { path: arg(&words[1]), mode: Mode::Append, noclobber: false, content: None }
            }
            name => {
                let name = name.unwrap();
                let args = words.iter().map(arg).collect();
                match knowledge.tool(name) {
                    None => StepKind::UnknownProgram { name: name.to_owned(), args },
                    Some(tool) => StepKind::Run(Box::new(Invocation {
                        name: name.to_owned(),
                        args,
                        matched: match_words(&tool, &words[1..]),
                        stdin: Stdin::Inherited,
                        stdout: crate::shell::Stdout::Inherited,
                        environment: Vec::new(),
                        for_tests: false,
                    })),
                }
            }
        };
        all.extend(effects(&step(kind), &knowledge, crate::programs::effects(), &mut files, &disk()));
    }
    all
}

fn value(word: &str) -> Value {
    match word.split_once('…') {
        None => Value::known(word),
        Some(("", "")) => Value::Unknown,
        Some((prefix, suffix)) => Value::Affix { prefix: prefix.into(), suffix: suffix.into() },
    }
}

fn subject(mutation: &Mutation) -> &PathSubject {
    match &mutation.subject {
        Subject::Path(subject) => subject,
        other => panic!("no path: {other:?}"),
    }
}

fn show(line: &str) -> Vec<String> {
    run(line)
        .iter()
        .map(|m| match &m.subject {
            Subject::Path(s) => format!("{:?} {} {}", m.action, m.kind, s.path.display()).to_lowercase(),
            _ => format!("{:?} {} {}", m.action, m.kind, m.target.id).to_lowercase(),
        })
        .collect()
}

#[test]
fn paths_are_absolute() {
    assert_eq!(
        show("rm -rf build ../x /tmp/y/"),
        ["delete tree /w/build", "delete tree /x", "delete tree /tmp/y"]
    );
    assert_eq!(show("rm -f out/…"), ["delete file /w/out/…"]);
    assert_eq!(show("rm -rf …"), ["delete tree …"]);
}

#[test]
fn nothing_happens() {
    assert!(show("rm --help a").is_empty());
    assert!(show("> /dev/null").is_empty());
    assert_eq!(show(">> a"), ["create file /w/a"]);
    assert!(show("ls -la a").is_empty());
}

#[test]
fn what_is_not_known_is_said() {
    let unknown = run("frobnicate a");
    assert_eq!((unknown.len(), &unknown[0].cause), (1, &Cause::UnknownProgram));
    let form = run("shred -Z a");
    assert_eq!(form[0].cause, Cause::UnknownForm);
    assert_eq!(form.len(), 2, "what is understood of it counts too");
}

#[test]
fn copies_land_in_directories() {
    assert_eq!(show("cp a dir"), ["replace file /w/dir/a"]);
    assert_eq!(show("cp a b dir/"), ["replace file /w/dir/a", "replace file /w/dir/b"]);
    assert_eq!(show("cp -t dir a"), ["replace file /w/dir/a"]);
    assert_eq!(show("cp -T a dir"), ["replace file /w/dir"]);
    assert_eq!(show("cp -r src dir"), ["replace file /w/dir/src"]);
    assert_eq!(show("cp -r src/. dir"), ["replace tree /w/dir"]);
    assert_eq!(show("cp … dir/"), ["replace file /w/dir/…"]);
    let copy = run("cp a b");
    assert_eq!(subject(&copy[0]).from.as_deref(), Some(Path::new("/w/a")));
    assert!(run("cp -n a b")[0].facts.contains_key("no-clobber"));
    assert_eq!(subject(&run("cp /dev/null b")[0]).content.as_deref(), Some(""));
    assert_eq!(show("ln -s a new"), ["create file /w/new"]);
    assert_eq!(show("ln -sf a b"), ["replace file /w/b"]);
}

#[test]
fn later_steps_see_earlier_ones() {
    let origin = |line: &str| subject(run(line).last().unwrap()).origin.clone();
    assert_eq!(origin("touch new ; rm new"), PathOrigin::Created);
    assert_eq!(origin("touch a ; rm a"), PathOrigin::Existing);
    assert_eq!(origin("> a ; rm a"), PathOrigin::Created);
    assert_eq!(origin("mkdir dir ; rm -rf dir"), PathOrigin::Existing);
    assert_eq!(origin("mkdir t ; > t/x ; rm -rf t"), PathOrigin::Created);
    assert_eq!(origin("rm a ; rm a"), PathOrigin::Gone);
    assert_eq!(origin("rm dir ; rm -rf dir"), PathOrigin::Existing, "rm fails on a directory");
    assert_eq!(origin("rm -rf dir ; rm dir/a"), PathOrigin::Gone);
    assert_eq!(origin("mv a z ; rm z"), PathOrigin::MovedFrom("/w/a".into()));
    assert_eq!(origin("mv src z ; rm z/x"), PathOrigin::MovedFrom("/w/src/x".into()));
    assert_eq!(origin("mv a z ; mv z y ; rm y"), PathOrigin::MovedFrom("/w/a".into()));
    assert_eq!(origin("mv a z ; > a ; rm a"), PathOrigin::Created);
    assert_eq!(origin("cp a z ; rm z"), PathOrigin::Created);
    assert_eq!(origin("cp a z ; rm a ; rm z"), PathOrigin::MovedFrom("/w/a".into()), "the last copy");
}

#[test]
fn copies_are_remembered() {
    let copies = |line: &str| subject(run(line).last().unwrap()).copies.clone();
    assert_eq!(copies("cp a z ; rm a"), [PathBuf::from("/w/z")]);
    assert_eq!(copies("cp a z ; rm z ; rm a"), Vec::<PathBuf>::new());
    assert_eq!(copies("cp -r src z ; rm src/x"), [PathBuf::from("/w/z/x")]);
    assert_eq!(copies("cp a z ; mv z y ; rm a"), [PathBuf::from("/w/y")]);
    assert_eq!(copies("cp a z ; mv a y ; rm y"), [PathBuf::from("/w/z")]);
    assert_eq!(copies("cp -r src dir/src ; rm -rf src"), [PathBuf::from("/w/dir/src")]);
    assert_eq!(copies("mv -b a b ; rm b"), Vec::<PathBuf>::new());
}

#[test]
fn content_moves_in_and_out() {
    let last = |line: &str| subject(run(line).last().unwrap()).clone();
    assert_eq!(last("mkdir t ; mv a t/ ; rm -rf t").moved_in, [PathBuf::from("/w/a")]);
    assert_eq!(last("mv dir/a keep ; rm -rf dir").moved_out, [PathBuf::from("/w/dir/a")]);
}

#[test]
fn moving_into_nothing_deletes() {
    assert_eq!(show("mv a /dev/null"), ["delete file /w/a"]);
}

#[test]
fn backups_keep_the_old_content() {
    let last = run("cp -b a b ; rm b~").pop().unwrap();
    assert_eq!(subject(&last).origin, PathOrigin::MovedFrom("/w/b".into()));
}

#[test]
fn dd_and_truncate() {
    assert_eq!(show("dd if=a of=b"), ["replace file /w/b"]);
    assert_eq!(show("dd if=a of=b conv=fsync,notrunc"), ["update file /w/b"]);
    assert!(run("dd if=/dev/null of=b conv=notrunc")[0].facts.contains_key("no-change"));
    assert_eq!(show("dd if=a of=/dev/null"), Vec::<String>::new());
    assert_eq!(show("dd if=/dev/zero of=/dev/sda"), ["replace file /dev/sda"]);
    assert_eq!(show("truncate -s 0 a"), ["replace file /w/a"]);
    assert!(run("truncate -s +1M a")[0].facts.contains_key("no-change"));
    assert!(run("truncate -s 200 a")[0].facts.contains_key("no-change"));
}

#[test]
fn rsync_mirrors() {
    let mirror = run("rsync -a --delete src/ dir/");
    assert_eq!((mirror[0].action, subject(&mirror[0]).path.as_known()), (Action::Replace, Some("/w/dir")));
    assert!(mirror[0].facts.contains_key("mirror"));
    assert_eq!(show("rsync -a src dir"), ["replace tree /w/dir/src"]);
    assert_eq!(show("rsync -an --delete src/ dir/"), Vec::<String>::new());
    assert_eq!(show("rsync -a --delete src/ box:dir/"), ["delete remote.tree box:dir/"]);
}

#[test]
fn unpacking_names_the_archive() {
    let unpacked = run("tar xzf x.tgz -C dir a b");
    let archive = unpacked.iter().find(|m| m.kind == "archive.extract").unwrap();
    assert_eq!(subject(archive).path.as_known(), Some("/w/dir"));
    assert_eq!(archive.facts["archive"].value, crate::model::FactValue::Text("/w/x.tgz".into()));
    assert_eq!(archive.facts["members"].value, crate::model::FactValue::Text("a\nb".into()));
}

#[test]
fn rm_refuses_dots() {
    assert!(show("rm -rf . .. dir/.").is_empty());
}

#[test]
fn packed_content_goes_on() {
    let last = |line: &str| subject(run(line).last().unwrap()).clone();
    assert_eq!(last("gzip a ; rm a.gz").origin, PathOrigin::MovedFrom("/w/a".into()));
    assert_eq!(last("tar czf x.tgz src ; rm -rf src").copies, [PathBuf::from("/w/x.tgz")]);
    assert_eq!(last("gzip -k a ; rm a").copies, [PathBuf::from("/w/a.gz")]);
}

proptest::proptest! {
    /// Whatever the words, there is an answer.
    #[test]
    fn total(
        tool in proptest::sample::select(vec!["rm", "cp", "mv", "ln", "install", "dd", "rsync", "tar", "truncate", "split",
            "sed", "sqlite3", "git", "gzip", "tee"]),
        words in proptest::collection::vec("[-a-z/.…=:]{1,7}", 0..6),
    ) {
        run(&format!("{tool} {} ; {tool} {}", words.join(" "), words.join(" ")));
    }
}
