//! The short notations inside data files: options, operands, conditions and targets, read once at load.

use serde::Deserialize;

use super::words::is_true;
use crate::model::Value;

/// How an option takes its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// None.
    Nothing,
    /// Always: attached or the next word.
    Always,
    /// Only when attached (`--color=auto`, `-i.bak`).
    Attached,
}

/// One option, as declared: `"-n --dry-run!dry"`, `"--dry-run[=mode]!dry=client|server"`, `"-o --output=outfile*"`,
/// `"-l --list / --no-list"`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct OptionSpec {
    /// First spelling: the name by which effects ask for it.
    pub key: String,
    /// All spellings that switch it on, the key first.
    pub on: Vec<String>,
    /// Spellings that switch it off again.
    pub off: Vec<String>,
    /// Whether it takes a value.
    pub takes: Takes,
    /// Role of the value.
    pub role: Option<String>,
    /// Roles of further words that it takes (`--arg=name,str` takes two).
    pub further: Vec<String>,
    /// All given values count; otherwise the last one.
    pub repeats: bool,
    /// Nothing happens at all (help, version).
    pub informational: bool,
    /// Declared dry run.
    pub dry_run: bool,
    /// Values, besides words for yes, with which it is one.
    pub idle: Vec<String>,
    /// It is the last option: all further words are operands.
    pub last: bool,
    /// Its value is all words up to the next option.
    pub many: bool,
}

impl TryFrom<String> for OptionSpec {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let (on_text, off_text) = match text.split_once(" / ") {
            Some((on, off)) => (on, off),
            None => (text.as_str(), ""),
        };
        let mut spec = Self {
            key: String::new(),
            on: Vec::new(),
            off: off_text.split_whitespace().map(str::to_owned).collect(),
            takes: Takes::Nothing,
            role: None,
            further: Vec::new(),
            repeats: false,
            informational: false,
            dry_run: false,
            idle: Vec::new(),
            last: false,
            many: false,
        };
        for token in on_text.split_whitespace() {
            let name = spelling(token);
            if name.is_empty() {
                return Err(format!("option `{text}`: `{token}` is not a spelling"));
            }
            spec.on.push(name.to_owned());
            spec.suffix(&token[name.len()..]).map_err(|why| format!("option `{text}`: {why}"))?;
        }
        match spec.on.first() {
            Some(first) => spec.key = first.clone(),
            None => return Err(format!("option `{text}` has no spelling")),
        }
        Ok(spec)
    }
}

impl OptionSpec {
    fn suffix(&mut self, text: &str) -> Result<(), String> {
        let mut rest = text;
        if let Some(after) = rest.strip_prefix("[=") {
            let Some((role, tail)) = after.split_once(']') else {
                return Err("`[=` without `]`".to_owned());
            };
            self.takes = Takes::Attached;
            self.role = Some(checked_role(role)?);
            rest = tail;
        } else if let Some(after) = rest.strip_prefix('=') {
            let end = after.find(['*', '!', '$']).unwrap_or(after.len());
            let roles = after[..end].strip_suffix("...");
            self.takes = Takes::Always;
            self.many = roles.is_some();
            self.repeats = self.many;
            let mut roles = roles.unwrap_or(&after[..end]).split(',').map(checked_role);
            self.role = roles.next().transpose()?;
            self.further = roles.collect::<Result<_, _>>()?;
            rest = &after[end..];
        }
        if let Some(after) = rest.strip_prefix('*') {
            self.repeats = true;
            rest = after;
        }
        match rest {
            "" => {}
            "!" => self.informational = true,
            "!dry" => self.dry_run = true,
            "$" => self.last = true,
            other => {
                let Some(values) = other.strip_prefix("!dry=").filter(|values| !values.is_empty()) else {
                    return Err(format!(
                        "`{other}` is not a known suffix (`*`, `!`, `!dry`, `!dry=a|b`, `$`, `=role`, `=role...`, `[=role]`)"
                    ));
                };
                self.dry_run = true;
                self.idle = values.split('|').map(str::to_owned).collect();
            }
        }
        Ok(())
    }

