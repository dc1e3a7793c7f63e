//! Reading along the tokens of a statement.

use crate::code::effect::{SqlStatement, SqlVerb};

use super::lexer::{Kind, Token};
use super::statement;

/// The tokens of one statement with its text.
pub(super) struct Reader<'a> {
    pub(super) tokens: &'a [Token],
    /// The whole text that the tokens' places refer to.
    pub(super) source: &'a str,
    /// The statement's own text.
    pub(super) own: &'a str,
    pub(super) at: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn word(&self) -> Option<&'a str> {
        self.tokens.get(self.at).and_then(Token::word)
    }

    /// Skips the word when it is the next.
    pub(super) fn skip(&mut self, word: &str) -> bool {
        let hit = self.word() == Some(word);
        self.at += usize::from(hit);
        hit
    }

    pub(super) fn skip_all(&mut self, words: &[&str]) {
        while self.word().is_some_and(|word| words.contains(&word)) {
            self.at += 1;
        }
    }

    pub(super) fn skip_mark(&mut self, mark: char) -> bool {
        let hit = self.tokens.get(self.at).is_some_and(|token| token.mark(mark));
        self.at += usize::from(hit);
        hit
    }

    /// A dotted name.
    pub(super) fn name(&mut self) -> Option<String> {
        let mut name = self.part()?;
        while self.tokens.get(self.at).is_some_and(|token| token.mark('.')) {
            self.at += 1;
            name.push('.');
            match self.part() {
                Some(part) => name.push_str(&part),
                None => self.at += usize::from(self.tokens.get(self.at).is_some_and(|t| t.mark('*'))),
            }
        }
        Some(name)
    }

    fn part(&mut self) -> Option<String> {
        let token = self.tokens.get(self.at)?;
        let name = match &token.kind {
            Kind::Word(_) => self.source[token.start..token.end].to_owned(),
            Kind::Name(name) | Kind::Text(name) => name.clone(),
            _ => return None,
        };
        self.at += 1;
        Some(name)
    }

    /// A list of names separated by commas.
    pub(super) fn names(&mut self) -> Vec<String> {
        let mut names = Vec::new();
        loop {
            self.skip("ONLY");
            let Some(name) = self.name() else { break };
            names.push(name);
            self.skip_mark('*');
            if !self.skip_mark(',') {
                break;
            }
        }
        names
    }

    /// Position of a word at the level of the statement itself, from the current place on.
    pub(super) fn find(&self, words: &[&str]) -> Option<usize> {
        let mut level = 0_i32;
        self.tokens.iter().enumerate().skip(self.at).find_map(|(index, token)| match &token.kind {
            Kind::Mark('(') => {
                level += 1;
                None
            }
            Kind::Mark(')') => {
                level -= 1;
                None
            }
            Kind::Word(word) if level == 0 && words.contains(&word.as_str()) => Some(index),
            _ => None,
        })
    }

    pub(super) fn has(&self, word: &str) -> bool {
        self.tokens.iter().skip(self.at).any(|token| token.is(word))
    }

    pub(super) fn is(&self, verb: SqlVerb, object: Option<String>, kind: &'static str) -> SqlStatement {
        statement(verb, object, kind, self.own)
    }

    /// The string at the current place.
    pub(super) fn text(&self) -> Option<String> {
        match &self.tokens.get(self.at)?.kind {
            Kind::Text(text) => Some(text.clone()),
            _ => None,
        }
    }
}
