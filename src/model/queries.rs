//! Values in the query or the fragment of an address that open something to whoever has them: signatures of addresses that were
//! signed ahead, keys, codes, sessions.
//!
//! Owns the names that say so there and nowhere else: a `key` elsewhere is many things, and `PWD` is a directory.

use std::ops::Range;

use super::quoted::push_value;

/// Names, in lower case and without `-`, `_` and `.`.
const NAMES: &[&str] = &[
    "sig",
    "hmac",
    "key",
    "appkey",
    "subscriptionkey",
    "functionkey",
    "code",
    "pwd",
    "jwt",
    "assertion",
    "ticket",
    "sas",
    "sid",
    "session",
    "sessionid",
    "jsessionid",
    "phpsessid",
    "xamzcredential",
    "awsaccesskeyid",
    "ossaccesskeyid",
    "googleaccessid",
];
/// And their ends: `X-Amz-Signature`, `X-Goog-Signature`, `q-signature`.
const ENDS: &[&str] = &["signature"];

/// Whether a parameter of a query by this name is a secret, there alone.
fn is_secret(name: &str) -> bool {
    let plain: String =
        name.chars().filter(|c| !matches!(c, '_' | '-' | '.')).flat_map(char::to_lowercase).collect();
    NAMES.contains(&plain.as_str()) || ENDS.iter().any(|end| plain.ends_with(end))
}

/// `?name=value`, `&name=value`, `#name=value` in a word in which something stands before the first `?` or `#`. What a name says
/// `anywhere`, it says here as well.
pub(super) fn queries(text: &str, anywhere: fn(&str) -> bool, found: &mut Vec<Range<usize>>) {
    if !text.contains(['?', '#']) || !text.contains('=') {
        return;
    }
    let ends_word = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | '`' | '(' | ')');
    let mut start = 0;
    for word in text.split_inclusive(ends_word) {
        if let Some(first) = word.find(['?', '#']).filter(|first| *first > 0) {
            let mut at = first + 1;
            for part in word[at..].split(['?', '&', '#']) {
                if let Some((written, _)) = part.split_once('=') {
                    // `&amp;` in a page.
                    let name = written.rsplit(';').next().unwrap_or(written);
                    if is_secret(name) || anywhere(name) {
                        push_value(text, start + at + written.len() + 1, found);
                    }
                }
                at += part.len() + 1;
            }
        }
        start += word.len();
    }
}

#[cfg(test)]
mod tests {
    use super::super::redact;

    #[test]
    fn what_opens_something_to_whoever_has_the_address_is_masked() {
        for (name, secret) in [
            ("sig", true),
            ("SIG", true),
            ("X-Amz-Signature", true),
            ("x-amz-signature", true),
            ("X-Amz-Credential", true),
            ("X-Amz-Security-Token", true),
            ("X-Goog-Signature", true),
            ("Signature", true),
            ("AWSAccessKeyId", true),
            ("key", true),
            ("api_key", true),
            ("apikey", true),
            ("code", true),
            ("pwd", true),
            ("pass", true),
            ("password", true),
            ("token", true),
            ("access_token", true),
            ("refresh_token", true),
            ("id_token", true),
            ("client_secret", true),
            ("auth", true),
            ("jwt", true),
            ("sv", false),
            ("X-Amz-Date", false),
            ("X-Amz-Expires", false),
            ("page", false),
            ("region", false),
        ] {
            let kept = if secret { "***" } else { "aBc-9" };
            for (before, after) in [
                ("curl https://h.example/x?", ""),
                ("curl https://h.example/x?a=1&", "&b=2"),
                ("curl 'https://h.example/x?a=1&", "&b=2' -o y"),
                ("{\"url\": \"https://h.example/x?", "\"}"),
                ("curl h.example/x?", " -o y"),
                ("open https://h.example/cb#", "&b=2"),
            ] {
                let text = format!("{before}{name}=aBc-9{after}");
                assert_eq!(redact(&text), format!("{before}{name}={kept}{after}"));
            }
        }
    }

    #[test]
    fn what_is_no_query_or_names_a_secret_stays() {
        for text in [
            "rm -rf build; code=1",
            "make key=release",
            "kubectl get x -l code=200",
            "sort --key=2 names?",
            "echo why? key=value",
            "curl https://h.example/x?key=$KEY",
            "psql 'host=h?x' pwd=/srv",
            "curl 'https://h.example/x?page=2&sort=key'",
            "# code=1",
        ] {
            assert_eq!(redact(text), text);
        }
    }

    #[test]
    fn odd_text_does_not_panic() {
        for text in ["?=", "é?=é", "a?é=", "?&#=", "a\u{a0}?key=é", "a?key="] {
            let _ = redact(text);
        }
    }
}
