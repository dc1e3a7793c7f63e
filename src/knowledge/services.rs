//! Services: how what a program holds elsewhere than in files (a crontab, a table, an object of a cluster) is fetched before it
//! goes, and put back.
//!
//! Owns the shape of `keeping/*.toml` (by kind), which calls an entry is for, and the filling of its commands' words. A command
//! is an argument vector, never a shell string. Whatever is not listed (an option, a subcommand, a statement) makes the entry
//! unusable for a call, because such a call may speak to somebody else or do more than the entry puts back.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use toml::Spanned;
use toml::de::DeValue;

use super::grammar::match_words;
use super::looks::{safe_word, take};
use super::matched::{Match, compares};
use super::placed::{Fault, read_value};
use super::schema::ToolFile;
use crate::model::{Action, Value};

/// A word of a command, or words that stand there only when all that they ask for was said.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum ServiceWord {
    /// One word; `{key...}` alone is one word for each value.
    Word(String),
    /// Several or none (`["-u", "{-u}"]`).
    Group(Vec<String>),
}

/// Something that is asked first: its answer is a placeholder's value.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Learn {
    /// The placeholder.
    pub key: String,
    /// The command.
    pub run: Vec<ServiceWord>,
    /// It is not asked where this was said: that is the value.
    #[serde(default)]
    pub said: Option<String>,
    /// What the answer must be.
    #[serde(default)]
    pub is: Option<String>,
    /// Other values for some answers (`{ "-1" = "0" }`); an answer may be empty only where it stands here.
    #[serde(default)]
    pub map: BTreeMap<String, String>,
    /// Why nothing is kept when there is no answer, in words.
    pub otherwise: String,
}

/// How it is told that nothing is there.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Nothing {
    /// What the command that fetches says then, failing; empty: it says nothing at all, and does not fail.
    pub says: String,
    /// The command that brings that state back.
    pub restore: Vec<ServiceWord>,
}

/// How what one call may take from a service is fetched and put back.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Service {
    /// What is kept, for people, with placeholders.
    pub title: String,
    /// Tools whose calls it is for.
    pub tool: Vec<String>,
    /// Their subcommands, as typed; none: the tool has none.
    #[serde(default)]
    pub commands: Vec<String>,
    /// Options that a call may have, by their first spelling.
    #[serde(default)]
    pub options: Vec<String>,
    /// Acts that it is for.
    pub acts: Vec<Action>,
    /// What a placeholder's value must be: alternatives with ` | ` between them, `*` for any text.
    #[serde(default)]
    pub only: BTreeMap<String, String>,
    /// Placeholders that must have no value.
    #[serde(default)]
    pub none: Vec<String>,
    /// Of SQL: how each of its statements begins.
    #[serde(default)]
    pub statements: Vec<String>,
    /// Of SQL: what must stand nowhere in it.
    #[serde(default)]
    pub never: Vec<String>,
    /// The call must begin the command line: what stands before it may say to whom it speaks.
    #[serde(default = "yes")]
    pub alone: bool,
    /// What has to be known first, in this order.
    #[serde(default)]
    pub learn: Vec<Learn>,
    /// The command that fetches: its output is what is kept.
    pub keep: Vec<ServiceWord>,
    /// How it is told that nothing is there. Without it a command that fails keeps nothing.
    pub nothing: Option<Nothing>,
    /// JSON pointers to what is not part of it (times, states); the output is JSON then.
    #[serde(default)]
    pub without: Vec<String>,
    /// How lines of the output begin that differ from time to time and say nothing.
    #[serde(default)]
    pub noise: Vec<String>,
    /// Runs before what puts it back, without input.
    #[serde(default)]
    pub before: Vec<ServiceWord>,
    /// The command that puts it back, from its standard input.
    pub restore: Vec<ServiceWord>,
    /// The same where something stands there; without it `restore`.
    #[serde(default)]
    pub over: Vec<ServiceWord>,
    /// It is on this machine: nobody has to be asked before it is fetched.
    pub local: bool,
    /// Placeholders (`{-h}`) and variables (`$PGHOST`) that say where it is. One that names another machine makes it remote.
    #[serde(default)]
    pub at: Vec<String>,
    /// Variables that say which one is meant: what they held is set again when it is put back.
    #[serde(default)]
    pub env: Vec<String>,
    /// Calls and what comes of them.
    #[serde(default)]
    pub example: Vec<ServiceExample>,
}

