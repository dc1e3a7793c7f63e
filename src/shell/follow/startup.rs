//! Files that a new shell reads before what it is given: which shell reads which, and when.

use std::sync::Arc;

use crate::model::{Span, Value};
use crate::shell::expand::Expansion;
use crate::shell::interp::{Scope, Shell};
use crate::shell::simple::Call;
use crate::shell::state::{Content, State, Switches};
use crate::shell::step::Arg;

/// The shell that takes functions out of variables.
pub(super) const TAKES_FUNCTIONS: &str = "bash";

/// Most files in one directory that a shell reads by itself.
const LYING: usize = 256;

/// How a shell was started, as far as that decides what it reads first.
#[derive(Default)]
pub(super) struct Starting {
    /// It takes itself for one that a person types into (`-i`).
    pub(super) interactive: bool,
    /// It takes itself for the first one of a session (`-l`).
    pub(super) login: bool,
    /// It was told to read no files of a login.
    pub(super) no_profile: bool,
    /// It takes nothing from variables that name files (`-p`, `--posix`).
    pub(super) no_variables: bool,
    /// It takes no functions from the environment (`-p`).
    pub(super) no_functions: bool,
    /// It was told to read nothing.
    pub(super) bare: bool,
    /// The file that it reads instead of its own (`--rcfile`).
    pub(super) file: Option<Arg>,
}

