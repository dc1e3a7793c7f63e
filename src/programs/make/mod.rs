//! `make`: the recipes of the targets that would be made, read from the Makefile without running anything.
//!
//! `options` reads the command line, `read` the files, `expand` variables and functions. What of a makefile is not
//! followed is a gap.

mod built_in;
mod conditions;
mod expand;
mod functions;
mod listed;
mod options;
mod read;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::model::Value;
use crate::programs::tasks::not_read;
use crate::shell::program::{Call, FileText, Flow, Run, Shell, State, Status, StepKind};

use expand::{Outside, UNKNOWN, Variable, Variables, expand, value};
pub(crate) use listed::recipes;
use options::Request;
use read::{AtOnce, Included, Makefile, Reader, Rule, plain_shell, set};

/// See [`Room::Make`](crate::knowledge::Room::Make).
pub(super) struct Make;

impl super::Program for Make {
    fn runs(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Flow> {
        make(shell, state, run.call)
    }
}

/// Targets that hang on each other deeper than this are not followed.
const DEPTH: usize = 64;

/// One run of make.
struct Making<'a> {
    call: &'a Call,
    makefile: Makefile,
    dry: bool,
    environment: &'a BTreeMap<String, Value>,
    made: BTreeSet<String>,
}

pub(super) fn make(shell: &mut Shell<'_>, state: &mut State, call: &Call) -> Option<Flow> {
    let request = options::read(call.arguments(), &call.raw);
    let inner_scope = state.scope.through("make");
    let mut inner = state.clone();
    if let Some(reason) = request.unclear {
        inner.within(&inner_scope, |inner| make_unknown(shell, inner, call, reason));
    } else if request.informational {
        shell.unknown_result(state);
        return Some(Flow::Next);
    }
    for (name, value) in &call.environment {
        shell.assign_scalar(&mut inner, name, value.clone());
        if let Some(variable) = std::sync::Arc::make_mut(&mut inner.variables).get_mut(name) {
            variable.exported = true;
        }
    }
    for dir in &request.directories {
        inner.cwd = shell.directories(&inner, dir);
    }
    let places: Vec<Option<PathBuf>> = match state.scope.host {
        None if !inner.cwd.is_empty() => inner.cwd.iter().cloned().map(Some).collect(),
        _ => vec![None],
    };
    let mut ran = false;
    for place in places {
        if let Some(dir) = &place {
            inner.cwd = vec![dir.clone()];
        }
        match makefiles(shell, &inner, &request, place.as_ref()) {
            FileText::Text(text) => {
                ran = true;
                inner.within(&inner_scope, |inner| make_text(shell, inner, call, &request, &text));
            }
            // What make does by itself it does without a file too.
            FileText::Missing if !request.goals.is_empty() || reads_first(&environment(shell, &inner)) => {
                ran = true;
                inner.within(&inner_scope, |inner| make_text(shell, inner, call, &request, ""));
            }
            // Make says so and stops.
            FileText::Missing => {}
            // On another machine, or where it is not known: the targets' names are all there is.
            FileText::Unknown if place.is_none() && request.files.is_empty() => {
                ran = true;
                let all = [String::new()];
                let goals = if request.goals.is_empty() { &all } else { request.goals.as_slice() };
                for goal in goals {
                    inner.within(&inner_scope, |inner| not_read(shell, inner, call, "make", goal));
                }
            }
            FileText::Unknown => {
                ran = true;
                let reason = "the makefile could not be read";
                inner.within(&inner_scope, |inner| make_unknown(shell, inner, call, reason));
            }
        }
    }
    state.files = inner.files;
    if ran {
        shell.unknown_result(state);
    } else {
        state.status = Status::False;
    }
    Some(Flow::Next)
}

/// Has these targets of a makefile made, whose text another program's file gives.
pub(super) fn made(shell: &mut Shell<'_>, state: &mut State, call: &Call, goals: Vec<String>, text: &str) {
    let request = Request { goals, ..Request::default() };
    make_text(shell, state, call, &request, text);
}

