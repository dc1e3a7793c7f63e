//! One room per program: what data cannot say about it, named by `code` and `refine` in its declaration.
//!
//! Owns what single programs run, print and do to the world beyond their declarations. A room asks the shell only what
//! [`crate::shell::program`] lists, and effects what [`crate::effects::program`] does; it knows no other room but those whose
//! work it shares. Never decides what an act costs.
//!
//! To teach the guard a program: declare it in `src/knowledge/tools`; where data does not suffice, give it a room here.

mod backup;
mod builds;
mod capsh;
mod cargo;
mod cmake;
mod copy;
mod dd;
mod extract;
mod fd;
mod find;
mod fzf;
mod git;
mod globs;
mod in_place;
mod kill;
mod kubectl;
mod less;
mod m4;
mod make;
mod media;
mod miller;
mod mktemp;
mod mounts;
mod moves;
mod ninja;
mod node;
mod npm;
mod parallel;
mod patch;
mod perl;
mod place;
mod python;
mod remove;
mod rename;
mod ripgrep;
mod rsync;
mod ruby;
mod screen;
mod searched;
mod settings;
mod socat;
mod sox;
mod split;
mod ssh;
mod suites;
mod tar;
mod tasks;
mod tee;
mod terraform;
mod text;
mod tmux;
mod truncate;
mod vim;
mod web;
mod words;
mod xargs;

pub(crate) use make::recipes;
pub(crate) use tasks::{composer_command, just_recipes};

use std::collections::BTreeSet;
use std::path::Path;

use crate::effects::program::{Does, Draft, Packed, Scene};
use crate::effects::{Collect, Look};
use crate::knowledge::{Knowledge, Match, Room, lists, places};
use crate::model::Value;
use crate::shell::program::{Call, Flow, Instead, Laid, Programs, Run, Shell, State, Status};
use crate::shell::{self, Invocation, Left, Options, Printed, Sink};
use crate::world::World;

/// What data cannot say about one program.
trait Program: Sync {
    /// Before its own effects: whether something else happens in its place.
    fn begins(&self, _: &mut Shell<'_>, _: &mut State, _: &Run<'_>) -> Option<Instead> {
        None
    }

    /// What it runs besides what its declaration says. With a flow, that says all.
    fn runs(&self, _: &mut Shell<'_>, _: &mut State, _: &Run<'_>) -> Option<Flow> {
        None
    }

    /// What it leaves for the commands behind it.
    fn leaves(&self, _: &mut Shell<'_>, _: &mut State, _: &Match) {}

    /// What its options load in front of the code that they hold, as code.
    fn preloads(&self, _: &Match) -> String {
        String::new()
    }

    /// What it writes to standard output, where that can be told.
    fn prints(&self, _: &Shell<'_>, _: &State, _name: &str, _: &Call) -> Option<Value> {
        None
    }

    /// Whether it succeeds, where that can be told.
    fn succeeds(&self, _: &Shell<'_>, _: &State, _name: &str, _: &Call) -> Status {
        Status::Unknown
    }

    /// What becomes of its declared effects.
    fn does(&self, _: &Scene<'_>, _: &Invocation, declared: Vec<Draft>) -> Vec<Draft> {
        declared
    }

    /// The archive that it makes.
    fn packs(&self, _: &Scene<'_>, _: &Match) -> Option<Packed> {
        None
    }

    /// What of the work tree or of a repository's objects its output holds.
    fn shows(&self, _: &Invocation) -> Option<Printed> {
        None
    }
}

/// The program that lives in a room.
fn of(room: Room) -> &'static dyn Program {
    match room {
        Room::Capsh => &capsh::Capsh,
        Room::Cargo => &cargo::Cargo,
        Room::Cmake => &cmake::Cmake,
        Room::Copy => &copy::Copy,
        Room::Dd => &dd::Dd,
        Room::Compiler => &builds::Compiler,
        Room::Doit => &tasks::Doit,
        Room::Extract => &extract::Extract,
        Room::Fd => &fd::Fd,
        Room::Find => &find::Find,
        Room::Fzf => &fzf::Fzf,
        Room::Git => &git::Git,
        Room::Globs => &globs::Globs,
        Room::InPlace => &in_place::InPlace,
        Room::Invoke => &tasks::Invoke,
        Room::Just => &tasks::Just,
        Room::Kill => &kill::Kill,
        Room::Kubectl => &kubectl::Kubectl,
        Room::Less => &less::Less,
        Room::Listed => &tasks::Listed,
        Room::M4 => &m4::M4,
        Room::Make => &make::Make,
        Room::Media => &media::Media,
        Room::Miller => &miller::Miller,
        Room::Mktemp => &mktemp::Mktemp,
        Room::Mounts => &mounts::Mounts,
        Room::Move => &moves::Move,
        Room::Ninja => &ninja::Ninja,
        Room::Node => &node::Node,
        Room::Nox => &tasks::Nox,
        Room::Npm => &npm::Npm,
        Room::Parallel => &parallel::Parallel,
        Room::Patch => &patch::Patch,
        Room::Perl => &perl::Perl,
        Room::PythonModule => &python::Module,
        Room::Rake => &tasks::Rake,
        Room::Remove => &remove::Remove,
        Room::Rename => &rename::Rename,
        Room::Ripgrep => &ripgrep::Ripgrep,
        Room::Rsync => &rsync::Rsync,
        Room::Ruby => &ruby::Ruby,
        Room::Screen => &screen::Screen,
        Room::Socat => &socat::Socat,
        Room::Sox => &sox::Sox,
        Room::Split => &split::Split,
        Room::Ssh => &ssh::Ssh,
        Room::Suite => &suites::Suites,
        Room::Tar => &tar::Tar,
        Room::Tee => &tee::Tee,
        Room::Terraform => &terraform::Terraform,
        Room::Text => &text::Text,
        Room::Tmux => &tmux::Tmux,
        Room::Truncate => &truncate::Truncate,
        Room::Vim => &vim::Vim,
        Room::Web => &web::Web,
        Room::Xargs => &xargs::Xargs,
    }
}

