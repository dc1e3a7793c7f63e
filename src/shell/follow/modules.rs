//! Modules that an interpreter's options name: `python -m`, `perl -M`, `ruby -r`.

use crate::knowledge::Match;
use crate::model::Value;
use crate::shell::expand::Expansion;
use crate::shell::interp::{Interp, Scope};
use crate::shell::simple::Call;
use crate::shell::state::{Flow, State};
use crate::shell::step::{Arg, StepKind};

use super::code::Code;

/// The functions of Ruby's `un` library, which `ruby -run -e NAME -- WORDS` calls.
const UN: [&str; 9] = ["cp", "ln", "mv", "rm", "mkdir", "rmdir", "install", "chmod", "touch"];

/// Modules that load those of the project whose names they are given.
const LOADING: [&str; 6] = ["pydoc", "doctest", "inspect", "pytest", "nose2", "green"];

impl Interp<'_> {
    /// `python -m MODULE WORDS`: a file of the project, a module that the knowledge has, or a program by that name.
    pub(super) fn python_module(
        &mut self,
        state: &mut State,
        scope: &Scope,
        call: &Call,
        matched: &Match,
    ) -> Option<Flow> {
        let option = matched.options.iter().rfind(|option| option.key == "-m")?;
        let at = option.value_index + 2;
        let inner = scope.through(matched.path.first().map_or("python", String::as_str));
        let Some(name) = option.value.as_ref().and_then(Value::as_known) else {
            let reason = "which Python module is run is not known".to_owned();
            self.emit_as(state, scope, call.span, &call.raw, StepKind::Opaque { reason });
            return Some(self.done(state, scope));
        };
        self.module_named(state, &inner, call, name, at)?;
        Some(self.done(state, scope))
    }

    fn done(&mut self, state: &mut State, scope: &Scope) -> Flow {
        self.unknown_result(state, scope);
        Flow::Next
    }

    /// Runs the module of this name with the words from a place on. `None`: its declaration says all.
    fn module_named(
        &mut self,
        state: &mut State,
        scope: &Scope,
        call: &Call,
        name: &str,
        at: usize,
    ) -> Option<()> {
        let rest = call.words.get(at..).unwrap_or(&[]);
        if name == "runpy" {
            let inner = rest.first()?.arg.value.as_known()?.to_owned();
            return self.module_named(state, scope, call, &inner, at + 1);
        }
        if scope.host.is_none() && self.own_module(state, scope, call, name, rest) {
            return Some(());
        }
        let words = |tool: &str| {
            let first = Arg { value: Value::known(tool), span: call.span, explicit: false };
            let mut words = vec![Expansion { arg: first, elastic: false, unordered: false }];
            words.extend(rest.iter().cloned());
            words
        };
        if scope.host.is_none() && name == "unittest" {
            self.unit_tests(state, scope, call, rest);
        } else if scope.host.is_none() && LOADING.contains(&name) {
            self.modules_loaded(state, scope, call, rest, false);
        }
        let declared = format!("python:{name}");
        if let Some(tool) = self.knowledge.tool(&declared) {
            let call = Call { words: words(&declared), external: true, ..call.clone() };
            self.known(state, scope, &declared, &tool, &call);
            return Some(());
        }
        for tool in [name.to_owned(), name.replace('_', "-")] {
            if self.knowledge.tool(&tool).is_some() {
                self.program(state, scope, words(&tool), call.span);
                return Some(());
            }
        }
        let kind = StepKind::UnknownProgram { name: format!("python -m {name}"), args: call.args() };
        self.emit_as(state, scope, call.span, &call.raw, kind);
        self.suspect(state, scope, call, "python");
        Some(())
    }

    /// Modules of the project that a tool loads to look at them: what stands in them outside functions runs.
    pub(super) fn modules_loaded(
        &mut self,
        state: &mut State,
        scope: &Scope,
        call: &Call,
        rest: &[Expansion],
        tests: bool,
    ) {
        for word in rest {
            let Some(name) = word.arg.value.as_known().filter(|name| !name.starts_with('-')) else {
                continue;
            };
            let name = name.trim_start_matches("./");
            let dotted = name.strip_suffix(".py").unwrap_or(name).replace('/', ".");
            // A class or a test may stand behind the module's name.
            let prefixes =
                std::iter::successors(Some(dotted.as_str()), |long| Some(long.rsplit_once('.')?.0));
            let found = prefixes.take(6).find(|module| {
                let stem = module.replace('.', "/");
                [format!("{stem}.py"), format!("{stem}/__init__.py")].iter().any(|path| {
                    let at = self.absolute(state, &Value::known(path.as_str()));
                    at.is_some_and(|at| self.exists(state, &at) == Some(true))
                })
            });
            let plain = |module: &&str| module.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
            let Some(module) = found.filter(plain) else { continue };
            let text = Value::known(format!("import {module}"));
            let roots = self.module_roots(state, "python");
            let mut code = Code::of("python", &text, roots, call);
            code.reading.tests = tests;
            self.run_code(state, scope, code);
        }
    }

    /// A module that is a file below the working directory or on the search path.
    fn own_module(
        &mut self,
        state: &mut State,
        scope: &Scope,
        call: &Call,
        name: &str,
        rest: &[Expansion],
    ) -> bool {
        let stem = name.replace('.', "/");
        let mut roots = vec![String::new()];
        roots.extend(self.module_roots(state, "python"));
        let arguments = rest.iter().map(|word| word.arg.value.clone()).collect::<Vec<_>>();
        for root in &roots {
            let base = if root.is_empty() { stem.clone() } else { format!("{root}/{stem}") };
            for path in [format!("{base}/__main__.py"), format!("{base}.py")] {
                let there = self
                    .absolute(state, &Value::known(path.as_str()))
                    .is_some_and(|at| self.exists(state, &at) != Some(false));
                if !there {
                    continue;
                }
                // The package is loaded before its program runs.
                let packages = name.rsplit_once('.').map_or(name, |(package, _)| package);
                if name.contains('.') || path.ends_with("__main__.py") {
                    let text = Value::known(format!("import {packages}"));
                    let code = Code::of("python", &text, roots.clone(), call);
                    self.run_code(state, scope, code);
                }
                let file = Arg { value: Value::known(path), span: call.span, explicit: false };
                self.code_file_in(state, scope, "python", &file, &arguments, roots.clone());
                return true;
            }
        }
        false
    }

    /// What the options load in front of the code on a command line, as code.
    pub(in crate::shell) fn preloaded(&self, matched: &Match, language: &str) -> Value {
        let mut text = String::new();
        let keys: &[&str] = match language {
            "perl" => &["-m", "-M"],
            "ruby" => &["-r"],
            _ => &[],
        };
        for option in matched.options.iter().filter(|option| keys.contains(&option.key.as_str())) {
            let Some(module) = option.value.as_ref().and_then(Value::as_known) else { continue };
            if language == "perl" {
                // Whatever stands behind the name is code as well.
                let name = module.trim_start_matches('-').split('=').next().unwrap_or_default();
                text.push_str(&format!("use {name}; "));
            } else if !module.contains(['\'', '\\']) && !matches!(module, "un" | "rake") {
                text.push_str(&format!("require '{module}'; "));
            }
        }
        Value::Known(text)
    }

    /// `perl -MMODULE`: a module of the project, or code behind its name; `perl -c`: blocks that run while it is read.
    pub(super) fn perl_modules(&mut self, state: &mut State, scope: &Scope, call: &Call, matched: &Match) {
        let mut uses = String::new();
        for option in &matched.options {
            if !matches!(option.key.as_str(), "-m" | "-M") {
                continue;
            }
            let Some(module) = option.value.as_ref().and_then(Value::as_known) else {
                let reason = "which Perl module is loaded is not known".to_owned();
                self.emit_as(state, scope, call.span, &call.raw, StepKind::Opaque { reason });
                continue;
            };
            let name = module.trim_start_matches('-').split('=').next().unwrap_or_default();
            uses.push_str(&format!("use {name};\n"));
        }
        // Code on the command line sees what they bring, and is read behind them.
        let behind = ["-e", "-E"].iter().any(|key| !matched.values(key).is_empty());
        if uses.is_empty() || behind && !matched.has("-c") {
            return;
        }
        let inner = scope.through("perl");
        let text = Value::known(uses);
        let roots = matched.values("-I").into_iter().filter_map(Value::as_known).map(str::to_owned).collect();
        let code = Code::of("perl", &text, roots, call);
        self.run_code(state, &inner, code);
    }

    /// `perl -c`: what stands in blocks of the compiler runs all the same, and so do modules.
    pub(in crate::shell) fn perl_checked(
        &mut self,
        state: &mut State,
        scope: &Scope,
        call: &Call,
        matched: &Match,
    ) {
        if !matched.options.iter().any(|option| option.key == "-c") {
            return;
        }
        self.perl_modules(state, scope, call, matched);
        let inner = scope.through("perl");
        let compiles = |text: &str| ["BEGIN", "CHECK", "INIT"].iter().any(|word| text.contains(word));
        for key in ["-e", "-E"] {
            for text in matched.values(key) {
                if text.as_known().is_none_or(compiles) {
                    self.code(state, &inner, "perl", text, &[], call.span, &call.raw);
                }
            }
        }
        let Some(script) = matched.operand("script:perl") else { return };
        let path = self.absolute(state, &script.value).filter(|_| scope.host.is_none());
        let text = path.and_then(|path| self.read_text(state, &path, self.options.limits.script_bytes));
        if text.is_some_and(|text| compiles(&text)) {
            let file = Arg { value: script.value.clone(), span: call.span, explicit: false };
            self.code_file(state, &inner, "perl", &file, &[]);
        }
    }

    /// `ruby -rLIBRARY`: a file of the project is read; `ruby -run -e rm` is that program.
    pub(super) fn ruby_libraries(
        &mut self,
        state: &mut State,
        scope: &Scope,
        call: &Call,
        matched: &Match,
    ) -> Option<Flow> {
        let inner = scope.through("ruby");
        let roots: Vec<String> =
            matched.values("-I").into_iter().filter_map(Value::as_known).map(str::to_owned).collect();
        for library in matched.values("-r") {
            let Some(name) = library.as_known() else {
                let reason = "which Ruby library is loaded is not known".to_owned();
                self.emit_as(state, scope, call.span, &call.raw, StepKind::Opaque { reason });
                continue;
            };
            if name == "un" {
                let code = matched.value("-e").and_then(Value::as_known).map(str::trim);
                if let Some(function) = code.filter(|code| UN.contains(code)) {
                    let first = Arg { value: Value::known(function), span: call.span, explicit: false };
                    let mut words = vec![Expansion { arg: first, elastic: false, unordered: false }];
                    let operands = matched.operands.iter().filter_map(|one| call.words.get(one.index + 1));
                    words.extend(operands.filter(|word| word.arg.value.as_known() != Some("--")).cloned());
                    self.program(state, &inner, words, call.span);
                    return Some(self.done(state, scope));
                }
                continue;
            }
            if name == "rake" && matched.value("-e").is_some() {
                let reason = "which of Rake's tasks the code runs is not known".to_owned();
                self.emit_as(state, scope, call.span, &call.raw, StepKind::Opaque { reason });
                continue;
            }
            let text = Value::known(format!("require '{name}'"));
            // Code on the command line is read behind it.
            if name.contains(['\'', '\\']) || matched.value("-e").is_some() {
                continue;
            }
            let code = Code::of("ruby", &text, roots.clone(), call);
            self.run_code(state, &inner, code);
        }
        None
    }
}
