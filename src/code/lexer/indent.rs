//! Python's indentation.

use super::{Lexer, Tok};

impl Lexer {
    /// At the beginning of a line: passes blank and comment lines and tells of deeper or shallower indentation.
    pub(super) fn indentation(&mut self) {
        loop {
            let mut width = 0;
            while let Some(c) = self.peek(0) {
                match c {
                    ' ' => width += 1,
                    '\t' => width = (width / 8 + 1) * 8,
                    '\r' | '\x0c' => {}
                    _ => break,
                }
                self.at += 1;
            }
            match self.peek(0) {
                Some('#') => self.pass_line(),
                Some('\n') => self.at += 1,
                None => return,
                Some(_) => {
                    self.indent_to(width);
                    return;
                }
            }
        }
    }

    fn indent_to(&mut self, width: usize) {
        if !matches!(self.tokens.last().map(|t| &t.kind), None | Some(Tok::Newline)) {
            self.push(Tok::Newline);
        }
        if self.indents.last().is_some_and(|last| width > *last) {
            self.indents.push(width);
            self.push(Tok::Indent);
        }
        while self.indents.len() > 1 && self.indents.last().is_some_and(|last| width < *last) {
            self.indents.pop();
            self.push(Tok::Dedent);
        }
        self.line = true;
    }

    /// At the end of the text.
    pub(super) fn close_indentation(&mut self) {
        self.push(Tok::Newline);
        while self.indents.pop().is_some_and(|width| width > 0) {
            self.push(Tok::Dedent);
        }
    }
}
