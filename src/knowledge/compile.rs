//! From a file's text to specifications: strict reading, then names resolved and checked.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor, value::SeqAccessDeserializer};

use super::micro::{Condition, OperandSpec, OptionSpec, Piece, Template};
use super::parts::PartSpec;
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

/// The keys of a command, of a tool and of a file with several tools. Which of them may stand where is checked after.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Raw {
    tool: Option<Names>,
    tools: Vec<Self>,
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

fn read(text: &str) -> Result<Raw, String> {
    toml::from_str(text).map_err(|e| e.to_string())
}

/// What is embedded is JSON.
fn read_embedded(text: &str) -> Result<Raw, String> {
    serde_json::from_str(text).map_err(|e| e.to_string())
}

/// All tools of a file.
pub(super) fn tools(text: &str) -> Result<Vec<ToolFile>, String> {
    let raw = read(text)?;
    if raw.tools.is_empty() {
        return Ok(vec![tool(raw)?]);
    }
    if raw.tool.is_some() {
        return Err("`tool` and `[[tools]]` in one file: put all of them under `[[tools]]`".to_owned());
    }
    raw.tools.into_iter().map(tool).collect()
}

/// An embedded tool: its own text, and those of its subcommands with their names.
pub(super) fn embedded(
    head: &str,
    commands: impl Iterator<Item = (impl Iterator<Item = &'static str>, &'static str)>,
) -> Result<ToolFile, String> {
    let mut raw = read_embedded(head)?;
    let names = std::mem::take(&mut raw.tool).unwrap_or_default().0;
    let doc = std::mem::take(&mut raw.doc);
    let mut root = command(raw, &names[..names.len().min(1)].join(""), Style::default(), &Scope::new())?;
    for (names, text) in commands {
        let names = names.map(str::to_owned).collect::<Vec<_>>();
        root.commands.add_text(&names, text)?;
    }
    Ok(ToolFile { names, doc, root: Arc::new(root) })
}

/// A subcommand of an embedded tool's root.
pub(super) fn subcommand(text: &str, name: &str, root: &CommandSpec) -> Result<CommandSpec, String> {
    let mut scope = Scope::new();
    extend(&mut scope, &root.options);
    command(read_embedded(text)?, name, root.style, &scope)
}

fn tool(mut raw: Raw) -> Result<ToolFile, String> {
    let names = std::mem::take(&mut raw.tool).unwrap_or_default().0;
    let Some(first) = names.first().cloned() else { return Err("`tool` is missing".to_owned()) };
    if !raw.alias.is_empty() {
        return Err(format!("{first}: `alias` is for subcommands; give `tool` a list of names"));
    }
    let doc = std::mem::take(&mut raw.doc);
    let root = command(raw, &first, Style::default(), &Scope::new())?;
    Ok(ToolFile { names, doc, root: Arc::new(root) })
}

fn extend(scope: &mut Scope, options: &[OptionSpec]) {
    for option in options {
        for spelling in &option.on {
            scope.insert(spelling.clone(), option.key.clone());
        }
    }
}

