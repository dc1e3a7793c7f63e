//! Small lists of `terraform_signs.toml`: which way an alarm's threshold is crossed, what holds entries of others, what counts in
//! documents, and what decides where no sign knows it.

use serde::Deserialize;

use super::terraform_names::last_part;
use super::tool_words::Words;

/// Which way alarms are crossed.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub struct Crossing {
    /// Attributes that say it.
    pub operators: Words,
    /// Attributes that are crossed.
    pub thresholds: Words,
    /// Texts that end with what is crossed, and which way.
    pub queries: Words,
    /// Patterns of words for a value that gets too great.
    pub above: Words,
    /// Patterns of words for a value that gets too small.
    pub below: Words,
}

/// What holds entries that others let in or keep out.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub struct Sets {
    /// Patterns of names of types.
    pub are: Words,
    /// Attributes that say which of both.
    pub says: Words,
}

/// What counts in documents that say who may do what.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub struct Policies {
    /// Types whose documents only limit what others grant.
    pub limits: Words,
    /// Acts by which one gets at more rights, whatever they are allowed on.
    pub always: Words,
    /// Those by which one gives oneself all rights, where they are allowed on everything.
    pub escalates: Words,
    /// The same, and acts that read secrets or take away, on all things of a sort.
    pub strong: Words,
    /// Beginnings of acts that only look.
    pub looks: Words,
    /// Beginnings of keys of conditions that say which things are meant.
    pub bounding: Words,
    /// Accounts of the provider itself.
    pub known_accounts: Words,
    /// Issuers of tokens that everybody can have.
    pub issuers: Words,
}

/// What gives full control.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub struct Powers {
    /// Switches.
    pub switches: Words,
    /// Parts of names of attributes that name roles and privileges.
    pub keys: Words,
    /// Roles and privileges.
    pub words: Words,
    /// Attributes and what they say where that is full control, `name=word`.
    pub exactly: Words,
    /// Parts of texts that hold rules of their own that give it: in small letters, without blanks, `'` for any quote.
    pub rules: Words,
}

/// What says what is looked for, and finds less when something goes out of it.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub struct Patterns {
    /// Attributes whose text is a document that names what fits.
    pub documents: Words,
    /// Attributes whose text is one rule a line.
    pub lines: Words,
    /// Lists of which the first entry that fits counts, `type:attribute`.
    pub orders: Words,
}

/// What decides, where no sign knows which way is the weaker one.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub struct Deciding {
    /// Attributes of guards on which nothing depends.
    plain: Words,
    /// Attributes of any type that decide by what they say, whatever that is.
    texts: Words,
    /// Attributes of any type that decide by a word.
    words: Words,
    /// Those that are called so and decide nothing of that sort.
    others: Words,
    /// Words that decide nothing of that sort, wherever they stand.
    ways: Words,
}

impl Deciding {
    /// Whether what a guard does may depend on it.
    pub fn in_guards(&self, path: &str) -> bool {
        !path.split('.').any(|part| self.plain.fit(part))
    }

    /// Whether a word only says in what order something is done.
    pub fn is_way(&self, word: &str) -> bool {
        self.ways.fit(word)
    }

    /// Whether any text there decides, whatever the type.
    pub fn by_text(&self, path: &str) -> bool {
        self.texts.fit(last_part(path))
    }

    /// Whether a word there decides, whatever the type.
    pub fn by_word(&self, path: &str) -> bool {
        let last = last_part(path);
        self.words.fit(last) && !self.others.fit(last)
    }
}
