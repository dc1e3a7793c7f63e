//! TOML written as JSON, with the places in the file that its parts come from.
//!
//! What is built in is read from JSON. Users' files are read by the same readers, and the program holds one for each type and
//! no second one.

use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What is wrong, and the byte of the file at which it is told.
pub(super) type Wrong = (String, usize);

/// What has no form in JSON: dates, infinite numbers and too large ones.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Others {
    Text,
    Refused,
}

/// A byte of the JSON, and the one of the file that it comes from.
#[derive(Clone, Copy, Default)]
struct Place {
    here: usize,
    there: usize,
    /// It is behind the end of a list or table.
    is_end: bool,
}

/// JSON in the making, on one line.
struct Written {
    json: String,
    /// Where what comes from, in order.
    places: Vec<Place>,
    others: Others,
}

/// Reads a value strictly.
pub(super) fn read<T: DeserializeOwned>(value: &Spanned<DeValue<'_>>) -> Result<T, Wrong> {
    let mut written = Written { json: String::new(), places: Vec::new(), others: Others::Refused };
    written.value(value)?;
    serde_json::from_str(&written.json).map_err(|error| {
        let (said, mut place) = written.wrong(&error);
        // A complaint about the last value in it is told behind a table as well, unless that has no end.
        while place.is_end {
            written.json.replace_range(place.here - 1..place.here, "!");
            let again = serde_json::from_str::<T>(&written.json).err().map(|error| written.wrong(&error));
            match again {
                Some((same, nearer)) if same == said && nearer.here < place.here => place = nearer,
                _ => break,
            }
        }
        (said, place.there)
    })
}

/// A file of some other program.
pub fn from_toml(text: &str) -> Option<Json> {
    let table = DeTable::parse(text).ok()?;
    let mut written = Written { json: String::new(), places: Vec::new(), others: Others::Text };
    written.table(table.get_ref(), 0).ok()?;
    serde_json::from_str(&written.json).ok()
}

