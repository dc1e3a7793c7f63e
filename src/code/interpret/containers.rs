//! Lists and maps that change after they were made: what is put into them by any of their names is in them.

use crate::code::language::Language;
use crate::code::library::{self, Act};
use crate::code::tree::{Argument, Expr, Operator, Part};

use super::{Machine, Object, written};

/// The key of entries whose key is not known.
pub(super) const ANY: &str = "\u{0}";

/// Stands for any function that changes the order of a list.
const DISORDERS: &str = "rotate!";

/// Names of one container: the frame each stands in, and the name.
pub(super) type Names = Vec<(usize, String)>;

/// How a method changes what it belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    /// Puts its arguments at the end.
    Append,
    /// Puts the elements of its arguments at the end.
    Extend,
    /// Puts them somewhere.
    Insert,
    /// Takes some out, or changes their order.
    Disorder,
}

fn changes(language: Language, method: &str) -> Option<Change> {
    Some(match method {
        "append" | "push" | "add" | "appendleft" | "put" | "put_nowait" | "enqueue" | "<<" | "write_all" => {
            Change::Append
        }
        "unshift" | "prepend" | "insert" | "insort" | "setdefault" | "set" | "store" | "splice" => {
            Change::Insert
        }
        "concat" if language == Language::Node => return None,
        "extend" | "extendleft" | "concat" | "update" | "__iadd__" | "merge!" | "update!" => Change::Extend,
        "sort" | "reverse" | "sort!" | "reverse!" | "shuffle!" | "pop" | "popleft" | "shift" | "remove"
        | "popitem" | "rotate" | "rotate!" => Change::Disorder,
        _ => return None,
    })
}

