//! Open inputs: several names may lead to one, in one shell or in many, and what is read by one name is gone for all.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::knowledge::{lists, places};
use crate::model::{Lines, Value};

use super::interp::Shell;
use super::names::{STDIN, named_input};
use super::redirect::Opened;
use super::simple::Call;
use super::state::State;
use super::step::Stdin;

/// What stood there before a command's own redirections.
pub(super) struct Lent {
    stdin: Stdin,
    descriptors: BTreeMap<String, Stdin>,
    of: BTreeMap<String, (u32, Stdin)>,
}

impl State {
    fn held(&self, name: &str) -> Option<&Stdin> {
        if name == STDIN { Some(&self.stdin) } else { self.descriptors.get(name) }
    }

    fn hold(&mut self, name: &str, input: Stdin) {
        if name == STDIN {
            self.stdin = input;
        } else {
            self.descriptors.insert(name.to_owned(), input);
        }
    }

    /// Standard input is another one from now on.
    pub(crate) fn feed(&mut self, input: Stdin) -> Stdin {
        Arc::make_mut(&mut self.inputs).of.remove(STDIN);
        std::mem::replace(&mut self.stdin, input)
    }

    /// Which open input a name leads to.
    pub(super) fn source(&mut self, name: &str) -> Option<u32> {
        let held = self.held(name).filter(|held| matches!(held, Stdin::Text(_) | Stdin::File(_)))?.clone();
        if let Some((id, noted)) = self.inputs.of.get(name)
            && *noted == held
        {
            return Some(*id);
        }
        let inputs = Arc::make_mut(&mut self.inputs);
        inputs.next += 1;
        inputs.of.insert(name.to_owned(), (inputs.next, held));
        Some(inputs.next)
    }

    /// Notes which inputs are open, before another shell starts that shares them.
    pub(super) fn share(&mut self) {
        let names: Vec<String> = self.descriptors.keys().cloned().chain([STDIN.to_owned()]).collect();
        for name in names {
            self.source(&name);
        }
    }

    /// Something of an input was read by this name.
    pub(super) fn take(&mut self, name: &str, left: Stdin) {
        match self.source(name) {
            Some(id) => {
                Arc::make_mut(&mut self.inputs).left.insert(id, left);
                self.catch_up();
            }
            None => self.hold(name, left),
        }
    }

    /// Whether something of what a name leads to was read since it was opened.
    pub(super) fn is_begun(&self, name: &str) -> bool {
        let known = self.inputs.of.get(name).filter(|(_, noted)| self.held(name) == Some(noted));
        known.is_some_and(|(id, _)| self.inputs.left.contains_key(id))
    }

    /// Each name holds what is left of its input.
    fn catch_up(&mut self) {
        let mut inputs = Arc::clone(&self.inputs);
        for (name, (id, noted)) in &mut Arc::make_mut(&mut inputs).of {
            if let Some(left) = self.inputs.left.get(id).cloned()
                && self.held(name) == Some(noted)
                && left != *noted
            {
                noted.clone_from(&left);
                self.hold(name, left);
            }
        }
        self.inputs = inputs;
    }

    /// Another shell that shared these inputs has read from them.
    pub(super) fn after_reader(&mut self, other: &Self) {
        if Arc::ptr_eq(&self.inputs, &other.inputs) {
            return;
        }
        let inputs = Arc::make_mut(&mut self.inputs);
        inputs.left.clone_from(&other.inputs.left);
        inputs.next = inputs.next.max(other.inputs.next);
        self.catch_up();
    }

    /// Another shell shares these inputs at the same time: what it reads is gone sooner or later.
    pub(super) fn beside_reader(&mut self, other: &Self) {
        let inputs = Arc::make_mut(&mut self.inputs);
        for (id, left) in &other.inputs.left {
            if inputs.left.get(id) != Some(left) {
                inputs.left.insert(*id, Stdin::Unknown);
            }
        }
        inputs.next = inputs.next.max(other.inputs.next);
        self.catch_up();
    }

    /// What a command finds by its own redirections.
    pub(super) fn lend_inputs(&mut self, opened: &Opened) -> Option<Lent> {
        if opened.stdin.is_none() && opened.descriptors.is_empty() {
            return None;
        }
        self.share();
        let lent = Lent {
            stdin: self.stdin.clone(),
            descriptors: self.descriptors.clone(),
            of: self.inputs.of.clone(),
        };
        self.open_inputs(opened);
        Some(lent)
    }

