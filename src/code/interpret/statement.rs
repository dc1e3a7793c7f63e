//! Statements: blocks, branches, loops, definitions.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::code::language::Language;
use crate::code::tree::{Expr, Function, Operator, Part, Stmt};
use crate::model::Value;

use super::frames::join_frames;
use super::implicit::by_itself;
use super::{Flow, Machine, Object, UNROLL};

impl Machine<'_> {
    /// Runs statements in order.
    pub(super) fn block(&mut self, body: &[Stmt]) -> Flow {
        if matches!(self.language, Language::Node | Language::Perl | Language::Php) {
            self.hoist(body);
        }
        for statement in body {
            if self.ended || self.statement(statement) == Flow::Stop {
                return Flow::Stop;
            }
        }
        Flow::Next
    }

    /// Functions are known in the whole block, also in front of where they stand.
    pub(super) fn hoist(&mut self, body: &[Stmt]) {
        for statement in body {
            match statement {
                Stmt::Define(name, function) => self.set(name, Object::Function(Rc::clone(function))),
                Stmt::Class(name, members) if self.language == Language::Php => {
                    self.class(name, members);
                }
                _ => {}
            }
        }
    }

    /// Python calls what a parameter's default says where the function is made.
    pub(super) fn defaults(&mut self, function: &Function) {
        for parameter in &function.parameters {
            if self.language == Language::Python
                && let Expr::Assign { value, .. } = parameter
                && matches!(value.as_ref(), Expr::Call(..))
            {
                self.value(value);
            }
        }
    }

    /// A field of a class is a member of each thing of it, and of the class.
    fn field(&mut self, class: &str, member: &Stmt) {
        let Stmt::Expr(Expr::Assign { target, .. }) = member else { return };
        let Expr::Name(name) = target.as_ref() else { return };
        let Some(value) = self.get(name).cloned() else { return };
        for owner in ["this", "self", "cls", class] {
            self.share(&format!("{owner}.{name}"), &value);
        }
    }

    pub(super) fn class(&mut self, name: &str, body: &[Stmt]) {
        for member in body {
            match member {
                Stmt::Define(member, function) => {
                    self.defaults(function);
                    self.implicit.says("", function, !self.installed);
                    let known = self.methods.entry(member.clone()).or_default();
                    if !known.iter().any(|one| Rc::ptr_eq(one, function)) {
                        known.push(Rc::clone(function));
                        self.implicit.member(name, member, function);
                    }
                }
                other => {
                    self.statement(other);
                    self.field(name, other);
                }
            }
        }
        self.set(name, Object::Class(name.to_owned()));
    }

    pub(super) fn statement(&mut self, statement: &Stmt) -> Flow {
        if !self.step() {
            return Flow::Stop;
        }
        match statement {
            // A function that nobody has.
            Stmt::Expr(Expr::Function(_)) => Flow::Next,
            Stmt::Expr(value) => {
                self.value(value);
                if self.ended { Flow::Stop } else { Flow::Next }
            }
            Stmt::Branch(conditions, ways) => self.branch(conditions, ways),
            Stmt::Loop { target, list, body } => {
                self.repeat(target.as_ref(), list.as_ref(), body);
                Flow::Next
            }
            Stmt::Attempt(body) => {
                let returned = self.returned.clone();
                self.maybe += 1;
                let flow = self.block(body);
                self.maybe -= 1;
                // What is thrown is no value; what is returned may be one all the same.
                if flow == Flow::Stop && self.returned.is_none() {
                    self.returned = returned;
                }
                Flow::Next
            }
            Stmt::Define(name, function) => {
                self.implicit.says(name, function, !self.installed);
                if self.active.is_empty() && !by_itself(self.language, name) {
                    self.implicit.is_plain(function);
                }
                self.defaults(function);
                self.set(name, Object::Function(Rc::clone(function)));
                Flow::Next
            }
            Stmt::Class(name, body) => {
                self.class(name, body);
                Flow::Next
            }
            Stmt::Decorate { name, with } => {
                self.decorate(name, with);
                Flow::Next
            }
            Stmt::Import { name, bound } => {
                self.import(name, bound);
                Flow::Next
            }
            Stmt::With(value, target) => {
                let object = self.value(value);
                if matches!(object, Object::Database { .. }) {
                    self.uncommitted.clear();
                    self.set("\u{0}commits", Object::Plain);
                }
                if let Some(target) = target {
                    self.assign(target, object);
                }
                Flow::Next
            }
            Stmt::Return(value) => {
                let object = value.as_ref().map_or(Object::Plain, |value| self.value(value));
                self.returned = Some(match self.returned.take() {
                    Some(before) => before.or(object),
                    None => object,
                });
                Flow::Stop
            }
        }
    }

    pub(super) fn branch(&mut self, conditions: &[Expr], ways: &[Vec<Stmt>]) -> Flow {
        for condition in conditions {
            self.value(condition);
        }
        let refined = conditions.first().and_then(|condition| self.refinement(condition));
        let before = self.snapshot();
        let mut after: Option<Vec<BTreeMap<String, Object>>> = None;
        let mut stops = true;
        let elsewhere = self.loading > 0 && conditions.first().is_some_and(|first| self.asks_for_main(first));
        for (index, way) in ways.iter().enumerate() {
            if elsewhere && index == 0 {
                continue;
            }
            self.frames.clone_from(&before);
            let restore = match (&refined, index) {
                (Some((name, object)), 0) => Some((name.clone(), self.replace(name, object.clone()))),
                _ => None,
            };
            self.maybe += 1;
            let flow = self.block(way);
            self.maybe -= 1;
            if let Some((name, old)) = restore {
                self.replace(&name, old);
            }
            if flow == Flow::Next {
                stops = false;
                let own = std::mem::take(&mut self.frames);
                after = Some(match after {
                    Some(joined) => join_frames(joined, own),
                    None => own,
                });
            }
        }
        self.frames = after.unwrap_or(before);
        // A return in every way ends the block; so does an exit, but that is only followed where it is sure.
        if stops && !ways.is_empty() { Flow::Stop } else { Flow::Next }
    }

    pub(super) fn repeat(&mut self, target: Option<&Expr>, list: Option<&Expr>, body: &[Stmt]) {
        let (mut elements, mut exact) = match list {
            Some(list) => self.value(list).elements(),
            None => (vec![Object::Unknown], false),
        };
        if elements.len() > UNROLL {
            elements = vec![Object::any(elements)];
            exact = false;
        }
        if elements.is_empty() {
            return;
        }
        let before = self.snapshot();
        self.maybe += usize::from(!exact);
        self.round(target, elements.clone(), body);
        // What the body changes for its next round: once more, with all that it may be by then.
        if !exact && !self.ended && self.widen(&before) {
            self.round(target, elements, body);
        }
        self.maybe -= usize::from(!exact);
        let after = std::mem::take(&mut self.frames);
        self.frames = if exact { after } else { join_frames(before, after) };
    }

    /// The body of a loop, for each of these.
    pub(super) fn round(&mut self, target: Option<&Expr>, elements: Vec<Object>, body: &[Stmt]) {
        for element in elements {
            if let Some(target) = target {
                self.assign(target, element);
            }
            self.maybe += 1;
            self.block(body);
            self.maybe -= 1;
            if self.ended {
                break;
            }
        }
    }

    /// Narrows a name pattern by a condition on its end or beginning.
    pub(super) fn refinement(&self, condition: &Expr) -> Option<(String, Object)> {
        let (callee, arguments) = match condition {
            Expr::Call(callee, arguments) => (callee, arguments),
            Expr::Binary(Operator::Both, first, _) => return self.refinement(first),
            _ => return None,
        };
        let Expr::Attribute(subject, method) = callee.as_ref() else { return None };
        let Expr::Name(name) = subject.as_ref() else { return None };
        let Expr::Text(parts) = &arguments.first()?.value else { return None };
        let [Part::Text(text)] = parts.as_slice() else { return None };
        let Object::Text { value: Value::Known(pattern), glob: true } = self.get(name)? else { return None };
        let pattern = match method.as_str() {
            "endswith" | "endsWith" | "end_with?" if pattern.ends_with('*') => format!("{pattern}{text}"),
            "startswith" | "startsWith" | "start_with?" if pattern == "*" => format!("{text}*"),
            _ => return None,
        };
        Some((name.clone(), Object::pattern(Value::known(pattern))))
    }
}
