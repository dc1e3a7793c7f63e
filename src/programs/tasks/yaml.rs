//! The part of YAML in which people write lists of tasks. What goes beyond it is not read at all.

use serde_json::{Map, Value as Json};

/// Blocks within each other deeper than this are not read.
const DEPTH: usize = 24;

/// A line without its indentation.
struct Line<'a> {
    indent: usize,
    text: &'a str,
    /// Where it stands among all lines, comments and empty ones included.
    at: usize,
}

/// The document as JSON has it, all scalars as text; `None` where anything in it is not understood.
pub(super) fn read(text: &str) -> Option<Json> {
    let all: Vec<&str> = text.lines().collect();
    let mut lines = Vec::new();
    let mut at = 0;
    while let Some(line) = all.get(at) {
        let trimmed = line.trim_start_matches(' ');
        let indent = line.len() - trimmed.len();
        let trimmed = trimmed.trim_end();
        if trimmed.starts_with('\t') || trimmed == "..." {
            return None;
        }
        let says_nothing =
            trimmed.is_empty() || trimmed.starts_with('#') || trimmed == "---" && lines.is_empty();
        if !says_nothing {
            lines.push(Line { indent, text: trimmed, at });
            if block_mark(trimmed).is_some() {
                // What is text is no structure.
                while all.get(at + 1).is_some_and(|next| next.trim().is_empty() || indent_of(next) > indent) {
                    at += 1;
                }
            }
        }
        at += 1;
    }
    let mut next = 0;
    let indent = lines.first()?.indent;
    let found = block(&all, &lines, &mut next, indent, 0)?;
    (next == lines.len()).then_some(found)
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// How a text over several lines begins: `|`, `>` and what may stand behind them.
fn block_mark(text: &str) -> Option<char> {
    let last = text.rsplit([' ', ':']).next()?;
    let mark = last.chars().next().filter(|mark| matches!(mark, '|' | '>'))?;
    let plain = last.chars().skip(1).all(|c| matches!(c, '-' | '+' | '0'..='9'));
    (plain
        && (text.len() == last.len()
            || text.ends_with(&format!(": {last}"))
            || text.ends_with(&format!("- {last}"))))
    .then_some(mark)
}

fn block(all: &[&str], lines: &[Line<'_>], next: &mut usize, indent: usize, depth: usize) -> Option<Json> {
    let first = lines.get(*next).filter(|line| line.indent == indent && depth < DEPTH)?;
    if first.text == "-" || first.text.starts_with("- ") {
        let mut list = Vec::new();
        while let Some(line) = lines.get(*next).filter(|line| line.indent == indent) {
            let Some(rest) =
                line.text.strip_prefix('-').filter(|rest| rest.is_empty() || rest.starts_with(' '))
            else {
                break;
            };
            let inner = rest.trim_start();
            let column = indent + line.text.len() - inner.len();
            list.push(item(all, lines, next, (indent, column), inner, depth)?);
        }
        return Some(Json::Array(list));
    }
    let mut map = Map::new();
    while let Some(line) = lines.get(*next).filter(|line| line.indent == indent) {
        if line.text.starts_with("- ") {
            break;
        }
        entry(all, lines, next, (indent, line.text), &mut map, depth)?;
    }
    Some(Json::Object(map))
}

/// What stands behind the dash of a list.
fn item(
    all: &[&str],
    lines: &[Line<'_>],
    next: &mut usize,
    (indent, column): (usize, usize),
    inner: &str,
    depth: usize,
) -> Option<Json> {
    if inner.is_empty() {
        *next += 1;
        let below = lines.get(*next).filter(|line| line.indent > indent)?.indent;
        return block(all, lines, next, below, depth + 1);
    }
    if key_of(inner).is_none() {
        return value(all, lines, next, indent, inner, depth);
    }
    let mut map = Map::new();
    entry(all, lines, next, (column, inner), &mut map, depth + 1)?;
    while let Some(line) = lines.get(*next).filter(|line| line.indent == column) {
        entry(all, lines, next, (column, line.text), &mut map, depth + 1)?;
    }
    Some(Json::Object(map))
}

fn entry(
    all: &[&str],
    lines: &[Line<'_>],
    next: &mut usize,
    (indent, text): (usize, &str),
    map: &mut Map<String, Json>,
    depth: usize,
) -> Option<()> {
    let (key, rest) = key_of(text)?;
    if key == "<<" {
        return None;
    }
    let found = value(all, lines, next, indent, rest, depth)?;
    map.insert(key, found).is_none().then_some(())
}

/// What stands behind a key or dash: on the same line, or on those below it.
fn value(
    all: &[&str],
    lines: &[Line<'_>],
    next: &mut usize,
    indent: usize,
    rest: &str,
    depth: usize,
) -> Option<Json> {
    let line = lines.get(*next)?;
    *next += 1;
    if let Some(mark) = block_mark(rest) {
        let mut text = Vec::new();
        for line in all.get(line.at + 1..)? {
            if !line.trim().is_empty() && indent_of(line) <= line_indent(lines, *next - 1) {
                break;
            }
            text.push(line.trim());
        }
        return Some(Json::String(text.join(if mark == '|' { "\n" } else { " " })));
    }
    let below = lines.get(*next);
    if !rest.is_empty() {
        // A text that goes on over lines is not read.
        return if below.is_some_and(|line| {
            line.indent > indent && !line.text.starts_with("- ") && key_of(line.text).is_none()
        }) {
            None
        } else {
            scalar(rest)
        };
    }
    match below {
        Some(line) if line.indent > indent => block(all, lines, next, line.indent, depth + 1),
        Some(line) if line.indent == indent && line.text.starts_with('-') => {
            block(all, lines, next, indent, depth + 1)
        }
        _ => Some(Json::Null),
    }
}

fn line_indent(lines: &[Line<'_>], at: usize) -> usize {
    lines.get(at).map_or(0, |line| line.indent)
}

/// `key: value` and what stands behind the colon.
fn key_of(text: &str) -> Option<(String, &str)> {
    if let Some(quote) = text.chars().next().filter(|c| matches!(c, '"' | '\'')) {
        let (key, rest) = text.get(1..)?.split_once(quote)?;
        let rest = rest.strip_prefix(':')?;
        return (rest.is_empty() || rest.starts_with(' ')).then(|| (key.to_owned(), rest.trim()));
    }
    if text.starts_with(['[', '{', '|', '>', '*', '&', '!', '`']) {
        return None;
    }
    let (key, rest) = match text.split_once(": ") {
        Some((key, rest)) => (key, rest.trim()),
        None => (text.strip_suffix(':')?, ""),
    };
    (!key.contains(['"', '\'', '#'])).then(|| (key.trim().to_owned(), without_comment(rest)))
}

fn without_comment(text: &str) -> &str {
    if text.starts_with(['"', '\'']) {
        return text;
    }
    text.split(" #").next().unwrap_or(text).trim_end()
}

fn scalar(text: &str) -> Option<Json> {
    let text = text.trim();
    if text.starts_with(['&', '*', '!', '%', '@', '`']) {
        return None;
    }
    for (open, close) in [('[', ']'), ('{', '}')] {
        let Some(inner) = text.strip_prefix(open) else { continue };
        let inner = inner.strip_suffix(close)?;
        if inner.contains(['[', '{']) {
            return None;
        }
        let parts = parts(inner)?;
        if open == '[' {
            return parts.iter().map(|part| scalar(part)).collect::<Option<Vec<_>>>().map(Json::Array);
        }
        let pairs = parts.iter().map(|part| {
            let (key, rest) = key_of(part)?;
            Some((key, scalar(rest)?))
        });
        return pairs.collect::<Option<Map<_, _>>>().map(Json::Object);
    }
    if let Some(inner) = text.strip_prefix('\'') {
        let inner = inner.strip_suffix('\'')?;
        return Some(Json::String(inner.replace("''", "'")));
    }
    if text.starts_with('"') {
        return serde_json::from_str::<String>(text).ok().map(Json::String);
    }
    Some(Json::String(without_comment(text).to_owned()))
}

/// The parts between commas that stand in no quotes.
fn parts(text: &str) -> Option<Vec<String>> {
    let mut found = Vec::new();
    let mut one = String::new();
    let mut quote = None;
    for c in text.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            None if matches!(c, '"' | '\'') => quote = Some(c),
            None if c == ',' => {
                found.push(std::mem::take(&mut one).trim().to_owned());
                continue;
            }
            _ => {}
        }
        one.push(c);
    }
    if !one.trim().is_empty() {
        found.push(one.trim().to_owned());
    }
    quote.is_none().then_some(found)
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn lists_of_tasks() {
        let text = "version: '3'\n\n# all\ntasks:\n  default:\n    cmds:\n      - task: wipe\n        vars: {A: b}\n      - echo \"a: b\"\n  wipe:\n    desc: x # y\n    deps: [look, 'other']\n    cmds:\n    - |\n      rm -rf a\n      ls\n    - cmd: rm b\n      silent: true\n  short: rm c\n";
        let found = read(text).unwrap();
        let tasks = &found["tasks"];
        assert_eq!(tasks["short"], "rm c");
        assert_eq!(tasks["wipe"]["cmds"][0], "rm -rf a\nls");
        assert_eq!(tasks["wipe"]["cmds"][1]["cmd"], "rm b");
        assert_eq!(tasks["wipe"]["deps"][1], "other");
        assert_eq!(tasks["default"]["cmds"][0]["vars"]["A"], "b");
        assert_eq!(tasks["default"]["cmds"][1], "echo \"a: b\"");
    }

    #[test]
    fn what_is_not_understood_is_not_read() {
        for text in
            ["a: &x b\n", "a: *x\n", "a:\n\tb: c\n", "a: b\n  c\n", "<<: *a\n", "a: [b\n", "a: 1\na: 2\n", ""]
        {
            assert!(read(text).is_none(), "{text:?}");
        }
    }
}
