//! Statements of JavaScript, PHP and Perl, whose blocks stand in braces.

use crate::code::language::Language;
use crate::code::lexer::Tok;
use crate::code::tree::{Argument, Expr, Operator, Part, Stmt};

use super::Parser;
use super::expression::{ITEM, UNARY};
use super::statement::{attempt, define};

impl Parser {
    /// JavaScript, PHP, Perl.
    pub(super) fn braced(&mut self, word: &str, out: &mut Vec<Stmt>) -> bool {
        let language = self.language;
        let next_is_key = matches!(self.kind_at(1), Some(Tok::Op(":" | "=>" | "," | "=" | "." | "->")));
        match word {
            _ if next_is_key && word != "default" && !matches!(word, "return") => return false,
            "if" | "unless" => self.braced_branch(out),
            "while" | "until" | "switch" => {
                self.at += 1;
                let mut body = self.head().into_iter().map(Stmt::Expr).collect::<Vec<_>>();
                body.extend(self.braces());
                out.push(Stmt::Loop { target: None, list: None, body });
            }
            "do" if self.op_at(1, "{") => self.braced_do(out),
            "for" | "foreach" => self.braced_loop(out),
            "try" | "finally" => {
                self.at += 1;
                let body = self.braces();
                out.push(attempt(body));
            }
            "catch" => self.braced_catch(out),
            "case" | "default" if language != Language::Perl => {
                self.at += 1;
                if word == "case" {
                    let condition = self.item();
                    out.push(Stmt::Expr(condition));
                }
                self.eat(":");
            }
            "function" | "sub" if matches!(self.kind_at(1), Some(Tok::Name(_) | Tok::Op("*" | "&"))) => {
                self.braced_function(out)
            }
            "BEGIN" | "END" | "INIT" | "CHECK" | "UNITCHECK"
                if language == Language::Perl && self.op_at(1, "{") =>
            {
                self.at += 1;
                let body = self.braces();
                out.extend(body);
            }
            "async" if matches!(self.kind_at(1), Some(Tok::Name(n)) if n == "function") => self.at += 1,
            "const" | "let" | "var" | "static" | "public" | "private" | "protected" | "export"
            | "declare" | "global"
                if language != Language::Perl =>
            {
                self.braced_variable(word, out)
            }
            "class" | "interface" | "trait" | "namespace" if language != Language::Perl => {
                self.braced_class(out)
            }
            "import" if language == Language::Node && !self.op_at(1, "(") => self.node_import(out),
            "use" | "no" if language != Language::Node => self.use_module(out),
            "package" if language == Language::Perl => {
                self.at += 2;
            }
            "return" | "throw" => {
                self.at += 1;
                let value = (self.starts_operand() || matches!(self.kind(), Some(Tok::Op("{" | "-" | "+"))))
                    .then(|| self.comma_list());
                let statement = self.modified(Stmt::Return(value));
                out.push(statement);
                self.eat(";");
            }
            "break" | "continue" | "next" | "last" | "redo" | "debugger" => {
                self.at += 1;
                if matches!(self.kind(), Some(Tok::Name(name)) if name.chars().all(char::is_uppercase)) {
                    self.at += 1;
                }
                let statement = self.modified(Stmt::Expr(Expr::Plain(Vec::new())));
                out.push(statement);
                self.eat(";");
            }
            _ => return false,
        }
        true
    }

    /// What handles an exception.
    fn braced_catch(&mut self, out: &mut Vec<Stmt>) {
        self.at += 1;
        if self.op("(") {
            self.at = self.partners.get(self.at).copied().unwrap_or(usize::MAX).min(self.tokens.len());
            self.close(")");
        }
        let body = self.braces();
        out.push(Stmt::Branch(Vec::new(), vec![body, Vec::new()]));
    }

    /// A block that runs once at least.
    fn braced_do(&mut self, out: &mut Vec<Stmt>) {
        self.at += 1;
        let body = self.braces();
        out.extend(body);
        if self.word_in(&["while", "until"]) {
            self.at += 1;
            let condition = self.expression(1);
            out.push(Stmt::Expr(condition));
        }
    }

