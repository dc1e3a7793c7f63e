//! What a script of CMake does to files, in a shell's words. What is not known is left out.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::shell::program::{Shell, State};

use super::read::{Command, Word, commands};
use super::words::{is_made_of, quote};

/// A variable of the shell that nobody knows.
pub(super) const UNKNOWN_NAME: &str = "__cmake_unknown";
/// Most scripts that are read, how deep in each other, and the longest text that is made of them.
const FILES: usize = 80;
const DEPTH: usize = 12;
const LENGTH: usize = 256 * 1024;
/// Variables that are true elsewhere alone.
const OTHERS: [&str; 8] = ["WIN32", "MSVC", "APPLE", "MINGW", "CYGWIN", "ANDROID", "IOS", "XCODE"];
/// What the commands of the program itself are to a shell.
pub(super) const OWN: [(&str, &str); 14] = [
    ("remove_directory", "rm -rf"),
    ("remove", "rm -f"),
    ("rm", "rm"),
    ("rename", "mv -fT"),
    ("copy", "cp"),
    ("copy_if_different", "cp"),
    ("copy_if_newer", "cp -u"),
    ("copy_directory", "cp -rT"),
    ("copy_directory_if_different", "cp -rT"),
    ("copy_directory_if_newer", "cp -ruT"),
    ("create_symlink", "ln -sfT"),
    ("create_hardlink", "ln -fT"),
    ("make_directory", "mkdir -p"),
    ("chdir", "env -C"),
];

/// What is being done with the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Configure,
    /// These targets, or those of all.
    Build(Vec<String>),
    Tests,
    Install,
}

pub(super) struct Script<'a, 'b> {
    pub(super) shell: &'a Shell<'b>,
    pub(super) state: &'a State,
    pub(super) source: PathBuf,
    pub(super) binary: PathBuf,
    /// Where the script that is read stands, below the two.
    pub(super) below: PathBuf,
    stage: Stage,
    made: String,
    /// Whether anything is done in it.
    acts: bool,
    pub(super) set: BTreeSet<String>,
    functions: BTreeSet<String>,
    toolchain: Option<String>,
    files: usize,
    depth: usize,
}

impl<'a, 'b> Script<'a, 'b> {
    pub(super) fn new(
        shell: &'a Shell<'b>,
        state: &'a State,
        source: PathBuf,
        binary: PathBuf,
        stage: Stage,
    ) -> Self {
        Script {
            shell,
            state,
            source,
            binary,
            below: PathBuf::new(),
            stage,
            made: "set -f; IFS=';'\n".to_owned(),
            acts: false,
            set: BTreeSet::new(),
            functions: BTreeSet::new(),
            toolchain: None,
            files: 0,
            depth: 0,
        }
    }

    /// The shell's text; `None` where it does nothing.
    pub(super) fn text(self) -> Option<String> {
        self.acts.then_some(self.made)
    }

    /// `-D NAME:TYPE=VALUE`
    pub(super) fn given(&mut self, setting: &str) {
        let Some((name, value)) = setting.split_once('=') else { return };
        let name = name.split(':').next().unwrap_or(name);
        if name == "CMAKE_TOOLCHAIN_FILE" {
            self.toolchain = Some(value.to_owned());
        }
        self.assign(name, &shell_words::quote(value));
    }

    pub(super) fn toolchain(&mut self) {
        let Some(name) = self.toolchain.take() else { return };
        let here = self.state.only_cwd().map_or_else(PathBuf::new, |dir| dir.to_path_buf());
        for dir in [self.binary.clone(), self.source.clone(), here] {
            let path = dir.join(&name);
            if self.shell.exists(self.state, &path) == Some(true) {
                return self.file(&path);
            }
        }
    }

    /// The script of a directory.
    pub(super) fn directory(&mut self, name: &str) {
        let dir = self.source.join(&self.below);
        self.line(&format!("cd {}", quote(&dir)));
        self.file(&dir.join(name));
    }

    /// A script, read where this one stands.
    pub(super) fn file(&mut self, path: &Path) {
        self.files += 1;
        if self.files > FILES || self.depth > DEPTH || self.made.len() > LENGTH {
            return;
        }
        let limit = self.shell.options.limits.script_bytes;
        let Some(text) = self.shell.read_text(self.state, path, limit) else { return };
        self.depth += 1;
        let mut open: Vec<&'static str> = Vec::new();
        for command in commands(&text) {
            self.command(&command, &mut open, path);
        }
        while let Some(close) = open.pop() {
            self.line(close);
        }
        self.depth -= 1;
    }

    fn line(&mut self, text: &str) {
        self.made.push_str(text);
        self.made.push('\n');
    }

    pub(super) fn act(&mut self, text: &str) {
        self.acts = true;
        self.line(text);
    }

