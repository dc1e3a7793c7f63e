//! What speaks against running a program, or a form of one, that nothing is known of: the words of its command line.
//! Whole words of its name, its subcommands and its options, from the lists of `tool_words.toml`; never of file names.

use super::queries::destroys_by_query;
use super::tool_words::{ToolWords, tool_words};
use super::words::is_false;
use crate::model::{Value, is_storage, words as split};

/// Of whom the words are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// A program that nothing is known of.
    Program {
        /// It runs with more rights than its caller.
        privileged: bool,
    },
    /// A form of a known program that its declaration does not have: milder words count too.
    Form,
    /// A form that is declared as one that only reads, whatever its words: they may say otherwise.
    Reader,
}

/// Of a text so many characters are shown.
const SHOWN: usize = 60;
/// So many words may be names of subcommands.
const SUBCOMMANDS: usize = 5;

/// What speaks against it, for a person: a word in back quotes or a device. `None` when nothing does.
pub fn against(name: &str, words: &[Value], manner: Manner) -> Option<String> {
    let lists = tool_words();
    let texts: Vec<String> = words.iter().flat_map(readings).collect();
    if let Some(device) = texts.iter().map(|text| value_of(text)).find(|text| is_storage(text)) {
        return Some(format!("the device {device}"));
    }
    // What only reads may look for such a text.
    let queries = texts.iter().map(|text| value_of(text)).filter(|_| manner != Manner::Reader);
    if let Some(text) = queries.into_iter().find(|text| destroys_by_query(text)) {
        return Some(format!("`{}`", text.chars().take(SHOWN).collect::<String>()));
    }
    if asks_for_help(&texts) {
        return None;
    }
    let quoted = |text: &str| format!("`{text}`");
    if let Some(option) = texts.iter().find(|text| destroys_by_option(lists, text, manner)) {
        return Some(quoted(option.split('=').next().unwrap_or(option)));
    }
    // The name of a known program says nothing: it stands for all that it can do.
    let is_program = matches!(manner, Manner::Program { .. });
    let named = is_program.then(|| name.rsplit('/').next().unwrap_or(name));
    if let Some(name) =
        named.filter(|name| is_word(name) && split(name).iter().any(|piece| by_name(lists, piece, &texts)))
    {
        return Some(quoted(name));
    }
    let plain = texts.iter().filter(|text| !text.starts_with('-'));
    let verbs: Vec<(&str, Vec<String>)> = plain
        .take(SUBCOMMANDS)
        .filter(|text| is_word(text))
        .map(|text| (text.as_str(), split(text)))
        .collect();
    if verbs.first().is_some_and(|(word, _)| lists.commands.looking.has(word)) {
        return None;
    }
    let forced = texts.iter().any(|text| forces(text));
    let data = verbs.iter().flat_map(|(_, pieces)| pieces).any(|piece| is_data(lists, piece));
    let word = verbs.iter().find(|(_, pieces)| {
        let denied = pieces.first().is_some_and(|first| lists.commands.denying.has(first));
        let asks = pieces.len() > 1 && pieces.first().is_some_and(|first| lists.verbs.reads.has(first));
        !denied
            && !asks
            && pieces.iter().any(|piece| {
                destroys(lists, piece)
                    || (takes_away(lists, piece) && (!is_program || forced || data))
                    || (manner == Manner::Form && lists.commands.risky.has(piece))
                    || (manner == Manner::Program { privileged: true }
                        && lists.commands.privileged.has(piece))
            })
    });
    word.map(|(word, _)| quoted(word))
}

/// The last word asks for help or a version, and nothing before it could make it a value or an operand.
fn asks_for_help(texts: &[String]) -> bool {
    let Some((last, before)) = texts.split_last() else { return false };
    matches!(last.as_str(), "-h" | "-help" | "--help" | "--version")
        && !before.iter().any(|text| text.is_empty() || text.starts_with('-'))
}

/// The texts that a word may be; of one that is not wholly known, its beginning.
fn readings(word: &Value) -> Vec<String> {
    word.choices().map_or_else(|| vec![word.prefix()], <[String]>::to_vec)
}

/// `of=/dev/sda`, `--disk=/dev/sda`: the value counts.
fn value_of(text: &str) -> &str {
    match text.split_once('=') {
        // What is read.
        Some(("if", _)) => "",
        Some((_, value)) => value,
        None => text,
    }
}

/// A word that may be a verb: no file, no address, no sentence.
fn is_word(text: &str) -> bool {
    text.len() <= 40
        && text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':'))
}

/// `delete`, and `dropdb` or `deleteall` written as one.
fn destroys(lists: &ToolWords, piece: &str) -> bool {
    let strong = |word: &str| lists.verbs.deletes.has(word) && !lists.commands.mild.has(word);
    strong(piece)
        || lists
            .verbs
            .deletes
            .iter()
            .filter(|word| strong(word))
            .filter_map(|word| piece.strip_prefix(word))
            .any(|rest| is_data(lists, rest))
        || ["delete", "destroy", "erase"]
            .iter()
            .filter_map(|verb| piece.strip_suffix(verb))
            .any(|rest| rest.len() > 1 && rest != "un")
}

