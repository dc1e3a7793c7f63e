//! Variables by which programs are made to run something or to load code (`variables.toml`).

use std::sync::OnceLock;

use serde::Deserialize;

use super::tool_words::Words;

/// The lists.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variables {
    /// What a shell reads by itself before the text that it is given.
    startup: Words,
    /// How the names of variables begin in which functions come.
    functions: &'static str,
    /// Variables that steer some program beyond what is said of them one by one.
    steers: Words,
    /// What variables are to programs.
    held: Vec<HeldSpec>,
    /// Files that programs read before their words.
    first: Vec<FirstFile>,
    /// Files that programs read without being told to.
    untold: Vec<UntoldFiles>,
}

/// Files that some programs read where they run, or in a directory that a word names, although no word names the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct UntoldFiles {
    programs: Words,
    files: Words,
}

/// Files that some programs read before their words.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FirstFile {
    /// The files: `~/` in the home, `./` where the program runs, `$NAME` where a variable says.
    pub files: Words,
    programs: Words,
    /// Options with which they are not read.
    #[serde(default)]
    pub unless: Vec<&'static str>,
    /// Options whose value is the name of the file, in the directories that end with a slash, or as it is (`-`).
    #[serde(default)]
    pub named: Vec<&'static str>,
    /// Words of which one must stand in the call.
    #[serde(default)]
    pub when: Vec<&'static str>,
    /// Files of which one must hold one of the texts in `says`.
    #[serde(default)]
    pub needs: Words,
    /// See there.
    #[serde(default)]
    pub says: Vec<&'static str>,
    /// It is code of the project, of which only what it plainly takes away counts, and is read only where one of these words
    /// stands in it.
    #[serde(default)]
    pub takes: Words,
    /// It runs in the directory that it stands in.
    #[serde(default)]
    pub there: bool,
    /// Settings whose value is words of the call.
    #[serde(default)]
    pub split: Vec<&'static str>,
    /// It is no code itself, and names files of the project that are.
    #[serde(default)]
    pub names: bool,
    is: &'static str,
}

impl FirstFile {
    /// The language of the code in it; `None` where it holds options.
    pub fn code(&self) -> Option<&'static str> {
        self.is.strip_prefix("script:")
    }
}

/// What some variables are to some programs.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct HeldSpec {
    variables: Words,
    #[serde(default)]
    programs: Words,
    is: &'static str,
    #[serde(default)]
    when: Vec<&'static str>,
    #[serde(default)]
    unless: Vec<&'static str>,
    #[serde(default)]
    files: Words,
    #[serde(default)]
    reads: &'static str,
    #[serde(default)]
    behind: Vec<&'static str>,
    #[serde(default)]
    cut: &'static str,
    #[serde(default)]
    words: Words,
}

/// What a variable's value is to the program that reads it.
#[derive(Clone, Copy, Debug)]
pub enum Held<'a> {
    /// A command: the first word is looked up, or a shell reads it.
    Command,
    /// A program's name, followed only where it is more than a plain name.
    Program,
    /// Code of a language.
    Code(&'a str),
    /// Name of a file with code of a language.
    Script(&'a str),
    /// Words as if they stood among the program's own, for calls with certain words.
    Options(Words),
    /// The value of an option, as if it stood among the program's words.
    Value(Valued<'a>),
    /// Files that are loaded as code.
    Library {
        /// A name without a slash is a file of this directory, not one that is sought where libraries are.
        here: bool,
        /// How the names begin of those that are the system's.
        unless: &'a [&'static str],
    },
    /// A directory in which these files are read first, as code of a language or as settings.
    Folder(Words, &'a str),
    /// Code is loaded when one of the first occurs, without any of them whatever the value, unless it begins with one of
    /// the second.
    Loads(&'a [&'static str], &'a [&'static str]),
    /// Directories in which libraries are sought before the system's.
    Libraries,
    /// Name of a file that is written.
    Written(Written<'a>),
}

/// A variable that holds what an option says, for calls with certain words.
#[derive(Clone, Copy, Debug)]
pub struct Valued<'a> {
    /// The option.
    pub option: &'a str,
    words: Words,
}

impl Valued<'_> {
    /// Whether a call with these words reads it.
    pub fn is_asked<'w>(&self, mut words: impl Iterator<Item = &'w str>) -> bool {
        self.words.is_empty() || words.any(|word| self.words.has(word))
    }
}

/// A file that is written because a variable names it.
#[derive(Clone, Copy, Debug)]
pub struct Written<'a>(&'a HeldSpec);

