//! What the reader hands to the structure: one token per simple command, reserved word or operator.
//!
//! A simple command is one token however many words it has, so the grammar that joins tokens never sees quoting,
//! expansions, redirections or here-documents.

use crate::model::Span;

use super::{Assignment, CaseEnd, DeclarationArgument, Redirection, TestExpression, Word};

/// A redirection whose here-document may still have to be read.
pub(super) struct Redirected {
    pub(super) redirection: Redirection,
    /// Slot of the here-document's body.
    pub(super) slot: Option<usize>,
}

/// Assignments, words and redirections up to the next operator.
#[derive(Default)]
pub(super) struct Simple {
    pub(super) assignments: Vec<Assignment>,
    pub(super) words: Vec<Word>,
    /// Arguments when the command word is `declare` or one of its kin.
    pub(super) declaration: Option<(String, Vec<DeclarationArgument>)>,
}

/// What may stand before a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Prefix {
    /// `!`
    Not,
    /// `time`
    Time,
    /// `coproc NAME`
    Coproc(String),
    /// `NAME ()`
    Function(String),
}

pub(super) enum TokenKind {
    Simple(Simple),
    /// A reserved word, group or subshell bracket, as the grammar knows it.
    Keyword(&'static str),
    /// `|` or `|&` (true).
    Pipe(bool),
    And,
    Or,
    Background,
    For {
        variable: String,
        words: Option<Vec<Word>>,
        select: bool,
    },
    ArithmeticFor(Word),
    Case(Word),
    Pattern(Vec<Word>),
    CaseEnd(CaseEnd),
    Test(TestExpression),
    Arithmetic(Word),
}

pub(super) struct Token {
    pub(super) kind: TokenKind,
    /// Offset of its text in the text that the grammar parses.
    pub(super) at: usize,
    pub(super) span: Span,
    pub(super) prefixes: Vec<Prefix>,
    /// Those of a simple command, of `[[`, `((`, or, on a closing word, of the compound command that it closes.
    pub(super) redirections: Vec<Redirected>,
}

impl Token {
    /// The grammar's spelling.
    pub(super) fn spelling(&self) -> &'static str {
        match self.kind {
            TokenKind::Simple(_) | TokenKind::Test(_) | TokenKind::Arithmetic(_) => "w",
            TokenKind::Keyword(word) => word,
            // One spelling for all: which of them it is, the token knows, and the grammar's own idea of pipelines has
            // ambiguities that it resolves wrongly in long texts.
            TokenKind::Pipe(_) | TokenKind::And | TokenKind::Or => "&&",
            TokenKind::Background => "&",
            TokenKind::For { .. } | TokenKind::ArithmeticFor(_) => "for w in w\n",
            TokenKind::Case(_) => "case w in\n",
            TokenKind::Pattern(_) => "w)\n",
            TokenKind::CaseEnd(_) => ";;\n",
        }
    }

    /// A command may follow only behind an operator or a separator.
    pub(super) fn ends_command(&self) -> bool {
        matches!(
            self.kind,
            TokenKind::Simple(_)
                | TokenKind::Test(_)
                | TokenKind::Arithmetic(_)
                | TokenKind::Keyword("}" | ")" | "fi" | "done" | "esac")
        )
    }
}
