//! A known program: its declared effects, roles that write, SQL, and what its room makes of them.

use std::path::PathBuf;

use crate::knowledge::{EffectSpec, Filled, Match, SubjectKind, Unlisted, lists, match_words, places};
use crate::model::{Action, FactValue, Mutation, RuleRef, Subject, Value};
use crate::shell::{Invocation, Stdin, Stdout};

use super::draft::{Change, Draft};
use super::packing;
use super::paths::{is_remote, keeps_nothing, renamed, text_of};
use super::scene::{Scene, Word, fact};
use super::unknown::{ANYTHING, TASKS, gaps, otherwise};
use super::{called, grants, listed, outputs, sql, tested, write};

/// The mutations of a run.
pub(super) fn run(scene: &mut Scene<'_>, invocation: &Invocation) -> Vec<Draft> {
    scene.tool.clone_from(&invocation.name);
    let mut drafts = one(scene, invocation, &invocation.matched);
    drafts.extend(printed(scene, invocation).into_iter().chain(outputs::named(scene, invocation)));
    // What users say of a built-in tool counts in addition.
    for tool in scene.knowledge.raised(&invocation.name) {
        let words = invocation.args.iter().skip(1).map(|arg| arg.value.clone()).collect::<Vec<_>>();
        let matched = match_words(&tool, &words);
        if !matched.does_nothing() {
            drafts.extend(declared(scene, invocation, &matched));
        }
    }
    aimed(invocation, &mut drafts);
    tested::tests(invocation, &mut drafts);
    grants::told(scene, invocation, &mut drafts);
    drafts
}

/// Notes that the command itself sets whom the program speaks to: a look without that would speak to somebody else.
fn aimed(invocation: &Invocation, drafts: &mut [Draft]) {
    let mut names = invocation.environment.iter().map(|(name, _)| name);
    let Some(name) = names.find(|name| places().aims(name)) else { return };
    for mutation in drafts.iter_mut().filter_map(|draft| draft.mutation.as_mut()) {
        fact(mutation, "aimed", FactValue::Text(name.clone()), "set for this command alone");
    }
}

fn one(scene: &mut Scene<'_>, invocation: &Invocation, matched: &Match) -> Vec<Draft> {
    let first_gap = matched.gaps.iter().map(|gap| gap.index).min();
    if matched.does_nothing() && first_gap.is_none() {
        return Vec::new();
    }
    if matched.unlisted_reads || matched.unlisted_verb.is_some() {
        if matched.does_nothing() {
            return Vec::new();
        }
        let mut drafts = outputs::of_unlisted(scene, invocation);
        drafts.extend(grants::unlisted(scene, invocation, matched));
        drafts.extend(otherwise(scene, invocation, false));
        return drafts;
    }
    let mut drafts = gaps(scene, invocation, matched);
    if matched.does_nothing() {
        return drafts;
    }
    let effects = declared(scene, invocation, matched);
    // What a room adds rests on the command as a whole.
    let rule = matched.path.get(1..).unwrap_or_default().join(" ");
    scene.rule = RuleRef { tool: scene.tool.clone(), rule };
    drafts.extend(match matched.command.refine {
        Some(room) => scene.programs.does(room, scene, invocation, effects),
        None => effects,
    });
    drafts.extend(written(scene, invocation, matched));
    if matched.command.unlisted_options == Unlisted::Reads
        || matched.command.reads
        || !matched.gaps.is_empty()
    {
        drafts.extend(outputs::of_unlisted(scene, invocation));
    }
    drafts.extend(packing::into_file(scene, invocation));
    drafts.extend(sql::of_invocation(scene, invocation));
    let mild = |draft: &Draft| {
        draft
            .mutation
            .as_ref()
            .is_none_or(|m| matches!(m.action, Action::Create | Action::Read) || m.kind.starts_with(TASKS))
    };
    if drafts.iter().all(mild) {
        let tasks =
            drafts.iter().any(|draft| draft.mutation.as_ref().is_some_and(|m| m.kind.starts_with(TASKS)));
        drafts.extend(otherwise(scene, invocation, tasks));
    }
    drafts.into_iter().filter_map(|draft| asked(invocation, draft)).collect()
}

