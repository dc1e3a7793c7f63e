//! Which questions the text of a change's attributes can raise at all: most need not be built for any of them.
//!
//! Owns the words by which each question is raised, found in one pass, in small letters and capitals alike.

use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use crate::knowledge::{Words, terraform_signs, tool_words};

/// What lets everybody in, besides the words that the readers know.
const OPENS: &[&str] = &[
    "cidr",
    "/0",
    "\"*",
    " *",
    "*\"",
    "public",
    "internet",
    "allusers",
    "anonymous",
    "authenticated",
    "0.0.0.0",
    "\"all\"",
    "\"any\"",
    "notprincipal",
    "federated",
];

/// What gives full control, besides.
const POWERS: &[&str] = &[
    "admin",
    "superuser",
    "owner",
    "path \\\"*",
    "all-resources",
    "full",
    "\"all",
    " all ",
    ",all",
    "+@all",
    "allcommands",
    "system:masters",
    "bypass",
];

/// What denies, besides.
const DENIES: &[&str] = &["deny", "denied"];

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
    for hit in search.words.find_overlapping_iter(raw) {
        match search.questions.get(hit.pattern().as_usize()) {
            Some(Question::Opens) => found.opens = true,
            Some(Question::Powers) => found.powers = true,
            Some(Question::Denies) => found.denies = true,
            Some(Question::Documents) => found.documents = true,
            None if hides(raw, hit.end()) => return Says::ALL,
            None => {}
        }
        if found == Says::ALL {
            break;
        }
    }
    found
}

#[derive(Clone, Copy)]
enum Question {
    Opens,
    Powers,
    Denies,
    Documents,
}

/// The words of all questions, and which one each raises: the last word is an escape, and raises none.
struct Search {
    words: AhoCorasick,
    questions: Vec<Question>,
}

/// Whether an escape stands for a letter: what `jsonencode` escapes is none.
fn hides(raw: &str, end: usize) -> bool {
    !raw.get(end..end + 2)
        .is_some_and(|code| code.starts_with(['0', '1']) || ["26", "3c", "3e"].contains(&code))
}

/// A list of words.
type List = &'static [&'static str];

/// Each question with its own words, and with those that its readers look for as a whole or at the end of a longer text.
fn lists() -> [(Question, List, Vec<Words>); 4] {
    let (grants, signs) = (&tool_words().grants, terraform_signs());
    let powers = vec![grants.full, signs.powers.words, signs.powers.switches];
    [
        (Question::Opens, OPENS, vec![grants.everybody, signs.everybody]),
        (Question::Powers, POWERS, powers),
        (Question::Denies, DENIES, vec![grants.denies]),
        (Question::Documents, DOCUMENTS, Vec::new()),
    ]
}

/// What a word may follow.
const FRONTS: [char; 4] = ['"', ':', '/', ' '];

fn search() -> Option<&'static Search> {
    static SEARCH: OnceLock<Option<Search>> = OnceLock::new();
    let build = || {
        let mut all: Vec<(Question, String)> = Vec::new();
        for (question, own, lists) in lists() {
            all.extend(own.iter().map(|word| (question, (*word).to_owned())));
            // Words of options are none of attributes, and most words are found by a part of them.
            let words = lists.iter().flat_map(Words::iter).filter(|word| !word.starts_with("--"));
            for word in words.flat_map(spelled).filter(|word| !own.iter().any(|part| word.contains(part))) {
                all.extend(FRONTS.iter().map(|front| (question, format!("{front}{word}"))));
            }
        }
        // Attributes by whose names a word counts, and texts that hold rules of their own.
        let named = terraform_signs().powers.exactly.iter().filter_map(|line| line.split_once('='));
        let named = named.map(|(name, _)| name).chain(["rules", "rules_hcl"]);
        all.extend(named.map(|name| (Question::Powers, format!("\"{name}\""))));
        let questions = all.iter().map(|(question, _)| *question).collect();
        let words = all.iter().map(|(_, word)| word.as_str()).chain([ESCAPE]);
        let mut builder = AhoCorasick::builder();
        let built = builder.ascii_case_insensitive(true).kind(Some(AhoCorasickKind::DFA)).build(words).ok();
        built.map(|words| Search { words, questions })
    };
    SEARCH.get_or_init(build).as_ref()
}

/// A word as the lists write it, and with spaces in it.
fn spelled(word: &'static str) -> Vec<String> {
    let plain = word.to_owned();
    if word.contains('_') { vec![plain, word.replace('_', " ")] } else { vec![plain] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_raises_its_question_however_it_is_written() {
        for (question, own, words) in lists() {
            let raised = |text: &str| match question {
                Question::Opens => said(text).opens,
                Question::Powers => said(text).powers,
                Question::Denies => said(text).denies,
                Question::Documents => said(text).documents,
            };
            for word in own {
                for text in [word.to_ascii_uppercase(), (*word).to_owned()] {
                    assert!(raised(&format!("{{\"a\":\"x{text}x\"}}")), "{text}");
                }
            }
            let of_attributes = words.iter().flat_map(Words::iter).filter(|word| !word.starts_with("--"));
            for word in of_attributes {
                for text in [word.to_ascii_uppercase(), word.replace('_', " ")] {
                    for value in [text.clone(), format!("x:{text}"), format!("x/{text}"), format!(" {text} ")]
                    {
                        assert!(raised(&format!("{{\"a\":[\"{value}\"]}}")), "{value}");
                        assert!(raised(&format!("{{\"a\":\"[\\\"{value}\\\"]\"}}")), "{value}");
                    }
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
