//! Programs that write pictures, sound and film: what stands in front of a file's name in their words, and several files in one.

use crate::knowledge::Match;
use crate::model::Value;
use crate::shell::program::{Arg, Call, Expansion, Instead, Run, Shell, State};

/// See [`Room::Media`](crate::knowledge::Room::Media).
pub(super) struct Media;

/// The operand by which the declaration says that these words are another program's, whose name stands in front of them.
const ROLE: &str = "family";
/// The option by which the declaration says what is written.
const WRITES: &str = "-writes";
/// Options behind which it stands how files with texts are called that are written over.
const OVER: [&str; 6] = ["-w!", "-W!", "-textOut!", "-tagOut!", "-textout!", "-tagout!"];
/// By what the declaration says that a word of `-f` writes several files.
const SEVERAL: &str = "tee";
/// What stands for no file.
const NOTHING: &str = "-";
/// Protocols behind which the name of a file stands.
const FILES: [&str; 6] = ["file:", "async:", "crypto:", "cache:", "md5:", "tee:"];
/// Formats of pictures of which nothing is written to a file.
const NO_FILE: [&str; 9] = ["null", "mpr", "fd", "x", "win", "show", "clipboard", "vid", "ephemeral"];
/// Longest name of a picture's format.
const FORMAT: usize = 12;
/// What names of formats and protocols consist of.
fn is_format(text: &str) -> bool {
    !text.is_empty() && text.len() <= FORMAT && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

impl super::Program for Media {
    fn begins(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Instead> {
        let matched = run.matched;
        if let Some(first) = matched.operand(ROLE) {
            // The word in front of its own is the program's name.
            let words = run.call.arguments().get(first.index.saturating_sub(1)..).unwrap_or_default();
            return Some(Instead::Done(shell.program(state, words.to_vec(), run.call.span)));
        }
        if let Some(words) = texts(shell, state, run) {
            return Some(Instead::Words(Call { words, ..run.call.clone() }));
        }
        let written = written(matched);
        let mut words = run.call.words.clone();
        let mut changed = false;
        // From behind, so that places stay what they are.
        for (at, films) in written.into_iter().rev() {
            let Some(word) = words.get(at + 1) else { continue };
            let given = word.arg.value.clone();
            let names = if films { film(&given, is_several(matched, at)) } else { vec![picture(&given)] };
            if names != [given] {
                let more = names.into_iter().map(|value| expansion(run.call, value));
                words.splice(at + 1..at + 2, more.collect::<Vec<_>>());
                changed = true;
            }
        }
        changed.then(|| Instead::Words(Call { words, ..run.call.clone() }))
    }
}

/// The words with the files that texts about other files are written over.
fn texts(shell: &Shell<'_>, state: &State, run: &Run<'_>) -> Option<Vec<Expansion>> {
    let given = run.call.arguments();
    let is_over = |word: &Expansion| word.arg.value.as_known().is_some_and(|text| OVER.contains(&text));
    let at = given.iter().position(is_over)?;
    let form = given.get(at + 1)?.arg.value.clone();
    let files = run.matched.operands("path").into_iter().filter(|file| file.index != at + 1);
    let names = files.map(|file| {
        let path = shell.absolute(state, &file.value);
        let tree = path.is_some_and(|path| shell.is_directory(state, &path) == Some(true));
        beside(&file.value, &form, tree)
    });
    let more = names.flat_map(|name| [expansion(run.call, Value::known(WRITES)), expansion(run.call, name)]);
    let more: Vec<Expansion> = more.collect();
    let mut words = run.call.words.clone();
    words.drain(at + 1..at + 3);
    words.extend(more);
    Some(words)
}

/// What the text about a file is called: with another ending, or as a format says. `tree`: it is about any file below.
fn beside(file: &Value, form: &Value, tree: bool) -> Value {
    let (Value::Known(file), Value::Known(form)) = (file, form) else { return Value::Unknown };
    let (dir, name) = match file.rsplit_once('/') {
        _ if tree => (format!("{}/", file.trim_end_matches('/')), None),
        Some((dir, name)) => (format!("{dir}/"), Some(name)),
        None => (String::new(), Some(file.as_str())),
    };
    let ending = name.and_then(|name| name.rsplit_once('.'));
    let part = |letter: Option<char>| match letter {
        Some('d') => Value::known(&dir),
        Some('f') => name.map_or(Value::Unknown, |name| Value::known(ending.map_or(name, |(stem, _)| stem))),
        Some('e') => name.map_or(Value::Unknown, |_| Value::known(ending.map_or("", |(_, end)| end))),
        Some('%') => Value::known("%"),
        _ => Value::Unknown,
    };
    if !form.contains('%') {
        let end = Value::Known(format!(".{}", form.trim_start_matches('.')));
        return part(Some('d')).concat(&part(Some('f'))).concat(&end);
    }
    let mut pieces = form.split('%');
    let mut whole = Value::known(pieces.next().unwrap_or_default());
    for piece in pieces {
        let mut letters = piece.chars();
        whole = whole.concat(&part(letters.next())).concat(&Value::known(letters.as_str()));
    }
    whole
}

fn expansion(call: &Call, value: Value) -> Expansion {
    Expansion { arg: Arg { value, span: call.span, explicit: true }, elastic: false, unordered: false }
}

/// Places of the words that name what is written, and whether the program is one for films.
fn written(matched: &Match) -> Vec<(usize, bool)> {
    let films = matched.operands("path").into_iter().map(|operand| (operand.index, true));
    let progress = matched.options.iter().filter(|option| matches!(option.key.as_str(), "-progress"));
    let progress = progress.filter(|option| option.value.is_some()).map(|option| (option.value_index, true));
    let pictures = matched.operands("outfile").into_iter().map(|operand| (operand.index, false));
    let also = matched.options.iter().filter(|option| option.key == "-write" && option.value.is_some());
    let also = also.map(|option| (option.value_index, false));
    let mut all: Vec<(usize, bool)> = films.chain(progress).chain(pictures).chain(also).collect();
    all.sort_unstable();
    all
}

/// Whether the format that stands last in front of a word makes several files of it.
fn is_several(matched: &Match, at: usize) -> bool {
    let formats = matched.options.iter().filter(|option| option.key == "-f" && option.value_index < at);
    let last = formats.max_by_key(|option| option.value_index);
    last.and_then(|option| option.value.as_ref()?.as_known()) == Some(SEVERAL)
}

/// The files of one of ffmpeg's outputs.
fn film(value: &Value, several: bool) -> Vec<Value> {
    let Value::Known(text) = value else { return vec![value.clone()] };
    if several || text.starts_with("tee:") {
        let text = text.strip_prefix("tee:").unwrap_or(text);
        return text.split('|').map(|one| Value::Known(film_name(behind_options(one)))).collect();
    }
    vec![Value::Known(film_name(text))]
}

/// What stands behind `[f=mp4:onfail=ignore]`.
fn behind_options(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix('[').and_then(|rest| rest.split_once(']')).map_or(text, |(_, name)| name)
}

/// The file behind the protocols in front of it; any other protocol writes none here.
fn film_name(text: &str) -> String {
    let mut name = text;
    let mut shortened = true;
    while shortened {
        let rest = FILES.iter().find_map(|protocol| name.strip_prefix(protocol));
        shortened = rest.is_some();
        name = rest.unwrap_or(name);
    }
    let other = name.split_once(':').is_some_and(|(protocol, _)| {
        protocol.len() > 1 && protocol.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
    });
    if other { NOTHING.to_owned() } else { name.to_owned() }
}

/// The file of one of ImageMagick's outputs: without the format in front, the numbers of pictures behind it, and with
/// anything where a property of the picture stands.
fn picture(value: &Value) -> Value {
    let Value::Known(text) = value else { return value.clone() };
    // What a bar stands before is a command.
    if text.contains('|') {
        return value.clone();
    }
    let (format, name) = match text.split_once(':') {
        Some((format, name)) if is_format(format) => (format.to_ascii_lowercase(), name),
        _ => (String::new(), text.as_str()),
    };
    if NO_FILE.contains(&format.as_str()) || name.is_empty() {
        return Value::known(NOTHING);
    }
    let name = match name.rsplit_once('[') {
        Some((name, inside)) if is_pick(inside) && !name.is_empty() && !name.ends_with('%') => name,
        _ => name,
    };
    match (name.find("%["), name.rfind(']')) {
        (Some(from), Some(to)) if from < to => {
            Value::known(&name[..from]).concat(&Value::Unknown).concat(&Value::known(&name[to + 1..]))
        }
        _ => Value::known(name),
    }
}

/// `0]`, `0-3]`, `100x100+0+0]`: which pictures of a file are meant, or which part.
fn is_pick(text: &str) -> bool {
    text.strip_suffix(']').is_some_and(|inside| {
        inside.starts_with(|c: char| c.is_ascii_digit())
            && inside.chars().all(|c| c.is_ascii_digit() || "-,x+%".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Value {
        picture(&Value::known(text))
    }

    #[test]
    fn formats_in_front_of_pictures_are_no_part_of_their_names() {
        assert_eq!(named("png:a.png"), Value::known("a.png"));
        assert_eq!(named("PNG32:dir/a"), Value::known("dir/a"));
        assert_eq!(named("info:a.txt"), Value::known("a.txt"));
        assert_eq!(named("a.png[0]"), Value::known("a.png"));
        assert_eq!(named("dir.d/b:c.png"), Value::known("dir.d/b:c.png"));
        for nothing in ["null:", "png:-", "info:", "mpr:x", "fd:3"] {
            assert_eq!(named(nothing), Value::known("-"), "{nothing}");
        }
        assert_eq!(named("out/%[filename:f].png").prefix(), "out/");
        assert_eq!(named("png:|cat"), Value::known("png:|cat"));
    }

    #[test]
    fn texts_about_files_stand_beside_them() {
        let name = |file: &str, form: &str| beside(&Value::known(file), &Value::known(form), false);
        assert_eq!(name("a.jpg", "txt"), Value::known("a.txt"));
        assert_eq!(name("in/a.jpg", ".txt"), Value::known("in/a.txt"));
        assert_eq!(name("in/a.jpg", "out/%f.%e.txt"), Value::known("out/a.jpg.txt"));
        assert_eq!(name("in/a.jpg", "%d%f.txt"), Value::known("in/a.txt"));
        assert_eq!(beside(&Value::known("in"), &Value::known("txt"), true).prefix(), "in/");
    }

    #[test]
    fn outputs_of_films_may_be_several_files() {
        let names = |text: &str, several| film(&Value::known(text), several);
        let known = |list: &[&str]| list.iter().map(|name| Value::known(*name)).collect::<Vec<_>>();
        assert_eq!(names("file:a.mp3", false), known(&["a.mp3"]));
        assert_eq!(names("async:file:a.mp3", false), known(&["a.mp3"]));
        assert_eq!(names("pipe:1", false), known(&["-"]));
        assert_eq!(names("rtmp://host/live", false), known(&["-"]));
        assert_eq!(
            names("[f=mp4]a.mp4|[f=flv:onfail=ignore]b|rtmp://h/x", true),
            known(&["a.mp4", "b", "-"])
        );
        assert_eq!(names("a.mp3", false), known(&["a.mp3"]));
    }
}
