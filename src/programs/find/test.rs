//! find's tests, three-valued.

use std::cmp::Ordering;
use std::path::Path;
use std::time::UNIX_EPOCH;

use crate::model::Value;
use crate::shell::pattern::{self, Options};
use crate::world::{FileKind, Meta};

use super::time;
use super::view::{Seen, View};

/// Which time of a file.
#[derive(Clone, Copy, Debug)]
pub(super) enum Field {
    Modified,
    Accessed,
    Changed,
}

/// `n`, `+n`, `-n`.
#[derive(Clone, Copy, Debug)]
pub(super) enum Compare {
    Equal,
    More,
    Less,
}

/// Unit of an age.
#[derive(Clone, Copy, Debug)]
pub(super) enum Unit {
    Days,
    Minutes,
}

/// A test.
#[derive(Debug)]
pub(super) enum Test {
    Name { pattern: Value, ignore_case: bool },
    Path { pattern: Value, ignore_case: bool },
    Link { pattern: Value, ignore_case: bool },
    Regex { pattern: String, ignore_case: bool },
    Type { letters: String, followed: bool },
    Empty,
    Size { compare: Compare, number: u64, unit: u64 },
    Links((Compare, u64)),
    Inode((Compare, u64)),
    Owner { group: bool, id: (Compare, u64) },
    OwnerName { group: bool, name: Value },
    Age { field: Field, unit: Unit, compare: Compare, number: f64 },
    Newer { field: Field, than: Field, file: Value },
    NewerThanTime { field: Field, time: Value },
    SameFile(Value),
    Permission(Value),
    Writable,
    Unknown,
}

/// Yes, no, or not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Truth {
    Yes,
    No,
    Maybe,
}

impl Truth {
    /// The opposite.
    pub(super) fn not(self) -> Self {
        match self {
            Self::Yes => Self::No,
            Self::No => Self::Yes,
            Self::Maybe => Self::Maybe,
        }
    }
}

impl From<bool> for Truth {
    fn from(yes: bool) -> Self {
        if yes { Self::Yes } else { Self::No }
    }
}

/// What a test is about.
pub(super) struct Candidate<'a> {
    /// As find prints it.
    pub(super) shown: &'a str,
    /// Absolute.
    pub(super) path: &'a Path,
    /// The name's bytes are known exactly.
    pub(super) exact: bool,
    pub(super) seen: &'a Seen,
}

impl Test {
    /// Whether the test holds.
    pub(super) fn holds(&self, candidate: &Candidate<'_>, view: &View<'_>) -> Truth {
        self.answer(candidate, view).unwrap_or(Truth::Maybe)
    }

    /// `None` when it cannot be told.
    fn answer(&self, candidate: &Candidate<'_>, view: &View<'_>) -> Option<Truth> {
        match self {
            Self::Writable => Some(view.world.writable(candidate.path).into()),
            Self::Unknown => None,
            Self::Name { .. } | Self::Path { .. } | Self::Link { .. } | Self::Regex { .. } => {
                self.fits(candidate, view)
            }
            Self::Type { .. } | Self::Empty => self.is_kind(candidate, view),
            _ => self.measures(candidate.seen.meta.as_ref()?, view),
        }
    }

    /// Tests of names.
    fn fits(&self, candidate: &Candidate<'_>, view: &View<'_>) -> Option<Truth> {
        match self {
            Self::Name { pattern, ignore_case } => {
                glob(pattern, base(candidate.shown), *ignore_case, candidate.exact)
            }
            Self::Path { pattern, ignore_case } => {
                glob(pattern, candidate.shown, *ignore_case, candidate.exact)
            }
            Self::Link { .. } if candidate.seen.kind != FileKind::Symlink => Some(Truth::No),
            Self::Link { pattern, ignore_case } => {
                let target = view.read_link(candidate.path)?;
                glob(pattern, target.to_str()?, *ignore_case, true)
            }
            Self::Regex { pattern, ignore_case } => {
                let options = Options { extglob: true, ignore_case: *ignore_case, ..Options::default() };
                candidate.exact.then(|| pattern::matches(pattern, candidate.shown, options).into())
            }
            _ => None,
        }
    }

