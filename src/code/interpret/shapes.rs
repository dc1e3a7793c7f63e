//! Texts that are made of texts and numbers: their letters, their ends, what digits stand for.
//!
//! Owns what can be told of them without running anything. What cannot be told is not known: a name that was computed
//! wrongly would say of a file that is there that nothing is lost.

use base64::Engine;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::code::language::Language;
use crate::code::library::{self, Act};
use crate::model::Value;

use super::act::join_texts;
use super::operate::{braces, percent};
use super::{Arguments, Machine, Object};

/// Longest text that is put in another's place, in bytes.
const REPLACEMENT_LIMIT: usize = 4096;
/// Most pieces that a text is taken apart into.
const PIECES: usize = 200;
/// Names of encodings in which a plain text is the same as its bytes.
const PLAIN: [&str; 10] =
    ["utf-8", "utf8", "ascii", "us-ascii", "latin1", "latin-1", "iso-8859-1", "binary", "utf_8", "latin_1"];
/// What stands for something else in a pattern of Lua.
const LUA_SIGNS: &str = "^$()%.[]*+-?";

/// By how many signs bytes are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Digits {
    /// As they are.
    None,
    Sixteen,
    SixtyFour,
}

/// How the order of a list's elements changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// The last one first.
    Backwards,
    /// Nobody knows which stands where, or how many are left.
    Any,
}

/// How a method of lists changes their order; the elements are the list's alone.
pub(super) fn order(name: &str) -> Option<Order> {
    match library::method("list", name)? {
        Act::Backwards => Some(Order::Backwards),
        Act::Disorder => Some(Order::Any),
        _ => None,
    }
}

impl Object {
    /// A list in another order.
    pub(super) fn ordered(self, order: Order) -> Self {
        match (self, order) {
            (Self::List(mut list), Order::Backwards) => {
                list.reverse();
                Self::List(list)
            }
            (Self::List(list), Order::Any) if list.len() > 1 => Self::Many(Box::new(Self::any(list))),
            (other, _) => other,
        }
    }

    /// A text of which each letter is another.
    pub(super) fn changed(&self, f: &dyn Fn(&str) -> String) -> Self {
        let (value, glob) = self.value();
        Self::Text { value: value.map(f), glob }
    }
}

fn backwards(text: &str) -> String {
    text.chars().rev().collect()
}

/// Whether the first argument, where there is one, names an encoding that changes nothing of a plain text.
fn is_plain_encoding(given: Option<&Object>) -> bool {
    given.is_none_or(|given| {
        given.known().is_some_and(|name| PLAIN.contains(&name.to_ascii_lowercase().as_str()))
    })
}

/// The text of bytes of which each is a letter; nothing is known of any other.
fn of_bytes(list: &[Object]) -> Object {
    let byte = |one: &Object| one.known()?.parse::<u8>().ok().filter(u8::is_ascii).map(char::from);
    list.iter().map(byte).collect::<Option<String>>().map_or_else(unknown_text, Object::text)
}

fn unknown_text() -> Object {
    Object::Text { value: Value::Unknown, glob: false }
}

