//! Words by which a program is told to start another one or to load code, beyond what its declaration lists.

use std::path::Path;

use crate::knowledge::{Match, Style, Unlisted, lists, match_words, places};
use crate::model::{Span, Value};
use crate::shell::expand::Expansion;
use crate::shell::interp::Shell;
use crate::shell::simple::Call;
use crate::shell::state::State;
use crate::shell::step::{Arg, Mode, StepKind};
use crate::world::FileKind;

/// Parts of the names of options that mostly name a program or a command.
const TELLING: [&str; 20] = [
    "exec", "cmd", "command", "hook", "script", "shell", "program", "pager", "editor", "rsh", "ssh",
    "filter", "invoke", "wrapper", "launcher", "runner", "-up", "-down", "helper", "viewer",
];

/// Options by which a program is mostly told which file it is to write.
const OUTPUTS: [&str; 8] =
    ["--output", "--out", "--outfile", "--out-file", "--output-file", "--save-to", "--export", "--write-to"];

/// Words behind which a command stands.
const VERBS: [&str; 2] = ["exec", "run"];

impl Shell<'_> {
    /// Options that the declaration does not list, where it takes them all for harmless: a command in one of their
    /// values is judged as if it ran.
    pub(in crate::shell) fn unexplained(
        &mut self,
        state: &mut State,
        name: &str,
        call: &Call,
        matched: &Match,
    ) {
        if matched.command.unlisted_options != Unlisted::Reads || matched.command.style == Style::Raw {
            return;
        }
        let explained = |at: usize| {
            let options = matched.options.iter().any(|o| o.index == at || o.value_index == at);
            options || matched.levels.len() > 1 && at + 1 < matched.levels.len()
        };
        let words = call.arguments();
        for (at, word) in words.iter().enumerate() {
            let Some(text) = word.arg.value.as_known() else { continue };
            if explained(at) {
                continue;
            }
            let rest = words.get(at + 1..).unwrap_or_default();
            if text == "--" || VERBS.contains(&text) {
                if self.starts(state, name, rest) {
                    return;
                }
            } else if text.starts_with('-') {
                let (option, attached) = match text.split_once('=') {
                    Some((option, value)) => (option, Some(value)),
                    None => (text, None),
                };
                let telling = TELLING.iter().any(|part| option.contains(part));
                let span = word.arg.span;
                if OUTPUTS.contains(&option) {
                    let value = attached.or_else(|| rest.first().and_then(|next| next.arg.value.as_known()));
                    self.put_out(state, value.unwrap_or_default(), word);
                    continue;
                }
                match (attached, rest.first()) {
                    (Some(value), _) => self.value_given(state, name, value, telling, span),
                    (None, Some(next)) => {
                        if self.starts(state, name, rest) {
                            return;
                        }
                        if let Some(value) = next.arg.value.as_known() {
                            self.value_given(state, name, value, telling, next.arg.span);
                        }
                    }
                    (None, None) => {}
                }
            }
        }
    }

    /// A file that is there already behind an option for outputs is written over: formats and columns have that option too,
    /// but hardly names of files.
    fn put_out(&mut self, state: &mut State, file: &str, word: &Expansion) {
        let value = Value::known(file);
        let Some(path) = self.absolute(state, &value) else { return };
        let there = self.world.stat(&path).is_ok_and(|meta| meta.kind == FileKind::File && meta.size > 0);
        if there && state.scope.host.is_none() {
            let raw = format!("{} {file}", word.arg.value.display());
            let path = Arg { value, ..word.arg.clone() };
            let kind = StepKind::Write { path, mode: Mode::Truncate, noclobber: false, content: None };
            self.emit_as(state, word.arg.span, &raw, kind);
        }
    }

    /// Words that form a command which may lose something. One word alone is mostly a name.
    fn starts(&mut self, state: &mut State, name: &str, words: &[Expansion]) -> bool {
        let Some(first) = words.first().and_then(|word| word.arg.value.as_known()) else { return false };
        let values = words.iter().skip(1).map(|word| word.arg.value.clone()).collect::<Vec<_>>();
        if !self.would_lose(state, first, &values) {
            return false;
        }
        let inner = state.scope.through(name);
        state.perhaps(|state| {
            state.within(&inner, |state| self.program(state, words.to_vec(), words[0].arg.span));
        });
        true
    }

    fn would_lose(&self, state: &State, program: &str, values: &[Value]) -> bool {
        let base = program.rsplit('/').next().unwrap_or(program);
        // A text that nobody may run, and that is no script, is a file with a program's name: `/etc/passwd`.
        let path = program.starts_with('/').then(|| Value::known(program));
        let path = path.and_then(|path| self.absolute(state, &path));
        let mere = |path: &std::path::PathBuf| {
            self.world.stat(path).is_ok_and(|meta| meta.mode & 0o111 == 0)
                && self
                    .read_text(state, path, self.options.limits.script_bytes)
                    .is_some_and(|text| !text.starts_with("#!"))
        };
        if path.as_ref().is_some_and(mere) {
            return false;
        }
        if values.is_empty() || base.starts_with('-') || lists(&places().everyday, base) {
            return false;
        }
        super::is_shell(base)
            || self.knowledge.tool(base).is_some_and(|tool| match_words(&tool, values).is_dangerous())
    }

    /// The value of an option that is not listed.
    fn value_given(&mut self, state: &mut State, name: &str, text: &str, telling: bool, span: Span) {
        let Ok(words) = shell_words::split(text) else { return };
        let Some((first, more)) = words.split_first() else { return };
        let inner = state.scope.through(name);
        if more.is_empty() {
            // A script of this place behind an option that names programs.
            let path = self.absolute(state, &Value::known(first.as_str()));
            let script = telling
                && first.contains('/')
                && path.is_some_and(|path| {
                    self.read_text(state, &path, self.options.limits.script_bytes)
                        .is_some_and(|text| text.starts_with("#!"))
                });
            if script {
                state.perhaps(|state| {
                    let text = Value::known(text);
                    state.within(&inner, |state| {
                        self.fresh_shell(state, &text, span, Value::known("sh"), Default::default())
                    });
                });
            }
            return;
        }
        // A sentence may begin with the name of a program.
        let pointed = more.iter().any(|word| word.starts_with('-') || word.contains(['/', '~', '*']));
        let values = more.iter().map(Value::known).collect::<Vec<_>>();
        if (telling || pointed) && self.would_lose(state, first, &values) {
            state.perhaps(|state| {
                state.within(&inner, |state| {
                    self.fresh_shell(state, &Value::known(text), span, Value::known("sh"), Default::default())
                });
            });
        }
    }

    /// A file that is loaded as code. A name that is not here is looked for where libraries are installed.
    pub(in crate::shell) fn loaded(
        &mut self,
        state: &mut State,
        file: &Value,
        span: Span,
        raw: &str,
    ) -> bool {
        let installed = file.as_known().is_some_and(|text| {
            let path = self.absolute(state, file);
            text.is_empty()
                || super::settings::is_library(text)
                || !text.contains('/') && self.only_here(state, Path::new(text)) == Some(false)
                || text.contains('/') && path.is_some_and(|path| self.exists(state, &path) == Some(false))
        });
        if !installed {
            let reason = format!("`{}` is loaded as code and cannot be read", file.display());
            self.emit_as(state, span, raw, StepKind::Opaque { reason });
        }
        !installed
    }

    /// Whether a name stands in the current directory.
    fn only_here(&self, state: &State, name: &Path) -> Option<bool> {
        self.exists(state, &state.only_cwd()?.join(name))
    }
}
