//! Suites of tests: what a runner calls of the modules that it has loaded.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::code::language::Language;
use crate::code::tree::Function;

use crate::model::Value;

use super::{Arguments, Machine, Object};

/// Functions of modules and classes that a runner of Python calls, in its order; the last ones come behind all others.
const BEFORE: [&str; 8] = [
    "load_tests",
    "setUpModule",
    "setUpClass",
    "setUpTestData",
    "asyncSetUp",
    "setUp",
    "setup_method",
    "runTest",
];
const AFTER: [&str; 6] =
    ["tearDown", "asyncTearDown", "teardown_method", "tearDownClass", "doCleanups", "tearDownModule"];

impl Machine<'_> {
    /// Runs what a runner of tests would, once each.
    pub(super) fn suite(&mut self) {
        if !self.inputs.tests() || self.language != Language::Python {
            return;
        }
        let all = self.implicit.named_functions();
        let called = |wanted: &dyn Fn(&str) -> bool| {
            all.iter()
                .filter(|(name, _)| wanted(name))
                .map(|(_, function)| Rc::clone(function))
                .collect::<Vec<_>>()
        };
        let mut order = BEFORE.iter().flat_map(|hook| called(&|name| name == *hook)).collect::<Vec<_>>();
        order.extend(called(&|name| name.starts_with("test")));
        order.extend(AFTER.iter().flat_map(|hook| called(&|name| name == *hook)));
        // Attributes of the tests themselves live from one function to the next.
        self.frames.push(BTreeMap::new());
        self.carries = Some(self.frames.len() - 1);
        self.maybe += 1;
        for function in order {
            self.hook(&function);
        }
        self.maybe -= 1;
        self.carries = None;
        self.frames.pop();
    }

    fn hook(&mut self, function: &Rc<Function>) {
        if !self.implicit.was_called(function) {
            self.invoke(function, vec![Object::Unknown]);
        }
    }

    /// `setup(cmdclass={…})`: the classes that the words of the command line choose, or their like inside others.
    pub(super) fn commands(&mut self, name: &str, arguments: &Arguments) {
        if self.language != Language::Python || name.rsplit('.').next() != Some("setup") {
            return;
        }
        let Some(Object::Map(entries)) = arguments.keyword(&["cmdclass"]).cloned() else { return };
        let asks = |value: &Value| value.as_known().is_none_or(|word| !word.starts_with('-'));
        if !self.arguments.iter().any(asks) {
            return;
        }
        let classes = entries
            .iter()
            .filter_map(|(_, object)| match object {
                Object::Class(name) => Some(name.as_str()),
                _ => None,
            })
            .collect::<Vec<_>>();
        let functions = self.implicit.members_of(&classes);
        self.maybe += 1;
        for function in functions {
            self.hook(&function);
        }
        self.maybe -= 1;
    }

    /// An attribute of a test that the functions behind this one see.
    pub(super) fn carry(&mut self, name: &str, object: &Object) {
        let Some(at) = self.carries.filter(|at| at + 1 < self.frames.len()) else { return };
        let Some(member) = name.strip_prefix("self.").or_else(|| name.strip_prefix("cls.")) else { return };
        let Some(frame) = self.frames.get_mut(at) else { return };
        for subject in ["self", "cls"] {
            let name = format!("{subject}.{member}");
            let both = match frame.remove(&name) {
                Some(before) => before.or(object.clone()),
                None => object.clone(),
            };
            frame.insert(name, both);
        }
    }
}
