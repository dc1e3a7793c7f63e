//! The closed list of what data leaves to code: the rooms of `src/programs`.

use serde::Deserialize;

/// A room of `src/programs`, as `code = "…"` of a tool or a subcommand names it: what that program runs, prints and needs. As
/// `refine = "…"` of a command it also says what becomes of the declared effects, and that the command may lose something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Room {
    /// `capsh -- WORDS`: the options of a shell behind its own.
    Capsh,
    /// Aliases of Cargo.
    Cargo,
    /// `cmake`, `ctest`: the project's scripts.
    Cmake,
    /// Compilers of C and its kin: files that are written beside what is asked for.
    Compiler,
    /// `cp`, `install`, `ln`: where a copy lands and what it overwrites.
    Copy,
    /// `dd`: how much of the output file is overwritten.
    Dd,
    /// `dodo.py` of doit.
    Doit,
    /// `tar`, `unzip`, `cpio`, `7z`: what unpacking overwrites.
    Extract,
    /// `fd -x COMMAND`.
    Fd,
    /// `find`: its expression, run over the real tree.
    Find,
    /// `fzf --bind`.
    Fzf,
    /// Programs that take patterns for operands, and look up themselves what those stand for.
    Globs,
    /// Git: subcommands whose effect hangs on the shape of refs and paths, and all that git starts by itself.
    Git,
    /// `sed -i`, `perl -pi`: backups, and edits that change nothing.
    InPlace,
    /// `tasks.py` of Invoke.
    Invoke,
    /// A justfile.
    Just,
    /// `kill`: whether the shell that judges is what it ends.
    Kill,
    /// `kubectl delete TYPE/NAME`.
    Kubectl,
    /// `less +COMMAND`.
    Less,
    /// Files that list commands: a Taskfile, `tox.ini`, `composer.json`, `pyproject.toml`.
    Listed,
    /// `m4`: macros that run commands.
    M4,
    /// `make`: a Makefile.
    Make,
    /// `magick`, `ffmpeg`, `exiftool`: what stands in front of the names of files, and programs that stand behind another's name.
    Media,
    /// `mlr`: verbs of a chain that write files.
    Miller,
    /// `mktemp`: a name that nothing has yet.
    Mktemp,
    /// `bwrap`, `unshare`, `mount`: what is seen where.
    Mounts,
    /// `mv`: what is overwritten, and where the content goes.
    Move,
    /// `build.ninja`.
    Ninja,
    /// `node --test`, `node -r`.
    Node,
    /// `noxfile.py`.
    Nox,
    /// npm, yarn, pnpm, bun and deno: scripts in `package.json` and `deno.json`.
    Npm,
    /// GNU parallel.
    Parallel,
    /// `patch`: which files a patch changes, and whether it stays.
    Patch,
    /// `perl -M…`, `perl -c`.
    Perl,
    /// `python -m MODULE`.
    PythonModule,
    /// A Rakefile.
    Rake,
    /// `rm`: what GNU rm refuses by itself.
    Remove,
    /// `rename`, `mmv`: names made by a pattern.
    Rename,
    /// `rg --pre PROGRAM`.
    Ripgrep,
    /// `rsync`: deletions on the receiving side, remote forms.
    Rsync,
    /// `ruby -r…`.
    Ruby,
    /// `screen -X`: commands for another session.
    Screen,
    /// `socat EXEC:…`.
    Socat,
    /// `sox`: which of its words is written.
    Sox,
    /// `split`, `csplit`: names made by a prefix.
    Split,
    /// `ssh`, `scp`, `sftp`, `rsync`: what a person's settings have run.
    Ssh,
    /// `prove`, `pydoc`: files and modules of the project that they are named are run.
    Suite,
    /// `tar`: what it packs, besides what [`Room::Extract`] says.
    Tar,
    /// `tee`: whether it empties what it is fed from.
    Tee,
    /// `terraform plan`: programs that a configuration runs.
    Terraform,
    /// Simple programs whose output can be told: `cat`, `sort`, `basename`, `ls` …
    Text,
    /// `tmux send-keys`.
    Tmux,
    /// `truncate`: growing loses nothing.
    Truncate,
    /// `vim +COMMAND`.
    Vim,
    /// `curl`, `wget`, `http`: statements and mutations in what is sent.
    Web,
    /// `xargs`: commands built from words on standard input.
    Xargs,
}
