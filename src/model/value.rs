//! What abstract interpretation knows of a piece of text.

use super::woven::{AGAIN, Mark, REST, Signs, is_mark};

/// The possible values of a word, variable or file name.
///
/// A lattice of few heights. Every operation is total and errs towards knowing less.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// Exactly this text.
    Known(String),
    /// One of these texts (at least two, at most [`Value::MAX_CHOICES`]).
    OneOf(Vec<String>),
    /// Starts with `prefix` and ends with `suffix`; what stands between is unknown.
    Affix {
        /// Known beginning (may be empty).
        prefix: String,
        /// Known end (may be empty).
        suffix: String,
    },
    /// A text of these lines in an order that is not known: what programs print that list in the order of times, of a
    /// directory or of a locale. Two lines at least.
    Lines(Lines),
    /// This text, with marks where only the signs are known that may stand there (`woven.rs`): what readers of
    /// programs go by. For all others it is as much as its beginning and its end ([`Value::plain`]).
    Woven(String),
    /// Anything.
    Unknown,
}

/// Lines whose order is not known.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lines {
    /// The lines, without what ends them.
    pub each: Vec<String>,
    /// What ends a line: a newline, or the zero byte of `-print0`.
    pub end: char,
    /// Some of them only, and it is not known which.
    pub some: bool,
}

impl Lines {
    /// The lines as one text, in an order that is as good as any: for whoever takes all of them and for whom none is the
    /// first.
    pub fn text(&self) -> String {
        self.each.iter().map(|line| format!("{line}{}", self.end)).collect()
    }

    /// Any one of the lines.
    pub fn one(&self) -> Value {
        Value::one_of(self.each.clone())
    }
}

impl Value {
    /// How many alternatives are kept before they are widened to an [`Value::Affix`] or [`Value::Unknown`].
    pub const MAX_CHOICES: usize = 32;

    /// Exactly this text.
    pub fn known(text: impl Into<String>) -> Self {
        Self::Known(text.into())
    }

    /// The text when there is only one possibility.
    pub fn as_known(&self) -> Option<&str> {
        match self {
            Self::Known(text) => Some(text),
            _ => None,
        }
    }

    /// All possibilities when they can be listed.
    pub fn choices(&self) -> Option<&[String]> {
        match self {
            Self::Known(text) => Some(std::slice::from_ref(text)),
            Self::OneOf(list) => Some(list),
            _ => None,
        }
    }

    /// The value that is one of `list`; an empty list is [`Value::Unknown`].
    pub fn one_of(mut list: Vec<String>) -> Self {
        let mut seen = std::collections::BTreeSet::new();
        list.retain(|text| seen.insert(text.clone()));
        match list.len() {
            0 => Self::Unknown,
            1 => Self::Known(list.remove(0)),
            n if n <= Self::MAX_CHOICES => Self::OneOf(list),
            _ => Self::widen(&list),
        }
    }

    /// Lines in an order that is not known; fewer than two have only one order.
    pub fn lines(each: Vec<String>, end: char) -> Self {
        match each.as_slice() {
            [] => Self::known(""),
            [line] => Self::Known(format!("{line}{end}")),
            _ => Self::Lines(Lines { each, end, some: false }),
        }
    }

    /// Known beginning of every possibility.
    pub fn prefix(&self) -> String {
        match self {
            Self::Known(text) => text.clone(),
            Self::OneOf(list) => common_prefix(list),
            Self::Affix { prefix, .. } => prefix.clone(),
            Self::Woven(text) => text.split(is_mark).next().unwrap_or_default().to_owned(),
            Self::Lines(_) | Self::Unknown => String::new(),
        }
    }

    /// Known end of every possibility.
    pub fn suffix(&self) -> String {
        match self {
            Self::Known(text) => text.clone(),
            Self::OneOf(list) => common_suffix(list),
            Self::Affix { suffix, .. } => suffix.clone(),
            Self::Woven(text) => text.rsplit(is_mark).next().unwrap_or_default().to_owned(),
            Self::Lines(_) | Self::Unknown => String::new(),
        }
    }