impl Machine<'_> {
    /// A method that changes the list or map that it belongs to; `None` when this is none.
    pub(super) fn changed(&mut self, callee: &Expr, arguments: &[Argument]) -> Option<Object> {
        let (place, method) = match callee {
            Expr::Attribute(base, method)
                if self.language == Language::Lua && written(base).as_deref() == Some("table") =>
            {
                return self.changed_by_table(method, arguments);
            }
            Expr::Attribute(place, method) => (place.as_ref(), method.as_str()),
            // Perl's and PHP's functions.
            Expr::Name(name) => {
                let method = match (self.language, name.as_str()) {
                    (Language::Perl, "push") | (Language::Php, "array_push") => "push",
                    (Language::Perl, "unshift") | (Language::Php, "array_unshift") => "unshift",
                    (Language::Perl, "shift" | "pop") | (Language::Php, "array_shift" | "array_pop") => "pop",
                    (Language::Php, name) if library::act(Language::Php, name) == Some(Act::Disorder) => {
                        DISORDERS
                    }
                    _ => return None,
                };
                let place = &arguments.first()?.value;
                if method == DISORDERS {
                    self.change(place, &|object| altered(object, Some(Change::Disorder), &[]));
                    return None;
                }
                if method == "pop" {
                    if matches!(place, Expr::Name(name) if matches!(name.as_str(), "@_" | "@ARGV")) {
                        return None;
                    }
                    let elements = self.peek(place)?.elements().0;
                    self.change(place, &|object| altered(object, Some(Change::Disorder), &[]));
                    return Some(Object::any(elements));
                }
                let passed = self.passed(arguments.get(1..).unwrap_or_default());
                self.change(place, &|object| altered(object, changes(Language::Perl, method), &passed.list));
                return Some(Object::Plain);
            }
            _ => return None,
        };
        let change = changes(self.language, method)?;
        if !self.is_container(place) {
            return None;
        }
        let passed = self.passed(arguments);
        let block = passed.block.is_some() || passed.list.iter().any(|o| matches!(o, Object::Function(_)));
        if block && change == Change::Disorder {
            return None;
        }
        let mut added = passed.list.clone();
        added.extend(passed.named.iter().map(|(_, value)| value.clone()));
        let before = self.peek(place);
        if method == "update" && added.iter().any(|object| matches!(object, Object::Map(_)))
            || !passed.named.is_empty()
        {
            self.change(place, &|object| merged(object, &added, &passed.named));
        } else if matches!(method, "set" | "setdefault" | "store") {
            let (key, value) = (passed.list.first().and_then(Object::known), passed.list.get(1).cloned());
            let value = value.unwrap_or(Object::Unknown);
            self.change(place, &|object| put(object, key.as_deref(), &|old| old.or(value.clone())));
            return Some(value);
        } else {
            self.change(place, &|object| altered(object, Some(change), &added));
        }
        Some(match (change, before) {
            (Change::Disorder, Some(map @ Object::Map(_))) if method == "pop" => {
                Object::any(map.values_or_self())
            }
            (Change::Disorder, Some(before)) if matches!(method, "pop" | "popleft" | "shift") => {
                Object::any(before.elements().0)
            }
            (Change::Disorder, _) if method == "remove" => Object::Plain,
            _ if self.language == Language::Ruby
                || matches!(method, "add" | "sort" | "reverse" | "splice") =>
            {
                self.peek(place).unwrap_or(Object::Plain)
            }
            _ => Object::Plain,
        })
    }

    /// Lua's functions of tables, which change their first argument.
    fn changed_by_table(&mut self, function: &str, arguments: &[Argument]) -> Option<Object> {
        let place = &arguments.first()?.value;
        let before = self.peek(place)?.elements().0;
        let change = match function {
            "insert" => Change::Insert,
            "concat" | "unpack" => return None,
            _ => Change::Disorder,
        };
        let added = self.passed(arguments.get(1..).unwrap_or_default());
        let added = if change == Change::Insert { added.list } else { Vec::new() };
        self.change(place, &|object| altered(object, Some(change), &added));
        Some(Object::any(before))
    }

    /// Whether a list or map stands at this place.
    fn is_container(&mut self, place: &Expr) -> bool {
        fn held(object: &Object) -> bool {
            match object {
                Object::List(_) | Object::Many(_) | Object::Map(_) => true,
                Object::Either(list) => list.iter().any(held),
                _ => false,
            }
        }
        match place {
            Expr::Choice(_, yes, no) => self.is_container(yes) || self.is_container(no),
            Expr::Call(callee, _) => match callee.as_ref() {
                Expr::Attribute(place, method) if method == "setdefault" => self.is_container(place),
                _ => false,
            },
            // What stands in it may be a module, whose function is called.
            Expr::Index(base, _) => {
                let inside = match self.peek(base) {
                    Some(Object::Map(entries)) => entries.into_iter().map(|(_, value)| value).collect(),
                    Some(other) => other.elements().0,
                    None => Vec::new(),
                };
                let module = |object: &Object| matches!(object, Object::Native(_) | Object::Foreign(_));
                !inside.iter().any(module) && self.is_container(base)
            }
            other => self.peek(other).is_some_and(|object| held(&object)),
        }
    }

    /// What stands at a place, without running anything.
    fn peek(&self, place: &Expr) -> Option<Object> {
        if let Some(known) = written(place).and_then(|name| self.get(&name).cloned()) {
            return Some(known);
        }
        match place {
            Expr::Attribute(base, member) => match self.peek(base)? {
                Object::Map(entries) => {
                    entries.into_iter().find(|(key, _)| key == member).map(|(_, value)| value)
                }
                _ => None,
            },
            Expr::Binary(Operator::Push, base, _) | Expr::Assign { target: base, .. } => self.peek(base),
            Expr::Index(base, key) => {
                let key = key_of(key);
                match (self.peek(base)?, key) {
                    (Object::Map(entries), Some(key)) => {
                        entries.into_iter().find(|(known, _)| *known == key).map(|(_, value)| value)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Changes what stands at a place, under all names that it has.
    pub(super) fn change(&mut self, place: &Expr, f: &dyn Fn(Object) -> Object) {
        if let Some(name) = written(place)
            && let Some(object) = self.get(&name).cloned()
        {
            let object = f(object);
            self.store(&name, object);
            return;
        }
        match place {
            Expr::Attribute(base, member) => self.change(base, &|object| match object {
                Object::Map(_) => put(object, Some(member), f),
                other => other,
            }),
            Expr::Index(base, key) => {
                let key = key_of(key).or_else(|| {
                    let Expr::Name(name) = key.as_ref() else { return None };
                    self.get(name).and_then(Object::known)
                });
                self.change(base, &|object| put(object, key.as_deref(), f));
            }
            Expr::Choice(_, yes, no) => {
                let perhaps = |object: Object| object.clone().or(f(object));
                self.change(yes, &perhaps);
                self.change(no, &perhaps);
            }
            Expr::Binary(Operator::Push, base, _) | Expr::Assign { target: base, .. } => self.change(base, f),
            Expr::Call(callee, _) => {
                if let Expr::Attribute(base, method) = callee.as_ref()
                    && method == "setdefault"
                {
                    self.change(base, &|object| put(object, None, f));
                }
            }
            _ => {}
        }
    }

    /// Puts a value at a place that is no plain variable.
    pub(super) fn put_at(&mut self, target: &Expr, object: &Object) {
        // Whoever reads a function there may call it.
        if !self.is_container(target)
            && let Object::Function(function) = object
            && !matches!(target, Expr::Index(base, _) if self.peek(base).is_some())
        {
            self.maybe += 1;
            self.invoke(function, Vec::new());
            self.maybe -= 1;
        }
        self.change(target, &|_| object.clone());
    }

    /// Sets a variable where it stands, and the other names of what stood in it.
    fn store(&mut self, name: &str, object: Object) {
        let object = self.kept(object);
        let place = self.frames.iter().rposition(|frame| frame.contains_key(name));
        let Some(place) = place else {
            self.shared.insert(name.to_owned(), object);
            return;
        };
        let own = (place, name.to_owned());
        let group = self.names.iter().find(|group| group.contains(&own)).cloned();
        for (frame, name) in group.unwrap_or_else(|| vec![own]) {
            if let Some(frame) = self.frames.get_mut(frame) {
                frame.insert(name, object.clone());
            }
        }
    }

    /// The frame and name of a container that an expression names.
    pub(super) fn container_name(&self, expression: &Expr) -> Option<(usize, String)> {
        let name = written(expression)?;
        let frame = self.frames.iter().rposition(|frame| frame.contains_key(&name))?;
        let object = self.frames.get(frame)?.get(&name)?;
        matches!(object, Object::List(_) | Object::Many(_) | Object::Map(_) | Object::Either(_))
            .then_some((frame, name))
    }

    /// A variable gets another value: what it held before goes on without it.
    pub(super) fn unname(&mut self, name: &str) {
        let frame = self.frames.len().saturating_sub(1);
        for group in &mut self.names {
            group.retain(|(at, known)| *at != frame || known != name);
        }
        self.names.retain(|group| group.len() > 1);
    }

    /// A variable of the innermost function becomes one more name of a container.
    pub(super) fn name_too(&mut self, name: &str, other: (usize, String)) {
        let own = (self.frames.len().saturating_sub(1), name.to_owned());
        if own == other {
            return;
        }
        match self.names.iter_mut().find(|group| group.contains(&other)) {
            Some(group) => group.push(own),
            None => self.names.push(vec![other, own]),
        }
    }

    /// A function has ended, and its names with it.
    pub(super) fn forget_names(&mut self) {
        let depth = self.frames.len();
        for group in &mut self.names {
            group.retain(|(frame, _)| *frame < depth);
        }
        self.names.retain(|group| group.len() > 1);
    }

    /// Containers that are handed to something that is not known may hold anything then.
    pub(super) fn handed_out(&mut self, arguments: &[Argument]) {
        for argument in arguments {
            if let Some((_, name)) = self.container_name(&argument.value)
                && let Some(object) = self.get(&name).cloned()
            {
                self.store(&name, opened(object));
            }
        }
    }
}

/// Whether a method of this name puts something into a list.
pub(super) fn fills_by(language: Language, method: &str) -> bool {
    language != Language::Ruby && matches!(changes(language, method), Some(Change::Append | Change::Extend))
}

/// A container into which anything may have been put.
pub(super) fn opened(object: Object) -> Object {
    altered(object, Some(Change::Insert), &[Object::Unknown])
}

/// The text of a literal key.
fn key_of(key: &Expr) -> Option<String> {
    match key {
        Expr::Text(parts) => match parts.as_slice() {
            [Part::Text(text)] => Some(text.clone()),
            _ => None,
        },
        Expr::Number(number) => Some(number.clone()),
        _ => None,
    }
}

/// A container after a method has put something into it.
fn altered(object: Object, change: Option<Change>, added: &[Object]) -> Object {
    let Some(change) = change else { return object };
    let more = || {
        let spread = change == Change::Extend;
        added.iter().flat_map(move |one| match one {
            Object::List(list) if spread => list.clone(),
            Object::Many(_) | Object::Either(_) | Object::Text { .. } | Object::Map(_) if spread => {
                one.elements().0
            }
            one => vec![one.clone()],
        })
    };
    let unsure = change == Change::Extend && added.iter().any(|one| !matches!(one, Object::List(_)));
    match object {
        Object::List(mut list) => {
            if change != Change::Disorder {
                list.extend(more());
            }
            if matches!(change, Change::Append) || change == Change::Extend && !unsure || list.is_empty() {
                Object::List(list)
            } else {
                Object::Many(Box::new(Object::any(list)))
            }
        }
        Object::Many(element) if change == Change::Disorder => Object::Many(element),
        Object::Many(element) => Object::Many(Box::new(more().fold(*element, Object::or))),
        Object::Map(mut entries) => {
            if change != Change::Disorder {
                entries.extend(more().map(|one| (ANY.to_owned(), one)));
            }
            Object::Map(entries)
        }
        Object::Either(list) => {
            Object::Either(list.into_iter().map(|one| altered(one, Some(change), added)).collect())
        }
        other => other,
    }
}

/// A map with the entries of others.
fn merged(object: Object, added: &[Object], named: &[(String, Object)]) -> Object {
    let Object::Map(mut entries) = object else { return altered(object, Some(Change::Extend), added) };
    for one in added {
        match one {
            Object::Map(more) => {
                for (key, value) in more {
                    entries.retain(|(known, _)| known != key || known == ANY);
                    entries.push((key.clone(), value.clone()));
                }
            }
            _ if named.iter().any(|(_, value)| std::ptr::eq(value, one)) => {}
            _ => entries.push((ANY.to_owned(), Object::Unknown)),
        }
    }
    entries.extend(named.iter().cloned());
    Object::Map(entries)
}

/// A container with a change at one of its places.
fn put(object: Object, key: Option<&str>, f: &dyn Fn(Object) -> Object) -> Object {
    match (object, key) {
        (Object::Map(mut entries), Some(key)) => {
            match entries.iter_mut().find(|(known, _)| known == key) {
                Some(entry) => entry.1 = f(entry.1.clone()),
                None => entries.push((key.to_owned(), f(Object::List(Vec::new())))),
            }
            Object::Map(entries)
        }
        (Object::Map(mut entries), None) => {
            for entry in &mut entries {
                entry.1 = entry.1.clone().or(f(entry.1.clone()));
            }
            entries.push((ANY.to_owned(), f(Object::List(Vec::new()))));
            Object::Map(entries)
        }
        (Object::List(mut list), key) => match key.and_then(|key| key.parse::<usize>().ok()) {
            Some(at) if at < list.len() => {
                if let Some(element) = list.get_mut(at) {
                    *element = f(element.clone());
                }
                Object::List(list)
            }
            _ => {
                let new = f(Object::List(Vec::new()));
                let list = list.into_iter().flat_map(|one| [f(one.clone()), one]).chain([new]);
                Object::Many(Box::new(Object::any(list.collect())))
            }
        },
        (Object::Many(element), _) => {
            let new = f((*element).clone());
            Object::Many(Box::new(element.or(new)))
        }
        (Object::Either(list), key) => Object::Either(list.into_iter().map(|one| put(one, key, f)).collect()),
        (other, _) => other,
    }
}
