//! Effects in one line, and things that have a kind of their own.
//!
//! Owns the notation `delete tree {path} if -r unless -n | --dry with mode=soft`: what is done, to what, the conditions
//! (divided by `, `, all of a list) and the facts. Whatever does not fit into it is written as a table.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::{SeqAccessDeserializer, StrDeserializer};
use serde::de::{Deserializer, SeqAccess, Visitor};

use super::micro::{Condition, On};
use super::schema::EffectSpec;
use crate::model::Action;

/// One text, or a list of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OneOrMore<T>(pub(super) Vec<T>);

impl<T> Default for OneOrMore<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneOrMore<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Either<T> {
            type Value = OneOrMore<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or a list of strings")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
                T::deserialize(StrDeserializer::new(text)).map(|one| OneOrMore(vec![one]))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(list)).map(OneOrMore)
            }
        }
        deserializer.deserialize_any(Either(PhantomData))
    }
}

/// What stands behind the action: `KIND TARGET if … unless … with …`.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct About {
    pub(super) on: On,
    pub(super) holds: Vec<Condition>,
    pub(super) unless: Vec<Condition>,
    pub(super) with: Vec<String>,
}

/// Words that begin a part.
const PARTS: [&str; 3] = [" if ", " unless ", " with "];

impl TryFrom<String> for About {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let mut cuts = [text.len(); PARTS.len()];
        let mut from = 0;
        for (number, part) in PARTS.iter().enumerate() {
            if let Some(at) = text[from..].find(part) {
                cuts[number] = from + at;
                from += at + 1;
            }
        }
        let stray = |(number, part): &(usize, &&str)| {
            text.matches(**part).count() > usize::from(cuts[*number] < text.len())
        };
        if let Some((_, part)) = PARTS.iter().enumerate().find(stray) {
            return Err(format!("`{text}`:{part}stands in the wrong place; write a table"));
        }
        let first = cuts.iter().copied().min().unwrap_or(text.len());
        let behind = |number: usize| {
            let start = cuts[number];
            let end = cuts[number + 1..].iter().copied().min().unwrap_or(text.len());
            let start = (start + PARTS[number].len()).min(text.len());
            text[start..end.max(start)].split(", ").map(str::trim).filter(|one| !one.is_empty())
        };
        let conditions = |number: usize| {
            behind(number).map(|one| Condition::try_from(one.to_owned())).collect::<Result<Vec<_>, _>>()
        };
        Ok(Self {
            on: On::try_from(text[..first].trim().to_owned())?,
            holds: conditions(0)?,
            unless: conditions(1)?,
            with: behind(2).map(str::to_owned).collect(),
        })
    }
}

impl About {
    /// The effect of doing this to it.
    pub(super) fn done(self, action: Action) -> EffectSpec {
        EffectSpec { action, on: self.on, r#if: self.holds, unless: self.unless, with: self.with }
    }
}

/// One string of `does`.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Brief(pub(super) EffectSpec);

impl TryFrom<String> for Brief {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let Some((action, about)) = text.split_once(' ') else {
            return Err(format!("`{text}`: an effect is written `delete KIND NAME`"));
        };
        let action = Action::deserialize(StrDeserializer::<serde::de::value::Error>::new(action))
            .map_err(|error| format!("`{text}`: {error}"))?;
        About::try_from(about.to_owned()).map(|about| Self(about.done(action)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> EffectSpec {
        Brief::try_from(text.to_owned()).unwrap().0
    }

    fn keys(list: &[Condition]) -> Vec<String> {
        list.iter().map(|c| c.any.iter().map(|a| a.key.as_str()).collect::<Vec<_>>().join("|")).collect()
    }

    #[test]
    fn an_effect_in_one_line() {
        let plain = read("delete aws.s3.bucket {bucket}");
        assert_eq!((plain.action, plain.on.kind.as_str()), (Action::Delete, "aws.s3.bucket"));
        assert!(plain.r#if.is_empty() && plain.unless.is_empty() && plain.with.is_empty());
        let all = read("update tree {dest|./x} if -r | -R, dest=a b* unless -n with mode=soft, no-clobber");
        assert_eq!(all.on.target.names().collect::<Vec<_>>(), ["dest"]);
        assert_eq!(keys(&all.r#if), ["-r|-R", "dest"]);
        assert_eq!(keys(&all.unless), ["-n"]);
        assert_eq!(all.with, ["mode=soft", "no-clobber"]);
        let only = read("delete cloud.resource what {-g} holds with typed");
        assert_eq!((only.r#if.len(), only.with.len(), only.on.target.pieces.len()), (0, 1, 3));
        assert_eq!(read("create secret").on.target.pieces.len(), 0);
    }

    #[test]
    fn what_is_no_effect_is_said() {
        for (text, said) in [
            ("delete", "an effect is written"),
            ("remove tree x", "unknown variant `remove`"),
            ("delete tree x if -a if -b", "in the wrong place"),
            ("delete tree x unless -a if -b", "in the wrong place"),
            ("delete Tree x", "is not a kind"),
        ] {
            let error = Brief::try_from(text.to_owned()).unwrap_err();
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}
