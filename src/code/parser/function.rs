//! Parameters, bodies and arguments of functions.

use crate::code::language::Language;
use crate::code::lexer::Tok;
use crate::code::tree::{Argument, Expr};

use super::Parser;
use super::primary::function;

impl Parser {
    /// Parameters in parentheses, defaults and types passed over.
    pub(super) fn parameters(&mut self) -> Vec<Expr> {
        let mut parameters = Vec::new();
        self.at += 1;
        while !self.op(")") && self.kind().is_some() {
            let before = self.at;
            parameters.push(self.parameter());
            self.eat(",");
            if self.at == before {
                self.fault();
            }
        }
        self.close(")");
        parameters
    }

    pub(super) fn parameter(&mut self) -> Expr {
        let mut rest = false;
        let block = self.op("&") && self.language == Language::Ruby;
        while matches!(self.kind(), Some(Tok::Op("*" | "**" | "..." | "&" | "/" | "?"))) {
            rest |= self.op("*") || self.op("...");
            self.at += 1;
        }
        // A type before a variable (PHP).
        while self.language == Language::Php && matches!(self.kind(), Some(Tok::Name(_))) {
            self.at += 1;
        }
        let target = match self.kind().cloned() {
            Some(Tok::Name(name) | Tok::Variable(name)) => {
                self.at += 1;
                self.locals.insert(name.clone());
                Expr::Name(name)
            }
            Some(Tok::Op("{" | "[")) => self.primary(),
            _ => Expr::Plain(Vec::new()),
        };
        self.eat("?");
        if self.eat(":") && !matches!(self.kind(), Some(Tok::Op("," | ")"))) {
            self.expression(4);
        }
        if self.eat("=") {
            let value = self.expression(4);
            return Expr::Assign { target: Box::new(target), value: Box::new(value), adds: false };
        }
        if block {
            let value = Box::new(Expr::Name("yield".to_owned()));
            return Expr::Assign { target: Box::new(target), value, adds: false };
        }
        if rest && matches!(target, Expr::Name(_)) { Expr::Rest(Box::new(target)) } else { target }
    }

    /// Parameters and body of a function whose name was read.
    pub(super) fn function_rest(&mut self) -> Expr {
        let parameters = if self.op("(") { self.parameters() } else { Vec::new() };
        if self.language == Language::Php && self.eat_word("use") && self.op("(") {
            self.parameters();
        }
        // A return type.
        if self.language != Language::Lua && self.eat(":") {
            while !self.op("{") && !self.op(";") && self.kind().is_some() {
                self.at += 1;
            }
        }
        let body = if self.language.ends_with_end() {
            let body = self.until_words(&["end"]);
            self.eat_word("end");
            body
        } else {
            self.braces()
        };
        function(parameters, body)
    }

    /// `{ |x| … }` or `do |x| … end` of Ruby, `{ … }` of Perl, as a function.
    pub(super) fn block_function(&mut self, mut parameters: Vec<Expr>) -> Expr {
        let word = self.is_word("do");
        let no_do = std::mem::take(&mut self.no_do);
        self.at += 1;
        if self.language == Language::Ruby && self.eat("|") {
            while !self.op("|") && self.kind().is_some() {
                match self.kind().cloned() {
                    Some(Tok::Name(name)) => {
                        self.locals.insert(name.clone());
                        parameters.push(Expr::Name(name));
                    }
                    Some(Tok::Op("," | "(" | ")" | "*" | "&" | ";")) => {}
                    _ => self.faults = true,
                }
                self.at += 1;
            }
            self.at += 1;
        }
        let body = if word {
            let body = self.until_words(&["end"]);
            self.eat_word("end");
            body
        } else {
            let body = self.until_brace();
            self.close("}");
            body
        };
        self.no_do = no_do;
        function(parameters, body)
    }

    /// Arguments in parentheses.
    pub(super) fn arguments(&mut self) -> Vec<Argument> {
        self.at += 1;
        let (no_in, no_do) = (std::mem::take(&mut self.no_in), std::mem::take(&mut self.no_do));
        let mut arguments = Vec::new();
        loop {
            self.skip_newlines();
            if self.op(")") || self.kind().is_none() {
                break;
            }
            let before = self.at;
            arguments.push(self.argument());
            self.skip_newlines();
            if !self.eat(",") && !self.eat("=>") {
                if self.at == before {
                    self.fault();
                } else if !self.op(")") {
                    // `print(STDERR "x")`: the list goes on without a comma.
                    if !self.starts_operand() {
                        break;
                    }
                }
            }
        }
        self.close(")");
        (self.no_in, self.no_do) = (no_in, no_do);
        arguments
    }

    /// One argument, with its keyword.
    pub(super) fn argument(&mut self) -> Argument {
        let named = match (self.kind().cloned(), self.kind_at(1)) {
            (Some(Tok::Name(name)), Some(Tok::Op("="))) if self.language == Language::Python => {
                Some((name, 2))
            }
            (Some(Tok::Name(name)), Some(Tok::Op(":")))
                if matches!(self.language, Language::Ruby | Language::Php) =>
            {
                Some((name, 2))
            }
            (Some(Tok::Name(name)), Some(Tok::Op("=>"))) if self.language == Language::Ruby => {
                Some((name, 2))
            }
            _ => None,
        };
        if let Some((name, length)) = named {
            self.at += length;
            self.skip_newlines();
            return Argument { name: Some(name), value: self.item(), spread: false };
        }
        let spread = matches!(self.kind(), Some(Tok::Op("*" | "...")));
        let passes_block = self.op("&") && self.language == Language::Ruby;
        let value = self.expression(1);
        let value = if self.language == Language::Python { self.comprehension(value) } else { value };
        if self.language == Language::Ruby && self.eat("=>") {
            self.skip_newlines();
            let value = Expr::Map(vec![(value, self.item())]);
            return Argument { name: None, value, spread: false };
        }
        Argument { name: passes_block.then(|| "&".to_owned()), value, spread }
    }
}
