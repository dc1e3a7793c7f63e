//! Tool files: the shape of the data, read strictly (an unknown key is an error with its place), and what it becomes.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use serde::Deserialize;

use super::compile;
use super::micro::{Condition, On, OperandSpec, OptionSpec, Template};
use super::pack::Pack;
use super::parts::PartSpec;
use super::placed::LoadError;
use super::raw::Defaults;
use super::room::Room;
use super::secrets::SecretSpecs;
use super::verbs::Verbs;
use crate::model::Action;

/// How a program reads its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Style {
    /// Options anywhere, clusters, unique prefixes.
    #[default]
    Gnu,
    /// Options end at the first operand.
    Posix,
    /// Long options start with one dash; no clusters.
    Long,
    /// The first word may be options without a dash.
    Bundle,
    /// `key=value` words.
    Assign,
    /// No options at all.
    Raw,
}

/// What a subcommand that is not listed means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unlisted {
    /// Not known.
    #[default]
    Gap,
    /// It changes nothing.
    Reads,
    /// Not known, but its words say whether it may destroy something.
    Words,
}

/// A command: the tool itself, or one of its subcommands.
#[derive(Debug, Default)]
pub struct CommandSpec {
    /// How words are read.
    pub style: Style,
    /// Options, in the order of the file.
    pub options: Vec<OptionSpec>,
    /// Operands, unless a form replaces them.
    pub operands: Vec<OperandSpec>,
    /// Alternatives for the operands; the first that holds is taken.
    pub forms: Vec<FormSpec>,
    /// Changes nothing but by roles that write.
    pub reads: bool,
    /// Effects.
    pub effects: Vec<EffectSpec>,
    /// Subcommands.
    pub commands: Subcommands,
    /// Options may also stand after a subcommand's name.
    pub inherit: bool,
    /// Subcommand that is meant when none is given.
    pub default: Option<String>,
    /// What an unlisted subcommand means.
    pub unlisted: Unlisted,
    /// An option that is not listed is a flag that changes nothing.
    pub unlisted_options: Unlisted,
    /// Verbs that tell what a subcommand that is not listed does.
    pub verbs: Option<Verbs>,
    /// Subcommands that are not listed and stay unknown, whatever `unlisted` says.
    pub asks: Vec<String>,
    /// A unique beginning of a subcommand's name stands for it; counts for all below.
    pub shortened: bool,
    /// `-5` is an option.
    pub numeric: bool,
    /// Directory for operands and nested commands.
    pub cwd: Option<Template>,
    /// Nested commands run on another machine.
    pub host: Option<Template>,
    /// When that machine is made by the command itself and reaches nothing of this one.
    pub fresh: Vec<FreshSpec>,
    /// Whose home nested commands begin in, as a login does.
    pub home: Vec<HomeSpec>,
    /// Nested commands run with more rights.
    pub privileged: bool,
    /// What standard input is.
    pub stdin: Vec<StdinSpec>,
    /// Parts of values that mean more than the whole.
    pub parts: Vec<PartSpec>,
    /// Where secrets stand that no role tells of; of the tool itself alone.
    pub secrets: SecretSpecs,
    /// What standard output holds a copy of.
    pub prints: Vec<PrintsSpec>,
    /// Standard output holds all that comes in on standard input.
    pub passes: bool,
    /// The room that says what becomes of the declared effects.
    pub refine: Option<Room>,
    /// The room that says what data cannot: what the program runs and prints.
    pub code: Option<Room>,
    /// Examples (only when the file was read for a test).
    pub examples: Vec<ExampleSpec>,
    /// What holds for each subcommand that does not say otherwise; of the tool itself alone.
    pub(super) defaults: Option<Defaults>,
    /// How many of the effects are written as tables; the others stand in `does`.
    pub tables: usize,
    /// Its effects are another declaration's, which shows them by its own examples.
    pub taken: bool,
    /// A group that is not listed, and that the name of a thing begins with.
    pub(super) implied: bool,
    /// Made of a verb: the thing of `things` that it takes away.
    pub thing: Option<String>,
}

impl CommandSpec {
    /// Whether its first word is the name of a subcommand.
    pub(super) fn is_group(&self) -> bool {
        let by_verb = self.verbs.is_some() && self.operands.is_empty() && self.forms.is_empty();
        !self.commands.is_empty() || self.implied || by_verb
    }

