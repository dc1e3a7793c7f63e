//! What a shell says of itself besides the line: its aliases, its functions' names, and what some of them do.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::shell::Session;
use crate::syntax::zsh::PART;

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
    // Nothing of this is what `$_` holds, unless the state says so at its end.
    let last = format!(": \"${{{PART}last}}\"\n");
    match shell {
        ShellKind::Bash => format!("{}{last}{state}", bash_options(options)),
        ShellKind::Zsh => format!("{}{last}{state}", zsh_options(options)),
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
            "cdable_vars"
                | "dotglob"
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
    for (zsh, name) in [
        ("globdots", "dotglob"),
        ("nullglob", "nullglob"),
        ("cshnullglob", "nullglob"),
        ("cdablevars", "cdable_vars"),
    ] {
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

/// A line of zsh without what its options make of other signs: with BRACE_CCL `{a-c}` stands for each of these, and of such a word
/// nothing more is told; with KSH_GLOB `@(a|b)` is a pattern, and becomes one for any name.
pub(super) fn by_options<'a>(line: &'a str, options: &str) -> Cow<'a, str> {
    let on = |name: &str| options.split(' ').any(|option| option == name);
    match (on("kshglob") && line.contains('('), on("braceccl") && line.contains('{')) {
        (false, false) => Cow::Borrowed(line),
        (true, false) => Cow::Owned(without_groups(line)),
        (false, true) => Cow::Owned(without_classes(line)),
        (true, true) => Cow::Owned(without_classes(&without_groups(line))),
    }
}

fn without_groups(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find('(') {
        let (before, behind) = (&rest[..at], &rest[at + 1..]);
        let marked = before.strip_suffix(['@', '+', '!', '?', '*']);
        let end = behind.find(')').filter(|end| *end > 0 && !behind[..*end].contains(['(', ' ', '\n']));
        match (marked, end) {
            (Some(before), Some(end)) => {
                out.push_str(before);
                out.push('*');
                rest = &behind[end + 1..];
            }
            _ => {
                out.push_str(&rest[..=at]);
                rest = behind;
            }
        }
    }
    out.push_str(rest);
    out
}

fn without_classes(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, behind)) = rest.split_once('{') {
        out.push_str(before);
        let inner = behind.split_once('}').map(|(inner, _)| inner).filter(|inner| {
            let plain = |c: char| c.is_alphanumeric() || "-_.+".contains(c);
            !inner.is_empty() && inner.chars().all(plain) && !inner.contains("..") && !before.ends_with('$')
        });
        match inner {
            Some(inner) => {
                let _ = write!(out, "${{{PART}class}}");
                rest = &behind[inner.len() + 1..];
            }
            None => {
                out.push('{');
                rest = behind;
            }
        }
    }
    out.push_str(rest);
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
            // Where the cursor will be stands a mark, which goes.
            let mark = words.iter().take(at).find_map(|word| word.strip_prefix("--set-cursor="));
            let value = mark.map_or_else(|| value.clone(), |mark| value.replacen(mark, "", 1));
            found.push((name.clone(), value));
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
        let found = read_aliases("abbr -a --set-cursor='%' -- zap 'rm %keep'\n");
        assert_eq!(found[0], ("zap".to_owned(), "rm keep".to_owned()));
    }

    #[test]
    fn braces_that_hold_signs_are_not_told_where_they_stand_for_each() {
        let line = "rm kee{p} ${x} {a,b} {1..3}; { ls; }";
        assert_eq!(by_options(line, "autocd"), line);
        assert_eq!(by_options("rm +(k|l)eep a(b) $(c)", "kshglob"), "rm *eep a(b) $(c)");
        let told = by_options(line, "autocd braceccl").into_owned();
        assert_eq!(told, "rm kee${_recourse_part_of_class} ${x} {a,b} {1..3}; { ls; }");
    }

    #[test]
    fn names_of_functions_as_shells_print_them() {
        assert_eq!(read_functions("declare -f deploy\ndeclare -fx up\nplain\n"), ["deploy", "up", "plain"]);
    }
}