/// Whether `MAKEFILES` names files that are read before any other.
fn reads_first(environment: &BTreeMap<String, Value>) -> bool {
    environment
        .get("MAKEFILES")
        .is_some_and(|value| value.as_known().is_none_or(|text| !text.trim().is_empty()))
}

/// Their names, where they are known.
fn first_names(environment: &BTreeMap<String, Value>) -> impl Iterator<Item = &str> {
    environment.get("MAKEFILES").and_then(Value::as_known).into_iter().flat_map(str::split_whitespace)
}

/// The text of all makefiles that are named, or of the one that is found.
fn makefiles(shell: &Shell<'_>, state: &State, request: &Request, place: Option<&PathBuf>) -> FileText {
    let mut whole = request.evaluated.join("\n");
    for file in &request.files {
        match shell.file_text(state, file) {
            FileText::Text(text) => {
                whole.push('\n');
                whole.push_str(&text);
            }
            other => return other,
        }
    }
    if !request.files.is_empty() {
        return FileText::Text(whole);
    }
    let Some(dir) = place else { return FileText::Unknown };
    let names = ["GNUmakefile", "makefile", "Makefile"];
    let known = |name: &&str| shell.exists(state, &dir.join(name)) == Some(true);
    // Of a working tree that is not here only what it has can be told.
    let only = shell.world.tree().and_then(|_| names.iter().position(known)).unwrap_or(0);
    for name in &names[only..] {
        let path = dir.join(name);
        if let Some(text) = shell.read_text(state, &path, shell.options.limits.script_bytes) {
            return FileText::Text(format!("{whole}\n{text}"));
        }
        if shell.exists(state, &path) != Some(false) {
            return FileText::Unknown;
        }
    }
    if whole.is_empty() { FileText::Missing } else { FileText::Text(whole) }
}

fn make_text(shell: &mut Shell<'_>, state: &mut State, call: &Call, request: &Request, text: &str) {
    let environment = environment(shell, state);
    let mut makefile = Makefile::default();
    let at_once = AtOnce::default();
    given(shell, state, call, request, &environment, &mut makefile);
    {
        let variable = |name: &str| outside(&environment, name);
        let files = |pattern: &str| shell.pattern_names(state, pattern);
        let include = |name: &str| {
            let Some(path) = shell.absolute(state, &Value::known(name)) else { return Included::Unknown };
            match shell.read_text(state, &path, shell.options.limits.script_bytes) {
                Some(text) => Included::Text(text),
                None if shell.exists(state, &path) == Some(false) => Included::Missing,
                None => Included::Unknown,
            }
        };
        let outside = Outside { variable: &variable, files: &files, at_once: Some(&at_once) };
        let mut reader = Reader { outside, include: &include, files: 0 };
        // What these say counts, but for what is made when nobody asks for anything.
        for name in first_names(&environment) {
            match include(name) {
                Included::Text(text) => reader.read(&mut makefile, &text, 0),
                Included::Missing => {}
                Included::Unknown => {
                    makefile.gap = Some(format!("`{name}` is read first, and cannot be here"))
                }
            }
        }
        makefile.default = None;
        reader.read(&mut makefile, text, 0);
    }
    // Whoever set them: they choose what runs the recipes.
    let outside_set = |name: &str| {
        environment.get(name).is_some_and(|value| value.as_known().is_none_or(|text| !says_how(text)))
    };
    let untold = reads_first(&environment) && first_names(&environment).next().is_none();
    if untold || ["MAKEFLAGS", "GNUMAKEFLAGS"].into_iter().any(outside_set) {
        makefile.gap = Some("what runs the recipes, or more of them, is set from outside".to_owned());
    }
    if let Some(gap) = makefile.gap.clone() {
        shell.emit_as(state, call.span, &call.raw, StepKind::Gap { reason: gap });
    }
    let flags = environment.get("MAKEFLAGS").and_then(Value::as_known);
    let dry = request.dry || flags.is_some_and(|flags| says_how(flags) && only_says(flags));
    let mut goals = request.goals.clone();
    if goals.is_empty() {
        goals.extend(makefile.default.iter().flat_map(|text| text.split_whitespace()).map(str::to_owned));
    }
    let mut run = Making { call, makefile, dry, environment: &environment, made: BTreeSet::new() };
    let variables = run.makefile.variables.clone();
    for text in at_once.take() {
        make_line(shell, state, &run, &[], &text, true);
    }
    for goal in goals {
        make_target(shell, state, &mut run, &variables, &goal, 0);
    }
}

