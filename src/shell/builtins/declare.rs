//! `declare`, `typeset`, `local`, `export`, `readonly`.

use std::sync::Arc;

use crate::model::{Span, Value};
use crate::shell::interp::Shell;
use crate::shell::simple::Call;
use crate::shell::state::{Content, Flow, State, Status, Variable};
use crate::syntax::{AssignedValue, DeclarationArgument};

/// What the options say.
#[derive(Clone, Debug, Default)]
pub(super) struct Attributes {
    pub(super) on: Vec<char>,
    off: Vec<char>,
    print: bool,
}

impl Attributes {
    pub(super) fn has(&self, c: char) -> bool {
        self.on.contains(&c)
    }

    /// Whether the names stand for others from now on: to `export` and `readonly` that letter means something else.
    fn refers(&self, keyword: &str) -> bool {
        self.has('n') && !matches!(keyword, "export" | "readonly")
    }

    /// Whether they ask for what the names hold, or for functions; `export` and `readonly` set what they are given all the same.
    fn asks(&self, keyword: &str) -> bool {
        self.print && !matches!(keyword, "export" | "readonly") || self.has('f') || self.has('F')
    }

    /// Takes an option word; false when it is none.
    fn option(&mut self, text: &str) -> bool {
        let Some(letters) = text.strip_prefix('-').or_else(|| text.strip_prefix('+')) else { return false };
        if letters.is_empty() {
            return false;
        }
        let on = text.starts_with('-');
        for c in letters.chars() {
            if c == 'p' {
                self.print = true;
            } else if on {
                self.on.push(c);
            } else {
                self.off.push(c);
            }
        }
        true
    }
}

