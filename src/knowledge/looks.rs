//! Looks: read-only commands that tell a fact about one resource, and how their output is read.
//!
//! Owns the shape of `looks/*.toml` (by kind) and the filling of a command's words. A look is an argument vector, never a
//! shell string; a word that comes from a target and could be taken for an option makes the whole look unusable.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use toml::Spanned;
use toml::de::DeValue;

use super::placed::{Fault, read_value};
use super::reading::Reading;
use crate::model::FactValue;

/// Whose program looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LookType {
    /// `aws`
    AwsCli,
    /// `gcloud`
    GcloudCli,
    /// `az`
    AzCli,
    /// `kubectl`
    Kubectl,
    /// `git`
    Git,
    /// `psql`
    Psql,
    /// `mysql`
    Mysql,
    /// `docker`
    Docker,
}

impl LookType {
    /// The only program that a look of this type runs.
    pub fn program(self) -> &'static str {
        match self {
            Self::AwsCli => "aws",
            Self::GcloudCli => "gcloud",
            Self::AzCli => "az",
            Self::Kubectl => "kubectl",
            Self::Git => "git",
            Self::Psql => "psql",
            Self::Mysql => "mysql",
            Self::Docker => "docker",
        }
    }
}

/// A value in the data.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Literal {
    /// Yes or no.
    Bool(bool),
    /// A count.
    Number(i64),
    /// A word.
    Text(String),
}

impl Literal {
    /// As a fact's value.
    pub fn value(&self) -> FactValue {
        match self {
            Self::Bool(yes) => FactValue::Bool(*yes),
            Self::Number(number) => FactValue::Number(*number),
            Self::Text(text) => FactValue::Text(text.clone()),
        }
    }
}

/// One way to learn one fact about a resource of a kind.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Look {
    /// The fact, as the kind's cases name it.
    pub key: String,
    /// Whose program.
    pub r#type: LookType,
    /// Its words; `{name}` is the target, `{key}` a fact.
    pub argv: Vec<String>,
    /// What must be so (`tool = "docker"`).
    #[serde(default)]
    pub only: BTreeMap<String, String>,
    /// Further words, each group only when all that it asks for was said (`["--region", "{region}"]`). A value that was
    /// said and is empty is not known: then the look is of no use.
    #[serde(default)]
    pub optional: Vec<Vec<String>>,
    /// Rights that it needs.
    #[serde(default)]
    pub permissions: Vec<String>,
    /// What it tells, for a person.
    pub about: String,
    /// What the output looks like when the fact helps.
    pub expects: String,
    /// What it looks like when it does not.
    pub fails: String,
    /// The value that would help: what it could lead to is judged with it.
    pub suppose: Literal,
    /// Keys of missing evidence that the fact makes good when it is set (a probe that could not look).
    #[serde(default)]
    pub answers: Vec<String>,
    /// How the output is read.
    pub parse: Reading,
    /// Seconds that it may take.
    #[serde(default = "seconds")]
    pub seconds: u32,
    /// Output and what is read from it (only when the file was read for a test).
    #[serde(default)]
    pub example: Vec<LookExample>,
}

fn seconds() -> u32 {
    30
}

/// An output and what it says.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LookExample {
    /// The target's name, and facts that the look asks for.
    pub given: BTreeMap<String, String>,
    /// The output.
    pub raw: String,
    /// What is read; nothing when it is absent.
    #[serde(default)]
    pub is: Option<Literal>,
}

/// Gives the value of a placeholder's key.
pub type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

impl Look {
    /// Reads the looks of a kind strictly.
    pub(super) fn read(kind: &str, value: Spanned<DeValue<'_>>) -> Result<Vec<Self>, Fault> {
        let list = read_value::<Vec<Self>>(&value)?;
        for (number, look) in list.iter().enumerate() {
            let fail = |why: String| {
                Fault::from(why).of(&format!("kind {kind}, look {}", look.key)).below([number.to_string()])
            };
            look.check().map_err(fail)?;
        }
        Ok(list)
    }

