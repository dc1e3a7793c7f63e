//! Facts by key, shared until they are changed.

use std::collections::{BTreeMap, btree_map};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use super::Fact;

/// Facts by key (`ref.exists`, `deletion_protection`). Kinds choose their tier by them.
///
/// A copy costs nothing until one of the two is changed: evidence begins as the facts of its mutation, and a long plan has
/// tens of thousands of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts(Arc<BTreeMap<String, Fact>>);

impl Facts {
    /// None.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether both are the same copy: what the one does not have the other does not have either.
    pub fn is_shared_with(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Deref for Facts {
    type Target = BTreeMap<String, Fact>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Facts {
    fn deref_mut(&mut self) -> &mut Self::Target {
        Arc::make_mut(&mut self.0)
    }
}

impl<const N: usize> From<[(String, Fact); N]> for Facts {
    fn from(facts: [(String, Fact); N]) -> Self {
        Self(Arc::new(facts.into()))
    }
}

impl FromIterator<(String, Fact)> for Facts {
    fn from_iter<I: IntoIterator<Item = (String, Fact)>>(facts: I) -> Self {
        Self(Arc::new(facts.into_iter().collect()))
    }
}

impl IntoIterator for Facts {
    type Item = (String, Fact);
    type IntoIter = btree_map::IntoIter<String, Fact>;

    fn into_iter(self) -> Self::IntoIter {
        Arc::unwrap_or_clone(self.0).into_iter()
    }
}

impl<'f> IntoIterator for &'f Facts {
    type Item = (&'f String, &'f Fact);
    type IntoIter = btree_map::Iter<'f, String, Fact>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}
