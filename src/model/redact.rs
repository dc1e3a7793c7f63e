//! Secrets in text, so that nothing we print carries them.
//!
//! Recognises by form (token prefixes, private key blocks), by place (a URL's password, an `Authorization:` header) and by
//! name (`PGPASSWORD=…`, `--password …`, `"secret": "…"`). A scanner, total and linear; errs towards masking.

use std::borrow::Cow;
use std::ops::Range;

use crate::order;

/// What stands in a secret's place.
pub const MASK: &str = "***";

/// The text with recognisable secrets masked.
pub fn redact(text: &str) -> Cow<'_, str> {
    mask_ranges(text, secret_ranges(text))
}

/// The text with the mask in place of these ranges, in any order.
pub(super) fn mask_ranges(text: &str, ranges: Vec<Range<usize>>) -> Cow<'_, str> {
    let ranges = merge(ranges);
    if ranges.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for range in ranges {
        out.push_str(&text[at..range.start]);
        out.push_str(MASK);
        at = range.end;
    }
    out.push_str(&text[at..]);
    Cow::Owned(out)
}

/// The byte ranges of recognisable secrets, in order, not overlapping, on character boundaries.
pub fn secret_ranges(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    private_keys(text, &mut found);
    tokens(text, &mut found);
    url_passwords(text, &mut found);
    headers(text, &mut found);
    named_values(text, &mut found);
    options(text, &mut found);
    merge(found)
}

fn merge(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.retain(|range| range.start < range.end);
    order::by_key(&mut ranges, |range| (range.start, range.end));
    let mut out: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match out.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => out.push(range),
        }
    }
    out
}

/// `-----BEGIN … PRIVATE KEY-----` up to its end, or to the end of the text.
fn private_keys(text: &str, found: &mut Vec<Range<usize>>) {
    if !text.contains('-') {
        return;
    }
    let mut at = 0;
    while let Some(begin) = text[at..].find("-----BEGIN ").map(|i| i + at) {
        let rest = &text[begin + 11..];
        let Some(close) = rest.find("-----") else { return };
        let title = &rest[..close];
        let body = begin + 11 + close + 5;
        if !title.contains("PRIVATE KEY") {
            at = body;
            continue;
        }
        let end = text[body..].find("-----END ").map_or(text.len(), |i| i + body);
        found.push(body..end);
        at = end.max(body);
        if end == text.len() {
            return;
        }
        at += 9;
    }
}

/// Known beginnings of tokens, the number of further characters they need, and whether those are upper case alone.
const PREFIXES: &[(&str, usize, bool)] = &[
    ("AKIA", 16, true),
    ("ASIA", 16, true),
    ("ghp_", 20, false),
    ("gho_", 20, false),
    ("ghu_", 20, false),
    ("ghs_", 20, false),
    ("ghr_", 20, false),
    ("github_pat_", 20, false),
    ("glpat-", 15, false),
    ("xoxb-", 10, false),
    ("xoxp-", 10, false),
    ("xoxa-", 10, false),
    ("xoxr-", 10, false),
    ("xoxs-", 10, false),
    ("sk-", 20, false),
    ("sk_live_", 10, false),
    ("sk_test_", 10, false),
    ("rk_live_", 10, false),
    ("AIza", 30, false),
    ("npm_", 30, false),
    ("pypi-", 30, false),
    ("ya29.", 20, false),
    ("hf_", 25, false),
    ("dop_v1_", 30, false),
    ("SG.", 30, false),
    ("hvs.", 20, false),
    ("eyJ", 30, false),
];

/// The bytes that [`PREFIXES`] begin with. Reports hold tens of thousands of texts, and nearly all have no secret.
const BEGINS: [bool; 256] = {
    let mut table = [false; 256];
    let mut at = 0;
    while at < PREFIXES.len() {
        table[PREFIXES[at].0.as_bytes()[0] as usize] = true;
        at += 1;
    }
    table
};

fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'+' | b'/' | b'=')
}

fn tokens(text: &str, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    for (at, first) in bytes.iter().enumerate() {
        if !BEGINS[usize::from(*first)] || (at > 0 && bytes[at - 1].is_ascii_alphanumeric()) {
            continue;
        }
        let second = bytes.get(at + 1).copied();
        for (prefix, least, upper) in PREFIXES {
            let likely = prefix.as_bytes().get(1).copied() == second;
            if !likely || !bytes[at..].starts_with(prefix.as_bytes()) {
                continue;
            }
            let body = &bytes[at + prefix.len()..];
            let length = body
                .iter()
                .take_while(|byte| {
                    if *upper {
                        byte.is_ascii_uppercase() || byte.is_ascii_digit()
                    } else {
                        is_token_byte(**byte) && **byte != b'/'
                    }
                })
                .count();
            // A JSON web token has dots; a word that happens to begin like one has none.
            let likely = *prefix != "eyJ" || body[..length].contains(&b'.');
            if length >= *least && likely {
                found.push(at..at + prefix.len() + length);
            }
        }
    }
}

