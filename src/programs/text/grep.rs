//! `grep` over texts that are known: whether it finds something, and which lines.

use crate::model::Value;
use crate::shell::program::{Call, Shell, State, Status};

use super::lines::Cut;
use super::lines_of;
use super::pattern::{Pattern, Syntax};
use super::words::Words;

/// Longest text that is searched.
const LONGEST: u64 = 256 * 1024;

/// What a call of `grep` looks for, where all of it is understood.
struct Search<'a> {
    pattern: &'a str,
    files: Vec<&'a str>,
    fixed: bool,
    extended: bool,
    folds: bool,
    whole: bool,
    inverted: bool,
}

/// Whether `grep` finds something.
pub(super) fn grep_status(shell: &Shell<'_>, state: &State, name: &str, call: &Call) -> Status {
    // Which way is taken would tell somebody else what a file holds.
    if shell.world.is_for_others() {
        return Status::Unknown;
    }
    found(shell, state, name, call).map_or(Status::Unknown, Status::from_bool)
}

fn found(shell: &Shell<'_>, state: &State, name: &str, call: &Call) -> Option<bool> {
    let texts = call.texts()?;
    let mut search = search(&texts, name == "fgrep")?;
    search.extended |= name == "egrep";
    let mut all = String::new();
    let mut missing = false;
    if search.files.is_empty() {
        all.push_str(shell.stdin_text(state, &state.stdin)?.as_known()?);
    }
    for file in &search.files {
        let path = shell.absolute(state, &Value::known(*file))?;
        if shell.exists(state, &path) == Some(false) {
            missing = true;
            continue;
        }
        let text = shell.read_data(state, &path, LONGEST)?;
        all.push_str(&text);
        if !all.ends_with('\n') {
            all.push('\n');
        }
    }
    if all.contains('\0') || !(all.is_ascii() || search.pattern.is_ascii() && !search.folds) {
        return None;
    }
    // A pattern that is not understood finds nothing where nothing stands.
    let Some(sought) = Sought::read(&search) else { return all.is_empty().then_some(false) };
    let mut hit = false;
    // The first line that decides is the last one that is looked at: what stands behind it changes nothing.
    for line in all.split_terminator('\n') {
        hit = sought.holds(line, &search)? != search.inverted;
        if hit {
            break;
        }
    }
    // A file that is missing is an error, unless something was found first.
    (!(hit && missing)).then_some(hit)
}

/// The call's words; `None` where one of them is not understood.
fn search<'a>(words: &[&'a str], fixed: bool) -> Option<Search<'a>> {
    let mut found = Search {
        pattern: "",
        files: Vec::new(),
        fixed,
        extended: false,
        folds: false,
        whole: false,
        inverted: false,
    };
    let mut pattern = None;
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match *word {
            "--" => {
                found.files.extend(words.by_ref());
            }
            "-e" => pattern = Some(*words.next()?).filter(|_| pattern.is_none()),
            "--quiet" | "--silent" | "--no-messages" => {}
            "--fixed-strings" => found.fixed = true,
            "--ignore-case" => found.folds = true,
            "--line-regexp" => found.whole = true,
            "--invert-match" => found.inverted = true,
            word if word.starts_with('-') && word.len() > 1 => {
                for letter in word.chars().skip(1) {
                    match letter {
                        'E' => found.extended = true,
                        'q' | 's' | 'n' | 'c' | 'l' | 'h' | 'H' | 'a' => {}
                        'F' => found.fixed = true,
                        'i' => found.folds = true,
                        'x' => found.whole = true,
                        'v' => found.inverted = true,
                        _ => return None,
                    }
                }
            }
            file => found.files.push(file),
        }
    }
    if pattern.is_none() && !found.files.is_empty() {
        pattern = Some(found.files.remove(0));
    }
    found.pattern = pattern.filter(|pattern| !pattern.contains('\n'))?;
    let directory_or_stream = |file: &&str| *file == "-" || file.starts_with("/dev/");
    (!found.files.iter().any(directory_or_stream)).then_some(found)
}

/// What is looked for, made ready once for all lines of all files.
enum Sought {
    /// A text as it stands; dots stand for any sign.
    Plain {
        text: Vec<char>,
        start: bool,
        end: bool,
    },
    /// A text in which nothing is special.
    Fixed(String),
    Expression(Pattern),
}

