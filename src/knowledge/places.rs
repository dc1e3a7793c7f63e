//! Places and names by which it is told what a program is (`places.toml`).

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;

/// The lists.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Places {
    /// Directories whose programs are what their names say.
    pub programs: Vec<String>,
    /// How variables begin that say which account, cluster, machine or server a program speaks to.
    pub aims: Vec<String>,
    /// Variables and options that say that a program works on the database of the tests alone.
    pub tests: Vec<String>,
    /// Variables that say which database is meant.
    pub connects: Vec<String>,
    /// Files of a project that set such variables.
    pub connecting: Vec<String>,
    /// Directories that anybody may write to.
    pub shared: Vec<String>,
    /// Directories that a package manager or an administrator fills, and all in them; without `/` in front below a home.
    pub managed: Vec<String>,
    /// How directories end in which package managers put programs for one project.
    pub packages: Vec<String>,
    /// What stands beside or above a directory of programs that a package manager made.
    pub marks: Vec<String>,
    /// Programs that are one of many by the name that they are called by.
    pub many: Vec<String>,
    /// What stands in the shell scripts that build tools and package managers write to start something else.
    pub wrappers: Vec<String>,
    /// What makes programs and objects of sources.
    pub makes: Vec<String>,
    /// Shells that expand no braces.
    pub braceless: Vec<String>,
    /// Commands of fish's own that change nothing outside of it.
    pub fish: Vec<String>,
    /// Shells that expand aliases without being told.
    pub aliasing: Vec<String>,
    /// Names of programs that lie in a project and are no installed program's.
    pub launchers: Vec<String>,
    /// The same, trusted only as long as there is no file to be read.
    pub generated: Vec<String>,
    /// Programs and their subcommands that put files here which nobody has seen.
    pub brings: Vec<String>,
    /// Endings of sources that are compiled, or read by a program that nobody reads here.
    pub compiled: Vec<String>,
    /// Programs whose subcommands may also be called by one name: the program's, a dash and the subcommand's.
    pub dashed: Vec<String>,
    /// Programs that are called with a `g` in front where the system has others of the same name.
    pub gnu: Vec<String>,
    /// Directories in which an environment of a project has its programs.
    pub environments: Vec<String>,
    /// The programs that every such environment has.
    pub environment: Vec<String>,
    /// Programs that build the project that they are run in.
    pub builds: Vec<String>,
    /// Compilers that write `a.out` where no name is told.
    pub compiles: Vec<String>,
    /// Programs that become the one that they start, so that its status is theirs.
    pub becomes: Vec<String>,
    /// Programs that read no standard input unless a word of theirs says so.
    pub unread: Vec<String>,
    /// Programs that read files, or standard input where none is named: the words before the files, and the letters of
    /// options that take a value.
    pub filters: Vec<String>,
    /// Programs that read just so many signs of an input.
    pub counted: Vec<String>,
    /// Programs that fetch a package and run the program of its name.
    pub fetches: Vec<String>,
    /// Programs that change who may read what.
    pub rights: Vec<String>,
    /// Names of tools that are everyday words.
    pub everyday: Vec<String>,
    /// Programs that read shell text.
    pub shells: Vec<String>,
    /// Interpreters by their language.
    interpreters: BTreeMap<String, Vec<String>>,
    /// Files by which somebody gets full control of this machine.
    pub masters: Vec<String>,
    /// Files by which somebody gets in.
    pub keys: Vec<String>,
    /// Files that programs write anew when their settings or logins change.
    settings: Vec<Settings>,
}

/// Where programs keep their own settings.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    /// The programs.
    of: Vec<String>,
    /// Words that follow one another in such a command.
    by: Vec<String>,
    /// The files: `~/` in the home, `./` where the command runs.
    files: Vec<String>,
}

impl Places {
    /// Whether the programs of a directory are what their names say.
    pub fn holds_programs(&self, dir: &str) -> bool {
        self.programs.iter().any(|known| known == dir)
    }

    /// Whether a program, by its name, the names of its subcommands and its options, puts files here which nobody has seen.
    pub fn brings(&self, program: &str, command: &str, given: impl Fn(&str) -> bool) -> bool {
        self.brings.iter().any(|known| match known.split_once(' ') {
            Some((name, option)) if option.starts_with('-') => name == program && given(option),
            Some((name, below)) => name == program && command.starts_with(below),
            None => known == program,
        })
    }

    /// The language that an interpreter reads, by its name, which may end in a version.
    pub fn language(&self, interpreter: &str) -> Option<&str> {
        let name = interpreter.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        self.interpreters.iter().find(|(_, names)| lists(names, name)).map(|(language, _)| language.as_str())
    }

    /// Whether a file says who may do what; and whether it gives full control.
    pub fn grants(&self, path: &str) -> Option<bool> {
        let among = |list: &[String]| list.iter().any(|known| is_at(known, path));
        if among(&self.masters) { Some(true) } else { among(&self.keys).then_some(false) }
    }

    /// The files of its own settings that a program writes anew, by its name and its words without options.
    pub fn settings<'a>(&'a self, program: &str, words: &[&str]) -> impl Iterator<Item = &'a str> {
        let told = |by: &String| {
            let by: Vec<&str> = by.split(' ').collect();
            words.windows(by.len()).any(|some| some == by.as_slice())
        };
        let known = |one: &&Settings| lists(&one.of, program) && one.by.iter().any(told);
        let known: Vec<&Settings> = self.settings.iter().filter(known).collect();
        known.into_iter().flat_map(|one| one.files.iter().map(String::as_str))
    }

    /// Whether a variable says whom a program speaks to.
    pub fn aims(&self, variable: &str) -> bool {
        self.aims.iter().any(|start| variable.starts_with(start.as_str()))
    }
}

/// Whether a list of [`Places`] has a name.
pub fn lists(list: &[String], name: &str) -> bool {
    list.iter().any(|known| known == name)
}

/// Whether a path is the known file, lies in the known directory, or ends as is known.
fn is_at(known: &str, path: &str) -> bool {
    match known.strip_prefix('*') {
        Some(end) => path.ends_with(end),
        None if known.ends_with('/') => path.starts_with(known),
        None => path == known,
    }
}

/// The lists, read once. Empty, so that nothing is trusted by name, if they could not be read; a test rules that out.
pub fn places() -> &'static Places {
    static PLACES: OnceLock<Places> = OnceLock::new();
    PLACES.get_or_init(|| read().unwrap_or_default())
}

/// `build.rs` made JSON of it, which is read several times faster.
fn read() -> Result<Places, serde_json::Error> {
    serde_json::from_str(include_str!(concat!(env!("OUT_DIR"), "/places.json")))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_lists_can_be_read() {
        let places = super::read().unwrap();
        assert!(places.holds_programs("/usr/bin"));
        assert_eq!(places.grants("/etc/sudoers.d/me"), Some(true));
        assert_eq!(places.grants("/home/me/.ssh/authorized_keys"), Some(false));
        assert_eq!(places.grants("/home/me/.ssh/known_hosts"), None);
        let settings = |words: &[&str]| places.settings("kubectl", words).collect::<Vec<_>>();
        assert_eq!(settings(&["config", "unset", "users"]), ["~/.kube/config"]);
        assert_eq!(settings(&["config", "view"]), Vec::<&str>::new());
    }
}
