//! What stands behind a dollar sign: substitutions, and values of which zsh takes a part or makes another.

use super::{PART, Reader};

/// Flags that take a text between two signs.
const WITH_TEXT: &str = "gIjlrsZ_";

impl Reader {
    /// `$…`, within double quotes or not.
    pub(super) fn dollar(&mut self, quoted: bool) {
        self.begin();
        match self.next(1) {
            Some('\'') if !quoted => {
                self.copy(1);
                self.quoted(true);
            }
            Some('{') => self.parameter(quoted),
            Some('(') if self.next(2) == Some('(') => {
                self.copy(1);
                self.arithmetic();
            }
            Some('(') => {
                self.copy(2);
                self.list(true);
                self.copy(1);
            }
            Some('[') => {
                // `$[…]` is arithmetic.
                self.copy(2);
            }
            Some('#') if self.name(self.at + 2) > 0 => {
                let length = self.name(self.at + 2);
                self.out.push_str("${#");
                self.at += 2;
                self.copy(length);
                self.out.push('}');
            }
            Some('+') if self.name(self.at + 2) > 0 => {
                self.at += 1;
                self.chars[self.at] = '$';
                self.whole(true);
            }
            _ if self.name(self.at + 1) > 0 => self.whole(false),
            _ => self.copy(1),
        }
    }

    /// `(( … ))`, with what runs in it.
    pub(super) fn arithmetic(&mut self) {
        let mut depth = 0_usize;
        while let Some(c) = self.next(0) {
            match c {
                '$' if matches!(self.next(1), Some('(' | '{')) && self.next(2) != Some('(') => {
                    self.dollar(false);
                    continue;
                }
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.copy(1);
            if depth == 0 {
                return;
            }
        }
    }

    /// `[@]` and `[*]` are all of it.
    fn is_all(&self, open: usize) -> bool {
        matches!(self.chars.get(open..open + 3), Some(['[', '@' | '*', ']']))
    }

    /// `$name`; `$name[…]` and `$name:h` are a part of a value, and nobody says which. What a subscript runs is read.
    fn whole(&mut self, part: bool) {
        let start = self.at + 1;
        let open = start + self.name(start);
        let all = self.is_all(open);
        let subscript = self.chars.get(open) == Some(&'[');
        let modifier = self.is_modifier(open);
        if !subscript && !modifier && !part {
            return self.copy(1 + open - start);
        }
        self.push("${");
        if !all {
            self.out.push_str(PART);
        }
        self.at = start;
        self.copy(open - start);
        if all {
            self.copy(3);
        } else if let Some(length) = self.chars[open..].iter().position(|c| *c == ']').filter(|_| subscript)
            && !self.chars[open + 1..open + length].iter().any(|c| "[$`'\"\\\n;|&<>".contains(*c))
        {
            self.at += length + 1;
        }
        self.out.push('}');
        while self.is_modifier(self.at) {
            self.at += 2;
        }
    }

    /// `:h`, `:t` and their like.
    fn is_modifier(&self, at: usize) -> bool {
        self.chars.get(at) == Some(&':')
            && self.chars.get(at + 1).is_some_and(|c| "haAtrelucqQxP".contains(*c))
            && !self.chars.get(at + 2).is_some_and(|c| c.is_alphanumeric() || *c == '_')
    }

    /// `${(flags)name…}` without its flags, which make another value of it; `${name[…]}` is a part of it.
    fn parameter(&mut self, quoted: bool) {
        self.copy(2);
        let opened = self.out.len();
        let mut unknown = false;
        if self.next(0) == Some('(')
            && let Some((length, runs)) = self.flags()
        {
            self.at += length;
            unknown = true;
            if runs {
                // What the value holds is run.
                self.out.insert_str(opened - 2, &format!("$(eval \"${{{PART}value}}\")"));
            }
        }
        while self.next(0).is_some_and(|c| "=~^+".contains(c)) {
            unknown = true;
            self.at += 1;
        }
        let mut end = self.at + self.name(self.at);
        if end == self.at {
            if matches!(self.next(0), Some('$' | '"' | '\'' | '`')) || self.starts(":-") {
                // A value of its own, and what becomes of it.
                self.out.push_str(&format!("{PART}value:-"));
                self.at += if self.starts(":-") { 2 } else { 0 };
                return self.rest(quoted, false);
            }
            // `${#name}`, `${!name}`: as bash has it.
            return self.rest(quoted, false);
        }
        let mut cut = false;
        match self.chars.get(end) {
            Some('[') => unknown |= !self.is_all(end),
            Some(':') => {
                cut = self.chars.get(end + 1).is_some_and(|c| c.is_alphabetic() || "#|^*&".contains(*c));
                unknown |= cut;
            }
            _ => {}
        }
        if unknown && !self.assigns(end) {
            self.out.push_str(PART);
        }
        end -= self.at;
        self.copy(end);
        self.rest(quoted, cut);
    }

    /// Up to the brace that closes a parameter. `cut`: what follows makes another value of it, in a way that bash does not
    /// know; only what runs in it counts.
    fn rest(&mut self, quoted: bool, cut: bool) {
        if cut {
            self.out.push_str(":-");
        }
        let mut depth = 0_usize;
        while let Some(c) = self.next(0) {
            match c {
                '}' if depth == 0 => return self.copy(1),
                '}' => {
                    depth -= 1;
                    self.copy(1);
                }
                '{' => {
                    depth += 1;
                    self.copy(1);
                }
                '\\' => self.copy(2),
                '\'' if !quoted => self.quoted(false),
                '"' => self.double_quoted(),
                '`' => self.backquoted(),
                '$' => self.dollar(quoted),
                _ if cut => self.at += 1,
                _ => self.copy(1),
            }
        }
    }

    /// How long the flags are, and whether they make code of the value.
    fn flags(&self) -> Option<(usize, bool)> {
        let mut at = self.at + 1;
        let (mut runs, mut prompt) = (false, false);
        loop {
            let c = *self.chars.get(at)?;
            at += 1;
            match c {
                ')' => break,
                'e' => runs = true,
                '%' => prompt = true,
                '$' | '`' | '\n' | '}' => return None,
                c if WITH_TEXT.contains(c) => {
                    // `l:10::x:` has several.
                    while let Some(open) = self.chars.get(at).filter(|c| !c.is_alphanumeric() && **c != ')') {
                        let close = match open {
                            '(' => ')',
                            '[' => ']',
                            '{' => '}',
                            '<' => '>',
                            other => *other,
                        };
                        let length = self.chars[at + 1..].iter().position(|c| *c == close)?;
                        at += length + 2;
                    }
                }
                _ => {}
            }
        }
        // A prompt may run substitutions.
        let inside: String = self.chars[at..].iter().take_while(|c| **c != '}').collect();
        runs |= prompt && (inside.contains("$(") || inside.contains('`'));
        Some((at - self.at, runs))
    }

    /// Whether a parameter is also set, behind its name: `:=`, `::=`, `=`.
    fn assigns(&self, end: usize) -> bool {
        let rest = self.chars.get(end..).unwrap_or_default();
        let rest = rest.split(|c| *c == '}').next().unwrap_or_default();
        rest.first() == Some(&'=') || rest.windows(2).any(|pair| matches!(pair, [':' | ']', '=']))
    }
}