    /// Puts what was opened under its names.
    pub(super) fn open_inputs(&mut self, opened: &Opened) {
        let stdin = opened.stdin.iter().map(|input| (STDIN.to_owned(), input.clone()));
        let all: Vec<_> = stdin.chain(opened.descriptors.iter().cloned()).collect();
        for (name, input) in all {
            self.hold(&name, input.clone());
            let source = opened.sources.iter().rev().find(|(known, _)| *known == name);
            let of = &mut Arc::make_mut(&mut self.inputs).of;
            match source {
                Some((_, Some(id))) => of.insert(name, (*id, input)),
                _ => of.remove(&name),
            };
        }
    }

    /// A command with redirections of its own is over.
    pub(super) fn return_inputs(&mut self, lent: Option<Lent>) {
        let Some(lent) = lent else { return };
        self.stdin = lent.stdin;
        self.descriptors = lent.descriptors;
        Arc::make_mut(&mut self.inputs).of = lent.of;
        self.catch_up();
    }
}

impl Shell<'_> {
    /// What a program that ran leaves of the inputs that it shared: those that it is given by name, and what it may read of
    /// its own accord.
    pub(super) fn read_by(&mut self, state: &mut State, name: &str, call: &Call) {
        let base = name.rsplit('/').next().unwrap_or(name);
        for word in call.values() {
            let named = word.as_known().and_then(named_input);
            if let Some(name) = named.filter(|name| state.held(name).is_some()) {
                state.take(&name, Stdin::Unknown);
            }
        }
        if !matches!(state.stdin, Stdin::Text(_) | Stdin::File(_)) {
            return;
        }
        let base = self.knowledge.plain_name(base).unwrap_or(base);
        if super::follow::is_shell(base) || reads_nothing(base, call) {
            return;
        }
        // A program that nobody knows leaves the lines from one on; what others leave may be a part of one, or nothing.
        let left = match self.stdin_text(state, &state.stdin.clone()) {
            Some(Value::Known(text)) if !lists(&places().counted, base) && filter_of(base).is_none() => {
                let each = text.lines().map(str::to_owned).collect();
                Stdin::Text(Value::Lines(Lines { each, end: '\n', some: true }))
            }
            _ => Stdin::Unknown,
        };
        state.take(STDIN, left);
    }
}

/// Whether a program leaves its standard input alone: it never reads any, or is given files to read.
fn reads_nothing(base: &str, call: &Call) -> bool {
    let values = call.values();
    let Some(texts) = values.iter().map(Value::as_known).collect::<Option<Vec<_>>>() else {
        return lists(&places().unread, base);
    };
    if lists(&places().unread, base) {
        let told = |text: &&str| {
            *text == "-" || text.ends_with("@-") || text.contains("stdin") || text.contains("-batch")
        };
        return !texts.iter().any(told);
    }
    filter_of(base).is_some_and(|filter| names_files(filter, &texts))
}

/// How a program is declared that reads files, or its input.
fn filter_of(base: &str) -> Option<&'static str> {
    let mut filters = places().filters.iter().map(String::as_str);
    filters.find(|filter| filter.split(' ').next() == Some(base))
}

/// Whether the words of a filter name files. The filter is declared with how many words stand before them, and with the
/// letters of options that take a value.
fn names_files(filter: &str, texts: &[&str]) -> bool {
    let mut declared = filter.split(' ').skip(1);
    let mut before = declared.next().and_then(|number| number.parse().ok()).unwrap_or(0_usize);
    let letters = declared.next().unwrap_or_default();
    let mut files = 0;
    let mut words = texts.iter();
    while let Some(text) = words.next() {
        match text.strip_prefix('-') {
            Some("") => return false,
            Some(long) if long.starts_with('-') => {
                if !long.contains('=') && long != "-" {
                    return false;
                }
            }
            Some(short) => {
                let Some(at) = short.find(|c| letters.contains(c)) else { continue };
                // What is given by an option does not stand before the files.
                if short[at..].starts_with(['e', 'f']) {
                    before = 0;
                }
                if at + 1 == short.len() {
                    words.next();
                }
            }
            None => files += 1,
        }
    }
    files > before
}
