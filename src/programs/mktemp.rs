//! `mktemp`: a name that nothing has yet.

use crate::knowledge::Match;
use crate::model::Value;
use crate::shell::program::{FileState, Flow, Instead, Run, Shell, State, Status};

/// See [`Room::Mktemp`](crate::knowledge::Room::Mktemp).
pub(super) struct Mktemp;

impl super::Program for Mktemp {
    fn begins(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Instead> {
        (!run.matched.does_nothing()).then(|| Instead::Done(fresh_name(shell, state, run.matched)))
    }
}

/// Makes it: in the directory that is named, in that for temporary files, or where the template says.
fn fresh_name(shell: &mut Shell<'_>, state: &mut State, matched: &Match) -> Flow {
    let known = |value: &Value| value.as_known().map(str::to_owned);
    let template = matched.operands.first().map(|operand| known(&operand.value));
    let dir = matched.value("-p").or_else(|| matched.value("--tmpdir")).map(known);
    if template == Some(None) || dir == Some(None) || !matched.gaps.is_empty() {
        shell.unknown_result(state);
        return Flow::Next;
    }
    shell.counter += 1;
    let unique = format!("recourse{:04}", shell.counter);
    let set = shell.scalar(state, "TMPDIR").as_ref().and_then(known).filter(|text| text.starts_with('/'));
    let base = dir.flatten().or(set).unwrap_or_else(|| "/tmp".to_owned());
    let in_base = template.is_none() || ["-p", "--tmpdir", "-t"].iter().any(|key| matched.has(key));
    let template = match template.flatten() {
        None => format!("tmp.{unique}"),
        Some(text) => match filled(&text, &unique) {
            Some(name) => name,
            // A beginning, on some systems.
            None if matched.has("-t") => format!("{text}.{unique}"),
            // Refused: what stands under that very name is no new file.
            None => {
                shell.unknown_result(state);
                return Flow::Next;
            }
        },
    };
    let name = if in_base && !template.starts_with('/') {
        format!("{}/{template}", base.trim_end_matches('/'))
    } else {
        template
    };
    if let Some(path) = shell.absolute(state, &Value::known(&name))
        && state.scope.host.is_none()
        && shell.exists(state, &path) != Some(true)
    {
        let directory = matched.has("-d");
        let content = (!directory).then(String::new);
        state.files.set(path, FileState::Created { content, directory });
    }
    state.status = Status::True;
    if state.scope.capture {
        state.print(&Value::Known(name + "\n"));
    }
    Flow::Next
}

/// The template with its last run of `X` filled in; `None` where it has none that is long enough.
fn filled(template: &str, unique: &str) -> Option<String> {
    let end = template.rfind("XXX")? + 3;
    let start = template[..end].trim_end_matches('X').len();
    Some(format!("{}{unique}{}", &template[..start], &template[end..]))
}
