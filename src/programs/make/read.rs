//! A makefile's lines: variables, rules, conditionals, included files.

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::conditions::Condition;
use super::expand::{Outside, UNKNOWN, Variable, Variables, expand, outside_of_references, stem};

/// Files that include each other deeper than this are not followed.
const INCLUDES: usize = 16;
/// Rules that are kept.
const RULES: usize = 20_000;

/// What reading gave.
#[derive(Debug, Default)]
pub(super) struct Makefile {
    pub(super) variables: Variables,
    pub(super) rules: Vec<Rule>,
    pub(super) default: Option<String>,
    pub(super) phony: BTreeSet<String>,
    /// Variables that recipes find in their environment.
    pub(super) exported: BTreeSet<String>,
    pub(super) export_all: bool,
    /// All lines of a recipe run in one shell.
    pub(super) one_shell: bool,
    /// Prerequisites are sought in other directories too (`vpath`).
    pub(super) searches: bool,
    /// Variables of single targets (or patterns): target, name, operator, text.
    pub(super) of_targets: Vec<(String, String, &'static str, String)>,
    /// A construct that is not followed.
    pub(super) gap: Option<String>,
    /// Names whose value the command line sets: assignments do not change them.
    pub(super) fixed: BTreeSet<String>,
}

/// A rule. A target with `%` is a pattern.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) targets: Vec<String>,
    /// The target pattern of a static pattern rule.
    pub(super) pattern: Option<String>,
    pub(super) prerequisites: Vec<String>,
    /// Its lines, each with the line of the file that it stands on; 0 in an included one.
    pub(super) recipe: Vec<(usize, String)>,
}

/// What became of an included file.
pub(super) enum Included {
    Text(String),
    Missing,
    Unknown,
}

/// What reading needs from around it.
pub(super) struct Reader<'a> {
    pub(super) outside: Outside<'a>,
    pub(super) include: &'a dyn Fn(&str) -> Included,
    pub(super) files: usize,
}

/// A `define` that is being read.
struct Definition {
    name: String,
    operator: &'static str,
    body: Vec<String>,
    /// Definitions within it.
    nested: usize,
}

/// Where in a makefile reading stands.
pub(super) struct Place {
    /// The rule that recipe lines belong to.
    rule: Option<usize>,
    definition: Option<Definition>,
    /// Conditionals around here, the outermost first.
    pub(super) conditions: Vec<Condition>,
    /// What a recipe line begins with.
    prefix: char,
    /// The line of the file; 0 in an included one.
    line: usize,
}

impl Place {
    /// A line with those that it is continued on.
    fn continued<'a>(&self, line: &str, lines: &mut impl Iterator<Item = (usize, &'a str)>) -> String {
        let mut whole = line.to_owned();
        while whole.ends_with('\\') && self.definition.is_none() {
            let Some((_, next)) = lines.next() else { break };
            if whole.starts_with(self.prefix) && self.rule.is_some() {
                whole.push('\n');
                whole.push_str(next.strip_prefix(self.prefix).unwrap_or(next));
            } else {
                whole.pop();
                whole.push(' ');
                whole.push_str(next.trim_start());
            }
        }
        whole
    }

    /// Whether make skips what stands here.
    pub(super) fn is_skipped(&self) -> bool {
        self.conditions.iter().any(|condition| condition.holds == Some(false))
    }
}

impl Makefile {
    fn unclear(&mut self, what: impl Into<String>) {
        self.gap.get_or_insert_with(|| what.into());
    }
}