    /// True when nothing says what it does: such a command passes as one that changes nothing.
    pub fn says_nothing(&self) -> bool {
        !self.reads
            && !self.is_dangerous()
            && self.effects.is_empty()
            && self.commands.is_empty()
            && self.verbs.is_none()
            && self.code.is_none()
            && self.prints.is_empty()
    }

    /// True when it, or a command below it, is dangerous. `root` is the tool's.
    pub(super) fn is_dangerous_below(&self, root: &Self) -> bool {
        let below = |name: &str| self.commands.get(name, root).is_none_or(|sub| sub.is_dangerous_below(root));
        self.is_dangerous() || self.commands.names().any(below)
    }

    /// True when it may lose something, run something or write by itself: an effect other than creating and reading, a
    /// room that refines them, or a role that writes or runs.
    pub fn is_dangerous(&self) -> bool {
        let roles = self
            .options
            .iter()
            .filter_map(|o| o.role.as_deref())
            .chain(self.operands.iter().map(|o| o.role.as_str()))
            .chain(self.forms.iter().flat_map(|f| f.operands.iter().map(|o| o.role.as_str())));
        self.refine.is_some()
            || self.effects.iter().any(|e| !matches!(e.action, Action::Create | Action::Read))
            || !self.stdin.is_empty()
            || !self.parts.is_empty()
            || roles.into_iter().any(writes_or_runs)
    }
}

/// Roles whose words are more than labels.
pub(super) fn writes_or_runs(role: &str) -> bool {
    matches!(role, "outfile" | "appendfile") || runs(role)
}

/// Roles whose words are run.
pub(super) fn runs(role: &str) -> bool {
    matches!(role, "argv" | "program" | "commas" | "shell" | "shell-list" | "script" | "library")
        || ["code:", "sql:", "sqlfile:", "script:"].iter().any(|head| role.starts_with(head))
}

/// `[[form]]`: operands under a condition.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FormSpec {
    /// All must hold.
    #[serde(default)]
    pub r#if: Vec<Condition>,
    /// None may hold.
    #[serde(default)]
    pub unless: Vec<Condition>,
    /// Operands then.
    pub operands: Vec<OperandSpec>,
}

/// `[[stdin]]`: what standard input is under a condition.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StdinSpec {
    /// All must hold.
    #[serde(default)]
    pub r#if: Vec<Condition>,
    /// None may hold.
    #[serde(default)]
    pub unless: Vec<Condition>,
    /// `shell`, `code:python`, `sql:sqlite`, `paths`.
    pub r#as: String,
}

/// `[[fresh]]`: the host is made by the command itself.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FreshSpec {
    /// All must hold.
    #[serde(default)]
    pub r#if: Vec<Condition>,
    /// None may hold.
    #[serde(default)]
    pub unless: Vec<Condition>,
}

/// `[[prints]]`: standard output is a copy of files.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrintsSpec {
    /// All must hold.
    #[serde(default)]
    pub r#if: Vec<Condition>,
    /// None may hold.
    #[serde(default)]
    pub unless: Vec<Condition>,
    /// Which files.
    pub of: Template,
}

/// `[[home]]`: nested commands begin in somebody's home.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HomeSpec {
    /// Whose it is.
    pub of: Template,
    /// All must hold.
    #[serde(default)]
    pub r#if: Vec<Condition>,
    /// None may hold.
    #[serde(default)]
    pub unless: Vec<Condition>,
}

/// `[[effect]]`: one thing that is done.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EffectSpec {
    /// What is done.
    #[serde(rename = "do")]
    pub action: Action,
    /// To what.
    pub on: On,
    /// All must hold.
    #[serde(default)]
    pub r#if: Vec<Condition>,
    /// None may hold.
    #[serde(default)]
    pub unless: Vec<Condition>,
    /// Facts for the kind: `key` or `key=value`.
    #[serde(default)]
    pub with: Vec<String>,
}

/// `[[example]]`: a command and what comes of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExampleSpec {
    /// Shell text.
    pub run: String,
    /// Mutations as `action kind target`, in order.
    pub is: Option<Vec<String>>,
    /// Nested commands.
    pub runs: Option<Vec<String>>,
    /// It stands in the table `examples`.
    #[serde(skip)]
    pub short: bool,
}