    /// A word in front of what is declared.
    fn braced_variable(&mut self, word: &str, out: &mut Vec<Stmt>) {
        self.at += 1;
        if word == "export" {
            self.eat_word("default");
        } else if matches!(word, "const" | "let" | "var") {
            self.simple(out);
            // Functions inside set it later.
            if let Some(Stmt::Expr(Expr::Name(name))) = out.last() {
                let (target, value) = (Expr::Name(name.clone()), Expr::Plain(Vec::new()));
                let (target, value) = (Box::new(target), Box::new(value));
                out.push(Stmt::Expr(Expr::Assign { target, value, adds: false }));
            }
        }
    }

    /// `if` with its other ways.
    fn braced_branch(&mut self, out: &mut Vec<Stmt>) {
        let mut conditions = Vec::new();
        let mut ways = Vec::new();
        let mut closed = false;
        self.at += 1;
        conditions.extend(self.head());
        ways.push(self.braces());
        loop {
            let again = self.eat_word("elsif")
                || self.eat_word("elseif")
                || (self.is_word("else") && matches!(self.kind_at(1), Some(Tok::Name(n)) if n == "if") && {
                    self.at += 2;
                    true
                });
            if again {
                conditions.extend(self.head());
                ways.push(self.braces());
            } else if self.eat_word("else") {
                ways.push(self.braces());
                closed = true;
            } else {
                break;
            }
        }
        if !closed {
            ways.push(Vec::new());
        }
        out.push(Stmt::Branch(conditions, ways));
    }

    /// A function with a name.
    fn braced_function(&mut self, out: &mut Vec<Stmt>) {
        let language = self.language;
        self.at += 1;
        self.eat("*");
        self.eat("&");
        let name = self.name().unwrap_or_default();
        let (parameters, body) = if language == Language::Perl {
            if self.op("(") {
                self.at = self.partners.get(self.at).copied().unwrap_or(usize::MAX).min(self.tokens.len());
                self.close(")");
            }
            (Vec::new(), self.braces())
        } else {
            match self.function_rest() {
                Expr::Function(function) => {
                    out.push(Stmt::Define(name, function));
                    return;
                }
                _ => (Vec::new(), Vec::new()),
            }
        };
        if matches!(name.as_str(), "BEGIN" | "END" | "INIT" | "CHECK" | "UNITCHECK") {
            out.extend(body);
        } else {
            out.push(define(name, parameters, body));
        }
    }

    /// A class, and what it is made of.
    fn braced_class(&mut self, out: &mut Vec<Stmt>) {
        let language = self.language;
        self.at += 1;
        let unnamed = self.word_in(&["extends", "implements"]);
        let name = if unnamed { String::new() } else { self.name().unwrap_or_default() };
        if language == Language::Node && self.eat_word("extends") {
            let parent = self.expression(UNARY);
            out.push(Stmt::Expr(parent));
        }
        while !self.op("{") && !self.op(";") && self.kind().is_some() {
            self.at += 1;
        }
        let body = self.class_body();
        out.push(Stmt::Class(name, body));
    }

    /// Members of a class.
    pub(super) fn class_body(&mut self) -> Vec<Stmt> {
        let mut body = Vec::new();
        if !self.eat("{") {
            return body;
        }
        while !self.op("}") && self.kind().is_some() {
            let before = self.at;
            while self.word_in(&[
                "static",
                "async",
                "get",
                "set",
                "public",
                "private",
                "protected",
                "readonly",
                "function",
            ]) && matches!(self.kind_at(1), Some(Tok::Name(_) | Tok::Variable(_)))
            {
                self.at += 1;
            }
            match (self.kind().cloned(), self.op_at(1, "(")) {
                (Some(Tok::Name(name)), true) => {
                    self.at += 1;
                    if let Expr::Function(function) = self.function_rest() {
                        body.push(Stmt::Define(name, function));
                    }
                }
                _ => self.statement(&mut body),
            }
            if self.at == before {
                self.fault();
            }
        }
        self.close("}");
        body
    }

    /// A condition in parentheses.
    pub(super) fn head(&mut self) -> Vec<Expr> {
        if self.op("(") { self.list("(") } else { vec![self.expression(ITEM)] }
    }