    fn assign(&mut self, name: &str, value: &str) {
        if !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            self.set.insert(name.to_owned());
            self.line(&format!("CMK_{name}={value}"));
        }
    }

    fn command(&mut self, command: &Command, open: &mut Vec<&'static str>, path: &Path) {
        let words = command.words.as_slice();
        let first = words.first().map_or("", |word| word.text.as_str());
        match command.name.as_str() {
            "if" | "while" | "elseif" | "else" | "foreach" => self.way(&command.name, words, open),
            "function" | "macro" => self.function(words, open),
            "endif" | "endwhile" | "endforeach" | "endfunction" | "endmacro" => {
                if let Some(close) = open.pop() {
                    self.line(close);
                }
            }
            "set" | "list" => self.assigned(command.name.as_str(), words),
            "include" if self.stage != Stage::Tests => self.included(words, path),
            "add_subdirectory" | "subdirs" => {
                let Some(name) = self.plain(words.first()) else { return };
                let before = self.below.clone();
                self.below = before.join(&name);
                let file = if self.stage == Stage::Tests { "CTestTestfile.cmake" } else { "CMakeLists.txt" };
                self.directory(file);
                self.below = before;
                let back = format!("cd {}", quote(&self.source.join(&self.below)));
                self.line(&back);
            }
            "install" if self.stage == Stage::Install => self.installed(words),
            "file" if self.stage == Stage::Install && first == "INSTALL" => self.installed(&words[1..]),
            "file" if self.stage == Stage::Configure => {
                self.files_changed(first, words.get(1..).unwrap_or_default())
            }
            "configure_file" if self.stage == Stage::Configure => {
                let here = self.source.join(&self.below);
                let template = self.plain(words.first()).map(|name| here.join(name));
                let limit = self.shell.options.limits.script_bytes;
                let text = template.and_then(|path| self.shell.read_text(self.state, &path, limit));
                let made = self.plain(words.get(1)).map(|name| self.binary.join(&self.below).join(name));
                self.written(made, text.as_deref());
            }
            "execute_process" if self.stage == Stage::Configure => self.runs(words),
            "add_custom_target" => {
                let named = |targets: &Vec<String>| targets.iter().any(|target| target == first);
                let all = words.get(1).is_some_and(|word| word.text == "ALL");
                if matches!(&self.stage, Stage::Build(targets) if all || named(targets)) {
                    self.runs(words);
                }
            }
            "add_custom_command" if matches!(self.stage, Stage::Build(_)) => self.runs(words),
            "add_test" if self.stage == Stage::Tests => self.run(words.get(1..).unwrap_or_default(), None),
            name => self.other(name, words),
        }
    }

    /// A function of the project, or anything else.
    fn other(&mut self, name: &str, words: &[Word]) {
        if self.functions.contains(name) {
            let given: Option<Vec<String>> = words.iter().map(|word| self.word(word)).collect();
            if let Some(given) = given {
                self.line(&format!("cmk_{name} {}", given.join(" ")));
            }
            return;
        }
        // Whatever it is: variables that it names may be set by it.
        let names: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        for name in names.into_iter().filter(|name| self.set.contains(*name)).collect::<Vec<_>>() {
            self.assign(name, "${__cmake_unknown}");
        }
    }

    /// Where it goes on, which nobody knows as a rule.
    fn way(&mut self, name: &str, words: &[Word], open: &mut Vec<&'static str>) {
        let first = words.first().map_or("", |word| word.text.as_str());
        match name {
            "if" => {
                let line = format!("if {}; then :", self.condition(words));
                self.line(&line);
                open.push("fi");
            }
            "while" => {
                self.line("if [ \"${__cmake_unknown}\" = 1 ]; then :");
                open.push("fi");
            }
            "elseif" => {
                let line = format!("elif {}; then :", self.condition(words));
                self.line(&line);
            }
            "else" => self.line("else :"),
            "foreach" => {
                let list = words.get(1..).unwrap_or_default();
                let list: Vec<String> = match list.split_first() {
                    Some((word, rest)) if word.text == "IN" => rest
                        .iter()
                        .filter(|word| word.text != "ITEMS" && word.text != "LISTS")
                        .filter_map(|word| match self.set.contains(&word.text) {
                            true => Some(format!("${{CMK_{}}}", word.text)),
                            false => self.word(word),
                        })
                        .collect(),
                    _ => list.iter().filter_map(|word| self.word(word)).collect(),
                };
                self.set.insert(first.to_owned());
                let name: String = first.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
                self.line(&format!("for CMK_{name} in {}; do :", list.join(" ")));
                open.push("done");
            }
            _ => {}
        }
    }

    fn included(&mut self, words: &[Word], path: &Path) {
        let first = words.first().map_or("", |word| word.text.as_str());
        let dir = path.parent().unwrap_or(path);
        let name = self.plain(words.first()).unwrap_or_else(|| first.to_owned());
        let dirs = [self.source.join(&self.below), dir.to_owned(), self.source.join("cmake")];
        let names = dirs.iter().flat_map(|dir| [dir.join(&name), dir.join(format!("{name}.cmake"))]);
        let found = names
            .into_iter()
            .find(|path| path.extension().is_some() && self.shell.exists(self.state, path) == Some(true));
        if let Some(file) = found {
            self.file(&file);
        }
    }

    fn function(&mut self, words: &[Word], open: &mut Vec<&'static str>) {
        let Some((name, parameters)) = words.split_first() else { return };
        let name: String = name
            .text
            .to_ascii_lowercase()
            .chars()
            .filter(|c| c.is_ascii_alphanumeric() || *c == '_')
            .collect();
        self.line(&format!("cmk_{name}() {{"));
        self.functions.insert(name);
        for (at, parameter) in parameters.iter().enumerate() {
            self.assign(&parameter.text, &format!("\"${{{}}}\"", at + 1));
        }
        self.assign("ARGV", "\"$*\"");
        let skip = parameters.len();
        self.line(&format!("[ $# -ge {skip} ] && shift {skip}"));
        self.assign("ARGN", "\"$*\"");
        open.push("}");
    }

    fn condition(&self, words: &[Word]) -> String {
        let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        match texts.as_slice() {
            [name] if OTHERS.contains(name) => "false".to_owned(),
            ["EXISTS", _] => match self.word(&words[1]) {
                Some(path) => format!("[ -e {path} ]"),
                None => "[ \"${__cmake_unknown}\" = 1 ]".to_owned(),
            },
            _ => "[ \"${__cmake_unknown}\" = 1 ]".to_owned(),
        }
    }

    /// `set(NAME VALUE…)`, `list(APPEND NAME VALUE…)`.
    fn assigned(&mut self, command: &str, words: &[Word]) {
        let (name, values, before) = match (command, words) {
            ("set", [name, values @ ..]) => (name, values, String::new()),
            (_, [act, name, values @ ..]) if act.text == "APPEND" => {
                (name, values, format!("\"${{CMK_{}}};\"", name.text))
            }
            (_, [_, name, ..]) => return self.assign(&name.text, "${__cmake_unknown}"),
            _ => return,
        };
        let values = values.iter().take_while(|word| !matches!(word.text.as_str(), "CACHE" | "PARENT_SCOPE"));
        let values: Option<Vec<String>> = values.map(|word| self.pieces(word, true)).collect();
        match values {
            Some(values) if !name.text.starts_with("ENV{") => {
                let value = format!("{before}{}", values.join("\";\""));
                self.assign(&name.text, &value);
            }
            _ => self.assign(&name.text, "${__cmake_unknown}"),
        }
    }

    fn files_changed(&mut self, act: &str, words: &[Word]) {
        let given = |script: &Self, words: &[Word]| {
            words.iter().filter_map(|word| script.place(word)).collect::<Vec<_>>()
        };
        let at = |name: &str| words.iter().position(|word| word.text == name);
        match act {
            "REMOVE" | "REMOVE_RECURSE" => {
                let names = given(self, words);
                let how = if act == "REMOVE" { "rm -f --" } else { "rm -rf --" };
                if !names.is_empty() {
                    self.act(&format!("{how} {}", names.join(" ")));
                }
            }
            "RENAME" | "COPY_FILE" => {
                let names = given(self, &words[..words.len().min(2)]);
                if names.len() == 2 {
                    self.act(&format!(
                        "{} -f -- {}",
                        if act == "RENAME" { "mv" } else { "cp" },
                        names.join(" ")
                    ));
                }
            }
            "COPY" => {
                let Some(at) = at("DESTINATION") else { return };
                let names = given(self, &words[..at]);
                let into = words.get(at + 1).and_then(|word| self.place(word));
                if let (Some(into), false) = (into, names.is_empty()) {
                    self.act(&format!("cp -r -- {} {into}", names.join(" ")));
                }
            }
            "WRITE" | "DOWNLOAD" => {
                let path = self.plain(words.get(usize::from(act == "DOWNLOAD")));
                let path = path.map(|name| self.source.join(&self.below).join(name));
                let text: String = words.iter().skip(1).map(|word| word.text.as_str()).collect();
                self.written(path, (act == "WRITE").then_some(text.as_str()));
            }
            "GENERATE" => {
                let path = at("OUTPUT").and_then(|at| self.plain(words.get(at + 1)));
                let path = path.map(|name| self.binary.join(&self.below).join(name));
                let text = at("CONTENT").and_then(|at| words.get(at + 1)).map(|word| word.text.clone());
                self.written(path, text.as_deref());
            }
            "GLOB" => {
                let Some((name, patterns)) = words.split_first() else { return };
                let patterns =
                    patterns.iter().filter(|word| !matches!(word.text.as_str(), "CONFIGURE_DEPENDS"));
                let patterns: Option<Vec<String>> = patterns.map(|word| self.pattern(word)).collect();
                match patterns.filter(|_| at("RELATIVE").is_none()) {
                    Some(patterns) => {
                        self.line(&format!("set +f; set -- {}; set -f", patterns.join(" ")));
                        self.assign(&name.text, "\"$*\"");
                    }
                    None => self.assign(&name.text, "${__cmake_unknown}"),
                }
            }
            _ => {
                for name in words
                    .iter()
                    .map(|word| word.text.clone())
                    .filter(|name| self.set.contains(name))
                    .collect::<Vec<_>>()
                {
                    self.assign(&name, "${__cmake_unknown}");
                }
            }
        }
    }

    /// A file that is written: what is there goes, unless it was made of the same text before.
    fn written(&mut self, path: Option<PathBuf>, text: Option<&str>) {
        let Some(path) = path.filter(|path| !self.is_built(&path.to_string_lossy())) else { return };
        let limit = self.shell.options.limits.script_bytes;
        if self.shell.exists(self.state, &path) != Some(true) {
            return;
        }
        let there = self.shell.read_text(self.state, &path, limit).unwrap_or_default();
        if text.is_none_or(|text| !is_made_of(&there, text)) {
            self.act(&format!(": > {}", quote(&path)));
        }
    }

    /// `COMMAND WORDS…`, as often as it stands there.
    fn runs(&mut self, words: &[Word]) {
        const KEYS: [&str; 22] = [
            "COMMAND",
            "WORKING_DIRECTORY",
            "TIMEOUT",
            "RESULT_VARIABLE",
            "RESULTS_VARIABLE",
            "OUTPUT_VARIABLE",
            "ERROR_VARIABLE",
            "INPUT_FILE",
            "OUTPUT_FILE",
            "ERROR_FILE",
            "OUTPUT_QUIET",
            "ERROR_QUIET",
            "COMMENT",
            "DEPENDS",
            "BYPRODUCTS",
            "VERBATIM",
            "USES_TERMINAL",
            "ENCODING",
            "COMMAND_ERROR_IS_FATAL",
            "OUTPUT_STRIP_TRAILING_WHITESPACE",
            "ERROR_STRIP_TRAILING_WHITESPACE",
            "SOURCES",
        ];
        let key = |word: &Word| !word.quoted && KEYS.contains(&word.text.as_str());
        let dir =
            words.iter().position(|word| word.text == "WORKING_DIRECTORY").and_then(|at| words.get(at + 1));
        let dir = dir.map(|word| self.word(word));
        let mut rest = words;
        while let Some(at) = rest.iter().position(|word| !word.quoted && word.text == "COMMAND") {
            rest = &rest[at + 1..];
            let end = rest.iter().position(key).unwrap_or(rest.len());
            match &dir {
                // It is not known where it runs.
                Some(None) => {}
                Some(Some(dir)) => self.run(&rest[..end], Some(dir.clone())),
                None => self.run(&rest[..end], None),
            }
        }
        for name in
            words.windows(2).filter(|two| two[0].text.ends_with("_VARIABLE")).map(|two| two[1].text.clone())
        {
            self.assign(&name, "${__cmake_unknown}");
        }
    }

    /// A command of words that are all known, of a program that is.
    fn run(&mut self, words: &[Word], dir: Option<String>) {
        let Some(first) = words.first().and_then(|word| self.plain(Some(word))) else { return };
        let name = first.rsplit('/').next().unwrap_or(&first);
        let (start, words) = match words {
            [_, option, act, rest @ ..] if name == "cmake" && option.text == "-E" => {
                match OWN.iter().find(|(own, _)| *own == act.text) {
                    Some((_, as_shell)) => ((*as_shell).to_owned(), rest),
                    None => return,
                }
            }
            [_, rest @ ..] if self.shell.knowledge.tool(name).is_some() => {
                (shell_words::quote(&first).into_owned(), rest)
            }
            _ => return,
        };
        let given: Option<Vec<String>> = words.iter().map(|word| self.word(word)).collect();
        let Some(given) = given else { return };
        let own = given.iter().all(|word| self.is_built(word.trim_matches('"')) || word.starts_with("\"-"));
        if own && OWN.iter().any(|(_, shell)| *shell == start) {
            return;
        }
        let dir = dir.unwrap_or_else(|| quote(&self.binary.join(&self.below)));
        self.act(&format!("(mkdir -p {dir}; cd {dir}; {start} {})", given.join(" ")));
    }
}
