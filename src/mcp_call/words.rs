//! The words that names and descriptions of tools are made of. Whole words, never substrings.

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

const READS: &str = "\
    get list read search find show describe view fetch lookup query count check browse inspect explain \
    summarize head exists status stat stats info help version ping validate verify diff compare preview \
    tail peek analyze analyse calculate compute convert estimate retrieve scan select about whoami ls \
    cat tree grep";
const DELETES: &str = "\
    delete remove destroy drop purge wipe erase truncate terminate kill rm del unlink shred deprovision \
    uninstall prune flush clear reset revoke empty expunge nuke discard clean cleanup format \
    decommission unpublish rollback forget evict";
const SENDS: &str = "\
    send post publish reply forward notify email message tweet broadcast share invite pay charge refund \
    payout transfer withdraw buy sell purchase checkout order trade submit";
const CHANGES: &str = "\
    update set edit modify change patch put write replace rename move merge push commit deploy apply \
    restart reboot stop start enable disable scale approve reject close assign lock unlock rotate sync \
    migrate restore install upgrade configure grant toggle overwrite cancel archive ban block mark \
    resize detach";
const CREATES: &str = "\
    create add new insert make generate open upload register import init provision schedule append \
    attach clone copy save store build launch request";
const RUNS: &str = "run execute exec eval evaluate invoke call spawn shell bash terminal command";

/// Words that are never a noun of their own in a reading tool's name: `get_and_delete`, `read_or_create`.
const NOT_READING: &str = "\
    delete remove destroy drop purge wipe erase truncate terminate kill rm unlink uninstall revoke \
    create insert update write put modify overwrite replace send execute exec eval push merge deploy \
    install and or then";

/// Nouns for what holds data, or much of it.
const DATA: &str = "\
    database db table bucket volume disk drive snapshot backup account repository repo project namespace \
    cluster instance vault index collection stack environment record row data all everything history \
    secret certificate tenant organization workspace site server vm machine customer user dataset \
    archive store storage";

/// The verb that decides: a destructive one wherever it stands, else the first one.
pub(super) fn verb(words: &[String]) -> (Verb, Option<&str>) {
    let of = |word: &str| {
        let lists = [
            (READS, Verb::Reads),
            (DELETES, Verb::Deletes),
            (SENDS, Verb::Sends),
            (CHANGES, Verb::Changes),
            (CREATES, Verb::Creates),
            (RUNS, Verb::Runs),
        ];
        lists.into_iter().find(|(list, _)| among(list, word)).map(|(_, verb)| verb)
    };
    let strong = words.iter().find(|word| among(DELETES, word));
    let first = words.iter().find_map(|word| Some((of(word)?, word.as_str())));
    match (first, strong) {
        // `get_reset_token`: a word that is also a noun does not outweigh the first one, a plain verb does.
        (Some((Verb::Reads, word)), Some(other)) if !among(NOT_READING, other) => (Verb::Reads, Some(word)),
        (_, Some(word)) => (Verb::Deletes, Some(word)),
        (Some((verb, word)), None) => (verb, Some(word)),
        (None, None) => (Verb::Unknown, None),
    }
}

/// A word in a name that speaks against reading.
pub(super) fn not_reading(words: &[String]) -> Option<&str> {
    words.iter().map(String::as_str).find(|word| among(NOT_READING, word))
}

/// Whether a name speaks of what holds data.
pub(super) fn holds_data(words: &[String]) -> bool {
    words
        .iter()
        .any(|word| among(DATA, word) || word.strip_suffix('s').is_some_and(|single| among(DATA, single)))
}

/// A word of a description that speaks against reading. `does not modify` does not.
pub(super) fn said_to_change(description: &str) -> Option<String> {
    const TELLING: &str = "\
        write writes modify modifies execute executes send sends overwrite overwrites irreversible \
        irreversibly permanently destructive deletes removes destroys drops purges erases terminates revokes \
        charges deploys";
    let lower = description.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.iter().enumerate().find_map(|(at, word)| {
        let told = among(TELLING, word);
        let denied = words[at.saturating_sub(4)..at]
            .iter()
            .any(|before| matches!(*before, "not" | "never" | "without" | "no" | "cannot" | "t" | "non"));
        (told && !denied).then(|| (*word).to_owned())
    })
}

/// Whether a list of words separated by blanks holds this one.
pub(super) fn among(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|own| own == word)
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
