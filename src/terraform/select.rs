//! Attributes out of an object's text, without building the rest of it.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Error, Map, Value};

/// An object with only the wanted ones of its keys; anything else as it is.
///
/// # Errors
/// When a wanted part cannot be read: too deep, or text that is no text.
pub(super) fn select(raw: &RawValue, wanted: &[&str]) -> Result<Value, Error> {
    let text = raw.get();
    if !text.starts_with('{') {
        return serde_json::from_str(text);
    }
    Wanted(wanted).deserialize(&mut serde_json::Deserializer::from_str(text))
}

/// The top-level key that a path (`!a[0].b|default`, `a = value`) starts with.
pub(super) fn first_key(path: &str) -> &str {
    let path = path.strip_prefix('!').unwrap_or(path);
    path.split(['.', '[', '|', ' ', '=']).next().unwrap_or(path)
}

struct Wanted<'w>(&'w [&'w str]);

impl<'de> DeserializeSeed<'de> for Wanted<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Wanted<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut found = Map::new();
        while let Some(key) = map.next_key_seed(Key(self.0))? {
            match key {
                Some(key) => {
                    found.insert(key.to_owned(), map.next_value()?);
                }
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(Value::Object(found))
    }
}

/// A key, if it is wanted; nothing is allocated for the others.
struct Key<'w>(&'w [&'w str]);

impl<'de, 'w> DeserializeSeed<'de> for Key<'w> {
    type Value = Option<&'w str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'w> Visitor<'_> for Key<'w> {
    type Value = Option<&'w str>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a key")
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(self.0.iter().copied().find(|wanted| *wanted == text))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use serde_json::value::RawValue;

    use super::{first_key, select};

    fn raw(text: &str) -> Box<RawValue> {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn only_what_is_wanted_is_built() {
        let text = raw(r#" { "a" : {"x": [1]}, "\u0062": 2, "c": 3, "c": 4 } "#);
        assert_eq!(select(&text, &["a", "b", "z"]).unwrap(), json!({"a": {"x": [1]}, "b": 2}));
        assert_eq!(select(&text, &["c"]).unwrap(), json!({"c": 4}), "the last one holds, as ever");
        assert_eq!(select(&raw("true"), &[]).unwrap(), json!(true));
        assert_eq!(select(&raw("null"), &["a"]).unwrap(), json!(null));
    }

    #[test]
    fn what_cannot_be_read_is_an_error_where_it_is_wanted() {
        let deep = format!("{{\"a\": {}{}, \"b\": 1}}", "[".repeat(200), "]".repeat(200));
        assert!(select(&raw(&deep), &["a"]).is_err());
        assert_eq!(select(&raw(&deep), &["b"]).unwrap(), json!({"b": 1}));
    }

    #[test]
    fn a_path_starts_with_a_key() {
        for path in ["settings[0].x", "!settings", "settings|true", "settings.x"] {
            assert_eq!(first_key(path), "settings");
        }
    }
}
