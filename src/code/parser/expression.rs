//! Operators.

use crate::code::language::Language;
use crate::code::lexer::Tok;
use crate::code::tree::{Expr, Operator};

use super::Parser;

/// How tightly an operator binds; 0 ends every expression.
mod level {
    pub(super) const LOOSE: u8 = 1;
    pub(super) const ASSIGN: u8 = 2;
    pub(super) const CHOICE: u8 = 4;
    pub(super) const OR: u8 = 6;
    pub(super) const AND: u8 = 8;
    pub(super) const COMPARE: u8 = 12;
    pub(super) const RANGE: u8 = 13;
    pub(super) const BITS: u8 = 14;
    pub(super) const SHIFT: u8 = 18;
    pub(super) const ADD: u8 = 22;
    pub(super) const MULTIPLY: u8 = 24;
    pub(super) const POWER: u8 = 26;
}

/// Level of an operand of a list: everything but `,` and the words `and`, `or`, `not` of Perl and Ruby.
pub(super) const ITEM: u8 = level::ASSIGN;
/// Level of the operand of a named unary operator.
pub(super) const UNARY: u8 = level::RANGE;

/// Operators in a row before the chain is cut.
const CHAIN: usize = 64;

enum Infix {
    Binary(Operator),
    Assign {
        adds: bool,
    },
    /// `||=`: the value where there was none.
    Default,
    /// `/=`: a path below another.
    Beneath,
    /// `-=`: a value that is counted.
    Counts,
    Choice,
    /// Python's `a if c else b`.
    Conditional,
    /// Only the operands are kept.
    Plain,
}

/// `i++`: a variable with another number.
pub(super) fn counted(variable: Expr, operator: &str) -> Expr {
    let by = if operator == "++" { "1" } else { "-1" };
    let by = Box::new(Expr::Number(by.to_owned()));
    let value = Box::new(Expr::Binary(Operator::Count, Box::new(variable.clone()), by));
    match variable {
        Expr::Name(_) | Expr::Attribute(..) | Expr::Index(..) => {
            Expr::Assign { target: Box::new(variable), value, adds: false }
        }
        _ => *value,
    }
}

/// `i++` behind a variable: the value that it had.
pub(super) fn counted_after(variable: Expr, operator: &str) -> Expr {
    let after = counted(variable.clone(), operator);
    Expr::Binary(Operator::Before, Box::new(variable), Box::new(after))
}

/// What `s///` and its like leave in what they are bound to: nobody knows. `($f = $g) =~ s/a/b/` changes what it sets.
pub(super) fn changed(left: Expr, right: Expr) -> Expr {
    let target = match &left {
        Expr::Assign { target, .. } => target.clone(),
        Expr::List(items) => match items.as_slice() {
            [Expr::Assign { target, .. }] => target.clone(),
            _ => Box::new(left.clone()),
        },
        other => Box::new(other.clone()),
    };
    Expr::Plain(vec![left, Expr::Assign { target, value: Box::new(right), adds: false }])
}

impl Parser {
    /// An expression without commas.
    pub(super) fn item(&mut self) -> Expr {
        self.expression(ITEM)
    }

    /// An expression whose operators bind at least as tightly as `least`.
    pub(super) fn expression(&mut self, least: u8) -> Expr {
        self.deeper(Expr::Plain(Vec::new()), |parser| {
            let mut left = parser.unary();
            // A long chain of operators is cut into pieces, so that the tree stays flat; only its value is lost.
            let mut pieces = Vec::new();
            let mut turns = 0;
            while let Some((level, infix, length)) = parser.infix() {
                if level < least {
                    break;
                }
                parser.at += length;
                left = parser.combine(left, level, infix);
                turns += 1;
                if turns % CHAIN == 0 {
                    pieces.push(std::mem::replace(&mut left, Expr::Plain(Vec::new())));
                }
            }
            if pieces.is_empty() {
                return left;
            }
            pieces.push(left);
            Expr::Plain(pieces)
        })
    }