impl Shell<'_> {
    /// A declaration as the tree has it.
    pub(in crate::shell) fn declaration(
        &mut self,
        state: &mut State,
        keyword: &str,
        arguments: &[DeclarationArgument],
    ) -> Flow {
        self.learn(state, keyword, Span::new(0, 0));
        if state.functions.contains_key(keyword) {
            // Someone's own function of that name: too odd to follow.
            self.hidden.push(keyword.to_owned());
            state.status = Status::Unknown;
        }
        self.substituted = None;
        state.last_word = Value::Unknown;
        if Self::is_out_of_place(state, keyword) {
            return self.complain(state, arguments);
        }
        let mut attributes = Attributes::default();
        let mut refused = false;
        let Ok(mut before) = self.right_sides(state, arguments) else {
            state.status = Status::False;
            return Flow::Exit;
        };
        for argument in arguments {
            match argument {
                DeclarationArgument::Word(word) => {
                    let Ok(words) = self.expand_words(state, std::slice::from_ref(word)) else {
                        state.status = Status::False;
                        return Flow::Exit;
                    };
                    for word in words {
                        let text = word.arg.value.as_known().unwrap_or_default();
                        refused |= !text.starts_with(['-', '+']) && self.may_refuse(state, text);
                        self.declare_word(state, keyword, &mut attributes, &word.arg.value);
                    }
                }
                DeclarationArgument::Assignment(assignment) => {
                    refused |= self.may_refuse(state, &assignment.name);
                    let given = before.pop_front().flatten();
                    if self.declared(state, keyword, &attributes, assignment, given).is_err() {
                        state.status = Status::False;
                        return Flow::Exit;
                    }
                }
            }
        }
        let asks = attributes.asks(keyword);
        state.status = Status::from_option((!refused && !asks).then_some(true));
        let lists = asks || arguments.is_empty();
        if state.scope.capture && lists {
            state.print(&Value::Unknown);
        }
        Flow::Next
    }

    /// One `name=value` of a declaration; `given` is the value where it was expanded before.
    fn declared(
        &mut self,
        state: &mut State,
        keyword: &str,
        attributes: &Attributes,
        assignment: &crate::syntax::Assignment,
        given: Option<Value>,
    ) -> crate::shell::expand::Expanded<()> {
        let name = &assignment.name;
        if attributes.asks(keyword) {
            // It is only asked for.
            if let (None, AssignedValue::Scalar(word)) = (given, &assignment.value) {
                self.expand_text(state, word)?;
            }
            return Ok(());
        }
        if self.behind_local(state, attributes, assignment, given.clone())? {
            return Ok(());
        }
        self.prepare(state, keyword, attributes, name);
        let readonly = state.variables.get(name).is_some_and(|v| v.readonly);
        if let Some(value) = given.filter(|_| !attributes.refers(keyword)) {
            self.shadow_if_local(state, keyword, attributes, name);
            self.early(state, attributes, name);
            self.assign_scalar(state, name, value);
        } else {
            // In `local x=$x` the right side still sees the old value.
            self.assign_declared(state, keyword, attributes, assignment)?;
        }
        if matches!(assignment.value, AssignedValue::Scalar(_)) {
            self.listed(state, attributes, name);
        }
        if !readonly {
            self.mark(state, keyword, attributes, name);
        }
        Ok(())
    }

    /// `local` outside of a function only complains.
    fn is_out_of_place(state: &State, keyword: &str) -> bool {
        keyword == "local" && state.shadowed.is_empty() && !state.switches.zsh && !state.switches.fish
    }

    /// The words of a declaration that declares nothing are expanded all the same.
    fn complain(&mut self, state: &mut State, arguments: &[DeclarationArgument]) -> Flow {
        for argument in arguments {
            let done = match argument {
                DeclarationArgument::Word(word) => {
                    self.expand_words(state, std::slice::from_ref(word)).map(drop)
                }
                DeclarationArgument::Assignment(assignment) => match &assignment.value {
                    AssignedValue::Scalar(word) => self.expand_text(state, word).map(drop),
                    AssignedValue::Array(_) => Ok(()),
                },
            };
            if done.is_err() {
                state.status = Status::False;
                return Flow::Exit;
            }
        }
        state.status = Status::False;
        Flow::Next
    }

    /// All arguments are expanded before the first is assigned: `declare a=1 b=$a` gives `b` the old `a`. One value per
    /// assignment; `None` where it is alone or not a plain one.
    fn right_sides(
        &mut self,
        state: &mut State,
        arguments: &[DeclarationArgument],
    ) -> crate::shell::expand::Expanded<std::collections::VecDeque<Option<Value>>> {
        let assignments = arguments.iter().filter_map(|argument| match argument {
            DeclarationArgument::Assignment(assignment) => Some(assignment),
            DeclarationArgument::Word(_) => None,
        });
        let assignments = assignments.collect::<Vec<_>>();
        if assignments.len() < 2 {
            return Ok(Default::default());
        }
        let mut values = std::collections::VecDeque::new();
        for assignment in assignments {
            values.push_back(match &assignment.value {
                AssignedValue::Scalar(word) if assignment.index.is_none() && !assignment.append => {
                    Some(self.expand_text(state, word)?)
                }
                _ => None,
            });
        }
        Ok(values)
    }

    fn assign_declared(
        &mut self,
        state: &mut State,
        keyword: &str,
        attributes: &Attributes,
        assignment: &crate::syntax::Assignment,
    ) -> crate::shell::expand::Expanded<()> {
        if attributes.refers(keyword) {
            if let AssignedValue::Scalar(word) = &assignment.value {
                let value = self.expand_text(state, word)?;
                let mut variable = Variable::new(Content::Scalar(value));
                variable.nameref = true;
                self.shadow_if_local(state, keyword, attributes, &assignment.name);
                Arc::make_mut(&mut state.variables).insert(assignment.name.clone(), variable);
            }
            return Ok(());
        }
        if self.is_local(state, keyword, attributes) {
            let old = state.shadowed.last().is_some_and(|frame| frame.contains_key(&assignment.name));
            if !old
                && assignment.index.is_none()
                && !assignment.append
                && let AssignedValue::Scalar(word) = &assignment.value
            {
                let value = self.expand_text(state, word)?;
                self.shadow(state, &assignment.name);
                self.early(state, attributes, &assignment.name);
                self.assign_scalar(state, &assignment.name, value);
                return Ok(());
            }
            self.shadow(state, &assignment.name);
            self.early(state, attributes, &assignment.name);
        }
        self.assign(state, assignment).map(|_| ())
    }

    fn is_local(&self, state: &State, keyword: &str, attributes: &Attributes) -> bool {
        !state.shadowed.is_empty()
            && (keyword == "local" || (matches!(keyword, "declare" | "typeset") && !attributes.has('g')))
    }

    fn shadow_if_local(&mut self, state: &mut State, keyword: &str, attributes: &Attributes, name: &str) {
        if self.is_local(state, keyword, attributes) {
            self.shadow(state, name);
        }
    }

    /// The same from words alone (`command declare x=1`, `"export" x=1`).
    pub(super) fn declare_words(&mut self, state: &mut State, keyword: &str, call: &Call) -> Flow {
        if Self::is_out_of_place(state, keyword) {
            state.status = Status::False;
            return Flow::Next;
        }
        let mut attributes = Attributes::default();
        let mut refused = false;
        for value in call.values() {
            refused |= !value.prefix().starts_with(['-', '+'])
                && value.as_known().is_none_or(|text| self.may_refuse(state, text));
            self.declare_word(state, keyword, &mut attributes, &value);
        }
        let asks = attributes.asks(keyword);
        state.status = Status::from_option((!refused && !asks).then_some(true));
        Flow::Next
    }

    fn declare_word(&mut self, state: &mut State, keyword: &str, attributes: &mut Attributes, value: &Value) {
        let Some(text) = value.as_known() else {
            // `export "$name=…"`: the name may be known all the same.
            if let Some((name, _)) = value.prefix().split_once('=') {
                let name = name.trim_end_matches('+').to_owned();
                self.prepare(state, keyword, attributes, &name);
                self.assign_scalar(state, &name, Value::Unknown);
                self.mark(state, keyword, attributes, &name);
            }
            return;
        };
        if attributes.option(text) {
            return;
        }
        let name = text.split_once('=').map_or(text, |(name, _)| name);
        if name.contains('[') {
            self.substitutes(name);
        }
        match text.split_once('=') {
            Some((name, text)) => {
                let appends = name.ends_with('+');
                let name = name.trim_end_matches('+').to_owned();
                if attributes.asks(keyword)
                    || attributes.has('g') && Self::set_behind(state, &name, Value::Unknown)
                {
                    return;
                }
                let array = attributes.has('a') || attributes.has('A') || {
                    let content = self.content(state, &name);
                    !matches!(content, None | Some(Content::Scalar(_) | Content::Unset))
                };
                if text.starts_with('(') && array && !attributes.refers(keyword) {
                    // The text is read as a list of words of its own.
                    if self.is_local(state, keyword, attributes) {
                        self.shadow(state, &name);
                    }
                    self.prepare(state, keyword, attributes, &name);
                    self.assign_content(state, &name, Content::UnknownArray);
                    self.mark(state, keyword, attributes, &name);
                    return;
                }
                // What stands before it may be another function's.
                let value = if appends { Value::Unknown } else { Value::known(text) };
                if self.is_local(state, keyword, attributes) {
                    self.shadow(state, &name);
                }
                self.prepare(state, keyword, attributes, &name);
                if attributes.refers(keyword) {
                    let mut variable = Variable::new(Content::Scalar(value));
                    variable.nameref = true;
                    Arc::make_mut(&mut state.variables).insert(name.clone(), variable);
                } else {
                    self.assign_scalar(state, &name, value);
                }
                self.mark(state, keyword, attributes, &name);
            }
            None => {
                let name = text.to_owned();
                if attributes.has('f') {
                    if (keyword == "export" || attributes.has('x'))
                        && let Some(definitions) = state.functions.get_mut(&name)
                    {
                        definitions.exported = true;
                    }
                    return;
                }
                if attributes.print || attributes.has('g') && Self::set_behind(state, &name, Value::Unknown) {
                    return;
                }
                if self.is_local(state, keyword, attributes) {
                    self.shadow(state, &name);
                }
                self.prepare(state, keyword, attributes, &name);
                self.refer(state, keyword, attributes, &name);
                self.mark(state, keyword, attributes, &name);
            }
        }
    }

    /// `declare -n name`, `declare +n name`: a name that stands for another from now on, or no more.
    fn refer(&self, state: &mut State, keyword: &str, attributes: &Attributes, name: &str) {
        if attributes.refers(keyword) || attributes.off.contains(&'n') {
            let variable = Arc::make_mut(&mut state.variables)
                .entry(name.to_owned())
                .or_insert_with(|| Variable::new(Content::Unset));
            variable.nameref = attributes.refers(keyword);
        }
    }

    /// Attributes that change how the value is read.
    fn prepare(&mut self, state: &mut State, keyword: &str, attributes: &Attributes, name: &str) {
        if !self.is_local(state, keyword, attributes) {
            self.early(state, attributes, name);
        }
    }

    fn early(&mut self, state: &mut State, attributes: &Attributes, name: &str) {
        let letter = |c: &char| matches!(c, 'A' | 'a' | 'i' | 'u' | 'l' | 'c' | 'I');
        if !attributes.on.iter().chain(&attributes.off).any(letter) {
            return;
        }
        let variable = Arc::make_mut(&mut state.variables)
            .entry(name.to_owned())
            .or_insert_with(|| Variable::new(Content::Unset));
        if attributes.has('A') && !matches!(variable.content, Content::Assoc(_)) {
            variable.content = Content::Assoc(Vec::new());
        }
        if attributes.has('a') && matches!(variable.content, Content::Unset) {
            variable.content = Content::Indexed(Default::default());
        }
        // It inherits what another of this name held.
        if attributes.has('I') {
            variable.content.blur();
        }
        variable.integer |= attributes.has('i');
        variable.integer &= !attributes.off.contains(&'i');
        for letter in ['u', 'l', 'c'] {
            if attributes.has(letter) {
                variable.case = Some(letter);
            } else if attributes.off.contains(&letter) && variable.case == Some(letter) {
                variable.case = None;
            }
        }
    }

    /// Attributes that hold from now on.
    fn mark(&mut self, state: &mut State, keyword: &str, attributes: &Attributes, name: &str) {
        let exports = (keyword == "export" && !attributes.has('n')) || attributes.has('x');
        let readonly = keyword == "readonly" || attributes.has('r');
        if attributes.has('T') && state.switches.zsh {
            // zsh ties the two: what the one is given the other holds in another form.
            self.assign_scalar(state, name, Value::Unknown);
        }
        let unexports = (keyword == "export" && attributes.has('n')) || attributes.off.contains(&'x');
        if !exports && !readonly && !unexports {
            return;
        }
        let unknown = !state.unset_is_empty;
        let variable = Arc::make_mut(&mut state.variables).entry(name.to_owned()).or_insert_with(|| {
            Variable::new(if unknown { Content::Scalar(Value::Unknown) } else { Content::Unset })
        });
        variable.exported = (variable.exported || exports) && !unexports;
        variable.readonly |= readonly;
    }
}
