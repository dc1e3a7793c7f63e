//! Programs that print settings for `eval` and `source`: variables, completions, hooks of a prompt.

use crate::model::Value;
use crate::shell::program::Call;

/// What stands for settings of a shell that change nothing.
const SETTINGS: &str = "# settings of the shell\n";

/// What such a program prints.
pub(super) fn printed(name: &str, call: &Call) -> Option<Value> {
    if prints_settings(name, call) { Some(Value::known(SETTINGS)) } else { completions(call) }
}

/// `anything completion bash`.
fn completions(call: &Call) -> Option<Value> {
    let words = call.texts()?.into_iter().filter(|text| !text.starts_with('-')).collect::<Vec<_>>();
    let ["completion" | "completions", rest @ ..] = words.as_slice() else { return None };
    let shells = rest.len() <= 1 && rest.iter().all(|shell| matches!(*shell, "bash" | "zsh" | "fish" | "sh"));
    shells.then(|| Value::known(SETTINGS))
}

/// Programs that print settings for `eval` and `source`: variables, completions, hooks of a prompt.
fn prints_settings(name: &str, call: &Call) -> bool {
    let Some(texts) = call.texts() else { return false };
    let words = texts.iter().filter(|text| !text.starts_with('-')).copied().collect::<Vec<_>>();
    match name {
        "ssh-agent"
        | "dircolors"
        | "lesspipe"
        | "lesspipe.sh"
        | "keychain"
        | "gpg-agent"
        | "resize"
        | "tset"
        | "register-python-argcomplete" => true,
        "direnv" => matches!(words.first(), Some(&("hook" | "export"))),
        "brew" => words.first() == Some(&"shellenv"),
        "conda" | "mamba" | "micromamba" => {
            words.first().is_some_and(|word| word.starts_with("shell."))
                || matches!(words.as_slice(), ["shell", "hook" | "activate" | "deactivate", ..])
        }
        "pyenv" | "rbenv" | "nodenv" | "goenv" | "jenv" | "starship" | "zoxide" | "atuin" | "mcfly"
        | "oh-my-posh" | "thefuck" | "pyenv-virtualenv" => {
            matches!(words.first(), Some(&("init" | "virtualenv-init" | "sh-shell"))) || name == "thefuck"
        }
        "fnm" | "opam" | "nvm" | "volta" => words.first() == Some(&"env"),
        "mise" | "rtx" => matches!(words.first(), Some(&("activate" | "env"))),
        "fzf" => texts.iter().any(|text| matches!(*text, "--bash" | "--zsh" | "--fish" | "--nushell")),
        "recourse" => matches!(texts.as_slice(), ["init", "bash" | "zsh" | "fish"]),
        "minikube" => words.first() == Some(&"docker-env"),
        "docker-machine" => words.first() == Some(&"env"),
        "luarocks" => words.first() == Some(&"path"),
        "locale" | "localectl" => true,
        _ => false,
    }
}
