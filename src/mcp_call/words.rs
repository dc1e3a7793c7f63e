//! The words that names and descriptions of tools are made of (`tool_words.toml`). Whole words, never substrings.

use crate::knowledge::tool_words;

/// What the verb of a name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Reads,
    Deletes,
    Sends,
    Changes,
    Creates,
    Runs,
    Unknown,
}

/// The verb that decides: a destructive one wherever it stands, else the first one.
pub(super) fn verb(words: &[String]) -> (Verb, Option<&str>) {
    let verbs = &tool_words().verbs;
    let of = |word: &str| {
        let lists = [
            (&verbs.reads, Verb::Reads),
            (&verbs.deletes, Verb::Deletes),
            (&verbs.sends, Verb::Sends),
            (&verbs.changes, Verb::Changes),
            (&verbs.creates, Verb::Creates),
            (&verbs.runs, Verb::Runs),
        ];
        lists.into_iter().find(|(list, _)| list.has(word)).map(|(_, verb)| verb)
    };
    let strong = words.iter().find(|word| verbs.deletes.has(word));
    let first = words.iter().find_map(|word| Some((of(word)?, word.as_str())));
    match (first, strong) {
        // `get_reset_token`: a word that is also a noun does not outweigh the first one, a plain verb does.
        (Some((Verb::Reads, word)), Some(other)) if !verbs.not_reading.has(other) => {
            (Verb::Reads, Some(word))
        }
        (_, Some(word)) => (Verb::Deletes, Some(word)),
        (Some((verb, word)), None) => (verb, Some(word)),
        (None, None) => (Verb::Unknown, None),
    }
}

/// A word in a name that speaks against reading.
pub(super) fn not_reading(words: &[String]) -> Option<&str> {
    words.iter().map(String::as_str).find(|word| tool_words().verbs.not_reading.has(word))
}

/// Whether a name speaks of what holds data.
pub(super) fn holds_data(words: &[String]) -> bool {
    let data = &tool_words().verbs.data;
    words.iter().any(|word| data.has(word) || word.strip_suffix('s').is_some_and(|single| data.has(single)))
}

/// A word of a description that speaks against reading. `does not modify` does not.
pub(super) fn said_to_change(description: &str) -> Option<String> {
    let lists = &tool_words().descriptions;
    let lower = description.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.iter().enumerate().find_map(|(at, word)| {
        let told = lists.telling.has(word);
        let denied = words[at.saturating_sub(4)..at].iter().any(|before| lists.denying.has(before));
        (told && !denied).then(|| (*word).to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::super::name::words;
    use super::*;

    #[test]
    fn whole_words_decide() {
        for (name, want) in [
            ("get_file", Verb::Reads),
            ("get_and_delete", Verb::Deletes),
            ("get_reset_token", Verb::Reads),
            ("bucket.purge", Verb::Deletes),
            ("issue_list", Verb::Reads),
            ("sendMail", Verb::Sends),
            ("undeletable", Verb::Unknown),
            ("forgetful_getter", Verb::Unknown),
        ] {
            assert_eq!(verb(&words(name)).0, want, "{name}");
        }
        assert_eq!(not_reading(&words("read_or_create")), Some("or"));
        assert!(
            said_to_change("Deletes it").is_some() && said_to_change("Does not modify anything").is_none()
        );
    }
}
