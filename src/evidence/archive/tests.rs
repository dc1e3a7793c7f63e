//! Unpacking real archives over real and imagined files.

use std::path::Path;
use std::process::Command;

use super::*;
use crate::evidence::collect;
use crate::model::{Action, Cause, Context, Fact, Facts, LossClass, RuleRef, Source, Subject, Target, Value};
use crate::world::RealWorld;

struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    /// `in/` with two files, packed in several ways; `out/` with an older version of one.
    fn new() -> Option<Self> {
        let place = Self { dir: tempfile::tempdir().unwrap() };
        for name in ["in/sub", "out/sub"] {
            std::fs::create_dir_all(place.path(name)).unwrap();
        }
        place.write("in/a", "new a");
        place.write("in/sub/same", "same");
        place.write("out/a", "old a!");
        place.write("out/sub/same", "same");
        place.run("tar", &["-C", "in", "-cf", "plain.tar", "."])?;
        place.run("tar", &["-C", "in", "-czf", "packed.tar.gz", "a", "sub"])?;
        Some(place)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(name)
    }

    fn write(&self, name: &str, content: &str) {
        std::fs::write(self.path(name), content).unwrap();
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Option<()> {
        let done = Command::new(program).args(arguments).current_dir(self.path("")).status();
        if done.is_ok_and(|status| status.success()) {
            return Some(());
        }
        println!("SKIPPED: {program} is not installed");
        None
    }

    fn unpack(&self, archive: &str, target: &str, facts: &[(&str, FactValue)]) -> Evidence {
        let mut given = Facts::default();
        let archive = FactValue::Text(self.path(archive).display().to_string());
        given.insert("archive".to_owned(), Fact::new(archive, ""));
        for (key, value) in facts {
            given.insert((*key).to_owned(), Fact::new(value.clone(), ""));
        }
        let target = self.path(target).display().to_string();
        let mutation = Mutation {
            action: Action::Update,
            kind: "archive.extract".to_owned(),
            subject: Subject::Path(PathSubject::new(Value::known(target.clone()), target)),
            target: Target::default(),
            source: Source::Shell,
            raw: String::new(),
            span: None,
            rule: RuleRef::default(),
            cause: Cause::Rule,
            context: Context::default(),
            facts: given,
            dependents: Vec::new(),
        };
        let home = self.path("").display().to_string();
        let world = RealWorld::with_environment([("HOME".to_owned(), home)].into());
        collect(&mutation, &world, &mut Session::new())
    }

    fn lost(&self, archive: &str, facts: &[(&str, FactValue)]) -> Option<u64> {
        let loss = self.unpack(archive, "out", facts).loss?;
        Some(loss.classes.get(&LossClass::Lost).map_or(0, |tally| tally.files))
    }
}

#[test]
fn only_files_whose_content_differs_are_lost() {
    let Some(place) = Place::new() else { return };
    let yes = FactValue::Bool(true);
    let word = |text: &str| FactValue::Text(text.to_owned());
    for archive in ["plain.tar", "packed.tar.gz"] {
        assert_eq!(place.lost(archive, &[]), Some(1), "{archive}");
        assert_eq!(place.lost(archive, &[("no-clobber", yes.clone())]), Some(0));
        assert_eq!(place.lost(archive, &[("backup", yes.clone())]), Some(0));
        assert_eq!(place.lost(archive, &[("members", word("sub"))]), Some(0));
        assert_eq!(place.lost(archive, &[("members", word("a"))]), Some(1));
        assert_eq!(
            place.lost(archive, &[("strip", FactValue::Number(1))]),
            Some(0),
            "only sub/same is left, as same"
        );
        assert_eq!(place.lost(archive, &[("one-top-level", yes.clone())]), Some(0));
        assert_eq!(place.lost(archive, &[("one-top-level", word("."))]), Some(1), "by its name");
        assert_eq!(place.lost(archive, &[("transform", yes.clone())]), None);
    }
    let into_nothing = place.unpack("plain.tar", "elsewhere", &[]).loss.unwrap();
    assert_eq!(into_nothing.worst(), LossClass::Nothing);
}

