//! `npm run`, `yarn`, `pnpm`, `bun`: scripts in `package.json`.

use crate::model::Value;
use crate::shell::interp::{Interp, Scope};
use crate::shell::simple::Call;
use crate::shell::state::{Flow, State};

/// Subcommands that run a script of their own name.
const LIFECYCLE: [&str; 5] = ["test", "start", "stop", "restart", "t"];

impl Interp<'_> {
    pub(super) fn package_script(
        &mut self,
        state: &mut State,
        scope: &Scope,
        name: &str,
        call: &Call,
    ) -> Option<Flow> {
        let texts = call.texts()?;
        let mut words = Vec::new();
        let mut directory = None;
        let mut behind = Vec::new();
        let mut at = texts.iter();
        while let Some(word) = at.next() {
            match *word {
                "--" => {
                    behind.extend(at.by_ref().copied());
                }
                "--prefix" | "-C" | "--dir" | "--cwd" => directory = at.next().copied(),
                option if option.starts_with('-') => {}
                word => words.push(word),
            }
        }
        let script = match words.as_slice() {
            ["run" | "run-script" | "rum" | "urn", script, ..] => (*script).to_owned(),
            ["t" | "tst", ..] => "test".to_owned(),
            [first, ..] if LIFECYCLE.contains(first) => (*first).to_owned(),
            [first, ..] if matches!(name, "yarn" | "pnpm" | "bun") => (*first).to_owned(),
            _ => return None,
        };
        if matches!(words.as_slice(), ["run" | "run-script", _, ..]) || name != "npm" {
            behind.extend(words.iter().skip(2));
        }
        let cwd = match directory {
            Some(dir) => self.directories(state, &Value::known(dir)).into_iter().next()?,
            None => state.only_cwd()?.to_path_buf(),
        };
        let (root, text) = cwd.ancestors().take(16).find_map(|dir| {
            let text = self.read_text(state, &dir.join("package.json"), self.options.limits.script_bytes)?;
            Some((dir.to_path_buf(), text))
        })?;
        let package: serde_json::Value = serde_json::from_str(&text).ok()?;
        let scripts = package.get("scripts")?.as_object()?;
        scripts.get(&script)?;
        let inner_scope = scope.through(name);
        let mut inner = state.clone();
        inner.cwd = vec![root];
        for name in [format!("pre{script}"), script.clone(), format!("post{script}")] {
            let Some(text) = scripts.get(&name).and_then(|text| text.as_str()) else { continue };
            let mut text = text.to_owned();
            if name == script {
                for word in &behind {
                    text.push_str(&format!(" '{}'", word.replace('\'', "'\\''")));
                }
            }
            let (zero, positional) = (Value::known("sh"), Default::default());
            self.fresh_shell(&mut inner, &inner_scope, &Value::Known(text), call.span, zero, positional);
        }
        state.files = inner.files;
        self.unknown_result(state, scope);
        Some(Flow::Next)
    }
}
