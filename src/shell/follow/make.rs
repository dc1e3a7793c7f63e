//! `make`: the recipes of the targets that would be made, read from the Makefile without running anything.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::model::Value;
use crate::shell::interp::{Interp, Scope};
use crate::shell::simple::Call;
use crate::shell::state::{Flow, State, Status};
use crate::shell::step::StepKind;

/// Stands in recipe text for a value that is not known.
const UNKNOWN: &str = "${__make_unknown}";

#[derive(Debug, Default)]
struct Makefile {
    variables: BTreeMap<String, String>,
    rules: Vec<Rule>,
    default: Option<String>,
    phony: BTreeSet<String>,
    /// A construct that is not followed (`eval`, an included file that cannot be read).
    gap: Option<String>,
    /// Shell text that runs while the file is read.
    at_once: Vec<String>,
}

#[derive(Clone, Debug)]
struct Rule {
    targets: Vec<String>,
    prerequisites: Vec<String>,
    recipe: Vec<String>,
}

impl Interp<'_> {
    pub(super) fn make(&mut self, state: &mut State, scope: &Scope, call: &Call) -> Option<Flow> {
        let mut files: Vec<Value> = Vec::new();
        let mut goals: Vec<String> = Vec::new();
        let mut settings: Vec<(String, String)> = Vec::new();
        let mut inner = state.clone();
        let mut dry = false;
        let mut evaluated: Vec<String> = Vec::new();
        let mut unknown_goal = false;
        let mut words = call.arguments().iter();
        while let Some(word) = words.next() {
            let Some(text) = word.arg.value.as_known() else {
                unknown_goal = true;
                continue;
            };
            match text {
                "-f" | "--file" | "--makefile" => files.extend(words.next().map(|w| w.arg.value.clone())),
                "-C" | "--directory" => {
                    let dir = words.next().map(|w| w.arg.value.clone()).unwrap_or(Value::Unknown);
                    inner.cwd = self.directories(&inner, &dir);
                }
                "-n" | "--just-print" | "--dry-run" | "--recon" | "-q" | "--question" | "-t" | "--touch"
                | "-p" | "-v" | "--version" | "--help" | "-h" => dry = true,
                "-j" | "--jobs" => {}
                "--eval" | "-E" => {
                    evaluated.extend(words.next().map(|word| word.arg.value.display()));
                }
                _ if text.starts_with("--eval=") => {
                    evaluated.push(text.trim_start_matches("--eval=").to_owned());
                }
                "-I" | "-o" | "-W" | "-l" => {
                    words.next();
                }
                _ if text.starts_with("--file=") || text.starts_with("--makefile=") => {
                    files.push(Value::known(text.split_once('=').map_or("", |(_, f)| f)));
                }
                _ if text.starts_with("--directory=") => {
                    let dir = Value::known(text.split_once('=').map_or("", |(_, d)| d));
                    inner.cwd = self.directories(&inner, &dir);
                }
                _ if text.starts_with("-f") && text.len() > 2 => files.push(Value::known(&text[2..])),
                _ if text.starts_with("-C") && text.len() > 2 => {
                    inner.cwd = self.directories(&inner, &Value::known(&text[2..]));
                }
                _ if text.starts_with('-') => {
                    if !text.starts_with("--") && text.contains('n') {
                        dry = true;
                    }
                }
                _ => match text.split_once('=') {
                    Some((name, value)) => {
                        settings.push((name.trim_end_matches([':', '?', '+']).to_owned(), value.to_owned()));
                    }
                    None => goals.push(text.to_owned()),
                },
            }
        }
        if dry {
            self.unknown_result(state, scope);
            return Some(Flow::Next);
        }
        let inner_scope = scope.through("make");
        let text = match files.first() {
            Some(file) => match self.file_text(&inner, scope, file) {
                super::shells::FileText::Text(text) => text,
                super::shells::FileText::Missing => {
                    state.status = Status::False;
                    return Some(Flow::Next);
                }
                super::shells::FileText::Unknown => {
                    return Some(self.make_unknown(
                        state,
                        &inner_scope,
                        call,
                        "the makefile could not be read",
                    ));
                }
            },
            None => {
                if scope.host.is_some() || inner.cwd.is_empty() {
                    return Some(self.make_unknown(
                        state,
                        &inner_scope,
                        call,
                        "the makefile could not be read",
                    ));
                }
                let found = inner.cwd.clone().iter().find_map(|dir: &PathBuf| {
                    ["GNUmakefile", "makefile", "Makefile"].iter().find_map(|name| {
                        self.read_text(&inner, &dir.join(name), self.options.limits.script_bytes)
                    })
                });
                match found {
                    Some(text) => text,
                    None => {
                        // No makefile: make says so and stops.
                        state.status = Status::False;
                        return Some(Flow::Next);
                    }
                }
            }
        };
        evaluated.push(text);
        let text = self.with_included(&inner, &evaluated.join("\n"), 0);
        let mut makefile = read(&text);
        let variable = |name: &str| call.environment.iter().any(|(known, _)| known == name);
        let shell = settings.iter().find(|(name, _)| name == "SHELL").map(|(_, value)| value);
        let shell = shell.or_else(|| makefile.variables.get("SHELL"));
        if variable("MAKEFILES") || variable("MAKEFLAGS") || shell.is_some_and(|name| !plain_shell(name)) {
            makefile.gap = Some("what runs the recipes, or more of them, is set from outside".to_owned());
        }
        for (name, value) in settings {
            makefile.variables.insert(name, value);
        }
        for (name, value) in &call.environment {
            makefile.variables.entry(name.clone()).or_insert_with(|| match value.as_known() {
                Some(text) => text.to_owned(),
                None => UNKNOWN.to_owned(),
            });
        }
        if let Some(gap) = makefile.gap.clone() {
            self.emit_as(&mut inner, &inner_scope, call.span, &call.raw, StepKind::Gap { reason: gap });
        }
        for text in std::mem::take(&mut makefile.at_once) {
            self.make_line(&mut inner, &inner_scope, call, &text, true);
        }
        if unknown_goal {
            self.make_unknown(&mut inner, &inner_scope, call, "the target is not known");
        }
        if goals.is_empty() {
            goals.extend(makefile.default.clone());
        }
        let mut made = BTreeSet::new();
        for goal in goals {
            self.make_target(&mut inner, &inner_scope, call, &makefile, &goal, &mut made, 0);
        }
        state.files = inner.files;
        self.unknown_result(state, scope);
        Some(Flow::Next)
    }

    fn make_unknown(&mut self, state: &mut State, scope: &Scope, call: &Call, reason: &str) -> Flow {
        self.emit_as(state, scope, call.span, &call.raw, StepKind::Opaque { reason: reason.to_owned() });
        self.unknown_result(state, scope);
        Flow::Next
    }

    #[allow(clippy::too_many_arguments)]
    fn make_target(
        &mut self,
        state: &mut State,
        scope: &Scope,
        call: &Call,
        makefile: &Makefile,
        target: &str,
        made: &mut BTreeSet<String>,
        depth: usize,
    ) {
        if depth > 32 || !made.insert(target.to_owned()) || !self.tick(state, scope, call.span) {
            return;
        }
        let rules = makefile
            .rules
            .iter()
            .filter(|rule| rule.targets.iter().any(|name| name == target))
            .cloned()
            .collect::<Vec<_>>();
        let (rules, stem) = if rules.is_empty() {
            match makefile.rules.iter().find_map(|rule| {
                let stem = rule.targets.iter().find_map(|pattern| stem(pattern, target))?;
                Some((rule.clone(), stem))
            }) {
                Some((rule, stem)) => (vec![rule], stem),
                None => return,
            }
        } else {
            (rules, String::new())
        };
        for rule in &rules {
            for prerequisite in &rule.prerequisites {
                let name = prerequisite.replace('%', &stem);
                self.make_target(state, scope, call, makefile, &name, made, depth + 1);
            }
        }
        let first =
            |rule: &Rule| rule.prerequisites.first().map(|p| p.replace('%', &stem)).unwrap_or_default();
        for rule in &rules {
            let all = rule.prerequisites.iter().map(|p| p.replace('%', &stem)).collect::<Vec<_>>().join(" ");
            for line in &rule.recipe {
                let mut variables = makefile.variables.clone();
                variables.insert("@".to_owned(), target.to_owned());
                variables.insert("<".to_owned(), first(rule));
                variables.insert("^".to_owned(), all.clone());
                variables.insert("*".to_owned(), stem.clone());
                let text = expand(line, &variables, 0);
                let text = text.trim_start().trim_start_matches(['@', '-', '+']).to_owned();
                self.make_line(state, scope, call, &text, !makefile.phony.contains(target));
            }
        }
    }

    /// One line of a recipe, with variables put in.
    fn make_line(&mut self, state: &mut State, scope: &Scope, call: &Call, text: &str, maybe: bool) {
        let mut inner = state.clone();
        inner.maybe |= maybe;
        self.assign_scalar(&mut inner, "__make_unknown", Value::Unknown);
        if let Some(variable) = std::sync::Arc::make_mut(&mut inner.variables).get_mut("__make_unknown") {
            variable.exported = true;
        }
        let (zero, positional) = (Value::known("sh"), Default::default());
        self.fresh_shell(&mut inner, scope, &Value::known(text), call.span, zero, positional);
        state.files = inner.files;
    }

    /// The text with the files in it that it includes; a line that cannot be followed stays.
    fn with_included(&self, state: &State, text: &str, depth: usize) -> String {
        let mut whole = String::new();
        for line in text.lines() {
            let (optional, names) = match line.split_once(char::is_whitespace) {
                Some(("include", names)) => (false, names),
                Some(("-include" | "sinclude", names)) => (true, names),
                _ => {
                    whole.push_str(line);
                    whole.push('\n');
                    continue;
                }
            };
            for name in names.split_whitespace() {
                let path = (!name.contains(['$', '*', '?', '[']) && depth < 8)
                    .then(|| self.absolute(state, &Value::known(name)))
                    .flatten();
                let found = path
                    .as_ref()
                    .and_then(|path| self.read_text(state, path, self.options.limits.script_bytes));
                match found {
                    Some(found) => whole.push_str(&self.with_included(state, &found, depth + 1)),
                    None if optional && path.is_some_and(|path| self.exists(state, &path) == Some(false)) => {
                    }
                    None => whole.push_str(&format!("include {name}\n")),
                }
            }
        }
        whole
    }
}

