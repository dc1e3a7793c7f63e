//! What one call of git asks for, as far as the programs go that git starts by itself: which subcommand touches the index,
//! moves refs, prints differences, filters content, signs, edits or speaks to another repository.

use crate::knowledge::Match;
use crate::model::Value;
use crate::world::git_dir::{Config, is_true};

use super::settings::MESSAGE;

/// Subcommands that bring the index up to date, and with it ask the file monitor.
const INDEX: [&str; 26] = [
    "add",
    "am",
    "apply",
    "checkout",
    "checkout-index",
    "cherry-pick",
    "clean",
    "commit",
    "describe",
    "diff",
    "diff-index",
    "ls-files",
    "merge",
    "mv",
    "pull",
    "read-tree",
    "rebase",
    "reset",
    "restore",
    "revert",
    "rm",
    "stash",
    "status",
    "switch",
    "update-index",
    "worktree",
];

/// Subcommands that move refs.
const REFS: [&str; 25] = [
    "am",
    "bisect",
    "branch",
    "checkout",
    "cherry-pick",
    "clone",
    "commit",
    "fast-import",
    "fetch",
    "filter-branch",
    "merge",
    "notes",
    "pull",
    "push",
    "rebase",
    "remote",
    "replace",
    "reset",
    "revert",
    "stash",
    "switch",
    "symbolic-ref",
    "tag",
    "update-ref",
    "worktree",
];

/// Subcommands that make commits.
const COMMITS: [&str; 7] = ["am", "cherry-pick", "commit", "merge", "pull", "rebase", "revert"];

/// Subcommands that write files of the working tree.
const SMUDGES: [&str; 16] = [
    "am",
    "archive",
    "checkout",
    "checkout-index",
    "cherry-pick",
    "clone",
    "merge",
    "pull",
    "read-tree",
    "rebase",
    "reset",
    "restore",
    "revert",
    "stash",
    "switch",
    "worktree",
];

/// Subcommands that read files of the working tree into git.
const CLEANS: [&str; 25] = [
    "add",
    "am",
    "annotate",
    "apply",
    "blame",
    "checkout",
    "cherry-pick",
    "commit",
    "describe",
    "diff",
    "diff-files",
    "diff-index",
    "difftool",
    "hash-object",
    "merge",
    "pull",
    "rebase",
    "reset",
    "restore",
    "revert",
    "rm",
    "stash",
    "status",
    "switch",
    "update-index",
];

/// Subcommands that print differences as text.
const PRINTS: [&str; 8] = ["annotate", "blame", "diff", "log", "range-diff", "show", "stash", "whatchanged"];

/// Subcommands that speak to another repository.
const NETWORK: [&str; 8] =
    ["clone", "fetch", "fetch-pack", "ls-remote", "pull", "push", "remote", "submodule"];

/// What is asked of one call of git.
pub(super) struct Asked<'a> {
    pub(super) name: &'a str,
    pub(super) matched: &'a Match,
    pub(super) words: Vec<&'a str>,
    pub(super) config: &'a Config,
    /// Its output may be shown page by page.
    pub(super) shown: bool,
    /// Variables that are set for it by the command.
    pub(super) set: Vec<String>,
}

