//! `declare`, `typeset`, `local`, `export`, `readonly`.

use std::sync::Arc;

use crate::model::{Span, Value};
use crate::shell::interp::Shell;
use crate::shell::simple::Call;
use crate::shell::state::{Content, Flow, State, Status, Variable};
use crate::syntax::{AssignedValue, DeclarationArgument};

/// What the options say.
#[derive(Clone, Debug, Default)]
struct Attributes {
    on: Vec<char>,
    off: Vec<char>,
    print: bool,
}

impl Attributes {
    fn has(&self, c: char) -> bool {
        self.on.contains(&c)
    }

    /// Whether the names stand for others from now on: to `export` and `readonly` that letter means something else.
    fn refers(&self, keyword: &str) -> bool {
        self.has('n') && !matches!(keyword, "export" | "readonly")
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
                        self.declare_word(state, keyword, &mut attributes, &word.arg.value);
                    }
                }
                DeclarationArgument::Assignment(assignment) => {
                    match self.behind_local(state, &attributes, assignment) {
                        Ok(false) => {}
                        Ok(true) => continue,
                        Err(_) => {
                            state.status = Status::False;
                            return Flow::Exit;
                        }
                    }
                    self.prepare(state, keyword, &attributes, &assignment.name);
                    let readonly = state.variables.get(&assignment.name).is_some_and(|v| v.readonly);
                    if let Some(value) = before.pop_front().flatten()
                        && !attributes.refers(keyword)
                    {
                        self.shadow_if_local(state, keyword, &assignment.name);
                        self.early(state, &attributes, &assignment.name);
                        self.assign_scalar(state, &assignment.name, value);
                        if !readonly {
                            self.mark(state, keyword, &attributes, &assignment.name);
                        }
                        continue;
                    }
                    // In `local x=$x` the right side still sees the old value.
                    if self.assign_declared(state, keyword, &attributes, assignment).is_err() {
                        state.status = Status::False;
                        return Flow::Exit;
                    }
                    if !readonly {
                        self.mark(state, keyword, &attributes, &assignment.name);
                    }
                }
            }
        }
        state.status = Status::True;
        let lists = attributes.print || attributes.has('F') || attributes.has('f') || arguments.is_empty();
        if state.scope.capture && lists {
            state.print(&Value::Unknown);
        }
        Flow::Next
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
                self.shadow_if_local(state, keyword, &assignment.name);
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

    fn shadow_if_local(&mut self, state: &mut State, keyword: &str, name: &str) {
        if self.is_local(state, keyword, &Attributes::default()) {
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
        for value in call.values() {
            self.declare_word(state, keyword, &mut attributes, &value);
        }
        state.status = Status::True;
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
                if attributes.has('g') && Self::set_behind(state, &name, Value::Unknown) {
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
                if attributes.print {
                    return;
                }
                if attributes.has('g') && Self::set_behind(state, &name, Value::Unknown) {
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

    /// `declare -g name=value` where a local hides the one that is meant; false where none does.
    fn behind_local(
        &mut self,
        state: &mut State,
        attributes: &Attributes,
        assignment: &crate::syntax::Assignment,
    ) -> crate::shell::expand::Expanded<bool> {
        if !attributes.has('g') || !state.shadowed.iter().any(|frame| frame.contains_key(&assignment.name)) {
            return Ok(false);
        }
        let value = match &assignment.value {
            AssignedValue::Scalar(word) => self.expand_text(state, word)?,
            AssignedValue::Array(elements) => {
                for (_, word) in elements {
                    self.expand_text(state, word)?;
                }
                Value::Unknown
            }
        };
        let plain = attributes.on.iter().all(|letter| matches!(letter, 'g' | 'x' | 'r'))
            && !assignment.append
            && assignment.index.is_none();
        Ok(Self::set_behind(state, &assignment.name, if plain { value } else { Value::Unknown }))
    }

    /// Gives a value to the variable that comes back when all functions which hide it by a local of theirs have ended.
    fn set_behind(state: &mut State, name: &str, value: Value) -> bool {
        let Some(slot) = state.shadowed.iter_mut().find_map(|frame| frame.get_mut(name)) else {
            return false;
        };
        let mut variable = Variable::new(Content::Scalar(value));
        match slot.take() {
            Some(old) if old.content == Content::Unset || matches!(old.content, Content::Scalar(_)) => {
                let plain = !old.integer && old.case.is_none() && !old.nameref && !old.readonly && !old.loose;
                variable =
                    Variable { content: if plain { variable.content } else { old.content.clone() }, ..old };
                if !plain {
                    variable.content.blur();
                }
            }
            Some(old) => {
                variable = old;
                variable.content.blur();
            }
            None => {}
        }
        *slot = Some(variable);
        true
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
