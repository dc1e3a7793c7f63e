//! Which questions the text of a change's attributes can raise at all: most need not be built for any of them.
//!
//! Owns the words by which each question is raised, found in one pass, in small letters and capitals alike.

use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

/// What lets everybody in.
const OPENS: &[&str] = &[
    "cidr",
    "/0",
    "\"*",
    "public",
    "internet",
    "allusers",
    "anonymous",
    "authenticated",
    "0.0.0.0",
    "everyone",
    "everybody",
    "anyone",
    "\"all\"",
    "notprincipal",
    "federated",
];

/// What gives full control.
const POWERS: &[&str] = &[
    "admin",
    "superuser",
    "owner",
    "\"root",
    "path \\\"*",
    "sysdba",
    "all-resources",
    "full",
    "\"all",
    " all ",
    ",all",
    "+@all",
    "allcommands",
    "62e90394",
    "8e3af657",
    "18d7d88d",
    "f58310d9",
    "system:masters",
    "bypass",
];

/// What denies.
const DENIES: &[&str] = &[
    "deny",
    "denied",
    "block\"",
    "block\\",
    "blocked\"",
    "block_",
    "block-",
    "drop\"",
    "drop\\",
    "drop_",
    "drop-",
    "reject\"",
    "reject\\",
    "reset_both",
    "disallow\"",
    "forbid",
    "quarantine",
    "blacklist",
];

/// What holds documents that say who may do what.
const DOCUMENTS: &[&str] = &["statement"];

/// Letters written as escapes.
const ESCAPE: &str = "\\u00";

/// What a text can say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Says {
    pub(super) opens: bool,
    pub(super) powers: bool,
    pub(super) denies: bool,
    pub(super) documents: bool,
}

impl Says {
    const ALL: Self = Self { opens: true, powers: true, denies: true, documents: true };
}

/// What a text can say; anything, if words may stand in it that no search finds.
pub(super) fn said(raw: &str) -> Says {
    // Without a search everything is looked at.
    let Some(search) = search() else { return Says::ALL };
    let mut found = Says::default();
    for hit in search.find_overlapping_iter(raw) {
        match word(hit.pattern().as_usize()) {
            Question::Opens => found.opens = true,
            Question::Powers => found.powers = true,
            Question::Denies => found.denies = true,
            Question::Documents => found.documents = true,
            Question::Any if hides(raw, hit.end()) => return Says::ALL,
            Question::Any => {}
        }
        if found == Says::ALL {
            break;
        }
    }
    found
}

enum Question {
    Opens,
    Powers,
    Denies,
    Documents,
    Any,
}

/// Which question the word at a place of the joined lists raises.
fn word(at: usize) -> Question {
    let lists = [
        (OPENS, Question::Opens),
        (POWERS, Question::Powers),
        (DENIES, Question::Denies),
        (DOCUMENTS, Question::Documents),
    ];
    let mut first = 0;
    for (list, question) in lists {
        first += list.len();
        if at < first {
            return question;
        }
    }
    Question::Any
}

/// Whether an escape stands for a letter: what `jsonencode` escapes is none.
fn hides(raw: &str, end: usize) -> bool {
    !raw.get(end..end + 2)
        .is_some_and(|code| code.starts_with(['0', '1']) || ["26", "3c", "3e"].contains(&code))
}

fn search() -> Option<&'static AhoCorasick> {
    static SEARCH: OnceLock<Option<AhoCorasick>> = OnceLock::new();
    let build = || {
        let words = [OPENS, POWERS, DENIES, DOCUMENTS, &[ESCAPE]].concat();
        let mut builder = AhoCorasick::builder();
        builder.ascii_case_insensitive(true).kind(Some(AhoCorasickKind::DFA)).build(words).ok()
    };
    SEARCH.get_or_init(build).as_ref()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_raises_its_question_however_it_is_written() {
        for (list, of) in [
            (OPENS, (|says: Says| says.opens) as fn(Says) -> bool),
            (POWERS, |says| says.powers),
            (DENIES, |says| says.denies),
            (DOCUMENTS, |says| says.documents),
        ] {
            for word in list {
                for text in [word.to_ascii_uppercase(), (*word).to_owned()] {
                    assert!(of(said(&format!("{{\"a\":\"x{text}x\"}}"))), "{text}");
                }
            }
        }
        assert_eq!(said("{\"size\":3,\"name\":\"install\"}"), Says::default());
    }

    #[test]
    fn what_hides_letters_says_anything() {
        assert_eq!(said("{\"a\":\"\\u0061b\"}"), Says::ALL);
        assert_eq!(said("{\"a\":\"\\u003cb\\u0026\\u000a\"}"), Says::default());
    }
}
