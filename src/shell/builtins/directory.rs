//! `cd`, `pushd`, `popd`.

use std::path::{Component, Path, PathBuf};

use crate::model::Value;
use crate::shell::files::FileState;
use crate::shell::interp::Shell;
use crate::shell::simple::Call;
use crate::shell::state::{Flow, State, Status};
use crate::shell::view::joined;
use crate::world::resolve::logical;

impl Shell<'_> {
    pub(super) fn cd(&mut self, state: &mut State, call: &Call) -> Flow {
        let mut words = call.arguments().iter().map(|word| &word.arg.value).collect::<Vec<_>>();
        let mut physical = state.switches.physical;
        while let Some(text) = words.first().and_then(|value| value.as_known()) {
            match text {
                "--" => {
                    words.remove(0);
                    break;
                }
                // The last of them counts.
                _ if is_flags(text, state.switches.zsh) => {
                    let last = text.chars().rev().find(|c| matches!(c, 'L' | 'P'));
                    physical = last.map_or(physical, |letter| letter == 'P');
                    words.remove(0);
                }
                _ => break,
            }
        }
        if state.scope.host.is_some() {
            state.cwd = Vec::new();
            state.status = Status::Unknown;
            return Flow::Next;
        }
        let target = match words.as_slice() {
            [] => match self.scalar(state, "HOME") {
                Some(home) => home,
                None => {
                    state.status = Status::False;
                    return Flow::Next;
                }
            },
            [one] => (*one).clone(),
            _ => {
                // Too many arguments, unless one may vanish.
                if call.open() {
                    state.cwd = Vec::new();
                    state.status = Status::Unknown;
                } else {
                    state.status = Status::False;
                }
                return Flow::Next;
            }
        };
        if target.as_known() == Some("-") {
            let previous = state.previous.clone();
            self.enter(state, previous.is_empty(), previous, Status::True);
            return Flow::Next;
        }
        self.change(state, &target, physical);
        Flow::Next
    }

    /// Changes to where a value points; success and failure are kept apart where either may be.
    fn change(&mut self, state: &mut State, target: &Value, physical: bool) {
        if state.switches.cdable_vars
            && let Some(name) = target.as_known().filter(|name| is_name(name))
            && self.cd_path(state, target).is_none()
        {
            let dirs = joined(state, target);
            let here: Vec<Option<bool>> = dirs.iter().map(|path| self.is_directory(state, path)).collect();
            let surely_here = !here.is_empty() && here.iter().all(|is| *is == Some(true));
            if !surely_here && let Some(value) = self.scalar(state, name) {
                if here.iter().any(|is| *is != Some(false)) || here.is_empty() {
                    // Either of the two.
                    self.enter(state, true, Vec::new(), Status::Unknown);
                    return;
                }
                state.switches.cdable_vars = false;
                self.change(state, &value, physical);
                state.switches.cdable_vars = true;
                return;
            }
        }
        if target.as_known() == Some("") {
            // `cd ""` stays.
            state.status = Status::True;
            return;
        }
        let searched = self.cd_path(state, target);
        let all = searched.unwrap_or_else(|| joined(state, target));
        let led = all.iter().map(|path| self.led(state, path)).collect::<Option<Vec<_>>>();
        let Some(all) = led.map(|all| all.into_iter().flatten().collect::<Vec<_>>()) else {
            return self.enter(state, true, Vec::new(), Status::Unknown);
        };
        let tried = all.len();
        let all: Vec<PathBuf> = all.into_iter().filter(|path| self.passable(state, path)).collect();
        if all.is_empty() && tried > 0 {
            state.status = Status::False;
            return;
        }
        // The shell takes `..` away by the text of the path that it came by, unless it is told to go as the kernel does.
        let all = if physical {
            all.iter().map(|dir| self.physical(state, dir)).collect::<Option<Vec<_>>>().unwrap_or_default()
        } else {
            all.iter().map(|dir| logical(dir)).collect()
        };
        if all.is_empty() {
            self.enter(state, true, Vec::new(), Status::Unknown);
            return;
        }
        let mut possible = Vec::new();
        let mut certain = all.len() == tried;
        for path in all {
            match self.is_directory(state, &path) {
                Some(true) => possible.push(path),
                // A program that ran before may have made it.
                Some(false) if !self.made_anywhere || self.is_there_or_gone(state, &path) => certain = false,
                Some(false) | None => {
                    certain = false;
                    possible.push(path);
                }
            }
        }
        if possible.is_empty() {
            state.status = Status::False;
            return;
        }
        let status = if certain { Status::True } else { Status::Unknown };
        self.enter(state, false, possible, status);
    }

    /// Whether something else stands at a place, or this command took it away.
    fn is_there_or_gone(&self, state: &State, path: &Path) -> bool {
        self.exists(state, path) != Some(false)
            || matches!(state.files.nearest(path), Some((_, FileState::Gone)))
    }

    /// Whether a directory stands before every `..`, as far as can be seen: the shell refuses to go over one that is not there.
    fn passable(&self, state: &State, path: &Path) -> bool {
        let mut before = PathBuf::new();
        for part in path.components() {
            if part == Component::ParentDir && self.is_directory(state, &before) == Some(false) {
                return false;
            }
            before.push(part);
        }
        true
    }

    fn enter(&mut self, state: &mut State, unknown: bool, to: Vec<PathBuf>, status: Status) {
        let from = std::mem::replace(&mut state.cwd, if unknown { Vec::new() } else { to });
        state.failed_cwd = (status == Status::Unknown).then(|| from.clone());
        state.previous = from;
        let variables = std::sync::Arc::make_mut(&mut state.variables);
        variables.remove("PWD");
        variables.remove("OLDPWD");
        state.status = status;
    }

    /// `CDPATH`, when it is set and the name is relative.
    fn cd_path(&self, state: &State, target: &Value) -> Option<Vec<PathBuf>> {
        let name = target.as_known()?;
        if name.starts_with(['/', '.']) {
            return None;
        }
        let path = self.scalar(state, "CDPATH")?;
        let path = path.as_known()?.to_owned();
        path.split(':').filter(|dir| !dir.is_empty()).find_map(|dir| {
            let named = joined(state, &Value::Known(format!("{dir}/{name}")));
            let at =
                named.into_iter().next().filter(|_| state.only_cwd().is_some() || dir.starts_with('/'))?;
            if !self.passable(state, &at) {
                return None;
            }
            let at = logical(&at);
            (self.is_directory(state, &at) == Some(true)).then(|| vec![at])
        })
    }

    pub(super) fn pushd(&mut self, state: &mut State, call: &Call) -> Flow {
        if state.scope.capture {
            state.print(&Value::Unknown);
        }
        if state.scope.host.is_some() {
            state.cwd = Vec::new();
            state.status = Status::Unknown;
            return Flow::Next;
        }
        let values = call.values();
        let operand =
            values.iter().find(|value| value.as_known() != Some("-n") && value.as_known() != Some("--"));
        let operands = values.iter().filter(|value| !matches!(value.as_known(), Some("-n" | "--")));
        if operands.count() > 1 {
            state.status = Status::False;
            return Flow::Next;
        }
        let old = state.cwd.clone();
        let stays = values.iter().any(|value| value.as_known() == Some("-n"));
        match operand {
            None if stays => {
                state.stack.clear();
                state.status = Status::Unknown;
            }
            None => {
                let Some(top) = state.stack.pop() else {
                    state.status = Status::False;
                    return Flow::Next;
                };
                state.stack.push(old);
                self.enter(state, top.is_empty(), top, Status::True);
            }
            Some(value) => {
                if value.as_known().is_some_and(|text| {
                    text.starts_with(['+', '-'])
                        && text.len() > 1
                        && text[1..].chars().all(|c| c.is_ascii_digit())
                }) {
                    self.enter(state, true, Vec::new(), Status::Unknown);
                    state.stack.clear();
                    return Flow::Next;
                }
                let value = value.clone();
                if stays {
                    // It is noted below the top, where the shell remains.
                    state.stack.push(self.directories(state, &value));
                    state.status = Status::Unknown;
                    return Flow::Next;
                }
                let physical = state.switches.physical;
                self.change(state, &value, physical);
                if state.status != Status::False {
                    state.stack.push(old);
                }
            }
        }
        Flow::Next
    }

    pub(super) fn popd(&mut self, state: &mut State, call: &Call) -> Flow {
        if call.texts().is_some_and(|texts| texts == ["-n"]) {
            state.status = Status::from_bool(state.stack.pop().is_some());
            return Flow::Next;
        }
        if !call.arguments().is_empty() {
            self.enter(state, true, Vec::new(), Status::Unknown);
            state.stack.clear();
            return Flow::Next;
        }
        match state.stack.pop() {
            Some(top) => self.enter(state, top.is_empty(), top, Status::True),
            None => state.status = Status::False,
        }
        Flow::Next
    }
}

/// Whether a word may be a variable's name.
fn is_name(text: &str) -> bool {
    !text.starts_with(|c: char| c.is_ascii_digit())
        && !text.is_empty()
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Options of `cd`, also in one word.
fn is_flags(text: &str, zsh: bool) -> bool {
    text.strip_prefix('-').is_some_and(|letters| {
        !letters.is_empty()
            && letters.chars().all(|c| matches!(c, 'L' | 'P' | 'e' | '@') || zsh && matches!(c, 'q' | 's'))
    })
}
