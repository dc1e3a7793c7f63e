//! Scripts made of statements: each does what is listed for its first words, is listed as harmless, or is unknown.

use std::collections::BTreeMap;

use crate::code::effect::CodeEffect;
use crate::model::Value;

use super::{Form, Plain};

/// How deep scripts stand in scripts.
const DEPTH: usize = 12;
/// Statements that are read.
const STATEMENTS: usize = 5_000;

/// What a script does; `file` is the one that it edits.
pub(super) fn analyse(plain: &Plain, text: &str, file: Option<&Value>) -> Vec<CodeEffect> {
    let mut reader =
        Reader { plain, file, variables: BTreeMap::new(), effects: Vec::new(), work: STATEMENTS };
    if plain.form == Form::Editor {
        reader.edits(text)
    } else {
        reader.script(text, 0)
    }
    let mut effects = Vec::new();
    for effect in reader.effects {
        if !effects.contains(&effect) {
            effects.push(effect);
        }
    }
    effects
}

struct Reader<'a> {
    plain: &'a Plain,
    file: Option<&'a Value>,
    variables: BTreeMap<String, Value>,
    effects: Vec<CodeEffect>,
    work: usize,
}

/// A word of a statement, with what stands between its signs when it has some.
struct Word<'t> {
    value: Value,
    open: Option<char>,
    body: &'t str,
}

