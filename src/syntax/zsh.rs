//! zsh's own syntax, brought over to what recourse reads.
//!
//! Only what bash would read otherwise is touched, and only so that it names more than before, never less: a glob loses its
//! qualifiers, an excluded pattern becomes every file. What is not known here stays as it is and becomes a gap.

/// In front of a name: a part of its value, or what flags make of it. Nothing is known of such a variable, whatever is set.
pub const PART: &str = "_recourse_part_of_";

/// The text as bash would have to be given it. Without `comments`, `#` is a character like any other (as it is at zsh's
/// prompt unless INTERACTIVE_COMMENTS is set, and in text that zsh itself printed).
pub fn to_bash(text: &str, comments: bool) -> String {
    let mut reader = Reader {
        chars: text.chars().collect(),
        at: 0,
        out: String::with_capacity(text.len() + 8),
        word: None,
    };
    reader.run(comments);
    reader.out
}

struct Reader {
    chars: Vec<char>,
    at: usize,
    out: String,
    /// Where the word at hand began in `out`.
    word: Option<usize>,
}

impl Reader {
    fn next(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn starts(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(ahead, c)| self.next(ahead) == Some(c))
    }

    fn copy(&mut self, count: usize) {
        for _ in 0..count {
            if let Some(c) = self.next(0) {
                self.out.push(c);
                self.at += 1;
            }
        }
    }

    fn run(&mut self, comments: bool) {
        while let Some(c) = self.next(0) {
            let start = self.word.is_none();
            match c {
                ' ' | '\t' | '\n' | ';' => {
                    self.word = None;
                    self.copy(1);
                }
                '&' | '|' => self.operator(c),
                '#' if start && !comments => self.push("\\#"),
                '#' if start => {
                    while self.next(0).is_some_and(|c| c != '\n') {
                        self.copy(1);
                    }
                }
                '\\' => {
                    self.begin();
                    self.copy(2);
                }
                '\'' => self.quoted(false),
                '"' => self.double_quoted(),
                '$' if self.next(1) == Some('\'') => {
                    self.begin();
                    self.copy(1);
                    self.quoted(true);
                }
                '$' if self.next(1) == Some('{') => self.parameter(),
                '$' if self.subscripted() => {}
                '<' if self.numbers() => {}
                '>' => self.redirection(),
                '<' => {
                    self.word = None;
                    self.copy(1);
                }
                '=' if start && self.next(1) == Some('(') => {
                    self.at += 1;
                    self.push("<");
                }
                '=' if start && self.next(1).is_some_and(|c| c.is_ascii_alphabetic()) => self.at += 1,
                '^' if start || self.out.ends_with('/') => {
                    self.push("*");
                    self.at += 1;
                    self.rest_of_pattern();
                    continue;
                }
                '~' if !start && self.is_glob() => self.rest_of_pattern(),
                '(' if !start && self.is_glob() && self.qualifiers() => {}
                '(' | ')' => {
                    self.word = None;
                    self.copy(1);
                }
                _ => {
                    self.begin();
                    self.copy(1);
                }
            }
            if matches!(c, '#') && start && !comments {
                self.at += 1;
            }
        }
    }

    fn begin(&mut self) {
        self.word.get_or_insert(self.out.len());
    }

    fn push(&mut self, text: &str) {
        self.begin();
        self.out.push_str(text);
    }

    /// `&!` and `&|` are `&`; `&>` and the others stay.
    fn operator(&mut self, c: char) {
        self.word = None;
        if c == '&' && matches!(self.next(1), Some('!' | '|')) && self.next(2) != Some('|') {
            self.out.push('&');
            self.at += 2;
        } else {
            self.copy(1);
        }
    }

    /// `>!` is `>|`; `>>!` and `>>|` are `>>`.
    fn redirection(&mut self) {
        self.word = None;
        for (from, to) in [(">>!", ">>"), (">>|", ">>"), (">!", ">|"), (">&!", ">&"), (">&|", ">&")] {
            if self.starts(from) {
                self.out.push_str(to);
                self.at += from.chars().count();
                return;
            }
        }
        self.copy(1);
    }

    fn quoted(&mut self, escapes: bool) {
        self.begin();
        self.copy(1);
        while let Some(c) = self.next(0) {
            self.copy(if escapes && c == '\\' { 2 } else { 1 });
            if c == '\'' {
                return;
            }
        }
    }

    fn double_quoted(&mut self) {
        self.begin();
        self.copy(1);
        while let Some(c) = self.next(0) {
            match c {
                '\\' => self.copy(2),
                '$' if self.next(1) == Some('{') => self.parameter(),
                '$' if self.subscripted() => {}
                '"' => return self.copy(1),
                _ => self.copy(1),
            }
        }
    }

    /// How long the name is that stands here.
    fn name(&self, from: usize) -> usize {
        let rest = self.chars.get(from..).unwrap_or_default();
        rest.iter().take_while(|c| c.is_ascii_alphanumeric() || **c == '_').count()
    }

    /// `[@]` and `[*]` are all of it.
    fn is_all(&self, open: usize) -> bool {
        matches!(self.chars.get(open..open + 3), Some(['[', '@' | '*', ']']))
    }