/// The room of a matched command: its own, or else its tool's.
fn room(matched: &Match) -> Option<&'static dyn Program> {
    matched.command.code.or(matched.tool.root.code).map(of)
}

/// All programs, for the shell and for effects.
struct Rooms;

impl Programs for Rooms {
    fn begins(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Instead> {
        room(run.matched)?.begins(shell, state, run)
    }

    fn runs(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Flow> {
        room(run.matched)?.runs(shell, state, run)
    }

    fn leaves(&self, shell: &mut Shell<'_>, state: &mut State, done: &Invocation) {
        if lists(&places().builds, &done.name) {
            builds::note_build(shell, state, done);
        }
        if let Some(program) = room(&done.matched) {
            program.leaves(shell, state, &done.matched);
        }
    }

    fn laid_out(&self, shell: &Shell<'_>, laid: &Laid, path: &Path) -> Option<String> {
        git::laid_text(shell, laid, path)
    }

    fn preloads(&self, matched: &Match) -> String {
        room(matched).map(|program| program.preloads(matched)).unwrap_or_default()
    }

    fn prints(&self, shell: &Shell<'_>, state: &State, name: &str, call: &Call) -> Option<Value> {
        let room = shell.knowledge.tool(name).and_then(|tool| tool.root.code);
        let told = room.map(of).and_then(|program| program.prints(shell, state, name, call));
        told.or_else(|| settings::printed(name, call)).or_else(|| text::signs::said(shell, state, name, call))
    }

    fn succeeds(&self, shell: &Shell<'_>, state: &State, name: &str, call: &Call) -> Status {
        let room = shell.knowledge.tool(name).and_then(|tool| tool.root.code);
        room.map_or(Status::Unknown, |room| of(room).succeeds(shell, state, name, call))
    }
}

impl Does for Rooms {
    fn does(
        &self,
        room: Room,
        scene: &Scene<'_>,
        invocation: &Invocation,
        declared: Vec<Draft>,
    ) -> Vec<Draft> {
        of(room).does(scene, invocation, declared)
    }

    fn packs(&self, scene: &Scene<'_>, matched: &Match) -> Option<Packed> {
        room(matched)?.packs(scene, matched)
    }

    fn shows(&self, invocation: &Invocation) -> Option<Printed> {
        room(&invocation.matched)?.shows(invocation)
    }
}

/// Walks shell text or an argument vector (`shell::interpret`) with all programs at hand.
pub fn interpret(
    input: &shell::Input,
    world: &dyn World,
    knowledge: &Knowledge,
    options: &Options,
    sink: &mut dyn Sink,
) -> BTreeSet<String> {
    shell::interpret(input, world, knowledge, &Rooms, options, sink)
}

/// What `input` leaves a shell with that goes on afterwards (`shell::left`).
pub fn left(input: &shell::Input, world: &dyn World, knowledge: &Knowledge, options: &Options) -> Left {
    shell::left(input, world, knowledge, &Rooms, options)
}

/// A sink that turns steps into mutations, with all programs at hand.
pub fn collect<'a>(knowledge: &'a Knowledge, look: &'a dyn Look) -> Collect<'a> {
    Collect::new(knowledge, look, &Rooms)
}

/// What effects ask of all programs, for their own tests.
#[cfg(test)]
pub(crate) fn effects() -> &'static dyn Does {
    &Rooms
}
