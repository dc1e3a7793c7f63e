//! What code asks other machines to do: requests that take something away there.
//!
//! Only the asking is told. What a server has of it afterwards nobody can see from here.

use crate::code::library::{self, Act};
use crate::model::words;

use super::{Arguments, Machine, Object};

/// Words by which functions say that they make or send a request.
const SENDING: &[&str] = &["request", "fetch", "ajax", "urlopen", "axios", "got", "ky", "api"];
/// Options that hold the request's method.
const METHOD: &[&str] = &["method", "type", "verb"];
/// Names of methods that take something away where their object is a client's; of a list or a table they would not.
const TAKING: &[&str] = &["drop", "remove"];
/// Behind the name of a function: what it gave.
const MADE: &str = "()";

/// Whether something was made by a client of a service, and is no module.
pub(super) fn is_made(name: &str) -> bool {
    name.contains(MADE)
}

impl Machine<'_> {
    /// A call that may send a request: says so where its method takes something away (RFC 9110, 9.3.5). `name`: the
    /// function's, or the method's.
    pub(super) fn request(&mut self, name: &str, arguments: &Arguments) {
        let deletes =
            |object: &Object| object.known().is_some_and(|text| text.eq_ignore_ascii_case("delete"));
        let told = arguments.list.iter().any(deletes) || arguments.keyword(METHOD).is_some_and(deletes);
        let sends = || words(name).iter().any(|word| SENDING.contains(&word.as_str()));
        if told && (library::is_remote(self.language, name) || sends()) {
            self.unknown("an HTTP DELETE request is sent");
        }
    }

    /// A function of a module of the language that speaks to other machines.
    pub(super) fn of_remote(&mut self, name: &str, arguments: &Arguments) -> Object {
        let last = name.rsplit(['.', ':', '\\']).next().unwrap_or(name);
        let listed = matches!(library::method("any", last), Some(Act::Unknown(_)));
        if library::destroys(name) || TAKING.contains(&last) || listed {
            self.takes_there(name);
        }
        self.made_there(name, arguments)
    }

    /// A function of somebody's client of a service, or a method of what one of them gave.
    pub(super) fn call_remote(&mut self, name: &str, arguments: &Arguments) -> Object {
        let (receiver, last) = name.rsplit_once(['.', ':', '\\']).unwrap_or(("", name));
        let taken = TAKING.contains(&last) || !is_made(receiver) && library::takes_away(last);
        if taken {
            self.takes_there(name);
        } else {
            self.foreign_method(last, arguments.clone());
        }
        self.made_there(name, arguments)
    }

    fn takes_there(&mut self, name: &str) {
        self.unknown(format!("{name}(…) takes something away on another machine"));
    }

    /// What it gives is something of theirs, with methods that say by their names what they do; a block gets it, too.
    fn made_there(&mut self, name: &str, arguments: &Arguments) -> Object {
        let made = Object::Foreign(format!("{name}{MADE}"));
        if let Some(block) = &arguments.block {
            self.apply(block, vec![made.clone()]);
        }
        made
    }
}
