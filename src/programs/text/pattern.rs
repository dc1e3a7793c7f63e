//! Regular expressions as `grep`, `sed` and `awk` read them, over text that is known.
//!
//! Owns how POSIX expressions are brought over to the library's. POSIX finds the longest match, the library the one that
//! comes first: what is found is used only where both find the same. Anything that is not surely the same is `None`.

use std::cell::Cell;

use regex_lite::{Captures, Regex, RegexBuilder};

/// Longest pattern, in bytes.
const PATTERN_LIMIT: usize = 256;
/// Longest line, in bytes.
const LINE_LIMIT: usize = 2_048;

/// Signs that one expression goes through, times its length: beyond it nothing more is told. Some tenths of a second.
const WORK_LIMIT: usize = 16 << 20;

/// How patterns are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Syntax {
    /// `\(`, `\{` and `\+` are what is special.
    Basic,
    /// `(`, `{` and `+` are.
    Extended,
}

/// An expression.
pub(super) struct Pattern {
    finds: Regex,
    /// The same, over the whole of a text.
    fills: Regex,
    /// What its groups hold depends on how the match is sought.
    loose: bool,
    /// All matches are of one length: none is longer than another.
    fixed: bool,
    length: usize,
    work: Cell<usize>,
}

impl Pattern {
    /// Reads an expression; `None` where it is not surely understood.
    pub(super) fn read(text: &str, syntax: Syntax, ignore_case: bool) -> Option<Self> {
        if text.is_empty() || text.len() > PATTERN_LIMIT || !text.is_ascii() {
            return None;
        }
        let mut reader = Reader {
            chars: text.chars().collect(),
            syntax,
            out: String::new(),
            depth: 0,
            atom: None,
            loose: false,
            fixed: true,
        };
        reader.all()?;
        let build = |text: String| {
            RegexBuilder::new(&text).case_insensitive(ignore_case).dot_matches_new_line(true).build().ok()
        };
        Some(Self {
            finds: build(reader.out.clone())?,
            fills: build(format!("^(?:{})$", reader.out))?,
            loose: reader.loose,
            fixed: reader.fixed,
            length: text.len(),
            work: Cell::new(0),
        })
    }

    /// Whether so many signs may still be gone through.
    fn may(&self, signs: usize) -> Option<()> {
        self.work.set(self.work.get().saturating_add((signs + 1).saturating_mul(self.length)));
        (self.work.get() <= WORK_LIMIT).then_some(())
    }

    /// Whether a line holds it.
    pub(super) fn holds(&self, line: &str) -> Option<bool> {
        if !line.is_ascii() || line.len() > LINE_LIMIT {
            return None;
        }
        self.may(line.len())?;
        Some(self.finds.is_match(line))
    }

    /// Whether a line is it from its beginning to its end.
    pub(super) fn fills(&self, line: &str) -> Option<bool> {
        self.holds(line)?;
        Some(self.fills.is_match(line))
    }

    /// All matches, one behind the other; `None` where one of them is empty.
    pub(super) fn all<'t>(&self, line: &'t str) -> Option<Vec<&'t str>> {
        let (mut all, mut at) = (Vec::new(), 0);
        while let Some(found) = self.first(line, at)? {
            let whole = found.get(0).filter(|found| !found.is_empty())?;
            all.push(whole.as_str());
            at = whole.end();
        }
        Some(all)
    }

    /// The first match at or behind a place: `Some(None)` where there is none.
    pub(super) fn first<'t>(&self, line: &'t str, from: usize) -> Option<Option<Captures<'t>>> {
        self.holds(line)?;
        let Some(found) = self.finds.captures_at(line, from) else { return Some(None) };
        let whole = found.get(0)?;
        // What begins there could be longer.
        let ends = if self.fixed { line.len() + 1 } else { whole.end() + 1 };
        for end in ends..=line.len() {
            self.may(end - whole.start())?;
            if self.fills.is_match(line.get(whole.start()..end)?) {
                return None;
            }
        }
        Some(Some(found))
    }

    /// Whether a match has so many groups, and they hold the same however it is sought.
    pub(super) fn has_groups(&self, number: usize) -> bool {
        number < self.finds.captures_len() && (number == 0 || !self.loose)
    }
}

/// What a quantifier would stand behind.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Atom {
    One,
    Group,
}

