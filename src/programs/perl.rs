//! Perl: modules that options load, and what runs while a program is only checked.

use crate::knowledge::Match;
use crate::model::Value;
use crate::shell::program::{Arg, Call, Code, Flow, Instead, Run, Shell, State, StepKind};

/// See [`Room::Perl`](crate::knowledge::Room::Perl).
pub(super) struct Perl;

impl super::Program for Perl {
    fn begins(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Instead> {
        if run.matched.informational {
            perl_checked(shell, state, run.call, run.matched);
        }
        None
    }

    fn runs(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Flow> {
        perl_modules(shell, state, run.call, run.matched);
        None
    }

    fn preloads(&self, matched: &Match) -> String {
        let options = matched.options.iter().filter(|option| matches!(option.key.as_str(), "-m" | "-M"));
        let modules = options.filter_map(|option| option.value.as_ref().and_then(Value::as_known));
        // Whatever stands behind the name is code as well.
        modules
            .map(|module| module.trim_start_matches('-').split('=').next().unwrap_or_default())
            .map(|name| format!("use {name}; "))
            .collect()
    }
}

/// `perl -MMODULE`: a module of the project, or code behind its name; `perl -c`: blocks that run while it is read.
fn perl_modules(shell: &mut Shell<'_>, state: &mut State, call: &Call, matched: &Match) {
    let mut uses = String::new();
    for option in &matched.options {
        if !matches!(option.key.as_str(), "-m" | "-M") {
            continue;
        }
        let Some(module) = option.value.as_ref().and_then(Value::as_known) else {
            let reason = "which Perl module is loaded is not known".to_owned();
            shell.emit_as(state, call.span, &call.raw, StepKind::Opaque { reason });
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
    let inner = state.scope.through("perl");
    let text = Value::known(uses);
    let roots = matched.values("-I").into_iter().filter_map(Value::as_known).map(str::to_owned).collect();
    let code = Code::of("perl", &text, roots, call);
    state.within(&inner, |state| shell.run_code(state, code));
}

/// `perl -c`: what stands in blocks of the compiler runs all the same, and so do modules.
fn perl_checked(shell: &mut Shell<'_>, state: &mut State, call: &Call, matched: &Match) {
    if !matched.options.iter().any(|option| option.key == "-c") {
        return;
    }
    perl_modules(shell, state, call, matched);
    let inner = state.scope.through("perl");
    let compiles = |text: &str| ["BEGIN", "CHECK", "INIT"].iter().any(|word| text.contains(word));
    for key in ["-e", "-E"] {
        for text in matched.values(key) {
            if text.as_known().is_none_or(compiles) {
                state.within(&inner, |state| shell.code(state, "perl", text, &[], call.span, &call.raw));
            }
        }
    }
    let Some(script) = matched.operand("script:perl") else { return };
    let path = shell.absolute(state, &script.value).filter(|_| state.scope.host.is_none());
    let text = path.and_then(|path| shell.read_text(state, &path, shell.options.limits.script_bytes));
    if text.is_some_and(|text| compiles(&text)) {
        let file = Arg { value: script.value.clone(), span: call.span, explicit: false };
        state.within(&inner, |state| shell.code_file(state, "perl", &file, &[]));
    }
}
