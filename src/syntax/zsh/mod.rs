//! zsh's own syntax, brought over to what recourse reads.
//!
//! Only what bash would read otherwise is touched, and only so that it names more than before, never less: a glob loses its
//! qualifiers, an excluded pattern becomes every file. What runs code (`*(e:…:)`, `${(e)…}`) becomes a substitution that
//! runs the same code, or code that nobody can tell. What is not known here stays as it is and becomes a gap.

mod assignment;
mod control;
mod heads;
mod parameter;
mod pattern;

#[cfg(test)]
mod tests;

use control::Block;

/// In front of a name: a part of its value, or what flags make of it. Nothing is known of such a variable, whatever is set.
pub const PART: &str = "_recourse_part_of_";

/// What ends a word that is not quoted.
const ENDS: &str = " \t\n;&|<>()";

/// The text as bash would have to be given it. Without `comments`, `#` is a character like any other (as it is at zsh's
/// prompt unless INTERACTIVE_COMMENTS is set, and in text that zsh itself printed).
pub fn to_bash(text: &str, comments: bool) -> String {
    let mut reader = Reader {
        chars: text.chars().collect(),
        at: 0,
        out: String::with_capacity(text.len() + 8),
        word: None,
        command: true,
        named: false,
        test: false,
        comments,
        blocks: Vec::new(),
        heredocs: Vec::new(),
    };
    reader.list(false);
    reader.out
}

struct Reader {
    chars: Vec<char>,
    at: usize,
    out: String,
    /// Where the word at hand began in `out`.
    word: Option<usize>,
    /// A command's first word would stand here.
    command: bool,
    /// The word before, or at hand, is a command's first.
    named: bool,
    /// Between `[[` and `]]`.
    test: bool,
    comments: bool,
    /// What is open, the innermost last.
    blocks: Vec<Block>,
    /// Ends of the texts that follow this line, and whether tabs may stand before them.
    heredocs: Vec<(String, bool)>,
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

    fn begin(&mut self) {
        self.word.get_or_insert(self.out.len());
    }

    fn push(&mut self, text: &str) {
        self.begin();
        self.out.push_str(text);
    }

    /// Commands up to the end of the text; in a substitution up to the parenthesis that closes it, which stays.
    fn list(&mut self, inside: bool) {
        let outer = std::mem::take(&mut self.blocks);
        let (word, named, test) = (self.word.take(), self.named, self.test);
        (self.command, self.named, self.test) = (true, false, false);
        while let Some(c) = self.next(0) {
            let ends = c == ')' && !self.blocks.iter().any(Block::is_round);
            if inside && ends {
                break;
            }
            if self.word.is_none() && !self.test && !" \t\n;&|<>)".contains(c) && self.reserved(c) {
                continue;
            }
            self.step(c);
        }
        self.close_short();
        (self.blocks, self.word, self.named, self.test, self.command) = (outer, word, named, test, false);
    }

    fn step(&mut self, c: char) {
        let start = self.word.is_none();
        match c {
            ' ' | '\t' => {
                self.word = None;
                self.copy(1);
                self.after_count();
            }
            '\\' if self.next(1) == Some('\n') => self.copy(2),
            '\n' | ';' => self.separator(c),
            '&' | '|' => self.operator(c),
            '#' if start && !self.comments => {
                self.push("\\#");
                self.at += 1;
            }
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
            '`' => self.backquoted(),
            '$' => self.dollar(false),
            '<' if self.numbers() => {}
            '<' | '>' => self.redirection(c),
            '=' if start && self.next(1) == Some('(') => {
                self.at += 1;
                self.push("<");
                self.open_round();
            }
            '=' if start && self.next(1).is_some_and(|c| c.is_ascii_alphabetic()) => self.at += 1,
            '^' if (start || self.out.ends_with('/')) && !self.test => {
                self.push("*");
                self.at += 1;
                self.rest_of_pattern();
            }
            '~' if !start && self.is_glob() => self.rest_of_pattern(),
            '(' => self.parenthesis(start),
            ')' => self.close_round(),
            ']' if start && self.test && self.starts("]]") => {
                self.copy(2);
                (self.test, self.command) = (false, false);
                self.after_condition();
            }
            _ => {
                self.begin();
                self.copy(1);
            }
        }
    }