    /// Tests of what kind of thing stands there.
    fn is_kind(&self, candidate: &Candidate<'_>, view: &View<'_>) -> Option<Truth> {
        let meta = candidate.seen.meta.as_ref();
        match self {
            Self::Type { letters, followed } => {
                let kind = if *followed { view.followed_kind(candidate.path)? } else { candidate.seen.kind };
                // A look that failed tells no kind.
                if kind == FileKind::Other && meta.is_none() {
                    return None;
                }
                is_type(kind, letters)
            }
            Self::Empty => match candidate.seen.kind {
                FileKind::File => Some((meta?.size == 0).into()),
                FileKind::Directory => Some(view.is_empty(candidate.path)?.into()),
                _ => Some(Truth::No),
            },
            _ => None,
        }
    }

    /// Tests of what the file system notes of a file.
    fn measures(&self, meta: &Meta, view: &View<'_>) -> Option<Truth> {
        match self {
            Self::Size { compare, number, unit } => {
                Some(compared(meta.size.div_ceil(*unit).cmp(number), *compare))
            }
            Self::Links((compare, number)) => Some(compared(meta.links.cmp(number), *compare)),
            Self::Inode((compare, number)) => Some(compared(meta.id.1.cmp(number), *compare)),
            Self::Owner { group, id: (compare, number) } => {
                Some(compared(owner(meta, *group).cmp(number), *compare))
            }
            Self::OwnerName { group, name } => {
                is_owned_by(owner(meta, *group), name.as_known()?, *group, view)
            }
            Self::Age { field, unit, compare, number } => {
                let age = (now(view)? - stamp(meta, *field).0) as f64;
                Some(aged(age, *unit, *compare, *number).into())
            }
            Self::Newer { field, than, file } => {
                let reference = view.seen(&view.absolute(file.as_known()?)?)?.meta?;
                Some((stamp(meta, *field) > stamp(&reference, *than)).into())
            }
            Self::NewerThanTime { field, time } => {
                let moment = time::parse(time.as_known()?, now(view)?)?;
                let seconds = stamp(meta, *field).0;
                if seconds > moment.seconds.saturating_add(moment.slack) {
                    Some(Truth::Yes)
                } else if seconds < moment.seconds.saturating_sub(moment.slack) {
                    Some(Truth::No)
                } else {
                    None
                }
            }
            Self::SameFile(file) => {
                let reference = view.seen(&view.absolute(file.as_known()?)?)?.meta?;
                Some((meta.id == reference.id).into())
            }
            Self::Permission(mode) => permission(mode.as_known()?, meta.mode),
            _ => None,
        }
    }
}

/// Whether a user or group of this number has this name.
fn is_owned_by(id: u64, name: &str, group: bool, view: &View<'_>) -> Option<Truth> {
    match name.parse::<u64>() {
        Ok(number) => Some((id == number).into()),
        Err(_) if name == "root" => Some((id == 0).into()),
        Err(_) if !group && name == view.world.user() => Some((id == u64::from(view.world.uid())).into()),
        Err(_) => None,
    }
}

/// The last component as `-name` sees it.
fn base(shown: &str) -> &str {
    let trimmed = shown.trim_end_matches('/');
    if trimmed.is_empty() { shown } else { trimmed.rsplit('/').next().unwrap_or(trimmed) }
}

/// `exact`: the text is all bytes of the name. Else what is no text in it stands as one sign: stars and letters fit it as they
/// fit the bytes, and where they do not, the name is another one.
fn glob(pattern: &Value, text: &str, ignore_case: bool, exact: bool) -> Option<Truth> {
    let options = Options { ignore_case, ..Options::default() };
    let choices = pattern.choices()?;
    if !exact {
        let plain = |choice: &&String| choice.is_ascii() && !choice.contains(['?', '[', '\\']);
        let other = |choice: &String| plain(&choice) && !pattern::matches(choice, text, options);
        return choices.iter().all(other).then_some(Truth::No);
    }
    let hits = choices.iter().filter(|choice| pattern::matches(choice, text, options)).count();
    if hits == 0 {
        Some(Truth::No)
    } else if hits == choices.len() {
        Some(Truth::Yes)
    } else {
        None
    }
}

fn is_type(kind: FileKind, letters: &str) -> Option<Truth> {
    let letter = match kind {
        FileKind::File => 'f',
        FileKind::Directory => 'd',
        FileKind::Symlink => 'l',
        FileKind::BlockDevice => 'b',
        FileKind::CharDevice => 'c',
        FileKind::Other => {
            return letters.contains(['p', 's', 'D']).then_some(Truth::Maybe).or(Some(Truth::No));
        }
    };
    Some(letters.split(',').any(|wanted| wanted.starts_with(letter)).into())
}

fn compared(order: Ordering, compare: Compare) -> Truth {
    (order
        == match compare {
            Compare::Equal => Ordering::Equal,
            Compare::More => Ordering::Greater,
            Compare::Less => Ordering::Less,
        })
    .into()
}