    fn combine(&mut self, left: Expr, level: u8, infix: Infix) -> Expr {
        match infix {
            Infix::Assign { adds } => {
                if let Expr::Name(name) = &left {
                    self.locals.insert(name.clone());
                }
                let value = self.assigned();
                Expr::Assign { target: Box::new(left), value: Box::new(value), adds }
            }
            Infix::Default | Infix::Beneath | Infix::Counts => {
                let value = Box::new(self.assigned());
                let before = Box::new(left.clone());
                let value = match infix {
                    Infix::Default => Expr::Binary(Operator::Either, before, value),
                    Infix::Beneath => Expr::Binary(Operator::Slash, before, value),
                    _ => Expr::Plain(vec![*before, *value]),
                };
                Expr::Assign { target: Box::new(left), value: Box::new(value), adds: false }
            }
            Infix::Choice => {
                let yes = self.expression(ITEM);
                if !self.eat(":") {
                    return Expr::Plain(vec![left, yes]);
                }
                let no = self.expression(level::CHOICE);
                Expr::Choice(Box::new(left), Box::new(yes), Box::new(no))
            }
            Infix::Conditional => {
                let condition = self.expression(level::OR);
                if !self.eat_word("else") {
                    return Expr::Plain(vec![condition, left]);
                }
                let no = self.expression(level::CHOICE);
                Expr::Choice(Box::new(condition), Box::new(left), Box::new(no))
            }
            Infix::Binary(operator) => {
                let right = self.expression(level + 1);
                Expr::Binary(operator, Box::new(left), Box::new(right))
            }
            Infix::Plain => {
                let changes = matches!(self.kind(), Some(Tok::Regex { changes: true, .. }));
                let right = self.expression(level + 1);
                if changes { changed(left, right) } else { Expr::Plain(vec![left, right]) }
            }
        }
    }

    /// The right side of an assignment; Python and Ruby take a list without brackets.
    fn assigned(&mut self) -> Expr {
        let first = self.expression(level::ASSIGN);
        let listed = matches!(self.language, Language::Python | Language::Ruby)
            && self.op(",")
            && self.depth <= 3
            && self.enclosed() == 0;
        if !listed {
            return first;
        }
        let mut list = vec![first];
        while self.eat(",") {
            if matches!(self.kind(), None | Some(Tok::Newline)) {
                break;
            }
            list.push(self.expression(level::CHOICE));
        }
        Expr::List(list)
    }

    /// How many brackets are open at this place, counted from the start of the statement's tokens.
    fn enclosed(&self) -> usize {
        self.partners.iter().take(self.at).filter(|close| **close != usize::MAX && **close >= self.at).count()
    }

    fn unary(&mut self) -> Expr {
        let spaced_after = self.tokens.get(self.at + 1).is_some_and(|token| token.space);
        let Some(Tok::Op(op)) = self.kind() else {
            if self.is_word("not") {
                self.at += 1;
                let operand =
                    self.expression(if self.language == Language::Python { 10 } else { level::ASSIGN });
                return Expr::Plain(vec![operand]);
            }
            return self.postfix();
        };
        let op = *op;
        // Perl's file tests: `-e $file`.
        if op == "-"
            && self.language == Language::Perl
            && !spaced_after
            && matches!(self.kind_at(1), Some(Tok::Name(name)) if name.len() == 1)
            && !self.op_at(2, "=>")
        {
            self.at += 2;
            return if self.starts_operand() {
                Expr::Plain(vec![self.expression(UNARY)])
            } else {
                Expr::Plain(Vec::new())
            };
        }
        match op {
            "++" | "--" => {
                self.at += 1;
                counted(self.expression(level::POWER), op)
            }
            // A number below zero.
            "-" if matches!(self.kind_at(1), Some(Tok::Number(_))) => {
                self.at += 1;
                match self.expression(level::POWER) {
                    Expr::Number(number) => Expr::Number(format!("-{number}")),
                    other => Expr::Plain(vec![other]),
                }
            }
            "-" | "+" | "!" | "~" | "?" | "#" => {
                self.at += 1;
                let operand = self.expression(level::POWER);
                Expr::Plain(vec![operand])
            }
            // References, splats and spreads stand for what follows.
            "*" | "..." if self.language != Language::Perl => {
                self.at += 1;
                Expr::Rest(Box::new(self.expression(level::POWER)))
            }
            // A variable whose name is a value.
            "$" if self.language == Language::Php => self.postfix(),
            "\\" | "*" | "**" | "..." | "&" | "$" | "@" => {
                self.at += 1;
                self.expression(level::POWER)
            }
            _ => self.postfix(),
        }
    }

