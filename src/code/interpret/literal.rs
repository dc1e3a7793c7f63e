//! Values of what is written with brackets and braces, of assignments, choices and blocks.

use crate::code::language::Language;
use crate::code::tree::{Expr, Part};
use crate::model::Value;

use super::containers::{ANY, fills_by, opened};
use super::numbers::reckoned;
use super::{Machine, Object, written};

impl Machine<'_> {
    /// A member, or what the program set under its written name.
    pub(super) fn member_of(&mut self, expression: &Expr, object: &Expr, member: &str) -> Object {
        if let Some(name) = written(expression)
            && let Some(known) = self.get(&name).cloned().or_else(|| self.own_place(&name))
        {
            return known;
        }
        // `add = files.append`: whoever has it fills the list.
        if fills_by(self.language, member)
            && let Some((_, name)) = self.container_name(object)
        {
            let place = Expr::Name(name);
            self.change(&place, &|object| opened(object));
        }
        let object = self.place(object);
        let member = self.attribute(object, member);
        self.ruby_call(member)
    }

    /// A list of what is written in brackets.
    pub(super) fn list_of(&mut self, list: &[Expr]) -> Object {
        let mut elements = Vec::with_capacity(list.len());
        let mut open = false;
        for element in list {
            let object = self.value(element);
            let spread = matches!(element, Expr::Rest(_));
            // Perl's lists are flat.
            match object {
                Object::List(inner) if spread || self.language == Language::Perl => elements.extend(inner),
                Object::Map(_) if spread && self.language == Language::Node => elements.push(object),
                other if spread => {
                    elements.extend(other.elements().0);
                    open = true;
                }
                other => elements.push(other),
            }
        }
        match elements.as_slice() {
            [Object::Many(_)] if self.language == Language::Perl => elements.remove(0),
            _ if open => Object::Many(Box::new(Object::any(elements))),
            _ => Object::List(elements),
        }
    }

    /// A map of what is written in braces.
    pub(super) fn map_of(&mut self, entries: &[(Expr, Expr)]) -> Object {
        let mut map = Vec::new();
        for (key, value) in entries {
            let key = self.value(key);
            let value = self.value(value);
            // Ruby's `[:a, :b] => :c`
            let list = || matches!(key, Object::List(_)).then(|| "[]".to_owned());
            let key = key.known().or_else(list);
            self.implicit.names_value(key.as_deref().unwrap_or_default(), &value);
            match (key, value) {
                (Some(key), value) => map.push((key, value)),
                // `...other`, `**other`
                (None, Object::Map(more)) => map.extend(more),
                (None, value) => map.push((ANY.to_owned(), value)),
            }
        }
        Object::Map(map)
    }

    /// One of two values.
    pub(super) fn choice(&mut self, condition: &Expr, yes: &Expr, no: &Expr) -> Object {
        self.value(condition);
        self.maybe += 1;
        let yes = self.value(yes);
        let no = self.value(no);
        self.maybe -= 1;
        yes.or(no)
    }

    /// What is made of each element of a list.
    pub(super) fn each_of(&mut self, target: &Expr, list: &Expr, body: &Expr) -> Object {
        let (mut elements, mut exact) = self.value(list).elements();
        if elements.len() > super::UNROLL {
            elements = vec![Object::any(elements)];
            exact = false;
        }
        let mut results = Vec::new();
        self.maybe += 1;
        for element in elements {
            self.assign(target, element);
            results.push(self.value(body));
        }
        self.maybe -= 1;
        if exact { Object::List(results) } else { Object::Many(Box::new(Object::any(results))) }
    }

    /// What a function gives before it ends.
    pub(super) fn gives(&mut self, all: bool, given: &Expr) -> Object {
        let given = self.value(given);
        let elements = if all { given.elements().0 } else { vec![given] };
        for one in elements {
            self.yielded = Some(match self.yielded.take() {
                Some(before) => before.or(one),
                None => one,
            });
        }
        Object::Unknown
    }

    /// Sets a variable, or adds to it.
    pub(super) fn set_to(&mut self, target: &Expr, value: &Expr, adds: bool) -> Object {
        let mut object = self.value(value);
        if adds {
            let before = self.value(target);
            let number = matches!(value, Expr::Number(_));
            object = match (&before, &object) {
                (Object::List(a), Object::List(b)) => Object::List(a.iter().chain(b).cloned().collect()),
                (Object::List(_) | Object::Many(_), _) => {
                    let elements = before.elements().0.into_iter().chain(object.elements().0);
                    Object::Many(Box::new(Object::any(elements.collect())))
                }
                (Object::Text { .. }, _) => match reckoned(&before, &object, i64::saturating_add) {
                    Some(sum) if number && sum.wildcard().is_some() => sum,
                    Some(sum) if number => sum.or(before.then(&object)),
                    Some(sum) => sum.or(before.then(&object)).or(object),
                    None => before.then(&object).or(object),
                },
                _ => before.or(object),
            };
            // The list itself grows, under whatever names it has.
            if matches!(object, Object::List(_) | Object::Many(_)) {
                let grown = object.clone();
                self.change(target, &|_| grown.clone());
                return object;
            }
        }
        let other = self.container_name(value);
        self.assign(target, object.clone());
        if let (Some(name), Some(other)) = (written(target), other) {
            self.name_too(&name, other);
        }
        object
    }

    /// The value is the last expression's.
    pub(super) fn last_of(&mut self, body: &[crate::code::tree::Stmt]) -> Object {
        let Some((last, rest)) = body.split_last() else { return Object::Plain };
        if self.block(rest) == super::Flow::Stop {
            return Object::Plain;
        }
        match last {
            crate::code::tree::Stmt::Expr(value) => self.value(value),
            other => {
                self.statement(other);
                Object::Plain
            }
        }
    }

    /// The names that a pattern of Perl matches.
    pub(super) fn pattern_of(&mut self, parts: &[Part]) -> Object {
        let (value, _) = self.text(parts).value();
        let patterns = match value.as_known() {
            Some(text) => {
                let each = text.split_whitespace().map(|one| self.home_in(Value::known(one)));
                each.map(Object::pattern).collect()
            }
            None => vec![Object::pattern(self.home_in(value))],
        };
        Object::Many(Box::new(Object::any(patterns)))
    }

    /// Parts whose value does not matter.
    pub(super) fn parts_of(&mut self, parts: &[Expr]) -> Object {
        // `$: << x` of Ruby.
        if let [Expr::Name(list), place] = parts
            && matches!(list.as_str(), "$:" | "$LOAD_PATH")
        {
            let place = self.value(place);
            self.search_in(&place);
        }
        for part in parts {
            self.value(part);
        }
        if parts.is_empty() { Object::Nothing } else { Object::Plain }
    }
}