fn owner(meta: &Meta, group: bool) -> u64 {
    u64::from(if group { meta.owner.1 } else { meta.owner.0 })
}

fn stamp(meta: &Meta, field: Field) -> (i64, u32) {
    match field {
        Field::Modified => meta.modified,
        Field::Changed => meta.changed,
        Field::Accessed => (meta.accessed, 0),
    }
}

fn now(view: &View<'_>) -> Option<i64> {
    i64::try_from(view.world.now().duration_since(UNIX_EPOCH).ok()?.as_secs()).ok()
}

/// Days count whole days only, minutes begun minutes, as GNU find does.
fn aged(age: f64, unit: Unit, compare: Compare, number: f64) -> bool {
    match unit {
        Unit::Days => {
            let day = 86_400.0;
            match compare {
                Compare::Less => age < number * day,
                Compare::More => age >= (number + 1.0) * day,
                Compare::Equal => age >= number * day && age < (number + 1.0) * day,
            }
        }
        Unit::Minutes => match compare {
            Compare::Less => age < number * 60.0,
            Compare::More => age > number * 60.0,
            Compare::Equal => age > (number - 1.0) * 60.0 && age <= number * 60.0,
        },
    }
}

fn permission(text: &str, mode: u32) -> Option<Truth> {
    let mode = mode & 0o7777;
    let (sign, rest) = match text.as_bytes().first() {
        Some(b'-') => ('-', &text[1..]),
        Some(b'/') => ('/', &text[1..]),
        _ => ('=', text),
    };
    let wanted = if rest.starts_with(|c: char| c.is_ascii_digit()) {
        u32::from_str_radix(rest, 8).ok()?
    } else {
        symbolic(rest)?
    };
    Some(
        match sign {
            '-' => mode & wanted == wanted,
            '/' => wanted == 0 || mode & wanted != 0,
            _ => mode == wanted,
        }
        .into(),
    )
}

fn symbolic(text: &str) -> Option<u32> {
    let mut mode = 0;
    for clause in text.split(',') {
        let operator = clause.find(['+', '='])?;
        let (who, bits) = (&clause[..operator], &clause[operator + 1..]);
        let who = if who.is_empty() || who.contains('a') { "ugo" } else { who };
        for bit in bits.chars() {
            for class in who.chars() {
                let shift = match class {
                    'u' => 6,
                    'g' => 3,
                    'o' => 0,
                    _ => return None,
                };
                mode |= match bit {
                    'r' => 4 << shift,
                    'w' => 2 << shift,
                    'x' => 1 << shift,
                    's' if shift > 0 => 0o1000 << (shift / 3),
                    's' => 0,
                    't' => 0o1000,
                    _ => return None,
                };
            }
        }
    }
    Some(mode)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permissions() {
        for (text, mode, expected) in [
            ("644", 0o644, true),
            ("-u+w", 0o644, true),
            ("-o=w", 0o644, false),
            ("/222", 0o444, false),
            ("-4000", 0o4755, true),
            ("-u=s", 0o4755, true),
            ("-g+s", 0o4755, false),
            ("-a=r", 0o644, true),
        ] {
            assert_eq!(permission(text, mode), Some(expected.into()), "{text} {mode:o}");
        }
        assert_eq!(permission("u-w", 0o644), None);
    }

    #[test]
    fn ages() {
        let hour = 3600.0;
        assert!(aged(5.0 * hour, Unit::Days, Compare::Less, 1.0));
        assert!(!aged(30.0 * hour, Unit::Days, Compare::More, 1.0));
        assert!(aged(50.0 * hour, Unit::Days, Compare::More, 1.0));
        assert!(aged(5.0 * hour, Unit::Days, Compare::Equal, 0.0));
        assert!(!aged(5.0 * hour, Unit::Days, Compare::Less, -100_000.0));
        assert!(aged(90.0, Unit::Minutes, Compare::More, 1.0));
    }

    #[test]
    fn a_name_that_is_no_text_is_another_one_where_letters_differ() {
        let told = |pattern: &str| glob(&Value::known(pattern), "bad\u{FFFD}", false, false);
        for other in ["*.pyc", "node_modules", "good*", "bad", "*x*"] {
            assert_eq!(told(other), Some(Truth::No), "{other}");
        }
        for perhaps in ["bad*", "*", "bad?", "bad[!a]", "*\u{e4}"] {
            assert_eq!(told(perhaps), None, "{perhaps}");
        }
    }
}
