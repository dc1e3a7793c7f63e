//! `fzf --bind 'key:execute(text)+…'`: the shell texts among the actions of keys and events.

use crate::knowledge::Match;
use crate::model::Value;
use crate::shell::program::{Call, Flow, Run, Shell, State, StepKind};

/// See [`Room::Fzf`](crate::knowledge::Room::Fzf).
pub(super) struct Fzf;

impl super::Program for Fzf {
    fn runs(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Flow> {
        let inner = state.scope.through(run.name);
        state.within(&inner, |state| bindings(shell, state, run.call, run.matched));
        None
    }
}

/// Actions whose argument a shell runs; those that begin with `transform` are more.
const RUNNING: [&str; 7] =
    ["execute", "execute-silent", "execute-multi", "become", "reload", "reload-sync", "preview"];

/// Follows what the bindings run, when a key is pressed or something happens.
pub(super) fn bindings(shell: &mut Shell<'_>, state: &mut State, call: &Call, matched: &Match) {
    for value in matched.values("--bind") {
        let Some(texts) = value.choices() else {
            let reason = "what a key runs is not known before it runs".to_owned();
            shell.emit_as(state, call.span, &call.raw, StepKind::Opaque { reason });
            continue;
        };
        for text in texts.iter().flat_map(|text| commands(text)) {
            state.perhaps(|state| {
                let (text, zero) = (Value::Known(text), Value::known("sh"));
                shell.fresh_shell(state, &text, call.span, zero, Default::default());
            });
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
