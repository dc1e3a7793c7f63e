//! Variables: reading, assigning, scoping.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::knowledge::{guard, leads_to_shims, variables};
use crate::model::{Signs, Value};
use crate::syntax::{AssignedValue, Assignment, Part};
use crate::world::SOMEBODYS_HOME;

use super::expand::{Expanded, Expansion, Number};
use super::interp::Shell;
use super::special::{ONLY_BASH, goes_its_own_way, kept_by_the_shell};
use super::state::{Content, State, Status, Variable};

/// Stands for the shell's own process id: a number beyond the largest that a system gives out.
pub(crate) const OWN_PROCESS: &str = "4194305";

impl Shell<'_> {
    /// The value of a variable or special parameter; `None` when unset.
    pub(crate) fn scalar(&self, state: &State, name: &str) -> Option<Value> {
        let mut chars = name.chars();
        match (chars.next(), chars.next()) {
            (Some('#'), None) => {
                return Some(if state.positional.open {
                    Value::Unknown
                } else {
                    Value::Known(state.positional.values.len().to_string())
                });
            }
            (Some('?'), None) => {
                return Some(match state.status {
                    Status::True => Value::known("0"),
                    _ => Value::signs(Signs::Number, false),
                });
            }
            (Some('$'), None) => return Some(Value::known(OWN_PROCESS)),
            (Some('!'), None) => return Some(Value::signs(Signs::Number, false)),
            (Some('-'), None) => return Some(Value::Unknown),
            (Some('_'), None) => return Some(state.last_word.clone()),
            (Some('0'), None) => return Some(state.zero.clone()),
            (Some('1'..='9'), _) => {
                let index = name.parse::<usize>().ok()?;
                return match state.positional.values.get(index - 1) {
                    Some(value) if !state.positional.open => Some(value.clone()),
                    None if !state.positional.open => None,
                    _ => Some(Value::Unknown),
                };
            }
            _ => {}
        }
        if self.is_reference(state, name) {
            return self.referred(state, name);
        }
        match self.content(state, name) {
            Some(Content::Scalar(value)) => return Some(value.clone()),
            Some(Content::Indexed(map)) => return map.get(&0).cloned(),
            Some(Content::Assoc(list)) => {
                return list.iter().find(|(key, _)| key == "0").map(|(_, value)| value.clone());
            }
            Some(Content::UnknownArray) => return Some(Value::Unknown),
            Some(Content::Unset) if name != "IFS" => return None,
            _ => {}
        }
        if state.switches.common && (kept_by_the_shell(name) || ONLY_BASH.contains(&name)) {
            return Some(Value::Unknown);
        }
        match name {
            "PWD" => Some(self.cwd_text(state)),
            "OLDPWD" => (!state.previous.is_empty()).then(|| {
                Value::one_of(state.previous.iter().map(|p| p.to_string_lossy().into_owned()).collect())
            }),
            "HOME" => self.world.home(None).map(|path| Value::Known(path.to_string_lossy().into_owned())),
            "UID" | "EUID" if self.world.is_elsewhere() => Some(Value::Unknown),
            "UID" | "EUID" => Some(Value::Known(self.world.uid().to_string())),
            "BASH" => Some(Value::known("/bin/bash")),
            "BASHPID" => Some(Value::known(OWN_PROCESS)),
            "OSTYPE" => Some(Value::known("linux-gnu")),
            "IFS" => Some(Value::known(" \t\n")),
            "BASH_SOURCE" => state.source.clone(),
            "RANDOM" | "SRANDOM" | "SECONDS" | "EPOCHSECONDS" | "LINENO" => {
                Some(Value::signs(Signs::Number, false))
            }
            _ if kept_by_the_shell(name) => Some(Value::Unknown),
            _ if state.unset_is_empty => None,
            _ => Some(Value::Unknown),
        }
    }

    /// Whether a text holds what only stands for the home directory of another machine: it is the same as no other text.
    pub(super) fn is_stand_in(&self, value: &Value) -> bool {
        self.world.is_elsewhere()
            && value.choices().is_some_and(|all| all.iter().any(|text| text.contains(SOMEBODYS_HOME)))
    }

    fn cwd_text(&self, state: &State) -> Value {
        Value::one_of(state.cwd.iter().map(|p| p.to_string_lossy().into_owned()).collect())
    }

    /// Assigns a whole variable, attributes respected.
    pub(crate) fn assign_scalar(&mut self, state: &mut State, name: &str, value: Value) {
        let Some(name) = self.target(state, name) else { return };
        if let Some((array, rest)) = name.split_once('[') {
            let key = Value::known(rest.trim_end_matches(']'));
            let array = array.to_owned();
            self.assign_element(state, &array, &key, value);
            return;
        }
        let mut value = super::expand::capped(self.shaped(state, &name, value));
        if !state.variables.contains_key(&name) && goes_its_own_way(&name, &value) {
            value = Value::Unknown;
        }
        self.watch(&name, Some(&value));
        let exports = state.switches.allexport;
        let variables = Arc::make_mut(&mut state.variables);
        match variables.get_mut(&name) {
            Some(variable) if variable.readonly => {}
            Some(variable) => match &mut variable.content {
                _ if variable.loose => variable.content.blur(),
                Content::Indexed(map) => {
                    map.insert(0, value);
                }
                Content::Assoc(list) => match list.iter_mut().find(|(known, _)| known == "0") {
                    Some((_, slot)) => *slot = value,
                    None => list.push(("0".to_owned(), value)),
                },
                // The other elements are what they were.
                Content::UnknownArray => {}
                content => *content = Content::Scalar(value),
            },
            None => {
                variables.insert(name.clone(), Variable::new(Content::Scalar(value)));
            }
        }
        if exports && let Some(variable) = variables.get_mut(&name) {
            variable.exported = true;
        }
    }

    /// Remembers it when a variable of the guard becomes another: those that say how is judged, and the search path when it
    /// no longer leads to the shims.
    pub(super) fn watch(&mut self, name: &str, value: Option<&Value>) {
        let told = |name: &str| self.world.env(name);
        let touched = if name == "PATH" {
            told(name).is_some_and(|path| leads_to_shims(&path))
                && value.is_none_or(|value| value.as_known().is_some_and(|path| !leads_to_shims(path)))
        } else {
            guard().watches(name)
                && (value.is_none() || value.and_then(Value::as_known) != told(name).as_deref())
        };
        if touched {
            self.guarded.insert(name.to_owned());
        }
    }

    fn shaped(&mut self, state: &mut State, name: &str, value: Value) -> Value {
        let Some(variable) = state.variables.get(name) else { return value };
        let (integer, case) = (variable.integer, variable.case);
        let value = if integer {
            match value.as_known() {
                Some(text) => match self.evaluate_arithmetic(state, text) {
                    Number::Known(n) => Value::Known(n.to_string()),
                    Number::Unknown => Value::Unknown,
                },
                None => Value::Unknown,
            }
        } else {
            value
        };
        match case {
            None => value,
            Some('u') => of_ascii(&value, str::to_ascii_uppercase),
            Some('l') => of_ascii(&value, str::to_ascii_lowercase),
            Some(_) => Value::Unknown,
        }
    }

    /// Replaces what a variable holds.
    pub(super) fn assign_content(&mut self, state: &mut State, name: &str, content: Content) {
        let Some(name) = self.target(state, name) else { return };
        let variables = Arc::make_mut(&mut state.variables);
        match variables.get_mut(&name) {
            Some(variable) if variable.readonly => {}
            Some(variable) => {
                variable.content = content;
                // What becomes of each element on its way in is not followed here.
                let shaped = variable.integer || variable.case.is_some();
                if variable.loose || shaped && variable.content != Content::Unset {
                    variable.content.blur();
                }
            }
            None => {
                variables.insert(name, Variable::new(content));
            }
        }
    }

    /// `a[key]=value`.
    pub(super) fn assign_element(&mut self, state: &mut State, name: &str, key: &Value, value: Value) {
        let Some(name) = self.target(state, name) else { return };
        let value = super::expand::capped(self.shaped(state, &name, value));
        let variable = Arc::make_mut(&mut state.variables)
            .entry(name.clone())
            .or_insert_with(|| Variable::new(Content::Unset));
        if variable.readonly {
            return;
        }
        // The shell's own table of programs is one by names.
        if name == "BASH_CMDS" && variable.content == Content::Unset {
            variable.content = Content::Assoc(Vec::new());
        }
        let Some(key) = key.as_known().filter(|_| !variable.loose) else {
            variable.content = Content::UnknownArray;
            return;
        };
        match &mut variable.content {
            Content::Assoc(list) => match list.iter_mut().find(|(known, _)| known == key) {
                Some((_, slot)) => *slot = value,
                None => list.push((key.to_owned(), value)),
            },
            Content::UnknownArray => {}
            content => {
                let Ok(at) = key.parse::<i64>() else {
                    *content = Content::UnknownArray;
                    return;
                };
                let mut map = match std::mem::replace(content, Content::Unset) {
                    Content::Indexed(map) => map,
                    Content::Scalar(old) => BTreeMap::from([(0, old)]),
                    _ => BTreeMap::new(),
                };
                let at = if at < 0 { at + map.keys().next_back().map_or(0, |last| last + 1) } else { at };
                map.insert(at, value);
                *content = Content::Indexed(map);
            }
        }
    }

    /// Carries out an assignment; its value.
    pub(super) fn assign(&mut self, state: &mut State, assignment: &Assignment) -> Expanded<Value> {
        let name = assignment.name.as_str();
        match &assignment.value {
            AssignedValue::Scalar(word) => {
                if let Some(index) = &assignment.index {
                    return self.assign_at(state, assignment, index, word);
                }
                let value = self.expand_text(state, word)?;
                let integer = state.variables.get(name).is_some_and(|v| v.integer);
                let value = if assignment.append {
                    let old =
                        self.scalar(state, name).unwrap_or(Value::known(if integer { "0" } else { "" }));
                    match (integer, old.as_known(), value.as_known()) {
                        (true, Some(old), Some(new)) => Value::Known(format!("({old})+({new})")),
                        (true, ..) => Value::Unknown,
                        // Elsewhere that is no assignment.
                        _ if state.switches.common => old.concat(&value).join(&old),
                        _ => old.concat(&value),
                    }
                } else {
                    value
                };
                self.assign_scalar(state, name, value.clone());
                let shown = match name {
                    "PS4" => true,
                    "PS0" | "PS1" | "PS2" | "PROMPT_COMMAND" => self.options.interactive,
                    "PROMPT" | "PROMPT2" | "PROMPT3" | "PROMPT4" | "RPROMPT" | "RPS1" | "RPS2" | "prompt" => {
                        self.options.interactive && state.switches.zsh
                    }
                    _ => false,
                };
                if shown {
                    self.prompt(&value);
                }
                if name == "HISTFILESIZE" {
                    self.history_is_cut(state, &value, state.scope.place(word.span));
                }
                if name == "PROMPT_COMMAND" && self.options.interactive {
                    let span = state.scope.place(word.span);
                    let mut way = state.possible();
                    self.shell_text(&mut way, &value, span);
                }
                Ok(value)
            }
            AssignedValue::Array(elements) => {
                self.assign_array(state, name, assignment.append, elements)?;
                Ok(Value::Unknown)
            }
        }
    }

    /// `a[key]=value`, `a[key]+=value`.
    fn assign_at(
        &mut self,
        state: &mut State,
        assignment: &Assignment,
        index: &crate::syntax::Word,
        word: &crate::syntax::Word,
    ) -> Expanded<Value> {
        let name = assignment.name.as_str();
        let key = self.subscript(state, name, index)?;
        let value = self.expand_text(state, word)?;
        let value = match (assignment.append, self.content(state, name), key.as_known()) {
            (false, ..) => value,
            _ if state.variables.get(name).is_some_and(|variable| variable.integer) => Value::Unknown,
            (true, Some(Content::Indexed(map)), Some(at)) => match at.parse::<i64>() {
                Ok(at) if at >= 0 => map.get(&at).map_or(value.clone(), |old| old.concat(&value)),
                _ => Value::Unknown,
            },
            (true, Some(Content::Assoc(list)), Some(key)) => {
                let old = list.iter().find(|(known, _)| known == key);
                old.map_or(value.clone(), |(_, old)| old.concat(&value))
            }
            _ => Value::Unknown,
        };
        self.assign_element(state, name, &key, value.clone());
        Ok(value)
    }

    fn assign_array(
        &mut self,
        state: &mut State,
        name: &str,
        append: bool,
        elements: &[(Option<crate::syntax::Word>, crate::syntax::Word)],
    ) -> Expanded<()> {
        let assoc = matches!(self.content(state, name), Some(Content::Assoc(_)));
        if assoc {
            if !append {
                self.assign_content(state, name, Content::Assoc(Vec::new()));
            }
            for (key, word) in elements {
                let value = self.keyed(state, word)?;
                let key = match key {
                    Some(key) => self.expand_text(state, key)?,
                    None => Value::Unknown,
                };
                self.assign_element(state, name, &key, value);
            }
            return Ok(());
        }
        let mut map = match (append, self.content(state, name)) {
            (true, Some(Content::Indexed(map))) => map.clone(),
            (true, Some(Content::Scalar(value))) => BTreeMap::from([(0, value.clone())]),
            (true, Some(Content::UnknownArray)) => {
                for (_, word) in elements {
                    self.expand_words(state, std::slice::from_ref(word))?;
                }
                return Ok(());
            }
            _ => BTreeMap::new(),
        };
        let mut next = map.keys().next_back().map_or(0, |last| last + 1);
        let mut open = false;
        for (key, word) in elements {
            match key {
                Some(key) => {
                    let value = self.keyed(state, word)?;
                    let key = self.subscript(state, name, key)?;
                    match key.as_known().and_then(|text| text.parse::<i64>().ok()) {
                        Some(at) => {
                            let value = self.shaped(state, name, value);
                            map.insert(at, value);
                            next = at.saturating_add(1);
                        }
                        None => open = true,
                    }
                }
                None => {
                    let mut words = self.expand_words(state, std::slice::from_ref(word))?;
                    any_of_the_unordered(&mut words);
                    let doubted = has_later_tilde(word);
                    for expansion in words {
                        open |= expansion.elastic;
                        let value = if doubted { Value::Unknown } else { expansion.arg.value };
                        let value = self.shaped(state, name, value);
                        map.insert(next, value);
                        next = next.saturating_add(1);
                    }
                }
            }
        }
        let content = if open { Content::UnknownArray } else { Content::Indexed(map) };
        self.assign_content(state, name, content);
        Ok(())
    }

    /// The value behind a key in a list: shells differ about a tilde there.
    fn keyed(&mut self, state: &mut State, word: &crate::syntax::Word) -> Expanded<Value> {
        let value = self.expand_text(state, word)?;
        let tilde = matches!(word.parts.first(), Some(Part::Literal(text)) if text.contains('~'));
        Ok(if tilde { Value::Unknown } else { value })
    }

    /// `local name`: the old value comes back when the function ends.
    pub(super) fn shadow(&mut self, state: &mut State, name: &str) {
        let old = state.variables.get(name).cloned();
        if let Some(frame) = state.shadowed.last_mut()
            && !frame.contains_key(name)
        {
            let mut local = Variable::new(Content::Unset);
            local.loose = old.as_ref().is_some_and(|old| old.loose);
            frame.insert(name.to_owned(), old);
            Arc::make_mut(&mut state.variables).insert(name.to_owned(), local);
        }
    }

    /// The end of a function: what `local` shadowed comes back.
    pub(super) fn unshadow(&mut self, state: &mut State) {
        let Some(frame) = state.shadowed.pop() else { return };
        let variables = Arc::make_mut(&mut state.variables);
        for (name, old) in frame {
            match old {
                Some(variable) => variables.insert(name, variable),
                None => variables.remove(&name),
            };
        }
    }

    /// Exported variables whose value this command gave, for programs that look at them; where what is judged is bound, also
    /// those that were there before and act on some program.
    pub(crate) fn exported(&self, state: &State) -> Vec<(String, Value)> {
        let unchanged = Arc::ptr_eq(&state.variables, &self.given);
        state
            .variables
            .iter()
            .filter(|(name, variable)| {
                let given = unchanged || self.given.get(*name) == Some(*variable);
                // A value that is no text is not told by the environment either: it stays unknown.
                let told = matches!(&variable.content, Content::Scalar(value) if value.as_known().is_some());
                variable.exported && (!(given && told) || self.counts(name))
            })
            .filter_map(|(name, variable)| match &variable.content {
                Content::Scalar(value) => {
                    let same =
                        value.as_known().is_some_and(|text| self.world.env(name).as_deref() == Some(text));
                    (!same || self.counts(name)).then(|| (name.clone(), value.clone()))
                }
                _ => None,
            })
            .collect()
    }

    /// The value of a variable that programs are given, whoever set it.
    pub(in crate::shell) fn exported_value(&self, state: &State, name: &str) -> Option<Value> {
        match state.variables.get(name) {
            Some(variable) => match &variable.content {
                Content::Scalar(value) if variable.exported => Some(value.clone()),
                _ => None,
            },
            // Which of those that were there before are still there, the state knows.
            None => {
                let text = self.world.env(name)?;
                let same = self.scalar(state, name).is_some_and(|value| value.as_known() == Some(&text));
                same.then_some(Value::Known(text))
            }
        }
    }

    /// What this command gives a program: the variables that are exported, and those that stand in front of it.
    pub(crate) fn given_to(&self, state: &State, own: &[(String, Value)]) -> Vec<(String, Value)> {
        let mut all = self.exported(state);
        all.retain(|(name, _)| own.iter().all(|(known, _)| known != name));
        all.extend(own.iter().cloned());
        all
    }

    /// Whether a variable that was there before counts as if the command set it.
    pub(in crate::shell) fn counts(&self, name: &str) -> bool {
        self.options.bound && variables().acts(name)
    }
}

/// Whether a tilde stands where only an assignment reads it: an element of a list is none, much as it looks like one.
fn has_later_tilde(word: &crate::syntax::Word) -> bool {
    matches!(word.parts.first(), Some(Part::Literal(text)) if text.contains("=~") || text.contains(":~"))
}

/// A change of text that is the same in every locale; of other texts nothing is known.
pub(super) fn of_ascii(value: &Value, change: impl Fn(&str) -> String) -> Value {
    match value.choices() {
        Some(texts) if texts.iter().all(|text| text.is_ascii()) => value.map(change),
        _ => Value::Unknown,
    }
}

/// Where it matters which word comes first, any of those whose order is not known may.
pub(super) fn any_of_the_unordered(words: &mut [Expansion]) {
    let values = words.iter().filter(|word| word.unordered).map(|word| &word.arg.value);
    let Some(any) = values.cloned().reduce(|a, b| a.join(&b)) else { return };
    for word in words.iter_mut().filter(|word| word.unordered) {
        word.arg.value = any.clone();
    }
}
