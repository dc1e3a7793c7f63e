//! The sink that turns steps into mutations as interpretation goes.

use crate::knowledge::Knowledge;
use crate::model::Mutation;
use crate::shell::{Files, Sink, Step};

use super::{Look, effects};

/// Collects the mutations of all steps.
pub struct Collect<'a> {
    knowledge: &'a Knowledge,
    look: &'a dyn Look,
    /// Mutations so far, in program order.
    pub mutations: Vec<Mutation>,
}

impl<'a> Collect<'a> {
    /// An empty collection.
    pub fn new(knowledge: &'a Knowledge, look: &'a dyn Look) -> Self {
        Self { knowledge, look, mutations: Vec::new() }
    }
}

impl Sink for Collect<'_> {
    fn step(&mut self, step: Step, files: &mut Files) {
        self.mutations.extend(effects(&step, self.knowledge, files, self.look));
    }
}
