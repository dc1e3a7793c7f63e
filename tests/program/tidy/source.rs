//! A source file as tokens: the paths that it names, the functions in it, its string literals, and what of it is for tests
//! alone.

use std::path::{Path, PathBuf};
use std::{fs, iter};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// The sources of the crate beside the house, seen from `src`: it is the room `attest`.
const BESIDE: &str = "../crates/recourse-attest/src";

/// What of that crate has a row of its own in the table.
const APART: &str = "json";

/// A path as it is written: `crate::shell::Step` is three names. `*` is a name here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) names: Vec<String>,
    pub(super) line: usize,
    /// It stands in a `use` and has another name from there on.
    pub(super) renamed: bool,
    /// How many modules of the file itself it stands in.
    depth: usize,
}

/// A function with a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) line: usize,
    pub(super) lines: usize,
}

/// What a file says outside of its tests.
#[derive(Debug, Default)]
pub(super) struct Said {
    pub(super) paths: Vec<Named>,
    pub(super) functions: Vec<Function>,
    pub(super) strings: Vec<(String, usize)>,
    /// Modules in files of their own.
    pub(super) modules: Vec<String>,
    /// The same, for tests alone.
    test_modules: Vec<String>,
    /// Files of modules for tests alone that say where they stand.
    test_files: Vec<String>,
}

/// Reads Rust.
pub(super) fn read(text: &str) -> Said {
    let tokens: TokenStream = text.parse().unwrap_or_else(|error| panic!("no Rust: {error}"));
    let mut said = Said::default();
    walk(&tokens.into_iter().collect::<Vec<_>>(), 0, &mut said);
    said
}

fn walk(tokens: &[TokenTree], depth: usize, said: &mut Said) {
    let mut at = 0;
    while at < tokens.len() {
        if let Some(after) = attribute(tokens, at) {
            if is_for_tests(&tokens[after - 1]) {
                at = skip_item(tokens, after, said);
                continue;
            }
            // Nothing in another attribute is looked at but what it names.
            at += 1;
            continue;
        }
        match &tokens[at] {
            TokenTree::Ident(word) if word == "fn" => function(tokens, at, said),
            TokenTree::Ident(word) if word == "mod" => {
                if let (Some(TokenTree::Ident(name)), Some(body)) = (tokens.get(at + 1), tokens.get(at + 2)) {
                    if is_punct(body, ';') {
                        said.modules.push(name.to_string());
                    } else if let TokenTree::Group(body) = body {
                        let inside: Vec<_> = body.stream().into_iter().collect();
                        walk(&inside, depth + 1, said);
                        at += 3;
                        continue;
                    }
                }
            }
            TokenTree::Literal(literal) => {
                let text = literal.to_string();
                if let Some(text) = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
                    said.strings.push((text.to_owned(), literal.span().start().line));
                }
            }
            TokenTree::Group(group) => walk(&group.stream().into_iter().collect::<Vec<_>>(), depth, said),
            _ => {}
        }
        if begins_path(tokens, at) {
            let used = at > 0 && matches!(&tokens[at - 1], TokenTree::Ident(word) if word == "use");
            let found = path(tokens, at, &mut Vec::new(), &mut said.paths, used, depth);
            at = found.max(at + 1);
            continue;
        }
        at += 1;
    }
}

/// Where an attribute ends that begins here.
fn attribute(tokens: &[TokenTree], at: usize) -> Option<usize> {
    let hash = is_punct(&tokens[at], '#');
    let group = matches!(tokens.get(at + 1), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Bracket);
    (hash && group).then_some(at + 2)
}

/// `[test]`, `[cfg(test)]`, or that and more.
fn is_for_tests(token: &TokenTree) -> bool {
    let TokenTree::Group(group) = token else { return false };
    let text = group.stream().to_string().replace(' ', "");
    matches!(text.as_str(), "cfg(test)" | "test") || text.starts_with("cfg(all(test,")
}

/// `[path = "file"]`.
fn path_of_module(token: &TokenTree) -> Option<String> {
    let TokenTree::Group(group) = token else { return None };
    let text = group.stream().to_string();
    Some(text.strip_prefix("path = \"")?.strip_suffix('"')?.to_owned())
}