    /// Reads the looks of one kind as they are embedded.
    pub(super) fn embedded(json: &str) -> Result<Vec<Self>, String> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Embedded {
            list: Vec<Look>,
        }
        let found: Embedded = serde_json::from_str(json).map_err(|error| error.to_string())?;
        found.list.iter().try_for_each(Self::check)?;
        Ok(found.list)
    }

    fn check(&self) -> Result<(), String> {
        if self.argv.first().map(String::as_str) != Some(self.r#type.program()) {
            return Err(format!("`argv` must run {}", self.r#type.program()));
        }
        for word in self.argv.iter().chain(self.optional.iter().flatten()) {
            if word.chars().any(char::is_control) {
                return Err(format!("`{}` holds a control character", word.escape_debug()));
            }
        }
        self.parse.check()
    }

    /// Facts that its words and its output ask for.
    pub fn asks(&self) -> Vec<String> {
        let optional = self.optional.iter().flatten().flat_map(|word| keys(word)).map(str::to_owned);
        self.needs().into_iter().chain(optional).chain(self.parse.asks()).collect()
    }

    /// Facts without which it cannot be taken.
    pub fn needs(&self) -> Vec<String> {
        let words = self.argv.iter().flat_map(|word| keys(word));
        words.chain(self.only.keys().map(String::as_str)).map(str::to_owned).collect()
    }

    /// Whether it is for this target at all.
    pub fn fits(&self, lookup: Lookup<'_>) -> bool {
        self.only.iter().all(|(key, value)| lookup(key).as_deref() == Some(value.as_str()))
    }

    /// The words for one target; `None` when something it needs is not known or could be taken for an option.
    pub fn words(&self, lookup: Lookup<'_>) -> Option<Vec<String>> {
        if !self.fits(lookup) {
            return None;
        }
        let mut words = self.argv.iter().map(|word| safe(word, lookup)).collect::<Option<Vec<_>>>()?;
        for group in &self.optional {
            if group.iter().flat_map(|word| keys(word)).all(|key| lookup(key).is_some()) {
                words.extend(group.iter().map(|word| safe(word, lookup)).collect::<Option<Vec<_>>>()?);
            }
        }
        Some(words)
    }
}

/// Keys that a word asks for.
pub(super) fn keys(template: &str) -> impl Iterator<Item = &str> {
    template.split('{').skip(1).filter_map(|rest| placeholder(rest)).map(|(key, _)| key)
}

/// The key and part of a placeholder that begins here, behind its brace. Other braces are the program's own
/// (`{{.Name}}`, `{group: …}`).
fn placeholder(rest: &str) -> Option<(&str, &str)> {
    let inner = rest.split_once('}')?.0;
    let fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '@');
    let is_key = inner.starts_with(|c: char| c.is_ascii_alphabetic()) && inner.chars().all(fine);
    // `{end}` closes a range of kubectl's.
    (is_key && inner != "end").then(|| inner.split_once('@').unwrap_or((inner, "")))
}

/// Longest word that is put into a suggestion, in bytes.
const LONGEST: usize = 1024;

/// One word, filled, unless a program could take what was filled in for something else than a name.
fn safe(template: &str, lookup: Lookup<'_>) -> Option<String> {
    safe_word(template, fill(template, lookup)?)
}

/// A word that was filled, unless a program could take what was filled in for something else than a name.
pub(super) fn safe_word(template: &str, word: String) -> Option<String> {
    let odd = word.is_empty()
        || word.len() > LONGEST
        || word.chars().any(char::is_control)
        || (template.starts_with('{') && word.starts_with(['-', '@']) && word != *template)
        || (template.starts_with('{') && word.starts_with("file://"));
    (!odd).then_some(word)
}

/// Fills `{key}` and `{key@part}`; `None` when one is not known or is not of the form that its part asks for.
pub(super) fn fill(template: &str, lookup: Lookup<'_>) -> Option<String> {
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(start) = rest.find('{') {
        out.push_str(&rest[..start]);
        rest = &rest[start + 1..];
        let Some((key, part)) = placeholder(rest) else {
            out.push('{');
            continue;
        };
        let value = lookup(key)?;
        out.push_str(take(part, &value)?);
        rest = rest.split_once('}').map_or("", |(_, rest)| rest);
    }
    out.push_str(rest);
    Some(out)
}

