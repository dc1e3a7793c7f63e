//! Variables that a shell sets itself.

use crate::model::Value;

/// Variables that not every shell sets.
pub(super) const ONLY_BASH: [&str; 6] = ["UID", "EUID", "BASH", "BASHPID", "OSTYPE", "BASH_SOURCE"];

/// Variables that the shell itself sets, to what cannot be told.
pub(super) fn kept_by_the_shell(name: &str) -> bool {
    matches!(
        name,
        "RANDOM"
            | "SECONDS"
            | "SRANDOM"
            | "EPOCHSECONDS"
            | "EPOCHREALTIME"
            | "PPID"
            | "LINENO"
            | "HOSTNAME"
            | "HOSTTYPE"
            | "MACHTYPE"
            | "BASH_VERSION"
            | "BASH_VERSINFO"
            | "SHLVL"
            | "BASH_COMMAND"
            | "FUNCNAME"
            | "PIPESTATUS"
            | "GROUPS"
            | "DIRSTACK"
            | "BASHOPTS"
            | "SHELLOPTS"
            | "COLUMNS"
            | "LINES"
            | "BASH_REMATCH"
            | "BASH_ARGV"
            | "BASH_ARGC"
            | "BASH_LINENO"
            | "COMP_WORDS"
            | "COPROC"
            | "HISTCMD"
            | "BASH_SUBSHELL"
    )
}

/// Whether a variable gives something else than it is given: the shell counts, draws or measures it.
pub(super) fn goes_its_own_way(name: &str, value: &Value) -> bool {
    match name {
        "RANDOM" | "SRANDOM" | "SECONDS" | "EPOCHSECONDS" | "EPOCHREALTIME" | "LINENO" | "BASHPID"
        | "FUNCNAME" | "GROUPS" | "DIRSTACK" | "BASH_COMMAND" | "BASH_SUBSHELL" | "BASH_LINENO"
        | "BASH_SOURCE" | "BASH_ARGV" | "BASH_ARGC" | "HISTCMD" => true,
        "OPTIND" => {
            value.as_known().is_none_or(|text| text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()))
        }
        _ => false,
    }
}