impl Written<'_> {
    /// Whether it is written at its end: what it holds stays.
    pub fn appends(&self) -> bool {
        self.0.is == "appendfile"
    }

    /// Whether a call with this word among its words writes it.
    pub fn is_asked(&self, mut words: impl Iterator<Item = String>) -> bool {
        self.0.words.is_empty() || words.any(|word| self.0.words.has(&word))
    }

    /// The names in a value.
    pub fn names<'v>(&self, value: &'v str) -> Vec<&'v str> {
        if !self.0.when.is_empty() && !self.0.when.iter().any(|part| value.contains(part)) {
            return Vec::new();
        }
        let ends = |rest: &'v str| match self.0.cut {
            "" => rest,
            cut => rest.split(|c| cut.contains(c)).next().unwrap_or(rest),
        };
        if self.0.behind.is_empty() {
            return vec![ends(value)];
        }
        let behind = |start: &&'static str| value.split_once(*start).map(|(_, rest)| ends(rest));
        self.0.behind.iter().filter_map(behind).filter(|name| !name.is_empty()).collect()
    }

    /// Whether a value that is not known may name a file.
    pub fn is_whole(&self) -> bool {
        self.0.behind.is_empty() && self.0.when.is_empty()
    }
}

impl Variables {
    /// Whether a shell reads it by itself, as a file, a prompt or a function.
    pub fn is_startup(&self, variable: &str) -> bool {
        // Without the lists nothing can be told apart.
        self.functions.is_empty() || self.startup.has(variable) || variable.starts_with(self.functions)
    }

    /// Whether a variable is something to any program.
    pub fn acts(&self, variable: &str) -> bool {
        // Without the lists nothing can be told apart.
        self.steers.is_empty()
            || self.steers.fit(variable)
            || self.held.iter().any(|spec| spec.is_of(variable))
    }

    /// Variables that hold words of a program.
    pub fn options<'a>(&'a self, program: &'a str) -> impl Iterator<Item = &'static str> + 'a {
        let holds = move |spec: &&HeldSpec| {
            (spec.is == "options" || spec.is.starts_with("value:")) && spec.programs.has(program)
        };
        self.held.iter().filter(holds).flat_map(|spec| spec.variables.iter())
    }

    /// Files that a program reads before its words.
    pub fn first_files(&self, program: &str) -> impl Iterator<Item = &FirstFile> {
        self.first.iter().filter(move |first| first.programs.has(program))
    }

    /// Files that a program reads although no word names them: what it does may stand there.
    pub fn untold_files<'a>(&'a self, program: &'a str) -> impl Iterator<Item = &'static str> + 'a {
        let of = self.untold.iter().filter(move |untold| untold.programs.has(program));
        of.flat_map(|untold| untold.files.iter())
    }

    /// What a variable is to a program: it may be several things.
    pub fn held<'a>(&'a self, variable: &'a str, program: &'a str) -> impl Iterator<Item = Held<'a>> {
        let specs = self.held.iter().filter(move |spec| {
            (spec.programs.is_empty() || spec.programs.has(program)) && spec.is_of(variable)
        });
        specs.filter_map(HeldSpec::held)
    }
}

impl HeldSpec {
    fn is_of(&self, variable: &str) -> bool {
        self.variables.fit(variable)
    }

    fn held(&self) -> Option<Held<'_>> {
        Some(match self.is.split_once(':').unwrap_or((self.is, "")) {
            ("command", _) => Held::Command,
            ("program", _) => Held::Program,
            ("code", language) => Held::Code(language),
            ("script", language) => Held::Script(language),
            ("options", _) => Held::Options(self.words),
            ("value", option) => Held::Value(Valued { option, words: self.words }),
            (is @ ("library" | "libraryfile"), _) => {
                Held::Library { here: is == "libraryfile", unless: &self.unless }
            }
            ("folder", _) => Held::Folder(self.files, self.reads),
            ("loads", _) => Held::Loads(&self.when, &self.unless),
            ("libraries", _) => Held::Libraries,
            ("outfile" | "appendfile", _) => Held::Written(Written(self)),
            _ => return None,
        })
    }
}

/// The lists, read once.
pub fn variables() -> &'static Variables {
    static VARIABLES: OnceLock<Variables> = OnceLock::new();
    VARIABLES.get_or_init(|| read().unwrap_or_default())
}

/// `build.rs` made JSON of it, which is read several times faster.
fn read() -> Result<Variables, serde_json::Error> {
    serde_json::from_str(include_str!(concat!(env!("OUT_DIR"), "/variables.json")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_can_be_read() {
        let list = read().unwrap();
        assert!(list.held.iter().all(|spec| spec.held().is_some()));
        assert!(list.is_startup("BASH_ENV") && list.is_startup("BASH_FUNC_ls%%") && !list.is_startup("PATH"));
        assert!(matches!(list.held("LD_PRELOAD", "ls").next(), Some(Held::Library { here: false, .. })));
        assert!(matches!(list.held("OPENSSL_CONF", "curl").next(), Some(Held::Library { here: true, .. })));
        assert!(list.held("PERL5OPT", "ls").next().is_none());
        assert!(list.acts("GIT_DIR") && list.acts("CARGO_TARGET_DIR") && list.acts("PERL5OPT"));
        assert!(!list.acts("PATH") && !list.acts("LEGIT_DIR"));
        let runner = "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER";
        assert!(matches!(list.held(runner, "cargo").next(), Some(Held::Program)));
        assert!(
            list.held(runner, "make").next().is_none()
                && list.held("CARGO_TARGET_DIR", "cargo").next().is_none()
        );
    }
}
