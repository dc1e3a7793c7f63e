//! find's tests as the command line writes them: `-name a*`, `-mtime +3`, `-size 1k`.

use super::expression::{Fault, Node, Parser};
use super::test::{Compare, Field, Test, Unit};

impl Parser<'_> {
    /// A test by its name; the words behind it are its values.
    pub(super) fn test(&mut self, name: &str) -> Result<Node, Fault> {
        let test = match name {
            "-name" | "-iname" => Test::Name { pattern: self.value()?, ignore_case: name == "-iname" },
            "-path" | "-ipath" | "-wholename" | "-iwholename" => {
                Test::Path { pattern: self.value()?, ignore_case: name.starts_with("-i") }
            }
            "-lname" | "-ilname" => Test::Link { pattern: self.value()?, ignore_case: name == "-ilname" },
            "-regex" | "-iregex" => {
                let value = self.value()?;
                match value.as_known().and_then(|t| super::regex::to_pattern(t, self.extended)) {
                    Some(pattern) if self.known_regex => {
                        Test::Regex { pattern, ignore_case: name == "-iregex" }
                    }
                    _ => Test::Unknown,
                }
            }
            "-type" | "-xtype" => {
                let value = self.value()?;
                match value.as_known() {
                    Some(letters) => Test::Type { letters: letters.to_owned(), followed: name == "-xtype" },
                    None => Test::Unknown,
                }
            }
            "-empty" => Test::Empty,
            "-size" => {
                let value = self.value()?;
                match value.as_known() {
                    Some(text) => size(text).ok_or(Fault::Refused)?,
                    None => Test::Unknown,
                }
            }
            "-links" => self.number(Test::Links)?,
            "-inum" => self.number(Test::Inode)?,
            "-uid" => self.number(|n| Test::Owner { group: false, id: n })?,
            "-gid" => self.number(|n| Test::Owner { group: true, id: n })?,
            "-user" | "-group" => Test::OwnerName { group: name == "-group", name: self.value()? },
            "-mtime" | "-atime" | "-ctime" => self.age(field(name), Unit::Days)?,
            "-mmin" | "-amin" | "-cmin" => self.age(field(name), Unit::Minutes)?,
            "-newer" | "-anewer" | "-cnewer" => {
                Test::Newer { field: field(name), than: Field::Modified, file: self.value()? }
            }
            "-samefile" => Test::SameFile(self.value()?),
            "-perm" => Test::Permission(self.value()?),
            "-writable" => Test::Writable,
            "-nouser" | "-nogroup" | "-readable" | "-executable" => Test::Unknown,
            "-used" | "-fstype" | "-context" => {
                self.value()?;
                Test::Unknown
            }
            _ if name.len() == 8 && name.starts_with("-newer") => self.newer(name)?,
            _ => return Err(Fault::Gap(format!("find: unknown predicate {name}"))),
        };
        Ok(Node::Test(test))
    }

    fn newer(&mut self, name: &str) -> Result<Test, Fault> {
        let letters = name.as_bytes();
        let value = self.value()?;
        let Some(field) = field_letter(letters[6]) else { return Ok(Test::Unknown) };
        if letters[7] == b't' {
            return Ok(Test::NewerThanTime { field, time: value });
        }
        match field_letter(letters[7]) {
            Some(than) => Ok(Test::Newer { field, than, file: value }),
            None => Ok(Test::Unknown),
        }
    }

    fn age(&mut self, field: Field, unit: Unit) -> Result<Test, Fault> {
        let value = self.value()?;
        let Some(text) = value.as_known() else { return Ok(Test::Unknown) };
        let (compare, number) = signed(text);
        let Ok(number) = number.parse::<f64>() else { return Err(Fault::Refused) };
        // The start of the day depends on a time zone that is not known here.
        Ok(if self.daystart { Test::Unknown } else { Test::Age { field, unit, compare, number } })
    }

    fn number(&mut self, make: impl Fn((Compare, u64)) -> Test) -> Result<Test, Fault> {
        let value = self.value()?;
        let Some(text) = value.as_known() else { return Ok(Test::Unknown) };
        let (compare, number) = signed(text);
        number.parse().map(|n| make((compare, n))).map_err(|_| Fault::Refused)
    }
}

fn signed(text: &str) -> (Compare, &str) {
    match text.as_bytes().first() {
        Some(b'+') => (Compare::More, &text[1..]),
        Some(b'-') => (Compare::Less, &text[1..]),
        _ => (Compare::Equal, text),
    }
}

fn size(text: &str) -> Option<Test> {
    let (compare, number) = signed(text);
    let (digits, unit) = match number.char_indices().last()? {
        (_, '0'..='9') => (number, 512),
        (end, letter) => {
            let unit = match letter {
                'c' => 1,
                'w' => 2,
                'b' => 512,
                'k' => 1 << 10,
                'M' => 1 << 20,
                'G' => 1 << 30,
                _ => return None,
            };
            (&number[..end], unit)
        }
    };
    Some(Test::Size { compare, number: digits.parse().ok()?, unit })
}

fn field(name: &str) -> Field {
    match name.as_bytes().get(1) {
        Some(b'a') => Field::Accessed,
        Some(b'c') => Field::Changed,
        _ => Field::Modified,
    }
}

fn field_letter(letter: u8) -> Option<Field> {
    match letter {
        b'm' => Some(Field::Modified),
        b'a' => Some(Field::Accessed),
        b'c' => Some(Field::Changed),
        _ => None,
    }
}