/// `scheme://user:password@host`.
fn url_passwords(text: &str, found: &mut Vec<Range<usize>>) {
    if !text.contains('@') {
        return;
    }
    for (at, _) in text.match_indices("://") {
        let start = at + 3;
        let rest = &text[start..];
        let end = rest
            .find(|c: char| c.is_whitespace() || matches!(c, '/' | '"' | '\'' | '<' | '>'))
            .unwrap_or(rest.len());
        let authority = &rest[..end];
        let Some(host) = authority.rfind('@') else { continue };
        let user = &authority[..host];
        match user.find(':') {
            Some(colon) if !is_reference(&user[colon + 1..]) => found.push(start + colon + 1..start + host),
            // A token alone in front of `@`.
            None if user.len() >= 20 => found.push(start..start + host),
            _ => {}
        }
    }
}

/// Values that only name a secret: `$TOKEN`, `${TOKEN}`, `$(pass show x)`.
fn is_reference(value: &str) -> bool {
    value.is_empty() || value.starts_with('$') || value.starts_with('`') || value.starts_with(MASK)
}

/// Headers that carry credentials, to the end of the quote or line.
const HEADERS: &[&str] = &[
    "authorization:",
    "proxy-authorization:",
    "x-api-key:",
    "api-key:",
    "x-auth-token:",
    "private-token:",
    "cookie:",
];

