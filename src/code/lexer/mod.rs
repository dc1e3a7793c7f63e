//! Tokens of Python, JavaScript, Perl, Ruby, PHP and Lua.
//!
//! One reader with each language's comments, quotes, here-documents and regular expressions. Never fails: what is not
//! closed reaches to the end.

mod exposed;
mod indent;
mod quote;
mod text;

use super::language::Language;
use crate::model::is_mark;

pub(super) use exposed::exposes;

/// A piece of a quoted text: text, or source of an expression in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Text(String),
    Code(String),
}

/// What a token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Tok {
    Name(String),
    /// With its sigil: `$x`, `@x`, `%x`.
    Variable(String),
    Number(String),
    Text(Vec<Piece>),
    Shell(Vec<Piece>),
    /// A regular expression, or a substitution, whose replacement may be code (`s///e`).
    Regex {
        code: Option<String>,
        /// It changes what it is bound to (`s///`, `tr///`), and does not give that back instead.
        changes: bool,
    },
    /// `qw(a b)`, `%w[a b]`.
    Words(Vec<String>),
    /// `<*.txt>`.
    Glob(Vec<Piece>),
    /// `<STDIN>`, `<>`.
    Input,
    Op(&'static str),
    Newline,
    Indent,
    Dedent,
}

/// A token.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: Tok,
    /// A blank stands before it.
    pub(super) space: bool,
    /// It is the first of its line.
    pub(super) line: bool,
}

/// Operators, longest first.
const OPERATORS: &[&str] = &[
    ">>>=", "...", "**=", "//=", "<<=", ">>=", "<=>", "===", "!==", "&&=", "||=", "??=", "->", "=>", "::",
    "==", "!=", "<=", ">=", "&&", "||", "??", "?.", "&.", "=~", "!~", "~=", "+=", "-=", "*=", "/=", ".=",
    "%=", "|=", "&=", "^=", ":=", "..", "**", "//", "<<", ">>", "++", "--", "<", ">", "=", "+", "-", "*",
    "/", "%", ".", ",", ";", ":", "?", "!", "&", "|", "^", "~", "(", ")", "[", "]", "{", "}", "@", "$", "\\",
    "#",
];

/// All tokens of a text.
pub(super) fn tokens(text: &str, language: Language) -> Vec<Token> {
    let mut lexer = Lexer {
        chars: text.chars().collect(),
        at: 0,
        language,
        tokens: Vec::new(),
        space: false,
        line: true,
        nesting: 0,
        indents: vec![0],
        resume: None,
    };
    lexer.run();
    lexer.tokens
}

struct Lexer {
    chars: Vec<char>,
    at: usize,
    language: Language,
    tokens: Vec<Token>,
    space: bool,
    line: bool,
    /// Open parentheses, brackets and braces.
    nesting: usize,
    /// Python's open indentations.
    indents: Vec<usize>,
    /// Where to go on after the end of this line: behind the bodies of here-documents.
    resume: Option<usize>,
}

impl Lexer {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    /// The text from one place to another.
    fn between(&self, start: usize, end: usize) -> String {
        self.chars.get(start..end.min(self.chars.len())).unwrap_or_default().iter().collect()
    }