/// Behind the item that an attribute stands before.
fn skip_item(tokens: &[TokenTree], mut at: usize, said: &mut Said) -> usize {
    let mut ends_with_body = true;
    while at < tokens.len() {
        if let Some(after) = attribute(tokens, at) {
            said.test_files.extend(path_of_module(&tokens[after - 1]));
            at = after;
            continue;
        }
        match &tokens[at] {
            // Braces in these do not end them.
            TokenTree::Ident(word) if word == "use" || word == "static" || word == "let" => {
                ends_with_body = false;
            }
            TokenTree::Ident(word) if word == "const" => {
                ends_with_body = matches!(tokens.get(at + 1), Some(TokenTree::Ident(next)) if next == "fn");
            }
            TokenTree::Ident(word) if word == "mod" => {
                if let (Some(TokenTree::Ident(name)), Some(end)) = (tokens.get(at + 1), tokens.get(at + 2))
                    && is_punct(end, ';')
                {
                    said.test_modules.push(name.to_string());
                }
            }
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace && ends_with_body => {
                return at + 1;
            }
            token if is_punct(token, ';') => return at + 1,
            _ => {}
        }
        at += 1;
    }
    at
}

fn function(tokens: &[TokenTree], at: usize, said: &mut Said) {
    let Some(TokenTree::Ident(name)) = tokens.get(at + 1) else { return };
    let end = tokens[at..].iter().find(|token| {
        is_punct(token, ';')
            || matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
    });
    if let Some(TokenTree::Group(body)) = end {
        let (first, last) = (tokens[at].span().start().line, body.span_close().end().line);
        said.functions.push(Function { name: name.to_string(), line: first, lines: last - first + 1 });
    }
}

fn begins_path(tokens: &[TokenTree], at: usize) -> bool {
    let name = matches!(&tokens[at], TokenTree::Ident(_));
    name && !(at >= 2 && is_punct(&tokens[at - 1], ':') && is_punct(&tokens[at - 2], ':'))
}

/// Every path that begins with the names so far; tells where it ends.
fn path(
    tokens: &[TokenTree],
    mut at: usize,
    names: &mut Vec<String>,
    found: &mut Vec<Named>,
    used: bool,
    depth: usize,
) -> usize {
    let mut line = tokens.get(at).map_or(0, |token| token.span().start().line);
    loop {
        match tokens.get(at) {
            Some(TokenTree::Ident(name)) => {
                line = name.span().start().line;
                names.push(name.to_string());
                at += 1;
            }
            Some(token) if used && is_punct(token, '*') => {
                names.push("*".to_owned());
                at += 1;
                break;
            }
            Some(TokenTree::Group(group)) if used && group.delimiter() == Delimiter::Brace => {
                let inside: Vec<_> = group.stream().into_iter().collect();
                for part in inside.split(|token| is_punct(token, ',')) {
                    if !part.is_empty() {
                        path(part, 0, &mut names.clone(), found, true, depth);
                    }
                }
                return at + 1;
            }
            _ => break,
        }
        let goes_on = tokens.get(at).is_some_and(|token| is_punct(token, ':'))
            && tokens.get(at + 1).is_some_and(|token| is_punct(token, ':'));
        if !goes_on {
            break;
        }
        at += 2;
    }
    let renamed = used && matches!(tokens.get(at), Some(TokenTree::Ident(word)) if word == "as");
    if renamed {
        at += 2;
    }
    found.push(Named { names: names.clone(), line, renamed, depth });
    at
}

fn is_punct(token: &TokenTree, c: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == c)
}

/// A file of the crate.
#[derive(Debug)]
pub(super) struct File {
    /// From `src` on.
    pub(super) path: PathBuf,
    /// The module that it is: `["shell", "expand"]`.
    pub(super) module: Vec<String>,
    pub(super) text: String,
    pub(super) said: Said,
    pub(super) is_test: bool,
}

impl File {
    /// The first name of its module: the room.
    pub(super) fn room(&self) -> &str {
        self.module.first().map_or("", String::as_str)
    }

    /// A path of the file from the crate's root on; `None`: it leads out of the crate, or to a name that is used here.
    pub(super) fn absolute(&self, named: &Named) -> Option<Vec<String>> {
        let first = named.names.first()?.as_str();
        let rest = &named.names[1..];
        match first {
            "crate" if self.path.starts_with(BESIDE) => Some(room_of_crate(rest.to_vec())),
            "crate" => Some(rest.to_vec()),
            "self" | "super" => {
                let ups = named.names.iter().take_while(|name| *name == "super").count();
                let rest = named.names.iter().skip_while(|name| *name == "super" || *name == "self");
                // Modules of the file itself are not counted.
                let ups = ups.saturating_sub(named.depth);
                let base = self.module.get(..self.module.len().checked_sub(ups)?)?;
                Some(base.iter().chain(rest).cloned().collect())
            }
            own if self.said.modules.iter().any(|module| module == own) => {
                Some(self.module.iter().chain(&named.names).cloned().collect())
            }
            _ => None,
        }
    }

