//! Word splitting by `IFS`.

use crate::model::{Mark, Value, is_mark};

use super::{Builder, Piece};

impl Builder {
    /// Adds an unquoted result, ending words where separators stand.
    pub(super) fn split_in(&mut self, value: &Value) {
        let Some(separators) = self.separators.clone() else {
            self.current.elastic = true;
            self.current.pieces.push(Piece::Active(Value::Unknown));
            return;
        };
        match value {
            Value::Known(text) => self.split_text(text, &separators),
            Value::OneOf(list) => {
                if list.iter().all(|text| !text.is_empty() && !text.contains(|c| separators.contains(c))) {
                    self.current.pieces.push(Piece::Active(value.clone()));
                } else if list.iter().all(|text| !text.contains(|c| separators.contains(c))) {
                    // It may vanish altogether.
                    self.current.elastic = true;
                    let listed = list.iter().filter(|text| !text.is_empty()).cloned().collect();
                    self.current.pieces.push(Piece::Active(Value::one_of(listed)));
                } else {
                    // Choices of several words: all words of all choices.
                    for (index, text) in list.iter().enumerate() {
                        if index > 0 && !self.current.pieces.is_empty() {
                            self.finish_field();
                        }
                        self.split_text(text, &separators);
                    }
                    self.current.elastic = true;
                }
            }
            Value::Affix { prefix, suffix } => {
                self.split_text(prefix, &separators);
                self.current.elastic = true;
                self.current.pieces.push(Piece::Active(Value::Unknown));
                if let Some(first) = suffix.chars().next() {
                    if separators.contains(first) {
                        self.finish_field();
                    }
                    self.split_text(suffix, &separators);
                }
            }
            Value::Woven(text) => self.split_woven(text, &separators),
            Value::Lines(lines) => {
                let before = self.done.len();
                for (index, line) in lines.each.iter().enumerate() {
                    if index > 0 && !self.current.pieces.is_empty() {
                        self.finish_field();
                    }
                    self.split_text(line, &separators);
                }
                for field in self.done[before..].iter_mut().chain([&mut self.current]) {
                    field.unordered = true;
                    field.elastic |= lines.some;
                }
            }
            Value::Unknown => {
                self.current.elastic = true;
                self.current.pieces.push(Piece::Active(Value::Unknown));
            }
        }
    }

    /// Signs that separate nothing stay in their words; each line of them is a word of its own.
    fn split_woven(&mut self, text: &str, separators: &str) {
        let inert = |c: char| match Mark::of(c) {
            Some(mark) => {
                let held = separators.chars().any(|separator| mark.signs.holds(separator));
                !held && (!mark.lines || separators.contains('\n'))
            }
            None => !is_mark(c),
        };
        if !text.chars().all(inert) {
            return self.split_in(&Value::Woven(text.to_owned()).plain());
        }
        let one = |c: char| Mark::of(c).map_or(c, |mark| Mark { lines: false, ..mark }.sign());
        let alone = text.chars().all(is_mark);
        let lines = text.chars().any(|c| Mark::of(c).is_some_and(|mark| mark.lines));
        if lines && !alone {
            return self.split_in(&Value::Woven(text.to_owned()).plain());
        }
        let before = self.done.len();
        self.split_text(&text.chars().map(one).collect::<String>(), separators);
        for piece in self.done[before..].iter_mut().chain([&mut self.current]).flat_map(|f| &mut f.pieces) {
            if let Piece::Active(Value::Known(known)) = piece {
                *piece = Piece::Active(Value::marked(std::mem::take(known)));
            }
        }
        // They may be none at all, or several words.
        self.current.elastic |= alone;
    }

    fn split_text(&mut self, text: &str, separators: &str) {
        if separators.is_empty() {
            if !text.is_empty() {
                self.current.pieces.push(Piece::Active(Value::known(text)));
            }
            return;
        }
        let blank = |c: char| separators.contains(c) && matches!(c, ' ' | '\t' | '\n');
        let mut word = String::new();
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            if !separators.contains(c) {
                word.push(c);
                continue;
            }
            let hard = !blank(c);
            // Blanks around one other separator count with it.
            let mut hard_seen = hard;
            while let Some(&next) = chars.peek() {
                if blank(next) {
                    chars.next();
                } else if separators.contains(next) && !hard_seen {
                    hard_seen = true;
                    chars.next();
                } else {
                    break;
                }
            }
            if !word.is_empty() {
                self.current.pieces.push(Piece::Active(Value::Known(std::mem::take(&mut word))));
            }
            if !self.current.pieces.is_empty() {
                self.finish_field();
            } else if hard_seen {
                self.current.quoted = true;
                self.finish_field();
            }
        }
        if !word.is_empty() {
            self.current.pieces.push(Piece::Active(Value::Known(word)));
        }
    }
}