    fn looking_at(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(index, c)| self.peek(index) == Some(c))
    }

    fn push(&mut self, kind: Tok) {
        self.tokens.push(Token { kind, space: self.space, line: self.line });
        self.space = false;
        self.line = false;
    }

    fn run(&mut self) {
        if self.language == Language::Php
            && let Some(open) = self.find("<?php")
        {
            self.at = open + 5;
        }
        if self.looking_at("#!") {
            self.pass_line();
        }
        if self.language == Language::Python {
            self.indentation();
        }
        while let Some(c) = self.peek(0) {
            if c == '\n' {
                self.newline();
            } else if c.is_whitespace() || (c == '\\' && self.peek(1) == Some('\n')) {
                self.space = true;
                self.at += if c == '\\' { 2 } else { 1 };
            } else if !self.comment(c) && !self.quoted(c) && !self.word(c) {
                self.operator(c);
            }
        }
        if self.language == Language::Python {
            self.close_indentation();
        }
    }

    fn newline(&mut self) {
        self.at = self.resume.take().unwrap_or(self.at + 1);
        self.space = true;
        if self.language == Language::Python {
            if self.nesting == 0 {
                self.indentation();
            }
        } else {
            self.line = true;
        }
    }

    fn find(&self, text: &str) -> Option<usize> {
        let wanted = text.chars().collect::<Vec<_>>();
        self.chars.windows(wanted.len()).skip(self.at).position(|w| w == wanted).map(|p| p + self.at)
    }

    fn pass_line(&mut self) {
        while self.peek(0).is_some_and(|c| c != '\n') {
            self.at += 1;
        }
    }

    fn past(&mut self, end: &str) {
        self.at = self.find(end).map_or(self.chars.len(), |at| at + end.chars().count());
    }

    fn comment(&mut self, c: char) -> bool {
        use Language::{Lua, Node, Perl, Php, Python, Ruby};
        let language = self.language;
        let line_start = self.at == 0 || self.chars.get(self.at - 1) == Some(&'\n');
        let hash = c == '#'
            && (matches!(language, Python | Perl | Ruby) || (language == Php && !self.looking_at("#[")));
        if hash || (matches!(language, Node | Php) && self.looking_at("//")) {
            self.pass_line();
        } else if matches!(language, Node | Php) && self.looking_at("/*") {
            self.at += 2;
            self.past("*/");
            self.space = true;
        } else if language == Lua && self.looking_at("--[[") {
            self.past("]]");
        } else if language == Lua && self.looking_at("--") {
            self.pass_line();
        } else if matches!(language, Ruby | Perl)
            && c == '='
            && line_start
            && self.peek(1).is_some_and(char::is_alphabetic)
        {
            self.past(if language == Ruby { "\n=end" } else { "\n=cut" });
            self.pass_line();
        } else if matches!(language, Perl | Ruby) && line_start && self.looking_at("__END__")
            || (language == Php && self.looking_at("?>"))
        {
            self.at = self.chars.len();
        } else {
            return false;
        }
        true
    }

    fn word(&mut self, c: char) -> bool {
        use Language::{Node, Perl, Php, Ruby};
        let starts = |c: char| c.is_alphabetic() || c == '_';
        if c.is_ascii_digit() || is_mark(c) {
            let start = self.at;
            while self.peek(0).is_some_and(|c| c.is_alphanumeric() || c == '_' || is_mark(c))
                || (self.peek(0) == Some('.') && self.peek(1).is_some_and(|c| c.is_ascii_digit()))
            {
                self.at += 1;
            }
            self.push(Tok::Number(self.between(start, self.at)));
            return true;
        }
        let sigil = match self.language {
            Perl => matches!(c, '$' | '@' | '%' | '&'),
            Php => c == '$',
            Ruby => matches!(c, '$' | '@'),
            _ => false,
        };
        if sigil && self.variable(c) {
            return true;
        }
        let dollar = self.language == Node && matches!(c, '$' | '#');
        if !(starts(c) || dollar) {
            return false;
        }
        let name = self.name();
        self.push(Tok::Name(name));
        true
    }

    /// A name, with `::` in Perl, `?` and `!` at the end in Ruby.
    fn name(&mut self) -> String {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek(0) {
                Some(c) if c.is_alphanumeric() || c == '_' || is_mark(c) => self.at += 1,
                Some('$') if self.language == Language::Node => self.at += 1,
                Some(':')
                    if self.language == Language::Perl
                        && self.peek(1) == Some(':')
                        && self.peek(2).is_some_and(|c| c.is_alphabetic() || c == '_') =>
                {
                    self.at += 2;
                }
                Some('?' | '!')
                    if self.language == Language::Ruby
                        && self.peek(1) != Some('=')
                        && !(self.peek(0) == Some('?')
                            && self.peek(1) == Some(' ')
                            && self.peek(2) == Some(':')) =>
                {
                    self.at += 1;
                    break;
                }
                _ => break,
            }
        }
        self.between(start, self.at)
    }

    fn variable(&mut self, sigil: char) -> bool {
        let start = self.at;
        let value_before = self.after_value();
        if matches!(sigil, '%' | '&')
            && (value_before || !self.peek(1).is_some_and(|c| c.is_alphabetic() || c == '_' || c == '$'))
        {
            return false;
        }
        let mut at = self.at + 1;
        if sigil == '$' && self.chars.get(at) == Some(&'#') && self.language == Language::Perl {
            at += 1;
        }
        while matches!(self.chars.get(at), Some('$' | '@')) && sigil != '&' {
            at += 1;
        }
        let first = at;
        while self.chars.get(at).is_some_and(|c| c.is_alphanumeric() || *c == '_')
            || (self.chars.get(at) == Some(&':')
                && self.chars.get(at + 1) == Some(&':')
                && self.language == Language::Perl
                && self.chars.get(at + 2).is_some_and(|c| c.is_alphanumeric()))
        {
            at += if self.chars.get(at) == Some(&':') { 2 } else { 1 };
        }
        if at == first {
            // Punctuation variables, and `${name}` or `@{expression}`, which the parser reads.
            match self.chars.get(at) {
                Some('{') if self.language != Language::Ruby => {
                    let close = self.chars[at..].iter().take(64).position(|c| *c == '}').map(|p| p + at);
                    if let Some(close) = close
                        && self.chars[at + 1..close]
                            .iter()
                            .all(|c| c.is_alphanumeric() || *c == '_' || *c == '^')
                    {
                        let name = self.between(at + 1, close);
                        self.at = close + 1;
                        self.push(Tok::Variable(format!("{sigil}{name}")));
                        return true;
                    }
                    self.at = at;
                    self.push(Tok::Op(if sigil == '@' { "@" } else { "$" }));
                    return true;
                }
                // `$^I` of Perl, `$-i` of Ruby.
                Some('^' | '-')
                    if sigil == '$' && self.chars.get(at + 1).is_some_and(char::is_ascii_alphabetic) =>
                {
                    at += 2;
                }
                Some(c) if sigil == '$' && !c.is_whitespace() && at == self.at + 1 => at += 1,
                _ if at > self.at + 1 => {}
                _ => return false,
            }
        }
        self.at = at;
        self.push(Tok::Variable(self.between(start, at)));
        true
    }

    fn operator(&mut self, c: char) {
        let found = OPERATORS.iter().find(|operator| self.looking_at(operator)).copied();
        // `#` begins a comment or a private name elsewhere; other characters mean nothing here.
        let Some(operator) = found else {
            self.at += 1;
            return;
        };
        // Ruby's `a ? b :c` and Lua's and PHP's operators need no care beyond this: Python has no `++`, `--` or `||`.
        let operator = match (self.language, operator) {
            (Language::Python, "++") => "+",
            (Language::Python, "--") => "-",
            (Language::Node | Language::Perl | Language::Php | Language::Ruby, "//" | "//=")
                if self.language != Language::Perl =>
            {
                "/"
            }
            (_, other) => other,
        };
        match c {
            '(' | '[' | '{' => self.nesting += 1,
            ')' | ']' | '}' => self.nesting = self.nesting.saturating_sub(1),
            _ => {}
        }
        self.at += operator.chars().count();
        self.push(Tok::Op(operator));
    }

    /// Whether the last token ends a value, so that an operator rather than a quote may follow.
    fn after_value(&self) -> bool {
        match self.tokens.last().map(|token| &token.kind) {
            Some(Tok::Name(name)) => !OPERATOR_WORDS.contains(&name.as_str()),
            Some(Tok::Op(op)) => matches!(*op, ")" | "]" | "}"),
            Some(Tok::Newline | Tok::Indent | Tok::Dedent) | None => false,
            Some(_) => true,
        }
    }
}

/// Words after which a value is expected.
const OPERATOR_WORDS: &[&str] = &[
    "return",
    "and",
    "or",
    "not",
    "if",
    "unless",
    "while",
    "until",
    "in",
    "of",
    "typeof",
    "case",
    "when",
    "do",
    "else",
    "elsif",
    "then",
    "split",
    "grep",
    "map",
    "join",
    "push",
    "print",
    "x",
    "lt",
    "gt",
    "eq",
    "ne",
    "puts",
    "p",
    "unlink",
    "for",
    "foreach",
    "await",
    "new",
    "delete",
    "void",
    "throw",
    "yield",
    "qw",
    "say",
    "die",
    "warn",
    "defined",
    "scalar",
    "chomp",
    "sort",
    "keys",
    "values",
    "reverse",
    "exec",
    "system",
    "instanceof",
    "echo",
    "my",
    "our",
    "local",
    "ref",
    "each",
    "wantarray",
    "elif",
];

#[cfg(test)]
mod tests;
