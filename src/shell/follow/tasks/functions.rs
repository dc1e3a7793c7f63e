//! Runners whose tasks are functions of a language that is read: `rake`, `invoke`, `nox`.

use std::path::Path;

use crate::code::{Program, Reading, Runner, tasks};
use crate::knowledge::{Follower, Match};
use crate::model::Value;
use crate::shell::follow::code::Beside;
use crate::shell::interp::{Interp, Scope};
use crate::shell::simple::Call;
use crate::shell::state::State;

use super::Found;

impl Interp<'_> {
    /// `rake TASK…`: its file is looked for upwards, and its directory is where tasks run.
    pub(super) fn rake(&mut self, state: &mut State, scope: &Scope, call: &Call, matched: &Match) -> bool {
        let named = matched.value("-f").cloned();
        let found = match &named {
            Some(file) => self.named_file(state, scope, file),
            None => {
                self.task_file(state, scope, &["Rakefile", "rakefile", "Rakefile.rb", "rakefile.rb"], true)
            }
        };
        let values = matched.operands("task");
        let Some(wanted) = names(&values.iter().map(|one| &one.value).collect::<Vec<_>>()) else {
            self.not_read(state, scope, call, "rake", "");
            return true;
        };
        // `task[argument]`, `NAME=value`
        let wanted = wanted
            .iter()
            .filter(|word| !word.contains('='))
            .map(|word| word.split('[').next().unwrap_or(word).to_owned())
            .collect::<Vec<_>>();
        let Found::File { path, mut text } = found else {
            return self.unfound(state, scope, call, "rake", &wanted, &found);
        };
        if named.is_none()
            && let Some(dir) = path.parent()
        {
            state.cwd = vec![dir.to_path_buf()];
        }
        // Files that are read without being named.
        let more = self.pattern_names(state, scope, "rakelib/*.rake");
        for name in more.into_iter().flatten() {
            text.push_str(&format!("\nload '{}'\n", name.replace('\'', "\\'")));
        }
        self.run_tasks(state, scope, call, "rake", Runner::Rake, (&path, &text), &wanted);
        true
    }

    /// `invoke TASK…`, `nox -s SESSION…`.
    pub(super) fn python_tasks(
        &mut self,
        state: &mut State,
        scope: &Scope,
        call: &Call,
        matched: &Match,
        follower: Follower,
    ) -> bool {
        let (name, runner, files, option): (_, _, &[&str], _) = match follower {
            Follower::Nox => ("nox", Runner::Nox, &["noxfile.py"], "-f"),
            _ => ("invoke", Runner::Invoke, &["tasks.py", "tasks/__init__.py"], "-c"),
        };
        let file = matched.value(option).cloned();
        let found = match (&file, runner) {
            (Some(Value::Known(file)), Runner::Invoke) => {
                self.task_file(state, scope, &[&format!("{file}.py"), &format!("{file}/__init__.py")], true)
            }
            (Some(file), _) => self.named_file(state, scope, file),
            (None, _) => self.task_file(state, scope, files, runner == Runner::Invoke),
        };
        let mut values = matched.operands("task").iter().map(|one| &one.value).collect::<Vec<_>>();
        if runner == Runner::Nox {
            values = matched.values("-s");
        }
        let Some(wanted) = names(&values) else {
            self.not_read(state, scope, call, name, "");
            return true;
        };
        let wanted = if runner == Runner::Nox {
            // `-s` takes several names; a session is chosen by the interpreter behind a dash too.
            let all = wanted.iter().chain(std::iter::empty());
            all.map(|word| word.split(['-', '(']).next().unwrap_or(word).to_owned()).collect()
        } else {
            wanted
                .into_iter()
                .filter(|word| !word.starts_with('-') && !word.contains('='))
                .collect::<Vec<_>>()
        };
        let Found::File { path, text } = found else {
            return self.unfound(state, scope, call, name, &wanted, &found);
        };
        if runner == Runner::Invoke
            && let Some(dir) = path.parent()
        {
            let dir = if path.ends_with("__init__.py") { dir.parent().unwrap_or(dir) } else { dir };
            state.cwd = vec![dir.to_path_buf()];
        }
        self.run_tasks(state, scope, call, name, runner, (&path, &text), &wanted);
        true
    }

    /// No file: nothing runs. One that cannot be read: any program may.
    pub(super) fn unfound(
        &mut self,
        state: &mut State,
        scope: &Scope,
        call: &Call,
        runner: &str,
        wanted: &[String],
        found: &Found,
    ) -> bool {
        if let Found::Unread = found {
            if wanted.is_empty() {
                self.not_read(state, scope, call, runner, "");
            }
            for task in wanted {
                self.not_read(state, scope, call, runner, task);
            }
        }
        true
    }

    #[allow(clippy::too_many_arguments)]
    fn run_tasks(
        &mut self,
        state: &mut State,
        scope: &Scope,
        call: &Call,
        name: &str,
        runner: Runner,
        (path, text): (&Path, &str),
        wanted: &[String],
    ) {
        let language = if runner == Runner::Rake { "ruby" } else { "python" };
        let file = path.to_string_lossy();
        let roots = self.module_roots(state, language);
        let program = Program {
            language,
            text,
            arguments: &[],
            file: Some(&file),
            roots: &roots,
            reading: Reading::default(),
        };
        let done = tasks(runner, &program, wanted, &Beside { interp: self, state, scope });
        self.code_effects(state, scope, language, done.effects, call.span, &call.raw);
        for task in done.unknown {
            self.not_read(state, scope, call, name, &task);
        }
    }
}

/// The words, when all of them are known.
fn names(values: &[&Value]) -> Option<Vec<String>> {
    values.iter().map(|value| value.as_known().map(str::to_owned)).collect()
}
