//! Git: what its subcommands do to refs, paths and objects, and all that it starts by itself.

mod answers;
mod asked;
mod attributes;
mod does;
mod hooks;
mod lays_out;
mod settings;
mod starts;

use crate::effects::program::{Draft, Packed, Scene};
use crate::knowledge::Match;
use crate::model::Value;
use crate::shell::program::{Call, Flow, Instead, Run, Shell, State};
use crate::shell::{Invocation, Printed};

use super::words::opaque;

pub(super) use answers::not_ignored;
pub(super) use does::{files, patch};
pub(crate) use lays_out::laid_text;

/// See [`Room::Git`](crate::knowledge::Room::Git).
pub(super) struct Git;

impl super::Program for Git {
    fn begins(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Instead> {
        settings::git_alias(shell, state, run.call, run.matched).map(Instead::Done)
    }

    fn runs(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Flow> {
        if run.matched.value("--exec-path").is_some_and(|dir| dir.as_known() != Some("")) {
            opaque(shell, state, run.call, "git runs programs of a directory that is not looked at");
        }
        settings::git_programs(shell, state, run.call, run.matched);
        starts::git_starts(shell, state, run.call, run.matched);
        settings::git_foreach(shell, state, run.call, run.matched)
    }

    fn leaves(&self, shell: &mut Shell<'_>, state: &mut State, matched: &Match) {
        if state.scope.host.is_none() {
            lays_out::lays_out(shell, state, matched);
        }
    }

    fn prints(&self, shell: &Shell<'_>, state: &State, _: &str, call: &Call) -> Option<Value> {
        if state.scope.host.is_none() { answers::git_answer(shell, state, call) } else { None }
    }

    fn does(&self, scene: &Scene<'_>, invocation: &Invocation, _: Vec<Draft>) -> Vec<Draft> {
        does::git(scene, invocation)
    }

    fn packs(&self, scene: &Scene<'_>, matched: &Match) -> Option<Packed> {
        does::archive(scene, matched)
    }

    fn shows(&self, invocation: &Invocation) -> Option<Printed> {
        does::printed(invocation)
    }
}