/// A part of a value: `bucket` and `key` of `s3://bucket/key`, `last` behind the last slash, `plain` when it is an
/// identifier that needs no quoting anywhere, `table` when it is such identifiers joined by dots, `small` when those hold no capital letters besides, `simple` and `quoted` when it is a name without anything that SQL, a filter or quotes around it read.
pub(super) fn take<'a>(part: &str, value: &'a str) -> Option<&'a str> {
    let bare = || value.split_once("://").map_or(value, |(_, rest)| rest);
    let some = |text: &'a str| (!text.is_empty()).then_some(text);
    match part {
        "" => some(value),
        "bucket" => some(bare().split('/').next().unwrap_or_default()),
        "key" => some(bare().split_once('/').map_or("", |(_, key)| key)),
        "last" => some(value.rsplit('/').next().unwrap_or_default()),
        "plain" => {
            let fine = value.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
                && !value.starts_with(|c: char| c.is_ascii_digit());
            if fine { some(value) } else { None }
        }
        "table" => {
            let plain = |part: &str| take("plain", part).is_some();
            if value.split('.').all(plain) { some(value) } else { None }
        }
        "small" => take("table", value).filter(|name| !name.bytes().any(|b| b.is_ascii_uppercase())),
        "quoted" => {
            let fine =
                |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | ':' | '#' | '+');
            if value.chars().all(fine) { some(value) } else { None }
        }
        "simple" => {
            let fine = value.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
            if fine { some(value) } else { None }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::Pack;

    fn look(argv: &str) -> Look {
        let text = format!(
            "[[k]]\nkey = \"v\"\ntype = \"aws_cli\"\nargv = {argv}\noptional = [[\"--region\", \"{{region}}\"]]\nabout = \"\"\nexpects = \"\"\nfails = \"\"\nsuppose = 1\nparse = {{ value = \"/V\" }}\n"
        );
        Pack::parse("x", &text).unwrap().looks.remove(0).it[0].clone()
    }

    #[test]
    fn words_are_filled_and_never_become_options() {
        let look = look("[\"aws\", \"s3api\", \"x\", \"--bucket\", \"{name@bucket}\"]");
        let words = |name: &str, region: Option<&str>| {
            look.words(&|key| match key {
                "name" => Some(name.to_owned()),
                "region" => region.map(str::to_owned),
                _ => None,
            })
        };
        assert_eq!(words("s3://b/k", None).unwrap().last().unwrap(), "b");
        assert_eq!(words("b c", Some("eu-1")).unwrap()[4..], ["b c", "--region", "eu-1"]);
        for refused in ["--profile=x", "-x", "", "a\nb", "s3://-x/y", "\u{1b}[m", "@file", "s3:///k"] {
            assert_eq!(words(refused, None), None, "{refused:?}");
        }
        assert_eq!(words("b", Some("--endpoint-url=http://x")), None);
        assert_eq!(words("b", Some("")), None, "a region was given and is not known");
    }

    #[test]
    fn parts() {
        assert_eq!(take("key", "s3://b/a/k"), Some("a/k"));
        assert_eq!(take("plain", "users"), Some("users"));
        for odd in ["a b", "a;b", "1a", "a'b", ""] {
            assert_eq!(take("plain", odd), None, "{odd}");
        }
        assert_eq!(take("table", "public.users"), Some("public.users"));
        for odd in ["a..b", "a b", "a;b", ".a", "a.1", "\"a\""] {
            assert_eq!(take("table", odd), None, "{odd}");
        }
        assert_eq!(fill("{{.Name}} {name}", &|_| Some("n".into())).as_deref(), Some("{{.Name}} n"));
        assert_eq!(fill("{g: '{name}', l: x}", &|_| Some("n".into())).as_deref(), Some("{g: 'n', l: x}"));
    }

    #[test]
    fn mistakes_are_errors() {
        assert!(Pack::parse("x", "[[k]]\nkey = \"v\"\n").is_err());
        let wrong = "[[k]]\nkey = \"v\"\ntype = \"aws_cli\"\nargv = [\"sh\"]\nabout = \"\"\nexpects = \"\"\nfails = \"\"\nsuppose = 1\nparse = { value = \"/V\" }\n";
        assert!(Pack::parse("x", wrong).unwrap_err().to_string().contains("must run aws"));
    }
}
