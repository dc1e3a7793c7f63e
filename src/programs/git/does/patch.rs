//! `git apply` and `patch`: a patch is judged as what it is where its text can be had.
//!
//! A patch that stays where it is holds what it takes out. One that comes through a pipe and is nowhere afterwards may take
//! out any change that nobody committed.

use std::path::{Path, PathBuf};

use crate::model::{Action, Cause, FactValue, Mutation, Value};
use crate::shell::{Invocation, Printed, Stdin};

use crate::effects::program::{Change, Draft as Planned, Scene, Word, directories, fact};

use super::{Draft, Words, finish};

/// Where what is open has names.
const OPEN: [&str; 2] = ["/dev", "/proc"];

/// Where a patch comes from.
enum Source {
    /// There is none: nothing happens, or the program refuses.
    Nothing,
    /// Its text; `kept`: a file that holds it stays.
    Text { text: String, kept: bool },
    /// Git printed it: it speaks of tracked files alone.
    Git(Printed),
    /// Nobody knows.
    Unknown,
}

/// A file that a patch speaks of.
#[derive(Debug, PartialEq, Eq)]
struct Section {
    /// Name before; `None`: there was no such file.
    old: Option<String>,
    /// Name after; `None`: the file goes.
    new: Option<String>,
}

/// `git format-patch`: numbered files that stand where it writes may be written over. Which of them hangs on the commits.
pub(super) fn formatted(scene: &Scene<'_>, words: &Words<'_>, dirs: &[PathBuf]) -> Vec<Draft> {
    if words.any(&["--stdout", "--output"]) {
        return Vec::new();
    }
    let here = Value::known(".");
    let set = given(words, "format.outputdirectory").map(Value::known);
    let into = scene.absolute(words.matched.value("-o").or(set.as_ref()).unwrap_or(&here), dirs);
    let Some(dir) = into.as_known().map(PathBuf::from) else { return Vec::new() };
    let standing = scene.look.names(&dir).unwrap_or_default();
    let numbered: Vec<String> = standing
        .into_iter()
        .filter(|name| is_numbered(name))
        .map(|name| dir.join(name).to_string_lossy().into_owned())
        .collect();
    let chunks = numbered.chunks(Value::MAX_CHOICES);
    chunks.map(|chunk| Draft::path(Action::Replace, "file", Value::one_of(chunk.to_vec()))).collect()
}

/// A setting that the words themselves give.
fn given(words: &Words<'_>, key: &str) -> Option<String> {
    let lines = words.matched.options.iter().filter(|option| option.key == "-c" && option.level == 0);
    let known = lines.filter_map(|option| option.value.as_ref().and_then(Value::as_known));
    let mut pairs = known.filter_map(|text| text.split_once('='));
    pairs.rfind(|(name, _)| name.eq_ignore_ascii_case(key)).map(|(_, value)| value.to_owned())
}

