//! From tokens to the shared tree.
//!
//! One tolerant parser with each language's statements, calls without parentheses and blocks. It never fails: what it
//! cannot place it passes over and says so in [`Program::faults`].

mod braced;
mod call;
mod expression;
mod function;
mod primary;
mod python;
mod statement;
mod worded;

use std::collections::BTreeSet;

use super::language::Language;
use super::lexer::{Tok, Token, tokens};
use super::tree::{Expr, Stmt};

/// A program that was read.
pub(super) struct Program {
    pub(super) body: Vec<Stmt>,
    /// Tokens had to be passed over.
    pub(super) faults: bool,
    /// Names that occur anywhere, for the check when there were faults.
    pub(super) names: BTreeSet<String>,
}

/// Tokens of one program; longer ones are not read.
const TOKENS: usize = 40_000;
/// Nested expressions and blocks.
const DEPTH: usize = 60;

/// Reads a program. `None` when it is too long.
pub(super) fn parse(text: &str, language: Language) -> Option<Program> {
    let tokens = tokens(text, language);
    if tokens.len() > TOKENS {
        return None;
    }
    let names = tokens
        .iter()
        .filter_map(|token| if let Tok::Name(name) = &token.kind { Some(name.clone()) } else { None })
        .collect();
    let mut parser = Parser::new(tokens, language, 0);
    let mut body = Vec::new();
    while parser.at < parser.tokens.len() {
        let before = parser.at;
        parser.statement(&mut body);
        if parser.at == before {
            // A stray closing bracket or `end`.
            parser.fault();
        }
    }
    Some(Program { body, faults: parser.faults, names })
}

pub(super) struct Parser {
    tokens: Vec<Token>,
    /// For every opening bracket, the place of the one that closes it.
    partners: Vec<usize>,
    at: usize,
    language: Language,
    depth: usize,
    faults: bool,
    /// Variables of Ruby that were assigned: their names are no calls.
    locals: BTreeSet<String>,
    /// In the head of a Ruby or Lua loop: `do` begins the loop's body.
    no_do: bool,
    /// In a list whose elements `in`, `for` or `{` end.
    no_in: bool,
}

impl Parser {
    fn new(tokens: Vec<Token>, language: Language, depth: usize) -> Self {
        let mut partners = vec![usize::MAX; tokens.len()];
        let mut open = Vec::new();
        for (index, token) in tokens.iter().enumerate() {
            match token.kind {
                Tok::Op("(" | "[" | "{") => open.push(index),
                Tok::Op(")" | "]" | "}") => {
                    if let Some(start) = open.pop() {
                        partners[start] = index;
                    }
                }
                _ => {}
            }
        }
        Self {
            tokens,
            partners,
            at: 0,
            language,
            depth,
            faults: false,
            locals: BTreeSet::new(),
            no_do: false,
            no_in: false,
        }
    }

    /// The expression of an interpolation.
    fn inner(&self, source: &str) -> Expr {
        if self.depth + 4 > DEPTH {
            return Expr::Plain(Vec::new());
        }
        let mut parser = Self::new(tokens(source, self.language), self.language, self.depth + 4);
        let mut body = Vec::new();
        while parser.at < parser.tokens.len() {
            let before = parser.at;
            parser.statement(&mut body);
            if parser.at == before {
                parser.at += 1;
            }
        }
        match body.as_slice() {
            [Stmt::Expr(only)] => only.clone(),
            _ => Expr::Block(body),
        }
    }

    fn kind(&self) -> Option<&Tok> {
        self.tokens.get(self.at).map(|token| &token.kind)
    }

    fn kind_at(&self, ahead: usize) -> Option<&Tok> {
        self.tokens.get(self.at + ahead).map(|token| &token.kind)
    }

    fn op(&self, op: &str) -> bool {
        matches!(self.kind(), Some(Tok::Op(found)) if *found == op)
    }

    fn op_at(&self, ahead: usize, op: &str) -> bool {
        matches!(self.kind_at(ahead), Some(Tok::Op(found)) if *found == op)
    }

    fn word(&self) -> Option<&str> {
        if let Some(Tok::Name(name)) = self.kind() { Some(name) } else { None }
    }

    fn is_word(&self, word: &str) -> bool {
        self.word() == Some(word)
    }

    fn word_in(&self, words: &[&str]) -> bool {
        self.word().is_some_and(|word| words.contains(&word))
    }

    /// Passes the operator when it is next.
    fn eat(&mut self, op: &str) -> bool {
        let hit = self.op(op);
        self.at += usize::from(hit);
        hit
    }

    /// Passes the word when it is next.
    fn eat_word(&mut self, word: &str) -> bool {
        let hit = self.is_word(word);
        self.at += usize::from(hit);
        hit
    }

    fn name(&mut self) -> Option<String> {
        let name = self.word()?.to_owned();
        self.at += 1;
        Some(name)
    }

    fn spaced(&self) -> bool {
        self.tokens.get(self.at).is_some_and(|token| token.space)
    }

    fn new_line(&self) -> bool {
        self.tokens.get(self.at).is_some_and(|token| token.line)
    }

    /// Passes over a token that has no place here.
    fn fault(&mut self) {
        self.faults = true;
        self.at += 1;
    }

    /// Runs a part of the parser one level deeper; too deep, it passes over a token instead.
    fn deeper<T>(&mut self, otherwise: T, read: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= DEPTH {
            self.fault();
            return otherwise;
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ALL: [Language; 6] =
        [Language::Python, Language::Node, Language::Perl, Language::Ruby, Language::Php, Language::Lua];

    #[test]
    fn deep_nesting_ends() {
        for text in [
            "(", "[", "{", "x(", "a.b ", "-", "if x: ", "f { ", "do ", "lambda: ", "x => ", "\"#{", "$x->",
            "not ",
        ] {
            for language in ALL {
                let _ = parse(&text.repeat(3000), language);
            }
        }
    }

    proptest! {
        #[test]
        fn never_panics(text in "[\\PC\n]{0,60}") {
            for language in ALL {
                let _ = parse(&text, language);
            }
        }

        #[test]
        fn never_panics_on_pieces(pieces in prop::collection::vec(prop::sample::select(vec![
            "if", "else", "for", "in", "of", "x", "$x", "@y", "(", ")", "[", "]", "{", "}", ":", ";", "\n", "\n  ", ",", ".", "->",
            "=>", "=", "def", "end", "do", "|x|", "function", "lambda", "'a'", "\"b#{c}\"", "`ls`", "/re/", "import", "from",
            "class", "try", "while", "+", "unless", "my", "sub", "return", "new", "::", "&", "*", "qw(a b)", "<<E", "case",
        ]), 0..20)) {
            for language in ALL {
                let _ = parse(&pieces.join(" "), language);
            }
        }
    }
}
