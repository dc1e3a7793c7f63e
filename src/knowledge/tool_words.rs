//! Words by which tools that nobody declared are judged (`tool_words.toml`).

use std::sync::OnceLock;

use serde::Deserialize;
use serde_json::Value as Json;

use super::ordinary::Ordinary;
use crate::wildcard::fits;

/// Words, written as one text with single spaces between them. Used where it stands: every process asks a list or two, and
/// few words of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Words(&'static str);

impl Words {
    /// Which list it is: the same for no other one, but for those without words.
    pub(super) fn place(self) -> usize {
        self.0.as_ptr() as usize
    }

    /// Whether this is one of them.
    pub fn has(&self, word: &str) -> bool {
        // Nearly all that are asked for stand nowhere in the text: that is told without cutting it up.
        self.0.contains(word) && self.iter().any(|own| own == word)
    }

    /// Whether one of them is this, or fits it: `*` stands for any text.
    pub fn fit(&self, name: &str) -> bool {
        self.iter().any(|own| fits(own, name))
    }

    /// Whether all of it as one text is this; `*` stands for any text.
    pub fn is(&self, text: &str) -> bool {
        fits(self.0, text)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &'static str> {
        self.0.split(' ').filter(|word| !word.is_empty())
    }
}

/// All lists.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub struct ToolWords {
    /// Words of names.
    pub verbs: Verbs,
    /// Words of descriptions.
    pub descriptions: Descriptions,
    /// Names of arguments.
    pub arguments: Arguments,
    /// What values begin with.
    pub values: Values,
    /// Words of command lines.
    pub commands: Commands,
    /// Objects that manifests declare.
    pub objects: Objects,
    /// Words by which a grant says whom it reaches and what it gives.
    pub grants: Grants,
    /// Grants that give little.
    pub ordinary: Ordinary,
}

/// Objects that manifests declare.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
#[allow(missing_docs)] // The data says what each list is.
pub struct Objects {
    pub hold_more: Words,
    pub own_groups: Words,
}

/// Words of names, by what they say.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
#[allow(missing_docs)] // The data says what each list is.
pub struct Verbs {
    pub reads: Words,
    pub deletes: Words,
    pub sends: Words,
    pub changes: Words,
    pub creates: Words,
    pub runs: Words,
    pub not_reading: Words,
    pub neutral: Words,
    pub data: Words,
}

/// Words of descriptions.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
#[allow(missing_docs)] // The data says what each list is.
pub struct Descriptions {
    pub telling: Words,
    pub denying: Words,
}

/// Names of arguments, by what they hold.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
#[allow(missing_docs)] // The data says what each list is.
pub struct Arguments {
    pub shell: Words,
    pub sql: Words,
    pub code: Words,
    pub switches: Words,
    pub writes: Words,
    pub paths: Words,
    pub prose: Words,
    pub content: Words,
    pub acts: Words,
    pub reading_acts: Words,
    pub unlisted_runs: Words,
    pub unlisted_deletes: Words,
    pub beside_commands: Words,
    pub called_tools: Words,
    pub called_servers: Words,
    pub beside_calls: Words,
    pub wrappers: Words,
    pub secret_words: Words,
    pub secret_ends: Words,
}

/// Words of command lines of programs that nothing is known of.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
#[allow(missing_docs)] // The data says what each list is.
pub struct Commands {
    pub mild: Words,
    pub forcing: Words,
    pub privileged: Words,
    pub risky: Words,
    pub denying: Words,
    pub looking: Words,
    pub outputs: Words,
    pub writing_always: Words,
    pub writing: Words,
    pub reading: Words,
    pub file_ends: Words,
    pub writing_calls: Words,
    pub in_place: Words,
    pub everywhere: Words,
}

/// Words by which a grant of access says whom it reaches and what it gives.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
#[allow(missing_docs)] // The data says what each list is.
pub struct Grants {
    pub everybody: Words,
    pub full: Words,
    pub whom: Words,
    pub what: Words,
    pub denies: Words,
    pub closed: Words,
    pub deciding: Words,
    pub names: Words,
    pub bounds: Words,
    pub denials: Words,
    pub denying: Words,
}

impl Grants {
    /// Whether a policy's statement lets in only those that come from a named account, network or resource, whomever it names.
    pub fn bounded(&self, statement: &serde_json::Map<String, Json>) -> bool {
        let Some(conditions) = statement.get("Condition").and_then(Json::as_object) else { return false };
        conditions.iter().any(|(operator, tests)| {
            let operator = operator.to_ascii_lowercase();
            let asks = !["not", "null", "ifexists", "forallvalues"].iter().any(|no| operator.contains(no));
            let tests = tests.as_object().into_iter().flatten();
            asks && tests
                .into_iter()
                .any(|(key, value)| self.bounds.has(&key.to_ascii_lowercase()) && self.is_narrow(value))
        })
    }

    /// A value that is not itself everybody.
    fn is_narrow(&self, value: &Json) -> bool {
        match value {
            Json::Array(all) => !all.is_empty() && all.iter().all(|one| self.is_narrow(one)),
            Json::String(text) => {
                let text = text.to_ascii_lowercase();
                !text.starts_with('*') && !text.is_empty() && !self.everybody.has(&text)
            }
            Json::Bool(yes) => *yes,
            _ => false,
        }
    }
}

/// What values begin with.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub struct Values {
    /// Statements of SQL.
    pub sql: Words,
    /// What follows the first word of SQL, and of no sentence.
    pub sql_next: Words,
    pub query_destroys: Words,
    /// First words in other query languages.
    pub queries: Words,
    /// Words by which such a query changes something.
    pub query_changes: Words,
}

/// The lists, read once. Empty, so that no name says that a tool only reads, if they could not be read; a test rules that
/// out.
pub fn tool_words() -> &'static ToolWords {
    static WORDS: OnceLock<ToolWords> = OnceLock::new();
    WORDS.get_or_init(|| read().unwrap_or_default())
}

/// `build.rs` made JSON of it, which is read several times faster.
fn read() -> Result<ToolWords, serde_json::Error> {
    serde_json::from_str(include_str!(concat!(env!("OUT_DIR"), "/tool_words.json")))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_lists_can_be_read() {
        let words = super::read().unwrap();
        assert!(words.verbs.reads.has("get") && !words.verbs.reads.has("delete"));
        assert!(words.verbs.not_reading.iter().all(|word| !words.verbs.reads.has(word)));
    }
}
