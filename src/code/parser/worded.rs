//! Statements of Ruby and Lua, whose blocks end with a word.

use crate::code::lexer::Tok;
use crate::code::tree::{Expr, Operator, Stmt};

use super::Parser;
use super::statement::{attempt, define};

impl Parser {
    pub(super) fn ruby(&mut self, word: &str, out: &mut Vec<Stmt>) -> bool {
        match word {
            "if" | "unless" | "case" => self.ruby_branch(word, out),
            "while" | "until" => {
                self.at += 1;
                let no_do = std::mem::replace(&mut self.no_do, true);
                let condition = self.expression(1);
                self.no_do = no_do;
                self.eat_word("do");
                let mut body = vec![Stmt::Expr(condition)];
                body.extend(self.until_words(&["end"]));
                self.eat_word("end");
                out.push(Stmt::Loop { target: None, list: None, body });
            }
            "for" => {
                self.at += 1;
                let target = self.targets();
                self.eat_word("in");
                let no_do = std::mem::replace(&mut self.no_do, true);
                let list = self.comma_list();
                self.no_do = no_do;
                self.eat_word("do");
                let body = self.until_words(&["end"]);
                self.eat_word("end");
                out.push(Stmt::Loop { target: Some(target), list: Some(list), body });
            }
            "begin" => self.ruby_begin(out),
            "def" => self.ruby_def(out),
            "class" | "module" => {
                self.at += 1;
                let name = self.name().unwrap_or_default();
                while !self.new_line() && !self.op(";") && self.kind().is_some() {
                    self.at += 1;
                }
                let body = self.until_words(&["end"]);
                self.eat_word("end");
                out.push(Stmt::Class(name, body));
            }
            "BEGIN" | "END" if self.op_at(1, "{") => {
                self.at += 1;
                let body = self.braces();
                out.extend(body);
            }
            "return" | "raise" => {
                self.at += 1;
                let value = (!self.new_line() && self.starts_operand()).then(|| self.comma_list());
                let statement = self.modified(Stmt::Return(value));
                out.push(statement);
            }
            "next" | "break" | "redo" => {
                self.at += 1;
                let value = (!self.new_line() && self.starts_operand()).then(|| self.item());
                let statement = self.modified(Stmt::Expr(Expr::Plain(value.into_iter().collect())));
                out.push(statement);
            }
            "end" | "then" => self.fault(),
            _ => return false,
        }
        true
    }

    /// `1, 20` or `1, 20, 2` of Lua's counting loop: the first two are its ends, where it counts up by one.
    fn numeric_head(&mut self) -> Expr {
        let first = Box::new(self.item());
        self.eat(",");
        let last = Box::new(self.item());
        if self.eat(",") {
            return Expr::Plain(vec![*first, *last, self.item()]);
        }
        Expr::Binary(Operator::Range, first, last)
    }

    /// `if` and `case` with their ways.
    fn ruby_branch(&mut self, word: &str, out: &mut Vec<Stmt>) {
        self.at += 1;
        let mut conditions = Vec::new();
        let mut ways = Vec::new();
        let mut closed = word == "case";
        if !(word == "case" && self.is_word("when")) {
            conditions.push(self.expression(1));
        }
        self.eat_word("then");
        self.eat(";");
        ways.push(self.until_words(&["elsif", "else", "when", "in", "end"]));
        loop {
            if self.eat_word("elsif") || self.eat_word("when") || self.eat_word("in") {
                conditions.push(self.comma_list());
                self.eat_word("then");
            } else if self.eat_word("else") {
                closed = true;
            } else {
                break;
            }
            ways.push(self.until_words(&["elsif", "else", "when", "in", "end"]));
        }
        self.eat_word("end");
        if !closed {
            ways.push(Vec::new());
        }
        out.push(Stmt::Branch(conditions, ways));
    }

