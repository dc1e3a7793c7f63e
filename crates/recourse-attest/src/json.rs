//! Strict JSON for what is signed: I-JSON in (RFC 7493), canonical bytes out (RFC 8785).
//!
//! Owns how bytes become values and values become the bytes that are signed or compared; signer and verifier use these
//! functions alone. Looks at nothing but its arguments.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use thiserror::Error;
use unicode_normalization::{UnicodeNormalization, is_nfc as text_is_nfc};

/// An attestation, or a report with one, is at most this many bytes.
pub const DOCUMENT_LIMIT: usize = 32 << 20;

/// How many times as large as the most bytes that are allowed a document may become in memory: many small values take far
/// more room there than on their way.
const ROOM: usize = 16;
/// What any document may take there besides: the least one that fits its limit is not refused.
const LEAST: usize = 1 << 16;
/// What a value takes there.
const VALUE: usize = 32;
/// What so many members of an object take at least: they stand together.
const MEMBERS: (usize, usize) = (6, 632);

/// Why bytes are not JSON that could have been signed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum JsonError {
    /// More bytes than allowed.
    #[error("the document has {length} bytes, {limit} are allowed")]
    TooLarge {
        /// Its size in bytes.
        length: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// Not UTF-8.
    #[error("the document is not UTF-8 (byte {0})")]
    NotUtf8(usize),
    /// Not JSON, or not I-JSON: syntax, numbers beyond a double, lone surrogates, duplicate names, depth, trailing data.
    #[error("the document is not strict JSON: {0}")]
    Syntax(String),
    /// Two names that are one after normalisation.
    #[error("two names in one object are equal after Unicode normalisation: {0:?}")]
    Collision(String),
}

/// Reads one JSON document. Every number becomes the nearest double, so that 2^53 + 1 is 2^53 and is written so.
///
/// # Errors
///
/// Too many bytes, invalid UTF-8, a syntax error, a name twice in one object, a lone surrogate, a number beyond the range
/// of a double, more than 127 levels, so many values that they take sixteen times `limit` and 64 KiB in memory, anything but white space
/// behind the value.
pub fn parse(bytes: &[u8], limit: usize) -> Result<Value, JsonError> {
    if bytes.len() > limit {
        return Err(JsonError::TooLarge { length: bytes.len(), limit });
    }
    let text = std::str::from_utf8(bytes).map_err(|error| JsonError::NotUtf8(error.valid_up_to()))?;
    let mut reader = serde_json::Deserializer::from_str(text);
    let room = Cell::new(limit.saturating_mul(ROOM).saturating_add(LEAST));
    let value =
        Strict(&room).deserialize(&mut reader).map_err(|error| JsonError::Syntax(error.to_string()))?;
    reader.end().map_err(|error| JsonError::Syntax(error.to_string()))?;
    Ok(value)
}

/// The canonical bytes of a value (RFC 8785): what is signed, hashed and compared.
///
/// # Errors
///
/// None for a value that [`parse`] gave; a value built otherwise could hold what has no canonical form.
pub fn canonical(value: &Value) -> Result<Vec<u8>, JsonError> {
    serde_json_canonicalizer::to_vec(value).map_err(|error| JsonError::Syntax(error.to_string()))
}

/// A value built in memory, as it would be read back from its canonical bytes: numbers as doubles, depth checked.
///
/// # Errors
///
/// As [`parse`].
pub fn reread(value: &Value, limit: usize) -> Result<Value, JsonError> {
    parse(&canonical(value)?, limit)
}

