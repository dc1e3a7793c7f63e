//! Wildcard patterns as shells and `find` know them: `*`, `?`, `[…]`, backslash, and bash's extended `@(…)` family.
//!
//! Owns deciding whether a text matches a pattern. Pure. Works on sets of positions instead of backtracking, so a
//! hostile pattern cannot take exponential time; past a fixed amount of work the answer is "matches", since callers ask
//! in order to learn what may be touched.

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
}

/// Steps of work (positions looked at) before the matcher gives up and answers yes.
const WORK: usize = 4_000_000;
/// Patterns with wildcards that are longer than this (in characters) are taken to match anything.
const LENGTH: usize = 1024;
/// Bracket expressions longer than this are taken literally.
const BRACKET: usize = 128;
/// How deep extended groups may nest before they are taken to match anything.
const DEPTH: usize = 16;

/// Whether all of `text` matches `pattern`.
pub fn matches(pattern: &str, text: &str, options: Options) -> bool {
    prefixes_of(pattern, text, options).is_none_or(|ends| ends.last() == Some(&text.len()))
}

/// Lengths in bytes of every prefix of `text` that matches `pattern`, shortest first; for `${x#pattern}`.
/// `None` when the work limit was reached: any prefix may match.
pub fn prefixes_of(pattern: &str, text: &str, options: Options) -> Option<Vec<usize>> {
    let items = parse(&pattern.chars().collect::<Vec<_>>(), options, 0);
    let chars = text.chars().collect::<Vec<_>>();
    let mut run = Run { text: &chars, options, work: WORK };
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

#[derive(Debug)]
enum Item {
    Char(char),
    Any,
    Star,
    Set {
        negated: bool,
        members: Vec<Member>,
    },
    Group {
        operator: char,
        choices: Vec<Vec<Item>>,
    },
    /// Nested beyond the limit.
    Anything,
}

#[derive(Debug)]
enum Member {
    Range(char, char),
    Class(String),
}

fn parse(pattern: &[char], options: Options, depth: usize) -> Vec<Item> {
    let mut items = Vec::new();
    let mut at = 0;
    if pattern.len() > LENGTH && pattern.iter().any(|c| matches!(c, '*' | '?' | '[' | '(' | '\\')) {
        return vec![Item::Anything];
    }
    while let Some(&c) = pattern.get(at) {
        if options.extglob
            && matches!(c, '?' | '*' | '+' | '@' | '!')
            && pattern.get(at + 1) == Some(&'(')
            && let Some((inner, end)) = group(&pattern[at + 2..])
        {
            items.push(if depth >= DEPTH {
                Item::Anything
            } else {
                let choices = inner.into_iter().map(|part| parse(part, options, depth + 1)).collect();
                Item::Group { operator: c, choices }
            });
            at += 2 + end;
            continue;
        }
        at += 1;
        match c {
            '?' => items.push(Item::Any),
            '*' => {
                if !matches!(items.last(), Some(Item::Star)) {
                    items.push(Item::Star);
                }
            }
            '[' => match bracket(&pattern[at..], options) {
                Some((item, length)) => {
                    items.push(item);
                    at += length;
                }
                None => items.push(Item::Char('[')),
            },
            '\\' => match pattern.get(at) {
                Some(&next) => {
                    items.push(Item::Char(next));
                    at += 1;
                }
                None => items.push(Item::Char('\\')),
            },
            other => items.push(Item::Char(other)),
        }
    }
    items
}

/// The alternatives of a group whose opening parenthesis was read, and the length up to and with the closing one.
fn group(rest: &[char]) -> Option<(Vec<&[char]>, usize)> {
    let (mut level, mut at, mut start) = (0, 0, 0);
    let mut parts = Vec::new();
    while let Some(&c) = rest.get(at) {
        match c {
            '\\' => at += 1,
            '[' => {
                if let Some((_, length)) = bracket(&rest[at + 1..], Options::default()) {
                    at += length;
                }
            }
            '(' => level += 1,
            ')' if level == 0 => {
                parts.push(&rest[start..at]);
                return Some((parts, at + 1));
            }
            ')' => level -= 1,
            '|' if level == 0 => {
                parts.push(&rest[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// A bracket expression whose `[` was read, and its length with the closing `]`.
fn bracket(rest: &[char], options: Options) -> Option<(Item, usize)> {
    let mut at = 0;
    let negated = matches!(rest.first(), Some('!' | '^'));
    at += usize::from(negated);
    let first = at;
    let mut members = Vec::new();
    while at < BRACKET {
        let c = *rest.get(at)?;
        if c == ']' && at > first {
            return Some((Item::Set { negated, members }, at + 1));
        }
        if c == '/' && options.pathname {
            return None;
        }
        if c == '['
            && let Some(&kind @ (':' | '=' | '.')) = rest.get(at + 1)
            && let Some(end) =
                (at + 2..rest.len().min(at + 24)).find(|i| rest[*i] == kind && rest.get(i + 1) == Some(&']'))
        {
            let name = rest[at + 2..end].iter().collect::<String>();
            at = end + 2;
            match (kind, name.chars().next()) {
                (':', _) => members.push(Member::Class(name)),
                (_, Some(only)) => members.push(Member::Range(only, only)),
                _ => {}
            }
            continue;
        }
        let (low, next) = element(rest, at)?;
        at = next;
        if rest.get(at) == Some(&'-') && rest.get(at + 1).is_some_and(|c| *c != ']') {
            let (high, next) = element(rest, at + 1)?;
            members.push(Member::Range(low, high));
            at = next;
        } else {
            members.push(Member::Range(low, low));
        }
    }
    None
}

fn element(rest: &[char], at: usize) -> Option<(char, usize)> {
    match *rest.get(at)? {
        '\\' => rest.get(at + 1).map(|c| (*c, at + 2)),
        c => Some((c, at + 1)),
    }
}

struct Run<'a> {
    text: &'a [char],
    options: Options,
    work: usize,
}

type Positions = Vec<bool>;

impl Run<'_> {
    fn sequence(&mut self, items: &[Item], mut from: Positions) -> Option<Positions> {
        for item in items {
            self.work = self.work.checked_sub(from.len())?;
            from = self.item(item, &from)?;
            if !from.contains(&true) {
                break;
            }
        }
        Some(from)
    }

    fn item(&mut self, item: &Item, from: &Positions) -> Option<Positions> {
        let mut to = vec![false; from.len()];
        match item {
            Item::Char(_) | Item::Any | Item::Set { .. } => {
                for (index, c) in self.text.iter().enumerate() {
                    to[index + 1] = from[index] && self.one(item, *c, index);
                }
            }
            Item::Star | Item::Anything => {
                let mut open = false;
                for index in 0..from.len() {
                    if index > 0 && !self.wild(self.text[index - 1], index - 1) {
                        open = false;
                    }
                    open |= from[index];
                    to[index] = open;
                }
            }
            Item::Group { operator, choices } => match operator {
                '@' | '?' => {
                    to = self.choices(choices, from)?;
                    if *operator == '?' {
                        to.iter_mut().zip(from).for_each(|(t, f)| *t |= *f);
                    }
                }
                '*' | '+' => {
                    if *operator == '*' {
                        to.clone_from(from);
                    }
                    let mut frontier = from.clone();
                    // Each round reaches at least one new position or ends.
                    loop {
                        let next = self.choices(choices, &frontier)?;
                        let mut grown = false;
                        frontier = next
                            .iter()
                            .zip(&to)
                            .map(|(reached, known)| {
                                grown |= *reached && !known;
                                *reached && !known
                            })
                            .collect();
                        if !grown {
                            break;
                        }
                        to.iter_mut().zip(&frontier).for_each(|(t, f)| *t |= *f);
                    }
                }
                _ => {
                    for start in (0..from.len()).filter(|i| from[*i]) {
                        let mut single = vec![false; from.len()];
                        single[start] = true;
                        let inside = self.choices(choices, &single)?;
                        for end in start..from.len() {
                            if end > start && !self.wild(self.text[end - 1], end - 1) {
                                break;
                            }
                            to[end] |= !inside[end];
                        }
                    }
                }
            },
        }
        Some(to)
    }

    fn choices(&mut self, choices: &[Vec<Item>], from: &Positions) -> Option<Positions> {
        let mut to = vec![false; from.len()];
        for choice in choices {
            let reached = self.sequence(choice, from.clone())?;
            to.iter_mut().zip(reached).for_each(|(t, r)| *t |= r);
        }
        Some(to)
    }

    /// Whether a wildcard may take this character at this place.
    fn wild(&self, c: char, index: usize) -> bool {
        if self.options.pathname && c == '/' {
            return false;
        }
        let leading = index == 0 || (self.options.pathname && self.text[index - 1] == '/');
        !(self.options.period && c == '.' && leading)
    }

    fn one(&self, item: &Item, c: char, index: usize) -> bool {
        match item {
            Item::Char(wanted) => *wanted == c || (self.options.ignore_case && fold(*wanted) == fold(c)),
            Item::Any => self.wild(c, index),
            Item::Set { negated, members } => {
                self.wild(c, index) && members.iter().any(|m| self.member(m, c)) != *negated
            }
            _ => false,
        }
    }

    fn member(&self, member: &Member, c: char) -> bool {
        match member {
            Member::Range(low, high) => {
                (*low..=*high).contains(&c)
                    || (self.options.ignore_case
                        && c.to_lowercase().chain(c.to_uppercase()).any(|c| (*low..=*high).contains(&c)))
            }
            Member::Class(name) => match name.as_str() {
                "alpha" => c.is_alphabetic(),
                "digit" => c.is_ascii_digit(),
                "alnum" => c.is_alphanumeric(),
                "upper" => c.is_uppercase() || (self.options.ignore_case && c.is_lowercase()),
                "lower" => c.is_lowercase() || (self.options.ignore_case && c.is_uppercase()),
                "space" => c.is_whitespace(),
                "blank" => matches!(c, ' ' | '\t'),
                "punct" => c.is_ascii_punctuation(),
                "print" => !c.is_control(),
                "graph" => !c.is_control() && !c.is_whitespace(),
                "cntrl" => c.is_control(),
                "xdigit" => c.is_ascii_hexdigit(),
                "word" => c.is_alphanumeric() || c == '_',
                _ => false,
            },
        }
    }
}

fn fold(c: char) -> char {
    c.to_lowercase().next().unwrap_or(c)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn plain() -> Options {
        Options::default()
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
            for bits in 0..16_u8 {
                let options = Options {
                    extglob: bits & 1 > 0, period: bits & 2 > 0, ignore_case: bits & 4 > 0, pathname: bits & 8 > 0,
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