fn command(raw: Raw, path: &str, style: Style, above: &Scope) -> Result<CommandSpec, String> {
    if raw.tool.is_some() || !raw.tools.is_empty() {
        return Err(format!("{path}: `tool` does not belong into a subcommand"));
    }
    let style = raw.style.unwrap_or(style);
    check_spellings(&raw.options, path)?;
    let mut scope = above.clone();
    extend(&mut scope, &raw.options);
    let mut commands = Subcommands::default();
    for (name, mut below) in raw.cmd {
        let mut names = vec![name.clone()];
        names.append(&mut below.alias);
        let below = command(below, &format!("{path} {name}"), style, &scope)?;
        commands.add(&names, below).map_err(|why| format!("{path}: {why}"))?;
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
fn check_spellings(options: &[OptionSpec], path: &str) -> Result<(), String> {
    let mut seen = std::collections::BTreeSet::new();
    for spelling in options.iter().flat_map(|o| o.on.iter().chain(&o.off)) {
        if !seen.insert(spelling) {
            return Err(format!("{path}: option {spelling} is declared twice"));
        }
    }
    Ok(())
}

/// Turns every spelling in conditions, templates and facts into the option's key; a name that means nothing is an error.
fn resolve(spec: &mut CommandSpec, path: &str, scope: &Scope) -> Result<(), String> {
    let operands = spec
        .operands
        .iter()
        .chain(spec.forms.iter().flat_map(|f| &f.operands))
        .map(|o| o.name.clone())
        .collect::<Vec<_>>();
    let key_of = |name: &str| -> Result<String, String> {
        if let Some(key) = scope.get(name) {
            return Ok(key.clone());
        }
        if name == "stdin" || operands.iter().any(|o| o == name) {
            return Ok(name.to_owned());
        }
        Err(format!("`{name}` is no option and no operand of {path}"))
    };
    let conditions = |list: &mut Vec<Condition>, place: &str| -> Result<(), String> {
        for atom in list.iter_mut().flat_map(|c| &mut c.any) {
            atom.key = key_of(&atom.key).map_err(|why| format!("{path}, {place}: {why}"))?;
        }
        Ok(())
    };
    let template = |template: &mut Template, place: &str| -> Result<(), String> {
        for piece in &mut template.pieces {
            if let Piece::Value { name, .. } = piece {
                *name = key_of(name).map_err(|why| format!("{path}, {place}: {why}"))?;
            }
        }
        Ok(())
    };
    for (number, form) in spec.forms.iter_mut().enumerate() {
        let place = format!("form {}", number + 1);
        conditions(&mut form.r#if, &place)?;
        conditions(&mut form.unless, &place)?;
    }
    for (number, stdin) in spec.stdin.iter_mut().enumerate() {
        let place = format!("stdin {}", number + 1);
        conditions(&mut stdin.r#if, &place)?;
        conditions(&mut stdin.unless, &place)?;
    }
    for (number, part) in spec.parts.iter_mut().enumerate() {
        let place = format!("part {}", number + 1);
        conditions(&mut part.r#if, &place)?;
        conditions(&mut part.unless, &place)?;
        part.of = key_of(&part.of).map_err(|why| format!("{path}, {place}: {why}"))?;
    }
    for (number, fresh) in spec.fresh.iter_mut().enumerate() {
        let place = format!("fresh {}", number + 1);
        conditions(&mut fresh.r#if, &place)?;
        conditions(&mut fresh.unless, &place)?;
    }
    for (number, prints) in spec.prints.iter_mut().enumerate() {
        let place = format!("prints {}", number + 1);
        conditions(&mut prints.r#if, &place)?;
        conditions(&mut prints.unless, &place)?;
        template(&mut prints.of, &place)?;
    }
    for (number, effect) in spec.effects.iter_mut().enumerate() {
        let place = format!("effect {}", number + 1);
        conditions(&mut effect.r#if, &place)?;
        conditions(&mut effect.unless, &place)?;
        template(&mut effect.on.target, &place)?;
        for with in &mut effect.with {
            if let Some((key, name)) = with.split_once("={") {
                let name =
                    key_of(name.trim_end_matches('}')).map_err(|why| format!("{path}, {place}: {why}"))?;
                *with = format!("{key}={{{name}}}");
            }
        }
    }
    if let Some(cwd) = &mut spec.cwd {
        template(cwd, "cwd")?;
    }
    if let Some(host) = &mut spec.host {
        template(host, "host")?;
    }
    if let Some(default) = &spec.default
        && !spec.commands.is_empty()
        && spec.commands.canonical(default).is_none()
    {
        return Err(format!("{path}: default subcommand `{default}` is not declared"));
    }
    Ok(())
}
