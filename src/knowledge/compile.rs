//! From a file's text to specifications: strict reading, then names resolved and checked.

use std::collections::BTreeMap;
use std::sync::Arc;

use toml::Spanned;
use toml::de::DeTable;

use super::index;
use super::micro::{Condition, OptionSpec, Piece, Template};
use super::placed::{Fault, did_you_mean, read};
use super::raw::{Defaults, Raw};
use super::schema::{CommandSpec, EffectSpec, ExampleSpec, Style, Subcommands, ToolFile, Unlisted};
use super::verbs::Thing;
use crate::model::Action;
use crate::order;

/// Option spellings of the commands above, with their keys.
type Scope = BTreeMap<String, String>;

/// An embedded tool, by number: its own text now, those of its subcommands when they are asked for.
pub(super) fn embedded(number: usize) -> Result<ToolFile, Fault> {
    let mut raw = Raw::embedded(index::tool_text(number).unwrap_or_default())?;
    let mut commands = written(number);
    let like = raw.like.take();
    let mut next = like.clone();
    // What it takes over, from the nearest to the farthest.
    for _ in 0..LIKES {
        let Some(base) = next.as_deref().and_then(index::tool) else { break };
        let mut above = Raw::embedded(index::tool_text(base).unwrap_or_default())?;
        next = above.like.take();
        raw = raw.over(above);
        let own: Vec<String> = commands.iter().flat_map(|(names, _)| names).cloned().collect();
        let more =
            written(base).into_iter().filter(|(names, _)| !names.first().is_some_and(|n| own.contains(n)));
        commands.extend(more.map(|(mut names, text)| {
            names.retain(|name| !own.contains(name));
            (names, text)
        }));
    }
    let names = std::mem::take(&mut raw.tool).unwrap_or_default().0;
    let doc = std::mem::take(&mut raw.doc);
    let mut root = tool(raw, &names[..names.len().min(1)].join(""))?;
    for (names, text) in commands {
        root.commands.add_text(&names, text)?;
    }
    Ok(ToolFile { names, doc, added: false, like, root: Arc::new(root) })
}

/// How often one declaration may take over another that takes over a third.
const LIKES: usize = 4;

/// Names and texts of an embedded tool's subcommands.
fn written(number: usize) -> Vec<(Vec<String>, &'static str)> {
    index::subcommands(number).map(|(names, text)| (names.map(str::to_owned).collect(), text)).collect()
}

/// A subcommand of an embedded tool's root.
pub(super) fn subcommand(text: &str, name: &str, root: &CommandSpec) -> Result<CommandSpec, Fault> {
    let mut scope = Scope::new();
    extend(&mut scope, &root.options);
    let find = |path: &str| {
        let (first, rest) = path.split_once(' ').unwrap_or((path, ""));
        let raw = Raw::embedded(root.commands.written(first)?).ok()?;
        if rest.is_empty() { Some(raw) } else { raw.at(rest).cloned() }
    };
    let raw = alike(Raw::embedded(text)?, &find)?;
    let defaults = root.defaults.as_ref();
    command(raw.with_defaults(defaults), name, root.style, &scope, defaults)
}

/// A tool of a file, subcommands and examples included. `known` are the tools that stand above it in the file.
pub(super) fn tool_of(
    table: Spanned<DeTable<'_>>,
    known: &mut BTreeMap<String, Raw>,
) -> Result<ToolFile, Fault> {
    let raw: Raw = read(table)?;
    let names = raw.tool.clone().unwrap_or_default().0;
    let Some(first) = names.first().cloned() else {
        return Err(Fault::from("`tool = NAME` is missing".to_owned()));
    };
    if !raw.alias.0.is_empty() {
        let what = format!("{first}: `alias` is for subcommands; give `tool` a list of names");
        return Err(Fault::from(what).below(["alias"]));
    }
    let like = raw.like.clone();
    let mut raw = raw.like_a_tool(known).map_err(|fault| fault.of(&first))?;
    known.insert(first.clone(), raw.clone());
    let whole = raw.clone();
    let find = |path: &str| whole.at(path).cloned();
    raw = alike(raw, &find).map_err(|fault| fault.of(&first))?;
    raw.tool = None;
    let doc = std::mem::take(&mut raw.doc);
    Ok(ToolFile { names, doc, added: true, like, root: Arc::new(tool(raw, &first)?) })
}

