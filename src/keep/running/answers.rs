//! Who answers what the kernel asks: first that what is read was judged, then that what is lost is kept.

use super::bound::Bound;
use super::judged::Running;
use super::kernel::Listener;

/// All who have to do with a question.
#[derive(Default)]
pub(crate) struct Answers<'a> {
    /// Sets aside what would be lost.
    pub(crate) running: Option<Running<'a>>,
    /// Hands out what was judged.
    pub(crate) bound: Option<Bound>,
}

impl Answers<'_> {
    /// Takes a question, and answers it.
    pub(crate) fn answer(&mut self, listener: &Listener) {
        // Whoever asked and is gone needs no answer.
        let Ok(question) = listener.next() else { return };
        if self.bound.as_mut().is_some_and(|bound| bound.answers(listener, &question)) {
            return;
        }
        if let Some(running) = &mut self.running {
            running.look(listener, &question);
        }
        listener.go_on(&question);
    }
}
