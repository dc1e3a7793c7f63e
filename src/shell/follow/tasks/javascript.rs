//! `deno run FILE`, `deno task NAME`, `bun FILE`.

use crate::model::Value;
use crate::shell::interp::{Interp, Scope};
use crate::shell::simple::Call;
use crate::shell::state::{Flow, State};
use crate::shell::step::{Arg, StepKind};

use super::Found;

/// Options of Deno whose value is the next word.
const VALUED: [&str; 10] = [
    "-c",
    "--config",
    "--import-map",
    "--lock",
    "--seed",
    "--cert",
    "--location",
    "-L",
    "--log-level",
    "--cwd",
];

impl Interp<'_> {
    pub(in crate::shell::follow) fn deno(
        &mut self,
        state: &mut State,
        scope: &Scope,
        call: &Call,
    ) -> Option<Flow> {
        let mut rest = Vec::new();
        let mut words = call.arguments().iter();
        while let Some(word) = words.next() {
            match word.arg.value.as_known() {
                Some(option) if option.starts_with('-') && rest.len() < 2 => {
                    if VALUED.contains(&option) {
                        words.next();
                    }
                }
                _ => rest.push(word.arg.clone()),
            }
        }
        let first = rest.first()?.value.as_known()?.to_owned();
        let inner = scope.through("deno");
        match first.as_str() {
            "task" => {
                let task = rest.get(1)?.value.as_known()?.to_owned();
                self.deno_task(state, &inner, call, &task, rest.get(2..).unwrap_or(&[]));
            }
            "run" | "serve" => self.deno_file(state, &inner, call, rest.get(1..)?),
            file if file.contains(['.', '/']) => self.deno_file(state, &inner, call, &rest),
            _ => return None,
        }
        self.unknown_result(state, scope);
        Some(Flow::Next)
    }

    fn deno_file(&mut self, state: &mut State, scope: &Scope, call: &Call, words: &[Arg]) {
        let Some((file, arguments)) = words.split_first() else { return };
        match file.value.as_known() {
            Some(name) if name.starts_with("jsr:") || name.starts_with("npm:") => {
                self.not_read(state, scope, call, "deno", name);
            }
            Some(name) if name.contains("://") && !name.starts_with("file://") => {
                let reason = format!("code from {name} is run");
                self.emit_as(state, scope, call.span, &call.raw, StepKind::Opaque { reason });
            }
            _ => {
                let arguments = arguments.iter().map(|arg| arg.value.clone()).collect::<Vec<_>>();
                self.code_file(state, scope, "node", file, &arguments);
            }
        }
    }

    /// A task of `deno.json`, or a script of `package.json`, which Deno runs as well.
    fn deno_task(&mut self, state: &mut State, scope: &Scope, call: &Call, task: &str, behind: &[Arg]) {
        let mut read = false;
        for (files, key) in [(&["deno.json", "deno.jsonc"][..], "tasks"), (&["package.json"][..], "scripts")]
        {
            let (path, text) = match self.task_file(state, scope, files, true) {
                Found::File { path, text } => (path, text),
                Found::Nothing => continue,
                Found::Unread => break,
            };
            let Ok(config) = serde_json::from_str::<serde_json::Value>(&text) else { break };
            let Some(entry) = config.get(key).and_then(|tasks| tasks.get(task)) else {
                read = true;
                continue;
            };
            let Some(text) = entry.as_str().or_else(|| entry.get("command")?.as_str()) else { break };
            let mut text = text.to_owned();
            for word in behind {
                text.push(' ');
                text.push_str(&shell_words::quote(&word.value.display()));
            }
            let mut inner = state.clone();
            inner.cwd = path.parent().map(|dir| vec![dir.to_path_buf()]).unwrap_or_default();
            let before =
                entry.get("dependencies").and_then(|list| list.as_array()).cloned().unwrap_or_default();
            if self.tick(state, scope, call.span) {
                for name in before.iter().filter_map(|name| name.as_str()) {
                    self.deno_task(&mut inner, &scope.deeper(), call, name, &[]);
                }
            }
            let (zero, positional) = (Value::known("sh"), Default::default());
            self.fresh_shell(&mut inner, scope, &Value::Known(text), call.span, zero, positional);
            state.files = inner.files;
            return;
        }
        if !read {
            self.not_read(state, scope, call, "deno task", task);
        }
    }

    /// `bun FILE`, `bun run FILE`.
    pub(in crate::shell::follow) fn bun_file(
        &mut self,
        state: &mut State,
        scope: &Scope,
        call: &Call,
        words: &[&str],
    ) -> Option<Flow> {
        let file = match words {
            ["run", file, ..] | [file, ..] => *file,
            [] => return None,
        };
        if !file.contains(['.', '/']) {
            return None;
        }
        let at = call.words.iter().position(|word| word.arg.value.as_known() == Some(file))?;
        let arguments = call.words.iter().skip(at + 1).map(|word| word.arg.value.clone()).collect::<Vec<_>>();
        let arg = call.words.get(at)?.arg.clone();
        let path = self.absolute(state, &arg.value)?;
        // A script may have a dot in its name.
        if self.exists(state, &path) == Some(false)
            && !file.contains('/')
            && !file.ends_with("js")
            && !file.ends_with("ts")
        {
            return None;
        }
        self.code_file(state, &scope.through("bun"), "node", &arg, &arguments);
        self.unknown_result(state, scope);
        Some(Flow::Next)
    }
}