impl Machine<'_> {
    /// What a function makes of its first argument that only gives it another shape.
    pub(super) fn shaped(&self, act: Act, first: Object, arguments: &Arguments) -> Object {
        match act {
            Act::Bytes => Self::bytes_of(first, arguments),
            Act::Lower | Act::Upper => Self::cased(&first, act == Act::Upper),
            Act::Backwards => self.backwards(first, arguments),
            Act::Trim => Self::trimmed(&first, arguments),
            _ => Object::Unknown,
        }
    }

    /// A text in small or in capital letters.
    pub(super) fn cased(first: &Object, up: bool) -> Object {
        first.changed(&|text| if up { text.to_uppercase() } else { text.to_lowercase() })
    }

    /// A text or list from its end. Perl's text is turned around only where no list is wanted, which its words do not tell.
    pub(super) fn backwards(&self, first: Object, arguments: &Arguments) -> Object {
        match first {
            text @ Object::Text { .. } if self.language == Language::Perl && arguments.list.len() == 1 => {
                text.clone().or(text.changed(&backwards))
            }
            first if self.language == Language::Perl && arguments.list.len() > 1 => {
                let all = [first].into_iter().chain(arguments.list[1..].iter().cloned());
                Object::Many(Box::new(Object::any(all.chain([unknown_text()]).collect())))
            }
            Object::Text { .. } if self.language == Language::Python => unknown_text(),
            Object::Text { .. } => first.changed(&backwards),
            list => list.ordered(Order::Backwards),
        }
    }

    /// A text without the blanks around it; with other signs around it nobody knows.
    pub(super) fn trimmed(first: &Object, arguments: &Arguments) -> Object {
        match arguments.list.as_slice() {
            [_] => first.changed(&|text| text.trim().to_owned()),
            _ => unknown_text(),
        }
    }

    /// Bytes of numbers, or of a text.
    pub(super) fn bytes_of(first: Object, arguments: &Arguments) -> Object {
        match first {
            Object::List(list) => of_bytes(&list),
            Object::Many(_) => unknown_text(),
            // As many empty bytes.
            Object::Text { ref value, .. }
                if arguments.list.len() < 2
                    && value.as_known().is_none_or(|text| text.parse::<u64>().is_ok()) =>
            {
                unknown_text()
            }
            first if is_plain_encoding(arguments.list.get(1)) => first,
            _ => unknown_text(),
        }
    }

    /// The characters of numbers.
    pub(super) fn characters(&self, arguments: &Arguments) -> Object {
        let most = if matches!(self.language, Language::Lua | Language::Php) { 0x7f } else { u32::MAX };
        let character = |number: &str| {
            let number = number.parse::<u32>().ok().filter(|number| *number <= most)?;
            char::from_u32(number).map(String::from)
        };
        let given = arguments.list.iter().flat_map(|one| match one {
            Object::List(list) => list.clone(),
            other => vec![other.clone()],
        });
        let mut whole: Option<Object> = None;
        for one in given {
            let (value, _) = one.value();
            let characters = value.choices().unwrap_or_default().iter().map(|number| character(number));
            let value = match characters.collect::<Option<Vec<String>>>() {
                Some(list) if !list.is_empty() => Value::one_of(list),
                _ => Value::Unknown,
            };
            let next = Object::Text { value, glob: false };
            whole = Some(whole.map_or(next.clone(), |whole| whole.then(&next)));
        }
        whole.unwrap_or(Object::Unknown)
    }

    /// Text of base64 or hexadecimal digits, or of bytes.
    pub(super) fn decoded(name: &str, first: &Object, arguments: &Arguments) -> Object {
        if let Object::List(list) = first {
            return of_bytes(list);
        }
        let Some(text) = first.known() else { return Object::Unknown };
        let named = || arguments.list.get(1).map(|given| given.known().map(|name| name.to_ascii_lowercase()));
        let way = match name.starts_with("Buffer.").then(named) {
            None if name.contains("hex") => Digits::Sixteen,
            None => Digits::SixtyFour,
            Some(None) => Digits::None,
            Some(Some(Some(way))) if way == "hex" => Digits::Sixteen,
            Some(Some(Some(way))) if way.starts_with("base6") => Digits::SixtyFour,
            Some(_) if is_plain_encoding(arguments.list.get(1)) => Digits::None,
            Some(_) => return Object::Unknown,
        };
        let digits = text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        let bytes = match way {
            Digits::None => return Object::text(text),
            Digits::Sixteen => (0..digits.len() / 2)
                .map(|at| digits.get(at * 2..at * 2 + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok()))
                .collect::<Option<Vec<_>>>(),
            Digits::SixtyFour => {
                let lenient =
                    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
                let engine = GeneralPurpose::new(&base64::alphabet::STANDARD, lenient);
                engine.decode(digits.replace('-', "+").replace('_', "/")).ok()
            }
        };
        bytes.and_then(|bytes| String::from_utf8(bytes).ok()).map_or(Object::Unknown, Object::text)
    }

    /// A method of a text.
    pub(super) fn text_method(&mut self, text: Object, name: &str, arguments: Arguments) -> Object {
        let known = text.known();
        let alone = arguments.list.is_empty();
        match name {
            "join" => join_texts(&text, &arguments.first()),
            "format" => match &known {
                Some(format) if matches!(self.language, Language::Lua) => percent(format, &arguments.list),
                Some(format) => braces(format, &arguments.list, &arguments.named),
                None => Object::Unknown,
            },
            "concat" => arguments.list.iter().fold(text, |text, next| text.then(next)),
            "strip" | "trim" if alone => text.changed(&|t| t.trim().to_owned()),
            "rstrip" | "trimEnd" if alone => text.changed(&|t| t.trim_end().to_owned()),
            "lstrip" | "trimStart" if alone => text.changed(&|t| t.trim_start().to_owned()),
            "chomp" if alone => text.changed(&|t| {
                t.strip_suffix('\n').map_or(t, |t| t.strip_suffix('\r').unwrap_or(t)).to_owned()
            }),
            "chop" if alone => {
                text.changed(&|t| t.char_indices().next_back().map_or("", |(at, _)| &t[..at]).to_owned())
            }
            "lower" | "toLowerCase" | "downcase" => Self::cased(&text, false),
            "upper" | "toUpperCase" | "upcase" => Self::cased(&text, true),
            "encode" | "decode" | "toString" if !is_plain_encoding(arguments.list.first()) => unknown_text(),
            "encode" | "decode" | "toString" | "to_s" | "to_str" | "to_sym" | "dup" | "freeze"
            | "valueOf" => text,
            "expanduser" => self.at_home(text),
            "replace" | "gsub" | "sub" | "replaceAll" => self.replaced(&text, name, &arguments),
            "split" | "splitlines" | "lines" | "words" => self.pieces(known.as_deref(), name, &arguments),
            "reverse" | "rev" => text.changed(&backwards),
            // A path in Lua or a file name in zx may be run or opened by its methods; text has none that act.
            "hex" | "pack" | "unpack" => Object::Unknown,
            _ => {
                self.callbacks(&arguments);
                let predicate = name.starts_with("is")
                    || name.ends_with('?')
                    || name.ends_with("with")
                    || name.ends_with("With");
                if predicate { Object::Plain } else { Object::Unknown }
            }
        }
    }

    /// What a text is taken apart into.
    fn pieces(&self, text: Option<&str>, name: &str, arguments: &Arguments) -> Object {
        let blanks = |text: &str| text.split_whitespace().map(Object::text).collect::<Vec<_>>();
        let separator = arguments.list.first().and_then(Object::known);
        let found = match (text, separator, arguments.list.len() + arguments.named.len()) {
            (Some(text), None, 0) if matches!(name, "splitlines" | "lines") => {
                text.lines().map(Object::text).collect()
            }
            (Some(text), None, 0) if self.language == Language::Node => vec![Object::text(text)],
            (Some(text), None, 0) => blanks(text),
            (Some(text), Some(separator), 1) if separator == " " && self.language == Language::Ruby => {
                blanks(text)
            }
            (Some(text), Some(separator), 1) if !separator.is_empty() => {
                text.split(&separator).map(Object::text).collect()
            }
            _ => Vec::new(),
        };
        if found.is_empty() || found.len() > PIECES {
            return Object::Many(Box::new(Object::Unknown));
        }
        Object::List(found)
    }

    /// A text with a plain text in it replaced, as each language does it: once or wherever it stands.
    fn replaced(&self, text: &Object, name: &str, arguments: &Arguments) -> Object {
        let [from, to] = arguments.list.as_slice() else { return Object::Unknown };
        let (Some(from), Some(to)) = (from.known(), to.known()) else { return Object::Unknown };
        // In a replacement these stand for parts of what was found.
        let special = match self.language {
            Language::Node => to.contains('$'),
            Language::Ruby => to.contains('\\'),
            Language::Lua => to.contains('%') || from.contains(|sign| LUA_SIGNS.contains(sign)),
            _ => false,
        };
        if special || from.is_empty() || to.len() > REPLACEMENT_LIMIT {
            return Object::Unknown;
        }
        let once = matches!((self.language, name), (Language::Node, "replace") | (Language::Ruby, "sub"));
        text.changed(&|text| if once { text.replacen(&from, &to, 1) } else { text.replace(&from, &to) })
    }
}