    /// Whether it says that nothing is done: help, version, dry run.
    pub fn does_nothing(&self) -> bool {
        self.informational || self.dry_run
    }

    /// Whether it says so with this value. What is not known, or not declared to mean it, does not: `--dry-run=none`,
    /// `--help=false`, `--dry-run=$MODE`.
    pub fn is_idle(&self, value: Option<&Value>) -> bool {
        let Some(value) = value else { return true };
        // The value is what help is wanted for.
        if self.informational && self.takes != Takes::Nothing {
            return true;
        }
        value.choices().is_some_and(|list| {
            list.iter().all(|text| is_true(text) || self.idle.iter().any(|own| own == text))
        })
    }

    /// Whether `word` switches it on.
    pub fn is_on(&self, word: &str) -> bool {
        self.on.iter().any(|s| s == word)
    }

    /// Whether `word` switches it off.
    pub fn is_off(&self, word: &str) -> bool {
        self.off.iter().any(|s| s == word)
    }
}

/// The spelling at the start of a token: dashes and whatever follows up to a suffix.
fn spelling(token: &str) -> &str {
    // The character after the dash may itself be one of the marks (`-!`, `-*`).
    let fixed = token.chars().take(2).map(char::len_utf8).sum::<usize>().min(token.len());
    let fixed = if token.starts_with('-') { fixed } else { 0 };
    let end = token[fixed..].find(['=', '[', '*', '!']).map_or(token.len(), |at| at + fixed);
    &token[..end]
}

fn checked_role(role: &str) -> Result<String, String> {
    let fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '-' | '_' | '.' | '+' | '/');
    if role.is_empty() || !role.chars().all(fine) {
        return Err(format!("`{role}` is not a role"));
    }
    Ok(role.to_owned())
}

/// How many words an operand takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// One.
    One,
    /// One or none.
    Optional,
    /// One or more.
    Many,
    /// Any number.
    Any,
}

/// One operand, as declared: `"src:path..."`, `"path"`, `"dest:path?"`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct OperandSpec {
    /// Name by which effects ask for it.
    pub name: String,
    /// What it means.
    pub role: String,
    /// How many words.
    pub count: Count,
}

impl TryFrom<String> for OperandSpec {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let (body, count) = if let Some(body) = text.strip_suffix("...?") {
            (body, Count::Any)
        } else if let Some(body) = text.strip_suffix("...") {
            (body, Count::Many)
        } else if let Some(body) = text.strip_suffix('?') {
            (body, Count::Optional)
        } else {
            (text.as_str(), Count::One)
        };
        let (name, role) = match body.split_once(':') {
            Some((head, tail))
                if tail.contains(':') || !matches!(head, "code" | "sql" | "sqlfile" | "script") =>
            {
                (head, tail)
            }
            _ => (body, body),
        };
        let complain = |why: String| format!("operand `{text}`: {why}");
        checked_role(name).map_err(complain)?;
        let role = checked_role(role).map_err(complain)?;
        Ok(Self { name: name.to_owned(), role, count })
    }
}

impl OperandSpec {
    /// All further words belong to it and are not looked at for options: `argv`, and shell text made of several words.
    pub fn swallows(&self) -> bool {
        self.role == "argv" || (self.role == "shell" && matches!(self.count, Count::Many | Count::Any))
    }

    /// It takes only words of the form `NAME=value`.
    pub fn is_assignment(&self) -> bool {
        self.role == "assignment"
    }
}

/// One alternative of a condition: an option or operand that is there, possibly with a certain value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Atom {
    /// Option key or operand name.
    pub key: String,
    /// The value it must have.
    pub value: Option<String>,
    /// A value that is not known is not it (`pid==-1`).
    pub sure: bool,
}

/// One string of an `if` or `unless` list: `"-a | -b"`, `"--mode=append"`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Condition {
    /// Alternatives.
    pub any: Vec<Atom>,
}