/// Subcommands that are like others of the tool, wherever they stand.
fn alike(raw: Raw, find: &dyn Fn(&str) -> Option<Raw>) -> Result<Raw, Fault> {
    let mut raw = raw.like_a_command(find)?;
    let below = std::mem::take(&mut raw.cmd);
    for (name, below) in below {
        let below = alike(below, find).map_err(|fault| fault.below(["cmd", &name]))?;
        raw.cmd.insert(name, below);
    }
    Ok(raw)
}

/// Turns spellings of the tool's own options in the effects on things into keys; others are declared where they are given.
fn keyed(raw: &mut Raw) {
    let mut scope = Scope::new();
    extend(&mut scope, &raw.options);
    let effects =
        raw.verbs.iter_mut().flat_map(|verbs| &mut verbs.things).flat_map(|thing| &mut thing.effects);
    for effect in effects {
        let conditions =
            effect.r#if.iter_mut().chain(&mut effect.unless).flat_map(|condition| &mut condition.any);
        let names = effect.on.target.pieces.iter_mut().filter_map(|piece| match piece {
            Piece::Value { name, .. } => Some(name),
            Piece::Text(_) => None,
        });
        for name in conditions.map(|atom| &mut atom.key).chain(names) {
            if let Some(key) = scope.get(name) {
                name.clone_from(key);
            }
        }
    }
}

/// A tool as a whole.
fn tool(mut raw: Raw, name: &str) -> Result<CommandSpec, Fault> {
    raw.tool = None;
    let defaults = raw.defaults.take();
    let things = std::mem::take(&mut raw.things);
    let short = std::mem::take(&mut raw.examples);
    if !things.is_empty() {
        raw.verbs.get_or_insert_default().things = things
            .into_iter()
            .map(|(called, about)| Thing {
                called,
                effects: about.0.into_iter().map(|about| about.done(Action::Delete)).collect(),
            })
            .collect();
        // Of patterns the one that says most.
        order::by_key(&mut raw.verbs.get_or_insert_default().things, |thing| {
            std::cmp::Reverse(thing.called.len())
        });
        keyed(&mut raw);
    }
    raw.example.extend(short.into_iter().map(|(run, is)| ExampleSpec {
        run,
        is: Some(is.0),
        runs: None,
        short: true,
    }));
    let mut root = command(raw, name, Style::default(), &Scope::new(), defaults.as_ref())?;
    root.defaults = defaults;
    Ok(root)
}

fn extend(scope: &mut Scope, options: &[OptionSpec]) {
    for option in options {
        for spelling in &option.on {
            scope.insert(spelling.clone(), option.key.clone());
        }
    }
}