    /// `(let i = 0, n = 9; i < n; i++)`: what stands in each of the three places.
    fn counting_head(&mut self) -> [Vec<Expr>; 3] {
        let mut parts = [Vec::new(), Vec::new(), Vec::new()];
        if !self.eat("(") {
            parts[1].push(self.expression(ITEM));
            return parts;
        }
        let mut place = 0;
        while self.kind().is_some() && !self.op(")") {
            let before = self.at;
            if self.eat(";") {
                place = (place + 1).min(2);
            } else if !self.eat(",") && !self.declares() {
                parts[place].push(self.item());
            }
            self.at += usize::from(self.at == before);
        }
        self.close(")");
        parts
    }

    /// A word that says that a variable is a new one.
    fn declares(&mut self) -> bool {
        let words = ["let", "const", "var", "my", "our", "local"];
        let found = self.word_in(&words) && !matches!(self.kind_at(1), Some(Tok::Op(_)));
        self.at += usize::from(found);
        found
    }

    /// Whether what was read since a place sets a variable.
    fn sets(&self, name: &str, since: usize) -> bool {
        let op = |at: usize| match self.tokens.get(at).map(|token| &token.kind) {
            Some(Tok::Op(op)) => *op,
            _ => "",
        };
        (since..self.at.min(self.tokens.len())).any(|at| {
            let named = match &self.tokens[at].kind {
                Tok::Name(found) | Tok::Variable(found) => found == name,
                _ => false,
            };
            let (before, after) = (op(at.wrapping_sub(1)), op(at + 1));
            let compares = matches!(after, "==" | "===" | "!=" | "!==" | "<=" | ">=" | "=>");
            named
                && (after.ends_with('=') && !compares
                    || [before, after].iter().any(|op| matches!(*op, "++" | "--")))
        })
    }

    pub(super) fn braced_loop(&mut self, out: &mut Vec<Stmt>) {
        self.at += 1;
        self.eat_word("await");
        let mut target = None;
        if self.language == Language::Perl {
            while self.word_in(&["my", "our", "local", "state"]) {
                self.at += 1;
            }
            target = match self.kind().cloned() {
                Some(Tok::Variable(name)) => {
                    self.at += 1;
                    Some(Expr::Name(name))
                }
                _ => Some(Expr::Name("$_".to_owned())),
            };
        }
        let close = self.partners.get(self.at).copied().unwrap_or(usize::MAX).min(self.tokens.len());
        let head = self.tokens.get(self.at..close).unwrap_or_default();
        let counted = head.iter().any(|token| token.kind == Tok::Op(";"));
        if counted || !self.op("(") {
            let compared = |signs: [&str; 2]| {
                head.iter().any(|token| matches!(token.kind, Tok::Op(op) if signs.contains(&op)))
            };
            let (below, above) = (compared(["<", "<="]), compared([">", ">="]));
            let [first, last, step] = self.counting_head();
            let start = self.at;
            let mut body = self.braces();
            let range = Counting::of(&first, &last, &step)
                .filter(|counting| !self.sets(&counting.name, start))
                .and_then(|counting| counting.range(below, above));
            out.extend(first.into_iter().map(Stmt::Expr));
            if let Some((target, list)) = range {
                out.push(Stmt::Loop { target: Some(target), list: Some(list), body });
                return;
            }
            body.splice(0..0, last.into_iter().map(Stmt::Expr));
            body.extend(step.into_iter().map(Stmt::Expr));
            out.push(Stmt::Loop { target: None, list: None, body });
            return;
        }
        let list = match self.language {
            Language::Perl => Some(Expr::List(self.list("("))),
            Language::Php => {
                self.at += 1;
                let list = self.item();
                self.eat_word("as");
                target = Some(self.item());
                if self.eat("=>") {
                    target = Some(self.item());
                }
                self.close(")");
                Some(list)
            }
            _ => {
                self.at += 1;
                while self.word_in(&["const", "let", "var"]) {
                    self.at += 1;
                }
                target = Some(self.targets());
                self.eat_word("of");
                self.eat_word("in");
                let list = self.item();
                self.close(")");
                Some(list)
            }
        };
        let body = self.braces();
        out.push(Stmt::Loop { target, list, body });
    }

