//! Calls, with and without parentheses, members and subscripts.

use crate::code::language::Language;
use crate::code::lexer::Tok;
use crate::code::tree::{Argument, Expr, Part};

use super::Parser;
use super::expression::{ITEM, UNARY, counted_after};
use super::primary::first;

/// Perl functions that take one operand.
const PERL_UNARY: &[&str] = &[
    "defined",
    "ref",
    "scalar",
    "lc",
    "uc",
    "lcfirst",
    "ucfirst",
    "shift",
    "pop",
    "chdir",
    "rmdir",
    "readlink",
    "lstat",
    "stat",
    "exists",
    "delete",
    "each",
    "keys",
    "values",
    "chr",
    "ord",
    "int",
    "length",
    "quotemeta",
    "rand",
    "localtime",
    "gmtime",
    "hex",
    "oct",
    "abs",
    "sqrt",
    "log",
    "exp",
    "sleep",
    "exit",
    "umask",
    "undef",
    "require",
    "chroot",
    "readline",
    "close",
    "fileno",
];
/// Perl functions whose first operand may be a block.
const PERL_BLOCK: &[&str] = &[
    "map", "grep", "sort", "first", "any", "all", "none", "try", "catch", "finally", "print", "printf",
    "say", "find", "reduce",
];
/// Words that go on with an expression or end it; never operands.
const INFIX_WORDS: &[&str] = &[
    "if",
    "unless",
    "while",
    "until",
    "for",
    "foreach",
    "and",
    "or",
    "xor",
    "x",
    "eq",
    "ne",
    "lt",
    "gt",
    "le",
    "ge",
    "cmp",
    "in",
    "then",
    "do",
    "end",
    "else",
    "elsif",
    "elseif",
    "rescue",
    "ensure",
    "when",
    "is",
    "instanceof",
    "as",
    "not",
];

impl Parser {
    /// An operand with everything that is attached to it.
    pub(super) fn postfix(&mut self) -> Expr {
        let mut value = self.primary();
        let mut turns = 0;
        while let Some(next) = self.attached(&mut value) {
            value = next;
            turns += 1;
            if turns > 100 {
                self.faults = true;
                break;
            }
        }
        value
    }

    /// Takes what is attached to `value`; `None` when nothing is.
    fn attached(&mut self, value: &mut Expr) -> Option<Expr> {
        use Language::{Lua, Node, Perl, Php, Python, Ruby};
        let language = self.language;
        let same_line = !self.new_line() || matches!(language, Perl | Php | Python);
        let take = |value: &mut Expr| Box::new(std::mem::replace(value, Expr::Plain(Vec::new())));
        match self.kind()?.clone() {
            Tok::Op("." | "?." | "&.") if !matches!(language, Perl | Php) || self.op("?.") => {
                if self.op(".")
                    && language == Ruby
                    && self.new_line()
                    && !matches!(self.kind_at(1), Some(Tok::Name(_)))
                {
                    return None;
                }
                self.at += 1;
                self.member(take(value))
            }
            Tok::Op("->") if matches!(language, Perl | Php) => self.behind_arrow(take(value)),
            Tok::Op("::") if matches!(language, Ruby | Php) => {
                self.at += 1;
                self.member(take(value))
            }
            Tok::Op(":")
                if language == Lua && matches!(self.kind_at(1), Some(Tok::Name(_))) && self.lua_method() =>
            {
                self.at += 1;
                self.member(take(value))
            }
            Tok::Op("(")
                if same_line
                    && !(language == Ruby && self.spaced())
                    && (callable(value) || language == Php && matches!(value, Expr::Text(_))) =>
            {
                let arguments = self.arguments();
                let call = Expr::Call(take(value), arguments);
                Some(self.with_block(call))
            }
            Tok::Op("[") if same_line && !(matches!(language, Ruby | Perl) && self.spaced()) => {
                if let Some((method, argument, length)) = self.slice() {
                    self.at += length;
                    let member = Expr::Attribute(take(value), method.to_owned());
                    return Some(Expr::Call(Box::new(member), argument.into_iter().map(plain).collect()));
                }
                let index = self.index();
                Some(Expr::Index(take(value), Box::new(index)))
            }
            Tok::Op("{") if language == Perl && !self.spaced() && matches!(value, Expr::Index(..)) => {
                let key = self.subscript();
                Some(Expr::Index(take(value), Box::new(key)))
            }
            Tok::Op("{")
                if language == Lua && same_line && matches!(value, Expr::Name(_) | Expr::Attribute(..)) =>
            {
                let argument = self.primary();
                Some(Expr::Call(take(value), vec![plain(argument)]))
            }
            Tok::Text(_) if matches!(language, Lua | Node) && same_line && callable(value) => {
                let argument = self.primary();
                Some(Expr::Call(take(value), vec![plain(argument)]))
            }
            Tok::Op(op @ ("++" | "--")) if same_line => {
                self.at += 1;
                Some(counted_after(*take(value), op))
            }
            Tok::Op("!") if language == Node && same_line && !self.spaced() && self.op_at(1, ".") => {
                self.at += 1;
                Some(*take(value))
            }
            _ => None,
        }
    }

