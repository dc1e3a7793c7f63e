//! Compilers and builders: what they make, and of which sources.

use std::path::{Path, PathBuf};

use crate::code::may_lose;
use crate::effects::program::{Draft, Scene, Word};
use crate::knowledge::{lists, places};
use crate::model::{Action, Cause, Value};
use crate::shell::Invocation;
use crate::shell::program::{FileState, Now, Shell, State, Stdin, is_source};
use crate::world::resolve::Disk;

/// See [`Room::Compiler`](crate::knowledge::Room::Compiler).
pub(super) struct Compiler;

impl super::Program for Compiler {
    fn does(&self, scene: &Scene<'_>, run: &Invocation, mut declared: Vec<Draft>) -> Vec<Draft> {
        if !run.matched.does_nothing() {
            declared.extend(beside(scene, run));
            declared.extend(handed_on(scene, run));
            declared.extend(said_in_files(scene, run));
        }
        declared
    }
}

/// Files that are written by names made of the sources': assembly, what the preprocessor prints, notes for coverage. What a
/// compiler wrote there before it may write again; what a person did goes.
fn beside(scene: &Scene<'_>, run: &Invocation) -> Vec<Draft> {
    let has = |wanted: &[&str]| {
        run.args.iter().any(|arg| arg.value.as_known().is_some_and(|word| wanted.contains(&word)))
    };
    let saves = has(&["-save-temps", "--save-temps", "-save-temps=cwd", "-save-temps=obj"]);
    let mut endings = Vec::new();
    if saves || has(&["-S"]) && !run.matched.has("-o") {
        endings.push("s");
    }
    if saves {
        endings.extend(["i", "ii"]);
    }
    if has(&["--coverage", "-coverage", "-ftest-coverage"]) {
        endings.push("gcno");
    }
    let words = run.args.iter().skip(1).filter_map(|arg| arg.value.as_known());
    let sources = words.filter(|word| !word.starts_with('-') && is_source(Path::new(word)));
    let stems: Vec<&str> = sources.filter_map(|word| Path::new(word).file_stem()?.to_str()).collect();
    let named = stems.iter().flat_map(|stem| {
        endings.iter().flat_map(move |end| [format!("{stem}.{end}"), format!("a-{stem}.{end}")])
    });
    let is_own = |path: &Path| {
        let text = scene.text(path).unwrap_or_default();
        MADE.iter().any(|start| text.starts_with(start))
    };
    named
        .filter_map(|name| {
            let word = Word::new(Value::known(&name), true);
            let path = PathBuf::from(scene.path(&word.value).as_known()?);
            // A name that was given as a source is read, and then written over by nobody.
            let given = run.args.iter().any(|arg| arg.value.as_known() == Some(name.as_str()));
            (scene.at(&path).is_some() && !given && !is_own(&path))
                .then(|| Draft::of(scene.on_path(Action::Replace, "file", &word)))
        })
        .collect()
}

/// Files that words name which are handed on to the assembler, the linker or the preprocessor, and those of dumps: what is there
/// is written over, but for what an option is known to read.
fn handed_on(scene: &Scene<'_>, run: &Invocation) -> Vec<Draft> {
    let words: Vec<Option<&str>> = run.args.iter().skip(1).map(|arg| arg.value.as_known()).collect();
    let mut lists: Vec<Vec<&str>> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let Some(word) = *word else { continue };
        if let Some((_, rest)) =
            PARTS.iter().find_map(|part| word.split_once(part).filter(|(front, _)| front.is_empty()))
        {
            lists.push(rest.split(',').collect());
        } else if EACH.contains(&word) {
            // Words that are handed on one by one belong together.
            let next = words.get(at + 1).copied().flatten().unwrap_or_default();
            match lists.last_mut().filter(|_| at >= 2 && words[at - 2] == Some(word)) {
                Some(list) => list.push(next),
                None => lists.push(vec![next]),
            }
        } else if DUMPS.iter().any(|start| word.starts_with(start)) {
            lists.push(vec![word]);
        }
    }
    let mut found = Vec::new();
    for list in lists {
        for (at, word) in list.iter().enumerate() {
            let (option, name) = match word.split_once('=') {
                Some((option, name)) => (option, name),
                None if word.starts_with("-o") && word.len() > 2 => ("-o", &word[2..]),
                None => (at.checked_sub(1).map_or("", |before| list[before]), *word),
            };
            let plain = option.trim_start_matches('-');
            let writes = plain != option && !READS.iter().any(|start| reads(plain, start));
            let word = Word::new(Value::known(name), true);
            let path = scene.path(&word.value).as_known().map(PathBuf::from);
            if writes && !name.is_empty() && path.is_some_and(|path| scene.at(&path).is_some()) {
                found.push(Draft::of(scene.on_path(Action::Replace, "file", &word)));
            }
        }
    }
    found
}