impl TryFrom<String> for Condition {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let mut any = Vec::new();
        for part in text.split('|').map(str::trim) {
            // Skip the first two characters: an option may be spelled `-=`.
            let from = part.char_indices().nth(2).map_or(part.len(), |(i, _)| i);
            let atom = match part[from..].find('=') {
                Some(at) => {
                    let (key, value) = part.split_at(from + at);
                    let value = value[1..].trim();
                    let sure = value.strip_prefix('=');
                    Atom {
                        key: key.trim().to_owned(),
                        value: Some(sure.unwrap_or(value).to_owned()),
                        sure: sure.is_some(),
                    }
                }
                None => Atom { key: part.to_owned(), value: None, sure: false },
            };
            if atom.key.is_empty() || atom.key.contains(char::is_whitespace) {
                return Err(format!("condition `{text}`: `{part}` is no option and no operand"));
            }
            any.push(atom);
        }
        Ok(Self { any })
    }
}

/// A piece of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Literal text.
    Text(String),
    /// The value of an operand or option.
    Value {
        /// Operand name or option key; `stdin` for names from standard input.
        name: String,
        /// Text when there is no value.
        default: Option<String>,
        /// Which part of the value.
        part: Part,
    },
}

/// Which part of a value a template takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Part {
    /// All of it.
    #[default]
    Whole,
    /// What stands before the last dot of the last component: `{path@stem}` of `a/b.tar.gz` is `a/b.tar`.
    Stem,
    /// The last component, without a query: `{url@base}` of `http://x/a/b.tgz?c` and of `host:a/b.tgz` is `b.tgz`.
    Base,
    /// The last component without its last extension: `{source@bare}` of `src/a.rs` is `a`.
    Bare,
    /// With anything where a counter stands: `{path@numbered}` of `a-%03d.png` is any name `a-….png`.
    Numbered,
    /// With the ending that zip adds to a name without one: `{archive@zip}` of `a.d/b` is `a.d/b.zip`.
    Zip,
}

impl Part {
    /// The part of a known text.
    pub fn of(self, text: &str) -> std::borrow::Cow<'_, str> {
        if self == Self::Zip && !text.rsplit('/').next().unwrap_or_default().contains('.') && text != "-" {
            return format!("{text}.zip").into();
        }
        let part = match self {
            Self::Whole | Self::Zip | Self::Numbered => text,
            Self::Stem => match text.rfind('.') {
                Some(at) if at > text.rfind('/').map_or(0, |slash| slash + 1) => &text[..at],
                _ => text,
            },
            Self::Bare => {
                let last = text.rsplit('/').next().unwrap_or_default();
                match last.rfind('.') {
                    Some(at) if at > 0 => &last[..at],
                    _ => last,
                }
            }
            Self::Base => {
                let path = text.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
                // Of a name on another machine, what stands behind the machine.
                let path =
                    path.split_once(':').filter(|(host, _)| !host.contains('/')).map_or(path, |(_, own)| own);
                path.rsplit('/').next().unwrap_or_default()
            }
        };
        part.into()
    }
}

/// Text with values in it: `{path}.gz`, `{remote|origin}/{branch}`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Deserialize)]
#[serde(try_from = "String")]
pub struct Template {
    /// Pieces in order.
    pub pieces: Vec<Piece>,
}

impl Template {
    /// Names of the values that it asks for.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Value { name, .. } => Some(name.as_str()),
            Piece::Text(_) => None,
        })
    }
}

impl TryFrom<String> for Template {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let mut pieces = Vec::new();
        let mut rest = text.as_str();
        while let Some(start) = rest.find('{') {
            if start > 0 {
                pieces.push(Piece::Text(rest[..start].to_owned()));
            }
            let Some(end) = rest[start..].find('}') else {
                return Err(format!("`{text}`: `{{` without `}}`"));
            };
            let inner = &rest[start + 1..start + end];
            let (name, default) = match inner.split_once('|') {
                Some((name, default)) => (name, Some(default.to_owned())),
                None => (inner, None),
            };
            let (name, part) = match name.rsplit_once('@') {
                Some((name, "stem")) => (name, Part::Stem),
                Some((name, "base")) => (name, Part::Base),
                Some((name, "bare")) => (name, Part::Bare),
                Some((name, "zip")) => (name, Part::Zip),
                Some((name, "numbered")) => (name, Part::Numbered),
                _ => (name, Part::Whole),
            };
            if name.is_empty() {
                return Err(format!("`{text}`: `{{}}` names nothing"));
            }
            pieces.push(Piece::Value { name: name.to_owned(), default, part });
            rest = &rest[start + end + 1..];
        }
        if !rest.is_empty() {
            pieces.push(Piece::Text(rest.to_owned()));
        }
        Ok(Self { pieces })
    }
}