/// What becomes of an act that asks first: without anything on standard input the answer is no; where the answer comes
/// from a text or a program, nobody is asked.
fn asked(invocation: &Invocation, mut draft: Draft) -> Option<Draft> {
    let Some(mutation) = draft.mutation.as_mut().filter(|m| m.facts.contains_key("asks")) else {
        return Some(draft);
    };
    match &invocation.stdin {
        Stdin::Empty => return None,
        Stdin::Inherited => {}
        Stdin::Text(Value::Known(text)) if text.trim().is_empty() => return None,
        Stdin::Text(_) | Stdin::File(_) | Stdin::Unknown => {
            mutation.context.asks = false;
            mutation.facts.remove("asks");
        }
    }
    Some(draft)
}

/// Copies that standard output makes: of named files, or of what comes through the pipe.
fn printed(scene: &mut Scene<'_>, invocation: &Invocation) -> Option<Draft> {
    let matched = &invocation.matched;
    let mut sources = Vec::new();
    if !matched.does_nothing() {
        let dirs = directories(scene, matched);
        for prints in matched.command.prints.iter().filter(|p| matched.holds(&p.r#if, &p.unless)) {
            for filled in matched.fill(&prints.of, &[]) {
                let path = path_in(scene, invocation, &filled, &dirs);
                sources.extend(path.as_known().map(PathBuf::from));
            }
        }
    }
    if matched.command.passes && sources.is_empty() {
        sources = incoming(scene, invocation);
    }
    // What git prints of files that it does not track is named in the words.
    let git = scene.programs.shows(invocation);
    scene.files.set_gits(None, git.filter(|_| invocation.stdout == Stdout::Pipe));
    if let Stdout::File(path) = &invocation.stdout
        && let Some(to) = scene.only_path(path)
    {
        scene.files.set_gits(Some(to), git);
    }
    match &invocation.stdout {
        Stdout::Pipe => {
            scene.files.set_stream(sources);
            let packing = packing::packing(scene, invocation);
            scene.files.packings.set_pipe(packing);
            None
        }
        Stdout::Inherited => None,
        Stdout::File(path) => {
            let to = scene.only_path(path)?;
            let packs =
                packing::packing(scene, invocation).map(|packing| Change::Packs { at: to.clone(), packing });
            let patch = Change::patched(git, scene.cwds(), &to);
            let changes = sources
                .into_iter()
                .filter(|from| *from != to)
                .map(|from| Change::Copied { from, to: to.clone(), packed: true })
                .chain(packs)
                .chain(patch)
                .collect();
            Some(Draft { mutation: None, changes, by_action: false })
        }
    }
}

/// The effects that the data declares.
fn declared(scene: &mut Scene<'_>, invocation: &Invocation, matched: &Match) -> Vec<Draft> {
    let stdin = listed::of_stdin(scene, invocation, matched);
    let below = matched.path.get(1..).unwrap_or_default().join(" ");
    let mut drafts = Vec::new();
    let mut nameless = Vec::new();
    for (number, effect) in matched.command.effects.iter().enumerate() {
        if !matched.holds(&effect.r#if, &effect.unless) {
            continue;
        }
        scene.rule = RuleRef { tool: scene.tool.clone(), rule: format!("{below}#{}", number + 1) };
        let lists = |key: &str| listed::names(scene, invocation, matched, key);
        let fills = matched.fill_listed(&effect.on.target, &stdin, &lists);
        if fills.is_empty() && unnamed(scene, invocation, matched, effect) {
            nameless.push(Draft::of(nowhere(scene, effect)));
        }
        for filled in fills {
            let filled = called::named(invocation, matched, effect).unwrap_or(filled);
            if let Some(draft) = effect_on(scene, invocation, matched, effect, &filled) {
                drafts.push(draft);
            }
        }
    }
    kept_where_packed(&mut drafts);
    if drafts.is_empty() { nameless } else { drafts }
}

fn is_path(scene: &Scene<'_>, effect: &EffectSpec) -> bool {
    scene.kind(&effect.on.kind).is_none_or(|kind| kind.subject == SubjectKind::Path)
}

/// An effect on something of which it is not known what it is.
fn nowhere(scene: &Scene<'_>, effect: &EffectSpec) -> Mutation {
    let target = Value::Unknown;
    if scene.kind(&effect.on.kind).is_some_and(|kind| kind.subject == SubjectKind::Path) {
        let word = Word::new(target.clone(), false);
        return scene.on_absolute(effect.action, &effect.on.kind, target, &word);
    }
    scene.on_other(effect.action, &effect.on.kind, std::slice::from_ref(&target), &target)
}

/// Something is deleted that no word names as far as the declaration knows, while there are options that it does not
/// list: one of those names it (`az vm delete --ids …`).
fn unnamed(scene: &Scene<'_>, invocation: &Invocation, matched: &Match, effect: &EffectSpec) -> bool {
    // What a user's file calls required may not be: then what it acts on is not known.
    if matched.tool.added && !matches!(effect.action, Action::Create | Action::Read) {
        return true;
    }
    if !matches!(effect.action, Action::Delete | Action::Replace | Action::Revoke) || is_path(scene, effect) {
        return false;
    }
    // A word of which the declaration does not say what it is may be it, or stand for several words.
    if matched.operands.iter().any(|bound| ANYTHING.contains(&bound.name.as_str())) {
        return true;
    }
    if matched.command.unlisted_options != Unlisted::Reads {
        return false;
    }
    // Indices of the match count from the first word behind the name.
    invocation.args.iter().skip(1).enumerate().any(|(index, word)| {
        word.value.prefix().starts_with("--")
            && word.value.as_known() != Some("--")
            && !matched.options.iter().any(|option| option.index == index || option.value_index == index)
    })
}

fn effect_on(
    scene: &Scene<'_>,
    invocation: &Invocation,
    matched: &Match,
    effect: &EffectSpec,
    filled: &Filled,
) -> Option<Draft> {
    let is_path = scene.kind(&effect.on.kind).is_some_and(|kind| kind.subject == SubjectKind::Path);
    let mut mutation = if is_path {
        let text = filled.value.as_known();
        if text == Some("") || (text == Some("-") && effect.action != Action::Delete) {
            return None;
        }
        let word = Word::new(filled.value.clone(), explicit(invocation, &filled.indices));
        let path = path_in(scene, invocation, filled, &directories(scene, matched));
        scene.on_absolute(effect.action, &effect.on.kind, path, &word)
    } else {
        scene.on_other(effect.action, &effect.on.kind, &filled.parts, &filled.value)
    };
    if let Some(span) = span_of(invocation, &filled.indices) {
        mutation.span = Some(span);
    }
    let mut changes = Vec::new();
    let mut by_action = true;
    for with in &effect.with {
        match with.split_once('=') {
            Some(("becomes", end)) => {
                by_action = false;
                if end != "trashed" {
                    let why = "another file is made of it";
                    fact(&mut mutation, "transforms", FactValue::Bool(true), why);
                    fact(&mut mutation, "becomes", FactValue::Text(outputs::ending(matched, end)), why);
                }
                changes.extend(becomes(scene, &mutation, end));
            }
            Some(("holds", name)) => changes.extend(holds(scene, invocation, matched, &mutation, name)),
            Some(("adds", name)) => {
                let added = added(matched, name);
                fact(
                    &mut mutation,
                    "adds",
                    FactValue::Text(added),
                    "what is put into the archive, one a line",
                );
            }
            Some((key, value)) if value.starts_with('{') => {
                // What was given and cannot be told is an empty text.
                let name = value.trim_matches(['{', '}']);
                let operand = || matched.operand(name).map(|operand| &operand.value);
                if let Some(given) = matched.value(name).or_else(operand) {
                    let text = given.as_known().unwrap_or_default().to_owned();
                    fact(&mut mutation, key, FactValue::Text(text), with);
                }
            }
            Some((key, value)) => fact(&mut mutation, key, fact_value(value), with),
            None => fact(&mut mutation, with, FactValue::Bool(true), with),
        }
    }
    if mutation.facts.contains_key("asks") {
        mutation.context.asks = true;
    }
    Some(Draft { mutation: Some(mutation), changes, by_action })
}

/// `becomes=.gz`: the content goes on under a longer name; `becomes=stem`: under the name without its last extension;
/// `becomes=trashed`: in the user's trash.
fn becomes(scene: &Scene<'_>, target: &Mutation, end: &str) -> Vec<Change> {
    let crate::model::Subject::Path(subject) = &target.subject else { return Vec::new() };
    let Some(text) = subject.path.as_known() else { return Vec::new() };
    let from = PathBuf::from(text);
    if end != "trashed" {
        return renamed(text, end).map(|to| Change::Moved { from, to }).into_iter().collect();
    }
    let Some(to) = scene.trashed(&from) else { return Vec::new() };
    // The first file that is thrown away makes the trash.
    let missing = to.ancestors().skip(1).take_while(|dir| !scene.is_directory(dir));
    let mut changes = missing
        .map(|dir| Change::Made { path: dir.to_owned(), content: None, directory: true })
        .collect::<Vec<_>>();
    changes.reverse();
    changes.push(Change::Moved { from, to });
    changes
}

/// The absolute path of a template's value. The directory that an option names holds for operands, not for the values of
/// other options (`tar -f a -C b c`).
fn path_in(scene: &Scene<'_>, invocation: &Invocation, filled: &Filled, dirs: &[PathBuf]) -> Value {
    if filled.home {
        return in_home(scene, invocation, &filled.value);
    }
    if filled.from_options {
        return scene.path(&filled.value);
    }
    scene.absolute(&filled.value, dirs)
}

/// A path that the data writes with `~`: in the home that the command was given, or the user's.
fn in_home(scene: &Scene<'_>, invocation: &Invocation, value: &Value) -> Value {
    let given = invocation.environment.iter().rev().find(|(name, _)| name == "HOME").map(|(_, value)| value);
    let home = match given {
        Some(given) => given.clone(),
        None => scene.home().map_or(Value::Unknown, |home| Value::known(text_of(&home))),
    };
    let behind = |text: &str| Value::known(text.strip_prefix('~').unwrap_or(text));
    match value {
        Value::Known(text) => scene.path(&home.concat(&behind(text))),
        Value::Affix { prefix, suffix } => {
            let affix = Value::Affix { prefix: String::new(), suffix: suffix.clone() };
            scene.path(&home.concat(&behind(prefix)).concat(&affix))
        }
        _ => Value::Unknown,
    }
}

/// Directories for operands: the step's, or below them the one that an option names.
pub(crate) fn directories(scene: &Scene<'_>, matched: &Match) -> Vec<PathBuf> {
    let mut dirs = scene.cwds().to_vec();
    for given in matched.cwd() {
        let (Value::Known(_) | Value::OneOf(_)) = &given else { return Vec::new() };
        dirs =
            scene.absolute(&given, &dirs).choices().unwrap_or_default().iter().map(PathBuf::from).collect();
    }
    dirs
}

/// `holds=name`: the target holds copies of what the operand or option names; `holds=stdin`: of what comes in.
fn holds(
    scene: &Scene<'_>,
    invocation: &Invocation,
    matched: &Match,
    target: &Mutation,
    name: &str,
) -> Vec<Change> {
    let crate::model::Subject::Path(subject) = &target.subject else { return Vec::new() };
    let Some(to) = subject.path.as_known().map(PathBuf::from) else { return Vec::new() };
    if is_remote(&Value::known(&subject.shown)) {
        return Vec::new();
    }
    // `holds=files-of-…`: directories are noted in it, what is in them is not.
    let (name, flat) = match name.strip_prefix("files-of-") {
        Some(name) => (name, true),
        None => (name, false),
    };
    // Archives hold a link as a link, unless they are told to look behind it. What stdin is was opened already.
    let links = name != "stdin" && !follows_links(matched);
    let sources = if name == "stdin" {
        incoming(scene, invocation)
    } else if let Some(key) = name.strip_prefix('@') {
        let dirs = directories(scene, matched);
        let names = listed::names(scene, invocation, matched, key);
        let paths = names.iter().map(|name| scene.absolute(name, &dirs));
        paths.filter_map(|path| path.as_known().map(PathBuf::from)).collect()
    } else {
        let dirs = directories(scene, matched);
        matched
            .named(name)
            .into_iter()
            .filter_map(|(value, _)| scene.absolute(value, &dirs).as_known().map(PathBuf::from))
            .collect()
    };
    sources
        .into_iter()
        .filter(|from| *from != to && !(flat && scene.is_directory(from)))
        .filter(|from| !(links && scene.is_link(from)))
        .map(|from| Change::Copied { from, to: to.clone(), packed: true })
        .collect()
}

/// Whether what packs looks behind symbolic links: told to, or by itself where an option is there to keep them.
fn follows_links(matched: &Match) -> bool {
    let keeps = matched.command.options.iter().find(|option| option.on.iter().any(|on| on == "--symlinks"));
    match keeps {
        Some(option) => !matched.has(&option.key),
        None => ["-h", "--dereference", "-L"].iter().any(|key| matched.has(key)),
    }
}

/// `adds=name`: what is put into an archive, by the names that it gets there; `.` where that is not said.
fn added(matched: &Match, name: &str) -> String {
    let other = ["-i", "-R", "-@", "-U", "-O", "-DF"].iter().any(|key| matched.has(key));
    let names = matched.named(name);
    let known = names.iter().map(|(value, _)| value.as_known()).collect::<Option<Vec<_>>>();
    match known.filter(|names| !names.is_empty() && !other) {
        Some(names) => names.join("\n"),
        None => ".".to_owned(),
    }
}

/// Deleted once packed (`tar --remove-files`, `zip -m`): kept where this same command packs it, and nowhere else.
fn kept_where_packed(drafts: &mut [Draft]) {
    let copies = drafts
        .iter()
        .flat_map(|draft| &draft.changes)
        .filter_map(|change| match change {
            Change::Copied { from, to, .. } if !keeps_nothing(&text_of(to)) => {
                Some((from.clone(), to.clone()))
            }
            _ => None,
        })
        .collect::<Vec<_>>();
    for mutation in drafts.iter_mut().filter_map(|draft| draft.mutation.as_mut()) {
        if mutation.facts.remove("kept").is_none() {
            continue;
        }
        if let Subject::Path(subject) = &mut mutation.subject
            && let Some(path) = subject.path.as_known().map(PathBuf::from)
        {
            let held = copies.iter().filter(|(from, _)| path.starts_with(from)).map(|(_, to)| to.clone());
            subject.copies.extend(held);
        }
    }
}

/// Files that standard input is a copy of.
fn incoming(scene: &Scene<'_>, invocation: &Invocation) -> Vec<PathBuf> {
    match &invocation.stdin {
        Stdin::File(path) => scene.only_path(path).into_iter().collect(),
        Stdin::Unknown | Stdin::Text(_) => scene.files.stream().to_vec(),
        Stdin::Inherited | Stdin::Empty => Vec::new(),
    }
}

fn fact_value(text: &str) -> FactValue {
    match text {
        "true" => FactValue::Bool(true),
        "false" => FactValue::Bool(false),
        _ => text.parse().map_or_else(|_| FactValue::Text(text.to_owned()), FactValue::Number),
    }
}

/// Whether all words of a target were written literally.
pub(crate) fn explicit(invocation: &Invocation, indices: &[usize]) -> bool {
    indices.iter().all(|index| invocation.args.get(index + 1).is_some_and(|arg| arg.explicit))
}

fn span_of(invocation: &Invocation, indices: &[usize]) -> Option<crate::model::Span> {
    indices
        .iter()
        .filter_map(|index| invocation.args.get(index + 1).map(|arg| arg.span))
        .reduce(crate::model::Span::to)
}

/// Words whose role says that they are written to.
fn written(scene: &mut Scene<'_>, invocation: &Invocation, matched: &Match) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for (role, value, index) in matched.written() {
        if matches!(value.as_known(), Some("-" | "")) {
            continue;
        }
        scene.rule = RuleRef { tool: scene.tool.clone(), rule: format!("{role}@{}", index + 1) };
        let word = Word::new(outputs::meant(scene, &value), explicit(invocation, &[index]));
        let mut made = match role.as_str() {
            "appendfile" => write::append(scene, &word),
            _ => vec![write::overwrite(scene, &word, None, false)],
        };
        let makes = role != "appendfile" && lists(&places().makes, &invocation.name);
        for mutation in made.iter_mut().filter_map(|draft| draft.mutation.as_mut()) {
            if let Some(span) = span_of(invocation, &[index]) {
                mutation.span = Some(span);
            }
            if makes {
                fact(mutation, "product.named", FactValue::Bool(true), "made anew of sources");
            }
        }
        drafts.extend(made);
    }
    drafts
}
