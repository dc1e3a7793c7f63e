//! `[[ … ]]`.

use super::reader::{Reader, is_meta};
use super::word::Place;
use super::{GapReason, TestExpression, Word};

const BINARY: &[&str] =
    &["=", "==", "!=", "=~", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"];
const UNARY: &str = "abcdefghknoprstuvwxzGLNORS";
/// Operators in a row that are taken apart.
const MOST_OPERATORS: usize = 100;

impl Reader<'_, '_> {
    /// The rest of `[[ … ]]`, the cursor being behind `[[`.
    pub(super) fn test_expression(&mut self, start: usize) -> TestExpression {
        let expression = self.test_or();
        self.skip_lines();
        if self.at_test_end() {
            self.skip(2);
            return expression;
        }
        // What is left is kept as words, for its substitutions.
        let mut words = Vec::new();
        while self.peek().is_some() && !self.at_test_end() {
            let before = self.position;
            words.push(self.word(Place::Argument));
            if self.position == before {
                self.skip(1);
            }
        }
        self.skip(2);
        self.gap(start, GapReason::Syntax);
        TestExpression::And(Box::new(expression), Box::new(TestExpression::Other(words)))
    }

    fn at_test_end(&mut self) -> bool {
        self.peek() == Some(b']') && self.peek_at(1) == Some(b']') && self.peek_at(2).is_none_or(is_meta)
    }

    fn test_or(&mut self) -> TestExpression {
        self.test_chain(b'|', TestExpression::Or, Self::test_and)
    }

    fn test_and(&mut self) -> TestExpression {
        self.test_chain(b'&', TestExpression::And, Self::test_not)
    }

    fn test_chain(
        &mut self,
        operator: u8,
        join: fn(Box<TestExpression>, Box<TestExpression>) -> TestExpression,
        operand: fn(&mut Self) -> TestExpression,
    ) -> TestExpression {
        let mut left = operand(self);
        for count in 0.. {
            self.skip_lines();
            if self.peek() != Some(operator) || self.peek_at(1) != Some(operator) {
                break;
            }
            if count == MOST_OPERATORS {
                self.stop("depth");
                break;
            }
            self.skip(2);
            let right = operand(self);
            left = join(Box::new(left), Box::new(right));
        }
        left
    }

    fn test_not(&mut self) -> TestExpression {
        self.skip_lines();
        let next = self.peek_at(1);
        if self.peek() == Some(b'!') && next.is_none_or(is_meta) {
            self.skip(1);
            if !self.enter() {
                return TestExpression::Other(Vec::new());
            }
            let inner = self.test_not();
            self.leave();
            return TestExpression::Not(Box::new(inner));
        }
        if self.peek() == Some(b'(') {
            let start = self.position;
            self.skip(1);
            if !self.enter() {
                return TestExpression::Other(Vec::new());
            }
            let inner = self.test_or();
            self.leave();
            self.skip_lines();
            self.close(b')', start);
            return inner;
        }
        self.test_term()
    }

    fn test_term(&mut self) -> TestExpression {
        let start = self.position;
        let left = self.word(Place::Argument);
        if self.position == start {
            self.gap(start, GapReason::Syntax);
            return TestExpression::Other(Vec::new());
        }
        if let Some(operator) = unary_operator(&left) {
            self.skip_lines();
            let before = self.position;
            if !self.at_test_end() {
                let operand = self.word(Place::Argument);
                if self.position > before {
                    return TestExpression::Unary(operator, operand);
                }
            }
            return TestExpression::Word(left);
        }
        self.skip_lines();
        if let Some(byte @ (b'<' | b'>')) = self.peek() {
            self.skip(1);
            return self.test_right(left, char::from(byte).to_string(), start);
        }
        if self.at_test_end() || self.peek().is_none_or(is_meta) {
            return TestExpression::Word(left);
        }
        let mark = self.mark();
        let word = self.word(Place::Argument);
        match word.bare() {
            Some(operator) if BINARY.contains(&operator) => self.test_right(left, operator.to_owned(), start),
            _ => {
                self.back_to(&mark);
                TestExpression::Word(left)
            }
        }
    }

    fn test_right(&mut self, left: Word, operator: String, start: usize) -> TestExpression {
        self.skip_blanks();
        let before = self.position;
        let right = self.word(if operator == "=~" { Place::Regex } else { Place::Argument });
        if self.position == before {
            self.gap(start, GapReason::Syntax);
        }
        TestExpression::Binary(left, operator, right)
    }
}

fn unary_operator(word: &Word) -> Option<String> {
    let text = word.bare()?;
    let letter = text.strip_prefix('-')?;
    (letter.len() == 1 && UNARY.contains(letter)).then(|| text.to_owned())
}