/// A call, and the commands for it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServiceExample {
    /// The call.
    pub run: String,
    /// What it acts on.
    #[serde(default)]
    pub target: Option<String>,
    /// What was learned.
    #[serde(default)]
    pub learned: BTreeMap<String, String>,
    /// The command that fetches; none: the entry is not for this call.
    #[serde(default)]
    pub keep: Option<String>,
    /// The command that puts it back.
    #[serde(default)]
    pub restore: Option<String>,
}

fn yes() -> bool {
    true
}

/// A call that an entry is for.
#[derive(Clone, Debug)]
pub struct ServiceCall {
    matched: Match,
    target: Option<String>,
    /// What was learned since.
    pub learned: BTreeMap<String, String>,
}

impl Service {
    /// Reads the entries of a kind strictly.
    pub(super) fn read(kind: &str, value: Spanned<DeValue<'_>>) -> Result<Vec<Self>, Fault> {
        let list = read_value::<Vec<Self>>(&value)?;
        for (number, service) in list.iter().enumerate() {
            let fail = |why: String| {
                Fault::from(why).of(&format!("kind {kind}, {}", service.title)).below([number.to_string()])
            };
            service.check().map_err(fail)?;
        }
        Ok(list)
    }

    /// Reads the entries of one kind as they are embedded.
    pub(super) fn embedded(json: &str) -> Result<Vec<Self>, String> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Embedded {
            list: Vec<Service>,
        }
        let found: Embedded = serde_json::from_str(json).map_err(|error| error.to_string())?;
        found.list.iter().try_for_each(Self::check)?;
        Ok(found.list)
    }

    fn check(&self) -> Result<(), String> {
        for (key, words) in self.commands() {
            match words.first() {
                Some(ServiceWord::Word(program)) if is_program(program) => {}
                Some(_) => return Err(format!("`{key}` must begin with a program's plain name")),
                None => return Err(format!("`{key}` is empty")),
            }
            let odd = |word: &&String| word.chars().any(char::is_control);
            if let Some(word) = words.iter().flat_map(ServiceWord::each).find(odd) {
                return Err(format!("`{}` holds a control character", word.escape_debug()));
            }
        }
        for (key, empty) in [("tool", self.tool.is_empty()), ("acts", self.acts.is_empty())] {
            if empty {
                return Err(format!("`{key}` is empty"));
            }
        }
        if let Some(pointer) = self.without.iter().find(|pointer| !pointer.starts_with('/')) {
            return Err(format!("`{pointer}` is no JSON pointer: it begins with a slash"));
        }
        for place in &self.at {
            let plain = place.strip_prefix('$').is_some_and(|name| !name.is_empty());
            if !plain && placeholder(place).is_none_or(|(_, rest)| !rest.is_empty()) {
                return Err(format!("`{place}` is neither `{{key}}` nor `$VARIABLE`"));
            }
        }
        Ok(())
    }

    /// Its commands, by the key that holds them. Those that may be left out are not among them when they are.
    pub fn commands(&self) -> Vec<(&'static str, &[ServiceWord])> {
        let mut all: Vec<(&'static str, &[ServiceWord])> =
            self.learn.iter().map(|one| ("learn", one.run.as_slice())).collect();
        all.push(("keep", &self.keep));
        all.extend(self.nothing.iter().map(|nothing| ("nothing", nothing.restore.as_slice())));
        let may = [("before", &self.before), ("over", &self.over)];
        all.extend(
            may.into_iter().filter(|(_, words)| !words.is_empty()).map(|(key, w)| (key, w.as_slice())),
        );
        all.push(("restore", &self.restore));
        all
    }

    /// The call, when this is for it: all words are known, the command word first.
    pub fn call(
        &self,
        tool: &Arc<ToolFile>,
        words: &[String],
        action: Action,
        target: Option<&str>,
    ) -> Option<ServiceCall> {
        let name = words.first()?.rsplit('/').next()?;
        if !self.acts.contains(&action) || !self.tool.iter().any(|known| known == name) {
            return None;
        }
        let values: Vec<Value> = words.iter().skip(1).map(Value::known).collect();
        let matched = match_words(tool, &values);
        let listed = |option: &super::OptionUse| self.options.contains(&option.key);
        if matched.does_nothing() || !matched.gaps.is_empty() || !matched.options.iter().all(listed) {
            return None;
        }
        let typed = matched.typed.get(1..).unwrap_or_default().join(" ");
        let fits = if self.commands.is_empty() { typed.is_empty() } else { self.commands.contains(&typed) };
        let call = ServiceCall { matched, target: target.map(str::to_owned), learned: BTreeMap::new() };
        let held = |(key, wanted): (&String, &String)| {
            call.values(key).as_slice() != [] as [String; 0]
                && call
                    .values(key)
                    .iter()
                    .all(|value| wanted.split(" | ").any(|wanted| compares(wanted, value)))
        };
        (fits
            && self.none.iter().all(|key| call.values(key).is_empty())
            && self.only.iter().all(held)
            && self.is_plain_sql(&call))
        .then_some(call)
    }

    /// Nothing in the SQL but what is listed.
    fn is_plain_sql(&self, call: &ServiceCall) -> bool {
        if self.statements.is_empty() {
            return true;
        }
        let nested = call.matched.nested();
        let mut texts = Vec::new();
        for nested in &nested {
            let Some(dialect) = nested.role.strip_prefix("sql:") else { return false };
            texts.extend(nested.values.iter().filter_map(Value::as_known).map(|text| (dialect, text)));
        }
        let begins = |text: &str| {
            let words: Vec<String> = text.split_whitespace().map(str::to_ascii_lowercase).collect();
            let text = words.join(" ");
            self.statements.iter().any(|wanted| {
                text.strip_prefix(wanted.as_str())
                    .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
            })
        };
        !texts.is_empty()
            && texts.iter().all(|(dialect, text)| {
                let lower = text.to_ascii_lowercase();
                !self.never.iter().any(|word| lower.contains(word.as_str()))
                    && crate::code::sql(dialect, text).iter().all(|statement| begins(&statement.text))
            })
    }

    /// What is kept, for people.
    pub fn shown(&self, call: &ServiceCall) -> Option<String> {
        call.fill(&self.title)
    }
}