/// Variables that are set before the first line is read.
fn given(
    _shell: &Shell<'_>,
    state: &State,
    call: &Call,
    request: &Request,
    environment: &BTreeMap<String, Value>,
    makefile: &mut Makefile,
) {
    let mut again = if request.dry { "make -n".to_owned() } else { "make".to_owned() };
    let mut settings = request.settings.clone();
    if request.environment_wins {
        settings.extend(environment.keys().map(|name| {
            let text = outside(environment, name).unwrap_or_default();
            (name.clone(), text)
        }));
    }
    for (name, text) in settings {
        if (name == "SHELL" && !plain_shell(&text) && !request.environment_wins)
            || matches!(name.as_str(), ".SHELLFLAGS" | "MAKEFLAGS" | "MAKEFILES" | "MAKE" | "GNUMAKEFLAGS")
        {
            makefile.gap = Some("what runs the recipes, or more of them, is set from outside".to_owned());
        }
        again.push_str(&match text == UNKNOWN {
            true => format!(" {name}={UNKNOWN}"),
            false => format!(" {name}={}", shell_words::quote(&text)),
        });
        makefile.fixed.insert(name.clone());
        makefile.exported.insert(name.clone());
        makefile.variables.insert(name, Variable { text, simple: false });
    }
    let known = |text: String| Variable { text, simple: true };
    if !call.raw.is_empty() {
        makefile.variables.insert("MAKE".to_owned(), known(again));
    }
    let cwd = match state.only_cwd() {
        Some(dir) => dir.to_string_lossy().into_owned(),
        None => "$PWD".to_owned(),
    };
    makefile.variables.insert("CURDIR".to_owned(), known(cwd));
    makefile.variables.insert("MAKECMDGOALS".to_owned(), known(request.goals.join(" ")));
}

/// What a program started now finds in its environment.
fn environment(shell: &Shell<'_>, state: &State) -> BTreeMap<String, Value> {
    state
        .variables
        .iter()
        .filter(|(_, variable)| variable.exported)
        .filter_map(|(name, _)| Some((name.clone(), shell.scalar(state, name)?)))
        .collect()
}

fn make_unknown(shell: &mut Shell<'_>, state: &mut State, call: &Call, reason: &str) {
    shell.emit_as(state, call.span, &call.raw, StepKind::Opaque { reason: reason.to_owned() });
}

