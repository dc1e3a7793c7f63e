//! What the routes answer from, and who may ask for more.

use std::sync::Arc;

use axum::http::HeaderMap;

use super::api::Judge;
use super::callers::{Caller, Callers, Scope};
use super::documents::UnderWay;
use super::evaluations::Evaluations;
use super::published::Published;
use super::traffic::Traffic;

/// What the routes answer from.
pub struct State {
    /// Registry and attestations.
    pub published: Published,
    /// Judges requests of `POST /api/evaluate`.
    pub judge: Arc<dyn Judge>,
    /// Who has a token; without one evaluation is closed.
    pub callers: Callers,
    /// Counts what is asked.
    pub traffic: Arc<Traffic>,
    /// What of large answers is under way.
    pub(super) under_way: UnderWay,
    /// Room for evaluations.
    pub(super) evaluations: Evaluations,
}

impl State {
    /// Answers from these.
    pub fn new(published: Published, judge: Arc<dyn Judge>, callers: Callers, traffic: Arc<Traffic>) -> Self {
        let (under_way, evaluations) = (UnderWay::default(), Evaluations::default());
        Self { published, judge, callers, traffic, under_way, evaluations }
    }
}

pub(super) type App = Arc<State>;

/// Whose token a request carries, where it may do this.
pub(super) fn allowed<'s>(state: &'s State, headers: &HeaderMap, scope: Scope) -> Option<&'s Caller> {
    state.callers.who(headers).filter(|caller| caller.may(scope))
}
