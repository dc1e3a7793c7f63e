//! The keys of a tool and of its subcommands as they are written, and what they take over: `like` and `defaults`.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::brief::{About, Brief, OneOrMore};
use super::index;
use super::micro::{OperandSpec, OptionSpec, Template};
use super::parts::PartSpec;
use super::placed::{Fault, did_you_mean};
use super::room::Room;
use super::schema::{
    EffectSpec, ExampleSpec, FormSpec, FreshSpec, HomeSpec, PrintsSpec, StdinSpec, Style, Unlisted,
};
use super::secrets::SecretSpecs;
use super::verbs::Verbs;

/// The keys of a command and of a tool. Which of them may stand where is checked after.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Raw {
    pub(super) tool: Option<OneOrMore<String>>,
    pub(super) like: Option<String>,
    pub(super) doc: Vec<String>,
    pub(super) style: Option<Style>,
    pub(super) options: Vec<OptionSpec>,
    pub(super) operands: Option<Vec<OperandSpec>>,
    pub(super) form: Vec<FormSpec>,
    pub(super) reads: Option<bool>,
    pub(super) effect: Vec<EffectSpec>,
    pub(super) does: OneOrMore<Brief>,
    pub(super) cmd: BTreeMap<String, Self>,
    pub(super) defaults: Option<Defaults>,
    pub(super) things: BTreeMap<String, OneOrMore<About>>,
    pub(super) inherit: Option<bool>,
    pub(super) alias: OneOrMore<String>,
    pub(super) default: Option<String>,
    pub(super) unlisted: Option<Unlisted>,
    pub(super) unlisted_options: Option<Unlisted>,
    pub(super) verbs: Option<Verbs>,
    pub(super) asks: Vec<String>,
    pub(super) shortened: Option<bool>,
    pub(super) numeric: Option<bool>,
    pub(super) cwd: Option<Template>,
    pub(super) host: Option<Template>,
    pub(super) fresh: Vec<FreshSpec>,
    pub(super) home: Vec<HomeSpec>,
    pub(super) privileged: Option<bool>,
    pub(super) stdin: Vec<StdinSpec>,
    pub(super) part: Vec<PartSpec>,
    pub(super) secrets: Option<SecretSpecs>,
    pub(super) prints: Vec<PrintsSpec>,
    pub(super) passes: Option<bool>,
    pub(super) refine: Option<Room>,
    pub(super) code: Option<Room>,
    pub(super) example: Vec<ExampleSpec>,
    pub(super) examples: BTreeMap<String, OneOrMore<String>>,
    /// Its effects are another declaration's.
    #[serde(skip)]
    pub(super) taken: bool,
}

/// `[defaults]`: what holds for each subcommand that has none below it and does not say otherwise.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Defaults {
    /// In addition to its own.
    pub(super) options: Vec<OptionSpec>,
    /// Where it has neither operands nor forms.
    pub(super) operands: Option<Vec<OperandSpec>>,
    /// What an option that is not listed means.
    pub(super) unlisted_options: Option<Unlisted>,
}

impl Raw {
    /// From JSON, as it is embedded.
    pub(super) fn embedded(text: &str) -> Result<Self, Fault> {
        serde_json::from_str(text).map_err(|e| Fault::from(e.to_string()))
    }

    /// A built-in tool as it is written, with its subcommands, without examples.
    fn builtin(name: &str) -> Result<Self, Fault> {
        let number = index::tool(name).ok_or_else(|| {
            let hint = did_you_mean(name, index::tool_names());
            let what = format!(
                "`like = \"{name}\"`: no tool of this name is built in or stands above in this file{hint}"
            );
            Fault::from(what).below(["like"])
        })?;
        let mut raw = Self::embedded(index::tool_text(number).unwrap_or_default())?;
        for (mut names, text) in index::subcommands(number) {
            let name = names.next().unwrap_or_default().to_owned();
            let mut below = Self::embedded(text)?;
            below.alias = OneOrMore(names.map(str::to_owned).collect());
            raw.cmd.insert(name, below);
        }
        Ok(raw)
    }

    /// This tool with what it takes over from the one that `like` names. `known` are the tools that stand above it.
    pub(super) fn like_a_tool(mut self, known: &BTreeMap<String, Self>) -> Result<Self, Fault> {
        let Some(name) = self.like.take() else { return Ok(self) };
        let base = match known.get(&name) {
            Some(base) => base.clone(),
            None => Self::builtin(&name)?.like_a_tool(&BTreeMap::new())?,
        };
        Ok(self.over(base))
    }