    /// What stands behind the arrow of Perl and PHP.
    fn behind_arrow(&mut self, value: Box<Expr>) -> Option<Expr> {
        self.at += 1;
        match self.kind().cloned() {
            Some(Tok::Op("[")) => {
                let index = first(self.list("["));
                Some(Expr::Index(value, Box::new(index)))
            }
            Some(Tok::Op("{")) => {
                let key = self.subscript();
                Some(Expr::Index(value, Box::new(key)))
            }
            Some(Tok::Op("(")) => {
                let arguments = self.arguments();
                Some(Expr::Call(value, arguments))
            }
            Some(Tok::Op("@" | "$" | "%")) => {
                self.at += 1;
                self.eat("*");
                Some(*value)
            }
            _ => self.member(value),
        }
    }

    fn lua_method(&self) -> bool {
        matches!(self.kind_at(2), Some(Tok::Op("(" | "{") | Tok::Text(_)))
    }

    /// Python's `[n:]` and `[::-1]`: a method that does the same, its argument, and the number of tokens.
    fn slice(&self) -> Option<(&'static str, Option<Expr>, usize)> {
        if self.language != Language::Python {
            return None;
        }
        match (self.kind_at(1), self.kind_at(2), self.kind_at(3), self.kind_at(4), self.kind_at(5)) {
            (Some(Tok::Number(n)), Some(Tok::Op(":")), Some(Tok::Op("]")), ..) => {
                Some(("drop", Some(Expr::Number(n.clone())), 4))
            }
            (
                Some(Tok::Op(":")),
                Some(Tok::Op(":")),
                Some(Tok::Op("-")),
                Some(Tok::Number(n)),
                Some(Tok::Op("]")),
            ) if n == "1" => Some(("reverse", None, 6)),
            (Some(Tok::Op("::")), Some(Tok::Op("-")), Some(Tok::Number(n)), Some(Tok::Op("]")), _)
                if n == "1" =>
            {
                Some(("reverse", None, 5))
            }
            _ => None,
        }
    }

    /// What stands in square brackets: an index, or a slice.
    fn index(&mut self) -> Expr {
        self.at += 1;
        let mut parts = Vec::new();
        let mut slice = false;
        while !self.op("]") && self.kind().is_some() {
            let before = self.at;
            if self.eat(":") || self.eat(",") {
                slice = true;
                continue;
            }
            parts.push(self.expression(ITEM));
            if self.at == before {
                self.fault();
            }
        }
        self.close("]");
        if parts.len() == 1 && !slice { parts.remove(0) } else { Expr::Plain(parts) }
    }

