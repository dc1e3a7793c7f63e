//! Where the text of a YAML value stands, line by line, and expressions of other languages put aside in it.

use crate::yaml::Node;

use super::Lines;

/// Where each line of a scalar's text stands among the lines of its file.
pub(super) fn lines(source: &[&str], node: &Node) -> Lines {
    let mut found = Lines::at(node.line, node.column);
    let Some(text) = node.text() else { return found };
    let mut cursor = 0;
    for number in node.line..=node.end_line.min(source.len()) {
        let Some(whole) = number.checked_sub(1).and_then(|at| source.get(at)) else { break };
        let skipped = if number == node.line { node.column - 1 } else { 0 };
        let begin = whole.char_indices().nth(skipped).map_or(whole.len(), |(at, _)| at);
        let part = whole.get(begin..).unwrap_or("");
        let line = part.trim();
        let line = line.trim_start_matches(['"', '\'']);
        let line = if number == node.end_line { line.trim_end_matches(['"', '\'']) } else { line };
        let rest = text.get(cursor..).unwrap_or("");
        if line.is_empty() || number == node.line && line.starts_with(['|', '>']) && !rest.starts_with(line) {
            continue;
        }
        let gap = rest.len() - rest.trim_start().len();
        let at = if rest.trim_start().starts_with(line) { Some(gap) } else { rest.find(line) };
        let Some(at) = at else { continue };
        let column = whole.find(line).map_or(0, |at| whole.get(..at).unwrap_or("").chars().count());
        found.push(cursor + at, number, column + 1);
        cursor += at + line.len();
    }
    found
}

/// A text with everything between two marks replaced by what `value` says, so that a shell reads it as one value.
///
/// The languages that fill such places in do so before any shell sees the text. Within single quotes a shell would take
/// the replacement by its letters: the quotes are closed around it.
pub(super) fn filled(
    text: &str,
    lines: &Lines,
    (open, close): (&str, &str),
    value: &dyn Fn(&str) -> String,
) -> (String, Lines) {
    if !text.contains(open) {
        return (text.to_owned(), lines.clone());
    }
    let mut out = String::new();
    let mut found = Lines::default();
    let mut quoted = Quotes::default();
    let mut at = 0;
    while let Some(begin) = text.get(at..).and_then(|rest| rest.find(open)).map(|begin| at + begin) {
        let Some(end) =
            text.get(begin..).and_then(|rest| rest.find(close)).map(|end| begin + end + close.len())
        else {
            break;
        };
        let before = text.get(at..begin).unwrap_or("");
        lines.copy(at..begin, out.len(), text, &mut found);
        quoted.read(before);
        out.push_str(before);
        let inner = text.get(begin + open.len()..end - close.len()).unwrap_or("");
        let put = value(inner.trim());
        out.push_str(&if quoted.single { format!("'\"{put}\"'") } else { put });
        at = end;
    }
    lines.copy(at..text.len() + 1, out.len(), text, &mut found);
    out.push_str(text.get(at..).unwrap_or(""));
    (out, found)
}

/// Whether single quotes are open where a shell's text stands.
#[derive(Default)]
struct Quotes {
    single: bool,
    double: bool,
}

impl Quotes {
    fn read(&mut self, text: &str) {
        let mut chars = text.chars();
        let mut before = ' ';
        while let Some(c) = chars.next() {
            match c {
                '\\' if !self.single => {
                    chars.next();
                }
                '\'' if !self.double => self.single = !self.single,
                '"' if !self.single => self.double = !self.double,
                // An apostrophe in a comment opens nothing.
                '#' if !self.single && !self.double && before.is_whitespace() => {
                    let rest = chars.as_str();
                    let end = rest.find('\n').unwrap_or(rest.len());
                    chars = rest.get(end..).unwrap_or("").chars();
                }
                _ => {}
            }
            before = c;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::Position;

    fn position(text: &str, key: &str, word: &str) -> Position {
        let source: Vec<&str> = text.split('\n').collect();
        let node = crate::yaml::read(text).unwrap().unwrap();
        let value = node.get(key).unwrap();
        let lines = lines(&source, value);
        let text = value.text().unwrap();
        lines.position(text, text.find(word).unwrap())
    }

    #[test]
    fn every_style_is_found_again() {
        let text = "a: |\n  one\n\n  two rm\nb: >-\n  three\n  four rm\nc: rm x\nd: \"five\n  six rm\"\ne: '\n  rm'\n";
        for (key, line, column) in [("a", 4, 7), ("b", 7, 8), ("c", 8, 4), ("d", 10, 7), ("e", 12, 3)] {
            assert_eq!(position(text, key, "rm"), Position { line, column }, "{key}");
        }
    }

    #[test]
    fn expressions_become_values() {
        let text = "a '${{ x }}' \"${{ y }}\" # it's\n${{ z }} rm";
        let put = |inner: &str| format!("${{{inner}}}");
        let (out, lines) = filled(text, &Lines::at(5, 3), ("${{", "}}"), &put);
        assert_eq!(out, "a ''\"${x}\"'' \"${y}\" # it's\n${z} rm");
        assert_eq!(lines.position(&out, out.find("rm").unwrap()), Position { line: 6, column: 10 });
    }
}