impl Reader<'_> {
    /// Adds what a text says.
    pub(super) fn read(&mut self, makefile: &mut Makefile, text: &str, depth: usize) {
        let mut place = Place { rule: None, definition: None, conditions: Vec::new(), prefix: '\t', line: 0 };
        let mut lines = text.lines().enumerate().map(|(number, line)| (number + 1, line));
        while let Some((number, line)) = lines.next() {
            place.line = if depth == 0 { number } else { 0 };
            let whole = place.continued(line, &mut lines);
            let skipped = place.is_skipped();
            if let Some(definition) = place.definition.take() {
                place.definition = self.define(makefile, &place, definition, whole);
                continue;
            }
            if let (Some(recipe), Some(at)) = (whole.strip_prefix(place.prefix), place.rule) {
                if let Some(rule) = makefile.rules.get_mut(at).filter(|_| !skipped) {
                    rule.recipe.push((place.line, recipe.to_owned()));
                }
                continue;
            }
            let code = whole.split('#').next().unwrap_or("").trim();
            let first = code.split([' ', '\t', '(']).next().unwrap_or("");
            if first.is_empty()
                || self.conditional(makefile, &mut place, code)
                || (skipped && first != "define")
                || self.directive(makefile, &mut place, code, depth)
                || self.assignment(makefile, &mut place, code)
            {
                continue;
            }
            if code.starts_with('$') && outside_of_references(code, ":").is_none() {
                // What a function gives is read as lines of the makefile.
                let made = expand(code, &makefile.variables, &self.outside, 0);
                if !made.trim().is_empty() && !code.starts_with("$(shell") {
                    makefile.unclear("rules that the makefile builds while it is read");
                }
                continue;
            }
            place.rule = self.rule(makefile, code, &whole, place.line);
        }
        if !place.conditions.is_empty() || place.definition.is_some() {
            makefile.unclear("a conditional or definition of the makefile has no end");
        }
    }

    /// A line within `define`; the definition as long as it goes on.
    fn define(
        &self,
        makefile: &mut Makefile,
        place: &Place,
        mut definition: Definition,
        line: String,
    ) -> Option<Definition> {
        match line.split_whitespace().next() {
            Some("define") => definition.nested += 1,
            Some("endef") if definition.nested > 0 => definition.nested -= 1,
            Some("endef") => {
                if !place.is_skipped() {
                    let text = definition.body.join("\n");
                    self.assign(makefile, &definition.name, definition.operator, &text, &place.conditions);
                }
                return None;
            }
            _ => {}
        }
        definition.body.push(line);
        Some(definition)
    }

    /// A line that begins with a word of make itself; false when it does not.
    fn directive(&mut self, makefile: &mut Makefile, place: &mut Place, code: &str, depth: usize) -> bool {
        let (first, rest) = code.split_once([' ', '\t', '(']).unwrap_or((code, ""));
        let rest = rest.trim();
        match first {
            "include" | "-include" | "sinclude" => {
                self.included(makefile, rest, first != "include", depth);
                place.rule = None;
            }
            "define" => {
                let (name, operator) = match assignment(&format!("{rest}=")) {
                    _ if !rest.ends_with('=') => (rest.to_owned(), "="),
                    Some((name, operator, _)) => (name.trim_end_matches('=').trim().to_owned(), operator),
                    None => (rest.to_owned(), "="),
                };
                place.definition = Some(Definition { name, operator, body: Vec::new(), nested: 0 });
            }
            "vpath" => makefile.searches = true,
            "load" | "-load" => makefile.unclear("make loads code that is not looked at"),
            "undefine" => {
                let text = Variable { text: UNKNOWN.to_owned(), simple: true };
                makefile.variables.insert(rest.to_owned(), text);
            }
            "export" | "unexport" if outside_of_references(code, "=").is_none() => {
                let names = expand(rest, &makefile.variables, &self.outside, 0);
                match first {
                    "export" if rest.is_empty() => makefile.export_all = true,
                    "export" => makefile.exported.extend(names.split_whitespace().map(str::to_owned)),
                    _ => {}
                }
            }
            _ => return false,
        }
        true
    }

    /// A line that sets a variable; false when it sets none.
    fn assignment(&self, makefile: &mut Makefile, place: &mut Place, code: &str) -> bool {
        let Some((name, operator, text)) = assignment(code) else { return false };
        if name == ".RECIPEPREFIX" {
            place.prefix = text.chars().next().unwrap_or('\t');
            return true;
        }
        if code.starts_with("export ") {
            makefile.exported.insert(name.clone());
        }
        if code.starts_with("override ") {
            makefile.fixed.remove(&name);
        }
        self.assign(makefile, &name, operator, &text, &place.conditions);
        place.rule = None;
        true
    }

    /// Reads the files of an `include`.
    fn included(&mut self, makefile: &mut Makefile, names: &str, optional: bool, depth: usize) {
        let names = expand(names, &makefile.variables, &self.outside, 0);
        for name in names.split_whitespace() {
            let listed = match name.contains(['*', '?', '[']) {
                true => (self.outside.files)(name),
                false => Some(vec![name.to_owned()]),
            };
            let readable = !name.contains('$') && depth < INCLUDES;
            let Some(listed) = listed.filter(|_| readable) else {
                makefile.unclear(format!("a makefile that it includes could not be read: {name}"));
                continue;
            };
            for name in listed {
                self.files += 1;
                match (self.include)(&name) {
                    _ if self.files > 500 => makefile.unclear("more makefiles are included than are read"),
                    Included::Text(text) => self.read(makefile, &text, depth + 1),
                    Included::Missing if optional => {}
                    _ => makefile.unclear(format!("a makefile that it includes could not be read: {name}")),
                }
            }
        }
    }

    /// Sets a variable, as far as the conditionals around it are known.
    fn assign(
        &self,
        makefile: &mut Makefile,
        name: &str,
        operator: &'static str,
        text: &str,
        conditions: &[Condition],
    ) {
        let name = expand(name, &makefile.variables, &self.outside, 0);
        let doubt = conditions.iter().any(|c| c.holds.is_none() && !c.default_only);
        if name == ".DEFAULT_GOAL" {
            makefile.default = Some(expand(text, &makefile.variables, &self.outside, 0).trim().to_owned());
        }
        if name == "SHELL" && !plain_shell(text) || name == ".SHELLFLAGS" && !plain_flags(text) {
            makefile.unclear("what runs the recipes is set in the makefile");
        }
        if makefile.fixed.contains(&name) {
            return;
        }
        let mut variables = std::mem::take(&mut makefile.variables);
        let before = variables.get(&name).cloned();
        let from_outside = if operator == "?=" { (self.outside.variable)(&name) } else { None };
        match from_outside.filter(|_| before.is_none()) {
            Some(text) => {
                variables.insert(name.clone(), Variable { text, simple: true });
            }
            None => set(&mut variables, &name, operator, text, &self.outside),
        }
        if doubt && variables.get(&name) != before.as_ref() {
            variables.insert(name, Variable { text: UNKNOWN.to_owned(), simple: true });
        }
        makefile.variables = variables;
    }

    /// A line with a colon; the rule that recipe lines below belong to.
    fn rule(&self, makefile: &mut Makefile, code: &str, whole: &str, line: usize) -> Option<usize> {
        let colon = outside_of_references(code, ":")?;
        let (left, rest) = (&code[..colon], code[colon + 1..].trim_start_matches(':'));
        let put = |text: &str, makefile: &Makefile| expand(text, &makefile.variables, &self.outside, 0);
        let words = |text: &str| {
            text.split_whitespace()
                .map(|word| word.strip_prefix("./").unwrap_or(word).to_owned())
                .collect::<Vec<String>>()
        };
        let targets = words(put(left, makefile).trim_end().trim_end_matches('&'));
        if let Some((name, operator, text)) = assignment(rest.trim_start().trim_start_matches("private ")) {
            if matches!(name.as_str(), "SHELL" | ".SHELLFLAGS") {
                makefile.unclear("what runs the recipes is set in the makefile");
            }
            for target in targets {
                makefile.of_targets.push((target, name.clone(), operator, text.clone()));
            }
            return None;
        }
        let semicolon = outside_of_references(rest, ";");
        let recipe = semicolon.and_then(|_| {
            let after = &whole[outside_of_references(whole, ";")? + 1..];
            Some((line, after.trim().to_owned()))
        });
        let rest = &rest[..semicolon.unwrap_or(rest.len())];
        let (pattern, rest) = match outside_of_references(rest, ":") {
            Some(at) => (Some(put(&rest[..at], makefile).trim().to_owned()), &rest[at + 1..]),
            None => (None, rest),
        };
        let prerequisites = words(&put(&rest.replace('|', " "), makefile));
        if targets.iter().any(|target| target.contains(UNKNOWN)) && makefile.gap.is_none() {
            makefile.gap = targets
                .iter()
                .all(|target| target.contains(UNKNOWN))
                .then(|| "the targets of a rule are not known".to_owned());
        }
        if targets.iter().any(|target| target == ".PHONY") {
            makefile.phony.extend(prerequisites);
            return None;
        }
        makefile.one_shell |= targets.iter().any(|target| target == ".ONESHELL");
        makefile.export_all |= targets.iter().any(|target| target == ".EXPORT_ALL_VARIABLES");
        if makefile.default.is_none() {
            let possible = |t: &&String| (!t.starts_with('.') || t.contains('/')) && !t.contains('%');
            makefile.default = targets.iter().find(possible).cloned();
        }
        if makefile.rules.len() >= RULES {
            makefile.unclear("the makefile has more rules than are read");
            return None;
        }
        // `.c.o:` is an old way to write `%.o: %.c`.
        let targets = targets.into_iter().map(|target| suffixes(&target).unwrap_or(target)).collect();
        makefile.rules.push(Rule { targets, pattern, prerequisites, recipe: recipe.into_iter().collect() });
        Some(makefile.rules.len() - 1)
    }
}