impl Written {
    fn value(&mut self, value: &Spanned<DeValue<'_>>) -> Result<(), Wrong> {
        let place = value.span().start;
        let lenient = self.others == Others::Text;
        let no = |what: &str| Err((format!("{what} has no place here"), place));
        self.place(place);
        match value.get_ref() {
            DeValue::String(text) => self.text(text),
            DeValue::Boolean(truth) => self.json.push_str(if *truth { "true" } else { "false" }),
            DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
                Ok(number) => self.json.push_str(&number.to_string()),
                Err(_) if lenient => self.text(number.as_str()),
                Err(_) => return no(&format!("`{number}`, a number that is too large,")),
            },
            DeValue::Float(number) => {
                match number.as_str().parse().ok().and_then(serde_json::Number::from_f64) {
                    Some(number) => self.json.push_str(&number.to_string()),
                    None if lenient => self.text(number.as_str()),
                    None => return no(&format!("`{number}`")),
                }
            }
            DeValue::Datetime(date) if lenient => self.text(&date.to_string()),
            DeValue::Datetime(date) => return no(&format!("`{date}`, a date,")),
            DeValue::Array(list) => {
                self.json.push('[');
                for (number, one) in list.iter().enumerate() {
                    if number > 0 {
                        self.json.push(',');
                    }
                    self.value(one)?;
                }
                self.json.push(']');
                self.end(place);
            }
            DeValue::Table(table) => self.table(table, place)?,
        }
        Ok(())
    }

    fn table(&mut self, table: &DeTable<'_>, place: usize) -> Result<(), Wrong> {
        self.json.push('{');
        for (number, (key, value)) in table.iter().enumerate() {
            if number > 0 {
                self.json.push(',');
            }
            self.place(key.span().start);
            self.text(key.get_ref());
            self.json.push(':');
            self.value(value)?;
        }
        self.json.push('}');
        self.end(place);
        Ok(())
    }

    fn place(&mut self, there: usize) {
        self.places.push(Place { here: self.json.len(), there, is_end: false });
    }

    /// What is wrong with all of a list or table is told behind it.
    fn end(&mut self, there: usize) {
        self.places.push(Place { here: self.json.len(), there, is_end: true });
    }

    fn text(&mut self, text: &str) {
        self.json.push_str(&Json::from(text).to_string());
    }

    /// The reader's complaint, and what it is about.
    fn wrong(&self, error: &serde_json::Error) -> (String, Place) {
        let said = error.to_string();
        let said = said.rsplit_once(" at line ").map_or(said.as_str(), |(said, _)| said);
        // The reader stands behind what it complains of.
        let before = self.places.partition_point(|place| place.here <= error.column());
        let place = before.checked_sub(1).and_then(|last| self.places.get(last));
        (said.to_owned(), place.copied().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Thing {
        #[serde(default)]
        name: String,
        #[serde(default)]
        list: Vec<u8>,
        #[serde(default)]
        below: BTreeMap<String, Needs>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Needs {
        it: f64,
        #[serde(default, deserialize_with = "even")]
        late: u8,
    }

    /// Complains by itself, when the number was read.
    fn even<'de, D: serde::Deserializer<'de>>(from: D) -> Result<u8, D::Error> {
        let number = u8::deserialize(from)?;
        if number % 2 == 0 { Ok(number) } else { Err(serde::de::Error::custom("odd")) }
    }

    fn thing(text: &str) -> Result<Thing, (String, usize)> {
        let table = DeTable::parse(text).unwrap();
        let span = table.span();
        read(&Spanned::new(span, DeValue::Table(table.into_inner())))
            .map_err(|(said, byte)| (said, text[..byte].matches('\n').count() + 1))
    }

    #[test]
    fn what_is_there_is_read() {
        let text = "name = \"a \\\"b\\\" \\n\\u0001é\"\nlist = [1, 0x1f,]\n[below.\"x.y\"]\nit = 1.5\n";
        let read = thing(text).unwrap();
        assert_eq!((read.name.as_str(), &read.list[..]), ("a \"b\" \n\u{1}é", &[1, 31][..]));
        assert_eq!((read.below["x.y"].it, read.below["x.y"].late), (1.5, 0));
    }

    #[test]
    fn what_is_wrong_is_told_where_it_is() {
        for (text, line, said) in [
            ("name = \"x\"\nnam = 1\n", 2, "unknown field `nam`, expected one of `name`, `list`, `below`"),
            ("list = [\n1,\n\"x\",\n2]\n", 3, "invalid type: string \"x\", expected u8"),
            ("list = [\n1,\n300,\n2]\n", 3, "invalid value: integer `300`, expected u8"),
            ("name = \"x\"\nlist = { a = 1 }\n", 2, "invalid type: map, expected a sequence"),
            ("name = [\"x\"]\n", 1, "invalid type: sequence, expected a string"),
            ("\n[below.a]\nit = 1.0\n[below.b]\n", 4, "missing field `it`"),
            (
                "[below.a]\nit = 1.0\n\n[below.b]\nit = true\n[below.c]\nit = 2.0\n",
                5,
                "invalid type: boolean `true`, expected f64",
            ),
            ("[below.a]\nit = 1.0\nlate = 3\n[below.b]\nit = 1.0\n", 3, "odd"),
            ("[below.a]\nit = 1.0\n\nlate = 3\n", 4, "odd"),
            ("[below]\na = 1\n", 2, "invalid type: integer `1`, expected struct Needs"),
            ("name = 2024-01-01\n", 1, "`2024-01-01`, a date, has no place here"),
            (
                "list = [\n99999999999999999999]\n",
                2,
                "`99999999999999999999`, a number that is too large, has no place here",
            ),
            ("[below]\na.it = inf\n", 2, "`inf` has no place here"),
        ] {
            assert_eq!(thing(text).unwrap_err(), (said.to_owned(), line), "{text}");
        }
    }

    #[test]
    fn a_file_of_another_program() {
        let read = from_toml("when = 1979-05-27T07:32:00Z\n[tasks]\nrun = [\"a\", {b = 1}]\n").unwrap();
        assert_eq!(
            read,
            serde_json::json!({"when": "1979-05-27T07:32:00Z", "tasks": {"run": ["a", {"b": 1}]}})
        );
        assert_eq!(from_toml("= 1"), None);
    }
}
