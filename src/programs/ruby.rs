//! Ruby: libraries that options load; `-run -e NAME` is a program by that name.

use crate::knowledge::Match;
use crate::model::Value;
use crate::shell::program::{Arg, Call, Code, Expansion, Flow, Run, Shell, State, StepKind};

/// The functions of Ruby's `un` library, which `ruby -run -e NAME -- WORDS` calls.
const UN: [&str; 9] = ["cp", "ln", "mv", "rm", "mkdir", "rmdir", "install", "chmod", "touch"];

/// See [`Room::Ruby`](crate::knowledge::Room::Ruby).
pub(super) struct Ruby;

impl super::Program for Ruby {
    fn runs(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Flow> {
        ruby_libraries(shell, state, run.call, run.matched)
    }

    fn preloads(&self, matched: &Match) -> String {
        let modules = matched.values("-r").into_iter().filter_map(Value::as_known);
        let read = |module: &&str| !module.contains(['\'', '\\']) && !matches!(*module, "un" | "rake");
        modules.filter(read).map(|module| format!("require '{module}'; ")).collect()
    }
}

/// `ruby -rLIBRARY`: a file of the project is read; `ruby -run -e rm` is that program.
fn ruby_libraries(shell: &mut Shell<'_>, state: &mut State, call: &Call, matched: &Match) -> Option<Flow> {
    let inner = state.scope.through("ruby");
    let roots: Vec<String> =
        matched.values("-I").into_iter().filter_map(Value::as_known).map(str::to_owned).collect();
    for library in matched.values("-r") {
        let Some(name) = library.as_known() else {
            let reason = "which Ruby library is loaded is not known".to_owned();
            shell.emit_as(state, call.span, &call.raw, StepKind::Opaque { reason });
            continue;
        };
        if name == "un" {
            let code = matched.value("-e").and_then(Value::as_known).map(str::trim);
            if let Some(function) = code.filter(|code| UN.contains(code)) {
                let first = Arg { value: Value::known(function), span: call.span, explicit: false };
                let mut words = vec![Expansion { arg: first, elastic: false, unordered: false }];
                let operands = matched.operands.iter().filter_map(|one| call.words.get(one.index + 1));
                words.extend(operands.filter(|word| word.arg.value.as_known() != Some("--")).cloned());
                state.within(&inner, |state| shell.program(state, words, call.span));
                shell.unknown_result(state);
                return Some(Flow::Next);
            }
            continue;
        }
        if name == "rake" && matched.value("-e").is_some() {
            let reason = "which of Rake's tasks the code runs is not known".to_owned();
            shell.emit_as(state, call.span, &call.raw, StepKind::Opaque { reason });
            continue;
        }
        let text = Value::known(format!("require '{name}'"));
        // Code on the command line is read behind it.
        if name.contains(['\'', '\\']) || matched.value("-e").is_some() {
            continue;
        }
        let code = Code::of("ruby", &text, roots.clone(), call);
        state.within(&inner, |state| shell.run_code(state, code));
    }
    None
}
