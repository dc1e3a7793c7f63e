//! `just`: recipes of a justfile, with what stands before and after them.

use std::collections::{BTreeMap, BTreeSet};

use crate::knowledge::Match;
use crate::model::Value;
use crate::programs::tasks::functions::unfound;
use crate::programs::tasks::{named_file, not_read, task_file};
use crate::shell::program::{Call, Code, Shell, State, is_shell, language_of};

use super::Found;

/// Stands in a recipe for a value that is not known.
const UNKNOWN: &str = "${__just_unknown}";
/// Recipes that hang on each other deeper than this are not followed.
const DEPTH: usize = 32;

/// One recipe.
#[derive(Clone, Debug, Default)]
struct Recipe {
    /// Names, and what each is when nothing is given; `None`: it must be given.
    parameters: Vec<(String, Option<String>)>,
    before: Vec<(String, Vec<String>)>,
    after: Vec<(String, Vec<String>)>,
    /// Its lines, each with the line of the file that it stands on.
    lines: Vec<(usize, String)>,
}

/// A justfile as far as it is read.
#[derive(Clone, Debug, Default)]
struct Justfile {
    variables: BTreeMap<String, String>,
    recipes: BTreeMap<String, Recipe>,
    first: Option<String>,
    /// What runs the lines is not an ordinary shell.
    other_shell: bool,
}

pub(super) fn just(shell: &mut Shell<'_>, state: &mut State, call: &Call, matched: &Match) {
    let found = match matched.value("-f") {
        Some(file) => named_file(shell, state, file),
        None => task_file(shell, state, &["justfile", "Justfile", ".justfile"], true),
    };
    let words = matched.operands("task");
    let Some(words) =
        words.iter().map(|one| one.value.as_known().map(str::to_owned)).collect::<Option<Vec<_>>>()
    else {
        return not_read(shell, state, call, "just", "");
    };
    let Found::File { path, text } = found else {
        unfound(shell, state, call, "just", &words, &found);
        return;
    };
    let mut file = read(&text);
    if matched.has("--shell") || file.other_shell || matched.has("--choose") {
        return not_read(shell, state, call, "just", words.first().map_or("", String::as_str));
    }
    let directory = matched.value("-d").map(|dir| shell.directories(state, dir));
    let own = || path.parent().map(|dir| vec![dir.to_path_buf()]);
    state.cwd = directory.or_else(own).unwrap_or_default();
    shell.assign_scalar(state, "__just_unknown", Value::Unknown);
    if let [name, _value, ..] = matched.values("--set").as_slice() {
        // Which of several values belongs to which name is left open.
        file.variables.insert(name.display(), UNKNOWN.to_owned());
    }
    let mut rest = words.as_slice();
    while let Some((assignment, more)) = rest.split_first() {
        let Some((name, value)) = assignment.split_once('=') else { break };
        file.variables.insert(name.to_owned(), value.to_owned());
        rest = more;
    }
    if rest.is_empty() {
        match file.first.clone() {
            Some(first) => just_recipe(shell, state, call, &file, (&first, &[]), &mut BTreeSet::new(), 0),
            None => not_read(shell, state, call, "just", ""),
        }
    }
    let mut done = BTreeSet::new();
    while let Some((name, more)) = rest.split_first() {
        let takes = file.recipes.get(name).map_or(more.len(), |recipe| {
            let all = recipe.parameters.iter().any(|(name, _)| name.starts_with(['*', '+']));
            if all { more.len() } else { recipe.parameters.len().min(more.len()) }
        });
        let (given, further) = more.split_at(takes);
        just_recipe(shell, state, call, &file, (name, given), &mut done, 0);
        rest = further;
    }
}

