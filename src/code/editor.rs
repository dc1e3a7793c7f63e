//! Commands of editors, pagers and macro processors: the few that only show or set something are known, and everything
//! else may run a program or write a file.

use super::effect::CodeEffect;

/// What the commands in `text` may do; nothing when all of them are known to be harmless.
pub(super) fn analyse(language: &str, text: &str) -> Vec<CodeEffect> {
    let harmless = match language {
        "vim" => text.split(['\n', '|']).all(|command| vim(command.trim().trim_start_matches(':').trim())),
        "less" => pager(text.trim()),
        "m4" => !text.contains("syscmd"),
        "dc" => !text.contains('!'),
        _ => false,
    };
    if harmless {
        return Vec::new();
    }
    vec![CodeEffect::Unknown { reason: format!("{language} commands may run a program or write a file") }]
}

fn vim(command: &str) -> bool {
    if command.is_empty()
        || command.starts_with(['/', '?', '"'])
        || command.chars().all(|c| c.is_ascii_digit() || matches!(c, '$' | ',' | '%' | '.'))
    {
        // `"` starts a comment.
        return true;
    }
    let mut words = command.split_whitespace();
    let head = words.next().unwrap_or_default();
    let expression = command.contains(['(', '=', '`']);
    match head {
        "q" | "q!" | "qa" | "qa!" | "qall" | "qall!" | "quit" | "quit!" | "cq" | "cq!" | "only" | "split"
        | "vsplit" | "noh" | "nohlsearch" | "syntax" | "filetype" | "colorscheme" | "version" | "help"
        | "normal!G" | "startinsert" | "p" | "print" => !expression,
        // `set shell=…` and the like change what runs later; plain switches do not.
        "set" | "se" | "setlocal" | "setl" => words.all(|word| {
            let name = word.split('=').next().unwrap_or(word);
            name.chars().all(|c| c.is_ascii_alphabetic() || c == '!' || c == '?')
                && !matches!(name, "shell" | "sh" | "makeprg" | "mp" | "grepprg" | "gp" | "exrc" | "ex")
                && !name.ends_with("expr")
                && !name.ends_with("func")
        }),
        _ => false,
    }
}

fn pager(command: &str) -> bool {
    let rest = command.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    rest.starts_with(['/', '?', '&']) || matches!(rest, "" | "G" | "g" | "F" | "p" | "%" | "e" | "<" | ">")
}

#[cfg(test)]
mod tests {
    use super::analyse;

    #[test]
    fn only_what_shows_or_sets_is_harmless() {
        for (language, text, harmless) in [
            ("vim", "set nu", true),
            ("vim", "set shell=/tmp/x", false),
            ("vim", "/needle", true),
            ("vim", "q|!rm a", false),
            ("vim", ":!rm a", false),
            ("vim", "wq", false),
            ("less", "G", true),
            ("less", "50%", true),
            ("less", "!rm a", false),
            ("m4", "define(x, 1)", true),
            ("m4", "esyscmd(rm a)", false),
            ("dc", "2 3 + p", true),
            ("dc", "!rm a", false),
        ] {
            assert_eq!(analyse(language, text).is_empty(), harmless, "{language}: {text}");
        }
    }
}