fn command(
    raw: Raw,
    path: &str,
    style: Style,
    above: &Scope,
    defaults: Option<&Defaults>,
) -> Result<CommandSpec, Fault> {
    let of_tools = [
        ("tool", raw.tool.is_some()),
        ("defaults", raw.defaults.is_some()),
        ("things", !raw.things.is_empty()),
        ("examples", !raw.examples.is_empty()),
    ];
    if let Some((key, _)) = of_tools.into_iter().find(|(_, given)| *given) {
        let what = format!("{path}: `{key}` does not belong into a subcommand");
        return Err(Fault::from(what).below([key]));
    }
    if let Some(verbs) = &raw.verbs {
        verbs.check().map_err(|why| Fault::from(why).of(path).below(["verbs"]))?;
    }
    let style = raw.style.unwrap_or(style);
    check_spellings(&raw.options, path)?;
    let mut scope = above.clone();
    extend(&mut scope, &raw.options);
    let mut commands = Subcommands::default();
    for (name, mut below) in raw.cmd {
        let mut names = vec![name.clone()];
        names.append(&mut below.alias.0);
        let below = below.with_defaults(defaults);
        let below = command(below, &format!("{path} {name}"), style, &scope, defaults)
            .map_err(|fault| fault.below(["cmd", &name]))?;
        commands.add(&names, below).map_err(|why| Fault::from(why).of(path).below(["cmd", &name]))?;
    }
    let tables = raw.effect.len();
    let mut spec = CommandSpec {
        style,
        options: raw.options,
        operands: raw.operands.unwrap_or_default(),
        forms: raw.form,
        reads: raw.reads.unwrap_or_default(),
        effects: raw.effect.into_iter().chain(raw.does.0.into_iter().map(|brief| brief.0)).collect(),
        commands,
        inherit: raw.inherit.unwrap_or_default(),
        default: raw.default,
        // What nobody listed is no more known than a program that nobody declared.
        unlisted: raw.unlisted.unwrap_or(Unlisted::Words),
        unlisted_options: raw.unlisted_options.unwrap_or_default(),
        asks: raw.asks,
        shortened: raw.shortened.unwrap_or_default(),
        verbs: raw.verbs,
        numeric: raw.numeric.unwrap_or_default(),
        cwd: raw.cwd,
        host: raw.host,
        fresh: raw.fresh,
        home: raw.home,
        privileged: raw.privileged.unwrap_or_default(),
        stdin: raw.stdin,
        parts: raw.part,
        secrets: raw.secrets.unwrap_or_default(),
        prints: raw.prints,
        passes: raw.passes.unwrap_or_default(),
        refine: raw.refine,
        code: raw.code,
        examples: raw.example,
        tables,
        taken: raw.taken,
        ..CommandSpec::default()
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
    each("home", &mut spec.home, |home| {
        names.conditions(&mut home.r#if, &mut home.unless)?;
        names.template(&mut home.of).map_err(|fault| fault.below(["of"]))
    })?;
    each("prints", &mut spec.prints, |prints| {
        names.conditions(&mut prints.r#if, &mut prints.unless)?;
        names.template(&mut prints.of).map_err(|fault| fault.below(["of"]))
    })?;
    let (tables, brief) = spec.effects.split_at_mut(spec.tables);
    each("effect", tables, |effect| names.effect(effect))?;
    each("does", brief, |effect| names.effect(effect))?;
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
        // The list that it names.
        if let Some(of) = name.strip_prefix('@') {
            return Ok(format!("@{}", self.key(of)?));
        }
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

    fn effect(&self, effect: &mut EffectSpec) -> Result<(), Fault> {
        self.conditions(&mut effect.r#if, &mut effect.unless)?;
        self.template(&mut effect.on.target).map_err(|fault| fault.below(["on"]))?;
        for with in &mut effect.with {
            if let Some((key, name)) = with.split_once("={") {
                let name = self.key(name.trim_end_matches('}')).map_err(|fault| fault.below(["with"]))?;
                *with = format!("{key}={{{name}}}");
            }
        }
        Ok(())
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
            if let Piece::Value { name, default, .. } = piece {
                *name = self.key(name)?;
                if let Some(text) = default {
                    if text.split('|').next_back().is_some_and(|last| last.starts_with('-')) {
                        let what = format!("`{{{name}|{text}}}`: both may be missing; end it with a text");
                        return Err(Fault::from(what));
                    }
                    let other =
                        |one: &str| if one.starts_with('-') { self.key(one) } else { Ok(one.to_owned()) };
                    *text = text.split('|').map(other).collect::<Result<Vec<_>, _>>()?.join("|");
                }
            }
        }
        Ok(())
    }
}