impl ServiceCall {
    /// All values of a placeholder.
    fn values(&self, key: &str) -> Vec<String> {
        if let Some(value) = self.learned.get(key) {
            return vec![value.clone()];
        }
        if key == "target" {
            return self.target.iter().cloned().collect();
        }
        self.matched
            .named(key)
            .into_iter()
            .filter_map(|(value, _)| value.as_known().map(str::to_owned))
            .collect()
    }

    /// The one value of a placeholder.
    pub fn value(&self, key: &str) -> Option<String> {
        let mut all = self.values(key);
        if all.len() == 1 { all.pop() } else { None }
    }

    /// A command's words; `None` when something it needs is not known or could be taken for an option.
    pub fn words(&self, command: &[ServiceWord]) -> Option<Vec<String>> {
        let mut words = Vec::new();
        for word in command {
            match word {
                ServiceWord::Word(word) => self.word(word, &mut words)?,
                ServiceWord::Group(group) => {
                    if group.iter().flat_map(|word| keys(word)).all(|key| !self.values(key).is_empty()) {
                        group.iter().try_for_each(|word| self.word(word, &mut words))?;
                    }
                }
            }
        }
        Some(words)
    }

    fn word(&self, template: &str, words: &mut Vec<String>) -> Option<()> {
        // The program's own: it may be empty.
        if !template.contains('{') {
            words.push(template.to_owned());
            return Some(());
        }
        let several = template.strip_prefix('{').and_then(|rest| rest.strip_suffix("...}"));
        let Some(key) = several else {
            words.push(safe_word(template, self.fill(template)?)?);
            return Some(());
        };
        let values = self.values(key);
        if values.is_empty() {
            return None;
        }
        for value in values {
            words.push(safe_word(template, value)?);
        }
        Some(())
    }

