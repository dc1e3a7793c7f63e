//! Wildcards in policy files: `*` within a path component, `**` across them, `?`, `[a-z]`.
//!
//! Owns matching alone. Total and bounded: backtracking costs at most pattern times text.

/// Whether `pattern` matches all of `text`. With `path`, `*` and `?` stop at `/` and `**` does not.
pub(super) fn matches(pattern: &str, text: &str, path: bool) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    // One row of the table per pattern position: which text positions can be reached.
    let mut reachable = vec![false; text.len() + 1];
    reachable[0] = true;
    let mut at = 0;
    while at < pattern.len() {
        let (token, next) = token(&pattern, at);
        reachable = step(&token, &reachable, &text, path);
        at = next;
    }
    reachable[text.len()]
}

enum Token {
    One(char),
    Any,
    Class(bool, Vec<(char, char)>),
    Star,
    /// `**/`: nothing, or anything that ends at a `/`.
    Directories,
    DoubleStar,
}

fn token(pattern: &[char], at: usize) -> (Token, usize) {
    match pattern[at] {
        '*' if pattern.get(at + 1) == Some(&'*') => {
            if pattern.get(at + 2) == Some(&'/') {
                (Token::Directories, at + 3)
            } else {
                (Token::DoubleStar, at + 2)
            }
        }
        '*' => (Token::Star, at + 1),
        '?' => (Token::Any, at + 1),
        '[' => class(pattern, at).unwrap_or((Token::One('['), at + 1)),
        '\\' if at + 1 < pattern.len() => (Token::One(pattern[at + 1]), at + 2),
        other => (Token::One(other), at + 1),
    }
}

fn class(pattern: &[char], at: usize) -> Option<(Token, usize)> {
    let mut i = at + 1;
    let negated = matches!(pattern.get(i), Some('!' | '^'));
    if negated {
        i += 1;
    }
    let mut ranges = Vec::new();
    let first = i;
    loop {
        let c = *pattern.get(i)?;
        if c == ']' && i > first {
            return Some((Token::Class(negated, ranges), i + 1));
        }
        if pattern.get(i + 1) == Some(&'-') && pattern.get(i + 2).is_some_and(|end| *end != ']') {
            ranges.push((c, pattern[i + 2]));
            i += 3;
        } else {
            ranges.push((c, c));
            i += 1;
        }
    }
}

fn step(token: &Token, from: &[bool], text: &[char], path: bool) -> Vec<bool> {
    let mut to = vec![false; from.len()];
    let mut carried = false;
    for (i, here) in from.iter().enumerate() {
        carried |= *here;
        match token {
            Token::Star | Token::DoubleStar => {
                to[i] = carried;
                let stops = path && matches!(token, Token::Star) && text.get(i) == Some(&'/');
                carried &= !stops;
            }
            Token::Directories => {
                to[i] |= *here || (carried && i > 0 && text[i - 1] == '/');
            }
            single => {
                let Some(c) = text.get(i) else { continue };
                let hit = match single {
                    Token::One(want) => want == c,
                    Token::Any => !(path && *c == '/'),
                    Token::Class(negated, ranges) => {
                        !(path && *c == '/') && ranges.iter().any(|(a, b)| a <= c && c <= b) != *negated
                    }
                    _ => false,
                };
                if *here && hit {
                    to[i + 1] = true;
                }
            }
        }
    }
    to
}

/// The part of a pattern before its first wildcard.
pub(super) fn literal_prefix(pattern: &str) -> &str {
    pattern.find(['*', '?', '[', '\\']).map_or(pattern, |at| &pattern[..at])
}

#[cfg(test)]
mod tests {
    use super::{literal_prefix, matches};

    #[test]
    fn wildcards() {
        for (pattern, text, path, want) in [
            ("*", "anything/at all", false, true),
            ("*", "a/b", true, false),
            ("**", "a/b", true, true),
            ("/srv/**", "/srv/a/b", true, true),
            ("/srv/**", "/srv", true, false),
            ("**/x", "x", true, true),
            ("**/x", "a/b/x", true, true),
            ("**/x", "a/bx", true, false),
            ("*.log", "a.log", true, true),
            ("*.log", "a.log.gz", true, false),
            ("prod-?", "prod-1", false, true),
            ("prod-[a-c]", "prod-b", false, true),
            ("prod-[!a-c]", "prod-b", false, false),
            ("a[", "a[", false, true),
            ("", "", false, true),
            ("", "a", false, false),
            ("aws_*_instance", "aws_db_instance", false, true),
        ] {
            assert_eq!(matches(pattern, text, path), want, "{pattern} on {text}");
        }
    }

    #[test]
    fn hostile_patterns_end() {
        let pattern = "*a".repeat(200);
        assert!(!matches(&pattern, &"a".repeat(190), false));
    }

    #[test]
    fn prefix() {
        assert_eq!(literal_prefix("/srv/data/*.db"), "/srv/data/");
        assert_eq!(literal_prefix("/srv"), "/srv");
    }
}
