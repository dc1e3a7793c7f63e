use std::path::PathBuf;

use proptest::prelude::*;

use super::*;
use crate::model::Span;
use crate::shell::Names;
use crate::shell::program::FileState;
use crate::world::MemoryWorld;

fn world() -> MemoryWorld {
    MemoryWorld::new()
        .file("/p/notes.md", "x")
        .file("/p/src/a.py", "aaaa")
        .file("/p/src/lib/b.py", "")
        .file("/p/src/lib/c.txt", vec![b'c'; 2000])
        .modified("/p/notes.md", 1_699_999_000)
        .modified("/p/src/a.py", 1_600_000_000)
        .modified("/p/src/lib/b.py", 1_699_999_999)
        .modified("/p/src/lib/c.txt", 1_699_000_000)
        .dir("/p/hollow/inner")
        .link("/p/link", "src")
}

fn words(text: &str) -> Vec<Arg> {
    text.split_whitespace().map(|word| Arg::literal(word.trim_matches('\''), Span::default())).collect()
}

fn run(text: &str) -> Found {
    evaluate(
        &words(text),
        Path::new("/p"),
        &world(),
        (&Names::default(), &Files::default()),
        FindLimits::default(),
    )
}

/// The paths of the first action, uncertain ones with a question mark.
fn paths(text: &str) -> String {
    let found = run(text);
    match found.actions.first().map(|action| &action.paths) {
        Some(FoundPaths::Listed(list)) => list
            .iter()
            .map(|found| format!("{}{}", found.path, if found.certain { "" } else { "?" }))
            .collect::<Vec<_>>()
            .join(" "),
        Some(FoundPaths::Below { .. }) => "below".to_owned(),
        None if found.refused => "refused".to_owned(),
        None => "nothing".to_owned(),
    }
}

#[test]
fn selections() {
    for (text, expected) in [
        ("src -name *.py -delete", "src/a.py src/lib/b.py"),
        (". -name *.py", "./src/a.py ./src/lib/b.py"),
        ("-maxdepth 1 -type f", "./notes.md"),
        ("./src/ -name a.py", "./src/a.py"),
        ("src -delete", "src/a.py src/lib/b.py src/lib/c.txt src/lib src"),
        (". -maxdepth 1 -delete", "./hollow ./link ./notes.md ./src"),
        (". -type f -empty -delete", "./src/lib/b.py"),
        ("hollow -type d -empty -delete", "hollow/inner hollow"),
        ("hollow -type d -empty", "hollow/inner"),
        (". -path ./src -prune -o -type f -print", "./notes.md"),
        (". -path ./src -prune -o -type f", "./notes.md ./src"),
        (". -path ./src -prune -o -name *.csv -delete", "refused"),
        (". -type f ! -name *.py", "./notes.md ./src/lib/c.txt"),
        (". ( -name a.py -o -name c.txt ) -exec rm {} ;", "./src/a.py ./src/lib/c.txt"),
        (". -name *.py -o -name c.txt -exec rm {} ;", "./src/lib/c.txt"),
        (". -size +1k -exec rm {} +", "./hollow ./hollow/inner ./src ./src/lib ./src/lib/c.txt . "),
        (". -type f -size +1k", "./src/lib/c.txt"),
        (". -type f -size -1", "./src/lib/b.py"),
        (". -type f -mtime +100", "./src/a.py"),
        (". -type f -mmin -1", "./src/lib/b.py"),
        (". -type f -newer notes.md", "./src/lib/b.py"),
        (". -newermt 2099-01-01 -delete", ""),
        (". -type f -newermt 2023-01-01 -name *.md", "./notes.md"),
        (". -type l", "./link"),
        (". -xtype d -name link", "./link"),
        ("-L link -name a.py", "link/a.py"),
        ("link -name a.py", ""),
        ("-H link -name a.py", "link/a.py"),
        ("link/ -name a.py", "link/a.py"),
        (". -regex '.*\\.py' -type f", "./src/a.py ./src/lib/b.py"),
        (". -user root -name *.md", ""),
        (". -name *.md -fstype ext4 -delete", "./notes.md?"),
        (". -name *.md -exec grep -q x {} ; -delete", "./notes.md"),
        (". -name *.py -print -quit", "./src/a.py"),
        ("nonexistent -delete", ""),
        (". -name", "refused"),
        (". -exec rm {}", "refused"),
        (". ( -name x", "refused"),
        (". --help", "refused"),
        (". -frobnicate x -delete", "below"),
        (". -mindepth 2 -maxdepth 2 -type d", "./hollow/inner ./src/lib"),
        (". -type f -a -name n* , -name zzz", ""),
        ("src notes.md -type f -perm -u+w -links 1 -name *.md", "notes.md"),
    ] {
        let mut expected = expected.split_whitespace().collect::<Vec<_>>();
        let found = paths(text);
        let mut found = found.split_whitespace().collect::<Vec<_>>();
        if text.contains('+') {
            expected.sort_unstable();
            found.sort_unstable();
        }
        assert_eq!(found, expected, "find {text}");
    }
}