struct Reader {
    chars: Vec<char>,
    syntax: Syntax,
    out: String,
    depth: usize,
    /// What stands directly in front, if it can be repeated.
    atom: Option<Atom>,
    loose: bool,
    fixed: bool,
}

/// A sign of an expression.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Literal(char),
    Any,
    Open,
    Close,
    Or,
    Star,
    Plus,
    Question,
    Brace,
    Class(char),
}

impl Reader {
    fn all(&mut self) -> Option<()> {
        let mut at = 0;
        while let Some(&c) = self.chars.get(at) {
            if c == '[' {
                at = self.bracket(at + 1)?;
                continue;
            }
            if c == '^' || c == '$' {
                at += 1;
                self.anchor(c, at)?;
                continue;
            }
            let (sign, next) = self.sign(at)?;
            at = next;
            match sign {
                Sign::Brace => at = self.interval(at)?,
                other => self.put(other)?,
            }
        }
        (self.depth == 0).then_some(())
    }

    fn sign(&self, at: usize) -> Option<(Sign, usize)> {
        let c = *self.chars.get(at)?;
        let escaped = c == '\\';
        let c = if escaped { *self.chars.get(at + 1)? } else { c };
        // What is special: with a backslash in basic expressions, without one in the others.
        let special = escaped == (self.syntax == Syntax::Basic);
        let sign = match c {
            '.' | '*' if escaped => Sign::Literal(c),
            '.' => Sign::Any,
            '*' => Sign::Star,
            '(' if special => Sign::Open,
            ')' if special => Sign::Close,
            '{' if special => Sign::Brace,
            '|' if special => Sign::Or,
            '+' if special => Sign::Plus,
            '?' if special => Sign::Question,
            't' if escaped => Sign::Literal('\t'),
            's' | 'S' | 'w' | 'W' if escaped => Sign::Class(c),
            _ if escaped && c.is_ascii_alphanumeric() => return None,
            '<' | '>' | '\'' | '`' if escaped => return None,
            other => Sign::Literal(other),
        };
        // These are GNU's in basic expressions.
        let gnu = matches!(sign, Sign::Or | Sign::Plus | Sign::Question) && self.syntax == Syntax::Basic
            || matches!(sign, Sign::Class(_) | Sign::Literal('\t')) && escaped;
        (!gnu || cfg!(target_os = "linux")).then_some((sign, at + 1 + usize::from(escaped)))
    }

    fn put(&mut self, sign: Sign) -> Option<()> {
        let quantifier = match sign {
            Sign::Star => Some('*'),
            Sign::Plus => Some('+'),
            Sign::Question => Some('?'),
            _ => None,
        };
        if let Some(quantifier) = quantifier {
            self.fixed = false;
            self.loose |= self.atom? == Atom::Group;
            self.out.push(quantifier);
            self.atom = None;
            return Some(());
        }
        self.atom = Some(Atom::One);
        match sign {
            Sign::Literal(c) => {
                if !c.is_ascii_alphanumeric() && !c.is_ascii_whitespace() && c != '_' {
                    self.out.push('\\');
                }
                self.out.push(c);
            }
            Sign::Any => self.out.push('.'),
            Sign::Class(c) => self.out.extend(['\\', c]),
            Sign::Open => {
                self.depth += 1;
                self.out.push('(');
                self.atom = None;
            }
            Sign::Close => {
                self.depth = self.depth.checked_sub(1)?;
                self.out.push(')');
                self.atom = Some(Atom::Group);
            }
            Sign::Or => {
                (self.loose, self.fixed) = (true, false);
                self.out.push('|');
                self.atom = None;
            }
            Sign::Star | Sign::Plus | Sign::Question | Sign::Brace => return None,
        }
        Some(())
    }

    /// `^` at the beginning and `$` at the end of the whole; elsewhere they may be signs like any other.
    fn anchor(&mut self, c: char, next: usize) -> Option<()> {
        match c {
            '^' if next == 1 => {}
            '$' if next == self.chars.len() => {}
            _ => return None,
        }
        self.out.push(c);
        self.atom = None;
        Some(())
    }

    /// `{2}`, `{2,}`, `{2,5}`
    fn interval(&mut self, mut at: usize) -> Option<usize> {
        self.loose |= self.atom? == Atom::Group;
        self.fixed = false;
        self.atom = None;
        self.out.push('{');
        let mut digits = 0;
        loop {
            let c = *self.chars.get(at)?;
            at += 1;
            match c {
                '0'..='9' => digits += 1,
                ',' if digits > 0 => {}
                '\\' if self.syntax == Syntax::Basic && self.chars.get(at) == Some(&'}') => {
                    at += 1;
                    break;
                }
                '}' if self.syntax == Syntax::Extended => break,
                _ => return None,
            }
            self.out.push(c);
        }
        self.out.push('}');
        (digits > 0 && digits <= 4).then_some(at)
    }

