//! What is handed to functions of libraries that nobody knows: they may change it.

use std::collections::BTreeSet;

use super::{Arguments, Machine, Object};

/// Texts that are remembered, and the length of one: more is no name of a file.
const HANDED: usize = 100;
const LONGEST: usize = 4096;
/// How deep lists and maps are looked into.
const DEPTH: usize = 3;

/// Calls of functions that are not known.
#[derive(Debug, Default)]
pub(super) struct Foreign {
    /// There was one.
    called: bool,
    /// Texts that they were given.
    handed: BTreeSet<String>,
}

impl Foreign {
    /// The texts that were handed over, where anything was called that is not known.
    pub(super) fn into_handed(self) -> Option<Vec<String>> {
        self.called.then(|| self.handed.into_iter().collect())
    }

    /// A value that may be a name of a file, or code that holds one.
    fn take(&mut self, object: &Object, depth: usize) {
        if self.handed.len() >= HANDED || depth > DEPTH {
            return;
        }
        match object {
            Object::List(list) => list.iter().for_each(|one| self.take(one, depth + 1)),
            Object::Map(entries) => entries.iter().for_each(|(_, one)| self.take(one, depth + 1)),
            other => {
                let value = other.value().0;
                let text = value.as_known().filter(|text| !text.is_empty() && text.len() <= LONGEST);
                for text in text.into_iter().filter(|text| !text.contains('\0')) {
                    let room = HANDED.saturating_sub(self.handed.len());
                    let names = std::iter::once(text).chain(text.split(is_no_name)).filter(|name| {
                        !name.contains('\n') && (*name == text || name.contains(['/', '.']) && name.len() > 1)
                    });
                    self.handed.extend(names.map(beside_patterns).take(room).map(str::to_owned));
                }
            }
        }
    }
}

/// Between the names that code or a list in a text holds.
fn is_no_name(c: char) -> bool {
    c.is_whitespace() || "'\"`()<>{},;=|&".contains(c)
}

/// The directory in which a pattern looks for names; a name as it is.
fn beside_patterns(name: &str) -> &str {
    let Some(first) = name.find(['*', '?', '[']) else { return name };
    name.get(..first).and_then(|before| before.rsplit_once('/')).map_or(".", |(dir, _)| dir)
}

impl Machine<'_> {
    /// A function that nobody knows is called with these.
    pub(super) fn hand_over(&mut self, arguments: &Arguments) {
        self.foreign.called = true;
        self.hand_on(arguments);
    }

    /// Something that is not known is given these: where libraries are at work that nobody knows, it may be theirs.
    pub(super) fn hand_on(&mut self, arguments: &Arguments) {
        if self.foreign.called {
            for object in arguments.list.iter().chain(arguments.named.iter().map(|(_, value)| value)) {
                self.foreign.take(object, 0);
            }
        }
    }
}