#[allow(clippy::too_many_arguments)]
fn just_recipe(
    shell: &mut Shell<'_>,
    state: &mut State,
    call: &Call,
    file: &Justfile,
    (name, given): (&str, &[String]),
    done: &mut BTreeSet<String>,
    depth: usize,
) {
    if !shell.tick(state, call.span) || !done.insert(format!("{name}\0{}", given.join("\0"))) {
        return;
    }
    let Some(recipe) = file.recipes.get(name).filter(|_| depth < DEPTH).cloned() else {
        return not_read(shell, state, call, "just", name);
    };
    let mut variables = file.variables.clone();
    for (index, (parameter, otherwise)) in recipe.parameters.iter().enumerate() {
        let bare = parameter.trim_start_matches(['*', '+', '$']);
        let value = match given.get(index..) {
            Some(all @ [_, ..]) if parameter.starts_with(['*', '+']) => all.join(" "),
            Some([one, ..]) => one.clone(),
            _ => match otherwise {
                Some(text) => value(text, &variables),
                None if parameter.starts_with('*') => String::new(),
                None => UNKNOWN.to_owned(),
            },
        };
        variables.insert(bare.to_owned(), value);
    }
    let needed = |list: &[(String, Vec<String>)]| {
        let arguments =
            |words: &Vec<String>| words.iter().map(|word| value(word, &variables)).collect::<Vec<_>>();
        list.iter().map(|(name, words)| (name.clone(), arguments(words))).collect::<Vec<_>>()
    };
    for (name, given) in needed(&recipe.before) {
        just_recipe(shell, state, call, file, (&name, &given), done, depth + 1);
    }
    let lines = recipe.lines.iter().map(|(_, line)| filled(line, &variables)).collect::<Vec<_>>();
    just_lines(shell, state, call, name, &lines);
    for (name, given) in needed(&recipe.after) {
        just_recipe(shell, state, call, file, (&name, &given), done, depth + 1);
    }
}

/// Each line is a shell of its own; a first line with `#!` makes all of it one program.
fn just_lines(shell: &mut Shell<'_>, state: &mut State, call: &Call, name: &str, lines: &[String]) {
    if let Some(interpreter) = lines.first().and_then(|line| line.trim().strip_prefix("#!")) {
        let program = interpreter.split_whitespace().next_back().unwrap_or_default();
        let program = program.rsplit('/').next().unwrap_or_default();
        let text = lines.join("\n");
        if is_shell(program) {
            just_text(shell, state, call, text);
        } else if let Some(language) = language_of(program) {
            let text = Value::Known(text);
            let code = Code::of(language, &text, Vec::new(), call);
            shell.run_code(state, code);
        } else {
            not_read(shell, state, call, "just", name);
        }
        return;
    }
    let mut text = String::new();
    for line in lines {
        let line = line.trim_start();
        if text.is_empty() {
            text.push_str(line.trim_start_matches(['@', '-']));
        } else {
            text.push_str(line);
        }
        match text.strip_suffix('\\').map(str::to_owned) {
            Some(open) => text = open,
            None => just_text(shell, state, call, std::mem::take(&mut text)),
        }
    }
    if !text.is_empty() {
        just_text(shell, state, call, text);
    }
}

fn just_text(shell: &mut Shell<'_>, state: &mut State, call: &Call, text: String) {
    let mut inner = state.clone();
    if let Some(variable) = std::sync::Arc::make_mut(&mut inner.variables).get_mut("__just_unknown") {
        variable.exported = true;
    }
    let (zero, positional) = (Value::known("sh"), Default::default());
    shell.fresh_shell(&mut inner, &Value::Known(text), call.span, zero, positional);
    state.files = inner.files;
}

/// A recipe's name, and its lines with their numbers.
pub(crate) type NamedLines = (String, Vec<(usize, String)>);

/// The recipes of a justfile with their lines, values put in as far as the file says them; false where other programs run
/// them than an ordinary shell.
pub(crate) fn just_recipes(text: &str) -> (Vec<NamedLines>, bool) {
    let file = read(text);
    let mut found = Vec::new();
    for (name, recipe) in &file.recipes {
        let mut variables = file.variables.clone();
        for (parameter, _) in &recipe.parameters {
            variables.insert(parameter.trim_start_matches(['*', '+', '$']).to_owned(), UNKNOWN.to_owned());
        }
        let lines = recipe.lines.iter().map(|(number, line)| (*number, filled(line, &variables)));
        found.push((name.clone(), lines.collect()));
    }
    (found, !file.other_shell)
}

/// Reads a justfile. What is not understood leaves a name unknown.
fn read(text: &str) -> Justfile {
    let mut file = Justfile::default();
    let mut open: Option<String> = None;
    for (number, line) in text.lines().enumerate() {
        if line.starts_with([' ', '\t']) {
            if let Some(recipe) = open.as_ref().and_then(|name| file.recipes.get_mut(name)) {
                recipe.lines.push((number + 1, line.to_owned()));
            }
            continue;
        }
        let line = line.trim_end();
        if line.is_empty() || line.starts_with(['#', '[']) {
            continue;
        }
        open = None;
        let words = line.split_whitespace().collect::<Vec<_>>();
        match words.as_slice() {
            ["set", "shell" | "windows-shell" | "script-interpreter", ..] => {
                file.other_shell |= !["sh", "bash", "zsh", "dash"]
                    .iter()
                    .any(|shell| line.contains(&format!("[\"{shell}\"")));
            }
            ["set" | "import" | "import?" | "mod" | "mod?" | "unexport", ..] => {}
            ["alias", name, ":=", target, ..] => {
                let recipe = Recipe { before: vec![((*target).to_owned(), Vec::new())], ..Recipe::default() };
                file.recipes.insert((*name).to_owned(), recipe);
            }
            _ if assignment(line).is_some() => {
                if let Some((name, expression)) = assignment(line) {
                    let text = value(expression, &file.variables);
                    file.variables.insert(name.to_owned(), text);
                }
            }
            _ => {
                if let Some((name, recipe)) = head(line) {
                    file.first.get_or_insert_with(|| name.clone());
                    file.recipes.insert(name.clone(), recipe);
                    open = Some(name);
                }
            }
        }
    }
    file
}

