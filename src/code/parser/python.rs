//! Statements of Python.

use crate::code::lexer::Tok;
use crate::code::tree::{Expr, Stmt};

use super::Parser;
use super::expression::ITEM;
use super::statement::{attempt, define};

impl Parser {
    /// The block behind a Python colon.
    pub(super) fn suite(&mut self) -> Vec<Stmt> {
        let mut body = Vec::new();
        self.eat(":");
        if !matches!(self.kind(), Some(Tok::Newline)) {
            while !matches!(self.kind(), None | Some(Tok::Newline | Tok::Dedent)) {
                let before = self.at;
                self.statement(&mut body);
                if self.at == before {
                    self.fault();
                }
            }
            return body;
        }
        self.at += 1;
        if !matches!(self.kind(), Some(Tok::Indent)) {
            return body;
        }
        self.at += 1;
        while !matches!(self.kind(), None | Some(Tok::Dedent)) {
            let before = self.at;
            self.statement(&mut body);
            if self.at == before {
                self.fault();
            }
        }
        self.at += 1;
        body
    }

    pub(super) fn python(&mut self, word: &str, out: &mut Vec<Stmt>) -> bool {
        match word {
            "if" | "while" => self.python_branch(word, out),
            "for" => {
                self.at += 1;
                let target = self.targets();
                self.eat_word("in");
                let list = self.comma_list();
                let body = self.suite();
                out.push(Stmt::Loop { target: Some(target), list: Some(list), body });
                self.skip_before(&["else"]);
                if self.eat_word("else") {
                    let otherwise = self.suite();
                    out.extend(otherwise);
                }
            }
            "try" => self.python_try(out),
            "with" => self.python_with(out),
            "def" => {
                self.at += 1;
                let name = self.name().unwrap_or_default();
                let parameters = if self.op("(") { self.parameters() } else { Vec::new() };
                if self.eat("->") {
                    self.expression(ITEM);
                }
                let body = self.suite();
                out.push(define(name, parameters, body));
            }
            "class" => {
                self.at += 1;
                let name = self.name().unwrap_or_default();
                if self.op("(") {
                    let bases = self.arguments();
                    out.push(Stmt::Expr(Expr::Plain(bases.into_iter().map(|base| base.value).collect())));
                }
                let body = self.suite();
                out.push(Stmt::Class(name, body));
            }
            "async" => self.at += 1,
            "match" if matches!(self.kind_at(1), Some(Tok::Name(_))) => {
                self.at += 1;
                let subject = self.item();
                let body = self.suite();
                out.push(Stmt::Branch(vec![subject], vec![body, Vec::new()]));
            }
            "case" if matches!(self.kind_at(1), Some(Tok::Name(_) | Tok::Text(_) | Tok::Number(_))) => {
                self.at += 1;
                self.expression(1);
                let body = self.suite();
                out.push(Stmt::Branch(Vec::new(), vec![body, Vec::new()]));
            }
            "import" => self.python_import(out),
            "from" => self.python_from(out),
            "return" | "raise" => {
                self.at += 1;
                let value = (!matches!(self.kind(), None | Some(Tok::Newline | Tok::Op(";"))))
                    .then(|| self.comma_list());
                if word == "raise" && self.eat_word("from") {
                    self.item();
                }
                out.push(Stmt::Return(value));
            }
            "pass" | "break" | "continue" => self.at += 1,
            "global" | "nonlocal" => {
                self.at += 1;
                let list = self.comma_list();
                let names = if let Expr::List(names) = list { names } else { vec![list] };
                out.push(Stmt::Expr(Expr::Outer(names)));
            }
            "del" | "assert" => {
                self.at += 1;
                let list = self.comma_list();
                out.push(Stmt::Expr(Expr::Plain(vec![list])));
            }
            _ => return false,
        }
        true
    }

    /// `if` and `while`, which have the same parts.
    fn python_branch(&mut self, word: &str, out: &mut Vec<Stmt>) {
        let mut conditions = Vec::new();
        let mut ways = Vec::new();
        let mut closed = false;
        self.at += 1;
        conditions.push(self.expression(ITEM));
        ways.push(self.suite());
        loop {
            self.skip_before(&["elif", "else"]);
            if self.eat_word("elif") {
                conditions.push(self.expression(ITEM));
                ways.push(self.suite());
            } else if self.eat_word("else") {
                ways.push(self.suite());
                closed = true;
            } else {
                break;
            }
        }
        if word == "while" {
            let mut body = conditions.into_iter().map(Stmt::Expr).collect::<Vec<_>>();
            body.extend(ways.into_iter().flatten());
            out.push(Stmt::Loop { target: None, list: None, body });
            return;
        }
        if !closed {
            ways.push(Vec::new());
        }
        out.push(Stmt::Branch(conditions, ways));
    }

