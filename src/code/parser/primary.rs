//! Operands: literals, names, brackets, functions.

use std::rc::Rc;

use crate::code::language::Language;
use crate::code::lexer::{Piece, Tok};
use crate::code::tree::{Argument, Expr, Function, Operator, Part, Stmt};

use super::Parser;
use super::expression::{UNARY, changed};

impl Parser {
    pub(super) fn parts(&self, pieces: &[Piece]) -> Vec<Part> {
        pieces
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => Part::Text(text.clone()),
                Piece::Code(code) => Part::Value(self.inner(code)),
            })
            .collect()
    }

    pub(super) fn primary(&mut self) -> Expr {
        let Some(kind) = self.kind().cloned() else { return Expr::Plain(Vec::new()) };
        match kind {
            Tok::Number(number) => {
                self.at += 1;
                Expr::Number(number)
            }
            Tok::Text(pieces) => {
                self.at += 1;
                let mut parts = self.parts(&pieces);
                // Texts that follow each other are one text in Python and Ruby.
                while matches!(self.language, Language::Python | Language::Ruby)
                    && !self.new_line_in_ruby()
                    && let Some(Tok::Text(more)) = self.kind().cloned()
                {
                    self.at += 1;
                    parts.extend(self.parts(&more));
                }
                Expr::Text(parts)
            }
            Tok::Shell(pieces) => {
                self.at += 1;
                Expr::Shell(self.parts(&pieces))
            }
            Tok::Regex { code, changes } => {
                self.at += 1;
                let code = Expr::Plain(code.map(|code| self.inner(&code)).into_iter().collect());
                // Bound to nothing, it changes what everything falls back to.
                let bound = self.at.checked_sub(2).and_then(|at| self.tokens.get(at));
                if changes && !bound.is_some_and(|before| matches!(before.kind, Tok::Op("=~" | "!~"))) {
                    return changed(Expr::Name("$_".to_owned()), code);
                }
                code
            }
            Tok::Words(words) => {
                self.at += 1;
                Expr::List(words.into_iter().map(|word| Expr::Text(vec![Part::Text(word)])).collect())
            }
            Tok::Glob(pieces) => {
                self.at += 1;
                Expr::Glob(self.parts(&pieces))
            }
            Tok::Input => {
                self.at += 1;
                Expr::Input
            }
            Tok::Variable(name) => {
                self.at += 1;
                self.variable(&name)
            }
            Tok::Op(op) => self.bracketed(op),
            Tok::Name(name) => self.named(&name),
            Tok::Newline | Tok::Indent | Tok::Dedent => Expr::Plain(Vec::new()),
        }
    }

    fn new_line_in_ruby(&self) -> bool {
        self.language == Language::Ruby && self.new_line()
    }

    /// Perl's `$x[0]` is of `@x`, `$x{a}` of `%x`; the sigil stays part of the name.
    fn variable(&mut self, name: &str) -> Expr {
        if self.language != Language::Perl {
            return Expr::Name(name.to_owned());
        }
        if name.starts_with("$#") {
            return Expr::Plain(Vec::new());
        }
        if let Some(function) = name.strip_prefix('&') {
            return Expr::Name(function.to_owned());
        }
        let bare = name.trim_start_matches(['$', '@', '%']);
        let dereferenced = name.starts_with("$$") || name.starts_with("@$") || name.starts_with("%$");
        if !dereferenced && !name.starts_with('%') && !self.spaced() {
            if self.op("[") {
                let index = self.list("[");
                return Expr::Index(Box::new(Expr::Name(format!("@{bare}"))), Box::new(first(index)));
            }
            if self.op("{") {
                let key = self.subscript();
                return Expr::Index(Box::new(Expr::Name(format!("%{bare}"))), Box::new(key));
            }
        }
        Expr::Name(if dereferenced { format!("${bare}") } else { name.to_owned() })
    }

    /// `{key}` behind a value.
    pub(super) fn subscript(&mut self) -> Expr {
        self.at += 1;
        let key = match (self.kind().cloned(), self.op_at(1, "}")) {
            (Some(Tok::Name(name)), true) => {
                self.at += 1;
                Expr::Text(vec![Part::Text(name)])
            }
            _ => self.item(),
        };
        self.close("}");
        key
    }

    /// Passes to behind the closing bracket.
    pub(super) fn close(&mut self, op: &str) {
        while !self.op(op) {
            if self.kind().is_none() || matches!(self.kind(), Some(Tok::Op(")" | "]" | "}"))) {
                self.faults = true;
                return;
            }
            self.fault();
        }
        self.at += 1;
    }

    fn bracketed(&mut self, op: &'static str) -> Expr {
        match op {
            "(" => {
                if self.language == Language::Node && self.arrow_after_brackets() {
                    return self.arrow();
                }
                let comma_before = self.at;
                let mut list = self.list("(");
                let end = self.at.saturating_sub(2);
                let tuple = end > comma_before
                    && self.tokens.get(end).is_some_and(|token| token.kind == Tok::Op(","));
                if list.len() == 1 && !tuple { list.remove(0) } else { Expr::List(list) }
            }
            "[" => Expr::List(self.list("[")),
            "{" => self.map(),
            "->" if self.language == Language::Ruby => {
                self.at += 1;
                let parameters = if self.op("(") { self.parameters() } else { Vec::new() };
                self.block_function(parameters)
            }
            "::" => {
                self.at += 1;
                self.primary()
            }
            // A variable whose name is a value.
            "$" if self.language == Language::Php => {
                self.at += 1;
                let name = if self.op("{") { self.subscript() } else { self.primary() };
                Expr::Index(Box::new(Expr::Name("$GLOBALS".to_owned())), Box::new(name))
            }
            ")" | "]" | "}" | "," | ";" | ":" | "=>" => Expr::Plain(Vec::new()),
            _ => {
                self.fault();
                Expr::Plain(Vec::new())
            }
        }
    }

    /// The elements in brackets, a comprehension included.
    pub(super) fn list(&mut self, open: &str) -> Vec<Expr> {
        let close = if open == "(" { ")" } else { "]" };
        self.at += 1;
        let (no_in, no_do) = (std::mem::take(&mut self.no_in), std::mem::take(&mut self.no_do));
        let mut list = Vec::new();
        loop {
            self.skip_newlines();
            if self.op(close) || self.kind().is_none() {
                break;
            }
            let before = self.at;
            let element = self.expression(1);
            let element =
                if self.language == Language::Python { self.comprehension(element) } else { element };
            list.push(element);
            self.skip_newlines();
            if !self.eat(",") && !self.eat("=>") && !self.eat(";") {
                if self.at == before {
                    self.fault();
                } else if !self.op(close) {
                    break;
                }
            }
        }
        self.close(close);
        (self.no_in, self.no_do) = (no_in, no_do);
        list
    }

    pub(super) fn skip_newlines(&mut self) {
        while matches!(self.kind(), Some(Tok::Newline | Tok::Indent | Tok::Dedent)) {
            self.at += 1;
        }
    }

    /// `body for target in list if condition …` behind its body.
    pub(super) fn comprehension(&mut self, body: Expr) -> Expr {
        let mut clauses = Vec::new();
        let mut conditions = Vec::new();
        while self.word_in(&["for", "async"]) {
            self.at += 1;
            self.eat_word("for");
            let target = self.targets();
            self.eat_word("in");
            let list = self.expression(6);
            clauses.push((target, list));
            while self.eat_word("if") {
                conditions.push(self.expression(6));
            }
        }
        if clauses.is_empty() {
            return body;
        }
        let body = conditions
            .into_iter()
            .rev()
            .fold(body, |body, condition| Expr::Binary(Operator::Both, Box::new(condition), Box::new(body)));
        clauses.into_iter().rev().fold(body, |body, (target, list)| Expr::Each {
            target: Box::new(target),
            list: Box::new(list),
            body: Box::new(body),
        })
    }

    /// Loop variables up to `in`.
    pub(super) fn targets(&mut self) -> Expr {
        let no_in = std::mem::replace(&mut self.no_in, true);
        let mut list = vec![self.item()];
        while self.eat(",") {
            list.push(self.item());
        }
        self.no_in = no_in;
        if list.len() == 1 { list.remove(0) } else { Expr::List(list) }
    }

    /// Braces in the place of a value: a map or a set.
    fn map(&mut self) -> Expr {
        self.at += 1;
        let no_in = std::mem::take(&mut self.no_in);
        let mut entries = Vec::new();
        let mut elements = Vec::new();
        loop {
            self.skip_newlines();
            if self.op("}") || self.kind().is_none() {
                break;
            }
            let before = self.at;
            // `get x() { … }` of JavaScript.
            if self.language == Language::Node
                && self.word_in(&["get", "set", "async"])
                && matches!(self.kind_at(1), Some(Tok::Name(_) | Tok::Text(_) | Tok::Op("[" | "*")))
            {
                self.at += 1;
            }
            let key = match (self.kind().cloned(), self.kind_at(1)) {
                (Some(Tok::Name(name)), Some(Tok::Op(":" | "=>" | "="))) => {
                    self.at += 1;
                    Expr::Text(vec![Part::Text(name)])
                }
                // `{ a, b }` and methods of JavaScript.
                (Some(Tok::Name(name)), Some(Tok::Op("," | "}"))) if self.language == Language::Node => {
                    self.at += 1;
                    entries.push((Expr::Text(vec![Part::Text(name.clone())]), Expr::Name(name)));
                    self.eat(",");
                    continue;
                }
                (Some(Tok::Name(name)), Some(Tok::Op("("))) if self.language == Language::Node => {
                    self.at += 1;
                    let function = self.function_rest();
                    entries.push((Expr::Text(vec![Part::Text(name)]), function));
                    self.eat(",");
                    continue;
                }
                _ => self.item(),
            };
            if self.eat(":") || self.eat("=>") || self.eat("=") {
                self.skip_newlines();
                let value = self.item();
                if self.language == Language::Python && self.word_in(&["for", "async"]) {
                    elements.push(self.comprehension(Expr::Plain(vec![key, value])));
                } else {
                    entries.push((key, value));
                }
            } else {
                let key = if self.language == Language::Python { self.comprehension(key) } else { key };
                elements.push(key);
            }
            self.skip_newlines();
            if !self.eat(",") && !self.eat(";") && self.at == before {
                self.fault();
            }
        }
        self.close("}");
        self.no_in = no_in;
        if entries.is_empty() && !elements.is_empty() {
            Expr::List(elements)
        } else {
            entries.extend(elements.into_iter().map(|e| (Expr::Plain(Vec::new()), e)));
            Expr::Map(entries)
        }
    }

    /// `(…) =>` begins here.
    fn arrow_after_brackets(&self) -> bool {
        let close = self.partners.get(self.at).copied().unwrap_or(usize::MAX);
        close != usize::MAX && self.tokens.get(close + 1).is_some_and(|token| token.kind == Tok::Op("=>"))
    }

    fn arrow(&mut self) -> Expr {
        let parameters = if self.op("(") { self.parameters() } else { vec![self.parameter()] };
        self.eat("=>");
        let body = if self.op("{") { self.braces() } else { vec![Stmt::Return(Some(self.item()))] };
        function(parameters, body)
    }

    fn named(&mut self, name: &str) -> Expr {
        use Language::{Lua, Node, Perl, Php, Python, Ruby};
        let start = self.at;
        self.at += 1;
        match (self.language, name) {
            (Python, "lambda") => return self.python_lambda(),
            (Python, "await")
            | (Node, "await" | "void" | "typeof" | "new" | "yield" | "delete")
            | (Php, "new" | "clone" | "yield") => {
                if name == "yield" {
                    let all = self.eat("*") || self.eat_word("from");
                    let given = if self.starts_operand() || self.op("{") {
                        self.item()
                    } else {
                        Expr::Plain(Vec::new())
                    };
                    return Expr::Yield(all, Box::new(given));
                }
                let operand = self.expression(UNARY);
                return if matches!(name, "await" | "new") { operand } else { Expr::Plain(vec![operand]) };
            }
            (Python, "yield") => return self.python_yield(),
            (Node, "async")
                if matches!(self.kind(), Some(Tok::Name(_) | Tok::Op("("))) && !self.new_line() =>
            {
                return self.primary();
            }
            (Node | Php | Lua, "function") | (Node, "class") | (Php, "fn") => {
                return self.unnamed(name, start);
            }
            (Node, _) if self.op("=>") => {
                self.at = start;
                return self.arrow();
            }
            (Perl, "sub") => {
                if self.op("(") {
                    self.parameters();
                }
                let body = self.braces();
                return function(Vec::new(), body);
            }
            (Perl, "my" | "our" | "local" | "state") => return self.expression(UNARY),
            (Perl, "do" | "eval") if self.op("{") => return Expr::Block(self.braces()),
            (Perl | Ruby | Php, "return" | "next" | "last" | "break" | "redo" | "throw" | "continue") => {
                let value = self.starts_operand().then(|| self.item());
                return Expr::Plain(value.into_iter().collect());
            }
            (Ruby, "alias") => {
                let (new, old) = (self.symbol(), self.symbol());
                let method = Box::new(Expr::Name("method".to_owned()));
                let value = Expr::Text(vec![Part::Text(old)]);
                let value = Expr::Call(method, vec![Argument { name: None, value, spread: false }]);
                let target = Box::new(Expr::Name(new));
                return Expr::Assign { target, value: Box::new(value), adds: false };
            }
            (Ruby, "lambda" | "proc") if self.op("{") || self.is_word("do") => {
                return self.block_function(Vec::new());
            }
            (Ruby, "begin" | "if" | "unless" | "case" | "while" | "until" | "def" | "for") => {
                self.at = start;
                let mut body = Vec::new();
                self.statement(&mut body);
                return Expr::Block(body);
            }
            (Ruby, "end" | "then" | "do" | "else" | "elsif" | "when" | "rescue" | "ensure")
            | (Lua, "end" | "then" | "do" | "else" | "elseif" | "until")
            | (Python, "else" | "for" | "in" | "if") => {
                self.at = start;
                return Expr::Plain(Vec::new());
            }
            (Python, "None" | "True" | "False")
            | (Node, "null" | "true" | "false" | "undefined")
            | (Ruby | Lua, "nil" | "true" | "false") => return Expr::Plain(Vec::new()),
            _ => {}
        }
        self.command(name)
    }

    /// What a function of Python gives before it ends.
    fn python_yield(&mut self) -> Expr {
        let all = self.eat_word("from");
        let given = if self.starts_operand() || matches!(self.kind(), Some(Tok::Op("{" | "-" | "*"))) {
            self.comma_list()
        } else {
            Expr::Plain(Vec::new())
        };
        Expr::Yield(all, Box::new(given))
    }

    /// A function of Python without a name.
    fn python_lambda(&mut self) -> Expr {
        let mut parameters = Vec::new();
        while !self.op(":") && self.kind().is_some() {
            let before = self.at;
            // A colon here begins the body, so types are not looked for.
            let rest = self.eat("*");
            if let Some(Tok::Name(name)) = self.kind().cloned() {
                self.at += 1;
                let target = Expr::Name(name);
                parameters.push(if rest {
                    Expr::Rest(Box::new(target))
                } else if self.eat("=") {
                    let value = Box::new(self.expression(4));
                    Expr::Assign { target: Box::new(target), value, adds: false }
                } else {
                    target
                });
            } else {
                self.at += 1;
            }
            self.eat(",");
            if self.at == before {
                self.fault();
            }
        }
        self.eat(":");
        let body = vec![Stmt::Return(Some(self.expression(4)))];
        function(parameters, body)
    }

    /// A function or class without a name.
    fn unnamed(&mut self, name: &str, start: usize) -> Expr {
        if name == "class" {
            self.at = start;
            let mut body = Vec::new();
            self.statement(&mut body);
            return Expr::Block(body);
        }
        self.eat("*");
        if matches!(self.kind(), Some(Tok::Name(_))) {
            self.at += 1;
        }
        if name == "fn" {
            let parameters = self.parameters();
            self.eat("=>");
            let body = vec![Stmt::Return(Some(self.item()))];
            return function(parameters, body);
        }
        self.function_rest()
    }
}

impl Parser {
    /// The name that comes, as itself or as a symbol.
    fn symbol(&mut self) -> String {
        let name = match self.kind() {
            Some(Tok::Name(name) | Tok::Variable(name)) => name.clone(),
            Some(Tok::Text(pieces)) => match pieces.as_slice() {
                [Piece::Text(name)] => name.clone(),
                _ => return String::new(),
            },
            _ => return String::new(),
        };
        self.at += 1;
        name
    }
}

pub(super) fn function(parameters: Vec<Expr>, body: Vec<Stmt>) -> Expr {
    Expr::Function(Rc::new(Function { parameters, body }))
}

pub(super) fn first(mut list: Vec<Expr>) -> Expr {
    if list.is_empty() { Expr::Plain(Vec::new()) } else { list.remove(0) }
}
