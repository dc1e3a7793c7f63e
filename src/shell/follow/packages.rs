//! `npm run`, `yarn`, `pnpm`, `bun`: scripts in `package.json`.

use crate::knowledge::{Match, places};
use crate::model::Value;
use crate::shell::expand::Expansion;
use crate::shell::interp::{Interp, Scope};
use crate::shell::simple::Call;
use crate::shell::state::{Flow, State};
use crate::shell::step::{Arg, StepKind};

use super::workspaces::own_words;

/// Under this the setting is kept that a command made.
const SCRIPT_SHELL: &str = "npm script-shell";

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
/// Options whose value is the next word.
const VALUED: [&str; 11] = [
    "--loglevel",
    "--registry",
    "--cache",
    "--reporter",
    "--scope",
    "--include",
    "--omit",
    "--tag",
    "--otp",
    "--access",
    "--node-options",
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
        matched: &Match,
    ) -> Option<Flow> {
        self.package_config(state, call);
        self.package_edit(state, scope, name, call);
        let Some(texts) = call.texts() else {
            // Any script may be meant.
            return self.package_unknown(state, scope, call, "which script it runs is not known");
        };
        let mut words = Vec::new();
        let mut directory = None;
        let mut behind = Vec::new();
        let mut elsewhere = false;
        let mut workspaces = Vec::new();
        let mut shell = None;
        let mut settings = None;
        let mut alone = false;
        let mut at = texts.iter();
        while let Some(word) = at.next() {
            match *word {
                "--" => {
                    behind.extend(at.by_ref().copied());
                }
                "--prefix" | "-C" | "--dir" | "--cwd" => directory = at.next().copied(),
                "-w" | "--workspace" | "--filter" | "-F" => {
                    elsewhere = true;
                    workspaces.extend(at.next().copied());
                }
                "-r" | "--recursive" | "--workspaces" | "-ws" => elsewhere = true,
                "--userconfig" | "--globalconfig" => settings = at.next().copied(),
                option if VALUED.contains(&option) => drop(at.next()),
                "--ignore-scripts" | "--ignore-scripts=true" => alone = true,
                "--no-ignore-scripts" | "--ignore-scripts=false" => alone = false,
                "--script-shell" => shell = at.next().map(|word| Value::known(*word)),
                option if option.starts_with("--script-shell=") => {
                    shell = option.split_once('=').map(|(_, value)| Value::known(value));
                }
                option if option.starts_with("--workspace=") || option.starts_with("--filter=") => {
                    elsewhere = true;
                    workspaces.extend(option.split_once('=').map(|(_, value)| value));
                }
                option if option.starts_with('-') => {
                    let attached = ["--prefix=", "--dir=", "--cwd="];
                    if let Some(file) = option.strip_prefix("--userconfig=") {
                        settings = Some(file);
                    }
                    if let Some(dir) = attached.iter().find_map(|name| option.strip_prefix(name)) {
                        directory = Some(dir);
                    }
                }
                word => words.push(word),
            }
        }
        if name == "bun"
            && let Some(flow) = self.bun_file(state, scope, call, &words)
        {
            return Some(flow);
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
        // What is asked for by its name runs all the same, and nothing before or after it.
        let scripts: Vec<String> = match (alone, words.as_slice()) {
            (true, ["run" | "run-script" | "rum" | "urn", script, ..]) if name == "npm" => own(&[script]),
            (true, ["t" | "tst", ..]) if name == "npm" => own(&["test"]),
            (true, [first, ..]) if name == "npm" && LIFECYCLE.contains(first) => own(&[first]),
            (true, _) if own(&INSTALLING) == scripts || own(&PACKING) == scripts => Vec::new(),
            _ => scripts,
        };
        if scripts.is_empty() {
            return None;
        }
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
            let Some(packages) = self.workspaces(state, directory, &workspaces) else {
                self.not_read(state, scope, call, name, &script);
                return None;
            };
            let again = own_words(call);
            for package in packages {
                let mut inner = state.clone();
                inner.cwd = vec![package];
                self.package_script(&mut inner, scope, name, &again, matched);
                state.files = inner.files;
            }
            self.unknown_result(state, scope);
            return Some(Flow::Next);
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
            self.not_read(state, scope, call, name, &script);
            return None;
        };
        // A program finds itself where the links lead.
        let cwd = self.physical(state, &cwd).unwrap_or(cwd);
        let root =
            cwd.ancestors().find(|dir| self.exists(state, &dir.join("package.json")) != Some(false))?;
        let root = root.to_path_buf();
        let text = self.read_text(state, &root.join("package.json"), self.options.limits.script_bytes);
        let Some(package) = text.and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok())
        else {
            return self.package_unknown(state, scope, call, "the project's package.json could not be read");
        };
        let none = serde_json::Map::new();
        let known = package.get("scripts").and_then(|scripts| scripts.as_object()).unwrap_or(&none);
        if !scripts.iter().any(|name| known.contains_key(name)) {
            return self.package_program(state, scope, name, call, matched, &words);
        }
        // What installing or packing does beside the project's own scripts is said by its declaration.
        let beside = own(&INSTALLING) == scripts || own(&PACKING) == scripts;
        let inner_scope = scope.through(name);
        let mut inner = state.clone();
        let shell = shell.or_else(|| self.script_shell(state, call, &root, settings));
        inner.cwd = vec![root];
        self.package_variables(&mut inner, &package, &script);
        for name in scripts {
            let Some(text) = known.get(&name).and_then(|text| text.as_str()) else { continue };
            let mut text = text.to_owned();
            if name == script {
                for word in &behind {
                    text.push_str(&format!(" '{}'", word.replace('\'', "'\\''")));
                }
            }
            if let Some(shell) = shell.as_ref().filter(|shell| !is_usual(shell)) {
                let words = [shell.clone(), Value::known("-c"), Value::Known(text)].map(|value| Expansion {
                    arg: Arg { value, span: call.span, explicit: false },
                    elastic: false,
                    unordered: false,
                });
                self.program(&mut inner, &inner_scope, words.to_vec(), call.span);
                continue;
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

    /// The program that settings name for running scripts: those of the environment, of earlier commands, of files.
    fn script_shell(
        &self,
        state: &State,
        call: &Call,
        root: &std::path::Path,
        settings: Option<&str>,
    ) -> Option<Value> {
        let same = |name: &str, key: &str| {
            name.to_ascii_lowercase().replace('-', "_").strip_prefix("npm_config_") == Some(key)
        };
        let environment = call.environment.iter().cloned().chain(self.exported(state)).collect::<Vec<_>>();
        let set_to =
            |key: &str| environment.iter().find(|(name, _)| same(name, key)).map(|(_, value)| value.clone());
        let given = set_to("script_shell");
        let named = settings.map(Value::known).or_else(|| set_to("userconfig"));
        let named = named.and_then(|file| self.absolute(state, &file));
        let set = || self.scalar(state, SCRIPT_SHELL).filter(|_| state.variables.contains_key(SCRIPT_SHELL));
        let home = self.world.home(None);
        let files = || {
            let files = [Some(root.to_path_buf()), home].into_iter().flatten().map(|dir| dir.join(".npmrc"));
            named.into_iter().chain(files).find_map(|file| {
                let text = self.read_text(state, &file, 1 << 16)?;
                let line = text.lines().find_map(|line| {
                    let (key, value) = line.split_once('=')?;
                    (key.trim() == "script-shell").then(|| value.trim().trim_matches('"').to_owned())
                })?;
                Some(Value::Known(line))
            })
        };
        given.or_else(set).or_else(files)
    }

    /// `npm config set script-shell …`: kept beside the variables, under a name that none can have.
    pub(super) fn package_config(&mut self, state: &mut State, call: &Call) {
        let words = call.values();
        let texts: Vec<&str> = words.iter().filter_map(Value::as_known).collect();
        let rest = match texts.as_slice() {
            ["config" | "c", "set" | "s", rest @ ..] | ["set", rest @ ..] => rest,
            _ => return,
        };
        let value = match rest {
            ["script-shell", value, ..] => Some(*value),
            [first, ..] => first.strip_prefix("script-shell="),
            [] => None,
        };
        // A value that is not known leaves one word less.
        match value {
            Some(value) => self.assign_scalar(state, SCRIPT_SHELL, Value::known(value)),
            None if rest.first() == Some(&"script-shell") => {
                self.assign_scalar(state, SCRIPT_SHELL, Value::Unknown);
            }
            None => {}
        }
    }

    /// Variables that scripts are given of their package.
    fn package_variables(&mut self, state: &mut State, package: &serde_json::Value, script: &str) {
        let mut set = vec![("npm_lifecycle_event".to_owned(), script.to_owned())];
        for (key, value) in package.as_object().into_iter().flatten() {
            match value {
                serde_json::Value::String(text) => set.push((format!("npm_package_{key}"), text.clone())),
                serde_json::Value::Object(map) if key == "config" => {
                    for (name, value) in map {
                        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                        set.push((format!("npm_package_config_{name}"), text));
                    }
                }
                _ => {}
            }
        }
        for (name, value) in set {
            self.assign_scalar(state, &name, Value::Known(value));
            if let Some(variable) = std::sync::Arc::make_mut(&mut state.variables).get_mut(&name) {
                variable.exported = true;
            }
        }
    }

    /// `yarn NAME`, where no script has the name: a program of that name, from the project's packages.
    fn package_program(
        &mut self,
        state: &mut State,
        scope: &Scope,
        name: &str,
        call: &Call,
        matched: &Match,
        words: &[&str],
    ) -> Option<Flow> {
        let asked = match words {
            ["run", rest @ ..] => rest,
            // What is declared of the package manager itself.
            _ if matched.path.len() > 1 => return None,
            all => all,
        };
        let first = asked.first().filter(|_| matches!(name, "yarn" | "yarnpkg" | "pnpm" | "bun"))?;
        let at = call.words.iter().position(|word| word.arg.value.as_known() == Some(first))?;
        if self.knowledge.tool(first).is_some() {
            let inner = scope.through(name);
            self.program(state, &inner, call.words.get(at..).unwrap_or(&[]).to_vec(), call.span);
        } else {
            self.not_read(state, scope, call, name, first);
        }
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

/// Whether scripts are run by a shell of the machine, as ever.
fn is_usual(shell: &Value) -> bool {
    shell.as_known().is_some_and(|text| {
        let (dir, base) = text.rsplit_once('/').unwrap_or(("", text));
        (text.is_empty() || super::is_shell(base)) && (dir.is_empty() || places().holds_programs(dir))
    })
}

/// A script with the ones that run before and after it.
fn around(script: &str) -> Vec<String> {
    vec![format!("pre{script}"), script.to_owned(), format!("post{script}")]
}

fn own(list: &[&str]) -> Vec<String> {
    list.iter().map(|name| (*name).to_owned()).collect()
}
