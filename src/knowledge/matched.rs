//! The result of matching words against a declaration, and the questions that can be asked of it.

use std::sync::Arc;

use super::micro::{Atom, Condition, Piece, Template};
use super::schema::{CommandSpec, ToolFile, runs};
use super::taken::take;
use super::verbs::Verb;
use crate::model::Value;
use crate::order;
use crate::wildcard::{self, Options};

/// An option that was given.
#[derive(Clone, Debug, PartialEq)]
pub struct OptionUse {
    /// The option's first spelling in the declaration (`-r` for `--recursive`).
    pub key: String,
    /// Its value, when it takes one and one was given.
    pub value: Option<Value>,
    /// Role of the value.
    pub role: Option<String>,
    /// Index of the word that holds the option.
    pub index: usize,
    /// Index of the word that holds the value (the same word when attached).
    pub value_index: usize,
    /// Which command of the path declares it: 0 is the tool.
    pub level: usize,
    /// All values count; otherwise the last one.
    pub repeats: bool,
}

/// An operand that was given.
#[derive(Clone, Debug, PartialEq)]
pub struct Binding {
    /// Operand name in the declaration.
    pub name: String,
    /// Its role.
    pub role: String,
    /// Value.
    pub value: Value,
    /// Index of its word.
    pub index: usize,
}

/// A word that the declaration does not explain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrammarGap {
    /// Index of the word.
    pub index: usize,
    /// Why, for a person: "unknown option -Z".
    pub reason: String,
    /// A subcommand of a tool whose subcommands are judged by their words.
    pub by_words: bool,
}

/// Words that are run by the program: a nested command, shell text, a script, code or SQL.
#[derive(Clone, Debug, PartialEq)]
pub struct Nested {
    /// `argv`, `shell`, `script`, `code:python`, `sql:sqlite` …
    pub role: String,
    /// Name of the operand, or key of the option.
    pub name: String,
    /// The words, in order: one, but for `argv` and shell text of several words.
    pub values: Vec<Value>,
    /// Their indices.
    pub indices: Vec<usize>,
    /// It is an option's value.
    pub option: bool,
    /// It is run here, whatever machine the rest is run on.
    pub here: bool,
}

/// A template with values put in.
#[derive(Clone, Debug, PartialEq)]
pub struct Filled {
    /// The text.
    pub value: Value,
    /// The same, cut where the template has blanks.
    pub parts: Vec<Value>,
    /// Words that it comes from.
    pub indices: Vec<usize>,
    /// It comes from options alone, of which there is one at least.
    pub from_options: bool,
    /// The template begins with `~`: the user's home.
    pub home: bool,
}

impl Filled {
    /// Nothing follows: without the blank in front of it.
    fn trim(&mut self) {
        if let Value::Known(text) = &mut self.value {
            text.truncate(text.trim_end().len());
        }
        if self.parts.last().and_then(Value::as_known) == Some("") {
            self.parts.pop();
        }
    }

    fn text(&mut self, text: &str) {
        self.value = self.value.concat(&Value::known(text));
        for (number, part) in text.split(' ').enumerate() {
            match self.parts.last_mut() {
                Some(last) if number == 0 => *last = last.concat(&Value::known(part)),
                _ => self.parts.push(Value::known(part)),
            }
        }
    }

    fn with(&self, value: &Value, index: Option<usize>, option: bool) -> Self {
        let mut parts = self.parts.clone();
        if let Some(last) = parts.last_mut() {
            *last = last.concat(value);
        }
        let from_options = if index.is_some() {
            option && (self.indices.is_empty() || self.from_options)
        } else {
            self.from_options
        };
        Self {
            value: self.value.concat(value),
            parts,
            indices: self.indices.iter().copied().chain(index).collect(),
            from_options,
            home: self.home,
        }
    }
}

/// Whether a template's own text begins in the home directory.
fn is_home(text: &str) -> bool {
    text == "~" || text.starts_with("~/")
}