impl Asked<'_> {
    pub(super) fn is(&self, list: &[&str]) -> bool {
        // The other subcommands of `worktree` check nothing out.
        let other = self.name == "worktree" && self.matched.typed.get(2).is_none_or(|name| name != "add");
        list.contains(&self.name) && !other
    }

    pub(super) fn sets(&self, variable: &str) -> bool {
        self.set.iter().any(|name| name == variable)
    }

    pub(super) fn says(&self, word: &str) -> bool {
        self.words.contains(&word)
    }

    /// Whether differences are printed as text, not only counted or named.
    fn prints(&self) -> bool {
        let text = |word: &&str| {
            let shows = ["-U", "-L", "-G", "-S", "--patch", "--unified", "--word-diff", "--remerge-diff"];
            matches!(*word, "-p" | "-u" | "-c" | "--cc" | "-m")
                || shows.iter().any(|start| word.starts_with(start))
        };
        let named = |word: &&str| {
            let counts = [
                "--stat",
                "--numstat",
                "--shortstat",
                "--name-",
                "--raw",
                "--summary",
                "--dirstat",
                "--quiet",
            ];
            matches!(*word, "-s" | "--no-patch") || counts.iter().any(|start| word.starts_with(start))
        };
        let asked = self.words.iter().any(text);
        match self.name {
            // `COMMIT:FILE` is printed as it is.
            "show" if self.shows_files() => false,
            // A short form of its output, and no fewer lines.
            "annotate" | "blame" => true,
            "log" | "whatchanged" | "stash" => asked,
            _ => self.is(&PRINTS) && (asked || !self.words.iter().any(named)),
        }
    }

    /// Whether all that is shown are files of commits.
    fn shows_files(&self) -> bool {
        let file = |word: &str| !word.starts_with(':') && word.contains(':');
        let operands = &self.matched.operands;
        !operands.is_empty() && operands.iter().all(|binding| binding.value.as_known().is_some_and(file))
    }

    /// Whether files of the working tree are read into git through filters.
    fn cleans(&self) -> bool {
        if self.name != "hash-object" {
            return self.is(&CLEANS);
        }
        let named = self.words.iter().any(|word| word.starts_with("--path") || *word == "--stdin-paths");
        !self.says("--no-filters") && (named || !self.matched.operands.is_empty())
    }

    /// Whether content is written or printed as it stands in the working tree.
    fn smudges(&self) -> bool {
        self.is(&SMUDGES) || (self.name == "cat-file" && self.says("--filters"))
    }

    /// Addresses of other repositories in the settings, where this call may speak to one.
    pub(super) fn addresses(&self) -> Vec<String> {
        if !self.is(&NETWORK) && !matches!(self.name, "archive" | "send-pack" | "fetch-pack" | "maintenance")
        {
            return Vec::new();
        }
        let of = |(key, value): (&str, &str)| {
            let tail = key.rsplit('.').next().unwrap_or(key);
            match (key.split('.').next().unwrap_or(key), tail) {
                ("remote" | "submodule", "url" | "pushurl") => Some(value.to_owned()),
                ("remote", "vcs") => Some(format!("{value}::")),
                ("url", "insteadof" | "pushinsteadof") => {
                    key.get(4..key.len() - tail.len() - 1).map(str::to_owned)
                }
                _ => None,
            }
        };
        self.config.iter().filter_map(of).filter(|address| address.contains("::")).collect()
    }

    /// Whether the other repository may be one that is reached through ssh.
    fn speaks_ssh(&self) -> bool {
        if !self.is(&["clone", "fetch", "fetch-pack", "ls-remote", "pull", "push"]) {
            return self.is(&NETWORK);
        }
        if self.config.iter().any(|(key, _)| key.starts_with("url.")) {
            return true;
        }
        let urls = |name: &str| {
            let keys = [format!("remote.{name}.url"), format!("remote.{name}.pushurl")];
            let found = self.config.iter().filter(|(key, _)| keys.iter().any(|known| known == key));
            found.map(|(_, url)| url.to_owned()).collect::<Vec<String>>()
        };
        let asked = match self.matched.operands.first().map(|binding| binding.value.as_known()) {
            Some(None) => return true,
            Some(Some(name)) => match urls(name) {
                found if found.is_empty() => vec![name.to_owned()],
                found => found,
            },
            None => {
                let remotes = self.config.iter().filter(|(key, _)| key.starts_with("remote."));
                remotes.filter(|(key, _)| key.ends_with("url")).map(|(_, url)| url.to_owned()).collect()
            }
        };
        let other = ["/", "./", "../", "file://", "http://", "https://", "git://"];
        !asked.iter().all(|url| !url.contains(':') || other.iter().any(|start| url.starts_with(start)))
    }

    /// Whether this call starts `ssh` for certain: what it is told, or a remote of the settings, is reached so.
    pub(super) fn is_other_side_by_ssh(&self) -> bool {
        let names = ["clone", "fetch", "fetch-pack", "ls-remote", "pull", "push"];
        let ssh = |url: &str| {
            url.starts_with("ssh://") || url.split_once(':').is_some_and(|(host, _)| host.contains('@'))
        };
        let told = self.words.iter().any(|word| ssh(word));
        let remotes =
            self.config.iter().filter(|(key, _)| key.starts_with("remote.") && key.ends_with("url"));
        self.is(&names) && (told || remotes.map(|(_, url)| url).any(ssh))
    }

    /// Whether refs move: the same subcommands list them as well.
    fn moves_refs(&self) -> bool {
        // `-a` lists branches, and makes a tag.
        let listed = if self.name == "branch" { "-a" } else { "-n" };
        let lists =
            ["-l", listed, "-v", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"];
        let listing = match self.name {
            "branch" | "tag" => {
                self.matched.operands.is_empty() || lists.iter().any(|key| self.matched.has(key))
            }
            "symbolic-ref" => self.matched.operands.len() < 2 && !self.matched.has("-d"),
            _ => false,
        };
        self.is(&REFS) && !self.matched.command.reads && !listing
    }

    fn on(&self, key: &str) -> bool {
        self.config.get(key).is_some_and(is_true)
    }

    fn signs(&self) -> bool {
        match self.name {
            "tag" => self.matched.has("-s") || self.matched.has("-u") || self.on("tag.gpgSign"),
            "verify-commit" | "verify-tag" => true,
            "push" => self.matched.has("--signed"),
            "log" | "show" => self.says("--show-signature") || self.on("log.showSignature"),
            _ => self.is(&COMMITS) && (self.matched.has("-S") || self.on("commit.gpgSign")),
        }
    }

    /// Whether a message or a list is edited. Where it hangs on more than the words (a merge by hand), it is.
    fn edits(&self) -> bool {
        let given = ["-m", "-F", "--reuse-message", "--fixup"].iter().any(|key| self.matched.has(key));
        match self.name {
            "commit" => !given && !self.says("--no-edit"),
            "tag" => (self.matched.has("-a") || self.matched.has("-s")) && !given,
            "rebase" => ["-i", "--continue", "--edit-todo"].iter().any(|key| self.matched.has(key)),
            "merge" | "pull" | "revert" | "cherry-pick" | "am" => {
                self.matched.has("-e") || self.matched.has("--continue") || self.name == "revert"
            }
            "notes" => {
                let given = ["-m", "-F", "-C", "--message", "--file", "--reuse-message"];
                let given = |word: &&str| given.iter().any(|option| word.starts_with(option));
                let writes = ["add", "append", "edit"].iter().any(|word| self.says(word));
                writes && !self.words.iter().any(given) || self.matched.has("-e")
            }
            "add" | "config" => self.matched.has("-e") || self.says("edit"),
            "branch" => self.matched.has("--edit-description"),
            _ => false,
        }
    }

    /// Whether this call has git run the program that a setting names, and with which words.
    pub(super) fn starts(
        &self,
        key: &str,
        value: &str,
        used: &dyn Fn(&str, &str) -> bool,
    ) -> Option<Vec<Value>> {
        let (head, tail) = (key.split('.').next().unwrap_or(key), key.rsplit('.').next().unwrap_or(key));
        let driver =
            key.get(head.len() + 1..key.len() - tail.len()).unwrap_or_default().trim_end_matches('.');
        let file = || vec![Value::known(MESSAGE)];
        // The name, then the old and the new content: that of the working tree stands where it is.
        let compared = || vec![Value::Unknown; 7];
        let when = |holds: bool, words: Vec<Value>| holds.then_some(words);
        match (head, tail) {
            ("core", "fsmonitor") => {
                let program =
                    !matches!(value, "true" | "false" | "0" | "1" | "yes" | "no" | "on" | "off" | "");
                when(program && self.is(&INDEX), vec![Value::Unknown, Value::Unknown])
            }
            // What the environment names counts before these.
            ("core", "editor") => when(self.edits() && !self.sets("GIT_EDITOR"), file()),
            ("sequence", "editor") => {
                when(self.name == "rebase" && self.edits() && !self.sets("GIT_SEQUENCE_EDITOR"), file())
            }
            ("core" | "pager", _) if self.sets("GIT_PAGER") => None,
            ("core", "pager") => when(self.shown && self.is(&PRINTS), Vec::new()),
            ("pager", name) => {
                when(self.shown && name == self.name && !matches!(value, "true" | "false"), Vec::new())
            }
            ("core", "sshcommand") => when(self.speaks_ssh() && !self.sets("GIT_SSH_COMMAND"), Vec::new()),
            ("core", "askpass") => when(self.logs_in(), Vec::new()),
            ("core", "gitproxy" | "alternaterefscommand") => when(self.is(&NETWORK), Vec::new()),
            // How an archive is packed.
            ("tar", "command") => when(self.name == "archive", Vec::new()),
            ("credential", "helper") if !value.starts_with(['!', '/']) => None,
            ("credential", "helper") => when(self.logs_in(), vec![Value::known("get")]),
            ("remote", "uploadpack" | "receivepack") => when(self.is(&NETWORK), Vec::new()),
            ("diff", "external") => {
                let external = self.name == "diff" && self.prints() && !self.says("--no-ext-diff");
                let external = external || self.says("--ext-diff");
                when(external, compared())
            }
            ("diff", "command") => {
                let shows = self.prints() && !self.says("--no-ext-diff");
                when(shows && used("diff", driver), compared())
            }
            ("diff", "textconv") => {
                let shows =
                    self.prints() || (self.is(&["cat-file", "grep", "show"]) && self.says("--textconv"));
                when(shows && !self.says("--no-textconv") && used("diff", driver), file())
            }
            ("filter", "process") => {
                when((self.smudges() || self.cleans()) && used("filter", driver), Vec::new())
            }
            ("filter", "clean") => when(self.cleans() && used("filter", driver), Vec::new()),
            ("filter", "smudge") => when(self.smudges() && used("filter", driver), Vec::new()),
            ("merge", "driver") => {
                let merges = ["am", "checkout", "cherry-pick", "merge", "pull", "rebase", "revert", "stash"];
                let default = self.config.get("merge.default") == Some(driver);
                when(self.is(&merges) && (default || used("merge", driver)), Vec::new())
            }
            ("gpg", "program") => when(self.signs(), vec![Value::Unknown]),
            ("difftool" | "mergetool", "cmd") => {
                when(self.name == head && self.is_tool(head, driver), Vec::new())
            }
            ("trailer", "command" | "cmd") => {
                when(self.name == "interpret-trailers" || self.says("--trailer"), Vec::new())
            }
            // How a manual or a page is shown.
            ("man" | "browser", "cmd") => {
                when(matches!(self.name, "help" | "web--browse"), vec![Value::Unknown])
            }
            ("interactive", "difffilter") => {
                when(self.matched.has("-p") || self.matched.has("-i"), Vec::new())
            }
            ("gc", "recentobjectshook") => when(self.name == "gc", Vec::new()),
            ("submodule", "update") => when(self.name == "submodule" && value.starts_with('!'), Vec::new()),
            _ => None,
        }
    }

    /// Whether passwords may be asked for.
    fn logs_in(&self) -> bool {
        self.is(&NETWORK) || self.name == "credential"
    }

    /// Whether a tool that shows or merges is the one that is used: the one that is asked for, or that the settings name.
    fn is_tool(&self, head: &str, driver: &str) -> bool {
        if self.matched.has("-x") {
            return false;
        }
        let asked = match self.matched.value("-t") {
            Some(tool) => return tool.as_known().is_none_or(|tool| tool == driver),
            None => ["diff.tool", "diff.guitool", "merge.tool", "merge.guitool"],
        };
        let named = asked.iter().filter(|key| head == "difftool" || key.starts_with("merge"));
        let named: Vec<&str> = named.filter_map(|key| self.config.get(key)).collect();
        named.is_empty() || named.contains(&driver)
    }

    /// Hooks that this call runs when they are there.
    pub(super) fn hooks(&self) -> Vec<&str> {
        let mut found = Vec::new();
        // A push that only pretends asks its hook all the same.
        let skipped = self.says("--no-verify") || self.name == "commit" && self.matched.has("-n");
        let verified = !skipped;
        let first = |hook: &'static str| verified.then_some(hook);
        if self.matched.dry_run {
            found.extend(first("pre-push").filter(|_| self.name == "push"));
            return found;
        }
        if self.name == "commit" {
            found.extend(first("pre-commit"));
        }
        if self.is(&COMMITS) {
            found.extend(["prepare-commit-msg", "post-commit"]);
            found.extend(first("commit-msg"));
        }
        if self.is(&["merge", "pull"]) {
            found.push("post-merge");
            found.extend(first("pre-merge-commit"));
        }
        if self.is(&["rebase", "pull"]) {
            found.push("pre-rebase");
        }
        if self.is(&["rebase", "pull"]) || (self.name == "commit" && self.matched.has("--amend")) {
            found.push("post-rewrite");
        }
        let bare = ["-n", "--bare", "--mirror"].iter().any(|key| self.matched.has(key));
        if self.is(&["checkout", "switch", "worktree", "clone", "rebase", "pull"])
            && !(self.name == "clone" && bare)
        {
            found.push("post-checkout");
        }
        match self.name {
            "am" => {
                found.push("post-applypatch");
                found.extend(["applypatch-msg", "pre-applypatch"].into_iter().filter(|_| verified));
            }
            "push" => found.extend(first("pre-push")),
            "send-email" => found.push("sendemail-validate"),
            "gc" | "maintenance" => found.push("pre-auto-gc"),
            "hook" => {
                let named = self.matched.operands.iter().find(|binding| binding.name == "hook");
                found.extend(named.and_then(|binding| binding.value.as_known()));
            }
            _ => {}
        }
        if self.is(&INDEX) {
            found.push("post-index-change");
        }
        if self.moves_refs() {
            found.push("reference-transaction");
        }
        found
    }
}