/// What options write that stand in a file (`@options`): what is there is written over. A file that cannot be read may say so of
/// anything.
fn said_in_files(scene: &Scene<'_>, run: &Invocation) -> Vec<Draft> {
    let words = run.args.iter().skip(1).filter_map(|arg| arg.value.as_known());
    let mut found = Vec::new();
    for file in words.filter_map(|word| word.strip_prefix('@')) {
        let Some(path) = scene.path(&Value::known(file)).as_known().map(PathBuf::from) else { continue };
        if scene.at(&path).is_none() {
            continue;
        }
        let text = scene.text(&path).and_then(|text| shell_words::split(&text).ok());
        let Some(words) = text else {
            let reason = format!("the options in {file} were not read");
            found.push(Draft::of(scene.unknown(
                Action::Execute,
                Cause::Opaque(reason.clone()),
                "compiler.options",
                &reason,
            )));
            continue;
        };
        for (at, word) in words.iter().enumerate() {
            let named = OUTPUTS.iter().find_map(|option| word.strip_prefix(option));
            let named = named.map(|name| name.trim_start_matches('='));
            let next = words.get(at + 1).map(String::as_str).unwrap_or_default();
            let name = named.map(|name| if name.is_empty() { next } else { name });
            let word = Word::new(Value::known(name.unwrap_or_default()), true);
            let place = scene.path(&word.value).as_known().map(PathBuf::from);
            if name.is_some_and(|name| !name.is_empty())
                && place.is_some_and(|place| scene.at(&place).is_some())
            {
                found.push(Draft::of(scene.on_path(Action::Replace, "file", &word)));
            }
        }
    }
    found
}

/// Options whose value is written.
const OUTPUTS: [&str; 3] = ["-o", "-MF", "--output"];

/// Whether an option begins so; a letter alone may have its value behind it, and begins no longer name.
fn reads(option: &str, start: &str) -> bool {
    option.starts_with(start) && (start.len() > 1 || !option.contains('-'))
}

/// Options whose parts between commas, and those whose next word, another program gets.
const PARTS: [&str; 3] = ["-Wa,", "-Wl,", "-Wp,"];
const EACH: [&str; 4] = ["-Xassembler", "-Xlinker", "-Xpreprocessor", "-Xclang"];

/// How options begin that write a file of what the compiler thought.
const DUMPS: [&str; 5] =
    ["-fdump-", "-fopt-info", "-ftime-trace=", "-foptimization-record-file=", "-fprofile-note="];

/// How options of those programs begin whose file or directory is only read.
const READS: [&str; 34] = [
    "L",
    "l",
    "I",
    "T",
    "R",
    "rpath",
    "soname",
    "h",
    "script",
    "version-script",
    "dynamic-list",
    "default-script",
    "dT",
    "just-symbols",
    "retain-symbols-file",
    "plugin",
    "exclude-libs",
    "wrap",
    "defsym",
    "section-ordering-file",
    "symbol-ordering-file",
    "export-dynamic-symbol-list",
    "dynamic-linker",
    "sysroot",
    "include",
    "imacros",
    "isystem",
    "iquote",
    "whole-archive",
    "no-whole-archive",
    "as-needed",
    "no-as-needed",
    "B",
    "start-group",
];

/// How files begin that compilers write.
const MADE: [&str; 6] = ["\t.file\t", "\t.text", "# 0 \"", "# 1 \"", "oncg", "\t.section\t"];