/// The result of matching. Total: whatever the words, there is one. Word indices count from 0 behind the command word.
#[derive(Clone, Debug)]
pub struct Match {
    /// The tool's file.
    pub tool: Arc<ToolFile>,
    /// The (sub)command that matched.
    pub command: Arc<CommandSpec>,
    /// Its path, tool first: `["git", "push"]`.
    pub path: Vec<String>,
    /// The same as typed: a subcommand's alias where one was used, its declared name where it is the default.
    pub typed: Vec<String>,
    /// Index of the `--` that ended the options of the last command of the path.
    pub separator: Option<usize>,
    /// The commands of the path, the last one being `command`.
    pub levels: Vec<Arc<CommandSpec>>,
    /// Options in order. Those that were switched off again are not among them.
    pub options: Vec<OptionUse>,
    /// Operands in order.
    pub operands: Vec<Binding>,
    /// What is not explained.
    pub gaps: Vec<GrammarGap>,
    /// An informational option was given (`--help`, `--version`): nothing happens.
    pub informational: bool,
    /// Declared dry run.
    pub dry_run: bool,
    /// The subcommand is not listed, and the file says that such ones only read.
    pub unlisted_reads: bool,
    /// The subcommand is not listed, and its verb says that it makes something or hands out access; where its words begin.
    pub unlisted_verb: Option<(Verb, usize)>,
}

impl Match {
    /// Most values that one template may expand to.
    pub const MAX_FILLED: usize = 4096;

    /// Uses of the option with this key that count: all, or the last one. Where several commands of the path declare the
    /// key, the innermost one's.
    fn uses(&self, key: &str) -> Vec<&OptionUse> {
        let declared = self.levels.iter().rposition(|l| l.options.iter().any(|o| o.key == key)).unwrap_or(0);
        self.uses_at(key, declared)
    }

    fn uses_at(&self, key: &str, level: usize) -> Vec<&OptionUse> {
        let all = self.options.iter().filter(|o| o.key == key && o.level == level).collect::<Vec<_>>();
        match all.last() {
            Some(last) if !last.repeats => vec![last],
            _ => all,
        }
    }

    /// Whether the option (by key) or operand (by name) was given.
    pub fn has(&self, key: &str) -> bool {
        !self.uses(key).is_empty() || self.operands.iter().any(|b| b.name == key)
    }

    /// The option's value: the last one given.
    pub fn value(&self, key: &str) -> Option<&Value> {
        self.uses(key).last().and_then(|o| o.value.as_ref())
    }

    /// The option's values: all for one that repeats, otherwise the last.
    pub fn values(&self, key: &str) -> Vec<&Value> {
        self.uses(key).into_iter().filter_map(|o| o.value.as_ref()).collect()
    }

    /// The first operand of this name.
    pub fn operand(&self, name: &str) -> Option<&Binding> {
        self.operands.iter().find(|b| b.name == name)
    }

    /// All operands of this name.
    pub fn operands(&self, name: &str) -> Vec<&Binding> {
        self.operands.iter().filter(|b| b.name == name).collect()
    }

    /// Whether every condition of `all` holds and none of `none`.
    pub fn holds(&self, all: &[Condition], none: &[Condition]) -> bool {
        all.iter().all(|c| self.condition(c)) && !none.iter().any(|c| self.condition_surely(c))
    }

    /// Might hold: a value that is not known may be the one asked for.
    fn condition(&self, condition: &Condition) -> bool {
        condition.any.iter().any(|atom| self.atom(atom, true))
    }

    /// Holds for sure.
    fn condition_surely(&self, condition: &Condition) -> bool {
        condition.any.iter().any(|atom| self.atom(atom, false))
    }

    fn atom(&self, atom: &Atom, perhaps: bool) -> bool {
        let Some(wanted) = &atom.value else { return self.has(&atom.key) };
        let perhaps = perhaps && !atom.sure;
        let options = self.uses(&atom.key).into_iter().filter_map(|o| o.value.as_ref());
        let operands = self.operands.iter().filter(|b| b.name == atom.key).map(|b| &b.value);
        options.chain(operands).any(|value| match value.choices() {
            Some([only]) => compares(wanted, only),
            Some(list) => perhaps && list.iter().any(|one| compares(wanted, one)),
            None if wanted.contains('*') => perhaps,
            None => perhaps && wanted.starts_with(&value.prefix()) && wanted.ends_with(&value.suffix()),
        })
    }

    /// Values of an option key or operand name with the indices of their words.
    pub fn named(&self, name: &str) -> Vec<(&Value, usize)> {
        let options = self.uses(name).into_iter().filter_map(|o| Some((o.value.as_ref()?, o.value_index)));
        let operands = self.operands.iter().filter(|b| b.name == name).map(|b| (&b.value, b.index));
        options.chain(operands).collect()
    }

    /// Puts values into a template: one result per combination, none where a value without default is missing.
    /// `stdin` are the names that standard input gives.
    pub fn fill(&self, template: &Template, stdin: &[Value]) -> Vec<Filled> {
        self.fill_with(template, |name| {
            if name == "stdin" { stdin.iter().map(|v| (v.clone(), None)).collect() } else { self.owned(name) }
        })
    }

