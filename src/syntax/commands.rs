//! Lists of commands as tokens: reserved words, operators, the headers of `for`, `case` and functions.

use crate::model::Span;

use super::reader::{Reader, is_meta};
use super::tokens::{Prefix, Redirected, Simple, Token, TokenKind};
use super::word::Place;
use super::{CaseEnd, GapReason, Script, Word, structure};

/// What ends a list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The end of the text.
    Text,
    /// `)`
    Parenthesis,
    /// `}` where a command may start.
    Brace,
}

/// Brackets that are open.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Parenthesis,
    Brace,
    /// `{` that stands for `do`.
    ForBrace,
    /// `case`, between its items.
    CasePattern,
    /// `case`, in an item.
    CaseBody,
    /// `if` or a loop.
    Other,
}

/// A list under construction: the tokens, and the text made of them for the grammar.
pub(super) struct List {
    pub(super) tokens: Vec<Token>,
    pub(super) text: String,
    prefixes: Vec<Prefix>,
    prefix_start: Option<Span>,
    open: Vec<Open>,
}

impl List {
    fn new() -> Self {
        Self {
            tokens: Vec::new(),
            text: String::new(),
            prefixes: Vec::new(),
            prefix_start: None,
            open: Vec::new(),
        }
    }

    /// The last thing was a whole command, without a separator behind it yet.
    fn after_command(&self) -> bool {
        !self.text.ends_with('\n') && self.tokens.last().is_some_and(Token::ends_command)
    }

    fn after_pipe(&self) -> bool {
        matches!(self.tokens.last().map(|token| &token.kind), Some(TokenKind::Pipe(_)))
    }

    fn separate(&mut self) {
        if self.after_command() {
            self.text.push('\n');
        }
    }
}

const RESERVED: &[&str] = &[
    "if", "then", "else", "elif", "fi", "for", "select", "while", "until", "do", "done", "case", "esac",
    "function", "time", "coproc", "{", "}", "!", "[[",
];

/// Whether a word is one of bash's reserved words, which are no commands.
pub fn is_reserved_word(word: &str) -> bool {
    RESERVED.contains(&word)
}

impl Reader<'_, '_> {
    /// A list up to `end` (which stays), as a tree.
    pub(super) fn script(&mut self, end: End) -> Script {
        let outer = std::mem::take(&mut self.pending);
        let depth = self.context.depth;
        let parentheses = self.in_parentheses;
        self.in_parentheses = if end == End::Parenthesis { parentheses + 1 } else { 0 };
        let start = self.position;
        let mut list = List::new();
        self.list(&mut list, end);
        self.flush_prefixes(&mut list);
        self.context.depth = depth;
        self.in_parentheses = parentheses;
        if end == End::Text && !self.pending.is_empty() {
            // The text ends on the line of `<<`: the bodies are empty.
            self.here_documents();
        }
        let span = self.span(start);
        let script = structure::build(list, &mut self.bodies, span, self.context);
        let inner = std::mem::replace(&mut self.pending, outer);
        self.pending.extend(inner);
        script
    }

    fn list(&mut self, list: &mut List, end: End) {
        loop {
            self.skip_blanks();
            self.count();
            let Some(byte) = self.peek() else { return };
            let start = self.position;
            if list.open.last() == Some(&Open::CasePattern) {
                self.case_pattern(list);
                continue;
            }
            match byte {
                b'\n' => {
                    self.newline();
                    self.flush_prefixes_unless_function(list);
                    list.separate();
                }
                b';' => self.semicolon(list),
                b'&' if self.peek_at(1) == Some(b'&') => self.operator(list, 2, TokenKind::And),
                b'&' if self.peek_at(1) != Some(b'>') => {
                    self.flush_prefixes(list);
                    if !list.after_command() {
                        self.skip(1);
                        self.gap(start, GapReason::Syntax);
                        continue;
                    }
                    self.operator(list, 1, TokenKind::Background);
                }
                b'|' => match self.peek_at(1) {
                    Some(b'|') => self.operator(list, 2, TokenKind::Or),
                    Some(b'&') => self.operator(list, 2, TokenKind::Pipe(true)),
                    _ => self.operator(list, 1, TokenKind::Pipe(false)),
                },
                b'(' => self.open_parenthesis(list),
                b')' => {
                    if !list.open.contains(&Open::Parenthesis) && end == End::Parenthesis {
                        return;
                    }
                    self.flush_prefixes(list);
                    self.skip(1);
                    while let Some(open) = list.open.pop() {
                        self.leave();
                        if open == Open::Parenthesis {
                            break;
                        }
                    }
                    self.closing(list, ")", start);
                }
                _ => {
                    if self.reserved_or_simple(list, end) {
                        return;
                    }
                }
            }
        }
    }

