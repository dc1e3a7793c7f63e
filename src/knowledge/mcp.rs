//! Servers of the Model Context Protocol as data: which tools they have, what the arguments mean, what a call does.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;
use toml::de::DeTable;

use super::micro::{Condition, Template};
use super::placed::{Fault, did_you_mean, read};
use super::schema::EffectSpec;

/// A family of servers: a file of `mcp/*.toml`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct McpServer {
    /// Names by which such servers are known, best first.
    pub server: Vec<String>,
    /// What the rules rest on.
    pub doc: Vec<String>,
    /// Acts on another machine: what is here says nothing about it.
    pub remote: bool,
    /// Its tools are recognised by their own names when a call names no server.
    pub alone: bool,
    /// Tools that only read, whatever their arguments.
    pub reads: Vec<String>,
    /// Program whose subcommands the tools are named after: a tool that is not listed is judged as that command, its
    /// arguments as options (`rds.delete_db_instance` as `aws rds delete-db-instance`).
    pub cli: Option<String>,
    /// Subcommands of that program that go by another name there.
    pub services: BTreeMap<String, String>,
    /// Tools by their first name.
    pub tool: BTreeMap<String, McpTool>,
}

/// A tool.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct McpTool {
    /// Other names of it.
    pub alias: Vec<String>,
    /// Arguments that are known.
    pub args: Vec<McpArg>,
    /// Changes nothing but by roles that run.
    pub reads: bool,
    /// What a call does.
    pub effect: Vec<EffectSpec>,
    /// Commands that do the same.
    pub run: Vec<McpRun>,
    /// Examples, run as tests; cut out of the embedded text.
    pub example: Vec<McpExample>,
}

/// One argument: `"path file_path=path"`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct McpArg {
    /// Name by which effects ask for it: the first one.
    pub key: String,
    /// All names; dots lead into objects.
    pub names: Vec<String>,
    /// What it means.
    pub role: Option<String>,
}

/// Roles of arguments that mean something; `sql:` and `code:` name a dialect or language.
const ROLES: &[&str] = &[
    "shell",
    "argv",
    "args",
    "cwd",
    "content",
    "path",
    "dry",
    "host",
    "environment",
    "secret",
    "database",
    "language",
    "code",
    "text",
];

impl TryFrom<String> for McpArg {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let (names, role) = match text.split_once('=') {
            Some((names, role)) => (names, Some(role.trim().to_owned())),
            None => (text.as_str(), None),
        };
        if let Some(role) = &role
            && !ROLES.contains(&role.as_str())
            && !["sql:", "code:"].iter().any(|head| role.strip_prefix(head).is_some_and(|r| !r.is_empty()))
        {
            let hint = did_you_mean(role, ROLES.iter().copied());
            return Err(format!("argument `{text}`: `{role}` is not a role{hint}"));
        }
        let names = names.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let fine = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '.');
        match names.first() {
            Some(first) if names.iter().all(|name| name.chars().all(fine)) => {
                Ok(Self { key: first.clone(), names: names.clone(), role })
            }
            _ => Err(format!("argument `{text}`: names are lower case words joined by `_`")),
        }
    }
}

/// `[[run]]`: a command that does what the tool does, as words or as shell text.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct McpRun {
    /// All must hold.
    #[serde(default)]
    pub r#if: Vec<Condition>,
    /// None may hold.
    #[serde(default)]
    pub unless: Vec<Condition>,
    /// Words.
    #[serde(default)]
    pub argv: Vec<McpWord>,
    /// Shell text.
    pub text: Option<Template>,
}

/// One entry of `argv`: `"s3://{bucket}"`, or words under a condition: `"force? --force"`, `"branch? -b {branch}"`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct McpWord {
    /// Argument that must be there and not be off.
    pub when: Option<String>,
    /// It must be absent or off instead.
    pub not: bool,
    /// The words.
    pub words: Vec<Template>,
}

impl TryFrom<String> for McpWord {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let is_key = |key: &str| {
            let key = key.trim_start_matches('!');
            !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'))
        };
        match text.split_once("? ") {
            Some((key, rest)) if is_key(key) => Ok(Self {
                when: Some(key.trim_start_matches('!').to_owned()),
                not: key.starts_with('!'),
                words: rest
                    .split_whitespace()
                    .map(|word| Template::try_from(word.to_owned()))
                    .collect::<Result<_, _>>()?,
            }),
            _ => Ok(Self { when: None, not: false, words: vec![Template::try_from(text)?] }),
        }
    }
}

