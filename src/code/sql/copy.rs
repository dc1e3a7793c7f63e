//! `COPY` and `\copy`: rows between tables, files and programs.

use crate::code::effect::{CodeEffect, SqlVerb};
use crate::model::Value;

use super::client::Client;
use super::lexer::{Kind, tokens};
use super::{Session, statement};

/// What follows the word COPY. `client`: the file is on the client's side, and its name need not be quoted.
pub(super) fn copy(rest: &str, text: &str, session: &Session, client: bool) -> Client {
    let tokens = tokens(rest, session.dialect);
    let mut level = 0;
    let mut direction = None;
    for (index, token) in tokens.iter().enumerate() {
        match &token.kind {
            Kind::Mark('(') => level += 1,
            Kind::Mark(')') => level -= 1,
            Kind::Word(word) if level == 0 && (word == "TO" || word == "FROM") => {
                direction = Some(index);
                break;
            }
            _ => {}
        }
    }
    let table =
        tokens.first().filter(|t| !t.mark('(')).map(|t| rest[t.start..t.end].trim_matches('"').to_owned());
    let Some(direction) = direction else {
        return Client::Does(vec![statement(SqlVerb::Unknown, table, "table", text)]);
    };
    let outward = tokens[direction].is("TO");
    let program = tokens.get(direction + 1).is_some_and(|t| t.is("PROGRAM"));
    let target = tokens.get(direction + 1 + usize::from(program)).map(|token| match &token.kind {
        Kind::Text(value) => value.clone(),
        _ if client => {
            rest[token.start..].split_whitespace().next().unwrap_or_default().trim_end_matches(';').to_owned()
        }
        _ => rest[token.start..token.end].to_owned(),
    });
    let standard = target.as_deref().is_some_and(|t| {
        matches!(t.to_ascii_lowercase().as_str(), "stdin" | "stdout" | "pstdin" | "pstdout")
    });
    let mut result = match (program, outward, target) {
        (true, _, Some(command)) => {
            let mut escape = statement(SqlVerb::Escape, None, "file", text);
            escape.escape = Some(CodeEffect::Shell { text: Value::known(command) });
            vec![escape]
        }
        (false, true, Some(file)) if !standard => {
            let mut escape = statement(SqlVerb::Escape, None, "file", text);
            escape.escape = Some(CodeEffect::Overwrite { path: Value::known(file) });
            vec![escape]
        }
        (_, true, _) => vec![statement(SqlVerb::Read, table.clone(), "table", text)],
        _ => Vec::new(),
    };
    if !outward {
        result.push(statement(SqlVerb::Create, table, "table", text));
    } else if let Some(first) = tokens.first().filter(|t| t.mark('(')) {
        // `COPY (DELETE … RETURNING *) TO …` runs what stands in the parentheses.
        let end = tokens[direction].start;
        let inner = rest[first.end..end].trim().trim_end_matches(')');
        let inside = super::read(session.dialect, inner, session.depth + 1);
        result.extend(inside.into_iter().filter(|s| s.verb != SqlVerb::Read));
    }
    Client::Does(result)
}