    /// Fills `{key}`, `{key@part}` and `{key|default}`.
    fn fill(&self, template: &str) -> Option<String> {
        let mut out = String::with_capacity(template.len());
        let mut rest = template;
        while let Some(start) = rest.find('{') {
            out.push_str(&rest[..start]);
            rest = &rest[start..];
            let Some((inner, after)) = placeholder(rest) else {
                out.push('{');
                rest = &rest[1..];
                continue;
            };
            rest = after;
            let (key, default) = inner.split_once('|').map_or((inner, None), |(key, text)| (key, Some(text)));
            let (key, part) = key.split_once('@').unwrap_or((key, ""));
            match (self.values(key).as_slice(), default) {
                ([], Some(text)) => out.push_str(text),
                ([value], _) => out.push_str(take(part, value)?),
                (several, _) if part.is_empty() && template.contains(' ') && !several.is_empty() => {
                    out.push_str(&several.join(", "));
                }
                _ => return None,
            }
        }
        out.push_str(rest);
        Some(out)
    }
}

impl ServiceWord {
    /// Its words as they are written.
    pub fn each(&self) -> impl Iterator<Item = &String> {
        match self {
            Self::Word(word) => std::slice::from_ref(word).iter(),
            Self::Group(group) => group.iter(),
        }
    }

    /// The placeholders that it asks for.
    pub fn keys(&self) -> Vec<&str> {
        self.each().flat_map(|word| keys(word)).collect()
    }
}

/// A plain name: never a path, a placeholder or an option.
fn is_program(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphanumeric())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+'))
}

/// What stands in the braces that a text begins with, and what follows. Other braces are the program's own.
fn placeholder(text: &str) -> Option<(&str, &str)> {
    let (inner, rest) = text.strip_prefix('{')?.split_once('}')?;
    let key = inner.split('|').next().unwrap_or_default().trim_end_matches("...");
    let fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '@');
    let begins = key.trim_start_matches('-').starts_with(|c: char| c.is_ascii_alphanumeric());
    (begins && key.chars().all(fine)).then_some((inner, rest))
}

/// Keys that a word asks for and must have.
fn keys(template: &str) -> impl Iterator<Item = &str> {
    let starts = template.match_indices('{').filter_map(|(at, _)| placeholder(&template[at..]));
    starts.filter(|(inner, _)| !inner.contains('|')).map(|(inner, _)| {
        let key = inner.trim_end_matches("...");
        key.split('@').next().unwrap_or(key)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::{Knowledge, Pack};

    const CRONTAB: &str = r#"
[[keeping.crontab]]
title = "crontab of {-u|the user}"
tool = ["crontab"]
options = ["-u", "-r"]
acts = ["delete"]
keep = ["crontab", ["-u", "{-u}"], "-l"]
restore = ["crontab", ["-u", "{-u}"], "-"]
local = true
"#;

    fn words(text: &str) -> Option<Vec<String>> {
        let service = Pack::parse("x", CRONTAB).unwrap().services[0].it[0].clone();
        let tool = Knowledge::builtin().tool("crontab").unwrap();
        let words = shell_words::split(text).unwrap();
        service.call(&tool, &words, Action::Delete, None)?.words(&service.keep)
    }

    #[test]
    fn words_are_filled_and_never_become_options() {
        assert_eq!(words("crontab -r").unwrap(), ["crontab", "-l"]);
        assert_eq!(words("crontab -r -u bob").unwrap(), ["crontab", "-u", "bob", "-l"]);
        assert_eq!(words("/usr/bin/crontab -r").unwrap(), ["crontab", "-l"]);
        for refused in
            ["crontab -r -u ''", "crontab -r -u -e", "crontab -n host -r", "crontab -r -Z", "other -r"]
        {
            assert_eq!(words(refused), None, "{refused}");
        }
    }

    #[test]
    fn mistakes_are_errors() {
        for (from, to, said) in [
            ("keep = [\"crontab\"", "keep = [\"./crontab\"", "a program's plain name"),
            ("keep = [\"crontab\"", "keep = [\"{-u}\"", "a program's plain name"),
            ("acts = [\"delete\"]", "acts = []", "`acts` is empty"),
            ("local = true", "local = true\nwithout = [\"status\"]", "no JSON pointer"),
            ("local = true", "local = true\nat = [\"PGHOST\"]", "neither"),
        ] {
            let error = Pack::parse("x", &CRONTAB.replace(from, to)).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