    fn infix(&self) -> Option<(u8, Infix, usize)> {
        use Language::{Lua, Node, Perl, Php, Python, Ruby};
        let language = self.language;
        let token = self.tokens.get(self.at)?;
        match &token.kind {
            Tok::Name(name) => {
                let loose = matches!(language, Perl | Ruby | Php);
                let found = match name.as_str() {
                    "and" if language != Node => {
                        (if loose { level::LOOSE } else { level::AND }, Infix::Binary(Operator::Both))
                    }
                    "or" | "xor" if language != Node => {
                        (if loose { level::LOOSE } else { level::OR }, Infix::Binary(Operator::Either))
                    }
                    "if" if language == Python => (level::CHOICE, Infix::Conditional),
                    "x" if language == Perl => (level::MULTIPLY, Infix::Binary(Operator::Repeat)),
                    "in" if !self.no_in && matches!(language, Python | Node) => {
                        (level::COMPARE, Infix::Plain)
                    }
                    "not"
                        if language == Python
                            && matches!(self.kind_at(1), Some(Tok::Name(n)) if n == "in") =>
                    {
                        return Some((level::COMPARE, Infix::Plain, 2));
                    }
                    "is" if language == Python => (level::COMPARE, Infix::Plain),
                    "instanceof" if matches!(language, Node | Php) => (level::COMPARE, Infix::Plain),
                    "eq" | "ne" | "lt" | "gt" | "le" | "ge" | "cmp" if language == Perl => {
                        (level::COMPARE, Infix::Plain)
                    }
                    _ => return None,
                };
                Some((found.0, found.1, 1))
            }
            Tok::Op(op) => {
                let joins = Infix::Binary(Operator::Join);
                let found = match *op {
                    "=" | ":=" => (level::ASSIGN, Infix::Assign { adds: false }),
                    "+=" | ".=" => (level::ASSIGN, Infix::Assign { adds: true }),
                    "||=" | "&&=" | "??=" => (level::ASSIGN, Infix::Default),
                    "//=" if language == Perl => (level::ASSIGN, Infix::Default),
                    "/=" if language == Python => (level::ASSIGN, Infix::Beneath),
                    "-=" | "*=" | "/=" | "%=" | "|=" | "&=" | "^=" | "**=" | "//=" | "<<=" | ">>="
                    | ">>>=" => (level::ASSIGN, Infix::Counts),
                    "?" if matches!(language, Node | Perl | Ruby | Php) => (level::CHOICE, Infix::Choice),
                    "||" | "??" => (level::OR, Infix::Binary(Operator::Either)),
                    "//" if language == Perl => (level::OR, Infix::Binary(Operator::Either)),
                    "&&" => (level::AND, Infix::Binary(Operator::Both)),
                    "==" | "!=" | "===" | "!==" | "<" | ">" | "<=" | ">=" | "<=>" | "=~" | "!~" | "~=" => {
                        (level::COMPARE, Infix::Plain)
                    }
                    ".." if language == Lua => (level::ADD, joins),
                    ".." | "..." => (level::RANGE, Infix::Binary(Operator::Range)),
                    "." if matches!(language, Perl | Php) => (level::ADD, joins),
                    "|" | "^" => (level::BITS, Infix::Binary(Operator::Other)),
                    "&" => (level::BITS + 2, Infix::Binary(Operator::Other)),
                    "<<" if language == Ruby => (level::SHIFT, Infix::Binary(Operator::Push)),
                    "<<" | ">>" => (level::SHIFT, Infix::Plain),
                    "+" => (level::ADD, joins),
                    "-" => (level::ADD, Infix::Plain),
                    "*" => (level::MULTIPLY, Infix::Binary(Operator::Repeat)),
                    "/" => (level::MULTIPLY, Infix::Binary(Operator::Slash)),
                    "%" => (level::MULTIPLY, Infix::Binary(Operator::Format)),
                    "//" => (level::MULTIPLY, Infix::Plain),
                    "**" => (level::POWER, Infix::Plain),
                    _ => return None,
                };
                // A new line begins a new statement in Ruby and Lua unless an operator that cannot begin one leads it.
                if token.line
                    && matches!(language, Ruby | Lua | Node)
                    && matches!(*op, "+" | "-" | "*" | "&" | "/" | "<<" | "^" | "|" | "%")
                    && language != Node
                {
                    return None;
                }
                Some((found.0, found.1, 1))
            }
            _ => None,
        }
    }
}