/// `kind template` of an effect.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct On {
    /// A key of the kinds table.
    pub kind: String,
    /// What names the target; empty for a kind of which there is only one.
    pub target: Template,
}

impl TryFrom<String> for On {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let (kind, target) = text.split_once(' ').unwrap_or((text.as_str(), ""));
        let fine = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '-' | '_');
        if kind.is_empty() || !kind.chars().all(fine) {
            return Err(format!("`{text}`: `{kind}` is not a kind"));
        }
        Ok(Self { kind: kind.to_owned(), target: Template::try_from(target.to_owned())? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn option(text: &str) -> OptionSpec {
        OptionSpec::try_from(text.to_owned()).unwrap()
    }

    fn operand(text: &str) -> (String, String, Count) {
        let spec = OperandSpec::try_from(text.to_owned()).unwrap();
        (spec.name, spec.role, spec.count)
    }

    #[test]
    fn options() {
        let list = option("-l --list=ref* / --no-list");
        assert_eq!((list.key.as_str(), list.on.len(), list.off.len()), ("-l", 2, 1));
        assert_eq!((list.takes, list.role.as_deref(), list.repeats), (Takes::Always, Some("ref"), true));
        assert_eq!(option("--interactive[=when]").takes, Takes::Attached);
        assert!(option("-h --help!").informational);
        assert!(option("-n --dry-run!dry").dry_run);
        assert!(option("--dry-run[=mode]!dry").dry_run);
        assert_eq!(option("of=outfile").key, "of");
        assert_eq!(option("-e --expression=code:sed*").role.as_deref(), Some("code:sed"));
        assert_eq!(option("--arg=name,str*").further, ["str"]);
        assert!(OptionSpec::try_from("-x=".to_owned()).is_err());
        assert!(OptionSpec::try_from("-x!wet".to_owned()).is_err());
    }

    #[test]
    fn operands() {
        assert_eq!(operand("src:path..."), ("src".into(), "path".into(), Count::Many));
        assert_eq!(operand("path...?"), ("path".into(), "path".into(), Count::Any));
        assert_eq!(operand("code:python?"), ("code:python".into(), "code:python".into(), Count::Optional));
        assert_eq!(operand("program:code:awk"), ("program".into(), "code:awk".into(), Count::One));
        assert_eq!(operand("command:argv..."), ("command".into(), "argv".into(), Count::Many));
    }

    #[test]
    fn parts_of_values() {
        assert_eq!(Part::Stem.of("a.d/b.tar.gz"), "a.d/b.tar");
        assert_eq!(Part::Stem.of("a.d/b"), "a.d/b");
        assert_eq!(Part::Bare.of("a.d/b.tar.gz"), "b.tar");
        assert_eq!(Part::Bare.of("a.d/.b"), ".b");
        assert_eq!(Part::Base.of("http://x/a/b.tgz?c=/d"), "b.tgz");
    }

    #[test]
    fn conditions_and_targets() {
        let condition = Condition::try_from("-a | --mode=append".to_owned()).unwrap();
        assert_eq!(condition.any[1].value.as_deref(), Some("append"));
        let on = On::try_from("git.ref {remote|origin}/{-b}".to_owned()).unwrap();
        assert_eq!((on.kind.as_str(), on.target.pieces.len()), ("git.ref", 3));
        assert!(On::try_from("file {path".to_owned()).is_err());
    }
}