    /// `begin` with all that handles or follows it.
    fn ruby_begin(&mut self, out: &mut Vec<Stmt>) {
        self.at += 1;
        let body = self.until_words(&["rescue", "else", "ensure", "end"]);
        out.push(attempt(body));
        while self.word_in(&["rescue", "else", "ensure"]) {
            self.at += 1;
            if !self.new_line() && self.starts_operand() {
                self.comma_list();
                if self.eat("=>") {
                    self.at += 1;
                }
            }
            let way = self.until_words(&["rescue", "else", "ensure", "end"]);
            out.push(Stmt::Branch(Vec::new(), vec![way, Vec::new()]));
        }
        self.eat_word("end");
    }

    /// A method with a name.
    fn ruby_def(&mut self, out: &mut Vec<Stmt>) {
        self.at += 1;
        let mut name = self.name().unwrap_or_default();
        if self.eat(".") {
            name = self.name().unwrap_or_default();
        }
        let mut parameters = Vec::new();
        if self.op("(") {
            parameters = self.parameters();
        } else {
            while !self.new_line() && matches!(self.kind(), Some(Tok::Name(_))) {
                parameters.push(Expr::Name(self.name().unwrap_or_default()));
                self.eat(",");
            }
        }
        // `def name = value` has no end.
        if self.eat("=") {
            let mut body = Vec::new();
            self.statement(&mut body);
            out.push(define(name, parameters, body));
            return;
        }
        let mut body = self.until_words(&["end", "rescue", "else", "ensure"]);
        while self.word_in(&["rescue", "else", "ensure"]) {
            self.at += 1;
            let way = self.until_words(&["end", "rescue", "else", "ensure"]);
            body = vec![attempt(body), Stmt::Branch(Vec::new(), vec![way, Vec::new()])];
        }
        self.eat_word("end");
        out.push(define(name, parameters, body));
    }

    pub(super) fn lua(&mut self, word: &str, out: &mut Vec<Stmt>) -> bool {
        match word {
            "local" => self.at += 1,
            "if" => {
                self.at += 1;
                let mut conditions = vec![self.item()];
                self.eat_word("then");
                let mut ways = vec![self.until_words(&["elseif", "else", "end"])];
                while self.word_in(&["elseif", "else"]) {
                    if self.eat_word("elseif") {
                        conditions.push(self.item());
                        self.eat_word("then");
                    } else {
                        self.at += 1;
                    }
                    ways.push(self.until_words(&["elseif", "else", "end"]));
                }
                self.eat_word("end");
                ways.push(Vec::new());
                out.push(Stmt::Branch(conditions, ways));
            }
            "while" | "repeat" | "do" => {
                self.at += 1;
                let mut body = Vec::new();
                if word == "while" {
                    body.push(Stmt::Expr(self.item()));
                    self.eat_word("do");
                }
                body.extend(self.until_words(&["end", "until"]));
                if self.eat_word("until") {
                    body.push(Stmt::Expr(self.item()));
                } else {
                    self.eat_word("end");
                }
                out.push(Stmt::Loop { target: None, list: None, body });
            }
            "for" => {
                self.at += 1;
                let target = self.targets();
                let list = if self.eat("=") {
                    self.numeric_head()
                } else {
                    self.eat_word("in");
                    self.comma_list()
                };
                self.eat_word("do");
                let body = self.until_words(&["end"]);
                self.eat_word("end");
                out.push(Stmt::Loop { target: Some(target), list: Some(list), body });
            }
            "function" if matches!(self.kind_at(1), Some(Tok::Name(_))) => {
                self.at += 1;
                let mut name = self.dotted().unwrap_or_default();
                if self.eat(":") {
                    name = self.name().unwrap_or_default();
                }
                if let Expr::Function(function) = self.function_rest() {
                    out.push(Stmt::Define(name, function));
                }
            }
            "return" => {
                self.at += 1;
                let value = self.starts_operand().then(|| self.comma_list());
                out.push(Stmt::Return(value));
            }
            "break" => self.at += 1,
            "end" | "then" => self.fault(),
            _ => return false,
        }
        true
    }
}
