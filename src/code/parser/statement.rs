//! Statements and blocks.

use crate::code::language::Language;
use crate::code::lexer::Tok;
use crate::code::tree::{Expr, Stmt};

use super::Parser;

impl Parser {
    /// Reads one statement.
    pub(super) fn statement(&mut self, out: &mut Vec<Stmt>) {
        if matches!(self.kind(), Some(Tok::Newline | Tok::Indent | Tok::Dedent | Tok::Op(";"))) {
            self.at += 1;
            return;
        }
        let mut found = Vec::new();
        self.deeper((), |parser| parser.compound(&mut found));
        out.append(&mut found);
    }

    fn compound(&mut self, out: &mut Vec<Stmt>) {
        let handled = match self.word().map(str::to_owned) {
            Some(word) => match self.language {
                Language::Python => self.python(&word, out),
                Language::Ruby => self.ruby(&word, out),
                Language::Lua => self.lua(&word, out),
                Language::Node | Language::Php | Language::Perl => self.braced(&word, out),
            },
            None if self.op("{")
                && matches!(self.language, Language::Node | Language::Perl | Language::Php) =>
            {
                let inner = self.braces();
                out.extend(inner);
                true
            }
            None if self.op("@") && self.language == Language::Python => {
                self.decorated(out);
                true
            }
            None => false,
        };
        if !handled {
            self.simple(out);
        }
    }

    /// An expression with the modifiers that may follow it.
    pub(super) fn simple(&mut self, out: &mut Vec<Stmt>) {
        let first = self.expression(1);
        let mut value = first;
        if self.op(",") && self.language != Language::Php {
            let mut list = vec![value];
            while self.eat(",") {
                if !self.starts_operand() && !matches!(self.kind(), Some(Tok::Op("*" | "{" | "-"))) {
                    break;
                }
                list.push(self.item());
            }
            // `a, b = 1, 2`: the last element took the assignment.
            value = match list.pop() {
                Some(Expr::Assign { target, value, adds }) if self.language != Language::Node => {
                    list.push(*target);
                    Expr::Assign { target: Box::new(Expr::List(list)), value, adds }
                }
                Some(last) => {
                    list.push(last);
                    Expr::List(list)
                }
                None => Expr::Plain(Vec::new()),
            };
        }
        // `x: int = 3`
        if self.language == Language::Python && self.op(":") && !matches!(self.kind_at(1), Some(Tok::Newline))
        {
            self.at += 1;
            self.expression(4);
            if self.eat("=") {
                let assigned = self.item();
                value = Expr::Assign { target: Box::new(value), value: Box::new(assigned), adds: false };
            }
        }
        let statement = Stmt::Expr(value);
        out.push(self.modified(statement));
        self.end_of_statement();
    }

    fn end_of_statement(&mut self) {
        if self.eat(";") {
            return;
        }
        match self.kind() {
            None | Some(Tok::Newline | Tok::Dedent | Tok::Indent | Tok::Op("}" | ")")) => {}
            _ if self.new_line() => {}
            Some(Tok::Name(_)) if self.language.ends_with_end() => {}
            _ if self.language.lines_matter() || matches!(self.language, Language::Perl | Language::Php) => {
                // Something that was not understood stands between two statements.
                self.faults = true;
            }
            _ => {}
        }
    }

    /// `statement if condition`, `statement for list` of Perl and Ruby.
    pub(super) fn modified(&mut self, mut statement: Stmt) -> Stmt {
        if !matches!(self.language, Language::Perl | Language::Ruby) {
            return statement;
        }
        while !self.new_line() || self.language == Language::Perl {
            let Some(word) = self.word().map(str::to_owned) else { break };
            match word.as_str() {
                "if" | "unless" => {
                    self.at += 1;
                    let condition = self.expression(1);
                    statement = Stmt::Branch(vec![condition], vec![vec![statement], Vec::new()]);
                }
                "while" | "until" => {
                    self.at += 1;
                    let condition = self.expression(1);
                    let body = vec![Stmt::Expr(condition), statement];
                    statement = Stmt::Loop { target: None, list: None, body };
                }
                "for" | "foreach" if self.language == Language::Perl => {
                    self.at += 1;
                    let list = self.comma_list();
                    statement = Stmt::Loop {
                        target: Some(Expr::Name("$_".to_owned())),
                        list: Some(list),
                        body: vec![statement],
                    };
                }
                "rescue" => {
                    self.at += 1;
                    let otherwise = Stmt::Expr(self.item());
                    statement = Stmt::Branch(Vec::new(), vec![vec![statement], vec![otherwise]]);
                }
                _ => break,
            }
        }
        statement
    }

    pub(super) fn comma_list(&mut self) -> Expr {
        let mut list = vec![self.item()];
        while self.eat(",") {
            list.push(self.item());
        }
        if list.len() == 1 { list.remove(0) } else { Expr::List(list) }
    }

    /// Statements in braces; a single statement without.
    pub(super) fn braces(&mut self) -> Vec<Stmt> {
        if !self.eat("{") {
            let mut body = Vec::new();
            if self.kind().is_some() && !self.op("}") {
                self.statement(&mut body);
            }
            return body;
        }
        let body = self.until_brace();
        self.close("}");
        body
    }

    pub(super) fn until_brace(&mut self) -> Vec<Stmt> {
        let mut body = Vec::new();
        let no_in = std::mem::take(&mut self.no_in);
        while !self.op("}") && self.kind().is_some() {
            let before = self.at;
            self.statement(&mut body);
            if self.at == before {
                self.fault();
            }
        }
        self.no_in = no_in;
        body
    }

    /// Statements up to one of these words, which is left.
    pub(super) fn until_words(&mut self, words: &[&str]) -> Vec<Stmt> {
        let mut body = Vec::new();
        let no_do = std::mem::take(&mut self.no_do);
        while self.kind().is_some() && !self.word_in(words) {
            let before = self.at;
            self.statement(&mut body);
            if self.at == before {
                if self.word_in(&["end", "else", "elsif", "elseif", "until"]) || self.op("}") {
                    break;
                }
                self.fault();
            }
        }
        self.no_do = no_do;
        body
    }

    pub(super) fn dotted(&mut self) -> Option<String> {
        let mut name = self.name()?;
        while self.op(".") {
            self.at += 1;
            name.push('.');
            name.push_str(&self.name().unwrap_or_default());
        }
        Some(name)
    }
}

/// What is tried: whatever ends it early, what stands behind it may run.
pub(super) fn attempt(body: Vec<Stmt>) -> Stmt {
    Stmt::Attempt(body)
}

pub(super) fn define(name: String, parameters: Vec<Expr>, body: Vec<Stmt>) -> Stmt {
    Stmt::Define(name, std::rc::Rc::new(crate::code::tree::Function { parameters, body }))
}
