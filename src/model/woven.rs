//! Texts with places of which only the signs are known that may stand there: the hash, the date or the number that
//! another program prints.
//!
//! Such a text is written with marks: characters that Unicode keeps out of all texts. A mark stands for any number of
//! signs of its alphabet, none included.

/// What may stand at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signs {
    /// Digits, a point, a minus.
    Number,
    /// Digits and the letters up to `f`.
    Hex,
    /// Letters, digits, and the signs between them in dates and versions: `.`, `_`, `:`, `+`, `-`.
    Word,
}

/// One mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// What may stand there.
    pub signs: Signs,
    /// Lines of it; otherwise one.
    pub lines: bool,
}

const MARKS: [(char, Mark); 6] = [
    ('\u{fdd0}', Mark { signs: Signs::Number, lines: false }),
    ('\u{fdd1}', Mark { signs: Signs::Hex, lines: false }),
    ('\u{fdd2}', Mark { signs: Signs::Word, lines: false }),
    ('\u{fdd3}', Mark { signs: Signs::Number, lines: true }),
    ('\u{fdd4}', Mark { signs: Signs::Hex, lines: true }),
    ('\u{fdd5}', Mark { signs: Signs::Word, lines: true }),
];
/// Anything at all up to the end of the line.
pub(super) const REST: char = '\u{fdd6}';
/// The line before it any number of times, each with other signs, or not at all.
pub(super) const AGAIN: char = '\u{fdd7}';

impl Signs {
    /// Whether a character is one of them.
    pub fn holds(self, c: char) -> bool {
        match self {
            Self::Number => c.is_ascii_digit() || matches!(c, '.' | '-'),
            Self::Hex => c.is_ascii_digit() || matches!(c, 'a'..='f'),
            Self::Word => c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | ':' | '+' | '-'),
        }
    }

    /// By the name that the knowledge uses.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "number" => Some(Self::Number),
            "hex" => Some(Self::Hex),
            "word" => Some(Self::Word),
            _ => None,
        }
    }
}

impl Mark {
    /// The character that stands for it.
    pub fn sign(self) -> char {
        MARKS.iter().find(|(_, mark)| *mark == self).map_or(REST, |(sign, _)| *sign)
    }

    /// What a character stands for, where it is a mark of known signs.
    pub fn of(c: char) -> Option<Self> {
        MARKS.iter().find(|(sign, _)| *sign == c).map(|(_, mark)| *mark)
    }
}

/// Whether a character is a mark of any kind.
pub fn is_mark(c: char) -> bool {
    ('\u{fdd0}'..='\u{fddf}').contains(&c)
}

/// The one line that a text with marks consists of, without its end, and whether there may be more of the same form.
pub fn line_of(text: &str) -> Option<(String, bool)> {
    let (line, again) = match text.strip_suffix(AGAIN) {
        Some(line) => (line, true),
        None => (text, false),
    };
    let line = line.strip_suffix('\n').unwrap_or(line);
    let mut many = again;
    let mut one = String::new();
    let alone = line.chars().count() == 1;
    for c in line.chars() {
        match Mark::of(c) {
            Some(mark) if mark.lines && alone => {
                many = true;
                one.push(Mark { lines: false, ..mark }.sign());
            }
            Some(mark) if mark.lines => return None,
            None if c == '\n' || c == AGAIN => return None,
            _ => one.push(c),
        }
    }
    Some((one, many))
}

/// A text of one such line, or of any number of them.
pub fn of_line(line: &str, many: bool) -> String {
    let mut signs = line.chars();
    match (many, signs.next().and_then(Mark::of), signs.next()) {
        (true, Some(mark), None) => format!("{}\n", Mark { lines: true, ..mark }.sign()),
        (true, ..) => format!("{line}\n{AGAIN}"),
        (false, ..) => format!("{line}\n"),
    }
}

/// What stands in each line of such a text in front of the first `separator`; `None` where that cannot be said.
pub fn first_field(text: &str, separator: char) -> Option<String> {
    let (line, many) = line_of(text)?;
    let mut field = String::new();
    for c in line.chars() {
        match Mark::of(c) {
            Some(mark) if mark.signs.holds(separator) => return None,
            None if c == separator => break,
            None if is_mark(c) => return None,
            _ => field.push(c),
        }
    }
    Some(of_line(&field, many))
}

/// What any piece of such a text consists of, where all of it is of one alphabet.
pub fn piece_of(text: &str) -> Option<String> {
    let (line, many) = line_of(text)?;
    let mut signs = line.chars();
    let first = Mark::of(signs.next()?)?;
    let same = |c: char| Mark::of(c).is_some_and(|mark| mark.signs == first.signs) || first.signs.holds(c);
    signs.all(same).then(|| of_line(&first.sign().to_string(), many))
}

#[cfg(test)]
mod tests {
    use super::{AGAIN, Mark, REST, Signs, first_field};

    #[test]
    fn the_first_field_of_numbered_lines_is_a_number() {
        let one = |lines| Mark { signs: Signs::Number, lines }.sign();
        let numbered = format!("{}:{REST}\n", one(false));
        assert_eq!(first_field(&numbered, ':'), Some(format!("{}\n", one(false))));
        assert_eq!(first_field(&format!("{numbered}{AGAIN}"), ':'), Some(format!("{}\n", one(true))));
        assert_eq!(first_field(&numbered, '-'), None, "a number may have a minus in it");
        assert_eq!(first_field(&format!("{REST}:x\n"), ':'), None);
    }
}
