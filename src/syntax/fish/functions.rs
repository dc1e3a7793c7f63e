//! What stands at the head of a function of fish: its arguments' names, and when fish calls it by itself.

use super::{Reader, is_name};

impl Reader {
    /// `function f --on-event fish_exit`: fish calls it by itself, at some time until it ends.
    pub(super) fn handles(&mut self, words: &[String], out: &mut String) {
        let on = |word: &String| {
            word.starts_with("--on-") || matches!(word.as_str(), "-e" | "-v" | "-j" | "-p" | "-s")
        };
        let Some(name) = words.first().filter(|name| words.iter().any(on) && !name.contains('\'')) else {
            return;
        };
        self.handlers.push(name.clone());
        out.push_str(&format!("trap '{}' EXIT; ", self.handlers.join("; ")));
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
