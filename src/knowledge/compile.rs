//! From a file's text to specifications: strict reading, then names resolved and checked.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor, value::SeqAccessDeserializer};
use toml::Spanned;
use toml::de::DeTable;

use super::micro::{Condition, OperandSpec, OptionSpec, Piece, Template};
use super::parts::PartSpec;
use super::placed::{Fault, did_you_mean, read};
use super::refiner::{Follower, Refiner};
use super::schema::{
    CommandSpec, EffectSpec, ExampleSpec, FormSpec, FreshSpec, PrintsSpec, StdinSpec, Style, Subcommands,
    ToolFile, Unlisted,
};
use super::secrets::SecretSpecs;
use super::verbs::Verbs;

/// A string, or a list of strings.
#[derive(Debug, Default)]
struct Names(Vec<String>);

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Names;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or a list of strings")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Names, E> {
                Ok(Names(vec![text.to_owned()]))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Names, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(list)).map(Names)
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// The keys of a command and of a tool. Which of them may stand where is checked after.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Raw {
    tool: Option<Names>,
    doc: Vec<String>,
    style: Option<Style>,
    options: Vec<OptionSpec>,
    operands: Vec<OperandSpec>,
    form: Vec<FormSpec>,
    reads: bool,
    effect: Vec<EffectSpec>,
    cmd: BTreeMap<String, Self>,
    inherit: bool,
    alias: Vec<String>,
    default: Option<String>,
    unlisted: Unlisted,
    unlisted_options: Unlisted,
    verbs: Option<Verbs>,
    asks: Vec<String>,
    shortened: bool,
    numeric: bool,
    cwd: Option<Template>,
    host: Option<Template>,
    fresh: Vec<FreshSpec>,
    privileged: bool,
    stdin: Vec<StdinSpec>,
    part: Vec<PartSpec>,
    secrets: SecretSpecs,
    prints: Vec<PrintsSpec>,
    passes: bool,
    refine: Option<Refiner>,
    follow: Option<Follower>,
    example: Vec<ExampleSpec>,
}

/// Option spellings of the commands above, with their keys.
type Scope = BTreeMap<String, String>;

/// What is embedded is JSON.
fn read_embedded(text: &str) -> Result<Raw, Fault> {
    serde_json::from_str(text).map_err(|e| Fault::from(e.to_string()))
}

/// An embedded tool: its own text, and those of its subcommands with their names.
pub(super) fn embedded(
    head: &str,
    commands: impl Iterator<Item = (impl Iterator<Item = &'static str>, &'static str)>,
) -> Result<ToolFile, Fault> {
    let mut raw = read_embedded(head)?;
    let names = std::mem::take(&mut raw.tool).unwrap_or_default().0;
    let doc = std::mem::take(&mut raw.doc);
    let mut root = command(raw, &names[..names.len().min(1)].join(""), Style::default(), &Scope::new())?;
    for (names, text) in commands {
        let names = names.map(str::to_owned).collect::<Vec<_>>();
        root.commands.add_text(&names, text)?;
    }
    Ok(ToolFile { names, doc, added: false, root: Arc::new(root) })
}

/// A subcommand of an embedded tool's root.
pub(super) fn subcommand(text: &str, name: &str, root: &CommandSpec) -> Result<CommandSpec, Fault> {
    let mut scope = Scope::new();
    extend(&mut scope, &root.options);
    command(read_embedded(text)?, name, root.style, &scope)
}

/// A tool of a file, subcommands and examples included.
pub(super) fn tool_of(table: Spanned<DeTable<'_>>) -> Result<ToolFile, Fault> {
    let mut raw: Raw = read(table)?;
    let names = std::mem::take(&mut raw.tool).unwrap_or_default().0;
    let Some(first) = names.first().cloned() else {
        return Err(Fault::from("`tool = NAME` is missing".to_owned()));
    };
    if !raw.alias.is_empty() {
        let what = format!("{first}: `alias` is for subcommands; give `tool` a list of names");
        return Err(Fault::from(what).below(["alias"]));
    }
    let doc = std::mem::take(&mut raw.doc);
    let root = command(raw, &first, Style::default(), &Scope::new())?;
    Ok(ToolFile { names, doc, added: true, root: Arc::new(root) })
}

fn extend(scope: &mut Scope, options: &[OptionSpec]) {
    for option in options {
        for spelling in &option.on {
            scope.insert(spelling.clone(), option.key.clone());
        }
    }
}

fn command(raw: Raw, path: &str, style: Style, above: &Scope) -> Result<CommandSpec, Fault> {
    if raw.tool.is_some() {
        let what = format!("{path}: `tool` does not belong into a subcommand");
        return Err(Fault::from(what).below(["tool"]));
    }
    let style = raw.style.unwrap_or(style);
    check_spellings(&raw.options, path)?;
    let mut scope = above.clone();
    extend(&mut scope, &raw.options);
    let mut commands = Subcommands::default();
    for (name, mut below) in raw.cmd {
        let mut names = vec![name.clone()];
        names.append(&mut below.alias);
        let below = command(below, &format!("{path} {name}"), style, &scope)
            .map_err(|fault| fault.below(["cmd", &name]))?;
        commands.add(&names, below).map_err(|why| Fault::from(why).of(path).below(["cmd", &name]))?;
    }
    let mut spec = CommandSpec {
        style,
        options: raw.options,
        operands: raw.operands,
        forms: raw.form,
        reads: raw.reads,
        effects: raw.effect,
        commands,
        inherit: raw.inherit,
        default: raw.default,
        unlisted: raw.unlisted,
        unlisted_options: raw.unlisted_options,
        asks: raw.asks,
        shortened: raw.shortened,
        verbs: raw.verbs,
        numeric: raw.numeric,
        cwd: raw.cwd,
        host: raw.host,
        fresh: raw.fresh,
        privileged: raw.privileged,
        stdin: raw.stdin,
        parts: raw.part,
        secrets: raw.secrets,
        prints: raw.prints,
        passes: raw.passes,
        refine: raw.refine,
        follow: raw.follow,
        examples: raw.example,
    };
    resolve(&mut spec, path, &scope)?;
    Ok(spec)
}