/// Whether recipes are run by an ordinary shell.
fn plain_shell(text: &str) -> bool {
    let name = text.split_whitespace().next().unwrap_or("");
    super::is_shell(name.rsplit('/').next().unwrap_or(name)) && text.split_whitespace().count() == 1
        || matches!(text, "/usr/bin/env bash" | "/usr/bin/env sh")
}

/// The shell text of every `$(shell …)` in a line that is expanded when it is read.
fn shells_in(line: &str, variables: &BTreeMap<String, String>, found: &mut Vec<String>) {
    let mut rest = line;
    while let Some(at) = rest.find("(shell ").or_else(|| rest.find("{shell ")) {
        let part = &rest[at..];
        let end = closing(part).unwrap_or(part.len());
        found.push(expand(part[..end].get(7..).unwrap_or(""), variables, 0));
        rest = &part[1..];
    }
}

fn stem(pattern: &str, target: &str) -> Option<String> {
    let (before, after) = pattern.split_once('%')?;
    let rest = target.strip_prefix(before)?.strip_suffix(after)?;
    (!rest.is_empty()).then(|| rest.to_owned())
}

fn read(text: &str) -> Makefile {
    let mut makefile = Makefile::default();
    let mut current: Option<usize> = None;
    let mut lines = text.lines().peekable();
    let mut defined: Option<(String, Vec<String>)> = None;
    // How deep in conditionals: either branch may hold.
    let mut conditions = 0usize;
    let mut prefix = '\t';
    while let Some(line) = lines.next() {
        let mut whole = line.to_owned();
        while whole.ends_with('\\') {
            let Some(next) = lines.next() else { break };
            if whole.starts_with(prefix) && current.is_some() {
                whole.push('\n');
                whole.push_str(next.strip_prefix(prefix).unwrap_or(next));
            } else {
                whole.pop();
                whole.push(' ');
                whole.push_str(next.trim_start());
            }
        }
        if let Some((name, body)) = &mut defined {
            if whole.trim() == "endef" {
                makefile.variables.insert(name.clone(), body.join("\n"));
                defined = None;
            } else {
                body.push(whole);
            }
            continue;
        }
        if let (Some(recipe), Some(at)) = (whole.strip_prefix(prefix), current) {
            if let Some(rule) = makefile.rules.get_mut(at) {
                rule.recipe.push(recipe.to_owned());
            }
            continue;
        }
        let code = whole.split('#').next().unwrap_or("").trim().to_owned();
        if code.is_empty() {
            continue;
        }
        let first = code.split_whitespace().next().unwrap_or("");
        match first {
            "ifeq" | "ifneq" | "ifdef" | "ifndef" => conditions += 1,
            "endif" => conditions = conditions.saturating_sub(1),
            _ => {}
        }
        let lazy = matches!(assignment(&code), Some((_, "=" | "?=" | "+=", _)));
        if !lazy {
            shells_in(&code, &makefile.variables, &mut makefile.at_once);
        }
        match first {
            "ifeq" | "ifneq" | "ifdef" | "ifndef" | "else" | "endif" | "export" | "unexport" | "vpath"
                if !code.contains('=') || first.starts_with("if") =>
            {
                continue;
            }
            "include" | "-include" | "sinclude" => {
                makefile.gap = Some(format!("a makefile that it includes could not be read: {code}"));
                continue;
            }
            "define" => {
                let name = code.trim_start_matches("define").trim().trim_end_matches(['=', ':', '?', '+']);
                defined = Some((name.trim().to_owned(), Vec::new()));
                continue;
            }
            _ => {}
        }
        if let Some((name, operator, value)) = assignment(&code) {
            let name = expand(&name, &makefile.variables, 0);
            if name == ".RECIPEPREFIX" {
                prefix = value.chars().next().unwrap_or('\t');
                continue;
            }
            let before = makefile.variables.get(&name).cloned();
            let assigned = name.clone();
            match operator {
                "?=" => {
                    makefile.variables.entry(name).or_insert(value);
                }
                "+=" => {
                    let old = makefile.variables.entry(name).or_default();
                    *old = format!("{old} {value}").trim().to_owned();
                }
                ":=" | "::=" => {
                    let value = expand(&value, &makefile.variables, 0);
                    makefile.variables.insert(name, value);
                }
                "!=" => {
                    makefile.at_once.push(expand(&value, &makefile.variables, 0));
                    makefile.variables.insert(name, UNKNOWN.to_owned());
                }
                _ => {
                    makefile.variables.insert(name, value);
                }
            }
            if conditions > 0
                && before.is_some_and(|before| makefile.variables.get(&assigned) != Some(&before))
            {
                makefile.variables.insert(assigned, UNKNOWN.to_owned());
            }
            current = None;
            continue;
        }
        if code.starts_with('$') && !code.contains(':')
            || code.contains("$(eval ")
            || code.contains("${eval ")
        {
            if code.contains("eval ") || code.contains("call ") || code.contains("foreach ") {
                makefile.gap = Some("rules that the makefile builds while it is read".to_owned());
            }
            continue;
        }
        if let Some((targets, rest)) = code.split_once(':') {
            let rest = rest.trim_start_matches(':');
            let (prerequisites, recipe) = match whole.split_once(';') {
                Some((_, recipe)) if rest.contains(';') => {
                    (rest.split(';').next().unwrap_or(""), Some(recipe.trim().to_owned()))
                }
                _ => (rest, None),
            };
            let targets = names(targets, &makefile.variables);
            let prerequisites = names(&prerequisites.replace('|', " "), &makefile.variables);
            if targets.iter().any(|target| target == ".PHONY") {
                makefile.phony.extend(prerequisites);
                current = None;
                continue;
            }
            if makefile.default.is_none() {
                makefile.default = targets.iter().find(|t| !t.starts_with('.') && !t.contains('%')).cloned();
            }
            current = Some(makefile.rules.len());
            makefile.rules.push(Rule { targets, prerequisites, recipe: recipe.into_iter().collect() });
        }
    }
    makefile
}

