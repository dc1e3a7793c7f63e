//! Wildcard patterns, wherever they are written: `*`, `?`, `[…]` and backslash; bash's extended `@(…)` family; `**` of
//! git and of policies; the knowledge's lone `*`.
//!
//! Owns deciding whether a text matches a pattern. Pure. Works on sets of positions instead of backtracking, so a
//! hostile pattern cannot take exponential time. Past a fixed amount of work the answer is "matches", since callers ask
//! in order to learn what may be touched; who asks what is permitted wants it [`exact`](Options::exact).

mod read;
mod run;

use read::{Item, parse};
use run::Run;

/// How a pattern is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// `?(…)`, `*(…)`, `+(…)`, `@(…)` and `!(…)` are operators.
    pub extglob: bool,
    /// A leading period must be matched by a period in the pattern (bash globs without `dotglob`).
    pub period: bool,
    /// Letters match either case.
    pub ignore_case: bool,
    /// A slash is matched by a slash alone (one path component per wildcard).
    pub pathname: bool,
    /// Where `**` takes slashes all the same.
    pub crossing: Crossing,
    /// Nothing but `*` is special, not even a backslash.
    pub stars_only: bool,
    /// However long it takes: pattern times text, for patterns without extended groups.
    pub exact: bool,
}

/// Where `**` takes slashes, and `**/` nothing at all, too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Crossing {
    /// Two stars are one.
    #[default]
    Never,
    /// Where they are a whole name of the path, as for git.
    WholeName,
    /// Wherever they stand.
    Anywhere,
}

/// Steps of work (positions looked at) before the matcher gives up and answers yes.
const WORK: usize = 4_000_000;

/// Whether all of `text` matches `pattern`.
pub fn matches(pattern: &str, text: &str, options: Options) -> bool {
    prefixes_of(pattern, text, options).is_none_or(|ends| ends.last() == Some(&text.len()))
}

/// Whether a list's entry names this: the name itself, or a pattern when it holds a star.
pub fn fits(entry: &str, name: &str) -> bool {
    if entry == name || !entry.contains('*') {
        return entry == name;
    }
    if entry.contains(['?', '[', '\\']) {
        return matches(entry, name, Options::default());
    }
    stars(entry, name)
}

/// [`fits`] where stars alone are special, as in nearly every entry of a list: each piece is sought where the one before it
/// ends, which no later choice betters.
fn stars(entry: &str, name: &str) -> bool {
    let Some((first, rest)) = entry.split_once('*') else { return entry == name };
    let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
    let inner = name.strip_prefix(first).and_then(|name| name.strip_suffix(last));
    let mut left = inner;
    for piece in middle.split('*').filter(|piece| !piece.is_empty()) {
        left = left.and_then(|name| name.split_once(piece)).map(|(_, behind)| behind);
    }
    left.is_some()
}

/// Lengths in bytes of every prefix of `text` that matches `pattern`, shortest first; for `${x#pattern}`.
/// `None` when the work limit was reached: any prefix may match.
pub fn prefixes_of(pattern: &str, text: &str, options: Options) -> Option<Vec<usize>> {
    let items = parse(&pattern.chars().collect::<Vec<_>>(), options, 0);
    let chars = text.chars().collect::<Vec<_>>();
    let mut run = Run { text: &chars, options, work: if options.exact { usize::MAX } else { WORK } };
    let mut start = vec![false; chars.len() + 1];
    start[0] = true;
    let ends = run.sequence(&items, start)?;
    let mut offset = 0;
    let mut found = Vec::new();
    for (index, reached) in ends.iter().enumerate() {
        if *reached {
            found.push(offset);
        }
        offset += chars.get(index).map_or(0, |c| c.len_utf8());
    }
    Some(found)
}