#[test]
fn actions_keep_their_words() {
    let found = run(". -name a.py -execdir sed -i s/a/b/ {} + -fprint out.txt");
    let FindAction::Exec { argv, batch: true, in_directory: true, asks: false } = &found.actions[0].action
    else {
        panic!("{found:?}");
    };
    assert_eq!(argv.len(), 4);
    assert!(
        matches!(&found.actions[1].action, FindAction::Write { file } if file.value.as_known() == Some("out.txt"))
    );
    let asked = run(". -name a.py -ok rm {} ;");
    assert!(matches!(asked.actions[0].action, FindAction::Exec { asks: true, .. }));
    let second = run(". -name a.py -exec grep -q x {} ; -delete");
    let FoundPaths::Listed(list) = &second.actions[1].paths else { panic!("{second:?}") };
    assert!(!list[0].certain);
}

#[test]
fn what_is_not_known_reaches_everything() {
    let mut arguments = words("x -name *.py -delete");
    arguments[0].value = Value::Unknown;
    let found = evaluate(
        &arguments,
        Path::new("/p"),
        &world(),
        (&Names::default(), &Files::default()),
        FindLimits::default(),
    );
    assert!(matches!(found.actions[0].paths, FoundPaths::Below { .. }));
    let mut arguments = words(". -name x -delete");
    arguments[2].value = Value::one_of(vec!["*.md".into(), "*.txt".into()]);
    let found = evaluate(
        &arguments,
        Path::new("/p"),
        &world(),
        (&Names::default(), &Files::default()),
        FindLimits::default(),
    );
    let FoundPaths::Listed(list) = &found.actions[0].paths else { panic!("{found:?}") };
    assert_eq!(list.iter().filter(|f| !f.certain).count(), 2);
    let limits = FindLimits { entries: 3, ..FindLimits::default() };
    let found = evaluate(
        &words(". -delete"),
        Path::new("/p"),
        &world(),
        (&Names::default(), &Files::default()),
        limits,
    );
    assert!(
        matches!(&found.actions[0].paths, FoundPaths::Below { starts, chosen: None, .. } if starts[0].as_known() == Some("."))
    );
    let limits = FindLimits { paths: 1, ..FindLimits::default() };
    let found = evaluate(
        &words(". -name *.py -delete"),
        Path::new("/p"),
        &world(),
        (&Names::default(), &Files::default()),
        limits,
    );
    assert!(
        matches!(&found.actions[0].paths, FoundPaths::Below { chosen: Some(list), .. } if list.len() == 1),
        "what is chosen is not all that is there: {found:?}"
    );
}

#[test]
fn earlier_steps_count() {
    let mut files = Files::default();
    files.set("/p/src/lib", FileState::Gone);
    files.set("/p/moved", FileState::MovedFrom(PathBuf::from("/p/src/lib")));
    files.set("/p/new.py", FileState::Created { content: None, directory: false });
    let found = evaluate(
        &words(". ( -name *.py -o -name *.txt ) -delete"),
        Path::new("/p"),
        &world(),
        (&Names::default(), &files),
        FindLimits::default(),
    );
    let FoundPaths::Listed(list) = &found.actions[0].paths else { panic!("{found:?}") };
    let list = list.iter().map(|f| f.path.as_str()).collect::<Vec<_>>();
    assert_eq!(list, ["./moved/b.py", "./moved/c.txt", "./new.py", "./src/a.py"]);
}

proptest! {
    #[test]
    fn never_panics(words in prop::collection::vec(
        prop::sample::select(vec![
            "(", ")", "!", ",", "-o", "-a", "-name", "*.py", "-delete", "-exec", "{}", ";", "+", "-print", "-prune",
            "-quit", "-type", "f", "-size", "-1k", "é", "-newermt", "yesterday", "-perm", "-u+w", "-regex", ".*", "",
            "-mtime", "-maxdepth", "1", "-L", "-fprintf", ".", "src", "-not", "-empty", "-newerXY", "-newerct",
        ]), 0..10)) {
        let arguments = words.iter().map(|w| Arg::literal(*w, Span::default())).collect::<Vec<_>>();
        let _ = evaluate(&arguments, Path::new("/p"), &world(), (&Names::default(), &Files::default()), FindLimits::default());
    }
}
