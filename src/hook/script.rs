//! The scripts that `recourse init` prints, with the program's path in them.

use std::ffi::OsStr;

use super::shell::ShellKind;

/// Stands in the scripts where the program's quoted path goes.
const BINARY: &str = "@BINARY@";

/// What to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    /// The hook itself.
    Hook,
    /// How to take it out again.
    Removal,
}

/// The script for a shell; `binary` is the program's absolute path, which the script calls whatever PATH says later.
///
/// # Errors
/// When the path cannot stand in a script: it is no text, or holds a line break.
pub fn script(shell: ShellKind, what: Script, binary: &OsStr) -> Result<String, String> {
    if what == Script::Removal {
        return Ok(removal(shell));
    }
    let path = binary.to_str().filter(|path| path.starts_with('/') && !path.contains(['\n', '\r', '\0']));
    let path = path.ok_or_else(|| {
        format!(
            "{}: this path cannot stand in a script; install recourse elsewhere",
            binary.to_string_lossy()
        )
    })?;
    let text = match shell {
        ShellKind::Bash => include_str!("../../shell-hooks/recourse.bash"),
        ShellKind::Zsh => include_str!("../../shell-hooks/recourse.zsh"),
        ShellKind::Fish => include_str!("../../shell-hooks/recourse.fish"),
    };
    let text = text.replacen(BINARY, &quoted(path, shell), 1);
    if shell != ShellKind::Zsh {
        return Ok(text);
    }
    // zsh reads a text whole before it runs any of it: aliases have to be off before it reads the script, and neither options
    // nor IFS of the user's may change what it means.
    let inner = text.replace('\'', r"'\''");
    Ok(format!(
        "() {{\n\\builtin emulate -L zsh\n\\builtin setopt noaliases\n\\builtin local IFS=$' \\t\\n'\n\
         \\builtin eval '{inner}'\n}}\n"
    ))
}

fn quoted(path: &str, shell: ShellKind) -> String {
    let inner = match shell {
        ShellKind::Bash | ShellKind::Zsh => path.replace('\'', r"'\''"),
        ShellKind::Fish => path.replace('\\', r"\\").replace('\'', r"\'"),
    };
    format!("'{inner}'")
}

fn removal(shell: ShellKind) -> String {
    let file = match shell {
        ShellKind::Bash => "~/.bashrc",
        ShellKind::Zsh => "~/.zshrc",
        ShellKind::Fish => "~/.config/fish/config.fish",
    };
    format!(
        "# To remove recourse from {shell}: delete the line that says\n\
         #   recourse init {shell}\n\
         # from {file}, and start a new shell.\n\
         # Nothing else was installed. Shells that run already stay guarded until\n# they end.\n",
        shell = shell.as_str()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_is_quoted_for_its_shell() {
        let path = OsStr::new("/opt/it's $here/recourse");
        let bash = script(ShellKind::Bash, Script::Hook, path).unwrap();
        assert!(bash.contains(r"'/opt/it'\''s $here/recourse'"), "{bash}");
        let fish = script(ShellKind::Fish, Script::Hook, path).unwrap();
        assert!(fish.contains(r"'/opt/it\'s $here/recourse'"), "{fish}");
        assert!(script(ShellKind::Zsh, Script::Hook, OsStr::new("recourse")).is_err());
        assert!(script(ShellKind::Zsh, Script::Hook, OsStr::new("/a\nb")).is_err());
    }
}
