//! `-regex` as a wildcard pattern, where that is possible.

/// The extended wildcard pattern that matches the same whole paths as the regular expression (Emacs syntax, or POSIX
/// extended); `None` for anything beyond characters, `.`, brackets, groups, alternatives and `* + ?`.
pub(super) fn to_pattern(regex: &str, extended: bool) -> Option<String> {
    let chars = regex.chars().collect::<Vec<_>>();
    if chars.len() > 256 {
        return None;
    }
    let mut at = 0;
    let pattern = alternatives(&chars, &mut at, extended, 0)?;
    (at == chars.len()).then_some(pattern)
}

fn alternatives(chars: &[char], at: &mut usize, extended: bool, depth: usize) -> Option<String> {
    if depth > 8 {
        return None;
    }
    let mut parts = vec![sequence(chars, at, extended, depth)?];
    while operator(chars, *at, extended) == Some('|') {
        *at += if extended { 1 } else { 2 };
        parts.push(sequence(chars, at, extended, depth)?);
    }
    Some(if parts.len() == 1 { parts.remove(0) } else { format!("@({})", parts.join("|")) })
}

/// The operator `(`, `)` or `|` at this place, in either syntax.
fn operator(chars: &[char], at: usize, extended: bool) -> Option<char> {
    let c = if extended {
        chars.get(at)
    } else if chars.get(at) == Some(&'\\') {
        chars.get(at + 1)
    } else {
        None
    };
    c.copied().filter(|c| matches!(c, '(' | ')' | '|'))
}

fn sequence(chars: &[char], at: &mut usize, extended: bool, depth: usize) -> Option<String> {
    let mut pattern = String::new();
    while let Some(&c) = chars.get(*at) {
        let atom = match operator(chars, *at, extended) {
            Some('|' | ')') => break,
            Some(_) => {
                let width = if extended { 1 } else { 2 };
                *at += width;
                let inner = alternatives(chars, at, extended, depth + 1)?;
                if operator(chars, *at, extended) != Some(')') {
                    return None;
                }
                *at += width;
                inner
            }
            None => atom(chars, at, c)?,
        };
        match chars.get(*at) {
            Some(&c @ ('*' | '+' | '?')) => {
                *at += 1;
                match (c, atom.as_str()) {
                    ('*', "?") => pattern.push('*'),
                    ('+', "?") => pattern.push_str("?*"),
                    _ => pattern.push_str(&format!("{c}({atom})")),
                }
            }
            Some('{') if extended => return None,
            _ => pattern.push_str(&atom),
        }
    }
    Some(pattern)
}

fn atom(chars: &[char], at: &mut usize, c: char) -> Option<String> {
    let start = *at;
    *at += 1;
    match c {
        '.' => Some("?".to_owned()),
        '^' if start == 0 => Some(String::new()),
        '$' if start + 1 == chars.len() => Some(String::new()),
        '^' | '$' | '*' | '+' | '?' => None,
        '[' => {
            let mut end = start + 1 + usize::from(chars.get(start + 1) == Some(&'^'));
            end += usize::from(chars.get(end) == Some(&']'));
            while *chars.get(end)? != ']' {
                if matches!(chars[end], '[' | '\\') {
                    return None;
                }
                end += 1;
            }
            *at = end + 1;
            Some(chars[start..=end].iter().collect())
        }
        '\\' => {
            let next = *chars.get(*at)?;
            *at += 1;
            (!next.is_alphanumeric() && !matches!(next, '<' | '>' | '`' | '\'' | '{' | '}'))
                .then(|| format!("\\{next}"))
        }
        other => Some(crate::shell::pattern::escape(&other.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::pattern::{Options, matches};

    #[test]
    fn common_expressions() {
        let options = Options { extglob: true, ..Options::default() };
        for (regex, extended, text, expected) in [
            (r".*\.py", false, "./a/b.py", true),
            (r".*\.py", false, "./a/bxpy", false),
            (r".*\.\(js\|ts\)", false, "./x.ts", true),
            (r".*\.(js|ts)$", true, "./x.ts", true),
            (r"\./[a-z]+", false, "./abc", true),
            (r"\./[a-z]+", false, "./a1", false),
            (r".*/ab?c", false, "./ac", true),
        ] {
            let pattern = to_pattern(regex, extended).unwrap();
            assert_eq!(matches(&pattern, text, options), expected, "{regex} {pattern} {text}");
        }
        for regex in [r".*\w", r"a\{2\}", "[[:alpha:]]"] {
            assert_eq!(to_pattern(regex, false), None);
        }
    }
}
