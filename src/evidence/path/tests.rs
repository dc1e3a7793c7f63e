//! The path probe on machines in memory and on real repositories.

mod git;
mod links;

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::evidence::{Session, collect};
use crate::model::{
    Action, Cause, Context, Evidence, FactValue, Facts, LossClass, Mutation, PathOrigin, PathSubject,
    RuleRef, Source, Subject, Target, Value,
};
use crate::world::{FileKind, MemoryWorld, RealWorld, World};

/// A mutation of one path.
fn mutation(action: Action, subject: PathSubject) -> Mutation {
    Mutation {
        action,
        kind: if subject.recursive { "tree" } else { "file" }.to_owned(),
        target: Target { r#type: "file".to_owned(), id: subject.shown.clone(), ..Target::default() },
        subject: Subject::Path(subject),
        source: Source::Shell,
        raw: String::new(),
        span: None,
        rule: RuleRef::default(),
        cause: Cause::Rule,
        context: Context::default(),
        facts: Facts::default(),
        dependents: Vec::new(),
    }
}

fn file(path: &str) -> PathSubject {
    PathSubject::new(Value::known(path), path)
}

fn tree(path: &str) -> PathSubject {
    PathSubject { recursive: true, ..file(path) }
}

fn look(world: &dyn World, action: Action, subject: PathSubject) -> Evidence {
    collect(&mutation(action, subject), world, &mut Session::new())
}

fn worst(world: &dyn World, action: Action, subject: PathSubject) -> LossClass {
    look(world, action, subject).loss.expect("a loss").worst()
}

fn delete(world: &dyn World, subject: PathSubject) -> LossClass {
    worst(world, Action::Delete, subject)
}

#[test]
fn what_is_not_there_or_empty_cannot_be_lost() {
    let world = MemoryWorld::new()
        .file("/home/me/empty", "")
        .dir("/home/me/void/deep")
        .file("/home/me/full/f", "x")
        .link("/home/me/link", "full/f")
        .link("/home/me/dangling", "nowhere");
    for path in ["missing", "missing/deeper", "empty", "link", "dangling", "empty/below"] {
        assert_eq!(delete(&world, file(&format!("/home/me/{path}"))), LossClass::Nothing, "{path}");
    }
    assert_eq!(delete(&world, tree("/home/me/void")), LossClass::Nothing);
    assert_eq!(delete(&world, file("/home/me/full")), LossClass::Nothing, "rm fails on a directory");
    assert_eq!(delete(&world, tree("/home/me/full")), LossClass::Lost);
    assert_eq!(delete(&world, file("/home/me/full/f")), LossClass::Lost);
}

#[test]
fn a_single_file_is_precious_by_its_name() {
    let world = MemoryWorld::new()
        .file("/home/me/p/server.key", "k")
        .file("/home/me/p/db.sqlite3", "dd")
        .file("/home/me/p/terraform.tfstate", "sss")
        .file("/home/me/p/notes.txt", "nnnn");
    for action in [Action::Delete, Action::Replace, Action::Update] {
        let why = |path: &str| look(&world, action, file(path)).loss.unwrap().precious;
        assert_eq!(why("/home/me/p/server.key").as_deref(), Some("key"));
        assert_eq!(why("/home/me/p/db.sqlite3").as_deref(), Some("database"));
        assert_eq!(why("/home/me/p/terraform.tfstate").as_deref(), Some("Terraform state"));
        assert_eq!(why("/home/me/p/notes.txt"), None);
    }
}

#[test]
fn writing_through_a_link_reaches_its_target() {
    let world = MemoryWorld::new()
        .file("/home/me/f", "x")
        .link("/home/me/link", "f")
        .dir("/home/me/d")
        .link("/home/me/ld", "d");
    let through = PathSubject { follow: true, ..file("/home/me/link") };
    assert_eq!(worst(&world, Action::Replace, through), LossClass::Lost);
    assert_eq!(worst(&world, Action::Replace, file("/home/me/link")), LossClass::Nothing);
    let world = world.file("/home/me/d/inner", "x");
    assert_eq!(delete(&world, tree("/home/me/ld")), LossClass::Nothing);
    let behind = PathSubject { shown: "ld/".to_owned(), ..tree("/home/me/ld") };
    assert_eq!(delete(&world, behind), LossClass::Lost);
}

#[test]
fn two_copies_deleted_by_one_command_are_lost() {
    let world = MemoryWorld::new().file("/home/me/a", "same").file("/home/me/b", "same");
    let mut session = Session::new();
    let mut one_by_one =
        |path| collect(&mutation(Action::Delete, file(path)), &world, &mut session).loss.unwrap().worst();
    assert_eq!(one_by_one("/home/me/a"), LossClass::Copied);
    assert_eq!(one_by_one("/home/me/b"), LossClass::Lost);
}

#[test]
fn a_replacement_with_the_same_content_loses_nothing() {
    let world = MemoryWorld::new()
        .file("/home/me/a", "same")
        .file("/home/me/sub/b", "same")
        .file("/home/me/sub/c", "other");
    let onto = |path: &str| PathSubject { from: Some(PathBuf::from("/home/me/a")), ..file(path) };
    assert_eq!(worst(&world, Action::Replace, onto("/home/me/sub/b")), LossClass::Nothing);
    assert_eq!(worst(&world, Action::Replace, onto("/home/me/sub/c")), LossClass::Lost);
    assert_eq!(worst(&world, Action::Replace, onto("/home/me/a")), LossClass::Nothing);
    let text = |content: &str| PathSubject { content: Some(content.to_owned()), ..file("/home/me/sub/c") };
    assert_eq!(worst(&world, Action::Replace, text("other")), LossClass::Nothing);
    assert_eq!(worst(&world, Action::Replace, text("new")), LossClass::Lost);
}

#[test]
fn flags_of_the_command_are_heeded() {
    let world = MemoryWorld::new().file("/home/me/a", "old");
    for (flag, class) in [
        ("append", LossClass::Nothing),
        ("no-clobber", LossClass::Nothing),
        ("backup", LossClass::Snapshot),
        ("unheard-of", LossClass::Lost),
    ] {
        let mut act = mutation(Action::Replace, file("/home/me/a"));
        act.facts.insert(flag.to_owned(), crate::model::Fact::new(FactValue::Bool(true), ""));
        assert_eq!(collect(&act, &world, &mut Session::new()).loss.unwrap().worst(), class, "{flag}");
    }
}

#[test]
fn what_the_command_did_before_counts() {
    let world = MemoryWorld::new().file("/home/me/a", "text").file("/home/me/d/x", "text x");
    let made = PathSubject { origin: PathOrigin::Created, ..file("/home/me/a") };
    assert_eq!(delete(&world, made), LossClass::Nothing);
    let moved = PathSubject { origin: PathOrigin::MovedFrom("/home/me/a".into()), ..file("/home/me/b") };
    assert_eq!(delete(&world, moved), LossClass::Lost);
    let emptied = PathSubject { moved_out: vec!["/home/me/d/x".into()], ..tree("/home/me/d") };
    assert_eq!(delete(&world, emptied), LossClass::Nothing);
    let filled = PathSubject { moved_in: vec!["/home/me/a".into()], ..tree("/home/me/void") };
    assert_eq!(delete(&world, filled), LossClass::Lost);
    let copied = PathSubject { copies: vec!["/home/me/copy".into()], ..file("/home/me/a") };
    let evidence = look(&world, Action::Delete, copied);
    assert_eq!(evidence.loss.unwrap().worst(), LossClass::Copied);
    assert_eq!(evidence.facts["loss.outright"].value, FactValue::Text("lost".to_owned()));
}

#[test]
fn temporary_places_hold_nothing_dear_but_homes_do() {
    let world = MemoryWorld::new().file("/tmp/x/f", "x").file("/var/tmp/g", "x").file("/home/me/f", "x");
    assert_eq!(delete(&world, tree("/tmp/x")), LossClass::Temporary);
    assert_eq!(delete(&world, file("/var/tmp/g")), LossClass::Temporary);
    let world = MemoryWorld::new().env("HOME", "/tmp/h").file("/tmp/h/f", "x");
    assert_eq!(delete(&world, file("/tmp/h/f")), LossClass::Lost);
}

#[test]
fn the_root_a_home_and_system_directories_are_lost_whatever_is_seen() {
    let world = MemoryWorld::new().dir("/etc").owner("/etc", 0);
    for path in ["/", "/home/me", "/home", "/etc"] {
        let evidence = look(&world, Action::Delete, tree(path));
        let loss = evidence.loss.unwrap();
        assert_eq!(loss.worst(), LossClass::Lost, "{path}");
        assert!(loss.precious.is_some(), "{path}");
    }
}

#[test]
fn what_is_certain_is_not_counted_again_and_again_and_takes_nothing_from_the_rest() {
    let mut world = MemoryWorld::new().owner("/etc", 1000).owner("/usr", 1000);
    for n in 0..700 {
        for place in ["data", "etc", "usr"] {
            world = world.file(&format!("/{place}/d{}/{n}", n % 7), "x");
        }
    }
    let mut session = Session::new();
    let mut look =
        |path: &str| collect(&mutation(Action::Delete, tree(path)), &world, &mut session).loss.unwrap();
    let etc = look("/etc");
    assert_eq!((etc.worst(), etc.truncated), (LossClass::Lost, true));
    let usr = look("/usr");
    assert_eq!((usr.worst(), usr.truncated), (LossClass::Lost, true));
    assert!(usr.classes[&LossClass::Lost].files < 100);
    // A policy may let `/etc` pass: what else goes is judged as it is.
    let data = look("/data");
    assert_eq!((data.worst(), data.truncated), (LossClass::Lost, false));
    assert_eq!(data.classes[&LossClass::Lost].files, 700);
}

#[test]
fn counting_ends_where_it_changes_nothing() {
    let mut world = MemoryWorld::new();
    for n in 0..12_000 {
        world = world.file(&format!("/data/d{}/{n}", n % 60), "x");
    }
    let loss = look(&world, Action::Delete, tree("/data")).loss.unwrap();
    assert_eq!((loss.worst(), loss.truncated), (LossClass::Lost, true));
    let lost = loss.classes[&LossClass::Lost].files;
    assert!((10_000..10_300).contains(&lost), "{lost}");
}

#[test]
fn rights_that_are_missing_protect_until_they_may_change() {
    let world = MemoryWorld::new().file("/home/me/ro/f", "x").mode("/home/me/ro", 0o555);
    assert_eq!(delete(&world, file("/home/me/ro/f")), LossClass::Nothing);
    assert_eq!(delete(&world, tree("/home/me/ro")), LossClass::Nothing);
    let mut privileged = mutation(Action::Delete, tree("/home/me/ro"));
    privileged.context.privileged = true;
    assert_eq!(collect(&privileged, &world, &mut Session::new()).loss.unwrap().worst(), LossClass::Lost);
    let mut session = Session::new();
    let mut opened = mutation(Action::Update, file("/home/me/ro"));
    opened.kind = "file.mode".to_owned();
    collect(&opened, &world, &mut session);
    let after = collect(&mutation(Action::Delete, tree("/home/me/ro")), &world, &mut session);
    assert_eq!(after.loss.unwrap().worst(), LossClass::Lost);
}

#[test]
fn a_path_that_is_only_partly_known_is_judged_by_what_fits() {
    let world = MemoryWorld::new().file("/home/me/notes.md", "x").file("/home/me/notes-1.md", "other");
    let written = |prefix: &str, suffix: &str| {
        let value = Value::Affix { prefix: prefix.to_owned(), suffix: suffix.to_owned() };
        worst(&world, Action::Replace, PathSubject::new(value, "…"))
    };
    assert_eq!(written("/home/me/out-", ".md"), LossClass::Nothing);
    assert_eq!(written("/home/me/notes-", ".md"), LossClass::Unseen);
    assert_eq!(written("/home/me/notes-", ".txt"), LossClass::Nothing);
    assert_eq!(written("/tmp/", ""), LossClass::Temporary);
    assert_eq!(written("/tmp/tmp.", ""), LossClass::Temporary);
    assert_eq!(delete(&world, PathSubject::new(Value::Unknown, "$x")), LossClass::Unseen);
    for prefix in ["/home/me/.", "/home/me/..", "/home/nobody/.."] {
        assert_eq!(written(prefix, ""), LossClass::Unseen, "{prefix}/notes.md is a path like any other");
    }
    let any = Value::Affix { prefix: "/home/me/".to_owned(), suffix: String::new() };
    assert_eq!(
        delete(&world, PathSubject { recursive: true, ..PathSubject::new(any, "$x") }),
        LossClass::Unseen
    );
}

#[test]
fn devices_hold_what_is_on_them() {
    let world = MemoryWorld::new()
        .special("/dev/sda", FileKind::BlockDevice)
        .special("/dev/null", FileKind::CharDevice)
        .special("/dev/mem", FileKind::CharDevice);
    let write = |path| worst(&world, Action::Replace, file(path));
    assert_eq!(write("/dev/sda"), LossClass::Lost);
    assert_eq!(write("/dev/null"), LossClass::Nothing);
    assert_eq!(write("/dev/mem"), LossClass::Unseen);
    assert_eq!(write("/dev/nvme0n1"), LossClass::Lost, "not here now, perhaps then");
    assert_eq!(delete(&world, file("/dev/sda")), LossClass::Nothing);
}

#[test]
fn what_tools_make_again_is_regenerable() {
    let world = MemoryWorld::new()
        .file("/home/me/p/package.json", "{}")
        .file("/home/me/p/node_modules/a/index.js", "x")
        .file("/home/me/.cache/pip/x", "x")
        .file("/home/me/q/node_modules/index.js", "x")
        .file("/home/me/p/dist/app.js", "x")
        .file("/home/me/p/dist/.env", "x");
    assert_eq!(delete(&world, tree("/home/me/p/node_modules")), LossClass::Regenerable);
    assert_eq!(delete(&world, tree("/home/me/p/node_modules/a")), LossClass::Regenerable);
    assert_eq!(delete(&world, tree("/home/me/.cache/pip")), LossClass::Regenerable);
    assert_eq!(delete(&world, tree("/home/me/q/node_modules")), LossClass::Lost);
    assert_eq!(delete(&world, file("/home/me/p/dist/app.js")), LossClass::Regenerable);
    assert_eq!(delete(&world, tree("/home/me/p/dist")), LossClass::Lost, "secrets among the output");
}

#[test]
fn what_a_tool_makes_again_is_read_to_its_end_by_name() {
    let repository = Repository::new();
    repository.write("p/.gitignore", "target/\n.venv/\nbuild/\n");
    repository.write("p/Cargo.toml", "");
    for n in 0..2500 {
        repository.write(&format!("p/target/debug/deps/d{}/f{n}.o", n % 50), "x");
    }
    assert_eq!(repository.worst("p/target"), LossClass::Regenerable);
    // A clone with a commit of its own, wherever it lies.
    repository.write("p/target/zz/deep/w.py", "mine\n");
    repository.git("p/target/zz/deep", &["init", "-q"]);
    repository.git("p/target/zz/deep", &["add", "-A"]);
    repository.git("p/target/zz/deep", &["commit", "-qm", "mine"]);
    assert_eq!(repository.worst("p/target"), LossClass::Lost);
    assert_eq!(repository.worst("p/target/zz"), LossClass::Lost);
    assert_eq!(repository.worst("p/target/debug"), LossClass::Regenerable);
    for (path, text) in [("target/thesis.md", "own"), ("target/zz2/app.sqlite3", "own")] {
        repository.write(&format!("p/{path}"), text);
        assert_eq!(repository.worst(&format!("p/{path}")), LossClass::Lost, "{path}");
    }
    // A recipe that makes the directory vouches for what it names, not for the rest.
    repository.write("p/Makefile", "all:\n\tmkdir -p build\n\tcc a.c -o build/tool\n");
    repository.write("p/build/tool", "x");
    repository.write("p/build/main.o", "x");
    assert_eq!(repository.worst("p/build"), LossClass::Regenerable);
    repository.write("p/build/m/f1", "of my own");
    assert_eq!(repository.worst("p/build"), LossClass::Lost);
}

#[test]
fn a_package_that_was_changed_after_it_was_installed_is_not_made_again() {
    let repository = Repository::new();
    repository.write("p/.gitignore", "node_modules/\n");
    repository.write("p/package.json", "{}");
    for file in ["package.json", "a.js", "b.js", "c.js"] {
        repository.write(&format!("p/node_modules/left/{file}"), file);
    }
    std::thread::sleep(std::time::Duration::from_millis(20));
    repository.write("p/node_modules/.package-lock.json", r#"{"packages":{"node_modules/left":{}}}"#);
    assert_eq!(repository.worst("p/node_modules"), LossClass::Regenerable);
    std::thread::sleep(std::time::Duration::from_millis(20));
    repository.write("p/node_modules/left/b.js", "patched by hand");
    repository.write("p/node_modules/.cache/x/run.txt", "of a run");
    assert_eq!(repository.worst("p/node_modules"), LossClass::Lost);
    assert_eq!(repository.worst("p/node_modules/left/b.js"), LossClass::Lost);
    assert_eq!(repository.worst("p/node_modules/left/a.js"), LossClass::Regenerable);
    repository.write("p/patches/left.patch", "how it is done again");
    assert_eq!(repository.worst("p/node_modules"), LossClass::Regenerable);
}

#[test]
fn a_tree_copied_over_another_loses_only_what_differs() {
    let world = MemoryWorld::new()
        .file("/home/me/src/a", "new")
        .file("/home/me/src/same", "same")
        .file("/home/me/dst/a", "old!")
        .file("/home/me/dst/same", "same")
        .file("/home/me/dst/extra", "only here");
    let onto = || PathSubject { from: Some("/home/me/src".into()), ..tree("/home/me/dst") };
    let loss = look(&world, Action::Replace, onto()).loss.unwrap();
    assert_eq!(loss.classes[&LossClass::Lost].examples, ["~/dst/a"]);
    let mut mirror = mutation(Action::Replace, onto());
    mirror.facts.insert("mirror".to_owned(), crate::model::Fact::new(FactValue::Bool(true), ""));
    let loss = collect(&mirror, &world, &mut Session::new()).loss.unwrap();
    assert_eq!(loss.classes[&LossClass::Lost].files, 2);
}

#[test]
fn on_another_host_nothing_is_known() {
    let mut act = mutation(Action::Delete, file("/home/me/f"));
    act.context.host = Some("box".to_owned());
    let evidence = collect(&act, &MemoryWorld::new(), &mut Session::new());
    assert_eq!(evidence.loss.unwrap().worst(), LossClass::Unseen);
    assert!(!evidence.missing.is_empty());
}

/// A real repository in a directory of its own, with `HOME` above it.
struct Repository {
    dir: tempfile::TempDir,
}

impl Repository {
    fn new() -> Self {
        let repository = Self { dir: tempfile::tempdir().unwrap() };
        std::fs::create_dir_all(repository.path("p/src")).unwrap();
        repository.git("p", &["init", "-q", "-b", "main"]);
        repository.write("p/src/a.py", "a\n");
        repository.write("p/src/b.py", "b\n");
        repository.git("p", &["add", "-A"]);
        repository.git("p", &["commit", "-qm", "one"]);
        repository
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(name)
    }

    fn write(&self, name: &str, content: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    fn git(&self, dir: &str, arguments: &[&str]) {
        let done = Command::new("git")
            .current_dir(self.path(dir))
            .args(["-c", "user.name=a", "-c", "user.email=a@b"])
            .args(arguments)
            .env("HOME", self.path(""))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .unwrap();
        assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    }

    fn world(&self) -> RealWorld {
        let home = self.path("").display().to_string();
        let path = std::env::var("PATH").unwrap_or_default();
        RealWorld::with_environment([("HOME".to_owned(), home), ("PATH".to_owned(), path)].into())
    }

    fn delete(&self, name: &str) -> Evidence {
        let path = self.path(name);
        let subject =
            if path.is_dir() { tree(&path.display().to_string()) } else { file(&path.display().to_string()) };
        look(&self.world(), Action::Delete, subject)
    }

    fn worst(&self, name: &str) -> LossClass {
        self.delete(name).loss.unwrap().worst()
    }
}

#[test]
fn limits_are_told_and_never_make_it_safer() {
    let home = tempfile::tempdir().unwrap();
    let root = home.path().canonicalize().unwrap();
    for n in 0..50 {
        std::fs::write(root.join(format!("f{n}")), "x").unwrap();
    }
    let world = RealWorld::with_environment([("HOME".to_owned(), root.display().to_string())].into());
    let below = root.join("d");
    std::fs::create_dir(&below).unwrap();
    for n in 0..50 {
        std::fs::write(below.join(format!("f{n}")), "x").unwrap();
    }
    let budget = crate::evidence::Budget { entries: 10, ..Default::default() };
    let act = mutation(Action::Delete, tree(&below.display().to_string()));
    let evidence = collect(&act, &world, &mut Session::with_budget(budget));
    let loss = evidence.loss.unwrap();
    assert!(loss.truncated);
    assert_eq!(loss.worst(), LossClass::Unseen);
    assert!(Path::new(&below).exists());
}

#[test]
fn a_big_tree_is_seen_as_a_small_one_is() {
    let repository = Repository::new();
    for dir in 0..60 {
        for file in 0..10 {
            repository.write(&format!("p/big/d{dir}/x/f{file}"), &format!("{dir} {file}\n"));
        }
    }
    repository.git("p", &["add", "-A"]);
    repository.git("p", &["commit", "-qm", "big"]);
    // The index must be younger than the files, or each is read.
    std::thread::sleep(std::time::Duration::from_millis(20));
    repository.git("p", &["update-index", "--refresh", "--force-write-index"]);
    assert_eq!(repository.worst("p/big"), LossClass::Tracked);
    repository.write("p/big/d7/x/f3", "other\n");
    repository.write("p/big/d8/x/new", "new\n");
    repository.write("p/big/d8/empty", "");
    repository.write("p/big/d9/node_modules/m/index.js", "made\n");
    repository.write("p/big/d9/package.json", "{}\n");
    repository.write("p/big/d10/inner/f", "another repository's\n");
    repository.git("p/big/d10/inner", &["init", "-q"]);
    let loss = repository.delete("p/big").loss.unwrap();
    let files = |class| loss.classes.get(&class).map_or(0, |tally: &crate::model::Tally| tally.files);
    assert_eq!(files(LossClass::Tracked), 599);
    assert_eq!(loss.modified, 1);
    assert_eq!(files(LossClass::Regenerable), 1);
    let mut lost = loss.classes[&LossClass::Lost].examples.clone();
    lost.sort();
    // The inner repository counts once, for its history.
    assert_eq!(files(LossClass::Lost), 5, "{lost:?}");
    assert!(
        ["d7/x/f3", "d8/x/new", "d9/package.json", "d10/inner/f"]
            .iter()
            .all(|name| lost.iter().any(|example| example.ends_with(name))),
        "{lost:?}"
    );
}

#[test]
fn a_tree_whose_permissions_everything_depends_on_is_named() {
    let world = MemoryWorld::new().file("/etc/hosts", "x").file("/srv/app/a", "x");
    let place = |path: &str| {
        let changed = Mutation { kind: "tree.mode".to_owned(), ..mutation(Action::Update, tree(path)) };
        collect(&changed, &world, &mut Session::new()).facts.get("place").map(|fact| fact.value.clone())
    };
    assert!(place("/").is_some() && place("/etc").is_some());
    assert_eq!(place("/srv/app"), None);
}