impl Reader<'_> {
    /// The first statement that is not understood speaks for all.
    fn unknown(&mut self, statement: &str) {
        if !self.effects.iter().any(|effect| matches!(effect, CodeEffect::Unknown { .. })) {
            let said: String = statement.trim().chars().take(40).collect();
            let reason = format!("`{said}` may run a program, write or remove something");
            self.effects.push(CodeEffect::Unknown { reason });
        }
    }

    fn script(&mut self, text: &str, depth: usize) {
        let mut rest = text;
        loop {
            let between =
                |c: char| c.is_whitespace() || self.plain.divide.contains(c) || self.plain.marks.contains(c);
            rest = rest.trim_start_matches(between);
            if rest.is_empty() {
                return;
            }
            let line = rest.split('\n').next().unwrap_or(rest);
            if !self.plain.comment.is_empty() && rest.starts_with(&self.plain.comment) {
                rest = &rest[line.len()..];
            } else if let Some(command) = rest.strip_prefix('!').filter(|_| self.plain.shell) {
                let command = command.split('\n').next().unwrap_or_default();
                self.effects.push(CodeEffect::Shell { text: Value::known(command.trim()) });
                rest = &rest[line.len()..];
            } else {
                self.work = self.work.saturating_sub(1);
                let (statement, after) = rest.split_at(length(rest, &self.plain.divide, &self.plain.quotes));
                if self.work == 0 || depth > DEPTH {
                    return self.unknown("a script that is longer or deeper than it is followed");
                }
                self.statement(statement, depth);
                rest = after;
            }
        }
    }

    fn statement(&mut self, statement: &str, depth: usize) {
        let plain = self.plain;
        let words = self.words(statement);
        let first = words.first().map_or("", |word| word.body);
        let two = words.get(1).map(|word| format!("{first} {}", word.body)).unwrap_or_default();
        let listed =
            |key: &&str| plain.does.contains_key(*key) || plain.harmless.iter().any(|one| one == key);
        let key = [two.as_str(), first].into_iter().find(listed);
        let strange = plain.forbidden.iter().any(|part| statement.contains(part.as_str()))
            || words.iter().any(|word| plain.never.iter().any(|never| word.body == never));
        let Some(key) = key.filter(|_| !strange) else {
            self.unknown(statement);
            // What is put in may be a script of its own.
            return inner(statement, &['{', '[', '"']).for_each(|body| self.script(body, depth + 1));
        };
        if plain.quotes.contains('[') {
            inner(statement, &['[']).for_each(|body| self.script(body, depth + 1));
        }
        // What stands behind the first operand is no option of the statement's.
        let given = words.get(key.split(' ').count()..).unwrap_or_default().iter();
        let option = |word: &&Word<'_>| word.open.is_none() && plain.options.iter().any(|o| o == word.body);
        let given: Vec<&Word<'_>> = given.skip_while(option).collect();
        if plain.does.get(key).is_some_and(|does| self.done(does, &given, depth).is_none()) {
            self.unknown(statement);
        }
    }

    /// Does what is listed for a statement; `None` when its words do not fit that.
    fn done(&mut self, does: &str, words: &[&Word<'_>], depth: usize) -> Option<()> {
        let (act, what) = does.split_once(' ').unwrap_or((does, ""));
        let value = |at: usize| words.get(at).map(|word| word.value.clone());
        let known = |at: usize| words.get(at).and_then(|word| word.value.as_known());
        match act {
            "run" => {
                let own = what.split_whitespace().map(Value::known);
                let argv: Vec<Value> = own.chain(words.iter().map(|word| word.value.clone())).collect();
                // Redirections and pipes among the words are a shell's, and options in front some statement's own.
                let odd = |word: &Value| word.prefix().starts_with(['|', '>', '<', '&']);
                if argv.iter().any(odd) {
                    let words: Option<Vec<&str>> = argv.iter().map(Value::as_known).collect();
                    self.effects.push(CodeEffect::Shell { text: Value::known(words?.join(" ")) });
                } else if argv.first()?.prefix().starts_with('-') {
                    return None;
                } else {
                    self.effects.push(CodeEffect::Run { argv });
                }
            }
            "change-directory" => self.effects.push(CodeEffect::ChangeDirectory { path: value(0)? }),
            "append" => self.effects.push(CodeEffect::Append { path: value(0)? }),
            "save" => self.effects.push(match (value(0), self.file) {
                (Some(path), _) => CodeEffect::Overwrite { path },
                (None, file) => CodeEffect::Update { path: file?.clone() },
            }),
            "fetch" => {
                let name = known(0)?.rsplit('/').next()?;
                let path = match words {
                    [_] => name.to_owned(),
                    [_, to] => to
                        .value
                        .as_known()
                        .map(|to| if to.ends_with('/') { format!("{to}{name}") } else { to.to_owned() })?,
                    _ => return None,
                };
                self.effects.push(CodeEffect::Overwrite { path: Value::Known(path) });
            }
            "list" if words.len() < 2 => {}
            "list" => {
                self.effects.push(CodeEffect::Overwrite { path: value(1).filter(|_| words.len() == 2)? })
            }
            "open" => match known(1).unwrap_or(if words.len() == 1 { "r" } else { "" }) {
                _ if value(0)?.prefix().starts_with('|') => return None,
                "r" => {}
                "w" | "w+" => self.effects.push(CodeEffect::Overwrite { path: value(0)? }),
                "a" | "a+" => self.effects.push(CodeEffect::Append { path: value(0)? }),
                _ => return None,
            },
            "set" => {
                let (name, value) = (known(0)?.to_owned(), value(1).filter(|_| words.len() == 2)?);
                let value = self.variables.get(&name).map_or(value.clone(), |before| before.join(&value));
                self.variables.insert(name, value);
            }
            "for-each" => {
                let [_, _, body] = words else { return None };
                let each = known(1)?.split_whitespace().map(str::to_owned).collect();
                self.variables.insert(known(0)?.to_owned(), Value::one_of(each));
                self.script(body.body, depth + 1);
            }
            _ => return None,
        }
        Some(())
    }

    fn words<'t>(&self, statement: &'t str) -> Vec<Word<'t>> {
        let mut words = Vec::new();
        let mut rest = statement.trim();
        while let Some(first) = rest.chars().next() {
            let end = length(rest, " \t\r\n", &self.plain.quotes);
            let (word, after) = rest.split_at(end);
            let closed = |close| word.len() > 1 && word.ends_with(close);
            let (open, body) = match first {
                '{' if self.plain.quotes.contains('{') && closed('}') => (Some('{'), &word[1..end - 1]),
                '"' if self.plain.quotes.contains('"') && closed('"') => (Some('"'), &word[1..end - 1]),
                _ => (None, word),
            };
            let value = if open == Some('{') { Value::known(body) } else { self.substituted(body) };
            words.push(Word { value, open, body });
            rest = after.trim_start();
        }
        words
    }

    /// The text with its variables put in; a command in it may give anything.
    fn substituted(&self, text: &str) -> Value {
        if text.contains(['{', '}', '"', '[']) {
            return Value::Unknown;
        }
        let mut parts = text.split('$');
        let first = Value::known(parts.next().unwrap_or_default());
        parts.fold(first, |value, part| {
            let end = part.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(part.len());
            let own = self.variables.get(&part[..end]).cloned().unwrap_or(Value::Unknown);
            let own = if part[end..].starts_with(['(', ':']) { Value::Unknown } else { own };
            value.concat(&own).concat(&Value::known(&part[end..]))
        })
    }

    /// The line editor: a letter behind line numbers and patterns, and what stands behind it.
    fn edits(&mut self, text: &str) {
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let Some(rest) = behind_addresses(line) else {
                self.unknown(line);
                continue;
            };
            let letters =
                if rest.starts_with("wq") { 2 } else { rest.chars().next().map_or(0, char::len_utf8) };
            let (letter, words) = rest.split_at(letters);
            let words = words.trim();
            let word = Word { value: Value::known(words), open: None, body: words };
            let words: &[&Word<'_>] = if words.is_empty() { &[] } else { &[&word] };
            if letter == "!" {
                self.effects.push(CodeEffect::Shell { text: word.value.clone() });
            } else if self.plain.text.iter().any(|one| one == letter) && words.is_empty() {
                // Text for the buffer, up to a lone dot.
                lines.by_ref().find(|line| *line == ".");
            } else if let Some(does) = self.plain.does.get(letter).filter(|_| !word.body.starts_with('!')) {
                if self.done(does, words, 0).is_none() {
                    self.unknown(line);
                }
            } else if !letter.is_empty() && !self.plain.harmless.iter().any(|one| one == letter)
                || line.ends_with('\\')
            {
                self.unknown(line);
            }
        }
    }
}

