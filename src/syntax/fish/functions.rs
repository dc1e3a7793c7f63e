//! What stands at the head of a function of fish: its arguments' names, and when fish calls it by itself.

use super::{Reader, is_name};

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
