//! The options and operands of a simple program, where each of them is known.

use crate::shell::program::Call;

/// Options with their letters, in their order; the value of one without is empty.
#[derive(Debug, Default)]
pub(super) struct Words<'c> {
    pub(super) options: Vec<(char, &'c str)>,
    pub(super) operands: Vec<&'c str>,
}

impl<'c> Words<'c> {
    /// Reads words that have these letters as flags, those with a value, and these long names for letters; `None` where a
    /// word is none of them or not known.
    pub(super) fn read(call: &'c Call, flags: &str, valued: &str, long: &[(&str, char)]) -> Option<Self> {
        let texts = call.texts()?;
        let mut read = Self::default();
        let mut words = texts.into_iter();
        while let Some(word) = words.next() {
            if word == "--" {
                read.operands.extend(words);
                break;
            }
            if let Some(name) = word.strip_prefix("--") {
                let (name, value) =
                    name.split_once('=').map_or((name, None), |(name, value)| (name, Some(value)));
                let (_, letter) = long.iter().find(|(known, _)| *known == name)?;
                let value = match value {
                    Some(value) if valued.contains(*letter) => value,
                    None if valued.contains(*letter) => words.next()?,
                    None => "",
                    Some(_) => return None,
                };
                read.options.push((*letter, value));
                continue;
            }
            let Some(mut letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) else {
                read.operands.push(word);
                continue;
            };
            while let Some(letter) = letters.chars().next() {
                letters = &letters[letter.len_utf8()..];
                if valued.contains(letter) {
                    let value = if letters.is_empty() { words.next()? } else { letters };
                    read.options.push((letter, value));
                    break;
                }
                if !flags.contains(letter) {
                    return None;
                }
                read.options.push((letter, ""));
            }
        }
        Some(read)
    }

    /// Whether a letter was given.
    pub(super) fn has(&self, letter: char) -> bool {
        self.options.iter().any(|(given, _)| *given == letter)
    }

    /// The last value of a letter.
    pub(super) fn value(&self, letter: char) -> Option<&'c str> {
        self.options.iter().rev().find(|(given, _)| *given == letter).map(|(_, value)| *value)
    }
}
