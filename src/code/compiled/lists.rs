//! Names in a loop over a directory that stands in the source, or over the names that fit a pattern.

use super::{Token, call, listed, literal};

/// Most steps from a list to a name.
const STEPS: usize = 4;

/// Names that stand for each of the things in such a list, with the pattern of those.
pub(super) fn names(tokens: &[Token]) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let Token::Name(name) = token else { continue };
        let (entries, pattern) = (listed("entries", name), listed("patterns", name));
        if !entries && !pattern || tokens.get(at + 1) != Some(&Token::Sign('(')) {
            continue;
        }
        let Some(text) = literal(call(&tokens[at + 2..])) else { continue };
        let each = if entries { format!("{}/*", text.trim_end_matches('/')) } else { text.to_owned() };
        found.extend(bound(tokens, at).map(|name| (name, each)));
    }
    // What is made of such a name: its path, a variable of its own.
    for _ in 0..STEPS {
        let before = found.len();
        for (at, token) in tokens.iter().enumerate() {
            let Token::Name(name) = token else { continue };
            let own = name.split('.').next().unwrap_or(name);
            let Some((_, each)) = found.iter().find(|(known, _)| known == own).cloned() else { continue };
            let made = bound(tokens, at).filter(|made| !found.iter().any(|(known, _)| known == made));
            found.extend(made.map(|made| (made, each)));
        }
        if found.len() == before {
            break;
        }
    }
    found
}

/// The pattern of what a call is given, where that is made of one of the names.
pub(super) fn each_of(part: &[Token], names: &[(String, String)]) -> Option<String> {
    part.iter().find_map(|token| match token {
        Token::Name(name) => {
            let own = name.split('.').next().unwrap_or(name);
            names.iter().find(|(known, _)| known == own).map(|(_, each)| each.clone())
        }
        _ => None,
    })
}

/// The variable that is set, or goes through a list, in the statement in which something stands.
fn bound(tokens: &[Token], at: usize) -> Option<String> {
    let start = tokens[..at]
        .iter()
        .rposition(|token| matches!(token, Token::Sign(';' | '{' | '}')))
        .map_or(0, |at| at + 1);
    let statement = &tokens[start..at];
    let skipped = |word: &str| {
        matches!(
            word,
            "for"
                | "let"
                | "mut"
                | "auto"
                | "const"
                | "var"
                | "_"
                | "range"
                | "in"
                | "if"
                | "Ok"
                | "Some"
                | "await"
        )
    };
    let name = |token: &Token| match token {
        Token::Name(word) if !skipped(word) && !word.contains(['.', ':']) => Some(word.clone()),
        _ => None,
    };
    let sets = |token: &Token| {
        matches!(token, Token::Sign('=' | ':')) || matches!(token, Token::Name(word) if word == "in")
    };
    let end = statement.iter().position(sets)?;
    let mut front = statement[..end].iter().filter_map(name);
    // `for _, entry := range …`, `entries, err := …`.
    front.next()
}