/// What a name says: `ldapdelete`, and `mega-rm -rf`.
fn by_name(lists: &ToolWords, piece: &str, texts: &[String]) -> bool {
    destroys(lists, piece) || takes_away(lists, piece) && texts.iter().any(|text| forces(text))
}

/// A word that destroys only together with another: `remove --all`, `volume rm`.
fn takes_away(lists: &ToolWords, piece: &str) -> bool {
    lists.verbs.deletes.has(piece) || lists.commands.mild.has(piece)
}

/// Whether it is a word for taking away that is also a noun, or takes away what is cheap to have again.
pub fn is_mild(word: &str) -> bool {
    tool_words().commands.mild.has(word)
}

fn is_data(lists: &ToolWords, piece: &str) -> bool {
    let data = &lists.verbs.data;
    data.has(piece) || piece.strip_suffix('s').is_some_and(|one| data.has(one))
}

/// `--delete-excluded`, `-delete`, `--remove-all`, `--yes-i-really-mean-it`; not `--no-delete` or `--delete=false`.
fn destroys_by_option(lists: &ToolWords, text: &str, manner: Manner) -> bool {
    let Some(name) = text.strip_prefix('-').filter(|name| name.len() > 2) else { return false };
    let (name, value) = name.split_once('=').map_or((name, None), |(name, value)| (name, Some(value)));
    let pieces = split(name);
    let Some(first) = pieces.first() else { return false };
    if value.is_some_and(is_false) {
        return false;
    }
    destroys(lists, first)
        || (takes_away(lists, first)
            && (manner == Manner::Form || pieces.iter().skip(1).any(|piece| is_data(lists, piece))))
        || (first == "yes" && pieces.get(1).is_some_and(|piece| piece == "i"))
}

/// An option that makes a mild verb a destructive one.
pub fn forces(text: &str) -> bool {
    let lists = tool_words();
    let Some(name) = text.strip_prefix("--") else {
        // `-f`, `-rf`, `-Rf`
        return text
            .strip_prefix('-')
            .is_some_and(|letters| !letters.is_empty() && letters.chars().all(|c| "rRf".contains(c)));
    };
    let (name, value) = name.split_once('=').map_or((name, None), |(name, value)| (name, Some(value)));
    !value.is_some_and(is_false) && split(name).first().is_some_and(|first| lists.commands.forcing.has(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(line: &str, manner: Manner) -> bool {
        let mut words = line.split(' ');
        let name = words.next().unwrap_or_default();
        let words: Vec<Value> = words.map(Value::known).collect();
        against(name, &words, manner).is_some()
    }

    const PLAIN: Manner = Manner::Program { privileged: false };

    #[test]
    fn words_that_destroy_speak_against_it() {
        for line in [
            "frobctl destroy production",
            "mytool drop-database prod",
            "mytool dropDatabase prod",
            "mytool deleteall",
            "scrub thesis.md",
            "lxc-destroy web",
            "pg_dropcluster 15 main",
            "bfs . -delete",
            "frob --delete-excluded a b",
            "frob sync a --delete=true",
            "frob -x --remove-all",
            "frob rm --all",
            "frob rm -rf x",
            "frob volume rm x",
            "frob pool x --yes-i-really-really-mean-it",
            "bcachefs format /dev/vda",
            "frob of=/dev/sda1",
            "frob firestore:delete users",
            "frob destroy x -h y",
            "frob destroy -- --help",
            "frob destroy -u --help",
            "frob destroy help",
            "frob osd pool delete x",
            "ldapdelete -x cn=a",
            "frob-rm -rf /x",
        ] {
            assert!(found(line, PLAIN), "{line}");
        }
        assert!(found("frob format x", Manner::Program { privileged: true }));
        assert!(found("app env rm x", Manner::Form));
        let query = |text: &str| against("frob", &[Value::known("-c"), Value::known(text)], PLAIN).is_some();
        assert!(query("drop database app") && query("flushall") && !query("select 1"));
    }

    #[test]
    fn other_words_do_not() {
        for line in [
            "frob deploy",
            "frob remove x",
            "frob uninstall package",
            "frob format src",
            "frob cache clear",
            "cargo-foo remove-unused-report.txt",
            "frob delete.txt",
            "frob src/delete",
            "frob undelete x",
            "frob list-deleted",
            "frob help delete",
            "frob search drop",
            "frob --no-delete a b",
            "frob --delete=false a b",
            "frob --show-deleted",
            "frob a b c d e delete",
            "frob >/dev/null",
            "frob /dev/null",
            "frob /dev/ttyUSB0",
            "frob /dev/video0",
            "dropbox start",
            "frob --force build",
            "frob destroy -h",
            "frob delete x --help",
            "frob-destroy --version",
        ] {
            assert!(!found(line, PLAIN), "{line}");
        }
        assert!(!found("app deploy", Manner::Form) && found("app exec x", Manner::Form));
        assert!(!found("app exec x", Manner::Reader) && found("app member remove x", Manner::Reader));
    }
}