    /// `$name[…]` is a part of a value, and nobody says which. What a subscript runs is read all the same.
    fn subscripted(&mut self) -> bool {
        let start = self.at + 1;
        let open = start + self.name(start);
        if open == start || self.chars.get(open) != Some(&'[') {
            return false;
        }
        let all = self.is_all(open);
        self.push("${");
        if !all {
            self.out.push_str(PART);
        }
        self.at = start;
        self.copy(open - start);
        if all {
            self.copy(3);
        } else if let Some(length) = self.chars[open..].iter().position(|c| *c == ']')
            && !self.chars[open + 1..open + length].iter().any(|c| "[$`'\"\\\n;|&<>".contains(*c))
        {
            self.at += length + 1;
        }
        self.out.push('}');
        true
    }

    /// `${(flags)name…}` without its flags, which make another value of it; `${name[…]}` is a part of it.
    fn parameter(&mut self) {
        self.begin();
        self.copy(2);
        let mut unknown = false;
        if self.next(0) == Some('(')
            && let Some(length) = self.chars[self.at..].iter().position(|c| *c == ')')
            && !self.chars[self.at..self.at + length].iter().any(|c| "e$`\n".contains(*c))
        {
            self.at += length + 1;
            unknown = true;
        }
        let end = self.at + self.name(self.at);
        unknown |= self.chars.get(end) == Some(&'[') && !self.is_all(end);
        if unknown && end > self.at && !self.assigns(end) {
            self.out.push_str(PART);
        }
    }

    /// Whether a parameter is also set, behind its name: `:=`, `::=`, `=`.
    fn assigns(&self, end: usize) -> bool {
        let rest = self.chars.get(end..).unwrap_or_default();
        let rest = rest.split(|c| *c == '}').next().unwrap_or_default();
        rest.first() == Some(&'=') || rest.windows(2).any(|pair| matches!(pair, [':' | ']', '=']))
    }

    /// `<1-9>` in a pattern is any number.
    fn numbers(&mut self) -> bool {
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

    fn is_glob(&self) -> bool {
        self.word.and_then(|start| self.out.get(start..)).is_some_and(|word| word.contains(['*', '?', '[']))
    }

    /// Qualifiers at the end of a pattern: `*(.om[1,3])`. Not those that run something.
    fn qualifiers(&mut self) -> bool {
        let rest = &self.chars[self.at..];
        let Some(end) = rest.iter().position(|c| *c == ')') else { return false };
        let inside = &rest[1..end];
        let plain = inside.iter().all(|c| c.is_ascii_alphanumeric() || "./@=%*-^,[]:#".contains(*c));
        let runs = inside.contains(&'e') || inside.contains(&'+') || inside.contains(&'|');
        let last = rest.get(end + 1).is_none_or(|c| " \t\n;&|<>)".contains(*c));
        if !plain || runs || inside.is_empty() || !last {
            return false;
        }
        self.at += end + 1;
        true
    }

    /// Drops what narrows a pattern down.
    fn rest_of_pattern(&mut self) {
        while self.next(0).is_some_and(|c| c.is_alphanumeric() || "^~*?[]._-/+,#".contains(c)) {
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zsh_alone_is_brought_over() {
        for (zsh, bash) in [
            ("ls -l", "ls -l"),
            ("echo a # b; rm x", "echo a \\# b; rm x"),
            ("rm *(.om[1,3])", "rm *"),
            ("ls **/*.c(.) | wc -l", "ls **/*.c | wc -l"),
            (
                "print ${(f)lines} \"${(j:,:)x}\"",
                "print ${_recourse_part_of_lines} \"${_recourse_part_of_x}\"",
            ),
            ("rm $a[2] \"$h[x]\"", "rm ${_recourse_part_of_a} \"${_recourse_part_of_h}\""),
            ("rm ${b[-1]} ${(P)q}", "rm ${_recourse_part_of_b[-1]} ${_recourse_part_of_q}"),
            ("rm $a[$(rm x)]", "rm ${_recourse_part_of_a}[$(rm x)]"),
            ("rm $a[@] ${a[@]} ${a[*]}", "rm ${a[@]} ${a[@]} ${a[*]}"),
            (": ${a[1]:=x} ${(f)b:=y}", ": ${a[1]:=x} ${b:=y}"),
            ("rm ^*.c", "rm *"),
            ("rm src/^*.c", "rm src/*"),
            ("rm *~*.c", "rm *"),
            ("git show HEAD^", "git show HEAD^"),
            ("rm file<1-9>", "rm file*"),
            ("sleep 5 &!", "sleep 5 &"),
            ("a > x && b >! y; c >>| z", "a > x && b >| y; c >> z"),
            ("a &| b", "a & b"),
            ("a && b || c", "a && b || c"),
            ("diff =(ls) <(ls)", "diff <(ls) <(ls)"),
            ("=rm x", "rm x"),
            ("f() { rm x; }", "f() { rm x; }"),
            ("echo '# *(.)' \"*(.)\"", "echo '# *(.)' \"*(.)\""),
            ("rm *(e:'rm y':)", "rm *(e:'rm y':)"),
            ("x=(a b)", "x=(a b)"),
        ] {
            assert_eq!(to_bash(zsh, false), bash);
        }
        assert_eq!(to_bash("echo a # 'b", true), "echo a # 'b");
    }
}
