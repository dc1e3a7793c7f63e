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
