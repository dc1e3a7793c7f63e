//! What was asked of a list before: a plan has the same paths thousands of times, and the lists are long.

use std::cell::RefCell;
use std::collections::HashMap;

use super::tool_words::Words;

/// Paths of one list that are remembered at once: keys of maps are parts of paths, too.
const REMEMBERED: usize = 5_000;

/// Answers, by list and by path.
type Asked = HashMap<usize, HashMap<String, bool>>;

/// The answer about a path, worked out once by each core. The same is asked of a list whoever asks.
pub(super) fn recalled(list: Words, path: &str, answer: impl FnOnce() -> bool) -> bool {
    thread_local!(static ASKED: RefCell<Asked> = RefCell::default());
    let known = ASKED.with_borrow(|asked| asked.get(&list.place())?.get(path).copied());
    known.unwrap_or_else(|| {
        let told = answer();
        ASKED.with_borrow_mut(|asked| {
            let known = asked.entry(list.place()).or_default();
            if known.len() >= REMEMBERED {
                known.clear();
            }
            known.insert(path.to_owned(), told);
        });
        told
    })
}
