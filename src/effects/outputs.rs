//! Files that a program is told to write by an option that no declaration explains: `--output notes.md` means the same
//! wherever it stands, so a file that is there already is taken for written over.

use super::draft::Draft;
use super::scene::{Scene, Word, flag};
use super::write::overwrite;
use crate::knowledge::{Match, Words, tool_words};
use crate::model::{Action, Value, words as split};
use crate::shell::{Arg, Invocation};
use crate::world::FileKind;

/// Of a program that nothing is known of.
pub(super) fn of_unknown(scene: &Scene<'_>, args: &[Arg]) -> Vec<Draft> {
    let words: Vec<&Arg> = args.iter().skip(1).collect();
    written(scene, &words, true, &|_| true)
}

/// Of a known program: by options that its declaration does not list.
pub(super) fn of_unlisted(scene: &Scene<'_>, invocation: &Invocation) -> Vec<Draft> {
    let matched = &invocation.matched;
    let words: Vec<&Arg> = invocation.args.iter().skip(1).collect();
    let open = |index: usize| !matched.options.iter().any(|o| o.index == index || o.value_index == index);
    // Programs that only look have a `-o` that means something else (`ls -o`, `nm -o`, `rg -o`).
    let short = !matched.command.reads || matched.path.len() > 1;
    written(scene, &words, short, &open)
}

/// What stands in a word behind its `=`, `,` and `:`, each to its end and by itself.
pub(super) fn parts(word: &str) -> impl Iterator<Item = &str> {
    word.split(['=', ',', ':'])
}

/// Kind of what options of a known program name that its declaration does not list.
const NAMED: &str = "option.files";

/// Files that are there and that options name which no declaration explains: the program may write them.
pub(super) fn named(scene: &Scene<'_>, invocation: &Invocation) -> Option<Draft> {
    let matched = &invocation.matched;
    let open = |index: usize| !matched.options.iter().any(|o| o.index == index || o.value_index == index);
    let there = |text: &str| !text.is_empty() && is_file(scene, &Value::known(text));
    let words: Vec<&Arg> = invocation.args.iter().skip(1).collect();
    let option = |index: usize, text: &str| {
        let behind = || words.get(index + 1).and_then(|next| next.value.as_known());
        let long = text.len() > 3 && text.starts_with("--") && !text.contains('=');
        match text.strip_prefix('@') {
            Some(list) => there(list),
            None if !text.starts_with('-') => false,
            None => parts(text).skip(1).any(there) || long && behind().is_some_and(there),
        }
    };
    let mut known =
        words.iter().enumerate().filter_map(|(index, word)| Some((index, word.value.as_known()?)));
    let any = !matched.dry_run && known.any(|(index, text)| open(index) && option(index, text));
    any.then(|| {
        let whose = Value::known(&invocation.name);
        Draft::of(scene.on_other(Action::Execute, NAMED, std::slice::from_ref(&whose), &whose))
    })
}

fn written(scene: &Scene<'_>, words: &[&Arg], short: bool, open: &dyn Fn(usize) -> bool) -> Vec<Draft> {
    let mut drafts = Vec::new();
    let mut in_place = false;
    for (index, word) in words.iter().enumerate() {
        let Some(text) = word.value.as_known().filter(|text| text.starts_with('-') && open(index)) else {
            continue;
        };
        if text == "--" {
            break;
        }
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(Value::known(value))),
            None => (text, None),
        };
        let (name, equals) = (split(name).join("_"), value.is_some());
        if name.len() > 6 && tool_words().commands.in_place.has(&name) {
            in_place = value.as_ref().and_then(Value::as_known) != Some("false");
            continue;
        }
        if !short && text.starts_with("-o") && text.len() < 4 {
            continue;
        }
        let attached = text.strip_prefix("-o").filter(|rest| short && !rest.is_empty() && value.is_none());
        let value = match attached {
            Some(rest) => Some(Value::known(rest)),
            None => value.or_else(|| {
                let next = words.get(index + 1).filter(|next| !next.value.prefix().starts_with('-'));
                next.map(|next| next.value.clone())
            }),
        };
        let named = || attached.is_some() || is_output(&name, equals);
        let value = value.into_iter().flat_map(|value| [behind_format(&value), Some(value)]).flatten();
        for value in value.filter(|value| is_file(scene, value) && named()) {
            drafts.push(overwrite(scene, &Word::new(value, word.explicit), None, false));
        }
    }
    let operands = words.iter().filter(|word| in_place && !word.value.prefix().starts_with('-'));
    drafts.extend(operands.filter(|word| is_file(scene, &word.value)).map(|word| {
        let mut mutation =
            scene.on_path(Action::Update, "file", &Word::new(word.value.clone(), word.explicit));
        flag(&mut mutation, "in-place", "written in place");
        Draft::of(mutation)
    }));
    drafts
}

/// Whether an option of this name, its words joined by `_`, is given a file that is written.
fn is_output(name: &str, attached: bool) -> bool {
    let commands = &tool_words().commands;
    let any = |list: &Words| name.split('_').any(|word| list.has(word));
    if commands.outputs.has(name) || any(&commands.reading) {
        return commands.outputs.has(name);
    }
    let ends = name.rsplit('_').next().is_some_and(|last| commands.file_ends.has(last));
    let writing = name.split('_').filter(|word| commands.writing.has(word)).count();
    any(&commands.writing_always) || writing > 1 || writing > 0 && (attached || ends)
}

/// The file of `-o json=sbom.json`, where a format stands in front of it, and of `-o=bundle.js`.
fn behind_format(value: &Value) -> Option<Value> {
    Some(Value::known(value.as_known()?.split_once('=')?.1))
}

/// The file that the value of a declared output means: what stands behind a format only if it is there.
pub(super) fn meant(scene: &Scene<'_>, value: &Value) -> Value {
    match behind_format(value).filter(|behind| !is_file(scene, value) && is_file(scene, behind)) {
        Some(behind) => behind,
        None => value.clone(),
    }
}

/// Only a file that is known to be there is written over for sure: most such values name something new.
fn is_file(scene: &Scene<'_>, value: &Value) -> bool {
    value.as_known().is_some()
        && scene
            .only_path(value)
            .and_then(|path| scene.at(&path))
            .is_some_and(|seen| seen.kind == FileKind::File)
}

/// The ending that a file gets: another one where the words say so.
pub(super) fn ending(matched: &Match, end: &str) -> String {
    let given = matched.value("-S").and_then(Value::as_known).filter(|_| end != "stem");
    given.map_or(end.to_owned(), |given| format!(".{}", given.trim_start_matches('.')))
}