    /// `try` with all that handles or follows it.
    fn python_try(&mut self, out: &mut Vec<Stmt>) {
        self.at += 1;
        let body = self.suite();
        out.push(attempt(body));
        loop {
            self.skip_before(&["except", "else", "finally"]);
            if self.eat_word("except") {
                self.eat("*");
                if !self.op(":") {
                    self.expression(ITEM);
                    while self.eat(",") {
                        self.expression(ITEM);
                    }
                    if self.eat_word("as") {
                        self.at += 1;
                    }
                }
                let handler = self.suite();
                out.push(Stmt::Branch(Vec::new(), vec![handler, Vec::new()]));
            } else if self.eat_word("else") || self.eat_word("finally") {
                let last = self.suite();
                out.extend(last);
            } else {
                break;
            }
        }
    }

    /// `with` and its body.
    fn python_with(&mut self, out: &mut Vec<Stmt>) {
        self.at += 1;
        let brackets = self.op("(") && self.as_inside();
        self.at += usize::from(brackets);
        loop {
            let value = self.expression(ITEM);
            let target = self.eat_word("as").then(|| self.postfix());
            out.push(Stmt::With(value, target));
            if !self.eat(",") {
                break;
            }
        }
        if brackets {
            self.close(")");
        }
        let body = self.suite();
        out.extend(body);
    }

    /// `import a.b as c, d`.
    fn python_import(&mut self, out: &mut Vec<Stmt>) {
        self.at += 1;
        while let Some(name) = self.dotted() {
            let bound = if self.eat_word("as") {
                self.name().unwrap_or_default()
            } else {
                name.split('.').next().unwrap_or_default().to_owned()
            };
            // `import a.b` runs both and binds `a`, and so does `import a.b as c` bind the whole.
            let name = if name.contains('.') && name.starts_with(&format!("{bound}.")) {
                out.push(Stmt::Import { name, bound: String::new() });
                bound.clone()
            } else {
                name
            };
            out.push(Stmt::Import { name, bound });
            if !self.eat(",") {
                break;
            }
        }
    }

    /// `from a import b as c`.
    fn python_from(&mut self, out: &mut Vec<Stmt>) {
        self.at += 1;
        let mut module = String::new();
        while self.eat(".") || self.eat("...") || self.eat("..") {
            module.push('.');
        }
        if !self.is_word("import") {
            module.push_str(&self.dotted().unwrap_or_default());
        }
        self.eat_word("import");
        let brackets = self.eat("(");
        if self.eat("*") {
            out.push(Stmt::Import { name: module.clone(), bound: "*".to_owned() });
        }
        while let Some(name) = self.name() {
            let bound = if self.eat_word("as") { self.name().unwrap_or_default() } else { name.clone() };
            out.push(Stmt::Import { name: format!("{module}.{name}"), bound });
            if !self.eat(",") {
                break;
            }
        }
        if brackets {
            self.close(")");
        }
    }

    /// `@a`, `@b(c)` and the function or class behind them.
    pub(super) fn decorated(&mut self, out: &mut Vec<Stmt>) {
        let mut with = Vec::new();
        while self.eat("@") {
            with.push(self.item());
            while matches!(self.kind(), Some(Tok::Newline)) {
                self.at += 1;
            }
        }
        let mut inner = Vec::new();
        while inner.is_empty() && self.kind().is_some() {
            let before = self.at;
            self.statement(&mut inner);
            if self.at == before {
                break;
            }
        }
        let name = match inner.last() {
            Some(Stmt::Define(name, _) | Stmt::Class(name, _)) => Some(name.clone()),
            _ => None,
        };
        out.append(&mut inner);
        match name {
            Some(name) => out.push(Stmt::Decorate { name, with }),
            None => out.push(Stmt::Expr(Expr::Plain(with))),
        }
    }

    /// Passes line ends in front of one of these words, and of nothing else.
    pub(super) fn skip_before(&mut self, words: &[&str]) {
        let mut ahead = 0;
        while matches!(self.kind_at(ahead), Some(Tok::Newline)) {
            ahead += 1;
        }
        if matches!(self.kind_at(ahead), Some(Tok::Name(name)) if words.contains(&name.as_str())) {
            self.at += ahead;
        }
    }

    pub(super) fn as_inside(&self) -> bool {
        let close = self.partners.get(self.at).copied().unwrap_or(usize::MAX).min(self.tokens.len());
        self.tokens
            .get(self.at..close)
            .unwrap_or_default()
            .iter()
            .any(|t| t.kind == Tok::Name("as".to_owned()))
    }
}