/// `name := expression`, perhaps behind `export`.
fn assignment(line: &str) -> Option<(&str, &str)> {
    let (name, expression) = line.split_once(":=")?;
    let name = name.trim();
    let name = name.strip_prefix("export ").map_or(name, str::trim);
    let plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_-".contains(c));
    plain.then_some((name, expression.trim()))
}

/// `name parameter other='x' *rest: before (before 'argument') && after`
fn head(line: &str) -> Option<(String, Recipe)> {
    let mut quote = None;
    let colon = line.char_indices().find(|(_, c)| {
        match quote {
            Some(open) if open == *c => quote = None,
            None if matches!(c, '\'' | '"' | '`') => quote = Some(*c),
            _ => {}
        }
        quote.is_none() && *c == ':'
    })?;
    let (front, behind) = (&line[..colon.0], &line[colon.0 + 1..]);
    let mut words = pieces(front).into_iter();
    let name = words.next()?.trim_start_matches('@').to_owned();
    let parameters = words.map(|word| match word.split_once('=') {
        Some((name, text)) => (name.to_owned(), Some(text.to_owned())),
        None => (word, None),
    });
    let mut recipe = Recipe { parameters: parameters.collect(), ..Recipe::default() };
    let mut later = false;
    let behind = behind.split(" #").next().unwrap_or(behind);
    for word in pieces(behind) {
        if word == "&&" {
            later = true;
            continue;
        }
        let inner = word.strip_prefix('(').and_then(|word| word.strip_suffix(')'));
        let mut parts = pieces(inner.unwrap_or(&word)).into_iter();
        let Some(name) = parts.next() else { continue };
        let list = if later { &mut recipe.after } else { &mut recipe.before };
        list.push((name, parts.collect()));
    }
    Some((name, recipe))
}

/// Words; what stands in quotes or parentheses stays in one.
fn pieces(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    let mut depth = 0_usize;
    for c in text.chars() {
        match quote {
            Some(open) if open == c => quote = None,
            None if matches!(c, '\'' | '"' | '`') => quote = Some(c),
            _ => {}
        }
        if quote.is_none() {
            depth = if c == '(' { depth + 1 } else { depth.saturating_sub(usize::from(c == ')')) };
        }
        if c.is_whitespace() && quote.is_none() && depth == 0 {
            words.push(String::new());
        } else if let Some(word) = words.last_mut() {
            word.push(c);
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// An expression's text; what is more than names, quoted texts and `+` is unknown.
fn value(expression: &str, variables: &BTreeMap<String, String>) -> String {
    let mut text = String::new();
    let words = pieces(expression);
    for (index, word) in words.iter().enumerate() {
        if index % 2 == 1 {
            if word != "+" {
                return UNKNOWN.to_owned();
            }
            continue;
        }
        let quoted = ['\'', '"'].iter().find_map(|mark| word.strip_prefix(*mark)?.strip_suffix(*mark));
        match (quoted, variables.get(word)) {
            (Some(inner), _) if !inner.contains(['\\', '\'', '"']) => text.push_str(inner),
            (None, Some(known)) => text.push_str(known),
            _ => return UNKNOWN.to_owned(),
        }
    }
    text
}

/// A line with `{{…}}` put in.
fn filled(line: &str, variables: &BTreeMap<String, String>) -> String {
    let mut result = String::new();
    let mut rest = line;
    while let Some(at) = rest.find("{{") {
        result.push_str(&rest[..at]);
        rest = &rest[at + 2..];
        if let Some(more) = rest.strip_prefix("{{") {
            result.push_str("{{");
            rest = more;
            continue;
        }
        let end = rest.find("}}").unwrap_or(rest.len());
        result.push_str(&value(&rest[..end], variables));
        rest = rest.get(end + 2..).unwrap_or("");
    }
    result.push_str(rest);
    result
}