impl Shell<'_> {
    /// Follows the files that a new shell reads first, where this command names them; prompts that it shows are looked at.
    pub(super) fn start_up(&mut self, state: &mut State, shell: &str, starting: &Starting, span: Span) {
        let mut files = Vec::new();
        for name in ["BASH_ENV", "ENV", "PS0", "PS1", "PS4", "PROMPT_COMMAND"] {
            let Some(value) = self.handed_on(state, name) else { continue };
            match name {
                "BASH_ENV" if shell == "bash" && !starting.interactive && !starting.no_variables => {
                    files.push(value)
                }
                // Public domain Korn shells read it for scripts too.
                "ENV" if shell != "bash" && (starting.interactive || shell.contains("ksh")) => {
                    files.push(value)
                }
                "BASH_ENV" | "ENV" => {}
                "PROMPT_COMMAND" => self.hidden.push(value.display()),
                _ => self.prompt(&value),
            }
        }
        let mut files =
            files.into_iter().map(|value| Arg { value, span, explicit: false }).collect::<Vec<_>>();
        files.extend(starting.file.clone().filter(|_| starting.interactive && !starting.bare));
        if shell == "zsh" && !starting.bare {
            files.extend(self.of_zsh(state, starting.interactive, span));
        }
        if shell == "fish"
            && !starting.bare
            && let Some(dir) = self.handed_on(state, "XDG_CONFIG_HOME")
        {
            let value = dir.concat(&Value::known("/fish/config.fish"));
            files.push(Arg { value, span, explicit: false });
        }
        for file in files {
            if self.is_text_here(state, &file.value) {
                self.sourced(state, file.value, span);
                continue;
            }
            let mut way = state.possible();
            self.script_file_in(&mut way, &file, Vec::new(), Switches::of_shell(shell));
            state.files.merge(&way.files);
        }
        self.own_start(state, shell, starting, span);
    }

    /// The value of an exported variable that this command set, or that counts as if it had.
    pub(super) fn handed_on(&self, state: &State, name: &str) -> Option<Value> {
        let variable = state.variables.get(name).filter(|variable| variable.exported)?;
        let Content::Scalar(value) = variable.content.clone() else { return None };
        let same = value.as_known() == self.world.env(name).as_deref() && !self.counts(name);
        (value.as_known() != Some("") && !same).then_some(value)
    }

    /// The files of zsh, where this command says which directory they are in.
    fn of_zsh(&self, state: &State, interactive: bool, span: Span) -> Vec<Arg> {
        let Some(dir) = self.handed_on(state, "ZDOTDIR").or_else(|| self.handed_on(state, "HOME")) else {
            return Vec::new();
        };
        let names: &[&str] = if interactive { &[".zshenv", ".zshrc"] } else { &[".zshenv"] };
        let file = |name: &&str| dir.concat(&Value::known(format!("/{name}")));
        names.iter().map(file).map(|value| Arg { value, span, explicit: false }).collect()
    }

    /// What fish finds by itself among its settings: snippets, which it reads first, and functions, each in a file of its own.
    fn of_fish(&self, state: &State, settings: &str) -> Vec<String> {
        let mut found = Vec::new();
        for dir in ["conf.d", "functions"] {
            let dir = format!("{settings}/fish/{dir}");
            let Some(path) = self.absolute(state, &Value::known(dir.as_str())) else { continue };
            let names = self.list(state, &path, LYING).unwrap_or_default();
            let names = names.into_iter().map(|entry| entry.name).filter(|name| name.ends_with(".fish"));
            found.extend(names.map(|name| format!("{dir}/{name}")));
        }
        found.retain(|file| self.is_text_here(state, &Value::known(file.as_str())));
        found
    }

    /// A person's own file is read by a shell that takes itself for theirs: what it plainly does counts, and what cannot
    /// be told of it is their business. Functions and aliases of it stand for what they are.
    fn own_start(&mut self, state: &mut State, shell: &str, starting: &Starting, span: Span) {
        let scope = &Arc::clone(&state.scope);
        if starting.bare || scope.host.is_some() {
            return;
        }
        let Some(home) = self.scalar(state, "HOME").and_then(|home| home.as_known().map(str::to_owned))
        else {
            return;
        };
        let mut own = Scope::clone(scope);
        own.own = self.handed_on(state, "HOME").is_none();
        // A variable may say that the files stand elsewhere.
        let elsewhere = match shell {
            "zsh" => Some("ZDOTDIR"),
            "fish" => Some("XDG_CONFIG_HOME"),
            _ => None,
        };
        let said = elsewhere.and_then(|name| self.scalar(state, name));
        let said = said.as_ref().and_then(Value::as_known).filter(|dir| dir.starts_with('/'));
        own.own &= elsewhere.is_none_or(|name| self.handed_on(state, name).is_none());
        let home = match (said, shell) {
            (Some(dir), _) => dir.to_owned(),
            (None, "fish") => format!("{home}/.config"),
            _ => home,
        };
        let here = |file: &&&str| self.is_text_here(state, &Value::known(format!("{home}/{file}")));
        // What every shell of its kind reads.
        let always = match shell {
            "zsh" if self.handed_on(state, "ZDOTDIR").is_none() => Some(".zshenv"),
            "fish" => Some("fish/config.fish"),
            _ => None,
        };
        let login = Some(profiles(shell)).filter(|_| starting.login && !starting.no_profile);
        // Of these the first that is there is read.
        let login = login.and_then(|files| files.iter().find(here)).copied();
        let interactive = match shell {
            _ if !starting.interactive || starting.file.is_some() => None,
            "bash" if starting.login => None,
            "bash" => Some(".bashrc"),
            "zsh" if self.handed_on(state, "ZDOTDIR").is_none() => Some(".zshrc"),
            _ => None,
        };
        let lying = if shell == "fish" { self.of_fish(state, &home) } else { Vec::new() };
        for path in lying.into_iter().map(Value::Known) {
            state.within(&own, |state| self.sourced(state, path, span));
        }
        for file in [always, login, interactive].into_iter().flatten() {
            let path = Value::known(format!("{home}/{file}"));
            if self.is_text_here(state, &path) {
                if always != Some(file) {
                    self.assign_scalar(state, "PS1", Value::Unknown);
                }
                state.within(&own, |state| self.sourced(state, path, span));
            }
        }
    }

    /// What a shell of a login reads when it ends.
    pub(super) fn ended(&mut self, state: &mut State, shell: &str, starting: &Starting, span: Span) {
        let file = match shell {
            "bash" => ".bash_logout",
            "zsh" => ".zlogout",
            _ => return,
        };
        let scope = &Arc::clone(&state.scope);
        if !starting.login || starting.bare || scope.host.is_some() {
            return;
        }
        let home = self.scalar(state, "HOME");
        let Some(home) = home.as_ref().and_then(Value::as_known) else { return };
        let path = Value::known(format!("{home}/{file}"));
        if self.is_text_here(state, &path) {
            let mut own = Scope::clone(scope);
            own.own = self.handed_on(state, "HOME").is_none();
            state.within(&own, |state| self.sourced(state, path, span));
        }
    }

    /// Whether a path leads to a text that can be read.
    pub(super) fn is_text_here(&self, state: &State, path: &Value) -> bool {
        let limit = self.options.limits.script_bytes;
        self.absolute(state, path).is_some_and(|path| self.read_text(state, &path, limit).is_some())
    }

    /// Reads a file as the shell's own text: functions and variables of it stay.
    fn sourced(&mut self, state: &mut State, path: Value, span: Span) {
        let path = match self.absolute(state, &path).and_then(|path| path.to_str().map(str::to_owned)) {
            Some(path) => Value::Known(path),
            None => path,
        };
        let word =
            |value| Expansion { arg: Arg { value, span, explicit: false }, elastic: false, unordered: false };
        let words = vec![word(Value::known(".")), word(path)];
        let raw = String::from("the shell's own start-up file");
        let call = Call { words, environment: Vec::new(), span, raw, external: true, opened: None };
        self.source(state, &call);
        state.settle();
    }

    /// Marks a variable as one that programs are given.
    pub(crate) fn export(&self, state: &mut State, name: &str) {
        if let Some(variable) = Arc::make_mut(&mut state.variables).get_mut(name) {
            variable.exported = true;
        }
    }
}

/// Files of a person that a shell which begins a session reads.
fn profiles(shell: &str) -> &'static [&'static str] {
    match shell {
        "bash" => &[".bash_profile", ".bash_login", ".profile"],
        "zsh" => &[".zprofile"],
        "fish" => &[],
        _ => &[".profile"],
    }
}
