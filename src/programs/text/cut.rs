//! `cut`: fields or signs of each line.

use super::words::Words;

/// What `cut` is asked for.
pub(super) struct Cuts {
    /// What divides fields; without it signs are counted.
    delimiter: Option<char>,
    /// Lines that are not divided are left out.
    only_divided: bool,
    /// First and last, from one on.
    ranges: Vec<(usize, usize)>,
}

impl Cuts {
    /// Reads the options.
    pub(super) fn read(words: &Words<'_>) -> Option<Self> {
        let mut cuts = Self { delimiter: Some('\t'), only_divided: false, ranges: Vec::new() };
        let mut list = None;
        for (letter, value) in &words.options {
            match letter {
                'd' => {
                    let mut signs = value.chars();
                    cuts.delimiter = Some(signs.next().filter(char::is_ascii)?);
                    if signs.next().is_some() {
                        return None;
                    }
                }
                's' => cuts.only_divided = true,
                'f' | 'c' | 'b' if list.is_none() => list = Some((*letter, *value)),
                _ => return None,
            }
        }
        let (letter, list) = list?;
        if letter != 'f' {
            if words.options.iter().any(|(letter, _)| *letter == 'd') {
                return None;
            }
            cuts.delimiter = None;
        }
        cuts.ranges = list.split(',').map(range).collect::<Option<Vec<_>>>()?;
        Some(cuts)
    }

    /// What is left of a line.
    #[allow(clippy::option_option)]
    pub(super) fn of(&self, line: &str) -> Option<Option<String>> {
        let wanted = |at: usize| self.ranges.iter().any(|(first, last)| (*first..=*last).contains(&(at + 1)));
        let Some(delimiter) = self.delimiter else {
            let signs = line.chars().enumerate().filter(|(at, _)| wanted(*at)).map(|(_, sign)| sign);
            return line.is_ascii().then(|| Some(signs.collect()));
        };
        if !line.contains(delimiter) {
            return Some((!self.only_divided).then(|| line.to_owned()));
        }
        let fields = line.split(delimiter).enumerate().filter(|(at, _)| wanted(*at)).map(|(_, field)| field);
        Some(Some(fields.collect::<Vec<_>>().join(&delimiter.to_string())))
    }
}

/// `3`, `3-`, `-3`, `2-3`
fn range(text: &str) -> Option<(usize, usize)> {
    let number = |text: &str| text.parse::<usize>().ok().filter(|number| *number > 0);
    match text.split_once('-') {
        None => number(text).map(|one| (one, one)),
        Some(("", "")) => None,
        Some((first, "")) => Some((number(first)?, usize::MAX)),
        Some(("", last)) => Some((1, number(last)?)),
        Some((first, last)) => Some((number(first)?, number(last)?)).filter(|(first, last)| first <= last),
    }
}
