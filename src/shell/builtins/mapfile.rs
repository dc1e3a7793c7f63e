//! `mapfile`, also called `readarray`: the lines of the input as an array.

use crate::model::Value;
use crate::shell::interp::Shell;
use crate::shell::simple::Call;
use crate::shell::state::{Content, Flow, State, Status};
use crate::shell::step::{Arg, Stdin};

/// What it is asked for.
struct Asked {
    name: String,
    trims: bool,
    delimiter: char,
    /// Lines to leave out, lines to take (all with 0), and where the first goes.
    skips: usize,
    takes: usize,
    first: Option<i64>,
    descriptor: Option<String>,
    callback: Option<Arg>,
    /// All of it was understood.
    known: bool,
}

impl Asked {
    fn of(call: &Call) -> Self {
        let mut asked = Self {
            name: "MAPFILE".to_owned(),
            trims: false,
            delimiter: '\n',
            skips: 0,
            takes: 0,
            first: None,
            descriptor: None,
            callback: None,
            known: !call.open(),
        };
        let mut words = call.arguments().iter().map(|word| &word.arg);
        while let Some(word) = words.next() {
            match word.value.as_known() {
                Some("--") => {
                    asked.named(words.next());
                    break;
                }
                Some(text) if text.len() > 1 && text.starts_with('-') => asked.option(text, &mut words),
                _ => {
                    asked.named(Some(word));
                    break;
                }
            }
        }
        asked
    }

    fn named(&mut self, word: Option<&Arg>) {
        match word.map(|word| word.value.as_known()) {
            Some(Some(name)) => self.name = name.to_owned(),
            Some(None) => self.known = false,
            None => {}
        }
    }

    /// One word of options; the value of the last may be the next word.
    fn option<'a>(&mut self, text: &str, words: &mut impl Iterator<Item = &'a Arg>) {
        for (at, letter) in text.char_indices().skip(1) {
            if letter == 't' {
                self.trims = true;
                continue;
            }
            let rest = &text[at + letter.len_utf8()..];
            let given = match rest {
                "" => words.next().cloned(),
                rest => {
                    Some(Arg { value: Value::known(rest), ..Arg::literal(String::new(), Default::default()) })
                }
            };
            let known = given.as_ref().and_then(|given| given.value.as_known());
            let number = known.and_then(|text| text.parse::<usize>().ok());
            match letter {
                'd' => self.delimiter = known.and_then(|text| text.chars().next()).unwrap_or('\0'),
                'n' => self.takes = number.unwrap_or_default(),
                's' => self.skips = number.unwrap_or_default(),
                'O' => self.first = number.and_then(|n| i64::try_from(n).ok()),
                'u' => self.descriptor = known.map(str::to_owned),
                _ => {}
            }
            self.known &= match letter {
                'd' | 'u' => known.is_some(),
                'n' | 's' | 'O' => number.is_some(),
                'c' | 'C' => true,
                _ => false,
            };
            if letter == 'C' {
                self.callback = given;
            }
            return;
        }
    }

    /// What it leaves of an input.
    fn leaves(&self, text: &str) -> Stdin {
        if self.takes == 0 {
            return Stdin::Empty;
        }
        let lines = text.split_inclusive(self.delimiter).take(self.skips.saturating_add(self.takes));
        Stdin::Text(Value::known(&text[lines.map(str::len).sum::<usize>()..]))
    }

    /// The lines that it takes.
    fn lines(&self, text: &str) -> Vec<Value> {
        let takes = if self.takes == 0 { usize::MAX } else { self.takes };
        let lines = text.split_inclusive(self.delimiter).skip(self.skips).take(takes);
        lines
            .map(|line| match line.strip_suffix(self.delimiter) {
                Some(line) if self.trims => Value::known(line),
                _ => Value::known(line),
            })
            .collect()
    }
}

impl Shell<'_> {
    /// `mapfile name`.
    pub(super) fn mapfile(&mut self, state: &mut State, call: &Call) -> Flow {
        let asked = Asked::of(call);
        let input = Self::input_of(state, asked.descriptor.as_deref());
        let descriptor = format!("/dev/fd/{}", asked.descriptor.as_deref().unwrap_or("0"));
        let plain = asked.known && asked.skips == 0 && asked.takes == 0;
        let text = self.stdin_text(state, &input);
        state.take(
            &descriptor,
            match &text {
                Some(Value::Known(text)) if asked.known => asked.leaves(text),
                _ => Stdin::Unknown,
            },
        );
        let lines = match text {
            Some(Value::Known(text)) if asked.known => Some(asked.lines(&text)),
            Some(Value::Lines(lines))
                if plain && !lines.some && asked.trims && asked.delimiter == lines.end =>
            {
                Some(lines.each.iter().map(|_| lines.one()).collect())
            }
            _ => None,
        };
        if let Some(callback) = asked.callback {
            let text = callback.value.concat(&Value::known(" 0 ''"));
            state.perhaps(|state| {
                self.shell_text(state, &text, callback.span);
            });
        }
        let content = match (lines, asked.first) {
            (Some(lines), None) => Content::Indexed((0..).zip(lines).collect()),
            // With a place to begin at, what was there stays.
            (Some(lines), Some(first)) => match self.content(state, &asked.name) {
                None | Some(Content::Unset) => Content::Indexed((first..).zip(lines).collect()),
                Some(Content::Indexed(map)) => {
                    let mut map = map.clone();
                    map.extend((first..).zip(lines));
                    Content::Indexed(map)
                }
                _ => Content::UnknownArray,
            },
            (None, _) => Content::UnknownArray,
        };
        self.assign_content(state, &asked.name, content);
        state.status = if asked.known { Status::True } else { Status::Unknown };
        Flow::Next
    }
}