/// A tool with everything below it.
#[derive(Debug)]
pub struct ToolFile {
    /// Its names; the first is the one in rules.
    pub names: Vec<String>,
    /// What the rules rest on.
    pub doc: Vec<String>,
    /// Added by a user's file.
    pub added: bool,
    /// The tool that it takes its declaration over from.
    pub like: Option<String>,
    /// The command.
    pub root: Arc<CommandSpec>,
}

impl ToolFile {
    /// Reads a whole file strictly, subcommands and examples included: one tool, or several under `[[tools]]`.
    pub fn parse(file: &str, text: &str) -> Result<Vec<Arc<Self>>, LoadError> {
        Ok(Pack::parse(file, text)?.tools.into_iter().map(|part| part.it).collect())
    }

    /// True when any command of it is dangerous ([`CommandSpec::is_dangerous`]). Reads all subcommands.
    pub fn is_dangerous(&self) -> bool {
        self.root.is_dangerous_below(&self.root)
    }
}

/// Subcommands by name and alias. Those of an embedded tool are read when they are asked for.
#[derive(Debug, Default)]
pub struct Subcommands {
    index: BTreeMap<String, usize>,
    list: Vec<Subcommand>,
}

#[derive(Debug)]
struct Subcommand {
    name: String,
    text: Option<&'static str>,
    cell: OnceLock<Option<Arc<CommandSpec>>>,
}

impl Subcommands {
    /// What is written of an embedded one.
    pub(super) fn written(&self, name: &str) -> Option<&'static str> {
        self.list.get(*self.index.get(name)?)?.text
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Their names without aliases.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|s| s.name.as_str())
    }

    /// Whether it is the beginning of a longer name or alias of a dangerous command. `root` is the tool's.
    pub(super) fn is_short(&self, start: &str, root: &CommandSpec) -> bool {
        let longer = self.index.keys().filter(|name| name.len() > start.len() && name.starts_with(start));
        longer.into_iter().any(|name| self.get(name, root).is_none_or(|sub| sub.is_dangerous_below(root)))
    }

    /// The only command with a name or alias that begins so.
    pub fn completed(&self, start: &str) -> Option<&str> {
        let mut found = self.index.range(start.to_owned()..).take_while(|(name, _)| name.starts_with(start));
        let at = *found.next()?.1;
        found.all(|(_, other)| *other == at).then(|| self.list.get(at).map(|s| s.name.as_str()))?
    }

    /// The declared name for a name or alias.
    pub fn canonical(&self, name: &str) -> Option<&str> {
        self.index.get(name).and_then(|at| self.list.get(*at)).map(|s| s.name.as_str())
    }

    /// The subcommand with this name or alias. `None` when there is none or when its text cannot be read (which the
    /// tests rule out for embedded ones). `parent` is the tool's root.
    pub fn get(&self, name: &str, parent: &CommandSpec) -> Option<Arc<CommandSpec>> {
        let sub = self.list.get(*self.index.get(name)?)?;
        sub.cell.get_or_init(|| compile::subcommand(sub.text?, &sub.name, parent).ok().map(Arc::new)).clone()
    }

    /// Adds one that is read.
    pub(super) fn add(&mut self, names: &[String], command: CommandSpec) -> Result<(), String> {
        let cell = OnceLock::new();
        drop(cell.set(Some(Arc::new(command))));
        self.insert(names, None, cell)
    }

    /// Adds one that is read later.
    pub(super) fn add_text(&mut self, names: &[String], text: &'static str) -> Result<(), String> {
        self.insert(names, Some(text), OnceLock::new())
    }

    fn insert(
        &mut self,
        names: &[String],
        text: Option<&'static str>,
        cell: OnceLock<Option<Arc<CommandSpec>>>,
    ) -> Result<(), String> {
        for name in names {
            if self.index.insert(name.clone(), self.list.len()).is_some() {
                return Err(format!("subcommand `{name}` is declared twice"));
            }
        }
        let name = names.first().cloned().unwrap_or_default();
        self.list.push(Subcommand { name, text, cell });
        Ok(())
    }
}