/// Where the statement or word that a text begins with ends: at one of these signs, but not between quotes.
fn length(text: &str, ends: &str, quotes: &str) -> usize {
    let mut open: Option<(char, usize)> = None;
    let mut starts = true;
    for (at, c) in text.char_indices() {
        match open {
            Some((sign, depth)) if c == closing(sign) => open = (depth > 1).then_some((sign, depth - 1)),
            Some((sign, depth)) => open = Some((sign, depth + usize::from(c == sign))),
            None if ends.contains(c) => return at,
            // Within a word only a bracket is more than a sign.
            None if quotes.contains(c) && (starts || c == '[') => open = Some((c, 1)),
            None => {}
        }
        starts = c.is_whitespace() || ends.contains(c);
    }
    text.len()
}

fn closing(sign: char) -> char {
    match sign {
        '{' => '}',
        '[' => ']',
        other => other,
    }
}

/// What stands between such signs in a text; inside of that nothing is looked for.
fn inner<'t>(mut text: &'t str, signs: &'t [char]) -> impl Iterator<Item = &'t str> {
    std::iter::from_fn(move || {
        let (_, found) = text.split_at(text.find(signs)?);
        let (sign, body) = found.split_at(1);
        let sign = sign.chars().next()?;
        let (body, after) = body.split_at(length(body, &closing(sign).to_string(), &sign.to_string()));
        text = after.get(1..).unwrap_or_default();
        Some(body)
    })
}

/// What stands behind line numbers, marks and patterns.
fn behind_addresses(line: &str) -> Option<&str> {
    let mut rest = line;
    loop {
        let first = rest.chars().next();
        rest = match first {
            Some('/' | '?') => after_pattern(rest)?,
            Some('g' | 'v') => after_pattern(&rest[1..])?,
            Some('\'') => rest.get(2..)?,
            Some('0'..='9' | '.' | '$' | ',' | ';' | '+' | '-' | '%' | '^' | ' ' | '\t') => &rest[1..],
            _ => return Some(rest),
        };
    }
}

/// What stands behind the pattern that a text begins with; it may also end with the line.
fn after_pattern(text: &str) -> Option<&str> {
    let delimiter = text.chars().next().filter(|c| c.is_ascii_punctuation())?;
    // A delimiter in brackets or behind a backslash is taken otherwise by some editors.
    let pattern = text[1..].split(delimiter).next()?;
    (!pattern.contains(['[', '\\'])).then(|| text.get(pattern.len() + 2..).unwrap_or_default())
}
