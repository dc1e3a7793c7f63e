//! Passwords in statements of databases, wherever such a statement stands: in a file, in a word of a command, in a word that
//! is quoted once more.

use std::ops::Range;

use super::quoted::push_value;

/// Longest part of a statement between `PASSWORD FOR` and the value, in bytes.
const NEAR: usize = 300;

/// `PASSWORD 'value'`, `SET PASSWORD FOR x = 'value'`, `IDENTIFIED BY 'value'`, `IDENTIFIED WITH plugin BY 'value'`.
pub(super) fn passwords(text: &str, found: &mut Vec<Range<usize>>) {
    // Reports hold tens of thousands of texts; nearly all have none of these.
    if !occurs(text, b"passw") && !occurs(text, b"identified") {
        return;
    }
    let lower = text.to_ascii_lowercase();
    for phrase in "password passwd".split(' ') {
        for (at, _) in lower.match_indices(phrase) {
            let behind = at + phrase.len();
            let start = behind + blanks(&text[behind..]);
            if start == behind {
                continue;
            }
            quoted(text, start, found);
            if lower[start..].starts_with("for ") {
                of_somebody(text, start, found);
            }
        }
    }
    for (at, _) in lower.match_indices("identified") {
        identified(text, &lower, at + "identified".len(), found);
    }
}

/// Whether small letters stand in a text, in either case.
fn occurs(text: &str, word: &[u8]) -> bool {
    let first = word[0];
    let begins = |(_, byte): &(usize, &u8)| byte.to_ascii_lowercase() == first;
    let bytes = text.as_bytes();
    let mut places = bytes.iter().enumerate().filter(begins);
    places.any(|(at, _)| bytes.get(at..at + word.len()).is_some_and(|part| part.eq_ignore_ascii_case(word)))
}

/// `FOR x = 'value'`: to the end of the statement.
fn of_somebody(text: &str, start: usize, found: &mut Vec<Range<usize>>) {
    let rest = &text[start..];
    let near = (0..=rest.len().min(NEAR)).rev().find(|end| rest.is_char_boundary(*end)).unwrap_or(0);
    let rest = &rest[..rest[..near].find([';', '\n']).unwrap_or(near)];
    if let Some(at) = rest.find('=') {
        quoted(text, start + at + 1 + blanks(&rest[at + 1..]), found);
    }
}

/// What follows `IDENTIFIED`: `BY value`, `WITH plugin BY value`, `VIA plugin USING value`, and `REPLACE` the one before.
fn identified(text: &str, lower: &str, start: usize, found: &mut Vec<Range<usize>>) {
    let (mut word, mut at) = next(lower, start);
    if matches!(word, "with" | "via") {
        (_, at) = next(lower, at);
        (word, at) = next(lower, at);
    }
    if !"by as using".split(' ').any(|known| known == word) {
        return;
    }
    let by = word == "by";
    let mut value = at + blanks(&text[at..]);
    if let Some(rest) = lower[value..].strip_prefix("password ") {
        value = lower.len() - rest.len();
    }
    // Oracle takes a name without quotes, and ends with the statement.
    if by && !opens(&text[value..]) && !lower[value..].starts_with("values ") {
        push_value(text, value, found);
    } else {
        quoted(text, value, found);
    }
    let rest = &lower[value..];
    let end = rest.find([';', '\n']).unwrap_or(rest.len());
    if let Some(old) = rest[..end].find(" replace ") {
        quoted(text, value + old + " replace ".len(), found);
    }
}

/// The next word, and where it ends.
fn next(text: &str, from: usize) -> (&str, usize) {
    let from = from + blanks(&text[from..]);
    let word = text[from..].split(char::is_whitespace).next().unwrap_or_default();
    (word, from + word.len())
}

/// How a quote is written that stands inside another one.
const NESTED: [&str; 4] = ["'\\''", "'\"'\"'", "\\\"", "\\'"];

fn nested(rest: &str) -> Option<&'static str> {
    NESTED.into_iter().find(|mark| rest.starts_with(mark))
}

/// Whether a quote opens here.
fn opens(rest: &str) -> bool {
    nested(rest).is_some() || rest.starts_with(['\'', '"', '$'])
}

/// Records the value that starts here, if a quote opens it, also one that is itself quoted for a shell.
fn quoted(text: &str, start: usize, found: &mut Vec<Range<usize>>) {
    let rest = &text[start..];
    let Some(mark) = nested(rest) else {
        if opens(rest) {
            push_value(text, start, found);
        }
        return;
    };
    let inner = start + mark.len();
    let line = text[inner..].find('\n').map_or(text.len(), |end| inner + end);
    found.push(inner..text[inner..line].find(mark).map_or(line, |end| inner + end));
}

fn blanks(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::super::redact;

    #[test]
    fn what_statements_set_is_masked() {
        for text in [
            "mysql -e \"SET PASSWORD FOR x = 'hunter2'; drop table y\"",
            "SET PASSWORD FOR 'x'@'%'='hunter2'",
            "set password\n  for x = \"hunter2\"",
            "SET PASSWORD = 'hunter2'",
            "CREATE USER x IDENTIFIED BY 'hunter2'",
            "CREATE USER x IDENTIFIED  BY\t'hunter2'",
            "ALTER USER x IDENTIFIED BY hunter2;",
            "ALTER USER x IDENTIFIED BY 'hunter2' REPLACE 'hunter2'",
            "ALTER USER x IDENTIFIED WITH sha256_password BY 'hunter2'",
            "GRANT ALL ON *.* TO x IDENTIFIED BY PASSWORD 'hunter2'",
            "ALTER USER x VALID UNTIL 'y' PASSWORD   'hunter2'",
            "CREATE ROLE x WITH LOGIN PASSWORD 'hunter2'",
            r"psql -c 'CREATE ROLE x PASSWORD '\''hunter2'\'''",
            r#"mysql -e "CREATE USER x IDENTIFIED BY \"hunter2\"""#,
            r#"mysql -e 'SET PASSWORD FOR x = '"'"'hunter2'"'"''"#,
        ] {
            assert_eq!(redact(text), text.replace("hunter2", "***"));
        }
        for text in [
            "who is identified with a key by default",
            "set password for é",
            "identified by",
            "identified by password ",
            "identified",
            "password ",
            "set a password for ada",
        ] {
            let _ = redact(text);
        }
        assert_eq!(redact("set a password for ada"), "set a password for ada");
    }
}