    /// `;`, `;;` and its like, the end of a line.
    fn separator(&mut self, c: char) {
        self.word = None;
        self.close_short();
        if c == ';' && matches!(self.next(1), Some(';' | '&' | '|')) {
            // `;|` goes on with the next pattern.
            self.out.push_str(if self.next(1) == Some(';') { ";;" } else { ";;&" });
            self.at += 2;
            self.patterns();
            return;
        }
        if self.blocks.last() == Some(&Block::Array) {
            self.copy(1);
            return;
        }
        self.command = true;
        self.named = false;
        if self.body_awaited() {
            return;
        }
        self.copy(1);
        if c == '\n' {
            self.texts();
        }
    }

    /// `&!` and `&|` are `&`; `&>` and the others stay.
    fn operator(&mut self, c: char) {
        self.word = None;
        if self.test {
            return self.copy(1);
        }
        if c == '&' && self.next(1) == Some('>') {
            return self.copy(2);
        }
        (self.command, self.named) = (true, false);
        if c == '&' && matches!(self.next(1), Some('!' | '|')) && self.next(2) != Some('|') {
            self.close_short();
            self.out.push('&');
            self.at += 2;
        } else if self.next(1) == Some(c) || c == '|' && self.next(1) == Some('&') {
            self.copy(2);
        } else {
            if c == '&' {
                self.close_short();
            }
            self.copy(1);
        }
    }

    /// `>!` is `>|`; `>>!` and `>>|` are `>>`. Texts that follow are marked, and what runs in `<( )` is read.
    fn redirection(&mut self, c: char) {
        if self.test {
            self.word = None;
            return self.copy(1);
        }
        if self.next(1) == Some('(') {
            self.push(&c.to_string());
            self.at += 1;
            return self.open_round();
        }
        self.word = None;
        if self.starts("<<") && !self.starts("<<<") {
            return self.text_follows();
        }
        if self.starts("<<<") {
            return self.copy(3);
        }
        for (from, to) in [(">>!", ">>"), (">>|", ">>"), (">!", ">|"), (">&!", ">&"), (">&|", ">&")] {
            if self.starts(from) {
                self.out.push_str(to);
                self.at += from.chars().count();
                return;
            }
        }
        self.copy(if self.next(1) == Some('&') { 2 } else { 1 });
    }

    /// `<<E`: which line ends the text.
    fn text_follows(&mut self) {
        self.copy(2);
        let tabs = self.next(0) == Some('-');
        self.copy(usize::from(tabs));
        while matches!(self.next(0), Some(' ' | '\t')) {
            self.copy(1);
        }
        let mut name = String::new();
        while let Some(c) = self.next(0).filter(|c| !ENDS.contains(*c)) {
            if !matches!(c, '\'' | '"' | '\\') {
                name.push(c);
            }
            self.copy(1);
        }
        self.heredocs.push((name, tabs));
    }

    /// The texts that stand here, behind the end of a line.
    fn texts(&mut self) {
        for (name, tabs) in std::mem::take(&mut self.heredocs) {
            while self.at < self.chars.len() {
                let rest = &self.chars[self.at..];
                let length = rest.iter().position(|c| *c == '\n').unwrap_or(rest.len());
                let line: String = rest[..length].iter().collect();
                self.copy(length + 1);
                if if tabs { line.trim_start_matches('\t') } else { &line } == name {
                    break;
                }
            }
        }
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
                '$' => self.dollar(true),
                '`' => self.backquoted(),
                '"' => return self.copy(1),
                _ => self.copy(1),
            }
        }
    }

    fn backquoted(&mut self) {
        self.begin();
        self.copy(1);
        while let Some(c) = self.next(0) {
            self.copy(if c == '\\' { 2 } else { 1 });
            if c == '`' {
                return;
            }
        }
    }

    /// How long the name is that stands here.
    fn name(&self, from: usize) -> usize {
        let rest = self.chars.get(from..).unwrap_or_default();
        rest.iter().take_while(|c| c.is_ascii_alphanumeric() || **c == '_').count()
    }

    /// The word that stands here, as far as nothing in it is quoted or expanded.
    fn plain(&self) -> String {
        let rest = &self.chars[self.at..];
        rest.iter().take_while(|c| !ENDS.contains(**c)).collect()
    }
}
