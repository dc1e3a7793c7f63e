//! The flow of control where zsh writes it in another way: bodies in braces or without anything around them, `foreach`,
//! `repeat`, functions without a name, `always`.

use super::{ENDS, PART, Reader};

/// Something that is open, and how bash has it closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Block {
    /// `( … )`, `<( … )`
    Round,
    /// `name=( … )`
    Array,
    /// The words of `for name (…)`.
    Words,
    /// `{ … }`
    Braces,
    /// A function's body in braces; the other names that it has.
    Function(Vec<String>),
    /// One command that is a function's body.
    ShortFunction(Vec<String>),
    /// A function without a name, which is called at once.
    Anonymous,
    /// The condition of `if`, `while`, `until`.
    Condition { repeats: bool },
    /// Between `then` and `fi`, `do` and `done`.
    Plain,
    /// Behind the words of a loop, before its body; `foreach` ends with `end`.
    Head { each: bool },
    /// `repeat`, before its count ends.
    Count,
    /// A loop's body in braces.
    LoopBraces,
    /// A loop's body without anything around it.
    LoopShort,
    /// The body of `foreach`.
    Each,
    /// `if … { … }`
    IfBraces,
    /// `if … command`
    IfShort,
    /// `else { … }`
    ElseBraces,
    /// `case … esac`
    Case,
}

impl Block {
    pub(super) fn is_round(&self) -> bool {
        matches!(self, Self::Round | Self::Array | Self::Words)
    }

    /// How it ends at the end of its one command.
    fn short_end(&self) -> Option<&'static str> {
        match self {
            Self::LoopShort => Some("done"),
            Self::IfShort => Some("fi"),
            Self::ShortFunction(_) => Some("}"),
            _ => None,
        }
    }
}

impl Reader {
    pub(super) fn blanks(&mut self, lines: bool) {
        while self.next(0).is_some_and(|c| c == ' ' || c == '\t' || lines && c == '\n') {
            self.at += 1;
        }
    }

    /// A word that begins here is read where it says how commands go on; false when it is any other word.
    pub(super) fn reserved(&mut self, c: char) -> bool {
        let word = self.plain();
        if word == "}" && self.close_brace() {
            return true;
        }
        if !self.command {
            return false;
        }
        if c == '(' {
            return self.anonymous(0) || self.arithmetic_command();
        }
        if self.assignment() {
            return true;
        }
        match word.as_str() {
            "if" => self.opens(Block::Condition { repeats: false }, 2),
            "while" | "until" => self.opens(Block::Condition { repeats: true }, 5),
            "then" | "do" => {
                if let Some(Block::Condition { .. } | Block::Head { .. }) = self.blocks.last() {
                    self.blocks.pop();
                    self.blocks.push(Block::Plain);
                } else if word == "do" {
                    self.blocks.push(Block::Plain);
                }
                self.goes_on(word.len())
            }
            "elif" => {
                self.replace(Block::Condition { repeats: false });
                self.goes_on(4)
            }
            "else" | "!" | "time" | "coproc" => self.goes_on(word.len()),
            "fi" | "done" | "esac" => {
                self.blocks.pop();
                self.copy(word.len());
                self.ended()
            }
            "end" if self.blocks.last() == Some(&Block::Each) => {
                self.blocks.pop();
                self.at += 3;
                self.out.push_str("done");
                self.ended()
            }
            "{" => self.opens(Block::Braces, 1),
            "[[" => {
                self.copy(2);
                self.test = true;
                true
            }
            "for" | "foreach" | "select" => self.for_head(&word),
            "repeat" => self.repeat(),
            "case" => self.case(),
            "function" => self.function(),
            _ => {
                self.command = false;
                self.named = true;
                false
            }
        }
    }

    fn opens(&mut self, block: Block, length: usize) -> bool {
        self.blocks.push(block);
        self.goes_on(length)
    }

    pub(super) fn goes_on(&mut self, length: usize) -> bool {
        self.copy(length);
        (self.command, self.named) = (true, false);
        true
    }

    pub(super) fn replace(&mut self, block: Block) {
        self.blocks.pop();
        self.blocks.push(block);
    }

    /// A command with an end of its own is over.
    pub(super) fn ended(&mut self) -> bool {
        (self.command, self.named) = (false, false);
        self.after_condition();
        true
    }

    /// Ends the command at hand, so that a word that closes may follow.
    pub(super) fn finish(&mut self, close: &str) {
        while self.out.ends_with([' ', '\t']) && !self.out.ends_with("\\ ") {
            self.out.pop();
        }
        let last = self.out.rsplit(|c: char| ENDS.contains(c)).next().unwrap_or_default();
        let empty = matches!(last, "{" | "do" | "then" | "else");
        let separated = self.out.ends_with(['&', '\n'])
            || self.out.ends_with(';') && !self.out.ends_with("\\;")
            || self.out.is_empty();
        self.out.push_str(match (empty, separated) {
            (true, _) => " :; ",
            (false, true) => " ",
            (false, false) => "; ",
        });
        self.out.push_str(close);
        self.word = None;
    }

    /// Closes what goes to the end of one command.
    pub(super) fn close_short(&mut self) {
        while let Some(end) = self.blocks.last().and_then(Block::short_end) {
            let block = self.blocks.pop();
            self.finish(end);
            if let Some(Block::ShortFunction(names)) = block {
                self.also(&names);
            }
        }
    }

    /// The other names of a function.
    fn also(&mut self, names: &[String]) {
        if let Some((first, others)) = names.split_first() {
            for name in others {
                self.out.push_str(&format!("; {name} () {{ {first} \"$@\"; }}"));
            }
        }
    }

