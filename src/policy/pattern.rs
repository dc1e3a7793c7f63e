//! Wildcards in policy files: `*` within a path component, `**` across them, `?`, `[a-z]`.
//!
//! Owns how policies read patterns; [`crate::wildcard`] matches them, exactly, since a match may permit something.

use crate::wildcard::{self, Crossing, Options};

/// Whether `pattern` matches all of `text`. With `path`, `*` and `?` stop at `/` and `**` does not.
pub(super) fn matches(pattern: &str, text: &str, path: bool) -> bool {
    let crossing = if path { Crossing::Anywhere } else { Crossing::Never };
    let options = Options { pathname: path, crossing, exact: true, ..Options::default() };
    wildcard::matches(pattern, text, options)
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
