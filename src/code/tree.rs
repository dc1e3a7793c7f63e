//! Programs as a small tree that the languages share. Keeps what decides on files, processes and data; drops the rest.

use std::rc::Rc;

/// A piece of a text with interpolation.
#[derive(Clone, Debug)]
pub(super) enum Part {
    Text(String),
    Value(Expr),
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub(super) struct Argument {
    /// Keyword.
    pub(super) name: Option<String>,
    pub(super) value: Expr,
    /// `*args`, `...args`: a list of arguments.
    pub(super) spread: bool,
}

/// Operators that matter; all others only have their operands evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    /// `list << element` of Ruby.
    Push,
    /// `+`, `.`, `..`: joins texts.
    Join,
    /// `/`: joins paths in Python and Ruby.
    Slash,
    /// `*`, `x`: repeats.
    Repeat,
    /// `++`, `--`: a number and what is added to it.
    Count,
    /// `i++`: the value before the second is done.
    Before,
    /// `..`: from one number to another.
    Range,
    /// `%`: formats texts.
    Format,
    /// `or`, `||`, `??`: one or the other.
    Either,
    /// `and`, `&&`: the second, after the first.
    Both,
    /// `|`: a text's value is the second's where it is JavaScript-like or bitwise.
    Other,
}

/// An expression.
#[derive(Clone, Debug)]
pub(super) enum Expr {
    Text(Vec<Part>),
    Number(String),
    Name(String),
    Attribute(Box<Expr>, String),
    Index(Box<Expr>, Box<Expr>),
    Call(Box<Expr>, Vec<Argument>),
    List(Vec<Expr>),
    Map(Vec<(Expr, Expr)>),
    Binary(Operator, Box<Expr>, Box<Expr>),
    /// `c ? a : b`: condition and both outcomes.
    Choice(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `body for target in list if …`.
    Each {
        target: Box<Expr>,
        list: Box<Expr>,
        body: Box<Expr>,
    },
    Function(Rc<Function>),
    /// What a function gives before it ends; all elements of it where the first says so.
    Yield(bool, Box<Expr>),
    /// A parameter that takes all further arguments.
    Rest(Box<Expr>),
    /// Names of an outer function or of the module that this one sets.
    Outer(Vec<Expr>),
    /// Backticks.
    Shell(Vec<Part>),
    Assign {
        target: Box<Expr>,
        value: Box<Expr>,
        adds: bool,
    },
    Block(Vec<Stmt>),
    /// Perl's `<*.txt>`.
    Glob(Vec<Part>),
    /// Text that comes from outside: standard input, a line of a file.
    Input,
    /// Anything whose parts are evaluated and whose value does not matter.
    Plain(Vec<Expr>),
}

/// A function or closure.
#[derive(Debug)]
pub(super) struct Function {
    pub(super) parameters: Vec<Expr>,
    pub(super) body: Vec<Stmt>,
}

/// A statement.
#[derive(Clone, Debug)]
pub(super) enum Stmt {
    Expr(Expr),
    /// Conditions, then ways to go on of which one is taken.
    Branch(Vec<Expr>, Vec<Vec<Stmt>>),
    /// `for target in list`, or a loop that goes round an unknown number of times.
    Loop {
        target: Option<Expr>,
        list: Option<Expr>,
        body: Vec<Stmt>,
    },
    /// A body whose early end, by an exception, does not end what stands behind it.
    Attempt(Vec<Stmt>),
    Define(String, Rc<Function>),
    Class(String, Vec<Stmt>),
    /// `@a` in front of the function or class of this name.
    Decorate {
        name: String,
        with: Vec<Expr>,
    },
    /// `import a.b as c`: full name and the name it is bound to.
    Import {
        name: String,
        bound: String,
    },
    /// `with a as b`: b is bound to what a gives.
    With(Expr, Option<Expr>),
    Return(Option<Expr>),
}