    /// The same; `lists` gives the names in the lists that `{@name}` stands for.
    pub fn fill_listed(
        &self,
        template: &Template,
        stdin: &[Value],
        lists: &dyn Fn(&str) -> Vec<Value>,
    ) -> Vec<Filled> {
        self.fill_with(template, |name| match name.strip_prefix('@') {
            Some(key) => lists(key).into_iter().map(|name| (name, None)).collect(),
            None if name == "stdin" => stdin.iter().map(|v| (v.clone(), None)).collect(),
            None => self.owned(name),
        })
    }

    fn owned(&self, name: &str) -> Vec<(Value, Option<usize>)> {
        self.named(name).into_iter().map(|(v, i)| (v.clone(), Some(i))).collect()
    }

    fn fill_with(
        &self,
        template: &Template,
        values: impl Fn(&str) -> Vec<(Value, Option<usize>)>,
    ) -> Vec<Filled> {
        let mut results = vec![Filled {
            value: Value::known(""),
            parts: vec![Value::known("")],
            indices: Vec::new(),
            from_options: false,
            home: false,
        }];
        for (number, piece) in template.pieces.iter().enumerate() {
            match piece {
                Piece::Text(text) => {
                    for filled in &mut results {
                        filled.home |= number == 0 && is_home(text);
                        filled.text(text);
                    }
                }
                Piece::Value { name, default, part } => {
                    let mut given = values(name);
                    let mut default = default.as_deref();
                    // `{dir|-D}`: another option.
                    while let Some(text) = default.filter(|text| given.is_empty() && text.starts_with('-')) {
                        let (name, rest) =
                            text.split_once('|').map_or((text, None), |(name, rest)| (name, Some(rest)));
                        given = values(name);
                        default = rest;
                    }
                    if given.is_empty()
                        && let Some(text) = default
                    {
                        if text.is_empty() && number + 1 == template.pieces.len() {
                            results.iter_mut().for_each(Filled::trim);
                        }
                        given.push((Value::known(text), None));
                        if number == 0 && is_home(text) {
                            results.iter_mut().for_each(|filled| filled.home = true);
                        }
                    }
                    results = results
                        .iter()
                        .flat_map(|filled| {
                            given.iter().map(|(value, index)| {
                                filled.with(&take(*part, value), *index, name.starts_with('-'))
                            })
                        })
                        .take(Self::MAX_FILLED)
                        .collect();
                }
            }
        }
        results
    }

    /// Words that the program runs, in the order of the words.
    pub fn nested(&self) -> Vec<Nested> {
        let mut found: Vec<Nested> = Vec::new();
        for given in &self.options {
            if let (Some(role), Some(value)) = (&given.role, &given.value)
                && runs(role)
            {
                found.push(Nested {
                    role: role.clone(),
                    name: given.key.clone(),
                    values: vec![value.clone()],
                    indices: vec![given.value_index],
                    option: true,
                    here: false,
                });
            }
        }
        for part in self.parts().into_iter().filter(|part| runs(&part.role)) {
            found.push(Nested {
                role: part.role,
                name: part.name,
                values: vec![part.value],
                indices: vec![part.index],
                option: true,
                here: part.here,
            });
        }
        for binding in self.operands.iter().filter(|b| runs(&b.role)) {
            // Operands called `shell` are texts of their own; under another name they are the words of one.
            let joins = binding.role == "argv" || (binding.role == "shell" && binding.name != "shell");
            match found.last_mut() {
                Some(last) if joins && !last.option && last.name == binding.name => {
                    last.values.push(binding.value.clone());
                    last.indices.push(binding.index);
                }
                _ => found.push(Nested {
                    role: binding.role.clone(),
                    name: binding.name.clone(),
                    values: vec![binding.value.clone()],
                    indices: vec![binding.index],
                    option: false,
                    here: false,
                }),
            }
        }
        // An option that swallows a command (`find -exec` style) is given word by word.
        let mut merged: Vec<Nested> = Vec::new();
        for nested in found {
            match merged.last_mut() {
                Some(last)
                    if last.option
                        && nested.option
                        && nested.role == "argv"
                        && last.name == nested.name
                        && last.indices.last().map(|i| i + 1) == nested.indices.first().copied() =>
                {
                    last.values.extend(nested.values);
                    last.indices.extend(nested.indices);
                }
                _ => merged.push(nested),
            }
        }
        order::by_key(&mut merged, |n| n.indices.first().copied().unwrap_or(0));
        merged
    }