    /// Where it stands, for people.
    pub(super) fn at(&self, line: usize) -> String {
        match self.path.strip_prefix("..") {
            Ok(beside) => format!("{}:{line}", beside.display()),
            Err(_) => format!("src/{}:{line}", self.path.display()),
        }
    }
}

/// Where a module of the crate beside stands in the house.
fn room_of_crate(module: Vec<String>) -> Vec<String> {
    if module.first().is_some_and(|name| name == APART) {
        return module;
    }
    iter::once("attest".to_owned()).chain(module).collect()
}

/// All files of the house, `lib.rs` and `main.rs` and the crate beside included.
pub(super) fn crate_files(src: &Path) -> Vec<File> {
    let mut paths = Vec::new();
    super::files(src, "rs", &mut paths);
    let before = paths.len();
    super::files(&src.join(BESIDE), "rs", &mut paths);
    assert!(paths.len() > before + 20, "the walk finds the sources of the crate beside");
    assert!(paths.len() > 20, "the walk over src finds the sources");
    let mut files: Vec<File> = paths.into_iter().map(|path| file(src, &path)).collect();
    let for_tests: Vec<Vec<String>> = files
        .iter()
        .flat_map(|file| {
            let below = |name: &String| file.module.iter().chain(iter::once(name)).cloned().collect();
            file.said.test_modules.iter().map(below).collect::<Vec<_>>()
        })
        .collect();
    let beside = |file: &File| {
        let folder = file.path.parent().unwrap_or(Path::new("")).to_owned();
        file.said.test_files.iter().map(|name| folder.join(name)).collect::<Vec<_>>()
    };
    let named: Vec<PathBuf> = files.iter().flat_map(beside).collect();
    for file in &mut files {
        file.is_test =
            named.contains(&file.path) || for_tests.iter().any(|module| file.module.starts_with(module));
    }
    files
}

fn file(src: &Path, path: &Path) -> File {
    let text = fs::read_to_string(path).unwrap();
    let path = path.strip_prefix(src).unwrap().to_owned();
    let (inside, is_beside) = path.strip_prefix(BESIDE).map_or((path.as_path(), false), |path| (path, true));
    let mut module: Vec<String> =
        inside.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if module.last().is_some_and(|last| last == "mod") {
        module.pop();
    }
    if matches!(module.join("/").as_str(), "lib" | "main")
        || module.first().is_some_and(|first| first == "bin")
    {
        module.clear();
    }
    if is_beside {
        module = room_of_crate(module);
    }
    let said = read(&text);
    File { path, module, text, said, is_test: false }
}

#[test]
fn paths_are_found_however_they_are_written() {
    let said = read(
        "#[cfg(test)] mod tests;\n use crate::{a, b::{c, self}, d as e};\n use std::{fs, io::*};\n\
         fn f(x: &super::g::H) { crate::i::j(); let _ = format!(\"{}\", std::env::var(\"x\")); }\n\
         #[cfg(test)]\n use crate::k::{l};\n #[test] fn t() { crate::m::n() }\n mod o { use super::super::p; }",
    );
    let paths: Vec<String> =
        said.paths.iter().map(|path| path.names.join("::")).filter(|path| path.contains("::")).collect();
    assert_eq!(
        paths,
        [
            "crate::a",
            "crate::b::c",
            "crate::b::self",
            "crate::d",
            "std::fs",
            "std::io::*",
            "super::g::H",
            "crate::i::j",
            "std::env::var",
            "super::super::p"
        ]
    );
    assert_eq!((said.modules.len(), said.test_modules), (0, vec!["tests".to_owned()]));
    assert_eq!(said.strings[1].0, "x");
    assert!(said.paths.iter().any(|path| path.renamed));
}

#[test]
fn functions_are_as_long_as_they_stand_there() {
    let said = read(
        "/// Says.\nimpl A {\n    fn a(&self)\n    -> u8 {\n        match b {\n        }\n    }\n}\ntrait B { fn c(); }",
    );
    assert_eq!(said.functions, [Function { name: "a".to_owned(), line: 3, lines: 5 }]);
}
