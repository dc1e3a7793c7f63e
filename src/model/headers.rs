//! Headers of HTTP that carry credentials, in any text: what they say is a secret to the end of the quote or line.

use std::ops::Range;

use super::tokens::{is_reference, is_token_byte};

/// Their names.
const HEADERS: &[&str] = &[
    "authorization:",
    "proxy-authorization:",
    "x-api-key:",
    "api-key:",
    "x-auth-token:",
    "x-vault-token:",
    "x-access-token:",
    "x-amz-security-token:",
    "x-goog-api-key:",
    "x-auth-key:",
    "x-api-token:",
    "x-figma-token:",
    "apikey:",
    "job-token:",
    "deploy-token:",
    "circle-token:",
    "dd-api-key:",
    "set-cookie:",
    "private-token:",
    "cookie:",
];

pub(super) fn headers(text: &str, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let ends = |at: usize, word: &str| {
        let start = (at + 1).checked_sub(word.len());
        start.filter(|start| bytes[*start..=at].eq_ignore_ascii_case(word.as_bytes()))
    };
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b':' => {
                let named = HEADERS.iter().filter_map(|header| ends(at, header));
                named.for_each(|start| header(text, start, at + 1, found));
            }
            b' ' if ends(at, "bearer ").is_some() => {
                let length = bytes[at + 1..].iter().take_while(|byte| is_token_byte(**byte)).count();
                if length >= 12 {
                    found.push(at + 1..at + 1 + length);
                }
            }
            _ => {}
        }
    }
}

/// What a header that begins at `name` says from `value` on.
fn header(text: &str, name: usize, value: usize, found: &mut Vec<Range<usize>>) {
    let rest = text[value..].trim_start_matches([' ', '\t']);
    let start = text.len() - rest.len();
    let quote = text[..name].chars().next_back().filter(|c| matches!(c, '"' | '\''));
    let end = rest
        .find(|c: char| c == '\n' || quote.map_or(c == '"' || c == '\'', |q| q == c))
        .map_or(text.len(), |i| i + start);
    // The scheme may stay.
    let value = &text[start..end];
    let scheme = ["Bearer ", "bearer ", "Basic ", "basic ", "token ", "Token "]
        .iter()
        .find(|scheme| value.starts_with(**scheme))
        .map_or(0, |scheme| scheme.len());
    if !is_reference(&value[scheme..]) {
        found.push(start + scheme..end);
    }
}