    /// The member whose dot was read, with a call or block behind it.
    fn member(&mut self, value: Box<Expr>) -> Option<Expr> {
        match self.kind().cloned() {
            Some(Tok::Name(name)) => {
                self.at += 1;
                let member = Expr::Attribute(value, name);
                if self.language == Language::Ruby {
                    if !self.op("(") && self.starts_command() {
                        let arguments = self.bare_arguments(ITEM);
                        let call = Expr::Call(Box::new(member), arguments);
                        return Some(self.with_block(call));
                    }
                    if !self.op("(") || self.spaced() {
                        return Some(self.with_block(member));
                    }
                }
                // A method of Perl needs no parentheses.
                if self.language == Language::Perl && !self.op("(") {
                    return Some(Expr::Call(Box::new(member), Vec::new()));
                }
                Some(member)
            }
            // `$class->$method`, `?.(…)`, `?.[…]`, `.()` of Ruby, private names.
            Some(Tok::Variable(_)) => {
                let name = self.primary();
                let member = Expr::Index(value, Box::new(name));
                // A method of Perl needs no parentheses.
                let calls = self.language == Language::Perl && !self.op("(");
                Some(if calls { Expr::Call(Box::new(member), Vec::new()) } else { member })
            }
            Some(Tok::Op("(")) => {
                let arguments = self.arguments();
                Some(Expr::Call(value, arguments))
            }
            Some(Tok::Op("[")) => {
                let index = self.index();
                Some(Expr::Index(value, Box::new(index)))
            }
            _ => Some(*value),
        }
    }

    /// A Ruby block behind a call becomes its last argument.
    fn with_block(&mut self, callee: Expr) -> Expr {
        if self.language != Language::Ruby {
            return callee;
        }
        let braces = self.op("{") && !self.new_line();
        let words = self.is_word("do") && !self.no_do;
        if !braces && !words {
            return callee;
        }
        let block = self.deeper(Expr::Plain(Vec::new()), |parser| parser.block_function(Vec::new()));
        let block = Argument { name: Some("&".to_owned()), value: block, spread: false };
        match callee {
            Expr::Call(callee, mut arguments) => {
                arguments.push(block);
                Expr::Call(callee, arguments)
            }
            other => Expr::Call(Box::new(other), vec![block]),
        }
    }

    /// A name that was read: a variable, or a call without parentheses.
    pub(super) fn command(&mut self, name: &str) -> Expr {
        let callee = Expr::Name(name.to_owned());
        if self.op("(") && !(self.language == Language::Ruby && self.spaced()) {
            return callee;
        }
        match self.language {
            Language::Perl => self.perl_command(name, callee),
            Language::Ruby => {
                if self.locals.contains(name) {
                    return callee;
                }
                if self.starts_command() {
                    let arguments = self.bare_arguments(ITEM);
                    let call = Expr::Call(Box::new(callee), arguments);
                    return self.with_block(call);
                }
                self.with_block(callee)
            }
            Language::Php
                if matches!(
                    name,
                    "echo"
                        | "print"
                        | "include"
                        | "require"
                        | "include_once"
                        | "require_once"
                        | "exit"
                        | "die"
                ) =>
            {
                let arguments = if self.starts_operand() { self.bare_arguments(ITEM) } else { Vec::new() };
                Expr::Call(Box::new(callee), arguments)
            }
            // Python 2.
            Language::Python
                if matches!(name, "print" | "exec")
                    && matches!(self.kind(), Some(Tok::Text(_) | Tok::Name(_) | Tok::Number(_)))
                    && !self.word_in(INFIX_WORDS) =>
            {
                let arguments = self.bare_arguments(ITEM);
                Expr::Call(Box::new(callee), arguments)
            }
            _ => callee,
        }
    }

