//! What a shell says of itself besides the line: its aliases, its functions' names, and what some of them do.

use std::fmt::Write as _;

use crate::shell::Session;

use super::kind::ShellKind;

/// Reads `alias -p` (bash) or `alias -L` (zsh), and `declare -F` or plain names.
pub(super) fn session(aliases: &str, functions: &str) -> Session {
    Session {
        aliases: read_aliases(aliases),
        functions: read_functions(functions),
        guarded: true,
        ..Session::default()
    }
}

/// Reads name and text of functions in turn, with NUL bytes between them. `definition` makes what bash would read.
pub(super) fn bodies(text: &str, definition: impl Fn(&str, &str) -> String) -> Vec<(String, String)> {
    let mut parts = text.split('\0');
    let mut found = Vec::new();
    while let (Some(name), Some(body)) = (parts.next(), parts.next()) {
        if !name.is_empty() {
            found.push((name.to_owned(), definition(name, body)));
        }
    }
    found
}

/// Under this name comes what is no function: the values that the shell holds.
pub(super) const STATE: &str = "=";

/// More is not read: what it holds stays unknown.
const LONGEST: usize = 64 * 1024;

/// What makes the state of the shell at hand, in bash's syntax: options, and what came under the name [`STATE`].
pub(super) fn prelude(shell: ShellKind, options: &str, bodies: &mut Vec<(String, String)>) -> String {
    let at = bodies.iter().position(|(name, _)| name == STATE);
    let state = at.map(|at| bodies.remove(at).1).filter(|text| text.len() <= LONGEST).unwrap_or_default();
    match shell {
        ShellKind::Bash => format!("{}{state}", bash_options(options)),
        ShellKind::Zsh => format!("{}{state}", zsh_options(options)),
        ShellKind::Fish => state,
    }
}

/// Options of bash that say which files a word names, as `$-` and `BASHOPTS` have them.
fn bash_options(text: &str) -> String {
    let (letters, names) = text.split_once(':').unwrap_or((text, ""));
    let mut out = String::new();
    if letters.contains('f') {
        out.push_str("set -f\n");
    }
    if letters.contains('P') {
        out.push_str("set -P\n");
    }
    if !letters.is_empty() && !letters.contains('B') {
        out.push_str("set +B\n");
    }
    for name in names.split(':') {
        if matches!(
            name,
            "dotglob"
                | "extglob"
                | "failglob"
                | "globstar"
                | "lastpipe"
                | "nocaseglob"
                | "nocasematch"
                | "nullglob"
        ) {
            let _ = writeln!(out, "shopt -s {name}");
        }
    }
    out
}

/// The same of zsh: the names of the options that are on.
fn zsh_options(text: &str) -> String {
    let on = |name: &str| text.split(' ').any(|word| word == name);
    let mut out = String::new();
    for (zsh, name) in [("globdots", "dotglob"), ("nullglob", "nullglob"), ("cshnullglob", "nullglob")] {
        if on(zsh) {
            let _ = writeln!(out, "shopt -s {name}");
        }
    }
    if !text.is_empty() && !on("caseglob") {
        out.push_str("shopt -s nocaseglob\n");
    }
    if !text.is_empty() && !on("glob") {
        out.push_str("set -f\n");
    }
    out
}

fn read_aliases(text: &str) -> Vec<(String, String)> {
    // A definition may go over several lines: all at once, and line by line only when that fails.
    let words = shell_words::split(text).unwrap_or_else(|_| {
        text.lines().filter_map(|line| shell_words::split(line).ok()).flatten().collect()
    });
    let mut found = Vec::new();
    // fish: `abbr -a -- name 'text'`.
    for line in text.lines().filter(|line| line.starts_with("abbr ")) {
        let words = shell_words::split(line).unwrap_or_default();
        if let Some(at) = words.iter().position(|word| word == "--")
            && let (Some(name), Some(value)) = (words.get(at + 1), words.get(at + 2))
        {
            found.push((name.clone(), value.clone()));
        }
    }
    let mut kind = "";
    for word in &words {
        match word.as_str() {
            "alias" | "abbr" => kind = "",
            option if option.starts_with('-') && !option.contains('=') => kind = option,
            // Global and suffix aliases of zsh are not in command position.
            _ if matches!(kind, "-g" | "-s") => {}
            word => {
                if let Some((name, value)) = word.split_once('=')
                    && !name.is_empty()
                {
                    found.push((name.to_owned(), value.to_owned()));
                }
            }
        }
    }
    found
}

fn read_functions(text: &str) -> Vec<String> {
    text.lines()
        .filter_map(|line| line.rsplit(' ').next())
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_as_shells_print_them() {
        let text = "alias ll='ls -l'\nalias q='it'\\''s'\nalias two='a\nb'\nalias -g G='| grep'\nalias zap='rm -rf'\n";
        let found = read_aliases(text);
        let of = |name: &str| found.iter().find(|(known, _)| known == name).map(|(_, text)| text.as_str());
        assert_eq!(of("ll"), Some("ls -l"));
        assert_eq!(of("q"), Some("it's"));
        assert_eq!(of("two"), Some("a\nb"));
        assert_eq!(of("zap"), Some("rm -rf"));
        assert_eq!(of("G"), None);
    }

    #[test]
    fn abbreviations_as_fish_prints_them() {
        let found = read_aliases("abbr -a -- zap 'rm -rf'\nabbr -a --position anywhere -- L '| less'\n");
        assert_eq!(found[0], ("zap".to_owned(), "rm -rf".to_owned()));
    }

    #[test]
    fn names_of_functions_as_shells_print_them() {
        assert_eq!(read_functions("declare -f deploy\ndeclare -fx up\nplain\n"), ["deploy", "up", "plain"]);
    }
}