/// Every spelling once.
fn check_spellings(options: &[OptionSpec], path: &str) -> Result<(), Fault> {
    let mut seen = std::collections::BTreeSet::new();
    for (number, option) in options.iter().enumerate() {
        if let Some(twice) = option.on.iter().chain(&option.off).find(|spelling| !seen.insert(*spelling)) {
            let what = format!("{path}: option {twice} is declared twice");
            return Err(Fault::from(what).below(["options", &number.to_string()]));
        }
    }
    Ok(())
}

/// Turns every spelling in conditions, templates and facts into the option's key; a name that means nothing is an error.
fn resolve(spec: &mut CommandSpec, path: &str, scope: &Scope) -> Result<(), Fault> {
    let operands = spec.operands.iter().chain(spec.forms.iter().flat_map(|f| &f.operands));
    let names = Known { path, scope, operands: operands.map(|o| o.name.clone()).collect() };
    each("form", &mut spec.forms, |form| names.conditions(&mut form.r#if, &mut form.unless))?;
    each("stdin", &mut spec.stdin, |stdin| names.conditions(&mut stdin.r#if, &mut stdin.unless))?;
    each("part", &mut spec.parts, |part| {
        part.of = names.key(&part.of).map_err(|fault| fault.below(["of"]))?;
        names.conditions(&mut part.r#if, &mut part.unless)
    })?;
    each("fresh", &mut spec.fresh, |fresh| names.conditions(&mut fresh.r#if, &mut fresh.unless))?;
    each("prints", &mut spec.prints, |prints| {
        names.conditions(&mut prints.r#if, &mut prints.unless)?;
        names.template(&mut prints.of).map_err(|fault| fault.below(["of"]))
    })?;
    each("effect", &mut spec.effects, |effect| {
        names.conditions(&mut effect.r#if, &mut effect.unless)?;
        names.template(&mut effect.on.target).map_err(|fault| fault.below(["on"]))?;
        for with in &mut effect.with {
            if let Some((key, name)) = with.split_once("={") {
                let name = names.key(name.trim_end_matches('}')).map_err(|fault| fault.below(["with"]))?;
                *with = format!("{key}={{{name}}}");
            }
        }
        Ok(())
    })?;
    for (key, template) in [("cwd", &mut spec.cwd), ("host", &mut spec.host)] {
        template
            .as_mut()
            .map_or(Ok(()), |found| names.template(found))
            .map_err(|fault| fault.below([key]))?;
    }
    if let Some(default) = &spec.default
        && !spec.commands.is_empty()
        && spec.commands.canonical(default).is_none()
    {
        let hint = did_you_mean(default, spec.commands.names());
        let what = format!("{path}: default subcommand `{default}` is not declared{hint}");
        return Err(Fault::from(what).below(["default"]));
    }
    Ok(())
}

/// Goes through the tables of a list; a fault says in which.
fn each<T>(
    key: &str,
    list: &mut [T],
    mut check: impl FnMut(&mut T) -> Result<(), Fault>,
) -> Result<(), Fault> {
    for (number, one) in list.iter_mut().enumerate() {
        check(one).map_err(|fault| {
            fault.of(&format!("{key} {}", number + 1)).below([key.to_owned(), number.to_string()])
        })?;
    }
    Ok(())
}

/// What conditions and templates of a command may name.
struct Known<'a> {
    path: &'a str,
    scope: &'a Scope,
    operands: Vec<String>,
}

impl Known<'_> {
    fn key(&self, name: &str) -> Result<String, Fault> {
        if let Some(key) = self.scope.get(name) {
            return Ok(key.clone());
        }
        if name == "stdin" || self.operands.iter().any(|o| o == name) {
            return Ok(name.to_owned());
        }
        let all = self.scope.keys().chain(&self.operands).map(String::as_str);
        let hint = did_you_mean(name, all);
        Err(Fault::from(format!("`{name}` is no option and no operand of {}{hint}", self.path)))
    }

    fn conditions(&self, holds: &mut [Condition], unless: &mut [Condition]) -> Result<(), Fault> {
        for (place, list) in [("if", holds), ("unless", unless)] {
            for atom in list.iter_mut().flat_map(|c| &mut c.any) {
                atom.key = self.key(&atom.key).map_err(|fault| fault.below([place]))?;
            }
        }
        Ok(())
    }

    fn template(&self, template: &mut Template) -> Result<(), Fault> {
        for piece in &mut template.pieces {
            if let Piece::Value { name, .. } = piece {
                *name = self.key(name)?;
            }
        }
        Ok(())
    }
}
