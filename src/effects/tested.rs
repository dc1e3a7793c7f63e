//! What is done to the database of a project's tests alone.

use crate::model::Subject;
use crate::shell::Invocation;

use super::draft::Draft;
use super::scene::flag;

/// Notes that it is that database.
pub(super) fn tests(invocation: &Invocation, drafts: &mut [Draft]) {
    let mutations = drafts.iter_mut().filter_map(|draft| draft.mutation.as_mut());
    for mutation in mutations.filter(|mutation| matches!(mutation.subject, Subject::Named(_))) {
        if invocation.for_tests {
            flag(mutation, "tests", "it works on the database of the tests");
        }
    }
}