/// A call and what must come of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct McpExample {
    /// The arguments.
    #[serde(default)]
    pub call: toml::Table,
    /// Name of the tool, where it is not the first one.
    pub tool: Option<String>,
    /// Mutations as `action kind target`, in any order.
    pub is: Option<Vec<String>>,
    /// Shell text that does the same: it must give the same mutations.
    pub like: Option<String>,
}

impl McpServer {
    /// Reads a server with its tools strictly.
    pub(super) fn read(table: Spanned<DeTable<'_>>) -> Result<Self, Fault> {
        let server: Self = read(table)?;
        if server.server.is_empty() {
            return Err(Fault::from("`server` is missing: a list of names".to_owned()));
        }
        for (name, tool) in &server.tool {
            let fail = |why: String| Fault::from(why).of(&format!("tool {name}")).below(["tool", name]);
            tool.check().map_err(fail)?;
        }
        Ok(server)
    }
}

impl McpTool {
    /// Reads an embedded tool.
    pub(super) fn embedded(text: &str) -> Result<Self, String> {
        let tool: Self = serde_json::from_str(text).map_err(|e| e.to_string())?;
        tool.check()?;
        Ok(tool)
    }

    /// Every name in conditions and templates is an argument, and a tool does something or reads.
    fn check(&self) -> Result<(), String> {
        let known = |key: &str| {
            if self.args.iter().any(|arg| arg.key == key) {
                Ok(())
            } else {
                let hint = did_you_mean(key, self.args.iter().map(|arg| arg.key.as_str()));
                Err(format!("`{key}` is no argument (the first of its names counts){hint}"))
            }
        };
        let conditions = |list: &[Condition]| -> Result<(), String> {
            list.iter().flat_map(|c| &c.any).try_for_each(|atom| known(&atom.key))
        };
        for effect in &self.effect {
            conditions(&effect.r#if)?;
            conditions(&effect.unless)?;
            effect.on.target.names().try_for_each(known)?;
        }
        for run in &self.run {
            conditions(&run.r#if)?;
            conditions(&run.unless)?;
            if run.argv.is_empty() == run.text.is_none() {
                return Err("a run has either `argv` or `text`".to_owned());
            }
            for word in &run.argv {
                word.when.as_deref().map_or(Ok(()), known)?;
                word.words.iter().flat_map(Template::names).try_for_each(known)?;
            }
            run.text.iter().flat_map(Template::names).try_for_each(known)?;
        }
        let mut seen = std::collections::BTreeSet::new();
        if let Some(twice) = self.args.iter().flat_map(|arg| &arg.names).find(|name| !seen.insert(*name)) {
            return Err(format!("argument `{twice}` is declared twice"));
        }
        if !self.reads && self.effect.is_empty() && self.run.is_empty() && !self.runs_arguments() {
            return Err("says nothing about what it does; `reads = true` when it changes nothing".to_owned());
        }
        Ok(())
    }

    /// Some argument is run by its role alone.
    pub fn runs_arguments(&self) -> bool {
        self.args.iter().any(|arg| arg.role.as_deref().is_some_and(runs))
    }
}

/// Roles whose values are run.
pub(crate) fn runs(role: &str) -> bool {
    matches!(role, "shell" | "argv" | "code") || role.starts_with("sql:") || role.starts_with("code:")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::Pack;

    #[test]
    fn notations() {
        let arg = McpArg::try_from("path file_path uri=path".to_owned()).unwrap();
        assert_eq!((arg.key.as_str(), arg.names.len(), arg.role.as_deref()), ("path", 3, Some("path")));
        let word = McpWord::try_from("branch? -b {branch}".to_owned()).unwrap();
        assert_eq!((word.when.as_deref(), word.words.len()), (Some("branch"), 2));
        assert!(McpArg::try_from("filePath".to_owned()).is_err());
        assert!(McpArg::try_from("a=colour".to_owned()).is_err());
    }

    #[test]
    fn mistakes_are_errors_with_their_place() {
        let head = "server = [\"x\"]\n";
        for (text, part) in [
            ("colour = 1\n", "colour"),
            ("[tool.a]\ncolour = 1\n", ":3:"),
            ("[tool.a]\n", "says nothing"),
            ("[tool.a]\nargs = [\"b\"]\n[[tool.a.run]]\nargv = [\"rm\", \"{c}\"]\n", "`c` is no argument"),
            ("[tool.a]\nargs = [\"b\", \"c b\"]\nreads = true\n", "declared twice"),
            ("[tool.a]\n[[tool.a.run]]\n", "either"),
        ] {
            let error = Pack::parse("x.toml", &format!("{head}{text}")).unwrap_err().to_string();
            assert!(error.contains("x.toml") && error.contains(part), "{text}: {error}");
        }
        assert!(Pack::parse("x.toml", "reads = [\"a\"]\n[tool.a]\nreads = true\n").is_err());
    }
}