fn headers(text: &str, found: &mut Vec<Range<usize>>) {
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

/// Whether a name says that its value is secret.
pub fn is_secret_name(name: &str) -> bool {
    let name: String =
        name.chars().filter(|c| !matches!(c, '_' | '-' | '.')).flat_map(char::to_lowercase).collect();
    const PARTS: &[&str] = &[
        "password",
        "passwd",
        "passphrase",
        "secret",
        "token",
        "apikey",
        "accesskey",
        "privatekey",
        "credential",
        "authkey",
        "encryptionkey",
        "clientkey",
    ];
    const WHOLE: &[&str] = &["pass", "pwd", "pgpass", "dbpass", "mysqlpwd", "userpass", "auth"];
    // Names of files and counts, not of secrets.
    const NOT: &[&str] =
        &["file", "path", "dir", "length", "count", "name", "arn", "id", "ttl", "type", "policy"];
    let secret = PARTS.iter().any(|part| name.contains(part))
        || WHOLE.iter().any(|whole| name.ends_with(whole) && name.len() <= whole.len() + 6);
    let about = NOT.iter().any(|end| name.ends_with(end)) && !name.ends_with("keyid");
    let directory = matches!(name.as_str(), "pwd" | "oldpwd");
    secret && !about && !directory
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// `name=value`, `name: value`, `"name": "value"`, `PASSWORD 'value'`, `IDENTIFIED BY 'value'`.
fn named_values(text: &str, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        if !matches!(byte, b'=' | b':') {
            continue;
        }
        if bytes.get(at + 1) == Some(byte) || (at > 0 && bytes[at - 1] == *byte) {
            continue;
        }
        // The name before it, perhaps quoted.
        let mut end = at;
        while end > 0 && matches!(bytes[end - 1], b' ' | b'"' | b'\'' | b'+') {
            end -= 1;
        }
        let start = bytes[..end].iter().rposition(|byte| !is_name_byte(*byte)).map_or(0, |i| i + 1);
        let name = text[start..end].trim_start_matches('-');
        if name.is_empty() || !is_secret_name(name) {
            continue;
        }
        let after = &text[at + 1..];
        let blanks = after.len() - after.trim_start_matches([' ', '\t']).len();
        // `name= other` in shell is an empty value; only `:` and spaced `=` take blanks.
        if *byte == b'=' && blanks > 0 && end == at {
            continue;
        }
        push_value(text, at + 1 + blanks, found);
    }
    // Only a quoted value counts here.
    if !text.contains(['\'', '"']) {
        return;
    }
    let lower = text.to_ascii_lowercase();
    for phrase in ["identified by ", "password ", "passwd "] {
        for (at, _) in lower.match_indices(phrase) {
            let start = at + phrase.len();
            if text[start..].starts_with(['\'', '"']) {
                push_value(text, start, found);
            }
        }
    }
}

/// Records the (perhaps quoted) value that starts at `start`.
fn push_value(text: &str, start: usize, found: &mut Vec<Range<usize>>) {
    let rest = &text[start..];
    let (open, end) = match rest.chars().next() {
        Some(quote @ ('"' | '\'')) => (1, rest[1..].find(quote).map_or(rest.len(), |i| i + 1)),
        _ => (
            0,
            rest.find(|c: char| {
                c.is_whitespace() || matches!(c, '"' | '\'' | ';' | '&' | '|' | ')' | '}' | ',')
            })
            .unwrap_or(rest.len()),
        ),
    };
    let value = &rest[open..end];
    if !is_reference(value) && !matches!(value, "true" | "false" | "null" | "none" | "yes" | "no") {
        found.push(start + open..start + end);
    }
}

/// `--password value`, `sshpass -p value`, `curl -u user:value`, `mysql -pvalue`.
fn options(text: &str, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let begins = |at: usize| at == 0 || !bytes[at - 1].is_ascii_graphic();
    if !bytes.iter().enumerate().any(|(at, byte)| *byte == b'-' && begins(at)) {
        return;
    }
    let words: Vec<(usize, &str)> = words(text);
    let mut program = "";
    let mut fresh = true;
    for (index, (at, word)) in words.iter().enumerate() {
        if fresh {
            program = word.rsplit('/').next().unwrap_or(word);
        }
        fresh = matches!(*word, "|" | "||" | "&&" | ";" | "&" | "sudo" | "env" | "time")
            || word.ends_with(';')
            || (fresh && word.contains('='));
        let next = words.get(index + 1);
        let long = word.strip_prefix("--").filter(|name| !name.contains('='));
        if let (Some(name), Some((value_at, value))) = (long, next)
            && is_secret_name(name)
            && !value.starts_with('-')
        {
            push_value(text, *value_at, found);
        }
        let is = |names: &[&str]| names.contains(&program);
        if *word == "-p"
            && is(&["sshpass"])
            && let Some((value_at, _)) = next
        {
            push_value(text, *value_at, found);
        }
        if let Some(value) = word.strip_prefix("-p").filter(|value| !value.is_empty())
            && is(&["mysql", "mysqldump", "mysqladmin", "mariadb", "mariadb-dump", "sshpass"])
            && !is_reference(value)
        {
            push_value(text, at + 2, found);
        }
        if matches!(*word, "-u" | "--user" | "-a" | "--auth")
            && is(&["curl", "http", "https", "wget"])
            && let Some((value_at, value)) = next
            && let Some(colon) = value.find(':')
        {
            push_value(text, value_at + colon + 1, found);
        }
    }
}

fn words(text: &str) -> Vec<(usize, &str)> {
    let mut out = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices() {
        if c.is_whitespace() {
            if let Some(begin) = start.take() {
                out.push((begin, &text[begin..at]));
            }
        } else if start.is_none() {
            start = Some(at);
        }
    }
    if let Some(begin) = start {
        out.push((begin, &text[begin..]));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::redact;

    #[test]
    fn secrets_are_masked() {
        for (text, want) in [
            ("PGPASSWORD=hunter2 psql", "PGPASSWORD=*** psql"),
            ("export API_KEY='a b c'", "export API_KEY='***'"),
            ("curl https://bob:s3cr3t@host/x", "curl https://bob:***@host/x"),
            ("psql postgres://u:p%40ss@db/prod", "psql postgres://u:***@db/prod"),
            ("curl -H 'Authorization: Bearer abcdef123456' x", "curl -H 'Authorization: Bearer ***' x"),
            ("curl -H \"X-Api-Key: k\" x", "curl -H \"X-Api-Key: ***\" x"),
            ("tool --password hunter2 -v", "tool --password *** -v"),
            ("tool --password=hunter2 -v", "tool --password=*** -v"),
            ("mysql -uroot -phunter2 db", "mysql -uroot -p*** db"),
            ("sshpass -p hunter2 ssh h", "sshpass -p *** ssh h"),
            ("curl -u bob:hunter2 x", "curl -u bob:*** x"),
            ("aws AKIAIOSFODNN7EXAMPLE x", "aws *** x"),
            ("echo ghp_0123456789abcdefghijABCDEFGHIJ0123", "echo ***"),
            ("{\"password\": \"hunter2\", \"a\": 1}", "{\"password\": \"***\", \"a\": 1}"),
            ("ALTER USER x IDENTIFIED BY 'hunter2'", "ALTER USER x IDENTIFIED BY '***'"),
            (
                "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----",
                "-----BEGIN RSA PRIVATE KEY-----***-----END RSA PRIVATE KEY-----",
            ),
        ] {
            assert_eq!(redact(text), want);
        }
    }

    #[test]
    fn ordinary_text_stays() {
        for text in [
            "ls -la",
            "docker run -p 80:80 -u 1000:1000 x",
            "PGPASSWORD=$PW psql",
            "cd $OLDPWD; PWD=/tmp",
            "git push https://github.com/a/b",
            "ssh user@host",
            "mkdir -p a/b",
            "rm secrets.txt",
            "a sketch-of-something-longer-than-twenty",
        ] {
            assert_eq!(redact(text), text);
        }
    }

    #[test]
    fn odd_text_does_not_panic() {
        for text in
            ["://@", "=:=", "-----BEGIN ", "é=é:é", "password:", "--password", "authorization:", "a://é:é@é"]
        {
            let _ = redact(text);
        }
    }
}