impl Rule {
    /// What `%` stands for when the rule makes a target (empty without a pattern).
    pub(super) fn makes(&self, target: &str) -> Option<String> {
        if self.targets.iter().any(|known| known == target) {
            return Some(match &self.pattern {
                Some(pattern) => stem(pattern, target)?,
                None => String::new(),
            });
        }
        self.targets.iter().find_map(|pattern| stem(pattern, target)).filter(|stem| !stem.is_empty())
    }

    /// Whether the target stands there by its name.
    pub(super) fn names(&self, target: &str) -> bool {
        self.targets.iter().any(|known| known == target)
    }
}

/// Sets a variable.
pub(super) fn set(variables: &mut Variables, name: &str, operator: &str, text: &str, outside: &Outside<'_>) {
    let found = match operator {
        "?=" if variables.contains_key(name) => return,
        "+=" => match variables.get(name) {
            Some(old) => {
                let more = if old.simple { expand(text, variables, outside, 0) } else { text.to_owned() };
                Variable { text: format!("{} {more}", old.text).trim().to_owned(), simple: old.simple }
            }
            None => {
                let old = (outside.variable)(name).unwrap_or_default();
                Variable { text: format!("{old} {text}").trim().to_owned(), simple: false }
            }
        },
        ":=" => Variable { text: expand(text, variables, outside, 0), simple: true },
        "!=" => {
            let text = expand(text, variables, outside, 0);
            if let Some(list) = outside.at_once {
                list.borrow_mut().push(text);
            }
            Variable { text: UNKNOWN.to_owned(), simple: true }
        }
        _ => Variable { text: text.to_owned(), simple: false },
    };
    variables.insert(name.to_owned(), found);
}

