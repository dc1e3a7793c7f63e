//! What stands in fish's words: substitutions, variables, quotes, escapes.

use super::Reader;

/// The variable whose default is one line of what a substitution prints, whichever.
pub(crate) const LINES: &str = "__recourse_lines";

impl Reader {
    pub(super) fn substitution(&mut self, quoted: bool) -> String {
        let inner = self.list(Some(')'));
        // What comes out of `… | psub` is the name of a file that holds what went in.
        let piped = inner.rsplit_once('|').filter(|(_, last)| last.split_whitespace().next() == Some("psub"));
        let mut out = match piped {
            Some((text, _)) if !quoted => format!("<({})", text.trim_end()),
            _ => format!("$({})", inner.trim_end()),
        };
        // An index behind it picks lines; all of them count.
        if !quoted && self.next(0) == Some('[') {
            self.index();
            out.push_str("\"\"");
        }
        out
    }

    /// A substitution within a word: each of its lines makes a word of its own with all that stands around it. Bash would put
    /// that around the first and the last alone.
    pub(super) fn spread(&self, text: String, alone: bool) -> String {
        let ends =
            matches!(self.next(0), None | Some(' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | '<' | '>' | ')'));
        if alone && ends || !text.starts_with("$(") {
            return text;
        }
        format!("\"${{{LINES}:-{text}}}\"")
    }

    pub(super) fn index(&mut self) {
        while let Some(c) = self.next(0) {
            self.at += 1;
            if c == ']' {
                return;
            }
        }
    }

    pub(super) fn dollar(&mut self, out: &mut String, quoted: bool) {
        self.at += 1;
        match self.next(0) {
            Some('(') => {
                self.at += 1;
                let alone = out.is_empty();
                let text = self.substitution(quoted);
                out.push_str(&if quoted { text } else { self.spread(text, alone) });
            }
            // The variable that a variable names.
            Some('$') => {
                while self.next(0) == Some('$') {
                    self.at += 1;
                }
                self.name();
                out.push_str("${__recourse_unknown}");
            }
            _ => {
                let name = self.name();
                if name.is_empty() {
                    out.push_str("\\$");
                } else if name == "argv" {
                    self.arguments(out, quoted);
                } else if self.single.contains(&name) && !quoted && self.next(0) != Some('[') {
                    out.push_str(&format!("\"${{{name}}}\""));
                } else {
                    out.push_str(&format!("${{{name}}}"));
                    if self.next(0) == Some('[') {
                        self.index();
                    }
                }
            }
        }
    }

    pub(super) fn name(&mut self) -> String {
        let mut name = String::new();
        while let Some(c) = self.next(0).filter(|c| c.is_ascii_alphanumeric() || *c == '_') {
            name.push(c);
            self.at += 1;
        }
        name
    }

    pub(super) fn single(&mut self, out: &mut String) {
        self.at += 1;
        out.push('\'');
        while let Some(c) = self.next(0) {
            self.at += 1;
            match (c, self.next(0)) {
                ('\'', _) => {
                    out.push('\'');
                    return;
                }
                ('\\', Some('\'')) => {
                    self.at += 1;
                    out.push_str("'\\''");
                }
                ('\\', Some('\\')) => {
                    self.at += 1;
                    out.push('\\');
                }
                _ => out.push(c),
            }
        }
    }

    /// A character that means itself in fish; a backquote would not in bash.
    pub(super) fn plain(&mut self, c: char, out: &mut String) {
        self.at += 1;
        if c == '`' {
            out.push('\\');
        }
        out.push(c);
    }

    pub(super) fn double(&mut self, out: &mut String) {
        self.at += 1;
        out.push('"');
        while let Some(c) = self.next(0) {
            match c {
                '"' => {
                    self.at += 1;
                    out.push('"');
                    return;
                }
                '\\' => {
                    self.at += 1;
                    out.push('\\');
                    match self.next(0) {
                        Some(c @ ('"' | '$' | '\\' | '\n')) => out.push(c),
                        Some(c) => out.extend(['\\', c]),
                        None => return,
                    }
                    self.at += 1;
                }
                '$' => self.dollar(out, true),
                _ => self.plain(c, out),
            }
        }
    }

    /// An escape outside quotes.
    pub(super) fn escape(&mut self, out: &mut String) {
        self.at += 1;
        let Some(c) = self.next(0) else {
            out.push('\\');
            return;
        };
        self.at += 1;
        match c {
            'a' | 'b' | 'e' | 'f' | 'n' | 'r' | 't' | 'v' => out.push_str(&format!("$'\\{c}'")),
            'x' | 'X' | 'u' | 'U' | '0'..='7' => {
                let mut digits = String::from(c);
                while digits.len() < 9
                    && let Some(digit) = self.next(0).filter(char::is_ascii_hexdigit)
                {
                    digits.push(digit);
                    self.at += 1;
                }
                out.push_str(&format!("$'\\{}'", digits.replacen('X', "x", 1)));
            }
            c => out.extend(['\\', c]),
        }
    }
}
