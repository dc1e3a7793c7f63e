//! Matching: sets of places in a text instead of backtracking.

use super::Options;
use super::read::{Item, Member};

/// One text against the items of a pattern.
pub(super) struct Run<'a> {
    pub(super) text: &'a [char],
    pub(super) options: Options,
    /// Positions that may still be looked at.
    pub(super) work: usize,
}

/// Which places of the text are reached.
type Positions = Vec<bool>;

impl Run<'_> {
    /// The places that are reached from others; `None` when the work is used up.
    pub(super) fn sequence(&mut self, items: &[Item], mut from: Positions) -> Option<Positions> {
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
            Item::Everything | Item::Directories => {
                let mut open = false;
                for index in 0..from.len() {
                    open |= from[index];
                    let ends = index > 0 && self.text[index - 1] == '/';
                    to[index] =
                        if matches!(item, Item::Everything) { open } else { from[index] || (open && ends) };
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
