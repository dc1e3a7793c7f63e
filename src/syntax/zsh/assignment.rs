//! Assignments; those to the tables in which zsh shows its functions, aliases and options define what they name.

use super::pattern::unquoted;
use super::{ENDS, PART, Reader};

impl Reader {
    /// An assignment begins here: another command's first word may follow. True when it was read to its end.
    pub(super) fn assignment(&mut self) -> bool {
        let length = self.name(self.at);
        if length == 0 || self.next(0).is_some_and(|c| c.is_ascii_digit()) {
            return false;
        }
        let name: String = self.chars[self.at..self.at + length].iter().collect();
        let mut end = self.at + length;
        let mut key = None;
        if self.chars.get(end) == Some(&'[') {
            let Some(close) = self.chars[end..].iter().position(|c| *c == ']') else { return false };
            key = Some(unquoted(&self.chars[end + 1..end + close]));
            end += close + 1;
        }
        if self.chars.get(end) == Some(&'+') {
            end += 1;
        }
        if self.chars.get(end) != Some(&'=') {
            return false;
        }
        if is_table(&name) {
            self.at = end + 1;
            return self.table(&name, key);
        }
        // Up to the sign; what follows is read as any word.
        self.begin();
        self.copy(end + 1 - self.at);
        true
    }

    fn table(&mut self, name: &str, key: Option<String>) -> bool {
        let value = self.value();
        let known = |text: &String| {
            !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "_-.+:/@%,".contains(c))
        };
        let key = key.filter(known);
        match (name, key, value) {
            ("functions", Some(key), Some(text)) => {
                let body = super::to_bash(&text, true);
                self.out.push_str(&format!("{key} () {{\n{body}\n}}"));
            }
            ("functions", Some(key), None) => {
                self.out.push_str(&format!("{key} () {{ eval \"${{{PART}functions}}\"; }}"));
            }
            ("aliases", Some(key), Some(text)) => {
                let text = text.replace('\'', "'\\''");
                self.out.push_str(&format!("alias {key}='{text}'"));
            }
            ("aliases", Some(key), None) => {
                self.out.push_str(&format!("alias {key}='eval \"${{{PART}aliases}}\"'"));
            }
            ("galiases" | "saliases", Some(key), _) => {
                self.out.push_str(&format!("alias -g {key}=\"${{{PART}aliases}}\""));
            }
            ("commands", Some(key), Some(path)) => self.out.push_str(&format!("hash -p '{path}' {key}")),
            ("options", Some(key), Some(text)) => {
                let word = if text == "on" { "setopt" } else { "unsetopt" };
                self.out.push_str(&format!("{word} {key}"));
            }
            ("mapfile", Some(key), _) => self.out.push_str(&format!(": > '{key}'")),
            ("mapfile", None, _) => self.out.push_str(&format!(": > \"${{{PART}mapfile}}\"")),
            (name, ..) => self.unknown_code(name),
        }
        self.word = None;
        let rest = self.chars[self.at..].iter().find(|c| !matches!(c, ' ' | '\t'));
        if rest.is_some_and(|c| !";\n&|)}".contains(*c)) {
            self.out.push(';');
        }
        true
    }

    /// The value that stands here, where nothing in it is expanded.
    fn value(&mut self) -> Option<String> {
        let start = self.at;
        let mut plain = true;
        while let Some(c) = self.next(0) {
            match c {
                '\'' => {
                    self.at += 1;
                    while self.next(0).is_some_and(|c| c != '\'') {
                        self.at += 1;
                    }
                }
                '"' => {
                    self.at += 1;
                    while let Some(c) = self.next(0).filter(|c| *c != '"') {
                        plain &= !matches!(c, '$' | '`');
                        self.at += if c == '\\' { 2 } else { 1 };
                    }
                }
                '\\' => self.at += 1,
                '$' | '`' => {
                    plain = false;
                    if matches!(self.next(1), Some('(' | '{'))
                        && let Some(length) = self.closing(self.at + 1)
                    {
                        self.at += length;
                    }
                }
                '(' => {
                    plain = false;
                    self.at += self.closes().unwrap_or(0);
                }
                c if ENDS.contains(c) => break,
                _ => {}
            }
            self.at += 1;
        }
        self.at = self.at.min(self.chars.len());
        plain.then(|| unquoted(&self.chars[start..self.at]))
    }

    /// How far it is from before the bracket at `open` to the one that closes it.
    fn closing(&self, open: usize) -> Option<usize> {
        let (from, to) = if self.chars.get(open) == Some(&'{') { ('{', '}') } else { ('(', ')') };
        let mut depth = 0_usize;
        for (length, c) in self.chars[open..].iter().enumerate() {
            if *c == from {
                depth += 1;
            } else if *c == to {
                depth -= 1;
                if depth == 0 {
                    return Some(length + 1);
                }
            }
        }
        None
    }
}

fn is_table(name: &str) -> bool {
    matches!(
        name,
        "functions" | "aliases" | "galiases" | "saliases" | "commands" | "options" | "mapfile" | "builtins"
    )
}
