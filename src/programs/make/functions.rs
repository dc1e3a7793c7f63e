//! Functions of a makefile: of words, of file names, of variables, and those that reach out of it.

use super::expand::{
    OPAQUE, Outside, UNKNOWN, Variable, Variables, directory, doubtful, each, expand, file_name,
    outside_of_references, patsubst, value,
};

/// Turns of a `foreach` that are worked out.
const TURNS: usize = 500;

/// A function where it is called.
pub(super) struct Function<'a> {
    pub(super) variables: &'a Variables,
    pub(super) outside: &'a Outside<'a>,
    pub(super) depth: usize,
}

impl Function<'_> {
    /// What a function gives; of one that is not known, nothing but what its words run.
    pub(super) fn call(&self, name: &str, rest: &str) -> String {
        let known = self.of_words(name, rest);
        let known = known.or_else(|| self.of_names(name, rest));
        let known = known.or_else(|| self.of_variables(name, rest));
        let known = known.or_else(|| self.reaching_out(name, rest));
        known.unwrap_or_else(|| doubtful(&self.parts(rest)))
    }

    /// An argument, expanded.
    fn put(&self, text: &str) -> String {
        expand(text, self.variables, self.outside, self.depth + 1)
    }

    /// All arguments, expanded.
    fn parts(&self, rest: &str) -> Vec<String> {
        split(rest).into_iter().map(|text| self.put(text)).collect()
    }

    /// Functions of words.
    fn of_words(&self, name: &str, rest: &str) -> Option<String> {
        Some(match name {
            "strip" => self.put(rest).split_whitespace().collect::<Vec<_>>().join(" "),
            "firstword" => self.put(rest).split_whitespace().next().unwrap_or_default().to_owned(),
            "lastword" => self.put(rest).split_whitespace().next_back().unwrap_or_default().to_owned(),
            "sort" => {
                let text = self.put(rest);
                let mut words: Vec<&str> = text.split_whitespace().collect();
                words.sort_unstable();
                words.dedup();
                words.join(" ")
            }
            "subst" | "patsubst" | "addprefix" | "addsuffix" => match (name, self.parts(rest).as_slice()) {
                ("subst", [from, to, text]) if !from.is_empty() && !from.contains(UNKNOWN) => {
                    text.replace(from.as_str(), to)
                }
                ("subst", [_, to, text]) => text.clone() + to,
                ("patsubst", [from, to, text]) => patsubst(from.trim(), to.trim(), text),
                ("addprefix", [prefix, text]) => each(text, |word| Some(format!("{prefix}{word}"))),
                ("addsuffix", [suffix, text]) => each(text, |word| Some(format!("{word}{suffix}"))),
                _ => UNKNOWN.to_owned(),
            },
            _ => return None,
        })
    }

    /// Functions of file names.
    fn of_names(&self, name: &str, rest: &str) -> Option<String> {
        let dot = |word: &str| word.rfind('.').filter(|at| !word[*at..].contains('/'));
        let change: &dyn Fn(&str) -> Option<String> = match name {
            "dir" => &|word| Some(directory(word).to_owned()),
            "notdir" => &|word| Some(file_name(word).to_owned()),
            "basename" => &|word| Some(word[..dot(word).unwrap_or(word.len())].to_owned()),
            "suffix" => &|word| Some(word[dot(word)?..].to_owned()),
            "abspath" | "realpath" => &|word| {
                if word.starts_with(['/', '$']) {
                    return Some(word.to_owned());
                }
                Some(format!("{}/{word}", value("CURDIR", self.variables, self.outside, self.depth + 1)))
            },
            _ => return None,
        };
        Some(each(&self.put(rest), change))
    }

    /// Functions that read variables, set them for a while or ask what they hold.
    fn of_variables(&self, name: &str, rest: &str) -> Option<String> {
        Some(match name {
            "value" => self.variables.get(rest.trim()).map_or_else(String::new, |found| found.text.clone()),
            "call" => self.called(&self.parts(rest)).unwrap_or_else(|| UNKNOWN.to_owned()),
            "foreach" => match split(rest).as_slice() {
                [name, words, ..] => {
                    let body = rest.splitn(3, ',').nth(2).unwrap_or_default();
                    self.for_each(self.put(name).trim(), &self.put(words), body)
                }
                _ => UNKNOWN.to_owned(),
            },
            "if" => match split(rest).as_slice() {
                [condition, then, other @ ..] => self.either(condition, then, other.first().copied()),
                _ => UNKNOWN.to_owned(),
            },
            _ => return None,
        })
    }

    /// `$(call name,argument…)`: the variable with `$1` and so on set.
    fn called(&self, parts: &[String]) -> Option<String> {
        let (name, arguments) = parts.split_first()?;
        let called = self.variables.get(name.trim())?;
        let mut inner = self.variables.clone();
        for number in 0..10 {
            let text = if number == 0 { Some(name) } else { arguments.get(number - 1) };
            let text = text.cloned().unwrap_or_default();
            inner.insert(number.to_string(), Variable { text, simple: true });
        }
        Some(expand(&called.text, &inner, self.outside, self.depth + 1))
    }

    /// `$(foreach name,words,body)`.
    fn for_each(&self, name: &str, words: &str, body: &str) -> String {
        let mut done = Vec::new();
        for word in words.split_whitespace().take(TURNS) {
            let mut inner = self.variables.clone();
            inner.insert(name.to_owned(), Variable { text: word.to_owned(), simple: true });
            done.push(expand(body, &inner, self.outside, self.depth + 1));
        }
        if done.len() < TURNS { done.join(" ") } else { OPAQUE.to_owned() }
    }

    /// `$(if condition,then,otherwise)`.
    fn either(&self, condition: &str, then: &str, other: Option<&str>) -> String {
        let otherwise = || other.map(|text| self.put(text)).unwrap_or_default();
        match self.put(condition).trim() {
            "" => otherwise(),
            text if text.contains(UNKNOWN) => {
                let (then, otherwise) = (self.put(then), otherwise());
                if then == otherwise { then } else { doubtful(&[then, otherwise]) }
            }
            _ => self.put(then),
        }
    }

    /// Functions that run something, look for files, write them or speak.
    fn reaching_out(&self, name: &str, rest: &str) -> Option<String> {
        Some(match name {
            "shell" => {
                let text = self.put(rest);
                if matches!(text.trim(), "pwd" | "pwd -P") {
                    return Some(value("CURDIR", self.variables, self.outside, self.depth + 1));
                }
                match self.outside.at_once {
                    Some(list) => {
                        list.borrow_mut().push(text);
                        UNKNOWN.to_owned()
                    }
                    // It is walked too, as a part of the recipe; its value is not known.
                    None => format!("$({text} >/dev/null){UNKNOWN}"),
                }
            }
            "info" | "warning" | "error" => {
                // Nothing comes of it but what its words run.
                let said = self.put(rest);
                if said.contains("$(") { format!("$(: {said})") } else { String::new() }
            }
            "wildcard" => match (self.outside.files)(self.put(rest).trim()) {
                Some(names) => names.join(" "),
                None => UNKNOWN.to_owned(),
            },
            // They write files, or run a program of another kind.
            "file" | "guile" | "eval" => match self.outside.at_once {
                Some(list) => {
                    list.borrow_mut().push(UNKNOWN.to_owned());
                    UNKNOWN.to_owned()
                }
                None => OPAQUE.to_owned(),
            },
            _ => return None,
        })
    }
}

/// Arguments of a function.
fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(at) = outside_of_references(rest, ",") {
        parts.push(&rest[..at]);
        rest = &rest[at + 1..];
    }
    parts.push(rest);
    parts
}
