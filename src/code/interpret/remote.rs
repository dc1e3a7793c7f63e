//! What code asks other machines to do: requests that take something away there.
//!
//! Only the asking is told. What a server has of it afterwards nobody can see from here.

use crate::code::library;
use crate::model::words;

use super::{Arguments, Machine, Object};

/// Words by which functions say that they make or send a request.
const SENDING: &[&str] = &["request", "fetch", "ajax", "urlopen", "axios", "got", "ky", "api"];
/// Options that hold the request's method.
const METHOD: &[&str] = &["method", "type", "verb"];

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

    /// A function of a module that speaks to other machines; what it gives is something of theirs, with methods that say by
    /// their names what they do.
    pub(super) fn of_remote(&mut self, name: &str) -> Object {
        if library::destroys(name) {
            self.unknown(format!("{name}(…) takes something away on another machine"));
        }
        Object::Unknown
    }
}
