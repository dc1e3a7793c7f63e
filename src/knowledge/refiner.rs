//! The closed lists of refiners and followers: what data cannot say about a command's effects, or about what it runs, is
//! said by one named function each.

use serde::Deserialize;

/// Name of a refiner, as `refine = "…"` gives it. The functions live in `effects`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Refiner {
    /// `cp`, `install`, `ln`: where a copy lands and what it overwrites.
    Copy,
    /// `mv`: what is overwritten, and where the content goes.
    Move,
    /// `dd`: how much of the output file is overwritten.
    Dd,
    /// `rm`: what GNU rm refuses by itself.
    Remove,
    /// `rsync`: deletions on the receiving side, remote forms.
    Rsync,
    /// `tar`, `unzip`, `cpio`, `7z`: what unpacking overwrites.
    Extract,
    /// `sed -i`, `perl -pi`: backups, and edits that change nothing.
    InPlace,
    /// `truncate`: growing loses nothing.
    Truncate,
    /// `rename`, `mmv`: names made by a pattern.
    Rename,
    /// `split`, `csplit`: names made by a prefix.
    Split,
    /// `curl`, `wget`, `http`: statements and mutations in what is sent.
    Web,
    /// `patch`: which files a patch changes, and whether it stays.
    Patch,
    /// Git subcommands whose effect hangs on the shape of refs and paths.
    Git,
}

/// Name of a follower, as `follow = "…"` gives it: it reads the files that say what a program runs. The functions live in
/// `shell`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Follower {
    /// A Rakefile.
    Rake,
    /// `tasks.py` of Invoke.
    Invoke,
    /// `noxfile.py`.
    Nox,
    /// Files that list commands: a Taskfile, `tox.ini`, `composer.json`, `pyproject.toml`.
    Listed,
    /// A justfile.
    Just,
    /// `deno run`, `deno task`.
    Deno,
    /// `bun FILE`.
    Bun,
    /// `python -m MODULE`.
    PythonModule,
    /// `perl -M…`, `perl -c`.
    Perl,
    /// `ruby -r…`.
    Ruby,
}