/// `.c.o` as `%.o`, `.c` alone left as it is.
fn suffixes(target: &str) -> Option<String> {
    let (from, to) = target.strip_prefix('.')?.split_once('.')?;
    let plain = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '+');
    (plain(from) && plain(to)).then(|| format!("%.{to}"))
}

/// Name, operator (`=`, `:=`, `?=`, `+=`, `!=`) and text of an assignment.
fn assignment(code: &str) -> Option<(String, &'static str, String)> {
    let mut code = code;
    while let Some(rest) =
        ["export ", "override ", "private "].iter().find_map(|word| code.strip_prefix(word))
    {
        code = rest.trim_start();
    }
    let at = outside_of_references(code, "=")?;
    let name = code[..at].trim_end_matches(':');
    let colons = at - name.len();
    let (operator, name) = match name.chars().next_back() {
        _ if colons > 0 => (":=", name),
        Some('?') => ("?=", &name[..name.len() - 1]),
        Some('+') => ("+=", &name[..name.len() - 1]),
        Some('!') => ("!=", &name[..name.len() - 1]),
        _ => ("=", name),
    };
    let name = name.trim();
    // A colon in the name makes it a rule with a variable of its own.
    if name.is_empty() || outside_of_references(name, " \t:").is_some() {
        return None;
    }
    Some((name.to_owned(), operator, code[at + 1..].trim().to_owned()))
}

/// Whether recipes are run by an ordinary shell.
pub(super) fn plain_shell(text: &str) -> bool {
    let text = text.strip_prefix("/usr/bin/env ").unwrap_or(text);
    let (name, flags) = text.split_once(' ').unwrap_or((text, ""));
    let base = name.rsplit('/').next().unwrap_or(name);
    let known = crate::shell::program::is_shell(base)
        || ["$(shell which bash)", "$(shell command -v bash)", "$(shell which sh)"].contains(&text);
    known && (flags.is_empty() || !text.starts_with('/') || plain_flags(flags)) && !name.starts_with("./")
}

/// Whether a shell's options only make it stricter.
fn plain_flags(text: &str) -> bool {
    text.split_whitespace().all(|word| {
        matches!(word, "pipefail" | "errexit" | "nounset")
            || word.strip_prefix('-').is_some_and(|letters| letters.chars().all(|c| "euxocl".contains(c)))
    })
}

/// A place for shell text that runs while the file is read.
pub(super) type AtOnce = RefCell<Vec<String>>;
