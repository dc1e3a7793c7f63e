//! Effects on values that are one of many names: what `glob` and its like gave is acted on one file after the other.

use crate::code::effect::CodeEffect;
use crate::code::quote::quoted;
use crate::model::Value;

use super::{Machine, Object};

impl Machine<'_> {
    /// Runs a program with these words.
    pub(super) fn run_words(&mut self, words: &[Object]) {
        let effect = |words: &[Object], keep: Option<&str>| CodeEffect::Run {
            argv: words.iter().map(|word| kept(word, keep)).collect(),
        };
        match words.iter().find_map(Object::wildcard) {
            Some(pattern) => {
                let effect = Box::new(effect(words, Some(&pattern)));
                self.emit(CodeEffect::Each { pattern: Value::Known(pattern), effect });
            }
            None => self.emit(effect(words, None)),
        }
    }

    /// Shell text; a wildcard in it stands for names that the shell finds as well.
    pub(super) fn shell_object(&mut self, text: &Object) -> Value {
        match text.wildcard() {
            Some(known) => bare_wildcards(&known).map_or_else(|| text.word(), Value::Known),
            None => text.word(),
        }
    }

    /// Moves or copies.
    pub(super) fn transfer(&mut self, moves: bool, from: &Object, to: &Object) {
        let effect = |from: Value, to: Value| {
            if moves { CodeEffect::Rename { from, to } } else { CodeEffect::Copy { from, to } }
        };
        let target = to.wildcard();
        for (path, glob) in from.paths() {
            let source = path.as_known().filter(|_| glob).map(str::to_owned);
            match (source, &target) {
                (Some(pattern), Some(target)) if target.contains(&pattern) => {
                    let (from, to) = (Value::known(pattern.as_str()), Value::known(target.as_str()));
                    self.emit(CodeEffect::Each {
                        pattern: Value::Known(pattern),
                        effect: Box::new(effect(from, to)),
                    });
                }
                // What is there under the new names is overwritten by something.
                (_, Some(target)) => {
                    let (pattern, to) = (Value::known(target.as_str()), Value::known(target.as_str()));
                    self.emit(CodeEffect::Each { pattern, effect: Box::new(effect(Value::Unknown, to)) });
                }
                (Some(pattern), None) => {
                    let from = Value::known(pattern.as_str());
                    self.emit(CodeEffect::Each {
                        pattern: Value::Known(pattern),
                        effect: Box::new(effect(from, to.word())),
                    });
                }
                (None, None) => {
                    let from = if glob { Value::Unknown } else { path };
                    self.emit(effect(from, to.word()));
                }
            }
        }
    }
}

/// A word as it stands in an effect for each name that `keep` matches.
fn kept(word: &Object, keep: Option<&str>) -> Value {
    match (word.wildcard(), keep) {
        (Some(own), Some(keep)) if own.contains(keep) => Value::Known(own),
        _ => word.word(),
    }
}

/// Shell text with its wildcards outside quotes, where nothing but plain characters stands in the quotes with them.
fn bare_wildcards(text: &str) -> Option<String> {
    let wild = |part: &str| part.contains(['*', '?', '[']);
    let mut result = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['\'', '"', '\\', '$', '`']) {
        let (before, from) = rest.split_at(at);
        result.push_str(before);
        let quote = from.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
        let (inside, after) = from.get(1..)?.split_once(quote)?;
        if wild(inside) {
            let plain = inside.replace(['*', '?', '[', ']'], "");
            if quoted(&plain) != plain && !plain.is_empty() {
                return None;
            }
            result.push_str(inside);
        } else {
            result.push(quote);
            result.push_str(inside);
            result.push(quote);
        }
        rest = after;
    }
    result.push_str(rest);
    Some(result)
}
