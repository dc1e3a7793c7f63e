//! `getopts`: the positional parameters, option by option.

use crate::model::Value;
use crate::shell::interp::Shell;
use crate::shell::simple::Call;
use crate::shell::state::{Flow, State, Status};

/// Where in a cluster of letters the next option stands: kept beside the variables, under a name that none can have.
const WITHIN: &str = "getopts within";

/// What one turn finds.
struct Turn {
    /// What the variable holds by then; the status is false where there are no more options.
    option: Option<char>,
    argument: Option<String>,
    index: usize,
    within: usize,
}

impl Shell<'_> {
    pub(super) fn getopts(&mut self, state: &mut State, call: &Call) -> Flow {
        let texts = call.texts();
        let given = texts.as_deref().and_then(|texts| match texts {
            [letters, name] => Some(((*letters).to_owned(), (*name).to_owned())),
            _ => None,
        });
        let turn = given.as_ref().and_then(|(letters, _)| self.next_option(state, letters));
        let Some(((_, name), turn)) = given.zip(turn) else {
            if let Some(name) = texts.as_ref().and_then(|texts| texts.get(1)) {
                let name = (*name).to_owned();
                self.assign_scalar(state, &name, Value::Unknown);
            }
            for name in ["OPTARG", "OPTIND", WITHIN] {
                self.assign_scalar(state, name, Value::Unknown);
            }
            state.status = Status::Unknown;
            return Flow::Next;
        };
        self.assign_scalar(state, "OPTIND", Value::known(turn.index.to_string()));
        self.assign_scalar(state, WITHIN, Value::known(turn.within.to_string()));
        let found = turn.option.unwrap_or('?');
        self.assign_scalar(state, &name, Value::known(found.to_string()));
        match turn.argument {
            Some(argument) => self.assign_scalar(state, "OPTARG", Value::Known(argument)),
            None => self.unset(state, "OPTARG"),
        }
        state.status = Status::from_bool(turn.option.is_some());
        Flow::Next
    }

    /// The next option of the positional parameters, where all of them are known.
    fn next_option(&self, state: &State, letters: &str) -> Option<Turn> {
        if state.positional.open {
            return None;
        }
        let number = |name: &str, first: usize| match state.variables.contains_key(name) {
            true => self.scalar(state, name)?.as_known()?.parse().ok(),
            false => Some(first),
        };
        let index: usize = number("OPTIND", 1)?;
        let within: usize = number(WITHIN, 1)?.max(1);
        let values = &state.positional.values;
        let over = |index| Some(Turn { option: None, argument: None, index, within: 1 });
        let Some(word) = index.checked_sub(1).and_then(|at| values.get(at)) else { return over(index) };
        let word = word.as_known()?;
        if word == "--" {
            return over(index + 1);
        }
        if !word.starts_with('-') || word == "-" {
            return over(index);
        }
        let mut rest = word.chars().skip(within);
        let letter = rest.next()?;
        let rest: String = rest.collect();
        let next = if rest.is_empty() { (index + 1, 1) } else { (index, within + 1) };
        let at = letters.trim_start_matches(':').find(letter).filter(|_| letter != ':');
        let Some(at) = at else {
            let argument = letters.starts_with(':').then(|| letter.to_string());
            return Some(Turn { option: Some('?'), argument, index: next.0, within: next.1 });
        };
        let behind = &letters.trim_start_matches(':')[at + letter.len_utf8()..];
        if !behind.starts_with(':') {
            return Some(Turn { option: Some(letter), argument: None, index: next.0, within: next.1 });
        }
        if !rest.is_empty() {
            return Some(Turn { option: Some(letter), argument: Some(rest), index: index + 1, within: 1 });
        }
        match values.get(index) {
            Some(value) => {
                let argument = Some(value.as_known()?.to_owned());
                Some(Turn { option: Some(letter), argument, index: index + 2, within: 1 })
            }
            None if letters.starts_with(':') => Some(Turn {
                option: Some(':'),
                argument: Some(letter.to_string()),
                index: index + 1,
                within: 1,
            }),
            None => Some(Turn { option: Some('?'), argument: None, index: index + 1, within: 1 }),
        }
    }
}