    /// `}`, which closes wherever it stands as a word.
    fn close_brace(&mut self) -> bool {
        let open = self.blocks.iter().rev().find(|block| block.short_end().is_none());
        if !matches!(
            open,
            Some(
                Block::Braces
                    | Block::Function(_)
                    | Block::Anonymous
                    | Block::LoopBraces
                    | Block::IfBraces
                    | Block::ElseBraces
            )
        ) {
            return false;
        }
        self.close_short();
        self.at += 1;
        match self.blocks.pop() {
            Some(Block::LoopBraces) => self.finish("done"),
            Some(Block::ElseBraces) => self.finish("fi"),
            Some(Block::IfBraces) => return self.after_then(),
            Some(Block::Anonymous) => {
                self.finish("}; _recourse_anonymous");
                (self.command, self.named) = (false, false);
                return true;
            }
            Some(Block::Function(names)) => {
                self.finish("}");
                self.also(&names);
            }
            _ => {
                self.finish("}");
                if self.always() {
                    (self.command, self.named) = (true, false);
                    return true;
                }
            }
        }
        self.ended()
    }

    /// `{ … } always { … }`
    fn always(&mut self) -> bool {
        let here = self.at;
        self.blanks(false);
        if self.plain() == "always" {
            self.at += 6;
            self.blanks(true);
            if self.plain() == "{" {
                self.out.push_str("; ");
                return true;
            }
        }
        self.at = here;
        false
    }

    /// Behind the braces of `if … { … }`.
    fn after_then(&mut self) -> bool {
        let here = self.at;
        self.blanks(true);
        match self.plain().as_str() {
            "elif" => {
                self.at += 4;
                self.finish("elif ");
                self.blocks.push(Block::Condition { repeats: false });
            }
            "else" => {
                self.at += 4;
                self.finish("else ");
                self.blanks(true);
                if self.plain() == "{" {
                    self.at += 1;
                    self.blocks.push(Block::ElseBraces);
                } else {
                    self.blocks.push(Block::Plain);
                }
            }
            _ => {
                self.at = here;
                self.finish("fi");
                return self.ended();
            }
        }
        (self.command, self.named) = (true, false);
        true
    }

    /// Behind `]]`, `)` or `}` of a condition a body may follow that nothing announces.
    pub(super) fn after_condition(&mut self) {
        let Some(Block::Condition { repeats }) = self.blocks.last().cloned() else {
            return;
        };
        let here = self.at;
        self.blanks(false);
        let word = self.plain();
        if word.is_empty() || matches!(word.as_str(), "then" | "do") {
            self.at = here;
            return;
        }
        let braces = word == "{";
        self.at += usize::from(braces);
        self.finish(if repeats { "do " } else { "then " });
        self.replace(match (repeats, braces) {
            (true, true) => Block::LoopBraces,
            (true, false) => Block::LoopShort,
            (false, true) => Block::IfBraces,
            (false, false) => Block::IfShort,
        });
        (self.command, self.named) = (true, false);
    }

    fn arithmetic_command(&mut self) -> bool {
        if !self.starts("((") {
            return false;
        }
        self.arithmetic();
        self.ended()
    }

    /// An opening parenthesis.
    pub(super) fn parenthesis(&mut self, start: bool) {
        if self.test {
            if start && self.next(1).is_some_and(|c| " \t\n".contains(c)) {
                return self.copy(1);
            }
            return self.group();
        }
        if self.out.ends_with('=') && !start && self.command {
            self.blocks.push(Block::Array);
            self.word = None;
            self.command = false;
            return self.copy(1);
        }
        let empty = self
            .closes()
            .is_some_and(|length| self.chars[self.at + 1..self.at + length].iter().all(|c| *c == ' '));
        if empty && self.named {
            // `name ()`: what was read is the name.
            let line = self.out.rfind([';', '\n', '&', '|', '{', '(']).map_or(0, |at| at + 1);
            let names: Vec<String> = self.out[line..].split_whitespace().map(str::to_owned).collect();
            if names.last().is_some_and(|name| !name.contains(['$', '"', '\'', '`'])) {
                let name = names.last().cloned().unwrap_or_default();
                let kept = self.out.trim_end().len() - name.len();
                self.out.truncate(kept);
                self.defines(vec![name]);
                return;
            }
        }
        if start && self.command {
            self.blocks.push(Block::Round);
            self.copy(1);
            (self.command, self.named) = (true, false);
            return;
        }
        self.group();
    }

    /// A parenthesis whose text runs.
    pub(super) fn open_round(&mut self) {
        self.blocks.push(Block::Round);
        self.copy(1);
        self.word = None;
        (self.command, self.named) = (true, false);
    }

    pub(super) fn close_round(&mut self) {
        if self.test {
            return self.copy(1);
        }
        self.close_short();
        self.word = None;
        match self.blocks.last() {
            Some(Block::Words) => {
                self.blocks.pop();
                self.at += 1;
                self.body(false);
            }
            Some(Block::Array) => {
                self.blocks.pop();
                self.copy(1);
                self.command = true;
            }
            Some(Block::Round) => {
                self.blocks.pop();
                self.copy(1);
                self.ended();
            }
            _ => {
                self.copy(1);
                self.command = false;
            }
        }
    }

    /// Code that nobody can tell stands here.
    pub(super) fn unknown_code(&mut self, what: &str) {
        self.out.push_str(&format!("eval \"${{{PART}{what}}}\""));
        self.word = None;
    }
}
