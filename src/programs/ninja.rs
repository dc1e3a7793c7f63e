//! `ninja`: its file says in other words what a makefile says, and is read as one.
//!
//! Of a file that another program wrote, or a long one, only commands count that remove or move what stands elsewhere: all
//! else of it makes what the build is for.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::knowledge::{Room, lists, places};
use crate::model::Value;
use crate::shell::program::{FileText, Flow, Instead, Run, Shell, State};

use super::make::made;

/// See [`Room::Ninja`](crate::knowledge::Room::Ninja).
pub(super) struct Ninja;

/// Files that include each other deeper than this, and texts that are longer, are not read.
const DEPTH: usize = 8;
const LENGTH: usize = 1 << 20;
/// Most things that are made in a file that a person wrote.
const OWN: usize = 200;
/// What makes all that nothing else asks for.
const ALL: &str = "__ninja_all";
/// What stands in files that a program wrote.
const WRITTEN: [&str; 4] =
    ["enerated by", "generated file", "This is the build file for project", "DO NOT EDIT"];

/// The option by which the declaration says what `-t clean` takes away, and most of that that is told.
const CLEANED: &str = "--cleaned";
const MOST: usize = 200;

impl super::Program for Ninja {
    /// `ninja -t clean` deletes what the file says that it makes, whoever made it.
    fn begins(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Instead> {
        let cleans =
            run.matched.value("-t").and_then(Value::as_known).is_some_and(|tool| tool.starts_with("clean"));
        if !cleans || run.matched.does_nothing() || state.scope.host.is_some() {
            return None;
        }
        let (way, read) = read(shell, state, run)?;
        let made = read.edges.iter().filter(|edge| edge.rule != "phony").flat_map(|edge| &edge.makes);
        let there = |name: &&String| {
            let path = shell.absolute(&way, &Value::known(name.as_str()));
            path.is_some_and(|path| shell.exists(&way, &path) == Some(true))
        };
        let names: Vec<Value> =
            made.filter(there).take(MOST).map(|name| Value::known(name.as_str())).collect();
        run.told(names.into_iter().map(|name| (CLEANED, name)))
    }

    fn runs(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Flow> {
        if run.matched.does_nothing() || state.scope.host.is_some() || run.matched.has("-t") {
            return None;
        }
        let (mut way, read) = read(shell, state, run)?;
        let text = read.as_makefile(shell, &way)?;
        let goals: Vec<String> = run
            .matched
            .operands("task")
            .iter()
            .filter_map(|one| one.value.as_known().map(str::to_owned))
            .collect();
        let goals = if goals.is_empty() { vec![ALL.to_owned()] } else { goals };
        let scope = state.scope.through(run.name);
        way.within(&scope, |way| made(shell, way, run.call, goals, &text));
        state.files = way.files;
        None
    }
}

/// What its file says, and the shell in the directory that it works in.
fn read(shell: &mut Shell<'_>, state: &State, run: &Run<'_>) -> Option<(State, File)> {
    let mut way = state.clone();
    for dir in run.matched.cwd() {
        way.cwd = shell.directories(&way, &dir);
    }
    let file = run.matched.value("-f").cloned().unwrap_or_else(|| Value::known("build.ninja"));
    let FileText::Text(text) = shell.file_text(&way, &file) else { return None };
    let mut read = File::default();
    read.lines(shell, &way, &text, 0);
    Some((way, read))
}

type Settings = BTreeMap<String, String>;

/// One thing that is made.
#[derive(Debug)]
struct Edge {
    makes: Vec<String>,
    rule: String,
    of: Vec<String>,
    /// How many of those stand for `$in`.
    own: usize,
    settings: Settings,
}

#[derive(Debug, Default)]
struct File {
    settings: Settings,
    rules: BTreeMap<String, Settings>,
    edges: Vec<Edge>,
    default: Vec<String>,
    written: bool,
    length: usize,
}

/// What settings that stand further in belong to.
enum Place {
    Rule(String),
    Edge,
    Other,
}

impl File {
    fn lines(&mut self, shell: &Shell<'_>, state: &State, text: &str, depth: usize) {
        self.length += text.len();
        if depth > DEPTH || self.length > LENGTH {
            return;
        }
        self.written |= WRITTEN.iter().any(|part| text.contains(part));
        let text = text.replace("$\r\n", "$\n");
        let joined: Vec<&str> = text.split("$\n").collect();
        let whole = joined
            .iter()
            .enumerate()
            .fold(String::new(), |whole, (at, part)| whole + if at == 0 { part } else { part.trim_start() });
        let mut place = Place::Other;
        for line in whole.lines() {
            let said = line.trim();
            if said.is_empty() || said.starts_with('#') {
                continue;
            }
            if line.starts_with([' ', '\t']) {
                let Some((name, value)) = setting(said) else { continue };
                match &place {
                    Place::Rule(rule) => {
                        self.rules.entry(rule.clone()).or_default().insert(name, value);
                    }
                    Place::Edge => {
                        let value = expand(&value, &|name| self.settings.get(name).cloned());
                        if let Some(edge) = self.edges.last_mut() {
                            edge.settings.insert(name, value);
                        }
                    }
                    Place::Other => {}
                }
                continue;
            }
            let (word, rest) = said.split_once(' ').unwrap_or((said, ""));
            place = Place::Other;
            match word {
                "rule" => place = Place::Rule(rest.trim().to_owned()),
                "build" => {
                    self.edge(rest);
                    place = Place::Edge;
                }
                "default" => self.default.extend(words(rest, &|name| self.settings.get(name).cloned())),
                "include" | "subninja" => {
                    let names = words(rest, &|name| self.settings.get(name).cloned());
                    for name in names {
                        if let FileText::Text(text) = shell.file_text(state, &Value::Known(name)) {
                            self.lines(shell, state, &text, depth + 1);
                        }
                    }
                }
                _ => {
                    if let Some((name, value)) = setting(said) {
                        let value = expand(&value, &|name| self.settings.get(name).cloned());
                        self.settings.insert(name, value);
                    }
                }
            }
        }
    }

    /// `build MADE | MORE: RULE OF | MORE || ORDER |@ CHECKS`
    fn edge(&mut self, text: &str) {
        let outside = |name: &str| self.settings.get(name).cloned();
        let mut parts = words(text, &outside).into_iter().flat_map(|word| match word.strip_suffix(':') {
            Some(name) if !name.is_empty() => vec![name.to_owned(), ":".to_owned()],
            _ => vec![word],
        });
        let makes = parts.by_ref().take_while(|word| word != ":").filter(|word| word != "|").collect();
        let rule = parts.next().unwrap_or_default();
        let of: Vec<String> = parts.collect();
        let bar = |word: &String| matches!(word.as_str(), "|" | "||" | "|@");
        let own = of.iter().position(bar).unwrap_or(of.len());
        let of = of.into_iter().filter(|word| !bar(word)).collect();
        self.edges.push(Edge { makes, rule, of, own, settings: Settings::new() });
    }

    /// The same as a makefile; `None` where nothing in it is followed.
    fn as_makefile(&self, shell: &Shell<'_>, state: &State) -> Option<String> {
        let asked: BTreeSet<&String> = self.edges.iter().flat_map(|edge| &edge.of).collect();
        let ends = self.edges.iter().flat_map(|edge| &edge.makes).filter(|name| !asked.contains(name));
        let all: Vec<&String> =
            if self.default.is_empty() { ends.collect() } else { self.default.iter().collect() };
        let mut text = format!(".PHONY: {ALL}\n{ALL}:");
        all.iter().for_each(|name| text.push_str(&format!(" {name}")));
        text.push('\n');
        let mut follows = false;
        for edge in &self.edges {
            let names = edge.makes.join(" ");
            if edge.makes.iter().chain(&edge.of).any(|name| name.contains([' ', '\t', '%', '#', ':'])) {
                continue;
            }
            let command = self.command(edge).filter(|command| self.counts(shell, state, command));
            follows |= command.is_some();
            if edge.rule == "phony" {
                text.push_str(&format!(".PHONY: {names}\n"));
            }
            let command = command.unwrap_or_else(|| ":".to_owned()).replace('$', "$$");
            text.push_str(&format!("{names}: {}\n\t{command}\n", edge.of.join(" ")));
        }
        follows.then_some(text)
    }

    fn command(&self, edge: &Edge) -> Option<String> {
        let rule = self.rules.get(&edge.rule)?;
        let own = edge.own.min(edge.of.len());
        let quoted = |names: &[String]| {
            names.iter().map(|name| shell_words::quote(name)).collect::<Vec<_>>().join(" ")
        };
        // What a command first takes away of what it makes then, it makes again.
        let command = rule.get("command")?;
        let again = ["rm -f $out && ", "rm -f ${out} && ", "rm -f $out; ", "rm -rf $out && "];
        let command = again.iter().find_map(|start| command.strip_prefix(start)).unwrap_or(command);
        let inside = |name: &str| -> Option<String> {
            match name {
                "in" | "in_newline" => Some(quoted(&edge.of[..own])),
                "out" => Some(quoted(&edge.makes)),
                _ => edge.settings.get(name).or_else(|| self.settings.get(name)).cloned(),
            }
        };
        let looked = |name: &str| match rule.get(name).filter(|_| !edge.settings.contains_key(name)) {
            Some(text) => Some(expand(text, &inside)),
            None => inside(name),
        };
        Some(expand(command, &looked))
    }

    fn counts(&self, shell: &Shell<'_>, state: &State, command: &str) -> bool {
        let words = shell_words::split(command).unwrap_or_default();
        let base = |word: &str| word.rsplit('/').next().unwrap_or(word).to_owned();
        let Some(first) = words.first().map(|word| base(word)) else { return false };
        if !self.written && self.edges.len() <= OWN {
            return !lists(&places().makes, &first) && !lists(&places().builds, &first);
        }
        removes_elsewhere(shell, state, &words)
    }
}

/// Whether a command removes or moves what stands outside of the directory that it runs in.
fn removes_elsewhere(shell: &Shell<'_>, state: &State, words: &[String]) -> bool {
    let takes = |word: &String| {
        let tool = shell.knowledge.tool(word.rsplit('/').next().unwrap_or(word));
        tool.is_some_and(|tool| matches!(tool.root.refine, Some(Room::Remove | Room::Move)))
    };
    let here = state.only_cwd().map_or(Path::new("/"), |dir| dir);
    let elsewhere = |word: &String| {
        word.starts_with('~')
            || word.contains("$HOME")
            || word.split('/').any(|part| part == "..")
            || word.starts_with('/') && !Path::new(word).starts_with(here)
    };
    let starts = words.iter().enumerate().filter(|(_, word)| takes(word));
    starts.into_iter().any(|(at, _)| {
        let behind = words[at + 1..].iter();
        behind.take_while(|word| !matches!(word.as_str(), "&&" | "||" | ";" | "|")).any(elsewhere)
    })
}

/// `name = value`
fn setting(line: &str) -> Option<(String, String)> {
    let (name, value) = line.split_once('=')?;
    Some((name.trim().to_owned(), value.trim().to_owned()))
}

/// The words of a line, what `$` marks taken as it is.
fn words(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
    let marked = text.replace("$ ", "\u{1}").replace("$:", "\u{2}").replace(':', " : ");
    let words = marked.split_whitespace();
    words.map(|word| expand(&word.replace('\u{1}', "$ ").replace('\u{2}', "$:"), variable)).collect()
}

/// A text with variables put in; one that nobody sets is empty.
fn expand(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> String {
    let mut made = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('$') {
        made.push_str(before);
        let name_end = |text: &str| {
            text.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-')).unwrap_or(text.len())
        };
        rest = match behind.strip_prefix('{').and_then(|inner| inner.split_once('}')) {
            Some((name, behind)) => {
                made.push_str(&variable(name).unwrap_or_default());
                behind
            }
            None => match name_end(behind) {
                0 => {
                    let sign = behind.chars().next();
                    made.extend(sign);
                    &behind[sign.map_or(0, char::len_utf8)..]
                }
                end => {
                    made.push_str(&variable(&behind[..end]).unwrap_or_default());
                    &behind[end..]
                }
            },
        };
    }
    made + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_put_in() {
        let known = |name: &str| (name == "a").then(|| "x y".to_owned());
        assert_eq!(expand("$a ${a}/b $$HOME $b.", &known), "x y x y/b $HOME .");
        assert_eq!(words("a$ b: r c | d", &known), ["a b", ":", "r", "c", "|", "d"]);
    }
}
