//! What the words of a package manager's call ask for: which scripts, where, and how they are run.

use crate::model::Value;

/// Subcommands that run a script of their own name.
const LIFECYCLE: [&str; 5] = ["test", "start", "stop", "restart", "t"];

/// Scripts of the project itself that installing runs, in order.
pub(super) const INSTALLING: [&str; 8] = [
    "preinstall",
    "install",
    "postinstall",
    "prepublish",
    "preprepare",
    "prepare",
    "postprepare",
    "dependencies",
];

/// What `npm restart` runs, in order.
const RESTARTING: [&str; 9] =
    ["prerestart", "prestop", "stop", "poststop", "restart", "prestart", "start", "poststart", "postrestart"];

/// Options whose value is the next word.
const VALUED: [&str; 11] = [
    "--loglevel",
    "--registry",
    "--cache",
    "--reporter",
    "--scope",
    "--include",
    "--omit",
    "--tag",
    "--otp",
    "--access",
    "--node-options",
];

/// Scripts that packing or publishing runs, in order.
const PACKING: [&str; 6] = ["prepublishOnly", "prepare", "prepack", "postpack", "publish", "postpublish"];

/// Subcommands behind which a script is named.
const RUN: [&str; 4] = ["run", "run-script", "rum", "urn"];

/// What the package managers do themselves that run scripts by their bare names, whatever the project calls its own.
const OWN: [&str; 61] = [
    "add",
    "approve-builds",
    "audit",
    "autoclean",
    "bin",
    "cache",
    "config",
    "create",
    "dedupe",
    "dlx",
    "env",
    "exec",
    "explain",
    "fetch",
    "generate-lock-entry",
    "global",
    "help",
    "i",
    "import",
    "info",
    "init",
    "install",
    "licenses",
    "link",
    "list",
    "ln",
    "login",
    "logout",
    "ls",
    "node",
    "npm",
    "outdated",
    "owner",
    "pack",
    "patch",
    "plugin",
    "pm",
    "policies",
    "prune",
    "publish",
    "rebuild",
    "remove",
    "rm",
    "root",
    "search",
    "server",
    "set",
    "setup",
    "store",
    "tag",
    "team",
    "unlink",
    "unplug",
    "up",
    "update",
    "upgrade",
    "upgrade-interactive",
    "version",
    "versions",
    "view",
    "why",
];

/// The words of a call, sorted by what they are for.
#[derive(Default)]
pub(super) struct Asked<'a> {
    /// Words that are no options: the subcommand and what it is about.
    pub(super) words: Vec<&'a str>,
    /// The directory that it is sent to.
    pub(super) directory: Option<&'a str>,
    /// Words behind `--`.
    behind: Vec<&'a str>,
    /// Other packages of the project are meant.
    pub(super) elsewhere: bool,
    /// Those that are named.
    pub(super) chosen: Vec<&'a str>,
    /// The shell that scripts are run by.
    pub(super) own_shell: Option<Value>,
    /// Options that all of Node's programs get.
    pub(super) node_options: Option<Value>,
    /// The file of settings.
    pub(super) settings: Option<&'a str>,
    /// Only the script that is named runs (`--ignore-scripts`).
    alone: bool,
}

