//! Values of expressions.

use crate::code::language::Language;
use crate::code::library;
use crate::code::tree::{Argument, Expr, Operator, Part};
use crate::model::Value;

use super::containers::{ANY, fills_by, opened};
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
            Expr::Number(number) => Object::text(number.clone()),
            Expr::Name(name) => self.named(name),
            Expr::Attribute(object, member) => {
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
            Expr::Index(object, index) => {
                let object = self.value(object);
                let index = self.value(index);
                self.index(object, &index)
            }
            Expr::Call(callee, arguments) => self.called(callee, arguments),
            Expr::List(list) => {
                let mut elements = Vec::with_capacity(list.len());
                let mut open = false;
                for element in list {
                    let object = self.value(element);
                    let spread = matches!(element, Expr::Rest(_));
                    // Perl's lists are flat.
                    match object {
                        Object::List(inner) if spread || self.language == Language::Perl => {
                            elements.extend(inner)
                        }
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
                    _ if open => Object::Many(Box::new(Object::element(elements))),
                    _ => Object::List(elements),
                }
            }
            Expr::Map(entries) => {
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
            Expr::Binary(operator, left, right) => self.binary(*operator, left, right),
            Expr::Choice(condition, yes, no) => {
                self.value(condition);
                self.maybe += 1;
                let yes = self.value(yes);
                let no = self.value(no);
                self.maybe -= 1;
                yes.or(no)
            }
            Expr::Each { target, list, body } => {
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
            Expr::Yield(all, given) => {
                let given = self.value(given);
                let elements = if *all { given.elements().0 } else { vec![given] };
                for one in elements {
                    self.yielded = Some(match self.yielded.take() {
                        Some(before) => before.or(one),
                        None => one,
                    });
                }
                Object::Unknown
            }
            Expr::Shell(parts) => {
                let text = self.text(parts);
                self.shell(&text, None, None);
                Object::Unknown
            }
            Expr::Assign { target, value, adds } => {
                let mut object = self.value(value);
                if *adds {
                    let before = self.value(target);
                    let number = matches!(value.as_ref(), Expr::Number(_));
                    object = match (&before, &object) {
                        (Object::List(a), Object::List(b)) => {
                            Object::List(a.iter().chain(b).cloned().collect())
                        }
                        (Object::List(_) | Object::Many(_), _) => {
                            let elements = before.elements().0.into_iter().chain(object.elements().0);
                            Object::Many(Box::new(Object::element(elements.collect())))
                        }
                        (Object::Text { .. }, _) if number => added(&before, &object),
                        (Object::Text { .. }, _) => before.then(&object).or(object),
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
            Expr::Block(body) => {
                // The value is the last expression's.
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
            Expr::Glob(parts) => {
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
            Expr::Input => self.input(),
            Expr::Plain(parts) => {
                // `$: << x` of Ruby.
                if let [Expr::Name(list), place] = parts.as_slice()
                    && matches!(list.as_str(), "$:" | "$LOAD_PATH")
                {
                    let place = self.value(place);
                    self.search_in(&place);
                }
                for part in parts {
                    self.value(part);
                }
                Object::Plain
            }
        }
    }

    /// In Ruby a name without parentheses is a call.
    fn ruby_call(&mut self, object: Object) -> Object {
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
                Part::Text(text) => Object::text(text.clone()),
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

    /// A member of a value.
    pub(super) fn attribute(&mut self, object: Object, member: &str) -> Object {
        match object {
            // `f.call(…)` of a function that acts.
            Object::Native(name)
                if matches!(member, "call" | "apply" | "bind" | "__call__")
                    && library::act(self.language, &name).is_some_and(library::Act::changes) =>
            {
                Object::Member(Box::new(Object::Native(name)), member.to_owned())
            }
            Object::Native(name) => match (self.language, name.as_str(), member) {
                (Language::Python, "sys", "argv") => {
                    let mut list = vec![Object::text("-c")];
                    list.extend(
                        self.arguments.iter().map(|v| Object::Text { value: v.clone(), glob: false }),
                    );
                    Object::List(list)
                }
                (Language::Node, "process", "argv") => {
                    let list = self
                        .arguments
                        .iter()
                        .map(|v| Object::Text { value: v.clone(), glob: false })
                        .collect();
                    Object::Many(Box::new(Object::any(list)))
                }
                (Language::Node, "fs", "promises") => Object::Native(name),
                // A module's own names, and the module itself.
                (Language::Python, _, "__dict__" | "__builtins__") => Object::Native(name),
                (_, "os" | "os.path" | "path", "sep") => Object::text("/"),
                (Language::Node, "process.env", name) => self.environment_get(name).unwrap_or(Object::Plain),
                _ => Object::Native(format!("{name}.{member}")),
            },
            Object::Foreign(name) => Object::Foreign(format!("{name}.{member}")),
            Object::Map(entries) => {
                let found = entries.iter().find(|(key, _)| key == member).map(|(_, value)| value.clone());
                found.unwrap_or_else(|| Object::Member(Box::new(Object::Map(entries)), member.to_owned()))
            }
            Object::Path { value, glob } => match member {
                "parent" | "dirname" => Object::Path {
                    value: value.map(|path| path.rsplit_once('/').map_or(".", |(dir, _)| dir).to_owned()),
                    glob,
                },
                "name" => Object::Text {
                    value: value.map(|path| path.rsplit('/').next().unwrap_or_default().to_owned()),
                    glob,
                },
                "path" => Object::Text { value, glob },
                "stem" | "suffix" | "parts" => Object::Unknown,
                _ => Object::Member(Box::new(Object::Path { value, glob }), member.to_owned()),
            },
            Object::Either(list) => {
                let members = list.into_iter().map(|object| self.attribute(object, member)).collect();
                Object::any(members)
            }
            // `TemporaryDirectory().name`
            Object::Text { value: Value::Affix { prefix, suffix }, glob }
                if member == "name" && prefix == "/tmp/" =>
            {
                Object::Text { value: Value::Affix { prefix, suffix }, glob }
            }
            other => Object::Member(Box::new(other), member.to_owned()),
        }
    }

    fn index(&mut self, object: Object, index: &Object) -> Object {
        match (&object, index.known()) {
            (Object::List(list), Some(text)) => match text.parse::<usize>() {
                // Lua counts from one.
                Ok(at) => {
                    let at = if self.language == Language::Lua { at.saturating_sub(1) } else { at };
                    list.get(at).cloned().unwrap_or(Object::Unknown)
                }
                Err(_) => Object::any(list.clone()),
            },
            (Object::Map(entries), Some(key)) => entries
                .iter()
                .find(|(known, _)| *known == key)
                .map_or_else(|| any_value(entries), |(_, value)| value.clone()),
            (Object::Map(entries), None) => any_value(entries),
            (Object::Either(list), _) => {
                let list = list.iter().map(|one| self.index(one.clone(), index)).collect();
                Object::any(list)
            }
            (Object::List(list), None) => {
                if matches!(index, Object::Plain) && list.len() > 1 {
                    // A slice or a counted index.
                    Object::Many(Box::new(Object::any(list.clone())))
                } else {
                    Object::any(list.clone())
                }
            }
            (Object::Many(element), _) => (**element).clone(),
            // `Dir['*.txt']`
            (Object::Native(name), Some(_)) if name == "Dir" => {
                self.call(Object::Native("Dir.glob".to_owned()), Arguments::of(vec![index.clone()]))
            }
            (Object::Native(name), Some(module))
                if self.language == Language::Python && name == "sys.modules" =>
            {
                library::global(self.language, &module)
            }
            (Object::Native(name), None) if self.language == Language::Python && name == "sys.modules" => {
                Object::Native("os.\u{0}".to_owned())
            }
            (Object::Native(name), None) if library::holds_acts(self.language, name) => {
                Object::Native(format!("{name}.\u{0}"))
            }
            (Object::Native(name), Some(variable)) if matches!(name.as_str(), "os.environ" | "ENV") => {
                self.environment_get(&variable).unwrap_or(Object::Unknown)
            }
            (_, Some(member)) if matches!(object, Object::Native(_) | Object::Foreign(_)) => {
                self.attribute(object, &member)
            }
            (Object::Plain, _) => Object::Plain,
            _ => Object::Unknown,
        }
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
            Operator::Push => {
                let second = self.value(right);
                let added = second.clone();
                self.change(left, &|object| pushed(object, &added));
                pushed(first, &second)
            }
            Operator::Join if matches!(left, Expr::Number(_)) || matches!(right, Expr::Number(_)) => {
                let second = self.value(right);
                added(&first, &second)
            }
            _ => {
                let second = self.value(right);
                self.operate(operator, first, second)
            }
        }
    }

    /// Evaluates the arguments of a call.
    pub(super) fn passed(&mut self, arguments: &[Argument]) -> Arguments {
        let mut passed = Arguments::default();
        for argument in arguments {
            let object = self.value(&argument.value);
            match argument.name.as_deref() {
                Some("&") => passed.block = Some(object),
                Some(name) => passed.named.push((name.to_owned(), object)),
                None => match object {
                    Object::List(list) if argument.spread || self.language == Language::Perl => {
                        passed.list.extend(list)
                    }
                    Object::Many(element) if argument.spread => passed.list.push(*element),
                    other => passed.list.push(other),
                },
            }
        }
        passed
    }

    fn called(&mut self, callee: &Expr, arguments: &[Argument]) -> Object {
        if self.search_edit(callee, arguments) {
            return Object::Plain;
        }
        // What is added to a list stays in it.
        if let Some(object) = self.changed(callee, arguments) {
            return object;
        }
        let named = matches!(callee, Expr::Name(_) | Expr::Attribute(..));
        let mut through_value = !named || written(callee).is_some_and(|name| self.get(&name).is_some());
        let spoken = callee;
        let callee = match spoken {
            // No call happens while the callee itself is looked up.
            Expr::Name(name) => match self.get(name) {
                Some(object) => object.clone(),
                None => match self.language {
                    Language::Ruby => self.ruby_global(name),
                    _ => self.named(name),
                },
            },
            Expr::Attribute(object, member) => {
                let known = written(spoken).and_then(|name| self.get(&name).cloned());
                match known {
                    Some(known) => known,
                    None => {
                        let object = self.place(object);
                        // A name of a module of the program, or an entry of a map.
                        through_value |= matches!(object, Object::Map(_));
                        self.attribute(object, member)
                    }
                }
            }
            other => self.value(other),
        };
        let passed = self.passed(arguments);
        self.direct = !through_value;
        match &callee {
            Object::Function(_) | Object::Member(..) => {
                self.given = arguments.iter().map(|argument| self.container_name(&argument.value)).collect();
            }
            Object::Foreign(_) | Object::Unknown => self.handed_out(arguments),
            Object::Native(name) if fills(name) => self.handed_out(arguments),
            _ => {}
        }
        let object = self.call(callee, passed);
        self.options_set(spoken, arguments);
        self.given.clear();
        object
    }

    fn ruby_global(&self, name: &str) -> Object {
        let open = self
            .open_modules
            .iter()
            .find(|module| library::act(self.language, &format!("{module}.{name}")).is_some())
            .map(|module| Object::Native(format!("{module}.{name}")));
        open.unwrap_or_else(|| library::global(self.language, name))
    }

    /// A text value of unknown content.
    pub(super) fn some_text(value: Value) -> Object {
        Object::Text { value, glob: false }
    }
}

/// Some value of a map.
fn any_value(entries: &[(String, Object)]) -> Object {
    Object::any(entries.iter().map(|(_, value)| value.clone()).collect())
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

/// A sum, or a text with a number behind it: the signs do not tell in every language.
fn added(left: &Object, right: &Object) -> Object {
    let joined = left.then(right);
    match (left.known(), right.known()) {
        (Some(a), Some(b)) => match (a.parse::<i64>(), b.parse::<i64>()) {
            (Ok(a), Ok(b)) => Object::text(a.saturating_add(b).to_string()).or(joined),
            _ => joined,
        },
        _ => joined,
    }
}

/// Functions that put something into a list that they are given.
fn fills(name: &str) -> bool {
    matches!(
        name,
        "heapq.heappush"
            | "bisect.insort"
            | "bisect.insort_left"
            | "random.shuffle"
            | "list.append"
            | "list.extend"
            | "operator.iadd"
            | "array_splice"
            | "Object.assign"
            | "Object.defineProperty"
            | "Reflect.apply"
    )
}
