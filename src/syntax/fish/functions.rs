//! What stands at the head of a function of fish: its arguments' names, and when fish calls it by itself.

use super::set::meant;
use super::{Reader, is_name, to_bash};

/// Functions that fish calls by these names.
const CALLED: &[&str] = &[
    "fish_command_not_found",
    "fish_greeting",
    "fish_mode_prompt",
    "fish_prompt",
    "fish_right_prompt",
    "fish_title",
    "fish_user_key_bindings",
];

impl Reader {
    /// `function f --on-event fish_exit`: fish calls it by itself, at some time until it ends.
    pub(super) fn handles(&mut self, words: &[String], out: &mut String) {
        let on = |word: &String| {
            word.starts_with("--on-") || matches!(word.as_str(), "-e" | "-v" | "-j" | "-p" | "-s")
        };
        let called = |name: &&String| CALLED.contains(&name.as_str()) || words.iter().any(on);
        self.later(words.first().filter(called).cloned(), out);
    }

    /// `set` and `alias`.
    pub(super) fn defines(&mut self, word: &str, out: &mut String, top: bool, outside: bool) {
        match word {
            "alias" => self.alias(out),
            _ => self.set(out, top, outside),
        }
    }

    /// `alias name=body`, `alias name body`: a function of that name, which fish may keep in a file.
    fn alias(&mut self, out: &mut String) {
        let words = self.words();
        let (options, rest): (Vec<&String>, Vec<&String>) =
            words.iter().partition(|word| word.starts_with('-'));
        let whole = rest.iter().map(|word| meant(word)).collect::<Vec<_>>().join(" ");
        let (name, body) = whole.split_once(['=', ' ']).unwrap_or((whole.as_str(), ""));
        let plain = |c: char| c.is_alphanumeric() || "_-.+".contains(c);
        if name.is_empty() || !name.chars().all(plain) || body.trim().is_empty() {
            let more = words.iter().map(|word| format!(" {word}")).collect::<String>();
            out.push_str(&format!("alias{more}"));
            return;
        }
        // A body that begins with its own name means the program.
        let own = body.split_whitespace().next() == Some(name);
        let body = to_bash(&if own { format!("command {body}") } else { body.to_owned() });
        out.push_str(&format!("{name}() {{ {body} \"$@\"; }}"));
        if options.iter().any(|word| matches!(word.as_str(), "-s" | "--save")) {
            out.push_str(&format!("; funcsave {name}"));
        }
    }

    /// `function f --argument-names a b`: the first arguments have names.
    pub(super) fn named_arguments(&mut self, words: &[String], out: &mut String) {
        let names = words
            .iter()
            .skip_while(|word| !matches!(word.as_str(), "-a" | "--argument" | "--argument-names"));
        for (at, name) in names.skip(1).take_while(|word| is_name(word)).enumerate() {
            out.push_str(&format!("; {name}=\"${{{}}}\"", at + 1));
            self.single.push(name.clone());
        }
    }
}
