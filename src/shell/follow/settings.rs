//! Commands in variables that programs run: editors, pagers, transports. Git has its own.

use crate::model::Value;
use crate::shell::interp::{Interp, Scope};
use crate::shell::simple::Call;
use crate::shell::state::State;

impl Interp<'_> {
    /// Follows the commands in `environment`, the variables that this command itself sets.
    pub(in crate::shell) fn environment_commands(
        &mut self,
        state: &mut State,
        scope: &Scope,
        name: &str,
        call: &Call,
        environment: &[(String, Value)],
    ) {
        for (variable, value) in environment {
            if loads(variable, value, name) && value.as_known() != self.world.env(variable).as_deref() {
                let reason = format!("`{variable}` makes the program load code that is not looked at");
                let kind = crate::shell::step::StepKind::Opaque { reason };
                self.emit_as(state, scope, call.span, &call.raw, kind);
                continue;
            }
            let runs = match variable.as_str() {
                "EDITOR" | "VISUAL" => {
                    matches!(
                        name,
                        "crontab" | "visudo" | "sudoedit" | "vipw" | "vigr" | "less" | "svn" | "hg"
                    )
                }
                "PAGER" | "MANPAGER" | "BAT_PAGER" => matches!(name, "man" | "psql" | "mysql" | "bat" | "gh"),
                "LESSOPEN" => name == "less",
                "RSYNC_RSH" => name == "rsync",
                "PSQL_EDITOR" | "PSQL_PAGER" => name == "psql",
                _ => false,
            };
            if !runs || value.as_known() == Some("") {
                continue;
            }
            let inner = scope.through(variable);
            let mut way = state.clone();
            way.maybe = true;
            self.fresh_shell(&mut way, &inner, value, call.span, Value::known("sh"), Default::default());
            state.files.merge(&way.files);
        }
    }
}

/// Whether a variable makes a program load code of somebody's choice.
fn loads(variable: &str, value: &Value, program: &str) -> bool {
    let text = value.as_known();
    let has = |parts: &[&str]| text.is_none_or(|text| parts.iter().any(|part| text.contains(part)));
    match variable {
        // A bare name is looked for where libraries are installed.
        "LD_PRELOAD" | "LD_AUDIT" | "DYLD_INSERT_LIBRARIES" => {
            text.is_none_or(|text| text.split([':', ' ']).any(|one| one.contains('/') && !is_library(one)))
        }
        "NODE_OPTIONS" => {
            has(&["--require", "-r ", "--import", "--loader", "--eval", "-e "]) && text.is_some()
        }
        "PERL5OPT" => program == "perl" && has(&["-M", "-m", "-e"]),
        "RUBYOPT" => has(&["-r"]) && matches!(program, "ruby" | "irb" | "rake" | "bundle" | "gem"),
        "GIT_EXEC_PATH" => program == "git" && text != Some(""),
        _ => false,
    }
}

fn is_library(path: &str) -> bool {
    ["/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/", "/usr/local/lib/", "/opt/homebrew/"]
        .iter()
        .any(|place| path.starts_with(place))
}
