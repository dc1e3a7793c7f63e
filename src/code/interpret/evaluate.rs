//! Values of expressions.

use crate::code::language::Language;
use crate::code::library;
use crate::code::tree::{Expr, Operator, Part};
use crate::model::Value;

use super::{Arguments, Machine, NESTING, Object, written};

impl Machine<'_> {
    /// Evaluates an expression whose value is kept or handed on; its effects are recorded.
    pub(super) fn value(&mut self, expression: &Expr) -> Object {
        let object = self.place(expression);
        self.held(&object);
        object
    }

    /// Evaluates an expression that only leads to another: what a member is taken of, what is called.
    pub(super) fn place(&mut self, expression: &Expr) -> Object {
        if !self.step() {
            return Object::Unknown;
        }
        if self.depth >= NESTING {
            self.unknown("code that is nested deeper than it is followed");
            self.ended = true;
            return Object::Unknown;
        }
        self.depth += 1;
        let object = self.evaluated(expression);
        self.depth -= 1;
        self.bounded(object)
    }

    fn evaluated(&mut self, expression: &Expr) -> Object {
        match expression {
            Expr::Text(parts) => self.text(parts),
            Expr::Number(number) => Self::some_text(Value::marked(number.clone()).plain()),
            Expr::Name(name) => self.named(name),
            Expr::Attribute(object, member) => self.member_of(expression, object, member),
            Expr::Index(object, index) => {
                let object = self.value(object);
                let index = self.value(index);
                self.index(object, &index)
            }
            Expr::Call(callee, arguments) => self.called(callee, arguments),
            Expr::List(list) => self.list_of(list),
            Expr::Map(entries) => self.map_of(entries),
            Expr::Binary(operator, left, right) => self.binary(*operator, left, right),
            Expr::Choice(condition, yes, no) => self.choice(condition, yes, no),
            Expr::Each { target, list, body } => self.each_of(target, list, body),
            Expr::Function(function) => {
                self.implicit.says("", function, !self.installed);
                Object::Function(function.clone())
            }
            Expr::Rest(inner) => self.place(inner),
            Expr::Outer(names) => {
                for name in names.iter().filter_map(written) {
                    self.set(&format!("\u{0}{name}"), Object::Plain);
                }
                Object::Plain
            }
            Expr::Yield(all, given) => self.gives(*all, given),
            Expr::Shell(parts) => {
                let text = self.text(parts);
                self.shell(&text, None, None);
                Object::Unknown
            }
            Expr::Assign { target, value, adds } => self.set_to(target, value, *adds),
            Expr::Block(body) => self.last_of(body),
            Expr::Glob(parts) => self.pattern_of(parts),
            Expr::Input => self.input(),
            Expr::Plain(parts) => self.parts_of(parts),
        }
    }

    /// In Ruby a name without parentheses is a call.
    pub(super) fn ruby_call(&mut self, object: Object) -> Object {
        if self.language != Language::Ruby {
            return object;
        }
        match &object {
            // A constant with arguments behind it is a conversion, and alone it is only a class.
            Object::Native(name)
                if name.rsplit('.').next().is_some_and(|n| n.starts_with(char::is_uppercase)) =>
            {
                object
            }
            Object::Native(name) if library::act(self.language, name).is_some() => {
                self.call(object, Arguments::default())
            }
            Object::Member(..) | Object::Function(_) => self.call(object, Arguments::default()),
            // `User.delete_all`
            Object::Foreign(name)
                if name.rsplit_once('.').is_some_and(|(_, n)| n.starts_with(char::is_lowercase)) =>
            {
                self.call(object, Arguments::default())
            }
            Object::Foreign(name) if self.tasks.is_some() && name.starts_with("Rake.Task.") => {
                self.call(object, Arguments::default())
            }
            _ => object,
        }
    }

    pub(super) fn text(&mut self, parts: &[Part]) -> Object {
        let mut text = Object::text("");
        for part in parts {
            let next = match part {
                Part::Text(text) => Self::some_text(Value::marked(text.clone()).plain()),
                Part::Value(value) => self.value(value),
            };
            text = text.then(&next);
        }
        text
    }

    pub(super) fn named(&mut self, name: &str) -> Object {
        if let Some(object) = self.get(name) {
            let object = object.clone();
            return if matches!(object, Object::Function(_)) { self.ruby_call(object) } else { object };
        }
        let arguments = || {
            self.arguments
                .iter()
                .map(|value| Object::Text { value: value.clone(), glob: false })
                .collect::<Vec<_>>()
        };
        match (self.language, name) {
            (Language::Perl, "@ARGV") | (Language::Ruby, "ARGV") | (Language::Lua, "arg") => {
                return Object::List(arguments());
            }
            (Language::Php, "$argv") => {
                let mut list = vec![Object::Plain];
                list.extend(arguments());
                return Object::List(list);
            }
            _ => {}
        }
        if let Some(module) = self
            .open_modules
            .iter()
            .find(|module| library::act(self.language, &format!("{module}.{name}")).is_some())
        {
            return Object::Native(format!("{module}.{name}"));
        }
        if let Some(own) = self.own_place(name) {
            return own;
        }
        let object = library::global(self.language, name);
        if matches!(object, Object::Native(_)) { self.ruby_call(object) } else { object }
    }

    fn binary(&mut self, operator: Operator, left: &Expr, right: &Expr) -> Object {
        let first = self.value(left);
        match operator {
            // A variable of the environment that is set.
            Operator::Either
                if matches!(left, Expr::Attribute(base, _) if self.names_environment(base))
                    && first.known().is_some_and(|text| !text.is_empty()) =>
            {
                first
            }
            Operator::Either => {
                self.maybe += 1;
                let second = self.value(right);
                self.maybe -= 1;
                first.or(second)
            }
            Operator::Both => {
                let refined = self.refinement(left);
                let restore = refined.map(|(name, object)| (name.clone(), self.replace(&name, object)));
                self.maybe += 1;
                let second = self.value(right);
                self.maybe -= 1;
                if let Some((name, old)) = restore {
                    self.replace(&name, old);
                }
                second
            }
            Operator::Before => {
                self.value(right);
                first
            }
            Operator::Push => {
                let second = self.value(right);
                let added = second.clone();
                self.change(left, &|object| pushed(object, &added));
                pushed(first, &second)
            }
            _ => {
                let second = self.value(right);
                self.operate(operator, first, second)
            }
        }
    }

    /// A text value of unknown content.
    pub(super) fn some_text(value: Value) -> Object {
        Object::Text { value, glob: false }
    }
}

/// A list with one more element, or a text with more behind it.
fn pushed(object: Object, element: &Object) -> Object {
    match object {
        Object::List(mut list) => {
            list.push(element.clone());
            Object::List(list)
        }
        Object::Many(inner) => Object::Many(Box::new(inner.or(element.clone()))),
        Object::Either(list) => Object::Either(list.into_iter().map(|one| pushed(one, element)).collect()),
        Object::Text { .. } => object.then(element),
        other => other,
    }
}