impl<'a> Asked<'a> {
    pub(super) fn of(texts: &[&'a str]) -> Self {
        let mut asked = Self::default();
        let mut words = texts.iter().copied();
        while let Some(word) = words.next() {
            if word == "--" {
                asked.behind.extend(words.by_ref());
            } else if word.starts_with('-') {
                asked.option(word, &mut words);
            } else {
                asked.words.push(word);
            }
        }
        asked
    }

    /// An option, its value attached or the next word.
    fn option(&mut self, option: &'a str, words: &mut impl Iterator<Item = &'a str>) {
        match option {
            "--prefix" | "-C" | "--dir" | "--cwd" => self.directory = words.next(),
            "-w" | "--workspace" | "--filter" | "-F" => {
                self.elsewhere = true;
                self.chosen.extend(words.next());
            }
            "-r" | "--recursive" | "--workspaces" | "-ws" => self.elsewhere = true,
            "--userconfig" | "--globalconfig" => self.settings = words.next(),
            "--ignore-scripts" | "--ignore-scripts=true" => self.alone = true,
            "--no-ignore-scripts" | "--ignore-scripts=false" => self.alone = false,
            "--script-shell" => self.own_shell = words.next().map(Value::known),
            "--node-options" => self.node_options = words.next().map(Value::known),
            option if VALUED.contains(&option) => drop(words.next()),
            option => match option.split_once('=') {
                Some(("--script-shell", value)) => self.own_shell = Some(Value::known(value)),
                Some(("--node-options", value)) => self.node_options = Some(Value::known(value)),
                Some(("--workspace" | "--filter", value)) => {
                    self.elsewhere = true;
                    self.chosen.push(value);
                }
                Some(("--userconfig", value)) => self.settings = Some(value),
                Some(("--prefix" | "--dir" | "--cwd", value)) => self.directory = Some(value),
                _ => {}
            },
        }
    }

    /// The scripts that it runs where the project has them, in order; `None` when it runs none.
    pub(super) fn scripts(&self, name: &str) -> Option<Vec<String>> {
        let words = self.words.as_slice();
        let scripts = match words {
            [run, script, ..] if RUN.contains(run) => around(script),
            ["t" | "tst", ..] => around("test"),
            ["restart", ..] if name == "npm" => own(&RESTARTING),
            [first, ..] if LIFECYCLE.contains(first) => around(first),
            // With names only those are installed, and the project's own scripts stay out of it.
            ["install" | "i" | "ci" | "clean-install" | "ic" | "rebuild" | "link"] => own(&INSTALLING),
            [] if name == "yarn" => own(&INSTALLING),
            ["pack" | "publish", ..] => own(&PACKING),
            ["version", ..] => around("version"),
            [first, ..] if matches!(name, "yarn" | "pnpm" | "bun") => around(first),
            _ => return None,
        };
        // What is asked for by its name runs all the same, and nothing before or after it.
        match (self.alone, words) {
            (true, [run, script, ..]) if name == "npm" && RUN.contains(run) => Some(own(&[script])),
            (true, ["t" | "tst", ..]) if name == "npm" => Some(own(&["test"])),
            (true, [first, ..]) if name == "npm" && LIFECYCLE.contains(first) => Some(own(&[first])),
            (true, _) if is_beside(&scripts) => None,
            _ => Some(scripts),
        }
    }

    /// The folders that are installed as packages.
    pub(super) fn folders(&self) -> Vec<&'a str> {
        let installs = ["install", "i", "add", "in", "ins", "inst", "link", "ln"];
        match self.words.split_first() {
            Some((first, rest)) if installs.contains(first) && !self.alone => {
                let path = |word: &&'a str| {
                    let word = word.rsplit_once("@file:").map_or(*word, |(_, path)| path);
                    let word = word.strip_prefix("file:").unwrap_or(word);
                    word.starts_with(['.', '/', '~']).then_some(word)
                };
                rest.iter().filter_map(path).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether scripts run only by their names.
    pub(super) fn runs_alone(&self) -> bool {
        self.alone
    }

    /// The script that is asked for.
    pub(super) fn script(&self) -> &'a str {
        match self.words.as_slice() {
            [run, script, ..] if RUN.contains(run) => script,
            ["t" | "tst", ..] => "test",
            [first, ..] => first,
            [] => "",
        }
    }

    /// Whether the subcommand is one that does nothing but run a script.
    pub(super) fn names_script(&self) -> bool {
        let first = self.words.first();
        first.is_some_and(|first| RUN.contains(first) || LIFECYCLE.contains(first) || *first == "tst")
    }

    /// Whether the package manager does it by itself, and no script of the project's.
    pub(super) fn is_own(&self) -> bool {
        self.words.first().is_none_or(|first| OWN.contains(first))
    }

    /// The words that the script is given.
    pub(super) fn behind(&self, name: &str) -> Vec<&'a str> {
        let hands_on = matches!(self.words.as_slice(), ["run" | "run-script", _, ..]) || name != "npm";
        let more = self.words.iter().skip(2).filter(|_| hands_on);
        self.behind.iter().chain(more).copied().collect()
    }
}

/// Whether scripts run beside what a subcommand does itself: those of installing and packing.
pub(super) fn is_beside(scripts: &[String]) -> bool {
    scripts == INSTALLING || scripts == PACKING
}

/// A script with the ones that run before and after it.
fn around(script: &str) -> Vec<String> {
    vec![format!("pre{script}"), script.to_owned(), format!("post{script}")]
}

fn own(list: &[&str]) -> Vec<String> {
    list.iter().map(|name| (*name).to_owned()).collect()
}