impl Sought {
    /// `None` for a pattern that is not understood.
    fn read(search: &Search<'_>) -> Option<Self> {
        let folded =
            if search.folds { search.pattern.to_ascii_lowercase() } else { search.pattern.to_owned() };
        if search.fixed {
            return Some(Self::Fixed(folded));
        }
        let (pattern, start) = folded.strip_prefix('^').map_or((&*folded, false), |rest| (rest, true));
        let (pattern, end) = pattern.strip_suffix('$').map_or((pattern, false), |rest| (rest, true));
        if pattern.contains(['[', ']', '*', '^', '$', '\\', '+', '?', '(', ')', '{', '}', '|']) {
            let syntax = if search.extended { Syntax::Extended } else { Syntax::Basic };
            return Pattern::read(&folded, syntax, search.folds).map(Self::Expression);
        }
        Some(Self::Plain {
            text: pattern.chars().collect(),
            start: start || search.whole,
            end: end || search.whole,
        })
    }

    /// Whether a line holds it; `None` where that cannot be told.
    fn holds(&self, line: &str, search: &Search<'_>) -> Option<bool> {
        let folded;
        let line = if search.folds {
            folded = line.to_ascii_lowercase();
            &folded
        } else {
            line
        };
        match self {
            Self::Fixed(text) if search.whole => Some(line == text),
            Self::Fixed(text) => Some(line.contains(text)),
            Self::Expression(expression) if search.whole => expression.fills(line),
            Self::Expression(expression) => expression.holds(line),
            Self::Plain { text, start, end } => {
                let there: Vec<char> = line.chars().collect();
                let fits = |at: usize| {
                    let part = there.get(at..at + text.len());
                    part.is_some_and(|part| text.iter().zip(part).all(|(w, t)| *w == '.' || w == t))
                };
                let Some(last) = there.len().checked_sub(text.len()) else { return Some(false) };
                Some((0..=last).any(|at| fits(at) && (!start || at == 0) && (!end || at == last)))
            }
        }
    }
}

const LONG: [(&str, char); 8] = [
    ("extended-regexp", 'E'),
    ("fixed-strings", 'F'),
    ("ignore-case", 'i'),
    ("invert-match", 'v'),
    ("only-matching", 'o'),
    ("max-count", 'm'),
    ("no-filename", 'h'),
    ("no-messages", 's'),
];

/// The lines, or their parts, that `grep` prints of one file or of standard input.
pub(super) fn lines(name: &str, call: &Call, input: impl Fn(&[&str]) -> Option<Value>) -> Option<Value> {
    let words = Words::read(call, "EFGivohsa", "em", &LONG)?;
    let fixed = words.has('F') || name == "fgrep";
    let syntax = if words.has('E') || name == "egrep" { Syntax::Extended } else { Syntax::Basic };
    let (pattern, files) = match words.value('e') {
        Some(pattern) if words.options.iter().filter(|(letter, _)| *letter == 'e').count() == 1 => {
            (pattern, words.operands.as_slice())
        }
        Some(_) => return None,
        None => words.operands.split_first().map(|(first, rest)| (*first, rest))?,
    };
    let (folds, inverted, only) = (words.has('i'), words.has('v'), words.has('o'));
    if fixed && (folds || only) || only && inverted || pattern.contains('\n') {
        return None;
    }
    let expression = if fixed { None } else { Some(Pattern::read(pattern, syntax, folds)?) };
    let text = lines_of::each(&input(files)?, |line| {
        let Some(expression) = &expression else {
            return Some((line.contains(pattern) != inverted).then(|| line.to_owned()));
        };
        if only {
            let found = expression.all(line)?;
            return Some((!found.is_empty()).then(|| found.join("\n")));
        }
        Some((expression.holds(line)? != inverted).then(|| line.to_owned()))
    })?;
    match words.value('m') {
        // It counts lines, of which a match is a part.
        Some(_) if only => None,
        Some(count) => Cut::First(count.parse().ok()?).of(&text),
        None if only && matches!(text, Value::Lines(_)) => None,
        None => Some(text),
    }
}