#[test]
fn zip_archives_are_compared_by_checksum() {
    let Some(place) = Place::new() else { return };
    let script = "import zipfile\nz = zipfile.ZipFile('x.zip', 'w', zipfile.ZIP_DEFLATED)\n\
                  z.write('in/a', 'a')\nz.write('in/sub/same', 'sub/same')\nz.close()\n";
    if place.run("python3", &["-c", script]).is_none() {
        return;
    }
    assert_eq!(place.lost("x.zip", &[]), Some(1));
    assert_eq!(place.lost("x.zip", &[("members", FactValue::Text("sub/same".to_owned()))]), Some(0));
}

#[test]
fn what_cannot_be_listed_is_missing_evidence() {
    let Some(place) = Place::new() else { return };
    std::fs::write(place.path("x.tar.xz"), b"\xfd7zXZ\0 garbage").unwrap();
    place.write("broken.tar.gz", "\u{1f}\u{8b}");
    for archive in ["x.tar.xz", "broken.tar.gz", "absent.tar"] {
        let evidence = place.unpack(archive, "out", &[]);
        assert!(evidence.loss.is_none(), "{archive}");
        assert_eq!(evidence.missing[0].key, "archive", "{archive}");
        let says_xz = evidence.missing[0].description.contains("packed with xz");
        assert_eq!(says_xz, archive.ends_with(".xz"), "{archive}");
    }
}

#[test]
fn an_archive_whose_content_stands_beside_it_is_not_the_only_place() {
    let Some(place) = Place::new() else { return };
    let home = place.path("").display().to_string();
    let world = RealWorld::with_environment([("HOME".to_owned(), home)].into());
    let held = |name: &str, session: &mut Session| {
        let archive = place.path(name);
        let size = std::fs::metadata(&archive).unwrap().len();
        elsewhere(&world, session, &archive, size, &[place.path("in")], &|_| true)
    };
    assert_eq!(held("packed.tar.gz", &mut Session::new()), Some(place.path("in")));
    assert_eq!(held("plain.tar", &mut Session::new()), Some(place.path("in")));
    let mut session = Session::new();
    session.destroy(&place.path("in/a"));
    assert_eq!(held("packed.tar.gz", &mut session), None, "a member goes");
    // More behind the archive would not be seen.
    let packed = std::fs::read(place.path("packed.tar.gz")).unwrap();
    std::fs::write(place.path("longer.tar.gz"), [packed, b"and something else".to_vec()].concat()).unwrap();
    assert_eq!(held("longer.tar.gz", &mut Session::new()), None);
    let plain = std::fs::read(place.path("plain.tar")).unwrap();
    std::fs::write(place.path("more.tar"), [plain, b"more".to_vec()].concat()).unwrap();
    assert_eq!(held("more.tar", &mut Session::new()), None);
    if place.run("gzip", &["-k", "out/a"]).is_some() {
        assert_eq!(held("out/a.gz", &mut Session::new()), Some(place.path("out/a")));
    }
    place.write("in/a", "changed since");
    assert_eq!(held("packed.tar.gz", &mut Session::new()), None);
}

#[test]
fn any_bytes_are_survived() {
    for data in [&b"PK\x05\x06"[..], &[0x1f, 0x8b, 8, 0xff], &[b'a'; 600], b""] {
        if let Some(plain) = inflated(data) {
            assert!(!tar::is_tar(&plain) || tar::members(&plain).is_none());
            let _ = zip::members(&plain);
        }
    }
    assert_eq!(zip::crc32(b"123456789"), 0xcbf4_3926);
    assert_eq!(stem(Path::new("/x/a.tar.gz")), "a");
}

#[test]
fn names_are_taken_as_they_stand_where_that_is_asked_for() {
    let Some(place) = Place::new() else { return };
    if place.run("tar", &["-P", "-C", "out", "-cf", "up.tar", "../out/a"]).is_none() {
        return;
    }
    place.write("out/a", "written since");
    let yes = FactValue::Bool(true);
    assert_eq!(place.lost("up.tar", &[]), Some(0));
    assert_eq!(place.lost("up.tar", &[("absolute", yes)]), Some(1));
}