/// Whether every name and string is in Unicode normalisation form C.
pub fn is_nfc(value: &Value) -> bool {
    match value {
        Value::String(text) => text_is_nfc(text),
        Value::Array(items) => items.iter().all(is_nfc),
        Value::Object(members) => members.iter().all(|(name, value)| text_is_nfc(name) && is_nfc(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
    }
}

/// The value with every name and string in normalisation form C. For building only: what was received is never changed.
///
/// # Errors
///
/// Two names of one object become the same.
pub fn to_nfc(value: Value) -> Result<Value, JsonError> {
    Ok(match value {
        Value::String(text) => Value::String(text.nfc().collect()),
        Value::Array(items) => Value::Array(items.into_iter().map(to_nfc).collect::<Result<_, _>>()?),
        Value::Object(members) => {
            let mut normal = Map::new();
            for (name, value) in members {
                let name: String = name.nfc().collect();
                if normal.contains_key(&name) {
                    return Err(JsonError::Collision(name));
                }
                normal.insert(name, to_nfc(value)?);
            }
            Value::Object(normal)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
    })
}

/// Builds a [`Value`] that refuses a name twice, holds doubles alone, and takes no more room than is left.
#[derive(Clone, Copy)]
struct Strict<'r>(&'r Cell<usize>);

impl Strict<'_> {
    fn takes<E: serde::de::Error>(self, bytes: usize) -> Result<(), E> {
        let left = self.0.get().checked_sub(bytes);
        left.map(|left| self.0.set(left)).ok_or_else(|| E::custom("it has too many values"))
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.takes(VALUE)?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Value, E> {
        self.visit_f64(value as f64)
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Value, E> {
        self.visit_f64(value as f64)
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<Value, E> {
        self.takes(value.len() + VALUE / 2)?;
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E: serde::de::Error>(self, value: String) -> Result<Value, E> {
        self.takes(value.len() + VALUE / 2)?;
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = sequence.next_element_seed(self)? {
            items.push(item);
        }
        items.shrink_to_fit();
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some(name) = map.next_key::<String>()? {
            if members.contains_key(&name) {
                return Err(serde::de::Error::custom(format_args!(
                    "the name {name:?} stands twice in one object"
                )));
            }
            let together = if members.len().is_multiple_of(MEMBERS.0) { MEMBERS.1 } else { 0 };
            self.takes(together + name.len() + VALUE / 2)?;
            let value = map.next_value_seed(self)?;
            members.insert(name, value);
        }
        Ok(Value::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn canon(text: &str) -> String {
        String::from_utf8(canonical(&parse(text.as_bytes(), DOCUMENT_LIMIT).unwrap()).unwrap()).unwrap()
    }

    #[test]
    fn numbers_are_doubles() {
        for (text, expected) in [
            ("9007199254740993", "9007199254740992"),
            ("18446744073709551615", "18446744073709552000"),
            ("-9223372036854775807", "-9223372036854776000"),
            ("1e21", "1e+21"),
            ("1E-7", "1e-7"),
            ("-0", "0"),
            ("-0.0", "0"),
            ("4.50", "4.5"),
            ("5e-324", "5e-324"),
            ("1.7976931348623157e308", "1.7976931348623157e+308"),
            ("7.0385307e-26", "7.0385307e-26"),
        ] {
            assert_eq!(canon(text), expected, "{text}");
        }
    }

    #[test]
    fn what_could_be_read_in_two_ways_is_refused() {
        let deep = "[".repeat(100_000);
        for text in [
            "",
            "nul",
            r#"{"a":1,"a":1}"#,
            r#"{"a":{"b":1,"\u0062":2}}"#,
            r#""\ud800""#,
            r#""\udc00x""#,
            r#"{"\ud800":1}"#,
            "1e400",
            "NaN",
            "07",
            "+7",
            "[1,]",
            "{}x",
            "{} {}",
            "{} // c",
            "{'a':1}",
            "\"\u{1}\"",
            "\u{feff}{}",
            &deep,
        ] {
            assert!(
                matches!(parse(text.as_bytes(), DOCUMENT_LIMIT), Err(JsonError::Syntax(_))),
                "{text:.20}"
            );
        }
        assert_eq!(parse(b"\"\xff\"", DOCUMENT_LIMIT), Err(JsonError::NotUtf8(1)));
        assert_eq!(parse(b"[1, 2]", 5), Err(JsonError::TooLarge { length: 6, limit: 5 }));
    }

    #[test]
    fn many_small_values_are_refused_before_they_fill_the_memory() {
        const LIMIT: usize = 1 << 20;
        for one in [r#"{"a":0}"#, r#"{"":0}"#, r#"[{"a":{"b":[0]}}]"#] {
            let text = format!("[{}]", vec![one; LIMIT / (one.len() + 1) - 1].join(","));
            assert!(text.len() <= LIMIT, "{one}");
            let why = parse(text.as_bytes(), LIMIT).unwrap_err();
            assert!(why.to_string().contains("too many values"), "{one}: {why}");
        }
        // What reports hold is far from it: objects of several members, texts.
        let one = r#"{"action":"delete","tier":4,"target":{"id":"/srv/data/one","type":"path"},"why":"nobody has a copy of it, and what it held was changed since it was last committed"}"#;
        let text = format!("[{}]", vec![one; LIMIT / (one.len() + 1)].join(","));
        assert!(parse(text.as_bytes(), LIMIT).is_ok());
    }

    #[test]
    fn normalisation_is_composition_and_nothing_more() {
        let value = |text: &str| Value::String(text.to_owned());
        assert!(is_nfc(&value("caf\u{e9} \u{fb01} \u{2460}")));
        assert!(!is_nfc(&value("cafe\u{301}")));
        assert!(!is_nfc(&value("\u{212b}")));
        assert!(!is_nfc(&serde_json::json!({"a": [{"cafe\u{301}": 1}]})));
        assert_eq!(to_nfc(value("cafe\u{301}")), Ok(value("caf\u{e9}")));
        let both = serde_json::json!({"caf\u{e9}": 1, "cafe\u{301}": 2});
        assert_eq!(to_nfc(both), Err(JsonError::Collision("caf\u{e9}".to_owned())));
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            any::<f64>().prop_filter_map("finite", |f| Number::from_f64(f).map(Value::Number)),
            any::<i64>().prop_map(|i| Value::Number(i.into())),
            any::<String>().prop_map(Value::String),
        ];
        leaf.prop_recursive(5, 64, 8, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..8).prop_map(Value::Array),
                prop::collection::vec((any::<String>(), inner), 0..8)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn canonical_form_is_a_fixed_point(value in values()) {
            let once = canonical(&value).unwrap();
            let read = parse(&once, usize::MAX).unwrap();
            prop_assert_eq!(&canonical(&read).unwrap(), &once);
            let indented = serde_json::to_vec_pretty(&value).unwrap();
            prop_assert_eq!(canonical(&parse(&indented, usize::MAX).unwrap()).unwrap(), once);
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse(&bytes, usize::MAX);
        }
    }
}