fn make_target(
    shell: &mut Shell<'_>,
    state: &mut State,
    run: &mut Making<'_>,
    inherited: &Variables,
    target: &str,
    depth: usize,
) {
    if !run.made.insert(target.to_owned()) || !shell.tick(state, run.call.span) {
        return;
    }
    if depth > DEPTH {
        let reason = "targets hang on each other too deep".to_owned();
        shell.emit_as(state, run.call.span, &run.call.raw, StepKind::Gap { reason });
        return;
    }
    let environment = run.environment;
    let variable = |name: &str| outside(environment, name);
    let mut variables = inherited.clone();
    {
        let outside = Outside { variable: &variable, files: &|_| None, at_once: None };
        for (wanted, name, operator, text) in &run.makefile.of_targets {
            let meant = wanted == target || expand::stem(wanted, target).is_some();
            if meant && !run.makefile.fixed.contains(name) {
                set(&mut variables, name, operator, text, &outside);
            }
        }
    }
    let rules = rules_for(&run.makefile, target);
    if rules.iter().all(|(rule, _)| rule.recipe.is_empty()) && !run.dry {
        built_in::rule(shell, state, run, target);
    }
    for (rule, stem) in &rules {
        for prerequisite in &rule.prerequisites {
            let name = prerequisite.replace('%', stem);
            make_target(shell, state, run, &variables, &name, depth + 1);
        }
    }
    for (rule, stem) in &rules {
        let names = rule.prerequisites.iter().map(|p| p.replace('%', stem));
        let names: Vec<String> = names.map(|name| found(shell, state, run, name)).collect();
        let mut local = variables.clone();
        let first = names.first().cloned().unwrap_or_default();
        for (name, text) in [
            ("@", target.to_owned()),
            ("<", first),
            ("^", names.join(" ")),
            ("+", names.join(" ")),
            ("*", stem.clone()),
        ] {
            local.insert(name.to_owned(), Variable { text, simple: true });
        }
        let (exported, lines) = recipe(shell, state, run, rule, &local);
        let maybe = !run.makefile.phony.contains(target);
        for text in lines {
            make_line(shell, state, run, &exported, &text, maybe);
        }
    }
}

/// The name under which a prerequisite is found: what does not stand here may stand where `VPATH` says.
fn found(shell: &Shell<'_>, state: &State, run: &Making<'_>, name: String) -> String {
    let makefile = &run.makefile;
    let searches = makefile.searches || makefile.variables.contains_key("VPATH");
    let made = || makefile.rules.iter().any(|rule| rule.targets.contains(&name));
    let here = || shell.absolute(state, &Value::known(name.as_str()));
    if searches && !made() && here().is_none_or(|path| shell.exists(state, &path) != Some(true)) {
        return UNKNOWN.to_owned();
    }
    name
}