/// A name as a patch gets it: `0001-subject.patch`, `v2-0001-subject.patch`.
fn is_numbered(name: &str) -> bool {
    let rest = match name.strip_prefix('v').and_then(|rest| rest.split_once('-')) {
        Some((version, rest)) if version.bytes().all(|byte| byte.is_ascii_digit()) => rest,
        _ => name,
    };
    rest.split_once('-')
        .is_some_and(|(number, _)| number.len() >= 4 && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The mutations of `git apply` or `patch`.
pub(crate) fn patch(scene: &Scene<'_>, invocation: &Invocation) -> Vec<Planned> {
    let matched = &invocation.matched;
    let git = invocation.name == "git";
    let dirs = if git { super::directories(scene, matched) } else { directories(scene, matched) };
    let index = |key: &str| matched.has(key) && git;
    if index("--cached") || index("--build-fake-ancestor") {
        let draft = Draft::new(Action::Update, "git.index").flag("unstages", true);
        return vec![finish(scene, invocation, draft, &dirs)];
    }
    let mut planned = Vec::new();
    if index("--index") || index("-3") || index("-N") {
        let draft = Draft::new(Action::Update, "git.index").flag("unstages", true);
        planned.push(finish(scene, invocation, draft, &dirs));
    }
    let mut files: Vec<Value> = if git {
        matched.operands.iter().map(|binding| binding.value.clone()).collect()
    } else {
        matched.value("-i").or(matched.operand("patchfile").map(|b| &b.value)).cloned().into_iter().collect()
    };
    files.retain(|file| file.as_known() != Some("-"));
    let sources = if files.is_empty() {
        vec![incoming(scene, &invocation.stdin)]
    } else {
        files.iter().map(|file| of_file(scene, &scene.absolute(file, &dirs))).collect()
    };
    for source in sources {
        match source {
            Source::Nothing => {}
            Source::Text { text, kept } => planned.extend(read(scene, invocation, &text, kept, &dirs)),
            // What it takes out is in the commits that it was printed from.
            Source::Git(Printed::Objects) => {
                let whole = Value::known("what git printed");
                let draft =
                    scene.on_other(Action::Update, "patch.targets", std::slice::from_ref(&whole), &whole);
                planned.push(Planned::of(draft));
            }
            Source::Git(Printed::WorkTree | Printed::Changes) => {
                let draft = Draft::new(Action::Update, "git.changes").flag("whole", true).flag("patch", true);
                planned.push(finish(scene, invocation, draft, &dirs));
            }
            Source::Unknown => planned.push(unseen(scene, &invocation.name)),
        }
    }
    planned
}

/// What git prints, when it is git: a patch of that speaks of what git tracks. Other files are named in the words.
pub(crate) fn printed(invocation: &Invocation) -> Option<Printed> {
    if invocation.name != "git" {
        return None;
    }
    let says = |wanted: &str| invocation.args.iter().any(|arg| arg.value.as_known() == Some(wanted));
    if says("--no-index") {
        return None;
    }
    let range = |word: &str| word.contains("..") && !word.split('/').any(|part| part == "..");
    let matched = &invocation.matched;
    let objects = match matched.typed.get(1).map(String::as_str) {
        Some("show" | "log" | "format-patch" | "diff-tree" | "whatchanged" | "stash" | "cat-file") => true,
        Some("diff") => {
            says("--cached")
                || says("--staged")
                || matched.operands.iter().any(|word| word.value.as_known().is_some_and(range))
        }
        _ => false,
    };
    let whole = || {
        let plain = ["diff", "--binary", "--full-index", "--no-color", "--no-ext-diff", "-p", "--patch"];
        let mut words = invocation.args.iter().skip(1);
        words.all(|word| word.value.as_known().is_some_and(|text| plain.contains(&text)))
    };
    Some(if objects {
        Printed::Objects
    } else if says("diff") && whole() {
        Printed::Changes
    } else {
        Printed::WorkTree
    })
}

fn unseen(scene: &Scene<'_>, name: &str) -> Planned {
    Planned::of(scene.unknown(
        Action::Execute,
        Cause::Opaque("the patch could not be read".to_owned()),
        name,
        "the patch could not be read, so what it takes out is not known",
    ))
}

fn incoming(scene: &Scene<'_>, stdin: &Stdin) -> Source {
    match stdin {
        Stdin::Empty | Stdin::Inherited => Source::Nothing,
        Stdin::Text(Value::Known(text)) => {
            Source::Text { text: text.clone(), kept: !scene.files.stream().is_empty() }
        }
        Stdin::File(path) => of_file(scene, &scene.path(path)),
        Stdin::Text(_) | Stdin::Unknown => scene.files.gits(None).map_or(Source::Unknown, Source::Git),
    }
}

fn of_file(scene: &Scene<'_>, path: &Value) -> Source {
    let Some(path) = path.as_known().map(PathBuf::from) else { return Source::Unknown };
    match scene.text(&path) {
        Some(text) => Source::Text { text, kept: true },
        None => match scene.files.gits(Some(&path)) {
            Some(printed) => Source::Git(printed),
            // What is open has a name that nothing need stand at.
            None if scene.at(&path).is_none()
                && scene.step.context.host.is_none()
                && !OPEN.iter().any(|open| path.starts_with(open)) =>
            {
                Source::Nothing
            }
            None => Source::Unknown,
        },
    }
}

/// A patch whose text is known.
fn read(
    scene: &Scene<'_>,
    invocation: &Invocation,
    text: &str,
    kept: bool,
    dirs: &[PathBuf],
) -> Vec<Planned> {
    let matched = &invocation.matched;
    let Some(sections) = sections(text) else {
        return if text.trim().is_empty() { Vec::new() } else { vec![unseen(scene, &invocation.name)] };
    };
    let git = invocation.name == "git";
    let strip = match matched.value("-p").map(|value| value.as_known().and_then(|n| n.parse().ok())) {
        Some(Some(number)) => Some(number),
        Some(None) => return vec![unseen(scene, &invocation.name)],
        None => git.then_some(1),
    };
    let below = matched.value("--directory").filter(|_| git);
    let mut planned = Vec::new();
    let mut shown = Vec::new();
    let mut changes = Vec::new();
    for section in sections {
        let (old, new) =
            if matched.has("-R") { (section.new, section.old) } else { (section.old, section.new) };
        let Some(name) = old.or(new.clone()) else { continue };
        let name = stripped(&name, strip);
        if new.is_none() && !kept {
            // The whole file goes, and with this command's text all that holds it.
            let path = place(scene, below, &name, dirs, git);
            let word = Word::new(Value::known(&name), true);
            planned.push(Planned::of(scene.on_absolute(Action::Delete, "file", path, &word)));
        } else {
            if let Some(path) = place(scene, below, &name, dirs, git).as_known() {
                changes.push(Change::Rewritten { path: PathBuf::from(path), text: None });
            }
            shown.push(name);
        }
    }
    if !shown.is_empty() {
        let whole = Value::known(shown.join(" "));
        let mut draft = scene.on_other(Action::Update, "patch.targets", std::slice::from_ref(&whole), &whole);
        let files: Vec<String> = changes
            .iter()
            .filter_map(|change| match change {
                Change::Rewritten { path, .. } => path.to_str().map(str::to_owned),
                _ => None,
            })
            .collect();
        // All of them, or it is not known which.
        if files.len() == shown.len() {
            fact(&mut draft, "files", FactValue::Text(files.join("\n")), "the files that the patch names");
        }
        // What does not fit is written beside each, over what stood there.
        let rejected = if matched.has("--reject") && git { files } else { Vec::new() };
        let rejected = rejected.into_iter().map(|file| PathBuf::from(format!("{file}.rej")));
        for path in rejected.filter(|path| scene.at(path).is_some()) {
            let path = Value::known(path.to_string_lossy());
            let word = Word::new(path.clone(), true);
            planned.push(Planned::of(scene.on_absolute(Action::Replace, "file", path, &word)));
        }
        planned.push(Planned::with(draft, changes));
    }
    planned
}

/// The files that a patch changes, where they are known.
pub(crate) fn files(mutation: &Mutation) -> Vec<String> {
    match mutation.facts.get("files").map(|fact| &fact.value) {
        Some(FactValue::Text(text)) => text.lines().map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

/// Where a name of the patch stands: below the directory that the program runs in; for git perhaps below one above it.
fn place(scene: &Scene<'_>, below: Option<&Value>, name: &str, dirs: &[PathBuf], git: bool) -> Value {
    let name = match below {
        Some(Value::Known(dir)) => format!("{}/{name}", dir.trim_end_matches('/')),
        Some(_) => return Value::Unknown,
        None => name.to_owned(),
    };
    let [dir] = dirs else { return scene.absolute(&Value::known(name), dirs) };
    let tops = dir.ancestors().take(if git { 16 } else { 1 });
    let found = tops.map(|top| top.join(&name)).find(|path| scene.at(path).is_some());
    let path = found.unwrap_or_else(|| dir.join(&name));
    scene.absolute(&Value::known(path.to_string_lossy()), dirs)
}

/// A name without its first parts; without a number `patch` takes the last one alone.
fn stripped(name: &str, strip: Option<usize>) -> String {
    match strip {
        Some(number) => {
            let rest: Vec<&str> = name.split('/').filter(|part| !part.is_empty()).skip(number).collect();
            rest.join("/")
        }
        None => Path::new(name)
            .file_name()
            .map_or_else(|| name.to_owned(), |base| base.to_string_lossy().into_owned()),
    }
}

/// The files of a unified diff; `None` when it is none that is understood.
fn sections(text: &str) -> Option<Vec<Section>> {
    let mut found: Vec<Section> = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(names) = line.strip_prefix("diff --git ") {
            let header = |line: &str| line.starts_with("--- ") || line.starts_with("diff --git ");
            let (mut deleted, mut made) = (false, false);
            while let Some(next) = lines.peek() {
                if header(next) || next.starts_with("@@ ") {
                    break;
                }
                deleted |= next.starts_with("deleted file mode");
                made |= next.starts_with("new file mode");
                lines.next();
            }
            // With content of its own the two names follow; otherwise only a mode, a name or bytes change.
            if !lines.peek().is_some_and(|next| next.starts_with("--- ")) {
                let (old, new) = names.split_once(" b/")?;
                let (old, new) = (old.to_owned(), format!("b/{new}"));
                found.push(Section { old: (!made).then_some(old), new: (!deleted).then_some(new) });
            }
        } else if let Some(old) = line.strip_prefix("--- ") {
            let Some(new) = lines.peek().and_then(|next| next.strip_prefix("+++ ")) else { continue };
            found.push(Section { old: named(old)?, new: named(new)? });
            lines.next();
        } else if let Some(counts) = line.strip_prefix("@@ ") {
            let (mut old, mut new) = hunk(counts)?;
            // What is content is no header, whatever it looks like.
            while old > 0 || new > 0 {
                match lines.next()?.chars().next() {
                    Some('-') => old = old.checked_sub(1)?,
                    Some('+') => new = new.checked_sub(1)?,
                    Some(' ') | None => {
                        old = old.checked_sub(1)?;
                        new = new.checked_sub(1)?;
                    }
                    Some('\\') => {}
                    Some(_) => return None,
                }
            }
        } else if line.starts_with("*** ") {
            // A context diff.
            return None;
        }
    }
    (!found.is_empty()).then_some(found)
}

/// A name behind `---` or `+++`: up to the tab before the time. `Some(None)` is `/dev/null`; one in quotes is not read.
fn named(text: &str) -> Option<Option<String>> {
    let name = text.split('\t').next().unwrap_or(text).trim_end();
    if name.starts_with('"') || name.is_empty() {
        return None;
    }
    Some((name != "/dev/null").then(|| name.to_owned()))
}

/// Lines before and after, of `-1,3 +1,4 @@`.
fn hunk(text: &str) -> Option<(usize, usize)> {
    let mut words = text.split(' ');
    let mut count = |sign: char| {
        let range = words.next()?.strip_prefix(sign)?;
        range.split_once(',').map_or(Some(1), |(_, count)| count.parse::<usize>().ok())
    };
    Some((count('-')?, count('+')?))
}

#[cfg(test)]
mod tests {
    use super::{Section, sections, stripped};

    fn section(old: &str, new: &str) -> Section {
        let name = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Section { old: name(old), new: name(new) }
    }

    #[test]
    fn files_of_a_patch() {
        let text = "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- not a header\n+++ b/y\n c\n\
                    --- notes.md\t2024-01-01\n+++ /dev/null\t1970\n@@ -1 +0,0 @@\n-all\n\
                    diff --git a/old b/new\nsimilarity index 100%\nrename from old\nrename to new\n";
        let expected = [section("a/x", "b/x"), section("notes.md", ""), section("a/old", "b/new")];
        assert_eq!(sections(text).unwrap(), expected);
        assert_eq!(stripped("a/src/x", Some(1)), "src/x");
        assert_eq!(stripped("a/src/x", None), "x");
        for text in
            ["", "hello\n", "*** a\n--- b\n", "--- \"a\\303\"\n+++ b\n", "--- a\n+++ b\n@@ -1,9 +1 @@\n-x\n"]
        {
            assert_eq!(sections(text), None, "{text}");
        }
    }
}
