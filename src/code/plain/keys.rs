//! Keys of vi that move in the text and change it. What leads out of the text (a command line, a filter, a macro, another
//! file) is none of them.

use std::iter::Peekable;
use std::str::Chars;

/// What keys do, typed one after the other.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Typed {
    /// They show and change the text.
    Edits,
    /// The text is written to its file besides.
    Saves,
}

/// Moves of one key.
const MOVES: &str = "hjklwWbBeEG0^${}()HML%nN;,|+-_*#";
/// Changes of one key.
const CHANGES: &str = "xXDYpPuUJ~.";
/// From here on text is typed, up to Escape.
const INSERTS: &str = "iaIAoOsSCR";
/// Operators, which a move, an object of text or themselves follow.
const OPERATORS: &str = "dcy<>";
/// Objects of text, behind `i` or `a`.
const OBJECTS: &str = "wWsp[](){}<>bBt\"'`";
/// Behind `g`: moves and changes of the text; operators.
const WITH_G: &str = "gejk_JpP";
const OPERATORS_WITH_G: &str = "uU~";

const ESCAPE: char = '\u{1b}';

/// `None`: one of them is not known.
pub(super) fn typed(keys: &str) -> Option<Typed> {
    let mut keys = keys.chars().peekable();
    let mut found = Typed::Edits;
    while keys.peek().is_some() {
        count(&mut keys);
        let Some(key) = keys.next() else { break };
        match key {
            ESCAPE => {}
            'Z' => match keys.next()? {
                'Z' => found = Typed::Saves,
                'Q' => {}
                _ => return None,
            },
            '"' => {
                keys.next().filter(|name| name.is_ascii_alphanumeric() || "_+*-\"".contains(*name))?;
            }
            'm' => {
                keys.next().filter(char::is_ascii_lowercase)?;
            }
            'r' => {
                keys.next().filter(|c| !c.is_control())?;
            }
            'z' => {
                keys.next().filter(|to| "ztb.".contains(*to))?;
            }
            'g' if keys.peek().is_some_and(|next| OPERATORS_WITH_G.contains(*next)) => {
                let operator = keys.next()?;
                operand(&mut keys, operator)?;
            }
            key if CHANGES.contains(key) => {}
            key if INSERTS.contains(key) => insert(&mut keys)?,
            key if OPERATORS.contains(key) => {
                operand(&mut keys, key)?;
                if key == 'c' {
                    insert(&mut keys)?;
                }
            }
            key => motion(&mut keys, key)?,
        }
    }
    Some(found)
}

fn count(keys: &mut Peekable<Chars<'_>>) {
    while keys.next_if(char::is_ascii_digit).is_some() {}
}

fn motion(keys: &mut Peekable<Chars<'_>>, key: char) -> Option<()> {
    let fine = match key {
        'f' | 'F' | 't' | 'T' => keys.next().is_some_and(|c| !c.is_control()),
        '\'' | '`' => keys.next().is_some_and(|mark| mark.is_ascii_lowercase()),
        'g' => keys.next().is_some_and(|next| WITH_G.contains(next)),
        key => MOVES.contains(key),
    };
    fine.then_some(())
}

/// What an operator is about.
fn operand(keys: &mut Peekable<Chars<'_>>, operator: char) -> Option<()> {
    count(keys);
    let key = keys.next()?;
    match key {
        'i' | 'a' => keys.next().filter(|object| OBJECTS.contains(*object)).map(|_| ()),
        key if key == operator => Some(()),
        key => motion(keys, key),
    }
}

/// Text, of which no key may mean anything but itself.
fn insert(keys: &mut Peekable<Chars<'_>>) -> Option<()> {
    for key in keys.by_ref() {
        if key == ESCAPE {
            return Some(());
        }
        if key.is_control() && key != '\t' {
            return None;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_edit() {
        for keys in [
            "ggdG",
            "dd",
            "3dd",
            "d3w",
            "ciwnew",
            "A;",
            "I# \u{1b}j",
            "gg",
            "yyp",
            "\"ayy",
            "Gofoo\u{1b}",
            "f(di(",
            "gUiw",
            "guu",
            "xp",
            ">>",
            "r-",
            "ZQ",
        ] {
            assert!(typed(keys) == Some(Typed::Edits), "{keys:?}");
        }
        assert!(typed("ggdGZZ") == Some(Typed::Saves));
    }

    #[test]
    fn keys_that_lead_out_of_the_text() {
        for keys in [
            ":!rm a\r",
            "!!rm a\r",
            "!Gsh\r",
            "@q",
            "@:",
            "gQ",
            "Q",
            "gf",
            "K",
            "gg=G",
            "gqap",
            "A\u{12}=system('x')\r",
            "A\u{f}:!rm a\r",
            "\"=system('x')\rp",
            "qa",
            "'A",
            "gx",
            "zg",
            "v:!rm",
            "Vo:!rm",
            "\u{f}",
            "/x\r@q",
            "d",
            "gv",
            "dvj",
        ] {
            assert!(typed(keys).is_none(), "{keys:?}");
        }
    }
}