/// The environment and the shell text of a recipe.
fn recipe(
    shell: &Shell<'_>,
    state: &State,
    run: &Making<'_>,
    rule: &Rule,
    local: &Variables,
) -> (Vec<(String, Value)>, Vec<String>) {
    if rule.recipe.is_empty() {
        return Default::default();
    }
    let variable = |name: &str| outside(run.environment, name);
    let files = |pattern: &str| shell.pattern_names(state, pattern);
    let outside = Outside { variable: &variable, files: &files, at_once: None };
    let goes_out = |name: &String| {
        (run.makefile.export_all
            || run.makefile.exported.contains(name)
            || run.environment.contains_key(name))
            && !matches!(name.as_str(), "MAKE" | "CURDIR" | "SHELL" | "MAKECMDGOALS" | ".DEFAULT_GOAL")
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let exported = local
        .keys()
        .filter(|name| goes_out(name))
        .map(|name| {
            let text = value(name, local, &outside, 0);
            let known = !text.contains(UNKNOWN) && !text.contains("$(");
            (name.clone(), if known { Value::Known(text) } else { Value::Unknown })
        })
        .collect();
    let mut lines: Vec<String> = Vec::new();
    for (_, line) in &rule.recipe {
        let whole = expand(line, local, &outside, 0);
        let made = line.contains("$(MAKE)") || line.contains("${MAKE}");
        // What `define` put in may be several lines, each with marks of its own.
        for text in recipe_lines(&whole) {
            let plain = text.trim_start_matches([' ', '\t', '@', '-', '+']);
            let even_so = text[..text.len() - plain.len()].contains('+') || made;
            if run.dry && !even_so {
                continue;
            }
            match lines.last_mut() {
                Some(last) if run.makefile.one_shell => {
                    last.push('\n');
                    last.push_str(text);
                }
                _ => lines.push(plain.to_owned()),
            }
        }
    }
    (exported, lines)
}

/// One line of a recipe, with variables put in.
fn make_line(
    shell: &mut Shell<'_>,
    state: &mut State,
    run: &Making<'_>,
    exported: &[(String, Value)],
    text: &str,
    maybe: bool,
) {
    let mut inner = state.clone();
    inner.maybe |= maybe;
    let unknown = [("__make_unknown".to_owned(), Value::Unknown)];
    for (name, value) in exported.iter().chain(&unknown) {
        shell.assign_scalar(&mut inner, name, value.clone());
        if let Some(variable) = std::sync::Arc::make_mut(&mut inner.variables).get_mut(name) {
            variable.exported = true;
        }
    }
    let (zero, positional) = (Value::known("sh"), Default::default());
    shell.fresh_shell(&mut inner, &Value::known(text), run.call.span, zero, positional);
    state.files = inner.files;
}

/// The lines of an expanded recipe line: a newline behind a backslash goes on.
fn recipe_lines(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let (mut start, mut escaped) = (0, false);
    for (at, c) in text.char_indices() {
        if c == '\n' && !escaped {
            lines.push(&text[start..at]);
            start = at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    lines.push(&text[start..]);
    lines
}

/// A variable of the environment as text.
fn outside(environment: &BTreeMap<String, Value>, name: &str) -> Option<String> {
    let value = environment.get(name)?;
    // Make expands such a value again.
    let plain = value.as_known().filter(|text| !text.contains('$'));
    Some(plain.unwrap_or(UNKNOWN).to_owned())
}

/// The rules that make a target, each with what `%` stands for in it.
fn rules_for(makefile: &Makefile, target: &str) -> Vec<(Rule, String)> {
    let found = |wanted: &dyn Fn(&Rule) -> bool| -> Vec<(Rule, String)> {
        makefile
            .rules
            .iter()
            .filter(|rule| wanted(rule))
            .filter_map(|rule| Some((rule.clone(), rule.makes(target)?)))
            .collect()
    };
    if target.contains(UNKNOWN) {
        // A list of files that cannot be told, such as all sources of a program: they may be made by any rule for files.
        let mut rules = found(&|rule| !rule.recipe.is_empty());
        let files = makefile.rules.iter().filter(|rule| {
            let named = |target: &String| !target.starts_with('.') && !makefile.phony.contains(target);
            !rule.recipe.is_empty() && rule.targets.iter().any(|target| named(target) && target.contains('%'))
        });
        rules.extend(files.map(|rule| (rule.clone(), UNKNOWN.to_owned())));
        return rules;
    }
    let mut rules = found(&|rule| rule.names(target));
    // Whichever pattern make takes, it is among these.
    if rules.iter().all(|(rule, _)| rule.recipe.is_empty()) && !makefile.phony.contains(target) {
        rules.extend(found(&|rule| !rule.names(target) && !rule.recipe.is_empty()));
    }
    if rules.is_empty() {
        let last = makefile.rules.iter().filter(|rule| rule.names(".DEFAULT"));
        rules.extend(last.map(|rule| (Rule { prerequisites: Vec::new(), ..rule.clone() }, String::new())));
    }
    rules
}

/// Whether flags have recipes shown and not run (`-n`).
fn only_says(flags: &str) -> bool {
    flags.split_whitespace().any(|flag| !flag.starts_with("--") && flag.contains('n'))
}

/// Flags that only say how many recipes run at once, what is shown of them, and that they are only shown.
fn says_how(flags: &str) -> bool {
    flags.split_whitespace().all(|flag| {
        let letters = flag.trim_start_matches('-');
        matches!(flag, "--no-print-directory" | "--print-directory" | "--silent" | "--quiet" | "--keep-going")
            || flag.starts_with("--jobs")
            || flag.starts_with("--load-average")
            || flag.starts_with("--output-sync")
            || !flag.starts_with("--")
                && !flag.contains('=')
                && letters.chars().all(|c| c.is_ascii_digit() || "jksrRwlO.n".contains(c))
    })
}
