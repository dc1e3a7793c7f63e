//! Texts of which only the signs are known that stand at some places: whether those places could be more than text.

use crate::code::language::Language;
use crate::model::{Mark, Signs, is_mark};

use super::{Piece, Tok, tokens};

/// Whether signs that are not known stand anywhere but inside of a quoted text, or for a number.
pub(in crate::code) fn exposes(text: &str, language: Language) -> bool {
    let chars = text.chars().collect::<Vec<_>>();
    let lines = |c: char| Mark::of(c).is_none_or(|mark| mark.lines);
    let broken = chars.iter().enumerate().filter(|(_, c)| is_mark(**c)).any(|(at, c)| {
        let before = at.checked_sub(1).and_then(|at| chars.get(at)).copied();
        // A backslash or a bracket in front of what may be nothing at all means what stands behind; lines end comments.
        lines(*c) || matches!(before, Some('\\' | '[' | '$' | '@' | '#' | '&' | '?' | '%'))
    });
    // The end of a here-document, and what begins one, could be written with them.
    let documents = text.contains("<<") && language != Language::Python && language != Language::Node;
    broken || documents || any_exposed(text, language)
}

fn any_exposed(text: &str, language: Language) -> bool {
    let tokens = tokens(text, language);
    let pieces = |pieces: &[Piece]| {
        pieces.iter().any(|piece| match piece {
            Piece::Text(_) => false,
            Piece::Code(code) => code.contains(is_mark) && any_exposed(code, language),
        })
    };
    tokens.iter().enumerate().any(|(at, token)| match &token.kind {
        Tok::Text(inner) | Tok::Shell(inner) => pieces(inner),
        Tok::Glob(inner) => {
            pieces(inner) || inner.iter().any(|p| matches!(p, Piece::Text(text) if text.contains(is_mark)))
        }
        Tok::Number(number) => {
            number.contains(is_mark)
                && (!is_number(number) || reads_otherwise(tokens.get(at + 1).map(|t| &t.kind), language))
        }
        Tok::Name(text) | Tok::Variable(text) | Tok::Regex { code: Some(text), .. } => text.contains(is_mark),
        Tok::Words(words) => words.iter().any(|word| word.contains(is_mark)),
        Tok::Regex { code: None, .. }
        | Tok::Input
        | Tok::Op(_)
        | Tok::Newline
        | Tok::Indent
        | Tok::Dedent => false,
    })
}

/// Words that stand behind a value, and begin nothing by themselves.
const BEHIND: [&str; 14] = [
    "if", "else", "unless", "and", "or", "for", "foreach", "while", "until", "end", "then", "do", "in", "is",
];

/// Digits and places for digits.
fn is_number(text: &str) -> bool {
    text.chars().all(|c| match Mark::of(c) {
        Some(mark) => mark.signs == Signs::Number,
        None => c.is_ascii_digit() || matches!(c, '.' | '_'),
    })
}

/// Whether what stands behind a number would be read otherwise if there were none.
fn reads_otherwise(behind: Option<&Tok>, language: Language) -> bool {
    match behind {
        Some(Tok::Op(op)) => match *op {
            "/" | "//" => language != Language::Python,
            "%" | "<" | "*" | "**" | "-" | "." => !matches!(language, Language::Python | Language::Node),
            ")" | "]" | "}" | "," | ";" | ":" | "+" | "=" | "==" | "!=" | ">" | ">=" | "<=" => false,
            _ => true,
        },
        Some(Tok::Name(name)) => !BEHIND.contains(&name.as_str()),
        Some(Tok::Newline) | None => false,
        Some(_) => true,
    }
}
