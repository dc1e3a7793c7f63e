//! The hooks beside what people load into their shells, before the hook and after it. The tools are the real ones where
//! they are installed: `RECOURSE_SHELL_TOOLS` is a folder with the `atuin` program and starship's own startup scripts
//! (`starship.bash`, `starship.zsh`, `starship.fish`), which run here with a stand-in for the `starship` program itself: it
//! only prints a prompt. bash-preexec is the one that atuin brings along.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::rows::{BASH, Dialect, FISH, ZSH};
use super::{POLICY, Typing, missing};
use crate::support::{Scratch, program};

/// Where the tools are that come from no Debian package.
fn folder() -> Option<PathBuf> {
    std::env::var_os("RECOURSE_SHELL_TOOLS").map(PathBuf::from).filter(|folder| folder.is_dir())
}

fn skipped(what: &str) -> Option<String> {
    crate::support::skipped(&format!("{what} is not installed, so the hook was not tried beside it"));
    None
}

fn source(file: &str) -> Option<String> {
    if Path::new(file).exists() { Some(format!("source {file}")) } else { skipped(file) }
}

fn printed(name: &str, arguments: &str, shell: &str) -> Option<String> {
    if missing(name) {
        return skipped(name);
    }
    Some(evaluated(&format!("{name} {arguments} {shell}"), shell))
}

fn evaluated(command: &str, shell: &str) -> String {
    if shell == "fish" { format!("{command} | source") } else { format!("eval \"$({command})\"") }
}

fn atuin(shell: &str) -> Option<String> {
    let program = folder().map(|folder| folder.join("atuin")).filter(|program| program.is_file());
    match program {
        Some(program) => Some(evaluated(&format!("{} init {shell}", program.display()), shell)),
        None => skipped("atuin"),
    }
}

/// starship's own script, with a program in place of starship that prints a prompt and the time.
fn starship(shell: &str, scratch: &Scratch) -> Option<String> {
    let script = folder().map(|folder| folder.join(format!("starship.{shell}")));
    let Some(text) = script.and_then(|script| fs::read_to_string(script).ok()) else {
        return skipped("starship's startup script");
    };
    let stand_in = scratch.root().join("starship");
    fs::write(&stand_in, "#!/bin/sh\ncase $1 in prompt) printf 'star> ' ;; time) echo 1 ;; esac\n").unwrap();
    fs::set_permissions(&stand_in, fs::Permissions::from_mode(0o755)).unwrap();
    let file = scratch.root().join(format!("starship.{shell}"));
    fs::write(&file, text.replace("::STARSHIP::", &stand_in.display().to_string())).unwrap();
    Some(format!("source {}", file.display()))
}

/// Refused and allowed lines with the tool loaded before the hook, and after it.
fn beside(dialect: &Dialect, load: impl Fn(&Scratch) -> Option<String>) {
    if missing(dialect.name) {
        return;
    }
    for first in [true, false] {
        let scratch = Scratch::with_policy(POLICY);
        scratch.file("keep", "precious");
        scratch.file("keep2", "precious");
        let Some(tool) = load(&scratch) else { return };
        let both = if first { format!("{tool}\nHOOK") } else { format!("HOOK\n{tool}") };
        let start = dialect.start.replace("HOOK", &both);
        let mut shell = Typing::in_scratch(scratch, dialect.name, &start, program());
        shell.refuses("rm keep && touch after");
        shell.refuses(match dialect.name {
            "fish" => "begin; rm keep; end > keep2",
            _ => "{ rm keep; } > keep2",
        });
        shell.runs("echo x >> count");
        shell.runs(&format!("sh -c 'exit 7'\recho {} > status", dialect.status));
        shell.refuses("rm keep | tee out");
        assert_eq!(shell.read("count"), "x\n", "tool first: {first}: {}", shell.terminal.text());
        assert_eq!(shell.read("status"), "7\n", "tool first: {first}: {}", shell.terminal.text());
        assert_eq!(shell.said("the guard"), 0, "tool first: {first}: {}", shell.terminal.text());
    }
}

#[test]
fn starship_and_the_hook() {
    for dialect in [BASH, ZSH, FISH] {
        beside(&dialect, |scratch| starship(dialect.name, scratch));
    }
}

#[test]
fn atuin_and_bash_preexec_and_the_hook() {
    for dialect in [BASH, ZSH, FISH] {
        beside(&dialect, |_| atuin(dialect.name));
    }
}

#[test]
fn fzf_and_the_hook() {
    for dialect in [BASH, ZSH, FISH] {
        beside(&dialect, |_| source(&format!("/usr/share/doc/fzf/examples/key-bindings.{}", dialect.name)));
    }
}

#[test]
fn zoxide_and_direnv_and_the_hook() {
    for dialect in [BASH, ZSH, FISH] {
        beside(&dialect, |_| {
            Some(format!(
                "{}\n{}",
                printed("zoxide", "init", dialect.name)?,
                printed("direnv", "hook", dialect.name)?
            ))
        });
    }
}

#[test]
fn bash_completion_and_the_hook() {
    beside(&BASH, |_| source("/usr/share/bash-completion/bash_completion"));
}

#[test]
fn the_integration_of_kitty_and_the_hook() {
    for (dialect, file) in [(BASH, "bash/kitty.bash"), (ZSH, "zsh/kitty.zsh")] {
        beside(&dialect, |_| {
            let load = source(&format!("/usr/lib/kitty/shell-integration/{file}"))?;
            Some(format!("KITTY_SHELL_INTEGRATION=enabled\n{load}"))
        });
    }
}

#[test]
fn plugins_of_zsh_and_the_hook() {
    for plugin in ["zsh-autosuggestions", "zsh-syntax-highlighting"] {
        beside(&ZSH, |_| source(&format!("/usr/share/{plugin}/{plugin}.zsh")));
    }
}
