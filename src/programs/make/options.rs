//! The words of a `make` command line, read as GNU make reads them.

use crate::model::Value;
use crate::shell::program::Expansion;

use super::expand::UNKNOWN;

/// Options with one letter that take a value, attached or in the next word.
const VALUED: &str = "CfIoWE";
/// Options with one letter whose value, if any, is attached, or (for a number) the next word.
const NUMBERED: &str = "jl";
/// Options with one letter and no value that change nothing in what is run.
const PLAIN: &str = "bBdikmrRsSwL";

/// Long names, the letter that means the same (`.`: none), and whether a value follows (`=`), may be attached (`?`) or
/// not be there at all.
const LONG: &[(&str, char, char)] = &[
    ("always-make", 'B', ' '),
    ("assume-new", 'W', '='),
    ("assume-old", 'o', '='),
    ("check-symlink-times", 'L', ' '),
    ("debug", '.', '?'),
    ("directory", 'C', '='),
    ("dry-run", 'n', ' '),
    ("environment-overrides", 'e', ' '),
    ("eval", 'E', '='),
    ("file", 'f', '='),
    ("help", 'h', ' '),
    ("ignore-errors", 'i', ' '),
    ("include-dir", 'I', '='),
    ("jobs", 'j', '?'),
    ("jobserver-style", '.', '='),
    ("just-print", 'n', ' '),
    ("keep-going", 'k', ' '),
    ("load-average", 'l', '?'),
    ("makefile", 'f', '='),
    ("max-load", 'l', '?'),
    ("new-file", 'W', '='),
    ("no-builtin-rules", 'r', ' '),
    ("no-builtin-variables", 'R', ' '),
    ("no-keep-going", 'S', ' '),
    ("no-print-directory", '.', ' '),
    ("no-silent", '.', ' '),
    ("old-file", 'o', '='),
    ("output-sync", '.', '?'),
    ("print-data-base", '.', ' '),
    ("print-directory", 'w', ' '),
    ("question", 'n', ' '),
    ("quiet", 's', ' '),
    ("recon", 'n', ' '),
    ("shuffle", '.', '?'),
    ("silent", 's', ' '),
    ("stop", 'S', ' '),
    ("touch", 'n', ' '),
    ("trace", '.', ' '),
    ("version", 'h', ' '),
    ("warn-undefined-variables", '.', ' '),
    ("what-if", 'W', '='),
];

/// What the words ask for.
#[derive(Debug, Default)]
pub(super) struct Request {
    /// Makefiles, in order.
    pub(super) files: Vec<Value>,
    /// Directories to go to, one after the other.
    pub(super) directories: Vec<Value>,
    pub(super) goals: Vec<String>,
    /// Variables set on the command line.
    pub(super) settings: Vec<(String, String)>,
    /// Makefile text given as a word.
    pub(super) evaluated: Vec<String>,
    /// Recipes are printed and not run, but for the lines that run even so.
    pub(super) dry: bool,
    /// The environment's variables win over the makefile's.
    pub(super) environment_wins: bool,
    /// Only says something about itself.
    pub(super) informational: bool,
    /// A word that is not known may be a target, or an option that is not known was given.
    pub(super) unclear: Option<&'static str>,
}

/// Reads the words after the program's name; `raw` is the command as it was written.
pub(super) fn read(words: &[Expansion], raw: &str) -> Request {
    // A number that is not known, but is one.
    let counted =
        ["-j $(nproc", "-j \"$(nproc", "-j `nproc", "-j $(getconf "].iter().any(|way| raw.contains(way));
    let mut request = Request::default();
    let mut words = words.iter().map(|word| &word.arg.value).peekable();
    let mut only_operands = false;
    while let Some(word) = words.next() {
        let Some(text) = word.as_known() else {
            request.unknown(word);
            continue;
        };
        if only_operands || !text.starts_with('-') || text == "-" {
            request.operand(text);
        } else if text == "--" {
            only_operands = true;
        } else if let Some(long) = text.strip_prefix("--") {
            let (name, value) = match long.split_once('=') {
                Some((name, value)) => (name, Some(Value::known(value))),
                None => (long, None),
            };
            let mut fitting = LONG.iter().filter(|(known, ..)| known.starts_with(name));
            let exact = LONG.iter().find(|(known, ..)| *known == name);
            match (exact, fitting.next(), fitting.next()) {
                (Some((_, letter, kind)), ..) | (None, Some((_, letter, kind)), None) => {
                    let value = value.or_else(|| if *kind == '=' { words.next().cloned() } else { None });
                    request.option(*letter, value);
                }
                _ => request.unclear = Some("an option of make is not known"),
            }
        } else {
            let mut letters = text[1..].chars();
            while let Some(letter) = letters.next() {
                let rest = letters.as_str();
                if VALUED.contains(letter) {
                    let value =
                        if rest.is_empty() { words.next().cloned() } else { Some(Value::known(rest)) };
                    request.option(letter, value);
                    break;
                }
                if NUMBERED.contains(letter) {
                    let number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
                    if number(rest) {
                        break;
                    }
                    if rest.is_empty() {
                        words.next_if(|next| next.as_known().map_or(counted && letter == 'j', number));
                    }
                    continue;
                }
                if letter == 'O' {
                    break;
                }
                request.option(letter, None);
            }
        }
    }
    request
}

impl Request {
    fn option(&mut self, letter: char, value: Option<Value>) {
        match letter {
            'f' => self.files.push(value.unwrap_or(Value::Unknown)),
            'C' => self.directories.push(value.unwrap_or(Value::Unknown)),
            'E' => match value.as_ref().and_then(Value::as_known) {
                Some(text) => self.evaluated.push(text.to_owned()),
                None => self.unclear = Some("makefile text in a word is not known"),
            },
            'n' | 'q' | 't' => self.dry = true,
            'e' => self.environment_wins = true,
            'h' | 'v' => self.informational = true,
            'p' | 'I' | 'o' | 'W' | 'j' | 'l' | '.' => {}
            letter if PLAIN.contains(letter) => {}
            _ => self.unclear = Some("an option of make is not known"),
        }
    }

    fn operand(&mut self, text: &str) {
        match text.split_once('=') {
            Some((name, value)) => {
                let name = name.trim_end_matches([':', '?', '+']);
                self.settings.push((name.to_owned(), value.to_owned()));
            }
            None => self.goals.push(text.strip_prefix("./").unwrap_or(text).to_owned()),
        }
    }

    /// A word of which only the beginning is known.
    fn unknown(&mut self, word: &Value) {
        let begin = word.prefix();
        match begin.split_once('=') {
            Some((name, _)) if !name.starts_with('-') => {
                self.settings.push((name.to_owned(), UNKNOWN.to_owned()));
            }
            _ if begin.starts_with("-j") || begin.starts_with("--jobs=") || begin.starts_with("-l") => {}
            _ => self.unclear = Some("the target is not known"),
        }
    }
}
