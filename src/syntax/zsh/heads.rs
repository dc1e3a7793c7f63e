//! What stands before a body: the heads of loops and `case`, the names of functions.

use super::Reader;
use super::control::Block;

impl Reader {
    /// `for name in …`, `for name (…)`, `for ((…))`.
    pub(super) fn for_head(&mut self, word: &str) -> bool {
        let each = word == "foreach";
        self.at += word.len();
        self.out.push_str(if each { "for" } else { word });
        self.out.push(' ');
        self.blanks(false);
        self.command = false;
        self.named = false;
        if self.starts("((") {
            self.arithmetic();
            self.blocks.push(Block::Head { each });
            return self.body(false);
        }
        let length = self.name(self.at);
        self.copy(length);
        // Several names take several words each.
        let mut names = Vec::new();
        loop {
            self.blanks(false);
            let word = self.plain();
            if word.is_empty() || matches!(word.as_str(), "in" | "do" | "{") {
                break;
            }
            self.at += word.chars().count();
            names.push(word);
        }
        self.out.push(' ');
        if self.next(0) == Some('(') {
            self.at += 1;
            self.out.push_str("in ");
            self.blocks.push(Block::Head { each });
            self.blocks.push(Block::Words);
        } else {
            self.blocks.push(Block::Head { each });
            if self.plain() == "in" {
                self.copy(2);
            } else if matches!(self.plain().as_str(), "do" | "{") {
                return self.body(false);
            }
        }
        true
    }

    /// `repeat count body`
    pub(super) fn repeat(&mut self) -> bool {
        self.at += 6;
        self.out.push_str("for _recourse_turn in 1 2");
        self.blocks.push(Block::Count);
        self.command = false;
        self.blanks(false);
        self.out.push(' ');
        self.begin();
        true
    }

    /// The count is read.
    pub(super) fn after_count(&mut self) {
        if self.blocks.last() == Some(&Block::Count) {
            self.replace(Block::Head { each: false });
            self.body(false);
        }
    }

    /// A loop's body follows behind a separator; true when the separator is written.
    pub(super) fn body_awaited(&mut self) -> bool {
        match self.blocks.last() {
            Some(Block::Count) => self.replace(Block::Head { each: false }),
            Some(Block::Head { .. }) => {}
            _ => return false,
        }
        self.at += 1;
        self.body(true)
    }

    pub(super) fn body(&mut self, separated: bool) -> bool {
        let Some(Block::Head { each }) = self.blocks.last().cloned() else { return false };
        self.blanks(separated);
        // `for x (…); do`: the separator is still to come.
        if !separated && self.next(0).is_none_or(|c| c == ';' || c == '\n') {
            return true;
        }
        let word = self.plain();
        if word == "do" {
            self.at += 2;
            self.finish("do");
            self.replace(Block::Plain);
        } else if word == "{" {
            self.at += 1;
            self.finish("do ");
            self.replace(Block::LoopBraces);
        } else {
            self.finish("do ");
            self.replace(if each { Block::Each } else { Block::LoopShort });
        }
        (self.command, self.named) = (true, false);
        true
    }

    /// `case word in`
    pub(super) fn case(&mut self) -> bool {
        self.copy(4);
        self.blocks.push(Block::Case);
        self.command = false;
        while let Some(c) = self.next(0) {
            if self.word.is_none() && matches!(self.plain().as_str(), "in" | "{") {
                let brace = self.plain() == "{";
                self.at += if brace { 1 } else { 2 };
                self.out.push_str("in");
                self.patterns();
                return true;
            }
            if matches!(c, ';' | '&' | '|') {
                break;
            }
            if c == '\n' {
                self.copy(1);
            } else {
                self.step(c);
            }
        }
        true
    }

    /// The patterns of a branch, up to their parenthesis; or the end.
    pub(super) fn patterns(&mut self) {
        self.word = None;
        while self.next(0).is_some_and(|c| " \t\n".contains(c)) {
            self.copy(1);
        }
        (self.command, self.named) = (true, false);
        if matches!(self.plain().as_str(), "esac" | "}") || self.next(0).is_none() {
            if self.plain() == "}" {
                self.at += 1;
                self.blocks.pop();
                self.out.push_str("esac");
                self.ended();
            }
            return;
        }
        if self.next(0) == Some('(') {
            self.copy(1);
        }
        while let Some(c) = self.next(0) {
            match c {
                ')' => {
                    self.copy(1);
                    break;
                }
                '\'' => self.quoted(false),
                '"' => self.double_quoted(),
                '$' => self.dollar(false),
                '\\' => self.copy(2),
                _ => self.copy(1),
            }
        }
        self.word = None;
        (self.command, self.named) = (true, false);
    }

    /// `function name … { … }`
    pub(super) fn function(&mut self) -> bool {
        self.at += 8;
        let mut names = Vec::new();
        loop {
            self.blanks(false);
            let word = self.plain();
            if word.is_empty() || word == "{" {
                break;
            }
            self.at += word.chars().count();
            names.push(word);
        }
        if names.is_empty() {
            return self.anonymous(0) || self.goes_on(0);
        }
        self.defines(names)
    }

    /// Behind the names of a function.
    pub(super) fn defines(&mut self, names: Vec<String>) -> bool {
        if self.next(0) == Some('(') {
            self.at += 1;
            self.blanks(false);
            self.at += usize::from(self.next(0) == Some(')'));
        }
        self.blanks(true);
        let first = names.first().cloned().unwrap_or_default();
        self.out.push_str(&format!("{first} () {{ "));
        if self.plain() == "{" {
            self.at += 1;
            self.blocks.push(Block::Function(names));
        } else {
            self.blocks.push(Block::ShortFunction(names));
        }
        self.word = None;
        (self.command, self.named) = (true, false);
        true
    }

    /// `() { … } words`, `function { … }`
    pub(super) fn anonymous(&mut self, from: usize) -> bool {
        let here = self.at;
        self.at += from;
        if self.next(0) == Some('(') {
            self.at += 1;
            self.blanks(false);
            if self.next(0) != Some(')') {
                self.at = here;
                return false;
            }
            self.at += 1;
        }
        self.blanks(true);
        if self.plain() != "{" {
            self.at = here;
            return false;
        }
        self.at += 1;
        self.out.push_str("_recourse_anonymous () { ");
        self.blocks.push(Block::Anonymous);
        (self.command, self.named) = (true, false);
        true
    }
}
