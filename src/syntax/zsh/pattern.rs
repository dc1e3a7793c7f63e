//! Patterns: what narrows them down is left out, what runs code in them runs it, what makes other names is unknown.

use super::{ENDS, PART, Reader};

impl Reader {
    /// `<1-9>` in a pattern is any number.
    pub(super) fn numbers(&mut self) -> bool {
        let inside: Vec<char> = self.chars[self.at + 1..]
            .iter()
            .copied()
            .take_while(|c| c.is_ascii_digit() || *c == '-')
            .collect();
        let found =
            inside.iter().filter(|c| **c == '-').count() == 1 && self.next(inside.len() + 1) == Some('>');
        if found {
            self.push("*");
            self.at += inside.len() + 2;
        }
        found
    }

    pub(super) fn is_glob(&self) -> bool {
        self.word.and_then(|start| self.out.get(start..)).is_some_and(|word| word.contains(['*', '?', '[']))
    }

    /// A parenthesis among the words of a command: alternatives, flags, or the qualifiers of a pattern.
    pub(super) fn group(&mut self) {
        let Some(length) = self.closes() else {
            self.begin();
            return self.copy(1);
        };
        let raw: Vec<char> = self.chars[self.at + 1..self.at + length].to_vec();
        let inside = unquoted(&raw);
        let last = self.next(length + 1).is_none_or(|c| ENDS.contains(c));
        let explicit = inside.strip_prefix("#q");
        let plain = !inside.starts_with('#') && !raw.iter().any(|c| matches!(c, '|' | '('));
        self.at += length + 1;
        if self.test {
            // Whether it matches nobody can tell.
            return self.push(&format!("${{{PART}pattern}}"));
        }
        let qualifiers = explicit.or((last && plain && !inside.is_empty()).then_some(inside.as_str()));
        if let Some(qualifiers) = qualifiers {
            return self.qualified(qualifiers);
        }
        // Whatever it matches.
        self.push("*");
        self.rest_of_pattern();
    }

    /// Qualifiers at the end of a pattern: `*(.om[1,3])`. They narrow it down, which does not count; some run code, and some
    /// make other words of the names.
    fn qualified(&mut self, text: &str) {
        match read(text) {
            Some(Qualifiers { code, renames: false }) => {
                self.begin();
                for code in code {
                    let code = super::to_bash(&code, false);
                    self.out.push_str(&format!("$({{ REPLY=${{{PART}REPLY}}\n{code}\n}} >/dev/null)"));
                }
            }
            Some(Qualifiers { code, renames: true }) => {
                let start = self.word.unwrap_or(self.out.len());
                let pattern = self.out.split_off(start);
                self.push(&format!("${{{PART}names}}"));
                for code in code {
                    let code = super::to_bash(&code, false);
                    self.out.push_str(&format!("$(for REPLY in {pattern}; do {code}\ndone)"));
                }
            }
            // Nobody can tell what it does.
            None => self.push(&format!("$(eval \"${{{PART}qualifier}}\")")),
        }
    }

    /// Drops what narrows a pattern down.
    pub(super) fn rest_of_pattern(&mut self) {
        while self.next(0).is_some_and(|c| c.is_alphanumeric() || "^~*?[]._-/+,#".contains(c)) {
            self.at += 1;
        }
    }

    /// How far it is to the parenthesis that closes the one here.
    pub(super) fn closes(&self) -> Option<usize> {
        let (mut depth, mut at) = (0_usize, self.at);
        loop {
            match *self.chars.get(at)? {
                '\\' => at += 1,
                quote @ ('\'' | '"') => {
                    at += 1;
                    while *self.chars.get(at)? != quote {
                        at += 1;
                    }
                }
                '(' => depth += 1,
                ')' if depth == 1 => return Some(at - self.at),
                ')' => depth -= 1,
                '\n' => return None,
                _ => {}
            }
            at += 1;
        }
    }
}

/// What qualifiers do beside choosing.
#[derive(Default)]
struct Qualifiers {
    /// Run for each file.
    code: Vec<String>,
    /// The words are not the names that were found.
    renames: bool,
}

/// Reads qualifiers, quotes removed. `None` when they are no such.
fn read(text: &str) -> Option<Qualifiers> {
    let chars: Vec<char> = text.chars().collect();
    let mut found = Qualifiers::default();
    let mut at = 0;
    while let Some(c) = chars.get(at).copied() {
        at += 1;
        match c {
            'e' => {
                let code = delimited(&chars, &mut at)?;
                found.renames |= code.contains("REPLY=") || code.contains("reply");
                found.code.push(code);
            }
            '+' => {
                let name: String =
                    chars[at..].iter().take_while(|c| c.is_alphanumeric() || "_-.".contains(**c)).collect();
                if name.is_empty() {
                    return None;
                }
                at += name.chars().count();
                found.renames = true;
                found.code.push(name);
            }
            'o' | 'O' => match chars.get(at)? {
                'e' | '+' => {}
                _ => at += 1,
            },
            'P' => {
                delimited(&chars, &mut at)?;
                found.renames = true;
            }
            'u' | 'g' | 'f' if chars.get(at).is_some_and(|c| !c.is_ascii_digit() && !"=+-".contains(*c)) => {
                delimited(&chars, &mut at)?;
            }
            'u' | 'g' | 'f' | 'd' | 'l' | 'Y' | 'L' | 'a' | 'm' | 'c' => {
                while chars.get(at).is_some_and(|c| "MwhmsdkKpPtTgG=?".contains(*c)) && !"dlY".contains(c) {
                    at += 1;
                }
                while chars.get(at).is_some_and(|c| c.is_ascii_digit() || "+-".contains(*c)) {
                    at += 1;
                }
            }
            '[' => at += chars[at..].iter().position(|c| *c == ']')? + 1,
            ':' => {
                // The path in full is the same file's.
                let full = |c: &char| matches!(c, ':' | 'a' | 'A' | 'P');
                found.renames |= !chars[at..].iter().all(full);
                return Some(found);
            }
            c if "/F.@=p*%brwxAIERWXsStDNMTnBCk^-,U G".contains(c) => {}
            _ => return None,
        }
    }
    Some(found)
}

/// A text between two signs, the first of which stands here.
fn delimited(chars: &[char], at: &mut usize) -> Option<String> {
    let close = match chars.get(*at)? {
        '{' => '}',
        '[' => ']',
        '<' => '>',
        '(' => ')',
        other => *other,
    };
    let rest = &chars[*at + 1..];
    let length = rest.iter().position(|c| *c == close)?;
    *at += length + 2;
    Some(rest[..length].iter().collect())
}

/// A text without its quotes.
pub(super) fn unquoted(chars: &[char]) -> String {
    let mut out = String::new();
    let mut at = 0;
    while let Some(c) = chars.get(at) {
        match c {
            '\\' => {
                at += 1;
                out.extend(chars.get(at));
            }
            '\'' => {
                while let Some(c) = chars.get(at + 1).filter(|c| **c != '\'') {
                    out.push(*c);
                    at += 1;
                }
                at += 1;
            }
            '"' => {}
            c => out.push(*c),
        }
        at += 1;
    }
    out
}