    fn perl_command(&mut self, name: &str, callee: Expr) -> Expr {
        if self.op("=>") {
            return Expr::Text(vec![Part::Text(name.to_owned())]);
        }
        if self.op("->")
            || name.chars().next().is_some_and(char::is_uppercase) && !self.starts_perl_operand(name)
        {
            return callee;
        }
        if PERL_BLOCK.contains(&name) && self.op("{") {
            let block = self.deeper(Expr::Plain(Vec::new()), |parser| parser.block_function(Vec::new()));
            self.eat(",");
            let mut arguments = vec![Argument { name: Some("&".to_owned()), value: block, spread: false }];
            if self.starts_operand() {
                arguments.extend(self.bare_arguments(ITEM));
            }
            return Expr::Call(Box::new(callee), arguments);
        }
        if matches!(name, "exec" | "system") && self.op("{") {
            // The program in a block; the first of the words is only what it is told to be its name.
            let program = plain(Expr::Block(self.braces()));
            let mut words = self.bare_arguments(ITEM);
            if let Some(first) = words.first_mut()
                && matches!(first.value, Expr::Text(_))
            {
                *first = program;
            }
            return Expr::Call(Box::new(callee), words);
        }
        if !self.starts_perl_operand(name) {
            return Expr::Call(Box::new(callee), Vec::new());
        }
        let arguments = if PERL_UNARY.contains(&name) {
            vec![plain(self.expression(UNARY))]
        } else {
            self.bare_arguments(ITEM)
        };
        Expr::Call(Box::new(callee), arguments)
    }

    fn starts_perl_operand(&self, name: &str) -> bool {
        match self.kind() {
            Some(Tok::Op("{" | "[" | "-" | "<" | "+" | "*" | "&")) => {
                self.spaced()
                    && !self.tokens.get(self.at + 1).is_some_and(|token| token.space)
                    && !self.op("{")
                    && !PERL_UNARY.contains(&name)
            }
            _ => self.starts_operand(),
        }
    }

    /// Arguments without parentheses.
    fn bare_arguments(&mut self, level: u8) -> Vec<Argument> {
        let mut arguments = Vec::new();
        loop {
            let before = self.at;
            let argument = if self.language == Language::Ruby {
                self.argument()
            } else {
                let spread = self.op("*") || self.op("...");
                Argument { name: None, value: self.expression(level), spread }
            };
            arguments.push(argument);
            if self.at == before {
                break;
            }
            let goes_on = self.eat(",") || self.eat("=>");
            // `print STDERR "x"`: a file handle takes no comma.
            let handle = self.language == Language::Perl
                && matches!(arguments.last().map(|a| &a.value), Some(Expr::Name(_)))
                && matches!(self.kind(), Some(Tok::Text(_) | Tok::Variable(_)));
            if !(goes_on || handle) || !self.starts_argument() {
                break;
            }
        }
        arguments
    }

    fn starts_argument(&self) -> bool {
        self.starts_operand()
            || matches!(self.kind(), Some(Tok::Op("{" | "-" | "*" | "&" | "!" | "->" | "::" | "+" | "**")))
    }

    /// Whether an operand can begin here (one that is no operator either).
    pub(super) fn starts_operand(&self) -> bool {
        match self.kind() {
            Some(Tok::Name(name)) => !INFIX_WORDS.contains(&name.as_str()),
            Some(Tok::Op(op)) => matches!(*op, "(" | "[" | "\\" | "$" | "@" | "!"),
            Some(Tok::Newline | Tok::Indent | Tok::Dedent) | None => false,
            Some(_) => true,
        }
    }

    /// Whether arguments without parentheses begin here (Ruby).
    fn starts_command(&self) -> bool {
        if self.new_line() || !self.spaced() {
            return false;
        }
        let tight = !self.tokens.get(self.at + 1).is_some_and(|token| token.space);
        match self.kind() {
            Some(Tok::Name(name)) => !INFIX_WORDS.contains(&name.as_str()) || matches!(name.as_str(), "not"),
            Some(Tok::Op(op)) => match *op {
                "(" | "->" => true,
                "[" | "*" | "&" | "-" | "::" | "!" | "**" => tight,
                _ => false,
            },
            Some(_) => true,
            None => false,
        }
    }
}

fn plain(value: Expr) -> Argument {
    Argument { name: None, value, spread: false }
}

fn callable(value: &Expr) -> bool {
    matches!(
        value,
        Expr::Name(_)
            | Expr::Attribute(..)
            | Expr::Index(..)
            | Expr::Call(..)
            | Expr::Function(_)
            | Expr::Choice(..)
            | Expr::Binary(..)
            | Expr::Block(_)
    )
}