    /// Appends a token with its text; `start` is where it begins.
    fn push(&mut self, list: &mut List, kind: TokenKind, start: usize, redirections: Vec<Redirected>) {
        let own = self.span(start);
        let span = list.prefix_start.take().map_or(own, |first| first.to(own));
        let prefixes = std::mem::take(&mut list.prefixes);
        if prefixes.iter().any(|prefix| matches!(prefix, Prefix::Function(_)))
            && matches!(
                kind,
                TokenKind::Simple(_) | TokenKind::Keyword("then" | "fi" | "do" | "done" | "}" | ")")
            )
        {
            self.gap(start, GapReason::Syntax);
        }
        // Two commands in a row (an error) must not become one word.
        if !list.text.is_empty() && !list.text.ends_with([' ', '\n']) {
            list.text.push(' ');
        }
        let at = list.text.len();
        let token = Token { kind, at, span, prefixes, redirections };
        list.text.push_str(token.spelling());
        list.tokens.push(token);
    }

    /// Notes what stands before the next command. Each is a level of nesting in the tree.
    fn prefix(&mut self, list: &mut List, prefix: Prefix, start: usize) {
        if self.context.depth + list.prefixes.len() >= self.context.limits.depth {
            self.stop("depth");
            return;
        }
        let span = self.span(start);
        list.prefix_start.get_or_insert(span);
        list.prefixes.push(prefix);
    }

    /// `!` or `time` without a command behind it: an empty command.
    fn flush_prefixes(&mut self, list: &mut List) {
        if list.prefixes.is_empty() {
            return;
        }
        if list.prefixes.iter().any(|prefix| matches!(prefix, Prefix::Function(_) | Prefix::Coproc(_))) {
            self.gap(self.position, GapReason::Syntax);
        }
        let start = self.position;
        self.push(list, TokenKind::Simple(Simple::default()), start, Vec::new());
    }

    /// A function's body may follow on a later line.
    fn flush_prefixes_unless_function(&mut self, list: &mut List) {
        if !matches!(list.prefixes.last(), Some(Prefix::Function(_))) {
            self.flush_prefixes(list);
        }
    }

    fn operator(&mut self, list: &mut List, length: usize, kind: TokenKind) {
        self.flush_prefixes(list);
        let start = self.position;
        self.skip(length);
        if list.text.ends_with('\n') && list.tokens.last().is_some_and(Token::ends_command) {
            // An operator at the start of a line.
            self.gap(start, GapReason::Syntax);
        }
        self.push(list, kind, start, Vec::new());
    }

    fn semicolon(&mut self, list: &mut List) {
        self.flush_prefixes(list);
        let start = self.position;
        let end = match (self.peek_at(1), self.peek_at(2)) {
            (Some(b';'), Some(b'&')) => Some((3, CaseEnd::TestNext)),
            (Some(b';'), _) => Some((2, CaseEnd::Break)),
            (Some(b'&'), _) => Some((2, CaseEnd::FallThrough)),
            _ => None,
        };
        match end {
            Some((length, end)) if list.open.last() == Some(&Open::CaseBody) => {
                self.skip(length);
                list.separate();
                self.push(list, TokenKind::CaseEnd(end), start, Vec::new());
                if let Some(open) = list.open.last_mut() {
                    *open = Open::CasePattern;
                }
            }
            _ => {
                self.skip(1);
                if list.after_command() {
                    list.separate();
                } else {
                    self.gap(start, GapReason::Syntax);
                }
            }
        }
    }

    fn open_parenthesis(&mut self, list: &mut List) {
        let start = self.position;
        if self.peek_at(1) == Some(b'(')
            && let Some(parts) = self.double_parenthesised(2)
        {
            let word = Word { parts, span: self.span(start) };
            let redirections = self.redirections();
            self.push(list, TokenKind::Arithmetic(word), start, redirections);
            return;
        }
        self.skip(1);
        self.opening(list, "(", Open::Parenthesis, start);
    }

    fn opening(&mut self, list: &mut List, word: &'static str, open: Open, start: usize) {
        if self.enter() {
            list.open.push(open);
            self.push(list, TokenKind::Keyword(word), start, Vec::new());
        }
    }

    /// A word that ends a compound command, with the redirections behind it.
    fn closing(&mut self, list: &mut List, word: &'static str, start: usize) {
        list.separate();
        let redirections = self.redirections();
        self.push(list, TokenKind::Keyword(word), start, redirections);
    }