fn names(text: &str, variables: &BTreeMap<String, String>) -> Vec<String> {
    expand(text, variables, 0).split_whitespace().map(str::to_owned).collect()
}

fn assignment(code: &str) -> Option<(String, &'static str, String)> {
    let code = code.strip_prefix("export ").or_else(|| code.strip_prefix("override ")).unwrap_or(code);
    let at = code.find('=')?;
    let (operator, end): (&'static str, usize) = match code.as_bytes().get(..at) {
        Some([.., b':', b':']) => ("::=", at - 2),
        Some([.., b':']) => (":=", at - 1),
        Some([.., b'?']) => ("?=", at - 1),
        Some([.., b'+']) => ("+=", at - 1),
        Some([.., b'!']) => ("!=", at - 1),
        _ => ("=", at),
    };
    let name = code[..end].trim();
    // A colon in the name makes it a rule with a variable of its own.
    if name.is_empty() || name.contains(|c: char| c.is_whitespace() || c == ':') {
        return None;
    }
    Some((name.to_owned(), operator, code[at + 1..].trim().to_owned()))
}

/// Variables put in; functions and unknown names give text that stands for anything.
fn expand(text: &str, variables: &BTreeMap<String, String>, depth: usize) -> String {
    if depth > 16 {
        return UNKNOWN.to_owned();
    }
    let mut result = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        result.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let Some(first) = rest.chars().next() else { break };
        match first {
            '$' => {
                result.push('$');
                rest = &rest[1..];
            }
            '(' | '{' => {
                let Some(end) = closing(rest) else {
                    result.push_str(UNKNOWN);
                    return result;
                };
                let inner = &rest[1..end];
                rest = &rest[end + 1..];
                result.push_str(&reference(inner, variables, depth));
            }
            other => {
                rest = &rest[other.len_utf8()..];
                match variables.get(&other.to_string()) {
                    Some(value) => result.push_str(&expand(value, variables, depth + 1)),
                    None if other.is_ascii_alphabetic() => {}
                    None => result.push_str(UNKNOWN),
                }
            }
        }
    }
    result.push_str(rest);
    result
}

