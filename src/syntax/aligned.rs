//! Where a text that was brought over from another shell's syntax came from, word by word. For people to see what they
//! typed; nothing is judged by it.

use std::ops::Range;

use crate::model::Span;

use super::zsh::PART;

/// More words than this on either side are not compared: the whole text stands for each part of it.
const MOST: usize = 1500;

/// Two texts of one meaning.
#[derive(Debug)]
pub struct Aligned<'a> {
    typed: &'a str,
    /// Where words of the other text stand, and the same words in the typed one.
    pairs: Vec<(Range<usize>, Range<usize>)>,
}

impl<'a> Aligned<'a> {
    /// `judged` is what was made of `typed`.
    pub fn new(typed: &'a str, judged: &str) -> Self {
        let (from, to) = (tokens(judged), tokens(typed));
        let mut pairs = Vec::new();
        if from.len() <= MOST && to.len() <= MOST {
            let same = |(at, end): &(usize, usize), (other, till): &(usize, usize)| {
                let word = judged.get(*at..*end).unwrap_or_default();
                word.strip_prefix(PART).unwrap_or(word) == typed.get(*other..*till).unwrap_or_default()
            };
            // Longest common run of words, from behind.
            let width = to.len() + 1;
            let mut length = vec![0_u16; (from.len() + 1) * width];
            for i in (0..from.len()).rev() {
                for j in (0..to.len()).rev() {
                    length[i * width + j] = if same(&from[i], &to[j]) {
                        length[(i + 1) * width + j + 1] + 1
                    } else {
                        length[(i + 1) * width + j].max(length[i * width + j + 1])
                    };
                }
            }
            let (mut i, mut j) = (0, 0);
            while i < from.len() && j < to.len() {
                if same(&from[i], &to[j]) {
                    pairs.push((from[i].0..from[i].1, to[j].0..to[j].1));
                    i += 1;
                    j += 1;
                } else if length[(i + 1) * width + j] >= length[i * width + j + 1] {
                    i += 1;
                } else {
                    j += 1;
                }
            }
        }
        Self { typed, pairs }
    }

    /// Where in the typed text a part of the other one stands; all of it where that cannot be told.
    pub fn typed(&self, span: Span) -> Span {
        let mut inside =
            self.pairs.iter().filter(|(judged, _)| judged.start >= span.start && judged.end <= span.end);
        let Some((_, first)) = inside.next() else { return Span::new(0, self.typed.len()) };
        let last = inside.next_back().map_or(first, |(_, last)| last);
        // What stands around a word without a blank belongs to it.
        let mut back = self.typed[..first.start].char_indices().rev();
        let before = back.find(|(_, c)| c.is_whitespace()).map_or(0, |(at, blank)| at + blank.len_utf8());
        let opening = self.typed[before..first.start].chars().all(|c| "${(=\"'".contains(c));
        let start = if opening { before } else { first.start };
        let after = &self.typed[last.end..];
        let length = after.find(|c: char| c.is_whitespace() || ";|&".contains(c)).unwrap_or(after.len());
        let closing = after[..length].chars().all(|c| "})]\"'".contains(c));
        Span::new(start, if closing { last.end + length } else { last.end })
    }

    /// The typed text of a part.
    pub fn text(&self, span: Span) -> &'a str {
        let span = self.typed(span);
        self.typed.get(span.start..span.end).unwrap_or(self.typed)
    }
}

/// Names and numbers, and every other sign by itself; no blanks.
fn tokens(text: &str) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut inside = false;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        let part = c.is_alphanumeric() || c == '_';
        match found.last_mut() {
            Some(last) if part && inside && last.1 == at => last.1 = end,
            _ if !c.is_whitespace() => found.push((at, end)),
            _ => {}
        }
        inside = part;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(typed: &str, judged: &str, part: &str) -> String {
        let at = judged.find(part).unwrap();
        Aligned::new(typed, judged).text(Span::new(at, at + part.len())).to_owned()
    }

    #[test]
    fn parts_are_found_where_they_were_typed() {
        assert_eq!(typed("rm $a[2]", "rm ${_recourse_part_of_a}", "${_recourse_part_of_a}"), "$a");
        assert_eq!(typed("rm ${(P)q} x", "rm ${_recourse_part_of_q} x", "${_recourse_part_of_q}"), "${(P)q}");
        assert_eq!(typed("for f (a b) rm $f", "for f in a b; do rm $f; done", "rm $f"), "rm $f");
        assert_eq!(typed("begin; rm x; end", "{ :; rm x; }", "rm x"), "rm x");
        assert_eq!(typed("rm a; rm b", "rm a; rm b", "rm b"), "rm b");
        assert_eq!(typed("ls", "{ rm; }", "rm"), "ls");
        // A blank of more than one byte.
        assert_eq!(typed("echo\u{3000}$a", "echo a", "a"), "$a");
    }

    proptest::proptest! {
        #[test]
        fn spans_are_in_the_text(typed in ".{0,30}", judged in ".{0,30}", a in 0..30_usize, b in 0..30_usize) {
            let span = Aligned::new(&typed, &judged).typed(Span::new(a.min(b), a.max(b)));
            proptest::prop_assert!(typed.get(span.start..span.end).is_some());
        }
    }
}
