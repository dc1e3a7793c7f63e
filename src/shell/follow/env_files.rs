//! Files of variables that a command line names (`--env-file`): they are set for the program, and for what it runs.
//!
//! Owns that values are taken only of variables that steer a program; what else stands in such a file is mostly secret, and
//! counts as not known.

use crate::knowledge::{Match, variables};
use crate::model::Value;
use crate::shell::interp::Shell;
use crate::shell::simple::Call;
use crate::shell::state::State;
use crate::shell::step::StepKind;

/// The role of an option that names such a file.
const ROLE: &str = "variables";

/// Bytes of such a file that are read.
const LIMIT: u64 = 1 << 20;

impl Shell<'_> {
    /// The call with the variables of the files that its options name; `None` where there are none.
    pub(in crate::shell) fn with_variables_of_files(
        &mut self,
        state: &mut State,
        call: &Call,
        matched: &Match,
    ) -> Option<Call> {
        let mut found = Vec::new();
        for name in matched.of_role(ROLE) {
            let path = self.absolute(state, name);
            let there = path.as_ref().map(|path| self.exists(state, path));
            if there == Some(Some(false)) {
                continue;
            }
            match path.and_then(|path| self.read_data(state, &path, LIMIT)) {
                Some(text) => found.extend(text.lines().filter_map(variable)),
                None => {
                    let reason = "a file of variables that steer the program cannot be read".to_owned();
                    self.emit_as(state, call.span, &call.raw, StepKind::Opaque { reason });
                }
            }
        }
        if found.is_empty() {
            return None;
        }
        let mut call = call.clone();
        // What was there before goes first.
        found.append(&mut call.environment);
        call.environment = found;
        Some(call)
    }
}

/// `NAME=value`, `export NAME='value'`, `NAME: value`.
fn variable(line: &str) -> Option<(String, Value)> {
    let line = line.trim_start();
    let (name, value) = line.strip_prefix("export ").unwrap_or(line).split_once(['=', ':'])?;
    let (name, value) = (name.trim(), value.trim());
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !is_name {
        return None;
    }
    if !variables().acts(name) && name != "PATH" {
        return Some((name.to_owned(), Value::Unknown));
    }
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
    let value = match quote {
        Some(quote) => value.trim_matches(quote),
        None => value.split(" #").next().unwrap_or(value).trim_end(),
    };
    let stands =
        if value.contains('$') && quote != Some('\'') { Value::Unknown } else { Value::known(value) };
    Some((name.to_owned(), stands))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_variables() {
        let held = |line: &str| variable(line).and_then(|(_, value)| value.as_known().map(str::to_owned));
        assert_eq!(held("NODE_OPTIONS=--require ./w.js # x").as_deref(), Some("--require ./w.js"));
        assert_eq!(held(" export NODE_OPTIONS = \"-r ./a\"").as_deref(), Some("-r ./a"));
        assert_eq!(held("NODE_OPTIONS: -r ./a").as_deref(), Some("-r ./a"));
        assert_eq!(variable("TOKEN=secret"), Some(("TOKEN".to_owned(), Value::Unknown)));
        assert!(variable("# no").is_none() && variable("").is_none());
    }
}