fn reference(inner: &str, variables: &BTreeMap<String, String>, depth: usize) -> String {
    if let Some((name, value)) = inner.split_once(char::is_whitespace) {
        return match name {
            // What `$(shell …)` runs is walked too; its value is not known.
            "shell" => format!("$({} >/dev/null)", expand(value, variables, depth + 1)) + UNKNOWN,
            "strip" => expand(value, variables, depth + 1).trim().to_owned(),
            "wildcard" => expand(value, variables, depth + 1),
            "info" | "warning" | "error" => String::new(),
            _ => UNKNOWN.to_owned(),
        };
    }
    if inner.contains(['$', ':']) {
        return UNKNOWN.to_owned();
    }
    match variables.get(inner) {
        Some(value) => expand(value, variables, depth + 1),
        None => match inner {
            "RM" => "rm -f".to_owned(),
            "MAKE" => "make".to_owned(),
            "CC" => "cc".to_owned(),
            "AR" => "ar".to_owned(),
            "SHELL" => "/bin/sh".to_owned(),
            "CURDIR" => "$PWD".to_owned(),
            // The environment's variable of that name, or nothing.
            name if name.chars().all(|c| c.is_alphanumeric() || c == '_') => format!("${{{name}}}"),
            _ => UNKNOWN.to_owned(),
        },
    }
}

fn closing(text: &str) -> Option<usize> {
    let open = text.chars().next()?;
    let close = if open == '(' { ')' } else { '}' };
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        if c == open {
            depth += 1;
        } else if c == close {
            depth -= 1;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}
