//! `fzf --bind 'key:execute(text)+…'`: the shell texts among the actions of keys and events.

use crate::knowledge::Match;
use crate::model::Value;
use crate::shell::interp::{Interp, Scope};
use crate::shell::simple::Call;
use crate::shell::state::State;
use crate::shell::step::StepKind;

/// Actions whose argument a shell runs; those that begin with `transform` are more.
const RUNNING: [&str; 7] =
    ["execute", "execute-silent", "execute-multi", "become", "reload", "reload-sync", "preview"];

impl Interp<'_> {
    /// Follows what the bindings run, when a key is pressed or something happens.
    pub(super) fn bindings(&mut self, state: &mut State, scope: &Scope, call: &Call, matched: &Match) {
        for value in matched.values("--bind") {
            let Some(texts) = value.choices() else {
                let reason = "what a key runs is not known before it runs".to_owned();
                self.emit_as(state, scope, call.span, &call.raw, StepKind::Opaque { reason });
                continue;
            };
            for text in texts.iter().flat_map(|text| commands(text)) {
                let maybe = std::mem::replace(&mut state.maybe, true);
                let (text, zero) = (Value::Known(text), Value::known("sh"));
                self.fresh_shell(state, scope, &text, call.span, zero, Default::default());
                state.maybe = maybe;
            }
        }
    }
}

/// The texts behind actions that run something: `execute(text)` with any pair of marks, or `execute:text` to the end.
fn commands(binding: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = binding.get(at..).filter(|rest| !rest.is_empty()) {
        let name = rest.find(|c: char| !(c.is_ascii_lowercase() || c == '-')).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(name);
        let first = at == 0 || binding[..at].ends_with([':', '+', ',']);
        let word = word.strip_prefix("change-").unwrap_or(word);
        let runs = first && (RUNNING.contains(&word) || word.starts_with("transform"));
        let Some(open) = behind.chars().next() else { break };
        at += name + open.len_utf8();
        if !runs || matches!(open, '+' | ',') {
            continue;
        }
        let text = binding.get(at..).unwrap_or_default();
        if open == ':' {
            found.push(text.to_owned());
            break;
        }
        let close = match open {
            '(' => ')',
            '[' => ']',
            '{' => '}',
            '<' => '>',
            same => same,
        };
        // The mark that ends it stands before another action or at the very end.
        let end = text.match_indices(close).find(|(end, mark)| {
            let next = text[end + mark.len()..].chars().next();
            matches!(next, None | Some('+' | ','))
        });
        let (text, length) = match end {
            Some((end, mark)) => (&text[..end], end + mark.len()),
            None => (text, text.len()),
        };
        found.push(text.to_owned());
        at += length;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::commands;

    #[test]
    fn texts_of_bindings() {
        assert_eq!(commands("start:execute(rm -rf (x))+abort"), ["rm -rf (x)"]);
        assert_eq!(commands("ctrl-a:select-all,enter:become:rm a, b"), ["rm a, b"]);
        assert_eq!(commands("f1:execute-silent~rm a~,f2:reload[rm b]"), ["rm a", "rm b"]);
        assert_eq!(commands("change:transform-prompt:echo x"), ["echo x"]);
        assert!(commands("ctrl-/:toggle-preview+preview-up,esc:abort").is_empty());
    }
}