    /// The value of `self` followed by `next`.
    pub fn concat(&self, next: &Self) -> Self {
        match (self, next) {
            (Self::Known(a), Self::Known(b)) => Self::Known(format!("{a}{b}")),
            (Self::Known(none), Self::Woven(_)) if none.is_empty() => next.clone(),
            (Self::Woven(_), Self::Known(none)) if none.is_empty() => self.clone(),
            (Self::Woven(a), Self::Known(b) | Self::Woven(b)) | (Self::Known(a), Self::Woven(b))
                if Self::may_be_woven(self) && Self::may_be_woven(next) =>
            {
                Self::Woven(format!("{a}{b}"))
            }
            (Self::Woven(_), _) | (_, Self::Woven(_)) => self.clone().plain().concat(&next.clone().plain()),
            (Self::Known(none), Self::Lines(_)) if none.is_empty() => next.clone(),
            // Whether the last line is ended makes no difference to whoever reads lines.
            (Self::Lines(lines), Self::Known(end))
                if end.is_empty() || (end == "\n" && lines.end == '\n') =>
            {
                self.clone()
            }
            (Self::Lines(a), Self::Lines(b)) if a.end == b.end => Self::Lines(Lines {
                each: a.each.iter().chain(&b.each).cloned().collect(),
                end: a.end,
                some: a.some || b.some,
            }),
            (Self::Known(text), Self::Lines(lines)) | (Self::Lines(lines), Self::Known(text))
                if text.ends_with(lines.end) =>
            {
                let mut each = lines.each.clone();
                each.extend(text.split_terminator(lines.end).map(str::to_owned));
                Self::Lines(Lines { each, ..lines.clone() })
            }
            _ => {
                if let (Some(left), Some(right)) = (self.choices(), next.choices())
                    && left.len() * right.len() <= Self::MAX_CHOICES
                {
                    let joined = left
                        .iter()
                        .flat_map(|a| right.iter().map(move |b| format!("{a}{b}")))
                        .collect::<Vec<_>>();
                    return Self::one_of(joined);
                }
                let prefix = match self {
                    Self::Known(a) => format!("{a}{}", next.prefix()),
                    _ => self.prefix(),
                };
                let suffix = match next {
                    Self::Known(b) => format!("{}{b}", self.suffix()),
                    _ => next.suffix(),
                };
                Self::affix(prefix, suffix)
            }
        }
    }

    /// The value that may be either of the two.
    pub fn join(&self, other: &Self) -> Self {
        if self == other {
            return self.clone();
        }
        if let (Self::Woven(text), Self::Known(known)) | (Self::Known(known), Self::Woven(text)) =
            (self, other)
            && text.chars().count() == 1
            && text
                .chars()
                .next()
                .and_then(Mark::of)
                .is_some_and(|mark| known.chars().all(|c| mark.signs.holds(c)))
        {
            return Self::Woven(text.clone());
        }
        if let (Some(a), Some(b)) = (self.choices(), other.choices()) {
            return Self::one_of(a.iter().chain(b).cloned().collect());
        }
        Self::affix(
            common_prefix(&[self.prefix(), other.prefix()]),
            common_suffix(&[self.suffix(), other.suffix()]),
        )
    }

    /// The value as one word of a command: whose order is not known, of such a text nothing is known.
    pub fn word(self) -> Self {
        match self {
            Self::Lines(_) => Self::Unknown,
            other => other,
        }
    }

    /// Signs of an alphabet, and nothing else.
    pub fn signs(signs: Signs, lines: bool) -> Self {
        Self::Woven(Mark { signs, lines }.sign().into())
    }

    /// A text of any lines that begin with signs of an alphabet, a separator behind them.
    pub fn begun(signs: Signs, separator: char, many: bool) -> Self {
        let mark = Mark { signs, lines: false }.sign();
        let again = if many { AGAIN.to_string() } else { String::new() };
        Self::Woven(format!("{mark}{separator}{REST}\n{again}"))
    }

    /// The value of a text in which marks may stand.
    pub fn marked(text: impl Into<String>) -> Self {
        let text = text.into();
        if text.contains(is_mark) { Self::Woven(text) } else { Self::Known(text) }
    }

    /// The text with its marks, where each of them says which signs may stand there.
    pub fn woven(&self) -> Option<&str> {
        match self {
            Self::Woven(text) => text.chars().all(|c| !is_mark(c) || Mark::of(c).is_some()).then_some(text),
            _ => None,
        }
    }

    /// Whether it is a number, or nothing.
    pub fn is_number(&self) -> bool {
        let number = |c: char| Mark::of(c).is_some_and(|mark| mark.signs == Signs::Number);
        matches!(self, Self::Woven(text) if text.chars().all(|c| number(c) || Signs::Number.holds(c)))
    }

    /// What a name of a file may be, and whatever else is no program's text: only the beginning and the end of what holds
    /// signs of an alphabet.
    pub fn plain(self) -> Self {
        match self {
            Self::Woven(_) => Self::affix(self.prefix(), self.suffix()),
            other => other,
        }
    }

    /// A text that holds marks by itself would pass for one that it is not.
    fn may_be_woven(value: &Self) -> bool {
        match value {
            Self::Known(text) => !text.contains(is_mark),
            Self::Woven(text) => !text.contains(AGAIN),
            _ => false,
        }
    }

