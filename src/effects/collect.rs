//! The sink that turns steps into mutations as interpretation goes.

use crate::knowledge::Knowledge;
use crate::model::{Mutation, Secrets, Value};
use crate::shell::{Files, Invocation, Sink, Stdin, Step, StepKind};

use super::{Look, effects};

/// Collects the mutations of all steps, and the secrets in their words.
pub struct Collect<'a> {
    knowledge: &'a Knowledge,
    look: &'a dyn Look,
    /// Mutations so far, in program order.
    pub mutations: Vec<Mutation>,
    /// What the words say is secret.
    pub secrets: Secrets,
}

impl<'a> Collect<'a> {
    /// An empty collection.
    pub fn new(knowledge: &'a Knowledge, look: &'a dyn Look) -> Self {
        Self { knowledge, look, mutations: Vec::new(), secrets: Secrets::default() }
    }
}

impl Sink for Collect<'_> {
    fn step(&mut self, step: Step, files: &mut Files) {
        if let StepKind::Run(invocation) = &step.kind {
            secrets(invocation, &mut self.secrets);
        }
        self.mutations.extend(effects(&step, self.knowledge, files, self.look));
    }
}

/// What the tool's data says is secret among an invocation's words.
fn secrets(invocation: &Invocation, found: &mut Secrets) {
    let words: Vec<Value> = invocation.args.iter().skip(1).map(|arg| arg.value.clone()).collect();
    let stdin = match &invocation.stdin {
        Stdin::Text(text) => Some(text),
        _ => None,
    };
    for text in invocation.matched.secrets(&words, stdin) {
        found.add(&text);
    }
}