    /// This subcommand with what it takes over from another one of the same tool; `find` tells it by its path.
    pub(super) fn like_a_command(mut self, find: &dyn Fn(&str) -> Option<Self>) -> Result<Self, Fault> {
        let Some(path) = self.like.take() else { return Ok(self) };
        let Some(base) = find(&path) else {
            let what = format!("`like = \"{path}\"`: the tool has no subcommand `{path}`");
            return Err(Fault::from(what).below(["like"]));
        };
        if base.like.is_some() {
            let what = format!("`like = \"{path}\"`: `{path}` takes over from another itself; name that one");
            return Err(Fault::from(what).below(["like"]));
        }
        Ok(self.over(base))
    }

    /// The subcommand at a path below this one.
    pub(super) fn at(&self, path: &str) -> Option<&Self> {
        path.split(' ').try_fold(self, |raw, name| raw.cmd.get(name))
    }

    /// What is said here, on top of `base`: a key that is given replaces the other's, options and subcommands are added to.
    pub(super) fn over(mut self, base: Self) -> Self {
        let spelled = |list: &[OptionSpec], option: &OptionSpec| {
            list.iter().any(|own| option.on.iter().any(|word| own.is_on(word) || own.is_off(word)))
        };
        let more: Vec<OptionSpec> =
            base.options.into_iter().filter(|option| !spelled(&self.options, option)).collect();
        self.options.extend(more);
        if self.effect.is_empty() && self.does.0.is_empty() {
            self.taken = true;
            self.effect = base.effect;
            self.does = base.does;
        }
        let own: Vec<String> = self
            .cmd
            .iter()
            .flat_map(|(name, raw)| std::iter::once(name).chain(&raw.alias.0))
            .cloned()
            .collect();
        for (name, below) in base.cmd {
            let own_name = own.contains(&name);
            let mut below = below.all_taken();
            below.alias.0.retain(|alias| !own.contains(alias));
            if !own_name {
                self.cmd.insert(name, below);
            }
        }
        for (thing, about) in base.things {
            self.things.entry(thing).or_insert(about);
        }
        self.verbs = match (self.verbs.take(), base.verbs) {
            (Some(own), Some(base)) => Some(own.over(base)),
            (own, base) => own.or(base),
        };
        self.style = self.style.or(base.style);
        self.operands = self.operands.or(base.operands);
        self.reads = self.reads.or(base.reads);
        self.defaults = self.defaults.or(base.defaults);
        self.inherit = self.inherit.or(base.inherit);
        self.default = self.default.or(base.default);
        self.unlisted = self.unlisted.or(base.unlisted);
        self.unlisted_options = self.unlisted_options.or(base.unlisted_options);
        self.shortened = self.shortened.or(base.shortened);
        self.numeric = self.numeric.or(base.numeric);
        self.cwd = self.cwd.or(base.cwd);
        self.host = self.host.or(base.host);
        self.privileged = self.privileged.or(base.privileged);
        self.secrets = self.secrets.or(base.secrets);
        self.passes = self.passes.or(base.passes);
        self.refine = self.refine.or(base.refine);
        self.code = self.code.or(base.code);
        or_else(&mut self.form, base.form);
        or_else(&mut self.asks, base.asks);
        or_else(&mut self.fresh, base.fresh);
        or_else(&mut self.home, base.home);
        or_else(&mut self.stdin, base.stdin);
        or_else(&mut self.part, base.part);
        or_else(&mut self.prints, base.prints);
        self
    }

    fn all_taken(mut self) -> Self {
        self.taken = true;
        self.example.clear();
        self.cmd = self.cmd.into_iter().map(|(name, below)| (name, below.all_taken())).collect();
        self
    }

    /// With what the tool says of all its subcommands, where this is one that has none below it.
    pub(super) fn with_defaults(mut self, defaults: Option<&Defaults>) -> Self {
        let Some(defaults) = defaults.filter(|_| self.cmd.is_empty() && self.verbs.is_none()) else {
            return self;
        };
        let own = std::mem::take(&mut self.options);
        let spelled = |option: &&OptionSpec| {
            let mut words = option.on.iter();
            !words.any(|word| own.iter().any(|own| own.is_on(word) || own.is_off(word)))
        };
        let more: Vec<OptionSpec> = defaults.options.iter().filter(spelled).cloned().collect();
        self.options = own.into_iter().chain(more).collect();
        if self.form.is_empty() {
            self.operands = self.operands.or_else(|| defaults.operands.clone());
        }
        self.unlisted_options = self.unlisted_options.or(defaults.unlisted_options);
        self
    }
}

fn or_else<T>(own: &mut Vec<T>, base: Vec<T>) {
    if own.is_empty() {
        *own = base;
    }
}
