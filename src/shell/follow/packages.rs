//! `npm run`, `yarn`, `pnpm`, `bun`: scripts in `package.json`.

use crate::model::Value;
use crate::shell::interp::{Interp, Scope};
use crate::shell::simple::Call;
use crate::shell::state::{Flow, State};
use crate::shell::step::StepKind;

/// Subcommands that run a script of their own name.
const LIFECYCLE: [&str; 5] = ["test", "start", "stop", "restart", "t"];

/// Scripts of the project itself that installing runs, in order.
const INSTALLING: [&str; 8] = [
    "preinstall",
    "install",
    "postinstall",
    "prepublish",
    "preprepare",
    "prepare",
    "postprepare",
    "dependencies",
];
/// Scripts that packing or publishing runs, in order.
const PACKING: [&str; 6] = ["prepublishOnly", "prepare", "prepack", "postpack", "publish", "postpublish"];

impl Interp<'_> {
    pub(super) fn package_script(
        &mut self,
        state: &mut State,
        scope: &Scope,
        name: &str,
        call: &Call,
    ) -> Option<Flow> {
        let Some(texts) = call.texts() else {
            // Any script may be meant.
            return self.package_unknown(state, scope, call, "which script it runs is not known");
        };
        let mut words = Vec::new();
        let mut directory = None;
        let mut behind = Vec::new();
        let mut elsewhere = false;
        let mut workspace = None;
        let mut at = texts.iter();
        while let Some(word) = at.next() {
            match *word {
                "--" => {
                    behind.extend(at.by_ref().copied());
                }
                "--prefix" | "-C" | "--dir" | "--cwd" => directory = at.next().copied(),
                "-w" | "--workspace" | "--filter" | "-F" => {
                    elsewhere = true;
                    workspace = at.next().copied();
                }
                "-r" | "--recursive" | "--workspaces" | "-ws" => elsewhere = true,
                option if option.starts_with("--workspace=") || option.starts_with("--filter=") => {
                    elsewhere = true;
                }
                option if option.starts_with('-') => {
                    let attached = ["--prefix=", "--dir=", "--cwd="];
                    if let Some(dir) = attached.iter().find_map(|name| option.strip_prefix(name)) {
                        directory = Some(dir);
                    }
                }
                word => words.push(word),
            }
        }
        let scripts: Vec<String> = match words.as_slice() {
            ["run" | "run-script" | "rum" | "urn", script, ..] => around(script),
            ["t" | "tst", ..] => around("test"),
            ["restart", ..] if name == "npm" => {
                ["prerestart", "prestop", "stop", "poststop", "restart", "prestart", "start", "poststart"]
                    .into_iter()
                    .chain(["postrestart"])
                    .map(str::to_owned)
                    .collect()
            }
            [first, ..] if LIFECYCLE.contains(first) => around(first),
            // With names only those are installed, and the project's own scripts stay out of it.
            ["install" | "i" | "ci" | "clean-install" | "ic" | "rebuild" | "link"] => own(&INSTALLING),
            [] if name == "yarn" => own(&INSTALLING),
            ["pack" | "publish", ..] => own(&PACKING),
            ["version", ..] => around("version"),
            [first, ..] if matches!(name, "yarn" | "pnpm" | "bun") => around(first),
            _ => return None,
        };
        let script = match words.as_slice() {
            ["run" | "run-script" | "rum" | "urn", script, ..] => (*script).to_owned(),
            ["t" | "tst", ..] => "test".to_owned(),
            [first, ..] => (*first).to_owned(),
            [] => String::new(),
        };
        if matches!(words.as_slice(), ["run" | "run-script", _, ..]) || name != "npm" {
            behind.extend(words.iter().skip(2));
        }
        if elsewhere && matches!(words.first(), Some(&("run" | "run-script" | "test" | "start" | "t"))) {
            // A workspace named by its directory is followed; others are tasks of the project, known by name alone.
            let place = workspace.and_then(|name| self.absolute(state, &Value::known(name)))?;
            if self.exists(state, &place.join("package.json")) == Some(false) {
                return None;
            }
            directory = workspace;
        }
        let cwd = match directory {
            Some(dir) => self.directories(state, &Value::known(dir)).into_iter().next(),
            None => state.only_cwd().map(std::path::Path::to_path_buf),
        };
        let Some(cwd) = cwd else {
            // Whatever else it does is known by its name.
            let own = ["run", "run-script", "rum", "urn", "t", "tst"];
            if !words.first().is_some_and(|first| own.contains(first) || LIFECYCLE.contains(first)) {
                return None;
            }
            let why = "which project's scripts it runs is not known";
            return self.package_unknown(state, scope, call, why);
        };
        let root =
            cwd.ancestors().find(|dir| self.exists(state, &dir.join("package.json")) != Some(false))?;
        let root = root.to_path_buf();
        let text = self.read_text(state, &root.join("package.json"), self.options.limits.script_bytes);
        let Some(package) = text.and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok())
        else {
            return self.package_unknown(state, scope, call, "the project's package.json could not be read");
        };
        let known = package.get("scripts")?.as_object()?;
        if !scripts.iter().any(|name| known.contains_key(name)) {
            return None;
        }
        // What installing or packing does beside the project's own scripts is said by its declaration.
        let beside = own(&INSTALLING) == scripts || own(&PACKING) == scripts;
        let inner_scope = scope.through(name);
        let mut inner = state.clone();
        inner.cwd = vec![root];
        for name in scripts {
            let Some(text) = known.get(&name).and_then(|text| text.as_str()) else { continue };
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
        if beside {
            return None;
        }
        self.unknown_result(state, scope);
        Some(Flow::Next)
    }

    fn package_unknown(
        &mut self,
        state: &mut State,
        scope: &Scope,
        call: &Call,
        reason: &str,
    ) -> Option<Flow> {
        let kind = StepKind::Opaque { reason: reason.to_owned() };
        self.emit_as(state, scope, call.span, &call.raw, kind);
        None
    }
}

/// A script with the ones that run before and after it.
fn around(script: &str) -> Vec<String> {
    vec![format!("pre{script}"), script.to_owned(), format!("post{script}")]
}

fn own(list: &[&str]) -> Vec<String> {
    list.iter().map(|name| (*name).to_owned()).collect()
}
