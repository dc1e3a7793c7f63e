//! What an installer takes away of the tree that it puts in order.

use crate::evidence::Session;
use crate::model::{Evidence, FactValue, LossClass, Mutation, PathSubject};
use crate::world::World;

use super::{probe, word};

/// Collects evidence for an installer's run over a tree. It is interrupted for what is known to be lost alone: people
/// install all day, and what could not be looked at is no reason to stop that.
pub(in crate::evidence) fn installed(
    mutation: &Mutation,
    subject: &PathSubject,
    world: &dyn World,
    session: &mut Session,
    evidence: &mut Evidence,
) {
    let mut found = Evidence { facts: evidence.facts.clone(), ..Evidence::default() };
    probe(mutation, subject, world, session, &mut found);
    let lost = FactValue::Text(word(LossClass::Lost).to_owned());
    if found.facts.get("loss").is_some_and(|fact| fact.value == lost) {
        *evidence = found;
    } else {
        let nothing = FactValue::Text(word(LossClass::Nothing).to_owned());
        evidence.fact("loss", nothing, "nothing that is not an installer's was found");
    }
}
