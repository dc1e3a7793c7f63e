//! Long lists, of which each core takes a part.
//!
//! Owns how a list is shared out; the parts come back in their order. What fails in a thread fails in the caller's.

use std::panic::resume_unwind;
use std::thread;

/// A list below this is not worth another thread.
const ALONE: usize = 1_000;

/// How many of so many things each core takes.
pub fn share(all: usize) -> usize {
    // How many cores there are is read from several files, which takes longer than to judge an everyday line.
    if all <= ALONE {
        return ALONE;
    }
    let cores = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    all.div_ceil(cores).max(ALONE)
}

/// The work for every part: the first one here, each further one on a thread of its own.
pub fn each<P: Send, R: Send>(parts: impl IntoIterator<Item = P>, work: impl Fn(P) -> R + Sync) -> Vec<R> {
    let mut parts = parts.into_iter();
    let Some(first) = parts.next() else { return Vec::new() };
    let work = &work;
    thread::scope(|scope| {
        let others: Vec<_> = parts.map(|part| scope.spawn(move || work(part))).collect();
        let first = work(first);
        let others =
            others.into_iter().map(|other| other.join().unwrap_or_else(|fault| resume_unwind(fault)));
        std::iter::once(first).chain(others).collect()
    })
}

/// The same for things that are handed on.
pub fn each_of<T: Send, R: Send>(mut all: Vec<T>, work: impl Fn(Vec<T>) -> R + Sync) -> Vec<R> {
    let size = share(all.len());
    let mut parts = Vec::new();
    while all.len() > size {
        let rest = all.split_off(size);
        parts.push(std::mem::replace(&mut all, rest));
    }
    parts.push(all);
    each(parts, work)
}

#[cfg(test)]
mod tests {
    use super::{each, each_of, share};

    #[test]
    fn parts_come_back_in_order() {
        let all: Vec<usize> = (0..5_000).collect();
        let doubled: Vec<usize> =
            each(all.chunks(share(all.len())), |part| part.iter().map(|one| one * 2).collect::<Vec<_>>())
                .concat();
        assert_eq!(doubled, all.iter().map(|one| one * 2).collect::<Vec<_>>());
        assert_eq!(each_of(all.clone(), |part| part).concat(), all);
        assert_eq!(each_of(Vec::<usize>::new(), |part| part.len()), [0]);
    }

    #[test]
    #[should_panic(expected = "in the second part")]
    fn a_fault_in_a_thread_is_the_callers() {
        each([1, 2], |part| assert!(part == 1, "in the second part"));
    }
}