/// Most files of a directory of Go sources.
const GO_FILES: usize = 4096;

/// What a build makes of sources is a program like any other of the project, unless this command wrote into them what
/// may lose something.
pub(super) fn note_build(shell: &mut Shell<'_>, state: &mut State, run: &Invocation) {
    if run.matched.does_nothing() {
        return;
    }
    let sources = sources_of(shell, state, run);
    let written = run.matched.written().into_iter().map(|(_, value, _)| value);
    let made = written.chain(default_output(run).map(Value::Known));
    for path in made.filter_map(|value| shell.absolute(state, &value)).collect::<Vec<_>>() {
        let key = state.files.key(&path, &Disk(shell.world));
        state.files.rewrite(key, Now::Built(sources.clone()));
    }
    let given = match &run.stdin {
        Stdin::Inherited | Stdin::Empty => false,
        Stdin::Text(text) => text.as_known().is_none_or(may_lose) && reads_input(run),
        Stdin::File(_) | Stdin::Unknown => reads_input(run),
    };
    let named: Vec<PathBuf> =
        run.args.iter().skip(1).filter_map(|arg| shell.absolute(state, &arg.value)).collect();
    let source = |path: &Path| is_source(path) || named.iter().any(|one| one == path);
    let wrote = state.files.written().any(|(path, text)| source(path) && may_lose(text));
    let unread = named.iter().any(|path| {
        let key = state.files.key(path, &Disk(shell.world));
        let made =
            matches!(state.files.get(&key), Some(FileState::Created { content: None, directory: false }));
        made && !matches!(state.files.now(&key).first(), Some(Now::Built(_)))
    });
    shell.built_unread |= given || wrote || unread;
}

/// The sources that a compiler is given by their names, or as the directory of a Go program; those of objects too. A directory
/// that cannot be listed stands for its sources.
fn sources_of(shell: &Shell<'_>, state: &State, run: &Invocation) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let words = run.args.iter().skip(1);
    for path in words.filter_map(|arg| shell.absolute(state, &arg.value)) {
        let key = state.files.key(&path, &Disk(shell.world));
        match state.files.now(&key).first() {
            Some(Now::Built(sources)) => found.extend(sources.iter().cloned()),
            _ if is_source(&path) => found.push(path),
            _ if run.name == "go" && shell.is_directory(state, &path) == Some(true) => {
                found.extend(go_files(shell, state, &path));
            }
            _ => {}
        }
    }
    if found.is_empty() && run.name == "go" {
        found.extend(state.only_cwd().into_iter().flat_map(|dir| go_files(shell, state, dir)));
    }
    found
}

fn go_files(shell: &Shell<'_>, state: &State, dir: &Path) -> Vec<PathBuf> {
    let Some(entries) = shell.list(state, dir, GO_FILES) else { return vec![dir.to_owned()] };
    let names = entries.into_iter().map(|entry| dir.join(entry.name));
    let go = |path: &PathBuf| {
        let name = path.to_string_lossy();
        name.ends_with(".go") && !name.ends_with("_test.go")
    };
    names.filter(go).collect()
}

/// What a compiler writes that is not told where.
fn default_output(run: &Invocation) -> Option<String> {
    if !run.matched.written().is_empty() {
        return None;
    }
    let words = || run.args.iter().skip(1).filter_map(|arg| arg.value.as_known());
    let source = words().find(|word| !word.starts_with('-') && is_source(Path::new(word)))?;
    let stem = Path::new(source).file_stem()?.to_str()?;
    let compiles = lists(&places().compiles, &run.name);
    match run.name.as_str() {
        "rustc" | "ghc" => Some(stem.to_owned()),
        "go" if words().next() == Some("build") => Some(stem.to_owned()),
        _ if compiles && words().any(|word| word == "-c") => Some(format!("{stem}.o")),
        _ if compiles => Some("a.out".to_owned()),
        _ => None,
    }
}

/// Whether a compiler takes its standard input for a source.
fn reads_input(run: &Invocation) -> bool {
    run.args.iter().any(|arg| matches!(arg.value.as_known(), Some("-" | "/dev/stdin")))
}
