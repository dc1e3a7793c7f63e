//! Code of a project that its tools run: settings that are programs, and tests.
//!
//! Owns that only what it plainly takes away is told: all else of it is of its own making, as a rule, and is kept like what any
//! program of the project does.

use std::path::Path;

use crate::code::{CodeEffect, Program, Reading, analyse_with, compiled};
use crate::knowledge::{FirstFile, Room, places};
use crate::model::Value;
use crate::shell::interp::Shell;
use crate::shell::simple::Call;
use crate::shell::state::State;

use super::code::{Beside, fixed, is_plain};

/// Names in a source that say that it goes elsewhere: names of files without a root are then of no place that is known.
const GOES: [&str; 6] = ["chdir", "Chdir", "isolated_filesystem", "set_current_dir", "current_dir(", "cwd"];

/// How a source gives itself another home directory: what is below it then is of its own making.
const MOVES_HOME: [&str; 7] = [
    "Setenv(\"HOME",
    "setenv(\"HOME",
    "setenv('HOME",
    "set_var(\"HOME",
    "environ[\"HOME\"] =",
    "environ['HOME'] =",
    "env.HOME =",
];

/// What marks tests in a source of Rust.
const MARKS: [&str; 2] = ["#[cfg(test)]", "#[test]"];

impl Shell<'_> {
    /// What a file of the project plainly takes away.
    pub(super) fn project_code(
        &mut self,
        state: &mut State,
        call: &Call,
        (first, file, language): (&FirstFile, &str, &str),
    ) {
        let Ok(mut text) = self.text_of_first(state, file) else { return };
        if file.ends_with(".rs") {
            let at = MARKS.iter().filter_map(|mark| text.find(mark)).min();
            text = at.map_or(String::new(), |at| text.split_off(at));
        }
        if !first.takes.iter().any(|word| text.contains(word)) || !self.tick(state, call.span) {
            return;
        }
        let mut way = state.possible();
        let above = Path::new(file).parent().filter(|dir| first.there && !dir.as_os_str().is_empty());
        if let Some(dir) = above {
            way.cwd = self.directories(&way, &Value::known(dir.to_string_lossy().into_owned()));
        }
        let mut effects = match language {
            "compiled" => compiled(&text, &[], self.home_text(&way).as_deref(), &|_| false),
            _ => {
                let roots = self.module_roots(&way, fixed(language));
                let reading = Reading { tests: true, ..Reading::default() };
                let file = Some(file);
                let program = Program {
                    language: fixed(language),
                    text: &text,
                    arguments: &[],
                    file,
                    roots: &roots,
                    reading,
                };
                analyse_with(&program, &Beside { interp: self, state: &way })
            }
        };
        let goes = GOES.iter().any(|name| text.contains(name));
        let home = MOVES_HOME.iter().any(|part| text.contains(part)).then(|| self.home_text(&way)).flatten();
        effects.retain(|effect| self.takes_away(&way, effect, goes, home.as_deref()));
        if effects.is_empty() {
            return;
        }
        let scope = state.scope.following(&Value::known(file));
        way.within(&scope, |way| {
            self.code_effects(way, fixed(language), effects, call.span, &call.raw);
        });
        state.files.merge(&way.files);
    }

    /// Whether something of a place goes that is known, and that is no place for what is only passing; what is written in the
    /// project is of its own making.
    fn takes_away(&self, state: &State, effect: &CodeEffect, goes: bool, own: Option<&str>) -> bool {
        let removes = |name: &str| {
            let tool = self.knowledge.tool(name);
            tool.is_some_and(|tool| tool.root.refine == Some(Room::Remove))
        };
        // One of the commands of a text that a shell reads.
        let first = |text: &str| {
            let mut commands = text.split(['&', '|', ';', '\n']);
            commands.any(|one| one.split_whitespace().next().is_some_and(removes))
        };
        let (path, writes) = match effect {
            _ if !is_plain(effect) => return false,
            CodeEffect::Delete { path, .. } | CodeEffect::Rename { from: path, .. } => (path, false),
            CodeEffect::Overwrite { path }
            | CodeEffect::Update { path }
            | CodeEffect::Copy { to: path, .. } => (path, true),
            CodeEffect::Shell { text } => return !goes && text.as_known().is_some_and(first),
            CodeEffect::Run { argv } => {
                let words: Option<Vec<&str>> = argv.iter().map(Value::as_known).collect();
                return !goes
                    && match words.as_deref() {
                        Some(["sh" | "bash", "-c", text, ..]) => first(text),
                        Some([name, ..]) => removes(name),
                        _ => false,
                    };
            }
            _ => return false,
        };
        let Some(at) = self.absolute(state, path) else { return false };
        let rooted = path.as_known().is_some_and(|text| text.starts_with('/'));
        let inside = state.cwd.iter().any(|dir| at.starts_with(dir));
        let own = own.is_some_and(|home| at.starts_with(home) && rooted);
        let passing = own || places().shared.iter().any(|place| at.starts_with(place));
        let told = rooted || !goes;
        told && !passing && (!writes || !inside)
    }
}