    /// `import a, {b as c}, * as d from 'm'`
    pub(super) fn node_import(&mut self, out: &mut Vec<Stmt>) {
        self.at += 1;
        self.eat_word("type");
        let mut names: Vec<(Option<String>, String)> = Vec::new();
        let mut module = None;
        while self.kind().is_some() && module.is_none() {
            match self.kind().cloned() {
                Some(Tok::Text(pieces)) => {
                    let parts = self.parts(&pieces);
                    if let [Part::Text(text)] = parts.as_slice() {
                        module = Some(text.clone());
                    }
                    self.at += 1;
                    break;
                }
                Some(Tok::Op("*")) => {
                    self.at += 1;
                    self.eat_word("as");
                    let bound = self.name().unwrap_or_default();
                    names.push((None, bound));
                }
                Some(Tok::Op("{")) => {
                    self.at += 1;
                    while let Some(name) = self.name() {
                        let bound =
                            if self.eat_word("as") { self.name().unwrap_or_default() } else { name.clone() };
                        names.push((Some(name), bound));
                        if !self.eat(",") {
                            break;
                        }
                    }
                    self.close("}");
                }
                Some(Tok::Name(name)) => {
                    self.at += 1;
                    if name != "from" {
                        names.push((None, name));
                    }
                }
                _ => self.at += 1,
            }
        }
        let module = module.unwrap_or_default();
        if names.is_empty() {
            out.push(Stmt::Import { name: module.clone(), bound: String::new() });
        }
        for (member, bound) in names {
            let name = match member {
                Some(member) if member != "default" => format!("{module}\u{0}{member}"),
                _ => module.clone(),
            };
            out.push(Stmt::Import { name, bound });
        }
        self.eat(";");
    }

    /// `use File::Path qw(rmtree);`
    pub(super) fn use_module(&mut self, out: &mut Vec<Stmt>) {
        self.at += 1;
        if let Some(name) = self.name() {
            if name == "lib" && self.language == Language::Perl {
                let places = Argument { name: None, value: self.comma_list(), spread: false };
                let add = Expr::Attribute(Box::new(Expr::Name(name)), "import".to_owned());
                out.push(Stmt::Expr(Expr::Call(Box::new(add), vec![places])));
            } else {
                out.push(Stmt::Import { name, bound: String::new() });
                if self.language == Language::Perl && self.starts_operand() {
                    let given = self.comma_list();
                    out.push(Stmt::Expr(Expr::Plain(vec![given])));
                }
            }
        }
        while !self.op(";") && self.kind().is_some() && !self.op("}") {
            self.at += 1;
        }
        self.eat(";");
    }
}

/// A loop that counts: from which number, up or down, and what its variable is compared with.
struct Counting {
    name: String,
    first: Expr,
    end: Expr,
    up: bool,
}

impl Counting {
    /// None: it goes on in another way.
    fn of(first: &[Expr], last: &[Expr], step: &[Expr]) -> Option<Self> {
        let [Expr::Assign { target, value, adds: false }] = first else { return None };
        let (Expr::Name(name), Expr::Number(_)) = (target.as_ref(), value.as_ref()) else { return None };
        let [Expr::Plain(compared)] = last else { return None };
        let [Expr::Name(of), end] = compared.as_slice() else { return None };
        let step = match step {
            [Expr::Binary(Operator::Before, _, step)] => step,
            [step] => step,
            _ => return None,
        };
        let Expr::Assign { target, value: by, adds } = step else { return None };
        let up = match by.as_ref() {
            Expr::Binary(Operator::Count, _, by) => matches!(by.as_ref(), Expr::Number(by) if by == "1"),
            Expr::Number(by) if *adds && !by.starts_with('-') => true,
            _ => return None,
        };
        let same = of == name && matches!(target.as_ref(), Expr::Name(counted) if counted == name);
        same.then(|| Self { name: name.clone(), first: (**value).clone(), end: end.clone(), up })
    }

    /// The variable, and the numbers that it goes through: up to what it is to stay `below`, down to what it is to stay
    /// `above`. What only grows goes on for ever where nothing else is told; what goes down may end below zero.
    fn range(self, below: bool, above: bool) -> Option<(Expr, Expr)> {
        let end = match (self.up, below, above) {
            (true, true, false) => self.end,
            (true, _, _) => Expr::Plain(Vec::new()),
            (false, false, true) if matches!(self.end, Expr::Number(_)) => self.end,
            (false, _, _) => return None,
        };
        let range = Expr::Binary(Operator::Range, Box::new(self.first), Box::new(end));
        Some((Expr::Name(self.name), range))
    }
}