    /// Takes `wanted` off the open brackets when it is the innermost.
    fn shut(&mut self, list: &mut List, wanted: Open) -> bool {
        let found = list.open.last() == Some(&wanted);
        if found {
            list.open.pop();
            self.leave();
        }
        found
    }

    /// True when the end of the list is reached.
    fn reserved_or_simple(&mut self, list: &mut List, end: End) -> bool {
        let start = self.position;
        let braces = |open: &Open| matches!(open, Open::Brace | Open::ForBrace);
        if end == End::Brace && self.peek() == Some(b'}') && !list.open.iter().any(braces) {
            return true;
        }
        let Some(word) = self.reserved() else {
            self.simple(list);
            return false;
        };
        if word == "time" && list.after_pipe() {
            self.simple(list);
            return false;
        }
        self.skip(word.len());
        match word {
            "if" | "while" | "until" => self.opening(list, word, Open::Other, start),
            "then" | "else" | "elif" | "do" => {
                self.flush_prefixes(list);
                list.separate();
                self.push(list, TokenKind::Keyword(word), start, Vec::new());
            }
            "fi" | "done" => {
                self.flush_prefixes(list);
                self.shut(list, Open::Other);
                self.closing(list, word, start);
            }
            "esac" => {
                self.flush_prefixes(list);
                self.end_of_case(list, start);
            }
            "{" => {
                let for_body = matches!(
                    list.tokens.last().map(|token| &token.kind),
                    Some(TokenKind::For { .. } | TokenKind::ArithmeticFor(_))
                );
                if for_body {
                    // The grammar knows `do` alone here; the loop's own bracket stays open until `done`.
                    list.open.pop();
                    list.open.push(Open::ForBrace);
                    self.push(list, TokenKind::Keyword("do"), start, Vec::new());
                } else {
                    self.opening(list, word, Open::Brace, start);
                }
            }
            "}" => {
                self.flush_prefixes(list);
                if self.shut(list, Open::ForBrace) {
                    self.closing(list, "done", start);
                } else {
                    self.shut(list, Open::Brace);
                    self.closing(list, word, start);
                }
            }
            "!" | "time" => {
                if list.after_pipe() {
                    self.gap(start, GapReason::Syntax);
                }
                if word == "!" {
                    self.prefix(list, Prefix::Not, start);
                } else {
                    self.time_options();
                    self.prefix(list, Prefix::Time, start);
                }
            }
            "coproc" => self.coproc(list, start),
            "function" => self.function(list, start),
            "[[" => {
                let expression = self.test_expression(start);
                let redirections = self.redirections();
                self.push(list, TokenKind::Test(expression), start, redirections);
            }
            "case" => self.case(list, start),
            _ => self.for_header(list, word == "select", start),
        }
        false
    }