    /// `[a-z]`, `[^/]`, `[[:alpha:]_]`
    fn bracket(&mut self, mut at: usize) -> Option<usize> {
        self.out.push('[');
        if self.chars.get(at) == Some(&'^') {
            self.out.push('^');
            at += 1;
        }
        let start = at;
        loop {
            let c = *self.chars.get(at)?;
            match c {
                ']' if at > start => break,
                // Some take it for itself, some as a sign in front of another.
                '\\' => return None,
                '[' if matches!(self.chars.get(at + 1), Some('.' | '=')) => return None,
                '[' if self.chars.get(at + 1) == Some(&':') => {
                    let rest: String = self.chars[at + 2..].iter().collect();
                    let (name, _) = rest.split_once(":]")?;
                    if !CLASSES.contains(&name) {
                        return None;
                    }
                    self.out.push_str(&format!("[:{name}:]"));
                    at += name.len() + 4;
                    continue;
                }
                // Between two signs it is a range, at the ends itself.
                '-' if at > start && self.chars.get(at + 1).is_some_and(|next| *next != ']') => {
                    self.out.push('-')
                }
                _ if c.is_ascii_alphanumeric() => self.out.push(c),
                _ => self.out.extend(['\\', c]),
            }
            at += 1;
        }
        self.out.push(']');
        self.atom = Some(Atom::One);
        Some(at + 1)
    }
}

const CLASSES: [&str; 12] = [
    "alpha", "digit", "alnum", "upper", "lower", "space", "blank", "punct", "xdigit", "cntrl", "print",
    "graph",
];

#[cfg(test)]
mod tests {
    use super::{Pattern, Syntax};

    fn found(pattern: &str, syntax: Syntax, line: &str) -> Option<Option<String>> {
        let pattern = Pattern::read(pattern, syntax, false)?;
        Some(pattern.first(line, 0)?.map(|found| found[0].to_owned()))
    }

    #[test]
    fn what_takes_too_long_is_not_told() {
        let line = "a".repeat(2_000);
        let slow = Pattern::read("a|[ab]*c", Syntax::Extended, false).unwrap();
        assert!(slow.all(&line).is_none());
        assert!(slow.holds("a").is_none(), "and nothing after it");
        let quick = Pattern::read("a", Syntax::Extended, false).unwrap();
        assert_eq!(quick.all(&line).map(|all| all.len()), Some(2_000));
    }

    #[test]
    fn what_is_found_is_what_posix_finds() {
        use Syntax::{Basic, Extended};
        let rows = [
            ("a*b", Basic, "xaab", Some(Some("aab"))),
            ("a+", Basic, "aa+", Some(Some("a+"))),
            ("a+", Extended, "xaa", Some(Some("aa"))),
            (r"\(x\)y", Basic, "axy", Some(Some("xy"))),
            (r"[^/]*$", Basic, "a/b/c", Some(Some("c"))),
            (r"[[:digit:]]\{2,3\}", Basic, "a1234", Some(Some("123"))),
            (r"\.", Basic, "ab", Some(None)),
            ("[]x]", Extended, "a]", Some(Some("]"))),
            ("[a-]", Extended, "x-", Some(Some("-"))),
            // POSIX takes `ab`, the library's first choice is `a`.
            ("a|ab", Extended, "ab", None),
            ("ab|a", Extended, "ab", Some(Some("ab"))),
            ("(a|ab)(c|bcd)", Extended, "xabcd", Some(Some("abcd"))),
            // What is read in more than one way.
            ("a**", Basic, "a", None),
            ("a*?", Extended, "a", None),
            ("*a", Basic, "*a", None),
            (r"\1", Basic, "a", None),
            (r"[\n]", Basic, "n", None),
            ("a^b", Basic, "a^b", None),
            ("a{2", Extended, "aa", None),
            ("x", Basic, "ä", None),
        ];
        for (pattern, syntax, line, expected) in rows {
            let expected = expected.map(|found| found.map(str::to_owned));
            assert_eq!(found(pattern, syntax, line), expected, "{pattern} in {line}");
        }
    }
}