    /// Words that are written to by their role: `outfile` or `appendfile`, with value and index.
    pub fn written(&self) -> Vec<(String, Value, usize)> {
        let options = self.options.iter().filter_map(|o| {
            Some((o.role.as_deref()?, o.value.as_ref()?, o.value_index)).filter(|(role, ..)| writes(role))
        });
        let operands =
            self.operands.iter().filter(|b| writes(&b.role)).map(|b| (b.role.as_str(), &b.value, b.index));
        let words =
            options.chain(operands).map(|(role, value, index)| (role.to_owned(), value.clone(), index));
        let parts = self.parts().into_iter().filter(|part| writes(&part.role));
        words.chain(parts.map(|part| (part.role, part.value, part.index))).collect()
    }

    /// Values of the options whose role is this.
    pub fn of_role<'a>(&'a self, role: &'a str) -> impl Iterator<Item = &'a Value> {
        let given = self.options.iter().filter(move |option| option.role.as_deref() == Some(role));
        given.filter_map(|option| option.value.as_ref())
    }

    /// What standard input is to this form of the command: `shell`, `code:python`, `sql:sqlite`, `paths`.
    pub fn stdin_role(&self) -> Option<&str> {
        self.command.stdin.iter().find(|s| self.holds(&s.r#if, &s.unless)).map(|s| s.r#as.as_str())
    }

    /// Directories for operands and nested commands, outermost first: each is relative to the one before. An
    /// option that may be given several times (`git -C a -C b`) gives several.
    pub fn cwd(&self) -> Vec<Value> {
        self.levels.iter().enumerate().flat_map(|(level, spec)| self.at(level, spec.cwd.as_ref())).collect()
    }

    /// In whose home nested commands begin, where it is a login's.
    pub fn home_of(&self) -> Option<Value> {
        let levels = self.levels.iter().enumerate();
        let mut homes = levels.flat_map(|(level, spec)| {
            let found = spec.home.iter().find(|home| self.holds(&home.r#if, &home.unless));
            found.and_then(|home| self.at(level, Some(&home.of)).into_iter().next())
        });
        homes.next()
    }

    /// The other machine or container that nested commands run on.
    pub fn host(&self) -> Option<Value> {
        self.levels.iter().enumerate().flat_map(|(level, spec)| self.at(level, spec.host.as_ref())).last()
    }

    /// That host is made by this very command, and nothing of this machine is reachable from it.
    pub fn makes_host(&self) -> bool {
        self.command.fresh.iter().any(|s| self.holds(&s.r#if, &s.unless))
    }

    fn at(&self, level: usize, template: Option<&Template>) -> Vec<Value> {
        let Some(template) = template else { return Vec::new() };
        self.fill_with(template, |name| {
            let uses = self.uses_at(name, level);
            if uses.is_empty() {
                return self.owned(name);
            }
            uses.into_iter().filter_map(|o| Some((o.value.clone()?, Some(o.value_index)))).collect()
        })
        .into_iter()
        .map(|filled| filled.value)
        .collect()
    }

    /// Nested commands run with more rights.
    pub fn privileged(&self) -> bool {
        self.levels.iter().any(|l| l.privileged)
    }

    /// Nothing happens: help, version, or a declared dry run.
    pub fn does_nothing(&self) -> bool {
        self.informational || self.dry_run
    }

    /// All that the declaration does not explain are subcommands that are judged by their words.
    pub fn is_judged_by_words(&self) -> bool {
        self.gaps.iter().all(|gap| gap.by_words)
    }

    /// True when this very form may lose or run something: its command is dangerous and it is no help or dry run.
    pub fn is_dangerous(&self) -> bool {
        let grants = self.unlisted_verb.is_some_and(|(verb, _)| verb == Verb::Grant);
        !self.does_nothing() && (grants || !self.unlisted_reads && self.command.is_dangerous())
    }
}

/// Whether a value is the one asked for; `*` stands for any text, and case does not count then.
pub(super) fn compares(wanted: &str, value: &str) -> bool {
    let options = Options { stars_only: true, ignore_case: true, exact: true, ..Options::default() };
    wanted == value || (wanted.contains('*') && wildcard::matches(wanted, value, options))
}

fn writes(role: &str) -> bool {
    matches!(role, "outfile" | "appendfile")
}