    /// Applies a total function to every line of a text; what is not known line by line becomes [`Value::Unknown`].
    pub fn map_lines(&self, f: impl Fn(&str) -> String) -> Self {
        match self {
            Self::Lines(lines) => {
                let each = lines.each.iter().map(|line| f(line)).collect();
                Self::Lines(Lines { each, ..lines.clone() })
            }
            _ => self.map(|text| {
                let mut result = text.lines().map(&f).collect::<Vec<_>>().join("\n");
                if text.ends_with('\n') {
                    result.push('\n');
                }
                result
            }),
        }
    }

    /// Applies a total function to every possibility; what cannot be listed becomes [`Value::Unknown`].
    pub fn map(&self, f: impl Fn(&str) -> String) -> Self {
        match self.choices() {
            Some(list) => Self::one_of(list.iter().map(|text| f(text)).collect()),
            None => Self::Unknown,
        }
    }

    /// For people: the text, or the text with `…` for what is unknown.
    pub fn display(&self) -> String {
        match self {
            Self::Known(text) => text.clone(),
            Self::OneOf(list) => list.join(" | "),
            Self::Affix { prefix, suffix } => format!("{prefix}…{suffix}"),
            Self::Woven(text) => text.split(is_mark).collect::<Vec<_>>().join("…"),
            Self::Lines(_) | Self::Unknown => "…".to_owned(),
        }
    }

    fn affix(prefix: String, suffix: String) -> Self {
        if prefix.is_empty() && suffix.is_empty() { Self::Unknown } else { Self::Affix { prefix, suffix } }
    }

    fn widen(list: &[String]) -> Self {
        Self::affix(common_prefix(list), common_suffix(list))
    }
}

fn common_prefix(list: &[String]) -> String {
    let Some((first, rest)) = list.split_first() else { return String::new() };
    let mut end = first.len();
    for text in rest {
        end = end.min(first.bytes().zip(text.bytes()).take_while(|(a, b)| a == b).count());
    }
    while !first.is_char_boundary(end) {
        end -= 1;
    }
    first[..end].to_owned()
}

fn common_suffix(list: &[String]) -> String {
    let Some((first, rest)) = list.split_first() else { return String::new() };
    let mut length = first.len();
    for text in rest {
        length = length.min(first.bytes().rev().zip(text.bytes().rev()).take_while(|(a, b)| a == b).count());
    }
    let mut start = first.len() - length;
    while !first.is_char_boundary(start) {
        start += 1;
    }
    first[start..].to_owned()
}

#[cfg(test)]
mod tests {
    use super::Value;

    #[test]
    fn concatenation_keeps_what_is_known() {
        let unknown = Value::Unknown;
        assert_eq!(Value::known("a").concat(&Value::known("b")), Value::known("ab"));
        assert_eq!(
            Value::known("/tmp/").concat(&unknown).concat(&Value::known(".txt")),
            Value::Affix { prefix: "/tmp/".into(), suffix: ".txt".into() }
        );
        let either = Value::one_of(vec!["x".into(), "y".into()]);
        assert_eq!(either.concat(&Value::known("1")), Value::OneOf(vec!["x1".into(), "y1".into()]));
    }

    #[test]
    fn joining_widens_but_never_forgets_a_possibility() {
        let joined = Value::known("src/a").join(&Value::known("src/b"));
        assert_eq!(joined.choices().map(<[String]>::len), Some(2));
        assert_eq!(Value::known("src/a").join(&Value::Unknown), Value::Unknown);
    }

    #[test]
    fn the_order_of_lines_is_not_made_up() {
        let lines = Value::lines(vec!["b".into(), "a".into()], '\n');
        assert_eq!((lines.as_known(), lines.choices()), (None, None));
        assert_eq!(Value::known("").concat(&lines).concat(&Value::known("\n")), lines);
        assert_eq!(
            lines.concat(&Value::known("c\n")),
            Value::lines(vec!["b".into(), "a".into(), "c".into()], '\n')
        );
        assert_eq!(lines.concat(&Value::known("c")), Value::Affix { prefix: "".into(), suffix: "c".into() });
        assert_eq!(Value::lines(vec!["b".into()], '\n'), Value::known("b\n"));
        assert_eq!(
            lines.map_lines(|line| format!("x{line}")),
            Value::lines(vec!["xb".into(), "xa".into()], '\n')
        );
    }

    #[test]
    fn many_choices_become_an_affix() {
        let many = (0..100).map(|n| format!("dir/{n}.log")).collect();
        assert_eq!(Value::one_of(many), Value::Affix { prefix: "dir/".into(), suffix: ".log".into() });
    }
}
