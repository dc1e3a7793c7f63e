//! Languages made of expressions: every name that is called or used must be listed, or be a variable set in the same text.

use std::collections::BTreeSet;

use super::Plain;
use super::strings::{STRING, removed};

/// A name, or a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'a> {
    Name(&'a str),
    Sign(char),
}

/// Whether nothing but listed names and own variables is used, and nothing but listed names called.
pub(super) fn harmless(plain: &Plain, text: &str) -> bool {
    let Some(left) = removed(plain, text) else { return false };
    let Some(tokens) = tokens(&left) else { return false };
    let own = own(plain, &tokens);
    let mut at = 0;
    let mut depth = 0_usize;
    while let Some(token) = tokens.get(at) {
        let next = followed(&tokens, at);
        match token {
            Token::Sign('(' | '[' | '{') => depth += 1,
            Token::Sign(')' | ']' | '}') => {
                depth = depth.saturating_sub(1);
                if next == Some(Token::Sign('(')) {
                    return false; // What an expression gives is called.
                }
            }
            Token::Sign(STRING) if next == Some(Token::Sign('(')) => return false,
            Token::Sign(_) => {}
            Token::Name(name) if plain.imports.iter().any(|word| word == name) => {
                match packages(&tokens, at + 1) {
                    Some(end) => {
                        at = end;
                        continue;
                    }
                    None => return false,
                }
            }
            Token::Name(name) => {
                let called = next == Some(Token::Sign('('));
                let field =
                    at > 0 && matches!(tokens[at - 1], Token::Sign(sign) if plain.fields.contains(sign));
                let named = depth > 0 && next == Some(Token::Sign('=')) && !compares(&tokens, at);
                let fine = if field {
                    !called
                } else if named {
                    !plain.named.iter().any(|argument| argument == name)
                } else {
                    plain.harmless.iter().any(|known| known == name) || (!called && own.contains(root(name)))
                };
                if !fine {
                    return false;
                }
            }
        }
        at += 1;
    }
    true
}

/// The variable of `variable.field`.
fn root(name: &str) -> &str {
    if name.contains("::") { name } else { name.split('.').next().unwrap_or(name) }
}

/// Names that the text itself sets, outside all brackets.
fn own<'a>(plain: &Plain, tokens: &[Token<'a>]) -> BTreeSet<&'a str> {
    let mut own = BTreeSet::new();
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Sign('(' | '[' | '{') => depth += 1,
            Token::Sign(')' | ']' | '}') => depth = depth.saturating_sub(1),
            Token::Name(name) if depth == 0 && assigned(plain, tokens, at) => {
                own.insert(*name);
            }
            _ => {}
        }
    }
    own
}

fn assigned(plain: &Plain, tokens: &[Token<'_>], at: usize) -> bool {
    let first = at == 0 || matches!(before(tokens, at), Some(Token::Sign(';' | '\n')) | None);
    let signs: String = tokens[at + 1..]
        .iter()
        .filter(|token| **token != Token::Sign(' '))
        .map_while(|token| if let Token::Sign(sign) = token { Some(*sign) } else { None })
        .take(2)
        .collect();
    first && plain.assigns.iter().any(|sign| signs.starts_with(sign.as_str())) && !signs.starts_with("==")
}

fn before<'a>(tokens: &[Token<'a>], at: usize) -> Option<Token<'a>> {
    tokens[..at].iter().rev().find(|token| **token != Token::Sign(' ')).copied()
}

/// The token behind the one at `at`, blanks left out.
fn followed<'a>(tokens: &[Token<'a>], at: usize) -> Option<Token<'a>> {
    tokens[at + 1..].iter().find(|token| **token != Token::Sign(' ')).copied()
}

/// Whether `==` stands behind the name.
fn compares(tokens: &[Token<'_>], at: usize) -> bool {
    let mut rest = tokens[at + 1..].iter().filter(|token| **token != Token::Sign(' '));
    rest.next() == Some(&Token::Sign('=')) && rest.next() == Some(&Token::Sign('='))
}

/// The end of a list of packages; `None` where anything but names and commas stands in it.
fn packages(tokens: &[Token<'_>], mut at: usize) -> Option<usize> {
    if tokens.get(at) == Some(&Token::Sign('(')) {
        at += 1;
    }
    loop {
        match tokens.get(at) {
            None | Some(Token::Sign(';' | '\n' | ')')) => return Some(at),
            Some(Token::Name("as")) => return None,
            Some(Token::Name(_) | Token::Sign(' ' | ',' | STRING)) => at += 1,
            Some(Token::Sign(_)) => return None,
        }
    }
}

/// Names with their modules (`Pkg.status`, `utils::head`, `@time`), and signs. `None` where a string touches a name, which gives it
/// another meaning.
fn tokens(text: &str) -> Option<Vec<Token<'_>>> {
    let starts = |c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '.' | '@');
    let goes_on = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '!' | '?');
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(next) = text[at..].chars().next() {
        let rest = &text[at..];
        if next.is_ascii_digit() {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '.').unwrap_or(rest.len());
            tokens.push(Token::Sign('0'));
            at += end;
        } else if starts(next) && rest[1..].starts_with(goes_on) {
            at += name_end(rest, goes_on);
            let name = &text[text.len() - rest.len()..at];
            if text[at..].starts_with(STRING) {
                return None;
            }
            tokens.push(Token::Name(name));
        } else if next.is_ascii_alphabetic() {
            if rest[1..].starts_with(STRING) {
                return None;
            }
            let end = name_end(rest, goes_on);
            tokens.push(Token::Name(&rest[..end]));
            at += end;
        } else {
            tokens.push(Token::Sign(if next == '\t' { ' ' } else { next }));
            at += next.len_utf8();
        }
    }
    Some(tokens)
}

/// Where the name at the start of `text` ends.
fn name_end(text: &str, goes_on: impl Fn(char) -> bool) -> usize {
    let mut end = 1;
    loop {
        end += text[end..].find(|c: char| !goes_on(c)).unwrap_or(text.len() - end);
        let Some(rest) = text[end..].strip_prefix("::") else { return end };
        if !rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return end;
        }
        end += 2;
    }
}