    /// The reserved word at the cursor, if there is one. The cursor stays.
    fn reserved(&mut self) -> Option<&'static str> {
        let mut text = [0_u8; 9];
        let mut length = 0;
        while length < text.len() {
            match self.peek_at(length) {
                Some(byte) if !is_meta(byte) => text[length] = byte,
                _ => break,
            }
            length += 1;
        }
        RESERVED.iter().find(|word| word.as_bytes() == &text[..length]).copied()
    }

    /// `-p` and `--` behind `time`.
    fn time_options(&mut self) {
        for option in ["-p", "--"] {
            self.skip_blanks();
            let here = option.bytes().enumerate().all(|(at, byte)| self.peek_at(at) == Some(byte));
            if here && self.peek_at(2).is_none_or(is_meta) {
                self.skip(2);
            }
        }
    }

    fn coproc(&mut self, list: &mut List, start: usize) {
        self.skip_blanks();
        let mark = self.mark();
        let mut name = "COPROC".to_owned();
        // A word is the name only when a compound command follows.
        if self.reserved().is_none() && self.peek().is_some_and(|byte| !is_meta(byte)) {
            let word = self.word(Place::Argument);
            self.skip_blanks();
            let compound = self.peek() == Some(b'(')
                || self.reserved().is_some_and(|word| !matches!(word, "!" | "time" | "}"));
            match word.fixed_text() {
                Some(text) if compound => name = text,
                _ => self.back_to(&mark),
            }
        }
        self.prefix(list, Prefix::Coproc(name), start);
    }

    fn function(&mut self, list: &mut List, start: usize) {
        self.skip_blanks();
        let name_start = self.position;
        let word = self.word(Place::Command);
        let name = word.fixed_text().unwrap_or_default();
        if name.is_empty() {
            self.gap(name_start, GapReason::Syntax);
        }
        self.prefix(list, Prefix::Function(name), start);
        self.skip_blanks();
        let mark = self.mark();
        if self.accept(b'(') {
            self.skip_blanks();
            if !self.accept(b')') {
                self.back_to(&mark);
            }
        }
    }

    fn for_header(&mut self, list: &mut List, select: bool, start: usize) {
        self.skip_blanks();
        if !select && self.peek() == Some(b'(') && self.peek_at(1) == Some(b'(') {
            let word_start = self.position;
            let Some(parts) = self.double_parenthesised(2) else {
                self.gap(start, GapReason::Syntax);
                return;
            };
            let header = Word { parts, span: self.span(word_start) };
            self.skip_blanks();
            self.accept(b';');
            self.open_for(list, TokenKind::ArithmeticFor(header), start);
            return;
        }
        let variable = self.word(Place::Argument);
        let name = variable.fixed_text().unwrap_or_default();
        if name.is_empty() {
            self.gap(start, GapReason::Syntax);
        }
        self.skip_lines();
        let mut words = None;
        let in_follows =
            self.peek() == Some(b'i') && self.peek_at(1) == Some(b'n') && self.peek_at(2).is_none_or(is_meta);
        if in_follows {
            self.skip(2);
            let mut found = Vec::new();
            loop {
                self.skip_blanks();
                match self.peek() {
                    Some(b'<' | b'>') if self.peek_at(1) == Some(b'(') => {}
                    Some(byte) if !is_meta(byte) => {}
                    _ => break,
                }
                found.push(self.word(Place::Argument));
            }
            words = Some(found);
        }
        self.accept(b';');
        self.open_for(list, TokenKind::For { variable: name, words, select }, start);
    }

    fn open_for(&mut self, list: &mut List, kind: TokenKind, start: usize) {
        if self.enter() {
            list.open.push(Open::Other);
            self.push(list, kind, start, Vec::new());
            self.skip_lines();
        }
    }

    fn case(&mut self, list: &mut List, start: usize) {
        self.skip_blanks();
        let word = self.word(Place::Argument);
        self.skip_lines();
        let in_follows =
            self.peek() == Some(b'i') && self.peek_at(1) == Some(b'n') && self.peek_at(2).is_none_or(is_meta);
        if !in_follows {
            self.gap(start, GapReason::Syntax);
            return;
        }
        self.skip(2);
        if self.enter() {
            list.open.push(Open::CasePattern);
            self.push(list, TokenKind::Case(word), start, Vec::new());
        }
    }

    /// One item's patterns, or `esac`.
    fn case_pattern(&mut self, list: &mut List) {
        self.skip_lines();
        let start = self.position;
        let parenthesis = self.accept(b'(');
        if !parenthesis && self.reserved() == Some("esac") {
            self.skip(4);
            self.end_of_case(list, start);
            return;
        }
        let mut patterns = Vec::new();
        loop {
            self.skip_blanks();
            let before = self.position;
            let pattern = self.word(Place::Argument);
            let empty = self.position == before;
            patterns.push(pattern);
            self.skip_blanks();
            if self.accept(b')') {
                break;
            }
            if empty || !self.accept(b'|') {
                self.gap(start, GapReason::Syntax);
                break;
            }
        }
        self.push(list, TokenKind::Pattern(patterns), start, Vec::new());
        if let Some(open) = list.open.last_mut() {
            *open = Open::CaseBody;
        }
    }

    fn end_of_case(&mut self, list: &mut List, start: usize) {
        if list.open.last() == Some(&Open::CaseBody) {
            // The last item needs no `;;` of its own; the grammar gets one.
            list.separate();
            self.position = start;
            self.push(list, TokenKind::CaseEnd(CaseEnd::Break), start, Vec::new());
            self.skip(4);
        }
        if matches!(list.open.last(), Some(Open::CasePattern | Open::CaseBody)) {
            list.open.pop();
            self.leave();
        }
        self.closing(list, "esac", start);
    }

    fn simple(&mut self, list: &mut List) {
        let start = self.position;
        let (simple, redirections, function) = self.simple_command();
        if let Some(name) = function {
            self.prefix(list, Prefix::Function(name), start);
            return;
        }
        if list.after_command() {
            // Words directly behind a compound command.
            self.gap(start, GapReason::Syntax);
            list.separate();
        }
        if self.position == start {
            // Nothing could be read: never loop on the same byte.
            self.skip(1);
            self.gap(start, GapReason::Syntax);
        }
        self.push(list, TokenKind::Simple(simple), start, redirections);
    }
}
