//! Sorting, written once for all types: what is equal stays in the order in which it stood.
//!
//! The standard library's sort is compiled anew for each type and each comparison, thousands of bytes each; here it runs over
//! places in the list, and only what compares and what swaps is of one type.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// Sorts as the type itself compares.
pub fn sort<T: Ord>(items: &mut [T]) {
    by(items, T::cmp);
}

/// Sorts by a key.
pub fn by_key<T, K: Ord>(items: &mut [T], mut key: impl FnMut(&T) -> K) {
    by(items, |one, other| key(one).cmp(&key(other)));
}

/// Sorts as this compares.
pub fn by<T>(items: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    let swaps = swaps(items.len(), &mut |one, other| compare(&items[one], &items[other]));
    for (one, other) in swaps {
        items.swap(one, other);
    }
}

/// What comes, as a set. The standard library sorts it first, which is compiled anew for each type as well.
pub fn set<T: Ord>(items: impl IntoIterator<Item = T>) -> BTreeSet<T> {
    let mut set = BTreeSet::new();
    items.into_iter().for_each(|item| _ = set.insert(item));
    set
}

/// What comes, as a map; of equal keys the last one's value.
pub fn map<K: Ord, V>(items: impl IntoIterator<Item = (K, V)>) -> BTreeMap<K, V> {
    let mut map = BTreeMap::new();
    items.into_iter().for_each(|(key, value)| _ = map.insert(key, value));
    map
}

/// The swaps that sort a list of this length, in turn.
#[inline(never)]
fn swaps(length: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<(usize, usize)> {
    let mut sorted: Vec<usize> = (0..length).collect();
    sorted.sort_by(|one, other| compare(*one, *other));
    let mut goes_to = vec![0; length];
    for (to, from) in sorted.into_iter().enumerate() {
        goes_to[from] = to;
    }
    let mut swaps = Vec::new();
    for at in 0..length {
        // Each swap brings one to where it belongs.
        while goes_to[at] != at {
            let to = goes_to[at];
            swaps.push((at, to));
            goes_to.swap(at, to);
        }
    }
    swaps
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_sorts_as_the_standard_library_does(items in prop::collection::vec((0..6u8, any::<u16>()), 0..80)) {
            let mut expected = items.clone();
            expected.sort_by_key(|(key, _)| std::cmp::Reverse(*key));
            let mut own = items.clone();
            super::by_key(&mut own, |(key, _)| std::cmp::Reverse(*key));
            prop_assert_eq!(own, expected, "what is equal keeps its order");
            let (mut expected, mut own) = (items.clone(), items);
            expected.sort();
            super::sort(&mut own);
            prop_assert_eq!(&own, &expected);
            prop_assert_eq!(super::set(own.clone()), own.iter().copied().collect());
            prop_assert_eq!(super::map(own.clone()), own.into_iter().collect());
        }
    }
}