/// Whether the text holds anything that [`matches()`] would not take literally, backslashes apart.
pub fn has_wildcards(pattern: &str, options: Options) -> bool {
    let items = parse(&pattern.chars().collect::<Vec<_>>(), options, 0);
    items.iter().any(|item| !matches!(item, Item::Char(_)))
}

/// The one text that a pattern without wildcards matches (its backslashes removed).
pub fn literal(pattern: &str, options: Options) -> Option<String> {
    parse(&pattern.chars().collect::<Vec<_>>(), options, 0)
        .iter()
        .map(|item| if let Item::Char(c) = item { Some(*c) } else { None })
        .collect()
}

/// The pattern that matches exactly `text`.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '*' | '?' | '[' | ']' | '\\' | '(' | ')' | '|' | '!' | '@' | '+') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn plain() -> Options {
        Options::default()
    }

    proptest! {
        #[test]
        fn entries_of_lists_fit_as_patterns_do(entry in "[abé*/]{0,8}", name in "[abé/]{0,12}") {
            prop_assert_eq!(fits(&entry, &name), matches(&entry, &name, plain()));
        }
    }

    #[test]
    fn wildcards() {
        for (pattern, text, expected) in [
            ("*.py", "a.py", true),
            ("*.py", ".py", true),
            ("*.py", "a.pyc", false),
            ("a*b*c", "aXbYc", true),
            ("a*b*c", "aXbY", false),
            ("?", "é", true),
            ("[a-c]x", "bx", true),
            ("[!a-c]x", "bx", false),
            ("[^a-c]x", "dx", true),
            ("[]x]", "]", true),
            ("[[:digit:]]*", "5a", true),
            ("core.[0-9]*", "core.py", false),
            ("a\\*b", "a*b", true),
            ("a\\*b", "axb", false),
            ("[", "[", true),
            ("[a", "[a", true),
            ("*", "", true),
            ("", "", true),
            ("a/*", "a/b/c", true),
            ("[a\\]b]", "]", true),
            ("[a-]", "-", true),
        ] {
            assert_eq!(matches(pattern, text, plain()), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn extended_groups() {
        let options = Options { extglob: true, ..plain() };
        for (pattern, text, expected) in [
            ("!(keep)", "drop", true),
            ("!(keep)", "keep", false),
            ("!(keep|*.md)", "a.md", false),
            ("@(a|b).txt", "b.txt", true),
            ("+(ab)", "ababab", true),
            ("+(ab)", "", false),
            ("*(ab)", "", true),
            ("?(x)y", "y", true),
            ("*(a|b)c", "abbac", true),
            ("!(*.py|!(x))", "x", true),
            ("@(a|@(b|c))", "c", true),
            ("*.!(txt)", "a.txt.gz", true),
        ] {
            assert_eq!(matches(pattern, text, options), expected, "{pattern} {text}");
        }
        assert!(!matches("!(keep)", "drop", plain()));
    }

    #[test]
    fn periods_slashes_and_case() {
        let hidden = Options { period: true, ..plain() };
        assert!(!matches("*", ".git", hidden));
        assert!(!matches("?git", ".git", hidden));
        assert!(!matches("[.]git", ".git", hidden));
        assert!(matches(".*", ".git", hidden));
        assert!(matches("a*", "a.b", hidden));
        assert!(!matches("!(x)", ".git", Options { extglob: true, ..hidden }));
        let path = Options { pathname: true, ..plain() };
        assert!(!matches("a/*", "a/b/c", path));
        assert!(matches("a/*/c", "a/b/c", path));
        assert!(!matches("a[/]b", "a/b", path));
        assert!(matches("READ*", "readme", Options { ignore_case: true, ..plain() }));
        assert!(matches("[A-C]x", "bX", Options { ignore_case: true, ..plain() }));
    }

    #[test]
    fn two_stars_cross_slashes_where_they_may() {
        let git = Options { pathname: true, crossing: Crossing::WholeName, ..plain() };
        let policy = Options { pathname: true, crossing: Crossing::Anywhere, exact: true, ..plain() };
        for (pattern, text, in_git, in_policy) in [
            ("**", "a/b", true, true),
            ("/srv/**", "/srv/a/b", true, true),
            ("/srv/**", "/srv", false, false),
            ("**/x", "x", true, true),
            ("**/x", "a/b/x", true, true),
            ("**/x", "a/bx", false, false),
            ("a/**/b", "a/b", true, true),
            ("a/**/b", "a/x/y/b", true, true),
            ("a**b", "a/b", false, true),
            ("a**/b", "a/x/b", false, true),
            ("a**b", "axb", true, true),
            ("*", "a/b", false, false),
        ] {
            assert_eq!(matches(pattern, text, git), in_git, "{pattern} {text}");
            assert_eq!(matches(pattern, text, policy), in_policy, "{pattern} {text}");
        }
    }

    #[test]
    fn a_lone_star_leaves_everything_else_as_it_is() {
        let options = Options { stars_only: true, ignore_case: true, ..plain() };
        for (pattern, text, expected) in [
            ("delete-*", "Delete-user", true),
            ("*[0]", "a[0]", true),
            ("a?", "ab", false),
            ("a?*", "a?b", true),
            ("a\\*", "a\\b", true),
            ("a*b*c", "a-b-c", true),
            ("a*b*c", "a-c", false),
        ] {
            assert_eq!(matches(pattern, text, options), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn who_asks_what_is_permitted_gets_no_guess() {
        let text = format!("{}x", "a".repeat(100_000));
        let pattern = format!("{}b", "*a".repeat(60));
        assert!(matches(&pattern, &text, plain()));
        assert!(!matches(&pattern, &text, Options { exact: true, ..plain() }));
        let long = format!("{}*b", "a".repeat(2000));
        assert!(!matches(&long, "x", Options { exact: true, ..plain() }));
    }

    #[test]
    fn prefixes_and_literals() {
        assert_eq!(prefixes_of("*/", "a/b/c", plain()), Some(vec![2, 4]));
        assert_eq!(prefixes_of("é*", "éa", plain()), Some(vec![2, 3]));
        assert_eq!(literal("a\\*b", plain()).as_deref(), Some("a*b"));
        assert_eq!(literal("a*b", plain()), None);
        assert!(!has_wildcards("a[b", plain()));
        assert!(has_wildcards("a[b]", plain()));
        assert!(matches(&escape("a*[b]!(c)\\"), "a*[b]!(c)\\", Options { extglob: true, ..plain() }));
    }

    #[test]
    fn hostile_patterns_end() {
        let text = "a".repeat(2000);
        assert!(!matches(&format!("{}b", "*a".repeat(500)), &text, plain()));
        let options = Options { extglob: true, ..plain() };
        let _ = matches(&format!("{}b", "+(*(a)*(a))".repeat(50)), &text, options);
        let _ = matches(&"!(".repeat(3000), &text, options);
        let _ = matches(&format!("{}x{}", "!(".repeat(40), ")".repeat(40)), &text, options);
    }

    proptest! {
        #[test]
        fn never_panics(pattern in "[*?!@+()|a-c\\[\\]\\\\./^:-]{0,24}", text in "[a-c./*\\[é]{0,12}") {
            for bits in 0..64_u8 {
                let crossing = if bits & 16 > 0 { Crossing::WholeName } else { Crossing::Anywhere };
                let options = Options {
                    extglob: bits & 1 > 0, period: bits & 2 > 0, ignore_case: bits & 4 > 0, pathname: bits & 8 > 0,
                    crossing, stars_only: bits & 32 > 0, exact: false,
                };
                let _ = matches(&pattern, &text, options);
            }
        }

        #[test]
        fn an_escaped_text_matches_itself(text in "\\PC{0,20}") {
            let options = Options { extglob: true, ..Options::default() };
            prop_assert!(matches(&escape(&text), &text, options));
        }
    }
}
